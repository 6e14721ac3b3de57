//! Credentials and headers that a user has entered for a feed's server: HTTP Basic user name and
//! password, `User-Agent`, `Cookie`.
//!
//! They belong to the user who entered them. They are sent only to the origin they were entered for
//! and are never shown again, not even to that user: pages and the API report only which parts are set.

use crate::address::{AddressError, WebUrl, check_text};
use crate::message::messages;
use crate::secret::Secret;

/// Maximum length of a user name, password or `User-Agent`, in characters.
pub const MAX_CHARS: usize = 256;
/// Maximum length of a `Cookie` value, in characters. Session cookies of sites with a login are long.
pub const MAX_COOKIE_CHARS: usize = 4096;

messages! {
    /// Reason why a value cannot be sent; the text can be shown to the user who entered it.
    pub enum CredentialsError("credentials-error") {
        TooLong("too_long") { most: usize } => "must be at most {most} characters long",
        /// A line break would start another header.
        ControlCharacter("control_character") => "must not contain line breaks or control characters",
        /// Everything after the first colon would be parsed as the password (RFC 7617 §2).
        Colon("colon") => "must not contain a colon",
    }
}

/// The parts of an [`Access`], named as in the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// HTTP Basic user name.
    Username,
    /// HTTP Basic password.
    Password,
    /// `User-Agent`, sent instead of Lede's own.
    UserAgent,
    Cookie,
}

impl Part {
    pub const ALL: [Self; 4] = [
        Self::Username,
        Self::Password,
        Self::UserAgent,
        Self::Cookie,
    ];

    /// Returns the name of the API field.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Username => "username",
            Self::Password => "password",
            Self::UserAgent => "user_agent",
            Self::Cookie => "cookie",
        }
    }

    fn check(self, value: &str) -> Result<(), CredentialsError> {
        let most = match self {
            Self::Cookie => MAX_COOKIE_CHARS,
            Self::Username | Self::Password | Self::UserAgent => MAX_CHARS,
        };
        if value.chars().count() > most {
            return Err(CredentialsError::TooLong { most });
        }
        if value.chars().any(char::is_control) {
            return Err(CredentialsError::ControlCharacter);
        }
        if self == Self::Username && value.contains(':') {
            return Err(CredentialsError::Colon);
        }
        Ok(())
    }
}

/// Credentials and headers for one server. A part that is set is never empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    username: Option<Secret>,
    password: Option<Secret>,
    user_agent: Option<Secret>,
    cookie: Option<Secret>,
}

impl Access {
    fn slot(&mut self, part: Part) -> &mut Option<Secret> {
        match part {
            Part::Username => &mut self.username,
            Part::Password => &mut self.password,
            Part::UserAgent => &mut self.user_agent,
            Part::Cookie => &mut self.cookie,
        }
    }

    pub fn part(&self, part: Part) -> Option<&Secret> {
        match part {
            Part::Username => self.username.as_ref(),
            Part::Password => self.password.as_ref(),
            Part::UserAgent => self.user_agent.as_ref(),
            Part::Cookie => self.cookie.as_ref(),
        }
    }

    /// Sets a part; an empty value clears it.
    pub fn set(&mut self, part: Part, value: &Secret) -> Result<(), CredentialsError> {
        let value = Some(value).filter(|value| !value.reveal().is_empty());
        if let Some(value) = value {
            part.check(value.reveal())?;
        }
        *self.slot(part) = value.cloned();
        Ok(())
    }

    /// Returns `self` with every part that `other` has set replaced by the value of `other`.
    pub fn with(mut self, other: &Self) -> Self {
        for part in Part::ALL {
            if let Some(value) = other.part(part) {
                *self.slot(part) = Some(value.clone());
            }
        }
        self
    }

    /// Returns `true` if no part is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A partial update of an [`Access`]: only the named parts change, and an empty value clears a part.
#[derive(Debug, Clone, Default)]
pub struct AccessChange(Vec<(Part, Secret)>);

impl AccessChange {
    /// Checks `value` and records it for `part`.
    pub fn set(&mut self, part: Part, value: Secret) -> Result<(), CredentialsError> {
        Access::default().set(part, &value)?;
        self.0.push((part, value));
        Ok(())
    }

