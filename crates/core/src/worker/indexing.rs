//! Filling the search index with new items.
//!
//! Items are not indexed by jobs, because a batch costs a fraction of single items; the loop is
//! woken by signals as the job runner is.

use std::time::Duration;

use lede_feed::clean;
use lede_store::StoreResult;
use lede_store::search::{self, Ready, Waiting};
use lede_store::signals::Signal;
use tokio::time::Instant;

use crate::Lede;
use crate::cpu_pool::bounded;
use crate::jobs::FALLBACK_POLL;

/// Items per batch: the index is cheapest to fill by the hundred, and the writer must be free again
/// soon.
const BATCH: usize = 300;

/// Time to wait for more items after a signal: they arrive feed by feed.
const GATHER: Duration = Duration::from_millis(500);
/// Minimum time between two runs, so that a crawl fills whole batches.
const PAUSE: Duration = Duration::from_secs(5);

/// Fills the index when items are stored, until `stop` is ready. The rest waits for the next start.
pub(super) async fn run(lede: &Lede, stop: impl Future<Output = ()>) {
    let filling = async {
        loop {
            if let Err(error) = fill(lede).await {
                tracing::error!(%error, "the search index could not be filled; tried again");
            }
            let earliest = Instant::now() + PAUSE;
            tokio::select! {
                () = lede.store.signalled(Signal::SearchIndex) => {}
                // The disk may have room again.
                () = tokio::time::sleep(FALLBACK_POLL) => {}
            }
            tokio::time::sleep_until(earliest.max(Instant::now() + GATHER)).await;
        }
    };
    tokio::select! {
        () = stop => {}
        () = filling => {}
    }
}

/// Indexes all pending items.
pub(super) async fn fill(lede: &Lede) -> StoreResult<()> {
    let limit = i64::try_from(BATCH).unwrap_or(i64::MAX);
    while lede.disk.has_room() {
        // Read on the writer's connection, which has just written these pages and has them cached.
        let waiting = lede
            .store
            .write(move |db| search::waiting(db, limit))
            .await?;
        let is_last = waiting.len() < BATCH;
        let places: Vec<i64> = waiting.iter().map(|waiting| waiting.place).collect();
        let ready = bounded(move || {
            let in_words = |waiting: Waiting| waiting.in_words(clean::text);
            waiting.into_iter().map(in_words).collect()
        });
        // A text that cannot be read must not block the others forever.
        let ready: Vec<Ready> = ready.await.unwrap_or_else(|_| {
            let without_words = |place| Ready { place, words: None };
            places.into_iter().map(without_words).collect()
        });
        lede.store
            .write(move |db| search::index(db, &ready))
            .await?;
        if is_last {
            break;
        }
    }
    Ok(())
}
