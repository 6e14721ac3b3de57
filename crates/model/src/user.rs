//! People and what they may do.

use serde::Serialize;

use crate::ids::UserId;
use crate::time::Timestamp;

/// The login name of the one account in single-user mode.
pub const OWNER: &str = "owner";

/// Longest e-mail address (RFC 5321 §4.5.3.1.3).
const MAX_EMAIL_BYTES: usize = 254;

/// An account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Its number.
    pub id: UserId,
    /// How it signs in: an e-mail address, or [`OWNER`].
    pub email: String,
    /// What it may do.
    pub role: Role,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What an account may do. Every role reads and keeps marks of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Everything, including what is shared and other accounts.
    Admin,
    /// Follows feeds, new ones too.
    Member,
    /// Reads; follows only feeds that are there; changes nothing shared.
    Viewer,
}

impl Role {
    /// The word in rows and tokens.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Member => "member",
            Self::Viewer => "viewer",
        }
    }

    /// Reads the word back. An unknown one may do the least.
    pub fn from_word(word: &str) -> Self {
        match word {
            "admin" => Self::Admin,
            "member" => Self::Member,
            _ => Self::Viewer,
        }
    }

    /// Whether the role may bring a feed into the house that nobody follows yet.
    pub const fn may_add_new_feeds(self) -> bool {
        matches!(self, Self::Admin | Self::Member)
    }
}

/// An e-mail address in the one form that is compared: trimmed, lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EmailAddress(String);

/// The text is not an e-mail address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("that is not an e-mail address")]
pub struct NotAnEmail;

impl EmailAddress {
    /// Reads an address. Only what could never be delivered is refused; whether it exists is the
    /// business of a mail server.
    pub fn parse(text: &str) -> Result<Self, NotAnEmail> {
        let text = text.trim().to_lowercase();
        let (name, host) = text.rsplit_once('@').ok_or(NotAnEmail)?;
        let fits = !name.is_empty()
            && name.len() <= 64
            && text.len() <= MAX_EMAIL_BYTES
            && !name.contains('@')
            && host.split('.').all(|label| !label.is_empty())
            && !text
                .chars()
                .any(|c| c.is_whitespace() || c.is_control() || "<>()[]\\,;:\"".contains(c));
        if fits {
            Ok(Self(text))
        } else {
            Err(NotAnEmail)
        }
    }

    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_compared_in_one_form() {
        assert_eq!(
            EmailAddress::parse(" Ada@Example.ORG ").unwrap().as_str(),
            "ada@example.org"
        );
        for bad in [
            "",
            "ada",
            "@example.org",
            "ada@",
            "a b@example.org",
            "ada@example..org",
            "<ada@example.org>",
            "a@b@c.org",
        ] {
            assert_eq!(EmailAddress::parse(bad), Err(NotAnEmail), "{bad:?}");
        }
    }

    #[test]
    fn an_unknown_role_may_do_the_least() {
        assert_eq!(Role::from_word("emperor"), Role::Viewer);
        assert!(!Role::Viewer.may_add_new_feeds());
    }
}
