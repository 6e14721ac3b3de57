//! Web addresses: validation, identity and removal of tracking parameters.
//!
//! [`WebUrl`] is the only address type that leaves this crate. Its text is checked *before*
//! parsing, because URL parsers repair malformed input (`http:\\host`, `http://0x7f.1/`), and the
//! repaired form hides an attack. Which hosts and networks may be *reached* is decided in
//! `lede-net`, at connect time, on the resolved address.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::{Host, Url};

use crate::message::messages;

/// Maximum length of an address that is stored or followed.
pub const MAX_URL_BYTES: usize = 2048;

/// Query parameters that track the origin of a click and have no influence on the content, in lower
/// case: prefixes of names here, and whole names, grouped by vendor, in [`TRACKING_NAMES`].
const TRACKING_PREFIXES: [&str; 6] = ["hsa_", "matomo_", "mtm_", "piwik_", "pk_", "utm_"];
const TRACKING_NAMES: [(&str, &[&str]); 23] = [
    ("Adobe", &["s_cid", "sc_cid"]),
    ("beehiiv", &["_bhlid"]),
    ("Branch", &["_branch_match_id", "_branch_referrer"]),
    (
        "Facebook",
        &[
            "fbclid",
            "fb_action_ids",
            "fb_action_types",
            "fb_comment_id",
            "fb_ref",
            "fb_source",
        ],
    ),
    (
        "Google",
        &[
            "dclid",
            "gad_source",
            "gbraid",
            "gclid",
            "gclsrc",
            "srsltid",
            "wbraid",
        ],
    ),
    (
        "Google Analytics",
        &[
            "campaign_content",
            "campaign_id",
            "campaign_medium",
            "campaign_name",
            "campaign_source",
            "campaign_term",
            "itm_campaign",
            "itm_medium",
            "itm_source",
        ],
    ),
    (
        "HubSpot",
        &[
            "__hsfp",
            "__hssc",
            "__hstc",
            "_hsenc",
            "_hsmi",
            "hsctatracking",
        ],
    ),
    (
        "Humble Bundle",
        &["hmb_campaign", "hmb_medium", "hmb_source"],
    ),
    ("Instagram", &["igsh", "igshid"]),
    ("LinkedIn", &["li_fat_id"]),
    ("Mailchimp", &["mc_cid", "mc_eid", "mc_tc"]),
    ("MailerLite", &["ml_subscriber", "ml_subscriber_hash"]),
    ("Marketo", &["mkt_tok"]),
    ("Microsoft", &["msclkid"]),
    ("Olytics", &["oly_anon_id", "oly_enc_id", "rb_clickid"]),
    ("Openstat", &["_openstat"]),
    ("Pinterest", &["epik"]),
    ("Readwise", &["__readwiselocation"]),
    ("TikTok", &["ttclid"]),
    ("Twitter", &["twclid"]),
    ("Vero", &["vero_conv", "vero_id"]),
    ("Wicked Reports", &["wickedid"]),
    ("Yandex", &["yclid", "ysclid"]),
];

/// A parameter in which some sites put their own host in outgoing links. On other sites it has a
/// meaning: a branch, a page, a book. So it is removed only if its value is a known host.
const SIGNATURE: &str = "ref";

/// An absolute `http` or `https` address without credentials.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WebUrl(Url);

messages! {
    /// Reason why an address cannot be used; the text can be shown to the user who typed it.
    pub enum AddressError("address-error") {
        Empty("empty") => "the address is empty",
        TooLong("too_long") => "the address is longer than {MAX_URL_BYTES} characters",
        /// White space, control characters and backslashes, which parsers interpret differently.
        ForbiddenCharacter("forbidden_character") => "the address contains a blank, a backslash or a control character",
        /// Any scheme but `http` and `https`: `ftp:`, `file:`, `javascript:`.
        Scheme("scheme") { scheme: String } => "only http and https addresses can be followed, not {scheme}:",
        /// The address has the form `user:password@host`.
        Credentials("credentials") => "the address contains a user name or password",
        /// An IPv4 address in a form that hides its value, such as `0x7f.1`.
        ObscureHost("obscure_host") => "the host is a number in an unusual form; write it as a plain dotted address",
        /// Any other syntax error.
        Malformed("malformed") => "that is not a web address",
    }
}

