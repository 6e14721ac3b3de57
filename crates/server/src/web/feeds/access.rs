//! Credentials for a feed's server: the form fields, and changing them on the page of the feed.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use lede_core::access::{self, VisibleCredentials};
use lede_core::subscribe;
use lede_model::credentials::{AccessChange, Part};
use lede_model::ids::FeedId;
use serde::Deserialize;

use super::feed::{Outcome, gone, refused, show, to_page};
use super::{Problem, add_problem};
use crate::AppState;
use crate::error::{ApiError, FormBody, PathOf, subscribe_error};
use crate::input::access_change;
use crate::middleware::CurrentUser;
use crate::web::page::Page;

/// The fields, empty: stored credentials are never shown.
#[derive(Template)]
#[template(path = "feeds/access_fields.html")]
pub(super) struct Fields {
    page: Page,
    kept: Vec<Part>,
}

impl Fields {
    pub(super) fn of(page: &Page, shown: VisibleCredentials) -> Self {
        Self {
            page: page.clone(),
            kept: match shown {
                VisibleCredentials::Parts(parts) => parts,
                VisibleCredentials::Nothing | VisibleCredentials::Unreadable => Vec::new(),
            },
        }
    }

    fn keeps(&self, part: Part) -> bool {
        self.kept.contains(&part)
    }
}

#[derive(Default, Deserialize)]
pub(crate) struct Entered {
    #[serde(default)]
    username: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    user_agent: String,
    #[serde(default)]
    cookie: String,
}

impl Entered {
    /// Returns a change of the fields that are filled in. An empty field keeps the stored value.
    pub(super) fn into_change(self) -> Result<AccessChange, ApiError> {
        let fields = [
            (Part::Username, self.username),
            (Part::Password, self.password),
            (Part::UserAgent, self.user_agent),
            (Part::Cookie, self.cookie),
        ];
        access_change(fields.into_iter().filter(|(_, value)| !value.is_empty()))
    }
}

/// `POST /feeds/{id}/access`: stores the submitted credentials and fetches the feed with them.
pub(crate) async fn set(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<FeedId>,
    FormBody(entered): FormBody<Entered>,
) -> Result<Response, ApiError> {
    if let Err(error) = app.limits.feed_work(&app, &who.user) {
        return refused(&app, who.user.id, &page, id, &error).await;
    }
    let changed = match entered.into_change() {
        Ok(change) => {
            let changed = access::change(&app.lede, &who.user, id, change).await;
            changed.map_err(|error| add_problem(&page, error))
        }
        Err(error) => {
            let problem = Problem::of(&page, &error);
            Err((error, problem))
        }
    };
    match changed {
        Ok(false) => return Ok(gone(&page)),
        Ok(true) => {}
        Err((error, problem)) => {
            let outcome = Outcome {
                status: error.status,
                problem: Some(problem),
                opens_access: true,
                ..Outcome::default()
            };
            return show(&app, who.user.id, &page, id, outcome).await;
        }
    }
    let refreshed = subscribe::refresh(&app.lede, &who.user, id).await;
    Ok(match refreshed.map_err(subscribe_error)? {
        None => gone(&page),
        Some(refreshed) if refreshed.error.is_none() => to_page(id, "access"),
        // The error is shown in the fetch result.
        Some(_) => to_page(id, "failed"),
    })
}

/// `POST /feeds/{id}/access/forget`: deletes the stored credentials.
pub(crate) async fn remove(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<FeedId>,
) -> Result<Response, ApiError> {
    let forgotten = access::change(&app.lede, &who.user, id, AccessChange::clear_all()).await;
    match forgotten {
        Ok(true) => Ok(to_page(id, "access-forgotten")),
        Ok(false) => Ok(gone(&page)),
        Err(error) => {
            let (error, _) = add_problem(&page, error);
            Err(error)
        }
    }
}
