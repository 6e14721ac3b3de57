//! Rows of a list of items.

use lede_core::images;
use lede_model::address::WebUrl;
use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::item::ItemSummary;
use lede_model::preferences::Density;
use lede_model::search::Query;
use lede_model::time::Timestamp;

use crate::AppState;
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
    /// True if `when` is the time of reading, not of publication.
    pub(super) is_when_read: bool,
    pub(super) minutes: Option<i64>,
    /// Additional content in the card layout.
    pub(super) card: Option<Card>,
    pub(super) language: Option<String>,
}

/// Content that only the card layout shows.
pub(super) struct Card {
    pub(super) excerpt: String,
    /// URL of the image, through the image proxy if that is enabled.
    pub(super) picture: Option<String>,
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

/// Returns rows for `items`, with matches of `query` highlighted.
pub(super) fn rows(
    app: &AppState,
    page: &Page,
    user: UserId,
    items: Vec<ItemSummary>,
    query: Option<&Query>,
) -> Vec<ItemRow> {
    let now = app.lede.clock.now();
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
            .map(|url| images::shown_address(&app.lede, user, &url));
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
            // The history omits the reading time.
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
