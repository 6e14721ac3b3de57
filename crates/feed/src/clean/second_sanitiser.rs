//! Second sanitiser: a third-party one with its own parser (`ammonia`), applied after our own
//! rewriting.
//!
//! It is configured with the same rules and sees every tag that `tree` wrote. If both agree, which
//! has always been the case as far as we know, its output equals its input; if they do not, its
//! result wins.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use memchr::memchr;

use super::attribute;
use super::element;
use super::text::head;

/// Allowed attributes, by element.
const ATTRIBUTES: [(&str, &[&str]); 11] = [
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
    ("figure", &["class"]),
];

/// Built once: its tables cost more than cleaning a short item does.
static WALL: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let attributes: HashMap<&str, HashSet<&str>> = ATTRIBUTES
        .iter()
        .map(|(name, attributes)| (*name, attributes.iter().copied().collect()))
        .collect();
    let mut second_sanitiser = Builder::empty();
    second_sanitiser
        .tags(element::shown_names().collect())
        .clean_content_tags(element::dropped_names().collect())
        .tag_attributes(attributes)
        .generic_attributes(HashSet::new())
        .url_schemes(HashSet::from(["http", "https", "mailto", "data"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(None)
        .strip_comments(true)
        .attribute_filter(|element, name, value| {
            attribute::may_be_written(element, name, value).then_some(Cow::Borrowed(value))
        });
    second_sanitiser
});

/// Maximum amount of text between two tags that the second sanitiser sees, in bytes: text is most
/// of an item and there is nothing in it to disagree about. Its serialiser also searches for the
/// next bracket up to the end of the text at every ampersand and every `»`, so that a megabyte of
/// them takes seconds.
const MAX_TEXT: usize = 32;

/// Fixed attributes at the end of every link and every image, which need not be checked each time.
static ALWAYS: LazyLock<[String; 2]> = LazyLock::new(|| {
    let ending = |attributes: [(&str, &str); 2]| {
        let mut tag = String::new();
        for (name, value) in attributes {
            attribute::push(&mut tag, name, value);
        }
        tag + ">"
    };
    [
        ending(attribute::OF_EVERY_LINK),
        ending(attribute::OF_EVERY_PICTURE),
    ]
});

/// Returns `true` if the second sanitiser would leave `html`, which `tree` wrote, unchanged.
///
/// It sees everything that it could disagree about, and little else:
/// - of the text between two tags, the start. `tree` escapes every bracket, so there is no third
///   tag in it; blank text stays blank and other text does not become blank, which is all that
///   matters to a parser.
/// - of a tag, everything except the fixed attributes at the end of every link and every image.
/// - of elements that have no attributes and contain only text, in one parent, the first of each
///   name. It is closed when the next one comes, so that the parser is in the same state as before
///   and would do the same again.
pub(crate) fn agrees_with(html: &str) -> bool {
    if memchr(b'<', html.as_bytes()).is_none() {
        return true;
    }
    let shown = shortened(html);
    let mut expected = Expected(shown.as_bytes());
    WALL.clean(&shown).write_to(&mut expected).is_ok() && expected.0.is_empty()
}

/// Rest of the expected output: writing anything else is an error. It avoids a second copy for the
/// comparison.
struct Expected<'a>(&'a [u8]);

