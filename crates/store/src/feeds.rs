//! Feeds: one row per URL, shared by all subscribers unless it is private (see `access`).

use lede_model::address::WebUrl;
use lede_model::feed::{Feed, FeedStatus, NewFeed, Validators};
use lede_model::feed_error::FeedError;
use lede_model::identity::IdReliability;
use lede_model::ids::{CategoryId, FeedId, UserId};
use lede_model::schedule::{
    FailureKind, FailurePolicy, PublisherHints, REFRESH_PAUSE, ScheduleReason,
};
use lede_model::time::Timestamp;

use crate::batch::list;
use crate::engine::{Engine, Row, Sql, Value};
use crate::lists::in_category;
use crate::signals::Signal;
use crate::{Db, StoreError, StoreResult, messages, params, statements};

statements! {
    FIND_BY_URL = "SELECT id, url, site_url, title, status, owner_id FROM feed WHERE url = $1";
    ADD = "INSERT INTO feed (url, site_url, title, root_domain, status, failure_policy, created_at)
           VALUES ($1, $2, $3, $4, 'active', $5, $6)
           ON CONFLICT (url) DO NOTHING
           RETURNING id, url, site_url, title, status, owner_id";
    RECORD_SUCCESS = "UPDATE feed SET status = 'active', last_fetch_status = 'success', last_error = NULL,
                          failures_in_a_row = 0, failing_since = NULL, lease_until = 0,
                          etag = $1, last_modified = $2, body_hash = $3, last_fetched_at = $4,
                          next_fetch_at = $5, next_fetch_why = $6, moving_to = $7, moving_since = $8,
                          asked_minutes = $9, skip_hours = $10, skip_days = $11, hub_url = $12
                      WHERE id = $13 AND lease_token = $14";
    RECORD_FAILURE = "UPDATE feed SET status = $1, last_fetch_status = $2, last_error = $3,
                          failures_in_a_row = failures_in_a_row + 1,
                          failing_since = COALESCE(failing_since, $4), lease_until = 0,
                          last_fetched_at = $4, next_fetch_at = $5, next_fetch_why = $6
                      WHERE id = $7 AND lease_token = $8";
    RENAME = "UPDATE feed SET title = $1, site_url = $2 WHERE id = $3 AND (title <> $1 OR COALESCE(site_url, '') <> COALESCE($2, ''))";
    ADOPT = "UPDATE feed SET url = $1, root_domain = $2, previous_url = url, moving_to = NULL, moving_since = NULL
             WHERE id = $3 AND NOT EXISTS (SELECT 1 FROM feed other WHERE other.url = $1)";
    IS_ENABLED = "SELECT enabled FROM feed WHERE id = $1";
    ID_RELIABILITY = "SELECT guids_unreliable, guid_collisions, allow_duplicate_urls, shares_keys FROM feed WHERE id = $1";
    SET_TRUST = "UPDATE feed SET guids_unreliable = $1, guid_collisions = $2, shares_keys = $3 WHERE id = $4";
    FETCH_SOON = "UPDATE feed SET next_fetch_at = $1, next_fetch_why = $2
                  WHERE id = $3 AND status <> 'stopped' AND COALESCE(next_fetch_at, $1) >= $1";
    TRY_ONCE = "UPDATE feed SET next_fetch_at = $1, next_fetch_why = $2
                WHERE id = $3 AND status = 'stopped'
                    AND EXISTS (SELECT 1 FROM subscription s WHERE s.feed_id = $3 AND s.paused_at IS NULL)";
    PARK = "UPDATE feed SET next_fetch_at = NULL, next_fetch_why = $1
            WHERE id = $2 AND next_fetch_at IS NOT NULL AND NOT polling
                AND NOT EXISTS (SELECT 1 FROM subscription s WHERE s.feed_id = $2 AND s.paused_at IS NULL)";
    RESCHEDULE_LATE = "UPDATE feed SET next_fetch_at = $1, next_fetch_why = $2
                     WHERE next_fetch_at > $1";
    RESET_FAILURES = "UPDATE feed SET failures_in_a_row = 0, failing_since = NULL, status = 'active'
                      WHERE id = $1";
}

/// PostgreSQL only (see [`Db::lock`]).
const LOCK: Sql = Sql::new("SELECT id FROM feed WHERE id = $1 FOR NO KEY UPDATE");

/// Parses the URL stored in `column`; the number is for the error.
pub(crate) fn url_of(column: usize, text: &str) -> StoreResult<WebUrl> {
    WebUrl::parse(text).map_err(|error| StoreError::Column {
        column,
        reason: error.to_string(),
    })
}

