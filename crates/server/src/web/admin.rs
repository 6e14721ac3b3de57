//! Admin pages: overview, status, users and feeds of the instance.

pub(crate) mod feeds;
pub(crate) mod jobs;
pub(crate) mod overview;
pub(crate) mod status;
pub(crate) mod users;

use std::borrow::Cow;

use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};

use super::page::Page;
use super::settings::role_name;
use crate::middleware::local_path;

/// Formats a size with a suitable unit.
fn room(page: &Page, bytes: i64) -> Cow<'static, str> {
    const KIB: i64 = 1024;
    const MIB: i64 = 1024 * KIB;
    const GIB: i64 = 1024 * MIB;
    // Below ten units, rounding would lose too much, so the smaller unit is used.
    const MANY_GIB: i64 = 10 * GIB;
    match bytes {
        ..MIB => page.count("admin-kb", bytes / KIB),
        MIB..MANY_GIB => page.count("admin-mb", bytes / MIB),
        _ => page.count("admin-gb", bytes / GIB),
    }
}

/// Returns `true` if htmx requested only a fragment of the page.
fn wants_piece(headers: &HeaderMap) -> bool {
    headers.contains_key("hx-request")
}

/// Redirects to the page that contained the form.
fn back_to(path: &str) -> Response {
    Redirect::to(local_path(path)).into_response()
}
