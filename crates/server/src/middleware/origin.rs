//! Checks of origins and paths: is a request from our own pages, and does a path lead to them.

use axum::http::{HeaderMap, header};
use lede_model::address::WebUrl;

/// Returns `true` if the browser reports that another site sent the request.
///
/// Every current browser sends `Origin` or `Sec-Fetch-Site` with a write. A client that sends
/// neither is not being misled by a page, and still has to present its token.
///
/// Our own pages are at the requested host or at `home`, the base URL: a proxy may use another host
/// name than browsers do. If the instance is reached by https, a page on plain http counts as
/// another site whatever its host, because it can be forged on the network.
pub(crate) fn is_cross_site(headers: &HeaderMap, is_https: bool, home: &WebUrl) -> bool {
    let text = |name| {
        headers
            .get(name)
            .map(|value: &axum::http::HeaderValue| value.to_str().unwrap_or("invalid"))
    };
    if let Some(origin) = text(header::ORIGIN.as_str()) {
        let host = text(header::HOST.as_str()).unwrap_or_default();
        let (scheme, authority) = origin.split_once("://").unwrap_or_default();
        let is_asked_host =
            !authority.is_empty() && authority == host && (scheme == "https" || !is_https);
        return !is_asked_host && origin != home.as_url().origin().ascii_serialization();
    }
    text("sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none"))
}

/// Returns `path` if it is a path of this server, otherwise `/`. Used for redirects after sign-in.
pub(crate) fn local_path(path: &str) -> &str {
    let is_local = path.starts_with('/')
        && !path.starts_with("//")
        && !path.contains(['\\', '\r', '\n', '\t'])
        && path.len() <= 1024
        && path.bytes().all(|byte| byte.is_ascii_graphic());
    if is_local { path } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn another_site_is_recognised_by_what_browsers_say() {
        for (pairs, cross) in [
            (
                &[
                    ("origin", "http://localhost:8080"),
                    ("host", "localhost:8080"),
                ][..],
                false,
            ),
            (
                &[
                    ("origin", "https://evil.example"),
                    ("host", "localhost:8080"),
                ],
                true,
            ),
            (
                &[
                    ("origin", "http://localhost:9999"),
                    ("host", "localhost:8080"),
                ],
                true,
            ),
            (&[("origin", "null"), ("host", "localhost:8080")], true),
            (&[("sec-fetch-site", "same-origin")], false),
            (&[("sec-fetch-site", "cross-site")], true),
            (&[("sec-fetch-site", "same-site")], true),
            (&[], false),
        ] {
            let home = WebUrl::parse("http://localhost:8080").unwrap();
            assert_eq!(
                is_cross_site(&headers(pairs), false, &home),
                cross,
                "{pairs:?}"
            );
        }
    }

    #[test]
    fn behind_a_proxy_the_base_url_says_where_our_pages_are() {
        for (origin, cross) in [
            ("https://news.example", false),
            ("http://news.example", true),
            ("https://news.example:444", true),
            ("https://10.0.0.7:8080", false),
            ("http://10.0.0.7:8080", true),
        ] {
            let headers = headers(&[("origin", origin), ("host", "10.0.0.7:8080")]);
            let home = WebUrl::parse("https://news.example/lede").unwrap();
            assert_eq!(is_cross_site(&headers, true, &home), cross, "{origin}");
        }
    }

    #[test]
    fn sign_in_redirects_only_within_the_site() {
        for (path, safe) in [
            ("/items/7?x=1", "/items/7?x=1"),
            ("//evil.example", "/"),
            ("/\\evil.example", "/"),
            ("https://evil.example", "/"),
            ("", "/"),
            ("/a\r\nSet-Cookie: x", "/"),
        ] {
            assert_eq!(local_path(path), safe);
        }
    }
}
