//! Lists of items, and marking many items as read.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use lede_core::reading::{self, LONGEST_PAGE, PAGE, ReadSelection, UNDO_FOR, UndoError};
use lede_core::search::{self, SearchOrder, SearchQuery};
use lede_model::ids::{BulkMarkId, CategoryId, FeedId, ItemId, LabelId, UserId};
use lede_model::input::InputError;
use lede_model::item::{ItemFilter, ItemSummary, List, Order, Position, Scope, Start};
use lede_model::mark::MarkChange;
use lede_model::time::Timestamp;
use lede_model::user::User;
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{Array, ArrayBuilder, ObjectBuilder, SchemaType, Type};
use utoipa::{IntoParams, ToSchema};

use super::items::{self, ItemSummaryView, ItemView};
use super::sign_in::OkView;
use crate::AppState;
use crate::error::{
    ApiError, ById, Category, Changing, ErrorBody, JsonBody, JsonIn, PathOf, QueryOf, SignedIn,
    search_error,
};
use crate::highlight::Highlight;
use crate::middleware::CurrentUser;

/// Largest `offset` of a list. Cursors have no such limit, because they cost the same anywhere.
const FARTHEST: i64 = 100_000;
/// Largest `offset` of a search.
const FARTHEST_FOUND: i64 = 1000;
/// Limit on items that one request may mark by id.
const MOST_MARKED: usize = 1000;

/// Selects a page of a list, by cursor or by offset.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// `next_cursor` of the previous page. It is valid only for the same list and the same user.
    #[param(max_length = 50)]
    cursor: Option<String>,
    /// Number of items on the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<i64>,
    /// Number of items to skip. Not together with `cursor`; at most 1000 in a search.
    #[param(minimum = 0, maximum = 100_000, default = 0)]
    offset: Option<i64>,
    /// `newest` (the default) or `oldest` first.
    #[param(value_type = Option<OrderWord>, inline)]
    order: Option<String>,
}

/// Selects items of a feed.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FilterQuery {
    /// `all` (the default), `unread` or `starred`.
    #[param(value_type = Option<FilterWord>, inline)]
    filter: Option<String>,
}

/// Selects items of all feeds.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PostsQuery {
    /// Only items of this feed.
    #[param(value_type = Option<i64>, minimum = 1)]
    feed_id: Option<FeedId>,
    /// Only items of feeds in this category and its subcategories. Not together with `feed_id`.
    #[param(value_type = Option<i64>, minimum = 1)]
    category_id: Option<CategoryId>,
    /// Only items with this label. Not together with `feed_id` or `category_id`.
    #[param(value_type = Option<i64>, minimum = 1)]
    label_id: Option<LabelId>,
    /// Only unread items.
    #[param(default = false)]
    unread_only: Option<bool>,
    /// Only starred items.
    #[param(default = false)]
    starred_only: Option<bool>,
    /// Items that you read, most recently read first, with `read_at`. Items that were marked as
    /// read in bulk or by a rule are not included. Cannot be combined with `feed_id`,
    /// `category_id`, `label_id`, `unread_only`, `starred_only` or `search`.
    #[param(default = false)]
    history: Option<bool>,
    /// Only items that match this search: words, `"phrases"`, `begin*`, `-without` or `NOT
    /// without`, `one OR other` (`AND` between words changes nothing), `title:`, `author:`,
    /// `feed:`, `category:`, `label:`, `is:unread`, `is:read`, `is:starred`, `before:2026-05-01`,
    /// `after:2026`. Results are ordered by date, newest first.
    #[param(
        min_length = 1,
        max_length = 500,
        example = "\"solar power\" -ad is:unread"
    )]
    search: Option<String>,
}

impl PostsQuery {
    /// Returns the filter for the history, or an error if another parameter is combined with it.
    fn history(&self) -> Result<ItemFilter, ApiError> {
        let others = [
            ("feed_id", self.feed_id.is_some()),
            ("category_id", self.category_id.is_some()),
            ("label_id", self.label_id.is_some()),
            ("unread_only", self.unread_only == Some(true)),
            ("starred_only", self.starred_only == Some(true)),
            ("search", self.search.is_some()),
        ];
        match others.iter().find(|(_, is_asked)| *is_asked) {
            Some((field, _)) => Err(not_with(field, "history")),
            None => Ok(ItemFilter::Read),
        }
    }
}

/// Values of `filter`, for the OpenAPI description.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "only described; ItemFilter reads the word")]
enum FilterWord {
    All,
    Unread,
    Starred,
}

