//! Forms for set-up, sign-in, registration and sign-out.

use std::borrow::Cow;

use askama::Template;
use axum::Extension;
use axum::extract::{Query, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use lede_core::Registration;
use lede_core::accounts::{self, RegisterError, oidc};
use lede_model::secret::Secret;
use lede_model::user::User;
use serde::Deserialize;

use super::page::Page;
use crate::AppState;
use crate::accounts::check_password;
use crate::error::{ApiError, FormBody};
use crate::middleware::{Caller, Client, Cookies, SessionProof, SetUpCode, local_path};

/// Sign-in button of an OpenID provider.
struct ProviderButton {
    name: String,
    label: String,
}

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage {
    page: Page,
    email: String,
    error: Option<String>,
    next: String,
    asks_email: bool,
    can_register: bool,
    providers: Vec<ProviderButton>,
}

#[derive(Template)]
#[template(path = "register.html")]
struct RegisterPage {
    page: Page,
    email: String,
    error: Option<String>,
}

#[derive(Template)]
#[template(path = "set_up.html")]
struct SetUpPage {
    page: Page,
    email: String,
    error: Option<String>,
    asks_code: bool,
}

/// Query with the path to open after sign-in.
#[derive(Deserialize, Default)]
pub(crate) struct Next {
    #[serde(default)]
    next: String,
}

/// Fields of all three forms; each uses its own.
#[derive(Deserialize)]
pub(crate) struct SignInForm {
    #[serde(default)]
    email: String,
    password: String,
    #[serde(default)]
    password_confirm: String,
    privacy: Option<String>,
    #[serde(default)]
    code: String,
    #[serde(default)]
    next: String,
}

/// Begins a session and redirects the browser. The browser's previous session ends: its cookie is
/// about to be overwritten, so it could never be signed out.
pub(super) async fn enter(
    app: &AppState,
    client: &Client,
    SessionProof(before): SessionProof,
    user: &User,
    next: &str,
) -> Result<Response, ApiError> {
    if let Some(id_hash) = before {
        accounts::end_session(&app.lede, id_hash).await?;
    }
    let session = accounts::begin_session(&app.lede, user.id).await?;
    let cookie = Cookies::of(client).set_session(&session.id);
    Ok((
        AppendHeaders([(header::SET_COOKIE, cookie)]),
        Redirect::to(local_path(next)),
    )
        .into_response())
}

/// Set-up page, which `/` shows while there is no account.
pub(super) fn set_up_page(
    client: &Client,
    page: &Page,
    email: String,
    error: Option<(StatusCode, String)>,
) -> Response {
    let (status, error) = error.map_or((StatusCode::OK, None), |(status, text)| {
        (status, Some(text))
    });
    let asks_code = SetUpCode::is_asked_of(client);
    let shown = SetUpPage {
        page: page.clone(),
        email,
        error,
        asks_code,
    };
    page.answer(status, &shown)
}

/// `POST /setup`: creates the first account.
pub(crate) async fn set_up(
    State(app): State<AppState>,
    Extension(client): Extension<Client>,
    session: SessionProof,
    page: Page,
    FormBody(form): FormBody<SignInForm>,
) -> Result<Response, ApiError> {
    let again = |status, text: String| {
        Ok(set_up_page(
            &client,
            &page,
            form.email.clone(),
            Some((status, text)),
        ))
    };
    if SetUpCode::is_asked_of(&client) {
        app.limits.sign_in(&app, &client, "set-up code")?;
        if !app.set_up_code.is(&form.code) {
            return again(StatusCode::FORBIDDEN, page.t("set-up-wrong-code").into());
        }
    }
    if form.password != form.password_confirm {
        return again(StatusCode::BAD_REQUEST, page.t("passwords-differ").into());
    }
    match accounts::set_up(&app.lede, &form.email, &Secret::new(form.password.clone())).await {
        Ok(user) => enter(&app, &client, session, &user, "/").await,
        Err(RegisterError::Store(error)) => Err(error.into()),
        Err(RegisterError::AlreadySetUp) => Ok(Redirect::to("/auth/login").into_response()),
        Err(error) => {
            let (status, text) = not_made(&page, &error);
            again(status, text.into())
        }
    }
}

/// Explains a failed registration in the language of the page.
fn not_made(page: &Page, error: &RegisterError) -> (StatusCode, Cow<'static, str>) {
    let (status, key) = match error {
        RegisterError::Email(_) => (StatusCode::BAD_REQUEST, "error-not-an-email"),
        RegisterError::Password(weak) => {
            return (StatusCode::BAD_REQUEST, page.translate(weak));
        }
        RegisterError::Taken => (StatusCode::CONFLICT, "error-email-taken"),
        RegisterError::Closed | RegisterError::AlreadySetUp => {
            (StatusCode::FORBIDDEN, "registration-closed")
        }
        RegisterError::Store(_) => (StatusCode::INTERNAL_SERVER_ERROR, "error-internal"),
    };
    (status, page.t(key))
}

fn login_form(
    app: &AppState,
    page: &Page,
    email: String,
    next: &str,
    error: Option<(StatusCode, String)>,
) -> Response {
    let (status, error) = error.map_or((StatusCode::OK, None), |(status, text)| {
        (status, Some(text))
    });
    let registration = app.lede.settings.registration;
    let providers = oidc::providers(&app.lede);
    let shown = LoginPage {
        page: page.clone(),
        email,
        error,
        next: local_path(next).to_owned(),
        asks_email: registration != Registration::SingleUser,
        can_register: registration == Registration::Open,
        providers: providers
            .map(|provider| ProviderButton {
                name: provider.name.clone(),
                label: provider.label(),
            })
            .collect(),
    };
    page.answer(status, &shown)
}

/// `GET /auth/login`: the sign-in form.
pub(crate) async fn login_page(
    State(app): State<AppState>,
    caller: Caller,
    page: Page,
    Query(Next { next }): Query<Next>,
) -> Result<Response, ApiError> {
    if caller.user().is_some() {
        return Ok(Redirect::to(local_path(&next)).into_response());
    }
    if accounts::needs_set_up(&app.lede).await? {
        return Ok(Redirect::to("/").into_response());
    }
    Ok(login_form(&app, &page, String::new(), &next, None))
}

/// `POST /auth/login`: signs in.
pub(crate) async fn login(
    State(app): State<AppState>,
    Extension(client): Extension<Client>,
    session: SessionProof,
    page: Page,
    FormBody(form): FormBody<SignInForm>,
) -> Result<Response, ApiError> {
    match check_password(&app, &client, &form.email, form.password).await {
        Ok(user) => enter(&app, &client, session, &user, &form.next).await,
        Err(error) if error.status.is_server_error() => Ok(page.error(&error)),
        Err(error) => {
            let (message, action) = page.explain(&error);
            let text = if error.status == StatusCode::TOO_MANY_REQUESTS {
                format!("{message} {action}")
            } else {
                message
            };
            let retry = error
                .into_response()
                .headers()
                .get(header::RETRY_AFTER)
                .cloned();
            let status = if retry.is_some() {
                StatusCode::TOO_MANY_REQUESTS
            } else {
                StatusCode::UNAUTHORIZED
            };
            let mut response =
                login_form(&app, &page, form.email, &form.next, Some((status, text)));
            if let Some(retry) = retry {
                response.headers_mut().insert(header::RETRY_AFTER, retry);
            }
            Ok(response)
        }
    }
}

/// `GET /auth/register`: the registration form, if registration is open.
pub(crate) async fn register_page(
    State(app): State<AppState>,
    page: Page,
) -> Result<Response, ApiError> {
    if accounts::needs_set_up(&app.lede).await? {
        return Ok(Redirect::to("/").into_response());
    }
    if app.lede.settings.registration != Registration::Open {
        return Ok(page.message(StatusCode::FORBIDDEN, "registration-closed"));
    }
    let shown = RegisterPage {
        page: page.clone(),
        email: String::new(),
        error: None,
    };
    Ok(page.answer(StatusCode::OK, &shown))
}

/// `POST /auth/register`: creates an account and signs in.
pub(crate) async fn register(
    State(app): State<AppState>,
    Extension(client): Extension<Client>,
    session: SessionProof,
    page: Page,
    FormBody(form): FormBody<SignInForm>,
) -> Result<Response, ApiError> {
    app.limits.sign_in(&app, &client, &form.email)?;
    if app.lede.settings.registration != Registration::Open {
        return Ok(page.message(StatusCode::FORBIDDEN, "registration-closed"));
    }
    let again = |status, error: String| {
        let shown = RegisterPage {
            page: page.clone(),
            email: form.email.clone(),
            error: Some(error),
        };
        Ok(page.answer(status, &shown))
    };
    if form.password != form.password_confirm {
        return again(StatusCode::BAD_REQUEST, page.t("passwords-differ").into());
    }
    if form.privacy.is_none() {
        return again(StatusCode::BAD_REQUEST, page.t("privacy-needed").into());
    }
    match accounts::register(&app.lede, &form.email, &Secret::new(form.password.clone())).await {
        Ok(user) => enter(&app, &client, session, &user, "/").await,
        Err(RegisterError::Store(error)) => Err(error.into()),
        Err(RegisterError::Closed) => {
            Ok(page.message(StatusCode::FORBIDDEN, "registration-closed"))
        }
        Err(error) => {
            let (status, text) = not_made(&page, &error);
            again(status, text.into())
        }
    }
}

/// `POST /auth/logout`: ends the session and clears the browser's data.
pub(crate) async fn logout(
    State(app): State<AppState>,
    Extension(client): Extension<Client>,
    SessionProof(session): SessionProof,
) -> Result<Response, ApiError> {
    if let Some(id_hash) = session {
        accounts::end_session(&app.lede, id_hash).await?;
    }
    let cookie: HeaderValue = Cookies::of(&client).clear_session();
    // Content cached for offline reading must not be visible to the next user of the browser.
    let forget = (
        HeaderName::from_static("clear-site-data"),
        HeaderValue::from_static("\"cache\", \"storage\""),
    );
    Ok((
        AppendHeaders([(header::SET_COOKIE, cookie), forget]),
        Redirect::to("/auth/login"),
    )
        .into_response())
}
