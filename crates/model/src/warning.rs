//! Warnings about the state of an instance, and notes of its maintenance jobs, for users and operators.

use crate::said::sentences;

sentences! {
    /// Results of the periodic health checks. Sizes are in megabytes.
    pub enum Warning {
        /// So little free space that the instance is read-only.
        DiskFull { free: i64 } = "The disk is nearly full ({free} MB are free), so nothing can be changed and nothing new is fetched. It goes on by itself when there is room.",
        /// So little free space that no feed is fetched.
        DiskLow { free: i64 } = "The disk is nearly full ({free} MB are free), so nothing new is fetched. It goes on by itself when there is room.",
        /// No worker processes the jobs that are due.
        Stuck = "Feeds and articles have been waiting for over an hour. Look whether the worker runs, and what the log says.",
        /// The next clean-up will remove something. The size has one decimal, as in the status: a
        /// rounded one could equal the limit.
        TooLarge { size: String, limit: u32 } = "The database has {size} MB, more than MAX_DB_SIZE_MB allows ({limit} MB). The next clean-up makes it smaller as far as it may.",
        /// The last clean-up could not free enough. The text is part of the JSON API.
        StillTooLarge = "DB exceeds configured limit",
        /// The last backup failed, with the cause: an [`Obstacle`], or an error message of the system.
        NoBackup { day: String, error: String } = "No backup was made on {day}: {error}.",
    }
}

sentences! {
    /// Notes of a clean-up besides its figures.
    pub enum CleanupNote {
        /// Items were removed before their regular age.
        RemovedForRoom { items: i64, days: u32 } = "{items} items that were read more than {days} days ago were removed for their room.",
        /// Removing items did not return space to the disk.
        KeptByPostgres = "PostgreSQL keeps their room for new rows; VACUUM FULL gives it to the disk.",
        /// Compacting failed, with the cause: an [`Obstacle`], or an error message of the system.
        NotSmaller { error: String } = "The database was not made smaller: {error}.",
        /// No more items may be removed.
        StillTooLarge = "The database is still larger than MAX_DB_SIZE_MB.",
    }
}

sentences! {
    /// Reasons why the database cannot be copied or compacted. Sizes are in megabytes.
    pub enum Obstacle {
        /// Compacting writes a new file before the old one is deleted.
        NoRoomToVacuum { needed: i64, free: i64 } = "there is not enough room on the disk: {needed} MB are needed and {free} MB are free",
        /// The work would block the writes of a running server for too long.
        InUse = "a server may be using the database",
        /// A copy would leave too little free space for the instance itself.
        NoRoomToCopy { needed: u64, free: u64 } = "there is no room for a copy: it needs about {needed} MB beside the 200 MB that are left free, and {free} MB are free; make room, or write it to another disk",
        /// A file cannot be written, with the error message of the system.
        NotWritable { path: String, reason: String } = "{path} cannot be written ({reason}); check the folder and the room on its disk",
        /// Fewer rows were copied than expected.
        Incomplete { table: String, found: i64, expected: i64 } = "{table} has {found} rows after copying instead of {expected}; nothing was changed",
        /// The process that made the copy has terminated.
        BrokenOff = "it ended in the middle; the log says why",
        /// The database engine failed, with its error message.
        NotCopied { reason: String } = "copying failed ({reason}); nothing was changed",
    }
}
