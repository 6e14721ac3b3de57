//! Leases: which worker is fetching which feed.
//!
//! A worker claims due feeds in one statement and renews the leases of those it still works on. A
//! crashed worker needs no clean-up: its leases expire within one term. On SQLite, where one
//! process owns the file, they are released when the next process starts. Each acquisition
//! increments the token, and a result is written only under the token of its fetch, so that a
//! worker that was presumed dead cannot overwrite the result of its successor. We lease feeds, not
//! subscriptions, because one fetch serves every subscriber. Nothing here decides *when* a feed is
//! due: that is `model::schedule`.

use lede_model::address::WebUrl;
use lede_model::feed::Validators;
use lede_model::ids::FeedId;
use lede_model::schedule::{FailurePolicy, Failures, PublisherHints};
use lede_model::time::Timestamp;

use crate::batch::list;
use crate::engine::{Engine, Row, Value};
use crate::{Db, StoreError, StoreResult, params, statements};

/// A leased feed, with everything that a fetch needs to know.
#[derive(Debug, Clone)]
pub struct Lease {
    pub feed: FeedId,
    /// Token of this lease; a later lease invalidates it.
    pub token: i64,
    pub url: WebUrl,
    /// Validators for a conditional request.
    pub validators: Validators,
    /// SHA-256 of the last body.
    pub body_hash: Option<Vec<u8>>,
    /// Consecutive failures so far.
    pub failures: Failures,
    pub policy: FailurePolicy,
    /// Target of a permanent redirect, and when it was first seen.
    pub moving: Option<(WebUrl, Timestamp)>,
    /// Publisher hints of the last successful fetch.
    pub publisher_hints: PublisherHints,
    /// WebSub hub that the feed declares.
    pub hub_url: Option<WebUrl>,
    /// Subscribers who have not paused the feed.
    pub followers: i64,
    /// True if the feed is fetched even without subscribers.
    pub polling: bool,
    /// Shortest interval that a subscriber chose, in minutes; 0 lets Lede decide.
    pub interval_minutes: i64,
    /// Items of the last seven days.
    pub posts_last_week: i64,
    /// Encrypted credentials for the server.
    pub sealed_access: Option<Vec<u8>>,
}

statements! {
    /// Takes the lease from its holder, whose token becomes invalid.
    FORCE_LEASE = "UPDATE feed SET lease_until = $1, lease_token = lease_token + 1 WHERE id = $2 RETURNING id";
    /// True if no lease of a due feed is valid and a feed has been due since $1.
    ARE_STUCK = "SELECT EXISTS (SELECT 1 FROM feed f
                     WHERE f.next_fetch_at < $1 AND f.lease_until < $1 AND f.enabled
                         AND (f.polling OR EXISTS (SELECT 1 FROM subscription s
                                                   WHERE s.feed_id = f.id AND s.paused_at IS NULL)))
                 AND NOT EXISTS (SELECT 1 FROM feed f WHERE f.next_fetch_at <= $2 AND f.lease_until > $2)";
    RENEW = "UPDATE feed SET lease_until = $1 WHERE id = $2 AND lease_token = $3 AND lease_until > 0";
    RELEASE_ALL = "UPDATE feed SET lease_until = 0 WHERE lease_until > 0";
    RELEASE = "UPDATE feed SET lease_until = 0, next_fetch_at = $1 WHERE id = $2 AND lease_token = $3";
}

/// Only PostgreSQL has several writers, which must skip each other's rows.
fn claim_sql(engine: Engine) -> String {
    let lock = match engine {
        Engine::Sqlite => "",
        Engine::Postgres => "FOR UPDATE OF f SKIP LOCKED",
    };
    format!(
        "UPDATE feed SET lease_until = $1, lease_token = lease_token + 1
         WHERE id IN (
             SELECT f.id FROM feed f
             WHERE f.next_fetch_at <= $2 AND f.lease_until <= $2 AND f.enabled
                 AND (f.polling OR EXISTS (SELECT 1 FROM subscription s
                                           WHERE s.feed_id = f.id AND s.paused_at IS NULL))
             ORDER BY f.next_fetch_at, f.id LIMIT $3 {lock})
         RETURNING id"
    )
}

