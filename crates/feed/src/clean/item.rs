//! One entry of a feed, from what the parser read to what the store keeps.

use lede_model::address::WebUrl;
use lede_model::content::{ContentHash, EXCERPT_CHARS, excerpt};
use lede_model::item::CleanItem;
use lede_model::time::Timestamp;

use super::text::{beginning, head, one_line};
use super::{address_in, from_text, html, plain};

/// Longest title and author, in bytes (hardening 3.3).
const MAX_TITLE: usize = 1024;
const MAX_AUTHOR: usize = 256;
/// Longest title that is made from the text, in characters.
const TITLE_FROM_TEXT: usize = 80;
/// How much of the text an excerpt is made from, in characters without blanks: twice what it
/// shows, because composing letters may leave fewer.
const EXCERPT_WORDS: usize = 2 * EXCERPT_CHARS;
/// And in bytes, when there is no tag at which to stop.
const EXCERPT_SOURCE: usize = 64 * 1024;
/// Dates before this year are a clock that was never set.
const FIRST_YEAR: i16 = 1990;

/// An entry as the parser read it: nothing in it is trusted.
#[derive(Debug, Clone, Copy, Default)]
pub struct RawItem<'a> {
    /// The publisher's own id, kept as it is.
    pub guid: Option<&'a str>,
    /// Its link, relative or not. Taking the guid for a link is the parser's business.
    pub url: Option<&'a str>,
    /// May be HTML, may be empty.
    pub title: &'a str,
    /// May be HTML, may be empty.
    pub author: &'a str,
    /// Its text.
    pub html: &'a str,
    /// Whether `html` is HTML; otherwise it is text.
    pub is_html: bool,
    /// What its addresses are relative to (`xml:base`), when the feed says so.
    pub base: Option<&'a WebUrl>,
    /// When it appeared, as the feed says.
    pub published_at: Option<Timestamp>,
}

/// The title of an item that has neither title nor text. Its host would look like a title.
const UNTITLED: &str = "Untitled";

/// Cleans an entry of the feed at `feed_url`, fetched `now`.
pub fn item(raw: RawItem<'_>, feed_url: &WebUrl, now: Timestamp) -> CleanItem {
    let url = raw
        .url
        .and_then(|written| address_in(written, raw.base.unwrap_or(feed_url)));
    let hosts = [feed_url.host(), raw.base.unwrap_or(feed_url).host()];
    let url = url.map(|url| url.without_tracking(&hosts));
    // What the text links to is relative to where it is read: the declared base, else the item's
    // own page, else the feed.
    let base = raw.base.or(url.as_ref()).unwrap_or(feed_url);
    let html = if raw.is_html {
        html(raw.html, Some(base))
    } else {
        from_text(raw.html)
    };
    let text = beginning(html.as_str(), EXCERPT_WORDS);
    let line = one_line(head(&text, EXCERPT_SOURCE));
    let author = cut(plain(raw.author), MAX_AUTHOR);
    let author = (!author.is_empty()).then_some(author);
    let title = Some(cut(plain(raw.title), MAX_TITLE))
        .filter(|title| !title.is_empty())
        .or_else(|| Some(excerpt(&plain_text(&text), TITLE_FROM_TEXT)).filter(|t| !t.is_empty()))
        .unwrap_or_else(|| UNTITLED.to_owned());
    let hash = ContentHash::of([
        title.as_str(),
        url.as_ref().map_or("", WebUrl::as_str),
        author.as_deref().unwrap_or_default(),
        html.as_str(),
    ]);
    CleanItem {
        guid: raw.guid.map(str::to_owned),
        url,
        title,
        author,
        excerpt: excerpt(&line, EXCERPT_CHARS),
        html,
        published_at: raw.published_at.filter(|at| is_believable(*at, now)),
        hash,
    }
}

/// The first line of a text that has one, as a title.
fn plain_text(text: &str) -> String {
    one_line(
        text.lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or(""),
    )
}

/// Years from 1990 to the next one (hardening 12.5). A date in the future stays: it is shown, and
/// the store sorts by when the item was first seen.
fn is_believable(at: Timestamp, now: Timestamp) -> bool {
    let year = |at: Timestamp| at.to_jiff().to_zoned(jiff::tz::TimeZone::UTC).year();
    (FIRST_YEAR..=year(now).saturating_add(1)).contains(&year(at))
}

