//! Services that an item can be sent to: a name, and an address template for the item.
//!
//! Sending means following a link that opens the service's own page with the item filled in, so
//! Lede stores no credentials for the services and makes no request itself. Values are
//! percent-encoded except for unreserved characters: a title cannot leave its place in an address
//! or in a line of an e-mail.

use serde::{Deserialize, Deserializer, Serialize};

use crate::address::{AddressError, WebUrl};
use crate::message::messages;

/// Maximum number of services per user: they are shown in one menu.
pub const MAX_SERVICES: usize = 12;
/// Maximum length of a service's name, in characters.
pub const MAX_NAME_CHARS: usize = 40;
/// Maximum length of a service's address, in characters.
pub const MAX_ADDRESS_CHARS: usize = 500;

/// Placeholder for the address of the item.
const URL: &str = "{url}";
/// Placeholder for the title of the item.
const TITLE: &str = "{title}";

messages! {
    /// Reason why a service cannot be stored.
    pub enum ShareTargetError("share-target-error") {
        /// The name has no visible character.
        NoName("no_name") => "the service needs a name",
        LongName("long_name") { most: usize } => "the name of a service has at most {most} characters",
        LongAddress("long_address") { most: usize } => "the address of a service has at most {most} characters",
        /// Any other scheme, such as `javascript:`.
        Scheme("scheme") => "the address of a service must begin with https://, http:// or mailto:",
        /// The address has no `{url}` placeholder.
        NoItem("no_item") { place: String } => "the address of a service must have {place} where the address of the item goes",
        /// The address has an unknown placeholder.
        UnknownPlace("unknown_place") { place: String } => "nothing of an item goes in at {place}; only its url and its title do",
        /// A placeholder in the host, so that an item could choose the server.
        TooEarly("too_early") => "the item goes into the address of a service only after the server’s name, or after the ? of mailto:",
        /// The address is invalid for another reason (`AddressError`).
        Unusable("unusable") { problem: AddressError } => "the address of a service cannot be used: {problem}",
        /// A self-hosted service without the address of its server.
        NoServer("no_server") { name: String } => "say where your {name} is: it runs on a server of your own",
        TooMany("too_many") { most: usize } => "you can have {most} services, and no more",
    }
}

/// A service that an item can be sent to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "NewService")]
pub struct ShareTarget {
    name: String,
    address: String,
}

/// Unchecked form of a [`ShareTarget`].
#[derive(Debug, Clone, Deserialize)]
pub struct NewService {
    name: String,
    address: String,
}

impl TryFrom<NewService> for ShareTarget {
    type Error = ShareTargetError;

    fn try_from(new: NewService) -> Result<Self, ShareTargetError> {
        Self::new(&new.name, &new.address)
    }
}

