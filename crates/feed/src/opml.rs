//! Subscription lists: OPML in, OPML out.
//!
//! Reading stands on the crate's own tokenizer and decoder instead of an XML library. Lists are
//! written by as many programs as feeds are, with the same faults: bare ampersands, HTML's
//! entities, a false charset, missing ends. All of that is forgiven there already, and an entity
//! bomb cannot go off because attributes know no entities but HTML's. Nobody builds one by mistake,
//! so it is refused all the same.
//!
//! What a list says is kept even where it is wrong: an address that cannot be followed stays as
//! text, so that whoever imports the list is told which feed failed and why. Following the feeds
//! is the importer's work.

mod read;
#[cfg(test)]
mod tests;
mod write;

use lede_model::access::{self, Access, TypedError};
use lede_model::address::WebUrl;

use crate::sniff::Document;

pub use read::read;
pub use write::write;

/// Largest list that is read: some forty thousand feeds, so that what is too much is told by its
/// number of lines.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;
/// Outlines that are read of one list (hardening 3.2).
pub const MAX_OUTLINES: usize = 10_000;
/// How deep outlines may stand in each other; what stands deeper moves up (hardening 3.2).
pub const MAX_DEPTH: usize = 16;

/// What somebody follows, in folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct List {
    /// What the list is called.
    pub title: Option<String>,
    /// Folders and feeds, in their order.
    pub outlines: Vec<Outline>,
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outline {
    /// Holds others.
    Folder(Folder),
    /// Can be followed.
    Feed(Feed),
}

/// A folder. Two of the same name are what the list said; whoever imports it joins them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Never empty: what is in a folder without name stands in the one around it.
    pub name: String,
    /// What is in it.
    pub outlines: Vec<Outline>,
}

/// A feed, as the list names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Feed {
    /// Its owner's name for it, if there is one.
    pub title: Option<String>,
    /// Where it is, as written, but for `feed:` before it. May be empty or nonsense.
    pub url: String,
    /// The page that it belongs to, as written.
    pub site_url: Option<String>,
    /// How its owner follows it, where a Lede wrote the list.
    pub settings: Settings,
}

/// What Lede adds to a feed, in a namespace of its own. Other programs skip it and miss nothing that
/// following the feed needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settings {
    /// Minutes between fetches; 0 adapts.
    pub interval_minutes: Option<i64>,
    /// Whether articles are fetched from their pages.
    pub full_text: Option<bool>,
    /// Whether its owner is told of what is new.
    pub notify: Option<bool>,
    /// Whether nothing new is wanted for now.
    pub paused: Option<bool>,
    /// Whether the title is the publisher's. In other lists it may be its owner's choice.
    pub is_publishers_title: bool,
}

/// The namespace, and what its attributes are called.
const NAMESPACE: &str = "https://github.com/lede-reader/lede/ns/opml";
const INTERVAL: &str = "lede:interval";
const FULL_TEXT: &str = "lede:fullText";
const NOTIFY: &str = "lede:notify";
const PAUSED: &str = "lede:paused";
const TITLE: &str = "lede:title";
/// The value of [`TITLE`]: the title is not its owner's own.
const PUBLISHERS: &str = "publisher";

impl Feed {
    /// The address as one that may be followed, and what other readers write before its host.
    pub fn address(&self) -> Result<(WebUrl, Access), TypedError> {
        access::typed(&self.url)
    }
}

/// A feed and the names of the folders that it stands in, from the outside in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed<'a> {
    /// Empty for a feed outside any folder.
    pub folders: Vec<&'a str>,
    /// The feed.
    pub feed: &'a Feed,
}

impl List {
    /// Every feed with its folders, in the order of the list.
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

/// A list that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// What it says.
    pub list: List,
    /// Whether it goes on after [`MAX_OUTLINES`], unread.
    pub is_truncated: bool,
    /// Whether the file ends before the list does, as one that was not copied whole.
    pub is_cut: bool,
}

/// Why a file is no list; the texts can be shown to whoever chose it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpmlError {
    /// Nothing but blanks.
    #[error("the file is empty")]
    Empty,
    /// More than [`MAX_BYTES`].
    #[error("the file is larger than {} MB", MAX_BYTES / (1024 * 1024))]
    TooLarge,
    /// A picture, an archive, a program.
    #[error("the file is not text; a subscription list (OPML) is")]
    Binary,
    /// Entities that name others or files.
    #[error("the file declares entities that stand for others or for files, which no list needs")]
    Entities,
    /// Text, but no list.
    #[error("the file is {0}, not a subscription list (OPML)")]
    NotAList(Document),
}

/// Whether `c` may not stand in XML, or is a control that says nothing in a name or an address.
fn is_unwritable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}')
}
