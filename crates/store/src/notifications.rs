//! The outbox: notifications of users, written in the transaction that creates their cause and
//! delivered by a job (`core::notifications`).
//!
//! There is one notification per user, channel and subject, so that an item that is stored again
//! notifies no user twice. The bell of the web app lists the rows of [`Channel::Web`], delivered or
//! not. Reading an item in any way reads its notification: the queries look at the marks of the
//! item, so that marking items costs nothing here.

use std::collections::BTreeSet;

use lede_model::ids::{FeedId, ItemId, NotificationId, RuleId, UserId};
use lede_model::job::{JobKind, Priority};
use lede_model::notification::{Channel, DeliveryState};
use lede_model::time::Timestamp;

use crate::batch::{list, with_numbers};
use crate::engine::{Row, Value};
use crate::items::{is_unread, visible_to};
use crate::{Db, StoreResult, jobs, params, statements};

/// Rows per statement.
const BATCH: usize = 100;
/// Notifications are counted up to this number; pages show one more than they can as "99+".
pub const COUNTED: i64 = 100;

/// A notification to add.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewNotification {
    pub(crate) user: UserId,
    pub(crate) item: ItemId,
    /// The rule that asked for it; `None` if the user wants all items of the feed.
    pub(crate) rule: Option<RuleId>,
    /// True if the item is unread for the user.
    pub(crate) is_item_unread: bool,
}

/// A notification in the list of its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    pub id: NotificationId,
    pub item: ItemId,
    pub title: String,
    pub feed: FeedId,
    /// Title of the feed as the user sees it.
    pub feed_title: String,
    pub created_at: Timestamp,
    pub is_unread: bool,
}

/// Selects the notifications to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NotificationFilter {
    #[default]
    All,
    Unread,
}

/// True if neither the notification `n` of the user `$1` nor its item was read. A rule may have
/// marked the item read on arrival; then only a user's own read mark counts.
macro_rules! is_unread_notification {
    () => {
        concat!(
            "(n.read_at IS NULL AND CASE WHEN n.item_was_unread THEN ",
            is_unread!(),
            " ELSE NOT EXISTS (SELECT 1 FROM mark m WHERE m.user_id = $1 AND m.kind = 2
                                   AND m.sort_at = i.sort_at AND m.item_id = i.id) END)"
        )
    };
}

/// Continues a query with the notifications of the user `$1` in the bell.
macro_rules! in_bell {
    () => {
        concat!(
            " FROM notification n
              JOIN item i ON i.id = n.item_id
              JOIN subscription s ON s.user_id = $1 AND s.feed_id = i.feed_id
              JOIN feed f ON f.id = i.feed_id
              WHERE n.user_id = $1 AND n.channel = 1 AND ",
            visible_to!("$1")
        )
    };
}

/// Selects notifications of the user `$1` in the bell; read by [`notification`].
macro_rules! select {
    ($which:expr) => {
        concat!(
            "SELECT n.id, i.id, i.title, i.feed_id, COALESCE(s.title, f.title), n.created_at, ",
            is_unread_notification!(),
            in_bell!(),
            $which
        )
    };
}

statements! {
    LIST_NOTIFICATIONS = select!(" AND n.id < $2 ORDER BY n.id DESC LIMIT $3");
    LIST_UNREAD_NOTIFICATIONS = select!(concat!(
        " AND n.id < $2 AND ", is_unread_notification!(), " ORDER BY n.id DESC LIMIT $3"
    ));
    COUNT_UNREAD_NOTIFICATIONS = concat!(
        "SELECT COUNT(*) FROM (SELECT 1", in_bell!(), " AND ", is_unread_notification!(),
        " ORDER BY n.id DESC LIMIT $2) page"
    );
    MARK_READ = "UPDATE notification SET read_at = COALESCE(read_at, $1) WHERE user_id = $2 AND id = $3";
    MARK_ALL_READ = "UPDATE notification SET read_at = $1
                     WHERE user_id = $2 AND channel = $3 AND read_at IS NULL";
    RECIPIENT = "SELECT id FROM account WHERE id = $1";
    DELIVER = "UPDATE notification SET state = $1, attempts = attempts + 1, delivered_at = $2
               WHERE id IN (SELECT id FROM notification
                            WHERE user_id = $3 AND channel = $4 AND state = $5 ORDER BY id LIMIT $6)
               RETURNING id";
    OVERFULL = "SELECT user_id FROM notification WHERE user_id > $1
                GROUP BY user_id HAVING COUNT(*) > $2 ORDER BY user_id LIMIT 1";
    REMOVE_OLDEST = "DELETE FROM notification WHERE id IN
                         (SELECT id FROM notification WHERE user_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3)";
}

fn add_sql(rows: usize) -> String {
    let first = 4 * rows + 1;
    format!(
        "{} INSERT INTO notification (user_id, channel, item_id, rule_id, item_was_unread, state, created_at)
            SELECT hit.user_id, CAST(${first} AS BIGINT), hit.item_id, hit.rule_id, hit.item_was_unread = 1,
                   CAST(${} AS BIGINT), CAST(${} AS BIGINT)
            FROM hit WHERE TRUE
            ON CONFLICT (user_id, channel, item_id) DO NOTHING",
        with_numbers(
            "hit",
            &["user_id", "item_id", "rule_id", "item_was_unread"],
            rows
        ),
        first + 1,
        first + 2
    )
}

