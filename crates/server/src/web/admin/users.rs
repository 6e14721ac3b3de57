//! `/admin/users`: the accounts of the instance and their roles.

use std::borrow::Cow;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use lede_core::Registration;
use lede_core::accounts::RegisterError;
use lede_core::accounts::people::{self, RoleError};
use lede_model::ids::UserId;
use lede_model::secret::Secret;
use lede_model::time::Timestamp;
use lede_model::user::Role;
use lede_store::users::Listed;
use serde::Deserialize;

use super::role_name;
use crate::AppState;
use crate::accounts::leave;
use crate::error::{ApiError, Category, FormBody, PathOf, QueryOf};
use crate::middleware::CurrentUser;
use crate::web::i18n::sentence;
use crate::web::page::Page;

/// Number of accounts per page.
const PAGE: i64 = 50;

#[derive(Template)]
#[template(path = "admin/users.html")]
struct UsersPage {
    page: Page,
    section: &'static str,
    here: &'static str,
    now: Timestamp,
    error: Option<String>,
    confirmation: Option<Cow<'static, str>>,
    /// Submitted email address of the form for a new account.
    email: String,
    people: Vec<Listed>,
    /// Start of the next page.
    next: Option<UserId>,
    is_first: bool,
    me: UserId,
    is_single_user: bool,
}

impl UsersPage {
    fn role(&self, role: Role) -> Cow<'static, str> {
        role_name(&self.page, role)
    }

    fn roles(&self) -> [Role; 3] {
        [Role::Member, Role::Viewer, Role::Admin]
    }
}

/// Start of the page, and the code of the change that was just made.
#[derive(Deserialize)]
pub(crate) struct UsersQuery {
    #[serde(default)]
    after: i64,
    #[serde(default)]
    done: String,
}

/// Request for the page or for one of its forms.
#[derive(axum::extract::FromRequestParts)]
#[from_request(state(AppState))]
pub(crate) struct AdminRequest {
    #[from_request(via(State))]
    app: AppState,
    who: CurrentUser,
    page: Page,
}

impl AdminRequest {
    async fn show(
        self,
        status: StatusCode,
        query: UsersQuery,
        error: Option<String>,
        email: String,
    ) -> Result<Response, ApiError> {
        let lede = &self.app.lede;
        let mut people = people::page(lede, query.after, PAGE + 1).await?;
        let has_more = people.len() > PAGE as usize;
        people.truncate(PAGE as usize);
        let shown = UsersPage {
            section: "admin",
            here: "users",
            now: lede.clock.now(),
            error,
            confirmation: confirmation(&self.page, &query.done),
            email,
            next: people
                .last()
                .filter(|_| has_more)
                .map(|listed| listed.user.id),
            people,
            is_first: query.after == 0,
            me: self.who.user.id,
            is_single_user: lede.settings.registration == Registration::SingleUser,
            page: self.page.clone(),
        };
        Ok(self.page.answer(status, &shown))
    }

    /// Responds to a form: a redirect to the list, or the list with an error.
    async fn after(
        self,
        outcome: Result<(), ApiError>,
        word: &str,
        email: String,
    ) -> Result<Response, ApiError> {
        let error = match outcome {
            Ok(()) => {
                let list = format!("/admin/users?done={word}");
                return Ok(Redirect::to(&list).into_response());
            }
            Err(error) if error.status.is_server_error() => return Ok(self.page.error(&error)),
            Err(error) => error,
        };
        let (message, action) = self.page.explain(&error);
        let query = UsersQuery {
            after: 0,
            done: String::new(),
        };
        let text = format!("{message} {action}");
        self.show(error.status, query, Some(text), email).await
    }

    /// Refuses changes to the admin's own account, which would lock them out if made by mistake.
    /// The settings page is for that.
    fn is_other_user(&self, number: i64) -> Result<(), ApiError> {
        if self.who.user.id.as_i64() != number {
            return Ok(());
        }
        Err(ApiError::new(
            StatusCode::CONFLICT,
            "own_account",
            Category::Auth,
            "This is your own account.",
            "Change it in your settings, or ask another administrator.",
        ))
    }
}

fn confirmation(page: &Page, code: &str) -> Option<Cow<'static, str>> {
    let key = match code {
        "added" => "admin-done-added",
        "role" => "admin-done-role",
        "password" => "admin-done-password",
        "removed" => "admin-done-removed",
        _ => return None,
    };
    Some(page.t(key))
}

