//! What bringing a take-out in came to: what is here now, and what was refused and why.

use lede_store::StoreError;
use serde::de::DeserializeOwned;

use crate::takeout::read::Raw;

/// What went wrong is told of so many entries.
const MAX_ERRORS: usize = 100;

/// What bringing a take-out in came to.
#[derive(Debug, Default)]
pub struct Imported {
    /// Whether the reader looks and behaves as in the take-out now.
    pub preferences_set: bool,
    /// Categories that were not there.
    pub categories_added: usize,
    /// Feeds that are followed from now on.
    pub subscriptions_added: usize,
    /// Feeds that were followed already; what was chosen about them is as in the take-out now.
    pub subscriptions_existing: usize,
    /// Labels that were not there.
    pub labels_added: usize,
    /// Searches that were not there.
    pub saved_searches_added: usize,
    /// Rules that were not there.
    pub rules_added: usize,
    /// Items of the take-out that are starred now, with those that were.
    pub starred: usize,
    /// Items of the take-out that were not starred and have their labels now.
    pub labelled: usize,
    /// Those of both that were not here before.
    pub items_added: usize,
    /// Items that are read or unread as in the take-out now.
    pub marked: usize,
    /// Items that will be so when their feeds bring them.
    pub awaited: usize,
    /// What could not be brought in, and why: the first hundred.
    pub errors: Vec<EntryError>,
    /// How many more there were.
    pub errors_left_out: usize,
}

/// An entry that could not be brought in.
#[derive(Debug)]
pub struct EntryError {
    /// The list it stands in.
    pub list: &'static str,
    /// Its place there, from one.
    pub entry: usize,
    /// Why, for people.
    pub reason: String,
}

/// Why nothing was brought in.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The document is no take-out, or not whole.
    #[error("this is not a take-out that can be read: {0}")]
    Document(String),
    /// The store failed; what was brought in until then stays, and doing it again is harmless.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Imported {
    pub(super) fn refuse(&mut self, list: &'static str, entry: usize, reason: impl Into<String>) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(EntryError {
                list,
                entry: entry + 1,
                reason: reason.into(),
            });
        } else {
            self.errors_left_out += 1;
        }
    }

    /// The entries of a list that can be understood, with their places.
    pub(super) fn read<T: DeserializeOwned, U>(
        &mut self,
        list: &'static str,
        raw: &[Raw],
        check: impl Fn(T) -> Result<U, String>,
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

pub(super) fn parsed<T: DeserializeOwned>(raw: &Raw) -> Result<T, String> {
    serde_json::from_str(raw.get()).map_err(|error| error.to_string())
}
