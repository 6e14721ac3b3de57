//! JSON API of the reader: the signed-in user's feeds, items and settings.

pub(crate) mod access;
pub(crate) mod admin;
pub(crate) mod app_passwords;
pub(crate) mod categories;
pub(crate) mod constraints;
pub(crate) mod events;
pub(crate) mod feeds;
pub(crate) mod items;
pub(crate) mod jobs;
pub(crate) mod labels;
pub(crate) mod lists;
pub(crate) mod notifications;
pub(crate) mod opml;
pub(crate) mod preferences;
pub(crate) mod proxy;
pub(crate) mod rules;
pub(crate) mod searches;
pub(crate) mod sign_in;
pub(crate) mod status;
pub(crate) mod subscriptions;
pub(crate) mod takeout;

use axum::http::StatusCode;

use crate::error::ApiError;

/// Response to a request that removes something: 204, or 404 if `was_there` is false.
fn removed(was_there: bool, what: &str) -> Result<StatusCode, ApiError> {
    if was_there {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::not_found(what))
    }
}
