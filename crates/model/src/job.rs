//! Jobs: kinds of durable work, their priority, and the reasons of failures.

/// A kind of job. The comment names the subject whose id is the job's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobKind {
    /// Fetches the article of an item from its page; an item.
    Article,
    /// Fetches the icon of a site; a feed.
    Icon,
    /// Follows the feeds of a subscription list; an import.
    Import,
    /// Delivers the pending notifications of a user through one channel; both of them
    /// (`notification::Channel::job_key`).
    Notification,
    /// Removes a private feed that its user unsubscribed from; a feed.
    Removal,
}

impl JobKind {
    /// Every kind, in the order in which they are listed.
    pub const ALL: [Self; 5] = [
        Self::Article,
        Self::Icon,
        Self::Import,
        Self::Notification,
        Self::Removal,
    ];

    /// Returns the name in rows, metrics and the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Article => "article",
            Self::Icon => "icon",
            Self::Import => "import",
            Self::Notification => "notification",
            Self::Removal => "removal",
        }
    }

    /// Parses the result of [`Self::as_str`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// Priority of a job among others of its kind. Few levels, because workers look for due jobs level
/// by level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Priority {
    /// Bulk work: backfills and whole lists.
    Low,
    /// Follow-up work for new items.
    #[default]
    Normal,
    /// A user is waiting for the result.
    High,
}

impl Priority {
    /// Every level, the most urgent first.
    pub const DESCENDING: [Self; 3] = [Self::High, Self::Normal, Self::Low];

    /// Returns the number in rows; higher is more urgent.
    pub const fn as_i64(self) -> i64 {
        match self {
            Self::Low => 0,
            Self::Normal => 1,
            Self::High => 2,
        }
    }
}

/// Reason of the last failed attempt. Rows store the code; the text is rendered when it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobError {
    /// The database did not answer, or rejected a write.
    Database,
    /// Every attempt ended with its process, without a result.
    Interrupted,
    Panicked,
    /// A server asked for fewer requests.
    RateLimited,
    /// A server did not answer, or answered with an error.
    Unreachable,
}

impl JobError {
    pub const ALL: [Self; 5] = [
        Self::Database,
        Self::Interrupted,
        Self::Panicked,
        Self::RateLimited,
        Self::Unreachable,
    ];

    /// Returns the code in rows and the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Database => "database",
            Self::Interrupted => "interrupted",
            Self::Panicked => "panicked",
            Self::RateLimited => "rate_limited",
            Self::Unreachable => "unreachable",
        }
    }

    /// Parses the result of [`Self::as_str`].
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|error| error.as_str() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_are_read_as_they_were_written() {
        for kind in JobKind::ALL {
            assert_eq!(JobKind::from_name(kind.as_str()), Some(kind));
        }
        for error in JobError::ALL {
            assert_eq!(JobError::from_code(error.as_str()), Some(error));
        }
        assert_eq!(JobKind::from_name("summary"), None);
        assert!(Priority::DESCENDING.is_sorted_by(|a, b| a.as_i64() > b.as_i64() && a > b));
    }
}
