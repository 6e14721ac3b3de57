//! Finding the feed behind a page, and the icon of a site.
//!
//! Everything here reads tags as they come (`clean::token`) and builds no tree: a page may be
//! several megabytes of anything. Nothing is fetched; callers get addresses in the order in which
//! they are worth trying. Whether the page *is* a feed is for `sniff` to say.

mod sites;

use std::collections::HashSet;

use lede_model::address::WebUrl;

use crate::clean::entity::{Place, decoded};
use crate::clean::token::{Tag, Token, tokens};
use crate::clean::{address_in, head, plain};

pub use sites::{known_sites, sure_sites, youtube_parts};

/// Candidates that are returned: beyond them nobody would choose.
const MAX_CANDIDATES: usize = 32;
/// Candidates that are compared with each other. Links for people fill at most half of it, so that
/// a page of them does not crowd out what is declared below.
const MAX_SEEN: usize = 16 * MAX_CANDIDATES;
/// Longest title of a candidate, in bytes.
const MAX_TITLE: usize = 256;

/// What a candidate says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeedKind {
    /// `application/atom+xml`.
    Atom,
    /// `application/rss+xml` or `application/rdf+xml`.
    Rss,
    /// `application/feed+json`.
    Json,
    /// Nothing that can be relied on.
    Unknown,
}

impl FeedKind {
    /// The word for people and programs.
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

/// An address where a feed may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Where.
    pub url: WebUrl,
    /// What the page calls it.
    pub title: Option<String>,
    /// What the page says it is.
    pub kind: FeedKind,
}

/// How a page pointed at a candidate, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    /// A `link` made for feed readers.
    Declared,
    /// A link for people whose address looks like that of a feed.
    LooksLike,
}

/// The feeds that `html`, the page at `page`, points at, best first: declared ones before links
/// that look like feeds, own host before others, then Atom, RSS, JSON Feed, then as they come.
/// Feeds of comments come after the rest.
pub fn feeds(html: &str, page: &WebUrl) -> Vec<Candidate> {
    let mut found: Vec<(Source, Candidate)> = Vec::new();
    let mut seen = HashSet::new();
    let mut base = page.clone();
    let mut has_base = false;
    // The text of a link is its title; it comes after the tag.
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
    // The sort is stable: what is equal stays in the order of the page.
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

/// Addresses where sites of many makes keep their feed, beside the page and at the root: the likeliest
/// names first, each in all places, because nobody tries all of them.
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
    // A page that is a folder in all but its final slash: `/blog` has `/blog/feed`.
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

/// The icons of the page at `page`, best first: declared ones, those for telephones, and the file
/// that every browser asks for.
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
                // Drawings are never shown (hardening 4.8), so they come last.
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

/// The candidate that a `link` declares.
fn declared(tag: &Tag<'_>, base: &WebUrl) -> Option<Candidate> {
    let rel = keyword(tag, "rel");
    let kind = kind_of(&keyword(tag, "type"));
    let is_feed = has_word(&rel, "feed");
    // An alternate stylesheet or translation is no feed; `type` says so, and where it is missing
    // the address has to.
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

/// The candidate that an `a` is, by the look of its address or its type.
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

/// What a `type` attribute says.
enum Declared {
    Feed(FeedKind),
    Other,
    Nothing,
}

/// Reads a type in lower case.
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

/// Addresses that WordPress declares like feeds: its API and its embedding service.
fn is_api(url: &WebUrl) -> bool {
    let text = url.as_str();
    text.contains("/wp-json") || text.contains("rest_route=") || text.contains("/oembed")
}

/// Whether the last part of the path, or the query, is what feeds are called.
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

/// The value of an attribute that is compared (`rel`, `type`), in lower case.
fn keyword(tag: &Tag<'_>, name: &str) -> String {
    tag.attribute(name).unwrap_or_default().to_ascii_lowercase()
}

fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|other| other == word)
}

fn address(tag: &Tag<'_>, name: &str, base: &WebUrl) -> Option<WebUrl> {
    let written = tag.attribute(name)?;
    let written = written.trim();
    // `feed:https://…` and `feed://…` once made browsers hand the link to a reader.
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

/// Adds the text of a link to its title.
fn add_title(candidate: &mut Candidate, raw: &str) {
    let mut text = candidate.title.take().unwrap_or_default();
    if text.len() < MAX_TITLE {
        text.push(' ');
        text.push_str(&decoded(raw, Place::Text));
    }
    candidate.title = title(&text);
}

fn raw_text_element(tag: &Tag<'_>) -> Option<&'static str> {
    ["script", "style", "textarea", "title", "iframe", "xmp"]
        .into_iter()
        .find(|name| tag.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests;
