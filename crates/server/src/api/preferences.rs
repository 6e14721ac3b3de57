//! Display preferences of a user.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use lede_core::preferences;
use lede_model::item::Order;
use lede_model::preferences::{Density, Font, Language, Opening, Preferences, Show, Theme};
use lede_model::share_target::ShareTarget;
use lede_model::style_sheet::StyleSheet;
use serde::Serialize;
use utoipa::ToSchema;

use crate::AppState;
use crate::error::{ApiError, Changing, JsonBody, JsonIn, SignedIn};
use crate::input::preferences::{PreferencesBody, ServiceView, change};
use crate::middleware::CurrentUser;

/// All preferences with their current values.
#[derive(Serialize, ToSchema)]
pub(crate) struct PreferencesView {
    /// Language of the interface; null follows the browser.
    #[schema(value_type = Option<String>, pattern = "^(en|ja|pt)$")]
    language: Option<Language>,
    #[schema(value_type = String, pattern = "^(system|light|dark|black|sepia)$")]
    theme: Theme,
    /// Layout of items in lists.
    #[schema(value_type = String, pattern = "^(list|cards|titles)$")]
    density: Density,
    /// Order of items in lists.
    #[schema(value_type = String, pattern = "^(newest|oldest)$")]
    order: Order,
    /// Items that a list shows initially.
    #[schema(value_type = String, pattern = "^(unread|all)$")]
    show: Show,
    /// `beside` opens an item next to the list if there is enough space; `in_place` always inside
    /// the list.
    #[schema(value_type = String, pattern = "^(beside|in_place)$")]
    opening: Opening,
    /// Typeface of articles.
    #[schema(value_type = String, pattern = "^(serif|sans)$")]
    font: Font,
    /// Font size of articles in pixels.
    text_size: u8,
    /// Line width of articles in characters.
    measure: u8,
    /// True if items are marked as read when they are scrolled past.
    mark_read_on_scroll: bool,
    /// True if the tree hides feeds without unread items.
    hide_read_feeds: bool,
    /// True if the next feed with unread items opens after all items of a feed are marked as read.
    next_after_mark_all: bool,
    /// True if rows of a list have a small image.
    thumbnails: bool,
    /// True if long lines of code wrap instead of scrolling.
    wrap_code: bool,
    /// True if single-key shortcuts are active in the reading view.
    shortcuts: bool,
    /// Key of each action; null for none.
    #[schema(value_type = BTreeMap<String, Option<String>>, example = json!({"next": "j", "previous": "k", "mark_all": null}))]
    keys: BTreeMap<&'static str, Option<char>>,
    /// Services that items can be sent to.
    #[schema(value_type = Vec<ServiceView>, max_items = 12)]
    send_to: Vec<ShareTarget>,
    /// Your own style sheet, loaded after Lede's; empty for none.
    #[schema(value_type = String, max_length = 32768)]
    style_sheet: StyleSheet,
}

impl From<Preferences> for PreferencesView {
    fn from(chosen: Preferences) -> Self {
        Self {
            language: chosen.language,
            theme: chosen.theme,
            density: chosen.density,
            order: chosen.order,
            show: chosen.show,
            opening: chosen.opening,
            font: chosen.font,
            text_size: chosen.text_size,
            measure: chosen.measure,
            mark_read_on_scroll: chosen.mark_read_on_scroll,
            hide_read_feeds: chosen.hide_read_feeds,
            next_after_mark_all: chosen.next_after_mark_all,
            thumbnails: chosen.thumbnails,
            wrap_code: chosen.wrap_code,
            shortcuts: chosen.shortcuts,
            keys: chosen
                .keys
                .all()
                .map(|(action, key)| (action.name(), key))
                .collect(),
            send_to: chosen.send_to,
            style_sheet: chosen.style_sheet,
        }
    }
}

/// Get your preferences
#[utoipa::path(
    get,
    path = "/api/users/me/preferences",
    tag = "sign-in",
    responses(
        (status = 200, body = PreferencesView),
        SignedIn,
    )
)]
pub(crate) async fn show(
    State(app): State<AppState>,
    who: CurrentUser,
) -> Result<Json<PreferencesView>, ApiError> {
    let chosen = preferences::of_user(&app.lede, who.user.id).await?;
    Ok(Json(chosen.into()))
}

/// Change your preferences, for every browser
#[utoipa::path(
    patch,
    path = "/api/users/me/preferences",
    tag = "sign-in",
    request_body = PreferencesBody,
    responses(
        (status = 200, description = "All of it, as it is now", body = PreferencesView),
        SignedIn, JsonIn, Changing,
    )
)]
pub(crate) async fn set(
    State(app): State<AppState>,
    who: CurrentUser,
    JsonBody(body): JsonBody<PreferencesBody>,
) -> Result<Json<PreferencesView>, ApiError> {
    Ok(Json(change(&app, &who.user, body).await?.into()))
}
