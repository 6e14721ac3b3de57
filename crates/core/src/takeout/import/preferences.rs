//! Import of the user's preferences.

use lede_model::feed_error::EntryError;
use lede_model::ids::UserId;
use lede_model::preferences::Preferences;
use lede_model::share_target::{self, NewService};
use lede_model::style_sheet::StyleSheet;
use lede_store::preferences;
use serde_json::{Map, Value};

use super::outcome::{ImportError, Imported, parsed, unreadable};
use crate::Lede;
use crate::takeout::read::Raw;

/// Sets the preferences that the document contains; others stay unchanged.
pub(super) async fn import(
    lede: &Lede,
    user: UserId,
    raw: Option<&Raw>,
    done: &mut Imported,
) -> Result<(), ImportError> {
    let Some(raw) = raw else { return Ok(()) };
    let imported = match parsed::<Map<String, Value>>(raw) {
        Ok(imported) => imported,
        Err(reason) => {
            done.refuse("preferences", 0, reason);
            return Ok(());
        }
    };
    let set = lede.store.write(move |db| {
        let chosen = preferences::of_user(db, user)?;
        match overlaid(&chosen, &imported) {
            Ok(chosen) => preferences::set(db, user, &chosen).map(Ok),
            Err(reason) => Ok(Err(reason)),
        }
    });
    match set.await? {
        Ok(()) => done.preferences_set = true,
        Err(reason) => done.refuse("preferences", 0, reason),
    }
    Ok(())
}

/// Merges the preferences of the document into the existing ones.
fn overlaid(
    chosen: &Preferences,
    imported: &Map<String, Value>,
) -> Result<Preferences, EntryError> {
    let mut all = serde_json::to_value(chosen).map_err(unreadable)?;
    for (name, value) in imported {
        all[name.as_str()] = value.clone();
    }
    // Stored preferences are read leniently, ignoring invalid parts; imported ones are not.
    if let Some(services) = imported.get("send_to") {
        let services: Vec<NewService> =
            serde_json::from_value(services.clone()).map_err(unreadable)?;
        share_target::check_all(&services)
            .map_err(|(_, problem)| EntryError::BadService { problem })?;
    }
    if let Some(text) = imported.get("style_sheet").and_then(Value::as_str) {
        StyleSheet::new(text).map_err(|problem| EntryError::BadStyleSheet { problem })?;
    }
    let all: Preferences = serde_json::from_value(all).map_err(unreadable)?;
    match all.can_be_chosen() {
        true => Ok(all),
        false => Err(EntryError::UnknownLook),
    }
}
