//! Detection of a document's type by its content.
//!
//! Content types are too often wrong: feeds are sent as `text/html`, pages as
//! `application/rss+xml`. The first significant element decides.

use std::fmt;

use crate::decode;
use crate::xml::namespace::{Namespace, Scope};
use crate::xml::{Token, Tokenizer};

/// Maximum number of tokens that are examined: junk before a feed is short.
const MAX_TOKENS: usize = 400;

/// Detected type of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Document {
    /// RSS, RDF, Atom or CDF.
    XmlFeed,
    /// A JSON object, which may be a JSON Feed.
    Json,
    Html,
    /// A subscription list.
    Opml,
    /// XML of some other kind.
    OtherXml,
    Other,
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::XmlFeed => "a feed",
            Self::Json => "a JSON document",
            Self::Html => "a web page",
            Self::Opml => "a subscription list (OPML)",
            Self::OtherXml => "an XML document of another kind",
            Self::Other => "something else",
        })
    }
}

/// Detects the type of a document as received; only the charset of `content_type` is used.
pub fn document(bytes: &[u8], content_type: Option<&str>) -> Document {
    let charset = content_type.and_then(decode::charset_of);
    sniff(&decode::decode(bytes, charset).text)
}

/// Detects the type of a decoded document.
pub(crate) fn sniff(text: &str) -> Document {
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if start.starts_with(['{', '[']) {
        return Document::Json;
    }
    let mut tokenizer = Tokenizer::new(text);
    let mut first = None;
    for _ in 0..MAX_TOKENS {
        match tokenizer.next() {
            Some(Token::Start {
                name, attributes, ..
            }) => {
                let mut scope = Scope::default();
                for (name, value) in attributes.iter() {
                    if let Some(prefix) = name.strip_prefix("xmlns:") {
                        scope.declare(0, prefix, &value);
                    }
                }
                let (namespace, local) = scope.resolve(name);
                // A page stays a page unless a whole feed follows in it, as after warnings of PHP.
                let is_root = is_feed_root(namespace, local)
                    && (first.is_none() || !attributes.is_empty() || is_one_of(local, &["rss"]));
                if is_root || (first.is_none() && is_feed_part(namespace, local)) {
                    return Document::XmlFeed;
                }
                first = first.or_else(|| known(local)).or(Some(Document::OtherXml));
            }
            Some(_) => {}
            None => break,
        }
    }
    match first {
        None if text
            .get(..200)
            .unwrap_or(text)
            .to_ascii_lowercase()
            .contains("<!doctype html") =>
        {
            Document::Html
        }
        None => Document::Other,
        Some(found) => found,
    }
}

fn is_one_of(local: &str, names: &[&str]) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(local))
}

fn is_feed_root(namespace: Namespace, local: &str) -> bool {
    match namespace {
        Namespace::Core | Namespace::Other | Namespace::Rdf => {
            is_one_of(local, &["rss", "feed", "rdf"])
        }
        _ => false,
    }
}

fn is_feed_part(namespace: Namespace, local: &str) -> bool {
    namespace == Namespace::Core && is_one_of(local, &["channel", "entry", "item"])
}

fn known(local: &str) -> Option<Document> {
    if is_one_of(local, &["opml"]) {
        Some(Document::Opml)
    } else if is_one_of(
        local,
        &[
            "html", "head", "body", "meta", "title", "div", "p", "script", "br", "b",
        ],
    ) {
        Some(Document::Html)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_known_by_what_is_in_it() {
        let cases = [
            (
                "<?xml version='1.0'?><rss><channel/></rss>",
                Document::XmlFeed,
            ),
            (
                "\n\n<feed xmlns='http://www.w3.org/2005/Atom'/>",
                Document::XmlFeed,
            ),
            (
                "<rdf:RDF xmlns='http://purl.org/rss/1.0/'>",
                Document::XmlFeed,
            ),
            ("<CHANNEL HREF='x'>", Document::XmlFeed),
            (
                "<r:rss xmlns:r='http://backend.userland.com/rss2'>",
                Document::XmlFeed,
            ),
            (
                "<b>Warning</b>: mysql <br /> <?xml version='1.0'?><rss version='2.0'>",
                Document::XmlFeed,
            ),
            ("<!DOCTYPE html><html><body>", Document::Html),
            ("<html><my-page><feed></feed>", Document::Html),
            ("<!doctype html>hello", Document::Html),
            (" {\"version\": \"x\"}", Document::Json),
            ("<opml version='2.0'>", Document::Opml),
            ("<sitemapindex>", Document::OtherXml),
            ("hello", Document::Other),
            ("", Document::Other),
        ];
        for (text, expected) in cases {
            assert_eq!(document(text.as_bytes(), None), expected, "{text}");
        }
    }
}
