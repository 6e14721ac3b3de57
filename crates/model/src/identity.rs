//! Which known item a fetched one is (hardening 12).
//!
//! Always within one feed: the publisher's id, else the address, else the text. An item is kept
//! under one key, a string with a prefix per kind, so that one unique index serves all three and an
//! id that looks like an address cannot meet one. Whether a feed's ids can be trusted is learnt
//! from what it does with them, and remembered.

use std::collections::{HashMap, HashSet};

use crate::content::ContentHash;
use crate::item::CleanItem;

/// Longest publisher's id that is kept as it is; a longer one is kept as its hash.
const MAX_GUID_BYTES: usize = 2048;
/// Times that a feed may give one id to two addresses before its ids count for nothing.
const MAX_COLLISIONS: i64 = 3;

/// Known addresses with new ids in one fetch that are more than chance.
const MIN_RENAMED: i64 = 3;

/// What tells a fetched item from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks {
    guid: Option<String>,
    url: Option<String>,
    content: String,
}

impl Marks {
    /// Reads them off an item.
    pub fn of(item: &CleanItem) -> Self {
        // Rows hold no NUL, and a row is found again by its key.
        let guid = item.guid.as_deref().map(|guid| guid.replace('\0', ""));
        Self {
            guid: guid.map(|guid| match guid.len() <= MAX_GUID_BYTES {
                true => format!("g:{guid}"),
                false => format!("h:{}", hex(ContentHash::of([guid.as_str()]).as_bytes())),
            }),
            url: item.url.as_ref().map(|url| url.identity_key()),
            content: format!("c:{}", hex(item.hash.as_bytes())),
        }
    }

    /// The address as it is compared, to be stored beside the key.
    pub fn url_key(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Every key that the item might be known under.
    pub fn possible_keys(&self) -> impl Iterator<Item = String> {
        let by_url = self.url.as_ref().map(|url| format!("u:{url}"));
        self.guid
            .clone()
            .into_iter()
            .chain(by_url)
            .chain([self.content.clone()])
    }
}

/// An item that the feed had before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The key it is kept under.
    pub key: String,
    /// Its address as it is compared.
    pub url_key: Option<String>,
}

/// How far a feed's ids and addresses can be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trust {
    /// Its ids tell items apart. Once lost, this stays lost until an operator resets it.
    pub guids: bool,
    /// How often it gave one id to two addresses.
    pub collisions: i64,
    /// Its addresses tell items apart; off for live blogs that keep one address.
    pub urls: bool,
}

impl Default for Trust {
    fn default() -> Self {
        Self {
            guids: true,
            collisions: 0,
            urls: true,
        }
    }
}

/// The key for each item, in their order, and what was learnt about the feed. Known items get the
/// key they are kept under.
pub fn identify(items: &[Marks], known: &[Known], trust: Trust) -> (Vec<String>, Trust) {
    let by_key: HashMap<&str, &Known> =
        known.iter().map(|item| (item.key.as_str(), item)).collect();
    let by_url: HashMap<&str, &Known> = known
        .iter()
        .filter_map(|item| Some((item.url_key.as_deref()?, item)))
        .collect();
    let trust = learn(items, &by_key, &by_url, trust);
    let mut given: HashMap<String, Option<&str>> = HashMap::new();
    let keys = items.iter().map(|item| {
        let mut key = key_of(item, &by_key, &by_url, trust);
        match given.get(&key) {
            // One id for two addresses within one document: both items are real.
            Some(url) if item.guid.as_ref() == Some(&key) && *url != item.url_key() => {
                key = format!("{key}\n{}", item.url_key().unwrap_or_default());
            }
            _ => {}
        }
        given.entry(key.clone()).or_insert(item.url_key());
        key
    });
    let keys = keys.collect();
    (keys, trust)
}

