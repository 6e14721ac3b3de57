//! JSON API for administrators: compacting the database, generating summaries again.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lede_core::maintenance::disk::{self, VacuumError};
use lede_model::content::ContentHash;
use lede_model::input::InputError;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::AppState;
use crate::error::{ApiError, Category, Changing, ErrorBody, JsonBody, JsonIn, SignedIn};
use crate::middleware::CurrentUser;

/// Result of compacting the database.
#[derive(Serialize, ToSchema)]
pub(crate) struct Vacuumed {
    /// Always true; a failure is reported as an error.
    ok: bool,
    /// Bytes by which the database shrank on disk.
    #[schema(minimum = 0)]
    freed_bytes: i64,
}

/// Compact the database to release unused disk space
///
/// On SQLite the file is rewritten, which requires space for two copies of its content. Meanwhile
/// reads continue and writes wait.
#[utoipa::path(
    post,
    path = "/api/admin/vacuum",
    operation_id = "vacuum",
    tag = "system",
    responses(
        (status = 200, body = Vacuumed),
        (status = 507, description = "The disk has no room for a copy", body = ErrorBody),
        SignedIn, Changing,
    )
)]
pub(crate) async fn vacuum(
    State(app): State<AppState>,
    _: CurrentUser,
) -> Result<Json<Vacuumed>, ApiError> {
    let freed_bytes = disk::vacuum(&app.lede).await?;
    Ok(Json(Vacuumed {
        ok: true,
        freed_bytes,
    }))
}

impl From<VacuumError> for ApiError {
    fn from(error: VacuumError) -> Self {
        let message = error.to_string();
        match error {
            VacuumError::NoRoom { .. } | VacuumError::InUse => Self::new(
                StatusCode::INSUFFICIENT_STORAGE,
                "vacuum_needs_room",
                Category::System,
                format!("The database cannot be made smaller: {message}."),
                "Make room on the disk of the database and try again.",
            ),
            VacuumError::Store(error) => error.into(),
        }
    }
}

/// Selects the summary to generate again.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ReprocessBody {
    /// Hash of the items' content, in 64 hexadecimal digits.
    #[schema(min_length = 64, max_length = 64, pattern = "^[0-9a-fA-F]{64}$")]
    content_hash: String,
}

/// Generate the summary of a text again
///
/// Not available: this version of Lede generates no summaries, and the request fails with an error
/// that states this.
#[utoipa::path(
    post,
    path = "/api/admin/reprocess-summary",
    operation_id = "reprocessSummary",
    tag = "system",
    request_body = ReprocessBody,
    responses(
        (status = 409, description = "This version writes no summaries", body = ErrorBody),
        SignedIn, JsonIn, Changing,
    )
)]
pub(crate) async fn reprocess_summary(
    _: CurrentUser,
    JsonBody(body): JsonBody<ReprocessBody>,
) -> ApiError {
    if ContentHash::from_hex(&body.content_hash).is_none() {
        return ApiError::invalid("content_hash", InputError::NotAHash);
    }
    ApiError::new(
        StatusCode::CONFLICT,
        "summaries_unavailable",
        Category::System,
        "This version of Lede does not write summaries yet.",
        "Nothing was queued. Try again after an update that adds summaries.",
    )
}
