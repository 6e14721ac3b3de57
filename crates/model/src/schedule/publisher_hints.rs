//! Publisher hints about the fetch schedule: refresh interval, hours and days without updates.
//!
//! They are stored with the feed, because most responses carry none ("not modified") and the hints
//! still apply. Publishers often get these fields wrong, so invalid values are ignored.

use std::time::Duration;

use crate::time::Timestamp;

const HOUR_SECONDS: i64 = 3600;
const HOURS_OF_DAY: u32 = 24;
const DAYS_OF_WEEK: u32 = 7;
/// 1970 began on a Thursday, and weeks start on Monday here.
const EPOCH_WEEKDAY: i64 = 3;
const LONGEST_MINUTES: i64 = 24 * 60;
/// An interval of more than a year is taken as an error.
const ABSURD_MINUTES: i64 = 366 * 24 * 60;

/// Schedule hints of one feed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PublisherHints {
    /// Minimum interval between fetches, in minutes: from one to a day's.
    minutes: Option<i64>,
    silence: Silence,
}

/// Hours of the day and days of the week, in UTC, at which the feed has no updates (`skipHours` and
/// `skipDays` of RSS).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Silence {
    /// Bit 0 is the hour after midnight.
    hours: u32,
    /// Bit 0 is Monday.
    days: u32,
}

impl PublisherHints {
    /// Creates the hints from values of the feed: minutes, hours from 0 to 23, days with Monday as 0.
    pub fn new(minutes: Option<i64>, hours: &[u8], days: &[u8]) -> Self {
        let bits = |listed: &[u8]| {
            listed
                .iter()
                .filter(|number| u32::from(**number) < u32::BITS)
                .fold(0, |bits, number| bits | (1 << number))
        };
        Self::of(minutes, bits(hours), bits(days))
    }

    /// Creates the hints from a feed's row: minutes and two bit sets.
    pub fn from_row(minutes: Option<i64>, hours: i64, days: i64) -> Self {
        let bits = |number| u32::try_from(number).unwrap_or(0);
        Self::of(minutes, bits(hours), bits(days))
    }

    fn of(minutes: Option<i64>, hours: u32, days: u32) -> Self {
        Self {
            minutes: minutes
                .filter(|minutes| (1..=ABSURD_MINUTES).contains(minutes))
                .map(|minutes| minutes.min(LONGEST_MINUTES)),
            silence: Silence {
                hours: believed(hours, HOURS_OF_DAY),
                days: believed(days, DAYS_OF_WEEK),
            },
        }
    }

    /// Returns the minimum interval between fetches, in minutes.
    pub const fn minutes(self) -> Option<i64> {
        self.minutes
    }

    /// Returns the silent hours as a bit set for the row.
    pub fn hour_bits(self) -> i64 {
        self.silence.hours.into()
    }

    /// Returns the silent days as a bit set for the row.
    pub fn day_bits(self) -> i64 {
        self.silence.days.into()
    }

    pub(super) fn wait(self) -> Option<Duration> {
        let minutes = u64::try_from(self.minutes?).ok()?;
        Some(Duration::from_secs(minutes * 60))
    }

    /// Returns the end of the silence at `at`; `None` if `at` is not silent. A silence beyond
    /// `latest` ends there.
    pub(super) fn end_of_silence(self, at: Timestamp, latest: Timestamp) -> Option<Timestamp> {
        let first = at.as_seconds().div_euclid(HOUR_SECONDS);
        if !self.silence.covers(first) {
            return None;
        }
        (first + 1..)
            .map(|hour| (hour, Timestamp::from_seconds(hour * HOUR_SECONDS)))
            .find(|(hour, begins)| *begins >= latest || !self.silence.covers(*hour))
            .map(|(_, begins)| begins.min(latest))
    }
}

impl Silence {
    /// Returns `true` if the hour that begins `hour` hours after the epoch is silent.
    fn covers(self, hour: i64) -> bool {
        let of_day = hour.rem_euclid(HOURS_OF_DAY.into());
        let days = hour.div_euclid(HOURS_OF_DAY.into());
        let of_week = (days + EPOCH_WEEKDAY).rem_euclid(DAYS_OF_WEEK.into());
        self.hours >> of_day & 1 == 1 || self.days >> of_week & 1 == 1
    }
}

/// Ignores a set that covers all times: such a feed would never be fetched.
fn believed(bits: u32, count: u32) -> u32 {
    let all = (1 << count) - 1;
    match bits & all {
        bits if bits == all => 0,
        bits => bits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse::<jiff::Timestamp>().unwrap().into()
    }

    #[test]
    fn minutes_that_make_no_sense_are_no_wish() {
        for (written, kept) in [
            (None, None),
            (Some(-5), None),
            (Some(0), None),
            (Some(1), Some(1)),
            (Some(60), Some(60)),
            (Some(10_000), Some(1440)),
            (Some(527_040), Some(1440)),
            (Some(527_041), None),
            (Some(i64::MAX), None),
        ] {
            assert_eq!(PublisherHints::new(written, &[], &[]).minutes(), kept);
        }
    }

    #[test]
    fn a_silence_ends_at_the_first_hour_that_is_not_silent() {
        // 2026-03-14 is a Saturday.
        for (hours, days, when, end) in [
            (&[0, 1, 2][..], &[][..], "2026-03-14T12:30:00Z", None),
            (
                &[12, 13],
                &[],
                "2026-03-14T12:30:00Z",
                Some("2026-03-14T14:00:00Z"),
            ),
            (
                &[12],
                &[],
                "2026-03-14T12:00:00Z",
                Some("2026-03-14T13:00:00Z"),
            ),
            (
                &[22, 23, 0, 1],
                &[],
                "2026-03-14T23:59:59Z",
                Some("2026-03-15T02:00:00Z"),
            ),
            (&[], &[6], "2026-03-14T23:59:59Z", None),
            (
                &[],
                &[5],
                "2026-03-14T20:10:00Z",
                Some("2026-03-15T00:00:00Z"),
            ),
            (
                &[0],
                &[5],
                "2026-03-14T20:10:00Z",
                Some("2026-03-15T01:00:00Z"),
            ),
            (
                &[],
                &[5, 6],
                "2026-03-14T01:00:00Z",
                Some("2026-03-15T12:00:00Z"),
            ),
        ] {
            let publisher_hints = PublisherHints::new(None, hours, days);
            let found = publisher_hints.end_of_silence(at(when), at("2026-03-15T12:00:00Z"));
            assert_eq!(found, end.map(at), "{hours:?} {days:?} {when}");
        }
    }

    #[test]
    fn a_feed_that_is_always_silent_is_not_believed() {
        let every_hour: Vec<u8> = (0..24).collect();
        let publisher_hints = PublisherHints::new(None, &every_hour, &[0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(publisher_hints, PublisherHints::default());
    }

    #[test]
    fn a_row_gives_back_what_was_put_in() {
        let publisher_hints = PublisherHints::new(Some(90), &[0, 23, 40], &[0, 6, 9]);
        let (hours, days) = (publisher_hints.hour_bits(), publisher_hints.day_bits());
        assert_eq!((hours, days), (1 | 1 << 23, 1 | 1 << 6));
        assert_eq!(
            PublisherHints::from_row(publisher_hints.minutes(), hours, days),
            publisher_hints
        );
        assert_eq!(
            PublisherHints::from_row(None, -1, -1),
            PublisherHints::default()
        );
    }
}
