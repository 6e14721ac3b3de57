//! Keyboard shortcuts of the reading view: the actions, and the keys that a user has assigned to them.
//!
//! An action has a name that does not depend on its key, because the name is stored with the
//! account and is part of the API. Only deviations from the defaults are stored: a user who changed
//! one key gets the current defaults for the others. Navigation uses [`CHORD`] followed by another
//! key; those keys cannot be changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::message::messages;

/// First key of the navigation shortcuts.
pub const CHORD: char = 'g';

macro_rules! actions {
    ($($(#[$about:meta])* $action:ident $name:literal $key:literal,)+) => {
        /// An action that can have a key.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Action {
            $(
                $(#[$about])*
                #[serde(rename = $name)]
                $action,
            )+
        }

        impl Action {
            /// All actions, in the order in which they are shown.
            pub const ALL: &[Self] = &[$(Self::$action),+];

            /// Returns the name used in storage and in the API.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$action => $name,)+
                }
            }

            /// Returns the key for users who have not chosen one.
            pub const fn default_key(self) -> char {
                match self {
                    $(Self::$action => $key,)+
                }
            }
        }
    };
}

actions! {
    /// Opens the next item.
    Next "next" 'j',
    /// Opens the previous item.
    Previous "previous" 'k',
    /// Opens the next unread item.
    NextUnread "next_unread" 'n',
    /// Opens the previous unread item.
    PreviousUnread "previous_unread" 'p',
    /// Opens or closes the selected item.
    Open "open" 'o',
    /// Marks the item as read or unread.
    Read "read" 'm',
    /// Stars or unstars the item.
    Star "star" 's',
    /// Edits the labels of the item.
    Labels "labels" 'l',
    /// Switches between the feed's text and the full article.
    Text "text" 'w',
    /// Opens the original page of the item.
    Original "original" 'v',
    /// Opens the comments page of the item.
    Comments "comments" 'c',
    Share "share" 'S',
    /// Shows the services that the item can be sent to.
    Send "send" 'e',
    /// Shows the items that have arrived since the list was loaded.
    ShowNew "show_new" '.',
    /// Marks all items of the list as read.
    MarkAll "mark_all" 'A',
    /// Undoes [`Action::MarkAll`].
    Undo "undo" 'z',
    /// Focuses the search field.
    Search "search" '/',
    /// Goes to the next feed with unread items.
    NextFeed "next_feed" 'J',
    /// Goes to the previous feed with unread items.
    PreviousFeed "previous_feed" 'K',
    /// Goes to a feed by name.
    Jump "jump" ';',
    /// Fetches the feed now.
    Refresh "refresh" 'R',
    Add "add" 'a',
    /// Shows the list with titles and first lines.
    List "list" '1',
    /// Shows the list as cards.
    Cards "cards" '2',
    /// Shows the list with titles only.
    Titles "titles" '3',
    /// Switches the theme.
    Theme "theme" 't',
    /// Hides the feed tree.
    HideTree "hide_tree" '[',
    /// Shows the feed tree.
    ShowTree "show_tree" ']',
    /// Shows the list of shortcuts.
    Help "help" '?',
}

