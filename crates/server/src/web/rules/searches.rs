//! Saved searches, on the page of rules.

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use lede_core::search::{self, SearchError};
use lede_model::ids::{SavedSearchId, UserId};
use lede_store::saved_searches::Change;
use serde::Deserialize;

use super::{RulesPageState, bad_name, gone, show, to_list};
use crate::AppState;
use crate::error::{ApiError, FormBody, PathOf, search_error};
use crate::input::checked_name;
use crate::middleware::CurrentUser;
use crate::web::feeds::Problem;
use crate::web::page::Page;

#[derive(Deserialize)]
pub(crate) struct SearchFields {
    #[serde(default)]
    name: String,
    #[serde(default)]
    query: String,
}

fn problem(page: &Page, error: SearchError) -> (StatusCode, Problem) {
    let is_query = matches!(error, SearchError::Query(_));
    let error = search_error("query", error);
    let problem = if is_query {
        Problem::from_key(page, "rules-bad-query")
    } else {
        Problem::of(page, &error)
    };
    (error.status, problem)
}

/// State of the page for a rejected search.
fn refused((status, problem): (StatusCode, Problem), fields: SearchFields) -> RulesPageState {
    RulesPageState {
        status,
        search_problem: Some(problem),
        search_name: fields.name,
        search_query: fields.query,
        ..RulesPageState::default()
    }
}

/// `POST /rules/searches`: saves a search.
pub(crate) async fn add(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    FormBody(fields): FormBody<SearchFields>,
) -> Result<Response, ApiError> {
    let (lede, user) = (&app.lede, who.user.id);
    let wrong = match checked_name(&fields.name) {
        Err(_) => bad_name(&page),
        Ok(name) => {
            let query = fields.query.trim().to_owned();
            match search::save(lede, user, name, query, None).await {
                Ok(_) => return Ok(to_list("search-added")),
                Err(SearchError::Store(error)) => return Err(error.into()),
                Err(error) => problem(&page, error),
            }
        }
    };
    show(&app, user, &page, refused(wrong, fields)).await
}

/// Page for editing or deleting a saved search.
#[derive(Template)]
#[template(path = "rules/search.html")]
struct SearchPage {
    page: Page,
    section: &'static str,
    problem: Option<Problem>,
    id: SavedSearchId,
    /// Stored name, which `fields` may differ from.
    name: String,
    fields: SearchFields,
}

async fn show_one(
    app: &AppState,
    user: UserId,
    page: &Page,
    id: SavedSearchId,
    refused: Option<((StatusCode, Problem), SearchFields)>,
) -> Result<Response, ApiError> {
    let Some(search) = search::find(&app.lede, user, id).await? else {
        return Ok(gone(page));
    };
    let (wrong, typed) = refused.unzip();
    let (status, problem) = wrong.unzip();
    let shown = SearchPage {
        section: "rules",
        problem,
        id,
        name: search.name.clone(),
        fields: typed.unwrap_or(SearchFields {
            name: search.name,
            query: search.query,
        }),
        page: page.clone(),
    };
    Ok(page.answer(status.unwrap_or(StatusCode::OK), &shown))
}

/// `GET /rules/searches/{id}`: the page of a saved search.
pub(crate) async fn edit(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<SavedSearchId>,
) -> Result<Response, ApiError> {
    show_one(&app, who.user.id, &page, id, None).await
}

/// `POST /rules/searches/{id}`: changes the name or the query.
pub(crate) async fn change(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<SavedSearchId>,
    FormBody(fields): FormBody<SearchFields>,
) -> Result<Response, ApiError> {
    let (lede, user) = (&app.lede, who.user.id);
    let wrong = match checked_name(&fields.name) {
        Err(_) => bad_name(&page),
        Ok(name) => {
            let change = Change {
                name: Some(name),
                query: Some(fields.query.trim().to_owned()),
                position: None,
            };
            match search::change(lede, user, id, change).await {
                Ok(Some(_)) => return Ok(to_list("saved")),
                Ok(None) => return Ok(gone(&page)),
                Err(SearchError::Store(error)) => return Err(error.into()),
                Err(error) => problem(&page, error),
            }
        }
    };
    show_one(&app, user, &page, id, Some((wrong, fields))).await
}

/// `POST /rules/searches/{id}/delete`: deletes a saved search.
pub(crate) async fn delete(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<SavedSearchId>,
) -> Result<Response, ApiError> {
    if search::remove_saved(&app.lede, who.user.id, id).await? {
        Ok(to_list("search-deleted"))
    } else {
        Ok(gone(&page))
    }
}
