//! Closures on their way to a thread that owns a connection.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::{Db, StoreError, StoreResult};

/// A closure with the place where its result goes. The thread first runs it, and tells the
/// caller only once what it did is safe.
pub(super) trait Job: Send {
    /// Whether it runs in a transaction or by itself.
    fn frame(&self) -> Frame;

    /// Whether nobody waits any more. A question then need not be answered; a change is made all
    /// the same, because the click happened.
    fn is_abandoned(&self) -> bool;

    /// Runs the closure and keeps its result; `Err` says how it failed, for retries.
    fn run(&mut self, db: &mut Db<'_>) -> Result<(), Failed>;

    /// Tells the caller: the kept result, or `failure` where the transaction came to nothing.
    fn finish(self: Box<Self>, failure: Option<StoreError>);
}

/// What is around a closure while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    /// A transaction, which may be shared with others.
    Transaction,
    /// Nothing: `VACUUM` does not run in a transaction.
    Nothing,
}

/// How a closure failed, as far as the engine needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failed {
    /// Two writers met: running it again may work.
    Met,
    /// The connection is gone.
    Disconnected,
    /// Anything else; the caller is told.
    ForGood,
}

/// What a closure gave, and how long it had the connection until that was safe.
pub(super) type Timed<T> = (T, Duration);

/// The one kind of [`Job`]: a closure, its result once it ran, and who waits for it.
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
        let result = caught(|| (self.work)(db));
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
        // The caller may have gone away; what was done stays done.
        let _ = self.reply.send(result);
    }
}

/// Runs `work`. A panic in it must not take the connection's thread with it: the engine rolls its
/// transaction back, so no half-done state is seen.
pub(super) fn caught<T>(work: impl FnOnce() -> StoreResult<T>) -> StoreResult<T> {
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
        // Server going down, coming up, or cut off by an operator.
        Some("57P01" | "57P02" | "57P03") => Failed::Disconnected,
        _ => Failed::ForGood,
    }
}

/// Whether PostgreSQL's code says that two writers met. Besides serialisation failures and
/// deadlocks that is a foreign key to a row that another writer has just deleted: an account,
/// while new items are made unread for it. A second look no longer sees that account.
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
