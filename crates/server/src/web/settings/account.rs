//! Forms of the account: password, sessions, app passwords, takeout import and deletion.

use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use lede_core::accounts::{self, PasswordError, app_passwords};
use lede_core::takeout::RefusedEntry;
use lede_model::app_password::Scope;
use lede_model::ids::AppPasswordId;
use lede_model::secret::Secret;
use serde::Deserialize;

use super::{FormOutcome, SettingsRequest, done};
use crate::accounts::leave;
use crate::error::{ApiError, Category, FormBody, PathOf};
use crate::input::takeout;
use crate::middleware::{Cookies, CurrentUser};

/// `GET /account`: a shorter name for a part of the settings, which sign-in at a provider leads back to.
pub(crate) async fn redirect(_: CurrentUser) -> Redirect {
    Redirect::to("/settings#account")
}

#[derive(Deserialize)]
pub(crate) struct PasswordForm {
    current: String,
    password: String,
    password_confirm: String,
}

impl From<PasswordError> for ApiError {
    fn from(error: PasswordError) -> Self {
        let message = crate::web::i18n::sentence(&error.to_string());
        let weak = match &error {
            PasswordError::Weak(weak) => Some(weak.clone()),
            _ => None,
        };
        let (status, code, action) = match error {
            PasswordError::Store(error) => return error.into(),
            PasswordError::NoSuchAccount => return Self::not_found("The account"),
            PasswordError::WrongCurrent => (
                StatusCode::FORBIDDEN,
                "wrong_password",
                "Type the one you signed in with.",
            ),
            PasswordError::Weak(_) => (
                StatusCode::BAD_REQUEST,
                "weak_password",
                "Nothing was changed.",
            ),
            PasswordError::Owner => (
                StatusCode::CONFLICT,
                "single_user",
                "Change the setting and start Lede again.",
            ),
        };
        Self::new(status, code, Category::Auth, message, action).with_message(weak)
    }
}

/// Error for a form whose two passwords differ.
pub(in crate::web) fn differ() -> ApiError {
    ApiError::new(
        StatusCode::BAD_REQUEST,
        "passwords_differ",
        Category::Validation,
        "The two passwords differ.",
        "Type the new one twice.",
    )
}

/// `POST /settings/password`: signs out every other browser; this one continues in a new session.
pub(crate) async fn change_password(
    visit: SettingsRequest,
    FormBody(form): FormBody<PasswordForm>,
) -> Result<Response, ApiError> {
    match try_password(&visit, form).await {
        Ok(()) => {
            let session = accounts::begin_session(&visit.app.lede, visit.user().id).await?;
            let cookie = Cookies::of(&visit.client).set_session(&session.id);
            let cookie = AppendHeaders([(header::SET_COOKIE, cookie)]);
            Ok((cookie, done("password")).into_response())
        }
        Err(error) => visit.refuse("account", error).await,
    }
}

async fn try_password(visit: &SettingsRequest, form: PasswordForm) -> Result<(), ApiError> {
    let user = visit.user();
    // A signed-in browser must not help an attacker to guess the password.
    let limits = &visit.app.limits;
    limits.sign_in(&visit.app, &visit.client, &user.email)?;
    if form.password != form.password_confirm {
        return Err(differ());
    }
    let (current, new) = (Secret::new(form.current), Secret::new(form.password));
    accounts::change_password(&visit.app.lede, user, &current, &new).await?;
    Ok(())
}

/// `POST /settings/sessions/{id}/end`: signs out one browser.
pub(crate) async fn end_session(
    visit: SettingsRequest,
    PathOf(id): PathOf<String>,
) -> Result<Response, ApiError> {
    let Some(id_hash) = bytes(&id) else {
        return visit
            .refuse("sessions", ApiError::not_found("The session"))
            .await;
    };
    let (lede, user) = (&visit.app.lede, visit.user().id);
    if accounts::end_session_of(lede, user, id_hash).await? {
        Ok(done("session"))
    } else {
        let gone = ApiError::not_found("The session");
        visit.refuse("sessions", gone).await
    }
}

