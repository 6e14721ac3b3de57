//! One entry of a feed: from what the publisher wrote to an item that can be kept.

use std::borrow::Cow;

use lede_ai::embedded;
use lede_feed::clean::Media;
use lede_feed::{ParsedEntry, Text, TextKind, clean};
use lede_model::address::WebUrl;
use lede_model::item::{CleanItem, Enclosure, ItemDetails};
use lede_model::time::Timestamp;
use lede_store::intake::{Cleaning, NewItem};

/// Files of one item that are kept, and what it is filed under (hardening 3.3).
const MAX_ENCLOSURES: usize = 16;
const MAX_CATEGORIES: usize = 32;
const MAX_CATEGORY_BYTES: usize = 128;
/// Captions of pictures are a few sentences.
const MAX_CAPTION_BYTES: usize = 1024;
/// A media type is two words; more is no media type.
const MAX_MIME_BYTES: usize = 100;

/// How items are cleaned here, for the store.
pub(crate) const CLEANING: Cleaning = Cleaning {
    policy_version: clean::POLICY_VERSION,
    text_of: clean::text,
};

/// Cleans an entry of the feed at `feed_url` and says in a line what it says.
pub(super) fn read(entry: &ParsedEntry, feed_url: &WebUrl, now: Timestamp) -> NewItem {
    let item = clean_entry(entry, feed_url, now);
    NewItem {
        lede: embedded::lede(&item.title, &item.excerpt),
        // As declared: `languages` looks at the words of all items of a fetch.
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
    // Relative links mean the entry's own page, unless the feed says otherwise (hardening 4.4).
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

/// The names of all authors, each once.
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

/// A picture or a player with the words about it as plain text.
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

/// What an entry has beside its text that a reader can be shown in its place: players, and its
/// pictures or else its preview. Films and sounds that can be played here are shown as files.
fn described_media(entry: &ParsedEntry) -> Vec<Described<'_>> {
    let words = |text: Option<&Text>| text.map(|text| clean::plain(&as_markup(text)));
    let title = words(entry.title.as_ref()).unwrap_or_default();
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
                words: title.clone(),
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

/// The text as markup: what is plain must not be taken for tags when it says `a < b`.
pub(super) fn as_markup(text: &Text) -> Cow<'_, str> {
    match text.kind {
        TextKind::Html | TextKind::Xhtml => Cow::Borrowed(&text.value),
        TextKind::Plain => escaped(&text.value),
    }
}

/// Plain text as markup that says the same.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if text.contains(['<', '&']) {
        Cow::Owned(text.replace('&', "&amp;").replace('<', "&lt;"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Addresses in feeds are absolute by now; what is not one that can be followed is nothing.
fn address(text: &str) -> Option<WebUrl> {
    WebUrl::parse(text).ok()
}

/// The picture that the publisher chose for it.
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
    // A player has its card in the text.
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

/// The same within the limits for what a feed says, for details that somebody brings.
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

/// What an item is filed under: each once, cut to size.
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
