//! The main path: from an address to an item that is read.

use lede_model::user::Role;
use lede_testkit::{Options, Reply, TestLede, on_each_engine, on_each_engine_with};
use serde_json::json;

const PAGE: &str = r#"<!doctype html><title>A site</title>
    <link rel="alternate" type="application/rss+xml" href="/feed.xml"><p>Welcome"#;

fn news() -> Reply {
    Reply::rss(
        "Daily",
        &[
            (
                "Newest",
                "<p>The <b>newest</b> thing that happened today.</p><script>alert(1)</script>",
            ),
            ("Older", "<p onclick=\"alert(1)\">An older thing.</p>"),
        ],
    )
}

#[tokio::test]
async fn a_feed_is_added_read_and_marked() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let feed_url = lede.site.put("/feed.xml", news());

        let added = reader.follow(&feed_url).await;
        assert_eq!(added["title"], "Daily");
        assert_eq!(added["feed_url"], feed_url);
        assert_eq!(added["status"], "active");
        assert_eq!(added["unread_count"], 2);
        let feed = &added["id"];

        let page = reader.json(&format!("/api/feeds/{feed}/items")).await;
        assert_eq!(page["has_more"], false);
        let first = &page["items"][0];
        assert_eq!(first["title"], "Newest");
        assert_eq!(
            first["one_line_summary"],
            "The newest thing that happened today."
        );
        assert_eq!(first["is_date_estimated"], true, "the feed gives no dates");
        assert_eq!(first["is_read"], false);

        let item = &first["id"];
        let shown = reader.json(&format!("/api/items/{item}")).await;
        assert_eq!(
            shown["content"],
            "<p>The <b>newest</b> thing that happened today.</p>"
        );
        assert_eq!(shown["is_read"], false, "looking changes nothing");

        let marks = reader
            .put(
                &format!("/api/items/{item}/state"),
                json!({"is_read": true}),
            )
            .await
            .expect(200);
        assert_eq!(marks.json()["is_read"], true);
        let state = format!("/api/items/{item}/state");
        let again = reader
            .put(&state, json!({"is_read": true, "is_starred": true}))
            .await
            .expect(200);
        assert_eq!(
            again.json(),
            json!({"item_id": item, "is_read": true, "is_starred": true})
        );
        assert_eq!(
            reader.json(&format!("/api/feeds/{feed}")).await["unread_count"],
            1
        );

        for (filter, titles) in [
            ("unread", vec!["Older"]),
            ("starred", vec!["Newest"]),
            ("all", vec!["Newest", "Older"]),
        ] {
            let page = reader
                .json(&format!("/api/feeds/{feed}/items?filter={filter}"))
                .await;
            let found: Vec<_> = page["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| &item["title"])
                .collect();
            assert_eq!(found, titles);
        }
        let unread = reader
            .put(&state, json!({"is_read": false}))
            .await
            .expect(200)
            .json();
        assert_eq!(
            unread,
            json!({"item_id": item, "is_read": false, "is_starred": true})
        );
        assert_eq!(
            reader.json(&format!("/api/feeds/{feed}")).await["unread_count"],
            2
        );
    })
    .await;
}

