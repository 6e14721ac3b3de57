//! Resolution of relative references: in links, and inside the HTML of an item.
//!
//! References are joined as text (RFC 3986, 5.2), not through a URL parser: an address that is
//! already absolute must stay byte for byte as the feed wrote it, because it may be the identity of
//! an item. `model::address` decides if an address may be *fetched*.

use std::borrow::Cow;

use memchr::memchr;

use crate::entities;

/// Attributes that contain an address, by element.
const ADDRESSES: [(&str, &[&str]); 22] = [
    ("a", &["href"]),
    ("applet", &["codebase"]),
    ("area", &["href"]),
    ("audio", &["src"]),
    ("blockquote", &["cite"]),
    ("body", &["background"]),
    ("del", &["cite"]),
    ("embed", &["src"]),
    ("form", &["action"]),
    ("frame", &["longdesc", "src"]),
    ("iframe", &["longdesc", "src"]),
    ("img", &["longdesc", "src", "srcset", "usemap"]),
    ("input", &["src", "usemap"]),
    ("ins", &["cite"]),
    ("link", &["href"]),
    ("object", &["classid", "codebase", "data", "usemap"]),
    ("q", &["cite"]),
    ("script", &["src"]),
    ("source", &["src", "srcset"]),
    ("track", &["src"]),
    ("video", &["poster", "src"]),
    ("image", &["href", "xlink:href"]),
];

/// Maximum number of bytes that resolution may add to one text: a few bytes of reference can expand
/// to a long address.
const MAX_GROWTH_BYTES: usize = 4 * 1024 * 1024;

/// Returns the scheme of an absolute reference.
pub(crate) fn scheme(reference: &str) -> Option<&str> {
    let (scheme, _) = reference.split_once(':')?;
    let mut bytes = scheme.bytes();
    let valid = bytes.next()?.is_ascii_alphabetic()
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    valid.then_some(scheme)
}

/// Resolves `reference` against `base`. Absolute references are returned unchanged, except that
/// surplus slashes after the scheme (`http:////host`) are dropped.
pub fn resolve<'r>(base: &str, reference: &'r str) -> Cow<'r, str> {
    let reference = reference.trim();
    if let Some(scheme) = scheme(reference) {
        let rest = &reference[scheme.len() + 1..];
        let surplus = rest.len() - rest.trim_start_matches('/').len();
        return if surplus > 2 && !scheme.eq_ignore_ascii_case("file") {
            Cow::Owned(format!("{scheme}://{}", &rest[surplus..]))
        } else {
            Cow::Borrowed(reference)
        };
    }
    let Some(base_scheme) = scheme(base) else {
        return Cow::Borrowed(reference);
    };
    let after_scheme = &base[base_scheme.len() + 1..];
    let Some(hierarchy) = after_scheme.strip_prefix("//") else {
        // `mailto:` and `tag:` have no hierarchy to be relative to.
        return Cow::Borrowed(reference);
    };
    if reference.starts_with("//") {
        return Cow::Owned(format!(
            "{base_scheme}://{}",
            reference.trim_start_matches('/')
        ));
    }
    let authority_end = hierarchy.find(['/', '?', '#']).unwrap_or(hierarchy.len());
    let (authority, location) = hierarchy.split_at(authority_end);
    let location = location.split('#').next().unwrap_or_default();
    let path = location.split('?').next().unwrap_or_default();
    let root = format!("{base_scheme}://{authority}");
    Cow::Owned(match reference.as_bytes().first() {
        None => format!("{root}{location}"),
        Some(b'#') => format!("{root}{location}{reference}"),
        Some(b'?') => format!("{root}{path}{reference}"),
        Some(b'/') => format!("{root}{}", without_dots(reference)),
        Some(_) => {
            let folder = path.rfind('/').map_or("/", |at| &path[..=at]);
            format!("{root}{}", without_dots(&format!("{folder}{reference}")))
        }
    })
}

/// Removes `.` and `..` from the path of `target`, which may have a query and a fragment.
fn without_dots(target: &str) -> String {
    let path_end = target.find(['?', '#']).unwrap_or(target.len());
    let (path, rest) = target.split_at(path_end);
    if !path.contains("/.") {
        return target.to_owned();
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                if segment == ".." {
                    kept.pop();
                }
                if last {
                    kept.push("");
                }
            }
            _ => kept.push(segment),
        }
    }
    format!("/{}{rest}", kept.join("/"))
}

/// Makes the links and sources in a piece of HTML absolute; everything else stays byte for byte. If
/// the text grows by more than the limit, its remaining links stay relative.
///
/// This repairs and cleans nothing; it parses tags only as far as needed to find attributes.
pub fn resolve_html<'h>(base: &str, html: &'h str) -> Cow<'h, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr(b'<', &html.as_bytes()[at..]) {
        let open = at + found;
        let (next, changes) = tag_addresses(html, open);
        at = next;
        if out.len() > copied + MAX_GROWTH_BYTES {
            break;
        }
        for Address { start, end, set } in changes {
            let raw = &html[start..end];
            let value = entities::expand(raw, |_, _| false);
            let resolved = if set {
                resolve_set(base, &value)
            } else {
                resolve(base, &value).into_owned()
            };
            if resolved == raw.trim() && resolved.len() == raw.len() {
                continue;
            }
            let quoted = start > 0 && matches!(html.as_bytes()[start - 1], b'"' | b'\'');
            out.push_str(&html[copied..start]);
            if !quoted {
                out.push('"');
            }
            push_attribute(&mut out, &resolved);
            if !quoted {
                out.push('"');
            }
            copied = end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(html);
    }
    out.push_str(&html[copied..]);
    Cow::Owned(out)
}

