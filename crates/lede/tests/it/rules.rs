//! Rules for new items, over the API.

use std::time::Duration;

use http::Method;
use lede_model::user::Role;
use lede_testkit::http::Http;
use lede_testkit::{Reply, TestLede, on_each_engine};
use serde_json::{Value, json};

use crate::searches::follow;

pub(crate) async fn rule(reader: &Http, body: Value) -> Value {
    reader.post("/api/rules", body).await.expect(201).json()
}

/// Puts these items on top of the feed and refreshes it.
pub(crate) async fn publish(lede: &TestLede, reader: &Http, feed: &Value, items: &[(&str, &str)]) {
    lede.site.put("/news.xml", Reply::rss("News", items));
    let path = format!("/api/feeds/{feed}/refresh");
    let refreshed = reader.post(&path, json!({})).await.expect(200).json();
    assert_eq!(refreshed["errors"], json!([]));
}

/// The titles of a list with their marks: `r` read, `s` starred.
async fn listed(reader: &Http, feed: &Value, filter: &str) -> Vec<String> {
    let path = format!("/api/feeds/{feed}/items?filter={filter}");
    let page = reader.json(&path).await;
    let mut titles: Vec<String> = page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            let read = if item["is_read"] == true { " r" } else { "" };
            let starred = if item["is_starred"] == true { " s" } else { "" };
            format!("{}{read}{starred}", item["title"].as_str().unwrap())
        })
        .collect();
    titles.sort();
    titles
}

#[tokio::test]
async fn rules_act_on_what_is_new_and_for_their_owner_alone() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let ben = lede.person("ben@example.org", Role::Member).await;
        let old = [("Old advert", "x")];
        let feed = follow(&lede, &ada, &old).await;
        ben.post("/api/feeds", json!({"url": lede.site.url("/news.xml")}))
            .await
            .expect(201);
        rule(
            &ada,
            json!({"name": "Ads", "query": "advert", "actions": {"hide": true}}),
        )
        .await;
        rule(
            &ada,
            json!({"name": "Rust", "query": "title:rust", "actions": {"star": true}}),
        )
        .await;
        rule(
            &ada,
            json!({"name": "Sport", "query": "\"football match\"", "actions": {"mark_read": true}}),
        )
        .await;
        let off =
            json!({"name": "Off", "enabled": false, "query": "plain", "actions": {"hide": true}});
        rule(&ada, off).await;
        let news = [
            ("Advert", "x"),
            ("Rust", "a football <b>match</b> in rust"),
            ("Sport", "the football match"),
            ("Tokyo", "東京の football"),
            ("Plain", "x"),
            ("Old advert", "x"),
        ];
        publish(&lede, &ada, &feed, &news).await;
        assert_eq!(
            listed(&ada, &feed, "all").await,
            ["Old advert", "Plain", "Rust r s", "Sport r", "Tokyo"]
        );
        assert_eq!(
            listed(&ada, &feed, "unread").await,
            ["Old advert", "Plain", "Tokyo"]
        );
        assert_eq!(listed(&ada, &feed, "starred").await, ["Rust r s"]);
        let feeds = ada.json("/api/feeds").await;
        assert_eq!(feeds[0]["unread_count"], 3);
        assert_eq!(listed(&ben, &feed, "unread").await.len(), 6);

        // Rules do not apply to items that are already stored.
        let changed = [("Plain", "an advert now"), ("Old advert", "x")];
        publish(&lede, &ada, &feed, &changed).await;
        assert_eq!(listed(&ada, &feed, "all").await.len(), 5);
    })
    .await;
}

#[tokio::test]
async fn rules_are_read_changed_and_removed() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = follow(&lede, &ada, &[("One", "x")]).await;
        let made = rule(
            &ada,
            json!({"name": "All of it", "feed_id": feed, "actions": {"mark_read": true}}),
        )
        .await;
        let expected = json!({
            "id": made["id"], "name": "All of it", "enabled": true, "query": null, "feed_id": feed,
            "category_id": null,
            "actions": {"mark_read": true, "star": false, "hide": false, "notify": false, "label": null},
        });
        assert_eq!(made, expected);
        let path = format!("/api/rules/{}", made["id"]);
        assert_eq!(ada.json(&path).await, expected);
        assert_eq!(ada.json("/api/rules").await, json!([expected]));
        publish(&lede, &ada, &feed, &[("Two", "x"), ("One", "x")]).await;
        assert_eq!(listed(&ada, &feed, "unread").await, ["One"]);

        let off =
            json!({"name": "Off", "enabled": false, "feed_id": feed, "actions": {"star": true}});
        let changed = ada.put(&path, off).await.expect(200).json();
        assert_eq!(changed["enabled"], false);
        assert_eq!(changed, ada.json(&path).await);
        publish(&lede, &ada, &feed, &[("Three", "x"), ("One", "x")]).await;
        assert_eq!(listed(&ada, &feed, "unread").await, ["One", "Three"]);
        ada.delete(&path).await.expect(204);
        ada.get(&path).await.expect(404);
    })
    .await;
}

