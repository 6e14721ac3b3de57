//! Notifications over the API and as live updates.

use std::time::Duration;

use lede_core::worker;
use lede_model::job::JobKind;
use lede_model::user::Role;
use lede_store::{Engine, jobs};
use lede_testkit::http::Http;
use lede_testkit::{Options, TestLede, on_each_engine};
use serde_json::{Value, json};

use crate::rules::{publish, rule};
use crate::searches::follow;
use crate::store::{number, rows};

async fn notify_of_rust(reader: &Http) {
    let body = json!({"name": "Tell", "query": "rust", "actions": {"notify": true}});
    rule(reader, body).await;
}

/// Runs the due jobs.
async fn deliver(lede: &TestLede) {
    worker::run_queues(&lede.lede).await.unwrap();
}

fn titles(page: &Value) -> Vec<&str> {
    let notifications = page["notifications"].as_array().unwrap().iter();
    notifications
        .map(|notification| notification["title"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn open_pages_are_told_of_notifications_and_the_list_has_all_of_them() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let ben = lede.person("ben@example.org", Role::Member).await;
        let feed = follow(&lede, &ada, &[("Old rust", "x")]).await;
        ben.post("/api/feeds", json!({"url": lede.site.url("/news.xml")}))
            .await
            .expect(201);
        notify_of_rust(&ada).await;
        let quiet = json!({"name": "Quiet", "query": "rust advert", "actions": {"hide": true}});
        rule(&ada, quiet).await;

        // No page is open: the notification is in the list.
        publish(&lede, &ada, &feed, &[("Rust 1", "x"), ("Rust advert", "x")]).await;
        deliver(&lede).await;
        let page = ada.json("/api/notifications").await;
        assert_eq!(titles(&page), ["Rust 1"]);
        let first = &page["notifications"][0];
        assert_eq!(first["feed_id"], feed);
        assert_eq!(first["feed_title"], "News");
        assert_eq!(first["is_read"], false);
        assert_eq!(
            (&page["unread_count"], &page["next_before"]),
            (&json!(1), &Value::Null)
        );
        let item = ada.json(&format!("/api/items/{}", first["item_id"])).await;
        assert_eq!(item["title"], "Rust 1");

        let mut events = ada.listen("/api/events").await;
        let mut of_ben = ben.listen("/api/events").await;
        publish(&lede, &ada, &feed, &[("Plain", "x"), ("Rust 2", "x")]).await;
        assert_eq!(events.json("arrived").await["new"], 2);
        deliver(&lede).await;
        let told = events.json("notifications").await;
        assert_eq!(
            titles(&told),
            ["Rust 2"],
            "and none that was delivered before"
        );
        assert_eq!(told["unread_count"], 2);
        assert_eq!(of_ben.json("arrived").await["new"], 2);

        // Delivered ones are not sent again.
        drop(events);
        let mut events = ada.listen("/api/events").await;
        publish(&lede, &ada, &feed, &[("Rust 3", "x"), ("Plain", "x")]).await;
        assert_eq!(events.json("arrived").await["new"], 1);
        deliver(&lede).await;
        deliver(&lede).await;
        assert_eq!(titles(&events.json("notifications").await), ["Rust 3"]);
        let states = rows(
            lede.place(),
            "SELECT state || ' ' || attempts FROM notification",
        );
        assert_eq!(states, ["1 1", "1 1", "1 1"]);
        assert_eq!(
            number(
                lede.place(),
                "SELECT COUNT(*) FROM job WHERE kind = 'notification'"
            ),
            0
        );
    })
    .await;
}

#[tokio::test]
async fn of_many_at_once_open_pages_are_sent_the_newest() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = follow(&lede, &ada, &[("Old", "x")]).await;
        notify_of_rust(&ada).await;
        let mut events = ada.listen("/api/events").await;
        let names: Vec<String> = (0..30).map(|n| format!("Rust {n}")).collect();
        let news: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
        publish(&lede, &ada, &feed, &news).await;
        assert_eq!(events.json("arrived").await["new"], 30);
        deliver(&lede).await;
        let told = events.json("notifications").await;
        // The publisher's first is the newest.
        assert_eq!(titles(&told), names[..20]);
        assert_eq!(told["unread_count"], 30);
    })
    .await;
}

