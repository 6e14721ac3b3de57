//! Post-processing of a text: its type, and the repair of common errors.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::entities;
use crate::parsed::TextKind;

/// `type` of a text, as far as it affects its interpretation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mime {
    Plain,
    Html,
    Xhtml,
    /// XML of some other kind, written inline like XHTML.
    Xml,
    /// Anything else is base64 (RFC 4287, 4.1.3.3).
    Binary,
}

impl Mime {
    pub(super) fn of(written: &str) -> Self {
        let lower = written.trim().to_ascii_lowercase();
        match lower.split(';').next().unwrap_or_default().trim() {
            "text" | "plain" | "text/plain" => Self::Plain,
            "html" | "text/html" => Self::Html,
            "xhtml" | "application/xhtml+xml" => Self::Xhtml,
            other if other.ends_with("+xml") || other.ends_with("/xml") => Self::Xml,
            other if other.starts_with("text/") => Self::Plain,
            _ => Self::Binary,
        }
    }

    pub(super) fn kind(self) -> TextKind {
        match self {
            Self::Plain => TextKind::Plain,
            Self::Html | Self::Binary => TextKind::Html,
            Self::Xhtml | Self::Xml => TextKind::Xhtml,
        }
    }

    pub(super) fn is_inline(self) -> bool {
        matches!(self, Self::Xhtml | Self::Xml)
    }
}

/// Decodes base64. Returns `None` if the result is not text.
pub(super) fn from_base64(text: &str) -> Option<String> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let packed: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    let text = String::from_utf8(LENIENT.decode(packed).ok()?).ok()?;
    let readable = !text
        .bytes()
        .any(|b| b < b' ' && !matches!(b, b'\n' | b'\t' | b'\r'));
    readable.then_some(text)
}

/// Repairs the two most common encoding errors in a finished value: UTF-8 that was read as
/// windows-1252 and encoded again (`cafÃ©`), and windows-1252 characters numbered as if they were
/// Unicode, which leaves C1 controls.
pub(super) fn fix_mojibake(value: String) -> String {
    if value.is_ascii() {
        return value;
    }
    if let Some(text) = encoded_once(&value) {
        return text;
    }
    let bytes = value.as_bytes();
    let has_c1 = memchr::memchr_iter(0xc2, bytes)
        .any(|at| bytes.get(at + 1).is_some_and(|b| (0x80..=0x9f).contains(b)));
    if has_c1 {
        value.chars().map(entities::from_cp1252).collect()
    } else {
        value
    }
}

/// Returns the original text if `value` was encoded twice: then all its characters are in
/// windows-1252 and their bytes are valid UTF-8, which practically never happens by chance.
fn encoded_once(value: &str) -> Option<String> {
    let start = value.bytes().position(|b| !b.is_ascii())?;
    let mut chars = value[start..].chars().map(entities::to_cp1252);
    // Fast path: nearly all texts are ruled out by their first two characters.
    let (Some(Some(0xc2..=0xf4)), Some(Some(0x80..=0xbf))) = (chars.next(), chars.next()) else {
        return None;
    };
    let bytes: Option<Vec<u8>> = value.chars().map(entities::to_cp1252).collect();
    String::from_utf8(bytes?).ok()
}

/// Appends text, escaped for markup.
pub(super) fn push_escaped(out: &mut String, text: &str) {
    let mut copied = 0;
    for at in memchr::memchr3_iter(b'&', b'<', b'>', text.as_bytes()) {
        out.push_str(&text[copied..at]);
        out.push_str(match text.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            _ => "&gt;",
        });
        copied = at + 1;
    }
    out.push_str(&text[copied..]);
}

/// Trims white space at both ends, without a copy if there is none.
pub(super) fn trimmed(mut value: String) -> String {
    let end = value.trim_end().len();
    value.truncate(end);
    let start = value.len() - value.trim_start().len();
    if start > 0 {
        value.drain(..start);
    }
    value
}

/// Truncates `value` to at most `max` bytes, on a character boundary.
pub(super) fn cut(value: &mut String, max: usize) {
    if value.len() > max {
        let end = (0..=max).rev().find(|at| value.is_char_boundary(*at));
        value.truncate(end.unwrap_or(0));
    }
}

/// Folds white space if `value` was wrapped over several lines.
pub(super) fn on_one_line(value: &str) -> Cow<'_, str> {
    if value.contains(['\n', '\t']) {
        Cow::Owned(value.split_whitespace().collect::<Vec<_>>().join(" "))
    } else {
        Cow::Borrowed(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_accidents_are_undone() {
        let cases = [
            ("plain", "plain"),
            ("café", "café"),
            ("cafÃ©", "café"),
            ("\u{e2}\u{80}\u{a6}", "…"),
            ("itâ€™s cafÃ©", "it’s café"),
            ("Ã© and é", "Ã© and é"),
            ("naïve Ã", "naïve Ã"),
            ("it\u{92}s – ok", "it’s – ok"),
            ("Привет", "Привет"),
        ];
        for (value, expected) in cases {
            assert_eq!(fix_mojibake(value.to_owned()), expected);
        }
    }

    #[test]
    fn base64_is_decoded_when_text_comes_out() {
        let cases = [
            ("RXhhbXBsZQ==", Some("Example")),
            (" RXhh\n bXBsZQ ", Some("Example")),
            ("not base64!", None),
            ("AAECAw==", None),
        ];
        for (text, expected) in cases {
            assert_eq!(from_base64(text).as_deref(), expected);
        }
    }

    #[test]
    fn values_are_cut_between_characters() {
        let mut value = "aé€".to_owned();
        cut(&mut value, 5);
        assert_eq!(value, "aé");
    }
}