/// Escapes `value` for use between either kind of quotes.
pub(crate) fn push_attribute(out: &mut String, value: &str) {
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
}

/// Resolves a `srcset`: a list of addresses, each with a size (`a.png 1x, b.png 2x`).
fn resolve_set(base: &str, value: &str) -> String {
    let candidates = value.split(", ").map(|candidate| {
        let candidate = candidate.trim();
        match candidate.split_once(char::is_whitespace) {
            Some((address, size)) => format!("{} {}", resolve(base, address), size.trim()),
            None => resolve(base, candidate).into_owned(),
        }
    });
    candidates.collect::<Vec<_>>().join(", ")
}

/// Position of an address in the source.
struct Address {
    start: usize,
    end: usize,
    set: bool,
}

/// Returns the position after the tag that opens at `open`, and the addresses in the tag.
fn tag_addresses(html: &str, open: usize) -> (usize, Vec<Address>) {
    let bytes = html.as_bytes();
    let mut found = Vec::new();
    let name_end = bytes[open + 1..]
        .iter()
        .position(|b| !b.is_ascii_alphanumeric())
        .map_or(bytes.len(), |n| open + 1 + n);
    let name = &html[open + 1..name_end];
    let Some((_, wanted)) = ADDRESSES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
    else {
        return (name_end.max(open + 1), found);
    };
    let mut at = name_end;
    loop {
        at = skip(bytes, at, |b| b.is_ascii_whitespace() || b == b'/');
        if at >= bytes.len() || matches!(bytes[at], b'>' | b'<') {
            return (at, found);
        }
        let attribute_end = skip(bytes, at, |b| {
            !(b.is_ascii_whitespace() || matches!(b, b'=' | b'>' | b'<'))
        });
        let attribute = &bytes[at..attribute_end];
        let equals = skip(bytes, attribute_end, |b| b.is_ascii_whitespace());
        if bytes.get(equals) != Some(&b'=') {
            at = attribute_end.max(at + 1);
            continue;
        }
        let value = skip(bytes, equals + 1, |b| b.is_ascii_whitespace());
        let (start, end, after) = match bytes.get(value) {
            Some(&quote @ (b'"' | b'\'')) => match memchr(quote, &bytes[value + 1..]) {
                Some(length) => (value + 1, value + 1 + length, value + length + 2),
                None => return (bytes.len(), found),
            },
            _ => {
                let end = skip(bytes, value, |b| !(b.is_ascii_whitespace() || b == b'>'));
                (value, end, end)
            }
        };
        if wanted
            .iter()
            .any(|known| known.as_bytes().eq_ignore_ascii_case(attribute))
        {
            let set = attribute.eq_ignore_ascii_case(b"srcset");
            found.push(Address { start, end, set });
        }
        at = after;
    }
}

/// Returns the first position from `at` on for which `passed` is false.
fn skip(bytes: &[u8], at: usize, passed: impl Fn(u8) -> bool) -> usize {
    bytes[at.min(bytes.len())..]
        .iter()
        .position(|&b| !passed(b))
        .map_or(bytes.len(), |n| at + n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_joined_as_the_standard_says() {
        let base = "http://a/b/c/d;p?q";
        // RFC 3986, 5.4, except for the `mid` forms, which do not occur in feeds.
        let cases = [
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("g#s", "http://a/b/c/g#s"),
            (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"),
            ("http://x/%7Ey/../Z", "http://x/%7Ey/../Z"),
            ("http:////x/y", "http://x/y"),
            ("tag:x,2004:y", "tag:x,2004:y"),
            (" /g ", "http://a/g"),
        ];
        for (reference, expected) in cases {
            assert_eq!(resolve(base, reference), expected, "{reference}");
        }
        assert_eq!(resolve("http://a", "g"), "http://a/g");
        assert_eq!(resolve("", "g"), "g");
        assert_eq!(resolve("tag:x", "g"), "g");
    }

    #[test]
    fn links_in_html_become_absolute_and_nothing_else_changes() {
        let cases = [
            ("<a href=\"/x\">y</a>", "<a href=\"http://h/x\">y</a>"),
            ("<A HREF='x?a&amp;b'>", "<A HREF='http://h/p/x?a&amp;b'>"),
            ("<img alt=a src=x>", "<img alt=a src=\"http://h/p/x\">"),
            (
                "<img srcset=\"a 1x, /b 2x\">",
                "<img srcset=\"http://h/p/a 1x, http://h/b 2x\">",
            ),
            (
                "<p title=\"a href='x'\">1 < 2",
                "<p title=\"a href='x'\">1 < 2",
            ),
            (
                "<a href=\"http://o/?a=1&b=2\">",
                "<a href=\"http://o/?a=1&b=2\">",
            ),
            ("<a href=\"x", "<a href=\"x"),
            ("<a", "<a"),
        ];
        for (html, expected) in cases {
            assert_eq!(resolve_html("http://h/p/", html), expected, "{html}");
        }
    }
}
