//! The items of a fetch with the keys that they are stored under.

use std::collections::{HashMap, HashSet};

use lede_model::address::WebUrl;
use lede_model::content::ContentHash;
use lede_model::identity::{self, Entry, Identified, Source, StoredItem, Trust};
use lede_model::ids::FeedId;
use lede_model::item::ItemDetails;
use lede_model::time::Timestamp;

use super::NewItem;
use crate::batch::list;
use crate::engine::{Row, Value};
use crate::{Db, StoreResult, feeds, items, params, statements};

/// Items whose keys are looked up in one statement: three keys each, within what engines bind.
pub(super) const LOOK_UP: usize = 250;

statements! {
    /// The items and removed items of a feed whose keys are extended. Only asked of feeds that have some.
    EXTENDED = "SELECT identity_key, url_key, url, title, published_at, content_hash, CAST(NULL AS BIGINT)
                FROM item WHERE feed_id = $1 AND identity_key LIKE '%\n%'
                UNION ALL
                SELECT identity_key, url_key, NULL, NULL, NULL, NULL, removed_at
                FROM tombstone WHERE feed_id = $1 AND identity_key LIKE '%\n%'";
    EXTEND = "UPDATE item SET identity_key = $1 WHERE feed_id = $2 AND identity_key = $3";
}

/// An item with the key that it is stored under.
pub(super) struct Keyed<'a> {
    pub(super) key: String,
    pub(super) url_key: Option<String>,
    pub(super) is_known: bool,
    pub(super) new: &'a NewItem,
    /// As JSON; nothing when there are none.
    pub(super) details: Option<String>,
    /// Of everything that the feed says of it: equal hashes mean that nothing has to be written.
    pub(super) hash: ContentHash,
}

/// Details as they are stored.
pub(super) fn details_of(new: &NewItem) -> Option<String> {
    (new.details != ItemDetails::default())
        .then(|| serde_json::to_string(&new.details).ok())
        .flatten()
}

/// Everything that is stored of an item besides its own columns, and the hash of all of it.
fn details_and_hash(new: &NewItem) -> (Option<String>, ContentHash) {
    let details = details_of(new);
    let image = new.image_url.as_ref().map(WebUrl::as_str);
    let beside = [details.as_deref(), image];
    let hash = match beside {
        [None, None] => new.item.hash,
        beside => new.item.hash.with(beside.map(Option::unwrap_or_default)),
    };
    (details, hash)
}

fn entry(new: &NewItem, hash: ContentHash) -> Entry<'_> {
    Entry::new(&new.item, &new.details.enclosures, hash)
}

/// Gives the items of a fetch their keys, from what the feed had before, and remembers what this teaches
/// about the feed. Leaves out those that were removed, and all but the first of those that are the same.
pub(super) fn keyed<'a>(
    db: &mut Db<'_>,
    feed: FeedId,
    fetched: &'a [NewItem],
    now: Timestamp,
) -> StoreResult<Vec<Keyed<'a>>> {
    let prepared: Vec<(Option<String>, ContentHash)> =
        fetched.iter().map(details_and_hash).collect();
    let pairs = fetched.iter().zip(&prepared);
    let entries: Vec<Entry<'_>> = pairs.map(|(new, (_, hash))| entry(new, *hash)).collect();
    let trust = feeds::trust(db, feed)?;
    let (identified, stored) = identified(db, feed, &entries, trust)?;
    if identified.trust != trust {
        feeds::set_trust(db, feed, identified.trust)?;
    }
    for (base, own) in &identified.extended {
        db.execute(EXTEND, params![own, feed, base])?;
    }
    stored.note_still_listed(db, feed, &identified.keys, now)?;
    let extended = identified.extended.into_iter().map(|(_, own)| own);
    let extended: HashSet<String> = extended.collect();
    let mut seen = HashSet::new();
    let keyed = fetched.iter().zip(&entries).zip(prepared);
    let keyed = keyed.zip(identified.keys);
    Ok(keyed
        .map(|(((new, entry), (details, hash)), key)| Keyed {
            is_known: stored.removed_at.contains_key(&key) || extended.contains(&key),
            url_key: entry.url_key().map(str::to_owned),
            key,
            new,
            details,
            hash,
        })
        .filter(|item| !stored.is_removed(&item.key) && seen.insert(item.key.clone()))
        .collect())
}

/// Tells for each of `entries`, which may be a part of a document, whether the feed had it before.
pub fn are_known(db: &mut Db<'_>, feed: FeedId, fetched: &[NewItem]) -> StoreResult<Vec<bool>> {
    let entries = fetched
        .iter()
        .map(|new| entry(new, details_and_hash(new).1));
    let entries: Vec<Entry<'_>> = entries.collect();
    let trust = feeds::trust(db, feed)?;
    let (identified, stored) = identified(db, feed, &entries, trust)?;
    let is_known = |key: &String| {
        let mut extended = identified.extended.iter();
        stored.removed_at.contains_key(key) || extended.any(|(_, own)| own == key)
    };
    Ok(identified.keys.iter().map(is_known).collect())
}

