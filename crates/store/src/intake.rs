//! Taking in what a fetch brought: all items of it in a handful of statements.

use std::collections::{HashMap, HashSet};

use lede_model::address::WebUrl;
use lede_model::content::{CleanHtml, ContentHash};
use lede_model::identity::{self, Known, Marks};
use lede_model::ids::{FeedId, ItemId};
use lede_model::item::{CleanItem, ItemDetails};
use lede_model::schedule::ARTICLE_PAUSE;
use lede_model::time::Timestamp;

use crate::awaited::{NewRow, Told};
use crate::batch::{groups, list};
use crate::engine::Value;
use crate::rules::apply::{Arrival, FeedRules};
use crate::{
    Db, StoreError, StoreResult, feeds, items, jobs, params, search, statements, tally, unread,
};

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
    /// How long it takes to read, if there is text.
    pub reading_minutes: Option<i64>,
    /// What language it is in, as a two- or three-letter tag.
    pub language: Option<String>,
    /// A picture of it.
    pub image_url: Option<WebUrl>,
    /// What it has beside its text.
    pub details: ItemDetails,
    /// Whether the feed has so little of its text that the article is to be fetched from its page.
    pub wants_article: bool,
}

/// What the store has to know of how items were cleaned.
#[derive(Clone, Copy)]
pub struct Cleaning {
    /// The rules by which their text was cleaned.
    pub policy_version: i64,
    /// Takes the text out of it, for those who want something done by its words.
    pub text_of: fn(&CleanHtml) -> String,
}

/// What taking in a fetch came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TakenIn {
    /// Items that were not known.
    pub new: usize,
    /// Known items whose content changed.
    pub updated: usize,
    /// Those of both whose feed says enough of them.
    pub said_enough: usize,
}

/// More entries than this that are new though old, and most of the fetch: the publisher changed
/// every id and address at once (hardening 12.4).
const FLOOD: usize = 20;

statements! {
    /// Rare enough that one for each item is no harm.
    GIVE_KEY = "UPDATE item SET identity_key = $1, url_key = $2 WHERE id = $3";
    LAST_SEEN = "SELECT MAX(first_seen_at) FROM item WHERE feed_id = $1 AND length(content_hash) = 32";
    /// A stone never stands beside its item, which would no longer be updated.
    RAISE = "DELETE FROM tombstone WHERE feed_id = $1 AND identity_key = $2";
    /// Without its address as it is compared: what the feed's ids are worth is learnt from the feed.
    BRING = "INSERT INTO item (feed_id, identity_key, url, title, author, excerpt, lede, language, image_url,
                               published_at, first_seen_at, sort_at, content_hash, reading_minutes)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
             ON CONFLICT (feed_id, identity_key) DO NOTHING
             RETURNING id";
}

