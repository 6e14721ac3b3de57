//! One entry of a feed: from what the publisher wrote to an item that can be kept.

use std::borrow::Cow;

use lede_ai::embedded;
use lede_feed::{ParsedEntry, Text, TextKind, clean};
use lede_model::address::WebUrl;
use lede_model::item::{CleanItem, Enclosure, ItemDetails};
use lede_model::time::Timestamp;
use lede_store::intake::{Cleaning, NewItem};

/// Files of one item that are kept, and what it is filed under (hardening 3.3).
const MAX_ENCLOSURES: usize = 16;
const MAX_CATEGORIES: usize = 32;
const MAX_CATEGORY_BYTES: usize = 128;
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
    let author = entry.authors.first();
    let raw = clean::RawItem {
        guid: entry.id.as_deref(),
        url: entry.link.as_deref(),
        title: &entry.title.as_ref().map(as_markup).unwrap_or_default(),
        author: author
            .and_then(|person| person.name.as_deref().or(person.email.as_deref()))
            .unwrap_or_default(),
        html: text.map(|text| text.value.as_str()).unwrap_or_default(),
        is_html: text.is_some_and(|text| text.kind != TextKind::Plain),
        base: base.as_ref(),
        published_at: entry.published_at.or(entry.updated_at).or(entry.created_at),
    };
    clean::item(raw, feed_url, now)
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
    let files = entry.enclosures.iter().filter(|file| {
        let mime = file.mime.as_deref().unwrap_or_default();
        mime == "image" || mime.starts_with("image/")
    });
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
    let enclosures = entry.enclosures.iter().filter_map(|file| {
        Some(enclosure(
            address(&file.url)?,
            file.mime.as_deref(),
            file.length,
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
    let enclosures = details
        .enclosures
        .into_iter()
        .map(|file| enclosure(file.url, file.mime_type.as_deref(), file.bytes));
    ItemDetails {
        enclosures: enclosures.take(MAX_ENCLOSURES).collect(),
        categories: categories(details.categories.iter().map(String::as_str)),
        comments_url: details.comments_url,
    }
}

fn enclosure(url: WebUrl, mime: Option<&str>, bytes: Option<u64>) -> Enclosure {
    Enclosure {
        url,
        mime_type: mime
            .map(clean::plain)
            .filter(|mime| !mime.is_empty() && mime.len() <= MAX_MIME_BYTES),
        bytes,
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
