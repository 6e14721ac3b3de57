//! Character decoding.
//!
//! Servers and documents often declare a wrong encoding, so each source is tried in turn and
//! rejected if the bytes do not decode cleanly: byte order mark, the pattern of UTF-32 and UTF-16,
//! the HTTP header, the XML declaration, UTF-8, and last a detector. UTF-7 is never decoded: it
//! serves only to smuggle markup.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::memmem;

/// Number of leading bytes that are searched for the XML declaration.
const DECLARATION_BYTES: usize = 1024;

/// Document decoded to text.
#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, str>,
    /// Name of the encoding that was used.
    pub(crate) encoding: &'static str,
    /// True if bytes were replaced, characters were dropped, or a declared encoding was wrong.
    pub(crate) damaged: bool,
}

/// Decodes `bytes`; `charset` is the one declared in the HTTP header.
pub(crate) fn decode<'a>(bytes: &'a [u8], charset: Option<&str>) -> Decoded<'a> {
    let (text, encoding, damaged) = characters(bytes, charset);
    let (text, dropped) = without_controls(text);
    Decoded {
        text,
        encoding,
        damaged: damaged || dropped,
    }
}

/// Decodes a web page, in order to search it for feeds.
pub fn page_text<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
    decode(bytes, content_type.and_then(charset_of)).text
}

/// Returns the `charset` parameter of a `Content-Type`.
pub(crate) fn charset_of(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then_some(value)
    })
}

fn characters<'a>(bytes: &'a [u8], charset: Option<&str>) -> (Cow<'a, str>, &'static str, bool) {
    if let Some((text, name)) = utf32(bytes) {
        return (Cow::Owned(text), name, false);
    }
    if let Some((encoding, bom_length)) = Encoding::for_bom(bytes) {
        let (text, damaged) = encoding.decode_without_bom_handling(&bytes[bom_length..]);
        if encoding == UTF_8 && damaged {
            return (Cow::Owned(lossy(&bytes[bom_length..])), "UTF-8", true);
        }
        return (text, encoding.name(), damaged);
    }
    if let Some(encoding) = utf16_pattern(bytes) {
        let (text, damaged) = encoding.decode_without_bom_handling(bytes);
        return (text, encoding.name(), damaged);
    }
    let declared = declaration(bytes).and_then(label);
    let claims = [charset.and_then(label), declared, Some(UTF_8)];
    // Any bytes are valid Latin text, so such a declaration proves nothing, whereas text in another
    // encoding is hardly ever valid UTF-8: many servers declare ISO-8859-1 for everything.
    let is_utf8 = !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok();
    let mut damaged = false;
    for encoding in claims.into_iter().flatten() {
        if is_utf8 && encoding.is_single_byte() {
            damaged = true;
            continue;
        }
        // UTF-16 would have been recognised by its pattern above, so the declaration is wrong.
        if encoding == UTF_16BE || encoding == UTF_16LE {
            damaged = true;
            continue;
        }
        if let Some(text) = encoding.decode_without_bom_handling_and_without_replacement(bytes) {
            return (text, encoding.name(), damaged);
        }
        damaged = true;
    }
    // UTF-8 with a few invalid bytes is still UTF-8; a text in another encoding has them
    // everywhere.
    let replaced = lossy(bytes);
    if is_mostly_right(&replaced) {
        return (Cow::Owned(replaced), "UTF-8", true);
    }
    let encoding = declared
        .filter(|e| *e != UTF_8 && e.is_ascii_compatible())
        .unwrap_or_else(|| detect(bytes));
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    (text, encoding.name(), true)
}

/// Resolves a charset label, including labels that XML knows and the web does not.
fn label(name: &str) -> Option<&'static Encoding> {
    let name = name.trim();
    if name.len() > 40 {
        return None;
    }
    let found = Encoding::for_label_no_replacement(name.as_bytes());
    found.or_else(|| {
        let lower = name.to_ascii_lowercase().replace(['_', ' '], "-");
        match lower.as_str() {
            "utf8mb4" | "utf-8-bom" | "u8" => Some(UTF_8),
            "cp1252" | "latin-1" | "iso8859" | "windows" | "ansi" => Some(WINDOWS_1252),
            "cp936" | "euc-cn" | "gb2312-80" => Some(encoding_rs::GBK),
            "cp949" | "ks-c-5601" => Some(encoding_rs::EUC_KR),
            "cp932" | "ms932" => Some(encoding_rs::SHIFT_JIS),
            "cp950" | "big5hkscs" => Some(encoding_rs::BIG5),
            "eucjp" | "ujis" => Some(encoding_rs::EUC_JP),
            _ => lower
                .strip_prefix("cp")
                .map(|number| format!("windows-{number}"))
                .and_then(|name| Encoding::for_label_no_replacement(name.as_bytes())),
        }
    })
}

