//! Connections and bodies that clients hold open: deadlines, limits, and the rules for keep-alive.

use std::time::Duration;

use http::{Request, StatusCode};
use http_body_util::channel::Channel;
use hyper::body::Bytes;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use lede_server::Transport;
use lede_testkit::{ADMIN, Options, PASSWORD, TestLede, on_each_engine, on_each_engine_with};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::program::Program;

/// Longer than any deadline of these tests; a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(30);
/// Deadline that tests actually wait for.
const SHORT: Duration = Duration::from_millis(300);
/// Unfinished bodies that the server waits for at once, from one address without a session.
const ANONYMOUS_BODIES: usize = 16;

fn with_transport(transport: Transport) -> Options {
    Options {
        transport,
        ..Options::default()
    }
}

/// A connection on which a test writes HTTP by hand.
struct Raw(TcpStream);

impl Raw {
    #[expect(
        clippy::disallowed_methods,
        reason = "tests come in from outside, not through lede-net"
    )]
    async fn open(address: std::net::SocketAddr) -> Self {
        Self(
            TcpStream::connect(address)
                .await
                .expect("the server listens"),
        )
    }

    async fn opening_with(lede: &TestLede, text: &str) -> Self {
        let mut raw = Self::open(lede.address()).await;
        raw.send(text).await;
        raw
    }

    async fn send(&mut self, text: &str) {
        let sent = self.0.write_all(text.as_bytes()).await;
        sent.expect("the connection takes it");
    }

    /// Reads the head and body of the next answer, which must have a `Content-Length`.
    async fn answer(&mut self) -> String {
        let reading = async {
            let mut text = Vec::new();
            loop {
                let mut piece = [0; 4096];
                let count = self.0.read(&mut piece).await.expect("an answer");
                assert_ne!(
                    count,
                    0,
                    "closed after {:?}",
                    String::from_utf8_lossy(&text)
                );
                text.extend_from_slice(&piece[..count]);
                let so_far = String::from_utf8_lossy(&text).into_owned();
                let Some((head, body)) = so_far.split_once("\r\n\r\n") else {
                    continue;
                };
                let length = header(head, "content-length").parse().unwrap_or(0);
                if body.len() >= length {
                    return so_far;
                }
            }
        };
        let read = tokio::time::timeout(PATIENCE, reading).await;
        read.expect("an answer in time")
    }

    /// Waits until the server closes the connection.
    async fn closed(&mut self) {
        let reading = async {
            let mut thrown_away = [0; 4096];
            while !matches!(self.0.read(&mut thrown_away).await, Ok(0) | Err(_)) {}
        };
        let closed = tokio::time::timeout(PATIENCE, reading).await;
        closed.expect("the server closes the connection");
    }
}

fn header<'a>(head: &'a str, name: &str) -> &'a str {
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    let mut values = lines.filter(|(found, _)| found.eq_ignore_ascii_case(name));
    values.next().map_or("", |(_, value)| value)
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

/// A JSON request that announces a body of `length` bytes and sends only `begun`.
fn begun(method: &str, path: &str, length: usize, begun: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{begun}"
    )
}

/// Checks the sign-in page, its form and the token endpoint.
async fn sign_in_works(lede: &TestLede) {
    lede.visitor().get("/auth/login").await.expect(200);
    lede.browser().await;
    let credentials = json!({"email": ADMIN, "password": PASSWORD});
    let signed_in = lede.visitor().post("/auth/token", credentials).await;
    signed_in.expect(200);
}

