//! How many items each feed has: `feed.items`.
//!
//! A list of all items says how many they are, and counting 100,000 rows takes twenty times as long as the
//! page. Items come in `intake`, go in `items::remove` and change their feed in `merge`; each says so here, in its
//! own transaction. No trigger does it: that would run for every row of what is one statement here, and when a
//! backup is restored it would count what the copied numbers have counted. What is wrong all the same is found at night.
//!
//! On PostgreSQL, whoever adds or removes items has locked their feeds, so that nobody counts in between.

use std::collections::BTreeMap;

use lede_model::ids::{FeedId, ItemId};

use crate::batch::{list, with_numbers};
use crate::engine::{Engine, Value};
use crate::{Db, StoreResult, feeds, params, statements};

/// How many items there are of the feed `$feed`.
macro_rules! counted {
    ($feed:literal) => {
        concat!(
            "(SELECT COUNT(*) FROM item i WHERE i.feed_id = ",
            $feed,
            ")"
        )
    };
}

statements! {
    ADD = "UPDATE feed SET items = items + $1 WHERE id = $2";
    RECOUNT = concat!("UPDATE feed SET items = ", counted!("feed.id"), " WHERE id = $1");
    LOOK = concat!(
        "SELECT f.id, f.items <> ", counted!("f.id"), " FROM feed f WHERE f.id > $1 ORDER BY f.id LIMIT $2"
    );
}

/// PostgreSQL only (see [`Db::lock_rows`]).
fn lock_of_items_sql(items: usize) -> String {
    format!(
        "SELECT id FROM feed WHERE id IN (SELECT feed_id FROM item WHERE id IN ({}))
         ORDER BY id FOR NO KEY UPDATE",
        list(1, items)
    )
}

/// Locks the feeds of `items`: before subscriptions.
pub(crate) fn lock_of_items(db: &mut Db<'_>, items: &[ItemId]) -> StoreResult<()> {
    if items.is_empty() {
        return Ok(());
    }
    let values: Vec<Value<'_>> = items.iter().map(|item| Value::from(*item)).collect();
    db.lock_rows(&lock_of_items_sql(items.len()), &values)
}

/// Counts so many new items of a feed.
pub(crate) fn add(db: &mut Db<'_>, feed: FeedId, items: usize) -> StoreResult<()> {
    if items > 0 {
        db.execute(ADD, params![items as i64, feed])?;
    }
    Ok(())
}

/// Counts items that went, by the feed of each.
pub(crate) fn remove(db: &mut Db<'_>, feeds_of_items: &[FeedId]) -> StoreResult<()> {
    let mut gone: BTreeMap<FeedId, i64> = BTreeMap::new();
    for feed in feeds_of_items {
        *gone.entry(*feed).or_default() += 1;
    }
    if gone.is_empty() {
        return Ok(());
    }
    let values = gone
        .iter()
        .flat_map(|(feed, items)| [(*feed).into(), (*items).into()]);
    let values: Vec<Value<'_>> = values.collect();
    db.execute_rows(&remove_sql(gone.len()), &values)
}

fn remove_sql(feeds: usize) -> String {
    format!(
        "{} UPDATE feed SET items = feed.items - gone.number FROM gone WHERE feed.id = gone.feed_id",
        with_numbers("gone", &["feed_id", "number"], feeds)
    )
}

/// Counts the items of a feed anew.
pub fn recount(db: &mut Db<'_>, feed: FeedId) -> StoreResult<()> {
    feeds::lock(db, feed)?;
    db.execute(RECOUNT, params![feed]).map(drop)
}

/// The next `limit` feeds after `after`, and whether the number of each is wrong.
pub fn look(db: &mut Db<'_>, after: FeedId, limit: i64) -> StoreResult<Vec<(FeedId, bool)>> {
    db.query(LOOK, params![after, limit], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// The statements that are made for a number of rows or an engine, for the test of all statements.
pub(crate) fn batch_statements(engine: Engine) -> Vec<(&'static str, String)> {
    let mut all = vec![("remove_items", remove_sql(2))];
    if engine == Engine::Postgres {
        all.push(("lock_feeds_of_items", lock_of_items_sql(2)));
    }
    all
}
