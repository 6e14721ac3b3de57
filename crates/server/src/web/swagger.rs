//! `GET /swagger/`: interactive documentation of the API.

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;

use super::page::Page;

#[derive(Template)]
#[template(path = "swagger.html")]
struct Swagger;

/// Renders the page; its script loads `/openapi.json`.
pub(crate) async fn page(page: Page) -> Response {
    page.answer(StatusCode::OK, &Swagger)
}
