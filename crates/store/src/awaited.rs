//! What a take-out says of items that are not here yet, kept until their feed brings them.
//!
//! A person brings their things into an empty Lede and its feeds are fetched afterwards. What the take-out names
//! is known to the person, read or not: it arrives with the marks that it had, and no rule acts on it. What it does
//! not name and is dated before it was written is unread and nothing for rules either, but only in the first fetch
//! that brings anything: publishers date things as they like. All else is new. The transaction that takes the items
//! in uses up what was said of them; whatever no feed brings is forgotten with the age of the following that waits.
//! Who waits is read with the rules that new items meet, so that feeds for which nobody does cost nothing.

use std::collections::{HashMap, HashSet};

use lede_model::identity;
use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::mark::MarkKind;
use lede_model::time::Timestamp;

use crate::batch::list;
use crate::engine::Value;
use crate::intake::NewItem;
use crate::takeout::{self, HIDDEN, ItemMarks, Marked};
use crate::{Db, StoreResult, params, statements, unread};

/// What waits for one feed of one person at most: the newest, of which a fetch takes in half as many.
pub const MOST_OF_A_FEED: usize = 1_000;
/// Rows in one statement.
const BATCH: usize = 100;
/// Keys in one statement.
const LOOK_UP: usize = 500;

statements! {
    BEGIN = "INSERT INTO awaiting (subscription_id, exported_at, kept_at)
             SELECT s.id, CAST($1 AS BIGINT), CAST($2 AS BIGINT) FROM subscription s
             WHERE s.user_id = $3 AND s.feed_id = $4
             ON CONFLICT (subscription_id) DO UPDATE SET exported_at = excluded.exported_at,
                 kept_at = excluded.kept_at
             RETURNING id";
    CLEAR = "DELETE FROM awaited_mark WHERE awaiting_id = $1";
    FETCHED = "UPDATE awaiting SET exported_at = 0 WHERE exported_at > 0
                   AND subscription_id IN (SELECT s.id FROM subscription s WHERE s.feed_id = $1)";
    /// `$1` vanishes into `$2`: whoever follows both waits for the one that stays.
    MERGE = "UPDATE awaiting SET subscription_id = (
                 SELECT own.id FROM subscription other
                 JOIN subscription own ON own.user_id = other.user_id AND own.feed_id <> other.feed_id
                 WHERE other.id = awaiting.subscription_id AND other.feed_id = $1 AND own.feed_id = $2)
             WHERE subscription_id IN (
                 SELECT other.id FROM subscription other
                 JOIN subscription own ON own.user_id = other.user_id
                 WHERE other.feed_id = $1 AND own.feed_id = $2
                     AND NOT EXISTS (SELECT 1 FROM awaiting w WHERE w.subscription_id = own.id))";
}

/// Lets `user` wait for the items of a feed that they follow, as a take-out of `exported_at` knew it. What an
/// earlier one said is forgotten.
pub fn begin(
    db: &mut Db<'_>,
    user: UserId,
    feed: FeedId,
    exported_at: Timestamp,
    now: Timestamp,
) -> StoreResult<()> {
    let values = params![exported_at, now, user, feed];
    match db.find(BEGIN, values, |row| row.get::<i64>(0))? {
        Some(awaiting) => db.execute(CLEAR, params![awaiting]).map(drop),
        None => Ok(()),
    }
}

/// Keeps what a take-out says of items of a feed that [`begin`] was called for.
pub fn keep(db: &mut Db<'_>, user: UserId, feed: FeedId, marks: &[ItemMarks]) -> StoreResult<()> {
    let mut seen = HashSet::new();
    // The engines would refuse a pair.
    let marks = marks.iter().filter(|marks| seen.insert(&marks.key));
    let marks: Vec<&ItemMarks> = marks.collect();
    for batch in marks.chunks(BATCH) {
        let mut values = Vec::with_capacity(batch.len() * MARK_COLUMNS + 2);
        for marks in batch {
            values.extend_from_slice(params![
                &marks.key,
                marks.is_read,
                marks.read_at,
                marks.is_hidden
            ]);
        }
        values.extend_from_slice(params![user, feed]);
        db.execute_rows(&keep_sql(batch.len()), &values)?;
    }
    Ok(())
}

