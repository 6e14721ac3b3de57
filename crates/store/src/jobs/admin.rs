//! The queue for administrators: pending jobs and their age, and failed jobs.

use lede_model::job::JobKind;
use lede_model::time::Timestamp;

use crate::signals::Signal;
use crate::{Db, StoreResult, params, statements};

/// Numbers of jobs of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindStatus {
    pub kind: JobKind,
    /// Due jobs, including running ones.
    pub waiting: i64,
    /// Jobs that are due later.
    pub scheduled: i64,
    /// Jobs that failed permanently.
    pub failed: i64,
    /// Time at which the longest waiting job became due.
    pub oldest_at: Option<Timestamp>,
}

/// A job that failed permanently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedJob {
    pub id: i64,
    pub kind: JobKind,
    /// Id of the subject's row.
    pub key: i64,
    pub attempts: i64,
    /// Code of the last error (`model::job::JobError`).
    pub error: Option<String>,
    /// Time of the first enqueueing.
    pub created_at: Timestamp,
    pub failed_at: Timestamp,
}

statements! {
    DUE = "SELECT COUNT(*) FROM job WHERE failed_at IS NULL AND run_after <= $1";
    STATUS = "SELECT kind, COUNT(CASE WHEN failed_at IS NULL AND run_after <= $1 THEN 1 END),
                  COUNT(CASE WHEN failed_at IS NULL AND run_after > $1 THEN 1 END), COUNT(failed_at),
                  MIN(CASE WHEN failed_at IS NULL AND run_after <= $1 THEN run_after END)
              FROM job GROUP BY kind";
    /// True if no lease of the kind is valid and a job has been waiting since $2.
    IS_STUCK = "SELECT EXISTS (SELECT 1 FROM job WHERE kind = $1 AND failed_at IS NULL
                                   AND run_after < $2 AND lease_until < $2)
                   AND NOT EXISTS (SELECT 1 FROM job WHERE kind = $1 AND failed_at IS NULL
                                       AND run_after <= $3 AND lease_until > $3)";
    FAILED = "SELECT id, kind, key, attempts, last_error, created_at, failed_at FROM job
              WHERE failed_at IS NOT NULL ORDER BY failed_at DESC, id DESC LIMIT $1";
    RETRY_FAILED = "UPDATE job SET failed_at = NULL, attempts = 0, last_error = NULL, run_after = $1
                    WHERE kind = $2 AND failed_at IS NOT NULL AND (CAST($3 AS BIGINT) IS NULL OR id = $3)";
    DROP_FAILED = "DELETE FROM job
                   WHERE kind = $1 AND failed_at IS NOT NULL AND (CAST($2 AS BIGINT) IS NULL OR id = $2)";
}

/// Returns the number of due jobs of all kinds, including running ones.
pub fn due(db: &mut Db<'_>, now: Timestamp) -> StoreResult<i64> {
    db.one(DUE, params![now], |row| row.get(0))
}

/// Returns the numbers of jobs of every kind, in the order of [`JobKind::ALL`].
pub fn status(db: &mut Db<'_>, now: Timestamp) -> StoreResult<Vec<KindStatus>> {
    let found: Vec<Option<KindStatus>> = db.query(STATUS, params![now], |row| {
        // A newer version of Lede may have kinds that this one does not know.
        let Some(kind) = JobKind::from_name(&row.get::<String>(0)?) else {
            return Ok(None);
        };
        Ok(Some(KindStatus {
            kind,
            waiting: row.get(1)?,
            scheduled: row.get(2)?,
            failed: row.get(3)?,
            oldest_at: row.get(4)?,
        }))
    })?;
    let of = |kind| {
        let found = found.iter().flatten().find(|status| status.kind == kind);
        found.copied().unwrap_or(KindStatus {
            kind,
            waiting: 0,
            scheduled: 0,
            failed: 0,
            oldest_at: None,
        })
    };
    Ok(JobKind::ALL.into_iter().map(of).collect())
}

/// Returns `true` if a job of `kind` has been waiting since `since`, or was started before and
/// never ended, while no worker holds another.
pub fn is_stuck(
    db: &mut Db<'_>,
    kind: JobKind,
    since: Timestamp,
    now: Timestamp,
) -> StoreResult<bool> {
    db.one(IS_STUCK, params![kind.as_str(), since, now], |row| {
        row.get(0)
    })
}

/// Returns the most recently failed jobs, newest first.
pub fn failed(db: &mut Db<'_>, limit: i64) -> StoreResult<Vec<FailedJob>> {
    let found: Vec<Option<FailedJob>> = db.query(FAILED, params![limit], |row| {
        let Some(kind) = JobKind::from_name(&row.get::<String>(1)?) else {
            return Ok(None);
        };
        Ok(Some(FailedJob {
            id: row.get(0)?,
            kind,
            key: row.get(2)?,
            attempts: row.get(3)?,
            error: row.get(4)?,
            created_at: row.get(5)?,
            failed_at: row.get(6)?,
        }))
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// Makes failed jobs of `kind` due again with all their attempts: the job `id`, or all of them.
/// Returns their number.
pub fn retry_failed(
    db: &mut Db<'_>,
    kind: JobKind,
    id: Option<i64>,
    now: Timestamp,
) -> StoreResult<u64> {
    let retried = db.execute(RETRY_FAILED, params![now, kind.as_str(), id])?;
    if retried > 0 {
        db.signal(Signal::Jobs(kind));
    }
    Ok(retried)
}

/// Deletes failed jobs of `kind`: the job `id`, or all of them. Returns their number.
pub fn drop_failed(db: &mut Db<'_>, kind: JobKind, id: Option<i64>) -> StoreResult<u64> {
    db.execute(DROP_FAILED, params![kind.as_str(), id])
}
