//! Unread items: one row per item and user, and their counts.
//!
//! All changes to these rows are made here (and in `merge`, which recounts), because each change
//! also updates `subscription.unread`. Every page needs that count, and counting 100,000 rows takes
//! twenty times as long as the page. There is no trigger, which would run for every row.
//!
//! A row counts only in its user's current round. Marking everything read starts the next round,
//! which takes no longer for many rows than for few. As long as that can be undone, the rows of the
//! previous round are maintained as if it had not ended: reading an item or unsubscribing removes
//! rows there, too. Undo returns to that round. Leftover rows of earlier rounds are removed at
//! night. No row belongs to a later round.
//!
//! On PostgreSQL, a transaction that changes rows first locks their subscriptions in the order of
//! their ids, so that no other counts or starts a round in between. Feeds are locked before
//! subscriptions, and items after them.

use std::collections::BTreeMap;

use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::time::Timestamp;

use crate::batch::{list, with_numbers};
use crate::bulk_marks::Bound;
use crate::engine::{Engine, Sql, Value};
use crate::items::{LISTED_BY_FEED, visible_to};
use crate::marks::mark_kind;
use crate::{Db, StoreResult, params, statements};

/// Counts updated, or user-item pairs changed, per statement.
const BATCH: usize = 100;
/// Items of one user per statement.
const ITEMS: usize = 500;

/// True if an unread row belongs to the user and to the current round.
macro_rules! unread_of {
    ($row:literal, $user:literal) => {
        concat!(
            $row,
            ".user_id = ",
            $user,
            " AND ",
            $row,
            ".round = (SELECT a.round FROM account a WHERE a.id = ",
            $user,
            ")"
        )
    };
}
pub(crate) use unread_of;

/// Same as [`unread_of!`] for statements built at run time.
pub(crate) fn of_user(row: &str, user: &str) -> String {
    format!(
        "{row}.user_id = {user} AND {row}.round = (SELECT a.round FROM account a WHERE a.id = {user})"
    )
}

/// Rows beyond the bound of a bulk mark: `$2` is the highest item id and `$3` the latest date.
macro_rules! unseen {
    () => {
        concat!(
            unread_of!("u", "$1"),
            " AND (u.item_id > $2 OR u.sort_at > $3)"
        )
    };
}

/// The rounds of the user `$1` that a bulk mark ended and that can be restored.
macro_rules! ended_rounds {
    () => {
        "SELECT s.round FROM bulk_mark s WHERE s.user_id = $1 AND s.round IS NOT NULL"
    };
}

/// The first rows of a user's round.
macro_rules! first_of_round {
    ($columns:literal, $user:literal, $round:literal, $limit:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM unread u WHERE u.user_id = ",
            $user,
            " AND u.round = ",
            $round,
            " ORDER BY u.feed_id, u.sort_at, u.item_id LIMIT ",
            $limit
        )
    };
}

/// Counts the rows of the subscription being updated.
macro_rules! counted {
    () => {
        "(SELECT COUNT(*) FROM unread u JOIN account a ON a.id = u.user_id AND a.round = u.round
          WHERE u.user_id = subscription.user_id AND u.feed_id = subscription.feed_id)"
    };
}

