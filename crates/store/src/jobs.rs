//! The job queue: durable work, enqueued in the transaction that creates it.
//!
//! There is one job per kind and subject. The key is the id of the subject's row, so that a
//! statement can enqueue jobs for the rows it has just written. A worker claims due jobs in one
//! statement and renews the leases of those it still works on; the lease of a crashed worker
//! expires (and is released at the next start on SQLite). Each claim increments the token and
//! counts an attempt, and only the holder of the token can settle the job. A job may run twice, so
//! its handler must be idempotent.
//!
//! Handlers, the number of attempts and their delays are defined in `core::jobs`.

pub(crate) mod admin;

use lede_model::ids::ItemId;
use lede_model::job::{JobError, JobKind, Priority};
use lede_model::time::Timestamp;

pub use self::admin::{
    FailedJob, KindStatus, drop_failed, due, failed, is_stuck, retry_failed, status,
};
use crate::batch::{groups, list};
use crate::engine::{Engine, Value};
use crate::signals::Signal;
use crate::{Db, StoreResult, params, statements};

/// Rows per statement.
const BATCH: usize = 50;

/// A job to enqueue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewJob<'a> {
    pub kind: JobKind,
    /// Id of the subject's row.
    pub key: i64,
    /// JSON for the handler, if the key is not enough.
    pub payload: Option<&'a str>,
    pub priority: Priority,
    /// Earliest time to run the job.
    pub run_after: Timestamp,
}

impl NewJob<'_> {
    /// Creates a job of normal priority without a payload.
    pub const fn new(kind: JobKind, key: i64, run_after: Timestamp) -> Self {
        Self {
            kind,
            key,
            payload: None,
            priority: Priority::Normal,
            run_after,
        }
    }
}

/// A claimed job, with the token that its worker needs to settle it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    id: i64,
    token: i64,
    pub kind: JobKind,
    /// Id of the subject's row.
    pub key: i64,
    /// JSON for the handler, as enqueued.
    pub payload: Option<String>,
    /// Number of this attempt, from 1.
    pub attempts: u32,
    /// Code of the previous attempt's error, if it failed.
    pub last_error: Option<String>,
}

impl Job {
    /// Returns `true` if an earlier attempt may have done part of the work.
    pub fn is_repeated(&self) -> bool {
        self.attempts > 1 || self.last_error.is_some()
    }
}

/// Result of a claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claimed {
    /// Claimed jobs, most urgent first.
    pub jobs: Vec<Job>,
    /// Time at which the next job becomes due. Set only if fewer jobs were found than requested.
    pub next_at: Option<Timestamp>,
}

/// End of an attempt, as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// The work is done, and the job is deleted.
    Finish,
    /// The work is done and is due again at this time.
    RunAgain(Timestamp),
    /// The attempt failed; the next one is at this time.
    Retry(Timestamp, JobError),
    /// The attempt does not count; the next one is at this time.
    Postpone(Timestamp, JobError),
    /// The attempt does not count, and the job is due as before.
    Release,
    /// The job failed permanently and stays visible to administrators.
    Fail(JobError),
}

/// Merges a job with the existing one of the same key. The higher priority wins, and if it rises,
/// the earlier of the two times applies. At the same priority the job keeps its time, so that a
/// failing one is not retried early. A new payload replaces the old one. A failed job starts over.
/// A leased job is marked as requeued, because its worker may have read older data. Otherwise the
/// row is not written.
macro_rules! on_conflict {
    () => {
        " ON CONFLICT (kind, key) DO UPDATE SET
              payload = COALESCE(excluded.payload, job.payload),
              run_after = CASE WHEN job.failed_at IS NOT NULL
                                   OR (excluded.priority > job.priority AND excluded.run_after < job.run_after)
                               THEN excluded.run_after ELSE job.run_after END,
              priority = CASE WHEN excluded.priority > job.priority
                              THEN excluded.priority ELSE job.priority END,
              attempts = CASE WHEN job.failed_at IS NULL THEN job.attempts ELSE 0 END,
              last_error = CASE WHEN job.failed_at IS NULL THEN job.last_error END,
              failed_at = NULL,
              requeued = (job.lease_until > 0)
          WHERE excluded.priority > job.priority OR job.failed_at IS NOT NULL
              OR (job.lease_until > 0 AND NOT job.requeued)
              OR (excluded.payload IS NOT NULL AND excluded.payload IS DISTINCT FROM job.payload)"
    };
}

