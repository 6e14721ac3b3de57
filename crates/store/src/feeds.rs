//! Feeds: one row per address, shared by everybody who follows it, unless it has a keeper (`access`).

use lede_model::address::WebUrl;
use lede_model::feed::{Feed, FeedStatus, NewFeed, Validators};
use lede_model::identity::Trust;
use lede_model::ids::{CategoryId, FeedId, UserId};
use lede_model::schedule::{FailureKind, FailurePolicy, REFRESH_PAUSE, Why, Wishes};
use lede_model::time::Timestamp;
use lede_model::trouble::Trouble;

use crate::batch::list;
use crate::engine::{Engine, Row, Sql, Value};
use crate::lists::in_category;
use crate::signals::Signal;
use crate::{Db, StoreError, StoreResult, params, statements};

statements! {
    FIND_BY_URL = "SELECT id, url, site_url, title, status, keeper_id FROM feed WHERE url = $1";
    ADD = "INSERT INTO feed (url, site_url, title, root_domain, status, failure_policy, created_at)
           VALUES ($1, $2, $3, $4, 'active', $5, $6)
           ON CONFLICT (url) DO NOTHING
           RETURNING id, url, site_url, title, status, keeper_id";
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
    TRUST = "SELECT guids_unreliable, guid_collisions, allow_duplicate_urls, shares_keys FROM feed WHERE id = $1";
    SET_TRUST = "UPDATE feed SET guids_unreliable = $1, guid_collisions = $2, shares_keys = $3 WHERE id = $4";
    FETCH_SOON = "UPDATE feed SET next_fetch_at = $1, next_fetch_why = $2
                  WHERE id = $3 AND status <> 'stopped' AND COALESCE(next_fetch_at, $1) >= $1";
    PARK = "UPDATE feed SET next_fetch_at = NULL, next_fetch_why = $1
            WHERE id = $2 AND next_fetch_at IS NOT NULL AND NOT polling
                AND NOT EXISTS (SELECT 1 FROM subscription s WHERE s.feed_id = $2 AND s.paused_at IS NULL)";
    BRING_FORWARD = "UPDATE feed SET next_fetch_at = $1, next_fetch_why = $2
                     WHERE next_fetch_at > $1";
    RESET_FAILURES = "UPDATE feed SET failures_in_a_row = 0, failing_since = NULL, status = 'active'
                      WHERE id = $1";
}

/// PostgreSQL only (see [`Db::lock`]).
const LOCK: Sql = Sql::new("SELECT id FROM feed WHERE id = $1 FOR NO KEY UPDATE");

/// The address that stands in a column.
pub(crate) fn url_of(column: usize, text: &str) -> StoreResult<WebUrl> {
    WebUrl::parse(text).map_err(|error| StoreError::Column {
        column,
        reason: error.to_string(),
    })
}

/// Reads a feed from six columns, beginning at `first`: id, url, site_url, title, status, keeper_id.
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
        keeper: row.get(first + 5)?,
    })
}

/// The feed that is fetched from `url`.
pub fn find_by_url(db: &mut Db<'_>, url: &WebUrl) -> StoreResult<Option<Feed>> {
    db.find(FIND_BY_URL, params![url.as_str()], |row| from_row(row, 0))
}

/// Adds a feed, or gives the one that somebody added meanwhile.
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

/// Keeps others from following `feed` and from taking in its items until the transaction ends.
/// Without it, of two that meet, the one would not see the new item and the other not the new
/// follower, and the item would never be unread for that person.
pub(crate) fn lock(db: &mut Db<'_>, feed: FeedId) -> StoreResult<()> {
    db.lock(LOCK, params![feed])
}

/// The same for several feeds, always in the same order, so that two who do so do not wait for each
/// other.
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

/// The statements that are made for an engine or a number of rows, for the test of all statements.
pub(crate) fn engine_statements(engine: Engine) -> Vec<(&'static str, String)> {
    let mut statements = vec![("wake", wake_sql(2)), ("hurry", hurry_sql(engine))];
    if engine == Engine::Postgres {
        statements.push(("lock_feeds", lock_all_sql(2)));
    }
    statements
}

/// The receipt of a fetch that worked.
#[derive(Debug, Clone)]
pub struct Success {
    /// What makes the next request conditional.
    pub validators: Validators,
    /// SHA-256 of the body, of now or of before when nothing new came.
    pub body_hash: Option<Vec<u8>>,
    /// A permanent redirect that is not believed yet, and since when.
    pub moving: Option<(WebUrl, Timestamp)>,
    /// What the feed asks for, of now or of before when nothing new came.
    pub wishes: Wishes,
    /// Where it announces what is new.
    pub hub_url: Option<WebUrl>,
    /// When the next fetch is due; nothing when nobody follows it.
    pub next_fetch_at: Option<Timestamp>,
    /// Why then.
    pub why: Why,
}

/// Writes the receipt of a good fetch; `false` when the lease `token` is void, and then nothing
/// else of that fetch may be written either.
pub fn record_success(
    db: &mut Db<'_>,
    feed: FeedId,
    token: i64,
    success: &Success,
    fetched_at: Timestamp,
) -> StoreResult<bool> {
    let why = success.why.to_string();
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
        success.wishes.minutes(),
        success.wishes.hour_bits(),
        success.wishes.day_bits(),
        success.hub_url.as_ref().map(WebUrl::as_str),
        feed,
        token,
    ];
    Ok(db.execute(RECORD_SUCCESS, values)? > 0)
}

