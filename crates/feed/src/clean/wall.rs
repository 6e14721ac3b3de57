//! The second wall: a sanitiser by other people, with its own parser, behind our own rewriting.
//!
//! It is told the same rules, once, and given what `tree` wrote. When both agree, which is always
//! the case as far as we know, its output is its input; when they do not, its opinion wins.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

use super::attribute;
use super::element;

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

/// What the wall lets through.
pub(crate) fn passed(html: &str) -> String {
    WALL.clean(html).to_string()
}
