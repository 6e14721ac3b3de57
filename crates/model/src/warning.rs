//! Warnings about the state of an instance, and notes of its maintenance jobs, for users and operators.

use crate::message::{StoredMessage, Tenths, messages};

messages! {
    /// Results of the periodic health checks. Sizes are in megabytes.
    pub enum Warning("warning") {
        /// So little free space that the instance is read-only.
        DiskFull("disk_full") { free: i64 } => "The disk is nearly full ({free} MB are free), so nothing can be changed and nothing new is fetched. It goes on by itself when there is room.",
        /// So little free space that no feed is fetched.
        DiskLow("disk_low") { free: i64 } => "The disk is nearly full ({free} MB are free), so nothing new is fetched. It goes on by itself when there is room.",
        /// No worker processes the jobs that are due.
        Stuck("stuck") => "Feeds and articles have been waiting for over an hour. Look whether the worker runs, and what the log says.",
        /// The next clean-up will remove something. The size has one decimal, as in the status: a
        /// rounded one could equal the limit.
        TooLarge("too_large") { size: Tenths, limit: u32 } => "The database has {size} MB, more than MAX_DB_SIZE_MB allows ({limit} MB). The next clean-up makes it smaller as far as it may.",
        /// The last clean-up could not free enough. The text is part of the JSON API.
        StillTooLarge("still_too_large") => "DB exceeds configured limit",
        /// The last backup failed.
        NoBackup("no_backup") { day: String, error: MaintenanceError } => "No backup was made on {day}: {error}.",
        /// Stored by another version.
        Unknown("unknown") => "There is a warning that this version of Lede does not know.",
    }
}

impl StoredMessage for Warning {
    const UNKNOWN: Self = Self::Unknown;
}

messages! {
    /// Notes of a clean-up besides its figures.
    pub enum CleanupNote("cleanup-note") {
        /// Items were removed before their regular age.
        RemovedForRoom("removed_for_room") { items: i64, days: u32 } => "{items} items that were read more than {days} days ago were removed for their room.",
        /// Removing items did not return space to the disk.
        KeptByPostgres("kept_by_postgres") => "PostgreSQL keeps their room for new rows; VACUUM FULL gives it to the disk.",
        /// Compacting failed.
        NotSmaller("not_smaller") { error: MaintenanceError } => "The database was not made smaller: {error}.",
        /// No more items may be removed.
        StillTooLarge("still_too_large") => "The database is still larger than MAX_DB_SIZE_MB.",
        /// Stored by another version.
        Unknown("unknown") => "There is a note that this version of Lede does not know.",
    }
}

impl StoredMessage for CleanupNote {
    const UNKNOWN: Self = Self::Unknown;
}

messages! {
    /// Reasons why the database cannot be copied or compacted. Sizes are in megabytes.
    pub enum MaintenanceError("maintenance-error") {
        /// Compacting writes a new file before the old one is deleted.
        NoRoomToVacuum("no_room_to_vacuum") { needed: i64, free: i64 } => "there is not enough room on the disk: {needed} MB are needed and {free} MB are free",
        /// The work would block the writes of a running server for too long.
        InUse("in_use") => "a server may be using the database",
        /// A copy would leave too little free space for the instance itself.
        NoRoomToCopy("no_room_to_copy") { needed: u64, free: u64 } => "there is no room for a copy: it needs about {needed} MB beside the 200 MB that are left free, and {free} MB are free; make room, or write it to another disk",
        /// A file cannot be written, with the error message of the system.
        NotWritable("not_writable") { path: String, reason: String } => "{path} cannot be written ({reason}); check the folder and the room on its disk",
        /// Fewer rows were copied than expected.
        Incomplete("incomplete") { table: String, found: i64, expected: i64 } => "{table} has {found} rows after copying instead of {expected}; nothing was changed",
        /// The process that made the copy has terminated.
        BrokenOff("broken_off") => "it ended in the middle; the log says why",
        /// The database engine failed, with its error message.
        NotCopied("not_copied") { reason: String } => "copying failed ({reason}); nothing was changed",
        /// Another error of the database engine or of the system, with its message.
        System("system") { reason: String } => "{reason}",
    }
}
