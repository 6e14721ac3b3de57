//! Limits on time and size.

use std::time::Duration;

use futures_util::future::BoxFuture;
use lede_net::{
    Conditions, FetchError, Limits, Net, Outcome, Oversize, Phase, Purpose, Resolve, Settings,
};
use tokio::io::AsyncWriteExt;
use tokio::time::Instant;

use crate::site::{Site, answer, fetch, ok, redirect, settings, url};

fn timeout(phase: Phase, seconds: u64) -> FetchError {
    let limit = Duration::from_secs(seconds);
    FetchError::Timeout { phase, limit }
}

/// Starts a fetch, pauses the clock as soon as the server has the request, and returns the error.
async fn error_when_the_clock_runs_on(mut site: Site, settings: Settings) -> FetchError {
    let (net, address) = (Net::new(settings).unwrap(), site.url("/"));
    let fetching = tokio::spawn(async move { fetch(&net, &address).await });
    site.request().await;
    tokio::time::pause();
    fetching.await.unwrap().unwrap_err()
}

#[tokio::test]
async fn headers_have_ten_seconds() {
    for started in ["", "HTTP/1.1 200 OK\r\nX-Slow: y"] {
        let site = Site::stalling(started).await;
        let settings = site.settings();
        let error = error_when_the_clock_runs_on(site, settings).await;
        assert_eq!(error, timeout(Phase::Headers, 10));
        tokio::time::resume();
    }
}

#[tokio::test]
async fn a_stalled_body_ends_with_the_deadline() {
    let site = Site::stalling("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nsome").await;
    let settings = Settings {
        feed_deadline: Duration::from_secs(2),
        ..site.settings()
    };
    let error = error_when_the_clock_runs_on(site, settings).await;
    assert_eq!(error, timeout(Phase::Total, 2));
}

#[tokio::test]
async fn time_that_one_hop_took_is_missing_for_the_next() {
    let (release, released) = tokio::sync::watch::channel(false);
    let mut site = Site::serving(move |head, mut stream| {
        let mut released = released.clone();
        async move {
            if head.starts_with("get / ") {
                released.wait_for(|released| *released).await.unwrap();
                stream.write_all(&redirect(302, "/next")).await.unwrap();
            } else {
                std::future::pending::<()>().await;
            }
        }
    })
    .await;
    let settings = Settings {
        feed_deadline: Duration::from_secs(10),
        ..site.settings()
    };
    let (net, address) = (Net::new(settings).unwrap(), site.url("/"));
    let fetching = tokio::spawn(async move { fetch(&net, &address).await });
    site.request().await;
    let began = Instant::now();
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(8)).await;
    tokio::time::resume();
    release.send(true).unwrap();
    site.request().await;
    tokio::time::pause();
    assert_eq!(
        fetching.await.unwrap().unwrap_err(),
        timeout(Phase::Total, 10)
    );
    assert!(
        began.elapsed() < Duration::from_secs(11),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn resolving_has_five_seconds() {
    struct Silent;
    impl Resolve for Silent {
        fn resolve(&self, _: String) -> BoxFuture<'static, std::io::Result<Vec<std::net::IpAddr>>> {
            Box::pin(std::future::pending())
        }
    }
    let net = Net::with_resolver(settings(""), std::sync::Arc::new(Silent)).unwrap();
    let error = fetch(&net, &url("http://slow.org/")).await.unwrap_err();
    assert_eq!(error, timeout(Phase::Dns, 5));
}

/// A listener with a full queue silently drops further connections, like a black hole.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn connecting_has_five_seconds() {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    #[expect(clippy::disallowed_methods, reason = "fills the queue of the listener")]
    let _first = std::net::TcpStream::connect(address).unwrap();
    let net = Net::new(settings(&address.to_string())).unwrap();
    tokio::time::pause();
    let error = fetch(&net, &url(&format!("http://{address}/")))
        .await
        .unwrap_err();
    assert_eq!(error, timeout(Phase::Connect, 5));
}

