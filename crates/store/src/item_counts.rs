//! Number of items per feed: `feed.items`.
//!
//! Lists of all items show a total, and counting 100,000 rows takes twenty times as long as the
//! page. Items are added in `ingest`, removed in `items::remove` and moved in `merge`; each updates
//! the number here, in its own transaction. There is no trigger: it would run for every row of a
//! single statement, and on restoring a backup it would count rows that the copied numbers already
//! include. Wrong numbers are found and corrected at night.
//!
//! On PostgreSQL, transactions that add or remove items lock the feeds first, so that no other
//! counts in between.

use std::collections::BTreeMap;

use lede_model::ids::{FeedId, ItemId};

use crate::batch::{list, with_numbers};
use crate::engine::{Engine, Value};
use crate::{Db, StoreResult, feeds, params, statements};

/// Counts the items of the feed `$feed`.
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
    CHECK_NEXT = concat!(
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

/// Locks the feeds of `items`. Call it before locking subscriptions.
pub(crate) fn lock_of_items(db: &mut Db<'_>, items: &[ItemId]) -> StoreResult<()> {
    if items.is_empty() {
        return Ok(());
    }
    let values: Vec<Value<'_>> = items.iter().map(|item| Value::from(*item)).collect();
    db.lock_rows(&lock_of_items_sql(items.len()), &values)
}

/// Adds `items` to the number of a feed.
pub(crate) fn add(db: &mut Db<'_>, feed: FeedId, items: usize) -> StoreResult<()> {
    if items > 0 {
        db.execute(ADD, params![items as i64, feed])?;
    }
    Ok(())
}

/// Subtracts removed items, given the feed of each.
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

/// Recounts the items of a feed.
pub fn recount(db: &mut Db<'_>, feed: FeedId) -> StoreResult<()> {
    feeds::lock(db, feed)?;
    db.execute(RECOUNT, params![feed]).map(drop)
}

/// Examines the next `limit` feeds after `after`. The flag is true if the stored number is wrong.
pub fn check_next(db: &mut Db<'_>, after: FeedId, limit: i64) -> StoreResult<Vec<(FeedId, bool)>> {
    db.query(CHECK_NEXT, params![after, limit], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// Statements whose text depends on the number of rows or the engine, for the test of all
/// statements.
pub(crate) fn batch_statements(engine: Engine) -> Vec<(&'static str, String)> {
    let mut all = vec![("remove_items", remove_sql(2))];
    if engine == Engine::Postgres {
        all.push(("lock_feeds_of_items", lock_of_items_sql(2)));
    }
    all
}
