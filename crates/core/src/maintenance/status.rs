//! Status of the instance, in figures.

use lede_model::ids::UserId;
use lede_model::item::{ItemFilter, Scope};
use lede_model::retention::CleanupReport;
use lede_model::warning::Warning;
use lede_store::jobs::KindStatus;
use lede_store::{
    StoreResult, admin_queries, cleanup, jobs, lists, maintenance, settings, subscriptions,
};

use super::health::{HEALTH_WARNING, SIZE_WARNING};
use crate::Lede;

/// Clean-up reports that are included.
const CLEANUPS: i64 = 30;

/// Status of the instance, with figures of one user.
#[derive(Debug, Clone)]
pub struct Status {
    /// Feeds that the user follows.
    pub feeds: i64,
    /// Items in these feeds.
    pub items: i64,
    /// Unread items in these feeds.
    pub unread: i64,
    /// Due jobs of all kinds.
    pub queue_size: i64,
    /// The jobs of every kind.
    pub jobs: Vec<KindStatus>,
    /// Items that the search index lacks.
    pub unindexed: i64,
    pub health_warnings: Vec<Warning>,
    /// Not empty if the database is too large though nothing more may be removed.
    pub size_warnings: Vec<Warning>,
    /// Size of the database on the disk.
    pub database_bytes: i64,
    /// Reports of the last clean-ups, newest first.
    pub cleanups: Vec<CleanupReport>,
}

/// Collects the status of the instance and the figures of `user`.
pub async fn status(lede: &Lede, user: UserId) -> StoreResult<Status> {
    let now = lede.clock.now();
    lede.store
        .read(move |db| {
            Ok(Status {
                feeds: subscriptions::count(db, user)?,
                items: lists::count(db, user, Scope::Everything, ItemFilter::All)?,
                unread: lists::count(db, user, Scope::Everything, ItemFilter::Unread)?,
                queue_size: jobs::due(db, now)?,
                jobs: jobs::status(db, now)?,
                unindexed: admin_queries::unindexed(db)?,
                health_warnings: settings::messages(db, HEALTH_WARNING)?,
                size_warnings: settings::messages(db, SIZE_WARNING)?,
                database_bytes: maintenance::size(db)?.total,
                cleanups: cleanup::log(db, CLEANUPS)?,
            })
        })
        .await
}

/// Updates the metrics that are read from the store only on request.
pub async fn observe(lede: &Lede) -> StoreResult<()> {
    let now = lede.clock.now();
    let (kinds, unindexed) = lede
        .store
        .read(move |db| Ok((jobs::status(db, now)?, admin_queries::unindexed(db)?)))
        .await?;
    lede.metrics.set_jobs(&kinds, now);
    lede.metrics.jobs.search_waiting.set(unindexed);
    lede.metrics.set_pool(lede.store.load());
    Ok(())
}
