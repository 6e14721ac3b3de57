//! Summaries: so far, only requests for new ones.

use lede_model::content::ContentHash;
use lede_store::{StoreResult, items, jobs};

use crate::Lede;

/// Queues new summaries of the items whose content has this hash. Returns `false` if there are
/// none.
pub async fn reprocess(lede: &Lede, hash: ContentHash) -> StoreResult<bool> {
    // Finding the items takes a while, so it is done by a reader and not by the writer.
    let found = lede
        .store
        .read(move |db| items::with_content(db, hash))
        .await?;
    let now = lede.clock.now();
    let is_known = !found.is_empty();
    lede.store
        .write(move |db| jobs::add_summaries(db, &found, now))
        .await?;
    Ok(is_known)
}
