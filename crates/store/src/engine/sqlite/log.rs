//! The way from SQLite's log to its file.
//!
//! SQLite would copy the log into the file in the middle of whichever commit makes it too long, and wait for
//! the disk twice: up to 200 ms in which nobody else could write. Here another thread does so with a
//! connection of its own, while the writer goes on. The log begins anew only when all of it has been copied,
//! which may never be while somebody writes without a pause; so whoever writes much that nobody waits for
//! makes pauses (`upkeep::is_behind`), the writer copies what little is left when the log has become long, and
//! however much it is before it becomes too long.

use std::path::Path;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use rusqlite::Connection;

use super::{Access, OpenError, connect, opening, spawn};

/// Pages that wait to be copied before somebody is sent: SQLite's own measure.
pub(crate) const WAITING: i64 = 1_000;
/// Pages of a log that is long: 16 MB. The writer copies the rest when that is little.
const LONG: i64 = 4 * WAITING;
const LITTLE: i64 = WAITING / 4;
/// Pages beyond which the writer waits for the copy, however much there is to copy.
const TOO_LONG: i64 = 16 * WAITING;

/// What the writer knows of the log.
pub(super) struct Log {
    copier: JoinHandle<()>,
    calls: SyncSender<()>,
    /// Who copies: SQLite does not let a second one wait.
    turn: Arc<Mutex<()>>,
}

impl Log {
    /// Takes the log of `writer` out of its hands.
    pub(super) fn open(writer: &Connection, path: &Path) -> Result<Self, OpenError> {
        let copying = connect(path, Access::Write)?;
        for connection in [writer, &copying] {
            connection
                .pragma_update(None, "wal_autocheckpoint", 0)
                .map_err(|error| opening(path, &error))?;
        }
        // One call that waits is enough: whoever takes it copies all there is.
        let (calls, called) = sync_channel(1);
        let turn = Arc::new(Mutex::new(()));
        let its_turn = Arc::clone(&turn);
        let copier = spawn("lede-log", move || {
            while called.recv().is_ok() {
                copy(&copying, &its_turn);
            }
        })?;
        Ok(Self {
            copier,
            calls,
            turn,
        })
    }

    /// After a commit: has the log copied when there is enough to copy.
    pub(super) fn keep_short(&self, writer: &Connection) {
        let Some((length, copied)) = length(writer) else {
            return;
        };
        let left = length - copied;
        let is_alone = left >= WAITING
            && matches!(self.calls.try_send(()), Err(TrySendError::Disconnected(())));
        // While somebody copies it, there is nothing to do but wait.
        let is_time = length >= LONG && left <= LITTLE && self.turn.try_lock().is_ok();
        if is_time || is_alone || length >= TOO_LONG {
            copy(writer, &self.turn);
        }
    }

    /// Waits until nobody copies any more.
    pub(super) fn close(self) {
        drop(self.calls);
        // A thread that panicked has nothing left to finish.
        let _ = self.copier.join();
    }
}

/// Copies what no reader needs to find in the log. What goes wrong here goes wrong again at the next commit,
/// or does not matter: nothing is lost that is in the log.
fn copy(connection: &Connection, turn: &Mutex<()>) {
    let _turn = turn.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let copied = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    if let Err(error) = copied {
        tracing::warn!(%error, "the database's log was not copied into its file");
    }
}

/// Pages in the log, and how many of them are copied already; `None` when that cannot be told now.
fn length(connection: &Connection) -> Option<(i64, i64)> {
    let mut statement = connection
        .prepare_cached("PRAGMA wal_checkpoint(NOOP)")
        .ok()?;
    let row = statement.query_row([], |row| Ok((row.get(1)?, row.get(2)?)));
    row.ok().filter(|(length, _)| *length >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes so many pages, one commit each.
    fn write(connection: &Connection, pages: i64) {
        for _ in 0..pages {
            let page = "INSERT INTO kept VALUES (zeroblob(3000))";
            connection.execute(page, []).unwrap();
        }
    }

    fn open(folder: &Path) -> (Connection, Log) {
        let path = folder.join("lede.db");
        let writer = connect(&path, Access::Write).unwrap();
        writer.execute_batch("CREATE TABLE kept (page)").unwrap();
        let log = Log::open(&writer, &path).unwrap();
        (writer, log)
    }

    #[test]
    fn a_log_is_copied_by_another_thread_and_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, log) = open(folder.path());
        write(&writer, WAITING);
        let (long, copied) = length(&writer).unwrap();
        assert!(long >= WAITING && copied == 0, "{long}, {copied}");
        log.keep_short(&writer);
        // It is done when its thread is.
        log.close();
        assert_eq!(length(&writer), Some((long, long)));
        write(&writer, 1);
        let (short, copied) = length(&writer).unwrap();
        assert!(short < 10 && copied == 0, "{short}, {copied}");
    }

    #[test]
    fn a_log_that_grows_without_a_pause_has_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, log) = open(folder.path());
        let mut longest = 0;
        for _ in 0..3 * TOO_LONG / 100 {
            writer.execute_batch("BEGIN").unwrap();
            write(&writer, 100);
            writer.execute_batch("COMMIT").unwrap();
            log.keep_short(&writer);
            longest = longest.max(length(&writer).unwrap().0);
        }
        log.close();
        assert!(longest <= TOO_LONG + 200, "{longest}");
    }
}
