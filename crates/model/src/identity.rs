//! Item identity: decides which stored item a fetched entry is.
//!
//! Identity is decided within one feed. An entry has a *base key*: the publisher's id if the feed's
//! ids can be trusted, else the address without its fragment, else a hash of the content. Each kind
//! has its own prefix, so that one unique index serves all three and an id that looks like an
//! address cannot collide with one.
//!
//! Publishers reuse one id or one address for many entries. Two entries of one document that differ
//! in link, title, text or enclosures are still two items. Entries and stored items that share a
//! base key form a group. Inside it they are paired by evidence ([`pairing`]) and not by recomputed
//! keys, so that documents may grow, shrink, be reordered or get new dates. Every item of a group
//! with several items has an *extended key*: the base key and a line that distinguishes it from the
//! others, which is its link, else its title and date, else its content. A key is chosen once and
//! never changes. It is compared again only for removed items, of which only the key is left.
//!
//! Without enough evidence, an entry becomes a new item: a duplicate is a nuisance, but an item
//! that is overwritten by another one is lost.

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

/// Maximum length of a publisher's id that is stored verbatim; a longer one is stored as its hash.
const MAX_GUID_BYTES: usize = 2048;
/// Maximum length of a key with a verbatim link as its extension; beyond that the link is hashed.
/// PostgreSQL refuses index entries over 2,704 bytes.
const MAX_LINKED_BYTES: usize = 2400;
/// Number of collisions after which a feed's ids are no longer trusted.
const MAX_COLLISIONS: i64 = 3;
/// Number of known addresses with new ids in one fetch from which on it is not a coincidence.
const MIN_RENAMED: usize = 3;
/// Separates a base key from its extension.
const EXTENDS: char = '\n';
/// Prefixes of extensions that are not links.
const BY_TITLE: &str = "t:";
const BY_CONTENT: &str = "c:";

/// The parts of a fetched entry that identify its item.
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
    /// Collects the identifying parts of an item; `hash` covers everything that is stored of it.
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

    /// Returns the address in comparison form, which is stored beside the key.
    pub fn url_key(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Returns the base key that applies while the feed's ids are trusted.
    pub fn guid_key(&self) -> Option<&str> {
        self.guid.as_deref()
    }

    /// Returns every base key that the item might be stored under.
    pub fn possible_keys(&self) -> impl Iterator<Item = String> {
        let guid = self.guid.clone().into_iter();
        let url = self.url.as_deref().map(url_key).into_iter();
        guid.chain(url).chain([content_key(self.item)])
    }

    fn base(&self, trust: IdReliability) -> (Basis, String) {
        match (&self.guid, &self.url) {
            (Some(guid), _) if trust.guids => (Basis::Guid, guid.clone()),
            (_, Some(url)) if trust.urls => (Basis::Url, url_key(url)),
            _ => (Basis::Content, content_key(self.item)),
        }
    }

    fn link(&self) -> Link<'_> {
        (self.url.as_deref(), self.fragment)
    }

    /// Returns a hash that is equal for entries of one document that are the same item.
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

/// Returns every base key that an item might be stored under, in this instance or in another one.
pub fn possible_keys(item: &CleanItem) -> impl Iterator<Item = String> {
    let url = item.url.as_ref().map(|url| url_key(&url.identity_key()));
    let keys = guid_key(item).into_iter().chain(url);
    keys.chain([content_key(item)])
}

fn guid_key(item: &CleanItem) -> Option<String> {
    // Rows cannot hold NUL, and the row must be found again by its key.
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

/// An address in comparison form, and its fragment.
type Link<'a> = (Option<&'a str>, Option<&'a str>);

/// An item of the feed that is already stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredItem {
    pub key: String,
    /// Its address in comparison form.
    pub url_key: Option<String>,
    /// The fragment of its address.
    pub fragment: Option<String>,
    /// Empty for a removed item.
    pub title: String,
    /// Date given by the publisher.
    pub published_at: Option<Timestamp>,
    pub source: Source,
}

