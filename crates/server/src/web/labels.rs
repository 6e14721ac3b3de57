//! Pages and forms for the labels of an item, and for renaming or deleting a label.

use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use lede_core::labels::{self, LabellingError};
use lede_core::reading;
use lede_model::ids::{ItemId, LabelId, UserId};
use lede_model::item::{Item, Scope};
use lede_model::label::Label;
use serde::Deserialize;

use super::feeds::Problem;
use super::page::Page;
use super::reader::LabelNode;
use crate::AppState;
use crate::error::{ApiError, FormBody, PathOf, label_error};
use crate::middleware::CurrentUser;

/// Form for the labels of an item: existing labels as options, and a field for a new one.
struct ItemForm {
    item_id: ItemId,
    choices: Vec<Choice>,
    /// Content of that field.
    typed: String,
    problem: Option<String>,
}

struct Choice {
    name: String,
    is_chosen: bool,
}

#[derive(Template)]
#[template(path = "reader/labels_page.html")]
struct FormPage {
    page: Page,
    section: &'static str,
    title: String,
    form: ItemForm,
}

/// The form as a dialog, for the page's script.
#[derive(Template)]
#[template(path = "reader/labels_dialog.html")]
struct FormDialog {
    page: Page,
    form: ItemForm,
}

/// Fragments by which the page's script replaces the item's labels and the tree.
#[derive(Template)]
#[template(path = "reader/labels_changed.html")]
struct Changed {
    page: Page,
    item_id: ItemId,
    labels: Vec<Label>,
    tree: Vec<LabelNode>,
}

fn is_of_script(headers: &HeaderMap) -> bool {
    headers.contains_key("hx-request")
}

fn item_gone(page: &Page) -> Response {
    page.message(StatusCode::NOT_FOUND, "item-gone")
}

fn label_gone(page: &Page) -> Response {
    page.message(StatusCode::NOT_FOUND, "label-gone")
}

/// Renders the form with the labels in `chosen` selected, and the reason of a refusal.
async fn show_form(
    app: &AppState,
    user: UserId,
    page: &Page,
    is_of_script: bool,
    item: Item,
    chosen: Vec<String>,
    refused: Option<(StatusCode, String)>,
) -> Result<Response, ApiError> {
    let own = labels::of_user(&app.lede, user).await?;
    let own: Vec<String> = own.into_iter().map(|count| count.label.name).collect();
    let typed = chosen.iter().find(|name| !own.contains(name)).cloned();
    let choices = own.into_iter().map(|name| Choice {
        is_chosen: chosen.contains(&name),
        name,
    });
    let (status, problem) = refused.unzip();
    let form = ItemForm {
        item_id: item.summary.id,
        choices: choices.collect(),
        typed: typed.unwrap_or_default(),
        problem,
    };
    if is_of_script {
        let page_ = page.clone();
        // The script takes an error status for a failed request, so a rejected form is sent as 200.
        return Ok(page.answer(StatusCode::OK, &FormDialog { page: page_, form }));
    }
    let whole = FormPage {
        section: "reader",
        title: item.summary.title,
        form,
        page: page.clone(),
    };
    Ok(page.answer(status.unwrap_or(StatusCode::OK), &whole))
}

/// `GET /items/{id}/labels`: the form for an item's labels.
pub(crate) async fn of_item(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    headers: HeaderMap,
    PathOf(id): PathOf<ItemId>,
) -> Result<Response, ApiError> {
    let Some(item) = reading::find_item(&app.lede, who.user.id, id).await? else {
        return Ok(item_gone(&page));
    };
    let has = item.summary.labels.iter();
    let has = has.map(|label| label.name.clone()).collect();
    let by_script = is_of_script(&headers);
    show_form(&app, who.user.id, &page, by_script, item, has, None).await
}

