//! A single item in the reading view.

use lede_core::{articles, images};
use lede_model::content::CleanHtml;
use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::item::{Enclosure, Item, TextChoice};
use lede_model::label::Label;

use super::rows::When;
use crate::AppState;
use crate::web::page::Page;

/// An item with everything that is shown of it.
pub(super) struct Article {
    pub(super) id: ItemId,
    pub(super) title: String,
    pub(super) feed_id: FeedId,
    pub(super) feed_title: String,
    /// False for a saved item of a feed that the user no longer follows: no list leads to it.
    pub(super) is_followed: bool,
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
    /// Services that the user can send it to.
    pub(super) send_to: Vec<SendTo>,
    pub(super) text: ArticleText,
}

/// Link that sends an item to a service.
pub(super) struct SendTo {
    pub(super) name: String,
    pub(super) address: String,
    /// True if it opens the mail program, for which no new tab is needed.
    pub(super) is_mail: bool,
}

/// The shown text of an item, and the state of its full article.
pub(super) struct ArticleText {
    pub(super) id: ItemId,
    pub(super) html: CleanHtml,
    pub(super) has_url: bool,
    /// The text that is shown, if there are two or the other one can be fetched.
    pub(super) switch: Option<TextChoice>,
    pub(super) state: ArticleState,
}

/// State of the full article.
pub(super) enum ArticleState {
    Settled,
    /// The feed has hardly any text: the script fetches the article as soon as the page is loaded.
    Fetching,
    /// A fetch was just tried and found nothing.
    NotFound,
}

/// A file attached to an item.
pub(super) struct File {
    pub(super) kind: FileKind,
    pub(super) address: String,
    /// Last segment of its URL.
    pub(super) name: String,
    pub(super) megabytes: Option<String>,
    /// Caption of an image.
    pub(super) caption: Option<String>,
}

/// Presentation of a file.
pub(super) enum FileKind {
    Sound,
    Film,
    Picture,
    Other,
}

impl File {
    fn new(app: &AppState, user: UserId, enclosure: Enclosure) -> Self {
        let mime = enclosure.mime_type.as_deref().unwrap_or_default();
        let address = enclosure.url.as_str();
        let path = enclosure.url.as_str().split(['?', '#']).next();
        let path = path.unwrap_or_default();
        let ends = |endings: &[&str]| {
            let path = path.to_ascii_lowercase();
            mime.is_empty() && endings.iter().any(|ending| path.ends_with(ending))
        };
        // The page's content security policy allows media only over https.
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
                FileKind::Picture => images::shown_address(&app.lede, user, &enclosure.url),
                _ => address.to_owned(),
            },
            kind,
        }
    }
}

impl Article {
    pub(super) fn new(app: &AppState, page: &Page, user: UserId, item: Item) -> Self {
        let now = app.lede.clock.now();
        let summary = &item.summary;
        let html = item.shown_html();
        // An image that the text contains is not shown again below it.
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
            is_followed: item.is_followed,
            author: summary.author.clone(),
            url: summary.url.clone(),
            when: When::new(page, summary, now),
            minutes: html.reading_minutes(),
            is_read: summary.is_read,
            is_starred: summary.is_starred,
            labels: summary.labels.clone(),
            language: summary.language.clone(),
            files: files
                .map(|file| File::new(app, user, file.clone()))
                .collect(),
            comments: item
                .details
                .comments_url
                .as_ref()
                .map(|url| url.as_str().to_owned()),
            send_to: send_to.collect(),
            text: ArticleText::new(app, user, item, false),
        }
    }
}

impl ArticleText {
    pub(super) fn new(app: &AppState, user: UserId, item: Item, has_been_tried: bool) -> Self {
        let state = match &item {
            _ if item.full_html.is_some() => ArticleState::Settled,
            _ if has_been_tried => ArticleState::NotFound,
            item if articles::wants_article(&app.lede, item) => ArticleState::Fetching,
            _ => ArticleState::Settled,
        };
        let has_two = item.full_html.is_some() || articles::may_fetch(&app.lede, &item);
        let switch = has_two.then(|| item.shown_text());
        let html = item.shown_html().clone();
        Self {
            id: item.summary.id,
            html: images::for_reader(&app.lede, user, html),
            has_url: item.summary.url.is_some(),
            switch,
            state,
        }
    }
}
