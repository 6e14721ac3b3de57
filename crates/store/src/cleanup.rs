//! Retention: finding and removing expired data, and the log of it.
//!
//! No function here scans a whole table. Candidates are found on a read-only connection, in slices
//! along an index; each slice returns the start of the next. The writer receives a few at a time
//! and checks them again in the transaction that removes them, because a user may have starred one
//! in between. Starred and labelled items are in no slice and are never removed. `model::retention`
//! decides the retention periods.

use lede_model::ids::{FeedId, ItemId};
use lede_model::item::Position;
use lede_model::retention::CleanupReport;
use lede_model::time::Timestamp;

use crate::batch::list;
use crate::engine::{Engine, Row, Sql, Value};
use crate::marks::mark_kind;
use crate::{Db, StoreResult, item_counts, items, messages, params, statements, unread};

/// Selects the items that may be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Items that are unread for no user and were not read since the limit. Items that were never
    /// marked read count from when they were first seen.
    Read,
    /// Items that are unread for at least one user and were first seen before the limit.
    Unread,
}

/// True if no user has `i` unread, starred or labelled, and no user read it since `$1`. An item is
/// first seen before it is read, so one that was read before `$1` was also first seen before `$1`.
macro_rules! is_read {
    () => {
        concat!("i.first_seen_at < $1
         AND NOT EXISTS (SELECT 1 FROM unread u JOIN account a ON a.id = u.user_id AND a.round = u.round
                         WHERE u.item_id = i.id)
         AND NOT EXISTS (SELECT 1 FROM mark m WHERE m.item_id = i.id
                             AND (m.kind = ", mark_kind!(starred), " OR (m.kind = ", mark_kind!(read), " AND m.at >= $1)))
         AND NOT EXISTS (SELECT 1 FROM item_label l WHERE l.item_id = i.id)")
    };
}

/// True if at least one user has `i` unread, no user starred or labelled it, and it was first seen
/// before `$1`.
macro_rules! is_unread {
    () => {
        concat!("i.first_seen_at < $1
         AND EXISTS (SELECT 1 FROM unread u JOIN account a ON a.id = u.user_id AND a.round = u.round
                     WHERE u.item_id = i.id)
         AND NOT EXISTS (SELECT 1 FROM mark m WHERE m.item_id = i.id AND m.kind = ", mark_kind!(starred), ")
         AND NOT EXISTS (SELECT 1 FROM item_label l WHERE l.item_id = i.id)")
    };
}

/// Selects items in list order and evaluates `$may_go` for each. `sort_at` is never later than
/// `first_seen_at`, so the walk can end at `$1`.
macro_rules! walk {
    ($may_go:expr) => {
        concat!(
            "SELECT i.id, ",
            $may_go,
            ", i.sort_at FROM item i
             WHERE (i.sort_at, i.id) > ($2, $3) AND i.sort_at < $1
             ORDER BY i.sort_at, i.id LIMIT $4"
        )
    };
}

/// Deletes up to `$2` of the oldest rows of a table.
macro_rules! delete_older {
    ($table:literal, $age:literal) => {
        concat!(
            "DELETE FROM ",
            $table,
            " WHERE id IN
                 (SELECT id FROM ",
            $table,
            " WHERE ",
            $age,
            " < $1 ORDER BY ",
            $age,
            " LIMIT $2)"
        )
    };
}

statements! {
    WALK_READ = walk!(is_read!());
    WALK_UNREAD = walk!(is_unread!());
    WALK_FEED = concat!(
        "SELECT i.id, ", is_read!(), ", i.sort_at FROM item i
         WHERE (i.sort_at, i.id) > ($2, $3) AND i.feed_id = $4 AND (i.sort_at, i.id) <= ($5, $6)
         ORDER BY i.sort_at, i.id LIMIT $7"
    );
    WALK_ARTICLES = concat!(
        "SELECT i.id, ", is_read!(), " FROM item_body b CROSS JOIN item i
         WHERE b.item_id > $2 AND b.full_html IS NOT NULL AND i.id = b.item_id
         ORDER BY b.item_id LIMIT $3"
    );
    /// For each feed, the newest item beyond the `$1` newest.
    OVERFULL = "SELECT f.id, b.id, b.sort_at
        FROM (SELECT f.id, (SELECT i.id FROM item i WHERE i.feed_id = f.id
                            ORDER BY i.sort_at DESC, i.id DESC LIMIT 1 OFFSET $1) AS beyond
              FROM feed f WHERE f.id > $2 ORDER BY f.id LIMIT $3) f
        LEFT JOIN item b ON b.id = f.beyond
        ORDER BY f.id";
    WALK_TOMBSTONES = "SELECT feed_id, identity_key, removed_at < $1 FROM tombstone
        WHERE (feed_id, identity_key) > ($2, $3) ORDER BY feed_id, identity_key LIMIT $4";
    /// Only if the feed delivered something new long after it last listed the removed item: a feed
    /// that publishes nothing for a year may still list it.
    REMOVE_TOMBSTONES = "DELETE FROM tombstone
        WHERE (feed_id, identity_key) > ($1, $2) AND (feed_id, identity_key) <= ($3, $4)
            AND removed_at < $5
            AND EXISTS (SELECT 1 FROM item i WHERE i.feed_id = tombstone.feed_id
                            AND i.sort_at > tombstone.removed_at + $6)";
    DELETE_OLD_BULK_MARKS = delete_older!("bulk_mark", "marked_at");
    DELETE_OLD_IMPORTS = delete_older!("import", "finished_at");
    DELETE_OLD_MARK_IMPORTS = delete_older!("mark_import", "imported_at");
    /// Pending ones stay until they are delivered.
    DELETE_OLD_NOTIFICATIONS = "DELETE FROM notification WHERE id IN
        (SELECT id FROM notification WHERE created_at < $1 AND state <> 0 ORDER BY created_at LIMIT $2)";
    DELETE_OLD_EVENTS = delete_older!("event", "created_at");
    DELETE_OLD_LOG = delete_older!("cleanup_log", "executed_at");
    ADD_TO_LOG = "INSERT INTO cleanup_log (executed_at, posts_removed, full_content_cleared,
                      unread_removed, bytes_freed, duration_ms, notes)
                  VALUES ($1, $2, $3, $4, $5, $6, $7)";
    LOG = "SELECT executed_at, posts_removed, full_content_cleared, unread_removed,
               bytes_freed, duration_ms, notes
           FROM cleanup_log ORDER BY id DESC LIMIT $1";
    /// Days are ISO dates, so that later ones compare greater.
    CLAIM_DAY = "INSERT INTO setting (key, value) VALUES ('cleanup_day', $1)
                 ON CONFLICT (key) DO UPDATE SET value = excluded.value
                 WHERE setting.value < excluded.value";
}

/// PostgreSQL only (see [`Db::lock`]). A concurrent transaction that marks one of the items waits,
/// and then finds it removed.
fn lock_sql(items: usize) -> String {
    format!(
        "SELECT id FROM item WHERE id IN ({}) ORDER BY id FOR UPDATE",
        list(1, items)
    )
}

fn still_sql(rule: Rule, items: usize) -> String {
    let may_go = match rule {
        Rule::Read => is_read!(),
        Rule::Unread => is_unread!(),
    };
    format!(
        "SELECT i.id FROM item i WHERE {may_go} AND i.id IN ({})",
        list(2, items)
    )
}

fn clear_sql(items: usize) -> String {
    format!(
        "UPDATE item_body SET full_html = NULL
         WHERE full_html IS NOT NULL AND item_id IN
             (SELECT i.id FROM item i WHERE {} AND i.id IN ({}))
         RETURNING item_id",
        is_read!(),
        list(2, items)
    )
}

/// Clears the reading time, which included the deleted article. That of the remaining text was
/// never computed.
fn clear_minutes_sql(items: usize) -> String {
    format!(
        "UPDATE item SET reading_minutes = NULL WHERE id IN ({})",
        list(1, items)
    )
}

/// Statements whose text depends on the number of rows, for the test of all statements.
pub(crate) fn batch_statements(engine: Engine) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("still_read", still_sql(Rule::Read, 2)),
        ("still_unread", still_sql(Rule::Unread, 2)),
        ("clear_articles", clear_sql(2)),
        ("clear_minutes", clear_minutes_sql(2)),
    ];
    if engine == Engine::Postgres {
        all.push(("lock_items", lock_sql(2)));
    }
    all
}

