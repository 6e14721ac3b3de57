//! `GET /swagger/`: the API, to read and to try.

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;

use super::page::Page;

#[derive(Template)]
#[template(path = "swagger.html")]
struct Swagger;

/// The page; its script reads `/openapi.json`.
pub(crate) async fn page(page: Page) -> Response {
    page.answer(StatusCode::OK, &Swagger)
}