impl ShareTarget {
    /// Creates a service called `name`. Its address contains `{url}`, and optionally `{title}`, as
    /// placeholders for the item.
    pub fn new(name: &str, address: &str) -> Result<Self, ShareTargetError> {
        let name = one_line(name);
        if name.is_empty() {
            return Err(ShareTargetError::NoName);
        }
        if name.chars().count() > MAX_NAME_CHARS {
            let most = MAX_NAME_CHARS;
            return Err(ShareTargetError::LongName { most });
        }
        let address = address.trim();
        check(address)?;
        Ok(Self {
            name,
            address: address.to_owned(),
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the address with its placeholders.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns `true` if the service is an e-mail link.
    pub fn is_mail(&self) -> bool {
        scheme(&self.address) == "mailto"
    }

    /// Returns the address that sends an item. The title is folded to one line: a second line in an
    /// e-mail could add recipients.
    pub fn address_for(&self, url: &str, title: &str) -> String {
        fill(&self.address, &encoded(url), &encoded(&one_line(title)))
    }
}

/// Deserialises stored services and ignores those that this version cannot use.
pub fn usable<'de, D: Deserializer<'de>>(kept: D) -> Result<Vec<ShareTarget>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Usable(ShareTarget),
        Other(serde::de::IgnoredAny),
    }
    let services = Vec::<Stored>::deserialize(kept)?.into_iter();
    let usable = services.filter_map(|kept| match kept {
        Stored::Usable(service) => Some(service),
        Stored::Other(_) => None,
    });
    Ok(usable.take(MAX_SERVICES).collect())
}

/// Checks a user's whole list of services. An error comes with the index of the service that it
/// concerns; `None` if it concerns the list.
pub fn check_all(
    new: &[NewService],
) -> Result<Vec<ShareTarget>, (Option<usize>, ShareTargetError)> {
    let services = new.iter().enumerate().map(|(place, new)| {
        ShareTarget::new(&new.name, &new.address).map_err(|error| (Some(place), error))
    });
    let services: Vec<ShareTarget> = services.collect::<Result<_, _>>()?;
    check_number(&services).map_err(|error| (None, error))?;
    Ok(services)
}

/// Checks the number of services against [`MAX_SERVICES`].
pub fn check_number(services: &[ShareTarget]) -> Result<(), ShareTargetError> {
    let most = MAX_SERVICES;
    match services.len() > most {
        true => Err(ShareTargetError::TooMany { most }),
        false => Ok(()),
    }
}

fn check(address: &str) -> Result<(), ShareTargetError> {
    if address.chars().count() > MAX_ADDRESS_CHARS {
        let most = MAX_ADDRESS_CHARS;
        return Err(ShareTargetError::LongAddress { most });
    }
    let scheme = scheme(address);
    if !["http", "https", "mailto"].contains(&scheme.as_str()) {
        return Err(ShareTargetError::Scheme);
    }
    if !address.contains(URL) {
        let place = URL.to_owned();
        return Err(ShareTargetError::NoItem { place });
    }
    let rest = fill(address, "", "");
    if let Some(at) = rest.find(['{', '}']) {
        let end = rest[at..].find('}').map_or(rest.len(), |end| at + end + 1);
        let place = rest[at..end].chars().take(20).collect();
        return Err(ShareTargetError::UnknownPlace { place });
    }
    let unusable = |problem| ShareTargetError::Unusable { problem };
    if scheme == "mailto" {
        // A `mailto:` address is not a [`WebUrl`], but the same characters are forbidden in it.
        WebUrl::parse(&format!("https://host/{rest}")).map_err(unusable)?;
        let before = address.split('?').next().unwrap_or_default();
        return match before.contains('{') {
            true => Err(ShareTargetError::TooEarly),
            false => Ok(()),
        };
    }
    let with = |text| WebUrl::parse(&fill(address, text, text)).map_err(unusable);
    match with("a")?.same_origin(&with("b")?) {
        true => Ok(()),
        false => Err(ShareTargetError::TooEarly),
    }
}

fn scheme(address: &str) -> String {
    let scheme = address.split_once(':').map_or("", |(scheme, _)| scheme);
    scheme.to_ascii_lowercase()
}

fn fill(address: &str, url: &str, title: &str) -> String {
    // Encoded values contain no braces, so a value cannot introduce a placeholder.
    address.replace(TITLE, title).replace(URL, url)
}

fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Percent-encodes all but the unreserved characters of RFC 3986 §2.3.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// A service with a predefined address template.
#[derive(Debug)]
pub struct ReadyMade {
    /// Name for the API and, in most languages, for users.
    pub name: &'static str,
    /// Address template; one that begins with a slash is a path on the user's own server.
    address: &'static str,
}

/// Services that accept an item by a link.
pub const READY_MADE: [ReadyMade; 13] = [
    ready("E-mail", "mailto:?subject={title}&body={url}"),
    ready(
        "Bluesky",
        "https://bsky.app/intent/compose?text={title}%20{url}",
    ),
    ready(
        "Hacker News",
        "https://news.ycombinator.com/submitlink?u={url}&t={title}",
    ),
    ready(
        "Instapaper",
        "https://www.instapaper.com/hello2?url={url}&title={title}",
    ),
    ready(
        "LinkedIn",
        "https://www.linkedin.com/sharing/share-offsite/?url={url}",
    ),
    // This page asks for the user's Mastodon server and remembers it.
    ready(
        "Mastodon",
        "https://share.joinmastodon.org/#text={title}%20{url}",
    ),
    ready(
        "Pinboard",
        "https://pinboard.in/add?url={url}&title={title}",
    ),
    ready(
        "Raindrop",
        "https://app.raindrop.io/add?link={url}&title={title}",
    ),
    ready("Readwise Reader", "https://wise.readwise.io/save?url={url}"),
    ready(
        "Reddit",
        "https://www.reddit.com/submit?url={url}&title={title}",
    ),
    ready("linkding", "/bookmarks/new?url={url}&title={title}"),
    ready("Shaarli", "/admin/shaare?post={url}&title={title}"),
    ready("wallabag", "/bookmarklet?url={url}"),
];

const fn ready(name: &'static str, address: &'static str) -> ReadyMade {
    ReadyMade { name, address }
}

impl ReadyMade {
    pub fn find(name: &str) -> Option<&'static Self> {
        READY_MADE.iter().find(|ready| ready.name == name)
    }

