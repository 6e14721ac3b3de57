//! What keys do, for the people who press them and for the script that minds them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use lede_model::keys::Action;

use super::page::Page;
use super::words::Words;

/// What belongs together in the help.
pub(crate) struct KeyGroup {
    pub(crate) label: Cow<'static, str>,
    pub(crate) rows: Vec<KeyRow>,
    /// What else is in it: keys that nobody can change.
    pub(crate) part: Part,
}

/// A part of the help.
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

/// An action with its key.
pub(crate) struct KeyRow {
    part: Part,
    pub(crate) name: &'static str,
    pub(crate) label: Cow<'static, str>,
    pub(crate) key: Option<char>,
    /// Enter does the same: it is no single character, and always works.
    pub(crate) is_also_enter: bool,
}

impl KeyRow {
    /// Whether the key is two: a capital letter needs the other hand.
    pub(crate) fn is_shifted(&self) -> bool {
        self.key.is_some_and(char::is_uppercase)
    }
}

impl Page {
    /// Every action with its key, whether keys are on or not.
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

    /// The keys that do something, by what they are for.
    pub(crate) fn live_keys(&self) -> Vec<KeyGroup> {
        let mut keys = self.keys();
        if !self.look.shortcuts {
            for row in &mut keys {
                row.key = None;
            }
        }
        keys.retain(|row| row.key.is_some() || row.is_also_enter);
        let mut groups = Part::ALL.map(|part| KeyGroup {
            label: self.say(part.label()),
            rows: Vec::new(),
            part,
        });
        for row in keys {
            let group = groups.iter_mut().find(|group| group.part == row.part);
            if let Some(group) = group {
                group.rows.push(row);
            }
        }
        // The places are reached by keys that are off with the others.
        let mut groups = Vec::from(groups);
        groups.retain(|group| self.look.shortcuts || group.part != Part::Places);
        groups
    }

    /// For the script: which key does what. Nothing when keys are off.
    pub(crate) fn keys_for_script(&self) -> Option<String> {
        let keys = self.look.keys.all();
        let keys: BTreeMap<char, &str> = keys
            .filter_map(|(action, key)| Some((key?, action.name())))
            .collect();
        let json = serde_json::to_string(&keys).ok();
        json.filter(|_| self.look.shortcuts)
    }

    /// The key that opens the next item, if there is one.
    pub(crate) fn next_key(&self) -> Option<char> {
        let key = self.look.keys.of(Action::Next);
        key.filter(|_| self.look.shortcuts)
    }
}

impl Words {
    /// What a key does, for people.
    pub(super) fn action(self, action: Action) -> Cow<'static, str> {
        self.say(match action {
            Action::Next => "keys-next",
            Action::Previous => "keys-previous",
            Action::NextUnread => "keys-next-unread",
            Action::PreviousUnread => "keys-previous-unread",
            Action::Open => "keys-open",
            Action::Read => "keys-read",
            Action::Star => "keys-star",
            Action::Labels => "keys-labels",
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
        let script = include_str!("../../assets/js/keys.js");
        let table = script.split("const ACTIONS = {").nth(1).unwrap_or_default();
        let table = table.split("};").next().unwrap_or_default().trim();
        let names = table
            .lines()
            .filter_map(|line| line.trim().split([':', ',']).next());
        let known = Action::ALL.iter().map(|action| action.name());
        assert!(names.eq(known), "{table}");
    }
}
