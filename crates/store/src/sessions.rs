//! Cookie sessions, found by the hash of the cookie's value.

use lede_model::ids::UserId;
use lede_model::time::Timestamp;
use lede_model::user::User;

use crate::{Db, StoreError, StoreResult, params, statements, users};

/// A session as its owner sees it in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Names it: the hash of a cookie opens nothing.
    pub id_hash: [u8; 32],
    /// When it was begun.
    pub begun_at: Timestamp,
    /// When it was last noted as used.
    pub used_at: Timestamp,
}

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

/// The sessions of `user` that [`find`] would give, the last used first.
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

/// Notes that a session was used.
pub fn touch(db: &mut Db<'_>, id_hash: &[u8; 32], now: Timestamp) -> StoreResult<()> {
    db.execute(TOUCH, params![now, id_hash]).map(drop)
}

/// Ends one session.
pub fn delete(db: &mut Db<'_>, id_hash: &[u8; 32]) -> StoreResult<()> {
    db.execute(DELETE, params![id_hash]).map(drop)
}

/// Ends one session of `user`; `false` when it is not theirs.
pub fn delete_of(db: &mut Db<'_>, user: UserId, id_hash: &[u8; 32]) -> StoreResult<bool> {
    Ok(db.execute(DELETE_OF, params![user, id_hash])? > 0)
}

/// Ends every session of `user` but one.
pub fn delete_others_of(db: &mut Db<'_>, user: UserId, kept: &[u8; 32]) -> StoreResult<u64> {
    db.execute(DELETE_OTHERS_OF, params![user, kept])
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
