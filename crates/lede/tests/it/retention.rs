//! Retention: which items are removed or kept, when and how often the clean-up runs, and how it is reported.

use std::time::Duration;

use lede_core::maintenance::retention::{clean_up, clean_up_when_due};
use lede_core::{Lede, worker};
use lede_model::message::english;
use lede_model::retention::{CleanupReport, Retention};
use lede_model::user::Role;
use lede_store::Engine;
use lede_testkit::http::Http;
use lede_testkit::{Options, Reply, TestLede, on_each_engine, on_each_engine_with};
use serde_json::{Value, json};

use crate::program::Program;
use crate::store::noise;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// A feed of items with a title, which is their guid too, a text and no link.
fn rss(items: &[(&str, &str)]) -> Reply {
    let entry = |(title, text): &(&str, &str)| {
        format!(
            "<item><title>{title}</title><guid>{title}</guid><description>{text}</description></item>"
        )
    };
    let entries: String = items.iter().map(entry).collect();
    let feed = format!("<rss version='2.0'><channel><title>Daily</title>{entries}</channel></rss>");
    Reply::body("application/rss+xml", feed)
}

/// Subscribes to a feed with these items, all with the same `text`. Returns the feed's id.
async fn follows(lede: &TestLede, reader: &Http, items: &[&str], text: &str) -> Value {
    let items: Vec<(&str, &str)> = items.iter().map(|title| (*title, text)).collect();
    let url = lede.site.put("/feed.xml", rss(&items));
    let added = reader.post("/api/feeds", json!({"url": url})).await;
    added.expect(201).json()["id"].clone()
}

/// Title and id of every item of the feed.
async fn items(reader: &Http, feed: &Value) -> Vec<(String, i64)> {
    let mut all = Vec::new();
    let mut path = format!("/api/feeds/{feed}/items");
    loop {
        let page = reader.json(&path).await;
        for item in page["items"].as_array().unwrap() {
            let title = item["title"].as_str().unwrap().to_owned();
            all.push((title, item["id"].as_i64().unwrap()));
        }
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("/api/feeds/{feed}/items?cursor={cursor}"),
            None => return all,
        }
    }
}

async fn titles(reader: &Http, feed: &Value) -> Vec<String> {
    let all = items(reader, feed).await;
    let mut titles: Vec<String> = all.into_iter().map(|(title, _)| title).collect();
    titles.sort();
    titles
}

async fn mark(reader: &Http, feed: &Value, title: &str, marks: Value) {
    let all = items(reader, feed).await;
    let (_, id) = all.iter().find(|(known, _)| known == title).unwrap();
    let path = format!("/api/items/{id}/state");
    reader.put(&path, marks).await.expect(200);
}

async fn cleaned(lede: &TestLede) -> CleanupReport {
    clean_up(&lede.lede).await.unwrap()
}

fn keeping(retention: Retention) -> Options {
    Options {
        retention,
        fetches_articles: false,
        ..Options::default()
    }
}

#[tokio::test]
async fn read_items_go_in_time_unread_ones_sooner_and_starred_ones_never() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let titles_of_all = ["read", "star", "new", "new star"];
        let feed = follows(&lede, &ada, &titles_of_all, "Words.").await;
        for title in ["read", "star"] {
            mark(&ada, &feed, title, json!({"is_read": true})).await;
        }
        for title in ["star", "new star"] {
            mark(&ada, &feed, title, json!({"is_starred": true})).await;
        }
        lede.clock.advance(90 * DAY);
        let report = cleaned(&lede).await;
        assert_eq!((report.posts_removed, report.unread_removed), (0, 0));

        lede.clock.advance(DAY);
        let report = cleaned(&lede).await;
        assert_eq!((report.posts_removed, report.unread_removed), (0, 1));
        let ada = lede.admin().await;
        assert_eq!(titles(&ada, &feed).await, ["new star", "read", "star"]);

        lede.clock.advance(90 * DAY);
        let report = cleaned(&lede).await;
        assert_eq!((report.posts_removed, report.unread_removed), (1, 0));
        let ada = lede.admin().await;
        assert_eq!(titles(&ada, &feed).await, ["new star", "star"]);
        let metrics = lede.visitor().get("/metrics").await.text;
        for line in [
            r#"lede_items_removed_total{outcome="age"} 1"#,
            r#"lede_items_removed_total{outcome="unread"} 1"#,
            r#"lede_cleanups_total{outcome="success"} 3"#,
        ] {
            assert!(metrics.contains(line), "{line}");
        }

        let refresh = format!("/api/feeds/{feed}/refresh");
        let again = ada.post(&refresh, json!({})).await.expect(200).json();
        assert_eq!(again["new_posts"], 0, "the feed still lists them");
    })
    .await;
}

