//! The job system: every kind of durable background work, defined next to its handler and run by one runner.
//!
//! A use case enqueues a job in the transaction that creates the need (`store::jobs::enqueue`); the commit wakes the
//! runner ([`runner`]), here and in other processes. A kind is one [`JobDefinition`]: how many run at a time, how long
//! a lease lasts, when a failed attempt is repeated and what becomes of a job whose attempts are used up. Handlers only
//! say how it went ([`JobOutcome`]); claiming, leases, retries and metrics are the runner's.

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
use crate::{Lede, Settings, access, articles, icons, opml};

/// Failed jobs that are listed.
const LISTED: i64 = 50;

/// A kind of job.
pub struct JobDefinition {
    /// The name of its jobs.
    pub kind: JobKind,
    /// Jobs that run at a time in this process.
    pub concurrency: fn(&Settings) -> usize,
    /// The term of a lease; it is renewed while the handler runs.
    pub lease: Duration,
    /// Pauses before the second attempt, the third and so on; when there is none left, attempts are used up.
    pub retries: &'static [Duration],
    /// What becomes of a job that failed for good.
    pub exhausted: Exhausted,
    /// Whether the kind is paused now: nothing is claimed, and no attempt is used.
    pub is_paused: fn(&Lede) -> bool,
    /// Does the work. Must not mind being run twice.
    pub handler: fn(Lede, Job) -> HandlerFuture,
}

/// The work of a handler. Errors of the store count as temporary failures.
pub type HandlerFuture = Pin<Box<dyn Future<Output = StoreResult<JobOutcome>> + Send>>;

/// What becomes of a job that failed for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    /// It stays as failed until an administrator retries or drops it.
    Keep,
    /// It goes: there are many of its kind, and one more failure is no news.
    Drop,
}

/// The result of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobOutcome {
    /// The work is done, or its subject is gone.
    Done,
    /// The work is done and is due again then.
    Again(Timestamp),
    /// It may succeed later.
    Temporary(JobError),
    /// It will not succeed.
    Permanent(JobError),
    /// A server asked for a pause; costs no attempt.
    RateLimited(Duration),
    /// The kind was paused meanwhile; costs no attempt.
    Paused,
}

/// The ladder of kinds that need nothing but the database: minutes for a restart, hours for a repair.
pub(crate) const STANDARD_RETRIES: [Duration; 4] = [
    Duration::from_secs(60),
    Duration::from_secs(600),
    Duration::from_secs(3600),
    Duration::from_secs(6 * 3600),
];

/// The default term of a lease.
pub(crate) const STANDARD_LEASE: Duration = LEASE;

/// The pause of kinds that store something: none is run while the disk is nearly full.
pub(crate) fn disk_is_low(lede: &Lede) -> bool {
    !lede.disk.has_room()
}

/// The definition of `kind`.
pub(crate) fn definition(kind: JobKind) -> &'static JobDefinition {
    match kind {
        JobKind::Article => &articles::JOB,
        JobKind::Icon => &icons::JOB,
        JobKind::Import => &opml::JOB,
        JobKind::Removal => &access::JOB,
    }
}

/// The queue as administrators see it.
#[derive(Debug, Clone)]
pub struct JobsStatus {
    /// The jobs of every kind.
    pub kinds: Vec<KindStatus>,
    /// Items that the search index lacks. They have a queue of their own, because they are indexed in batches.
    pub unindexed: i64,
    /// The jobs that failed last, the newest first.
    pub failed: Vec<FailedJob>,
}

/// Returns how much waits and what failed.
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

/// Makes failed jobs of `kind` due again: the job `id`, or every one. Returns their number.
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

/// Deletes failed jobs of `kind`: the job `id`, or every one. Returns their number.
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
