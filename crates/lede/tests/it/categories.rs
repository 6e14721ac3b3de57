//! Categories and subscriptions: order, settings, pausing.

use lede_model::user::Role;
use lede_testkit::http::Http;
use lede_testkit::{Options, Reply, TestLede, on_each_engine, on_each_engine_with};
use serde_json::{Value, json};

/// Creates a category and returns its id.
async fn category(who: &Http, name: &str, parent: Value) -> Value {
    let body = json!({"name": name, "parent_id": parent});
    let made = who.post("/api/categories", body).await.expect(201).json();
    made["id"].clone()
}

/// The user's categories, indented by depth, with their unread counts.
async fn shown(who: &Http) -> Vec<String> {
    let all = who.json("/api/categories").await;
    let all = all.as_array().unwrap();
    let depth = |category: &Value| {
        let parent_of = |category: &Value| {
            let parent = all
                .iter()
                .find(|other| other["id"] == category["parent_id"]);
            parent.cloned()
        };
        std::iter::successors(parent_of(category), parent_of).count()
    };
    let line = |category: &Value| {
        let indent = "  ".repeat(depth(category));
        let name = category["name"].as_str().unwrap();
        format!("{indent}{name} {}", category["unread_count"])
    };
    all.iter().map(line).collect()
}

/// Subscribes to a feed with `items` items and returns the added feed.
async fn followed(lede: &TestLede, who: &Http, name: &str, items: usize, category: Value) -> Value {
    let titles: Vec<String> = (0..items).map(|n| format!("{name} {n}")).collect();
    let items: Vec<(&str, &str)> = titles.iter().map(|title| (&**title, "text")).collect();
    let url = lede
        .site
        .put(&format!("/{name}.xml"), Reply::rss(name, &items));
    let body = json!({"url": url, "category_id": category});
    who.post("/api/feeds", body).await.expect(201).json()
}

async fn titles(who: &Http, path: &str) -> Vec<String> {
    let feeds = who.json(path).await;
    let feeds = feeds.as_array().unwrap().iter();
    feeds
        .map(|feed| feed["title"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn categories_are_a_tree_that_counts_what_is_unread_in_it() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let tech = category(&ada, "Technology", Value::Null).await;
        let rust = category(&ada, " Rust ", tech.clone()).await;
        category(&ada, "Go", tech.clone()).await;
        let news = category(&ada, "News", Value::Null).await;
        followed(&lede, &ada, "a", 2, rust.clone()).await;
        followed(&lede, &ada, "b", 3, tech.clone()).await;
        followed(&lede, &ada, "c", 4, Value::Null).await;
        assert_eq!(
            shown(&ada).await,
            ["News 0", "Technology 5", "  Go 0", "  Rust 2"]
        );

        assert_eq!(titles(&ada, "/api/feeds").await, ["b", "a", "c"]);
        assert_eq!(
            titles(&ada, &format!("/api/feeds?category_id={tech}")).await,
            ["b", "a"]
        );
        assert_eq!(
            titles(&ada, &format!("/api/feeds?category_id={rust}")).await,
            ["a"]
        );
        assert!(
            titles(&ada, &format!("/api/feeds?category_id={news}"))
                .await
                .is_empty()
        );

        let path = format!("/api/categories/{rust}");
        let moved = ada
            .put(&path, json!({"parent_id": news}))
            .await
            .expect(200)
            .json();
        assert_eq!(
            moved,
            json!({"id": rust, "name": "Rust", "parent_id": news, "position": 0, "unread_count": 2})
        );
        let renamed = ada
            .put(&path, json!({"name": "rust"}))
            .await
            .expect(200)
            .json();
        assert_eq!(renamed["parent_id"], news, "absent is unchanged");
        assert_eq!(
            shown(&ada).await,
            ["News 2", "  rust 2", "Technology 3", "  Go 0"]
        );
        let top = ada
            .put(&path, json!({"parent_id": null}))
            .await
            .expect(200)
            .json();
        assert_eq!(top["parent_id"], Value::Null);
    })
    .await;
}

