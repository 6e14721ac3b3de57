//! Renewal of a lease while its work is running.
//!
//! A lease is short, so that the work of a crashed process is taken over soon. It is renewed at a
//! third of its term, so that two renewals may fail before it expires. If a renewal finds that the
//! lease was taken over, the work is dropped: its result could not be written anyway.

use std::time::Duration;

use lede_store::StoreResult;

/// Term of the lease of a feed or a job, from its last renewal.
pub(crate) const LEASE: Duration = Duration::from_secs(120);

/// Runs `work` under a lease of `term` and calls `renew` regularly in the meantime. Returns `None`
/// if the lease was lost. A failed renewal is tried again: the work may be done before the lease
/// expires.
pub(crate) async fn with_lease<T, Renewal>(
    term: Duration,
    renew: impl Fn() -> Renewal,
    work: impl Future<Output = T>,
) -> Option<T>
where
    // Not `AsyncFn`: its future cannot be required to be `Send`.
    Renewal: Future<Output = StoreResult<bool>>,
{
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return Some(done),
            () = tokio::time::sleep(term / 3) => {}
        }
        match renew().await {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => tracing::warn!(%error, "a lease could not be renewed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use lede_store::StoreError;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn work_that_outlasts_its_lease_keeps_it() {
        let renewals = Cell::new(0);
        let renew = || {
            renewals.set(renewals.get() + 1);
            // A failed renewal changes nothing.
            match renewals.get() {
                2 => std::future::ready(Err(StoreError::Missing)),
                _ => std::future::ready(Ok(true)),
            }
        };
        let done = with_lease(LEASE, renew, tokio::time::sleep(LEASE * 2)).await;
        assert!(done.is_some());
        assert!((5..=6).contains(&renewals.get()), "{}", renewals.get());
    }

    #[tokio::test(start_paused = true)]
    async fn work_whose_lease_was_taken_over_is_dropped() {
        let began = tokio::time::Instant::now();
        let done = with_lease(
            LEASE,
            || std::future::ready(Ok(false)),
            std::future::pending::<()>(),
        )
        .await;
        assert!(done.is_none());
        assert_eq!(began.elapsed(), LEASE / 3);
    }
}
