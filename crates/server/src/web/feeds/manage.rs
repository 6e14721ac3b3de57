//! List of a user's feeds and categories, for organising them.
//!
//! All changes go through one form: rows have no forms of their own, because a list may have a
//! thousand feeds.

use std::collections::HashMap;

use askama::Template;
use axum::extract::{Query, RawForm, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use lede_core::categories::{self, CategoryCount, OrganiseError};
use lede_core::{reading, search, subscribe};
use lede_model::feed::{FeedStatus, Subscription};
use lede_model::ids::{CategoryId, FeedId, SavedSearchId, UserId};
use lede_model::input::InputError;
use serde::Deserialize;

use super::{Choice, Problem, choices, chosen, depths, organise_problem};
use crate::AppState;
use crate::error::{ApiError, FormBody};
use crate::middleware::CurrentUser;
use crate::web::images::favicon_address;
use crate::web::page::Page;

#[derive(Deserialize, Default)]
pub(crate) struct ManageQuery {
    /// Text that the name or address of a feed must contain.
    #[serde(default)]
    q: String,
    /// Code of the change that was just made, for a confirmation.
    #[serde(default)]
    done: String,
}

#[derive(Template)]
#[template(path = "feeds/manage.html")]
struct ManagePage {
    page: Page,
    section: &'static str,
    confirmation: Option<String>,
    problem: Option<Problem>,
    query: String,
    /// Number of all feeds, whether they match the search or not.
    feeds: usize,
    found: usize,
    sections: Vec<CategorySection>,
    choices: Vec<Choice>,
}

/// A category with its feeds, or the feeds without a category.
struct CategorySection {
    category: Option<CategoryRow>,
    feeds: Vec<FeedRow>,
}

impl CategorySection {
    /// Returns the value, without the position, of the buttons that move `feed` within its
    /// category.
    fn mover(&self, feed: &FeedRow) -> String {
        let category = self.category.as_ref().map(|category| category.id);
        format!("feed:{}:{}", feed.id, or_blank(category))
    }
}

/// Formats the id of a category for a form; blank for none.
fn or_blank(category: Option<CategoryId>) -> String {
    category.map_or_else(String::new, |category| category.to_string())
}

struct CategoryRow {
    id: CategoryId,
    name: String,
    depth: usize,
    unread: i64,
    parent: Option<CategoryId>,
    /// Index among the categories with the same parent.
    at: usize,
    is_last: bool,
}

impl CategoryRow {
    /// Returns the value, without the position, of the buttons that move it among its siblings.
    fn mover(&self) -> String {
        format!("category:{}:{}", self.id, or_blank(self.parent))
    }
}

struct FeedRow {
    id: FeedId,
    title: String,
    address: String,
    icon: Option<String>,
    unread: i64,
    /// Description of a problem with the feed.
    trouble: Option<String>,
    is_paused: bool,
    /// Index within its category.
    at: usize,
    is_last: bool,
}

impl FeedRow {
    fn of(page: &Page, subscription: &Subscription, at: usize, is_last: bool) -> Self {
        let feed = &subscription.feed;
        let trouble = match feed.status {
            FeedStatus::Active => None,
            FeedStatus::Error => Some("feeds-trouble-error"),
            FeedStatus::Stopped => Some("feeds-trouble-stopped"),
        };
        Self {
            id: feed.id,
            title: subscription.title().to_owned(),
            address: feed.url.as_str().to_owned(),
            icon: subscription.has_icon.then(|| favicon_address(feed.id)),
            unread: subscription.unread,
            trouble: trouble.map(|key| page.t(key).into()),
            is_paused: subscription.paused_at.is_some(),
            at,
            is_last,
        }
    }

    fn matches(&self, query: &str) -> bool {
        self.title.to_lowercase().contains(query) || self.address.to_lowercase().contains(query)
    }
}

/// Returns the categories as rows, each with its index among its siblings.
fn category_rows(categories: &[CategoryCount]) -> Vec<CategoryRow> {
    let mut siblings: HashMap<Option<CategoryId>, usize> = HashMap::new();
    for count in categories {
        *siblings.entry(count.category.parent).or_default() += 1;
    }
    let mut seen: HashMap<Option<CategoryId>, usize> = HashMap::new();
    let row = |(count, depth): (&CategoryCount, usize)| {
        let parent = count.category.parent;
        let place = seen.entry(parent).or_default();
        let at = *place;
        *place += 1;
        CategoryRow {
            id: count.category.id,
            name: count.category.name.clone(),
            depth,
            unread: count.unread,
            parent,
            at,
            is_last: at + 1 == siblings[&parent],
        }
    };
    categories.iter().zip(depths(categories)).map(row).collect()
}

fn sections(
    page: &Page,
    categories: &[CategoryCount],
    subscriptions: &[Subscription],
    query: &str,
) -> Vec<CategorySection> {
    let mut by_category: HashMap<Option<CategoryId>, Vec<&Subscription>> = HashMap::new();
    for subscription in subscriptions {
        let feeds = by_category.entry(subscription.category).or_default();
        feeds.push(subscription);
    }
    let mut feeds_of = |category: Option<CategoryId>| -> Vec<FeedRow> {
        let feeds = by_category.remove(&category).unwrap_or_default();
        let last = feeds.len().saturating_sub(1);
        let rows = feeds.into_iter().enumerate();
        let rows = rows.map(|(at, feed)| FeedRow::of(page, feed, at, at == last));
        rows.filter(|row| row.matches(query)).collect()
    };
    let mut sections: Vec<CategorySection> = category_rows(categories)
        .into_iter()
        .map(|category| CategorySection {
            feeds: feeds_of(Some(category.id)),
            category: Some(category),
        })
        .collect();
    sections.push(CategorySection {
        category: None,
        feeds: feeds_of(None),
    });
    // A search hides groups without matches. Otherwise an empty category is shown, because feeds
    // can be moved into it; only the group of feeds without a category is hidden if it is empty.
    sections.retain(|section| {
        !section.feeds.is_empty() || (query.is_empty() && section.category.is_some())
    });
    sections
}

async fn show(
    app: &AppState,
    user: UserId,
    page: &Page,
    status: StatusCode,
    query: ManageQuery,
    problem: Option<Problem>,
) -> Result<Response, ApiError> {
    let categories = categories::categories(&app.lede, user).await?;
    let subscriptions = reading::subscriptions(&app.lede, user).await?;
    let wanted = query.q.trim().to_lowercase();
    let sections = sections(page, &categories, &subscriptions, &wanted);
    let confirmation = match query.done.as_str() {
        "moved" => Some("feeds-done-moved"),
        "unsubscribed" => Some("feeds-done-unsubscribed"),
        "category-added" => Some("feeds-done-category-added"),
        "category-changed" => Some("feeds-done-category-changed"),
        "category-deleted" => Some("feeds-done-category-deleted"),
        _ => None,
    };
    let shown = ManagePage {
        section: "feeds",
        confirmation: confirmation.map(|key| page.t(key).into()),
        problem,
        query: query.q,
        feeds: subscriptions.len(),
        found: sections.iter().map(|section| section.feeds.len()).sum(),
        sections,
        choices: choices(&categories, None),
        page: page.clone(),
    };
    Ok(page.answer(status, &shown))
}

/// `GET /subscriptions`: the page.
pub(crate) async fn page(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    Query(query): Query<ManageQuery>,
) -> Result<Response, ApiError> {
    show(&app, who.user.id, &page, StatusCode::OK, query, None).await
}

/// Renders the page with an error.
async fn again(
    app: &AppState,
    user: UserId,
    page: &Page,
    error: OrganiseError,
) -> Result<Response, ApiError> {
    let (error, problem) = organise_problem(page, error);
    if error.status.is_server_error() {
        return Ok(page.error(&error));
    }
    let query = ManageQuery::default();
    show(app, user, page, error.status, query, Some(problem)).await
}

/// Actions of the form.
enum Arrange {
    /// Moves the selected feeds into a category, or out of theirs.
    Move(Vec<FeedId>, Option<CategoryId>),
    /// Unfollows the selected feeds.
    Unsubscribe(Vec<FeedId>),
    PlaceFeed(FeedId, Option<CategoryId>, usize),
    PlaceCategory(CategoryId, Option<CategoryId>, usize),
    /// Moves a saved search to another position.
    PlaceSearch(SavedSearchId, usize),
}

impl Arrange {
    /// Parses the form. The value of its button is `move`, `unsubscribe`, `feed:ID:CATEGORY:AT`,
    /// `category:ID:PARENT:AT` or `search:ID::AT`.
    fn read(form: &[u8]) -> Result<Self, ApiError> {
        let mut ticked = Vec::new();
        let (mut button, mut category) = (String::new(), String::new());
        for (name, value) in url::form_urlencoded::parse(form) {
            match name.as_ref() {
                "feed" => ticked.extend(chosen::<FeedId>("feed", &value)?),
                "do" => button = value.into_owned(),
                "category" => category = value.into_owned(),
                _ => {}
            }
        }
        let unknown = || ApiError::invalid("do", InputError::UnknownAction);
        let mut parts = button.split(':');
        let what = parts.next().unwrap_or_default();
        match what {
            "move" => return Ok(Self::Move(ticked, chosen("category", &category)?)),
            "unsubscribe" => return Ok(Self::Unsubscribe(ticked)),
            _ => {}
        }
        let mut next = || parts.next().ok_or_else(unknown);
        let (id, into) = (chosen::<i64>("do", next()?)?, chosen("do", next()?)?);
        let id = id.ok_or_else(unknown)?;
        let at = next()?.parse().map_err(|_| unknown())?;
        match what {
            "feed" => Ok(Self::PlaceFeed(id.into(), into, at)),
            "category" => Ok(Self::PlaceCategory(id.into(), into, at)),
            "search" => Ok(Self::PlaceSearch(id.into(), at)),
            _ => Err(unknown()),
        }
    }
}

/// URL of the page with a confirmation.
const MOVED: &str = "/subscriptions?done=moved";

/// `POST /subscriptions/arrange`: carries out the actions of the forms for feeds and saved
/// searches.
pub(crate) async fn arrange(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    headers: HeaderMap,
    RawForm(form): RawForm,
) -> Result<Response, ApiError> {
    let (lede, user) = (&app.lede, who.user.id);
    let (done, back) = match Arrange::read(&form)? {
        Arrange::Move(feeds, category) => {
            let done = categories::move_feeds(lede, user, feeds, category).await;
            (done, MOVED)
        }
        Arrange::Unsubscribe(feeds) => {
            for feed in feeds {
                subscribe::unsubscribe(lede, user, feed).await?;
            }
            (Ok(()), "/subscriptions?done=unsubscribed")
        }
        Arrange::PlaceFeed(feed, category, at) => {
            let done = categories::place_feed(lede, user, feed, category, at).await;
            (done, MOVED)
        }
        Arrange::PlaceCategory(category, parent, at) => {
            let done = categories::place_category(lede, user, category, parent, at).await;
            (done, MOVED)
        }
        Arrange::PlaceSearch(search, at) => {
            if !search::place(lede, user, search, at).await? {
                return Ok(page.message(StatusCode::NOT_FOUND, "rules-gone"));
            }
            (Ok(()), "/rules?done=moved#searches")
        }
    };
    // The reading view's script rearranges the tree itself and needs no page.
    let is_by_script = headers
        .get(header::ACCEPT)
        .is_some_and(|accept| accept == "application/json");
    match done {
        Ok(()) if is_by_script => Ok(StatusCode::NO_CONTENT.into_response()),
        Ok(()) => Ok(Redirect::to(back).into_response()),
        Err(error) => again(&app, user, &page, error).await,
    }
}

#[derive(Deserialize)]
pub(crate) struct NewCategoryForm {
    #[serde(default)]
    name: String,
    /// Id of the parent; blank for the top level.
    #[serde(default)]
    parent: String,
}

/// `POST /categories`: creates a category.
pub(crate) async fn add_category(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    FormBody(form): FormBody<NewCategoryForm>,
) -> Result<Response, ApiError> {
    let parent = chosen("parent", &form.parent)?;
    match categories::add_category(&app.lede, who.user.id, &form.name, parent).await {
        Ok(_) => Ok(Redirect::to("/subscriptions?done=category-added").into_response()),
        Err(error) => again(&app, who.user.id, &page, error).await,
    }
}
