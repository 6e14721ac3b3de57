//! Bulk marks: marking many items read at once, and undoing it.
//!
//! Marking everything read takes one step, because it starts a new round (see `unread`), and
//! usually one step to undo. Other bulk marks run in steps of a given number of rows, each in its
//! own transaction, so that the writer is free in between however many rows there are. Each step
//! stores the ids it marked, packed, in the transaction that marks them: an interrupted bulk mark
//! can still be undone. Items marked this way get no read mark of their own; their missing unread
//! row is sufficient.

use std::collections::HashSet;

use lede_model::ids::{BulkMarkId, FeedId, ItemId, LabelId, UserId};
use lede_model::item::Scope;
use lede_model::mark::MarkKind;
use lede_model::time::Timestamp;

use crate::batch::list;
use crate::engine::{Row, Value};
use crate::items::visible_to;
use crate::unread::{self, UnreadPosition, unread_of};
use crate::{Db, StoreResult, lists, params, statements};

/// Limits for marking everything read in one step, and for undoing it: the number of unread items,
/// which are walked and counted, and the number of items that stay unread, which are rewritten.
/// Beyond these limits the writer would be blocked for too long.
const IN_ONE_STEP: i64 = 200_000;
const STAY: i64 = 1_000;
/// Items per statement that changes marks.
const AT_ONCE: usize = 500;

statements! {
    BEGIN = "INSERT INTO bulk_mark (user_id, marked_at) VALUES ($1, $2) RETURNING id";
    ADD_PART = "INSERT INTO bulk_mark_part (bulk_mark_id, items) VALUES ($1, $2)";
    FIND = "SELECT marked_at FROM bulk_mark WHERE user_id = $1 AND id = $2";
    SET_ROUND = "UPDATE bulk_mark SET round = $1 WHERE user_id = $2 AND id = $3";
    ROUND = "SELECT round FROM bulk_mark WHERE user_id = $1 AND id = $2";
    NEXT_PART = "SELECT p.id, p.items FROM bulk_mark_part p JOIN bulk_mark s ON s.id = p.bulk_mark_id
                 WHERE s.user_id = $1 AND s.id = $2 ORDER BY p.id LIMIT 1";
    SHORTEN_PART = "UPDATE bulk_mark_part SET items = $1 WHERE id = $2";
    REMOVE_PART = "DELETE FROM bulk_mark_part WHERE id = $1";
    PARTS_OF_LATER = "SELECT p.items FROM bulk_mark s JOIN bulk_mark_part p ON p.bulk_mark_id = s.id
                      WHERE s.user_id = $1 AND s.id > $2";
    REMOVE = "DELETE FROM bulk_mark WHERE user_id = $1 AND id = $2";
    REMOVE_OLD = "DELETE FROM bulk_mark WHERE user_id = $1 AND marked_at < $2";
    /// Items with the label in list order, with a flag if they are unread and within the bound.
    NEXT_OF_LABEL = concat!(
        "SELECT p.item_id, p.sort_at, p.item_id <= $1 AND p.sort_at <= $2 AND EXISTS (
             SELECT 1 FROM unread u WHERE u.item_id = p.item_id AND ", unread_of!("u", "$3"), ")
         FROM item_label p WHERE p.user_id = $3 AND p.label_id = $4 AND (p.sort_at, p.item_id) > ($5, $6)
         ORDER BY p.sort_at, p.item_id LIMIT $7"
    );
    NEWEST_ITEM = "SELECT COALESCE(MAX(id), 0) FROM item";
}

/// Upper limit of a bulk mark: items that the user has seen, and none that arrived since.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    /// Highest item id.
    pub newest: ItemId,
    /// Latest date.
    pub before: Timestamp,
}

/// Cursor of a bulk mark in progress.
#[derive(Debug, Clone)]
pub struct Progress(Remaining);

/// The remaining work of a bulk mark.
#[derive(Debug, Clone)]
enum Remaining {
    Feeds(RemainingFeeds),
    /// The items of a label after this date and item id.
    Label(LabelId, (i64, i64)),
}

#[derive(Debug, Clone)]
struct RemainingFeeds {
    /// Ranges of feed ids, the next one last.
    left: Vec<(FeedId, FeedId)>,
    /// The last unread row examined in the current range.
    after: UnreadPosition,
}

/// The range that includes all feeds.
const EVERYTHING: (i64, i64) = (0, i64::MAX);

