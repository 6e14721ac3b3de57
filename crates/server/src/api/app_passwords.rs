//! App passwords, for clients that use the compatibility APIs of other feed readers.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lede_core::accounts::app_passwords::{self, AddError};
use lede_model::app_password::{AppPassword, Scope};
use lede_model::ids::AppPasswordId;
use lede_model::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::removed;
use crate::AppState;
use crate::error::{
    ApiError, ById, Category, Changing, ErrorBody, JsonBody, JsonIn, PathOf, SignedIn,
};
use crate::input::checked_name;
use crate::input::present::name_schema;
use crate::middleware::CurrentUser;

/// An app password, without the password itself.
#[derive(Serialize, ToSchema)]
pub(crate) struct AppPasswordView {
    #[schema(value_type = i64)]
    id: AppPasswordId,
    name: String,
    /// `read`, or `write`, which also permits changes.
    #[schema(value_type = String, pattern = "^(read|write)$")]
    scope: Scope,
    #[schema(value_type = String, format = "date-time")]
    created_at: Timestamp,
    /// Time of the last use, to the hour; null if never used.
    #[schema(value_type = Option<String>, format = "date-time")]
    used_at: Option<Timestamp>,
}

impl From<AppPassword> for AppPasswordView {
    fn from(kept: AppPassword) -> Self {
        Self {
            id: kept.id,
            name: kept.name,
            scope: kept.scope,
            created_at: kept.created_at,
            used_at: kept.used_at,
        }
    }
}

/// A new app password, with the password itself.
#[derive(Serialize, ToSchema)]
pub(crate) struct NewAppPasswordView {
    #[serde(flatten)]
    kept: AppPasswordView,
    /// Shown only in this response. The user name that belongs to it is your email address.
    #[schema(example = "k7fm-x2qd-9rtc-hw4n-pz8s-b3vy-ge6j")]
    password: String,
}

/// Name and scope of a new app password.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewAppPasswordBody {
    /// The app or device that will use it.
    #[schema(schema_with = name_schema)]
    name: String,
    /// `read`, or `write`, which also permits changes.
    #[serde(default)]
    #[schema(value_type = String, pattern = "^(read|write)$", default = "write")]
    scope: Scope,
}

/// List your app passwords, without the passwords themselves
#[utoipa::path(
    get,
    path = "/api/app-passwords",
    operation_id = "appPasswords",
    tag = "sign-in",
    responses(
        (status = 200, body = Vec<AppPasswordView>),
        SignedIn,
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    who: CurrentUser,
) -> Result<Json<Vec<AppPasswordView>>, ApiError> {
    let found = app_passwords::list(&app.lede, who.user.id).await?;
    Ok(Json(found.into_iter().map(Into::into).collect()))
}

/// Create a password for one app; it is shown once
#[utoipa::path(
    post,
    path = "/api/app-passwords",
    operation_id = "addAppPassword",
    tag = "sign-in",
    request_body = NewAppPasswordBody,
    responses(
        (status = 201, body = NewAppPasswordView),
        (status = 409, body = ErrorBody, description = "You have 50, which is the limit"),
        SignedIn, JsonIn, Changing,
    )
)]
pub(crate) async fn add(
    State(app): State<AppState>,
    who: CurrentUser,
    JsonBody(body): JsonBody<NewAppPasswordBody>,
) -> Result<(StatusCode, Json<NewAppPasswordView>), ApiError> {
    let name = checked_name(&body.name)?;
    let added = app_passwords::add(&app.lede, &who.user, &name, body.scope).await;
    let (kept, password) = added?;
    let view = NewAppPasswordView {
        kept: kept.into(),
        password: password.reveal().to_owned(),
    };
    Ok((StatusCode::CREATED, Json(view)))
}

impl From<AddError> for ApiError {
    fn from(error: AddError) -> Self {
        let message = error.to_string();
        match error {
            AddError::Name => Self::field("name", message),
            AddError::LimitReached => Self::new(
                StatusCode::CONFLICT,
                "limit_reached",
                Category::Validation,
                message,
                "Delete one that no app uses any more.",
            ),
            AddError::Store(error) => error.into(),
        }
    }
}

/// Delete an app password; the app that uses it loses access at once
#[utoipa::path(
    delete,
    path = "/api/app-passwords/{id}",
    operation_id = "deleteAppPassword",
    tag = "sign-in",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 204, description = "Deleted"),
        SignedIn, ById, Changing,
    )
)]
pub(crate) async fn remove(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(id): PathOf<AppPasswordId>,
) -> Result<StatusCode, ApiError> {
    let was_there = app_passwords::remove(&app.lede, who.user.id, id).await?;
    removed(was_there, "The app password")
}
