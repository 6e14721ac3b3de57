//! Saved searches of a user.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lede_core::search::{self, SavedSearchCount};
use lede_model::ids::SavedSearchId;
use lede_store::saved_searches::Change;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::categories::check_position;
use super::removed;
use crate::AppState;
use crate::error::{
    ApiError, ById, Changing, ErrorBody, JsonBody, JsonIn, PathOf, SignedIn, search_error,
};
use crate::input::checked_name;
use crate::input::present::{name_schema, optional_name_schema, optional_whole_number};
use crate::middleware::CurrentUser;

/// A search to save.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SearchBody {
    #[schema(schema_with = name_schema)]
    name: String,
    /// Search text, in the syntax of the search field.
    #[schema(
        min_length = 1,
        max_length = 500,
        example = "rust OR \"open source\" is:unread"
    )]
    query: String,
    /// Position among your saved searches; absent puts it last.
    #[serde(default, deserialize_with = "optional_whole_number")]
    #[schema(minimum = 0, maximum = 1_000_000)]
    position: Option<i64>,
}

/// Changes to a saved search. Absent fields keep their values.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SearchChangeBody {
    #[schema(schema_with = optional_name_schema)]
    name: Option<String>,
    #[schema(min_length = 1, max_length = 500)]
    query: Option<String>,
    #[serde(default, deserialize_with = "optional_whole_number")]
    #[schema(minimum = 0, maximum = 1_000_000)]
    position: Option<i64>,
}

/// A saved search.
#[derive(Serialize, ToSchema)]
pub(crate) struct SearchView {
    #[schema(value_type = i64)]
    id: SavedSearchId,
    name: String,
    query: String,
    position: i64,
    /// Number of unread items that it matches, at most 1000.
    #[schema(maximum = 1000)]
    unread_count: i64,
}

impl From<SavedSearchCount> for SearchView {
    fn from(kept: SavedSearchCount) -> Self {
        Self {
            id: kept.search.id,
            name: kept.search.name,
            query: kept.search.query,
            position: kept.search.position,
            unread_count: kept.unread,
        }
    }
}

/// List your saved searches with their unread counts
#[utoipa::path(
    get,
    path = "/api/searches",
    operation_id = "listSearches",
    tag = "search",
    responses(
        (status = 200, body = Vec<SearchView>),
        SignedIn,
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    who: CurrentUser,
) -> Result<Json<Vec<SearchView>>, ApiError> {
    app.limits.search(&app, &who.user)?;
    let kept = search::saved(&app.lede, who.user.id).await?;
    Ok(Json(kept.into_iter().map(SearchView::from).collect()))
}

/// Save a search
#[utoipa::path(
    post,
    path = "/api/searches",
    operation_id = "addSearch",
    tag = "search",
    request_body = SearchBody,
    responses(
        (status = 201, body = SearchView),
        SignedIn, JsonIn, Changing,
        (status = 409, body = ErrorBody, description = "You keep as many as there may be"),
    )
)]
pub(crate) async fn add(
    State(app): State<AppState>,
    who: CurrentUser,
    JsonBody(body): JsonBody<SearchBody>,
) -> Result<(StatusCode, Json<SearchView>), ApiError> {
    let (name, position) = (
        checked_name(&body.name)?,
        body.position.map(check_position).transpose()?,
    );
    let kept = search::save(&app.lede, who.user.id, name, body.query, position)
        .await
        .map_err(|error| search_error("query", error))?;
    Ok((StatusCode::CREATED, Json(kept.into())))
}

/// Change a saved search or its position
#[utoipa::path(
    put,
    path = "/api/searches/{id}",
    operation_id = "setSearch",
    tag = "search",
    params(("id" = i64, Path, minimum = 1)),
    request_body = SearchChangeBody,
    responses(
        (status = 200, body = SearchView),
        SignedIn, ById, JsonIn, Changing,
    )
)]
pub(crate) async fn set(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(search): PathOf<SavedSearchId>,
    JsonBody(body): JsonBody<SearchChangeBody>,
) -> Result<Json<SearchView>, ApiError> {
    let change = Change {
        name: body.name.as_deref().map(checked_name).transpose()?,
        query: body.query,
        position: body.position.map(check_position).transpose()?,
    };
    let changed = search::change(&app.lede, who.user.id, search, change)
        .await
        .map_err(|error| search_error("query", error))?;
    changed
        .map(|kept| Json(kept.into()))
        .ok_or_else(|| ApiError::not_found("The search"))
}

/// Delete a saved search
#[utoipa::path(
    delete,
    path = "/api/searches/{id}",
    operation_id = "removeSearch",
    tag = "search",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 204, description = "No longer kept"),
        SignedIn, ById, Changing,
    )
)]
pub(crate) async fn remove(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(search): PathOf<SavedSearchId>,
) -> Result<StatusCode, ApiError> {
    let was_there = search::remove_saved(&app.lede, who.user.id, search).await?;
    removed(was_there, "The search")
}