/// Takes in the items of one fetch: new ones become unread for every follower who has not paused the
/// feed and meet the rules of each, but as a take-out told of them to those who wait for that; changed ones are updated in place and keep their marks and place,
/// unchanged ones cost a look-up. What was removed
/// stays away.
pub fn take_in(
    db: &mut Db<'_>,
    feed: FeedId,
    items: &[NewItem],
    cleaning: Cleaning,
    now: Timestamp,
) -> StoreResult<TakenIn> {
    feeds::lock(db, feed)?;
    let mut batches = keyed(db, feed, items, now)?;
    // Oldest first, so that ids grow in the order in which things happened.
    batches.reverse();
    let before = flood_before(db, feed, &batches, items.len())?;
    if let Some(before) = before {
        know_by_title(db, feed, &batches, before)?;
    }
    let mut taken = TakenIn::default();
    let (mut rules, mut rows) = (None, 0);
    let all: Vec<(&str, &NewItem)> = batches
        .iter()
        .map(|item| (item.key.as_str(), item.new))
        .collect();
    for batch in batches.chunks(BATCH) {
        let written = upsert(db, feed, batch, now)?;
        write_bodies(db, &written, cleaning.policy_version)?;
        forget_bringers(db, &written)?;
        let ids = |wanted: &dyn Fn(&Written<'_>) -> bool| -> Vec<ItemId> {
            let wanted = written.iter().filter(|row| wanted(row));
            wanted.map(|row| row.id).collect()
        };
        let new = ids(&|row| row.is_new).len();
        // What a flood brings is kept and read by whoever looks for it; nobody has to.
        let is_news = |row: &Written<'_>| {
            row.is_new && !before.is_some_and(|before| is_older(row.new, before))
        };
        unread::add_new(db, feed, &ids(&is_news))?;
        if new > 0 {
            let (rules, told) = match &mut rules {
                Some(rules) => rules,
                none => {
                    let mut rules = FeedRules::of(db, feed)?;
                    let awaiting = std::mem::take(&mut rules.awaiting);
                    none.insert((rules, Told::take(db, feed, awaiting, &all)?))
                }
            };
            let new_rows = written.iter().filter(|row| row.is_new);
            let new_rows: Vec<NewRow<'_>> = new_rows
                .map(|row| NewRow {
                    id: row.id,
                    key: row.key,
                    sort_at: sort_at(row.new, now),
                })
                .collect();
            told.mark(db, feed, &new_rows, now)?;
            let arrivals = written.iter().filter(|row| is_news(row)).map(|row| {
                let sort_at = sort_at(row.new, now);
                Arrival {
                    id: row.id,
                    sort_at,
                    new: row.new,
                    known_to: told.knowing(row.key, sort_at),
                }
            });
            let arrivals: Vec<Arrival<'_>> = arrivals.collect();
            rules.apply(db, &arrivals, cleaning.text_of, now)?;
        }
        search::enqueue(db, &ids(&|_| true))?;
        let short = ids(&|row| row.new.wants_article);
        jobs::add_articles(db, &short, now, now - ARTICLE_PAUSE)?;
        rows += written.iter().filter(|row| row.is_row_new()).count();
        taken.new += new;
        taken.updated += written.len() - new;
        taken.said_enough += written.len() - short.len();
    }
    match before {
        None => tally::add(db, feed, rows)?,
        // What got its key here may be what somebody brought, which is then taken for a new row.
        Some(_) => tally::recount(db, feed)?,
    }
    Ok(taken)
}

/// An item with the key it is kept under.
struct Keyed<'a> {
    key: String,
    url_key: Option<String>,
    is_known: bool,
    new: &'a NewItem,
    /// As JSON; nothing when there are none.
    details: Option<String>,
    /// Of everything that the feed says of it: equal hashes mean that nothing has to be written.
    hash: ContentHash,
}

impl<'a> Keyed<'a> {
    fn new(new: &'a NewItem, marks: &Marks, key: String, is_known: bool) -> Self {
        let details = details_of(new);
        let image = new.image_url.as_ref().map(WebUrl::as_str);
        let beside = [details.as_deref(), image];
        let hash = match beside {
            [None, None] => new.item.hash,
            beside => new.item.hash.with(beside.map(Option::unwrap_or_default)),
        };
        Self {
            key,
            url_key: marks.url_key().map(str::to_owned),
            is_known,
            new,
            details,
            hash,
        }
    }
}

/// What an item has beside its text, as it is kept.
fn details_of(new: &NewItem) -> Option<String> {
    (new.details != ItemDetails::default())
        .then(|| serde_json::to_string(&new.details).ok())
        .flatten()
}