#[tokio::test]
async fn unfinished_bodies_do_not_keep_others_from_signing_in() {
    on_each_engine(async |lede: TestLede| {
        let mut dribbling = JoinSet::new();
        for _ in 0..512 {
            let text = begun("POST", "/api/auth/login", 100_000, "{");
            let mut raw = Raw::opening_with(&lede, &text).await;
            dribbling.spawn(async move {
                let answer = raw.answer().await;
                assert_eq!(status(&answer), "408", "{answer}");
                assert_eq!(header(&answer, "connection"), "close");
            });
        }
        // The most recent bodies are still waited for; those answered here had waited longest.
        for _ in ANONYMOUS_BODIES..512 {
            dribbling.join_next().await.unwrap().unwrap();
        }
        sign_in_works(&lede).await;
        let reader = lede.admin().await;
        reader.get("/api/posts").await.expect(200);
        reader.get("/health").await.expect(200);
    })
    .await;
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests come in from outside, not through lede-net"
)]
async fn http2(lede: &TestLede) -> (http2::SendRequest<Channel<Bytes>>, JoinSet<()>) {
    let stream = TcpStream::connect(lede.address()).await.unwrap();
    let (client, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
        .await
        .unwrap();
    let mut driver = JoinSet::new();
    driver.spawn(async move {
        let _ = connection.await;
    });
    (client, driver)
}

#[tokio::test]
async fn unfinished_bodies_on_http2_do_not_either() {
    on_each_engine(async |lede: TestLede| {
        let mut streams = JoinSet::new();
        let mut bodies = Vec::new();
        let mut connections = Vec::new();
        for _ in 0..3 {
            let (mut client, driver) = http2(&lede).await;
            for _ in 0..200 {
                let (mut sender, body) = Channel::new(1);
                let request = Request::post("http://localhost/api/auth/login")
                    .header("content-type", "application/json")
                    .header("content-length", "100000");
                sender.send_data(Bytes::from_static(b"{")).await.unwrap();
                bodies.push(sender);
                streams.spawn(client.send_request(request.body(body).unwrap()));
            }
            connections.push((client, driver));
        }
        for _ in ANONYMOUS_BODIES..600 {
            let answer = streams.join_next().await.unwrap().unwrap().unwrap();
            assert_eq!(answer.status(), StatusCode::REQUEST_TIMEOUT);
        }
        sign_in_works(&lede).await;
    })
    .await;
}

#[tokio::test]
async fn a_body_has_a_deadline_in_all_and_from_piece_to_piece() {
    let long = Transport::default();
    for transport in [
        Transport {
            body_timeout: SHORT,
            ..long.clone()
        },
        Transport {
            body_progress_timeout: SHORT,
            ..long
        },
    ] {
        on_each_engine_with(with_transport(transport), async |lede: TestLede| {
            let text = begun("POST", "/api/auth/login", 100, "{");
            let mut raw = Raw::opening_with(&lede, &text).await;
            let answer = raw.answer().await;
            assert_eq!(status(&answer), "408", "{answer}");
            assert!(answer.contains("\"code\":\"too_slow\""), "{answer}");
            assert_eq!(header(&answer, "connection"), "close");
            raw.closed().await;
        })
        .await;
    }
}

#[tokio::test]
async fn silent_connections_are_closed() {
    let transport = Transport {
        head_timeout: SHORT,
        ..Transport::default()
    };
    on_each_engine_with(with_transport(transport), async |lede: TestLede| {
        let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        for sent in [
            "",
            "P",
            &preface[..20],
            preface,
            "GET /health HTTP/1.1\r\nHost: loc",
            "GET",
        ] {
            Raw::opening_with(&lede, sent).await.closed().await;
        }
        // The deadline also covers the head of a later request.
        let request = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
        let mut raw = Raw::opening_with(&lede, request).await;
        assert_eq!(status(&raw.answer().await), "200");
        raw.send("GET /hea").await;
        raw.closed().await;
    })
    .await;
}

#[tokio::test]
async fn idle_connections_are_closed() {
    let transport = Transport {
        keep_alive_timeout: SHORT,
        ..Transport::default()
    };
    on_each_engine_with(with_transport(transport), async |lede: TestLede| {
        let request = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
        let mut raw = Raw::opening_with(&lede, request).await;
        assert_eq!(status(&raw.answer().await), "200");
        raw.closed().await;

        let (mut client, mut driver) = http2(&lede).await;
        let (_, body) = Channel::new(1);
        let request = Request::get("http://localhost/health").body(body).unwrap();
        let answer = client.send_request(request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        drop(answer);
        let closed = tokio::time::timeout(PATIENCE, driver.join_next()).await;
        closed.expect("the server closes the connection");
    })
    .await;
}

#[tokio::test]
async fn a_new_connection_takes_the_place_of_the_one_idle_longest() {
    let few = Transport {
        max_connections: 8,
        ..Transport::default()
    };
    let few_per_address = Transport {
        max_connections_per_address: 8,
        ..Transport::default()
    };
    for transport in [few, few_per_address] {
        on_each_engine_with(with_transport(transport), async |lede: TestLede| {
            let mut silent = Vec::new();
            for _ in 0..24 {
                silent.push(Raw::open(lede.address()).await);
            }
            lede.visitor().get("/health").await.expect(200);
            for raw in &mut silent[..16] {
                raw.closed().await;
            }
            sign_in_works(&lede).await;
        })
        .await;
    }
}

#[tokio::test]
async fn a_trusted_proxy_has_as_many_connections_as_there_are() {
    let options = Options {
        trusted_proxies: vec!["127.0.0.0/8".to_owned()],
        ..with_transport(Transport {
            max_connections_per_address: 2,
            ..Transport::default()
        })
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let mut connections = Vec::new();
        for _ in 0..8 {
            connections.push(Raw::open(lede.address()).await);
        }
        for raw in &mut connections {
            raw.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .await;
            assert_eq!(status(&raw.answer().await), "200");
        }
    })
    .await;
}

#[tokio::test]
async fn connections_beyond_the_limit_on_open_files_do_not_stop_the_service() {
    let program = Program::new().with_open_files(128);
    let mut running = program.start(&[]).await;
    let mut silent = Vec::new();
    for _ in 0..200 {
        silent.push(Raw::open(running.address).await);
    }
    for _ in 0..10 {
        running.visitor().get("/health").await.expect(200);
    }
    running.signal("TERM").await;
    assert!(running.ended().await.success());
}

#[tokio::test]
async fn a_thousand_connections_of_load_leave_room_for_signing_in() {
    on_each_engine(async |lede: TestLede| {
        let token = lede.admin().await;
        let mut load = JoinSet::new();
        for _ in 0..1000 {
            let client = token.clone();
            load.spawn(async move {
                for _ in 0..2 {
                    client.get("/api/feeds").await.expect(200);
                }
            });
        }
        sign_in_works(&lede).await;
        while let Some(done) = load.join_next().await {
            done.unwrap();
        }
    })
    .await;
}

/// Requests answered before their body is read, with the expected status.
const EARLY: [(&str, &str, &str); 5] = [
    ("POST", "/api/feeds", "401"),
    ("POST", "/no/such/page", "404"),
    ("PUT", "/auth/login", "405"),
    ("DELETE", "/health", "405"),
    ("POST", "/api/users/me/import", "401"),
];

#[tokio::test]
async fn an_answer_that_leaves_its_body_unread_announces_that_the_connection_ends() {
    on_each_engine(async |lede: TestLede| {
        for (method, path, expected) in EARLY {
            // One body too large to read, and one small body whose rest never arrives.
            for (length, sent) in [(100_000, "x".repeat(2000)), (100, "x".to_owned())] {
                let text = begun(method, path, length, &sent);
                let mut raw = Raw::opening_with(&lede, &text).await;
                let answer = raw.answer().await;
                assert_eq!(status(&answer), expected, "{method} {path}: {answer}");
                assert_eq!(header(&answer, "connection"), "close", "{method} {path}");
                raw.closed().await;
            }
            // A body that has arrived does not end the connection.
            let whole = begun(method, path, 5, "12345");
            let in_chunks = format!(
                "{method} {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n\
                 5\r\n12345\r\n0\r\n\r\n"
            );
            let mut raw = Raw::open(lede.address()).await;
            for text in [&whole, &in_chunks, &whole] {
                raw.send(text).await;
                let answer = raw.answer().await;
                assert_eq!(status(&answer), expected, "{method} {path}: {answer}");
                assert_eq!(header(&answer, "connection"), "", "{method} {path}");
            }
        }
        let form = "POST /auth/logout HTTP/1.1\r\nHost: localhost\r\n\
                    Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\nx";
        let large = begun("POST", "/auth/token", 2_000_000, &" ".repeat(1_100_000));
        for (text, expected) in [(form, "403"), (&large, "413")] {
            let mut raw = Raw::opening_with(&lede, text).await;
            let answer = raw.answer().await;
            assert_eq!(status(&answer), expected, "{answer}");
            assert_eq!(header(&answer, "connection"), "close", "{answer}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_limited_request_announces_the_end_of_its_connection_too() {
    let options = Options {
        rate_limit_enabled: true,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let visitor = lede.visitor();
        while visitor.get("/auth/login").await.status != StatusCode::TOO_MANY_REQUESTS {}
        let text = begun("POST", "/api/feeds", 100_000, "{");
        let answer = Raw::opening_with(&lede, &text).await.answer().await;
        assert_eq!(status(&answer), "429", "{answer}");
        assert_eq!(header(&answer, "connection"), "close", "{answer}");
    })
    .await;
}

#[tokio::test]
async fn a_client_that_asks_before_it_sends_is_answered_without_being_asked_to() {
    on_each_engine(async |lede: TestLede| {
        let text = "POST /api/feeds HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\
                    Content-Type: application/json\r\nContent-Length: 10\r\n\r\n";
        let answer = Raw::opening_with(&lede, text).await.answer().await;
        assert_eq!(status(&answer), "401", "{answer}");
        assert_eq!(header(&answer, "connection"), "close", "{answer}");
    })
    .await;
}