/// The receipt of a fetch that failed.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Tried again, or stopped.
    pub status: FeedStatus,
    /// Vibe's word for what kind it was.
    pub fetch_status: &'static str,
    /// What went wrong.
    pub error: Trouble,
    /// When it is tried again.
    pub next_fetch_at: Option<Timestamp>,
    /// Why then, or why not.
    pub why: Why,
}

/// Writes the receipt of a failed fetch; `false` when the lease `token` is void.
pub fn record_failure(
    db: &mut Db<'_>,
    feed: FeedId,
    token: i64,
    failure: &Failure,
    failed_at: Timestamp,
) -> StoreResult<bool> {
    let (error, why) = (failure.error.to_string(), failure.why.to_string());
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

/// Takes over what the publisher calls the feed and its site now.
pub fn rename(
    db: &mut Db<'_>,
    feed: FeedId,
    title: &str,
    site_url: Option<&WebUrl>,
) -> StoreResult<()> {
    db.execute(RENAME, params![title, site_url.map(WebUrl::as_str), feed])
        .map(drop)
}

/// Makes `url` the feed's own address and remembers the one it had; `false` when another feed has it.
pub fn adopt_url(db: &mut Db<'_>, feed: FeedId, url: &WebUrl) -> StoreResult<bool> {
    let values = params![url.as_str(), url.root_domain(), feed];
    Ok(db.execute(ADOPT, values)? > 0)
}

/// Whether the operator lets the feed be fetched at all.
pub(crate) fn is_enabled(db: &mut Db<'_>, feed: FeedId) -> StoreResult<bool> {
    db.one(IS_ENABLED, params![feed], |row| row.get(0))
}

/// Forgets a feed's failures, so that it is tried as if it had never failed.
pub fn reset_failures(db: &mut Db<'_>, feed: FeedId) -> StoreResult<()> {
    db.execute(RESET_FAILURES, params![feed]).map(drop)
}

/// Plans a feed that nobody followed, or that was never fetched, because somebody follows it now.
pub fn wake(db: &mut Db<'_>, feed: FeedId, now: Timestamp) -> StoreResult<()> {
    wake_all(db, &[feed], now)
}

/// The same for several feeds, as far as somebody has not paused them.
pub(crate) fn wake_all(db: &mut Db<'_>, feeds: &[FeedId], now: Timestamp) -> StoreResult<()> {
    if feeds.is_empty() {
        return Ok(());
    }
    let (new, again) = (Why::New.to_string(), Why::FollowedAgain.to_string());
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

/// Plans a feed for now at the latest, because somebody wants what is new in it again.
pub(crate) fn fetch_soon(db: &mut Db<'_>, feed: FeedId, now: Timestamp) -> StoreResult<()> {
    let why = Why::FollowedAgain.to_string();
    db.execute(FETCH_SOON, params![now, &why, feed]).map(drop)
}

/// Plans what `user` follows for now, everything or what is in a category or below it; gives how many
/// feeds are due then. Left as they are: those that are paused, stopped or switched off, that somebody works
/// on, that were fetched a moment ago or whose server asked for time. Of those that fail only such as cannot
/// be given up for it: each failure counts, and being pressed often must not be the end of a feed.
pub fn hurry(
    db: &mut Db<'_>,
    user: UserId,
    category: Option<CategoryId>,
    now: Timestamp,
) -> StoreResult<usize> {
    let asked = Why::Asked.to_string();
    let [server_asks, server_said, fewer] = Why::OF_SERVER.map(|why| why.to_string());
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
    let sql = hurry_sql(db.engine());
    let due: Vec<FeedId> = db.query_rows(&sql, values, |row| row.get(0))?;
    if !due.is_empty() {
        db.signal(Signal::Feeds);
    }
    Ok(due.len())
}

/// Only PostgreSQL has several writers: what another one has in hand is being worked on.
fn hurry_sql(engine: Engine) -> String {
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

/// Plans a feed no longer when nobody wants what is new in it.
pub(crate) fn park(db: &mut Db<'_>, feed: FeedId) -> StoreResult<()> {
    let why = Why::NobodyFollows.to_string();
    db.execute(PARK, params![&why, feed]).map(drop)
}

/// Plans no feed later than `latest`; gives how many were.
pub fn bring_forward(db: &mut Db<'_>, latest: Timestamp) -> StoreResult<u64> {
    db.execute(BRING_FORWARD, params![latest, &Why::NewPlan.to_string()])
}

/// How far the feed's ids and addresses can be believed.
pub(crate) fn trust(db: &mut Db<'_>, feed: FeedId) -> StoreResult<Trust> {
    db.one(TRUST, params![feed], |row| {
        Ok(Trust {
            guids: !row.get::<bool>(0)?,
            collisions: row.get(1)?,
            urls: !row.get::<bool>(2)?,
            shares_keys: row.get(3)?,
        })
    })
}

/// Remembers what a fetch taught about the feed's ids.
pub(crate) fn set_trust(db: &mut Db<'_>, feed: FeedId, trust: Trust) -> StoreResult<()> {
    if !trust.guids {
        tracing::warn!(
            feed.id = feed.as_i64(),
            "the feed's ids do not tell its items apart; addresses do from now on"
        );
    }
    let values = params![!trust.guids, trust.collisions, trust.shares_keys, feed];
    db.execute(SET_TRUST, values).map(drop)
}