/// The items with their keys, from what the feed had before; what this teaches about the feed is
/// kept. Left out are those that were removed, and all but the first that have the same key: a feed
/// that lists an item twice means the first, and the engines would refuse the pair.
fn keyed<'a>(
    db: &mut Db<'_>,
    feed: FeedId,
    fetched: &'a [NewItem],
    now: Timestamp,
) -> StoreResult<Vec<Keyed<'a>>> {
    let trust = feeds::trust(db, feed)?;
    let seldom = now - items::STONE_TOUCH;
    let marks: Vec<Marks> = fetched.iter().map(|new| Marks::of(&new.item)).collect();
    let mut known = Vec::new();
    let mut removed = HashSet::new();
    let mut still_listed = Vec::new();
    for batch in marks.chunks(LOOK_UP) {
        let keys: HashSet<String> = batch.iter().flat_map(Marks::possible_keys).collect();
        let urls: HashSet<&str> = batch.iter().filter_map(Marks::url_key).collect();
        let mut values: Vec<Value<'_>> = vec![feed.into()];
        values.extend(keys.iter().map(Value::from));
        values.extend(urls.iter().map(|url| Value::from(*url)));
        let found = db.query_rows(&known_sql(keys.len(), urls.len()), &values, |row| {
            let item = Known {
                key: row.get(0)?,
                url_key: row.get(1)?,
            };
            Ok((item, row.get::<Option<Timestamp>>(2)?))
        })?;
        for (item, removed_at) in found {
            if let Some(removed_at) = removed_at {
                removed.insert(item.key.clone());
                if removed_at < seldom {
                    still_listed.push(item.key.clone());
                }
            }
            known.push(item);
        }
    }
    for batch in still_listed.chunks(LOOK_UP) {
        let mut values = params![now, feed].to_vec();
        values.extend(batch.iter().map(Value::from));
        db.execute_rows(&still_listed_sql(batch.len()), &values)?;
    }
    let (keys, learnt) = identity::identify(&marks, &known, trust);
    if learnt != trust {
        feeds::set_trust(db, feed, learnt)?;
    }
    let known: HashSet<&str> = known.iter().map(|item| item.key.as_str()).collect();
    let mut seen = HashSet::new();
    let keyed = fetched.iter().zip(&marks).zip(keys);
    Ok(keyed
        .map(|((new, marks), key)| {
            let is_known = known.contains(key.as_str());
            Keyed::new(new, marks, key, is_known)
        })
        .filter(|item| !removed.contains(&item.key) && seen.insert(item.key.clone()))
        .collect())
}

fn is_older(new: &NewItem, than: Timestamp) -> bool {
    new.item.published_at.is_some_and(|at| at < than)
}

/// When something new was last seen in the feed, if this fetch is a flood: of more than
/// [`FLOOD`] entries, over four in five are new though older than that.
fn flood_before(
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

/// Gives known items the keys under which a flood brings them, where title and date say that they
/// are the same: then they are updated in place and keep their marks.
fn know_by_title(
    db: &mut Db<'_>,
    feed: FeedId,
    items: &[Keyed<'_>],
    before: Timestamp,
) -> StoreResult<()> {
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
            ))
        })?;
        for (id, title, published) in found {
            if let Some(item) = wanted.remove(&(title, published)) {
                db.execute(GIVE_KEY, params![&item.key, item.url_key.as_deref(), id])?;
            }
        }
    }
    Ok(())
}

fn dated_sql(dates: usize) -> String {
    format!(
        "SELECT id, title, published_at FROM item WHERE feed_id = $1 AND published_at IN ({}) ORDER BY id",
        list(2, dates)
    )
}

/// Notes that a feed still lists what was removed, so that it is kept away for as long.
fn still_listed_sql(keys: usize) -> String {
    format!(
        "UPDATE tombstone SET removed_at = $1 WHERE feed_id = $2 AND identity_key IN ({})",
        list(3, keys)
    )
}

/// When an item that is there was removed.
const NEVER: &str = "CAST(NULL AS BIGINT)";

/// Each part walks an index of its own; a union of them is planned better than an OR.
fn known_sql(keys: usize, urls: usize) -> String {
    let (keys, urls) = (list(2, keys), list(2 + keys, urls));
    let part = |table: &str, removed_at: &str, column: &str, values: &str| {
        format!(
            "SELECT identity_key, url_key, {removed_at} FROM {table}
             WHERE feed_id = $1 AND {column} IN ({values})"
        )
    };
    let mut parts = vec![
        part("item", NEVER, "identity_key", &keys),
        part("tombstone", "removed_at", "identity_key", &keys),
    ];
    if !urls.is_empty() {
        parts.push(part("item", NEVER, "url_key", &urls));
    }
    parts.join(" UNION ")
}

/// A row that an upsert wrote, with what it was written from.
struct Written<'a> {
    id: ItemId,
    is_new: bool,
    /// There was a row of it all the same: somebody had brought it.
    was_brought: bool,
    key: &'a str,
    new: &'a NewItem,
    details: Option<&'a str>,
}

impl Written<'_> {
    fn is_row_new(&self) -> bool {
        self.is_new && !self.was_brought
    }
}