/// Values of `order`, for the OpenAPI description.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "only described; Order reads the word")]
enum OrderWord {
    Newest,
    Oldest,
}

/// A page request after validation.
struct PageRequest {
    list: List,
    /// Identifies the list in its cursors.
    name: String,
    start: Start,
    limit: i64,
}

impl PageRequest {
    fn read(
        page: &PageQuery,
        scope: Scope,
        filter: ItemFilter,
        search: Option<&str>,
        user: UserId,
    ) -> Result<Self, ApiError> {
        let order = match page.order.as_deref() {
            None => Order::Newest,
            Some(word) => Order::from_word(word)
                .ok_or_else(|| ApiError::invalid("order", none_of("newest, oldest")))?,
        };
        let list = List {
            scope,
            filter,
            order,
        };
        let mut name = list.name(user);
        let mut farthest = FARTHEST;
        if let Some(search) = search {
            if order == Order::Oldest {
                return Err(ApiError::invalid("order", InputError::NewestOnly));
            }
            name.push_str(search);
            farthest = FARTHEST_FOUND;
        }
        let limit = page.limit.unwrap_or(PAGE);
        if !(1..=LONGEST_PAGE).contains(&limit) {
            let (least, most) = (1, LONGEST_PAGE);
            return Err(ApiError::invalid(
                "limit",
                InputError::OutOfRange { least, most },
            ));
        }
        let start = match (page.cursor.as_deref(), page.offset) {
            (Some(_), Some(_)) => {
                return Err(not_with("offset", "cursor"));
            }
            (Some(cursor), None) => {
                let position = Position::from_cursor(cursor, &name);
                let foreign = || ApiError::invalid("cursor", InputError::ForeignCursor);
                Start::After(position.ok_or_else(foreign)?)
            }
            (None, offset) => {
                let offset = offset.unwrap_or_default();
                if !(0..=farthest).contains(&offset) {
                    let most = farthest;
                    return Err(ApiError::invalid("offset", InputError::TooFar { most }));
                }
                Start::Skip(offset)
            }
        };
        Ok(Self {
            list,
            name,
            start,
            limit,
        })
    }

    async fn find(
        self,
        app: &AppState,
        user: UserId,
    ) -> Result<(Vec<ItemSummaryView>, PageEnd), ApiError> {
        // A client that follows cursors got the total with its first page.
        let is_counted = matches!(self.start, Start::Skip(_));
        let page = reading::list(
            &app.lede, user, self.list, self.start, self.limit, is_counted,
        );
        let page = page.await?.ok_or_else(|| self.absent())?;
        let end = self.end(page.next, page.total);
        let items = page.items.into_iter().map(ItemSummaryView::from);
        Ok((items.collect(), end))
    }

    /// Searches the list and returns a page of matches with their snippets.
    async fn search(
        self,
        app: &AppState,
        user: UserId,
        text: String,
    ) -> Result<(Vec<ItemSummaryView>, PageEnd), ApiError> {
        let asked = SearchQuery {
            text,
            list: self.list,
            order: SearchOrder::Newest,
            start: self.start,
            limit: self.limit,
        };
        let found = search::page(&app.lede, user, asked).await;
        let found = found.map_err(|error| search_error("search", error))?;
        let found = found.ok_or_else(|| self.absent())?;
        let end = self.end(found.page.next, found.page.total);
        let marked = |item: ItemSummary| {
            let highlight = Highlight::new(&item, &found.query, found.snippets.get(&item.id));
            ItemSummaryView::from(item).with_highlight(highlight)
        };
        Ok((found.page.items.into_iter().map(marked).collect(), end))
    }

    fn absent(&self) -> ApiError {
        ApiError::not_found(match self.list.scope {
            Scope::Category(_) => "The category",
            Scope::Label(_) => "The label",
            Scope::Feed(_) | Scope::Everything => "The feed",
        })
    }

    fn end(&self, next: Option<Position>, total: Option<i64>) -> PageEnd {
        PageEnd {
            has_more: next.is_some(),
            next_cursor: next.map(|next| next.to_cursor(&self.name)),
            total,
        }
    }
}

/// A page as JSON, written into one buffer of the usual size: the default writer starts small and
/// reallocates as it grows. Written by `sonic_rs`, which finds characters to escape many bytes at a
/// time. Most of a page is excerpts, and checking them byte by byte, as `serde_json` does, takes a
/// quarter of the instructions of the whole request.
pub(crate) struct PageJson<T>(T);

/// Slightly more than a page of fifty items, and below the size whose release makes the allocator
/// consolidate its free memory.
const USUAL_BYTES: usize = 56 * 1024;

