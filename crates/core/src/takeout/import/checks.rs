//! Validation shared by several kinds of entries: names, queries, positions and feeds.

use std::collections::HashMap;

use lede_model::address::WebUrl;
use lede_model::category::{MAX_NAME_CHARS, MAX_POSITION};
use lede_model::feed_error::EntryError;
use lede_model::ids::FeedId;
use lede_model::name::composed;
use lede_model::search::Query;

/// Removes control characters, so that the text is one line.
pub(super) fn line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// Validates the name of a search or a rule: one line, not empty, not too long.
pub(super) fn name_of(text: &str) -> Result<String, EntryError> {
    let text = line(text);
    let text = composed(text.trim());
    match text.chars().count() {
        0 => Err(EntryError::NoName),
        1..=MAX_NAME_CHARS => Ok(text.into_owned()),
        _ => Err(EntryError::LongName {
            most: MAX_NAME_CHARS,
        }),
    }
}

/// Checks that a query can be parsed here.
pub(super) fn question(text: String) -> Result<String, EntryError> {
    match Query::parse(&text) {
        Ok(_) => Ok(text),
        Err(problem) => Err(EntryError::BadQuery { problem }),
    }
}

/// Clamps a position to the valid range.
pub(super) fn place(position: i64) -> i64 {
    position.clamp(0, MAX_POSITION)
}

/// Returns the feed at an address, if the user follows it.
pub(super) fn feed_at(
    feeds: &HashMap<String, FeedId>,
    url: &str,
) -> Result<(FeedId, WebUrl), EntryError> {
    let url = WebUrl::parse(url).map_err(|problem| EntryError::BadAddress { problem })?;
    match feeds.get(url.as_str()) {
        Some(feed) => Ok((*feed, url)),
        None => Err(EntryError::NotFollowed),
    }
}
