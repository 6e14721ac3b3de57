//! Sites whose feed URLs can be derived from the page URL alone.

use lede_model::address::WebUrl;

use super::{Candidate, FeedKind};

/// First path segments on `github.com` that are not accounts.
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

/// Returns the feeds of a page on a known site, best first; empty for other sites.
///
/// A YouTube handle (`/@name`) identifies no feed: the page must be fetched, and declares one.
pub fn known_sites(url: &WebUrl) -> Vec<Candidate> {
    let parts = parts(url);
    let found = match bare_host(url) {
        "youtube.com" | "m.youtube.com" => youtube(url, &parts),
        "github.com" => github(&parts),
        host if is_reddit(host) => reddit(&parts),
        _ => mastodon(url, &parts),
    };
    candidates(found, url)
}

/// Returns those of [`known_sites`] that are certain enough that the page need not be fetched
/// first. Excluded are Mastodon, since any site may have such URLs, and pages deep inside GitHub,
/// which may have feeds of their own.
pub fn sure_sites(url: &WebUrl) -> Vec<Candidate> {
    let parts = parts(url);
    let is_sure = match bare_host(url) {
        "youtube.com" | "m.youtube.com" => true,
        "github.com" => matches!(
            parts.as_slice(),
            [_] | [_, _] | [_, _, "releases" | "tags"] | [_, _, "commits", ..]
        ),
        host => is_reddit(host),
    };
    // A URL that is a feed already is fetched as it is.
    if !is_sure || url.as_url().path().ends_with(".atom") {
        return Vec::new();
    }
    known_sites(url)
}

/// Returns the separate feeds of a YouTube channel (videos, shorts, live streams) for the URL of
/// its feed, which mixes all of them.
pub fn youtube_parts(feed: &WebUrl) -> Vec<Candidate> {
    if bare_host(feed) != "youtube.com" || feed.as_url().path() != "/feeds/videos.xml" {
        return Vec::new();
    }
    let channel = feed
        .as_url()
        .query_pairs()
        .find(|(name, _)| name == "channel_id");
    let parts = channel.map(|(_, id)| parts_of_channel(&id));
    candidates(parts.unwrap_or_default(), feed)
}

