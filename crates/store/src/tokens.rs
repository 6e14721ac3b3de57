//! Bearer tokens.
//!
//! Tokens are self-contained, so only their revocations are stored.

use lede_model::time::Timestamp;
use lede_model::user::User;

use crate::{Db, StoreResult, params, statements, users};

/// The account that a verified token names, and the data that may invalidate the token.
#[derive(Debug, Clone)]
pub struct Holder {
    /// The token's user, with the current role.
    pub user: User,
    /// Tokens issued before this are invalid.
    pub valid_from: Timestamp,
    /// True if this token was revoked by its id.
    pub is_revoked: bool,
}

statements! {
    HOLDER = "SELECT a.id, a.email, a.role, a.created_at, a.tokens_valid_from,
                     EXISTS (SELECT 1 FROM revoked_token t WHERE t.jti = $1)
              FROM account a WHERE a.id = $2";
    VALID_FROM = "SELECT tokens_valid_from FROM account WHERE id = $1";
    REVOKE = "INSERT INTO revoked_token (jti, expires_at) VALUES ($1, $2) ON CONFLICT (jti) DO NOTHING";
    DELETE_EXPIRED = "DELETE FROM revoked_token WHERE expires_at <= $1";
}

/// Finds the holder of the token `jti` for the account `subject`, with a single read.
pub fn holder(db: &mut Db<'_>, jti: &str, subject: i64) -> StoreResult<Option<Holder>> {
    db.find(HOLDER, params![jti, subject], |row| {
        Ok(Holder {
            user: users::from_row(row)?,
            valid_from: row.get(4)?,
            is_revoked: row.get(5)?,
        })
    })
}

/// Returns the earliest issue time of valid tokens of `user`.
pub fn valid_from(db: &mut Db<'_>, user: lede_model::ids::UserId) -> StoreResult<Timestamp> {
    db.one(VALID_FROM, params![user], |row| row.get(0))
}

/// Revokes a token until it would have expired.
pub fn revoke(db: &mut Db<'_>, jti: &str, expires_at: Timestamp) -> StoreResult<()> {
    db.execute(REVOKE, params![jti, expires_at]).map(drop)
}

/// Deletes revocations of tokens that have expired.
pub fn delete_expired(db: &mut Db<'_>, now: Timestamp) -> StoreResult<()> {
    db.execute(DELETE_EXPIRED, params![now]).map(drop)
}
