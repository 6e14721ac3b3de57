//! Embeds: players, posts and charts of other sites. None of them is executed; a link card replaces
//! them.
//!
//! A card is written as `<figure class="lede-embed"><a
//! href="PAGE">TITLE</a><figcaption>SITE</figcaption></figure>`. This class value is the only one
//! that the cleaner allows on a figure: a card that is cleaned again stays the same, other feed
//! readers show an ordinary link, and a page finds the cards as `figure.lede-embed > a`. PAGE is
//! the page for human visitors; for the sites in `provider` the address of the player can be
//! derived from it. If it cannot, because the page was only named in the fallback content of the
//! embed, SITE is a link to the player.
//!
//! A publisher can write such a figure too. It is then a link like any other, so a player built on
//! a card must decide by the host of the link, never by the class alone.

mod fallback;
mod provider;

use lede_model::address::WebUrl;

use super::address;
use super::attribute::{OF_EVERY_LINK, push};
use super::entity::push_text;
use super::image;
use super::text::{head, one_line};
use super::token::{Tag, Token, tokens};
pub(super) use fallback::Fallback;

/// Class that marks a card.
pub(crate) const CARD_CLASS: &str = "lede-embed";

/// Maximum length of a card's title, in bytes.
const MAX_TITLE: usize = 300;
/// Maximum length of an address that is shown in place of a missing title, in bytes.
const MAX_SHOWN_ADDRESS: usize = 80;

/// Attributes that contain the address of an embed. Lazy-loading scripts store it under other
/// names, which come first because `src` is then a blank page.
const ADDRESSES: [&str; 12] = [
    "data-src",
    "data-lazy-src",
    "data-litespeed-src",
    "data-cookieblock-src",
    "data-src-cmplz",
    "data-cmp-src",
    "data-orig-src",
    "data-original",
    "src",
    "data",
    "data-url",
    "url",
];

/// Hosts whose frames show advertisements or track visitors, including their subdomains.
const UNWANTED_HOSTS: [&str; 8] = [
    "ad.doubleclick.net",
    "adnxs.com",
    "amazon-adsystem.com",
    "doubleclick.net",
    "feedads.g.doubleclick.net",
    "googlesyndication.com",
    "googletagmanager.com",
    "taboola.com",
];

/// Titles that only name the kind of player.
const GENERIC_TITLES: [&str; 8] = [
    "embed",
    "embedded content",
    "iframe",
    "player",
    "video",
    "vimeo-player",
    "youtube video",
    "youtube video player",
];

/// Returns `true` if `address` is that of a player or of a page whose player is known, so that a
/// card for it is better than a link to a file.
pub fn is_player(address: &WebUrl) -> bool {
    provider::site(address).page.is_some()
}

/// Link card that replaces an embed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Card {
    page: String,
    title: String,
    site: String,
    player: Option<String>,
}

impl Card {
    /// Creates the card for an embed from `address`.
    pub(super) fn new(address: &WebUrl, title: Option<&str>) -> Option<Self> {
        let site = provider::site(address);
        let page = match site.page {
            Some(page) => address::link(&page, None)?,
            None => address::link(address.as_str(), None)?,
        };
        Some(Self {
            title: title
                .map(shown_title)
                .filter(|title| !title.is_empty())
                .unwrap_or_else(|| shown_address(&page)),
            page,
            site: site.name,
            player: None,
        })
    }

    /// Returns the address that the card links to.
    pub(super) fn page(&self) -> &str {
        &self.page
    }

    /// Appends the card as markup.
    pub(super) fn write(&self, out: &mut String) {
        out.push_str("<figure");
        push(out, "class", CARD_CLASS);
        out.push('>');
        write_link(out, &self.page, &self.title);
        if self.site != self.title {
            out.push_str("<figcaption>");
            match &self.player {
                Some(player) => write_link(out, player, &self.site),
                None => push_text(out, &self.site),
            }
            out.push_str("</figcaption>");
        }
        out.push_str("</figure>");
    }
}

fn write_link(out: &mut String, href: &str, text: &str) {
    out.push_str("<a");
    push(out, "href", href);
    for (name, value) in OF_EVERY_LINK {
        push(out, name, value);
    }
    out.push('>');
    push_text(out, text);
    out.push_str("</a>");
}

/// Returns the card for an `iframe`, `object` or `embed` that contains `inner` up to its end tag,
/// and the use of that content.
pub(super) fn of_frame(
    tag: &Tag<'_>,
    inner: Option<&str>,
    base: Option<&WebUrl>,
) -> (Option<Card>, Fallback) {
    let inner = inner.unwrap_or_default();
    let fallback = fallback::judged(inner, base);
    let address = address_of(tag, base).or_else(|| address_inside(inner, base));
    let Some(address) = address.filter(|address| !is_unwanted(tag, address)) else {
        return (None, fallback);
    };
    let title = title_of(tag);
    let (title, generic) = match title {
        Some(title) if is_generic(&title) => (None, Some(title)),
        title => (title, None),
    };
    let named = match &fallback {
        Fallback::Link { text, .. } => Some(text.as_str()),
        _ => None,
    };
    let title = title.as_deref().or(named).or(generic.as_deref());
    let Some(mut card) = Card::new(&address, title) else {
        return (None, fallback);
    };
    if let Fallback::Link { page, .. } = &fallback
        && card.page == address.as_str()
        && card.page != *page
    {
        card.player = Some(std::mem::replace(&mut card.page, page.clone()));
    }
    (Some(card), fallback)
}