#[tokio::test]
async fn items_that_another_user_has_unread_recently_read_or_starred_stay() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let all = ["unread", "late", "star", "all read"];
        let feed = follows(&lede, &ada, &all, "Words.").await;
        let ben = lede.person("ben@example.org", Role::Member).await;
        let url = lede.site.url("/feed.xml");
        ben.post("/api/feeds", json!({"url": url}))
            .await
            .expect(201);
        for title in all {
            mark(&ada, &feed, title, json!({"is_read": true})).await;
        }
        for title in ["star", "all read"] {
            mark(&ben, &feed, title, json!({"is_read": true})).await;
        }
        mark(&ben, &feed, "star", json!({"is_starred": true})).await;
        // Not old enough yet to be removed unread.
        lede.clock.advance(89 * DAY);
        mark(&ben, &feed, "late", json!({"is_read": true})).await;
        assert_eq!(cleaned(&lede).await.unread_removed, 0);
        lede.clock.advance(92 * DAY);
        let report = cleaned(&lede).await;
        assert_eq!((report.posts_removed, report.unread_removed), (1, 1));
        let ada = lede.admin().await;
        assert_eq!(titles(&ada, &feed).await, ["late", "star"]);
    })
    .await;
}

#[tokio::test]
async fn beyond_a_number_the_oldest_read_items_of_a_feed_go() {
    let retention = Retention {
        max_posts_per_feed: 2,
        ..Retention::default()
    };
    on_each_engine_with(keeping(retention), async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = follows(&lede, &ada, &["1"], "Words.").await;
        let refresh = format!("/api/feeds/{feed}/refresh");
        let mut listed = vec![("1", "Words.")];
        for title in ["2", "3", "4", "5"] {
            lede.clock.advance(Duration::from_secs(3600));
            listed.insert(0, (title, "Words."));
            lede.site.put("/feed.xml", rss(&listed));
            ada.post(&refresh, json!({})).await.expect(200);
        }
        for title in ["1", "2", "4", "5"] {
            mark(&ada, &feed, title, json!({"is_read": true})).await;
        }
        mark(&ada, &feed, "1", json!({"is_starred": true})).await;
        assert_eq!(cleaned(&lede).await.posts_removed, 1);
        assert_eq!(
            titles(&ada, &feed).await,
            ["1", "3", "4", "5"],
            "the first is starred, the third unread"
        );
    })
    .await;
}

#[tokio::test]
async fn zero_keeps_everything() {
    let retention = Retention {
        max_post_age_days: 0,
        max_unread_days: 0,
        max_posts_per_feed: 0,
        max_db_size_mb: 0,
        ..Retention::default()
    };
    on_each_engine_with(keeping(retention), async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = follows(&lede, &ada, &["read", "unread"], "Words.").await;
        mark(&ada, &feed, "read", json!({"is_read": true})).await;
        lede.clock.advance(360 * DAY);
        let report = cleaned(&lede).await;
        assert_eq!((report.posts_removed, report.unread_removed), (0, 0));
        assert_eq!(report.notes, []);
    })
    .await;
}