/// Reads a feed from six columns starting at `first`: id, url, site_url, title, status, owner_id.
pub(crate) fn from_row(row: &Row<'_>, first: usize) -> StoreResult<Feed> {
    Ok(Feed {
        id: row.get(first)?,
        url: url_of(first + 1, &row.get::<String>(first + 1)?)?,
        site_url: row
            .get::<Option<String>>(first + 2)?
            .map(|text| url_of(first + 2, &text))
            .transpose()?,
        title: row.get(first + 3)?,
        status: FeedStatus::from_word(&row.get::<String>(first + 4)?),
        owner: row.get(first + 5)?,
    })
}

/// Finds the feed that is fetched from `url`.
pub fn find_by_url(db: &mut Db<'_>, url: &WebUrl) -> StoreResult<Option<Feed>> {
    db.find(FIND_BY_URL, params![url.as_str()], |row| from_row(row, 0))
}

/// Adds a feed, or returns the existing one if it was added concurrently.
pub fn add(
    db: &mut Db<'_>,
    feed: &NewFeed,
    policy: FailurePolicy,
    now: Timestamp,
) -> StoreResult<Feed> {
    let site_url = feed.site_url.as_ref().map(WebUrl::as_str);
    let added = db.find(
        ADD,
        params![
            feed.url.as_str(),
            site_url,
            &feed.title,
            feed.url.root_domain(),
            policy.as_str(),
            now
        ],
        |row| from_row(row, 0),
    )?;
    match added {
        Some(feed) => Ok(feed),
        None => find_by_url(db, &feed.url)?.ok_or(StoreError::Missing),
    }
}

/// Locks `feed` against new subscribers and ingest until the transaction ends. Without the lock, a
/// concurrent ingest would miss the new subscriber and the subscription would miss the new item,
/// which would then never be unread for that user.
pub(crate) fn lock(db: &mut Db<'_>, feed: FeedId) -> StoreResult<()> {
    db.lock(LOCK, params![feed])
}

/// Locks several feeds, always in the same order to avoid deadlocks.
pub(crate) fn lock_all(db: &mut Db<'_>, feeds: &[FeedId]) -> StoreResult<()> {
    if feeds.is_empty() || db.engine() == Engine::Sqlite {
        return Ok(());
    }
    let values: Vec<Value<'_>> = feeds.iter().map(|feed| Value::from(*feed)).collect();
    db.execute_rows(&lock_all_sql(feeds.len()), &values)
}

fn lock_all_sql(feeds: usize) -> String {
    format!(
        "SELECT id FROM feed WHERE id IN ({}) ORDER BY id FOR NO KEY UPDATE",
        list(1, feeds)
    )
}

/// Statements whose text depends on the engine or the number of rows, for the test of all
/// statements.
pub(crate) fn engine_statements(engine: Engine) -> Vec<(&'static str, String)> {
    let mut statements = vec![
        ("wake", wake_sql(2)),
        ("schedule_now", schedule_now_sql(engine)),
    ];
    if engine == Engine::Postgres {
        statements.push(("lock_feeds", lock_all_sql(2)));
    }
    statements
}

/// Result of a successful fetch.
#[derive(Debug, Clone)]
pub struct Success {
    /// `ETag` and `Last-Modified` for the next conditional request.
    pub validators: Validators,
    /// SHA-256 of the last body received; unchanged by a response without a body.
    pub body_hash: Option<Vec<u8>>,
    /// A permanent redirect that is not trusted yet, and when it was first seen.
    pub moving: Option<(WebUrl, Timestamp)>,
    /// Publisher hints for the schedule; unchanged by a response without a body.
    pub publisher_hints: PublisherHints,
    /// WebSub hub that the feed declares.
    pub hub_url: Option<WebUrl>,
    /// `None` when the feed has no active subscribers.
    pub next_fetch_at: Option<Timestamp>,
    /// Reason for `next_fetch_at`.
    pub why: ScheduleReason,
}