#[tokio::test]
async fn a_sites_address_leads_to_its_feed() {
    on_each_engine(async |lede: TestLede| {
        let feed_url = lede.site.put("/feed.xml", news());
        let page_url = lede.site.put("/", Reply::body("text/html", PAGE));
        let added = lede.admin().await.follow(&page_url).await;
        assert_eq!(added["feed_url"], feed_url);
        let agent = lede.site.requests("/feed.xml")[0]["user-agent"]
            .to_str()
            .unwrap()
            .to_owned();
        assert!(
            agent.starts_with("Lede/") && agent.contains("+http"),
            "{agent}"
        );
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_followed_is_refused_with_its_reason_and_leaves_nothing() {
    let options = Options {
        max_feed_bytes: 64 * 1024,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let reader = lede.admin().await;
        let site = &lede.site;
        let closed_port = {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            listener.local_addr().unwrap().port()
        };
        let huge = format!(
            "<rss><channel><title>x</title>{}</channel></rss>",
            " ".repeat(100 * 1024)
        );
        let cases = [
            ("".to_owned(), 400, "invalid_field"),
            ("not an address".to_owned(), 400, "invalid_field"),
            ("ftp://example.org/feed".to_owned(), 400, "invalid_field"),
            ("javascript:alert(1)".to_owned(), 400, "invalid_field"),
            (
                "http://ada:sec%0Aret@example.org/".to_owned(),
                400,
                "invalid_field",
            ),
            ("http://0x7f.1/".to_owned(), 400, "invalid_field"),
            ("http://10.0.0.1/feed".to_owned(), 400, "refused_address"),
            ("http://[::1]/feed".to_owned(), 400, "refused_address"),
            (
                "http://169.254.169.254/latest/meta-data".to_owned(),
                400,
                "refused_address",
            ),
            ("http://localhost/feed".to_owned(), 400, "refused_address"),
            (
                format!("http://127.0.0.1:{closed_port}/feed"),
                400,
                "refused_address",
            ),
            (
                site.put("/text", Reply::body("text/plain", "just words")),
                422,
                "no_feed_found",
            ),
            (
                site.put("/page", Reply::body("text/html", "<p>no feed here")),
                422,
                "no_feed_found",
            ),
            (
                site.put("/empty", Reply::body("application/rss+xml", "")),
                422,
                "no_feed_found",
            ),
            (
                site.put("/huge", Reply::body("application/rss+xml", huge)),
                422,
                "fetch_failed",
            ),
            (site.put("/gone", Reply::status(410)), 422, "fetch_failed"),
            (
                site.put(
                    "/inside",
                    Reply::status(302).with("location", "http://10.0.0.1/"),
                ),
                400,
                "refused_address",
            ),
        ];
        for (url, status, code) in cases {
            let answer = reader.post("/api/feeds", json!({"url": url})).await;
            assert_eq!(answer.status.as_u16(), status, "{url}: {}", answer.text);
            let error = answer.json();
            assert_eq!(error["code"], code, "{url}");
            assert_eq!(error["error"], error["message"]);
            assert!(
                error["action"]
                    .as_str()
                    .is_some_and(|action| !action.is_empty()),
                "{url}"
            );
            assert!(
                ["validation", "feed"].contains(&error["category"].as_str().unwrap()),
                "{url}"
            );
        }
        assert_eq!(reader.json("/api/feeds").await, json!([]));
    })
    .await;
}

#[tokio::test]
async fn a_feed_is_fetched_once_however_many_follow_it() {
    on_each_engine(async |lede: TestLede| {
        let url = lede.site.put("/feed.xml", news());
        let (ada, ben) = (
            lede.admin().await,
            lede.person("ben@example.org", Role::Member).await,
        );
        let first = ada.follow(&url).await;
        let second = ben.follow(&url).await;
        assert_eq!(first["id"], second["id"]);
        assert_ne!(first["subscription_id"], second["subscription_id"]);
        assert_eq!(second["unread_count"], 2);
        assert_eq!(lede.site.requests("/feed.xml").len(), 1);
        let twice = ben
            .post("/api/feeds", json!({"url": url}))
            .await
            .expect(409)
            .json();
        assert_eq!(twice["message"], "You have already added this feed");
    })
    .await;
}

#[tokio::test]
async fn users_cannot_see_or_change_data_of_other_users() {
    on_each_engine(async |lede: TestLede| {
        let url = lede.site.put("/feed.xml", news());
        let (ada, ben) = (
            lede.admin().await,
            lede.person("ben@example.org", Role::Member).await,
        );
        let feed = ada.follow(&url).await["id"].clone();
        let item = ada.json(&format!("/api/feeds/{feed}/items")).await["items"][0]["id"].clone();
        for path in [
            format!("/api/feeds/{feed}"),
            format!("/api/feeds/{feed}/items"),
            format!("/api/items/{item}"),
        ] {
            ben.get(&path).await.expect(404);
        }
        ben.put(
            &format!("/api/items/{item}/state"),
            json!({"is_read": true}),
        )
        .await
        .expect(404);
        ben.delete(&format!("/api/feeds/{feed}")).await.expect(404);
        assert_eq!(
            ada.json(&format!("/api/feeds/{feed}")).await["unread_count"],
            2
        );
    })
    .await;
}

#[tokio::test]
async fn unsubscribing_takes_read_marks_and_leaves_the_feed_to_others() {
    on_each_engine(async |lede: TestLede| {
        let url = lede.site.put("/feed.xml", news());
        let (ada, ben) = (
            lede.admin().await,
            lede.person("ben@example.org", Role::Member).await,
        );
        let feed = ada.follow(&url).await["id"].clone();
        ben.follow(&url).await;
        let item = ada.json(&format!("/api/feeds/{feed}/items")).await["items"][0]["id"].clone();
        ada.put(
            &format!("/api/items/{item}/state"),
            json!({"is_read": true}),
        )
        .await
        .expect(200);
        ada.delete(&format!("/api/feeds/{feed}")).await.expect(204);
        ada.get(&format!("/api/items/{item}")).await.expect(404);
        assert_eq!(
            ben.json(&format!("/api/feeds/{feed}")).await["unread_count"],
            2
        );
        ada.follow(&url).await;
        assert_eq!(
            ada.json(&format!("/api/items/{item}")).await["is_read"],
            false
        );
    })
    .await;
}

#[tokio::test]
async fn a_viewer_follows_what_is_known_and_adds_nothing() {
    on_each_engine(async |lede: TestLede| {
        let url = lede.site.put("/feed.xml", news());
        let viewer = lede.person("vera@example.org", Role::Viewer).await;
        viewer
            .post("/api/feeds", json!({"url": url}))
            .await
            .expect(403);
        assert!(
            lede.site.requests("/feed.xml").is_empty(),
            "a viewer makes Lede fetch nothing"
        );
        lede.admin().await.follow(&url).await;
        viewer.follow(&url).await;
    })
    .await;
}

#[tokio::test]
async fn the_list_of_feeds_has_an_end() {
    let options = Options {
        max_subscriptions: 1,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let reader = lede.admin().await;
        let one = lede.site.put("/1", news());
        let two = lede.site.put("/2", news());
        reader.follow(&one).await;
        let full = reader
            .post("/api/feeds", json!({"url": two}))
            .await
            .expect(409)
            .json();
        assert_eq!(full["code"], "subscription_limit");
    })
    .await;
}

#[tokio::test]
async fn many_who_add_at_once_do_not_reach_beyond_the_end() {
    let options = Options {
        max_subscriptions: 3,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let reader = lede.admin().await;
        let other = lede.person("ben@example.org", Role::Member).await;
        // Stored feeds and new ones take different paths.
        for known in 0..3 {
            let url = lede.site.put(&format!("/known/{known}"), news());
            other.follow(&url).await;
        }
        let mut adding = tokio::task::JoinSet::new();
        for number in 0..5 {
            let new = lede.site.put(&format!("/new/{number}"), news());
            let known = lede.site.url(&format!("/known/{}", number % 3));
            for url in [new, known] {
                let reader = reader.clone();
                adding.spawn(async move {
                    let added = reader.post("/api/feeds", json!({"url": url})).await;
                    added.status.as_u16()
                });
            }
        }
        let answers = adding.join_all().await;
        let added = answers.iter().filter(|status| **status == 201).count();
        assert_eq!(added, 3, "{answers:?}");
        assert!(
            answers.iter().all(|status| [201, 409].contains(status)),
            "{answers:?}"
        );
        let feeds = reader.json("/api/feeds").await;
        assert_eq!(feeds.as_array().unwrap().len(), 3);
    })
    .await;
}