/// One slice of a walk over candidates.
#[derive(Debug)]
pub struct Slice<P> {
    /// The items of the slice that may be removed.
    pub found: Vec<ItemId>,
    /// Cursor for the next slice; `None` at the end.
    pub next: Option<P>,
}

impl<P> Slice<P> {
    /// Builds a slice from rows of item, removable flag and cursor.
    fn of(rows: Vec<(ItemId, bool, P)>, limit: i64) -> Self {
        let is_last = (rows.len() as i64) < limit;
        let found = rows.iter().filter(|(_, may_go, _)| *may_go);
        Self {
            found: found.map(|(item, ..)| *item).collect(),
            next: rows
                .into_iter()
                .next_back()
                .filter(|_| !is_last)
                .map(|(.., place)| place),
        }
    }
}

fn placed(row: &Row<'_>) -> StoreResult<(ItemId, bool, Position)> {
    let id = row.get(0)?;
    let sort_at = row.get(2)?;
    Ok((id, row.get(1)?, Position { sort_at, id }))
}

/// Returns the cursor values of `after`, or values that sort before every item.
fn beginning(after: Option<Position>) -> (i64, i64) {
    after.map_or((i64::MIN, i64::MIN), |after| {
        (after.sort_at.as_ms(), after.id.as_i64())
    })
}

