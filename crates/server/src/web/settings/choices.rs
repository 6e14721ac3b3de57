//! Display preferences as rows of a form.
//!
//! Names and values are those of the JSON API, so that forms, scripts and clients use the same
//! ones.

use std::borrow::Cow;

use lede_model::preferences::{Language, MEASURES, TEXT_SIZES};
use serde_json::{Map, Value};

use crate::error::ApiError;
use crate::input::preferences::PreferencesBody;
use crate::web::page::Page;

/// A group of related settings.
pub(super) struct Group {
    pub(super) id: &'static str,
    pub(super) title: Cow<'static, str>,
    pub(super) settings: Vec<Setting>,
}

/// One setting, with a sentence about its effect.
pub(in crate::web) struct Setting {
    pub(in crate::web) name: &'static str,
    pub(in crate::web) label: Cow<'static, str>,
    pub(super) effect: Cow<'static, str>,
    pub(in crate::web) control: Control,
}

pub(in crate::web) enum Control {
    OneOf(Vec<Choice>),
    Switch(bool),
}

pub(in crate::web) struct Choice {
    pub(in crate::web) value: String,
    pub(in crate::web) label: Cow<'static, str>,
    pub(in crate::web) is_chosen: bool,
}

/// A value of the JSON API and the key of its label.
type Word = (&'static str, &'static str);

const THEMES: [Word; 5] = [
    ("system", "settings-theme-system"),
    ("light", "settings-theme-light"),
    ("dark", "settings-theme-dark"),
    ("black", "settings-theme-black"),
    ("sepia", "settings-theme-sepia"),
];
const DENSITIES: [Word; 3] = [
    ("list", "settings-density-list"),
    ("cards", "settings-density-cards"),
    ("titles", "settings-density-titles"),
];
const ORDERS: [Word; 2] = [
    ("newest", "settings-order-newest"),
    ("oldest", "settings-order-oldest"),
];
const SHOWS: [Word; 2] = [
    ("unread", "settings-show-unread"),
    ("all", "settings-show-all"),
];
const OPENINGS: [Word; 2] = [
    ("beside", "settings-opening-beside"),
    ("in_place", "settings-opening-in-place"),
];
const FONTS: [Word; 2] = [
    ("serif", "settings-font-serif"),
    ("sans", "settings-font-sans"),
];

impl Choice {
    /// Returns the label for a narrow control: a number needs no unit.
    pub(in crate::web) fn short_label(&self) -> &str {
        match self.value.parse::<u8>() {
            Ok(_) => &self.value,
            Err(_) => &self.label,
        }
    }
}

/// Builds the rows from the current values.
struct Rows<'a> {
    page: &'a Page,
    chosen: Value,
}

impl<'a> Rows<'a> {
    fn new(page: &'a Page) -> Self {
        Self {
            page,
            // Strings, numbers and booleans only, so serialisation does not fail.
            chosen: serde_json::to_value(&page.look).unwrap_or_default(),
        }
    }

    fn theme(&self) -> Setting {
        self.words("theme", "settings-theme", &THEMES)
    }

    /// Returns the settings of the text of articles.
    fn text(&self) -> [Setting; 3] {
        [
            self.words("font", "settings-font", &FONTS),
            self.numbers("text_size", "settings-size", "settings-pixels", &TEXT_SIZES),
            self.numbers(
                "measure",
                "settings-measure",
                "settings-characters",
                &MEASURES,
            ),
        ]
    }

    fn setting(&self, name: &'static str, key: &str, control: Control) -> Setting {
        Setting {
            name,
            label: self.page.t(key),
            effect: self.page.t(&format!("{key}.effect")),
            control,
        }
    }

    /// Returns the current value of `name` as text for the form.
    fn chosen(&self, name: &str) -> String {
        match &self.chosen[name] {
            Value::Null => String::new(),
            Value::String(word) => word.clone(),
            other => other.to_string(),
        }
    }

