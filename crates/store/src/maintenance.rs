//! Maintenance of the database files: their size, and reclaiming space.

use crate::engine::{Engine, LOG_WAITING};
use crate::{Db, Store, StoreResult};

/// Size of the database in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Size on disk.
    pub total: i64,
    /// Without free pages. The same as `total` on PostgreSQL, which does not report them.
    pub used: i64,
}

fn size_sql(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => {
            "SELECT page_count * page_size, (page_count - freelist_count) * page_size
             FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
        }
        // Only the current schema: other programs may have theirs in the same database.
        Engine::Postgres => {
            "SELECT size, size FROM (
                 SELECT CAST(COALESCE(SUM(pg_total_relation_size(c.oid)), 0) AS BIGINT) AS size
                 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname = current_schema() AND c.relkind = 'r') tables"
        }
    }
}

/// SQLite writes a complete copy: into a file, because it would not fit into memory. PostgreSQL
/// frees the space of removed rows for reuse, in the tables where many rows come and go.
fn vacuum_sql(engine: Engine) -> &'static [&'static str] {
    match engine {
        Engine::Sqlite => &["PRAGMA temp_store = FILE", "VACUUM"],
        Engine::Postgres => &[
            "VACUUM (ANALYZE) item, item_body, item_search, unread, mark, item_label, tombstone, job, search_queue, subscription",
        ],
    }
}

/// Restores the connection's settings and checkpoints the WAL, which shrinks the file.
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

/// Returns the length of SQLite's WAL and how much of it is checkpointed; does not checkpoint.
const LOG: &str = "PRAGMA wal_checkpoint(NOOP)";

/// Statements whose text depends on the engine, for the test of all statements.
pub(crate) fn engine_statements(engine: Engine) -> impl Iterator<Item = (&'static str, String)> {
    let maintenance = [
        vacuum_sql(engine),
        after_vacuum_sql(engine),
        optimise_sql(engine),
    ];
    let maintenance = maintenance
        .into_iter()
        .flatten()
        .map(|sql| ("maintenance", *sql));
    let log = (engine == Engine::Sqlite).then_some(("log", LOG));
    let all = std::iter::once(("size", size_sql(engine)))
        .chain(log)
        .chain(maintenance);
    all.map(|(name, sql)| (name, sql.to_owned()))
}

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

/// Returns `true` if many written pages wait to be checkpointed. Background work that writes much
/// should then pause, so that other writes need not wait. Always `false` on PostgreSQL.
pub fn is_behind(db: &mut Db<'_>) -> StoreResult<bool> {
    if db.engine() == Engine::Postgres {
        return Ok(false);
    }
    let left = db.query_rows(LOG, &[], |row| Ok(row.get::<i64>(1)? - row.get::<i64>(2)?))?;
    Ok(left.first().is_some_and(|left| *left >= LOG_WAITING))
}

/// Reclaims the space of removed rows. On SQLite this takes about a second per hundred megabytes,
/// during which reads work and writes wait. It needs disk space for two copies of the data: the
/// temporary file, and the WAL with the pages that replace those of the file.
pub async fn vacuum(store: &Store) -> StoreResult<()> {
    let work = |db: &mut Db<'_>| {
        let vacuumed = run(db, vacuum_sql(db.engine()));
        let restored = run(db, after_vacuum_sql(db.engine()));
        vacuumed.and(restored)
    };
    store.maintenance(work).await
}

/// Lets SQLite update outdated statistics. No-op on PostgreSQL, which does this by itself.
pub async fn optimise(store: &Store) -> StoreResult<()> {
    store
        .maintenance(|db| run(db, optimise_sql(db.engine())))
        .await
}

fn run(db: &mut Db<'_>, statements: &[&'static str]) -> StoreResult<()> {
    statements
        .iter()
        .try_for_each(|statement| db.run(statement))
}
