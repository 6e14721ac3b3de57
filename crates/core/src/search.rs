//! Full-text search in the feeds of a user, and saved searches.

use std::collections::HashMap;

use lede_feed::clean;
use lede_model::content::{CleanHtml, EXCERPT_CHARS, excerpt};
use lede_model::ids::{ItemId, SavedSearchId, UserId};
use lede_model::item::{ItemFilter, ItemSummary, List, Scope, Start};
use lede_model::search::{Part, Query, QueryError, SavedSearch, highlight};
use lede_model::time::Timestamp;
use lede_store::search::{self, Search};
use lede_store::{StoreError, StoreResult, lists, saved_searches};

use crate::Lede;
use crate::categories::with_one_at;
use crate::cpu_pool::bounded;
use crate::reading::{ItemPage, PAGE};

/// Upper limit of counts; beyond it "more than" is good enough.
pub const COUNT_LIMIT: i64 = 1000;
/// Upper limit of the total beside a page, for which the user waits.
pub const TOTAL_LIMIT: i64 = 100;
/// Characters of a snippet before the match: about a line on a phone.
const SNIPPET_BEFORE: usize = 60;
/// Saved searches per user.
pub const MAX_SAVED: i64 = 100;

/// Order of search results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SearchOrder {
    /// Newest first.
    #[default]
    Newest,
    /// Best matches first: the best [`TOTAL_LIMIT`] on one page.
    Relevance,
}

/// A request for one page of search results.
#[derive(Debug, Clone)]
pub struct SearchQuery {
    /// The query as the user typed it.
    pub text: String,
    /// The list to search in. Its order is ignored.
    pub list: List,
    pub order: SearchOrder,
    pub start: Start,
    pub limit: i64,
}

/// One page of search results.
#[derive(Debug)]
pub struct SearchPage {
    /// In the requested order. The total is limited to [`TOTAL_LIMIT`], or to the end of this page
    /// if that is further.
    pub page: ItemPage,
    /// The parsed query, for highlighting matches.
    pub query: Query,
    /// The first match in the text of items that have none in title and excerpt.
    pub snippets: HashMap<ItemId, String>,
}

/// Reasons why a search cannot be run or saved.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error("you keep {MAX_SAVED} searches, which is the limit")]
    TooMany,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns a page of results. `None` if the list is of a feed, category or label of another user.
