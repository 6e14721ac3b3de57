//! Rules for permitted destinations: names, ports and addresses.
//!
//! The decision has two steps. [`Guard::screen`] checks the URL itself and needs no network, so a
//! hop that is plainly forbidden costs nothing. [`Guard::admit`] checks the addresses that are
//! about to be connected to. The connector calls both for every connection, including those to
//! literal addresses, so no client above it can omit them. One forbidden address rejects a whole
//! DNS answer: a mixed answer is typical of a rebinding attack, and a legitimate site has no use
//! for one.

mod allow;
mod table;

use std::net::IpAddr;

use lede_model::address::WebUrl;

use crate::settings::Purpose;
pub use allow::{AllowList, AllowListError};
use table::is_public;

/// Rule by which a destination is refused. It never contains the resolved addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The name is of a kind that exists in private networks only.
    Name,
    /// At least one address is not public.
    Address,
    /// The port is not permitted for this class of requests.
    Port(u16),
}

/// Domains that are never public, including all names below them. The operator can allow single
/// names.
const PRIVATE_SUFFIXES: [&str; 10] = [
    "localhost",
    "local",
    "internal",
    "lan",
    "home.arpa",
    "svc",
    "onion",
    "test",
    "invalid",
    "example",
];

/// Ports that a class of requests may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ports {
    /// Web ports and their common alternatives, as some feeds are served there.
    Feed,
    /// Standard web ports only: for pages, images and user-supplied webhooks.
    Web,
    /// Every port: for services that the operator configured.
    Any,
}

impl Ports {
    fn open(self, port: u16) -> bool {
        match self {
            Self::Feed => matches!(port, 80 | 443 | 8080 | 8443),
            Self::Web => matches!(port, 80 | 443),
            Self::Any => true,
        }
    }
}

/// Rules for one class of requests.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    pub(crate) ports: Ports,
    pub(crate) allow: AllowList,
}

/// Destination whose name and port were accepted; its addresses are not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Destination {
    pub(crate) host: Host,
    pub(crate) port: u16,
    /// The operator allowed this name, so that its addresses are not checked.
    opened_by_name: bool,
}

/// Host in the form that the connector needs: a name to resolve or an address to connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Host {
    Name(String),
    Address(IpAddr),
}

impl Guard {
    /// Checks host and port without resolving. `host` may be a name, an IPv4 address or an IPv6
    /// address in brackets.
    pub(crate) fn screen(&self, host: &str, port: u16) -> Result<Destination, Refusal> {
        let bare = host
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .unwrap_or(host);
        if let Ok(address) = bare.parse::<IpAddr>() {
            let destination = Destination {
                host: Host::Address(address),
                port,
                opened_by_name: false,
            };
            self.admit(&destination, &[address])?;
            return Ok(destination);
        }
        let name = host.to_ascii_lowercase();
        let opened_by_name = self.allow.opens_name(&name, port);
        if !opened_by_name {
            if is_private_name(&name) {
                return Err(Refusal::Name);
            }
            if !self.ports.open(port) && !self.allow.opens_some_address(port) {
                return Err(Refusal::Port(port));
            }
        }
        Ok(Destination {
            host: Host::Name(name),
            port,
            opened_by_name,
        })
    }

    /// Checks the resolved addresses of `destination`: either all of them are permitted or none.
    pub(crate) fn admit(
        &self,
        destination: &Destination,
        addresses: &[IpAddr],
    ) -> Result<(), Refusal> {
        let port = destination.port;
        if destination.opened_by_name {
            return Ok(());
        }
        for address in addresses {
            if self.allow.opens_address(*address, port) {
                continue;
            }
            if !is_public(*address) {
                return Err(Refusal::Address);
            }
            if !self.ports.open(port) {
                return Err(Refusal::Port(port));
            }
        }
        Ok(())
    }
}

/// Checks if a request for `purpose` may go to `url`, given the `addresses` of its host. This is
/// the decision of the connector without a connection: to inform a user beforehand, and to test the
/// rules with more addresses than a test could connect to. A literal address stands for itself.
pub fn verdict(
    url: &WebUrl,
    purpose: Purpose,
    allow: &AllowList,
    addresses: &[IpAddr],
) -> Result<(), Refusal> {
    let guard = Guard {
        ports: purpose.ports(),
        allow: allow.clone(),
    };
    let destination = guard.screen(url.host(), url.port())?;
    match destination.host {
        Host::Address(_) => Ok(()),
        Host::Name(_) => guard.admit(&destination, addresses),
    }
}