impl WebUrl {
    /// Parses an absolute address.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        check_text(text)?;
        let url = Url::parse(text).map_err(|_| AddressError::Malformed)?;
        Self::checked(url, text)
    }

    /// Parses an address as typed by a user: `example.org/blog` means `https://example.org/blog`.
    pub fn from_typed(text: &str) -> Result<Self, AddressError> {
        let text = text.trim();
        let has_scheme = text.split_once(':').is_some_and(|(scheme, rest)| {
            // `localhost:8080` and `example.org:80/x` name a port, not a scheme.
            !scheme.contains('.') && !rest.starts_with(|c: char| c.is_ascii_digit())
        });
        if has_scheme || text.is_empty() {
            Self::parse(text)
        } else {
            Self::parse(&format!("https://{text}"))
        }
    }

    /// Resolves a reference found at this address: a redirect's `Location`, a link in a page.
    pub fn join(&self, reference: &str) -> Result<Self, AddressError> {
        check_text(reference)?;
        let url = self
            .0
            .join(reference)
            .map_err(|_| AddressError::Malformed)?;
        Self::checked(url, reference)
    }

    fn checked(url: Url, written: &str) -> Result<Self, AddressError> {
        if !matches!(url.scheme(), "http" | "https") {
            let scheme = url.scheme().chars().take(20).collect();
            return Err(AddressError::Scheme { scheme });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::Credentials);
        }
        if url.as_str().len() > MAX_URL_BYTES {
            return Err(AddressError::TooLong);
        }
        match url.host() {
            None => return Err(AddressError::Malformed),
            Some(Host::Ipv4(ip)) => {
                // The parser converts `0x7f.1`, `017700000001` and full-width digits to an IPv4
                // address. Such forms serve to bypass filters; accept only the dotted decimal one.
                if written_host(written).is_some_and(|host| host != ip.to_string()) {
                    return Err(AddressError::ObscureHost);
                }
            }
            Some(Host::Ipv6(_) | Host::Domain(_)) => {}
        }
        Ok(Self(url))
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Converts to a string without copying it.
    pub fn into_string(self) -> String {
        self.0.into()
    }

    pub fn as_url(&self) -> &Url {
        &self.0
    }

    /// Returns the host as written in a `Host` header: an IPv6 address keeps its brackets.
    pub fn host(&self) -> &str {
        // `checked` has refused addresses without a host.
        self.0.host_str().unwrap_or_default()
    }

    /// Returns the port: the explicit one, or the default of the scheme.
    pub fn port(&self) -> u16 {
        self.0
            .port_or_known_default()
            .unwrap_or(if self.is_https() { 443 } else { 80 })
    }

    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Returns `true` if scheme, host and port are equal.
    pub fn same_origin(&self, other: &Self) -> bool {
        self.0.origin() == other.0.origin()
    }

    /// Returns the registrable domain (`example.co.uk`), or the host itself if it has none: an IP
    /// address, a single label, a bare public suffix.
    pub fn root_domain(&self) -> &str {
        match self.0.host() {
            Some(Host::Domain(name)) => psl::domain_str(name).unwrap_or(name),
            _ => self.host(),
        }
    }

    /// Returns the part after `#`; `None` if it is missing or empty.
    pub fn fragment(&self) -> Option<&str> {
        self.0.fragment().filter(|fragment| !fragment.is_empty())
    }

    /// Returns the key under which different spellings of one item's address are equal: without
    /// scheme, default port, fragment, tracking parameters and trailing slash.
    pub fn identity_key(&self) -> String {
        let mut key = self.host().to_owned();
        if let Some(port) = self.0.port() {
            key.push_str(&format!(":{port}"));
        }
        let path = self.0.path();
        key.push_str(if path == "/" {
            path
        } else {
            path.trim_end_matches('/')
        });
        let kept: Vec<&str> = self
            .0
            .query()
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !pair.is_empty() && !is_tracking(pair.split('=').next().unwrap_or("")))
            .collect();
        if !kept.is_empty() {
            key.push('?');
            key.push_str(&kept.join("&"));
        }
        key
    }

    /// Removes the tracking parameters, and a `ref` parameter that names one of `hosts`: the hosts
    /// of the feed and of its site. The rest of the address stays as it is.
    pub fn without_tracking(mut self, hosts: &[&str]) -> Self {
        let Some(query) = self.0.query() else {
            return self;
        };
        let is_kept = |pair: &&str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            !is_tracking(name) && !is_signature(name, value, hosts)
        };
        if query.split('&').all(|pair| is_kept(&pair)) {
            return self;
        }
        let kept: Vec<&str> = query.split('&').filter(is_kept).collect();
        let kept = (!kept.is_empty()).then(|| kept.join("&"));
        self.0.set_query(kept.as_deref());
        self
    }
}

impl fmt::Display for WebUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for WebUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for WebUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

fn is_tracking(name: &str) -> bool {
    let begins_with = |prefix: &&str| {
        name.get(..prefix.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(prefix))
    };
    TRACKING_PREFIXES.iter().any(begins_with)
        || TRACKING_NAMES
            .iter()
            .flat_map(|(_, names)| *names)
            .any(|tracking| name.eq_ignore_ascii_case(tracking))
}