#[tokio::test]
async fn a_viewer_does_not_restart_what_was_stopped_for_everybody() {
    on_each_engine(async |lede: TestLede| {
        let url = lede.site.put("/feed.xml", news());
        let ada = lede.admin().await;
        let feed = ada.follow(&url).await["id"].clone();
        let vera = lede.person("vera@example.org", Role::Viewer).await;
        let subscription = vera.follow(&url).await["subscription_id"].clone();
        let settings = format!("/api/subscriptions/{subscription}/settings");
        vera.put(&settings, json!({"paused": true}))
            .await
            .expect(200);
        lede.site.put("/feed.xml", Reply::status(410));
        ada.post(&format!("/api/feeds/{feed}/refresh"), json!({}))
            .await
            .expect(200);
        assert_eq!(
            ada.json(&format!("/api/feeds/{feed}")).await["status"],
            "stopped"
        );
        let asked = lede.site.requests("/feed.xml").len();

        // The pause belongs to her own subscription.
        let resume = format!("/api/subscriptions/{subscription}/resume");
        let resumed = vera.post(&resume, json!({})).await.expect(200).json();
        assert_eq!(
            (&resumed["paused"], &resumed["feed_status"]),
            (&json!(false), &json!("stopped"))
        );
        let enable = format!("/api/feeds/{feed}/enable");
        for path in [&resume, &enable, &format!("/api/feeds/{feed}/refresh")] {
            let refused = vera.post(path, json!({})).await.expect(403).json();
            assert!(
                refused["action"]
                    .as_str()
                    .unwrap()
                    .contains("administrator"),
                "{path}"
            );
        }
        assert_eq!(
            lede.site.requests("/feed.xml").len(),
            asked,
            "nobody was asked"
        );
        lede.site.put("/feed.xml", news());
        let enabled = ada.post(&enable, json!({})).await.expect(200).json();
        assert_eq!(
            (&enabled["ok"], &enabled["status"]),
            (&json!(true), &json!("active"))
        );
        let enabled = vera.post(&enable, json!({})).await.expect(200).json();
        assert_eq!(enabled["ok"], true);
    })
    .await;
}

