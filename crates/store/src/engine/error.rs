//! What can go wrong with a store: at start, for the operator; later, for the log.

use std::path::PathBuf;

/// The result of a store function.
pub type StoreResult<T> = Result<T, StoreError>;

/// Why a question to the store has no answer. None of these texts is for people who read news:
/// a door says that something went wrong and logs this.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite's own words.
    #[error("SQLite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// PostgreSQL's own words. Boxed: it is large and rare.
    #[error("PostgreSQL: {}", postgres_words(.0))]
    Postgres(Box<postgres::Error>),
    /// A row that the code does not understand: a bug, or a file that somebody else wrote.
    #[error("unexpected value in column {column}: {reason}")]
    Column {
        /// Which, from zero.
        column: usize,
        /// What was wrong with it.
        reason: String,
    },
    /// One row was promised and none came.
    #[error("a row that must exist is missing")]
    Missing,
    /// The closure panicked; its transaction was rolled back and the connection lives on.
    #[error("the work on the store panicked: {0}")]
    Panicked(String),
    /// The transaction of a group could not be committed.
    #[error("the transaction could not be committed: {0}")]
    NotCommitted(String),
    /// The store was closed, or its threads are gone.
    #[error("the store is closed")]
    Closed,
    /// PostgreSQL cannot be reached at the moment.
    #[error("the database cannot be reached: {0}")]
    Unreachable(String),
}

impl From<postgres::Error> for StoreError {
    fn from(error: postgres::Error) -> Self {
        Self::Postgres(Box::new(error))
    }
}

/// The driver's errors say "db error"; what the server or the system said stands behind them.
pub(crate) fn postgres_words(error: &postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// Why a store cannot be opened: one sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder or file cannot be made or written.
    #[error(
        "the data folder {folder} cannot be written ({reason}); make it writable for this user or point DATABASE_PATH elsewhere"
    )]
    NotWritable {
        /// The folder.
        folder: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// Another server has the file.
    #[error(
        "another Lede server is using {0}; stop it first, or point DATABASE_PATH at another file"
    )]
    InUse(PathBuf),
    /// SQLite's locks do not hold on this file system.
    #[error(
        "{path} lies on a {file_system} file system, where SQLite's locks do not hold; move DATABASE_PATH to a local disk or use PostgreSQL"
    )]
    NetworkFileSystem {
        /// The file.
        path: PathBuf,
        /// `nfs`, `cifs` …
        file_system: String,
    },
    /// The file is not sound.
    #[error(
        "the database {path} is damaged ({finding}); restore a backup, or move the file away to begin anew"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The first line of what the check found.
        finding: String,
    },
    /// The file holds tables, but none of ours.
    #[error("{0} is the database of another program; point DATABASE_PATH at another file")]
    Foreign(PathBuf),
    /// A newer Lede made it.
    #[error(
        "the database was made by a newer Lede (schema {found}, this one knows {known}); start that version or restore an older backup"
    )]
    Newer {
        /// Its schema.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The linked SQLite has a known fault.
    #[error(
        "SQLite {0} is linked, which can corrupt data; build Lede with its bundled SQLite (3.51.3 or later, not 3.52.0)"
    )]
    SqliteVersion(String),
    /// The address does not parse. The address itself is not shown: it may hold a password.
    #[error(
        "DATABASE_URL is not understood ({0}); write it as postgres://user:password@host:5432/database"
    )]
    BadUrl(String),
    /// The server does not answer or does not let us in.
    #[error(
        "PostgreSQL at {host} cannot be used ({reason}); check that it runs and that DATABASE_URL names the right host, user and database"
    )]
    Unreachable {
        /// Host and port, without user and password.
        host: String,
        /// The driver's words.
        reason: String,
    },
    /// Somebody restores a backup there.
    #[error("a backup is being restored into this database; start Lede when that is done")]
    BeingRestored,
    /// A migration failed; nothing of it remains.
    #[error(
        "the database could not be brought to schema {version} ({reason}); it is unchanged, please report this"
    )]
    Migration {
        /// The step.
        version: i64,
        /// The engine's words.
        reason: String,
    },
    /// Anything else while opening.
    #[error("the database cannot be opened ({0}); check DATABASE_PATH or DATABASE_URL")]
    Other(String),
}
