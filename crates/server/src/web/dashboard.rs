//! Dashboard: the user's feeds as a searchable, editable list, and the latest digest.
//!
//! The page is a frame; its content is loaded as partials by htmx. Paths, element ids, `HX-`
//! headers, status codes and English messages are fixed, because other clients may rely on them.

pub(crate) mod feeds;
pub(crate) mod summaries;

use std::borrow::Cow;

use askama::Template;
use axum::extract::RawQuery;
use axum::http::StatusCode;
use axum::response::Response;
use lede_core::reading::FeedSearch;
use lede_model::feed::FeedHealth;
use lede_store::StoreError;
use url::form_urlencoded;

use super::page::Page;
use crate::error::ApiError;
use crate::middleware::CurrentUser;

/// Longest search text in characters: as long as the longest name that the form accepts.
const MAX_SEARCH_CHARS: usize = feeds::MAX_NAME_CHARS;

/// Filters of the form above the list.
struct Filters {
    search: String,
    health: Option<FeedHealth>,
    page: usize,
}

impl Default for Filters {
    fn default() -> Self {
        Self {
            search: String::new(),
            health: None,
            page: 1,
        }
    }
}

impl Filters {
    /// Reads the filters from a query string. Returns `None` if a value is invalid.
    ///
    /// A field may occur twice: a link to another page contains all of them, and htmx adds those of
    /// the form. The first one, of the link, takes precedence.
    fn read(query: Option<&str>) -> Option<Self> {
        let query = query.unwrap_or_default().as_bytes();
        let field = |name: &str| {
            form_urlencoded::parse(query)
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        let search = field("search").unwrap_or_default();
        if search.chars().count() > MAX_SEARCH_CHARS {
            return None;
        }
        let health = match field("status").as_deref() {
            None | Some("all") => None,
            Some(word) => Some(FeedHealth::from_word(word)?),
        };
        let page = match field("page") {
            None => 1,
            Some(number) => number.parse().ok().filter(|page| *page > 0)?,
        };
        Some(Self {
            search,
            health,
            page,
        })
    }

    fn status(&self) -> &'static str {
        self.health.map_or("all", FeedHealth::as_str)
    }

    /// Returns the query string for `page` with the same filters.
    fn query(&self, page: usize) -> String {
        form_urlencoded::Serializer::new(String::new())
            .append_pair("search", &self.search)
            .append_pair("status", self.status())
            .append_pair("page", &page.to_string())
            .finish()
    }

    fn search(&self) -> FeedSearch {
        FeedSearch {
            name: self.search.clone(),
            health: self.health,
            page: self.page,
        }
    }
}

#[derive(Template)]
#[template(path = "dashboard/page.html")]
struct DashboardPage {
    page: Page,
    section: &'static str,
    filters: Filters,
    error: Option<Cow<'static, str>>,
}

/// `GET /dashboard`: the frame, with the filters of the query filled in.
pub(crate) async fn page(_: CurrentUser, page: Page, RawQuery(query): RawQuery) -> Response {
    let filters = Filters::read(query.as_deref());
    let (status, error) = match filters {
        Some(_) => (StatusCode::OK, None),
        None => {
            let error = page.t("dashboard-bad-filters");
            (StatusCode::BAD_REQUEST, Some(error))
        }
    };
    let shown = DashboardPage {
        section: "dashboard",
        filters: filters.unwrap_or_default(),
        error,
        page: page.clone(),
    };
    page.answer(status, &shown)
}

/// Error message in place of a partial.
#[derive(Template)]
#[template(path = "dashboard/problem.html")]
struct Problem {
    message: Cow<'static, str>,
}

fn problem(page: &Page, status: StatusCode, key: &str) -> Response {
    let message = page.t(key);
    page.answer(status, &Problem { message })
}

/// Response to a store error, which is also logged.
fn failed(page: &Page, cause: &StoreError, key: &str) -> Response {
    problem(page, ApiError::internal(cause).status, key)
}
