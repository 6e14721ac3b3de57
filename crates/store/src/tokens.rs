//! Bearer tokens: they carry themselves, so only their ends are stored.

use lede_model::time::Timestamp;
use lede_model::user::User;

use crate::{Db, StoreResult, params, statements, users};

/// The account that a verified token names, and what may void the token all the same.
#[derive(Debug, Clone)]
pub struct Holder {
    /// Whose token it is; the role is the one of now.
    pub user: User,
    /// Tokens issued before this are void.
    pub valid_from: Timestamp,
    /// Whether this token was revoked by its id.
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

/// Who holds the token `jti` of subject `subject`; one read for all that the check needs.
pub fn holder(db: &mut Db<'_>, jti: &str, subject: i64) -> StoreResult<Option<Holder>> {
    db.find(HOLDER, params![jti, subject], |row| {
        Ok(Holder {
            user: users::from_row(row)?,
            valid_from: row.get(4)?,
            is_revoked: row.get(5)?,
        })
    })
}

/// Since when tokens of `user` are good.
pub fn valid_from(db: &mut Db<'_>, user: lede_model::ids::UserId) -> StoreResult<Timestamp> {
    db.one(VALID_FROM, params![user], |row| row.get(0))
}

/// Voids one token until it would have expired.
pub fn revoke(db: &mut Db<'_>, jti: &str, expires_at: Timestamp) -> StoreResult<()> {
    db.execute(REVOKE, params![jti, expires_at]).map(drop)
}

/// Forgets revocations of tokens that have expired by themselves.
pub fn delete_expired(db: &mut Db<'_>, now: Timestamp) -> StoreResult<()> {
    db.execute(DELETE_EXPIRED, params![now]).map(drop)
}
