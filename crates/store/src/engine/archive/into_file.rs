//! Restore into SQLite: writes a complete new file beside the old one, then renames it.

use std::path::{Path, PathBuf};

use lede_model::time::Timestamp;
use rusqlite::Connection;

use super::{ArchiveError, Existing, Inventory, Partial, Progress, Result, not_writable};
use crate::engine::OpenError;
use crate::engine::sqlite::{self, folder_of};
use crate::migrate;

/// Replaces the file at `path` with the contents of `archive`. An old file that has data is moved
/// aside.
pub(super) fn restore(
    archive: &Path,
    inventory: &Inventory,
    path: &Path,
    existing: Existing,
    now: Timestamp,
    progress: Progress<'_>,
) -> Result<Inventory> {
    let folder = folder_of(path);
    std::fs::create_dir_all(folder).map_err(not_writable(folder))?;
    sqlite::check_file_system(path)?;
    // Held until the new file is in place, so that no server starts meanwhile.
    let _alone = sqlite::lock(path).map_err(|error| match error {
        OpenError::InUse(_) => ArchiveError::InUse,
        other => other.into(),
    })?;
    let before = found_at(path)?;
    if before == Before::Filled && existing == Existing::Refused {
        return Err(ArchiveError::NotEmpty(Some(path.to_owned())));
    }
    let partial = Partial::beside(path)?;
    super::copy_file(archive, &partial.0, progress)?;
    migrate::sqlite_copy(&Connection::open(&partial.0)?, &partial.0)?;
    let restored = super::inspect(&partial.0)?;
    for (table, expected) in &inventory.rows {
        let found = restored.rows.iter().find(|(name, _)| name == table);
        let found = found.map_or(0, |(_, rows)| *rows);
        if found != *expected {
            return Err(ArchiveError::Incomplete {
                table: table.clone(),
                expected: *expected,
                found,
            });
        }
    }
    if before != Before::Nothing {
        end_log(path)?;
    }
    let kept_aside = match before {
        Before::Filled => Some(rename_aside(path, now)?),
        Before::Nothing | Before::Empty => None,
    };
    partial.become_file(path)?;
    Ok(Inventory {
        kept_aside,
        ..restored
    })
}

/// State of the target path before a restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// An instance without accounts and feeds.
    Empty,
    /// Has accounts or feeds, or is unreadable and may still be rescued.
    Filled,
}

fn found_at(path: &Path) -> Result<Before> {
    if std::fs::metadata(path).map_or(0, |file| file.len()) == 0 {
        return Ok(Before::Nothing);
    }
    let Ok(file) = super::open_archive(path) else {
        return Ok(Before::Filled);
    };
    match migrate::sqlite_version(&file, path) {
        Ok(0) => Ok(Before::Empty),
        Err(foreign @ OpenError::Foreign(_)) => Err(foreign.into()),
        Err(_) => Ok(Before::Filled),
        Ok(_) => {
            let sql = "SELECT EXISTS (SELECT 1 FROM account) OR EXISTS (SELECT 1 FROM feed)";
            let is_filled = file.query_row(sql, [], |row| row.get(0)).unwrap_or(true);
            Ok(match is_filled {
                true => Before::Filled,
                false => Before::Empty,
            })
        }
    }
}

/// Checkpoints the old file's WAL into it: SQLite would apply a leftover WAL to the new database.
/// Fails while another process has the file open, because only the last connection can leave WAL
/// mode.
fn end_log(path: &Path) -> Result<()> {
    let mode = || -> rusqlite::Result<String> {
        let file = Connection::open(path)?;
        file.busy_timeout(sqlite::BUSY_TIMEOUT)?;
        file.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get(0))
    };
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    match mode() {
        Ok(mode) if mode == "delete" => Ok(()),
        Ok(_) => Err(ArchiveError::InUse),
        Err(error)
            if matches!(
                error.sqlite_error_code(),
                Some(DatabaseBusy | DatabaseLocked)
            ) =>
        {
            Err(ArchiveError::InUse)
        }
        // The file is damaged, which may be the reason for the restore: its WAL is moved aside with
        // it.
        Err(_) => Ok(()),
    }
}

/// Gives the old file a second name with a time stamp. Its original name is taken over by the
/// rename that follows, so that a database exists at every moment.
fn rename_aside(path: &Path, now: Timestamp) -> Result<PathBuf> {
    let stamp: String = now
        .to_string()
        .chars()
        .take(19)
        .filter(|c| *c != ':')
        .collect();
    let aside = path.with_extension(format!("before-restore-{stamp}.db"));
    let beside = |path: &Path, ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    for ending in ["-wal", "-shm"] {
        let log = beside(path, ending);
        if log.exists() {
            std::fs::rename(&log, beside(&aside, ending)).map_err(not_writable(&aside))?;
        }
    }
    // Some file systems do not support hard links.
    std::fs::hard_link(path, &aside)
        .or_else(|_| std::fs::rename(path, &aside))
        .map_err(not_writable(&aside))?;
    Ok(aside)
}
