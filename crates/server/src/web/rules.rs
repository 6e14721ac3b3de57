//! Pages for rules, with previews, and for saved searches.

pub(crate) mod searches;

use std::collections::HashMap;

use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use lede_core::categories::{self, CategoryCount};
use lede_core::rules::{self, RuleError};
use lede_core::search::{COUNT_LIMIT, SavedSearchCount};
use lede_core::{labels, reading, search};
use lede_model::feed::Subscription;
use lede_model::ids::{CategoryId, FeedId, ItemId, RuleId, UserId};
use lede_model::rule::{Rule, RuleActions, RuleTerms};
use serde::Deserialize;

use super::feeds::{Choice, Problem, choices, chosen};
use super::page::Page;
use super::reader::search_address;
use crate::AppState;
use crate::error::{ApiError, FormBody, PathOf, rule_error};
use crate::input::checked_name;
use crate::middleware::CurrentUser;

/// Items in a preview: enough to see if the rule matches what was meant.
const SHOWN_ITEMS: usize = 10;

#[derive(Deserialize, Default)]
pub(crate) struct RulesQuery {
    /// Code of the change that was just made, for a confirmation.
    #[serde(default)]
    done: String,
}

#[derive(Template)]
#[template(path = "rules/list.html")]
struct RulesPage {
    page: Page,
    section: &'static str,
    confirmation: Option<String>,
    problem: Option<Problem>,
    rules: Vec<RuleRow>,
    form: RuleForm,
    searches: Vec<SavedSearchCount>,
    search_problem: Option<Problem>,
    /// Fields of a search that was refused, to be corrected.
    search_name: String,
    search_query: String,
}

#[derive(Template)]
#[template(path = "rules/edit.html")]
struct EditPage {
    page: Page,
    section: &'static str,
    problem: Option<Problem>,
    id: RuleId,
    form: RuleForm,
}

struct RuleRow {
    id: RuleId,
    name: String,
    is_enabled: bool,
    query: Option<String>,
    /// Names of the feed and category in its conditions.
    feed: Option<String>,
    category: Option<String>,
    actions: String,
}

/// Values of the fields of a rule's form.
struct RuleForm {
    name: String,
    query: String,
    feeds: Vec<FeedChoice>,
    categories: Vec<Choice>,
    actions: RuleActions,
    label: String,
    /// Names of existing labels, as suggestions.
    labels: Vec<String>,
    is_enabled: bool,
}

struct FeedChoice {
    id: FeedId,
    title: String,
    is_chosen: bool,
}

/// A rule as submitted by a form. Browsers do not send unchecked boxes.
#[derive(Deserialize, Default)]
pub(crate) struct RuleFields {
    #[serde(default)]
    name: String,
    #[serde(default)]
    query: String,
    #[serde(default)]
    feed: String,
    #[serde(default)]
    category: String,
    mark_read: Option<String>,
    star: Option<String>,
    hide: Option<String>,
    notify: Option<String>,
    #[serde(default)]
    label: String,
    enabled: Option<String>,
}

impl RuleFields {
    fn terms(&self) -> Result<RuleTerms, ApiError> {
        let (query, label) = (self.query.trim(), self.label.trim());
        Ok(RuleTerms {
            name: self.name.trim().to_owned(),
            enabled: self.enabled.is_some(),
            query: (!query.is_empty()).then(|| query.to_owned()),
            feed: chosen("feed", &self.feed)?,
            category: chosen("category", &self.category)?,
            actions: RuleActions {
                mark_read: self.mark_read.is_some(),
                star: self.star.is_some(),
                hide: self.hide.is_some(),
                notify: self.notify.is_some(),
            },
            label: (!label.is_empty()).then(|| label.to_owned()),
        })
    }
}

/// Feeds, categories and labels that the form offers.
struct Offer {
    subscriptions: Vec<Subscription>,
    categories: Vec<CategoryCount>,
    labels: Vec<String>,
}

impl Offer {
    async fn of(app: &AppState, user: UserId) -> Result<Self, ApiError> {
        let mut subscriptions = reading::subscriptions(&app.lede, user).await?;
        subscriptions.sort_by_cached_key(|feed| feed.title().to_lowercase());
        let labels = labels::of_user(&app.lede, user).await?;
        let labels = labels.into_iter().map(|count| count.label.name);
        Ok(Self {
            labels: labels.collect(),
            subscriptions,
            categories: categories::categories(&app.lede, user).await?,
        })
    }

    fn form(&self, terms: &RuleTerms) -> RuleForm {
        let feed = |subscription: &Subscription| FeedChoice {
            id: subscription.feed.id,
            title: subscription.title().to_owned(),
            is_chosen: terms.feed == Some(subscription.feed.id),
        };
        RuleForm {
            name: terms.name.clone(),
            query: terms.query.clone().unwrap_or_default(),
            feeds: self.subscriptions.iter().map(feed).collect(),
            categories: choices(&self.categories, terms.category),
            actions: terms.actions,
            label: terms.label.clone().unwrap_or_default(),
            labels: self.labels.clone(),
            is_enabled: terms.enabled,
        }
    }

