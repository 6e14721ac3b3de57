//! Key-value storage for internal state of the instance.

use lede_model::message::StoredMessage;

use crate::{Db, StoreResult, messages, params, statements};

statements! {
    FIND = "SELECT value FROM setting WHERE key = $1";
    PUT_IF_ABSENT = "INSERT INTO setting (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING";
    /// Writes nothing if the value is unchanged.
    PUT = "INSERT INTO setting (key, value) VALUES ($1, $2)
           ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE setting.value <> excluded.value";
    REMOVE = "DELETE FROM setting WHERE key = $1";
}

pub fn find(db: &mut Db<'_>, key: &str) -> StoreResult<Option<String>> {
    db.find(FIND, params![key], |row| row.get(0))
}

/// Stores `value` unless `key` exists. Returns `true` if it was stored.
pub fn put_if_absent(db: &mut Db<'_>, key: &str, value: &str) -> StoreResult<bool> {
    Ok(db.execute(PUT_IF_ABSENT, params![key, value])? > 0)
}

/// Stores `value`. Returns `true` if it is new or different.
pub fn put(db: &mut Db<'_>, key: &str, value: &str) -> StoreResult<bool> {
    Ok(db.execute(PUT, params![key, value])? > 0)
}

/// Returns the messages stored under `key`.
pub fn messages<M: StoredMessage>(db: &mut Db<'_>, key: &str) -> StoreResult<Vec<M>> {
    let json = find(db, key)?;
    Ok(json.map_or_else(Vec::new, |json| messages::list_from_json(&json)))
}

/// Stores messages under `key`, or removes it if there are none.
pub fn put_messages<M: StoredMessage>(db: &mut Db<'_>, key: &str, list: &[M]) -> StoreResult<()> {
    match list {
        [] => remove(db, key),
        list => put(db, key, &messages::list_to_json(list)).map(drop),
    }
}

pub fn remove(db: &mut Db<'_>, key: &str) -> StoreResult<()> {
    db.execute(REMOVE, params![key]).map(drop)
}
