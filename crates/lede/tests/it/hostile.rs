//! Misbehaving feeds: each is reported with its specific error and keeps its items, while other
//! feeds are fetched as usual. Also crawls that die in the middle.

mod site;

use std::net::Ipv4Addr;
use std::time::Duration;

use lede_core::{Lede, accounts, worker};
use lede_model::secret::Secret;
use lede_net::Net;
use lede_server::{SetUpCode, Transport};
use lede_testkit::http::Http;
use lede_testkit::{ADMIN, PASSWORD, TestLede, keep_signed_in, on_each_engine};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::opml::upload;
use crate::program::Program;
use site::{Deed, RawSite, answer, feed, good};

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// Longer than a lease that is not renewed.
const LEASE_IS_OVER: Duration = Duration::from_secs(121);
/// Large enough to tell a decompression bomb from a body that is merely large.
const MAX_FEED_BYTES: u64 = 4 * 1024 * 1024;
/// Close to the shortest allowed deadline: tests wait for it when a server does not answer.
const SHORT: Duration = Duration::from_millis(1500);
const PATIENT: Duration = Duration::from_secs(20);

/// A second instance on the store of the first, as a second process would be, with permission to
/// fetch from a misbehaving server.
struct House {
    lede: Lede,
    reader: Http,
    site: RawSite,
    first: TestLede,
}

