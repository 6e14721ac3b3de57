//! Saved searches, over the API.

use lede_core::worker;
use lede_model::user::Role;
use lede_testkit::http::Http;
use lede_testkit::{Options, Reply, TestLede, on_each_engine, on_each_engine_with};
use serde_json::{Value, json};

/// Subscribes to a feed with these items and indexes them. Returns its id.
pub(crate) async fn follow(lede: &TestLede, reader: &Http, items: &[(&str, &str)]) -> Value {
    let url = lede.site.put("/news.xml", Reply::rss("News", items));
    let added = reader.post("/api/feeds", json!({"url": url})).await;
    let feed = added.expect(201).json()["id"].clone();
    worker::run_queues(&lede.lede).await.unwrap();
    feed
}

async fn saved(reader: &Http, name: &str, query: &str) -> Value {
    let body = json!({"name": name, "query": query});
    reader.post("/api/searches", body).await.expect(201).json()
}

#[tokio::test]
async fn saved_searches_are_ordered_and_have_unread_counts() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let items = [("Rust one", "x"), ("Rust two", "x"), ("東京の天気", "x")];
        follow(&lede, &ada, &items).await;
        assert_eq!(ada.json("/api/searches").await, json!([]));
        let rust = saved(&ada, " Rust ", "rust").await;
        assert_eq!(
            rust,
            json!({"id": rust["id"], "name": "Rust", "query": "rust", "position": 0, "unread_count": 2})
        );
        let tokyo = saved(&ada, "東京", "東京").await;
        let starred = saved(&ada, "Kept", "is:starred").await;
        assert_eq!(starred["position"], 2);
        assert_eq!(starred["unread_count"], 0);

        let path = |search: &Value| format!("/api/searches/{}", search["id"]);
        let changed = ada.put(&path(&starred), json!({"position": 0})).await;
        assert_eq!(changed.expect(200).json()["query"], "is:starred");
        let body = json!({"name": "All Rust", "query": "rust OR 天気", "position": 7});
        let changed = ada.put(&path(&rust), body).await.expect(200).json();
        assert_eq!(changed["unread_count"], 3);
        let names = async || -> Vec<String> {
            let all = ada.json("/api/searches").await;
            let all = all.as_array().unwrap().iter();
            all.map(|search| search["name"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(names().await, ["Kept", "東京", "All Rust"]);

        let items = ada.json("/api/feeds/1/items").await;
        let first = &items["items"][0]["id"];
        ada.put(&format!("/api/items/{first}/state"), json!({"is_read": true}))
            .await
            .expect(200);
        let all = ada.json("/api/searches").await;
        let counts: Vec<i64> = all
            .as_array()
            .unwrap()
            .iter()
            .map(|search| search["unread_count"].as_i64().unwrap())
            .collect();
        assert_eq!(counts[2], 2);

        ada.delete(&path(&tokyo)).await.expect(204);
        ada.delete(&path(&tokyo)).await.expect(404);
        assert_eq!(names().await, ["Kept", "All Rust"]);
        let ben = lede.person("ben@example.org", Role::Member).await;
        ben.put(&path(&rust), json!({"name": "Mine"}))
            .await
            .expect(404);
        ben.delete(&path(&rust)).await.expect(404);
        assert_eq!(ben.json("/api/searches").await, json!([]));
    })
    .await;
}

#[tokio::test]
async fn an_invalid_search_is_refused_with_an_error_per_field() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        for (body, field) in [
            (json!({"name": "", "query": "a"}), "name"),
            (json!({"name": " ", "query": "a"}), "name"),
            (json!({"name": "\u{0}", "query": "a"}), "name"),
            (json!({"name": "x".repeat(101), "query": "a"}), "name"),
            (json!({"name": "x", "query": ""}), "query"),
            (json!({"name": "x", "query": "is:new"}), "query"),
            (json!({"name": "x", "query": "-a"}), "query"),
            (json!({"name": "x", "query": "before:soon"}), "query"),
            (json!({"name": "x", "query": "x".repeat(501)}), "query"),
            (
                json!({"name": "x", "query": "a", "position": -1}),
                "position",
            ),
        ] {
            let refused = ada.post("/api/searches", body.clone()).await.expect(400);
            assert!(refused.json()["fields"][field].is_string(), "{body}");
        }
        let kept = saved(&ada, "x", "a").await;
        let path = format!("/api/searches/{}", kept["id"]);
        let refused = ada.put(&path, json!({"query": "\""})).await.expect(400);
        assert!(refused.json()["fields"]["query"].is_string());
        for _ in 1..100 {
            saved(&ada, "x", "a").await;
        }
        let full = json!({"name": "x", "query": "a"});
        let refused = ada.post("/api/searches", full).await.expect(409).json();
        assert_eq!(refused["code"], "saved_search_limit");
    })
    .await;
}

