//! A group of entries and stored items that share a base key, and the keys they get.

use std::collections::{HashMap, HashSet};

use super::{
    Assigned, BY_CONTENT, BY_TITLE, Basis, EXTENDS, Entry, Index, Link, MAX_LINKED_BYTES, Source,
    StoredItem, pairing,
};
use crate::content::ContentHash;
use crate::time::Timestamp;

/// A group, without the items that an earlier group has claimed.
pub(super) struct Group<'g, 'e> {
    basis: Basis,
    base: String,
    /// Distinct entries of the document.
    entries: Vec<&'g Entry<'e>>,
    /// Indexes in the document of each of them; several if the entry is repeated.
    places: Vec<Vec<usize>>,
    /// Items with content from the feed.
    items: Vec<&'g StoredItem>,
    /// Their positions in the index.
    found: Vec<usize>,
    removed: Vec<&'g StoredItem>,
    index: &'g Index<'g>,
}

impl<'g, 'e> Group<'g, 'e> {
    pub(super) fn new(
        basis: Basis,
        base: String,
        places: &[usize],
        entries: &'g [Entry<'e>],
        stored: &[usize],
        index: &'g Index<'g>,
    ) -> Self {
        let mut group = Self {
            basis,
            base,
            entries: Vec::new(),
            places: Vec::new(),
            items: Vec::new(),
            found: Vec::new(),
            removed: Vec::new(),
            index,
        };
        let mut known: HashMap<ContentHash, usize> = HashMap::new();
        for place in places {
            let entry = &entries[*place];
            let next = group.entries.len();
            let same = match places.len() {
                1 => next,
                _ => *known.entry(entry.fingerprint()).or_insert(next),
            };
            if same == next {
                group.entries.push(entry);
                group.places.push(Vec::new());
            }
            group.places[same].push(*place);
        }
        for place in stored {
            let item = &index.stored[*place];
            match item.source {
                Source::Feed(_) => {
                    group.items.push(item);
                    group.found.push(*place);
                }
                Source::Removed => group.removed.push(item),
                Source::Import => {}
            }
        }
        group
    }

    /// Assigns every entry its key. Returns the positions of the stored items that it claims.
    pub(super) fn assign(self, assigned: &mut Assigned) -> Vec<usize> {
        if let Some(key) = self.plain_key() {
            self.give(0, &key, assigned);
            return Vec::new();
        }
        let pairs = self.pairs();
        assigned.collisions += self.collisions(&pairs);
        let is_shared = self.items.len() > 1 || self.entries.len() > 1 || pairs.contains(&None);
        assigned.shares_keys |= is_shared || self.items.iter().any(|item| item.is_extended());
        let values = self.values(&pairs);
        let mut keys: Vec<String> = self.items.iter().map(|item| item.key.clone()).collect();
        let mut used: HashSet<String> = keys.iter().cloned().collect();
        for (item, key) in self.items.iter().zip(&mut keys) {
            if is_shared && item.key == self.base {
                *key = self.key_of_stored(item, &values, &used);
                used.insert(key.clone());
                assigned.extended.push((item.key.clone(), key.clone()));
            }
        }
        for (place, pair) in pairs.iter().enumerate() {
            let key = match pair {
                Some(item) => keys[*item].clone(),
                None => self.key_of_new(self.entries[place], &values, &used),
            };
            used.insert(key.clone());
            self.give(place, &key, assigned);
        }
        let taken = pairs.into_iter().flatten();
        taken.map(|item| self.found[item]).collect()
    }

    fn give(&self, entry: usize, key: &str, assigned: &mut Assigned) {
        for place in &self.places[entry] {
            assigned.keys[*place] = key.to_owned();
        }
    }

    /// Returns the key of an entry that is not stored and whose base key is, as far as known, not shared.
    fn plain_key(&self) -> Option<String> {
        let [entry] = self.entries.as_slice() else {
            return None;
        };
        if !self.items.is_empty() {
            return None;
        }
        let extends_base = |item: &&StoredItem| {
            let rest = item.key.strip_prefix(&self.base);
            rest.is_some_and(|rest| rest.starts_with(EXTENDS))
        };
        if self.removed.iter().any(extends_base) {
            return None;
        }
        let link = link_text(entry.link());
        let is_this = |item: &&&StoredItem| match item.key.split_once(EXTENDS) {
            None => true,
            Some((_, by)) => link.as_deref() == Some(by),
        };
        let removed = self.removed.iter().find(is_this);
        Some(removed.map_or_else(|| self.base.clone(), |item| item.key.clone()))
    }

    /// Returns for each entry the stored item that it is.
    fn pairs(&self) -> Vec<Option<usize>> {
        match (self.entries.as_slice(), self.items.as_slice()) {
            ([entry], [item]) if !item.is_extended() && self.removed.is_empty() => {
                let is_same = pairing::is_alone_the_same(self.basis, entry, item);
                vec![is_same.then_some(0)]
            }
            (entries, items) => pairing::pair(self.basis, entries, items),
        }
    }

    /// Counts the entries whose id came back with a link and a title that it never had.
    fn collisions(&self, pairs: &[Option<usize>]) -> i64 {
        let is_unpaired = pairs.contains(&None);
        if self.basis != Basis::Guid || self.items.is_empty() || !is_unpaired {
            return 0;
        }
        let links: HashSet<Link<'_>> = self.items.iter().map(|item| item.link()).collect();
        let titles = self.items.iter().map(|item| pairing::folded(&item.title));
        let titles: HashSet<String> = titles.collect();
        if links.iter().any(|(url, _)| url.is_none()) {
            return 0;
        }
        let unpaired = self.entries.iter().zip(pairs);
        let unpaired = unpaired.filter(|(_, pair)| pair.is_none());
        let collisions = unpaired.filter(|(entry, _)| {
            entry.url.is_some()
                && !links.contains(&entry.link())
                && !titles.contains(&pairing::folded(&entry.item.title))
        });
        collisions.count().try_into().unwrap_or(i64::MAX)
    }

    /// Counts the items of the group that have each link, and each title and date.
    fn values(&self, pairs: &[Option<usize>]) -> Values<'_> {
        let mut values = Values::default();
        for item in &self.items {
            values.add(item.link(), title_and_date(&item.title, item.published_at));
        }
        for (entry, pair) in self.entries.iter().zip(pairs) {
            if pair.is_none() {
                let title = title_and_date(&entry.item.title, entry.item.published_at);
                values.add(entry.link(), title);
            }
        }
        values
    }

    /// Returns a key for an entry that is not stored, or the key of the removed item that it is.
    fn key_of_new(&self, entry: &Entry<'_>, values: &Values<'_>, used: &HashSet<String>) -> String {
        let title = title_and_date(&entry.item.title, entry.item.published_at);
        let keys = self.extensions(entry.link(), title, entry.hash, values);
        let is_removed = |key: &&String| self.index.source(key) == Some(Source::Removed);
        match keys.iter().find(is_removed) {
            Some(removed) => removed.clone(),
            // An import that has the key is replaced.
            None => Self::first_free(keys, |key| {
                !used.contains(key) && !matches!(self.index.source(key), Some(Source::Feed(_)))
            }),
        }
    }

    /// Returns an extended key for a stored item that has the base key.
    fn key_of_stored(
        &self,
        item: &StoredItem,
        values: &Values<'_>,
        used: &HashSet<String>,
    ) -> String {
        let title = title_and_date(&item.title, item.published_at);
        let hash = item.hash().unwrap_or_else(|| ContentHash::of([]));
        let keys = self.extensions(item.link(), title, hash, values);
        Self::first_free(keys, |key| {
            !used.contains(key) && self.index.source(key).is_none()
        })
    }

    /// Returns the possible keys for an item of the group, best first.
    fn extensions(
        &self,
        link: Link<'_>,
        title: Option<TitleAndDate>,
        hash: ContentHash,
        values: &Values<'_>,
    ) -> Vec<String> {
        let extended = |by: &str| format!("{}{EXTENDS}{by}", self.base);
        let own_link = Some(link).filter(|link| values.links.get(link) == Some(&1));
        let by_link = own_link.and_then(|link| match self.basis {
            Basis::Guid => link_text(link),
            // The rest of the address is in the base key.
            Basis::Url => Some(format!("#{}", link.1.unwrap_or_default())),
            Basis::Content => None,
        });
        let by_link = by_link.map(|by| match self.base.len() + by.len() <= MAX_LINKED_BYTES {
            true => extended(&by),
            false => extended(&format!("l:{}", ContentHash::of([by.as_str()]).to_hex())),
        });
        let own_title = title.filter(|title| values.titles.get(title) == Some(&1));
        let by_title = own_title.map(|(title, at)| {
            let at = at.as_ms().to_string();
            let hash = ContentHash::of([title.as_str(), at.as_str()]);
            extended(&format!("{BY_TITLE}{}", hash.to_hex()))
        });
        let by_content = extended(&format!("{BY_CONTENT}{}", hash.to_hex()));
        let keys = by_link.into_iter().chain(by_title);
        keys.chain([by_content]).collect()
    }

    /// Returns the first of `keys` that is free. If none is, the last one gets a number: its item
    /// was stored with content that another one has now.
    fn first_free(keys: Vec<String>, is_free: impl Fn(&String) -> bool) -> String {
        let last = keys.last().cloned().unwrap_or_default();
        let numbered = (2_u32..).map(|number| format!("{last} {number}"));
        let mut candidates = keys.into_iter().chain(numbered);
        candidates.find(is_free).unwrap_or_default()
    }
}

type TitleAndDate = (String, Timestamp);

fn title_and_date(title: &str, at: Option<Timestamp>) -> Option<TitleAndDate> {
    at.map(|at| (pairing::folded(title), at))
}

/// Number of items in a group that have each value. Only a value that a single item has can extend a key.
#[derive(Default)]
struct Values<'g> {
    links: HashMap<Link<'g>, usize>,
    titles: HashMap<TitleAndDate, usize>,
}

impl<'g> Values<'g> {
    fn add(&mut self, link: Link<'g>, title: Option<TitleAndDate>) {
        *self.links.entry(link).or_default() += 1;
        if let Some(title) = title {
            *self.titles.entry(title).or_default() += 1;
        }
    }
}

/// Formats a link for use in a key.
fn link_text((url, fragment): Link<'_>) -> Option<String> {
    let url = url?;
    Some(match fragment {
        Some(fragment) => format!("{url}#{fragment}"),
        None => url.to_owned(),
    })
}
