//! Marks: what a person did with an item.

/// A change to a person's marks on one item; what is absent stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MarkChange {
    /// Read, or unread again.
    pub read: Option<bool>,
    /// Starred, or no longer.
    pub starred: Option<bool>,
}

/// A person's marks on one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    /// Has been read.
    pub read: bool,
    /// Is starred.
    pub starred: bool,
}

/// Kinds of rows in the `mark` table. Unread is a row of its own table, so that the question
/// asked most often ("what is unread?") reads only unread rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// Kept.
    Starred,
    /// Read, and when.
    Read,
    /// Taken out of every list by a rule.
    Hidden,
}

impl MarkKind {
    /// The number in rows.
    pub const fn as_i64(self) -> i64 {
        match self {
            Self::Starred => 1,
            Self::Read => 2,
            Self::Hidden => 3,
        }
    }
}
