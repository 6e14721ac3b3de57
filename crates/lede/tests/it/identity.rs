//! Item identity over HTTP: entries that share an id or a link, reused ids, and documents with too many entries.

use std::time::Duration;

use lede_testkit::http::Http;
use lede_testkit::{Reply, TestLede, on_each_engine};
use serde_json::{Value, json};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// An RSS document with these items, given as XML.
fn document(items: impl IntoIterator<Item = String>) -> Reply {
    let items: String = items.into_iter().collect();
    let page = "<title>News</title><link>https://site.example/</link>";
    Reply::body(
        "application/rss+xml",
        format!("<rss version=\"2.0\"><channel>{page}{items}</channel></rss>"),
    )
}

async fn follow(lede: &TestLede, path: &str, reply: Reply) -> (Http, String) {
    let url = lede.site.put(path, reply);
    let reader = lede.admin().await;
    let added = reader.post("/api/feeds", json!({"url": url})).await;
    let feed = format!("/api/feeds/{}", added.expect(201).json()["id"]);
    (reader, feed)
}

async fn fetch(lede: &TestLede, path: &str, reply: Reply) {
    lede.site.put(path, reply);
    lede.clock.advance(2 * DAY);
    lede.work().await;
}

/// All items of a feed, newest first.
async fn items(reader: &Http, feed: &str) -> Vec<Value> {
    let mut items = Vec::new();
    let mut page = reader.json(&format!("{feed}/items?limit=100")).await;
    loop {
        items.extend(page["items"].as_array().unwrap().iter().cloned());
        let Some(cursor) = page["next_cursor"].as_str() else {
            return items;
        };
        page = reader
            .json(&format!("{feed}/items?limit=100&cursor={cursor}"))
            .await;
    }
}

fn titles(items: &[Value]) -> Vec<&str> {
    items
        .iter()
        .map(|item| item["title"].as_str().unwrap())
        .collect()
}

async fn read_all(reader: &Http, items: &[Value]) {
    for item in items {
        let state = format!("/api/items/{}/state", item["id"]);
        reader
            .put(&state, json!({"is_read": true}))
            .await
            .expect(200);
    }
}

/// Writes the XML of the item with this number.
type Write = fn(usize) -> String;

/// Documents in which all items have the same id or link.
const SHARED: [(&str, Write); 5] = [
    ("a newsletter archive", |n| {
        format!(
            "<item><title>Issue {n}</title><link>https://site.example/archive#{n}</link>
             <description>About {n}</description></item>"
        )
    }),
    ("one link for all", |n| {
        format!(
            "<item><title>Story {n}</title><link>https://site.example/news</link>
             <description>About {n}</description></item>"
        )
    }),
    ("a podcast with one id", |n| {
        format!(
            "<item><title>The daily show</title><guid isPermaLink=\"false\">show</guid>
             <link>https://site.example/show</link><pubDate>{n} Feb 2026 08:00:00 GMT</pubDate>
             <enclosure url=\"https://site.example/{n}.mp3\" type=\"audio/mpeg\"/></item>"
        )
    }),
    ("comments", |n| {
        format!(
            "<item><title>Re: A post</title><link>https://site.example/post#comment-{n}</link>
             <description>I think {n}</description><pubDate>{n} Feb 2026 08:00:00 GMT</pubDate></item>"
        )
    }),
    ("one id without a link", |n| {
        format!(
            "<item><title>Note {n}</title><guid isPermaLink=\"false\">note</guid>
             <description>About {n}</description></item>"
        )
    }),
];

