//! Who follows what.

use lede_model::feed::Subscription;
use lede_model::ids::{FeedId, SubscriptionId, UserId};
use lede_model::time::Timestamp;

use crate::engine::Row;
use crate::{Db, StoreResult, feeds, params, statements};

/// The columns of a person's subscription; unread is counted in one pass for all of them.
macro_rules! select {
    ($where:literal) => {
        concat!(
            "SELECT s.id, s.title, s.interval_minutes, s.created_at,
                    f.last_fetched_at, f.next_fetch_at, f.last_error, COALESCE(u.unread, 0),
                    f.id, f.url, f.site_url, f.title, f.status, f.next_fetch_why, f.last_fetch_status,
                    s.full_text, EXISTS (SELECT 1 FROM icon WHERE icon.feed_id = f.id)
             FROM subscription s
             JOIN feed f ON f.id = s.feed_id
             LEFT JOIN (SELECT feed_id, COUNT(*) AS unread FROM unread WHERE user_id = $1 GROUP BY feed_id) u
                 ON u.feed_id = s.feed_id
             WHERE s.user_id = $1 ",
            $where
        )
    };
}

statements! {
    OF_USER = select!("");
    FIND = select!("AND s.feed_id = $2");
    COUNT = "SELECT COUNT(*) FROM subscription WHERE user_id = $1";
    ADD = "INSERT INTO subscription (user_id, feed_id, created_at) VALUES ($1, $2, $3)
           ON CONFLICT (user_id, feed_id) DO NOTHING RETURNING id";
    SET = "UPDATE subscription SET interval_minutes = COALESCE($1, interval_minutes),
                                   full_text = COALESCE($2, full_text)
           WHERE id = $3 AND user_id = $4 RETURNING feed_id";
    REMOVE = "DELETE FROM subscription WHERE user_id = $1 AND feed_id = $2";
    REMOVE_UNREAD = "DELETE FROM unread WHERE user_id = $1 AND feed_id = $2";
    REMOVE_MARKS = "DELETE FROM mark WHERE user_id = $1
                        AND item_id IN (SELECT id FROM item WHERE feed_id = $2)";
}

fn from_row(row: &Row<'_>) -> StoreResult<Subscription> {
    Ok(Subscription {
        id: row.get(0)?,
        title_override: row.get(1)?,
        interval_minutes: row.get(2)?,
        created_at: row.get(3)?,
        last_fetched_at: row.get(4)?,
        next_fetch_at: row.get(5)?,
        last_error: row.get(6)?,
        unread: row.get(7)?,
        feed: feeds::from_row(row, 8)?,
        next_fetch_why: row.get(13)?,
        last_fetch_status: row.get(14)?,
        full_text: row.get(15)?,
        has_icon: row.get(16)?,
    })
}

/// Everything that `user` follows, by name, with unread counts.
pub fn of_user(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<Subscription>> {
    let mut found = db.query(OF_USER, params![user], from_row)?;
    // Sorted here, because each engine and each server's locale has letters in its own order.
    found.sort_by_cached_key(|subscription| (subscription.title().to_lowercase(), subscription.id));
    Ok(found)
}

/// The following of `feed` by `user`.
pub fn find(db: &mut Db<'_>, user: UserId, feed: FeedId) -> StoreResult<Option<Subscription>> {
    db.find(FIND, params![user, feed], from_row)
}

/// How many feeds `user` follows.
pub fn count(db: &mut Db<'_>, user: UserId) -> StoreResult<i64> {
    db.one(COUNT, params![user], |row| row.get(0))
}

/// Lets `user` follow `feed`; `None` when that is so already.
pub fn add(
    db: &mut Db<'_>,
    user: UserId,
    feed: FeedId,
    now: Timestamp,
) -> StoreResult<Option<SubscriptionId>> {
    feeds::lock(db, feed)?;
    db.find(ADD, params![user, feed, now], |row| row.get(0))
}

/// What a person changes about a subscription; what is absent stays.
#[derive(Debug, Clone, Copy, Default)]
pub struct Change {
    /// Minutes between fetches; 0 leaves it to Lede.
    pub interval_minutes: Option<i64>,
    /// Whether articles are fetched from their pages.
    pub full_text: Option<bool>,
}

/// Changes a subscription of `user`; the feed that it is about, or nothing when it is not theirs.
pub fn set(
    db: &mut Db<'_>,
    user: UserId,
    subscription: SubscriptionId,
    change: Change,
) -> StoreResult<Option<FeedId>> {
    let values = params![
        change.interval_minutes,
        change.full_text,
        subscription,
        user
    ];
    db.find(SET, values, |row| row.get(0))
}

/// Ends the following of `feed` by `user` with the person's marks on its items; `false` when
/// there was none. The feed and its items stay for the others.
pub fn remove(db: &mut Db<'_>, user: UserId, feed: FeedId) -> StoreResult<bool> {
    feeds::lock(db, feed)?;
    if db.execute(REMOVE, params![user, feed])? == 0 {
        return Ok(false);
    }
    db.execute(REMOVE_UNREAD, params![user, feed])?;
    db.execute(REMOVE_MARKS, params![user, feed])?;
    Ok(true)
}
