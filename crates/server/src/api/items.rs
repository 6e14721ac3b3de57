//! Single items and their marks.

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

use crate::AppState;
use crate::error::{ApiError, ById, Changing, JsonBody, JsonIn, PathOf, SignedIn};
use crate::highlight::Highlight;
use crate::middleware::CurrentUser;

/// An item as shown in lists.
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
    /// Language of the item, as a two- or three-letter tag.
    language: Option<String>,
    /// Image that the publisher chose for the item.
    #[schema(format = "uri")]
    image_url: Option<String>,
    /// Beginning of the text, at most 500 characters, without markup.
    excerpt: String,
    /// Summary in one line.
    one_line_summary: String,
    /// Estimated reading time; null if it was not computed or there is no text.
    #[schema(minimum = 1)]
    reading_minutes: Option<i64>,
    #[schema(value_type = String, format = "date-time")]
    published_at: Timestamp,
    /// True if the publisher gave no date. The date is then when Lede first saw the item.
    is_date_estimated: bool,
    is_read: bool,
    /// Time at which you read it; only in the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = "date-time")]
    read_at: Option<Timestamp>,
    is_starred: bool,
    /// Names of your labels on the item.
    labels: Vec<String>,
    /// Number of bookmarks at Hatena; null if unknown.
    hatebu_count: Option<i64>,
    /// Matches of a search; only in search results.
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

/// An item with its content.
#[derive(Serialize, ToSchema)]
pub(crate) struct ItemView {
    #[serde(flatten)]
    listed: ItemSummaryView,
    /// Content from the feed, as sanitised HTML.
    #[schema(value_type = String)]
    content: CleanHtml,
    /// Full article from the item's page, as sanitised HTML; null unless it was fetched and has
    /// more text.
    #[schema(value_type = Option<String>)]
    full_content: Option<CleanHtml>,
    /// The feed's own summary: the beginning of its text, without markup.
    summary: String,
    /// Generated summary of a few lines; null if there is none yet.
    ai_summary: Option<String>,
    /// `ready` if there is a summary of any kind, `pending` if there is none yet, `failed` if none
    /// could be made.
    #[schema(value_type = String, pattern = "^(ready|pending|failed)$")]
    summary_status: &'static str,
    /// Author of the summary: `builtin` is Lede itself, `llm` a language model.
    #[schema(value_type = Option<String>, pattern = "^(builtin|llm)$")]
    summary_method: Option<&'static str>,
    summary_language: Option<String>,
    /// Language model that wrote the summary.
    summary_model: Option<String>,
    /// SHA-256 of the item's content in the feed, for `/api/admin/reprocess-summary`; null if the
    /// item was imported from a takeout and its feed has not delivered it here.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    content_hash: Option<String>,
    /// Categories assigned by the publisher.
    categories: Vec<String>,
    /// Files attached to the item.
    enclosures: Vec<EnclosureView>,
    /// Address of the discussion of the item.
    #[schema(value_type = Option<String>, format = "uri")]
    comments_url: Option<WebUrl>,
}

/// A file attached to an item.
#[derive(Serialize, ToSchema)]
pub(crate) struct EnclosureView {
    #[schema(value_type = String, format = "uri")]
    url: WebUrl,
    /// Media type; null if the publisher states none.
    mime_type: Option<String>,
    /// Size in bytes; null if the publisher states none.
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

/// Marks to change. Absent fields keep their values.
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

/// Marks of an item after a change.
#[derive(Serialize, ToSchema)]
pub(crate) struct MarksView {
    #[schema(value_type = i64)]
    item_id: ItemId,
    is_read: bool,
    is_starred: bool,
}

/// Get one item with its content
#[utoipa::path(
    get,
    path = "/api/items/{id}",
    operation_id = "item",
    tag = "items",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 200, body = ItemView),
        SignedIn, ById,
    )
)]
pub(crate) async fn show(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(item): PathOf<ItemId>,
) -> Result<Json<ItemView>, ApiError> {
    let item = reading::find_item(&app.lede, who.user.id, item).await?;
    item.map(|found| Json(found.into()))
        .ok_or_else(|| ApiError::not_found("The item"))
}

/// Fetch the full article from its page, unless that was tried within a day, and get the item
#[utoipa::path(
    post,
    path = "/api/items/{id}/article",
    operation_id = "fetchArticle",
    tag = "items",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 200, body = ItemView),
        SignedIn, ById, Changing,
    )
)]
pub(crate) async fn article(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(item): PathOf<ItemId>,
) -> Result<Json<ItemView>, ApiError> {
    let item = articles::fetch_for_reader(&app.lede, who.user.id, item).await?;
    item.map(|found| Json(found.into()))
        .ok_or_else(|| ApiError::not_found("The item"))
}

/// Set the marks that the body contains and keep the others
#[utoipa::path(
    put,
    path = "/api/items/{id}/state",
    operation_id = "setItemState",
    tag = "items",
    params(("id" = i64, Path, minimum = 1)),
    request_body = MarksBody,
    responses(
        (status = 200, body = MarksView),
        SignedIn, ById, JsonIn, Changing,
    )
)]
pub(crate) async fn put_state(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(item): PathOf<ItemId>,
    JsonBody(body): JsonBody<MarksBody>,
) -> Result<Json<MarksView>, ApiError> {
    let marks = reading::set_marks(&app.lede, who.user.id, item, body.into()).await?;
    let Marks { read, starred } = marks.ok_or_else(|| ApiError::not_found("The item"))?;
    Ok(Json(MarksView {
        item_id: item,
        is_read: read,
        is_starred: starred,
    }))
}
