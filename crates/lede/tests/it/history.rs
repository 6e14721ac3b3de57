//! The reading history over the API and on pages: the items a user opened, latest first.

use std::time::Duration;

use lede_model::user::Role;
use lede_testkit::http::Http;
use lede_testkit::{Reply, TestLede, on_each_engine};
use serde_json::{Value, json};

use crate::lists::{follow, titles};
use crate::pages;

/// Marks the items with these positions in the feed as read, one minute apart.
async fn read(lede: &TestLede, reader: &Http, feed: &Value, numbers: &[usize]) {
    let page = reader
        .json(&format!("/api/feeds/{feed}/items?order=oldest&limit=200"))
        .await;
    for number in numbers {
        lede.clock.advance(Duration::from_secs(60));
        let state = format!("/api/items/{}/state", page["items"][number]["id"]);
        let read = reader.put(&state, json!({"is_read": true})).await;
        read.expect(200);
    }
}

#[tokio::test]
async fn what_was_read_is_given_with_its_time_the_last_first() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let other = lede.person("eve@example.org", Role::Member).await;
        let daily = follow(&reader, &lede, "Daily", 9).await;
        follow(&other, &lede, "Daily", 9).await;
        read(&lede, &reader, &daily, &[2, 7, 4, 0, 5]).await;
        let last = lede.clock.now();
        read(&lede, &other, &daily, &[1]).await;
        // Items of a bulk mark were not opened and are not in the history.
        let all = json!({"feed_id": daily});
        reader.post("/api/posts/mark-read", all).await.expect(200);

        let first = reader.json("/api/posts?history=true&limit=2").await;
        assert_eq!(titles(&first), ["Daily 5", "Daily 0"]);
        assert_eq!(
            (&first["total"], &first["has_more"]),
            (&json!(5), &json!(true))
        );
        assert_eq!(first["posts"][0]["read_at"], last.to_string());
        assert_eq!(first["posts"][0]["is_read"], true);
        let cursor = first["next_cursor"].as_str().unwrap();
        // Items read or unmarked in the meantime do not shift the next page.
        let again = format!("/api/items/{}/state", first["posts"][1]["id"]);
        reader
            .put(&again, json!({"is_read": false}))
            .await
            .expect(200);
        read(&lede, &reader, &daily, &[0, 8]).await;
        let next = format!("/api/posts?history=true&cursor={cursor}");
        let next = reader.json(&next).await;
        assert_eq!(titles(&next), ["Daily 4", "Daily 7", "Daily 2"]);
        let whole = reader.json("/api/posts?history=true").await;
        let read = [
            "Daily 8", "Daily 0", "Daily 5", "Daily 4", "Daily 7", "Daily 2",
        ];
        assert_eq!(titles(&whole), read);
        let turned = reader
            .json("/api/posts?history=true&order=oldest&limit=1")
            .await;
        assert_eq!(titles(&turned), ["Daily 2"]);

        let dated = reader.json("/api/posts?limit=1").await;
        assert_eq!(dated["posts"][0].get("read_at"), None);
        let of_dates = dated["next_cursor"].as_str().unwrap();
        for (query, field) in [
            (format!("feed_id={daily}"), "feed_id"),
            ("category_id=1".to_owned(), "category_id"),
            ("unread_only=true".to_owned(), "unread_only"),
            ("starred_only=true".to_owned(), "starred_only"),
            ("search=text".to_owned(), "search"),
            (format!("cursor={of_dates}"), "cursor"),
            (format!("cursor={cursor}&order=oldest"), "cursor"),
        ] {
            let path = format!("/api/posts?history=true&{query}");
            let error = reader.get(&path).await.expect(400).json();
            assert!(error["fields"][field].is_string(), "{query}: {error}");
        }
        for path in [
            format!("/api/posts?cursor={cursor}"),
            "/api/posts?history=perhaps".to_owned(),
        ] {
            reader.get(&path).await.expect(400);
        }
        let nothing_else = "/api/posts?history=true&unread_only=false";
        assert_eq!(titles(&reader.json(nothing_else).await), read);
    })
    .await;
}

