//! Items: from a cleaned feed entry to the item that a user sees, and the lists of items.

use serde::{Deserialize, Serialize};

use crate::address::WebUrl;
use crate::content::{CleanHtml, ContentHash};
use crate::ids::{CategoryId, FeedId, ItemId, LabelId, UserId};
use crate::label::Label;
use crate::time::Timestamp;

/// An entry of a fetched feed, sanitised and cut to size, not yet compared with the stored items.
#[derive(Debug, Clone, PartialEq)]
pub struct CleanItem {
    /// Id given by the publisher.
    pub guid: Option<String>,
    /// Address of the article.
    pub url: Option<WebUrl>,
    /// Plain text, at most 1 KiB, never empty.
    pub title: String,
    /// Plain text.
    pub author: Option<String>,
    /// Content from the feed.
    pub html: CleanHtml,
    /// Beginning of the text for lists, at most 500 characters.
    pub excerpt: String,
    /// Date given by the publisher; `None` if it is missing or absurd.
    pub published_at: Option<Timestamp>,
    /// Hash of title, link, author and text.
    pub hash: ContentHash,
}

/// Properties of an item besides its text. Stored as JSON, in which a missing field is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ItemDetails {
    /// Attached files: audio, video, images.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub enclosures: Vec<Enclosure>,
    /// Categories given by the publisher.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// Address of the comments page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments_url: Option<WebUrl>,
}

/// A file attached to an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enclosure {
    pub url: WebUrl,
    /// MIME type, if the publisher gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Size in bytes, if the publisher gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Caption of an image, as plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
}

/// An item as shown in lists, with the marks of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemSummary {
    pub id: ItemId,
    pub feed_id: FeedId,
    /// Title of the feed, as shown to the user.
    pub feed_title: String,
    /// Plain text.
    pub title: String,
    /// Address of the article, checked when it was stored. A string, because lists are long and
    /// parsing every address again would cost as much as the rest of the list.
    pub url: Option<String>,
    /// Plain text.
    pub author: Option<String>,
    /// Language of the text as a two- or three-letter tag.
    pub language: Option<String>,
    /// Address of an image, unparsed for the same reason.
    pub image_url: Option<String>,
    /// Beginning of the text.
    pub excerpt: String,
    /// One-line summary of the item.
    pub lede: String,
    /// Reading time; `None` if it was never computed or there is no text.
    pub reading_minutes: Option<i64>,
    /// Date given by the publisher, or the time when Lede first saw the item.
    pub published_at: Timestamp,
    /// True if `published_at` is the time when Lede first saw the item.
    pub is_date_estimated: bool,
    /// Sort key of lists: the earlier of publication and first sight.
    pub sort_at: Timestamp,
    pub is_read: bool,
    /// Time at which the user read the item. Set only in the history, which is sorted by it.
    pub read_at: Option<Timestamp>,
    pub is_starred: bool,
    /// The user's labels, ordered by name.
    pub labels: Vec<Label>,
}

impl ItemSummary {
    /// Returns the position in the list that the item was loaded from.
    pub fn position(&self) -> Position {
        Position {
            sort_at: self.read_at.unwrap_or(self.sort_at),
            id: self.id,
        }
    }
}

/// An item with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub summary: ItemSummary,
    /// Content from the feed.
    pub html: CleanHtml,
    /// Article extracted from its page, if it was fetched and is longer than the feed's content.
    pub full_html: Option<CleanHtml>,
    pub details: ItemDetails,
    /// Hash of the feed's content; `None` for an imported item that the feed has not listed here.
    pub content_hash: Option<ContentHash>,
    /// True if the article may be fetched from its page now: it was not tried within a day, and the
    /// user has not disabled it.
    pub may_fetch_article: bool,
    /// True if the article is the feed's content and more of it.
    pub full_is_default: bool,
    /// The content that the user chose for the feed; `None` leaves it to Lede.
    pub chosen_text: Option<TextChoice>,
    /// False for an item that the user saved from a feed that they no longer follow.
    pub is_followed: bool,
}

