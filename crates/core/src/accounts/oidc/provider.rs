//! One provider: its published configuration and keys, and the claims it makes about a user.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use lede_model::time::Timestamp;
use lede_net::{FetchError, ServiceLimits};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;
use url::form_urlencoded;

use super::ProviderSettings;
use crate::Lede;

/// Time for which the published configuration is cached.
const METADATA_LIFE: Duration = Duration::from_secs(3600);
/// Minimum time between two fetches of the keys because of an unknown key id.
const KEYS_PAUSE: Duration = Duration::from_secs(60);
/// Accepted difference between the provider's clock and ours.
const SKEW: Duration = Duration::from_secs(60);
/// Accepted signature algorithms of ID tokens: never `none`, never a shared secret.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// Errors of a provider, for the log.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// No connection, or a timeout.
    #[error("{0}")]
    Unreachable(#[from] FetchError),
    /// An endpoint returned an HTTP error.
    #[error("the {what} endpoint answered {status}")]
    Status {
        what: &'static str,
        status: http::StatusCode,
    },
    /// A response does not parse or fails validation.
    #[error("the {what} is not acceptable: {why}")]
    Unacceptable {
        /// The part of the exchange, such as `ID token`.
        what: &'static str,
        why: String,
    },
}

fn unacceptable(what: &'static str, why: impl std::fmt::Display) -> ProviderError {
    ProviderError::Unacceptable {
        what,
        why: why.to_string(),
    }
}

/// Validated claims about a user.
pub(super) struct Claims {
    pub(super) subject: String,
    /// Set only if the provider states that it verified the address.
    pub(super) verified_email: Option<String>,
}

/// A configured provider with a cache of its published configuration.
pub struct Provider {
    pub(super) settings: ProviderSettings,
    published: Mutex<Option<Arc<Published>>>,
}

struct Published {
    metadata: Metadata,
    keys: JwkSet,
    fetched_at: Timestamp,
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    userinfo_endpoint: Option<String>,
    jwks_uri: String,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct TokenAnswer {
    id_token: String,
    access_token: String,
}

#[derive(Deserialize)]
struct IdToken {
    sub: String,
    aud: OneOrMany,
    azp: Option<String>,
    exp: i64,
    iat: i64,
    nonce: Option<String>,
    email: Option<String>,
    email_verified: Option<bool>,
}

#[derive(Deserialize)]
struct UserInfo {
    sub: String,
    email: Option<String>,
    email_verified: Option<bool>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    // Named as text: an untyped variant would also match a list, and hide that there are several.
    One(#[expect(dead_code, reason = "the library has compared it")] String),
    Many(Vec<String>),
}

impl Provider {
    /// Creates a provider; its configuration is fetched when it is first needed.
    pub fn new(settings: ProviderSettings) -> Self {
        Self {
            settings,
            published: Mutex::new(None),
        }
    }

    pub(super) async fn authorization_url(
        &self,
        lede: &Lede,
        state: &str,
        nonce: &str,
        pkce_verifier: &str,
    ) -> Result<String, ProviderError> {
        let published = self.published(lede).await?;
        let mut url = url::Url::parse(&published.metadata.authorization_endpoint)
            .map_err(|error| unacceptable("authorization endpoint", error))?;
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.settings.client_id)
            .append_pair("redirect_uri", &self.settings.redirect_url)
            .append_pair("scope", "openid email profile")
            .append_pair("state", state)
            .append_pair("nonce", nonce)
            .append_pair(
                "code_challenge",
                &URL_SAFE_NO_PAD.encode(Sha256::digest(pkce_verifier)),
            )
            .append_pair("code_challenge_method", "S256");
        Ok(url.into())
    }

