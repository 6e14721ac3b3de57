//! Common state of every page: language, preferences and CSRF token, and rendering to a response.

use std::ops::Deref;

use askama::Template;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use flate2::Compression;
use lede_core::preferences;
use lede_model::preferences::{Density, Font, Language, Opening, Preferences, Theme};
use lede_model::user::{Role, User};

use super::assets::gzip;
use super::i18n::Translator;
use super::manifest;
use crate::AppState;
use crate::error::ApiError;
use crate::middleware::{Caller, Client, Cookies, FormToken};

/// Context of the requested page, which every template has. It derefs to the [`Translator`] of its
/// language.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    words: Translator,
    /// CSRF token for forms and scripts.
    pub(crate) csrf: String,
    /// Preferences of the user, or the defaults.
    pub(crate) look: Preferences,
    /// The signed-in user, if any.
    pub(crate) user: Option<User>,
    /// True if the browser accepts gzip.
    takes_gzip: bool,
    /// Cookie that the forms of the page need and that the browser does not have yet.
    cookie: Option<HeaderValue>,
}

impl Deref for Page {
    type Target = Translator;

    fn deref(&self) -> &Translator {
        &self.words
    }
}

impl FromRequestParts<AppState> for Page {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let Ok(token) = FormToken::from_request_parts(parts, app).await;
        let user = Caller::in_parts(parts).user().cloned();
        let look = match &user {
            Some(User { id, .. }) => preferences::of_user(&app.lede, *id).await?,
            None => Preferences::default(),
        };
        let cookie = parts
            .extensions
            .get::<Client>()
            .zip(token.new_cookie.as_deref())
            .map(|(client, secret)| Cookies::of(client).set_browser(secret));
        Ok(Self {
            words: Translator(look.language.unwrap_or_else(|| accepted(&parts.headers))),
            csrf: token.value,
            takes_gzip: super::assets::takes_gzip(&parts.headers),
            look,
            user,
            cookie,
        })
    }
}

/// Returns the language that the browser prefers.
pub(crate) fn accepted(headers: &HeaderMap) -> Language {
    headers
        .get(header::ACCEPT_LANGUAGE)
        .and_then(|languages| languages.to_str().ok())
        .map_or(Language::English, Language::from_accepted)
}

impl Page {
    /// Returns a page for a client of which only the request is known.
    pub(crate) fn of_stranger(language: Language) -> Self {
        Self {
            words: Translator(language),
            csrf: String::new(),
            takes_gzip: false,
            look: Preferences::default(),
            user: None,
            cookie: None,
        }
    }

    /// Returns the messages in the language of the page.
    pub(crate) fn words(&self) -> Translator {
        self.words
    }

    /// Returns `true` if the user is an administrator.
    pub(crate) fn is_admin(&self) -> bool {
        self.user
            .as_ref()
            .is_some_and(|user| user.role == Role::Admin)
    }

    /// Email address of the signed-in user, or an empty string.
    pub(crate) fn user_name(&self) -> &str {
        self.user.as_ref().map_or("", |user| user.email.as_str())
    }

    /// Id of the signed-in user, or 0. Data stored in the browser is keyed by it.
    pub(crate) fn user_number(&self) -> i64 {
        self.user.as_ref().map_or(0, |user| user.id.as_i64())
    }

    /// Theme as an attribute for the style sheet, like the methods that follow. (A `style`
    /// attribute would need a looser content security policy.)
    pub(crate) fn theme(&self) -> Option<&'static str> {
        match self.look.theme {
            Theme::System => None,
            Theme::Light => Some("light"),
            Theme::Dark => Some("dark"),
            Theme::Black => Some("black"),
            Theme::Sepia => Some("sepia"),
        }
    }

    /// Returns the colour of the browser's own bar, or `None` if it depends on the device.
    pub(crate) fn bar_colour(&self) -> Option<&'static str> {
        match self.look.theme {
            Theme::System => None,
            Theme::Light => Some(manifest::BAR),
            Theme::Dark => Some(manifest::BAR_DARK),
            Theme::Black => Some(manifest::BAR_BLACK),
            Theme::Sepia => Some(manifest::BAR_SEPIA),
        }
    }

    pub(crate) fn density(&self) -> &'static str {
        match self.look.density {
            Density::List => "list",
            Density::Cards => "cards",
            Density::Titles => "titles",
        }
    }

    pub(crate) fn font(&self) -> &'static str {
        match self.look.font {
            Font::Serif => "serif",
            Font::Sans => "sans",
        }
    }

    pub(crate) fn opening(&self) -> &'static str {
        match self.look.opening {
            Opening::Beside => "beside",
            Opening::InPlace => "in_place",
        }
    }

    /// URL of the user's own style sheet, if there is one.
    pub(crate) fn own_style(&self) -> Option<String> {
        super::style::address(&self.look.style_sheet)
    }

    /// Renders `template` to a response, with the cookie that its forms need.
    pub(crate) fn answer(&self, status: StatusCode, template: &impl Template) -> Response {
        let response = match template.render() {
            Ok(html) => self.send(status, html),
            Err(error) => return ApiError::internal(&error).into_response(),
        };
        match &self.cookie {
            Some(cookie) => (
                AppendHeaders([(header::SET_COOKIE, cookie.clone())]),
                response,
            )
                .into_response(),
            None => response,
        }
    }

    fn send(&self, status: StatusCode, html: String) -> Response {
        let type_and_vary = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            // The content depends on the user and their language.
            (header::VARY, "Accept-Encoding, Accept-Language, Cookie"),
        ];
        if !self.takes_gzip || html.len() < SMALLEST_PACKED {
            return (status, type_and_vary, html).into_response();
        }
        // Compressed while the client waits, so speed matters more than size.
        let packed = gzip(html.as_bytes(), Compression::fast());
        let encoding = [(header::CONTENT_ENCODING, "gzip")];
        (status, type_and_vary, encoding, packed).into_response()
    }

    /// Renders a page with a single message and a link back. `key` is the title, `key.text` the
    /// text.
    pub(crate) fn message(&self, status: StatusCode, key: &str) -> Response {
        let (title, text) = (self.t(key), self.t(&format!("{key}.text")));
        self.plain_message(status, &title, &text)
    }

    /// Same as [`Page::message`], with a given title and text.
    pub(crate) fn plain_message(&self, status: StatusCode, title: &str, text: &str) -> Response {
        let page = self;
        self.answer(status, &Message { page, title, text })
    }

    /// Renders an error as a page.
    pub(crate) fn error(&self, error: &ApiError) -> Response {
        let (message, action) = self.explain(error);
        if error.status.is_server_error() {
            let title = self.t("failed");
            return self.plain_message(error.status, &title, &format!("{message} {action}"));
        }
        self.plain_message(error.status, &message, &action)
    }

    /// Renders an error as a fragment, which htmx inserts into a page.
    pub(crate) fn error_fragment(&self, error: &ApiError) -> Response {
        let (message, action) = self.explain(error);
        self.answer(error.status, &Fragment { message, action })
    }
}

#[derive(Template)]
#[template(
    source = r#"<p class="error" role="alert"><strong>{{ message }}</strong> {{ action }}</p>"#,
    ext = "html"
)]
struct Fragment {
    message: String,
    action: String,
}

/// Smallest page in bytes that is compressed; below that, the gain is negligible.
const SMALLEST_PACKED: usize = 2048;

#[derive(Template)]
#[template(path = "message.html")]
struct Message<'a> {
    page: &'a Page,
    title: &'a str,
    text: &'a str,
}
