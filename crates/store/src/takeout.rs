//! Export and import of a user's data.
//!
//! Feeds and items are identified by URL and identity key, because database ids mean nothing on
//! another instance.

use std::collections::HashSet;

use lede_model::feed::NewFeed;
use lede_model::ids::{CategoryId, FeedId, ItemId, LabelId, SubscriptionId, UserId};
use lede_model::item::Position;
use lede_model::label::{Label, MAX_ON_ITEM};
use lede_model::mark::MarkKind;
use lede_model::schedule::FailurePolicy;
use lede_model::time::Timestamp;

use crate::batch::{groups, list};
use crate::engine::{Row, Value};
use crate::follow::SubscriptionSettings;
use crate::ingest::own_key;
use crate::items::{is_unread, labels, labels_on, visible_to};
use crate::marks::mark_kind;
use crate::{Db, StoreResult, feeds, params, statements, unread};

/// Items per statement that looks up keys or changes marks.
const BATCH: usize = 250;

/// A category of the exported tree.
#[derive(Debug, Clone)]
pub struct Category {
    /// Referenced by `parent`, subscriptions and rules within the export.
    pub id: CategoryId,
    pub name: String,
    /// `None` at the top level.
    pub parent: Option<CategoryId>,
    /// Sort position among its siblings.
    pub position: i64,
}

/// An exported subscription.
#[derive(Debug, Clone)]
pub struct Following {
    pub feed: FeedId,
    pub feed_url: String,
    /// The publisher's title.
    pub feed_title: String,
    pub site_url: Option<String>,
    /// Time of the subscription.
    pub created_at: Timestamp,
    pub settings: SubscriptionSettings,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSearch {
    pub name: String,
    pub query: String,
    /// Sort position among the user's searches.
    pub position: i64,
}

/// A filter rule for new items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub name: String,
    pub enabled: bool,
    /// `None` matches every item.
    pub query: Option<String>,
    /// Restricts the rule to one feed.
    pub feed: Option<FeedId>,
    /// Restricts the rule to a category and those below it.
    pub category: Option<CategoryId>,
    pub mark_read: bool,
    pub star: bool,
    pub hide: bool,
    pub notify: bool,
    /// Name of the label to assign.
    pub label: Option<String>,
}

/// Marks of a user on an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemMarks {
    /// Identity key of the item within its feed.
    pub key: String,
    pub is_read: bool,
    /// `None` if unread, or if the time is unknown.
    pub read_at: Option<Timestamp>,
    /// True if a rule hid the item.
    pub is_hidden: bool,
}

/// A starred or labelled item with its full content.
#[derive(Debug, Clone)]
pub struct SavedItem {
    /// Cursor for the next page.
    pub position: Position,
    pub feed_url: String,
    /// Identity key of the item within its feed.
    pub key: String,
    pub url: Option<String>,
    /// Plain text.
    pub title: String,
    /// Plain text.
    pub author: Option<String>,
    pub language: Option<String>,
    pub image_url: Option<String>,
    /// `None` if the publisher gave no date.
    pub published_at: Option<Timestamp>,
    pub first_seen_at: Timestamp,
    /// Title of the feed, which the user may no longer follow.
    pub feed_title: String,
    /// Time of the star or of the label.
    pub saved_at: Timestamp,
    /// The text from the feed.
    pub html: String,
    /// The article fetched from its page.
    pub full_html: Option<String>,
    /// Enclosures, tags and discussion links, as JSON.
    pub details: Option<String>,
    pub labels: Vec<Label>,
}

/// Selects items with their content, in the order of the table `p`; read by [`saved_item`].
macro_rules! saved {
    ($from:literal, $where:expr) => {
        concat!(
            "SELECT p.sort_at, i.id, f.url, i.identity_key, i.url, i.title, i.author, i.language, i.image_url,
                    i.published_at, i.first_seen_at, p.at, b.html, b.full_html, b.details, ",
            labels!(),
            ", f.title FROM ",
            $from,
            " p CROSS JOIN item i CROSS JOIN item_body b CROSS JOIN feed f
             WHERE p.user_id = $1 AND (p.sort_at, p.item_id) < ($2, $3)
                 AND i.id = p.item_id AND b.item_id = i.id AND f.id = i.feed_id AND ",
            $where,
            " ORDER BY p.sort_at DESC, p.item_id DESC LIMIT "
        )
    };
}

