//! Processing of a value when its element ends.

use crate::entities;
use crate::parse::builder::IdKind;
use crate::parse::element::Element as E;
use crate::parse::looks::{self, Looks};
use crate::parse::mapper::{Capture, Mapper};
use crate::parse::text::{self, Mime};
use crate::parsed::{FeedKind, Text};

impl Mapper<'_> {
    /// Passes a finished value to the store.
    pub(super) fn finish(&mut self, mut capture: Capture, depth: usize) {
        let value = std::mem::take(&mut capture.value);
        match capture.element {
            E::Link => {
                if let Some(mut link) = capture.link.take() {
                    link.href = text::trimmed(value);
                    if !link.href.is_empty() {
                        self.store.link(&self.base, link, depth);
                    }
                }
            }
            E::Category | E::MediaCategory => {
                let (term, scheme, label) = capture.category;
                let value = text::fix_mojibake(text::trimmed(value));
                let term = term.filter(|t| !t.is_empty()).or(Some(value));
                self.store.category(term, scheme, label);
            }
            E::Id => self
                .store
                .id(&self.base, value.trim(), IdKind::Plain, depth),
            E::Guid if capture.is_address => {
                self.store
                    .id(&self.base, value.trim(), IdKind::Address, depth);
            }
            E::Guid => self
                .store
                .id(&self.base, value.trim(), IdKind::Opaque, depth),
            E::Author | E::Contributor | E::Publisher | E::Owner => {
                self.store
                    .end_person(capture.element, &text::fix_mojibake(value), depth);
            }
            E::Url => self.store.url(&self.base, value.trim()),
            E::Comments | E::CommentRss | E::Icon | E::Logo | E::NewFeedUrl | E::MediaThumbnail => {
                self.store
                    .address(capture.element, &self.base, value.trim());
            }
            E::Source => self.store.source_text(text::trimmed(value), &self.base),
            element if element.is_text() => {
                if let Some(text) = self.finished_text(capture, value) {
                    self.store.text(element, text, depth);
                }
            }
            element => self
                .store
                .value(element, &text::fix_mojibake(text::trimmed(value)), depth),
        }
    }

    /// Decides by its content which type a text has. Outside of Atom a text has no type, and a
    /// title is HTML as often as not; in Atom a declared type is mostly right.
    fn judged(&self, capture: &Capture, value: String, mime: Mime) -> (String, Mime) {
        let is_title = matches!(capture.element, E::Title | E::MediaTitle);
        let is_atom = self.store.feed.kind.is_atom();
        let (value, mime) = match mime {
            Mime::Plain => {
                let looks = if is_atom && (is_title || capture.says_type) {
                    looks::of_declared(&value)
                } else {
                    looks::of(&value)
                };
                match looks {
                    Looks::Markup => (value, Mime::Html),
                    Looks::References if !is_atom => (value, Mime::Html),
                    Looks::References => match looks::unescaped(&value) {
                        Some(html) => (html, Mime::Html),
                        None => (entities::expand(&value, |_, _| false).into_owned(), mime),
                    },
                    Looks::Text => (value, mime),
                }
            }
            mime => (value, mime),
        };
        if mime != Mime::Html {
            return (value, mime);
        }
        if is_title {
            return (looks::with_single_references(&value).into_owned(), mime);
        }
        match looks::unescaped(&value) {
            Some(html) => (html, mime),
            None => (value, mime),
        }
    }

    fn finished_text(&mut self, capture: Capture, value: String) -> Option<Text> {
        let mut value = text::trimmed(value);
        if value.is_empty() {
            return None;
        }
        let mut mime = capture.mime;
        if mime.is_inline()
            && self.store.feed.kind == FeedKind::Atom10
            && capture.roots == 1
            && capture.root_is_div
            && !capture.text_beside
            && let Some(open) = value.find('>')
            && value.ends_with("</div>")
            && open + 1 + "</div>".len() <= value.len()
        {
            value.truncate(value.len() - "</div>".len());
            value.drain(..=open);
            value = text::trimmed(value);
        }
        if capture.base64
            && let Some(decoded) = text::from_base64(&value)
        {
            value = text::trimmed(decoded);
        }
        (value, mime) = self.judged(&capture, value, mime);
        Some(Text {
            value: text::fix_mojibake(value),
            kind: mime.kind(),
            base: capture.base,
            language: self.language.clone(),
        })
    }
}
