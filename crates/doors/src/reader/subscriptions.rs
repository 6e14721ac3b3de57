//! How somebody follows a feed.

use axum::Json;
use axum::extract::State;
use lede_core::reading;
use lede_model::ids::SubscriptionId;
use lede_model::schedule::{LONGEST_INTERVAL_MINUTES, SHORTEST_INTERVAL_MINUTES};
use lede_store::subscriptions::Change;
use serde::Deserialize;
use utoipa::ToSchema;

use super::feeds::FeedView;
use crate::Doors;
use crate::error::{ApiError, Changing, JsonBody, JsonIn, OneThing, PathOf, SignedIn};
use crate::guard::Reader;

/// What to change; what is absent stays as it is.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SettingsBody {
    /// Minutes between fetches: 30 to 720 in steps of 30, or 0 to let Lede adapt to how often the
    /// feed posts.
    #[schema(minimum = 0, maximum = 720, multiple_of = 30)]
    fetch_interval_minutes: Option<i64>,
    /// Whether articles are fetched from their pages where the feed has only their beginning.
    full_text: Option<bool>,
}

/// Change how often a feed is fetched and whether its articles are
#[utoipa::path(
    put,
    path = "/api/subscriptions/{id}/settings",
    operation_id = "setSubscription",
    tag = "feeds",
    params(("id" = i64, Path, minimum = 1)),
    request_body = SettingsBody,
    responses(
        (status = 200, body = FeedView),
        SignedIn, OneThing, JsonIn, Changing,
    )
)]
pub(crate) async fn set(
    State(doors): State<Doors>,
    who: Reader,
    PathOf(subscription): PathOf<SubscriptionId>,
    JsonBody(body): JsonBody<SettingsBody>,
) -> Result<Json<FeedView>, ApiError> {
    let interval = body.fetch_interval_minutes;
    if interval.is_some_and(|minutes| !is_interval(minutes)) {
        return Err(ApiError::field(
            "fetch_interval_minutes",
            "must be 30 to 720 in steps of 30, or 0",
        ));
    }
    let change = Change {
        interval_minutes: interval,
        full_text: body.full_text,
    };
    let changed =
        reading::change_subscription(&doors.lede, who.user.id, subscription, change).await?;
    changed
        .map(|subscription| Json(subscription.into()))
        .ok_or_else(|| ApiError::not_found("The subscription"))
}

fn is_interval(minutes: i64) -> bool {
    minutes == 0
        || (minutes % SHORTEST_INTERVAL_MINUTES == 0
            && (SHORTEST_INTERVAL_MINUTES..=LONGEST_INTERVAL_MINUTES).contains(&minutes))
}