#[tokio::test]
async fn articles_of_items_that_were_read_long_ago_are_cleared_unless_starred() {
    on_each_engine(async |lede: TestLede| {
        let prose = "<p>A sentence about lighthouses, long enough to be taken for prose, with a comma. \
                     And another, because articles have more than one.</p>";
        let page = format!("<article><h1>Lights</h1>{}</article>", prose.repeat(8));
        let mut entries = String::new();
        for name in ["read", "star", "unread"] {
            lede.site
                .put(&format!("/{name}"), Reply::body("text/html", page.clone()));
            let link = lede.site.url(&format!("/{name}"));
            entries.push_str(&format!(
                "<item><title>{name}</title><guid>{name}</guid><link>{link}</link>
                 <description>Short.</description></item>"
            ));
        }
        let feed = format!("<rss version='2.0'><channel><title>Daily</title>{entries}</channel></rss>");
        let url = lede
            .site
            .put("/feed.xml", Reply::body("application/rss+xml", feed));
        let ada = lede.admin().await;
        let added = ada.post("/api/feeds", json!({"url": url})).await;
        let feed = added.expect(201).json()["id"].clone();
        worker::run_queues(&lede.lede).await.unwrap();
        for title in ["read", "star"] {
            mark(&ada, &feed, title, json!({"is_read": true})).await;
        }
        mark(&ada, &feed, "star", json!({"is_starred": true})).await;

        lede.clock.advance(30 * DAY);
        assert_eq!(cleaned(&lede).await.full_content_cleared, 0);
        lede.clock.advance(DAY);
        assert_eq!(cleaned(&lede).await.full_content_cleared, 1);
        assert_eq!(cleaned(&lede).await.full_content_cleared, 0);
        let ada = lede.admin().await;
        for (title, id) in items(&ada, &feed).await {
            let item = ada.json(&format!("/api/items/{id}")).await;
            assert_eq!(item["full_content"].is_null(), title == "read", "{title}");
            assert_eq!(item["reading_minutes"].is_null(), title == "read", "{title}");
            assert!(item["content"].as_str().unwrap().contains("Short."));
        }
    })
    .await;
}

#[tokio::test]
async fn a_day_is_cleaned_once_by_one_worker_and_a_missed_hour_is_made_up_for() {
    on_each_engine(async |lede: TestLede| {
        // It is noon; the clean-up was due at three.
        let workers: Vec<Lede> = match lede.lede.store.engine() {
            Engine::Postgres => vec![lede.elsewhere().await, lede.lede.clone()],
            Engine::Sqlite => vec![lede.lede.clone(), lede.lede.clone()],
        };
        let all = async || {
            let mut done = 0;
            let work = |lede: Lede| async move { clean_up_when_due(&lede).await.unwrap() };
            let tries: Vec<_> = workers
                .iter()
                .map(|worker| tokio::spawn(work(worker.clone())))
                .collect();
            for attempt in tries {
                done += usize::from(attempt.await.unwrap().is_some());
            }
            done
        };
        assert_eq!(all().await, 1);
        assert_eq!(all().await, 0);
        lede.clock.advance(Duration::from_secs(14 * 3600));
        assert_eq!(all().await, 0, "two in the morning");
        lede.clock.advance(Duration::from_secs(3600));
        assert_eq!(all().await, 1, "three");
        lede.clock.advance(5 * DAY);
        assert_eq!(all().await, 1, "once for all that was missed");
        let logs = lede.admin().await.json("/api/status").await["cleanup_logs"].clone();
        assert_eq!(logs.as_array().unwrap().len(), 3);
        for worker in workers {
            tokio::task::spawn_blocking(move || worker.store.clone().close())
                .await
                .unwrap();
        }
    })
    .await;
}

/// Subscribes to a feed with four megabytes of read items, the first half 70 days older.
async fn filled(lede: &TestLede) -> Value {
    let ada = lede.admin().await;
    let texts: Vec<(String, String)> = (0..200).map(|n| (format!("{n:03}"), noise(n))).collect();
    let refs: Vec<(&str, &str)> = texts
        .iter()
        .map(|(title, text)| (title.as_str(), text.as_str()))
        .collect();
    let url = lede.site.put("/feed.xml", rss(&refs[..100]));
    let added = ada.post("/api/feeds", json!({"url": url})).await;
    let feed = added.expect(201).json()["id"].clone();
    for (title, id) in items(&ada, &feed).await {
        let path = format!("/api/items/{id}/state");
        let marks = json!({"is_read": true, "is_starred": title == "000"});
        ada.put(&path, marks).await.expect(200);
    }
    lede.clock.advance(70 * DAY);
    lede.site.put("/feed.xml", rss(&refs[100..]));
    let refresh = format!("/api/feeds/{feed}/refresh");
    ada.post(&refresh, json!({})).await.expect(200);
    for (_, id) in items(&ada, &feed).await {
        let path = format!("/api/items/{id}/state");
        ada.put(&path, json!({"is_read": true})).await.expect(200);
    }
    // The first half was first read 75 days ago, the second half five.
    lede.clock.advance(5 * DAY);
    feed
}

