//! Changes of preferences: the body of the API, into which the settings page converts its form.

use std::convert::Infallible;

use lede_core::preferences;
use lede_model::input::InputError;
use lede_model::item::Order;
use lede_model::preferences::{
    Density, Font, Language, MEASURES, Opening, Preferences, Show, TEXT_SIZES, Theme,
};
use lede_model::share_target::{self, NewService, ShareTarget};
use lede_model::shortcuts::{Shortcuts, StoredShortcuts};
use lede_model::style_sheet::StyleSheet;
use lede_model::user::User;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::Object;

use super::present::{one_of, present};
use crate::AppState;
use crate::error::ApiError;

/// A service that an item can be sent to.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described, never made")]
pub(crate) struct ServiceView {
    /// Name of the service, as shown in the menu.
    #[schema(min_length = 1, max_length = 40)]
    name: String,
    /// An http, https or mailto URL with `{url}` and optionally `{title}`, which are replaced by
    /// those of the item.
    #[schema(
        max_length = 500,
        pattern = r"^(https?://[^/?#{}\s]+[/?#]|mailto:[^?{}\s]*\?)([^{}\s]|\{title\}|\{url\})*\{url\}([^{}\s]|\{title\}|\{url\})*$",
        example = "https://keep.example.org/add?url={url}&title={title}"
    )]
    address: String,
}

/// Changes to preferences. Absent fields keep their values.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreferencesBody {
    /// Language of the interface; null follows the browser.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, pattern = "^(en|ja|pt)$")]
    language: Option<Option<Language>>,
    #[schema(value_type = Option<String>, pattern = "^(system|light|dark|black|sepia)$")]
    theme: Option<Theme>,
    /// Layout of items in lists.
    #[schema(value_type = Option<String>, pattern = "^(list|cards|titles)$")]
    density: Option<Density>,
    /// Order of items in lists.
    #[schema(value_type = Option<String>, pattern = "^(newest|oldest)$")]
    order: Option<Order>,
    /// Items that a list shows initially.
    #[schema(value_type = Option<String>, pattern = "^(unread|all)$")]
    show: Option<Show>,
    /// `beside` opens an item next to the list if there is enough space; `in_place` always inside
    /// the list.
    #[schema(value_type = Option<String>, pattern = "^(beside|in_place)$")]
    opening: Option<Opening>,
    /// Typeface of articles.
    #[schema(value_type = Option<String>, pattern = "^(serif|sans)$")]
    font: Option<Font>,
    /// Font size of articles in pixels: 15, 16, 17, 18, 20, 22 or 25.
    #[schema(schema_with = text_size_schema)]
    text_size: Option<u8>,
    /// Line width of articles in characters: 55, 60, 66, 72 or 80.
    #[schema(schema_with = measure_schema)]
    measure: Option<u8>,
    /// True marks items as read when they are scrolled past.
    mark_read_on_scroll: Option<bool>,
    /// True hides feeds without unread items in the tree.
    hide_read_feeds: Option<bool>,
    /// True opens the next feed with unread items after all items of a feed are marked as read.
    next_after_mark_all: Option<bool>,
    /// True to show a small image in the rows of a list.
    thumbnails: Option<bool>,
    /// True wraps long lines of code instead of scrolling.
    wrap_code: Option<bool>,
    /// True enables single-key shortcuts in the reading view.
    shortcuts: Option<bool>,
    /// All keys that differ from the defaults, by action; null for no key. An empty object restores
    /// the defaults. Each key is one character, and no two actions have the same.
    #[schema(value_type = Option<BTreeMap<String, Option<String>>>, example = json!({"star": "f"}))]
    keys: Option<StoredShortcuts>,
    /// Services that items can be sent to. Replaces the whole list.
    #[schema(value_type = Option<Vec<ServiceView>>, max_items = 12)]
    send_to: Option<Vec<NewService>>,
    /// Your own style sheet, at most 32 KiB; empty for none.
    #[schema(max_length = 32768, example = ".article { letter-spacing: 0.01em }")]
    style_sheet: Option<String>,
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

/// Values of a [`PreferencesBody`] that are parsed when they are checked.
struct Checked {
    keys: Option<Shortcuts>,
    send_to: Option<Vec<ShareTarget>>,
    style_sheet: Option<StyleSheet>,
}

impl PreferencesBody {
    /// Parses the values. Rejects the first invalid one, by its field.
    fn check(&self) -> Result<Checked, ApiError> {
        for (name, value, choices) in [
            ("text_size", self.text_size, &TEXT_SIZES[..]),
            ("measure", self.measure, &MEASURES[..]),
        ] {
            if value.is_some_and(|value| !choices.contains(&value)) {
                let choices: Vec<_> = choices.iter().map(ToString::to_string).collect();
                let choices = choices.join(", ");
                return Err(ApiError::invalid(name, InputError::NoneOf { choices }));
            }
        }
        let keys = self.keys.as_ref().map(Shortcuts::choose).transpose();
        let services = self
            .send_to
            .as_deref()
            .map(share_target::check_all)
            .transpose();
        let style_sheet = self.style_sheet.as_deref().map(StyleSheet::new).transpose();
        Ok(Checked {
            keys: keys.map_err(|error| ApiError::invalid("keys", error))?,
            send_to: services.map_err(|(place, error)| match place {
                Some(place) => ApiError::invalid(format!("send_to[{place}]"), error),
                None => ApiError::invalid("send_to", error),
            })?,
            style_sheet: style_sheet.map_err(|error| ApiError::invalid("style_sheet", error))?,
        })
    }

    fn apply(&self, checked: &Checked, chosen: &mut Preferences) {
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
        put(&mut chosen.next_after_mark_all, self.next_after_mark_all);
        put(&mut chosen.thumbnails, self.thumbnails);
        put(&mut chosen.wrap_code, self.wrap_code);
        put(&mut chosen.shortcuts, self.shortcuts);
        put(&mut chosen.keys, checked.keys.clone());
        put(&mut chosen.send_to, checked.send_to.clone());
        put(&mut chosen.style_sheet, checked.style_sheet.clone());
    }
}

/// Changes the preferences of `user`.
pub(crate) async fn change(
    app: &AppState,
    user: &User,
    body: PreferencesBody,
) -> Result<Preferences, ApiError> {
    let checked = body.check()?;
    let change = preferences::change(&app.lede, user.id, move |chosen| {
        body.apply(&checked, chosen);
        Ok::<_, Infallible>(())
    });
    let Ok(chosen) = change.await?;
    Ok(chosen)
}