/// Updates a job only for the worker that holds its lease.
macro_rules! held {
    ($set:literal, $id:literal, $token:literal) => {
        concat!(
            "UPDATE job SET lease_until = 0, requeued = FALSE, ",
            $set,
            " WHERE id = ",
            $id,
            " AND lease_token = ",
            $token,
            " AND lease_until > 0"
        )
    };
}

/// The number of a [`Priority`] in rows, as a literal.
macro_rules! priority {
    (low) => {
        "0"
    };
    (normal) => {
        "1"
    };
    (high) => {
        "2"
    };
}

/// The next time after `$2` at which a job of the kind `$1` with this priority may run.
macro_rules! next_at {
    ($priority:ident) => {
        concat!(
            "(SELECT run_after FROM job WHERE kind = $1 AND priority = ",
            priority!($priority),
            " AND failed_at IS NULL AND run_after > $2 ORDER BY run_after LIMIT 1)"
        )
    };
}

statements! {
    ENQUEUE = concat!(
        "INSERT INTO job (kind, key, payload, priority, run_after, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        on_conflict!()
    );
    REMOVE = "DELETE FROM job WHERE kind = $1 AND key = $2";
    /// One column per priority, each read from the first entry of its part of the index.
    NEXT = concat!(
        "SELECT ", next_at!(low), ", ", next_at!(normal), ", ", next_at!(high)
    );
    RENEW = "UPDATE job SET lease_until = $1 WHERE id = $2 AND lease_token = $3 AND lease_until > 0";
    RELEASE_ALL = "UPDATE job SET lease_until = 0 WHERE lease_until > 0";
    FINISH = "DELETE FROM job WHERE id = $1 AND lease_token = $2 AND lease_until > 0 AND NOT requeued";
    FAIL = "UPDATE job SET lease_until = 0, failed_at = $1, last_error = $2
            WHERE id = $3 AND lease_token = $4 AND lease_until > 0 AND NOT requeued";
    /// For a job that FINISH or FAIL skipped because it was enqueued again in the meantime.
    START_OVER = held!("attempts = 0, last_error = NULL, run_after = $1", "$2", "$3");
    RUN_AGAIN = held!(
        "attempts = 0, last_error = NULL, run_after = CASE WHEN requeued THEN CAST($1 AS BIGINT) ELSE $2 END",
        "$3", "$4"
    );
    RETRY = held!("run_after = $1, last_error = $2", "$3", "$4");
    POSTPONE = held!("attempts = attempts - 1, run_after = $1, last_error = $2", "$3", "$4");
    RELEASE = held!("attempts = attempts - 1", "$1", "$2");
}

/// Claims at one priority level, so that the index yields the jobs in order and the scan ends at
/// the first that is not due. Only PostgreSQL has several writers, which must skip each other's
/// rows.
fn claim_sql(engine: Engine) -> String {
    let lock = match engine {
        Engine::Sqlite => "",
        Engine::Postgres => "FOR UPDATE SKIP LOCKED",
    };
    format!(
        "UPDATE job SET lease_until = $1, lease_token = lease_token + 1, attempts = attempts + 1
         WHERE id IN (
             SELECT id FROM job
             WHERE kind = $2 AND priority = $3 AND failed_at IS NULL AND run_after <= $4 AND lease_until <= $4
             ORDER BY run_after, id LIMIT $5 {lock})
         RETURNING id, lease_token, key, payload, attempts, last_error, run_after"
    )
}

const COLUMNS: usize = 5;

