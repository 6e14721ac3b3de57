//! Settings page of a user: display, account, sessions, app passwords, export and import.
//!
//! Each part is a form that works without script; with script, changes are saved at once.

pub(crate) mod account;
pub(in crate::web) mod choices;
pub(crate) mod keys;
pub(crate) mod services;
pub(crate) mod style;

use std::borrow::Cow;

use askama::Template;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use lede_core::Registration;
use lede_core::accounts::{self, app_passwords, oidc};
use lede_model::app_password::{AppPassword, Scope};
use lede_model::time::Timestamp;
use lede_model::user::{Role, User};
use serde::Deserialize;

use super::i18n::sentence;
use super::page::Page;
use crate::AppState;
use crate::error::{ApiError, FormBody, QueryOf};
use crate::input::preferences;
use crate::middleware::{Client, CurrentUser, SessionProof};
use choices::Group;

/// Confirmations after a form was submitted: code in the URL, part of the page, message key.
const SAID: [(&str, &str, &str); 13] = [
    ("looks", "looks", "saved"),
    ("style", "looks", "settings-done-style"),
    ("lists", "lists", "saved"),
    ("articles", "articles", "saved"),
    ("keyboard", "keyboard", "saved"),
    ("keys", "keyboard", "settings-done-keys"),
    ("service", "services", "settings-done-service"),
    ("no-service", "services", "settings-done-no-service"),
    ("password", "account", "settings-done-password"),
    ("session", "sessions", "settings-done-session"),
    ("sessions", "sessions", "settings-done-sessions"),
    ("app", "apps", "settings-done-app"),
    ("import", "data", "settings-takeout-done"),
];

/// Outcome of the last form, shown in the part of the page that it belongs to.
#[derive(Default)]
struct FormOutcome {
    part: &'static str,
    /// Confirmation of what was done.
    confirmation: Option<Cow<'static, str>>,
    /// Exceptions to it, one per line.
    except: Vec<String>,
    /// Error message with its remedy.
    error: Option<String>,
    /// Fields of a form that was refused, to be corrected.
    typed: Vec<(String, String)>,
    /// Names of the invalid ones among them.
    wrong: Vec<String>,
    /// An app password that was just created; it is not shown again.
    app_password: Option<(AppPassword, String)>,
}

impl FormOutcome {
    fn after(page: &Page, word: &str) -> Self {
        let found = SAID.iter().find(|(known, ..)| *known == word);
        found.map_or_else(Self::default, |(_, part, key)| Self {
            part,
            confirmation: Some(page.t(key)),
            ..Self::default()
        })
    }

    fn failed(page: &Page, part: &'static str, error: &ApiError) -> Self {
        let (message, action) = page.explain(error);
        Self {
            part,
            error: Some(format!("{message} {action}")),
            ..Self::default()
        }
    }

    fn is_in(&self, part: &str) -> bool {
        self.part == part
    }

    /// Returns the submitted value of a field.
    fn typed(&self, name: &str) -> Option<&str> {
        let field = self.typed.iter().find(|(typed, _)| typed == name);
        field.map(|(_, text)| text.as_str())
    }
}

/// An OpenID provider that the account is or could be linked to.
struct LinkedProvider {
    name: String,
    label: String,
    is_linked: bool,
}

/// A browser session of the user.
struct Browser {
    /// Hash of its cookie, in hexadecimal digits.
    id: String,
    begun_at: Timestamp,
    used_at: Timestamp,
    is_this: bool,
}

#[derive(Template)]
#[template(path = "settings/page.html")]
struct SettingsPage {
    page: Page,
    section: &'static str,
    now: Timestamp,
    outcome: FormOutcome,
    groups: Vec<Group>,
    keys: Vec<keys::KeyField>,
    ready_made: Vec<services::Offer>,
    role: Cow<'static, str>,
    has_password: bool,
    is_single_user: bool,
    providers: Vec<LinkedProvider>,
    browsers: Vec<Browser>,
    app_passwords: Vec<AppPassword>,
    base_url: String,
}

impl SettingsPage {
    fn scope(&self, password: &AppPassword) -> Cow<'static, str> {
        self.page.t(match password.scope {
            Scope::Read => "settings-scope-read",
            Scope::Write => "settings-scope-write",
        })
    }
}

