//! The sites that are embedded most often: their names, and the page that shows the same content as
//! the player.
//!
//! A page is better than the address of a player: it has a title, comments and a way to the author,
//! and an application on a phone opens it. If a site has no rule here, the card links to the
//! player.

use lede_model::address::WebUrl;
use url::Url;

/// Site of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Site {
    /// Common name, or the host.
    pub(super) name: String,
    /// Page with the content of the player at the address, if it can be derived.
    pub(super) page: Option<String>,
}

/// Hosts, including their subdomains, and their common names.
const NAMES: [(&str, &str); 46] = [
    ("archive.org", "Internet Archive"),
    ("bandcamp.com", "Bandcamp"),
    ("bilibili.com", "Bilibili"),
    ("bsky.app", "Bluesky"),
    ("codepen.io", "CodePen"),
    ("codesandbox.io", "CodeSandbox"),
    ("dai.ly", "Dailymotion"),
    ("dailymotion.com", "Dailymotion"),
    ("datawrapper.de", "Datawrapper"),
    ("dwcdn.net", "Datawrapper"),
    ("facebook.com", "Facebook"),
    ("flo.uri.sh", "Flourish"),
    ("flourish.studio", "Flourish"),
    ("gist.github.com", "GitHub Gist"),
    ("giphy.com", "Giphy"),
    ("docs.google.com", "Google Docs"),
    ("drive.google.com", "Google Drive"),
    ("imgur.com", "Imgur"),
    ("instagram.com", "Instagram"),
    ("jsfiddle.net", "JSFiddle"),
    ("linkedin.com", "LinkedIn"),
    ("mixcloud.com", "Mixcloud"),
    ("music.apple.com", "Apple Music"),
    ("nicovideo.jp", "Niconico"),
    ("odysee.com", "Odysee"),
    ("pinterest.com", "Pinterest"),
    ("podcasts.apple.com", "Apple Podcasts"),
    ("reddit.com", "Reddit"),
    ("redditmedia.com", "Reddit"),
    ("rumble.com", "Rumble"),
    ("soundcloud.com", "SoundCloud"),
    ("spotify.com", "Spotify"),
    ("steampowered.com", "Steam"),
    ("streamable.com", "Streamable"),
    ("ted.com", "TED"),
    ("threads.com", "Threads"),
    ("threads.net", "Threads"),
    ("tiktok.com", "TikTok"),
    ("twitch.tv", "Twitch"),
    ("twitter.com", "X"),
    ("vimeo.com", "Vimeo"),
    ("wistia.net", "Wistia"),
    ("x.com", "X"),
    ("youtu.be", "YouTube"),
    ("youtube-nocookie.com", "YouTube"),
    ("youtube.com", "YouTube"),
];

/// Identifies the site of `address`.
pub(super) fn site(address: &WebUrl) -> Site {
    let url = address.as_url();
    let host = bare_host(address.host());
    let is_at = |name: &str| {
        host.strip_suffix(name)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let named = NAMES.iter().find(|(name, _)| is_at(name));
    let page = page(host, url);
    let is_fediverse = named.is_none() && page.is_none();
    let page = page.or_else(|| is_fediverse.then(|| fediverse_page(url)).flatten());
    Site {
        name: named.map_or_else(|| host.to_owned(), |(_, name)| (*name).to_owned()),
        page,
    }
}

/// Returns a host without its `www.` label.
fn bare_host(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

/// Returns the page with the content of the player at `url`.
fn page(host: &str, url: &Url) -> Option<String> {
    let segments: Vec<&str> = url.path_segments()?.filter(|s| !s.is_empty()).collect();
    let player = Player {
        host,
        segments: &segments,
        url,
    };
    player
        .video()
        .or_else(|| player.audio())
        .or_else(|| player.post())
        .or_else(|| player.other())
}

/// The address of a player.
struct Player<'a> {
    host: &'a str,
    segments: &'a [&'a str],
    url: &'a Url,
}