#[tokio::test]
async fn pages_follow_each_other_without_gap_or_overlap() {
    on_each_engine(async |lede: TestLede| {
        let titles: Vec<String> = (0..120).map(|number| format!("Item {number:03}")).collect();
        let items: Vec<(&str, &str)> = titles
            .iter()
            .map(|title| (title.as_str(), "<p>text</p>"))
            .collect();
        let url = lede.site.put("/feed.xml", Reply::rss("Long", &items));
        let reader = lede.admin().await;
        let feed = reader.follow(&url).await["id"].clone();
        let mut found = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = reader
                .json(&format!("/api/feeds/{feed}/items?filter=unread{cursor}"))
                .await;
            let items = page["items"].as_array().unwrap();
            assert!(items.len() <= 50);
            found.extend(
                items
                    .iter()
                    .map(|item| item["title"].as_str().unwrap().to_owned()),
            );
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(found, titles, "newest first, as the feed lists them");
        for query in ["cursor=elsewhere", "cursor=", "filter=some"] {
            reader
                .get(&format!("/api/feeds/{feed}/items?{query}"))
                .await
                .expect(400);
        }
    })
    .await;
}

#[tokio::test]
async fn relative_links_mean_the_items_own_page() {
    on_each_engine(async |lede: TestLede| {
        let html = r#"<p><a href="/more">more</a></p>"#;
        let url = lede
            .site
            .put("/feed.xml", Reply::rss("News", &[("One", html)]));
        let reader = lede.admin().await;
        let feed = reader.follow(&url).await["id"].clone();
        let item = reader.json(&format!("/api/feeds/{feed}/items")).await["items"][0]["id"].clone();
        let content = reader.json(&format!("/api/items/{item}")).await["content"].clone();
        assert!(
            content
                .as_str()
                .unwrap()
                .contains("href=\"https://site.example/more\""),
            "{content}"
        );
    })
    .await;
}
