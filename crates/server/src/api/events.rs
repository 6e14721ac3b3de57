//! Live updates as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use lede_core::accounts::{self, Proof};
use lede_core::live_updates::{Arrived, ListenError, Listener, LiveUpdate, NewNotifications};
use lede_model::ids::{FeedId, ImportId};
use lede_model::import::ImportProgress;
use serde::Serialize;
use utoipa::ToSchema;

use super::notifications::NotificationView;
use crate::AppState;
use crate::error::{ApiError, Category, ErrorBody, SignedIn};
use crate::middleware::{CurrentUser, bearer_token};

/// Idle time after which a comment is sent: proxies close connections that are silent for a minute.
const KEEP_ALIVE: Duration = Duration::from_secs(25);
/// Delay after which a browser reconnects.
const RETRY: Duration = Duration::from_secs(5);

/// New items in a feed that you follow.
#[derive(Serialize, ToSchema)]
pub(crate) struct ArrivedView {
    #[schema(value_type = i64)]
    feed_id: FeedId,
    /// Number of new items.
    new: i64,
    /// Unread items of that feed.
    unread: i64,
    /// Unread items of all your feeds.
    unread_total: i64,
}

impl From<Arrived> for ArrivedView {
    fn from(arrived: Arrived) -> Self {
        Self {
            feed_id: arrived.feed,
            new: arrived.new,
            unread: arrived.unread,
            unread_total: arrived.unread_total,
        }
    }
}

/// Progress of an import of yours.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImportingView {
    #[schema(value_type = i64)]
    id: ImportId,
    /// Feeds that have been processed.
    done: i64,
    /// Feeds in the list.
    total: i64,
}

impl From<ImportProgress> for ImportingView {
    fn from(progress: ImportProgress) -> Self {
        Self {
            id: progress.id,
            done: progress.done(),
            total: progress.total,
        }
    }
}

/// Notifications that were delivered to you.
#[derive(Serialize, ToSchema)]
pub(crate) struct NewNotificationsView {
    /// Your unread notifications; 100 stands for 100 or more.
    unread_count: i64,
    /// The new ones, newest first. After many at once only the newest; the list has all of them.
    notifications: Vec<NotificationView>,
}

impl From<NewNotifications> for NewNotificationsView {
    fn from(update: NewNotifications) -> Self {
        let new = update.new.into_iter();
        Self {
            unread_count: update.unread,
            notifications: new.map(NotificationView::from).collect(),
        }
    }
}

/// You marked items or notifications, in this page or another; `/api/feeds` and `/api/notifications`
/// have the new counts.
#[derive(Serialize, ToSchema)]
pub(crate) struct CountsView {}

/// Data of an event.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum EventView {
    /// Data of `arrived`.
    Arrived(ArrivedView),
    /// Data of `notifications`.
    Notifications(NewNotificationsView),
    /// Data of `import`.
    Importing(ImportingView),
    /// Data of `counts`.
    Counts(CountsView),
}

impl EventView {
    const fn name(&self) -> &'static str {
        match self {
            Self::Arrived(_) => "arrived",
            Self::Notifications(_) => "notifications",
            Self::Importing(_) => "import",
            Self::Counts(_) => "counts",
        }
    }
}

impl From<LiveUpdate> for EventView {
    fn from(told: LiveUpdate) -> Self {
        match told {
            LiveUpdate::Arrived(arrived) => Self::Arrived(arrived.into()),
            LiveUpdate::Notifications(update) => Self::Notifications(update.into()),
            LiveUpdate::Importing(progress) => Self::Importing(progress.into()),
            LiveUpdate::Counts => Self::Counts(CountsView {}),
        }
    }
}

/// Stream updates of your feeds as server-sent events
///
/// The events are `arrived`, at most one per feed and second; `notifications`, at most one per
/// second, with those that were delivered since the last one; `import` during an import of
/// subscriptions; and `counts` when you marked items or notifications, in any of your pages. The
/// stream ends when you are signed out.
#[utoipa::path(
    get,
    path = "/api/events",
    operation_id = "events",
    tag = "items",
    responses(
        (status = 200, body = EventView, content_type = "text/event-stream"),
        SignedIn,
        (status = 503, body = ErrorBody, description = "Lede is stopping"),
    )
)]
pub(crate) async fn events(
    State(app): State<AppState>,
    who: CurrentUser,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let listener = app
        .lede
        .live_updates
        .listen(who.user.id)
        .map_err(listen_error)?;
    let listener = EventStream {
        listener,
        standing: Standing::of(who.proof, &headers),
        has_begun: false,
        app,
    };
    let mut response = Sse::new(stream::unfold(listener, EventStream::next)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // nginx would otherwise buffer events until its buffer is full.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

fn listen_error(error: ListenError) -> ApiError {
    let (status, code, action) = match error {
        ListenError::TooMany => (
            StatusCode::TOO_MANY_REQUESTS,
            "too_many_streams",
            "Close one of the pages that show your feeds.",
        ),
        ListenError::Stopping => (
            StatusCode::SERVICE_UNAVAILABLE,
            "stopping",
            "Try again in a moment.",
        ),
    };
    ApiError::new(status, code, Category::System, error.to_string(), action)
}

/// Credentials of a stream. They are checked again before each event, because a stream outlives
/// many requests.
enum Standing {
    Session([u8; 32]),
    Token(String),
}

impl Standing {
    fn of(proof: Proof, headers: &HeaderMap) -> Self {
        match proof {
            Proof::Session { id_hash, .. } => Self::Session(id_hash),
            // An app password is no token, so its stream ends with the next event: this route is not for apps.
            Proof::Token { .. } | Proof::AppPassword { .. } => {
                let header = headers.get(header::AUTHORIZATION);
                let text = header.and_then(|value| value.to_str().ok());
                Self::Token(text.and_then(bearer_token).unwrap_or_default().to_owned())
            }
        }
    }

    async fn holds(&self, app: &AppState) -> bool {
        let holds = match self {
            Self::Session(id_hash) => accounts::session_stands(&app.lede, *id_hash).await,
            Self::Token(token) => accounts::bearer(&app.lede, token)
                .await
                .map(|signed_in| signed_in.is_some()),
        };
        // If the check itself fails, the stream ends and the page reconnects.
        holds.unwrap_or(false)
    }
}

/// State of one open event stream.
struct EventStream {
    app: AppState,
    listener: Listener,
    standing: Standing,
    has_begun: bool,
}

impl EventStream {
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        if !self.has_begun {
            self.has_begun = true;
            // Sent at once, so that proxies and the browser see an active response.
            let event = Event::default().retry(RETRY).comment("listening");
            return Some((Ok(event), self));
        }
        let event = match tokio::time::timeout(KEEP_ALIVE, self.listener.next()).await {
            Ok(None) => return None,
            Ok(Some(told)) => {
                let view = EventView::from(told);
                let event = Event::default().event(view.name());
                event.json_data(view).ok()?
            }
            Err(_) => Event::default().comment("still here"),
        };
        if !self.standing.holds(&self.app).await {
            return None;
        }
        Some((Ok(event), self))
    }
}