fn small(max_db_size_mb: u32) -> Options {
    Options {
        max_feed_bytes: 16 << 20,
        ..keeping(Retention {
            max_db_size_mb,
            ..Retention::default()
        })
    }
}

#[tokio::test]
async fn a_database_that_is_too_large_keeps_items_for_a_shorter_time() {
    on_each_engine_with(small(4), async |lede: TestLede| {
        let feed = filled(&lede).await;
        let report = cleaned(&lede).await;
        let notes = english(&report.notes);
        assert_eq!(report.posts_removed, 99, "{notes}");
        assert!(notes.contains("99 items"), "{notes}");
        let ada = lede.admin().await;
        let left = titles(&ada, &feed).await;
        assert_eq!((left.len(), left[0].as_str()), (101, "000"));
        let status = ada.json("/api/status").await;
        match lede.lede.store.engine() {
            Engine::Sqlite => {
                assert!(notes.contains("more than 60 days"), "{notes}");
                assert!(report.bytes_freed > 1 << 20, "{}", report.bytes_freed);
                assert!(status["db_size_mb"].as_f64().unwrap() <= 4.0, "{status}");
                assert_eq!(status["db_size_warning"], Value::Null);
            }
            Engine::Postgres => {
                assert!(notes.contains("VACUUM FULL"), "{notes}");
                assert_eq!(status["db_size_warning"], "DB exceeds configured limit");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_warning_is_shown_while_nothing_more_may_be_removed() {
    on_each_engine_with(small(1), async |lede: TestLede| {
        let feed = filled(&lede).await;
        let report = cleaned(&lede).await;
        assert_eq!(report.posts_removed, 99, "none that was read this month");
        let notes = english(&report.notes);
        assert!(notes.contains("still larger"), "{notes}");
        let ada = lede.admin().await;
        assert_eq!(titles(&ada, &feed).await.len(), 101);
        let status = ada.json("/api/status").await;
        assert_eq!(status["db_size_warning"], "DB exceeds configured limit");

        let mut roomier = lede.lede.clone();
        let mut settings = (*roomier.settings).clone();
        settings.retention.max_db_size_mb = 100;
        roomier.settings = std::sync::Arc::new(settings);
        clean_up(&roomier).await.unwrap();
        let status = ada.json("/api/status").await;
        assert_eq!(status["db_size_warning"], Value::Null);
    })
    .await;
}

#[tokio::test]
async fn without_room_for_a_copy_nothing_is_vacuumed_and_the_log_says_so() {
    let options = small(4);
    let lede = TestLede::start(Engine::Sqlite, options).await;
    filled(&lede).await;
    lede.disk.leave(1 << 20);
    let report = cleaned(&lede).await;
    assert_eq!(report.posts_removed, 99);
    let notes = english(&report.notes);
    assert!(notes.contains("not enough room on the disk"), "{notes}");
    let status = lede.admin().await.json("/api/status").await;
    assert_eq!(status["db_size_warning"], "DB exceeds configured limit");
    assert_eq!(status["db_size_warning_code"], "still_too_large");
    let last = &status["last_cleanup"];
    assert_eq!(last["notes"], notes);
    assert_eq!(
        last["note_codes"],
        json!([
            "not_smaller",
            "removed_for_room",
            "not_smaller",
            "still_too_large"
        ])
    );
}

#[tokio::test]
async fn an_operator_cleans_up_beside_a_running_server_and_without_one() {
    let program = Program::new();
    let running = program.start(&[]).await;
    let beside = program.run(&["admin", "cleanup", "--json"]).await;
    assert_eq!(beside.code, Some(0), "{}", beside.stderr);
    let report: Value = serde_json::from_str(&beside.stdout).unwrap();
    assert_eq!(report["posts_removed"], 0);
    assert_eq!(report["notes"], "");
    assert!(running.stop().await.success());

    let alone = program.run(&["admin", "cleanup"]).await;
    assert_eq!(alone.code, Some(0), "{}", alone.stderr);
    assert!(
        alone
            .stdout
            .starts_with("Removed 0 read and 0 unread items"),
        "{}",
        alone.stdout
    );
    let unknown = program.run(&["admin"]).await;
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("cleanup"), "{}", unknown.stderr);
}
