//! The runner: claims due jobs of every kind, runs their handlers under a lease and settles them.
//!
//! Each kind has a loop, so that a slow kind delays no other. A loop sleeps until its kind is
//! signalled, a slot becomes free or the next job becomes due. The slow poll covers leases of
//! crashed workers and lost notifications. When the process stops, running jobs are released
//! without costing them an attempt. After a crash their leases expire, and the attempt counts.

use std::collections::HashMap;
use std::time::Duration;

use lede_model::job::{JobError, JobKind};
use lede_model::time::Timestamp;
use lede_store::StoreResult;
use lede_store::jobs::{self, Claimed, Job, Settlement};
use lede_store::signals::Signal;
use tokio::sync::watch;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;

use super::{Exhausted, JobDefinition, JobOutcome, definition};
use crate::Lede;
use crate::worker::heartbeat::with_lease;

/// Interval at which the queue is read without a signal. Half the term of a lease, so that the jobs
/// of a crashed worker are taken over soon after it expires.
pub(crate) const FALLBACK_POLL: Duration = Duration::from_secs(60);
/// Interval at which a paused kind is checked. The check reads no rows.
const PAUSE_CHECK: Duration = Duration::from_secs(5);
/// Shortest pause after a rate limit, even if the server asks for less.
const SHORTEST_LIMIT: Duration = Duration::from_secs(1);

/// Runs jobs until the sender of `stopped` is dropped.
pub(crate) async fn run(lede: &Lede, stopped: watch::Receiver<()>) {
    let mut kinds = JoinSet::new();
    for kind in JobKind::ALL {
        let runner = KindRunner::new(lede.clone(), definition(kind));
        kinds.spawn(runner.run(stopped.clone()));
    }
    while kinds.join_next().await.is_some() {}
}

/// Runs all jobs that are due now, once. For tests and commands.
pub(crate) async fn run_due(lede: &Lede) {
    for kind in JobKind::ALL {
        run_due_of(lede, definition(kind)).await;
    }
}

/// Runs the due jobs of one kind, once. For tests of the runner.
pub async fn run_due_of(lede: &Lede, definition: &'static JobDefinition) {
    if (definition.is_paused)(lede) {
        return;
    }
    let claimed = claim(lede, definition, usize::from(u16::MAX)).await;
    for job in claimed.unwrap_or_default().jobs {
        run_job(lede.clone(), definition, job).await;
    }
}

/// The loop of one kind.
struct KindRunner {
    lede: Lede,
    definition: &'static JobDefinition,
    concurrency: usize,
    running: JoinSet<Ended>,
    /// Running jobs by the id of their task.
    held: HashMap<Id, Job>,
    /// True if there may be due jobs that were not claimed.
    may_have_more: bool,
    /// Time at which the next job is due, as far as known.
    next_at: Option<Timestamp>,
    /// Set by a handler that found its kind paused.
    paused_until: Option<Instant>,
}

/// End of an attempt, as reported to the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Settled,
    /// The job runs again at this time.
    RunsAgain(Timestamp),
    Paused,
}

impl KindRunner {
    fn new(lede: Lede, definition: &'static JobDefinition) -> Self {
        Self {
            concurrency: (definition.concurrency)(&lede.settings).max(1),
            lede,
            definition,
            running: JoinSet::new(),
            held: HashMap::new(),
            may_have_more: true,
            next_at: None,
            paused_until: None,
        }
    }

    async fn run(mut self, mut stopped: watch::Receiver<()>) {
        let store = self.lede.store.clone();
        loop {
            let wait = self.fill_slots().await;
            let is_full = self.held.len() >= self.concurrency;
            tokio::select! {
                // Nothing is ever sent; the channel closes when the sender is dropped.
                _ = stopped.changed() => break,
                Some(ended) = self.running.join_next_with_id() => {
                    self.ended(ended);
                    while let Some(ended) = self.running.try_join_next_with_id() {
                        self.ended(ended);
                    }
                }
                () = store.signalled(Signal::Jobs(self.definition.kind)), if !is_full => {
                    self.may_have_more = true;
                }
                () = tokio::time::sleep(wait), if !is_full => self.may_have_more = true,
            }
        }
        self.give_back().await;
    }

    /// Claims jobs for the free slots if there may be any. Returns the time to wait before the next
    /// check.
    async fn fill_slots(&mut self) -> Duration {
        let free = self.concurrency.saturating_sub(self.held.len());
        if free == 0 {
            return FALLBACK_POLL;
        }
        let is_held_off = self
            .paused_until
            .is_some_and(|until| Instant::now() < until);
        if is_held_off || (self.definition.is_paused)(&self.lede) {
            self.may_have_more = true;
            return PAUSE_CHECK;
        }
        if self.may_have_more {
            let Some(claimed) = claim(&self.lede, self.definition, free).await else {
                return PAUSE_CHECK;
            };
            self.may_have_more = claimed.jobs.len() == free;
            self.next_at = claimed.next_at;
            for job in claimed.jobs {
                let task = run_job(self.lede.clone(), self.definition, job.clone());
                let task = self.running.spawn(task);
                self.held.insert(task.id(), job);
            }
        }
        let now = self.lede.clock.now();
        let until_next = self.next_at.map(|at| at.since(now));
        until_next.map_or(FALLBACK_POLL, |wait| wait.min(FALLBACK_POLL))
    }