fn is_private_name(name: &str) -> bool {
    !name.contains('.')
        || name.ends_with('.')
        || PRIVATE_SUFFIXES.iter().any(|suffix| {
            name.strip_suffix(suffix)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(ports: Ports, allow: &str) -> Guard {
        Guard {
            ports,
            allow: allow.parse().unwrap(),
        }
    }

    fn resolved(guard: &Guard, name: &str, port: u16, answer: &[&str]) -> Result<(), Refusal> {
        let answer: Vec<IpAddr> = answer.iter().map(|ip| ip.parse().unwrap()).collect();
        guard.admit(&guard.screen(name, port)?, &answer)
    }

    #[test]
    fn names_of_private_networks_are_refused() {
        let guard = guard(Ports::Any, "");
        for name in [
            "intranet",
            "localhost",
            "a.localhost",
            "printer.local",
            "metadata.google.internal",
            "nas.lan",
            "home.arpa",
            "x.home.arpa",
            "db.default.svc",
            "abc.onion",
            "a.test",
            "a.invalid",
            "a.example",
            "example.org.",
            "LOCALHOST",
        ] {
            assert_eq!(guard.screen(name, 80).unwrap_err(), Refusal::Name, "{name}");
        }
        for name in [
            "example.org",
            "atlan.com",
            "mylocal.net",
            "local.example.org",
            "internal.io",
        ] {
            assert!(guard.screen(name, 80).is_ok(), "{name}");
        }
    }

    #[test]
    fn ports_depend_on_the_kind_of_request() {
        for (ports, open, closed) in [
            (
                Ports::Feed,
                &[80, 443, 8080, 8443][..],
                &[22, 25, 81, 6379, 8000][..],
            ),
            (Ports::Web, &[80, 443][..], &[22, 8080, 8443][..]),
            (Ports::Any, &[22, 11434][..], &[][..]),
        ] {
            let guard = guard(ports, "");
            for port in open {
                assert!(guard.screen("example.org", *port).is_ok());
                assert!(guard.screen("8.8.8.8", *port).is_ok());
            }
            for port in closed {
                assert_eq!(
                    guard.screen("example.org", *port),
                    Err(Refusal::Port(*port))
                );
                assert_eq!(guard.screen("8.8.8.8", *port), Err(Refusal::Port(*port)));
            }
        }
    }

    #[test]
    fn literals_take_the_same_path_as_names() {
        let guard = guard(Ports::Any, "");
        for literal in [
            "127.0.0.1",
            "169.254.169.254",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[fe80::1]",
        ] {
            assert_eq!(
                guard.screen(literal, 80),
                Err(Refusal::Address),
                "{literal}"
            );
        }
    }

    #[test]
    fn one_private_address_spoils_the_answer() {
        let guard = guard(Ports::Feed, "");
        assert_eq!(
            resolved(&guard, "a.org", 80, &["8.8.8.8", "2606:4700::1"]),
            Ok(())
        );
        for answer in [
            ["8.8.8.8", "10.0.0.1"],
            ["::1", "8.8.8.8"],
            ["127.0.0.1", "127.0.0.1"],
        ] {
            assert_eq!(
                resolved(&guard, "a.org", 80, &answer),
                Err(Refusal::Address)
            );
        }
    }

    #[test]
    fn the_allow_list_lifts_each_rule_for_its_destination_alone() {
        let guard = guard(Ports::Web, "nas.lan:9000, 10.0.0.0/24:9001, 127.0.0.1:9002");
        assert_eq!(resolved(&guard, "nas.lan", 9000, &["192.168.1.7"]), Ok(()));
        assert_eq!(resolved(&guard, "nas.lan", 80, &[]), Err(Refusal::Name));
        assert_eq!(resolved(&guard, "b.lan", 9000, &[]), Err(Refusal::Name));
        assert!(guard.screen("127.0.0.1", 9002).is_ok());
        assert_eq!(guard.screen("127.0.0.1", 9003), Err(Refusal::Address));
        assert_eq!(guard.screen("127.0.0.2", 9002), Err(Refusal::Address));
        // A reserved name must be allowed by name, not through the address behind it.
        assert_eq!(guard.screen("localhost", 9002), Err(Refusal::Name));
        // A public name may point into an allowed network; other addresses and ports stay blocked.
        assert_eq!(resolved(&guard, "a.org", 9001, &["10.0.0.9"]), Ok(()));
        assert_eq!(
            resolved(&guard, "a.org", 80, &["10.0.0.9"]),
            Err(Refusal::Address)
        );
        assert_eq!(
            resolved(&guard, "a.org", 9001, &["10.0.1.9"]),
            Err(Refusal::Address)
        );
        assert_eq!(
            resolved(&guard, "a.org", 9001, &["8.8.8.8"]),
            Err(Refusal::Port(9001))
        );
        assert_eq!(
            resolved(&guard, "a.org", 9001, &["10.0.0.9", "192.168.0.1"]),
            Err(Refusal::Address)
        );
    }
}
