//! The job system: every kind of durable background work, defined next to its handler and run by
//! one runner.
//!
//! A use case enqueues a job in the transaction that creates the work (`store::jobs::enqueue`); the
//! commit wakes the runner ([`runner`]), here and in other processes. Each kind has one
//! [`JobDefinition`] with its concurrency, lease term, retry delays and the fate of a job that has
//! no attempts left. Handlers only report an outcome ([`JobOutcome`]); claiming, leases, retries
//! and metrics belong to the runner.

mod runner;

use std::pin::Pin;
use std::time::Duration;

use lede_model::ids::UserId;
use lede_model::job::{JobError, JobKind};
use lede_model::time::Timestamp;
use lede_store::audit_log::{self, AuditEvent};
use lede_store::jobs::{self, FailedJob, Job, KindStatus};
use lede_store::{StoreResult, admin_queries};

pub use self::runner::run_due_of;
pub(crate) use self::runner::{FALLBACK_POLL, run, run_due};
use crate::worker::heartbeat::LEASE;
use crate::{Lede, Settings, access, articles, icons, notifications, opml};

/// Failed jobs listed for administrators.
const LISTED: i64 = 50;

/// Definition of a kind of job.
pub struct JobDefinition {
    pub kind: JobKind,
    /// Jobs that run at a time in this process.
    pub concurrency: fn(&Settings) -> usize,
    /// Term of a lease. It is renewed while the handler runs.
    pub lease: Duration,
    /// Delays before the second attempt, the third and so on. Attempts are used up when none is
    /// left.
    pub retries: &'static [Duration],
    /// Fate of a job that failed permanently.
    pub exhausted: Exhausted,
    /// Returns `true` while the kind is paused: no job is claimed, and no attempt is used.
    pub is_paused: fn(&Lede) -> bool,
    /// Does the work. It may run twice for the same job and must be idempotent.
    pub handler: fn(Lede, Job) -> HandlerFuture,
}

/// Future of a handler. Errors of the store count as temporary failures.
pub type HandlerFuture = Pin<Box<dyn Future<Output = StoreResult<JobOutcome>> + Send>>;

/// Fate of a job that failed permanently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    /// The job stays as failed until an administrator retries or drops it.
    Keep,
    /// The job is deleted: there are many of its kind, and a single failure is of no interest.
    Drop,
}

/// Result of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobOutcome {
    /// The work is done, or its subject is gone.
    Done,
    /// The work is done and is due again at this time.
    Again(Timestamp),
    /// The attempt failed; a later one may succeed.
    Temporary(JobError),
    /// The attempt failed, and so would any other.
    Permanent(JobError),
    /// A server asked for a pause. Costs no attempt.
    RateLimited(Duration),
    /// The kind was paused in the meantime. Costs no attempt.
    Paused,
}

/// Retry delays of kinds that need nothing but the database: minutes for a restart, hours for a
/// repair.
pub(crate) const STANDARD_RETRIES: [Duration; 4] = [
    Duration::from_secs(60),
    Duration::from_secs(600),
    Duration::from_secs(3600),
    Duration::from_secs(6 * 3600),
];

/// Default term of a lease.
pub(crate) const STANDARD_LEASE: Duration = LEASE;

/// Pause condition of kinds that store data: none of them runs while the disk is nearly full.
pub(crate) fn disk_is_low(lede: &Lede) -> bool {
    !lede.disk.has_room()
}

/// Returns the definition of `kind`.
pub(crate) fn definition(kind: JobKind) -> &'static JobDefinition {
    match kind {
        JobKind::Article => &articles::JOB,
        JobKind::Icon => &icons::JOB,
        JobKind::Import => &opml::JOB,
        JobKind::Notification => &notifications::JOB,
        JobKind::Removal => &access::JOB,
    }
}

/// State of the queue for administrators.
#[derive(Debug, Clone)]
pub struct JobsStatus {
    /// One entry per kind.
    pub kinds: Vec<KindStatus>,
    /// Items that are not in the search index yet. They have a separate queue, because they are
    /// indexed in batches.
    pub unindexed: i64,
    /// The most recently failed jobs, newest first.
    pub failed: Vec<FailedJob>,
}

/// Returns the number of pending jobs and the latest failures.
pub async fn status(lede: &Lede) -> StoreResult<JobsStatus> {
    let now = lede.clock.now();
    lede.store
        .read(move |db| {
            Ok(JobsStatus {
                kinds: jobs::status(db, now)?,
                unindexed: admin_queries::unindexed(db)?,
                failed: jobs::failed(db, LISTED)?,
            })
        })
        .await
}

/// Makes failed jobs of `kind` due again: the job `id`, or all of them. Returns their number.
pub async fn retry_failed(
    lede: &Lede,
    admin: UserId,
    kind: JobKind,
    id: Option<i64>,
) -> StoreResult<u64> {
    let now = lede.clock.now();
    lede.store
        .write(move |db| {
            let jobs = jobs::retry_failed(db, kind, id, now)?;
            if jobs > 0 {
                audit_log::add(db, admin, AuditEvent::JobsRetried { kind, jobs }, now)?;
            }
            Ok(jobs)
        })
        .await
}

/// Deletes failed jobs of `kind`: the job `id`, or all of them. Returns their number.
pub async fn drop_failed(
    lede: &Lede,
    admin: UserId,
    kind: JobKind,
    id: Option<i64>,
) -> StoreResult<u64> {
    let now = lede.clock.now();
    lede.store
        .write(move |db| {
            let jobs = jobs::drop_failed(db, kind, id)?;
            if jobs > 0 {
                audit_log::add(db, admin, AuditEvent::JobsDropped { kind, jobs }, now)?;
            }
            Ok(jobs)
        })
        .await
}
