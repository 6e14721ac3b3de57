//! Reading: the lists, an item, and the marks on it.

use std::collections::HashSet;
use std::time::Duration;

use lede_feed::clean;
use lede_model::content::{EXCERPT_CHARS, excerpt};
use lede_model::feed::{FeedHealth, FeedLine, Subscription};
use lede_model::ids::{CategoryId, FeedId, ItemId, SweepId, UserId};
use lede_model::item::{Item, ItemFilter, ItemSummary, List, Position, Scope, Start};
use lede_model::mark::{MarkChange, Marks};
use lede_model::time::Timestamp;
use lede_store::sweeps::{self, Bound};
use lede_store::{
    Db, Known, StoreError, StoreResult, Version, categories, items, lists, marks, subscriptions,
};

use crate::steps::Steps;
use crate::{Lede, articles};

/// Items on one page of a list, unless somebody asks for another number.
pub const PAGE: i64 = 50;
/// The longest page.
pub const LONGEST_PAGE: i64 = 200;
/// How long a sweep can be undone.
pub const UNDO_FOR: Duration = Duration::from_secs(600);
/// Items that are marked read in one step, at first and at most, where they are not marked at a stroke; and
/// those that are put back.
const MARKED: Steps = Steps::of(500, 4_000);
const PUT_BACK: Steps = Steps::of(250, 2_000);

/// One page of a list.
#[derive(Debug)]
pub struct ItemPage {
    /// In the list's order.
    pub items: Vec<ItemSummary>,
    /// Where the next page begins, when there is one.
    pub next: Option<Position>,
    /// How many there are in all, where that was asked for.
    pub total: Option<i64>,
}

/// A page of what `user` follows; `None` when it is of a feed, category or label that is not theirs.
pub async fn list(
    lede: &Lede,
    user: UserId,
    list: List,
    start: Start,
    limit: i64,
    is_counted: bool,
) -> StoreResult<Option<ItemPage>> {
    let List { scope, filter, .. } = list;
    let glance = lede.store.glance(move |db| {
        if !lists::is_theirs(db, user, scope)? {
            return Ok(None);
        }
        // One more than a page tells whether there is another.
        let items = lists::page(db, user, list, start, limit + 1)?;
        let total = match is_counted {
            true => Some(lists::known_count(db, user, scope, filter)?),
            false => None,
        };
        Ok(Some((items, total)))
    });
    let Some((items, total)) = glance.await? else {
        return Ok(None);
    };
    let total = match total {
        None => None,
        Some(Known::Number(total)) => Some(total),
        Some(Known::Not(version)) => Some(count(lede, user, list, version).await?),
    };
    Ok(Some(ItemPage::new(items, limit, total)))
}

/// Counting takes its time, so that it is done elsewhere and remembered.
async fn count(lede: &Lede, user: UserId, list: List, version: Version) -> StoreResult<i64> {
    let List { scope, filter, .. } = list;
    let counted = lede
        .store
        .read(move |db| lists::count(db, user, scope, filter))
        .await?;
    let note = lede.store.glance(move |db| {
        lists::note_count(db, user, scope, filter, version.clone(), counted);
        Ok(())
    });
    note.await?;
    Ok(counted)
}

impl ItemPage {
    /// The first `limit` of `items`, which has one more where there is another page.
    pub fn new(mut items: Vec<ItemSummary>, limit: i64, total: Option<i64>) -> Self {
        let limit = usize::try_from(limit).unwrap_or_default();
        let has_more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| has_more);
        let next = next.map(ItemSummary::position);
        Self { items, next, total }
    }
}

/// The feed's own summary of an item: the beginning of its text. What lists show of it is the article's once that was
/// fetched.
pub fn feeds_summary(item: &Item) -> String {
    match item.full_html {
        Some(_) => excerpt(&clean::text(&item.html), EXCERPT_CHARS),
        None => item.summary.excerpt.clone(),
    }
}

/// What is to be marked read.
#[derive(Debug, Clone)]
pub enum Swept {
    /// These; what is not the person's is passed over.
    Items(Vec<ItemId>),
    /// Everything unread in a list, up to the newest item and the latest date that the person saw.
    Unread {
        /// Of what.
        scope: Scope,
        /// The newest item; nothing is what is there now.
        newest: Option<ItemId>,
        /// The latest date; nothing is any.
        before: Option<Timestamp>,
    },
}

/// What a sweep came to.
#[derive(Debug, Clone, Copy)]
pub struct Sweep {
    /// For undoing it; nothing when nothing was unread.
    pub id: Option<SweepId>,
    /// Items that were unread.
    pub marked: usize,
    /// Items that were named and are not the person's.
    pub unknown: usize,
}