#[tokio::test]
async fn names_that_look_the_same_are_the_same_however_they_are_typed() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let (one, two) = ("Caf\u{e9}", "Cafe\u{301}");
        for path in ["/api/categories", "/api/labels"] {
            let made = ada.post(path, json!({"name": two})).await.expect(201);
            assert_eq!(made.json()["name"], one, "{path}");
            for name in [one, two] {
                ada.post(path, json!({"name": name})).await.expect(409);
            }
        }
        let other = category(&ada, "Other", Value::Null).await;
        let rename = json!({"name": two});
        ada.put(&format!("/api/categories/{other}"), rename)
            .await
            .expect(409);
        let search = json!({"name": two, "query": "x"});
        let search = ada.post("/api/searches", search).await.expect(201);
        assert_eq!(search.json()["name"], one);
        let rule = json!({"name": two, "query": "x", "actions": {"star": true}});
        let rule = ada.post("/api/rules", rule).await.expect(201);
        assert_eq!(rule.json()["name"], one);
        // The title of a subscription is normalised the same way.
        let feed = followed(&lede, &ada, "feed", 1, Value::Null).await;
        let path = format!("/api/subscriptions/{}/settings", feed["subscription_id"]);
        let renamed = ada.put(&path, json!({"title": two})).await.expect(200);
        assert_eq!(renamed.json()["feed_title"], one);
    })
    .await;
}

#[tokio::test]
async fn a_category_that_cannot_be_is_refused_with_the_reason() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let tech = category(&ada, "Technology", Value::Null).await;
        let rust = category(&ada, "Rust", tech.clone()).await;
        for (body, status, field) in [
            (json!({"name": ""}), 400, "name"),
            (json!({"name": "  "}), 400, "name"),
            (json!({"name": "x".repeat(101)}), 400, "name"),
            (json!({"name": "a\nb"}), 400, "name"),
            (json!({}), 400, ""),
            (json!({"name": "tECHNOLOGY"}), 409, ""),
            (json!({"name": "rust", "parent_id": tech}), 409, ""),
            (json!({"name": "x", "parent_id": 1_000_000}), 404, ""),
        ] {
            let error = ada
                .post("/api/categories", body.clone())
                .await
                .expect(status)
                .json();
            assert!(
                field.is_empty() || error["fields"][field].is_string(),
                "{body}: {error}"
            );
        }
        let path = format!("/api/categories/{tech}");
        for parent in [&tech, &rust] {
            let error = ada
                .put(&path, json!({"parent_id": parent}))
                .await
                .expect(400)
                .json();
            assert!(error["fields"]["parent_id"].is_string(), "{error}");
        }
        let mut deepest = rust;
        for depth in 3..=10 {
            deepest = category(&ada, &depth.to_string(), deepest).await;
        }
        let body = json!({"name": "x", "parent_id": deepest});
        let error = ada.post("/api/categories", body).await.expect(400).json();
        assert!(error["fields"]["parent_id"].is_string(), "{error}");
    })
    .await;
}

#[tokio::test]
async fn a_removed_category_leaves_its_feeds_and_sub_categories_to_its_parent() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let tech = category(&ada, "Technology", Value::Null).await;
        let rust = category(&ada, "Rust", tech.clone()).await;
        category(&ada, "Crates", rust.clone()).await;
        category(&ada, "Rust", rust.clone()).await;
        followed(&lede, &ada, "a", 1, rust.clone()).await;
        followed(&lede, &ada, "b", 1, tech.clone()).await;
        ada.delete(&format!("/api/categories/{rust}"))
            .await
            .expect(204);
        ada.delete(&format!("/api/categories/{rust}"))
            .await
            .expect(404);
        assert_eq!(
            shown(&ada).await,
            ["Technology 2", "  Crates 0", "  Rust 0"]
        );
        assert_eq!(
            titles(&ada, &format!("/api/feeds?category_id={tech}")).await,
            ["a", "b"]
        );
        ada.delete(&format!("/api/categories/{tech}"))
            .await
            .expect(204);
        assert_eq!(shown(&ada).await, ["Crates 0", "Rust 0"]);
        assert_eq!(
            titles(&ada, "/api/feeds").await,
            ["a", "b"],
            "no feed is lost"
        );
    })
    .await;
}

