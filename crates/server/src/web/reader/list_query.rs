//! Query parameters of the reading view. The URL has the whole state, so that back, reload and a
//! shared link show the same.

use lede_core::search::SearchOrder;
use lede_model::ids::{CategoryId, FeedId, ItemId, LabelId, UserId};
use lede_model::item::{ItemFilter, List, Order, Position, Scope, Start};
use lede_model::preferences::{Preferences, Show};
use serde::Deserialize;
use url::form_urlencoded::Serializer;

/// Query of `/` and `/list`.
#[derive(Deserialize, Default, Clone)]
pub(crate) struct ListQuery {
    pub(super) feed: Option<FeedId>,
    pub(super) category: Option<CategoryId>,
    pub(super) label: Option<LabelId>,
    q: Option<String>,
    show: Option<String>,
    order: Option<String>,
    after: Option<String>,
    /// For scripts: requests the rows before a position instead of those after it.
    before: Option<String>,
    /// Item that is open beside the list.
    pub(super) item: Option<ItemId>,
}

/// The query, completed by the user's preferences.
pub(super) struct ListRequest {
    pub(super) asked: ListQuery,
    pub(super) list: List,
    /// Order of the results, if it is a search.
    pub(super) search_order: SearchOrder,
    usual: List,
}

/// Value of `order` for the best results of a search first.
const RELEVANCE: &str = "relevance";

impl ListQuery {
    /// Returns the query for the list of a feed.
    pub(super) fn for_feed(feed: FeedId) -> Self {
        Self {
            feed: Some(feed),
            ..Self::default()
        }
    }

    pub(super) fn by(self, look: &Preferences) -> ListRequest {
        let scope = match (self.feed, self.category, self.label) {
            (Some(feed), ..) => Scope::Feed(feed),
            (None, Some(category), _) => Scope::Category(category),
            (None, None, Some(label)) => Scope::Label(label),
            (None, None, None) => Scope::Everything,
        };
        let is_of_label = matches!(scope, Scope::Label(_));
        let usual = List {
            scope,
            // Searches and labels are for finding items again, so they include read items by
            // default.
            filter: match look.show {
                Show::Unread if self.text().is_none() && !is_of_label => ItemFilter::Unread,
                Show::Unread | Show::All => ItemFilter::All,
            },
            order: look.order,
        };
        let is_everything = scope == Scope::Everything && self.text().is_none();
        let filter = self.show.as_deref().and_then(ItemFilter::from_word);
        let filter = filter.filter(|filter| *filter != ItemFilter::Read || is_everything);
        let filter = filter.unwrap_or(usual.filter);
        let order = self.order.as_deref().and_then(Order::from_word);
        let list = List {
            scope,
            filter,
            order: match self.has_order(filter) {
                true => order.unwrap_or(usual.order),
                false => Order::Newest,
            },
        };
        let is_by_relevance = self.text().is_some() && self.order.as_deref() == Some(RELEVANCE);
        ListRequest {
            search_order: match is_by_relevance {
                true => SearchOrder::Relevance,
                false => SearchOrder::Newest,
            },
            asked: self,
            list,
            usual,
        }
    }

    /// Returns `true` if the list can be reversed. Search results are ordered by date, newest first,
    /// or by relevance; the history by time of reading, latest first.
    fn has_order(&self, filter: ItemFilter) -> bool {
        self.text().is_none() && filter != ItemFilter::Read
    }

    /// Returns the search text, if there is one.
    pub(super) fn text(&self) -> Option<&str> {
        self.q.as_deref().map(str::trim).filter(|q| !q.is_empty())
    }
}

impl ListRequest {
    pub(super) fn is_history(&self) -> bool {
        self.list.filter == ItemFilter::Read
    }

    /// Returns the identity of the list of `user`, which its cursors contain.
    pub(super) fn name(&self, user: UserId) -> String {
        let mut name = self.list.name(user);
        name.push_str(self.asked.text().unwrap_or_default());
        name
    }

