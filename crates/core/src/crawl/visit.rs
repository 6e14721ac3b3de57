//! The visit to a leased feed: fetch it, ingest new items, record the result.
//!
//! In every case the feed keeps its items, and the recorded fetch result says how it went, when the
//! feed is fetched next and why. Results are written only while the lease is held.

use lede_feed::ParseError;
use lede_model::address::WebUrl;
use lede_model::feed::{FeedStatus, Validators};
use lede_model::feed_error::FeedError;
use lede_model::ids::FeedId;
use lede_model::schedule::{self, Cadence, Decision, FailureKind, RequestedDelays, ScheduleReason};
use lede_model::time::Timestamp;
use lede_net::{Conditions, FetchError, Fetched};
use lede_store::access::StoredCredentials;
use lede_store::feeds::{self, Failure, Success};
use lede_store::ingest::{self, Ingested};
use lede_store::leases::{self, Lease};
use lede_store::{Db, StoreError, StoreResult, merge};
use std::time::Duration;

use super::entry::CLEANING;
use super::read::{self, CrawlError, FetchedDocument, ReadFeed};
use crate::worker::heartbeat::{LEASE, with_lease};
use crate::{Lede, access};

/// Delay if the queue of a site is full. This does not count as a failure of the feed.
const BUSY_PAUSE: Duration = Duration::from_secs(60);

/// Result of a visit.
#[derive(Debug)]
pub(crate) struct Visit {
    /// The visited feed, or the one that it was merged into.
    pub(crate) feed: FeedId,
    /// Counts of stored items.
    pub(crate) taken: Ingested,
    pub(crate) outcome: VisitOutcome,
}

/// The end of a visit.
#[derive(Debug)]
pub(crate) enum VisitOutcome {
    /// The feed was read, and its items are stored.
    Stored,
    /// The feed failed; the text can be shown to users.
    Failed(String),
    /// The queue of its site is full: the feed is due again in [`BUSY_PAUSE`].
    Postponed,
    /// Another visit took over the lease; its result counts.
    Superseded,
}

impl Visit {
    /// Creates the result of a visit that stored nothing.
    fn without_items(feed: FeedId, outcome: VisitOutcome) -> Self {
        Self {
            feed,
            taken: Ingested::default(),
            outcome,
        }
    }
}

/// Result of a fetch, before it is written.
enum FetchResult {
    /// The server answered "not modified", or the body is the same as before.
    NothingNew(Box<Fetched>),
    Feed(Box<ReadFeed>, Option<WebUrl>),
}

/// Visits one feed. Errors of the feed are in the result; `Err` is an error of the store only.
pub(crate) async fn visit(lede: &Lede, lease: Lease) -> Result<Visit, StoreError> {
    let (feed, token) = (lease.feed, lease.token);
    let renew = || {
        let until = lede.clock.now() + LEASE;
        lede.store
            .write(move |db| leases::renew(db, feed, token, until))
    };
    let Some(result) = with_lease(LEASE, renew, fetch(lede, &lease)).await else {
        return Ok(Visit::without_items(feed, VisitOutcome::Superseded));
    };
    match result {
        Ok(FetchResult::NothingNew(fetched)) => {
            let fetched = *fetched;
            let asked = RequestedDelays {
                by_server: fetched.cache.longest(),
                by_feed: lease.publisher_hints,
            };
            let (next_fetch_at, why) = next_fetch(lede, &lease, asked);
            let receipt = Success {
                validators: Validators {
                    etag: fetched.etag,
                    last_modified: fetched.last_modified,
                },
                body_hash: lease.body_hash.clone(),
                moving: moving(lede, &lease, fetched.moved_permanently_to.as_ref()),
                publisher_hints: lease.publisher_hints,
                hub_url: lease.hub_url.clone(),
                next_fetch_at,
                why,
            };
            store_result(lede, lease, receipt, None, fetched.moved_permanently_to).await
        }
        Ok(FetchResult::Feed(read, moved_to)) => {
            let is_followed = lease.followers > 0 || lease.polling;
            let mut receipt = success(lede, &read, interval(&lease), is_followed);
            receipt.moving = moving(lede, &lease, moved_to.as_ref());
            store_result(lede, lease, receipt, Some(*read), moved_to).await
        }
        Err(CrawlError::Fetch(FetchError::Busy)) => {
            let next = lede.clock.now() + BUSY_PAUSE;
            lede.store
                .write(move |db| leases::release(db, &lease, next))
                .await?;
            Ok(Visit::without_items(feed, VisitOutcome::Postponed))
        }
        Err(error) => failed(lede, lease, &error).await,
    }
}

