//! What an engine does to its own files: how large they are, and making them smaller.

use crate::engine::{Engine, LOG_WAITING};
use crate::{Db, Store, StoreResult};

/// How much room the database takes, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// On the disk.
    pub total: i64,
    /// Without the pages that wait to be used again. PostgreSQL does not tell them apart.
    pub used: i64,
}

fn size_sql(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => {
            "SELECT page_count * page_size, (page_count - freelist_count) * page_size
             FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
        }
        // Ours alone: other programs may have schemas of their own beside it.
        Engine::Postgres => {
            "SELECT size, size FROM (
                 SELECT CAST(COALESCE(SUM(pg_total_relation_size(c.oid)), 0) AS BIGINT) AS size
                 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname = current_schema() AND c.relkind = 'r') tables"
        }
    }
}

/// SQLite writes a copy of everything: into a file, because the copy would not fit into memory.
/// PostgreSQL makes room for new rows where removed ones were, in the tables that have many of both.
fn vacuum_sql(engine: Engine) -> &'static [&'static str] {
    match engine {
        Engine::Sqlite => &["PRAGMA temp_store = FILE", "VACUUM"],
        Engine::Postgres => &[
            "VACUUM (ANALYZE) item, item_body, item_search, unread, mark, item_label, tombstone, job, search_queue, subscription",
        ],
    }
}

/// What a vacuum changed about the connection goes back, and the log is written into the file, which
/// then shrinks.
fn after_vacuum_sql(engine: Engine) -> &'static [&'static str] {
    match engine {
        Engine::Sqlite => &[
            "PRAGMA temp_store = MEMORY",
            "PRAGMA wal_checkpoint(TRUNCATE)",
        ],
        Engine::Postgres => &[],
    }
}

fn optimise_sql(engine: Engine) -> &'static [&'static str] {
    match engine {
        Engine::Sqlite => &["PRAGMA optimize"],
        Engine::Postgres => &[],
    }
}

/// How long SQLite's log is, and how much of it is in the file already; nothing is copied.
const LOG: &str = "PRAGMA wal_checkpoint(NOOP)";

/// The statements that are made for an engine, for the test of all statements.
pub(crate) fn engine_statements(engine: Engine) -> impl Iterator<Item = (&'static str, String)> {
    let upkeep = [
        vacuum_sql(engine),
        after_vacuum_sql(engine),
        optimise_sql(engine),
    ];
    let upkeep = upkeep.into_iter().flatten().map(|sql| ("upkeep", *sql));
    let log = (engine == Engine::Sqlite).then_some(("log", LOG));
    let all = std::iter::once(("size", size_sql(engine)))
        .chain(log)
        .chain(upkeep);
    all.map(|(name, sql)| (name, sql.to_owned()))
}

/// How large the database is.
pub fn size(db: &mut Db<'_>) -> StoreResult<Size> {
    let sql = size_sql(db.engine());
    let found = db.query_rows(sql, &[], |row| {
        Ok(Size {
            total: row.get(0)?,
            used: row.get(1)?,
        })
    })?;
    found.first().copied().ok_or(crate::StoreError::Missing)
}

/// Whether so much was written that the disk has yet to catch up. Who writes much that nobody waits for
/// waits then, so that others need not. PostgreSQL looks after itself.
pub fn is_behind(db: &mut Db<'_>) -> StoreResult<bool> {
    if db.engine() == Engine::Postgres {
        return Ok(false);
    }
    let left = db.query_rows(LOG, &[], |row| Ok(row.get::<i64>(1)? - row.get::<i64>(2)?))?;
    Ok(left.first().is_some_and(|left| *left >= LOG_WAITING))
}

/// Gives back the room of what was removed. On SQLite that takes a second for every hundred
/// megabytes or so, in which nothing is written and everything can be read, and room for two copies
/// of what is used: the temporary one, and the log that replaces the file's pages.
pub async fn vacuum(store: &Store) -> StoreResult<()> {
    let work = |db: &mut Db<'_>| {
        let vacuumed = run(db, vacuum_sql(db.engine()));
        let restored = run(db, after_vacuum_sql(db.engine()));
        vacuumed.and(restored)
    };
    store.upkeep(work).await
}

/// Lets SQLite look whether its statistics still tell the truth; PostgreSQL does so by itself.
pub async fn optimise(store: &Store) -> StoreResult<()> {
    store.upkeep(|db| run(db, optimise_sql(db.engine()))).await
}

fn run(db: &mut Db<'_>, statements: &[&'static str]) -> StoreResult<()> {
    statements
        .iter()
        .try_for_each(|statement| db.run(statement))
}
