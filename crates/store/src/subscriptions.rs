//! Subscriptions of users to feeds, with their settings.

use lede_model::address::WebUrl;
use lede_model::feed::{FeedHealth, FeedLine, FeedStatus, Subscription};
use lede_model::ids::{CategoryId, FeedId, ItemId, SubscriptionId, UserId};
use lede_model::item::TextChoice;
use lede_model::time::Timestamp;

use crate::batch::{list, places, reorder_sql};
use crate::engine::{Row, Value};
use crate::marks::mark_kind;
use crate::{Db, StoreResult, access, categories, feeds, messages, params, statements, unread};

/// Selects the columns of a user's subscription; read by [`from_row`].
macro_rules! select {
    ($where:literal) => {
        concat!(
            "SELECT s.id, s.title, s.interval_minutes, s.created_at,
                    f.last_fetched_at, f.next_fetch_at, f.last_error, s.unread,
                    f.id, f.url, f.site_url, f.title, f.status, f.owner_id, f.next_fetch_why, f.last_fetch_status,
                    s.full_text, EXISTS (SELECT 1 FROM icon WHERE icon.feed_id = f.id),
                    s.category_id, s.position, s.notify, s.paused_at, f.failures_in_a_row, f.failing_since,
                    f.access IS NOT NULL, f.moving_to
             FROM subscription s
             JOIN feed f ON f.id = s.feed_id
             WHERE s.user_id = $1 ",
            $where
        )
    };
}

statements! {
    OF_USER = select!("");
    FIND = select!("AND s.feed_id = $2");
    FIND_BY_ID = select!("AND s.id = $2");
    LINES = "SELECT f.id, COALESCE(s.title, f.title), f.url, f.status, f.last_fetch_status,
                    s.paused_at IS NOT NULL, f.last_fetched_at, f.next_fetch_at, f.last_error
             FROM subscription s JOIN feed f ON f.id = s.feed_id WHERE s.user_id = $1";
    COUNT = "SELECT COUNT(*) FROM subscription WHERE user_id = $1";
    /// The end of the list if the user ordered it. Otherwise 0 for all, so that they sort by name.
    NEXT_POSITION = "SELECT COALESCE(MAX(position) + CASE WHEN MAX(position) > 0 THEN 1 ELSE 0 END, 0)
                     FROM subscription WHERE user_id = $1 AND category_id IS NOT DISTINCT FROM $2";
    /// Excludes private feeds of other users.
    ADD = "INSERT INTO subscription (user_id, feed_id, position, created_at)
           SELECT $1, f.id, $2, $3 FROM feed f WHERE f.id = $4 AND COALESCE(f.owner_id, $1) = $1
           ON CONFLICT (user_id, feed_id) DO NOTHING RETURNING id";
    SET = "UPDATE subscription SET
               title = CASE WHEN $1 THEN $2 ELSE title END,
               category_id = CASE WHEN $3 THEN $4 ELSE category_id END,
               position = COALESCE($5, position),
               interval_minutes = CASE WHEN $6 THEN $7 ELSE interval_minutes END,
               prefers_full = CASE WHEN full_text <> $8 THEN NULL ELSE prefers_full END,
               full_text = COALESCE($8, full_text),
               notify = COALESCE($9, notify),
               paused_at = CASE WHEN $10 THEN COALESCE(paused_at, $11) WHEN $12 THEN NULL ELSE paused_at END
           WHERE id = $13 AND user_id = $14";
    PREFER_FULL = "UPDATE subscription SET prefers_full = $1 WHERE user_id = $2
                       AND feed_id = (SELECT feed_id FROM item WHERE id = $3)";
    MOVE = "UPDATE subscription SET feed_id = $1
            WHERE user_id = $2 AND feed_id = $3
                AND NOT EXISTS (SELECT 1 FROM subscription own WHERE own.user_id = $2 AND own.feed_id = $1)
                AND NOT EXISTS (SELECT 1 FROM feed f WHERE f.id = $1 AND f.owner_id <> $2)";
    MOVE_RULES = "UPDATE rule SET feed_id = $1 WHERE user_id = $2 AND feed_id = $3";
    REMOVE = "DELETE FROM subscription WHERE user_id = $1 AND feed_id = $2";
    REMOVE_MARKS = concat!(
        "DELETE FROM mark WHERE user_id = $1 AND kind <> ", mark_kind!(starred),
        " AND item_id IN (SELECT id FROM item WHERE feed_id = $2)"
    );
    REMOVE_NOTIFICATIONS = "DELETE FROM notification WHERE user_id = $1
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
        last_error: messages::column(row, 6)?,
        unread: row.get(7)?,
        feed: feeds::from_row(row, 8)?,
        next_fetch_why: messages::column(row, 14)?,
        last_fetch_status: row.get(15)?,
        full_text: row.get(16)?,
        has_icon: row.get(17)?,
        category: row.get(18)?,
        position: row.get(19)?,
        notify: row.get(20)?,
        paused_at: row.get(21)?,
        failures_in_a_row: row.get(22)?,
        failing_since: row.get(23)?,
        has_access: row.get(24)?,
        moving_to: row
            .get::<Option<String>>(25)?
            .and_then(|text| WebUrl::parse(&text).ok()),
    })
}

