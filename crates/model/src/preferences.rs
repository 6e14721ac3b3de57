//! Display and behaviour settings of a user.
//!
//! Every setting has a default that suits most users. The user's choices are stored with the
//! account, so that they apply in every browser.

use serde::{Deserialize, Serialize};

use crate::item::Order;
use crate::share_target::{self, ShareTarget};
use crate::shortcuts::Shortcuts;
use crate::style_sheet::{self, StyleSheet};

/// Font sizes offered for articles, in CSS pixels.
pub const TEXT_SIZES: [u8; 7] = [15, 16, 17, 18, 20, 22, 25];
/// Line lengths offered for articles, in characters.
pub const MEASURES: [u8; 5] = [55, 60, 66, 72, 80];

/// A language of the user interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    #[serde(rename = "en")]
    English,
    #[serde(rename = "ja")]
    Japanese,
    #[serde(rename = "pt")]
    Portuguese,
}

impl Language {
    pub const ALL: [Self; 3] = [Self::English, Self::Japanese, Self::Portuguese];

    /// Returns the language tag (RFC 5646).
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Japanese => "ja",
            Self::Portuguese => "pt",
        }
    }

    /// Returns the name of the language in the language itself.
    pub const fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Japanese => "日本語",
            Self::Portuguese => "Português",
        }
    }

    /// Parses a language tag, ignoring its region.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next()?;
        Self::ALL
            .into_iter()
            .find(|language| language.tag().eq_ignore_ascii_case(primary))
    }

    /// Returns the preferred language of an `Accept-Language` header (RFC 9110 §12.5.4); English if
    /// it names none that is supported.
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

/// Colour scheme of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Follows the setting of the device.
    #[default]
    System,
    Light,
    Dark,
    /// Dark on a black background, for OLED screens and dark rooms.
    Black,
    /// Light on a warm background.
    Sepia,
}

/// Layout of the items in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Density {
    /// Title and lede, in two lines.
    #[default]
    List,
    /// Title, first lines and an image.
    Cards,
    /// One line per item.
    Titles,
}

/// Items that a list shows by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Show {
    #[default]
    Unread,
    All,
}

/// Position in which an opened item is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opening {
    /// Beside the list if the window is wide enough, else in the list.
    #[default]
    Beside,
    /// Always in the list.
    InPlace,
}

/// Typeface of articles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Font {
    #[default]
    Serif,
    /// The typeface of the rest of the interface.
    Sans,
}

/// All settings that a user can choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// Language of the interface; `None` follows the browser.
    pub language: Option<Language>,
    pub theme: Theme,
    pub density: Density,
    pub order: Order,
    pub show: Show,
    pub opening: Opening,
    pub font: Font,
    /// Font size of articles, one of [`TEXT_SIZES`].
    pub text_size: u8,
    /// Characters in a line, one of [`MEASURES`].
    pub measure: u8,
    /// True if items are marked as read once they are scrolled past.
    pub mark_read_on_scroll: bool,
    /// True if the feed tree hides feeds without unread items.
    pub hide_read_feeds: bool,
    /// True if the next feed with unread items opens after all items of a feed are marked as read.
    pub next_after_mark_all: bool,
    /// True if rows of a list have a small image.
    pub thumbnails: bool,
    /// True if long lines of code are wrapped instead of scrolled.
    pub wrap_code: bool,
    /// True if single-key shortcuts are enabled. Users of speech input, or who press keys
    /// unintentionally, can turn them off (WCAG 2.1.4).
    pub shortcuts: bool,
    /// Shortcuts assigned by the user.
    pub keys: Shortcuts,
    /// Services that items can be sent to.
    #[serde(deserialize_with = "share_target::usable")]
    pub send_to: Vec<ShareTarget>,
    /// The user's own style sheet, applied after Lede's.
    #[serde(deserialize_with = "style_sheet::usable")]
    pub style_sheet: StyleSheet,
}

impl Preferences {
    /// Returns `true` if text size and line length are among those that are offered.
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
            next_after_mark_all: false,
            thumbnails: false,
            wrap_code: false,
            shortcuts: true,
            keys: Shortcuts::default(),
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
