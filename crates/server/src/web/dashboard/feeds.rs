//! List of feeds on the dashboard, and changes to it. A change responds only with the trigger to
//! load the list again; requests that show something change nothing.

use std::borrow::Cow;

use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use lede_core::reading::{self, FeedPage};
use lede_core::subscribe::{self, SubscribeError};
use lede_model::address::{AddressError, WebUrl};
use lede_model::feed::{self, FeedHealth, FeedLine, FeedStatus};
use lede_model::ids::FeedId;
use lede_model::time::Timestamp;
use serde::Deserialize;

use super::{Filters, failed, problem};
use crate::AppState;
use crate::error::{ApiError, FormBody, subscribe_error};
use crate::middleware::CurrentUser;
use crate::web::i18n::sentence;
use crate::web::page::Page;

/// Longest name that the forms accept, in characters.
pub(super) const MAX_NAME_CHARS: usize = 255;

/// A feed in the list.
struct Row {
    id: FeedId,
    name: String,
    url: String,
    health: FeedHealth,
    is_stopped: bool,
    is_paused: bool,
    error: Option<String>,
    fetched: Option<Moment>,
    next: Option<Moment>,
}

/// A time in ISO 8601, in short form and in full.
struct Moment {
    machine: String,
    short: Cow<'static, str>,
    exact: Cow<'static, str>,
}

impl Moment {
    /// A past time, whose short form is its age.
    fn past(page: &Page, at: Timestamp, now: Timestamp) -> Self {
        Self {
            machine: at.to_string(),
            short: page.ago(at, now),
            exact: page.exact(at),
        }
    }

    /// A future time, whose short form is the full one.
    fn future(page: &Page, at: Timestamp) -> Self {
        Self {
            machine: at.to_string(),
            short: page.exact(at),
            exact: page.exact(at),
        }
    }
}

impl Row {
    fn new(page: &Page, line: FeedLine, now: Timestamp) -> Self {
        let has_failed = line.health == FeedHealth::Error;
        let is_tried = line.status != FeedStatus::Stopped && !line.is_paused;
        Self {
            id: line.id,
            name: line.name,
            url: line.url.as_str().to_owned(),
            health: line.health,
            is_stopped: line.status == FeedStatus::Stopped,
            is_paused: line.is_paused,
            error: line
                .last_error
                .filter(|_| has_failed)
                .map(|error| sentence(&page.translate(&error))),
            fetched: line.last_fetched_at.map(|at| Moment::past(page, at, now)),
            next: line
                .next_fetch_at
                .filter(|at| has_failed && is_tried && *at > now)
                .map(|at| Moment::future(page, at)),
        }
    }
}

#[derive(Template)]
#[template(path = "dashboard/list.html")]
struct FeedList<'a> {
    page: &'a Page,
    filters: &'a Filters,
    rows: Vec<Row>,
    number: usize,
    pages: usize,
    /// Number of the page and of all pages, as text.
    place: Cow<'static, str>,
    total: usize,
    follows_any: bool,
    /// True if a feed is about to be fetched for the first time: the list then reloads itself.
    is_waiting: bool,
}

impl<'a> FeedList<'a> {
    fn new(page: &'a Page, filters: &'a Filters, found: FeedPage, now: Timestamp) -> Self {
        let rows: Vec<Row> = found
            .feeds
            .into_iter()
            .map(|line| Row::new(page, line, now))
            .collect();
        Self {
            is_waiting: rows
                .iter()
                .any(|row| row.health == FeedHealth::Pending && !row.is_paused),
            place: page.with_all(
                "dashboard-page",
                &[("page", &found.page), ("pages", &found.pages)],
            ),
            page,
            filters,
            rows,
            number: found.page,
            pages: found.pages,
            total: found.total,
            follows_any: found.follows_any,
        }
    }
}

