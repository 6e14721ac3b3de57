//! What several kinds of entries have: names, questions, places and feeds, as they are kept here.

use std::collections::HashMap;

use lede_model::address::WebUrl;
use lede_model::category::{MAX_NAME_CHARS, MAX_POSITION};
use lede_model::ids::FeedId;
use lede_model::name::composed;
use lede_model::search::Query;
use lede_model::trouble::EntryTrouble;

/// A text as one line.
pub(super) fn line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// The name of a search or a rule as it is kept: one line, not empty, not too long.
pub(super) fn name_of(text: &str) -> Result<String, String> {
    let text = line(text);
    let text = composed(text.trim());
    match text.chars().count() {
        0 => Err(EntryTrouble::NoName.to_string()),
        1..=MAX_NAME_CHARS => Ok(text.into_owned()),
        _ => Err(EntryTrouble::LongName {
            most: MAX_NAME_CHARS,
        }
        .to_string()),
    }
}

/// A question that can be asked here.
pub(super) fn question(text: String) -> Result<String, String> {
    match Query::parse(&text) {
        Ok(_) => Ok(text),
        Err(error) => {
            let problem = error.to_string();
            Err(EntryTrouble::BadQuery { problem }.to_string())
        }
    }
}

/// A place among others, the nearest where it is beyond the first or the last.
pub(super) fn place(position: i64) -> i64 {
    position.clamp(0, MAX_POSITION)
}

/// The feed at an address, if the person follows it.
pub(super) fn feed_at(
    feeds: &HashMap<String, FeedId>,
    url: &str,
) -> Result<(FeedId, WebUrl), String> {
    let url = WebUrl::parse(url).map_err(|error| error.to_string())?;
    match feeds.get(url.as_str()) {
        Some(feed) => Ok((*feed, url)),
        None => Err(EntryTrouble::NotFollowed.to_string()),
    }
}
