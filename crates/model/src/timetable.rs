//! Fetch times for all feeds that the operator configures as a cron expression.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::tz::TimeZone;

use crate::time::Timestamp;

/// A cron expression in a time zone.
#[derive(Debug, Clone)]
pub struct Timetable {
    cron: Cron,
    zone: TimeZone,
}

impl Timetable {
    /// Parses an expression of five fields (minute, hour, day, month, weekday) or a shorthand like
    /// `@daily`. Returns `None` if it is invalid or never occurs, like 30 February.
    pub fn parse(expression: &str, zone: TimeZone) -> Option<Self> {
        // Five fields only: with an optional sixth, an extra field would silently change the meaning.
        let parser = CronParser::builder()
            .seconds(Seconds::Disallowed)
            .year(Year::Disallowed)
            .build();
        let cron = parser.parse(expression).ok()?;
        let timetable = Self { cron, zone };
        timetable
            .next_after(Timestamp::EPOCH)
            .is_some()
            .then_some(timetable)
    }

    /// Returns the first of its times after `now`.
    pub fn next_after(&self, now: Timestamp) -> Option<Timestamp> {
        let here = now.to_jiff().to_zoned(self.zone.clone());
        let next = self.cron.find_next_occurrence(&here, false).ok()?;
        Some(next.timestamp().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse::<jiff::Timestamp>().unwrap().into()
    }

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    #[test]
    fn the_next_time_follows_the_zone_and_its_clock_changes() {
        for (expression, name, now, next) in [
            (
                "30 6 * * *",
                "UTC",
                "2026-03-14T06:30:00Z",
                "2026-03-15T06:30:00Z",
            ),
            (
                "30 6 * * *",
                "Asia/Tokyo",
                "2026-03-14T12:00:00Z",
                "2026-03-14T21:30:00Z",
            ),
            (
                "0 */6 * * MON-FRI",
                "UTC",
                "2026-03-14T12:00:00Z",
                "2026-03-16T00:00:00Z",
            ),
            (
                "@hourly",
                "UTC",
                "2026-03-14T12:00:01Z",
                "2026-03-14T13:00:00Z",
            ),
            // Clocks go forward on 29 March: the same time of day is an hour earlier in UTC.
            (
                "0 6 * * *",
                "Europe/Berlin",
                "2026-03-28T12:00:00Z",
                "2026-03-29T04:00:00Z",
            ),
        ] {
            let timetable = Timetable::parse(expression, zone(name)).unwrap();
            let found = timetable.next_after(at(now));
            assert_eq!(found, Some(at(next)), "{expression} {name}");
        }
    }

    #[test]
    fn what_is_no_timetable_is_refused() {
        for expression in [
            "",
            "soon",
            "* * *",
            "0 0 6 * * *",
            "61 * * * *",
            "0 25 * * *",
            "0 0 30 2 *",
            "@never",
        ] {
            let parsed = Timetable::parse(expression, TimeZone::UTC);
            assert!(parsed.is_none(), "{expression:?}");
        }
    }
}
