//! The style sheet of one's own, for the pages that link it: reading, feeds, rules and the dashboard. What it
//! may be, and why it may be anything, is `model::style_sheet`.
//!
//! Its address has the text's version, so that browsers keep it for ever and ask for another when it changes. The
//! service worker leaves it to them: what it kept under an address could be another text than the one of that
//! version.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lede_model::style_sheet::StyleSheet;
use serde::Deserialize;

use super::page::Page;
use crate::error::QueryOf;
use crate::guard::Reader;

const FOR_EVER: HeaderValue = HeaderValue::from_static("private, max-age=31536000, immutable");
/// Asked for by the version of before: the text of now must not be taken for that one.
const NOT_AT_ALL: HeaderValue = HeaderValue::from_static("no-store");

/// Which text is meant.
#[derive(Deserialize)]
pub(crate) struct Version {
    #[serde(default)]
    v: String,
}

/// Where a style sheet is; `None` when there is none.
pub(super) fn address(sheet: &StyleSheet) -> Option<String> {
    Some(format!("/my.css?v={}", sheet.version()?))
}

/// `GET /my.css`: the style sheet of whoever asks.
pub(crate) async fn show(
    _: Reader,
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
