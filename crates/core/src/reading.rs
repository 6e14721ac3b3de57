//! Reading: lists of items, single items, marks, and the list of followed feeds.

use std::collections::HashSet;
use std::time::Duration;

use lede_feed::clean;
use lede_model::content::{EXCERPT_CHARS, excerpt};
use lede_model::feed::{FeedHealth, FeedLine, Subscription};
use lede_model::ids::{BulkMarkId, CategoryId, FeedId, ItemId, UserId};
use lede_model::item::{Item, ItemFilter, ItemSummary, List, Position, Scope, Start};
use lede_model::mark::{MarkChange, Marks};
use lede_model::time::Timestamp;
use lede_store::bulk_marks::{self, Bound};
use lede_store::{
    CachedCount, Db, StoreError, StoreResult, Version, categories, items, lists, marks,
    subscriptions,
};

use crate::batched_writes::Steps;
use crate::{Lede, articles};

/// Items on one page of a list, unless the request sets a limit.
pub const PAGE: i64 = 50;
/// The highest limit that a request may set.
pub const LONGEST_PAGE: i64 = 200;
/// Time during which a bulk mark can be undone.
pub const UNDO_FOR: Duration = Duration::from_secs(600);
/// Items marked as read per step, at first and at most, if they cannot be marked all at once; and
/// items restored per step when that is undone.
const MARKED: Steps = Steps::of(500, 4_000);
const PUT_BACK: Steps = Steps::of(250, 2_000);

/// One page of a list.
#[derive(Debug)]
pub struct ItemPage {
    pub items: Vec<ItemSummary>,
    /// Start of the next page; `None` on the last one.
    pub next: Option<Position>,
    /// Number of items on all pages, if it was requested.
    pub total: Option<i64>,
}

/// Returns a page of items. `None` if the list is of a feed, category or label of another user.
pub async fn list(
    lede: &Lede,
    user: UserId,
    list: List,
    start: Start,
    limit: i64,
    is_counted: bool,
) -> StoreResult<Option<ItemPage>> {
    let List { scope, filter, .. } = list;
    let read_inline = lede.store.read_inline(move |db| {
        if !lists::is_own_scope(db, user, scope)? {
            return Ok(None);
        }
        // One more than a page shows whether there is another page.
        let items = lists::page(db, user, list, start, limit + 1)?;
        let total = match is_counted {
            true => Some(lists::known_count(db, user, scope, filter)?),
            false => None,
        };
        Ok(Some((items, total)))
    });
    let Some((items, total)) = read_inline.await? else {
        return Ok(None);
    };
    let total = match total {
        None => None,
        Some(CachedCount::Number(total)) => Some(total),
        Some(CachedCount::Not(version)) => Some(count(lede, user, list, version).await?),
    };
    Ok(Some(ItemPage::new(items, limit, total)))
}

/// Counts the items of a list. That is slow, so it runs on a reader and the result is cached.
async fn count(lede: &Lede, user: UserId, list: List, version: Version) -> StoreResult<i64> {
    let List { scope, filter, .. } = list;
    let counted = lede
        .store
        .read(move |db| lists::count(db, user, scope, filter))
        .await?;
    let note = lede.store.read_inline(move |db| {
        lists::note_count(db, user, scope, filter, version.clone(), counted);
        Ok(())
    });
    note.await?;
    Ok(counted)
}

impl ItemPage {
    /// Creates a page from up to `limit` + 1 items. The extra one only shows that there is another
    /// page.
    pub fn new(mut items: Vec<ItemSummary>, limit: i64, total: Option<i64>) -> Self {
        let limit = usize::try_from(limit).unwrap_or_default();
        let has_more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| has_more);
        let next = next.map(ItemSummary::position);
        Self { items, next, total }
    }
}

/// Returns the feed's own summary of an item: the beginning of its text. Lists show the beginning
/// of the article instead, once it was fetched.
pub fn feeds_summary(item: &Item) -> String {
    match item.full_html {
        Some(_) => excerpt(&clean::text(&item.html), EXCERPT_CHARS),
        None => item.summary.excerpt.clone(),
    }
}

/// Selection of items to mark as read.
#[derive(Debug, Clone)]
pub enum ReadSelection {
    /// These items; those of other users are skipped.
    Items(Vec<ItemId>),
    /// All unread items of a list, up to the newest item and the latest date that the user saw.
    Unread {
        scope: Scope,
        /// The newest item to mark; `None` is the newest one in the store.
        newest: Option<ItemId>,
        /// The latest date to mark; `None` is no limit.
        before: Option<Timestamp>,
    },
}

