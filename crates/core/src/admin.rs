//! Views of the whole instance for its administrators: an overview, the checks, and every feed.

use lede_model::ids::FeedId;
use lede_model::time::Timestamp;
use lede_model::warning::Warning;
use lede_store::admin_queries::{self, Counts, FeedFilter, ListedFeed};
use lede_store::audit_log::{self, AuditEntry};
use lede_store::jobs::{self, KindStatus};
use lede_store::maintenance::{self, Size};
use lede_store::{StoreResult, cleanup, settings};

use crate::Lede;
use crate::backups;
use crate::maintenance::disk;
use crate::maintenance::health::{HEALTH_WARNING, SIZE_WARNING};
use crate::subscribe::{Refreshed, SubscribeError, fetch_now};

/// Days for which items are counted.
const DAYS: i64 = 14;
/// Failing feeds in the overview.
const TROUBLED: i64 = 8;
/// Events in the overview.
const EVENTS: i64 = 12;
/// Clean-up reports that are shown.
const CLEANUPS: i64 = 30;

/// Overview of the instance.
#[derive(Debug, Clone)]
pub struct Overview {
    pub counts: Counts,
    /// The jobs of every kind.
    pub jobs: Vec<KindStatus>,
    /// Items by day, the oldest first.
    pub days: Vec<(Timestamp, i64)>,
    /// Feeds whose last fetch failed, newest first.
    pub troubled: Vec<ListedFeed>,
    /// Latest user events, newest first.
    pub events: Vec<AuditEntry>,
    pub size: Size,
}

/// Collects the overview of the instance.
pub async fn overview(lede: &Lede) -> StoreResult<Overview> {
    let now = lede.clock.now();
    lede.store
        .read(move |db| {
            Ok(Overview {
                counts: admin_queries::counts(db, now)?,
                jobs: jobs::status(db, now)?,
                days: admin_queries::items_by_day(db, now, DAYS)?,
                troubled: admin_queries::feeds(db, FeedFilter::FeedError, "", None, TROUBLED)?,
                events: audit_log::newest(db, EVENTS)?,
                size: maintenance::size(db)?,
            })
        })
        .await
}

/// Results of the regular checks and reports of the last clean-ups.
#[derive(Debug, Clone)]
pub struct Checks {
    /// Problems of worker, disk or database.
    pub health_warnings: Vec<Warning>,
    /// Not empty if the database is too large though nothing more may be removed.
    pub size_warnings: Vec<Warning>,
    /// Not empty if the last backup failed.
    pub backup_warnings: Vec<Warning>,
    pub size: Size,
    /// Reports of the last clean-ups, newest first.
    pub cleanups: Vec<lede_model::retention::CleanupReport>,
}

impl Checks {
    /// Bytes that must be free on the disk before the database can be vacuumed.
    pub fn room_for_vacuum(&self, lede: &Lede) -> i64 {
        disk::room_for_vacuum(lede, self.size)
    }
}

/// Reads the stored results of the regular checks.
pub async fn checks(lede: &Lede) -> StoreResult<Checks> {
    lede.store
        .read(|db| {
            Ok(Checks {
                health_warnings: settings::messages(db, HEALTH_WARNING)?,
                size_warnings: settings::messages(db, SIZE_WARNING)?,
                backup_warnings: settings::messages(db, backups::WARNING)?,
                size: maintenance::size(db)?,
                cleanups: cleanup::log(db, CLEANUPS)?,
            })
        })
        .await
}

/// Returns feeds whose title or address contains `words`, newest first, before the feed `before`.
pub async fn feeds(
    lede: &Lede,
    filter: FeedFilter,
    words: String,
    before: Option<FeedId>,
    limit: i64,
) -> StoreResult<Vec<ListedFeed>> {
    lede.store
        .read(move |db| admin_queries::feeds(db, filter, &words, before, limit))
        .await
}

/// Finds a feed whether or not the caller follows it.
pub async fn find_feed(lede: &Lede, feed: FeedId) -> StoreResult<Option<ListedFeed>> {
    lede.store
        .read(move |db| admin_queries::feed(db, feed))
        .await
}

/// Enables or disables fetching of a feed for all users. Returns `false` if there is no such feed.
pub async fn set_feed_enabled(lede: &Lede, feed: FeedId, enabled: bool) -> StoreResult<bool> {
    lede.store
        .write(move |db| admin_queries::set_enabled(db, feed, enabled))
        .await
}

/// Fetches a feed now, regardless of its schedule, and resets its failures. Returns `None` if there
/// is no such feed.
pub async fn retry_feed(lede: &Lede, feed: FeedId) -> Result<Option<Refreshed>, SubscribeError> {
    fetch_now(lede, feed).await
}
