//! Feeds that a user follows.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use lede_core::access::{self, FeedInput};
use lede_core::categories::{self, OrganiseError};
use lede_core::discover::{self, Candidate};
use lede_core::icons;
use lede_core::reading::{self, FeedsQuery};
use lede_core::subscribe::{self, Followed, SubscribeError};
use lede_model::address::WebUrl;
use lede_model::feed::{FeedStatus, Subscription};
use lede_model::ids::{CategoryId, FeedId, SubscriptionId};
use lede_model::message::Message;
use lede_model::time::Timestamp;
use lede_store::subscriptions::Change;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::access::{AccessBody, AccessView};
use super::removed;
use crate::AppState;
use crate::error::{
    ApiError, ById, Changing, ErrorBody, JsonBody, JsonIn, PathOf, QueryOf, SignedIn,
    organise_error, subscribe_error,
};
use crate::input::own_title;
use crate::input::present::present;
use crate::middleware::CurrentUser;
use crate::web::images::{favicon_address, picture};

/// A feed to follow.
#[derive(Deserialize, ToSchema)]
pub(crate) struct AddFeedBody {
    /// Address of a feed, or of a page that links to one; `https://` may be omitted. A user name
    /// and a password before the host are removed from the address and used as credentials.
    #[schema(
        min_length = 1,
        max_length = 2040,
        example = "https://example.org/blog"
    )]
    url: String,
    /// Category for the feed; null or absent for none.
    #[schema(value_type = Option<i64>, minimum = 1)]
    category_id: Option<CategoryId>,
    #[serde(flatten)]
    access: AccessBody,
}

/// An address to search for feeds.
#[derive(Deserialize, ToSchema)]
pub(crate) struct DiscoverBody {
    /// Address of a feed, or of a page that links to one; `https://` may be omitted.
    #[schema(
        min_length = 1,
        max_length = 2040,
        example = "https://example.org/blog"
    )]
    url: String,
    #[serde(flatten)]
    access: AccessBody,
}

/// Changes to a feed in your list. Absent fields keep their values.
#[derive(Deserialize, ToSchema)]
pub(crate) struct FeedBody {
    /// Your own name for the feed; null or blank for the publisher's.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 500, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$")]
    title: Option<Option<String>>,
    /// Category that contains the feed; null for none.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<i64>, minimum = 1)]
    category_id: Option<Option<CategoryId>>,
}

/// New address for a feed in your list.
#[derive(Deserialize, ToSchema)]
pub(crate) struct FeedUrlBody {
    /// Address of a feed, or of a page that links to one; `https://` may be omitted.
    #[schema(
        min_length = 1,
        max_length = 2040,
        example = "https://example.org/feed.xml"
    )]
    feed_url: String,
}

/// Selects feeds of your list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FeedsQueryParams {
    /// Only feeds in this category and its subcategories.
    #[param(value_type = Option<i64>, minimum = 1)]
    category_id: Option<CategoryId>,
    /// `false` omits feeds that are stopped or paused. The default is `true`.
    include_disabled: Option<bool>,
}

