//! Health: the checks, the warning shown to users, the status, and the actions for admins.

use std::time::Duration;

use lede_core::maintenance::health;
use lede_core::worker;
use lede_model::job::JobKind;
use lede_model::retention::{CleanupReport, Retention};
use lede_model::user::Role;
use lede_store::jobs::{self, NewJob};
use lede_store::leases;
use lede_store::{Engine, cleanup};
use lede_testkit::{Options, Reply, TestLede, on_each_engine, on_each_engine_with};
use serde_json::{Value, json};

use crate::routes::content_hash;
use crate::store::{noise, rows};

const HOUR: Duration = Duration::from_secs(3600);
const MIB: u64 = 1024 * 1024;

/// Runs the check as a process that has been up for a day, and returns the warning.
async fn warning(lede: &TestLede) -> Value {
    health::check(&lede.lede, lede.clock.now() - 24 * HOUR).await;
    lede.admin().await.json("/api/status").await["health_warning"].clone()
}

/// Subscribes to a feed that has one item.
async fn follow(lede: &TestLede) -> Value {
    let url = lede
        .site
        .put("/feed.xml", Reply::rss("Daily", &[("One", "Words.")]));
    let ada = lede.admin().await;
    let added = ada.post("/api/feeds", json!({"url": url})).await;
    added.expect(201).json()["id"].clone()
}

#[tokio::test]
async fn a_young_instance_is_well_and_says_so_in_solos_words() {
    on_each_engine(async |lede: TestLede| {
        assert_eq!(warning(&lede).await, Value::Null);
        let health = lede.visitor().get("/api/health").await.expect(200);
        assert_eq!(health.json(), json!({"status": "ok", "db": "ok"}));
        assert!(health.headers.get("x-ratelimit-limit").is_none());
    })
    .await;
}

#[tokio::test]
async fn health_is_an_error_when_the_database_is_gone() {
    let lede = TestLede::start(Engine::Postgres, Options::default()).await;
    let visitor = lede.visitor();
    visitor.get("/api/health").await.expect(200);
    rows(lede.place(), "ALTER TABLE account RENAME TO nobody");
    let health = visitor.get("/api/health").await.expect(503);
    assert_eq!(health.json(), json!({"status": "error", "db": "error"}));
}

#[tokio::test]
async fn a_full_disk_pauses_the_worker_until_there_is_room() {
    on_each_engine(async |lede: TestLede| {
        let feed = follow(&lede).await;
        lede.disk.leave(200 * MIB - 1);
        lede.clock.advance(3 * HOUR);
        let asked = lede.site.request_count();
        lede.work().await;
        worker::run_queues(&lede.lede).await.unwrap();
        assert_eq!(lede.site.request_count(), asked, "nothing is fetched");
        let said = warning(&lede).await;
        let said = said.as_str().unwrap();
        assert!(said.contains("nearly full (199 MB are free)"), "{said}");
        assert!(!said.contains("waiting"), "the cause is enough: {said}");
        let ada = lede.admin().await;
        let page = ada.json(&format!("/api/feeds/{feed}/items")).await;
        let item = &page["items"][0]["id"];
        let read = json!({"is_read": true});
        let path = format!("/api/items/{item}/state");
        ada.put(&path, read).await.expect(200);

        lede.disk.leave(200 * MIB);
        lede.work().await;
        assert!(lede.site.request_count() > asked);
        worker::run_queues(&lede.lede).await.unwrap();
        assert_eq!(warning(&lede).await, Value::Null);
    })
    .await;
}

#[tokio::test]
async fn feeds_that_no_worker_fetches_are_stuck_after_an_hour() {
    on_each_engine(async |lede: TestLede| {
        follow(&lede).await;
        worker::run_queues(&lede.lede).await.unwrap();
        // The feed is due within the hour after subscribing.
        lede.clock.advance(HOUR + HOUR / 2);
        assert_eq!(warning(&lede).await, Value::Null);
        lede.clock.advance(HOUR);
        let said = warning(&lede).await;
        assert!(said.as_str().unwrap().contains("waiting for over an hour"));

        // A process that has just started gets time to catch up.
        health::check(&lede.lede, lede.clock.now()).await;
        let status = lede.admin().await.json("/api/status").await;
        assert_eq!(status["health_warning"], Value::Null);

        let now = lede.clock.now();
        let claim = move |db: &mut lede_store::Db<'_>| leases::claim_due(db, now, now + HOUR, 9);
        assert_eq!(lede.lede.store.write(claim).await.unwrap().len(), 1);
        assert_eq!(warning(&lede).await, Value::Null, "a worker has it");
        lede.clock.advance(2 * HOUR + Duration::from_secs(1));
        let said = warning(&lede).await;
        assert!(said.is_string(), "an hour after its lease ran out");
        // No worker claims a feed that all its subscribers paused, however long it is due.
        rows(
            lede.place(),
            "UPDATE subscription SET paused_at = created_at RETURNING id",
        );
        assert_eq!(warning(&lede).await, Value::Null);
    })
    .await;
}

