//! The latest digest. There is nobody yet who writes one: what is here is its place on the page, and
//! what is said until then.

use std::borrow::Cow;
use std::time::Duration;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use lede_core::reading;

use crate::Doors;
use crate::error::ApiError;
use crate::guard::Reader;
use crate::web::page::Page;

/// Whether there is somebody to write one. A button that can only fail is not shown; whoever sends the
/// request without it is answered as ever.
const CAN_GENERATE: bool = false;

/// A digest tells of what came since then.
const SPAN: Duration = Duration::from_secs(24 * 3600);

#[derive(Template)]
#[template(path = "dashboard/summary.html")]
struct Summary<'a> {
    page: &'a Page,
    /// Whether somebody can have one written.
    can_generate: bool,
    /// What went wrong, and what can be done about it.
    error: Option<(Cow<'static, str>, Cow<'static, str>)>,
}

/// `GET /summaries/latest`
pub(crate) async fn latest(_: Reader, page: Page) -> Response {
    let nothing = Summary {
        page: &page,
        can_generate: CAN_GENERATE,
        error: None,
    };
    page.answer(StatusCode::OK, &nothing)
}

/// `POST /summaries`
pub(crate) async fn generate(State(doors): State<Doors>, who: Reader, page: Page) -> Response {
    let since = doors.lede.clock.now() - SPAN;
    let (status, key) = match reading::has_items_since(&doors.lede, who.user.id, since).await {
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
    let remedy = page.say(&format!("{key}.action"));
    let refused = Summary {
        page: &page,
        can_generate: CAN_GENERATE,
        error: Some((page.say(key), remedy)),
    };
    page.answer(status, &refused)
}