/// Returns the encoding named in `<?xml … encoding="…"?>`.
fn declaration(bytes: &[u8]) -> Option<&str> {
    let head = &bytes[..bytes.len().min(DECLARATION_BYTES)];
    let start = memmem::find(head, b"<?xml")?;
    let head = &head[start..];
    let head = &head[..memmem::find(head, b">")?];
    let value = &head[memmem::find(head, b"encoding")? + "encoding".len()..];
    let value = value.trim_ascii_start().strip_prefix(b"=")?.trim_ascii();
    let quote = *value.first()?;
    let value = match quote {
        b'"' | b'\'' => value[1..].split(|b| *b == quote).next()?,
        _ => value
            .split(|b| b.is_ascii_whitespace() || *b == b'?')
            .next()?,
    };
    std::str::from_utf8(value).ok()
}

/// Decodes UTF-32, recognised by its byte order mark or by the zeros around the first `<`. No web
/// decoder supports it.
fn utf32(bytes: &[u8]) -> Option<(String, &'static str)> {
    let (name, big, skip) = match bytes.get(..4)? {
        [0, 0, 0xfe, 0xff] => ("UTF-32BE", true, 4),
        [0xff, 0xfe, 0, 0] => ("UTF-32LE", false, 4),
        [0, 0, 0, b'<'] => ("UTF-32BE", true, 0),
        [b'<', 0, 0, 0] => ("UTF-32LE", false, 0),
        _ => return None,
    };
    let text = bytes[skip..]
        .as_chunks::<4>()
        .0
        .iter()
        .map(|unit| {
            let code = if big {
                u32::from_be_bytes(*unit)
            } else {
                u32::from_le_bytes(*unit)
            };
            char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
        })
        .collect();
    Some((text, name))
}

/// Recognises UTF-16 without a byte order mark by the zero beside the first character, which is
/// `<`, `{` or white space.
fn utf16_pattern(bytes: &[u8]) -> Option<&'static Encoding> {
    let opens = |b: u8| matches!(b, b'<' | b'{' | b'\n' | b'\r' | b' ' | b'\t');
    match *bytes.get(..4)? {
        [0, first, 0, second] if opens(first) && second != 0 => Some(UTF_16BE),
        [first, 0, second, 0] if opens(first) && second != 0 => Some(UTF_16LE),
        _ => None,
    }
}

/// Returns `true` if more non-ASCII characters were valid than had to be replaced.
fn is_mostly_right(text: &str) -> bool {
    let (mut right, mut wrong) = (0usize, 0usize);
    for c in text.chars().filter(|c| !c.is_ascii()) {
        match c {
            char::REPLACEMENT_CHARACTER => wrong += 1,
            _ => right += 1,
        }
    }
    right > wrong
}

/// Decodes UTF-8 with invalid sequences replaced. Surrogate pairs written as two three-byte
/// characters (CESU-8, as some databases export) become the intended character.
fn lossy(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let Some(chunk) = rest.utf8_chunks().next() else {
            break;
        };
        out.push_str(chunk.valid());
        rest = &rest[chunk.valid().len()..];
        if chunk.invalid().is_empty() {
            continue;
        }
        if let [0xed, high @ 0xa0..=0xaf, a, 0xed, low @ 0xb0..=0xbf, b, ..] = *rest {
            let high = (u32::from(high & 0x0f) << 6) | u32::from(a & 0x3f);
            let low = (u32::from(low & 0x0f) << 6) | u32::from(b & 0x3f);
            out.push(
                char::from_u32(0x10000 + (high << 10) + low).unwrap_or(char::REPLACEMENT_CHARACTER),
            );
            rest = &rest[6..];
        } else {
            out.push(char::REPLACEMENT_CHARACTER);
            rest = &rest[chunk.invalid().len()..];
        }
    }
    out
}