impl Player<'_> {
    /// Returns a parameter of the query that is not empty.
    fn query(&self, name: &str) -> Option<String> {
        let (_, value) = self.url.query_pairs().find(|(known, _)| known == name)?;
        (!value.is_empty()).then(|| value.into_owned())
    }

    /// Returns the page of a video or film.
    fn video(&self) -> Option<String> {
        match (self.host, self.segments) {
            (
                "youtube.com"
                | "m.youtube.com"
                | "music.youtube.com"
                | "youtube-nocookie.com"
                | "youtube.googleapis.com"
                | "youtu.be",
                segments,
            ) => youtube(self.host, segments, |name| self.query(name)),
            ("player.vimeo.com", ["video", id, ..]) if is_word(id) => Some(match self.query("h") {
                Some(key) if is_word(&key) => format!("https://vimeo.com/{id}/{key}"),
                _ => format!("https://vimeo.com/{id}"),
            }),
            ("vimeo.com", ["moogaloop.swf"]) => {
                word(self.query("clip_id")).map(|id| format!("https://vimeo.com/{id}"))
            }
            ("vimeo.com", ["showcase" | "album", id, "embed", ..]) => {
                Some(format!("https://vimeo.com/showcase/{id}"))
            }
            ("dailymotion.com", ["embed" | "swf", "video", id, ..] | ["swf", id]) => {
                Some(format!("https://www.dailymotion.com/video/{id}"))
            }
            ("geo.dailymotion.com", _) => word(self.query("video"))
                .map(|id| format!("https://www.dailymotion.com/video/{id}")),
            ("player.twitch.tv", _) => word(self.query("video"))
                .map(|id| {
                    format!(
                        "https://www.twitch.tv/videos/{}",
                        id.trim_start_matches('v')
                    )
                })
                .or_else(|| {
                    word(self.query("channel")).map(|name| format!("https://www.twitch.tv/{name}"))
                }),
            ("clips.twitch.tv", ["embed"]) => {
                word(self.query("clip")).map(|id| format!("https://clips.twitch.tv/{id}"))
            }
            ("streamable.com", ["e" | "o" | "s", id, ..]) => {
                Some(format!("https://streamable.com/{id}"))
            }
            ("archive.org", ["embed", id, ..]) => Some(format!("https://archive.org/details/{id}")),
            ("embed.ted.com" | "embed-ssl.ted.com", ["talks", rest @ ..]) => {
                let talk = rest.last()?.trim_end_matches(".html");
                Some(format!("https://www.ted.com/talks/{talk}"))
            }
            ("odysee.com", ["$", "embed", rest @ ..]) if !rest.is_empty() => {
                Some(format!("https://odysee.com/{}", rest.join("/")))
            }
            ("player.bilibili.com", _) => word(self.query("bvid"))
                .or_else(|| word(self.query("aid")).map(|id| format!("av{id}")))
                .map(|id| format!("https://www.bilibili.com/video/{id}")),
            ("embed.nicovideo.jp", ["watch", id, ..]) => {
                Some(format!("https://www.nicovideo.jp/watch/{id}"))
            }
            _ => None,
        }
    }

    /// Returns the page of music or of a podcast.
    fn audio(&self) -> Option<String> {
        match (self.host, self.segments) {
            ("open.spotify.com", ["embed" | "embed-podcast", rest @ ..]) if !rest.is_empty() => {
                Some(format!("https://open.spotify.com/{}", rest.join("/")))
            }
            ("embed.spotify.com", _) => {
                let uri = self.query("uri")?;
                let path = uri.strip_prefix("spotify:")?.replace(':', "/");
                Some(format!("https://open.spotify.com/{path}"))
            }
            ("w.soundcloud.com" | "player.soundcloud.com", _) => {
                // An API address is of no use to a human visitor.
                web_page(&self.query("url")?).filter(|page| !page.contains("//api."))
            }
            ("embed.music.apple.com" | "embed.podcasts.apple.com" | "embed.tv.apple.com", _) => {
                let mut page = self.url.clone();
                page.set_host(self.host.strip_prefix("embed.")).ok()?;
                page.set_query(None);
                Some(page.into())
            }
            ("mixcloud.com" | "player-widget.mixcloud.com", ["widget", "iframe", ..]) => {
                let feed = self.query("feed")?;
                match feed.starts_with('/') {
                    true => Some(format!("https://www.mixcloud.com{feed}")),
                    false => web_page(&feed),
                }
            }
            _ => None,
        }
    }

    /// Returns a post in a social network.
    fn post(&self) -> Option<String> {
        match (self.host, self.segments) {
            ("platform.twitter.com", ["embed", ..]) => {
                word(self.query("id")).map(|id| format!("https://x.com/i/status/{id}"))
            }
            ("twitter.com" | "mobile.twitter.com" | "x.com", [user, "status", id, ..])
                if is_word(id) =>
            {
                Some(format!("https://{}/{user}/status/{id}", self.host))
            }
            ("twitframe.com", _) => web_page(&self.query("url")?),
            ("facebook.com", ["plugins", ..]) => web_page(&self.query("href")?),
            ("instagram.com", [kind @ ("p" | "reel" | "tv"), id, "embed", ..]) => {
                Some(format!("https://www.instagram.com/{kind}/{id}/"))
            }
            ("threads.net" | "threads.com", [user, "post", id, "embed", ..]) => {
                Some(format!("https://www.threads.com/{user}/post/{id}"))
            }
            ("embed.bsky.app", ["embed", author, "app.bsky.feed.post", id]) => {
                Some(format!("https://bsky.app/profile/{author}/post/{id}"))
            }
            ("embed.reddit.com" | "redditmedia.com", ["r", ..]) => Some(format!(
                "https://www.reddit.com/{}/",
                self.segments.join("/")
            )),
            ("linkedin.com", ["embed", "feed", "update", id]) => {
                Some(format!("https://www.linkedin.com/feed/update/{id}"))
            }
            ("assets.pinterest.com", ["ext", "embed.html"]) => {
                word(self.query("id")).map(|id| format!("https://www.pinterest.com/pin/{id}/"))
            }
            _ => None,
        }
    }

    /// Returns the page of a document, picture, game or piece of code.
    fn other(&self) -> Option<String> {
        match (self.host, self.segments) {
            ("flo.uri.sh", [kind @ ("visualisation" | "story"), id, "embed", ..]) => {
                Some(format!("https://public.flourish.studio/{kind}/{id}/"))
            }
            ("codepen.io", [user, "embed", "preview", id, ..] | [user, "embed", id, ..]) => {
                Some(format!("https://codepen.io/{user}/pen/{id}"))
            }
            ("codesandbox.io", ["embed", id, ..]) => Some(format!("https://codesandbox.io/s/{id}")),
            ("drive.google.com", ["file", "d", id, "preview"]) => {
                Some(format!("https://drive.google.com/file/d/{id}/view"))
            }
            ("giphy.com", ["embed", id, ..]) => Some(format!("https://giphy.com/gifs/{id}")),
            ("imgur.com", [rest @ .., "embed"]) if !rest.is_empty() => {
                Some(format!("https://imgur.com/{}", rest.join("/")))
            }
            ("store.steampowered.com", ["widget", id, ..]) => {
                Some(format!("https://store.steampowered.com/app/{id}/"))
            }
            _ => None,
        }
    }
}

