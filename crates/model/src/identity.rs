//! Decides which stored item a fetched entry is.
//!
//! Always within one feed. An entry has a *base key*: the publisher's id where the feed's ids can be
//! trusted, else the address without its fragment, else a hash of the content. Each kind has a prefix, so
//! that one unique index serves all three and an id that looks like an address cannot meet one.
//!
//! Publishers give one id or one address to many entries. Two entries of one document that differ in
//! link, title, text or enclosures are two items all the same. Entries and stored items that share a base
//! key form a group; inside it they are paired by evidence ([`pairing`]) and not by recomputing keys, so
//! that documents may grow, shrink, be reordered or be dated anew. Every item of a group with several has
//! an *extended key*, the base key and a line that tells it from the others: its link, else its title and
//! date, else its content. A key is chosen once and stays. It is compared again only for items that were
//! removed, of which nothing but the key is left.
//!
//! Without enough evidence, an entry is a new item: a duplicate is a nuisance, an item that
//! another one overwrote is lost.

mod group;
mod pairing;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use crate::address::WebUrl;
use crate::content::ContentHash;
use crate::item::{CleanItem, Enclosure};
use crate::time::Timestamp;
use group::Group;

/// Longest publisher's id that is kept as it is; a longer one is kept as its hash.
const MAX_GUID_BYTES: usize = 2048;
/// Longest key that is extended by a link as it is; a longer one is extended by the link's hash.
/// PostgreSQL refuses index entries over 2,704 bytes.
const MAX_LINKED_BYTES: usize = 2400;
/// Collisions after which a feed's ids count for nothing.
const MAX_COLLISIONS: i64 = 3;
/// Known addresses with new ids in one fetch that are more than chance.
const MIN_RENAMED: usize = 3;
/// Stands between a base key and its extension.
const EXTENDS: char = '\n';
/// Begin the extensions that are not links.
const BY_TITLE: &str = "t:";
const BY_CONTENT: &str = "c:";

/// A fetched entry, as far as it tells which item it is.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    guid: Option<String>,
    url: Option<String>,
    fragment: Option<&'a str>,
    item: &'a CleanItem,
    enclosures: &'a [Enclosure],
    hash: ContentHash,
}

impl<'a> Entry<'a> {
    /// Takes the traits from an item; `hash` is of all that is stored of it.
    pub fn new(item: &'a CleanItem, enclosures: &'a [Enclosure], hash: ContentHash) -> Self {
        Self {
            guid: guid_key(item),
            url: item.url.as_ref().map(WebUrl::identity_key),
            fragment: item.url.as_ref().and_then(WebUrl::fragment),
            item,
            enclosures,
            hash,
        }
    }

    /// The address as it is compared, to be stored beside the key.
    pub fn url_key(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// The base key that it has while the feed's ids are trusted.
    pub fn guid_key(&self) -> Option<&str> {
        self.guid.as_deref()
    }

    /// Every base key that the item might be stored under.
    pub fn possible_keys(&self) -> impl Iterator<Item = String> {
        let guid = self.guid.clone().into_iter();
        let url = self.url.as_deref().map(url_key).into_iter();
        guid.chain(url).chain([content_key(self.item)])
    }

    fn base(&self, trust: Trust) -> (Basis, String) {
        match (&self.guid, &self.url) {
            (Some(guid), _) if trust.guids => (Basis::Guid, guid.clone()),
            (_, Some(url)) if trust.urls => (Basis::Url, url_key(url)),
            _ => (Basis::Content, content_key(self.item)),
        }
    }

    fn link(&self) -> Link<'_> {
        (self.url.as_deref(), self.fragment)
    }

    /// Equal for entries of one document that are the same item.
    fn fingerprint(&self) -> ContentHash {
        let (url, fragment) = self.link();
        let texts = [
            self.item.title.as_str(),
            self.item.html.as_str(),
            url.unwrap_or_default(),
            fragment.unwrap_or_default(),
        ];
        let files = self.enclosures.iter().map(|file| file.url.as_str());
        ContentHash::of(texts.into_iter().chain(files))
    }
}

/// Every base key that an item might be stored under, in this Lede or in another.
pub fn possible_keys(item: &CleanItem) -> impl Iterator<Item = String> {
    let url = item.url.as_ref().map(|url| url_key(&url.identity_key()));
    let keys = guid_key(item).into_iter().chain(url);
    keys.chain([content_key(item)])
}

