//! The full-text search index.
//!
//! `model::search` splits texts into words; each engine indexes them in its own way, and this file
//! and its children contain the differences. Indexing hundreds of items at once is cheaper than one
//! by one. So storing an item only inserts its id into `search_queue`, in the same transaction, and
//! a crash loses none.

mod ask;
pub(crate) mod feeds;
mod render;

use std::collections::HashSet;

use lede_model::content::CleanHtml;
use lede_model::ids::ItemId;
use lede_model::search::words;

use crate::batch::{groups, list};
use crate::engine::{Engine, Sql, Value};
use crate::signals::Signal;
use crate::{Db, StoreResult, params, statements};

pub use ask::{Search, best, count, numbered_page, oldest_since, oldest_unread, page, summaries};
pub(crate) use ask::{found, padded};

/// A queued item that is not in the index yet.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// Id of the queue entry.
    pub place: i64,
    /// The text to index; `None` if the item was removed.
    pub text: Option<ItemText>,
}

/// The searchable text of an item.
#[derive(Debug, Clone)]
pub struct ItemText {
    pub item: ItemId,
    /// Plain text.
    pub title: String,
    /// Plain text.
    pub author: String,
    /// The text from the feed.
    pub html: CleanHtml,
    /// The article fetched from its page, if any.
    pub full_html: Option<CleanHtml>,
}

/// A queue entry with its words extracted.
#[derive(Debug, Clone)]
pub struct Ready {
    /// Id of the queue entry.
    pub place: i64,
    /// `None` if the item was removed.
    pub words: Option<ItemWords>,
}

impl Waiting {
    /// Extracts the words; `text_of` extracts the text from HTML.
    pub fn in_words(self, text_of: impl Fn(&CleanHtml) -> String) -> Ready {
        let words = self.text.map(|text| ItemWords {
            item: text.item,
            title: words(&text.title),
            author: words(&text.author),
            body: text.body(text_of),
        });
        Ready {
            place: self.place,
            words,
        }
    }
}

impl ItemText {
    /// Returns the words of both texts. The article may lack parts of the feed's text. Usually it
    /// contains all of it, and then the words do not count twice towards the limit per item. The
    /// feed's words come first, so that a rule, which only sees those, never matches an item that
    /// search does not find.
    fn body(&self, text_of: impl Fn(&CleanHtml) -> String) -> String {
        let feed = text_of(&self.html);
        let of_feed = words(&feed);
        let Some(full_html) = &self.full_html else {
            return of_feed;
        };
        let article = text_of(full_html);
        let of_article = words(&article);
        match format!(" {of_article} ").contains(&format!(" {of_feed} ")) {
            true => of_article,
            false => words(&format!("{feed}\n{article}")),
        }
    }
}

/// The normalised words of an item, produced by `model::search`.
#[derive(Debug, Clone)]
pub struct ItemWords {
    pub item: ItemId,
    pub title: String,
    pub author: String,
    pub body: String,
}

statements! {
    WAITING = "SELECT q.id, i.id, i.title, i.author, b.html, b.full_html
               FROM search_queue q
               LEFT JOIN item i ON i.id = q.item_id
               LEFT JOIN item_body b ON b.item_id = i.id
               ORDER BY q.id LIMIT $1";
}

fn enqueue_sql(items: usize) -> String {
    format!(
        "INSERT INTO search_queue (item_id) VALUES {}",
        groups(items, 1)
    )
}

fn take_sql(places: usize) -> String {
    format!(
        "DELETE FROM search_queue WHERE id IN ({}) RETURNING id",
        list(1, places)
    )
}

fn write_sql(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => {
            "INSERT OR REPLACE INTO item_search (rowid, title, author, body) VALUES ($1, $2, $3, $4)"
        }
        // Cast in two steps; otherwise the driver would have to encode the binary format.
        Engine::Postgres => {
            "INSERT INTO item_search (item_id, words) VALUES ($1, CAST(CAST($2 AS TEXT) AS TSVECTOR))
             ON CONFLICT (item_id) DO UPDATE SET words = excluded.words"
        }
    }
}