statements! {
    ADD = "INSERT INTO unread (user_id, round, feed_id, sort_at, item_id)
           SELECT a.id, a.round, s.feed_id, CAST($1 AS BIGINT), CAST($2 AS BIGINT)
           FROM subscription s JOIN account a ON a.id = s.user_id WHERE s.user_id = $3 AND s.feed_id = $4
           ON CONFLICT DO NOTHING";
    REMOVE = concat!(
        "DELETE FROM unread WHERE ", unread_of!("unread", "$1"),
        " AND feed_id = $2 AND sort_at = $3 AND item_id = $4"
    );
    REMOVE_FROM_ENDED = concat!(
        "DELETE FROM unread WHERE user_id = $1 AND round IN (", ended_rounds!(), ")
             AND feed_id = $2 AND sort_at = $3 AND item_id = $4"
    );
    COUNT = "UPDATE subscription SET unread = unread + $1 WHERE user_id = $2 AND feed_id = $3";
    RECOUNT_OF_FEED = concat!("UPDATE subscription SET unread = ", counted!(), " WHERE feed_id = $1");
    RECOUNT_OF_USER = concat!(
        "UPDATE subscription SET unread = ", counted!(), " WHERE user_id = $1 AND unread <> ", counted!()
    );
    COUNT_ALL_OF_USER = concat!("UPDATE subscription SET unread = ", counted!(), " WHERE user_id = $1");
    REMOVE_OF_FEED = concat!(
        "DELETE FROM unread WHERE user_id = $1 AND feed_id = $2
             AND round IN (SELECT a.round FROM account a WHERE a.id = $1 UNION ALL ", ended_rounds!(), ")"
    );
    // The full primary key, so that both engines walk along it.
    END_OF_RUN = concat!(
        "SELECT u.feed_id, u.sort_at, u.item_id FROM unread u WHERE ", unread_of!("u", "$1"),
        " AND (u.feed_id, u.sort_at, u.item_id) > ($2, $3, $4) AND u.feed_id <= $5
          ORDER BY u.feed_id, u.sort_at, u.item_id LIMIT 1 OFFSET $6"
    );
    REMOVE_RUN = concat!(
        "DELETE FROM unread WHERE ", unread_of!("unread", "$1"),
        " AND (feed_id, sort_at, item_id) > ($2, $3, $4)
          AND (feed_id, sort_at, item_id) <= ($5, $6, $7) AND item_id <= $8 AND sort_at <= $9
          RETURNING user_id, feed_id, item_id"
    );
    /// The user's round and its number of rows.
    ROUND = "SELECT a.round, (SELECT CAST(COALESCE(SUM(s.unread), 0) AS BIGINT)
                              FROM subscription s WHERE s.user_id = a.id)
             FROM account a WHERE a.id = $1";
    COUNT_UNSEEN = concat!(
        "SELECT COUNT(*) FROM (SELECT 1 FROM unread u WHERE ", unseen!(), " LIMIT $4) unseen"
    );
    KEEP_UNSEEN = concat!("UPDATE unread AS u SET round = u.round + 1 WHERE ", unseen!());
    SET_ROUND = "UPDATE account SET round = $1 WHERE id = $2";
    /// Skips items that became unread in a round between the two: the bulk mark that ended that
    /// round marked them read again.
    COPY_TO_ROUND = concat!(
        "INSERT INTO unread (user_id, round, feed_id, sort_at, item_id)
         SELECT f.user_id, CAST($1 AS BIGINT), f.feed_id, f.sort_at, f.item_id FROM (",
        first_of_round!("u.user_id, u.round, u.feed_id, u.sort_at, u.item_id", "$2", "$3", "$4"),
        ") f WHERE NOT EXISTS (
             SELECT 1 FROM unread l WHERE l.user_id = f.user_id AND l.round > f.round AND l.round < $1
                 AND l.feed_id = f.feed_id AND l.sort_at = f.sort_at AND l.item_id = f.item_id)
         ON CONFLICT DO NOTHING RETURNING user_id, feed_id, item_id"
    );
    HAS_ENDED_ROUNDS = concat!("SELECT EXISTS (", ended_rounds!(), ")");
    REMOVE_OF_ROUND = concat!(
        "DELETE FROM unread WHERE (user_id, round, feed_id, sort_at, item_id) IN (",
        first_of_round!("u.user_id, u.round, u.feed_id, u.sort_at, u.item_id", "$1", "$2", "$3"), ")"
    );
    REMOVE_LEFT_OVER = concat!(
        "DELETE FROM unread WHERE (user_id, round, feed_id, sort_at, item_id) IN
             (SELECT u.user_id, u.round, u.feed_id, u.sort_at, u.item_id
              FROM account a CROSS JOIN unread u
              WHERE a.id = $1 AND u.user_id = $1 AND u.round < a.round
                  AND u.round NOT IN (", ended_rounds!(), ") LIMIT $2)"
    );
}

