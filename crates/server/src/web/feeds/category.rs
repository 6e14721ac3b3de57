//! Page of one category: renaming, moving and deleting it.

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use lede_core::{categories, reading};
use lede_model::ids::{CategoryId, UserId};
use serde::Deserialize;

use super::{Choice, Problem, choices, chosen, organise_problem};
use crate::AppState;
use crate::error::{ApiError, FormBody, PathOf};
use crate::middleware::CurrentUser;
use crate::web::page::Page;

#[derive(Template)]
#[template(path = "feeds/category.html")]
struct CategoryPage {
    page: Page,
    section: &'static str,
    problem: Option<Problem>,
    id: CategoryId,
    name: String,
    /// Categories that can be its parent.
    parents: Vec<Choice>,
    feeds: usize,
    inner: usize,
}

#[derive(Deserialize)]
pub(crate) struct CategoryForm {
    #[serde(default)]
    name: String,
    /// Id of the parent; blank for the top level.
    #[serde(default)]
    parent: String,
}

async fn show(
    app: &AppState,
    user: UserId,
    page: &Page,
    id: CategoryId,
    refused: Option<(StatusCode, Problem)>,
) -> Result<Response, ApiError> {
    let mut categories = categories::categories(&app.lede, user).await?;
    let mut all = categories.iter();
    let Some(found) = all.find(|count| count.category.id == id) else {
        return Ok(gone(page));
    };
    let category = found.category.clone();
    let subscriptions = reading::subscriptions(&app.lede, user).await?;
    let feeds = subscriptions.iter();
    let feeds = feeds.filter(|feed| feed.category == Some(id)).count();
    let inner = categories.iter();
    let inner = inner
        .filter(|count| count.category.parent == Some(id))
        .count();
    // A category cannot be moved into itself or into one of its descendants.
    let mut inside = vec![id];
    categories.retain(|count| {
        let is_inside = count.category.id == id
            || count
                .category
                .parent
                .is_some_and(|parent| inside.contains(&parent));
        if is_inside {
            inside.push(count.category.id);
        }
        !is_inside
    });
    let (status, problem) = refused.unzip();
    let shown = CategoryPage {
        section: "feeds",
        problem,
        id,
        name: category.name,
        parents: choices(&categories, category.parent),
        feeds,
        inner,
        page: page.clone(),
    };
    Ok(page.answer(status.unwrap_or(StatusCode::OK), &shown))
}

fn gone(page: &Page) -> Response {
    page.message(StatusCode::NOT_FOUND, "feeds-category-gone")
}

/// `GET /categories/{id}`: the page.
pub(crate) async fn page(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<CategoryId>,
) -> Result<Response, ApiError> {
    show(&app, who.user.id, &page, id, None).await
}

/// `POST /categories/{id}`: renames the category, or moves it with everything in it.
pub(crate) async fn change(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<CategoryId>,
    FormBody(form): FormBody<CategoryForm>,
) -> Result<Response, ApiError> {
    let parent = chosen("parent", &form.parent)?;
    let name = Some(form.name.as_str());
    match categories::change_category(&app.lede, who.user.id, id, name, Some(parent)).await {
        Ok(_) => Ok(Redirect::to("/subscriptions?done=category-changed").into_response()),
        Err(error) => {
            let (error, problem) = organise_problem(&page, error);
            if error.status.is_server_error() {
                return Ok(page.error(&error));
            }
            let refused = Some((error.status, problem));
            show(&app, who.user.id, &page, id, refused).await
        }
    }
}

/// `POST /categories/{id}/delete`: deletes the category; its content moves to its parent.
pub(crate) async fn delete(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<CategoryId>,
) -> Result<Response, ApiError> {
    if categories::remove_category(&app.lede, who.user.id, id).await? {
        Ok(Redirect::to("/subscriptions?done=category-deleted").into_response())
    } else {
        Ok(gone(&page))
    }
}