#[tokio::test]
async fn an_order_is_stored_completely_or_not_at_all() {
    on_each_engine(async |lede: TestLede| {
        let (ada, ben) = (
            lede.admin().await,
            lede.person("ben@example.org", Role::Member).await,
        );
        let mut ids = Vec::new();
        for name in ["A", "B", "C"] {
            ids.push(category(&ada, name, Value::Null).await);
        }
        let foreign = category(&ben, "His", Value::Null).await;
        let order = |ids: &[&Value]| {
            let places = ids.iter().enumerate();
            Value::from_iter(places.map(|(position, id)| json!({"id": id, "position": position})))
        };
        let path = "/api/categories/reorder";
        let done = ada
            .patch(path, order(&[&ids[2], &ids[0], &ids[1]]))
            .await
            .expect(200);
        assert_eq!(done.json(), json!({"ok": true}));
        assert_eq!(shown(&ada).await, ["C 0", "A 0", "B 0"]);
        category(&ada, "0 is new", Value::Null).await;
        assert_eq!(shown(&ada).await, ["C 0", "A 0", "B 0", "0 is new 0"]);

        ada.patch(path, order(&[&ids[0], &foreign, &ids[2]]))
            .await
            .expect(404);
        ada.patch(path, order(&[&ids[0], &json!(1_000_000)]))
            .await
            .expect(404);
        ada.patch(path, order(&[&ids[0], &ids[0]]))
            .await
            .expect(400);
        ada.patch(path, json!([{"id": ids[0], "position": -1}]))
            .await
            .expect(400);
        let many: Vec<Value> = (1..=1001).map(Value::from).collect();
        ada.patch(path, order(&many.iter().collect::<Vec<_>>()))
            .await
            .expect(400);
        assert_eq!(shown(&ada).await, ["C 0", "A 0", "B 0", "0 is new 0"]);
        assert_eq!(ben.json("/api/categories").await[0]["position"], 0);
    })
    .await;
}

#[tokio::test]
async fn users_cannot_change_categories_of_other_users() {
    on_each_engine(async |lede: TestLede| {
        let (ada, ben) = (
            lede.admin().await,
            lede.person("ben@example.org", Role::Member).await,
        );
        let hers = category(&ada, "Hers", Value::Null).await;
        let his = category(&ben, "His", Value::Null).await;
        let feed = followed(&lede, &ben, "a", 1, Value::Null).await;
        let (id, subscription) = (&feed["id"], &feed["subscription_id"]);
        let other = lede.site.put("/other.xml", Reply::rss("Other", &[]));
        let before = lede.site.request_count();

        ben.post("/api/feeds", json!({"url": other, "category_id": hers}))
            .await
            .expect(404);
        assert_eq!(
            lede.site.request_count(),
            before,
            "nothing is fetched for nothing"
        );
        ben.put(&format!("/api/feeds/{id}"), json!({"category_id": hers}))
            .await
            .expect(404);
        let settings = format!("/api/subscriptions/{subscription}/settings");
        ben.put(&settings, json!({"category_id": hers, "notify": true}))
            .await
            .expect(404);
        ben.get(&format!("/api/feeds?category_id={hers}"))
            .await
            .expect(404);
        ben.post("/api/categories", json!({"name": "x", "parent_id": hers}))
            .await
            .expect(404);
        let own = format!("/api/categories/{his}");
        ben.put(&own, json!({"parent_id": hers})).await.expect(404);
        let shared = format!("/api/categories/{hers}");
        ben.put(&shared, json!({"name": "Mine"})).await.expect(404);
        ben.delete(&shared).await.expect(404);
        assert_eq!(shown(&ada).await, ["Hers 0"]);
        assert_eq!(shown(&ben).await, ["His 0"]);
        let feed = ben.json(&format!("/api/feeds/{id}")).await;
        assert_eq!(
            (&feed["category_id"], &feed["notify"]),
            (&Value::Null, &json!(false))
        );
    })
    .await;
}

