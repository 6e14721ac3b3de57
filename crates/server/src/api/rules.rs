//! Rules: automatic actions on new items.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lede_core::rules::{self, Preview};
use lede_model::ids::{CategoryId, FeedId, RuleId};
use lede_model::rule::{Rule, RuleActions, RuleTerms};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::items::ItemSummaryView;
use super::removed;
use crate::AppState;
use crate::error::{
    ApiError, ById, Changing, ErrorBody, JsonBody, JsonIn, PathOf, SignedIn, object, rule_error,
};
use crate::input::checked_name;
use crate::input::present::{name_schema, optional_name_schema};
use crate::middleware::CurrentUser;

/// A rule: conditions, all of which must hold, and actions. At least one of `query`, `feed_id` and
/// `category_id` is required, and at least one action.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RuleBody {
    #[serde(default)]
    #[schema(schema_with = name_schema, required = true)]
    name: String,
    /// False disables the rule. The default is true.
    enabled: Option<bool>,
    /// Items that this search would find.
    #[schema(min_length = 1, max_length = 500, example = "title:sponsored")]
    query: Option<String>,
    /// Items of one feed that you follow.
    #[schema(value_type = Option<i64>, minimum = 1)]
    feed_id: Option<FeedId>,
    /// Items of the feeds in one of your categories and its subcategories.
    #[schema(value_type = Option<i64>, minimum = 1)]
    category_id: Option<CategoryId>,
    #[serde(default, deserialize_with = "object")]
    #[schema(required = true)]
    actions: ActionsBody,
}

/// Conditions of a rule; at least one is required.
// The handler reads a `RuleBody` and ignores the rest: with `#[serde(flatten)]`, an error would not
// name its field.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described")]
pub(crate) struct ConditionsBody {
    /// Items that this search would find.
    #[schema(min_length = 1, max_length = 500, example = "title:sponsored")]
    query: Option<String>,
    /// Items of one feed that you follow.
    #[schema(minimum = 1)]
    feed_id: Option<i64>,
    /// Items of the feeds in one of your categories and its subcategories.
    #[schema(minimum = 1)]
    category_id: Option<i64>,
}

/// Actions on an item; at least one is required.
#[derive(Deserialize, Serialize, ToSchema, Default)]
#[serde(default)]
pub(crate) struct ActionsBody {
    /// Marks it as read.
    mark_read: bool,
    /// Stars the item.
    star: bool,
    /// Hides it from all lists and from search.
    hide: bool,
    /// Notifies your open pages (`/api/events`).
    notify: bool,
    /// Assigns the label of this name, which is created if necessary.
    #[schema(schema_with = optional_name_schema)]
    label: Option<String>,
}

impl RuleBody {
    fn into_terms(self, name: String) -> RuleTerms {
        let ActionsBody {
            mark_read,
            star,
            hide,
            notify,
            label,
        } = self.actions;
        RuleTerms {
            name,
            enabled: self.enabled.unwrap_or(true),
            query: self.query,
            feed: self.feed_id,
            category: self.category_id,
            actions: RuleActions {
                mark_read,
                star,
                hide,
                notify,
            },
            label,
        }
    }
}

/// A rule of the signed-in user.
#[derive(Serialize, ToSchema)]
pub(crate) struct RuleView {
    #[schema(value_type = i64)]
    id: RuleId,
    name: String,
    enabled: bool,
    query: Option<String>,
    #[schema(value_type = Option<i64>)]
    feed_id: Option<FeedId>,
    #[schema(value_type = Option<i64>)]
    category_id: Option<CategoryId>,
    actions: ActionsBody,
}

impl From<Rule> for RuleView {
    fn from(rule: Rule) -> Self {
        let Rule { id, terms } = rule;
        Self {
            id,
            name: terms.name,
            enabled: terms.enabled,
            query: terms.query,
            feed_id: terms.feed,
            category_id: terms.category,
            actions: ActionsBody {
                mark_read: terms.actions.mark_read,
                star: terms.actions.star,
                hide: terms.actions.hide,
                notify: terms.actions.notify,
                label: terms.label,
            },
        }
    }
}

/// Items that a rule would have matched.
#[derive(Serialize, ToSchema)]
pub(crate) struct PreviewView {
    /// Number of items, at most 1000.
    #[schema(maximum = 1000)]
    matched: i64,
    /// The newest of them, at most 50.
    items: Vec<ItemSummaryView>,
}

impl From<Preview> for PreviewView {
    fn from(preview: Preview) -> Self {
        Self {
            matched: preview.matched,
            items: preview.items.into_iter().map(Into::into).collect(),
        }
    }
}

