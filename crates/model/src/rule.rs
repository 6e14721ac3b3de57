//! Rules: what somebody wants done with new items.

use crate::ids::{CategoryId, FeedId, RuleId};

/// A rule of one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its number.
    pub id: RuleId,
    /// What it says.
    pub terms: RuleTerms,
}

/// What a rule says: which items, and what happens to them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleTerms {
    /// What the person calls it.
    pub name: String,
    /// Whether it acts.
    pub enabled: bool,
    /// Items that a search for this would find.
    pub query: Option<String>,
    /// Items of one feed.
    pub feed: Option<FeedId>,
    /// Items of the feeds in a category and those inside it.
    pub category: Option<CategoryId>,
    /// What happens to items for which all of these hold.
    pub actions: RuleActions,
    /// The name of the label that they get.
    pub label: Option<String>,
}

impl RuleTerms {
    /// Whether it says which items it is about.
    pub fn has_condition(&self) -> bool {
        self.query.is_some() || self.feed.is_some() || self.category.is_some()
    }

    /// Whether it says what happens to them.
    pub fn has_action(&self) -> bool {
        self.label.is_some() || !self.actions.is_empty()
    }
}

/// What happens to an item, beside the label that it gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RuleActions {
    /// It is read.
    pub mark_read: bool,
    /// It is starred.
    pub star: bool,
    /// It is in no list.
    pub hide: bool,
    /// The person is told.
    pub notify: bool,
}

impl RuleActions {
    /// Whether nothing happens.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// What either of the two does.
    pub fn or(self, other: Self) -> Self {
        Self {
            mark_read: self.mark_read || other.mark_read,
            star: self.star || other.star,
            hide: self.hide || other.hide,
            notify: self.notify || other.notify,
        }
    }
}
