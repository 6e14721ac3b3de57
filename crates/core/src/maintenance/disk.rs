//! Disk space: how much is free, and returning space that the database does not need.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lede_model::warning::{MaintenanceError, Warning};
use lede_store::maintenance::{self, Size};
use lede_store::{Engine, StoreError};

use super::megabytes;
use crate::Lede;

/// Free bytes below which no feeds are fetched, so that users can still read and mark items. The
/// warning starts at the same limit.
pub const PAUSE_BELOW: u64 = 200 * 1024 * 1024;

/// Free bytes below which nothing is changed except to free space, so that the database stays
/// intact and readable.
pub const READ_ONLY_BELOW: u64 = 50 * 1024 * 1024;

/// Copies of the used pages that must fit beside the database while SQLite vacuums it: the
/// temporary file, and the log that replaces the pages of the database.
const COPIES: i64 = 2;

/// The disk that holds the database.
#[derive(Clone)]
pub struct Disk {
    free: Arc<dyn Fn() -> Option<u64> + Send + Sync>,
    was_low: Arc<AtomicBool>,
}

impl Disk {
    /// Creates a disk that calls `free` for its free bytes; `None` means unknown.
    pub fn new(free: impl Fn() -> Option<u64> + Send + Sync + 'static) -> Self {
        Self {
            free: Arc::new(free),
            was_low: Arc::default(),
        }
    }

    /// Returns the free bytes, if known.
    pub fn free(&self) -> Option<u64> {
        (self.free)()
    }

    /// Returns `true` if there is too little space to fetch feeds.
    pub fn is_low(&self) -> bool {
        self.free().is_some_and(|free| free < PAUSE_BELOW)
    }

    /// Returns `true` if there is so little space that users can only read.
    pub fn is_full(&self) -> bool {
        self.free().is_some_and(|free| free < READ_ONLY_BELOW)
    }

    /// The warning shown to users while there is too little space.
    pub(crate) fn warning(&self) -> Option<Warning> {
        let bytes = self.free().filter(|bytes| *bytes < PAUSE_BELOW)?;
        let free = megabytes(i64::try_from(bytes).unwrap_or(i64::MAX));
        Some(match bytes < READ_ONLY_BELOW {
            true => Warning::DiskFull { free },
            false => Warning::DiskLow { free },
        })
    }

    /// Returns `true` if there is space to fetch feeds; logs when that changes.
    pub(crate) fn has_room(&self) -> bool {
        let is_low = self.is_low();
        if self.was_low.swap(is_low, Ordering::Relaxed) != is_low {
            if is_low {
                tracing::warn!("the disk is nearly full; nothing is fetched until there is room");
            } else {
                tracing::info!("the disk has room again; fetching goes on");
            }
        }
        !is_low
    }
}

/// Reasons why the database cannot be vacuumed.
#[derive(Debug, thiserror::Error)]
pub enum VacuumError {
    /// The database is rewritten before the old file is removed, which needs free space.
    #[error("{}", MaintenanceError::from(self))]
    NoRoom {
        /// Space that the copies take, in megabytes.
        needed_mb: i64,
        /// Free space on the disk, in megabytes.
        free_mb: i64,
    },
    /// Another process uses the database; it could not write for too long.
    #[error("{}", MaintenanceError::from(self))]
    InUse,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<&VacuumError> for MaintenanceError {
    fn from(error: &VacuumError) -> Self {
        match error {
            VacuumError::NoRoom { needed_mb, free_mb } => Self::NoRoomToVacuum {
                needed: *needed_mb,
                free: *free_mb,
            },
            VacuumError::InUse => Self::InUse,
            VacuumError::Store(error) => Self::System {
                reason: error.to_string(),
            },
        }
    }
}

pub(super) async fn size(lede: &Lede) -> Result<Size, StoreError> {
    lede.store.read(maintenance::size).await
}

/// Bytes that must be free before a database of this size can be vacuumed. PostgreSQL needs none,
/// because it frees space in place.
pub(crate) fn room_for_vacuum(lede: &Lede, size: Size) -> i64 {
    match lede.store.engine() {
        Engine::Sqlite => size.used.saturating_mul(COPIES),
        Engine::Postgres => 0,
    }
}

/// Vacuums the database if there is enough free space. Returns the bytes by which it is now smaller
/// on the disk.
pub async fn vacuum(lede: &Lede) -> Result<i64, VacuumError> {
    let before = size(lede).await?;
    if lede.store.engine() == Engine::Sqlite {
        if lede.store.is_guest() {
            return Err(VacuumError::InUse);
        }
        let needed = room_for_vacuum(lede, before);
        let free = lede.disk.free().and_then(|free| i64::try_from(free).ok());
        if let Some(free) = free.filter(|free| *free < needed) {
            return Err(VacuumError::NoRoom {
                needed_mb: megabytes(needed) + 1,
                free_mb: megabytes(free),
            });
        }
    }
    maintenance::vacuum(&lede.store).await?;
    let after = size(lede).await?;
    Ok((before.total - after.total).max(0))
}
