//! Result of an import: counts of imported entries, and refused entries with the reason.

use lede_model::feed_error::EntryError;
use lede_store::StoreError;
use serde::de::DeserializeOwned;

use crate::takeout::read::Raw;

/// Errors that are reported; further ones are only counted.
const MAX_ERRORS: usize = 100;

/// Result of an import.
#[derive(Debug, Default)]
pub struct Imported {
    /// True if the preferences of the document were applied.
    pub preferences_set: bool,
    /// Categories that did not exist before.
    pub categories_added: usize,
    /// Feeds that were not followed before.
    pub subscriptions_added: usize,
    /// Feeds that were followed already; their settings are now those of the document.
    pub subscriptions_existing: usize,
    /// Labels that did not exist before.
    pub labels_added: usize,
    /// Searches that did not exist before.
    pub saved_searches_added: usize,
    /// Rules that did not exist before.
    pub rules_added: usize,
    /// Starred items of the document, including those that were starred already.
    pub starred: usize,
    /// Items of the document that are not starred and have their labels now.
    pub labelled: usize,
    /// Starred or labelled items that did not exist before.
    pub items_added: usize,
    /// Items that are now read or unread as in the document.
    pub marked: usize,
    /// Marks that are pending until their feeds deliver the items.
    pub pending: usize,
    /// Refused entries with the reason; the first hundred.
    pub errors: Vec<RefusedEntry>,
    /// Number of further refused entries.
    pub errors_left_out: usize,
}

/// An entry that was refused.
#[derive(Debug)]
pub struct RefusedEntry {
    /// The list that contains the entry.
    pub list: &'static str,
    /// Position in the list, starting at 1.
    pub entry: usize,
    pub reason: EntryError,
}

/// Reasons why an import fails as a whole.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The document is not an export, or it is incomplete.
    #[error("this is not a take-out that can be read: {0}")]
    Document(String),
    /// The store failed. Entries imported until then stay; importing again is harmless.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Imported {
    pub(super) fn refuse(&mut self, list: &'static str, entry: usize, reason: EntryError) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(RefusedEntry {
                list,
                entry: entry + 1,
                reason,
            });
        } else {
            self.errors_left_out += 1;
        }
    }

    /// Parses and checks the entries of a list. Returns the valid ones with their indices.
    pub(super) fn read<T: DeserializeOwned, U>(
        &mut self,
        list: &'static str,
        raw: &[Raw],
        check: impl Fn(T) -> Result<U, EntryError>,
    ) -> Vec<(usize, U)> {
        let mut good = Vec::with_capacity(raw.len());
        for (place, raw) in raw.iter().enumerate() {
            match parsed(raw).and_then(&check) {
                Ok(entry) => good.push((place, entry)),
                Err(reason) => self.refuse(list, place, reason),
            }
        }
        good
    }
}

pub(super) fn parsed<T: DeserializeOwned>(raw: &Raw) -> Result<T, EntryError> {
    serde_json::from_str(raw.get()).map_err(unreadable)
}

pub(super) fn unreadable(error: serde_json::Error) -> EntryError {
    EntryError::Unreadable {
        reason: error.to_string(),
    }
}