fn youtube(
    host: &str,
    segments: &[&str],
    query: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let playlist = || {
        let list = word(query("list"))?;
        Some(format!("https://www.youtube.com/playlist?list={list}"))
    };
    let id = match segments {
        ["embed", "videoseries"] | ["embed"] | ["playlist"] => return playlist(),
        ["embed" | "v" | "e" | "shorts" | "live", id, ..] => (*id).to_owned(),
        ["watch"] => query("v")?,
        [id] if host == "youtu.be" => (*id).to_owned(),
        _ => return None,
    };
    // Flash players had their settings in the path.
    let id = id.split('&').next().unwrap_or_default();
    if !is_word(id) {
        return None;
    }
    let start = query("start")
        .or_else(|| query("t"))
        .filter(|start| is_word(start) && start.bytes().any(|b| b.is_ascii_digit() && b != b'0'));
    Some(match start {
        Some(start) => format!("https://www.youtube.com/watch?v={id}&t={start}"),
        None => format!("https://www.youtube.com/watch?v={id}"),
    })
}

/// Returns the page for a Mastodon or PeerTube embed. They run on any host and are recognised by
/// their paths.
fn fediverse_page(url: &Url) -> Option<String> {
    let segments: Vec<&str> = url.path_segments()?.collect();
    let path = match segments.as_slice() {
        [user, id, "embed"] if user.starts_with('@') && is_word(id) => format!("/{user}/{id}"),
        ["users", user, "statuses", id, "embed"] => format!("/users/{user}/statuses/{id}"),
        ["videos", "embed", id] if is_word(id) => format!("/videos/watch/{id}"),
        _ => return None,
    };
    let mut page = url.clone();
    page.set_path(&path);
    page.set_query(None);
    Some(page.into())
}

/// Returns `true` for an identifier that can be inserted into another address unescaped.
fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

fn word(text: Option<String>) -> Option<String> {
    text.filter(|text| is_word(text))
}

