//! The style sheet of one's own, as a form.
//!
//! Saved by its button, unlike choices: half of a rule would be shown in every open page.

use axum::response::Response;
use lede_core::preferences;
use lede_model::style_sheet::StyleSheet;
use serde::Deserialize;

use super::{Visit, done};
use crate::error::{ApiError, FormBody};

/// The field, here and in the API.
const FIELD: &str = "style_sheet";

/// The whole text; empty is none.
#[derive(Deserialize)]
pub(crate) struct StyleForm {
    style_sheet: String,
}

/// `POST /settings/style`
pub(crate) async fn save(
    visit: Visit,
    FormBody(form): FormBody<StyleForm>,
) -> Result<Response, ApiError> {
    let sheet = match StyleSheet::new(&form.style_sheet) {
        Ok(sheet) => sheet,
        Err(error) => {
            let why = visit.page.with(
                "settings-style-wrong",
                "why",
                visit.page.style_error(&error),
            );
            let typed = vec![(FIELD.to_owned(), form.style_sheet)];
            return visit
                .mend("looks", &why, typed, vec![FIELD.to_owned()])
                .await;
        }
    };
    let change = preferences::change(&visit.doors.lede, visit.user().id, move |chosen| {
        chosen.style_sheet = sheet.clone();
        Ok::<_, std::convert::Infallible>(())
    });
    let Ok(_) = change.await?;
    Ok(done("style"))
}