    fn choices(&self, name: &str, offered: Vec<(String, Cow<'static, str>)>) -> Control {
        let chosen = self.chosen(name);
        let choice = |(value, label): (String, Cow<'static, str>)| Choice {
            is_chosen: value == chosen,
            value,
            label,
        };
        Control::OneOf(offered.into_iter().map(choice).collect())
    }

    fn words(&self, name: &'static str, key: &str, words: &[Word]) -> Setting {
        let offered = words
            .iter()
            .map(|(word, key)| ((*word).to_owned(), self.page.t(key)));
        self.setting(name, key, self.choices(name, offered.collect()))
    }

    fn numbers(&self, name: &'static str, key: &str, unit: &str, numbers: &[u8]) -> Setting {
        let offered = numbers
            .iter()
            .map(|number| (number.to_string(), self.page.count(unit, *number)));
        self.setting(name, key, self.choices(name, offered.collect()))
    }

    fn switch(&self, name: &'static str, key: &str) -> Setting {
        self.setting(name, key, Control::Switch(self.chosen[name] == true))
    }

    fn languages(&self) -> Setting {
        let browsers = (String::new(), self.page.t("settings-language-browser"));
        let own = Language::ALL.map(|language| {
            let name = Cow::Borrowed(language.own_name());
            (language.tag().to_owned(), name)
        });
        let offered = std::iter::once(browsers).chain(own).collect();
        let control = self.choices("language", offered);
        self.setting("language", "settings-language", control)
    }
}

impl Page {
    /// Returns the settings that are offered beside an article.
    pub(in crate::web) fn reading_settings(&self) -> Vec<Setting> {
        let rows = Rows::new(self);
        rows.text().into_iter().chain([rows.theme()]).collect()
    }
}

/// Returns every group with the current values.
pub(super) fn groups(page: &Page) -> Vec<Group> {
    let rows = Rows::new(page);
    let group = |id, key: &str, settings| Group {
        id,
        title: page.t(key),
        settings,
    };
    vec![
        group(
            "looks",
            "settings-looks",
            vec![
                rows.languages(),
                rows.theme(),
                rows.words("density", "settings-density", &DENSITIES),
            ],
        ),
        group(
            "lists",
            "settings-lists",
            vec![
                rows.words("order", "settings-order", &ORDERS),
                rows.words("show", "settings-show", &SHOWS),
                rows.words("opening", "settings-opening", &OPENINGS),
                rows.switch("thumbnails", "settings-thumbnails"),
                rows.switch("mark_read_on_scroll", "settings-scroll"),
                rows.switch("hide_read_feeds", "settings-hide-read"),
                rows.switch("next_after_mark_all", "settings-next-after"),
            ],
        ),
        group(
            "articles",
            "settings-articles",
            rows.text()
                .into_iter()
                .chain([rows.switch("wrap_code", "settings-wrap")])
                .collect(),
        ),
        group(
            "keyboard",
            "keys-title",
            vec![rows.switch("shortcuts", "settings-shortcuts")],
        ),
    ]
}

/// Returns the group that a form belongs to.
pub(super) fn group_of(fields: &[(String, String)]) -> &'static str {
    let named = fields.iter().find(|(name, _)| name == "group");
    let groups = ["looks", "lists", "articles", "keyboard"];
    named
        .and_then(|(_, value)| groups.into_iter().find(|group| group == value))
        .unwrap_or("looks")
}

/// Converts a form to a body of the JSON API. If a name occurs twice, the last value counts: an
/// unchecked box sends nothing, so a hidden field before it supplies `false`.
pub(super) fn body(fields: Vec<(String, String)>) -> Result<PreferencesBody, ApiError> {
    let mut object = Map::new();
    for (name, text) in fields {
        if name == "csrf_token" || name == "group" {
            continue;
        }
        let value = match text.as_str() {
            "" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => match text.parse::<u8>() {
                Ok(number) => Value::from(number),
                Err(_) => Value::String(text),
            },
        };
        object.insert(name, value);
    }
    serde_json::from_value(Value::Object(object))
        .map_err(|error| ApiError::bad_request(format!("The form cannot be read: {error}.")))
}
