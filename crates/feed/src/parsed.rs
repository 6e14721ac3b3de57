//! What a feed says, before anybody judged or cleaned it.
//!
//! Values are as the publisher meant them: references replaced, addresses absolute, texts with
//! their kind. HTML in here is hostile. `clean` makes items out of it.

use std::borrow::Cow;
use std::sync::Arc;

use lede_model::time::Timestamp;

use crate::{clean, links};

/// Which format a feed is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedKind {
    /// `<rss>` without a version that anybody knows.
    Rss,
    /// RSS 0.90, the Netscape one in RDF.
    Rss090,
    /// RSS 0.91 as Netscape defined it.
    Rss091Netscape,
    /// RSS 0.91 as Userland defined it.
    Rss091,
    /// RSS 0.92.
    Rss092,
    /// RSS 0.93.
    Rss093,
    /// RSS 0.94.
    Rss094,
    /// RSS 2.0 and everything that calls itself 2-something.
    Rss20,
    /// RSS 1.0, in RDF.
    Rss10,
    /// Atom without a version that anybody knows.
    Atom,
    /// Atom 0.1.
    Atom01,
    /// Atom 0.2.
    Atom02,
    /// Atom 0.3.
    Atom03,
    /// Atom 1.0 (RFC 4287).
    Atom10,
    /// Microsoft's Channel Definition Format of 1997.
    Cdf,
    /// JSON Feed, any version.
    Json,
}

impl FeedKind {
    /// Whether texts carry a `type` that can be believed.
    pub(crate) fn is_atom(self) -> bool {
        matches!(
            self,
            Self::Atom | Self::Atom01 | Self::Atom02 | Self::Atom03 | Self::Atom10
        )
    }
}

/// How the value of a [`Text`] is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// Characters, where `<` and `&` stand for themselves.
    Plain,
    /// A piece of HTML.
    Html,
    /// A piece of XHTML that was written inline.
    Xhtml,
}

/// A title, a summary or a content, with all that is needed to read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text or markup; relative links are still relative.
    pub value: String,
    /// How to read it.
    pub kind: TextKind,
    /// What relative links inside are relative to.
    pub base: Arc<str>,
    /// The language in force (`xml:lang`).
    pub language: Option<Arc<str>>,
}

impl Text {
    /// The value with the links and sources in its markup made absolute.
    pub fn resolved(&self) -> Cow<'_, str> {
        match self.kind {
            TextKind::Plain => Cow::Borrowed(&self.value),
            TextKind::Html | TextKind::Xhtml => links::resolve_html(&self.base, &self.value),
        }
    }
}

/// Somebody who wrote something. At least one of the three is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    /// Name, without the address that RSS puts beside it.
    pub name: Option<String>,
    /// Mail address.
    pub email: Option<String>,
    /// Home page.
    pub url: Option<String>,
}

/// A link as Atom has it; the other formats are translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where it leads, absolute.
    pub href: String,
    /// `alternate`, `self`, `hub`, `replies`, `via` …
    pub rel: String,
    /// Media type, where the feed says one.
    pub mime: Option<String>,
    /// What it is called.
    pub title: Option<String>,
    /// Language of what it leads to.
    pub hreflang: Option<String>,
    /// Size as written.
    pub length: Option<String>,
}

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    /// The tag itself.
    pub term: String,
    /// The vocabulary it comes from.
    pub scheme: Option<String>,
    /// How to show it, if not as `term`.
    pub label: Option<String>,
}

/// A file that belongs to an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enclosure {
    /// Where it is, absolute.
    pub url: String,
    /// Media type, or `image`, `audio`, `video` where only that is said.
    pub mime: Option<String>,
    /// Size in bytes.
    pub length: Option<u64>,
    /// The caption of a picture, or the description of a film (`media:description`, else
    /// `media:title`).
    pub caption: Option<Text>,
}

impl Enclosure {
    /// Returns true if it is a picture: by its type, and without one by the name of the file.
    pub fn is_picture(&self) -> bool {
        match self.mime.as_deref() {
            Some(mime) => mime == "image" || mime.starts_with("image/"),
            None => clean::names_a_picture(&self.url),
        }
    }
}

/// What the feed says about when to come back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FetchHints {
    /// `<ttl>`: minutes for which the feed may be kept.
    pub ttl_minutes: Option<u32>,
    /// `sy:updatePeriod` divided by `sy:updateFrequency`, in minutes.
    pub period_minutes: Option<u32>,
    /// Hours of the day (UTC, 0–23) in which nothing is published.
    pub skip_hours: Vec<u8>,
    /// Days of the week in which nothing is published, Monday is 0.
    pub skip_days: Vec<u8>,
}

