//! How the instance is doing.

use axum::Json;
use axum::extract::State;
use lede_core::housekeeping::{health, status};
use lede_model::retention::CleanupReport;
use lede_model::time::Timestamp;
use lede_model::user::Role;
use lede_store::jobs::KindStatus;
use serde::Serialize;
use utoipa::ToSchema;

use crate::Doors;
use crate::error::{ApiError, SignedIn};
use crate::guard::Reader;

/// How the instance is doing, with what you follow.
#[derive(Serialize, ToSchema)]
pub(crate) struct StatusView {
    /// Feeds that you follow.
    feeds_count: i64,
    /// Items in them; up to a minute old, because counting many takes a while.
    posts_count: i64,
    /// Those of them that you have not read.
    unread_count: i64,
    /// Due jobs of all kinds, of the whole instance.
    queue_size: i64,
    /// The background jobs of each kind, of the whole instance.
    jobs: Vec<JobKindView>,
    /// `CLOSED`, `OPEN` or `HALF_OPEN`.
    #[schema(example = "CLOSED")]
    circuit_breaker: &'static str,
    /// What is wrong, in words for people.
    health_warning: Option<String>,
    /// That the database is larger than it may be though nothing more can be removed.
    db_size_warning: Option<String>,
    /// Megabytes of the database on the disk, to one decimal place.
    #[schema(minimum = 0)]
    db_size_mb: f64,
    /// What the last clean-up came to.
    last_cleanup: Option<CleanupView>,
    /// The last thirty, the newest first; for administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    cleanup_logs: Option<Vec<CleanupView>>,
    /// Which Lede this is.
    version: &'static str,
}

/// The background jobs of one kind.
#[derive(Serialize, ToSchema)]
pub(crate) struct JobKindView {
    /// `article`, `icon`, `import`, `removal` or `search_index`.
    #[schema(example = "article")]
    kind: &'static str,
    /// Jobs that are due, also those under way.
    waiting: i64,
    /// Jobs that are due later.
    scheduled: i64,
    /// Jobs that were given up and wait for an administrator.
    failed: i64,
    /// Seconds since the longest waiting job became due; null when none waits, and for the search index.
    #[schema(minimum = 0)]
    oldest_age_seconds: Option<u64>,
}

/// Each kind, and the search index, whose items wait in a queue of their own.
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

/// What a clean-up came to.
#[derive(Serialize, ToSchema)]
pub(crate) struct CleanupView {
    /// When it ended.
    #[schema(value_type = String, format = DateTime)]
    executed_at: Timestamp,
    /// Items removed that everybody had read: too old, or too many of one feed.
    posts_removed: i64,
    /// Articles cleared; what the feeds said stays.
    full_content_cleared: i64,
    /// Records of failed summaries removed.
    summaries_cleared: i64,
    /// Items removed that somebody had not read for too long.
    unread_removed: i64,
    /// Bytes that are free for something else now.
    bytes_freed: i64,
    /// How long it took.
    duration_seconds: f64,
    /// What else there is to say.
    notes: String,
}

impl From<CleanupReport> for CleanupView {
    fn from(report: CleanupReport) -> Self {
        Self {
            executed_at: report.executed_at,
            posts_removed: report.posts_removed,
            full_content_cleared: report.full_content_cleared,
            summaries_cleared: report.summaries_cleared,
            unread_removed: report.unread_removed,
            bytes_freed: report.bytes_freed,
            duration_seconds: report.duration.as_secs_f64(),
            notes: report.notes.replace('\n', " "),
        }
    }
}

/// How the instance is doing
#[utoipa::path(
    get,
    path = "/api/status",
    operation_id = "status",
    tag = "system",
    responses((status = 200, body = StatusView), SignedIn)
)]
pub(crate) async fn show(
    State(doors): State<Doors>,
    who: Reader,
) -> Result<Json<StatusView>, ApiError> {
    let status = status::status(&doors.lede, who.user.id).await?;
    let last_cleanup = status.cleanups.first().cloned().map(CleanupView::from);
    let cleanup_logs = (who.user.role == Role::Admin)
        .then(|| status.cleanups.into_iter().map(CleanupView::from).collect());
    Ok(Json(StatusView {
        feeds_count: status.feeds,
        posts_count: status.items,
        unread_count: status.unread,
        queue_size: status.queue_size,
        jobs: job_kinds(&status.jobs, status.unindexed, doors.lede.clock.now()),
        circuit_breaker: health::CIRCUIT_BREAKER,
        health_warning: status.health_warning.map(|lines| lines.replace('\n', " ")),
        db_size_warning: status.size_warning,
        db_size_mb: (status.database_bytes as f64 / 1024.0 / 1024.0 * 10.0).round() / 10.0,
        last_cleanup,
        cleanup_logs,
        version: env!("CARGO_PKG_VERSION"),
    }))
}
