//! Opening a store and running closures on it.
//!
//! Both engines consist of a few threads that own connections and take jobs from a bounded queue.
//! The differences are here and in the two child modules: opening and checking a connection, and
//! turning a write into a transaction.

pub mod archive;
mod connection;
mod error;
mod integrity;
mod job;
mod postgres;
mod sqlite;
mod value;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use lede_model::secret::Secret;
use tokio::sync::{mpsc, oneshot};

use crate::signals::Signals;

pub use connection::Db;
pub use connection::{CachedCount, Version};
pub(crate) use connection::{Row, Sql};
pub(crate) use error::postgres_words;
pub use error::{OpenError, StoreError, StoreResult};
use job::{Frame, Job, Task, Timed};
pub(crate) use sqlite::{LOG_WAITING, create_private};
pub(crate) use value::Value;

/// Jobs that may be queued before senders wait: enough for a burst, small enough to notice
/// overload.
const QUEUE: usize = 1024;

/// Location of a store.
#[derive(Debug, Clone)]
pub enum DatabaseLocation {
    /// A SQLite file, created if it does not exist.
    File(PathBuf),
    /// The `postgres://` URL of a PostgreSQL server, which may contain a password.
    Server(Secret),
}

impl DatabaseLocation {
    /// Free bytes on the disk of the SQLite file. `None` for PostgreSQL, or if the system does not
    /// report it.
    pub fn free_bytes(&self) -> Option<u64> {
        match self {
            Self::File(path) => sqlite::free_bytes(sqlite::folder_of(path)),
            Self::Server(_) => None,
        }
    }
}

/// The database engine of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Runs inside the process, on a file that one server owns.
    Sqlite,
    /// A separate server, which several processes may share.
    Postgres,
}

impl Engine {
    /// Display name of the engine.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// Role of a process that opens the store: a server or worker, or a tool beside them. A backup
/// cannot be restored while a process of the first kind runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProcessRole {
    Server,
    Guest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolLoad {
    /// Read-only connections.
    pub reads: UseLoad,
    /// Connections that write.
    pub writes: UseLoad,
}

/// Load of one kind of connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UseLoad {
    /// All connections, idle or busy.
    pub connections: usize,
    /// Closures waiting for a connection.
    pub waiting: usize,
}

/// An open store. Clones share its threads, which end with the last clone or [`Store::close`].
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    engine: Engine,
    place: DatabaseLocation,
    reads: mpsc::Sender<Box<dyn Job>>,
    writes: mpsc::Sender<Box<dyn Job>>,
    /// For [`Store::read_inline`]; `None` on PostgreSQL, where every query goes over the network.
    read_inline: Option<Mutex<sqlite::InlineReader>>,
    checked: sqlite::Checked,
    /// Set when a check found damage. The shutdown is then not recorded as clean.
    is_damaged: Arc<AtomicBool>,
    /// True if a server of the same file may run in another process.
    is_guest: bool,
    /// For LISTEN; `None` on SQLite.
    server: Option<Arc<postgres::Target>>,
    watch: Arc<Watch>,
    signals: Arc<Signals>,
    threads: Vec<std::thread::JoinHandle<()>>,
    /// Number of writer threads; the others read.
    writers: usize,
}

/// Callback that receives the duration of each write.
#[derive(Default)]
struct Watch(OnceLock<Box<dyn Fn(Duration) + Send + Sync>>);

impl Watch {
    fn saw(&self, took: Duration) {
        if let Some(watch) = self.0.get() {
            watch(took);
        }
    }
}

impl Store {
    /// Opens the store as a server: checks it, migrates it and, on SQLite, locks the file against
    /// other servers. Blocks until that is done.
    pub fn open(place: &DatabaseLocation) -> Result<Self, OpenError> {
        match place {
            DatabaseLocation::File(path) => sqlite::open(path, ProcessRole::Server),
            DatabaseLocation::Server(url) => postgres::open(url, ProcessRole::Server),
        }
    }

    /// Opens the store beside a running server, for commands such as `lede admin`.
    pub fn open_beside(place: &DatabaseLocation) -> Result<Self, OpenError> {
        match place {
            DatabaseLocation::File(path) => sqlite::open(path, ProcessRole::Guest),
            DatabaseLocation::Server(url) => postgres::open(url, ProcessRole::Guest),
        }
    }

    /// Describes a store and its state without changing it.
    pub fn inspect(place: &DatabaseLocation) -> Result<String, OpenError> {
        match place {
            DatabaseLocation::File(path) => sqlite::inspect(path),
            DatabaseLocation::Server(url) => postgres::inspect(url),
        }
    }

    /// Checks the file for damage while it is in use, unless it was checked when it was opened.
    /// Blocks until the whole file is read or `is_stopping` returns `true`. Does nothing on
    /// PostgreSQL, which checks its own files.
    pub fn check_while_serving(
        &self,
        is_stopping: impl FnMut() -> bool + Send + 'static,
    ) -> Result<(), OpenError> {
        let Shared { checked, place, .. } = &*self.shared;
        let found = match (checked, place) {
            (sqlite::Checked::Later, DatabaseLocation::File(path)) => {
                sqlite::while_serving(path, is_stopping)
            }
            _ => Ok(()),
        };
        if matches!(found, Err(OpenError::Damaged { .. })) {
            self.shared.is_damaged.store(true, Ordering::Relaxed);
        }
        found
    }

    pub fn engine(&self) -> Engine {
        self.shared.engine
    }

