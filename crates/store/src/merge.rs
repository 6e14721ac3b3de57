//! Merging of two feeds that turned out to be one.
//!
//! No user loses anything. Items that only the vanishing feed has move with their marks, labels and
//! notifications. Of items that both have, the one of the kept feed stays and takes over those of
//! the other.
//! An item counts as read if it was read in either feed, and as hidden if a rule hid it in either.
//! A worker with a lease on the vanished feed finds its token invalid, because the row is gone.

use lede_model::feed::Feed;
use lede_model::ids::FeedId;
use lede_model::mark::MarkKind;
use lede_model::schedule::ScheduleReason;
use lede_model::time::Timestamp;

use crate::marks::mark_kind;
use crate::{
    Db, StoreResult, access, feeds, item_counts, messages, params, pending_marks, statements,
    unread,
};

/// Starts a statement about the items that both feeds have; `$1` is the vanishing feed and `$2` the
/// kept one. Items match by identity key. They match by URL only if the URL occurs once in each
/// feed, because live blogs use one URL for many items, and only if neither item matches another
/// one by key.
macro_rules! of_pairs {
    ($statement:expr) => {
        concat!(
            "WITH by_url AS (
                 SELECT MIN(gone.id) AS gone_id, MIN(kept.id) AS kept_id
                 FROM item gone
                 JOIN item kept ON gone.feed_id = $1 AND kept.feed_id = $2 AND kept.url_key = gone.url_key
                 GROUP BY gone.url_key HAVING COUNT(*) = 1),
             pair AS (
                 SELECT gone.id AS gone_id, kept.id AS kept_id, kept.sort_at
                 FROM item gone
                 JOIN item kept ON kept.feed_id = $2 AND kept.identity_key = gone.identity_key
                 WHERE gone.feed_id = $1
                 UNION ALL
                 SELECT gone.id, kept.id, kept.sort_at
                 FROM by_url
                 JOIN item gone ON gone.id = by_url.gone_id
                 JOIN item kept ON kept.id = by_url.kept_id
                 WHERE NOT EXISTS (SELECT 1 FROM item same
                                   WHERE same.feed_id = $2 AND same.identity_key = gone.identity_key)
                     AND NOT EXISTS (SELECT 1 FROM item same
                                     WHERE same.feed_id = $1 AND same.identity_key = kept.identity_key)) ",
            $statement
        )
    };
}

