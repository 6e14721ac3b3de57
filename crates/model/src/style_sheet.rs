//! A user's own style sheet.
//!
//! It affects only its owner: it is linked only in pages that are shown to that user. It can hide
//! or disguise things there, as the tools of the browser can, and the content security policy
//! prevents it from loading anything from elsewhere, so that it cannot leak what is on the page.
//! (The exception are images, if the operator lets browsers load them from the publishers: a user
//! who pastes a style sheet from an unknown source has to trust it.) The settings pages never load
//! it, so that it can always be removed there.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::message::messages;

/// Maximum size: several times that of Lede's own style sheet for a page.
pub const MAX_BYTES: usize = 32 * 1024;

/// Number of hash bytes in a version: enough to distinguish the style sheets of one user.
const VERSION_BYTES: usize = 8;

messages! {
    /// Reason why a style sheet is refused.
    pub enum StyleSheetError("style-sheet-error") {
        TooLong("too_long") { most: usize } => "can be {most} KiB at most",
        /// No style sheet needs control characters, except for line feeds and tabs.
        ControlCharacter("control_character") => "has characters that no style sheet has",
    }
}

/// Text that is served as a style sheet; empty if there is none. Shared, because every page gets a
/// copy of the user's preferences and few use the style sheet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StyleSheet(Arc<str>);

impl Serialize for StyleSheet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl StyleSheet {
    /// Checks a typed style sheet. Line ends are normalised, so that submitting a form without
    /// changes does not change the text.
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

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns a version that distinguishes this text from others of the same user; `None` if it is empty.
    pub fn version(&self) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let hash = Sha256::digest(self.0.as_bytes());
        let letters = hash.iter().take(VERSION_BYTES);
        Some(letters.map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Deserialises a stored style sheet; one that this version refuses becomes empty.
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
