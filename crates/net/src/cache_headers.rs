//! Time-related response headers: validators, freshness lifetime and `Retry-After`.
//!
//! Durations are clamped to between a minute and a day, and ignored if they are absurd, so that one
//! wrong header can neither make us hammer a server nor freeze a feed. A date in a header is
//! compared with the server's own `Date`, never with our clock: only the duration that the server
//! meant matters, and this crate has no clock.

use std::time::Duration;

use http::HeaderMap;
use http::header::{CACHE_CONTROL, DATE, ETAG, EXPIRES, HeaderName, LAST_MODIFIED, RETRY_AFTER};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;

/// Maximum length of a validator. Longer ones are ignored; no legitimate server needs them.
const MAX_VALIDATOR_BYTES: usize = 1024;
/// Bounds to which durations are clamped.
const SHORTEST: Duration = Duration::from_secs(60);
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// Durations beyond this are ignored instead of clamped: such a long wait is a mistake of the
/// server.
const ABSURD: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// Validators of the last response, for a conditional request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Sent back as `If-None-Match`.
    pub etag: Option<String>,
    /// Sent back as `If-Modified-Since`.
    pub last_modified: Option<String>,
}

/// Time for which the server asks not to be polled again. Each duration is between a minute and a
/// day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheHints {
    /// From `Cache-Control: max-age`.
    pub max_age: Option<Duration>,
    /// From `Expires`, relative to the `Date` of the response.
    pub expires_in: Option<Duration>,
    /// From `Retry-After`, which some servers send with a success as well.
    pub retry_after: Option<Duration>,
}

impl CacheHints {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        Self {
            max_age: max_age(headers),
            expires_in: date_in(headers, &EXPIRES),
            retry_after: retry_after(headers),
        }
    }

    /// Returns the longest of the hints: nothing new is to be expected before that.
    pub fn longest(&self) -> Option<Duration> {
        self.max_age.max(self.expires_in).max(self.retry_after)
    }
}

impl Conditions {
    /// Returns the validators of a response. `Expires: 0` asks for no caching, and servers that
    /// send it are known for validators that do not change when the feed does.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        if text(headers, &EXPIRES) == Some("0") {
            return Self::default();
        }
        let validator = |name| {
            text(headers, name)
                .filter(|v| is_usable(v))
                .map(str::to_owned)
        };
        Self {
            etag: validator(&ETAG),
            last_modified: validator(&LAST_MODIFIED),
        }
    }

    /// Returns `true` if there is no validator to send.
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

pub(crate) fn is_usable(validator: &str) -> bool {
    !validator.is_empty() && validator.len() <= MAX_VALIDATOR_BYTES
}

/// Parses `Retry-After`, in seconds or as a date.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    match text(headers, &RETRY_AFTER)?.parse() {
        Ok(seconds) => believed(Duration::from_secs(seconds)),
        Err(_) => date_in(headers, &RETRY_AFTER),
    }
}

fn max_age(headers: &HeaderMap) -> Option<Duration> {
    headers
        .get_all(CACHE_CONTROL)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|directive| directive.split_once('='))
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("max-age"))
        .find_map(|(_, seconds)| seconds.trim().trim_matches('"').parse().ok())
        .and_then(|seconds| believed(Duration::from_secs(seconds)))
}

/// Returns the duration from the `Date` of the response to the date in header `name`.
fn date_in(headers: &HeaderMap, name: &HeaderName) -> Option<Duration> {
    let then = http_date(text(headers, name)?)?;
    let now = http_date(text(headers, &DATE)?)?;
    let seconds = then.as_second().checked_sub(now.as_second())?;
    believed(Duration::from_secs(u64::try_from(seconds).ok()?))
}

fn believed(span: Duration) -> Option<Duration> {
    (span <= ABSURD).then(|| span.clamp(SHORTEST, LONGEST))
}

/// Parses the three date formats of RFC 9110 §5.6.7. The weekday is not checked: it is often wrong.
fn http_date(text: &str) -> Option<Timestamp> {
    static RFC_2822: rfc2822::DateTimeParser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    if let Ok(at) = RFC_2822.parse_timestamp(text) {
        return Some(at);
    }
    ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"]
        .iter()
        .find_map(|format| DateTime::strptime(format, text).ok())
        .and_then(|at| at.to_zoned(TimeZone::UTC).ok())
        .map(|at| at.timestamp())
}

pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn headers(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)))
            .collect()
    }

    const NOW: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date_within_bounds() {
        let minutes = |n: u64| Some(Duration::from_secs(n * 60));
        for (value, expected) in [
            ("120", minutes(2)),
            ("0", minutes(1)),
            ("5", minutes(1)),
            ("604800", minutes(24 * 60)),
            ("99999999999", None),
            ("99999999999999999999999", None),
            ("-1", None),
            ("soon", None),
            ("Sun, 06 Nov 1994 09:49:37 GMT", minutes(60)),
            ("Mon, 06 Nov 1994 09:49:37 GMT", minutes(60)), // wrong weekday
            ("Sunday, 06-Nov-94 09:49:37 GMT", minutes(60)),
            ("Sun Nov  6 09:49:37 1994", minutes(60)),
            ("Sun, 06 Nov 1994 08:49:40 GMT", minutes(1)),
            ("Sun, 06 Nov 1994 07:49:37 GMT", None),
            ("Sun, 06 Nov 2094 07:49:37 GMT", None),
        ] {
            let headers = headers(&[(DATE, NOW), (RETRY_AFTER, value)]);
            assert_eq!(retry_after(&headers), expected, "{value}");
        }
        let undated = headers(&[(RETRY_AFTER, "Sun, 06 Nov 1994 09:49:37 GMT")]);
        assert_eq!(retry_after(&undated), None);
    }

    #[test]
    fn cache_headers_are_read_within_bounds() {
        let seconds = |n: u64| Some(Duration::from_secs(n));
        for (value, expected) in [
            ("max-age=600", seconds(600)),
            ("public, Max-Age=\"600\", immutable", seconds(600)),
            ("max-age=1", seconds(60)),
            ("max-age=31536000", seconds(86400)),
            ("max-age=99999999999", None),
            ("max-age=-5", None),
            ("s-maxage=600", None),
            ("no-cache", None),
        ] {
            assert_eq!(
                max_age(&headers(&[(CACHE_CONTROL, value)])),
                expected,
                "{value}"
            );
        }
        let hints = CacheHints::of(&headers(&[
            (DATE, NOW),
            (EXPIRES, "Sun, 06 Nov 1994 08:59:37 GMT"),
            (CACHE_CONTROL, "max-age=60"),
        ]));
        assert_eq!(hints.expires_in, seconds(600));
        assert_eq!(hints.longest(), seconds(600));
        let past = headers(&[(DATE, NOW), (EXPIRES, "0")]);
        assert_eq!(CacheHints::of(&past), CacheHints::default());
    }

    #[test]
    fn validators_that_are_too_long_or_not_meant_are_dropped() {
        let long: &'static str = Box::leak("x".repeat(1025).into_boxed_str());
        let kept = Conditions::of(&headers(&[(ETAG, "\"a\""), (LAST_MODIFIED, NOW)]));
        assert_eq!(kept.etag.as_deref(), Some("\"a\""));
        assert_eq!(kept.last_modified.as_deref(), Some(NOW));
        assert!(Conditions::of(&headers(&[(ETAG, long), (LAST_MODIFIED, "")])).is_empty());
        assert!(Conditions::of(&headers(&[(ETAG, "\"a\""), (EXPIRES, "0")])).is_empty());
    }
}
