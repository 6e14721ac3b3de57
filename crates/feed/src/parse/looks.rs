//! Distinguishes markup from text if the declared type is missing or wrong.
//!
//! Feeds declare HTML as text, escape it once too often, or escape text that was meant to be HTML.
//! The content decides, and in doubt it is text: a text about `<div>` must not lose it, while
//! markup shown as text is ugly but loses nothing.

use std::borrow::Cow;

use crate::entities;

/// Elements that make a text without a declared type look like HTML. Sorted.
const HTML_ELEMENTS: [&str; 92] = [
    "a",
    "abbr",
    "acronym",
    "address",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "big",
    "blockquote",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dfn",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "legend",
    "li",
    "main",
    "map",
    "mark",
    "menu",
    "nav",
    "noscript",
    "object",
    "ol",
    "p",
    "param",
    "picture",
    "pre",
    "q",
    "s",
    "samp",
    "section",
    "select",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
];

/// Apparent type of a text whose declared type is missing or unreliable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looks {
    /// Plain text without references.
    Text,
    /// Text with character references that must be expanded.
    References,
    Markup,
}

/// Classifies a text without a declared type: it is markup if it has an end tag, text with
/// references if it has some, and plain text if anything in it is unknown to HTML.
pub(super) fn of(text: &str) -> Looks {
    let Some(has_references) = references(text) else {
        return Looks::Text;
    };
    match tags(text) {
        Some(Tags { has_end: true, .. }) => Looks::Markup,
        Some(_) if has_references => Looks::References,
        _ => Looks::Text,
    }
}

/// Like [`of`], for a text that is declared as plain, or for a title, which may be about tags as
/// likely as contain tags: it is markup only if it is enclosed in tags, or if a tag has an address
/// or shows an image.
pub(super) fn of_declared(text: &str) -> Looks {
    match of(text) {
        Looks::Markup if is_whole(text) => Looks::Markup,
        Looks::Markup => match tags(text) {
            Some(Tags {
                has_address: true, ..
            }) => Looks::Markup,
            _ => Looks::Text,
        },
        // A publisher who escapes brackets escapes ampersands too.
        Looks::References if text.contains('<') => Looks::Text,
        looks => looks,
    }
}

/// Unescapes HTML that was escaped as a whole: it contains no tag, and starts and ends with a tag
/// once it is unescaped. Returns `None` for other input.
pub(super) fn unescaped(html: &str) -> Option<String> {
    let trimmed = html.trim();
    if !trimmed.starts_with("&lt;") || !trimmed.ends_with("&gt;") || trimmed.contains('<') {
        return None;
    }
    let once = entities::expand(trimmed, |_, _| false);
    (of(&once) == Looks::Markup && is_whole(&once)).then(|| once.into_owned())
}

/// Expands references in a title that were escaped once more than HTML needs: `&amp;#8217;`.
/// Brackets are left alone, because the title may be about them.
pub(super) fn with_single_references(title: &str) -> Cow<'_, str> {
    const ESCAPED: &str = "&amp;";
    if !title.contains(ESCAPED) {
        return Cow::Borrowed(title);
    }
    let mut out = String::with_capacity(title.len());
    let mut rest = title;
    while let Some(at) = rest.find(ESCAPED) {
        let after = &rest[at + ESCAPED.len()..];
        let is_escaped = after.find(';').is_some_and(|end| {
            let name = &after[..=end];
            !matches!(name, "lt;" | "gt;") && is_reference(name)
        });
        out.push_str(&rest[..at]);
        out.push_str(if is_escaped { "&" } else { ESCAPED });
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns `true` if there are references; `None` if something looks like one and is not.
fn references(text: &str) -> Option<bool> {
    let mut found = false;
    for at in memchr::memchr_iter(b'&', text.as_bytes()) {
        // No name is longer; an unlimited search would be repeated for every ampersand.
        let mut near = text.as_bytes()[at + 1..].iter().take(40);
        let Some(length) = near.position(|&b| b == b';') else {
            continue;
        };
        let name = &text[at + 1..at + 1 + length];
        if is_reference(&text[at + 1..at + 2 + length]) {
            found = true;
        } else if !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return None;
        }
    }
    Some(found)
}

struct Tags {
    has_end: bool,
    /// True if one of the tags has a quoted address or shows an image.
    has_address: bool,
}

