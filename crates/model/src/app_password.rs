//! App passwords: separate credentials for each client application.

use serde::{Deserialize, Serialize};

use crate::ids::AppPasswordId;
use crate::time::Timestamp;

/// Permissions of an app password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// May read, but change nothing.
    Read,
    /// May also mark items, subscribe and organise feeds.
    #[default]
    Write,
}

impl Scope {
    /// Returns the name used in rows and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    /// Parses the name. An unknown one gets the least permissions.
    pub fn from_word(word: &str) -> Self {
        match word {
            "write" => Self::Write,
            _ => Self::Read,
        }
    }
}

/// Metadata of an app password. The secret itself is shown once, when it is created, and only its
/// hash is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppPassword {
    pub id: AppPasswordId,
    /// Name chosen by the owner.
    pub name: String,
    pub scope: Scope,
    pub created_at: Timestamp,
    /// Time of the last use, to the hour; `None` if it was never used.
    pub used_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_scope_may_do_the_least() {
        for scope in [Scope::Read, Scope::Write] {
            assert_eq!(Scope::from_word(scope.as_str()), scope);
        }
        assert_eq!(Scope::from_word("everything"), Scope::Read);
    }
}