#[tokio::test]
async fn due_jobs_that_no_worker_runs_are_stuck_but_not_later_or_failed_ones() {
    on_each_engine(async |lede: TestLede| {
        let add = |kind, wait: Duration| {
            let now = lede.clock.now();
            let job = NewJob::new(kind, 1, now + wait);
            lede.lede
                .store
                .write(move |db| jobs::enqueue(db, &job, now))
        };
        add(JobKind::Icon, 72 * HOUR).await.unwrap();
        add(JobKind::Import, Duration::ZERO).await.unwrap();
        rows(
            lede.place(),
            "UPDATE job SET failed_at = run_after WHERE kind = 'import' RETURNING id",
        );
        lede.clock.advance(48 * HOUR);
        assert_eq!(warning(&lede).await, Value::Null);
        let status = lede.admin().await.json("/api/status").await;
        assert_eq!(status["queue_size"], 0);

        add(JobKind::Article, Duration::ZERO).await.unwrap();
        lede.clock.advance(HOUR + Duration::from_secs(1));
        let status = lede.admin().await.json("/api/status").await;
        assert_eq!(status["queue_size"], 1);
        assert!(warning(&lede).await.is_string());
        worker::run_queues(&lede.lede).await.unwrap();
        assert_eq!(warning(&lede).await, Value::Null);
    })
    .await;
}

#[tokio::test]
async fn a_database_beyond_its_limit_gives_a_warning() {
    let options = Options {
        retention: Retention {
            max_db_size_mb: 1,
            ..Retention::default()
        },
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        follow(&lede).await;
        let text: String = (0..40).map(noise).collect();
        let url = lede
            .site
            .put("/large.xml", Reply::rss("Large", &[("One", &text)]));
        let ada = lede.admin().await;
        ada.post("/api/feeds", json!({"url": url}))
            .await
            .expect(201);
        let said = warning(&lede).await;
        let said = said.as_str().unwrap();
        assert!(said.contains("MAX_DB_SIZE_MB allows (1 MB)"), "{said}");
        let size = said
            .split_once(" has ")
            .unwrap()
            .1
            .split(' ')
            .next()
            .unwrap();
        let (_, tenth) = size.split_once('.').expect("as the status tells it");
        assert_eq!(tenth.len(), 1, "{said}");
        let metrics = lede.visitor().get("/metrics").await.text;
        assert!(metrics.contains("lede_database_bytes "), "{metrics}");
    })
    .await;
}

#[tokio::test]
async fn the_status_has_the_users_feeds_and_for_administrators_clean_ups() {
    on_each_engine(async |lede: TestLede| {
        follow(&lede).await;
        for days in 0..32_u64 {
            let report = CleanupReport {
                executed_at: lede.clock.now() + 24 * HOUR * u32::try_from(days).unwrap(),
                posts_removed: 10,
                full_content_cleared: 20,
                unread_removed: 3,
                bytes_freed: 4096,
                duration: Duration::from_millis(1500),
                notes: Vec::new(),
            };
            let add = move |db: &mut lede_store::Db<'_>| cleanup::add_to_log(db, &report);
            lede.lede.store.write(add).await.unwrap();
        }
        let status = lede.admin().await.json("/api/status").await;
        assert_eq!(status["feeds_count"], 1);
        assert_eq!(status["posts_count"], 1);
        assert_eq!(status["unread_count"], 1);
        assert_eq!(status["circuit_breaker"], "CLOSED");
        assert!(status["db_size_mb"].as_f64().unwrap() > 0.0);
        assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(status["cleanup_logs"].as_array().unwrap().len(), 30);
        let last = &status["last_cleanup"];
        assert_eq!(last["executed_at"], "2026-04-14T12:00:00Z");
        assert_eq!(last["unread_removed"], 3);
        assert_eq!(last["duration_seconds"], 1.5);

        let ben = lede.person("ben@example.org", Role::Member).await;
        let status = ben.json("/api/status").await;
        assert_eq!(status["feeds_count"], 0);
        assert_eq!(status["posts_count"], 0);
        assert_eq!(status["last_cleanup"]["posts_removed"], 10);
        assert!(status.get("cleanup_logs").is_none());
        let url = lede.site.url("/feed.xml");
        ben.post("/api/feeds", json!({"url": url}))
            .await
            .expect(201);
        let status = ben.json("/api/status").await;
        assert_eq!(
            (&status["feeds_count"], &status["posts_count"]),
            (&json!(1), &json!(1))
        );
    })
    .await;
}