#[tokio::test]
async fn hostile_queries_are_refused_or_find_nothing() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        follow(&lede, &ada, &[("One", "text")]).await;
        for query in [
            "\"",
            "NEAR(",
            "NEAR(a b)",
            "*",
            "a:b",
            "a\0b",
            "\0",
            &"\"".repeat(500),
            "😀",
            ":",
            "--",
            "a' OR 1=1 --",
            "\\",
            "title:\"",
            "{title} : a",
            "a <-> b",
            "!a & b",
            "'",
            "^a",
            "feed:\0",
            "category:%",
            "feed:99999999999999999999",
            "category:-1",
        ] {
            let body = json!({"name": "x", "query": query});
            let answer = ada.post("/api/searches", body).await;
            let status = answer.status.as_u16();
            assert!(status == 201 || status == 400, "{query}: {}", answer.text);
            if status == 201 {
                assert_eq!(answer.json()["unread_count"], 0, "{query}");
            }
            let rule = json!({"query": query});
            let answer = ada.post("/api/rules/preview", rule).await;
            let status = answer.status.as_u16();
            assert!(status == 200 || status == 400, "{query}: {}", answer.text);
        }
        ada.json("/api/searches").await;
    })
    .await;
}

#[tokio::test]
async fn a_page_of_results_says_where_the_next_begins_and_what_was_asked() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let texts: Vec<String> = (0..7).map(|n| format!("Café {n}")).collect();
        let items: Vec<(&str, &str)> = texts.iter().map(|title| (title.as_str(), "x")).collect();
        let feed = follow(&lede, &ada, &items).await;
        let path = format!("/api/posts?search=cafe&feed_id={feed}&unread_only=true");
        let first = ada.json(&format!("{path}&limit=4")).await;
        assert_eq!(first["posts"].as_array().unwrap().len(), 4);
        assert_eq!(first["total"], 7);
        let post = &first["posts"][0];
        assert_eq!(post["title"], "Café 0", "the publisher's newest came last");
        assert_eq!(post["highlight"]["title"], "<mark>Café</mark> 0");
        let cursor = first["next_cursor"].as_str().unwrap();
        let second = ada.json(&format!("{path}&limit=4&cursor={cursor}")).await;
        assert_eq!(second["posts"].as_array().unwrap().len(), 3);
        assert_eq!(second["has_more"], false);
        let by_number = ada.json(&format!("{path}&limit=4&offset=4")).await;
        assert_eq!(by_number["posts"], second["posts"]);
        assert_eq!(by_number["total"], 7);
        // A cursor is valid for one search only, and errors name the wrong parameter.
        let other = path.replace("search=cafe", "search=tea");
        ada.get(&format!("{other}&cursor={cursor}"))
            .await
            .expect(400);
        for (query, field) in [
            ("search=", "search"),
            ("search=is:blue", "search"),
            ("search=before:soon", "search"),
            ("search=cafe&order=oldest", "order"),
            ("search=cafe&offset=1001", "offset"),
            (&format!("search={}", "a".repeat(501)), "search"),
        ] {
            let answer = ada.get(&format!("/api/posts?{query}")).await.expect(400);
            assert!(
                answer.json()["fields"][field].is_string(),
                "{query}: {}",
                answer.text
            );
        }
        for absent in ["feed_id=100000", "category_id=100000"] {
            let path = format!("/api/posts?search=cafe&{absent}");
            ada.get(&path).await.expect(404);
        }
        let hostile = ada.json("/api/posts?search=%3Cscript%3E").await;
        assert_eq!(hostile["total"], 0);
    })
    .await;
}

#[tokio::test]
async fn expensive_searches_are_rate_limited() {
    let options = Options {
        rate_limit_enabled: true,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let ada = lede.admin().await;
        for _ in 0..100 {
            ada.get("/api/searches").await.expect(200);
        }
        ada.get("/api/searches").await.expect(429);
        ada.get("/api/rules").await.expect(200);
    })
    .await;
}
