//! Cleaning of one entry: from the parsed entry to the item that is stored.

use lede_model::address::WebUrl;
use lede_model::content::{CleanHtml, ContentHash, EXCERPT_CHARS, excerpt};
use lede_model::item::CleanItem;
use lede_model::time::Timestamp;

use super::attribute;
use super::entity::push_text;
use super::text::{beginning, head, of, one_line};
use super::token::{Tag, Token, tokens};
use super::{address_in, from_text, html as clean_html, plain, verified_html};

/// Maximum length of a title and an author, in bytes.
const MAX_TITLE: usize = 1024;
const MAX_AUTHOR: usize = 256;
/// Maximum length of a title that is derived from the text, in characters.
const TITLE_FROM_TEXT: usize = 80;
/// Amount of text from which an excerpt is made, in characters without white space: twice the
/// length of an excerpt, because normalisation may reduce the number.
const EXCERPT_WORDS: usize = 2 * EXCERPT_CHARS;
/// The same limit in bytes, for text without a tag at which to stop.
const EXCERPT_SOURCE: usize = 64 * 1024;
/// Earliest plausible year; an earlier date comes from a clock that was never set.
const FIRST_YEAR: i16 = 1990;

/// Entry from the parser; all of it is untrusted.
#[derive(Debug, Clone, Copy, Default)]
pub struct RawItem<'a> {
    /// Identifier assigned by the publisher, stored unchanged.
    pub guid: Option<&'a str>,
    /// Link, absolute or relative. The parser decides if the guid serves as link.
    pub url: Option<&'a str>,
    /// May be HTML, may be empty.
    pub title: &'a str,
    /// May be HTML, may be empty.
    pub author: &'a str,
    /// Content, as HTML or plain text (see `is_html`).
    pub html: &'a str,
    /// True if `html` is HTML; otherwise it is plain text.
    pub is_html: bool,
    /// Base URL declared in the feed (`xml:base`), if any.
    pub base: Option<&'a WebUrl>,
    /// Date of publication as declared in the feed.
    pub published_at: Option<Timestamp>,
    /// Images and players: images are shown if there is no text, players always.
    pub media: &'a [Media<'a>],
}

/// Image or player of an entry. Title and caption are plain text and may be empty.
#[derive(Debug, Clone, Copy)]
pub enum Media<'a> {
    /// Page or frame that plays media.
    Player {
        /// Address of the page or frame.
        url: &'a str,
        /// Title of the video or audio.
        title: &'a str,
    },
    /// Image with a caption.
    Picture {
        /// Address of the image.
        url: &'a str,
        /// Caption as plain text.
        caption: &'a str,
    },
}

/// Maximum number of players of one entry that get a card.
const MAX_PLAYERS: usize = 4;

/// Title of an item that has neither title nor text. Its host would look like a real title.
const UNTITLED: &str = "Untitled";