fn key_of(
    item: &Marks,
    by_key: &HashMap<&str, &Known>,
    by_url: &HashMap<&str, &Known>,
    trust: Trust,
) -> String {
    if let (Some(guid), true) = (&item.guid, trust.guids) {
        // Equal addresses under different trusted ids stay apart: that is how live blogs are made.
        return guid.clone();
    }
    if let (Some(url), true) = (&item.url, trust.urls) {
        return by_url
            .get(url.as_str())
            .map_or_else(|| format!("u:{url}"), |known| known.key.clone());
    }
    match &item.guid {
        Some(guid) if by_key.contains_key(guid.as_str()) => guid.clone(),
        _ => item.content.clone(),
    }
}

/// What this fetch says about the feed's ids.
fn learn(
    items: &[Marks],
    by_key: &HashMap<&str, &Known>,
    by_url: &HashMap<&str, &Known>,
    trust: Trust,
) -> Trust {
    if !trust.guids {
        return trust;
    }
    let mut items_at: HashMap<&str, i64> = HashMap::new();
    for url in items.iter().filter_map(Marks::url_key) {
        *items_at.entry(url).or_default() += 1;
    }
    let guids: HashSet<&str> = items
        .iter()
        .filter_map(|item| item.guid.as_deref())
        .collect();
    let (mut with_guid, mut renamed, mut found, mut elsewhere) = (0, 0, 0, 0);
    for item in items {
        let Some(guid) = &item.guid else { continue };
        with_guid += 1;
        let url = item.url.as_deref();
        match by_key.get(guid.as_str()) {
            Some(known) => {
                found += 1;
                let both = url.zip(known.url_key.as_deref());
                elsewhere += i64::from(both.is_some_and(|(now, before)| now != before));
            }
            None => {
                // Its address is its own, and what was there before is gone under its old id.
                let before = url
                    .filter(|url| items_at[url] == 1)
                    .and_then(|url| by_url.get(url));
                renamed +=
                    i64::from(before.is_some_and(|known| !guids.contains(known.key.as_str())));
            }
        }
    }
    // A site that moved changes every address at once, and its ids are what holds; only single
    // items that change theirs are one id given to two things.
    let collisions = trust.collisions + if elsewhere * 2 > found { 0 } else { elsewhere };
    // Ids that are made anew at each fetch come with addresses that are known.
    let are_made_anew = renamed >= MIN_RENAMED && renamed * 2 > with_guid;
    Trust {
        guids: collisions < MAX_COLLISIONS && !are_made_anew,
        collisions,
        ..trust
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::WebUrl;
    use crate::content::CleanHtml;

    fn item(guid: Option<&str>, url: Option<&str>) -> Marks {
        Marks::of(&CleanItem {
            guid: guid.map(str::to_owned),
            url: url.map(|url| WebUrl::parse(url).unwrap()),
            title: "t".into(),
            author: None,
            html: CleanHtml::default(),
            excerpt: String::new(),
            published_at: None,
            hash: ContentHash::of(["t"]),
        })
    }

    fn known(items: &[Marks], keys: &[String]) -> Vec<Known> {
        let pairs = items.iter().zip(keys);
        pairs
            .map(|(item, key)| Known {
                key: key.clone(),
                url_key: item.url_key().map(str::to_owned),
            })
            .collect()
    }

    /// The keys of a second fetch after a first one, and what was learnt.
    fn after(first: &[Marks], second: &[Marks], trust: Trust) -> (Vec<String>, Vec<String>, Trust) {
        let (before, _) = identify(first, &[], trust);
        let (now, trust) = identify(second, &known(first, &before), trust);
        (before, now, trust)
    }

    #[test]
    fn the_id_counts_before_the_address_and_the_address_before_the_text() {
        let keys = identify(
            &[
                item(Some("7"), Some("https://a.org/x")),
                item(None, Some("https://a.org/y/?utm_source=f")),
                item(None, None),
            ],
            &[],
            Trust::default(),
        )
        .0;
        assert_eq!(keys[..2], ["g:7", "u:a.org/y"]);
        assert!(keys[2].starts_with("c:"));
    }

    #[test]
    fn an_endless_id_is_kept_as_its_hash() {
        let long = "x".repeat(MAX_GUID_BYTES + 1);
        assert_eq!(
            identify(&[item(Some(&long), None)], &[], Trust::default()).0[0].len(),
            2 + 64
        );
    }

    #[test]
    fn one_address_under_several_trusted_ids_is_several_items() {
        let blog = ["1", "2", "3"].map(|guid| item(Some(guid), Some("https://a.org/live")));
        let (keys, trust) = identify(&blog, &[], Trust::default());
        assert_eq!(keys, ["g:1", "g:2", "g:3"]);
        assert!(trust.guids);
    }

    #[test]
    fn a_live_blog_that_lists_only_its_newest_entry_keeps_the_others_apart() {
        let entry = |guid: &str| [item(Some(guid), Some("https://a.org/live"))];
        let (before, now, trust) = after(&entry("1"), &entry("2"), Trust::default());
        assert_ne!(now, before);
        assert!(trust.guids);
    }

    #[test]
    fn ids_that_are_made_anew_each_time_are_seen_through() {
        let fetch = |turn: &str| {
            ["x", "y", "z"].map(|path| {
                item(
                    Some(&format!("{turn}{path}")),
                    Some(&format!("https://a.org/{path}")),
                )
            })
        };
        let (before, now, trust) = after(&fetch("first"), &fetch("second"), Trust::default());
        assert_eq!(now, before, "the same three items");
        assert!(!trust.guids, "and this is remembered");
        let (third, _) = identify(&fetch("third"), &known(&fetch("first"), &before), trust);
        assert_eq!(third, before);
    }

    #[test]
    fn a_site_that_moves_keeps_its_items_by_their_ids() {
        let at = |host: &str| {
            ["1", "2", "3", "4"]
                .map(|guid| item(Some(guid), Some(&format!("https://{host}/{guid}"))))
        };
        let (before, now, trust) = after(&at("old.org"), &at("new.org"), Trust::default());
        assert_eq!(now, before);
        assert_eq!(trust, Trust::default());
    }

    #[test]
    fn one_id_for_several_addresses_loses_its_worth_the_third_time() {
        let stable = ["a", "b", "c", "d", "e", "f", "g"]
            .map(|guid| item(Some(guid), Some(&format!("https://a.org/{guid}"))));
        let mut trust = Trust::default();
        for turn in 1..=3 {
            let mut first = stable.to_vec();
            first.push(item(
                Some("latest"),
                Some(&format!("https://a.org/post-{turn}")),
            ));
            let mut second = stable.to_vec();
            second.push(item(
                Some("latest"),
                Some(&format!("https://a.org/post-{}", turn + 1)),
            ));
            trust = after(&first, &second, trust).2;
            assert_eq!(trust.guids, turn < 3, "after {turn}");
        }
    }

    #[test]
    fn one_id_twice_in_a_document_is_two_items() {
        let keys = identify(
            &[
                item(Some("1"), Some("https://a.org/x")),
                item(Some("1"), Some("https://a.org/y")),
            ],
            &[],
            Trust::default(),
        )
        .0;
        assert_ne!(keys[0], keys[1]);
    }

    #[test]
    fn http_and_https_are_one_address() {
        let (before, now, _) = after(
            &[item(None, Some("http://a.org/x"))],
            &[item(None, Some("https://a.org/x"))],
            Trust::default(),
        );
        assert_eq!(now, before);
    }

    #[test]
    fn a_feed_may_keep_one_address_for_many_items() {
        let trust = Trust {
            urls: false,
            ..Trust::default()
        };
        let keys = identify(&[item(None, Some("https://a.org/live"))], &[], trust).0;
        assert!(keys[0].starts_with("c:"), "{keys:?}");
    }
}