    /// Exchanges `code` for tokens and validates everything in the response.
    pub(super) async fn claims(
        &self,
        lede: &Lede,
        code: &str,
        answering_issuer: Option<&str>,
        nonce: &str,
        pkce_verifier: &str,
    ) -> Result<Claims, ProviderError> {
        if answering_issuer.is_some_and(|issuer| issuer != self.settings.issuer) {
            return Err(unacceptable("answer", "another issuer sent it (RFC 9207)"));
        }
        let published = self.published(lede).await?;
        let request = self.token_request(&published.metadata, code, pkce_verifier)?;
        let answer: TokenAnswer = send(lede, "token", request).await?;
        let id = self
            .verified(lede, published, &answer.id_token, nonce)
            .await?;
        let (mut email, mut is_verified) = (id.email, id.email_verified);
        if email.is_none() {
            // Strict providers put only the subject into the ID token.
            if let Some(endpoint) = self
                .published(lede)
                .await?
                .metadata
                .userinfo_endpoint
                .as_deref()
            {
                let info: UserInfo =
                    get(lede, "userinfo", endpoint, Some(&answer.access_token)).await?;
                if info.sub != id.sub {
                    return Err(unacceptable("userinfo", "it is about somebody else"));
                }
                (email, is_verified) = (info.email, info.email_verified);
            }
        }
        Ok(Claims {
            subject: id.sub,
            verified_email: email.filter(|_| is_verified == Some(true)),
        })
    }

    /// Builds the request that exchanges a code for tokens.
    fn token_request(
        &self,
        metadata: &Metadata,
        code: &str,
        pkce_verifier: &str,
    ) -> Result<http::Request<Vec<u8>>, ProviderError> {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", &self.settings.redirect_url)
            .append_pair("code_verifier", pkce_verifier);
        let mut request = http::Request::post(&metadata.token_endpoint)
            .header(http::header::ACCEPT, "application/json")
            .header(
                http::header::CONTENT_TYPE,
                "application/x-www-form-urlencoded",
            );
        match &self.settings.client_secret {
            None => {
                form.append_pair("client_id", &self.settings.client_id);
            }
            Some(secret) if metadata.wants_secret_in_body() => {
                form.append_pair("client_id", &self.settings.client_id)
                    .append_pair("client_secret", secret.reveal());
            }
            Some(secret) => {
                // RFC 6749 §2.3.1: both parts are form-encoded before they are joined.
                let encode = |text: &str| {
                    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>()
                };
                let pair = format!(
                    "{}:{}",
                    encode(&self.settings.client_id),
                    encode(secret.reveal())
                );
                request = request.header(
                    http::header::AUTHORIZATION,
                    format!("Basic {}", STANDARD.encode(pair)),
                );
            }
        }
        request
            .body(form.finish().into_bytes())
            .map_err(|error| unacceptable("token endpoint", error))
    }

    /// Verifies signature and claims of an ID token (OpenID Connect Core §3.1.3.7).
    async fn verified(
        &self,
        lede: &Lede,
        published: Arc<Published>,
        token: &str,
        nonce: &str,
    ) -> Result<IdToken, ProviderError> {
        let what = "ID token";
        let header = decode_header(token).map_err(|error| unacceptable(what, error))?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(unacceptable(
                what,
                "it is signed with an algorithm that proves nothing",
            ));
        }
        let key = match key_for(&published.keys, header.kid.as_deref()) {
            Some(key) => key,
            None => {
                // The provider may have rotated its keys.
                let renewed = self.renewed(lede, &published).await?;
                key_for(&renewed.keys, header.kid.as_deref())
                    .ok_or_else(|| unacceptable(what, "its key is not among the published ones"))?
            }
        };
        let mut validation = Validation::new(header.alg);
        validation.set_issuer(&[&self.settings.issuer]);
        validation.set_audience(&[&self.settings.client_id]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.validate_exp = false; // Checked below against our own clock.
        let token: IdToken = decode(token, &key, &validation)
            .map_err(|error| unacceptable(what, error))?
            .claims;

        let now = lede.clock.now();
        let is_for_us_alone = match &token.aud {
            OneOrMany::One(_) => true,
            OneOrMany::Many(all) => all.len() == 1 || token.azp.is_some(),
        };
        if !is_for_us_alone
            || token
                .azp
                .as_ref()
                .is_some_and(|party| *party != self.settings.client_id)
        {
            return Err(unacceptable(what, "it was issued to another client"));
        }
        if now > Timestamp::from_seconds(token.exp) + SKEW {
            return Err(unacceptable(what, "it has expired"));
        }
        if Timestamp::from_seconds(token.iat) > now + SKEW {
            return Err(unacceptable(what, "it was issued in the future"));
        }
        if token.nonce.as_deref() != Some(nonce) {
            return Err(unacceptable(what, "it answers another sign-in"));
        }
        Ok(token)
    }

