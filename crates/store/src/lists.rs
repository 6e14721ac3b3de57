//! Item lists: pages by date, and their counts.
//!
//! A list is walked along an index in its order, and the walk ends with the page: nothing is
//! sorted, and only the page is read. If no index has the order, because the list covers a few
//! feeds among many, the lists of those feeds are merged: both engines read only as much of each as
//! the page needs.

use lede_model::ids::{CategoryId, FeedId, UserId};
use lede_model::item::{ItemFilter, ItemSummary, List, Order, Scope, Start};

use crate::engine::{Row, Sql, Value};
use crate::items::{columns, is_starred, is_unread, visible_to};
use crate::marks::mark_kind;
use crate::unread::unread_of;
use crate::{CachedCount, Db, Engine, StoreResult, Version, items, params, statements};

/// Maximum number of feeds whose lists are merged. Beyond that, a walk along all dates finds their
/// items often enough, and merging would cost more.
const MERGED: usize = 64;

/// True if a subscription is in a category or below it. The owner of the category needs no check,
/// because subscriptions are only in categories of the same user.
macro_rules! in_category {
    ($category:literal) => {
        in_category!("", $category)
    };
    ($of_item:literal, $category:literal) => {
        concat!(
            "s.category_id",
            $of_item,
            " IN (
                 WITH RECURSIVE below (id) AS (
                     SELECT CAST(",
            $category,
            " AS BIGINT) UNION SELECT c.id FROM category c JOIN below ON c.parent_id = below.id)
                 SELECT id FROM below)"
        )
    };
}

pub(crate) use in_category;

/// True if the item of the mark or label `m` is not hidden. Hidden items are never unread, so only
/// the lists of all, starred and read items need this.
macro_rules! shown {
    () => {
        concat!(
            "NOT EXISTS (SELECT 1 FROM mark h WHERE h.user_id = $1 AND h.kind = ",
            mark_kind!(hidden),
            "
                         AND h.sort_at = m.sort_at AND h.item_id = m.item_id)"
        )
    };
}

/// Counts the items with the label `$2`, restricted by a further join.
macro_rules! of_label {
    ($also:expr) => {
        concat!(
            "SELECT COUNT(*) FROM item_label m ",
            $also,
            " WHERE m.user_id = $1 AND m.label_id = $2 AND ",
            shown!()
        )
    };
}
macro_rules! also_unread {
    () => {
        concat!(
            " JOIN unread u ON u.item_id = m.item_id AND ",
            unread_of!("u", "$1")
        )
    };
}
macro_rules! also_starred {
    () => {
        concat!(
            " JOIN mark k ON k.user_id = $1 AND k.kind = ",
            mark_kind!(starred),
            " AND k.sort_at = m.sort_at AND k.item_id = m.item_id"
        )
    };
}

