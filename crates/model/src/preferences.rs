//! How a person likes the reader to look and to behave.
//!
//! All of it has a default that suits most people; what somebody chose goes with the account, so that
//! every browser shows it.

use serde::{Deserialize, Serialize};

use crate::item::Order;
use crate::keys::Keys;
use crate::service::{self, Service};
use crate::style_sheet::{self, StyleSheet};

/// Sizes that the text of articles may have, in CSS pixels.
pub const TEXT_SIZES: [u8; 7] = [15, 16, 17, 18, 20, 22, 25];
/// Widths that the text of articles may have, in characters.
pub const MEASURES: [u8; 5] = [55, 60, 66, 72, 80];

/// A language that the interface speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// English.
    #[serde(rename = "en")]
    English,
    /// 日本語.
    #[serde(rename = "ja")]
    Japanese,
    /// Português.
    #[serde(rename = "pt")]
    Portuguese,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::English, Self::Japanese, Self::Portuguese];

    /// The tag of RFC 5646.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Japanese => "ja",
            Self::Portuguese => "pt",
        }
    }

    /// The language's own name for itself.
    pub const fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Japanese => "日本語",
            Self::Portuguese => "Português",
        }
    }

    /// Reads a tag, whatever its region.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next()?;
        Self::ALL
            .into_iter()
            .find(|language| language.tag().eq_ignore_ascii_case(primary))
    }

    /// The best of those that `Accept-Language` names (RFC 9110 §12.5.4); English when it names none.
    pub fn from_accepted(header: &str) -> Self {
        let mut best = (0.0, Self::English);
        for entry in header.split(',').take(32) {
            let mut parts = entry.split(';');
            let tag = parts.next().unwrap_or_default().trim();
            let quality = parts
                .find_map(|part| part.trim().strip_prefix("q=")?.parse().ok())
                .unwrap_or(1.0_f32);
            if let Some(language) = Self::from_tag(tag)
                && quality > best.0
            {
                best = (quality, language);
            }
        }
        best.1
    }
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// As the device is.
    #[default]
    System,
    /// Ink on paper.
    Light,
    /// For the night.
    Dark,
}

/// How much room an item takes in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Density {
    /// Title and lede, two lines.
    #[default]
    List,
    /// Title, the first lines and a picture.
    Cards,
    /// One line.
    Titles,
}

/// Which items a list shows when nothing else is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Show {
    /// What is not read.
    #[default]
    Unread,
    /// Everything.
    All,
}

/// Where an item opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opening {
    /// Beside the list where there is room, in the list where there is not.
    #[default]
    Beside,
    /// Always in the list.
    InPlace,
}

/// The letters of articles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Font {
    /// As in a newspaper.
    #[default]
    Serif,
    /// As the rest of the screen.
    Sans,
}

/// Everything that a person can choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// The interface's language; `None`: the browser's.
    pub language: Option<Language>,
    /// Light or dark.
    pub theme: Theme,
    /// How much room an item takes in a list.
    pub density: Density,
    /// Which end of a list comes first.
    pub order: Order,
    /// Which items a list shows at first.
    pub show: Show,
    /// Where an item opens.
    pub opening: Opening,
    /// The letters of articles.
    pub font: Font,
    /// Their size, one of [`TEXT_SIZES`].
    pub text_size: u8,
    /// Characters in a line, one of [`MEASURES`].
    pub measure: u8,
    /// Whether what was scrolled past counts as read.
    pub mark_read_on_scroll: bool,
    /// Whether the tree leaves out feeds with nothing unread.
    pub hide_read_feeds: bool,
    /// Whether long lines of code are broken rather than scrolled.
    pub wrap_code: bool,
    /// Whether single keys do something (WCAG 2.1.4: who speaks to the computer, or strikes keys
    /// unawares, can do without).
    pub shortcuts: bool,
    /// The keys of one's own choice.
    pub keys: Keys,
    /// Where items can be sent to.
    #[serde(deserialize_with = "service::usable")]
    pub send_to: Vec<Service>,
    /// What pages look like in the end.
    #[serde(deserialize_with = "style_sheet::usable")]
    pub style_sheet: StyleSheet,
}

impl Preferences {
    /// Whether size and width of the text are among those that are offered.
    pub fn can_be_chosen(&self) -> bool {
        TEXT_SIZES.contains(&self.text_size) && MEASURES.contains(&self.measure)
    }
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            language: None,
            theme: Theme::default(),
            density: Density::default(),
            order: Order::default(),
            show: Show::default(),
            opening: Opening::default(),
            font: Font::default(),
            text_size: 17,
            measure: 66,
            mark_read_on_scroll: false,
            hide_read_feeds: false,
            wrap_code: false,
            shortcuts: true,
            keys: Keys::default(),
            send_to: Vec::new(),
            style_sheet: StyleSheet::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_the_best_that_the_browser_names() {
        for (header, language) in [
            ("", Language::English),
            ("ja", Language::Japanese),
            ("pt-BR,pt;q=0.9,en;q=0.8", Language::Portuguese),
            ("de-DE,de;q=0.9,ja;q=0.5,en;q=0.7", Language::English),
            ("fr", Language::English),
            ("EN;q=0.1, JA;q=0.2", Language::Japanese),
            ("ja;q=0", Language::English),
            ("ja;q=lots, en", Language::Japanese),
        ] {
            assert_eq!(Language::from_accepted(header), language, "{header}");
        }
    }
}
