//! Start of an element: processing of its attributes, and of a value that may follow.

use std::borrow::Cow;
use std::sync::Arc;

use crate::links;
use crate::parse::MAX_LINK_BYTES;
use crate::parse::element::Element as E;
use crate::parse::mapper::{Capture, Frame, Mapper, Markup};
use crate::parse::text::Mime;
use crate::parsed::{FeedKind, Link};
use crate::xml::Attributes;
use crate::xml::namespace::normalized;

/// Vocabularies of these categories if they declare none.
const ITUNES_CATEGORIES: &str = "http://www.itunes.com/";
const MEDIA_CATEGORIES: &str = "http://search.yahoo.com/mrss/category_schema";

impl<'a> Mapper<'a> {
    /// Opens an element outside of texts.
    pub(super) fn open(&mut self, name: &'a str, element: E, attributes: Attributes<'a>) {
        let mut frame = Frame {
            name,
            element,
            outer_base: None,
            outer_language: None,
            markup: Markup::No,
        };
        if !attributes.is_empty() {
            self.note_base_and_language(&mut frame, attributes);
        }
        let index = self.frames.len();
        self.frames.push(frame);
        let depth = self.frames.len();
        match element {
            E::Rss | E::Feed | E::Rdf | E::Channel => self.open_root(element, attributes),
            E::Entry => {
                if self.store.feed.kind == FeedKind::Rss && depth == 1 {
                    self.open_root(E::Feed, attributes);
                }
                self.store.begin_entry(depth, &self.base);
                if let Some(about) = attributes.find("rdf:about") {
                    self.store.rdf_about(about.trim());
                }
                self.cdf_attributes(attributes);
            }
            E::Link => self.open_link(index, attributes),
            E::Enclosure | E::MediaContent => {
                let file = self.store.enclosure(
                    &self.base,
                    attributes.find("url").or_else(|| attributes.find("href")),
                    attributes
                        .find("type")
                        .or_else(|| attributes.find("medium")),
                    attributes
                        .find("length")
                        .or_else(|| attributes.find("fileSize")),
                );
                if element == E::MediaContent {
                    self.store.begin_media(file);
                }
            }
            E::MediaPlayer => self
                .store
                .player(&self.base, attributes.find("url").as_deref()),
            E::ItunesImage => {
                let image = attributes.find("href").or_else(|| attributes.find("url"));
                self.store.image(&self.base, image.as_deref());
            }
            E::MediaThumbnail => match attributes.find("url") {
                Some(url) => self.store.thumbnail(&self.base, &url),
                None => self.capture(index, element),
            },
            E::Category | E::MediaCategory | E::ItunesCategory => {
                self.open_category(index, element, attributes);
            }
            E::Guid => {
                self.capture(index, element);
                let permalink = attributes.find("ispermalink");
                if let Some(capture) = self.captures.last_mut() {
                    capture.is_address =
                        permalink.is_none_or(|value| value.trim().eq_ignore_ascii_case("true"));
                }
            }
            E::Source => {
                self.store
                    .begin_source(&self.base, attributes.find("url").as_deref());
                self.capture(index, element);
            }
            E::Author | E::Contributor | E::Publisher | E::Owner => {
                self.store.begin_person();
                self.capture(index, element);
            }
            E::Image | E::TextInput => self.store.begin_aside(element == E::Image),
            E::SkipHours | E::SkipDays | E::Group | E::Unknown => {}
            _ => {
                self.capture(index, element);
                if element.is_text() {
                    self.note_type(element, attributes);
                }
            }
        }
    }

    fn capture(&mut self, frame: usize, element: E) {
        self.captures.push(Capture {
            element,
            frame,
            value: String::new(),
            declared: Mime::Plain,
            mime: Mime::Plain,
            says_type: false,
            base64: false,
            link: None,
            category: (None, None, None),
            is_address: false,
            roots: 0,
            root_is_div: false,
            text_beside: false,
            base: Arc::clone(&self.base),
        });
    }

    fn open_category(&mut self, index: usize, element: E, attributes: Attributes<'_>) {
        let owned = |name| attributes.find(name).map(Cow::into_owned);
        let term = owned(if element == E::ItunesCategory {
            "text"
        } else {
            "term"
        });
        let vocabulary = match element {
            E::ItunesCategory => Some(ITUNES_CATEGORIES),
            E::MediaCategory => Some(MEDIA_CATEGORIES),
            _ => None,
        };
        let scheme = owned("scheme")
            .or_else(|| owned("domain"))
            .or_else(|| vocabulary.map(str::to_owned));
        if element == E::ItunesCategory {
            // Subcategories are nested inside: the value is complete already.
            self.store.category(term, scheme, None);
            return;
        }
        self.capture(index, element);
        if let Some(capture) = self.captures.last_mut() {
            capture.category = (term, scheme, owned("label"));
        }
    }

