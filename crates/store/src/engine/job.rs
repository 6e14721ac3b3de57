//! Closures sent to a thread that owns a connection.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::{Db, StoreError, StoreResult};

/// A closure together with the channel for its result. The thread runs it first, and replies only
/// once its changes are committed.
pub(super) trait Job: Send {
    fn frame(&self) -> Frame;

    /// Returns `true` if the caller no longer waits. Reads are then skipped; writes run all the
    /// same, because the user's action happened.
    fn is_abandoned(&self) -> bool;

    /// Runs the closure and stores its result. `Err` classifies a failure, for retries.
    fn run(&mut self, db: &mut Db<'_>) -> Result<(), Failed>;

    /// Replies with the stored result, or with `failure` if the transaction was not committed.
    fn finish(self: Box<Self>, failure: Option<StoreError>);
}

/// Execution context of a closure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    /// Inside a transaction, possibly shared with other jobs.
    Transaction,
    /// Outside any transaction, as `VACUUM` requires.
    Nothing,
}

/// Class of a failure, as far as the engine needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failed {
    /// Two writers conflicted; a retry may succeed.
    Met,
    /// The connection is lost.
    Disconnected,
    /// Any other error; it is returned to the caller.
    ForGood,
}

/// Result of a closure, and how long it held the connection until the commit.
pub(super) type Timed<T> = (T, Duration);

/// The only implementation of [`Job`].
pub(super) struct Task<F, T> {
    work: F,
    frame: Frame,
    began: Instant,
    result: Option<StoreResult<T>>,
    reply: oneshot::Sender<StoreResult<Timed<T>>>,
}

impl<F, T> Task<F, T> {
    pub(super) fn new(
        work: F,
        frame: Frame,
        reply: oneshot::Sender<StoreResult<Timed<T>>>,
    ) -> Self {
        Self {
            work,
            frame,
            began: Instant::now(),
            result: None,
            reply,
        }
    }
}

impl<F, T> Job for Task<F, T>
where
    F: FnMut(&mut Db<'_>) -> StoreResult<T> + Send,
    T: Send,
{
    fn frame(&self) -> Frame {
        self.frame
    }

    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn run(&mut self, db: &mut Db<'_>) -> Result<(), Failed> {
        self.began = Instant::now();
        let result = catch_panic(|| (self.work)(db));
        let outcome = match &result {
            Ok(_) => Ok(()),
            Err(error) => Err(classify(error)),
        };
        self.result = Some(result);
        outcome
    }

    fn finish(self: Box<Self>, failure: Option<StoreError>) {
        let result = match failure {
            Some(failure) => Err(failure),
            None => self.result.unwrap_or(Err(StoreError::Closed)),
        };
        let result = result.map(|done| (done, self.began.elapsed()));
        // The caller may be gone; the change stays committed.
        let _ = self.reply.send(result);
    }
}

/// Runs `work` and turns a panic into an error, so that the connection's thread survives. The
/// engine rolls the transaction back, so no partial state becomes visible.
pub(super) fn catch_panic<T>(work: impl FnOnce() -> StoreResult<T>) -> StoreResult<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(StoreError::Panicked(words_of(panic.as_ref()))))
}

fn classify(error: &StoreError) -> Failed {
    let StoreError::Postgres(error) = error else {
        return Failed::ForGood;
    };
    if error.is_closed() {
        return Failed::Disconnected;
    }
    match error.code().map(|code| code.code()) {
        Some(code) if is_meeting(code) => Failed::Met,
        // Server shutting down, starting up, or connection terminated by an operator.
        Some("57P01" | "57P02" | "57P03") => Failed::Disconnected,
        _ => Failed::ForGood,
    }
}

/// Returns `true` if the SQLSTATE means that two writers conflicted. Besides serialisation failures
/// and deadlocks, this includes a foreign key to a row that another writer just deleted, such as an
/// account for which new items are made unread. A retry no longer sees that account.
pub(super) fn is_meeting(code: &str) -> bool {
    matches!(code, "40001" | "40P01" | "23503")
}

fn words_of(panic: &(dyn std::any::Any + Send)) -> String {
    let words = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    words.unwrap_or_else(|| "no message".to_owned())
}