/// Cleans an entry of the feed at `feed_url`, fetched at `now`.
pub fn item(raw: RawItem<'_>, feed_url: &WebUrl, now: Timestamp) -> CleanItem {
    let url = raw
        .url
        .and_then(|written| address_in(written, raw.base.unwrap_or(feed_url)));
    let hosts = [feed_url.host(), raw.base.unwrap_or(feed_url).host()];
    let url = url.map(|url| url.without_tracking(&hosts));
    // Links in the text are relative to the declared base, else to the item's own page, else to the
    // feed.
    let base = raw.base.or(url.as_ref()).unwrap_or(feed_url);
    let html = if raw.is_html {
        clean_html(raw.html, Some(base))
    } else {
        from_text(raw.html)
    };
    let text = beginning(html.as_str(), EXCERPT_WORDS);
    let line = one_line(head(&text, EXCERPT_SOURCE));
    let html = with_media(html, &text, raw.media, base);
    let author = cut(plain(raw.author), MAX_AUTHOR);
    let author = (!author.is_empty()).then_some(author);
    let title = Some(cut(plain(raw.title), MAX_TITLE))
        .filter(|title| !title.is_empty())
        .or_else(|| title_from(&first_line(&text)))
        .or_else(|| title_without_text(&html, raw.media, url.as_ref()))
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

/// Returns the first line that is not blank.
fn first_line(text: &str) -> String {
    one_line(
        text.lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or(""),
    )
}

fn title_from(line: &str) -> Option<String> {
    Some(excerpt(line, TITLE_FROM_TEXT)).filter(|title| !title.is_empty())
}

/// Prepends cards for the players to `html` and, if it shows nothing, appends the images.
fn with_media(html: CleanHtml, text: &str, media: &[Media<'_>], base: &WebUrl) -> CleanHtml {
    if media.is_empty() {
        return html;
    }
    let shows = |tags: &[&str]| tags.iter().any(|tag| html.as_str().contains(tag));
    let is_bare = text.is_empty() && !shows(&["<img", "<video", "<audio"]);
    let mut cards = String::new();
    let mut players = 0;
    let mut pictures = String::new();
    for media in media {
        match *media {
            Media::Player { url, title } if players < MAX_PLAYERS => {
                players += 1;
                push_tag(&mut cards, "iframe", &[("src", url), ("title", title)]);
                cards.push_str("</iframe>");
            }
            Media::Picture { url, caption } if is_bare => {
                pictures.push_str("<figure>");
                push_tag(&mut pictures, "img", &[("src", url), ("alt", caption)]);
                if !caption.is_empty() {
                    pictures.push_str("<figcaption>");
                    push_text(&mut pictures, caption);
                    pictures.push_str("</figcaption>");
                }
                pictures.push_str("</figure>");
            }
            Media::Player { .. } | Media::Picture { .. } => {}
        }
    }
    let cards = clean_html(&cards, Some(base));
    let is_known = html.as_str().contains(cards.as_str());
    let cards = if is_known { "" } else { cards.as_str() };
    let pictures = clean_html(&pictures, Some(base));
    if cards.is_empty() && pictures.is_empty() {
        return html;
    }
    // The parts are complete blocks, so clean parts make a clean whole.
    verified_html(format!("{cards}{}{}", html.as_str(), pictures.as_str()))
}

fn push_tag(out: &mut String, name: &str, attributes: &[(&str, &str)]) {
    out.push('<');
    out.push_str(name);
    for (name, value) in attributes {
        attribute::push(out, name, value);
    }
    out.push('>');
}

/// Returns a title for an item without text: the text of its card or image, the description of its
/// media, or the words in its address.
fn title_without_text(
    html: &CleanHtml,
    media: &[Media<'_>],
    url: Option<&WebUrl>,
) -> Option<String> {
    let described = || {
        media.iter().find_map(|media| match media {
            Media::Player { title: words, .. } | Media::Picture { caption: words, .. } => {
                title_from(&one_line(words))
            }
        })
    };
    let pictured = || {
        let label = |tag: Tag<'_>, name| tag.attribute(name).and_then(|text| title_from(&text));
        tokens(html.as_str()).find_map(|token| match token {
            Token::Start(tag) if tag.name == "img" => {
                label(tag, "alt").or_else(|| label(tag, "title"))
            }
            _ => None,
        })
    };
    title_from(&first_line(&of(html.as_str())))
        .or_else(pictured)
        .or_else(described)
        .or_else(|| title_from(&slug_words(url?)?))
}

/// Returns the words at the end of an address: `/photos/sunset-at-sea.html`.
fn slug_words(url: &WebUrl) -> Option<String> {
    let last = url
        .as_url()
        .path_segments()?
        .rfind(|part| !part.is_empty())?;
    let stem = last.split_once('.').map_or(last, |(stem, _)| stem);
    let words: Vec<&str> = stem.split(['-', '_']).collect();
    let is_words = words.len() > 1
        && words
            .iter()
            .all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase()));
    is_words.then(|| words.join(" "))
}

/// Returns `true` for years from 1990 to the next one. A date in the future is preserved: it is
/// shown, and the store sorts by the time the item was first seen.
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
    fn a_title_from_the_text_does_not_end_where_the_source_was_wrapped() {
        for (html, expected) in [
            (
                "<p>A sentence that\nwas wrapped.</p><p>Next</p>",
                "A sentence that was wrapped.",
            ),
            ("one\r\n  two<br>three", "one two"),
            ("<div>\n<h3>\nHead\n</h3>text</div>", "Head"),
        ] {
            let made = cleaned(RawItem {
                html,
                is_html: true,
                ..RawItem::default()
            });
            assert_eq!(made.title, expected, "{html:?}");
        }
    }

    #[test]
    fn an_item_that_is_only_a_video_or_a_photo_says_so() {
        let video = Media::Player {
            url: "https://www.youtube.com/v/abc",
            title: "A talk",
        };
        let photo = Media::Picture {
            url: "/p.jpg",
            caption: "A & B",
        };
        let bare = Media::Picture {
            url: "/p.jpg",
            caption: "",
        };
        let made = |html, media: &[Media<'_>], url| {
            let made = item(
                RawItem {
                    url: Some(url),
                    html,
                    is_html: true,
                    media,
                    ..RawItem::default()
                },
                &feed(),
                now(),
            );
            assert_eq!(clean_html(made.html.as_str(), None), made.html);
            (made.title, made.html.as_str().to_owned(), made.excerpt)
        };
        let (title, html, excerpt) = made("", &[video, photo], "/1");
        assert_eq!((title.as_str(), excerpt.as_str()), ("A talk", ""));
        assert!(html.starts_with(
            "<figure class=\"lede-embed\"><a href=\"https://www.youtube.com/watch?v=abc\""
        ));
        assert!(html.contains("<figcaption>A &amp; B</figcaption>"));
        let (title, html, excerpt) = made("<p>words</p>", &[video, photo], "/1");
        assert_eq!((title.as_str(), excerpt.as_str()), ("words", "words"));
        assert!(html.contains("lede-embed") && !html.contains("<img"));
        assert_eq!(made("", &[photo], "/1").0, "A & B");
        assert_eq!(
            made("", &[bare], "/2024/sunset-at-sea.html").0,
            "sunset at sea"
        );
        assert_eq!(
            made("<img src=/x.png alt='The sea'>", &[bare], "/1").0,
            "The sea"
        );
        assert_eq!(
            made("<iframe src=https://vimeo.com/1></iframe>", &[], "/1").0,
            "vimeo.com/1"
        );
        assert_eq!(made("", &[bare], "/1").0, UNTITLED);
        let hostile = Media::Player {
            url: "javascript:alert(1)",
            title: "<script>",
        };
        assert_eq!(made("<p>a</p>", &[hostile], "/1").1, "<p>a</p>");
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
        assert_eq!(at(631_151_999), None); // last second of 1989
        assert!(at(631_152_000).is_some());
        assert!(at(1_798_761_599).is_some()); // last second of 2026
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
