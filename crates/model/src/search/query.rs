//! What somebody looks for, taken apart.

use crate::ids::{CategoryId, FeedId};
use crate::time::Timestamp;

/// What is looked for. Only [`Query::parse`] makes one that is not empty, so its words are words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    pub(super) groups: Vec<Vec<Term>>,
    pub(super) excluded: Vec<Term>,
    pub(super) filters: Filters,
}

impl Query {
    /// Of each of these groups one term is in the item. Empty when the query has only filters.
    pub fn groups(&self) -> &[Vec<Term>] {
        &self.groups
    }

    /// None of these is in it.
    pub fn excluded(&self) -> &[Term] {
        &self.excluded
    }

    /// What finds at least all that this one finds among new items, whatever became of them since: without what
    /// is left out, which a text that came later may have, and without marks and labels.
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

    /// What is asked of the item beside its text.
    pub fn filters(&self) -> &Filters {
        &self.filters
    }
}

/// Words that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub(super) part: Part,
    pub(super) words: Vec<String>,
    pub(super) is_prefix: bool,
}

impl Term {
    /// Where they are looked for.
    pub fn part(&self) -> Part {
        self.part
    }

    /// At least one; letters and digits only, as [`words`](super::words) makes them.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether the last of them may go on.
    pub fn is_prefix(&self) -> bool {
        self.is_prefix
    }
}

/// A part of an item's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Any: title, author and text.
    Any,
    /// The title.
    Title,
    /// The author's name.
    Author,
}

/// What is asked of an item beside its text; all of it holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filters {
    /// Not read yet, or read.
    pub unread: Option<bool>,
    /// Starred, or not.
    pub starred: Option<bool>,
    /// Dated then or later.
    pub from: Option<Timestamp>,
    /// Dated earlier.
    pub until: Option<Timestamp>,
    /// Two of them contradict each other: no item is both.
    pub contradict: bool,
    pub(super) feeds: Vec<FeedFilter>,
    pub(super) labels: Vec<LabelFilter>,
}

/// A label that the item has, or has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelFilter {
    /// It has not.
    pub is_excluded: bool,
    /// What the label is called, in lower case.
    pub key: String,
}

/// What is asked of the feed that an item came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FeedFilter {
    pub(super) is_excluded: bool,
    pub(super) wanted: FeedWanted,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FeedWanted {
    Feed(FeedId),
    /// A part of its title or host, in lower case.
    FeedNamed(String),
    Category(CategoryId),
    /// In lower case.
    CategoryNamed(String),
}

/// A feed as one person has it.
#[derive(Debug, Clone)]
pub struct FeedFacts {
    /// Its number.
    pub id: FeedId,
    /// What the person calls it, or its publisher does.
    pub title: String,
    /// Where it is fetched from.
    pub host: String,
    /// The category that it is in and those around that, with their names.
    pub categories: Vec<(CategoryId, String)>,
}

impl Filters {
    /// Whether there is none at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is asked of the item's labels.
    pub fn labels(&self) -> &[LabelFilter] {
        &self.labels
    }

    /// Whether anything is asked of the feed.
    pub fn ask_feed(&self) -> bool {
        !self.feeds.is_empty()
    }

    /// Whether what is asked of the feed holds for this one.
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
