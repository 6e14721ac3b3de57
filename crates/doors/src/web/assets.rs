//! Scripts, styles and pictures: files of the repository, inside the binary.
//!
//! Addresses in pages carry a fingerprint of the content, so that browsers keep a file for ever
//! and fetch it anew the moment it changes.

use std::io::Write as _;
use std::sync::{LazyLock, OnceLock};

use axum::extract::{Path, RawQuery};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const REVALIDATE: HeaderValue = HeaderValue::from_static("public, no-cache");

struct Asset {
    path: &'static str,
    content_type: &'static str,
    bytes: &'static [u8],
    fingerprint: LazyLock<String, fn() -> String>,
    /// Packed when first asked for: most files are never asked for, and start-up stays quick.
    gzipped: OnceLock<Vec<u8>>,
}

macro_rules! assets {
    ($($path:literal: $content_type:literal,)*) => {
        [$(Asset {
            path: $path,
            content_type: $content_type,
            bytes: include_bytes!(concat!("../../assets/", $path)),
            fingerprint: LazyLock::new(|| fingerprint(include_bytes!(concat!("../../assets/", $path)))),
            gzipped: OnceLock::new(),
        },)*]
    };
}

static ASSETS: [Asset; 8] = assets! {
    "lede.css": "text/css; charset=utf-8",
    "lede.js": "text/javascript; charset=utf-8",
    "lede.svg": "image/svg+xml",
    "theme.js": "text/javascript; charset=utf-8",
    "swagger.js": "text/javascript; charset=utf-8",
    "vendor/htmx.min.js": "text/javascript; charset=utf-8",
    "vendor/swagger-ui/swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "vendor/swagger-ui/swagger-ui.css": "text/css; charset=utf-8",
};

fn fingerprint(bytes: &[u8]) -> String {
    Sha256::digest(bytes)[..6]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn find(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}

/// The address of an asset, with its fingerprint; templates call it `asset`.
pub(crate) fn address(path: &str) -> String {
    match find(path) {
        Some(asset) => format!("/assets/{path}?v={}", *asset.fingerprint),
        None => format!("/assets/{path}"),
    }
}

/// `GET /assets/{path}`
pub(crate) async fn serve(
    Path(path): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    match find(&path) {
        Some(asset) => asset.answer(query.as_deref(), &headers),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// `GET /favicon.ico`: browsers ask for it unasked.
pub(crate) async fn favicon(headers: HeaderMap) -> Response {
    serve(Path("lede.svg".to_owned()), RawQuery(None), headers).await
}

impl Asset {
    fn answer(&'static self, query: Option<&str>, headers: &HeaderMap) -> Response {
        let fingerprint = self.fingerprint.as_str();
        let is_current = query.and_then(|query| query.strip_prefix("v=")) == Some(fingerprint);
        let cache = if is_current { FOR_EVER } else { REVALIDATE };
        let tag = format!("\"{fingerprint}\"");
        let shared = [
            (header::CACHE_CONTROL, cache),
            (header::VARY, HeaderValue::from_static("Accept-Encoding")),
            (
                header::ETAG,
                HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\"")),
            ),
        ];
        if headers
            .get(header::IF_NONE_MATCH)
            .is_some_and(|known| known == tag.as_str())
        {
            return (StatusCode::NOT_MODIFIED, shared).into_response();
        }
        let content_type = [(
            header::CONTENT_TYPE,
            HeaderValue::from_static(self.content_type),
        )];
        let takes_gzip = headers
            .get(header::ACCEPT_ENCODING)
            .and_then(|encodings| encodings.to_str().ok())
            .is_some_and(|encodings| encodings.contains("gzip"));
        if takes_gzip {
            let gzip = [(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))];
            return (shared, content_type, gzip, self.gzipped()).into_response();
        }
        (shared, content_type, self.bytes).into_response()
    }

    fn gzipped(&'static self) -> &'static [u8] {
        self.gzipped.get_or_init(|| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            // Writing to memory does not fail.
            let _ = encoder.write_all(self.bytes);
            encoder.finish().unwrap_or_default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_changes_with_the_content_and_every_asset_has_one() {
        assert_ne!(fingerprint(b"a"), fingerprint(b"b"));
        for asset in &ASSETS {
            assert_eq!(
                address(asset.path),
                format!("/assets/{}?v={}", asset.path, *asset.fingerprint)
            );
        }
    }
}