/// A whole feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedFeed {
    /// The format it was written in.
    pub kind: FeedKind,
    /// The character encoding it was read with, by its WHATWG name (or `UTF-32LE`, `UTF-32BE`).
    pub encoding: &'static str,
    /// Whether the document was damaged and had to be guessed at.
    pub recovered: bool,
    /// The feed's own identifier.
    pub id: Option<String>,
    /// Its name.
    pub title: Option<Text>,
    /// What it is about.
    pub subtitle: Option<Text>,
    /// The page that it is the feed of.
    pub site_url: Option<String>,
    /// Where it says that it lives.
    pub self_url: Option<String>,
    /// WebSub hubs.
    pub hub_urls: Vec<String>,
    /// Where it says that it has moved to (`itunes:new-feed-url`, RSS redirect).
    pub new_url: Option<String>,
    /// All links, the ones above included.
    pub links: Vec<Link>,
    /// Language tag.
    pub language: Option<String>,
    /// Picture of the feed.
    pub image: Option<String>,
    /// Small square picture (Atom's `icon`).
    pub icon: Option<String>,
    /// Who writes it.
    pub authors: Vec<Person>,
    /// Who helped.
    pub contributors: Vec<Person>,
    /// Who publishes it: RSS' `webMaster`, `dc:publisher`, `itunes:owner`.
    pub publisher: Option<Person>,
    /// Tags of the whole feed.
    pub categories: Vec<Category>,
    /// Rights notice.
    pub rights: Option<Text>,
    /// When it last changed.
    pub updated_at: Option<Timestamp>,
    /// When it was published.
    pub published_at: Option<Timestamp>,
    /// When to come back.
    pub hints: FetchHints,
    /// The entries, in the order of the document.
    pub entries: Vec<ParsedEntry>,
}

/// One entry of a feed. Everything may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedEntry {
    /// The publisher's identifier (`guid`, `id`, `rdf:about`).
    pub id: Option<String>,
    /// Whether the feed says that `id` is also the address of the entry.
    pub id_is_permalink: bool,
    /// The page of the entry.
    pub link: Option<String>,
    /// All links, `link` included, files excluded.
    pub links: Vec<Link>,
    /// Heading.
    pub title: Option<Text>,
    /// What the feed gives as summary or description.
    pub summary: Option<Text>,
    /// The full texts; usually none or one.
    pub content: Vec<Text>,
    /// Who wrote it.
    pub authors: Vec<Person>,
    /// Who helped.
    pub contributors: Vec<Person>,
    /// Tags.
    pub categories: Vec<Category>,
    /// When it was published.
    pub published_at: Option<Timestamp>,
    /// The same as written, also when nobody can read it.
    pub published_raw: Option<String>,
    /// When it last changed.
    pub updated_at: Option<Timestamp>,
    /// The same as written.
    pub updated_raw: Option<String>,
    /// When it was made, where the feed tells this from publishing.
    pub created_at: Option<Timestamp>,
    /// Files.
    pub enclosures: Vec<Enclosure>,
    /// Pages that play what the entry is about (`media:player`).
    pub players: Vec<String>,
    /// Preview pictures.
    pub thumbnails: Vec<String>,
    /// Picture of the entry (`itunes:image`).
    pub image: Option<String>,
    /// The page with its comments.
    pub comments_url: Option<String>,
    /// The feed of its comments.
    pub comments_feed_url: Option<String>,
    /// Language tag.
    pub language: Option<String>,
    /// `itunes:duration` as written.
    pub duration: Option<String>,
    /// Rights notice.
    pub rights: Option<Text>,
    /// The feed that it was taken over from.
    pub source: Option<Source>,
    /// What relative references of the entry are relative to.
    pub base: Option<Arc<str>>,
}

/// The feed that an entry was taken over from, as far as the entry tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// Name of that feed.
    pub title: Option<Text>,
    /// What it is about.
    pub subtitle: Option<Text>,
    /// Its identifier.
    pub id: Option<String>,
    /// Its page, or with RSS the feed itself.
    pub link: Option<String>,
    /// All its links.
    pub links: Vec<Link>,
    /// Who writes it.
    pub authors: Vec<Person>,
    /// Its tags.
    pub categories: Vec<Category>,
    /// When it last changed.
    pub updated_at: Option<Timestamp>,
    /// Rights notice.
    pub rights: Option<Text>,
}

impl Link {
    /// The page of a feed or an entry.
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

    /// Whether this is the page for people, not another file format of the same thing.
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
    /// A feed without anything in it.
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
