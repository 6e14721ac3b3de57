//! Imports of hostile, damaged and excessive documents.

use super::*;

#[tokio::test]
async fn hostile_html_is_cleaned_and_hostile_addresses_are_refused() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let url = lede.site.url("/feed.xml");
        let html = "<p onclick=alert(1)>text<script>alert(2)</script><a href='javascript:alert(3)'>x</a>\
                    <img src=https://site.example/p.png onerror=alert(4)></p>";
        let mut document = document(&url, "g:1", html);
        document["starred"][0]["full_html"] = json!(html);
        document["starred"][0]["title"] = json!("<script>alert(5)</script>\u{0} title");
        document["starred"][0]["url"] = json!("javascript:alert(6)");
        document["starred"][0]["image_url"] = json!("data:text/html,<script>");
        document["subscriptions"][0]["title"] = json!("<b>mine\u{0}\n</b>");
        imported(&ada, &document).await;
        let feeds = ada.json("/api/feeds").await;
        assert_eq!(feeds[0]["title"], "<b>mine</b>", "a title is text");
        let feed = feeds[0]["id"].to_string();
        let item = items_of(&ada, &feed, "starred").await[0]["id"].to_string();
        let item = ada.json(&format!("/api/items/{item}")).await;
        for field in ["content", "full_content"] {
            let text = item[field].as_str().unwrap();
            assert!(text.contains("text"), "{field}: {text}");
            for word in ["onclick", "script", "onerror", "alert"] {
                assert!(!text.contains(word), "{field}: {text}");
            }
        }
        assert_eq!(item["url"], Value::Null);
        assert_eq!(item["image_url"], Value::Null);
        assert_eq!(item["title"], "<script>alert(5)</script> title");
    })
    .await;
}

#[tokio::test]
async fn unreadable_entries_are_reported_and_the_rest_is_imported() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let good = lede.site.url("/good.xml");
        let starred = |feed: &str, key: &str| json!({"feed_url": feed, "key": key, "title": "t", "html": "h"});
        let document = json!({
            "format": "lede-export", "version": 1, "account": {"id": 1, "role": "admin"},
            "categories": [{"path": []}, {"path": ["a".repeat(300)]}, {"path": "News"}, {"path": ["Good"]}, 7],
            "subscriptions": [
                {"feed_url": "file:///etc/passwd"}, {"feed_url": 7}, {"id": 1, "feed_id": 1},
                {"feed_url": good, "category": ["Good"], "interval_minutes": -5, "user_id": 99, "position": 3},
                {"feed_url": good, "position": 1e300},
            ],
            "saved_searches": [{"name": "", "query": "x"}, {"name": "x", "query": "y".repeat(5000)}, null],
            "rules": [{"name": "everywhere", "feed_url": "https://not.followed/feed"}, {"name": "r", "category": ["Absent"]}],
            "starred": [
                starred("https://not.followed/feed", "g:1"), starred(&good, "nonsense"),
                starred(&good, "g:2"), {"feed_url": good, "key": "g:3", "title": ["list"], "html": {}},
            ],
            "marks": [
                {"feed_url": good, "items": [{"key": "g:2", "read": "yes"}]},
                {"feed_url": good, "items": [{"key": "g:2", "read": false}, {"key": "g:99", "read": true}]},
                {"feed_url": "https://not.followed/feed", "items": []},
            ],
        });
        let done = import(&ada, &document).await.expect(200).json();
        let errors: Vec<String> = done["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|error| format!("{} {}", error["list"].as_str().unwrap(), error["entry"]))
            .collect();
        assert_eq!(
            errors,
            [
                "categories 1", "categories 2", "categories 3", "categories 5",
                "subscriptions 1", "subscriptions 2", "subscriptions 3", "subscriptions 5",
                "saved_searches 1", "saved_searches 2", "saved_searches 3",
                "starred 2", "starred 4", "marks 1", "marks 3", "rules 1", "rules 2",
            ],
            "{done:#}"
        );
        assert_eq!((&done["subscriptions_added"], &done["starred"], &done["marked"]), (&json!(1), &json!(2), &json!(1)));
        // The other starred item is of a feed that they do not follow.
        let feeds = ada.json("/api/feeds").await;
        assert_eq!(feeds[0]["fetch_interval_minutes"], Value::Null);
        assert_eq!(feeds[0]["unread_count"], 1);
        assert_eq!(count(&lede, "SELECT COUNT(*) FROM rule"), 0, "none that would hold everywhere");
        assert_eq!(ada.json("/api/auth/me").await["role"], "admin");
    })
    .await;
}

#[tokio::test]
async fn what_is_no_take_out_changes_nothing() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let json_type = [("content-type", "application/json")];
        let url = lede.site.url("/feed.xml");
        let head = format!(
            r#"{{"format":"lede-export","version":1,"subscriptions":[{{"feed_url":"{url}"}}]"#
        );
        let long = "x".repeat(11 << 20);
        for (body, words) in [
            (String::new(), "EOF"),
            ("[1, 2]".to_owned(), "a take-out of Lede"),
            ("{\"format\":\"other\"}".to_owned(), "does not say"),
            (head.clone(), "EOF"),
            (format!("{head},\"marks\":7}}"), "a list"),
            (
                format!("{head},\"starred\":[{{\"html\":\"{long}\"}}]}}"),
                "longer than 10 MB",
            ),
            (format!("{head},\"x\":{}", "[".repeat(5000)), "EOF"),
            (head.replace("1,", "9,") + "}", "version 9"),
        ] {
            let answer = ada
                .send(Method::POST, IMPORT, &json_type, body.into_bytes())
                .await;
            let answer = answer.expect(400).json();
            let said = answer["message"].as_str().unwrap();
            assert!(said.contains(words), "{words}: {said}");
        }
        let form = [("content-type", "text/plain")];
        ada.send(Method::POST, IMPORT, &form, head.into_bytes())
            .await
            .expect(415);
        assert_eq!(ada.json("/api/feeds").await, json!([]));
        assert_eq!(count(&lede, "SELECT COUNT(*) FROM feed"), 0);
    })
    .await;
}

