//! Import of subscription lists: submitting one, and its progress.

use std::borrow::Cow;

use askama::Template;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use lede_core::opml::{self, Import, ImportError, SHOWN_FAILURES};
use lede_core::subscribe::SubscribeError;
use lede_model::feed_error::FeedError;
use lede_model::ids::{FeedId, ImportId};
use lede_model::import::{ImportFetches, ImportProgress};
use serde::Deserialize;

use super::{Problem, is_scripted};
use crate::AppState;
use crate::error::{ApiError, FormBody, PathOf, import_error};
use crate::input::opml::{ListSource, upload};
use crate::middleware::CurrentUser;
use crate::web::page::Page;

#[derive(Template)]
#[template(path = "feeds/problem.html")]
struct NotTaken {
    problem: Problem,
}

#[derive(Template)]
#[template(path = "feeds/import.html")]
struct ImportPage {
    page: Page,
    section: &'static str,
    progress: ImportProgress,
    failures: Vec<Failure>,
    /// First fetches of the new feeds.
    fetches: ImportFetches,
    unfetched: Vec<Unfetched>,
    /// Number of failures beyond those that are shown.
    more_failures: i64,
}

/// A new feed that could not be fetched, with a link to its settings.
struct Unfetched {
    id: FeedId,
    title: String,
    url: String,
    reason: Cow<'static, str>,
}

struct Failure {
    name: String,
    /// `None` if the name is the address.
    url: Option<String>,
    reason: Cow<'static, str>,
}

/// Address of an OPML file.
#[derive(Deserialize)]
pub(crate) struct AddressForm {
    url: String,
}

/// `POST /subscriptions/import`: imports an uploaded list.
pub(crate) async fn import(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    request: Request,
) -> Response {
    let scripted = is_scripted(request.headers());
    let taken = async {
        app.limits.feed_work(&app, &who.user)?;
        let (bytes, content_type) = upload(request).await?;
        opml::import(&app.lede, &who.user, bytes.into(), content_type)
            .await
            .map_err(|error| import_error(error, ListSource::Upload))
    };
    let taken = taken.await.map_err(|error| {
        let is_no_list = error.status == StatusCode::BAD_REQUEST;
        (error, is_no_list.then_some("feeds-import-not-a-list"))
    });
    answer(&page, taken, scripted)
}

/// `POST /subscriptions/import-address`: fetches a list and imports it.
pub(crate) async fn import_from(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    headers: HeaderMap,
    FormBody(form): FormBody<AddressForm>,
) -> Response {
    let taken = async {
        let limits = app.limits.feed_work(&app, &who.user);
        limits.map_err(|error| (error, None))?;
        let taken = opml::import_from(&app.lede, &who.user, &form.url).await;
        taken.map_err(|error| {
            let key = match &error {
                ImportError::FeedInput(SubscribeError::Address(_)) => Some("feeds-not-an-address"),
                ImportError::NotAList(_) => Some("feeds-import-not-a-list-there"),
                _ => None,
            };
            (import_error(error, ListSource::Address), key)
        })
    };
    answer(&page, taken.await, is_scripted(&headers))
}

/// Redirects to the progress of the import, or shows the error. The error's message is that of a
/// key, if the message for the field would not help the user.
fn answer(
    page: &Page,
    taken: Result<Import, (ApiError, Option<&str>)>,
    scripted: bool,
) -> Response {
    match taken {
        Ok(Import { progress, .. }) => {
            let address = format!("/imports/{}", progress.id);
            if scripted {
                return (StatusCode::NO_CONTENT, [("HX-Redirect", address)]).into_response();
            }
            Redirect::to(&address).into_response()
        }
        Err((error, key)) if scripted => {
            let problem = match key {
                Some(key) => Problem::from_key(page, key),
                None => Problem::of(page, &error),
            };
            page.answer(error.status, &NotTaken { problem })
        }
        Err((error, _)) => page.error(&error),
    }
}

/// `GET /imports/{id}`: progress of an import.
pub(crate) async fn progress(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<ImportId>,
) -> Result<Response, ApiError> {
    let found = opml::find(&app.lede, who.user.id, id, SHOWN_FAILURES).await?;
    let Some(Import {
        progress,
        failures,
        fetches,
        unfetched,
    }) = found
    else {
        return Ok(page.message(StatusCode::NOT_FOUND, "feeds-import-gone"));
    };
    let more = progress.failed - i64::try_from(failures.len()).unwrap_or(i64::MAX);
    let failures = failures.into_iter().map(|result| {
        let (name, url) = match result.title {
            Some(title) => (title, Some(result.url).filter(|url| !url.is_empty())),
            None => (result.url, None),
        };
        Failure {
            name,
            url,
            reason: page.translate(&result.reason.unwrap_or(FeedError::Unknown)),
        }
    });
    let unfetched = unfetched.into_iter().map(|feed| Unfetched {
        id: feed.id,
        title: feed.title,
        url: feed.url,
        reason: page.translate(&feed.reason.unwrap_or(FeedError::Unknown)),
    });
    let shown = ImportPage {
        section: "feeds",
        progress,
        fetches,
        unfetched: unfetched.collect(),
        failures: failures.collect(),
        more_failures: more.max(0),
        page: page.clone(),
    };
    Ok(page.answer(StatusCode::OK, &shown))
}
