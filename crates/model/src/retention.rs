//! How long things are kept, and when the house is cleaned.
//!
//! Starred items are kept for ever; no rule here speaks of them.

use std::time::Duration;

use jiff::tz::TimeZone;

use crate::nightly::Nightly;
use crate::time::Timestamp;

const DAY: Duration = Duration::from_secs(24 * 3600);
const MIB: i64 = 1024 * 1024;

/// Articles of items that were read longer ago are cleared; what the feed said of them stays.
const ARTICLES_DAYS: u32 = 30;
/// However full the disk: what was read or came within this time is not removed for its room.
const SHORTEST_AGE_DAYS: u32 = 30;
/// How much sooner items go with each attempt to make the database fit.
const AGE_STEP_DAYS: u32 = 30;
/// Where those attempts begin when items are otherwise kept for ever.
const ENDLESS_AGE_DAYS: u32 = 390;
/// What keeps removed items away is kept at least so long.
const STONES_DAYS: u32 = 365;
/// Lines of the clean-up's log.
const LOG_DAYS: u32 = 90;
/// Subscription lists that were taken in.
const IMPORTS_DAYS: u32 = 30;
/// What take-outs say of items that are not here: a feed that brings nothing for so long has lost them.
const AWAITED_DAYS: u32 = 30;
/// What people did, for whoever runs the instance: a year can be compared with the one before.
const EVENTS_DAYS: u32 = 400;
/// Marking many items read can be undone for so long.
const UNDO: Duration = Duration::from_secs(3600);

/// What the operator decides about keeping; zero means without limit.
#[derive(Debug, Clone)]
pub struct Retention {
    /// Days after which items go that everybody has read.
    pub max_post_age_days: u32,
    /// Days after which items go that somebody has not read.
    pub max_unread_days: u32,
    /// Items of a feed that are kept, of those that everybody has read.
    pub max_posts_per_feed: u32,
    /// How large the database may get.
    pub max_db_size_mb: u32,
    /// When the house is cleaned.
    pub nightly: Nightly,
}

impl Default for Retention {
    /// As it is documented.
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

/// What one clean-up came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanupReport {
    /// When it ended.
    pub executed_at: Timestamp,
    /// Items removed that everybody had read: too old, or too many of one feed.
    pub posts_removed: i64,
    /// Articles cleared.
    pub full_content_cleared: i64,
    /// Records of failed summaries removed.
    pub summaries_cleared: i64,
    /// Items removed that somebody had not read.
    pub unread_removed: i64,
    /// Bytes that are free for something else now, in the database or on the disk.
    pub bytes_freed: i64,
    /// How long it took.
    pub duration: Duration,
    /// What else there is to say, a [`CleanupNote`](crate::warning::CleanupNote) on each line; mostly empty.
    pub notes: String,
}

/// The moment `days` before `now`.
fn days_before(now: Timestamp, days: u32) -> Timestamp {
    now - DAY * days
}

impl Retention {
    /// Items that everybody read before this go.
    pub fn read_before(&self, now: Timestamp) -> Option<Timestamp> {
        (self.max_post_age_days > 0).then(|| days_before(now, self.max_post_age_days))
    }

    /// The same when they take too much room: sooner and sooner, until it must do.
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

    /// Items that somebody has not read go when they were first seen before this.
    pub fn unread_before(&self, now: Timestamp) -> Option<Timestamp> {
        (self.max_unread_days > 0).then(|| days_before(now, self.max_unread_days))
    }

    /// Items of a feed beyond so many go, when everybody has read them.
    pub fn most_of_a_feed(&self) -> Option<i64> {
        (self.max_posts_per_feed > 0).then_some(i64::from(self.max_posts_per_feed))
    }

    /// How large the database may get, in bytes.
    pub fn most_bytes(&self) -> Option<i64> {
        (self.max_db_size_mb > 0).then(|| i64::from(self.max_db_size_mb) * MIB)
    }

    /// Articles of items that were read before this are cleared.
    pub fn articles_before(&self, now: Timestamp) -> Timestamp {
        days_before(now, ARTICLES_DAYS)
    }

    /// What keeps a removed item away goes when its feed last listed it before this.
    pub fn stones_before(&self, now: Timestamp) -> Timestamp {
        let twice = self.max_post_age_days.saturating_mul(2);
        days_before(now, twice.max(STONES_DAYS))
    }

    /// Lines of the clean-up's log go when they are from before this.
    pub fn log_before(&self, now: Timestamp) -> Timestamp {
        days_before(now, LOG_DAYS)
    }

    /// Subscription lists go when they were taken in before this.
    pub fn imports_before(&self, now: Timestamp) -> Timestamp {
        days_before(now, IMPORTS_DAYS)
    }

    /// What take-outs said of items that have not come since goes when it was brought in before this.
    pub fn awaited_before(&self, now: Timestamp) -> Timestamp {
        days_before(now, AWAITED_DAYS)
    }

    /// What people did is forgotten when it was before this.
    pub fn events_before(&self, now: Timestamp) -> Timestamp {
        days_before(now, EVENTS_DAYS)
    }

    /// Marking many items read can no longer be undone when it was before this.
    pub fn sweeps_before(&self, now: Timestamp) -> Timestamp {
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
        assert_eq!(kept.stones_before(now), now - DAY * 365);
    }
}