fn guid_key(item: &CleanItem) -> Option<String> {
    // Rows hold no NUL, and a row is found again by its key.
    let guid = item.guid.as_deref()?.replace('\0', "");
    Some(match guid.len() <= MAX_GUID_BYTES {
        true => format!("g:{guid}"),
        false => format!("h:{}", ContentHash::of([guid.as_str()]).to_hex()),
    })
}

fn url_key(url: &str) -> String {
    format!("u:{url}")
}

fn content_key(item: &CleanItem) -> String {
    format!("c:{}", item.hash.to_hex())
}

/// An address as it is compared, and its fragment.
type Link<'a> = (Option<&'a str>, Option<&'a str>);

/// An item that the feed had before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredItem {
    /// The key it is stored under.
    pub key: String,
    /// Its address as it is compared.
    pub url_key: Option<String>,
    /// The fragment of its address.
    pub fragment: Option<String>,
    /// Its title; empty for a removed one.
    pub title: String,
    /// When the publisher says that it appeared.
    pub published_at: Option<Timestamp>,
    /// The origin of its content.
    pub source: Source,
}

/// The origin of a stored item's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The feed; with the hash of all that is stored of it.
    Feed(ContentHash),
    /// A user's import. It is no evidence of what the feed does: the feed's own entry replaces it.
    Import,
    /// Nowhere: it was removed, and only its key is left.
    Removed,
}

impl StoredItem {
    fn hash(&self) -> Option<ContentHash> {
        match self.source {
            Source::Feed(hash) => Some(hash),
            Source::Import | Source::Removed => None,
        }
    }

    fn link(&self) -> Link<'_> {
        (self.url_key.as_deref(), self.fragment.as_deref())
    }

    fn is_extended(&self) -> bool {
        self.key.contains(EXTENDS)
    }

    /// Tells that other items were known under its link when its key was chosen.
    fn shares_link(&self) -> bool {
        self.key
            .rsplit_once(EXTENDS)
            .is_some_and(|(_, by)| by.starts_with(BY_TITLE) || by.starts_with(BY_CONTENT))
    }
}

/// The degree to which a feed's ids and addresses can be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trust {
    /// Its ids tell items apart. Once lost, this stays lost until an operator resets it.
    pub guids: bool,
    /// Number of times that an id came back with another link and another title.
    pub collisions: i64,
    /// Its addresses tell items apart; off for live blogs that keep one address.
    pub urls: bool,
    /// Some of its items share a base key, and have extended ones.
    pub shares_keys: bool,
}

impl Default for Trust {
    fn default() -> Self {
        Self {
            guids: true,
            collisions: 0,
            urls: true,
            shares_keys: false,
        }
    }
}

/// The outcome of [`identify`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identified {
    /// The key for each entry, in their order. Entries that are the same item have the same key.
    pub keys: Vec<String>,
    /// Stored items whose base key turned out to be shared: the key they have, and their own one.
    pub extended: Vec<(String, String)>,
    /// The trust after this fetch.
    pub trust: Trust,
}

/// Finds the key for each entry of one document. `stored` has at least:
///
/// - the items and removed items with a possible key of an entry;
/// - the items with the address of an entry, unless `trust.guids` and its id is among those;
/// - all that have extended keys, if `trust.shares_keys`.
///
/// When the outcome has `shares_keys` or has lost `guids` for the first time, what the condition left out
/// has to be looked up and this is to be called again.
pub fn identify(entries: &[Entry<'_>], stored: &[StoredItem], trust: Trust) -> Identified {
    let index = Index::of(stored);
    let are_made_anew = trust.guids && guids_are_made_anew(entries, &index);
    let trust = Trust {
        guids: trust.guids && !are_made_anew,
        ..trust
    };
    let mut assigned = assign(entries, &index, trust);
    let mut trust = Trust {
        collisions: trust.collisions + assigned.collisions,
        ..trust
    };
    if trust.guids && trust.collisions >= MAX_COLLISIONS {
        trust.guids = false;
        assigned = assign(entries, &index, trust);
    }
    trust.shares_keys |= assigned.shares_keys;
    Identified {
        keys: assigned.keys,
        extended: assigned.extended,
        trust,
    }
}

/// The kinds of base keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Basis {
    Guid,
    Url,
    Content,
}

