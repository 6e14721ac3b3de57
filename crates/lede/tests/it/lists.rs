//! Lists over the API: paging that stays correct under changes, and bulk marks.

use std::time::Duration;

use lede_core::worker;
use lede_model::user::Role;
use lede_testkit::http::Http;
use lede_testkit::{Reply, TestLede, on_each_engine};
use serde_json::{Value, json};

/// A feed of `count` items, the last one the newest.
fn feed(title: &str, from: usize, count: usize) -> Reply {
    use std::fmt::Write as _;
    let mut items = String::new();
    for number in (from..from + count).rev() {
        let (hour, minute) = (number / 60, number % 60);
        write!(
            items,
            "<item><guid>{title}-{number}</guid><title>{title} {number}</title><description>Text {number}</description>
             <pubDate>Sat, 14 Mar 2026 {hour:02}:{minute:02}:00 GMT</pubDate></item>"
        )
        .unwrap();
    }
    let feed = format!("<rss version='2.0'><channel><title>{title}</title>{items}</channel></rss>");
    Reply::body("application/rss+xml", feed)
}

pub(crate) async fn follow(reader: &Http, lede: &TestLede, title: &str, count: usize) -> Value {
    let url = lede
        .site
        .put(&format!("/{title}.xml"), feed(title, 0, count));
    let added = reader.post("/api/feeds", json!({"url": url})).await;
    added.expect(201).json()["id"].clone()
}

