//! The attributes that stay, and the one way in which each is written (hardening 4.3–4.5).
//!
//! [`written`] makes the attributes of a tag from what a stranger wrote. [`is_as_written`] asks of
//! a finished attribute whether those rules would have written it so; the wall behind the cleaner
//! uses that, and so the rules stand in one place.

use lede_model::address::WebUrl;

use super::address;
use super::element::Element;
use super::entity::{Place, decoded, push_value, tidied};
use super::image;
use super::text::head;
use super::token::Tag;

/// Links open elsewhere, tell the site nothing about who came, and vouch for nothing.
pub(crate) const LINK_REL: &str = "noopener noreferrer nofollow";
/// Where links open.
pub(crate) const LINK_TARGET: &str = "_blank";

/// Widest cell, in rows or columns: browsers allocate for it.
const MAX_SPAN: u32 = 100;
/// Longest `alt` or `title`, in bytes.
const MAX_LABEL: usize = 1024;
/// Longest date, media type or class.
const MAX_WORD: usize = 64;

/// Writes the attributes of `tag` as those of `element`, each preceded by a blank; `false` when
/// the element means nothing without one that was refused (a link, a picture).
pub(crate) fn written(
    out: &mut String,
    element: Element,
    tag: &Tag<'_>,
    base: Option<&WebUrl>,
) -> bool {
    match element {
        Element::A => {
            let Some(href) = value(tag, "href").and_then(|href| address::link(&href, base)) else {
                return false;
            };
            push(out, "href", &href);
            copy(out, element, tag, "title");
            push(out, "rel", LINK_REL);
            push(out, "target", LINK_TARGET);
        }
        Element::IMG => return image::written(out, tag, base),
        Element::SOURCE => {
            let src = value(tag, "src").and_then(|src| address::media(&src, base));
            let srcset = image::srcset_of(tag, base);
            if src.is_none() && srcset.is_none() {
                return false;
            }
            for (name, value) in [("src", src), ("srcset", srcset)] {
                if let Some(value) = value {
                    push(out, name, &value);
                }
            }
            copy(out, element, tag, "type");
        }
        Element::AUDIO | Element::VIDEO => {
            if let Some(src) = value(tag, "src").and_then(|src| address::media(&src, base)) {
                push(out, "src", &src);
            }
            // Without controls nobody could start it, and nothing starts by itself.
            push(out, "controls", "");
            if let Some(poster) = (element == Element::VIDEO)
                .then(|| value(tag, "poster"))
                .flatten()
                .and_then(|poster| address::image(&poster, base))
            {
                push(out, "poster", &poster);
            }
        }
        Element::TD | Element::TH => {
            copy(out, element, tag, "colspan");
            copy(out, element, tag, "rowspan");
        }
        Element::TIME => copy(out, element, tag, "datetime"),
        Element::OL => copy(out, element, tag, "start"),
        Element::CODE => copy(out, element, tag, "class"),
        _ => {}
    }
    true
}

/// Whether `value` is exactly what [`written`] would have written for the attribute.
pub(crate) fn is_as_written(element: &str, name: &str, value: &str) -> bool {
    let again = match (element, name) {
        ("a", "href") => address::link(value, None),
        ("a", "rel") => Some(LINK_REL.to_owned()),
        ("a", "target") => Some(LINK_TARGET.to_owned()),
        ("img", "src") | ("video", "poster") => address::image(value, None),
        ("source" | "audio" | "video", "src") => address::media(value, None),
        ("img" | "source", "srcset") => image::srcset(value, None),
        ("img", "loading") => Some(image::LOADING.to_owned()),
        ("img", "referrerpolicy") => Some(image::REFERRER_POLICY.to_owned()),
        ("img", "width" | "height") => image::size(value).map(|size| size.to_string()),
        ("audio" | "video", "controls") => Some(String::new()),
        _ => simple(element, name, value),
    };
    again.as_deref() == Some(value)
}

/// The decoded value of an attribute.
pub(crate) fn value(tag: &Tag<'_>, name: &str) -> Option<String> {
    tag.attributes()
        .find(|(written, _)| written.eq_ignore_ascii_case(name))
        .map(|(_, value)| decoded(value, Place::Attribute).into_owned())
}

/// Appends ` name="value"`.
pub(crate) fn push(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    push_value(out, value);
    out.push('"');
}

/// Appends an attribute whose rule needs no address, if it has a value that stays.
pub(crate) fn copy(out: &mut String, element: Element, tag: &Tag<'_>, name: &str) {
    if let Some(kept) = value(tag, name).and_then(|value| simple(element.name(), name, &value)) {
        push(out, name, &kept);
    }
}

/// The attributes that are neither addresses nor fixed.
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
        _ => None,
    }
}

/// Text that a browser shows beside something.
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