/// A feed that you follow.
#[derive(Serialize, ToSchema)]
pub(crate) struct FeedView {
    #[schema(value_type = i64)]
    id: FeedId,
    #[schema(value_type = i64)]
    subscription_id: SubscriptionId,
    /// Your own name for the feed, or the publisher's.
    title: String,
    /// Address that the feed is fetched from.
    #[schema(value_type = String, format = "uri")]
    url: WebUrl,
    /// Same value as `url`.
    #[schema(value_type = String, format = "uri")]
    feed_url: WebUrl,
    #[schema(value_type = Option<String>, format = "uri")]
    site_url: Option<WebUrl>,
    #[schema(value_type = String, example = "active")]
    status: FeedStatus,
    /// `success`, `temporary_error`, `permanent_error` or `unauthorized`; null before the first
    /// fetch.
    last_fetch_status: Option<String>,
    /// Description of the last error.
    last_error: Option<String>,
    /// Stable code of `last_error`.
    last_error_code: Option<&'static str>,
    /// Number of failed fetches since the last successful one.
    error_count: i64,
    unread_count: i64,
    /// Category that contains the feed; null for none.
    #[schema(value_type = Option<i64>)]
    category_id: Option<CategoryId>,
    /// Position among the feeds of the same category.
    position: i64,
    /// True if you are notified about new items.
    notify: bool,
    /// True if the feed is paused: you get no new items.
    paused: bool,
    /// Minutes between fetches that you chose; 0 adapts to the feed, null is the default.
    fetch_interval_minutes: Option<i64>,
    /// True if full articles are fetched from their pages when the feed contains only excerpts.
    full_text: bool,
    /// True if you stored credentials for the feed's server.
    has_access: bool,
    /// Address of the site's icon; null if there is none.
    favicon_url: Option<String>,
    #[schema(value_type = Option<String>, format = "date-time")]
    last_fetched_at: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = "date-time")]
    next_fetch_at: Option<Timestamp>,
    /// Reason for `next_fetch_at`, or for its absence, in words.
    next_fetch_why: Option<String>,
    /// Stable code of `next_fetch_why`.
    next_fetch_why_code: Option<&'static str>,
    #[schema(value_type = String, format = "date-time")]
    created_at: Timestamp,
}

impl From<Subscription> for FeedView {
    fn from(subscription: Subscription) -> Self {
        Self {
            title: subscription.title().to_owned(),
            id: subscription.feed.id,
            subscription_id: subscription.id,
            url: subscription.feed.url.clone(),
            feed_url: subscription.feed.url,
            site_url: subscription.feed.site_url,
            status: subscription.feed.status,
            last_fetch_status: subscription.last_fetch_status,
            last_error: subscription.last_error.as_ref().map(ToString::to_string),
            last_error_code: subscription.last_error.as_ref().map(Message::code),
            error_count: subscription.failures_in_a_row,
            unread_count: subscription.unread,
            category_id: subscription.category,
            position: subscription.position,
            notify: subscription.notify,
            paused: subscription.paused_at.is_some(),
            fetch_interval_minutes: subscription.interval_minutes,
            full_text: subscription.full_text,
            has_access: subscription.has_access,
            favicon_url: subscription
                .has_icon
                .then(|| favicon_address(subscription.feed.id)),
            last_fetched_at: subscription.last_fetched_at,
            next_fetch_at: subscription.next_fetch_at,
            next_fetch_why: subscription
                .next_fetch_why
                .as_ref()
                .map(ToString::to_string),
            next_fetch_why_code: subscription.next_fetch_why.as_ref().map(Message::code),
            created_at: subscription.created_at,
        }
    }
}

/// A feed that you follow, with the names of its stored credentials.
#[derive(Serialize, ToSchema)]
pub(crate) struct OneFeedView {
    #[serde(flatten)]
    feed: FeedView,
    /// Names of the credentials that are stored for the feed's server; null if there are none.
    access: Option<AccessView>,
}

/// A feed that was discovered behind an address.
#[derive(Serialize, ToSchema)]
pub(crate) struct CandidateView {
    #[schema(value_type = String, format = "uri")]
    url: WebUrl,
    /// Title according to the page or the feed.
    title: Option<String>,
    /// Format according to the page.
    #[schema(value_type = String, pattern = "^(atom|rss|json|unknown)$")]
    kind: &'static str,
}

impl From<Candidate> for CandidateView {
    fn from(candidate: Candidate) -> Self {
        Self {
            url: candidate.url,
            title: candidate.title,
            kind: candidate.kind.as_str(),
        }
    }
}

/// A feed that was added to your list.
#[derive(Serialize, ToSchema)]
pub(crate) struct AddedView {
    #[serde(flatten)]
    feed: FeedView,
    /// Other feeds that the page links to, best first. They were not fetched.
    alternatives: Vec<CandidateView>,
}

impl From<Followed> for AddedView {
    fn from(followed: Followed) -> Self {
        let others = followed.alternatives.into_iter();
        Self {
            feed: followed.subscription.into(),
            alternatives: others.map(CandidateView::from).collect(),
        }
    }
}

