//! Latest digest on the dashboard. Digests cannot be generated yet: this is only their place on the
//! page, and the messages until then.

use std::borrow::Cow;
use std::time::Duration;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use lede_core::reading;

use crate::AppState;
use crate::error::ApiError;
use crate::middleware::CurrentUser;
use crate::web::page::Page;

/// True if digests can be generated. The button is hidden while it could only fail; a client that
/// sends the request anyway gets the usual error response.
const CAN_GENERATE: bool = false;

/// Period that a digest covers.
const SPAN: Duration = Duration::from_secs(24 * 3600);

#[derive(Template)]
#[template(path = "dashboard/summary.html")]
struct Summary<'a> {
    page: &'a Page,
    /// True if the button for generating a digest is shown.
    can_generate: bool,
    /// Error message and its remedy.
    error: Option<(Cow<'static, str>, Cow<'static, str>)>,
}

/// `GET /summaries/latest`
pub(crate) async fn latest(_: CurrentUser, page: Page) -> Response {
    let nothing = Summary {
        page: &page,
        can_generate: CAN_GENERATE,
        error: None,
    };
    page.answer(StatusCode::OK, &nothing)
}

/// `POST /summaries`
pub(crate) async fn generate(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
) -> Response {
    let since = app.lede.clock.now() - SPAN;
    let (status, key) = match reading::has_items_since(&app.lede, who.user.id, since).await {
        Ok(false) => (StatusCode::NOT_FOUND, "dashboard-summary-nothing"),
        Ok(true) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "dashboard-summary-unavailable",
        ),
        Err(error) => (
            ApiError::internal(&error).status,
            "dashboard-summary-failed",
        ),
    };
    let remedy = page.t(&format!("{key}.action"));
    let refused = Summary {
        page: &page,
        can_generate: CAN_GENERATE,
        error: Some((page.t(key), remedy)),
    };
    page.answer(status, &refused)
}
