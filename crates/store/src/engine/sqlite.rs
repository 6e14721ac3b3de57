//! SQLite inside the process: one writer, several readers, and no `SQLITE_BUSY` between them.
//!
//! The writer commits up to [`GROUP`] queued closures together, each in its own savepoint. This
//! takes a quarter less CPU than one commit each, and a failed closure does not affect the others.
//! Callers receive success only after the commit.
//!
//! Commits go to the WAL. A separate thread checkpoints it into the file ([`log`]), because that
//! waits for the disk and writes must not.

mod check;
mod log;

pub(super) use check::{Checked, check_integrity, while_serving};
pub(crate) use log::WAITING as LOG_WAITING;

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::mpsc;

use self::log::Log;
use super::connection::{Counted, set_statement_cache};
use super::job::catch_panic;
use super::{
    DatabaseLocation, Db, Engine, Frame, Job, OpenError, ProcessRole, QUEUE, Shared, SharedQueue,
    Store, StoreError, StoreResult, Watch, integrity, next_job, spawn,
};
use crate::migrate;
use crate::signals::{SignalSet, Signals};

/// Closures per commit: beyond about twenty, a larger group saves nothing and delays the first.
const GROUP: usize = 20;
/// A group that has taken this long accepts no further jobs: its first caller waits for the commit.
const GROUP_TIME: Duration = Duration::from_millis(10);
/// The oldest SQLite without a known data-loss bug in WAL mode, and a later release that has one.
const OLDEST_SQLITE: i32 = 3_051_003;
const WITHDRAWN_SQLITE: i32 = 3_052_000;
/// Only another process such as `lede admin` can cause a wait.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Page cache of a connection, in KiB and negative, as SQLite expects it. Readers use the mapped
/// file and cache only pages that are still in the WAL; transactions of the writer are small.
/// Caches of 16 MiB made no crawl cheaper and held 15 MB after it.
const READER_CACHE_KIB: i64 = -2048;
const WRITER_CACHE_KIB: i64 = -4096;
/// File systems on which POSIX locks are unreliable or absent.
const NETWORK_FILE_SYSTEMS: [&str; 8] = [
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "fuse.sshfs",
    "afs",
];

/// Keeps a second server off the file. The system releases it when the process ends for any reason.
pub(super) struct ServerLock {
    _file: File,
}

pub(super) fn open(path: &Path, role: ProcessRole) -> Result<Store, OpenError> {
    check_sqlite_version()?;
    prepare_folder(path)?;
    check_file_system(path)?;
    let lock = match role {
        ProcessRole::Server => Some(lock(path)?),
        ProcessRole::Guest => None,
    };
    let mut writer = connect(path, Access::Write)?;
    let checked = match role {
        ProcessRole::Server => check::on_start(&mut writer, path)?,
        ProcessRole::Guest => Checked::OnStart,
    };
    migrate::sqlite(&writer, path)?;

    let (writes, write_queue) = mpsc::channel(QUEUE);
    let (reads, read_queue) = mpsc::channel(QUEUE);
    let watch = Arc::new(Watch::default());
    let seen_by_writer = Arc::clone(&watch);
    let signals = Arc::new(Signals::default());
    let fired_by_writer = Arc::clone(&signals);
    let log = Log::open(&writer, path)?;
    let is_damaged = Arc::new(AtomicBool::new(false));
    let found_damaged = Arc::clone(&is_damaged);
    let mut threads = vec![spawn("lede-write", move || {
        write_loop(
            &writer,
            write_queue,
            &seen_by_writer,
            &fired_by_writer,
            &log,
        );
        log.close();
        // Clean shutdown: record it, update the planner's statistics and empty the WAL.
        if lock.is_some() && !found_damaged.load(Ordering::Relaxed) {
            check::mark_clean_shutdown(&writer);
        }
        let _ = writer.execute_batch("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE);");
        // Released last, so that another server gets the file only when all sent jobs are in it.
        drop((writer, lock));
    })?];
    let read_queue: SharedQueue = Arc::new(Mutex::new(read_queue));
    for _ in 0..std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2)) {
        let reader = connect(path, Access::Read)?;
        let queue = Arc::clone(&read_queue);
        threads.push(spawn("lede-read", move || read_loop(&reader, &queue))?);
    }
    let read_inline = InlineReader {
        connection: connect(path, Access::Read)?,
        counted: Counted::default(),
    };
    let shared = Shared {
        engine: Engine::Sqlite,
        place: DatabaseLocation::File(path.to_owned()),
        reads,
        writes,
        read_inline: Some(Mutex::new(read_inline)),
        checked,
        is_damaged,
        is_guest: role == ProcessRole::Guest,
        server: None,
        watch,
        signals,
        threads,
        writers: 1,
    };
    Ok(Store {
        shared: Arc::new(shared),
    })
}

