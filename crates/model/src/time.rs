//! Instants, as milliseconds since 1970 in UTC: one 64-bit integer on both engines.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An instant. JSON and templates use RFC 3339, rows the number of milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);

    pub const fn from_ms(ms: i64) -> Self {
        Self(ms)
    }

    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    pub const fn as_ms(self) -> i64 {
        self.0
    }

    /// Returns whole seconds since the epoch, rounded down.
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// Returns the time since `earlier`; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Parses a time with its offset, as in `2026-05-01T09:30:00Z`.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(Self::from)
    }

    /// Parses an upper bound. The last two days of the year 9999, which clients send to mean no
    /// bound and which `jiff` cannot represent in every zone, become the latest instant.
    pub fn parse_bound(text: &str) -> Option<Self> {
        let last = || {
            let pieces = jiff::fmt::temporal::Pieces::parse(text).ok()?;
            let is_whole = pieces.time().is_some() && pieces.to_numeric_offset().is_some();
            let is_last = pieces.date() >= jiff::civil::date(9999, 12, 30);
            (is_whole && is_last).then_some(Self::from_ms(i64::MAX))
        };
        Self::parse(text).or_else(last)
    }

    /// Converts for calendar computations; instants outside the range of `jiff` are clamped.
    pub fn to_jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(if self.0 < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        })
    }
}

impl From<jiff::Timestamp> for Timestamp {
    fn from(at: jiff::Timestamp) -> Self {
        Self(at.as_millisecond())
    }
}

impl std::ops::Add<Duration> for Timestamp {
    type Output = Self;
    fn add(self, span: Duration) -> Self {
        Self(
            self.0
                .saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)),
        )
    }
}

impl std::ops::Sub<Duration> for Timestamp {
    type Output = Self;
    fn sub(self, span: Duration) -> Self {
        Self(
            self.0
                .saturating_sub(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)),
        )
    }
}

impl fmt::Display for Timestamp {
    /// Writes RFC 3339 in UTC, without a fraction if it is zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_jiff().fmt(f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Lists contain hundreds of instants, nearly all of them whole seconds.
        match self.whole_second() {
            Some(text) => serializer.serialize_str(std::str::from_utf8(&text).unwrap_or_default()),
            None => serializer.collect_str(self),
        }
    }
}

impl Timestamp {
    /// Formats a whole second in the years 0 to 9999 as [`fmt::Display`] does, in a fifth of the time.
    fn whole_second(self) -> Option<[u8; 20]> {
        let (seconds, rest) = (self.as_ms().div_euclid(1000), self.as_ms().rem_euclid(1000));
        // Days since March of the year 0, so that leap days are the last of their years.
        let days = seconds.div_euclid(86_400) + 719_468;
        let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let is_next_year = month >= 10;
        let month = if is_next_year { month - 9 } else { month + 3 };
        let year = year + era * 400 + i64::from(is_next_year);
        if rest != 0 || !(0..=9999).contains(&year) {
            return None;
        }
        let second = seconds.rem_euclid(86_400);
        let mut text = *b"0000-00-00T00:00:00Z";
        for (at, pair) in [
            (0, year / 100),
            (2, year % 100),
            (5, month),
            (8, day),
            (11, second / 3600),
            (14, second / 60 % 60),
            (17, second % 60),
        ] {
            // Each value is below 100.
            let pair = u8::try_from(pair).ok()?;
            text[at] += pair / 10;
            text[at + 1] += pair % 10;
        }
        Some(text)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let at: jiff::Timestamp = text.parse().map_err(serde::de::Error::custom)?;
        Ok(at.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_seconds_are_serialised_as_they_are_printed() {
        // Irregular steps through all years, so that leap days and the ends of years are covered.
        let mut seconds = -62_200_000_000_i64;
        while seconds < 253_500_000_000 {
            let at = Timestamp::from_seconds(seconds);
            let expected = at.to_string();
            if let Some(text) = at.whole_second() {
                assert_eq!(std::str::from_utf8(&text), Ok(expected.as_str()));
            } else {
                assert!(
                    expected.starts_with(['-', '+']) || expected.len() != 20,
                    "{expected}"
                );
            }
            seconds += 86_399 * 171 + 41;
        }
        for text in [
            "2024-02-29T23:59:59Z",
            "1969-12-31T23:59:59Z",
            "2000-03-01T00:00:00Z",
        ] {
            let at = Timestamp::parse(text).unwrap();
            assert_eq!(at.whole_second().unwrap(), text.as_bytes());
        }
        assert_eq!(Timestamp::from_ms(250).whole_second(), None);
    }

    #[test]
    fn a_bound_may_be_the_end_of_all_years() {
        let end = Some(Timestamp::from_ms(i64::MAX));
        for text in ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999+00:00"] {
            assert_eq!(Timestamp::parse_bound(text), end, "{text}");
        }
        for text in [
            "9999-12-31",
            "9999-12-31T23:59:59",
            "9999-12-32T00:00:00Z",
            "soon",
        ] {
            assert_eq!(Timestamp::parse_bound(text), None, "{text}");
        }
        let may = "2026-05-01T09:30:00Z";
        assert_eq!(Timestamp::parse_bound(may), Timestamp::parse(may));
    }

    #[test]
    fn prints_rfc_3339() {
        assert_eq!(
            Timestamp::from_seconds(1_735_689_600).to_string(),
            "2025-01-01T00:00:00Z"
        );
        assert_eq!(
            Timestamp::from_ms(1_735_689_600_250).to_string(),
            "2025-01-01T00:00:00.25Z"
        );
    }

    #[test]
    fn arithmetic_saturates_instead_of_wrapping() {
        let end = Timestamp::from_ms(i64::MAX);
        assert_eq!(end + Duration::from_secs(1), end);
        assert_eq!(Timestamp::EPOCH.since(end), Duration::ZERO);
        assert_eq!((Timestamp::EPOCH - Duration::from_secs(1)).as_seconds(), -1);
    }
}