statements! {
    CATEGORIES = "SELECT id, name, parent_id, position FROM category WHERE user_id = $1 ORDER BY position, id";
    SUBSCRIPTIONS = "SELECT f.id, f.url, f.title, f.site_url, s.created_at,
                         s.title, s.category_id, s.position, s.interval_minutes, s.full_text, s.notify, s.paused_at
                  FROM subscription s JOIN feed f ON f.id = s.feed_id
                  WHERE s.user_id = $1 ORDER BY s.id";
    SAVED_SEARCHES = "SELECT name, query, position FROM saved_search WHERE user_id = $1 ORDER BY position, id";
    RULES = "SELECT name, enabled, query, feed_id, category_id, mark_read, star, hide, notify,
                 (SELECT l.name FROM label l WHERE l.id = rule.label_id)
             FROM rule WHERE user_id = $1 ORDER BY id";
    APP_PASSWORDS = "SELECT name, scope FROM app_password WHERE user_id = $1 ORDER BY id";
    // CROSS JOIN: SQLite walks the first table in index order and stops when the page is full.
    MARKS_OF_FEED = concat!("SELECT i.identity_key, i.sort_at, i.id, ", is_unread!(), ",
                            (SELECT m.at FROM mark m WHERE m.user_id = $1 AND m.kind = ", mark_kind!(read), "
                                 AND m.sort_at = i.sort_at AND m.item_id = i.id),
                            EXISTS (SELECT 1 FROM mark m WHERE m.user_id = $1 AND m.kind = ", mark_kind!(hidden), "
                                        AND m.sort_at = i.sort_at AND m.item_id = i.id)
                     FROM subscription s CROSS JOIN item i
                     WHERE s.user_id = $1 AND s.feed_id = $2 AND i.feed_id = $2 AND (i.sort_at, i.id) < ($3, $4)
                         AND ", visible_to!("$1"), "
                     ORDER BY i.sort_at DESC, i.id DESC LIMIT $5");
    STARRED = concat!(saved!("mark", concat!("p.kind = ", mark_kind!(starred))), "$4");
    /// Excludes starred items, which are exported as such, and returns items with several labels
    /// only for the first of them.
    LABELLED = concat!(
        saved!("item_label", concat!("p.label_id = $4
                 AND NOT EXISTS (SELECT 1 FROM item_label o WHERE o.item_id = p.item_id AND o.user_id = $1
                                     AND o.label_id < $4)
                 AND NOT EXISTS (SELECT 1 FROM mark m WHERE m.user_id = $1 AND m.kind = ", mark_kind!(starred), "
                                     AND m.sort_at = p.sort_at AND m.item_id = p.item_id)")),
        "$5"
    );
    ADD_CATEGORY = "INSERT INTO category (user_id, name, parent_id, position, created_at)
                    VALUES ($1, $2, $3, $4, $5) RETURNING id";
    CHOOSE = "UPDATE subscription SET title = $1, category_id = $2, position = COALESCE($3, position), interval_minutes = $4,
                  full_text = $5, notify = $6, paused_at = $7
              WHERE user_id = $8 AND feed_id = $9 RETURNING id";
    ADD_SAVED_SEARCH = "INSERT INTO saved_search (user_id, name, query, position, created_at)
                        VALUES ($1, $2, $3, $4, $5)";
    ADD_RULE = "INSERT INTO rule (user_id, name, enabled, query, feed_id, category_id, mark_read, star, hide,
                                  notify, label_id, created_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    FIND_BY_KEY = concat!(
        "SELECT i.id FROM item i WHERE i.feed_id = $1 AND i.identity_key IN ($2, $3) AND ", visible_to!("$4"),
        // The feed's own item takes precedence over the user's.
        " ORDER BY CASE WHEN i.owner_id IS NULL THEN 0 ELSE 1 END LIMIT 1"
    );
    /// Only if a single item has the URL: live blogs use one URL for many items.
    FIND_BY_URL = "SELECT MIN(id), MIN(sort_at) FROM item WHERE feed_id = $1 AND url_key = $2
                   GROUP BY url_key HAVING COUNT(*) = 1";
    PLACE = "SELECT sort_at FROM item WHERE id = $1";
    STAR = "INSERT INTO mark (user_id, kind, sort_at, item_id, at) VALUES ($1, 1, $2, $3, $4)
            ON CONFLICT DO NOTHING";
    LABEL = "INSERT INTO item_label (label_id, sort_at, item_id, user_id, at)
             SELECT l.id, i.sort_at, i.id, l.user_id, CAST($1 AS BIGINT) FROM label l CROSS JOIN item i
             WHERE l.user_id = $2 AND l.id = $3 AND i.id = $4
                 AND (SELECT COUNT(*) FROM item_label o WHERE o.item_id = i.id AND o.user_id = l.user_id) < $5
             ON CONFLICT DO NOTHING";
}

/// Returns the categories of `user`.
pub fn categories(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<Category>> {
    db.query(CATEGORIES, params![user], |row| {
        Ok(Category {
            id: row.get(0)?,
            name: row.get(1)?,
            parent: row.get(2)?,
            position: row.get(3)?,
        })
    })
}

/// Returns the subscriptions of `user`, oldest first.
pub fn subscriptions(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<Following>> {
    db.query(SUBSCRIPTIONS, params![user], |row| {
        Ok(Following {
            feed: row.get(0)?,
            feed_url: row.get(1)?,
            feed_title: row.get(2)?,
            site_url: row.get(3)?,
            created_at: row.get(4)?,
            settings: SubscriptionSettings {
                title: row.get(5)?,
                category: row.get(6)?,
                position: row.get(7)?,
                interval_minutes: row.get(8)?,
                full_text: row.get(9)?,
                notify: row.get(10)?,
                paused_at: row.get(11)?,
            },
        })
    })
}

pub fn saved_searches(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<SavedSearch>> {
    db.query(SAVED_SEARCHES, params![user], |row| {
        Ok(SavedSearch {
            name: row.get(0)?,
            query: row.get(1)?,
            position: row.get(2)?,
        })
    })
}

pub fn rules(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<Rule>> {
    db.query(RULES, params![user], |row| {
        Ok(Rule {
            name: row.get(0)?,
            enabled: row.get(1)?,
            query: row.get(2)?,
            feed: row.get(3)?,
            category: row.get(4)?,
            mark_read: row.get(5)?,
            star: row.get(6)?,
            hide: row.get(7)?,
            notify: row.get(8)?,
            label: row.get(9)?,
        })
    })
}

/// Returns name and scope of each app password of `user`. The passwords themselves are stored only
/// as hashes.
pub fn app_passwords(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<(String, String)>> {
    db.query(APP_PASSWORDS, params![user], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

fn after(position: Option<Position>) -> (i64, i64) {
    position.map_or((i64::MAX, i64::MAX), |after| {
        (after.sort_at.as_ms(), after.id.as_i64())
    })
}

/// Returns a page of the marks of `user` on the items of a feed, newest first, after `position`.
pub fn marks_of_feed(
    db: &mut Db<'_>,
    user: UserId,
    feed: FeedId,
    position: Option<Position>,
    limit: i64,
) -> StoreResult<Vec<(Position, ItemMarks)>> {
    let (sort_at, id) = after(position);
    db.query(
        MARKS_OF_FEED,
        params![user, feed, sort_at, id, limit],
        |row| {
            let position = Position {
                sort_at: row.get(1)?,
                id: row.get(2)?,
            };
            let marks = ItemMarks {
                key: row.get(0)?,
                is_read: !row.get::<bool>(3)?,
                read_at: row.get(4)?,
                is_hidden: row.get(5)?,
            };
            Ok((position, marks))
        },
    )
}

/// Returns a page of the items that `user` starred, newest first, after `position`.
pub fn starred(
    db: &mut Db<'_>,
    user: UserId,
    position: Option<Position>,
    limit: i64,
) -> StoreResult<Vec<SavedItem>> {
    let (sort_at, id) = after(position);
    db.query(STARRED, params![user, sort_at, id, limit], saved_item)
}

/// Returns a page of the unstarred items of `user` whose first label is `label`, newest first,
/// after `position`.
pub fn labelled(
    db: &mut Db<'_>,
    user: UserId,
    label: LabelId,
    position: Option<Position>,
    limit: i64,
) -> StoreResult<Vec<SavedItem>> {
    let (sort_at, id) = after(position);
    let values = params![user, sort_at, id, label, limit];
    db.query(LABELLED, values, saved_item)
}

fn saved_item(row: &Row<'_>) -> StoreResult<SavedItem> {
    Ok(SavedItem {
        position: Position {
            sort_at: row.get(0)?,
            id: row.get(1)?,
        },
        feed_url: row.get(2)?,
        key: row.get(3)?,
        url: row.get(4)?,
        title: row.get(5)?,
        author: row.get(6)?,
        language: row.get(7)?,
        image_url: row.get(8)?,
        published_at: row.get(9)?,
        first_seen_at: row.get(10)?,
        saved_at: row.get(11)?,
        html: row.get(12)?,
        full_html: row.get(13)?,
        details: row.get(14)?,
        labels: labels_on(row.get(15)?),
        feed_title: row.get(16)?,
    })
}

/// Adds a category of `user`. `parent` must be one of theirs.
pub fn add_category(
    db: &mut Db<'_>,
    user: UserId,
    name: &str,
    parent: Option<CategoryId>,
    position: i64,
    now: Timestamp,
) -> StoreResult<CategoryId> {
    let values = params![user, name, parent, position, now];
    db.one(ADD_CATEGORY, values, |row| row.get(0))
}

/// Sets the settings of a subscription of `user`. Returns `None` if they do not follow the feed.
pub fn choose(
    db: &mut Db<'_>,
    user: UserId,
    feed: FeedId,
    settings: &SubscriptionSettings,
) -> StoreResult<Option<SubscriptionId>> {
    let values = params![
        settings.title.as_deref(),
        settings.category,
        settings.position,
        settings.interval_minutes,
        settings.full_text,
        settings.notify,
        settings.paused_at,
        user,
        feed,
    ];
    db.find(CHOOSE, values, |row| row.get(0))
}

pub fn add_saved_search(
    db: &mut Db<'_>,
    user: UserId,
    search: &SavedSearch,
    now: Timestamp,
) -> StoreResult<()> {
    let values = params![user, &search.name, &search.query, search.position, now];
    db.execute(ADD_SAVED_SEARCH, values).map(drop)
}

/// Adds a rule for `user`. Its feed and category must be theirs, and so must `label`, the one that
/// the rule names.
pub fn add_rule(
    db: &mut Db<'_>,
    user: UserId,
    rule: &Rule,
    label: Option<LabelId>,
    now: Timestamp,
) -> StoreResult<()> {
    let values = params![
        user,
        &rule.name,
        rule.enabled,
        rule.query.as_deref(),
        rule.feed,
        rule.category,
        rule.mark_read,
        rule.star,
        rule.hide,
        rule.notify,
        label,
        now,
    ];
    db.execute(ADD_RULE, values).map(drop)
}

/// Finds the item of a feed that is visible to `user` and has the identity key `key`, or else the
/// one with the given URL.
pub fn find_item(
    db: &mut Db<'_>,
    user: UserId,
    feed: FeedId,
    key: &str,
    url_key: Option<&str>,
) -> StoreResult<Option<ItemId>> {
    let read = |row: &Row<'_>| row.get::<ItemId>(0);
    let own_key = own_key(key, user);
    if let Some(found) = db.find(FIND_BY_KEY, params![feed, key, &own_key, user], read)? {
        return Ok(Some(found));
    }
    match url_key {
        Some(url) => db.find(FIND_BY_URL, params![feed, url], read),
        None => Ok(None),
    }
}

/// Finds or registers the feed of a saved item that `user` does not follow. It is never fetched for
/// them. Returns `None` if it is the private feed of another user.
pub fn feed_of_saved(
    db: &mut Db<'_>,
    user: UserId,
    feed: &NewFeed,
    policy: FailurePolicy,
    now: Timestamp,
) -> StoreResult<Option<FeedId>> {
    let found = match feeds::find_by_url(db, &feed.url)? {
        Some(found) => found,
        None => feeds::add(db, feed, policy, now)?,
    };
    let is_allowed = found.owner.is_none_or(|owner| owner == user);
    Ok(is_allowed.then_some(found.id))
}

/// Stars `item`, which must be visible to `user`. The time of an existing star is
/// unchanged.
pub fn star(db: &mut Db<'_>, user: UserId, item: ItemId, at: Timestamp) -> StoreResult<()> {
    let place: Option<Timestamp> = db.find(PLACE, params![item], |row| row.get(0))?;
    if let Some(sort_at) = place {
        db.execute(STAR, params![user, sort_at, item, at])?;
    }
    Ok(())
}

/// Adds a label of `user` to `item`, which must be visible to them, unless it has as many as it can.
/// Unlike `labels::put_on`, this saves items of feeds that the user does not follow.
pub fn label(
    db: &mut Db<'_>,
    user: UserId,
    item: ItemId,
    label: LabelId,
    at: Timestamp,
) -> StoreResult<()> {
    let most = i64::try_from(MAX_ON_ITEM).unwrap_or(i64::MAX);
    db.execute(LABEL, params![at, user, label, item, most])
        .map(drop)
}

/// Applies imported marks to items of a feed that `user` follows. Returns the number of items
/// found, and the marks of items that the feed has not delivered: they are absent, or present only
/// because a user imported them.
pub fn set_marks(
    db: &mut Db<'_>,
    user: UserId,
    feed: FeedId,
    marks: &[ItemMarks],
    now: Timestamp,
) -> StoreResult<(usize, Vec<ItemMarks>)> {
    // Locked, so that missing items do not arrive before the caller has stored their marks.
    feeds::lock(db, feed)?;
    let (mut found, mut missing) = (0, Vec::new());
    for batch in marks.chunks(BATCH) {
        let mut values: Vec<Value<'_>> = vec![feed.into()];
        values.extend(batch.iter().map(|marks| Value::from(&marks.key)));
        let known = db.query_rows(&known_sql(batch.len()), &values, |row| {
            Ok((
                row.get::<ItemId>(0)?,
                row.get::<Timestamp>(1)?,
                row.get::<String>(2)?,
                row.get::<bool>(3)?,
            ))
        })?;
        let said = known.iter().filter(|(.., is_said)| *is_said);
        let said: HashSet<&str> = said.map(|(_, _, key, _)| key.as_str()).collect();
        let unsaid = batch
            .iter()
            .filter(|marks| !said.contains(marks.key.as_str()));
        missing.extend(unsaid.cloned());
        let with_marks = known.iter().filter_map(|(item, sort_at, key, _)| {
            let marks = batch.iter().find(|marks| marks.key == *key)?;
            Some((*item, *sort_at, marks))
        });
        let with_marks: Vec<(ItemId, Timestamp, &ItemMarks)> = with_marks.collect();
        found += with_marks.len();
        let (read, unread): (Vec<_>, Vec<_>) =
            with_marks.iter().partition(|(_, _, marks)| marks.is_read);
        unread::remove_some(db, user, &ids(&read))?;
        // Most items were read without a recorded time; a missing unread row is enough for them.
        let noted: Vec<_> = read
            .iter()
            .copied()
            .filter(|(_, _, marks)| marks.read_at.is_some())
            .collect();
        add_marks(db, user, MarkKind::Read, &noted, now)?;
        // `put_back` skips items that have a read mark.
        remove_read_marks(db, user, &unread)?;
        unread::put_back(db, user, &ids(&unread))?;
        let hidden: Vec<_> = with_marks
            .iter()
            .filter(|(_, _, marks)| marks.is_hidden)
            .collect();
        add_marks(db, user, MarkKind::Hidden, &hidden, now)?;
    }
    Ok((found, missing))
}

pub(crate) type Marked<'m> = &'m (ItemId, Timestamp, &'m ItemMarks);

fn known_sql(keys: usize) -> String {
    format!(
        "SELECT id, sort_at, identity_key, owner_id IS NULL FROM item
         WHERE feed_id = $1 AND identity_key IN ({})",
        list(2, keys)
    )
}

fn ids(items: &[Marked<'_>]) -> Vec<ItemId> {
    items.iter().map(|(item, ..)| *item).collect()
}

pub(crate) fn add_marks(
    db: &mut Db<'_>,
    user: UserId,
    kind: MarkKind,
    items: &[Marked<'_>],
    now: Timestamp,
) -> StoreResult<()> {
    if items.is_empty() {
        return Ok(());
    }
    let mut values: Vec<Value<'_>> = Vec::with_capacity(items.len() * 5);
    for (item, sort_at, marks) in items {
        let at = marks.read_at.map_or(now, |at| at.min(now));
        values.extend_from_slice(params![user, kind, *sort_at, *item, at]);
    }
    db.execute_rows(&add_marks_sql(items.len()), &values)
}

fn add_marks_sql(items: usize) -> String {
    format!(
        "INSERT INTO mark (user_id, kind, sort_at, item_id, at) VALUES {} ON CONFLICT DO NOTHING",
        groups(items, 5)
    )
}

fn remove_read_marks(db: &mut Db<'_>, user: UserId, items: &[Marked<'_>]) -> StoreResult<()> {
    if items.is_empty() {
        return Ok(());
    }
    let mut values: Vec<Value<'_>> = vec![user.into()];
    values.extend(items.iter().map(|(item, ..)| Value::from(*item)));
    db.execute_rows(&remove_read_marks_sql(items.len()), &values)
}

fn remove_read_marks_sql(items: usize) -> String {
    format!(
        "DELETE FROM mark WHERE user_id = $1 AND kind = {} AND item_id IN ({})",
        mark_kind!(read),
        list(2, items)
    )
}

/// Statements whose text depends on the number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 3] {
    [
        ("takeout_known", known_sql(2)),
        ("takeout_add_marks", add_marks_sql(2)),
        ("takeout_remove_read_marks", remove_read_marks_sql(2)),
    ]
}