impl House {
    async fn beside(first: TestLede, feed_deadline: Duration) -> Self {
        let site = RawSite::start().await;
        let net = Net::new(lede_net::Settings {
            allow: site.address.to_string().parse().unwrap(),
            host_interval: Duration::ZERO,
            feed_deadline,
            max_feed_bytes: MAX_FEED_BYTES,
            ..lede_net::Settings::default()
        });
        let settings = (*first.lede.settings).clone();
        let store = first.lede.store.clone();
        let disk = first.lede.disk.clone();
        let lede = Lede::new(store, net.unwrap(), first.clock.clock(), disk, settings)
            .await
            .unwrap();
        let server = lede_server::Settings {
            trusted_proxies: Vec::new(),
            cors_origins: Vec::new(),
            rate_limit_enabled: false,
            metrics_allowed: Vec::new(),
            metrics_token: None,
            transport: Transport::default(),
            in_force: Vec::new(),
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = lede_server::router(lede.clone(), server.clone(), SetUpCode::new());
        tokio::spawn(async move {
            lede_server::serve(listener, router, &server, std::future::pending()).await;
        });

        let user = accounts::sign_in(&lede, ADMIN, &Secret::new(PASSWORD))
            .await
            .unwrap();
        let reader = keep_signed_in(&Http::new(address), lede.clone(), user).await;
        Self {
            reader,
            lede,
            site,
            first,
        }
    }

    /// Subscribes to the feed at `path`, which has one item so far. Returns its path in the API.
    async fn follows(&self, path: &str) -> String {
        let url = self.site.put(path, good(&["old"]));
        let added = self
            .reader
            .post("/api/feeds", json!({"url": url}))
            .await
            .expect(201)
            .json();
        format!("/api/feeds/{}", added["id"])
    }

    /// Refreshes the feed now and returns the answer.
    async fn refreshed(&self, feed: &str) -> Value {
        let path = format!("{feed}/refresh");
        self.reader.post(&path, json!({})).await.expect(200).json()
    }

    async fn titles(&self, feed: &str, filter: &str) -> Vec<String> {
        let path = format!("{feed}/items?filter={filter}&limit=100");
        let page = self.reader.json(&path).await;
        let items = page["items"].as_array().unwrap().iter();
        items
            .map(|item| item["title"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Runs one pass of the worker over all due feeds.
    async fn work(&self) {
        worker::run_once(&self.lede).await;
    }
}

/// A valid feed with these headers. It contains a new item that must not be ingested.
fn new_feed_with(headers: &str) -> Deed {
    Deed::Says(answer("200 OK", headers, feed(&["new", "old"])))
}

fn status(status: &str, headers: &str) -> Deed {
    Deed::Says(answer(status, headers, feed(&["new", "old"])))
}

fn redirect_to(location: &str) -> Deed {
    status("302 Found", &format!("Location: {location}\r\n"))
}

fn document(body: impl AsRef<[u8]>) -> Deed {
    Deed::Says(answer("200 OK", "", body))
}

/// The beginning of a gzip file that unpacks to `pieces` times 64 KiB of zeros.
fn gzip_bomb(pieces: usize) -> Vec<u8> {
    const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    // 64 KiB of zeros as compressed by zlib, terminated so that the block can be repeated.
    const TABLE: [u8; 14] = [
        0xec, 0xc1, 1, 1, 0, 0, 0, 0x80, 0x90, 0xfe, 0xaf, 0xee, 8, 10,
    ];
    const END: [u8; 6] = [0x6a, 0, 0, 0, 0xff, 0xff];
    let piece = [&TABLE[..], &[0; 63], &END].concat();
    [&HEADER[..], &piece.repeat(pieces)].concat()
}

/// Path of a feed, the behaviour of its server, and the expected error.
type Misdeed = (&'static str, Deed, &'static str);

/// Answers that never finish: as many as may be fetched from one site at a time.
fn silences() -> Vec<Misdeed> {
    const TOO_LATE: &str = "the whole request took longer than 1.5 s";
    let stalls = |said: &str| Deed::Stalls(said.as_bytes().to_vec());
    vec![
        (
            "slow-headers",
            stalls("HTTP/1.1 200 OK\r\nX-A: b"),
            TOO_LATE,
        ),
        (
            "slow-body",
            stalls("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n<rss>"),
            TOO_LATE,
        ),
    ]
}

/// Every other kind of misbehaviour.
fn misdeeds() -> Vec<Misdeed> {
    const TOO_LARGE: &str = "the answer is larger than 4194304 bytes";
    const BROKEN_OFF: &str = "the transfer broke off before the end";
    const BAD_CODING: &str = "the server's compression could not be undone";
    const HEADERS: &str = "the answer has too many or too long headers";
    const PRIVATE: &str = "Lede may not connect there: the host is not on the public internet";

    let stalls = |said: &str| Deed::Stalls(said.as_bytes().to_vec());
    let says = |said: &str| Deed::Says(said.as_bytes().to_vec());
    let chunk = [b"1000\r\n".as_slice(), &[b'x'; 4096], b"\r\n"].concat();
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    let gzip = "Content-Encoding: gzip\r\n";
    vec![
        (
            "large-by-its-word",
            stalls("HTTP/1.1 200 OK\r\nContent-Length: 4194305\r\n\r\n<rss>"),
            TOO_LARGE,
        ),
        ("endless", Deed::Floods(chunked, chunk), TOO_LARGE),
        (
            "gzip-bomb",
            Deed::Says(answer("200 OK", gzip, gzip_bomb(1000))),
            "the answer unpacks to an absurd size",
        ),
        (
            "short-body",
            says("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n<rss><channel><item>"),
            BROKEN_OFF,
        ),
        (
            "no-last-chunk",
            says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<rss>\r\n"),
            BROKEN_OFF,
        ),
        (
            "half-a-gzip",
            Deed::Says(answer("200 OK", gzip, gzip_bomb(1))),
            BROKEN_OFF,
        ),
        ("no-gzip", new_feed_with(gzip), BAD_CODING),
        (
            "two-layers",
            new_feed_with("Content-Encoding: gzip, br\r\n"),
            BAD_CODING,
        ),
        (
            "many-headers",
            new_feed_with(&"X-A: b\r\n".repeat(101)),
            HEADERS,
        ),
        (
            "large-headers",
            new_feed_with(&format!("X-A: {}\r\n", "b".repeat(70_000))),
            HEADERS,
        ),
        (
            "redirect-loop",
            redirect_to("/redirect-loop"),
            "the site redirected more than 5 times",
        ),
        (
            "redirect-nowhere",
            status("302 Found", ""),
            "the site redirected without saying where to",
        ),
        ("redirect-private", redirect_to("http://10.0.0.1/"), PRIVATE),
        (
            "redirect-metadata",
            redirect_to("http://169.254.169.254/latest/meta-data/"),
            PRIVATE,
        ),
        ("redirect-loopback", redirect_to("http://[::1]/"), PRIVATE),
        (
            "redirect-name",
            redirect_to("http://localhost/"),
            "Lede may not connect there: the host name is one of a private network",
        ),
        (
            "redirect-file",
            redirect_to("file:///etc/passwd"),
            "the site points to an address that cannot be followed: \
             only http and https addresses can be followed, not file:",
        ),
        (
            "not-modified",
            says("HTTP/1.1 304 Not Modified\r\n\r\n"),
            "the server answered 304 Not Modified to a request without a condition",
        ),
        (
            "no-http",
            says("SSH-2.0-OpenSSH_9.2\r\n"),
            "the server's answer is not valid HTTP",
        ),
        ("silence", says(""), "no connection to the server"),
        (
            "page",
            document("<!doctype html><html><body><p>Moved!</p>"),
            "the address leads to a web page, not a feed; it links to no feed",
        ),
        (
            "json",
            document("{\"ok\": true, \"data\": []}"),
            "the address leads to a JSON document, not to a feed",
        ),
        (
            "list",
            document("<opml version='2.0'><body/></opml>"),
            "the address leads to a subscription list (OPML), not to a feed",
        ),
        ("empty", document(""), "the server sent an empty document"),
        (
            "blank",
            document(" \n"),
            "the server sent an empty document",
        ),
        (
            "binary",
            document(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01"),
            "the address leads to something else, not to a feed",
        ),
        (
            "busy",
            status("429 Too Many Requests", ""),
            "the server answered 429 Too Many Requests",
        ),
        (
            "busy-until",
            status("429 Too Many Requests", "Retry-After: 7200\r\n"),
            "the server answered 429 Too Many Requests",
        ),
        (
            "gone",
            status("410 Gone", ""),
            "the server answered 410 Gone",
        ),
        (
            "closed",
            status("401 Unauthorized", "WWW-Authenticate: Basic\r\n"),
            "the server answered 401 Unauthorized",
        ),
        (
            "down",
            status("503 Service Unavailable", ""),
            "the server answered 503 Service Unavailable",
        ),
        (
            "bot-wall",
            status("403 Forbidden", "cf-mitigated: challenge\r\n"),
            "the site is behind a bot wall (Cloudflare) that turns feed readers away",
        ),
    ]
}

#[tokio::test]
async fn every_misdeed_has_its_name_costs_no_item_and_stops_no_other_feed() {
    on_each_engine(async |first: TestLede| {
        all_are_named(&House::beside(first, PATIENT).await, misdeeds()).await;
    })
    .await;
}

#[tokio::test]
async fn a_server_that_makes_us_wait_has_its_name_too_and_keeps_no_other_feed_waiting() {
    on_each_engine(async |first: TestLede| {
        all_are_named(&House::beside(first, SHORT).await, silences()).await;
    })
    .await;
}

async fn all_are_named(house: &House, misdeeds: Vec<Misdeed>) {
    let well = house.follows("/well").await;
    let mut feeds = Vec::new();
    for (name, deed, error) in misdeeds {
        let path = format!("/{name}");
        feeds.push((name, house.follows(&path).await, error));
        house.site.put(&path, deed);
    }

    // A manual refresh returns the error; all run at once, as from many tabs.
    let asking: Vec<_> = feeds
        .iter()
        .map(|(_, feed, _)| {
            let (reader, path) = (house.reader.clone(), format!("{feed}/refresh"));
            tokio::spawn(async move { reader.post(&path, json!({})).await.expect(200).json() })
        })
        .collect();
    for ((name, _, error), asked) in feeds.iter().zip(asking) {
        let answer = asked.await.unwrap();
        assert_eq!(answer, json!({"new_posts": 0, "errors": [error]}), "{name}");
    }

    // The worker records the same errors; the healthy feed is due together with the others.
    house.site.put("/well", good(&["new", "old"]));
    house.first.clock.advance(3 * DAY);
    house.work().await;
    assert_eq!(house.titles(&well, "unread").await, ["new", "old"]);
    for (name, feed, error) in &feeds {
        let shown = house.reader.json(feed).await;
        assert_eq!(shown["last_error"], *error, "{name}");
        assert_ne!(shown["status"], "active", "{name}");
        assert_eq!(house.titles(feed, "unread").await, ["old"], "{name}");
    }

    // One good answer clears the error.
    for (name, feed, _) in &feeds {
        house.site.put(&format!("/{name}"), good(&["new", "old"]));
        let answer = house.refreshed(feed).await;
        assert_eq!(answer, json!({"new_posts": 1, "errors": []}), "{name}");
        let shown = house.reader.json(feed).await;
        assert_eq!(shown["last_error"], json!(null), "{name}");
    }
}

#[tokio::test]
async fn bombs_in_a_feed_that_can_be_read_cost_what_they_are_worth() {
    let mut entities = String::from("<!ENTITY a \"lollollollol\">");
    for (outer, inner) in ('b'..='z').zip('a'..) {
        let references = format!("&{inner};").repeat(10);
        entities.push_str(&format!("<!ENTITY {outer} \"{references}\">"));
    }
    let laughs = format!(
        "<!DOCTYPE rss [{entities}<!ENTITY f SYSTEM \"file:///etc/passwd\">]><rss><channel>\
         <item><guid>new</guid><title>new</title><description>&z;&f;&a;</description></item>\
         </channel></rss>"
    );
    let deep = format!(
        "<rss><channel><item><guid>new</guid><title>new</title>\
         <description><![CDATA[{}deep]]></description>{}",
        "<div>".repeat(50_000),
        "<x>".repeat(100_000),
    );
    let many: String = (0..5100)
        .map(|n| format!("<item><guid>{n}</guid><title>{n}</title></item>"))
        .collect();
    let many = format!("<rss><channel>{many}</channel></rss>");
    let misdeeds = [
        ("laughs", laughs, 1),
        ("deep", deep, 1),
        ("many", many, 500),
    ];
    on_each_engine(async |first: TestLede| {
        let house = House::beside(first, PATIENT).await;
        for (name, body, new) in &misdeeds {
            let path = format!("/{name}");
            let feed = house.follows(&path).await;
            house.site.put(&path, document(body));
            let answer = house.refreshed(&feed).await;
            assert_eq!(answer, json!({"new_posts": new, "errors": []}), "{name}");
            let unread = house.reader.json(&feed).await["unread_count"].clone();
            assert_eq!(unread, json!(new + 1), "{name}: the old one is still there");
            let page = house.reader.json(&format!("{feed}/items")).await;
            let item = &page["items"][0]["id"];
            let item = house.reader.json(&format!("/api/items/{item}")).await;
            let content = item["content"].as_str().unwrap();
            assert!(content.len() < 100_000, "{name}: {}", content.len());
            assert!(!content.contains("root:"), "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_worker_that_dies_while_fetching_loses_and_repeats_nothing() {
    on_each_engine(async |first: TestLede| {
        let house = House::beside(first, PATIENT).await;
        let feed = house.follows("/feed").await;
        let old = house.reader.json(&format!("{feed}/items")).await["items"][0]["id"].clone();
        let state = format!("/api/items/{old}/state");
        house
            .reader
            .put(&state, json!({"is_read": true}))
            .await
            .expect(200);

        // All but the last byte has arrived when the worker dies.
        let whole = answer("200 OK", "", self::site::feed(&["new", "old"]));
        let nearly = whole[..whole.len() - 1].to_vec();
        house.site.put("/feed", Deed::Stalls(nearly));
        house.first.clock.advance(DAY);
        let lede = house.lede.clone();
        let dying = tokio::spawn(async move { worker::run_once(&lede).await });
        house.site.was_asked("/feed", 2).await;
        dying.abort();
        assert!(dying.await.unwrap_err().is_cancelled());
        assert_eq!(house.titles(&feed, "all").await, ["old"]);

        // Until the lease expires no other worker fetches the feed; then one does, once.
        house.site.put("/feed", Deed::Says(whole));
        house.work().await;
        assert_eq!(house.site.times("/feed"), 2);
        house.first.clock.advance(LEASE_IS_OVER);
        house.work().await;
        house.work().await;
        assert_eq!(house.site.times("/feed"), 3);
        assert_eq!(house.titles(&feed, "all").await, ["new", "old"]);
        assert_eq!(
            house.titles(&feed, "unread").await,
            ["new"],
            "read stays read"
        );
        let shown = house.reader.json(&feed).await;
        assert_eq!(shown["last_fetch_status"], "success");
    })
    .await;
}

#[tokio::test]
async fn what_a_worker_brings_after_its_lease_is_over_is_discarded() {
    on_each_engine(async |first: TestLede| {
        let house = House::beside(first, PATIENT).await;
        let feed = house.follows("/feed").await;
        // The slow worker gets an error or different items, after a quicker fetch was stored.
        for (turn, late) in [
            status("410 Gone", ""),
            good(&["late", "old"]),
            document("<!doctype html><p>Hello"),
        ]
        .into_iter()
        .enumerate()
        {
            let Deed::Says(late) = late else {
                unreachable!("all of them say something")
            };
            let (gate, is_open) = watch::channel(false);
            house.site.put("/feed", Deed::Waits(is_open, late));
            house.first.clock.advance(DAY);
            let asked = house.site.times("/feed");
            let lede = house.lede.clone();
            let slow = tokio::spawn(async move { worker::run_once(&lede).await });
            house.site.was_asked("/feed", asked + 1).await;

            let title = format!("quick {turn}");
            house.site.put("/feed", good(&[&title, "old"]));
            if turn == 0 {
                // Either another worker, after the lease expired …
                house.first.clock.advance(LEASE_IS_OVER);
                house.work().await;
            } else {
                // … or a manual refresh during the lease.
                let answer = house.refreshed(&feed).await;
                assert_eq!(answer, json!({"new_posts": 1, "errors": []}));
            }
            let before = house.reader.json(&feed).await;
            gate.send(true).unwrap();
            slow.await.unwrap();

            assert_eq!(house.reader.json(&feed).await, before);
            assert_eq!(before["last_fetch_status"], "success");
            let all = house.titles(&feed, "all").await;
            assert!(
                all.contains(&title) && !all.contains(&"late".to_owned()),
                "{all:?}"
            );
            assert_eq!(all.len(), turn + 2);
        }
    })
    .await;
}

#[tokio::test]
async fn a_refresh_that_another_overtakes_says_so() {
    on_each_engine(async |first: TestLede| {
        let house = House::beside(first, PATIENT).await;
        let feed = house.follows("/feed").await;
        let (gate, is_open) = watch::channel(false);
        let slow_answer = answer("200 OK", "", self::site::feed(&["slow", "old"]));
        house.site.put("/feed", Deed::Waits(is_open, slow_answer));
        let (reader, path) = (house.reader.clone(), format!("{feed}/refresh"));
        let slow = tokio::spawn(async move { reader.post(&path, json!({})).await });
        house.site.was_asked("/feed", 2).await;

        house.site.put("/feed", good(&["quick", "old"]));
        let answer = house.refreshed(&feed).await;
        assert_eq!(answer, json!({"new_posts": 1, "errors": []}));
        gate.send(true).unwrap();
        let refused = slow.await.unwrap().expect(409).json();
        assert_eq!(refused["code"], "fetch_under_way");
        assert_eq!(house.titles(&feed, "all").await, ["quick", "old"]);
    })
    .await;
}

#[tokio::test]
async fn a_process_that_starts_again_fetches_at_once_what_the_killed_one_held() {
    let site = RawSite::start().await;
    let program = Program::new()
        .with("APP_PASSWORD", PASSWORD)
        .with("FETCH_HOST_INTERVAL", "0")
        .with("FETCH_ALLOW", site.address.to_string());
    let mut running = program.start(&[]).await;
    let owner = running.signed_in("", PASSWORD).await.expect("a token");
    let paths: Vec<String> = (0..8).map(|number| format!("/{number}")).collect();
    let outlines = paths.iter().map(|path| {
        let url = site.put(path, Deed::Stalls(Vec::new()));
        format!("<outline type=\"rss\" text=\"x\" xmlUrl=\"{url}\"/>")
    });
    let outlines: String = outlines.collect();
    let list = format!("<opml version=\"2.0\"><body>{outlines}</body></opml>");
    upload(&owner, "file", list.as_bytes()).await.expect(200);
    // Two feeds of one site are fetched at a time; the worker holds leases on all of them.
    site.were_asked(2).await;
    running.signal("KILL").await;
    assert_eq!(running.ended().await.code(), None, "it was killed");

    let asked: Vec<usize> = paths.iter().map(|path| site.times(path)).collect();
    // Closes the connection as announced: a request on a keep-alive connection that just ended
    // would count as a failure.
    let news = answer("200 OK", "Connection: close\r\n", feed(&["news"]));
    for path in &paths {
        site.put(path, Deed::Says(news.clone()));
    }
    let running = program.start(&[]).await;
    for (path, asked) in paths.iter().zip(asked) {
        site.was_asked(path, asked + 1).await;
    }
    assert!(running.stop().await.success());
}

#[tokio::test]
async fn a_worker_gives_back_what_it_cannot_start_soon() {
    on_each_engine(async |first: TestLede| {
        let mut house = House::beside(first, PATIENT).await;
        let feeds = [house.follows("/a").await, house.follows("/b").await];
        let net = lede_net::Settings {
            allow: house.site.address.to_string().parse().unwrap(),
            host_interval: HOUR,
            ..lede_net::Settings::default()
        };
        house.lede.net = Net::new(net).unwrap();
        house.first.clock.advance(DAY);
        let now = house.first.clock.now();
        let working = tokio::spawn(worker::run(house.lede.clone(), std::future::pending()));
        // One feed is fetched; the other is rescheduled for when its host may be contacted again.
        let given_back = json!(now + HOUR);
        let is_given_back = async || {
            let [a, b] = &feeds;
            let (a, b) = (house.reader.json(a).await, house.reader.json(b).await);
            a["next_fetch_at"] == given_back || b["next_fetch_at"] == given_back
        };
        while !is_given_back().await {
            tokio::task::yield_now().await;
        }
        working.abort();
    })
    .await;
}
