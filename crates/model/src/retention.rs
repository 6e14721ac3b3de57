//! Retention: how long data is stored, and when the daily clean-up runs.
//!
//! Starred items are stored without limit; no rule here applies to them.

use std::time::Duration;

use jiff::tz::TimeZone;

use crate::daily_window::Nightly;
use crate::time::Timestamp;
use crate::warning::CleanupNote;

const DAY: Duration = Duration::from_secs(24 * 3600);
const MIB: i64 = 1024 * 1024;

/// Extracted articles of items that were read longer ago are cleared; the feed's content stays.
const ARTICLES_DAYS: u32 = 30;
/// Minimum age for removal to free space: items that were read or arrived within this time are not
/// removed, even if the database is too large.
const SHORTEST_AGE_DAYS: u32 = 30;
/// Reduction of the maximum age with each attempt to make the database fit.
const AGE_STEP_DAYS: u32 = 30;
/// Age from which these attempts start if items are otherwise stored without limit.
const ENDLESS_AGE_DAYS: u32 = 390;
/// Minimum lifetime of the tombstones that prevent removed items from returning.
const STONES_DAYS: u32 = 365;
/// Lifetime of the entries in the clean-up log.
const LOG_DAYS: u32 = 90;
/// Lifetime of finished imports of subscription lists.
const IMPORTS_DAYS: u32 = 30;
/// Lifetime of imported marks of items that are not stored here: a feed that has not listed them
/// for this long will not do so any more.
const PENDING_MARKS_DAYS: u32 = 30;
/// Lifetime of notifications that were delivered.
const NOTIFICATIONS_DAYS: u32 = 30;
/// Lifetime of the usage events for the operator: a year can be compared with the previous one.
const EVENTS_DAYS: u32 = 400;
/// Time during which a bulk mark can be undone.
const UNDO: Duration = Duration::from_secs(3600);

/// Limits set by the operator; zero means no limit.
#[derive(Debug, Clone)]
pub struct Retention {
    /// Days after which items are removed that all subscribers have read.
    pub max_post_age_days: u32,
    /// Days after which items are removed that some subscriber has not read.
    pub max_unread_days: u32,
    /// Maximum number of stored items per feed, among those that all subscribers have read.
    pub max_posts_per_feed: u32,
    /// Maximum size of the database.
    pub max_db_size_mb: u32,
    /// Time of the daily clean-up.
    pub nightly: Nightly,
}

impl Default for Retention {
    /// The documented defaults.
    fn default() -> Self {
        Self {
            max_post_age_days: 180,
            max_unread_days: 90,
            max_posts_per_feed: 500,
            max_db_size_mb: 1024,
            nightly: Nightly::new(3, TimeZone::UTC).expect("days have three o'clock"),
        }
    }
}

/// Result of one clean-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanupReport {
    /// Time at which the clean-up ended.
    pub executed_at: Timestamp,
    /// Items removed that all subscribers had read: too old, or too many in one feed.
    pub posts_removed: i64,
    /// Number of extracted articles cleared.
    pub full_content_cleared: i64,
    /// Items removed that some subscriber had not read.
    pub unread_removed: i64,
    /// Bytes freed, in the database or on the disk.
    pub bytes_freed: i64,
    pub duration: Duration,
    /// Usually empty.
    pub notes: Vec<CleanupNote>,
}

fn days_before(now: Timestamp, days: u32) -> Timestamp {
    now - DAY * days
}

impl Retention {
    /// Items that all subscribers read before this time are removed.
    pub fn read_before(&self, now: Timestamp) -> Option<Timestamp> {
        (self.max_post_age_days > 0).then(|| days_before(now, self.max_post_age_days))
    }

