//! Changes of preferences: the body of the API, which the settings page makes of its form.

use std::convert::Infallible;

use lede_core::preferences;
use lede_model::item::Order;
use lede_model::keys::{KeptKeys, Keys};
use lede_model::preferences::{
    Density, Font, Language, MEASURES, Opening, Preferences, Show, TEXT_SIZES, Theme,
};
use lede_model::service::{self, Service};
use lede_model::style_sheet::StyleSheet;
use lede_model::user::User;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;
use utoipa::openapi::schema::Object;

use super::present::{one_of, present};
use crate::Doors;
use crate::error::ApiError;

/// A service that an item can be sent to.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described, never made")]
pub(crate) struct ServiceView {
    /// Its name.
    #[schema(min_length = 1, max_length = 40)]
    name: String,
    /// An http, https or mailto address with {url}, and maybe {title}, where those of the item go in.
    #[schema(
        max_length = 500,
        example = "https://keep.example.org/add?url={url}&title={title}"
    )]
    address: String,
}

/// A change of preferences; absent fields stay as they are.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreferencesBody {
    /// The interface's language; null is the browser's.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, pattern = "^(en|ja|pt)$")]
    language: Option<Option<Language>>,
    #[schema(value_type = Option<String>, pattern = "^(system|light|dark)$")]
    theme: Option<Theme>,
    /// The room that an item takes in lists.
    #[schema(value_type = Option<String>, pattern = "^(list|cards|titles)$")]
    density: Option<Density>,
    /// Which end of a list comes first.
    #[schema(value_type = Option<String>, pattern = "^(newest|oldest)$")]
    order: Option<Order>,
    /// Which items a list shows at first.
    #[schema(value_type = Option<String>, pattern = "^(unread|all)$")]
    show: Option<Show>,
    /// Items open beside the list where there is room, or always in it.
    #[schema(value_type = Option<String>, pattern = "^(beside|in_place)$")]
    opening: Option<Opening>,
    /// The letters of articles.
    #[schema(value_type = Option<String>, pattern = "^(serif|sans)$")]
    font: Option<Font>,
    /// Their size in pixels: 15, 16, 17, 18, 20, 22 or 25.
    #[schema(schema_with = text_size_schema)]
    text_size: Option<u8>,
    /// Characters in a line of an article: 55, 60, 66, 72 or 80.
    #[schema(schema_with = measure_schema)]
    measure: Option<u8>,
    /// Items that were scrolled past count as read.
    mark_read_on_scroll: Option<bool>,
    /// The tree leaves out feeds with nothing unread.
    hide_read_feeds: Option<bool>,
    /// Long lines of code are broken rather than scrolled.
    wrap_code: Option<bool>,
    /// Single keys are shortcuts in the reading view.
    shortcuts: Option<bool>,
    /// All keys that are not to be the default ones, by action; null is no key, and nothing at all is
    /// back to the defaults. One character each, and no two the same.
    #[serde(default, deserialize_with = "own_keys")]
    #[schema(value_type = Option<BTreeMap<String, Option<String>>>, example = json!({"star": "f"}))]
    keys: Option<Keys>,
    /// All services that items can be sent to.
    #[serde(default, deserialize_with = "own_services")]
    #[schema(value_type = Option<Vec<ServiceView>>, max_items = 12)]
    send_to: Option<Vec<Service>>,
    /// A style sheet of your own, at most 32 KiB; empty is none.
    #[serde(default, deserialize_with = "own_style_sheet")]
    #[schema(value_type = Option<String>, max_length = 32768, example = ".article { letter-spacing: 0.01em }")]
    style_sheet: Option<StyleSheet>,
}

fn text_size_schema() -> Object {
    one_of(
        &TEXT_SIZES,
        "Their size in pixels; null leaves it as it is.",
    )
}

fn measure_schema() -> Object {
    one_of(
        &MEASURES,
        "Characters in a line of an article; null leaves them as they are.",
    )
}

fn own_keys<'de, D: Deserializer<'de>>(body: D) -> Result<Option<Keys>, D::Error> {
    let wanted = Option::<KeptKeys>::deserialize(body)?;
    let keys = wanted.map(|wanted| Keys::choose(&wanted)).transpose();
    keys.map_err(D::Error::custom)
}

fn own_services<'de, D: Deserializer<'de>>(body: D) -> Result<Option<Vec<Service>>, D::Error> {
    let services = Option::<Vec<Service>>::deserialize(body)?;
    service::check_number(services.as_deref().unwrap_or_default()).map_err(D::Error::custom)?;
    Ok(services)
}

fn own_style_sheet<'de, D: Deserializer<'de>>(body: D) -> Result<Option<StyleSheet>, D::Error> {
    let text = Option::<String>::deserialize(body)?;
    let sheet = text.map(|text| StyleSheet::new(&text)).transpose();
    sheet.map_err(D::Error::custom)
}

impl PreferencesBody {
    /// Refuses what cannot be chosen.
    fn check(&self) -> Result<(), ApiError> {
        for (name, value, choices) in [
            ("text_size", self.text_size, &TEXT_SIZES[..]),
            ("measure", self.measure, &MEASURES[..]),
        ] {
            if value.is_some_and(|value| !choices.contains(&value)) {
                let choices: Vec<_> = choices.iter().map(ToString::to_string).collect();
                let message = format!("must be one of {}", choices.join(", "));
                return Err(ApiError::field(name, message));
            }
        }
        Ok(())
    }

    fn apply(&self, chosen: &mut Preferences) {
        fn put<T>(place: &mut T, value: Option<T>) {
            if let Some(value) = value {
                *place = value;
            }
        }
        put(&mut chosen.language, self.language);
        put(&mut chosen.theme, self.theme);
        put(&mut chosen.density, self.density);
        put(&mut chosen.order, self.order);
        put(&mut chosen.show, self.show);
        put(&mut chosen.opening, self.opening);
        put(&mut chosen.font, self.font);
        put(&mut chosen.text_size, self.text_size);
        put(&mut chosen.measure, self.measure);
        put(&mut chosen.mark_read_on_scroll, self.mark_read_on_scroll);
        put(&mut chosen.hide_read_feeds, self.hide_read_feeds);
        put(&mut chosen.wrap_code, self.wrap_code);
        put(&mut chosen.shortcuts, self.shortcuts);
        put(&mut chosen.keys, self.keys.clone());
        put(&mut chosen.send_to, self.send_to.clone());
        put(&mut chosen.style_sheet, self.style_sheet.clone());
    }
}

/// Changes the preferences of `user`.
pub(crate) async fn change(
    doors: &Doors,
    user: &User,
    body: PreferencesBody,
) -> Result<Preferences, ApiError> {
    body.check()?;
    let change = preferences::change(&doors.lede, user.id, move |chosen| {
        body.apply(chosen);
        Ok::<_, Infallible>(())
    });
    let Ok(chosen) = change.await?;
    Ok(chosen)
}