    fn ended(&mut self, ended: Result<(Id, Ended), JoinError>) {
        let id = match &ended {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        self.held.remove(&id);
        match ended {
            // A panic of a handler is settled in its task. A job whose task ends otherwise is found
            // when its lease expires.
            Ok((_, Ended::Settled)) | Err(_) => {}
            Ok((_, Ended::RunsAgain(at))) => {
                self.next_at = Some(self.next_at.map_or(at, |next| next.min(at)));
            }
            Ok((_, Ended::Paused)) => self.paused_until = Some(Instant::now() + PAUSE_CHECK),
        }
    }

    /// Stops running jobs and makes them due again for the next process.
    async fn give_back(mut self) {
        self.running.shutdown().await;
        if self.held.is_empty() {
            return;
        }
        let (held, now) = (self.held, self.lede.clock.now());
        let released = self.lede.store.write(move |db| {
            for job in held.values() {
                jobs::settle(db, job, Settlement::Release, now)?;
            }
            StoreResult::Ok(())
        });
        if let Err(error) = released.await {
            tracing::warn!(%error, "jobs could not be released; their leases expire");
        }
    }
}

/// Claims due jobs. Returns `None` if the database failed.
async fn claim(lede: &Lede, definition: &JobDefinition, limit: usize) -> Option<Claimed> {
    let now = lede.clock.now();
    let (kind, until) = (definition.kind, now + definition.lease);
    let claimed = lede
        .store
        .write(move |db| jobs::claim(db, kind, now, until, limit))
        .await;
    claimed
        .inspect_err(|error| {
            tracing::error!(kind = kind.as_str(), %error, "jobs could not be claimed");
        })
        .ok()
}

/// Runs one claimed job and settles it.
async fn run_job(lede: Lede, definition: &'static JobDefinition, job: Job) -> Ended {
    if job.attempts as usize > definition.retries.len() + 1 {
        // Claimed this often and never settled: the job crashes its process.
        let outcome = JobOutcome::Permanent(JobError::Interrupted);
        return settle(&lede, definition, &job, outcome).await;
    }
    let renew = || {
        let until = lede.clock.now() + definition.lease;
        let job = job.clone();
        lede.store.write(move |db| jobs::renew(db, &job, until))
    };
    let began = Instant::now();
    // A separate task contains a panic of the handler, and is aborted when this future is dropped.
    let mut task = JoinSet::new();
    task.spawn((definition.handler)(lede.clone(), job.clone()));
    let result = with_lease(definition.lease, renew, task.join_next()).await;
    lede.metrics.job_took(definition.kind, began.elapsed());
    let kind = job.kind.as_str();
    let outcome = match result {
        Some(Some(Ok(Ok(outcome)))) => outcome,
        Some(Some(Ok(Err(error)))) => {
            tracing::error!(kind, key = job.key, %error, "a job met an error of the database");
            JobOutcome::Temporary(JobError::Database)
        }
        Some(Some(Err(error))) => {
            tracing::error!(kind, key = job.key, %error, "the handler of a job panicked");
            JobOutcome::Temporary(JobError::Panicked)
        }
        Some(None) | None => {
            tracing::info!(
                kind,
                key = job.key,
                "a job was taken over by another worker"
            );
            lede.metrics.job_ended(definition.kind, "superseded");
            return Ended::Settled;
        }
    };
    settle(&lede, definition, &job, outcome).await
}

/// Maps an outcome to its settlement and its label in metrics. The only place that decides this.
fn settlement(
    definition: &JobDefinition,
    attempts: u32,
    outcome: JobOutcome,
    now: Timestamp,
) -> (Settlement, &'static str) {
    let exhausted = |error| match definition.exhausted {
        Exhausted::Keep => (Settlement::Fail(error), "failed"),
        Exhausted::Drop => (Settlement::Finish, "dropped"),
    };
    match outcome {
        JobOutcome::Done => (Settlement::Finish, "done"),
        JobOutcome::Again(at) => (Settlement::RunAgain(at), "done"),
        JobOutcome::Temporary(error) => {
            let done_before = (attempts as usize).saturating_sub(1);
            match definition.retries.get(done_before) {
                Some(pause) => (Settlement::Retry(now + *pause, error), "retried"),
                None => exhausted(error),
            }
        }
        JobOutcome::Permanent(error) => exhausted(error),
        JobOutcome::RateLimited(pause) => {
            let at = now + pause.max(SHORTEST_LIMIT);
            (
                Settlement::Postpone(at, JobError::RateLimited),
                "rate_limited",
            )
        }
        JobOutcome::Paused => (Settlement::Release, "paused"),
    }
}

async fn settle(lede: &Lede, definition: &JobDefinition, job: &Job, outcome: JobOutcome) -> Ended {
    let now = lede.clock.now();
    let (settlement, word) = settlement(definition, job.attempts, outcome, now);
    let kind = job.kind.as_str();
    match outcome {
        JobOutcome::Temporary(error) | JobOutcome::Permanent(error) => {
            let (error, attempts) = (error.as_str(), job.attempts);
            tracing::info!(
                kind,
                key = job.key,
                attempts,
                error,
                outcome = word,
                "a job failed"
            );
        }
        _ => {}
    }
    let settled = job.clone();
    let settled = lede
        .store
        .write(move |db| jobs::settle(db, &settled, settlement, now));
    match settled.await {
        Ok(true) => lede.metrics.job_ended(definition.kind, word),
        Ok(false) => lede.metrics.job_ended(definition.kind, "superseded"),
        Err(error) => {
            tracing::error!(kind, key = job.key, %error, "a job could not be settled; its lease expires");
        }
    }
    match settlement {
        Settlement::RunAgain(at) | Settlement::Retry(at, _) | Settlement::Postpone(at, _) => {
            Ended::RunsAgain(at)
        }
        Settlement::Release => Ended::Paused,
        Settlement::Finish | Settlement::Fail(_) => Ended::Settled,
    }
}