/// Parses an address that was embedded in another one.
fn web_page(written: &str) -> Option<String> {
    WebUrl::parse(written).ok().map(WebUrl::into_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_leads_to_the_page_of_what_it_plays() {
        for (player, name, page) in [
            (
                "https://www.youtube.com/embed/dQw4w9WgXcQ?feature=oembed",
                "YouTube",
                "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
            ),
            (
                "https://www.youtube-nocookie.com/embed/a_b-c?start=90",
                "YouTube",
                "https://www.youtube.com/watch?v=a_b-c&t=90",
            ),
            (
                "http://www.youtube.com/v/abc&hl=en&fs=1",
                "YouTube",
                "https://www.youtube.com/watch?v=abc",
            ),
            (
                "https://youtu.be/abc?t=1m2s",
                "YouTube",
                "https://www.youtube.com/watch?v=abc&t=1m2s",
            ),
            (
                "https://www.youtube.com/embed/videoseries?list=PL1",
                "YouTube",
                "https://www.youtube.com/playlist?list=PL1",
            ),
            (
                "https://player.vimeo.com/video/76979871?h=8272103f6e",
                "Vimeo",
                "https://vimeo.com/76979871/8272103f6e",
            ),
            (
                "https://www.dailymotion.com/embed/video/x7tgad0",
                "Dailymotion",
                "https://www.dailymotion.com/video/x7tgad0",
            ),
            (
                "https://open.spotify.com/embed/track/11?utm_source=oembed",
                "Spotify",
                "https://open.spotify.com/track/11",
            ),
            (
                "https://embed.spotify.com/?uri=spotify:track:11",
                "Spotify",
                "https://open.spotify.com/track/11",
            ),
            (
                "https://w.soundcloud.com/player/?url=https%3A%2F%2Fsoundcloud.com%2Fa%2Fb",
                "SoundCloud",
                "https://soundcloud.com/a/b",
            ),
            (
                "https://embed.podcasts.apple.com/us/podcast/x/id1?i=2",
                "Apple Podcasts",
                "https://podcasts.apple.com/us/podcast/x/id1",
            ),
            (
                "https://platform.twitter.com/embed/Tweet.html?id=20",
                "X",
                "https://x.com/i/status/20",
            ),
            (
                "https://www.facebook.com/plugins/post.php?href=https%3A%2F%2Fwww.facebook.com%2Fa%2Fposts%2F1",
                "Facebook",
                "https://www.facebook.com/a/posts/1",
            ),
            (
                "https://www.instagram.com/p/Ab1/embed/captioned/",
                "Instagram",
                "https://www.instagram.com/p/Ab1/",
            ),
            (
                "https://embed.bsky.app/embed/did:plc:x/app.bsky.feed.post/3k",
                "Bluesky",
                "https://bsky.app/profile/did:plc:x/post/3k",
            ),
            (
                "https://flo.uri.sh/visualisation/123/embed",
                "Flourish",
                "https://public.flourish.studio/visualisation/123/",
            ),
            (
                "https://codepen.io/u/embed/abc?default-tab=result",
                "CodePen",
                "https://codepen.io/u/pen/abc",
            ),
            (
                "https://player.twitch.tv/?video=v12&parent=x",
                "Twitch",
                "https://www.twitch.tv/videos/12",
            ),
            (
                "https://archive.org/embed/x",
                "Internet Archive",
                "https://archive.org/details/x",
            ),
            (
                "https://embed.ted.com/talks/lang/de/a_talk",
                "TED",
                "https://www.ted.com/talks/a_talk",
            ),
            (
                "https://mastodon.social/@Gargron/1/embed",
                "mastodon.social",
                "https://mastodon.social/@Gargron/1",
            ),
            (
                "https://tube.example/videos/embed/9c-1?autoplay=1",
                "tube.example",
                "https://tube.example/videos/watch/9c-1",
            ),
            (
                "https://player.bilibili.com/player.html?bvid=BV1x&page=1",
                "Bilibili",
                "https://www.bilibili.com/video/BV1x",
            ),
        ] {
            let found = site(&WebUrl::parse(player).unwrap());
            assert_eq!(found.name, name, "{player}");
            assert_eq!(found.page.as_deref(), Some(page), "{player}");
        }
    }

    #[test]
    fn a_player_without_a_page_leads_to_itself() {
        for (player, name) in [
            ("https://bandcamp.com/EmbeddedPlayer/album=1/", "Bandcamp"),
            ("https://datawrapper.dwcdn.net/AbC/3/", "Datawrapper"),
            ("https://www.example.org/widget", "example.org"),
            (
                "https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/tracks/1",
                "SoundCloud",
            ),
            (
                "https://www.facebook.com/plugins/post.php?href=javascript:x",
                "Facebook",
            ),
            ("https://www.youtube.com/embed/%22onload", "YouTube"),
            ("https://notyoutube.com/embed/x", "notyoutube.com"),
        ] {
            let found = site(&WebUrl::parse(player).unwrap());
            assert_eq!((found.name.as_str(), found.page), (name, None), "{player}");
        }
    }
}
