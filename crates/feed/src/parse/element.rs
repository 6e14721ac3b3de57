//! Element names of all formats, mapped to one vocabulary.
//!
//! RSS, Atom and CDF name the same things differently, and real feeds mix them freely. One table
//! serves them all; apart from it, the meaning of an element depends only on its position, which is
//! handled by the mapper.

use crate::xml::namespace::Namespace as N;

/// Meaning of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    // Containers
    Rss,
    Rdf,
    Feed,
    Channel,
    Entry,
    Source,
    Image,
    TextInput,
    /// An author; Atom has elements inside, RSS has text.
    Author,
    Contributor,
    Publisher,
    /// `itunes:owner`: a publisher with elements inside.
    Owner,
    SkipHours,
    SkipDays,
    /// Transparent container: its children belong to the enclosing element.
    Group,

    // Texts that may contain markup
    Title,
    Subtitle,
    Description,
    Abstract,
    Summary,
    ItunesSummary,
    Content,
    Body,
    Encoded,
    Rights,
    MediaTitle,
    MediaDescription,
    /// Text with markup that is not used: it must not leak into its surroundings.
    Ignored,

    // Plain values
    Link,
    /// Atom's identifier, which is not a link.
    Id,
    /// RSS' identifier, which is also a link unless it declares otherwise.
    Guid,
    Published,
    Updated,
    Created,
    Category,
    ItunesCategory,
    MediaCategory,
    Tags,
    ItunesKeywords,
    MediaKeywords,
    Enclosure,
    Comments,
    CommentRss,
    Language,
    Name,
    Email,
    Url,
    Ttl,
    Hour,
    Day,
    UpdatePeriod,
    UpdateFrequency,
    Icon,
    Logo,
    ItunesImage,
    MediaContent,
    MediaPlayer,
    MediaThumbnail,
    Duration,
    NewFeedUrl,
    Unknown,
}

use Element as E;

impl Element {
    /// Returns the meaning of `local`, given in lower case, in `namespace`.
    pub(super) fn of(namespace: N, local: &str) -> Self {
        match namespace {
            N::Core => Self::core(local),
            N::Xhtml if local == "body" => E::Body,
            N::Rdf => match local {
                "rdf" => E::Rdf,
                // `<rdf:li>` and `<rdf:Seq>` list addresses that the items repeat.
                _ => E::Unknown,
            },
            N::DublinCore => match local {
                "title" => E::Title,
                "description" => E::Description,
                "creator" | "author" => E::Author,
                "contributor" => E::Contributor,
                "publisher" => E::Publisher,
                "date" => E::Updated,
                "subject" => E::Category,
                "language" => E::Language,
                "rights" => E::Rights,
                _ => E::Unknown,
            },
            N::DublinCoreTerms => match local {
                "issued" => E::Published,
                "modified" => E::Updated,
                "created" => E::Created,
                _ => E::Unknown,
            },
            N::Content if local == "encoded" => E::Encoded,
            N::Itunes => match local {
                "author" => E::Author,
                "owner" => E::Owner,
                "name" => E::Name,
                "email" => E::Email,
                "subtitle" => E::Subtitle,
                "summary" | "description" => E::ItunesSummary,
                "category" => E::ItunesCategory,
                "keywords" => E::ItunesKeywords,
                "image" | "link" => E::ItunesImage,
                "duration" => E::Duration,
                "new-feed-url" => E::NewFeedUrl,
                _ => E::Unknown,
            },
            N::Media => match local {
                "group" => E::Group,
                "content" => E::MediaContent,
                "player" => E::MediaPlayer,
                "thumbnail" => E::MediaThumbnail,
                "title" => E::MediaTitle,
                "description" => E::MediaDescription,
                "category" => E::MediaCategory,
                "keywords" => E::MediaKeywords,
                _ => E::Unknown,
            },
            N::Syndication => match local {
                "updateperiod" => E::UpdatePeriod,
                "updatefrequency" => E::UpdateFrequency,
                _ => E::Unknown,
            },
            N::CommentApi if local == "commentrss" => E::CommentRss,
            N::Feedburner if local == "browserfriendly" => E::Ignored,
            _ => E::Unknown,
        }
    }

    fn core(local: &str) -> Self {
        match local {
            "rss" => E::Rss,
            "rdf" => E::Rdf,
            "feed" => E::Feed,
            "channel" => E::Channel,
            "item" | "entry" => E::Entry,
            "source" => E::Source,
            "image" => E::Image,
            "textinput" => E::TextInput,
            "author" | "managingeditor" => E::Author,
            "contributor" => E::Contributor,
            "webmaster" => E::Publisher,
            "skiphours" => E::SkipHours,
            "skipdays" => E::SkipDays,
            "title" => E::Title,
            "subtitle" | "tagline" => E::Subtitle,
            "description" => E::Description,
            "abstract" => E::Abstract,
            "summary" => E::Summary,
            "content" => E::Content,
            "body" => E::Body,
            "fullitem" => E::Encoded,
            "rights" | "copyright" => E::Rights,
            "info" => E::Ignored,
            "link" => E::Link,
            "id" => E::Id,
            "guid" => E::Guid,
            "published" | "issued" | "pubdate" => E::Published,
            "updated" | "modified" | "lastbuilddate" => E::Updated,
            "created" => E::Created,
            "category" | "keywords" => E::Category,
            "tags" => E::Tags,
            "enclosure" => E::Enclosure,
            "comments" => E::Comments,
            "language" => E::Language,
            "name" => E::Name,
            "email" => E::Email,
            "url" | "uri" | "homepage" => E::Url,
            "ttl" => E::Ttl,
            "hour" => E::Hour,
            "day" => E::Day,
            "icon" => E::Icon,
            "logo" => E::Logo,
            "newlocation" => E::NewFeedUrl,
            _ => E::Unknown,
        }
    }

    /// Returns `true` if the element contains other elements instead of a value.
    pub(super) fn is_place(self) -> bool {
        matches!(
            self,
            E::Rss
                | E::Rdf
                | E::Feed
                | E::Channel
                | E::Entry
                | E::Source
                | E::Image
                | E::TextInput
                | E::Author
                | E::Contributor
                | E::Publisher
                | E::Owner
                | E::SkipHours
                | E::SkipDays
                | E::Group
                | E::MediaContent
                | E::ItunesCategory
        )
    }

    /// Returns `true` if markup inside the element is part of its value.
    pub(super) fn is_text(self) -> bool {
        matches!(
            self,
            E::Title
                | E::Subtitle
                | E::Description
                | E::Abstract
                | E::Summary
                | E::ItunesSummary
                | E::Content
                | E::Body
                | E::Encoded
                | E::Rights
                | E::MediaTitle
                | E::MediaDescription
                | E::Ignored
        )
    }

    /// Returns `true` if the element never occurs in HTML, so that its occurrence inside a text
    /// means that the end tag of the text is missing. `title`, `link`, `summary` and `source` exist
    /// in HTML too and prove nothing.
    pub(super) fn ends_text(self) -> bool {
        matches!(
            self,
            E::Channel
                | E::Entry
                | E::Description
                | E::Encoded
                | E::Id
                | E::Guid
                | E::Published
                | E::Updated
                | E::Category
                | E::Enclosure
                | E::Comments
        )
    }
}
