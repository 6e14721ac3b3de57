//! One item, as it is read.

use lede_core::{articles, images};
use lede_model::content::CleanHtml;
use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::item::{Enclosure, Item};
use lede_model::label::Label;

use super::rows::When;
use crate::Doors;
use crate::web::page::Page;

/// An item with all that is shown of it.
pub(super) struct Article {
    pub(super) id: ItemId,
    pub(super) title: String,
    pub(super) feed_id: FeedId,
    pub(super) feed_title: String,
    pub(super) author: Option<String>,
    pub(super) url: Option<String>,
    pub(super) when: When,
    pub(super) minutes: Option<i64>,
    pub(super) is_read: bool,
    pub(super) is_starred: bool,
    pub(super) labels: Vec<Label>,
    pub(super) language: Option<String>,
    pub(super) files: Vec<File>,
    pub(super) comments: Option<String>,
    /// Where its reader can send it.
    pub(super) send_to: Vec<SendTo>,
    pub(super) text: ArticleText,
}

/// A link that sends an item.
pub(super) struct SendTo {
    pub(super) name: String,
    pub(super) address: String,
    /// It opens the program for e-mail, and so no other tab.
    pub(super) is_mail: bool,
}

/// The text of an item.
pub(super) struct ArticleText {
    pub(super) id: ItemId,
    pub(super) html: CleanHtml,
    pub(super) has_url: bool,
    pub(super) state: ArticleState,
}

/// What there is to say about the whole article.
pub(super) enum ArticleState {
    /// It is what is shown, or the feed's own text will do.
    Settled,
    /// The feed says next to nothing: it is fetched as soon as the page is there.
    Fetching,
    /// It may be fetched by whoever wants it.
    OnDemand,
    /// It was tried just now.
    NotFound,
}

/// A file that belongs to an item.
pub(super) struct File {
    pub(super) kind: FileKind,
    pub(super) address: String,
    /// What it is called: the end of its address.
    pub(super) name: String,
    pub(super) megabytes: Option<String>,
    /// The caption of a picture.
    pub(super) caption: Option<String>,
}

/// How a file is shown.
pub(super) enum FileKind {
    Sound,
    Film,
    Picture,
    Other,
}

impl File {
    fn new(doors: &Doors, user: UserId, enclosure: Enclosure) -> Self {
        let mime = enclosure.mime_type.as_deref().unwrap_or_default();
        let address = enclosure.url.as_str();
        let path = enclosure.url.as_str().split(['?', '#']).next();
        let path = path.unwrap_or_default();
        let ends = |endings: &[&str]| {
            let path = path.to_ascii_lowercase();
            mime.is_empty() && endings.iter().any(|ending| path.ends_with(ending))
        };
        // The page's policy lets media come over https only.
        let is_playable = address.starts_with("https:");
        let kind = if is_playable
            && (mime.starts_with("audio/") || ends(&[".mp3", ".m4a", ".ogg", ".opus"]))
        {
            FileKind::Sound
        } else if is_playable && (mime.starts_with("video/") || ends(&[".mp4", ".webm"])) {
            FileKind::Film
        } else if mime.starts_with("image/") || ends(&[".jpg", ".jpeg", ".png", ".webp", ".gif"]) {
            FileKind::Picture
        } else {
            FileKind::Other
        };
        let name = path.rsplit('/').find(|part| !part.is_empty());
        Self {
            name: name.unwrap_or_default().to_owned(),
            caption: enclosure.caption,
            megabytes: enclosure.bytes.filter(|bytes| *bytes > 0).map(|bytes| {
                let tenths = bytes.div_ceil(100_000);
                format!("{}.{}", tenths / 10, tenths % 10)
            }),
            address: match kind {
                FileKind::Picture => images::shown_address(&doors.lede, user, &enclosure.url),
                _ => address.to_owned(),
            },
            kind,
        }
    }
}

impl Article {
    pub(super) fn new(doors: &Doors, page: &Page, user: UserId, item: Item) -> Self {
        let now = doors.lede.clock.now();
        let summary = &item.summary;
        let html = item.best_html();
        // A picture of the text is not shown a second time below it.
        let files = item.details.enclosures.iter().filter(|file| {
            !html.as_str().contains(file.url.as_str())
                && summary.url.as_deref() != Some(file.url.as_str())
        });
        let send_to = page.look.send_to.iter().filter_map(|service| {
            Some(SendTo {
                name: service.name().to_owned(),
                address: service.address_for(summary.url.as_deref()?, &summary.title),
                is_mail: service.is_mail(),
            })
        });
        Self {
            id: summary.id,
            title: summary.title.clone(),
            feed_id: summary.feed_id,
            feed_title: summary.feed_title.clone(),
            author: summary.author.clone(),
            url: summary.url.clone(),
            when: When::new(page, summary, now),
            minutes: html.reading_minutes(),
            is_read: summary.is_read,
            is_starred: summary.is_starred,
            labels: summary.labels.clone(),
            language: summary.language.clone(),
            files: files
                .map(|file| File::new(doors, user, file.clone()))
                .collect(),
            comments: item
                .details
                .comments_url
                .as_ref()
                .map(|url| url.as_str().to_owned()),
            send_to: send_to.collect(),
            text: ArticleText::new(doors, user, item, false),
        }
    }
}

impl ArticleText {
    pub(super) fn new(doors: &Doors, user: UserId, item: Item, has_been_tried: bool) -> Self {
        let state = match &item {
            _ if item.full_html.is_some() => ArticleState::Settled,
            _ if has_been_tried => ArticleState::NotFound,
            item if articles::wants_article(&doors.lede, item) => ArticleState::Fetching,
            item if articles::may_fetch(&doors.lede, item) => ArticleState::OnDemand,
            _ => ArticleState::Settled,
        };
        let html = item.full_html.unwrap_or(item.html);
        Self {
            id: item.summary.id,
            html: images::for_reader(&doors.lede, user, html),
            has_url: item.summary.url.is_some(),
            state,
        }
    }
}
