//! The archive of a whole instance: one file that either engine makes and either restores.
//!
//! The archive *is* a SQLite file with our schema, so that it can be looked at with any SQLite and
//! opened by Lede as it is. SQLite copies itself; PostgreSQL is read table by table in one snapshot.
//! Which tables there are is asked of the archive's own schema: a table that a later step adds is
//! copied without a word here. The search index is not: it is filled again from its queue.

mod from_postgres;
mod into_file;
mod into_postgres;
mod room;
mod tables;

use std::path::{Path, PathBuf};

use lede_model::time::Timestamp;
use lede_model::warning::Obstacle;
use rusqlite::{Connection, OpenFlags};

use super::sqlite::{check_integrity, check_sqlite_version, folder_of, free_bytes};
use super::{OpenError, Place, create_private, postgres_words, soundness};
use crate::migrate;

/// What is left free on the disk beside a copy: who writes there too must be able to go on.
const ROOM_TO_LEAVE: u64 = 200 * 1024 * 1024;

/// What an archive holds, or what was restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inventory {
    /// Its schema.
    pub schema: i64,
    /// How large the file is.
    pub bytes: u64,
    /// Every table with its number of rows.
    pub rows: Vec<(String, i64)>,
    /// Where the database is that a restored one took the place of.
    pub kept_aside: Option<PathBuf>,
}

/// What happens to something that stands where something is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and nothing is written.
    Refused,
    /// It gives way.
    Replaced,
}

/// Told what is being done, in words for people.
pub type Progress<'p> = &'p mut dyn FnMut(&str);

/// Why there is no archive, or why it was not restored: one sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The database cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// There is nothing to copy.
    #[error(
        "there is no database to back up yet; check DATABASE_PATH or DATABASE_URL, or start Lede once"
    )]
    Nothing,
    /// The file is there.
    #[error("{0} exists already; name another file, or say --force to replace it")]
    Exists(PathBuf),
    /// The file is the database.
    #[error("{0} is the database itself; name another file")]
    IsDatabase(PathBuf),
    /// The disk is too full.
    #[error("{}", Obstacle::NoRoomToCopy { needed: *needed, free: *free })]
    NoRoom {
        /// What the copy takes, in megabytes.
        needed: u64,
        /// What the disk has, likewise.
        free: u64,
    },
    /// The archive cannot be read.
    #[error("the backup {path} cannot be used ({reason}); take another one")]
    Unusable {
        /// The archive.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The database has accounts or feeds.
    #[error(
        "the database is not empty; say --force to replace everything in it{}",
        .0.as_ref().map(|_| " (the old file is kept beside it)").unwrap_or_default()
    )]
    NotEmpty(Option<PathBuf>),
    /// Somebody works on the database.
    #[error("Lede is running on this database; stop every server and worker first")]
    InUse,
    /// Not every row arrived.
    #[error("{}", Obstacle::Incomplete { table: table.clone(), found: *found, expected: *expected })]
    Incomplete {
        /// The table.
        table: String,
        /// Rows there should be.
        expected: i64,
        /// Rows there are.
        found: i64,
    },
    /// A file cannot be written.
    #[error("{}", Obstacle::NotWritable { path: path.display().to_string(), reason: reason.clone() })]
    NotWritable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// An engine failed while copying.
    #[error("{}", Obstacle::NotCopied { reason: (*.0).clone() })]
    Copy(String),
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

/// Copies everything at `place` into `file`, beside a running server or without one. The file has its
/// name only once it is whole and checked. Blocks for as long as it takes.
pub fn backup(
    place: &Place,
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
        Place::File(path) => copy_file(path, &partial.0, progress)?,
        Place::Server(url) => from_postgres::copy(url, &partial.0, progress)?,
    }
    progress("checking the copy");
    let inventory = inspect(&partial.0)?;
    refuse_existing()?;
    partial.become_file(file)?;
    Ok(inventory)
}

/// Looks whether `archive` is whole and of a Lede that this one understands, and what it holds.
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

/// Refuses what is well formed and still no instance of Lede. Only where it is to become one: a backup is made
/// whatever is wrong with what it is of.
fn refuse_unsound(archive: &Path, schema: i64) -> Result<()> {
    match soundness::fault(&open_archive(archive)?, archive, schema)? {
        Some(reason) => Err(ArchiveError::Unusable {
            path: archive.to_owned(),
            reason,
        }),
        None => Ok(()),
    }
}

/// Puts what `archive` holds in the place of what is at `place`, all or nothing. No server may run
/// there. `workshop` is a folder for a copy of an archive that an older Lede made.
pub fn restore(
    archive: &Path,
    place: &Place,
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
        Place::File(path) => into_file::restore(archive, &inventory, path, existing, now, progress),
        Place::Server(url) => {
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

fn refuse_database(place: &Place, file: &Path) -> Result<()> {
    let (Place::File(path), Ok(file)) = (place, file.canonicalize()) else {
        return Ok(());
    };
    match path.canonicalize() {
        Ok(path) if path == file => Err(ArchiveError::IsDatabase(file)),
        _ => Ok(()),
    }
}

/// Opens a file that is only read.
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

/// Copies a SQLite file as it is at one moment, packed. Writers go on meanwhile.
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
    // VACUUM INTO takes a file that is there only while it is empty.
    create_private(copy).map_err(not_writable(copy))?;
    source.execute("VACUUM INTO ?1", [copy.to_string_lossy()])?;
    // One file, wherever it is carried: no log beside it.
    Connection::open(copy)?.pragma_update(None, "journal_mode", "DELETE")?;
    Ok(())
}

/// A file that is being written; what is left of one goes when this does.
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

    /// Gives the file its name, after its bytes have reached the disk.
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

/// Makes a new name survive a loss of power, where folders can be opened at all.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix) {
        std::fs::File::open(folder)?.sync_all()?;
    }
    Ok(())
}
