//! Feed management: adding and organising feeds, the page of one feed, import and export.

pub(crate) mod access;
pub(crate) mod add;
pub(crate) mod category;
pub(crate) mod feed;
pub(super) mod fetch_status;
pub(crate) mod imports;
pub(crate) mod manage;

use axum::http::HeaderMap;
use lede_core::categories::{self, CategoryCount, OrganiseError};
use lede_core::subscribe::SubscribeError;
use lede_model::ids::{CategoryId, UserId};
use lede_model::input::InputError;

use super::i18n::sentence;
use super::page::Page;
use crate::AppState;
use crate::error::{ApiError, organise_error, subscribe_error};

/// An error and its remedy, in the user's language.
pub(super) struct Problem {
    pub(super) message: String,
    pub(super) action: String,
}

impl Problem {
    pub(super) fn of(page: &Page, error: &ApiError) -> Self {
        let (message, action) = page.explain(error);
        Self {
            message: sentence(&message),
            action,
        }
    }

    /// Creates a problem whose message already contains the remedy.
    pub(super) fn without_action(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            action: String::new(),
        }
    }

    /// Creates a problem from the messages `key` and `key.action`.
    pub(super) fn from_key(page: &Page, key: &str) -> Self {
        Self {
            message: page.t(key).into(),
            action: page.t(&format!("{key}.action")).into(),
        }
    }
}

/// Converts an error of adding a feed. The form has only one field, so the message names none and
/// the remedy is an example.
fn add_problem(page: &Page, error: SubscribeError) -> (ApiError, Problem) {
    let typed_wrongly = matches!(error, SubscribeError::Address(_));
    let error = subscribe_error(error);
    let problem = if typed_wrongly {
        Problem::from_key(page, "feeds-not-an-address")
    } else {
        Problem::of(page, &error)
    };
    (error, problem)
}

/// Converts an error of organising feeds and categories.
fn organise_problem(page: &Page, error: OrganiseError) -> (ApiError, Problem) {
    let error = organise_error(error);
    let problem = Problem::of(page, &error);
    (error, problem)
}

/// Returns `true` if the request comes from the page's script, which inserts the response into the
/// page.
pub(super) fn is_scripted(headers: &HeaderMap) -> bool {
    headers.contains_key("hx-request")
}

/// Parses the selected id of a form's list; `None` for its empty first option.
pub(super) fn chosen<Id: From<i64>>(
    field: &'static str,
    text: &str,
) -> Result<Option<Id>, ApiError> {
    match text.trim() {
        "" => Ok(None),
        text => match text.parse::<i64>() {
            Ok(id) => Ok(Some(id.into())),
            Err(_) => Err(ApiError::invalid(field, InputError::NotANumber)),
        },
    }
}

/// A category in a list of options.
pub(super) struct Choice {
    pub(super) id: CategoryId,
    /// Indented by a dash for each category that contains it.
    pub(super) name: String,
    pub(super) is_chosen: bool,
}

/// Returns the depth of each category, 0 at the top level. `categories` must be in tree order.
fn depths(categories: &[CategoryCount]) -> Vec<usize> {
    let mut path: Vec<CategoryId> = Vec::new();
    let depth = |count: &CategoryCount| {
        let parent = count.category.parent;
        while path.last().copied() != parent && path.pop().is_some() {}
        path.push(count.category.id);
        path.len() - 1
    };
    categories.iter().map(depth).collect()
}

/// Returns `categories` as options, with `chosen` selected.
pub(super) fn choices(categories: &[CategoryCount], chosen: Option<CategoryId>) -> Vec<Choice> {
    let depths = depths(categories).into_iter();
    let choice = |(count, depth): (&CategoryCount, usize)| Choice {
        id: count.category.id,
        name: format!("{}{}", "– ".repeat(depth), count.category.name),
        is_chosen: chosen == Some(count.category.id),
    };
    categories.iter().zip(depths).map(choice).collect()
}

pub(super) async fn choices_of(
    app: &AppState,
    user: UserId,
    chosen: Option<CategoryId>,
) -> Result<Vec<Choice>, ApiError> {
    let categories = categories::categories(&app.lede, user).await?;
    Ok(choices(&categories, chosen))
}

#[cfg(test)]
mod tests {
    use lede_model::category::Category;

    use super::*;

    #[test]
    fn a_choice_shows_how_deep_it_stands() {
        let count = |id: i64, parent: Option<i64>| CategoryCount {
            category: Category {
                id: id.into(),
                name: id.to_string(),
                parent: parent.map(CategoryId::from),
                position: 0,
            },
            unread: 0,
        };
        let all = [
            count(1, None),
            count(2, Some(1)),
            count(3, Some(2)),
            count(4, Some(1)),
            count(5, None),
        ];
        let names: Vec<String> = choices(&all, Some(4.into()))
            .into_iter()
            .map(|choice| choice.name)
            .collect();
        assert_eq!(names, ["1", "– 2", "– – 3", "– 4", "5"]);
    }
}
