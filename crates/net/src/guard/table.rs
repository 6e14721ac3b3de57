//! The address table: networks that are not public.
//!
//! It is written out instead of using `std` or a crate, because their definition of "global"
//! changes between versions and misses cases that matter here: 168.63.129.16 is a public address
//! according to every registry, yet it answers only inside one cloud, where it hands out secrets.
//! For IPv6 it is the other way round: only the block that is publicly routed is allowed, so
//! mapped, compatible, translated and link-local forms need no row each.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(a: u16, b: u16, prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0), prefix)
}

/// IPv4 networks that are only reached if the operator allows them.
const BLOCKED_V4: [Ipv4Net; 16] = [
    v4(0, 0, 0, 0, 8),        // "this network"
    v4(10, 0, 0, 0, 8),       // private
    v4(100, 64, 0, 0, 10),    // carrier-grade NAT
    v4(127, 0, 0, 0, 8),      // loopback
    v4(169, 254, 0, 0, 16),   // link-local, cloud metadata
    v4(172, 16, 0, 0, 12),    // private
    v4(192, 0, 0, 0, 24),     // protocol assignments
    v4(192, 0, 2, 0, 24),     // documentation
    v4(192, 88, 99, 0, 24),   // 6to4 relays
    v4(192, 168, 0, 0, 16),   // private
    v4(198, 18, 0, 0, 15),    // benchmarking
    v4(198, 51, 100, 0, 24),  // documentation
    v4(203, 0, 113, 0, 24),   // documentation
    v4(224, 0, 0, 0, 4),      // multicast
    v4(240, 0, 0, 0, 4),      // reserved, broadcast
    v4(168, 63, 129, 16, 32), // host agent of a cloud provider
];

/// The only IPv6 block that is publicly routed.
const PUBLIC_V6: Ipv6Net = v6(0x2000, 0, 3);

/// Networks inside [`PUBLIC_V6`] that are not public.
const BLOCKED_V6: [Ipv6Net; 4] = [
    v6(0x2001, 0, 23),      // protocol assignments: Teredo, ORCHID, benchmarking
    v6(0x2001, 0x0db8, 32), // documentation
    v6(0x2002, 0, 16),      // 6to4, which embeds any IPv4 address
    v6(0x3fff, 0, 20),      // documentation
];

/// Returns `true` if `address` is on the public internet.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(ip) => !BLOCKED_V4.iter().any(|net| net.contains(&ip)),
        IpAddr::V6(ip) => {
            PUBLIC_V6.contains(&ip) && !BLOCKED_V6.iter().any(|net| net.contains(&ip))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the first and last address of every row, and the public neighbours on both sides.
    #[test]
    fn every_row_blocks_its_edges_and_not_its_neighbours() {
        for (first, last, before, after) in [
            ("0.0.0.0", "0.255.255.255", None, Some("1.0.0.0")),
            (
                "10.0.0.0",
                "10.255.255.255",
                Some("9.255.255.255"),
                Some("11.0.0.0"),
            ),
            (
                "100.64.0.0",
                "100.127.255.255",
                Some("100.63.255.255"),
                Some("100.128.0.0"),
            ),
            (
                "127.0.0.0",
                "127.255.255.255",
                Some("126.255.255.255"),
                Some("128.0.0.0"),
            ),
            (
                "169.254.0.0",
                "169.254.255.255",
                Some("169.253.255.255"),
                Some("169.255.0.0"),
            ),
            (
                "172.16.0.0",
                "172.31.255.255",
                Some("172.15.255.255"),
                Some("172.32.0.0"),
            ),
            (
                "192.0.0.0",
                "192.0.0.255",
                Some("191.255.255.255"),
                Some("192.0.1.0"),
            ),
            (
                "192.0.2.0",
                "192.0.2.255",
                Some("192.0.1.255"),
                Some("192.0.3.0"),
            ),
            (
                "192.88.99.0",
                "192.88.99.255",
                Some("192.88.98.255"),
                Some("192.88.100.0"),
            ),
            (
                "192.168.0.0",
                "192.168.255.255",
                Some("192.167.255.255"),
                Some("192.169.0.0"),
            ),
            (
                "198.18.0.0",
                "198.19.255.255",
                Some("198.17.255.255"),
                Some("198.20.0.0"),
            ),
            (
                "198.51.100.0",
                "198.51.100.255",
                Some("198.51.99.255"),
                Some("198.51.101.0"),
            ),
            (
                "203.0.113.0",
                "203.0.113.255",
                Some("203.0.112.255"),
                Some("203.0.114.0"),
            ),
            (
                "224.0.0.0",
                "239.255.255.255",
                Some("223.255.255.255"),
                None,
            ),
            ("240.0.0.0", "255.255.255.255", None, None),
            (
                "168.63.129.16",
                "168.63.129.16",
                Some("168.63.129.15"),
                Some("168.63.129.17"),
            ),
            (
                "2001::",
                "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
                Some("2000:ffff:ffff::"),
                Some("2001:200::"),
            ),
            (
                "2001:db8::",
                "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
                Some("2001:db7:ffff::"),
                Some("2001:db9::"),
            ),
            (
                "2002::",
                "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                Some("2001:ffff:ffff::"),
                Some("2003::"),
            ),
            (
                "3fff::",
                "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
                Some("3ffe:ffff:ffff::"),
                Some("3fff:1000::"),
            ),
        ] {
            for blocked in [first, last] {
                assert!(!is_public(blocked.parse().unwrap()), "{blocked}");
            }
            for open in [before, after].into_iter().flatten() {
                assert!(is_public(open.parse().unwrap()), "{open}");
            }
        }
    }

    #[test]
    fn nothing_outside_the_routed_ipv6_block_is_public() {
        for blocked in [
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "4000::",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "ff0e::1",
        ] {
            assert!(!is_public(blocked.parse().unwrap()), "{blocked}");
        }
        for open in [
            "2000::",
            "2606:4700:4700::1111",
            "2a00:1450:4001::1",
            "8.8.8.8",
            "3fff:1000::1",
        ] {
            assert!(is_public(open.parse().unwrap()), "{open}");
        }
    }
}
