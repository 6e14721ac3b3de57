//! Feeds that are one person's: who keeps them, and what their servers are shown, sealed.
//!
//! Rows of feeds are shared by everybody who follows an address. What a password opens is not: such a feed
//! has a keeper, nobody else may follow it, and it is never merged with another. A feed that once had a
//! keeper stays that person's until it is removed, also without its password: the items of before are
//! still there, and a later follower would see them. It is removed when its keeper follows it no longer.

use lede_model::address::WebUrl;
use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::job::JobKind;
use lede_model::schedule::Why;
use lede_model::time::Timestamp;

use crate::jobs::{self, NewJob};
use crate::{Db, StoreResult, feeds, items, params, statements};

/// What is kept for a feed.
#[derive(Debug, Clone)]
pub struct Kept {
    /// Where the feed is.
    pub url: WebUrl,
    /// What is shown there, sealed; nothing when that was forgotten.
    pub sealed: Option<Vec<u8>>,
}

statements! {
    /// What the server said of what it showed to others, or to the same person before, no longer counts; nor
    /// does what a fetch brings that is under way.
    KEEP = "UPDATE feed SET keeper_id = $1, access = $2, etag = NULL, last_modified = NULL, body_hash = NULL,
                moving_to = NULL, moving_since = NULL, lease_until = 0, lease_token = lease_token + 1
            WHERE id = $3 AND COALESCE(keeper_id, $1) = $1 AND NOT polling
                AND NOT EXISTS (SELECT 1 FROM subscription s WHERE s.feed_id = $3 AND s.user_id <> $1)";
    FETCH_ANEW = "UPDATE feed SET status = 'active', failures_in_a_row = 0, failing_since = NULL,
                      next_fetch_at = $1, next_fetch_why = $2
                  WHERE id = $3
                      AND EXISTS (SELECT 1 FROM subscription s WHERE s.feed_id = $3 AND s.paused_at IS NULL)";
    FIND = "SELECT url, access FROM feed WHERE keeper_id = $1 AND id = $2";
    LET_GO = "UPDATE feed SET access = NULL WHERE keeper_id = $1 AND id = $2";
    IS_LEFT = "SELECT keeper_id IS NOT NULL
                   AND NOT EXISTS (SELECT 1 FROM subscription s WHERE s.feed_id = $1)
               FROM feed WHERE id = $1";
    IS_KEPT = "SELECT keeper_id IS NOT NULL FROM feed WHERE id = $1";
    ITEMS = "SELECT id FROM item WHERE feed_id = $1 ORDER BY sort_at, id LIMIT $2";
    REMOVE = "DELETE FROM feed WHERE id = $1";
}

/// Makes `feed` one of `user` alone, with what is shown to its server; `false`, and nothing changes, when
/// somebody else follows it or keeps it.
pub fn keep(
    db: &mut Db<'_>,
    user: UserId,
    feed: FeedId,
    sealed: Option<&[u8]>,
) -> StoreResult<bool> {
    feeds::lock(db, feed)?;
    Ok(db.execute(KEEP, params![user, sealed, feed])? > 0)
}

/// Has a feed fetched soon as if it had never failed, because its server is shown something else.
pub fn fetch_anew(db: &mut Db<'_>, feed: FeedId, now: Timestamp) -> StoreResult<()> {
    let why = Why::NewAccess.to_string();
    db.execute(FETCH_ANEW, params![now, &why, feed]).map(drop)
}

/// What is kept for a feed of `user`.
pub fn find(db: &mut Db<'_>, user: UserId, feed: FeedId) -> StoreResult<Option<Kept>> {
    db.find(FIND, params![user, feed], |row| {
        Ok(Kept {
            url: feeds::url_of(0, &row.get::<String>(0)?)?,
            sealed: row.get(1)?,
        })
    })
}

/// Whether `feed` is somebody's alone.
pub(crate) fn is_kept(db: &mut Db<'_>, feed: FeedId) -> StoreResult<bool> {
    db.one(IS_KEPT, params![feed], |row| row.get(0))
}

/// Forgets what is kept for a feed that `user` no longer follows, and has the feed removed soon.
pub(crate) fn let_go(
    db: &mut Db<'_>,
    user: UserId,
    feed: FeedId,
    now: Timestamp,
) -> StoreResult<()> {
    if db.execute(LET_GO, params![user, feed])? == 0 {
        return Ok(());
    }
    let job = NewJob::new(JobKind::Removal, feed.as_i64(), now);
    jobs::enqueue(db, &job, now)
}

/// Removes up to `limit` items of a feed that its keeper no longer follows, and the feed itself after the
/// last; gives how many went, and `false` when nothing is left to do.
pub fn remove_some(
    db: &mut Db<'_>,
    feed: FeedId,
    limit: i64,
    now: Timestamp,
) -> StoreResult<(bool, usize)> {
    feeds::lock(db, feed)?;
    let is_left: Option<bool> = db.find(IS_LEFT, params![feed], |row| row.get(0))?;
    if is_left != Some(true) {
        // Gone, or its keeper follows it again.
        return Ok((false, 0));
    }
    let some: Vec<ItemId> = db.query(ITEMS, params![feed, limit], |row| row.get(0))?;
    if some.is_empty() {
        db.execute(REMOVE, params![feed])?;
        return Ok((false, 0));
    }
    items::remove(db, &some, now)?;
    Ok((true, some.len()))
}
