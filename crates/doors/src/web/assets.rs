//! Scripts, styles and pictures: files of the repository, inside the binary.
//!
//! Their addresses begin with a fingerprint of all of them, so that browsers keep a file for ever and
//! fetch it anew when Lede changes. One fingerprint for all, because modules name each other by
//! relative addresses.

use std::io::Write as _;
use std::sync::{LazyLock, OnceLock};

use axum::extract::Path;
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
    /// Packed when first asked for: most files are never asked for, and start-up stays quick.
    gzipped: OnceLock<Vec<u8>>,
}

macro_rules! assets {
    ($($path:literal: $content_type:literal,)*) => {
        [$(Asset {
            path: $path,
            content_type: $content_type,
            bytes: include_bytes!(concat!("../../assets/", $path)),
            gzipped: OnceLock::new(),
        },)*]
    };
}

static ASSETS: [Asset; 13] = assets! {
    "lede.css": "text/css; charset=utf-8",
    "lede.js": "text/javascript; charset=utf-8",
    "css/room.css": "text/css; charset=utf-8",
    "lede.svg": "image/svg+xml",
    "theme.js": "text/javascript; charset=utf-8",
    "swagger.js": "text/javascript; charset=utf-8",
    "css/admin.css": "text/css; charset=utf-8",
    "css/settings.css": "text/css; charset=utf-8",
    "js/settings.js": "text/javascript; charset=utf-8",
    "js/room.js": "text/javascript; charset=utf-8",
    "vendor/htmx.min.js": "text/javascript; charset=utf-8",
    "vendor/swagger-ui/swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "vendor/swagger-ui/swagger-ui.css": "text/css; charset=utf-8",
};

/// What all of them are, in a few letters.
static FINGERPRINT: LazyLock<String> = LazyLock::new(|| {
    let mut digest = Sha256::new();
    for asset in &ASSETS {
        digest.update(asset.path);
        digest.update(asset.bytes);
    }
    let digest = digest.finalize();
    digest[..6]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
});

fn find(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}

/// The address of an asset; templates call it `asset`.
pub(crate) fn address(path: &str) -> String {
    format!("/assets/{}/{path}", *FINGERPRINT)
}

/// `GET /assets/{version}/{path}`
pub(crate) async fn serve(
    Path((version, path)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let is_current = version == *FINGERPRINT;
    match find(&path) {
        Some(asset) => asset.answer(is_current, &headers),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// `GET /favicon.ico`: browsers ask for it unasked.
pub(crate) async fn favicon(headers: HeaderMap) -> Response {
    match find("lede.svg") {
        Some(asset) => asset.answer(false, &headers),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

impl Asset {
    fn answer(&'static self, is_current: bool, headers: &HeaderMap) -> Response {
        let cache = if is_current { FOR_EVER } else { REVALIDATE };
        let tag = format!("\"{}\"", *FINGERPRINT);
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
