//! Labels: tags that a user attaches to items.

use crate::category::{CategoryError, CategoryName, MAX_NAME_CHARS};
use crate::ids::LabelId;
use crate::message::messages;

/// Maximum number of labels per user: all of them are shown in the sidebar.
pub const MAX_LABELS: usize = 200;
/// Maximum number of labels per item.
pub const MAX_ON_ITEM: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    pub id: LabelId,
    /// Unique among the user's labels, ignoring case.
    pub name: String,
}

messages! {
    /// Reason why a label cannot be created, renamed or attached.
    pub enum LabelError("label-error") {
        /// The name is empty or too long.
        NameLength("name_length") { most: usize } => "must have 1 to {most} characters",
        NameCharacter("name_character") => "must not contain control characters",
        /// The user has another label with this name.
        NameTaken("name_taken") => "there is a label of that name already",
        TooMany("too_many") { most: usize } => "you have {most} labels, which is the limit",
        TooManyOnItem("too_many_on_item") { most: usize } => "an item can have at most {most} labels",
    }
}

/// A valid label name; the rules are those of category names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelName(CategoryName);

impl LabelName {
    /// Parses a typed name: trims it and folds white space.
    pub fn parse(text: &str) -> Result<Self, LabelError> {
        CategoryName::parse(text)
            .map(Self)
            .map_err(|error| match error {
                CategoryError::NameCharacter => LabelError::NameCharacter,
                _ => LabelError::NameLength {
                    most: MAX_NAME_CHARS,
                },
            })
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns a key that is equal for names that differ only in case.
    pub fn key(&self) -> String {
        self.0.key()
    }
}

/// Parses the label names typed for one item and removes duplicates.
pub fn names_of_item<T: AsRef<str>>(typed: &[T]) -> Result<Vec<LabelName>, LabelError> {
    let mut names: Vec<LabelName> = Vec::new();
    for text in typed {
        let name = LabelName::parse(text.as_ref())?;
        if names.iter().all(|other| other.key() != name.key()) {
            names.push(name);
        }
        // Inside the loop, so that a request with a million names is refused early.
        if names.len() > MAX_ON_ITEM {
            return Err(LabelError::TooManyOnItem { most: MAX_ON_ITEM });
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_an_item_are_trimmed_and_each_is_there_once() {
        let names = names_of_item(&[" To  read ", "to READ", "Été", "ÉTÉ"]).unwrap();
        let names: Vec<&str> = names.iter().map(LabelName::as_str).collect();
        assert_eq!(names, ["To read", "Été"]);
        for (bad, error) in [
            (vec![" ".to_owned()], LabelError::NameLength { most: 100 }),
            (vec!["x".repeat(101)], LabelError::NameLength { most: 100 }),
            (vec!["a\nb".to_owned()], LabelError::NameCharacter),
            (
                (0..21).map(|n| n.to_string()).collect(),
                LabelError::TooManyOnItem { most: 20 },
            ),
        ] {
            assert_eq!(names_of_item(&bad), Err(error));
        }
        assert!(names_of_item(&(0..20).map(|n| n.to_string()).collect::<Vec<_>>()).is_ok());
    }
}
