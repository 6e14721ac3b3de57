//! Parsers for the values of settings.

use std::str::FromStr;
use std::time::Duration;

/// Parses `10s`, `5m`, `24h`, `7d`, or plain seconds.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = match text.char_indices().last()? {
        (last, 's') => (&text[..last], 1),
        (last, 'm') => (&text[..last], 60),
        (last, 'h') => (&text[..last], 3600),
        (last, 'd') => (&text[..last], 24 * 3600),
        _ => (text, 1),
    };
    let seconds = number.trim().parse::<u64>().ok()?.checked_mul(unit)?;
    // Ten years: anything longer is a typing error, and times must not overflow.
    (seconds <= 10 * 365 * 24 * 3600).then(|| Duration::from_secs(seconds))
}

/// Parses `512KiB`, `32MiB`, `5MB`, or plain bytes.
pub(super) fn size(text: &str) -> Option<u64> {
    let units = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("KB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
    ];
    let (number, unit) = units
        .into_iter()
        .find_map(|(suffix, unit)| Some((text.strip_suffix(suffix)?, unit)))
        .unwrap_or((text, 1));
    number.trim().parse::<u64>().ok()?.checked_mul(unit)
}

/// Parses `true` or `false`, and the usual synonyms.
pub(super) fn switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// Parses a comma-separated list. Blanks and empty values are ignored.
pub(super) fn list<T: FromStr>(text: &str) -> Option<Vec<T>> {
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().ok())
        .collect()
}

/// Returns `true` if a secret is a placeholder or has hardly any randomness.
pub(super) fn is_weak_secret(text: &str) -> bool {
    let mut different: Vec<char> = text.chars().collect();
    different.sort_unstable();
    different.dedup();
    let lower = text.to_lowercase();
    let placeholders = [
        "changeme",
        "change_me",
        "change-me",
        "your_",
        "your-",
        "minimum_32",
        "secret_here",
        "example",
    ];
    different.len() < 10 || placeholders.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes_are_read_as_people_write_them() {
        for (text, seconds) in [
            ("10s", Some(10)),
            ("5m", Some(300)),
            ("24h", Some(86_400)),
            ("7d", Some(604_800)),
            ("90", Some(90)),
            ("0", Some(0)),
        ] {
            assert_eq!(duration(text).map(|span| span.as_secs()), seconds);
        }
        for text in ["", "s", "-1s", "1.5h", "1w", "ten", "99999999999d"] {
            assert_eq!(duration(text), None, "{text:?}");
        }
        for (text, bytes) in [
            ("1024", Some(1024)),
            ("32MiB", Some(32 << 20)),
            ("5MB", Some(5_000_000)),
            ("x", None),
            ("-1", None),
        ] {
            assert_eq!(size(text), bytes);
        }
    }

    #[test]
    fn a_placeholder_is_no_secret() {
        assert!(is_weak_secret("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
        assert!(is_weak_secret("random_string_minimum_32_characters"));
        assert!(!is_weak_secret("q8ZtN1v0cLw4Yb7eHs2KxUa9PdRf3MgJ"));
    }
}
