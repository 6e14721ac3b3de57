//! Any text as a web address, and the decision of the network guard about it.
//!
//! The lines of the input are: a typed address, a redirect's `Location`, the operator's allow-list,
//! and the addresses that the host resolves to.

#![no_main]

use libfuzzer_sys::fuzz_target;

/// The assertions, shared with the property tests of `lede-net`.
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
