//! The search index, filled in batches after the transactions that store items, and asked by people.
//!
//! The words come from `model::search`; each engine keeps them in its own way, and this file and its
//! children are where the two differ. Filling is cheaper by the hundred than item by item, so what is stored only
//! leaves a number in `search_queue`, in the same transaction: a crash forgets none.

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

pub use ask::{Search, count, numbered_page, oldest_since, oldest_unread, page, summaries};
pub(crate) use ask::{found, padded};

/// A text that the index does not have yet.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// Its place in the queue.
    pub place: i64,
    /// What is there to index; nothing when the item is gone.
    pub text: Option<ItemText>,
}

/// What is searched of an item.
#[derive(Debug, Clone)]
pub struct ItemText {
    /// The item.
    pub item: ItemId,
    /// Plain text.
    pub title: String,
    /// Plain text.
    pub author: String,
    /// The feed's text of it.
    pub html: CleanHtml,
    /// The article from its page, where there is one.
    pub full_html: Option<CleanHtml>,
}

/// What waited, in words.
#[derive(Debug, Clone)]
pub struct Ready {
    /// Its place in the queue.
    pub place: i64,
    /// What goes into the index.
    pub words: Option<ItemWords>,
}

impl Waiting {
    /// The same in words; `text_of` takes the text out of the HTML.
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
    /// The words of both texts: an article is what its page says, and may lack what the feed says of it. Most
    /// have it all, and those are not counted twice towards what is indexed of an item. The feed's words come first,
    /// so that a rule, which sees nothing else, never matches what is not found.
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

/// The words of an item, as `model::search` has them.
#[derive(Debug, Clone)]
pub struct ItemWords {
    /// The item.
    pub item: ItemId,
    /// Of the title.
    pub title: String,
    /// Of the author's name.
    pub author: String,
    /// Of the text.
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
        // The cast in two steps, or the driver would have to speak the binary form.
        Engine::Postgres => {
            "INSERT INTO item_search (item_id, words) VALUES ($1, CAST(CAST($2 AS TEXT) AS TSVECTOR))
             ON CONFLICT (item_id) DO UPDATE SET words = excluded.words"
        }
    }
}

/// What of SQLite's index is rewritten, and how much of it at a time. Parts of which a share was removed
/// count, but only while it is tidied: rewriting them whenever an item is removed takes ten times as
/// long as removing it.
const TIDY: [Sql; 3] = [
    Sql::new("INSERT INTO item_search (item_search, rank) VALUES ('deletemerge', $1)"),
    Sql::new("INSERT INTO item_search (item_search, rank) VALUES ('merge', $1)"),
    Sql::new("INSERT INTO item_search (item_search, rank) VALUES ('deletemerge', 0)"),
];
/// Rows that were ever changed on this connection: a step that did something changed some.
const CHANGES: Sql = Sql::new("SELECT total_changes()");

/// The statements that are made for an engine or a number of rows, for the test of all statements.
pub(crate) fn engine_statements(engine: Engine) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("enqueue_search", enqueue_sql(2)),
        ("take_search", take_sql(2)),
        ("write_search", write_sql(engine).to_owned()),
    ];
    all.extend(ask::engine_statements(engine));
    if engine == Engine::Sqlite {
        let tidy = TIDY.into_iter().chain([CHANGES]);
        all.extend(tidy.map(|sql| ("tidy_search", sql.as_str().to_owned())));
    }
    all
}

/// Takes a little of what was removed out of the parts of the index of which `percent` or more was, until
/// it has written so many pages anew; whether there may be more. PostgreSQL does so by itself.
///
/// Only what is written is counted, and of a part of which everything was removed nothing is: it would be
/// read to its end at once. Whoever removes much therefore does this in between.
pub fn tidy(db: &mut Db<'_>, percent: i64, pages: i64) -> StoreResult<bool> {
    if db.engine() == Engine::Postgres {
        return Ok(false);
    }
    let [begin, step, end] = TIDY;
    let changes = |db: &mut Db<'_>| db.one(CHANGES, &[], |row| row.get::<i64>(0));
    db.execute(begin, params![percent])?;
    let before = changes(db)?;
    db.execute(step, params![pages])?;
    // The statement itself counts for one.
    let did_something = changes(db)? - before > 1;
    db.execute(end, &[])?;
    Ok(did_something)
}

/// The fixed statements of the children.
pub(crate) const MORE_STATEMENTS: [&[(&str, Sql)]; 2] = [ask::STATEMENTS, feeds::STATEMENTS];

/// Remembers that the index lacks these items, or has them as they were.
pub(crate) fn enqueue(db: &mut Db<'_>, items: &[ItemId]) -> StoreResult<()> {
    if items.is_empty() {
        return Ok(());
    }
    let values: Vec<Value<'_>> = items.iter().map(|item| (*item).into()).collect();
    db.signal(Signal::SearchIndex);
    db.execute_rows(&enqueue_sql(items.len()), &values)
}

/// The texts that wait longest for the index.
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

/// Puts the words of what waited into the index and takes it off the queue. What another worker has
/// put there meanwhile is left alone.
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

/// The words as PostgreSQL writes a vector, with their places: the three parts follow each other
/// with a gap, so that no phrase reaches from one into the next.
fn vector(words: &ItemWords) -> String {
    use std::fmt::Write as _;
    /// The last place that PostgreSQL can tell from others.
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
            // Words are letters and digits: nothing in them needs quoting but the quotes.
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