/// `GET /feeds`: a page of the list. The URL of the dashboard is updated, so that it can be
/// reloaded and shared.
pub(crate) async fn list(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    RawQuery(query): RawQuery,
) -> Response {
    let Some(filters) = Filters::read(query.as_deref()) else {
        return problem(&page, StatusCode::BAD_REQUEST, "dashboard-bad-query");
    };
    let found = reading::feed_page(&app.lede, who.user.id, &filters.search()).await;
    let found = match found {
        Ok(found) => found,
        Err(error) => return failed(&page, &error, "dashboard-list-failed"),
    };
    let address = format!("/dashboard?{}", filters.query(found.page));
    let list = FeedList::new(&page, &filters, found, app.lede.clock.now());
    (
        [("HX-Replace-Url", address)],
        page.answer(StatusCode::OK, &list),
    )
        .into_response()
}

/// Validation errors of a form, by field.
#[derive(Template, Default)]
#[template(path = "dashboard/form_errors.html")]
struct FormErrors {
    name: Option<Cow<'static, str>>,
    url: Option<Cow<'static, str>>,
    general: Option<String>,
}

/// Fields of the forms for adding and editing.
#[derive(Deserialize)]
pub(crate) struct FeedForm {
    #[serde(default)]
    name: String,
    #[serde(default)]
    url: String,
}

impl FeedForm {
    /// Returns the name and the URL, or the errors of each field.
    fn read(&self, page: &Page) -> Result<(String, WebUrl), Refusal> {
        match (self.name(page), self.url(page)) {
            (Ok(name), Ok(url)) => Ok((name, url)),
            (name, url) => Err(Refusal {
                status: StatusCode::BAD_REQUEST,
                errors: FormErrors {
                    name: name.err(),
                    url: url.err(),
                    general: None,
                },
            }),
        }
    }

    fn name(&self, page: &Page) -> Result<String, Cow<'static, str>> {
        if self.name.trim().chars().count() > MAX_NAME_CHARS {
            return Err(page.t("dashboard-name-long"));
        }
        feed::own_title(&self.name)
            .map_err(|_| page.t("dashboard-name-odd"))?
            .ok_or_else(|| page.t("dashboard-name-missing"))
    }

    fn url(&self, page: &Page) -> Result<WebUrl, Cow<'static, str>> {
        WebUrl::parse(self.url.trim()).map_err(|error| match error {
            AddressError::Empty => page.t("dashboard-url-missing"),
            AddressError::TooLong => page.t("dashboard-url-long"),
            AddressError::Credentials => page.t("dashboard-url-credentials"),
            _ => page.t("dashboard-url-odd"),
        })
    }
}

/// Reason that a form is rejected.
struct Refusal {
    status: StatusCode,
    errors: FormErrors,
}

impl Refusal {
    /// Converts an error of subscribing. `taken` and `failed` are the message keys for an address
    /// that is followed already and for a server error.
    fn of(page: &Page, error: SubscribeError, taken: &str, failed: &str) -> Self {
        if let SubscribeError::AlreadyFollowing = error {
            return Self {
                status: StatusCode::CONFLICT,
                errors: FormErrors {
                    url: Some(page.t(taken)),
                    ..FormErrors::default()
                },
            };
        }
        let error = subscribe_error(error);
        if error.status.is_server_error() {
            return Self::general(error.status, page.t(failed).into());
        }
        Self::explained(page, &error)
    }

    fn explained(page: &Page, error: &ApiError) -> Self {
        let (message, action) = page.explain(error);
        let general = format!("{} {action}", sentence(&message));
        Self::general(error.status, general)
    }

    fn general(status: StatusCode, message: String) -> Self {
        Self {
            status,
            errors: FormErrors {
                general: Some(message),
                ..FormErrors::default()
            },
        }
    }

    /// Renders the errors into `target`, whatever target the request had.
    fn answer(&self, page: &Page, target: String) -> Response {
        retargeted(target, page.answer(self.status, &self.errors))
    }
}

