//! CPU work on what strangers sent: off the async threads, with a budget, and a panic is one failed
//! document (hardening 3.5).

use std::time::Duration;

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

/// Runs `work` on a thread for such work and waits for it within the budget.
pub(crate) async fn bounded<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Unfinished> {
    match tokio::time::timeout(BUDGET, tokio::task::spawn_blocking(work)).await {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(panic)) => {
            tracing::error!(error = %panic, "reading a document failed");
            Err(Unfinished::Panicked)
        }
        Err(_) => Err(Unfinished::TooLong),
    }
}
