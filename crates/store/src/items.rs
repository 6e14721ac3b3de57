//! Single items with their text, and the removal of items.

use std::time::Duration;

use lede_model::address::WebUrl;
use lede_model::content::{CleanHtml, ContentHash};
use lede_model::ids::{FeedId, ItemId, LabelId, UserId};
use lede_model::item::{Item, ItemSummary, TextChoice};
use lede_model::label::Label;
use lede_model::time::Timestamp;

use crate::batch::list;
use crate::engine::{Row, Value};
use crate::marks::mark_kind;
use crate::{Db, StoreResult, item_counts, params, statements, unread};

/// Number of items that become unread when a user subscribes to an existing feed.
const UNREAD_ON_FOLLOW: i64 = 50;

/// True if the item `i` is unread for the user `$1`: a look-up by the full primary key. Not
/// `EXISTS`, because PostgreSQL would load all unread rows of the user into a hash table, ignoring
/// the LIMIT. Not `IS NULL`, which PostgreSQL estimates to be rare.
macro_rules! is_unread {
    () => {
        concat!(
            "COALESCE((SELECT TRUE FROM unread u WHERE ",
            $crate::unread::unread_of!("u", "$1"),
            " AND u.feed_id = i.feed_id AND u.sort_at = i.sort_at AND u.item_id = i.id), FALSE)"
        )
    };
}
pub(crate) use is_unread;

/// True if the user `$1` starred the item `i`; written like [`is_unread!`] for the same reasons.
macro_rules! is_starred {
    () => {
        concat!(
            "COALESCE((SELECT TRUE FROM mark m WHERE m.user_id = $1 AND m.kind = ",
            $crate::marks::mark_kind!(starred),
            "
                       AND m.sort_at = i.sort_at AND m.item_id = i.id), FALSE)"
        )
    };
}
pub(crate) use is_starred;

/// The labels of the user `$1` on the item `i`, one line of id and name per label. The outer EXISTS
/// runs once per page, so that users without labels cost no look-up per item.
macro_rules! labels {
    () => {
        "CASE WHEN EXISTS (SELECT 1 FROM label WHERE user_id = $1)
              THEN (SELECT string_agg(CAST(l.id AS TEXT) || ' ' || l.name, '\n') FROM item_label il JOIN label l ON l.id = il.label_id
                    WHERE il.item_id = i.id AND il.user_id = $1) END"
    };
}
pub(crate) use labels;

/// Parses [`labels!`]. Sorted here, because the engines collate differently. Names contain no line
/// breaks.
pub(crate) fn labels_on(lines: Option<String>) -> Vec<Label> {
    let Some(lines) = lines else {
        return Vec::new();
    };
    let of = |line: &str| {
        let (id, name) = line.split_once(' ')?;
        let (id, name) = (LabelId::from(id.parse::<i64>().ok()?), name.to_owned());
        Some(Label { id, name })
    };
    let mut labels: Vec<Label> = lines.split('\n').filter_map(of).collect();
    labels.sort_by_cached_key(|label| label.name.to_lowercase());
    labels
}

/// The columns of an item in a list, read by [`summary`].
macro_rules! columns {
    ($is_unread:expr, $is_starred:expr) => {
        concat!(
            "i.id, i.feed_id, COALESCE(s.title, f.title), i.title, i.url, i.author, i.excerpt, i.lede,
             i.published_at, i.first_seen_at, i.sort_at, ",
            $is_unread,
            ", ",
            $is_starred,
            ", i.language, i.image_url, i.reading_minutes, ",
            $crate::items::labels!()
        )
    };
}
pub(crate) use columns;

/// True if the item `i` is visible to the given user, who follows its feed or saved the item. An item that one user
/// imported is visible only to that user until the feed lists it. Every statement that reads items
/// for a user includes this condition.
macro_rules! visible_to {
    ($user:literal) => {
        concat!("(i.owner_id IS NULL OR i.owner_id = ", $user, ")")
    };
}
pub(crate) use visible_to;

