//! Adding a feed: a field for any address, the discovery of feeds behind it, and following one.
//!
//! Discovery is slow. Without script, the page is sent when it is finished. The page's script
//! requests NDJSON lines instead: one for every address that is tried, the last one with the
//! result.

use askama::Template;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use futures_util::stream;
use lede_core::access::{FeedInput, VisibleCredentials};
use lede_core::discover::{self, Candidate, FeedKind, FeedPreview};
use lede_core::opml::Import;
use lede_core::{reading, subscribe, suggested_feeds};
use lede_model::address::WebUrl;
use lede_model::credentials::without_userinfo;
use lede_model::feed::Subscription;
use lede_model::ids::{CategoryId, FeedId};
use lede_model::user::User;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;

use super::access::{Entered, Fields};
use super::fetch_status::Moment;
use super::{Choice, Problem, add_problem, choices_of, chosen};
use crate::AppState;
use crate::error::{ApiError, FormBody, import_error};
use crate::input::opml::ListSource;
use crate::middleware::CurrentUser;
use crate::web::images::favicon_address;
use crate::web::page::Page;

/// Media type that the script requests.
const LINES: &str = "application/x-ndjson";

#[derive(Deserialize)]
pub(crate) struct AddQuery {
    #[serde(default)]
    url: String,
    /// Most applications put the address of a shared page here, within other text.
    #[serde(default)]
    text: String,
}

impl AddQuery {
    fn into_url(self) -> String {
        let mut words = self.text.split_whitespace();
        match self.url.is_empty() {
            true => words
                .find(|word| word.starts_with("http"))
                .unwrap_or_default()
                .to_owned(),
            false => self.url,
        }
    }
}

#[derive(Deserialize)]
pub(crate) struct LookForm {
    #[serde(default)]
    url: String,
    #[serde(flatten)]
    entered: Entered,
    /// Credentials that were entered before, encrypted.
    #[serde(default)]
    access: String,
}

impl LookForm {
    /// Returns the submitted address with the credentials of the form.
    fn typed(
        self,
        app: &AppState,
        user: &User,
        page: &Page,
    ) -> Result<FeedInput, (StatusCode, Problem)> {
        let entered = self.entered.into_change();
        let entered = entered.map_err(|error| (error.status, Problem::of(page, &error)))?;
        let typed = FeedInput::of_form(&app.lede, user.id, &self.url, &self.access);
        let typed = typed.map_err(|error| {
            let (error, problem) = add_problem(page, error);
            (error.status, problem)
        })?;
        Ok(FeedInput {
            access: entered.applied_to(typed.access),
            url: typed.url,
        })
    }
}

#[derive(Deserialize)]
pub(crate) struct FollowForm {
    #[serde(default)]
    url: String,
    /// Id of one of the user's categories; blank for none.
    #[serde(default)]
    category: String,
    /// Credentials that were entered before, encrypted.
    #[serde(default)]
    access: String,
}

#[derive(Template)]
#[template(path = "feeds/add.html")]
struct AddPage {
    page: Page,
    section: &'static str,
    url: String,
    /// For sites that require a user name and a password.
    fields: Fields,
    /// `None` before a discovery.
    result: Option<AddResult>,
}

impl AddPage {
    fn wants_access(&self) -> bool {
        let result = self.result.as_ref();
        result.is_some_and(|result| result.wants_access)
    }
}

/// Result of a discovery. The page's script inserts it as a fragment.
#[derive(Template)]
#[template(path = "feeds/add_result.html")]
struct AddResult {
    page: Page,
    problem: Option<Problem>,
    /// True if the site may require a user name and a password.
    wants_access: bool,
    found: Option<FoundFeeds>,
}

struct FoundFeeds {
    /// Entered credentials, encrypted, which the next form sends back.
    access: Option<String>,
    /// True if the connection is not encrypted, so that the credentials can be read on the network.
    is_plain: bool,
    preview: FeedPreviewPage,
    /// Other feeds that the page links to.
    others: Vec<OtherFeed>,
    categories: Vec<Choice>,
}

/// Preview of a feed.
#[derive(Template)]
#[template(path = "feeds/preview.html")]
struct FeedPreviewPage {
    page: Page,
    url: String,
    title: String,
    kind: Option<&'static str>,
    site: Option<String>,
    newest: Vec<Line>,
    followed: Option<Followed>,
}

/// An item in the preview of a feed.
struct Line {
    title: String,
    at: Option<Moment>,
}

/// A feed that the user follows already.
struct Followed {
    id: FeedId,
    icon: Option<String>,
}

struct OtherFeed {
    url: String,
    title: Option<String>,
    kind: Option<&'static str>,
    is_followed: bool,
}