fn upsert<'a>(
    db: &mut Db<'_>,
    feed: FeedId,
    batch: &'a [Keyed<'a>],
    now: Timestamp,
) -> StoreResult<Vec<Written<'a>>> {
    let mut values: Vec<Value<'_>> = Vec::with_capacity(batch.len() * UPSERT_COLUMNS);
    for keyed in batch {
        let NewItem { item, lede, .. } = keyed.new;
        values.extend_from_slice(params![
            feed,
            &keyed.key,
            keyed.url_key.as_deref(),
            item.url.as_ref().map(WebUrl::as_str),
            &item.title,
            item.author.as_deref(),
            &item.excerpt,
            lede,
            keyed.new.language.as_deref(),
            keyed.new.image_url.as_ref().map(WebUrl::as_str),
            item.published_at,
            now,
            sort_at(keyed.new, now),
            keyed.hash.as_bytes(),
            keyed.new.reading_minutes,
        ]);
    }
    let by_key: HashMap<&str, &Keyed<'_>> = batch
        .iter()
        .map(|keyed| (keyed.key.as_str(), keyed))
        .collect();
    db.query_rows(&upsert_sql(batch.len()), &values, |row| {
        let keyed = by_key
            .get(row.get::<String>(1)?.as_str())
            .ok_or(StoreError::Missing)?;
        let is_new = row.get(2)?;
        Ok(Written {
            id: row.get(0)?,
            is_new,
            was_brought: is_new && keyed.is_known,
            key: &keyed.key,
            new: keyed.new,
            details: keyed.details.as_deref(),
        })
    })
}

/// The earlier of published and first seen: a date in the future does not stay on top.
fn sort_at(new: &NewItem, now: Timestamp) -> Timestamp {
    let published = new.item.published_at;
    published.map_or(now, |published| published.min(now))
}

const UPSERT_COLUMNS: usize = 15;

/// A row that somebody brought becomes what the feed says in every respect, and counts as new. What the
/// article from its page takes to read does not change with what the feed says of it.
fn upsert_sql(rows: usize) -> String {
    let kept_or_told = |column: &str| {
        format!(
            "{column} = CASE WHEN length(item.content_hash) = 32 THEN item.{column} ELSE excluded.{column} END"
        )
    };
    format!(
        "INSERT INTO item (feed_id, identity_key, url_key, url, title, author, excerpt, lede, language,
                           image_url, published_at, first_seen_at, sort_at, content_hash, reading_minutes)
         VALUES {}
         ON CONFLICT (feed_id, identity_key) DO UPDATE SET
             url_key = excluded.url_key, url = excluded.url, title = excluded.title, author = excluded.author,
             excerpt = excluded.excerpt, lede = excluded.lede, language = excluded.language,
             image_url = excluded.image_url, content_hash = excluded.content_hash, {}, {}, {},
             reading_minutes = CASE
                 WHEN length(item.content_hash) = 32 AND EXISTS (
                     SELECT 1 FROM item_body b WHERE b.item_id = item.id AND b.full_html IS NOT NULL)
                 THEN item.reading_minutes ELSE excluded.reading_minutes END,
             updated_at = CASE WHEN length(item.content_hash) = 32 THEN excluded.first_seen_at END
         WHERE item.content_hash <> excluded.content_hash
         RETURNING id, identity_key, updated_at IS NULL",
        groups(rows, UPSERT_COLUMNS),
        kept_or_told("published_at"),
        kept_or_told("first_seen_at"),
        kept_or_told("sort_at")
    )
}

fn write_bodies(db: &mut Db<'_>, written: &[Written<'_>], policy_version: i64) -> StoreResult<()> {
    if written.is_empty() {
        return Ok(());
    }
    let mut values: Vec<Value<'_>> = Vec::with_capacity(written.len() * BODY_COLUMNS);
    for row in written {
        values.extend_from_slice(params![
            row.id,
            row.new.item.html.as_str(),
            row.details,
            policy_version
        ]);
    }
    db.execute_rows(&bodies_sql(written.len()), &values)
}

const BODY_COLUMNS: usize = 4;