impl<T: Serialize> IntoResponse for PageJson<T> {
    fn into_response(self) -> Response {
        let mut body = Vec::with_capacity(USUAL_BYTES);
        match sonic_rs::to_writer(&mut body, &self.0) {
            Ok(()) => ([(CONTENT_TYPE, "application/json")], body).into_response(),
            Err(error) => ApiError::internal(&error).into_response(),
        }
    }
}

/// Position of a page in its list.
#[derive(Serialize, ToSchema)]
pub(crate) struct PageEnd {
    /// Cursor of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    has_more: bool,
    /// Number of items in the list. In a search, counting stops at 100 or at the end of the page.
    /// Absent if the page was requested with a cursor.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<i64>,
}

/// A page of the items of a feed.
#[derive(Serialize, ToSchema)]
pub(crate) struct ItemPageView {
    items: Vec<ItemSummaryView>,
    #[serde(flatten)]
    end: PageEnd,
}

/// A page of items of any feed.
#[derive(Serialize, ToSchema)]
pub(crate) struct PostsView {
    posts: Vec<ItemSummaryView>,
    #[serde(flatten)]
    end: PageEnd,
}

/// List the items of one feed
#[utoipa::path(
    get,
    path = "/api/feeds/{id}/items",
    operation_id = "feedItems",
    tag = "items",
    params(("id" = i64, Path, minimum = 1), FilterQuery, PageQuery),
    responses(
        (status = 200, body = ItemPageView),
        SignedIn, ById,
    )
)]
pub(crate) async fn of_feed(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(feed): PathOf<FeedId>,
    QueryOf(filter): QueryOf<FilterQuery>,
    QueryOf(page): QueryOf<PageQuery>,
) -> Result<PageJson<ItemPageView>, ApiError> {
    let filter = match filter.filter.as_deref() {
        None | Some("all") => ItemFilter::All,
        Some("unread") => ItemFilter::Unread,
        Some("starred") => ItemFilter::Starred,
        Some(_) => {
            return Err(ApiError::invalid("filter", none_of("all, unread, starred")));
        }
    };
    let wanted = PageRequest::read(&page, Scope::Feed(feed), filter, None, who.user.id)?;
    let (items, end) = wanted.find(&app, who.user.id).await?;
    Ok(PageJson(ItemPageView { items, end }))
}

/// List the items of all feeds that you follow
#[utoipa::path(
    get,
    path = "/api/posts",
    operation_id = "posts",
    tag = "items",
    params(PostsQuery, PageQuery),
    responses(
        (status = 200, body = PostsView),
        SignedIn, ById,
    )
)]
pub(crate) async fn posts(
    State(app): State<AppState>,
    who: CurrentUser,
    QueryOf(query): QueryOf<PostsQuery>,
    QueryOf(page): QueryOf<PageQuery>,
) -> Result<PageJson<PostsView>, ApiError> {
    let scope = match (query.feed_id, query.category_id, query.label_id) {
        (None, None, None) => Scope::Everything,
        (Some(feed), None, None) => Scope::Feed(feed),
        (None, Some(category), None) => Scope::Category(category),
        (None, None, Some(label)) => Scope::Label(label),
        (Some(_), Some(_), _) => {
            return Err(not_with("category_id", "feed_id"));
        }
        (_, _, Some(_)) => {
            return Err(not_with("label_id", "feed_id or category_id"));
        }
    };
    let only = |flag: Option<bool>| flag.unwrap_or_default();
    let filter = match (only(query.unread_only), only(query.starred_only)) {
        _ if only(query.history) => query.history()?,
        (false, false) => ItemFilter::All,
        (true, false) => ItemFilter::Unread,
        (false, true) => ItemFilter::Starred,
        (true, true) => ItemFilter::UnreadStarred,
    };
    let wanted = PageRequest::read(&page, scope, filter, query.search.as_deref(), who.user.id)?;
    let (posts, end) = match query.search {
        None => wanted.find(&app, who.user.id).await?,
        Some(text) => {
            app.limits.search(&app, &who.user)?;
            wanted.search(&app, who.user.id, text).await?
        }
    };
    Ok(PageJson(PostsView { posts, end }))
}

/// Get one item with its content; the same as `/api/items/{id}`
#[utoipa::path(
    get,
    path = "/api/posts/{id}",
    operation_id = "post",
    tag = "items",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 200, body = ItemView),
        SignedIn, ById,
    )
)]
pub(crate) async fn post(
    app: State<AppState>,
    who: CurrentUser,
    item: PathOf<ItemId>,
) -> Result<Json<ItemView>, ApiError> {
    items::show(app, who, item).await
}

