//! What a rule would have been about, had it been there when the items came.
//!
//! Rules see the feed's text and nothing that came later. The index has the article's words too and the marks are
//! as they are now, so it only names the items that may be meant; which of them are is asked of the same code that
//! rules ask, of the same text.

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

/// Which items are asked about.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The rule's query; an empty one is about everything.
    pub query: Query,
    /// In one feed.
    pub feed: Option<FeedId>,
    /// In a category and those inside it.
    pub category: Option<CategoryId>,
    /// Dated then or later.
    pub from: Timestamp,
    /// None that came before this one.
    pub oldest: ItemId,
}

/// What was found among some of the items.
#[derive(Debug, Default)]
pub struct Looked {
    /// What the rule would have been about, the newest arrivals first.
    pub about: Vec<ItemId>,
    /// Where to go on; nothing when all were looked at.
    pub next: Option<ItemId>,
}

fn texts_sql(items: usize) -> String {
    format!(
        "SELECT i.id, i.feed_id, i.sort_at, i.title, i.author, b.html
         FROM item i JOIN item_body b ON b.item_id = i.id WHERE i.id IN ({})",
        list(1, items)
    )
}

/// The statements that are made for a number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 1] {
    [("preview_texts", texts_sql(2))]
}

/// Looks at up to `limit` items of `user` that came before `before`; `text_of` takes the text out of the HTML.
pub fn look(
    db: &mut Db<'_>,
    user: UserId,
    terms: &Terms,
    before: Option<ItemId>,
    limit: i64,
    text_of: fn(&CleanHtml) -> String,
) -> StoreResult<Looked> {
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
        return Ok(Looked::default());
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
    Ok(Looked { about, next })
}
