//! `/admin/feeds`: every feed of the instance, with or without subscribers.

use std::borrow::Cow;

use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use lede_core::admin;
use lede_model::feed::FeedStatus;
use lede_model::ids::FeedId;
use lede_model::time::Timestamp;
use lede_store::admin_queries::{FeedFilter, ListedFeed};
use serde::Deserialize;
use url::form_urlencoded::Serializer;

use super::{back_to, wants_piece};
use crate::AppState;
use crate::error::{ApiError, FormBody, PathOf, QueryOf, subscribe_error};
use crate::middleware::CurrentUser;
use crate::web::page::Page;

/// Number of feeds per page.
const PAGE: i64 = 50;
/// Longest search text, in characters.
const MAX_WORDS_CHARS: usize = 200;

#[derive(Deserialize)]
pub(crate) struct FeedsQuery {
    #[serde(default)]
    q: String,
    #[serde(default)]
    show: String,
    before: Option<FeedId>,
}

/// Link that filters the list by status.
struct Tab {
    label: Cow<'static, str>,
    address: String,
    is_current: bool,
}

#[derive(Template)]
#[template(path = "admin/feeds.html")]
struct FeedsPage {
    page: Page,
    section: &'static str,
    here: &'static str,
    now: Timestamp,
    words: String,
    show: &'static str,
    /// URL that forms redirect back to.
    back: String,
    tabs: Vec<Tab>,
    rows: Vec<ListedFeed>,
    first: String,
    next: Option<String>,
    is_first: bool,
    /// Confirmation of the last action; set only if a row is rendered alone.
    confirmation: Option<Cow<'static, str>>,
}

#[derive(Template)]
#[template(path = "admin/feed.html")]
struct FeedRow {
    page: Page,
    now: Timestamp,
    back: String,
    row: ListedFeed,
    confirmation: Option<Cow<'static, str>>,
}

/// Returns the status of a feed as a label.
fn state(page: &Page, row: &ListedFeed) -> Cow<'static, str> {
    page.t(match (row.enabled, row.feed.status) {
        (false, _) => "admin-feed-disabled",
        (true, FeedStatus::Active) => "admin-feed-active",
        (true, FeedStatus::Error) => "admin-feed-error",
        (true, FeedStatus::Stopped) => "admin-feed-stopped",
    })
}

fn is_well(row: &ListedFeed) -> bool {
    row.enabled && row.feed.status == FeedStatus::Active
}

/// Returns the URL of the list with the given search text, filter and start.
fn address(words: &str, show: &str, before: Option<FeedId>) -> String {
    let mut query = Serializer::new(String::new());
    if !words.is_empty() {
        query.append_pair("q", words);
    }
    if show != FeedFilter::All.as_str() {
        query.append_pair("show", show);
    }
    if let Some(before) = before {
        query.append_pair("before", &before.to_string());
    }
    match query.finish().as_str() {
        "" => "/admin/feeds".to_owned(),
        query => format!("/admin/feeds?{query}"),
    }
}

fn label(page: &Page, filter: FeedFilter) -> Cow<'static, str> {
    page.t(match filter {
        FeedFilter::All => "admin-feeds-all",
        FeedFilter::Active => "admin-feeds-active",
        FeedFilter::FeedError => "admin-feeds-trouble",
        FeedFilter::Stopped => "admin-feeds-stopped",
        FeedFilter::Disabled => "admin-feeds-disabled",
    })
}

