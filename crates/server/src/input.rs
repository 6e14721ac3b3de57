//! Request input common to the API and the pages: names, credentials of feeds, uploads,
//! preferences.

pub(crate) mod opml;
pub(crate) mod preferences;
pub(crate) mod present;
pub(crate) mod takeout;

use lede_model::credentials::{AccessChange, Part};
use lede_model::feed;
use lede_model::input::InputError;
use lede_model::name::composed;
use lede_model::secret::Secret;

use crate::error::ApiError;

/// Limit on the name of a search or a rule.
const MAX_NAME_CHARS: usize = 100;

/// Checks the name of a search or a rule. Returns it trimmed and in composed form (NFC).
pub(crate) fn checked_name(typed: &str) -> Result<String, ApiError> {
    if typed.chars().any(char::is_control) {
        return Err(ApiError::invalid("name", InputError::ControlCharacter));
    }
    // Counted before trimming, because the schema of the API limits the length as sent.
    if typed.chars().count() > MAX_NAME_CHARS {
        let most = MAX_NAME_CHARS;
        return Err(ApiError::invalid("name", InputError::TooLong { most }));
    }
    let name = composed(typed.trim());
    if name.is_empty() {
        return Err(ApiError::invalid("name", InputError::Empty));
    }
    Ok(name.into_owned())
}

/// Checks the user's own title of a feed. `None` leaves it unchanged, `Some(None)` restores the
/// publisher's title.
pub(crate) fn own_title(title: Option<Option<String>>) -> Result<Option<Option<String>>, ApiError> {
    let Some(Some(text)) = title else {
        return Ok(title);
    };
    let title = feed::own_title(&text);
    title
        .map(Some)
        .map_err(|error| ApiError::invalid("title", error))
}

/// Checks credentials for a feed's server, each part by itself.
pub(crate) fn access_change(
    parts: impl IntoIterator<Item = (Part, String)>,
) -> Result<AccessChange, ApiError> {
    let mut change = AccessChange::default();
    for (part, value) in parts {
        let set = change.set(part, Secret::new(value));
        set.map_err(|error| ApiError::invalid(part.as_str(), error))?;
    }
    Ok(change)
}
