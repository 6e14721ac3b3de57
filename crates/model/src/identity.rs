//! Which known item a fetched one is.
//!
//! Always within one feed: the publisher's id, else the address, else the text (hardening 12.1).
//! The key is one string with a prefix per kind, so that one unique index serves all three and
//! an id that looks like an address cannot meet one. Feeds whose ids proved unreliable are not
//! told apart yet.

use crate::item::CleanItem;

/// Longest publisher's id that is kept as it is; a longer one is kept as its hash.
const MAX_GUID_BYTES: usize = 2048;

/// The key under which `item` is known in its feed.
pub fn key(item: &CleanItem) -> String {
    match (&item.guid, &item.url) {
        (Some(guid), _) if guid.len() <= MAX_GUID_BYTES => format!("g:{guid}"),
        (Some(guid), _) => format!(
            "h:{}",
            hex(crate::content::ContentHash::of([guid.as_str()]).as_bytes())
        ),
        (None, Some(url)) => format!("u:{}", url.identity_key()),
        (None, None) => format!("c:{}", hex(item.hash.as_bytes())),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::WebUrl;
    use crate::content::{CleanHtml, ContentHash};

    fn item(guid: Option<&str>, url: Option<&str>) -> CleanItem {
        CleanItem {
            guid: guid.map(str::to_owned),
            url: url.map(|url| WebUrl::parse(url).unwrap()),
            title: "t".into(),
            author: None,
            html: CleanHtml::default(),
            excerpt: String::new(),
            published_at: None,
            hash: ContentHash::of(["t"]),
        }
    }

    #[test]
    fn the_id_counts_before_the_address_and_the_address_before_the_text() {
        assert_eq!(key(&item(Some("7"), Some("https://a.org/x"))), "g:7");
        assert_eq!(
            key(&item(None, Some("https://a.org/x/?utm_source=f"))),
            "u:a.org/x"
        );
        assert!(key(&item(None, None)).starts_with("c:"));
    }

    #[test]
    fn an_endless_id_is_kept_as_its_hash() {
        let long = "x".repeat(MAX_GUID_BYTES + 1);
        assert_eq!(key(&item(Some(&long), None)).len(), 2 + 64);
    }
}
