//! Attributes of a tag, parsed as tolerantly as the tag itself: without quotes, without values,
//! repeated.

use std::borrow::Cow;

use memchr::memchr;

use crate::entities;

/// Maximum number of attributes per tag; the rest is ignored.
const MAX_ATTRIBUTES: usize = 128;

/// Attributes of a tag, parsed on demand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Attributes<'a>(&'a str);

impl<'a> Attributes<'a> {
    /// Creates the attributes from `inside`, the text between the name of a tag and its end.
    pub(super) fn of(inside: &'a str) -> Self {
        Self(inside)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0.trim_ascii().is_empty()
    }

    /// Iterates over names as written and values with references expanded, in document order.
    pub(crate) fn iter(self) -> impl Iterator<Item = (&'a str, Cow<'a, str>)> {
        AttributeIter { rest: self.0 }.take(MAX_ATTRIBUTES)
    }

    /// Returns the value of the first attribute `name`, ignoring case.
    pub(crate) fn find(self, name: &str) -> Option<Cow<'a, str>> {
        self.iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

struct AttributeIter<'a> {
    rest: &'a str,
}

impl<'a> Iterator for AttributeIter<'a> {
    type Item = (&'a str, Cow<'a, str>);

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.rest.trim_start_matches(|c: char| {
            c.is_ascii_whitespace() || matches!(c, '/' | '=' | '"' | '\'' | ',' | '<')
        });
        if text.is_empty() {
            self.rest = "";
            return None;
        }
        let end = text
            .bytes()
            .position(|b| b.is_ascii_whitespace() || b == b'=')
            .unwrap_or(text.len());
        let (name, after) = text.split_at(end);
        let Some(value) = after.trim_start().strip_prefix('=') else {
            self.rest = after;
            return Some((name, Cow::Borrowed("")));
        };
        let value = value.trim_start();
        let raw = match value.as_bytes().first() {
            Some(&quote @ (b'"' | b'\'')) => {
                let inside = &value[1..];
                let end = memchr(quote, inside.as_bytes()).unwrap_or(inside.len());
                self.rest = inside.get(end + 1..).unwrap_or("");
                &inside[..end]
            }
            _ => {
                let end = value
                    .bytes()
                    .position(|b| b.is_ascii_whitespace())
                    .unwrap_or(value.len());
                self.rest = &value[end..];
                &value[..end]
            }
        };
        Some((name, entities::expand(raw, |_, _| false)))
    }
}
