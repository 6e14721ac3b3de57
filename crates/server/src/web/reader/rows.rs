//! Rows of a list of items.

use std::collections::{HashMap, HashSet};

use lede_core::categories::Sidebar;
use lede_core::images;
use lede_model::address::WebUrl;
use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::item::ItemSummary;
use lede_model::preferences::Density;
use lede_model::search::Query;
use lede_model::time::Timestamp;

use crate::AppState;
use crate::highlight::Highlight;
use crate::web::images::favicon_address;
use crate::web::page::Page;

/// An item in the list.
pub(super) struct ItemRow {
    pub(super) id: ItemId,
    pub(super) title: Marked,
    pub(super) lede: Marked,
    pub(super) feed_id: FeedId,
    pub(super) feed_title: String,
    /// URL of the feed's icon; without one, a letter stands for the feed.
    pub(super) icon: Option<String>,
    pub(super) is_read: bool,
    pub(super) is_starred: bool,
    pub(super) when: When,
    /// True if `when` is the time of reading, not of publication.
    pub(super) is_when_read: bool,
    pub(super) minutes: Option<i64>,
    /// Excerpt in the card layout, which is longer than the lede.
    pub(super) excerpt: Option<String>,
    /// URL of the image, through the image proxy if that is enabled.
    pub(super) picture: Option<String>,
    pub(super) language: Option<String>,
}

/// The search that found the items of a list.
pub(super) struct FoundBy {
    pub(super) query: Query,
    /// Text around the match, of items that have none in their rows.
    pub(super) snippets: HashMap<ItemId, String>,
}

/// Text in which search matches are highlighted.
pub(super) enum Marked {
    Text(String),
    /// Escaped HTML with `<mark>` elements.
    Html(String),
}

impl Marked {
    fn new(text: String, found: Option<String>) -> Self {
        match found {
            Some(html) => Self::Html(html),
            None => Self::Text(text),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) | Self::Html(text) => text.is_empty(),
        }
    }
}

/// Time of publication or of reading.
pub(super) struct When {
    /// ISO 8601, for the `datetime` attribute.
    pub(super) machine: String,
    /// Relative form, for display.
    pub(super) age: String,
    /// Shorter relative form, for lists of titles.
    pub(super) brief: String,
    /// Full form, for the tooltip and for screen readers.
    pub(super) exact: String,
    /// True if the publisher gave no date. It is then when Lede first saw the item.
    pub(super) is_estimated: bool,
}

impl When {
    pub(super) fn new(page: &Page, item: &ItemSummary, now: Timestamp) -> Self {
        let at = item.published_at;
        Self {
            machine: at.to_string(),
            age: match item.is_date_estimated {
                true => page.with("seen", "ago", page.ago(at, now)).into(),
                false => page.ago(at, now).into(),
            },
            brief: page.age(at, now).into(),
            exact: page.exact(at).into(),
            is_estimated: item.is_date_estimated,
        }
    }

    fn read(page: &Page, at: Timestamp, now: Timestamp) -> Self {
        Self {
            machine: at.to_string(),
            age: page.ago(at, now).into(),
            brief: page.age(at, now).into(),
            exact: page.exact(at).into(),
            is_estimated: false,
        }
    }
}

/// Returns rows for `items`, with matches of `query` highlighted.
pub(super) fn rows(
    app: &AppState,
    page: &Page,
    followed: &Sidebar,
    user: UserId,
    items: Vec<ItemSummary>,
    query: Option<&FoundBy>,
) -> Vec<ItemRow> {
    let now = app.lede.clock.now();
    let is_card = page.look.density == Density::Cards;
    let has_picture = match page.look.density {
        Density::Cards => true,
        Density::List => page.look.thumbnails,
        Density::Titles => false,
    };
    let feeds = followed.subscriptions.iter();
    let with_icon: HashSet<FeedId> = feeds
        .filter(|subscription| subscription.has_icon)
        .map(|subscription| subscription.feed.id)
        .collect();
    let row = |item: ItemSummary| {
        let when = match item.read_at {
            None => When::new(page, &item, now),
            Some(at) => When::read(page, at, now),
        };
        let (title, excerpt) = match query {
            None => (None, None),
            Some(found) => {
                let snippet = found.snippets.get(&item.id);
                Highlight::new(&item, &found.query, snippet).into_parts()
            }
        };
        // The line with the match takes precedence over the excerpt of a card.
        let is_marked = excerpt.is_some();
        let picture = item
            .image_url
            .as_deref()
            .filter(|_| has_picture)
            .and_then(|url| WebUrl::parse(url).ok())
            .map(|url| images::shown_address(&app.lede, user, &url));
        ItemRow {
            id: item.id,
            title: Marked::new(item.title, title),
            lede: Marked::new(item.lede, excerpt),
            icon: with_icon
                .contains(&item.feed_id)
                .then(|| favicon_address(item.feed_id)),
            feed_id: item.feed_id,
            feed_title: item.feed_title,
            is_read: item.is_read,
            is_starred: item.is_starred,
            when,
            is_when_read: item.read_at.is_some(),
            // The history omits the reading time.
            minutes: item.reading_minutes.filter(|_| item.read_at.is_none()),
            excerpt: (is_card && !is_marked).then_some(item.excerpt),
            picture,
            language: item.language,
        }
    };
    items.into_iter().map(row).collect()
}