const MARK_COLUMNS: usize = 4;

fn keep_sql(rows: usize) -> String {
    // PostgreSQL has to be told what the values of the first row are.
    let row = |row: usize| {
        let n = row * MARK_COLUMNS;
        format!(
            "(CAST(${} AS TEXT), CAST(${} AS BOOLEAN), CAST(${} AS BIGINT), CAST(${} AS BOOLEAN))",
            n + 1,
            n + 2,
            n + 3,
            n + 4
        )
    };
    let values: Vec<String> = (0..rows).map(row).collect();
    format!(
        "WITH told (identity_key, is_read, read_at, is_hidden) AS (VALUES {})
         INSERT INTO awaited_mark (awaiting_id, identity_key, is_read, read_at, is_hidden)
         SELECT w.id, told.identity_key, told.is_read, told.read_at, told.is_hidden
         FROM told CROSS JOIN subscription s JOIN awaiting w ON w.subscription_id = s.id
         WHERE s.user_id = ${} AND s.feed_id = ${}
         ON CONFLICT (awaiting_id, identity_key) DO UPDATE SET is_read = excluded.is_read,
             read_at = excluded.read_at, is_hidden = excluded.is_hidden",
        values.join(", "),
        rows * MARK_COLUMNS + 1,
        rows * MARK_COLUMNS + 2
    )
}

/// Somebody who waits for items of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Awaiting {
    pub(crate) id: i64,
    pub(crate) user: UserId,
    /// What is dated before is no news to them.
    pub(crate) exported_at: Timestamp,
}

/// What those who wait know of the items of one fetch.
#[derive(Default)]
pub(crate) struct Told {
    awaiting: Vec<Awaiting>,
    /// By the key under which the item is kept.
    marks: HashMap<String, Vec<(UserId, ItemMarks)>>,
}

/// An item that is new here.
pub(crate) struct NewRow<'a> {
    pub(crate) id: ItemId,
    pub(crate) key: &'a str,
    pub(crate) sort_at: Timestamp,
}

impl Told {
    /// Takes what was said of these items, which goes with it.
    pub(crate) fn take(
        db: &mut Db<'_>,
        feed: FeedId,
        awaiting: Vec<Awaiting>,
        items: &[(&str, &NewItem)],
    ) -> StoreResult<Self> {
        if awaiting.is_empty() {
            return Ok(Self::default());
        }
        db.execute(FETCHED, params![feed])?;
        let names = names(items);
        let mut marks: HashMap<String, Vec<(UserId, ItemMarks)>> = HashMap::new();
        let keys: Vec<&String> = names.keys().collect();
        for some in keys.chunks(LOOK_UP) {
            let mut values: Vec<Value<'_>> = Vec::with_capacity(some.len() + awaiting.len());
            values.extend(some.iter().map(|key| Value::from(*key)));
            values.extend(awaiting.iter().map(|waiting| Value::from(waiting.id)));
            let sql = take_sql(some.len(), awaiting.len());
            let taken = db.query_rows(&sql, &values, |row| {
                let marks = ItemMarks {
                    key: row.get(1)?,
                    is_read: row.get(2)?,
                    read_at: row.get(3)?,
                    is_hidden: row.get(4)?,
                };
                Ok((row.get::<i64>(0)?, marks))
            })?;
            for (id, said) in taken {
                let user = awaiting.iter().find(|waiting| waiting.id == id);
                if let (Some(waiting), Some(key)) = (user, names.get(&said.key)) {
                    let of_item = marks.entry((*key).to_owned()).or_default();
                    of_item.push((waiting.user, said));
                }
            }
        }
        Ok(Self { awaiting, marks })
    }