statements! {
    FOLLOWS = "SELECT 1 FROM subscription WHERE user_id = $1 AND feed_id = $2";
    HAS_CATEGORY = "SELECT 1 FROM category WHERE user_id = $1 AND id = $2";
    HAS_LABEL = "SELECT 1 FROM label WHERE user_id = $1 AND id = $2";
    FEEDS = "SELECT s.feed_id FROM subscription s WHERE s.user_id = $1 ORDER BY s.feed_id LIMIT $2";
    FEEDS_OF_CATEGORY = concat!(
        "SELECT s.feed_id FROM subscription s WHERE s.user_id = $1 AND ", in_category!("$2"),
        " ORDER BY s.feed_id LIMIT $3"
    );
    // Total and unread counts are maintained on every change (see `item_counts` and `unread`), so these
    // statements only add them up. Hidden items are few; their rows are counted and subtracted.
    COUNT_ALL = concat!("SELECT (SELECT CAST(COALESCE(SUM(f.items), 0) AS BIGINT)
                         FROM subscription s JOIN feed f ON f.id = s.feed_id WHERE s.user_id = $1)
                      - (SELECT COUNT(*) FROM mark WHERE user_id = $1 AND kind = ", mark_kind!(hidden), ")");
    COUNT_ALL_OF_FEED = concat!("SELECT - (SELECT COUNT(*) FROM mark m JOIN item i ON i.id = m.item_id
                                   WHERE m.user_id = $1 AND m.kind = ", mark_kind!(hidden), " AND i.feed_id = $2)
                                + (SELECT CAST(COALESCE(SUM(items), 0) AS BIGINT) FROM feed WHERE id = $2)");
    COUNT_ALL_OF_CATEGORY = concat!(
        "SELECT (SELECT CAST(COALESCE(SUM(f.items), 0) AS BIGINT)
                 FROM subscription s JOIN feed f ON f.id = s.feed_id
                 WHERE s.user_id = $1 AND ", in_category!("$2"), ")
              - (SELECT COUNT(*) FROM mark m JOIN item i ON i.id = m.item_id
                                             JOIN subscription s ON s.user_id = $1 AND s.feed_id = i.feed_id
                 WHERE m.user_id = $1 AND m.kind = ", mark_kind!(hidden), " AND ", in_category!("$2"), ")"
    );
    COUNT_UNREAD = "SELECT CAST(COALESCE(SUM(s.unread), 0) AS BIGINT) FROM subscription s WHERE s.user_id = $1";
    COUNT_UNREAD_OF_FEED = "SELECT CAST(COALESCE(SUM(s.unread), 0) AS BIGINT) FROM subscription s
                            WHERE s.user_id = $1 AND s.feed_id = $2";
    COUNT_UNREAD_OF_CATEGORY = concat!(
        "SELECT CAST(COALESCE(SUM(s.unread), 0) AS BIGINT) FROM subscription s
         WHERE s.user_id = $1 AND ", in_category!("$2")
    );
    COUNT_STARRED = concat!("SELECT COUNT(*) FROM mark m WHERE m.user_id = $1 AND m.kind = ", mark_kind!(starred), " AND ", shown!());
    COUNT_STARRED_OF_FEED = concat!(
        "SELECT COUNT(*) FROM mark m JOIN item i ON i.id = m.item_id
         WHERE m.user_id = $1 AND m.kind = ", mark_kind!(starred), " AND i.feed_id = $2 AND ", shown!()
    );
    COUNT_STARRED_OF_CATEGORY = concat!(
        "SELECT COUNT(*) FROM mark m JOIN item i ON i.id = m.item_id
                                     JOIN subscription s ON s.user_id = $1 AND s.feed_id = i.feed_id
         WHERE m.user_id = $1 AND m.kind = ", mark_kind!(starred), " AND ", shown!(), " AND ", in_category!("$2")
    );
    COUNT_READ = concat!("SELECT COUNT(*) FROM mark m WHERE m.user_id = $1 AND m.kind = ", mark_kind!(read), " AND ", shown!());
    COUNT_UNREAD_STARRED = concat!(
        "SELECT COUNT(*) FROM mark m JOIN unread u ON u.item_id = m.item_id AND ", unread_of!("u", "$1"), "
         WHERE m.user_id = $1 AND m.kind = ", mark_kind!(starred), " AND ", shown!()
    );
    COUNT_UNREAD_STARRED_OF_FEED = concat!(
        "SELECT COUNT(*) FROM mark m JOIN unread u ON u.item_id = m.item_id AND ", unread_of!("u", "$1"), "
         WHERE m.user_id = $1 AND m.kind = ", mark_kind!(starred), " AND u.feed_id = $2 AND ", shown!()
    );
    COUNT_UNREAD_STARRED_OF_CATEGORY = concat!(
        "SELECT COUNT(*) FROM mark m JOIN unread u ON u.item_id = m.item_id AND ", unread_of!("u", "$1"), "
                                     JOIN subscription s ON s.user_id = $1 AND s.feed_id = u.feed_id
         WHERE m.user_id = $1 AND m.kind = ", mark_kind!(starred), " AND ", shown!(), " AND ", in_category!("$2")
    );
    COUNT_ALL_OF_LABEL = of_label!("");
    COUNT_UNREAD_OF_LABEL = of_label!(also_unread!());
    COUNT_STARRED_OF_LABEL = of_label!(also_starred!());
    COUNT_UNREAD_STARRED_OF_LABEL = of_label!(concat!(also_unread!(), also_starred!()));
}

/// Access path of a page.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// Along the dates of all items.
    Everything,
    /// Along the dates of one feed.
    Feed,
    /// Along the dates of all items, skipping those outside the category.
    Category,
    /// Along the dates of the items with a label.
    Label,
    /// Along the dates of this number of feeds at once.
    Merged(usize),
}