    /// Returns the start of the page. A cursor of another list is ignored.
    pub(super) fn start(&self, user: UserId) -> Start {
        self.position(user, self.asked.after.as_deref())
            .map_or(Start::FIRST, Start::After)
    }

    /// Returns the end of the page, if one is requested. Search results cannot be walked backwards.
    pub(super) fn end(&self, user: UserId) -> Option<Position> {
        let before = self.asked.before.as_deref();
        self.position(user, before)
            .filter(|_| self.asked.text().is_none())
    }

    fn position(&self, user: UserId, cursor: Option<&str>) -> Option<Position> {
        Position::from_cursor(cursor?, &self.name(user))
    }

    /// Returns the URL of a list at `path`. `from` is the name and value of a cursor: `after` or
    /// `before`.
    pub(super) fn address(&self, path: &str, list: List, from: Option<(&str, &str)>) -> String {
        let mut query = Serializer::new(String::new());
        match list.scope {
            Scope::Everything => {}
            Scope::Feed(feed) => drop(query.append_pair("feed", &feed.to_string())),
            Scope::Category(category) => {
                query.append_pair("category", &category.to_string());
            }
            Scope::Label(label) => drop(query.append_pair("label", &label.to_string())),
        }
        if let Some(text) = self.asked.text() {
            query.append_pair("q", text);
        }
        if list.filter != self.usual.filter {
            query.append_pair("show", list.filter.as_str());
        }
        if list.order != self.usual.order && self.asked.has_order(list.filter) {
            query.append_pair("order", list.order.as_str());
        }
        if self.search_order == SearchOrder::Relevance {
            query.append_pair("order", RELEVANCE);
        }
        if let Some((side, cursor)) = from {
            query.append_pair(side, cursor);
        }
        let query = query.finish();
        if query.is_empty() {
            path.to_owned()
        } else {
            format!("{path}?{query}")
        }
    }

    /// Returns the URL of this list with another filter.
    pub(super) fn showing(&self, filter: ItemFilter) -> String {
        let list = List {
            filter,
            order: match self.asked.has_order(self.list.filter) {
                true => self.list.order,
                false => self.usual.order,
            },
            ..self.list
        };
        self.address("/", list, None)
    }

    /// Returns the URL of this list in another order.
    pub(super) fn ordered(&self, order: Order) -> String {
        let list = List { order, ..self.list };
        let by_date = Self {
            asked: self.asked.clone(),
            search_order: SearchOrder::Newest,
            ..*self
        };
        by_date.address("/", list, None)
    }

    /// Returns the URL of this search with the best results first.
    pub(super) fn by_relevance(&self) -> String {
        let by_relevance = Self {
            asked: self.asked.clone(),
            search_order: SearchOrder::Relevance,
            ..*self
        };
        by_relevance.beginning()
    }

    /// Returns the URL of the same search in all feeds.
    pub(super) fn everywhere(&self) -> String {
        let list = List {
            scope: Scope::Everything,
            ..self.list
        };
        self.address("/", list, None)
    }

    /// Returns the URL by which the tree refers to this list, whatever its filter and order.
    pub(super) fn tree_address(&self) -> String {
        match (self.list.scope, self.asked.text()) {
            (Scope::Feed(feed), _) => format!("/?feed={feed}"),
            (Scope::Category(category), _) => format!("/?category={category}"),
            (Scope::Label(label), _) => format!("/?label={label}"),
            (Scope::Everything, Some(text)) => search_address(text),
            (Scope::Everything, None) => match self.list.filter {
                ItemFilter::Starred | ItemFilter::Read => {
                    format!("/?show={}", self.list.filter.as_str())
                }
                ItemFilter::Unread | ItemFilter::All | ItemFilter::UnreadStarred => "/".to_owned(),
            },
        }
    }

    /// Returns the URL of the beginning of this list.
    pub(super) fn beginning(&self) -> String {
        self.address("/", self.list, None)
    }
}

/// Returns the URL of a search for `text` in all feeds.
pub(crate) fn search_address(text: &str) -> String {
    let mut query = Serializer::new(String::new());
    query.append_pair("q", text);
    format!("/?{}", query.finish())
}
