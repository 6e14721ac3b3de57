//! The pages for people: server-rendered, a little script, no build step.

pub(crate) mod account;
pub(crate) mod assets;
mod format;
pub(crate) mod images;
mod offers;
pub(crate) mod oidc;
mod page;
pub(crate) mod reader;
pub(crate) mod sign_in;
pub(crate) mod swagger;

use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use crate::error::{ApiError, Category};
pub(crate) use assets::address as asset;
pub(crate) use offers::Offers;
use page::{Message, render};

/// Whether the one who asks is a person with a browser rather than a program.
pub(crate) fn wants_page(headers: &HeaderMap, uri: &Uri) -> bool {
    let takes_html = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"));
    takes_html && !uri.path().starts_with("/api/")
}

/// The same answer with the error it carries, if any, as a page: a person who sent an old form or
/// came too often should not have to read JSON.
pub(crate) fn as_page(mut response: Response) -> Response {
    let Some(error) = response.extensions_mut().remove::<ApiError>() else {
        return response;
    };
    let (mut head, _) = response.into_parts();
    let (page, body) = error_page(&error).into_parts();
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.extend(page.headers);
    Response::from_parts(head, body)
}

/// What is not here: a page for people, the error shape for programs.
pub(crate) async fn not_found(headers: HeaderMap, uri: Uri) -> Response {
    if wants_page(&headers, &uri) {
        return message(
            StatusCode::NOT_FOUND,
            "There is nothing here",
            "The address may be mistyped, or what was here is gone.",
        );
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

/// A page that says one thing.
fn message(status: StatusCode, title: &str, text: &str) -> Response {
    render(status, &Message { title, text })
}

/// An error as a page.
fn error_page(error: &ApiError) -> Response {
    let title = if error.status.is_server_error() {
        "That did not work"
    } else {
        error.message.as_str()
    };
    let text = if error.status.is_server_error() {
        format!("{} {}", error.message, error.action)
    } else {
        error.action.clone()
    };
    message(error.status, title, &text)
}
