//! Keyboard shortcuts: labels for the help and the key map for the script.

use std::borrow::Cow;
use std::collections::BTreeMap;

use lede_model::shortcuts::Action;

use super::i18n::Translator;
use super::page::Page;

/// A group of shortcuts in the help.
pub(crate) struct KeyGroup {
    pub(crate) label: Cow<'static, str>,
    pub(crate) rows: Vec<KeyRow>,
    /// Group, from which the template adds the keys that cannot be changed.
    pub(crate) part: Part,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Move,
    Item,
    List,
    Places,
}

impl Part {
    const ALL: [Self; 4] = [Self::Move, Self::Item, Self::List, Self::Places];

    fn of(action: Action) -> Self {
        match action {
            Action::Next
            | Action::Previous
            | Action::NextUnread
            | Action::PreviousUnread
            | Action::NextFeed
            | Action::PreviousFeed => Self::Move,
            Action::Open
            | Action::Read
            | Action::Star
            | Action::Labels
            | Action::Text
            | Action::Original
            | Action::Comments
            | Action::Share
            | Action::Send => Self::Item,
            Action::ShowNew
            | Action::MarkAll
            | Action::Undo
            | Action::Refresh
            | Action::List
            | Action::Cards
            | Action::Titles
            | Action::Theme
            | Action::HideTree
            | Action::ShowTree => Self::List,
            Action::Search | Action::Jump | Action::Add | Action::Help => Self::Places,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Move => "keys-group-move",
            Self::Item => "keys-group-item",
            Self::List => "keys-group-list",
            Self::Places => "keys-group-places",
        }
    }
}

/// An action with its key and label.
pub(crate) struct KeyRow {
    part: Part,
    pub(crate) name: &'static str,
    pub(crate) label: Cow<'static, str>,
    pub(crate) key: Option<char>,
    /// True if Enter does the same. It is not a single character, and always works.
    pub(crate) is_also_enter: bool,
}

impl KeyRow {
    /// Returns `true` if the key is a capital letter, which needs Shift.
    pub(crate) fn is_shifted(&self) -> bool {
        self.key.is_some_and(char::is_uppercase)
    }
}

impl Page {
    /// Returns every action with its key, even if shortcuts are disabled.
    pub(crate) fn keys(&self) -> Vec<KeyRow> {
        let keys = self.look.keys.all().map(|(action, key)| KeyRow {
            part: Part::of(action),
            name: action.name(),
            label: self.action(action),
            key,
            is_also_enter: action == Action::Open,
        });
        keys.collect()
    }

    /// Returns the active shortcuts by group.
    pub(crate) fn live_keys(&self) -> Vec<KeyGroup> {
        let mut keys = self.keys();
        if !self.look.shortcuts {
            for row in &mut keys {
                row.key = None;
            }
        }
        keys.retain(|row| row.key.is_some() || row.is_also_enter);
        let mut groups = Part::ALL.map(|part| KeyGroup {
            label: self.t(part.label()),
            rows: Vec::new(),
            part,
        });
        for row in keys {
            let group = groups.iter_mut().find(|group| group.part == row.part);
            if let Some(group) = group {
                group.rows.push(row);
            }
        }
        // The keys for going to places are disabled with the other shortcuts.
        let mut groups = Vec::from(groups);
        groups.retain(|group| self.look.shortcuts || group.part != Part::Places);
        groups
    }

    /// Returns the map from keys to actions as JSON for the script, or `None` if shortcuts are
    /// disabled.
    pub(crate) fn keys_for_script(&self) -> Option<String> {
        let keys = self.look.keys.all();
        let keys: BTreeMap<char, &str> = keys
            .filter_map(|(action, key)| Some((key?, action.name())))
            .collect();
        let json = serde_json::to_string(&keys).ok();
        json.filter(|_| self.look.shortcuts)
    }

    /// Returns a message followed by the key of `action`, for a tooltip: `Star (s)`.
    pub(crate) fn hint(&self, message: &str, action: &str) -> String {
        let label = self.t(message);
        let key = Action::from_name(action).and_then(|action| self.look.keys.of(action));
        match key.filter(|_| self.look.shortcuts) {
            Some(key) if key.is_uppercase() => format!("{label} (Shift+{key})"),
            Some(key) => format!("{label} ({key})"),
            None => label.into(),
        }
    }

    /// Returns the key that opens the next item, unless shortcuts are disabled.
    pub(crate) fn next_key(&self) -> Option<char> {
        let key = self.look.keys.of(Action::Next);
        key.filter(|_| self.look.shortcuts)
    }
}

impl Translator {
    /// Returns the label of an action.
    pub(super) fn action(self, action: Action) -> Cow<'static, str> {
        self.t(match action {
            Action::Next => "keys-next",
            Action::Previous => "keys-previous",
            Action::NextUnread => "keys-next-unread",
            Action::PreviousUnread => "keys-previous-unread",
            Action::Open => "keys-open",
            Action::Read => "keys-read",
            Action::Star => "keys-star",
            Action::Labels => "keys-labels",
            Action::Text => "keys-text",
            Action::Original => "keys-original",
            Action::Comments => "keys-comments",
            Action::Share => "keys-share",
            Action::Send => "keys-send",
            Action::ShowNew => "keys-new",
            Action::MarkAll => "keys-all-read",
            Action::Undo => "keys-undo",
            Action::Search => "keys-search",
            Action::NextFeed => "keys-next-feed",
            Action::PreviousFeed => "keys-previous-feed",
            Action::Jump => "keys-jump",
            Action::Refresh => "keys-refresh",
            Action::Add => "keys-add",
            Action::List => "keys-list",
            Action::Cards => "keys-cards",
            Action::Titles => "keys-titles",
            Action::Theme => "keys-theme",
            Action::HideTree => "keys-hide-tree",
            Action::ShowTree => "keys-show-tree",
            Action::Help => "keys-help",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_can_do_what_every_key_is_for_and_nothing_else() {
        let script = include_str!("../../assets/js/shortcuts.js");
        let table = script.split("const ACTIONS = {").nth(1).unwrap_or_default();
        let table = table.split("};").next().unwrap_or_default().trim();
        let names = table
            .lines()
            .filter_map(|line| line.trim().split([':', ',']).next());
        let known = Action::ALL.iter().map(|action| action.name());
        assert!(names.eq(known), "{table}");
    }
}
