//! Discovery of the feeds behind a page, and of the icon of a site.
//!
//! Everything here reads a stream of tags (`clean::token`) and builds no tree: a page may be
//! several megabytes of anything. Nothing is fetched; callers get URLs in the order in which they
//! should be tried. `sniff` recognises a page that is itself a feed.

mod sites;

use std::collections::HashSet;

use lede_model::address::WebUrl;

use crate::clean::entity::{ReferenceContext, decoded};
use crate::clean::token::{Tag, Token, tokens};
use crate::clean::{address_in, head, plain};
use crate::html::RAW_TEXT;

pub use sites::{known_sites, sure_sites, youtube_parts};

/// Maximum number of returned candidates: a longer list is of no use to a user.
const MAX_CANDIDATES: usize = 32;
/// Maximum number of candidates that are collected before sorting. Links in the text fill at most
/// half of it, so that a page full of them does not displace feeds declared further down.
const MAX_SEEN: usize = 16 * MAX_CANDIDATES;
/// Maximum length of a candidate's title, in bytes.
const MAX_TITLE: usize = 256;

/// Declared format of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeedKind {
    /// Declared as `application/atom+xml`.
    Atom,
    /// Declared as `application/rss+xml` or `application/rdf+xml`.
    Rss,
    /// Declared as `application/feed+json`.
    Json,
    /// No reliable declaration.
    Unknown,
}

impl FeedKind {
    /// Returns the name used in the user interface and in APIs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Atom => "atom",
            Self::Rss => "rss",
            Self::Json => "json",
            Self::Unknown => "unknown",
        }
    }
}

impl From<crate::parsed::FeedKind> for FeedKind {
    fn from(kind: crate::parsed::FeedKind) -> Self {
        match kind {
            crate::parsed::FeedKind::Json => Self::Json,
            kind if kind.is_atom() => Self::Atom,
            _ => Self::Rss,
        }
    }
}

/// URL that may be a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub url: WebUrl,
    /// Title of the link in the page.
    pub title: Option<String>,
    /// Format as declared by the page.
    pub kind: FeedKind,
}

/// Kind of link that led to a candidate, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    /// `link` element made for feed readers.
    Declared,
    /// Link in the text whose URL looks like that of a feed.
    LooksLike,
}