/// True if the item `i` is not hidden from the user `$1`; written like `items::is_unread`.
macro_rules! not_hidden {
    () => {
        concat!(
            "COALESCE((SELECT FALSE FROM mark h WHERE h.user_id = $1 AND h.kind = ",
            mark_kind!(hidden),
            "
                       AND h.sort_at = i.sort_at AND h.item_id = i.id), TRUE)"
        )
    };
}

/// Returns the comparison operator for later positions and the SQL keyword of the order.
const fn direction(order: Order) -> (&'static str, &'static str) {
    match order {
        Order::Newest => ("<", "DESC"),
        Order::Oldest => (">", "ASC"),
    }
}

/// Skips look-ups whose result the filter already implies.
const fn columns_of(filter: ItemFilter) -> &'static str {
    match filter {
        ItemFilter::All => columns!(is_unread!(), is_starred!()),
        ItemFilter::Unread => columns!("TRUE", is_starred!()),
        ItemFilter::Starred => columns!(is_unread!(), "TRUE"),
        ItemFilter::UnreadStarred => columns!("TRUE", "TRUE"),
        ItemFilter::Read => concat!(columns!(is_unread!(), is_starred!()), ", p.at"),
    }
}

/// The item, with the subscription that makes it visible to the user. SQLite keeps the order of a
/// CROSS JOIN: the first table is walked along the index that has the list's order. Without it,
/// once it has statistics, it starts with the feeds, reads every item of each and sorts them all.
/// PostgreSQL takes the limit into account by itself.
const ITEM: &str = "item i CROSS JOIN subscription s CROSS JOIN feed f";

/// The item, with the subscription if the user still follows its feed. Lists of starred and labelled
/// items contain items of other feeds, too.
const fn saved_item(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => {
            "item i CROSS JOIN feed f
             LEFT JOIN subscription s ON s.user_id = $1 + 0 * i.id AND s.feed_id = i.feed_id + 0 * i.id"
        }
        Engine::Postgres => {
            "item i CROSS JOIN feed f LEFT JOIN subscription s ON s.user_id = $1 AND s.feed_id = i.feed_id"
        }
    }
}

/// Returns the condition that the feed is that of a [`saved_item`].
const fn of_its_feed(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => concat!("f.id = i.feed_id + 0 * i.id AND ", visible_to!("$1")),
        Engine::Postgres => concat!("f.id = i.feed_id AND ", visible_to!("$1")),
    }
}

/// Returns the conditions that the subscription is the user's and the feed the item's, and the
/// condition for a category.
///
/// Adding `0 * i.id` changes no result, only SQLite's plan. Once it has statistics it would load
/// whole tables, here the subscriptions of all users and all feeds, into Bloom filters before it
/// reads the first item, because it does not take the limit into account. It does so only for
/// columns compared with values that are the same for all items.
const fn theirs(engine: Engine) -> (&'static str, &'static str) {
    match engine {
        Engine::Sqlite => (
            concat!(
                "s.user_id = $1 + 0 * i.id AND s.feed_id = i.feed_id + 0 * i.id AND f.id = i.feed_id + 0 * i.id AND ",
                visible_to!("$1")
            ),
            in_category!(" + 0 * i.id", "$4"),
        ),
        Engine::Postgres => (
            concat!(
                "s.user_id = $1 AND s.feed_id = i.feed_id AND f.id = i.feed_id AND ",
                visible_to!("$1")
            ),
            in_category!("$4"),
        ),
    }
}

/// Returns the statement for a page. Its parameters: user, date and id of the last item seen, the
/// feeds or the category, limit and offset.
fn page_sql(engine: Engine, filter: ItemFilter, way: Way, order: Order) -> String {
    match way {
        Way::Merged(feeds) => merged_sql(engine, filter, feeds, order),
        Way::Everything => walk_sql(engine, filter, "", 4, order),
        Way::Feed if filter == ItemFilter::Unread => {
            walk_sql(engine, filter, "AND p.feed_id = $4", 5, order)
        }
        Way::Feed => walk_sql(engine, filter, "AND i.feed_id = $4", 5, order),
        Way::Category => {
            let within = format!("AND {}", theirs(engine).1);
            walk_sql(engine, filter, &within, 5, order)
        }
        Way::Label => label_sql(engine, filter, order),
    }
}