/// Checks the next `limit` items after `after`, oldest first, against `rule`.
pub fn walk(
    db: &mut Db<'_>,
    rule: Rule,
    before: Timestamp,
    after: Option<Position>,
    limit: i64,
) -> StoreResult<Slice<Position>> {
    let (sort_at, id) = beginning(after);
    let sql = match rule {
        Rule::Read => WALK_READ,
        Rule::Unread => WALK_UNREAD,
    };
    let rows = db.query(sql, params![before, sort_at, id, limit], placed)?;
    Ok(Slice::of(rows, limit))
}

/// A feed with more items than the limit.
#[derive(Debug, Clone, Copy)]
pub struct OverfullFeed {
    pub feed: FeedId,
    /// The newest item beyond the limit.
    pub beyond: Position,
}

/// Checks the next `limit` feeds after `after`. Returns those with more than `most` items, and the
/// cursor for the next call.
pub fn overfull_feeds(
    db: &mut Db<'_>,
    most: i64,
    after: Option<FeedId>,
    limit: i64,
) -> StoreResult<(Vec<OverfullFeed>, Option<FeedId>)> {
    let after = after.map_or(i64::MIN, FeedId::as_i64);
    let rows = db.query(OVERFULL, params![most, after, limit], |row| {
        let beyond = row.get::<Option<ItemId>>(1)?.zip(row.get(2)?);
        Ok((row.get::<FeedId>(0)?, beyond))
    })?;
    let next = rows
        .last()
        .filter(|_| rows.len() as i64 >= limit)
        .map(|(feed, _)| *feed);
    let overfull = rows.into_iter().filter_map(|(feed, beyond)| {
        let beyond = beyond.map(|(id, sort_at)| Position { sort_at, id });
        beyond.map(|beyond| OverfullFeed { feed, beyond })
    });
    Ok((overfull.collect(), next))
}

/// Checks the next `limit` items of an overfull feed after `after`, oldest first.
pub fn walk_feed(
    db: &mut Db<'_>,
    overfull: OverfullFeed,
    after: Option<Position>,
    limit: i64,
) -> StoreResult<Slice<Position>> {
    let (sort_at, id) = beginning(after);
    let values = params![
        WHENEVER,
        sort_at,
        id,
        overfull.feed,
        overfull.beyond.sort_at,
        overfull.beyond.id,
        limit
    ];
    let rows = db.query(WALK_FEED, values, placed)?;
    Ok(Slice::of(rows, limit))
}

/// A time that every item precedes, for items that are removed by number instead of age.
pub const WHENEVER: Timestamp = Timestamp::from_ms(i64::MAX);

/// Removes those of `items` that still match `rule`. Returns their number.
pub fn remove(
    db: &mut Db<'_>,
    rule: Rule,
    before: Timestamp,
    items: &[ItemId],
    now: Timestamp,
) -> StoreResult<usize> {
    let values = bound(before, items);
    item_counts::lock_of_items(db, items)?;
    unread::lock_of_items(db, items)?;
    db.lock_rows(&lock_sql(items.len()), &values[1..])?;
    let still: Vec<ItemId> =
        db.query_rows(&still_sql(rule, items.len()), &values, |row| row.get(0))?;
    items::remove(db, &still, now)?;
    Ok(still.len())
}

fn bound<'v>(before: Timestamp, items: &[ItemId]) -> Vec<Value<'v>> {
    let mut values: Vec<Value<'_>> = vec![before.into()];
    values.extend(items.iter().map(|item| Value::from(*item)));
    values
}

/// Checks the next `limit` items after `after` that have a fetched article, and returns those that
/// were read before `before`.
pub fn walk_articles(
    db: &mut Db<'_>,
    before: Timestamp,
    after: Option<ItemId>,
    limit: i64,
) -> StoreResult<Slice<ItemId>> {
    let after = after.map_or(i64::MIN, ItemId::as_i64);
    let rows = db.query(WALK_ARTICLES, params![before, after, limit], |row| {
        let item: ItemId = row.get(0)?;
        Ok((item, row.get(1)?, item))
    })?;
    Ok(Slice::of(rows, limit))
}

