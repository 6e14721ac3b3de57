//! App passwords: one password per client app, looked up by hash.

use lede_model::app_password::{AppPassword, Scope};
use lede_model::ids::{AppPasswordId, UserId};
use lede_model::time::Timestamp;
use lede_model::user::User;

use crate::engine::{Row, Sql};
use crate::{Db, StoreResult, params, statements, users};

/// Values stored for a new app password. Only hashes, so that a copy of the database gives no
/// access.
#[derive(Debug, Clone)]
pub struct NewAppPassword {
    /// Display name chosen by the owner.
    pub name: String,
    pub scope: Scope,
    /// SHA-256 of the password.
    pub password_hash: [u8; 32],
    /// SHA-256 of the API key that Fever clients send instead of the password.
    pub fever_key_hash: [u8; 32],
}

/// An app password that a client presented, with its owner.
#[derive(Debug, Clone)]
pub struct PresentedPassword {
    /// The owner of the password.
    pub user: User,
    pub id: AppPasswordId,
    pub scope: Scope,
    /// Last recorded use; not updated on every request.
    pub used_at: Option<Timestamp>,
}

macro_rules! shown {
    ($column:literal) => {
        concat!(
            "SELECT a.id, a.email, a.role, a.created_at, p.id, p.scope, p.used_at
             FROM app_password p JOIN account a ON a.id = p.user_id WHERE p.",
            $column,
            " = $1"
        )
    };
}

statements! {
    OF_USER = "SELECT id, name, scope, created_at, used_at FROM app_password WHERE user_id = $1 ORDER BY id";
    COUNT = "SELECT COUNT(*) FROM app_password WHERE user_id = $1";
    ADD = "INSERT INTO app_password (user_id, name, scope, password_hash, fever_key_hash, created_at)
           VALUES ($1, $2, $3, $4, $5, $6)
           RETURNING id, name, scope, created_at, used_at";
    REMOVE = "DELETE FROM app_password WHERE id = $1 AND user_id = $2";
    FIND = shown!("password_hash");
    FIND_BY_FEVER_KEY = shown!("fever_key_hash");
    TOUCH = "UPDATE app_password SET used_at = $1 WHERE id = $2";
}

/// PostgreSQL only (see [`Db::lock`]). Serialises concurrent additions, so that the limit holds.
const LOCK: Sql = Sql::new("SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE");

fn from_row(row: &Row<'_>) -> StoreResult<AppPassword> {
    Ok(AppPassword {
        id: row.get(0)?,
        name: row.get(1)?,
        scope: Scope::from_word(&row.get::<String>(2)?),
        created_at: row.get(3)?,
        used_at: row.get(4)?,
    })
}

/// Returns the app passwords of `user`, oldest first.
pub fn of_user(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<AppPassword>> {
    db.query(OF_USER, params![user], from_row)
}

/// Adds an app password for `user`. Returns `None` if there are `most` already.
pub fn add(
    db: &mut Db<'_>,
    user: UserId,
    new: &NewAppPassword,
    most: i64,
    now: Timestamp,
) -> StoreResult<Option<AppPassword>> {
    db.lock(LOCK, params![user])?;
    if db.one(COUNT, params![user], |row| row.get::<i64>(0))? >= most {
        return Ok(None);
    }
    let values = params![
        user,
        &new.name,
        new.scope.as_str(),
        &new.password_hash,
        &new.fever_key_hash,
        now,
    ];
    db.find(ADD, values, from_row)
}

/// Revokes an app password. Returns `false` if `user` has no such password.
pub fn remove(db: &mut Db<'_>, user: UserId, id: AppPasswordId) -> StoreResult<bool> {
    Ok(db.execute(REMOVE, params![id, user])? > 0)
}

fn shown(row: &Row<'_>) -> StoreResult<PresentedPassword> {
    Ok(PresentedPassword {
        user: users::from_row(row)?,
        id: row.get(4)?,
        scope: Scope::from_word(&row.get::<String>(5)?),
        used_at: row.get(6)?,
    })
}

/// Finds an app password by its hash.
pub fn find(db: &mut Db<'_>, password_hash: &[u8; 32]) -> StoreResult<Option<PresentedPassword>> {
    db.find(FIND, params![password_hash], shown)
}

/// Finds an app password by the hash of its Fever key.
pub fn find_by_fever_key(
    db: &mut Db<'_>,
    key_hash: &[u8; 32],
) -> StoreResult<Option<PresentedPassword>> {
    db.find(FIND_BY_FEVER_KEY, params![key_hash], shown)
}

/// Records that an app password was used at `now`.
pub fn touch(db: &mut Db<'_>, id: AppPasswordId, now: Timestamp) -> StoreResult<()> {
    db.execute(TOUCH, params![now, id]).map(drop)
}