    /// To whom an item is no news, so that their rules leave it alone.
    pub(crate) fn knowing(&self, key: &str, sort_at: Timestamp) -> Vec<UserId> {
        let named = self.marks.get(key).into_iter().flatten();
        let named = named.map(|(user, _)| *user);
        let dated = self.awaiting.iter();
        let dated = dated.filter(|waiting| sort_at < waiting.exported_at);
        named.chain(dated.map(|waiting| waiting.user)).collect()
    }

    /// Gives new items the marks that people had set on them elsewhere.
    pub(crate) fn mark(
        &self,
        db: &mut Db<'_>,
        feed: FeedId,
        rows: &[NewRow<'_>],
        now: Timestamp,
    ) -> StoreResult<()> {
        let mut by_user: HashMap<UserId, Vec<(ItemId, Timestamp, &ItemMarks)>> = HashMap::new();
        for row in rows {
            for (user, marks) in self.marks.get(row.key).into_iter().flatten() {
                let of_user = by_user.entry(*user).or_default();
                of_user.push((row.id, row.sort_at, marks));
            }
        }
        if by_user.is_empty() {
            return Ok(());
        }
        unread::lock_of_feeds(db, &[feed])?;
        for (user, items) in by_user {
            let with = |wanted: fn(&ItemMarks) -> bool| -> Vec<Marked<'_>> {
                items.iter().filter(|(.., marks)| wanted(marks)).collect()
            };
            let pairs = |items: Vec<Marked<'_>>| -> Vec<(UserId, ItemId)> {
                items.iter().map(|(item, ..)| (user, *item)).collect()
            };
            unread::remove_pairs(db, &pairs(with(|marks| marks.is_read)))?;
            // Also where nobody made it unread: the feed is paused, or brings old things anew.
            unread::add_pairs(db, &pairs(with(|marks| !marks.is_read)))?;
            let noted = with(|marks| marks.is_read && marks.read_at.is_some());
            takeout::add_marks(db, user, MarkKind::Read.as_i64(), &noted, now)?;
            takeout::add_marks(db, user, HIDDEN, &with(|marks| marks.is_hidden), now)?;
        }
        Ok(())
    }
}

/// Every name under which another Lede may have known one of these items, with the key that it has here. Feeds
/// whose ids are worth nothing may have been found out there and not yet here. A name that several could have
/// is nobody's but whose key it is.
fn names<'a>(items: &[(&'a str, &NewItem)]) -> HashMap<String, &'a str> {
    let mut names: HashMap<String, Option<&'a str>> = HashMap::new();
    for (key, new) in items {
        for name in identity::possible_keys(&new.item) {
            names
                .entry(name)
                .and_modify(|of| *of = None)
                .or_insert(Some(*key));
        }
    }
    names.extend(items.iter().map(|(key, _)| ((*key).to_owned(), Some(*key))));
    let sure = names.into_iter();
    sure.filter_map(|(name, key)| Some((name, key?))).collect()
}

fn take_sql(keys: usize, awaiting: usize) -> String {
    format!(
        "DELETE FROM awaited_mark WHERE identity_key IN ({}) AND awaiting_id IN ({})
         RETURNING awaiting_id, identity_key, is_read, read_at, is_hidden",
        list(1, keys),
        list(keys + 1, awaiting)
    )
}

/// Whoever waits for what vanishes into another feed waits for that one.
pub(crate) fn merge(db: &mut Db<'_>, gone: FeedId, kept: FeedId) -> StoreResult<()> {
    db.execute(MERGE, params![gone, kept]).map(drop)
}

/// The statements that are made for a number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 2] {
    [
        ("keep_awaited", keep_sql(2)),
        ("take_awaited", take_sql(2, 2)),
    ]
}