    pub fn place(&self) -> &DatabaseLocation {
        &self.shared.place
    }

    /// Returns `true` if a server may be using the same file.
    pub fn is_guest(&self) -> bool {
        self.shared.is_guest
    }

    /// Sets a callback that receives how long each write held its connection. On SQLite there is
    /// only one, for which all other writes wait. Only the first call has an effect.
    pub fn watch_writes(&self, watch: impl Fn(Duration) + Send + Sync + 'static) {
        // A process sets this once.
        let _ = self.shared.watch.0.set(Box::new(watch));
    }

    /// Returns the load of the connections.
    pub fn load(&self) -> PoolLoad {
        let shared = &*self.shared;
        let load = |queue: &mpsc::Sender<_>, connections| UseLoad {
            connections,
            waiting: queue.max_capacity() - queue.capacity(),
        };
        PoolLoad {
            reads: load(&shared.reads, shared.threads.len() - shared.writers),
            writes: load(&shared.writes, shared.writers),
        }
    }

    /// Runs `work` on a read-only connection.
    pub async fn read<T, F>(&self, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Db<'_>) -> StoreResult<T> + Send + 'static,
    {
        untimed(send(&self.shared.reads, work, Frame::Nothing).await)
    }

    /// Runs `work` on a read-only connection, on the caller's thread if possible: waking another
    /// thread and being woken costs more than a look-up. It blocks the async runtime's thread, so
    /// use it only for queries that take no longer than a page of a list. One such query runs at a
    /// time; others fall back to [`Store::read`], so that only one runtime thread is blocked.
    pub async fn read_inline<T, F>(&self, mut work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Db<'_>) -> StoreResult<T> + Send + 'static,
    {
        if let Some(read_inline) = &self.shared.read_inline
            && let Ok(mut read_inline) = read_inline.try_lock()
        {
            return read_inline.run(&mut work);
        }
        self.read(work).await
    }

    /// Runs `work` in a transaction, which is committed when this returns `Ok`. The closure may run
    /// more than once, because PostgreSQL requires a retry when two writers conflict.
    pub async fn write<T, F>(&self, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Db<'_>) -> StoreResult<T> + Send + 'static,
    {
        untimed(send(&self.shared.writes, work, Frame::Transaction).await)
    }

    /// Same as [`Store::write`], and returns how long `work` and its commit held the connection.
    /// For callers that split much work into steps and adapt the size of each step to the last
    /// duration.
    pub async fn timed_write<T, F>(&self, work: F) -> StoreResult<(T, Duration)>
    where
        T: Send + 'static,
        F: FnMut(&mut Db<'_>) -> StoreResult<T> + Send + 'static,
    {
        send(&self.shared.writes, work, Frame::Transaction).await
    }

    /// Runs `work` on a writer connection, outside any transaction and without a time limit. For
    /// maintenance of the engine's own files.
    pub(crate) async fn maintenance<T, F>(&self, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Db<'_>) -> StoreResult<T> + Send + 'static,
    {
        untimed(send(&self.shared.writes, work, Frame::Nothing).await)
    }

    /// Returns the signals that workers of this process wait for.
    pub(crate) fn signals(&self) -> &Signals {
        &self.shared.signals
    }

    /// Subscribes to notifications of the server, which a thread receives as long as the receiver
    /// lives. Returns `None` if there is no server. `channel` is the statement that returns the
    /// channel's name. Notifications sent while the connection is down are lost; an empty text
    /// marks a new connection.
    pub(crate) fn listen(&self, channel: &'static str) -> Option<mpsc::Receiver<String>> {
        let server = self.shared.server.as_ref()?;
        match postgres::listen(server, channel) {
            Ok(receiver) => Some(receiver),
            Err(error) => {
                tracing::error!(%error, "notifications of other processes cannot be received");
                None
            }
        }
    }

    /// Finishes queued jobs and closes every connection if this is the last clone. Otherwise the
    /// last clone to be dropped closes them, without waiting for the threads.
    pub fn close(self) {
        let Some(shared) = Arc::into_inner(self.shared) else {
            return;
        };
        drop((shared.reads, shared.writes, shared.read_inline));
        for thread in shared.threads {
            // A thread that panicked has nothing left to finish.
            let _ = thread.join();
        }
    }
}

fn untimed<T>(result: StoreResult<Timed<T>>) -> StoreResult<T> {
    result.map(|(done, _)| done)
}

async fn send<T, F>(
    queue: &mpsc::Sender<Box<dyn Job>>,
    work: F,
    frame: Frame,
) -> StoreResult<Timed<T>>
where
    T: Send + 'static,
    F: FnMut(&mut Db<'_>) -> StoreResult<T> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    let job = Box::new(Task::new(work, frame, reply));
    queue.send(job).await.map_err(|_| StoreError::Closed)?;
    answer.await.map_err(|_| StoreError::Closed)?
}

/// A queue that several threads take their jobs from.
type SharedQueue = Arc<Mutex<mpsc::Receiver<Box<dyn Job>>>>;

/// Returns the next job; `None` when the queue is closed and empty.
fn next_job(queue: &SharedQueue) -> Option<Box<dyn Job>> {
    // One idle thread waits in `blocking_recv` and the others wait for the mutex.
    queue
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
        .blocking_recv()
}

fn spawn(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> Result<std::thread::JoinHandle<()>, OpenError> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map_err(|error| OpenError::Other(error.to_string()))
}
