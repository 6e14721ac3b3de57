//! Any bytes under any charset: parsing and cleaning do not panic, and the result is within the
//! limits that the parser guarantees.
//!
//! The last byte of the input selects the charset that the server declares, so that a file of any
//! corpus is a valid input.

#![no_main]

use lede_feed::{TextKind, clean, discover, page_text, parse};
use lede_model::address::WebUrl;
use lede_model::time::Timestamp;
use libfuzzer_sys::fuzz_target;

const CONTENT_TYPES: [Option<&str>; 8] = [
    None,
    Some("text/xml; charset=utf-8"),
    Some("text/xml; charset=iso-8859-1"),
    Some("application/rss+xml; charset=utf-16"),
    Some("text/html; charset=shift_jis"),
    Some("text/plain; charset=utf-7"),
    Some("text/xml; charset=\"gb18030\""),
    Some("application/json; charset"),
];
/// Only the first entries of a long feed are cleaned, as in the ingest.
const CLEANED: usize = 500;
const NOW: Timestamp = Timestamp::from_seconds(1_773_489_600);

fuzz_target!(|input: &[u8]| {
    let Some((choice, document)) = input.split_last() else {
        return;
    };
    let content_type = CONTENT_TYPES[usize::from(*choice) % CONTENT_TYPES.len()];
    let url = WebUrl::parse("https://example.org/blog/feed").expect("a good address");
    let Ok(feed) = parse(document, content_type, &url) else {
        // A document that is not a feed may be a page, which is searched for feeds.
        let html = page_text(document, content_type);
        let _ = discover::feeds(&html, &url);
        let _ = discover::icons(&html, &url);
        return;
    };
    assert!(feed.entries.len() <= 5000);
    for entry in feed.entries.iter().take(CLEANED) {
        assert!(entry.categories.len() <= 32 && entry.enclosures.len() <= 16);
        let texts = || {
            entry
                .content
                .iter()
                .chain(&entry.summary)
                .chain(&entry.title)
        };
        for text in texts() {
            let _ = text.resolved();
        }
        let text = entry.content.first().or(entry.summary.as_ref());
        let base = text.and_then(|text| WebUrl::parse(&text.base).ok());
        let raw = clean::RawItem {
            guid: entry.id.as_deref(),
            url: entry.link.as_deref(),
            title: entry.title.as_ref().map_or("", |title| &title.value),
            author: entry
                .authors
                .first()
                .and_then(|person| person.name.as_deref())
                .unwrap_or_default(),
            html: text.map_or("", |text| &text.value),
            is_html: text.is_some_and(|text| text.kind != TextKind::Plain),
            base: base.as_ref(),
            published_at: entry.published_at,
            media: &[],
        };
        let item = clean::item(raw, &url, NOW);
        assert!(item.title.len() <= 1024 && !item.title.is_empty());
    }
});
