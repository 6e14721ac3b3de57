//! CPU work on what strangers sent: off the async threads, with a budget, and a panic is one failed
//! document (hardening 3.5).

use std::sync::LazyLock;
use std::time::Duration;

use tokio::sync::Semaphore;

/// CPU time that one document may take before it is given up.
pub(crate) const BUDGET: Duration = Duration::from_secs(5);

/// Why there is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfinished {
    /// It took too long. Its thread goes on by itself; the readers are bounded, so it will end.
    TooLong,
    /// It failed in a way that is our own fault.
    Panicked,
}

/// Documents that are read at a time: as many as there are cores to read them, because each that
/// waits half read holds its memory.
static READERS: LazyLock<Semaphore> = LazyLock::new(|| {
    Semaphore::new(std::thread::available_parallelism().map_or(2, std::num::NonZero::get))
});

/// Runs `work` on a thread for such work and waits for it within the budget.
pub(crate) async fn bounded<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Unfinished> {
    // Moved into the work: a document that takes too long goes on reading, and counts until it ends.
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
