//! Invariants of every web address and of every verdict about one, shared by the property tests and
//! the fuzzer.

use std::net::{IpAddr, Ipv4Addr};

use lede_model::address::{MAX_URL_BYTES, WebUrl};
use lede_net::{AllowList, Purpose, verdict};

/// Checks the invariants for a `typed` address, a `reference` found there and the `addresses` of
/// its host.
pub(crate) fn hold(typed: &str, reference: &str, allow: &str, addresses: &[IpAddr]) {
    if let Ok(url) = WebUrl::parse(typed) {
        is_an_address(&url, typed);
        assert_eq!(WebUrl::from_typed(url.as_str()).as_ref(), Ok(&url));
    }
    let Ok(url) = WebUrl::from_typed(typed) else {
        return;
    };
    is_an_address(&url, typed);
    is_guarded(&url, addresses);
    if let Ok(target) = url.join(reference) {
        is_an_address(&target, &format!("{reference} {url}"));
        is_guarded(&target, addresses);
    }
    if let Ok(allow) = allow.parse::<AllowList>() {
        assert_eq!(allow.to_string().parse().as_ref(), Ok(&allow));
        let _ = verdict(&url, Purpose::Feed, &allow, addresses);
    }
}

/// Checks the invariants of an address, independently of its source.
fn is_an_address(url: &WebUrl, written: &str) {
    assert!(matches!(url.as_url().scheme(), "http" | "https"));
    assert!(url.as_url().username().is_empty() && url.as_url().password().is_none());
    assert!(!url.host().is_empty() && url.as_str().len() <= MAX_URL_BYTES);
    assert!(!url.as_str().contains(|c: char| c.is_control() || c == ' '));
    assert_eq!(WebUrl::parse(url.as_str()).as_ref(), Ok(url));
    // A trailing dot is handled by the guard.
    let host = url.host().trim_end_matches('.');
    assert!(host.ends_with(url.root_domain().trim_end_matches('.')));
    assert!(!url.identity_key().is_empty());
    let clean = url.clone().without_tracking(&[]);
    assert_eq!(clean.clone().without_tracking(&[]), clean);
    if let Ok(number) = url.host().parse::<Ipv4Addr>() {
        // A number written in any other form is a disguise and must have been refused.
        assert!(
            written.contains(&number.to_string()),
            "{written} hides {number}"
        );
    }
}

/// Without an allow-list, only public addresses on the usual ports are reachable.
fn is_guarded(url: &WebUrl, addresses: &[IpAddr]) {
    for (purpose, ports) in [
        (Purpose::Feed, &[80, 443, 8080, 8443][..]),
        (Purpose::Page, &[80, 443]),
    ] {
        if verdict(url, purpose, &AllowList::default(), addresses).is_err() {
            continue;
        }
        assert!(ports.contains(&url.port()), "{url}");
        let bare = url.host().trim_matches(['[', ']']);
        match bare.parse::<IpAddr>() {
            Ok(literal) => assert!(!is_private(literal), "{url}"),
            Err(_) => {
                assert!(!addresses.iter().copied().any(is_private), "{url}");
                assert!(bare.contains('.') && !bare.ends_with('.'), "{url}");
                let is_reserved = [".localhost", ".internal", ".local", ".test"]
                    .iter()
                    .any(|suffix| bare.ends_with(suffix));
                assert!(!is_reserved, "{url}");
            }
        }
    }
}

/// Second opinion on the guard's own table: less complete, but from `std`.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(ip) => {
            ip.is_private()
                || ip.is_loopback()
                || ip.is_link_local()
                || ip.is_unspecified()
                || ip.is_broadcast()
                || ip.is_multicast()
                || ip.is_documentation()
        }
        IpAddr::V6(ip) => {
            ip.is_loopback()
                || ip.is_unspecified()
                || ip.is_multicast()
                || ip.is_unique_local()
                || ip.is_unicast_link_local()
                || ip.to_ipv4().is_some()
        }
    }
}
