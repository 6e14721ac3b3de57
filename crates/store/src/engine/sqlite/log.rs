//! Checkpointing of SQLite's write-ahead log (WAL).
//!
//! By default SQLite checkpoints within the commit that makes the WAL too long, and waits for the
//! disk twice: up to 200 ms in which no other write can run. Here a separate thread checkpoints on
//! its own connection while the writer continues.
//!
//! The WAL restarts only after a complete checkpoint, which may never happen under continuous
//! writes. So background work that writes much makes pauses (`maintenance::is_behind`). In addition, the
//! writer checkpoints the remainder itself when the WAL is long and little is left, and regardless
//! of the remainder when the WAL becomes too long.

use std::path::Path;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use rusqlite::Connection;

use super::{Access, OpenError, connect, opening, spawn};

/// Pages not yet checkpointed that trigger a checkpoint: SQLite's own default.
pub(crate) const WAITING: i64 = 1_000;
/// Length of a long WAL in pages: 16 MB. The writer then checkpoints a remainder of up to
/// [`LITTLE`].
const LONG: i64 = 4 * WAITING;
const LITTLE: i64 = WAITING / 4;
/// Length in pages beyond which the writer checkpoints whatever the remainder.
const TOO_LONG: i64 = 16 * WAITING;

/// The writer's handle to the checkpoint thread.
pub(super) struct Log {
    copier: JoinHandle<()>,
    calls: SyncSender<()>,
    /// Held while checkpointing: SQLite does not let a second checkpoint wait.
    turn: Arc<Mutex<()>>,
}

impl Log {
    /// Disables SQLite's automatic checkpoints and starts the checkpoint thread.
    pub(super) fn open(writer: &Connection, path: &Path) -> Result<Self, OpenError> {
        let copying = connect(path, Access::Write)?;
        for connection in [writer, &copying] {
            connection
                .pragma_update(None, "wal_autocheckpoint", 0)
                .map_err(|error| opening(path, &error))?;
        }
        // One pending request is enough: it checkpoints everything there is.
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

    /// Call after each commit. Requests a checkpoint when enough pages are pending.
    pub(super) fn checkpoint_if_due(&self, writer: &Connection) {
        let Some((length, copied)) = length(writer) else {
            return;
        };
        let left = length - copied;
        let is_alone = left >= WAITING
            && matches!(self.calls.try_send(()), Err(TrySendError::Disconnected(())));
        // While the other thread checkpoints, the writer has nothing to do.
        let is_time = length >= LONG && left <= LITTLE && self.turn.try_lock().is_ok();
        if is_time || is_alone || length >= TOO_LONG {
            copy(writer, &self.turn);
        }
    }

    /// Waits for the checkpoint thread to finish.
    pub(super) fn close(self) {
        drop(self.calls);
        // A thread that panicked has nothing left to finish.
        let _ = self.copier.join();
    }
}

/// Checkpoints the pages that no reader still needs from the WAL. Errors are only logged: the next
/// commit tries again, and nothing that is in the WAL is lost.
fn copy(connection: &Connection, turn: &Mutex<()>) {
    let _turn = turn.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let copied = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    if let Err(error) = copied {
        tracing::warn!(%error, "the database's log was not copied into its file");
    }
}

/// Returns the number of pages in the WAL and how many of them are checkpointed; `None` if SQLite
/// does not report it now.
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

    /// Writes `pages` pages, one commit each.
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
        log.checkpoint_if_due(&writer);
        // The checkpoint is complete when the thread has ended.
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
            log.checkpoint_if_due(&writer);
            longest = longest.max(length(&writer).unwrap().0);
        }
        log.close();
        assert!(longest <= TOO_LONG + 200, "{longest}");
    }
}
