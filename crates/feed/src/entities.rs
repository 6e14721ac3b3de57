//! Character references: `&amp;`, `&eacute;`, `&#8217;`, `&#x2019;`.
//!
//! Feeds use HTML's names without declaring them and number characters as windows-1252 does, so
//! both are supported everywhere. Text that is not a reference (`AT&T`, `&unknown;`) is left as it
//! is: a bare ampersand is the most common error of all and has no other meaning.

use std::borrow::Cow;

use markup5ever::data::NAMED_ENTITIES;
use memchr::memchr;

/// Maximum length of a reference: the longest name in HTML's list, and more digits than any code
/// point needs.
const MAX_REFERENCE_BYTES: usize = 32;

/// Characters of `&#128;` to `&#159;`. In practice they mean windows-1252, not the C1 controls of
/// the standard.
const CP1252: [char; 32] = [
    '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}',
    '\u{2c6}', '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}', '\u{8f}',
    '\u{90}', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}',
    '\u{2dc}', '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', '\u{9d}', '\u{17e}', '\u{178}',
];

/// Maps a C1 control to the windows-1252 character that was meant; any other character is returned
/// unchanged.
pub(crate) fn from_cp1252(c: char) -> char {
    match u32::from(c) {
        code @ 0x80..=0x9f => CP1252[(code - 0x80) as usize],
        _ => c,
    }
}

/// Returns the windows-1252 byte of `c`. C1 controls map to themselves.
pub(crate) fn to_cp1252(c: char) -> Option<u8> {
    if let Ok(byte) = u8::try_from(u32::from(c)) {
        return Some(byte);
    }
    let at = CP1252.iter().position(|known| *known == c)?;
    u8::try_from(0x80 + at).ok()
}

/// Resolves the HTML reference `name`, with its semicolon, to one or two characters.
pub(crate) fn named(name: &str) -> Option<(char, Option<char>)> {
    let (first, second) = *NAMED_ENTITIES.get(name)?;
    // The table also contains prefixes of names, which map to zero.
    let first = char::from_u32(first).filter(|c| *c != '\0')?;
    Some((first, char::from_u32(second).filter(|c| *c != '\0')))
}

/// Resolves a numeric reference (`8217`, `x2019`). Returns `None` for characters that are not
/// allowed in text: controls, surrogates and numbers beyond the end of Unicode.
pub(crate) fn numbered(digits: &str) -> Option<char> {
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) if !hex.starts_with('+') => u32::from_str_radix(hex, 16).ok()?,
        None if !digits.starts_with('+') => digits.parse().ok()?,
        _ => return None,
    };
    let c = from_cp1252(char::from_u32(code)?);
    (c >= ' ' || matches!(c, '\t' | '\n' | '\r')).then_some(c)
}

/// Replaces the references in `raw`; `own` resolves the names that the document itself declared.
pub(crate) fn expand<'a>(
    raw: &'a str,
    mut own: impl FnMut(&str, &mut String) -> bool,
) -> Cow<'a, str> {
    let Some(first) = memchr(b'&', raw.as_bytes()) else {
        return Cow::Borrowed(raw);
    };
    let mut out = String::with_capacity(raw.len());
    out.push_str(&raw[..first]);
    let mut rest = &raw[first..];
    loop {
        // `rest` starts with an ampersand here.
        let taken = reference(rest, &mut out, &mut own);
        rest = &rest[taken..];
        match memchr(b'&', rest.as_bytes()) {
            Some(at) => {
                out.push_str(&rest[..at]);
                rest = &rest[at..];
            }
            None => {
                out.push_str(rest);
                return Cow::Owned(out);
            }
        }
    }
}

/// Returns `true` if HTML defines an entity of this name.
pub(crate) fn is_known(name: &str) -> bool {
    named(&format!("{name};")).is_some()
}

/// Appends the expansion of the reference at the start of `text` and returns its length in bytes.
fn reference(
    text: &str,
    out: &mut String,
    own: &mut impl FnMut(&str, &mut String) -> bool,
) -> usize {
    let bytes = text.as_bytes();
    // Fast path: escaped markup consists of these.
    let common = match bytes {
        [_, b'l', b't', b';', ..] => Some(('<', 4)),
        [_, b'g', b't', b';', ..] => Some(('>', 4)),
        [_, b'a', b'm', b'p', b';', ..] => Some(('&', 5)),
        [_, b'q', b'u', b'o', b't', b';', ..] => Some(('"', 6)),
        _ => None,
    };
    if let Some((c, length)) = common {
        out.push(c);
        return length;
    }
    let end = bytes
        .iter()
        .skip(1)
        .take(MAX_REFERENCE_BYTES)
        .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'#' | b'_' | b'-' | b'.')))
        .map(|n| n + 1);
    if let Some(end) = end
        && bytes[end] == b';'
    {
        let name = &text[1..end];
        if let Some(digits) = name.strip_prefix('#') {
            match numbered(digits) {
                Some(c) => {
                    out.push(c);
                    return end + 1;
                }
                // `&#x0B;` and `&#0;` are dropped; other invalid references stay visible.
                None if !digits.is_empty()
                    && digits
                        .trim_start_matches(['x', 'X'])
                        .bytes()
                        .all(|b| b.is_ascii_hexdigit()) =>
                {
                    return end + 1;
                }
                None => {}
            }
        } else if own(name, out) {
            return end + 1;
        } else if let Some((first, second)) = named(&text[1..=end]) {
            out.push(first);
            out.extend(second);
            return end + 1;
        }
    }
    out.push('&');
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_become_the_characters_that_were_meant() {
        let cases = [
            ("plain", "plain"),
            ("a &amp; b &lt;c&gt;", "a & b <c>"),
            ("caf&eacute;&nbsp;&#8217;&#x2019;&#X2019;", "café\u{a0}’’’"),
            ("&#150;&#x85;&#128;", "–…€"),
            (
                "AT&T &unknown; & &; &#; &#xZZ;",
                "AT&T &unknown; & &; &#; &#xZZ;",
            ),
            ("&#0;&#11;&#xD800;&#x110000;", ""),
            ("&amp;amp;", "&amp;"),
            ("&own; & more", "mine & more"),
            ("ends with &", "ends with &"),
            ("&CounterClockwiseContourIntegral;", "∳"),
        ];
        for (raw, expected) in cases {
            let out = expand(raw, |name, out| {
                if name == "own" {
                    out.push_str("mine");
                }
                name == "own"
            });
            assert_eq!(out, expected, "{raw}");
        }
    }
}