#[tokio::test]
async fn a_large_content_length_is_refused_at_once() {
    // The body never comes: a client that waited for it would run into the timeout of the test.
    let site = Site::stalling("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n").await;
    assert_eq!(
        site.error().await,
        FetchError::TooLarge(Oversize::Body(16 << 20))
    );
}

#[tokio::test]
async fn an_endless_body_is_cut_at_the_limit() {
    for head in [
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    ] {
        let site = Site::serving(move |_, mut stream| async move {
            let piece = if head.contains("chunked") {
                [b"1000\r\n".as_slice(), &[b'x'; 4096], b"\r\n"].concat()
            } else {
                vec![b'x'; 4096]
            };
            let _ = stream.write_all(head.as_bytes()).await;
            while stream.write_all(&piece).await.is_ok() {}
        })
        .await;
        let settings = Settings {
            max_feed_bytes: 100 * 1024,
            ..site.settings()
        };
        let error = fetch(&Net::new(settings).unwrap(), &site.url("/")).await;
        assert_eq!(
            error.unwrap_err(),
            FetchError::TooLarge(Oversize::Body(100 * 1024))
        );
    }
}

#[tokio::test]
async fn a_body_of_exactly_the_limit_is_read() {
    for (length, fits) in [(256 * 1024, true), (256 * 1024 + 1, false)] {
        let site = Site::answering(ok(vec![b'x'; length])).await;
        // The port is permitted by the allow-list; the size limit is that of icons.
        let result = site
            .net()
            .fetch(&site.url("/"), Purpose::Icon, &Conditions::default())
            .await;
        match result {
            Ok(fetched) => assert!(fits && fetched.body().unwrap().len() == length),
            Err(error) => {
                let limit = Limits::ICON.decoded_bytes;
                assert!(!fits && error == FetchError::TooLarge(Oversize::Body(limit)));
            }
        }
    }
}

#[tokio::test]
async fn a_hundred_header_lines_of_64_kib_are_the_most() {
    let lines = |count: usize, length: usize| {
        (0..count)
            .map(|number| format!("X-{number}: {}\r\n", "y".repeat(length)))
            .collect::<String>()
    };
    // `answer` adds one header line of its own.
    for (headers, fits) in [
        (lines(99, 1), true),
        (lines(100, 1), false),
        (lines(90, 600), true),
        (lines(90, 800), false),
        (lines(1, 50_000), true),
        (lines(1, 70_000), false),
    ] {
        let result = Site::answering(answer("200 OK", &headers, "x"))
            .await
            .fetched()
            .await;
        match result {
            Ok(_) => assert!(fits, "{} bytes passed", headers.len()),
            Err(error) => {
                assert!(!fits, "{} bytes: {error:?}", headers.len());
                assert_eq!(error, FetchError::TooLarge(Oversize::Headers));
            }
        }
    }
}

#[tokio::test]
async fn endless_headers_are_cut() {
    let site = Site::serving(|_, mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nX: ").await;
        while stream.write_all(&[b'y'; 4096]).await.is_ok() {}
    })
    .await;
    assert_eq!(site.error().await, FetchError::TooLarge(Oversize::Headers));
}

#[tokio::test]
async fn what_was_cut_short_is_an_error() {
    for bytes in [
        "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\nhello",
    ] {
        assert_eq!(
            Site::answering(bytes).await.error().await,
            FetchError::Truncated,
            "{bytes}"
        );
    }
}

#[tokio::test]
async fn whole_bodies_are_read_however_their_end_is_told() {
    for bytes in [
        "HTTP/1.0 200 OK\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nbroken header line\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    ] {
        let fetched = Site::answering(bytes).await.fetched().await.unwrap();
        assert_eq!(fetched.outcome, Outcome::Body("hello".into()), "{bytes}");
    }
}

#[tokio::test]
async fn what_is_not_http_is_named_as_such() {
    assert_eq!(
        Site::answering("220 mail.org ESMTP\r\n")
            .await
            .error()
            .await,
        FetchError::Protocol
    );
    assert_eq!(Site::answering("").await.error().await, FetchError::Connect);
}
