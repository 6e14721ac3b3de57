//! Asking the index.
//!
//! What is found comes in the order in which it arrived, newest first, because that is the order
//! of the ids, which both engines' indexes have: SQLite's walks from the newest on and stops when
//! the page is full. PostgreSQL's finds all that match before it can sort them, so there the newest texts
//! are looked through first, and the index is asked when they do not fill the page. The ids come first, from narrow rows; what lists show of them after that.
//! A query without words walks the shortest list that holds all it can find.

use lede_model::ids::{CategoryId, FeedId, ItemId, LabelId, UserId};
use lede_model::item::{ItemFilter, ItemSummary};
use lede_model::mark::MarkKind;
use lede_model::search::{FeedFacts, Filters, Query};
use lede_model::time::Timestamp;

use super::{feeds, render};
use crate::batch::list;
use crate::engine::{Engine, Value};
use crate::unread::{self, unread_of};
use crate::{Db, StoreResult, items, labels, params, statements};

/// So few feeds have so few items that it is cheaper for SQLite to know their ids than to read an
/// item for each that has the words: a quarter of the time where one feed of a hundred is searched.
const FEW_FEEDS: usize = 8;

/// So many of the newest texts are looked through for each item of a page, on PostgreSQL: a text takes 2.5 µs, so
/// that a page of 51 costs 1 ms where they do not fill it, and saves up to 30 where they do. A longer page is
/// asked for by who skips many; texts without end are not looked through for that.
const LOOKED_THROUGH: i64 = 8;
const LONGEST_LOOKED_FOR: i64 = 201;

/// What is looked for, and where.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// What was asked; an empty one finds everything.
    pub query: Query,
    /// In one feed.
    pub feed: Option<FeedId>,
    /// In a category and those inside it.
    pub category: Option<CategoryId>,
    /// Among what has a label.
    pub label: Option<LabelId>,
    /// Which of the items.
    pub filter: ItemFilter,
    /// Not among those that came before this one.
    pub oldest: Option<ItemId>,
    /// Not among those dated earlier.
    pub from: Option<Timestamp>,
}

statements! {
    // The sum keeps the engines from walking all ids from the oldest on until one fits: the ones that
    // do are the newest.
    OLDEST_UNREAD = concat!("SELECT MIN(u.item_id + 0) FROM unread u WHERE ", unread_of!("u", "$1"));
    OLDEST_SINCE = "SELECT MIN(id + 0) FROM item WHERE sort_at >= $1";
}

/// A page of what `user` follows and looks for, the newest arrivals first, that came before `before`.
pub fn page(
    db: &mut Db<'_>,
    user: UserId,
    search: &Search,
    before: Option<ItemId>,
    limit: i64,
) -> StoreResult<Vec<ItemSummary>> {
    let ids = found(db, user, search, before, limit)?;
    summaries(db, user, &ids)
}

/// The same by number: the page after the first `skip`, and how many items there are in all, `most` or
/// what it takes to know the page when there are more. The words are looked up once for both.
pub fn numbered_page(
    db: &mut Db<'_>,
    user: UserId,
    search: &Search,
    skip: i64,
    limit: i64,
    most: i64,
) -> StoreResult<(Vec<ItemSummary>, i64)> {
    let ids = found(db, user, search, None, most.max(skip + limit))?;
    let page = ids.iter().skip(usize::try_from(skip).unwrap_or_default());
    let page: Vec<ItemId> = page
        .take(usize::try_from(limit).unwrap_or_default())
        .copied()
        .collect();
    let total = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    Ok((summaries(db, user, &page)?, total))
}

/// How many items there are, and `most` when there are more.
pub fn count(db: &mut Db<'_>, user: UserId, search: &Search, most: i64) -> StoreResult<i64> {
    let ids = found(db, user, search, None, most)?;
    Ok(i64::try_from(ids.len()).unwrap_or(i64::MAX))
}

/// The first item that came of those that `user` has not read.
pub fn oldest_unread(db: &mut Db<'_>, user: UserId) -> StoreResult<Option<ItemId>> {
    db.one(OLDEST_UNREAD, params![user], |row| row.get(0))
}

