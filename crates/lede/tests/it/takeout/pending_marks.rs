//! Imported marks of items that arrive later.

use super::*;

/// A feed with these items, each with its hour of publication on 14 March, if it has one.
fn dated(items: &[(&str, Option<u32>)]) -> Reply {
    let entry = |(title, hour): &(&str, Option<u32>)| {
        let date =
            hour.map(|hour| format!("<pubDate>Sat, 14 Mar 2026 {hour:02}:00:00 GMT</pubDate>"));
        let date = date.unwrap_or_default();
        format!(
            "<item><title>{title}</title><guid>{title}</guid>{date}<description>x</description></item>"
        )
    };
    let items: String = items.iter().map(entry).collect();
    let text = format!("<rss version=\"2.0\"><channel><title>Feed</title>{items}</channel></rss>");
    Reply::body("application/rss+xml", text)
}

/// The titles of a list, sorted.
async fn titles_of(reader: &Http, feed: &str, filter: &str) -> Vec<String> {
    let items = items_of(reader, feed, filter).await;
    let mut titles: Vec<String> = items
        .iter()
        .map(|item| item["title"].as_str().unwrap().to_owned())
        .collect();
    titles.sort();
    titles
}

async fn only_feed(reader: &Http) -> Value {
    let feeds = reader.json("/api/feeds").await;
    assert_eq!(feeds.as_array().unwrap().len(), 1);
    feeds[0].clone()
}

#[tokio::test]
async fn what_was_read_elsewhere_comes_read_with_the_first_fetch_and_rules_act_on_what_is_new_alone()
 {
    let old = TestLede::start(Engine::Sqlite, Options::default()).await;
    let known = [
        ("Read", Some(8)),
        ("Read and undated", None),
        ("Starred", Some(8)),
        ("Starred and unread", Some(8)),
        ("Unread", Some(8)),
        ("Unread and undated", None),
    ];
    let url = old.site.put("/feed.xml", dated(&known));
    let ada = old.admin().await;
    let feed = follow(&ada, &url).await;
    for item in items_of(&ada, &feed, "all").await {
        let title = item["title"].as_str().unwrap();
        let state =
            json!({"is_read": !title.contains("nread"), "is_starred": title.starts_with("Star")});
        mark(&ada, &item, state).await;
    }
    let rule = json!({"name": "All", "query": "is:unread", "actions": {"star": true}});
    ada.post("/api/rules", rule).await.expect(201);
    let read_at = ada.json(EXPORT).await["marks"].to_string();
    old.clock.advance(Duration::from_secs(3600));
    let document = ada.json(EXPORT).await;
    assert_eq!(document["marks"].to_string(), read_at);

    let options = Options {
        other_sites: vec![old.site.clone()],
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        lede.clock.advance(Duration::from_secs(7200));
        let mut listed = known.to_vec();
        // Removed by the other instance long ago, or missed by it: the import cannot tell.
        listed.extend([
            ("Old", Some(9)),
            ("New", Some(13)),
            ("New and undated", None),
        ]);
        old.site.put("/feed.xml", dated(&listed));
        let ben = lede.person("ben@example.org", Role::Member).await;
        let done = imported(&ben, &document).await;
        assert_eq!((&done["pending"], &done["marked"]), (&json!(6), &json!(2)));
        lede.work().await;
        let feed = only_feed(&ben).await;
        let id = feed["id"].to_string();
        let unread = [
            "New",
            "New and undated",
            "Old",
            "Starred and unread",
            "Unread",
            "Unread and undated",
        ];
        assert_eq!(titles_of(&ben, &id, "all").await.len(), 9);
        assert_eq!(titles_of(&ben, &id, "unread").await, unread);
        assert_eq!(feed["unread_count"], 6);
        let starred = ["New", "New and undated", "Starred", "Starred and unread"];
        assert_eq!(titles_of(&ben, &id, "starred").await, starred);
        // The time of reading is imported too.
        let again = ben.json(EXPORT).await;
        let read_at = |document: &Value, key: &str| {
            let items = document["marks"][0]["items"].as_array().unwrap();
            items.iter().find(|item| item["key"] == key).unwrap()["read_at"].clone()
        };
        assert_eq!(read_at(&again, "g:Read"), read_at(&document, "g:Read"));
        assert_ne!(read_at(&again, "g:Read"), Value::Null);
        assert_eq!(
            count(&lede, "SELECT COUNT(*) FROM pending_mark"),
            0,
            "it is used up"
        );

        // From then on rules apply to every new item, regardless of its date; other users are unaffected.
        listed.push(("Backdated", Some(1)));
        old.site.put("/feed.xml", dated(&listed));
        ben.post(&format!("/api/feeds/{id}/refresh"), json!({}))
            .await
            .expect(200);
        assert_eq!(titles_of(&ben, &id, "starred").await.len(), 5);
        old.site.put("/feed.xml", dated(&known));
    })
    .await;
}

#[tokio::test]
async fn what_waits_is_one_persons_and_goes_with_the_following_or_with_time() {
    on_each_engine(async |lede: TestLede| {
        let url = lede.site.put("/feed.xml", dated(&[("One", Some(8)), ("Two", Some(8))]));
        let (ada, ben) = (lede.admin().await, lede.person("ben@example.org", Role::Member).await);
        let marks = |key: &str| json!({"key": key, "read": true});
        let document = json!({
            "format": "lede-export", "version": 1, "exported_at": "2026-03-14T11:00:00Z",
            "subscriptions": [{"feed_url": url}],
            "marks": [{"feed_url": url, "items": [marks("g:One"), marks("g:Never"), marks("g:One")]}],
        });
        assert_eq!(imported(&ben, &document).await["pending"], 3);
        assert_eq!(imported(&ben, &document).await["pending"], 3, "twice is once");
        assert_eq!(count(&lede, "SELECT COUNT(*) FROM pending_mark"), 2);
        let feed = follow(&ada, &url).await;
        lede.work().await;
        assert_eq!(titles_of(&ben, &feed, "unread").await, ["Two"]);
        assert_eq!(titles_of(&ada, &feed, "unread").await, ["One", "Two"]);
        assert_eq!(count(&lede, "SELECT COUNT(*) FROM pending_mark"), 1);
        lede.clock.advance(Duration::from_secs(31 * 24 * 3600));
        lede_core::maintenance::retention::clean_up(&lede.lede).await.unwrap();
        assert_eq!(count(&lede, "SELECT COUNT(*) FROM mark_import"), 0);
        imported(&ben, &document).await;
        assert_eq!(count(&lede, "SELECT COUNT(*) FROM pending_mark"), 1, "One is here");
        ben.delete(&format!("/api/feeds/{feed}")).await.expect(204);
        assert_eq!(count(&lede, "SELECT COUNT(*) FROM mark_import"), 0);
    })
    .await;
}
