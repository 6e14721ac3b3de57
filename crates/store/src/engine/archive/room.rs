//! Check for enough disk space for a copy.

use super::{ArchiveError, ROOM_TO_LEAVE, Result};
use crate::engine::DatabaseLocation;
use crate::engine::postgres::Target;

/// Tables with indexes and TOAST data: somewhat more than the copy needs.
const SIZE: &str = "SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0)::BIGINT
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind = 'r'";

/// Estimates the size of a copy of the database in bytes.
pub(super) fn needed(place: &DatabaseLocation) -> Result<u64> {
    match place {
        DatabaseLocation::File(path) => Ok(std::fs::metadata(path).map_or(0, |file| file.len())),
        DatabaseLocation::Server(url) => {
            let mut client = Target::parse(url)?.connect_to_read()?;
            let bytes: i64 = client
                .query_one(SIZE, &[])
                .map_err(ArchiveError::from)?
                .get(0);
            Ok(bytes.unsigned_abs())
        }
    }
}

pub(super) fn suffices(free: u64, needed: u64) -> bool {
    free >= needed.saturating_add(ROOM_TO_LEAVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_leaves_room_for_the_others() {
        assert!(suffices(ROOM_TO_LEAVE + 10, 10));
        assert!(!suffices(ROOM_TO_LEAVE + 9, 10));
        assert!(!suffices(u64::MAX - 1, u64::MAX));
    }
}