/// The first item that came of those dated `from` or later.
pub fn oldest_since(db: &mut Db<'_>, from: Timestamp) -> StoreResult<Option<ItemId>> {
    db.one(OLDEST_SINCE, params![from], |row| row.get(0))
}

/// The numbers of what `user` looks for, as [`page`] has them.
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
    let engine = db.engine();
    let mut ask = |source: Source| {
        let (sql, values) = ids_statement(db.engine(), user, &plan, source, before, limit);
        db.query_rows(&sql, &values, |row| row.get(0))
    };
    let source = plan.source();
    if source == Source::Words && plan.may_be_among_newest(engine, limit) {
        let newest: Vec<ItemId> = ask(Source::NewestWords)?;
        if newest.len() as i64 >= limit {
            return Ok(newest);
        }
    }
    ask(source)
}

/// What lists show of these items, the newest arrivals first.
pub fn summaries(db: &mut Db<'_>, user: UserId, ids: &[ItemId]) -> StoreResult<Vec<ItemSummary>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut values = params![user].to_vec();
    values.extend(padded(ids).map(|id| Value::from(*id)));
    let sql = summaries_sql(values.len() - 1);
    let mut found = db.query_rows(&sql, &values, items::summary)?;
    found.sort_unstable_by_key(|item| std::cmp::Reverse(item.id));
    Ok(found)
}

fn summaries_sql(ids: usize) -> String {
    format!(
        "SELECT {} FROM item i CROSS JOIN subscription s CROSS JOIN feed f
         WHERE i.id IN ({}) AND s.user_id = $1 AND s.feed_id = i.feed_id AND f.id = i.feed_id AND {}",
        items::columns!(items::is_unread!(), items::is_starred!()),
        list(2, ids),
        items::visible_to!("$1")
    )
}

/// As many as the next power of two, the last one again and again: so there are few different
/// statements, and they stay prepared.
pub(crate) fn padded<T>(values: &[T]) -> impl Iterator<Item = &T> {
    let last = values.last().into_iter();
    let rest = values.len().next_power_of_two() - values.len();
    values.iter().chain(last.cycle().take(rest))
}

/// A search as it is carried out.
#[derive(Default)]
struct Plan {
    /// What the text must have, in the engine's language.
    wanted: Option<String>,
    /// What it must not have, where `wanted` is nothing.
    unwanted: Option<String>,
    /// In one of these feeds; `None` in all that are followed.
    feeds: Option<Vec<FeedId>>,
    /// With all of these labels, and none of the others.
    labelled: Vec<LabelId>,
    unlabelled: Vec<LabelId>,
    unread: Option<bool>,
    starred: Option<bool>,
    from: Option<Timestamp>,
    until: Option<Timestamp>,
    oldest: Option<ItemId>,
}

/// What a plan walks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Words,
    /// The newest texts, of which those that have the words are taken. PostgreSQL only.
    NewestWords,
    Starred,
    Labelled,
    Unread,
    Feeds,
    Everything,
}

impl Plan {
    /// `None` when nothing can be found.
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

