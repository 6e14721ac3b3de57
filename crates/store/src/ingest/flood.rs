//! Floods: fetches after a publisher changed all ids and addresses at once.

use std::collections::{HashMap, HashSet};

use lede_model::ids::{FeedId, ItemId};
use lede_model::time::Timestamp;

use super::NewItem;
use super::keyed::{Keyed, LOOK_UP};
use crate::batch::list;
use crate::engine::Value;
use crate::{Db, StoreResult, params, statements};

/// A flood has more than this many old entries with new keys, and they are most of the fetch.
const FLOOD: usize = 20;

statements! {
    /// Floods are rare, so one statement per item is acceptable.
    GIVE_KEY = "UPDATE item SET identity_key = $1, url_key = $2 WHERE id = $3";
    LAST_SEEN = "SELECT MAX(first_seen_at) FROM item WHERE feed_id = $1 AND owner_id IS NULL";
}

pub(super) fn is_older(new: &NewItem, than: Timestamp) -> bool {
    new.item.published_at.is_some_and(|at| at < than)
}

/// Returns when a new item was last seen in the feed, if this fetch is a flood: of more than
/// [`FLOOD`] entries, over four in five have new keys though they are older than that.
pub(super) fn flood_before(
    db: &mut Db<'_>,
    feed: FeedId,
    items: &[Keyed<'_>],
    fetched: usize,
) -> StoreResult<Option<Timestamp>> {
    let unknown = || items.iter().filter(|item| !item.is_known);
    if unknown().count() <= FLOOD {
        return Ok(None);
    }
    let last: Option<Timestamp> = db.one(LAST_SEEN, params![feed], |row| row.get(0))?;
    Ok(last.filter(|last| {
        let old = unknown().filter(|item| is_older(item.new, *last)).count();
        old > FLOOD && old * 5 > fetched * 4
    }))
}

/// Gives stored items the new keys of a flood where title and date match: then they are updated in
/// place and keep their marks.
pub(super) fn know_by_title(
    db: &mut Db<'_>,
    feed: FeedId,
    items: &[Keyed<'_>],
    before: Timestamp,
) -> StoreResult<()> {
    // A stored item whose key is in this fetch belongs to that entry.
    let listed: HashSet<&str> = items.iter().map(|item| item.key.as_str()).collect();
    let old = items
        .iter()
        .filter(|item| !item.is_known && is_older(item.new, before));
    let mut wanted: HashMap<(String, Timestamp), &Keyed<'_>> = old
        .filter_map(|item| {
            let published = item.new.item.published_at?;
            Some(((item.new.item.title.clone(), published), item))
        })
        .collect();
    let dates: Vec<Timestamp> = wanted.keys().map(|(_, published)| *published).collect();
    for dates in dates.chunks(LOOK_UP) {
        let mut values: Vec<Value<'_>> = vec![feed.into()];
        values.extend(dates.iter().map(|date| Value::from(*date)));
        let found = db.query_rows(&dated_sql(dates.len()), &values, |row| {
            Ok((
                row.get::<ItemId>(0)?,
                row.get::<String>(1)?,
                row.get::<Timestamp>(2)?,
                row.get::<String>(3)?,
            ))
        })?;
        for (id, title, published, key) in found {
            if listed.contains(key.as_str()) {
                continue;
            }
            if let Some(item) = wanted.remove(&(title, published)) {
                db.execute(GIVE_KEY, params![&item.key, item.url_key.as_deref(), id])?;
            }
        }
    }
    Ok(())
}

pub(super) fn dated_sql(dates: usize) -> String {
    format!(
        "SELECT id, title, published_at, identity_key FROM item WHERE feed_id = $1 AND published_at IN ({}) ORDER BY id",
        list(2, dates)
    )
}