/// `GET /admin/users`: a page of the list.
pub(crate) async fn page(
    visit: AdminRequest,
    QueryOf(query): QueryOf<UsersQuery>,
) -> Result<Response, ApiError> {
    visit.show(StatusCode::OK, query, None, String::new()).await
}

#[derive(Deserialize)]
pub(crate) struct NewAccountForm {
    email: String,
    password: String,
    role: String,
}

fn not_made(error: RegisterError) -> ApiError {
    let message = sentence(&error.to_string());
    let weak = match &error {
        RegisterError::Password(weak) => Some(weak.clone()),
        _ => None,
    };
    let (status, code, action) = match error {
        RegisterError::Store(error) => return error.into(),
        RegisterError::Email(_) => (
            StatusCode::BAD_REQUEST,
            "not_an_email",
            "Type it like this: name@example.org.",
        ),
        RegisterError::Password(_) => (
            StatusCode::BAD_REQUEST,
            "weak_password",
            "Nothing was changed.",
        ),
        RegisterError::Taken => (
            StatusCode::CONFLICT,
            "email_taken",
            "You will find it in the list.",
        ),
        RegisterError::Closed | RegisterError::AlreadySetUp => (
            StatusCode::CONFLICT,
            "single_user",
            "Remove the setting APP_PASSWORD to have several accounts.",
        ),
    };
    ApiError::new(status, code, Category::Validation, message, action).with_message(weak)
}

/// `POST /admin/users`: creates an account.
pub(crate) async fn add(
    visit: AdminRequest,
    FormBody(form): FormBody<NewAccountForm>,
) -> Result<Response, ApiError> {
    let (password, role) = (Secret::new(form.password), Role::from_word(&form.role));
    let added = people::add(&visit.app.lede, &form.email, &password, role).await;
    let added = added.map(drop).map_err(not_made);
    visit.after(added, "added", form.email).await
}

#[derive(Deserialize)]
pub(crate) struct RoleForm {
    role: String,
}

fn not_changed(error: RoleError) -> ApiError {
    let message = sentence(&error.to_string());
    match error {
        RoleError::Store(error) => error.into(),
        RoleError::NoSuchAccount => ApiError::not_found("The account"),
        RoleError::LastAdmin => ApiError::new(
            StatusCode::CONFLICT,
            "last_admin",
            Category::Auth,
            message,
            "Make someone else an administrator first.",
        ),
    }
}

/// `POST /admin/users/{id}/role`: changes the role of an account.
pub(crate) async fn set_role(
    visit: AdminRequest,
    PathOf(number): PathOf<i64>,
    FormBody(form): FormBody<RoleForm>,
) -> Result<Response, ApiError> {
    let changed = match visit.is_other_user(number) {
        Ok(()) => people::set_role(&visit.app.lede, number, Role::from_word(&form.role))
            .await
            .map_err(not_changed),
        Err(error) => Err(error),
    };
    visit.after(changed, "role", String::new()).await
}

#[derive(Deserialize)]
pub(crate) struct PasswordForm {
    password: String,
}

/// `POST /admin/users/{id}/password`: resets the password of an account.
pub(crate) async fn set_password(
    visit: AdminRequest,
    PathOf(number): PathOf<i64>,
    FormBody(form): FormBody<PasswordForm>,
) -> Result<Response, ApiError> {
    let changed = match visit.is_other_user(number) {
        Ok(()) => {
            let password = Secret::new(form.password);
            let reset = people::reset_password(&visit.app.lede, number, &password).await;
            reset.map_err(ApiError::from)
        }
        Err(error) => Err(error),
    };
    visit.after(changed, "password", String::new()).await
}

/// `POST /admin/users/{id}/delete`: deletes an account.
pub(crate) async fn remove(
    visit: AdminRequest,
    PathOf(number): PathOf<i64>,
) -> Result<Response, ApiError> {
    let removed = match visit.is_other_user(number) {
        Ok(()) => match people::find(&visit.app.lede, number).await? {
            Some(user) => leave(&visit.app, &user).await,
            None => Err(ApiError::not_found("The account")),
        },
        Err(error) => Err(error),
    };
    visit.after(removed, "removed", String::new()).await
}