impl RemainingFeeds {
    fn is_at_the_beginning_of_everything(&self) -> bool {
        let (first, last) = EVERYTHING;
        self.left == [(first.into(), last.into())] && self.after == start_of(&self.left)
    }
}

/// Returns the highest item id.
pub fn newest_item(db: &mut Db<'_>) -> StoreResult<ItemId> {
    db.one(NEWEST_ITEM, &[], |row| row.get(0))
}

/// Starts a bulk mark of `user`. Those older than `old` are deleted and can no longer be undone.
pub fn begin(
    db: &mut Db<'_>,
    user: UserId,
    scope: Scope,
    now: Timestamp,
    old: Timestamp,
) -> StoreResult<(BulkMarkId, Progress)> {
    db.execute(REMOVE_OLD, params![user, old])?;
    let bulk_mark = db.one(BEGIN, params![user, now], |row| row.get(0))?;
    let left = match scope {
        Scope::Everything => vec![(EVERYTHING.0.into(), EVERYTHING.1.into())],
        Scope::Feed(feed) => vec![(feed, feed)],
        Scope::Category(category) => lists::feeds_of_category(db, user, category)?
            .into_iter()
            .map(|feed| (feed, feed))
            .collect(),
        Scope::Label(label) => {
            let all = Remaining::Label(label, (i64::MIN, i64::MIN));
            return Ok((bulk_mark, Progress(all)));
        }
    };
    let after = start_of(&left);
    Ok((
        bulk_mark,
        Progress(Remaining::Feeds(RemainingFeeds { left, after })),
    ))
}

fn start_of(left: &[(FeedId, FeedId)]) -> UnreadPosition {
    let first = left.last().map_or(FeedId::from(0), |(first, _)| *first);
    (first, i64::MIN, i64::MIN)
}

/// Stores the ids of marked items, for undo.
fn add_part(db: &mut Db<'_>, bulk_mark: BulkMarkId, removed: &[ItemId]) -> StoreResult<()> {
    if !removed.is_empty() {
        db.execute(ADD_PART, params![bulk_mark, pack(removed).as_slice()])?;
    }
    Ok(())
}

/// Marks up to `most` further items read. Returns their number, and the cursor for the next step
/// unless everything is done.
pub fn step(
    db: &mut Db<'_>,
    user: UserId,
    bulk_mark: BulkMarkId,
    bound: Bound,
    progress: &Progress,
    most: usize,
) -> StoreResult<(usize, Option<Progress>)> {
    let progress = match &progress.0 {
        Remaining::Feeds(progress) => progress,
        Remaining::Label(label, after) => {
            return step_of_label(db, user, bulk_mark, bound, *label, *after, most);
        }
    };
    if progress.is_at_the_beginning_of_everything()
        && let Some((ended, removed)) = unread::end_round(db, user, bound, IN_ONE_STEP, STAY)?
    {
        if removed > 0 {
            db.execute(SET_ROUND, params![ended, user, bulk_mark])?;
        }
        return Ok((usize::try_from(removed).unwrap_or_default(), None));
    }
    let mut progress = progress.clone();
    let mut removed = Vec::new();
    while let Some((_, last_feed)) = progress.left.last().copied() {
        let left = most.saturating_sub(removed.len()).max(1) as i64;
        let (some, end) = unread::remove_run(db, user, progress.after, last_feed, left, bound)?;
        removed.extend(some);
        match end {
            Some(end) => progress.after = end,
            None => {
                progress.left.pop();
                progress.after = start_of(&progress.left);
            }
        }
        // Many feeds with few unread items are combined in one step.
        if end.is_some() || removed.len() >= most {
            break;
        }
    }
    add_part(db, bulk_mark, &removed)?;
    let rest = (!progress.left.is_empty()).then_some(Progress(Remaining::Feeds(progress)));
    Ok((removed.len(), rest))
}

/// Same as [`step`] for a label: examines up to `most` of its items, read or unread.
fn step_of_label(
    db: &mut Db<'_>,
    user: UserId,
    bulk_mark: BulkMarkId,
    bound: Bound,
    label: LabelId,
    after: (i64, i64),
    most: usize,
) -> StoreResult<(usize, Option<Progress>)> {
    let Bound { newest, before } = bound;
    let values = params![newest, before, user, label, after.0, after.1, most as i64];
    let next = db.query(NEXT_OF_LABEL, values, |row| {
        Ok((
            row.get::<ItemId>(0)?,
            row.get::<i64>(1)?,
            row.get::<bool>(2)?,
        ))
    })?;
    let unread = next.iter().filter(|(_, _, is_unread)| *is_unread);
    let unread: Vec<ItemId> = unread.map(|(item, ..)| *item).collect();
    let removed = unread::remove_some(db, user, &unread)?;
    add_part(db, bulk_mark, &removed)?;
    let last = next.last().filter(|_| next.len() >= most);
    let rest = last.map(|(item, sort_at, _)| Remaining::Label(label, (*sort_at, item.as_i64())));
    Ok((removed.len(), rest.map(Progress)))
}

