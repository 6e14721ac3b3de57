//! What the instance remembers about itself, by key.

use crate::{Db, StoreResult, params, statements};

statements! {
    FIND = "SELECT value FROM setting WHERE key = $1";
    PUT_IF_ABSENT = "INSERT INTO setting (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING";
    /// Writes nothing when it says so already.
    PUT = "INSERT INTO setting (key, value) VALUES ($1, $2)
           ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE setting.value <> excluded.value";
    REMOVE = "DELETE FROM setting WHERE key = $1";
}

/// The value of `key`.
pub fn find(db: &mut Db<'_>, key: &str) -> StoreResult<Option<String>> {
    db.find(FIND, params![key], |row| row.get(0))
}

/// Keeps `value` unless there is one; whether it was kept.
pub fn put_if_absent(db: &mut Db<'_>, key: &str, value: &str) -> StoreResult<bool> {
    Ok(db.execute(PUT_IF_ABSENT, params![key, value])? > 0)
}

/// Keeps `value` in place of what there may be; whether that was something else.
pub fn put(db: &mut Db<'_>, key: &str, value: &str) -> StoreResult<bool> {
    Ok(db.execute(PUT, params![key, value])? > 0)
}

/// Forgets `key`.
pub fn remove(db: &mut Db<'_>, key: &str) -> StoreResult<()> {
    db.execute(REMOVE, params![key]).map(drop)
}
