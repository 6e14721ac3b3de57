//! Private feeds: their owner and their encrypted credentials.
//!
//! Feed rows are shared by all subscribers of a URL. A feed that is fetched with credentials is
//! not: it has an owner (`owner_id`), no other user may follow it, and it is never merged with
//! another feed. A feed that once had an owner stays private until it is removed, even without
//! credentials, because its earlier items are still stored and a later subscriber would see them.
//! It is removed when its owner unsubscribes.

use lede_model::address::WebUrl;
use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::job::JobKind;
use lede_model::schedule::ScheduleReason;
use lede_model::time::Timestamp;

use crate::items::saved_by;
use crate::jobs::{self, NewJob};
use crate::{Db, StoreResult, feeds, items, messages, params, statements};

/// URL and credentials of a private feed.
#[derive(Debug, Clone)]
pub struct StoredCredentials {
    pub url: WebUrl,
    /// Encrypted credentials; `None` after they were discarded.
    pub sealed: Option<Vec<u8>>,
}

statements! {
    /// Clears the validators and the pending move, which were learned with other credentials or
    /// with none. Incrementing the lease token discards the result of a fetch in progress.
    SET_CREDENTIALS = "UPDATE feed SET owner_id = $1, access = $2, etag = NULL, last_modified = NULL, body_hash = NULL,
                moving_to = NULL, moving_since = NULL, lease_until = 0, lease_token = lease_token + 1
            WHERE id = $3 AND COALESCE(owner_id, $1) = $1 AND NOT polling
                AND NOT EXISTS (SELECT 1 FROM subscription s WHERE s.feed_id = $3 AND s.user_id <> $1)";
    FETCH_NOW = "UPDATE feed SET status = 'active', failures_in_a_row = 0, failing_since = NULL,
                      next_fetch_at = $1, next_fetch_why = $2
                  WHERE id = $3
                      AND EXISTS (SELECT 1 FROM subscription s WHERE s.feed_id = $3 AND s.paused_at IS NULL)";
    FIND = "SELECT url, access FROM feed WHERE owner_id = $1 AND id = $2";
    DISCARD = "UPDATE feed SET access = NULL WHERE owner_id = $1 AND id = $2";
    IS_UNFOLLOWED = "SELECT owner_id IS NOT NULL
                   AND NOT EXISTS (SELECT 1 FROM subscription s WHERE s.feed_id = $1)
               FROM feed WHERE id = $1";
    IS_PRIVATE = "SELECT owner_id IS NOT NULL FROM feed WHERE id = $1";
    UNSAVED_ITEMS = concat!("SELECT i.id FROM item i JOIN feed f ON f.id = i.feed_id
             WHERE i.feed_id = $1 AND NOT ", saved_by!("f.owner_id"), " ORDER BY i.sort_at, i.id LIMIT $2");
    REMOVE_EMPTY = "DELETE FROM feed WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM item WHERE feed_id = $1)";
}

/// Makes `feed` private to `user` and stores its encrypted credentials. Returns `false` and changes
/// nothing if another user follows or owns it.
pub fn set_credentials(
    db: &mut Db<'_>,
    user: UserId,
    feed: FeedId,
    sealed: Option<&[u8]>,
) -> StoreResult<bool> {
    feeds::lock(db, feed)?;
    Ok(db.execute(SET_CREDENTIALS, params![user, sealed, feed])? > 0)
}

/// Makes a feed due now and clears its failures, because its credentials changed.
pub fn fetch_now(db: &mut Db<'_>, feed: FeedId, now: Timestamp) -> StoreResult<()> {
    let why = messages::to_json(&ScheduleReason::NewAccess);
    db.execute(FETCH_NOW, params![now, &why, feed]).map(drop)
}

/// Returns URL and credentials of a private feed of `user`.
pub fn find(db: &mut Db<'_>, user: UserId, feed: FeedId) -> StoreResult<Option<StoredCredentials>> {
    db.find(FIND, params![user, feed], |row| {
        Ok(StoredCredentials {
            url: feeds::url_of(0, &row.get::<String>(0)?)?,
            sealed: row.get(1)?,
        })
    })
}

/// Returns `true` if `feed` is private.
pub(crate) fn is_private(db: &mut Db<'_>, feed: FeedId) -> StoreResult<bool> {
    db.one(IS_PRIVATE, params![feed], |row| row.get(0))
}

/// Discards the credentials of a feed that `user` no longer follows and enqueues its removal.
pub(crate) fn discard(
    db: &mut Db<'_>,
    user: UserId,
    feed: FeedId,
    now: Timestamp,
) -> StoreResult<()> {
    if db.execute(DISCARD, params![user, feed])? == 0 {
        return Ok(());
    }
    let job = NewJob::new(JobKind::Removal, feed.as_i64(), now);
    jobs::enqueue(db, &job, now)
}

/// Removes up to `limit` items of a private feed without subscribers, and the feed itself once it
/// has no items. Items that its owner saved stay, and the feed with them. Returns the number of removed items, and `false` when nothing is left to do.
pub fn remove_some(
    db: &mut Db<'_>,
    feed: FeedId,
    limit: i64,
    now: Timestamp,
) -> StoreResult<(bool, usize)> {
    feeds::lock(db, feed)?;
    let is_unfollowed: Option<bool> = db.find(IS_UNFOLLOWED, params![feed], |row| row.get(0))?;
    if is_unfollowed != Some(true) {
        // The feed is gone, or its owner follows it again.
        return Ok((false, 0));
    }
    let some: Vec<ItemId> = db.query(UNSAVED_ITEMS, params![feed, limit], |row| row.get(0))?;
    if some.is_empty() {
        db.execute(REMOVE_EMPTY, params![feed])?;
        return Ok((false, 0));
    }
    items::remove(db, &some, now)?;
    Ok((true, some.len()))
}
