//! Static files of the repository, embedded in the binary: scripts, styles and images.
//!
//! Their URLs begin with a fingerprint of all of them, so that browsers cache a file for ever and
//! fetch it again when Lede changes. There is one fingerprint for all, because modules import each
//! other by relative URLs.

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
    /// Compressed at the first request: most files are never requested, and start-up stays fast.
    gzipped: OnceLock<Vec<u8>>,
}

macro_rules! assets {
    ($($path:literal: $content_type:expr,)*) => {
        [$(Asset {
            path: $path,
            content_type: $content_type,
            bytes: include_bytes!(concat!("../../assets/", $path)),
            gzipped: OnceLock::new(),
        },)*]
    };
}

const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/png";
const STYLE: &str = "text/css; charset=utf-8";

static ASSETS: [Asset; 68] = assets! {
    "lede.css": STYLE,
    "lede.svg": "image/svg+xml",
    "sw.js": SCRIPT,
    "swagger.js": SCRIPT,
    "theme.js": SCRIPT,
    "css/admin.css": STYLE,
    "css/dashboard.css": STYLE,
    "css/feeds.css": STYLE,
    "css/pages.css": STYLE,
    "css/settings.css": STYLE,
    "icons/apple-touch-icon.png": PICTURE,
    "icons/lede-192.png": PICTURE,
    "icons/lede-512.png": PICTURE,
    "icons/lede-maskable-192.png": PICTURE,
    "icons/lede-maskable-512.png": PICTURE,
    "js/api.js": SCRIPT,
    "js/appearance.js": SCRIPT,
    "js/article.js": SCRIPT,
    "js/bell.js": SCRIPT,
    "js/browser-notifications.js": SCRIPT,
    "js/bulk-marks.js": SCRIPT,
    "js/columns.js": SCRIPT,
    "js/counts.js": SCRIPT,
    "js/dashboard.js": SCRIPT,
    "js/dom.js": SCRIPT,
    "js/embeds.js": SCRIPT,
    "js/feeds-add.js": SCRIPT,
    "js/feeds-drag.js": SCRIPT,
    "js/feeds-drop.js": SCRIPT,
    "js/feeds-select.js": SCRIPT,
    "js/feeds.js": SCRIPT,
    "js/i18n.js": SCRIPT,
    "js/images.js": SCRIPT,
    "js/item-actions.js": SCRIPT,
    "js/item-elements.js": SCRIPT,
    "js/jump.js": SCRIPT,
    "js/keyboard.js": SCRIPT,
    "js/labels.js": SCRIPT,
    "js/list-navigation.js": SCRIPT,
    "js/list-paging.js": SCRIPT,
    "js/list-scope.js": SCRIPT,
    "js/list.js": SCRIPT,
    "js/live-connection.js": SCRIPT,
    "js/live.js": SCRIPT,
    "js/marks.js": SCRIPT,
    "js/media.js": SCRIPT,
    "js/menus.js": SCRIPT,
    "js/offline.js": SCRIPT,
    "js/open-item.js": SCRIPT,
    "js/pages.js": SCRIPT,
    "js/preferences.js": SCRIPT,
    "js/queue.js": SCRIPT,
    "js/reader.js": SCRIPT,
    "js/refresh.js": SCRIPT,
    "js/row-actions.js": SCRIPT,
    "js/scroll-marks.js": SCRIPT,
    "js/search.js": SCRIPT,
    "js/selection.js": SCRIPT,
    "js/settings.js": SCRIPT,
    "js/share.js": SCRIPT,
    "js/shortcuts.js": SCRIPT,
    "js/swipe.js": SCRIPT,
    "js/toast.js": SCRIPT,
    "js/tree-menu.js": SCRIPT,
    "js/tree.js": SCRIPT,
    "vendor/htmx.min.js": SCRIPT,
    "vendor/swagger-ui/swagger-ui-bundle.js": SCRIPT,
    "vendor/swagger-ui/swagger-ui.css": STYLE,
};

/// Modules of the reading view. Its page preloads them, so that the browser need not parse one to
/// discover the next.
pub(crate) const MODULES: [&str; 40] = [
    "js/reader.js",
    "js/api.js",
    "js/appearance.js",
    "js/article.js",
    "js/bell.js",
    "js/browser-notifications.js",
    "js/bulk-marks.js",
    "js/columns.js",
    "js/counts.js",
    "js/dom.js",
    "js/embeds.js",
    "js/i18n.js",
    "js/images.js",
    "js/item-actions.js",
    "js/item-elements.js",
    "js/keyboard.js",
    "js/labels.js",
    "js/list-navigation.js",
    "js/list-paging.js",
    "js/list-scope.js",
    "js/list.js",
    "js/live-connection.js",
    "js/live.js",
    "js/marks.js",
    "js/media.js",
    "js/menus.js",
    "js/offline.js",
    "js/open-item.js",
    "js/preferences.js",
    "js/queue.js",
    "js/refresh.js",
    "js/row-actions.js",
    "js/scroll-marks.js",
    "js/selection.js",
    "js/share.js",
    "js/shortcuts.js",
    "js/swipe.js",
    "js/toast.js",
    "js/tree-menu.js",
    "js/tree.js",
];

/// Returns the URLs of all files that the reading view needs, at once or later.
pub(super) fn of_reader() -> impl Iterator<Item = String> {
    let others = [
        "js/jump.js",
        "js/search.js",
        "lede.css",
        "lede.svg",
        "theme.js",
        "vendor/htmx.min.js",
    ];
    MODULES.into_iter().chain(others).map(address)
}

/// Hash of all assets, shortened to twelve hexadecimal digits.
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

