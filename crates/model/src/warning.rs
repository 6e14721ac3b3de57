//! What is wrong with an instance, for the people who use it and those who run it.

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
        /// The next clean-up has something to do.
        TooLarge { size: i64, limit: u32 } = "The database has {size} MB, more than MAX_DB_SIZE_MB allows ({limit} MB). The next clean-up makes it smaller as far as it may.",
        /// The last clean-up could not do enough. (Solo's words.)
        StillTooLarge = "DB exceeds configured limit",
        /// The last backup failed, with what the system said.
        NoBackup { day: String, error: String } = "No backup was made on {day}: {error}.",
    }
}
