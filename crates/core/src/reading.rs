//! Reading: the lists, an item, and the marks on it.

use std::collections::HashSet;

use lede_model::feed::Subscription;
use lede_model::ids::{CategoryId, FeedId, ItemId, UserId};
use lede_model::item::{Item, ItemFilter, ItemSummary, Position};
use lede_model::mark::{MarkChange, Marks};
use lede_store::{StoreResult, categories, items, marks, subscriptions};

use crate::{Lede, articles};

/// Items on one page of a list.
pub const PAGE: usize = 50;

/// What a list shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct ListQuery {
    /// Of one feed, or of all that are followed.
    pub feed: Option<FeedId>,
    /// Which of them.
    pub filter: ItemFilter,
    /// After this one.
    pub after: Option<Position>,
}

/// One page of a list.
#[derive(Debug)]
pub struct ItemPage {
    /// Newest first.
    pub items: Vec<ItemSummary>,
    /// Where the next page begins, when there is one.
    pub next: Option<Position>,
}

/// A page of what `user` follows.
pub async fn list(lede: &Lede, user: UserId, query: ListQuery) -> StoreResult<ItemPage> {
    // One more than a page tells whether there is another.
    let limit = i64::try_from(PAGE + 1).unwrap_or(i64::MAX);
    let ListQuery {
        feed,
        filter,
        after,
    } = query;
    let mut items = lede
        .store
        .read(move |db| items::page(db, user, feed, filter, after, limit))
        .await?;
    let has_more = items.len() > PAGE;
    items.truncate(PAGE);
    let next = items.last().filter(|_| has_more).map(|last| Position {
        sort_at: last.sort_at,
        id: last.id,
    });
    Ok(ItemPage { items, next })
}

/// One item with its text, if it is in a feed that `user` follows.
pub async fn find_item(lede: &Lede, user: UserId, item: ItemId) -> StoreResult<Option<Item>> {
    let before = articles::tried_before(lede.clock.now());
    lede.store
        .read(move |db| items::find(db, user, item, before))
        .await
}

/// Changes the marks of `user` on an item; `None` when it is in no feed that `user` follows.
pub async fn set_marks(
    lede: &Lede,
    user: UserId,
    item: ItemId,
    change: MarkChange,
) -> StoreResult<Option<Marks>> {
    let now = lede.clock.now();
    lede.store
        .write(move |db| marks::set(db, user, item, change, now))
        .await
}

/// Everything that `user` follows, with unread counts.
pub async fn subscriptions(lede: &Lede, user: UserId) -> StoreResult<Vec<Subscription>> {
    lede.store
        .read(move |db| subscriptions::of_user(db, user))
        .await
}

/// Which feeds a list shows.
#[derive(Debug, Clone, Copy)]
pub struct FeedsQuery {
    /// Of one category and those that stand in it, or of all.
    pub category: Option<CategoryId>,
    /// Whether those are shown of which nothing new comes: stopped ones and paused ones.
    pub include_disabled: bool,
}

/// What `user` follows, as far as it is asked for; `None` when the category is not theirs.
pub async fn feeds(
    lede: &Lede,
    user: UserId,
    query: FeedsQuery,
) -> StoreResult<Option<Vec<Subscription>>> {
    lede.store
        .read(move |db| {
            let mut found = subscriptions::of_user(db, user)?;
            if let Some(category) = query.category {
                let tree = categories::of_user(db, user)?;
                let inner = tree.with_inner(category);
                if inner.is_empty() {
                    return Ok(None);
                }
                let wanted: HashSet<CategoryId> = inner.iter().map(|inner| inner.id).collect();
                found.retain(|own| own.category.is_some_and(|own| wanted.contains(&own)));
            }
            found.retain(|own| query.include_disabled || !own.is_disabled());
            Ok(Some(found))
        })
        .await
}

/// The following of one feed by `user`.
pub async fn find_subscription(
    lede: &Lede,
    user: UserId,
    feed: FeedId,
) -> StoreResult<Option<Subscription>> {
    lede.store
        .read(move |db| subscriptions::find(db, user, feed))
        .await
}
