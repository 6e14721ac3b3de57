//! Entries of the export document.

use lede_model::item::ItemDetails;
use lede_model::time::Timestamp;
use lede_model::user::Role;
use serde::{Deserialize, Serialize};

/// Identifies the document as an export of Lede.
pub(super) const FORMAT: &str = "lede-export";
/// Incremented if an older version of Lede would misread the document; additions do not change it.
pub(super) const VERSION: i64 = 1;

/// The owner of the document. For information only: an import changes nothing about an account.
#[derive(Serialize)]
pub(super) struct Account<'a> {
    pub(super) email: &'a str,
    pub(super) role: Role,
    pub(super) created_at: Timestamp,
}

/// A category, by the names from the top of the tree down to its own.
#[derive(Serialize, Deserialize)]
pub(super) struct Category {
    pub(super) path: Vec<String>,
    #[serde(default)]
    pub(super) position: i64,
}

/// Settings of a subscription.
#[derive(Serialize, Deserialize)]
pub(super) struct Subscription {
    pub(super) feed_url: String,
    /// The publisher's title of the feed.
    #[serde(default)]
    pub(super) feed_title: String,
    #[serde(default)]
    pub(super) site_url: Option<String>,
    /// The user's own title for the feed.
    #[serde(default)]
    pub(super) title: Option<String>,
    /// The path of its category.
    #[serde(default)]
    pub(super) category: Option<Vec<String>>,
    #[serde(default)]
    pub(super) position: i64,
    #[serde(default)]
    pub(super) interval_minutes: Option<i64>,
    #[serde(default = "yes")]
    pub(super) full_text: bool,
    #[serde(default)]
    pub(super) notify: bool,
    #[serde(default)]
    pub(super) paused_at: Option<Timestamp>,
    #[serde(default)]
    pub(super) created_at: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Label {
    pub(super) name: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct SavedSearch {
    pub(super) name: String,
    pub(super) query: String,
    #[serde(default)]
    pub(super) position: i64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Rule {
    pub(super) name: String,
    #[serde(default = "yes")]
    pub(super) enabled: bool,
    #[serde(default)]
    pub(super) query: Option<String>,
    #[serde(default)]
    pub(super) feed_url: Option<String>,
    #[serde(default)]
    pub(super) category: Option<Vec<String>>,
    #[serde(default)]
    pub(super) mark_read: bool,
    #[serde(default)]
    pub(super) star: bool,
    #[serde(default)]
    pub(super) hide: bool,
    #[serde(default)]
    pub(super) notify: bool,
    /// The name of the label that the rule adds.
    #[serde(default)]
    pub(super) label: Option<String>,
}

/// For information only: the password is not stored and cannot be exported.
#[derive(Serialize)]
pub(super) struct AppPassword {
    pub(super) name: String,
    pub(super) scope: String,
}

/// A starred or labelled item with everything that is stored of it.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedItem {
    pub(super) feed_url: String,
    /// For items of feeds that are not among the subscriptions.
    #[serde(default)]
    pub(super) feed_title: Option<String>,
    pub(super) key: String,
    #[serde(default)]
    pub(super) url: Option<String>,
    pub(super) title: String,
    #[serde(default)]
    pub(super) author: Option<String>,
    #[serde(default)]
    pub(super) language: Option<String>,
    #[serde(default)]
    pub(super) image_url: Option<String>,
    #[serde(default)]
    pub(super) published_at: Option<Timestamp>,
    #[serde(default)]
    pub(super) first_seen_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) starred_at: Option<Timestamp>,
    /// The names of its labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) labels: Vec<String>,
    pub(super) html: String,
    #[serde(default)]
    pub(super) full_html: Option<String>,
    #[serde(default)]
    pub(super) details: ItemDetails,
}

/// Read and hidden marks on items of one feed.
#[derive(Serialize, Deserialize)]
pub(super) struct FeedMarks {
    pub(super) feed_url: String,
    pub(super) items: Vec<ItemMarks>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ItemMarks {
    pub(super) key: String,
    pub(super) read: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) read_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) hidden: bool,
}

fn yes() -> bool {
    true
}
