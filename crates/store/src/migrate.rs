//! Schema migrations.
//!
//! Forward only. All pending migrations run in one transaction with the rows that record them, so a
//! failure or a crash leaves the database as it was. A database of a newer version is refused. The
//! migrations are SQL with a few words that differ between the engines (see [`render`]).

use std::path::Path;

use postgres::IsolationLevel;
use rusqlite::{OptionalExtension as _, Transaction, TransactionBehavior};

use crate::engine::{OpenError, create_private, postgres_words};

/// The migrations, in order. A released one never changes.
const STEPS: [&str; 1] = [include_str!("../migrations/0001_schema.sql")];

/// Schema version that this program creates and understands.
pub const LATEST: i64 = STEPS.len() as i64;

/// Any number that is the same in every process that shares a PostgreSQL database.
const ADVISORY_LOCK: i64 = 0x6c65_6465;

/// For the transaction: changing a large table takes longer than other statements may, and so does
/// waiting for it.
const NO_TIMEOUTS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0";

const VERSION_TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_step (version BIGINT PRIMARY KEY)";
const CURRENT: &str = "SELECT COALESCE(MAX(version), 0) FROM schema_step";
const RECORD: &str = "INSERT INTO schema_step (version) VALUES ($1)";

/// The words come from `model::search` and are separated by spaces, so the simplest tokenizer is the
/// right one. The table stores no copy of the text and still lets rows be replaced. `deletemerge`
/// keeps the removal of an item from rewriting the index: the clean-up does that in small steps.
const SEARCH_SQLITE: &str = "CREATE VIRTUAL TABLE item_search USING fts5(
    title, author, body, content = '', contentless_delete = 1, tokenize = 'ascii');
CREATE TRIGGER item_search_forgets AFTER DELETE ON item BEGIN
    DELETE FROM item_search WHERE rowid = old.id;
END;
INSERT INTO item_search (item_search, rank) VALUES ('deletemerge', 0)";
/// The same words as one vector: weight A for the title, B for the author, D for the text.
const SEARCH_POSTGRES: &str = "CREATE TABLE item_search (
    item_id BIGINT PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
    words TSVECTOR NOT NULL);
CREATE INDEX item_search_words ON item_search USING gin (words)";

/// SQLite truncates a table at once only if it has no foreign keys; with them, marking everything as
/// read would delete row by row. Triggers on the referenced tables take their place. PostgreSQL gains
/// nothing by that and has the foreign keys.
const UNREAD_TRIGGERS_SQLITE: &str = "CREATE TRIGGER unread_forgets_item AFTER DELETE ON item BEGIN
    DELETE FROM unread WHERE item_id = old.id;
END;
CREATE TRIGGER unread_forgets_account AFTER DELETE ON account BEGIN
    DELETE FROM unread WHERE user_id = old.id;
END";

#[derive(Clone, Copy)]
enum Dialect {
    Sqlite,
    Postgres,
}

