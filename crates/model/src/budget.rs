//! Rate limits as plain state: the number of requests that a key may make in a window.
//!
//! A sliding window of counted requests, stored as two counters instead of a list of instants: the
//! count of the current window plus the share of the previous one that still overlaps. A window
//! exceeds the limit at most by the rounding of that share. A key costs 40 bytes.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use crate::time::Timestamp;

/// Maximum number of requests in a time window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    pub requests: u32,
    pub window: Duration,
}

impl Limit {
    pub const fn per_minute(requests: u32) -> Self {
        Self {
            requests,
            window: Duration::from_secs(60),
        }
    }
}

/// Decision about one request, with the values of the rate limit headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// True if the request may proceed.
    pub allowed: bool,
    pub limit: u32,
    /// Requests left in the current window.
    pub remaining: u32,
    /// End of the current window.
    pub resets_at: Timestamp,
    /// Time until the next request is allowed; zero if it would be allowed now.
    pub retry_after: Duration,
}

#[derive(Debug, Clone, Copy)]
struct Counts {
    /// Number of the current window since the epoch.
    window: i64,
    current: u32,
    previous: u32,
}

/// Request counters of many keys, bounded in number: if the table is full, stale keys are dropped
/// first, then the least active half.
#[derive(Debug)]
pub struct Budget<K> {
    limit_keys: usize,
    counts: HashMap<K, Counts>,
}

impl<K: Hash + Eq + Clone> Budget<K> {
    /// Creates a table of at most `limit_keys` keys.
    pub fn new(limit_keys: usize) -> Self {
        Self {
            limit_keys,
            counts: HashMap::new(),
        }
    }

    /// Counts one request of `key` at `now`. A refused request is not counted, so that waiting helps.
    pub fn take(&mut self, key: K, limit: Limit, now: Timestamp) -> Verdict {
        let length = i64::try_from(limit.window.as_millis())
            .unwrap_or(i64::MAX)
            .max(1);
        let window = now.as_ms().div_euclid(length);
        if self.counts.len() >= self.limit_keys && !self.counts.contains_key(&key) {
            self.make_room(window);
        }
        let counts = self.counts.entry(key).or_insert(Counts {
            window,
            current: 0,
            previous: 0,
        });
        match window - counts.window {
            0 => {}
            1 => {
                *counts = Counts {
                    window,
                    current: 0,
                    previous: counts.current,
                }
            }
            // More than one window has passed, or the clock was set back: start again.
            _ => {
                *counts = Counts {
                    window,
                    current: 0,
                    previous: 0,
                }
            }
        }

        let into_window = now.as_ms() - window * length;
        let left_of_window = length - into_window;
        let carried = i64::from(counts.previous) * left_of_window / length;
        let used = u32::try_from(carried)
            .unwrap_or(u32::MAX)
            .saturating_add(counts.current);
        let allowed = used < limit.requests;
        if allowed {
            counts.current += 1;
        }
        let used = if allowed { used + 1 } else { used };
        let retry_after = if used < limit.requests {
            Duration::ZERO
        } else if counts.current < limit.requests && counts.previous > 0 {
            // The share of the previous window must shrink by the excess.
            let too_much = i64::from(used - limit.requests) + 1;
            let wait = (too_much * length).div_ceil_(i64::from(counts.previous));
            Duration::from_millis(u64::try_from(wait.clamp(1, left_of_window)).unwrap_or(1))
        } else {
            // One millisecond into the next window: at its very beginning all of this one still counts.
            Duration::from_millis(u64::try_from(left_of_window + 1).unwrap_or(1))
        };
        Verdict {
            allowed,
            limit: limit.requests,
            remaining: limit.requests.saturating_sub(used),
            resets_at: Timestamp::from_ms((window + 1) * length),
            retry_after,
        }
    }

    /// Returns the number of keys in the table.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    fn make_room(&mut self, window: i64) {
        self.counts.retain(|_, counts| window - counts.window <= 1);
        if self.counts.len() < self.limit_keys {
            return;
        }
        // All keys were active in this or the previous window: an attack with many keys. Drop the
        // least active half, so that the most active keys stay limited.
        let mut activity: Vec<u32> = self
            .counts
            .values()
            .map(|counts| counts.current + counts.previous)
            .collect();
        let middle = activity.len() / 2;
        let (_, median, _) = activity.select_nth_unstable(middle);
        let median = *median;
        let mut to_drop = self.counts.len() / 2;
        self.counts.retain(|_, counts| {
            let drop = to_drop > 0 && counts.current + counts.previous <= median;
            to_drop -= usize::from(drop);
            !drop
        });
    }
}

/// `i64::div_ceil` is not stable; the operands here are positive.
trait DivCeil {
    fn div_ceil_(self, by: Self) -> Self;
}

impl DivCeil for i64 {
    fn div_ceil_(self, by: Self) -> Self {
        (self + by - 1) / by
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIVE: Limit = Limit::per_minute(5);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(600_000 + seconds)
    }

    #[test]
    fn five_pass_and_the_sixth_waits_for_its_window() {
        let mut budget = Budget::new(10);
        for left in [4, 3, 2, 1, 0] {
            let verdict = budget.take("a", FIVE, at(0));
            assert!(verdict.allowed);
            assert_eq!(verdict.remaining, left);
        }
        let refused = budget.take("a", FIVE, at(10));
        assert!(!refused.allowed);
        assert_eq!(refused.resets_at, at(60));
        assert_eq!(refused.retry_after, Duration::from_millis(50_001));
        let later = at(10) + refused.retry_after;
        assert!(
            budget.take("a", FIVE, later).allowed,
            "waiting as long as told helps"
        );
        assert!(
            budget.take("b", FIVE, at(10)).allowed,
            "another key has its own budget"
        );
    }

    #[test]
    fn the_last_window_counts_in_part_so_a_burst_over_its_edge_is_seen() {
        let mut budget = Budget::new(10);
        for _ in 0..5 {
            assert!(budget.take("a", FIVE, at(59)).allowed);
        }
        let verdict = budget.take("a", FIVE, at(61));
        assert!(verdict.allowed, "four fifths of five are four");
        assert!(!budget.take("a", FIVE, at(61)).allowed);
        let wait = budget.take("a", FIVE, at(61)).retry_after;
        assert!(
            budget.take("a", FIVE, at(61) + wait).allowed,
            "waiting as long as told helps"
        );
        assert!(budget.take("a", FIVE, at(200)).allowed);
    }

    #[test]
    fn the_table_is_bounded_and_the_busiest_key_survives() {
        let mut budget = Budget::new(100);
        for _ in 0..5 {
            budget.take(0, FIVE, at(0));
        }
        for key in 1..10_000 {
            budget.take(key, FIVE, at(0));
            assert!(budget.len() <= 100);
        }
        assert!(!budget.take(0, FIVE, at(0)).allowed);
    }

    #[test]
    fn a_clock_set_back_does_not_lock_anybody_out() {
        let mut budget = Budget::new(10);
        for _ in 0..5 {
            budget.take("a", FIVE, at(10_000));
        }
        assert!(budget.take("a", FIVE, at(0)).allowed);
    }
}