#[tokio::test]
async fn limits_and_roles_apply_to_imports() {
    let options = Options {
        max_subscriptions: 2,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let urls = ["/a.xml", "/b.xml", "/c.xml"].map(|path| lede.site.url(path));
        let subscriptions: Vec<Value> = urls.iter().map(|url| json!({"feed_url": url})).collect();
        let document =
            json!({"format": "lede-export", "version": 1, "subscriptions": subscriptions});
        let ada = lede.admin().await;
        let done = import(&ada, &document).await.expect(200).json();
        assert_eq!(done["subscriptions_added"], 2);
        assert_eq!(
            done["errors"][0]["error"],
            "you follow 2 feeds, which is the limit here"
        );

        let viewer = lede.person("vera@example.org", Role::Viewer).await;
        let new = lede.site.url("/new.xml");
        let mut document = document_of_viewer(&urls[0], &new);
        let done = import(&viewer, &document).await.expect(200).json();
        assert_eq!(done["subscriptions_added"], 1, "what is known here");
        let said = done.to_string();
        assert!(
            said.contains("not add new ones") && said.contains("may not add to what others share"),
            "{said}"
        );
        assert_eq!(count(&lede, "SELECT COUNT(*) FROM feed"), 2);
        assert_eq!(count(&lede, "SELECT COUNT(*) FROM item"), 0);
        document["starred"] = json!([]);
        import(&viewer, &document).await.expect(200);
    })
    .await;
}

fn document_of_viewer(known: &str, new: &str) -> Value {
    json!({
        "format": "lede-export", "version": 1,
        "subscriptions": [{"feed_url": known}, {"feed_url": new}],
        "starred": [{"feed_url": known, "key": "g:1", "title": "t", "html": "h"}],
    })
}

#[tokio::test]
async fn imported_values_have_the_same_limits_as_entered_ones() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let good = lede.site.url("/good.xml");
        let (longest, question) = ("n".repeat(100), "q".repeat(500));
        let path = |depth: usize| vec!["Deep"; depth];
        let named = |count: usize| {
            let names = (0..count).map(|number| format!("{number}"));
            names.collect::<Vec<_>>()
        };
        let searches = named(101);
        let searches = searches
            .iter()
            .map(|name| json!({"name": name, "query": question, "position": i64::MAX}));
        let rules = named(101);
        let rules = rules
            .iter()
            .map(|name| json!({"name": name, "query": "x", "star": true}));
        let (mut searches, mut rules): (Vec<Value>, Vec<Value>) =
            (searches.collect(), rules.collect());
        searches.insert(0, json!({"name": "n".repeat(101), "query": "x"}));
        searches.insert(1, json!({"name": "x", "query": "q".repeat(501)}));
        searches.insert(2, json!({"name": "x", "query": "is:nonsense"}));
        rules.insert(0, json!({"name": "without a condition", "star": true}));
        rules.insert(1, json!({"name": "without an action", "query": "x"}));
        rules.insert(
            2,
            json!({"name": "without a meaning", "query": "-x", "star": true}),
        );
        let document = json!({
            "format": "lede-export", "version": 1,
            "categories": [
                {"path": path(11)}, {"path": ["n".repeat(101)]}, {"path": path(10)},
                {"path": [longest], "position": i64::MAX}, {"path": ["News"]}, {"path": ["news"]},
            ],
            "subscriptions": [
                {"feed_url": good, "title": "t".repeat(500), "category": ["NEWS"], "position": -1},
                {"feed_url": lede.site.url("/other.xml"), "title": "t".repeat(501)},
            ],
            "saved_searches": searches,
            "rules": rules,
        });
        let done = import(&ada, &document).await.expect(200).json();
        let errors: Vec<String> = done["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|error| format!("{} {}", error["list"].as_str().unwrap(), error["entry"]))
            .collect();
        assert_eq!(
            errors,
            [
                "categories 1",
                "categories 2",
                "subscriptions 2",
                "saved_searches 1",
                "saved_searches 2",
                "saved_searches 3",
                "saved_searches 104",
                "rules 1",
                "rules 2",
                "rules 3",
                "rules 104",
            ],
            "{done:#}"
        );
        let feeds = ada.json("/api/feeds").await;
        assert_eq!(
            (&feeds[0]["title"], &feeds[0]["position"]),
            (&json!("t".repeat(500)), &json!(0))
        );
        let categories = ada.json("/api/categories").await;
        let categories = categories.as_array().unwrap();
        assert_eq!(categories.len(), 12, "names differ by more than their case");
        let news = categories
            .iter()
            .find(|category| category["name"] == "News")
            .unwrap();
        assert_eq!(feeds[0]["category_id"], news["id"]);
        // There is still a position after the last one.
        ada.post("/api/categories", json!({"name": "Last"}))
            .await
            .expect(201);
    })
    .await;
}