    /// Reads `type` and `mode` of a text.
    fn note_type(&mut self, element: E, attributes: Attributes<'_>) {
        let Some(capture) = self.captures.last_mut() else {
            return;
        };
        capture.mime = match element {
            E::Description | E::Encoded => Mime::Html,
            E::Body => Mime::Xhtml,
            _ => Mime::Plain,
        };
        if let Some(written) = attributes.find("type") {
            capture.mime = Mime::of(&written);
            capture.says_type = true;
        }
        capture.declared = capture.mime;
        if attributes.is_empty() {
            return;
        }
        let mode = attributes.find("mode").unwrap_or_default();
        capture.base64 = mode.eq_ignore_ascii_case("base64") || capture.mime == Mime::Binary;
        if element == E::Content
            && let Some(src) = attributes.find("src")
        {
            let written = attributes.find("type");
            self.store.link(
                &self.base,
                Link {
                    href: src.into_owned(),
                    rel: "content".to_owned(),
                    mime: written.map(Cow::into_owned),
                    title: None,
                    hreflang: None,
                    length: None,
                },
                self.frames.len(),
            );
        }
    }

    fn note_base_and_language(&mut self, frame: &mut Frame<'a>, attributes: Attributes<'_>) {
        let cdf_base = || match frame.element {
            E::Channel | E::Entry => attributes.find("base"),
            _ => None,
        };
        if let Some(base) = attributes.find("xml:base").or_else(cdf_base)
            && let Some(base) = joined_base(&self.base, &base)
        {
            frame.outer_base = Some(std::mem::replace(&mut self.base, base));
        }
        if let Some(language) = attributes
            .find("xml:lang")
            .or_else(|| attributes.find("lang"))
        {
            let language = language.trim().replace('_', "-");
            let language =
                (!language.is_empty() && language.len() <= 64).then(|| Arc::from(language));
            if matches!(frame.element, E::Feed | E::Rss | E::Rdf)
                && let Some(language) = &language
            {
                self.store.language(language);
            }
            frame.outer_language = Some(std::mem::replace(&mut self.language, language));
        }
    }

    /// Determines the format from the root element.
    fn open_root(&mut self, element: E, attributes: Attributes<'_>) {
        let version = attributes.find("version").unwrap_or_default();
        let declares = |address: &str| {
            attributes
                .iter()
                .any(|(name, value)| name.starts_with("xmlns") && normalized(&value) == address)
        };
        let is_first = self
            .frames
            .iter()
            .all(|f| f.element == E::Unknown || f.element == element);
        let kind = match element {
            E::Rss => Some(match version.trim() {
                "0.91" if self.doctype.is_some_and(|d| d.contains("etscape")) => {
                    FeedKind::Rss091Netscape
                }
                "0.91" => FeedKind::Rss091,
                "0.92" => FeedKind::Rss092,
                "0.93" => FeedKind::Rss093,
                "0.94" => FeedKind::Rss094,
                v if v.starts_with('2') => FeedKind::Rss20,
                _ => FeedKind::Rss,
            }),
            E::Rdf if declares("my.netscape.com/rdf/simple/0.9") => Some(FeedKind::Rss090),
            E::Rdf => Some(FeedKind::Rss10),
            E::Feed => Some(match version.trim() {
                "0.1" => FeedKind::Atom01,
                "0.2" => FeedKind::Atom02,
                "0.3" => FeedKind::Atom03,
                _ if declares("www.w3.org/2005/atom") => FeedKind::Atom10,
                _ => FeedKind::Atom,
            }),
            E::Channel if is_first => Some(FeedKind::Cdf),
            _ => None,
        };
        if let Some(kind) = kind {
            self.store.begin_feed(kind);
        }
        if element == E::Channel {
            self.cdf_attributes(attributes);
        }
    }

    /// Reads the address and the date of a channel or an item from attributes, where CDF puts them.
    fn cdf_attributes(&mut self, attributes: Attributes<'_>) {
        if attributes.is_empty() {
            return;
        }
        let depth = self.frames.len();
        if let Some(at) = attributes.find("lastmod") {
            self.store.value(E::Updated, &at, depth);
        }
        if let Some(href) = attributes.find("href") {
            self.store
                .link(&self.base, Link::alternate(href.into_owned()), depth);
        }
    }

    fn open_link(&mut self, index: usize, attributes: Attributes<'_>) {
        let owned = |name| attributes.find(name).map(Cow::into_owned);
        let mut link = Link::alternate(String::new());
        if !attributes.is_empty() {
            if let Some(rel) = owned("rel").filter(|rel| !rel.trim().is_empty()) {
                link.rel = rel.trim().to_ascii_lowercase();
            }
            link.mime = owned("type");
            link.title = owned("title");
            link.hreflang = owned("hreflang");
            link.length = owned("length");
            let href = owned("href")
                .or_else(|| owned("url"))
                .or_else(|| owned("uri"));
            if let Some(href) = href {
                link.href = href;
                // In RSS, a link with its address as text is the format's own; an Atom link beside
                // it often leads to the feed itself.
                let rank = self.frames.len() + usize::from(!self.store.feed.kind.is_atom());
                self.store.link(&self.base, link, rank);
                return;
            }
        }
        self.capture(index, E::Link);
        if let Some(capture) = self.captures.last_mut() {
            capture.link = Some(link);
        }
    }
}

/// Resolves a new base URL against the outer one. Returns `None` if references cannot be resolved
/// against it.
pub(super) fn joined_base(outer: &str, written: &str) -> Option<Arc<str>> {
    let base = links::resolve(outer, written);
    let scheme = links::scheme(&base)?.to_ascii_lowercase();
    let is_good = !matches!(scheme.as_str(), "javascript" | "data") && base.len() <= MAX_LINK_BYTES;
    is_good.then(|| Arc::from(&*base))
}