/// Describes the file at `path` without writing to it.
pub(super) fn inspect(path: &Path) -> Result<String, OpenError> {
    check_sqlite_version()?;
    if !path.exists() {
        return Ok(format!(
            "{} is not there yet; the first start makes it",
            path.display()
        ));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(path, flags).map_err(|error| opening(path, &error))?;
    check_integrity(&connection, path)?;
    let version = migrate::sqlite_version(&connection, path)?;
    if version > 0
        && let Some(finding) = integrity::fault(&connection, path, version)?
    {
        return Err(OpenError::Damaged {
            path: path.to_owned(),
            finding,
        });
    }
    Ok(format!(
        "{} is sound, SQLite {}, schema {version}",
        path.display(),
        rusqlite::version()
    ))
}

pub(super) fn check_sqlite_version() -> Result<(), OpenError> {
    if is_trusted(rusqlite::version_number()) {
        Ok(())
    } else {
        Err(OpenError::SqliteVersion(rusqlite::version().to_owned()))
    }
}

fn is_trusted(version: i32) -> bool {
    version >= OLDEST_SQLITE && version != WITHDRAWN_SQLITE
}

/// Creates the folder and checks that it is writable, so that the error names the folder.
fn prepare_folder(path: &Path) -> Result<(), OpenError> {
    let folder = folder_of(path);
    let not_writable = |error: std::io::Error| OpenError::NotWritable {
        folder: folder.to_owned(),
        reason: error.to_string(),
    };
    std::fs::create_dir_all(folder).map_err(not_writable)?;
    create_private(path).map_err(not_writable)
}

/// Creates the file if needed, readable by its owner only: it holds sessions and keys. SQLite gives
/// the WAL and its index the same mode.
pub(crate) fn create_private(path: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Free bytes on the disk of a folder; `None` if the system does not report it.
#[cfg(unix)]
pub(super) fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    // `f_bavail`: blocks available to this user, without those reserved for root.
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
pub(super) fn free_bytes(_: &Path) -> Option<u64> {
    None
}

pub(super) fn lock(path: &Path) -> Result<ServerLock, OpenError> {
    let mut lock_path = path.as_os_str().to_owned();
    lock_path.push(".lock");
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&lock_path)
        .map_err(|error| OpenError::NotWritable {
            folder: folder_of(path).to_owned(),
            reason: error.to_string(),
        })?;
    match file.try_lock() {
        Ok(()) => Ok(ServerLock { _file: file }),
        Err(std::fs::TryLockError::WouldBlock) => Err(OpenError::InUse(path.to_owned())),
        Err(std::fs::TryLockError::Error(error)) => Err(OpenError::Other(error.to_string())),
    }
}

/// Rejects network file systems. On Linux the mount with the longest matching path decides;
/// elsewhere this cannot be determined without further dependencies.
pub(super) fn check_file_system(path: &Path) -> Result<(), OpenError> {
    let (Ok(mounts), Ok(folder)) = (
        std::fs::read_to_string("/proc/mounts"),
        folder_of(path).canonicalize(),
    ) else {
        return Ok(());
    };
    match file_system_of(&mounts, &folder) {
        Some(file_system) if NETWORK_FILE_SYSTEMS.contains(&file_system) => {
            Err(OpenError::NetworkFileSystem {
                path: path.to_owned(),
                file_system: file_system.to_owned(),
            })
        }
        _ => Ok(()),
    }
}

fn file_system_of<'m>(mounts: &'m str, folder: &Path) -> Option<&'m str> {
    mounts
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ').skip(1);
            Some((
                PathBuf::from(fields.next()?.replace("\\040", " ")),
                fields.next()?,
            ))
        })
        .filter(|(mount, _)| folder.starts_with(mount))
        .max_by_key(|(mount, _)| mount.components().count())
        .map(|(_, file_system)| file_system)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl Access {
    const fn cache_kib(self) -> i64 {
        match self {
            Self::Read => READER_CACHE_KIB,
            Self::Write => WRITER_CACHE_KIB,
        }
    }
}

