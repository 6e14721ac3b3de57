//! The crawl: when feeds are fetched, how failures are handled, and that no item is lost or duplicated.

use std::sync::Arc;
use std::time::Duration;

use lede_core::worker;
use lede_model::ids::FeedId;
use lede_model::schedule::FailurePolicy;
use lede_model::time::Timestamp;
use lede_model::timetable::Timetable;
use lede_model::user::Role;
use lede_store::{DatabaseLocation, leases};
use lede_testkit::http::Http;
use lede_testkit::{Options, Reply, TestLede, on_each_engine, on_each_engine_with};
use serde_json::{Value, json};

use crate::store::rows;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

fn feed_with(titles: &[&str]) -> Reply {
    let items: Vec<(&str, &str)> = titles.iter().map(|title| (*title, "<p>text</p>")).collect();
    Reply::rss("News", &items)
}

/// Subscribes to the feed at `/feed.xml`. Returns the client and the feed's path in the API.
async fn follow(lede: &TestLede, reply: Reply) -> (Http, String) {
    let url = lede.site.put("/feed.xml", reply);
    let reader = lede.admin().await;
    let added = reader
        .post("/api/feeds", json!({"url": url}))
        .await
        .expect(201)
        .json();
    (reader, format!("/api/feeds/{}", added["id"]))
}

async fn titles(reader: &Http, feed: &str, filter: &str) -> Vec<String> {
    let page = reader.json(&format!("{feed}/items?filter={filter}")).await;
    page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["title"].as_str().unwrap().to_owned())
        .collect()
}

fn at(value: &Value) -> Timestamp {
    let at: jiff::Timestamp = value
        .as_str()
        .expect("an instant")
        .parse()
        .expect("RFC 3339");
    at.into()
}

#[tokio::test]
async fn a_due_feed_is_fetched_again_and_its_new_items_are_unread() {
    on_each_engine(async |lede: TestLede| {
        let (reader, feed) = follow(&lede, feed_with(&["one"])).await;
        lede.site.put("/feed.xml", feed_with(&["two", "one"]));

        lede.work().await;
        assert_eq!(
            lede.site.requests("/feed.xml").len(),
            1,
            "it is not due yet"
        );
        lede.clock.advance(2 * HOUR);
        lede.work().await;
        assert_eq!(titles(&reader, &feed, "unread").await, ["two", "one"]);
        lede.work().await;
        assert_eq!(lede.site.requests("/feed.xml").len(), 2, "once per turn");

        let shown = reader.json(&feed).await;
        assert_eq!(shown["last_fetch_status"], "success");
        assert_eq!(shown["next_fetch_why"], "every 60 minutes");
        let wait = at(&shown["next_fetch_at"]).since(lede.clock.now());
        assert!(wait >= HOUR && wait <= HOUR + HOUR / 9, "{wait:?}");
    })
    .await;
}

#[tokio::test]
async fn an_item_that_changes_keeps_its_marks_and_one_that_does_not_is_left_alone() {
    on_each_engine(async |lede: TestLede| {
        let (reader, feed) = follow(
            &lede,
            Reply::rss("News", &[("one", "<p>first</p>"), ("two", "<p>same</p>")]),
        )
        .await;
        let item = reader.json(&format!("{feed}/items")).await["items"][0]["id"].clone();
        let state = format!("/api/items/{item}/state");
        reader
            .put(&state, json!({"is_read": true, "is_starred": true}))
            .await
            .expect(200);

        lede.site.put(
            "/feed.xml",
            Reply::rss(
                "News",
                &[("one", "<p>corrected</p>"), ("two", "<p>same</p>")],
            ),
        );
        let refreshed = reader
            .post(&format!("{feed}/refresh"), json!({}))
            .await
            .expect(200)
            .json();
        assert_eq!(refreshed, json!({"new_posts": 0, "errors": []}));
        let shown = reader.json(&format!("/api/items/{item}")).await;
        assert_eq!(shown["content"], "<p>corrected</p>");
        assert_eq!(
            (&shown["is_read"], &shown["is_starred"]),
            (&json!(true), &json!(true))
        );
        assert_eq!(titles(&reader, &feed, "unread").await, ["two"]);
    })
    .await;
}

