//! Bearer tokens: signed, short-lived, revocable.
//!
//! A JWT carries who and until when; the role is read from the store at every use, so that the
//! `role` claim informs clients and decides nothing. Times are checked against the house's own
//! clock, not by the library, which would ask the system.

mod ring_provider;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use lede_model::secret::Secret;
use lede_model::time::Timestamp;
use lede_model::user::User;
use lede_store::events::{self, Event};
use lede_store::{Store, StoreError, StoreResult, settings, tokens};
use ring::hmac;
use serde::{Deserialize, Serialize};

use super::random::token;
use super::{Proof, SignedIn};
use crate::Lede;
use crate::access::Seal;

pub(super) use ring_provider::install as install_crypto;

/// How long a token from `/auth/token` lives.
pub const TOKEN_LIFE: Duration = Duration::from_secs(3600);
/// The longest life of any token: one that claims a longer one was not issued here, or by an older policy.
const MAX_LIFE: Duration = Duration::from_secs(24 * 3600);
/// How much the clocks of two machines may differ.
const LEEWAY: Duration = Duration::from_secs(30);
/// Who issues and who accepts.
const LEDE: &str = "lede";
/// Where a secret that nobody chose is kept.
const SECRET_SETTING: &str = "jwt_secret";

/// What signs tokens.
pub(crate) struct TokenKeys {
    encoding: EncodingKey,
    decoding: DecodingKey,
    /// What a token must say; its times are checked by us.
    validation: Validation,
    /// What good signatures are below: a client shows the same token again and again.
    checked: Mutex<HashMap<String, Arc<Claims>>>,
    /// Signs addresses of pictures; made from the same secret, good for nothing else.
    pub(crate) images: hmac::Key,
    /// Seals what servers of feeds are shown; likewise.
    pub(crate) seal: Seal,
}

impl TokenKeys {
    /// Takes the operator's secret, or the one in the store, or makes one and keeps it.
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

/// Tokens whose signatures are remembered: more than there are clients about, and little memory.
const MOST_CHECKED: usize = 1_000;

impl TokenKeys {
    /// What `token` says, if we signed it. That never changes; everything that may is asked at every use.
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
    /// The account's number: says nothing about the person.
    sub: String,
    role: String,
    iat: i64,
    exp: i64,
    jti: String,
    iss: String,
    aud: String,
}

/// A token that has just been made.
#[derive(Debug)]
pub struct IssuedToken {
    /// The token.
    pub token: String,
    /// When it ends by itself.
    pub expires_at: Timestamp,
}

/// The whole second that a token of `now` carries: one that is issued in the second of a password
/// change must count as later than the change.
pub(super) fn issued_at(now: Timestamp, valid_from: Timestamp) -> Timestamp {
    let first_valid = (valid_from.as_ms() + 999).div_euclid(1000);
    Timestamp::from_seconds(now.as_seconds().max(first_valid))
}

/// Makes a token for somebody who has just proved who they are.
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
            events::add(db, id, Event::UserLogin, now)?;
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
    // Fails only for claims that are no JSON or a key of another kind; these are neither.
    let token = encode(
        &Header::new(Algorithm::HS256),
        &claims,
        &lede.token_keys.encoding,
    )
    .expect("these claims can be signed with this key");
    Ok(IssuedToken { token, expires_at })
}

/// Who holds `token`, if it is ours, still good and not revoked.
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
        .glance(move |db| tokens::holder(db, &asked.jti, subject))
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

/// Ends one token.
pub async fn revoke_token(
    lede: &Lede,
    jti: String,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    // Kept a little beyond its own end, because the check forgives that much.
    lede.store
        .write(move |db| tokens::revoke(db, &jti, expires_at + LEEWAY))
        .await
}