    /// Returns ever shorter ages, in days, and the corresponding times for [`Self::read_before`],
    /// to be tried in turn while the database is too large. It ends at `SHORTEST_AGE_DAYS`.
    pub fn read_before_to_fit(
        &self,
        now: Timestamp,
    ) -> impl Iterator<Item = (u32, Timestamp)> + use<> {
        let first = match self.max_post_age_days {
            0 => ENDLESS_AGE_DAYS,
            days => days,
        };
        let shorter = |days: &u32| {
            (*days > SHORTEST_AGE_DAYS)
                .then(|| days.saturating_sub(AGE_STEP_DAYS).max(SHORTEST_AGE_DAYS))
        };
        std::iter::successors(shorter(&first), shorter)
            .map(move |days| (days, days_before(now, days)))
    }

    /// Items that some subscriber has not read are removed if they were first seen before this time.
    pub fn unread_before(&self, now: Timestamp) -> Option<Timestamp> {
        (self.max_unread_days > 0).then(|| days_before(now, self.max_unread_days))
    }

    /// Maximum number of items of a feed that all subscribers have read.
    pub fn most_of_a_feed(&self) -> Option<i64> {
        (self.max_posts_per_feed > 0).then_some(i64::from(self.max_posts_per_feed))
    }

    /// Maximum size of the database, in bytes.
    pub fn most_bytes(&self) -> Option<i64> {
        (self.max_db_size_mb > 0).then(|| i64::from(self.max_db_size_mb) * MIB)
    }

    /// Extracted articles of items that were read before this time are cleared.
    pub fn articles_before(&self, now: Timestamp) -> Timestamp {
        days_before(now, ARTICLES_DAYS)
    }

    /// Tombstones are removed if the feed last listed their items before this time.
    pub fn tombstones_before(&self, now: Timestamp) -> Timestamp {
        let twice = self.max_post_age_days.saturating_mul(2);
        days_before(now, twice.max(STONES_DAYS))
    }

    /// Entries of the clean-up log before this time are removed.
    pub fn log_before(&self, now: Timestamp) -> Timestamp {
        days_before(now, LOG_DAYS)
    }

    /// Imports of subscription lists before this time are removed.
    pub fn imports_before(&self, now: Timestamp) -> Timestamp {
        days_before(now, IMPORTS_DAYS)
    }

    /// Imported marks of items that have not arrived are removed if they were imported before this time.
    pub fn pending_marks_before(&self, now: Timestamp) -> Timestamp {
        days_before(now, PENDING_MARKS_DAYS)
    }

    /// Delivered notifications before this time are removed.
    pub fn notifications_before(&self, now: Timestamp) -> Timestamp {
        days_before(now, NOTIFICATIONS_DAYS)
    }

    /// Usage events before this time are removed.
    pub fn events_before(&self, now: Timestamp) -> Timestamp {
        days_before(now, EVENTS_DAYS)
    }

    /// Bulk marks before this time can no longer be undone.
    pub fn bulk_marks_before(&self, now: Timestamp) -> Timestamp {
        now - UNDO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retention(age: u32) -> Retention {
        Retention {
            max_post_age_days: age,
            ..Retention::default()
        }
    }

    #[test]
    fn items_go_sooner_in_steps_until_a_month_is_left() {
        let days = |age| -> Vec<u32> {
            let rounds = retention(age).read_before_to_fit(Timestamp::EPOCH);
            rounds.map(|(days, _)| days).collect()
        };
        assert_eq!(days(180), [150, 120, 90, 60, 30]);
        assert_eq!(days(45), [30]);
        assert_eq!(days(30), [0; 0]);
        assert_eq!(days(7), [0; 0]);
        assert_eq!(days(0).first(), Some(&360), "a limit where there was none");
    }

    #[test]
    fn zero_is_no_limit() {
        let mut kept = retention(0);
        kept.max_unread_days = 0;
        kept.max_posts_per_feed = 0;
        kept.max_db_size_mb = 0;
        let now = Timestamp::from_seconds(1_773_489_600);
        assert_eq!(kept.read_before(now), None);
        assert_eq!(kept.unread_before(now), None);
        assert_eq!(kept.most_of_a_feed(), None);
        assert_eq!(kept.most_bytes(), None);
        assert_eq!(kept.tombstones_before(now), now - DAY * 365);
    }
}