#[tokio::test]
async fn on_a_full_disk_people_read_and_change_nothing_until_there_is_room() {
    on_each_engine(async |lede: TestLede| {
        let feed = follow(&lede).await;
        let ada = lede.admin().await;
        let page = ada.json(&format!("/api/feeds/{feed}/items")).await;
        let path = format!("/api/items/{}/state", page["items"][0]["id"]);
        let starred = json!({"is_starred": true});
        let browser = lede.browser().await;
        let visitor = lede.visitor();

        lede.disk.leave(50 * MIB - 1);
        let refused = ada.put(&path, starred.clone()).await.expect(507);
        assert_eq!(refused.json()["code"], "no_room");
        assert!(refused.text.contains("Free up space"), "{}", refused.text);
        ada.delete(&format!("/api/feeds/{feed}")).await.expect(507);
        // Signing in to read still works.
        lede.browser().await.get("/").await.expect(200);
        let list = ada.json("/api/posts").await;
        assert_eq!(list["posts"][0]["is_starred"], false);
        let page = browser.get("/").await.expect(200).text;
        assert!(page.contains("nothing can be changed"), "at once");
        assert_eq!(visitor.json("/health").await["read_only"], true);

        lede.disk.leave(50 * MIB);
        ada.put(&path, starred).await.expect(200);
        assert_eq!(visitor.json("/health").await["read_only"], false);
    })
    .await;
}

#[tokio::test]
async fn pages_say_what_is_wrong_and_that_unread_items_went() {
    on_each_engine(async |lede: TestLede| {
        follow(&lede).await;
        let browser = lede.browser().await;
        let page = browser.get("/").await.expect(200).text;
        assert!(!page.contains("class=\"warning\"") && !page.contains("class=\"notice\""));

        lede.disk.leave(MIB);
        assert!(warning(&lede).await.is_string());
        let report = CleanupReport {
            executed_at: lede.clock.now(),
            posts_removed: 0,
            full_content_cleared: 0,
            unread_removed: 12,
            bytes_freed: 0,
            duration: Duration::ZERO,
            notes: Vec::new(),
        };
        let add = move |db: &mut lede_store::Db<'_>| cleanup::add_to_log(db, &report);
        lede.lede.store.write(add).await.unwrap();
        let page = browser.get("/").await.expect(200).text;
        assert!(page.contains("The disk is nearly full (1 MB are free)"));
        assert!(page.contains("12 old unread items were removed"));
    })
    .await;
}

#[tokio::test]
async fn administrators_make_the_database_smaller_where_there_is_room() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let done = ada.post("/api/admin/vacuum", json!({})).await.expect(200);
        let done = done.json();
        assert_eq!(done["ok"], true);
        assert!(done["freed_bytes"].as_i64().unwrap() >= 0);
        for role in [Role::Member, Role::Viewer] {
            let other = lede
                .person(&format!("{}@example.org", role.as_str()), role)
                .await;
            other.post("/api/admin/vacuum", json!({})).await.expect(403);
        }
        if lede.lede.store.engine() == Engine::Sqlite {
            lede.disk.leave(0);
            let full = ada.post("/api/admin/vacuum", json!({})).await.expect(507);
            assert_eq!(full.json()["code"], "vacuum_needs_room");
            assert!(full.text.contains("0 MB are free"), "{}", full.text);
        }
    })
    .await;
}

#[tokio::test]
async fn a_new_summary_is_refused_and_not_queued_while_none_are_written() {
    on_each_engine(async |lede: TestLede| {
        follow(&lede).await;
        worker::run_queues(&lede.lede).await.unwrap();
        let hash = content_hash(lede.place());
        let ada = lede.admin().await;
        let path = "/api/admin/reprocess-summary";
        let refused = ada.post(path, json!({"content_hash": hash})).await;
        let refused = refused.expect(409).json();
        assert_eq!(refused["code"], "summaries_unavailable");
        let action = refused["action"].as_str().unwrap();
        assert!(action.contains("Nothing was queued"), "{action}");
        let status = ada.json("/api/status").await;
        assert_eq!(status["queue_size"], 0);
        for bad in [json!("x"), json!("+f".repeat(32)), json!("é".repeat(32))] {
            let refused = ada.post(path, json!({"content_hash": bad})).await;
            let fields = &refused.expect(400).json()["fields"];
            assert!(fields["content_hash"].is_string());
        }
        let ben = lede.person("ben@example.org", Role::Member).await;
        ben.post(path, json!({"content_hash": hash}))
            .await
            .expect(403);
    })
    .await;
}