/// Returns a statement that walks along one index.
fn walk_sql(
    engine: Engine,
    filter: ItemFilter,
    within: &str,
    limit: usize,
    order: Order,
) -> String {
    let walked = match filter {
        ItemFilter::All => ("", "i.sort_at", "i.id", not_hidden!()),
        ItemFilter::Unread => (
            "unread p CROSS JOIN ",
            "p.sort_at",
            "p.item_id",
            concat!("i.id = p.item_id AND ", unread_of!("p", "$1")),
        ),
        ItemFilter::Starred => (
            "mark p CROSS JOIN ",
            "p.sort_at",
            "p.item_id",
            concat!(
                "i.id = p.item_id AND p.user_id = $1 AND p.kind = ",
                mark_kind!(starred),
                " AND ",
                not_hidden!()
            ),
        ),
        ItemFilter::UnreadStarred => (
            "mark p CROSS JOIN ",
            "p.sort_at",
            "p.item_id",
            concat!(
                "i.id = p.item_id AND p.user_id = $1 AND p.kind = ",
                mark_kind!(starred),
                " AND ",
                not_hidden!(),
                " AND ",
                is_unread!()
            ),
        ),
        ItemFilter::Read => (
            "mark p CROSS JOIN ",
            "p.at",
            "p.item_id",
            concat!(
                "i.id = p.item_id AND p.user_id = $1 AND p.kind = ",
                mark_kind!(read),
                " AND ",
                not_hidden!()
            ),
        ),
    };
    walk(engine, filter, walked, within, limit, order)
}

/// Returns a statement that walks the items of a label and skips those that do not match the
/// filter: labelled items are as few as starred ones.
fn label_sql(engine: Engine, filter: ItemFilter, order: Order) -> String {
    let condition = match filter {
        ItemFilter::All | ItemFilter::Read => "TRUE",
        ItemFilter::Unread => is_unread!(),
        ItemFilter::Starred => is_starred!(),
        ItemFilter::UnreadStarred => concat!(is_unread!(), " AND ", is_starred!()),
    };
    let condition = format!(
        "i.id = p.item_id AND p.user_id = $1 AND {} AND {condition}",
        not_hidden!()
    );
    let walked = (
        "item_label p CROSS JOIN ",
        "p.sort_at",
        "p.item_id",
        condition.as_str(),
    );
    walk(engine, filter, walked, "AND p.label_id = $4", 5, order)
}

/// Returns a statement that walks the given table: its FROM prefix (empty for `item` itself), date
/// column, item column and condition.
fn walk(
    engine: Engine,
    filter: ItemFilter,
    (from, at, id, condition): (&str, &str, &str, &str),
    within: &str,
    limit: usize,
    order: Order,
) -> String {
    let (beyond, direction) = direction(order);
    let is_of_saved = is_of_stars(filter) || from.starts_with("item_label");
    let (item, joined) = match is_of_saved {
        true => (saved_item(engine), of_its_feed(engine)),
        false => (ITEM, theirs(engine).0),
    };
    format!(
        "SELECT {} FROM {from}{item}
         WHERE {condition} AND ({at}, {id}) {beyond} ($2, $3) {within} AND {joined}
         ORDER BY {at} {direction}, {id} {direction} LIMIT ${limit} OFFSET ${}",
        columns_of(filter),
        limit + 1
    )
}

/// Returns a statement that walks the lists of several feeds at once. The result is unordered; the
/// caller sorts it.
///
/// SQLite sees that each list is already ordered by the index. PostgreSQL needs an ORDER BY in
/// each, which SQLite's syntax does not allow.
fn merged_sql(engine: Engine, filter: ItemFilter, feeds: usize, order: Order) -> String {
    let (beyond, direction) = direction(order);
    let (table, id, condition) = match filter {
        ItemFilter::Unread => ("unread", "i.item_id", unread_of!("i", "$1")),
        _ => ("item", "i.id", not_hidden!()),
    };
    let parts: Vec<String> = (4..feeds + 4)
        .map(|feed| {
            let part = format!(
                "SELECT i.sort_at AS sort_at, {id} AS item_id FROM {table} i
                 WHERE {condition} AND (i.sort_at, {id}) {beyond} ($2, $3) AND i.feed_id = ${feed}"
            );
            match engine {
                Engine::Sqlite => part,
                Engine::Postgres => {
                    format!("({part} ORDER BY i.sort_at {direction}, {id} {direction})")
                }
            }
        })
        .collect();
    format!(
        "SELECT {}
         FROM (SELECT sort_at, item_id FROM ({}) lists
               ORDER BY sort_at {direction}, item_id {direction} LIMIT ${} OFFSET ${}) page CROSS JOIN {ITEM}
         WHERE i.id = page.item_id AND {}",
        columns_of(filter),
        parts.join(" UNION ALL "),
        feeds + 4,
        feeds + 5,
        theirs(engine).0,
    )
}

