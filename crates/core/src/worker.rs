//! The worker: fetches due feeds, runs jobs, fills the search index, makes the nightly backup and
//! cleans up once a day. While the disk is nearly full it only cleans up.
//!
//! Any number of workers may run on PostgreSQL: a feed is leased to one of them. Many more feeds
//! are leased than fetched at a time, because a visit mostly waits for the turn of its host. The
//! number of concurrent requests and their distance are decided in `net`.

pub(crate) mod heartbeat;
mod indexing;

use std::collections::HashMap;
use std::time::Duration;

use lede_model::schedule;
use lede_store::leases::{self, Lease};
use lede_store::signals::Signal;
use lede_store::{Engine, StoreResult, feeds};
use tokio::sync::watch;
use tokio::task::JoinSet;

use self::heartbeat::LEASE;
use crate::crawl::visit::visit;
use crate::maintenance::retention;
use crate::{Lede, backups, jobs};

/// Feeds leased per concurrent download: most of them wait for the answer of their site or for its
/// turn, and those of dead sites wait long.
const HELD_PER_FETCH: usize = 64;
/// A feed keeps its lease only if its turn at its site comes within this time. It is shorter than
/// the longest wait for a turn that `net` accepts, and than the term of a lease.
const STARTABLE_SOON: Duration = Duration::from_secs(45);
/// Time that running visits have to finish when the process is stopped.
const GRACE: Duration = Duration::from_secs(20);

/// Runs until `stop` is ready, then lets running visits finish.
pub async fn run(lede: Lede, stop: impl Future<Output = ()>) {
    let (working, stopped) = watch::channel(());
    let until_stopped = || {
        let mut stopped = stopped.clone();
        // Nothing is ever sent; the channel closes when the sender is dropped.
        async move { drop(stopped.changed().await) }
    };
    release_leases_of_crashed_process(&lede).await;
    tokio::join!(
        async move {
            stop.await;
            drop(working);
        },
        visit_feeds(&lede, until_stopped()),
        relay_signals(&lede, until_stopped()),
        jobs::run(&lede, stopped.clone()),
        indexing::run(&lede, until_stopped()),
        backups::run(&lede, until_stopped()),
        retention::run(&lede, until_stopped()),
    );
}

/// Releases the leases of a crashed process. On SQLite one process owns the file, so every lease
/// found at the start belongs to a process that is gone; on PostgreSQL leases of crashed workers
/// expire.
async fn release_leases_of_crashed_process(lede: &Lede) {
    if lede.store.engine() != Engine::Sqlite {
        return;
    }
    let released = lede
        .store
        .write(|db| StoreResult::Ok((leases::release_all(db)?, lede_store::jobs::release_all(db)?)))
        .await;
    match released {
        Ok((0, 0)) => {}
        Ok((feeds, jobs)) => {
            tracing::info!(feeds, jobs, "leases of a stopped process were released")
        }
        Err(error) => tracing::error!(%error, "leases could not be released; they expire"),
    }
}

/// Relays signals of other processes to this one until `stop` is ready.
async fn relay_signals(lede: &Lede, stop: impl Future<Output = ()>) {
    tokio::select! {
        () = stop => {}
        () = lede.store.relay_signals() => {}
    }
}

async fn visit_feeds(lede: &Lede, stop: impl Future<Output = ()>) {
    let most = lede.net.settings().max_concurrent * HELD_PER_FETCH;
    let mut visits = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    reschedule_late(lede).await;
    loop {
        let due = claim(lede, most.saturating_sub(visits.len())).await;
        let found_work = !due.is_empty();
        for lease in startable_soon(lede, interleaved(due)).await {
            visits.spawn(visit_one(lede.clone(), lease));
        }
        if found_work && visits.len() < most {
            continue;
        }
        tokio::select! {
            () = &mut stop => break,
            () = some_end(&mut visits, most) => {}
            () = lede.store.signalled(Signal::Feeds) => {}
            () = tokio::time::sleep(lede.settings.fetch_interval) => {}
        }
    }
    let rest = async { while visits.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, rest).await.is_err() {
        // Their leases expire.
        tracing::warn!("some fetches were interrupted; their feeds are fetched again");
    }
}