#[tokio::test]
async fn an_invalid_rule_is_refused_with_an_error_per_field() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = follow(&lede, &ada, &[("One", "x")]).await;
        let ben = lede.person("ben@example.org", Role::Member).await;
        let star = json!({"star": true});
        for (who, body, field) in [
            (&ada, json!({"query": "a", "actions": star}), "name"),
            (&ada, json!({"name": "x", "actions": star}), "query"),
            (
                &ada,
                json!({"name": "x", "query": "is:x", "actions": star}),
                "query",
            ),
            (
                &ada,
                json!({"name": "x", "query": "", "actions": star}),
                "query",
            ),
            (&ada, json!({"name": "x", "query": "a"}), "actions"),
            (
                &ada,
                json!({"name": "x", "query": "a", "actions": {"star": false}}),
                "actions",
            ),
            (
                &ada,
                json!({"name": "\u{0}", "query": "a", "actions": star}),
                "name",
            ),
            (
                &ada,
                json!({"name": "x", "feed_id": 0, "actions": star}),
                "feed_id",
            ),
        ] {
            let refused = who.post("/api/rules", body.clone()).await.expect(400);
            assert!(refused.json()["fields"][field].is_string(), "{body}");
        }
        for (who, body, field) in [
            (
                &ada,
                json!({"name": "x", "feed_id": 999, "actions": star}),
                "feed_id",
            ),
            (
                &ben,
                json!({"name": "x", "feed_id": feed, "actions": star}),
                "feed_id",
            ),
            (
                &ada,
                json!({"name": "x", "category_id": 1, "actions": star}),
                "category_id",
            ),
        ] {
            for path in ["/api/rules", "/api/rules/preview"] {
                let refused = who.post(path, body.clone()).await.expect(404).json();
                assert!(refused["fields"][field].is_string(), "{body}");
            }
        }
        let made = rule(&ada, json!({"name": "x", "query": "a", "actions": star})).await;
        let path = format!("/api/rules/{}", made["id"]);
        let foreign = json!({"name": "x", "feed_id": 999, "actions": star});
        ada.put(&path, foreign.clone()).await.expect(404);
        ben.put(&path, foreign).await.expect(404);
        for _ in 1..100 {
            rule(&ada, json!({"name": "x", "query": "a", "actions": star})).await;
        }
        let full = json!({"name": "x", "query": "a", "actions": star});
        let refused = ada.post("/api/rules", full).await.expect(409).json();
        assert_eq!(refused["code"], "rule_limit");
    })
    .await;
}

#[tokio::test]
async fn a_preview_shows_what_a_rule_would_have_been_about() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = follow(&lede, &ada, &[("Rust one", "x"), ("Other", "x")]).await;
        let preview = async |body: Value| -> Value {
            let answer = ada.post("/api/rules/preview", body).await;
            answer.expect(200).json()
        };
        let found = preview(json!({"query": "rust", "actions": {"hide": true}})).await;
        assert_eq!(found["matched"], 1);
        assert_eq!(found["items"][0]["title"], "Rust one");
        let found = preview(json!({"feed_id": feed})).await;
        assert_eq!(found["matched"], 2);
        let found = preview(json!({"feed_id": feed, "query": "absent"})).await;
        assert_eq!(found, json!({"matched": 0, "items": []}));
        let refused = ada.post("/api/rules/preview", json!({})).await;
        assert!(refused.expect(400).json()["fields"]["query"].is_string());
        assert_eq!(
            listed(&ada, &feed, "unread").await.len(),
            2,
            "nothing was done"
        );

        lede.clock.advance(Duration::from_secs(8 * 24 * 3600));
        let found = preview(json!({"query": "rust"})).await;
        assert_eq!(found["matched"], 0, "it looks back a week");
    })
    .await;
}

#[tokio::test]
async fn a_hidden_item_that_is_marked_unread_is_shown_again() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = follow(&lede, &ada, &[("Old", "x")]).await;
        let hide = json!({"name": "Ads", "query": "advert", "actions": {"hide": true}});
        rule(&ada, hide).await;
        publish(&lede, &ada, &feed, &[("Advert", "x"), ("Old", "x")]).await;
        assert_eq!(listed(&ada, &feed, "all").await, ["Old"]);
        let ben = lede.person("ben@example.org", Role::Member).await;
        ben.post("/api/feeds", json!({"url": lede.site.url("/news.xml")}))
            .await
            .expect(201);
        let page = ben.json("/api/posts").await;
        let mut posts = page["posts"].as_array().unwrap().iter();
        let hidden = &posts.find(|post| post["title"] == "Advert").unwrap()["id"];
        let state = format!("/api/items/{hidden}/state");
        ada.put(&state, json!({"is_read": true})).await.expect(200);
        assert_eq!(
            listed(&ada, &feed, "all").await,
            ["Old"],
            "read is not shown"
        );
        ada.put(&state, json!({"is_read": false})).await.expect(200);
        for filter in ["all", "unread"] {
            assert_eq!(
                listed(&ada, &feed, filter).await,
                ["Advert", "Old"],
                "{filter}"
            );
        }
        assert_eq!(ada.json("/api/feeds").await[0]["unread_count"], 2);
    })
    .await;
}

#[tokio::test]
async fn rules_about_a_feed_follow_their_owner_to_its_other_address() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let ben = lede.person("ben@example.org", Role::Member).await;
        let feed = follow(&lede, &ada, &[("Old", "x")]).await;
        ben.post("/api/feeds", json!({"url": lede.site.url("/news.xml")}))
            .await
            .expect(201);
        let body = json!({"name": "All of it", "feed_id": feed, "actions": {"star": true}});
        let (hers, his) = (rule(&ada, body.clone()).await, rule(&ben, body).await);
        let other = lede.site.put("/other.xml", Reply::rss("Other", &[]));
        let body = json!({"feed_url": other}).to_string().into_bytes();
        let kind = [("content-type", "application/json")];
        let path = format!("/api/feeds/{feed}");
        let moved = ada.send(Method::PATCH, &path, &kind, body).await;
        let moved = moved.expect(200).json();
        let of = |rule: &Value| format!("/api/rules/{}", rule["id"]);
        assert_eq!(ada.json(&of(&hers)).await["feed_id"], moved["id"]);
        assert_eq!(ben.json(&of(&his)).await["feed_id"], feed);
    })
    .await;
}
