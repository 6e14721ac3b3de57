//! Take-outs in requests: received into a temporary file, then imported.

use axum::body::Bytes;
use axum::extract::multipart::{Multipart, MultipartError};
use axum::extract::{FromRequest as _, Request};
use axum::http::{HeaderMap, StatusCode, header};
use futures_util::{Stream, StreamExt as _};
use lede_core::takeout::{self, Imported};
use lede_model::input::InputError;
use lede_model::user::User;
use tokio::io::AsyncWriteExt as _;

use crate::AppState;
use crate::error::{ApiError, Category, takeout_error};

/// Limit on an imported take-out: enough for some hundred thousand marks and ten thousand starred
/// items. It is stored in a temporary file, not in memory.
const MAX_IMPORT_BYTES: u64 = 256 * 1024 * 1024;
/// Size limit of the request: the take-out, and the overhead of a form.
pub(crate) const MAX_BODY_BYTES: usize = 256 * 1024 * 1024 + 64 * 1024;

/// Imports the take-out in `file`.
pub(crate) async fn import_file(
    app: &AppState,
    user: &User,
    file: std::fs::File,
) -> Result<Imported, ApiError> {
    let done = takeout::import(&app.lede, user, file).await;
    done.map_err(takeout_error)
}

/// Receives the take-out that is the body of a request.
pub(crate) async fn sent(request: Request) -> Result<std::fs::File, ApiError> {
    let (parts, body) = request.into_parts();
    if !is_json(&parts.headers) {
        return Err(ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            Category::Validation,
            "A take-out is JSON.",
            "Send it with Content-Type: application/json.",
        ));
    }
    if announced(&parts.headers).is_some_and(|bytes| bytes > MAX_IMPORT_BYTES) {
        return Err(too_large());
    }
    received(body.into_data_stream(), |_| cut_off()).await
}

/// Receives the take-out in the field `file` of a form.
pub(crate) async fn uploaded(request: Request) -> Result<std::fs::File, ApiError> {
    let form_error = |error: MultipartError| body_error(error.status());
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|rejection| body_error(rejection.status()))?;
    while let Some(field) = form.next_field().await.map_err(form_error)? {
        if field.name() == Some("file") {
            return received(field, form_error).await;
        }
    }
    Err(ApiError::invalid("file", InputError::Missing))
}

fn body_error(status: StatusCode) -> ApiError {
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        _ => cut_off(),
    }
}

fn cut_off() -> ApiError {
    ApiError::bad_request("The upload was cut off.")
}

fn is_json(headers: &HeaderMap) -> bool {
    let named = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next());
    named.is_some_and(|name| name.trim().eq_ignore_ascii_case("application/json"))
}

fn announced(headers: &HeaderMap) -> Option<u64> {
    let length = headers.get(header::CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}

/// Receives a body into an unnamed file, which the system removes when the last handle is closed.
async fn received<E>(
    mut pieces: impl Stream<Item = Result<Bytes, E>> + Unpin,
    broken: impl Fn(E) -> ApiError,
) -> Result<std::fs::File, ApiError> {
    let failed = |error: std::io::Error| ApiError::internal(&error);
    let file = tokio::task::spawn_blocking(tempfile::tempfile)
        .await
        .map_err(|error| ApiError::internal(&error))?
        .map_err(failed)?;
    let mut file = tokio::fs::File::from_std(file);
    let mut left = MAX_IMPORT_BYTES;
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(&broken)?;
        left = left.checked_sub(piece.len() as u64).ok_or_else(too_large)?;
        file.write_all(&piece).await.map_err(failed)?;
    }
    file.flush().await.map_err(failed)?;
    Ok(file.into_std().await)
}

fn too_large() -> ApiError {
    ApiError::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "too_large",
        Category::Validation,
        "The take-out is larger than 256 MiB.",
        "Leave some of its marks or starred items out of it.",
    )
}
