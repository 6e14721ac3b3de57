//! Work that waits until it is done, whatever is restarted meanwhile.
//!
//! A job is a row: which queue, and which row it is about. A worker claims due ones in one
//! statement and renews what it still works on; a crashed one's lease expires (and is released at the next
//! start on SQLite). Each claim raises the token, and only its holder ends the job. Doing one twice must be
//! harmless.

use lede_model::ids::ItemId;
use lede_model::time::Timestamp;

use crate::batch::{groups, list};
use crate::engine::{Engine, Value};
use crate::{Db, StoreResult, params, statements};

/// Rows in one statement.
const BATCH: usize = 50;

/// The queues, with what their keys are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    /// Articles to fetch from their pages; items.
    Article,
    /// Icons to look for; feeds.
    Icon,
    /// Subscription lists to take in; imports.
    Import,
    /// What nobody may see any more; feeds.
    Removal,
    /// Summaries to make anew; items. Nobody takes them yet.
    Summary,
}

impl Queue {
    /// Every queue.
    pub const ALL: [Self; 5] = [
        Self::Article,
        Self::Icon,
        Self::Import,
        Self::Removal,
        Self::Summary,
    ];

    /// The name in rows and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Article => "article",
            Self::Icon => "icon",
            Self::Import => "import",
            Self::Removal => "removal",
            Self::Summary => "summary",
        }
    }

    /// The queues that a worker takes jobs from: in the others they may wait as long as they like.
    pub const WORKED_OFF: [Self; 4] = [Self::Article, Self::Icon, Self::Import, Self::Removal];
}

/// A job that is ours for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    id: i64,
    token: i64,
    /// The row that it is about.
    pub key: i64,
}

statements! {
    ADD = "INSERT INTO job (queue, key, run_at) VALUES ($1, $2, $3) ON CONFLICT (queue, key) DO NOTHING";
    FINISH = "DELETE FROM job WHERE id = $1 AND lease_token = $2";
    REMOVE = "DELETE FROM job WHERE queue = $1 AND key = $2";
    DUE = "SELECT COUNT(*) FROM job WHERE run_at <= $1";
    /// None is held that has not run out, and one waits since $2.
    IS_STUCK = "SELECT EXISTS (SELECT 1 FROM job WHERE queue = $1 AND run_at < $2 AND lease_until < $2)
                   AND NOT EXISTS (SELECT 1 FROM job WHERE queue = $1 AND run_at <= $3 AND lease_until > $3)";
    RENEW = "UPDATE job SET lease_until = $1 WHERE id = $2 AND lease_token = $3 AND lease_until > 0";
    RELEASE_ALL = "UPDATE job SET lease_until = 0 WHERE lease_until > 0";
    AGAIN = "UPDATE job SET run_at = $1, lease_until = 0 WHERE id = $2 AND lease_token = $3";
}

/// Only PostgreSQL has several writers, which must step over each other's rows.
fn claim_sql(engine: Engine) -> String {
    let lock = match engine {
        Engine::Sqlite => "",
        Engine::Postgres => "FOR UPDATE SKIP LOCKED",
    };
    format!(
        "UPDATE job SET lease_until = $1, lease_token = lease_token + 1
         WHERE id IN (
             SELECT id FROM job WHERE queue = $2 AND run_at <= $3 AND lease_until <= $3
             ORDER BY run_at, id LIMIT $4 {lock})
         RETURNING id, lease_token, key"
    )
}

fn add_articles_sql(items: usize) -> String {
    format!(
        "INSERT INTO job (queue, key, run_at)
         SELECT $1, i.id, CAST($2 AS BIGINT) FROM item i JOIN item_body b ON b.item_id = i.id
         WHERE i.id IN ({}) AND COALESCE(b.full_text_tried_at, 0) <= ${}
             AND EXISTS (SELECT 1 FROM subscription s WHERE s.feed_id = i.feed_id AND s.full_text
                             AND s.paused_at IS NULL)
         ON CONFLICT (queue, key) DO NOTHING",
        list(3, items),
        3 + items
    )
}

