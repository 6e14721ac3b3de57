//! `/admin/status`: health checks, background jobs, current settings, clean-up reports and disk
//! space.

use std::borrow::Cow;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use lede_core::admin::{self, Checks};
use lede_core::maintenance::disk;
use lede_model::time::Timestamp;
use lede_store::jobs::FailedJob;
use lede_store::{Engine, LATEST_SCHEMA};
use serde::Deserialize;

use super::jobs::{self, JobsSection};
use super::room;
use crate::error::{ApiError, QueryOf};
use crate::middleware::CurrentUser;
use crate::web::page::Page;
use crate::{AppState, SettingInForce};

#[derive(Template)]
#[template(path = "admin/status.html")]
struct StatusPage {
    page: Page,
    section: &'static str,
    here: &'static str,
    confirmations: Confirmations,
    error: Option<String>,
    checks: Checks,
    jobs: JobsSection,
    now: Timestamp,
    version: &'static str,
    engine: &'static str,
    schema: i64,
    base_url: String,
    database: Cow<'static, str>,
    unused: Cow<'static, str>,
    free: Option<Cow<'static, str>>,
    is_low: bool,
    /// Free disk space that a vacuum requires; `None` on PostgreSQL, which needs none.
    needed: Option<Cow<'static, str>>,
    settings: Vec<SettingInForce>,
}

impl StatusPage {
    fn room(&self, bytes: i64) -> Cow<'static, str> {
        room(&self.page, bytes)
    }

    /// Returns the source of a setting; a file is shown by its name.
    fn origin(&self, setting: &SettingInForce) -> Cow<'static, str> {
        match setting.origin {
            "environment" => self.page.t("admin-origin-environment"),
            "default" => self.page.t("admin-origin-default"),
            file => Cow::Borrowed(file),
        }
    }

    fn job_kind(&self, job: &FailedJob) -> Cow<'static, str> {
        jobs::kind_name(&self.page, job.kind)
    }

    fn job_error<'a>(&self, job: &'a FailedJob) -> Cow<'a, str> {
        jobs::error_text(&self.page, job)
    }

    fn is_well(&self) -> bool {
        let checks = &self.checks;
        checks.health_warnings.is_empty()
            && checks.size_warnings.is_empty()
            && checks.backup_warnings.is_empty()
            && !self.is_low
    }
}

/// Confirmations of the last action, by section of the page.
#[derive(Default)]
struct Confirmations {
    room: Option<Cow<'static, str>>,
    jobs: Option<Cow<'static, str>>,
}

async fn show(
    app: &AppState,
    page: &Page,
    status: StatusCode,
    confirmations: Confirmations,
    error: Option<String>,
) -> Result<Response, ApiError> {
    let lede = &app.lede;
    let checks = admin::checks(lede).await?;
    let free = lede.disk.free().and_then(|free| i64::try_from(free).ok());
    let needed = checks.room_for_vacuum(lede);
    let shown = StatusPage {
        section: "admin",
        here: "status",
        confirmations,
        error,
        version: env!("CARGO_PKG_VERSION"),
        engine: lede.store.engine().as_str(),
        schema: LATEST_SCHEMA,
        base_url: lede.settings.base_url.as_str().to_owned(),
        database: room(page, checks.size.total),
        unused: room(page, checks.size.total - checks.size.used),
        free: free.map(|free| room(page, free)),
        is_low: lede.disk.is_low(),
        needed: (lede.store.engine() == Engine::Sqlite).then(|| room(page, needed)),
        settings: app.settings.in_force.clone(),
        jobs: JobsSection::load(app, page).await?,
        now: lede.clock.now(),
        checks,
        page: page.clone(),
    };
    Ok(page.answer(status, &shown))
}

/// Query with the result of the last action: freed kilobytes, or numbers of jobs.
#[derive(Deserialize)]
pub(crate) struct DoneQuery {
    freed: Option<u32>,
    retried: Option<u64>,
    dropped: Option<u64>,
}

/// `GET /admin/status`: the page, with a confirmation of the last action.
pub(crate) async fn page(
    State(app): State<AppState>,
    _: CurrentUser,
    page: Page,
    QueryOf(done): QueryOf<DoneQuery>,
) -> Result<Response, ApiError> {
    let freed = done.freed.map(|kilobytes| {
        let size = room(&page, i64::from(kilobytes) * 1024);
        page.with("admin-done-vacuumed", "size", size)
    });
    let retried = done
        .retried
        .map(|jobs| page.count("admin-done-retried", jobs));
    let dropped = done
        .dropped
        .map(|jobs| page.count("admin-done-dropped", jobs));
    let confirmations = Confirmations {
        room: freed,
        jobs: retried.or(dropped),
    };
    show(&app, &page, StatusCode::OK, confirmations, None).await
}

/// `POST /admin/vacuum`: compacts the database.
pub(crate) async fn vacuum(
    State(app): State<AppState>,
    _: CurrentUser,
    page: Page,
) -> Result<Response, ApiError> {
    match disk::vacuum(&app.lede).await.map_err(ApiError::from) {
        Ok(freed) => {
            let address = format!("/admin/status?freed={}#room", freed / 1024);
            Ok(Redirect::to(&address).into_response())
        }
        Err(error) => {
            let (message, action) = page.explain(&error);
            let text = format!("{message} {action}");
            show(
                &app,
                &page,
                error.status,
                Confirmations::default(),
                Some(text),
            )
            .await
        }
    }
}
