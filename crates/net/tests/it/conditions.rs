//! Conditional requests, status codes and time-related headers.

use std::time::Duration;

use http::StatusCode;
use lede_net::{BotWall, Conditions, FetchError, Outcome, Purpose};

use crate::site::{Site, answer, fetch, redirect};

fn known() -> Conditions {
    Conditions {
        etag: Some("\"v1\"".into()),
        last_modified: Some("Sun, 06 Nov 1994 08:49:37 GMT".into()),
    }
}

const NOT_MODIFIED: &str =
    "HTTP/1.1 304 Not Modified\r\nETag: \"v2\"\r\nCache-Control: max-age=600\r\n\r\n";

#[tokio::test]
async fn conditions_are_sent_and_not_modified_is_an_outcome() {
    let mut site = Site::answering(NOT_MODIFIED).await;
    let net = site.net();
    let fetched = net
        .fetch(&site.url("/"), Purpose::Feed, &known())
        .await
        .unwrap();
    assert_eq!(fetched.outcome, Outcome::NotModified);
    assert_eq!(fetched.etag.as_deref(), Some("\"v2\""));
    assert_eq!(fetched.last_modified, known().last_modified);
    assert_eq!(fetched.cache.max_age, Some(Duration::from_secs(600)));
    let head = site.request().await;
    assert!(head.contains("if-none-match: \"v1\"\r\n"), "{head}");
    assert!(
        head.contains("if-modified-since: sun, 06 nov 1994 08:49:37 gmt\r\n"),
        "{head}"
    );
}

#[tokio::test]
async fn not_modified_without_a_condition_is_an_error() {
    let site = Site::answering(NOT_MODIFIED).await;
    assert_eq!(site.error().await, FetchError::UnexpectedNotModified);
    // A validator that cannot be sent is no condition either.
    for etag in ["x".repeat(1025), "a\nb".into(), String::new()] {
        let conditions = Conditions {
            etag: Some(etag),
            last_modified: None,
        };
        let result = site
            .net()
            .fetch(&site.url("/"), Purpose::Feed, &conditions)
            .await;
        assert_eq!(result.unwrap_err(), FetchError::UnexpectedNotModified);
    }
}

#[tokio::test]
async fn the_same_validator_with_a_body_is_not_modified() {
    let site = Site::answering(answer("200 OK", "ETag: \"v1\"\r\n", "again")).await;
    let fetched = site
        .net()
        .fetch(&site.url("/"), Purpose::Feed, &known())
        .await
        .unwrap();
    assert_eq!(fetched.outcome, Outcome::NotModified);
    let fetched = site.fetched().await.unwrap();
    assert_eq!(fetched.outcome, Outcome::Body("again".into()));
    assert_eq!(fetched.etag.as_deref(), Some("\"v1\""));
}

#[tokio::test]
async fn conditions_follow_within_the_origin_and_no_further() {
    let mut other = Site::answering(answer("200 OK", "", "there")).await;
    let target = other.url("/feed").to_string();
    let mut site = Site::answering_by(move |head| match head.split(' ').nth(1) {
        Some("/away") => redirect(302, &target),
        Some("/inside") => redirect(302, "/here"),
        _ => answer("200 OK", "", "here"),
    })
    .await;
    let allow = format!("{},{}", site.entry(), other.entry());
    let net = lede_net::Net::new(crate::site::settings(&allow)).unwrap();
    net.fetch(&site.url("/inside"), Purpose::Feed, &known())
        .await
        .unwrap();
    for head in [site.request().await, site.request().await] {
        assert!(head.contains("if-none-match"), "{head}");
    }
    net.fetch(&site.url("/away"), Purpose::Feed, &known())
        .await
        .unwrap();
    assert!(site.request().await.contains("if-none-match"));
    let head = other.request().await;
    assert!(
        !head.contains("if-none-match") && !head.contains("if-modified-since"),
        "{head}"
    );
}

#[tokio::test]
async fn a_refusal_carries_its_status_and_when_to_come_back() {
    let minutes = |n: u64| Some(Duration::from_secs(n * 60));
    for (status, headers, code, retry_after) in [
        ("404 Not Found", "", StatusCode::NOT_FOUND, None),
        ("410 Gone", "", StatusCode::GONE, None),
        ("206 Partial Content", "", StatusCode::PARTIAL_CONTENT, None),
        (
            "300 Multiple Choices",
            "Location: /x\r\n",
            StatusCode::MULTIPLE_CHOICES,
            None,
        ),
        (
            "429 Slow",
            "Retry-After: 600\r\n",
            StatusCode::TOO_MANY_REQUESTS,
            minutes(10),
        ),
        (
            "429 Slow",
            "Retry-After: -5\r\n",
            StatusCode::TOO_MANY_REQUESTS,
            None,
        ),
        (
            "503 Later",
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 09:49:37 GMT\r\n",
            StatusCode::SERVICE_UNAVAILABLE,
            minutes(60),
        ),
    ] {
        let error = Site::answering(answer(status, headers, "words"))
            .await
            .error()
            .await;
        assert_eq!(
            error,
            FetchError::Status {
                status: code,
                retry_after
            }
        );
        assert_eq!(error.retry_after(), retry_after);
        assert_eq!(error.kind(), "status");
    }
}

#[tokio::test]
async fn bot_walls_are_named() {
    for (status, header, wall) in [
        ("403 No", "cf-mitigated: challenge\r\n", BotWall::Cloudflare),
        ("503 No", "cf-mitigated: challenge\r\n", BotWall::Cloudflare),
        ("403 No", "X-DataDome: protected\r\n", BotWall::DataDome),
    ] {
        let error = Site::answering(answer(status, header, "<html>"))
            .await
            .error()
            .await;
        assert_eq!(error, FetchError::BotWall(wall));
        assert_eq!(error.kind(), "bot_wall");
    }
    let passed = answer("200 OK", "X-DataDome: protected\r\n", "fine");
    assert!(Site::answering(passed).await.fetched().await.is_ok());
}

#[tokio::test]
async fn publishers_hear_how_many_people_read_them() {
    let mut site = Site::answering(answer("200 OK", "Content-Type: text/xml\r\n", "x")).await;
    let none = Conditions::default();
    let fetched = site
        .net()
        .fetch_feed(&site.url("/"), &none, 3, None)
        .await
        .unwrap();
    assert_eq!(fetched.content_type.as_deref(), Some("text/xml"));
    let head = site.request().await;
    assert!(head.contains("; 3 subscribers)\r\n"), "{head}");
    fetch(&site.net(), &site.url("/")).await.unwrap();
    assert!(!site.request().await.contains("subscribers"));
}
