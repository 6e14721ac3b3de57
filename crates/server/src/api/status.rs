//! Status of the instance.

use axum::Json;
use axum::extract::State;
use lede_core::maintenance::{health, status};
use lede_model::message::{Message, codes, english};
use lede_model::retention::CleanupReport;
use lede_model::time::Timestamp;
use lede_model::user::Role;
use lede_store::jobs::KindStatus;
use serde::Serialize;
use utoipa::ToSchema;

use crate::AppState;
use crate::error::{ApiError, SignedIn};
use crate::middleware::CurrentUser;

/// Status of the instance, with counts of the signed-in user.
#[derive(Serialize, ToSchema)]
pub(crate) struct StatusView {
    /// Feeds that you follow.
    feeds_count: i64,
    /// Items in your feeds; up to a minute old, because counting many items is slow.
    posts_count: i64,
    /// Unread items in your feeds.
    unread_count: i64,
    /// Due jobs of all kinds, of the whole instance.
    queue_size: i64,
    /// Counts of background jobs by kind, of the whole instance.
    jobs: Vec<JobKindView>,
    /// State of the circuit breaker: `CLOSED`, `OPEN` or `HALF_OPEN`.
    #[schema(example = "CLOSED")]
    circuit_breaker: &'static str,
    /// Description of problems of the instance.
    health_warning: Option<String>,
    /// Stable codes of the problems in `health_warning`.
    health_warning_codes: Vec<&'static str>,
    /// Set if the database exceeds its size limit although nothing more can be removed.
    db_size_warning: Option<String>,
    /// Stable code of `db_size_warning`.
    db_size_warning_code: Option<&'static str>,
    /// Size of the database on disk in megabytes, to one decimal place.
    #[schema(minimum = 0)]
    db_size_mb: f64,
    /// Result of the last clean-up.
    last_cleanup: Option<CleanupView>,
    /// Results of the last thirty clean-ups, newest first; only for administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    cleanup_logs: Option<Vec<CleanupView>>,
    /// Version of Lede.
    version: &'static str,
}

/// Counts of the background jobs of one kind.
#[derive(Serialize, ToSchema)]
pub(crate) struct JobKindView {
    /// `article`, `icon`, `import`, `notification`, `removal` or `search_index`.
    #[schema(example = "article")]
    kind: &'static str,
    /// Jobs that are due, including those in progress.
    waiting: i64,
    /// Jobs that are due at a later time.
    scheduled: i64,
    /// Jobs that failed and wait for an administrator to retry or drop them.
    failed: i64,
    /// Seconds since the oldest waiting job became due; null if none waits, and for the search
    /// index.
    #[schema(minimum = 0)]
    oldest_age_seconds: Option<u64>,
}

/// Returns the counts of each kind, and of the search index, whose items have a queue of their own.
pub(super) fn job_kinds(kinds: &[KindStatus], unindexed: i64, now: Timestamp) -> Vec<JobKindView> {
    let views = kinds.iter().map(|status| JobKindView {
        kind: status.kind.as_str(),
        waiting: status.waiting,
        scheduled: status.scheduled,
        failed: status.failed,
        oldest_age_seconds: status.oldest_at.map(|at| now.since(at).as_secs()),
    });
    let search_index = JobKindView {
        kind: "search_index",
        waiting: unindexed,
        scheduled: 0,
        failed: 0,
        oldest_age_seconds: None,
    };
    views.chain([search_index]).collect()
}

/// Result of a clean-up.
#[derive(Serialize, ToSchema)]
pub(crate) struct CleanupView {
    /// Time at which it ended.
    #[schema(value_type = String, format = DateTime)]
    executed_at: Timestamp,
    /// Items removed that every subscriber had read: too old, or too many in one feed.
    posts_removed: i64,
    /// Full articles removed; the content from the feeds stays.
    full_content_cleared: i64,
    /// Items removed that had been unread for too long.
    unread_removed: i64,
    /// Bytes freed for other use.
    bytes_freed: i64,
    /// Duration in seconds.
    duration_seconds: f64,
    /// Remarks on this run.
    notes: String,
    /// Stable codes of the remarks in `notes`.
    note_codes: Vec<&'static str>,
}

impl From<CleanupReport> for CleanupView {
    fn from(report: CleanupReport) -> Self {
        Self {
            executed_at: report.executed_at,
            posts_removed: report.posts_removed,
            full_content_cleared: report.full_content_cleared,
            unread_removed: report.unread_removed,
            bytes_freed: report.bytes_freed,
            duration_seconds: report.duration.as_secs_f64(),
            notes: english(&report.notes),
            note_codes: codes(&report.notes),
        }
    }
}

/// Get the status of the instance
#[utoipa::path(
    get,
    path = "/api/status",
    operation_id = "status",
    tag = "system",
    responses((status = 200, body = StatusView), SignedIn)
)]
pub(crate) async fn show(
    State(app): State<AppState>,
    who: CurrentUser,
) -> Result<Json<StatusView>, ApiError> {
    let status = status::status(&app.lede, who.user.id).await?;
    let last_cleanup = status.cleanups.first().cloned().map(CleanupView::from);
    let cleanup_logs = (who.user.role == Role::Admin)
        .then(|| status.cleanups.into_iter().map(CleanupView::from).collect());
    Ok(Json(StatusView {
        feeds_count: status.feeds,
        posts_count: status.items,
        unread_count: status.unread,
        queue_size: status.queue_size,
        jobs: job_kinds(&status.jobs, status.unindexed, app.lede.clock.now()),
        circuit_breaker: health::CIRCUIT_BREAKER,
        health_warning: Some(english(&status.health_warnings)).filter(|text| !text.is_empty()),
        health_warning_codes: codes(&status.health_warnings),
        db_size_warning: status.size_warnings.first().map(ToString::to_string),
        db_size_warning_code: status.size_warnings.first().map(Message::code),
        db_size_mb: (status.database_bytes as f64 / 1024.0 / 1024.0 * 10.0).round() / 10.0,
        last_cleanup,
        cleanup_logs,
        version: env!("CARGO_PKG_VERSION"),
    }))
}
