//! OpenID Connect sign-in: the redirect to a provider and the callback.

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use lede_core::accounts::oidc::{self, Callback, Finished, OidcError};
use lede_core::accounts::random_token;
use serde::Deserialize;

use super::page::Page;
use super::sign_in::enter;
use crate::AppState;
use crate::error::ApiError;
use crate::middleware::{Client, Cookies, SessionProof, is_cross_site, local_path};

/// Provider name behind the fixed routes `/auth/google/*`.
const GOOGLE: &str = "google";

#[derive(Deserialize)]
pub(crate) struct LoginQuery {
    #[serde(default)]
    next: String,
}

#[derive(Deserialize)]
pub(crate) struct CallbackQuery {
    #[serde(default)]
    state: String,
    code: Option<String>,
    error: Option<String>,
    iss: Option<String>,
}

/// `GET /auth/google/login`: see [`login`].
pub(crate) async fn google_login(
    app: State<AppState>,
    client: Extension<Client>,
    headers: HeaderMap,
    page: Page,
    query: Query<LoginQuery>,
) -> Response {
    login(app, client, headers, page, Path(GOOGLE.to_owned()), query).await
}

/// `GET /auth/google/callback`: see [`callback`].
pub(crate) async fn google_callback(
    app: State<AppState>,
    client: Extension<Client>,
    session: SessionProof,
    headers: HeaderMap,
    page: Page,
    query: Query<CallbackQuery>,
) -> Response {
    let provider = Path(GOOGLE.to_owned());
    callback(app, client, session, headers, page, provider, query).await
}

/// `GET /auth/oidc/{provider}/login`: redirects to the provider. For a signed-in user, the provider
/// is linked to their account.
pub(crate) async fn login(
    State(app): State<AppState>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    page: Page,
    Path(provider): Path<String>,
    Query(query): Query<LoginQuery>,
) -> Response {
    let link_to = page.user.as_ref().map(|user| user.id);
    let home = &app.lede.settings.base_url;
    if link_to.is_some() && is_cross_site(&headers, client.is_https, home) {
        // Otherwise a page elsewhere could first sign the browser in to the provider as an
        // attacker, and then have the attacker's identity linked to this account.
        return failed(&page, OidcError::UnknownAttempt);
    }
    let cookies = Cookies::of(&client);
    let known = cookies.browser(&headers);
    let browser = known.clone().unwrap_or_else(random_token);
    let return_to = match (link_to, query.next.as_str()) {
        (Some(_), "") => "/account",
        (_, next) => local_path(next),
    };
    match oidc::begin(&app.lede, &provider, &browser, return_to, link_to).await {
        Ok(address) if known.is_some() => Redirect::to(&address).into_response(),
        Ok(address) => {
            let cookie = cookies.set_browser(&browser);
            (
                AppendHeaders([(header::SET_COOKIE, cookie)]),
                Redirect::to(&address),
            )
                .into_response()
        }
        Err(error) => failed(&page, error),
    }
}

/// `GET /auth/oidc/{provider}/callback`: completes the sign-in or the linking.
pub(crate) async fn callback(
    State(app): State<AppState>,
    Extension(client): Extension<Client>,
    session: SessionProof,
    headers: HeaderMap,
    page: Page,
    Path(provider): Path<String>,
    Query(query): Query<CallbackQuery>,
) -> Response {
    let Some(browser) = Cookies::of(&client).browser(&headers) else {
        return failed(&page, OidcError::UnknownAttempt);
    };
    let answer = Callback {
        state: query.state,
        code: query.code,
        error: query.error,
        issuer: query.iss,
    };
    let signed_in = page.user.as_ref().map(|user| user.id);
    match oidc::finish(&app.lede, &provider, &browser, signed_in, answer).await {
        Ok((Finished::SignedIn(user), return_to)) => {
            match enter(&app, &client, session, &user, &return_to).await {
                Ok(response) => response,
                Err(error) => page.error(&error),
            }
        }
        Ok((Finished::Linked, return_to)) => Redirect::to(local_path(&return_to)).into_response(),
        Err(error) => failed(&page, error),
    }
}

fn failed(page: &Page, error: OidcError) -> Response {
    let (status, key, provider) = match error {
        OidcError::Store(store) => return page.error(&ApiError::internal(&store)),
        OidcError::UnknownProvider => (StatusCode::NOT_FOUND, "oidc-unknown", String::new()),
        OidcError::UnknownAttempt => (StatusCode::BAD_REQUEST, "oidc-elsewhere", String::new()),
        OidcError::Denied => (StatusCode::BAD_REQUEST, "oidc-cancelled", String::new()),
        OidcError::NotLinked(name) => (StatusCode::FORBIDDEN, "oidc-not-linked", name),
        OidcError::EmailTaken => (StatusCode::CONFLICT, "oidc-email-taken", String::new()),
        OidcError::NoVerifiedEmail(name) => (StatusCode::FORBIDDEN, "oidc-no-email", name),
        OidcError::LinkedToAnother(name) => (StatusCode::CONFLICT, "oidc-linked", name),
        OidcError::Provider(name, cause) => {
            tracing::warn!(provider = name, error = %cause, "sign-in through a provider failed");
            (StatusCode::BAD_GATEWAY, "oidc-failed", name)
        }
    };
    let title = page.with(key, "provider", provider);
    page.plain_message(status, &title, &page.t(&format!("{key}.text")))
}
