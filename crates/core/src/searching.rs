//! Searching what somebody follows, and the searches that somebody keeps.

use lede_model::ids::{ItemId, SavedSearchId, UserId};
use lede_model::item::{ItemFilter, List, Scope, Start};
use lede_model::search::{Query, QueryError, SavedSearch};
use lede_store::search::{self, Search};
use lede_store::{StoreError, StoreResult, lists, saved_searches};

use crate::Lede;
use crate::organising::with_one_at;
use crate::reading::ItemPage;

/// Beyond this many nobody counts: "more than" says it as well.
pub const COUNT_LIMIT: i64 = 1000;
/// The same for the total beside a page, which everybody waits for.
pub const TOTAL_LIMIT: i64 = 100;
/// Searches that one person may keep.
pub const MAX_SAVED: i64 = 100;

/// What somebody looks for.
#[derive(Debug, Clone)]
pub struct SearchQuery {
    /// As it was typed.
    pub text: String,
    /// In which list; what is found comes newest arrival first, whatever its order.
    pub list: List,
    /// From where on.
    pub start: Start,
    /// Items on a page.
    pub limit: i64,
}

/// One page of what was found.
#[derive(Debug)]
pub struct SearchPage {
    /// The newest arrivals first; of the total, [`TOTAL_LIMIT`] or
    /// what the page goes to at most.
    pub page: ItemPage,
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

/// A page of what `user` looks for; `None` when it is in a feed, category or label that is not theirs.
pub async fn page(
    lede: &Lede,
    user: UserId,
    asked: SearchQuery,
) -> Result<Option<SearchPage>, SearchError> {
    let SearchQuery {
        text,
        list,
        start,
        limit,
    } = asked;
    let query = Query::parse(&text)?;
    let mut search = Search {
        query: query.clone(),
        filter: list.filter,
        ..Search::default()
    };
    match list.scope {
        Scope::Everything => {}
        Scope::Feed(feed) => search.feed = Some(feed),
        Scope::Category(category) => search.category = Some(category),
        Scope::Label(label) => search.label = Some(label),
    }
    let found = lede.store.read(move |db| {
        if !lists::is_theirs(db, user, list.scope)? {
            return Ok(None);
        }
        // One more than a page tells whether there is another.
        let (items, total) = match start {
            Start::After(position) => {
                let before = Some(position.id);
                let items = search::page(db, user, &search, before, limit + 1)?;
                (items, None)
            }
            Start::Skip(skip) => {
                let (items, total) =
                    search::numbered_page(db, user, &search, skip, limit + 1, TOTAL_LIMIT)?;
                (items, Some(total))
            }
        };
        Ok(Some(ItemPage::new(items, limit, total)))
    });
    Ok(found.await?.map(|page| SearchPage { page, query }))
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

/// One of them.
pub async fn find(
    lede: &Lede,
    user: UserId,
    search: SavedSearchId,
) -> StoreResult<Option<SavedSearch>> {
    let kept = lede.store.read(move |db| saved_searches::of_user(db, user));
    Ok(kept.await?.into_iter().find(|kept| kept.id == search))
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

/// Puts a search of `user` behind the first `at` of the others; `false` when it is not theirs.
pub async fn place(
    lede: &Lede,
    user: UserId,
    search: SavedSearchId,
    at: usize,
) -> StoreResult<bool> {
    lede.store
        .write(move |db| {
            let kept = saved_searches::of_user(db, user)?;
            if kept.iter().all(|kept| kept.id != search) {
                return Ok(false);
            }
            let others = kept.iter().map(|kept| kept.id).filter(|id| *id != search);
            saved_searches::reorder(db, user, &with_one_at(others, search, at))?;
            Ok(true)
        })
        .await
}

/// No longer keeps a search; `false` when `user` did not.
pub async fn forget(lede: &Lede, user: UserId, search: SavedSearchId) -> StoreResult<bool> {
    lede.store
        .write(move |db| saved_searches::remove(db, user, search))
        .await
}
