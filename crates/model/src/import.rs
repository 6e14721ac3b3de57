//! Subscription lists that are taken in.

use serde::{Deserialize, Serialize};

use crate::address::WebUrl;
use crate::ids::{CategoryId, ImportId};

/// A line of a list that names a feed.
#[derive(Debug, Clone)]
pub struct ImportEntry {
    /// Where the feed is: one address for all ways to write it, or the text that is none.
    pub url: String,
    /// What the list calls it.
    pub title: Option<String>,
    /// What else the list says.
    pub details: ImportDetails,
    /// What became of it, where that is known before anything is tried.
    pub settled: Option<Settled>,
}

/// What a list says about a feed beside its address and name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportDetails {
    /// The person's category for the folder that it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<CategoryId>,
    /// The site that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_url: Option<WebUrl>,
    /// Whether its name is the publisher's, and not one that the person chose.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_publishers_title: bool,
    /// Minutes between fetches; 0 adapts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_minutes: Option<i64>,
    /// Whether articles are fetched from their pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_text: Option<bool>,
    /// Whether the person is told of what is new.
    #[serde(default, skip_serializing_if = "is_false")]
    pub notify: bool,
    /// Whether nothing new is wanted for now.
    #[serde(default, skip_serializing_if = "is_false")]
    pub paused: bool,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// What became of a feed of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It is followed from now on.
    Added,
    /// It was followed already.
    Existing,
    /// It is not followed.
    Failed,
}

impl Outcome {
    /// The word in rows and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Existing => "existing",
            Self::Failed => "failed",
        }
    }

    /// Reads the word back.
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
    /// What became of it.
    pub outcome: Outcome,
    /// Why, for people.
    pub reason: Option<String>,
}

/// How far the taking in of a list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportProgress {
    /// Which.
    pub id: ImportId,
    /// Whether all of its feeds have been worked on.
    pub is_finished: bool,
    /// Feeds that it names.
    pub total: i64,
    /// Those that are followed from now on.
    pub added: i64,
    /// Those that were followed already.
    pub existing: i64,
    /// Those that are not followed.
    pub failed: i64,
}

impl ImportProgress {
    /// Feeds that have been worked on.
    pub const fn done(&self) -> i64 {
        self.added + self.existing + self.failed
    }
}

/// What became of one feed of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportResult {
    /// Where it is, or the text that is no address.
    pub url: String,
    /// What the list calls it.
    pub title: Option<String>,
    /// Nothing as long as it waits.
    pub outcome: Option<Outcome>,
    /// Why, for people.
    pub reason: Option<String>,
}

impl std::fmt::Display for ImportResult {
    /// The address, or the name where there is none, and the reason. What is about the whole list has neither.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.title.as_deref().unwrap_or_default();
        let what = Some(self.url.as_str()).filter(|url| !url.is_empty());
        let what = what.unwrap_or(name);
        match &self.reason {
            Some(reason) if what.is_empty() => f.write_str(reason),
            Some(reason) => write!(f, "{what}: {reason}"),
            None => f.write_str(what),
        }
    }
}
