//! Items: from what a feed said, cleaned, to what a person sees.

use serde::{Deserialize, Serialize};

use crate::address::WebUrl;
use crate::content::{CleanHtml, ContentHash};
use crate::ids::{FeedId, ItemId};
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
    /// Where it can be read in full.
    pub url: Option<WebUrl>,
    /// Plain text.
    pub author: Option<String>,
    /// What language it is in, as a two- or three-letter tag.
    pub language: Option<String>,
    /// A picture of it.
    pub image_url: Option<WebUrl>,
    /// The beginning of the text.
    pub excerpt: String,
    /// What the item says in one line.
    pub lede: String,
    /// When it appeared, or was first seen.
    pub published_at: Timestamp,
    /// Whether `published_at` is only when Lede first saw it.
    pub is_date_estimated: bool,
    /// Where it stands in lists: the earlier of published and first seen.
    pub sort_at: Timestamp,
    /// Whether the person has read it.
    pub is_read: bool,
    /// Whether the person starred it.
    pub is_starred: bool,
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

/// Where a page of a list begins: after the item with this date and id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The last item's place.
    pub sort_at: Timestamp,
    /// The last item.
    pub id: ItemId,
}

impl Position {
    /// Opaque text for clients. It carries no trust: whatever it says, a person sees own items.
    pub fn to_cursor(self) -> String {
        format!("{:x}-{:x}", self.sort_at.as_ms(), self.id.as_i64())
    }

    /// Reads a cursor back; `None` for anything that [`Position::to_cursor`] did not write.
    pub fn from_cursor(cursor: &str) -> Option<Self> {
        let (sort_at, id) = cursor.split_once('-')?;
        let number = |text: &str| {
            (text.len() <= 16
                && text
                    .bytes()
                    .all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase()))
            .then(|| i64::from_str_radix(text, 16).ok())
            .flatten()
        };
        Some(Self {
            sort_at: Timestamp::from_ms(number(sort_at)?),
            id: ItemId::from(number(id)?),
        })
    }
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
}

impl ItemFilter {
    /// Reads the word that addresses and queries use.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "all" => Some(Self::All),
            "unread" => Some(Self::Unread),
            "starred" => Some(Self::Starred),
            _ => None,
        }
    }

    /// The word back.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Unread => "unread",
            Self::Starred => "starred",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_and_a_foreign_one_does_not() {
        let position = Position {
            sort_at: Timestamp::from_ms(1_735_689_600_123),
            id: ItemId::from(42),
        };
        assert_eq!(Position::from_cursor(&position.to_cursor()), Some(position));
        for foreign in [
            "",
            "-",
            "1",
            "1-",
            "-1",
            "+1-2",
            "1-2-3",
            "zz-1",
            "FF-1",
            "ffffffffffffffffff-1",
            "1 -2",
        ] {
            assert_eq!(Position::from_cursor(foreign), None, "{foreign:?}");
        }
    }
}
