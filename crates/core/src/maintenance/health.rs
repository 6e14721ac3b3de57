//! Health checks, every few minutes: worker, disk and database. Problems are shown to users.

use std::time::Duration;

use lede_model::job::JobKind;
use lede_model::message::Tenths;
use lede_model::time::Timestamp;
use lede_model::warning::Warning;
use lede_store::{Db, StoreResult, cleanup, leases, maintenance, settings};

use super::MIB;
use crate::{Lede, jobs};

/// Interval between checks.
pub const EVERY: Duration = Duration::from_secs(300);
/// Age from which a pending job or a due feed counts as stuck.
const STUCK_AFTER: Duration = Duration::from_secs(3600);
/// Time within which the database has to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Setting with the [`Warning`]s; absent if there are none.
pub(crate) const HEALTH_WARNING: &str = "health_warning";
/// Setting with a [`Warning`] if the database is too large though nothing more may be removed.
pub(crate) const SIZE_WARNING: &str = "db_size_warning";

/// State of the language model's circuit breaker. The built-in model cannot fail, so the breaker is
/// always closed. A remote model would report its state here.
pub const CIRCUIT_BREAKER: &str = "CLOSED";

/// Notices shown on every page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notices {
    /// Problems of the instance.
    pub health_warnings: Vec<Warning>,
    /// Unread items that the last clean-up removed.
    pub unread_removed: i64,
}

/// Checks now and every few minutes, until `stop` is ready.
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

/// Checks once and stores the problems for all users to see. Work that waited while no process ran
/// is not stuck yet: `running_since` is the start of this process.
pub async fn check(lede: &Lede, running_since: Timestamp) {
    let problems = match tokio::time::timeout(PATIENCE, problems(lede, running_since)).await {
        Ok(Ok(problems)) => problems,
        Ok(Err(error)) => return tracing::warn!(%error, "health: the database does not answer"),
        Err(_) => return tracing::warn!("health: the database does not answer in time"),
    };
    for problem in &problems {
        tracing::warn!(%problem, "health: a check failed");
    }
    let kept = lede
        .store
        .write(move |db| settings::put_messages(db, HEALTH_WARNING, &problems));
    if let Err(error) = kept.await {
        tracing::warn!(%error, "health: the result could not be stored");
    }
}

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
            Ok((maintenance::size(db)?, is_stuck))
        })
        .await?;
    lede.metrics.database.bytes.set(size.total);
    let mut problems = Vec::new();
    if let Some(warning) = lede.disk.warning() {
        problems.push(warning);
    } else if is_stuck {
        // A full disk is the reason for stuck work, so only the disk is reported then.
        problems.push(Warning::Stuck);
    }
    let limit = lede.settings.retention.max_db_size_mb;
    let most = lede.settings.retention.most_bytes();
    if most.is_some_and(|most| size.total > most) {
        let size = Tenths((size.total as f64 * 10.0 / MIB as f64).round() as i64);
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

/// Returns the notices for every page.
pub async fn notices(lede: &Lede) -> StoreResult<Notices> {
    // A full disk is reported at once: users need to know why nothing can be changed.
    let full = match lede.disk.warning() {
        Some(warning @ Warning::DiskFull { .. }) => Some(warning),
        _ => None,
    };
    lede.store
        .read(move |db| {
            let last = cleanup::log(db, 1)?.pop();
            let health_warnings = match full.clone() {
                Some(warning) => vec![warning],
                None => settings::messages(db, HEALTH_WARNING)?,
            };
            Ok(Notices {
                health_warnings,
                unread_removed: last.map_or(0, |last| last.unread_removed),
            })
        })
        .await
}
