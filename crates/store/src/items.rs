//! Items: taking in what a fetch brought, and the lists that people read.

use std::collections::HashSet;

use lede_model::address::WebUrl;
use lede_model::content::CleanHtml;
use lede_model::identity;
use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::item::{CleanItem, Item, ItemFilter, ItemSummary, Position};
use lede_model::time::Timestamp;

use crate::engine::{Row, Value, without_nul};
use crate::{Db, StoreError, StoreResult, feeds, params, statements};

/// Rows in one statement: beyond some fifty, planning costs what the round trip saves.
const BATCH: usize = 50;

/// Items that are unread for somebody who begins to follow a feed that is known already.
const UNREAD_ON_FOLLOW: i64 = 50;

/// What a list shows of an item; the marks are two look-ups by whole primary key.
macro_rules! select {
    ($from:literal) => {
        concat!(
            "SELECT i.id, i.feed_id, COALESCE(s.title, f.title), i.title, i.url, i.author, i.excerpt, i.lede,
                    i.published_at, i.first_seen_at, i.sort_at,
                    EXISTS (SELECT 1 FROM unread u WHERE u.user_id = $1 AND u.feed_id = i.feed_id
                                AND u.sort_at = i.sort_at AND u.item_id = i.id),
                    EXISTS (SELECT 1 FROM mark m WHERE m.user_id = $1 AND m.kind = 1
                                AND m.sort_at = i.sort_at AND m.item_id = i.id) ",
            $from
        )
    };
}

statements! {
    // CROSS JOIN, because SQLite keeps its order: the first table is walked along the index that
    // has the list's order, and the walk ends with the page. Left to choose, it takes the feeds
    // first once it has statistics, reads every item of each and sorts them all. PostgreSQL
    // weighs the limit by itself.
    PAGE_ALL = select!(
        "FROM item i CROSS JOIN subscription s CROSS JOIN feed f
         WHERE (i.sort_at, i.id) < ($2, $3)
             AND s.user_id = $1 AND s.feed_id = i.feed_id AND f.id = i.feed_id
         ORDER BY i.sort_at DESC, i.id DESC LIMIT $4"
    );
    PAGE_OF_FEED = select!(
        "FROM item i CROSS JOIN subscription s CROSS JOIN feed f
         WHERE (i.sort_at, i.id) < ($2, $3) AND i.feed_id = $4
             AND s.user_id = $1 AND s.feed_id = i.feed_id AND f.id = i.feed_id
         ORDER BY i.sort_at DESC, i.id DESC LIMIT $5"
    );
    PAGE_UNREAD = select!(
        "FROM unread p CROSS JOIN item i CROSS JOIN subscription s CROSS JOIN feed f
         WHERE p.user_id = $1 AND (p.sort_at, p.item_id) < ($2, $3)
             AND i.id = p.item_id AND s.user_id = $1 AND s.feed_id = i.feed_id AND f.id = i.feed_id
         ORDER BY p.sort_at DESC, p.item_id DESC LIMIT $4"
    );
    PAGE_UNREAD_OF_FEED = select!(
        "FROM unread p CROSS JOIN item i CROSS JOIN subscription s CROSS JOIN feed f
         WHERE p.user_id = $1 AND (p.sort_at, p.item_id) < ($2, $3) AND p.feed_id = $4
             AND i.id = p.item_id AND s.user_id = $1 AND s.feed_id = i.feed_id AND f.id = i.feed_id
         ORDER BY p.sort_at DESC, p.item_id DESC LIMIT $5"
    );
    PAGE_STARRED = select!(
        "FROM mark p CROSS JOIN item i CROSS JOIN subscription s CROSS JOIN feed f
         WHERE p.user_id = $1 AND p.kind = 1 AND (p.sort_at, p.item_id) < ($2, $3)
             AND i.id = p.item_id AND s.user_id = $1 AND s.feed_id = i.feed_id AND f.id = i.feed_id
         ORDER BY p.sort_at DESC, p.item_id DESC LIMIT $4"
    );
    PAGE_STARRED_OF_FEED = select!(
        "FROM mark p CROSS JOIN item i CROSS JOIN subscription s CROSS JOIN feed f
         WHERE p.user_id = $1 AND p.kind = 1 AND (p.sort_at, p.item_id) < ($2, $3)
             AND i.feed_id = $4
             AND i.id = p.item_id AND s.user_id = $1 AND s.feed_id = i.feed_id AND f.id = i.feed_id
         ORDER BY p.sort_at DESC, p.item_id DESC LIMIT $5"
    );
    FIND = select!(
        ", b.html
         FROM item i
         JOIN subscription s ON s.user_id = $1 AND s.feed_id = i.feed_id
         JOIN feed f ON f.id = i.feed_id
         JOIN item_body b ON b.item_id = i.id
         WHERE i.id = $2"
    );
    FAN_OUT_ON_FOLLOW = "INSERT INTO unread (user_id, feed_id, sort_at, item_id)
        SELECT $1, n.feed_id, n.sort_at, n.id
        FROM (SELECT feed_id, sort_at, id FROM item WHERE feed_id = $2 ORDER BY sort_at DESC, id DESC LIMIT $3) n
        WHERE TRUE
        ON CONFLICT DO NOTHING";
}

