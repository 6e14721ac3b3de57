//! Page of one feed: its health and the settings of the subscription.

use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use lede_core::access::VisibleCredentials;
use lede_core::categories::{self, OrganiseError};
use lede_core::{access, reading, subscribe};
use lede_model::address::WebUrl;
use lede_model::credentials::without_userinfo;
use lede_model::feed::Subscription;
use lede_model::ids::{CategoryId, FeedId, UserId};
use lede_model::input::InputError;
use lede_model::item::{ItemFilter, List, Scope, Start};
use lede_model::schedule::{DEFAULT_INTERVAL_MINUTES, is_interval};
use lede_store::subscriptions::Change;
use serde::Deserialize;

use super::access::Fields;
use super::fetch_status::{FetchStatus, Moment};
use super::{Choice, Problem, add_problem, choices_of, chosen, organise_problem};
use crate::AppState;
use crate::error::{ApiError, FormBody, PathOf, subscribe_error};
use crate::input::own_title;
use crate::middleware::CurrentUser;
use crate::web::images::favicon_address;
use crate::web::page::Page;

#[derive(Deserialize, Default)]
pub(crate) struct FeedQuery {
    /// Code of the change that was just made, for a confirmation.
    #[serde(default)]
    done: String,
    /// Number of new items after a refresh.
    #[serde(default)]
    new: i64,
}

#[derive(Template)]
#[template(path = "feeds/feed.html")]
struct FeedPage {
    page: Page,
    section: &'static str,
    confirmation: Option<String>,
    problem: Option<Problem>,
    id: FeedId,
    title: String,
    own_title: String,
    publishers_title: String,
    icon: Option<String>,
    address: String,
    site: Option<String>,
    since: Moment,
    unread: i64,
    items: i64,
    starred: i64,
    receipt: FetchStatus,
    categories: Vec<Choice>,
    intervals: Vec<Interval>,
    full_text: bool,
    notify: bool,
    paused: bool,
    /// Submitted value of the form for another address.
    typed: String,
    access: Access,
}

/// Credentials for the feed's server.
struct Access {
    fields: Fields,
    is_open: bool,
    /// True if credentials are stored, readable or not.
    is_set: bool,
    is_unreadable: bool,
    /// True if no other user may follow the feed.
    is_kept: bool,
    /// True if the connection is not encrypted, so that the credentials can be read on the network.
    is_plain: bool,
    /// Address on another origin that the feed moved to. The credentials are not sent there.
    moved_to: Option<String>,
}

impl Access {
    fn of(page: &Page, feed: &Subscription, shown: VisibleCredentials, is_open: bool) -> Self {
        let is_unreadable = shown == VisibleCredentials::Unreadable;
        let elsewhere = |to: &&WebUrl| feed.has_access && !to.same_origin(&feed.feed.url);
        let moved_to = feed.moving_to.as_ref().filter(elsewhere);
        Self {
            is_open: is_open || feed.has_access,
            is_set: feed.has_access,
            is_unreadable,
            is_kept: feed.feed.owner.is_some(),
            is_plain: !feed.feed.url.is_https(),
            moved_to: moved_to.map(ToString::to_string),
            fields: Fields::of(page, shown),
        }
    }
}

/// An option for the fetch interval.
struct Interval {
    value: String,
    label: String,
    is_chosen: bool,
}

/// Intervals that the form offers. The API accepts every half hour between the first and the last.
const OFFERED_MINUTES: [i64; 6] = [30, 60, 2 * 60, 3 * 60, 6 * 60, 12 * 60];

/// Returns the options. A value is `""` for the default, `0` for adaptive, otherwise minutes.
fn intervals(page: &Page, chosen: Option<i64>) -> Vec<Interval> {
    let usual = page.interval(DEFAULT_INTERVAL_MINUTES);
    let mut minutes = OFFERED_MINUTES.to_vec();
    // An interval that was set by a client or an import remains selectable.
    minutes.extend(chosen.filter(|chosen| *chosen > 0 && !OFFERED_MINUTES.contains(chosen)));
    minutes.sort_unstable();
    let mut all = vec![
        (None, page.with("feeds-interval-usual", "interval", usual)),
        (Some(0), page.t("feeds-interval-auto")),
    ];
    all.extend(
        minutes
            .into_iter()
            .map(|minutes| (Some(minutes), page.interval(minutes))),
    );
    all.into_iter()
        .map(|(minutes, label)| Interval {
            value: minutes
                .map(|minutes| minutes.to_string())
                .unwrap_or_default(),
            label: label.into_owned(),
            is_chosen: minutes == chosen,
        })
        .collect()
}

