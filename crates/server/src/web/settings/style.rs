//! Form for the user's own style sheet.
//!
//! Saved by a button, unlike other preferences: half of a rule would take effect in every open
//! page.

use axum::response::Response;
use lede_core::preferences;
use lede_model::style_sheet::StyleSheet;
use serde::Deserialize;

use super::{SettingsRequest, done};
use crate::error::{ApiError, FormBody};

/// Name of the field, here and in the API.
const FIELD: &str = "style_sheet";

/// The whole text; empty for none.
#[derive(Deserialize)]
pub(crate) struct StyleForm {
    style_sheet: String,
}

/// `POST /settings/style`: saves the style sheet.
pub(crate) async fn save(
    visit: SettingsRequest,
    FormBody(form): FormBody<StyleForm>,
) -> Result<Response, ApiError> {
    let sheet = match StyleSheet::new(&form.style_sheet) {
        Ok(sheet) => sheet,
        Err(error) => {
            let why = visit.page.translate(&error);
            let why = visit.page.with("settings-style-wrong", "why", why);
            let typed = vec![(FIELD.to_owned(), form.style_sheet)];
            return visit
                .mend("looks", &why, typed, vec![FIELD.to_owned()])
                .await;
        }
    };
    let change = preferences::change(&visit.app.lede, visit.user().id, move |chosen| {
        chosen.style_sheet = sheet.clone();
        Ok::<_, std::convert::Infallible>(())
    });
    let Ok(_) = change.await?;
    Ok(done("style"))
}