#[tokio::test]
async fn a_server_is_asked_only_for_what_changed() {
    on_each_engine(async |lede: TestLede| {
        let first = feed_with(&["one"])
            .with("etag", "\"v1\"")
            .with("last-modified", "Sat, 14 Mar 2026 10:00:00 GMT");
        let (reader, feed) = follow(&lede, first).await;
        lede.site.put("/feed.xml", Reply::status(304));
        lede.clock.advance(2 * HOUR);
        lede.work().await;
        let asked = &lede.site.requests("/feed.xml")[1];
        assert_eq!(asked["if-none-match"], "\"v1\"");
        assert_eq!(asked["if-modified-since"], "Sat, 14 Mar 2026 10:00:00 GMT");
        let shown = reader.json(&feed).await;
        assert_eq!(shown["last_fetch_status"], "success");
        assert_eq!(titles(&reader, &feed, "all").await, ["one"]);
    })
    .await;
}

#[tokio::test]
async fn a_feed_that_was_cleaned_by_older_rules_is_read_again() {
    on_each_engine(async |lede: TestLede| {
        let reply = feed_with(&["one"]).with("etag", "\"v1\"");
        let (reader, feed) = follow(&lede, reply).await;
        let item = reader.json(&format!("{feed}/items")).await["items"][0]["id"].clone();
        let content = async || {
            let item = reader.json(&format!("/api/items/{item}")).await;
            item["content"].as_str().unwrap().to_owned()
        };
        let current = content().await;
        // The rows as a version before this one left them: the hash of the body begins with the
        // version of the rules.
        let (hash, other) = match lede.place() {
            DatabaseLocation::File(_) => (
                "CAST(x'0000000000000001' || substr(body_hash, 9) AS BLOB)",
                "x'00'",
            ),
            DatabaseLocation::Server(_) => (
                "'\\x0000000000000001'::BYTEA || substring(body_hash FROM 9)",
                "'\\x00'::BYTEA",
            ),
        };
        for sql in [
            format!("UPDATE feed SET body_hash = {hash}"),
            format!("UPDATE item SET content_hash = {other}"),
            "UPDATE item_body SET html = '<p>old</p>', policy_version = 1".to_owned(),
        ] {
            rows(lede.place(), &sql);
        }
        assert_eq!(content().await, "<p>old</p>");

        lede.clock.advance(2 * HOUR);
        lede.work().await;
        let asked = &lede.site.requests("/feed.xml")[1];
        assert!(!asked.contains_key("if-none-match"), "{asked:?}");
        assert_eq!(content().await, current);
        assert_eq!(titles(&reader, &feed, "all").await, ["one"]);

        // It is cleaned by the current rules now.
        lede.clock.advance(2 * HOUR);
        lede.work().await;
        assert_eq!(
            lede.site.requests("/feed.xml")[2]["if-none-match"],
            "\"v1\""
        );
    })
    .await;
}

#[tokio::test]
async fn the_server_and_the_feed_may_ask_to_be_left_alone() {
    on_each_engine(async |lede: TestLede| {
        let (reader, feed) = follow(
            &lede,
            feed_with(&["one"]).with("cache-control", "max-age=18000"),
        )
        .await;
        let shown = reader.json(&feed).await;
        assert_eq!(
            shown["next_fetch_why"],
            "the server asks not to come back sooner"
        );
        let wait = at(&shown["next_fetch_at"]).since(lede.clock.now());
        assert!(wait >= 5 * HOUR && wait <= 6 * HOUR, "{wait:?}");
    })
    .await;
}

