//! Cookie sessions, looked up by the hash of the cookie's value.

use lede_model::ids::UserId;
use lede_model::time::Timestamp;
use lede_model::user::User;

use crate::{Db, StoreError, StoreResult, params, statements, users};

/// A session as its user sees it in the list of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Identifies the session; the hash alone gives no access.
    pub id_hash: [u8; 32],
    pub begun_at: Timestamp,
    /// Last recorded use; not updated on every request.
    pub used_at: Timestamp,
}

#[derive(Debug, Clone)]
pub struct Session {
    /// The signed-in user, with the current role and not the one at sign-in.
    pub user: User,
    /// Token that state-changing requests must send.
    pub csrf_token: String,
    /// Last recorded use; not updated on every request.
    pub used_at: Timestamp,
}

statements! {
    ADD = "INSERT INTO session (id_hash, user_id, csrf_token, created_at, used_at) VALUES ($1, $2, $3, $4, $4)";
    FIND = "SELECT a.id, a.email, a.role, a.created_at, s.csrf_token, s.used_at
            FROM session s JOIN account a ON a.id = s.user_id
            WHERE s.id_hash = $1 AND s.used_at > $2 AND s.created_at > $3";
    OF_USER = "SELECT id_hash, created_at, used_at FROM session
               WHERE user_id = $1 AND used_at > $2 AND created_at > $3
               ORDER BY used_at DESC, created_at DESC, id_hash";
    TOUCH = "UPDATE session SET used_at = $1 WHERE id_hash = $2";
    DELETE = "DELETE FROM session WHERE id_hash = $1";
    DELETE_OF = "DELETE FROM session WHERE user_id = $1 AND id_hash = $2";
    DELETE_OTHERS_OF = "DELETE FROM session WHERE user_id = $1 AND id_hash <> $2";
    DELETE_ALL_OF = "DELETE FROM session WHERE user_id = $1";
    DELETE_EXPIRED = "DELETE FROM session WHERE used_at <= $1 OR created_at <= $2";
}

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

/// Finds the session of a cookie. Sessions last used at `used_after` or before, or started at
/// `begun_after` or before, count as expired.
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

/// Returns the sessions of `user` that [`find`] would return, last used first.
pub fn of_user(
    db: &mut Db<'_>,
    user: UserId,
    used_after: Timestamp,
    begun_after: Timestamp,
) -> StoreResult<Vec<Listed>> {
    db.query(OF_USER, params![user, used_after, begun_after], |row| {
        let id_hash: Vec<u8> = row.get(0)?;
        Ok(Listed {
            id_hash: id_hash.try_into().map_err(|_| StoreError::Column {
                column: 0,
                reason: "not a hash of 32 bytes".to_owned(),
            })?,
            begun_at: row.get(1)?,
            used_at: row.get(2)?,
        })
    })
}

/// Records that a session was used at `now`.
pub fn touch(db: &mut Db<'_>, id_hash: &[u8; 32], now: Timestamp) -> StoreResult<()> {
    db.execute(TOUCH, params![now, id_hash]).map(drop)
}

pub fn delete(db: &mut Db<'_>, id_hash: &[u8; 32]) -> StoreResult<()> {
    db.execute(DELETE, params![id_hash]).map(drop)
}

/// Ends a session of `user`. Returns `false` if there is no such session.
pub fn delete_of(db: &mut Db<'_>, user: UserId, id_hash: &[u8; 32]) -> StoreResult<bool> {
    Ok(db.execute(DELETE_OF, params![user, id_hash])? > 0)
}

/// Ends every session of `user` except `kept`. Returns the number of ended sessions.
pub fn delete_others_of(db: &mut Db<'_>, user: UserId, kept: &[u8; 32]) -> StoreResult<u64> {
    db.execute(DELETE_OTHERS_OF, params![user, kept])
}

pub fn delete_all_of(db: &mut Db<'_>, user: UserId) -> StoreResult<()> {
    db.execute(DELETE_ALL_OF, params![user]).map(drop)
}

/// Removes the sessions that [`find`] treats as expired.
pub fn delete_expired(
    db: &mut Db<'_>,
    used_after: Timestamp,
    begun_after: Timestamp,
) -> StoreResult<()> {
    db.execute(DELETE_EXPIRED, params![used_after, begun_after])
        .map(drop)
}
