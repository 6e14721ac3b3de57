//! Cookie sessions, found by the hash of the cookie's value.

use lede_model::ids::UserId;
use lede_model::time::Timestamp;
use lede_model::user::User;

use crate::{Db, StoreResult, params, statements, users};

/// A session that is still good.
#[derive(Debug, Clone)]
pub struct Session {
    /// Whose it is; the role is the one of now, not of sign-in.
    pub user: User,
    /// What state-changing requests must show.
    pub csrf_token: String,
    /// When it was last noted as used.
    pub used_at: Timestamp,
}

statements! {
    ADD = "INSERT INTO session (id_hash, user_id, csrf_token, created_at, used_at) VALUES ($1, $2, $3, $4, $4)";
    FIND = "SELECT a.id, a.email, a.role, a.created_at, s.csrf_token, s.used_at
            FROM session s JOIN account a ON a.id = s.user_id
            WHERE s.id_hash = $1 AND s.used_at > $2 AND s.created_at > $3";
    TOUCH = "UPDATE session SET used_at = $1 WHERE id_hash = $2";
    DELETE = "DELETE FROM session WHERE id_hash = $1";
    DELETE_ALL_OF = "DELETE FROM session WHERE user_id = $1";
    DELETE_EXPIRED = "DELETE FROM session WHERE used_at <= $1 OR created_at <= $2";
}

/// Begins a session.
pub fn add(
    db: &mut Db<'_>,
    id_hash: &[u8; 32],
    user: UserId,
    csrf_token: &str,
    now: Timestamp,
) -> StoreResult<()> {
    db.execute(ADD, params![id_hash, user, csrf_token, now])
        .map(drop)
}

/// The session of a cookie, unless it was unused since `used_after` or begun before `begun_after`.
pub fn find(
    db: &mut Db<'_>,
    id_hash: &[u8; 32],
    used_after: Timestamp,
    begun_after: Timestamp,
) -> StoreResult<Option<Session>> {
    db.find(FIND, params![id_hash, used_after, begun_after], |row| {
        Ok(Session {
            user: users::from_row(row)?,
            csrf_token: row.get(4)?,
            used_at: row.get(5)?,
        })
    })
}

/// Notes that a session was used.
pub fn touch(db: &mut Db<'_>, id_hash: &[u8; 32], now: Timestamp) -> StoreResult<()> {
    db.execute(TOUCH, params![now, id_hash]).map(drop)
}

/// Ends one session.
pub fn delete(db: &mut Db<'_>, id_hash: &[u8; 32]) -> StoreResult<()> {
    db.execute(DELETE, params![id_hash]).map(drop)
}

/// Ends every session of `user`.
pub fn delete_all_of(db: &mut Db<'_>, user: UserId) -> StoreResult<()> {
    db.execute(DELETE_ALL_OF, params![user]).map(drop)
}

/// Removes what [`find`] would no longer give.
pub fn delete_expired(
    db: &mut Db<'_>,
    used_after: Timestamp,
    begun_after: Timestamp,
) -> StoreResult<()> {
    db.execute(DELETE_EXPIRED, params![used_after, begun_after])
        .map(drop)
}
