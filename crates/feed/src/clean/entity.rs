//! Character references and escaping: both directions between text and markup.
//!
//! Decoding follows the HTML standard (13.2.5.72 ff.), with the entity table of `markup5ever`, so
//! that text here is the same as text for the HTML parser of the second sanitiser. Escaping writes
//! exactly what the serialiser of that parser writes; `second_sanitiser` relies on it to detect with one
//! comparison if the parser saw anything unintended.

use std::borrow::Cow;

use markup5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};
use memchr::memchr;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Context of a reference: legacy names without a semicolon are restricted inside an attribute,
/// where `?a=1&copy=2` must survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferenceContext {
    Text,
    Attribute,
}

/// References that escaping writes.
const COMMON: [(&str, char); 5] = [
    ("&amp;", '&'),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&quot;", '"'),
    ("&nbsp;", '\u{a0}'),
];

/// Decodes the references in `raw`.
pub(crate) fn decoded(raw: &str, place: ReferenceContext) -> Cow<'_, str> {
    let Some(first) = memchr(b'&', raw.as_bytes()) else {
        return Cow::Borrowed(raw);
    };
    let mut out = String::with_capacity(raw.len());
    out.push_str(&raw[..first]);
    let mut rest = &raw[first..];
    loop {
        // `rest` starts with an ampersand here.
        let used = reference(rest, place, &mut out);
        if used == 0 {
            out.push('&');
        }
        rest = &rest[used.max(1)..];
        match memchr(b'&', rest.as_bytes()) {
            Some(next) => {
                out.push_str(&rest[..next]);
                rest = &rest[next..];
            }
            None => {
                out.push_str(rest);
                return Cow::Owned(out);
            }
        }
    }
}

/// Decodes the reference at the start of `rest`. Returns the number of bytes used, 0 if it is not a
/// reference.
fn reference(rest: &str, place: ReferenceContext, out: &mut String) -> usize {
    let bytes = rest.as_bytes();
    // Fast path: nearly all references that occur, and all that we write.
    for (written, c) in COMMON {
        if bytes.starts_with(written.as_bytes()) {
            out.push(c);
            return written.len();
        }
    }
    match bytes.get(1) {
        Some(b'#') => number(bytes, out),
        Some(byte) if byte.is_ascii_alphanumeric() => name(rest, place, out),
        _ => 0,
    }
}

fn number(bytes: &[u8], out: &mut String) -> usize {
    let hex = matches!(bytes.get(2), Some(b'x' | b'X'));
    let (start, radix) = if hex { (3, 16) } else { (2, 10) };
    let mut value: u32 = 0;
    let mut at = start;
    while let Some(digit) = bytes.get(at).and_then(|b| char::from(*b).to_digit(radix)) {
        // Saturation keeps a number that is too large invalid.
        value = value.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == start {
        return 0;
    }
    let c = match value {
        0x80..=0x9f => C1_REPLACEMENTS[(value - 0x80) as usize].unwrap_or('\u{fffd}'),
        0 => '\u{fffd}',
        _ => char::from_u32(value).unwrap_or('\u{fffd}'),
    };
    out.push(c);
    at + usize::from(bytes.get(at) == Some(&b';'))
}

fn name(rest: &str, place: ReferenceContext, out: &mut String) -> usize {
    let bytes = rest.as_bytes();
    let mut best = None;
    let mut end = 1;
    // The table contains every prefix of every name, so the loop ends where no name can follow.
    while let Some(byte) = bytes.get(end) {
        if !byte.is_ascii_alphanumeric() && *byte != b';' {
            break;
        }
        end += 1;
        match NAMED_ENTITIES.get(&rest[1..end]) {
            Some(&(0, _)) => {}
            Some(&found) => best = Some((end, found)),
            None => break,
        }
    }
    let Some((end, (first, second))) = best else {
        return 0;
    };
    let ends_properly = bytes[end - 1] == b';';
    let runs_on = bytes
        .get(end)
        .is_some_and(|b| *b == b'=' || b.is_ascii_alphanumeric());
    if place == ReferenceContext::Attribute && !ends_properly && runs_on {
        return 0;
    }
    out.extend(char::from_u32(first));
    if second != 0 {
        out.extend(char::from_u32(second));
    }
    end
}

/// Normalises `text` to NFC, without control characters except tab and newline, and without byte
/// order marks, which parsers drop in some places and preserve in others.
pub(crate) fn tidied(text: &str) -> Cow<'_, str> {
    if text.bytes().all(is_tidy_ascii) || text.chars().all(is_tidy) {
        return Cow::Borrowed(text);
    }
    let is_unwanted = |c: char| (c.is_control() && c != '\t' && c != '\n') || c == '\u{feff}';
    let without = if text.contains(is_unwanted) {
        let mut out = String::with_capacity(text.len());
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\r' if chars.peek() == Some(&'\n') => {}
                '\r' => out.push('\n'),
                '\u{c}' => out.push(' '),
                '\t' | '\n' => out.push(c),
                _ if is_unwanted(c) => {}
                _ => out.push(c),
            }
        }
        Cow::Owned(out)
    } else {
        Cow::Borrowed(text)
    };
    if without.is_ascii() || is_nfc_quick(without.chars()) == IsNormalized::Yes {
        without
    } else {
        Cow::Owned(without.nfc().collect())
    }
}

