//! What is wrong with an instance and what was done about it, for the people who use it and those who run it.

use crate::said::sentences;

sentences! {
    /// What the regular checks found. Sizes are in megabytes.
    pub enum Warning {
        /// There is so little room that people can only read.
        DiskFull { free: i64 } = "The disk is nearly full ({free} MB are free), so nothing can be changed and nothing new is fetched. It goes on by itself when there is room.",
        /// There is so little room that nothing is fetched.
        DiskLow { free: i64 } = "The disk is nearly full ({free} MB are free), so nothing new is fetched. It goes on by itself when there is room.",
        /// Nobody works off what is due.
        Stuck = "Feeds and articles have been waiting for over an hour. Look whether the worker runs, and what the log says.",
        /// The next clean-up has something to do. The size is told to the tenth, as the status tells it: without, it could be
        /// no larger than the limit.
        TooLarge { size: String, limit: u32 } = "The database has {size} MB, more than MAX_DB_SIZE_MB allows ({limit} MB). The next clean-up makes it smaller as far as it may.",
        /// The last clean-up could not do enough. (Solo's words.)
        StillTooLarge = "DB exceeds configured limit",
        /// The last backup failed, with what stood in the way: an [`Obstacle`], or what the system said.
        NoBackup { day: String, error: String } = "No backup was made on {day}: {error}.",
    }
}

sentences! {
    /// What a clean-up noted beside its figures.
    pub enum CleanupNote {
        /// Items went before their time.
        RemovedForRoom { items: i64, days: u32 } = "{items} items that were read more than {days} days ago were removed for their room.",
        /// Removing items gave nothing back.
        KeptByPostgres = "PostgreSQL keeps their room for new rows; VACUUM FULL gives it to the disk.",
        /// With what stood in the way: an [`Obstacle`], or what the system said.
        NotSmaller { error: String } = "The database was not made smaller: {error}.",
        /// Nothing more may be removed.
        StillTooLarge = "The database is still larger than MAX_DB_SIZE_MB.",
    }
}

sentences! {
    /// What keeps the database from being copied or made smaller. Sizes are in megabytes.
    pub enum Obstacle {
        /// It is written anew before the old one goes.
        NoRoomToVacuum { needed: i64, free: i64 } = "there is not enough room on the disk: {needed} MB are needed and {free} MB are free",
        /// People could write nothing for too long.
        InUse = "a server may be using the database",
        /// A copy would leave too little room for what is there.
        NoRoomToCopy { needed: u64, free: u64 } = "there is no room for a copy: it needs about {needed} MB beside the 200 MB that are left free, and {free} MB are free; make room, or write it to another disk",
        /// A file cannot be written, with the system's words.
        NotWritable { path: String, reason: String } = "{path} cannot be written ({reason}); check the folder and the room on its disk",
        /// Not every row arrived.
        Incomplete { table: String, found: i64, expected: i64 } = "{table} has {found} rows after copying instead of {expected}; nothing was changed",
        /// Whoever copied is gone.
        BrokenOff = "it ended in the middle; the log says why",
        /// An engine failed, with its words.
        NotCopied { reason: String } = "copying failed ({reason}); nothing was changed",
    }
}
