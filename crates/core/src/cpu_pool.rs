//! CPU work on untrusted documents: off the async threads, with a time budget. A panic fails only
//! the one document.

use std::sync::LazyLock;
use std::time::Duration;

use tokio::sync::Semaphore;

/// Time that one document may take before it is given up.
pub(crate) const BUDGET: Duration = Duration::from_secs(5);

/// Reasons why there is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfinished {
    /// The budget is used up. The thread continues; the parsers are bounded, so it will end.
    TooLong,
    /// The work panicked, which is a bug of ours.
    Panicked,
}

/// Documents processed at a time: one per core, because each half-processed document holds its
/// memory.
static READERS: LazyLock<Semaphore> = LazyLock::new(|| {
    Semaphore::new(std::thread::available_parallelism().map_or(2, std::num::NonZero::get))
});

/// Runs `work` on a blocking thread and waits for it within [`BUDGET`].
pub(crate) async fn bounded<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Unfinished> {
    // Moved into the work: a document that takes too long continues, and counts until it ends.
    let reader = READERS.acquire().await.map_err(|_| Unfinished::TooLong)?;
    let work = move || {
        let _reader = reader;
        work()
    };
    match tokio::time::timeout(BUDGET, tokio::task::spawn_blocking(work)).await {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(panic)) => {
            tracing::error!(error = %panic, "reading a document failed");
            Err(Unfinished::Panicked)
        }
        Err(_) => Err(Unfinished::TooLong),
    }
}