fn detect(bytes: &[u8]) -> &'static Encoding {
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Deny)
}

/// Drops control characters except tab and line feed, and normalises line ends to line feeds, as
/// XML requires. The second value is `true` if there was one that no document may contain.
fn without_controls(text: Cow<'_, str>) -> (Cow<'_, str>, bool) {
    let dropped = |b: u8| b < b' ' && b != b'\t' && b != b'\n';
    // Or-ing everything lets the compiler vectorise the loop; nearly all documents end here.
    let any = text
        .as_bytes()
        .iter()
        .fold(false, |any, &b| any | dropped(b));
    if !any {
        return (text, false);
    }
    let mut out = String::with_capacity(text.len());
    let mut damaged = false;
    let mut rest: &str = &text;
    while let Some(at) = rest.bytes().position(dropped) {
        out.push_str(&rest[..at]);
        let lone_return =
            rest.as_bytes()[at] == b'\r' && rest.as_bytes().get(at + 1) != Some(&b'\n');
        if lone_return {
            out.push('\n');
        }
        damaged |= rest.as_bytes()[at] != b'\r';
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    (Cow::Owned(out), damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16le(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn the_first_claim_that_decodes_cleanly_wins() {
        let latin1_as_utf8 = b"<?xml version='1.0' encoding='utf-8'?><t>caf\xe9 caf\xe9</t>";
        let koi = b"<?xml version='1.0' encoding='koi8-r'?><t>\xd4\xc5\xd3\xd4</t>";
        let utf16 = utf16le("<t>é</t>");
        let mut with_bom = vec![0xff, 0xfe];
        with_bom.extend(utf16le("<t>é</t>"));
        let utf32: Vec<u8> = "<t>é</t>"
            .chars()
            .flat_map(|c| u32::from(c).to_be_bytes())
            .collect();
        let cases: [(&[u8], Option<&str>, &str, &str); 9] = [
            ("<t>é</t>".as_bytes(), None, "<t>é</t>", "UTF-8"),
            (
                b"\xef\xbb\xbf<t>\xc3\xa9</t>",
                Some("koi8-r"),
                "<t>é</t>",
                "UTF-8",
            ),
            (latin1_as_utf8, None, "café", "windows-1252"),
            (koi, None, "тест", "KOI8-R"),
            (koi, Some("utf-8"), "тест", "KOI8-R"),
            (&utf16, Some("utf-8"), "<t>é</t>", "UTF-16LE"),
            (&with_bom, None, "<t>é</t>", "UTF-16LE"),
            (&utf32, None, "<t>é</t>", "UTF-32BE"),
            (
                b"<t>\xe9t\xe9</t>",
                Some("iso-8859-1"),
                "été",
                "windows-1252",
            ),
        ];
        for (bytes, charset, contains, encoding) in cases {
            let decoded = decode(bytes, charset);
            assert!(decoded.text.contains(contains), "{}", decoded.text);
            assert_eq!(decoded.encoding, encoding, "{contains}");
        }
    }

    #[test]
    fn utf7_is_never_read() {
        let decoded = decode(b"<t>+ADw-script+AD4-</t>", Some("utf-7"));
        assert_eq!(decoded.text, "<t>+ADw-script+AD4-</t>");
    }

    #[test]
    fn bad_bytes_are_replaced_and_controls_are_dropped() {
        let cases: [(&[u8], &str); 5] = [
            ("é é é ".as_bytes(), "é é é "),
            (b"\xc3\xa9 \xc3\xa9 \xff!", "é é \u{fffd}!"),
            (b"\xc3\xa9 \xc3\xa9 \xed\xa0\xbd\xed\xb8\x80", "é é 😀"),
            (b"a\0b\x0bc\x1fd\te\n", "abcd\te\n"),
            (b"a\r\nb\rc", "a\nb\nc"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(decode(bytes, None).text, expected);
        }
    }

    #[test]
    fn a_charset_is_found_in_a_content_type() {
        let cases = [
            ("text/xml; charset=utf-8", Some("utf-8")),
            ("text/xml;CHARSET=\"koi8-r\"", Some("koi8-r")),
            ("text/xml", None),
            ("text/xml; charset=", None),
        ];
        for (content_type, expected) in cases {
            assert_eq!(charset_of(content_type), expected, "{content_type}");
        }
    }
}
