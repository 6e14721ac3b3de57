//! Identifiers, links, enclosures and images: everything that is an address or could be one.

use std::borrow::Cow;

use lede_model::content::ContentHash;

use crate::links;
use crate::parse::builder::draft::outranks;
use crate::parse::builder::{Aside, FeedBuilder, name};
use crate::parse::element::Element as E;
use crate::parse::{MAX_ENCLOSURES, MAX_ID_BYTES, MAX_LINK_BYTES, MAX_LINKS, MAX_NAME_BYTES, text};
use crate::parsed::Link;

/// Maximum number of bytes that the resolution of references may add to a document.
const MAX_GROWTH_BYTES: usize = 16 * 1024 * 1024;

/// Kind of an identifier, as declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::parse) enum IdKind {
    /// Atom's `id`: not a link, but if it happens to be one, it is used in place of a missing link.
    Plain,
    /// A `guid` that is also the address of the entry.
    Address,
    /// A `guid` that is declared not to be an address.
    Opaque,
}

impl FeedBuilder {
    /// Makes `reference` absolute. References that are too long are dropped; so are all once the
    /// document has grown too much, since a few bytes can expand to two thousand.
    pub(super) fn absolute(&mut self, base: &str, reference: &str) -> Option<String> {
        let url = links::resolve(base, reference);
        let grown = self.grown + url.len().saturating_sub(reference.len());
        if url.is_empty() || url.len() > MAX_LINK_BYTES || grown > MAX_GROWTH_BYTES {
            return None;
        }
        self.grown = grown;
        Some(url.into_owned())
    }

    /// Sets `<url>` or `<uri>` of a person or an image.
    pub(in crate::parse) fn url(&mut self, base: &str, value: &str) {
        let Some(url) = self.absolute(base, value) else {
            return;
        };
        if let Some(person) = &mut self.person {
            person.url = Some(url);
        } else if self.aside == Some(Aside::Image) {
            match &mut self.entry {
                Some(draft) => draft.entry.image = Some(url),
                None => self.feed.image = Some(url),
            }
        }
    }

    /// Assigns a value that is always an address.
    pub(in crate::parse) fn address(&mut self, element: E, base: &str, value: &str) {
        let Some(url) = self.absolute(base, value) else {
            return;
        };
        if self.source.is_some() {
            return;
        }
        match (&mut self.entry, element) {
            (Some(draft), E::Comments) => draft.entry.comments_url = Some(url),
            (Some(draft), E::CommentRss) => draft.entry.comments_feed_url = Some(url),
            (Some(_), E::MediaThumbnail) => self.thumbnail(base, &url),
            (None, E::Icon) => self.feed.icon = Some(url),
            (None, E::Logo) => self.feed.image = Some(url),
            (None, E::NewFeedUrl) => self.feed.new_url = Some(url),
            _ => {}
        }
    }

    /// Sets `rdf:about` as the identifier until a better one is found.
    pub(in crate::parse) fn rdf_about(&mut self, about: &str) {
        if let Some(draft) = &mut self.entry
            && !about.is_empty()
        {
            draft.entry.id = Some(identifier(about));
        }
    }

    pub(in crate::parse) fn id(&mut self, base: &str, value: &str, kind: IdKind, depth: usize) {
        if value.is_empty() || self.aside.is_some() {
            return;
        }
        // Only a path is made absolute. A bare `12345` must stay as it is, or the identity of the
        // entry would change with the address of the feed.
        let id = if kind != IdKind::Opaque && value.starts_with('/') {
            identifier(&links::resolve(base, value))
        } else {
            identifier(value)
        };
        if let Some(source) = &mut self.source {
            source.id = Some(id);
            return;
        }
        let Some(draft) = &mut self.entry else {
            self.feed.id = Some(id);
            return;
        };
        if !outranks(&mut draft.ranks.id, depth) {
            return;
        }
        let is_web = links::scheme(&id)
            .is_some_and(|s| s.eq_ignore_ascii_case("http") || s.eq_ignore_ascii_case("https"));
        draft.entry.id_is_permalink = kind == IdKind::Address && is_web;
        if kind != IdKind::Opaque && is_web && draft.entry.link.is_none() {
            draft.entry.link = (id.len() <= MAX_LINK_BYTES).then(|| id.clone());
        }
        draft.entry.id = Some(id);
    }

