//! An entry under construction, and which of several claims for a value wins.

use std::sync::Arc;

use crate::parse::{MAX_CONTENTS, MAX_ENCLOSURES};
use crate::parsed::{Enclosure, ParsedEntry, Text};

/// An entry under construction, with what is only used if nothing better comes.
pub(super) struct Draft {
    pub(super) entry: ParsedEntry,
    pub(super) depth: usize,
    pub(super) ranks: Ranks,
    pub(super) media_title: Option<Text>,
    pub(super) long_summary: Option<Text>,
    pub(super) media_description: Option<Text>,
    pub(super) subtitle: Option<Text>,
}

/// How deep the values that are kept so far stood.
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

/// Deeper than anything.
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

/// Whether a value at `depth` replaces or joins what is kept; if so, its depth is the new rank.
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
            media_title: None,
            long_summary: None,
            media_description: None,
            subtitle: None,
        }
    }

    /// The entry, with second-best values where the best are missing.
    pub(super) fn finished(self) -> ParsedEntry {
        let mut entry = self.entry;
        entry.title = entry.title.or(self.media_title);
        let fallbacks = [self.long_summary, self.media_description, self.subtitle];
        for fallback in fallbacks.into_iter().flatten() {
            match &entry.summary {
                None => entry.summary = Some(fallback),
                Some(summary)
                    if entry.content.is_empty() && fallback.value.len() > summary.value.len() =>
                {
                    entry.content.push(fallback);
                }
                Some(_) => {}
            }
        }
        if entry.link.is_none() {
            let other = entry.links.iter().find(|link| link.rel == "alternate");
            entry.link = other.map(|link| link.href.clone());
        }
        entry
    }

    /// A second description beside a first is the full text, if there is none yet.
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

    pub(super) fn content(&mut self, text: Text, depth: usize) {
        if depth < self.ranks.content {
            self.entry.content.clear();
        }
        if outranks(&mut self.ranks.content, depth) && self.entry.content.len() < MAX_CONTENTS {
            self.entry.content.push(text);
        }
    }

    pub(super) fn enclosure(&mut self, url: String, mime: Option<String>, length: Option<u64>) {
        let known = &mut self.entry.enclosures;
        if known.len() < MAX_ENCLOSURES && !known.iter().any(|e| e.url == url) {
            known.push(Enclosure { url, mime, length });
        }
    }
}
