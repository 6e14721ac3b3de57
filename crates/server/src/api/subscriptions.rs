//! Subscriptions of a user and their settings.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lede_core::subscribe::{self, Resumed};
use lede_core::{access, reading};
use lede_model::address::WebUrl;
use lede_model::credentials::AccessChange;
use lede_model::feed::{FeedStatus, Subscription};
use lede_model::ids::{CategoryId, FeedId, SubscriptionId, UserId};
use lede_model::input::InputError;
use lede_model::message::Message;
use lede_model::schedule::{DEFAULT_INTERVAL_MINUTES, is_interval};
use lede_model::time::Timestamp;
use lede_store::subscriptions::Change;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::access::AccessBody;
use super::categories::check_position;
use super::removed;
use crate::AppState;
use crate::error::{
    ApiError, ById, Category, Changing, ErrorBody, JsonBody, JsonIn, PathOf, SignedIn,
    subscribe_error,
};
use crate::input::own_title;
use crate::input::present::present;
use crate::middleware::CurrentUser;
use crate::web::images::favicon_address;

/// A subscription of the signed-in user.
#[derive(Serialize, ToSchema)]
pub(crate) struct SubscriptionView {
    #[schema(value_type = i64)]
    id: SubscriptionId,
    /// Id of the signed-in user.
    #[schema(value_type = i64)]
    user_id: UserId,
    #[schema(value_type = i64)]
    feed_id: FeedId,
    /// Your own name for the feed, or the publisher's.
    feed_title: String,
    #[schema(value_type = String, format = "uri")]
    feed_url: WebUrl,
    /// Address of the site's icon; null if there is none.
    favicon_url: Option<String>,
    /// Minutes between fetches; 0 adapts to the posting frequency of the feed.
    fetch_interval_minutes: i64,
    #[schema(value_type = String, pattern = "^(active|error|stopped)$")]
    feed_status: FeedStatus,
    /// Description of the last error.
    error_message: Option<String>,
    /// Stable code of `error_message`.
    error_code: Option<&'static str>,
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
    /// True if full articles are fetched from their pages when the feed contains only excerpts.
    full_text: bool,
    /// True if you stored credentials for the feed's server.
    has_access: bool,
    #[schema(value_type = String, format = "date-time")]
    created_at: Timestamp,
}

impl SubscriptionView {
    fn of(user: UserId, subscription: Subscription) -> Self {
        Self {
            user_id: user,
            feed_title: subscription.title().to_owned(),
            id: subscription.id,
            feed_id: subscription.feed.id,
            feed_url: subscription.feed.url,
            favicon_url: subscription
                .has_icon
                .then(|| favicon_address(subscription.feed.id)),
            fetch_interval_minutes: subscription
                .interval_minutes
                .unwrap_or(DEFAULT_INTERVAL_MINUTES),
            feed_status: subscription.feed.status,
            error_message: subscription.last_error.as_ref().map(ToString::to_string),
            error_code: subscription.last_error.as_ref().map(Message::code),
            unread_count: subscription.unread,
            category_id: subscription.category,
            position: subscription.position,
            notify: subscription.notify,
            paused: subscription.paused_at.is_some(),
            full_text: subscription.full_text,
            has_access: subscription.has_access,
            created_at: subscription.created_at,
        }
    }
}

/// Changes to a subscription. Absent fields keep their values.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SettingsBody {
    /// Your own name for the feed; null or blank for the publisher's.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 500, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$")]
    title: Option<Option<String>>,
    /// Category that contains the feed; null for none.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<i64>, minimum = 1)]
    category_id: Option<Option<CategoryId>>,
    /// Position among the feeds of the same category, smallest first; equal positions are ordered
    /// by name.
    #[schema(minimum = 0, maximum = 1_000_000)]
    position: Option<i64>,
    /// Minutes between fetches; null for the default, 60.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<IntervalBody>)]
    fetch_interval_minutes: Option<Option<IntervalBody>>,
    /// True fetches full articles from their pages when the feed contains only excerpts.
    full_text: Option<bool>,
    /// True notifies you about new items.
    notify: Option<bool>,
    /// True pauses the feed: you get no new items.
    paused: Option<bool>,
    #[serde(flatten)]
    access: AccessBody,
}

/// 30 to 720 minutes in steps of 30; 0 or `auto` adapts to the posting frequency of the feed.
#[derive(Deserialize, ToSchema)]
#[serde(
    untagged,
    expecting = "must be 30 to 720 in steps of 30, or 0 or \"auto\" to adapt to how often the feed posts"
)]
pub(crate) enum IntervalBody {
    Minutes(MinutesBody),
    Word(WordBody),
}

#[derive(Deserialize, ToSchema)]
#[schema(value_type = i64, minimum = 0, maximum = 720, multiple_of = 30)]
// In JSON Schema `30.0` is an integer too, which an untagged enum does not deserialise as one.
pub(crate) struct MinutesBody(f64);

