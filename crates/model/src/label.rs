//! Labels: a person's own words on items.

use crate::category::{CategoryError, CategoryName, MAX_NAME_CHARS};
use crate::ids::LabelId;
use crate::said::sentences;

/// Labels that one person may have: all of them stand beside the lists.
pub const MAX_LABELS: usize = 200;
/// Labels that one item may have.
pub const MAX_ON_ITEM: usize = 20;

/// A label of one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Its number.
    pub id: LabelId,
    /// Unique among the person's, whatever the case of its letters.
    pub name: String,
}

sentences! {
    /// Why a label cannot be as somebody wants it.
    pub enum LabelError {
        /// No name, or too much of one.
        NameLength { most: usize } = "must have 1 to {most} characters",
        /// A line break, a bell.
        NameCharacter = "must not contain control characters",
        /// Another one is called the same.
        NameTaken = "there is a label of that name already",
        /// There are enough.
        TooMany { most: usize } = "you have {most} labels, which is the limit",
        /// The item has enough.
        TooManyOnItem { most: usize } = "an item can have at most {most} labels",
    }
}

impl std::error::Error for LabelError {}

/// A name that a label may have: the same as a category may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelName(CategoryName);

impl LabelName {
    /// Reads what a person typed: trimmed, with one blank between words.
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

    /// The name as text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// What is the same for names that only differ in case.
    pub fn key(&self) -> String {
        self.0.key()
    }
}

/// Names that people typed for one item, each once.
pub fn names_of_item<T: AsRef<str>>(typed: &[T]) -> Result<Vec<LabelName>, LabelError> {
    let mut names: Vec<LabelName> = Vec::new();
    for text in typed {
        let name = LabelName::parse(text.as_ref())?;
        if names.iter().all(|other| other.key() != name.key()) {
            names.push(name);
        }
        // Not in the end: whoever sends a million is not listened to.
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
