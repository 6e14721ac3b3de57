//! The second wall: a sanitiser by other people, with its own parser, behind our own rewriting.
//!
//! It is told the same rules, once, and shown every tag that `tree` wrote. When both agree, which
//! is always the case as far as we know, its output is its input; when they do not, its opinion
//! wins.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use memchr::memchr;

use super::attribute;
use super::element;
use super::text::head;

/// Which attributes stay on which element (hardening 4.3 and 4.5).
const ATTRIBUTES: [(&str, &[&str]); 10] = [
    ("a", &["href", "title", "rel", "target"]),
    (
        "img",
        &[
            "src",
            "srcset",
            "alt",
            "title",
            "width",
            "height",
            "loading",
            "referrerpolicy",
        ],
    ),
    ("source", &["src", "srcset", "type"]),
    ("audio", &["src", "controls"]),
    ("video", &["src", "controls", "poster"]),
    ("th", &["colspan", "rowspan"]),
    ("td", &["colspan", "rowspan"]),
    ("time", &["datetime"]),
    ("ol", &["start"]),
    ("code", &["class"]),
];

/// Built once: its tables cost more than cleaning a short item does.
static WALL: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let attributes: HashMap<&str, HashSet<&str>> = ATTRIBUTES
        .iter()
        .map(|(name, attributes)| (*name, attributes.iter().copied().collect()))
        .collect();
    let mut wall = Builder::empty();
    wall.tags(element::shown_names().collect())
        .clean_content_tags(element::dropped_names().collect())
        .tag_attributes(attributes)
        .generic_attributes(HashSet::new())
        .url_schemes(HashSet::from(["http", "https", "mailto", "data"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(None)
        .strip_comments(true)
        .attribute_filter(|element, name, value| {
            attribute::is_as_written(element, name, value).then_some(Cow::Borrowed(value))
        });
    wall
});

/// How much of one stretch of text the wall is shown. Its serialiser looks for the next bracket to
/// the end of the text at every ampersand and every `»`, so that a megabyte of them takes seconds.
const MAX_TEXT: usize = 1024;

/// Whether the wall would leave `html`, which `tree` wrote, as it is.
///
/// Long stretches of text are shortened first. That hides nothing: `tree` escapes every bracket,
/// so between two tags there is no third.
pub(crate) fn agrees_with(html: &str) -> bool {
    let shown = shortened(html);
    passed(&shown) == shown
}

fn shortened(html: &str) -> Cow<'_, str> {
    if html.len() <= MAX_TEXT {
        return Cow::Borrowed(html);
    }
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while !rest.is_empty() {
        let text = &rest[..memchr(b'<', rest.as_bytes()).unwrap_or(rest.len())];
        let mut kept = head(text, MAX_TEXT);
        if kept.len() < text.len()
            && let Some(reference) = kept.rfind('&')
            && !kept[reference..].contains(';')
        {
            kept = &kept[..reference];
        }
        out.push_str(kept);
        rest = &rest[text.len()..];
        let tag = memchr(b'>', rest.as_bytes()).map_or(rest.len(), |end| end + 1);
        out.push_str(&rest[..tag]);
        rest = &rest[tag..];
    }
    Cow::Owned(out)
}

/// What the wall lets through.
pub(crate) fn passed(html: &str) -> String {
    WALL.clean(html).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wall_alone_takes_out_what_is_not_listed() {
        for (html, expected) in [
            ("<p onclick=x>a</p>", "<p>a</p>"),
            ("<a href=\"javascript:x\">a</a>", "<a>a</a>"),
            ("<a href=\"/relative\">a</a>", "<a>a</a>"),
            ("<img src=\"http://a.org/b\">", "<img>"),
            ("<img src=\"data:image/svg+xml;base64,AA\">", "<img>"),
            ("<td colspan=\"2\">", ""),
            ("<script>x</script><form>y</form>z", "z"),
            ("<code class=\"x\">a</code>", "<code>a</code>"),
        ] {
            assert_eq!(passed(html), expected, "{html}");
            assert!(!agrees_with(html));
        }
    }

    #[test]
    fn long_text_is_shortened_between_characters_and_references() {
        let html = format!("<p>{}</p>{}<br>", "»".repeat(2000), "&amp;".repeat(1000));
        let short = shortened(&html);
        assert!(short.len() < 2 * MAX_TEXT + 20);
        assert!(short.starts_with("<p>»"));
        assert!(short.ends_with("&amp;<br>"));
        assert!(agrees_with(&html));
        let bad = format!("{html}<b onclick=\"x\">");
        assert!(!agrees_with(&bad));
    }
}
