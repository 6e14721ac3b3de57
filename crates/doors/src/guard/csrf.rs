//! State changes by cookie need proof that a page of ours asked for them.
//!
//! With a session: its token, in `X-CSRF-Token` or the form field `csrf_token`. Without one, the
//! forms that begin a session carry the secret of the browser's own cookie, so that nobody can
//! be signed in as somebody else by a page elsewhere. Bearer requests need neither: no browser
//! sends them by itself.

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
    /// Set when the browser has no secret yet: the page must set its cookie.
    pub(crate) new_browser: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for FormToken {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        if let Some(Proof::Session { csrf_token, .. }) = Caller::in_parts(parts).proof() {
            return Ok(Self {
                value: csrf_token.clone(),
                new_browser: false,
            });
        }
        let known = parts
            .extensions
            .get::<Client>()
            .and_then(|client| Cookies::of(client).browser(&parts.headers));
        Ok(match known {
            Some(value) => Self {
                value,
                new_browser: false,
            },
            None => Self {
                value: random_token(),
                new_browser: true,
            },
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
    if bool::from(shown.as_bytes().ct_eq(expected.as_bytes())) {
        Ok(request)
    } else {
        Err(refused())
    }
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
