//! Background jobs: what waits, what failed, and trying or dropping that.

use axum::Json;
use axum::extract::State;
use lede_core::jobs;
use lede_model::job::JobKind;
use lede_model::time::Timestamp;
use lede_store::jobs::FailedJob;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::status::{JobKindView, job_kinds};
use crate::AppState;
use crate::error::{ApiError, Changing, ErrorBody, JsonBody, JsonIn, SignedIn};
use crate::middleware::CurrentUser;

/// The background jobs of the instance.
#[derive(Serialize, ToSchema)]
pub(crate) struct JobsView {
    /// How much waits of each kind.
    kinds: Vec<JobKindView>,
    /// The jobs that failed last, the newest first, at most fifty.
    failed: Vec<FailedJobView>,
}

/// A job that was given up.
#[derive(Serialize, ToSchema)]
pub(crate) struct FailedJobView {
    /// The job.
    id: i64,
    /// Its kind.
    #[schema(example = "import")]
    kind: &'static str,
    /// The id of the item, feed or import that it is about.
    key: i64,
    /// How often it was tried.
    attempts: i64,
    /// ScheduleReason the last attempt failed: `database`, `interrupted`, `panicked`, `rate_limited` or `unreachable`.
    #[schema(example = "database")]
    error: Option<String>,
    /// When it was enqueued.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it was given up.
    #[schema(value_type = String, format = DateTime)]
    failed_at: Timestamp,
}

impl From<FailedJob> for FailedJobView {
    fn from(job: FailedJob) -> Self {
        Self {
            id: job.id,
            kind: job.kind.as_str(),
            key: job.key,
            attempts: job.attempts,
            error: job.error,
            created_at: job.created_at,
            failed_at: job.failed_at,
        }
    }
}

/// Failed jobs.
#[derive(Deserialize, ToSchema)]
pub(crate) struct FailedJobsBody {
    /// Their kind.
    #[schema(example = "import")]
    kind: String,
    /// One of them; every failed job of the kind when it is absent.
    #[schema(minimum = 1)]
    id: Option<i64>,
}

/// How many jobs it concerned.
#[derive(Serialize, ToSchema)]
pub(crate) struct JobsChanged {
    /// Always true.
    ok: bool,
    /// How many jobs it concerned.
    #[schema(minimum = 0)]
    jobs: u64,
}

/// List background jobs: what waits, and what failed
#[utoipa::path(
    get,
    path = "/api/admin/jobs",
    operation_id = "listJobs",
    tag = "system",
    responses(
        (status = 200, body = JobsView),
        (status = 403, description = "Only for administrators", body = ErrorBody),
        SignedIn,
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    _: CurrentUser,
) -> Result<Json<JobsView>, ApiError> {
    let status = jobs::status(&app.lede).await?;
    let now = app.lede.clock.now();
    Ok(Json(JobsView {
        kinds: job_kinds(&status.kinds, status.unindexed, now),
        failed: status.failed.into_iter().map(Into::into).collect(),
    }))
}

/// Try failed jobs again
///
/// They are due at once and have all their attempts again.
#[utoipa::path(
    post,
    path = "/api/admin/jobs/retry",
    operation_id = "retryJobs",
    tag = "system",
    request_body = FailedJobsBody,
    responses(
        (status = 200, body = JobsChanged),
        (status = 404, description = "No failed job of this kind has this id", body = ErrorBody),
        SignedIn, JsonIn, Changing,
    )
)]
pub(crate) async fn retry(
    State(app): State<AppState>,
    _: CurrentUser,
    admin: CurrentUser,
    JsonBody(body): JsonBody<FailedJobsBody>,
) -> Result<Json<JobsChanged>, ApiError> {
    let kind = kind(&body.kind)?;
    let jobs = jobs::retry_failed(&app.lede, admin.user.id, kind, body.id).await?;
    changed(jobs, body.id)
}

/// Drop failed jobs
///
/// What they were to do is left undone.
#[utoipa::path(
    post,
    path = "/api/admin/jobs/drop",
    operation_id = "dropJobs",
    tag = "system",
    request_body = FailedJobsBody,
    responses(
        (status = 200, body = JobsChanged),
        (status = 404, description = "No failed job of this kind has this id", body = ErrorBody),
        SignedIn, JsonIn, Changing,
    )
)]
pub(crate) async fn drop(
    State(app): State<AppState>,
    _: CurrentUser,
    admin: CurrentUser,
    JsonBody(body): JsonBody<FailedJobsBody>,
) -> Result<Json<JobsChanged>, ApiError> {
    let kind = kind(&body.kind)?;
    let jobs = jobs::drop_failed(&app.lede, admin.user.id, kind, body.id).await?;
    changed(jobs, body.id)
}

pub(crate) fn kind(name: &str) -> Result<JobKind, ApiError> {
    JobKind::from_name(name).ok_or_else(|| {
        let names = JobKind::ALL.map(JobKind::as_str).join(", ");
        ApiError::field("kind", format!("must be one of {names}"))
    })
}

fn changed(jobs: u64, id: Option<i64>) -> Result<Json<JobsChanged>, ApiError> {
    match (jobs, id) {
        (0, Some(_)) => Err(ApiError::not_found("The failed job")),
        (jobs, _) => Ok(Json(JobsChanged { ok: true, jobs })),
    }
}
