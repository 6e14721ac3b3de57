//! Content of a parsed feed, before validation and cleaning.
//!
//! References are replaced, addresses are absolute, and texts have their kind. HTML in these types
//! is hostile; `clean` turns it into items.

use std::borrow::Cow;
use std::sync::Arc;

use lede_model::time::Timestamp;

use crate::{clean, links};

/// Format of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedKind {
    /// `<rss>` without a known version.
    Rss,
    /// RSS 0.90, Netscape's version in RDF.
    Rss090,
    /// RSS 0.91 as defined by Netscape.
    Rss091Netscape,
    /// RSS 0.91 as defined by Userland.
    Rss091,
    Rss092,
    Rss093,
    Rss094,
    /// RSS 2.0 and everything else with version 2.
    Rss20,
    /// RSS 1.0, in RDF.
    Rss10,
    /// Atom without a known version.
    Atom,
    Atom01,
    Atom02,
    Atom03,
    /// Atom 1.0 (RFC 4287).
    Atom10,
    /// Microsoft's Channel Definition Format of 1997.
    Cdf,
    /// JSON Feed of any version.
    Json,
}

impl FeedKind {
    /// Returns `true` if texts have a `type` that is reliable.
    pub(crate) fn is_atom(self) -> bool {
        matches!(
            self,
            Self::Atom | Self::Atom01 | Self::Atom02 | Self::Atom03 | Self::Atom10
        )
    }
}

/// Interpretation of the value of a [`Text`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// Plain text, in which `<` and `&` stand for themselves.
    Plain,
    Html,
    /// XHTML fragment that was written inline.
    Xhtml,
}

/// Title, summary or content, with everything needed to interpret it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Text or markup; relative links are not resolved yet.
    pub value: String,
    pub kind: TextKind,
    /// Base URL of the relative links in the value.
    pub base: Arc<str>,
    /// Language in effect (`xml:lang`).
    pub language: Option<Arc<str>>,
}

impl Text {
    /// Returns the value with the links and sources in its markup made absolute.
    pub fn resolved(&self) -> Cow<'_, str> {
        match self.kind {
            TextKind::Plain => Cow::Borrowed(&self.value),
            TextKind::Html | TextKind::Xhtml => links::resolve_html(&self.base, &self.value),
        }
    }
}

/// Author, contributor or publisher. At least one of the three fields is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    /// Name without the e-mail address that RSS puts beside it.
    pub name: Option<String>,
    pub email: Option<String>,
    /// URL of the home page.
    pub url: Option<String>,
}

/// Link in the terms of Atom; links of other formats are translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Absolute URL of the target.
    pub href: String,
    /// Relation: `alternate`, `self`, `hub`, `replies`, `via` …
    pub rel: String,
    /// Media type, if the feed declares one.
    pub mime: Option<String>,
    pub title: Option<String>,
    /// Language of the target.
    pub hreflang: Option<String>,
    /// Size as written.
    pub length: Option<String>,
}

/// Tag of a feed or an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    /// Tag as written; see `label` for the text to display.
    pub term: String,
    /// Vocabulary of the tag.
    pub scheme: Option<String>,
    /// Display text; `None` means `term`.
    pub label: Option<String>,
}

/// File attached to an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enclosure {
    /// Absolute URL of the file.
    pub url: String,
    /// Media type, or `image`, `audio`, `video` if only that is known.
    pub mime: Option<String>,
    /// Size in bytes.
    pub length: Option<u64>,
    /// Caption of an image, or description of a video (`media:description`, else `media:title`).
    pub caption: Option<Text>,
}

impl Enclosure {
    /// Returns `true` for an image: by its type, or without one by the file name.
    pub fn is_picture(&self) -> bool {
        match self.mime.as_deref() {
            Some(mime) => mime == "image" || mime.starts_with("image/"),
            None => clean::names_a_picture(&self.url),
        }
    }
}

/// Publisher hints about the fetch interval.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FetchHints {
    /// `<ttl>`: minutes for which the feed may be cached.
    pub ttl_minutes: Option<u32>,
    /// `sy:updatePeriod` divided by `sy:updateFrequency`, in minutes.
    pub period_minutes: Option<u32>,
    /// Hours of the day (UTC, 0–23) without publications.
    pub skip_hours: Vec<u8>,
    /// Days of the week without publications; Monday is 0.
    pub skip_days: Vec<u8>,
}