    /// Returns a change that clears every part.
    pub fn clear_all() -> Self {
        Self(Part::ALL.map(|part| (part, Secret::new(""))).into())
    }

    /// Returns `true` if the change names no part.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `access` with the change applied.
    pub fn applied_to(&self, mut access: Access) -> Access {
        for (part, value) in &self.0 {
            // `AccessChange::set` has checked the value.
            let _ = access.set(*part, value);
        }
        access
    }
}

/// An [`Access`] bound to the one origin it may be sent to.
#[derive(Debug, Clone)]
pub struct OriginCredentials {
    home: WebUrl,
    access: Access,
}

impl OriginCredentials {
    /// Binds `access` to the origin of `home`.
    pub fn new(home: &WebUrl, access: Access) -> Self {
        Self {
            home: home.clone(),
            access,
        }
    }

    /// Returns the credentials to send to `url`; `None` if its scheme, host or port differ.
    pub fn at(&self, url: &WebUrl) -> Option<&Access> {
        url.same_origin(&self.home).then_some(&self.access)
    }
}

/// Parses an address as typed by a user, with the optional user name and password before its host
/// (`https://user:password@host/feed`). Browsers and other feed readers accept the same form.
pub fn typed(text: &str) -> Result<(WebUrl, Access), TypedError> {
    let text = text.trim();
    let Some((scheme, rest)) = text.split_once("://").filter(|(scheme, _)| {
        ["http", "https"]
            .iter()
            .any(|web| web.eq_ignore_ascii_case(scheme))
    }) else {
        return Ok((WebUrl::from_typed(text)?, Access::default()));
    };
    // Check the whole text: parsers disagree about where the host begins if it contains such characters.
    check_text(text)?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let Some((userinfo, host)) = rest[..end].rsplit_once('@') else {
        return Ok((WebUrl::from_typed(text)?, Access::default()));
    };
    let url = WebUrl::parse(&format!("{scheme}://{host}{}", &rest[end..]))?;
    let (username, password) = userinfo.split_once(':').unwrap_or((userinfo, ""));
    let mut access = Access::default();
    for (part, value) in [(Part::Username, username), (Part::Password, password)] {
        let value = Secret::new(decoded(value).ok_or(AddressError::Malformed)?);
        let set = access.set(part, &value);
        set.map_err(|error| TypedError::Access(part, error))?;
    }
    Ok((url, access))
}

/// Removes the user name and password from the text of an address, so that it can be shown and
/// stored. The text need not be a valid address.
pub fn without_userinfo(text: &str) -> String {
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), text),
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rsplit_once('@') {
        Some((_, host)) => format!("{scheme}{host}{}", &rest[end..]),
        None => text.to_owned(),
    }
}

/// Reason why a typed address cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedError {
    /// The address itself is invalid.
    Address(AddressError),
    /// The user name or password before the host is invalid.
    Access(Part, CredentialsError),
}

impl From<AddressError> for TypedError {
    fn from(error: AddressError) -> Self {
        Self::Address(error)
    }
}

