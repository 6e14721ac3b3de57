//! Looking after the instance: how it is doing at a glance, and every feed in it.

use lede_model::ids::FeedId;
use lede_model::time::Timestamp;
use lede_store::events::{self, Noted};
use lede_store::instance::{self, Counts, FeedFilter, ListedFeed};
use lede_store::jobs::{self, KindStatus};
use lede_store::upkeep::{self, Size};
use lede_store::{StoreResult, cleanup, settings};

use crate::Lede;
use crate::backups;
use crate::housekeeping::disk;
use crate::housekeeping::health::{HEALTH_WARNING, SIZE_WARNING};
use crate::subscribe::{Refreshed, SubscribeError, fetch_now};

/// Days of which items are counted.
const DAYS: i64 = 14;
/// Feeds in trouble that are shown at a glance.
const TROUBLED: i64 = 8;
/// Events that are shown at a glance.
const EVENTS: i64 = 12;
/// Clean-ups that are told of.
const CLEANUPS: i64 = 30;

/// The instance at a glance.
#[derive(Debug, Clone)]
pub struct Overview {
    /// How many there are of what.
    pub counts: Counts,
    /// The jobs of every kind.
    pub jobs: Vec<KindStatus>,
    /// Items by day, the oldest first.
    pub days: Vec<(Timestamp, i64)>,
    /// Feeds whose last fetch failed, the newest first.
    pub troubled: Vec<ListedFeed>,
    /// What people did last, the newest first.
    pub events: Vec<Noted>,
    /// How large the database is.
    pub size: Size,
}

/// How the instance is doing, at a glance.
pub async fn overview(lede: &Lede) -> StoreResult<Overview> {
    let now = lede.clock.now();
    lede.store
        .read(move |db| {
            Ok(Overview {
                counts: instance::counts(db, now)?,
                jobs: jobs::status(db, now)?,
                days: instance::items_by_day(db, now, DAYS)?,
                troubled: instance::feeds(db, FeedFilter::Trouble, "", None, TROUBLED)?,
                events: events::newest(db, EVENTS)?,
                size: upkeep::size(db)?,
            })
        })
        .await
}

/// What the regular checks found, and what the last clean-ups came to.
#[derive(Debug, Clone)]
pub struct Checks {
    /// What is wrong with worker, disk or database, a sentence on each line.
    pub health_warning: Option<String>,
    /// That the database is too large though nothing more may be removed.
    pub size_warning: Option<String>,
    /// That the last backup failed.
    pub backup_warning: Option<String>,
    /// How large the database is.
    pub size: Size,
    /// What the last clean-ups came to, the newest first.
    pub cleanups: Vec<lede_model::retention::CleanupReport>,
}

impl Checks {
    /// Bytes that must be free on the disk before the database can be made smaller.
    pub fn room_for_vacuum(&self, lede: &Lede) -> i64 {
        disk::room_for_vacuum(lede, self.size)
    }
}

/// What the regular checks found.
pub async fn checks(lede: &Lede) -> StoreResult<Checks> {
    lede.store
        .read(|db| {
            Ok(Checks {
                health_warning: settings::find(db, HEALTH_WARNING)?,
                size_warning: settings::find(db, SIZE_WARNING)?,
                backup_warning: settings::find(db, backups::WARNING)?,
                size: upkeep::size(db)?,
                cleanups: cleanup::log(db, CLEANUPS)?,
            })
        })
        .await
}

/// Feeds whose title or address has `words` in it, the newest first, before the feed `before`.
pub async fn feeds(
    lede: &Lede,
    filter: FeedFilter,
    words: String,
    before: Option<FeedId>,
    limit: i64,
) -> StoreResult<Vec<ListedFeed>> {
    lede.store
        .read(move |db| instance::feeds(db, filter, &words, before, limit))
        .await
}

/// One feed, whoever follows it.
pub async fn find_feed(lede: &Lede, feed: FeedId) -> StoreResult<Option<ListedFeed>> {
    lede.store.read(move |db| instance::feed(db, feed)).await
}

/// Lets a feed be fetched for everybody, or not; `false` when there is none of this number.
pub async fn set_feed_enabled(lede: &Lede, feed: FeedId, enabled: bool) -> StoreResult<bool> {
    lede.store
        .write(move |db| instance::set_enabled(db, feed, enabled))
        .await
}

/// Fetches a feed now, whatever was planned, and forgets its failures; `None` when there is none of this
/// number.
pub async fn retry_feed(lede: &Lede, feed: FeedId) -> Result<Option<Refreshed>, SubscribeError> {
    fetch_now(lede, feed).await
}