/// Waits until at most half of `most` visits are running, so that one claim fills many slots.
async fn some_end(visits: &mut JoinSet<()>, most: usize) {
    if visits.is_empty() {
        std::future::pending::<()>().await;
    }
    visits.join_next().await;
    while visits.len() > most / 2 {
        visits.join_next().await;
    }
    while visits.try_join_next().is_some() {}
}

/// Visits all feeds that are due now, once. For tests and commands.
pub async fn run_once(lede: &Lede) {
    let mut visits = JoinSet::new();
    for (_, lease) in interleaved(claim(lede, i16::MAX as usize).await) {
        visits.spawn(visit_one(lede.clone(), lease));
    }
    while visits.join_next().await.is_some() {}
}

/// Runs the due jobs and fills the search index, once. For tests and commands.
pub async fn run_queues(lede: &Lede) -> StoreResult<()> {
    jobs::run_due(lede).await;
    indexing::fill(lede).await
}

/// Moves fetches forward that are scheduled later than the current settings allow: a feed may wait
/// for a timetable that the operator has changed or removed since.
pub async fn reschedule_late(lede: &Lede) {
    let now = lede.clock.now();
    let timetable = lede.settings.timetable.as_ref();
    let next = timetable.and_then(|timetable| timetable.next_after(now));
    let latest = schedule::latest_plan(now, next);
    let moved = lede
        .store
        .write(move |db| feeds::reschedule_late(db, latest))
        .await;
    match moved {
        Ok(0) => {}
        Ok(feeds) => tracing::info!(feeds, "feeds were rescheduled to the current settings"),
        Err(error) => tracing::error!(%error, "the schedule of feeds could not be checked"),
    }
}

async fn claim(lede: &Lede, limit: usize) -> Vec<Lease> {
    if limit == 0 || !lede.disk.has_room() {
        return Vec::new();
    }
    let now = lede.clock.now();
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let claimed = lede
        .store
        .write(move |db| leases::claim_due(db, now, now + LEASE, limit))
        .await;
    claimed.unwrap_or_else(|error| {
        tracing::error!(%error, "due feeds could not be claimed");
        Vec::new()
    })
}

async fn visit_one(lede: Lede, lease: Lease) {
    let feed = lease.feed;
    if let Err(error) = visit(&lede, lease).await {
        tracing::error!(feed.id = feed.as_i64(), %error, "the result of a fetch could not be stored; its lease expires");
    }
}

/// Keeps the leases of feeds whose turn at their site comes soon and releases the others, due when
/// it is their turn: they would occupy this worker while other sites, and other workers, are idle.
async fn startable_soon(lede: &Lede, due: Vec<(u32, Lease)>) -> Vec<Lease> {
    let interval = lede.net.settings().host_interval;
    let now = lede.clock.now();
    let (soon, later): (Vec<_>, Vec<_>) = due
        .into_iter()
        .partition(|(turn, _)| interval * *turn <= STARTABLE_SOON);
    if !later.is_empty() {
        let released = lede.store.write(move |db| {
            for (turn, lease) in &later {
                leases::release(db, lease, now + interval * *turn)?;
            }
            StoreResult::Ok(())
        });
        if let Err(error) = released.await {
            tracing::error!(%error, "leases could not be released; they expire");
        }
    }
    soon.into_iter().map(|(_, lease)| lease).collect()
}

/// Orders feeds so that those of one site are apart and none of them delays the others. Each comes
/// with its turn among the feeds of its site, from 0.
fn interleaved(due: Vec<Lease>) -> Vec<(u32, Lease)> {
    let mut seen: HashMap<String, u32> = HashMap::new();
    let mut turns: Vec<(u32, Lease)> = due
        .into_iter()
        .map(|lease| {
            let next = seen.entry(lease.url.root_domain().to_owned()).or_default();
            let turn = *next;
            *next += 1;
            (turn, lease)
        })
        .collect();
    // Stable: within a turn the longest overdue stays first.
    turns.sort_by_key(|(turn, _)| *turn);
    turns
}