fn is_tidy_ascii(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b' '..=b'~')
}

/// Returns `true` for characters that NFC leaves unchanged in any context: most of the text in
/// Latin, Cyrillic and Chinese, so that the Unicode tables are needed only for the rest.
fn is_tidy(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n'
            | ' '..='~'
            | '\u{a0}'..='\u{2ff}'
            | '\u{400}'..='\u{482}'
            | '\u{2002}'..='\u{206f}'
            | '\u{3000}'..='\u{3029}'
            | '\u{4e00}'..='\u{9fff}'
    )
}

/// Appends `text`, escaped as the content of an element.
pub(crate) fn push_text(out: &mut String, text: &str) {
    push_escaped(out, text, false);
}

/// Appends `text`, escaped as an attribute value in double quotes.
pub(crate) fn push_value(out: &mut String, text: &str) {
    push_escaped(out, text, true);
}

fn push_escaped(out: &mut String, text: &str, quotes: bool) {
    let bytes = text.as_bytes();
    let mut written = 0;
    let mut at = 0;
    while let Some(found) = bytes[at..]
        .iter()
        .position(|byte| NEEDS_CARE[usize::from(*byte)])
    {
        at += found;
        let (escape, length) = match &bytes[at..] {
            [b'&', ..] => ("&amp;", 1),
            [b'<', ..] => ("&lt;", 1),
            [b'>', ..] => ("&gt;", 1),
            [b'"', ..] if quotes => ("&quot;", 1),
            [0xc2, 0xa0, ..] => ("&nbsp;", 2),
            _ => {
                at += 1;
                continue;
            }
        };
        out.push_str(&text[written..at]);
        out.push_str(escape);
        at += length;
        written = at;
    }
    out.push_str(&text[written..]);
}

/// Bytes at which something may have to be escaped; 0xc2 starts the no-break space.
const NEEDS_CARE: [bool; 256] = {
    let mut table = [false; 256];
    table[b'&' as usize] = true;
    table[b'<' as usize] = true;
    table[b'>' as usize] = true;
    table[b'"' as usize] = true;
    table[0xc2] = true;
    table
};

#[cfg(test)]
mod tests {
    use unicode_normalization::char::canonical_combining_class;

    use super::*;

    #[test]
    fn references_are_read_as_a_browser_reads_them() {
        for (raw, text, value) in [
            ("a &amp; b", "a & b", "a & b"),
            ("&lt;b&gt;", "<b>", "<b>"),
            ("&#8217;&#x2019;&#X2019", "’’’", "’’’"),
            ("&#146;", "’", "’"),
            ("&eacute;&Eacute;", "éÉ", "éÉ"),
            ("&copy=2", "©=2", "&copy=2"),
            ("&copyright", "©right", "&copyright"),
            ("&notit; &notin;", "¬it; ∉", "&notit; ∉"),
            (
                "&#0;&#xd800;&#99999999999;",
                "\u{fffd}\u{fffd}\u{fffd}",
                "\u{fffd}\u{fffd}\u{fffd}",
            ),
            (
                "& &; &# &#x; &xyzzy;",
                "& &; &# &#x; &xyzzy;",
                "& &; &# &#x; &xyzzy;",
            ),
            ("AT&T", "AT&T", "AT&T"),
            ("&amp;amp;", "&amp;", "&amp;"),
            ("日本&amp", "日本&", "日本&"),
        ] {
            assert_eq!(decoded(raw, ReferenceContext::Text), text, "{raw}");
            assert_eq!(decoded(raw, ReferenceContext::Attribute), value, "{raw}");
        }
    }

    #[test]
    fn controls_go_and_letters_are_composed() {
        assert_eq!(
            tidied("\u{feff}a\0b\u{7f}c\u{85}\r\nd\re\tf"),
            "abc\nd\ne\tf"
        );
        assert_eq!(tidied("e\u{301}"), "é");
    }

    #[test]
    fn is_tidy_accepts_only_normalised_text() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            if is_tidy(c) {
                assert_eq!(is_nfc_quick(std::iter::once(c)), IsNormalized::Yes, "{c:?}");
                assert_eq!(canonical_combining_class(c), 0, "{c:?}");
                assert!(!c.is_control() || matches!(c, '\t' | '\n'), "{c:?}");
            }
        }
    }

    #[test]
    fn what_is_escaped_comes_back() {
        let text = "a<b>&\"'\u{a0}é&amp;";
        let mut out = String::new();
        push_value(&mut out, text);
        assert_eq!(out, "a&lt;b&gt;&amp;&quot;'&nbsp;é&amp;amp;");
        assert_eq!(decoded(&out, ReferenceContext::Attribute), text);
    }
}
