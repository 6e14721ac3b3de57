//! Who is asking: one check for every door, by session cookie or bearer token.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use lede_core::accounts::{self, Proof, SignedIn};
use lede_model::user::{Role, User};

use super::{Client, Cookies};
use crate::Doors;
use crate::error::ApiError;

/// Who is asking, put beside the request by the entrance.
#[derive(Debug, Clone)]
pub(crate) struct Caller(Option<SignedIn>);

impl Caller {
    pub(super) fn proof(&self) -> Option<&Proof> {
        self.0.as_ref().map(|signed_in| &signed_in.proof)
    }

    /// The account, when somebody is signed in.
    pub(crate) fn user(&self) -> Option<&User> {
        self.0.as_ref().map(|signed_in| &signed_in.user)
    }

    /// The account, when its session's cookie says so: a person at a page, or the page's script.
    pub(crate) fn by_session(&self) -> Option<&User> {
        match self.proof()? {
            Proof::Session { .. } => self.user(),
            Proof::Token { .. } => None,
        }
    }

    pub(super) fn user_id(&self) -> Option<i64> {
        self.user().map(|user| user.id.as_i64())
    }

    pub(crate) fn in_parts(parts: &Parts) -> Self {
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .unwrap_or(Self(None))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self::in_parts(parts))
    }
}

/// Finds out who is asking. A bearer token counts before a cookie; one that is no good does not
/// fall back to the cookie, because the client meant the token.
pub(super) async fn caller(
    doors: &Doors,
    client: &Client,
    headers: &HeaderMap,
) -> Result<Caller, ApiError> {
    let signed_in = if let Some(authorization) = headers.get(header::AUTHORIZATION) {
        match bearer_token(authorization.to_str().unwrap_or_default()) {
            Some(token) => accounts::bearer(&doors.lede, token).await?,
            None => None,
        }
    } else if let Some(id) = Cookies::of(client).session(headers) {
        accounts::session(&doors.lede, &id).await?
    } else {
        None
    };
    Ok(Caller(signed_in))
}

/// The token of an `Authorization: Bearer` header.
pub(crate) fn bearer_token(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Somebody who is signed in, in any role: what a handler of the JSON doors asks for.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) user: User,
    pub(crate) proof: Proof,
}

impl<S: Send + Sync> FromRequestParts<S> for Reader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let SignedIn { user, proof } = Caller::in_parts(parts)
            .0
            .ok_or_else(ApiError::unauthorised)?;
        Ok(Self { user, proof })
    }
}

/// Somebody who is signed in and may do everything.
#[derive(Debug)]
pub(crate) struct Administrator;

impl<S: Send + Sync> FromRequestParts<S> for Administrator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        match Reader::from_request_parts(parts, state).await?.user.role {
            Role::Admin => Ok(Self),
            Role::Member | Role::Viewer => Err(not_an_administrator()),
        }
    }
}

/// Somebody who is signed in and looks at a page: nobody is sent to the sign-in page and back.
#[derive(Debug)]
pub(crate) struct PageReader {
    pub(crate) user: User,
}

impl<S: Send + Sync> FromRequestParts<S> for PageReader {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        if let Some(SignedIn { user, .. }) = Caller::in_parts(parts).0 {
            return Ok(Self { user });
        }
        let by_script = parts.headers.contains_key("hx-request");
        // After a form there is nothing at its address to come back to, and at the address of a part of
        // a page there is only that part.
        let here = match parts.method {
            _ if by_script && let Some(page) = shown_page(&parts.headers) => page,
            Method::GET | Method::HEAD => parts
                .uri
                .path_and_query()
                .map_or_else(|| "/".to_owned(), ToString::to_string),
            _ => "/".to_owned(),
        };
        let next: String = url::form_urlencoded::byte_serialize(here.as_bytes()).collect();
        let login = format!("/auth/login?next={next}");
        if by_script {
            // A redirect would put the sign-in page into a corner of this one.
            return Err((StatusCode::UNAUTHORIZED, [("HX-Redirect", login)]).into_response());
        }
        Err(Redirect::to(&login).into_response())
    }
}

/// The page that a request of htmx came from, as a path.
fn shown_page(headers: &HeaderMap) -> Option<String> {
    let address = headers.get("hx-current-url")?.to_str().ok()?;
    let address = url::Url::parse(address).ok()?;
    Some(address[url::Position::BeforePath..url::Position::AfterQuery].to_owned())
}

/// An administrator who looks at a page; others are told that it is not for them.
#[derive(Debug)]
pub(crate) struct PageAdministrator {
    pub(crate) user: User,
}

impl<S: Send + Sync> FromRequestParts<S> for PageAdministrator {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let PageReader { user } = PageReader::from_request_parts(parts, state).await?;
        match user.role {
            Role::Admin => Ok(Self { user }),
            Role::Member | Role::Viewer => Err(not_an_administrator().into_response()),
        }
    }
}

fn not_an_administrator() -> ApiError {
    ApiError::forbidden(
        "Only administrators may do this.",
        "Ask an administrator of this instance.",
    )
}

/// The session of a request that came by cookie, for ending it.
pub(crate) struct SessionProof(pub(crate) Option<[u8; 32]>);

impl<S: Send + Sync> FromRequestParts<S> for SessionProof {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self(match Caller::in_parts(parts).proof() {
            Some(Proof::Session { id_hash, .. }) => Some(*id_hash),
            _ => None,
        }))
    }
}
