//! Nightly backups, and the removal of old ones.
//!
//! A backup is named after its day, so that its existence is visible in the folder and survives a
//! restart. Old ones are removed only after the new one is complete and checked.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lede_model::daily_window::Nightly;
use lede_model::warning::{MaintenanceError, Warning};
use lede_store::archive::{self, ArchiveError, Existing, Inventory};
use lede_store::{DatabaseLocation, StoreResult, settings};
use tokio::sync::oneshot;

use crate::Lede;

/// Interval between checks for a due backup, and the pause after a failure.
const LOOK_EVERY: Duration = Duration::from_secs(60);
const AGAIN_AFTER: Duration = Duration::from_secs(3600);
/// Setting with the [`Warning`] about the last backup, for the operator. Absent if it succeeded.
pub const WARNING: &str = "backup_warning";

/// Schedule and location of backups.
#[derive(Debug, Clone)]
pub struct BackupSettings {
    pub folder: PathBuf,
    /// Hour from which a day's backup is due.
    pub nightly: Nightly,
    /// Number of backups to keep, at least one.
    pub keep: usize,
}

/// Makes backups when they are due, until `stop` is ready. A backup that is in progress then is
/// abandoned: its file has another name and is removed after the next backup.
pub(crate) async fn run(lede: &Lede, stop: impl Future<Output = ()>) {
    let Some(settings) = &lede.settings.backups else {
        return;
    };
    let working = async {
        // Not at start-up, which is busy enough.
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

/// Makes the backup of the day unless it exists. Returns its path if one was made. An error is also
/// stored, until a backup succeeds.
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
                "the nightly backup of {day} is complete"
            );
            clear(&settings.folder, settings.keep);
            (None, Ok(Some(file)))
        }
        // Another worker with the same backup folder was faster.
        Err(ArchiveError::Exists(_)) => return Ok(None),
        Err(error) => {
            let warning = Warning::NoBackup {
                day: day.to_string(),
                error: MaintenanceError::from(&error),
            };
            (Some(warning), Err(error))
        }
    };
    if let Err(error) = warn(lede, warning).await {
        tracing::error!(%error, "the result of the nightly backup could not be stored");
    }
    result
}

async fn warn(lede: &Lede, warning: Option<Warning>) -> StoreResult<()> {
    lede.store
        .write(move |db| settings::put_messages(db, WARNING, warning.as_slice()))
        .await
}

/// Copies on a dedicated thread. The runtime would wait for one of its own threads when the process
/// is asked to stop.
async fn copy(place: DatabaseLocation, file: PathBuf) -> Result<Inventory, ArchiveError> {
    let (reply, answer) = oneshot::channel();
    let work = move || {
        let made = archive::backup(&place, &file, Existing::Refused, &mut |words| {
            tracing::debug!("nightly backup: {words}");
        });
        // The receiver is gone if the process is stopping.
        let _ = reply.send(made);
    };
    let started = std::thread::Builder::new()
        .name("lede-backup".to_owned())
        .spawn(work);
    if let Err(error) = started {
        return Err(ArchiveError::Copy(error.to_string()));
    }
    answer.await.unwrap_or(Err(ArchiveError::BrokenOff))
}

/// Removes all but the newest `keep` backups, and the remains of interrupted ones.
fn clear(folder: &Path, keep: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let (mut backups, others): (Vec<String>, Vec<String>) = names.partition(|name| is_backup(name));
    // ISO dates sort chronologically.
    backups.sort_unstable_by(|one, other| other.cmp(one));
    let old = backups.into_iter().skip(keep.max(1));
    let cut_off = others.into_iter().filter(|name| is_cut_off(name));
    for name in old.chain(cut_off) {
        if let Err(error) = std::fs::remove_file(folder.join(&name)) {
            tracing::warn!(%error, "the old backup {name} could not be removed");
        }
    }
}

/// True for names such as `lede-2026-03-14.db`: only files made by this module are ever removed.
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

/// True for `lede-2026-03-14.db.1234.partial` and the files that SQLite may have put beside it.
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
