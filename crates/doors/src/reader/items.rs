//! One item and the marks on it.

use axum::Json;
use axum::extract::State;
use lede_core::articles;
use lede_core::reading;
use lede_model::address::WebUrl;
use lede_model::content::{CleanHtml, ContentHash};
use lede_model::ids::{FeedId, ItemId};
use lede_model::item::{Enclosure, Item, ItemDetails, ItemSummary};
use lede_model::mark::{MarkChange, Marks};
use lede_model::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Doors;
use crate::error::{ApiError, Changing, JsonBody, JsonIn, OneThing, PathOf, SignedIn};
use crate::guard::Reader;
use crate::highlight::Highlight;

/// An item as lists show it.
#[derive(Serialize, ToSchema)]
pub(crate) struct ItemSummaryView {
    #[schema(value_type = i64)]
    id: ItemId,
    #[schema(value_type = i64)]
    feed_id: FeedId,
    feed_title: String,
    title: String,
    #[schema(format = "uri")]
    link: Option<String>,
    author: Option<String>,
    /// What language it is in, as a two- or three-letter tag.
    language: Option<String>,
    /// A picture that the publisher chose for it.
    #[schema(format = "uri")]
    image_url: Option<String>,
    /// The beginning of the text, at most 500 characters, without markup.
    excerpt: String,
    /// What it says in one line.
    one_line_summary: String,
    /// How long it takes to read; null when that was not counted, or there is nothing to read.
    #[schema(minimum = 1)]
    reading_minutes: Option<i64>,
    #[schema(value_type = String, format = "date-time")]
    published_at: Timestamp,
    /// The publisher gave no date; it is when Lede first saw the item.
    is_date_estimated: bool,
    is_read: bool,
    /// When you read it; only in the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = "date-time")]
    read_at: Option<Timestamp>,
    is_starred: bool,
    /// The names of your labels on it.
    labels: Vec<String>,
    /// Bookmarks at Hatena; null while they are not known.
    hatebu_count: Option<i64>,
    /// What a search found.
    #[serde(skip_serializing_if = "Option::is_none")]
    highlight: Option<Highlight>,
}

impl ItemSummaryView {
    pub(crate) fn with_highlight(mut self, highlight: Highlight) -> Self {
        self.highlight = Some(highlight);
        self
    }
}

impl From<ItemSummary> for ItemSummaryView {
    fn from(item: ItemSummary) -> Self {
        Self {
            id: item.id,
            feed_id: item.feed_id,
            feed_title: item.feed_title,
            title: item.title,
            link: item.url,
            author: item.author,
            language: item.language,
            image_url: item.image_url,
            excerpt: item.excerpt,
            one_line_summary: item.lede,
            reading_minutes: item.reading_minutes,
            published_at: item.published_at,
            is_date_estimated: item.is_date_estimated,
            is_read: item.is_read,
            read_at: item.read_at,
            is_starred: item.is_starred,
            labels: item.labels.into_iter().map(|label| label.name).collect(),
            hatebu_count: None,
            highlight: None,
        }
    }
}

/// An item as it is read.
#[derive(Serialize, ToSchema)]
pub(crate) struct ItemView {
    #[serde(flatten)]
    listed: ItemSummaryView,
    /// The feed's text of it: HTML that went through the sanitiser.
    #[schema(value_type = String)]
    content: CleanHtml,
    /// The article from its page, where that was fetched and says more; sanitised likewise.
    #[schema(value_type = Option<String>)]
    full_content: Option<CleanHtml>,
    /// The feed's own summary: the beginning of its text, without markup.
    summary: String,
    /// What it says in a few lines, once that was written.
    ai_summary: Option<String>,
    /// `ready` when there is a summary of any kind, `pending` when there is none yet, `failed` when
    /// none could be made.
    #[schema(value_type = String, pattern = "^(ready|pending|failed)$")]
    summary_status: &'static str,
    /// Who wrote it: `builtin` is Lede itself, `llm` a language model.
    #[schema(value_type = Option<String>, pattern = "^(builtin|llm)$")]
    summary_method: Option<&'static str>,
    summary_language: Option<String>,
    /// The language model that wrote it.
    summary_model: Option<String>,
    /// SHA-256 of what the feed says of it, as `/api/admin/reprocess-summary` takes it; null when it was brought in
    /// with a take-out and its feed has not said it here.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    content_hash: Option<String>,
    /// What the publisher filed it under.
    categories: Vec<String>,
    /// Files that belong to it.
    enclosures: Vec<EnclosureView>,
    /// Where it is discussed.
    #[schema(value_type = Option<String>, format = "uri")]
    comments_url: Option<WebUrl>,
}

