//! Entry under construction, and the ranks of competing values.

use std::sync::Arc;

use crate::parse::element::Element;
use crate::parse::{MAX_CONTENTS, MAX_ENCLOSURES};
use crate::parsed::{Enclosure, ParsedEntry, Text};

/// Entry under construction, with values that are only used if nothing better is found.
pub(super) struct Draft {
    pub(super) entry: ParsedEntry,
    pub(super) depth: usize,
    pub(super) ranks: Ranks,
    /// Index of the enclosure whose child elements are being read.
    pub(super) open_media: Option<usize>,
    pub(super) media_title: Option<Text>,
    pub(super) long_summary: Option<Text>,
    pub(super) media_description: Option<Text>,
    pub(super) subtitle: Option<Text>,
}

/// Nesting depths of the values stored so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranks {
    pub(super) title: usize,
    pub(super) summary: usize,
    pub(super) content: usize,
    pub(super) link: usize,
    pub(super) id: usize,
    pub(super) published: usize,
    pub(super) updated: usize,
    pub(super) author: usize,
}

/// Deeper than any value: nothing is stored yet.
const NOWHERE: usize = usize::MAX;

impl Ranks {
    pub(super) const NONE: Self = Self {
        title: NOWHERE,
        summary: NOWHERE,
        content: NOWHERE,
        link: NOWHERE,
        id: NOWHERE,
        published: NOWHERE,
        updated: NOWHERE,
        author: NOWHERE,
    };
}

/// Returns `true` if a value at `depth` replaces or joins the stored one; its depth is then the new
/// rank.
pub(super) fn outranks(rank: &mut usize, depth: usize) -> bool {
    let good = depth <= *rank;
    if good {
        *rank = depth;
    }
    good
}

impl Draft {
    pub(super) fn new(depth: usize, base: &Arc<str>) -> Self {
        Self {
            entry: ParsedEntry {
                base: Some(Arc::clone(base)),
                ..ParsedEntry::default()
            },
            depth,
            ranks: Ranks::NONE,
            open_media: None,
            media_title: None,
            long_summary: None,
            media_description: None,
            subtitle: None,
        }
    }

    /// Returns the entry, with second-best values in place of missing ones.
    ///
    /// A description, however short, is the text: the description of an image, or a one-line text
    /// for a list of episodes, only replaces a missing one. `itunes:summary` is the same text at
    /// full length in many podcasts, and then it is the content.
    pub(super) fn finished(self) -> ParsedEntry {
        let mut entry = self.entry;
        entry.title = entry.title.or(self.media_title);
        if let Some(long) = self.long_summary {
            match &entry.summary {
                None => entry.summary = Some(long),
                Some(summary)
                    if entry.content.is_empty() && long.value.len() > summary.value.len() =>
                {
                    entry.content.push(long);
                }
                Some(_) => {}
            }
        }
        if let Some(description) = self.media_description {
            let mut pictures = entry.enclosures.iter_mut().filter(|file| file.is_picture());
            match (pictures.next(), pictures.next()) {
                // Beside a text, the description of the only image is its caption.
                (Some(picture), None) if entry.summary.is_some() || !entry.content.is_empty() => {
                    picture.caption.get_or_insert(description);
                }
                _ => entry.summary = entry.summary.or(Some(description)),
            }
        }
        entry.summary = entry.summary.or(self.subtitle);
        if entry.link.is_none() {
            let other = entry.links.iter().find(|link| link.rel == "alternate");
            entry.link = other.map(|link| link.href.clone());
        }
        entry
    }

    /// Sets the summary. A second description beside a first is the full text, if there is none
    /// yet.
    pub(super) fn summary(&mut self, text: Text, depth: usize) {
        let is_second = self.entry.summary.is_some() && depth == self.ranks.summary;
        if !outranks(&mut self.ranks.summary, depth) {
            return;
        }
        if is_second && self.entry.content.is_empty() {
            if self.entry.summary.as_ref() != Some(&text) {
                self.content(text, depth);
            }
        } else {
            self.entry.summary = Some(text);
        }
    }

    /// Assigns a title or description of the media module to the open file, or else to the entry.
    pub(super) fn media_text(&mut self, element: Element, text: Text) {
        let file = self
            .open_media
            .and_then(|open| self.entry.enclosures.get_mut(open));
        match (file, element) {
            (Some(file), Element::MediaDescription) => {
                // A video is the subject of its entry; an image only belongs to one.
                if !file.is_picture() {
                    self.media_description = Some(text.clone());
                }
                file.caption = Some(text);
            }
            (Some(file), _) => {
                if !file.is_picture() {
                    self.media_title.get_or_insert_with(|| text.clone());
                }
                file.caption.get_or_insert(text);
            }
            (None, Element::MediaDescription) => self.media_description = Some(text),
            (None, _) => {
                self.media_title.get_or_insert(text);
            }
        }
    }

    pub(super) fn content(&mut self, text: Text, depth: usize) {
        if depth < self.ranks.content {
            self.entry.content.clear();
        }
        if outranks(&mut self.ranks.content, depth) && self.entry.content.len() < MAX_CONTENTS {
            self.entry.content.push(text);
        }
    }

    /// Adds a file, unless it exists already or there are too many; returns its index.
    pub(super) fn enclosure(
        &mut self,
        url: String,
        mime: Option<String>,
        length: Option<u64>,
    ) -> Option<usize> {
        let files = &mut self.entry.enclosures;
        if let Some(known) = files.iter().position(|file| file.url == url) {
            return Some(known);
        }
        if files.len() == MAX_ENCLOSURES {
            return None;
        }
        files.push(Enclosure {
            url,
            mime,
            length,
            caption: None,
        });
        Some(files.len() - 1)
    }
}
