//! Subscription lists: reading and writing OPML.
//!
//! Reading uses the crate's own tokenizer and decoder instead of an XML library. Lists are written
//! by as many programs as feeds are, with the same errors: bare ampersands, HTML entities, a wrong
//! charset, missing end tags. The tokenizer tolerates all of that already, and an entity bomb is
//! harmless because attributes support only HTML's entities. It is refused all the same, since it
//! is never an accident.
//!
//! Invalid values are preserved: an address that cannot be fetched stays as text, so that the user
//! who imports the list learns which feed failed and why. Subscribing to the feeds is the task of
//! the importer.

mod read;
#[cfg(test)]
mod tests;
mod write;

use lede_model::address::WebUrl;
use lede_model::credentials::{self, Access, TypedError};

pub use read::read;
pub use write::write;

/// Maximum size of a list: about forty thousand feeds, so that a list that is too long is reported
/// by its number of outlines.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;
/// Maximum number of outlines that are read from one list.
pub const MAX_OUTLINES: usize = 10_000;
/// Maximum nesting depth of outlines; deeper ones move up.
pub const MAX_DEPTH: usize = 16;

/// Subscriptions of a user, in folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct List {
    pub title: Option<String>,
    /// Folders and feeds, in document order.
    pub outlines: Vec<Outline>,
}

/// Entry of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outline {
    Folder(Folder),
    Feed(Feed),
}

/// Folder of a list. Folders with the same name are not merged here; the importer does that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Never empty: the outlines of a folder without a name belong to the enclosing folder.
    pub name: String,
    pub outlines: Vec<Outline>,
}

/// Feed as described in the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Feed {
    /// Title in the list; may be the user's own.
    pub title: Option<String>,
    /// URL of the feed as written, without a `feed:` prefix. May be empty or invalid.
    pub url: String,
    /// URL of the website as written.
    pub site_url: Option<String>,
    /// Subscription settings, if the list was written by Lede.
    pub settings: Settings,
}

/// Subscription settings that Lede writes in a namespace of its own. Other programs ignore them and
/// lose nothing that is needed to subscribe.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settings {
    /// Minutes between fetches; 0 means adaptive.
    pub interval_minutes: Option<i64>,
    /// True if articles are fetched from their pages.
    pub full_text: Option<bool>,
    /// True if the user is notified of new items.
    pub notify: Option<bool>,
    /// True if the subscription is paused: the user wants no new items for now.
    pub paused: Option<bool>,
    /// True if the title is the publisher's. In other lists it may be the user's choice.
    pub is_publishers_title: bool,
}

/// XML namespace of the settings, and the names of its attributes.
const NAMESPACE: &str = "https://github.com/lede-reader/lede/ns/opml";
const INTERVAL: &str = "lede:interval";
const FULL_TEXT: &str = "lede:fullText";
const NOTIFY: &str = "lede:notify";
const PAUSED: &str = "lede:paused";
const TITLE: &str = "lede:title";
/// Value of [`TITLE`] if the title is the publisher's and not the user's.
const PUBLISHERS: &str = "publisher";

impl Feed {
    /// Parses the URL, and splits off the credentials that other feed readers write before the
    /// host.
    pub fn address(&self) -> Result<(WebUrl, Access), TypedError> {
        credentials::typed(&self.url)
    }
}

/// Feed with the names of its folders, outermost first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed<'a> {
    /// Empty for a feed outside any folder.
    pub folders: Vec<&'a str>,
    pub feed: &'a Feed,
}

impl List {
    /// Returns every feed with its folders, in document order.
    pub fn feeds(&self) -> Vec<Placed<'_>> {
        let mut found = Vec::new();
        collect(&self.outlines, &mut Vec::new(), &mut found);
        found
    }
}

fn collect<'a>(outlines: &'a [Outline], folders: &mut Vec<&'a str>, found: &mut Vec<Placed<'a>>) {
    for outline in outlines {
        match outline {
            Outline::Feed(feed) => found.push(Placed {
                folders: folders.clone(),
                feed,
            }),
            Outline::Folder(folder) => {
                folders.push(&folder.name);
                collect(&folder.outlines, folders, found);
                folders.pop();
            }
        }
    }
}

/// Result of reading a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedList {
    pub list: List,
    /// True if the list continues after [`MAX_OUTLINES`]; the rest was not read.
    pub is_truncated: bool,
    /// True if the file ends before the list does, as after an incomplete copy.
    pub is_cut: bool,
}

/// Returns `true` if `c` is not allowed in XML, or is a control character that is meaningless in a
/// name or an address.
fn is_unwritable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}')
}
