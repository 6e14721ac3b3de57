//! Any text as a date: an instant that was parsed, formatted as RFC 3339, parses to the same instant.

#![no_main]

use lede_feed::date;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    if let Some(at) = date::parse(&text) {
        assert_eq!(date::parse(&at.to_string()), Some(at), "{text:?} is {at}");
    }
});