fn bodies_sql(rows: usize) -> String {
    format!(
        "INSERT INTO item_body (item_id, html, details, policy_version) VALUES {}
         ON CONFLICT (item_id) DO UPDATE SET html = excluded.html, details = excluded.details,
             policy_version = excluded.policy_version",
        groups(rows, BODY_COLUMNS)
    )
}

/// Keeps an item that a person brings from elsewhere under its `key`, unless the feed has it, and
/// gives its number if it was kept. It is unread for nobody, and what the feed says of it once it
/// lists it counts instead, as if it had never been here: a person's word is no publisher's. The hash
/// of such a row is a byte longer than others, so that it equals none.
pub fn bring(
    db: &mut Db<'_>,
    feed: FeedId,
    key: &str,
    new: &NewItem,
    first_seen_at: Timestamp,
    policy_version: i64,
) -> StoreResult<Option<ItemId>> {
    feeds::lock(db, feed)?;
    db.execute(RAISE, params![feed, key])?;
    let item = &new.item;
    let sort_at = item
        .published_at
        .map_or(first_seen_at, |published| published.min(first_seen_at));
    let mut hash = vec![0];
    hash.extend_from_slice(item.hash.as_bytes());
    let values = params![
        feed,
        key,
        item.url.as_ref().map(WebUrl::as_str),
        &item.title,
        item.author.as_deref(),
        &item.excerpt,
        &new.lede,
        new.language.as_deref(),
        new.image_url.as_ref().map(WebUrl::as_str),
        item.published_at,
        first_seen_at,
        sort_at,
        hash.as_slice(),
        new.reading_minutes,
    ];
    let Some(id) = db.find(BRING, values, |row| row.get(0))? else {
        return Ok(None);
    };
    let details = details_of(new);
    let written = Written {
        id,
        is_new: true,
        was_brought: false,
        key,
        new,
        details: details.as_deref(),
    };
    write_bodies(db, &[written], policy_version)?;
    tally::add(db, feed, 1)?;
    search::enqueue(db, &[id])?;
    Ok(Some(id))
}

/// What people had of an item only because one of them brought it.
const OF_BRINGERS: [(&str, &str); 4] = [
    // The article as the bringer had it.
    (
        "forget_article",
        "UPDATE item_body SET full_html = NULL, full_text_tried_at = NULL WHERE item_id IN",
    ),
    (
        "forget_hiding",
        "DELETE FROM mark WHERE kind = 3 AND item_id IN",
    ),
    // Stars and labels stay, where the item stands now.
    (
        "move_marks",
        "UPDATE mark SET sort_at = (SELECT i.sort_at FROM item i WHERE i.id = mark.item_id) WHERE item_id IN",
    ),
    (
        "move_labels",
        "UPDATE item_label SET sort_at = (SELECT i.sort_at FROM item i WHERE i.id = item_label.item_id)
         WHERE item_id IN",
    ),
];

fn forget_bringers(db: &mut Db<'_>, written: &[Written<'_>]) -> StoreResult<()> {
    let brought = written.iter().filter(|row| row.was_brought);
    let brought: Vec<ItemId> = brought.map(|row| row.id).collect();
    if brought.is_empty() {
        return Ok(());
    }
    unread::remove_of_all(db, &brought)?;
    let brought: Vec<Value<'_>> = brought.into_iter().map(Value::from).collect();
    for (_, statement) in OF_BRINGERS {
        db.execute_rows(&of_bringers_sql(statement, brought.len()), &brought)?;
    }
    Ok(())
}

fn of_bringers_sql(statement: &str, items: usize) -> String {
    format!("{statement} ({})", list(1, items))
}

/// The statements that are made for a number of rows, for the test that prepares all of them.
pub(crate) fn batch_statements() -> Vec<(&'static str, String)> {
    let of_bringers = OF_BRINGERS.map(|(name, statement)| (name, of_bringers_sql(statement, 2)));
    let fixed = [
        ("still_listed", still_listed_sql(2)),
        ("known", known_sql(2, 2)),
        ("dated", dated_sql(2)),
        ("upsert", upsert_sql(2)),
        ("bodies", bodies_sql(2)),
    ];
    fixed.into_iter().chain(of_bringers).collect()
}