    pub(in crate::parse) fn link(&mut self, base: &str, mut link: Link, depth: usize) {
        if self.aside.is_some() {
            return;
        }
        // Escaped once too often, which breaks the address.
        if link.href.contains("&amp;") {
            link.href = link.href.replace("&amp;", "&");
        }
        let Some(href) = self.absolute(base, &link.href) else {
            return;
        };
        link.href = href;
        text::cut(&mut link.rel, MAX_NAME_BYTES);
        let others = [
            &mut link.mime,
            &mut link.title,
            &mut link.hreflang,
            &mut link.length,
        ];
        for value in others.into_iter().flatten() {
            text::cut(value, MAX_NAME_BYTES);
        }
        let page = link.is_page().then(|| link.href.clone());
        let links = if let Some(source) = &mut self.source {
            source.link = page.or(source.link.take());
            &mut source.links
        } else if let Some(draft) = &mut self.entry {
            if link.rel == "enclosure" {
                let length = link.length.as_deref().and_then(|n| n.trim().parse().ok());
                draft.enclosure(link.href.clone(), link.mime.clone(), length);
            }
            if let Some(page) = page
                && outranks(&mut draft.ranks.link, depth)
            {
                draft.entry.link = Some(page);
            }
            if link.rel == "replies" && draft.entry.comments_url.is_none() && link_is_html(&link) {
                draft.entry.comments_url = Some(link.href.clone());
            }
            &mut draft.entry.links
        } else {
            if let Some(page) = page
                && outranks(&mut self.ranks.link, depth)
            {
                self.feed.site_url = Some(page);
            }
            &mut self.feed.links
        };
        if links.len() < MAX_LINKS {
            links.push(link);
        }
    }

    /// Adds a file to the current entry and returns its index.
    pub(in crate::parse) fn enclosure(
        &mut self,
        base: &str,
        url: Option<Cow<'_, str>>,
        mime: Option<Cow<'_, str>>,
        length: Option<Cow<'_, str>>,
    ) -> Option<usize> {
        let url = url.and_then(|url| self.absolute(base, &url))?;
        let draft = self.entry.as_mut()?;
        let mime = mime.map(|mime| name(&mime)).filter(|mime| !mime.is_empty());
        let length = length.and_then(|length| length.trim().parse().ok());
        draft.enclosure(url, mime, length)
    }

    /// Sets the image from `itunes:image`.
    pub(in crate::parse) fn image(&mut self, base: &str, url: Option<&str>) {
        let Some(url) = url.and_then(|url| self.absolute(base, url)) else {
            return;
        };
        match &mut self.entry {
            Some(draft) => draft.entry.image = Some(url),
            None => self.feed.image = Some(url),
        }
    }

    /// Adds the address of a `media:player`.
    pub(in crate::parse) fn player(&mut self, base: &str, url: Option<&str>) {
        let url = url.and_then(|url| self.absolute(base, url));
        if let (Some(url), Some(draft)) = (url, &mut self.entry)
            && draft.entry.players.len() < MAX_ENCLOSURES
            && !draft.entry.players.contains(&url)
        {
            draft.entry.players.push(url);
        }
    }

    pub(in crate::parse) fn thumbnail(&mut self, base: &str, url: &str) {
        if let (Some(url), Some(draft)) = (self.absolute(base, url), &mut self.entry)
            && draft.entry.thumbnails.len() < MAX_ENCLOSURES
            && !draft.entry.thumbnails.contains(&url)
        {
            draft.entry.thumbnails.push(url);
        }
    }
}

fn link_is_html(link: &Link) -> bool {
    link.mime
        .as_deref()
        .is_none_or(|mime| mime.contains("html"))
}

/// Returns an identifier; if it is longer than the limit, it is replaced by its hash, which is just
/// as unique.
pub(in crate::parse) fn identifier(value: &str) -> String {
    if value.len() <= MAX_ID_BYTES {
        return value.to_owned();
    }
    let hash = ContentHash::of([value]);
    let hex: String = hash.as_bytes().iter().map(|b| format!("{b:02x}")).collect();
    format!("sha256:{hex}")
}