/// Records a successful fetch. Returns `false` if the lease `token` is no longer valid; the caller
/// must then write nothing else of that fetch.
pub fn record_success(
    db: &mut Db<'_>,
    feed: FeedId,
    token: i64,
    success: &Success,
    fetched_at: Timestamp,
) -> StoreResult<bool> {
    let why = messages::to_json(&success.why);
    let moving_to = success.moving.as_ref().map(|(url, _)| url.as_str());
    let values = params![
        success.validators.etag.as_deref(),
        success.validators.last_modified.as_deref(),
        success.body_hash.as_deref(),
        fetched_at,
        success.next_fetch_at,
        &why,
        moving_to,
        success.moving.as_ref().map(|(_, since)| *since),
        success.publisher_hints.minutes(),
        success.publisher_hints.hour_bits(),
        success.publisher_hints.day_bits(),
        success.hub_url.as_ref().map(WebUrl::as_str),
        feed,
        token,
    ];
    Ok(db.execute(RECORD_SUCCESS, values)? > 0)
}

/// Result of a failed fetch.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Either failing, with a retry planned, or stopped.
    pub status: FeedStatus,
    /// Kind of the failure, as stored in `last_fetch_status`.
    pub fetch_status: &'static str,
    pub error: FeedError,
    /// `None` when the feed is stopped.
    pub next_fetch_at: Option<Timestamp>,
    /// Reason for `next_fetch_at`, or for its absence.
    pub why: ScheduleReason,
}

/// Records a failed fetch. Returns `false` if the lease `token` is no longer valid.
pub fn record_failure(
    db: &mut Db<'_>,
    feed: FeedId,
    token: i64,
    failure: &Failure,
    failed_at: Timestamp,
) -> StoreResult<bool> {
    let (error, why) = (
        messages::to_json(&failure.error),
        messages::to_json(&failure.why),
    );
    let values = params![
        failure.status.as_str(),
        failure.fetch_status,
        &error,
        failed_at,
        failure.next_fetch_at,
        &why,
        feed,
        token,
    ];
    Ok(db.execute(RECORD_FAILURE, values)? > 0)
}

/// Updates the publisher's title and site of the feed.
pub fn rename(
    db: &mut Db<'_>,
    feed: FeedId,
    title: &str,
    site_url: Option<&WebUrl>,
) -> StoreResult<()> {
    db.execute(RENAME, params![title, site_url.map(WebUrl::as_str), feed])
        .map(drop)
}

/// Makes `url` the feed's URL and stores the previous one. Returns `false` if another feed has it.
pub fn adopt_url(db: &mut Db<'_>, feed: FeedId, url: &WebUrl) -> StoreResult<bool> {
    let values = params![url.as_str(), url.root_domain(), feed];
    Ok(db.execute(ADOPT, values)? > 0)
}

/// Returns `false` if the operator disabled fetching of the feed.
pub(crate) fn is_enabled(db: &mut Db<'_>, feed: FeedId) -> StoreResult<bool> {
    db.one(IS_ENABLED, params![feed], |row| row.get(0))
}

/// Clears a feed's failures.
pub fn reset_failures(db: &mut Db<'_>, feed: FeedId) -> StoreResult<()> {
    db.execute(RESET_FAILURES, params![feed]).map(drop)
}

/// Schedules feeds that had no subscribers or were never fetched, because they have one now. Feeds
/// without an active subscription are skipped.
pub(crate) fn wake_all(db: &mut Db<'_>, feeds: &[FeedId], now: Timestamp) -> StoreResult<()> {
    if feeds.is_empty() {
        return Ok(());
    }
    let (new, again) = (
        messages::to_json(&ScheduleReason::New),
        messages::to_json(&ScheduleReason::FollowedAgain),
    );
    let mut values = params![now, &new, &again].to_vec();
    values.extend(feeds.iter().map(|feed| Value::from(*feed)));
    db.execute_rows(&wake_sql(feeds.len()), &values)
}

fn wake_sql(feeds: usize) -> String {
    format!(
        "UPDATE feed SET next_fetch_at = $1,
             next_fetch_why = CASE WHEN last_fetched_at IS NULL THEN $2 ELSE $3 END
         WHERE id IN ({}) AND next_fetch_at IS NULL AND status <> 'stopped'
             AND EXISTS (SELECT 1 FROM subscription s WHERE s.feed_id = feed.id AND s.paused_at IS NULL)",
        list(4, feeds)
    )
}

/// Makes a stopped feed due now. Its failures stay, so that it is stopped again if it fails once more.
pub(crate) fn try_once(db: &mut Db<'_>, feed: FeedId, now: Timestamp) -> StoreResult<()> {
    let why = messages::to_json(&ScheduleReason::FollowedAgain);
    db.execute(TRY_ONCE, params![now, &why, feed]).map(drop)
}

