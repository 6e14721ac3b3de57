//! Content proxy: serves the article on an item's page as safe HTML.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use lede_core::images::ImageProxy;
use lede_core::proxy::{self, ProxyError};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::AppState;
use crate::error::{ApiError, Category, ErrorBody, QueryOf, SignedIn};
use crate::middleware::CurrentUser;

/// Policy for a third party's page: images and nothing else. It keeps our origin, because the
/// browser sends the session with its image requests only then; no script can run that would abuse
/// it.
const PROXIED_PICTURES: &str =
    "default-src 'none'; img-src 'self' data:; frame-ancestors 'none'; sandbox allow-same-origin";
/// For `IMAGE_PROXY=http`: browsers load https images from their publishers, plain-http images
/// through the proxy.
const SECURE_PICTURES: &str = "default-src 'none'; img-src 'self' https: data:; frame-ancestors 'none'; sandbox allow-same-origin";
/// For `IMAGE_PROXY=off`: browsers load all images from their publishers.
const DIRECT_PICTURES: &str =
    "default-src 'none'; img-src https: http: data:; frame-ancestors 'none'; sandbox";

/// Selects the page to fetch.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ProxyQuery {
    /// Address of an item in one of your feeds.
    #[param(min_length = 1, max_length = 2048, pattern = "^https?://[^\\s]+$")]
    url: String,
}

/// Get the article on an item's page as sanitised HTML
///
/// Only for addresses of items in feeds that you follow, and only on the sites of those feeds. If
/// no article is found in the page, all of it is returned. Redirects are not followed.
#[utoipa::path(
    get,
    path = "/api/proxy",
    operation_id = "proxy",
    tag = "items",
    params(ProxyQuery),
    responses(
        (status = 200, description = "HTML without script, style and frames", body = String, content_type = "text/html"),
        (status = 400, description = "Not an address, or the page cannot be had", body = ErrorBody),
        (status = 403, description = "Not on a site of your feeds", body = ErrorBody),
        (status = 404, description = "No item in your feeds has this address", body = ErrorBody),
        (status = 413, description = "The page is larger than 5 MiB", body = ErrorBody),
        SignedIn,
    )
)]
pub(crate) async fn show(
    State(app): State<AppState>,
    who: CurrentUser,
    QueryOf(query): QueryOf<ProxyQuery>,
) -> Result<Response, ApiError> {
    let html = proxy::page(&app.lede, who.user.id, &query.url)
        .await
        .map_err(proxy_error)?;
    let policy = match app.lede.settings.image_proxy {
        ImageProxy::All => PROXIED_PICTURES,
        ImageProxy::Http => SECURE_PICTURES,
        ImageProxy::Off => DIRECT_PICTURES,
    };
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    Ok((headers, html.as_str().to_owned()).into_response())
}

fn proxy_error(error: ProxyError) -> ApiError {
    let message = error.to_string();
    let other_site = "Open the original in your browser instead.";
    match error {
        ProxyError::Store(error) => error.into(),
        ProxyError::Address(error) => ApiError::invalid("url", error),
        ProxyError::Unknown => ApiError::new(
            StatusCode::NOT_FOUND,
            "not_found",
            Category::Validation,
            "No item in your feeds has this address.",
            "Take the address from an item in a feed that you follow.",
        ),
        ProxyError::OtherSite => ApiError::forbidden(
            "The address is not on a site of the feeds you follow.",
            other_site,
        ),
        ProxyError::Literal => ApiError::forbidden(
            "The host of the address is written as a number.",
            other_site,
        ),
        ProxyError::TooLarge => ApiError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too_large",
            Category::Feed,
            "Content too large",
            other_site,
        ),
        ProxyError::NotAvailable(_) | ProxyError::Unreadable => ApiError::new(
            StatusCode::BAD_REQUEST,
            "fetch_failed",
            Category::Feed,
            "Resource not available",
            format!("Open the original in your browser instead ({message})."),
        ),
    }
}