fn summary(row: &Row<'_>) -> StoreResult<ItemSummary> {
    let published_at: Option<Timestamp> = row.get(8)?;
    let first_seen_at: Timestamp = row.get(9)?;
    let is_unread: bool = row.get(11)?;
    Ok(ItemSummary {
        id: row.get(0)?,
        feed_id: row.get(1)?,
        feed_title: row.get(2)?,
        title: row.get(3)?,
        // Written by the sanitiser, so it parses; a row that somebody edited loses its link only.
        url: row
            .get::<Option<String>>(4)?
            .and_then(|url| WebUrl::parse(&url).ok()),
        author: row.get(5)?,
        excerpt: row.get(6)?,
        lede: row.get(7)?,
        published_at: published_at.unwrap_or(first_seen_at),
        is_date_estimated: published_at.is_none(),
        sort_at: row.get(10)?,
        is_read: !is_unread,
        is_starred: row.get(12)?,
    })
}

/// A page of what `user` follows, newest first, after `after`.
pub fn page(
    db: &mut Db<'_>,
    user: UserId,
    feed: Option<FeedId>,
    filter: ItemFilter,
    after: Option<Position>,
    limit: i64,
) -> StoreResult<Vec<ItemSummary>> {
    let (sort_at, id) = after.map_or((i64::MAX, i64::MAX), |after| {
        (after.sort_at.as_ms(), after.id.as_i64())
    });
    match feed {
        None => {
            let sql = match filter {
                ItemFilter::All => PAGE_ALL,
                ItemFilter::Unread => PAGE_UNREAD,
                ItemFilter::Starred => PAGE_STARRED,
            };
            db.query(sql, params![user, sort_at, id, limit], summary)
        }
        Some(feed) => {
            let sql = match filter {
                ItemFilter::All => PAGE_OF_FEED,
                ItemFilter::Unread => PAGE_UNREAD_OF_FEED,
                ItemFilter::Starred => PAGE_STARRED_OF_FEED,
            };
            db.query(sql, params![user, sort_at, id, feed, limit], summary)
        }
    }
}

/// One item with its text, if it is in a feed that `user` follows.
pub fn find(db: &mut Db<'_>, user: UserId, item: ItemId) -> StoreResult<Option<Item>> {
    db.find(FIND, params![user, item], |row| {
        #[expect(
            clippy::disallowed_methods,
            reason = "what the store keeps went through the sanitiser"
        )]
        let html = CleanHtml::assume_clean(row.get(13)?);
        Ok(Item {
            summary: summary(row)?,
            html,
        })
    })
}

/// Makes the newest items of a known feed unread for somebody who begins to follow it.
pub fn fan_out_on_follow(db: &mut Db<'_>, user: UserId, feed: FeedId) -> StoreResult<()> {
    db.execute(FAN_OUT_ON_FOLLOW, params![user, feed, UNREAD_ON_FOLLOW])
        .map(drop)
}

/// An item that is ready to be kept: cleaned, with its one line.
#[derive(Debug, Clone)]
pub struct NewItem {
    /// What the feed said.
    pub item: CleanItem,
    /// What it says in one line.
    pub lede: String,
}

/// What taking in a fetch came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TakenIn {
    /// Items that were not known.
    pub new: usize,
    /// Known items whose content changed.
    pub updated: usize,
}

/// Takes in the items of one fetch: new ones become unread for every follower, changed ones are
/// updated in place and keep their marks and place, unchanged ones cost a look-up.
pub fn take_in(
    db: &mut Db<'_>,
    feed: FeedId,
    items: &[NewItem],
    policy_version: i64,
    now: Timestamp,
) -> StoreResult<TakenIn> {
    let mut seen = HashSet::new();
    // A feed that lists an item twice means the first; the engines would refuse the pair.
    let mut keyed: Vec<(String, &NewItem)> = items
        .iter()
        // As the row will have it, because the row is found again by it.
        .map(|new| (without_nul(&identity::key(&new.item)), new))
        .filter(|(key, _)| seen.insert(key.clone()))
        .collect();
    // Oldest first, so that ids grow in the order in which things happened.
    keyed.reverse();

    feeds::lock(db, feed)?;
    let mut taken = TakenIn::default();
    for batch in keyed.chunks(BATCH) {
        let changed = upsert(db, feed, batch, now)?;
        let new: Vec<ItemId> = changed
            .iter()
            .filter(|row| row.is_new)
            .map(|row| row.id)
            .collect();
        write_bodies(db, batch, &changed, policy_version)?;
        fan_out(db, &new)?;
        taken.new += new.len();
        taken.updated += changed.len() - new.len();
    }
    Ok(taken)
}