/// True if the given user starred or labelled the item `i`. Such items stay with the user when they
/// unsubscribe from the feed.
macro_rules! saved_by {
    ($user:literal) => {
        concat!(
            "(EXISTS (SELECT 1 FROM mark k WHERE k.user_id = ",
            $user,
            " AND k.kind = ",
            $crate::marks::mark_kind!(starred),
            " AND k.sort_at = i.sort_at AND k.item_id = i.id)
              OR EXISTS (SELECT 1 FROM item_label k WHERE k.item_id = i.id AND k.user_id = ",
            $user,
            "))"
        )
    };
}
pub(crate) use saved_by;

/// True if the given user follows the feed of the item `i`, or saved the item.
macro_rules! reachable_by {
    ($user:literal) => {
        concat!(
            "(EXISTS (SELECT 1 FROM subscription o WHERE o.user_id = ",
            $user,
            " AND o.feed_id = i.feed_id) OR ",
            $crate::items::saved_by!($user),
            ")"
        )
    };
}
pub(crate) use reachable_by;

/// Selects items with their texts; read by [`item`].
macro_rules! find {
    ($which:literal) => {
        concat!(
            "SELECT ",
            columns!(is_unread!(), is_starred!()),
            ", b.html, b.full_html, b.details,
             s.full_text IS NOT FALSE AND COALESCE(b.full_text_tried_at, 0) <= $2, i.content_hash,
             s.id IS NOT NULL, b.full_is_default AND s.full_text IS NOT FALSE, s.prefers_full
         FROM item i
         JOIN feed f ON f.id = i.feed_id
         JOIN item_body b ON b.item_id = i.id
         LEFT JOIN subscription s ON s.user_id = $1 AND s.feed_id = i.feed_id
         WHERE ",
            visible_to!("$1"),
            " AND (s.id IS NOT NULL OR ",
            saved_by!("$1"),
            ") AND i.id ",
            $which
        )
    };
}

statements! {
    FIND = find!("= $3");
    HEADLINES = "SELECT title, COALESCE(published_at, first_seen_at) FROM item
                 WHERE feed_id = $1 AND owner_id IS NULL ORDER BY sort_at DESC, id DESC LIMIT $2";
    BY_URL = concat!(
        "SELECT i.url FROM subscription s CROSS JOIN item i
         WHERE s.user_id = $1 AND i.feed_id = s.feed_id AND i.url_key = $2 AND ", visible_to!("$1"),
        " ORDER BY i.id DESC LIMIT 1"
    );
}

/// Number of [`columns`]; additional columns of a statement start here.
pub(crate) const SUMMARY_COLUMNS: usize = 17;

/// Reads [`columns`].
pub(crate) fn summary(row: &Row<'_>) -> StoreResult<ItemSummary> {
    let published_at: Option<Timestamp> = row.get(8)?;
    let first_seen_at: Timestamp = row.get(9)?;
    let is_unread: bool = row.get(11)?;
    Ok(ItemSummary {
        id: row.get(0)?,
        feed_id: row.get(1)?,
        feed_title: row.get(2)?,
        title: row.get(3)?,
        url: row.get(4)?,
        author: row.get(5)?,
        excerpt: row.get(6)?,
        lede: row.get(7)?,
        published_at: published_at.unwrap_or(first_seen_at),
        is_date_estimated: published_at.is_none(),
        sort_at: row.get(10)?,
        is_read: !is_unread,
        read_at: None,
        is_starred: row.get(12)?,
        language: row.get(13)?,
        image_url: row.get(14)?,
        reading_minutes: row.get(15)?,
        labels: labels_on(row.get(16)?),
    })
}

/// Returns title and date of the newest items of a feed.
pub fn headlines(
    db: &mut Db<'_>,
    feed: FeedId,
    limit: i64,
) -> StoreResult<Vec<(String, Timestamp)>> {
    db.query(HEADLINES, params![feed, limit], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// Returns an item with its text if `user` follows its feed or saved it. `may_fetch_article` is
/// only set if no attempt was made since `tried_before`.
pub fn find(
    db: &mut Db<'_>,
    user: UserId,
    item: ItemId,
    tried_before: Timestamp,
) -> StoreResult<Option<Item>> {
    db.find(FIND, params![user, tried_before, item], self::item)
}

/// Returns several items; see [`find()`]. The order is unspecified.
pub fn find_all(
    db: &mut Db<'_>,
    user: UserId,
    items: &[ItemId],
    tried_before: Timestamp,
) -> StoreResult<Vec<Item>> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let mut values: Vec<Value<'_>> = params![user, tried_before].to_vec();
    values.extend(items.iter().map(|item| Value::from(*item)));
    db.query_rows(&find_all_sql(items.len()), &values, item)
}

fn find_all_sql(items: usize) -> String {
    format!("{} ({})", find!("IN"), list(3, items))
}

fn item(row: &Row<'_>) -> StoreResult<Item> {
    #[expect(
        clippy::disallowed_methods,
        reason = "what the store keeps went through the sanitiser"
    )]
    let clean = CleanHtml::assume_clean;
    let summary = summary(row)?;
    Ok(Item {
        html: clean(row.get(SUMMARY_COLUMNS)?),
        full_html: row.get::<Option<String>>(SUMMARY_COLUMNS + 1)?.map(clean),
        // Written by Lede; invalid JSON in an edited row only loses the details.
        details: row
            .get::<Option<String>>(SUMMARY_COLUMNS + 2)?
            .and_then(|json| serde_json::from_str(&json).ok())
            .unwrap_or_default(),
        content_hash: ContentHash::from_bytes(&row.get::<Vec<u8>>(SUMMARY_COLUMNS + 4)?),
        may_fetch_article: row.get::<bool>(SUMMARY_COLUMNS + 3)? && summary.url.is_some(),
        is_followed: row.get(SUMMARY_COLUMNS + 5)?,
        full_is_default: row.get(SUMMARY_COLUMNS + 6)?,
        chosen_text: row
            .get::<Option<bool>>(SUMMARY_COLUMNS + 7)?
            .map(|is_full| match is_full {
                true => TextChoice::Full,
                false => TextChoice::Feed,
            }),
        summary,
    })
}