/// Parsed feed with its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedFeed {
    pub kind: FeedKind,
    /// Character encoding that was used, by its WHATWG name (or `UTF-32LE`, `UTF-32BE`).
    pub encoding: &'static str,
    /// True if the document was malformed and had to be repaired.
    pub recovered: bool,
    /// Identifier that the feed declares.
    pub id: Option<String>,
    pub title: Option<Text>,
    /// Description of the feed.
    pub subtitle: Option<Text>,
    /// URL of the website.
    pub site_url: Option<String>,
    /// URL that the feed declares for itself.
    pub self_url: Option<String>,
    /// URLs of WebSub hubs.
    pub hub_urls: Vec<String>,
    /// New URL of the feed, as declared (`itunes:new-feed-url`, RSS redirect).
    pub new_url: Option<String>,
    /// All links, including those in the fields above.
    pub links: Vec<Link>,
    /// Language tag as declared.
    pub language: Option<String>,
    /// URL of the feed's image.
    pub image: Option<String>,
    /// URL of a small square image (Atom's `icon`).
    pub icon: Option<String>,
    pub authors: Vec<Person>,
    pub contributors: Vec<Person>,
    /// RSS `webMaster`, `dc:publisher` or `itunes:owner`.
    pub publisher: Option<Person>,
    /// Tags of the whole feed.
    pub categories: Vec<Category>,
    pub rights: Option<Text>,
    pub updated_at: Option<Timestamp>,
    pub published_at: Option<Timestamp>,
    pub hints: FetchHints,
    /// Entries in document order.
    pub entries: Vec<ParsedEntry>,
}

/// Entry of a feed. Every field may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedEntry {
    /// Identifier that the publisher assigned (`guid`, `id`, `rdf:about`).
    pub id: Option<String>,
    /// True if the feed declares that `id` is also the URL of the entry.
    pub id_is_permalink: bool,
    /// URL of the entry's page.
    pub link: Option<String>,
    /// All links, including `link` but not enclosures.
    pub links: Vec<Link>,
    pub title: Option<Text>,
    /// Summary or description.
    pub summary: Option<Text>,
    /// Full texts; usually none or one.
    pub content: Vec<Text>,
    pub authors: Vec<Person>,
    pub contributors: Vec<Person>,
    pub categories: Vec<Category>,
    pub published_at: Option<Timestamp>,
    /// Date of publication as written, also if it could not be parsed.
    pub published_raw: Option<String>,
    pub updated_at: Option<Timestamp>,
    /// Date of the last change as written.
    pub updated_raw: Option<String>,
    /// Creation date, if the feed distinguishes it from publication.
    pub created_at: Option<Timestamp>,
    pub enclosures: Vec<Enclosure>,
    /// URLs of pages that play the media of the entry (`media:player`).
    pub players: Vec<String>,
    /// URLs of preview images.
    pub thumbnails: Vec<String>,
    /// URL of the entry's image (`itunes:image`).
    pub image: Option<String>,
    /// URL of the comments page.
    pub comments_url: Option<String>,
    /// URL of the comments feed.
    pub comments_feed_url: Option<String>,
    /// Language tag as declared.
    pub language: Option<String>,
    /// `itunes:duration` as written.
    pub duration: Option<String>,
    pub rights: Option<Text>,
    /// Feed from which the entry was republished.
    pub source: Option<Source>,
    /// Base URL of the relative references in the entry.
    pub base: Option<Arc<str>>,
}

/// Feed from which an entry was republished, as far as the entry describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    pub title: Option<Text>,
    /// Description of the feed.
    pub subtitle: Option<Text>,
    /// Identifier that the feed declares.
    pub id: Option<String>,
    /// URL of the feed's website; with RSS, of the feed itself.
    pub link: Option<String>,
    /// All links of the feed.
    pub links: Vec<Link>,
    pub authors: Vec<Person>,
    pub categories: Vec<Category>,
    pub updated_at: Option<Timestamp>,
    pub rights: Option<Text>,
}

impl Link {
    /// Creates a link to the page of a feed or an entry.
    pub(crate) fn alternate(href: String) -> Self {
        Self {
            href,
            rel: "alternate".to_owned(),
            mime: None,
            title: None,
            hreflang: None,
            length: None,
        }
    }

    /// Returns `true` if this links to a web page, not to another format of the same content.
    pub(crate) fn is_page(&self) -> bool {
        self.rel == "alternate"
            && self.mime.as_deref().is_none_or(|mime| {
                let mime = mime.trim().to_ascii_lowercase();
                matches!(mime.as_str(), "" | "html" | "xhtml")
                    || mime.starts_with("text/html")
                    || mime.starts_with("application/xhtml+xml")
            })
    }
}

impl ParsedFeed {
    /// Creates a feed without content.
    pub(crate) fn empty(kind: FeedKind) -> Self {
        Self {
            kind,
            encoding: "UTF-8",
            recovered: false,
            id: None,
            title: None,
            subtitle: None,
            site_url: None,
            self_url: None,
            hub_urls: Vec::new(),
            new_url: None,
            links: Vec::new(),
            language: None,
            image: None,
            icon: None,
            authors: Vec::new(),
            contributors: Vec::new(),
            publisher: None,
            categories: Vec::new(),
            rights: None,
            updated_at: None,
            published_at: None,
            hints: FetchHints::default(),
            entries: Vec::new(),
        }
    }
}
