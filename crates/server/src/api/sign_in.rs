//! Signing in and out with JSON, and deleting one's account.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lede_core::accounts::{self, Proof};
use lede_model::ids::UserId;
use lede_model::time::Timestamp;
use lede_model::user::{Role, User};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::AppState;
use crate::accounts::{check_password, leave};
use crate::error::{ApiError, Changing, ErrorBody, JsonBody, JsonIn, SignedIn};
use crate::middleware::{Client, CurrentUser};

/// Email address and password of a user.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Credentials {
    /// Ignored in single-user mode.
    #[serde(default)]
    #[schema(max_length = 254)]
    email: String,
    #[schema(format = "password", max_length = 256)]
    password: String,
}

/// A token for the `Authorization: Bearer` header.
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenView {
    token: String,
}

/// A bearer token and its expiry.
#[derive(Serialize, ToSchema)]
pub(crate) struct LoginView {
    token: String,
    #[schema(value_type = String, format = "date-time")]
    expires_at: Timestamp,
}

/// Confirms a change that returns nothing else.
#[derive(Serialize, ToSchema)]
pub(crate) struct OkView {
    pub(super) ok: bool,
}

/// The signed-in user.
#[derive(Serialize, ToSchema)]
pub(crate) struct MeView {
    authenticated: bool,
    #[schema(value_type = i64)]
    id: UserId,
    email: String,
    #[schema(value_type = String, example = "member")]
    role: Role,
}

/// Get a token that is valid for one hour
#[utoipa::path(
    post,
    path = "/auth/token",
    operation_id = "token",
    tag = "sign-in",
    security(()),
    request_body = Credentials,
    responses(
        (status = 200, body = TokenView),
        SignedIn, JsonIn, Changing,
    )
)]
pub(crate) async fn token(
    State(app): State<AppState>,
    axum::Extension(client): axum::Extension<Client>,
    JsonBody(body): JsonBody<Credentials>,
) -> Result<Json<TokenView>, ApiError> {
    let user = check_password(&app, &client, &body.email, body.password).await?;
    let issued = accounts::issue_token(&app.lede, &user, accounts::TOKEN_LIFE).await?;
    Ok(Json(TokenView {
        token: issued.token,
    }))
}

/// Sign in and get a token that is valid for one day
#[utoipa::path(
    post,
    path = "/api/auth/login",
    operation_id = "login",
    tag = "sign-in",
    security(()),
    request_body = Credentials,
    responses(
        (status = 200, body = LoginView),
        SignedIn, JsonIn, Changing,
    )
)]
pub(crate) async fn login(
    State(app): State<AppState>,
    axum::Extension(client): axum::Extension<Client>,
    JsonBody(body): JsonBody<Credentials>,
) -> Result<Json<LoginView>, ApiError> {
    let user = check_password(&app, &client, &body.email, body.password).await?;
    let life = app.lede.settings.login_token_life;
    let issued = accounts::issue_token(&app.lede, &user, life).await?;
    Ok(Json(LoginView {
        token: issued.token,
        expires_at: issued.expires_at,
    }))
}

/// Sign out: end the token or session of this request
#[utoipa::path(
    post,
    path = "/api/auth/logout",
    operation_id = "logout",
    tag = "sign-in",
    responses(
        (status = 200, body = OkView),
        SignedIn, Changing,
    )
)]
pub(crate) async fn logout(
    State(app): State<AppState>,
    who: CurrentUser,
) -> Result<Json<OkView>, ApiError> {
    match who.proof {
        Proof::Session { id_hash, .. } => accounts::end_session(&app.lede, id_hash).await?,
        Proof::Token { jti, expires_at } => {
            accounts::revoke_token(&app.lede, jti, expires_at).await?;
        }
        // Ended in the settings, and not by the app.
        Proof::AppPassword { .. } => {}
    }
    Ok(Json(OkView { ok: true }))
}

/// Get the signed-in user
#[utoipa::path(
    get,
    path = "/api/auth/me",
    operation_id = "me",
    tag = "sign-in",
    responses(
        (status = 200, body = MeView),
        SignedIn,
    )
)]
pub(crate) async fn me(who: CurrentUser) -> Json<MeView> {
    let User {
        id, email, role, ..
    } = who.user;
    Json(MeView {
        authenticated: true,
        id,
        email,
        role,
    })
}

/// Delete your account and all its data
#[utoipa::path(
    delete,
    path = "/api/users/me",
    operation_id = "deleteMe",
    tag = "sign-in",
    responses(
        (status = 204, description = "Deleted; feeds and items that others may read stay"),
        SignedIn, Changing,
        (status = 409, body = ErrorBody, description = "The only administrator among several accounts, or the owner"),
    )
)]
pub(crate) async fn delete_me(
    State(app): State<AppState>,
    who: CurrentUser,
) -> Result<StatusCode, ApiError> {
    leave(&app, &who.user).await?;
    Ok(StatusCode::NO_CONTENT)
}
