//! `GET /img/{day}/{signature}/{url}`: image proxy for the images of items.

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use lede_core::images::{self, PictureError};
use lede_model::ids::FeedId;

use crate::AppState;
use crate::middleware::CurrentUser;

/// An image with an embedded document (SVG) must not run as a page of our origin.
const SANDBOX: &str = "default-src 'none'; sandbox";
/// The signed URL stays the same for one day.
const FOR_A_DAY: &str = "private, max-age=86400, immutable";

/// Serves the image, or a fixed error text: nothing of the request or of the publisher's response.
pub(crate) async fn show(
    State(app): State<AppState>,
    who: CurrentUser,
    Path((day, signature, url)): Path<(i64, String, String)>,
) -> Response {
    match images::picture(&app.lede, who.user.id, day, &signature, &url).await {
        Ok(found) => picture(found.content_type, found.bytes),
        Err(PictureError::NotSigned) => (StatusCode::NOT_FOUND, "not found").into_response(),
        Err(error) => {
            tracing::debug!(%error, "a picture is not shown");
            (StatusCode::BAD_GATEWAY, "not available").into_response()
        }
    }
}

/// The address of a feed's icon.
pub(crate) fn favicon_address(feed: FeedId) -> String {
    format!("/api/feeds/{feed}/favicon")
}

/// An answer that is a picture and can become nothing else.
pub(crate) fn picture(content_type: &str, bytes: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, content_type.to_owned()),
        (header::CONTENT_SECURITY_POLICY, SANDBOX.to_owned()),
        (header::CACHE_CONTROL, FOR_A_DAY.to_owned()),
        (header::CONTENT_DISPOSITION, "inline".to_owned()),
    ];
    (headers, bytes).into_response()
}
