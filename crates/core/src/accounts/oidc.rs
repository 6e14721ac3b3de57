//! Sign-in through OpenID providers: the authorization code flow with PKCE (`state`, `nonce`,
//! S256).
//!
//! Implemented here because the available libraries depend on an HTTP client of their own and on a
//! second generation of cryptography. The parts that are easy to get wrong (JWT parsing,
//! signatures) are left to `jsonwebtoken`. Every request goes through `net`.
//!
//! An identity is (issuer, subject), never an e-mail address. A signed-in user links a provider to
//! their account; if registration is open, a verified address creates a new account.

mod provider;

use lede_model::ids::UserId;
use lede_model::secret::Secret;
use lede_model::user::{EmailAddress, Role, User};
use lede_store::identities::{self, Attempt};
use lede_store::{StoreError, users};
use std::time::Duration;

pub use provider::Provider;
use provider::{Claims, ProviderError};

use super::random::{hash, token};
use super::{needs_set_up, note_registered};
use crate::{Lede, Registration};

/// Time to complete a sign-in at the provider.
const ATTEMPT_LIFE: Duration = Duration::from_secs(600);

/// Configuration of a provider.
#[derive(Debug, Clone)]
pub struct ProviderSettings {
    /// Name of the provider in URLs: `google`, `company`.
    pub name: String,
    /// The issuer exactly as the provider states it; discovery starts from this URL.
    pub issuer: String,
    /// Our client id at this provider.
    pub client_id: String,
    /// `None` for a public client.
    pub client_secret: Option<Secret>,
    /// Callback URL; derived from the base URL unless the operator set another.
    pub redirect_url: String,
}

impl ProviderSettings {
    /// Returns the name for buttons: `google` becomes `Google`.
    pub fn label(&self) -> String {
        let mut letters = self.name.chars();
        letters.next().map_or_else(String::new, |first| {
            first.to_uppercase().chain(letters).collect()
        })
    }
}

/// Reasons why a sign-in through a provider fails.
#[derive(Debug, thiserror::Error)]
pub enum OidcError {
    /// No provider of this name is configured.
    #[error("this sign-in is not configured here")]
    UnknownProvider,
    /// The attempt is unknown, used, expired, or was begun in another browser.
    #[error("this sign-in was begun elsewhere, or too long ago")]
    UnknownAttempt,
    /// The user declined at the provider.
    #[error("the sign-in was cancelled")]
    Denied,
    /// The identity is linked to no account, and registration is closed.
    #[error("this {0} account is not linked to an account here")]
    NotLinked(String),
    /// The address belongs to an account that this identity is not linked to.
    #[error("there is an account with this e-mail address already")]
    EmailTaken,
    /// The provider did not verify an e-mail address, which a new account needs.
    #[error("{0} did not confirm an e-mail address")]
    NoVerifiedEmail(String),
    /// The identity is linked to the account of another user.
    #[error("this {0} account is linked to another account here")]
    LinkedToAnother(String),
    /// The provider is unreachable or its response is invalid; the details are logged.
    #[error("{0} cannot be reached or gave an answer that cannot be trusted")]
    Provider(String, #[source] ProviderError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Result of a completed sign-in at a provider.
#[derive(Debug)]
pub enum Finished {
    SignedIn(Box<User>),
    /// The identity is now linked to the account that began the attempt.
    Linked,
}

/// Parameters of the provider's redirect back to us.
#[derive(Debug, Default)]
pub struct Callback {
    /// The secret that was sent with the authorization request.
    pub state: String,
    /// The authorization code; absent if the sign-in failed.
    pub code: Option<String>,
    /// `access_denied` and similar codes.
    pub error: Option<String>,
    /// Issuer that sent the response (RFC 9207).
    pub issuer: Option<String>,
}

/// The providers offered on the sign-in page.
pub fn providers(lede: &Lede) -> impl Iterator<Item = &ProviderSettings> {
    lede.settings.providers.iter()
}

fn provider<'l>(lede: &'l Lede, name: &str) -> Result<&'l Provider, OidcError> {
    lede.providers
        .iter()
        .find(|provider| provider.settings.name == name)
        .ok_or(OidcError::UnknownProvider)
}

