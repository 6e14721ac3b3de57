//! Configured services: any method and status, no redirect, the same address rules.

use std::fmt::Display;
use std::time::Duration;

use http::{Method, Request, StatusCode};
use lede_net::{FetchError, Net, Oversize, Phase, Refusal, ServiceLimits, Settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::site::{FakeResolver, Site, answer, ok, redirect, settings};

fn post(url: impl Display) -> Request<Vec<u8>> {
    Request::builder()
        .method(Method::POST)
        .uri(url.to_string())
        .header("authorization", "Bearer key")
        .header("content-type", "application/json")
        .body(b"{\"a\":1}".to_vec())
        .unwrap()
}

#[tokio::test]
async fn a_request_goes_out_as_it_is_and_the_answer_comes_back_whole() {
    let mut site = Site::serving(|_, mut stream| async move {
        let mut body = [0; 7];
        stream.read_exact(&mut body).await.unwrap();
        let bytes = answer("422 No", "X-Kind: test\r\n", body);
        stream.write_all(&bytes).await.unwrap();
    })
    .await;
    let peer = site.net().peer();
    let response = peer
        .send(post(site.url("/v1")), ServiceLimits::MODEL)
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(response.headers()["x-kind"], "test");
    assert_eq!(response.body(), b"{\"a\":1}");
    let head = site.request().await;
    assert!(head.starts_with("post /v1 http/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: bearer key\r\n"), "{head}");
    assert!(head.contains("user-agent: lede/"), "{head}");
}

#[tokio::test]
async fn redirects_are_answers_and_keys_stay_where_they_were_sent() {
    let mut other = Site::answering(ok("thanks for the key")).await;
    let target = other.url("/").to_string();
    let site = Site::answering_by(move |_| redirect(307, &target)).await;
    let net = Net::new(settings(&format!("{},{}", site.entry(), other.entry()))).unwrap();
    let response = net
        .peer()
        .send(post(site.url("/")), ServiceLimits::MODEL)
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::TEMPORARY_REDIRECT);
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn being_configured_does_not_open_a_private_address() {
    let mut site = Site::answering(ok("secret")).await;
    let peer = Net::new(settings("")).unwrap().peer();
    for limits in [
        ServiceLimits::MODEL,
        ServiceLimits::SIGN_IN,
        ServiceLimits::WEBHOOK,
    ] {
        let error = peer.send(post(site.url("/")), limits).await.unwrap_err();
        assert_eq!(error, FetchError::Refused(Refusal::Address));
    }
    assert!(site.requests().is_empty());
    for uri in ["http://user:pw@example.org/", "/relative", "http://0x7f.1/"] {
        assert!(
            peer.send(post(uri), ServiceLimits::MODEL)
                .await
                .unwrap_err()
                .is_policy()
        );
    }
}

#[tokio::test]
async fn webhooks_have_web_ports_and_their_own_list() {
    let resolver = FakeResolver::knowing("none.org", &[&[]]);
    let site = Site::answering(ok("noted")).await;
    let settings = Settings {
        webhook_allow: site.entry().parse().unwrap(),
        ..settings("")
    };
    let net = Net::with_resolver(settings, resolver).unwrap();
    let peer = net.peer();
    let request = || post("https://none.org:8443/");
    let error = peer
        .send(request(), ServiceLimits::WEBHOOK)
        .await
        .unwrap_err();
    assert_eq!(error, FetchError::Refused(Refusal::Port(8443)));
    let error = peer
        .send(request(), ServiceLimits::MODEL)
        .await
        .unwrap_err();
    assert_eq!(
        error,
        FetchError::Dns,
        "the operator's services may be on any port"
    );
    assert!(
        peer.send(post(site.url("/")), ServiceLimits::WEBHOOK)
            .await
            .is_ok()
    );
    let error = peer
        .send(post(site.url("/")), ServiceLimits::MODEL)
        .await
        .unwrap_err();
    assert!(
        error.is_policy(),
        "what is opened for webhooks is open for them alone"
    );
}

#[tokio::test]
async fn calls_have_their_own_limits() {
    let site = Site::answering(ok(vec![b'x'; 2 << 20])).await;
    let peer = site.net().peer();
    let error = peer
        .send(post(site.url("/")), ServiceLimits::MODEL)
        .await
        .unwrap_err();
    assert_eq!(error, FetchError::TooLarge(Oversize::Body(1 << 20)));
}

#[tokio::test]
async fn a_model_may_think_for_all_of_its_time_before_and_after_the_headers() {
    for started in ["", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n "] {
        let mut site = Site::stalling(started).await;
        let (peer, address) = (site.net().peer(), site.url("/"));
        let limit = Duration::from_secs(33);
        let calling = tokio::spawn(async move {
            peer.send(post(address), ServiceLimits::MODEL.within(limit))
                .await
        });
        site.request().await;
        tokio::time::pause();
        let error = calling.await.unwrap().unwrap_err();
        // The headers may take the whole time limit, so either of the two timers may fire first.
        assert!(
            matches!(error, FetchError::Timeout { phase: Phase::Total | Phase::Headers, limit: l } if l == limit)
        );
        tokio::time::resume();
    }
}