/// Replaces the words in braces for an engine.
fn render(step: &str, dialect: Dialect) -> String {
    let words = match dialect {
        Dialect::Sqlite => [
            ("{id}", "INTEGER PRIMARY KEY AUTOINCREMENT"),
            ("{int}", "INTEGER"),
            ("{bytes}", "BLOB"),
            ("{clustered}", "WITHOUT ROWID"),
            ("{search_table}", SEARCH_SQLITE),
            ("{unread_account}", ""),
            ("{unread_item}", ""),
            ("{unread_triggers}", UNREAD_TRIGGERS_SQLITE),
        ],
        Dialect::Postgres => [
            ("{id}", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
            ("{int}", "BIGINT"),
            ("{bytes}", "BYTEA"),
            ("{clustered}", ""),
            ("{search_table}", SEARCH_POSTGRES),
            (
                "{unread_account}",
                "REFERENCES account (id) ON DELETE CASCADE",
            ),
            ("{unread_item}", "REFERENCES item (id) ON DELETE CASCADE"),
            ("{unread_triggers}", ""),
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

/// Returns the migrations after `current`, with their versions.
fn pending<'s>(steps: &[&'s str], current: i64) -> impl Iterator<Item = (i64, &'s str)> {
    (1..)
        .zip(steps.iter().copied())
        .filter(move |(version, _)| *version > current)
}

/// Returns the schema version of a SQLite file, 0 for an empty one. Refuses a newer one, and a file
/// with tables of another program: a mistyped path must not add ours to them.
pub(crate) fn sqlite_version(
    connection: &rusqlite::Connection,
    path: &Path,
) -> Result<i64, OpenError> {
    let version = || -> rusqlite::Result<Option<i64>> {
        let table = "SELECT name = 'schema_step' FROM sqlite_schema ORDER BY 1 DESC LIMIT 1";
        let is_ours: Option<bool> = connection
            .query_row(table, [], |row| row.get(0))
            .optional()?;
        match is_ours {
            None => Ok(Some(0)),
            Some(true) => connection
                .query_row(CURRENT, [], |row| row.get(0))
                .map(Some),
            Some(false) => Ok(None),
        }
    };
    let version = version().map_err(|error| OpenError::Other(error.to_string()))?;
    let version = version.ok_or_else(|| OpenError::Foreign(path.to_owned()))?;
    refuse_newer(version)?;
    Ok(version)
}

/// Returns the schema version of a PostgreSQL database, 0 for an empty one. Refuses a newer one.
pub(crate) fn postgres_version(client: &mut postgres::Client) -> Result<i64, OpenError> {
    let other = |error: postgres::Error| OpenError::Other(postgres_words(&error));
    let is_there: bool = client
        .query_one("SELECT to_regclass('schema_step') IS NOT NULL", &[])
        .map_err(other)?
        .get(0);
    let version = match is_there {
        true => client.query_one(CURRENT, &[]).map_err(other)?.get(0),
        false => 0,
    };
    refuse_newer(version)?;
    Ok(version)
}

/// Migrates a SQLite file to [`LATEST`].
pub(crate) fn sqlite(connection: &rusqlite::Connection, path: &Path) -> Result<(), OpenError> {
    match sqlite_version(connection, path)? {
        LATEST => return Ok(()),
        0 => {}
        _ => copy_before(connection, path)?,
    }
    sqlite_steps(connection, path, &STEPS)
}

/// Migrates a copy that no other process uses to [`LATEST`], without a copy of its own.
pub(crate) fn sqlite_copy(connection: &rusqlite::Connection, path: &Path) -> Result<(), OpenError> {
    sqlite_steps(connection, path, &STEPS)
}

/// Creates schema `version` in an empty file, for rows of a store that has that version.
pub(crate) fn sqlite_to(
    connection: &rusqlite::Connection,
    path: &Path,
    version: i64,
) -> Result<(), OpenError> {
    let steps = usize::try_from(version).unwrap_or(0).min(STEPS.len());
    sqlite_steps(connection, path, &STEPS[..steps])
}

/// Copies a file that has data before migrations change it. The copy gets its name only when it is
/// complete, and replaces that of an earlier migration.
fn copy_before(connection: &rusqlite::Connection, path: &Path) -> Result<(), OpenError> {
    let copy = path.with_extension(format!("before-{LATEST}.db"));
    let partial = path.with_extension(format!("before-{LATEST}.{}.partial", std::process::id()));
    let copied = || -> Result<(), String> {
        // VACUUM INTO takes a file that is there only while it is empty.
        let _ = std::fs::remove_file(&partial);
        create_private(&partial).map_err(|error| error.to_string())?;
        connection
            .execute("VACUUM INTO ?1", [partial.to_string_lossy()])
            .map_err(|error| error.to_string())?;
        std::fs::rename(&partial, &copy).map_err(|error| error.to_string())
    };
    copied().map_err(|reason| {
        let _ = std::fs::remove_file(&partial);
        let reason = format!("no copy of it could be made before: {reason}");
        OpenError::Migration {
            version: LATEST,
            reason,
        }
    })
}

fn sqlite_steps(
    connection: &rusqlite::Connection,
    path: &Path,
    steps: &[&str],
) -> Result<(), OpenError> {
    let failed = |version| {
        move |error: rusqlite::Error| OpenError::Migration {
            version,
            reason: error.to_string(),
        }
    };
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)
        .map_err(failed(LATEST))?;
    // Again, because another process may have migrated while this one waited for the lock.
    let current = sqlite_version(&transaction, path)?;
    transaction
        .execute_batch(VERSION_TABLE)
        .map_err(failed(LATEST))?;
    for (version, step) in pending(steps, current) {
        transaction
            .execute_batch(&render(step, Dialect::Sqlite))
            .and_then(|()| transaction.execute(RECORD, [version]))
            .map_err(failed(version))?;
    }
    transaction.commit().map_err(failed(LATEST))
}

/// Migrates a PostgreSQL database to [`LATEST`], one process at a time.
pub(crate) fn postgres(client: &mut postgres::Client) -> Result<(), OpenError> {
    let failed = |version| {
        move |error: postgres::Error| OpenError::Migration {
            version,
            reason: postgres_words(&error),
        }
    };
    // Read committed, regardless of the server's default: after waiting for the lock, the changes of
    // its holder must be visible.
    let mut transaction = client
        .build_transaction()
        .isolation_level(IsolationLevel::ReadCommitted)
        .start()
        .map_err(failed(LATEST))?;
    transaction
        .batch_execute(NO_TIMEOUTS)
        .and_then(|()| transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&ADVISORY_LOCK]))
        .and_then(|_| transaction.batch_execute(VERSION_TABLE))
        .map_err(failed(LATEST))?;
    let current: i64 = transaction
        .query_one(CURRENT, &[])
        .map_err(failed(LATEST))?
        .get(0);
    refuse_newer(current)?;
    for (version, step) in pending(&STEPS, current) {
        transaction
            .batch_execute(&render(step, Dialect::Postgres))
            .and_then(|()| transaction.execute(RECORD, &[&version]))
            .map_err(failed(version))?;
    }
    transaction.commit().map_err(failed(LATEST))
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

    /// Opens a file in a folder that goes with the test.
    fn file() -> (tempfile::TempDir, std::path::PathBuf, rusqlite::Connection) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lede.db");
        let connection = rusqlite::Connection::open(&path).unwrap();
        (folder, path, connection)
    }

    fn tables(connection: &rusqlite::Connection) -> i64 {
        let count = "SELECT COUNT(*) FROM sqlite_schema";
        connection.query_row(count, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_step_that_fails_leaves_nothing_of_it_nor_of_those_before() {
        let (_folder, path, connection) = file();
        let steps = [
            "CREATE TABLE a (x {int})",
            "CREATE TABLE b (x {int}); nonsense",
        ];
        let error = sqlite_steps(&connection, &path, &steps).unwrap_err();
        assert!(
            matches!(error, OpenError::Migration { version: 2, .. }),
            "{error}"
        );
        assert_eq!(tables(&connection), 0);
        sqlite(&connection, &path).unwrap();
        assert_eq!(sqlite_version(&connection, &path).unwrap(), LATEST);
    }

    #[test]
    fn a_database_of_0_1_0_is_upgraded_without_losing_a_row() {
        let (_folder, path, connection) = file();
        sqlite_to(&connection, &path, 1).unwrap();
        let rows = "INSERT INTO account (id, email, role, tokens_valid_from, created_at)
                VALUES (1, 'ada', 'member', 0, 0), (2, 'eve', 'member', 0, 0);
            INSERT INTO feed (id, url, title, root_domain, status, created_at)
                VALUES (1, 'a', '', '', 'active', 0), (2, 'b', '', '', 'active', 0);
            INSERT INTO subscription (user_id, feed_id, created_at) VALUES (1, 1, 0), (1, 2, 0), (2, 1, 0);
            INSERT INTO item (id, feed_id, identity_key, title, excerpt, lede, first_seen_at, sort_at, content_hash)
                VALUES (1, 1, '1', '', '', '', 0, 0, ''), (2, 1, '2', '', '', '', 0, 0, ''), (3, 2, '3', '', '', '', 0, 0, '');
            INSERT INTO item_body (item_id, html, policy_version) SELECT id, 'x', 1 FROM item;
            INSERT INTO unread (user_id, feed_id, sort_at, item_id) SELECT 1, feed_id, sort_at, id FROM item;
            INSERT INTO mark (user_id, kind, sort_at, item_id, at) VALUES (1, 1, 0, 1, 0);
            INSERT INTO label (id, user_id, name, name_key, created_at) VALUES (1, 1, 'L', 'l', 0);
            INSERT INTO item_label (label_id, sort_at, item_id, user_id, at) VALUES (1, 0, 1, 1, 0);
            INSERT INTO notification (user_id, channel, item_id, item_was_unread, state, created_at)
                VALUES (1, 1, 2, TRUE, 1, 0);
            INSERT INTO job (kind, key, run_after) VALUES ('icon', 1, 0);
            INSERT INTO tombstone (feed_id, identity_key, removed_at) VALUES (1, '9', 0);";
        connection.execute_batch(rows).unwrap();
        let count = |table: &str| -> i64 {
            let sql = format!("SELECT COUNT(*) FROM {table}");
            connection.query_row(&sql, [], |row| row.get(0)).unwrap()
        };
        sqlite(&connection, &path).unwrap();
        assert_eq!(sqlite_version(&connection, &path).unwrap(), LATEST);
        for (table, rows) in [
            ("account", 2),
            ("feed", 2),
            ("subscription", 3),
            ("item", 3),
            ("item_body", 3),
            ("unread", 3),
            ("mark", 1),
            ("item_label", 1),
            ("notification", 1),
            ("job", 1),
            ("tombstone", 1),
        ] {
            assert_eq!(count(table), rows, "{table}");
        }
        // Triggers do for `unread` what foreign keys do elsewhere.
        let gone = "DELETE FROM item WHERE id = 1; DELETE FROM account WHERE id = 1";
        connection.execute_batch(gone).unwrap();
        assert_eq!(count("unread"), 0);
    }

    #[test]
    fn another_programs_database_is_left_alone() {
        let (_folder, path, connection) = file();
        connection.execute_batch("CREATE TABLE theirs (x)").unwrap();
        let error = sqlite(&connection, &path).unwrap_err();
        assert!(matches!(error, OpenError::Foreign(_)), "{error}");
        assert_eq!(tables(&connection), 1);
    }

    #[test]
    fn the_copy_before_a_change_is_whole_private_and_new() {
        let (folder, path, connection) = file();
        connection
            .execute_batch("CREATE TABLE kept (x); INSERT INTO kept VALUES (7)")
            .unwrap();
        let copy = folder.path().join(format!("lede.before-{LATEST}.db"));
        std::fs::write(&copy, "of an earlier change").unwrap();
        copy_before(&connection, &path).unwrap();
        let kept =
            rusqlite::Connection::open(&copy)
                .unwrap()
                .query_row("SELECT x FROM kept", [], |row| row.get::<_, i64>(0));
        assert_eq!(kept, Ok(7));
        assert_eq!(
            std::fs::read_dir(&folder).unwrap().count(),
            2,
            "nothing half-made stays"
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&copy).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