async fn fetch(lede: &Lede, lease: &Lease) -> Result<FetchResult, CrawlError> {
    let is_current = lease
        .body_hash
        .as_deref()
        .is_some_and(read::is_cleaned_as_now);
    let conditions = if is_current {
        Conditions {
            etag: lease.validators.etag.clone(),
            last_modified: lease.validators.last_modified.clone(),
        }
    } else {
        // The items have to be cleaned again, so the server must send the full document.
        Conditions::default()
    };
    let kept = StoredCredentials {
        url: lease.url.clone(),
        sealed: lease.sealed_access.clone(),
    };
    let pass = access::pass(lede, lease.feed, &kept)?;
    let fetched = read::fetch(
        lede,
        &lease.url,
        &conditions,
        lease.followers,
        pass.as_ref(),
    )
    .await?;
    let is_known = match fetched.body() {
        None => true,
        Some(body) => lease
            .body_hash
            .as_deref()
            .is_some_and(|known| *known == *read::body_hash(body)),
    };
    if is_known {
        return Ok(FetchResult::NothingNew(Box::new(fetched)));
    }
    let moved_to = fetched.moved_permanently_to.clone();
    match read::document(lede, &lease.url, fetched, Some(lease.feed)).await? {
        FetchedDocument::Feed(feed) => Ok(FetchResult::Feed(feed, moved_to)),
        FetchedDocument::CandidatePage(page) => Err(CrawlError::PageNow(
            page.feeds.into_iter().map(|found| found.url).collect(),
        )),
    }
}

fn interval(lease: &Lease) -> i64 {
    match lease.interval_minutes {
        0 => schedule::adaptive_interval_minutes(lease.posts_last_week),
        minutes => minutes,
    }
}

/// The operator's timetable if there is one, else the interval that subscribers chose.
fn rhythm(lede: &Lede, interval_minutes: i64) -> Cadence {
    let timetable = lede.settings.timetable.as_ref();
    timetable
        .and_then(|timetable| timetable.next_after(lede.clock.now()))
        .map_or(Cadence::EveryMinutes(interval_minutes), Cadence::Timetable)
}

fn next_fetch(
    lede: &Lede,
    lease: &Lease,
    asked: RequestedDelays,
) -> (Option<Timestamp>, ScheduleReason) {
    let is_followed = lease.followers > 0 || lease.polling;
    let rhythm = rhythm(lede, interval(lease));
    planned(
        is_followed,
        schedule::after_success(lede.clock.now(), rhythm, asked, chance()),
    )
}

fn planned(is_followed: bool, decision: Decision) -> (Option<Timestamp>, ScheduleReason) {
    match decision {
        _ if !is_followed => (None, ScheduleReason::NobodyFollows),
        Decision::FetchAt { at, why } => (Some(at), why),
        Decision::Stop { why } => (None, why),
    }
}

/// The fetch result to record for a feed that was read.
pub(crate) fn success(
    lede: &Lede,
    read: &ReadFeed,
    interval_minutes: i64,
    is_followed: bool,
) -> Success {
    let rhythm = rhythm(lede, interval_minutes);
    let decision = schedule::after_success(lede.clock.now(), rhythm, read.asked, chance());
    let (next_fetch_at, why) = planned(is_followed, decision);
    Success {
        validators: read.feed.validators.clone(),
        body_hash: Some(read.body_hash.clone()),
        moving: None,
        publisher_hints: read.asked.by_feed,
        hub_url: read.hub_url.clone(),
        next_fetch_at,
        why,
    }
}

/// The pending permanent redirect: its target, and since when it has been seen.
fn moving(lede: &Lede, lease: &Lease, moved_to: Option<&WebUrl>) -> Option<(WebUrl, Timestamp)> {
    let to = moved_to?;
    match &lease.moving {
        Some((known, since)) if known == to => Some((known.clone(), *since)),
        _ => Some((to.clone(), lede.clock.now())),
    }
}

/// Returns `true` if a permanent redirect has lasted long enough to become the feed's address. A
/// redirect from http to https on the same host is adopted at once: it is always meant to stay.
fn is_settled(lede: &Lede, lease: &Lease, to: &WebUrl) -> bool {
    let only_encrypts = !lease.url.is_https()
        && to.is_https()
        && lease.url.host() == to.host()
        && lease.url.as_url().path() == to.as_url().path()
        && lease.url.as_url().query() == to.as_url().query();
    let since = match &lease.moving {
        Some((known, since)) if known == to => *since,
        _ => lede.clock.now(),
    };
    only_encrypts || lede.clock.now().since(since) >= lede.settings.redirect_adopt_after
}

async fn store_result(
    lede: &Lede,
    lease: Lease,
    receipt: Success,
    read: Option<ReadFeed>,
    moved_to: Option<WebUrl>,
) -> Result<Visit, StoreError> {
    let now = lede.clock.now();
    let adopted = moved_to
        .filter(|to| is_settled(lede, &lease, to))
        // Credentials are for the origin they were entered for; their owner decides about others.
        .filter(|to| lease.sealed_access.is_none() || to.same_origin(&lease.url));
    let wake = lede.live_updates.clone();
    let leased = lease.feed;
    let stored = lede
        .store
        .write(move |db| -> StoreResult<Option<(FeedId, Ingested)>> {
            if !feeds::record_success(db, lease.feed, lease.token, &receipt, now)? {
                return Ok(None);
            }
            let feed = match &adopted {
                Some(url) => settle(db, lease.feed, url, now)?,
                None => lease.feed,
            };
            let Some(read) = &read else {
                return Ok(Some((feed, Ingested::default())));
            };
            feeds::rename(db, feed, &read.feed.title, read.feed.site_url.as_ref())?;
            // After a merge, so that items count as new for the subscribers of both feeds.
            let taken = ingest::ingest(db, feed, &read.items, CLEANING, now)?;
            wake.announce(db, feed, taken.new)?;
            Ok(Some((feed, taken)))
        })
        .await?;
    let Some((feed, taken)) = stored else {
        return Ok(Visit::without_items(leased, VisitOutcome::Superseded));
    };
    lede.live_updates.arrived(feed, taken.new);
    lede.metrics.count_ingested(&taken);
    tracing::debug!(
        feed.id = feed.as_i64(),
        new = taken.new,
        updated = taken.updated,
        "a feed was fetched"
    );
    Ok(Visit {
        feed,
        taken,
        outcome: VisitOutcome::Stored,
    })
}