/// FTS5 commands that set `deletemerge`, merge segments of the index up to a number of pages, and
/// reset `deletemerge`. Segments with a share of deleted entries are merged only during
/// maintenance: rewriting them on every removal takes ten times as long as the removal itself.
const MERGE_SEGMENTS: [Sql; 3] = [
    Sql::new("INSERT INTO item_search (item_search, rank) VALUES ('deletemerge', $1)"),
    Sql::new("INSERT INTO item_search (item_search, rank) VALUES ('merge', $1)"),
    Sql::new("INSERT INTO item_search (item_search, rank) VALUES ('deletemerge', 0)"),
];
/// Total rows changed on this connection. A merge step that did something changes more than one.
const CHANGES: Sql = Sql::new("SELECT total_changes()");

/// Returns the texts of items, the feed's followed by the article.
pub fn texts(db: &mut Db<'_>, items: &[ItemId]) -> StoreResult<Vec<(ItemId, Vec<CleanHtml>)>> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let values: Vec<Value<'_>> = padded(items).map(|item| (*item).into()).collect();
    db.query_rows(&texts_sql(values.len()), &values, |row| {
        #[expect(
            clippy::disallowed_methods,
            reason = "what the store keeps went through the sanitiser"
        )]
        let clean = CleanHtml::assume_clean;
        let full: Option<String> = row.get(2)?;
        let texts = [Some(row.get(1)?), full];
        Ok((
            row.get(0)?,
            texts.into_iter().flatten().map(clean).collect(),
        ))
    })
}

fn texts_sql(items: usize) -> String {
    format!(
        "SELECT item_id, html, full_html FROM item_body WHERE item_id IN ({})",
        list(1, items)
    )
}

/// Statements whose text depends on the engine or the number of rows, for the test of all
/// statements.
pub(crate) fn engine_statements(engine: Engine) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("enqueue_search", enqueue_sql(2)),
        ("take_search", take_sql(2)),
        ("search_texts", texts_sql(2)),
        ("write_search", write_sql(engine).to_owned()),
    ];
    all.extend(ask::engine_statements(engine));
    if engine == Engine::Sqlite {
        let merge_segments = MERGE_SEGMENTS.into_iter().chain([CHANGES]);
        all.extend(merge_segments.map(|sql| ("merge_segments", sql.as_str().to_owned())));
    }
    all
}

/// Merges segments of the index in which at least `percent` of the entries are deleted, until
/// `pages` pages are written. Returns whether there may be more to do. No-op on PostgreSQL, which
/// does this by itself.
///
/// Only written pages count. A segment with only deleted entries writes none and is read to its end
/// at once. So callers that remove many items should call this in between.
pub fn merge_segments(db: &mut Db<'_>, percent: i64, pages: i64) -> StoreResult<bool> {
    if db.engine() == Engine::Postgres {
        return Ok(false);
    }
    let [begin, step, end] = MERGE_SEGMENTS;
    let changes = |db: &mut Db<'_>| db.one(CHANGES, &[], |row| row.get::<i64>(0));
    db.execute(begin, params![percent])?;
    let before = changes(db)?;
    db.execute(step, params![pages])?;
    // The statement itself counts as one change.
    let did_something = changes(db)? - before > 1;
    db.execute(end, &[])?;
    Ok(did_something)
}

/// The fixed statements of the child modules.
pub(crate) const MORE_STATEMENTS: [&[(&str, Sql)]; 2] = [ask::STATEMENTS, feeds::STATEMENTS];

/// Queues items that are new or changed for indexing.
pub(crate) fn enqueue(db: &mut Db<'_>, items: &[ItemId]) -> StoreResult<()> {
    if items.is_empty() {
        return Ok(());
    }
    let values: Vec<Value<'_>> = items.iter().map(|item| (*item).into()).collect();
    db.signal(Signal::SearchIndex);
    db.execute_rows(&enqueue_sql(items.len()), &values)
}

