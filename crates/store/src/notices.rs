//! Pending notifications of users about new items.

use std::collections::HashMap;

use lede_model::ids::{FeedId, ItemId, UserId};

use crate::batch::list;
use crate::engine::Value;
use crate::items::visible_to;
use crate::{Db, StoreResult, params, statements};

/// Users per statement.
const BATCH: usize = 100;
/// Notices sent to one user at a time, the newest; a user who was away finds the others in the
/// lists.
const MOST: usize = 20;

/// A pending notification about an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Position in the queue.
    pub id: i64,
    pub user: UserId,
    pub item: ItemId,
    pub title: String,
    pub feed: FeedId,
    /// Title of the feed as the user sees it.
    pub feed_title: String,
}

statements! {
    TOLD = "DELETE FROM notice WHERE user_id = $1 AND id <= $2";
}

fn waiting_sql(people: usize) -> String {
    format!(
        "SELECT n.id, n.user_id, n.item_id, i.title, i.feed_id, COALESCE(s.title, f.title)
         FROM notice n
         JOIN item i ON i.id = n.item_id
         JOIN subscription s ON s.user_id = n.user_id AND s.feed_id = i.feed_id
         JOIN feed f ON f.id = i.feed_id
         WHERE n.user_id IN ({}) AND {}
         ORDER BY n.id",
        list(1, people),
        visible_to!("n.user_id")
    )
}

/// Returns the newest notices of these users, each user's in order of arrival.
pub fn waiting(db: &mut Db<'_>, people: &[UserId]) -> StoreResult<HashMap<UserId, Vec<Notice>>> {
    let mut found: HashMap<UserId, Vec<Notice>> = HashMap::new();
    for people in people.chunks(BATCH) {
        let values: Vec<Value<'_>> = people.iter().map(|user| Value::from(*user)).collect();
        db.query_rows(&waiting_sql(people.len()), &values, |row| {
            let notice = Notice {
                id: row.get(0)?,
                user: row.get(1)?,
                item: row.get(2)?,
                title: row.get(3)?,
                feed: row.get(4)?,
                feed_title: row.get(5)?,
            };
            found.entry(notice.user).or_default().push(notice);
            Ok(())
        })?;
    }
    for notices in found.values_mut() {
        notices.drain(..notices.len().saturating_sub(MOST));
    }
    Ok(found)
}

/// Deletes the notices of `user` up to this one, after they were sent.
pub fn told(db: &mut Db<'_>, user: UserId, up_to: i64) -> StoreResult<()> {
    db.execute(TOLD, params![user, up_to]).map(drop)
}

/// Statements whose text depends on the number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 1] {
    [("waiting_notices", waiting_sql(2))]
}