/// Marks those of `items` read that are unread for `user`, with a read mark as if marked one by
/// one.
pub fn mark_read(
    db: &mut Db<'_>,
    user: UserId,
    bulk_mark: BulkMarkId,
    items: &[ItemId],
    now: Timestamp,
) -> StoreResult<usize> {
    let removed = unread::remove_some(db, user, items)?;
    for some in removed.chunks(AT_ONCE) {
        let first = [user.into(), MarkKind::Read.into(), now.into()];
        let values = with_items(&first, some.iter().copied());
        db.execute_rows(&mark_these_sql(some.len()), &values)?;
    }
    add_part(db, bulk_mark, &removed)?;
    Ok(removed.len())
}

/// Returns the number of these items that are visible to `user` in feeds that they follow.
pub fn count_visible(db: &mut Db<'_>, user: UserId, items: &[ItemId]) -> StoreResult<i64> {
    let mut visible = 0;
    for some in items.chunks(AT_ONCE) {
        let values = with_items(&[user.into()], some.iter().copied());
        let found: Vec<i64> = db.query_rows(&visible_sql(some.len()), &values, |row| row.get(0))?;
        visible += found.into_iter().sum::<i64>();
    }
    Ok(visible)
}

/// Deletes a bulk mark, which can then no longer be undone.
pub fn remove(db: &mut Db<'_>, user: UserId, bulk_mark: BulkMarkId) -> StoreResult<()> {
    db.execute(REMOVE, params![user, bulk_mark]).map(drop)
}

/// Returns the time of a bulk mark of `user`; `None` if there is no such bulk mark.
pub fn marked_at(
    db: &mut Db<'_>,
    user: UserId,
    bulk_mark: BulkMarkId,
) -> StoreResult<Option<Timestamp>> {
    db.find(FIND, params![user, bulk_mark], |row| row.get(0))
}

/// Makes up to `most` items of a bulk mark unread again. Returns their number, and whether there
/// may be more. Items that were read individually since, that a later bulk mark includes which was
/// not undone, or that are in no feed that `user` follows any more stay as they are.
///
/// Marking everything read stays cheap despite this rule. The round that it ended records what it
/// marked, and `unread` consults it. Other bulk marks are compared with later rounds and parts only
/// when they are undone.
pub fn step_back(
    db: &mut Db<'_>,
    user: UserId,
    bulk_mark: BulkMarkId,
    marked_at: Timestamp,
    most: usize,
) -> StoreResult<(usize, bool)> {
    // Before the bulk mark is read: another request may be undoing it.
    unread::lock_round(db, user)?;
    let ended = db.find(ROUND, params![user, bulk_mark], |row| {
        row.get::<Option<i64>>(0)
    })?;
    if let Some(ended) = ended.flatten() {
        let (restored, has_more) = unread::return_to_round(db, user, ended, most as i64, STAY)?;
        if !has_more {
            remove(db, user, bulk_mark)?;
        }
        return Ok((restored, has_more));
    }
    let part = db.find(NEXT_PART, params![user, bulk_mark], |row: &Row<'_>| {
        Ok((row.get::<i64>(0)?, row.get::<Vec<u8>>(1)?))
    })?;
    let Some((part, packed)) = part else {
        remove(db, user, bulk_mark)?;
        return Ok((0, false));
    };
    let mut items = unpack(&packed);
    let rest = items.split_off(items.len().min(most));
    let later = marked_later(db, user, bulk_mark, &items)?;
    items.retain(|item| !later.contains(item));
    for some in items.chunks(AT_ONCE) {
        let first = [user.into(), MarkKind::Read.into(), marked_at.into()];
        let values = with_items(&first, some.iter().copied());
        db.execute_rows(&unmark_sql(some.len()), &values)?;
    }
    let restored = unread::put_back(db, user, &items)?.len();
    if rest.is_empty() {
        db.execute(REMOVE_PART, params![part])?;
    } else {
        db.execute(SHORTEN_PART, params![pack(&rest).as_slice(), part])?;
    }
    Ok((restored, true))
}

