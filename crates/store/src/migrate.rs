//! The schema, step by step.
//!
//! Forward only, and all missing steps in one transaction with the rows that record them: whatever
//! fails or is killed leaves the database as it was. A database from a newer Lede is refused. The
//! steps are SQL with a few words that the engines spell differently (see [`render`]).

use std::path::Path;

use postgres::IsolationLevel;
use rusqlite::{OptionalExtension as _, Transaction, TransactionBehavior};

use crate::engine::{OpenError, create_private, postgres_words};

/// The steps, in order; a step that has been released never changes.
const STEPS: [&str; 17] = [
    include_str!("../migrations/0001_house.sql"),
    include_str!("../migrations/0002_crawl.sql"),
    include_str!("../migrations/0003_enrich.sql"),
    include_str!("../migrations/0004_reading.sql"),
    include_str!("../migrations/0005_counters.sql"),
    include_str!("../migrations/0006_preferences.sql"),
    include_str!("../migrations/0007_rounds.sql"),
    include_str!("../migrations/0008_reading_time.sql"),
    include_str!("../migrations/0009_history.sql"),
    include_str!("../migrations/0010_access.sql"),
    include_str!("../migrations/0011_labels.sql"),
    include_str!("../migrations/0012_items.sql"),
    include_str!("../migrations/0013_awaited.sql"),
    include_str!("../migrations/0014_search.sql"),
    include_str!("../migrations/0015_shared_keys.sql"),
    include_str!("../migrations/0016_import_owner.sql"),
    include_str!("../migrations/0017_jobs.sql"),
];

/// The schema that this Lede makes and understands.
pub const LATEST: i64 = STEPS.len() as i64;

/// Any number: it only has to be the same in every Lede that shares a PostgreSQL database.
const ADVISORY_LOCK: i64 = 0x6c65_6465;

/// Until the transaction ends: a change of a large table takes longer than any other statement
/// may, and whoever waits for it too.
const NO_TIMEOUTS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0";

const VERSION_TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_step (version BIGINT PRIMARY KEY)";
const CURRENT: &str = "SELECT COALESCE(MAX(version), 0) FROM schema_step";
const RECORD: &str = "INSERT INTO schema_step (version) VALUES ($1)";

/// The words come from `model::search` and are separated by blanks, so the simplest tokenizer is the
/// right one. It keeps no copy of the text, and lets rows be replaced all the same.
const SEARCH_SQLITE: &str = "CREATE VIRTUAL TABLE item_search USING fts5(
    title, author, body, content = '', contentless_delete = 1, tokenize = 'ascii');
CREATE TRIGGER item_search_forgets AFTER DELETE ON item BEGIN
    DELETE FROM item_search WHERE rowid = old.id;
END";
const SEARCH_PATIENCE_SQLITE: &str =
    "INSERT INTO item_search (item_search, rank) VALUES ('deletemerge', 0)";
/// The same words as one vector: weight A for the title, B for the author, D for the text.
const SEARCH_POSTGRES: &str = "CREATE TABLE item_search (
    item_id BIGINT PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
    words TSVECTOR NOT NULL);
CREATE INDEX item_search_words ON item_search USING gin (words)";

/// SQLite clears a table at once only if it has no foreign keys; otherwise marking everything read goes
/// row by row. What they did is done by what they referred to. PostgreSQL gains nothing by that.
const UNREAD_SQLITE: &str = "CREATE TABLE unread_without_keys (
    user_id INTEGER NOT NULL,
    feed_id INTEGER NOT NULL,
    sort_at INTEGER NOT NULL,
    item_id INTEGER NOT NULL,
    PRIMARY KEY (user_id, feed_id, sort_at, item_id)) WITHOUT ROWID;
INSERT INTO unread_without_keys SELECT user_id, feed_id, sort_at, item_id FROM unread;
DROP TABLE unread;
ALTER TABLE unread_without_keys RENAME TO unread;
CREATE INDEX unread_user_sort ON unread (user_id, sort_at, item_id);
CREATE INDEX unread_item ON unread (item_id);
CREATE TRIGGER unread_forgets_item AFTER DELETE ON item BEGIN
    DELETE FROM unread WHERE item_id = old.id;
END;
CREATE TRIGGER unread_forgets_account AFTER DELETE ON account BEGIN
    DELETE FROM unread WHERE user_id = old.id;
END";

/// The round stands behind the person in every key that lists walk. SQLite cannot change a key, so the
/// table is made anew, with the column where `ALTER TABLE` would put it; the triggers go before it, because
/// they name it.
const UNREAD_ROUNDS_SQLITE: &str = "DROP TRIGGER unread_forgets_item;
DROP TRIGGER unread_forgets_account;
CREATE TABLE unread_in_rounds (
    user_id INTEGER NOT NULL,
    feed_id INTEGER NOT NULL,
    sort_at INTEGER NOT NULL,
    item_id INTEGER NOT NULL,
    round INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, round, feed_id, sort_at, item_id)) WITHOUT ROWID;