/// Origin of a stored item's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The feed, with the hash of everything that is stored of the item.
    Feed(ContentHash),
    /// A user's import. It is no evidence of the feed's behaviour: the feed's own entry replaces it.
    Import,
    /// None: the item was removed, and only its key is left.
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

    /// Returns `true` if other items had its link when its key was chosen.
    fn shares_link(&self) -> bool {
        self.key
            .rsplit_once(EXTENDS)
            .is_some_and(|(_, by)| by.starts_with(BY_TITLE) || by.starts_with(BY_CONTENT))
    }
}

/// The degree to which a feed's ids and addresses can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdReliability {
    /// The feed's ids distinguish items. Once lost, this stays lost until an operator resets it.
    pub guids: bool,
    /// Number of times that an id came back with another link and another title.
    pub collisions: i64,
    /// The feed's addresses distinguish items; off for live blogs, which have a single address.
    pub urls: bool,
    /// Some items of the feed share a base key, and have extended keys.
    pub shares_keys: bool,
}

impl Default for IdReliability {
    fn default() -> Self {
        Self {
            guids: true,
            collisions: 0,
            urls: true,
            shares_keys: false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identified {
    /// The key of each entry, in their order. Entries that are the same item have the same key.
    pub keys: Vec<String>,
    /// Stored items whose base key turned out to be shared: their present key, and the extended one
    /// that replaces it.
    pub extended: Vec<(String, String)>,
    /// The trust after this fetch.
    pub trust: IdReliability,
}

/// Finds the key of each entry of one document. `stored` must contain at least:
///
/// - the items and removed items with a possible key of an entry;
/// - the items with the address of an entry, unless `trust.guids` is set and its id is among the
///   former;
/// - all items with extended keys, if `trust.shares_keys` is set.
///
/// If the result sets `shares_keys` or clears `guids` for the first time, the caller must load the
/// items that these conditions left out and call this again.
pub fn identify(entries: &[Entry<'_>], stored: &[StoredItem], trust: IdReliability) -> Identified {
    let index = Index::of(stored);
    let are_made_anew = trust.guids && guids_are_made_anew(entries, &index);
    let trust = IdReliability {
        guids: trust.guids && !are_made_anew,
        ..trust
    };
    let mut assigned = assign(entries, &index, trust);
    let mut trust = IdReliability {
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

/// Kinds of base keys, most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Basis {
    Guid,
    Url,
    Content,
}

/// Stored items by everything that an entry may match.
struct Index<'a> {
    stored: &'a [StoredItem],
    by_key: HashMap<&'a str, usize>,
    /// By each possible base of an extended key: ids may contain line breaks themselves, so there
    /// can be several.
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

    /// Returns the distinct items that an entry with this base key may be.
    fn group(&self, basis: Basis, base: &str, entry: &Entry<'_>) -> Vec<usize> {
        let with_base = |base: &str| {
            let exact = self.by_key.get(base).copied();
            let extended = self.by_base.get(base).map_or(&[][..], Vec::as_slice);
            exact.into_iter().chain(extended.iter().copied())
        };
        let mut group: Vec<usize> = with_base(base).collect();
        match (basis, &entry.url, &entry.guid) {
            // Also the items that were stored while the feed's ids were trusted.
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

/// Returns `true` if the publisher generates new ids at each fetch: most entries have a known
/// address that no other entry has, and the id stored for that address is no longer in the document.
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

fn assign(entries: &[Entry<'_>], index: &Index<'_>, trust: IdReliability) -> Assigned {
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
    // Ids before addresses: an item whose id is in the document belongs to no other entry.
    groups.sort_by_key(|(basis, ..)| *basis);
    let mut assigned = Assigned {
        keys: vec![String::new(); entries.len()],
        ..Assigned::default()
    };
    let mut taken = HashSet::new();
    for (basis, base, places) in groups {
        let mut stored = index.group(basis, &base, &entries[places[0]]);
        stored.retain(|place| !taken.contains(place));
        // Fast path for the usual case, an unchanged entry.
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