    fn rows(&self, page: &Page, rules: Vec<Rule>) -> Vec<RuleRow> {
        let feeds: HashMap<FeedId, &str> = self
            .subscriptions
            .iter()
            .map(|feed| (feed.feed.id, feed.title()))
            .collect();
        let categories: HashMap<CategoryId, &str> = self
            .categories
            .iter()
            .map(|count| (count.category.id, count.category.name.as_str()))
            .collect();
        let row = |Rule { id, terms }: Rule| RuleRow {
            id,
            feed: terms
                .feed
                .and_then(|feed| feeds.get(&feed))
                .map(|&name| name.to_owned()),
            category: terms
                .category
                .and_then(|category| categories.get(&category))
                .map(|&name| name.to_owned()),
            name: terms.name,
            is_enabled: terms.enabled,
            query: terms.query,
            actions: action_words(page, terms.actions, terms.label.as_deref()),
        };
        rules.into_iter().map(row).collect()
    }
}

/// Describes the actions of a rule in words.
fn action_words(page: &Page, actions: RuleActions, label: Option<&str>) -> String {
    let all = [
        (actions.mark_read, "rules-does-read"),
        (actions.star, "rules-does-star"),
        (actions.hide, "rules-does-hide"),
        (actions.notify, "rules-does-notify"),
    ];
    let words = all.into_iter().filter(|(does, _)| *does);
    let mut words: Vec<_> = words.map(|(_, key)| page.t(key)).collect();
    words.extend(label.map(|label| page.with("rules-does-label", "name", label)));
    words.join(&page.t("rules-and"))
}

/// A rule without conditions and actions, for an empty form.
fn blank() -> RuleTerms {
    RuleTerms {
        enabled: true,
        ..RuleTerms::default()
    }
}

/// Converts an error of a rule into a message for the form.
fn problem(page: &Page, error: RuleError) -> (StatusCode, Problem) {
    let key = match &error {
        RuleError::NoCondition => Some("rules-no-condition"),
        RuleError::NoAction => Some("rules-no-action"),
        RuleError::Query(_) => Some("rules-bad-query"),
        _ => None,
    };
    let label = match &error {
        RuleError::Label(error) => Some(page.translate(error)),
        _ => None,
    };
    let error = rule_error(error);
    let problem = match (label, key) {
        (Some(label), _) => Problem::without_action(label),
        (None, Some(key)) => Problem::from_key(page, key),
        (None, None) => Problem::of(page, &error),
    };
    (error.status, problem)
}

fn bad_name(page: &Page) -> (StatusCode, Problem) {
    (
        StatusCode::BAD_REQUEST,
        Problem::from_key(page, "rules-bad-name"),
    )
}

/// State of the page besides the stored rules and searches.
#[derive(Default)]
struct RulesPageState {
    status: StatusCode,
    confirmation: Option<String>,
    problem: Option<Problem>,
    terms: Option<RuleTerms>,
    search_problem: Option<Problem>,
    search_name: String,
    search_query: String,
}

async fn show(
    app: &AppState,
    user: UserId,
    page: &Page,
    shown: RulesPageState,
) -> Result<Response, ApiError> {
    let offer = Offer::of(app, user).await?;
    let rules = rules::of_user(&app.lede, user).await?;
    let list = RulesPage {
        section: "rules",
        confirmation: shown.confirmation,
        problem: shown.problem,
        rules: offer.rows(page, rules),
        form: offer.form(&shown.terms.unwrap_or_else(blank)),
        searches: search::saved(&app.lede, user).await?,
        search_problem: shown.search_problem,
        search_name: shown.search_name,
        search_query: shown.search_query,
        page: page.clone(),
    };
    Ok(page.answer(shown.status, &list))
}

fn gone(page: &Page) -> Response {
    page.message(StatusCode::NOT_FOUND, "rules-gone")
}

fn to_list(done: &str) -> Response {
    Redirect::to(&format!("/rules?done={done}")).into_response()
}

/// `GET /rules`: the rules and saved searches.
pub(crate) async fn page(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    Query(query): Query<RulesQuery>,
) -> Result<Response, ApiError> {
    let confirmation = match query.done.as_str() {
        "added" => Some(page.t("rules-done-added")),
        "saved" => Some(page.t("saved")),
        "on" => Some(page.t("rules-done-on")),
        "off" => Some(page.t("rules-done-off")),
        "deleted" => Some(page.t("rules-done-deleted")),
        "moved" => Some(page.t("feeds-done-moved")),
        "search-added" => Some(page.t("rules-done-search-added")),
        "search-deleted" => Some(page.t("rules-done-search-deleted")),
        _ => None,
    };
    let shown = RulesPageState {
        confirmation: confirmation.map(Into::into),
        ..RulesPageState::default()
    };
    show(&app, who.user.id, &page, shown).await
}

