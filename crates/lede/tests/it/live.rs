//! Live updates: open pages receive news of their own user's feeds only.

use std::time::{Duration, Instant};

use lede_core::worker;
use lede_model::user::Role;
use lede_store::Engine;
use lede_testkit::browser::Browser;
use lede_testkit::http::{Events, Http};
use lede_testkit::{ADMIN, Options, PASSWORD, Reply, TestLede, on_each_engine};
use serde_json::{Value, json};

use crate::program::Program;

const HOUR: Duration = Duration::from_secs(3600);

fn feed_with(titles: &[&str]) -> Reply {
    let items: Vec<(&str, &str)> = titles.iter().map(|title| (*title, "text")).collect();
    Reply::rss("News", &items)
}

/// Subscribes to the feed at `path`, which has one item. Returns its id.
async fn follow(lede: &TestLede, reader: &Http, path: &str) -> Value {
    let url = lede.site.put(path, feed_with(&["one"]));
    let added = reader.post("/api/feeds", json!({"url": url})).await;
    added.expect(201).json()["id"].clone()
}

/// Opens an event stream and waits for its first event.
async fn listen(reader: &Http) -> Events {
    let mut events = reader.listen("/api/events").await;
    assert_eq!(events.status, 200);
    let (name, _) = events.next().await.expect("a first sign");
    assert_eq!(name, "");
    events
}

#[tokio::test]
async fn people_are_told_what_is_new_in_their_own_feeds() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let ben = lede.person("ben@example.org", Role::Member).await;
        let news = follow(&lede, &ada, "/news.xml").await;
        let sport = follow(&lede, &ben, "/sport.xml").await;
        follow(&lede, &ada, "/other.xml").await;
        let mut of_ada = listen(&ada).await;
        let mut of_ben = listen(&ben).await;
        assert_eq!(of_ada.headers["content-type"], "text/event-stream");
        assert_eq!(of_ada.headers["cache-control"], "no-store");
        assert_eq!(of_ada.headers["x-accel-buffering"], "no");

        lede.site
            .put("/news.xml", feed_with(&["three", "two", "one"]));
        lede.clock.advance(2 * HOUR);
        lede.work().await;
        assert_eq!(
            of_ada.json("arrived").await,
            json!({"feed_id": news, "new": 2, "unread": 3, "unread_total": 4})
        );

        // Ben's first event is about his own feed.
        lede.site.put("/sport.xml", feed_with(&["two", "one"]));
        ben.post(&format!("/api/feeds/{sport}/refresh"), json!({}))
            .await
            .expect(200);
        assert_eq!(
            of_ben.json("arrived").await,
            json!({"feed_id": sport, "new": 1, "unread": 2, "unread_total": 2})
        );
    })
    .await;
}

#[tokio::test]
async fn what_comes_close_together_is_told_together() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = follow(&lede, &ada, "/news.xml").await;
        let mut events = listen(&ada).await;
        let refresh = format!("/api/feeds/{feed}/refresh");
        let began = Instant::now();
        let mut told = 0;
        let all = ["five", "four", "three", "two", "one"];
        for first in (0..4).rev() {
            lede.site.put("/news.xml", feed_with(&all[first..]));
            ada.post(&refresh, json!({})).await.expect(200);
        }
        let mut count = 0;
        while told < 4 {
            let event = events.json("arrived").await;
            told += event["new"].as_i64().unwrap();
            count += 1;
            assert_eq!(event["feed_id"], feed);
        }
        assert_eq!(told, 4);
        let most = 1 + began.elapsed().as_secs() + 1;
        assert!(count <= most, "{count} events, and at most {most} seconds");
    })
    .await;
}

#[tokio::test]
async fn a_stream_ends_with_the_session_or_token_it_was_opened_with() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = follow(&lede, &ada, "/news.xml").await;
        let refresh = format!("/api/feeds/{feed}/refresh");
        let browser = lede.browser().await;
        let program = lede.admin().await;
        let (mut by_cookie, mut by_token) = (listen(&browser).await, listen(&program).await);
        lede.site.put("/news.xml", feed_with(&["two", "one"]));
        ada.post(&refresh, json!({})).await.expect(200);
        for events in [&mut by_cookie, &mut by_token] {
            assert_eq!(events.json("arrived").await["new"], 1);
        }

        browser
            .fill("/settings", "/auth/logout", &[])
            .await
            .expect(303);
        program
            .post("/api/auth/logout", json!({}))
            .await
            .expect(200);
        lede.site
            .put("/news.xml", feed_with(&["three", "two", "one"]));
        ada.post(&refresh, json!({})).await.expect(200);
        for mut events in [by_cookie, by_token] {
            assert_eq!(events.next().await, None, "the end, and no news before it");
        }
        let closed = browser.listen("/api/events").await;
        assert_eq!(closed.status, 401);
    })
    .await;
}

