//! Assigns the items of a fetch the keys under which they are stored.

use std::collections::{HashMap, HashSet};

use lede_model::address::WebUrl;
use lede_model::content::ContentHash;
use lede_model::identity::{self, Entry, IdReliability, Identified, Source, StoredItem};
use lede_model::ids::FeedId;
use lede_model::item::{ItemDetails, ItemOrigin};
use lede_model::time::Timestamp;

use super::NewItem;
use crate::batch::list;
use crate::engine::{Row, Value};
use crate::{Db, StoreResult, feeds, items, params, statements};

/// Items looked up per statement: three keys each, within the parameter limits of the engines.
pub(super) const LOOK_UP: usize = 250;

statements! {
    /// Items and tombstones of a feed with extended keys. Queried only for feeds that have some.
    EXTENDED = "SELECT identity_key, url_key, url, title, published_at, content_hash, CAST(NULL AS BIGINT), origin
                FROM item WHERE feed_id = $1 AND identity_key LIKE '%\n%'
                UNION ALL
                SELECT identity_key, url_key, NULL, NULL, NULL, NULL, removed_at, NULL
                FROM tombstone WHERE feed_id = $1 AND identity_key LIKE '%\n%'";
    EXTEND = "UPDATE item SET identity_key = $1 WHERE feed_id = $2 AND identity_key = $3";
}

/// A fetched item with its key.
pub(super) struct Keyed<'a> {
    pub(super) key: String,
    pub(super) url_key: Option<String>,
    pub(super) is_known: bool,
    /// True if the same content from the feed is stored already.
    pub(super) is_unchanged: bool,
    pub(super) new: &'a NewItem,
    /// JSON; `None` if there are no details.
    pub(super) details: Option<String>,
    /// Covers all content from the feed: equal hashes mean that nothing has to be written.
    pub(super) hash: ContentHash,
}

/// Returns the details as stored.
pub(super) fn details_of(new: &NewItem) -> Option<String> {
    (new.details != ItemDetails::default())
        .then(|| serde_json::to_string(&new.details).ok())
        .flatten()
}

/// Returns the stored details of an item, and the hash of its whole content.
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

/// Assigns keys to the items of a fetch, based on the stored items, and records what this reveals
/// about the reliability of the feed's ids. Omits removed items, and all but the first of
/// duplicates.
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
    let trust = feeds::id_reliability(db, feed)?;
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
            is_known: stored.states.contains_key(&key) || extended.contains(&key),
            is_unchanged: stored.is_unchanged(&key, hash),
            url_key: entry.url_key().map(str::to_owned),
            key,
            new,
            details,
            hash,
        })
        .filter(|item| !stored.is_removed(&item.key) && seen.insert(item.key.clone()))
        .collect())
}

/// Returns for each item of `fetched`, which may be a part of a document, whether the feed had it
/// before.
pub fn are_known(db: &mut Db<'_>, feed: FeedId, fetched: &[NewItem]) -> StoreResult<Vec<bool>> {
    let entries = fetched
        .iter()
        .map(|new| entry(new, details_and_hash(new).1));
    let entries: Vec<Entry<'_>> = entries.collect();
    let trust = feeds::id_reliability(db, feed)?;
    let (identified, stored) = identified(db, feed, &entries, trust)?;
    let is_known = |key: &String| {
        let mut extended = identified.extended.iter();
        stored.states.contains_key(key) || extended.any(|(_, own)| own == key)
    };
    Ok(identified.keys.iter().map(is_known).collect())
}

