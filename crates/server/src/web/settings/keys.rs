//! Form for the user's own keyboard shortcuts.
//!
//! Unlike other preferences they are saved together: a user who swaps two keys would otherwise have
//! one key for two actions in between.

use axum::response::Response;
use lede_core::preferences;
use lede_model::shortcuts::{Shortcuts, StoredShortcuts};

use super::{FormOutcome, SettingsRequest, done};
use crate::error::{ApiError, FormBody};
use crate::web::keys::KeyRow;
use crate::web::page::Page;

/// Form field for the key of an action.
pub(super) struct KeyField {
    pub(super) row: KeyRow,
    pub(super) value: String,
    pub(super) is_wrong: bool,
}

/// Returns the field of every action, with its key or the rejected input.
pub(super) fn fields(page: &Page, outcome: &FormOutcome) -> Vec<KeyField> {
    let field = |row: KeyRow| KeyField {
        value: match outcome.typed(row.name) {
            Some(typed) => typed.to_owned(),
            None => row.key.map(String::from).unwrap_or_default(),
        },
        is_wrong: outcome.wrong.iter().any(|wrong| wrong == row.name),
        row,
    };
    page.keys().into_iter().map(field).collect()
}

/// `POST /settings/keys`: saves all keys, or restores the defaults.
pub(crate) async fn save(
    visit: SettingsRequest,
    FormBody(typed): FormBody<Vec<(String, String)>>,
) -> Result<Response, ApiError> {
    let keys = match typed.iter().any(|(name, _)| name == "defaults") {
        true => Ok(Shortcuts::default()),
        false => Shortcuts::choose(&wanted(&typed)),
    };
    let keys = match keys {
        Ok(keys) => keys,
        Err(error) => {
            let why = visit.page.translate(&error);
            let wrong = error.actions().into_iter().map(str::to_owned).collect();
            return visit.mend("keyboard", &why, typed, wrong).await;
        }
    };
    let change = preferences::change(&visit.app.lede, visit.user().id, move |chosen| {
        chosen.keys = keys.clone();
        Ok::<_, std::convert::Infallible>(())
    });
    let Ok(_) = change.await?;
    Ok(done("keys"))
}

/// Converts the fields to keys by action; an empty field means no key.
fn wanted(typed: &[(String, String)]) -> StoredShortcuts {
    let fields = typed.iter().filter(|(name, _)| name != "csrf_token");
    let key = |text: &String| (!text.trim().is_empty()).then(|| text.clone());
    fields
        .map(|(name, text)| (name.clone(), key(text)))
        .collect()
}
