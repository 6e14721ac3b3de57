//! Redirects are followed by hand, and every hop is checked like the first.

use lede_model::address::AddressError;
use lede_net::{Conditions, FetchError, Net, Purpose, Refusal, Settings};

use crate::site::{Site, answer, fetch, ok, redirect, settings};

/// Starts a site that counts down: `/3` redirects to `/2` and so on to `/0`, which returns a body.
async fn counting_down(status: u16) -> Site {
    Site::answering_by(move |head| {
        let path = head.split(' ').nth(1).unwrap_or_default();
        match path.trim_start_matches('/').parse::<u32>() {
            Ok(0) => ok("arrived"),
            Ok(number) => redirect(status, &format!("/{}", number - 1)),
            Err(_) => redirect(status, "/loop"),
        }
    })
    .await
}

#[tokio::test]
async fn five_hops_are_followed_and_no_more() {
    let site = counting_down(302).await;
    let net = site.net();
    let fetched = fetch(&net, &site.url("/5")).await.unwrap();
    assert_eq!(fetched.url, site.url("/0"));
    assert_eq!(fetched.moved_permanently_to, None);
    let too_many = FetchError::TooManyRedirects(5);
    assert_eq!(fetch(&net, &site.url("/6")).await.unwrap_err(), too_many);
    assert_eq!(fetch(&net, &site.url("/loop")).await.unwrap_err(), too_many);
}

#[tokio::test]
async fn the_operator_may_lower_the_number_for_pages() {
    let site = counting_down(302).await;
    let settings = Settings {
        page_redirects: 1,
        ..site.settings()
    };
    let net = Net::new(settings).unwrap();
    let none = Conditions::default();
    assert!(
        net.fetch(&site.url("/1"), Purpose::Page, &none)
            .await
            .is_ok()
    );
    let error = net.fetch(&site.url("/2"), Purpose::Page, &none).await;
    assert_eq!(error.unwrap_err(), FetchError::TooManyRedirects(1));
}

#[tokio::test]
async fn only_a_wholly_permanent_chain_is_a_move() {
    for (statuses, moved) in [
        ([301, 308], true),
        ([301, 301], true),
        ([301, 302], false),
        ([307, 308], false),
        ([303, 301], false),
    ] {
        let site = Site::answering_by(move |head| match head.split(' ').nth(1) {
            Some("/") => redirect(statuses[0], "/a"),
            Some("/a") => redirect(statuses[1], "/b?c=d"),
            _ => ok("arrived"),
        })
        .await;
        let fetched = site.fetched().await.unwrap();
        assert_eq!(fetched.url, site.url("/b?c=d"));
        assert_eq!(
            fetched.moved_permanently_to,
            moved.then(|| site.url("/b?c=d")),
            "{statuses:?}"
        );
    }
}

#[tokio::test]
async fn a_hop_to_a_forbidden_place_is_refused_like_a_first_request() {
    for (location, refusal) in [
        ("http://127.0.0.1:1/", Refusal::Address),
        ("http://10.0.0.1/", Refusal::Address),
        ("http://169.254.169.254/latest/meta-data/", Refusal::Address),
        ("//[::1]/", Refusal::Address),
        ("http://[::ffff:127.0.0.1]/", Refusal::Address),
        ("http://localhost/", Refusal::Name),
        ("https://metadata.google.internal/", Refusal::Name),
        ("http://8.8.8.8:22/", Refusal::Port(22)),
    ] {
        let error = Site::answering(redirect(302, location)).await.error().await;
        assert_eq!(error, FetchError::Refused(refusal), "{location}");
        assert!(error.is_policy());
    }
}

#[tokio::test]
async fn a_hop_to_no_proper_web_address_is_refused() {
    for (location, problem) in [
        (
            "ftp://example.org/",
            AddressError::Scheme {
                scheme: "ftp".into(),
            },
        ),
        (
            "file:///etc/passwd",
            AddressError::Scheme {
                scheme: "file".into(),
            },
        ),
        (
            "gopher://example.org/",
            AddressError::Scheme {
                scheme: "gopher".into(),
            },
        ),
        ("http://0x7f.1/", AddressError::ObscureHost),
        ("http://2130706433/", AddressError::ObscureHost),
        ("http://0177.0.0.1/", AddressError::ObscureHost),
        ("http://user:pw@example.org/", AddressError::Credentials),
        ("http:\\\\example.org\\", AddressError::ForbiddenCharacter),
        ("http://exa mple.org/", AddressError::ForbiddenCharacter),
    ] {
        let error = Site::answering(redirect(302, location)).await.error().await;
        assert_eq!(error, FetchError::Address(problem), "{location}");
        assert!(error.is_policy());
    }
    let long = format!("/{}", "x".repeat(2100));
    let error = Site::answering(redirect(302, &long)).await.error().await;
    assert_eq!(error, FetchError::Address(AddressError::TooLong));
}

#[tokio::test]
async fn the_allow_list_is_asked_again_at_each_hop() {
    let mut closed = Site::answering(ok("secret")).await;
    let target = closed.url("/").to_string();
    let open = Site::answering_by(move |_| redirect(301, &target)).await;
    assert_eq!(open.error().await, FetchError::Refused(Refusal::Address));
    assert!(closed.requests().is_empty());
    let net = Net::new(settings(&format!("{},{}", open.entry(), closed.entry()))).unwrap();
    let fetched = fetch(&net, &open.url("/")).await.unwrap();
    assert_eq!(fetched.url, closed.url("/"));
}

#[tokio::test]
async fn the_body_of_a_redirect_is_not_read_and_a_refresh_is_not_followed() {
    let site = Site::answering_by(|head| {
        if head.starts_with("get / ") {
            // Ninety-nine bytes are announced and none is sent.
            b"HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 99\r\n\r\n".to_vec()
        } else {
            answer("200 OK", "Refresh: 0; url=http://127.0.0.1:1/\r\n", "next")
        }
    })
    .await;
    let fetched = site.fetched().await.unwrap();
    assert_eq!(fetched.url, site.url("/next"));
    assert_eq!(fetched.body().unwrap(), "next");
}

#[tokio::test]
async fn a_redirect_needs_a_target() {
    let error = Site::answering(answer("302 Found", "", ""))
        .await
        .error()
        .await;
    assert_eq!(error, FetchError::RedirectWithoutTarget);
}

#[tokio::test]
async fn a_target_in_utf_8_is_understood() {
    let site = Site::answering_by(|head| {
        if head.starts_with("get / ") {
            redirect(301, "/zürich")
        } else {
            ok("grüezi")
        }
    })
    .await;
    assert_eq!(site.fetched().await.unwrap().url, site.url("/z%C3%BCrich"));
}
