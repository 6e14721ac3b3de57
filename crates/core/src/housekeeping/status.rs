//! How the instance is doing, in figures.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lede_model::ids::UserId;
use lede_model::retention::CleanupReport;
use lede_model::time::Timestamp;
use lede_store::{StoreResult, cleanup, items, jobs, settings, subscriptions, upkeep};

use super::health::{HEALTH_WARNING, SIZE_WARNING};
use crate::Lede;

/// Clean-ups that are told of.
const CLEANUPS: i64 = 30;
/// For how long a number of items is good enough: counting a million takes a while.
const COUNT_LIFE: Duration = Duration::from_secs(60);

/// How the instance is doing.
#[derive(Debug, Clone)]
pub struct Status {
    /// Feeds that the person follows.
    pub feeds: i64,
    /// Items in them, as of a minute ago at most.
    pub items: i64,
    /// Those of them that are unread.
    pub unread: i64,
    /// Jobs that are due, in all queues.
    pub queue_size: i64,
    /// What is wrong, in words for people.
    pub health_warning: Option<String>,
    /// That the database is too large though nothing more may be removed.
    pub size_warning: Option<String>,
    /// Bytes of the database on the disk.
    pub database_bytes: i64,
    /// What the last clean-ups came to, the newest first.
    pub cleanups: Vec<CleanupReport>,
}

/// Numbers of items that were counted lately.
#[derive(Debug, Default)]
pub(crate) struct Counted(Mutex<HashMap<UserId, (Timestamp, i64)>>);

impl Counted {
    fn find(&self, user: UserId, now: Timestamp) -> Option<i64> {
        let counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, items) = counted.get(&user)?;
        (now.since(*at) < COUNT_LIFE).then_some(*items)
    }

    fn keep(&self, user: UserId, now: Timestamp, items: i64) {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counted.retain(|_, (at, _)| now.since(*at) < COUNT_LIFE);
        counted.insert(user, (now, items));
    }
}

/// How the instance is doing, with what `user` follows.
pub async fn status(lede: &Lede, user: UserId) -> StoreResult<Status> {
    let now = lede.clock.now();
    let known = lede.counted.find(user, now);
    let status = lede
        .store
        .read(move |db| {
            Ok(Status {
                feeds: subscriptions::count(db, user)?,
                items: match known {
                    Some(items) => items,
                    None => items::count(db, user)?,
                },
                unread: items::count_unread(db, user)?,
                queue_size: jobs::due(db, now)?,
                health_warning: settings::find(db, HEALTH_WARNING)?,
                size_warning: settings::find(db, SIZE_WARNING)?,
                database_bytes: upkeep::size(db)?.total,
                cleanups: cleanup::log(db, CLEANUPS)?,
            })
        })
        .await?;
    if known.is_none() {
        lede.counted.keep(user, now, status.items);
    }
    Ok(status)
}
