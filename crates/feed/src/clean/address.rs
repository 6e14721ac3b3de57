//! Addresses that are allowed in cleaned HTML.
//!
//! Links may use `http`, `https` and `mailto`, images `http` and `https`: plain-http images are
//! shown through the image proxy, because many of their sites have no TLS. Audio and video do not
//! go through the proxy and must be `https`, because the page is: `http` is upgraded, and an
//! address with an explicit port, which serves http, is dropped. The proxy is applied when an image
//! is served.
//!
//! All addresses are made absolute first; relative ones without a base are dropped.

use std::borrow::Cow;

use lede_model::address::{MAX_URL_BYTES, WebUrl};
use url::Url;

/// Maximum size of an inline image, in bytes of the attribute.
const MAX_INLINE_IMAGE: usize = 32 * 1024;

/// Allowed types of inline images: raster formats that cannot contain scripts.
const INLINE_IMAGES: [&str; 4] = [
    "data:image/png;base64,",
    "data:image/jpeg;base64,",
    "data:image/gif;base64,",
    "data:image/webp;base64,",
];

/// Returns the address of a link, without tracking parameters.
pub(crate) fn link(written: &str, base: Option<&WebUrl>) -> Option<String> {
    let text = fix_spaces(written);
    if starts_with_ignoring_case(&text, "mailto:") {
        return mail(&text);
    }
    // A referral parameter may name the host where the link was found.
    let hosts = base.map(WebUrl::host);
    let url = absolute(&text, base)?;
    Some(url.without_tracking(hosts.as_slice()).into_string())
}

/// Returns the address of an image on the web, or a small inline image.
pub(crate) fn image(written: &str, base: Option<&WebUrl>) -> Option<String> {
    let trimmed = written.trim();
    if starts_with_ignoring_case(trimmed, "data:") {
        return inline_image(trimmed);
    }
    picture(written, base)
}

/// Returns the address of an image, or of a candidate of one, on the web.
pub(crate) fn picture(written: &str, base: Option<&WebUrl>) -> Option<String> {
    absolute(&fix_spaces(written), base).map(WebUrl::into_string)
}

/// Returns the address of audio or video, as https.
pub(crate) fn media(written: &str, base: Option<&WebUrl>) -> Option<String> {
    let url = absolute(&fix_spaces(written), base)?;
    if url.is_https() {
        return Some(url.into_string());
    }
    let rest = url.as_str().trim_start_matches("http:");
    let upgraded = format!("https:{rest}");
    (url.as_url().port().is_none() && upgraded.len() <= MAX_URL_BYTES).then_some(upgraded)
}

/// Parses `written` as a web address, relative to `base`.
pub(crate) fn absolute(written: &str, base: Option<&WebUrl>) -> Option<WebUrl> {
    match base {
        Some(base) => base.join(written).ok(),
        None => WebUrl::parse(written).ok(),
    }
}

/// Repairs what browsers tolerate in an address: surrounding white space, line breaks within, and
/// white space of any kind that should have been written as `%20`, `%C2%A0` and so on.
pub(crate) fn fix_spaces(written: &str) -> Cow<'_, str> {
    let trimmed = written.trim_matches(|c: char| c.is_ascii_whitespace() || c.is_ascii_control());
    let is_plain = trimmed.bytes().all(|b| b.is_ascii_graphic());
    if is_plain || !trimmed.contains(char::is_whitespace) {
        return Cow::Borrowed(trimmed);
    }
    let mut out = String::with_capacity(trimmed.len());
    for c in trimmed.chars() {
        match c {
            '\t' | '\n' | '\r' => {}
            c if c.is_whitespace() => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    out.push_str(&format!("%{byte:02X}"));
                }
            }
            c => out.push(c),
        }
        // Far beyond the maximum length of an address, so that the check that follows still refuses
        // it.
        if out.len() > 2 * MAX_URL_BYTES {
            break;
        }
    }
    Cow::Owned(out)
}

/// Returns `true` if `value` starts with one of the schemes and has only characters without a
/// special meaning in markup. That holds for nearly all addresses; a host may contain a quote.
pub(crate) fn is_plain(value: &str, schemes: &[&str]) -> bool {
    value.len() <= MAX_URL_BYTES
        && schemes.iter().any(|scheme| value.starts_with(scheme))
        && value
            .bytes()
            .all(|b| b.is_ascii_graphic() && !matches!(b, b'"' | b'<' | b'>' | b'\\'))
}