pub(crate) fn titles(page: &Value) -> Vec<&str> {
    let posts = page["posts"].as_array().unwrap();
    posts
        .iter()
        .map(|post| post["title"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn pages_follow_each_other_by_cursor_or_by_number() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let daily = follow(&reader, &lede, "Daily", 70).await;
        follow(&reader, &lede, "Weekly", 5).await;

        let first = reader.json("/api/posts").await;
        assert_eq!(first["total"], 75);
        assert_eq!(first["has_more"], true);
        assert_eq!(titles(&first).len(), 50);
        assert_eq!(titles(&first)[0], "Daily 69");
        let cursor = first["next_cursor"].as_str().unwrap();
        // A new item arrives and the shown ones are read in the meantime: the next page is unaffected.
        lede.site.put("/Daily.xml", feed("Daily", 0, 71));
        let refresh = format!("/api/feeds/{daily}/refresh");
        let refreshed = reader.post(&refresh, json!({})).await.expect(200);
        assert_eq!(refreshed.json()["new_posts"], 1);
        let id = &first["posts"][0]["id"];
        reader
            .patch(&format!("/api/posts/{id}/read"), json!({"is_read": true}))
            .await
            .expect(200);
        let second = reader.json(&format!("/api/posts?cursor={cursor}")).await;
        assert_eq!(second["has_more"], false);
        assert_eq!(second.get("next_cursor"), None);
        let mut all: Vec<&str> = titles(&first);
        all.extend(titles(&second));
        assert_eq!(all.len(), 75);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 75);

        let page = reader
            .json("/api/posts?limit=3&offset=2&order=oldest&unread_only=true")
            .await;
        assert_eq!((titles(&page).len(), &page["total"]), (3, &json!(75)));
        let page = reader
            .json(&format!("/api/posts?feed_id={daily}&limit=200"))
            .await;
        assert_eq!((titles(&page).len(), &page["total"]), (71, &json!(71)));
        let page = reader
            .json(&format!(
                "/api/feeds/{daily}/items?filter=unread&order=oldest&limit=2"
            ))
            .await;
        assert_eq!(page["items"][0]["title"], "Daily 0");
        assert_eq!(page["items"][0]["excerpt"], "Text 0");
        assert_eq!(page["total"], 70);
        let starred = reader.json("/api/posts?starred_only=true").await;
        assert_eq!(
            (&starred["posts"], &starred["total"]),
            (&json!([]), &json!(0))
        );

        let shown = reader.json(&format!("/api/posts/{id}")).await;
        for (field, value) in [
            ("title", json!("Daily 69")),
            ("content", json!("Text 69")),
            ("full_content", Value::Null),
            ("summary", json!("Text 69")),
            ("hatebu_count", Value::Null),
            ("ai_summary", Value::Null),
            ("one_line_summary", json!("Text 69")),
            ("summary_status", json!("ready")),
            ("is_read", json!(true)),
        ] {
            assert_eq!(shown[field], value, "{field}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_by_name() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let feed = follow(&reader, &lede, "Daily", 60).await;
        let other = lede.person("eve@example.org", Role::Member).await;
        follow(&other, &lede, "Daily", 60).await;
        let cursor = |page: Value| page["next_cursor"].as_str().unwrap().to_owned();
        let mine = cursor(reader.json("/api/posts").await);
        let theirs = cursor(other.json("/api/posts").await);
        let of_feed = cursor(reader.json(&format!("/api/feeds/{feed}/items")).await);
        for (query, field) in [
            ("limit=0", "limit"),
            ("limit=201", "limit"),
            ("limit=-1", "limit"),
            ("limit=many", "limit"),
            ("limit=99999999999999999999", "limit"),
            ("offset=-1", "offset"),
            ("offset=100001", "offset"),
            ("order=random", "order"),
            ("feed_id=x", "feed_id"),
            ("category_id=1.5", "category_id"),
            ("unread_only=perhaps", "unread_only"),
            ("cursor=", "cursor"),
            ("cursor=words", "cursor"),
            (&format!("cursor={theirs}"), "cursor"),
            (&format!("cursor={of_feed}"), "cursor"),
            (&format!("cursor={mine}&unread_only=true"), "cursor"),
            (&format!("cursor={mine}&order=oldest"), "cursor"),
            (&format!("cursor={mine}&offset=1"), "offset"),
            (&format!("cursor={}", "a".repeat(5000)), "cursor"),
        ] {
            let answer = reader.get(&format!("/api/posts?{query}")).await.expect(400);
            let error = answer.json();
            assert!(error["fields"][field].is_string(), "{query}: {error}");
        }
        let both = format!("/api/posts?feed_id={feed}&category_id=1");
        reader.get(&both).await.expect(400);
        for absent in ["/api/posts?feed_id=100000", "/api/posts?category_id=100000"] {
            reader.get(absent).await.expect(404);
        }
        let filter = format!("/api/feeds/{feed}/items?filter=unread-starred");
        reader.get(&filter).await.expect(400);
        for body in [
            json!({}),
            json!({"all": false}),
            json!({"all": true, "feed_id": feed}),
            json!({"post_ids": []}),
            json!({"post_ids": vec![1; 1001]}),
            json!({"post_ids": ["1"]}),
            json!({"feed_id": "1"}),
            json!({"all": true, "before": "yesterday"}),
            json!({"all": true, "newest_id": -1}),
        ] {
            let answer = reader.post("/api/posts/mark-read", body.clone()).await;
            assert!([400, 422].contains(&answer.status.as_u16()), "{body}");
        }
        for body in [
            json!({"feed_id": 100_000}),
            json!({"category_id": 100_000}),
            json!({"post_ids": [100_000]}),
        ] {
            let answer = reader.post("/api/posts/mark-read", body).await;
            answer.expect(404);
        }
        assert_eq!(
            reader.json("/api/posts?unread_only=true").await["total"],
            60
        );
    })
    .await;
}

#[tokio::test]
async fn many_items_are_marked_at_once_and_back() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let daily = follow(&reader, &lede, "Daily", 6).await;
        let weekly = follow(&reader, &lede, "Weekly", 4).await;
        let other = lede.person("eve@example.org", Role::Member).await;
        follow(&other, &lede, "Daily", 6).await;
        let unread = async |who: &Http| {
            let page = who.json("/api/posts?unread_only=true").await;
            page["total"].as_i64().unwrap()
        };
        let mark = async |body: Value| {
            let answer = reader.post("/api/posts/mark-read", body).await;
            answer.expect(200).json()
        };
        let undo = |marked: &Value| format!("/api/posts/mark-read/{}/undo", marked["undo_id"]);

        // By ids: those of others' items and of read items are skipped.
        let page = reader.json(&format!("/api/posts?feed_id={daily}")).await;
        let ids: Vec<&Value> = page["posts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|post| &post["id"])
            .collect();
        let marked = mark(json!({"post_ids": [ids[0], ids[1], 100_000]})).await;
        assert_eq!(
            (&marked["marked"], &marked["unknown"]),
            (&json!(2), &json!(1))
        );
        assert_eq!(unread(&reader).await, 8);
        let restored = reader.post(&undo(&marked), json!({})).await.expect(200);
        assert_eq!(restored.json()["restored"], 2);
        assert_eq!(unread(&reader).await, 10);
        // An undo works once.
        reader.post(&undo(&marked), json!({})).await.expect(404);

        // A feed, up to the newest item that was shown.
        let marked = mark(json!({"feed_id": daily, "newest_id": ids[5]})).await;
        let again =
            mark(json!({"feed_id": daily, "before": page["posts"][1]["published_at"]})).await;
        let seen = marked["marked"].as_i64().unwrap() + again["marked"].as_i64().unwrap();
        assert_eq!(seen, 5, "the newest one stays: {marked} {again}");
        other.post(&undo(&again), json!({})).await.expect(404);
        assert_eq!(unread(&other).await, 6);

        // Items older than one, and those that a search finds.
        let weekly_items = reader.json(&format!("/api/posts?feed_id={weekly}")).await;
        let second = &weekly_items["posts"][1]["id"];
        let marked = mark(json!({"feed_id": weekly, "older_than_id": second})).await;
        assert_eq!(marked["marked"], 2);
        reader.post(&undo(&marked), json!({})).await.expect(200);
        worker::run_queues(&lede.lede).await.unwrap();
        let title = weekly_items["posts"][2]["title"].as_str().unwrap();
        let search = format!("title:\"{title}\" feed:Weekly");
        let marked = mark(json!({ "search": search })).await;
        assert_eq!(marked["marked"], 1, "{title}");
        let again = mark(json!({ "search": search })).await;
        assert_eq!(
            (&again["marked"], &again["undo_id"]),
            (&json!(0), &Value::Null)
        );
        reader.post(&undo(&marked), json!({})).await.expect(200);
        for (body, status) in [
            (json!({"search": "\""}), 400),
            (json!({"search": "x", "feed_id": weekly}), 400),
            (json!({"all": true, "older_than_id": 100_000}), 404),
        ] {
            let answer = reader.post("/api/posts/mark-read", body.clone()).await;
            assert_eq!(answer.status.as_u16(), status, "{body}");
        }

        // All items; later arrivals stay unread.
        let marked = mark(json!({"all": true, "before": "9999-12-31T23:59:59Z"})).await;
        assert_eq!(marked["unknown"], 0);
        assert_eq!((unread(&reader).await, &marked["marked"]), (0, &json!(5)));
        assert_eq!(mark(json!({"all": true})).await["undo_id"], Value::Null);
        lede.site.put("/Weekly.xml", feed("Weekly", 0, 5));
        let refresh = format!("/api/feeds/{weekly}/refresh");
        reader.post(&refresh, json!({})).await.expect(200);
        assert_eq!(unread(&reader).await, 1);
        lede.clock.advance(Duration::from_secs(601));
        let late = reader.post(&undo(&marked), json!({})).await.expect(410);
        assert_eq!(late.json()["code"], "too_late");
        assert_eq!(unread(&reader).await, 1);
    })
    .await;
}