/// `POST /items/{id}/labels`: replaces the item's labels by those that are selected or entered.
pub(crate) async fn set_of_item(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    headers: HeaderMap,
    PathOf(id): PathOf<ItemId>,
    FormBody(fields): FormBody<Vec<(String, String)>>,
) -> Result<Response, ApiError> {
    let user = who.user.id;
    let sent = fields.into_iter().filter(|(name, _)| name == "label");
    let sent = sent.map(|(_, label)| label.trim().to_owned());
    let sent: Vec<String> = sent.filter(|label| !label.is_empty()).collect();
    let set = labels::set_of_item(&app.lede, user, id, &sent).await;
    let Some(item) = reading::find_item(&app.lede, user, id).await? else {
        return Ok(item_gone(&page));
    };
    let by_script = is_of_script(&headers);
    match set {
        Ok(_) if !by_script => Ok(Redirect::to(&format!("/items/{id}")).into_response()),
        Ok(_) => {
            let own = labels::of_user(&app.lede, user).await?.into_iter();
            let changed = Changed {
                item_id: id,
                labels: item.summary.labels,
                tree: own
                    .map(|count| LabelNode::new(count, Scope::Everything))
                    .collect(),
                page: page.clone(),
            };
            Ok(page.answer(StatusCode::OK, &changed))
        }
        Err(LabellingError::Label(error)) => {
            let words = page.translate(&error).into_owned();
            let status = label_error("label", "The item", error.into()).status;
            let refused = Some((status, words));
            show_form(&app, user, &page, by_script, item, sent, refused).await
        }
        Err(error) => Err(label_error("label", "The item", error)),
    }
}

#[derive(Template)]
#[template(path = "reader/label.html")]
struct LabelPage {
    page: Page,
    section: &'static str,
    problem: Option<Problem>,
    id: LabelId,
    name: String,
    /// Content of the name field.
    typed: String,
}

#[derive(Deserialize)]
pub(crate) struct LabelForm {
    #[serde(default)]
    name: String,
}

async fn show(
    app: &AppState,
    user: UserId,
    page: &Page,
    id: LabelId,
    refused: Option<(StatusCode, Problem, String)>,
) -> Result<Response, ApiError> {
    let Some(found) = labels::find(&app.lede, user, id).await? else {
        return Ok(label_gone(page));
    };
    let name = found.label.name;
    let (status, problem, typed) = match refused {
        Some((status, problem, typed)) => (status, Some(problem), typed),
        None => (StatusCode::OK, None, name.clone()),
    };
    let shown = LabelPage {
        section: "reader",
        problem,
        id,
        name,
        typed,
        page: page.clone(),
    };
    Ok(page.answer(status, &shown))
}

/// `GET /labels/{id}`: the form for renaming or deleting a label.
pub(crate) async fn page(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<LabelId>,
) -> Result<Response, ApiError> {
    show(&app, who.user.id, &page, id, None).await
}

/// `POST /labels/{id}`: renames the label.
pub(crate) async fn rename(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<LabelId>,
    FormBody(form): FormBody<LabelForm>,
) -> Result<Response, ApiError> {
    match labels::rename(&app.lede, who.user.id, id, &form.name).await {
        Ok(_) => Ok(Redirect::to(&format!("/?label={id}")).into_response()),
        Err(LabellingError::Absent) => Ok(label_gone(&page)),
        Err(LabellingError::Store(error)) => Err(error.into()),
        Err(LabellingError::Label(error)) => {
            let problem = Problem::without_action(page.translate(&error));
            let status = label_error("name", "The label", error.into()).status;
            let refused = Some((status, problem, form.name));
            show(&app, who.user.id, &page, id, refused).await
        }
    }
}

/// `POST /labels/{id}/delete`: deletes the label and removes it from all items.
pub(crate) async fn delete(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<LabelId>,
) -> Result<Response, ApiError> {
    if labels::remove(&app.lede, who.user.id, id).await? {
        Ok(Redirect::to("/").into_response())
    } else {
        Ok(label_gone(&page))
    }
}
