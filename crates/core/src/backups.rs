//! A backup each night, and the old ones cleared away.
//!
//! Named after its day, so that whether today's is there can be seen by anybody and survives a
//! restart. Old ones go only after the new one is whole and checked.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lede_model::nightly::Nightly;
use lede_model::warning::{Obstacle, Warning};
use lede_store::archive::{self, ArchiveError, Existing, Inventory};
use lede_store::{Place, StoreResult, settings};
use tokio::sync::oneshot;

use crate::Lede;

/// How often it is looked whether one is due, and how long after a failure it is tried again.
const LOOK_EVERY: Duration = Duration::from_secs(60);
const AGAIN_AFTER: Duration = Duration::from_secs(3600);
/// What went wrong with the last one, for whoever runs the instance. Absent: nothing.
pub const WARNING: &str = "backup_warning";

/// When and where backups are made.
#[derive(Debug, Clone)]
pub struct BackupSettings {
    /// The folder.
    pub folder: PathBuf,
    /// From which hour on.
    pub nightly: Nightly,
    /// How many are kept, at least one.
    pub keep: usize,
}

/// Makes backups when they are due until `stop` is ready. One that is under way then is left: what
/// there is of it has another name and goes with the next.
pub(crate) async fn run(lede: &Lede, stop: impl Future<Output = ()>) {
    let Some(settings) = &lede.settings.backups else {
        return;
    };
    let working = async {
        // Not with the start, which has enough to do.
        let mut pause = LOOK_EVERY;
        loop {
            tokio::time::sleep(pause).await;
            pause = match make_if_due(lede, settings).await {
                Ok(_) => LOOK_EVERY,
                Err(error) => {
                    tracing::error!(%error, "the nightly backup failed; tried again in an hour");
                    AGAIN_AFTER
                }
            };
        }
    };
    tokio::select! {
        () = stop => {}
        () = working => {}
    }
}

/// Makes the backup of the day unless it is there; gives where it is if one was made. What goes wrong is
/// also remembered in the store, until one succeeds.
pub async fn make_if_due(
    lede: &Lede,
    settings: &BackupSettings,
) -> Result<Option<PathBuf>, ArchiveError> {
    let day = settings.nightly.day(lede.clock.now());
    let file = settings.folder.join(format!("lede-{day}.db"));
    if file.exists() {
        return Ok(None);
    }
    let made = copy(lede.store.place().clone(), file.clone()).await;
    let (warning, result) = match made {
        Ok(inventory) => {
            tracing::info!(
                bytes = inventory.bytes,
                "the nightly backup of {day} is there"
            );
            clear(&settings.folder, settings.keep);
            (None, Ok(Some(file)))
        }
        // Another worker that keeps its backups here was faster.
        Err(ArchiveError::Exists(_)) => return Ok(None),
        Err(error) => {
            let (day, said) = (day.to_string(), error.to_string());
            (Some(Warning::NoBackup { day, error: said }), Err(error))
        }
    };
    if let Err(error) = warn(lede, warning).await {
        tracing::error!(%error, "how the nightly backup went could not be kept");
    }
    result
}

async fn warn(lede: &Lede, warning: Option<Warning>) -> StoreResult<()> {
    lede.store
        .write(move |db| match &warning {
            Some(warning) => settings::put(db, WARNING, &warning.to_string()).map(drop),
            None => settings::remove(db, WARNING),
        })
        .await
}

/// On a thread of its own rather than one of the runtime's, which would wait for it when the process
/// is asked to stop.
async fn copy(place: Place, file: PathBuf) -> Result<Inventory, ArchiveError> {
    let (reply, answer) = oneshot::channel();
    let work = move || {
        let made = archive::backup(&place, &file, Existing::Refused, &mut |words| {
            tracing::debug!("nightly backup: {words}");
        });
        // Nobody waits any more when the process ends.
        let _ = reply.send(made);
    };
    let started = std::thread::Builder::new()
        .name("lede-backup".to_owned())
        .spawn(work);
    if let Err(error) = started {
        return Err(ArchiveError::Copy(error.to_string()));
    }
    let ended = Obstacle::BrokenOff.to_string();
    answer.await.unwrap_or(Err(ArchiveError::Copy(ended)))
}

/// Removes all but the newest `keep` backups, and what was left of some that were cut off.
fn clear(folder: &Path, keep: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let (mut backups, others): (Vec<String>, Vec<String>) = names.partition(|name| is_backup(name));
    // Days as they are written sort as they came.
    backups.sort_unstable_by(|one, other| other.cmp(one));
    let old = backups.into_iter().skip(keep.max(1));
    let cut_off = others.into_iter().filter(|name| is_cut_off(name));
    for name in old.chain(cut_off) {
        if let Err(error) = std::fs::remove_file(folder.join(&name)) {
            tracing::warn!(%error, "the old backup {name} could not be removed");
        }
    }
}

/// `lede-2026-03-14.db`: only what this file made is ever removed.
fn is_backup(name: &str) -> bool {
    let day = name
        .strip_prefix("lede-")
        .and_then(|rest| rest.strip_suffix(".db"));
    day.is_some_and(|day| {
        day.len() == 10
            && day.bytes().enumerate().all(|(place, byte)| match place {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    })
}

/// `lede-2026-03-14.db.1234.partial`, with what SQLite may have put beside it.
fn is_cut_off(name: &str) -> bool {
    let stem = name.find(".db.").map(|end| &name[..end + 3]);
    stem.is_some_and(is_backup) && name.contains(".partial")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_files_are_ever_removed_and_the_newest_stay() {
        let folder = tempfile::tempdir().unwrap();
        let kept = ["lede-2026-03-13.db", "lede-2026-03-14.db"];
        let foreign = [
            "lede.db",
            "lede-2026-03.db",
            "lede-2026-13-xx.db",
            "notes.partial",
        ];
        let gone = [
            "lede-2025-12-31.db",
            "lede-2026-03-12.db",
            "lede-2026-03-12.db.77.partial",
            "lede-2026-03-12.db.77.partial-journal",
        ];
        for name in kept.iter().chain(&foreign).chain(&gone) {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        clear(folder.path(), 2);
        for name in kept.iter().chain(&foreign) {
            assert!(folder.path().join(name).exists(), "{name}");
        }
        for name in gone {
            assert!(!folder.path().join(name).exists(), "{name}");
        }
    }
}
