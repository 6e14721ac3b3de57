//! Labels of users, and the items that have them.
//!
//! The items of a label are stored in list order, as marks are. The labels of an item are read
//! together with the item (`items::columns!`).

use std::collections::HashMap;

use lede_model::ids::{ItemId, LabelId, UserId};
use lede_model::label::{Label, LabelName, MAX_ON_ITEM};
use lede_model::time::Timestamp;

use crate::batch::list;
use crate::engine::{Engine, Row, Sql, Value};
use crate::items::{reachable_by, visible_to};
use crate::unread::unread_of;
use crate::{Db, StoreResult, params, statements};

/// Items per statement.
const AT_ONCE: usize = 500;

statements! {
    OF_USER = "SELECT id, name FROM label WHERE user_id = $1";
    // Starts from the labels: users with many unread items usually have few labelled ones.
    UNREAD = concat!(
        "SELECT l.id, COUNT(*) FROM label l CROSS JOIN item_label il CROSS JOIN unread u
         WHERE l.user_id = $1 AND il.label_id = l.id AND u.item_id = il.item_id AND ", unread_of!("u", "$1"),
        " GROUP BY l.id"
    );
    ADD = "INSERT INTO label (user_id, name, name_key, created_at) VALUES ($1, $2, $3, $4) RETURNING id, name";
    RENAME = "UPDATE label SET name = $1, name_key = $2 WHERE user_id = $3 AND id = $4";
    REMOVE_IDLE_RULES = "DELETE FROM rule WHERE user_id = $1 AND label_id = $2
                             AND NOT (mark_read OR star OR hide OR notify)";
    REMOVE = "DELETE FROM label WHERE user_id = $1 AND id = $2";
    ON_ITEM = concat!(
        "SELECT il.label_id FROM item i
         LEFT JOIN item_label il ON il.item_id = i.id AND il.user_id = $1
         WHERE i.id = $2 AND ", reachable_by!("$1"), " AND ", visible_to!("$1")
    );
}

/// PostgreSQL only (see [`Db::lock`]).
const LOCK: Sql = Sql::new("SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE");

fn from_row(row: &Row<'_>) -> StoreResult<Label> {
    Ok(Label {
        id: row.get(0)?,
        name: row.get(1)?,
    })
}

/// Returns the labels of `user`, ordered by name.
pub fn of_user(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<Label>> {
    let mut found = db.query(OF_USER, params![user], from_row)?;
    // Sorted here, because the collation depends on the engine and on the server's locale.
    found.sort_by_cached_key(|label| (label.name.to_lowercase(), label.id));
    Ok(found)
}

/// Same as [`of_user`], and blocks other changes to the labels and their items until the
/// transaction ends. Two concurrent changes can each be valid and together exceed a limit.
pub fn of_user_to_change(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<Label>> {
    db.lock(LOCK, params![user])?;
    of_user(db, user)
}

/// Returns the number of unread items per label; labels without unread items are absent.
pub fn unread(db: &mut Db<'_>, user: UserId) -> StoreResult<HashMap<LabelId, i64>> {
    let counts = db.query(UNREAD, params![user], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(counts.into_iter().collect())
}

/// Adds a label. `user` must not have one of that name.
pub fn add(db: &mut Db<'_>, user: UserId, name: &LabelName, now: Timestamp) -> StoreResult<Label> {
    let key = name.key();
    db.one(ADD, params![user, name.as_str(), &key, now], from_row)
}

/// Renames a label of `user`, who must not have another of that name. Returns `false` if there is
/// no such label.
pub fn rename(
    db: &mut Db<'_>,
    user: UserId,
    label: LabelId,
    name: &LabelName,
) -> StoreResult<bool> {
    let key = name.key();
    let renamed = db.execute(RENAME, params![name.as_str(), &key, user, label])?;
    Ok(renamed == 1)
}

/// Removes a label of `user` from all items, together with the rules whose only action is to
/// assign it. Returns `false` if there is no such label.
pub fn remove(db: &mut Db<'_>, user: UserId, label: LabelId) -> StoreResult<bool> {
    db.execute(REMOVE_IDLE_RULES, params![user, label])?;
    Ok(db.execute(REMOVE, params![user, label])? == 1)
}

/// Returns the labels of `user` on an item; `None` if it is in no feed that they follow and not
/// saved.
pub fn on_item(db: &mut Db<'_>, user: UserId, item: ItemId) -> StoreResult<Option<Vec<LabelId>>> {
    let rows: Vec<Option<LabelId>> = db.query(ON_ITEM, params![user, item], |row| row.get(0))?;
    Ok((!rows.is_empty()).then(|| rows.into_iter().flatten().collect()))
}

/// Adds a label of `user` to items. Skips items that have it, that have the maximum number of
/// labels, or that are neither in a feed that `user` follows nor saved.
pub fn put_on(
    db: &mut Db<'_>,
    user: UserId,
    label: LabelId,
    items: &[ItemId],
    now: Timestamp,
) -> StoreResult<()> {
    for some in items.chunks(AT_ONCE) {
        let values = with_items(params![now, user, label], some);
        db.execute_rows(&put_on_sql(some.len()), &values)?;
    }
    Ok(())
}

pub fn take_off(
    db: &mut Db<'_>,
    user: UserId,
    label: LabelId,
    items: &[ItemId],
) -> StoreResult<()> {
    for some in items.chunks(AT_ONCE) {
        let values = with_items(params![user, label], some);
        db.execute_rows(&take_off_sql(some.len()), &values)?;
    }
    Ok(())
}

/// Appends the items to the parameters.
fn with_items<'v>(first: &[Value<'v>], items: &[ItemId]) -> Vec<Value<'v>> {
    let items = items.iter().map(|item| Value::from(*item));
    first.iter().cloned().chain(items).collect()
}

fn put_on_sql(items: usize) -> String {
    format!(
        "INSERT INTO item_label (label_id, sort_at, item_id, user_id, at)
         SELECT l.id, i.sort_at, i.id, l.user_id, CAST($1 AS BIGINT)
         FROM label l CROSS JOIN item i
         WHERE l.user_id = $2 AND l.id = $3 AND i.id IN ({}) AND {} AND {}
             AND (SELECT COUNT(*) FROM item_label o WHERE o.item_id = i.id AND o.user_id = l.user_id) < {MAX_ON_ITEM}
         ON CONFLICT DO NOTHING",
        list(4, items),
        reachable_by!("l.user_id"),
        visible_to!("l.user_id")
    )
}

fn take_off_sql(items: usize) -> String {
    format!(
        "DELETE FROM item_label WHERE user_id = $1 AND label_id = $2 AND item_id IN ({})",
        list(3, items)
    )
}

/// Statements whose text depends on the number of rows or the engine, for the test of all
/// statements.
pub(crate) fn batch_statements(engine: Engine) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("put_label_on", put_on_sql(2)),
        ("take_label_off", take_off_sql(2)),
    ];
    if engine == Engine::Postgres {
        all.push(("lock_labels", LOCK.as_str().to_owned()));
    }
    all
}
