//! Tree of the reading view: categories, feeds, saved searches and labels, with unread counts.

use std::borrow::Cow;
use std::collections::HashMap;

use lede_core::categories::{CategoryCount, Sidebar};
use lede_core::labels::LabelCount;
use lede_model::feed::{FeedStatus, Subscription};
use lede_model::ids::{CategoryId, FeedId, LabelId, SavedSearchId, SubscriptionId};
use lede_model::item::{ItemFilter, Scope};

use super::list_query::{ListRequest, search_address};
use crate::web::i18n::Translator;
use crate::web::images::favicon_address;

/// Content of the sidebar of the reading view.
pub(super) struct Tree {
    pub(super) total_unread: i64,
    pub(super) has_feeds: bool,
    /// True if the current list is of all feeds with the default filter.
    pub(super) is_all: bool,
    /// True if the current list is of starred items.
    pub(super) is_starred: bool,
    /// True if the current list is the history.
    pub(super) is_history: bool,
    pub(super) searches: Vec<SearchNode>,
    pub(super) labels: Vec<LabelNode>,
    pub(super) branches: Vec<Branch>,
    /// Number of branches that are still open after the last one.
    pub(super) closes: usize,
    /// Feeds without a category.
    pub(super) feeds: Vec<FeedNode>,
}

/// A saved search in the tree.
pub(super) struct SearchNode {
    pub(super) id: SavedSearchId,
    pub(super) name: String,
    pub(super) query: String,
    pub(super) address: String,
    pub(super) is_current: bool,
}

/// A label in the tree.
pub(in crate::web) struct LabelNode {
    pub(in crate::web) id: LabelId,
    pub(in crate::web) name: String,
    pub(in crate::web) unread: i64,
    pub(in crate::web) is_current: bool,
}

impl LabelNode {
    pub(in crate::web) fn new(LabelCount { label, unread }: LabelCount, scope: Scope) -> Self {
        Self {
            is_current: scope == Scope::Label(label.id),
            id: label.id,
            name: label.name,
            unread,
        }
    }
}

/// A category and the feeds directly in it.
pub(super) struct Branch {
    /// Number of branches to close before this one.
    pub(super) closes: usize,
    pub(super) id: CategoryId,
    pub(super) name: String,
    pub(super) unread: i64,
    pub(super) is_current: bool,
    pub(super) feeds: Vec<FeedNode>,
}

/// A feed in the tree.
pub(super) struct FeedNode {
    pub(super) id: FeedId,
    pub(super) subscription: SubscriptionId,
    pub(super) title: String,
    pub(super) unread: i64,
    pub(super) is_current: bool,
    /// URL of its icon.
    pub(super) icon: Option<String>,
    /// Description of a problem with the feed.
    pub(super) trouble: Option<Cow<'static, str>>,
    pub(super) is_paused: bool,
}

impl Tree {
    pub(super) fn new(words: Translator, followed: Sidebar, wanted: &ListRequest) -> Self {
        let Sidebar {
            subscriptions,
            categories,
            searches,
            labels,
            ..
        } = followed;
        let (total_unread, has_feeds) = (
            subscriptions.iter().map(|feed| feed.unread).sum(),
            !subscriptions.is_empty(),
        );
        let scope = wanted.list.scope;
        let mut by_category: HashMap<Option<CategoryId>, Vec<FeedNode>> = HashMap::new();
        for subscription in subscriptions {
            let category = subscription.category;
            let node = FeedNode::new(words, subscription, scope);
            by_category.entry(category).or_default().push(node);
        }
        let mut branches: Vec<Branch> = Vec::with_capacity(categories.len());
        let mut open: Vec<CategoryId> = Vec::new();
        for CategoryCount { category, unread } in categories {
            let parents = match category.parent {
                None => 0,
                Some(parent) => open
                    .iter()
                    .position(|id| *id == parent)
                    .map_or(0, |place| place + 1),
            };
            let closes = open.len() - parents;
            open.truncate(parents);
            open.push(category.id);
            branches.push(Branch {
                closes,
                unread,
                is_current: scope == Scope::Category(category.id),
                feeds: by_category.remove(&Some(category.id)).unwrap_or_default(),
                id: category.id,
                name: category.name,
            });
        }
        let text = wanted.asked.text();
        let is_everything = scope == Scope::Everything && text.is_none();
        let is_starred = is_everything && wanted.list.filter == ItemFilter::Starred;
        Self {
            total_unread,
            has_feeds,
            is_all: is_everything && !is_starred && !wanted.is_history(),
            is_starred,
            is_history: wanted.is_history(),
            searches: searches
                .into_iter()
                .map(|search| SearchNode {
                    id: search.id,
                    is_current: text == Some(search.query.as_str()),
                    address: search_address(&search.query),
                    query: search.query,
                    name: search.name,
                })
                .collect(),
            labels: labels
                .into_iter()
                .map(|label| LabelNode::new(label, scope))
                .collect(),
            closes: open.len(),
            branches,
            feeds: by_category.remove(&None).unwrap_or_default(),
        }
    }
}

impl FeedNode {
    fn new(words: Translator, subscription: Subscription, scope: Scope) -> Self {
        let id = subscription.feed.id;
        let is_in_trouble = subscription.feed.status != FeedStatus::Active;
        Self {
            id,
            subscription: subscription.id,
            title: subscription.title().to_owned(),
            unread: subscription.unread,
            is_current: scope == Scope::Feed(id),
            icon: subscription.has_icon.then(|| favicon_address(id)),
            is_paused: subscription.paused_at.is_some(),
            trouble: is_in_trouble.then(|| match &subscription.last_error {
                Some(error) => words.translate(error),
                None => words.t("tree-in-trouble"),
            }),
        }
    }
}