fn mail(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let written = url.as_str();
    let is_plain = written.len() <= MAX_URL_BYTES
        && written.len() > "mailto:".len()
        && !written.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\');
    // If parsing the result again gives another result, the address was misunderstood.
    let is_settled = Url::parse(written).is_ok_and(|again| again == url);
    (is_plain && is_settled).then(|| written.to_owned())
}

fn inline_image(text: &str) -> Option<String> {
    if text.len() > MAX_INLINE_IMAGE {
        return None;
    }
    let start = INLINE_IMAGES
        .iter()
        .find(|start| starts_with_ignoring_case(text, start))?;
    let data = &text[start.len()..];
    let is_base64 = data
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
    (!data.is_empty() && is_base64).then(|| format!("{start}{data}"))
}

fn starts_with_ignoring_case(text: &str, start: &str) -> bool {
    text.get(..start.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> WebUrl {
        WebUrl::parse("https://example.org/blog/post").unwrap()
    }

    #[test]
    fn links_are_absolute_and_of_three_schemes() {
        for (written, expected) in [
            ("/about", Some("https://example.org/about")),
            (
                "next?a=1&utm_source=x",
                Some("https://example.org/blog/next?a=1"),
            ),
            ("//cdn.example/x", Some("https://cdn.example/x")),
            ("http://plain.example/", Some("http://plain.example/")),
            (" https://a.example/b c ", Some("https://a.example/b%20c")),
            (
                "a\u{a0}b\u{202f}c\u{3000}d",
                Some("https://example.org/blog/a%C2%A0b%E2%80%AFc%E3%80%80d"),
            ),
            (
                "https://a.example/?q=a\u{2003}b",
                Some("https://a.example/?q=a%E2%80%83b"),
            ),
            ("https://a\u{a0}b.example/", None),
            ("#note", Some("https://example.org/blog/post#note")),
            (
                "mailto:me@example.org?subject=x",
                Some("mailto:me@example.org?subject=x"),
            ),
            ("MAILTO:me@example.org", Some("mailto:me@example.org")),
            ("javascript:alert(1)", None),
            ("JaVa\tScRiPt:alert(1)", None),
            ("\u{1}javascript:alert(1)", None),
            ("vbscript:x", None),
            ("data:text/html,x", None),
            ("file:///etc/passwd", None),
            ("tel:+123", None),
            ("blob:https://example.org/x", None),
            ("https://user:pw@example.org/", None),
            ("http:\\\\example.org", None),
            ("mailto:", None),
        ] {
            assert_eq!(
                link(written, Some(&base())).as_deref(),
                expected,
                "{written}"
            );
        }
        assert_eq!(link("/about", None), None);
    }

    #[test]
    fn pictures_are_on_the_web_or_small_and_inline() {
        for (written, expected) in [
            ("a.png", Some("https://example.org/blog/a.png")),
            ("http://old.example/a.png", Some("http://old.example/a.png")),
            (
                "http://old.example:8080/a.png",
                Some("http://old.example:8080/a.png"),
            ),
            (
                "a\u{202f}b.png",
                Some("https://example.org/blog/a%E2%80%AFb.png"),
            ),
            (
                "https://old.example:8443/a.png",
                Some("https://old.example:8443/a.png"),
            ),
            (
                "data:image/png;base64,iVBORw0KGgo=",
                Some("data:image/png;base64,iVBORw0KGgo="),
            ),
            (
                "DATA:IMAGE/PNG;BASE64,iVBORw0KGgo=",
                Some("data:image/png;base64,iVBORw0KGgo="),
            ),
            ("data:image/svg+xml;base64,PHN2Zz4=", None),
            ("data:image/png,raw", None),
            ("data:text/html;base64,eA==", None),
            ("data:image/png;base64,<b>", None),
            ("mailto:me@example.org", None),
            ("javascript:alert(1)", None),
        ] {
            assert_eq!(
                image(written, Some(&base())).as_deref(),
                expected,
                "{written}"
            );
        }
        // The upgrade to https must not produce an address that would be refused the next time for
        // its length.
        let long = format!("http://a.example/{}", "x".repeat(MAX_URL_BYTES - 17));
        assert!(link(&long, None).is_some());
        assert_eq!(media(&long, None), None);
        let large = format!("data:image/png;base64,{}", "A".repeat(MAX_INLINE_IMAGE));
        assert_eq!(image(&large, None), None);
        assert_eq!(media("data:image/png;base64,AA==", Some(&base())), None);
    }
}