/// `GET /admin/feeds`: a page of the list.
pub(crate) async fn page(
    State(app): State<AppState>,
    _: CurrentUser,
    page: Page,
    QueryOf(query): QueryOf<FeedsQuery>,
) -> Result<Response, ApiError> {
    let filter = FeedFilter::from_word(&query.show).unwrap_or_default();
    let words: String = query.q.trim().chars().take(MAX_WORDS_CHARS).collect();
    let lede = &app.lede;
    let found = admin::feeds(lede, filter, words.clone(), query.before, PAGE + 1);
    let mut rows = found.await?;
    let has_more = rows.len() > PAGE as usize;
    rows.truncate(PAGE as usize);
    let last = rows.last().filter(|_| has_more).map(|row| row.feed.id);
    let show = filter.as_str();
    let tab = |offered: FeedFilter| Tab {
        label: label(&page, offered),
        address: address(&words, offered.as_str(), None),
        is_current: offered == filter,
    };
    let shown = FeedsPage {
        section: "admin",
        here: "feeds",
        now: lede.clock.now(),
        back: address(&words, show, query.before),
        first: address(&words, show, None),
        next: last.map(|last| address(&words, show, Some(last))),
        tabs: FeedFilter::ALL.map(tab).into(),
        is_first: query.before.is_none(),
        rows,
        show,
        confirmation: None,
        words,
        page: page.clone(),
    };
    Ok(page.answer(StatusCode::OK, &shown))
}

#[derive(Deserialize)]
pub(crate) struct BackForm {
    #[serde(default)]
    back: String,
}

/// Request for an action on a feed. The response is the feed's updated row or, without
/// htmx, a redirect to the list.
#[derive(axum::extract::FromRequestParts)]
#[from_request(state(AppState))]
pub(crate) struct AdminRequest {
    #[from_request(via(State))]
    app: AppState,
    who: CurrentUser,
    page: Page,
    headers: HeaderMap,
}

impl AdminRequest {
    async fn answer(
        self,
        feed: FeedId,
        back: String,
        confirmation: Cow<'static, str>,
    ) -> Result<Response, ApiError> {
        if !wants_piece(&self.headers) {
            return Ok(back_to(&back));
        }
        let row = admin::find_feed(&self.app.lede, feed).await?;
        let shown = FeedRow {
            now: self.app.lede.clock.now(),
            back,
            row: row.ok_or_else(|| ApiError::not_found("The feed"))?,
            confirmation: Some(confirmation),
            page: self.page.clone(),
        };
        Ok(self.page.answer(StatusCode::OK, &shown))
    }

    async fn switch(self, feed: FeedId, back: String, enabled: bool) -> Result<Response, ApiError> {
        if !admin::set_feed_enabled(&self.app.lede, feed, enabled).await? {
            return Err(ApiError::not_found("The feed"));
        }
        let confirmation = self.page.t(if enabled {
            "admin-done-enabled"
        } else {
            "admin-done-disabled"
        });
        self.answer(feed, back, confirmation).await
    }
}

/// `POST /admin/feeds/{id}/enable`: allows fetching the feed again.
pub(crate) async fn enable(
    visit: AdminRequest,
    PathOf(feed): PathOf<FeedId>,
    FormBody(form): FormBody<BackForm>,
) -> Result<Response, ApiError> {
    visit.switch(feed, form.back, true).await
}

/// `POST /admin/feeds/{id}/disable`: the feed is not fetched for any user until it is enabled.
pub(crate) async fn disable(
    visit: AdminRequest,
    PathOf(feed): PathOf<FeedId>,
    FormBody(form): FormBody<BackForm>,
) -> Result<Response, ApiError> {
    visit.switch(feed, form.back, false).await
}

/// `POST /admin/feeds/{id}/retry`: fetches the feed now.
pub(crate) async fn retry(
    visit: AdminRequest,
    PathOf(feed): PathOf<FeedId>,
    FormBody(form): FormBody<BackForm>,
) -> Result<Response, ApiError> {
    visit.app.limits.feed_work(&visit.app, &visit.who.user)?;
    let retried = admin::retry_feed(&visit.app.lede, feed).await;
    let retried = retried.map_err(subscribe_error)?;
    let retried = retried.ok_or_else(|| ApiError::not_found("The feed"))?;
    let confirmation = match retried.error {
        // The row itself shows the error.
        Some(_) => visit.page.t("admin-done-failed"),
        None => visit.page.count("admin-done-fetched", retried.new_items),
    };
    visit.answer(feed, form.back, confirmation).await
}
