//! The pages of whoever looks after the instance: how it is doing, its people, its feeds.

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
use crate::guard::local_path;

/// Bytes as people write them.
fn room(page: &Page, bytes: i64) -> Cow<'static, str> {
    const KIB: i64 = 1024;
    const MIB: i64 = 1024 * KIB;
    const GIB: i64 = 1024 * MIB;
    // Under ten of the larger unit too much would be rounded away.
    const MANY_GIB: i64 = 10 * GIB;
    match bytes {
        ..MIB => page.count("admin-kb", bytes / KIB),
        MIB..MANY_GIB => page.count("admin-mb", bytes / MIB),
        _ => page.count("admin-gb", bytes / GIB),
    }
}

/// Whether a piece of the page is asked for, not the page.
fn wants_piece(headers: &HeaderMap) -> bool {
    headers.contains_key("hx-request")
}

/// Back to where a form was sent from.
fn back_to(path: &str) -> Response {
    Redirect::to(local_path(path)).into_response()
}