/// Returns the feeds that `html`, the page at `page`, links to, best first: declared ones before
/// links that look like feeds, own host before others, then Atom, RSS, JSON Feed, then in document
/// order. Feeds of comments come after the rest.
pub fn feeds(html: &str, page: &WebUrl) -> Vec<Candidate> {
    let mut found: Vec<(Source, Candidate)> = Vec::new();
    let mut seen = HashSet::new();
    let mut base = page.clone();
    let mut has_base = false;
    // The text of a link is its title; it follows the tag.
    let mut in_link: Option<usize> = None;
    let mut input = tokens(html);
    while let Some(token) = input.next() {
        let tag = match token {
            Token::Text(text) => {
                if let Some(at) = in_link {
                    add_title(&mut found[at].1, text);
                }
                continue;
            }
            Token::End(name) => {
                if name.eq_ignore_ascii_case("a") {
                    in_link = None;
                }
                continue;
            }
            Token::Start(tag) => tag,
        };
        if let Some(raw) = raw_text_element(&tag) {
            input.skip_raw_text(raw);
        } else if tag.name.eq_ignore_ascii_case("base") && !has_base {
            if let Some(url) = address(&tag, "href", page) {
                base = url;
                has_base = true;
            }
        } else if tag.name.eq_ignore_ascii_case("link") {
            in_link = None;
            if found.len() < MAX_SEEN
                && let Some(candidate) = declared(&tag, &base)
                && seen.insert(candidate.url.clone())
            {
                found.push((Source::Declared, candidate));
            }
        } else if tag.name.eq_ignore_ascii_case("a") {
            in_link = None;
            if found.len() < MAX_SEEN / 2
                && let Some(candidate) = linked(&tag, &base)
                && seen.insert(candidate.url.clone())
            {
                in_link = candidate.title.is_none().then_some(found.len());
                found.push((Source::LooksLike, candidate));
            }
        }
    }
    // The sort is stable: equal candidates stay in document order.
    found.sort_by_cached_key(|(source, candidate)| {
        (
            *source,
            is_about_comments(candidate),
            candidate.url.root_domain() != page.root_domain(),
            candidate.url.host() != page.host(),
            candidate.kind,
        )
    });
    found.truncate(MAX_CANDIDATES);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Returns common feed URLs, relative to the page and to the root of the site. The likeliest names
/// come first, each in all places, because callers do not try all of them.
pub fn well_known(page: &WebUrl) -> Vec<WebUrl> {
    const NAMES: [&str; 12] = [
        "feed",
        "rss.xml",
        "feed.xml",
        "index.xml",
        "atom.xml",
        "rss",
        "feed.json",
        "feed/",
        "feeds/all.atom.xml",
        "blog/feed",
        "index.rss",
        "?feed=rss2",
    ];
    let mut found: Vec<WebUrl> = Vec::new();
    let root = page.join("/").ok();
    let folder = page.join("./").ok();
    // A page may be a folder without its trailing slash: `/blog` has `/blog/feed`.
    let path = page.as_url().path();
    let below = (!path.ends_with('/') && !path.rsplit('/').next().unwrap_or("").contains('.'))
        .then(|| page.join(&format!("{path}/")).ok())
        .flatten();
    for name in NAMES {
        for place in [&below, &folder, &root].into_iter().flatten() {
            if let Ok(url) = place.join(name)
                && !found.contains(&url)
            {
                found.push(url);
            }
        }
    }
    found
}

/// Returns the icons of the page at `page`, best first: declared ones, touch icons, and the
/// `/favicon.ico` that every browser requests.
pub fn icons(html: &str, page: &WebUrl) -> Vec<WebUrl> {
    let mut base = page.clone();
    let mut has_base = false;
    let mut declared = Vec::new();
    let mut input = tokens(html);
    while let Some(token) = input.next() {
        let Token::Start(tag) = token else {
            continue;
        };
        if let Some(raw) = raw_text_element(&tag) {
            input.skip_raw_text(raw);
        } else if tag.name.eq_ignore_ascii_case("base") && !has_base {
            if let Some(url) = address(&tag, "href", page) {
                base = url;
                has_base = true;
            }
        } else if tag.name.eq_ignore_ascii_case("link") {
            let rel = keyword(&tag, "rel");
            let rank = if has_word(&rel, "icon") {
                0
            } else if has_word(&rel, "apple-touch-icon")
                || has_word(&rel, "apple-touch-icon-precomposed")
            {
                1
            } else {
                continue;
            };
            if let Some(url) = address(&tag, "href", &base) {
                // SVG is never shown, so it comes last.
                let is_svg =
                    keyword(&tag, "type").contains("svg") || url.as_url().path().ends_with(".svg");
                declared.push((is_svg, rank, url));
            }
        }
        if declared.len() >= MAX_CANDIDATES {
            break;
        }
    }
    declared.sort_by_key(|(is_svg, rank, _)| (*is_svg, *rank));
    let mut found: Vec<WebUrl> = Vec::new();
    let usual = page.join("/favicon.ico").ok();
    for url in declared.into_iter().map(|(_, _, url)| url).chain(usual) {
        if !found.contains(&url) {
            found.push(url);
        }
    }
    found
}

/// Returns the candidate that a `link` declares.
fn declared(tag: &Tag<'_>, base: &WebUrl) -> Option<Candidate> {
    let rel = keyword(tag, "rel");
    let kind = kind_of(&keyword(tag, "type"));
    let is_feed = has_word(&rel, "feed");
    // An alternate stylesheet or translation is not a feed; `type` shows that, and the URL if
    // `type` is missing.
    let is_alternate = has_word(&rel, "alternate") && !has_word(&rel, "stylesheet");
    if !is_feed && !is_alternate {
        return None;
    }
    let url = address(tag, "href", base)?;
    if is_api(&url) {
        return None;
    }
    let kind = match kind {
        Declared::Feed(kind) => kind,
        Declared::Other if is_feed => FeedKind::Unknown,
        Declared::Other => return None,
        Declared::Nothing if is_feed || looks_like_feed(&url) => FeedKind::Unknown,
        Declared::Nothing => return None,
    };
    Some(Candidate {
        url,
        title: title(&tag.attribute("title").unwrap_or_default()),
        kind,
    })
}

/// Returns the candidate that an `a` links to, recognised by its URL or type.
fn linked(tag: &Tag<'_>, base: &WebUrl) -> Option<Candidate> {
    let url = address(tag, "href", base)?;
    let kind = match kind_of(&keyword(tag, "type")) {
        Declared::Feed(kind) => kind,
        _ if looks_like_feed(&url) => FeedKind::Unknown,
        _ => return None,
    };
    (!is_api(&url)).then(|| Candidate {
        url,
        title: title(&tag.attribute("title").unwrap_or_default()),
        kind,
    })
}

/// Meaning of a `type` attribute.
enum Declared {
    Feed(FeedKind),
    Other,
    Nothing,
}

/// Parses a media type in lower case.
fn kind_of(written: &str) -> Declared {
    let name = written.split(';').next().unwrap_or("").trim();
    match name {
        "" => Declared::Nothing,
        "application/atom+xml"
        | "application/x.atom+xml"
        | "text/atom+xml"
        | "application/atom" => Declared::Feed(FeedKind::Atom),
        "application/rss+xml"
        | "application/rdf+xml"
        | "application/x.rss+xml"
        | "application/x-rss+xml"
        | "text/rss+xml"
        | "application/rss"
        | "text/rss" => Declared::Feed(FeedKind::Rss),
        "application/feed+json" | "application/json" => Declared::Feed(FeedKind::Json),
        "application/xml" | "text/xml" => Declared::Feed(FeedKind::Unknown),
        _ => Declared::Other,
    }
}

/// Recognises URLs that WordPress declares like feeds: its API and its embedding service.
fn is_api(url: &WebUrl) -> bool {
    let text = url.as_str();
    text.contains("/wp-json") || text.contains("rest_route=") || text.contains("/oembed")
}

/// Returns `true` if the last path segment, or the query, is a common name of feeds.
fn looks_like_feed(url: &WebUrl) -> bool {
    let path = url
        .as_url()
        .path()
        .trim_end_matches('/')
        .to_ascii_lowercase();
    let name = path.rsplit('/').next().unwrap_or("");
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_named = matches!(stem, "feed" | "rss" | "atom" | "rss2" | "feeds")
        && matches!(extension, "" | "xml" | "json" | "php" | "rdf");
    let is_file = matches!(extension, "rss" | "atom" | "rdf")
        || matches!(name, "index.xml" | "feed.json" | "posts.xml" | "news.xml");
    let asks = url.as_url().query().is_some_and(|query| {
        query
            .split('&')
            .any(|pair| pair.starts_with("feed=") || matches!(pair, "format=rss" | "format=atom"))
    });
    is_named || is_file || asks
}

fn is_about_comments(candidate: &Candidate) -> bool {
    let mentions = |text: &str| text.to_lowercase().contains("comment");
    mentions(candidate.url.as_url().path()) || candidate.title.as_deref().is_some_and(mentions)
}

/// Returns an attribute value for comparison (`rel`, `type`), in lower case.
fn keyword(tag: &Tag<'_>, name: &str) -> String {
    tag.attribute(name).unwrap_or_default().to_ascii_lowercase()
}

fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|other| other == word)
}

fn address(tag: &Tag<'_>, name: &str, base: &WebUrl) -> Option<WebUrl> {
    let written = tag.attribute(name)?;
    let written = written.trim();
    // `feed:https://…` and `feed://…` once made browsers pass the link to a feed reader.
    if let Some(rest) = written.strip_prefix("feed:") {
        let rest = rest
            .strip_prefix("//")
            .map(|rest| format!("https://{rest}"));
        return address_in(rest.as_deref().unwrap_or(&written["feed:".len()..]), base);
    }
    address_in(written, base)
}

fn title(written: &str) -> Option<String> {
    let text = plain(written);
    let text = head(&text, MAX_TITLE).trim_end();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Appends the text of a link to its title.
fn add_title(candidate: &mut Candidate, raw: &str) {
    let mut text = candidate.title.take().unwrap_or_default();
    if text.len() < MAX_TITLE {
        text.push(' ');
        text.push_str(&decoded(raw, ReferenceContext::Text));
    }
    candidate.title = title(&text);
}

fn raw_text_element(tag: &Tag<'_>) -> Option<&'static str> {
    RAW_TEXT
        .into_iter()
        .find(|name| tag.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests;