#[tokio::test]
async fn an_item_that_a_rule_marks_read_is_not_in_the_history() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let rule = json!({"name": "All", "query": "text", "actions": {"mark_read": true}});
        let feed = follow(&reader, &lede, "Daily", 1).await;
        reader.post("/api/rules", rule).await.expect(201);
        let later = [("Later", "Text"), ("Other", "Words")];
        lede.site.put("/Daily.xml", Reply::rss("Daily", &later));
        let refresh = format!("/api/feeds/{feed}/refresh");
        reader.post(&refresh, json!({})).await.expect(200);
        let unread = reader.json("/api/posts?unread_only=true").await;
        assert_eq!(unread["total"], 2, "{unread}");
        let history = reader.json("/api/posts?history=true").await;
        assert_eq!(history["posts"], json!([]));
        let whole = reader.json("/api/posts").await;
        let place = titles(&whole).iter().position(|title| *title == "Later");
        let later = format!("/api/items/{}/state", whole["posts"][place.unwrap()]["id"]);
        reader
            .put(&later, json!({"is_read": true}))
            .await
            .expect(200);
        let history = reader.json("/api/posts?history=true").await;
        assert_eq!(titles(&history), ["Later"], "somebody opened it");
    })
    .await;
}

#[tokio::test]
async fn what_was_marked_with_a_list_is_read_when_it_is_opened_and_stays_so() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let daily = follow(&reader, &lede, "Daily", 4).await;
        let mut read_before: Vec<String> = Vec::new();
        for (whole, number) in [(json!({"feed_id": daily}), 1), (json!({"all": true}), 3)] {
            let marked = reader.post("/api/posts/mark-read", whole).await;
            let marked = marked.expect(200).json();
            read(&lede, &reader, &daily, &[number]).await;
            let opened_at = lede.clock.now().to_string();
            // Reading it again keeps the time of the first reading.
            read(&lede, &reader, &daily, &[number]).await;
            let history = reader.json("/api/posts?history=true").await;
            read_before.insert(0, format!("Daily {number}"));
            assert_eq!(titles(&history), read_before);
            assert_eq!(history["posts"][0]["read_at"], opened_at);

            let undo = format!("/api/posts/mark-read/{}/undo", marked["undo_id"]);
            reader.post(&undo, json!({})).await.expect(200);
            let unread = reader.json("/api/posts?unread_only=true").await;
            assert_eq!(unread["total"], 4 - read_before.len(), "{unread}");
            let history = reader.json("/api/posts?history=true").await;
            assert_eq!(titles(&history), read_before);
        }
    })
    .await;
}

#[tokio::test]
async fn the_history_is_a_page_that_nothing_comes_into() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let browser = lede.browser().await;
        let daily = follow(&reader, &lede, "Daily", 60).await;
        let empty = browser.get("/?show=read").await.expect(200);
        assert!(empty.text.contains("Nothing read yet"));
        let preferred = json!({"order": "oldest"});
        reader
            .patch("/api/users/me/preferences", preferred)
            .await
            .expect(200);

        let numbers: Vec<usize> = (0..60).collect();
        read(&lede, &reader, &daily, &numbers).await;
        lede.clock.advance(Duration::from_secs(3 * 60));
        let page = browser.get("/?show=read").await.expect(200);
        let last_first: Vec<String> = (10..60).rev().map(|n| format!("Daily {n}")).collect();
        assert_eq!(pages::titles(&page), last_first, "whatever order is liked");
        assert!(page.text.contains("<h1 dir=\"auto\">History</h1>"));
        assert!(
            page.text
                .contains("href=\"/?show=read\" aria-current=\"page\"")
        );
        assert!(!page.text.contains("href=\"/\" aria-current"));
        assert!(page.text.contains("Read <time"));
        assert!(page.text.contains(">3 min ago</span>"));
        assert!(page.text.contains("data-fixed"));
        for absent in ["class=\"mark-all", "order="] {
            assert!(!page.text.contains(absent), "{absent}");
        }
        let more = page.text.split("data-more=\"").nth(1).unwrap();
        let more = more.split('"').next().unwrap().replace("&#38;", "&");
        assert!(more.starts_with("/list?show=read&after="), "{more}");
        let rest = browser.get(&more).await.expect(200);
        let rest_last_first: Vec<String> = (0..10).rev().map(|n| format!("Daily {n}")).collect();
        assert_eq!(pages::titles(&rest), rest_last_first);

        // The reading order is stored neither per feed nor for search results.
        let of_feed = format!("/?feed={daily}&show=read");
        for path in [of_feed.as_str(), "/?q=text&show=read"] {
            let page = browser.get(path).await.expect(200);
            assert!(!page.text.contains("Read <time"), "{path}");
        }
    })
    .await;
}
