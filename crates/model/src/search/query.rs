//! The parsed form of a search query.

use crate::ids::{CategoryId, FeedId};
use crate::time::Timestamp;

/// A parsed query. Only [`Query::parse`] creates one that is not empty, so its words come from the tokeniser.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    pub(super) groups: Vec<Vec<Term>>,
    pub(super) excluded: Vec<Term>,
    pub(super) filters: Filters,
}

impl Query {
    /// Groups of alternatives: an item must contain at least one term of each group. Empty if the
    /// query has only filters.
    pub fn groups(&self) -> &[Vec<Term>] {
        &self.groups
    }

    /// Terms that an item must not contain.
    pub fn excluded(&self) -> &[Term] {
        &self.excluded
    }

    /// Returns a query that finds at least everything that this one matches among new items, even
    /// if the items have changed since: without exclusions, which match text that was added later,
    /// and without marks and labels.
    pub fn widened(&self) -> Self {
        let Filters {
            from, until, feeds, ..
        } = self.filters.clone();
        Self {
            groups: self.groups.clone(),
            excluded: Vec::new(),
            filters: Filters {
                from,
                until,
                feeds,
                ..Filters::default()
            },
        }
    }

    /// Returns the conditions besides the text.
    pub fn filters(&self) -> &Filters {
        &self.filters
    }
}

/// A word, or a phrase of consecutive words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub(super) part: Part,
    pub(super) words: Vec<String>,
    pub(super) is_prefix: bool,
}

impl Term {
    /// Returns the part of the item to search.
    pub fn part(&self) -> Part {
        self.part
    }

    /// Returns at least one word; letters and digits only, as produced by [`words`](super::words).
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns `true` if the last word is a prefix.
    pub fn is_prefix(&self) -> bool {
        self.is_prefix
    }
}

/// A part of an item's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Title, author and content.
    Any,
    Title,
    Author,
}

/// Conditions besides the text, all of which must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filters {
    /// `Some(true)`: unread; `Some(false)`: read.
    pub unread: Option<bool>,
    pub starred: Option<bool>,
    /// Inclusive lower bound of the date.
    pub from: Option<Timestamp>,
    /// Exclusive upper bound of the date.
    pub until: Option<Timestamp>,
    /// Two filters contradict each other, so that no item matches.
    pub contradict: bool,
    pub(super) feeds: Vec<FeedFilter>,
    pub(super) labels: Vec<LabelFilter>,
}

/// Condition on the labels of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelFilter {
    /// True if the item must not have the label.
    pub is_excluded: bool,
    /// Name of the label, in lower case.
    pub key: String,
}

/// Condition on the feed of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FeedFilter {
    pub(super) is_excluded: bool,
    pub(super) wanted: FeedWanted,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FeedWanted {
    Feed(FeedId),
    /// Part of the feed's title or host, in lower case.
    FeedNamed(String),
    Category(CategoryId),
    /// Name of the category, in lower case.
    CategoryNamed(String),
}

/// Properties of a feed that filters test, for one user.
#[derive(Debug, Clone)]
pub struct FeedFacts {
    pub id: FeedId,
    /// The user's own title, or the publisher's.
    pub title: String,
    /// Host that the feed is fetched from.
    pub host: String,
    /// The feed's category and its ancestors, with their names.
    pub categories: Vec<(CategoryId, String)>,
}

impl Filters {
    /// Returns `true` if there is no condition.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the conditions on labels.
    pub fn labels(&self) -> &[LabelFilter] {
        &self.labels
    }

    /// Returns `true` if there is a condition on the feed.
    pub fn has_feed_condition(&self) -> bool {
        !self.feeds.is_empty()
    }

    /// Returns `true` if `feed` meets all conditions on the feed.
    pub fn allow_feed(&self, feed: &FeedFacts) -> bool {
        self.feeds.iter().all(|filter| {
            let is_wanted = match &filter.wanted {
                FeedWanted::Feed(id) => feed.id == *id,
                FeedWanted::FeedNamed(part) => {
                    feed.title.to_lowercase().contains(part)
                        || feed.host.to_lowercase().contains(part)
                }
                FeedWanted::Category(id) => feed.categories.iter().any(|(own, _)| own == id),
                FeedWanted::CategoryNamed(name) => feed
                    .categories
                    .iter()
                    .any(|(_, own)| own.to_lowercase() == *name),
            };
            is_wanted != filter.is_excluded
        })
    }
}
