//! Room: how much the disk has, and giving back what the database does not need.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lede_model::warning::{Obstacle, Warning};
use lede_store::upkeep::{self, Size};
use lede_store::{Engine, StoreError};

use super::megabytes;
use crate::Lede;

/// With less than this free nothing is fetched any more, so that people can go on reading and
/// marking. Solo warns below 100 MB; who stops earlier warns earlier.
pub const PAUSE_BELOW: u64 = 200 * 1024 * 1024;

/// With less than this free nothing is changed any more but what makes room, so that what is there stays
/// sound and can be read (hardening 10.6).
pub const READ_ONLY_BELOW: u64 = 50 * 1024 * 1024;

/// Copies of what is used that must fit beside it while SQLite writes the file anew: the temporary
/// one, and the log that replaces the file's pages.
const COPIES: i64 = 2;

/// The disk that the database is on.
#[derive(Clone)]
pub struct Disk {
    free: Arc<dyn Fn() -> Option<u64> + Send + Sync>,
    was_low: Arc<AtomicBool>,
}

impl Disk {
    /// A disk that asks `free` for its free bytes; nothing when nobody knows them.
    pub fn new(free: impl Fn() -> Option<u64> + Send + Sync + 'static) -> Self {
        Self {
            free: Arc::new(free),
            was_low: Arc::default(),
        }
    }

    /// Bytes that are free.
    pub fn free(&self) -> Option<u64> {
        (self.free)()
    }

    /// Whether there is so little room that nothing is fetched.
    pub fn is_low(&self) -> bool {
        self.free().is_some_and(|free| free < PAUSE_BELOW)
    }

    /// Whether there is so little room that people can only read.
    pub fn is_full(&self) -> bool {
        self.free().is_some_and(|free| free < READ_ONLY_BELOW)
    }

    /// What people are told while there is too little room.
    pub(crate) fn warning(&self) -> Option<Warning> {
        let bytes = self.free().filter(|bytes| *bytes < PAUSE_BELOW)?;
        let free = megabytes(i64::try_from(bytes).unwrap_or(i64::MAX));
        Some(match bytes < READ_ONLY_BELOW {
            true => Warning::DiskFull { free },
            false => Warning::DiskLow { free },
        })
    }

    /// Whether there is room to fetch something; logs when that changes.
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

/// Why the database is not made smaller.
#[derive(Debug, thiserror::Error)]
pub enum VacuumError {
    /// It is written anew before the old one goes.
    #[error("{}", Obstacle::NoRoomToVacuum { needed: *needed_mb, free: *free_mb })]
    NoRoom {
        /// Megabytes that it takes.
        needed_mb: i64,
        /// Megabytes that there are.
        free_mb: i64,
    },
    /// People could write nothing for too long.
    #[error("{}", Obstacle::InUse)]
    InUse,
    /// The engine could not.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How large the database is.
pub(super) async fn size(lede: &Lede) -> Result<Size, StoreError> {
    lede.store.read(upkeep::size).await
}

/// Bytes that must be free before a database of this size can be made smaller: PostgreSQL needs none,
/// because it makes room where it is.
pub(crate) fn room_for_vacuum(lede: &Lede, size: Size) -> i64 {
    match lede.store.engine() {
        Engine::Sqlite => size.used.saturating_mul(COPIES),
        Engine::Postgres => 0,
    }
}

/// Gives back the room of what was removed, if there is room to do so; bytes by which the database
/// is smaller on the disk.
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
    upkeep::vacuum(&lede.store).await?;
    let after = size(lede).await?;
    Ok((before.total - after.total).max(0))
}