#[tokio::test]
async fn entries_that_share_an_id_or_an_address_are_all_kept_and_stay_read() {
    on_each_engine(async |lede: TestLede| {
        for (place, (name, write)) in SHARED.into_iter().enumerate() {
            let path = &format!("/{place}.xml");
            let (reader, feed) = follow(&lede, path, document((2..=12).rev().map(write))).await;
            let before = items(&reader, &feed).await;
            assert_eq!(before.len(), 11, "{name}");
            read_all(&reader, &before).await;

            fetch(&lede, path, document((9..=15).rev().map(write))).await;
            let after = items(&reader, &feed).await;
            assert_eq!(after.len(), 14, "{name}: the window moved");
            for old in &before {
                let now = after.iter().find(|item| item["id"] == old["id"]);
                let now = now.expect("still there");
                assert_eq!(now["title"], old["title"], "{name}");
                assert_eq!(now["is_read"], true, "{name}");
            }
            fetch(&lede, path, document([write(16)])).await;
            fetch(&lede, path, document((1..=16).map(write))).await;
            assert_eq!(items(&reader, &feed).await.len(), 16, "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_id_that_every_post_has_is_no_reason_to_overwrite_the_last_one() {
    on_each_engine(async |lede: TestLede| {
        let post = |day: usize| {
            document([format!(
                "<item><title>Post {day}</title><guid isPermaLink=\"false\">same</guid>
                 <link>https://site.example/{day}</link><description>About {day}</description></item>"
            )])
        };
        let (reader, feed) = follow(&lede, "/feed.xml", post(1)).await;
        for day in 2..=7 {
            read_all(&reader, &items(&reader, &feed).await).await;
            fetch(&lede, "/feed.xml", post(day)).await;
            let unread = reader.json(&format!("{feed}/items?filter=unread")).await;
            let unread = unread["items"].as_array().unwrap();
            assert_eq!(titles(unread), [format!("Post {day}")]);
        }
        assert_eq!(items(&reader, &feed).await.len(), 7);
    })
    .await;
}

#[tokio::test]
async fn an_id_that_moves_with_its_title_is_the_same_item() {
    on_each_engine(async |lede: TestLede| {
        let at = |path: &str, title: &str| {
            document([format!(
                "<item><title>{title}</title><guid isPermaLink=\"false\">1</guid>
                 <link>https://site.example/{path}</link></item>"
            )])
        };
        let (reader, feed) = follow(&lede, "/feed.xml", at("old", "A post")).await;
        let before = items(&reader, &feed).await;
        read_all(&reader, &before).await;
        fetch(&lede, "/feed.xml", at("new", "A post")).await;
        fetch(&lede, "/feed.xml", at("new", "A corrected post")).await;
        let after = items(&reader, &feed).await;
        assert_eq!(titles(&after), ["A corrected post"]);
        assert_eq!(after[0]["id"], before[0]["id"]);
        assert_eq!(after[0]["is_read"], true);
    })
    .await;
}

#[tokio::test]
async fn a_long_feed_that_is_sorted_oldest_first_brings_what_is_new() {
    let dated = |n: usize| {
        let (day, minute) = (n / 600 + 1, n % 600);
        format!(
            "<item><title>Post {n}</title><link>https://site.example/{n}</link>
             <pubDate>{day} Feb 2026 {:02}:{:02}:00 GMT</pubDate></item>",
            minute / 60,
            minute % 60
        )
    };
    let undated = |n: usize| {
        format!("<item><title>Post {n}</title><link>https://site.example/{n}</link></item>")
    };
    on_each_engine(async |lede: TestLede| {
        let (reader, feed) = follow(&lede, "/dated", document((0..620).map(dated))).await;
        let known = items(&reader, &feed).await;
        assert_eq!(known.len(), 500);
        assert_eq!(known[0]["title"], "Post 619");
        fetch(&lede, "/dated", document((0..622).map(dated))).await;
        let known = items(&reader, &feed).await;
        assert_eq!(titles(&known[..2]), ["Post 621", "Post 620"]);
        assert_eq!(known.len(), 502);

        let (reader, feed) = follow(&lede, "/oldest-first", document((0..620).map(undated))).await;
        assert_eq!(items(&reader, &feed).await.len(), 500);
        fetch(&lede, "/oldest-first", document((0..622).map(undated))).await;
        let known = items(&reader, &feed).await;
        assert_eq!(titles(&known[..2]), ["Post 621", "Post 620"]);
        fetch(&lede, "/oldest-first", document((0..623).map(undated))).await;
        assert_eq!(items(&reader, &feed).await.len(), 623, "all were seen");

        let (reader, feed) = follow(
            &lede,
            "/newest-first",
            document((0..620).rev().map(undated)),
        )
        .await;
        // Only the document's date has changed.
        let again = (0..620).rev().map(undated);
        let again = ["<lastBuildDate>today</lastBuildDate>".to_owned()]
            .into_iter()
            .chain(again);
        fetch(&lede, "/newest-first", document(again)).await;
        assert_eq!(items(&reader, &feed).await.len(), 500);
        fetch(
            &lede,
            "/newest-first",
            document((0..621).rev().map(undated)),
        )
        .await;
        let known = items(&reader, &feed).await;
        assert_eq!(known[0]["title"], "Post 620");
        assert_eq!(known.len(), 501);
    })
    .await;
}