    /// Returns `true` if the service is self-hosted.
    pub fn needs_server(&self) -> bool {
        self.address.starts_with('/')
    }

    /// Returns `true` if the service is an e-mail link, the name of which is translated.
    pub fn is_mail(&self) -> bool {
        scheme(self.address) == "mailto"
    }

    /// Creates the service under the name `name`; `server` is the address of the user's own server,
    /// if the service is self-hosted.
    pub fn service(&self, name: &str, server: &str) -> Result<ShareTarget, ShareTargetError> {
        if !self.needs_server() {
            return ShareTarget::new(name, self.address);
        }
        if server.trim().is_empty() {
            let name = name.to_owned();
            return Err(ShareTargetError::NoServer { name });
        }
        let server =
            WebUrl::from_typed(server).map_err(|problem| ShareTargetError::Unusable { problem })?;
        let base = server.as_str().split(['?', '#']).next();
        let base = base.unwrap_or_default().trim_end_matches('/');
        ShareTarget::new(name, &format!("{base}{}", self.address))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::*;

    fn service(address: &str) -> Result<ShareTarget, ShareTargetError> {
        ShareTarget::new("ShareTarget", address)
    }

    #[test]
    fn an_item_goes_in_whatever_its_title_is() {
        let mail = service("mailto:?subject={title}&body={url}").unwrap();
        assert!(mail.is_mail());
        let title = "“Q&A” = 100 %\r\nBcc: all@example.org #1? + 東京";
        assert_eq!(
            mail.address_for("https://site.example/?a=1&b={title}#c", title),
            "mailto:?subject=%E2%80%9CQ%26A%E2%80%9D%20%3D%20100%20%25%20Bcc%3A%20all%40example.org%20%231%3F%20%2B%20%E6%9D%B1%E4%BA%AC\
             &body=https%3A%2F%2Fsite.example%2F%3Fa%3D1%26b%3D%7Btitle%7D%23c"
        );
        let twice = service("HTTPS://keep.example/{url}?u={url}&t={title}").unwrap();
        assert!(!twice.is_mail());
        assert_eq!(
            twice.address_for("http://a.example/", "{url}'\"<b>"),
            "HTTPS://keep.example/http%3A%2F%2Fa.example%2F?u=http%3A%2F%2Fa.example%2F&t=%7Burl%7D%27%22%3Cb%3E"
        );
    }

    #[test]
    fn an_address_that_would_do_something_else_is_refused() {
        let unusable = |problem| ShareTargetError::Unusable { problem };
        let unknown = |place: &str| ShareTargetError::UnknownPlace {
            place: place.to_owned(),
        };
        let character = AddressError::ForbiddenCharacter;
        for (address, error) in [
            ("javascript:alert({url})", ShareTargetError::Scheme),
            ("JavaScript:alert({url})", ShareTargetError::Scheme),
            ("java\nscript:alert({url})", ShareTargetError::Scheme),
            ("data:text/html,{url}", ShareTargetError::Scheme),
            ("{url}", ShareTargetError::Scheme),
            ("/save?url={url}", ShareTargetError::Scheme),
            ("", ShareTargetError::Scheme),
            (
                "https://a.example/{title}",
                ShareTargetError::NoItem {
                    place: URL.to_owned(),
                },
            ),
            (
                "https://a.example/?u={url}&x={excerpt}",
                unknown("{excerpt}"),
            ),
            ("https://a.example/?u={url}&t={title", unknown("{title")),
            ("https://a.example/?u={{url}}", unknown("{}")),
            ("https://{url}/", ShareTargetError::TooEarly),
            (
                "https://a.example:{url}/",
                unusable(AddressError::Malformed),
            ),
            ("mailto:{url}", ShareTargetError::TooEarly),
            ("mailto:{title}?body={url}", ShareTargetError::TooEarly),
            ("https:///?u={url}", unusable(AddressError::Malformed)),
            (
                "https://me:secret@a.example/?u={url}",
                unusable(AddressError::Credentials),
            ),
            ("https://a.example/ ?u={url}", unusable(character.clone())),
            ("mailto:?body={url}\r\nBcc:", unusable(character)),
        ] {
            assert_eq!(service(address), Err(error), "{address}");
        }
        let long = format!("https://a.example/{}?u={{url}}", "a".repeat(480));
        assert_eq!(
            service(&long),
            Err(ShareTargetError::LongAddress { most: 500 })
        );
        let good = "https://a.example/?u={url}";
        assert_eq!(ShareTarget::new(" \n", good), Err(ShareTargetError::NoName));
        let long = ShareTarget::new(&"ä".repeat(41), good);
        assert_eq!(long, Err(ShareTargetError::LongName { most: 40 }));
        assert_eq!(
            ShareTarget::new(" My\u{7} \n keep ", good).unwrap().name(),
            "My keep"
        );
        assert!(service("http://localhost:9090/bookmarks?u={url}").is_ok());
        assert!(service("mailto:me@example.org?body={url}").is_ok());
    }

    #[test]
    fn what_is_ready_made_can_be_used() {
        for ready in &READY_MADE {
            let found = ReadyMade::find(ready.name).unwrap();
            let made = found
                .service(ready.name, " keep.example/mine/?x#y ")
                .unwrap();
            assert_eq!(made.name(), ready.name);
            if ready.needs_server() {
                let begin = "https://keep.example/mine/";
                assert!(made.address().starts_with(begin), "{}", made.address());
                let name = ready.name.to_owned();
                let nowhere = ready.service(&name, " ");
                assert_eq!(nowhere, Err(ShareTargetError::NoServer { name }));
                assert!(ready.service(ready.name, "javascript:alert(1)").is_err());
            }
        }
        assert!(ReadyMade::find("Pocket").is_none());
    }

    proptest! {
        #[test]
        fn what_goes_in_stays_where_it_belongs(url in any::<String>(), title in any::<String>()) {
            for ready in &READY_MADE {
                let service = ready.service(ready.name, "keep.example").unwrap();
                let sent = service.address_for(&url, &title);
                prop_assert!(sent.bytes().all(|byte| byte.is_ascii_graphic()));
                let (sent, plain) = (
                    Url::parse(&sent).unwrap(),
                    Url::parse(&service.address_for("u", "t")).unwrap(),
                );
                prop_assert_eq!(sent.origin().is_tuple(), plain.origin().is_tuple());
                prop_assert_eq!((sent.scheme(), sent.host_str(), sent.path()), (plain.scheme(), plain.host_str(), plain.path()));
                prop_assert_eq!(sent.query_pairs().count(), plain.query_pairs().count());
                for ((name, value), (plain_name, plain_value)) in sent.query_pairs().zip(plain.query_pairs()) {
                    prop_assert_eq!(name, plain_name);
                    if plain_value == "u" {
                        prop_assert_eq!(value.as_ref(), &url);
                    } else if plain_value == "t" {
                        prop_assert_eq!(value, one_line(&title));
                    }
                }
            }
        }

        #[test]
        fn no_address_that_is_kept_leads_to_another_kind_of_place(address in any::<String>(), url in any::<String>()) {
            for address in [address.clone(), format!("{address}{{url}}"), format!("https:{address}{{url}}"), format!("mailto:{address}{{url}}")] {
                if let Ok(service) = service(&address) {
                    let sent = Url::parse(&service.address_for(&url, "t")).unwrap();
                    prop_assert!(["http", "https", "mailto"].contains(&sent.scheme()), "{sent}");
                }
            }
        }
    }
}
