//! Whether all is well: Solo's five checks, every few minutes, with what is wrong said to people.

use std::time::Duration;

use lede_model::job::JobKind;
use lede_model::time::Timestamp;
use lede_model::warning::Warning;
use lede_store::{Db, StoreResult, cleanup, leases, settings, upkeep};

use super::MIB;
use crate::{Lede, jobs};

/// How often it is looked.
pub const EVERY: Duration = Duration::from_secs(300);
/// Work that waits longer than this is stuck.
const STUCK_AFTER: Duration = Duration::from_secs(3600);
/// A database that takes longer than this does not answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where the problems are kept, a [`Warning`] on each line; absent when there are none.
pub(crate) const HEALTH_WARNING: &str = "health_warning";
/// Where it is kept that the database is too large though nothing more may be removed.
pub(crate) const SIZE_WARNING: &str = "db_size_warning";

/// The circuit breaker of the language model. The built-in one cannot fail, so that there is nothing
/// to open it; this is where a remote one's state is told.
pub const CIRCUIT_BREAKER: &str = "CLOSED";

/// What people are told on every page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notices {
    /// What is wrong with the instance, a [`Warning`] on each line.
    pub health_warning: Option<String>,
    /// Unread items that the last clean-up removed.
    pub unread_removed: i64,
}

/// Looks now and every few minutes, until `stop` is ready.
pub async fn run(lede: Lede, stop: impl Future<Output = ()>) {
    let looking = async {
        let running_since = lede.clock.now();
        loop {
            check(&lede, running_since).await;
            tokio::time::sleep(EVERY).await;
        }
    };
    tokio::select! {
        () = stop => {}
        () = looking => {}
    }
}

/// Looks once and keeps what is wrong, for everybody to see. What waited while nobody ran is not stuck
/// yet: `running_since` is when this process began.
pub async fn check(lede: &Lede, running_since: Timestamp) {
    let problems = match tokio::time::timeout(PATIENCE, problems(lede, running_since)).await {
        Ok(Ok(problems)) => problems,
        Ok(Err(error)) => return tracing::warn!(%error, "health: the database does not answer"),
        Err(_) => return tracing::warn!("health: the database does not answer in time"),
    };
    let problems: Vec<String> = problems.iter().map(Warning::to_string).collect();
    for problem in &problems {
        tracing::warn!(problem, "health: something is wrong");
    }
    let warning = problems.join("\n");
    let kept = lede.store.write(move |db| match warning.as_str() {
        "" => settings::remove(db, HEALTH_WARNING),
        warning => settings::put(db, HEALTH_WARNING, warning).map(drop),
    });
    if let Err(error) = kept.await {
        tracing::warn!(%error, "health: what was found could not be kept");
    }
}

/// What is wrong.
async fn problems(lede: &Lede, running_since: Timestamp) -> StoreResult<Vec<Warning>> {
    let now = lede.clock.now();
    let since = now - STUCK_AFTER;
    let is_up_long_enough = running_since <= since;
    let is_running = |kind: &JobKind| !(jobs::definition(*kind).is_paused)(lede);
    let kinds: Vec<JobKind> = JobKind::ALL.into_iter().filter(is_running).collect();
    let (size, is_stuck) = lede
        .store
        .read(move |db| {
            let is_stuck = is_up_long_enough && is_stuck(db, &kinds, since, now)?;
            Ok((upkeep::size(db)?, is_stuck))
        })
        .await?;
    lede.metrics.database_bytes.set(size.total);
    let mut problems = Vec::new();
    if let Some(warning) = lede.disk.warning() {
        problems.push(warning);
    } else if is_stuck {
        // With the disk full, that is why.
        problems.push(Warning::Stuck);
    }
    let limit = lede.settings.retention.max_db_size_mb;
    let most = lede.settings.retention.most_bytes();
    if most.is_some_and(|most| size.total > most) {
        let size = format!("{:.1}", size.total as f64 / MIB as f64);
        problems.push(Warning::TooLarge { size, limit });
    }
    Ok(problems)
}

fn is_stuck(
    db: &mut Db<'_>,
    kinds: &[JobKind],
    since: Timestamp,
    now: Timestamp,
) -> StoreResult<bool> {
    if leases::are_stuck(db, since, now)? {
        return Ok(true);
    }
    for kind in kinds {
        if lede_store::jobs::is_stuck(db, *kind, since, now)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What people are told on every page.
pub async fn notices(lede: &Lede) -> StoreResult<Notices> {
    // Whoever finds that nothing can be changed is told at once why.
    let full = match lede.disk.warning() {
        Some(warning @ Warning::DiskFull { .. }) => Some(warning.to_string()),
        _ => None,
    };
    lede.store
        .read(move |db| {
            let last = cleanup::log(db, 1)?.pop();
            let kept = settings::find(db, HEALTH_WARNING)?;
            Ok(Notices {
                health_warning: full.clone().or(kept),
                unread_removed: last.map_or(0, |last| last.unread_removed),
            })
        })
        .await
}
