//! OpenID Connect identities of users, and pending sign-ins.

use lede_model::ids::UserId;
use lede_model::time::Timestamp;
use lede_model::user::User;

use crate::{Db, StoreResult, params, statements, users};

/// A pending sign-in: stored when the browser is redirected to the provider, removed when it
/// returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub provider: String,
    /// Must appear in the ID token.
    pub nonce: String,
    /// Proves to the token endpoint that this server requested the code (RFC 7636).
    pub pkce_verifier: String,
    /// The local path to redirect to afterwards.
    pub return_to: String,
    /// The signed-in user who links the provider; `None` for a sign-in.
    pub link_to: Option<UserId>,
}

statements! {
    FIND_USER = "SELECT a.id, a.email, a.role, a.created_at
                 FROM identity i JOIN account a ON a.id = i.user_id
                 WHERE i.issuer = $1 AND i.subject = $2";
    ADD = "INSERT INTO identity (issuer, subject, provider, user_id, created_at) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (issuer, subject) DO NOTHING";
    PROVIDERS_OF = "SELECT DISTINCT provider FROM identity WHERE user_id = $1 ORDER BY provider";
    ADD_ATTEMPT = "INSERT INTO sign_in_attempt
                       (state_hash, browser_hash, provider, nonce, pkce_verifier, return_to, user_id, expires_at)
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    TAKE_ATTEMPT = "DELETE FROM sign_in_attempt WHERE state_hash = $1 AND browser_hash = $2 AND expires_at > $3
                    RETURNING provider, nonce, pkce_verifier, return_to, user_id";
    DELETE_EXPIRED_ATTEMPTS = "DELETE FROM sign_in_attempt WHERE expires_at <= $1";
}

/// Finds the account linked to `subject` at `issuer`.
pub fn find_user(db: &mut Db<'_>, issuer: &str, subject: &str) -> StoreResult<Option<User>> {
    db.find(FIND_USER, params![issuer, subject], users::from_row)
}

/// Links `subject` at `issuer` to `user`. Returns `false` if it is already linked to an account.
pub fn add(
    db: &mut Db<'_>,
    user: UserId,
    provider: &str,
    issuer: &str,
    subject: &str,
    now: Timestamp,
) -> StoreResult<bool> {
    Ok(db.execute(ADD, params![issuer, subject, provider, user, now])? > 0)
}

/// Returns the providers through which `user` can sign in.
pub fn providers_of(db: &mut Db<'_>, user: UserId) -> StoreResult<Vec<String>> {
    db.query(PROVIDERS_OF, params![user], |row| row.get(0))
}

/// Stores a pending sign-in and deletes expired ones.
pub fn add_attempt(
    db: &mut Db<'_>,
    state_hash: &[u8; 32],
    browser_hash: &[u8; 32],
    attempt: &Attempt,
    now: Timestamp,
    expires_at: Timestamp,
) -> StoreResult<()> {
    delete_expired_attempts(db, now)?;
    db.execute(
        ADD_ATTEMPT,
        params![
            state_hash,
            browser_hash,
            &attempt.provider,
            &attempt.nonce,
            &attempt.pkce_verifier,
            &attempt.return_to,
            attempt.link_to,
            expires_at
        ],
    )
    .map(drop)
}

/// Removes and returns the pending sign-in of `state`. Works once, and only for the browser that
/// started it.
pub fn take_attempt(
    db: &mut Db<'_>,
    state_hash: &[u8; 32],
    browser_hash: &[u8; 32],
    now: Timestamp,
) -> StoreResult<Option<Attempt>> {
    db.find(
        TAKE_ATTEMPT,
        params![state_hash, browser_hash, now],
        |row| {
            Ok(Attempt {
                provider: row.get(0)?,
                nonce: row.get(1)?,
                pkce_verifier: row.get(2)?,
                return_to: row.get(3)?,
                link_to: row.get(4)?,
            })
        },
    )
}

/// Deletes sign-ins that were never completed.
pub fn delete_expired_attempts(db: &mut Db<'_>, now: Timestamp) -> StoreResult<()> {
    db.execute(DELETE_EXPIRED_ATTEMPTS, params![now]).map(drop)
}
