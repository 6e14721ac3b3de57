//! The schema, step by step.
//!
//! Forward only, each step in one transaction with the row that records it, so that a crash
//! between any two leaves a schema that is known. A database from a newer Lede is refused. The
//! steps are SQL with a few words that the engines spell differently (see [`render`]).

use std::path::Path;

use crate::engine::{OpenError, postgres_words};

/// The steps, in order; a step that has been released never changes.
const STEPS: [&str; 2] = [
    include_str!("../migrations/0001_house.sql"),
    include_str!("../migrations/0002_crawl.sql"),
];

/// The schema that this Lede makes and understands.
pub const LATEST: i64 = STEPS.len() as i64;

/// Any number: it only has to be the same in every Lede that shares a PostgreSQL database.
const ADVISORY_LOCK: i64 = 0x6c65_6465;

const VERSION_TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_step (version BIGINT PRIMARY KEY)";
const CURRENT: &str = "SELECT COALESCE(MAX(version), 0) FROM schema_step";

#[derive(Clone, Copy)]
enum Dialect {
    Sqlite,
    Postgres,
}

/// Spells the words in braces for an engine.
fn render(step: &str, dialect: Dialect) -> String {
    let words = match dialect {
        Dialect::Sqlite => [
            ("{id}", "INTEGER PRIMARY KEY AUTOINCREMENT"),
            ("{int}", "INTEGER"),
            ("{bytes}", "BLOB"),
            ("{clustered}", "WITHOUT ROWID"),
        ],
        Dialect::Postgres => [
            ("{id}", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
            ("{int}", "BIGINT"),
            ("{bytes}", "BYTEA"),
            ("{clustered}", ""),
        ],
    };
    words
        .into_iter()
        .fold(step.to_owned(), |text, (word, spelling)| {
            text.replace(word, spelling)
        })
}

fn refuse_newer(found: i64) -> Result<(), OpenError> {
    if found > LATEST {
        Err(OpenError::Newer {
            found,
            known: LATEST,
        })
    } else {
        Ok(())
    }
}

/// The schema of a SQLite file, 0 for an empty one; refuses a newer one.
pub(crate) fn sqlite_version(connection: &rusqlite::Connection) -> Result<i64, OpenError> {
    // Without the table there is nothing of ours in the file.
    let version = connection
        .query_row(CURRENT, [], |row| row.get(0))
        .unwrap_or(0);
    refuse_newer(version)?;
    Ok(version)
}

/// The same for a PostgreSQL database.
pub(crate) fn postgres_version(client: &mut postgres::Client) -> Result<i64, OpenError> {
    let version = client.query_one(CURRENT, &[]).map_or(0, |row| row.get(0));
    refuse_newer(version)?;
    Ok(version)
}

/// The steps after `current`, with their numbers.
fn pending(current: i64) -> impl Iterator<Item = (i64, &'static str)> {
    (1..)
        .zip(STEPS)
        .filter(move |(version, _)| *version > current)
}

/// Brings a SQLite file to [`LATEST`]. The file is copied beside itself before a step changes
/// one that has data.
pub(crate) fn sqlite(connection: &rusqlite::Connection, path: &Path) -> Result<(), OpenError> {
    let failed = |version| {
        move |error: rusqlite::Error| OpenError::Migration {
            version,
            reason: error.to_string(),
        }
    };
    connection.execute_batch(VERSION_TABLE).map_err(failed(0))?;
    let current: i64 = connection
        .query_row(CURRENT, [], |row| row.get(0))
        .map_err(failed(0))?;
    refuse_newer(current)?;
    if current > 0 && current < LATEST {
        let copy = path.with_extension(format!("before-{LATEST}.db"));
        // A copy from an earlier try that failed is as good: nothing has changed since.
        if !copy.exists() {
            connection
                .execute("VACUUM INTO ?1", [copy.to_string_lossy()])
                .map_err(failed(current))?;
        }
    }
    for (version, step) in pending(current) {
        let apply = || -> rusqlite::Result<()> {
            // A second process may have been faster while this one waited for the lock.
            connection.execute_batch("BEGIN IMMEDIATE")?;
            let reached: i64 = connection.query_row(CURRENT, [], |row| row.get(0))?;
            if reached < version {
                connection.execute_batch(&render(step, Dialect::Sqlite))?;
                connection.execute("INSERT INTO schema_step (version) VALUES (?1)", [version])?;
            }
            connection.execute_batch("COMMIT")
        };
        apply().map_err(|error| {
            let _ = connection.execute_batch("ROLLBACK");
            failed(version)(error)
        })?;
    }
    Ok(())
}

/// Brings a PostgreSQL database to [`LATEST`], one process at a time.
pub(crate) fn postgres(client: &mut postgres::Client) -> Result<(), OpenError> {
    let failed = |version| {
        move |error: postgres::Error| OpenError::Migration {
            version,
            reason: postgres_words(&error),
        }
    };
    client
        .execute("SELECT pg_advisory_lock($1)", &[&ADVISORY_LOCK])
        .map_err(failed(0))?;
    let outcome = migrate_locked(client);
    // The lock goes with the connection at the latest.
    let _ = client.execute("SELECT pg_advisory_unlock($1)", &[&ADVISORY_LOCK]);
    outcome
}

fn migrate_locked(client: &mut postgres::Client) -> Result<(), OpenError> {
    let failed = |version| {
        move |error: postgres::Error| OpenError::Migration {
            version,
            reason: postgres_words(&error),
        }
    };
    client.batch_execute(VERSION_TABLE).map_err(failed(0))?;
    let current: i64 = client.query_one(CURRENT, &[]).map_err(failed(0))?.get(0);
    refuse_newer(current)?;
    for (version, step) in pending(current) {
        let mut apply = || -> Result<(), postgres::Error> {
            let mut transaction = client.transaction()?;
            transaction.batch_execute(&render(step, Dialect::Postgres))?;
            transaction.execute("INSERT INTO schema_step (version) VALUES ($1)", &[&version])?;
            transaction.commit()
        };
        apply().map_err(failed(version))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_in_braces_is_left_over() {
        for step in STEPS {
            for dialect in [Dialect::Sqlite, Dialect::Postgres] {
                assert!(!render(step, dialect).contains(['{', '}']));
            }
        }
    }
}
