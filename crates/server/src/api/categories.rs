//! Categories of a user.

use std::collections::HashSet;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lede_core::categories::{self, CategoryCount};
use lede_model::category::{MAX_CATEGORIES, MAX_POSITION};
use lede_model::ids::{CategoryId, whole_number};
use lede_model::input::InputError;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::removed;
use super::sign_in::OkView;
use crate::AppState;
use crate::error::{
    ApiError, ById, Changing, ErrorBody, JsonBody, JsonIn, JsonList, PathOf, SignedIn,
    organise_error,
};
use crate::input::present::{name_schema, optional_name_schema, present};
use crate::middleware::CurrentUser;

/// A category to create.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewCategoryBody {
    #[schema(schema_with = name_schema)]
    name: String,
    /// Parent category; null or absent for the top level.
    #[schema(value_type = Option<i64>, minimum = 1)]
    parent_id: Option<CategoryId>,
}

/// Changes to a category. Absent fields keep their values.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CategoryBody {
    #[schema(schema_with = optional_name_schema)]
    name: Option<String>,
    /// Parent category; null for the top level. Must be neither the category itself nor below it.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<i64>, minimum = 1)]
    parent_id: Option<Option<CategoryId>>,
}

/// New position of a category.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PositionBody {
    #[schema(value_type = i64, minimum = 1)]
    id: CategoryId,
    /// Position among categories with the same parent, smallest first; equal positions are ordered
    /// by name.
    #[serde(deserialize_with = "whole_number")]
    #[schema(minimum = 0, maximum = 1_000_000)]
    position: i64,
}

/// A category of the signed-in user.
#[derive(Serialize, ToSchema)]
pub(crate) struct CategoryView {
    #[schema(value_type = i64)]
    id: CategoryId,
    name: String,
    /// Parent category; null at the top level.
    #[schema(value_type = Option<i64>)]
    parent_id: Option<CategoryId>,
    /// Position among categories with the same parent.
    position: i64,
    /// Unread items in its feeds and in those of its subcategories.
    unread_count: i64,
}

impl From<CategoryCount> for CategoryView {
    fn from(CategoryCount { category, unread }: CategoryCount) -> Self {
        Self {
            id: category.id,
            name: category.name,
            parent_id: category.parent,
            position: category.position,
            unread_count: unread,
        }
    }
}

/// List your categories in tree order
#[utoipa::path(
    get,
    path = "/api/categories",
    operation_id = "listCategories",
    tag = "feeds",
    responses(
        (status = 200, body = Vec<CategoryView>),
        SignedIn,
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    who: CurrentUser,
) -> Result<Json<Vec<CategoryView>>, ApiError> {
    let categories = categories::categories(&app.lede, who.user.id).await?;
    Ok(Json(
        categories.into_iter().map(CategoryView::from).collect(),
    ))
}

/// Create a category
#[utoipa::path(
    post,
    path = "/api/categories",
    operation_id = "addCategory",
    tag = "feeds",
    request_body = NewCategoryBody,
    responses(
        (status = 201, body = CategoryView),
        SignedIn, JsonIn, Changing,
        (status = 400, body = ErrorBody, description = "Not a name, or too deep in others"),
        (status = 404, body = ErrorBody, description = "The parent is not yours"),
        (status = 409, body = ErrorBody, description = "The name is taken there, or you have enough categories"),
    )
)]
pub(crate) async fn add(
    State(app): State<AppState>,
    who: CurrentUser,
    JsonBody(body): JsonBody<NewCategoryBody>,
) -> Result<(StatusCode, Json<CategoryView>), ApiError> {
    let category = categories::add_category(&app.lede, who.user.id, &body.name, body.parent_id)
        .await
        .map_err(organise_error)?;
    let added = CategoryCount {
        category,
        unread: 0,
    };
    Ok((StatusCode::CREATED, Json(added.into())))
}

/// Rename a category, or move it with everything in it
#[utoipa::path(
    put,
    path = "/api/categories/{id}",
    operation_id = "setCategory",
    tag = "feeds",
    params(("id" = i64, Path, minimum = 1)),
    request_body = CategoryBody,
    responses(
        (status = 200, body = CategoryView),
        SignedIn, ById, JsonIn, Changing,
        (status = 400, body = ErrorBody, description = "Not a name, in itself, or too deep in others"),
        (status = 409, body = ErrorBody, description = "The name is taken there"),
    )
)]
pub(crate) async fn set(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(category): PathOf<CategoryId>,
    JsonBody(body): JsonBody<CategoryBody>,
) -> Result<Json<CategoryView>, ApiError> {
    let changed = categories::change_category(
        &app.lede,
        who.user.id,
        category,
        body.name.as_deref(),
        body.parent_id,
    )
    .await
    .map_err(organise_error)?;
    Ok(Json(changed.into()))
}

/// Delete a category; its feeds and subcategories move to its parent
#[utoipa::path(
    delete,
    path = "/api/categories/{id}",
    operation_id = "removeCategory",
    tag = "feeds",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 204, description = "Removed"),
        SignedIn, ById, Changing,
    )
)]
pub(crate) async fn remove(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(category): PathOf<CategoryId>,
) -> Result<StatusCode, ApiError> {
    let was_there = categories::remove_category(&app.lede, who.user.id, category).await?;
    removed(was_there, "The category")
}

/// Set the positions of categories; all of them, or none if one of them is not yours
#[utoipa::path(
    patch,
    path = "/api/categories/reorder",
    operation_id = "reorderCategories",
    tag = "feeds",
    request_body(content = Vec<PositionBody>, description = "At most 1000 categories"),
    responses(
        (status = 200, body = OkView),
        SignedIn, JsonIn, Changing,
        (status = 404, body = ErrorBody, description = "One of them is not yours"),
    )
)]
pub(crate) async fn reorder(
    State(app): State<AppState>,
    who: CurrentUser,
    JsonList(body): JsonList<PositionBody>,
) -> Result<Json<OkView>, ApiError> {
    if body.len() > MAX_CATEGORIES {
        return Err(ApiError::bad_request(format!(
            "At most {MAX_CATEGORIES} categories can be put in an order at once."
        )));
    }
    let mut seen = HashSet::new();
    for place in &body {
        check_position(place.position)?;
        if !seen.insert(place.id) {
            return Err(ApiError::invalid("id", InputError::Repeated));
        }
    }
    let positions = body
        .iter()
        .map(|place| (place.id, place.position))
        .collect();
    if categories::reorder_categories(&app.lede, who.user.id, positions).await? {
        Ok(Json(OkView { ok: true }))
    } else {
        Err(ApiError::not_found("The category"))
    }
}

/// Returns `position` if it is within the allowed range.
pub(super) fn check_position(position: i64) -> Result<i64, ApiError> {
    if (0..=MAX_POSITION).contains(&position) {
        Ok(position)
    } else {
        let (least, most) = (0, MAX_POSITION);
        Err(ApiError::invalid(
            "position",
            InputError::OutOfRange { least, most },
        ))
    }
}