impl Action {
    /// Returns the action with the name that is used in storage and in the API.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut actions = Self::ALL.iter().copied();
        actions.find(|action| action.name() == name)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

messages! {
    /// Reason why keys cannot be assigned as requested.
    pub enum ShortcutError("shortcut-error") {
        Unknown("unknown") { action: String } => "there is no action called {action}",
        /// The key is empty, more than one character, or an invisible one.
        NotOneCharacter("not_one_character") { action: Action } => "the key of {action} must be a single letter, digit or sign",
        /// The key is [`CHORD`].
        BeginsPlaces("begins_places") { key: String, action: Action } => "the key {key} begins those of places and cannot be that of {action}",
        /// Two actions have the same key.
        Clash("clash") { key: String, one: Action, other: Action } => "the key {key} is that of both {one} and {other}; give one of them another",
    }
}

impl ShortcutError {
    /// Returns the names of the actions that the error concerns.
    pub fn actions(&self) -> Vec<&str> {
        match self {
            Self::Unknown { action } => vec![action],
            Self::NotOneCharacter { action } | Self::BeginsPlaces { action, .. } => {
                vec![action.name()]
            }
            Self::Clash { one, other, .. } => vec![one.name(), other.name()],
        }
    }
}

/// Shortcuts assigned by a user. No two actions have the same key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredShortcuts", into = "StoredShortcuts")]
pub struct Shortcuts(BTreeMap<Action, Option<char>>);

/// Shortcuts by the name of the action, as stored and as sent by clients; `None` means that the action
/// has no key.
pub type StoredShortcuts = BTreeMap<String, Option<String>>;

impl Shortcuts {
    /// Validates the assignments that a user requests; actions that are not named have their defaults.
    pub fn choose(wanted: &StoredShortcuts) -> Result<Self, ShortcutError> {
        let mut keys = Self::default();
        for (name, key) in wanted {
            let action = Action::from_name(name).ok_or_else(|| ShortcutError::Unknown {
                action: name.chars().take(40).collect(),
            })?;
            let key = key.as_deref().map(|key| one_key(action, key)).transpose()?;
            if key != Some(action.default_key()) {
                keys.0.insert(action, key);
            }
        }
        let mut met: BTreeMap<char, Action> = BTreeMap::new();
        for &action in Action::ALL {
            let chosen = keys.0.get(&action).copied();
            let Some(key) = chosen.unwrap_or(Some(action.default_key())) else {
                continue;
            };
            if let Some(other) = met.insert(key, action) {
                return Err(ShortcutError::Clash {
                    key: key.to_string(),
                    one: other,
                    other: action,
                });
            }
        }
        Ok(keys)
    }

    /// Returns the key of `action`. If the user assigned this action's default key to another
    /// action before this action existed, the key stays with the other one.
    pub fn of(&self, action: Action) -> Option<char> {
        let default = Some(action.default_key());
        match self.0.get(&action) {
            Some(chosen) => *chosen,
            None => default.filter(|_| !self.0.values().any(|chosen| *chosen == default)),
        }
    }