INSERT INTO unread_in_rounds SELECT user_id, feed_id, sort_at, item_id, 0 FROM unread;
DROP TABLE unread;
ALTER TABLE unread_in_rounds RENAME TO unread;
CREATE INDEX unread_user_sort ON unread (user_id, round, sort_at, item_id);
CREATE INDEX unread_item ON unread (item_id);
CREATE TRIGGER unread_forgets_item AFTER DELETE ON item BEGIN
    DELETE FROM unread WHERE item_id = old.id;
END;
CREATE TRIGGER unread_forgets_account AFTER DELETE ON account BEGIN
    DELETE FROM unread WHERE user_id = old.id;
END";
const UNREAD_ROUNDS_POSTGRES: &str =
    "ALTER TABLE unread ADD COLUMN round BIGINT NOT NULL DEFAULT 0;
ALTER TABLE unread DROP CONSTRAINT unread_pkey;
ALTER TABLE unread ADD PRIMARY KEY (user_id, round, feed_id, sort_at, item_id);
DROP INDEX unread_user_sort;
CREATE INDEX unread_user_sort ON unread (user_id, round, sort_at, item_id)";

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
            ("{search_table}", SEARCH_SQLITE),
            ("{unread_table}", UNREAD_SQLITE),
            ("{search_patience}", SEARCH_PATIENCE_SQLITE),
            ("{unread_rounds}", UNREAD_ROUNDS_SQLITE),
        ],
        Dialect::Postgres => [
            ("{id}", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
            ("{int}", "BIGINT"),
            ("{bytes}", "BYTEA"),
            ("{clustered}", ""),
            ("{search_table}", SEARCH_POSTGRES),
            ("{unread_table}", ""),
            ("{search_patience}", ""),
            ("{unread_rounds}", UNREAD_ROUNDS_POSTGRES),
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

/// The steps after `current`, with their numbers.
fn pending<'s>(steps: &[&'s str], current: i64) -> impl Iterator<Item = (i64, &'s str)> {
    (1..)
        .zip(steps.iter().copied())
        .filter(move |(version, _)| *version > current)
}

/// The schema of a SQLite file, 0 for an empty one. Refuses a newer one, and a file that holds
/// tables but none of ours: a mistyped path must not fill another program's database.
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

/// The schema of a PostgreSQL database, 0 where there is none yet; refuses a newer one.
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

/// Brings a SQLite file to [`LATEST`].
pub(crate) fn sqlite(connection: &rusqlite::Connection, path: &Path) -> Result<(), OpenError> {
    match sqlite_version(connection, path)? {
        LATEST => return Ok(()),
        0 => {}
        _ => copy_before(connection, path)?,
    }
    sqlite_steps(connection, path, &STEPS)
}

/// Brings a copy that nobody else has to [`LATEST`]; it needs no copy of its own.
pub(crate) fn sqlite_copy(connection: &rusqlite::Connection, path: &Path) -> Result<(), OpenError> {
    sqlite_steps(connection, path, &STEPS)
}

/// Makes an empty file one of schema `version`, for what is copied from a store that has it.
pub(crate) fn sqlite_to(
    connection: &rusqlite::Connection,
    path: &Path,
    version: i64,
) -> Result<(), OpenError> {
    let steps = usize::try_from(version).unwrap_or(0).min(STEPS.len());
    sqlite_steps(connection, path, &STEPS[..steps])
}

/// Copies the file beside itself before steps change one that has data. The copy has its name
/// only once it is whole, and replaces one that an older change left behind.
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
    // Asked again: a second process may have been faster while this one waited for the lock.
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