fn identified(
    db: &mut Db<'_>,
    feed: FeedId,
    entries: &[Entry<'_>],
    trust: IdReliability,
) -> StoreResult<(Identified, Stored)> {
    let mut stored = Stored::default();
    stored.look_up_keys(db, feed, entries)?;
    // The address adds nothing for an entry whose trusted id is known, which is true of most
    // entries.
    let (known, unknown): (Vec<&Entry<'_>>, Vec<&Entry<'_>>) = entries
        .iter()
        .partition(|entry| trust.guids && stored.has_guid_of(entry));
    stored.look_up_urls(db, feed, &unknown)?;
    if trust.shares_keys {
        stored.look_up_extended(db, feed)?;
    }
    let mut identified = identity::identify(entries, &stored.items, trust);
    let shares_keys = identified.trust.shares_keys && !trust.shares_keys;
    let distrusts_guids = trust.guids && !identified.trust.guids;
    if shares_keys || distrusts_guids {
        if shares_keys {
            stored.look_up_extended(db, feed)?;
        }
        if distrusts_guids {
            stored.look_up_urls(db, feed, &known)?;
        }
        identified = identity::identify(entries, &stored.items, trust);
    }
    Ok((identified, stored))
}

enum State {
    /// From the feed, with this hash of its content.
    FromFeed(ContentHash),
    Imported,
    RemovedAt(Timestamp),
}

/// Stored items and tombstones that may match the entries of a fetch.
#[derive(Default)]
struct Stored {
    items: Vec<StoredItem>,
    /// State of each item and tombstone, by key.
    states: HashMap<String, State>,
    /// Keys of tombstones that an entry of the fetch may have.
    listed: HashSet<String>,
}

impl Stored {
    /// Loads the items and tombstones that have a possible key of one of `entries`.
    fn look_up_keys(
        &mut self,
        db: &mut Db<'_>,
        feed: FeedId,
        entries: &[Entry<'_>],
    ) -> StoreResult<()> {
        for batch in entries.chunks(LOOK_UP) {
            let keys: HashSet<String> = batch.iter().flat_map(Entry::possible_keys).collect();
            let mut values: Vec<Value<'_>> = vec![feed.into()];
            values.extend(keys.iter().map(Value::from));
            let found = db.query_rows(&with_keys_sql(keys.len()), &values, stored_item)?;
            for (item, removed_at) in found {
                if removed_at.is_some() {
                    self.listed.insert(item.key.clone());
                }
                self.add(item, removed_at);
            }
        }
        Ok(())
    }

    /// Loads the items that have the address of one of `entries`.
    fn look_up_urls(
        &mut self,
        db: &mut Db<'_>,
        feed: FeedId,
        entries: &[&Entry<'_>],
    ) -> StoreResult<()> {
        let urls: HashSet<&str> = entries.iter().filter_map(|entry| entry.url_key()).collect();
        let urls: Vec<&str> = urls.into_iter().collect();
        for batch in urls.chunks(LOOK_UP) {
            let mut values: Vec<Value<'_>> = vec![feed.into()];
            values.extend(batch.iter().map(|url| Value::from(*url)));
            for (item, removed_at) in
                db.query_rows(&with_urls_sql(batch.len()), &values, stored_item)?
            {
                self.add(item, removed_at);
            }
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
        if self.states.contains_key(&item.key) {
            return;
        }
        let state = match (removed_at, item.source) {
            (Some(at), _) => State::RemovedAt(at),
            (None, Source::Feed(hash)) => State::FromFeed(hash),
            (None, Source::Import | Source::Removed) => State::Imported,
        };
        self.states.insert(item.key.clone(), state);
        self.items.push(item);
    }

    fn has_guid_of(&self, entry: &Entry<'_>) -> bool {
        entry
            .guid_key()
            .is_some_and(|guid| self.states.contains_key(guid))
    }

    fn is_removed(&self, key: &str) -> bool {
        matches!(self.states.get(key), Some(State::RemovedAt(_)))
    }

    fn is_unchanged(&self, key: &str, hash: ContentHash) -> bool {
        matches!(self.states.get(key), Some(State::FromFeed(stored)) if *stored == hash)
    }

    /// Records that the feed still lists removed items, so that their tombstones are not deleted.
    fn note_still_listed(
        &self,
        db: &mut Db<'_>,
        feed: FeedId,
        keys: &[String],
        now: Timestamp,
    ) -> StoreResult<()> {
        let seldom = now - items::TOMBSTONE_TOUCH;
        let is_old = |key: &&String| matches!(self.states.get(*key), Some(State::RemovedAt(at)) if *at < seldom);
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

/// Reads a row of [`STORED_COLUMNS`] or [`EXTENDED`]: the item, and when it was removed.
fn stored_item(row: &Row<'_>) -> StoreResult<(StoredItem, Option<Timestamp>)> {
    let removed_at: Option<Timestamp> = row.get(6)?;
    let hash: Option<Vec<u8>> = row.get(5)?;
    let origin: Option<String> = row.get(7)?;
    let is_feeds = origin.as_deref() == Some(ItemOrigin::Feed.as_str());
    let source = match (removed_at, hash) {
        (Some(_), _) | (None, None) => Source::Removed,
        (None, Some(hash)) => match ContentHash::from_bytes(&hash) {
            Some(hash) if is_feeds => Source::Feed(hash),
            _ => Source::Import,
        },
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

const STORED_COLUMNS: &str =
    "identity_key, url_key, url, title, published_at, content_hash, CAST(NULL AS BIGINT), origin";

pub(super) fn with_keys_sql(keys: usize) -> String {
    let keys = list(2, keys);
    format!(
        "SELECT {STORED_COLUMNS} FROM item WHERE feed_id = $1 AND identity_key IN ({keys})
         UNION ALL
         SELECT identity_key, url_key, NULL, NULL, NULL, NULL, removed_at, NULL
         FROM tombstone WHERE feed_id = $1 AND identity_key IN ({keys})"
    )
}

pub(super) fn with_urls_sql(urls: usize) -> String {
    format!(
        "SELECT {STORED_COLUMNS} FROM item WHERE feed_id = $1 AND url_key IN ({})",
        list(2, urls)
    )
}