#[tokio::test]
async fn a_change_of_a_subscription_leaves_other_fields_alone() {
    on_each_engine(async |lede: TestLede| {
        let (ada, ben) = (
            lede.admin().await,
            lede.person("ben@example.org", Role::Member).await,
        );
        let tech = category(&ada, "Technology", Value::Null).await;
        let feed = followed(&lede, &ada, "Daily", 2, tech.clone()).await;
        assert_eq!(feed["category_id"], tech);
        assert_eq!(
            (&feed["error_count"], &feed["position"]),
            (&json!(0), &json!(0))
        );
        ben.post("/api/feeds", json!({"url": feed["url"]}))
            .await
            .expect(201);

        let listed = ada.json("/api/subscriptions").await;
        let subscription = &listed[0];
        assert_eq!(
            *subscription,
            json!({
                "id": feed["subscription_id"], "user_id": ada.json("/api/auth/me").await["id"],
                "feed_id": feed["id"], "feed_title": "Daily",
                "feed_url": feed["url"], "favicon_url": null, "has_access": false, "fetch_interval_minutes": 60,
                "feed_status": "active", "error_message": null, "error_code": null, "unread_count": 2,
                "category_id": tech, "position": 0, "notify": false, "paused": false,
                "full_text": true, "created_at": subscription["created_at"],
            })
        );
        let settings = format!("/api/subscriptions/{}/settings", subscription["id"]);
        for (body, field, expected) in [
            (
                json!({"title": " My  feed "}),
                "feed_title",
                json!("My feed"),
            ),
            (
                json!({"fetch_interval_minutes": 90}),
                "fetch_interval_minutes",
                json!(90),
            ),
            (json!({"notify": true}), "notify", json!(true)),
            (json!({"full_text": false}), "full_text", json!(false)),
            (json!({"position": 7}), "position", json!(7)),
            (json!({"category_id": null}), "category_id", Value::Null),
            (json!({}), "feed_title", json!("My feed")),
            (
                json!({"paused": null, "notify": null}),
                "notify",
                json!(true),
            ),
            (
                json!({"fetch_interval_minutes": "auto"}),
                "fetch_interval_minutes",
                json!(0),
            ),
            (
                json!({"fetch_interval_minutes": 0}),
                "fetch_interval_minutes",
                json!(0),
            ),
            (
                json!({"fetch_interval_minutes": null}),
                "fetch_interval_minutes",
                json!(60),
            ),
            (json!({"title": null}), "feed_title", json!("Daily")),
            (json!({"title": "Again"}), "feed_title", json!("Again")),
            (json!({"title": " "}), "feed_title", json!("Daily")),
        ] {
            let changed = ada.put(&settings, body.clone()).await.expect(200).json();
            assert_eq!(changed[field], expected, "{body}");
            assert_eq!(changed["id"], subscription["id"]);
        }
        for (body, field) in [
            (
                json!({"fetch_interval_minutes": 45}),
                "fetch_interval_minutes",
            ),
            (
                json!({"fetch_interval_minutes": "often"}),
                "fetch_interval_minutes",
            ),
            (
                json!({"fetch_interval_minutes": 750}),
                "fetch_interval_minutes",
            ),
            (json!({"position": -1}), "position"),
            (json!({"title": "x".repeat(501)}), "title"),
            (json!({"title": "a\u{7}b"}), "title"),
        ] {
            let error = ada.put(&settings, body.clone()).await.expect(400).json();
            assert!(error["fields"][field].is_string(), "{body}: {error}");
        }
        let path = format!("/api/feeds/{}", feed["id"]);
        let named = ada
            .put(&path, json!({"title": "Mine", "category_id": tech}))
            .await;
        let named = named.expect(200).json();
        assert_eq!(
            (&named["title"], &named["category_id"]),
            (&json!("Mine"), &tech)
        );
        assert_eq!(named["notify"], true);
        let his = ben.json(&path).await;
        assert_eq!(
            (&his["title"], &his["category_id"]),
            (&json!("Daily"), &Value::Null)
        );

        ada.delete(&format!("/api/subscriptions/{}", subscription["id"]))
            .await
            .expect(204);
        assert_eq!(ada.json("/api/subscriptions").await, json!([]));
        assert_eq!(
            ben.json(&path).await["unread_count"],
            2,
            "it is gone for her alone"
        );
    })
    .await;
}

