//! Health, metrics and the OpenAPI description.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use lede_core::maintenance::status;
use lede_store::users;
use serde::Serialize;
use subtle::ConstantTimeEq as _;
use utoipa::ToSchema;

use crate::AppState;
use crate::error::{ApiError, ErrorBody};
use crate::middleware::{Client, bearer_token, is_in};

/// Health of the process and its database.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`, or `unavailable` with status 503.
    #[schema(example = "ok")]
    status: &'static str,
    /// State of the database: `ok`, or `unavailable` with status 503.
    #[schema(example = "ok")]
    db: &'static str,
    /// True if changes are refused because the disk is almost full.
    read_only: bool,
    /// Version of Lede.
    version: &'static str,
}

/// Check that Lede and its database respond
#[utoipa::path(
    get,
    path = "/health",
    operation_id = "health",
    tag = "system",
    security(()),
    responses((status = 200, body = Health), (status = 503, body = Health))
)]
pub(crate) async fn health(State(app): State<AppState>) -> Response {
    let (status, word) = match store_answers(&app).await {
        true => (StatusCode::OK, "ok"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
    };
    (
        status,
        Json(Health {
            status: word,
            db: word,
            read_only: app.lede.disk.is_full(),
            version: env!("CARGO_PKG_VERSION"),
        }),
    )
        .into_response()
}

async fn store_answers(app: &AppState) -> bool {
    match app.lede.store.read(users::count).await {
        Ok(_) => true,
        Err(error) => {
            tracing::error!(%error, "the store does not answer");
            false
        }
    }
}

/// Health of the process and its database, with `error` in place of `unavailable`.
#[derive(Serialize, ToSchema)]
pub(crate) struct ApiHealth {
    /// `ok`, or `error` with status 503.
    #[schema(example = "ok")]
    status: &'static str,
    /// State of the database: `ok`, or `error` with status 503.
    #[schema(example = "ok")]
    db: &'static str,
}

/// Check that Lede and its database respond; `/health` with another word for a failure
#[utoipa::path(
    get,
    path = "/api/health",
    operation_id = "apiHealth",
    tag = "system",
    security(()),
    responses((status = 200, body = ApiHealth), (status = 503, body = ApiHealth))
)]
pub(crate) async fn api_health(State(app): State<AppState>) -> Response {
    let (status, word) = match store_answers(&app).await {
        true => (StatusCode::OK, "ok"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "error"),
    };
    let body = ApiHealth {
        status: word,
        db: word,
    };
    (status, Json(body)).into_response()
}

/// Media type by which a scraper requests OpenMetrics.
const OPEN_METRICS: &str = "application/openmetrics-text";

/// Prometheus metrics, for loopback, allowed networks and holders of the token
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "metrics",
    tag = "system",
    security((), ("bearer" = [])),
    responses(
        (status = 200, description = "Prometheus text 0.0.4, or OpenMetrics where `Accept` asks for it", content(
            (String = "text/plain"),
            (String = "application/openmetrics-text"),
        )),
        (status = 403, body = ErrorBody),
        (status = 429, body = ErrorBody),
    )
)]
pub(crate) async fn metrics(
    State(app): State<AppState>,
    axum::Extension(client): axum::Extension<Client>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let shows_token = app.settings.metrics_token.as_ref().is_some_and(|expected| {
        headers
            .get(header::AUTHORIZATION)
            .and_then(|value| bearer_token(value.to_str().unwrap_or_default()))
            .is_some_and(|shown| shown.as_bytes().ct_eq(expected.reveal().as_bytes()).into())
    });
    if !client.is_local && !is_in(client.ip, &app.settings.metrics_allowed) && !shows_token {
        let action = "Ask from this machine, list your network in METRICS_ALLOWED_CIDRS or send METRICS_TOKEN.";
        return Err(ApiError::forbidden(
            "Metrics are not shown to this address.",
            action,
        ));
    }
    status::observe(&app.lede).await?;
    let metrics = &app.lede.metrics;
    let accepts_open_metrics = headers.get_all(header::ACCEPT).iter().any(|accept| {
        accept
            .to_str()
            .is_ok_and(|accept| accept.contains(OPEN_METRICS))
    });
    let (content_type, text) = match accepts_open_metrics {
        true => (
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
            metrics.open_metrics(),
        ),
        false => (
            "text/plain; version=0.0.4; charset=utf-8",
            metrics.prometheus_text(),
        ),
    };
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::VARY, "Accept"),
    ];
    Ok((headers, text).into_response())
}

/// `GET /openapi.json`: description of every JSON endpoint, generated from the code.
pub(crate) async fn open_api(State(app): State<AppState>) -> Response {
    described(&app, "application/json")
}

/// `GET /openapi.yaml`: the same document, because JSON is valid YAML.
pub(crate) async fn open_api_yaml(State(app): State<AppState>) -> Response {
    described(&app, "application/yaml")
}

fn described(app: &AppState, media_type: &'static str) -> Response {
    let media_type = HeaderValue::from_static(media_type);
    let headers = [(header::CONTENT_TYPE, media_type)];
    (headers, app.open_api.to_string()).into_response()
}

/// `GET /swagger`: accepts the address without its trailing slash.
pub(crate) async fn swagger_redirect() -> Redirect {
    Redirect::permanent("/swagger/")
}