fn retargeted(target: String, response: Response) -> Response {
    let headers = [
        ("HX-Retarget", target),
        ("HX-Reswap", "innerHTML".to_owned()),
    ];
    (headers, response).into_response()
}

/// Response to a successful change: triggers a reload of the list.
fn done() -> Response {
    (StatusCode::NO_CONTENT, [("HX-Trigger", "refreshFeedList")]).into_response()
}

/// `POST /feeds`: follows the feed at a URL under a name. It is fetched in the background; the list
/// shows the result.
pub(crate) async fn add(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    FormBody(form): FormBody<FeedForm>,
) -> Response {
    let outcome = async {
        let (name, url) = form.read(&page)?;
        let within_limits = app.limits.feed_work(&app, &who.user);
        within_limits.map_err(|error| Refusal::explained(&page, &error))?;
        subscribe::follow_later(&app.lede, &who.user, url, name)
            .await
            .map_err(|error| Refusal::of(&page, error, "dashboard-taken", "dashboard-add-failed"))
    };
    match outcome.await {
        Ok(()) => done(),
        Err(refusal) => refusal.answer(&page, "#feed-add-form-errors".to_owned()),
    }
}

/// Form that replaces a row.
#[derive(Template)]
#[template(path = "dashboard/edit.html")]
struct EditForm<'a> {
    page: &'a Page,
    id: FeedId,
    name: &'a str,
    url: &'a str,
}

/// `GET /feeds/{id}/edit`: the form in place of a row.
pub(crate) async fn edit(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    id: Result<Path<FeedId>, PathRejection>,
) -> Response {
    let Ok(Path(id)) = id else {
        return gone(&page);
    };
    match reading::find_subscription(&app.lede, who.user.id, id).await {
        Ok(Some(found)) => {
            let form = EditForm {
                page: &page,
                id,
                name: found.title(),
                url: found.feed.url.as_str(),
            };
            page.answer(StatusCode::OK, &form)
        }
        Ok(None) => gone(&page),
        Err(error) => failed(&page, &error, "dashboard-feed-failed"),
    }
}

/// `PATCH /feeds/{id}`: renames a feed, or follows another URL instead.
pub(crate) async fn change(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    id: Result<Path<FeedId>, PathRejection>,
    FormBody(form): FormBody<FeedForm>,
) -> Response {
    let Ok(Path(id)) = id else {
        return gone(&page);
    };
    let target = format!("#feed-edit-form-errors-{id}");
    let outcome = async {
        let failed = |error| Refusal::of(&page, error, "dashboard-exists", "dashboard-edit-failed");
        let before = reading::find_subscription(&app.lede, who.user.id, id).await;
        let Some(before) = before.map_err(|error| failed(error.into()))? else {
            return Ok(false);
        };
        let (name, url) = form.read(&page)?;
        if before.feed.url != url {
            let within_limits = app.limits.feed_work(&app, &who.user);
            within_limits.map_err(|error| Refusal::explained(&page, &error))?;
        }
        subscribe::change_later(&app.lede, &who.user, id, url, name)
            .await
            .map_err(failed)
    };
    match outcome.await {
        Ok(true) => done(),
        Ok(false) => retargeted(target, gone(&page)),
        Err(refusal) => refusal.answer(&page, target),
    }
}

/// `DELETE /feeds/{id}`: unfollows a feed. The feed and its items stay for other users.
pub(crate) async fn remove(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    id: Result<Path<FeedId>, PathRejection>,
) -> Response {
    let Ok(Path(id)) = id else {
        return gone(&page);
    };
    let target = format!("#feed-item-{id}-errors");
    match subscribe::unsubscribe(&app.lede, who.user.id, id).await {
        Ok(true) => done(),
        Ok(false) => retargeted(target, gone(&page)),
        Err(error) => retargeted(target, failed(&page, &error, "dashboard-delete-failed")),
    }
}

fn gone(page: &Page) -> Response {
    problem(page, StatusCode::NOT_FOUND, "dashboard-feed-gone")
}