/// Parses the hexadecimal hash of a session.
fn bytes(digits: &str) -> Option<[u8; 32]> {
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    let mut bytes = [0; 32];
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).ok()?;
    }
    Some(bytes)
}

/// `POST /settings/sessions/end-others`: signs out every other browser.
pub(crate) async fn end_other_sessions(visit: SettingsRequest) -> Result<Response, ApiError> {
    let (lede, user) = (&visit.app.lede, visit.user().id);
    // Pages are requested with a session; without one there is none to spare.
    let kept = visit.session.0.unwrap_or_default();
    accounts::end_other_sessions(lede, user, kept).await?;
    Ok(done("sessions"))
}

#[derive(Deserialize)]
pub(crate) struct AppPasswordForm {
    name: String,
    scope: Scope,
}

/// `POST /settings/app-passwords`: shows the page with the new password, which is not shown again.
pub(crate) async fn add_app_password(
    visit: SettingsRequest,
    FormBody(form): FormBody<AppPasswordForm>,
) -> Result<Response, ApiError> {
    let lede = &visit.app.lede;
    match app_passwords::add(lede, visit.user(), &form.name, form.scope).await {
        Ok((kept, password)) => {
            let outcome = FormOutcome {
                part: "apps",
                app_password: Some((kept, password.reveal().to_owned())),
                ..FormOutcome::default()
            };
            visit.show(StatusCode::CREATED, outcome).await
        }
        Err(error) => visit.refuse("apps", error.into()).await,
    }
}

/// `POST /settings/app-passwords/{id}/delete`: deletes an app password.
pub(crate) async fn remove_app_password(
    visit: SettingsRequest,
    PathOf(id): PathOf<AppPasswordId>,
) -> Result<Response, ApiError> {
    if app_passwords::remove(&visit.app.lede, visit.user().id, id).await? {
        return Ok(done("app"));
    }
    let gone = ApiError::not_found("The app password");
    visit.refuse("apps", gone).await
}

#[derive(Deserialize)]
pub(crate) struct LeaveForm {
    #[serde(default)]
    email: String,
}

/// `POST /account/delete`: requires the account's email address as a confirmation.
pub(crate) async fn delete(
    visit: SettingsRequest,
    FormBody(form): FormBody<LeaveForm>,
) -> Result<Response, ApiError> {
    let is_meant = form.email.trim().to_lowercase() == visit.user().email;
    let left = if is_meant {
        leave(&visit.app, visit.user()).await
    } else {
        Err(ApiError::new(
            StatusCode::BAD_REQUEST,
            "not_confirmed",
            Category::Validation,
            "That is not the address of this account, so nothing was deleted.",
            "To delete the account, type its address exactly as shown above.",
        ))
    };
    match left {
        Ok(()) => {
            let cookie = Cookies::of(&visit.client).clear_session();
            let cookie = AppendHeaders([(header::SET_COOKIE, cookie)]);
            Ok((cookie, Redirect::to("/")).into_response())
        }
        Err(error) => visit.refuse("leave", error).await,
    }
}

/// `POST /settings/import`: imports a takeout.
pub(crate) async fn import(visit: SettingsRequest, request: Request) -> Result<Response, ApiError> {
    let imported = async {
        visit.app.limits.feed_work(&visit.app, visit.user())?;
        let file = takeout::uploaded(request).await?;
        takeout::import_file(&visit.app, visit.user(), file).await
    };
    match imported.await {
        Ok(imported) if imported.errors.is_empty() => Ok(done("import")),
        Ok(imported) => {
            let line = |error: RefusedEntry| {
                let reason = visit.page.translate(&error.reason);
                format!("{} {}: {reason}", error.list, error.entry)
            };
            let outcome = FormOutcome {
                part: "data",
                confirmation: Some(visit.page.t("settings-takeout-some")),
                except: imported.errors.into_iter().map(line).collect(),
                ..FormOutcome::default()
            };
            visit.show(StatusCode::OK, outcome).await
        }
        Err(error) => visit.refuse("data", error).await,
    }
}
