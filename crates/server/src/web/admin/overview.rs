//! `GET /admin`: overview of the instance.

use std::borrow::Cow;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use lede_core::admin::{self, Overview};
use lede_model::time::Timestamp;
use lede_store::jobs::KindStatus;

use super::jobs::kind_name;
use super::room;
use crate::AppState;
use crate::error::ApiError;
use crate::middleware::CurrentUser;
use crate::web::page::Page;

/// Height of the chart in SVG units, distance between two bars, and width of a bar.
const HEIGHT: i64 = 80;
const STEP: i64 = 24;
const BAR: i64 = 18;

/// A bar of the chart: one day.
struct Day {
    at: Timestamp,
    items: i64,
    x: i64,
    y: i64,
    height: i64,
}

#[derive(Template)]
#[template(path = "admin/overview.html")]
struct OverviewPage {
    page: Page,
    section: &'static str,
    here: &'static str,
    now: Timestamp,
    seen: Overview,
    days: Vec<Day>,
    chart_width: i64,
    chart_height: i64,
    bar: i64,
    items_in_all: i64,
    database: Cow<'static, str>,
    free: Option<Cow<'static, str>>,
    is_low: bool,
}

impl OverviewPage {
    fn kind(&self, jobs: &KindStatus) -> Cow<'static, str> {
        kind_name(&self.page, jobs.kind)
    }

    fn event<'a>(&self, kind: &'a str) -> Cow<'a, str> {
        match kind {
            "user_registered" => self.page.t("admin-event-registered"),
            "user_login" => self.page.t("admin-event-login"),
            "feed_added" => self.page.t("admin-event-feed"),
            "jobs_retried" => self.page.t("admin-event-jobs-retried"),
            "jobs_dropped" => self.page.t("admin-event-jobs-dropped"),
            other => Cow::Borrowed(other),
        }
    }
}

fn chart(days: &[(Timestamp, i64)]) -> Vec<Day> {
    let most = days.iter().map(|(_, items)| *items).max().unwrap_or(0);
    let mut x = 0;
    let mut bars = Vec::with_capacity(days.len());
    for (at, items) in days {
        // A small number must be distinguishable from zero.
        let height = match (*items, most) {
            (0, _) | (_, 0) => 0,
            (items, most) => (items * HEIGHT / most).max(2),
        };
        bars.push(Day {
            at: *at,
            items: *items,
            x,
            y: HEIGHT - height,
            height,
        });
        x += STEP;
    }
    bars
}

/// `GET /admin`: the page.
pub(crate) async fn page(
    State(app): State<AppState>,
    _: CurrentUser,
    page: Page,
) -> Result<Response, ApiError> {
    let lede = &app.lede;
    let seen = admin::overview(lede).await?;
    let days = chart(&seen.days);
    let free = lede.disk.free().and_then(|free| i64::try_from(free).ok());
    let shown = OverviewPage {
        section: "admin",
        here: "overview",
        now: lede.clock.now(),
        items_in_all: days.iter().map(|day| day.items).sum(),
        chart_width: days.last().map_or(0, |day| day.x + BAR),
        chart_height: HEIGHT,
        bar: BAR,
        days,
        database: room(&page, seen.size.total),
        free: free.map(|free| room(&page, free)),
        is_low: lede.disk.is_low(),
        seen,
        page: page.clone(),
    };
    Ok(page.answer(StatusCode::OK, &shown))
}