fn post_ids_schema() -> Array {
    let id = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(1));
    ArrayBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Array, Type::Null]))
        .items(id)
        .min_items(Some(1))
        .max_items(Some(MOST_MARKED))
        .description(Some("Ids of the items."))
        .build()
}

/// Items to mark as read: exactly one of `post_ids`, `feed_id`, `category_id`, `label_id`, `search`
/// and `all`.
#[derive(Deserialize, ToSchema)]
pub(crate) struct MarkReadBody {
    /// Ids of the items.
    #[schema(schema_with = post_ids_schema)]
    post_ids: Option<Vec<ItemId>>,
    /// All items of this feed.
    #[schema(value_type = Option<i64>, minimum = 1)]
    feed_id: Option<FeedId>,
    /// All items of the feeds in this category and its subcategories.
    #[schema(value_type = Option<i64>, minimum = 1)]
    category_id: Option<CategoryId>,
    /// All items with this label.
    #[schema(value_type = Option<i64>, minimum = 1)]
    label_id: Option<LabelId>,
    /// The unread items that this search finds, 1000 at most.
    #[schema(max_length = 500)]
    search: Option<String>,
    /// True for all items.
    all: Option<bool>,
    /// The newest item that you have seen. Items that arrived after it stay unread.
    #[schema(value_type = Option<i64>, minimum = 1)]
    newest_id: Option<ItemId>,
    /// The latest date that you have seen. Items with a later date stay unread.
    #[schema(
        value_type = Option<String>,
        format = "date-time",
        pattern = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$"
    )]
    before: Option<String>,
    /// Only items that are older than this one.
    #[schema(value_type = Option<i64>, minimum = 1)]
    older_than_id: Option<ItemId>,
}

/// Error for a field that excludes another one.
fn not_with(field: &'static str, other: &str) -> ApiError {
    let other = other.to_owned();
    ApiError::invalid(field, InputError::NotWith { other })
}

fn none_of(choices: &str) -> InputError {
    let choices = choices.to_owned();
    InputError::NoneOf { choices }
}

impl MarkReadBody {
    /// Returns the latest date to mark.
    async fn before(&self, app: &AppState, user: UserId) -> Result<Option<Timestamp>, ApiError> {
        if let Some(item) = self.older_than_id {
            let item = reading::find_item(&app.lede, user, item).await?;
            let item = item.ok_or_else(|| ApiError::not_found("The item"))?;
            return Ok(Some(
                item.summary.position().sort_at - Duration::from_millis(1),
            ));
        }
        let before = self.before.as_deref().map(|text| {
            Timestamp::parse_bound(text)
                .ok_or_else(|| ApiError::invalid("before", InputError::NotATime))
        });
        before.transpose()
    }

    async fn selection(self, app: &AppState, user: &User) -> Result<ReadSelection, ApiError> {
        let before = self.before(app, user.id).await?;
        let newest = self.newest_id;
        let unread = |scope| {
            Ok(ReadSelection::Unread {
                scope,
                newest,
                before,
            })
        };
        let named = (self.feed_id, self.category_id, self.label_id);
        let all = self.all.filter(|all| *all);
        match (self.post_ids, named, self.search, all) {
            (Some(items), (None, None, None), None, None) => {
                if items.is_empty() || items.len() > MOST_MARKED {
                    let (least, most) = (1, MOST_MARKED as i64);
                    let error = InputError::WrongNumber { least, most };
                    return Err(ApiError::invalid("post_ids", error));
                }
                Ok(ReadSelection::Items(items))
            }
            (None, (Some(feed), None, None), None, None) => unread(Scope::Feed(feed)),
            (None, (None, Some(category), None), None, None) => unread(Scope::Category(category)),
            (None, (None, None, Some(label)), None, None) => unread(Scope::Label(label)),
            (None, (None, None, None), Some(text), None) => {
                app.limits.search(app, user)?;
                let found = search::unread_items(&app.lede, user.id, &text, newest, before).await;
                let found = found.map_err(|error| search_error("search", error))?;
                Ok(ReadSelection::Items(found))
            }
            (None, (None, None, None), None, Some(true)) => unread(Scope::Everything),
            _ => Err(ApiError::bad_request(
                "Say what to mark: exactly one of post_ids, feed_id, category_id, label_id, search and all.",
            )),
        }
    }
}

