//! Backup archives: one file that either engine creates and either restores.
//!
//! An archive is a SQLite file with Lede's schema, so it can be read with any SQLite and opened by
//! Lede directly. SQLite copies itself; PostgreSQL is read table by table in one snapshot. The list
//! of tables comes from the archive's own schema, so tables added by later migrations are included
//! automatically. The search index is not copied; it is rebuilt from its queue.

mod from_postgres;
mod into_file;
mod into_postgres;
mod room;
mod tables;

use std::path::{Path, PathBuf};

use lede_model::time::Timestamp;
use lede_model::warning::MaintenanceError;
use rusqlite::{Connection, OpenFlags};

use super::sqlite::{check_integrity, check_sqlite_version, folder_of, free_bytes};
use super::{DatabaseLocation, OpenError, create_private, integrity, postgres_words};
use crate::migrate;

/// Free space that must remain on the disk after a copy, so that other writers can continue.
const ROOM_TO_LEAVE: u64 = 200 * 1024 * 1024;

/// Contents of an archive or of a restored database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inventory {
    /// Schema version.
    pub schema: i64,
    /// File size in bytes.
    pub bytes: u64,
    /// Tables and their row counts.
    pub rows: Vec<(String, i64)>,
    /// New path of the database that was replaced by a restore.
    pub kept_aside: Option<PathBuf>,
}

/// Treatment of an existing target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// The target stays unchanged and the operation fails.
    Refused,
    /// The target is replaced.
    Replaced,
}

/// Receives user-visible descriptions of the current step.
pub type Progress<'p> = &'p mut dyn FnMut(&str);

/// Reason why a backup or restore failed, as one sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The database cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The database does not exist or is empty.
    #[error(
        "there is no database to back up yet; check DATABASE_PATH or DATABASE_URL, or start Lede once"
    )]
    Nothing,
    /// The target file exists.
    #[error("{0} exists already; name another file, or say --force to replace it")]
    Exists(PathBuf),
    /// The given file is the database itself.
    #[error("{0} is the database itself; name another file")]
    IsDatabase(PathBuf),
    /// The disk is too full for the copy.
    #[error("{}", MaintenanceError::from(self))]
    NoRoom {
        /// Size of the copy in MiB.
        needed: u64,
        /// Free space in MiB.
        free: u64,
    },
    /// The archive cannot be read or is invalid.
    #[error("the backup {path} cannot be used ({reason}); take another one")]
    Unusable {
        path: PathBuf,
        /// Error on opening the archive, or the finding of a check.
        reason: String,
    },
    /// The target database has accounts or feeds.
    #[error(
        "the database is not empty; say --force to replace everything in it{}",
        .0.as_ref().map(|_| " (the old file is kept beside it)").unwrap_or_default()
    )]
    NotEmpty(Option<PathBuf>),
    /// A server or worker uses the database.
    #[error("Lede is running on this database; stop every server and worker first")]
    InUse,
    /// The row counts of source and copy differ.
    #[error("{}", MaintenanceError::from(self))]
    Incomplete {
        table: String,
        /// Row count of the source.
        expected: i64,
        /// Row count of the copy.
        found: i64,
    },
    /// A file cannot be written.
    #[error("{}", MaintenanceError::from(self))]
    NotWritable {
        path: PathBuf,
        /// Error text of the system.
        reason: String,
    },
    /// An engine failed while copying.
    #[error("{}", MaintenanceError::from(self))]
    Copy(String),
    /// The thread that copied has ended without a result.
    #[error("{}", MaintenanceError::from(self))]
    BrokenOff,
}

