//! Search queries.
//!
//! Results are newest first by date, or best first. The indexes of both engines have the order of the
//! ids, which is that of arrival. An item is not dated after its arrival, so the newest results are
//! among the latest arrivals, and a page is complete once its last item is newer than the next
//! arrival ([`newest`]). SQLite walks its index from the newest id and stops when the page is full.
//! PostgreSQL's finds all matches before it can sort them. So there the newest texts are scanned
//! first, and the index is used only if they do not fill the page. The ids are found first, in
//! narrow rows, and the list columns are read afterwards. A query without words walks the shortest
//! list that contains all possible results.

mod ids;

use std::collections::HashMap;

use lede_model::ids::{CategoryId, FeedId, ItemId, LabelId, UserId};
use lede_model::item::{ItemFilter, ItemSummary, Position};
use lede_model::search::{FeedFacts, Filters, Query};
use lede_model::time::Timestamp;

use self::ids::{ResultOrder, ResultPart, ids_statement};
use super::{feeds, render};
use crate::batch::list;
use crate::engine::{Engine, Value};
use crate::unread::unread_of;
use crate::{Db, StoreResult, items, labels, params, statements};

/// Maximum number of feeds whose item ids SQLite collects first. For so few feeds that is cheaper
/// than reading an item for each match: a quarter of the time if one feed of a hundred is searched.
const FEW_FEEDS: usize = 8;

/// Number of the newest texts that PostgreSQL scans per item of a page. A text takes 2.5 µs, so a
/// page of 51 costs 1 ms if they do not fill it, and saves up to 30 ms if they do. Longer pages
/// come from requests that skip many items; no scan is made for them, to keep it bounded.
const LOOKED_THROUGH: i64 = 8;
const LONGEST_LOOKED_FOR: i64 = 201;

/// First step of [`newest`], in pages, and the factor of the next.
const FIRST_STEP: i64 = 3;
const NEXT_STEP: i64 = 8;

/// Query and scope of a search.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// An empty query matches everything.
    pub query: Query,
    pub feed: Option<FeedId>,
    /// Includes subcategories.
    pub category: Option<CategoryId>,
    pub label: Option<LabelId>,
    pub filter: ItemFilter,
    /// Lowest item id, which means the earliest arrival.
    pub oldest: Option<ItemId>,
    /// Earliest date of the items.
    pub from: Option<Timestamp>,
}

statements! {
    // Adding 0 keeps the engines from walking all ids from the oldest until one matches: matching
    // ids are among the newest.
    OLDEST_UNREAD = concat!("SELECT MIN(u.item_id + 0) FROM unread u WHERE ", unread_of!("u", "$1"));
    OLDEST_SINCE = "SELECT MIN(id + 0) FROM item WHERE sort_at >= $1";
}

/// Returns a page of search results of `user` after a position, newest first.
pub fn page(
    db: &mut Db<'_>,
    user: UserId,
    search: &Search,
    after: Option<Position>,
    limit: i64,
) -> StoreResult<Vec<ItemSummary>> {
    let ids = newest(db, user, search, after, limit)?;
    summaries(db, user, &ids)
}

/// Returns the best results of `user`, best first. A search without words has no better ones; its
/// newest results are returned.
pub fn best(
    db: &mut Db<'_>,
    user: UserId,
    search: &Search,
    limit: i64,
) -> StoreResult<Vec<ItemSummary>> {
    let Some(plan) = Plan::of(db, user, search)? else {
        return Ok(Vec::new());
    };
    if plan.source() != Source::Words {
        return page(db, user, search, None, limit);
    }
    let part = ResultPart::all(ResultOrder::Relevance);
    let rows = rows(db, user, &plan, Source::Words, part, limit)?;
    let ids: Vec<ItemId> = rows.into_iter().map(|row| row.id).collect();
    summaries(db, user, &ids)
}

/// Returns the page after the first `skip` results and the total number of results. The total is
/// capped at `most`, or at the end of the page if that is more.
pub fn numbered_page(
    db: &mut Db<'_>,
    user: UserId,
    search: &Search,
    skip: i64,
    limit: i64,
    most: i64,
) -> StoreResult<(Vec<ItemSummary>, i64)> {
    let end = skip + limit;
    let ids = newest(db, user, search, None, end)?;
    let seen = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    let total = match seen < end {
        true => seen,
        false => count(db, user, search, most.max(end))?,
    };
    let page = ids.get(usize::try_from(skip).unwrap_or_default()..);
    Ok((summaries(db, user, page.unwrap_or_default())?, total))
}