/// Error in place of a preview.
#[derive(Template)]
#[template(path = "feeds/problem.html")]
struct NoPreview {
    problem: Problem,
}

/// Returns the usual name of a feed format.
fn kind_name(kind: FeedKind) -> Option<&'static str> {
    match kind {
        FeedKind::Atom => Some("Atom"),
        FeedKind::Rss => Some("RSS"),
        FeedKind::Json => Some("JSON Feed"),
        FeedKind::Unknown => None,
    }
}

fn followed<'a>(subscriptions: &'a [Subscription], url: &WebUrl) -> Option<&'a Subscription> {
    let mut all = subscriptions.iter();
    all.find(|subscription| subscription.feed.url == *url)
}

impl FeedPreviewPage {
    fn of(
        app: &AppState,
        page: &Page,
        best: Candidate,
        site: Option<WebUrl>,
        newest: Vec<discover::Headline>,
        subscriptions: &[Subscription],
    ) -> Self {
        let now = app.lede.clock.now();
        let line = |headline: discover::Headline| Line {
            title: headline.title,
            at: headline.at.map(|at| Moment {
                iso: at.to_string(),
                words: page.age(at, now).into(),
                exact: page.exact(at).into(),
            }),
        };
        let followed = followed(subscriptions, &best.url).map(|subscription| Followed {
            id: subscription.feed.id,
            icon: subscription
                .has_icon
                .then(|| favicon_address(subscription.feed.id)),
        });
        let url = best.url.into_string();
        Self {
            title: best.title.unwrap_or_else(|| url.clone()),
            url,
            kind: kind_name(best.kind),
            site: site.map(WebUrl::into_string),
            newest: newest.into_iter().map(line).collect(),
            followed,
            page: page.clone(),
        }
    }
}

impl AddResult {
    fn failed(page: &Page, problem: Problem) -> Self {
        Self {
            page: page.clone(),
            problem: Some(problem),
            wants_access: false,
            found: None,
        }
    }

    /// Discovers the feeds behind a submitted address. Calls `on_request` for each address that is
    /// tried.
    async fn of(
        app: &AppState,
        user: &User,
        page: &Page,
        form: LookForm,
        on_request: &(dyn Fn(&WebUrl) + Send + Sync),
    ) -> Result<(StatusCode, Self), ApiError> {
        if let Err(error) = app.limits.feed_work(app, user) {
            let problem = Problem::of(page, &error);
            return Ok((error.status, Self::failed(page, problem)));
        }
        let has_scheme = form.url.contains("://");
        let typed = match form.typed(app, user, page) {
            Ok(typed) => typed,
            Err((status, problem)) => return Ok((status, Self::failed(page, problem))),
        };
        let preview = match discover::preview(&app.lede, user, &typed, on_request).await {
            Ok(preview) => preview,
            Err(error) => {
                let wants_access = error.wants_access();
                let (error, mut problem) = add_problem(page, error);
                if !has_scheme && error.code() == "fetch_failed" {
                    // The user did not type the `https` that was tried.
                    problem.action = format!("{} {}", problem.action, page.t("feeds-add-plain"));
                }
                let failed = Self {
                    wants_access,
                    ..Self::failed(page, problem)
                };
                return Ok((error.status, failed));
            }
        };
        let FeedPreview {
            best,
            site_url,
            newest,
            others,
        } = preview;
        let subscriptions = reading::subscriptions(&app.lede, user.id).await?;
        let others = others.into_iter().map(|other| OtherFeed {
            is_followed: followed(&subscriptions, &other.url).is_some(),
            url: other.url.into_string(),
            title: other.title,
            kind: kind_name(other.kind),
        });
        let access = typed.in_form(&app.lede, user.id);
        let found = FoundFeeds {
            is_plain: access.is_some() && !typed.url.is_https(),
            access,
            others: others.collect(),
            categories: choices_of(app, user.id, None).await?,
            preview: FeedPreviewPage::of(app, page, best, site_url, newest, &subscriptions),
        };
        let result = Self {
            page: page.clone(),
            problem: None,
            wants_access: false,
            found: Some(found),
        };
        Ok((StatusCode::OK, result))
    }
}

fn answer(page: &Page, status: StatusCode, url: String, result: Option<AddResult>) -> Response {
    let shown = AddPage {
        page: page.clone(),
        section: "feeds",
        fields: Fields::of(page, VisibleCredentials::Nothing),
        url: without_userinfo(&url),
        result,
    };
    page.answer(status, &shown)
}

/// `GET /add?url=`: the form, filled in with the address if one is given. A discovery sends
/// requests to other servers, so that only a POST starts one; the page's script submits the form.
pub(crate) async fn form(_: CurrentUser, page: Page, Query(query): Query<AddQuery>) -> Response {
    answer(&page, StatusCode::OK, query.into_url(), None)
}