/// Makes a feed due now at the latest, because a user resumed it.
pub(crate) fn fetch_soon(db: &mut Db<'_>, feed: FeedId, now: Timestamp) -> StoreResult<()> {
    let why = messages::to_json(&ScheduleReason::FollowedAgain);
    db.execute(FETCH_SOON, params![now, &why, feed]).map(drop)
}

/// Makes the feeds of `user` due now: all, or those in `category` and below. Returns the number of
/// feeds.
///
/// Skips feeds that are paused, stopped, disabled or leased, that were fetched a moment ago or
/// whose server requested a delay. Failing feeds are included only if the failure cannot lead to
/// stopping them: each failed fetch counts, and refreshing often must not stop a feed.
pub fn schedule_now(
    db: &mut Db<'_>,
    user: UserId,
    category: Option<CategoryId>,
    now: Timestamp,
) -> StoreResult<usize> {
    let asked = messages::to_json(&ScheduleReason::Asked);
    let [server_asks, server_said, fewer] =
        ScheduleReason::OF_SERVER.map(|why| messages::to_json(&why));
    let values = params![
        now,
        &asked,
        now - REFRESH_PAUSE,
        &server_asks,
        &server_said,
        &fewer,
        FailurePolicy::Patient.as_str(),
        FailureKind::Temporary.status_word(),
        user,
        category,
    ];
    let sql = schedule_now_sql(db.engine());
    let due: Vec<FeedId> = db.query_rows(&sql, values, |row| row.get(0))?;
    if !due.is_empty() {
        db.signal(Signal::Feeds);
    }
    Ok(due.len())
}

/// PostgreSQL has several writers. Rows that another one has locked are being worked on and are
/// skipped.
fn schedule_now_sql(engine: Engine) -> String {
    let lock = match engine {
        Engine::Sqlite => "",
        Engine::Postgres => "ORDER BY f.id FOR NO KEY UPDATE OF f SKIP LOCKED",
    };
    format!(
        concat!(
            "UPDATE feed SET next_fetch_at = CASE WHEN next_fetch_at < $1 THEN next_fetch_at ELSE $1 END,
                 next_fetch_why = $2
             WHERE id IN (
                 SELECT f.id FROM subscription s JOIN feed f ON f.id = s.feed_id
                 WHERE f.enabled AND f.status <> 'stopped' AND f.lease_until <= $1
                     AND COALESCE(f.last_fetched_at, $3) <= $3
                     AND (f.next_fetch_at <= $1 OR COALESCE(f.next_fetch_why, '') NOT IN ($4, $5, $6))
                     AND (f.failing_since IS NULL OR (f.failure_policy = $7 AND f.last_fetch_status = $8))
                     AND s.user_id = $9 AND s.paused_at IS NULL
                     AND (CAST($10 AS BIGINT) IS NULL OR ",
            in_category!("$10"),
            ") {lock})
             RETURNING id"
        ),
        lock = lock
    )
}

/// Unschedules a feed without active subscriptions.
pub(crate) fn park(db: &mut Db<'_>, feed: FeedId) -> StoreResult<()> {
    let why = messages::to_json(&ScheduleReason::NobodyFollows);
    db.execute(PARK, params![&why, feed]).map(drop)
}

/// Moves the next fetch of every feed to `latest` at the latest. Returns the number of feeds
/// changed.
pub fn reschedule_late(db: &mut Db<'_>, latest: Timestamp) -> StoreResult<u64> {
    let why = messages::to_json(&ScheduleReason::NewPlan);
    db.execute(RESCHEDULE_LATE, params![latest, &why])
}

/// Returns the reliability of the feed's ids and URLs.
pub(crate) fn id_reliability(db: &mut Db<'_>, feed: FeedId) -> StoreResult<IdReliability> {
    db.one(ID_RELIABILITY, params![feed], |row| {
        Ok(IdReliability {
            guids: !row.get::<bool>(0)?,
            collisions: row.get(1)?,
            urls: !row.get::<bool>(2)?,
            shares_keys: row.get(3)?,
        })
    })
}

/// Stores what the last fetch revealed about the reliability of the feed's ids.
pub(crate) fn set_trust(db: &mut Db<'_>, feed: FeedId, trust: IdReliability) -> StoreResult<()> {
    if !trust.guids {
        tracing::warn!(
            feed.id = feed.as_i64(),
            "the feed's ids are unreliable; its items are identified by address from now on"
        );
    }
    let values = params![!trust.guids, trust.collisions, trust.shares_keys, feed];
    db.execute(SET_TRUST, values).map(drop)
}