/// Returns the number of results, at most `most`.
pub fn count(db: &mut Db<'_>, user: UserId, search: &Search, most: i64) -> StoreResult<i64> {
    let ids = found(db, user, search, None, most)?;
    Ok(i64::try_from(ids.len()).unwrap_or(i64::MAX))
}

/// Returns the lowest id of the unread items of `user`.
pub fn oldest_unread(db: &mut Db<'_>, user: UserId) -> StoreResult<Option<ItemId>> {
    db.one(OLDEST_UNREAD, params![user], |row| row.get(0))
}

/// Returns the lowest id of the items dated `from` or later.
pub fn oldest_since(db: &mut Db<'_>, from: Timestamp) -> StoreResult<Option<ItemId>> {
    db.one(OLDEST_SINCE, params![from], |row| row.get(0))
}

/// A result: its id and date, and the time of its arrival if that is known.
struct ResultRow {
    id: ItemId,
    sort_at: Timestamp,
    arrived_at: Option<Timestamp>,
}

fn rows(
    db: &mut Db<'_>,
    user: UserId,
    plan: &Plan,
    source: Source,
    part: ResultPart,
    limit: i64,
) -> StoreResult<Vec<ResultRow>> {
    let (sql, values) = ids_statement(db.engine(), user, plan, source, part, limit);
    db.query_rows(&sql, &values, |row| {
        Ok(ResultRow {
            id: row.get(0)?,
            sort_at: row.get(1)?,
            arrived_at: row.get(2)?,
        })
    })
}

/// Returns the ids of the results after a position, newest first.
///
/// Words are found in order of arrival, in growing steps, until no later arrival can be newer than
/// the results so far. A feed that was followed yesterday has hundreds of old items among the latest
/// arrivals, which the first steps read in vain.
fn newest(
    db: &mut Db<'_>,
    user: UserId,
    search: &Search,
    after: Option<Position>,
    limit: i64,
) -> StoreResult<Vec<ItemId>> {
    let Some(plan) = Plan::of(db, user, search)? else {
        return Ok(Vec::new());
    };
    let source = plan.source();
    let mut part = ResultPart {
        after,
        ..ResultPart::all(ResultOrder::Date)
    };
    if source != Source::Words {
        let rows = rows(db, user, &plan, source, part, limit)?;
        return Ok(rows.into_iter().map(|row| row.id).collect());
    }
    part.order = ResultOrder::Arrival;
    let wanted = usize::try_from(limit).unwrap_or_default();
    let (mut best, mut step): (Vec<(Timestamp, ItemId)>, i64) = (Vec::new(), limit * FIRST_STEP);
    loop {
        let found = arrivals(db, user, &plan, part, step)?;
        best.extend(found.iter().map(|row| (row.sort_at, row.id)));
        best.sort_unstable_by(|one, other| other.cmp(one));
        best.truncate(wanted);
        part.arrived_before = found.last().map(|row| row.id);
        let is_all = i64::try_from(found.len()).unwrap_or(i64::MAX) < step;
        let next_arrival = found.iter().rev().find_map(|row| row.arrived_at);
        let is_complete = best.len() == wanted
            && next_arrival.is_some_and(|next| best.last().is_some_and(|last| last.0 >= next));
        if is_all || is_complete {
            return Ok(best.into_iter().map(|(_, id)| id).collect());
        }
        step *= NEXT_STEP;
    }
}

/// Returns results in order of arrival.
fn arrivals(
    db: &mut Db<'_>,
    user: UserId,
    plan: &Plan,
    part: ResultPart,
    limit: i64,
) -> StoreResult<Vec<ResultRow>> {
    let source = plan.source();
    if source == Source::Words && plan.may_be_among_newest(db.engine(), limit) {
        let newest = rows(db, user, plan, Source::NewestWords, part, limit)?;
        if newest.len() as i64 >= limit {
            return Ok(newest);
        }
    }
    rows(db, user, plan, source, part, limit)
}

