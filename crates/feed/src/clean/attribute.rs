//! Allowed attributes, and the one form in which each is written.
//!
//! [`written`] creates the attributes of a tag from untrusted input. [`may_be_written`] checks if a
//! given attribute could have been written by those rules; the second sanitiser (`second_sanitiser`) uses it,
//! so that the rules are defined in one place.

use std::borrow::Cow;

use lede_model::address::WebUrl;

use super::address;
use super::element::Element;
use super::embed::CARD_CLASS;
use super::entity::{push_value, tidied};
use super::image;
use super::text::head;
use super::token::Tag;

/// Links open in a new tab, send no referrer to the site, and do not endorse it.
pub(crate) const OF_EVERY_LINK: [(&str, &str); 2] = [
    ("rel", "noopener noreferrer nofollow"),
    ("target", "_blank"),
];

/// Images load when they are scrolled to, and their server does not learn on which page they are
/// shown.
pub(crate) const OF_EVERY_PICTURE: [(&str, &str); 2] =
    [("loading", "lazy"), ("referrerpolicy", "no-referrer")];

/// Maximum number of rows or columns of a cell: browsers allocate memory for them.
const MAX_SPAN: u32 = 100;
/// Maximum length of `alt` or `title`, in bytes.
const MAX_LABEL: usize = 1024;
/// Maximum length of a date, media type or class, in bytes.
const MAX_WORD: usize = 64;

/// Writes the attributes of `tag` as those of `element`, each preceded by a space. Returns `false`
/// if a required attribute was refused, so that the element is useless (a link, an image).
pub(crate) fn written(
    out: &mut String,
    element: Element,
    tag: &Tag<'_>,
    base: Option<&WebUrl>,
) -> bool {
    match element {
        Element::A => {
            let [href, title] = tag.values(["href", "title"]);
            let Some(href) = href.and_then(|href| address::link(&href, base)) else {
                return false;
            };
            push(out, "href", &href);
            copy(out, element, "title", title);
            for (name, value) in OF_EVERY_LINK {
                push(out, name, value);
            }
        }
        Element::IMG => return image::written(out, tag, base),
        Element::SOURCE => {
            let [src, kind] = tag.values(["src", "type"]);
            let src = src.and_then(|src| address::media(&src, base));
            let srcset = image::srcset_of(tag, base);
            if src.is_none() && srcset.is_none() {
                return false;
            }
            for (name, value) in [("src", src), ("srcset", srcset)] {
                if let Some(value) = value {
                    push(out, name, &value);
                }
            }
            copy(out, element, "type", kind);
        }
        Element::AUDIO | Element::VIDEO => {
            let [lazy, src, poster] = tag.values(["data-src", "src", "poster"]);
            let src = [lazy, src].into_iter().flatten();
            if let Some(src) = src.filter_map(|src| address::media(&src, base)).next() {
                push(out, "src", &src);
            }
            // Without controls the media could not be started, and nothing starts by itself.
            push(out, "controls", "");
            if let Some(poster) = poster
                .filter(|_| element == Element::VIDEO)
                .and_then(|poster| address::image(&poster, base))
            {
                push(out, "poster", &poster);
            }
        }
        Element::TD | Element::TH => {
            let [columns, rows] = tag.values(["colspan", "rowspan"]);
            copy(out, element, "colspan", columns);
            copy(out, element, "rowspan", rows);
        }
        Element::TIME => copy(out, element, "datetime", tag.attribute("datetime")),
        Element::OL => copy(out, element, "start", tag.attribute("start")),
        Element::CODE | Element::FIGURE => copy(out, element, "class", tag.attribute("class")),
        _ => {}
    }
    true
}

/// Returns `true` if [`written`] could have written `value` for the attribute: exactly this, or a
/// plain address of this kind. A plain address is not parsed again here; that would cost more than
/// all the rest, and the second sanitiser has a parser of its own.
pub(crate) fn may_be_written(element: &str, name: &str, value: &str) -> bool {
    let is_always = |always: &[(&str, &str)]| always.contains(&(name, value));
    const WEB: &[&str] = &["https://", "http://"];
    const MEDIA: &[&str] = &["https://"];
    let again = match (element, name) {
        ("a", "href") if address::is_plain(value, WEB) => return true,
        ("a", "href") => address::link(value, None),
        ("a", "rel" | "target") => return is_always(&OF_EVERY_LINK),
        ("img", "src") | ("video", "poster") if address::is_plain(value, WEB) => return true,
        ("source" | "audio" | "video", "src") if address::is_plain(value, MEDIA) => return true,
        ("img", "src") | ("video", "poster") => address::image(value, None),
        ("source" | "audio" | "video", "src") => address::media(value, None),
        ("img" | "source", "srcset") if image::is_plain_srcset(value) => return true,
        ("img" | "source", "srcset") => image::srcset(value, None),
        ("img", "loading" | "referrerpolicy") => return is_always(&OF_EVERY_PICTURE),
        ("img", "width" | "height") => image::size(value).map(|size| size.to_string()),
        ("audio" | "video", "controls") => return value.is_empty(),
        _ => simple(element, name, value),
    };
    again.as_deref() == Some(value)
}

/// Appends ` name="value"`, escaped.
pub(crate) fn push(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    push_value(out, value);
    out.push('"');
}

/// Appends an attribute whose rule needs no address, if its value is allowed.
pub(crate) fn copy(out: &mut String, element: Element, name: &str, value: Option<Cow<'_, str>>) {
    if let Some(kept) = value.and_then(|value| simple(element.name(), name, &value)) {
        push(out, name, &kept);
    }
}

/// Returns the allowed value of an attribute that is neither an address nor fixed.
fn simple(element: &str, name: &str, value: &str) -> Option<String> {
    match (element, name) {
        ("a" | "img", "title") | ("img", "alt") => label(value),
        ("td" | "th", "colspan" | "rowspan") => number::<u32>(value)
            .filter(|span| *span > 0)
            .map(|span| span.min(MAX_SPAN).to_string()),
        ("ol", "start") => number::<i32>(value).map(|start| start.to_string()),
        ("time", "datetime") => word(value, |b| {
            b.is_ascii_alphanumeric() || matches!(b, b'-' | b':' | b'.' | b'+' | b' ')
        }),
        ("source", "type") => word(value, |b| {
            b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'.' | b'+')
        }),
        ("code", "class") => value
            .split_ascii_whitespace()
            .find(|class| class.len() > "language-".len() && class.starts_with("language-"))
            .and_then(|class| {
                word(class, |b| {
                    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'+' | b'#')
                })
            }),
        ("figure", "class") => (value.trim() == CARD_CLASS).then(|| CARD_CLASS.to_owned()),
        _ => None,
    }
}

/// Normalises a text that a browser shows beside an element: `alt` or `title`.
fn label(value: &str) -> Option<String> {
    let tidy = tidied(value);
    let folded = tidy.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = head(&folded, MAX_LABEL).trim_end();
    (!cut.is_empty()).then(|| cut.to_owned())
}

fn number<N: std::str::FromStr>(value: &str) -> Option<N> {
    value.trim().parse().ok()
}

fn word(value: &str, allowed: impl Fn(u8) -> bool) -> Option<String> {
    let value = value.trim();
    (!value.is_empty() && value.len() <= MAX_WORD && value.bytes().all(allowed))
        .then(|| value.to_owned())
}
