//! The list of notifications in the bell.

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use lede_core::notifications::{self, Notification};
use lede_store::notifications::NotificationFilter;

use super::page::Page;
use crate::AppState;
use crate::error::ApiError;
use crate::middleware::CurrentUser;

/// Notifications in the list. Older ones are in the lists of items.
const LISTED: i64 = 50;

#[derive(Template)]
#[template(path = "notifications.html")]
struct List<'a> {
    page: &'a Page,
    rows: Vec<Row>,
}

struct Row {
    notification: Notification,
    /// ISO 8601, for the `datetime` attribute.
    machine: String,
    ago: String,
}

/// `GET /notifications`: the newest notifications as a fragment, for the page's script.
pub(crate) async fn list(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
) -> Result<Response, ApiError> {
    let filter = NotificationFilter::All;
    let found = notifications::page(&app.lede, who.user.id, filter, None, LISTED).await?;
    let now = app.lede.clock.now();
    let rows = found.notifications.into_iter().map(|notification| Row {
        machine: notification.created_at.to_string(),
        ago: page.ago(notification.created_at, now).into(),
        notification,
    });
    let rows = rows.collect();
    Ok(page.answer(StatusCode::OK, &List { page: &page, rows }))
}
