//! Opening a store and running closures on it.
//!
//! Both engines are a few threads that own connections and take jobs from a bounded queue. What
//! differs is here and in the two children: how a connection is opened and checked, and how a
//! write becomes a transaction.

pub mod archive;
mod connection;
mod error;
mod job;
mod postgres;
mod soundness;
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
pub use connection::{Known, Version};
pub(crate) use connection::{Row, Sql};
pub(crate) use error::postgres_words;
pub use error::{OpenError, StoreError, StoreResult};
use job::{Frame, Job, Task, Timed};
pub(crate) use sqlite::{LOG_WAITING, create_private};
pub(crate) use value::Value;

/// Jobs that may wait before senders do: enough for a burst, little enough to notice overload.
const QUEUE: usize = 1024;

/// Where a store lives.
#[derive(Debug, Clone)]
pub enum Place {
    /// A SQLite file, made when it is not there.
    File(PathBuf),
    /// A PostgreSQL server: a `postgres://` address, which may carry a password.
    Server(Secret),
}

impl Place {
    /// Bytes that are free on the disk of the file; nothing where that is another machine's
    /// business, or the system does not tell.
    pub fn free_bytes(&self) -> Option<u64> {
        match self {
            Self::File(path) => sqlite::free_bytes(sqlite::folder_of(path)),
            Self::Server(_) => None,
        }
    }
}

/// Which of the two engines a store runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Inside the process.
    Sqlite,
    /// A server.
    Postgres,
}

impl Engine {
    /// The name that people know.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// Whether a process is a server or worker of the store, or works beside them. Nobody restores a
/// backup while there is one of the first kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Server,
    Guest,
}

/// Load of the connections of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolLoad {
    /// Those that only read.
    pub reads: UseLoad,
    /// Those that write.
    pub writes: UseLoad,
}

/// Load of the connections for one use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UseLoad {
    /// Connections, idle or not.
    pub connections: usize,
    /// Closures that wait for one of them.
    pub waiting: usize,
}

/// An open store. Clones share its threads; the last one dropped, or [`Store::close`], ends them.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    engine: Engine,
    place: Place,
    reads: mpsc::Sender<Box<dyn Job>>,
    writes: mpsc::Sender<Box<dyn Job>>,
    /// For [`Store::glance`]; `None` where every question goes over a network.
    glance: Option<Mutex<sqlite::Glance>>,
    checked: sqlite::Checked,
    /// Set when a check found damage: the shutdown is not clean then, however orderly it is.
    is_damaged: Arc<AtomicBool>,
    /// Whether a server of the same file may run in another process.
    is_guest: bool,
    /// The server, where there is one that announces things.
    server: Option<Arc<postgres::Target>>,
    watch: Arc<Watch>,
    signals: Arc<Signals>,
    threads: Vec<std::thread::JoinHandle<()>>,
    /// So many of the threads write; the others read.
    writers: usize,
}

