//! Labels of a user, and the labels of an item.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lede_core::labels::{self, LabelCount};
use lede_model::ids::{ItemId, LabelId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::removed;
use crate::AppState;
use crate::error::{
    ApiError, ById, Changing, ErrorBody, JsonBody, JsonIn, PathOf, SignedIn, label_error,
};
use crate::input::present::{name_schema, names_schema};
use crate::middleware::CurrentUser;

/// Name of a label.
#[derive(Deserialize, ToSchema)]
pub(crate) struct LabelBody {
    #[schema(schema_with = name_schema)]
    name: String,
}

/// A label of the signed-in user.
#[derive(Serialize, ToSchema)]
pub(crate) struct LabelView {
    #[schema(value_type = i64)]
    id: LabelId,
    name: String,
    /// Unread items with this label.
    unread_count: i64,
}

impl From<LabelCount> for LabelView {
    fn from(LabelCount { label, unread }: LabelCount) -> Self {
        Self {
            id: label.id,
            name: label.name,
            unread_count: unread,
        }
    }
}

/// New labels of an item.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ItemLabelsBody {
    /// Names of the labels. Labels that do not exist yet are created.
    #[schema(schema_with = names_schema)]
    labels: Vec<String>,
}

/// Labels of an item after a change.
#[derive(Serialize, ToSchema)]
pub(crate) struct ItemLabelsView {
    #[schema(value_type = i64)]
    item_id: ItemId,
    labels: Vec<String>,
}

/// List your labels by name, with their unread counts
#[utoipa::path(
    get,
    path = "/api/labels",
    operation_id = "listLabels",
    tag = "items",
    responses(
        (status = 200, body = Vec<LabelView>),
        SignedIn,
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    who: CurrentUser,
) -> Result<Json<Vec<LabelView>>, ApiError> {
    let labels = labels::of_user(&app.lede, who.user.id).await?;
    Ok(Json(labels.into_iter().map(LabelView::from).collect()))
}

/// Create a label
#[utoipa::path(
    post,
    path = "/api/labels",
    operation_id = "addLabel",
    tag = "items",
    request_body = LabelBody,
    responses(
        (status = 201, body = LabelView),
        SignedIn, JsonIn, Changing,
        (status = 409, body = ErrorBody, description = "The name is taken, or you have enough labels"),
    )
)]
pub(crate) async fn add(
    State(app): State<AppState>,
    who: CurrentUser,
    JsonBody(body): JsonBody<LabelBody>,
) -> Result<(StatusCode, Json<LabelView>), ApiError> {
    let label = labels::add(&app.lede, who.user.id, &body.name)
        .await
        .map_err(|error| label_error("name", "The label", error))?;
    let added = LabelCount { label, unread: 0 };
    Ok((StatusCode::CREATED, Json(added.into())))
}

/// Rename a label
#[utoipa::path(
    put,
    path = "/api/labels/{id}",
    operation_id = "setLabel",
    tag = "items",
    params(("id" = i64, Path, minimum = 1)),
    request_body = LabelBody,
    responses(
        (status = 200, body = LabelView),
        SignedIn, ById, JsonIn, Changing,
        (status = 409, body = ErrorBody, description = "The name is taken"),
    )
)]
pub(crate) async fn set(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(label): PathOf<LabelId>,
    JsonBody(body): JsonBody<LabelBody>,
) -> Result<Json<LabelView>, ApiError> {
    let renamed = labels::rename(&app.lede, who.user.id, label, &body.name)
        .await
        .map_err(|error| label_error("name", "The label", error))?;
    Ok(Json(renamed.into()))
}

/// Delete a label, and the rules whose only action is to assign it
#[utoipa::path(
    delete,
    path = "/api/labels/{id}",
    operation_id = "removeLabel",
    tag = "items",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 204, description = "Removed"),
        SignedIn, ById, Changing,
    )
)]
pub(crate) async fn remove(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(label): PathOf<LabelId>,
) -> Result<StatusCode, ApiError> {
    let was_there = labels::remove(&app.lede, who.user.id, label).await?;
    removed(was_there, "The label")
}

/// Replace the labels of an item
#[utoipa::path(
    put,
    path = "/api/items/{id}/labels",
    operation_id = "setItemLabels",
    tag = "items",
    params(("id" = i64, Path, minimum = 1)),
    request_body = ItemLabelsBody,
    responses(
        (status = 200, body = ItemLabelsView),
        SignedIn, ById, JsonIn, Changing,
        (status = 409, body = ErrorBody, description = "You have enough labels"),
    )
)]
pub(crate) async fn set_of_item(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(item): PathOf<ItemId>,
    JsonBody(body): JsonBody<ItemLabelsBody>,
) -> Result<Json<ItemLabelsView>, ApiError> {
    let labels = labels::set_of_item(&app.lede, who.user.id, item, &body.labels)
        .await
        .map_err(|error| label_error("labels", "The item", error))?;
    Ok(Json(ItemLabelsView {
        item_id: item,
        labels,
    }))
}
