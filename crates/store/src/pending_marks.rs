//! Imported marks of items that their feeds have not delivered yet.
//!
//! The feeds of a data export are usually fetched only after the import. Items that the export
//! names are known to the user: they arrive with the exported marks, and no rule acts on them.
//! Items that it does not name and that are dated before the export arrive unread, and no rule acts
//! on them either, but only in the first fetch that delivers items, because publishers choose dates
//! freely. Everything else is new.
//!
//! The transaction that ingests the items consumes their marks. Marks of items that never arrive
//! expire with the age of their `mark_import` row. Waiting users are read in the same statement as
//! the rules for new items, so that feeds for which no user waits cost nothing.

use std::collections::{HashMap, HashSet};

use lede_model::identity;
use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::mark::MarkKind;
use lede_model::time::Timestamp;

use crate::batch::list;
use crate::engine::Value;
use crate::ingest::NewItem;
use crate::takeout::{self, ItemMarks, Marked};
use crate::{Db, StoreResult, params, statements, unread};

/// Maximum number of marks stored per subscription; the newest are stored. Twice the number of
/// items that one fetch ingests.
pub const MOST_OF_A_FEED: usize = 1_000;
/// Rows per INSERT statement.
const BATCH: usize = 100;
/// Identity keys per look-up statement.
const LOOK_UP: usize = 500;

statements! {
    BEGIN = "INSERT INTO mark_import (subscription_id, exported_at, imported_at)
             SELECT s.id, CAST($1 AS BIGINT), CAST($2 AS BIGINT) FROM subscription s
             WHERE s.user_id = $3 AND s.feed_id = $4
             ON CONFLICT (subscription_id) DO UPDATE SET exported_at = excluded.exported_at,
                 imported_at = excluded.imported_at
             RETURNING id";
    CLEAR = "DELETE FROM pending_mark WHERE mark_import_id = $1";
    FETCHED = "UPDATE mark_import SET exported_at = 0 WHERE exported_at > 0
                   AND subscription_id IN (SELECT s.id FROM subscription s WHERE s.feed_id = $1)";
    /// Feed `$1` is merged into `$2`: users who follow both wait for the items of `$2`.
    MERGE = "UPDATE mark_import SET subscription_id = (
                 SELECT own.id FROM subscription other
                 JOIN subscription own ON own.user_id = other.user_id AND own.feed_id <> other.feed_id
                 WHERE other.id = mark_import.subscription_id AND other.feed_id = $1 AND own.feed_id = $2)
             WHERE subscription_id IN (
                 SELECT other.id FROM subscription other
                 JOIN subscription own ON own.user_id = other.user_id
                 WHERE other.feed_id = $1 AND own.feed_id = $2
                     AND NOT EXISTS (SELECT 1 FROM mark_import w WHERE w.subscription_id = own.id))";
}

/// Makes `user` wait for the items of a feed that they follow, as of an export written at
/// `exported_at`. Marks from an earlier import are discarded.
pub fn begin(
    db: &mut Db<'_>,
    user: UserId,
    feed: FeedId,
    exported_at: Timestamp,
    now: Timestamp,
) -> StoreResult<()> {
    let values = params![exported_at, now, user, feed];
    match db.find(BEGIN, values, |row| row.get::<i64>(0))? {
        Some(mark_import) => db.execute(CLEAR, params![mark_import]).map(drop),
        None => Ok(()),
    }
}

/// Stores imported marks of a feed's items. Requires a preceding call of [`begin`].
pub fn add(db: &mut Db<'_>, user: UserId, feed: FeedId, marks: &[ItemMarks]) -> StoreResult<()> {
    let mut seen = HashSet::new();
    // PostgreSQL rejects an `ON CONFLICT DO UPDATE` that affects a row twice.
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
        db.execute_rows(&add_sql(batch.len()), &values)?;
    }
    Ok(())
}

const MARK_COLUMNS: usize = 4;

fn add_sql(rows: usize) -> String {
    // PostgreSQL needs explicit types for the first row of VALUES.
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
        "WITH imported (identity_key, is_read, read_at, is_hidden) AS (VALUES {})
         INSERT INTO pending_mark (mark_import_id, identity_key, is_read, read_at, is_hidden)
         SELECT w.id, imported.identity_key, imported.is_read, imported.read_at, imported.is_hidden
         FROM imported CROSS JOIN subscription s JOIN mark_import w ON w.subscription_id = s.id
         WHERE s.user_id = ${} AND s.feed_id = ${}
         ON CONFLICT (mark_import_id, identity_key) DO UPDATE SET is_read = excluded.is_read,
             read_at = excluded.read_at, is_hidden = excluded.is_hidden",
        values.join(", "),
        rows * MARK_COLUMNS + 1,
        rows * MARK_COLUMNS + 2
    )
}

