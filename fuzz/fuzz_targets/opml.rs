//! Any bytes as a subscription list: a parsed list, written out, parses to the same list.
//!
//! The last byte of the input selects the charset that the server declares, so that a file of any
//! corpus is a valid input.

#![no_main]

use lede_feed::opml::{self, MAX_DEPTH, MAX_OUTLINES};
use lede_model::time::Timestamp;
use libfuzzer_sys::fuzz_target;

const CONTENT_TYPES: [Option<&str>; 4] = [
    None,
    Some("text/x-opml; charset=utf-8"),
    Some("text/xml; charset=iso-8859-1"),
    Some("text/xml; charset=utf-16"),
];
const NOW: Timestamp = Timestamp::from_seconds(1_773_489_600);

fuzz_target!(|input: &[u8]| {
    let Some((choice, document)) = input.split_last() else {
        return;
    };
    let content_type = CONTENT_TYPES[usize::from(*choice) % CONTENT_TYPES.len()];
    let Ok(first) = opml::read(document, content_type) else {
        return;
    };
    let feeds = first.list.feeds();
    assert!(feeds.len() <= MAX_OUTLINES);
    for placed in &feeds {
        assert!(placed.folders.len() < MAX_DEPTH);
        let _ = placed.feed.address();
    }
    let written = opml::write(&first.list, NOW);
    let again = opml::read(written.as_bytes(), None).expect("what was written is a list");
    assert_eq!(again.list, first.list);
    assert!(!again.is_truncated);
});