#[derive(Deserialize, ToSchema)]
#[schema(pattern = "^auto$")]
pub(crate) struct WordBody(String);

impl IntervalBody {
    fn minutes(&self) -> Result<i64, ApiError> {
        match self {
            Self::Minutes(MinutesBody(minutes))
                if minutes.fract() == 0.0 && is_interval(*minutes as i64) =>
            {
                Ok(*minutes as i64)
            }
            Self::Word(WordBody(word)) if word == "auto" => Ok(0),
            _ => Err(ApiError::invalid(
                "fetch_interval_minutes",
                InputError::NotAnInterval,
            )),
        }
    }
}

impl SettingsBody {
    fn into_changes(self) -> Result<(Change, AccessChange), ApiError> {
        if let Some(position) = self.position {
            check_position(position)?;
        }
        let interval_minutes = match self.fetch_interval_minutes {
            Some(Some(interval)) => Some(Some(interval.minutes()?)),
            Some(None) => Some(None),
            None => None,
        };
        let change = Change {
            title: own_title(self.title)?,
            category: self.category_id,
            position: self.position,
            interval_minutes,
            full_text: self.full_text,
            notify: self.notify,
            paused: self.paused,
        };
        Ok((change, self.access.into_change()?))
    }
}

/// List your subscriptions with their settings, in the order of your categories
#[utoipa::path(
    get,
    path = "/api/subscriptions",
    operation_id = "listSubscriptions",
    tag = "feeds",
    responses(
        (status = 200, body = Vec<SubscriptionView>),
        SignedIn,
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    who: CurrentUser,
) -> Result<Json<Vec<SubscriptionView>>, ApiError> {
    let subscriptions = reading::subscriptions(&app.lede, who.user.id).await?;
    let views = subscriptions.into_iter();
    let views = views.map(|subscription| SubscriptionView::of(who.user.id, subscription));
    Ok(Json(views.collect()))
}

/// Unfollow a feed, given its subscription; your marks on its items are deleted
#[utoipa::path(
    delete,
    path = "/api/subscriptions/{id}",
    operation_id = "removeSubscription",
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
    PathOf(subscription): PathOf<SubscriptionId>,
) -> Result<StatusCode, ApiError> {
    let was_there = subscribe::remove_subscription(&app.lede, who.user.id, subscription).await?;
    removed(was_there, "The subscription")
}

/// Change the settings of a subscription: name, category, position, fetch interval and more
#[utoipa::path(
    put,
    path = "/api/subscriptions/{id}/settings",
    operation_id = "setSubscription",
    tag = "feeds",
    params(("id" = i64, Path, minimum = 1)),
    request_body = SettingsBody,
    responses(
        (status = 200, body = SubscriptionView),
        SignedIn, ById, JsonIn, Changing,
        (status = 403, body = ErrorBody, description = "A viewer may not keep a feed from others"),
        (status = 409, body = ErrorBody, description = "Others follow the feed, so that it cannot be given a password"),
    )
)]
pub(crate) async fn set(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(subscription): PathOf<SubscriptionId>,
    JsonBody(body): JsonBody<SettingsBody>,
) -> Result<Json<SubscriptionView>, ApiError> {
    let (change, access) = body.into_changes()?;
    let changed =
        access::change_subscription(&app.lede, &who.user, subscription, change, access).await;
    changed
        .map_err(subscribe_error)?
        .map(|subscription| Json(SubscriptionView::of(who.user.id, subscription)))
        .ok_or_else(|| ApiError::not_found("The subscription"))
}

/// Resume a feed that you paused, or that was stopped because it failed
#[utoipa::path(
    post,
    path = "/api/subscriptions/{id}/resume",
    operation_id = "resumeSubscription",
    tag = "feeds",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 200, body = SubscriptionView),
        SignedIn, ById, Changing,
        (status = 403, body = ErrorBody, description = "A viewer may end a pause, and not restart what was stopped"),
        (status = 409, body = ErrorBody, description = "It is neither paused nor stopped"),
    )
)]
pub(crate) async fn resume(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(subscription): PathOf<SubscriptionId>,
) -> Result<Json<SubscriptionView>, ApiError> {
    app.limits.feed_work(&app, &who.user)?;
    let resumed = subscribe::resume_subscription(&app.lede, &who.user, subscription).await;
    match resumed.map_err(subscribe_error)? {
        Resumed::Now(subscription) => Ok(Json(SubscriptionView::of(who.user.id, *subscription))),
        Resumed::NoSuchSubscription => Err(ApiError::not_found("The subscription")),
        Resumed::NotNeeded => Err(ApiError::new(
            StatusCode::CONFLICT,
            "not_stopped",
            Category::Feed,
            "The feed is neither stopped nor paused.",
            "Nothing has to be done; refresh it to fetch it now.",
        )),
    }
}
