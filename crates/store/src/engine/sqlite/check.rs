//! Integrity checks of the file that do not delay its users.
//!
//! A check reads the whole file, so its duration grows with the store: two seconds for 100,000
//! items. After a clean shutdown, which is recorded in the store, the file is as SQLite wrote it,
//! and the check runs while the server already answers requests. After a crash or a power cut it
//! runs before that, and only checks the structure of the file.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use super::{Access, connect, opening};
use crate::engine::connection::Counted;
use crate::engine::{Db, OpenError};
use crate::settings;

/// Up to this size the file is checked together with its indexes; above, only its structure.
const FULL_CHECK_BYTES: u64 = 100 * 1024 * 1024;
/// Setting that exists exactly while the store is closed after a clean shutdown.
const CLEAN_SHUTDOWN: &str = "clean_shutdown";
/// Interval of log entries during a check.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);
/// Virtual machine instructions between two calls of the progress handler: a few milliseconds.
const STEPS: i32 = 100_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum Checked {
    /// Checked before anything was served.
    OnStart,
    /// Not checked yet, because the store was closed cleanly.
    Later,
}

/// Removes the record of a clean shutdown, or checks the structure of the file if there is none.
pub(super) fn on_start(writer: &mut Connection, path: &Path) -> Result<Checked, OpenError> {
    if take_clean_shutdown(writer) {
        return Ok(Checked::Later);
    }
    let began = Instant::now();
    let mut last_report = began;
    let report = move || {
        if last_report.elapsed() >= PROGRESS_EVERY {
            last_report = Instant::now();
            let seconds = began.elapsed().as_secs();
            tracing::info!(
                seconds,
                "checking the database, which was not closed cleanly"
            );
        }
        false
    };
    let _ = writer.progress_handler(STEPS, Some(report));
    let found = run(writer, path, "PRAGMA quick_check(1)");
    let _ = writer.progress_handler(0, None::<fn() -> bool>);
    found.map(|()| Checked::OnStart)
}

/// Checks the file on a separate connection until `is_stopping` returns `true`.
pub(in crate::engine) fn while_serving(
    path: &Path,
    is_stopping: impl FnMut() -> bool + Send + 'static,
) -> Result<(), OpenError> {
    let mut connection = connect(path, Access::Read)?;
    // Every page is read once: a memory map would only look like memory in use.
    let other = |error: rusqlite::Error| OpenError::Other(error.to_string());
    connection
        .pragma_update(None, "mmap_size", 0)
        .map_err(other)?;
    connection
        .progress_handler(STEPS, Some(is_stopping))
        .map_err(other)?;
    check_integrity(&connection, path)
}

/// Checks the file as thoroughly as its size allows. An interrupted check counts as passed.
pub(in crate::engine) fn check_integrity(
    connection: &Connection,
    path: &Path,
) -> Result<(), OpenError> {
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    run(connection, path, check_for(bytes))
}

/// A full check reads every index and takes about a second per 100 MB.
fn check_for(bytes: u64) -> &'static str {
    if bytes > FULL_CHECK_BYTES {
        "PRAGMA quick_check(1)"
    } else {
        "PRAGMA integrity_check(1)"
    }
}

fn run(connection: &Connection, path: &Path, check: &str) -> Result<(), OpenError> {
    let finding: String = match connection.query_row(check, [], |row| row.get(0)) {
        Ok(finding) => finding,
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
            return Ok(());
        }
        Err(error) => return Err(opening(path, &error)),
    };
    if finding == "ok" {
        return Ok(());
    }
    Err(OpenError::Damaged {
        path: path.to_owned(),
        finding: finding.lines().next().unwrap_or_default().to_owned(),
    })
}

/// Removes the record of a clean shutdown and returns whether it existed. A new file has no
/// settings yet. If the record cannot be removed, the file counts as unclean, because the record
/// would survive the next crash.
fn take_clean_shutdown(writer: &Connection) -> bool {
    let mut counted = Counted::default();
    let mut db = Db::sqlite(writer, &mut counted);
    matches!(settings::find(&mut db, CLEAN_SHUTDOWN), Ok(Some(_)))
        && settings::remove(&mut db, CLEAN_SHUTDOWN).is_ok()
}

/// Records a clean shutdown. If that fails, only the next start takes longer.
pub(super) fn mark_clean_shutdown(writer: &Connection) {
    let mut counted = Counted::default();
    let mut db = Db::sqlite(writer, &mut counted);
    if let Err(error) = settings::put(&mut db, CLEAN_SHUTDOWN, "true") {
        tracing::warn!(%error, "the clean shutdown could not be recorded");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_is_checked_by_its_structure() {
        assert_eq!(check_for(0), "PRAGMA integrity_check(1)");
        assert_eq!(check_for(FULL_CHECK_BYTES), "PRAGMA integrity_check(1)");
        assert_eq!(check_for(FULL_CHECK_BYTES + 1), "PRAGMA quick_check(1)");
    }
}
