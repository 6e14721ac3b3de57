//! Refreshing all feeds: a user's feeds become due at once, except those that must wait.

use std::sync::Arc;
use std::time::Duration;

use lede_core::{Settings, admin, worker};
use lede_model::ids::FeedId;
use lede_model::schedule::REFRESH_PAUSE;
use lede_model::user::Role;
use lede_store::leases;
use lede_testkit::http::Http;
use lede_testkit::{Options, Reply, TestLede, on_each_engine, on_each_engine_with};
use serde_json::{Value, json};

const HOUR: Duration = Duration::from_secs(3600);
const MINUTE: Duration = Duration::from_secs(60);
const PATH: &str = "/api/feeds/refresh";

fn feed() -> Reply {
    Reply::rss("News", &[("one", "<p>text</p>")])
}

async fn follow(lede: &TestLede, who: &Http, path: &str, reply: Reply, category: &Value) -> Value {
    let url = lede.site.put(path, reply);
    let body = json!({"url": url, "category_id": category});
    who.post("/api/feeds", body).await.expect(201).json()["id"].clone()
}

async fn category(who: &Http, name: &str, parent: &Value) -> Value {
    let body = json!({"name": name, "parent_id": parent});
    who.post("/api/categories", body).await.expect(201).json()["id"].clone()
}

async fn queued(who: &Http, body: Value) -> Value {
    who.post(PATH, body).await.expect(202).json()["queued"].clone()
}

#[tokio::test]
async fn everything_or_a_category_is_fetched_on_request() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let ben = lede.person("ben@example.org", Role::Viewer).await;
        let outer = category(&ada, "Outer", &Value::Null).await;
        let inner = category(&ada, "Inner", &outer).await;
        let deep = follow(&lede, &ada, "/deep.xml", feed(), &inner).await;
        follow(&lede, &ada, "/loose.xml", feed(), &Value::Null).await;
        let asked = |path: &str| lede.site.requests(path).len();
        assert_eq!(queued(&ada, json!({})).await, 0, "they have just come");

        lede.clock.advance(REFRESH_PAUSE + MINUTE);
        assert_eq!(queued(&ada, json!({"category_id": outer})).await, 1);
        let shown = ada.json(&format!("/api/feeds/{deep}")).await;
        assert_eq!(shown["next_fetch_why"], "somebody asked for it now");
        lede.work().await;
        assert_eq!((asked("/deep.xml"), asked("/loose.xml")), (2, 1));

        assert_eq!(
            queued(&ada, json!({"category_id": null})).await,
            1,
            "the other"
        );
        assert_eq!(queued(&ada, json!({})).await, 1, "it is on its way still");
        lede.work().await;
        assert_eq!((asked("/deep.xml"), asked("/loose.xml")), (2, 2));
        let shown = ada.json(&format!("/api/feeds/{deep}")).await;
        assert_eq!(shown["next_fetch_why"], "every 60 minutes");

        // A user who follows none of them queues nothing; viewers may use it, as they may refresh one feed.
        lede.clock.advance(REFRESH_PAUSE + MINUTE);
        assert_eq!(queued(&ben, json!({})).await, 0);
        let url = lede.site.url("/loose.xml");
        ben.post("/api/feeds", json!({"url": url}))
            .await
            .expect(201);
        assert_eq!(queued(&ben, json!({})).await, 1);
        ben.post(PATH, json!({"category_id": outer}))
            .await
            .expect(404);
        let refused = ben.post(PATH, json!({"category_id": "x"})).await;
        let refused = refused.expect(400).json();
        assert!(refused["fields"]["category_id"].is_string(), "{refused}");
    })
    .await;
}

