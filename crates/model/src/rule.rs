//! Rules: actions that are applied to a user's new items.

use crate::ids::{CategoryId, FeedId, RuleId};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub id: RuleId,
    pub terms: RuleTerms,
}

/// Definition of a rule: its conditions, all of which must hold, and its actions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleTerms {
    /// Name chosen by the user.
    pub name: String,
    pub enabled: bool,
    /// Matches items that a search for this query would find.
    pub query: Option<String>,
    /// Matches items of one feed.
    pub feed: Option<FeedId>,
    /// Matches items of the feeds in a category and its descendants.
    pub category: Option<CategoryId>,
    pub actions: RuleActions,
    /// Name of the label that matching items get.
    pub label: Option<String>,
}

impl RuleTerms {
    /// Returns `true` if at least one condition is set.
    pub fn has_condition(&self) -> bool {
        self.query.is_some() || self.feed.is_some() || self.category.is_some()
    }

    /// Returns `true` if at least one action is set.
    pub fn has_action(&self) -> bool {
        self.label.is_some() || !self.actions.is_empty()
    }
}

/// Actions on an item, except for its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RuleActions {
    pub mark_read: bool,
    pub star: bool,
    /// Hides the item from every list.
    pub hide: bool,
    /// Notifies the user of the item.
    pub notify: bool,
}

impl RuleActions {
    /// Returns `true` if no action is set.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Returns the union of both sets of actions.
    pub fn or(self, other: Self) -> Self {
        Self {
            mark_read: self.mark_read || other.mark_read,
            star: self.star || other.star,
            hide: self.hide || other.hide,
            notify: self.notify || other.notify,
        }
    }
}