/// Feeds that were discovered behind an address.
#[derive(Serialize, ToSchema)]
pub(crate) struct DiscoveryView {
    /// Best first. The first one was fetched successfully; the others were not fetched.
    candidates: Vec<CandidateView>,
    /// Address of the first candidate, which adding the address would follow.
    #[schema(value_type = String, format = "uri")]
    best: WebUrl,
}

/// List the feeds that you follow, in the order of your categories
#[utoipa::path(
    get,
    path = "/api/feeds",
    operation_id = "listFeeds",
    tag = "feeds",
    params(FeedsQueryParams),
    responses(
        (status = 200, body = Vec<FeedView>),
        SignedIn, ById,
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    who: CurrentUser,
    QueryOf(query): QueryOf<FeedsQueryParams>,
) -> Result<Json<Vec<FeedView>>, ApiError> {
    let query = FeedsQuery {
        category: query.category_id,
        include_disabled: query.include_disabled.unwrap_or(true),
    };
    let subscriptions = reading::feeds(&app.lede, who.user.id, query).await?;
    let subscriptions = subscriptions.ok_or_else(|| ApiError::not_found("The category"))?;
    Ok(Json(
        subscriptions.into_iter().map(FeedView::from).collect(),
    ))
}

/// Follow a feed, given its address or that of a page that links to one
#[utoipa::path(
    post,
    path = "/api/feeds",
    operation_id = "addFeed",
    tag = "feeds",
    request_body = AddFeedBody,
    responses(
        (status = 201, body = AddedView),
        SignedIn, JsonIn,
        (status = 400, body = ErrorBody, description = "Not an address, or one that may not be reached"),
        (status = 403, body = ErrorBody, description = "A viewer may only follow feeds that are known here"),
        (status = 404, body = ErrorBody, description = "The category is not yours"),
        (status = 409, body = ErrorBody, description = "Followed already, the list is full, or somebody reads it with a password here"),
        (status = 422, body = ErrorBody, description = "No feed there, or its server does not answer"),
    )
)]
pub(crate) async fn add(
    State(app): State<AppState>,
    who: CurrentUser,
    JsonBody(body): JsonBody<AddFeedBody>,
) -> Result<(StatusCode, Json<AddedView>), ApiError> {
    app.limits.feed_work(&app, &who.user)?;
    let typed = FeedInput::read(&body.url, &body.access.into_access()?).map_err(subscribe_error)?;
    let followed = subscribe::subscribe(&app.lede, &who.user, &typed, body.category_id)
        .await
        .map_err(subscribe_error)?;
    Ok((StatusCode::CREATED, Json(followed.into())))
}

/// Discover the feeds behind an address without following any of them
#[utoipa::path(
    post,
    path = "/api/feeds/discover",
    operation_id = "discoverFeeds",
    tag = "feeds",
    request_body = DiscoverBody,
    responses(
        (status = 200, body = DiscoveryView),
        SignedIn, JsonIn,
        (status = 400, body = ErrorBody, description = "Not an address, or one that may not be reached"),
        (status = 403, body = ErrorBody, description = "A viewer may only look at feeds that are known here"),
        (status = 422, body = ErrorBody, description = "No feed there, or its server does not answer"),
    )
)]
pub(crate) async fn discover(
    State(app): State<AppState>,
    who: CurrentUser,
    JsonBody(body): JsonBody<DiscoverBody>,
) -> Result<Json<DiscoveryView>, ApiError> {
    app.limits.feed_work(&app, &who.user)?;
    let typed = FeedInput::read(&body.url, &body.access.into_access()?).map_err(subscribe_error)?;
    let found = discover::discover(&app.lede, &who.user, &typed)
        .await
        .map_err(subscribe_error)?;
    let best = found.best.url.clone();
    let candidates = [found.best].into_iter().chain(found.others);
    Ok(Json(DiscoveryView {
        candidates: candidates.map(Into::into).collect(),
        best,
    }))
}

