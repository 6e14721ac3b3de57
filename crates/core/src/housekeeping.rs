//! Keeping house: what is old goes, what is wrong is said, and there is room for what comes.

pub mod disk;
pub mod health;
pub mod retention;
pub mod status;

/// Bytes of a megabyte, as the settings count them.
const MIB: i64 = 1024 * 1024;

/// Bytes in whole megabytes, for people.
fn megabytes(bytes: i64) -> i64 {
    bytes / MIB
}
