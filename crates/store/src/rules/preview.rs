//! Preview: the items that a rule would have matched on arrival.
//!
//! Rules see the feed's text and nothing that came later. The search index also contains the
//! article's words, and marks are as they are now. So the index only yields candidates, and the
//! matching code of the rules decides on the same text.

use std::collections::HashMap;

use lede_model::content::CleanHtml;
use lede_model::ids::{CategoryId, FeedId, ItemId, UserId};
use lede_model::search::{FeedFacts, ItemText, Query};
use lede_model::time::Timestamp;

use super::apply::is_about;
use crate::batch::list;
use crate::engine::Value;
use crate::search::feeds::followed;
use crate::search::{Search, found, padded};
use crate::{Db, StoreResult};

/// Query and scope of a preview.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The rule's query; an empty one matches everything.
    pub query: Query,
    pub feed: Option<FeedId>,
    /// Includes subcategories.
    pub category: Option<CategoryId>,
    /// Earliest date of the items.
    pub from: Timestamp,
    /// Lowest item id, which means the earliest arrival.
    pub oldest: ItemId,
}

/// Result of examining one batch of items.
#[derive(Debug, Default)]
pub struct PreviewBatch {
    /// Matching items, newest arrivals first.
    pub about: Vec<ItemId>,
    /// Cursor for the next call; `None` when all items were examined.
    pub next: Option<ItemId>,
}

fn texts_sql(items: usize) -> String {
    format!(
        "SELECT i.id, i.feed_id, i.sort_at, i.title, i.author, b.html
         FROM item i JOIN item_body b ON b.item_id = i.id WHERE i.id IN ({})",
        list(1, items)
    )
}

/// Statements whose text depends on the number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 1] {
    [("preview_texts", texts_sql(2))]
}

/// Examines up to `limit` items of `user` with ids below `before`; `text_of` extracts the text from
/// HTML.
pub fn examine(
    db: &mut Db<'_>,
    user: UserId,
    terms: &Terms,
    before: Option<ItemId>,
    limit: i64,
    text_of: fn(&CleanHtml) -> String,
) -> StoreResult<PreviewBatch> {
    let search = Search {
        query: terms.query.widened(),
        feed: terms.feed,
        category: terms.category,
        oldest: Some(terms.oldest),
        from: Some(terms.from),
        ..Search::default()
    };
    let ids = found(db, user, &search, before, limit)?;
    if ids.is_empty() {
        return Ok(PreviewBatch::default());
    }
    let feeds: HashMap<FeedId, FeedFacts> = followed(db, user)?
        .into_iter()
        .map(|feed| (feed.id, feed))
        .collect();
    let values: Vec<Value<'_>> = padded(&ids).map(|id| Value::from(*id)).collect();
    let mut about = Vec::new();
    db.query_rows(&texts_sql(values.len()), &values, |row| {
        let Some(feed) = feeds.get(&row.get(1)?) else {
            return Ok(());
        };
        let title: String = row.get(3)?;
        let author = row.get::<Option<String>>(4)?.unwrap_or_default();
        let html: String = row.get(5)?;
        #[expect(
            clippy::disallowed_methods,
            reason = "what the store keeps went through the sanitiser"
        )]
        let text = ItemText::new(&title, &author, || text_of(&CleanHtml::assume_clean(html)));
        if is_about(&terms.query, &text, feed, row.get(2)?) {
            about.push(row.get(0)?);
        }
        Ok(())
    })?;
    about.sort_unstable_by(|one: &ItemId, other| other.cmp(one));
    let is_full = ids.len() as i64 >= limit;
    let next = ids.last().copied().filter(|_| is_full);
    Ok(PreviewBatch { about, next })
}
