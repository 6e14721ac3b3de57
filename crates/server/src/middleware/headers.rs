//! Security headers of every response.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

use lede_core::images::ImageProxy;

use super::Client;

/// Content security policy, for pages and API responses alike: nothing from other origins, nothing
/// inline, no `eval`. Frames are players that a user starts by a click (`assets/js/embeds.js`).
macro_rules! policy {
    ($images:literal) => {
        HeaderValue::from_static(concat!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src ",
            $images,
            "; media-src 'self' https:; connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; \
             form-action 'self'; base-uri 'none'; object-src 'none'; frame-src https://www.youtube-nocookie.com \
             https://player.vimeo.com https://open.spotify.com https://embed.podcasts.apple.com https://w.soundcloud.com; frame-ancestors 'none'"
        ))
    };
}

const PROXIED_IMAGES: HeaderValue = policy!("'self' data:");
/// For `IMAGE_PROXY=http`: browsers load https images from their publishers, plain-http images
/// through the proxy.
const SECURE_IMAGES: HeaderValue = policy!("'self' data: https:");
/// For `IMAGE_PROXY=off`: browsers load all images from their publishers.
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

/// Two years, as preload lists require.
const STRICT_TRANSPORT: HeaderValue = HeaderValue::from_static("max-age=63072000");

pub(super) fn write(client: &Client, image_proxy: ImageProxy, headers: &mut HeaderMap) {
    for (name, value) in ALWAYS {
        headers.insert(name, value);
    }
    // A handler may set a stricter policy (the image proxy sandboxes its responses). One that sets
    // none gets this one.
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
