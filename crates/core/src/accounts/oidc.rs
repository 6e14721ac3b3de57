//! Signing in through OpenID providers: the code flow with PKCE (`state`, `nonce`, S256).
//!
//! Written here rather than taken from a library because the ones there are bring an HTTP client
//! and a second generation of cryptography with them; the parts that are easy to get wrong (JWT
//! parsing, signatures) are `jsonwebtoken`'s. Every request goes through `net`.
//!
//! An identity is (issuer, subject), never an e-mail address: somebody who is signed in links a
//! provider to their account, or, where registration is open, a verified address makes a new one.

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

/// How long somebody may take at the provider.
const ATTEMPT_LIFE: Duration = Duration::from_secs(600);

/// A provider as the operator configured it.
#[derive(Debug, Clone)]
pub struct ProviderSettings {
    /// The word in addresses: `google`, `company`.
    pub name: String,
    /// Exactly what the provider calls itself; discovery begins here.
    pub issuer: String,
    /// Who we are there.
    pub client_id: String,
    /// `None` for a public client.
    pub client_secret: Option<Secret>,
    /// Where the browser comes back to; built on the base URL unless the operator set another.
    pub redirect_url: String,
}

impl ProviderSettings {
    /// The name for buttons: `google` becomes `Google`.
    pub fn label(&self) -> String {
        let mut letters = self.name.chars();
        letters.next().map_or_else(String::new, |first| {
            first.to_uppercase().chain(letters).collect()
        })
    }
}

/// Why somebody could not sign in through a provider.
#[derive(Debug, thiserror::Error)]
pub enum OidcError {
    /// The address names none that is configured.
    #[error("this sign-in is not configured here")]
    UnknownProvider,
    /// Unknown, used, expired, or begun in another browser.
    #[error("this sign-in was begun elsewhere, or too long ago")]
    UnknownAttempt,
    /// The person said no at the provider.
    #[error("the sign-in was cancelled")]
    Denied,
    /// Nobody is linked to this identity, and new accounts are not taken.
    #[error("this {0} account is not linked to an account here")]
    NotLinked(String),
    /// The address belongs to an account that this identity was never linked to.
    #[error("there is an account with this e-mail address already")]
    EmailTaken,
    /// The provider did not vouch for an e-mail address, which a new account needs.
    #[error("{0} did not confirm an e-mail address")]
    NoVerifiedEmail(String),
    /// Somebody else here is linked to this identity.
    #[error("this {0} account is linked to another account here")]
    LinkedToAnother(String),
    /// The provider does not answer or answers nonsense; the details go to the log.
    #[error("{0} cannot be reached or gave an answer that cannot be trusted")]
    Provider(String, #[source] ProviderError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What coming back from the provider came to.
#[derive(Debug)]
pub enum Finished {
    /// Signed in as this account.
    SignedIn(Box<User>),
    /// The identity is now linked to the account that began.
    Linked,
}

/// What the provider's redirect carried.
#[derive(Debug, Default)]
pub struct Callback {
    /// Our own secret, coming back.
    pub state: String,
    /// The code to exchange, when all went well.
    pub code: Option<String>,
    /// `access_denied` and its like.
    pub error: Option<String>,
    /// Who answers (RFC 9207).
    pub issuer: Option<String>,
}

/// The providers that people may choose from.
pub fn providers(lede: &Lede) -> impl Iterator<Item = &ProviderSettings> {
    lede.settings.providers.iter()
}

fn provider<'l>(lede: &'l Lede, name: &str) -> Result<&'l Provider, OidcError> {
    lede.providers
        .iter()
        .find(|provider| provider.settings.name == name)
        .ok_or(OidcError::UnknownProvider)
}

/// Sends the browser to the provider: the address to go to. `browser` is a secret in a cookie of
/// that browser; `link_to` is who is signed in already.
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

/// Takes the browser back: who is signed in now, and the local path to go to. `signed_in` is who
/// holds the browser's session: a provider is linked only to the account that is still there.
pub async fn finish(
    lede: &Lede,
    name: &str,
    browser: &str,
    signed_in: Option<UserId>,
    callback: Callback,
) -> Result<(Finished, String), OidcError> {
    let provider = provider(lede, name)?;
    let (state_hash, browser_hash, now) = (hash(&callback.state), hash(browser), lede.clock.now());
    // Taken before anything else: whatever happens next, it cannot be tried again.
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
