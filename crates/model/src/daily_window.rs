//! Schedule of the daily jobs, which run from an hour on that the operator configures.

use jiff::ToSpan as _;
use jiff::tz::TimeZone;

use crate::time::Timestamp;

/// An hour of the day in a time zone.
#[derive(Debug, Clone)]
pub struct Nightly {
    hour: i8,
    zone: TimeZone,
}

impl Nightly {
    /// Creates the schedule for `hour` o'clock in `zone`; `None` if the hour is not within 0..24.
    pub fn new(hour: i8, zone: TimeZone) -> Option<Self> {
        (0..24).contains(&hour).then_some(Self { hour, zone })
    }

    /// Returns the day of the last due run, like `2026-03-14`: before the hour that is yesterday. A
    /// job that records this name runs once for it, and after a missed hour as soon as possible.
    pub fn day(&self, now: Timestamp) -> String {
        let here = now.to_jiff().to_zoned(self.zone.clone());
        let today = here.date();
        let has_begun = today
            .at(self.hour, 0, 0, 0)
            .to_zoned(self.zone.clone())
            .is_ok_and(|hour| hour <= here);
        let day = match has_begun {
            true => today,
            false => today.saturating_sub(1.day()),
        };
        day.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_the_hour_where_the_operator_lives() {
        for (hour, zone, now, day) in [
            (3, "UTC", "2026-03-14T02:59:59Z", "2026-03-13"),
            (3, "UTC", "2026-03-14T03:00:00Z", "2026-03-14"),
            (0, "UTC", "2026-03-14T00:00:00Z", "2026-03-14"),
            (3, "Asia/Tokyo", "2026-03-13T17:59:59Z", "2026-03-13"),
            (3, "Asia/Tokyo", "2026-03-13T18:00:00Z", "2026-03-14"),
            // The clocks go from two to three: the hour that is skipped becomes the next one.
            (2, "Europe/Berlin", "2026-03-29T00:59:59Z", "2026-03-28"),
            (2, "Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29"),
            // From three back to two: the first of the two hours counts.
            (2, "Europe/Berlin", "2026-10-25T00:00:00Z", "2026-10-25"),
            (2, "Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-25"),
        ] {
            let at: jiff::Timestamp = now.parse().unwrap();
            let nightly = Nightly::new(hour, TimeZone::get(zone).unwrap()).unwrap();
            let found = nightly.day(at.into());
            assert_eq!(found, day, "{hour} {zone} {now}");
        }
    }

    #[test]
    fn no_day_has_more_than_a_days_hours() {
        assert!(Nightly::new(23, TimeZone::UTC).is_some());
        for hour in [-1, 24] {
            assert!(Nightly::new(hour, TimeZone::UTC).is_none());
        }
    }
}
