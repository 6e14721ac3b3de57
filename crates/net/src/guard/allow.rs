//! The operator's allow-list: destinations that the other rules would refuse.
//!
//! An entry is a host, an address or a network, with or without a port. A host entry allows that
//! name regardless of its addresses, because the operator vouches for the name. An address or
//! network entry allows connections to it, so a public name that points into it is allowed as well,
//! but a *reserved* name (`localhost`, `nas.lan`) is not: reserved names must be listed by name.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use lede_model::address::WebUrl;
use url::Host;

/// Destinations that the operator allowed explicitly.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowList(Vec<AllowEntry>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct AllowEntry {
    place: AllowedHost,
    /// `None` means every port.
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum AllowedHost {
    Name(String),
    Network(IpNet),
}

/// Entry of an allow-list that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("«{entry}» is no host, address or network with an optional port: {problem}")]
pub struct AllowListError {
    entry: String,
    problem: &'static str,
}

impl AllowList {
    /// Returns `true` if the name itself is allowed for `port`.
    pub(super) fn opens_name(&self, name: &str, port: u16) -> bool {
        self.on_port(port)
            .any(|place| matches!(place, AllowedHost::Name(opened) if opened == name))
    }

    /// Returns `true` if the address, or a network that contains it, is allowed for `port`.
    pub(super) fn opens_address(&self, address: IpAddr, port: u16) -> bool {
        self.on_port(port)
            .any(|place| matches!(place, AllowedHost::Network(net) if net.contains(&address)))
    }

    /// Returns `true` if any address is allowed for `port`, so that resolving a name makes sense.
    pub(super) fn opens_some_address(&self, port: u16) -> bool {
        self.on_port(port)
            .any(|place| matches!(place, AllowedHost::Network(_)))
    }

    fn on_port(&self, port: u16) -> impl Iterator<Item = &AllowedHost> {
        self.0
            .iter()
            .filter(move |entry| entry.port.is_none_or(|opened| opened == port))
            .map(|entry| &entry.place)
    }

    /// Returns the union of both lists.
    pub(crate) fn and(mut self, mut other: Self) -> Self {
        self.0.append(&mut other.0);
        self
    }