/// Get one feed that you follow
#[utoipa::path(
    get,
    path = "/api/feeds/{id}",
    operation_id = "feed",
    tag = "feeds",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 200, body = OneFeedView),
        SignedIn, ById,
    )
)]
pub(crate) async fn show(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(feed): PathOf<FeedId>,
) -> Result<Json<OneFeedView>, ApiError> {
    let subscription = reading::find_subscription(&app.lede, who.user.id, feed).await?;
    let subscription = subscription.ok_or_else(|| ApiError::not_found("The feed"))?;
    let shown = access::shown(&app.lede, who.user.id, feed).await?;
    Ok(Json(OneFeedView {
        feed: subscription.into(),
        access: AccessView::of(&shown),
    }))
}

/// Rename a feed in your list or put it in a category; other users are not affected
#[utoipa::path(
    put,
    path = "/api/feeds/{id}",
    operation_id = "setFeed",
    tag = "feeds",
    params(("id" = i64, Path, minimum = 1)),
    request_body = FeedBody,
    responses(
        (status = 200, body = FeedView),
        SignedIn, ById, JsonIn, Changing,
    )
)]
pub(crate) async fn set(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(feed): PathOf<FeedId>,
    JsonBody(body): JsonBody<FeedBody>,
) -> Result<Json<FeedView>, ApiError> {
    let change = Change {
        title: own_title(body.title)?,
        category: body.category_id,
        ..Change::default()
    };
    let changed = categories::change_feed(&app.lede, who.user.id, feed, change).await;
    changed
        .map(|subscription| Json(subscription.into()))
        .map_err(|error| match error {
            OrganiseError::NoSuchSubscription => ApiError::not_found("The feed"),
            other => organise_error(other),
        })
}

/// Follow another address instead of this feed, with the same name, category and settings
///
/// Other users are not affected. Your marks on the items of the old feed are deleted.
#[utoipa::path(
    patch,
    path = "/api/feeds/{id}",
    operation_id = "moveFeed",
    tag = "feeds",
    params(("id" = i64, Path, minimum = 1)),
    request_body = FeedUrlBody,
    responses(
        (status = 200, body = AddedView, description = "The feed that you follow now; it has a number of its own"),
        SignedIn, ById, JsonIn,
        (status = 400, body = ErrorBody, description = "Not an address, or one that may not be reached"),
        (status = 403, body = ErrorBody, description = "A viewer may only follow feeds that are known here"),
        (status = 409, body = ErrorBody, description = "You follow that feed already"),
        (status = 422, body = ErrorBody, description = "No feed there, or its server does not answer"),
    )
)]
pub(crate) async fn move_to(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(feed): PathOf<FeedId>,
    JsonBody(body): JsonBody<FeedUrlBody>,
) -> Result<Json<AddedView>, ApiError> {
    app.limits.feed_work(&app, &who.user)?;
    let moved = subscribe::move_to(&app.lede, &who.user, feed, &body.feed_url)
        .await
        .map_err(|error| match error {
            SubscribeError::Address(error) => ApiError::invalid("feed_url", error),
            other => subscribe_error(other),
        })?;
    moved
        .map(|followed| Json(followed.into()))
        .ok_or_else(|| ApiError::not_found("The feed"))
}

/// Unfollow a feed; your marks on its items are deleted
#[utoipa::path(
    delete,
    path = "/api/feeds/{id}",
    operation_id = "removeFeed",
    tag = "feeds",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 204, description = "No longer followed"),
        SignedIn, ById, Changing,
    )
)]
pub(crate) async fn remove(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(feed): PathOf<FeedId>,
) -> Result<StatusCode, ApiError> {
    let was_there = subscribe::unsubscribe(&app.lede, who.user.id, feed).await?;
    removed(was_there, "The feed")
}

/// Result of fetching a feed.
#[derive(Serialize, ToSchema)]
pub(crate) struct RefreshView {
    /// Number of items that are new.
    new_posts: usize,
    /// Descriptions of errors; empty on success.
    errors: Vec<String>,
}

