//! The category tree of a user.
//!
//! `model::category` decides which moves are allowed.

use std::collections::HashMap;

use lede_model::category::{Category, CategoryName, CategoryTree};
use lede_model::ids::{CategoryId, UserId};
use lede_model::time::Timestamp;

use crate::batch::{groups, places, reorder_sql};
use crate::engine::{Row, Sql, Value};
use crate::{Db, StoreResult, params, statements};

statements! {
    OF_USER = "SELECT id, name, parent_id, position FROM category WHERE user_id = $1";
    EXISTS = "SELECT EXISTS (SELECT 1 FROM category WHERE user_id = $1 AND id = $2)";
    UNREAD = "SELECT s.category_id, CAST(SUM(s.unread) AS BIGINT)
              FROM subscription s
              WHERE s.user_id = $1 AND s.category_id IS NOT NULL
              GROUP BY s.category_id";
    SET = "UPDATE category SET name = $1, parent_id = $2, position = $3 WHERE user_id = $4 AND id = $5";
    /// Appends the feeds after those of the parent category and keeps their order.
    MOVE_FEEDS_UP = "UPDATE subscription SET
                         category_id = $1,
                         position = position + COALESCE((SELECT MAX(own.position) + CASE WHEN MAX(own.position) > 0 THEN 1 ELSE 0 END
                             FROM subscription own WHERE own.user_id = $2 AND own.category_id IS NOT DISTINCT FROM $1), 0)
                     WHERE user_id = $2 AND category_id = $3";
    REMOVE = "DELETE FROM category WHERE user_id = $1 AND id = $2";
}

/// PostgreSQL only (see [`Db::lock`]).
const LOCK: Sql = Sql::new("SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE");

fn from_row(row: &Row<'_>) -> StoreResult<Category> {
    Ok(Category {
        id: row.get(0)?,
        name: row.get(1)?,
        parent: row.get(2)?,
        position: row.get(3)?,
    })
}

/// Returns all categories of `user`.
pub fn of_user(db: &mut Db<'_>, user: UserId) -> StoreResult<CategoryTree> {
    db.query(OF_USER, params![user], from_row)
        .map(CategoryTree::new)
}

/// Returns all categories of `user` and blocks other changes to them until the transaction ends.
/// Two concurrent changes can each be valid and together break the tree.
pub fn of_user_to_change(db: &mut Db<'_>, user: UserId) -> StoreResult<CategoryTree> {
    db.lock(LOCK, params![user])?;
    of_user(db, user)
}

pub fn exists(db: &mut Db<'_>, user: UserId, category: CategoryId) -> StoreResult<bool> {
    db.one(EXISTS, params![user, category], |row| row.get(0))
}

/// Returns the number of unread items per category, excluding subcategories. Categories without
/// feeds are absent.
pub fn unread(db: &mut Db<'_>, user: UserId) -> StoreResult<HashMap<CategoryId, i64>> {
    let counts = db.query(UNREAD, params![user], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(counts.into_iter().collect())
}

/// Values of a category to insert.
#[derive(Debug, Clone)]
pub struct NewCategory {
    pub name: CategoryName,
    /// `None` at the top level.
    pub parent: Option<CategoryId>,
    /// Sort position among its siblings.
    pub position: i64,
}

/// Inserts categories of `user`. The order of the result is unspecified.
pub fn add(
    db: &mut Db<'_>,
    user: UserId,
    new: &[NewCategory],
    now: Timestamp,
) -> StoreResult<Vec<Category>> {
    let mut added = Vec::with_capacity(new.len());
    for batch in new.chunks(ADDED_AT_ONCE) {
        let mut values: Vec<Value<'_>> = Vec::with_capacity(batch.len() * ADD_COLUMNS);
        for category in batch {
            values.extend_from_slice(params![
                user,
                category.name.as_str(),
                category.parent,
                category.position,
                now
            ]);
        }
        added.extend(db.query_rows(&add_sql(batch.len()), &values, from_row)?);
    }
    Ok(added)
}

const ADD_COLUMNS: usize = 5;
/// Rows per INSERT statement.
const ADDED_AT_ONCE: usize = 50;

fn add_sql(rows: usize) -> String {
    format!(
        "INSERT INTO category (user_id, name, parent_id, position, created_at) VALUES {}
         RETURNING id, name, parent_id, position",
        groups(rows, ADD_COLUMNS)
    )
}

/// Updates name, parent and position of a category of `user`.
pub fn set(db: &mut Db<'_>, user: UserId, category: &Category) -> StoreResult<()> {
    let values = params![
        &category.name,
        category.parent,
        category.position,
        user,
        category.id
    ];
    db.execute(SET, values).map(drop)
}

/// Removes a category of `user`. Its feeds move to the parent; its subcategories must have been
/// moved before.
pub fn remove(db: &mut Db<'_>, user: UserId, category: &Category) -> StoreResult<()> {
    db.execute(MOVE_FEEDS_UP, params![category.parent, user, category.id])?;
    db.execute(REMOVE, params![user, category.id]).map(drop)
}

/// Sets the positions of categories of `user` among their siblings.
pub fn reorder(db: &mut Db<'_>, user: UserId, positions: &[(CategoryId, i64)]) -> StoreResult<()> {
    places(db, "category", user, positions)
}

/// Statements whose text depends on the number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 2] {
    [
        ("add_categories", add_sql(2)),
        ("reorder_categories", reorder_sql("category", 2)),
    ]
}
