//! Sites of the demo: files in the repository with dates relative to now.

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use lede_core::clock::Clock;
use lede_model::time::Timestamp;

/// Addresses that the demo follows: one site by its page, as users do, the others by their feed.
pub(super) const FEEDS: [&str; 3] = ["/harbour/", "/lab/feed.json", "/machi/atom.xml"];

const HARBOUR_PAGE: &str = include_str!("../../demo/harbour.html");
const HARBOUR: &str = include_str!("../../demo/harbour.rss");
const LAB: &str = include_str!("../../demo/lab.json");
const MACHI: &str = include_str!("../../demo/machi.atom");

pub(super) fn router(clock: Clock) -> Router {
    Router::new()
        .route(
            "/harbour/",
            get(|| async {
                (
                    [(header::CONTENT_TYPE, "text/html; charset=utf-8")],
                    HARBOUR_PAGE,
                )
            }),
        )
        .route(
            "/harbour/feed.rss",
            get(|clock| feed(clock, HARBOUR, "application/rss+xml")),
        )
        .route(
            "/lab/feed.json",
            get(|clock| feed(clock, LAB, "application/feed+json")),
        )
        .route(
            "/machi/atom.xml",
            get(|clock| feed(clock, MACHI, "application/atom+xml")),
        )
        .with_state(clock)
}

async fn feed(
    State(clock): State<Clock>,
    text: &'static str,
    content_type: &'static str,
) -> impl IntoResponse {
    (
        [(header::CONTENT_TYPE, content_type)],
        with_dates(text, clock.now()),
    )
}

/// Replaces `{ago 90m}` with the instant ninety minutes ago, so that the samples stay fresh.
fn with_dates(text: &str, now: Timestamp) -> String {
    let mut parts = text.split("{ago ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (minutes, rest) = part.split_once("m}").unwrap_or(("0", part));
        let minutes = minutes.parse::<u64>().unwrap_or(0);
        out.push_str(&(now - Duration::from_secs(minutes * 60)).to_string());
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_move_along() {
        let now = Timestamp::from_seconds(1_735_689_600);
        assert_eq!(with_dates("a {ago 60m} b", now), "a 2024-12-31T23:00:00Z b");
    }
}