pub async fn page(
    lede: &Lede,
    user: UserId,
    asked: SearchQuery,
) -> Result<Option<SearchPage>, SearchError> {
    let SearchQuery {
        text,
        list,
        order,
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
        if !lists::is_own_scope(db, user, list.scope)? {
            return Ok(None);
        }
        // One more than a page shows whether there is another page.
        let (items, total) = match start {
            _ if order == SearchOrder::Relevance => {
                let items = search::best(db, user, &search, TOTAL_LIMIT)?;
                let total = i64::try_from(items.len()).ok();
                return Ok(Some(ItemPage::new(items, TOTAL_LIMIT, total)));
            }
            Start::After(position) => {
                let items = search::page(db, user, &search, Some(position), limit + 1)?;
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
    let Some(page) = found.await? else {
        return Ok(None);
    };
    let snippets = snippets(lede, &page, &query).await?;
    Ok(Some(SearchPage {
        page,
        query,
        snippets,
    }))
}

/// Returns the text around the first match of each item that has none in its title and excerpt.
async fn snippets(
    lede: &Lede,
    page: &ItemPage,
    query: &Query,
) -> StoreResult<HashMap<ItemId, String>> {
    let is_unmarked = |item: &&ItemSummary| {
        highlight(&item.title, Part::Title, query).is_empty()
            && highlight(&item.excerpt, Part::Any, query).is_empty()
    };
    let unmarked = page.items.iter().filter(is_unmarked).map(|item| item.id);
    let unmarked: Vec<ItemId> = unmarked.collect();
    if unmarked.is_empty() {
        return Ok(HashMap::new());
    }
    let texts = lede.store.read(move |db| search::texts(db, &unmarked));
    let (texts, query) = (texts.await?, query.clone());
    let found = bounded(move || {
        let first = |texts: Vec<CleanHtml>| {
            let mut texts = texts.iter().map(clean::text);
            texts.find_map(|text| snippet(&text, &query))
        };
        let found = texts
            .into_iter()
            .filter_map(|(item, texts)| Some((item, first(texts)?)));
        found.collect()
    });
    // Without them the rows show their beginnings.
    Ok(found.await.unwrap_or_default())
}

/// Returns the text around the first match, cut between words.
fn snippet(text: &str, query: &Query) -> Option<String> {
    let found = highlight(text, Part::Any, query).into_iter().next()?;
    let before = text[..found.start].char_indices().rev();
    let start = before
        .take(SNIPPET_BEFORE)
        .last()
        .map_or(found.start, |(at, _)| at);
    let start = match start {
        0 => 0,
        _ => text[start..found.start]
            .find(char::is_whitespace)
            .map_or(start, |blank| start + blank),
    };
    let beginning = if start == 0 { "" } else { "… " };
    let rest = excerpt(&text[start..], EXCERPT_CHARS);
    Some(format!("{beginning}{rest}"))
}

/// A saved search with the number of unread results.
#[derive(Debug)]
pub struct SavedSearchCount {
    pub search: SavedSearch,
    /// [`COUNT_LIMIT`] at most.
    pub unread: i64,
}

/// Returns the saved searches of `user`, in the user's order.
pub async fn saved(lede: &Lede, user: UserId) -> StoreResult<Vec<SavedSearchCount>> {
    let found = lede.store.read(move |db| {
        let searches = saved_searches::of_user(db, user)?;
        Ok((searches, search::oldest_unread(db, user)?))
    });
    let (searches, oldest) = found.await?;
    let mut kept = Vec::with_capacity(searches.len());
    for search in searches {
        // Each count is a read of its own, so that others can read in between.
        let unread = unread(lede, user, &search.query, oldest).await?;
        kept.push(SavedSearchCount { search, unread });
    }
    Ok(kept)
}

/// Returns one saved search of `user`.
pub async fn find(
    lede: &Lede,
    user: UserId,
    search: SavedSearchId,
) -> StoreResult<Option<SavedSearch>> {
    let kept = lede.store.read(move |db| saved_searches::of_user(db, user));
    Ok(kept.await?.into_iter().find(|kept| kept.id == search))
}

/// Counts the unread items of `user` that match; none of them is older than `oldest`.
async fn unread(
    lede: &Lede,
    user: UserId,
    query: &str,
    oldest: Option<ItemId>,
) -> StoreResult<i64> {
    // A stored query that no longer parses finds nothing.
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

/// Returns the unread items of `user` that a search finds, up to `newest` and the date `before`:
/// the newest [`COUNT_LIMIT`] at most.
pub async fn unread_items(
    lede: &Lede,
    user: UserId,
    text: &str,
    newest: Option<ItemId>,
    before: Option<Timestamp>,
) -> Result<Vec<ItemId>, SearchError> {
    let search = Search {
        query: Query::parse(text)?,
        filter: ItemFilter::Unread,
        ..Search::default()
    };
    let (newest, before) = (
        newest.unwrap_or(ItemId::from(i64::MAX)),
        before.unwrap_or(Timestamp::from_ms(i64::MAX)),
    );
    let mut found = Vec::new();
    let mut last = None;
    loop {
        let search = search.clone();
        let page = lede
            .store
            .read(move |db| search::page(db, user, &search, last, PAGE))
            .await?;
        last = page.last().map(ItemSummary::position);
        let wanted = page
            .iter()
            .filter(|item| item.id <= newest && item.position().sort_at <= before);
        found.extend(wanted.map(|item| item.id));
        if (page.len() as i64) < PAGE || found.len() as i64 >= COUNT_LIMIT {
            found.truncate(COUNT_LIMIT as usize);
            return Ok(found);
        }
    }
}

async fn with_unread(
    lede: &Lede,
    user: UserId,
    search: SavedSearch,
) -> StoreResult<SavedSearchCount> {
    let oldest = lede
        .store
        .read(move |db| search::oldest_unread(db, user))
        .await?;
    let unread = unread(lede, user, &search.query, oldest).await?;
    Ok(SavedSearchCount { search, unread })
}

/// Saves a search at `position`, or after the others.
pub async fn save(
    lede: &Lede,
    user: UserId,
    name: String,
    query: String,
    position: Option<i64>,
) -> Result<SavedSearchCount, SearchError> {
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

/// Changes a saved search. Returns `None` if it is not one of `user`.
pub async fn change(
    lede: &Lede,
    user: UserId,
    search: SavedSearchId,
    change: saved_searches::Change,
) -> Result<Option<SavedSearchCount>, SearchError> {
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

/// Moves a saved search behind the first `at` others. Returns `false` if it is not one of `user`.
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

/// Deletes a saved search. Returns `false` if it is not one of `user`.
pub async fn remove_saved(lede: &Lede, user: UserId, search: SavedSearchId) -> StoreResult<bool> {
    lede.store
        .write(move |db| saved_searches::remove(db, user, search))
        .await
}
