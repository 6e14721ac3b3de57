//! Searching: the words of a text, what people ask for, and where a text answers it.
//!
//! There is one meaning of a query. The store asks its index for the words that [`Query`] has, a
//! rule asks [`Query::matches`] about one item, and [`highlight`] shows what matched: all of them
//! over the same words ([`words`]), so that what a search finds is what a rule acts on.

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

/// A question that somebody asks again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSearch {
    /// Its number.
    pub id: SavedSearchId,
    /// What the person calls it.
    pub name: String,
    /// The question as it was typed.
    pub query: String,
    /// Its place among the others; the name decides between equals.
    pub position: i64,
}
