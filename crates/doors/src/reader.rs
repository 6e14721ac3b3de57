//! The reader's JSON door: the signed-in person's feeds and items.

pub(crate) mod access;
pub(crate) mod admin;
pub(crate) mod app_passwords;
pub(crate) mod categories;
pub(crate) mod events;
pub(crate) mod feeds;
pub(crate) mod items;
pub(crate) mod jobs;
pub(crate) mod labels;
pub(crate) mod lists;
pub(crate) mod opml;
pub(crate) mod preferences;
mod present;
pub(crate) mod proxy;
pub(crate) mod rules;
pub(crate) mod searches;
pub(crate) mod sign_in;
pub(crate) mod status;
pub(crate) mod subscriptions;
pub(crate) mod takeout;

use axum::http::StatusCode;

use crate::error::ApiError;

/// The answer to whoever removes something of theirs.
fn removed(was_there: bool, what: &str) -> Result<StatusCode, ApiError> {
    if was_there {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::not_found(what))
    }
}