/// A feed with one item and `words` inside its channel element.
fn feed_saying(words: &str) -> Reply {
    Reply::body(
        "application/rss+xml",
        format!(
            "<rss version=\"2.0\"><channel><title>News</title>{words}<item><guid>1</guid>\
             <title>one</title><description>text</description></item></channel></rss>"
        ),
    )
}

#[tokio::test]
async fn what_a_feed_asks_for_holds_for_answers_without_a_feed_too() {
    on_each_engine(async |lede: TestLede| {
        let reply = feed_saying("<ttl>300</ttl>").with("etag", "\"v1\"");
        let (reader, feed) = follow(&lede, reply.clone()).await;
        // The feed itself, then 304, then the same body again.
        for reply in [None, Some(Reply::status(304)), Some(reply)] {
            if let Some(reply) = reply {
                lede.site.put("/feed.xml", reply);
                lede.clock.advance(6 * HOUR);
                lede.work().await;
            }
            let shown = reader.json(&feed).await;
            assert_eq!(
                shown["next_fetch_why"],
                "the feed asks not to come back sooner"
            );
            let wait = at(&shown["next_fetch_at"]).since(lede.clock.now());
            assert!(wait >= 5 * HOUR && wait <= 6 * HOUR, "{wait:?}");
        }
        assert_eq!(lede.site.requests("/feed.xml").len(), 3);

        lede.site.put("/feed.xml", feed_saying(""));
        lede.clock.advance(6 * HOUR);
        lede.work().await;
        let shown = reader.json(&feed).await;
        assert_eq!(shown["next_fetch_why"], "every 60 minutes", "asked no more");
    })
    .await;
}

#[tokio::test]
async fn a_feed_is_left_alone_in_its_silent_hours() {
    on_each_engine(async |lede: TestLede| {
        // The test clock starts on a Saturday at noon.
        let silent = (13..20).map(|hour| format!("<hour>{hour}</hour>"));
        let words = format!("<skipHours>{}</skipHours>", silent.collect::<String>());
        let reply = feed_saying(&words).with("etag", "\"v1\"");
        let (reader, feed) = follow(&lede, reply).await;
        let shown = reader.json(&feed).await;
        assert_eq!(
            shown["next_fetch_why"],
            "the feed says that nothing new comes before 20:00 UTC"
        );
        let wait = at(&shown["next_fetch_at"]).since(lede.clock.now());
        assert!(wait >= 8 * HOUR && wait < 9 * HOUR, "{wait:?}");

        lede.site.put("/feed.xml", Reply::status(304));
        lede.clock.advance(24 * HOUR);
        lede.work().await;
        let shown = reader.json(&feed).await;
        let wait = at(&shown["next_fetch_at"]).since(lede.clock.now());
        assert!(wait >= 8 * HOUR && wait < 9 * HOUR, "{wait:?}");

        lede.site.put(
            "/feed.xml",
            feed_saying("<skipDays><day>Sunday</day><day>Monday</day></skipDays>"),
        );
        lede.clock.advance(9 * HOUR);
        lede.work().await;
        let shown = reader.json(&feed).await;
        let wait = at(&shown["next_fetch_at"]).since(lede.clock.now());
        assert_eq!(wait, DAY, "a silence of days is looked into once a day");
    })
    .await;
}

/// At 6:30 and 18:30 in Tokyo: 21:30 and 9:30 in UTC.
fn twice_a_day() -> Options {
    let zone = jiff::tz::TimeZone::get("Asia/Tokyo").expect("a known zone");
    Options {
        timetable: Timetable::parse("30 6,18 * * *", zone),
        ..Options::default()
    }
}