fn details_sql(feeds: usize) -> String {
    // $1 is a week ago; the ids of the feeds follow.
    let ids = list(2, feeds);
    format!(
        "SELECT f.id, f.lease_token, f.url, f.etag, f.last_modified, f.body_hash, f.failures_in_a_row,
                f.failing_since, f.failure_policy, f.moving_to, f.moving_since, f.polling,
                (SELECT COUNT(*) FROM subscription s WHERE s.feed_id = f.id AND s.paused_at IS NULL),
                (SELECT MIN(COALESCE(s.interval_minutes, 60)) FROM subscription s
                 WHERE s.feed_id = f.id AND s.paused_at IS NULL),
                (SELECT COUNT(*) FROM item i WHERE i.feed_id = f.id AND i.sort_at > $1),
                f.asked_minutes, f.skip_hours, f.skip_days, f.hub_url, f.access
         FROM feed f WHERE f.id IN ({ids}) ORDER BY f.next_fetch_at, f.id"
    )
}

/// Statements whose text depends on the engine or the number of rows, for the test of all
/// statements.
pub(crate) fn engine_statements(engine: Engine) -> [(&'static str, String); 2] {
    [("claim", claim_sql(engine)), ("details", details_sql(2))]
}

fn from_row(row: &Row<'_>) -> StoreResult<Lease> {
    let url = |column: usize, text: String| {
        WebUrl::parse(&text).map_err(|error| StoreError::Column {
            column,
            reason: error.to_string(),
        })
    };
    let moving_to = row
        .get::<Option<String>>(9)?
        .and_then(|text| WebUrl::parse(&text).ok());
    Ok(Lease {
        feed: row.get(0)?,
        token: row.get(1)?,
        url: url(2, row.get(2)?)?,
        validators: Validators {
            etag: row.get(3)?,
            last_modified: row.get(4)?,
        },
        body_hash: row.get(5)?,
        failures: Failures {
            in_a_row: row.get(6)?,
            since: row.get(7)?,
        },
        policy: FailurePolicy::from_word(&row.get::<String>(8)?).unwrap_or_default(),
        moving: moving_to.zip(row.get(10)?),
        polling: row.get(11)?,
        followers: row.get(12)?,
        interval_minutes: row
            .get::<Option<i64>>(13)?
            .unwrap_or(lede_model::schedule::DEFAULT_INTERVAL_MINUTES),
        posts_last_week: row.get(14)?,
        publisher_hints: PublisherHints::from_row(row.get(15)?, row.get(16)?, row.get(17)?),
        hub_url: row
            .get::<Option<String>>(18)?
            .and_then(|text| WebUrl::parse(&text).ok()),
        sealed_access: row.get(19)?,
    })
}

/// Claims up to `limit` due feeds: those never fetched first, then the longest overdue.
pub fn claim_due(
    db: &mut Db<'_>,
    now: Timestamp,
    until: Timestamp,
    limit: i64,
) -> StoreResult<Vec<Lease>> {
    let sql = claim_sql(db.engine());
    let ids: Vec<FeedId> = db.query_rows(&sql, params![until, now, limit], |row| row.get(0))?;
    details(db, &ids, now)
}

/// Claims one feed now, even if another worker holds it.
pub fn force_lease(
    db: &mut Db<'_>,
    feed: FeedId,
    now: Timestamp,
    until: Timestamp,
) -> StoreResult<Option<Lease>> {
    let ids: Vec<FeedId> = db.query(FORCE_LEASE, params![until, feed], |row| row.get(0))?;
    Ok(details(db, &ids, now)?.pop())
}

fn details(db: &mut Db<'_>, ids: &[FeedId], now: Timestamp) -> StoreResult<Vec<Lease>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let week_ago = now - std::time::Duration::from_secs(7 * 24 * 3600);
    let mut values: Vec<Value<'_>> = vec![week_ago.into()];
    values.extend(ids.iter().map(|id| Value::from(*id)));
    db.query_rows(&details_sql(ids.len()), &values, from_row)
}

/// Extends a lease to `until`. Returns `false` if it was taken over or its feed is gone.
pub fn renew(db: &mut Db<'_>, feed: FeedId, token: i64, until: Timestamp) -> StoreResult<bool> {
    Ok(db.execute(RENEW, params![until, feed, token])? > 0)
}

/// Releases every lease and returns their number. Only for a store that no other process uses. The
/// feeds that a crashed process held are due again at once.
pub fn release_all(db: &mut Db<'_>) -> StoreResult<u64> {
    db.execute(RELEASE_ALL, params![])
}

/// Releases a feed without a result and schedules it for `next`.
pub fn release(db: &mut Db<'_>, lease: &Lease, next: Timestamp) -> StoreResult<()> {
    db.execute(RELEASE, params![next, lease.feed, lease.token])
        .map(drop)
}

/// Returns `true` if a feed has been due since `since`, or was started before and never ended,
/// while no worker holds another.
pub fn are_stuck(db: &mut Db<'_>, since: Timestamp, now: Timestamp) -> StoreResult<bool> {
    db.one(ARE_STUCK, params![since, now], |row| row.get(0))
}