fn is_signature(name: &str, value: &str, hosts: &[&str]) -> bool {
    let bare = |host: &str| {
        host.strip_prefix("www.")
            .unwrap_or(host)
            .to_ascii_lowercase()
    };
    name.eq_ignore_ascii_case(SIGNATURE) && hosts.iter().any(|host| bare(host) == bare(value))
}

/// Refuses text that must not reach a URL parser.
pub(crate) fn check_text(text: &str) -> Result<(), AddressError> {
    if text.is_empty() {
        return Err(AddressError::Empty);
    }
    if text.len() > MAX_URL_BYTES {
        return Err(AddressError::TooLong);
    }
    let is_plain = text.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
    if !is_plain
        && text
            .chars()
            .any(|c| c.is_control() || c.is_whitespace() || c == '\\')
    {
        return Err(AddressError::ForbiddenCharacter);
    }
    Ok(())
}

/// Returns the host as it was written, if the text names one (`//host…` or `scheme://host…`).
/// Parsers accept any number of slashes there, and after `http:` even none.
fn written_host(text: &str) -> Option<&str> {
    let is_web = |scheme: &str| {
        ["http", "https"]
            .iter()
            .any(|known| known.eq_ignore_ascii_case(scheme))
    };
    let authority = match text.split_once(':') {
        Some((scheme, rest)) if is_web(scheme) => rest,
        Some((scheme, rest)) if !scheme.contains(['/', '?', '#']) => rest.strip_prefix("//")?,
        _ => text.strip_prefix("//")?,
    };
    let authority = authority
        .trim_start_matches('/')
        .split(['/', '?', '#'])
        .next()?;
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    Some(host.split_once(':').map_or(host, |(host, _)| host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_parsers_would_repair() {
        for (text, error) in [
            ("", AddressError::Empty),
            ("http://exa mple.org/", AddressError::ForbiddenCharacter),
            (
                "http://example.org/\r\nHost: x",
                AddressError::ForbiddenCharacter,
            ),
            ("http:\\\\example.org", AddressError::ForbiddenCharacter),
            ("\u{1}http://example.org", AddressError::ForbiddenCharacter),
            ("http://user:pw@example.org/", AddressError::Credentials),
            ("http://user@example.org/", AddressError::Credentials),
            (
                "ftp://example.org/",
                AddressError::Scheme {
                    scheme: "ftp".into(),
                },
            ),
            (
                "javascript:alert(1)",
                AddressError::Scheme {
                    scheme: "javascript".into(),
                },
            ),
            (
                "feed:https://example.org/",
                AddressError::Scheme {
                    scheme: "feed".into(),
                },
            ),
            ("http://0x7f.1/", AddressError::ObscureHost),
            ("http:0x7f.1/", AddressError::ObscureHost),
            ("HTTP:/0x7f.1/", AddressError::ObscureHost),
            ("https:2130706433", AddressError::ObscureHost),
            ("http:////127.1", AddressError::ObscureHost),
            ("http:%31%32%37.1", AddressError::ObscureHost),
            ("http://2130706433/", AddressError::ObscureHost),
            ("http://0177.0.0.1/", AddressError::ObscureHost),
            ("http://127.1/", AddressError::ObscureHost),
            ("http://１２７.0.0.1/", AddressError::ObscureHost),
            ("http://%31%32%37.0.0.1/", AddressError::ObscureHost),
            ("http://127.0.0.1./", AddressError::ObscureHost),
            ("http://[fe80::1%25eth0]/", AddressError::Malformed),
            ("https://", AddressError::Malformed),
            ("example", AddressError::Malformed),
        ] {
            assert_eq!(WebUrl::parse(text), Err(error), "{text:?}");
        }
        let long = format!("https://example.org/{}", "x".repeat(MAX_URL_BYTES));
        assert_eq!(WebUrl::parse(&long), Err(AddressError::TooLong));
    }

    #[test]
    fn plain_numbers_pass_here_and_are_judged_at_connect_time() {
        assert_eq!(
            WebUrl::parse("http://127.0.0.1:8080/x").unwrap().host(),
            "127.0.0.1"
        );
        assert_eq!(WebUrl::parse("http://[::1]/").unwrap().host(), "[::1]");
    }

    #[test]
    fn a_redirect_is_checked_like_an_address() {
        let base = WebUrl::parse("https://example.org/a/b").unwrap();
        assert_eq!(
            base.join("../c?d=1").unwrap().as_str(),
            "https://example.org/c?d=1"
        );
        assert_eq!(base.join("//0x7f.1/"), Err(AddressError::ObscureHost));
        assert_eq!(
            base.join("http://017700000001/"),
            Err(AddressError::ObscureHost)
        );
        assert_eq!(
            base.join("file:///etc/passwd"),
            Err(AddressError::Scheme {
                scheme: "file".into()
            })
        );
    }

    #[test]
    fn what_people_type_is_completed() {
        for (typed, meant) in [
            ("example.org", "https://example.org/"),
            (" example.org/blog ", "https://example.org/blog"),
            ("http://example.org", "http://example.org/"),
            ("localhost:8080/feed", "https://localhost:8080/feed"),
            ("bücher.example", "https://xn--bcher-kva.example/"),
        ] {
            assert_eq!(WebUrl::from_typed(typed).unwrap().as_str(), meant);
        }
        assert_eq!(
            WebUrl::from_typed("mailto:me@x.org"),
            Err(AddressError::Scheme {
                scheme: "mailto".into()
            })
        );
    }

    #[test]
    fn two_spellings_of_one_item_have_one_key() {
        let key = |text| WebUrl::parse(text).unwrap().identity_key();
        assert_eq!(
            key("https://Site.com:443/Article?utm_source=rss&id=123#comments"),
            "site.com/Article?id=123"
        );
        assert_eq!(
            key("http://site.com/Article/?id=123&fbclid=x"),
            "site.com/Article?id=123"
        );
        assert_eq!(key("https://site.com/"), "site.com/");
        assert_ne!(key("https://site.com/a?ref=1"), key("https://site.com/a"));
        assert_ne!(key("https://site.com:8443/a"), key("https://site.com/a"));
    }

    fn without_tracking(text: &str, hosts: &[&str]) -> String {
        let url = WebUrl::parse(text).unwrap();
        url.without_tracking(hosts).into_string()
    }

    #[test]
    fn tracking_goes_and_the_rest_stays_as_written() {
        for (written, kept) in [
            (
                "https://a.org/x?b=%20&utm_medium=rss&c",
                "https://a.org/x?b=%20&c",
            ),
            ("https://a.org/x?gclid=1#y", "https://a.org/x#y"),
            ("https://a.org/x?id=1", "https://a.org/x?id=1"),
            (
                "https://a.org/x?UTM_Source=a&Mtm_kwd=b&PK_campaign=c",
                "https://a.org/x",
            ),
            (
                "https://a.org/x?hsa_acc=1&_hsenc=2&a=3&&",
                "https://a.org/x?a=3&&",
            ),
            ("https://a.org/x?fbclid", "https://a.org/x"),
            (
                "https://a.org/?q=utm_source&gclid2=1&xgclid=2",
                "https://a.org/?q=utm_source&gclid2=1&xgclid=2",
            ),
            (
                "https://a.org/?ut=1&日=2",
                "https://a.org/?ut=1&%E6%97%A5=2",
            ),
        ] {
            assert_eq!(without_tracking(written, &[]), kept, "{written}");
        }
        for name in TRACKING_NAMES.iter().flat_map(|(_, names)| *names) {
            assert_eq!(*name, name.to_ascii_lowercase());
            let written = format!("https://a.org/x?{}=1&b=2", name.to_ascii_uppercase());
            assert_eq!(without_tracking(&written, &[]), "https://a.org/x?b=2");
        }
    }

    #[test]
    fn a_site_may_sign_only_its_own_links() {
        let hosts = ["feeds.a.org", "www.a.org"];
        for (written, kept) in [
            ("https://b.org/?ref=a.org", "https://b.org/"),
            ("https://b.org/?x=1&ref=www.A.org", "https://b.org/?x=1"),
            ("https://b.org/?ref=feeds.a.org", "https://b.org/"),
            ("https://b.org/?ref=c.org", "https://b.org/?ref=c.org"),
            ("https://b.org/?ref=main", "https://b.org/?ref=main"),
            ("https://b.org/?href=a.org", "https://b.org/?href=a.org"),
        ] {
            assert_eq!(without_tracking(written, &hosts), kept, "{written}");
        }
        assert_eq!(
            without_tracking("https://b.org/?ref=a.org", &[]),
            "https://b.org/?ref=a.org"
        );
    }

    #[test]
    fn root_domains_follow_the_public_suffix_list() {
        for (url, root) in [
            ("https://blog.example.co.uk/", "example.co.uk"),
            ("https://somebody.github.io/", "somebody.github.io"),
            ("http://10.1.2.3/", "10.1.2.3"),
            ("http://[2001:db8::1]/", "[2001:db8::1]"),
            ("http://localhost/", "localhost"),
        ] {
            assert_eq!(WebUrl::parse(url).unwrap().root_domain(), root);
        }
    }
}