impl Item {
    /// Returns which content is shown: the user's choice, or the article if it replaces the feed's
    /// content without a loss.
    pub fn shown_text(&self) -> TextChoice {
        match (&self.full_html, self.chosen_text) {
            (None, _) => TextChoice::Feed,
            (Some(_), Some(chosen)) => chosen,
            (Some(_), None) if self.full_is_default => TextChoice::Full,
            (Some(_), None) => TextChoice::Feed,
        }
    }

    /// Returns the content to show.
    pub fn shown_html(&self) -> &CleanHtml {
        match (self.shown_text(), &self.full_html) {
            (TextChoice::Full, Some(full)) => full,
            _ => &self.html,
        }
    }
}

/// One of the two contents of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextChoice {
    /// From the feed.
    Feed,
    /// The article from its page.
    Full,
}

/// Position of an item in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The item's sort date; in the history, the time at which it was read.
    pub sort_at: Timestamp,
    /// Breaks ties between equal dates.
    pub id: ItemId,
}

impl Position {
    /// Returns an opaque cursor for clients: the start of the page after this item in the list
    /// named `list`. It need not be trusted: with any cursor a user sees only their own items.
    pub fn to_cursor(self, list: &str) -> String {
        // Dates before 1970 are negative; the cast preserves their bits.
        let sort_at = self.sort_at.as_ms().cast_unsigned();
        let id = self.id.as_i64().cast_unsigned();
        format!("{}-{sort_at:x}-{id:x}", name_tag(list))
    }

    /// Parses a cursor; `None` for anything that [`Position::to_cursor`] did not write for this list.
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

/// Returns a tag of the list, because a cursor of one list makes no sense in another.
fn name_tag(list: &str) -> String {
    let hash = ContentHash::of([list]);
    hash.as_bytes()[..4]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The feeds or label that a list is restricted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// All subscriptions of the user.
    #[default]
    Everything,
    Feed(FeedId),
    /// The feeds of a category and of its descendants.
    Category(CategoryId),
    /// Items with a label.
    Label(LabelId),
}

/// Sort order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    #[default]
    Newest,
    Oldest,
}

impl Order {
    /// Parses the name used in addresses and queries.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "newest" => Some(Self::Newest),
            "oldest" => Some(Self::Oldest),
            _ => None,
        }
    }

    /// Returns the name used in addresses and queries.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Oldest => "oldest",
        }
    }

    /// Returns the reverse order.
    pub const fn turned(self) -> Self {
        match self {
            Self::Newest => Self::Oldest,
            Self::Oldest => Self::Newest,
        }
    }
}

/// A list of items: scope, filter and order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct List {
    pub scope: Scope,
    pub filter: ItemFilter,
    pub order: Order,
}

impl List {
    /// Returns the name of the list of `user` that is part of its cursors.
    pub fn name(self, user: UserId) -> String {
        format!("{user} {self:?}")
    }
}

/// Start of a page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// After this position, which need not be that of an existing item.
    After(Position),
    /// After this number of items.
    Skip(i64),
}

impl Start {
    /// The beginning of the list.
    pub const FIRST: Self = Self::Skip(0);
}

/// Restriction of a list by marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ItemFilter {
    #[default]
    All,
    Unread,
    Starred,
    UnreadStarred,
    /// The history: items that were marked as read individually, in the order of reading. Items of a
    /// bulk mark have no read mark of their own. The scope is ignored, because that order is not
    /// indexed by feed.
    Read,
}

impl ItemFilter {
    /// Parses the name used in addresses and queries.
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

    /// Returns the name used in addresses and queries.
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

/// Way by which an item came into its feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemOrigin {
    /// The feed lists it.
    Feed,
    /// A user imported it, and the feed has not listed it yet.
    Import,
    /// A user added it.
    Manual,
    /// A scraper made it of a page.
    Scraper,
}

impl ItemOrigin {
    /// Returns the name used in rows.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Feed => "feed",
            Self::Import => "import",
            Self::Manual => "manual",
            Self::Scraper => "scraper",
        }
    }

    /// Parses the name; `None` for an unknown one.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Feed, Self::Import, Self::Manual, Self::Scraper];
        all.into_iter().find(|origin| origin.as_str() == name)
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
