//! Properties of any text as an address and of any resolver answer.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use crate::rules;

/// Generates sequences of tokens that are significant to URL parsers.
fn address_soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "http",
            "https",
            "feed",
            "file",
            ":",
            "://",
            "/",
            "//",
            "\\",
            "@",
            "?",
            "#",
            "%",
            "%00",
            "%2f",
            "%31",
            ".",
            "..",
            "[",
            "]",
            "[::1]",
            "[::ffff:10.0.0.1]",
            "127.0.0.1",
            "127.1",
            "0x7f.1",
            "017700000001",
            "2130706433",
            "10.",
            "8.8.8.8",
            "localhost",
            ".localhost",
            ".internal",
            "example.org",
            "a.org",
            "xn--",
            "bücher",
            "１２７",
            "。",
            "\u{ad}",
            "ß",
            ":80",
            ":443",
            ":8080",
            ":65536",
            ":22",
            "utm_source=x",
            "&",
            "fbclid=",
            "user",
            " ",
        ])
        .prop_map(str::to_owned),
        "[a-z0-9.-]{0,6}",
        "\\PC{0,3}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn allow_list() -> impl Strategy<Value = String> {
    let entry = prop_oneof![
        prop::sample::select(vec![
            "nas.lan:9000",
            "10.0.0.0/8",
            "127.0.0.1:80",
            "[::1]:80",
            "::/0",
            "fe80::1",
            "*.org",
            "10.1.2.3/8",
            "a.org:0",
        ])
        .prop_map(str::to_owned),
        "[a-z0-9.:/\\[\\]*]{0,12}",
    ];
    prop::collection::vec(entry, 0..4).prop_map(|entries| entries.join(","))
}

fn resolved() -> impl Strategy<Value = IpAddr> {
    prop_oneof![
        any::<u32>().prop_map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits))),
        any::<u128>().prop_map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits))),
        // The public block and the blocked networks inside it.
        (any::<u16>(), any::<u128>()).prop_map(|(first, rest)| {
            let high = u128::from(0x2000 | (first & 0x1fff)) << 112;
            IpAddr::V6(Ipv6Addr::from_bits(high | (rest >> 16)))
        }),
        any::<u32>().prop_map(|bits| IpAddr::V6(Ipv4Addr::from_bits(bits).to_ipv6_mapped())),
        Just(IpAddr::V4(Ipv4Addr::new(8, 8, 8, 8))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1024) })]

    #[test]
    fn the_rules_hold_for_any_address(
        typed in address_soup(),
        reference in address_soup(),
        allow in allow_list(),
        addresses in prop::collection::vec(resolved(), 0..4),
    ) {
        rules::hold(&typed, &reference, &allow, &addresses);
    }

    #[test]
    fn the_rules_hold_for_any_answer_of_a_resolver(
        addresses in prop::collection::vec(resolved(), 1..6),
    ) {
        rules::hold("https://example.org/", "//a.org:8443/", "", &addresses);
    }
}
