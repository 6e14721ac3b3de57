//! A user's own style sheet, linked by the pages for reading, feeds, rules and the dashboard. Its
//! rules, and why it may contain anything, are in `model::style_sheet`.
//!
//! The URL contains the version of the text, so that browsers cache it for ever and request it
//! again when it changes. The service worker does not cache it: what it stored under a URL could be
//! another text than that version.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lede_model::style_sheet::StyleSheet;
use serde::Deserialize;

use super::page::Page;
use crate::error::QueryOf;
use crate::middleware::CurrentUser;

const FOR_EVER: HeaderValue = HeaderValue::from_static("private, max-age=31536000, immutable");
/// For a request with an outdated version: the current text must not be cached under it.
const NOT_AT_ALL: HeaderValue = HeaderValue::from_static("no-store");

/// Version of the text in the URL.
#[derive(Deserialize)]
pub(crate) struct Version {
    #[serde(default)]
    v: String,
}

/// Returns the URL of a style sheet, or `None` if it is empty.
pub(super) fn address(sheet: &StyleSheet) -> Option<String> {
    Some(format!("/my.css?v={}", sheet.version()?))
}

/// `GET /my.css`: the style sheet of the signed-in user.
pub(crate) async fn show(
    _: CurrentUser,
    page: Page,
    QueryOf(Version { v }): QueryOf<Version>,
) -> Response {
    let sheet = &page.look.style_sheet;
    let Some(version) = sheet.version() else {
        return (StatusCode::NOT_FOUND, "").into_response();
    };
    let cache = if v == version { FOR_EVER } else { NOT_AT_ALL };
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/css; charset=utf-8"),
        ),
        (header::CACHE_CONTROL, cache),
    ];
    (headers, sheet.as_str().to_owned()).into_response()
}