#[tokio::test]
async fn somebody_has_a_bounded_number_of_streams() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let mut open = Vec::new();
        for _ in 0..8 {
            open.push(listen(&ada).await);
        }
        let refused = ada.get("/api/events").await.expect(429).json();
        assert_eq!(refused["code"], "too_many_streams");
        let ben = lede.person("ben@example.org", Role::Member).await;
        listen(&ben).await;

        open.pop();
        // The server does not notice a closed stream at once; each try is a round trip.
        let mut tries = 0;
        while ada.listen("/api/events").await.status != 200 {
            tries += 1;
            assert!(tries < 10_000, "a stream that was closed makes room");
        }
    })
    .await;
}

#[tokio::test]
async fn a_worker_elsewhere_wakes_the_pages_here() {
    let lede = TestLede::start(Engine::Postgres, Options::default()).await;
    let ada = lede.admin().await;
    let feed = follow(&lede, &ada, "/news.xml").await;
    let mut events = listen(&ada).await;
    let elsewhere = lede.elsewhere().await;
    // Listening to the database starts asynchronously: notifications before that are not received.
    let titles = ["one", "two", "three", "four", "five", "six", "seven"];
    let mut told = None;
    for last in 2..=titles.len() {
        let mut newest_first = titles[..last].to_vec();
        newest_first.reverse();
        lede.site.put("/news.xml", feed_with(&newest_first));
        lede.clock.advance(2 * HOUR);
        worker::run_once(&elsewhere).await;
        let heard = tokio::time::timeout(Duration::from_secs(3), events.json("arrived")).await;
        if let Ok(event) = heard {
            told = Some((last, event));
            break;
        }
    }
    let (unread, event) = told.expect("the page hears of what the worker stored");
    assert_eq!(event["feed_id"], feed);
    assert_eq!(event["new"], 1);
    assert_eq!(event["unread"], unread);
}

#[tokio::test]
async fn an_open_stream_does_not_hold_up_the_end() {
    let mut running = Program::new()
        .with("ADMIN_EMAIL", "ada@example.org")
        .with("ADMIN_PASSWORD", PASSWORD)
        .start(&["serve"])
        .await;
    let ada = running
        .signed_in("ada@example.org", PASSWORD)
        .await
        .expect("the account is there");
    let mut events = listen(&ada).await;
    running.signal("TERM").await;
    assert_eq!(events.next().await, None);
    // Ten seconds; with an open stream the server's graceful shutdown would take twenty.
    let ended = tokio::time::timeout(Duration::from_secs(10), running.ended()).await;
    assert!(ended.expect("it ends soon").success());
}

#[tokio::test]
async fn an_open_page_says_what_came_and_what_is_read_stays_where_it_is() {
    let lede = TestLede::start(Engine::Sqlite, Options::default()).await;
    let browser = Browser::start().await.unwrap();
    let ada = lede.admin().await;
    let news = follow(&lede, &ada, "/news.xml").await;
    let other = follow(&lede, &ada, "/other.xml").await;
    let page = browser.page().await.unwrap();
    page.goto(&lede.url("/auth/login")).await.unwrap();
    page.fill("#email", ADMIN).await.unwrap();
    page.fill("#password", PASSWORD).await.unwrap();
    page.press("Enter").await.unwrap();
    let count = |place: &str, unread: i64| {
        let shown = "firstElementChild.textContent";
        format!("document.querySelector('[data-unread-in=\"{place}\"]')?.{shown} === '{unread}'")
    };
    page.wait_for(&count("all", 2)).await.unwrap();

    // The list of one feed: news of another feed changes its count and shows no notice.
    page.goto(&lede.url(&format!("/?feed={news}")))
        .await
        .unwrap();
    let place = "JSON.stringify(document.querySelector('.items').getBoundingClientRect())";
    let before = page.eval(place).await.unwrap();
    let told = "document.querySelector('.news').textContent";
    page.wait_for("!!document.querySelector('.news[data-listens]')")
        .await
        .unwrap();
    lede.site.put("/other.xml", feed_with(&["two", "one"]));
    ada.post(&format!("/api/feeds/{other}/refresh"), json!({}))
        .await
        .expect(200);
    page.wait_for(&count(&other.to_string(), 2)).await.unwrap();
    assert_eq!(page.eval(told).await.unwrap(), "");

    lede.site.put("/news.xml", feed_with(&["two", "one"]));
    let refresh = format!("/api/feeds/{news}/refresh");
    ada.post(&refresh, json!({})).await.expect(200);
    page.wait_for(&format!("{told} === '1 new item — Show'"))
        .await
        .unwrap();
    lede.site
        .put("/news.xml", feed_with(&["four", "three", "two", "one"]));
    ada.post(&refresh, json!({})).await.expect(200);
    page.wait_for(&format!("{told} === '3 new items — Show'"))
        .await
        .unwrap();
    page.wait_for(&count(&news.to_string(), 4)).await.unwrap();
    page.wait_for(&count("all", 6)).await.unwrap();
    assert_eq!(page.eval(place).await.unwrap(), before, "nothing moved");

    page.click(".news a").await.unwrap();
    page.wait_for("document.querySelectorAll('.items > li').length === 4")
        .await
        .unwrap();
    assert_eq!(page.eval(told).await.unwrap(), "");
    assert_eq!(page.complaints().await, Vec::<String>::new());
}
