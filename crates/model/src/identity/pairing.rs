//! Pairs the entries and the stored items that share a base key.
//!
//! The evidence, strongest first: equal content; the same title and date; the same title, if the
//! dates do not contradict it; the same link. Within a group a value counts only if exactly one
//! entry and one stored item have it: many posts are called "Bug fixes", and one address may lead
//! to all of them.

use std::collections::HashMap;
use std::hash::Hash;

use super::{Basis, Entry, Link, StoredItem};
use crate::content::ContentHash;

/// Returns `true` if an entry is the only stored item with its base key, given that neither shares
/// the key with others as far as known.
pub(super) fn is_alone_the_same(basis: Basis, entry: &Entry<'_>, item: &StoredItem) -> bool {
    match basis {
        // The same link: the item was edited in place, and anything else may differ. The same
        // title: it moved.
        Basis::Guid => !links_conflict(entry, item) || has_same_title(entry, item),
        Basis::Url => {
            let conflicts = [
                entry.link() != item.link(),
                !has_same_title(entry, item),
                dates_conflict(entry, item),
            ];
            conflicts.into_iter().filter(|conflict| *conflict).count() <= 1
        }
        // The title and text are equal, or the id, which is no longer trusted.
        Basis::Content => has_same_title(entry, item) && !dates_conflict(entry, item),
    }
}

/// Returns for each entry the index of the stored item that it is.
pub(super) fn pair(
    basis: Basis,
    entries: &[&Entry<'_>],
    items: &[&StoredItem],
) -> Vec<Option<usize>> {
    let entry_titles: Vec<String> = entries.iter().map(|e| folded(&e.item.title)).collect();
    let item_titles: Vec<String> = items.iter().map(|item| folded(&item.title)).collect();
    let mut pairs = Pairs {
        of_entries: vec![None; entries.len()],
        is_taken: vec![false; items.len()],
    };
    pairs.add_equal(entries, items);
    pairs.add(
        |entry| Some((&entry_titles[entry], entries[entry].item.published_at?)),
        |item| Some((&item_titles[item], items[item].published_at?)),
        |_, _| true,
    );
    pairs.add(
        |entry| Some(&entry_titles[entry]),
        |item| Some(&item_titles[item]),
        |entry, item| !dates_conflict(entries[entry], items[item]),
    );
    pairs.add(
        |entry| Some(entries[entry].link()).filter(is_somewhere),
        |item| Some(items[item].link()).filter(is_somewhere),
        |entry, item| {
            let is_vouched = basis == Basis::Guid
                || entry_titles[entry] == item_titles[item]
                || !dates_conflict(entries[entry], items[item]);
            !items[item].shares_link() && is_vouched
        },
    );
    pairs.of_entries
}

struct Pairs {
    of_entries: Vec<Option<usize>>,
    is_taken: Vec<bool>,
}

impl Pairs {
    /// Pairs entries and items with equal content. The content need not be unique: an entry that is
    /// stored twice is one of the two items, and not a third one.
    fn add_equal(&mut self, entries: &[&Entry<'_>], items: &[&StoredItem]) {
        let mut by_hash: HashMap<ContentHash, Vec<usize>> = HashMap::with_capacity(items.len());
        for (place, item) in items.iter().enumerate().rev() {
            if let Some(hash) = item.hash() {
                by_hash.entry(hash).or_default().push(place);
            }
        }
        for (entry, pair) in entries.iter().zip(&mut self.of_entries) {
            if let Some(item) = by_hash.get_mut(&entry.hash).and_then(Vec::pop) {
                *pair = Some(item);
                self.is_taken[item] = true;
            }
        }
    }

    /// Pairs the remaining entries and items that share a value which no other entry and no other item has.
    fn add<V: Eq + Hash>(
        &mut self,
        of_entry: impl Fn(usize) -> Option<V>,
        of_item: impl Fn(usize) -> Option<V>,
        is_same: impl Fn(usize, usize) -> bool,
    ) {
        let by_item = unique(self.is_taken.len(), of_item);
        let by_entry = unique(self.of_entries.len(), of_entry);
        for (value, entry) in by_entry {
            let (Some(entry), Some(Some(item))) = (entry, by_item.get(&value)) else {
                continue;
            };
            let is_free = self.of_entries[entry].is_none() && !self.is_taken[*item];
            if is_free && is_same(entry, *item) {
                self.of_entries[entry] = Some(*item);
                self.is_taken[*item] = true;
            }
        }
    }
}

/// Maps each value to the index that has it; to `None` if several have it.
fn unique<V: Eq + Hash>(
    count: usize,
    value: impl Fn(usize) -> Option<V>,
) -> HashMap<V, Option<usize>> {
    let mut places = HashMap::with_capacity(count);
    for place in 0..count {
        if let Some(value) = value(place) {
            places
                .entry(value)
                .and_modify(|only| *only = None)
                .or_insert(Some(place));
        }
    }
    places
}

fn is_somewhere((url, _): &Link<'_>) -> bool {
    url.is_some()
}

/// Returns `true` if both have a link and the links differ.
fn links_conflict(entry: &Entry<'_>, item: &StoredItem) -> bool {
    is_somewhere(&entry.link()) && is_somewhere(&item.link()) && entry.link() != item.link()
}

fn dates_conflict(entry: &Entry<'_>, item: &StoredItem) -> bool {
    let both = entry.item.published_at.zip(item.published_at);
    both.is_some_and(|(now, before)| now != before)
}

fn has_same_title(entry: &Entry<'_>, item: &StoredItem) -> bool {
    entry.item.title == item.title || folded(&entry.item.title) == folded(&item.title)
}

/// Normalises a title: removes the differences that a change of publishing software introduces, in
/// case, white space, quotes and dashes.
pub(super) fn folded(title: &str) -> String {
    let is_kept = |c: &char| {
        !c.is_whitespace()
            && !matches!(
                c,
                '\'' | '"' | '`' | '«' | '»' | '-' | '\u{ad}' | '\u{2010}'..='\u{201f}'
            )
    };
    let mut folded = String::with_capacity(title.len());
    for c in title.chars().filter(is_kept) {
        match c {
            '…' => folded.push_str("..."),
            c => folded.extend(c.to_lowercase()),
        }
    }
    folded
}
