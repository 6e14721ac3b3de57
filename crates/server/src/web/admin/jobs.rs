//! Background jobs on `/admin/status`: counts by kind, and the failed jobs.

use std::borrow::Cow;

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use lede_core::jobs;
use lede_model::job::{JobError, JobKind};
use lede_model::time::Timestamp;
use lede_store::jobs::FailedJob;
use serde::Deserialize;

use crate::AppState;
use crate::api::jobs::kind as job_kind;
use crate::error::{ApiError, FormBody};
use crate::middleware::CurrentUser;
use crate::web::page::Page;

/// Returns the translated name of a kind.
pub(super) fn kind_name(page: &Page, kind: JobKind) -> Cow<'static, str> {
    page.t(match kind {
        JobKind::Article => "admin-jobs-article",
        JobKind::Icon => "admin-jobs-icon",
        JobKind::Import => "admin-jobs-import",
        JobKind::Notification => "admin-jobs-notification",
        JobKind::Removal => "admin-jobs-removal",
    })
}

/// Describes why a job failed. A code unknown to this version is shown unchanged.
pub(super) fn error_text<'a>(page: &Page, job: &'a FailedJob) -> Cow<'a, str> {
    let code = job.error.as_deref().unwrap_or_default();
    match JobError::from_code(code) {
        Some(JobError::Database) => page.t("admin-job-database"),
        Some(JobError::Interrupted) => page.t("admin-job-interrupted"),
        Some(JobError::Panicked) => page.t("admin-job-panicked"),
        Some(JobError::RateLimited) => page.t("admin-job-rate-limited"),
        Some(JobError::Unreachable) => page.t("admin-job-unreachable"),
        None => Cow::Borrowed(code),
    }
}

/// Row of the table: one kind with its counts.
pub(super) struct KindRow {
    /// Value of the kind in forms; `None` for the search index, which has no jobs to retry.
    pub(super) kind: Option<&'static str>,
    pub(super) name: Cow<'static, str>,
    pub(super) waiting: i64,
    pub(super) scheduled: i64,
    pub(super) failed: i64,
    pub(super) oldest_at: Option<Timestamp>,
}

/// Section of the page with the table and the failed jobs.
pub(super) struct JobsSection {
    pub(super) kinds: Vec<KindRow>,
    pub(super) failed: Vec<FailedJob>,
}

impl JobsSection {
    pub(super) async fn load(app: &AppState, page: &Page) -> Result<Self, ApiError> {
        let status = jobs::status(&app.lede).await?;
        let kinds = status.kinds.iter().map(|status| KindRow {
            kind: Some(status.kind.as_str()),
            name: kind_name(page, status.kind),
            waiting: status.waiting,
            scheduled: status.scheduled,
            failed: status.failed,
            oldest_at: status.oldest_at,
        });
        let search_index = KindRow {
            kind: None,
            name: page.t("admin-waiting-search"),
            waiting: status.unindexed,
            scheduled: 0,
            failed: 0,
            oldest_at: None,
        };
        Ok(Self {
            kinds: kinds.chain([search_index]).collect(),
            failed: status.failed,
        })
    }
}

/// Selects failed jobs of a kind: one by its id, or all.
#[derive(Deserialize)]
pub(crate) struct FailedJobsForm {
    kind: String,
    id: Option<i64>,
}

/// `POST /admin/jobs/retry`: makes failed jobs due at once.
pub(crate) async fn retry(
    State(app): State<AppState>,
    admin: CurrentUser,
    FormBody(form): FormBody<FailedJobsForm>,
) -> Result<Response, ApiError> {
    let kind = job_kind(&form.kind)?;
    let jobs = jobs::retry_failed(&app.lede, admin.user.id, kind, form.id).await?;
    Ok(Redirect::to(&format!("/admin/status?retried={jobs}#jobs")).into_response())
}

/// `POST /admin/jobs/drop`: deletes failed jobs.
pub(crate) async fn drop(
    State(app): State<AppState>,
    admin: CurrentUser,
    FormBody(form): FormBody<FailedJobsForm>,
) -> Result<Response, ApiError> {
    let kind = job_kind(&form.kind)?;
    let jobs = jobs::drop_failed(&app.lede, admin.user.id, kind, form.id).await?;
    Ok(Redirect::to(&format!("/admin/status?dropped={jobs}#jobs")).into_response())
}