/// Result of a bulk mark.
#[derive(Debug, Clone, Copy)]
pub struct BulkMark {
    /// Id for undoing it; `None` if nothing was unread.
    pub id: Option<BulkMarkId>,
    /// Number of items that were unread.
    pub marked: usize,
    /// Number of requested items that the user has no access to.
    pub unknown: usize,
}

/// Marks many items as read. Returns `None` if the user has access to none of the selection.
pub async fn mark_read(
    lede: &Lede,
    user: UserId,
    selection: ReadSelection,
) -> StoreResult<Option<BulkMark>> {
    let now = lede.clock.now();
    let old = now - UNDO_FOR;
    match selection {
        ReadSelection::Items(mut items) => {
            items.sort_unstable();
            items.dedup();
            let marked = lede.store.write(move |db| {
                let visible = bulk_marks::count_visible(db, user, &items)?;
                if visible == 0 && !items.is_empty() {
                    return Ok(None);
                }
                let visible = usize::try_from(visible).unwrap_or_default();
                let (id, _) = bulk_marks::begin(db, user, Scope::Everything, now, old)?;
                let marked = bulk_marks::mark_read(db, user, id, &items, now)?;
                Ok(Some((id, marked, items.len().saturating_sub(visible))))
            });
            let Some((id, marked, unknown)) = marked.await? else {
                return Ok(None);
            };
            let bulk_mark = finish_bulk_mark(lede, user, id, marked).await?;
            Ok(Some(BulkMark {
                unknown,
                ..bulk_mark
            }))
        }
        ReadSelection::Unread {
            scope,
            newest,
            before,
        } => {
            let begun = lede.store.write(move |db| {
                if !lists::is_own_scope(db, user, scope)? {
                    return Ok(None);
                }
                let newest = match newest {
                    Some(newest) => newest,
                    None => bulk_marks::newest_item(db)?,
                };
                Ok(Some((
                    newest,
                    bulk_marks::begin(db, user, scope, now, old)?,
                )))
            });
            let Some((newest, (id, progress))) = begun.await? else {
                return Ok(None);
            };
            let bound = Bound {
                newest,
                before: before.unwrap_or(Timestamp::from_ms(i64::MAX)),
            };
            let (mut marked, mut left) = (0, Some(progress));
            let mut steps = MARKED;
            while let Some(progress) = left {
                let step = move |db: &mut Db<'_>, most: usize| {
                    let (removed, rest) = bulk_marks::step(db, user, id, bound, &progress, most)?;
                    Ok(((removed, rest), removed))
                };
                let (removed, rest) = steps.step(&lede.store, step).await?;
                marked += removed;
                left = rest;
            }
            finish_bulk_mark(lede, user, id, marked).await.map(Some)
        }
    }
}

/// Completes a bulk mark. One that marked nothing is removed, because there is nothing to undo.
async fn finish_bulk_mark(
    lede: &Lede,
    user: UserId,
    id: BulkMarkId,
    marked: usize,
) -> StoreResult<BulkMark> {
    lede.live_updates.marked(user);
    if marked > 0 {
        return Ok(BulkMark {
            id: Some(id),
            marked,
            unknown: 0,
        });
    }
    lede.store
        .write(move |db| bulk_marks::remove(db, user, id))
        .await?;
    Ok(BulkMark {
        id: None,
        marked,
        unknown: 0,
    })
}

/// Reasons why a bulk mark cannot be undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// There is no such bulk mark, or it was undone already.
    #[error("there is nothing to undo")]
    Unknown,
    /// More than [`UNDO_FOR`] has passed.
    #[error("marking items read can be undone for ten minutes, and these have passed")]
    TooLate,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Undoes a bulk mark. Returns the number of items that are unread again.
pub async fn undo(lede: &Lede, user: UserId, bulk_mark: BulkMarkId) -> Result<usize, UndoError> {
    let now = lede.clock.now();
    let marked_at = lede
        .store
        .read(move |db| bulk_marks::marked_at(db, user, bulk_mark))
        .await?
        .ok_or(UndoError::Unknown)?;
    if now > marked_at + UNDO_FOR {
        return Err(UndoError::TooLate);
    }
    let (mut restored, mut has_more) = (0, true);
    let mut steps = PUT_BACK;
    while has_more {
        let step = move |db: &mut Db<'_>, most: usize| {
            let (some, has_more) = bulk_marks::step_back(db, user, bulk_mark, marked_at, most)?;
            Ok(((some, has_more), some))
        };
        let some;
        (some, has_more) = steps.step(&lede.store, step).await?;
        restored += some;
    }
    lede.live_updates.marked(user);
    Ok(restored)
}