/// Marks many items read at once; `None` when nothing of what was named is the person's.
pub async fn mark_read(lede: &Lede, user: UserId, swept: Swept) -> StoreResult<Option<Sweep>> {
    let now = lede.clock.now();
    let old = now - UNDO_FOR;
    match swept {
        Swept::Items(mut items) => {
            items.sort_unstable();
            items.dedup();
            let marked = lede.store.write(move |db| {
                let theirs = sweeps::count_theirs(db, user, &items)?;
                if theirs == 0 {
                    return Ok(None);
                }
                let theirs = usize::try_from(theirs).unwrap_or_default();
                let (id, _) = sweeps::begin(db, user, Scope::Everything, now, old)?;
                let marked = sweeps::mark_read(db, user, id, &items, now)?;
                Ok(Some((id, marked, items.len().saturating_sub(theirs))))
            });
            let Some((id, marked, unknown)) = marked.await? else {
                return Ok(None);
            };
            let sweep = swept_so_many(lede, user, id, marked).await?;
            Ok(Some(Sweep { unknown, ..sweep }))
        }
        Swept::Unread {
            scope,
            newest,
            before,
        } => {
            let begun = lede.store.write(move |db| {
                if !lists::is_theirs(db, user, scope)? {
                    return Ok(None);
                }
                let newest = match newest {
                    Some(newest) => newest,
                    None => sweeps::newest_item(db)?,
                };
                Ok(Some((newest, sweeps::begin(db, user, scope, now, old)?)))
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
                    let (removed, rest) = sweeps::step(db, user, id, bound, &progress, most)?;
                    Ok(((removed, rest), removed))
                };
                let (removed, rest) = steps.step(&lede.store, step).await?;
                marked += removed;
                left = rest;
            }
            swept_so_many(lede, user, id, marked).await.map(Some)
        }
    }
}

/// A sweep that found nothing leaves nothing to undo.
async fn swept_so_many(
    lede: &Lede,
    user: UserId,
    id: SweepId,
    marked: usize,
) -> StoreResult<Sweep> {
    lede.wake.marked(user);
    if marked > 0 {
        return Ok(Sweep {
            id: Some(id),
            marked,
            unknown: 0,
        });
    }
    lede.store
        .write(move |db| sweeps::forget(db, user, id))
        .await?;
    Ok(Sweep {
        id: None,
        marked,
        unknown: 0,
    })
}

/// Why a sweep was not undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// There is none of that number, or it was undone already.
    #[error("there is nothing to undo")]
    Unknown,
    /// It was too long ago.
    #[error("marking items read can be undone for ten minutes, and these have passed")]
    TooLate,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes unread again what a sweep marked read: how many items.
pub async fn undo(lede: &Lede, user: UserId, sweep: SweepId) -> Result<usize, UndoError> {
    let now = lede.clock.now();
    let swept_at = lede
        .store
        .read(move |db| sweeps::swept_at(db, user, sweep))
        .await?
        .ok_or(UndoError::Unknown)?;
    if now > swept_at + UNDO_FOR {
        return Err(UndoError::TooLate);
    }
    let (mut restored, mut has_more) = (0, true);
    let mut steps = PUT_BACK;
    while has_more {
        let step = move |db: &mut Db<'_>, most: usize| {
            let (some, has_more) = sweeps::step_back(db, user, sweep, swept_at, most)?;
            Ok(((some, has_more), some))
        };
        let some;
        (some, has_more) = steps.step(&lede.store, step).await?;
        restored += some;
    }
    lede.wake.marked(user);
    Ok(restored)
}

/// One item with its text, if it is in a feed that `user` follows.
pub async fn find_item(lede: &Lede, user: UserId, item: ItemId) -> StoreResult<Option<Item>> {
    let before = articles::tried_before(lede.clock.now());
    lede.store
        .glance(move |db| items::find(db, user, item, before))
        .await
}

/// The newest items that `user` has not read, with their texts, for reading without a network.
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

/// Changes the marks of `user` on an item; `None` when it is in no feed that `user` follows.
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
    lede.wake.marked(user);
    Ok(marks)
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

/// Feeds on one page of [`feed_page`].
const FEEDS_ON_PAGE: usize = 20;

/// Which feeds somebody looks for.
#[derive(Debug, Clone, Default)]
pub struct FeedSearch {
    /// A part of the name, in capitals or not; all names have the empty one.
    pub name: String,
    /// How they do; nothing is any.
    pub health: Option<FeedHealth>,
    /// Which page of them; the first is 1.
    pub page: usize,
}

/// One page of the feeds that somebody looked for.
#[derive(Debug)]
pub struct FeedPage {
    /// By name.
    pub feeds: Vec<FeedLine>,
    /// Which page it is: the last one when there are fewer than was thought.
    pub page: usize,
    /// Pages in all; at least one.
    pub pages: usize,
    /// Feeds on all pages.
    pub total: usize,
    /// Whether the person follows anything at all.
    pub follows_any: bool,
}

/// What `user` follows by name, as far as it is looked for, by pages.
pub async fn feed_page(lede: &Lede, user: UserId, search: &FeedSearch) -> StoreResult<FeedPage> {
    let mut feeds = lede
        .store
        .read(move |db| subscriptions::lines(db, user))
        .await?;
    let follows_any = !feeds.is_empty();
    // Names are compared here: SQLite knows the capitals of plain letters only. A person has a thousand
    // feeds at most.
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

/// Whether anything in what `user` follows is as new as `since`.
pub async fn has_items_since(lede: &Lede, user: UserId, since: Timestamp) -> StoreResult<bool> {
    // The list of everything begins with the newest.
    lede.store
        .glance(move |db| lists::page(db, user, List::default(), Start::FIRST, 1))
        .await
        .map(|items| items.iter().any(|item| item.sort_at >= since))
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
