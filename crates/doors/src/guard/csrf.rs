//! State changes by cookie need proof that a page of ours asked for them.
//!
//! With a session: its token, in `X-CSRF-Token` or the form field `csrf_token`. Without one, the
//! forms that begin a session carry the secret of the browser's own cookie, so that nobody can
//! be signed in as somebody else by a page elsewhere. Bearer requests need neither: no browser
//! sends them by itself.
//!
//! Pages are sent packed, and a packed page is shorter the more of it repeats: whoever can put text into
//! a page and see its length could guess a secret in it letter by letter (BREACH). So a page carries its
//! token masked, another way each time.

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode, header};
use lede_core::accounts::{Proof, random_token};
use subtle::ConstantTimeEq as _;

use super::{Caller, Client, Cookies, origin};
use crate::Doors;
use crate::error::{ApiError, Category};

/// Largest form: the add box, sign-in and settings are all far below.
const MAX_FORM_BYTES: usize = 1024 * 1024;

/// What a form of this page must carry.
#[derive(Debug, Clone)]
pub(crate) struct FormToken {
    /// The field's value.
    pub(crate) value: String,
    /// The secret of a browser that has none yet: the page must set its cookie.
    pub(crate) new_cookie: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for FormToken {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        if let Some(Proof::Session { csrf_token, .. }) = Caller::in_parts(parts).proof() {
            return Ok(Self {
                value: masked(csrf_token),
                new_cookie: None,
            });
        }
        let known = parts
            .extensions
            .get::<Client>()
            .and_then(|client| Cookies::of(client).browser(&parts.headers));
        Ok(match known {
            Some(secret) => Self {
                value: masked(&secret),
                new_cookie: None,
            },
            None => {
                let secret = random_token();
                Self {
                    value: masked(&secret),
                    new_cookie: Some(secret),
                }
            }
        })
    }
}

/// Refuses a state change that no page of ours asked for. Gives the request back, because looking
/// into a form means reading it.
pub(super) async fn check(
    doors: &Doors,
    client: &Client,
    caller: &Caller,
    request: Request,
) -> Result<Request, ApiError> {
    if matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS
    ) {
        return Ok(request);
    }
    let home = &doors.lede.settings.base_url;
    let is_elsewhere = origin::is_cross_site(request.headers(), client.is_https, home);
    let expected = match caller.proof() {
        Some(Proof::Token { .. }) => return Ok(request),
        Some(Proof::Session { csrf_token, .. }) => csrf_token.clone(),
        None if is_form(&request) && !is_json_door(&request) => {
            match Cookies::of(client).browser(request.headers()) {
                Some(secret) => secret,
                None => return Err(refused()),
            }
        }
        // What a page elsewhere can send without asking first (text, uploads, nothing at all): it
        // has no session, but its answer could still take one away, as signing out does.
        None if is_elsewhere && !is_json(&request) => return Err(refused()),
        // JSON without a session: no cookie gives it any power.
        None => return Ok(request),
    };
    if is_elsewhere {
        return Err(refused());
    }
    let (shown, request) = shown_token(request).await?;
    let shown = unmasked(&shown).unwrap_or_else(|| shown.into_bytes());
    if bool::from(shown.ct_eq(expected.as_bytes())) {
        Ok(request)
    } else {
        Err(refused())
    }
}

/// A token in a new disguise: something random, and how the token differs from it.
fn masked(token: &str) -> String {
    let pad = random_token();
    let differs = pad
        .bytes()
        .zip(token.bytes())
        .map(|(one, other)| one ^ other);
    let differs: String = differs.map(|byte| format!("{byte:02x}")).collect();
    pad + &differs
}

/// The token back; `None` for what [`masked`] did not make, as a token without its disguise.
fn unmasked(shown: &str) -> Option<Vec<u8>> {
    // Of what is shown, a third is the pad and two thirds are the differences, in digits.
    let length = shown.len() / 3;
    let (pad, differs) = shown.split_at_checked(length).filter(|_| length > 0)?;
    let digits = differs.as_bytes().chunks(2);
    let bytes = digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    let bytes: Vec<u8> = bytes.collect::<Option<_>>()?;
    (bytes.len() == length).then(|| {
        pad.bytes()
            .zip(bytes)
            .map(|(one, other)| one ^ other)
            .collect()
    })
}

/// No JSON door takes a form, whoever sends it, and its own answer (415) says so.
fn is_json_door(request: &Request) -> bool {
    let path = request.uri().path();
    path.starts_with("/api/") || path == "/auth/token"
}

fn is_form(request: &Request) -> bool {
    has_type(request, "application/x-www-form-urlencoded")
}

fn is_json(request: &Request) -> bool {
    has_type(request, "application/json")
}

fn has_type(request: &Request, content_type: &str) -> bool {
    request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|value| value.trim().eq_ignore_ascii_case(content_type))
}

async fn shown_token(request: Request) -> Result<(String, Request), ApiError> {
    if let Some(token) = request.headers().get("x-csrf-token") {
        return Ok((token.to_str().unwrap_or_default().to_owned(), request));
    }
    if !is_form(&request) {
        return Ok((String::new(), request));
    }
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, MAX_FORM_BYTES)
        .await
        .map_err(|_| too_large())?;
    let token = url::form_urlencoded::parse(&bytes)
        .find(|(name, _)| name == "csrf_token")
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default();
    Ok((token, Request::from_parts(parts, Body::from(bytes))))
}

fn refused() -> ApiError {
    ApiError::new(
        StatusCode::FORBIDDEN,
        "csrf",
        Category::Auth,
        "This request did not come from a page of this Lede, or the page was too old.",
        "Reload the page and try again.",
    )
}

fn too_large() -> ApiError {
    ApiError::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "too_large",
        Category::Validation,
        "The form is too large.",
        "Send less than 1 MiB.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_masked_token_looks_different_each_time_and_comes_back() {
        let token = random_token();
        let (one, other) = (masked(&token), masked(&token));
        assert_ne!(one, other);
        assert!(!one.contains(&token));
        assert_eq!(unmasked(&one).as_deref(), Some(token.as_bytes()));
        assert_eq!(unmasked(&other).as_deref(), Some(token.as_bytes()));
        for strange in ["", "a", "ab", &token, "zzzzzz", "ééé", "日本語日本語"] {
            assert_ne!(
                unmasked(strange).as_deref(),
                Some(token.as_bytes()),
                "{strange}"
            );
        }
    }
}