/// Fetch a feed now, regardless of its schedule; resumes it if it was stopped
#[utoipa::path(
    post,
    path = "/api/feeds/{id}/refresh",
    operation_id = "refreshFeed",
    tag = "feeds",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 200, body = RefreshView),
        SignedIn, ById, Changing,
        (status = 403, body = ErrorBody, description = "A viewer may not restart what was stopped"),
        (status = 409, body = ErrorBody, description = "Another request fetches it already"),
    )
)]
pub(crate) async fn refresh(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(feed): PathOf<FeedId>,
) -> Result<Json<RefreshView>, ApiError> {
    app.limits.feed_work(&app, &who.user)?;
    let refreshed = subscribe::refresh(&app.lede, &who.user, feed).await;
    let refreshed = refreshed.map_err(subscribe_error)?;
    let refreshed = refreshed.ok_or_else(|| ApiError::not_found("The feed"))?;
    Ok(Json(RefreshView {
        new_posts: refreshed.new_items,
        errors: refreshed.error.into_iter().collect(),
    }))
}

/// Feeds to fetch.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RefreshAllBody {
    /// Category to fetch, with its subcategories; null or absent for all your feeds.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 1)]
    category_id: Option<CategoryId>,
}

/// Feeds that will be fetched.
#[derive(Serialize, ToSchema)]
pub(crate) struct QueuedView {
    /// Number of feeds; 0 if each was fetched a moment ago or has to wait.
    queued: usize,
}

/// Fetch all your feeds now, or those of a category
///
/// Responds at once; new items are announced at `/api/events`. Skips feeds that are paused or
/// stopped, that are being fetched or were fetched within the last five minutes, whose server asked
/// for a delay, or whose server refused the last fetch.
#[utoipa::path(
    post,
    path = "/api/feeds/refresh",
    operation_id = "refreshFeeds",
    tag = "feeds",
    request_body = RefreshAllBody,
    responses(
        (status = 202, body = QueuedView),
        SignedIn, ById, JsonIn, Changing,
    )
)]
pub(crate) async fn refresh_all(
    State(app): State<AppState>,
    who: CurrentUser,
    JsonBody(body): JsonBody<RefreshAllBody>,
) -> Result<(StatusCode, Json<QueuedView>), ApiError> {
    app.limits.feed_work(&app, &who.user)?;
    let queued = subscribe::refresh_all(&app.lede, who.user.id, body.category_id).await?;
    let queued = queued.ok_or_else(|| ApiError::not_found("The category"))?;
    Ok((StatusCode::ACCEPTED, Json(QueuedView { queued })))
}

/// Get the icon of a feed's site as an image
#[utoipa::path(
    get,
    path = "/api/feeds/{id}/favicon",
    operation_id = "feedIcon",
    tag = "feeds",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 200, content_type = "image/*", body = Vec<u8>),
        SignedIn, ById,
    )
)]
pub(crate) async fn favicon(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(feed): PathOf<FeedId>,
) -> Result<Response, ApiError> {
    let icon = icons::find(&app.lede, who.user.id, feed).await?;
    let icon = icon.ok_or_else(|| ApiError::not_found("The icon"))?;
    Ok(picture(&icon.content_type, icon.bytes))
}

/// A feed that was resumed.
#[derive(Serialize, ToSchema)]
pub(crate) struct EnabledView {
    /// Always true; a failure is reported as an error.
    ok: bool,
    #[serde(flatten)]
    feed: FeedView,
}

/// Resume a feed that was stopped: reset its error count and fetch it at once
#[utoipa::path(
    post,
    path = "/api/feeds/{id}/enable",
    operation_id = "enableFeed",
    tag = "feeds",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 200, body = EnabledView, description = "The feed as it is after that fetch"),
        SignedIn, ById, Changing,
        (status = 403, body = ErrorBody, description = "A viewer may end a pause, and not restart what was stopped"),
    )
)]
pub(crate) async fn enable(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(feed): PathOf<FeedId>,
) -> Result<Json<EnabledView>, ApiError> {
    app.limits.feed_work(&app, &who.user)?;
    let subscription = subscribe::resume(&app.lede, &who.user, feed).await;
    let enabled = |found: Subscription| EnabledView {
        ok: true,
        feed: found.into(),
    };
    subscription
        .map_err(subscribe_error)?
        .map(|found| Json(enabled(found)))
        .ok_or_else(|| ApiError::not_found("The feed"))
}