impl From<&ArchiveError> for MaintenanceError {
    fn from(error: &ArchiveError) -> Self {
        match error {
            ArchiveError::NoRoom { needed, free } => Self::NoRoomToCopy {
                needed: *needed,
                free: *free,
            },
            ArchiveError::Incomplete {
                table,
                expected,
                found,
            } => Self::Incomplete {
                table: table.clone(),
                found: *found,
                expected: *expected,
            },
            ArchiveError::NotWritable { path, reason } => Self::NotWritable {
                path: path.display().to_string(),
                reason: reason.clone(),
            },
            ArchiveError::Copy(reason) => Self::NotCopied {
                reason: reason.clone(),
            },
            ArchiveError::BrokenOff => Self::BrokenOff,
            other => Self::System {
                reason: other.to_string(),
            },
        }
    }
}

impl From<rusqlite::Error> for ArchiveError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Copy(error.to_string())
    }
}

impl From<postgres::Error> for ArchiveError {
    fn from(error: postgres::Error) -> Self {
        Self::Copy(postgres_words(&error))
    }
}

type Result<T> = std::result::Result<T, ArchiveError>;

fn not_writable(path: &Path) -> impl FnOnce(std::io::Error) -> ArchiveError {
    let path = path.to_owned();
    move |error| ArchiveError::NotWritable {
        path,
        reason: error.to_string(),
    }
}

/// Copies the database at `place` into `file`. A server may be running. The file gets its final
/// name only once it is complete and checked. Blocks until done.
pub fn backup(
    place: &DatabaseLocation,
    file: &Path,
    existing: Existing,
    progress: Progress<'_>,
) -> Result<Inventory> {
    check_sqlite_version()?;
    refuse_database(place, file)?;
    let refuse_existing = || match existing {
        Existing::Refused if file.exists() => Err(ArchiveError::Exists(file.to_owned())),
        _ => Ok(()),
    };
    refuse_existing()?;
    let folder = folder_of(file);
    std::fs::create_dir_all(folder).map_err(not_writable(folder))?;
    let needed = room::needed(place)?;
    if let Some(free) = free_bytes(folder)
        && !room::suffices(free, needed)
    {
        let megabytes = |bytes: u64| bytes.div_ceil(1 << 20);
        return Err(ArchiveError::NoRoom {
            needed: megabytes(needed),
            free: megabytes(free),
        });
    }
    let partial = Partial::beside(file)?;
    match place {
        DatabaseLocation::File(path) => copy_file(path, &partial.0, progress)?,
        DatabaseLocation::Server(url) => from_postgres::copy(url, &partial.0, progress)?,
    }
    progress("checking the copy");
    let inventory = inspect(&partial.0)?;
    refuse_existing()?;
    partial.become_file(file)?;
    Ok(inventory)
}

/// Checks that `archive` is intact and of a supported schema, and returns its contents.
pub fn inspect(archive: &Path) -> Result<Inventory> {
    let unusable = |reason: String| ArchiveError::Unusable {
        path: archive.to_owned(),
        reason,
    };
    let file = open_archive(archive)?;
    check_integrity(&file, archive).map_err(|error| {
        unusable(match error {
            OpenError::Damaged { finding, .. } => format!("it is damaged: {finding}"),
            other => other.to_string(),
        })
    })?;
    let schema = migrate::sqlite_version(&file, archive).map_err(|error| {
        unusable(match error {
            OpenError::Foreign(_) => "it is the database of another program".to_owned(),
            OpenError::Newer { found, known } => {
                format!("a newer Lede made it: its schema is {found}, and this one knows {known}")
            }
            other => other.to_string(),
        })
    })?;
    if schema == 0 {
        return Err(unusable("there is nothing in it".to_owned()));
    }
    Ok(Inventory {
        schema,
        bytes: std::fs::metadata(archive).map_or(0, |file| file.len()),
        rows: tables::counts(&file)?,
        kept_aside: None,
    })
}

/// Rejects an archive that is intact but not a valid instance. Only for restores: a backup is made
/// even if the database has faults.
fn refuse_unsound(archive: &Path, schema: i64) -> Result<()> {
    match integrity::fault(&open_archive(archive)?, archive, schema)? {
        Some(reason) => Err(ArchiveError::Unusable {
            path: archive.to_owned(),
            reason,
        }),
        None => Ok(()),
    }
}