/// Brings a PostgreSQL database to [`LATEST`], one process at a time.
pub(crate) fn postgres(client: &mut postgres::Client) -> Result<(), OpenError> {
    let failed = |version| {
        move |error: postgres::Error| OpenError::Migration {
            version,
            reason: postgres_words(&error),
        }
    };
    // Read committed, whatever the server's default: after the wait for the lock we must see
    // what its holder did.
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
    fn what_was_there_before_it_was_counted_is_counted() {
        let (_folder, path, connection) = file();
        sqlite_steps(&connection, &path, &STEPS[..4]).unwrap();
        let before = "INSERT INTO account (id, email, role, tokens_valid_from, created_at)
                VALUES (1, 'ada', 'member', 0, 0), (2, 'eve', 'member', 0, 0);
            INSERT INTO feed (id, url, title, root_domain, status, created_at)
                VALUES (1, 'a', '', '', 'active', 0), (2, 'b', '', '', 'active', 0);
            INSERT INTO subscription (user_id, feed_id, created_at) VALUES (1, 1, 0), (1, 2, 0), (2, 1, 0);
            INSERT INTO item (id, feed_id, identity_key, title, excerpt, lede, first_seen_at, sort_at, content_hash)
                VALUES (1, 1, '1', '', '', '', 0, 0, ''), (2, 1, '2', '', '', '', 0, 0, ''), (3, 2, '3', '', '', '', 0, 0, '');
            INSERT INTO unread SELECT 1, feed_id, sort_at, id FROM item;";
        connection.execute_batch(before).unwrap();
        sqlite(&connection, &path).unwrap();
        let numbers = |sql: &str| -> Vec<i64> {
            let mut statement = connection.prepare(sql).unwrap();
            let rows = statement.query_map([], |row| row.get(0)).unwrap();
            rows.map(Result::unwrap).collect()
        };
        let counted = "SELECT unread FROM subscription ORDER BY user_id, feed_id";
        assert_eq!(numbers(counted), [2, 1, 0]);
        assert_eq!(numbers("SELECT items FROM feed ORDER BY id"), [2, 1]);
        // What the table's foreign keys did is still done.
        let gone = "DELETE FROM item WHERE id = 1; DELETE FROM account WHERE id = 2";
        connection.execute_batch(gone).unwrap();
        assert_eq!(
            numbers("SELECT item_id FROM unread ORDER BY item_id"),
            [2, 3]
        );
    }

    #[test]
    fn what_rules_had_marked_read_is_not_what_somebody_read() {
        let (_folder, path, connection) = file();
        sqlite_steps(&connection, &path, &STEPS[..8]).unwrap();
        let before = "INSERT INTO account (id, email, role, tokens_valid_from, created_at)
                VALUES (1, 'ada', 'member', 0, 0);
            INSERT INTO feed (id, url, title, root_domain, status, created_at) VALUES (1, 'a', '', '', 'active', 0);
            INSERT INTO item (id, feed_id, identity_key, title, excerpt, lede, first_seen_at, sort_at, content_hash)
                VALUES (1, 1, '1', '', '', '', 5, 5, ''), (2, 1, '2', '', '', '', 5, 5, '');
            INSERT INTO mark (user_id, kind, sort_at, item_id, at) VALUES (1, 2, 5, 1, 5), (1, 1, 5, 1, 5), (1, 2, 5, 2, 6);";
        connection.execute_batch(before).unwrap();
        sqlite(&connection, &path).unwrap();
        let left = "SELECT group_concat(item_id || ' is ' || kind, ', ') FROM mark";
        let left: String = connection.query_row(left, [], |row| row.get(0)).unwrap();
        assert_eq!(left, "1 is 1, 2 is 2");
    }

    #[test]
    fn items_that_have_an_article_are_put_into_the_index_anew() {
        let (_folder, path, connection) = file();
        sqlite_steps(&connection, &path, &STEPS[..12]).unwrap();
        let before = "INSERT INTO feed (id, url, title, root_domain, status, created_at) VALUES (1, 'a', '', '', 'active', 0);
            INSERT INTO item (id, feed_id, identity_key, title, excerpt, lede, first_seen_at, sort_at, content_hash)
                VALUES (1, 1, '1', '', '', '', 5, 5, ''), (2, 1, '2', '', '', '', 5, 5, '');
            INSERT INTO item_body (item_id, html, full_html, policy_version) VALUES (1, 'x', NULL, 1), (2, 'x', 'y', 1);";
        connection.execute_batch(before).unwrap();
        sqlite(&connection, &path).unwrap();
        let waiting = "SELECT group_concat(item_id) FROM search_queue";
        let waiting: String = connection.query_row(waiting, [], |row| row.get(0)).unwrap();
        assert_eq!(waiting, "2");
    }

    #[test]
    fn feeds_whose_items_share_an_id_are_flagged() {
        let (_folder, path, connection) = file();
        sqlite_steps(&connection, &path, &STEPS[..14]).unwrap();
        let before = "INSERT INTO feed (id, url, title, root_domain, status, created_at)
                VALUES (1, 'a', '', '', 'active', 0), (2, 'b', '', '', 'active', 0), (3, 'c', '', '', 'active', 0);
            INSERT INTO item (id, feed_id, identity_key, title, excerpt, lede, first_seen_at, sort_at, content_hash)
                VALUES (1, 1, 'g:1', '', '', '', 5, 5, ''),
                       (2, 2, 'g:1' || char(10) || 'a.org/x', '', '', '', 5, 5, '');
            INSERT INTO tombstone (feed_id, identity_key, removed_at) VALUES (3, 'g:1' || char(10) || 'a.org/y', 5);";
        connection.execute_batch(before).unwrap();
        sqlite(&connection, &path).unwrap();
        let flagged = "SELECT group_concat(id) FROM feed WHERE shares_keys";
        let flagged: String = connection.query_row(flagged, [], |row| row.get(0)).unwrap();
        assert_eq!(flagged, "2,3");
    }

    #[test]
    fn jobs_of_before_keep_their_time_and_those_that_no_worker_took_go() {
        let (_folder, path, connection) = file();
        sqlite_steps(&connection, &path, &STEPS[..16]).unwrap();
        let before =
            "INSERT INTO job (queue, key, run_at) VALUES ('icon', 7, 5), ('summary', 8, 6)";
        connection.execute_batch(before).unwrap();
        sqlite(&connection, &path).unwrap();
        let left = "SELECT group_concat(kind || key || ' at ' || run_after || ', made ' || created_at) FROM job";
        let left: String = connection.query_row(left, [], |row| row.get(0)).unwrap();
        assert_eq!(left, "icon7 at 5, made 5");
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
