//! Items: from what a feed said, cleaned, to what a person sees.

use serde::{Deserialize, Serialize};

use crate::address::WebUrl;
use crate::content::{CleanHtml, ContentHash};
use crate::ids::{CategoryId, FeedId, ItemId, LabelId, UserId};
use crate::label::Label;
use crate::time::Timestamp;

/// One entry of a fetched feed, cleaned and cut to size, not yet compared with what is known.
#[derive(Debug, Clone, PartialEq)]
pub struct CleanItem {
    /// The publisher's own id for it.
    pub guid: Option<String>,
    /// Where it can be read in full.
    pub url: Option<WebUrl>,
    /// Plain text, at most 1 KiB, never empty.
    pub title: String,
    /// Plain text.
    pub author: Option<String>,
    /// The feed's text of it.
    pub html: CleanHtml,
    /// The beginning of the text, for lists: at most 500 characters.
    pub excerpt: String,
    /// When the publisher says that it appeared; nothing when that is absent or absurd.
    pub published_at: Option<Timestamp>,
    /// Of title, link, author and text.
    pub hash: ContentHash,
}

/// What an item has beside its text. Kept as JSON, so a field that is missing there is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ItemDetails {
    /// Files that belong to it: sound, film, pictures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub enclosures: Vec<Enclosure>,
    /// What the publisher filed it under.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// Where it is discussed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments_url: Option<WebUrl>,
}

/// A file that belongs to an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enclosure {
    /// Where it is.
    pub url: WebUrl,
    /// Its type, as far as the publisher says one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Its size, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The caption of a picture, plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
}

/// An item as lists show it, with one person's marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemSummary {
    /// Its number.
    pub id: ItemId,
    /// The feed it came in.
    pub feed_id: FeedId,
    /// What the person calls that feed.
    pub feed_title: String,
    /// Plain text.
    pub title: String,
    /// Where it can be read in full: a web address, checked when it was stored. Lists are long, and
    /// taking every address apart again would cost as much as all else.
    pub url: Option<String>,
    /// Plain text.
    pub author: Option<String>,
    /// What language it is in, as a two- or three-letter tag.
    pub language: Option<String>,
    /// A picture of it, likewise.
    pub image_url: Option<String>,
    /// The beginning of the text.
    pub excerpt: String,
    /// What the item says in one line.
    pub lede: String,
    /// How long it takes to read; nothing where that was never counted, or there is no text.
    pub reading_minutes: Option<i64>,
    /// When it appeared, or was first seen.
    pub published_at: Timestamp,
    /// Whether `published_at` is only when Lede first saw it.
    pub is_date_estimated: bool,
    /// Where it stands in lists: the earlier of published and first seen.
    pub sort_at: Timestamp,
    /// Whether the person has read it.
    pub is_read: bool,
    /// When the person read it, in the list that is in this order and nowhere else.
    pub read_at: Option<Timestamp>,
    /// Whether the person starred it.
    pub is_starred: bool,
    /// The person's labels on it, by name.
    pub labels: Vec<Label>,
}

impl ItemSummary {
    /// Where it stands in the list that it was found in.
    pub fn position(&self) -> Position {
        Position {
            sort_at: self.read_at.unwrap_or(self.sort_at),
            id: self.id,
        }
    }
}

/// An item as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What lists show of it.
    pub summary: ItemSummary,
    /// The feed's text of it.
    pub html: CleanHtml,
    /// The article from its page, where that was fetched and is longer.
    pub full_html: Option<CleanHtml>,
    /// What it has beside its text.
    pub details: ItemDetails,
    /// Of what its feed says; nothing when somebody brought it and no feed has said it here.
    pub content_hash: Option<ContentHash>,
    /// Whether its article may be looked for now: it was not tried within a day, and the person
    /// has not switched that off.
    pub may_fetch_article: bool,
}

impl Item {
    /// The text to read: the longer of the two.
    pub fn best_html(&self) -> &CleanHtml {
        self.full_html.as_ref().unwrap_or(&self.html)
    }
}

/// Where an item stands in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Its date; when it was read, in the list of what was.
    pub sort_at: Timestamp,
    /// It.
    pub id: ItemId,
}

impl Position {
    /// Opaque text for clients: where the page after this item of the list named `list` begins. It
    /// carries no trust: whatever it says, a person sees own items.
    pub fn to_cursor(self, list: &str) -> String {
        // Dates before 1970 are negative, and as bits they come back.
        let sort_at = self.sort_at.as_ms().cast_unsigned();
        let id = self.id.as_i64().cast_unsigned();
        format!("{}-{sort_at:x}-{id:x}", name_tag(list))
    }

