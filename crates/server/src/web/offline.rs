//! Offline reading: content that a browser caches to show the newest items without a network.

use askama::Template;
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use lede_core::reading;
use lede_model::ids::ItemId;
use serde::Serialize;

use super::assets;
use super::page::Page;
use super::reader::ItemView;
use crate::AppState;
use crate::error::ApiError;
use crate::middleware::CurrentUser;

/// Number of items that are cached.
const KEPT: i64 = 50;

/// Content that the service worker caches.
#[derive(Serialize)]
pub(crate) struct OfflineContent {
    items: Vec<SavedItem>,
    /// URLs of files that the reading view requires.
    assets: Vec<String>,
    /// Page that is shown in place of one that is not cached.
    offline_page: String,
}

#[derive(Template)]
#[template(path = "offline.html")]
struct OfflinePage<'a> {
    page: &'a Page,
}

#[derive(Serialize)]
struct SavedItem {
    id: ItemId,
    html: String,
}

/// `GET /offline`: the newest unread items as `/items/{id}/view` renders them, and the files that
/// they need, in one response.
pub(crate) async fn newest(
    State(app): State<AppState>,
    who: CurrentUser,
    page: Page,
) -> Result<Json<OfflineContent>, ApiError> {
    let newest = reading::newest_unread(&app.lede, who.user.id, KEPT).await?;
    let kept = newest.into_iter().map(|item| {
        let id = item.summary.id;
        let html = ItemView::new(&app, &page, who.user.id, item).render();
        html.map(|html| SavedItem { id, html })
    });
    let items = kept.collect::<Result<_, _>>();
    let offline_page = OfflinePage { page: &page }.render();
    Ok(Json(OfflineContent {
        items: items.map_err(|error| ApiError::internal(&error))?,
        assets: assets::of_reader().collect(),
        offline_page: offline_page.map_err(|error| ApiError::internal(&error))?,
    }))
}

/// `GET /sw.js`: the service worker. It is served at the root, because its scope is the paths below
/// its own.
pub(crate) async fn worker(headers: HeaderMap) -> Response {
    assets::fixed("sw.js", &headers)
}