/// Begins a sign-in and returns the provider's URL to redirect to. `browser` is a secret from a
/// cookie of that browser; `link_to` is the signed-in user, if any.
pub async fn begin(
    lede: &Lede,
    name: &str,
    browser: &str,
    return_to: &str,
    link_to: Option<UserId>,
) -> Result<String, OidcError> {
    let provider = provider(lede, name)?;
    let state = token();
    let attempt = Attempt {
        provider: name.to_owned(),
        nonce: token(),
        pkce_verifier: token(),
        return_to: return_to.to_owned(),
        link_to,
    };
    let address = provider
        .authorization_url(lede, &state, &attempt.nonce, &attempt.pkce_verifier)
        .await
        .map_err(|error| OidcError::Provider(provider.settings.label(), error))?;
    let (state_hash, browser_hash, now) = (hash(&state), hash(browser), lede.clock.now());
    lede.store
        .write(move |db| {
            identities::add_attempt(
                db,
                &state_hash,
                &browser_hash,
                &attempt,
                now,
                now + ATTEMPT_LIFE,
            )
        })
        .await?;
    Ok(address)
}

/// Completes a sign-in. Returns its result and the local path to redirect to. `signed_in` is the
/// user of the browser's session: a provider is linked only if that is still the same account.
pub async fn finish(
    lede: &Lede,
    name: &str,
    browser: &str,
    signed_in: Option<UserId>,
    callback: Callback,
) -> Result<(Finished, String), OidcError> {
    let provider = provider(lede, name)?;
    let (state_hash, browser_hash, now) = (hash(&callback.state), hash(browser), lede.clock.now());
    // Consumed before anything else, so that it cannot be used again whatever happens next.
    let attempt = lede
        .store
        .write(move |db| identities::take_attempt(db, &state_hash, &browser_hash, now))
        .await?
        .filter(|attempt| attempt.provider == name)
        .filter(|attempt| attempt.link_to.is_none() || attempt.link_to == signed_in)
        .ok_or(OidcError::UnknownAttempt)?;
    let label = provider.settings.label();
    let Some(code) = callback.code.filter(|_| callback.error.is_none()) else {
        return Err(OidcError::Denied);
    };
    let claims = provider
        .claims(
            lede,
            &code,
            callback.issuer.as_deref(),
            &attempt.nonce,
            &attempt.pkce_verifier,
        )
        .await
        .map_err(|error| OidcError::Provider(label.clone(), error))?;

    let issuer = provider.settings.issuer.clone();
    let subject = claims.subject.clone();
    let known = lede
        .store
        .read(move |db| identities::find_user(db, &issuer, &subject))
        .await?;
    let finished = match (attempt.link_to, known) {
        (None, Some(user)) => Finished::SignedIn(Box::new(user)),
        (Some(me), Some(user)) if user.id == me => Finished::Linked,
        (Some(_), Some(_)) => return Err(OidcError::LinkedToAnother(label)),
        (Some(me), None) => {
            link(lede, provider, me, &claims).await?;
            Finished::Linked
        }
        (None, None) => Finished::SignedIn(Box::new(sign_up(lede, provider, &claims).await?)),
    };
    Ok((finished, attempt.return_to))
}

async fn link(
    lede: &Lede,
    provider: &Provider,
    user: UserId,
    claims: &Claims,
) -> Result<(), OidcError> {
    let (name, issuer) = (
        provider.settings.name.clone(),
        provider.settings.issuer.clone(),
    );
    let (subject, now) = (claims.subject.clone(), lede.clock.now());
    let is_linked = lede
        .store
        .write(move |db| identities::add(db, user, &name, &issuer, &subject, now))
        .await?;
    if is_linked {
        Ok(())
    } else {
        Err(OidcError::LinkedToAnother(provider.settings.label()))
    }
}

async fn sign_up(lede: &Lede, provider: &Provider, claims: &Claims) -> Result<User, OidcError> {
    if lede.settings.registration != Registration::Open || needs_set_up(lede).await? {
        return Err(OidcError::NotLinked(provider.settings.label()));
    }
    let email = claims
        .verified_email
        .as_deref()
        .and_then(|email| EmailAddress::parse(email).ok())
        .ok_or_else(|| OidcError::NoVerifiedEmail(provider.settings.label()))?;
    let (name, issuer) = (
        provider.settings.name.clone(),
        provider.settings.issuer.clone(),
    );
    let (subject, now) = (claims.subject.clone(), lede.clock.now());
    let added = lede
        .store
        .write(move |db| {
            let added = users::add(db, email.as_str(), None, Role::Member, now)?;
            let Some(user) = note_registered(db, added, now)? else {
                return Ok(None);
            };
            identities::add(db, user.id, &name, &issuer, &subject, now)?;
            Ok(Some(user))
        })
        .await?;
    added.ok_or(OidcError::EmailTaken)
}