/// Returns an item with its text, if it is in a feed that `user` follows.
pub async fn find_item(lede: &Lede, user: UserId, item: ItemId) -> StoreResult<Option<Item>> {
    let before = articles::tried_before(lede.clock.now());
    lede.store
        .read_inline(move |db| items::find(db, user, item, before))
        .await
}

/// Returns the newest unread items of `user` with their texts, for offline reading.
pub async fn newest_unread(lede: &Lede, user: UserId, limit: i64) -> StoreResult<Vec<Item>> {
    let before = articles::tried_before(lede.clock.now());
    let list = List {
        filter: ItemFilter::Unread,
        ..List::default()
    };
    let found = lede.store.read(move |db| {
        let newest = lists::page(db, user, list, Start::FIRST, limit)?;
        let newest: Vec<ItemId> = newest.iter().map(|item| item.id).collect();
        items::find_all(db, user, &newest, before)
    });
    found.await
}

/// Changes the marks of `user` on an item. Returns `None` if `user` follows no feed with this item.
pub async fn set_marks(
    lede: &Lede,
    user: UserId,
    item: ItemId,
    change: MarkChange,
) -> StoreResult<Option<Marks>> {
    let now = lede.clock.now();
    let marks = lede
        .store
        .write(move |db| marks::set(db, user, item, change, now))
        .await?;
    lede.live_updates.marked(user);
    Ok(marks)
}

/// Returns all subscriptions of `user` with unread counts.
pub async fn subscriptions(lede: &Lede, user: UserId) -> StoreResult<Vec<Subscription>> {
    lede.store
        .read(move |db| subscriptions::of_user(db, user))
        .await
}

/// Filter for a list of subscriptions.
#[derive(Debug, Clone, Copy)]
pub struct FeedsQuery {
    /// Only feeds in this category and the categories inside it.
    pub category: Option<CategoryId>,
    /// True to include stopped and paused feeds, which get no new items.
    pub include_disabled: bool,
}

/// Returns the subscriptions that match `query`. `None` if the category is not one of `user`.
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

/// Feeds on one page of [`feed_page`].
const FEEDS_ON_PAGE: usize = 20;

/// Filter and page number for a list of feeds.
#[derive(Debug, Clone, Default)]
pub struct FeedSearch {
    /// Part of the name, ignoring case; empty matches all.
    pub name: String,
    /// `None` matches feeds of any health.
    pub health: Option<FeedHealth>,
    /// Page number, starting at 1.
    pub page: usize,
}

/// One page of feeds.
#[derive(Debug)]
pub struct FeedPage {
    pub feeds: Vec<FeedLine>,
    /// Number of this page; the last page if the requested one does not exist.
    pub page: usize,
    /// Number of pages; at least one.
    pub pages: usize,
    /// Number of feeds on all pages.
    pub total: usize,
    /// False if the user follows no feeds at all.
    pub follows_any: bool,
}

/// Returns a page of the feeds that `user` follows and that match `search`, by name.
pub async fn feed_page(lede: &Lede, user: UserId, search: &FeedSearch) -> StoreResult<FeedPage> {
    let mut feeds = lede
        .store
        .read(move |db| subscriptions::lines(db, user))
        .await?;
    let follows_any = !feeds.is_empty();
    // Names are compared here because SQLite folds the case of ASCII letters only. A user follows a
    // thousand feeds at most.
    let name = search.name.to_lowercase();
    feeds.retain(|feed| {
        search.health.is_none_or(|health| health == feed.health)
            && feed.name.to_lowercase().contains(&name)
    });
    let total = feeds.len();
    let pages = total.div_ceil(FEEDS_ON_PAGE).max(1);
    let page = search.page.clamp(1, pages);
    let feeds = feeds
        .into_iter()
        .skip((page - 1) * FEEDS_ON_PAGE)
        .take(FEEDS_ON_PAGE)
        .collect();
    Ok(FeedPage {
        feeds,
        page,
        pages,
        total,
        follows_any,
    })
}

/// Returns `true` if an item in the feeds of `user` is dated `since` or later.
pub async fn has_items_since(lede: &Lede, user: UserId, since: Timestamp) -> StoreResult<bool> {
    // The default list starts with the newest item.
    lede.store
        .read_inline(move |db| lists::page(db, user, List::default(), Start::FIRST, 1))
        .await
        .map(|items| items.iter().any(|item| item.sort_at >= since))
}

/// Returns the subscription of `user` to one feed.
pub async fn find_subscription(
    lede: &Lede,
    user: UserId,
    feed: FeedId,
) -> StoreResult<Option<Subscription>> {
    lede.store
        .read(move |db| subscriptions::find(db, user, feed))
        .await
}
