//! Bearer tokens: signed, short-lived, revocable.
//!
//! A JWT carries the user and the expiry. The role is read from the store at every use; the `role`
//! claim informs clients and grants nothing. Times are checked against our own clock and not by
//! the library, which would use the system clock.

mod ring_provider;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use lede_model::secret::Secret;
use lede_model::time::Timestamp;
use lede_model::user::User;
use lede_store::audit_log::{self, AuditEvent};
use lede_store::{Store, StoreError, StoreResult, settings, tokens};
use ring::hmac;
use serde::{Deserialize, Serialize};

use super::random::token;
use super::{Proof, SignedIn};
use crate::Lede;
use crate::access::Seal;

pub(super) use ring_provider::install as install_crypto;

/// Lifetime of a token from `/auth/token`.
pub const TOKEN_LIFE: Duration = Duration::from_secs(3600);
/// Longest lifetime of any token. One that claims more was not issued here, or under an older
/// policy.
const MAX_LIFE: Duration = Duration::from_secs(24 * 3600);
/// Accepted difference between the clocks of two machines.
const LEEWAY: Duration = Duration::from_secs(30);
/// Issuer and audience of our tokens.
const LEDE: &str = "lede";
/// Setting in the store with the generated secret, used if the operator configured none.
const SECRET_SETTING: &str = "jwt_secret";

/// Keys that are derived from the instance's secret.
pub(crate) struct TokenKeys {
    encoding: EncodingKey,
    decoding: DecodingKey,
    /// Requirements on a token, except for its times, which we check.
    validation: Validation,
    /// Claims of verified tokens: a client sends the same token again and again.
    checked: Mutex<HashMap<String, Arc<Claims>>>,
    /// Signs image URLs; derived from the same secret for this purpose only.
    pub(crate) images: hmac::Key,
    /// Encrypts credentials of feeds; derived from the same secret for this purpose only.
    pub(crate) seal: Seal,
}

impl TokenKeys {
    /// Uses the operator's secret, or the one in the store, or generates one and stores it.
    pub(crate) async fn load(store: &Store, chosen: Option<&Secret>) -> StoreResult<Self> {
        install_crypto();
        let secret = match chosen {
            Some(secret) => secret.clone(),
            None => {
                let fresh = token();
                let kept = store
                    .write(move |db| {
                        settings::put_if_absent(db, SECRET_SETTING, &fresh)?;
                        settings::find(db, SECRET_SETTING)?.ok_or(StoreError::Missing)
                    })
                    .await?;
                Secret::new(kept)
            }
        };
        let bytes = secret.reveal().as_bytes();
        let derived = hmac::sign(
            &hmac::Key::new(hmac::HMAC_SHA256, bytes),
            b"addresses of pictures",
        );
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[LEDE]);
        validation.set_audience(&[LEDE]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.validate_exp = false;
        Ok(Self {
            encoding: EncodingKey::from_secret(bytes),
            decoding: DecodingKey::from_secret(bytes),
            validation,
            checked: Mutex::default(),
            images: hmac::Key::new(hmac::HMAC_SHA256, derived.as_ref()),
            seal: Seal::new(bytes),
        })
    }
}

/// Cached verifications: more than there are active clients, and little memory.
const MOST_CHECKED: usize = 1_000;

impl TokenKeys {
    /// Returns the claims of `token` if we signed it. The signature stays valid, so it is cached;
    /// everything that can change is checked at every use.
    fn claims(&self, token: &str) -> Option<Arc<Claims>> {
        let checked = || self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(claims) = checked().get(token) {
            return Some(Arc::clone(claims));
        }
        let data = decode::<Claims>(token, &self.decoding, &self.validation).ok()?;
        let claims = Arc::new(data.claims);
        let mut checked = checked();
        if checked.len() >= MOST_CHECKED {
            checked.clear();
        }
        checked.insert(token.to_owned(), Arc::clone(&claims));
        Some(claims)
    }
}

#[derive(Serialize, Deserialize)]
struct Claims {
    /// The account's number, which reveals nothing about the user.
    sub: String,
    role: String,
    iat: i64,
    exp: i64,
    jti: String,
    iss: String,
    aud: String,
}

/// A token that has just been issued.
#[derive(Debug)]
pub struct IssuedToken {
    pub token: String,
    pub expires_at: Timestamp,
}

/// Returns the whole second that a token issued at `now` carries. A token issued in the same second
/// as a password change has to count as later than the change.
pub(super) fn issued_at(now: Timestamp, valid_from: Timestamp) -> Timestamp {
    let first_valid = (valid_from.as_ms() + 999).div_euclid(1000);
    Timestamp::from_seconds(now.as_seconds().max(first_valid))
}

/// Issues a token to a user who has just authenticated.
pub async fn issue_token(
    lede: &Lede,
    user: &User,
    life: Duration,
) -> Result<IssuedToken, StoreError> {
    let id = user.id;
    let now = lede.clock.now();
    let valid_from = lede
        .store
        .write(move |db| {
            audit_log::add(db, id, AuditEvent::UserLogin, now)?;
            tokens::valid_from(db, id)
        })
        .await?;
    let issued_at = issued_at(now, valid_from);
    let expires_at = issued_at + life;
    let claims = Claims {
        sub: user.id.to_string(),
        role: user.role.as_str().to_owned(),
        iat: issued_at.as_seconds(),
        exp: expires_at.as_seconds(),
        jti: token(),
        iss: LEDE.to_owned(),
        aud: LEDE.to_owned(),
    };
    // Fails only for claims that are not JSON or for a key of another kind.
    let token = encode(
        &Header::new(Algorithm::HS256),
        &claims,
        &lede.token_keys.encoding,
    )
    .expect("these claims can be signed with this key");
    Ok(IssuedToken { token, expires_at })
}

/// Returns the user of `token` if it is ours, still valid and not revoked.
pub async fn bearer(lede: &Lede, token: &str) -> Result<Option<SignedIn>, StoreError> {
    let Some(claims) = lede.token_keys.claims(token) else {
        return Ok(None);
    };
    let now = lede.clock.now();
    let (issued_at, expires_at) = (
        Timestamp::from_seconds(claims.iat),
        Timestamp::from_seconds(claims.exp),
    );
    let is_too_long = expires_at > issued_at + MAX_LIFE;
    if is_too_long || now > expires_at + LEEWAY || issued_at > now + LEEWAY {
        return Ok(None);
    }
    let Ok(subject) = claims.sub.parse::<i64>() else {
        return Ok(None);
    };
    let asked = Arc::clone(&claims);
    let holder = lede
        .store
        .read_inline(move |db| tokens::holder(db, &asked.jti, subject))
        .await?;
    Ok(holder
        .filter(|holder| !holder.is_revoked && issued_at >= holder.valid_from)
        .map(|holder| SignedIn {
            user: holder.user,
            proof: Proof::Token {
                jti: claims.jti.clone(),
                expires_at,
            },
        }))
}

/// Revokes one token before it expires.
pub async fn revoke_token(
    lede: &Lede,
    jti: String,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    // Stored slightly beyond its expiry, because the check allows for that much leeway.
    lede.store
        .write(move |db| tokens::revoke(db, &jti, expires_at + LEEWAY))
        .await
}