impl std::fmt::Display for TypedError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Address(error) => error.fmt(f),
            Self::Access(_, error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TypedError {}

/// Decodes percent-encoding; `None` if the result is not UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = |byte: u8| (byte as char).to_digit(16);
        match (first, after) {
            (b'%', [high, low, after @ ..]) if hex(*high).is_some() && hex(*low).is_some() => {
                let byte = hex(*high)? * 16 + hex(*low)?;
                bytes.push(u8::try_from(byte).ok()?);
                rest = after;
            }
            (byte, after) => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(access: &Access, part: Part) -> Option<&str> {
        access.part(part).map(Secret::reveal)
    }

    #[test]
    fn user_name_and_password_before_the_host_are_taken_out_of_the_address() {
        for (text, address, username, password) in [
            (
                "https://ada:s3cret@news.example/feed?a=b@c",
                "https://news.example/feed?a=b@c",
                Some("ada"),
                Some("s3cret"),
            ),
            (
                " HTTP://ada@news.example:8080 ",
                "http://news.example:8080/",
                Some("ada"),
                None,
            ),
            (
                "https://a%40b:p%3Aw%2F%c3%a9%@news.example/",
                "https://news.example/",
                Some("a@b"),
                Some("p:w/é%"),
            ),
            (
                "https://a@b:c@news.example/",
                "https://news.example/",
                Some("a@b"),
                Some("c"),
            ),
            (
                "https://@news.example/",
                "https://news.example/",
                None,
                None,
            ),
            ("news.example/@ada", "https://news.example/@ada", None, None),
            (
                "https://news.example/@ada:x@y",
                "https://news.example/@ada:x@y",
                None,
                None,
            ),
        ] {
            let (url, access) = typed(text).unwrap();
            assert_eq!(url.as_str(), address);
            assert_eq!(shown(&access, Part::Username), username, "{text}");
            assert_eq!(shown(&access, Part::Password), password, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_sent_is_refused_and_the_host_is_judged_as_ever() {
        for (text, error) in [
            ("https://a:b@0x7f.1/", AddressError::ObscureHost),
            ("https://a:b@@/", AddressError::Malformed),
            ("https://a:b%ff@news.example/", AddressError::Malformed),
            (
                "https://a b@news.example/",
                AddressError::ForbiddenCharacter,
            ),
            (
                "https://a\\@news.example/",
                AddressError::ForbiddenCharacter,
            ),
            (
                "ada:b@news.example/",
                AddressError::Scheme {
                    scheme: "ada".into(),
                },
            ),
        ] {
            assert_eq!(typed(text), Err(error.into()), "{text}");
        }
        assert_eq!(
            typed("https://a:b%0D%0AX-Evil:%201@news.example/"),
            Err(TypedError::Access(
                Part::Password,
                CredentialsError::ControlCharacter
            ))
        );
    }

    #[test]
    fn an_address_is_shown_without_what_stands_before_its_host() {
        for (text, shown) in [
            (
                "https://ada:pw@news.example/feed",
                "https://news.example/feed",
            ),
            ("ftp://ada:pw@news.example", "ftp://news.example"),
            ("ada:pw@news.example/feed", "news.example/feed"),
            ("https://news.example/@ada", "https://news.example/@ada"),
            ("two words", "two words"),
            ("", ""),
        ] {
            assert_eq!(without_userinfo(text), shown);
        }
    }

    #[test]
    fn parts_have_limits() {
        let mut access = Access::default();
        for (part, value, error) in [
            (Part::Username, "a:b".to_owned(), CredentialsError::Colon),
            (
                Part::UserAgent,
                "a\r\nb".to_owned(),
                CredentialsError::ControlCharacter,
            ),
            (
                Part::Password,
                "é".repeat(257),
                CredentialsError::TooLong { most: 256 },
            ),
            (
                Part::Cookie,
                "c".repeat(4097),
                CredentialsError::TooLong { most: 4096 },
            ),
        ] {
            assert_eq!(access.set(part, &value.into()), Err(error));
        }
        for (part, value) in [
            (Part::Password, "é:".repeat(128)),
            (Part::Cookie, "c".repeat(4096)),
        ] {
            access.set(part, &value.into()).unwrap();
        }
        assert!(!access.is_empty());
    }

    #[test]
    fn a_change_leaves_what_it_does_not_name() {
        let (_, access) = typed("https://ada:old@news.example/").unwrap();
        let mut change = AccessChange::default();
        change.set(Part::Password, Secret::new("new")).unwrap();
        let access = change.applied_to(access);
        assert_eq!(shown(&access, Part::Username), Some("ada"));
        assert_eq!(shown(&access, Part::Password), Some("new"));
        assert!(AccessChange::clear_all().applied_to(access).is_empty());
    }

    #[test]
    fn a_pass_is_good_at_its_own_origin_only() {
        let (home, access) = typed("https://ada:pw@news.example/feed").unwrap();
        let pass = OriginCredentials::new(&home, access);
        let is_shown = |url: &str| pass.at(&WebUrl::parse(url).unwrap()).is_some();
        assert!(is_shown("https://news.example/other"));
        assert!(is_shown("https://news.example:443/"));
        for elsewhere in [
            "http://news.example/feed",
            "https://news.example:8443/feed",
            "https://www.news.example/feed",
            "https://example/feed",
        ] {
            assert!(!is_shown(elsewhere), "{elsewhere}");
        }
        assert!(!format!("{pass:?}").contains("pw"));
    }
}
