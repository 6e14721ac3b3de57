//! Taking in what a fetch brought: all items of it in a handful of statements.

use std::collections::HashSet;

use lede_model::address::WebUrl;
use lede_model::identity::{self, Known, Marks};
use lede_model::ids::{FeedId, ItemId};
use lede_model::item::CleanItem;
use lede_model::time::Timestamp;

use crate::engine::Value;
use crate::{Db, StoreError, StoreResult, feeds, params};

/// Rows in one statement: beyond some fifty, planning costs what the round trip saves.
const BATCH: usize = 50;
/// Items whose keys are looked up in one statement: three keys each, within what engines bind.
const LOOK_UP: usize = 250;

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
    feeds::lock(db, feed)?;
    let marks: Vec<Marks> = items.iter().map(|new| Marks::of(&new.item)).collect();
    let keys = identified(db, feed, &marks)?;
    let mut seen = HashSet::new();
    let mut batches: Vec<Keyed<'_>> = items
        .iter()
        .zip(&marks)
        .zip(keys)
        .map(|((new, marks), key)| Keyed {
            key,
            url_key: marks.url_key(),
            new,
        })
        // A feed that lists an item twice means the first; the engines would refuse the pair.
        .filter(|keyed| seen.insert(keyed.key.clone()))
        .collect();
    // Oldest first, so that ids grow in the order in which things happened.
    batches.reverse();

    let mut taken = TakenIn::default();
    for batch in batches.chunks(BATCH) {
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

/// An item with the key it is kept under.
struct Keyed<'a> {
    key: String,
    url_key: Option<&'a str>,
    new: &'a NewItem,
}

/// The key of each item, from what the feed had before; what this teaches about the feed is kept.
fn identified(db: &mut Db<'_>, feed: FeedId, items: &[Marks]) -> StoreResult<Vec<String>> {
    let trust = feeds::trust(db, feed)?;
    let mut known = Vec::new();
    for batch in items.chunks(LOOK_UP) {
        let keys: HashSet<String> = batch.iter().flat_map(Marks::possible_keys).collect();
        let urls: HashSet<&str> = batch.iter().filter_map(Marks::url_key).collect();
        let mut values: Vec<Value<'_>> = vec![feed.into()];
        values.extend(keys.iter().map(Value::from));
        values.extend(urls.iter().map(|url| Value::from(*url)));
        known.extend(
            db.query_rows(&known_sql(keys.len(), urls.len()), &values, |row| {
                Ok(Known {
                    key: row.get(0)?,
                    url_key: row.get(1)?,
                })
            })?,
        );
    }
    let (keys, learnt) = identity::identify(items, &known, trust);
    if learnt != trust {
        feeds::set_trust(db, feed, learnt)?;
    }
    Ok(keys)
}

/// Each half walks an index of its own; a union of them is planned better than an OR.
fn known_sql(keys: usize, urls: usize) -> String {
    let list = |first: usize, count: usize| {
        (first..first + count)
            .map(|number| format!("${number}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let by_key = format!(
        "SELECT identity_key, url_key FROM item WHERE feed_id = $1 AND identity_key IN ({})",
        list(2, keys)
    );
    if urls == 0 {
        return by_key;
    }
    format!(
        "{by_key} UNION SELECT identity_key, url_key FROM item WHERE feed_id = $1 AND url_key IN ({})",
        list(2 + keys, urls)
    )
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
    batch: &[Keyed<'_>],
    now: Timestamp,
) -> StoreResult<Vec<Changed>> {
    let mut values: Vec<Value<'_>> = Vec::with_capacity(batch.len() * UPSERT_COLUMNS);
    for Keyed { key, url_key, new } in batch {
        let NewItem { item, lede } = new;
        // The earlier of published and first seen: a date in the future does not stay on top.
        let sort_at = item
            .published_at
            .map_or(now, |published| published.min(now));
        values.extend_from_slice(params![
            feed,
            key,
            *url_key,
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

const UPSERT_COLUMNS: usize = 12;

fn upsert_sql(rows: usize) -> String {
    format!(
        "INSERT INTO item (feed_id, identity_key, url_key, url, title, author, excerpt, lede,
                           published_at, first_seen_at, sort_at, content_hash)
         VALUES {}
         ON CONFLICT (feed_id, identity_key) DO UPDATE SET
             url_key = excluded.url_key, url = excluded.url, title = excluded.title, author = excluded.author,
             excerpt = excluded.excerpt, lede = excluded.lede, content_hash = excluded.content_hash,
             updated_at = excluded.first_seen_at
         WHERE item.content_hash <> excluded.content_hash
         RETURNING id, identity_key, updated_at IS NULL",
        groups(rows, UPSERT_COLUMNS)
    )
}

fn write_bodies(
    db: &mut Db<'_>,
    batch: &[Keyed<'_>],
    changed: &[Changed],
    policy_version: i64,
) -> StoreResult<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let mut values: Vec<Value<'_>> = Vec::with_capacity(changed.len() * 3);
    for row in changed {
        let keyed = batch
            .iter()
            .find(|keyed| keyed.key == row.key)
            .ok_or(StoreError::Missing)?;
        values.extend_from_slice(params![
            row.id,
            keyed.new.item.html.as_str(),
            policy_version
        ]);
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
pub(crate) fn batch_statements() -> [(&'static str, String); 4] {
    [
        ("known", known_sql(2, 2)),
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
