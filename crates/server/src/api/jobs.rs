//! JSON API for background jobs: counts by kind, failed jobs, retrying and dropping them.

use axum::Json;
use axum::extract::State;
use lede_core::jobs;
use lede_model::input::InputError;
use lede_model::job::JobKind;
use lede_model::time::Timestamp;
use lede_store::jobs::FailedJob;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

use super::status::{JobKindView, job_kinds};
use crate::AppState;
use crate::error::{ApiError, Changing, ErrorBody, JsonBody, JsonIn, SignedIn};
use crate::input::present::optional_whole_number;
use crate::middleware::CurrentUser;

/// Background jobs of the instance.
#[derive(Serialize, ToSchema)]
pub(crate) struct JobsView {
    /// Counts of jobs by kind.
    kinds: Vec<JobKindView>,
    /// The jobs that failed last, newest first, at most fifty.
    failed: Vec<FailedJobView>,
}

/// A job that failed and is not retried automatically any more.
#[derive(Serialize, ToSchema)]
pub(crate) struct FailedJobView {
    /// Id of the job.
    id: i64,
    /// Kind of the job.
    #[schema(example = "import")]
    kind: &'static str,
    /// Id of the item, feed or import that the job is for.
    key: i64,
    /// Number of attempts so far.
    attempts: i64,
    /// Reason why the last attempt failed: `database`, `interrupted`, `panicked`, `rate_limited` or
    /// `unreachable`.
    #[schema(example = "database")]
    error: Option<String>,
    /// Time at which the job was enqueued.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Time at which the last attempt failed.
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

/// Selects failed jobs.
#[derive(Deserialize, ToSchema)]
pub(crate) struct FailedJobsBody {
    /// Kind of the jobs.
    #[schema(schema_with = kind_schema)]
    kind: String,
    /// Id of one job; if absent, every failed job of the kind is selected.
    #[serde(default, deserialize_with = "optional_whole_number")]
    #[schema(minimum = 1)]
    id: Option<i64>,
}

fn kind_schema() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(JobKind::ALL.map(JobKind::as_str)))
        .build()
}

/// Result of a change to failed jobs.
#[derive(Serialize, ToSchema)]
pub(crate) struct JobsChanged {
    /// Always true; a failure is reported as an error.
    ok: bool,
    /// Number of jobs that were changed.
    #[schema(minimum = 0)]
    jobs: u64,
}

/// List background jobs: counts by kind, and the last failures
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

/// Retry failed jobs
///
/// The jobs are due at once, and their attempts are counted from zero.
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
    admin: CurrentUser,
    JsonBody(body): JsonBody<FailedJobsBody>,
) -> Result<Json<JobsChanged>, ApiError> {
    let kind = kind(&body.kind)?;
    let jobs = jobs::retry_failed(&app.lede, admin.user.id, kind, body.id).await?;
    changed(jobs, body.id)
}

/// Drop failed jobs
///
/// The work of these jobs is not done.
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
    admin: CurrentUser,
    JsonBody(body): JsonBody<FailedJobsBody>,
) -> Result<Json<JobsChanged>, ApiError> {
    let kind = kind(&body.kind)?;
    let jobs = jobs::drop_failed(&app.lede, admin.user.id, kind, body.id).await?;
    changed(jobs, body.id)
}

pub(crate) fn kind(name: &str) -> Result<JobKind, ApiError> {
    JobKind::from_name(name).ok_or_else(|| {
        let choices = JobKind::ALL.map(JobKind::as_str).join(", ");
        ApiError::invalid("kind", InputError::NoneOf { choices })
    })
}

fn changed(jobs: u64, id: Option<i64>) -> Result<Json<JobsChanged>, ApiError> {
    match (jobs, id) {
        (0, Some(_)) => Err(ApiError::not_found("The failed job")),
        (jobs, _) => Ok(Json(JobsChanged { ok: true, jobs })),
    }
}
