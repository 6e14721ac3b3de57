//! Where an open item stands in its list. Its address may be opened when the item is no longer among the
//! first, or is read and so not in the list of what is unread: its row is shown all the same, at its place,
//! because reading goes on from there.

use std::cmp::Ordering;

use lede_core::organising::Followed;
use lede_core::reading::ItemPage;
use lede_model::ids::{CategoryId, ItemId};
use lede_model::item::{ItemSummary, Order, Position, Scope};

use super::asked::Wanted;

/// The place of an item that is not on the first page of a list.
pub(super) struct Place {
    /// Right before it: a page after this begins with the item.
    pub(super) before: Position,
    /// The first page does not go as far.
    pub(super) is_further: bool,
    item: Position,
    order: Order,
    /// What is found has its own order, and only what is found is in it.
    is_search: bool,
}

/// Where `item` would stand, if it is not on the page `first` and belongs to the list. The list of what was
/// read goes by when that was, which an item by itself does not tell.
pub(super) fn missing(
    first: &ItemPage,
    followed: &Followed,
    wanted: &Wanted,
    item: &ItemSummary,
) -> Option<Place> {
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
    let mut place = Place {
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

impl Place {
    /// Whether the item comes after what stands at `other`.
    fn is_after(&self, other: Position) -> bool {
        let by_date = (self.item.sort_at, self.item.id).cmp(&(other.sort_at, other.id));
        let order = match self.is_search {
            true => self.item.id.cmp(&other.id),
            false => by_date,
        };
        match self.order {
            Order::Newest => order == Ordering::Less,
            Order::Oldest => order == Ordering::Greater,
        }
    }

    /// Whether a page that begins at the place is one to show: a search must have found the item.
    pub(super) fn is_in(&self, page: &ItemPage) -> bool {
        let first = page.items.first();
        !self.is_search || first.is_some_and(|row| row.id == self.item.id)
    }

    /// Puts the item's row where it belongs, unless it is there already.
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

/// Whether an item is of what a list is of.
fn belongs(followed: &Followed, scope: Scope, item: &ItemSummary) -> bool {
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

/// Whether a category is another, or somewhere below it.
fn is_below(followed: &Followed, inner: Option<CategoryId>, outer: CategoryId) -> bool {
    let parent = |id| {
        let mut all = followed.categories.iter();
        all.find(|count| count.category.id == id)?.category.parent
    };
    std::iter::successors(inner, |id| parent(*id)).any(|id| id == outer)
}