/// Returns the card for an element that a script of another site would turn into a post or a
/// player: `blockquote` and `div` with a class of that site. `inner` returns the content up to the
/// end tag.
pub(super) fn of_post<'a>(
    tag: &Tag<'_>,
    base: Option<&WebUrl>,
    inner: impl FnOnce() -> Option<&'a str>,
) -> Option<Card> {
    let class = tag.attribute("class")?;
    let classes = || class.split_ascii_whitespace();
    let has = |name: &str| classes().any(|class| class == name);
    let value = |name: &str| tag.attribute(name).filter(|value| !value.trim().is_empty());
    let written = if has("twitter-tweet") || has("twitter-video") {
        let is_post = |url: &WebUrl| {
            matches!(url.root_domain(), "twitter.com" | "x.com")
                && url.as_str().contains("/status/")
        };
        last_link(inner()?, base, is_post)?
    } else if has("reddit-embed-bq") || has("reddit-card") {
        let is_post =
            |url: &WebUrl| url.root_domain() == "reddit.com" && url.as_str().contains("/comments/");
        last_link(inner()?, base, is_post)?
    } else if has("instagram-media") {
        value("data-instgrm-permalink")?.into_owned()
    } else if has("tiktok-embed") {
        value("cite")?.into_owned()
    } else if has("mastodon-embed") {
        value("data-embed-url")?.into_owned()
    } else if has("text-post-media") {
        value("data-text-post-permalink")?.into_owned()
    } else if has("bluesky-embed") {
        let uri = value("data-bluesky-uri")?;
        let (author, id) = uri
            .strip_prefix("at://")?
            .split_once("/app.bsky.feed.post/")?;
        format!("https://bsky.app/profile/{author}/post/{id}")
    } else if has("imgur-embed-pub") {
        format!("https://imgur.com/{}", value("data-id")?)
    } else if has("fb-post") || has("fb-video") {
        value("data-href")?.into_owned()
    } else if has("flourish-embed") {
        format!("https://public.flourish.studio/{}/", value("data-src")?)
    } else if has("infogram-embed") {
        format!("https://infogram.com/{}", value("data-id")?)
    } else if classes().any(|class| class.contains("youtube-player")) {
        format!("https://www.youtube.com/watch?v={}", value("data-id")?)
    } else {
        return None;
    };
    Card::new(&web_address(&written, base)?, title_of(tag).as_deref())
}

/// Returns the card for a custom element that needs a script: those of AMP, and those for the
/// players of one site.
pub(super) fn of_custom_element(tag: &Tag<'_>, base: Option<&WebUrl>) -> Option<Card> {
    let name = tag.name.to_ascii_lowercase();
    let id = |names: [&str; 3]| {
        let mut values = tag.values(names).into_iter().flatten();
        values.find(|value| !value.trim().is_empty())
    };
    let video = || id(["videoid", "data-videoid", "video-id"]);
    let written = match name.as_str() {
        "lite-youtube" | "amp-youtube" | "youtube-embed" | "youtube-video" => match video() {
            Some(id) => format!("https://www.youtube.com/watch?v={}", id.trim()),
            None => address_of(tag, base)?.into_string(),
        },
        "lite-vimeo" | "amp-vimeo" | "vimeo-video" => match video() {
            Some(id) => format!("https://vimeo.com/{}", id.trim()),
            None => address_of(tag, base)?.into_string(),
        },
        "amp-dailymotion" => format!("https://www.dailymotion.com/video/{}", video()?.trim()),
        "amp-twitter" => format!("https://x.com/i/status/{}", tag.attribute("data-tweetid")?),
        "amp-instagram" => {
            let id = tag.attribute("data-shortcode")?;
            format!("https://www.instagram.com/p/{id}/")
        }
        "amp-facebook" => tag.attribute("data-href")?.into_owned(),
        "amp-iframe" | "amp-reddit" | "amp-tiktok" | "amp-soundcloud" | "oembed" => {
            address_of(tag, base)?.into_string()
        }
        _ => return None,
    };
    let address = web_address(&written, base).filter(|address| !is_unwanted(tag, address))?;
    Card::new(&address, title_of(tag).as_deref())
}

/// Returns the card for a script that would insert an embed in its place.
pub(super) fn of_script(tag: &Tag<'_>, base: Option<&WebUrl>) -> Option<Card> {
    let address = web_address(&tag.attribute("src")?, base)?;
    let path = address.as_url().path();
    let page = match address.host() {
        host @ ("gist.github.com" | "asciinema.org") => {
            format!("https://{host}{}", path.strip_suffix(".js")?)
        }
        host @ "datawrapper.dwcdn.net" => {
            format!("https://{host}{}", path.strip_suffix("embed.js")?)
        }
        _ => return None,
    };
    Card::new(&WebUrl::parse(&page).ok()?, None)
}

