//! Web app manifest, which lets a device install Lede as an application.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::asset;
use super::page::Page;

/// `--paper` of the light theme in the style sheet, in a notation that every browser supports.
const PAPER: &str = "#fcfaf7";
/// `--paper-2`, the background of the top bar, in each theme.
pub(crate) const BAR: &str = "#f5f2ec";
pub(crate) const BAR_DARK: &str = "#211d1a";
pub(crate) const BAR_BLACK: &str = "#0b0a09";
pub(crate) const BAR_SEPIA: &str = "#ede0c8";

/// `GET /manifest.webmanifest`: the description is in the user's language.
pub(crate) async fn show(page: Page) -> Response {
    let icon = |path: &str, size: u16, purpose: &str| {
        json!({
            "src": asset(path),
            "sizes": format!("{size}x{size}"),
            "type": "image/png",
            "purpose": purpose,
        })
    };
    let name = page.t("lede");
    let manifest = json!({
        "id": "/",
        "name": name,
        "short_name": name,
        "description": page.t("motto"),
        "lang": page.tag(),
        "dir": "ltr",
        "start_url": "/",
        "scope": "/",
        // A URL that another application shares is opened in the form for adding a feed.
        "share_target": {
            "action": "/add",
            "method": "GET",
            "params": { "url": "url", "text": "text" },
        },
        "display": "standalone",
        // A manifest has one colour of each kind, whatever the theme.
        "background_color": PAPER,
        "theme_color": BAR,
        "icons": [
            icon("icons/lede-192.png", 192, "any"),
            icon("icons/lede-512.png", 512, "any"),
            icon("icons/lede-maskable-192.png", 192, "maskable"),
            icon("icons/lede-maskable-512.png", 512, "maskable"),
        ],
    });
    let content_type = [(header::CONTENT_TYPE, "application/manifest+json")];
    (content_type, manifest.to_string()).into_response()
}
