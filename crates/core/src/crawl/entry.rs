//! Conversion of one feed entry, as the publisher wrote it, to an item that can be stored.

use std::borrow::Cow;

use lede_ai::embedded;
use lede_feed::clean::Media;
use lede_feed::{ParsedEntry, Text, TextKind, clean};
use lede_model::address::WebUrl;
use lede_model::item::{CleanItem, Enclosure, ItemDetails};
use lede_model::time::Timestamp;
use lede_store::ingest::{Cleaning, NewItem};

/// Limits on the enclosures and categories that are stored with an item.
const MAX_ENCLOSURES: usize = 16;
const MAX_CATEGORIES: usize = 32;
const MAX_CATEGORY_BYTES: usize = 128;
/// Captions of images are a few sentences.
const MAX_CAPTION_BYTES: usize = 1024;
/// A media type is two words; anything longer is not one.
const MAX_MIME_BYTES: usize = 100;

/// The cleaning rules of this version, for the store.
pub(crate) const CLEANING: Cleaning = Cleaning {
    policy_version: clean::POLICY_VERSION,
    text_of: clean::text,
};

/// Cleans an entry of the feed at `feed_url` and summarises it in one line.
pub(super) fn read(entry: &ParsedEntry, feed_url: &WebUrl, now: Timestamp) -> NewItem {
    let item = clean_entry(entry, feed_url, now);
    NewItem {
        lede: embedded::lede(&item.title, &item.excerpt),
        // As declared; `languages` detects it later from the text of all items of a fetch.
        language: entry.language.clone(),
        reading_minutes: item.html.reading_minutes(),
        image_url: image(entry),
        details: details(entry),
        wants_article: false,
        item,
    }
}

fn clean_entry(entry: &ParsedEntry, feed_url: &WebUrl, now: Timestamp) -> CleanItem {
    let text = entry
        .content
        .iter()
        .find(|text| !text.value.trim().is_empty())
        .or(entry.summary.as_ref());
    // Relative links are relative to the entry's own page, unless the feed sets a base.
    let page = entry.link.as_deref().and_then(address);
    let base = text
        .and_then(|text| address(&text.base))
        .filter(|base| base != feed_url)
        .or(page);
    let described = described_media(entry);
    let media: Vec<Media<'_>> = described.iter().map(Described::as_media).collect();
    let raw = clean::RawItem {
        guid: entry.id.as_deref(),
        url: entry.link.as_deref(),
        title: &entry.title.as_ref().map(as_markup).unwrap_or_default(),
        author: &authors(entry),
        html: text.map(|text| text.value.as_str()).unwrap_or_default(),
        is_html: text.is_some_and(|text| text.kind != TextKind::Plain),
        base: base.as_ref(),
        published_at: entry.published_at.or(entry.updated_at).or(entry.created_at),
        media: &media,
    };
    clean::item(raw, feed_url, now)
}

/// The names of all authors, without duplicates, separated by commas.
fn authors(entry: &ParsedEntry) -> String {
    let mut names: Vec<&str> = Vec::new();
    let people = entry.authors.iter();
    for name in people.filter_map(|person| person.name.as_deref().or(person.email.as_deref())) {
        let name = name.trim();
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// An image or a player with its description as plain text.
struct Described<'e> {
    url: &'e str,
    words: String,
    is_player: bool,
}

impl Described<'_> {
    fn as_media(&self) -> Media<'_> {
        match self.is_player {
            true => Media::Player {
                url: self.url,
                title: &self.words,
            },
            false => Media::Picture {
                url: self.url,
                caption: &self.words,
            },
        }
    }
}