impl Write for Expected<'_> {
    fn write(&mut self, written: &[u8]) -> io::Result<usize> {
        self.0 = self
            .0
            .strip_prefix(written)
            .ok_or(io::ErrorKind::InvalidData)?;
        Ok(written.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn shortened(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    // For each open element, the position in `leaves` of the names of its leaves that were shown.
    let mut open = Vec::new();
    let mut leaves: Vec<&str> = Vec::new();
    let mut room = BoundedWriter::default();
    let mut rest = html;
    while !rest.is_empty() {
        let text = &rest[..memchr(b'<', rest.as_bytes()).unwrap_or(rest.len())];
        room.push(&mut out, text);
        rest = &rest[text.len()..];
        let end = memchr(b'>', rest.as_bytes()).map_or(rest.len(), |end| end + 1);
        let tag = &rest[..end];
        rest = &rest[end..];
        if let Some(leaf) = leaf(tag, rest) {
            let name = &tag[1..tag.len() - 1];
            let shown_here = &leaves[open.last().copied().unwrap_or(0)..];
            if shown_here.contains(&name) {
                rest = &rest[leaf..];
                continue;
            }
            leaves.push(name);
        }
        if tag.starts_with("</") {
            leaves.truncate(open.pop().unwrap_or(0));
        } else if !is_void(tag) {
            open.push(leaves.len());
        }
        match ALWAYS.iter().find_map(|ending| tag.strip_suffix(&**ending)) {
            Some(differing) => {
                out.push_str(differing);
                out.push('>');
            }
            None => out.push_str(tag),
        }
        room = BoundedWriter::default();
    }
    out
}

/// Amount of text that may still be shown before the next tag.
struct BoundedWriter {
    blank: usize,
    words: usize,
}

impl Default for BoundedWriter {
    fn default() -> Self {
        Self {
            blank: MAX_TEXT,
            words: MAX_TEXT,
        }
    }
}

impl BoundedWriter {
    /// Appends the start of `text`, in whole characters and whole references.
    fn push(&mut self, out: &mut String, text: &str) {
        let words = text.trim_ascii_start();
        let blank = &text[..text.len() - words.len()];
        let blank = head(blank, self.blank);
        let mut kept = head(words, self.words);
        if kept.len() < words.len()
            && let Some(reference) = kept.rfind('&')
            && !kept[reference..].contains(';')
        {
            kept = &kept[..reference];
        }
        out.push_str(blank);
        out.push_str(kept);
        self.blank -= blank.len();
        self.words -= kept.len();
    }
}

/// Returns the length of the part of `rest` that belongs to the element opened by `tag`, if it has
/// no attributes and contains only text.
fn leaf(tag: &str, rest: &str) -> Option<usize> {
    let name = tag.strip_prefix('<')?.strip_suffix('>')?;
    // In these elements the kind of text matters: some must not contain words, and a leading line
    // break in the last one is lost.
    let is_particular = matches!(name, "table" | "tbody" | "tfoot" | "thead" | "tr" | "pre");
    if is_particular || !name.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    if is_void(tag) {
        return Some(0);
    }
    let text = memchr(b'<', rest.as_bytes())?;
    let after = rest[text..].strip_prefix("</")?.strip_prefix(name)?;
    after.starts_with('>').then(|| text + name.len() + 3)
}

/// Returns `true` if `tag` opens an element without an end tag.
fn is_void(tag: &str) -> bool {
    let name = tag.trim_start_matches('<');
    let end = name.find([' ', '>']).unwrap_or(name.len());
    matches!(&name[..end], "br" | "hr" | "img" | "source")
}

/// Returns the output of the second sanitiser.
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
            ("<img src=\"ftp://a.org/b\">", "<img>"),
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

    #[test]
    fn what_the_wall_has_seen_is_not_shown_again() {
        for (html, expected) in [
            ("<p>a</p>\n<p>b</p><p>c</p>d", "<p>a</p>\nd"),
            ("a<br>b<br>c", "a<br>bc"),
            (
                "<ul><li>a</li><li><b>b</b></li><li>c</li></ul><p>d</p>",
                "<ul><li>a</li><li><b>b</b></li></ul><p>d</p>",
            ),
            (
                "<p><b>a</b></p><p><b>b</b> <b>c</b></p>",
                "<p><b>a</b></p><p><b>b</b> </p>",
            ),
            (
                "<b>a</b><b onclick=\"x\">b</b>",
                "<b>a</b><b onclick=\"x\">b</b>",
            ),
            ("<pre>a</pre><pre>\nb</pre>", "<pre>a</pre><pre>\nb</pre>"),
        ] {
            assert_eq!(shortened(html), expected, "{html}");
        }
        let link = "<a href=\"https://a.org/\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">a</a>";
        assert_eq!(shortened(link), "<a href=\"https://a.org/\">a</a>");
        assert!(agrees_with(link));
    }

    #[test]
    fn little_is_left_of_much_that_is_alike() {
        let html = "»&amp;<br>».<b>x</b>".repeat(1000);
        assert!(shortened(&html).len() < 4 * MAX_TEXT);
    }
}
