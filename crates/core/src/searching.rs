//! Searching what somebody follows, and the searches that somebody keeps.

use lede_model::ids::{CategoryId, FeedId, ItemId, SavedSearchId, UserId};
use lede_model::item::{ItemFilter, ItemSummary};
use lede_model::search::{Query, QueryError, SavedSearch};
use lede_store::search::{self, Search};
use lede_store::{StoreError, StoreResult, saved_searches};

use crate::Lede;

/// Beyond this many nobody counts: "more than" says it as well.
pub const COUNT_LIMIT: i64 = 1000;
/// Searches that one person may keep.
pub const MAX_SAVED: i64 = 100;

/// What somebody looks for.
#[derive(Debug, Clone, Default)]
pub struct SearchQuery {
    /// As it was typed.
    pub text: String,
    /// In one feed.
    pub feed: Option<FeedId>,
    /// In a category and those inside it.
    pub category: Option<CategoryId>,
    /// Which of the items.
    pub filter: ItemFilter,
    /// Only what came before this one: the last of the page before.
    pub before: Option<ItemId>,
    /// Items on a page.
    pub limit: usize,
}

/// One page of what was found.
#[derive(Debug)]
pub struct SearchPage {
    /// The newest arrivals first.
    pub items: Vec<ItemSummary>,
    /// The `before` of the next page, when there is one.
    pub next: Option<ItemId>,
    /// What was asked, for showing what matched.
    pub query: Query,
}

/// Why nothing was looked for.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The query does not say what to look for.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// There are enough searches.
    #[error("you keep {MAX_SAVED} searches, which is the limit")]
    TooMany,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A page of what `user` follows and looks for.
pub async fn page(
    lede: &Lede,
    user: UserId,
    asked: SearchQuery,
) -> Result<SearchPage, SearchError> {
    let (search, before, size) = (search_of(&asked)?, asked.before, asked.limit);
    // One more than a page tells whether there is another.
    let limit = i64::try_from(size + 1).unwrap_or(i64::MAX);
    let query = search.query.clone();
    let found = lede
        .store
        .read(move |db| search::page(db, user, &search, before, limit));
    let mut items = found.await?;
    let has_more = items.len() > size;
    items.truncate(size);
    let next = items.last().filter(|_| has_more).map(|last| last.id);
    Ok(SearchPage { items, next, query })
}

/// How many items there are on all pages together, [`COUNT_LIMIT`] at most.
pub async fn count(lede: &Lede, user: UserId, asked: SearchQuery) -> Result<i64, SearchError> {
    let search = search_of(&asked)?;
    let counted = lede
        .store
        .read(move |db| search::count(db, user, &search, COUNT_LIMIT));
    Ok(counted.await?)
}

fn search_of(asked: &SearchQuery) -> Result<Search, QueryError> {
    Ok(Search {
        query: Query::parse(&asked.text)?,
        feed: asked.feed,
        category: asked.category,
        filter: asked.filter,
        ..Search::default()
    })
}

/// A search that somebody keeps, with what it finds that is not read.
#[derive(Debug)]
pub struct Kept {
    /// The search.
    pub search: SavedSearch,
    /// [`COUNT_LIMIT`] at most.
    pub unread: i64,
}

/// The searches that `user` keeps, in the person's order.
pub async fn saved(lede: &Lede, user: UserId) -> StoreResult<Vec<Kept>> {
    let found = lede.store.read(move |db| {
        let searches = saved_searches::of_user(db, user)?;
        Ok((searches, search::oldest_unread(db, user)?))
    });
    let (searches, oldest) = found.await?;
    let mut kept = Vec::with_capacity(searches.len());
    for search in searches {
        // Each by itself: between two of them others may read.
        let unread = unread(lede, user, &search.query, oldest).await?;
        kept.push(Kept { search, unread });
    }
    Ok(kept)
}

/// How much there is that `user` has not read, none of it older than `oldest`.
async fn unread(
    lede: &Lede,
    user: UserId,
    query: &str,
    oldest: Option<ItemId>,
) -> StoreResult<i64> {
    // A query that is no longer understood finds nothing.
    let (Some(oldest), Ok(query)) = (oldest, Query::parse(query)) else {
        return Ok(0);
    };
    let search = Search {
        query,
        filter: ItemFilter::Unread,
        oldest: Some(oldest),
        ..Search::default()
    };
    lede.store
        .read(move |db| search::count(db, user, &search, COUNT_LIMIT))
        .await
}

async fn with_unread(lede: &Lede, user: UserId, search: SavedSearch) -> StoreResult<Kept> {
    let oldest = lede
        .store
        .read(move |db| search::oldest_unread(db, user))
        .await?;
    let unread = unread(lede, user, &search.query, oldest).await?;
    Ok(Kept { search, unread })
}

/// Keeps a search, after the others unless `position` says where.
pub async fn save(
    lede: &Lede,
    user: UserId,
    name: String,
    query: String,
    position: Option<i64>,
) -> Result<Kept, SearchError> {
    Query::parse(&query)?;
    let now = lede.clock.now();
    let added = lede.store.write(move |db| {
        if saved_searches::count(db, user)? >= MAX_SAVED {
            return Ok(None);
        }
        saved_searches::add(db, user, &name, &query, position, now).map(Some)
    });
    let added = added.await?.ok_or(SearchError::TooMany)?;
    Ok(with_unread(lede, user, added).await?)
}

/// Changes a search that `user` keeps; `None` when it is not theirs.
pub async fn change(
    lede: &Lede,
    user: UserId,
    search: SavedSearchId,
    change: saved_searches::Change,
) -> Result<Option<Kept>, SearchError> {
    if let Some(query) = &change.query {
        Query::parse(query)?;
    }
    let changed = lede
        .store
        .write(move |db| saved_searches::set(db, user, search, &change));
    match changed.await? {
        None => Ok(None),
        Some(search) => Ok(Some(with_unread(lede, user, search).await?)),
    }
}

/// No longer keeps a search; `false` when `user` did not.
pub async fn forget(lede: &Lede, user: UserId, search: SavedSearchId) -> StoreResult<bool> {
    lede.store
        .write(move |db| saved_searches::remove(db, user, search))
        .await
}