/// Returns the ids of search results, latest arrivals first.
pub(crate) fn found(
    db: &mut Db<'_>,
    user: UserId,
    search: &Search,
    before: Option<ItemId>,
    limit: i64,
) -> StoreResult<Vec<ItemId>> {
    let Some(plan) = Plan::of(db, user, search)? else {
        return Ok(Vec::new());
    };
    let part = ResultPart {
        arrived_before: before,
        ..ResultPart::all(ResultOrder::Arrival)
    };
    let rows = arrivals(db, user, &plan, part, limit)?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// Returns the list columns of these items, in the given order.
pub fn summaries(db: &mut Db<'_>, user: UserId, ids: &[ItemId]) -> StoreResult<Vec<ItemSummary>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut values = params![user].to_vec();
    values.extend(padded(ids).map(|id| Value::from(*id)));
    let sql = summaries_sql(values.len() - 1);
    let mut found = db.query_rows(&sql, &values, items::summary)?;
    let places: HashMap<ItemId, usize> = ids.iter().copied().zip(0..).collect();
    found.sort_unstable_by_key(|item| places.get(&item.id).copied());
    Ok(found)
}

fn summaries_sql(ids: usize) -> String {
    format!(
        "SELECT {} FROM item i CROSS JOIN feed f LEFT JOIN subscription s ON s.user_id = $1 AND s.feed_id = i.feed_id
         WHERE i.id IN ({}) AND f.id = i.feed_id AND (s.feed_id IS NOT NULL OR {}) AND {}",
        items::columns!(items::is_unread!(), items::is_starred!()),
        list(2, ids),
        items::saved_by!("$1"),
        items::visible_to!("$1")
    )
}

/// Pads values to the next power of two by repeating the last one. This limits the number of
/// different statements, so that they stay prepared.
pub(crate) fn padded<T>(values: &[T]) -> impl Iterator<Item = &T> {
    let last = values.last().into_iter();
    let rest = values.len().next_power_of_two() - values.len();
    values.iter().chain(last.cycle().take(rest))
}

/// A search resolved against the user's feeds and labels.
#[derive(Default)]
struct Plan {
    /// Required words in the engine's query language, including exclusions.
    wanted: Option<String>,
    /// Excluded words, if `wanted` is `None`.
    unwanted: Option<String>,
    /// `None` for all feeds that the user follows.
    feeds: Option<Vec<FeedId>>,
    /// Labels that the item must have, followed by those that it must not have.
    labelled: Vec<LabelId>,
    unlabelled: Vec<LabelId>,
    unread: Option<bool>,
    starred: Option<bool>,
    from: Option<Timestamp>,
    until: Option<Timestamp>,
    oldest: Option<ItemId>,
}

/// The table that a plan walks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Words,
    /// The newest texts, filtered by the words. PostgreSQL only.
    NewestWords,
    Starred,
    Labelled,
    Unread,
    Feeds,
    Everything,
}

impl Plan {
    /// Resolves a search; `None` if it cannot match anything.
    fn of(db: &mut Db<'_>, user: UserId, search: &Search) -> StoreResult<Option<Self>> {
        let (query, filters) = (&search.query, search.query.filters());
        let (unread, starred) = match search.filter {
            ItemFilter::All => (None, None),
            ItemFilter::Unread => (Some(true), None),
            ItemFilter::Starred => (None, Some(true)),
            ItemFilter::UnreadStarred => (Some(true), Some(true)),
            ItemFilter::Read => (Some(false), None),
        };
        let contradict = |one: Option<bool>, other: Option<bool>| {
            one.is_some_and(|one| other.is_some_and(|other| one != other))
        };
        if filters.contradict
            || contradict(unread, filters.unread)
            || contradict(starred, filters.starred)
        {
            return Ok(None);
        }
        let feeds = feeds_of(db, user, search)?;
        if feeds.as_ref().is_some_and(Vec::is_empty) {
            return Ok(None);
        }
        let Some((mut labelled, unlabelled)) = labels_of(db, user, filters)? else {
            return Ok(None);
        };
        labelled.extend(search.label);
        let wanted = render::wanted(db.engine(), query);
        let unwanted = match wanted {
            Some(_) => None,
            None => render::unwanted(db.engine(), query),
        };
        Ok(Some(Self {
            wanted,
            unwanted,
            feeds,
            labelled,
            unlabelled,
            unread: unread.or(filters.unread),
            starred: starred.or(filters.starred),
            from: search.from.max(filters.from),
            until: filters.until,
            oldest: search.oldest,
        }))
    }

    /// Returns `true` if the newest texts are likely to fill a page when the words are frequent.
    fn may_be_among_newest(&self, engine: Engine, limit: i64) -> bool {
        let is_of_few =
            self.feeds.is_some() || !self.labelled.is_empty() || self.starred == Some(true);
        engine == Engine::Postgres && limit <= LONGEST_LOOKED_FOR && !is_of_few
    }

    fn source(&self) -> Source {
        if self.wanted.is_some() {
            Source::Words
        } else if !self.labelled.is_empty() {
            Source::Labelled
        } else if self.starred == Some(true) {
            Source::Starred
        } else if self.unread == Some(true) {
            Source::Unread
        } else if self.feeds.is_some() {
            Source::Feeds
        } else {
            Source::Everything
        }
    }
}