/// Who is told how long each write took.
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
    /// Opens the store as the one server of its file: checks it, migrates it, keeps others out.
    /// Blocks while it does; nothing is served before.
    pub fn open(place: &Place) -> Result<Self, OpenError> {
        match place {
            Place::File(path) => sqlite::open(path, Standing::Server),
            Place::Server(url) => postgres::open(url, Standing::Server),
        }
    }

    /// Opens the store beside a running server, for `lede admin` and its like.
    pub fn open_beside(place: &Place) -> Result<Self, OpenError> {
        match place {
            Place::File(path) => sqlite::open(path, Standing::Guest),
            Place::Server(url) => postgres::open(url, Standing::Guest),
        }
    }

    /// Looks at a store without changing it: what is there and whether it is sound.
    pub fn inspect(place: &Place) -> Result<String, OpenError> {
        match place {
            Place::File(path) => sqlite::inspect(path),
            Place::Server(url) => postgres::inspect(url),
        }
    }

    /// Looks for damage in the file while it is in use, unless it was checked when it was opened. Blocks for as long
    /// as it takes to read the file, or until `is_stopping` says so. PostgreSQL looks after its own files.
    pub fn check_while_serving(
        &self,
        is_stopping: impl FnMut() -> bool + Send + 'static,
    ) -> Result<(), OpenError> {
        let Shared { checked, place, .. } = &*self.shared;
        let found = match (checked, place) {
            (sqlite::Checked::Later, Place::File(path)) => sqlite::while_serving(path, is_stopping),
            _ => Ok(()),
        };
        if matches!(found, Err(OpenError::Damaged { .. })) {
            self.shared.is_damaged.store(true, Ordering::Relaxed);
        }
        found
    }

    /// The engine it runs on.
    pub fn engine(&self) -> Engine {
        self.shared.engine
    }

    /// Where it lives.
    pub fn place(&self) -> &Place {
        &self.shared.place
    }

    /// Whether it was opened beside a server that may be using the same file.
    pub fn is_guest(&self) -> bool {
        self.shared.is_guest
    }

    /// Tells `watch`, which the first caller gives, how long each write held the connection that it ran on:
    /// on SQLite there is one, and everybody else's writes wait for it.
    pub fn watch_writes(&self, watch: impl Fn(Duration) + Send + Sync + 'static) {
        // Only the first is told: there is one house around a store.
        let _ = self.shared.watch.0.set(Box::new(watch));
    }

    /// Returns the load of its connections.
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

    /// Runs `work` on a connection that cannot write.
    pub async fn read<T, F>(&self, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Db<'_>) -> StoreResult<T> + Send + 'static,
    {
        untimed(send(&self.shared.reads, work, Frame::Nothing).await)
    }

    /// Runs `work` on a connection that cannot write and, where that can be had, on the caller's own
    /// thread: two threads that wake each other cost more than a look-up. Only for what takes no
    /// longer than a page of a list, because nothing else runs on this thread meanwhile; one at a
    /// time, so that the other threads are free.
    pub async fn glance<T, F>(&self, mut work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Db<'_>) -> StoreResult<T> + Send + 'static,
    {
        if let Some(glance) = &self.shared.glance
            && let Ok(mut glance) = glance.try_lock()
        {
            return glance.run(&mut work);
        }
        self.read(work).await
    }

    /// Runs `work` in a transaction; it is committed when this returns `Ok`. The closure may run
    /// more than once, because PostgreSQL asks for that when two writers meet.
    pub async fn write<T, F>(&self, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Db<'_>) -> StoreResult<T> + Send + 'static,
    {
        untimed(send(&self.shared.writes, work, Frame::Transaction).await)
    }

    /// The same, and tells how long `work` and its commit held the connection that they ran on: for whoever
    /// does much in steps and lets each be as long as the one before allows.
    pub async fn timed_write<T, F>(&self, work: F) -> StoreResult<(T, Duration)>
    where
        T: Send + 'static,
        F: FnMut(&mut Db<'_>) -> StoreResult<T> + Send + 'static,
    {
        send(&self.shared.writes, work, Frame::Transaction).await
    }

    /// Runs `work` where writes run, but outside any transaction and for as long as it takes: for
    /// what the engine does to its own files.
    pub(crate) async fn upkeep<T, F>(&self, work: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Db<'_>) -> StoreResult<T> + Send + 'static,
    {
        untimed(send(&self.shared.writes, work, Frame::Nothing).await)
    }

    /// The workers of this process that wait for work.
    pub(crate) fn signals(&self) -> &Signals {
        &self.shared.signals
    }

    /// What is announced on the server from now on, by a thread that lives as long as the receiver;
    /// `None` where there is no server. `channel` is the statement that returns the channel's name. What is
    /// announced while the line is down is missed; an empty text says that the line is new.
    pub(crate) fn listen(&self, channel: &'static str) -> Option<mpsc::Receiver<String>> {
        let server = self.shared.server.as_ref()?;
        match postgres::listen(server, channel) {
            Ok(receiver) => Some(receiver),
            Err(error) => {
                tracing::error!(%error, "nobody can listen to what other processes announce");
                None
            }
        }
    }

    /// Finishes what was sent and closes every connection, if this is the last clone; otherwise
    /// the last one dropped does, without anybody waiting for it.
    pub fn close(self) {
        let Some(shared) = Arc::into_inner(self.shared) else {
            return;
        };
        drop((shared.reads, shared.writes, shared.glance));
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

/// The next job; `None` when the queue is closed and empty.
fn next_job(queue: &SharedQueue) -> Option<Box<dyn Job>> {
    // One idle thread waits for the next job and the others wait for its place.
    queue
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
        .blocking_recv()
}

/// Starts a named thread of the store.
fn spawn(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> Result<std::thread::JoinHandle<()>, OpenError> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map_err(|error| OpenError::Other(error.to_string()))
}
