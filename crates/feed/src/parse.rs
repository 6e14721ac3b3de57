//! Parsing of feeds: from bytes to a [`ParsedFeed`].
//!
//! Every format takes the same path: decode, detect the format, then one tolerant mapper for all
//! XML formats or the one for JSON. There is no strict mode to fall back from: a well-formed
//! document is simply one in which nothing had to be guessed. An error costs the affected value, at
//! worst its entry, and never the feed.

mod builder;
mod element;
mod json;
mod looks;
mod mapper;
mod person;
#[cfg(test)]
mod tests;
mod text;

use std::fmt;

use lede_model::address::WebUrl;
use lede_model::feed_error::FeedError;

use crate::parsed::ParsedFeed;
use crate::sniff::{self, Document};
use crate::{clean, decode, entities};

/// Maximum number of entries; parsing stops there.
pub(crate) const MAX_ENTRIES: usize = 5000;
/// Limits on single values, in bytes or count.
pub(crate) const MAX_TITLE_BYTES: usize = 1024;
pub(crate) const MAX_NAME_BYTES: usize = 256;
pub(crate) const MAX_CATEGORIES: usize = 32;
pub(crate) const MAX_CATEGORY_BYTES: usize = 128;
pub(crate) const MAX_ID_BYTES: usize = 2048;
pub(crate) const MAX_LINK_BYTES: usize = 2048;
pub(crate) const MAX_ENCLOSURES: usize = 16;
/// Maximum length, in bytes, of the markup before the feed in a page that shows only its source.
const MAX_WRAPPER_BYTES: usize = 4096;
/// Maximum number of links, authors and texts per entry or feed: more is an accident or an attack.
pub(crate) const MAX_LINKS: usize = 64;
pub(crate) const MAX_AUTHORS: usize = 32;
pub(crate) const MAX_CONTENTS: usize = 8;

/// Reason why a document is not a feed. The texts (`model::feed_error`) can be shown to subscribers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The document contains only white space.
    Empty,
    /// The document is of another kind.
    NotAFeed(Document),
    /// The document starts like JSON but is malformed.
    BadJson(String),
}

impl From<&ParseError> for FeedError {
    fn from(error: &ParseError) -> Self {
        match error {
            ParseError::Empty => Self::Empty,
            ParseError::NotAFeed(Document::Html) => Self::IsPage,
            ParseError::NotAFeed(Document::Json) => Self::IsJson,
            ParseError::NotAFeed(Document::Opml) => Self::IsList,
            ParseError::NotAFeed(Document::OtherXml) => Self::IsXml,
            ParseError::NotAFeed(Document::XmlFeed | Document::Other) => Self::IsOther,
            ParseError::BadJson(reason) => Self::BadJson {
                reason: reason.clone(),
            },
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        FeedError::from(self).fmt(f)
    }
}

/// Parses a feed of any format. `content_type` is the header as received, of which only the charset
/// is used; `url` is the URL of the document after redirects.
pub fn parse(
    bytes: &[u8],
    content_type: Option<&str>,
    url: &WebUrl,
) -> Result<ParsedFeed, ParseError> {
    let decoded = decode::decode(bytes, content_type.and_then(decode::charset_of));
    if decoded.text.trim().is_empty() {
        return Err(ParseError::Empty);
    }
    let unescaped = escaped_feed(&decoded.text);
    let text = unescaped.as_deref().unwrap_or(&decoded.text);
    let mut feed = match sniff::sniff(text) {
        Document::XmlFeed => mapper::read(text, url.as_str()),
        Document::Json => json::read(text, url.as_str())?,
        other => return Err(ParseError::NotAFeed(other)),
    };
    feed.encoding = decoded.encoding;
    feed.recovered |= decoded.damaged || unescaped.is_some();
    Ok(feed)
}

/// Extracts the feed from a page that shows its source and nothing else, as browsers and proxies
/// generate for a document of unknown type.
fn escaped_feed(text: &str) -> Option<String> {
    const BEGINNINGS: [&str; 4] = ["&lt;?xml", "&lt;rss", "&lt;feed", "&lt;rdf:RDF"];
    let start = text.trim_start().get(..5)?;
    if !start.eq_ignore_ascii_case("<html") && !start.eq_ignore_ascii_case("<!doc") {
        return None;
    }
    let head = &text[..text.floor_char_boundary(MAX_WRAPPER_BYTES)];
    let at = BEGINNINGS.iter().filter_map(|b| head.find(b)).min()?;
    let body = head[..at].rfind("<body")?;
    if !clean::plain(&head[body..at]).is_empty() {
        return None;
    }
    let end = text
        .rfind("</pre>")
        .filter(|end| *end > at)
        .unwrap_or(text.len());
    let unescaped = entities::expand(&text[at..end], |_, _| false).into_owned();
    (sniff::sniff(&unescaped) == Document::XmlFeed).then_some(unescaped)
}