/// Returns the URL of an item whose page is `url` in any spelling, if it is in a feed that `user`
/// follows.
pub fn find_page(db: &mut Db<'_>, user: UserId, url: &WebUrl) -> StoreResult<Option<WebUrl>> {
    let found = db.find(BY_URL, params![user, &url.identity_key()], |row| {
        row.get::<Option<String>>(0)
    })?;
    // Written by the sanitiser, so it parses.
    Ok(found.flatten().and_then(|url| WebUrl::parse(&url).ok()))
}

/// Makes the newest items of an existing feed unread for a new subscriber.
pub fn fan_out_on_follow(db: &mut Db<'_>, user: UserId, feed: FeedId) -> StoreResult<()> {
    fan_out_on_follow_all(db, user, &[feed])
}

/// Same as [`fan_out_on_follow`] for several feeds, except those that the user paused.
pub(crate) fn fan_out_on_follow_all(
    db: &mut Db<'_>,
    user: UserId,
    feeds: &[FeedId],
) -> StoreResult<()> {
    if feeds.is_empty() {
        return Ok(());
    }
    let mut values: Vec<Value<'_>> = vec![user.into()];
    values.extend(feeds.iter().map(|feed| Value::from(*feed)));
    db.execute_rows(&hide_imported_sql(feeds.len()), &values)?;
    unread::add_newest(db, user, feeds, UNREAD_ON_FOLLOW)
}

/// True if the item `i` was delivered by its feed and not imported by a user (see `ingest::import_item`).
pub(crate) const LISTED_BY_FEED: &str = "i.owner_id IS NULL";

/// Hides items that other users imported from a new subscriber: the publisher never listed them.
fn hide_imported_sql(feeds: usize) -> String {
    format!(
        "INSERT INTO mark (user_id, kind, sort_at, item_id, at)
         SELECT CAST($1 AS BIGINT), {}, i.sort_at, i.id, i.first_seen_at
         FROM item i WHERE i.feed_id IN ({}) AND i.owner_id IS NOT NULL AND i.owner_id <> $1
         ON CONFLICT DO NOTHING",
        mark_kind!(hidden),
        list(2, feeds)
    )
}

/// Removes items permanently. Each leaves a tombstone, so that it is not ingested again while its
/// feed still lists it. The caller must have locked the feeds.
pub fn remove(db: &mut Db<'_>, items: &[ItemId], now: Timestamp) -> StoreResult<()> {
    for batch in items.chunks(REMOVED_AT_ONCE) {
        let mut values: Vec<Value<'_>> = vec![now.into()];
        values.extend(batch.iter().map(|item| Value::from(*item)));
        db.execute_rows(&bury_sql(batch.len()), &values)?;
        unread::remove_of_all(db, batch)?;
        let of = db.query_rows(&remove_sql(batch.len()), &values[1..], |row| row.get(0))?;
        item_counts::remove(db, &of)?;
    }
    Ok(())
}

/// Interval at which it is recorded that a feed still lists a removed item. Short enough for a
/// retention of one year.
pub(crate) const TOMBSTONE_TOUCH: Duration = Duration::from_secs(30 * 24 * 3600);

/// Small, to release the writer soon: removing an item also deletes its text, marks and search
/// words.
const REMOVED_AT_ONCE: usize = 100;

fn bury_sql(items: usize) -> String {
    format!(
        "INSERT INTO tombstone (feed_id, identity_key, url_key, removed_at)
         SELECT feed_id, identity_key, url_key, CAST($1 AS BIGINT) FROM item WHERE id IN ({})
         ON CONFLICT (feed_id, identity_key) DO NOTHING",
        list(2, items)
    )
}

fn remove_sql(items: usize) -> String {
    format!(
        "DELETE FROM item WHERE id IN ({}) RETURNING feed_id",
        list(1, items)
    )
}

/// Statements whose text depends on the number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 4] {
    [
        ("find_items", find_all_sql(2)),
        ("hide_imported", hide_imported_sql(2)),
        ("bury", bury_sql(2)),
        ("remove", remove_sql(2)),
    ]
}
