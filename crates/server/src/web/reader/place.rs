//! Position of an open item in its list.
//!
//! The URL of an open item may be loaded when the item is no longer on the first page, or has been
//! read and so is not in the list of unread items. Its row is shown nevertheless, at its position,
//! because reading continues from there.

use std::cmp::Ordering;

use lede_core::categories::Sidebar;
use lede_core::reading::ItemPage;
use lede_model::ids::{CategoryId, ItemId};
use lede_model::item::{ItemSummary, Order, Position, Scope};

use super::list_query::ListRequest;

/// Position of an item that is not on the first page of a list.
pub(super) struct ItemPosition {
    /// Position just before the item: a page after it begins with the item.
    pub(super) before: Position,
    /// True if the first page ends before the item.
    pub(super) is_further: bool,
    item: Position,
    order: Order,
    /// Search results contain only matches.
    is_search: bool,
}

/// Returns the position of `item`, if it is not on the page `first` and belongs to the list.
/// Returns `None` for the history, which is ordered by time of reading, which the item alone does
/// not contain.
pub(super) fn missing(
    first: &ItemPage,
    followed: &Sidebar,
    wanted: &ListRequest,
    item: &ItemSummary,
) -> Option<ItemPosition> {
    let is_search = wanted.asked.text().is_some();
    let is_there = first.items.iter().any(|row| row.id == item.id);
    if is_there || wanted.is_history() || !belongs(followed, wanted.list.scope, item) {
        return None;
    }
    let at = item.position();
    let (order, beside) = match wanted.list.order {
        Order::Oldest if !is_search => (Order::Oldest, -1),
        Order::Newest | Order::Oldest => (Order::Newest, 1),
    };
    let mut place = ItemPosition {
        before: Position {
            id: ItemId::from(at.id.as_i64().saturating_add(beside)),
            ..at
        },
        is_further: false,
        item: at,
        order,
        is_search,
    };
    place.is_further = first.next.is_some_and(|last| place.is_after(last));
    Some(place)
}

impl ItemPosition {
    /// Returns `true` if the item comes after `other` in the list.
    fn is_after(&self, other: Position) -> bool {
        let order = (self.item.sort_at, self.item.id).cmp(&(other.sort_at, other.id));
        match self.order {
            Order::Newest => order == Ordering::Less,
            Order::Oldest => order == Ordering::Greater,
        }
    }

    /// Returns `true` if `page`, which begins at the position, can be shown: a search must have
    /// matched the item.
    pub(super) fn is_in(&self, page: &ItemPage) -> bool {
        let first = page.items.first();
        !self.is_search || first.is_some_and(|row| row.id == self.item.id)
    }

    /// Inserts the item's row at its position, unless it is present already.
    pub(super) fn put(&self, page: &mut ItemPage, item: &ItemSummary) {
        if self.is_search || page.items.iter().any(|row| row.id == item.id) {
            return;
        }
        let mut rows = page.items.iter();
        let at = rows.position(|row| !self.is_after(row.position()));
        page.items
            .insert(at.unwrap_or(page.items.len()), item.clone());
    }
}

/// Returns `true` if an item is within a scope.
fn belongs(followed: &Sidebar, scope: Scope, item: &ItemSummary) -> bool {
    match scope {
        Scope::Everything => true,
        Scope::Feed(feed) => item.feed_id == feed,
        Scope::Label(label) => item.labels.iter().any(|on| on.id == label),
        Scope::Category(category) => {
            let mut feeds = followed.subscriptions.iter();
            let feed = feeds.find(|feed| feed.feed.id == item.feed_id);
            let inner = feed.and_then(|feed| feed.category);
            is_below(followed, inner, category)
        }
    }
}

/// Returns `true` if `inner` is `outer` or one of its descendants.
fn is_below(followed: &Sidebar, inner: Option<CategoryId>, outer: CategoryId) -> bool {
    let parent = |id| {
        let mut all = followed.categories.iter();
        all.find(|count| count.category.id == id)?.category.parent
    };
    std::iter::successors(inner, |id| parent(*id)).any(|id| id == outer)
}
