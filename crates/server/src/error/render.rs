//! Rendering of errors in the format that the route declares.
//!
//! A handler returns an [`ApiError`], which becomes JSON. The error is also attached to that
//! response as an extension; the middleware removes it and renders it again if the route's policy
//! declares another format.

use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use lede_core::preferences;
use lede_model::preferences::Language;

use super::ApiError;
use crate::AppState;
use crate::middleware::Caller;
use crate::policy::ErrorFormat;
use crate::web::page::{Page, accepted};

/// Renders the errors of one request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ErrorRenderer {
    shape: Shape,
    /// Preferred language of the browser; the user's preference overrides it.
    accepted: Language,
}

/// Format of the route, narrowed by the client's `Accept` header.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Json,
    Page,
    Fragment,
    PlainText,
    Xml,
    Own(fn(&ApiError) -> Response),
}

impl ErrorRenderer {
    /// Creates the renderer for a request with `headers` to a route with errors in `format`.
    pub(crate) fn new(format: ErrorFormat, headers: &HeaderMap) -> Self {
        let accepts_html = || {
            headers
                .get(header::ACCEPT)
                .and_then(|accept| accept.to_str().ok())
                .is_some_and(|accept| accept.contains("text/html"))
        };
        let shape = match format {
            ErrorFormat::Partial if headers.contains_key("hx-request") => Shape::Fragment,
            ErrorFormat::Page | ErrorFormat::Partial | ErrorFormat::Negotiated
                if accepts_html() =>
            {
                Shape::Page
            }
            ErrorFormat::Json
            | ErrorFormat::Page
            | ErrorFormat::Partial
            | ErrorFormat::Negotiated => Shape::Json,
            ErrorFormat::PlainText => Shape::PlainText,
            ErrorFormat::Xml => Shape::Xml,
            ErrorFormat::Own(own) => Shape::Own(own.render),
        };
        Self {
            shape,
            accepted: accepted(headers),
        }
    }

    /// Returns `true` if errors are rendered as HTML pages.
    pub(crate) fn makes_pages(self) -> bool {
        matches!(self.shape, Shape::Page)
    }

    /// Renders the error attached to `response`, if any, in the format for the client. Pages and
    /// their scripts get the user's language, other clients the English of the API.
    pub(crate) async fn render(
        self,
        app: &AppState,
        caller: Option<&Caller>,
        mut response: Response,
    ) -> Response {
        let Some(error) = response.extensions_mut().remove::<ApiError>() else {
            return response;
        };
        let rendered = match self.shape {
            Shape::Own(render) => return with_limits(render(&error), response),
            Shape::PlainText => plain_text(&error),
            Shape::Xml => xml(&error),
            Shape::Page => self.page(app, caller).await.error(&error),
            Shape::Fragment => self.page(app, caller).await.error_fragment(&error),
            Shape::Json => {
                if caller.and_then(Caller::by_session).is_none() {
                    return response;
                }
                let page = self.page(app, caller).await;
                if page.words().0 == Language::English {
                    // The text of the API is English already, and has the field names for the
                    // script.
                    return response;
                }
                let (message, action) = page.explain(&error);
                let error = error.with_fields(|message| page.field(message));
                error.body(message, action).into_response()
            }
        };
        let (mut head, _) = response.into_parts();
        let (rendered, body) = rendered.into_parts();
        head.headers.remove(header::CONTENT_LENGTH);
        head.headers.extend(rendered.headers);
        Response::from_parts(head, body)
    }

    /// Returns a page in the user's language, or else that of the browser.
    async fn page(self, app: &AppState, caller: Option<&Caller>) -> Page {
        let chosen = match caller.and_then(Caller::by_session) {
            // Without preferences, the error is shown in the language of the browser.
            Some(user) => preferences::of_user(&app.lede, user.id).await.ok(),
            None => None,
        };
        let chosen = chosen.and_then(|chosen| chosen.language);
        Page::of_stranger(chosen.unwrap_or(self.accepted))
    }
}

/// Copies the rate-limit headers of `response` to `own`: clients of every API honour them.
fn with_limits(mut own: Response, mut response: Response) -> Response {
    if let Some(wait) = response.headers_mut().remove(header::RETRY_AFTER) {
        own.headers_mut().insert(header::RETRY_AFTER, wait);
    }
    *own.extensions_mut() = std::mem::take(response.extensions_mut());
    own
}

fn plain_text(error: &ApiError) -> Response {
    format!("{} {}\n", error.message, error.action).into_response()
}

fn xml(error: &ApiError) -> Response {
    let text = format!("{} {}", error.message, error.action);
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let code = error.code();
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<error code=\"{code}\">{text}</error>\n"
    );
    let content_type = [(header::CONTENT_TYPE, "application/xml; charset=utf-8")];
    (content_type, document).into_response()
}