/// Returns `true` if `user` has the feed, category or label of the scope.
pub fn is_own_scope(db: &mut Db<'_>, user: UserId, scope: Scope) -> StoreResult<bool> {
    let found = |_: &Row<'_>| Ok(());
    let found = match scope {
        Scope::Everything => Some(()),
        Scope::Feed(feed) => db.find(FOLLOWS, params![user, feed], found)?,
        Scope::Category(category) => db.find(HAS_CATEGORY, params![user, category], found)?,
        Scope::Label(label) => db.find(HAS_LABEL, params![user, label], found)?,
    };
    Ok(found.is_some())
}

/// Returns a page of the items that `user` follows or saved.
pub fn page(
    db: &mut Db<'_>,
    user: UserId,
    list: List,
    start: Start,
    limit: i64,
) -> StoreResult<Vec<ItemSummary>> {
    let end = match list.order {
        Order::Newest => (i64::MAX, i64::MAX),
        Order::Oldest => (i64::MIN, i64::MIN),
    };
    let ((sort_at, id), skip) = match start {
        Start::After(position) => ((position.sort_at.as_ms(), position.id.as_i64()), 0),
        Start::Skip(items) => (end, items),
    };
    let mut values: Vec<Value<'_>> = vec![user.into(), sort_at.into(), id.into()];
    let way = match list.scope {
        _ if list.filter == ItemFilter::Read => Way::Everything,
        Scope::Feed(feed) => {
            values.push(feed.into());
            Way::Feed
        }
        Scope::Label(label) => {
            values.push(label.into());
            Way::Label
        }
        Scope::Everything if list.filter != ItemFilter::All => Way::Everything,
        // Starred items are few enough to skip those outside the category.
        Scope::Category(category) if is_of_stars(list.filter) => {
            values.push(category.into());
            Way::Category
        }
        Scope::Everything | Scope::Category(_) => {
            match (few_feeds(db, user, list.scope)?, list.scope) {
                (Some(feeds), _) if feeds.is_empty() => return Ok(Vec::new()),
                (Some(feeds), _) => {
                    // Padded to a power of two, so that a few cached statements serve all cases.
                    let count = feeds.len().next_power_of_two();
                    let nothing = FeedId::from(0);
                    let filled = feeds.into_iter().chain(std::iter::repeat(nothing));
                    values.extend(filled.take(count).map(Value::from));
                    Way::Merged(count)
                }
                (None, Scope::Category(category)) => {
                    values.push(category.into());
                    Way::Category
                }
                (None, _) => Way::Everything,
            }
        }
    };
    values.extend([Value::from(limit), skip.into()]);
    let sql = page_sql(db.engine(), list.filter, way, list.order);
    let mut found = db.query_rows(&sql, &values, |row| {
        let mut found = items::summary(row)?;
        if list.filter == ItemFilter::Read {
            found.read_at = row.get(items::SUMMARY_COLUMNS)?;
        }
        Ok(found)
    })?;
    if matches!(way, Way::Merged(_)) {
        found.sort_by_key(|item| (item.sort_at, item.id));
        if list.order == Order::Newest {
            found.reverse();
        }
    }
    Ok(found)
}

fn is_of_stars(filter: ItemFilter) -> bool {
    matches!(filter, ItemFilter::Starred | ItemFilter::UnreadStarred)
}

/// Returns the feeds of a scope, or `None` if there are more than [`MERGED`].
fn few_feeds(db: &mut Db<'_>, user: UserId, scope: Scope) -> StoreResult<Option<Vec<FeedId>>> {
    let limit = i64::try_from(MERGED + 1).unwrap_or(i64::MAX);
    let read = |row: &Row<'_>| row.get(0);
    let feeds: Vec<FeedId> = match scope {
        Scope::Category(category) => {
            db.query(FEEDS_OF_CATEGORY, params![user, category, limit], read)?
        }
        _ => db.query(FEEDS, params![user, limit], read)?,
    };
    Ok(Some(feeds).filter(|feeds| feeds.len() <= MERGED))
}