    /// Reads a cursor back; `None` for anything that [`Position::to_cursor`] did not write for this
    /// list.
    pub fn from_cursor(cursor: &str, list: &str) -> Option<Self> {
        let (sort_at, id) = cursor
            .strip_prefix(&name_tag(list))?
            .strip_prefix('-')?
            .split_once('-')?;
        let number = |text: &str| {
            let is_ours = |b: u8| b.is_ascii_hexdigit() && !b.is_ascii_uppercase();
            text.bytes().all(is_ours).then_some(())?;
            u64::from_str_radix(text, 16).ok().map(u64::cast_signed)
        };
        Some(Self {
            sort_at: Timestamp::from_ms(number(sort_at)?),
            id: ItemId::from(number(id)?),
        })
    }
}

/// Tells lists apart: a cursor of one makes no sense in another.
fn name_tag(list: &str) -> String {
    let hash = ContentHash::of([list]);
    hash.as_bytes()[..4]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Of what a list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Of all that the person follows.
    #[default]
    Everything,
    /// Of one feed.
    Feed(FeedId),
    /// Of those in a category and in what is below it.
    Category(CategoryId),
    /// Of what has a label.
    Label(LabelId),
}

/// Which end of a list comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The newest item.
    #[default]
    Newest,
    /// The oldest item.
    Oldest,
}

impl Order {
    /// Reads the word that addresses and queries use.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "newest" => Some(Self::Newest),
            "oldest" => Some(Self::Oldest),
            _ => None,
        }
    }

    /// The word back.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Oldest => "oldest",
        }
    }

    /// The other way round.
    pub const fn turned(self) -> Self {
        match self {
            Self::Newest => Self::Oldest,
            Self::Oldest => Self::Newest,
        }
    }
}

/// A list of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct List {
    /// Of what.
    pub scope: Scope,
    /// Which of these items.
    pub filter: ItemFilter,
    /// In which order.
    pub order: Order,
}

impl List {
    /// What the list of `user` is called in its cursors.
    pub fn name(self, user: UserId) -> String {
        format!("{user} {self:?}")
    }
}

/// Where a page of a list begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// After this place, which need not be an item's.
    After(Position),
    /// After so many items.
    Skip(i64),
}

impl Start {
    /// At the beginning.
    pub const FIRST: Self = Self::Skip(0);
}

/// Which of the items are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ItemFilter {
    /// Every one.
    #[default]
    All,
    /// Not read yet.
    Unread,
    /// Kept with a star.
    Starred,
    /// Kept with a star and not read yet.
    UnreadStarred,
    /// The history: read by themselves, in the order of reading. It is of everything whatever the scope,
    /// because nothing keeps that order for a feed.
    Read,
}

impl ItemFilter {
    /// Reads the word that addresses and queries use.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "all" => Some(Self::All),
            "unread" => Some(Self::Unread),
            "starred" => Some(Self::Starred),
            "unread-starred" => Some(Self::UnreadStarred),
            "read" => Some(Self::Read),
            _ => None,
        }
    }

    /// The word back.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Unread => "unread",
            Self::Starred => "starred",
            Self::UnreadStarred => "unread-starred",
            Self::Read => "read",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_and_a_foreign_one_does_not() {
        for position in [(1_735_689_600_123, 42), (-5, 1), (0, i64::MAX)] {
            let position = Position {
                sort_at: Timestamp::from_ms(position.0),
                id: ItemId::from(position.1),
            };
            let cursor = position.to_cursor("unread");
            assert_eq!(Position::from_cursor(&cursor, "unread"), Some(position));
            assert_eq!(Position::from_cursor(&cursor, "starred"), None);
        }
        let tag = name_tag("unread");
        for foreign in [
            "",
            "-",
            "1",
            "1-2",
            "{tag}",
            "{tag}-1",
            "{tag}-1-",
            "{tag}--1",
            "{tag}-+1-2",
            "{tag}-1-2-3",
            "{tag}-zz-1",
            "{tag}-FF-1",
            "{tag}-ffffffffffffffffff-1",
            "{tag}-1 -2",
        ] {
            let foreign = foreign.replace("{tag}", &tag);
            assert_eq!(
                Position::from_cursor(&foreign, "unread"),
                None,
                "{foreign:?}"
            );
        }
    }
}
