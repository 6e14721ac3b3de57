//! Passwords for one app each.

use serde::{Deserialize, Serialize};

use crate::ids::AppPasswordId;
use crate::time::Timestamp;

/// What an app may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Look.
    Read,
    /// Also mark, follow and sort.
    #[default]
    Write,
}

impl Scope {
    /// The word in rows and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    /// Reads the word back. An unknown one may do the least.
    pub fn from_word(word: &str) -> Self {
        match word {
            "write" => Self::Write,
            _ => Self::Read,
        }
    }
}

/// An app password, without what it is: that is shown once and known to nobody after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppPassword {
    /// Its number.
    pub id: AppPasswordId,
    /// What its owner calls it.
    pub name: String,
    /// What it opens.
    pub scope: Scope,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last used, to the hour.
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