/// Returns the feeds that `user` follows in a category and below.
pub(crate) fn feeds_of_category(
    db: &mut Db<'_>,
    user: UserId,
    category: CategoryId,
) -> StoreResult<Vec<FeedId>> {
    db.query(
        FEEDS_OF_CATEGORY,
        params![user, category, i64::MAX],
        |row| row.get(0),
    )
}

/// Returns the number of items of a list. Cached until the next write to the database.
pub fn count(db: &mut Db<'_>, user: UserId, scope: Scope, filter: ItemFilter) -> StoreResult<i64> {
    let (sql, values) = counting(user, scope, filter);
    db.count(sql, &values)
}

/// Returns the count if it is cached or as cheap as a page. Unread counts of feeds are only added
/// up.
pub fn known_count(
    db: &mut Db<'_>,
    user: UserId,
    scope: Scope,
    filter: ItemFilter,
) -> StoreResult<CachedCount> {
    let (sql, values) = counting(user, scope, filter);
    match (filter, scope) {
        (ItemFilter::Unread, Scope::Everything | Scope::Feed(_) | Scope::Category(_)) => {
            db.count(sql, &values).map(CachedCount::Number)
        }
        _ => db.known(sql, &values),
    }
}

/// Caches a count that was made after [`known_count`] returned [`CachedCount::Not`].
pub fn note_count(
    db: &mut Db<'_>,
    user: UserId,
    scope: Scope,
    filter: ItemFilter,
    version: Version,
    number: i64,
) {
    let (sql, values) = counting(user, scope, filter);
    db.note(version, sql, &values, number);
}

fn counting(user: UserId, scope: Scope, filter: ItemFilter) -> (Sql, Vec<i64>) {
    let (everything, of_feed, of_category, of_label) = match filter {
        ItemFilter::All => (
            COUNT_ALL,
            COUNT_ALL_OF_FEED,
            COUNT_ALL_OF_CATEGORY,
            COUNT_ALL_OF_LABEL,
        ),
        ItemFilter::Unread => (
            COUNT_UNREAD,
            COUNT_UNREAD_OF_FEED,
            COUNT_UNREAD_OF_CATEGORY,
            COUNT_UNREAD_OF_LABEL,
        ),
        ItemFilter::Starred => (
            COUNT_STARRED,
            COUNT_STARRED_OF_FEED,
            COUNT_STARRED_OF_CATEGORY,
            COUNT_STARRED_OF_LABEL,
        ),
        ItemFilter::UnreadStarred => (
            COUNT_UNREAD_STARRED,
            COUNT_UNREAD_STARRED_OF_FEED,
            COUNT_UNREAD_STARRED_OF_CATEGORY,
            COUNT_UNREAD_STARRED_OF_LABEL,
        ),
        ItemFilter::Read => return (COUNT_READ, vec![user.as_i64()]),
    };
    let user = user.as_i64();
    match scope {
        Scope::Everything => (everything, vec![user]),
        Scope::Feed(feed) => (of_feed, vec![user, feed.as_i64()]),
        Scope::Category(category) => (of_category, vec![user, category.as_i64()]),
        Scope::Label(label) => (of_label, vec![user, label.as_i64()]),
    }
}

/// Every page statement, for the tests that prepare them and check their plans.
pub(crate) fn page_statements(engine: Engine) -> Vec<(&'static str, String)> {
    let filters = [
        ItemFilter::All,
        ItemFilter::Unread,
        ItemFilter::Starred,
        ItemFilter::UnreadStarred,
    ];
    let ways = [
        Way::Everything,
        Way::Feed,
        Way::Category,
        Way::Label,
        Way::Merged(1),
        Way::Merged(4),
    ];
    let mut all = Vec::new();
    for filter in filters {
        for way in ways {
            if is_of_stars(filter) && matches!(way, Way::Merged(_)) {
                continue;
            }
            for order in [Order::Newest, Order::Oldest] {
                all.push(("PAGE", page_sql(engine, filter, way, order)));
            }
        }
    }
    for order in [Order::Newest, Order::Oldest] {
        let history = page_sql(engine, ItemFilter::Read, Way::Everything, order);
        all.push(("PAGE", history));
    }
    all
}