/// A subscriber who waits for items of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MarkImport {
    pub(crate) id: i64,
    pub(crate) user: UserId,
    /// Items dated before this are not new to the user.
    pub(crate) exported_at: Timestamp,
}

/// Imported marks that apply to the items of one fetch, and the users who wait for them.
#[derive(Default)]
pub(crate) struct PendingMarks {
    mark_imports: Vec<MarkImport>,
    /// Keyed by the identity key under which the item is stored.
    marks: HashMap<String, Vec<(UserId, ItemMarks)>>,
}

/// An item that was just inserted.
pub(crate) struct NewRow<'a> {
    pub(crate) id: ItemId,
    pub(crate) key: &'a str,
    pub(crate) sort_at: Timestamp,
}

impl PendingMarks {
    /// Reads and deletes the imported marks of these items.
    pub(crate) fn take(
        db: &mut Db<'_>,
        feed: FeedId,
        mark_imports: Vec<MarkImport>,
        items: &[(&str, &NewItem)],
    ) -> StoreResult<Self> {
        if mark_imports.is_empty() {
            return Ok(Self::default());
        }
        db.execute(FETCHED, params![feed])?;
        let names = names(items);
        let mut marks: HashMap<String, Vec<(UserId, ItemMarks)>> = HashMap::new();
        let keys: Vec<&String> = names.keys().collect();
        for some in keys.chunks(LOOK_UP) {
            let mut values: Vec<Value<'_>> = Vec::with_capacity(some.len() + mark_imports.len());
            values.extend(some.iter().map(|key| Value::from(*key)));
            values.extend(mark_imports.iter().map(|waiting| Value::from(waiting.id)));
            let sql = take_sql(some.len(), mark_imports.len());
            let taken = db.query_rows(&sql, &values, |row| {
                let marks = ItemMarks {
                    key: row.get(1)?,
                    is_read: row.get(2)?,
                    read_at: row.get(3)?,
                    is_hidden: row.get(4)?,
                };
                Ok((row.get::<i64>(0)?, marks))
            })?;
            for (id, pending) in taken {
                let user = mark_imports.iter().find(|waiting| waiting.id == id);
                if let (Some(waiting), Some(key)) = (user, names.get(&pending.key)) {
                    let of_item = marks.entry((*key).to_owned()).or_default();
                    of_item.push((waiting.user, pending));
                }
            }
        }
        Ok(Self {
            mark_imports,
            marks,
        })
    }

    /// Returns the users to whom an item is not new; their rules do not act on it.
    pub(crate) fn not_new_to(&self, key: &str, sort_at: Timestamp) -> Vec<UserId> {
        let named = self.marks.get(key).into_iter().flatten();
        let named = named.map(|(user, _)| *user);
        let dated = self.mark_imports.iter();
        let dated = dated.filter(|waiting| sort_at < waiting.exported_at);
        named.chain(dated.map(|waiting| waiting.user)).collect()
    }

    /// Applies imported marks to newly inserted items.
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
            // Ingest does not make it unread for all subscribers: the subscription may be paused, or
            // the feed may deliver old items again.
            unread::add_pairs(db, &pairs(with(|marks| !marks.is_read)))?;
            let noted = with(|marks| marks.is_read && marks.read_at.is_some());
            takeout::add_marks(db, user, MarkKind::Read, &noted, now)?;
            takeout::add_marks(
                db,
                user,
                MarkKind::Hidden,
                &with(|marks| marks.is_hidden),
                now,
            )?;
        }
        Ok(())
    }
}

/// Maps every identity key that another instance may have used for one of these items to its key
/// here. The other instance may already have detected that the feed's ids are unreliable, which
/// changes the keys. An ambiguous key only belongs to the item that has it as its own key here.
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

fn take_sql(keys: usize, mark_imports: usize) -> String {
    format!(
        "DELETE FROM pending_mark WHERE identity_key IN ({}) AND mark_import_id IN ({})
         RETURNING mark_import_id, identity_key, is_read, read_at, is_hidden",
        list(1, keys),
        list(keys + 1, mark_imports)
    )
}

/// Moves waiting users of `gone` to `kept`, into which it is merged.
pub(crate) fn merge(db: &mut Db<'_>, gone: FeedId, kept: FeedId) -> StoreResult<()> {
    db.execute(MERGE, params![gone, kept]).map(drop)
}

/// Statements whose text depends on the number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 2] {
    [
        ("add_pending_marks", add_sql(2)),
        ("take_pending_marks", take_sql(2, 2)),
    ]
}