fn connect(path: &Path, access: Access) -> Result<Connection, OpenError> {
    let open = || -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        // The bundled SQLite has STAT4 and would otherwise re-plan cached statements on each bind,
        // which took a third of every query's time.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        use_wal(&connection)?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.pragma_update(None, "cache_size", access.cache_kib())?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        if access == Access::Read {
            // Readers only: the writer has the pages it touches in its cache, and a map of
            // everything it ever wrote would only look like memory in use.
            connection.pragma_update(None, "mmap_size", 1_i64 << 30)?;
            connection.pragma_update(None, "query_only", true)?;
        }
        set_statement_cache(&connection);
        Ok(connection)
    };
    open().map_err(|error| opening(path, &error))
}

/// Switches to WAL mode with retries: if two processes do this to a new file at the same time,
/// SQLite rejects one without waiting for the busy timeout.
fn use_wal(connection: &Connection) -> rusqlite::Result<()> {
    let began = Instant::now();
    loop {
        let used = connection.pragma_update(None, "journal_mode", "WAL");
        let is_busy = used.as_ref().is_err_and(|error| {
            error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
        });
        if !is_busy || began.elapsed() > BUSY_TIMEOUT {
            return used;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Maps an error on opening. A file that SQLite does not recognise as a database counts as damaged.
fn opening(path: &Path, error: &rusqlite::Error) -> OpenError {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, ReadOnly};
    match error.sqlite_error_code() {
        Some(NotADatabase | DatabaseCorrupt) => OpenError::Damaged {
            path: path.to_owned(),
            finding: error.to_string(),
        },
        Some(ReadOnly) => OpenError::NotWritable {
            folder: folder_of(path).to_owned(),
            reason: error.to_string(),
        },
        _ => OpenError::Other(error.to_string()),
    }
}

/// A connection for queries that run on the caller's thread.
pub(super) struct InlineReader {
    connection: Connection,
    counted: Counted,
}

impl InlineReader {
    pub(super) fn run<T>(
        &mut self,
        work: &mut impl FnMut(&mut Db<'_>) -> StoreResult<T>,
    ) -> StoreResult<T> {
        let mut db = Db::sqlite(&self.connection, &mut self.counted);
        catch_panic(|| work(&mut db))
    }
}

fn read_loop(connection: &Connection, queue: &SharedQueue) {
    let mut counted = Counted::default();
    while let Some(mut job) = next_job(queue) {
        if !job.is_abandoned() {
            // The job holds its error for the caller; a read has nothing to roll back.
            let _ = job.run(&mut Db::sqlite(connection, &mut counted));
            job.finish(None);
        }
    }
}

fn write_loop(
    connection: &Connection,
    mut queue: mpsc::Receiver<Box<dyn Job>>,
    watch: &Watch,
    signals: &Signals,
    log: &Log,
) {
    let mut next = None;
    while let Some(mut first) = next.take().or_else(|| queue.blocking_recv()) {
        if first.frame() == Frame::Nothing {
            // The job holds its error for the caller.
            let _ = first.run(&mut Db::sqlite(connection, &mut Counted::default()));
            log.checkpoint_if_due(connection);
            first.finish(None);
            continue;
        }
        let began = Instant::now();
        let mut group = vec![first];
        let outcome = run_group(connection, &mut group, || {
            if began.elapsed() >= GROUP_TIME {
                return None;
            }
            let job = queue.try_recv().ok()?;
            match job.frame() {
                Frame::Transaction => Some(job),
                Frame::Nothing => {
                    next = Some(job);
                    None
                }
            }
        });
        log.checkpoint_if_due(connection);
        watch.saw(began.elapsed());
        if let Ok(marked) = outcome {
            signals.fire(marked);
        }
        for job in group {
            job.finish(
                outcome
                    .as_ref()
                    .err()
                    .map(|reason| StoreError::NotCommitted(reason.clone())),
            );
        }
    }
}

/// Runs the first job of a group and those that `more` returns, and commits them together. Returns
/// the signals of those that did not fail.
fn run_group(
    connection: &Connection,
    group: &mut Vec<Box<dyn Job>>,
    mut more: impl FnMut() -> Option<Box<dyn Job>>,
) -> Result<SignalSet, String> {
    let mut marked = SignalSet::default();
    let words = |error: rusqlite::Error| error.to_string();
    run(connection, "BEGIN IMMEDIATE").map_err(words)?;
    while let Some(job) = group.last_mut() {
        let mut in_savepoint = || -> rusqlite::Result<()> {
            run(connection, "SAVEPOINT job")?;
            let mut counted = Counted::default();
            let mut db = Db::sqlite(connection, &mut counted);
            match job.run(&mut db) {
                Ok(()) => marked.extend(db.signals),
                Err(_) => run(connection, "ROLLBACK TO job")?,
            }
            run(connection, "RELEASE job")
        };
        if let Err(error) = in_savepoint() {
            // Disk full or an I/O error: SQLite may have rolled back the whole transaction already.
            let _ = run(connection, "ROLLBACK");
            return Err(words(error));
        }
        if group.len() == GROUP {
            break;
        }
        match more() {
            Some(job) => group.push(job),
            None => break,
        }
    }
    run(connection, "COMMIT").map_err(|error| {
        let _ = run(connection, "ROLLBACK");
        words(error)
    })?;
    Ok(marked)
}

/// Executes a cached statement: these few run for every job.
fn run(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_versions_that_keep_data_are_taken() {
        for (version, taken) in [
            (3_051_002, false),
            (3_051_003, true),
            (3_052_000, false),
            (3_052_001, true),
        ] {
            assert_eq!(is_trusted(version), taken, "{version}");
        }
        assert!(is_trusted(rusqlite::version_number()), "the bundled one");
    }

    #[test]
    fn every_connection_has_its_pragmas() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lede.db");
        for access in [Access::Write, Access::Read] {
            let connection = connect(&path, access).unwrap();
            let pragma = |name: &str| -> String {
                connection
                    .pragma_query_value(None, name, |row| row.get(0))
                    .map(|value: rusqlite::types::Value| match value {
                        rusqlite::types::Value::Text(text) => text,
                        rusqlite::types::Value::Integer(number) => number.to_string(),
                        other => format!("{other:?}"),
                    })
                    .unwrap()
            };
            for (name, value) in [
                ("journal_mode", "wal"),
                ("synchronous", "1"),
                ("foreign_keys", "1"),
                ("busy_timeout", "5000"),
                ("trusted_schema", "0"),
                ("temp_store", "2"),
                ("cache_size", &access.cache_kib().to_string()),
                ("query_only", if access == Access::Read { "1" } else { "0" }),
            ] {
                assert_eq!(pragma(name), value, "{name}");
            }
            for switch in [
                DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG,
                DbConfig::SQLITE_DBCONFIG_DEFENSIVE,
            ] {
                assert!(connection.db_config(switch).unwrap(), "{switch:?}");
            }
        }
    }

    #[test]
    #[cfg(unix)]
    fn only_its_owner_reads_the_file_and_what_lies_beside_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data/lede.db");
        let store = open(&path, ProcessRole::Server).unwrap();
        for file in ["lede.db", "lede.db-wal", "lede.db-shm"] {
            let mode = std::fs::metadata(path.with_file_name(file)).unwrap();
            assert_eq!(mode.permissions().mode() & 0o777, 0o600, "{file}");
        }
        store.close();
    }

    #[test]
    fn the_longest_mount_that_contains_the_file_decides_its_type() {
        let mounts = "/dev/sda / ext4 rw 0 0\nhost:/x /srv nfs4 rw 0 0\n/dev/sdb /srv/my\\040data xfs rw 0 0\n";
        for (folder, kind) in [
            ("/var/lib", "ext4"),
            ("/srv/lede", "nfs4"),
            ("/srv/my data/lede", "xfs"),
        ] {
            assert_eq!(file_system_of(mounts, Path::new(folder)), Some(kind));
        }
    }
}