/// Stored items by all that an entry may find them by.
struct Index<'a> {
    stored: &'a [StoredItem],
    by_key: HashMap<&'a str, usize>,
    /// By each base that an extended key may have: ids may hold line breaks themselves.
    by_base: HashMap<&'a str, Vec<usize>>,
    by_url: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Index<'a> {
    fn of(stored: &'a [StoredItem]) -> Self {
        let mut index = Self {
            stored,
            by_key: HashMap::with_capacity(stored.len()),
            by_base: HashMap::new(),
            by_url: HashMap::with_capacity(stored.len()),
        };
        for (place, item) in stored.iter().enumerate() {
            index.by_key.insert(&item.key, place);
            for (end, _) in item.key.match_indices(EXTENDS) {
                let of_base = index.by_base.entry(&item.key[..end]).or_default();
                of_base.push(place);
            }
            if let Some(url) = &item.url_key {
                index.by_url.entry(url).or_default().push(place);
            }
        }
        index
    }

    /// The items that an entry with this base key may be, each once.
    fn group(&self, basis: Basis, base: &str, entry: &Entry<'_>) -> Vec<usize> {
        let with_base = |base: &str| {
            let exact = self.by_key.get(base).copied();
            let extended = self.by_base.get(base).map_or(&[][..], Vec::as_slice);
            exact.into_iter().chain(extended.iter().copied())
        };
        let mut group: Vec<usize> = with_base(base).collect();
        match (basis, &entry.url, &entry.guid) {
            // Also those that were stored when the feed's ids were trusted.
            (Basis::Url, Some(url), _) => {
                group.extend(self.by_url.get(url.as_str()).into_iter().flatten());
            }
            (Basis::Content, _, Some(guid)) => group.extend(with_base(guid)),
            _ => {}
        }
        group.sort_unstable();
        group.dedup();
        group
    }

    fn source(&self, key: &str) -> Option<Source> {
        let place = self.by_key.get(key)?;
        Some(self.stored[*place].source)
    }
}

/// Ids that are made anew at each fetch come with addresses that are known: most entries are alone at
/// their address, and what was there before is gone with its id.
fn guids_are_made_anew(entries: &[Entry<'_>], index: &Index<'_>) -> bool {
    let mut entries_at: HashMap<&str, usize> = HashMap::new();
    for url in entries.iter().filter_map(Entry::url_key) {
        *entries_at.entry(url).or_default() += 1;
    }
    let guids: HashSet<&str> = entries
        .iter()
        .filter_map(|entry| entry.guid.as_deref())
        .collect();
    let (mut with_guid, mut renamed) = (0, 0);
    for entry in entries {
        let Some(guid) = entry.guid.as_deref() else {
            continue;
        };
        with_guid += 1;
        if index.by_key.contains_key(guid) || index.by_base.contains_key(guid) {
            continue;
        }
        let url = entry.url_key().filter(|url| entries_at[url] == 1);
        let before = url.and_then(|url| index.by_url.get(url));
        let is_renamed = before.is_some_and(|before| {
            let mut keys = before.iter().map(|place| index.stored[*place].key.as_str());
            keys.all(|key| !guids.contains(key))
        });
        renamed += usize::from(is_renamed);
    }
    renamed >= MIN_RENAMED && renamed * 2 > with_guid
}

/// Keys for the entries of one document, under a given trust.
#[derive(Default)]
struct Assigned {
    keys: Vec<String>,
    extended: Vec<(String, String)>,
    collisions: i64,
    shares_keys: bool,
}

fn assign(entries: &[Entry<'_>], index: &Index<'_>, trust: Trust) -> Assigned {
    let mut groups: Vec<(Basis, String, Vec<usize>)> = Vec::new();
    let mut group_of: HashMap<String, usize> = HashMap::with_capacity(entries.len());
    for (place, entry) in entries.iter().enumerate() {
        let (basis, base) = entry.base(trust);
        match group_of.get(&base) {
            Some(group) => groups[*group].2.push(place),
            None => {
                group_of.insert(base.clone(), groups.len());
                groups.push((basis, base, vec![place]));
            }
        }
    }
    // Ids before addresses: an item that has its id in the document belongs to no other entry.
    groups.sort_by_key(|(basis, ..)| *basis);
    let mut assigned = Assigned {
        keys: vec![String::new(); entries.len()],
        ..Assigned::default()
    };
    let mut taken = HashSet::new();
    for (basis, base, places) in groups {
        let mut stored = index.group(basis, &base, &entries[places[0]]);
        stored.retain(|place| !taken.contains(place));
        // The usual case, and the one that has to be quick.
        if let ([place], [found]) = (places.as_slice(), stored.as_slice())
            && index.stored[*found].hash() == Some(entries[*place].hash)
        {
            assigned.shares_keys |= index.stored[*found].is_extended();
            assigned.keys[*place].clone_from(&index.stored[*found].key);
            taken.insert(*found);
            continue;
        }
        let group = Group::new(basis, base, &places, entries, &stored, index);
        taken.extend(group.assign(&mut assigned));
    }
    assigned
}