/// Returns the tags of a text, or `None` if one of them does not exist in HTML.
fn tags(text: &str) -> Option<Tags> {
    let mut tags = Tags {
        has_end: false,
        has_address: false,
    };
    for (at, _) in text.match_indices('<') {
        let inside = &text[at + 1..];
        let (inside, closes) = match inside.strip_prefix('/') {
            Some(inside) => (inside, true),
            None => (inside, false),
        };
        let name = element_name(inside);
        if name.is_empty() {
            continue;
        }
        if !is_html(name) {
            return None;
        }
        tags.has_end |= closes && inside[name.len()..].starts_with('>');
        let attributes = inside.split('>').next().unwrap_or_default();
        tags.has_address |= ["href=\"", "href='", "src=\"", "src='"]
            .iter()
            .any(|start| attributes.contains(start));
    }
    Some(tags)
}

/// Returns `true` if the text starts and ends with a tag.
fn is_whole(text: &str) -> bool {
    let trimmed = text.trim();
    let begins = trimmed
        .strip_prefix('<')
        .is_some_and(|inside| is_html(element_name(inside)));
    begins && trimmed.ends_with('>')
}

fn element_name(inside: &str) -> &str {
    let end = inside
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(inside.len());
    &inside[..end]
}

fn is_html(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    HTML_ELEMENTS.binary_search(&lower.as_str()).is_ok()
}

/// Returns `true` if `&` followed by `name`, which ends in a semicolon, is a reference.
fn is_reference(name: &str) -> bool {
    match name.strip_prefix('#') {
        Some(digits) => entities::numbered(digits.trim_end_matches(';')).is_some(),
        None => entities::named(name).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_recognised_only_without_doubt() {
        use Looks::{Markup, References, Text};
        // Text, its apparent type if undeclared, and its apparent type if declared as plain.
        let cases = [
            ("plain", Text, Text),
            ("a < b", Text, Text),
            ("<b>bold</b>", Markup, Markup),
            ("the <b>bold</b> element", Markup, Text),
            ("<p>one</p><p>two</p>", Markup, Markup),
            (
                "read <a href=\"https://a.org/\">this</a> now",
                Markup,
                Markup,
            ),
            ("how <a href=\"x\"> works", Text, Text),
            ("<div> or <span>", Text, Text),
            ("use <div> and </div>", Markup, Text),
            ("AT&amp;T", References, References),
            ("AT&T", Text, Text),
            ("the <blink> tag</b>", Text, Text),
            ("<br>", Text, Text),
            ("&unknown; <b>x</b>", Text, Text),
            ("a <b> &amp;", References, Text),
            ("x &#8217; y&nbsp;z", References, References),
            ("Vec<T> &amp; Box<T>", Text, Text),
        ];
        for (text, undeclared, declared) in cases {
            assert_eq!(of(text), undeclared, "{text}");
            assert_eq!(of_declared(text), declared, "{text}");
        }
        assert!(HTML_ELEMENTS.is_sorted());
    }

    #[test]
    fn what_was_escaped_as_a_whole_is_unescaped_once() {
        let cases = [
            (
                "&lt;p&gt;Tom &amp;amp; Jerry&lt;/p&gt;",
                Some("<p>Tom &amp; Jerry</p>"),
            ),
            (
                " &lt;p&gt;a &lt;a href=\"x\"&gt;b&lt;/a&gt;&lt;/p&gt; ",
                Some("<p>a <a href=\"x\">b</a></p>"),
            ),
            ("&lt;div&gt; is an element", None),
            ("the element &lt;div&gt;", None),
            ("&lt;div&gt; and &lt;span&gt;", None),
            ("<p>&lt;b&gt;x&lt;/b&gt;</p>", None),
            ("&lt;T&gt;x&lt;/T&gt;", None),
        ];
        for (html, expected) in cases {
            assert_eq!(unescaped(html).as_deref(), expected, "{html}");
        }
    }

    #[test]
    fn headings_have_their_references_escaped_once() {
        let cases = [
            ("It&amp;#8217;s", "It&#8217;s"),
            ("Tom &amp;amp; Jerry", "Tom &amp; Jerry"),
            ("Tom &amp; Jerry; and more", "Tom &amp; Jerry; and more"),
            ("a &amp;lt;div&amp;gt;", "a &amp;lt;div&amp;gt;"),
            ("R&amp;D; &amp;quot;x&amp;quot;", "R&amp;D; &quot;x&quot;"),
        ];
        for (title, expected) in cases {
            assert_eq!(with_single_references(title), expected, "{title}");
        }
    }
}
