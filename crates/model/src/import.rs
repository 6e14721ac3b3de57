//! Imports of subscription lists.

use serde::{Deserialize, Serialize};

use crate::address::WebUrl;
use crate::feed_error::FeedError;
use crate::ids::{CategoryId, FeedId, ImportId};
use crate::message::messages;

messages! {
    /// Reason why a file is not imported as a subscription list.
    pub enum OpmlError("opml-error") {
        /// The file contains only white space.
        Empty("empty") => "the file is empty",
        TooLarge("too_large") { megabytes: usize } => "the file is larger than {megabytes} MB",
        /// The file is an image, an archive or a program.
        Binary("binary") => "the file is not text; a subscription list (OPML) is",
        /// The file declares entities that refer to other entities or to files.
        Entities("entities") => "the file declares entities that stand for others or for files, which no list needs",
        Feed("feed") => "the file is a feed, not a subscription list (OPML)",
        Json("json") => "the file is a JSON document, not a subscription list (OPML)",
        Page("page") => "the file is a web page, not a subscription list (OPML)",
        OtherXml("other_xml") => "the file is an XML document of another kind, not a subscription list (OPML)",
        Other("other") => "the file is something else, not a subscription list (OPML)",
        TooManyLines("too_many_lines") { most: usize } => "the list has more than {most} lines; split it into several files",
        TooSlow("too_slow") => "the file takes too long to read",
    }
}

/// An entry of a subscription list that names a feed.
#[derive(Debug, Clone)]
pub struct ImportEntry {
    /// Address of the feed in normalised form, or the text from the list if it is not a valid address.
    pub url: String,
    /// Title in the list.
    pub title: Option<String>,
    pub details: ImportDetails,
    /// The result, if it is known before the import starts.
    pub settled: Option<Settled>,
}

/// Properties of a feed in a subscription list, besides its address and title.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportDetails {
    /// The user's category for the folder that contains the feed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<CategoryId>,
    /// Home page of the feed's site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_url: Option<WebUrl>,
    /// True if the title is the publisher's, and not one chosen by the user.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_publishers_title: bool,
    /// Minutes between fetches; 0 adapts to the feed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_minutes: Option<i64>,
    /// True if articles are fetched from their pages; `None` if the list does not specify it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_text: Option<bool>,
    /// True if the user is notified of new items.
    #[serde(default, skip_serializing_if = "is_false")]
    pub notify: bool,
    /// True if the subscription is paused.
    #[serde(default, skip_serializing_if = "is_false")]
    pub paused: bool,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// Result of the import of one feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The user is now subscribed.
    Added,
    /// The user was already subscribed.
    Existing,
    /// The user is not subscribed.
    Failed,
}

impl Outcome {
    /// Returns the name used in rows and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Existing => "existing",
            Self::Failed => "failed",
        }
    }

    /// Parses the name used in rows and in JSON.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "added" => Some(Self::Added),
            "existing" => Some(Self::Existing),
            "failed" => Some(Self::Failed),
            _ => None,
        }
    }
}

/// An outcome with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Settled {
    pub outcome: Outcome,
    pub reason: Option<FeedError>,
}

/// Progress of the import of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportProgress {
    pub id: ImportId,
    /// True if all feeds of the list have been processed.
    pub is_finished: bool,
    /// Number of feeds in the list.
    pub total: i64,
    /// Number of new subscriptions.
    pub added: i64,
    /// Number of feeds that the user was already subscribed to.
    pub existing: i64,
    /// Number of feeds that could not be subscribed to.
    pub failed: i64,
}

impl ImportProgress {
    /// Returns the number of feeds that have been processed.
    pub const fn done(&self) -> i64 {
        self.added + self.existing + self.failed
    }
}

/// First fetches of the feeds that an import added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportFetches {
    pub fetched: i64,
    pub failed: i64,
    pub waiting: i64,
}

/// A feed that an import added and that could not be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfetchedFeed {
    pub id: FeedId,
    pub title: String,
    pub url: String,
    pub reason: Option<FeedError>,
}

/// Result of one feed of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportResult {
    /// Address of the feed, or the text from the list if it is not a valid address.
    pub url: String,
    /// Title in the list.
    pub title: Option<String>,
    /// `None` while the feed is pending.
    pub outcome: Option<Outcome>,
    pub reason: Option<FeedError>,
}

impl std::fmt::Display for ImportResult {
    /// Writes the address, or the title if there is none, and the reason. A result that concerns
    /// the whole list has neither of the former.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.title.as_deref().unwrap_or_default();
        let what = Some(self.url.as_str()).filter(|url| !url.is_empty());
        let what = what.unwrap_or(name);
        match &self.reason {
            Some(reason) if what.is_empty() => write!(f, "{reason}"),
            Some(reason) => write!(f, "{what}: {reason}"),
            None => f.write_str(what),
        }
    }
}
