//! The client of a request: its address, and if the connection is encrypted.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::extract::{ConnectInfo, Request};
use axum::http::HeaderMap;
use ipnet::IpNet;

use crate::Settings;

/// Headers that proxies add. Any of them means that the connection may belong to another client.
const PROXY_HEADERS: [&str; 6] = [
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
];

/// The client of a request, as far as its claims can be trusted.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    /// Address of the client, behind proxies that the operator trusts.
    pub(crate) ip: IpAddr,
    /// True if this instance is reached by https, according to its base URL or a trusted proxy.
    pub(crate) is_https: bool,
    /// True if the client runs on this machine and no proxy is involved.
    pub(crate) is_local: bool,
    /// True if the client is local and used a loopback host name.
    pub(crate) is_at_home: bool,
}

impl Client {
    /// `is_https` is true if the operator's base URL is https.
    pub(crate) fn of(request: &Request, settings: &Settings, is_https: bool) -> Self {
        let peer = request
            .extensions()
            .get::<ConnectInfo<SocketAddr>>()
            .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(address)| {
                address.ip().to_canonical()
            });
        let headers = request.headers();
        let is_proxied = PROXY_HEADERS.iter().any(|name| headers.contains_key(*name));
        let trusts_peer = is_in(peer, &settings.trusted_proxies);
        let forwarded_https = headers
            .get("x-forwarded-proto")
            .is_some_and(|proto| proto == "https");
        // Behind a proxy on this machine that is not configured as trusted, every client would look
        // local.
        let is_local = peer.is_loopback() && !is_proxied;
        Self {
            ip: if trusts_peer {
                forwarded_for(peer, headers, &settings.trusted_proxies)
            } else {
                peer
            },
            is_https: is_https || (trusts_peer && forwarded_https),
            is_local,
            // A page of another site may let its own host name resolve to this machine (DNS rebinding).
            is_at_home: is_local && has_loopback_name(headers),
        }
    }

    /// Key that rate limits count this client under.
    pub(crate) fn limit_key(&self) -> IpAddr {
        network(self.ip)
    }
}

/// Returns the address that limits count `ip` under. For IPv6 that is the /64 network, because one
/// household has all of it.
pub(crate) fn network(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(_) => ip,
        IpAddr::V6(ip) => {
            let [a, b, c, d, ..] = ip.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

pub(crate) fn is_in(ip: IpAddr, networks: &[IpNet]) -> bool {
    networks.iter().any(|network| network.contains(&ip))
}

/// Walks `X-Forwarded-For` from the right, past trusted proxies, to the first address that is not
/// one of them. Everything to the left of it can be forged.
fn forwarded_for(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let mut client = peer;
    let lines: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|line| line.to_str().ok())
        .collect();
    for hop in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
        let Ok(ip) = hop.trim().parse::<IpAddr>() else {
            break;
        };
        client = ip.to_canonical();
        if !is_in(client, trusted) {
            break;
        }
    }
    client
}

fn has_loopback_name(headers: &HeaderMap) -> bool {
    let host = headers
        .get("host")
        .and_then(|host| host.to_str().ok())
        .unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transport;

    fn client(peer: &str, headers: &[(&str, &str)], trusted: &[&str]) -> Client {
        let settings = Settings {
            trusted_proxies: trusted
                .iter()
                .map(|network| network.parse().unwrap())
                .collect(),
            cors_origins: Vec::new(),
            rate_limit_enabled: true,
            metrics_allowed: Vec::new(),
            metrics_token: None,
            transport: Transport::default(),
            in_force: Vec::new(),
        };
        let mut request = Request::builder();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(axum::body::Body::empty()).unwrap();
        request
            .extensions_mut()
            .insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 1)));
        Client::of(&request, &settings, false)
    }

    #[test]
    fn forwarded_addresses_count_only_from_trusted_proxies_and_from_the_right() {
        let seen = |peer, chain, trusted: &[&str]| {
            client(peer, &[("x-forwarded-for", chain)], trusted)
                .ip
                .to_string()
        };
        assert_eq!(seen("203.0.113.9", "1.2.3.4", &[]), "203.0.113.9");
        assert_eq!(seen("10.0.0.1", "1.2.3.4", &["10.0.0.0/8"]), "1.2.3.4");
        assert_eq!(
            seen("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.2", &["10.0.0.0/8"]),
            "1.2.3.4"
        );
        assert_eq!(
            seen("10.0.0.1", "junk, 10.0.0.2", &["10.0.0.0/8"]),
            "10.0.0.2"
        );
        assert_eq!(
            seen("::ffff:10.0.0.1", "::ffff:1.2.3.4", &["10.0.0.0/8"]),
            "1.2.3.4"
        );
    }

    #[test]
    fn only_a_direct_visit_by_a_loopback_name_is_at_home() {
        let home =
            |peer, headers: &[(&str, &str)]| client(peer, headers, &["127.0.0.0/8"]).is_at_home;
        assert!(home("127.0.0.1", &[("host", "localhost:8080")]));
        assert!(home("::1", &[("host", "[::1]:8080")]));
        assert!(!home("127.0.0.1", &[("host", "rebound.example:8080")]));
        assert!(!home(
            "127.0.0.1",
            &[("host", "localhost"), ("x-forwarded-for", "1.2.3.4")]
        ));
        assert!(!home("192.168.1.5", &[("host", "localhost")]));
    }
}
