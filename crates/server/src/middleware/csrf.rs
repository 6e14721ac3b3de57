//! Protection against cross-site request forgery: a write by cookie needs proof that it comes from
//! a page of this instance.
//!
//! With a session, the proof is the session's token, in `X-CSRF-Token` or in the form field
//! `csrf_token`. In a multipart form that field is the first one, so that nothing of a file is read
//! before it. Without a session, the forms that begin one carry the secret of the browser's own
//! cookie, so that another site cannot sign a browser in to an attacker's account. Bearer requests
//! need neither: no browser sends them by itself.
//!
//! Pages are compressed, and compressed text is shorter the more of it repeats: an attacker who can
//! place text into a page and observe its length could guess a secret in it character by character
//! (BREACH). So each page contains the token under a different mask.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode, header};
use futures_util::{StreamExt as _, stream};
use lede_core::accounts::{Proof, random_token};
use subtle::ConstantTimeEq as _;

use super::{Caller, Client, Cookies, origin};
use crate::AppState;
use crate::error::{ApiError, Category};
use crate::policy::Csrf;

/// Limit on a URL-encoded form; the forms of our pages are far smaller.
const MAX_FORM_BYTES: usize = 1024 * 1024;
/// Limit on the bytes of a multipart form that are searched for its first field. Browsers send that
/// field within a few lines.
const MAX_FIRST_FIELD_BYTES: usize = 4096;

/// CSRF token for the forms of a page.
#[derive(Debug, Clone)]
pub(crate) struct FormToken {
    /// Value of the form field.
    pub(crate) value: String,
    /// Secret for a browser that has none yet: the page must set its cookie.
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

/// Rejects a write that does not come from a page of this instance. Returns the request, because
/// reading the token from a form consumes the body.
pub(super) async fn check(
    app: &AppState,
    client: &Client,
    caller: &Caller,
    csrf: Csrf,
    mut request: Request,
) -> Result<Request, ApiError> {
    let is_read = matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS
    );
    if is_read || csrf == Csrf::Exempt {
        return Ok(request);
    }
    let home = &app.lede.settings.base_url;
    let is_elsewhere = origin::is_cross_site(request.headers(), client.is_https, home);
    let expected = match caller.proof() {
        Some(Proof::Token { .. } | Proof::AppPassword { .. }) => return Ok(request),
        Some(Proof::Session { csrf_token, .. }) => csrf_token.clone(),
        None if csrf == Csrf::Forms && is_form(&request) => {
            match Cookies::of(client).browser(request.headers()) {
                Some(secret) => secret,
                None => return Err(refused()),
            }
        }
        // A page of another site can send text, uploads or an empty body without a preflight. Such
        // a request has no session, but the response could still end one, as sign-out does.
        None if is_elsewhere && !is_json(&request) => return Err(refused()),
        // JSON without a session: no cookie authorises it.
        None => return Ok(request),
    };
    if is_elsewhere {
        return Err(refused());
    }
    let shown = shown_token(&mut request).await?;
    let shown = unmasked(&shown).unwrap_or_else(|| shown.into_bytes());
    if bool::from(shown.ct_eq(expected.as_bytes())) {
        Ok(request)
    } else {
        Err(refused())
    }
}

/// Masks a token: returns random characters, followed by the XOR of the token with them in
/// hexadecimal.
fn masked(token: &str) -> String {
    let pad = random_token();
    let differs = pad
        .bytes()
        .zip(token.bytes())
        .map(|(one, other)| one ^ other);
    let differs: String = differs.map(|byte| format!("{byte:02x}")).collect();
    pad + &differs
}