fn cut(text: String, max: usize) -> String {
    if text.len() <= max {
        return text;
    }
    head(&text, max).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed() -> WebUrl {
        WebUrl::parse("https://example.org/feeds/main.xml").unwrap()
    }

    fn now() -> Timestamp {
        Timestamp::from_seconds(1_750_000_000)
    }

    fn cleaned(raw: RawItem<'_>) -> CleanItem {
        item(raw, &feed(), now())
    }

    #[test]
    fn the_items_own_page_is_what_its_links_are_relative_to() {
        let made = cleaned(RawItem {
            url: Some("/posts/1/?utm_source=feed"),
            title: "<b>One</b>",
            author: " Ann\nAuthor ",
            html: "<p><img src=a.png> <a href='?x'>mo\u{202e}re</a></p>",
            is_html: true,
            ..RawItem::default()
        });
        assert_eq!(made.url.unwrap().as_str(), "https://example.org/posts/1/");
        assert_eq!(made.title, "One");
        assert_eq!(made.author.as_deref(), Some("Ann Author"));
        assert!(
            made.html
                .as_str()
                .contains("https://example.org/posts/1/a.png")
        );
        assert!(
            made.html
                .as_str()
                .contains("https://example.org/posts/1/?x")
        );
        assert_eq!(made.excerpt, "more");
    }

    #[test]
    fn links_lose_what_follows_people_around() {
        let made = cleaned(RawItem {
            url: Some("https://other.example/x?ref=example.org&id=1&mc_cid=2"),
            html: "<a href='https://third.example/?ref=other.example&fbclid=3&ref=main'>x</a>",
            is_html: true,
            ..RawItem::default()
        });
        assert_eq!(made.url.unwrap().as_str(), "https://other.example/x?id=1");
        assert!(
            made.html
                .as_str()
                .contains("\"https://third.example/?ref=main\"")
        );
    }

    #[test]
    fn a_declared_base_comes_first() {
        let base = WebUrl::parse("https://cdn.example/x/").unwrap();
        let made = cleaned(RawItem {
            url: Some("1"),
            html: "<a href=2>x</a>",
            is_html: true,
            base: Some(&base),
            ..RawItem::default()
        });
        assert_eq!(made.url.unwrap().as_str(), "https://cdn.example/x/1");
        assert!(made.html.as_str().contains("https://cdn.example/x/2"));
    }

    #[test]
    fn links_that_are_no_web_addresses_are_absent() {
        for url in [
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://x.org/",
            "mailto:x@y.z",
        ] {
            let made = cleaned(RawItem {
                url: Some(url),
                ..RawItem::default()
            });
            assert_eq!(made.url, None, "{url}");
        }
    }

    #[test]
    fn a_title_is_never_empty_and_never_long() {
        let from_text = cleaned(RawItem {
            title: " <b></b> ",
            html: "First line.\nSecond",
            ..RawItem::default()
        });
        assert_eq!(from_text.title, "First line.");
        let from_nothing = cleaned(RawItem {
            url: Some("https://blog.example/x"),
            ..RawItem::default()
        });
        assert_eq!(from_nothing.title, UNTITLED);
        let long = "日".repeat(1000);
        let cut = cleaned(RawItem {
            title: &long,
            ..RawItem::default()
        });
        assert_eq!(cut.title.len(), 1023);
    }

    #[test]
    fn absurd_dates_are_absent_and_near_future_ones_stay() {
        let at = |seconds| {
            cleaned(RawItem {
                published_at: Some(Timestamp::from_seconds(seconds)),
                ..RawItem::default()
            })
            .published_at
        };
        assert_eq!(at(0), None);
        assert_eq!(at(631_151_999), None); // the last second of 1989
        assert!(at(631_152_000).is_some());
        assert!(at(1_798_761_599).is_some()); // the last second of 2026
        assert_eq!(at(1_798_761_600), None);
        assert_eq!(at(i64::MAX / 1000), None);
    }

    #[test]
    fn plain_text_keeps_its_lines_and_shows_its_brackets() {
        let made = cleaned(RawItem {
            html: "1 < 2\nnext\n\n<b>not bold</b>",
            ..RawItem::default()
        });
        assert_eq!(
            made.html.as_str(),
            "<p>1 &lt; 2<br>next</p>\n<p>&lt;b&gt;not bold&lt;/b&gt;</p>"
        );
    }

    #[test]
    fn the_hash_changes_with_what_is_shown_and_only_then() {
        let hash = |title, html| {
            cleaned(RawItem {
                title,
                html,
                is_html: true,
                ..RawItem::default()
            })
            .hash
        };
        assert_eq!(hash("t", "<p>x</p>"), hash("<i>t</i>", "<p onclick=y>x"));
        assert_ne!(hash("t", "<p>x</p>"), hash("t", "<p>y</p>"));
    }
}