/// URL and title of a feed.
type SiteFeed = (String, Option<&'static str>);

fn candidates(found: Vec<SiteFeed>, url: &WebUrl) -> Vec<Candidate> {
    found
        .into_iter()
        .filter_map(|(text, title)| Some((WebUrl::parse(&text).ok()?, title)))
        .filter(|(feed, _)| feed != url)
        .map(|(url, title)| Candidate {
            url,
            title: title.map(str::to_owned),
            kind: FeedKind::Unknown,
        })
        .collect()
}

fn bare_host(url: &WebUrl) -> &str {
    let host = url.host();
    host.strip_prefix("www.").unwrap_or(host)
}

fn is_reddit(host: &str) -> bool {
    matches!(
        host,
        "reddit.com" | "old.reddit.com" | "np.reddit.com" | "new.reddit.com"
    )
}

fn parts(url: &WebUrl) -> Vec<&str> {
    let path = url.as_url().path();
    path.split('/').filter(|part| !part.is_empty()).collect()
}

const YOUTUBE_FEED: &str = "https://www.youtube.com/feeds/videos.xml";

fn youtube(url: &WebUrl, parts: &[&str]) -> Vec<SiteFeed> {
    let query = |name: &str| {
        url.as_url()
            .query_pairs()
            .find(|(key, value)| key == name && is_id(value))
            .map(|(_, value)| value.into_owned())
    };
    match parts {
        ["channel", id, ..] if is_id(id) => {
            let whole = (format!("{YOUTUBE_FEED}?channel_id={id}"), None);
            [whole].into_iter().chain(parts_of_channel(id)).collect()
        }
        ["user", name, ..] if is_id(name) => vec![(format!("{YOUTUBE_FEED}?user={name}"), None)],
        ["playlist" | "watch", ..] => query("list")
            .map(|list| (format!("{YOUTUBE_FEED}?playlist_id={list}"), None))
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}

/// Returns the playlists that YouTube maintains for each channel, whose names are derived from its
/// id.
fn parts_of_channel(id: &str) -> Vec<SiteFeed> {
    let Some(rest) = id
        .strip_prefix("UC")
        .filter(|rest| rest.len() == 22 && is_id(rest))
    else {
        return Vec::new();
    };
    [
        ("UULF", "Videos"),
        ("UUSH", "Shorts"),
        ("UULV", "Live streams"),
    ]
    .map(|(prefix, title)| {
        let feed = format!("{YOUTUBE_FEED}?playlist_id={prefix}{rest}");
        (feed, Some(title))
    })
    .into()
}

fn github(parts: &[&str]) -> Vec<SiteFeed> {
    let feed = |path: String| format!("https://github.com/{path}.atom");
    match parts {
        [owner, ..] if GITHUB_PAGES.contains(owner) || !is_id(owner) => Vec::new(),
        [owner] => vec![(feed((*owner).to_owned()), None)],
        [_, repository, ..] if !is_id(repository) => Vec::new(),
        [owner, repository, "commits", rest @ ..] if !rest.is_empty() => {
            let rest = rest.join("/");
            let rest = rest.trim_end_matches(".atom");
            vec![(feed(format!("{owner}/{repository}/commits/{rest}")), None)]
        }
        [owner, repository, "tags"] => vec![(feed(format!("{owner}/{repository}/tags")), None)],
        [owner, repository, ..] => [("releases", "Releases"), ("commits", "Commits")]
            .map(|(what, title)| (feed(format!("{owner}/{repository}/{what}")), Some(title)))
            .into(),
        [] => Vec::new(),
    }
}

fn reddit(parts: &[&str]) -> Vec<SiteFeed> {
    let found = match parts {
        [] => "https://www.reddit.com/.rss".to_owned(),
        [.., last] if last.ends_with(".rss") => return Vec::new(),
        ["r" | "u" | "user", ..] => {
            format!("https://www.reddit.com/{}/.rss", parts.join("/"))
        }
        _ => return Vec::new(),
    };
    vec![(found, None)]
}

/// Recognises `https://any.host/@name`: Mastodon and compatible servers.
fn mastodon(url: &WebUrl, parts: &[&str]) -> Vec<SiteFeed> {
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
        .map(|feed| (feed.as_str().to_owned(), None))
        .into_iter()
        .collect()
}

/// Returns `true` if `text` consists of the characters of ids and account names, none of which is
/// special in a URL.
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
            let found: Vec<&str> = found.iter().map(|found| found.url.as_str()).collect();
            assert_eq!(found, expected, "{url}");
        }
    }

    #[test]
    fn a_youtube_channel_offers_its_parts() {
        let id = "abcdefghijklmnopqrstuv";
        let address = format!("https://www.youtube.com/channel/UC{id}/videos");
        let found = known_sites(&WebUrl::parse(&address).unwrap());
        let whole = format!("{YOUTUBE_FEED}?channel_id=UC{id}");
        let parts = [
            ("UULF", "Videos"),
            ("UUSH", "Shorts"),
            ("UULV", "Live streams"),
        ];
        assert_eq!(found[0].url.as_str(), whole);
        for (part, (prefix, title)) in found[1..].iter().zip(parts) {
            let feed = format!("{YOUTUBE_FEED}?playlist_id={prefix}{id}");
            assert_eq!(part.url.as_str(), feed);
            assert_eq!(part.title.as_deref(), Some(title));
        }
        assert_eq!(youtube_parts(&found[0].url), found[1..]);
        for other in [
            "https://www.youtube.com/feeds/videos.xml?user=some",
            "https://example.org/feeds/videos.xml?channel_id=UCabcdefghijklmnopqrstuv",
        ] {
            assert_eq!(youtube_parts(&WebUrl::parse(other).unwrap()), []);
        }
    }

    #[test]
    fn only_what_is_sure_is_tried_before_the_page() {
        for (url, is_sure) in [
            ("https://github.com/rust-lang/rust", true),
            ("https://github.com/rust-lang/rust/commits/master", true),
            ("https://github.com/rust-lang/rust/releases.atom", false),
            ("https://github.com/rust-lang.atom", false),
            ("https://github.com/rust-lang/rust/discussions", false),
            ("https://www.reddit.com/r/rust", true),
            ("https://www.reddit.com/r/rust/.rss", false),
            ("https://www.youtube.com/feeds/videos.xml?user=x", false),
            ("https://www.youtube.com/user/some", true),
            ("https://www.youtube.com/@handle", false),
            ("https://mastodon.social/@somebody", false),
            ("https://medium.com/@somebody", false),
        ] {
            let found = sure_sites(&WebUrl::parse(url).unwrap());
            assert_eq!(!found.is_empty(), is_sure, "{url}");
        }
    }
}