#[tokio::test]
async fn feeds_are_sorted_by_name_until_the_user_orders_them() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let mut subscriptions = Vec::new();
        for name in ["c", "B", "a"] {
            let feed = followed(&lede, &ada, name, 0, Value::Null).await;
            subscriptions.push(feed["subscription_id"].clone());
        }
        assert_eq!(titles(&ada, "/api/feeds").await, ["a", "B", "c"]);
        for (position, subscription) in subscriptions.iter().enumerate() {
            let settings = format!("/api/subscriptions/{subscription}/settings");
            ada.put(&settings, json!({"position": position}))
                .await
                .expect(200);
        }
        followed(&lede, &ada, "0", 0, Value::Null).await;
        assert_eq!(titles(&ada, "/api/feeds").await, ["c", "B", "a", "0"]);
    })
    .await;
}

#[tokio::test]
async fn a_paused_feed_is_not_fetched_until_a_user_resumes_it() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = followed(&lede, &ada, "a", 1, Value::Null).await;
        let (id, path) = (&feed["id"], format!("/api/feeds/{}", feed["id"]));
        let settings = format!("/api/subscriptions/{}/settings", feed["subscription_id"]);
        let resume = format!("/api/subscriptions/{}/resume", feed["subscription_id"]);
        let fetched = || lede.site.requests("/a.xml").len();
        ada.post(&resume, json!({})).await.expect(409);
        let paused = ada
            .put(&settings, json!({"paused": true}))
            .await
            .expect(200)
            .json();
        assert_eq!(paused["paused"], true);
        let shown = ada.json(&path).await;
        assert_eq!(
            (&shown["paused"], &shown["next_fetch_at"]),
            (&json!(true), &Value::Null)
        );
        assert_eq!(shown["next_fetch_why"], "nobody follows it");
        assert!(
            titles(&ada, "/api/feeds?include_disabled=false")
                .await
                .is_empty()
        );
        assert_eq!(titles(&ada, "/api/feeds").await, ["a"]);

        lede.clock
            .advance(std::time::Duration::from_secs(24 * 3600));
        let ada = lede.admin().await;
        let before = fetched();
        lede.work().await;
        assert_eq!(fetched(), before, "nobody wants it");

        // Another user subscribes, and the item is new for them only.
        let ben = lede.person("ben@example.org", Role::Member).await;
        ben.post("/api/feeds", json!({"url": feed["url"]}))
            .await
            .expect(201);
        lede.site.put(
            "/a.xml",
            Reply::rss("a", &[("a 0", "text"), ("new", "text")]),
        );
        lede.work().await;
        assert_eq!(fetched(), before + 1);
        assert_eq!(ada.json(&path).await["unread_count"], 1);
        assert_eq!(ben.json(&path).await["unread_count"], 2);

        let resumed = ada.post(&resume, json!({})).await.expect(200).json();
        assert_eq!(
            (&resumed["paused"], &resumed["feed_id"]),
            (&json!(false), id)
        );
        lede.work().await;
        assert_eq!(fetched(), before + 2, "at once");
        assert_eq!(
            ada.json(&path).await["unread_count"],
            1,
            "what she did not want stays so"
        );
        lede.site.put(
            "/a.xml",
            Reply::rss("a", &[("newer", "text"), ("new", "text")]),
        );
        lede.clock.advance(std::time::Duration::from_secs(2 * 3600));
        lede.work().await;
        let ada = lede.admin().await;
        assert_eq!(ada.json(&path).await["unread_count"], 2);
    })
    .await;
}

