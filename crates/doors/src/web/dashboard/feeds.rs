//! The list of feeds, and what is done to it. Those who change something answer with nothing but the
//! word that the list is to be loaded again; those who show something change nothing.

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
use crate::Doors;
use crate::error::{ApiError, FormBody, subscribe_error};
use crate::guard::Reader;
use crate::web::page::Page;
use crate::web::words::sentence;

/// Longest name that the forms take, in characters.
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

/// A time as people and programs read it.
struct Moment {
    machine: String,
    short: Cow<'static, str>,
    exact: Cow<'static, str>,
}

impl Moment {
    /// Something that was: how long ago.
    fn past(page: &Page, at: Timestamp, now: Timestamp) -> Self {
        Self {
            machine: at.to_string(),
            short: page.ago(at, now),
            exact: page.exact(at),
        }
    }

    /// Something that will be: when.
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
                .map(|error| sentence(&page.trouble(&error))),
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
    /// Which page of how many, in words.
    place: Cow<'static, str>,
    total: usize,
    follows_any: bool,
    /// Something is about to be fetched for the first time: the list looks again by itself.
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

/// `GET /feeds`: a page of the list. The dashboard's own address follows, so that it can be reloaded and
/// shared.
pub(crate) async fn list(
    State(doors): State<Doors>,
    who: Reader,
    page: Page,
    RawQuery(query): RawQuery,
) -> Response {
    let Some(filters) = Filters::read(query.as_deref()) else {
        return problem(&page, StatusCode::BAD_REQUEST, "dashboard-bad-query");
    };
    let found = reading::feed_page(&doors.lede, who.user.id, &filters.search()).await;
    let found = match found {
        Ok(found) => found,
        Err(error) => return failed(&page, &error, "dashboard-list-failed"),
    };
    let address = format!("/dashboard?{}", filters.query(found.page));
    let list = FeedList::new(&page, &filters, found, doors.lede.clock.now());
    (
        [("HX-Replace-Url", address)],
        page.answer(StatusCode::OK, &list),
    )
        .into_response()
}

/// What is wrong with a form, by its fields.
#[derive(Template, Default)]
#[template(path = "dashboard/form_errors.html")]
struct FormErrors {
    name: Option<Cow<'static, str>>,
    url: Option<Cow<'static, str>>,
    general: Option<String>,
}

/// What the forms send.
#[derive(Deserialize)]
pub(crate) struct FeedForm {
    #[serde(default)]
    name: String,
    #[serde(default)]
    url: String,
}

impl FeedForm {
    /// The name and the address, or what is wrong with each.
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
            return Err(page.say("dashboard-name-long"));
        }
        feed::own_title(&self.name)
            .map_err(|_| page.say("dashboard-name-odd"))?
            .ok_or_else(|| page.say("dashboard-name-missing"))
    }

    fn url(&self, page: &Page) -> Result<WebUrl, Cow<'static, str>> {
        WebUrl::parse(self.url.trim()).map_err(|error| match error {
            AddressError::Empty => page.say("dashboard-url-missing"),
            AddressError::TooLong => page.say("dashboard-url-long"),
            AddressError::Credentials => page.say("dashboard-url-credentials"),
            _ => page.say("dashboard-url-odd"),
        })
    }
}

/// Why a form is not accepted.
struct Refusal {
    status: StatusCode,
    errors: FormErrors,
}

impl Refusal {
    /// `taken` and `failed` are the messages for an address that is followed already, and for what is
    /// our own fault.
    fn of(page: &Page, error: SubscribeError, taken: &str, failed: &str) -> Self {
        if let SubscribeError::AlreadyFollowing = error {
            return Self {
                status: StatusCode::CONFLICT,
                errors: FormErrors {
                    url: Some(page.say(taken)),
                    ..FormErrors::default()
                },
            };
        }
        let error = subscribe_error(error);
        if error.status.is_server_error() {
            return Self::general(error.status, page.say(failed).into());
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

    /// Below the form, wherever the answer was to go.
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

/// What was asked for is done: the list looks again.
fn done() -> Response {
    (StatusCode::NO_CONTENT, [("HX-Trigger", "refreshFeedList")]).into_response()
}

/// `POST /feeds`: follows the feed at an address under a name. It is fetched in the background, and the
/// list says how that went.
pub(crate) async fn add(
    State(doors): State<Doors>,
    who: Reader,
    page: Page,
    FormBody(form): FormBody<FeedForm>,
) -> Response {
    let outcome = async {
        let (name, url) = form.read(&page)?;
        let within_limits = doors.limits.feed_work(&doors, &who.user);
        within_limits.map_err(|error| Refusal::explained(&page, &error))?;
        subscribe::follow_later(&doors.lede, &who.user, url, name)
            .await
            .map_err(|error| Refusal::of(&page, error, "dashboard-taken", "dashboard-add-failed"))
    };
    match outcome.await {
        Ok(()) => done(),
        Err(refusal) => refusal.answer(&page, "#feed-add-form-errors".to_owned()),
    }
}

/// The form that takes the place of a row.
#[derive(Template)]
#[template(path = "dashboard/edit.html")]
struct EditForm<'a> {
    page: &'a Page,
    id: FeedId,
    name: &'a str,
    url: &'a str,
}

/// `GET /feeds/{id}/edit`
pub(crate) async fn edit(
    State(doors): State<Doors>,
    who: Reader,
    page: Page,
    id: Result<Path<FeedId>, PathRejection>,
) -> Response {
    let Ok(Path(id)) = id else {
        return gone(&page);
    };
    match reading::find_subscription(&doors.lede, who.user.id, id).await {
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

/// `PATCH /feeds/{id}`: another name, or another address, at which another feed is followed instead.
pub(crate) async fn change(
    State(doors): State<Doors>,
    who: Reader,
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
        let before = reading::find_subscription(&doors.lede, who.user.id, id).await;
        let Some(before) = before.map_err(|error| failed(error.into()))? else {
            return Ok(false);
        };
        let (name, url) = form.read(&page)?;
        if before.feed.url != url {
            let within_limits = doors.limits.feed_work(&doors, &who.user);
            within_limits.map_err(|error| Refusal::explained(&page, &error))?;
        }
        subscribe::change_later(&doors.lede, &who.user, id, url, name)
            .await
            .map_err(failed)
    };
    match outcome.await {
        Ok(true) => done(),
        Ok(false) => retargeted(target, gone(&page)),
        Err(refusal) => refusal.answer(&page, target),
    }
}

/// `DELETE /feeds/{id}`: no longer follows it. The feed and its items stay for others.
pub(crate) async fn remove(
    State(doors): State<Doors>,
    who: Reader,
    page: Page,
    id: Result<Path<FeedId>, PathRejection>,
) -> Response {
    let Ok(Path(id)) = id else {
        return gone(&page);
    };
    let target = format!("#feed-item-{id}-errors");
    match subscribe::unsubscribe(&doors.lede, who.user.id, id).await {
        Ok(true) => done(),
        Ok(false) => retargeted(target, gone(&page)),
        Err(error) => retargeted(target, failed(&page, &error, "dashboard-delete-failed")),
    }
}

fn gone(page: &Page) -> Response {
    problem(page, StatusCode::NOT_FOUND, "dashboard-feed-gone")
}