    /// Returns every action with its key.
    pub fn all(&self) -> impl Iterator<Item = (Action, Option<char>)> {
        Action::ALL.iter().map(|&action| (action, self.of(action)))
    }
}

/// Ignores actions unknown to this version and keys that are assigned twice.
impl From<StoredShortcuts> for Shortcuts {
    fn from(kept: StoredShortcuts) -> Self {
        let mut taken = BTreeSet::new();
        let known = kept.into_iter().filter_map(|(name, key)| {
            let action = Action::from_name(&name)?;
            let key = key.as_deref().map(|key| one_key(action, key)).transpose();
            Some((action, key.ok()?))
        });
        Self(
            known
                .filter(|(_, key)| key.is_none_or(|key| taken.insert(key)))
                .collect(),
        )
    }
}

impl From<Shortcuts> for StoredShortcuts {
    fn from(keys: Shortcuts) -> Self {
        let kept = keys.0.into_iter();
        kept.map(|(action, key)| (action.name().to_owned(), key.map(String::from)))
            .collect()
    }
}

/// Parses a key, which must be a single visible character.
fn one_key(action: Action, text: &str) -> Result<char, ShortcutError> {
    let mut characters = text.trim().nfc().map(narrow);
    let key = match (characters.next(), characters.next()) {
        (Some(key), None) if can_be_seen(key) => key,
        _ => {
            return Err(ShortcutError::NotOneCharacter { action });
        }
    };
    match key {
        CHORD => Err(ShortcutError::BeginsPlaces {
            key: key.to_string(),
            action,
        }),
        key => Ok(key),
    }
}

/// Converts full-width characters to ASCII: they come from an input method that was left on.
fn narrow(key: char) -> char {
    match key {
        '！'..='～' => char::from_u32(u32::from(key) - 0xFEE0).unwrap_or(key),
        key => key,
    }
}

/// Returns `true` if a character is visible by itself. The standard library escapes the others in
/// debug output.
fn can_be_seen(key: char) -> bool {
    !key.is_whitespace() && !key.is_control() && key.escape_debug().ne(key.escape_unicode())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wanted(keys: &[(&str, &str)]) -> StoredShortcuts {
        let keys = keys.iter();
        keys.map(|(name, key)| {
            (
                (*name).to_owned(),
                (!key.is_empty()).then(|| (*key).to_owned()),
            )
        })
        .collect()
    }

    fn chosen(keys: &[(&str, &str)]) -> Result<Shortcuts, String> {
        Shortcuts::choose(&wanted(keys)).map_err(|error| error.to_string())
    }

    #[test]
    fn the_defaults_are_keys_and_no_two_are_the_same() {
        let keys = Shortcuts::default();
        let defaults = keys.all().map(|(action, key)| {
            let key = key.map(String::from);
            (action.name().to_owned(), key)
        });
        let defaults: StoredShortcuts = defaults.collect();
        assert_eq!(defaults.len(), Action::ALL.len());
        assert_eq!(Shortcuts::choose(&defaults), Ok(Shortcuts::default()));
        for &action in Action::ALL {
            assert_eq!(Action::from_name(action.name()), Some(action));
        }
    }

    #[test]
    fn only_changed_keys_are_stored() {
        let keys = chosen(&[("star", "f"), ("next", "j"), ("mark_all", "")]).unwrap();
        assert_eq!(keys.of(Action::Star), Some('f'));
        assert_eq!(keys.of(Action::Next), Some('j'));
        assert_eq!(keys.of(Action::MarkAll), None);
        let kept = StoredShortcuts::from(keys.clone());
        assert_eq!(kept, wanted(&[("star", "f"), ("mark_all", "")]));
        assert_eq!(Shortcuts::from(kept), keys);
        // Two keys may be swapped, and a key that became free may be assigned.
        assert!(chosen(&[("next", "k"), ("previous", "j")]).is_ok());
        assert!(chosen(&[("mark_all", ""), ("star", "A")]).is_ok());
        let wide = chosen(&[("star", " ｆ ")]).unwrap();
        assert_eq!(wide.of(Action::Star), Some('f'));
    }

    #[test]
    fn what_cannot_be_a_key_is_refused_by_name() {
        for (name, key, said) in [
            (
                "star",
                "j",
                "the key j is that of both next and star; give one of them another",
            ),
            (
                "next",
                "s",
                "the key s is that of both next and star; give one of them another",
            ),
            (
                "star",
                "g",
                "the key g begins those of places and cannot be that of star",
            ),
            ("fly", "f", "there is no action called fly"),
        ] {
            assert_eq!(chosen(&[(name, key)]), Err(said.to_owned()), "{name} {key}");
        }
        let said = "the key of star must be a single letter, digit or sign";
        for key in [
            "ff",
            " ",
            "\u{1}",
            "\n",
            "\u{200b}",
            "\u{301}",
            "\u{e000}",
            "F1",
            "🏳️‍🌈",
        ] {
            assert_eq!(chosen(&[("star", key)]), Err(said.to_owned()), "{key:?}");
        }
        for key in [
            "é", "e\u{301}", "ж", "あ", "º", "²", "!", "'", "\"", "\\", "&", "<", "🦀",
        ] {
            assert!(chosen(&[("star", key)]).is_ok(), "{key}");
        }
    }

    #[test]
    fn unknown_keys_of_another_version_are_ignored() {
        let kept = wanted(&[
            ("of_tomorrow", "y"),
            ("star", "too long"),
            ("undo", "x"),
            ("theme", "x"),
            ("add", "e"),
        ]);
        let keys = Shortcuts::from(kept);
        assert_eq!(keys.of(Action::Star), Some('s'));
        // If two actions have one key, the first of them gets it.
        assert_eq!(keys.of(Action::Theme), Some('x'));
        assert_eq!(keys.of(Action::Undo), Some('z'));
        // A key that was assigned before it became another action's default stays where it is.
        assert_eq!(
            (keys.of(Action::Add), keys.of(Action::Send)),
            (Some('e'), None)
        );
    }

    proptest! {
        #[test]
        fn a_key_never_does_two_things(
            kept in prop::collection::btree_map(
                prop::sample::select(Action::ALL),
                prop::option::of(prop_oneof!["[a-z]", any::<char>().prop_map(String::from)]),
                0..12,
            ),
        ) {
            let named = |(action, key): (Action, _)| (action.name().to_owned(), key);
            let kept: StoredShortcuts = kept.into_iter().map(named).collect();
            for keys in [Some(Shortcuts::from(kept.clone())), Shortcuts::choose(&kept).ok()].into_iter().flatten() {
                let mut met = BTreeSet::new();
                for key in keys.all().filter_map(|(_, key)| key) {
                    prop_assert!(met.insert(key), "{key}");
                    prop_assert!(can_be_seen(key) && key != CHORD);
                }
            }
        }
    }
}
