//! Sites whose feeds follow from the address alone.

use lede_model::address::WebUrl;

/// Names below `github.com` that are no accounts.
const GITHUB_PAGES: [&str; 14] = [
    "about",
    "apps",
    "collections",
    "enterprise",
    "explore",
    "features",
    "issues",
    "login",
    "marketplace",
    "orgs",
    "pulls",
    "settings",
    "sponsors",
    "topics",
];

/// The feeds of a page on a site that is known to have them, best first; empty for other sites.
///
/// A YouTube handle (`/@name`) names no feed: the page has to be read, and declares one.
pub fn known_sites(url: &WebUrl) -> Vec<WebUrl> {
    let host = url.host();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let path = url.as_url().path();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let found = match host {
        "youtube.com" | "m.youtube.com" => youtube(url, &parts),
        "github.com" => github(&parts),
        "reddit.com" | "old.reddit.com" | "np.reddit.com" | "new.reddit.com" => reddit(&parts),
        _ => mastodon(url, &parts),
    };
    found
        .iter()
        .filter_map(|text| WebUrl::parse(text).ok())
        .filter(|feed| feed != url)
        .collect()
}

fn youtube(url: &WebUrl, parts: &[&str]) -> Vec<String> {
    const FEED: &str = "https://www.youtube.com/feeds/videos.xml";
    let query = |name: &str| {
        url.as_url()
            .query_pairs()
            .find(|(key, value)| key == name && is_id(value))
            .map(|(_, value)| value.into_owned())
    };
    match parts {
        ["channel", id, ..] if is_id(id) => vec![format!("{FEED}?channel_id={id}")],
        ["user", name, ..] if is_id(name) => vec![format!("{FEED}?user={name}")],
        ["playlist" | "watch", ..] => query("list")
            .map(|list| format!("{FEED}?playlist_id={list}"))
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}

fn github(parts: &[&str]) -> Vec<String> {
    match parts {
        [owner, ..] if GITHUB_PAGES.contains(owner) || !is_id(owner) => Vec::new(),
        [owner] => vec![format!("https://github.com/{owner}.atom")],
        [_, repository, ..] if !is_id(repository) => Vec::new(),
        [owner, repository, "commits", rest @ ..] if !rest.is_empty() => {
            let rest = rest.join("/");
            let rest = rest.trim_end_matches(".atom");
            vec![format!(
                "https://github.com/{owner}/{repository}/commits/{rest}.atom"
            )]
        }
        [owner, repository, "tags"] => {
            vec![format!("https://github.com/{owner}/{repository}/tags.atom")]
        }
        [owner, repository, ..] => ["releases", "commits"]
            .iter()
            .map(|what| format!("https://github.com/{owner}/{repository}/{what}.atom"))
            .collect(),
        [] => Vec::new(),
    }
}

fn reddit(parts: &[&str]) -> Vec<String> {
    match parts {
        [] => vec!["https://www.reddit.com/.rss".to_owned()],
        [.., last] if last.ends_with(".rss") => Vec::new(),
        ["r" | "u" | "user", ..] => {
            vec![format!("https://www.reddit.com/{}/.rss", parts.join("/"))]
        }
        _ => Vec::new(),
    }
}

/// `https://any.host/@name`: Mastodon and what speaks like it.
fn mastodon(url: &WebUrl, parts: &[&str]) -> Vec<String> {
    let name = match parts {
        [name] | [name, "with_replies" | "media"] => name,
        _ => return Vec::new(),
    };
    let is_local = name
        .strip_prefix('@')
        .is_some_and(|name| !name.contains(['@', '.']) && is_id(name));
    if !is_local {
        return Vec::new();
    }
    url.join(&format!("/{name}.rss"))
        .map(|feed| feed.as_str().to_owned())
        .into_iter()
        .collect()
}

/// Letters that ids and account names are made of: nothing that means something in an address.
fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 100
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_feed_follows_from_the_address() {
        for (url, expected) in [
            (
                "https://www.youtube.com/channel/UC123",
                &["https://www.youtube.com/feeds/videos.xml?channel_id=UC123"][..],
            ),
            (
                "https://youtube.com/user/some",
                &["https://www.youtube.com/feeds/videos.xml?user=some"],
            ),
            (
                "https://www.youtube.com/playlist?list=PL1",
                &["https://www.youtube.com/feeds/videos.xml?playlist_id=PL1"],
            ),
            (
                "https://www.youtube.com/watch?v=x&list=PL1",
                &["https://www.youtube.com/feeds/videos.xml?playlist_id=PL1"],
            ),
            ("https://www.youtube.com/@handle", &[]),
            ("https://www.youtube.com/channel/a%26b", &[]),
            (
                "https://github.com/rust-lang/rust",
                &[
                    "https://github.com/rust-lang/rust/releases.atom",
                    "https://github.com/rust-lang/rust/commits.atom",
                ],
            ),
            (
                "https://github.com/rust-lang/rust/commits/master",
                &["https://github.com/rust-lang/rust/commits/master.atom"],
            ),
            (
                "https://github.com/rust-lang",
                &["https://github.com/rust-lang.atom"],
            ),
            ("https://github.com/topics/rss", &[]),
            (
                "https://www.reddit.com/r/rust/",
                &["https://www.reddit.com/r/rust/.rss"],
            ),
            (
                "https://old.reddit.com/user/me",
                &["https://www.reddit.com/user/me/.rss"],
            ),
            ("https://www.reddit.com/r/rust/.rss", &[]),
            (
                "https://mastodon.social/@somebody",
                &["https://mastodon.social/@somebody.rss"],
            ),
            ("https://mastodon.social/@some@other.host", &[]),
            ("https://mastodon.social/@somebody.rss", &[]),
            ("https://example.org/blog", &[]),
        ] {
            let found = known_sites(&WebUrl::parse(url).unwrap());
            let found: Vec<&str> = found.iter().map(WebUrl::as_str).collect();
            assert_eq!(found, expected, "{url}");
        }
    }
}
