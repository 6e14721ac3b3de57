//! Authentication by the schemes of a route's policy, and its access rules.

use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use lede_core::accounts::{self, Proof, SignedIn};
use lede_model::app_password::Scope;
use lede_model::user::{Role, User};

use super::{Client, Cookies};
use crate::AppState;
use crate::error::ApiError;
use crate::policy::{Access, AppCredential, ErrorFormat, Scheme};

/// The caller of a request. The middleware attaches it as an extension.
#[derive(Debug, Clone)]
pub(crate) struct Caller(Option<SignedIn>);

impl Caller {
    pub(super) fn proof(&self) -> Option<&Proof> {
        self.0.as_ref().map(|signed_in| &signed_in.proof)
    }

    /// Returns the user, if the caller is signed in.
    pub(crate) fn user(&self) -> Option<&User> {
        self.0.as_ref().map(|signed_in| &signed_in.user)
    }

    /// Returns the user if the session cookie proves them: a page, or a script of one.
    pub(crate) fn by_session(&self) -> Option<&User> {
        match self.proof()? {
            Proof::Session { .. } => self.user(),
            Proof::Token { .. } | Proof::AppPassword { .. } => None,
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

/// Identifies the caller by the first credential of `schemes` that the request carries. If that one
/// is wrong, no other is tried: the client meant the one that it sent.
pub(super) async fn authenticate(
    app: &AppState,
    client: &Client,
    schemes: &[Scheme],
    request: &mut Request,
) -> Result<Caller, ApiError> {
    let lede = &app.lede;
    for scheme in schemes {
        let authorization = request.headers().get(header::AUTHORIZATION);
        match scheme {
            Scheme::Bearer => {
                let authorization = authorization.and_then(|value| value.to_str().ok());
                if let Some(token) = authorization.and_then(bearer_token) {
                    return Ok(Caller(accounts::bearer(lede, token).await?));
                }
            }
            Scheme::Session if authorization.is_some() => {}
            Scheme::Session => {
                if let Some(id) = Cookies::of(client).session(request.headers()) {
                    return Ok(Caller(accounts::session(lede, &id).await?));
                }
            }
            Scheme::App(scheme) => match (scheme.authenticate)(app, request).await? {
                AppCredential::Absent => {}
                AppCredential::Wrong => return Ok(Caller(None)),
                AppCredential::Of(user, scope) => {
                    let proof = Proof::AppPassword { scope };
                    return Ok(Caller(Some(SignedIn { user, proof })));
                }
            },
        }
    }
    Ok(Caller(None))
}

/// Rejects callers that the route's policy does not admit.
pub(super) fn check_access(access: Access, caller: &Caller) -> Result<(), ApiError> {
    if access == Access::Anonymous {
        return Ok(());
    }
    let SignedIn { user, proof } = caller.0.as_ref().ok_or_else(ApiError::unauthorised)?;
    match (access, proof) {
        (Access::App(Scope::Read), Proof::AppPassword { .. })
        | (
            Access::App(Scope::Write),
            Proof::AppPassword {
                scope: Scope::Write,
            },
        ) => Ok(()),
        (_, Proof::AppPassword { .. }) => Err(ApiError::forbidden(
            "This app password does not allow that.",
            "Create one with more rights in the settings.",
        )),
        (Access::Admin, _) if user.role != Role::Admin => Err(ApiError::forbidden(
            "Only administrators may do this.",
            "Ask an administrator of this instance.",
        )),
        _ => Ok(()),
    }
}

/// Responds to a caller without access. Where errors are pages, a caller without a session is led
/// to the sign-in page.
pub(super) fn refuse(
    errors: ErrorFormat,
    request: &Request,
    error: ApiError,
) -> Result<Response, ApiError> {
    let shows_pages = matches!(errors, ErrorFormat::Page | ErrorFormat::Partial);
    match error.status {
        StatusCode::UNAUTHORIZED if shows_pages => Ok(to_sign_in(request)),
        _ => Err(error),
    }
}

fn to_sign_in(request: &Request) -> Response {
    let by_script = request.headers().contains_key("hx-request");
    // Returned to after sign-in. The URL of a form has nothing to show, and that of a page fragment
    // shows only the fragment.
    let here = match *request.method() {
        _ if by_script && let Some(page) = shown_page(request.headers()) => page,
        Method::GET | Method::HEAD => request
            .uri()
            .path_and_query()
            .map_or_else(|| "/".to_owned(), ToString::to_string),
        _ => "/".to_owned(),
    };
    let next: String = url::form_urlencoded::byte_serialize(here.as_bytes()).collect();
    let login = format!("/auth/login?next={next}");
    if by_script {
        // htmx would follow a redirect and insert the sign-in page into the current page.
        return (StatusCode::UNAUTHORIZED, [("HX-Redirect", login)]).into_response();
    }
    Redirect::to(&login).into_response()
}

/// Returns the path of the page that sent an htmx request.
fn shown_page(headers: &HeaderMap) -> Option<String> {
    let address = headers.get("hx-current-url")?.to_str().ok()?;
    let address = url::Url::parse(address).ok()?;
    Some(address[url::Position::BeforePath..url::Position::AfterQuery].to_owned())
}

/// Extracts the token of an `Authorization: Bearer` header.
pub(crate) fn bearer_token(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The signed-in user. The route's policy decides which roles are admitted.
#[derive(Debug)]
pub(crate) struct CurrentUser {
    pub(crate) user: User,
    pub(crate) proof: Proof,
}

impl<S: Send + Sync> FromRequestParts<S> for CurrentUser {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let SignedIn { user, proof } = Caller::in_parts(parts)
            .0
            .ok_or_else(ApiError::unauthorised)?;
        Ok(Self { user, proof })
    }
}

/// Hash of the session token of a request that was authenticated by cookie, for ending the session.
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
