//! The rows of a list.

use lede_core::images;
use lede_model::address::WebUrl;
use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::item::ItemSummary;
use lede_model::preferences::Density;
use lede_model::search::Query;
use lede_model::time::Timestamp;

use crate::Doors;
use crate::highlight::Highlight;
use crate::web::page::Page;

/// An item in the list.
pub(super) struct ItemRow {
    pub(super) id: ItemId,
    pub(super) title: Marked,
    pub(super) lede: Marked,
    pub(super) feed_id: FeedId,
    pub(super) feed_title: String,
    pub(super) is_read: bool,
    pub(super) is_starred: bool,
    pub(super) when: When,
    /// That is when it was read, and not when it appeared.
    pub(super) is_when_read: bool,
    pub(super) minutes: Option<i64>,
    /// What a card has besides.
    pub(super) card: Option<Card>,
    pub(super) language: Option<String>,
}

/// A card's own.
pub(super) struct Card {
    pub(super) excerpt: String,
    /// Through this Lede, where that is switched on.
    pub(super) picture: Option<String>,
}

/// Text in which what was looked for is marked.
pub(super) enum Marked {
    Text(String),
    /// Escaped already.
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

/// When something appeared, or was read.
pub(super) struct When {
    /// For programs.
    pub(super) machine: String,
    /// For a glance.
    pub(super) age: String,
    /// For those who want to know, and for screen readers.
    pub(super) exact: String,
    /// It is only when Lede first saw it.
    pub(super) is_estimated: bool,
}

impl When {
    pub(super) fn new(page: &Page, item: &ItemSummary, now: Timestamp) -> Self {
        let at = item.published_at;
        Self {
            machine: at.to_string(),
            age: page.age(at, now).into(),
            exact: page.exact(at).into(),
            is_estimated: item.is_date_estimated,
        }
    }

    fn read(page: &Page, at: Timestamp, now: Timestamp) -> Self {
        Self {
            machine: at.to_string(),
            age: page.ago(at, now).into(),
            exact: page.exact(at).into(),
            is_estimated: false,
        }
    }
}

/// Rows for `items`, in which `query` is marked.
pub(super) fn rows(
    doors: &Doors,
    page: &Page,
    user: UserId,
    items: Vec<ItemSummary>,
    query: Option<&Query>,
) -> Vec<ItemRow> {
    let now = doors.lede.clock.now();
    let is_card = page.look.density == Density::Cards;
    let row = |item: ItemSummary| {
        let when = match item.read_at {
            None => When::new(page, &item, now),
            Some(at) => When::read(page, at, now),
        };
        let (title, excerpt) = match query {
            None => (None, None),
            Some(query) => Highlight::new(&item, query).into_parts(),
        };
        let picture = item
            .image_url
            .as_deref()
            .filter(|_| is_card)
            .and_then(|url| WebUrl::parse(url).ok())
            .map(|url| images::shown_address(&doors.lede, user, &url));
        ItemRow {
            id: item.id,
            title: Marked::new(item.title, title),
            lede: Marked::new(item.lede, excerpt),
            feed_id: item.feed_id,
            feed_title: item.feed_title,
            is_read: item.is_read,
            is_starred: item.is_starred,
            when,
            is_when_read: item.read_at.is_some(),
            // Who has read it knows how long that takes.
            minutes: item.reading_minutes.filter(|_| item.read_at.is_none()),
            card: is_card.then_some(Card {
                excerpt: item.excerpt,
                picture,
            }),
            language: item.language,
        }
    };
    items.into_iter().map(row).collect()
}
