//! When a feed is next due.
//!
//! Only the straight way so far: a fetch that worked is repeated after the interval that the
//! eagerest follower chose. Failure policies, cache headers and jitter join it here.

use std::time::Duration;

use crate::time::Timestamp;

/// The interval of a subscription that nobody set, in minutes (SPEC §2).
pub const DEFAULT_INTERVAL_MINUTES: i64 = 60;

/// When a feed that was just fetched well is fetched again.
pub fn after_success(now: Timestamp, interval_minutes: i64) -> Timestamp {
    let minutes = u64::try_from(interval_minutes.clamp(30, 720)).unwrap_or(60);
    now + Duration::from_secs(minutes * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_kept_within_its_bounds() {
        let now = Timestamp::from_seconds(1_000_000);
        for (asked, minutes) in [(60, 60), (1, 30), (100_000, 720), (-5, 30)] {
            assert_eq!(after_success(now, asked).since(now).as_secs(), minutes * 60);
        }
    }
}
