//! Marks: the read and starred state of an item for one user.

/// A change to a user's marks on one item; `None` leaves a mark as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MarkChange {
    pub read: Option<bool>,
    pub starred: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    pub read: bool,
    pub starred: bool,
}

/// Kinds of rows in the `mark` table. Unread items are in a table of their own, so that the most
/// frequent query ("what is unread?") reads only unread rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    Starred,
    /// The row also holds the time of reading.
    Read,
    /// Removed from every list by a rule.
    Hidden,
}

impl MarkKind {
    /// Returns the number used in rows.
    pub const fn as_i64(self) -> i64 {
        match self {
            Self::Starred => 1,
            Self::Read => 2,
            Self::Hidden => 3,
        }
    }
}