/// Returns the address that `tag` embeds.
fn address_of(tag: &Tag<'_>, base: Option<&WebUrl>) -> Option<WebUrl> {
    let listed = tag.values(ADDRESSES);
    let mut listed = listed.into_iter().flatten();
    listed
        .find_map(|written| web_address(&written, base))
        .or_else(|| {
            // Consent scripts use attribute names of their own.
            let others = tag.attributes().filter(|(name, value)| {
                name.get(..5)
                    .is_some_and(|start| start.eq_ignore_ascii_case("data-"))
                    && ["http://", "https://", "//"]
                        .iter()
                        .any(|start| value.starts_with(start))
                    && !image::names_a_picture(value)
            });
            others
                .filter_map(|(name, _)| tag.attribute(&name.to_ascii_lowercase()))
                .find_map(|written| web_address(&written, base))
        })
}

/// Returns the address in `inner`, the content of an `object`: that of a parameter or an `embed`.
fn address_inside(inner: &str, base: Option<&WebUrl>) -> Option<WebUrl> {
    tokens(inner).find_map(|token| {
        let Token::Start(tag) = token else {
            return None;
        };
        if tag.name.eq_ignore_ascii_case("param") {
            let [name, value] = tag.values(["name", "value"]);
            let name = name?.trim().to_ascii_lowercase();
            let is_address = matches!(name.as_str(), "movie" | "src" | "url" | "filename" | "data");
            return web_address(&value?, base).filter(|_| is_address);
        }
        let is_nested = ["embed", "iframe", "object"]
            .iter()
            .any(|name| tag.name.eq_ignore_ascii_case(name));
        is_nested.then(|| address_of(&tag, base)).flatten()
    })
}

/// Returns the last address linked in `inner` for which `is_wanted` is true.
fn last_link(
    inner: &str,
    base: Option<&WebUrl>,
    is_wanted: impl Fn(&WebUrl) -> bool,
) -> Option<String> {
    let links = tokens(inner).filter_map(|token| match token {
        Token::Start(tag) if tag.name.eq_ignore_ascii_case("a") => {
            web_address(&tag.attribute("href")?, base)
        }
        _ => None,
    });
    links.filter(is_wanted).last().map(WebUrl::into_string)
}

/// Parses `written` as a web address. Without a base, `//host` means https.
fn web_address(written: &str, base: Option<&WebUrl>) -> Option<WebUrl> {
    let text = address::fix_spaces(written);
    if text.is_empty() || text.starts_with('#') {
        return None;
    }
    match base {
        None if text.starts_with("//") => WebUrl::parse(&format!("https:{text}")).ok(),
        _ => address::absolute(&text, base),
    }
}

/// Returns `true` for embeds that track visitors or show advertisements.
fn is_unwanted(tag: &Tag<'_>, address: &WebUrl) -> bool {
    let [width, height] = tag
        .values(["width", "height"])
        .map(|value| value.and_then(|value| image::size(&value)));
    if matches!((width, height), (Some(0 | 1), Some(0 | 1))) {
        return true;
    }
    // WordPress puts a blockquote with the link before the frame that a script would show.
    let is_twin = tag.attribute("class").is_some_and(|class| {
        class
            .split_ascii_whitespace()
            .any(|c| c == "wp-embedded-content")
    });
    let host = address.host();
    is_twin
        || UNWANTED_HOSTS.iter().any(|unwanted| {
            host.strip_suffix(unwanted)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
}

/// Returns the title that an embed declares.
fn title_of(tag: &Tag<'_>) -> Option<String> {
    let titles = tag.values(["title", "aria-label", "data-title", "alt"]);
    let mut titles = titles
        .into_iter()
        .flatten()
        .map(|title| shown_title(&title));
    titles.find(|title| !title.is_empty())
}

fn is_generic(title: &str) -> bool {
    GENERIC_TITLES
        .iter()
        .any(|generic| generic.eq_ignore_ascii_case(title))
}

fn shown_title(title: &str) -> String {
    let line = one_line(title);
    let line = line.strip_prefix("Spotify Embed: ").unwrap_or(&line);
    let cut = head(line, MAX_TITLE);
    if cut.len() < line.len() {
        format!("{}…", cut.trim_end())
    } else {
        cut.to_owned()
    }
}

/// Shortens an address for display as a title.
fn shown_address(page: &str) -> String {
    let rest = page.split_once("://").map_or(page, |(_, rest)| rest);
    let rest = rest
        .strip_prefix("www.")
        .unwrap_or(rest)
        .trim_end_matches('/');
    let cut = head(rest, MAX_SHOWN_ADDRESS);
    if cut.len() < rest.len() {
        format!("{cut}…")
    } else {
        cut.to_owned()
    }
}