/// Deletes the fetched articles of those of `items` that still qualify. Returns their number. The
/// search index keeps their words: the items are still found by them, and the articles can be
/// fetched again.
pub fn clear_articles(db: &mut Db<'_>, before: Timestamp, items: &[ItemId]) -> StoreResult<usize> {
    let cleared: Vec<ItemId> =
        db.query_rows(&clear_sql(items.len()), &bound(before, items), |row| {
            row.get(0)
        })?;
    if !cleared.is_empty() {
        let values: Vec<Value<'_>> = cleared.iter().map(|item| Value::from(*item)).collect();
        db.execute_rows(&clear_minutes_sql(cleared.len()), &values)?;
    }
    Ok(cleared.len())
}

/// Key of a tombstone, used as a cursor.
pub type TombstoneKey = (FeedId, String);

/// Returns the last of the next `limit` tombstones after `after`, and whether any of them is older
/// than `before`. `None` at the end.
pub fn walk_tombstones(
    db: &mut Db<'_>,
    before: Timestamp,
    after: &TombstoneKey,
    limit: i64,
) -> StoreResult<Option<(TombstoneKey, bool)>> {
    let values = params![before, after.0, &after.1, limit];
    let rows = db.query(WALK_TOMBSTONES, values, |row| {
        Ok(((row.get(0)?, row.get(1)?), row.get::<bool>(2)?))
    })?;
    let is_any_old = rows.iter().any(|(_, is_old)| *is_old);
    Ok(rows
        .into_iter()
        .next_back()
        .map(|(last, _)| (last, is_any_old)))
}

/// Removes the tombstones after `after` up to `last` whose item was last listed before `before` and
/// whose feed has delivered other items since.
pub fn remove_tombstones(
    db: &mut Db<'_>,
    after: &TombstoneKey,
    last: &TombstoneKey,
    before: Timestamp,
) -> StoreResult<()> {
    let seldom = i64::try_from(items::TOMBSTONE_TOUCH.as_millis()).unwrap_or(i64::MAX);
    let values = params![after.0, &after.1, last.0, &last.1, before, seldom];
    db.execute(REMOVE_TOMBSTONES, values).map(drop)
}

/// Kinds of rows that are deleted by age alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpiringRows {
    /// Bulk marks that can no longer be undone.
    BulkMarks,
    /// Finished OPML imports.
    Imports,
    /// Imported marks of items that never arrived.
    PendingMarks,
    /// Delivered notifications.
    Notifications,
    /// Entries of the activity log.
    Events,
    /// Entries of the cleanup log.
    Log,
}

/// Deletes up to `limit` rows older than `before`. Returns their number.
pub fn delete_expired(
    db: &mut Db<'_>,
    what: ExpiringRows,
    before: Timestamp,
    limit: i64,
) -> StoreResult<u64> {
    let sql: Sql = match what {
        ExpiringRows::BulkMarks => DELETE_OLD_BULK_MARKS,
        ExpiringRows::Imports => DELETE_OLD_IMPORTS,
        ExpiringRows::PendingMarks => DELETE_OLD_MARK_IMPORTS,
        ExpiringRows::Notifications => DELETE_OLD_NOTIFICATIONS,
        ExpiringRows::Events => DELETE_OLD_EVENTS,
        ExpiringRows::Log => DELETE_OLD_LOG,
    };
    db.execute(sql, params![before, limit])
}

/// Claims the cleanup of `day`. Returns `true` for exactly one caller.
pub fn claim_day(db: &mut Db<'_>, day: &str) -> StoreResult<bool> {
    Ok(db.execute(CLAIM_DAY, params![day])? > 0)
}

/// Records the result of a cleanup.
pub fn add_to_log(db: &mut Db<'_>, report: &CleanupReport) -> StoreResult<()> {
    let duration = i64::try_from(report.duration.as_millis()).unwrap_or(i64::MAX);
    let notes = messages::list_to_json(&report.notes);
    let values = params![
        report.executed_at,
        report.posts_removed,
        report.full_content_cleared,
        report.unread_removed,
        report.bytes_freed,
        duration,
        &notes
    ];
    db.execute(ADD_TO_LOG, values).map(drop)
}

/// Returns the results of the last `limit` cleanups, newest first.
pub fn log(db: &mut Db<'_>, limit: i64) -> StoreResult<Vec<CleanupReport>> {
    db.query(LOG, params![limit], |row| {
        Ok(CleanupReport {
            executed_at: row.get(0)?,
            posts_removed: row.get(1)?,
            full_content_cleared: row.get(2)?,
            unread_removed: row.get(3)?,
            bytes_freed: row.get(4)?,
            duration: std::time::Duration::from_millis(
                u64::try_from(row.get::<i64>(5)?).unwrap_or_default(),
            ),
            notes: messages::list_from_json(&row.get::<String>(6)?),
        })
    })
}