    /// Returns `true` if the list contains the host or literal address of `url` itself.
    pub fn opens(&self, url: &WebUrl) -> bool {
        let host = url.host().trim_matches(['[', ']']);
        match host.parse() {
            Ok(address) => self.opens_address(address, url.port()),
            Err(_) => self.opens_name(host, url.port()),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for AllowList {
    type Err = AllowListError;

    /// Parses `host[:port]`, `ip[:port]` and `cidr[:port]`, separated by commas. An IPv6 address
    /// with a port must be in brackets.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.split(',')
            .map(str::trim)
            .filter(|entry| !entry.is_empty())
            .map(|entry| {
                AllowEntry::parse(entry).map_err(|problem| AllowListError {
                    entry: entry.to_owned(),
                    problem,
                })
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl AllowEntry {
    fn parse(text: &str) -> Result<Self, &'static str> {
        let (place, port) = split_port(text)?;
        let port = port
            .map(|port| match port.parse() {
                Ok(0) | Err(_) => Err("the port is not a number from 1 to 65535"),
                Ok(port) => Ok(port),
            })
            .transpose()?;
        Ok(Self {
            place: AllowedHost::parse(place)?,
            port,
        })
    }
}

/// Splits off the port. Bare IPv6 has colons of its own and therefore never a port.
fn split_port(text: &str) -> Result<(&str, Option<&str>), &'static str> {
    if let Some(rest) = text.strip_prefix('[') {
        let (inside, after) = rest.split_once(']').ok_or("the bracket is not closed")?;
        return match after.strip_prefix(':') {
            Some(port) => Ok((inside, Some(port))),
            None if after.is_empty() => Ok((inside, None)),
            None => Err("only a port may follow the bracket"),
        };
    }
    Ok(match text.split_once(':') {
        Some((place, port)) if !port.contains(':') => (place, Some(port)),
        _ => (text, None),
    })
}

impl AllowedHost {
    fn parse(text: &str) -> Result<Self, &'static str> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Self::Network(IpNet::from(address)));
        }
        if text.contains('/') {
            let net: IpNet = text.parse().map_err(|_| "the network cannot be read")?;
            // `10.1.2.3/8` may have meant the single address; allowing sixteen million is not a
            // safe guess.
            if net.addr() != net.network() {
                return Err("the network has bits set beyond its prefix");
            }
            return Ok(Self::Network(net));
        }
        match Host::parse(text) {
            Ok(Host::Domain(name)) if name.contains(is_not_of_a_name) => {
                Err("the host name has a character that names do not have")
            }
            Ok(Host::Domain(name)) => Ok(Self::Name(name)),
            Ok(_) => Err("write the address in its plain form"),
            Err(_) => Err("the host name cannot be read"),
        }
    }
}

/// Rejects `*` in particular: an entry allows one destination, never a pattern.
fn is_not_of_a_name(c: char) -> bool {
    !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

impl fmt::Display for AllowList {
    /// Writes the list in the form that [`FromStr`] parses; the admin status shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, entry) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str(", ")?;
            }
            let place = match &entry.place {
                AllowedHost::Name(name) => name.clone(),
                AllowedHost::Network(net) if net.prefix_len() == net.max_prefix_len() => {
                    net.addr().to_string()
                }
                AllowedHost::Network(net) => net.to_string(),
            };
            match entry.port {
                Some(port) if place.contains(':') => write!(f, "[{place}]:{port}")?,
                Some(port) => write!(f, "{place}:{port}")?,
                None => f.write_str(&place)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_printed_again() {
        for text in [
            "nas.lan",
            "nas.lan:8080",
            "127.0.0.1",
            "127.0.0.1:9000",
            "10.0.0.0/8",
            "10.0.0.0/8:8080",
            "::1",
            "[::1]:9000",
            "fd00::/8",
            "[fd00::/8]:8080",
            "a.test:1, 192.168.1.0/24, [::1]:2",
            "",
        ] {
            assert_eq!(text.parse::<AllowList>().unwrap().to_string(), text);
        }
        assert_eq!(
            " A.Test ,, ".parse::<AllowList>().unwrap().to_string(),
            "a.test"
        );
        assert_eq!("[::1]".parse::<AllowList>().unwrap().to_string(), "::1");
    }

    #[test]
    fn what_could_open_more_than_was_meant_is_refused() {
        for text in [
            "10.1.2.3/8",
            "*.lan",
            "0x7f.1",
            "127.1:80",
            "nas.lan:0",
            "nas.lan:70000",
            "nas.lan:",
            "[::1",
            "[::1]x",
            "http://nas.lan",
            "nas lan",
            "10.0.0.0/33",
            ":80",
        ] {
            assert!(text.parse::<AllowList>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn an_entry_opens_its_destination_and_no_neighbour() {
        let list: AllowList = "nas.lan:81,10.1.0.0/16:82,[::1]:83,10.9.9.9"
            .parse()
            .unwrap();
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        assert!(list.opens_name("nas.lan", 81));
        assert!(!list.opens_name("nas.lan", 82));
        assert!(!list.opens_name("a.nas.lan", 81));
        assert!(list.opens_address(ip("10.1.255.255"), 82));
        assert!(!list.opens_address(ip("10.1.255.255"), 81));
        assert!(!list.opens_address(ip("10.2.0.0"), 82));
        assert!(list.opens_address(ip("::1"), 83));
        assert!(!list.opens_address(ip("::1"), 82));
        assert!(list.opens_address(ip("10.9.9.9"), 1));
        assert!(!list.opens_address(ip("10.9.9.8"), 1));
        assert!(!list.opens_address(ip("::ffff:10.9.9.9"), 1));
    }
}
