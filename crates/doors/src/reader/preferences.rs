//! How somebody likes the reader.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use lede_core::preferences;
use lede_model::item::Order;
use lede_model::preferences::{Density, Font, Language, Opening, Preferences, Show, Theme};
use lede_model::service::Service;
use lede_model::style_sheet::StyleSheet;
use serde::Serialize;
use utoipa::ToSchema;

use crate::Doors;
use crate::error::{ApiError, Changing, JsonBody, JsonIn, SignedIn};
use crate::guard::Reader;
use crate::input::preferences::{PreferencesBody, ServiceView, change};

/// Everything that can be chosen, as it is now.
#[derive(Serialize, ToSchema)]
pub(crate) struct PreferencesView {
    /// The interface's language; null is the browser's.
    #[schema(value_type = Option<String>, pattern = "^(en|ja|pt)$")]
    language: Option<Language>,
    #[schema(value_type = String, pattern = "^(system|light|dark)$")]
    theme: Theme,
    /// How much room an item takes in lists.
    #[schema(value_type = String, pattern = "^(list|cards|titles)$")]
    density: Density,
    /// Which end of a list comes first.
    #[schema(value_type = String, pattern = "^(newest|oldest)$")]
    order: Order,
    /// Which items a list shows at first.
    #[schema(value_type = String, pattern = "^(unread|all)$")]
    show: Show,
    /// Whether an item opens beside the list where there is room, or always in it.
    #[schema(value_type = String, pattern = "^(beside|in_place)$")]
    opening: Opening,
    /// The letters of articles.
    #[schema(value_type = String, pattern = "^(serif|sans)$")]
    font: Font,
    /// Their size in pixels.
    text_size: u8,
    /// Characters in a line of an article.
    measure: u8,
    /// Whether what was scrolled past counts as read.
    mark_read_on_scroll: bool,
    /// Whether the tree leaves out feeds with nothing unread.
    hide_read_feeds: bool,
    /// Whether long lines of code are broken rather than scrolled.
    wrap_code: bool,
    /// Whether single keys do something in the reading view.
    shortcuts: bool,
    /// The key of each action; null is none.
    #[schema(value_type = BTreeMap<String, Option<String>>, example = json!({"next": "j", "previous": "k", "mark_all": null}))]
    keys: BTreeMap<&'static str, Option<char>>,
    /// Where items can be sent to.
    #[schema(value_type = Vec<ServiceView>, max_items = 12)]
    send_to: Vec<Service>,
    /// A style sheet of your own, linked in pages after Lede's; empty is none.
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

/// How you like the reader.
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
    State(doors): State<Doors>,
    who: Reader,
) -> Result<Json<PreferencesView>, ApiError> {
    let chosen = preferences::of_user(&doors.lede, who.user.id).await?;
    Ok(Json(chosen.into()))
}

/// Changes how you like the reader, in every browser.
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
    State(doors): State<Doors>,
    who: Reader,
    JsonBody(body): JsonBody<PreferencesBody>,
) -> Result<Json<PreferencesView>, ApiError> {
    Ok(Json(change(&doors, &who.user, body).await?.into()))
}
