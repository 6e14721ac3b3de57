//! Maintenance: retention, health checks and disk space.

pub mod disk;
pub mod health;
pub mod retention;
pub mod status;

/// Bytes per megabyte, as the settings count them.
const MIB: i64 = 1024 * 1024;

/// Converts bytes to whole megabytes for display.
fn megabytes(bytes: i64) -> i64 {
    bytes / MIB
}
