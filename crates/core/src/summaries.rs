//! Summaries: so far, only the wish for new ones.

use lede_model::content::ContentHash;
use lede_store::{StoreResult, items, jobs};

use crate::Lede;

/// Queues new summaries of the items that say what `hash` was made of; `false` when there are none.
pub async fn reprocess(lede: &Lede, hash: ContentHash) -> StoreResult<bool> {
    // Reading all items takes a moment, so it is not the writer who does.
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