/// Returns the subscriptions of `user` with unread counts, ordered by category, position in it and
/// title. Feeds without a category come last.
pub fn of_user(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<Subscription>> {
    let categories = categories::of_user(db, user)?;
    let mut found = db.query(OF_USER, params![user], from_row)?;
    // Sorted here, because the collation depends on the engine and on the server's locale.
    found.sort_by_cached_key(|subscription| {
        let category = subscription.category.and_then(|id| categories.place(id));
        (
            category.unwrap_or(usize::MAX),
            subscription.position,
            subscription.title().to_lowercase(),
            subscription.id,
        )
    });
    Ok(found)
}

/// Returns the subscriptions of `user` ordered by title, without the columns that only a detail
/// view needs.
pub fn lines(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<FeedLine>> {
    let mut found = db.query(LINES, params![user], |row| {
        Ok(FeedLine {
            id: row.get(0)?,
            name: row.get(1)?,
            url: feeds::url_of(2, &row.get::<String>(2)?)?,
            status: FeedStatus::from_word(&row.get::<String>(3)?),
            health: FeedHealth::after(row.get::<Option<String>>(4)?.as_deref()),
            is_paused: row.get(5)?,
            last_fetched_at: row.get(6)?,
            next_fetch_at: row.get(7)?,
            last_error: messages::column(row, 8)?,
        })
    })?;
    found.sort_by_cached_key(|line| (line.name.to_lowercase(), line.id));
    Ok(found)
}

/// Finds the subscription of `user` to `feed`.
pub fn find(db: &mut Db<'_>, user: UserId, feed: FeedId) -> StoreResult<Option<Subscription>> {
    db.find(FIND, params![user, feed], from_row)
}

/// Finds a subscription of `user` by its id.
pub fn find_by_id(
    db: &mut Db<'_>,
    user: UserId,
    subscription: SubscriptionId,
) -> StoreResult<Option<Subscription>> {
    db.find(FIND_BY_ID, params![user, subscription], from_row)
}

/// Returns the number of feeds that `user` follows.
pub fn count(db: &mut Db<'_>, user: UserId) -> StoreResult<i64> {
    db.one(COUNT, params![user], |row| row.get(0))
}

/// Subscribes `user` to `feed` with default settings. Returns `None` if they follow it already. For
/// tests and benchmarks: a user's request goes through [`crate::follow`].
pub fn add(
    db: &mut Db<'_>,
    user: UserId,
    feed: FeedId,
    now: Timestamp,
) -> StoreResult<Option<SubscriptionId>> {
    feeds::lock(db, feed)?;
    let position = next_position(db, user, None)?;
    let values = params![user, position, now, feed];
    db.find(ADD, values, |row| row.get(0))
}

/// Returns the position behind the last subscription in `category`.
pub(crate) fn next_position(
    db: &mut Db<'_>,
    user: UserId,
    category: Option<CategoryId>,
) -> StoreResult<i64> {
    db.one(NEXT_POSITION, params![user, category], |row| row.get(0))
}

/// Changes to a subscription; `None` leaves a value unchanged.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// The user's title; `Some(None)` restores the publisher's.
    pub title: Option<Option<String>>,
    /// `Some(None)` removes it from its category.
    pub category: Option<Option<CategoryId>>,
    /// Sort position within the category.
    pub position: Option<i64>,
    /// Minutes between fetches; 0 lets Lede decide, `Some(None)` restores the default.
    pub interval_minutes: Option<Option<i64>>,
    /// True to fetch articles from their pages. A change also forgets which text the user chose.
    pub full_text: Option<bool>,
    /// True to notify the user of new items.
    pub notify: Option<bool>,
    /// True to pause: no new items become unread.
    pub paused: Option<bool>,
}

/// Changes a subscription of `user` and returns the result. Returns `None` if there is no such
/// subscription. The category must belong to `user`.
pub fn set(
    db: &mut Db<'_>,
    user: UserId,
    subscription: SubscriptionId,
    change: &Change,
    now: Timestamp,
) -> StoreResult<Option<Subscription>> {
    let Some(before) = find_by_id(db, user, subscription)? else {
        return Ok(None);
    };
    if change.paused.is_some() {
        // The feed's row changes below, and ingest locks it before the subscriptions.
        feeds::lock(db, before.feed.id)?;
    }
    let position = match (change.position, change.category) {
        (None, Some(category)) if category != before.category => {
            Some(next_position(db, user, category)?)
        }
        (position, _) => position,
    };
    let values = params![
        change.title.is_some(),
        change.title.as_ref().and_then(Option::as_deref),
        change.category.is_some(),
        change.category.flatten(),
        position,
        change.interval_minutes.is_some(),
        change.interval_minutes.flatten(),
        change.full_text,
        change.notify,
        change.paused == Some(true),
        now,
        change.paused == Some(false),
        subscription,
        user
    ];
    db.execute(SET, values)?;
    match (before.paused_at, change.paused) {
        (None, Some(true)) => feeds::park(db, before.feed.id)?,
        (Some(_), Some(false)) => feeds::fetch_soon(db, before.feed.id, now)?,
        _ => {}
    }
    find_by_id(db, user, subscription)
}

/// Records which text of the items in the feed of `item` the user reads.
pub fn choose_text(
    db: &mut Db<'_>,
    user: UserId,
    item: ItemId,
    choice: TextChoice,
) -> StoreResult<()> {
    let is_full = choice == TextChoice::Full;
    db.execute(PREFER_FULL, params![is_full, user, item])
        .map(drop)
}

/// Sets the positions of subscriptions of `user` within their categories.
pub fn reorder(
    db: &mut Db<'_>,
    user: UserId,
    positions: &[(SubscriptionId, i64)],
) -> StoreResult<()> {
    places(db, "subscription", user, positions)
}

/// Moves feeds that `user` follows to the end of a category of theirs, or of the feeds without one.
/// They get the same position, so that they sort by title.
pub fn move_all(
    db: &mut Db<'_>,
    user: UserId,
    feeds: &[FeedId],
    category: Option<CategoryId>,
) -> StoreResult<()> {
    let position = next_position(db, user, category)?;
    for batch in feeds.chunks(MOVED_AT_ONCE) {
        let mut values: Vec<Value<'_>> = params![category, position, user].to_vec();
        values.extend(batch.iter().map(|feed| Value::from(*feed)));
        db.execute_rows(&move_all_sql(batch.len()), &values)?;
    }
    Ok(())
}

/// Feeds per UPDATE statement.
const MOVED_AT_ONCE: usize = 250;

fn move_all_sql(feeds: usize) -> String {
    format!(
        "UPDATE subscription SET category_id = $1, position = $2
         WHERE user_id = $3 AND feed_id IN ({})",
        list(4, feeds)
    )
}

/// Statements whose text depends on the number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 2] {
    [
        ("reorder_subscriptions", reorder_sql("subscription", 2)),
        ("move_subscriptions", move_all_sql(2)),
    ]
}