    /// Whether it is likely that the newest texts fill a page, if the words are frequent.
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

/// The feeds that are searched; `None` for all that `user` follows.
fn feeds_of(db: &mut Db<'_>, user: UserId, search: &Search) -> StoreResult<Option<Vec<FeedId>>> {
    let filters = search.query.filters();
    if !filters.ask_feed() && search.category.is_none() {
        // Whether it is followed is asked of each item anyway.
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

/// The labels that a query asks for, and those that it leaves out; `None` when `user` has not all that it
/// asks for.
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

/// Values with the numbers under which a statement names them.
struct Values<'v>(Vec<Value<'v>>);

impl<'v> Values<'v> {
    fn name(&mut self, value: impl Into<Value<'v>>) -> String {
        self.0.push(value.into());
        format!("${}", self.0.len())
    }
}

/// The statement that gives the ids, made from constants and from which parts a plan has.
fn ids_statement<'p>(
    engine: Engine,
    user: UserId,
    plan: &'p Plan,
    source: Source,
    before: Option<ItemId>,
    limit: i64,
) -> (String, Vec<Value<'p>>) {
    let mut values = Values(Vec::new());
    let user = values.name(user);
    let mut conditions = Vec::new();
    // CROSS JOIN, because SQLite keeps its order (see `items`).
    let (from, id, feed, date) = match source {
        Source::Words => {
            let text = values.name(plan.wanted.as_ref());
            let has_words = matches(engine, &text);
            let (index, id) = match engine {
                Engine::Sqlite => {
                    conditions.push(has_words);
                    ("item_search".to_owned(), "item_search.rowid")
                }
                // In order before anything is joined: then the walk ends with the page, however many there
                // are. The sum keeps the ids from being walked instead, and every text from being read.
                Engine::Postgres => {
                    let ordered = format!(
                        "(SELECT item_id + 0 AS item_id FROM item_search WHERE {has_words} ORDER BY 1 DESC) d"
                    );
                    (ordered, "d.item_id")
                }
            };
            conditions.push(format!("i.id = {id}"));
            let from = format!("{index} CROSS JOIN item i CROSS JOIN subscription s");
            (from, id, "i.feed_id", "i.sort_at")
        }
        Source::NewestWords => {
            let text = values.name(plan.wanted.as_ref());
            // The function and not its operator, which would ask the index.
            conditions.push(format!(
                "ts_match_vq(d.words, {}) AND i.id = d.item_id",
                tsquery(&text)
            ));
            let from = "item_search d CROSS JOIN item i CROSS JOIN subscription s";
            (from.to_owned(), "d.item_id", "i.feed_id", "i.sort_at")
        }
        Source::Starred => {
            let kind = values.name(MarkKind::Starred);
            conditions.push(format!(
                "d.user_id = {user} AND d.kind = {kind} AND i.id = d.item_id"
            ));
            let from = "mark d CROSS JOIN item i CROSS JOIN subscription s";
            (from.to_owned(), "d.item_id", "i.feed_id", "d.sort_at")
        }
        Source::Labelled => {
            let label = values.name(plan.labelled[0]);
            conditions.push(format!(
                "d.user_id = {user} AND d.label_id = {label} AND i.id = d.item_id"
            ));
            let from = "item_label d CROSS JOIN item i CROSS JOIN subscription s";
            (from.to_owned(), "d.item_id", "i.feed_id", "d.sort_at")
        }
        Source::Unread => {
            conditions.push(unread::of_user("d", &user));
            let from = "unread d CROSS JOIN subscription s".to_owned();
            (from, "d.item_id", "d.feed_id", "d.sort_at")
        }
        // The sign keeps SQLite from walking all ids instead of those of the feeds.
        Source::Feeds => {
            let from = "item i CROSS JOIN subscription s".to_owned();
            (from, "+i.id", "i.feed_id", "i.sort_at")
        }
        Source::Everything => {
            let from = "item i CROSS JOIN subscription s".to_owned();
            (from, "i.id", "i.feed_id", "i.sort_at")
        }
    };
    let follows = match engine {
        // The sum for the same reason as in `lists`.
        Engine::Sqlite => format!("s.user_id = {user} + 0 * {feed} AND s.feed_id = {feed}"),
        Engine::Postgres => format!("s.user_id = {user} AND s.feed_id = {feed}"),
    };
    // In front, because it has the first value.
    conditions.insert(0, follows);
    let before = values.name(before.map_or(i64::MAX, ItemId::as_i64));
    let oldest = values.name(plan.oldest.map_or(0, ItemId::as_i64));
    conditions.push(format!("{id} < {before} AND {id} >= {oldest}"));
    if source == Source::NewestWords {
        conditions.push(format!(
            "{id} > (SELECT MAX(n.item_id) FROM item_search n WHERE n.item_id < {before}) - {}",
            values.name(limit * LOOKED_THROUGH)
        ));
    }
    if let Some(from) = plan.from {
        conditions.push(format!("{date} >= {}", values.name(from)));
    }
    if let Some(until) = plan.until {
        conditions.push(format!("{date} < {}", values.name(until)));
    }
    if let Some(feeds) = &plan.feeds {
        let names: Vec<String> = padded(feeds).map(|feed| values.name(*feed)).collect();
        let names = names.join(", ");
        if (engine, source) == (Engine::Sqlite, Source::Words) && feeds.len() <= FEW_FEEDS {
            // The sign has it look each id up in that list, instead of asking the index for each
            // id of it.
            conditions.push(format!(
                "+{id} IN (SELECT n.id FROM item n WHERE n.feed_id IN ({names}))"
            ));
        }
        conditions.push(format!("{feed} IN ({names})"));
    }
    let rest = match source {
        Source::Labelled => &plan.labelled[1..],
        _ => &plan.labelled,
    };
    for (exists, labels) in [("EXISTS", rest), ("NOT EXISTS", &plan.unlabelled)] {
        for label in labels {
            conditions.push(format!(
                "{exists} (SELECT 1 FROM item_label l
                           WHERE l.item_id = {id} AND l.user_id = {user} AND l.label_id = {})",
                values.name(*label)
            ));
        }
    }
    if let Some(unread) = plan.unread.filter(|_| source != Source::Unread) {
        let exists = if unread { "EXISTS" } else { "NOT EXISTS" };
        conditions.push(format!(
            "{exists} (SELECT 1 FROM unread u WHERE u.item_id = {id} AND {})",
            unread::of_user("u", &user)
        ));
    }
    let mut marked = |exists: &str, kind: MarkKind| {
        let kind = values.name(kind);
        format!(
            "{exists} (SELECT 1 FROM mark m
                       WHERE m.item_id = {id} AND m.user_id = {user} AND m.kind = {kind})"
        )
    };
    if let Some(starred) = plan.starred.filter(|_| source != Source::Starred) {
        let exists = if starred { "EXISTS" } else { "NOT EXISTS" };
        conditions.push(marked(exists, MarkKind::Starred));
    }
    // Mostly nothing is, and that is asked once instead of for each.
    let is_shown = marked("NOT EXISTS", MarkKind::Hidden);
    let kind = format!("${}", values.0.len());
    conditions.push(format!(
        "(NOT EXISTS (SELECT 1 FROM mark WHERE user_id = {user} AND kind = {kind}) OR {is_shown})"
    ));
    if let Some(unwanted) = &plan.unwanted {
        let column = match engine {
            Engine::Sqlite => "rowid",
            Engine::Postgres => "item_id",
        };
        let text = values.name(unwanted);
        conditions.push(format!(
            "{id} NOT IN (SELECT {column} FROM item_search WHERE {})",
            matches(engine, &text)
        ));
    }
    let limit = values.name(limit);
    let sql = format!(
        "SELECT {id} FROM {from} WHERE {} ORDER BY {id} DESC LIMIT {limit}",
        conditions.join(" AND ")
    );
    (sql, values.0)
}

fn matches(engine: Engine, text: &str) -> String {
    match engine {
        Engine::Sqlite => format!("item_search MATCH {text}"),
        // The planner does not know what unpacking a text costs, and takes reading all rows for cheaper than
        // the index once it knows that a word is frequent, or that the index has new rows to put in order. In a
        // sub-select it does not see which words they are. The second condition never comes to its expensive
        // half, because ids begin at 1; but its price is counted for each row that is read.
        Engine::Postgres => format!(
            "words @@ (SELECT {}) AND (item_id > 0 OR to_tsvector(CAST(item_id AS TEXT)) IS NULL)",
            tsquery(text)
        ),
    }
}

/// The cast in two steps, or the driver would have to speak the binary form.
fn tsquery(text: &str) -> String {
    format!("CAST(CAST({text} AS TEXT) AS TSQUERY)")
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
                            let (sql, _) = ids_statement(engine, nobody, &plan, newest, None, 1);
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
                        let (sql, _) = ids_statement(engine, nobody, &plan, source, None, 1);
                        statements.push((name, sql));
                    }
                }
            }
        }
    }
    statements
}