/// The media to show for an entry without text: players, and its images or else its preview. Audio
/// and video that can be played here are shown as enclosures instead.
fn described_media(entry: &ParsedEntry) -> Vec<Described<'_>> {
    let words = |text: Option<&Text>| text.map(|text| clean::plain(&as_markup(text)));
    let plays_here = |file: &lede_feed::parsed::Enclosure| {
        let mime = file.mime.as_deref().unwrap_or_default();
        ["audio", "video"].iter().any(|kind| mime.starts_with(kind)) && !is_player(&file.url)
    };
    let has_file = entry.enclosures.iter().any(plays_here);
    let mut media: Vec<Described<'_>> = Vec::new();
    let files = entry.enclosures.iter();
    let players = entry
        .players
        .iter()
        .filter(|url| !has_file || is_player(url));
    let players = players.chain(files.map(|file| &file.url).filter(|url| is_player(url)));
    for url in players {
        if !media.iter().any(|known| known.url == url) {
            media.push(Described {
                url,
                words: words(entry.title.as_ref()).unwrap_or_default(),
                is_player: true,
            });
        }
    }
    let pictures = entry.enclosures.iter().filter(|file| file.is_picture());
    let pictures = pictures.map(|file| Described {
        url: &file.url,
        words: words(file.caption.as_ref()).unwrap_or_default(),
        is_player: false,
    });
    let before = media.len();
    media.extend(pictures);
    if media.len() == before && !has_file {
        let preview = entry.thumbnails.iter().chain(&entry.image).next();
        media.extend(preview.map(|url| Described {
            url,
            words: String::new(),
            is_player: false,
        }));
    }
    media
}

fn is_player(url: &str) -> bool {
    address(url).is_some_and(|url| clean::is_player(&url))
}

/// Returns the text as markup. Plain text is escaped, so that `a < b` is not taken for a tag.
pub(super) fn as_markup(text: &Text) -> Cow<'_, str> {
    match text.kind {
        TextKind::Html | TextKind::Xhtml => Cow::Borrowed(&text.value),
        TextKind::Plain => escaped(&text.value),
    }
}