    async fn published(&self, lede: &Lede) -> Result<Arc<Published>, ProviderError> {
        let mut published = self.published.lock().await;
        let now = lede.clock.now();
        if let Some(known) = &*published
            && now.since(known.fetched_at) < METADATA_LIFE
        {
            return Ok(Arc::clone(known));
        }
        let fresh = Arc::new(self.fetch_published(lede, now).await?);
        *published = Some(Arc::clone(&fresh));
        Ok(fresh)
    }

    async fn renewed(
        &self,
        lede: &Lede,
        stale: &Published,
    ) -> Result<Arc<Published>, ProviderError> {
        let now = lede.clock.now();
        if now.since(stale.fetched_at) < KEYS_PAUSE {
            return Err(unacceptable(
                "ID token",
                "its key is not among the published ones",
            ));
        }
        self.published.lock().await.take();
        self.published(lede).await
    }

    async fn fetch_published(
        &self,
        lede: &Lede,
        now: Timestamp,
    ) -> Result<Published, ProviderError> {
        let address = format!(
            "{}/.well-known/openid-configuration",
            self.settings.issuer.trim_end_matches('/')
        );
        let metadata: Metadata = get(lede, "configuration", &address, None).await?;
        if metadata.issuer != self.settings.issuer {
            return Err(unacceptable(
                "configuration",
                format!("it names another issuer, {}", metadata.issuer),
            ));
        }
        let keys: JwkSet = get(lede, "keys", &metadata.jwks_uri, None).await?;
        Ok(Published {
            metadata,
            keys,
            fetched_at: now,
        })
    }
}

impl Metadata {
    /// True only for a provider that does not support `client_secret_basic`, the default.
    fn wants_secret_in_body(&self) -> bool {
        self.token_endpoint_auth_methods_supported
            .as_ref()
            .is_some_and(|methods| {
                !methods.iter().any(|method| method == "client_secret_basic")
                    && methods.iter().any(|method| method == "client_secret_post")
            })
    }
}

/// Returns the key that `kid` names, or the only key if the token names none.
fn key_for(keys: &JwkSet, kid: Option<&str>) -> Option<DecodingKey> {
    let jwk = match kid {
        Some(kid) => keys.find(kid)?,
        None if keys.keys.len() == 1 => keys.keys.first()?,
        None => return None,
    };
    DecodingKey::from_jwk(jwk).ok()
}

async fn get<T: DeserializeOwned>(
    lede: &Lede,
    what: &'static str,
    address: &str,
    bearer: Option<&str>,
) -> Result<T, ProviderError> {
    let mut request = http::Request::get(address).header(http::header::ACCEPT, "application/json");
    if let Some(token) = bearer {
        request = request.header(http::header::AUTHORIZATION, format!("Bearer {token}"));
    }
    let request = request
        .body(Vec::new())
        .map_err(|error| unacceptable(what, error))?;
    send(lede, what, request).await
}

async fn send<T: DeserializeOwned>(
    lede: &Lede,
    what: &'static str,
    request: http::Request<Vec<u8>>,
) -> Result<T, ProviderError> {
    let answer = lede
        .net
        .peer()
        .send(request, ServiceLimits::SIGN_IN)
        .await?;
    if !answer.status().is_success() {
        return Err(ProviderError::Status {
            what,
            status: answer.status(),
        });
    }
    serde_json::from_slice(answer.body()).map_err(|error| unacceptable(what, error))
}
