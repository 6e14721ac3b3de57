//! What is done beside fetching feeds, from queues that survive everything: articles and icons are
//! fetched, subscription lists taken in that somebody left in the middle, and feeds removed that were one
//! person's, who left them.

use lede_model::ids::{FeedId, ImportId, ItemId};
use lede_store::StoreResult;
use lede_store::jobs::{self, Job, Queue};
use tokio::task::JoinSet;

use super::heartbeat::{LEASE, keep_lease};
use crate::{Lede, access, articles, icons, transfer};

/// Icons that are looked for at a time: nobody waits for them.
const ICONS_AT_A_TIME: usize = 2;
/// Lists that are taken in at a time: they have one writer to share.
const IMPORTS_AT_A_TIME: usize = 1;
/// Feeds that are removed at a time, likewise.
const REMOVALS_AT_A_TIME: usize = 1;

/// Takes jobs until `stop` is ready. What is under way then is left: its lease runs out, and doing
/// it again is harmless.
pub(super) async fn run(lede: &Lede, stop: impl Future<Output = ()>) {
    tokio::select! {
        () = stop => {}
        () = work_off(lede, Queue::Article, lede.settings.articles.parallelism) => {}
        () = work_off(lede, Queue::Icon, ICONS_AT_A_TIME) => {}
        () = work_off(lede, Queue::Import, IMPORTS_AT_A_TIME) => {}
        () = work_off(lede, Queue::Removal, REMOVALS_AT_A_TIME) => {}
    }
}

/// Does everything that is due now, once: for tests and commands.
pub(super) async fn run_once(lede: &Lede) {
    for queue in Queue::WORKED_OFF {
        for job in claim(lede, queue, usize::from(u16::MAX)).await {
            work(lede.clone(), queue, job).await;
        }
    }
}

async fn work_off(lede: &Lede, queue: Queue, at_a_time: usize) {
    let mut jobs = JoinSet::new();
    loop {
        for job in claim(lede, queue, at_a_time.saturating_sub(jobs.len())).await {
            jobs.spawn(work(lede.clone(), queue, job));
        }
        tokio::select! {
            // With room again there may be more.
            Some(_) = jobs.join_next(), if jobs.len() >= at_a_time => {}
            () = tokio::time::sleep(lede.settings.fetch_interval) => {
                while jobs.try_join_next().is_some() {}
            }
        }
    }
}

async fn claim(lede: &Lede, queue: Queue, limit: usize) -> Vec<Job> {
    if limit == 0 || !lede.disk.has_room() {
        return Vec::new();
    }
    let now = lede.clock.now();
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let claimed = lede
        .store
        .write(move |db| jobs::claim(db, queue, now, now + LEASE, limit))
        .await;
    claimed.unwrap_or_else(|error| {
        tracing::error!(%error, "jobs could not be claimed");
        Vec::new()
    })
}

async fn work(lede: Lede, queue: Queue, job: Job) {
    let renew = || {
        let until = lede.clock.now() + LEASE;
        lede.store.write(move |db| jobs::renew(db, job, until))
    };
    let work = async {
        match queue {
            Queue::Article => article(&lede, job).await,
            Queue::Icon => icon(&lede, job).await,
            Queue::Import => import(&lede, job).await,
            Queue::Removal => removal(&lede, job).await,
            // Not claimed yet.
            Queue::Summary => Ok(()),
        }
    };
    match keep_lease(renew, work).await {
        Some(Ok(())) => {}
        Some(Err(error)) => {
            tracing::error!(%error, "a job could not be written; its lease expires");
        }
        None => tracing::info!(?queue, "a job was taken over by another worker"),
    }
}

async fn article(lede: &Lede, job: Job) -> StoreResult<()> {
    // Switched off after it was queued.
    if lede.settings.articles.enabled {
        articles::fetch(lede, ItemId::from(job.key)).await?;
    }
    lede.store
        .write(move |db| jobs::finish(db, job))
        .await
        .map(drop)
}

async fn icon(lede: &Lede, job: Job) -> StoreResult<()> {
    let is_there = icons::look_for(lede, FeedId::from(job.key)).await?;
    let again = lede.clock.now() + icons::LOOK_AGAIN_AFTER;
    lede.store
        .write(move |db| match is_there {
            true => jobs::again(db, job, again),
            false => jobs::finish(db, job),
        })
        .await
        .map(drop)
}

async fn removal(lede: &Lede, job: Job) -> StoreResult<()> {
    access::remove_left(lede, FeedId::from(job.key)).await?;
    lede.store
        .write(move |db| jobs::finish(db, job))
        .await
        .map(drop)
}

async fn import(lede: &Lede, job: Job) -> StoreResult<()> {
    transfer::work_off(lede, ImportId::from(job.key)).await?;
    // Done with the list itself, unless that was removed with its owner.
    lede.store
        .write(move |db| jobs::finish(db, job))
        .await
        .map(drop)
}