/// Returns those of `items` that a later bulk mark includes, which can be undone separately.
fn marked_later(
    db: &mut Db<'_>,
    user: UserId,
    bulk_mark: BulkMarkId,
    items: &[ItemId],
) -> StoreResult<HashSet<ItemId>> {
    let parts = db.query(PARTS_OF_LATER, params![user, bulk_mark], |row| {
        row.get::<Vec<u8>>(0)
    })?;
    let mut later: HashSet<ItemId> = parts.iter().flat_map(|part| unpack(part)).collect();
    for some in items.chunks(AT_ONCE) {
        let values = with_items(params![user, bulk_mark], some.iter().copied());
        let ended: Vec<ItemId> =
            db.query_rows(&ended_later_sql(some.len()), &values, |row| row.get(0))?;
        later.extend(ended);
    }
    Ok(later)
}

/// Selects by item and not by user, who may have many rows.
fn ended_later_sql(items: usize) -> String {
    format!(
        "SELECT u.item_id FROM unread u WHERE u.user_id + 0 = $1
             AND u.round + 0 IN (SELECT s.round FROM bulk_mark s
                                 WHERE s.user_id = $1 AND s.id > $2 AND s.round IS NOT NULL)
             AND u.item_id IN ({})",
        list(3, items)
    )
}

/// Appends the items to the parameters.
fn with_items<'v, T: Into<Value<'v>>>(
    first: &[Value<'v>],
    items: impl Iterator<Item = T>,
) -> Vec<Value<'v>> {
    first.iter().cloned().chain(items.map(Into::into)).collect()
}

fn mark_these_sql(items: usize) -> String {
    format!(
        "INSERT INTO mark (user_id, kind, sort_at, item_id, at)
         SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), sort_at, id, CAST($3 AS BIGINT)
         FROM item WHERE id IN ({}) ON CONFLICT DO NOTHING",
        list(4, items)
    )
}

fn visible_sql(items: usize) -> String {
    format!(
        "SELECT COUNT(*) FROM item i JOIN subscription s ON s.user_id = $1 AND s.feed_id = i.feed_id
         WHERE i.id IN ({}) AND {}",
        list(2, items),
        visible_to!("$1")
    )
}

/// Deletes read marks that the bulk mark itself set.
fn unmark_sql(items: usize) -> String {
    format!(
        "DELETE FROM mark WHERE user_id = $1 AND kind = $2 AND at = $3 AND item_id IN ({})",
        list(4, items)
    )
}

/// Statements whose text depends on the number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 4] {
    [
        ("mark_these", mark_these_sql(2)),
        ("visible", visible_sql(2)),
        ("unmark", unmark_sql(2)),
        ("ended_later", ended_later_sql(2)),
    ]
}

/// Encodes item ids as zigzag varint deltas: ids of neighbouring items are close to each other.
fn pack(items: &[ItemId]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(items.len() * 2);
    let mut last = 0_i64;
    for item in items {
        let item = item.as_i64();
        let difference = item.wrapping_sub(last);
        last = item;
        // Zigzag: the sign becomes the lowest bit, so that small negative deltas stay small.
        let mut left = ((difference << 1) ^ (difference >> 63)).cast_unsigned();
        while left >= 0x80 {
            packed.push((left & 0x7f) as u8 | 0x80);
            left >>= 7;
        }
        packed.push(left as u8);
    }
    packed
}

fn unpack(packed: &[u8]) -> Vec<ItemId> {
    let (mut items, mut last) = (Vec::new(), 0_i64);
    let (mut number, mut shift) = (0_u64, 0_u32);
    for byte in packed {
        number |= u64::from(byte & 0x7f).unbounded_shl(shift);
        shift += 7;
        if byte & 0x80 == 0 {
            let difference = (number >> 1).cast_signed() ^ -((number & 1).cast_signed());
            last = last.wrapping_add(difference);
            items.push(last.into());
            (number, shift) = (0, 0);
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back_and_is_small() {
        for items in [
            vec![],
            vec![1],
            vec![5, 3, 4, 1_000_000, 999_999, i64::MAX, 1],
        ] {
            let items: Vec<ItemId> = items.into_iter().map(ItemId::from).collect();
            assert_eq!(unpack(&pack(&items)), items);
        }
        let many: Vec<ItemId> = (1_000_000..1_010_000).map(ItemId::from).collect();
        assert!(pack(&many).len() < 10_010);
    }
}