/// Returns the feeds to search; `None` for all that `user` follows.
fn feeds_of(db: &mut Db<'_>, user: UserId, search: &Search) -> StoreResult<Option<Vec<FeedId>>> {
    let filters = search.query.filters();
    if !filters.has_feed_condition() && search.category.is_none() {
        // The statement checks for each item that its feed is followed.
        return Ok(search.feed.map(|feed| vec![feed]));
    }
    let followed = feeds::followed(db, user)?;
    let all = followed.len();
    let is_searched = |feed: &FeedFacts| {
        let is_inside = |wanted| feed.categories.iter().any(|(id, _)| *id == wanted);
        search.feed.is_none_or(|wanted| feed.id == wanted)
            && search.category.is_none_or(is_inside)
            && filters.allow_feed(feed)
    };
    let searched = followed.iter().filter(|feed| is_searched(feed));
    let searched: Vec<FeedId> = searched.map(|feed| feed.id).collect();
    Ok((searched.is_empty() || searched.len() < all).then_some(searched))
}

/// Returns the labels that a query requires and those that it excludes; `None` if `user` lacks a
/// required one.
fn labels_of(
    db: &mut Db<'_>,
    user: UserId,
    filters: &Filters,
) -> StoreResult<Option<(Vec<LabelId>, Vec<LabelId>)>> {
    let (mut labelled, mut unlabelled) = (Vec::new(), Vec::new());
    if filters.labels().is_empty() {
        return Ok(Some((labelled, unlabelled)));
    }
    let own = labels::of_user(db, user)?;
    for filter in filters.labels() {
        let named = own.iter().find(|own| own.name.to_lowercase() == filter.key);
        match (named, filter.is_excluded) {
            (Some(label), false) => labelled.push(label.id),
            (Some(label), true) => unlabelled.push(label.id),
            (None, false) => return Ok(None),
            (None, true) => {}
        }
    }
    Ok(Some((labelled, unlabelled)))
}

/// The statements of every kind of search, for the test of all statements.
pub(crate) fn engine_statements(engine: Engine) -> Vec<(&'static str, String)> {
    #[expect(
        clippy::disallowed_methods,
        reason = "nobody is signed in: only the text of the statement is wanted"
    )]
    let nobody = UserId::from_row(0);
    let text = || Some("x".to_owned());
    let mut statements = vec![("summaries", summaries_sql(2))];
    let flags = [None, Some(true), Some(false)];
    for (wanted, unwanted) in [(None, None), (text(), None), (None, text())] {
        for (unread, starred) in flags
            .into_iter()
            .flat_map(|unread| flags.map(|starred| (unread, starred)))
        {
            for feeds in [None, Some(vec![FeedId::from(1), FeedId::from(2)])] {
                for date in [None, Some(Timestamp::EPOCH)] {
                    for labels in [0, 2] {
                        let plan = Plan {
                            wanted: wanted.clone(),
                            unwanted: unwanted.clone(),
                            feeds: feeds.clone(),
                            labelled: vec![LabelId::from(1); labels],
                            unlabelled: vec![LabelId::from(2); labels],
                            unread,
                            starred,
                            from: date,
                            until: date,
                            oldest: None,
                        };
                        let source = plan.source();
                        if plan.may_be_among_newest(engine, 1) && source == Source::Words {
                            let newest = Source::NewestWords;
                            let part = ResultPart::all(ResultOrder::Arrival);
                            let (sql, _) = ids_statement(engine, nobody, &plan, newest, part, 1);
                            statements.push(("search_newest", sql));
                        }
                        let name = match source {
                            Source::Words | Source::NewestWords => "search_words",
                            Source::Starred => "search_starred",
                            Source::Labelled => "search_labelled",
                            Source::Unread => "search_unread",
                            Source::Feeds => "search_feeds",
                            Source::Everything => "search_everything",
                        };
                        let order = match source {
                            Source::Words => ResultOrder::Arrival,
                            _ => ResultOrder::Date,
                        };
                        let part = ResultPart::all(order);
                        let (sql, _) = ids_statement(engine, nobody, &plan, source, part, 1);
                        statements.push((name, sql));
                        if source == Source::Words {
                            let part = ResultPart::all(ResultOrder::Relevance);
                            let (sql, _) = ids_statement(engine, nobody, &plan, source, part, 1);
                            statements.push(("search_best", sql));
                        }
                    }
                }
            }
        }
    }
    statements
}