/// Counts the items of a feed that match `filter`.
async fn count(
    app: &AppState,
    user: UserId,
    feed: FeedId,
    filter: ItemFilter,
) -> Result<i64, ApiError> {
    let list = List {
        scope: Scope::Feed(feed),
        filter,
        ..List::default()
    };
    let found = reading::list(&app.lede, user, list, Start::FIRST, 1, true).await?;
    Ok(found.and_then(|page| page.total).unwrap_or_default())
}

/// Result of the last form, shown on the page.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) status: StatusCode,
    pub(super) confirmation: Option<String>,
    pub(super) problem: Option<Problem>,
    pub(super) typed: String,
    /// True if it concerns the credentials, whose section is then expanded.
    pub(super) opens_access: bool,
}

pub(super) async fn show(
    app: &AppState,
    user: UserId,
    page: &Page,
    id: FeedId,
    outcome: Outcome,
) -> Result<Response, ApiError> {
    let Some(feed) = reading::find_subscription(&app.lede, user, id).await? else {
        return Ok(gone(page));
    };
    let now = app.lede.clock.now();
    let receipt = FetchStatus::of(page, &feed, now);
    let kept = access::shown(&app.lede, user, id).await?;
    let opens_access = outcome.opens_access || receipt.wants_access;
    let shown = FeedPage {
        section: "feeds",
        confirmation: outcome.confirmation,
        problem: outcome.problem,
        typed: outcome.typed,
        id,
        title: feed.title().to_owned(),
        own_title: feed.title_override.clone().unwrap_or_default(),
        publishers_title: feed.feed.title.clone(),
        icon: feed.has_icon.then(|| favicon_address(id)),
        address: feed.feed.url.as_str().to_owned(),
        site: feed.feed.site_url.as_ref().map(ToString::to_string),
        since: Moment {
            iso: feed.created_at.to_string(),
            words: page.ago(feed.created_at, now).into(),
            exact: page.exact(feed.created_at).into(),
        },
        unread: feed.unread,
        items: count(app, user, id, ItemFilter::All).await?,
        starred: count(app, user, id, ItemFilter::Starred).await?,
        access: Access::of(page, &feed, kept, opens_access),
        receipt,
        categories: choices_of(app, user, feed.category).await?,
        intervals: intervals(page, feed.interval_minutes),
        full_text: feed.full_text,
        notify: feed.notify,
        paused: feed.paused_at.is_some(),
        page: page.clone(),
    };
    Ok(page.answer(outcome.status, &shown))
}

pub(super) fn gone(page: &Page) -> Response {
    page.message(StatusCode::NOT_FOUND, "feed-gone")
}

/// Redirects to the page of `feed` with a confirmation.
pub(super) fn to_page(feed: FeedId, done: &str) -> Response {
    Redirect::to(&format!("/feeds/{feed}?done={done}")).into_response()
}

/// `GET /feeds/{id}`: the page.
pub(crate) async fn page(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<FeedId>,
    Query(query): Query<FeedQuery>,
) -> Result<Response, ApiError> {
    let confirmation = match query.done.as_str() {
        "saved" => Some(page.t("saved")),
        "refreshed" => Some(page.count("feeds-done-refreshed", query.new.max(0))),
        "failed" => Some(page.t("feeds-done-failed")),
        "resumed" => Some(page.t("feeds-done-resumed")),
        "moved" => Some(page.t("feeds-done-address")),
        "access" => Some(page.t("feeds-done-access")),
        "access-forgotten" => Some(page.t("feeds-done-access-forgotten")),
        _ => None,
    };
    let outcome = Outcome {
        confirmation: confirmation.map(Into::into),
        ..Outcome::default()
    };
    show(&app, who.user.id, &page, id, outcome).await
}

/// Settings of a subscription. Browsers do not send unchecked boxes.
#[derive(Deserialize)]
pub(crate) struct SettingsForm {
    #[serde(default)]
    title: String,
    #[serde(default)]
    category: String,
    #[serde(default)]
    interval: String,
    full_text: Option<String>,
    notify: Option<String>,
    paused: Option<String>,
}

impl SettingsForm {
    fn into_change(self) -> Result<Change, ApiError> {
        let interval: Option<i64> = chosen("interval", &self.interval)?;
        if interval.is_some_and(|minutes| !is_interval(minutes)) {
            return Err(ApiError::invalid("interval", InputError::NotAnInterval));
        }
        Ok(Change {
            title: own_title(Some(Some(self.title)))?,
            category: Some(chosen::<CategoryId>("category", &self.category)?),
            position: None,
            interval_minutes: Some(interval),
            full_text: Some(self.full_text.is_some()),
            notify: Some(self.notify.is_some()),
            paused: Some(self.paused.is_some()),
        })
    }
}