#[tokio::test]
async fn what_must_wait_is_left_alone() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let busy = Reply::status(429).with("retry-after", "7200");
        let patient = feed().with("cache-control", "max-age=36000");
        // The second answer of each feed, and whether a refresh fetches the feed again.
        let feeds = [
            ("/good.xml", feed(), true),
            ("/weather.xml", Reply::status(500), true),
            ("/busy.xml", busy, false),
            ("/often.xml", Reply::status(429), false),
            ("/patient.xml", patient, false),
            ("/refused.xml", Reply::status(404), false),
            ("/gone.xml", Reply::status(410), false),
        ];
        for (path, _, _) in &feeds {
            follow(&lede, &ada, path, feed(), &Value::Null).await;
        }
        let paused = follow(&lede, &ada, "/paused.xml", feed(), &Value::Null).await;
        let off = follow(&lede, &ada, "/off.xml", feed(), &Value::Null).await;
        let held = follow(&lede, &ada, "/held.xml", feed(), &Value::Null).await;
        for (path, reply, _) in &feeds {
            lede.site.put(path, reply.clone());
        }
        lede.clock.advance(2 * HOUR);
        lede.work().await;
        // Two failures, so that the next retry is later than the end of this test.
        lede.clock.advance(10 * MINUTE);
        lede.work().await;

        let own = ada.json("/api/subscriptions").await;
        let own = own.as_array().unwrap().iter();
        let own = own.clone().find(|own| own["feed_id"] == paused).unwrap();
        let settings = format!("/api/subscriptions/{}/settings", own["id"]);
        ada.put(&settings, json!({"paused": true}))
            .await
            .expect(200);
        let id = |feed: &Value| FeedId::from(feed.as_i64().unwrap());
        admin::set_feed_enabled(&lede.lede, id(&off), false)
            .await
            .unwrap();
        lede.clock.advance(REFRESH_PAUSE + 2 * MINUTE);
        let (held, now) = (id(&held), lede.clock.now());
        let lease =
            move |db: &mut lede_store::Db<'_>| leases::force_lease(db, held, now, now + HOUR);
        lede.lede.store.write(lease).await.unwrap();

        let others = ["/paused.xml", "/off.xml", "/held.xml"].map(|path| (path, false));
        let all = feeds.iter().map(|(path, _, is_asked)| (*path, *is_asked));
        let all: Vec<(&str, bool, usize)> = all
            .chain(others)
            .map(|(path, is_asked)| (path, is_asked, lede.site.requests(path).len()))
            .collect();
        assert_eq!(queued(&ada, json!({})).await, 2);
        lede.work().await;
        for (path, is_asked, before) in all {
            let times = before + usize::from(is_asked);
            assert_eq!(lede.site.requests(path).len(), times, "{path}");
        }

        // Once `Retry-After` has passed, the feed is like any other.
        lede.clock.advance(3 * HOUR);
        // A refused feed follows its own schedule.
        assert_eq!(queued(&ada, json!({})).await, 5, "and not patient, gone …");
    })
    .await;
}

#[tokio::test]
async fn a_worker_that_waits_is_woken() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        follow(&lede, &ada, "/news.xml", feed(), &Value::Null).await;
        lede.clock.advance(2 * HOUR);
        // On its own the worker would look once, and not again before the test ends.
        let mut patient = lede.lede.clone();
        patient.settings = Arc::new(Settings {
            fetch_interval: 24 * HOUR,
            ..Settings::clone(&patient.settings)
        });
        let mut events = ada.listen("/api/events").await;
        events.next().await.expect("the stream begins");
        let news = Reply::rss("News", &[("two", "<p>text</p>"), ("one", "<p>text</p>")]);
        lede.site.put("/news.xml", news);
        let working = tokio::spawn(worker::run(patient, std::future::pending()));
        // Sent when the result of the first look is stored: the feed is leased until then, and the
        // pause after a fetch counts from that time.
        assert_eq!(events.json("arrived").await["new"], 1);
        lede.clock.advance(REFRESH_PAUSE + MINUTE);
        assert_eq!(queued(&ada, json!({})).await, 1);
        tokio::time::timeout(MINUTE, lede.site.until_requested("/news.xml", 3))
            .await
            .expect("the worker is woken");
        working.abort();
    })
    .await;
}

#[tokio::test]
async fn asking_for_everything_counts_like_asking_for_one() {
    let options = Options {
        rate_limit_enabled: true,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let ada = lede.admin().await;
        for _ in 0..10 {
            assert_eq!(queued(&ada, json!({})).await, 0);
        }
        ada.post(PATH, json!({})).await.expect(429);
    })
    .await;
}
