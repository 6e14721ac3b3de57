//! Notifications of a user: the list in the bell.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lede_core::notifications::{self, Notification, NotificationPage};
use lede_core::reading::{LONGEST_PAGE, PAGE};
use lede_model::ids::{FeedId, ItemId, NotificationId};
use lede_model::time::Timestamp;
use lede_store::notifications::NotificationFilter;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::AppState;
use crate::error::{ApiError, ById, Changing, ErrorBody, PathOf, QueryOf, SignedIn};
use crate::middleware::CurrentUser;

/// Selects a page of notifications.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct NotificationsQuery {
    /// `next_before` of the previous page.
    #[param(value_type = Option<i64>, minimum = 1)]
    before: Option<NotificationId>,
    /// Number of notifications on the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<i64>,
    /// Only unread notifications.
    #[param(default = false)]
    unread_only: Option<bool>,
}

/// A new item that you are notified about, because of a rule or of the settings of its feed.
#[derive(Serialize, ToSchema)]
pub(crate) struct NotificationView {
    #[schema(value_type = i64)]
    id: NotificationId,
    #[schema(value_type = i64)]
    item_id: ItemId,
    title: String,
    #[schema(value_type = i64)]
    feed_id: FeedId,
    /// Your own name for the feed, or the publisher's.
    feed_title: String,
    #[schema(value_type = String, format = "date-time")]
    created_at: Timestamp,
    /// True if you read the notification or its item.
    is_read: bool,
}

impl From<Notification> for NotificationView {
    fn from(notification: Notification) -> Self {
        Self {
            id: notification.id,
            item_id: notification.item,
            title: notification.title,
            feed_id: notification.feed,
            feed_title: notification.feed_title,
            created_at: notification.created_at,
            is_read: !notification.is_unread,
        }
    }
}

/// A page of notifications.
#[derive(Serialize, ToSchema)]
pub(crate) struct NotificationsView {
    /// Newest first.
    notifications: Vec<NotificationView>,
    /// `before` of the next page; null at the end.
    #[schema(value_type = Option<i64>)]
    next_before: Option<NotificationId>,
    /// Unread notifications in all pages; 100 stands for 100 or more.
    unread_count: i64,
}

impl From<NotificationPage> for NotificationsView {
    fn from(page: NotificationPage) -> Self {
        let notifications = page.notifications.into_iter();
        Self {
            notifications: notifications.map(NotificationView::from).collect(),
            next_before: page.next,
            unread_count: page.unread,
        }
    }
}

/// List your notifications, newest first
///
/// Lede keeps the newest 500, for 30 days.
#[utoipa::path(
    get,
    path = "/api/notifications",
    operation_id = "listNotifications",
    tag = "items",
    params(NotificationsQuery),
    responses(
        (status = 200, body = NotificationsView),
        SignedIn,
        (status = 400, body = ErrorBody, description = "A parameter is invalid"),
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    who: CurrentUser,
    QueryOf(query): QueryOf<NotificationsQuery>,
) -> Result<Json<NotificationsView>, ApiError> {
    let limit = query.limit.unwrap_or(PAGE);
    if !(1..=LONGEST_PAGE).contains(&limit) {
        let words = format!("must be between 1 and {LONGEST_PAGE}");
        return Err(ApiError::field("limit", words));
    }
    let filter = match query.unread_only {
        Some(true) => NotificationFilter::Unread,
        _ => NotificationFilter::All,
    };
    let page = notifications::page(&app.lede, who.user.id, filter, query.before, limit).await?;
    Ok(Json(page.into()))
}

/// Mark a notification as read
///
/// Its item stays unread. Reading the item also reads the notification.
#[utoipa::path(
    post,
    path = "/api/notifications/{id}/read",
    operation_id = "readNotification",
    tag = "items",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 204, description = "Read"),
        SignedIn, ById, Changing,
    )
)]
pub(crate) async fn read(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(id): PathOf<NotificationId>,
) -> Result<StatusCode, ApiError> {
    match notifications::mark_read(&app.lede, who.user.id, id).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(ApiError::not_found("The notification")),
    }
}

/// Mark all your notifications as read
///
/// Their items stay unread.
#[utoipa::path(
    post,
    path = "/api/notifications/read",
    operation_id = "readNotifications",
    tag = "items",
    responses(
        (status = 204, description = "Read"),
        SignedIn, Changing,
    )
)]
pub(crate) async fn read_all(
    State(app): State<AppState>,
    who: CurrentUser,
) -> Result<StatusCode, ApiError> {
    notifications::mark_all_read(&app.lede, who.user.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
