//! Feed discovery: from a typed address to the feed behind it, and to the other feeds of the page.

use std::time::Duration;

use lede_model::user::Role;
use lede_testkit::{Reply, TestLede, on_each_engine};
use serde_json::{Value, json};

/// Upper limit of requests per search.
const MOST_REQUESTS: usize = 9;

fn page(links: &str) -> Reply {
    Reply::body(
        "text/html",
        format!("<!doctype html><title>A site</title>{links}<p>Welcome"),
    )
}

fn news(title: &str) -> Reply {
    Reply::rss(title, &[("One", "<p>text</p>")])
}

const TWO: &str = r#"<link rel="alternate" type="application/rss+xml" title="Posts" href="/posts.xml">
    <link rel="alternate" type="application/rss+xml" title="Comments on posts" href="/comments.xml">
    <link rel="alternate" type="application/atom+xml" title="Notes" href="/notes.xml">"#;

fn urls(candidates: &Value) -> Vec<&str> {
    let list = candidates.as_array().expect("a list");
    list.iter()
        .map(|candidate| candidate["url"].as_str().expect("an address"))
        .collect()
}

#[tokio::test]
async fn the_best_feed_of_a_page_is_followed_and_the_others_are_named() {
    on_each_engine(async |lede: TestLede| {
        let site = lede.site.put("/", page(TWO));
        let notes = lede.site.put("/notes.xml", news("Notes of a site"));
        let reader = lede.admin().await;
        let added = reader.follow(&site).await;
        assert_eq!(added["feed_url"], notes, "Atom before RSS");
        assert_eq!(added["title"], "Notes of a site");
        assert_eq!(
            added["alternatives"],
            json!([
                {"url": lede.site.url("/posts.xml"), "title": "Posts", "kind": "rss"},
                {"url": lede.site.url("/comments.xml"), "title": "Comments on posts", "kind": "rss"},
            ])
        );
        assert_eq!(lede.site.request_count(), 2, "the others are not fetched");

        lede.site.put("/posts.xml", news("Posts of a site"));
        let also = reader
            .post("/api/feeds", json!({"url": lede.site.url("/posts.xml")}))
            .await
            .expect(201)
            .json();
        assert_eq!(also["alternatives"], json!([]));
    })
    .await;
}

#[tokio::test]
async fn a_feed_that_a_page_declares_and_does_not_have_is_passed_over() {
    on_each_engine(async |lede: TestLede| {
        let site = lede.site.put("/", page(TWO));
        lede.site.put("/notes.xml", page("gone"));
        let posts = lede.site.put("/posts.xml", news("Posts"));
        let reader = lede.admin().await;
        let added = reader.follow(&site).await;
        assert_eq!(added["feed_url"], posts);
        let others = urls(&added["alternatives"]).join(" ");
        assert_eq!(others, lede.site.url("/comments.xml"), "not the dead one");
    })
    .await;
}

#[tokio::test]
async fn where_a_page_declares_nothing_the_usual_places_are_tried() {
    on_each_engine(async |lede: TestLede| {
        let blog = lede.site.put("/blog", page(""));
        let feed = lede.site.put("/feed.xml", news("Found"));
        let reader = lede.admin().await;
        let found = reader
            .post("/api/feeds/discover", json!({"url": blog}))
            .await
            .expect(200)
            .json();
        assert_eq!(
            found,
            json!({
                "candidates": [{"url": feed, "title": "Found", "kind": "rss"}],
                "best": feed,
            })
        );
        let asked = lede.site.request_count();
        assert!(asked <= MOST_REQUESTS, "{asked}");
        assert!(
            lede.site.requests("/index.xml").is_empty(),
            "it ends at the first feed"
        );
        assert_eq!(reader.json("/api/feeds").await, json!([]), "only looked");
    })
    .await;
}

#[tokio::test]
async fn a_search_that_finds_nothing_ends_soon_and_says_so() {
    on_each_engine(async |lede: TestLede| {
        let site = lede.site.put("/", page(""));
        let reader = lede.admin().await;
        for path in ["/api/feeds", "/api/feeds/discover"] {
            let before = lede.site.request_count();
            let error = reader.post(path, json!({"url": site})).await.expect(422);
            assert_eq!(error.json()["code"], "no_feed_found");
            assert_eq!(lede.site.request_count() - before, MOST_REQUESTS);
        }
        // The error of a declared feed is more specific than "no feed found".
        let site = lede.site.put("/declared", page(TWO));
        lede.site.put("/notes.xml", Reply::status(403));
        let error = reader
            .post("/api/feeds", json!({"url": site}))
            .await
            .expect(422);
        let error = error.json();
        assert_eq!(error["code"], "access_needed");
        assert_eq!(error["message"], "the server answered 403 Forbidden");
    })
    .await;
}