/// `POST /rules`: creates a rule.
pub(crate) async fn add(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    FormBody(fields): FormBody<RuleFields>,
) -> Result<Response, ApiError> {
    let terms = fields.terms()?;
    let (status, problem) = if checked_name(&terms.name).is_err() {
        bad_name(&page)
    } else {
        match rules::add(&app.lede, who.user.id, terms.clone()).await {
            Ok(_) => return Ok(to_list("added")),
            Err(RuleError::Store(error)) => return Err(error.into()),
            Err(error) => problem(&page, error),
        }
    };
    let shown = RulesPageState {
        status,
        problem: Some(problem),
        terms: Some(terms),
        ..RulesPageState::default()
    };
    show(&app, who.user.id, &page, shown).await
}

#[derive(Template)]
#[template(path = "rules/preview.html")]
struct RulePreview {
    page: Page,
    problem: Option<Problem>,
    matched: i64,
    /// True if there are more matches than were counted.
    is_more: bool,
    items: Vec<PreviewItem>,
}

struct PreviewItem {
    id: ItemId,
    title: String,
    feed: String,
    age: String,
}

/// `POST /rules/preview`: the items of the last week that a rule would have matched.
pub(crate) async fn preview(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    FormBody(fields): FormBody<RuleFields>,
) -> Result<Response, ApiError> {
    let mut shown = RulePreview {
        problem: None,
        matched: 0,
        is_more: false,
        items: Vec::new(),
        page: page.clone(),
    };
    if let Err(error) = app.limits.search(&app, &who.user) {
        shown.problem = Some(Problem::of(&page, &error));
        return Ok(page.answer(error.status, &shown));
    }
    match rules::preview(&app.lede, who.user.id, fields.terms()?).await {
        Ok(found) => {
            let now = app.lede.clock.now();
            let items = found.items.into_iter().take(SHOWN_ITEMS);
            let items = items.map(|item| PreviewItem {
                id: item.id,
                age: page.age(item.published_at, now).into(),
                title: item.title,
                feed: item.feed_title,
            });
            shown.items = items.collect();
            shown.matched = found.matched;
            shown.is_more = found.matched >= COUNT_LIMIT;
        }
        Err(RuleError::Store(error)) => return Err(error.into()),
        Err(error) => shown.problem = Some(problem(&page, error).1),
    }
    // An incomplete query is no failure while it is being typed.
    Ok(page.answer(StatusCode::OK, &shown))
}

async fn show_edit(
    app: &AppState,
    user: UserId,
    page: &Page,
    rule: Rule,
    refused: Option<(StatusCode, Problem)>,
) -> Result<Response, ApiError> {
    let (status, problem) = refused.unzip();
    let shown = EditPage {
        section: "rules",
        problem,
        id: rule.id,
        form: Offer::of(app, user).await?.form(&rule.terms),
        page: page.clone(),
    };
    Ok(page.answer(status.unwrap_or(StatusCode::OK), &shown))
}

/// `GET /rules/{id}`: the form for editing a rule.
pub(crate) async fn edit(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<RuleId>,
) -> Result<Response, ApiError> {
    match rules::find(&app.lede, who.user.id, id).await? {
        Some(rule) => show_edit(&app, who.user.id, &page, rule, None).await,
        None => Ok(gone(&page)),
    }
}

/// `POST /rules/{id}`: changes a rule.
pub(crate) async fn change(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<RuleId>,
    FormBody(fields): FormBody<RuleFields>,
) -> Result<Response, ApiError> {
    let terms = fields.terms()?;
    let refused = if checked_name(&terms.name).is_err() {
        if rules::find(&app.lede, who.user.id, id).await?.is_none() {
            return Ok(gone(&page));
        }
        bad_name(&page)
    } else {
        match rules::change(&app.lede, who.user.id, id, terms.clone()).await {
            Ok(Some(_)) => return Ok(to_list("saved")),
            Ok(None) => return Ok(gone(&page)),
            Err(RuleError::Store(error)) => return Err(error.into()),
            Err(error) => problem(&page, error),
        }
    };
    let rule = Rule { id, terms };
    show_edit(&app, who.user.id, &page, rule, Some(refused)).await
}

/// `POST /rules/{id}/toggle`: enables or disables the rule.
pub(crate) async fn toggle(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<RuleId>,
) -> Result<Response, ApiError> {
    let Some(mut rule) = rules::find(&app.lede, who.user.id, id).await? else {
        return Ok(gone(&page));
    };
    rule.terms.enabled = !rule.terms.enabled;
    let done = if rule.terms.enabled { "on" } else { "off" };
    match rules::change(&app.lede, who.user.id, id, rule.terms).await {
        Ok(Some(_)) => Ok(to_list(done)),
        Ok(None) => Ok(gone(&page)),
        Err(error) => {
            let (status, problem) = problem(&page, error);
            let shown = RulesPageState {
                status,
                problem: Some(problem),
                ..RulesPageState::default()
            };
            show(&app, who.user.id, &page, shown).await
        }
    }
}

/// `POST /rules/{id}/delete`: deletes the rule; its past effects stay.
pub(crate) async fn delete(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<RuleId>,
) -> Result<Response, ApiError> {
    if rules::remove(&app.lede, who.user.id, id).await? {
        Ok(to_list("deleted"))
    } else {
        Ok(gone(&page))
    }
}
