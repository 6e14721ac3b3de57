//! Any text as a web address, and what the guard says to it.
//!
//! The lines of the input are: what somebody typed, what a redirect there says, the operator's
//! allow-list, and the addresses that the host resolves to.

#![no_main]

use libfuzzer_sys::fuzz_target;

/// What the property tests of the house ask for as well.
#[path = "../../crates/net/tests/it/rules.rs"]
mod rules;

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    let mut lines = text.split('\n');
    let mut next = || lines.next().unwrap_or_default();
    let (typed, reference, allow) = (next(), next(), next());
    let addresses: Vec<_> = lines.filter_map(|line| line.parse().ok()).collect();
    rules::hold(typed, reference, allow, &addresses);
});