statements! {
    /// An item that a user imported into the kept feed stays separate from the other feed's own
    /// item with the same key.
    KEEP_IMPORTS_APART = "UPDATE item SET identity_key = identity_key || ' of user ' || owner_id
                          WHERE EXISTS (SELECT 1 FROM item gone WHERE gone.feed_id = $1
                                            AND gone.identity_key = item.identity_key)
                              AND feed_id = $2 AND owner_id IS NOT NULL";
    MARKS = of_pairs!(
        concat!("INSERT INTO mark (user_id, kind, sort_at, item_id, at)
         SELECT m.user_id, m.kind, pair.sort_at, pair.kept_id, m.at
         FROM pair JOIN mark m ON m.item_id = pair.gone_id JOIN item gone ON gone.id = pair.gone_id
         WHERE NOT (m.kind = ", mark_kind!(hidden), " AND gone.owner_id IS NOT NULL)
         ON CONFLICT DO NOTHING")
    );
    LABELS = of_pairs!(
        "INSERT INTO item_label (label_id, sort_at, item_id, user_id, at)
         SELECT l.label_id, pair.sort_at, pair.kept_id, l.user_id, l.at
         FROM pair JOIN item_label l ON l.item_id = pair.gone_id
         WHERE TRUE
         ON CONFLICT DO NOTHING"
    );
    /// Delivered and read as they were, so that no user is notified again.
    NOTIFICATIONS = of_pairs!(
        "INSERT INTO notification (user_id, channel, item_id, rule_id, item_was_unread, state, attempts, created_at,
                                   delivered_at, read_at)
         SELECT n.user_id, n.channel, pair.kept_id, n.rule_id, n.item_was_unread, n.state, n.attempts, n.created_at,
                n.delivered_at, n.read_at
         FROM pair JOIN notification n ON n.item_id = pair.gone_id
         WHERE TRUE
         ORDER BY n.id
         ON CONFLICT DO NOTHING"
    );
    UNREAD = of_pairs!(
        "INSERT INTO unread (user_id, round, feed_id, sort_at, item_id)
         SELECT u.user_id, u.round, $2, pair.sort_at, pair.kept_id
         FROM pair JOIN unread u ON u.item_id = pair.gone_id
         WHERE TRUE
         ON CONFLICT DO NOTHING"
    );
    READ_IN_EITHER = "DELETE FROM unread WHERE feed_id = $1
                          AND EXISTS (SELECT 1 FROM mark m WHERE m.item_id = unread.item_id
                                          AND m.user_id = unread.user_id AND m.kind IN ($2, $3))";
    REMOVE_TWINS = of_pairs!("DELETE FROM item WHERE id IN (SELECT gone_id FROM pair)");
    /// Items that arrived since the kept feed was last fetched are new to its subscribers.
    NEW_TO_OTHERS = "INSERT INTO unread (user_id, round, feed_id, sort_at, item_id)
                     SELECT s.user_id, a.round, i.feed_id, i.sort_at, i.id
                     FROM item i
                     JOIN feed kept ON i.feed_id = $1 AND kept.id = $2
                     JOIN subscription s ON s.feed_id = kept.id
                     JOIN account a ON a.id = s.user_id
                     WHERE i.first_seen_at > COALESCE(kept.last_fetched_at, 0) AND s.paused_at IS NULL
                         AND i.owner_id IS NULL
                         AND NOT EXISTS (SELECT 1 FROM subscription own
                                         WHERE own.user_id = s.user_id AND own.feed_id = i.feed_id)
                     ON CONFLICT DO NOTHING";
    // Items before their unread rows: on PostgreSQL this waits for concurrent transactions that
    // mark one of them, and the next statement sees their changes.
    MOVE_ITEMS = "UPDATE item SET feed_id = $1 WHERE feed_id = $2";
    MOVE_UNREAD = "UPDATE unread SET feed_id = $1 WHERE feed_id = $2";
    /// A tombstone must never coexist with its item, which would then no longer be updated.
    MOVE_TOMBSTONES = "INSERT INTO tombstone (feed_id, identity_key, url_key, removed_at)
                       SELECT $1, t.identity_key, t.url_key, t.removed_at FROM tombstone t
                       WHERE t.feed_id = $2
                       ON CONFLICT DO NOTHING";
    REVIVE_STOPPED = "DELETE FROM tombstone WHERE feed_id = $1
                      AND EXISTS (SELECT 1 FROM item i WHERE i.feed_id = $1
                                      AND i.identity_key = tombstone.identity_key)";
    /// An item that a user imported into either feed is hidden from the subscribers of the other,
    /// too.
    HIDE_IMPORTS = concat!("INSERT INTO mark (user_id, kind, sort_at, item_id, at)
                    SELECT s.user_id, ", mark_kind!(hidden), ", i.sort_at, i.id, i.first_seen_at
                    FROM item i JOIN subscription s ON s.feed_id = i.feed_id AND s.user_id <> i.owner_id
                    WHERE i.feed_id = $1 AND i.owner_id IS NOT NULL
                    ON CONFLICT DO NOTHING");
    MOVE_ICON = "UPDATE icon SET feed_id = $1
                 WHERE feed_id = $2 AND NOT EXISTS (SELECT 1 FROM icon own WHERE own.feed_id = $1)";
    /// Combines the settings of users who follow both. The position comes with the category.
    /// Notifications stay on if either had them on, and the feed stays active if either was.
    KEEP_CHOICES = "UPDATE subscription SET
                        title = COALESCE(subscription.title, other.title),
                        interval_minutes = COALESCE(subscription.interval_minutes, other.interval_minutes),
                        category_id = COALESCE(subscription.category_id, other.category_id),
                        position = CASE WHEN subscription.category_id IS NULL AND other.category_id IS NOT NULL
                                        THEN other.position ELSE subscription.position END,
                        notify = subscription.notify OR other.notify,
                        paused_at = CASE WHEN other.paused_at IS NULL THEN NULL ELSE subscription.paused_at END
                    FROM subscription other
                    WHERE other.feed_id = $1 AND other.user_id = subscription.user_id
                        AND subscription.feed_id = $2";
    REMOVE_DOUBLES = "DELETE FROM subscription WHERE feed_id = $1
                          AND user_id IN (SELECT own.user_id FROM subscription own WHERE own.feed_id = $2)";
    MOVE_SUBSCRIPTIONS = "UPDATE subscription SET feed_id = $1 WHERE feed_id = $2";
    MOVE_RULES = "UPDATE rule SET feed_id = $1 WHERE feed_id = $2";
    /// The feed was just fetched successfully, though under the other URL: a stopped feed resumes,
    /// and one without subscribers is scheduled.
    REVIVE = "UPDATE feed SET
                  polling = polling OR (SELECT gone.polling FROM feed gone WHERE gone.id = $1),
                  shares_keys = shares_keys OR (SELECT gone.shares_keys FROM feed gone WHERE gone.id = $1),
                  previous_url = COALESCE(previous_url, (SELECT gone.url FROM feed gone WHERE gone.id = $1)),
                  failures_in_a_row = CASE WHEN status = 'stopped' THEN 0 ELSE failures_in_a_row END,
                  failing_since = CASE WHEN status = 'stopped' THEN NULL ELSE failing_since END,
                  status = CASE WHEN status = 'stopped' THEN 'active' ELSE status END,
                  next_fetch_why = CASE WHEN next_fetch_at IS NULL THEN $2 ELSE next_fetch_why END,
                  next_fetch_at = COALESCE(next_fetch_at, $3)
              WHERE id = $4";
    REMOVE_FEED = "DELETE FROM feed WHERE id = $1";
}

/// Moves everything of `gone` to `kept` and removes `gone`. Call it in the transaction that checked
/// the lease of `gone`. Returns `false` and does nothing if the operator disabled `kept`, whose new
/// subscribers would then receive nothing, or if either feed is private.
pub fn merge(db: &mut Db<'_>, gone: FeedId, kept: &Feed, now: Timestamp) -> StoreResult<bool> {
    let into = kept.id;
    feeds::lock_all(db, &[gone, into])?;
    let is_private = access::is_private(db, gone)? || access::is_private(db, into)?;
    if gone == into || is_private || !feeds::is_enabled(db, into)? {
        return Ok(false);
    }
    unread::lock_of_feeds(db, &[gone, into])?;
    db.execute(KEEP_IMPORTS_APART, params![gone, into])?;
    db.execute(MARKS, params![gone, into])?;
    db.execute(LABELS, params![gone, into])?;
    db.execute(NOTIFICATIONS, params![gone, into])?;
    db.execute(UNREAD, params![gone, into])?;
    db.execute(
        READ_IN_EITHER,
        params![into, MarkKind::Read, MarkKind::Hidden],
    )?;
    db.execute(REMOVE_TWINS, params![gone, into])?;
    db.execute(NEW_TO_OTHERS, params![gone, into])?;
    db.execute(MOVE_ITEMS, params![into, gone])?;
    db.execute(MOVE_UNREAD, params![into, gone])?;
    db.execute(MOVE_TOMBSTONES, params![into, gone])?;
    db.execute(REVIVE_STOPPED, params![into])?;
    db.execute(MOVE_ICON, params![into, gone])?;
    db.execute(KEEP_CHOICES, params![gone, into])?;
    pending_marks::merge(db, gone, into)?;
    db.execute(REMOVE_DOUBLES, params![gone, into])?;
    db.execute(MOVE_SUBSCRIPTIONS, params![into, gone])?;
    db.execute(HIDE_IMPORTS, params![into])?;
    // Rows changed in so many ways above that a recount is simplest.
    unread::recount_of_feed(db, into)?;
    item_counts::recount(db, into)?;
    db.execute(MOVE_RULES, params![into, gone])?;
    let why = messages::to_json(&ScheduleReason::MovedHere);
    db.execute(REVIVE, params![gone, &why, now, into])?;
    db.execute(REMOVE_FEED, params![gone])?;
    tracing::info!(
        feed.id = gone.as_i64(),
        into = into.as_i64(),
        "a feed moved to the address of another and was merged into it"
    );
    Ok(true)
}
