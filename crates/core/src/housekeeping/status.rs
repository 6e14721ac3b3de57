//! How the instance is doing, in figures.

use lede_model::ids::UserId;
use lede_model::item::{ItemFilter, Scope};
use lede_model::retention::CleanupReport;
use lede_store::jobs::KindStatus;
use lede_store::{StoreResult, cleanup, instance, jobs, lists, settings, subscriptions, upkeep};

use super::health::{HEALTH_WARNING, SIZE_WARNING};
use crate::Lede;

/// Clean-ups that are told of.
const CLEANUPS: i64 = 30;

/// How the instance is doing.
#[derive(Debug, Clone)]
pub struct Status {
    /// Feeds that the person follows.
    pub feeds: i64,
    /// Items in them.
    pub items: i64,
    /// Those of them that are unread.
    pub unread: i64,
    /// Due jobs of all kinds.
    pub queue_size: i64,
    /// The jobs of every kind.
    pub jobs: Vec<KindStatus>,
    /// Items that the search index lacks.
    pub unindexed: i64,
    /// What is wrong, a sentence on each line.
    pub health_warning: Option<String>,
    /// That the database is too large though nothing more may be removed.
    pub size_warning: Option<String>,
    /// Bytes of the database on the disk.
    pub database_bytes: i64,
    /// What the last clean-ups came to, the newest first.
    pub cleanups: Vec<CleanupReport>,
}

/// How the instance is doing, with what `user` follows.
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
                unindexed: instance::unindexed(db)?,
                health_warning: settings::find(db, HEALTH_WARNING)?,
                size_warning: settings::find(db, SIZE_WARNING)?,
                database_bytes: upkeep::size(db)?.total,
                cleanups: cleanup::log(db, CLEANUPS)?,
            })
        })
        .await
}

/// Sets the metrics that are read from the store only when they are asked for.
pub async fn observe(lede: &Lede) -> StoreResult<()> {
    let now = lede.clock.now();
    let (kinds, unindexed) = lede
        .store
        .read(move |db| Ok((jobs::status(db, now)?, instance::unindexed(db)?)))
        .await?;
    lede.metrics.set_jobs(&kinds, now);
    lede.metrics.search_waiting.set(unindexed);
    lede.metrics.set_pool(lede.store.load());
    Ok(())
}
