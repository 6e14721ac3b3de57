//! User accounts and their roles.

use serde::Serialize;

use crate::ids::UserId;
use crate::time::Timestamp;

/// Login name of the only account in single-user mode.
pub const OWNER: &str = "owner";

/// Maximum length of an e-mail address (RFC 5321 §4.5.3.1.3).
const MAX_EMAIL_BYTES: usize = 254;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    /// Login name: an e-mail address, or [`OWNER`].
    pub email: String,
    pub role: Role,
    pub created_at: Timestamp,
}

/// Permissions of an account. Every role can read items and has marks of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// May do everything, including changes to shared settings and other accounts.
    Admin,
    /// May subscribe to any feed, also to one that is new to the instance.
    Member,
    /// May only subscribe to existing feeds, and changes nothing that is shared.
    Viewer,
}

impl Role {
    /// Returns the name used in rows and tokens.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Member => "member",
            Self::Viewer => "viewer",
        }
    }

    /// Parses the name. An unknown one gets the least permissions.
    pub fn from_word(word: &str) -> Self {
        match word {
            "admin" => Self::Admin,
            "member" => Self::Member,
            _ => Self::Viewer,
        }
    }

    /// Returns `true` if the role may add a feed that has no subscriber yet.
    pub const fn may_add_new_feeds(self) -> bool {
        matches!(self, Self::Admin | Self::Member)
    }
}

/// An e-mail address in normalised form: trimmed and in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EmailAddress(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("that is not an e-mail address")]
pub struct NotAnEmail;

impl EmailAddress {
    /// Parses an address. Only addresses that can never be delivered are refused; only a mail
    /// server knows if an address exists.
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
