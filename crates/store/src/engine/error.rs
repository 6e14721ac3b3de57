//! Errors of the store: on opening, for the operator; later, for the log.

use std::path::PathBuf;

pub type StoreResult<T> = Result<T, StoreError>;

/// A failed store operation. These texts are for the log; APIs show users a generic message.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("SQLite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// Boxed because it is large and rare.
    #[error("PostgreSQL: {}", postgres_words(.0))]
    Postgres(Box<postgres::Error>),
    /// A row that the code does not understand: a bug, or a database modified by another program.
    #[error("unexpected value in column {column}: {reason}")]
    Column {
        /// Zero-based index.
        column: usize,
        reason: String,
    },
    /// A query that must return a row returned none.
    #[error("a row that must exist is missing")]
    Missing,
    /// The closure panicked. Its transaction was rolled back and the connection stays usable.
    #[error("the work on the store panicked: {0}")]
    Panicked(String),
    /// The transaction shared by several writes could not be committed.
    #[error("the transaction could not be committed: {0}")]
    NotCommitted(String),
    /// The store was closed, or its threads are gone.
    #[error("the store is closed")]
    Closed,
    /// PostgreSQL is unreachable at the moment.
    #[error("the database cannot be reached: {0}")]
    Unreachable(String),
}

impl From<postgres::Error> for StoreError {
    fn from(error: postgres::Error) -> Self {
        Self::Postgres(Box::new(error))
    }
}

/// Formats an error with its cause. The driver's own text is often only "db error"; the source
/// holds the message of the server or the system.
pub(crate) fn postgres_words(error: &postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// Reason why a store cannot be opened, as one sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder or file cannot be created or written.
    #[error(
        "the data folder {folder} cannot be written ({reason}); make it writable for this user or point DATABASE_PATH elsewhere"
    )]
    NotWritable {
        folder: PathBuf,
        /// Error text of the system.
        reason: String,
    },
    /// Another server has locked the file.
    #[error(
        "another Lede server is using {0}; stop it first, or point DATABASE_PATH at another file"
    )]
    InUse(PathBuf),
    /// SQLite's locks do not work on this file system.
    #[error(
        "{path} lies on a {file_system} file system, where SQLite's locks do not hold; move DATABASE_PATH to a local disk or use PostgreSQL"
    )]
    NetworkFileSystem {
        path: PathBuf,
        /// For example `nfs` or `cifs`.
        file_system: String,
    },
    /// The integrity check failed.
    #[error(
        "the database {path} is damaged ({finding}); restore a backup, or move the file away to begin anew"
    )]
    Damaged {
        path: PathBuf,
        /// The first line of the check's output.
        finding: String,
    },
    /// The file contains tables, but not those of Lede.
    #[error("{0} is the database of another program; point DATABASE_PATH at another file")]
    Foreign(PathBuf),
    /// The schema is newer than this build.
    #[error(
        "the database was made by a newer Lede (schema {found}, this one knows {known}); start that version or restore an older backup"
    )]
    Newer {
        /// Schema version of the database.
        found: i64,
        /// Newest schema version this build supports.
        known: i64,
    },
    /// The linked SQLite has a known bug.
    #[error(
        "SQLite {0} is linked, which can corrupt data; build Lede with its bundled SQLite (3.51.3 or later, not 3.52.0)"
    )]
    SqliteVersion(String),
    /// The URL does not parse. The URL itself is not shown, because it may contain a password.
    #[error(
        "DATABASE_URL is not understood ({0}); write it as postgres://user:password@host:5432/database"
    )]
    BadUrl(String),
    /// The server does not answer or rejects the connection.
    #[error(
        "PostgreSQL at {host} cannot be used ({reason}); check that it runs and that DATABASE_URL names the right host, user and database"
    )]
    Unreachable {
        /// Host and port, without user and password.
        host: String,
        /// Error text of the driver.
        reason: String,
    },
    /// A backup is being restored into this database.
    #[error("a backup is being restored into this database; start Lede when that is done")]
    BeingRestored,
    /// A migration failed and was rolled back.
    #[error(
        "the database could not be upgraded to schema {version} ({reason}); it is unchanged, please report this"
    )]
    Migration {
        /// Schema version of the failed step.
        version: i64,
        /// Error text of the engine.
        reason: String,
    },
    /// Any other failure while opening.
    #[error("the database cannot be opened ({0}); check DATABASE_PATH or DATABASE_URL")]
    Other(String),
}