#[tokio::test]
async fn notifications_are_listed_in_pages_and_read_by_their_owner_alone() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let ben = lede.person("ben@example.org", Role::Member).await;
        let feed = follow(&lede, &ada, &[("Old", "x")]).await;
        notify_of_rust(&ada).await;
        let news = [("Rust 3", "x"), ("Rust 2", "x"), ("Rust 1", "x")];
        publish(&lede, &ada, &feed, &news).await;

        let page = ada.json("/api/notifications?limit=2").await;
        assert_eq!(titles(&page), ["Rust 3", "Rust 2"]);
        let rest = format!("/api/notifications?limit=2&before={}", page["next_before"]);
        let rest = ada.json(&rest).await;
        assert_eq!(
            (titles(&rest), &rest["next_before"]),
            (vec!["Rust 1"], &Value::Null)
        );
        assert_eq!(rest["unread_count"], 3);
        for wrong in ["limit=0", "limit=201", "before=0", "unread_only=maybe"] {
            let path = format!("/api/notifications?{wrong}");
            ada.get(&path).await.expect(400);
        }

        let of_ben = ben.json("/api/notifications").await;
        assert_eq!(
            (titles(&of_ben).len(), &of_ben["unread_count"]),
            (0, &json!(0))
        );
        let read = format!("/api/notifications/{}/read", page["notifications"][0]["id"]);
        ben.post(&read, json!({})).await.expect(404);
        ben.post("/api/notifications/read", json!({}))
            .await
            .expect(204);
        assert_eq!(ada.json("/api/notifications").await["unread_count"], 3);

        let mut events = ada.listen("/api/events").await;
        ada.post(&read, json!({})).await.expect(204);
        ada.post(&read, json!({})).await.expect(204);
        events.json("counts").await;
        let unread = "/api/notifications?unread_only=true";
        let left = ada.json(unread).await;
        assert_eq!(
            (titles(&left), &left["unread_count"]),
            (vec!["Rust 2", "Rust 1"], &json!(2))
        );
        assert_eq!(
            ada.json("/api/feeds").await[0]["unread_count"],
            4,
            "the item is unread"
        );

        // Reading an item, and marking everything as read, also count.
        let state = format!("/api/items/{}/state", left["notifications"][0]["item_id"]);
        ada.put(&state, json!({"is_read": true})).await.expect(200);
        assert_eq!(titles(&ada.json(unread).await), ["Rust 1"]);
        let swept = ada.post("/api/posts/mark-read", json!({"all": true})).await;
        let undo = format!(
            "/api/posts/mark-read/{}/undo",
            swept.expect(200).json()["undo_id"]
        );
        assert_eq!(ada.json(unread).await["unread_count"], 0);
        ada.post(&undo, json!({})).await.expect(200);
        assert_eq!(titles(&ada.json(unread).await), ["Rust 1"]);
        ada.post("/api/notifications/read", json!({}))
            .await
            .expect(204);
        let all = ada.json("/api/notifications").await;
        assert_eq!((titles(&all).len(), &all["unread_count"]), (3, &json!(0)));
    })
    .await;
}

#[tokio::test]
async fn a_worker_that_crashes_loses_no_notification_and_sends_none_twice() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = follow(&lede, &ada, &[("Old", "x")]).await;
        notify_of_rust(&ada).await;
        let mut events = ada.listen("/api/events").await;
        publish(&lede, &ada, &feed, &[("Rust 1", "x")]).await;
        events.json("arrived").await;
        // A worker claims the job and ends before it has done anything.
        let claim = async || {
            let (now, minute) = (lede.clock.now(), Duration::from_secs(60));
            let kind = JobKind::Notification;
            let claimed = lede
                .lede
                .store
                .write(move |db| jobs::claim(db, kind, now, now + minute, 9));
            claimed.await.unwrap().jobs.len()
        };
        assert_eq!(claim().await, 1, "one job for the user");
        deliver(&lede).await;
        let states = || {
            rows(
                lede.place(),
                "SELECT state || ' ' || attempts FROM notification",
            )
        };
        assert_eq!(states(), ["0 0"], "the lease is still valid");
        lede.clock.advance(Duration::from_secs(61));
        deliver(&lede).await;
        assert_eq!(titles(&events.json("notifications").await), ["Rust 1"]);

        // Another one delivers and ends before it has settled the job, which runs once more.
        let key = "SELECT 'notification', user_id * 16 + channel, 0 FROM notification";
        rows(
            lede.place(),
            &format!("INSERT INTO job (kind, key, run_after) {key}"),
        );
        deliver(&lede).await;
        assert_eq!(states(), ["1 1"]);
        publish(&lede, &ada, &feed, &[("Rust 2", "x")]).await;
        events.json("arrived").await;
        deliver(&lede).await;
        assert_eq!(titles(&events.json("notifications").await), ["Rust 2"]);
    })
    .await;
}

#[tokio::test]
async fn old_notifications_are_removed_once_they_are_delivered() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = follow(&lede, &ada, &[("Old", "x")]).await;
        notify_of_rust(&ada).await;
        publish(&lede, &ada, &feed, &[("Rust 1", "x")]).await;
        let count = || number(lede.place(), "SELECT COUNT(*) FROM notification");
        let month = Duration::from_secs(31 * 24 * 3600);
        lede.clock.advance(month);
        let clean_up = async || {
            let done = lede_core::maintenance::retention::clean_up_when_due(&lede.lede).await;
            assert!(done.unwrap().is_some(), "a clean-up was due");
        };
        clean_up().await;
        assert_eq!(count(), 1, "it was not delivered");
        deliver(&lede).await;
        lede.clock.advance(Duration::from_secs(24 * 3600));
        clean_up().await;
        assert_eq!(count(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_worker_elsewhere_notifies_the_pages_here() {
    let lede = TestLede::start(Engine::Postgres, Options::default()).await;
    let ada = lede.admin().await;
    let feed = follow(&lede, &ada, &[("Old", "x")]).await;
    notify_of_rust(&ada).await;
    let mut events = ada.listen("/api/events").await;
    let elsewhere = lede.elsewhere().await;
    // Listening to the database starts asynchronously: notifications before that are not received.
    let mut told = None;
    for number in 1..=6 {
        let title = format!("Rust {number}");
        publish(&lede, &ada, &feed, &[(title.as_str(), "x")]).await;
        assert_eq!(events.json("arrived").await["new"], 1);
        worker::run_queues(&elsewhere).await.unwrap();
        let heard = events.json("notifications");
        if let Ok(event) = tokio::time::timeout(Duration::from_secs(3), heard).await {
            told = Some((title, event));
            break;
        }
    }
    let (title, event) = told.expect("the page hears of what the worker delivered");
    assert_eq!(titles(&event), [title]);
}
