//! Dates and numbers as people write them.

use lede_model::time::Timestamp;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// How long ago, in one or two characters and a unit: `4 min`, `2 h`, `3 d`; a date after a week.
pub(super) fn age(at: Timestamp, now: Timestamp) -> String {
    match now.since(at).as_secs() {
        0..MINUTE => "now".to_owned(),
        seconds @ MINUTE..HOUR => format!("{} min", seconds / MINUTE),
        seconds @ HOUR..DAY => format!("{} h", seconds / HOUR),
        seconds if seconds < 7 * DAY => format!("{} d", seconds / DAY),
        _ => {
            let format = if year(at) == year(now) {
                "%-d %b"
            } else {
                "%-d %b %Y"
            };
            at.to_jiff().strftime(format).to_string()
        }
    }
}

/// The whole date and time, for tooltips and screen readers.
pub(super) fn exact(at: Timestamp) -> String {
    at.to_jiff().strftime("%-d %B %Y, %H:%M UTC").to_string()
}

fn year(at: Timestamp) -> i16 {
    at.to_jiff().to_zoned(jiff::tz::TimeZone::UTC).year()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_age_is_short() {
        let now = Timestamp::from_seconds(1_763_000_000); // 2025-11-13
        for (seconds, text) in [
            (5, "now"),
            (240, "4 min"),
            (2 * HOUR + 5, "2 h"),
            (3 * DAY, "3 d"),
            (30 * DAY, "14 Oct"),
            (400 * DAY, "9 Oct 2024"),
        ] {
            assert_eq!(age(now - Duration::from_secs(seconds), now), text);
        }
        assert_eq!(
            age(now + Duration::from_secs(90), now),
            "now",
            "the future is not negative"
        );
        assert_eq!(exact(now), "13 November 2025, 02:13 UTC");
    }
}