#[tokio::test]
async fn a_timetable_fetches_all_feeds_at_its_times() {
    on_each_engine_with(twice_a_day(), async |lede: TestLede| {
        let (reader, feed) = follow(&lede, feed_with(&["one"])).await;
        for expected in [
            "2026-03-14T21:30:00Z",
            "2026-03-15T09:30:00Z",
            "2026-03-15T21:30:00Z",
        ] {
            let shown = reader.json(&feed).await;
            assert_eq!(shown["next_fetch_at"], expected);
            assert_eq!(
                shown["next_fetch_why"],
                "at the times that are set for all feeds"
            );
            lede.clock
                .advance(at(&shown["next_fetch_at"]).since(lede.clock.now()));
            lede.work().await;
        }
        assert_eq!(lede.site.requests("/feed.xml").len(), 4);

        lede.site.put(
            "/feed.xml",
            feed_with(&["two"]).with("cache-control", "max-age=50400"),
        );
        lede.clock.advance(DAY);
        lede.work().await;
        let shown = reader.json(&feed).await;
        assert_eq!(
            shown["next_fetch_why"],
            "the server asks not to come back sooner"
        );
        assert_eq!(
            at(&shown["next_fetch_at"]).since(lede.clock.now()),
            14 * HOUR
        );

        lede.site.put("/feed.xml", Reply::status(500));
        lede.clock.advance(DAY);
        lede.work().await;
        let wait = at(&reader.json(&feed).await["next_fetch_at"]).since(lede.clock.now());
        assert!(
            wait < Duration::from_secs(360),
            "a failure is tried again soon: {wait:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_fetch_planned_by_an_old_timetable_is_rescheduled() {
    let yearly = Options {
        timetable: Timetable::parse("@yearly", jiff::tz::TimeZone::UTC),
        ..Options::default()
    };
    on_each_engine_with(yearly, async |mut lede: TestLede| {
        let (reader, feed) = follow(&lede, feed_with(&["one"])).await;
        worker::reschedule_late(&lede.lede).await;
        let shown = reader.json(&feed).await;
        assert_eq!(shown["next_fetch_at"], "2027-01-01T00:00:00Z");

        let settings = Arc::make_mut(&mut lede.lede.settings);
        settings.timetable = None;
        worker::reschedule_late(&lede.lede).await;
        let shown = reader.json(&feed).await;
        let wait = at(&shown["next_fetch_at"]).since(lede.clock.now());
        assert!(wait >= DAY && wait < DAY + HOUR, "{wait:?}");
        assert_eq!(shown["next_fetch_why"], "its earlier plan no longer holds");
        worker::reschedule_late(&lede.lede).await;
        assert_eq!(reader.json(&feed).await, shown);
    })
    .await;
}

#[tokio::test]
async fn a_failing_feed_keeps_its_items_and_is_tried_less_and_less() {
    on_each_engine(async |lede: TestLede| {
        let (reader, feed) = follow(&lede, feed_with(&["one"])).await;
        lede.site.put("/feed.xml", Reply::status(500));
        lede.clock.advance(2 * HOUR);
        for minutes in [5, 15, 60, 360, 1440, 1440] {
            lede.work().await;
            let shown = reader.json(&feed).await;
            assert_eq!(shown["status"], "error");
            assert_eq!(shown["last_fetch_status"], "temporary_error");
            assert_eq!(
                shown["last_error"],
                "the server answered 500 Internal Server Error"
            );
            let wait = at(&shown["next_fetch_at"]).since(lede.clock.now());
            let planned = Duration::from_secs(minutes * 60);
            assert!(
                wait >= planned && wait <= planned + planned / 9,
                "{minutes} min: {wait:?}"
            );
            lede.clock.advance(wait);
        }
        assert_eq!(titles(&reader, &feed, "unread").await, ["one"]);

        lede.site.put("/feed.xml", feed_with(&["two", "one"]));
        lede.work().await;
        let shown = reader.json(&feed).await;
        assert_eq!(
            (&shown["status"], &shown["last_error"]),
            (&json!("active"), &json!(null))
        );
        assert_eq!(titles(&reader, &feed, "unread").await, ["two", "one"]);
    })
    .await;
}

#[tokio::test]
async fn a_feed_that_is_gone_is_stopped_and_its_subscribers_see_why() {
    on_each_engine(async |lede: TestLede| {
        let (reader, feed) = follow(&lede, feed_with(&["one"])).await;
        lede.site.put("/feed.xml", Reply::status(410));
        lede.clock.advance(2 * HOUR);
        lede.work().await;
        let shown = reader.json(&feed).await;
        assert_eq!(shown["status"], "stopped");
        assert_eq!(shown["last_error"], "the server answered 410 Gone");
        assert_eq!(shown["next_fetch_at"], json!(null));
        assert_eq!(
            shown["next_fetch_why"],
            "its publisher says that it is gone for good"
        );
        lede.clock.advance(30 * DAY);
        lede.work().await;
        assert_eq!(
            lede.site.requests("/feed.xml").len(),
            2,
            "a stopped feed is left alone"
        );

        lede.site.put("/feed.xml", feed_with(&["back", "one"]));
        let refreshed = reader
            .post(&format!("{feed}/refresh"), json!({}))
            .await
            .expect(200)
            .json();
        assert_eq!(refreshed, json!({"new_posts": 1, "errors": []}));
        assert_eq!(reader.json(&feed).await["status"], "active");
    })
    .await;
}

#[tokio::test]
async fn refusals_are_taken_for_later_six_times() {
    on_each_engine(async |lede: TestLede| {
        let (reader, feed) = follow(&lede, feed_with(&["one"])).await;
        lede.site.put("/feed.xml", Reply::status(404));
        for turn in 1..=7 {
            lede.clock.advance(2 * DAY);
            lede.work().await;
            let status = if turn < 7 { "error" } else { "stopped" };
            assert_eq!(reader.json(&feed).await["status"], status, "after {turn}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_strict_policy_believes_a_refusal() {
    let options = Options {
        failure_policy: FailurePolicy::Strict,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        for (reply, fetch_status) in [
            (Reply::status(404), "permanent_error"),
            (Reply::status(403), "unauthorized"),
            (Reply::body("text/html", "<p>hi"), "permanent_error"),
        ] {
            let (reader, feed) = follow(&lede, feed_with(&["one"])).await;
            lede.site.put("/feed.xml", reply);
            lede.clock.advance(2 * HOUR);
            lede.work().await;
            let shown = reader.json(&feed).await;
            assert_eq!(
                (&shown["status"], &shown["last_fetch_status"]),
                (&json!("stopped"), &json!(fetch_status))
            );
            reader.delete(&feed).await.expect(204);
        }
    })
    .await;
}

#[tokio::test]
async fn a_busy_server_says_when_to_come_back() {
    on_each_engine(async |lede: TestLede| {
        let (reader, feed) = follow(&lede, feed_with(&["one"])).await;
        for (reply, minutes) in [
            (Reply::status(429).with("retry-after", "7200"), 120),
            (Reply::status(429), 60),
        ] {
            lede.site.put("/feed.xml", reply);
            let answer = reader
                .post(&format!("{feed}/refresh"), json!({}))
                .await
                .expect(200)
                .json();
            assert_eq!(
                answer["errors"],
                json!(["the server answered 429 Too Many Requests"])
            );
            let wait = at(&reader.json(&feed).await["next_fetch_at"]).since(lede.clock.now());
            let planned = Duration::from_secs(minutes * 60);
            assert!(wait >= planned && wait <= planned + planned / 9, "{wait:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_permanent_redirect_becomes_the_address_once_it_has_held() {
    on_each_engine(async |lede: TestLede| {
        let (reader, feed) = follow(&lede, feed_with(&["one"])).await;
        let moved = lede.site.put("/moved.xml", feed_with(&["two", "one"]));
        lede.site
            .put("/feed.xml", Reply::status(301).with("location", &moved));
        let old = lede.site.url("/feed.xml");
        for (days, address) in [(1, &old), (6, &old), (2, &moved)] {
            lede.clock.advance(days * DAY);
            lede.work().await;
            assert_eq!(
                reader.json(&feed).await["feed_url"],
                **address,
                "after {days} more days"
            );
        }
        assert_eq!(titles(&reader, &feed, "unread").await, ["two", "one"]);
        lede.site
            .put("/moved.xml", Reply::status(302).with("location", &old));
        lede.site.put("/feed.xml", feed_with(&["three"]));
        lede.clock.advance(30 * DAY);
        lede.work().await;
        assert_eq!(
            reader.json(&feed).await["feed_url"],
            moved,
            "a temporary one never does"
        );
    })
    .await;
}

#[tokio::test]
async fn a_feed_that_moves_to_the_address_of_another_becomes_one_with_it() {
    on_each_engine(async |lede: TestLede| {
        let (ada, old) = follow(&lede, feed_with(&["one", "both"])).await;
        let ben = lede.person("ben@example.org", Role::Member).await;
        let moved = lede.site.put("/moved.xml", feed_with(&["two", "both"]));
        let new = ben
            .post("/api/feeds", json!({"url": moved}))
            .await
            .expect(201)
            .json();
        let new = format!("/api/feeds/{}", new["id"]);
        lede.site
            .put("/feed.xml", Reply::status(308).with("location", &moved));
        lede.clock.advance(DAY);
        lede.work().await;
        assert_eq!(titles(&ada, &old, "unread").await, ["two", "one", "both"]);
        assert_eq!(titles(&ben, &new, "unread").await, ["two", "both"]);

        // An item that is new on the day of the move reaches the subscribers of both feeds, once.
        lede.site
            .put("/moved.xml", feed_with(&["three", "two", "both"]));
        lede.clock.advance(8 * DAY);
        let refreshed = ada
            .post(&format!("{old}/refresh"), json!({}))
            .await
            .expect(200)
            .json();
        assert_eq!(refreshed, json!({"new_posts": 1, "errors": []}));
        ada.get(&old).await.expect(404);
        ada.post(&format!("{old}/refresh"), json!({}))
            .await
            .expect(404);
        let feeds = ada.json("/api/feeds").await;
        assert_eq!(feeds.as_array().map(Vec::len), Some(1));
        assert_eq!(feeds[0]["feed_url"], moved);
        assert_eq!(format!("/api/feeds/{}", feeds[0]["id"]), new);
        assert_eq!(
            titles(&ada, &new, "unread").await,
            ["three", "two", "both", "one"]
        );
        assert_eq!(
            titles(&ben, &new, "unread").await,
            ["three", "two", "both"],
            "what was old before stays old"
        );

        let asked = lede.site.requests("/feed.xml").len();
        lede.clock.advance(2 * DAY);
        lede.work().await;
        assert_eq!(
            lede.site.requests("/feed.xml").len(),
            asked,
            "the old address is left alone"
        );
    })
    .await;
}

#[tokio::test]
async fn a_feed_without_subscribers_is_not_fetched_until_it_has_one() {
    on_each_engine(async |lede: TestLede| {
        let (reader, feed) = follow(&lede, feed_with(&["one"])).await;
        reader.delete(&feed).await.expect(204);
        lede.clock.advance(2 * DAY);
        lede.work().await;
        assert_eq!(lede.site.requests("/feed.xml").len(), 1);
        lede.site.put("/feed.xml", feed_with(&["two", "one"]));
        reader
            .post("/api/feeds", json!({"url": lede.site.url("/feed.xml")}))
            .await
            .expect(201);
        lede.work().await;
        assert_eq!(titles(&reader, &feed, "unread").await, ["two", "one"]);
    })
    .await;
}

#[tokio::test]
async fn a_feed_is_leased_to_one_worker_at_a_time_and_a_late_result_is_discarded() {
    on_each_engine(async |lede: TestLede| {
        let (_, feed) = follow(&lede, feed_with(&["one"])).await;
        let feed = FeedId::from(feed.rsplit('/').next().unwrap().parse::<i64>().unwrap());
        lede.clock.advance(2 * HOUR);
        let now = lede.clock.now();
        let until = now + Duration::from_secs(600);
        let store = &lede.lede.store;
        let first = store
            .write(move |db| leases::claim_due(db, now, until, 10))
            .await
            .unwrap();
        assert_eq!(
            first.iter().map(|lease| lease.feed).collect::<Vec<_>>(),
            [feed]
        );
        let second = store
            .write(move |db| leases::claim_due(db, now, until, 10))
            .await
            .unwrap();
        assert!(second.is_empty(), "it is taken");

        let later = until + Duration::from_secs(1);
        let third = store
            .write(move |db| leases::claim_due(db, later, later + DAY, 10))
            .await
            .unwrap();
        assert_eq!(
            third[0].token,
            first[0].token + 1,
            "a crashed worker's lease runs out"
        );
        let stale = first[0].clone();
        store
            .write(move |db| leases::release(db, &stale, now))
            .await
            .unwrap();
        let still_held = store
            .write(move |db| leases::claim_due(db, later, later + DAY, 10))
            .await
            .unwrap();
        assert!(still_held.is_empty(), "the old token no longer counts");
    })
    .await;
}

/// A feed with items of these ids and links.
fn feed_of(items: &[(&str, &str)]) -> Reply {
    let items: String = items
        .iter()
        .map(|(guid, path)| {
            format!(
                "<item><title>{path}</title><guid isPermaLink=\"false\">{guid}</guid>\
                 <link>https://site.example/{path}</link><description>text</description></item>"
            )
        })
        .collect();
    Reply::body(
        "application/rss+xml",
        format!("<rss version=\"2.0\"><channel><title>News</title>{items}</channel></rss>"),
    )
}

#[tokio::test]
async fn ids_that_are_made_anew_at_each_fetch_make_no_duplicates() {
    on_each_engine(async |lede: TestLede| {
        let (reader, feed) = follow(&lede, feed_of(&[("1", "x"), ("2", "y"), ("3", "z")])).await;
        let item = reader.json(&format!("{feed}/items")).await["items"][0]["id"].clone();
        reader
            .put(
                &format!("/api/items/{item}/state"),
                json!({"is_read": true}),
            )
            .await
            .expect(200);
        for turn in ["a", "b", "c"] {
            let guids = ["x", "y", "z"].map(|path| (format!("{turn}{path}"), path));
            let items: Vec<(&str, &str)> = guids
                .iter()
                .map(|(guid, path)| (guid.as_str(), *path))
                .collect();
            lede.site.put("/feed.xml", feed_of(&items));
            lede.clock.advance(2 * HOUR);
            lede.work().await;
            assert_eq!(titles(&reader, &feed, "all").await.len(), 3, "after {turn}");
        }
        assert_eq!(
            titles(&reader, &feed, "unread").await.len(),
            2,
            "what was read stays read"
        );
    })
    .await;
}

#[tokio::test]
async fn one_address_under_several_ids_stays_several_items() {
    on_each_engine(async |lede: TestLede| {
        let (reader, feed) = follow(&lede, feed_of(&[("1", "live"), ("2", "live")])).await;
        lede.site.put(
            "/feed.xml",
            feed_of(&[("3", "live"), ("1", "live"), ("2", "live")]),
        );
        lede.clock.advance(2 * HOUR);
        lede.work().await;
        assert_eq!(titles(&reader, &feed, "all").await.len(), 3);
    })
    .await;
}

#[tokio::test]
async fn a_feed_that_shrinks_or_empties_loses_nothing() {
    on_each_engine(async |lede: TestLede| {
        let (reader, feed) = follow(&lede, feed_with(&["two", "one"])).await;
        for reply in [feed_with(&["two"]), feed_with(&[])] {
            lede.site.put("/feed.xml", reply);
            lede.clock.advance(2 * HOUR);
            lede.work().await;
            assert_eq!(titles(&reader, &feed, "unread").await, ["two", "one"]);
        }
    })
    .await;
}