/// PostgreSQL only (see [`Db::lock`]).
const LOCK_ACCOUNT: Sql = Sql::new("SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE");
const LOCK: Sql =
    Sql::new("SELECT id FROM subscription WHERE user_id = $1 AND feed_id = $2 FOR NO KEY UPDATE");
const LOCK_OF_USER: Sql =
    Sql::new("SELECT id FROM subscription WHERE user_id = $1 ORDER BY id FOR NO KEY UPDATE");

fn lock_of_feeds_sql(feeds: &str) -> String {
    format!("SELECT id FROM subscription WHERE feed_id IN ({feeds}) ORDER BY id FOR NO KEY UPDATE")
}

fn feeds_of_items_sql(items: usize) -> String {
    format!("SELECT feed_id FROM item WHERE id IN ({})", list(1, items))
}

/// Prevents `user` from starting a round until the transaction ends, and waits for one being
/// started. For transactions that change which feeds they follow. Lock order: after feeds, and
/// before subscriptions that are visible to others.
pub(crate) fn lock_round(db: &mut Db<'_>, user: UserId) -> StoreResult<()> {
    db.lock(LOCK_ACCOUNT, params![user])
}

pub(crate) fn lock_of_feeds(db: &mut Db<'_>, feeds: &[FeedId]) -> StoreResult<()> {
    let values: Vec<Value<'_>> = feeds.iter().map(|feed| Value::from(*feed)).collect();
    db.lock_rows(&lock_of_feeds_sql(&list(1, feeds.len())), &values)
}

/// Locks the subscriptions to the feeds of `items`.
pub(crate) fn lock_of_items(db: &mut Db<'_>, items: &[ItemId]) -> StoreResult<()> {
    if items.is_empty() {
        return Ok(());
    }
    let values: Vec<Value<'_>> = items.iter().map(|item| Value::from(*item)).collect();
    let feeds = feeds_of_items_sql(items.len());
    db.lock_rows(&lock_of_feeds_sql(&feeds), &values)
}

/// Makes an item unread for `user` if they still follow its feed.
pub(crate) fn add(
    db: &mut Db<'_>,
    user: UserId,
    feed: FeedId,
    sort_at: Timestamp,
    item: ItemId,
) -> StoreResult<()> {
    db.lock(LOCK, params![user, feed])?;
    let added = db.execute(ADD, params![sort_at, item, user, feed])?;
    count(db, user, feed, added.cast_signed())
}

/// Makes an item read for `user`.
pub(crate) fn remove(
    db: &mut Db<'_>,
    user: UserId,
    feed: FeedId,
    sort_at: Timestamp,
    item: ItemId,
) -> StoreResult<()> {
    db.lock(LOCK, params![user, feed])?;
    let removed = db.execute(REMOVE, params![user, feed, sort_at, item])?;
    db.execute(REMOVE_FROM_ENDED, params![user, feed, sort_at, item])?;
    count(db, user, feed, -removed.cast_signed())
}

fn count(db: &mut Db<'_>, user: UserId, feed: FeedId, change: i64) -> StoreResult<()> {
    if change != 0 {
        db.execute(COUNT, params![change, user, feed])?;
    }
    Ok(())
}

/// Changes to unread counts by user and feed.
#[derive(Default)]
struct Changes(BTreeMap<(UserId, FeedId), i64>);