fn enqueue_all_sql(jobs: usize) -> String {
    format!(
        "INSERT INTO job (kind, key, priority, run_after, created_at) VALUES {}{}",
        groups(jobs, COLUMNS),
        on_conflict!()
    )
}

fn enqueue_articles_sql(items: usize) -> String {
    format!(
        "INSERT INTO job (kind, key, priority, run_after, created_at)
         SELECT $1, i.id, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($3 AS BIGINT)
         FROM item i JOIN item_body b ON b.item_id = i.id
         WHERE i.id IN ({}) AND COALESCE(b.full_text_tried_at, 0) <= ${}
             AND EXISTS (SELECT 1 FROM subscription s WHERE s.feed_id = i.feed_id AND s.full_text
                             AND s.paused_at IS NULL){}",
        list(4, items),
        4 + items,
        on_conflict!()
    )
}

/// Statements whose text depends on the engine or the number of rows, for the test of all
/// statements.
pub(crate) fn engine_statements(engine: Engine) -> [(&'static str, String); 3] {
    [
        ("enqueue_jobs", enqueue_all_sql(2)),
        ("claim_jobs", claim_sql(engine)),
        ("enqueue_articles", enqueue_articles_sql(2)),
    ]
}

/// Enqueues a job, or updates the pending one with the same key.
pub fn enqueue(db: &mut Db<'_>, job: &NewJob<'_>, now: Timestamp) -> StoreResult<()> {
    let values = params![
        job.kind.as_str(),
        job.key,
        job.payload,
        job.priority.as_i64(),
        job.run_after,
        now,
    ];
    let changed = db.execute(ENQUEUE, values)?;
    signal(db, job.kind, changed);
    Ok(())
}

/// Enqueues a job for each of `keys`.
pub(crate) fn enqueue_all(
    db: &mut Db<'_>,
    kind: JobKind,
    keys: impl IntoIterator<Item = i64>,
    priority: Priority,
    run_after: Timestamp,
    now: Timestamp,
) -> StoreResult<()> {
    // A statement must not contain a row twice, and writers that lock rows in the same order do not
    // deadlock.
    let mut keys: Vec<i64> = keys.into_iter().collect();
    keys.sort_unstable();
    keys.dedup();
    for batch in keys.chunks(BATCH) {
        let mut values: Vec<Value<'_>> = Vec::with_capacity(batch.len() * COLUMNS);
        for key in batch {
            values.extend_from_slice(params![
                kind.as_str(),
                *key,
                priority.as_i64(),
                run_after,
                now,
            ]);
        }
        let changed = db.change_rows(&enqueue_all_sql(batch.len()), &values)?;
        signal(db, kind, changed);
    }
    Ok(())
}

/// Enqueues article jobs for those of `items` that a subscriber wants in full and that were not
/// tried since `tried_before`.
pub(crate) fn enqueue_articles(
    db: &mut Db<'_>,
    items: &[ItemId],
    now: Timestamp,
    tried_before: Timestamp,
) -> StoreResult<()> {
    if items.is_empty() {
        return Ok(());
    }
    let kind = JobKind::Article;
    let mut values = params![kind.as_str(), Priority::Normal.as_i64(), now].to_vec();
    values.extend(items.iter().map(|item| Value::from(*item)));
    values.push(tried_before.into());
    let changed = db.change_rows(&enqueue_articles_sql(items.len()), &values)?;
    signal(db, kind, changed);
    Ok(())
}

fn signal(db: &mut Db<'_>, kind: JobKind, changed: u64) {
    if changed > 0 {
        db.signal(Signal::Jobs(kind));
    }
}

/// Deletes a job, leased or not, whose work was done elsewhere.
pub(crate) fn remove(db: &mut Db<'_>, kind: JobKind, key: i64) -> StoreResult<()> {
    db.execute(REMOVE, params![kind.as_str(), key]).map(drop)
}

/// Claims up to `limit` due jobs of `kind`, by priority and then by waiting time.
pub fn claim(
    db: &mut Db<'_>,
    kind: JobKind,
    now: Timestamp,
    until: Timestamp,
    limit: usize,
) -> StoreResult<Claimed> {
    let sql = claim_sql(db.engine());
    let mut claimed = Claimed::default();
    for priority in Priority::DESCENDING {
        let left = limit.saturating_sub(claimed.jobs.len());
        if left == 0 {
            return Ok(claimed);
        }
        let left = i64::try_from(left).unwrap_or(i64::MAX);
        let values = params![until, kind.as_str(), priority.as_i64(), now, left];
        let mut found: Vec<(Timestamp, Job)> = db.query_rows(&sql, values, |row| {
            let job = Job {
                id: row.get(0)?,
                token: row.get(1)?,
                kind,
                key: row.get(2)?,
                payload: row.get(3)?,
                attempts: u32::try_from(row.get::<i64>(4)?).unwrap_or(u32::MAX),
                last_error: row.get(5)?,
            };
            Ok((row.get(6)?, job))
        })?;
        // An UPDATE returns its rows in no defined order.
        found.sort_by_key(|(run_after, job)| (*run_after, job.id));
        claimed.jobs.extend(found.into_iter().map(|(_, job)| job));
    }
    if claimed.jobs.len() < limit {
        claimed.next_at = next_at(db, kind, now)?;
    }
    Ok(claimed)
}

fn next_at(db: &mut Db<'_>, kind: JobKind, now: Timestamp) -> StoreResult<Option<Timestamp>> {
    let levels: [Option<Timestamp>; 3] = db.one(NEXT, params![kind.as_str(), now], |row| {
        Ok([row.get(0)?, row.get(1)?, row.get(2)?])
    })?;
    Ok(levels.into_iter().flatten().min())
}

/// Extends the lease of a job to `until`. Returns `false` if another worker holds it.
pub fn renew(db: &mut Db<'_>, job: &Job, until: Timestamp) -> StoreResult<bool> {
    Ok(db.execute(RENEW, params![until, job.id, job.token])? > 0)
}

/// Releases the leases of all jobs and returns their number. Only for a store that no other process
/// uses. The attempts count: a job that crashes its process must not do so forever.
pub fn release_all(db: &mut Db<'_>) -> StoreResult<u64> {
    db.execute(RELEASE_ALL, params![])
}

/// Ends an attempt. Returns `false`, and changes nothing, if another worker holds the job.
pub fn settle(
    db: &mut Db<'_>,
    job: &Job,
    settlement: Settlement,
    now: Timestamp,
) -> StoreResult<bool> {
    let Job { id, token, .. } = *job;
    let changed = match settlement {
        Settlement::Finish => match db.execute(FINISH, params![id, token])? {
            0 => start_over(db, job, now)?,
            finished => finished,
        },
        Settlement::Fail(error) => {
            match db.execute(FAIL, params![now, error.as_str(), id, token])? {
                0 => start_over(db, job, now)?,
                failed => failed,
            }
        }
        Settlement::RunAgain(at) => db.execute(RUN_AGAIN, params![now, at, id, token])?,
        Settlement::Retry(at, error) => {
            db.execute(RETRY, params![at, error.as_str(), id, token])?
        }
        Settlement::Postpone(at, error) => {
            db.execute(POSTPONE, params![at, error.as_str(), id, token])?
        }
        Settlement::Release => db.execute(RELEASE, params![id, token])?,
    };
    Ok(changed > 0)
}

/// Releases a job that was enqueued again while this worker held it.
fn start_over(db: &mut Db<'_>, job: &Job, now: Timestamp) -> StoreResult<u64> {
    let changed = db.execute(START_OVER, params![now, job.id, job.token])?;
    signal(db, job.kind, changed);
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_priorities_are_those_of_the_model() {
        for (priority, literal) in [
            (Priority::Low, priority!(low)),
            (Priority::Normal, priority!(normal)),
            (Priority::High, priority!(high)),
        ] {
            assert_eq!(priority.as_i64().to_string(), literal, "{priority:?}");
        }
    }
}
