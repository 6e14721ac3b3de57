//! `GET /img/{day}/{signature}/{url}`: a picture of an item, fetched on behalf of its reader.

use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lede_core::images::{self, PictureError};

use crate::Doors;
use crate::guard::Reader;

/// A picture that somebody slipped a document into must not become a page of ours.
const SANDBOX: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");
/// As long as the address is the same.
const FOR_A_DAY: HeaderValue = HeaderValue::from_static("private, max-age=86400, immutable");

/// The picture, or a fixed word: nothing of the request or of the publisher's answer.
pub(crate) async fn show(
    State(doors): State<Doors>,
    who: Reader,
    Path((day, signature, url)): Path<(i64, String, String)>,
) -> Response {
    match images::picture(&doors.lede, who.user.id, day, &signature, &url).await {
        Ok(picture) => {
            let headers = [
                (
                    header::CONTENT_TYPE,
                    HeaderValue::from_static(picture.content_type),
                ),
                (header::CONTENT_SECURITY_POLICY, SANDBOX),
                (header::CACHE_CONTROL, FOR_A_DAY),
                (
                    header::CONTENT_DISPOSITION,
                    HeaderValue::from_static("inline"),
                ),
            ];
            (headers, picture.bytes).into_response()
        }
        Err(PictureError::NotSigned) => (StatusCode::NOT_FOUND, "not found").into_response(),
        Err(error) => {
            tracing::debug!(%error, "a picture is not shown");
            (StatusCode::BAD_GATEWAY, "not available").into_response()
        }
    }
}