/// Returns the oldest entries of the queue.
pub fn waiting(db: &mut Db<'_>, limit: i64) -> StoreResult<Vec<Waiting>> {
    db.query(WAITING, params![limit], |row| {
        let text = match row.get::<Option<ItemId>>(1)? {
            None => None,
            Some(item) => {
                #[expect(
                    clippy::disallowed_methods,
                    reason = "what the store keeps went through the sanitiser"
                )]
                let clean = CleanHtml::assume_clean;
                Some(ItemText {
                    item,
                    title: row.get(2)?,
                    author: row.get::<Option<String>>(3)?.unwrap_or_default(),
                    html: clean(row.get(4)?),
                    full_html: row.get::<Option<String>>(5)?.map(clean),
                })
            }
        };
        let place = row.get(0)?;
        Ok(Waiting { place, text })
    })
}

/// Writes the words of queue entries to the index and removes the entries. Entries that another
/// worker has already indexed are skipped.
pub fn index(db: &mut Db<'_>, batch: &[Ready]) -> StoreResult<()> {
    if batch.is_empty() {
        return Ok(());
    }
    let places: Vec<Value<'_>> = batch.iter().map(|ready| ready.place.into()).collect();
    let ours = db.query_rows(&take_sql(places.len()), &places, |row| row.get(0))?;
    let ours: HashSet<i64> = ours.into_iter().collect();
    let sql = write_sql(db.engine());
    for ready in batch.iter().filter(|ready| ours.contains(&ready.place)) {
        let Some(words) = &ready.words else {
            continue;
        };
        match db.engine() {
            Engine::Sqlite => db.execute_rows(
                sql,
                params![words.item, &words.title, &words.author, &words.body],
            )?,
            Engine::Postgres => db.execute_rows(sql, params![words.item, &vector(words)])?,
        }
    }
    Ok(())
}

/// Formats the words as a `tsvector` with positions. Gaps between the three parts keep phrases from
/// matching across them.
fn vector(words: &ItemWords) -> String {
    use std::fmt::Write as _;
    /// PostgreSQL caps positions at this value.
    const LAST_PLACE: usize = 16_383;
    const GAP: usize = 10;
    let mut out = String::with_capacity(words.body.len() * 2);
    let mut place = 1;
    for (part, weight) in [
        (&words.title, 'A'),
        (&words.author, 'B'),
        (&words.body, 'D'),
    ] {
        for word in part.split_ascii_whitespace() {
            // Words consist of letters and digits, so they need no escaping inside the quotes.
            let _ = write!(out, "'{word}':{}{weight} ", place.min(LAST_PLACE));
            place += 1;
        }
        place += GAP;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_both_texts_are_there_and_the_same_ones_once() {
        #[expect(
            clippy::disallowed_methods,
            reason = "what is taken for text here never reaches a page"
        )]
        let clean = |text: &str| CleanHtml::assume_clean(text.to_owned());
        for (feed, article, expected) in [
            ("One two", None, "one two"),
            (
                "One two",
                Some("Nought. One two three"),
                "nought one two three",
            ),
            ("One two…", Some("Three four"), "one two three four"),
            ("one", Some("someone else"), "one someone else"),
            ("", Some("three"), "three"),
        ] {
            let text = ItemText {
                item: ItemId::from(1),
                title: String::new(),
                author: String::new(),
                html: clean(feed),
                full_html: article.map(clean),
            };
            let body = text.body(|html| html.as_str().to_owned());
            assert_eq!(body, expected, "{feed} {article:?}");
        }
    }

    #[test]
    fn a_vector_has_the_words_with_place_and_weight() {
        let words = ItemWords {
            item: ItemId::from(1),
            title: "a title".to_owned(),
            author: String::new(),
            body: "日本 本語 語".to_owned(),
        };
        assert_eq!(
            vector(&words),
            "'a':1A 'title':2A '日本':23D '本語':24D '語':25D "
        );
    }
}