/// Result of marking items as read, with the id for undoing it.
#[derive(Serialize, ToSchema)]
pub(crate) struct MarkedView {
    /// Number of items that were unread before.
    marked: usize,
    /// Number of ids in `post_ids` that are not among your items. They were ignored.
    unknown: usize,
    /// Id for `/api/posts/mark-read/{id}/undo`; null if no item was unread.
    #[schema(value_type = Option<i64>)]
    undo_id: Option<BulkMarkId>,
    /// End of the period in which that is possible.
    #[schema(value_type = Option<String>, format = "date-time")]
    undo_until: Option<Timestamp>,
}

/// Mark many items as read
#[utoipa::path(
    post,
    path = "/api/posts/mark-read",
    operation_id = "markRead",
    tag = "items",
    request_body = MarkReadBody,
    responses(
        (status = 200, body = MarkedView),
        SignedIn, ById, JsonIn, Changing,
    )
)]
pub(crate) async fn mark_read(
    State(app): State<AppState>,
    who: CurrentUser,
    JsonBody(body): JsonBody<MarkReadBody>,
) -> Result<Json<MarkedView>, ApiError> {
    let selection = body.selection(&app, &who.user).await?;
    let now = app.lede.clock.now();
    let what = match selection {
        ReadSelection::Unread {
            scope: Scope::Category(_),
            ..
        } => "The category",
        ReadSelection::Unread {
            scope: Scope::Label(_),
            ..
        } => "The label",
        ReadSelection::Unread { .. } => "The feed",
        ReadSelection::Items(_) => "An item of one of these numbers",
    };
    let bulk_mark = reading::mark_read(&app.lede, who.user.id, selection).await?;
    let bulk_mark = bulk_mark.ok_or_else(|| ApiError::not_found(what))?;
    Ok(Json(MarkedView {
        marked: bulk_mark.marked,
        unknown: bulk_mark.unknown,
        undo_id: bulk_mark.id,
        undo_until: bulk_mark.id.map(|_| now + UNDO_FOR),
    }))
}

/// Result of undoing a bulk mark.
#[derive(Serialize, ToSchema)]
pub(crate) struct RestoredView {
    /// Number of items that are unread again.
    restored: usize,
}

/// Undo a bulk mark, within ten minutes
#[utoipa::path(
    post,
    path = "/api/posts/mark-read/{id}/undo",
    operation_id = "undoMarkRead",
    tag = "items",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 200, body = RestoredView),
        (status = 410, body = ErrorBody, description = "The ten minutes are over"),
        SignedIn, ById, Changing,
    )
)]
pub(crate) async fn undo(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(bulk_mark): PathOf<BulkMarkId>,
) -> Result<Json<RestoredView>, ApiError> {
    let restored = reading::undo(&app.lede, who.user.id, bulk_mark).await;
    let restored = restored.map_err(|error| match error {
        UndoError::Unknown => ApiError::not_found("What you want to undo"),
        UndoError::TooLate => ApiError::new(
            StatusCode::GONE,
            "too_late",
            Category::Validation,
            "What was marked read more than ten minutes ago stays read.",
            "Open an item and mark it unread by itself.",
        ),
        UndoError::Store(error) => error.into(),
    })?;
    Ok(Json(RestoredView { restored }))
}

/// New read state of an item.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ReadBody {
    is_read: bool,
}

/// Mark one item as read or unread
#[utoipa::path(
    patch,
    path = "/api/posts/{id}/read",
    operation_id = "setPostRead",
    tag = "items",
    params(("id" = i64, Path, minimum = 1)),
    request_body = ReadBody,
    responses(
        (status = 200, body = OkView),
        SignedIn, ById, JsonIn, Changing,
    )
)]
pub(crate) async fn set_read(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(item): PathOf<ItemId>,
    JsonBody(body): JsonBody<ReadBody>,
) -> Result<Json<OkView>, ApiError> {
    let change = MarkChange {
        read: Some(body.is_read),
        starred: None,
    };
    let marks = reading::set_marks(&app.lede, who.user.id, item, change).await?;
    marks.ok_or_else(|| ApiError::not_found("The item"))?;
    Ok(Json(OkView { ok: true }))
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Excerpts are untrusted text, and other programs parse them.
        #[test]
        fn whatever_a_page_says_can_be_read_back(
            texts in prop::collection::vec(prop_oneof![any::<String>(), "[\\x00-\\x7f\u{2028}é\"\\\\]{0,99}"], 0..9),
        ) {
            let body = PageJson(&texts).into_response().into_body();
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let bytes = runtime.block_on(to_bytes(body, usize::MAX)).unwrap();
            prop_assert_eq!(serde_json::from_slice::<Vec<String>>(&bytes).unwrap(), texts);
        }
    }
}
