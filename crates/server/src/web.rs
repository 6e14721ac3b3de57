//! HTML pages: server-rendered, with little script and no build step.

pub(crate) mod admin;
pub(crate) mod assets;
pub(crate) mod dashboard;
pub(crate) mod feeds;
mod i18n;
pub(crate) mod images;
pub(crate) mod keys;
pub(crate) mod labels;
mod letter_icon;
pub(crate) mod manifest;
mod messages;
pub(crate) mod notifications;
pub(crate) mod offline;
pub(crate) mod oidc;
pub(crate) mod page;
pub(crate) mod reader;
pub(crate) mod rules;
pub(crate) mod settings;
pub(crate) mod sign_in;
pub(crate) mod style;
pub(crate) mod swagger;

use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

use crate::AppState;
use crate::error::{ApiError, Category, ErrorRenderer};
pub(crate) use assets::address as asset;
pub(crate) use letter_icon::{initial, tint};
use page::Page;

/// Answers for unknown addresses.
pub(crate) async fn not_found(
    State(app): State<AppState>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    page: Page,
) -> Response {
    let unknown = app.routes.resolve(None, &method, uri.path());
    if ErrorRenderer::new(unknown.policy.errors, &headers).makes_pages() {
        return page.message(StatusCode::NOT_FOUND, "not-here");
    }
    ApiError::not_found("The address").into_response()
}

/// Fallback for unsupported methods; the router adds `Allow`.
pub(crate) async fn method_not_allowed() -> ApiError {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        Category::Validation,
        "This address does not take that method.",
        "The Allow header says which it takes.",
    )
}