fn identified(
    db: &mut Db<'_>,
    feed: FeedId,
    entries: &[Entry<'_>],
    trust: Trust,
) -> StoreResult<(Identified, Stored)> {
    let mut stored = Stored::default();
    for batch in entries.chunks(LOOK_UP) {
        stored.look_up(db, feed, batch)?;
    }
    if trust.shares_keys {
        stored.look_up_extended(db, feed)?;
    }
    let mut identified = identity::identify(entries, &stored.items, trust);
    if identified.trust.shares_keys && !trust.shares_keys {
        stored.look_up_extended(db, feed)?;
        identified = identity::identify(entries, &stored.items, trust);
    }
    Ok((identified, stored))
}

/// The items and removed items that those of a fetch may be.
#[derive(Default)]
struct Stored {
    items: Vec<StoredItem>,
    /// By key; nothing for those that are there.
    removed_at: HashMap<String, Option<Timestamp>>,
    /// Keys of removed ones that an entry of the fetch could have.
    listed: HashSet<String>,
}

impl Stored {
    /// Finds what has a possible key or the address of one of `entries`.
    fn look_up(&mut self, db: &mut Db<'_>, feed: FeedId, entries: &[Entry<'_>]) -> StoreResult<()> {
        let keys: HashSet<String> = entries.iter().flat_map(Entry::possible_keys).collect();
        let urls: HashSet<&str> = entries.iter().filter_map(Entry::url_key).collect();
        let mut values: Vec<Value<'_>> = vec![feed.into()];
        values.extend(keys.iter().map(Value::from));
        values.extend(urls.iter().map(|url| Value::from(*url)));
        let found = db.query_rows(&known_sql(keys.len(), urls.len()), &values, stored_item)?;
        for (item, removed_at) in found {
            if removed_at.is_some() {
                self.listed.insert(item.key.clone());
            }
            self.add(item, removed_at);
        }
        Ok(())
    }

    fn look_up_extended(&mut self, db: &mut Db<'_>, feed: FeedId) -> StoreResult<()> {
        for (item, removed_at) in db.query(EXTENDED, params![feed], stored_item)? {
            self.add(item, removed_at);
        }
        Ok(())
    }

    fn add(&mut self, item: StoredItem, removed_at: Option<Timestamp>) {
        if !self.removed_at.contains_key(&item.key) {
            self.removed_at.insert(item.key.clone(), removed_at);
            self.items.push(item);
        }
    }

    fn is_removed(&self, key: &str) -> bool {
        matches!(self.removed_at.get(key), Some(Some(_)))
    }

    /// Notes that the feed still lists what was removed, so that it is kept away for as long.
    fn note_still_listed(
        &self,
        db: &mut Db<'_>,
        feed: FeedId,
        keys: &[String],
        now: Timestamp,
    ) -> StoreResult<()> {
        let seldom = now - items::STONE_TOUCH;
        let is_old = |key: &&String| {
            let removed_at = self.removed_at.get(*key).copied().flatten();
            removed_at.is_some_and(|at| at < seldom)
        };
        let listed: HashSet<&String> = self.listed.iter().chain(keys).filter(is_old).collect();
        let listed: Vec<&String> = listed.into_iter().collect();
        for batch in listed.chunks(LOOK_UP) {
            let mut values = params![now, feed].to_vec();
            values.extend(batch.iter().map(|key| Value::from(*key)));
            db.execute_rows(&still_listed_sql(batch.len()), &values)?;
        }
        Ok(())
    }
}

/// Reads a row of [`known_sql`] or [`EXTENDED`]: the item, and when it was removed.
fn stored_item(row: &Row<'_>) -> StoreResult<(StoredItem, Option<Timestamp>)> {
    let removed_at: Option<Timestamp> = row.get(6)?;
    let hash: Option<Vec<u8>> = row.get(5)?;
    let source = match (removed_at, hash) {
        (Some(_), _) | (None, None) => Source::Removed,
        (None, Some(hash)) => {
            // The hash of an import is a byte longer.
            ContentHash::from_bytes(&hash).map_or(Source::Import, Source::Feed)
        }
    };
    let url: Option<String> = row.get(2)?;
    let fragment = url.as_deref().and_then(|url| url.split_once('#'));
    let fragment = fragment.map(|(_, fragment)| fragment.to_owned());
    let item = StoredItem {
        key: row.get(0)?,
        url_key: row.get(1)?,
        fragment: fragment.filter(|fragment| !fragment.is_empty()),
        title: row.get::<Option<String>>(3)?.unwrap_or_default(),
        published_at: row.get(4)?,
        source,
    };
    Ok((item, removed_at))
}

pub(super) fn still_listed_sql(keys: usize) -> String {
    format!(
        "UPDATE tombstone SET removed_at = $1 WHERE feed_id = $2 AND identity_key IN ({})",
        list(3, keys)
    )
}

/// Each part walks an index of its own; a union of them is planned better than an OR. What two of them
/// find is told apart by its key, which is cheaper than comparing rows.
pub(super) fn known_sql(keys: usize, urls: usize) -> String {
    let (keys, urls) = (list(2, keys), list(2 + keys, urls));
    let items = |column: &str, values: &str| {
        format!(
            "SELECT identity_key, url_key, url, title, published_at, content_hash, CAST(NULL AS BIGINT)
             FROM item WHERE feed_id = $1 AND {column} IN ({values})"
        )
    };
    let removed = format!(
        "SELECT identity_key, url_key, NULL, NULL, NULL, NULL, removed_at
         FROM tombstone WHERE feed_id = $1 AND identity_key IN ({keys})"
    );
    let mut parts = vec![items("identity_key", &keys), removed];
    if !urls.is_empty() {
        parts.push(items("url_key", &urls));
    }
    parts.join(" UNION ALL ")
}