/// `POST /add`: discovers the feeds behind an address.
pub(crate) async fn discover_feeds(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    headers: HeaderMap,
    FormBody(form): FormBody<LookForm>,
) -> Result<Response, ApiError> {
    let wants_lines = headers
        .get(header::ACCEPT)
        .is_some_and(|accept| accept == LINES);
    if wants_lines {
        return Ok(lines(app, who.user, page, form));
    }
    let url = form.url.clone();
    let (status, result) = AddResult::of(&app, &who.user, &page, form, &|_| {}).await?;
    Ok(answer(&page, status, url, Some(result)))
}

/// Runs a discovery and streams its progress: `{"progress": …}` for every address that is tried,
/// `{"html": …, "url": …}` at the end, with the address stripped of its password.
fn lines(app: AppState, user: User, page: Page, form: LookForm) -> Response {
    let url = without_userinfo(&form.url);
    let (sender, receiver) = mpsc::unbounded_channel::<String>();
    tokio::spawn(async move {
        let on_request = |url: &WebUrl| {
            let words = page.with("feeds-add-asking", "address", url.as_str());
            // Fails only if the client has disconnected.
            let _ = sender.send(json!({ "progress": words }).to_string() + "\n");
        };
        let discovering = AddResult::of(&app, &user, &page, form, &on_request);
        let result = tokio::select! {
            () = sender.closed() => return,
            result = discovering => result,
        };
        let result = match result {
            Ok((_, result)) => result,
            Err(error) => AddResult::failed(&page, Problem::of(&page, &error)),
        };
        let html = result.render().unwrap_or_default();
        let _ = sender.send(json!({ "html": html, "url": url }).to_string() + "\n");
    });
    let lines = stream::unfold(receiver, async |mut receiver| {
        let line = receiver.recv().await?;
        Some((Ok::<_, std::convert::Infallible>(line), receiver))
    });
    let content_type = HeaderValue::from_static(LINES);
    (
        [(header::CONTENT_TYPE, content_type)],
        Body::from_stream(lines),
    )
        .into_response()
}

/// `POST /add/preview`: preview of another one of the discovered feeds.
pub(crate) async fn preview(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    FormBody(form): FormBody<LookForm>,
) -> Result<Response, ApiError> {
    let (status, result) = AddResult::of(&app, &who.user, &page, form, &|_| {}).await?;
    Ok(match (result.found, result.problem) {
        (Some(found), _) => page.answer(status, &found.preview),
        (None, Some(problem)) => page.answer(status, &NoPreview { problem }),
        (None, None) => status.into_response(),
    })
}

/// `POST /add/follow`: follows one of the discovered feeds.
pub(crate) async fn follow(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    FormBody(form): FormBody<FollowForm>,
) -> Result<Response, ApiError> {
    let category: Option<CategoryId> = chosen("category", &form.category)?;
    let followed = match app.limits.feed_work(&app, &who.user) {
        Ok(()) => match FeedInput::of_form(&app.lede, who.user.id, &form.url, &form.access) {
            Ok(typed) => subscribe::subscribe(&app.lede, &who.user, &typed, category).await,
            Err(error) => Err(error),
        }
        .map_err(|error| add_problem(&page, error)),
        Err(error) => {
            let problem = Problem::of(&page, &error);
            Err((error, problem))
        }
    };
    match followed {
        Ok(followed) => {
            let feed = followed.subscription.feed.id;
            Ok(Redirect::to(&format!("/?feed={feed}")).into_response())
        }
        Err((error, _)) if error.status.is_server_error() => Ok(page.error(&error)),
        Err((error, problem)) => {
            let result = AddResult::failed(&page, problem);
            Ok(answer(&page, error.status, form.url, Some(result)))
        }
    }
}

/// `POST /add/starters`: follows the selected suggestions.
pub(crate) async fn follow_starters(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
    FormBody(fields): FormBody<Vec<(String, String)>>,
) -> Response {
    let ticked = fields.into_iter().filter(|(name, _)| name == "url");
    let urls: Vec<String> = ticked.map(|(_, url)| url).collect();
    if urls.is_empty() {
        return Redirect::to("/").into_response();
    }
    let followed = async {
        app.limits.feed_work(&app, &who.user)?;
        let followed = suggested_feeds::follow(&app.lede, &who.user, &urls).await;
        followed.map_err(|error| import_error(error, ListSource::Upload))
    };
    match followed.await {
        // The page of the import shows the feeds that could not be followed, with reasons.
        Ok(Import { progress, .. }) if progress.failed > 0 => {
            Redirect::to(&format!("/imports/{}", progress.id)).into_response()
        }
        Ok(_) => Redirect::to("/").into_response(),
        Err(error) => page.error(&error),
    }
}
