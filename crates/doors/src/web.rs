//! The pages for people: server-rendered, a little script, no build step.

pub(crate) mod admin;
pub(crate) mod assets;
pub(crate) mod dashboard;
pub(crate) mod feeds;
pub(crate) mod images;
pub(crate) mod manifest;
pub(crate) mod offline;
pub(crate) mod oidc;
mod page;
pub(crate) mod reader;
pub(crate) mod rules;
pub(crate) mod settings;
pub(crate) mod sign_in;
pub(crate) mod swagger;
mod words;

use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use lede_model::preferences::Language;

use crate::error::{ApiError, Category};
pub(crate) use assets::address as asset;
use page::Page;

/// The language in which the one who asks wants pages; none for a program rather than a person with a
/// browser.
pub(crate) fn wants_page(headers: &HeaderMap, uri: &Uri) -> Option<Language> {
    let takes_html = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"));
    (takes_html && !uri.path().starts_with("/api/")).then(|| page::accepted(headers))
}

/// The same answer with the error it carries, if any, as a page: a person who sent an old form or
/// came too often should not have to read JSON.
pub(crate) fn as_page(mut response: Response, language: Language) -> Response {
    let Some(error) = response.extensions_mut().remove::<ApiError>() else {
        return response;
    };
    let (mut head, _) = response.into_parts();
    let (page, body) = Page::of_stranger(language).error(&error).into_parts();
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.extend(page.headers);
    Response::from_parts(head, body)
}

/// What is not here: a page for people, the error shape for programs.
pub(crate) async fn not_found(headers: HeaderMap, uri: Uri, page: Page) -> Response {
    if wants_page(&headers, &uri).is_some() {
        return page.message(StatusCode::NOT_FOUND, "not-here");
    }
    ApiError::not_found("The address").into_response()
}

/// A method that the address does not have; the router adds `Allow`.
pub(crate) async fn method_not_allowed() -> ApiError {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        Category::Validation,
        "This address does not take that method.",
        "The Allow header says which it takes.",
    )
}
