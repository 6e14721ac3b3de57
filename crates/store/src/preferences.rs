//! Display preferences of users.

use lede_model::ids::UserId;
use lede_model::preferences::Preferences;

use crate::{Db, StoreResult, params, statements};

statements! {
    OF_USER = "SELECT preferences FROM account WHERE id = $1";
    SET = "UPDATE account SET preferences = $1 WHERE id = $2";
}

/// Returns the preferences of `user`. Preferences that another version of Lede wrote and this one
/// cannot parse are replaced by the defaults, so that a bad value never makes the reader unusable.
pub fn of_user(db: &mut Db<'_>, user: UserId) -> StoreResult<Preferences> {
    let json: Option<String> = db.find(OF_USER, params![user], |row| row.get(0))?;
    Ok(json
        .and_then(|json| serde_json::from_str(&json).ok())
        .unwrap_or_default())
}

pub fn set(db: &mut Db<'_>, user: UserId, preferences: &Preferences) -> StoreResult<()> {
    let json = serde_json::to_string(preferences).unwrap_or_default();
    db.execute(SET, params![json.as_str(), user]).map(drop)
}