/// A row that an upsert wrote.
struct Changed {
    id: ItemId,
    key: String,
    is_new: bool,
}

fn upsert(
    db: &mut Db<'_>,
    feed: FeedId,
    batch: &[(String, &NewItem)],
    now: Timestamp,
) -> StoreResult<Vec<Changed>> {
    let mut values: Vec<Value<'_>> = Vec::with_capacity(batch.len() * UPSERT_COLUMNS);
    for (key, NewItem { item, lede }) in batch {
        // The earlier of published and first seen: a date in the future does not stay on top.
        let sort_at = item
            .published_at
            .map_or(now, |published| published.min(now));
        values.extend_from_slice(params![
            feed,
            key,
            item.url.as_ref().map(WebUrl::as_str),
            &item.title,
            item.author.as_deref(),
            &item.excerpt,
            lede,
            item.published_at,
            now,
            sort_at,
            item.hash.as_bytes(),
        ]);
    }
    db.query_rows(&upsert_sql(batch.len()), &values, |row| {
        Ok(Changed {
            id: row.get(0)?,
            key: row.get(1)?,
            is_new: row.get(2)?,
        })
    })
}

const UPSERT_COLUMNS: usize = 11;

fn upsert_sql(rows: usize) -> String {
    format!(
        "INSERT INTO item (feed_id, identity_key, url, title, author, excerpt, lede,
                           published_at, first_seen_at, sort_at, content_hash)
         VALUES {}
         ON CONFLICT (feed_id, identity_key) DO UPDATE SET
             url = excluded.url, title = excluded.title, author = excluded.author,
             excerpt = excluded.excerpt, lede = excluded.lede, content_hash = excluded.content_hash,
             updated_at = excluded.first_seen_at
         WHERE item.content_hash <> excluded.content_hash
         RETURNING id, identity_key, updated_at IS NULL",
        groups(rows, UPSERT_COLUMNS)
    )
}

fn write_bodies(
    db: &mut Db<'_>,
    batch: &[(String, &NewItem)],
    changed: &[Changed],
    policy_version: i64,
) -> StoreResult<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let mut values: Vec<Value<'_>> = Vec::with_capacity(changed.len() * 3);
    for row in changed {
        let (_, new) = batch
            .iter()
            .find(|(key, _)| *key == row.key)
            .ok_or(StoreError::Missing)?;
        values.extend_from_slice(params![row.id, new.item.html.as_str(), policy_version]);
    }
    db.execute_rows(&bodies_sql(changed.len()), &values)
}

fn bodies_sql(rows: usize) -> String {
    format!(
        "INSERT INTO item_body (item_id, html, policy_version) VALUES {}
         ON CONFLICT (item_id) DO UPDATE SET html = excluded.html, policy_version = excluded.policy_version",
        groups(rows, 3)
    )
}

fn fan_out(db: &mut Db<'_>, new: &[ItemId]) -> StoreResult<()> {
    if new.is_empty() {
        return Ok(());
    }
    let values: Vec<Value<'_>> = new.iter().map(|id| (*id).into()).collect();
    db.execute_rows(&fan_out_sql(new.len()), &values)
}

fn fan_out_sql(rows: usize) -> String {
    format!(
        "INSERT INTO unread (user_id, feed_id, sort_at, item_id)
         SELECT s.user_id, i.feed_id, i.sort_at, i.id
         FROM item i JOIN subscription s ON s.feed_id = i.feed_id
         WHERE i.id IN {}
         ON CONFLICT DO NOTHING",
        groups(1, rows)
    )
}

/// The statements that are made for a number of rows, for the test that prepares all of them.
pub(crate) fn batch_statements() -> [(&'static str, String); 3] {
    [
        ("upsert", upsert_sql(2)),
        ("bodies", bodies_sql(2)),
        ("fan_out", fan_out_sql(2)),
    ]
}

/// `($1, $2), ($3, $4)` for two rows of two columns.
fn groups(rows: usize, columns: usize) -> String {
    let mut text = String::with_capacity(rows * columns * 5);
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ", (" });
        for column in 1..=columns {
            if column > 1 {
                text.push_str(", ");
            }
            text.push_str(&format!("${}", row * columns + column));
        }
        text.push(')');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_number_their_parameters_in_order() {
        assert_eq!(groups(2, 2), "($1, $2), ($3, $4)");
        assert_eq!(groups(1, 3), "($1, $2, $3)");
    }
}
