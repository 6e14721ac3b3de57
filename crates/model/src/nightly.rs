//! What is done once a day, from an hour on that the operator chose.

use jiff::tz::TimeZone;

use crate::time::Timestamp;

/// An hour of the day somewhere.
#[derive(Debug, Clone)]
pub struct Nightly {
    hour: i8,
    zone: TimeZone,
}

impl Nightly {
    /// From `hour` o'clock on, by the clocks of `zone`; `None` when no day has such an hour.
    pub fn new(hour: i8, zone: TimeZone) -> Option<Self> {
        (0..24).contains(&hour).then_some(Self { hour, zone })
    }

    /// Today, like `2026-03-14`, once its hour has come.
    pub fn day(&self, now: Timestamp) -> Option<String> {
        let here = now.to_jiff().to_zoned(self.zone.clone());
        (here.hour() >= self.hour).then(|| here.date().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_days_turn_comes_at_the_hour_of_the_operators_clock() {
        let lisbon = TimeZone::get("Europe/Lisbon").unwrap();
        for (zone, now, day) in [
            (TimeZone::UTC, "2026-03-14T04:00:00Z", Some("2026-03-14")),
            (TimeZone::UTC, "2026-03-14T23:59:59Z", Some("2026-03-14")),
            (TimeZone::UTC, "2026-03-14T03:59:59Z", None),
            (lisbon, "2026-07-01T03:00:00Z", Some("2026-07-01")),
        ] {
            let now: jiff::Timestamp = now.parse().unwrap();
            let nightly = Nightly::new(4, zone).unwrap();
            assert_eq!(nightly.day(now.into()).as_deref(), day);
        }
        assert!(Nightly::new(24, TimeZone::UTC).is_none());
    }
}
