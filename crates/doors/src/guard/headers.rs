//! What every answer says to the browser about itself.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

use lede_core::images::ImageProxy;

use super::Client;

/// Nothing from elsewhere, nothing inline, no eval (hardening 5.1), on API pages too.
macro_rules! policy {
    ($images:literal) => {
        HeaderValue::from_static(concat!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src ",
            $images,
            "; media-src 'self' https:; connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; \
             form-action 'self'; base-uri 'none'; object-src 'none'; frame-src 'none'; frame-ancestors 'none'"
        ))
    };
}

const PROXIED_IMAGES: HeaderValue = policy!("'self' data:");
/// For `IMAGE_PROXY=http`: browsers fetch pictures from their publishers, but plain-http ones through the proxy.
const SECURE_IMAGES: HeaderValue = policy!("'self' data: https:");
/// For `IMAGE_PROXY=off`.
const DIRECT_IMAGES: HeaderValue = policy!("'self' data: https: http:");

const ALWAYS: [(HeaderName, HeaderValue); 6] = [
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    ),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ),
];

/// Two years, as preload lists ask.
const STRICT_TRANSPORT: HeaderValue = HeaderValue::from_static("max-age=63072000");

pub(super) fn write(client: &Client, image_proxy: ImageProxy, headers: &mut HeaderMap) {
    for (name, value) in ALWAYS {
        headers.insert(name, value);
    }
    // A handler may be stricter (an image proxy's sandbox), never laxer by forgetting.
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(match image_proxy {
            ImageProxy::All => PROXIED_IMAGES,
            ImageProxy::Http => SECURE_IMAGES,
            ImageProxy::Off => DIRECT_IMAGES,
        });
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    if client.is_https {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, STRICT_TRANSPORT);
    }
}