/// The statements that are made for an engine or a number of rows, for the test of all statements.
pub(crate) fn engine_statements(engine: Engine) -> [(&'static str, String); 3] {
    [
        ("add_jobs", add_all_sql(2)),
        ("claim_jobs", claim_sql(engine)),
        ("add_articles", add_articles_sql(2)),
    ]
}

/// Puts a job about `key` into `queue`, unless one waits there.
pub fn add(
    db: &mut Db<'_>,
    queue: Queue,
    key: impl Into<i64>,
    run_at: Timestamp,
) -> StoreResult<()> {
    db.execute(ADD, params![queue.as_str(), key.into(), run_at])
        .map(drop)
}

/// Puts a job about each of `keys` into `queue`, unless one waits there.
pub(crate) fn add_all<K: Copy + Into<Value<'static>>>(
    db: &mut Db<'_>,
    queue: Queue,
    keys: &[K],
    run_at: Timestamp,
) -> StoreResult<()> {
    for batch in keys.chunks(BATCH) {
        let mut values: Vec<Value<'_>> = Vec::with_capacity(batch.len() * 3);
        for key in batch {
            values.extend_from_slice(&[queue.as_str().into(), (*key).into(), run_at.into()]);
        }
        db.execute_rows(&add_all_sql(batch.len()), &values)?;
    }
    Ok(())
}

fn add_all_sql(jobs: usize) -> String {
    format!(
        "INSERT INTO job (queue, key, run_at) VALUES {} ON CONFLICT (queue, key) DO NOTHING",
        groups(jobs, 3)
    )
}

/// Takes a job out of its queue, whoever has it: what it is about is done.
pub(crate) fn remove(db: &mut Db<'_>, queue: Queue, key: i64) -> StoreResult<()> {
    db.execute(REMOVE, params![queue.as_str(), key]).map(drop)
}

/// Puts articles into their queue, of those of `items` that somebody wants in full and that were
/// not tried since `tried_before`.
pub(crate) fn add_articles(
    db: &mut Db<'_>,
    items: &[ItemId],
    run_at: Timestamp,
    tried_before: Timestamp,
) -> StoreResult<()> {
    if items.is_empty() {
        return Ok(());
    }
    let mut values: Vec<Value<'_>> = vec![Queue::Article.as_str().into(), run_at.into()];
    values.extend(items.iter().map(|item| Value::from(*item)));
    values.push(tried_before.into());
    db.execute_rows(&add_articles_sql(items.len()), &values)
}

/// Puts items into the queue for summaries.
pub fn add_summaries(db: &mut Db<'_>, items: &[ItemId], run_at: Timestamp) -> StoreResult<()> {
    // As many as say the same: seldom more than one.
    for item in items {
        add(db, Queue::Summary, item.as_i64(), run_at)?;
    }
    Ok(())
}

/// How many jobs are due, in all queues, those that somebody works on included.
pub fn due(db: &mut Db<'_>, now: Timestamp) -> StoreResult<i64> {
    db.one(DUE, params![now], |row| row.get(0))
}

/// Whether a job of `queue` waits since `since`, or was begun before and never ended, while nobody
/// works on any other.
pub fn is_stuck(
    db: &mut Db<'_>,
    queue: Queue,
    since: Timestamp,
    now: Timestamp,
) -> StoreResult<bool> {
    db.one(IS_STUCK, params![queue.as_str(), since, now], |row| {
        row.get(0)
    })
}

/// Claims up to `limit` jobs of `queue` that are due, the longest waiting first.
pub fn claim(
    db: &mut Db<'_>,
    queue: Queue,
    now: Timestamp,
    until: Timestamp,
    limit: i64,
) -> StoreResult<Vec<Job>> {
    let sql = claim_sql(db.engine());
    db.query_rows(&sql, params![until, queue.as_str(), now, limit], |row| {
        Ok(Job {
            id: row.get(0)?,
            token: row.get(1)?,
            key: row.get(2)?,
        })
    })
}

/// Extends the lease of a job to `until`. Returns `false` when it is no longer ours.
pub fn renew(db: &mut Db<'_>, job: Job, until: Timestamp) -> StoreResult<bool> {
    Ok(db.execute(RENEW, params![until, job.id, job.token])? > 0)
}

/// Releases the leases of all jobs and returns how many there were. Only for a store that no other
/// process uses.
pub fn release_all(db: &mut Db<'_>) -> StoreResult<u64> {
    db.execute(RELEASE_ALL, params![])
}

/// Ends a job; `false` when it is no longer ours.
pub fn finish(db: &mut Db<'_>, job: Job) -> StoreResult<bool> {
    Ok(db.execute(FINISH, params![job.id, job.token])? > 0)
}

/// Gives a job back, to be done at `run_at`; `false` when it is no longer ours.
pub fn again(db: &mut Db<'_>, job: Job, run_at: Timestamp) -> StoreResult<bool> {
    Ok(db.execute(AGAIN, params![run_at, job.id, job.token])? > 0)
}
