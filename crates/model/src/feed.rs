//! Feeds, which all users share, and the subscriptions of a user to them.

use serde::Serialize;

use crate::address::WebUrl;
use crate::feed_error::FeedError;
use crate::ids::{CategoryId, FeedId, SubscriptionId, UserId};
use crate::input::InputError;
use crate::name::composed;
use crate::schedule::ScheduleReason;
use crate::time::Timestamp;

/// A feed, shared by all of its subscribers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    pub id: FeedId,
    /// Address the feed is fetched from.
    pub url: WebUrl,
    /// Home page of the feed's site.
    pub site_url: Option<WebUrl>,
    /// Title given by the publisher.
    pub title: String,
    pub status: FeedStatus,
    /// The only user who may subscribe, because the feed is or was fetched with credentials that
    /// this user entered (see `model::access`). `None` for a feed that every user may subscribe to.
    pub owner: Option<UserId>,
}

impl Feed {
    /// Returns `true` if the feed belongs to a user other than `user`.
    pub fn is_private_to_other(&self, user: UserId) -> bool {
        self.owner.is_some_and(|owner| owner != user)
    }
}

/// Fetch state of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedStatus {
    /// Fetched as scheduled.
    Active,
    /// The last fetch failed; it will be retried.
    Error,
    /// Not fetched until a user resumes it.
    Stopped,
}

impl FeedStatus {
    /// Returns the name used in rows and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Error => "error",
            Self::Stopped => "stopped",
        }
    }

    /// Parses the name; an unknown one counts as [`FeedStatus::Error`].
    pub fn from_word(word: &str) -> Self {
        match word {
            "active" => Self::Active,
            "stopped" => Self::Stopped,
            _ => Self::Error,
        }
    }
}

/// Data of a feed that is added after its first successful fetch.
#[derive(Debug, Clone)]
pub struct NewFeed {
    /// Address of the feed; temporary redirects do not change it.
    pub url: WebUrl,
    /// Home page of the feed's site.
    pub site_url: Option<WebUrl>,
    /// Title given by the publisher, or the host if there is none.
    pub title: String,
    /// Validators for the next request.
    pub validators: Validators,
}

/// Validators that make the next request conditional (RFC 9110 §13).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag`, as received.
    pub etag: Option<String>,
    /// `Last-Modified`, as received.
    pub last_modified: Option<String>,
}

/// A user's subscription to a feed, with the state that the feed list shows.
#[derive(Debug, Clone)]
pub struct Subscription {
    /// Id of the subscription; a feed has one for each subscriber.
    pub id: SubscriptionId,
    pub feed: Feed,
    /// Title chosen by the user.
    pub title_override: Option<String>,
    /// `None` if the subscription is in no category.
    pub category: Option<CategoryId>,
    /// Position in the category; equal positions are ordered by title.
    pub position: i64,
    /// Number of unread items of the user.
    pub unread: i64,
    /// Minutes between fetches as chosen by the user; 0 adapts to the feed, `None` is the default.
    pub interval_minutes: Option<i64>,
    /// True if articles are fetched from their pages where the feed has only excerpts.
    pub full_text: bool,
    /// True if the user is notified of new items.
    pub notify: bool,
    /// Time since which the user has paused the subscription; `None` if it is not paused.
    pub paused_at: Option<Timestamp>,
    /// True if the site's icon is stored.
    pub has_icon: bool,
    pub created_at: Timestamp,
    pub last_fetched_at: Option<Timestamp>,
    /// Time of the next fetch; `None` if none is planned.
    pub next_fetch_at: Option<Timestamp>,
    /// Reason for the time of the next fetch, or for its absence.
    pub next_fetch_why: Option<ScheduleReason>,
    /// Result code of the last fetch; `None` before the first one.
    pub last_fetch_status: Option<String>,
    /// Error of the last failed fetch.
    pub last_error: Option<FeedError>,
    /// Number of failed fetches since the last successful one.
    pub failures_in_a_row: i64,
    /// Time of the first of those failures.
    pub failing_since: Option<Timestamp>,
    /// True if the user has entered credentials or headers for the feed.
    pub has_access: bool,
    /// Target of a permanent redirect that has not been adopted yet.
    pub moving_to: Option<WebUrl>,
}

impl Subscription {
    /// Returns the title to show: the user's own, or the publisher's.
    pub fn title(&self) -> &str {
        self.title_override.as_deref().unwrap_or(&self.feed.title)
    }

    /// Returns `true` if no new items arrive: the feed is stopped, or the user has paused it.
    pub fn is_disabled(&self) -> bool {
        self.paused_at.is_some() || self.feed.status == FeedStatus::Stopped
    }
}

/// Result of the last fetch, as a filter in the list of feeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedHealth {
    /// The last fetch succeeded.
    Working,
    /// Not fetched yet.
    Pending,
    /// The last fetch failed.
    Error,
}

impl FeedHealth {
    /// Returns the name used in queries.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Pending => "pending",
            Self::Error => "error",
        }
    }

    /// Parses the name used in queries.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Working, Self::Pending, Self::Error]
            .into_iter()
            .find(|health| health.as_str() == word)
    }

    /// Converts the result code of the last fetch; `None` means that there was none.
    pub fn after(last_fetch_status: Option<&str>) -> Self {
        match last_fetch_status {
            None => Self::Pending,
            Some("success") => Self::Working,
            Some(_) => Self::Error,
        }
    }
}

/// A user's feed as a row of the feed list.
#[derive(Debug, Clone)]
pub struct FeedLine {
    pub id: FeedId,
    /// The user's own title, or the publisher's.
    pub name: String,
    /// Address the feed is fetched from.
    pub url: WebUrl,
    pub status: FeedStatus,
    pub health: FeedHealth,
    /// True if the user has paused the subscription.
    pub is_paused: bool,
    pub last_fetched_at: Option<Timestamp>,
    /// Time of the next fetch; `None` if none is planned.
    pub next_fetch_at: Option<Timestamp>,
    /// Error of the last failed fetch.
    pub last_error: Option<FeedError>,
}

/// Maximum length of a title chosen by a user, in characters.
pub const MAX_OWN_TITLE_CHARS: usize = 500;

/// Parses a title chosen by a user: folds it to one line and normalises it to NFC. Returns `None`
/// if it is blank.
pub fn own_title(text: &str) -> Result<Option<String>, InputError> {
    if text.chars().any(char::is_control) || text.chars().count() > MAX_OWN_TITLE_CHARS {
        return Err(InputError::BadTitle {
            most: MAX_OWN_TITLE_CHARS,
        });
    }
    let text = composed(text);
    let title = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok((!title.is_empty()).then_some(title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_title_is_none_and_a_wild_one_is_refused() {
        for (text, expected) in [
            (" My   feed ", Ok(Some("My feed".to_owned()))),
            ("", Ok(None)),
            (" \u{3000}", Ok(None)),
            (
                "a\u{0}b",
                Err(InputError::BadTitle {
                    most: MAX_OWN_TITLE_CHARS,
                }),
            ),
            (
                &"x".repeat(501),
                Err(InputError::BadTitle {
                    most: MAX_OWN_TITLE_CHARS,
                }),
            ),
        ] {
            assert_eq!(own_title(text), expected, "{text:?}");
        }
    }
}
