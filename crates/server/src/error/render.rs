//! Errors in the shape that the route declares.
//!
//! A handler returns an [`ApiError`], which becomes JSON. The error is also an extension of that response; the
//! middleware takes it out and renders it again where the route's policy asks for another shape.

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
    /// The language of the browser; the user may have chosen another one.
    accepted: Language,
}

/// The format of the route, after what the client accepts.
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
    /// The renderer for a request with `headers` to a route with errors in `format`.
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

    /// Returns `true` if errors become pages.
    pub(crate) fn makes_pages(self) -> bool {
        matches!(self.shape, Shape::Page)
    }

    /// Returns `response` with the error that it carries, if any, in the shape for the client. Pages and their scripts
    /// get the language of the user, other clients the English of the API.
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
                    // The words of the API are English already, and name the field to the script.
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

    /// A page in the language of the user, or of the browser.
    async fn page(self, app: &AppState, caller: Option<&Caller>) -> Page {
        let chosen = match caller.and_then(Caller::by_session) {
            // An error that cannot be translated is still shown.
            Some(user) => preferences::of_user(&app.lede, user.id).await.ok(),
            None => None,
        };
        let chosen = chosen.and_then(|chosen| chosen.language);
        Page::of_stranger(chosen.unwrap_or(self.accepted))
    }
}

/// `own` with what `response` says about rate limits, which clients of every API heed.
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
