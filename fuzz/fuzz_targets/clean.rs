//! Any text as HTML: cleaning is idempotent, and the result contains nothing that is not on the allow-lists.
//!
//! The last byte of the input selects if there is an address to resolve links against, so that a
//! file of any corpus is a valid input.

#![no_main]

use lede_feed::clean;
use lede_model::address::WebUrl;
use libfuzzer_sys::fuzz_target;

/// An independent copy of the allow-lists, with another parser.
#[path = "../../crates/feed/src/clean/tests/audit.rs"]
mod audit;

fuzz_target!(|input: &[u8]| {
    let Some((choice, raw)) = input.split_last() else {
        return;
    };
    let raw = String::from_utf8_lossy(raw);
    let page = WebUrl::parse("https://example.org/blog/post").expect("a good address");
    let base = (choice % 2 == 0).then_some(&page);

    let once = clean::html(&raw, base);
    assert_eq!(clean::html(once.as_str(), None), once);
    assert_eq!(
        audit::violations(once.as_str()),
        [""; 0],
        "{}",
        once.as_str()
    );
    let _ = clean::text(&once);
    let _ = clean::with_pictures(&once, |url| format!("/pictures/{}", url.host()));

    let text = clean::from_text(&raw);
    assert_eq!(clean::html(text.as_str(), None), text);

    let line = clean::plain(&raw);
    assert!(!line.contains(['\n', '\r', '\t']) && line.trim() == line);
});