/// Returns the URL of an asset; templates call it as `asset`.
pub(crate) fn address(path: &str) -> String {
    format!("/assets/{}/{path}", *FINGERPRINT)
}

/// `GET /assets/{version}/{path}`: serves an asset, also under an outdated version.
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

/// `GET /favicon.ico`: browsers request it without a link.
pub(crate) async fn favicon(headers: HeaderMap) -> Response {
    fixed("lede.svg", &headers)
}

/// Serves an asset at a URL without a fingerprint.
pub(super) fn fixed(path: &str, headers: &HeaderMap) -> Response {
    match find(path) {
        Some(asset) => asset.answer(false, headers),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Returns `true` if the client accepts gzip (RFC 9110 §12.5.3): by name, or else by `*`, with a
/// weight above 0. A weight that is not a number counts as 0, because uncompressed is always right.
pub(super) fn takes_gzip(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(header::ACCEPT_ENCODING).into_iter();
    let codings = codings.filter_map(|value| value.to_str().ok());
    let mut accepts_others = false;
    for coding in codings.flat_map(|value| value.split(',')) {
        let (name, parameters) = coding.split_once(';').unwrap_or((coding, ""));
        let is_accepted = weight(parameters) > 0.0;
        match name.trim() {
            name if name.eq_ignore_ascii_case("gzip") => return is_accepted,
            "*" => accepts_others = is_accepted,
            _ => {}
        }
    }
    accepts_others
}

/// Returns the weight among the parameters of a coding.
fn weight(parameters: &str) -> f32 {
    let parameters = parameters.split(';').map(str::trim);
    let mut weights = parameters.filter_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        (name.trim().eq_ignore_ascii_case("q")).then(|| value.trim().parse().unwrap_or(0.0))
    });
    weights.next().unwrap_or(1.0)
}

pub(super) fn gzip(bytes: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), level);
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
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
        if takes_gzip(headers) {
            let gzip = [(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))];
            return (shared, content_type, gzip, self.gzipped()).into_response();
        }
        (shared, content_type, self.bytes).into_response()
    }

    fn gzipped(&'static self) -> &'static [u8] {
        self.gzipped.get_or_init(|| {
            let own_script = std::str::from_utf8(self.bytes)
                .ok()
                .filter(|_| self.path.starts_with("js/"));
            match own_script {
                Some(script) => gzip(without_comments(script).as_bytes(), Compression::best()),
                None => gzip(self.bytes, Compression::best()),
            }
        })
    }
}

/// Returns a script without the comments that have lines of their own, which are a third of its
/// compressed size.
fn without_comments(script: &str) -> String {
    let mut is_comment = false;
    let code = script.lines().filter(|line| {
        let line = line.trim();
        if is_comment || line.starts_with("/**") {
            is_comment = !line.ends_with("*/");
            return false;
        }
        !line.starts_with("//")
    });
    code.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Paths of the modules that a script imports at its beginning.
    fn imports(path: &str) -> Vec<String> {
        let script = find(path).unwrap_or_else(|| panic!("{path} is not embedded"));
        let script = std::str::from_utf8(script.bytes).unwrap();
        let imported = script.lines().filter_map(|line| {
            let (_, name) = line.strip_prefix("import ")?.split_once("\"./")?;
            Some(format!("js/{}", name.strip_suffix("\";")?))
        });
        imported.collect()
    }

    #[test]
    fn the_reading_view_preloads_the_modules_that_it_imports() {
        let mut imported = BTreeSet::new();
        let mut pending = vec!["js/reader.js".to_owned()];
        while let Some(path) = pending.pop() {
            if imported.insert(path.clone()) {
                pending.extend(imports(&path));
            }
        }
        let preloaded: BTreeSet<String> = MODULES.iter().map(|path| (*path).to_owned()).collect();
        assert_eq!(imported, preloaded);
    }

    fn scripts() -> impl Iterator<Item = &'static Asset> {
        ASSETS.iter().filter(|asset| asset.path.starts_with("js/"))
    }

    #[test]
    fn only_whole_lines_are_taken_for_comments() {
        let script =
            "// One\nconst a = 1; // Two\n/** Three */\n  /**\n   * Four\n   */\nfinish(a);\n";
        let code = "const a = 1; // Two\nfinish(a);\n";
        assert_eq!(without_comments(script), code);
        for asset in scripts() {
            let script = std::str::from_utf8(asset.bytes).unwrap();
            for line in script.lines().map(str::trim) {
                let is_before_code = line.starts_with("/**") && !line.ends_with("*/");
                assert!(
                    !is_before_code || !line.contains("*/"),
                    "{}: {line}",
                    asset.path
                );
            }
        }
    }

    #[test]
    fn the_scripts_of_the_reading_view_have_at_most_40_kilobytes() {
        let modules = MODULES.iter().filter_map(|path| find(path));
        let bytes: usize = modules.map(|asset| asset.gzipped().len()).sum();
        assert!(bytes <= 40_000, "{bytes} bytes");
    }

    #[test]
    fn gzip_is_sent_to_clients_that_accept_it() {
        for (encodings, expected) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("gzip;q=1", true),
            ("*", true),
            ("br;q=1.0, *;q=0.1", true),
            ("gzip;q=0", false),
            ("gzip; q=0.000, br", false),
            ("gzip;Q=0, *", false),
            ("gzip;q=none", false),
            ("*;q=0", false),
            ("identity", false),
            ("xgzip", false),
            ("", false),
        ] {
            let value = HeaderValue::from_static(encodings);
            let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, value)]);
            assert_eq!(takes_gzip(&headers), expected, "{encodings}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    #[test]
    fn every_script_is_embedded() {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/js");
        for entry in fs::read_dir(scripts).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            imports(&format!("js/{name}"));
        }
    }
}