#[tokio::test]
async fn discovering_a_known_feed_makes_no_request_and_viewers_may_do_no_more() {
    on_each_engine(async |lede: TestLede| {
        let feed = lede.site.put("/feed.xml", news("Known"));
        let site = lede.site.put("/", page(TWO));
        lede.admin().await.follow(&feed).await;
        let asked = lede.site.request_count();
        let viewer = lede.person("vera@example.org", Role::Viewer).await;
        let found = viewer
            .post("/api/feeds/discover", json!({"url": feed}))
            .await
            .expect(200)
            .json();
        assert_eq!(found["best"], feed);
        assert_eq!(found["candidates"][0]["title"], "Known");
        viewer
            .post("/api/feeds/discover", json!({"url": site}))
            .await
            .expect(403);
        assert_eq!(lede.site.request_count(), asked);

        // A page whose feed is already stored is followed without fetching that feed.
        let declares =
            page(r#"<link rel="alternate" type="application/rss+xml" href="/feed.xml">"#);
        let site = lede.site.put("/", declares);
        let member = lede.person("ben@example.org", Role::Member).await;
        let added = member.follow(&site).await;
        assert_eq!(added["feed_url"], feed);
        assert_eq!(lede.site.requests("/feed.xml").len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_profile_leads_to_its_feed() {
    on_each_engine(async |lede: TestLede| {
        let profile = lede.site.put("/@somebody", page(""));
        let feed = lede.site.put("/@somebody.rss", news("Somebody"));
        let added = lede.admin().await.follow(&profile).await;
        assert_eq!(added["feed_url"], feed);
        assert_eq!(lede.site.request_count(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_page_in_the_place_of_a_feed_is_an_error_that_names_the_feeds_of_the_page() {
    on_each_engine(async |lede: TestLede| {
        let url = lede.site.put("/feed.xml", news("Daily"));
        let reader = lede.admin().await;
        let added = reader.follow(&url).await;
        let feed = format!("/api/feeds/{}", added["id"]);
        for (links, expected) in [
            (
                TWO,
                format!(
                    "it links to these feeds: {} , {} , {}",
                    lede.site.url("/notes.xml"),
                    lede.site.url("/posts.xml"),
                    lede.site.url("/comments.xml"),
                ),
            ),
            ("", "it links to no feed".to_owned()),
        ] {
            lede.site.put("/feed.xml", page(links));
            lede.clock.advance(Duration::from_secs(2 * 24 * 3600));
            lede.work().await;
            let shown = reader.json(&feed).await;
            assert_eq!(
                shown["last_error"],
                format!("the address leads to a web page, not a feed; {expected}")
            );
            assert_eq!(shown["last_fetch_status"], "permanent_error");
        }
    })
    .await;
}

#[tokio::test]
async fn a_stopped_feed_is_enabled_and_answers_as_it_is_then() {
    on_each_engine(async |lede: TestLede| {
        let url = lede.site.put("/feed.xml", news("Daily"));
        let reader = lede.admin().await;
        let added = reader.follow(&url).await;
        let feed = format!("/api/feeds/{}", added["id"]);
        lede.site.put("/feed.xml", Reply::status(410));
        lede.clock.advance(Duration::from_secs(2 * 24 * 3600));
        lede.work().await;
        assert_eq!(reader.json(&feed).await["status"], "stopped");
        let enable = format!("{feed}/enable");
        let still = reader.post(&enable, json!({})).await.expect(200).json();
        assert_eq!(still["status"], "stopped", "it was tried, and is gone");

        lede.site.put(
            "/feed.xml",
            Reply::rss("Daily", &[("Two", "text"), ("One", "<p>text</p>")]),
        );
        let enabled = reader.post(&enable, json!({})).await.expect(200).json();
        assert_eq!(enabled["status"], "active");
        assert_eq!(enabled["last_error"], Value::Null);
        assert_eq!(enabled["unread_count"], 2);
    })
    .await;
}
