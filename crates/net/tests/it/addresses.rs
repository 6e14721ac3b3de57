//! Permitted destinations, tested over real sockets and with a resolver that lies.

use lede_net::{Conditions, FetchError, Net, Outcome, Purpose, Refusal, Settings};
use tokio::net::TcpListener;

use crate::site::{FakeResolver, Site, fetch, ok, settings, url};

#[tokio::test]
async fn an_opened_address_is_fetched() {
    let mut site = Site::answering(ok("<rss/>")).await;
    let fetched = site.fetched().await.unwrap();
    assert_eq!(fetched.outcome, Outcome::Body("<rss/>".into()));
    assert_eq!(fetched.url, site.url("/"));
    assert_eq!(fetched.moved_permanently_to, None);
    let head = site.request().await;
    assert!(head.starts_with("get / http/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("host: 127.0.0.1:{}\r\n", site.port)));
    assert!(head.contains("user-agent: lede/"), "{head}");
    assert!(
        !head.contains("cookie") && !head.contains("referer"),
        "{head}"
    );
}

#[tokio::test]
async fn nothing_on_loopback_is_reached_without_the_operators_word() {
    let mut site = Site::answering(ok("secret")).await;
    let net = Net::new(settings("")).unwrap();
    for host in [
        "127.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::7f00:1]",
    ] {
        let address = url(&format!("http://{host}:{}/", site.port));
        for purpose in [Purpose::Feed, Purpose::Page, Purpose::Image, Purpose::Icon] {
            let error = net
                .fetch(&address, purpose, &Conditions::default())
                .await
                .unwrap_err();
            assert!(
                error.is_policy() && error.kind() == "policy",
                "{host}: {error:?}"
            );
        }
    }
    assert!(site.requests().is_empty());
}

#[tokio::test]
async fn reserved_names_are_refused_before_anybody_is_asked() {
    let resolver = FakeResolver::knowing("localhost", &[&["127.0.0.1"]]);
    let net = Net::with_resolver(settings("127.0.0.1"), resolver.clone()).unwrap();
    for host in [
        "localhost",
        "nas.lan",
        "metadata.google.internal",
        "printer",
        "a.org.",
    ] {
        let error = fetch(&net, &url(&format!("http://{host}/")))
            .await
            .unwrap_err();
        assert_eq!(error, FetchError::Refused(Refusal::Name), "{host}");
    }
    assert_eq!(resolver.asked(), 0);
}

#[tokio::test]
async fn a_name_that_the_operator_opened_may_point_anywhere_on_its_port() {
    let site = Site::answering(ok("hello")).await;
    let resolver = FakeResolver::knowing("nas.lan", &[&["127.0.0.1"]]);
    let settings = settings(&format!("nas.lan:{}", site.port));
    let net = Net::with_resolver(settings, resolver).unwrap();
    let address = format!("http://nas.lan:{}/", site.port);
    assert!(fetch(&net, &url(&address)).await.is_ok());
    let neighbour = Site::answering(ok("secret")).await;
    let address = format!("http://nas.lan:{}/", neighbour.port);
    assert!(fetch(&net, &url(&address)).await.unwrap_err().is_policy());
}

#[tokio::test]
async fn an_opened_port_does_not_open_its_neighbour() {
    let open = Site::answering(ok("hello")).await;
    let mut closed = Site::answering(ok("secret")).await;
    let error = fetch(&open.net(), &closed.url("/")).await.unwrap_err();
    assert_eq!(error, FetchError::Refused(Refusal::Address));
    assert!(closed.requests().is_empty());
}

#[tokio::test]
async fn an_answer_that_turns_private_is_refused_the_next_time() {
    let mut site = Site::answering(ok("hello")).await;
    let resolver = FakeResolver::knowing("rebind.org", &[&["127.0.0.1"], &["127.0.0.2"]]);
    // The address of the site stands for a public one; 127.0.0.2 stays private.
    let net = Net::with_resolver(site.settings(), resolver.clone()).unwrap();
    let address = url(&format!("http://rebind.org:{}/", site.port));
    assert!(fetch(&net, &address).await.is_ok());
    assert_eq!(resolver.asked(), 1, "checked and connected on one answer");
    site.request().await;
    let error = fetch(&net, &address).await.unwrap_err();
    assert_eq!(error, FetchError::Refused(Refusal::Address));
    assert_eq!(resolver.asked(), 2);
    assert!(site.requests().is_empty());
}

#[tokio::test]
async fn a_mixed_answer_is_dropped_whole() {
    let mut site = Site::answering(ok("hello")).await;
    let resolver = FakeResolver::knowing("mixed.org", &[&["127.0.0.1", "10.0.0.1"]]);
    let net = Net::with_resolver(site.settings(), resolver).unwrap();
    let error = fetch(&net, &url(&format!("http://mixed.org:{}/", site.port))).await;
    assert_eq!(error.unwrap_err(), FetchError::Refused(Refusal::Address));
    assert!(site.requests().is_empty());
}

#[tokio::test]
async fn the_second_address_is_tried_when_the_first_does_not_answer() {
    let site = Site::answering(ok("hello")).await;
    // Nothing listens at the site's port on 127.0.0.2.
    let resolver = FakeResolver::knowing("two.org", &[&["127.0.0.2", "127.0.0.1"]]);
    let settings = settings(&format!("127.0.0.0/8:{}", site.port));
    let net = Net::with_resolver(settings, resolver).unwrap();
    let fetched = fetch(&net, &url(&format!("http://two.org:{}/", site.port))).await;
    assert!(fetched.is_ok());
}

#[tokio::test]
async fn ports_are_those_of_the_purpose() {
    // The resolver knows no names: a request that passes the port rule fails there, without a
    // connection.
    let resolver = FakeResolver::knowing("none.org", &[&[]]);
    let net = Net::with_resolver(Settings::default(), resolver).unwrap();
    for (purpose, port, open) in [
        (Purpose::Feed, 8443, true),
        (Purpose::Feed, 22, false),
        (Purpose::Page, 8443, false),
        (Purpose::Page, 443, true),
        (Purpose::Image, 8080, false),
        (Purpose::Icon, 8080, false),
    ] {
        let address = url(&format!("http://site{port}.org:{port}/"));
        let error = net.fetch(&address, purpose, &Conditions::default()).await;
        let expected = if open {
            FetchError::Dns
        } else {
            FetchError::Refused(Refusal::Port(port))
        };
        assert_eq!(error.unwrap_err(), expected);
    }
}

#[tokio::test]
async fn names_without_an_address_and_closed_doors_have_their_own_errors() {
    let resolver = FakeResolver::knowing("empty.org", &[&[]]);
    let net = Net::with_resolver(settings(""), resolver).unwrap();
    for name in ["empty.org", "unknown.org"] {
        let error = fetch(&net, &url(&format!("http://{name}/")))
            .await
            .unwrap_err();
        assert_eq!(error, FetchError::Dns);
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let net = Net::new(settings(&address.to_string())).unwrap();
    let error = fetch(&net, &url(&format!("http://{address}/")))
        .await
        .unwrap_err();
    assert_eq!(error, FetchError::Connect);
}

#[tokio::test]
async fn errors_tell_the_kind_and_not_the_address() {
    let resolver = FakeResolver::knowing("secret-name.org", &[&["10.11.12.13"]]);
    let net = Net::with_resolver(settings(""), resolver).unwrap();
    let error = fetch(&net, &url("http://secret-name.org/"))
        .await
        .unwrap_err();
    let text = format!("{error} {error:?}");
    assert!(
        !text.contains("10.11") && !text.contains("secret-name"),
        "{text}"
    );
    let site = Site::answering(crate::site::answer("500 Oops", "", "secret body")).await;
    let error = site.error().await;
    let text = format!("{error} {error:?}");
    assert!(
        !text.contains("secret") && !text.contains("127.0.0"),
        "{text}"
    );
}