/// Replaces the database at `place` with the contents of `archive`, all or nothing. No server may
/// run on it. `workshop` is a folder for a copy of the archive, needed if its schema is older.
pub fn restore(
    archive: &Path,
    place: &DatabaseLocation,
    existing: Existing,
    workshop: &Path,
    now: Timestamp,
    progress: Progress<'_>,
) -> Result<Inventory> {
    check_sqlite_version()?;
    refuse_database(place, archive)?;
    progress("checking the backup");
    let inventory = inspect(archive)?;
    refuse_unsound(archive, inventory.schema)?;
    match place {
        DatabaseLocation::File(path) => {
            into_file::restore(archive, &inventory, path, existing, now, progress)
        }
        DatabaseLocation::Server(url) => {
            let newest = workshop.join("archive.db");
            let archive = if inventory.schema < migrate::LATEST {
                copy_file(archive, &newest, progress)?;
                migrate::sqlite_copy(&Connection::open(&newest)?, &newest)?;
                &newest
            } else {
                archive
            };
            into_postgres::restore(archive, url, existing, progress)
        }
    }
}

fn refuse_database(place: &DatabaseLocation, file: &Path) -> Result<()> {
    let (DatabaseLocation::File(path), Ok(file)) = (place, file.canonicalize()) else {
        return Ok(());
    };
    match path.canonicalize() {
        Ok(path) if path == file => Err(ArchiveError::IsDatabase(file)),
        _ => Ok(()),
    }
}

/// Opens a file read-only.
fn open_archive(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let file = Connection::open_with_flags(path, flags).map_err(|error| {
        let path = path.to_owned();
        let reason = error.to_string();
        ArchiveError::Unusable { path, reason }
    })?;
    file.busy_timeout(super::sqlite::BUSY_TIMEOUT)?;
    file.pragma_update(None, "trusted_schema", false)?;
    Ok(file)
}

/// Copies a SQLite file as of one moment and compacts it. Writers are not blocked.
fn copy_file(path: &Path, copy: &Path, progress: Progress<'_>) -> Result<()> {
    if !path.exists() {
        return Err(ArchiveError::Nothing);
    }
    let source = open_archive(path)?;
    if migrate::sqlite_version(&source, path)? == 0 {
        return Err(ArchiveError::Nothing);
    }
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    progress(&format!("copying {} MB", bytes.div_ceil(1 << 20)));
    // VACUUM INTO accepts an existing file only if it is empty.
    create_private(copy).map_err(not_writable(copy))?;
    source.execute("VACUUM INTO ?1", [copy.to_string_lossy()])?;
    // An archive is a single file that can be moved, so it has no WAL beside it.
    Connection::open(copy)?.pragma_update(None, "journal_mode", "DELETE")?;
    Ok(())
}

/// A file being written, removed on drop unless it was renamed.
struct Partial(PathBuf);

impl Partial {
    fn beside(file: &Path) -> Result<Self> {
        let mut name = file.as_os_str().to_owned();
        name.push(format!(".{}.partial", std::process::id()));
        let partial = PathBuf::from(name);
        let _ = std::fs::remove_file(&partial);
        create_private(&partial).map_err(not_writable(&partial))?;
        Ok(Self(partial))
    }

    /// Renames the file to its final name after its contents reached the disk.
    fn become_file(self, file: &Path) -> Result<()> {
        let settle = || -> std::io::Result<()> {
            std::fs::File::open(&self.0)?.sync_all()?;
            std::fs::rename(&self.0, file)?;
            sync_folder(folder_of(file))
        };
        settle().map_err(not_writable(file))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Makes a rename survive a loss of power. No-op where directories cannot be opened.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix) {
        std::fs::File::open(folder)?.sync_all()?;
    }
    Ok(())
}