/// Reverses [`masked`]. Returns `None` for any other text, such as a token without a mask.
fn unmasked(shown: &str) -> Option<Vec<u8>> {
    // One third is the pad; two thirds are the hexadecimal digits.
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

async fn shown_token(request: &mut Request) -> Result<String, ApiError> {
    if let Some(token) = request.headers().get("x-csrf-token") {
        return Ok(token.to_str().unwrap_or_default().to_owned());
    }
    if has_type(request, "multipart/form-data") {
        return Ok(first_field(request).await);
    }
    let token = form_field(request, "csrf_token").await?;
    Ok(token.unwrap_or_default())
}

/// Returns a field of a URL-encoded form. The request can be read again.
pub(crate) async fn form_field(
    request: &mut Request,
    name: &str,
) -> Result<Option<String>, ApiError> {
    if !is_form(request) {
        return Ok(None);
    }
    let body = std::mem::take(request.body_mut());
    let bytes = to_bytes(body, MAX_FORM_BYTES)
        .await
        .map_err(|_| too_large())?;
    let value = url::form_urlencoded::parse(&bytes)
        .find(|(found, _)| found == name)
        .map(|(_, value)| value.into_owned());
    *request.body_mut() = Body::from(bytes);
    Ok(value)
}

/// Returns the token in the first field of a multipart form. The request's body stays complete: the
/// part that was read is put back before the rest, which may still be arriving.
async fn first_field(request: &mut Request) -> String {
    let Some(edge) = boundary(request) else {
        return String::new();
    };
    let body = std::mem::take(request.body_mut());
    let mut pieces = body.into_data_stream();
    let mut begun: Vec<Result<Bytes, axum::Error>> = Vec::new();
    let mut read = Vec::new();
    let token = loop {
        if let Some(token) = token_field(&read, &edge) {
            break token;
        }
        if read.len() >= MAX_FIRST_FIELD_BYTES {
            break String::new();
        }
        let Some(piece) = pieces.next().await else {
            break String::new();
        };
        let is_broken = piece.is_err();
        if let Ok(piece) = &piece {
            let room = MAX_FIRST_FIELD_BYTES - read.len();
            read.extend_from_slice(&piece[..piece.len().min(room)]);
        }
        begun.push(piece);
        if is_broken {
            break String::new();
        }
    };
    *request.body_mut() = Body::from_stream(stream::iter(begun).chain(pieces));
    token
}

/// Returns the delimiter between the fields of a multipart form.
fn boundary(request: &Request) -> Option<String> {
    let named = request.headers().get(header::CONTENT_TYPE)?.to_str().ok()?;
    let (_, edge) = named.split_once("boundary=")?;
    let edge = edge.split(';').next()?.trim().trim_matches('"');
    (!edge.is_empty()).then(|| format!("--{edge}"))
}

/// Returns the value of the field at the beginning of `read`, once it is complete and if it is the
/// token. Only the syntax that browsers send is parsed; any other form has no token.
fn token_field(read: &[u8], edge: &str) -> Option<String> {
    let text = String::from_utf8_lossy(read);
    let (head, rest) = text
        .strip_prefix(edge)?
        .strip_prefix("\r\n")?
        .split_once("\r\n\r\n")?;
    let (value, _) = rest.split_once(&format!("\r\n{edge}"))?;
    let is_token = head.eq_ignore_ascii_case("content-disposition: form-data; name=\"csrf_token\"");
    is_token.then(|| value.to_owned())
}

fn refused() -> ApiError {
    ApiError::new(
        StatusCode::FORBIDDEN,
        "csrf",
        Category::Auth,
        "This request did not come from a page of this server, or the page was too old.",
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
    fn the_first_field_of_a_form_with_a_file_is_read_once_it_is_whole() {
        let edge = "--x";
        let field = |name: &str| {
            format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\nabc\r\n--x")
        };
        let token = field("csrf_token");
        assert_eq!(token_field(token.as_bytes(), edge).as_deref(), Some("abc"));
        for end in 0..token.len() {
            assert_eq!(token_field(&token.as_bytes()[..end], edge), None, "{end}");
        }
        for other in [
            field("file"),
            field("csrf_token\"; filename=\"a"),
            format!("{}\r\n{}", field("file"), &token[3..]),
            format!("\r\n{token}"),
            token.replace("--x", "--y"),
        ] {
            assert_eq!(token_field(other.as_bytes(), edge), None, "{other}");
        }
    }

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