/// Escapes plain text for use as markup.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if text.contains(['<', '&']) {
        Cow::Owned(text.replace('&', "&amp;").replace('<', "&lt;"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Parses an address, which is absolute by now. `None` if it cannot be followed.
fn address(text: &str) -> Option<WebUrl> {
    clean::web_address(text)
}

/// The image that the publisher chose for the entry.
fn image(entry: &ParsedEntry) -> Option<WebUrl> {
    let files = entry.enclosures.iter().filter(|file| file.is_picture());
    let declared = entry.thumbnails.iter().chain(&entry.image);
    declared
        .map(String::as_str)
        .chain(files.map(|file| file.url.as_str()))
        .find_map(address)
}

fn details(entry: &ParsedEntry) -> ItemDetails {
    let names = entry
        .categories
        .iter()
        .map(|category| category.label.as_ref().unwrap_or(&category.term).as_str());
    // A player is shown as a card in the text.
    let files = entry.enclosures.iter().filter(|file| !is_player(&file.url));
    let enclosures = files.filter_map(|file| {
        let caption = file.caption.as_ref().filter(|_| file.is_picture());
        Some(enclosure(
            address(&file.url)?,
            file.mime.as_deref(),
            file.length,
            caption.map(|text| clean::plain(&as_markup(text))),
        ))
    });
    ItemDetails {
        enclosures: enclosures.take(MAX_ENCLOSURES).collect(),
        categories: categories(names),
        comments_url: entry.comments_url.as_deref().and_then(address),
    }
}

/// Applies the limits for feed content to imported details.
pub(crate) fn bounded_details(details: ItemDetails) -> ItemDetails {
    let enclosures = details.enclosures.into_iter().map(|file| {
        let caption = file.caption.map(|caption| clean::plain(&escaped(&caption)));
        enclosure(file.url, file.mime_type.as_deref(), file.bytes, caption)
    });
    ItemDetails {
        enclosures: enclosures.take(MAX_ENCLOSURES).collect(),
        categories: categories(details.categories.iter().map(String::as_str)),
        comments_url: details.comments_url,
    }
}

fn enclosure(
    url: WebUrl,
    mime: Option<&str>,
    bytes: Option<u64>,
    caption: Option<String>,
) -> Enclosure {
    Enclosure {
        url,
        mime_type: mime
            .map(clean::plain)
            .filter(|mime| !mime.is_empty() && mime.len() <= MAX_MIME_BYTES),
        bytes,
        caption: caption
            .map(|text| {
                text[..text.floor_char_boundary(MAX_CAPTION_BYTES)]
                    .trim_end()
                    .to_owned()
            })
            .filter(|text| !text.is_empty()),
    }
}

/// Cleans category names: no duplicates, limited in length and number.
fn categories<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut categories: Vec<String> = Vec::new();
    for name in names {
        let text = clean::plain(name);
        let text = text[..text.floor_char_boundary(MAX_CATEGORY_BYTES)].trim_end();
        if !text.is_empty() && !categories.iter().any(|known| known == text) {
            categories.push(text.to_owned());
        }
        if categories.len() == MAX_CATEGORIES {
            break;
        }
    }
    categories
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(inside: &str) -> NewItem {
        let url = WebUrl::parse("https://example.org/feed").unwrap();
        let document = format!(
            "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:media='http://search.yahoo.com/mrss/'>\
             <entry>{inside}</entry></feed>"
        );
        let feed = lede_feed::parse(document.as_bytes(), None, &url).unwrap();
        read(
            &feed.entries[0],
            &url,
            Timestamp::from_seconds(1_750_000_000),
        )
    }

    #[test]
    fn all_authors_are_named_once() {
        let made = item(
            "<author><name>Ann</name></author><author><name>Bob</name></author>\
             <author><email>c@example.org</email></author><author><name>Ann</name></author>",
        );
        assert_eq!(made.item.author.as_deref(), Some("Ann, Bob, c@example.org"));
    }

    #[test]
    fn addresses_with_odd_blanks_are_followed_as_browsers_do() {
        let made = item(
            "<link href='https://example.org/a\u{202f}b'/>\
             <link rel='enclosure' type='audio/mpeg' href='https://example.org/a\u{a0}b.mp3'/>\
             <media:thumbnail url='https://example.org/a\u{3000}b.jpg'/>",
        );
        let file = &made.details.enclosures[0];
        assert_eq!(file.url.as_str(), "https://example.org/a%C2%A0b.mp3");
        let url = made.item.url.unwrap();
        assert_eq!(url.as_str(), "https://example.org/a%E2%80%AFb");
        let image = made.image_url.unwrap();
        assert_eq!(image.as_str(), "https://example.org/a%E3%80%80b.jpg");
    }

    #[test]
    fn a_video_channel_has_cards_and_a_newspaper_has_captions() {
        let video = item(
            "<title>A talk</title><link href='https://www.youtube.com/watch?v=abc'/>\
             <media:group><media:title>A talk</media:title>\
             <media:content url='https://www.youtube.com/v/abc?version=3' type='application/x-shockwave-flash'/>\
             <media:thumbnail url='https://i.ytimg.com/vi/abc/hqdefault.jpg'/>\
             <media:description/></media:group>",
        );
        let html = video.item.html.as_str();
        assert!(html.contains("lede-embed\"><a href=\"https://www.youtube.com/watch?v=abc\""));
        assert!(html.contains("https://i.ytimg.com/vi/abc/hqdefault.jpg"));
        assert_eq!(video.details.enclosures, []);
        let news = item(
            "<title>News</title><summary>What happened.</summary>\
             <media:content url='https://example.org/p.jpg' medium='image'>\
             <media:description>A long caption of the picture.</media:description></media:content>",
        );
        assert_eq!(news.item.html.as_str(), "<p>What happened.</p>");
        let caption = news.details.enclosures[0].caption.as_deref();
        assert_eq!(caption, Some("A long caption of the picture."));
    }
}