/// List your rules, oldest first
#[utoipa::path(
    get,
    path = "/api/rules",
    operation_id = "listRules",
    tag = "rules",
    responses(
        (status = 200, body = Vec<RuleView>),
        SignedIn,
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    who: CurrentUser,
) -> Result<Json<Vec<RuleView>>, ApiError> {
    let found = rules::of_user(&app.lede, who.user.id).await?;
    Ok(Json(found.into_iter().map(RuleView::from).collect()))
}

/// Create a rule, which applies to new items from now on
#[utoipa::path(
    post,
    path = "/api/rules",
    operation_id = "addRule",
    tag = "rules",
    request_body = RuleBody,
    responses(
        (status = 201, body = RuleView),
        SignedIn, JsonIn, Changing,
        (status = 404, body = ErrorBody, description = "The feed or the category is not yours"),
        (status = 409, body = ErrorBody, description = "You have as many as there may be"),
    )
)]
pub(crate) async fn add(
    State(app): State<AppState>,
    who: CurrentUser,
    JsonBody(body): JsonBody<RuleBody>,
) -> Result<(StatusCode, Json<RuleView>), ApiError> {
    let name = checked_name(&body.name)?;
    let rule = rules::add(&app.lede, who.user.id, body.into_terms(name))
        .await
        .map_err(rule_error)?;
    Ok((StatusCode::CREATED, Json(rule.into())))
}

/// Preview the items of the last seven days that a rule would have matched
///
/// The rule is applied to the content that it would have seen on arrival: that of the feed, not the
/// full article. At most the newest 5000 candidates are checked.
#[utoipa::path(
    post,
    path = "/api/rules/preview",
    operation_id = "previewRule",
    tag = "rules",
    request_body = ConditionsBody,
    responses(
        (status = 200, body = PreviewView),
        SignedIn, JsonIn, Changing,
        (status = 404, body = ErrorBody, description = "The feed or the category is not yours"),
    )
)]
pub(crate) async fn preview(
    State(app): State<AppState>,
    who: CurrentUser,
    JsonBody(body): JsonBody<RuleBody>,
) -> Result<Json<PreviewView>, ApiError> {
    app.limits.search(&app, &who.user)?;
    let terms = body.into_terms(String::new());
    let preview = rules::preview(&app.lede, who.user.id, terms).await;
    Ok(Json(preview.map_err(rule_error)?.into()))
}

/// Get one of your rules
#[utoipa::path(
    get,
    path = "/api/rules/{id}",
    operation_id = "rule",
    tag = "rules",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 200, body = RuleView),
        SignedIn, ById,
    )
)]
pub(crate) async fn show(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(rule): PathOf<RuleId>,
) -> Result<Json<RuleView>, ApiError> {
    let rule = rules::find(&app.lede, who.user.id, rule).await?;
    rule.map(|found| Json(found.into()))
        .ok_or_else(|| ApiError::not_found("The rule"))
}

/// Replace the conditions and actions of a rule
#[utoipa::path(
    put,
    path = "/api/rules/{id}",
    operation_id = "setRule",
    tag = "rules",
    params(("id" = i64, Path, minimum = 1)),
    request_body = RuleBody,
    responses(
        (status = 200, body = RuleView),
        SignedIn, ById, JsonIn, Changing,
    )
)]
pub(crate) async fn set(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(rule): PathOf<RuleId>,
    JsonBody(body): JsonBody<RuleBody>,
) -> Result<Json<RuleView>, ApiError> {
    let name = checked_name(&body.name)?;
    let changed = rules::change(&app.lede, who.user.id, rule, body.into_terms(name))
        .await
        .map_err(rule_error)?;
    changed
        .map(|rule| Json(rule.into()))
        .ok_or_else(|| ApiError::not_found("The rule"))
}

/// Delete a rule; its past effects stay
#[utoipa::path(
    delete,
    path = "/api/rules/{id}",
    operation_id = "removeRule",
    tag = "rules",
    params(("id" = i64, Path, minimum = 1)),
    responses(
        (status = 204, description = "Removed"),
        SignedIn, ById, Changing,
    )
)]
pub(crate) async fn remove(
    State(app): State<AppState>,
    who: CurrentUser,
    PathOf(rule): PathOf<RuleId>,
) -> Result<StatusCode, ApiError> {
    let was_there = rules::remove(&app.lede, who.user.id, rule).await?;
    removed(was_there, "The rule")
}