fn find_sql(rows: usize) -> String {
    format!(
        "{} AND n.id IN ({}) ORDER BY n.id DESC",
        select!(""),
        list(2, rows)
    )
}

/// Statements whose text depends on the number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 2] {
    [
        ("add_notifications", add_sql(2)),
        ("find_notifications", find_sql(2)),
    ]
}

/// Adds notifications for the web app and enqueues their delivery. Those that exist stay as they
/// are.
pub(crate) fn add(db: &mut Db<'_>, new: &[NewNotification], now: Timestamp) -> StoreResult<()> {
    let channel = Channel::Web;
    let mut recipients = BTreeSet::new();
    for batch in new.chunks(BATCH) {
        let mut values: Vec<Value<'_>> = Vec::with_capacity(batch.len() * 4 + 3);
        for new in batch {
            values.extend_from_slice(params![
                new.user,
                new.item,
                new.rule,
                i64::from(new.is_item_unread),
            ]);
        }
        values.extend_from_slice(params![
            channel.as_i64(),
            DeliveryState::Pending.as_i64(),
            now
        ]);
        if db.change_rows(&add_sql(batch.len()), &values)? > 0 {
            recipients.extend(batch.iter().map(|new| new.user));
        }
    }
    let keys = recipients.into_iter().map(|user| channel.job_key(user));
    jobs::enqueue_all(db, JobKind::Notification, keys, Priority::Normal, now, now)
}

/// Returns the user and the channel of a job, or `None` if the account is gone.
pub fn find_recipient(db: &mut Db<'_>, job_key: i64) -> StoreResult<Option<(UserId, Channel)>> {
    let Some((user, channel)) = Channel::from_job_key(job_key) else {
        return Ok(None);
    };
    let user = db.find(RECIPIENT, params![user], |row| row.get(0))?;
    Ok(user.map(|user| (user, channel)))
}

/// Marks up to `limit` pending notifications as delivered, oldest first. Returns their ids in that
/// order.
pub fn deliver(
    db: &mut Db<'_>,
    user: UserId,
    channel: Channel,
    limit: i64,
    now: Timestamp,
) -> StoreResult<Vec<NotificationId>> {
    let values = params![
        DeliveryState::Delivered.as_i64(),
        now,
        user,
        channel.as_i64(),
        DeliveryState::Pending.as_i64(),
        limit
    ];
    let mut delivered: Vec<NotificationId> = db.query(DELIVER, values, |row| row.get(0))?;
    // An UPDATE returns its rows in no defined order.
    delivered.sort_unstable();
    Ok(delivered)
}

fn notification(row: &Row<'_>) -> StoreResult<Notification> {
    Ok(Notification {
        id: row.get(0)?,
        item: row.get(1)?,
        title: row.get(2)?,
        feed: row.get(3)?,
        feed_title: row.get(4)?,
        created_at: row.get(5)?,
        is_unread: row.get(6)?,
    })
}

/// Returns up to `limit` notifications of the bell that are older than `before`, newest first.
pub fn page(
    db: &mut Db<'_>,
    user: UserId,
    filter: NotificationFilter,
    before: Option<NotificationId>,
    limit: i64,
) -> StoreResult<Vec<Notification>> {
    let sql = match filter {
        NotificationFilter::All => LIST_NOTIFICATIONS,
        NotificationFilter::Unread => LIST_UNREAD_NOTIFICATIONS,
    };
    let before = before.map_or(i64::MAX, NotificationId::as_i64);
    db.query(sql, params![user, before, limit], notification)
}

/// Returns those of `ids` that are in the bell of `user`, newest first.
pub fn find_all(
    db: &mut Db<'_>,
    user: UserId,
    ids: &[NotificationId],
) -> StoreResult<Vec<Notification>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut values: Vec<Value<'_>> = vec![user.into()];
    values.extend(ids.iter().map(|id| Value::from(*id)));
    db.query_rows(&find_sql(ids.len()), &values, notification)
}

/// Returns the number of unread notifications in the bell of `user`, at most [`COUNTED`].
pub fn count_unread(db: &mut Db<'_>, user: UserId) -> StoreResult<i64> {
    db.one(COUNT_UNREAD_NOTIFICATIONS, params![user, COUNTED], |row| {
        row.get(0)
    })
}

/// Marks a notification as read. Returns `false` if `user` has no such notification.
pub fn mark_read(
    db: &mut Db<'_>,
    user: UserId,
    id: NotificationId,
    now: Timestamp,
) -> StoreResult<bool> {
    Ok(db.execute(MARK_READ, params![now, user, id])? > 0)
}

/// Marks all notifications in the bell of `user` as read.
pub fn mark_all_read(db: &mut Db<'_>, user: UserId, now: Timestamp) -> StoreResult<()> {
    let values = params![now, user, Channel::Web.as_i64()];
    db.execute(MARK_ALL_READ, values).map(drop)
}

/// Returns the next user after `after` who has more than `most` notifications.
pub fn find_overfull(
    db: &mut Db<'_>,
    most: i64,
    after: Option<UserId>,
) -> StoreResult<Option<UserId>> {
    let after = after.map_or(0, UserId::as_i64);
    db.find(OVERFULL, params![after, most], |row| row.get(0))
}

/// Removes up to `limit` notifications of `user` beyond the `most` newest. Returns their number.
pub fn remove_oldest(db: &mut Db<'_>, user: UserId, most: i64, limit: i64) -> StoreResult<u64> {
    db.execute(REMOVE_OLDEST, params![user, limit, most])
}