#[tokio::test]
async fn settings_are_changed_all_or_not_at_all() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = followed(&lede, &ada, "a", 1, Value::Null).await;
        let path = format!("/api/subscriptions/{}/settings", feed["subscription_id"]);
        let body = json!({"cookie": "x=1", "category_id": 999, "title": "Mine"});
        ada.put(&path, body).await.expect(404);
        let shown = ada.json("/api/subscriptions").await;
        assert_eq!(shown[0]["has_access"], false);
        assert_eq!(shown[0]["feed_title"], "a");
        let me = ada.json("/api/auth/me").await;
        assert_eq!(shown[0]["user_id"], me["id"]);

        // The other way round: the cookie is refused because the feed is shared, so the title stays.
        let ben = lede.person("ben@example.org", Role::Member).await;
        followed(&lede, &ben, "a", 1, Value::Null).await;
        let body = json!({"cookie": "x=1", "title": "Mine"});
        ada.put(&path, body).await.expect(409);
        assert_eq!(ada.json("/api/subscriptions").await[0]["feed_title"], "a");
    })
    .await;
}

#[tokio::test]
async fn numbers_that_nothing_can_have_are_refused_by_name() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = followed(&lede, &ada, "a", 1, Value::Null).await;
        let settings = format!("/api/subscriptions/{}/settings", feed["subscription_id"]);
        let refused = |answer: lede_testkit::http::Answer, field: &str| {
            let error = answer.expect(400).json();
            assert_eq!(error["fields"][field], "must be at least 1", "{error}");
        };
        for (path, field) in [
            ("/api/posts?feed_id=-1", "feed_id"),
            ("/api/posts?category_id=0", "category_id"),
            ("/api/feeds?category_id=-7", "category_id"),
            ("/api/feeds/0", "id"),
            ("/api/items/-1", "id"),
            ("/api/imports/0", "id"),
        ] {
            refused(ada.get(path).await, field);
        }
        refused(
            ada.put(&settings, json!({"category_id": -1})).await,
            "category_id",
        );
        let body = json!({"name": "x", "parent_id": -1});
        refused(ada.post("/api/categories", body).await, "parent_id");
        let body = json!({"url": "https://x.example/", "category_id": 0});
        refused(ada.post("/api/feeds", body).await, "category_id");
        let body = json!({"post_ids": [1, 0]});
        refused(ada.post("/api/posts/mark-read", body).await, "post_ids[1]");
        refused(ada.delete("/api/labels/0").await, "id");
    })
    .await;
}

#[tokio::test]
async fn a_stopped_feed_is_left_out_where_asked_and_goes_on_when_it_is_resumed() {
    let options = Options {
        failure_policy: lede_model::schedule::FailurePolicy::OneStrike,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = followed(&lede, &ada, "a", 1, Value::Null).await;
        lede.site.put("/a.xml", Reply::status(500));
        ada.post(&format!("/api/feeds/{}/refresh", feed["id"]), json!({}))
            .await
            .expect(200);
        let stopped = ada.json("/api/subscriptions").await;
        assert_eq!(stopped[0]["feed_status"], "stopped");
        assert!(stopped[0]["error_message"].is_string());
        assert_eq!(ada.json("/api/feeds").await[0]["error_count"], 1);
        assert!(
            titles(&ada, "/api/feeds?include_disabled=false")
                .await
                .is_empty()
        );
        assert_eq!(
            titles(&ada, "/api/feeds?include_disabled=true").await,
            ["a"]
        );
        lede.site.put(
            "/a.xml",
            Reply::rss("a", &[("a 0", "text"), ("new", "text")]),
        );
        let resume = format!("/api/subscriptions/{}/resume", feed["subscription_id"]);
        let resumed = ada.post(&resume, json!({})).await.expect(200).json();
        assert_eq!(
            (&resumed["feed_status"], &resumed["unread_count"]),
            (&json!("active"), &json!(2))
        );
    })
    .await;
}