/// `POST /feeds/{id}/settings`: changes the settings of the subscription.
pub(crate) async fn settings(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<FeedId>,
    FormBody(form): FormBody<SettingsForm>,
) -> Result<Response, ApiError> {
    let refused = match form.into_change() {
        Ok(change) => match categories::change_feed(&app.lede, who.user.id, id, change).await {
            Ok(_) => return Ok(to_page(id, "saved")),
            Err(OrganiseError::NoSuchSubscription) => return Ok(gone(&page)),
            Err(error) => organise_problem(&page, error),
        },
        Err(error) => {
            let problem = Problem::of(&page, &error);
            (error, problem)
        }
    };
    let outcome = Outcome {
        status: refused.0.status,
        problem: Some(refused.1),
        ..Outcome::default()
    };
    show(&app, who.user.id, &page, id, outcome).await
}

/// Renders the page with an error.
pub(super) async fn refused(
    app: &AppState,
    user: UserId,
    page: &Page,
    id: FeedId,
    error: &ApiError,
) -> Result<Response, ApiError> {
    let outcome = Outcome {
        status: error.status,
        problem: Some(Problem::of(page, error)),
        ..Outcome::default()
    };
    show(app, user, page, id, outcome).await
}

/// `POST /feeds/{id}/refresh`: fetches the feed now, regardless of its schedule.
pub(crate) async fn refresh(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<FeedId>,
) -> Result<Response, ApiError> {
    if let Err(error) = app.limits.feed_work(&app, &who.user) {
        return refused(&app, who.user.id, &page, id, &error).await;
    }
    let refreshed = match subscribe::refresh(&app.lede, &who.user, id).await {
        Ok(Some(refreshed)) => refreshed,
        Ok(None) => return Ok(gone(&page)),
        Err(error) => {
            return refused(&app, who.user.id, &page, id, &subscribe_error(error)).await;
        }
    };
    let done = match refreshed.error {
        None => format!("refreshed&new={}", refreshed.new_items),
        // The error is shown in the fetch result.
        Some(_) => "failed".to_owned(),
    };
    Ok(to_page(id, &done))
}

/// `POST /feeds/{id}/resume`: ends a pause and fetches the feed, even if it was stopped.
pub(crate) async fn resume(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<FeedId>,
) -> Result<Response, ApiError> {
    if let Err(error) = app.limits.feed_work(&app, &who.user) {
        return refused(&app, who.user.id, &page, id, &error).await;
    }
    let resumed = match subscribe::resume(&app.lede, &who.user, id).await {
        Ok(resumed) => resumed,
        Err(error) => {
            return refused(&app, who.user.id, &page, id, &subscribe_error(error)).await;
        }
    };
    Ok(match resumed {
        None => gone(&page),
        Some(Subscription {
            feed,
            last_error: None,
            ..
        }) => to_page(feed.id, "resumed"),
        Some(Subscription { feed, .. }) => to_page(feed.id, "failed"),
    })
}

#[derive(Deserialize)]
pub(crate) struct AddressForm {
    #[serde(default)]
    url: String,
}

/// `POST /feeds/{id}/address`: follows another address instead.
pub(crate) async fn move_to(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<FeedId>,
    FormBody(form): FormBody<AddressForm>,
) -> Result<Response, ApiError> {
    if let Err(error) = app.limits.feed_work(&app, &who.user) {
        return refused(&app, who.user.id, &page, id, &error).await;
    }
    match subscribe::move_to(&app.lede, &who.user, id, &form.url).await {
        Ok(None) => Ok(gone(&page)),
        Ok(Some(moved)) => Ok(to_page(moved.subscription.feed.id, "moved")),
        Err(error) => {
            let (error, problem) = add_problem(&page, error);
            let outcome = Outcome {
                status: error.status,
                problem: Some(problem),
                typed: without_userinfo(&form.url),
                ..Outcome::default()
            };
            show(&app, who.user.id, &page, id, outcome).await
        }
    }
}

/// `POST /feeds/{id}/unsubscribe`: unfollows the feed.
pub(crate) async fn unsubscribe(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    PathOf(id): PathOf<FeedId>,
) -> Result<Response, ApiError> {
    if subscribe::unsubscribe(&app.lede, who.user.id, id).await? {
        Ok(Redirect::to("/subscriptions?done=unsubscribed").into_response())
    } else {
        Ok(gone(&page))
    }
}