/// Replaces the subscription of `user` to `from` by one to `to`, with the same settings and rules.
/// Of their marks on items of `from`, stars and labels stay. Returns `false` if they already follow `to`, may not
/// follow it, or do not follow `from`.
pub fn move_to(
    db: &mut Db<'_>,
    user: UserId,
    from: FeedId,
    to: FeedId,
    now: Timestamp,
) -> StoreResult<bool> {
    // Always in the same order, so that two opposite moves do not deadlock.
    feeds::lock(db, from.min(to))?;
    feeds::lock(db, from.max(to))?;
    unread::lock_round(db, user)?;
    if db.execute(MOVE, params![to, user, from])? == 0 {
        return Ok(false);
    }
    db.execute(MOVE_RULES, params![to, user, from])?;
    remove_state(db, user, from, now)?;
    unread::recount_of_user(db, user)?;
    Ok(true)
}

/// Unsubscribes `user` from `feed` and removes their marks on its items, except stars and labels.
/// Returns `false` if they do not follow it. The feed and its items stay for other subscribers. Of a
/// private feed, only the saved items stay.
pub fn remove(db: &mut Db<'_>, user: UserId, feed: FeedId, now: Timestamp) -> StoreResult<bool> {
    feeds::lock(db, feed)?;
    if db.execute(REMOVE, params![user, feed])? == 0 {
        return Ok(false);
    }
    remove_state(db, user, feed, now)?;
    Ok(true)
}

/// Removes unread rows, marks and notifications of `user` in a feed that they no longer follow. Stars
/// and labels stay: the items with them remain in the user's lists.
fn remove_state(db: &mut Db<'_>, user: UserId, feed: FeedId, now: Timestamp) -> StoreResult<()> {
    unread::remove_of_feed(db, user, feed)?;
    db.execute(REMOVE_MARKS, params![user, feed])?;
    db.execute(REMOVE_NOTIFICATIONS, params![user, feed])?;
    feeds::park(db, feed)?;
    access::discard(db, user, feed, now)
}