/// Returns the display name of a role.
pub(super) fn role_name(page: &Page, role: Role) -> Cow<'static, str> {
    page.t(match role {
        Role::Admin => "role-admin",
        Role::Member => "role-member",
        Role::Viewer => "role-viewer",
    })
}

/// Request for the settings page or for one of its forms.
#[derive(axum::extract::FromRequestParts)]
#[from_request(state(AppState))]
pub(crate) struct SettingsRequest {
    #[from_request(via(State))]
    app: AppState,
    #[from_request(via(Extension))]
    client: Client,
    who: CurrentUser,
    session: SessionProof,
    page: Page,
}

impl SettingsRequest {
    fn user(&self) -> &User {
        &self.who.user
    }

    /// Renders the whole page.
    async fn show(self, status: StatusCode, outcome: FormOutcome) -> Result<Response, ApiError> {
        let (lede, id) = (&self.app.lede, self.user().id);
        let linked = accounts::linked_providers(lede, id).await?;
        let providers = oidc::providers(lede).map(|provider| LinkedProvider {
            is_linked: linked.contains(&provider.name),
            label: provider.label(),
            name: provider.name.clone(),
        });
        let sessions = accounts::sessions_of(lede, id).await?;
        let browsers = sessions.into_iter().map(|listed| Browser {
            id: hex(&listed.id_hash),
            begun_at: listed.begun_at,
            used_at: listed.used_at,
            is_this: self.session.0 == Some(listed.id_hash),
        });
        let shown = SettingsPage {
            section: "settings",
            now: lede.clock.now(),
            keys: keys::fields(&self.page, &outcome),
            ready_made: services::offers(&self.page, &outcome),
            outcome,
            groups: choices::groups(&self.page),
            role: role_name(&self.page, self.user().role),
            has_password: accounts::has_password(lede, id).await?,
            is_single_user: lede.settings.registration == Registration::SingleUser,
            providers: providers.collect(),
            browsers: browsers.collect(),
            app_passwords: app_passwords::list(lede, id).await?,
            base_url: lede.settings.base_url.as_str().to_owned(),
            page: self.page.clone(),
        };
        Ok(self.page.answer(status, &shown))
    }

    /// Renders the page with an error in the part that it belongs to.
    async fn refuse(self, part: &'static str, error: ApiError) -> Result<Response, ApiError> {
        if error.status.is_server_error() {
            return Ok(self.page.error(&error));
        }
        let outcome = FormOutcome::failed(&self.page, part, &error);
        self.show(error.status, outcome).await
    }

    /// Same, for a form that keeps its input. Nothing was changed.
    async fn mend(
        self,
        part: &'static str,
        why: &str,
        typed: Vec<(String, String)>,
        wrong: Vec<String>,
    ) -> Result<Response, ApiError> {
        let unchanged = self.page.t("settings-unchanged");
        let outcome = FormOutcome {
            part,
            error: Some(format!("{} {unchanged}", sentence(why))),
            typed,
            wrong,
            ..FormOutcome::default()
        };
        self.show(StatusCode::BAD_REQUEST, outcome).await
    }
}

/// Redirects to a part of the page, which then shows the confirmation.
fn done(word: &str) -> Response {
    let part = SAID.iter().find(|(known, ..)| *known == word);
    let part = part.map_or("", |(_, part, _)| part);
    Redirect::to(&format!("/settings?done={word}#{part}")).into_response()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Query with the code of the change that was just made.
#[derive(Deserialize)]
pub(crate) struct SettingsQuery {
    #[serde(default)]
    done: String,
}

/// `GET /settings`: the page, with a confirmation after a form.
pub(crate) async fn page(
    visit: SettingsRequest,
    QueryOf(SettingsQuery { done }): QueryOf<SettingsQuery>,
) -> Result<Response, ApiError> {
    let outcome = FormOutcome::after(&visit.page, &done);
    visit.show(StatusCode::OK, outcome).await
}

/// `POST /settings`: saves a group of preferences, for browsers without script.
pub(crate) async fn save(
    visit: SettingsRequest,
    FormBody(fields): FormBody<Vec<(String, String)>>,
) -> Result<Response, ApiError> {
    let group = choices::group_of(&fields);
    let saved = match choices::body(fields) {
        Ok(body) => preferences::change(&visit.app, visit.user(), body).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => Ok(done(group)),
        Err(error) => visit.refuse(group, error).await,
    }
}
