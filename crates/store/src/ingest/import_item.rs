//! Items that a user imports, and their transition to normal items when their feed lists them.

use lede_model::address::WebUrl;
use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::item::ItemOrigin;
use lede_model::time::Timestamp;

use super::NewItem;
use super::keyed::details_of;
use super::write::{Written, write_bodies};
use crate::batch::list;
use crate::engine::Value;
use crate::marks::mark_kind;
use crate::{Db, StoreError, StoreResult, feeds, item_counts, params, search, statements, unread};

statements! {
    /// An item must not have a tombstone, or it would no longer be updated.
    REMOVE_TOMBSTONE = "DELETE FROM tombstone WHERE feed_id = $1 AND identity_key = $2";
    /// Without `url_key`: the reliability of a feed's ids is learnt from the feed alone.
    INSERT = "INSERT INTO item (feed_id, identity_key, url, title, author, excerpt, lede, language, image_url,
                               published_at, first_seen_at, sort_at, content_hash, reading_minutes, origin,
                               owner_id)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
             ON CONFLICT (feed_id, identity_key) DO NOTHING
             RETURNING id";
    /// Hidden for others by a mark: counts and unread lists skip hidden items and need not check
    /// owners.
    HIDE_FROM_OTHERS = concat!("INSERT INTO mark (user_id, kind, sort_at, item_id, at)
                        SELECT s.user_id, ", mark_kind!(hidden), ", i.sort_at, i.id, $1
                        FROM item i JOIN subscription s ON s.feed_id = i.feed_id AND s.user_id <> $2
                        WHERE i.id = $3
                        ON CONFLICT DO NOTHING");
}

/// Stores an item that `user` imports under its `key`. Only that user sees it, and it is unread for
/// no one. Once the feed lists it, its content is replaced by that of the feed, as if it had never
/// been imported.
///
/// Two users may import the same item: the second copy gets a separate key, because the content
/// from the first user's document must not be visible to the second.
pub fn import_item(
    db: &mut Db<'_>,
    user: UserId,
    feed: FeedId,
    key: &str,
    new: &NewItem,
    first_seen_at: Timestamp,
    policy_version: i64,
) -> StoreResult<ItemId> {
    feeds::lock(db, feed)?;
    db.execute(REMOVE_TOMBSTONE, params![feed, key])?;
    let item = &new.item;
    let sort_at = item
        .published_at
        .map_or(first_seen_at, |published| published.min(first_seen_at));
    let mut insert = |key: &str| {
        let values = params![
            feed,
            key,
            item.url.as_ref().map(WebUrl::as_str),
            &item.title,
            item.author.as_deref(),
            &item.excerpt,
            &new.lede,
            new.language.as_deref(),
            new.image_url.as_ref().map(WebUrl::as_str),
            item.published_at,
            first_seen_at,
            sort_at,
            item.hash.as_bytes(),
            new.reading_minutes,
            ItemOrigin::Import.as_str(),
            user,
        ];
        db.find(INSERT, values, |row| row.get(0))
    };
    let inserted = match insert(key)? {
        Some(id) => Some(id),
        None => insert(&own_key(key, user))?,
    };
    let id = inserted.ok_or(StoreError::Missing)?;
    let details = details_of(new);
    let written = Written {
        id,
        is_new: true,
        was_imported: false,
        key,
        new,
        details: details.as_deref(),
    };
    write_bodies(db, &[written], policy_version)?;
    db.execute(HIDE_FROM_OTHERS, params![first_seen_at, user, id])?;
    item_counts::add(db, feed, 1)?;
    search::enqueue(db, &[id])?;
    Ok(id)
}

/// Returns the key of a second user's copy of an imported item.
pub(crate) fn own_key(key: &str, user: UserId) -> String {
    format!("{key} of user {user}")
}

/// Reverts the state that an item has only because a user imported it.
const OF_IMPORTED: [(&str, &str); 4] = [
    // The article from the user's document.
    (
        "clear_article",
        "UPDATE item_body SET full_html = NULL, full_text_tried_at = NULL WHERE item_id IN",
    ),
    (
        "unhide",
        concat!("DELETE FROM mark WHERE kind = ", mark_kind!(hidden), " AND item_id IN"),
    ),
    // Stars and labels stay and move to the new position of the item.
    (
        "move_marks",
        "UPDATE mark SET sort_at = (SELECT i.sort_at FROM item i WHERE i.id = mark.item_id) WHERE item_id IN",
    ),
    (
        "move_labels",
        "UPDATE item_label SET sort_at = (SELECT i.sort_at FROM item i WHERE i.id = item_label.item_id)
         WHERE item_id IN",
    ),
];

pub(super) fn release_imported(db: &mut Db<'_>, written: &[Written<'_>]) -> StoreResult<()> {
    let imported = written.iter().filter(|row| row.was_imported);
    let imported: Vec<ItemId> = imported.map(|row| row.id).collect();
    if imported.is_empty() {
        return Ok(());
    }
    unread::remove_of_all(db, &imported)?;
    let imported: Vec<Value<'_>> = imported.into_iter().map(Value::from).collect();
    for (_, statement) in OF_IMPORTED {
        db.execute_rows(&of_imported_sql(statement, imported.len()), &imported)?;
    }
    Ok(())
}

fn of_imported_sql(statement: &str, items: usize) -> String {
    format!("{statement} ({})", list(1, items))
}

pub(super) fn batch_statements() -> [(&'static str, String); OF_IMPORTED.len()] {
    OF_IMPORTED.map(|(name, statement)| (name, of_imported_sql(statement, 2)))
}
