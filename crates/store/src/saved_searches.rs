//! Saved searches of users.

use lede_model::ids::{SavedSearchId, UserId};
use lede_model::search::SavedSearch;
use lede_model::time::Timestamp;

use crate::batch::{places, reorder_sql};
use crate::engine::Row;
use crate::{Db, StoreResult, params, statements};

/// Changes to a saved search; `None` leaves a value unchanged.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub name: Option<String>,
    pub query: Option<String>,
    /// Sort position among the user's searches.
    pub position: Option<i64>,
}

const TABLE: &str = "saved_search";

statements! {
    OF_USER = "SELECT id, name, query, position FROM saved_search WHERE user_id = $1";
    COUNT = "SELECT COUNT(*) FROM saved_search WHERE user_id = $1";
    ADD = "INSERT INTO saved_search (user_id, name, query, position, created_at)
           VALUES ($1, $2, $3,
                   COALESCE($4, (SELECT COALESCE(MAX(position) + 1, 0) FROM saved_search WHERE user_id = $1)), $5)
           RETURNING id, name, query, position";
    SET = "UPDATE saved_search SET name = COALESCE($1, name), query = COALESCE($2, query),
                                   position = COALESCE($3, position)
           WHERE id = $4 AND user_id = $5 RETURNING id, name, query, position";
    REMOVE = "DELETE FROM saved_search WHERE id = $1 AND user_id = $2";
}

fn from_row(row: &Row<'_>) -> StoreResult<SavedSearch> {
    Ok(SavedSearch {
        id: row.get(0)?,
        name: row.get(1)?,
        query: row.get(2)?,
        position: row.get(3)?,
    })
}

/// Returns the saved searches of `user` in their order.
pub fn of_user(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<SavedSearch>> {
    let mut found = db.query(OF_USER, params![user], from_row)?;
    // Sorted here, because the collation depends on the engine and on the server's locale.
    found.sort_by_cached_key(|search| (search.position, search.name.to_lowercase(), search.id));
    Ok(found)
}

pub fn count(db: &mut Db<'_>, user: UserId) -> StoreResult<i64> {
    db.one(COUNT, params![user], |row| row.get(0))
}

/// Adds a saved search for `user`, after the others if `position` is `None`.
pub fn add(
    db: &mut Db<'_>,
    user: UserId,
    name: &str,
    query: &str,
    position: Option<i64>,
    now: Timestamp,
) -> StoreResult<SavedSearch> {
    db.one(ADD, params![user, name, query, position, now], from_row)
}

/// Changes a saved search of `user`. Returns `None` if there is no such search.
pub fn set(
    db: &mut Db<'_>,
    user: UserId,
    search: SavedSearchId,
    change: &Change,
) -> StoreResult<Option<SavedSearch>> {
    let Change {
        name,
        query,
        position,
    } = change;
    let values = params![name.as_deref(), query.as_deref(), *position, search, user];
    db.find(SET, values, from_row)
}

/// Sets the positions of saved searches of `user`.
pub fn reorder(
    db: &mut Db<'_>,
    user: UserId,
    positions: &[(SavedSearchId, i64)],
) -> StoreResult<()> {
    places(db, TABLE, user, positions)
}

/// Removes a saved search of `user`. Returns `false` if there is no such search.
pub fn remove(db: &mut Db<'_>, user: UserId, search: SavedSearchId) -> StoreResult<bool> {
    Ok(db.execute(REMOVE, params![search, user])? == 1)
}

/// The statement whose text depends on the number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 1] {
    [("reorder_saved_searches", reorder_sql(TABLE, 2))]
}
