//! Feeds and the following of them.

use serde::Serialize;

use crate::address::WebUrl;
use crate::ids::{CategoryId, FeedId, SubscriptionId, UserId};
use crate::name::composed;
use crate::time::Timestamp;

/// A feed as it is known to everybody who follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    /// Its number; the catalogue calls it the source's.
    pub id: FeedId,
    /// Where it is fetched from.
    pub url: WebUrl,
    /// The site it belongs to.
    pub site_url: Option<WebUrl>,
    /// What the publisher calls it.
    pub title: String,
    /// What the last fetch said.
    pub status: FeedStatus,
    /// The one person who may follow it, because it is or was read with what that person entered
    /// (`model::access`). Nothing for a feed that everybody may follow.
    pub keeper: Option<UserId>,
}

impl Feed {
    /// Whether it is somebody else's alone.
    pub fn is_kept_from(&self, user: UserId) -> bool {
        self.keeper.is_some_and(|keeper| keeper != user)
    }
}

/// Whether a feed is alive, in Reader's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedStatus {
    /// Fetched as scheduled.
    Active,
    /// The last fetch failed; it is tried again.
    Error,
    /// No longer tried until somebody resumes it.
    Stopped,
}

impl FeedStatus {
    /// The word in rows and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Error => "error",
            Self::Stopped => "stopped",
        }
    }

    /// Reads the word back; an unknown one is a feed in trouble, not a crash.
    pub fn from_word(word: &str) -> Self {
        match word {
            "active" => Self::Active,
            "stopped" => Self::Stopped,
            _ => Self::Error,
        }
    }
}

/// What is known about a feed when it is first met, after one good fetch.
#[derive(Debug, Clone)]
pub struct NewFeed {
    /// Where it was found, after temporary redirects were ignored.
    pub url: WebUrl,
    /// The site it belongs to.
    pub site_url: Option<WebUrl>,
    /// What the publisher calls it; the host's name where there is nothing.
    pub title: String,
    /// What the server wants back on the next request.
    pub validators: Validators,
}

/// What makes the next request conditional (RFC 9110 §13).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag`, as sent.
    pub etag: Option<String>,
    /// `Last-Modified`, as sent.
    pub last_modified: Option<String>,
}

/// One person's feed, as the tree shows it.
#[derive(Debug, Clone)]
pub struct Subscription {
    /// Its own number; a feed has one for each follower.
    pub id: SubscriptionId,
    /// The feed that is followed.
    pub feed: Feed,
    /// The person's own name for it.
    pub title_override: Option<String>,
    /// The person's category that it stands in, if it stands in one.
    pub category: Option<CategoryId>,
    /// Its place among those of the same category; the title decides between equals.
    pub position: i64,
    /// Items of it that the person has not read.
    pub unread: i64,
    /// Minutes between fetches that the person asked for; 0 adapts, `None` is the usual.
    pub interval_minutes: Option<i64>,
    /// Whether articles are fetched from their pages where the feed has only their beginning.
    pub full_text: bool,
    /// Whether the person is told of what is new in it.
    pub notify: bool,
    /// Since when the person wants nothing new from it; nothing when they do.
    pub paused_at: Option<Timestamp>,
    /// Whether the site's icon is here.
    pub has_icon: bool,
    /// When the person began to follow it.
    pub created_at: Timestamp,
    /// When it was last fetched.
    pub last_fetched_at: Option<Timestamp>,
    /// When it will be fetched again, and nothing when it will not.
    pub next_fetch_at: Option<Timestamp>,
    /// Why then, or why not, in words for people.
    pub next_fetch_why: Option<String>,
    /// Vibe's word for how the last fetch went.
    pub last_fetch_status: Option<String>,
    /// What went wrong last, in words for people.
    pub last_error: Option<String>,
    /// How often it failed since it last went well.
    pub failures_in_a_row: i64,
    /// When the first of those failures was.
    pub failing_since: Option<Timestamp>,
    /// Whether its server is shown something that the person entered.
    pub has_access: bool,
    /// Where a permanent redirect of it points.
    pub moving_to: Option<WebUrl>,
}

impl Subscription {
    /// The name to show: the person's own, or the publisher's.
    pub fn title(&self) -> &str {
        self.title_override.as_deref().unwrap_or(&self.feed.title)
    }

    /// Whether nothing new comes of it, because it was given up or the person paused it.
    pub fn is_disabled(&self) -> bool {
        self.paused_at.is_some() || self.feed.status == FeedStatus::Stopped
    }
}

/// How a feed does, in the words by which people choose among their feeds (Vibe's).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedHealth {
    /// The last fetch went well.
    Working,
    /// It was not fetched yet.
    Pending,
    /// The last fetch failed.
    Error,
}

impl FeedHealth {
    /// The word in queries.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Pending => "pending",
            Self::Error => "error",
        }
    }

    /// Reads the word back.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Working, Self::Pending, Self::Error]
            .into_iter()
            .find(|health| health.as_str() == word)
    }

    /// What the word for the last fetch means; there is none before the first.
    pub fn after(last_fetch_status: Option<&str>) -> Self {
        match last_fetch_status {
            None => Self::Pending,
            Some("success") => Self::Working,
            Some(_) => Self::Error,
        }
    }
}

/// One person's feed, as a line among many.
#[derive(Debug, Clone)]
pub struct FeedLine {
    /// The feed that is followed.
    pub id: FeedId,
    /// The person's own name for it, or the publisher's.
    pub name: String,
    /// Where it is fetched from.
    pub url: WebUrl,
    /// Whether it is still tried.
    pub status: FeedStatus,
    /// How the last fetch went.
    pub health: FeedHealth,
    /// Whether the person wants nothing new from it for now.
    pub is_paused: bool,
    /// When it was last fetched.
    pub last_fetched_at: Option<Timestamp>,
    /// When it will be fetched again, and nothing when it will not.
    pub next_fetch_at: Option<Timestamp>,
    /// What went wrong last, in words for people.
    pub last_error: Option<String>,
}

/// Longest name that a person may give a feed, in characters.
pub const MAX_OWN_TITLE_CHARS: usize = 500;

/// A text that cannot be the name of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must have at most {MAX_OWN_TITLE_CHARS} characters, and no control characters")]
pub struct NotATitle;

/// A person's own name for a feed, from what they typed: one line; nothing when it is blank.
pub fn own_title(text: &str) -> Result<Option<String>, NotATitle> {
    if text.chars().any(char::is_control) || text.chars().count() > MAX_OWN_TITLE_CHARS {
        return Err(NotATitle);
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
            ("a\u{0}b", Err(NotATitle)),
            (&"x".repeat(501), Err(NotATitle)),
        ] {
            assert_eq!(own_title(text), expected, "{text:?}");
        }
    }
}
