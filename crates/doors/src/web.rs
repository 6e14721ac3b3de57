//! HTML pages: server-rendered, with little script and no build step.

pub(crate) mod admin;
pub(crate) mod assets;
pub(crate) mod dashboard;
pub(crate) mod feeds;
pub(crate) mod images;
pub(crate) mod keys;
pub(crate) mod labels;
mod letters;
pub(crate) mod manifest;
mod messages;
pub(crate) mod offline;
pub(crate) mod oidc;
mod page;
pub(crate) mod reader;
pub(crate) mod rules;
pub(crate) mod settings;
pub(crate) mod sign_in;
pub(crate) mod style;
pub(crate) mod swagger;
mod words;

use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use lede_core::preferences;
use lede_model::preferences::Language;

use crate::Doors;
use crate::error::{ApiError, Category};
use crate::guard::Caller;
pub(crate) use assets::address as asset;
pub(crate) use letters::{initial, tint};
use page::Page;

/// Returns `true` if the client is a browser that expects a page, not a program.
fn wants_page(headers: &HeaderMap, uri: &Uri) -> bool {
    let takes_html = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"));
    takes_html && !uri.path().starts_with("/api/")
}

/// Format and language in which errors are rendered for a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Telling {
    wants_page: bool,
    /// Language that the browser requests. A signed-in user may have chosen another one.
    accepted: Language,
}

impl Telling {
    pub(crate) fn of(headers: &HeaderMap, uri: &Uri) -> Self {
        Self {
            wants_page: wants_page(headers, uri),
            accepted: page::accepted(headers),
        }
    }

    /// Renders the error that `response` carries, if any, for `caller`.
    ///
    /// A browser that requested a page gets a page: a user who submitted an old form or hit a rate
    /// limit should not have to read JSON. A page's script gets JSON in the language of the page.
    /// Other clients get the response unchanged.
    pub(crate) async fn tell(
        self,
        doors: &Doors,
        caller: Option<&Caller>,
        mut response: Response,
    ) -> Response {
        let Some(error) = response.extensions_mut().remove::<ApiError>() else {
            return response;
        };
        let person = caller.and_then(Caller::by_session);
        if !self.wants_page && person.is_none() {
            return response;
        }
        let chosen = match person {
            // If the preferences cannot be read, the error is rendered in the browser's language.
            Some(user) => preferences::of_user(&doors.lede, user.id).await.ok(),
            None => None,
        };
        let language = chosen.and_then(|chosen| chosen.language);
        let language = language.unwrap_or(self.accepted);
        if !self.wants_page && language == Language::English {
            // The response is in English already, and names the field to the script.
            return response;
        }
        let page = Page::of_stranger(language);
        let told = if self.wants_page {
            page.error(&error)
        } else {
            let (message, action) = page.explain(&error);
            let error = error.with_fields(|message| page.field(message));
            error.body(message, action).into_response()
        };
        let (mut head, _) = response.into_parts();
        let (told, body) = told.into_parts();
        head.headers.remove(header::CONTENT_LENGTH);
        head.headers.extend(told.headers);
        Response::from_parts(head, body)
    }
}

/// Fallback for unknown paths: a page for browsers, the JSON error for other clients.
pub(crate) async fn not_found(headers: HeaderMap, uri: Uri, page: Page) -> Response {
    if wants_page(&headers, &uri) {
        return page.message(StatusCode::NOT_FOUND, "not-here");
    }
    ApiError::not_found("The address").into_response()
}

/// Fallback for unsupported methods; the router adds `Allow`.
pub(crate) async fn method_not_allowed() -> ApiError {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        Category::Validation,
        "This address does not take that method.",
        "The Allow header says which it takes.",
    )
}