/// Changes the address of `feed` to the redirect's target, or merges it into the feed that has this
/// address already. Returns the remaining feed.
fn settle(db: &mut Db<'_>, feed: FeedId, url: &WebUrl, now: Timestamp) -> StoreResult<FeedId> {
    if feeds::adopt_url(db, feed, url)? {
        return Ok(feed);
    }
    match feeds::find_by_url(db, url)? {
        Some(other) if merge::merge(db, feed, &other, now)? => Ok(other.id),
        _ => Ok(feed),
    }
}

async fn failed(lede: &Lede, lease: Lease, error: &CrawlError) -> Result<Visit, StoreError> {
    let now = lede.clock.now();
    let kind = kind_of(error);
    let retry_after = match error {
        CrawlError::Fetch(error) => error.retry_after(),
        _ => None,
    };
    let decision = schedule::after_failure(
        now,
        lease.policy,
        kind,
        lease.failures,
        retry_after,
        chance(),
    );
    let status = match decision {
        Decision::Stop { .. } => FeedStatus::Stopped,
        Decision::FetchAt { .. } => FeedStatus::Error,
    };
    let (next_fetch_at, why) = planned(true, decision);
    let error_message = FeedError::from(error);
    let text = error_message.to_string();
    tracing::info!(
        feed.id = lease.feed.as_i64(),
        error = text,
        status = status.as_str(),
        "a feed failed"
    );
    let receipt = Failure {
        status,
        fetch_status: kind.status_word(),
        error: error_message,
        next_fetch_at,
        why,
    };
    let feed = lease.feed;
    let is_recorded = lede
        .store
        .write(move |db| feeds::record_failure(db, feed, lease.token, &receipt, now))
        .await?;
    let outcome = match is_recorded {
        true => VisitOutcome::Failed(text),
        false => VisitOutcome::Superseded,
    };
    Ok(Visit::without_items(feed, outcome))
}

fn kind_of(error: &CrawlError) -> FailureKind {
    match error {
        CrawlError::Fetch(FetchError::Status { status, .. }) => match status.as_u16() {
            410 => FailureKind::Gone,
            401 | 403 => FailureKind::Unauthorised,
            429 => FailureKind::RateLimited,
            400..500 => FailureKind::Refused,
            _ => FailureKind::Temporary,
        },
        CrawlError::Fetch(FetchError::BotWall(_)) | CrawlError::AccessUnreadable => {
            FailureKind::Unauthorised
        }
        CrawlError::Fetch(error) if error.is_policy() => FailureKind::Refused,
        CrawlError::Fetch(FetchError::TooLarge(_)) => FailureKind::Unreadable,
        CrawlError::Fetch(_) => FailureKind::Temporary,
        CrawlError::Parse(ParseError::NotAFeed(_)) | CrawlError::PageNow(_) => {
            FailureKind::NotAFeed
        }
        CrawlError::Parse(_) | CrawlError::TooComplicated | CrawlError::Broken => {
            FailureKind::Unreadable
        }
    }
}

/// A random number from 0 to 1.
fn chance() -> f64 {
    let mut bytes = [0_u8; 4];
    // Without randomness there is no jitter, which does no harm.
    if getrandom::fill(&mut bytes).is_err() {
        return 0.0;
    }
    f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
}

/// Visits a feed now because a user requested it: earlier failures are cleared. Returns `None` if there
/// is no such feed.
pub(crate) async fn visit_now(lede: &Lede, feed: FeedId) -> Result<Option<Visit>, StoreError> {
    lede.store
        .write(move |db| feeds::reset_failures(db, feed))
        .await?;
    visit_once(lede, feed).await
}

/// Visits a feed now; a visit that holds its lease loses it. A stopped feed is stopped again if the
/// visit fails. Returns `None` if there is no such feed.
pub(crate) async fn visit_once(lede: &Lede, feed: FeedId) -> Result<Option<Visit>, StoreError> {
    let now = lede.clock.now();
    let lease = lede
        .store
        .write(move |db| leases::force_lease(db, feed, now, now + LEASE))
        .await?;
    match lease {
        Some(lease) => visit(lede, lease).await.map(Some),
        None => Ok(None),
    }
}