impl Changes {
    /// Executes a statement that adds rows (`each` is 1) or removes them (-1) and returns user,
    /// feed and item of each. Returns the items.
    fn make(
        &mut self,
        db: &mut Db<'_>,
        text: &str,
        values: &[Value<'_>],
        each: i64,
    ) -> StoreResult<Vec<ItemId>> {
        db.query_rows(text, values, |row| {
            *self.0.entry((row.get(0)?, row.get(1)?)).or_default() += each;
            row.get(2)
        })
    }

    /// Applies the changes to `subscription.unread`.
    fn count(self, db: &mut Db<'_>) -> StoreResult<()> {
        let mut values: Vec<Value<'_>> = Vec::with_capacity(self.0.len() * 3);
        for ((user, feed), change) in self.0 {
            values.extend_from_slice(params![user, feed, change]);
        }
        for some in values.chunks(BATCH * 3) {
            db.execute_rows(&count_sql(some.len() / 3), some)?;
        }
        Ok(())
    }
}

/// Adds or removes rows with one statement and updates the counts. Returns the items.
fn change(
    db: &mut Db<'_>,
    text: &str,
    values: &[Value<'_>],
    each: i64,
) -> StoreResult<Vec<ItemId>> {
    let mut changes = Changes::default();
    let items = changes.make(db, text, values, each)?;
    changes.count(db)?;
    Ok(items)
}

/// Same as [`change`] for given items of a user, in batches.
fn change_items(
    db: &mut Db<'_>,
    user: UserId,
    items: &[ItemId],
    sql: fn(usize) -> String,
    each: i64,
) -> StoreResult<Vec<ItemId>> {
    db.lock(LOCK_OF_USER, params![user])?;
    let (mut changes, mut changed) = (Changes::default(), Vec::new());
    for some in items.chunks(ITEMS) {
        let values = of_person(user, some);
        changed.extend(changes.make(db, &sql(some.len()), &values, each)?);
    }
    changes.count(db)?;
    Ok(changed)
}

fn count_sql(rows: usize) -> String {
    format!(
        "{} UPDATE subscription SET unread = unread + change.number FROM change
            WHERE subscription.user_id = change.user_id AND subscription.feed_id = change.feed_id",
        with_numbers("change", &["user_id", "feed_id", "number"], rows)
    )
}

/// Makes new items of a feed unread for all subscribers who have not paused it.
pub(crate) fn add_new(db: &mut Db<'_>, feed: FeedId, items: &[ItemId]) -> StoreResult<()> {
    if items.is_empty() {
        return Ok(());
    }
    lock_of_feeds(db, &[feed])?;
    let values: Vec<Value<'_>> = items.iter().map(|item| Value::from(*item)).collect();
    change(db, &add_new_sql(items.len()), &values, 1).map(drop)
}

fn add_new_sql(items: usize) -> String {
    format!(
        "INSERT INTO unread (user_id, round, feed_id, sort_at, item_id)
         SELECT s.user_id, a.round, i.feed_id, i.sort_at, i.id
         FROM item i JOIN subscription s ON s.feed_id = i.feed_id JOIN account a ON a.id = s.user_id
         WHERE i.id IN ({}) AND s.paused_at IS NULL
         ON CONFLICT DO NOTHING RETURNING user_id, feed_id, item_id",
        list(1, items)
    )
}

/// Makes the newest `number` items of each of `feeds` unread for `user`, who has just subscribed to
/// them.
pub(crate) fn add_newest(
    db: &mut Db<'_>,
    user: UserId,
    feeds: &[FeedId],
    number: i64,
) -> StoreResult<()> {
    // The subscriptions are not visible to other transactions yet, so they need no lock.
    lock_round(db, user)?;
    let mut values = params![user].to_vec();
    values.extend(feeds.iter().map(|feed| Value::from(*feed)));
    values.push(number.into());
    change(db, &add_newest_sql(feeds.len()), &values, 1).map(drop)
}

fn add_newest_sql(feeds: usize) -> String {
    format!(
        "INSERT INTO unread (user_id, round, feed_id, sort_at, item_id)
         SELECT a.id, a.round, n.feed_id, n.sort_at, n.id
         FROM (SELECT s.user_id, i.feed_id, i.sort_at, i.id,
                      ROW_NUMBER() OVER (PARTITION BY i.feed_id ORDER BY i.sort_at DESC, i.id DESC) AS place
               FROM subscription s JOIN item i ON i.feed_id = s.feed_id
               WHERE s.user_id = $1 AND s.feed_id IN ({}) AND s.paused_at IS NULL AND {LISTED_BY_FEED}) n
         JOIN account a ON a.id = n.user_id
         WHERE n.place <= ${}
         ON CONFLICT DO NOTHING RETURNING user_id, feed_id, item_id",
        list(2, feeds),
        feeds + 2
    )
}

/// Makes items read for all users.
pub(crate) fn remove_of_all(db: &mut Db<'_>, items: &[ItemId]) -> StoreResult<()> {
    lock_of_items(db, items)?;
    let values: Vec<Value<'_>> = items.iter().map(|item| Value::from(*item)).collect();
    change(db, &remove_of_all_sql(items.len()), &values, -1)?;
    db.execute_rows(&remove_of_rounds_sql(items.len()), &values)
}

fn remove_of_rounds_sql(items: usize) -> String {
    format!("DELETE FROM unread WHERE item_id IN ({})", list(1, items))
}

fn remove_of_all_sql(items: usize) -> String {
    format!(
        "DELETE FROM unread WHERE item_id IN ({})
             AND round = (SELECT a.round FROM account a WHERE a.id = unread.user_id)
         RETURNING user_id, feed_id, item_id",
        list(1, items)
    )
}

/// Makes each item read for its user. For new items only; the subscriptions must be locked, as by
/// [`add_new`].
pub(crate) fn remove_pairs(db: &mut Db<'_>, pairs: &[(UserId, ItemId)]) -> StoreResult<()> {
    change_pairs(db, pairs, remove_pairs_sql, -1)
}

fn remove_pairs_sql(rows: usize) -> String {
    format!(
        "{} DELETE FROM unread WHERE (user_id, round, feed_id, sort_at, item_id) IN
                (SELECT a.id, a.round, i.feed_id, i.sort_at, i.id
                 FROM pair JOIN account a ON a.id = pair.user_id JOIN item i ON i.id = pair.item_id)
            RETURNING user_id, feed_id, item_id",
        with_numbers("pair", &["user_id", "item_id"], rows)
    )
}

/// Makes each item unread for its user, under the same conditions as [`remove_pairs`].
pub(crate) fn add_pairs(db: &mut Db<'_>, pairs: &[(UserId, ItemId)]) -> StoreResult<()> {
    change_pairs(db, pairs, add_pairs_sql, 1)
}

fn add_pairs_sql(rows: usize) -> String {
    format!(
        "{} INSERT INTO unread (user_id, round, feed_id, sort_at, item_id)
            SELECT a.id, a.round, i.feed_id, i.sort_at, i.id
            FROM pair JOIN account a ON a.id = pair.user_id JOIN item i ON i.id = pair.item_id WHERE TRUE
            ON CONFLICT DO NOTHING RETURNING user_id, feed_id, item_id",
        with_numbers("pair", &["user_id", "item_id"], rows)
    )
}

fn change_pairs(
    db: &mut Db<'_>,
    pairs: &[(UserId, ItemId)],
    sql: fn(usize) -> String,
    each: i64,
) -> StoreResult<()> {
    for batch in pairs.chunks(BATCH) {
        let values: Vec<Value<'_>> = batch
            .iter()
            .flat_map(|(user, item)| [Value::from(*user), Value::from(*item)])
            .collect();
        change(db, &sql(batch.len()), &values, each)?;
    }
    Ok(())
}

/// Makes given items read for `user`. Returns those that were unread.
pub(crate) fn remove_some(
    db: &mut Db<'_>,
    user: UserId,
    items: &[ItemId],
) -> StoreResult<Vec<ItemId>> {
    let removed = change_items(db, user, items, remove_some_sql, -1)?;
    remove_from_ended(db, user, items)?;
    Ok(removed)
}

/// Items that are read now must stay read when an earlier round is restored.
fn remove_from_ended(db: &mut Db<'_>, user: UserId, items: &[ItemId]) -> StoreResult<()> {
    for some in items.chunks(ITEMS) {
        db.execute_rows(&remove_from_ended_sql(some.len()), &of_person(user, some))?;
    }
    Ok(())
}

/// Parameters: the user, followed by the items.
fn of_person<'v>(user: UserId, items: &[ItemId]) -> Vec<Value<'v>> {
    let items = items.iter().map(|item| Value::from(*item));
    std::iter::once(user.into()).chain(items).collect()
}

/// Selects by item and not by user, who may have many rows.
fn remove_from_ended_sql(items: usize) -> String {
    format!(
        "DELETE FROM unread WHERE user_id + 0 = $1 AND round + 0 IN ({}) AND item_id IN ({})",
        ended_rounds!(),
        list(2, items)
    )
}

fn remove_some_sql(items: usize) -> String {
    format!(
        "DELETE FROM unread WHERE {} AND item_id IN ({}) RETURNING user_id, feed_id, item_id",
        unread_of!("unread", "$1"),
        list(2, items)
    )
}

/// Makes given items unread for `user`, except those with a read mark and those in no feed that
/// they follow. Returns those that were not unread.
pub(crate) fn put_back(
    db: &mut Db<'_>,
    user: UserId,
    items: &[ItemId],
) -> StoreResult<Vec<ItemId>> {
    change_items(db, user, items, put_back_sql, 1)
}

fn put_back_sql(items: usize) -> String {
    format!(
        "INSERT INTO unread (user_id, round, feed_id, sort_at, item_id)
         SELECT a.id, a.round, i.feed_id, i.sort_at, i.id
         FROM item i JOIN subscription s ON s.user_id = $1 AND s.feed_id = i.feed_id
                     JOIN account a ON a.id = s.user_id
         WHERE i.id IN ({}) AND {}
             AND NOT EXISTS (SELECT 1 FROM mark m WHERE m.user_id = $1 AND m.item_id = i.id AND m.kind = {})
         ON CONFLICT DO NOTHING RETURNING user_id, feed_id, item_id",
        list(2, items),
        visible_to!("$1"),
        mark_kind!(read)
    )
}

/// Position among the rows of a user: feed, date and item.
pub(crate) type UnreadPosition = (FeedId, i64, i64);

/// Makes up to `most` items of `user` read that come after `after`, in feeds up to `last` and
/// within `bound`. Returns the items, and the position reached unless it is the end.
pub(crate) fn remove_run(
    db: &mut Db<'_>,
    user: UserId,
    after: UnreadPosition,
    last: FeedId,
    most: i64,
    bound: Bound,
) -> StoreResult<(Vec<ItemId>, Option<UnreadPosition>)> {
    db.lock(LOCK_OF_USER, params![user])?;
    let values = params![user, after.0, after.1, after.2, last, most];
    let end = db.find(END_OF_RUN, values, |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })?;
    let to = end.unwrap_or((last, i64::MAX, i64::MAX));
    let values = params![
        user,
        after.0,
        after.1,
        after.2,
        to.0,
        to.1,
        to.2,
        bound.newest,
        bound.before,
    ];
    let items = change(db, REMOVE_RUN.as_str(), values, -1)?;
    if !items.is_empty() && db.one(HAS_ENDED_ROUNDS, params![user], |row| row.get(0))? {
        remove_from_ended(db, user, &items)?;
    }
    Ok((items, end))
}

/// Returns the round of a user and its number of rows.
fn round(db: &mut Db<'_>, user: UserId) -> StoreResult<(i64, i64)> {
    db.one(ROUND, params![user], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Makes everything within `bound` read for `user` by starting a new round. Returns the round that
/// ended and the number of items. Returns `None` and does nothing if there are more than `most`
/// rows, or if more than `most_kept` stay unread.
pub(crate) fn end_round(
    db: &mut Db<'_>,
    user: UserId,
    bound: Bound,
    most: i64,
    most_kept: i64,
) -> StoreResult<Option<(i64, i64)>> {
    let Bound { newest, before } = bound;
    lock_round(db, user)?;
    db.lock(LOCK_OF_USER, params![user])?;
    let (ended, unread) = round(db, user)?;
    if unread > most {
        return Ok(None);
    }
    let kept = params![user, newest, before, most_kept + 1];
    let kept: i64 = db.one(COUNT_UNSEEN, kept, |row| row.get(0))?;
    if kept > most_kept {
        return Ok(None);
    }
    if kept >= unread {
        return Ok(Some((ended, 0)));
    }
    if kept > 0 {
        db.execute(KEEP_UNSEEN, params![user, newest, before])?;
    }
    db.execute(SET_ROUND, params![ended + 1, user])?;
    db.execute(RECOUNT_OF_USER, params![user])?;
    Ok(Some((ended, unread - kept)))
}

/// Makes the remaining items of a round that [`end_round`] ended unread for `user`. Returns their
/// number, and whether there may be more. Restores all of them if no other round ended since and at
/// most `most_kept` items are unread now, which move to the restored round. Otherwise restores at
/// most `most`.
pub(crate) fn return_to_round(
    db: &mut Db<'_>,
    user: UserId,
    ended: i64,
    most: i64,
    most_kept: i64,
) -> StoreResult<(usize, bool)> {
    db.lock(LOCK_OF_USER, params![user])?;
    let (current, unread) = round(db, user)?;
    if current == ended + 1 && unread <= most_kept {
        change_round(db, user, current, ended, i64::MAX)?;
        db.execute(SET_ROUND, params![ended, user])?;
        db.execute(COUNT_ALL_OF_USER, params![user])?;
        let restored = self::round(db, user)?.1 - unread;
        return Ok((usize::try_from(restored).unwrap_or_default(), false));
    }
    let (added, removed) = change_round(db, user, ended, current, most)?;
    let restored = added.0.values().sum::<i64>();
    added.count(db)?;
    Ok((
        usize::try_from(restored).unwrap_or_default(),
        removed.cast_signed() >= most,
    ))
}

/// Moves up to `most` rows from one round to another. Returns the changes for rows that the target
/// did not have, and the number of rows removed.
fn change_round(
    db: &mut Db<'_>,
    user: UserId,
    from: i64,
    to: i64,
    most: i64,
) -> StoreResult<(Changes, u64)> {
    let mut added = Changes::default();
    let values = params![to, user, from, most];
    added.make(db, COPY_TO_ROUND.as_str(), values, 1)?;
    let removed = db.execute(REMOVE_OF_ROUND, params![user, from, most])?;
    Ok((added, removed))
}

/// Removes the rows of a user in a feed that they no longer follow. The count went with the
/// subscription.
pub(crate) fn remove_of_feed(db: &mut Db<'_>, user: UserId, feed: FeedId) -> StoreResult<()> {
    db.execute(REMOVE_OF_FEED, params![user, feed]).map(drop)
}

/// Recounts for all subscribers of `feed`.
pub(crate) fn recount_of_feed(db: &mut Db<'_>, feed: FeedId) -> StoreResult<()> {
    lock_of_feeds(db, &[feed])?;
    db.execute(RECOUNT_OF_FEED, params![feed]).map(drop)
}

/// Recounts the unread items of `user`. Returns the number of counts that were wrong.
pub fn recount_of_user(db: &mut Db<'_>, user: UserId) -> StoreResult<u64> {
    db.lock(LOCK_OF_USER, params![user])?;
    db.execute(RECOUNT_OF_USER, params![user])
}

/// Removes up to `limit` rows of earlier rounds of `user` that cannot be restored. Returns their
/// number.
pub fn remove_left_over(db: &mut Db<'_>, user: UserId, limit: i64) -> StoreResult<u64> {
    db.execute(REMOVE_LEFT_OVER, params![user, limit])
}

/// Statements whose text depends on the number of rows or the engine, for the test of all
/// statements.
pub(crate) fn batch_statements(engine: Engine) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("count_unread", count_sql(2)),
        ("add_new_unread", add_new_sql(2)),
        ("add_newest_unread", add_newest_sql(2)),
        ("remove_unread_of_all", remove_of_all_sql(2)),
        ("remove_unread_pairs", remove_pairs_sql(2)),
        ("add_unread_pairs", add_pairs_sql(2)),
        ("remove_unread_of_rounds", remove_of_rounds_sql(2)),
        ("remove_some_unread", remove_some_sql(2)),
        ("remove_from_ended_rounds", remove_from_ended_sql(2)),
        ("put_back_unread", put_back_sql(2)),
    ];
    if engine == Engine::Postgres {
        all.extend([
            ("lock_account", LOCK_ACCOUNT.as_str().to_owned()),
            ("lock_subscription", LOCK.as_str().to_owned()),
            ("lock_subscriptions", LOCK_OF_USER.as_str().to_owned()),
            ("lock_of_feeds", lock_of_feeds_sql(&list(1, 2))),
            ("lock_of_items", lock_of_feeds_sql(&feeds_of_items_sql(2))),
        ]);
    }
    all
}
