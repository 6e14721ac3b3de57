//! A style sheet of a person's own.
//!
//! Whatever it says, it is said to its owner alone: it is linked in pages that are shown to them and in nobody
//! else's. It can hide or disguise things there, as their browser's own tools can, and the content security
//! policy lets it fetch nothing from elsewhere, so that it cannot tell anybody what it sees. (But pictures, where
//! the operator lets browsers fetch those from their publishers: who pastes a stranger's style sheet there trusts
//! them.) The settings never load it: there it can always be taken back.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::said::sentences;

/// The longest one: several times what Lede itself needs for a page.
pub const MAX_BYTES: usize = 32 * 1024;

/// Letters of a version: enough to tell one person's sheets apart.
const VERSION_BYTES: usize = 8;

sentences! {
    /// Why a text is not taken.
    pub enum StyleSheetError {
        /// More than [`MAX_BYTES`].
        TooLong { most: usize } = "can be {most} KiB at most",
        /// Nobody types them, and no style sheet needs them.
        ControlCharacter = "has characters that no style sheet has",
    }
}

/// Text that is served as a style sheet; empty where there is none. Shared, because every page has a copy of
/// what its reader chose and few look into it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StyleSheet(Arc<str>);

impl Serialize for StyleSheet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl StyleSheet {
    /// Takes what somebody typed. Line ends become the usual ones, so that a form without script changes
    /// nothing.
    pub fn new(text: &str) -> Result<Self, StyleSheetError> {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        if text.len() > MAX_BYTES {
            return Err(StyleSheetError::TooLong {
                most: MAX_BYTES / 1024,
            });
        }
        if text
            .chars()
            .any(|c| c.is_control() && c != '\n' && c != '\t')
        {
            return Err(StyleSheetError::ControlCharacter);
        }
        Ok(match text.trim().is_empty() {
            true => Self::default(),
            false => Self(text.into()),
        })
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Names this text among those of one person; `None` where there is none.
    pub fn version(&self) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let hash = Sha256::digest(self.0.as_bytes());
        let letters = hash.iter().take(VERSION_BYTES);
        Some(letters.map(|byte| format!("{byte:02x}")).collect())
    }
}

/// One that was kept: what this version would not take is none.
pub(crate) fn usable<'de, D: Deserializer<'de>>(kept: D) -> Result<StyleSheet, D::Error> {
    let text = String::deserialize(kept)?;
    Ok(StyleSheet::new(&text).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_as_it_was_typed_unless_it_is_too_long_or_no_text() {
        let taken = |text: &str| StyleSheet::new(text).map(|sheet| sheet.as_str().to_owned());
        assert_eq!(taken("a{}\r\n\tb{}\rc"), Ok("a{}\n\tb{}\nc".to_owned()));
        assert_eq!(taken(" \n"), Ok(String::new()));
        assert_eq!(taken("\0"), Err(StyleSheetError::ControlCharacter));
        assert_eq!(taken("a\u{85}"), Err(StyleSheetError::ControlCharacter));
        assert!(taken(&"x".repeat(MAX_BYTES)).is_ok());
        let too_long = StyleSheetError::TooLong { most: 32 };
        assert_eq!(taken(&"x".repeat(MAX_BYTES + 1)), Err(too_long));
    }

    #[test]
    fn each_text_has_a_version_and_none_has_none() {
        let version = |text: &str| StyleSheet::new(text).unwrap().version();
        assert_eq!(version(""), None);
        assert_eq!(version("a").map(|version| version.len()), Some(16));
        assert_ne!(version("a"), version("b"));
    }
}