#[tokio::test]
async fn a_feed_moves_to_another_address_for_one_person_alone() {
    on_each_engine(async |lede: TestLede| {
        let (ada, ben) = (lede.admin().await, lede.person("ben@example.org", Role::Member).await);
        let tech = category(&ada, "Technology", Value::Null).await;
        let feed = followed(&lede, &ada, "old", 2, tech.clone()).await;
        ben.post("/api/feeds", json!({"url": feed["url"]})).await.expect(201);
        let path = format!("/api/feeds/{}", feed["id"]);
        let settings = format!("/api/subscriptions/{}/settings", feed["subscription_id"]);
        let chosen = json!({"title": "Mine", "notify": true, "fetch_interval_minutes": 120, "full_text": false});
        ada.put(&settings, chosen).await.expect(200);
        let items = ada.json(&format!("{path}/items")).await;
        let item = &items["items"][0]["id"];
        ada.put(&format!("/api/items/{item}/state"), json!({"is_starred": true})).await.expect(200);

        let page = "<!doctype html><title>New</title><link rel=alternate type=application/rss+xml href=/new.xml>";
        lede.site.put("/new", Reply::body("text/html", page));
        lede.site.put("/new.xml", Reply::rss("New", &[("one", "text"), ("two", "text"), ("three", "text")]));
        for (address, status) in [
            (feed["url"].as_str().unwrap().to_owned(), 409),
            ("ftp://example.org/".to_owned(), 400),
            ("http://10.0.0.1/".to_owned(), 400),
            (String::new(), 400),
            (lede.site.url("/missing"), 422),
        ] {
            let error = ada.patch(&path, json!({"feed_url": address})).await.expect(status).json();
            assert_eq!(error["fields"]["feed_url"].is_string(), !address.starts_with("http") && status == 400, "{error}");
        }
        assert_eq!(ada.json(&path).await["unread_count"], 2, "nothing changed");

        let moved = ada.patch(&path, json!({"feed_url": lede.site.url("/new")})).await.expect(200).json();
        assert_ne!(moved["id"], feed["id"]);
        assert_eq!(moved["feed_url"], lede.site.url("/new.xml"));
        for (field, expected) in [
            ("subscription_id", feed["subscription_id"].clone()),
            ("title", json!("Mine")),
            ("category_id", tech),
            ("notify", json!(true)),
            ("full_text", json!(false)),
            ("fetch_interval_minutes", json!(120)),
            ("unread_count", json!(3)),
        ] {
            assert_eq!(moved[field], expected, "{field}");
        }
        ada.get(&path).await.expect(404);
        let other_item = &items["items"][1]["id"];
        ada.get(&format!("/api/items/{other_item}")).await.expect(404);
        assert_eq!(ada.json(&format!("/api/items/{item}")).await["is_starred"], true, "starred items stay");
        let his = ben.json(&path).await;
        assert_eq!((&his["feed_url"], &his["unread_count"]), (&feed["feed_url"], &json!(2)));
        // Moving back: read marks are gone and stars stay, as after unsubscribing.
        let path = format!("/api/feeds/{}", moved["id"]);
        let back = ada.patch(&path, json!({"feed_url": feed["url"]})).await.expect(200).json();
        assert_eq!((&back["id"], &back["unread_count"]), (&feed["id"], &json!(2)));
        assert_eq!(ada.json(&format!("/api/items/{item}")).await["is_starred"], true);

        // A feed that is already followed, and one that a viewer may not add.
        let other = followed(&lede, &ada, "other", 0, Value::Null).await;
        let path = format!("/api/feeds/{}", other["id"]);
        ada.patch(&path, json!({"feed_url": feed["url"]})).await.expect(409);
        let vera = lede.person("vera@example.org", Role::Viewer).await;
        vera.post("/api/feeds", json!({"url": feed["url"]})).await.expect(201);
        let path = format!("/api/feeds/{}", feed["id"]);
        let unknown = lede.site.put("/unknown.xml", Reply::rss("Unknown", &[]));
        vera.patch(&path, json!({"feed_url": unknown})).await.expect(403);
        vera.patch(&path, json!({"feed_url": other["url"]})).await.expect(200);
    })
    .await;
}