/// A file that belongs to an item.
#[derive(Serialize, ToSchema)]
pub(crate) struct EnclosureView {
    #[schema(value_type = String, format = "uri")]
    url: WebUrl,
    /// Its type, as far as the publisher says one.
    mime_type: Option<String>,
    /// Its size in bytes, likewise.
    size: Option<u64>,
}

impl From<Enclosure> for EnclosureView {
    fn from(file: Enclosure) -> Self {
        Self {
            url: file.url,
            mime_type: file.mime_type,
            size: file.bytes,
        }
    }
}

impl From<Item> for ItemView {
    fn from(item: Item) -> Self {
        let summary = reading::feeds_summary(&item);
        let ItemDetails {
            enclosures,
            categories,
            comments_url,
        } = item.details;
        let is_summed_up = !item.summary.lede.is_empty();
        Self {
            summary,
            content_hash: item.content_hash.map(ContentHash::to_hex),
            ai_summary: None,
            summary_status: if is_summed_up { "ready" } else { "pending" },
            summary_method: is_summed_up.then_some("builtin"),
            summary_language: item.summary.language.clone().filter(|_| is_summed_up),
            summary_model: None,
            listed: item.summary.into(),
            content: item.html,
            full_content: item.full_html,
            categories,
            enclosures: enclosures.into_iter().map(EnclosureView::from).collect(),
            comments_url,
        }
    }
}

/// The marks to change; what is absent stays as it is.
#[derive(Deserialize, ToSchema)]
pub(crate) struct MarksBody {
    is_read: Option<bool>,
    is_starred: Option<bool>,
}

impl From<MarksBody> for MarkChange {
    fn from(body: MarksBody) -> Self {
        Self {
            read: body.is_read,
            starred: body.is_starred,
        }
    }
}

/// The marks as they are now.
#[derive(Serialize, ToSchema)]
pub(crate) struct MarksView {
    #[schema(value_type = i64)]
    item_id: ItemId,
    is_read: bool,
    is_starred: bool,
}

/// One item with its text
#[utoipa::path(
    get,
    path = "/api/items/{id}",
    operation_id = "item",
    tag = "items",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 200, body = ItemView),
        SignedIn, OneThing,
    )
)]
pub(crate) async fn show(
    State(doors): State<Doors>,
    who: Reader,
    PathOf(item): PathOf<ItemId>,
) -> Result<Json<ItemView>, ApiError> {
    let item = reading::find_item(&doors.lede, who.user.id, item).await?;
    item.map(|found| Json(found.into()))
        .ok_or_else(|| ApiError::not_found("The item"))
}

/// Fetch the article from its page, unless that was tried within a day; the item as it is then
#[utoipa::path(
    post,
    path = "/api/items/{id}/article",
    operation_id = "fetchArticle",
    tag = "items",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 200, body = ItemView),
        SignedIn, OneThing, Changing,
    )
)]
pub(crate) async fn article(
    State(doors): State<Doors>,
    who: Reader,
    PathOf(item): PathOf<ItemId>,
) -> Result<Json<ItemView>, ApiError> {
    let item = articles::fetch_for_reader(&doors.lede, who.user.id, item).await?;
    item.map(|found| Json(found.into()))
        .ok_or_else(|| ApiError::not_found("The item"))
}

/// Set the marks that the body names and leave the others alone
#[utoipa::path(
    put,
    path = "/api/items/{id}/state",
    operation_id = "setItemState",
    tag = "items",
    params(("id" = i64, Path, minimum = 1)),
    request_body = MarksBody,
    responses(
        (status = 200, body = MarksView),
        SignedIn, OneThing, JsonIn, Changing,
    )
)]
pub(crate) async fn put_state(
    State(doors): State<Doors>,
    who: Reader,
    PathOf(item): PathOf<ItemId>,
    JsonBody(body): JsonBody<MarksBody>,
) -> Result<Json<MarksView>, ApiError> {
    let marks = reading::set_marks(&doors.lede, who.user.id, item, body.into()).await?;
    let Marks { read, starred } = marks.ok_or_else(|| ApiError::not_found("The item"))?;
    Ok(Json(MarksView {
        item_id: item,
        is_read: read,
        is_starred: starred,
    }))
}
