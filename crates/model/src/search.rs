//! Search: tokenisation, query syntax, matching and highlighting.
//!
//! A query has one meaning everywhere. The store looks up the words of a [`Query`] in its index, a
//! rule calls [`Query::matches`] on one item, and [`highlight`] marks the matches. All of them use
//! the same tokeniser ([`words`]), so that a rule acts on exactly the items that a search finds.

mod highlight;
mod matching;
mod parse;
mod query;
mod words;

pub use highlight::highlight;
pub use matching::{ItemFacts, ItemText};
pub use parse::{MAX_QUERY_CHARS, QueryError};
pub use query::{FeedFacts, Filters, LabelFilter, Part, Query, Term};
pub use words::words;

#[cfg(test)]
mod tests;

use crate::ids::SavedSearchId;

/// A query that a user has saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSearch {
    pub id: SavedSearchId,
    /// Name chosen by the user.
    pub name: String,
    /// The query as it was typed.
    pub query: String,
    /// Position among the user's saved searches; equal positions are ordered by name.
    pub position: i64,
}
