//! Rendering: templates become answers, and what every template can use.

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::error::ApiError;

/// Renders `page`. A template that fails is our fault and becomes the plain error.
pub(super) fn render(status: StatusCode, page: &impl Template) -> Response {
    match page.render() {
        Ok(html) => {
            let content_type = HeaderValue::from_static("text/html; charset=utf-8");
            (status, [(header::CONTENT_TYPE, content_type)], html).into_response()
        }
        Err(error) => ApiError::internal(&error).into_response(),
    }
}

/// A page that says one thing and leads back.
#[derive(Template)]
#[template(path = "message.html")]
pub(super) struct Message<'a> {
    pub(super) title: &'a str,
    pub(super) text: &'a str,
}
