//! Background jobs: settlement of outcomes, signals that wake the runner, and the admin pages and
//! API.

use std::time::Duration;

use lede_core::jobs::{self as core_jobs, Exhausted, JobDefinition, JobOutcome};
use lede_core::worker;
use lede_model::job::{JobError, JobKind};
use lede_model::user::Role;
use lede_store::Engine;
use lede_store::jobs::{self, Job, NewJob, Settlement};
use lede_testkit::{Options, Reply, TestLede, on_each_engine};
use serde_json::{Value, json};

use crate::store::rows;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
/// Longer than any wake-up takes, and much shorter than the runner's slow poll.
const SOON: Duration = Duration::from_secs(15);

/// A kind whose jobs end as their payload says.
const OBEDIENT: JobDefinition = JobDefinition {
    kind: JobKind::Import,
    concurrency: |_| 1,
    lease: MINUTE,
    retries: &[MINUTE, HOUR],
    exhausted: Exhausted::Keep,
    is_paused: |lede| lede.disk.is_low(),
    handler: |lede, job| Box::pin(async move { Ok(obey(&lede, &job)) }),
};
const FORGETFUL: JobDefinition = JobDefinition {
    exhausted: Exhausted::Drop,
    ..OBEDIENT
};

fn obey(lede: &lede_core::Lede, job: &Job) -> JobOutcome {
    match job.payload.as_deref() {
        Some("temporary") => JobOutcome::Temporary(JobError::Unreachable),
        Some("permanent") => JobOutcome::Permanent(JobError::Unreachable),
        Some("limited") => JobOutcome::RateLimited(HOUR),
        Some("paused") => JobOutcome::Paused,
        Some("panic") => panic!("as the test wants it"),
        Some("again") => JobOutcome::Again(lede.clock.now() + HOUR),
        _ => JobOutcome::Done,
    }
}

async fn enqueue(lede: &TestLede, payload: &'static str) {
    let now = lede.clock.now();
    let job = NewJob {
        payload: Some(payload),
        ..NewJob::new(JobKind::Import, 7, now)
    };
    lede.lede
        .store
        .write(move |db| jobs::enqueue(db, &job, now))
        .await
        .unwrap();
}

/// Returns the state of the only job: attempts, minutes until it runs, its error and whether it
/// failed.
fn state(lede: &TestLede) -> Vec<String> {
    let now = lede.clock.now().as_ms();
    let minutes = format!("((run_after - {now}) / 60000)");
    let sql = format!(
        "SELECT attempts || ' ' || {minutes} || ' ' || COALESCE(last_error, '-')
             || CASE WHEN failed_at IS NULL THEN '' ELSE ' failed' END || CASE WHEN lease_until > 0 THEN ' held' ELSE '' END
         FROM job"
    );
    rows(lede.place(), &sql)
}

#[tokio::test]
async fn a_temporary_failure_climbs_the_ladder_and_stays_visible_at_its_end() {
    on_each_engine(async |lede: TestLede| {
        enqueue(&lede, "temporary").await;
        for (expected, wait) in [
            ("1 1 unreachable", MINUTE),
            ("2 60 unreachable", HOUR),
            ("3 0 unreachable failed", HOUR),
        ] {
            core_jobs::run_due_of(&lede.lede, &OBEDIENT).await;
            assert_eq!(state(&lede), [expected]);
            core_jobs::run_due_of(&lede.lede, &OBEDIENT).await;
            assert_eq!(state(&lede), [expected], "not before its time");
            lede.clock.advance(wait);
        }
        core_jobs::run_due_of(&lede.lede, &OBEDIENT).await;
        assert_eq!(state(&lede).len(), 1);
        let metrics = lede.visitor().get("/metrics").await.text;
        for line in [
            "lede_job_runs_total{kind=\"import\",outcome=\"retried\"} 2",
            "lede_job_runs_total{kind=\"import\",outcome=\"failed\"} 1",
            "lede_job_duration_seconds_count{kind=\"import\"} 3",
            "lede_jobs_failed{kind=\"import\"} 1",
            "lede_jobs_waiting{kind=\"import\"} 0",
        ] {
            assert!(
                metrics.lines().any(|found| found == line),
                "{line}\n{metrics}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn every_other_outcome_is_settled_as_it_says() {
    on_each_engine(async |lede: TestLede| {
        for (payload, definition, expected) in [
            ("done", &OBEDIENT, &[][..]),
            ("again", &OBEDIENT, &["0 60 -"]),
            ("permanent", &OBEDIENT, &["1 0 unreachable failed"]),
            ("permanent", &FORGETFUL, &[]),
            ("limited", &OBEDIENT, &["0 60 rate_limited"]),
            ("paused", &OBEDIENT, &["0 0 -"]),
            ("panic", &OBEDIENT, &["1 1 panicked"]),
        ] {
            rows(lede.place(), "DELETE FROM job RETURNING id");
            enqueue(&lede, payload).await;
            core_jobs::run_due_of(&lede.lede, definition).await;
            assert_eq!(state(&lede), expected, "{payload}");
        }
        rows(lede.place(), "DELETE FROM job RETURNING id");
        enqueue(&lede, "temporary").await;
        for _ in 0..3 {
            core_jobs::run_due_of(&lede.lede, &FORGETFUL).await;
            lede.clock.advance(HOUR);
        }
        assert_eq!(state(&lede), [""; 0], "its kind is not kept");
    })
    .await;
}

#[tokio::test]
async fn a_paused_kind_is_not_claimed_and_costs_no_attempt() {
    on_each_engine(async |lede: TestLede| {
        lede.disk.leave(1 << 20);
        enqueue(&lede, "temporary").await;
        for _ in 0..5 {
            core_jobs::run_due_of(&lede.lede, &OBEDIENT).await;
            lede.clock.advance(HOUR);
        }
        assert_eq!(state(&lede), ["0 -300 -"]);
        lede.disk.leave(1 << 40);
        core_jobs::run_due_of(&lede.lede, &OBEDIENT).await;
        assert_eq!(state(&lede), ["1 1 unreachable"]);
    })
    .await;
}

#[tokio::test]
async fn a_job_that_takes_every_process_along_is_given_up() {
    on_each_engine(async |lede: TestLede| {
        enqueue(&lede, "done").await;
        // Claimed and never settled, as by processes that crashed.
        for _ in 0..3 {
            let now = lede.clock.now();
            let claimed = lede
                .lede
                .store
                .write(move |db| jobs::claim(db, JobKind::Import, now, now + MINUTE, 1));
            assert_eq!(claimed.await.unwrap().jobs.len(), 1);
            lede.clock.advance(2 * MINUTE);
        }
        core_jobs::run_due_of(&lede.lede, &OBEDIENT).await;
        let state = state(&lede).remove(0);
        assert!(state.ends_with("interrupted failed"), "{state}");
    })
    .await;
}

/// Waits until `path` was requested `times` times.
async fn asked(lede: &TestLede, path: &str, times: usize) {
    tokio::time::timeout(SOON, lede.site.until_requested(path, times))
        .await
        .unwrap_or_else(|_| panic!("{path} was not asked for"));
}

/// Follows a feed that names no site, so that its icon is looked for on its own host.
async fn follow(lede: &TestLede, name: &str) -> Value {
    let xml = format!("<rss version='2.0'><channel><title>{name}</title></channel></rss>");
    let feed = Reply::body("application/rss+xml", xml);
    let url = lede.site.put(&format!("/{name}.xml"), feed);
    let ada = lede.admin().await;
    let added = ada.post("/api/feeds", json!({"url": url})).await;
    added.expect(201).json()["id"].clone()
}

#[tokio::test]
async fn the_runner_is_woken_by_the_commit_and_does_not_poll() {
    on_each_engine(async |lede: TestLede| {
        lede.site.put("/favicon.ico", Reply::picture());
        let working = tokio::spawn(worker::run(lede.lede.clone(), std::future::pending()));
        follow(&lede, "first").await;
        asked(&lede, "/favicon.ico", 1).await;
        // The runner found nothing more and waits; the slow poll is longer than this test waits.
        follow(&lede, "second").await;
        asked(&lede, "/favicon.ico", 2).await;
        working.abort();
    })
    .await;
}

#[tokio::test]
async fn the_runner_of_another_process_is_woken_on_postgresql() {
    let lede = TestLede::start(Engine::Postgres, Options::default()).await;
    lede.site.put("/favicon.ico", Reply::picture());
    let elsewhere = lede.elsewhere().await;
    let working = tokio::spawn(worker::run(elsewhere, std::future::pending()));
    follow(&lede, "first").await;
    asked(&lede, "/favicon.ico", 1).await;
    follow(&lede, "second").await;
    asked(&lede, "/favicon.ico", 2).await;
    working.abort();
}

#[tokio::test]
async fn the_runner_comes_back_when_a_job_becomes_due() {
    on_each_engine(async |lede: TestLede| {
        lede.clock.catch_up();
        let feed = follow(&lede, "daily").await;
        worker::run_queues(&lede.lede).await.unwrap();
        let before = lede.site.requests("/favicon.ico").len();
        let working = tokio::spawn(worker::run(lede.lede.clone(), std::future::pending()));
        let at = lede.clock.now() + Duration::from_secs(1);
        let feed = feed.as_i64().unwrap();
        rows(lede.place(), "DELETE FROM job RETURNING id");
        let job = NewJob::new(JobKind::Icon, feed, at);
        let enqueued = lede.lede.store.write(move |db| jobs::enqueue(db, &job, at));
        enqueued.await.unwrap();
        // The runner's timer counts real time, and the test's clock does not move by itself.
        lede.clock.advance(Duration::from_secs(1));
        asked(&lede, "/favicon.ico", before + 1).await;
        working.abort();
    })
    .await;
}

#[tokio::test]
async fn a_runner_that_stops_gives_its_jobs_back() {
    on_each_engine(async |lede: TestLede| {
        let feed = follow(&lede, "daily").await;
        let _held = lede.site.hold().await;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let working = tokio::spawn(worker::run(lede.lede.clone(), async {
            let _ = stopped.await;
        }));
        let leased = "SELECT id FROM job WHERE lease_until > 0";
        while rows(lede.place(), leased).is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        stop.send(()).unwrap();
        working.await.unwrap();
        let left = "SELECT kind || ' ' || key || ' ' || attempts || ' ' || lease_until FROM job";
        assert_eq!(rows(lede.place(), left), [format!("icon {feed} 0 0")]);
    })
    .await;
}

#[tokio::test]
async fn an_article_whose_attempt_was_cut_short_is_fetched_by_the_next() {
    on_each_engine(async |lede: TestLede| {
        let link = format!("http://{}/story", lede.site.address());
        let prose = "<p>A sentence of some length, with a comma, as articles have them in plenty.</p>";
        let page = format!("<article><h1>Story</h1>{}</article>", prose.repeat(9));
        lede.site.put("/story", Reply::status(503));
        let xml = format!(
            "<rss version='2.0'><channel><title>Daily</title><item><title>Story</title><link>{link}</link>
             <guid>1</guid><description>A teaser.</description></item></channel></rss>"
        );
        let url = lede
            .site
            .put("/feed.xml", Reply::body("application/rss+xml", xml));
        let ada = lede.admin().await;
        ada.post("/api/feeds", json!({"url": url})).await.expect(201);
        worker::run_queues(&lede.lede).await.unwrap();
        assert_eq!(lede.site.requests("/story").len(), 1);
        let waits = "SELECT attempts || ' ' || last_error FROM job WHERE kind = 'article'";
        assert_eq!(rows(lede.place(), waits), ["1 unreachable"]);
        worker::run_queues(&lede.lede).await.unwrap();
        assert_eq!(lede.site.requests("/story").len(), 1, "once a day");

        // A worker claims it, records the attempt and crashes.
        lede.clock.advance(25 * HOUR);
        let now = lede.clock.now();
        let claimed = lede
            .lede
            .store
            .write(move |db| jobs::claim(db, JobKind::Article, now, now + MINUTE, 9));
        assert_eq!(claimed.await.unwrap().jobs.len(), 1);
        let tried = format!("UPDATE item_body SET full_text_tried_at = {} RETURNING item_id", now.as_ms());
        rows(lede.place(), &tried);
        lede.clock.advance(2 * MINUTE);
        lede.site.put("/story", Reply::body("text/html", page));
        worker::run_queues(&lede.lede).await.unwrap();
        let ada = lede.admin().await;
        let posts = ada.json("/api/posts").await;
        let item = ada.json(&format!("/api/items/{}", posts["posts"][0]["id"])).await;
        assert!(item["full_content"].as_str().unwrap().contains("as articles have them"));
        assert_eq!(rows(lede.place(), waits), [""; 0]);
    })
    .await;
}

/// Adds failed jobs: two imports and an icon.
async fn fail_some(lede: &TestLede) {
    let now = lede.clock.now();
    let failing = lede.lede.store.write(move |db| {
        for (kind, key) in [
            (JobKind::Import, 1),
            (JobKind::Import, 2),
            (JobKind::Icon, 3),
        ] {
            jobs::enqueue(db, &NewJob::new(kind, key, now), now)?;
            for job in jobs::claim(db, kind, now, now + MINUTE, 1)?.jobs {
                jobs::settle(db, &job, Settlement::Fail(JobError::Database), now)?;
            }
        }
        jobs::enqueue(db, &NewJob::new(JobKind::Removal, 9, now), now)
    });
    failing.await.unwrap();
}

#[tokio::test]
async fn administrators_see_failed_jobs_and_retry_or_drop_them() {
    on_each_engine(async |lede: TestLede| {
        fail_some(&lede).await;
        lede.clock.advance(MINUTE);
        let ada = lede.admin().await;
        let seen = ada.json("/api/admin/jobs").await;
        let kinds = seen["kinds"].as_array().unwrap();
        let names: Vec<&str> = kinds.iter().map(|kind| kind["kind"].as_str().unwrap()).collect();
        assert_eq!(names, ["article", "icon", "import", "notification", "removal", "search_index"]);
        let removal = json!({"kind": "removal", "waiting": 1, "scheduled": 0, "failed": 0, "oldest_age_seconds": 60});
        assert_eq!(kinds[4], removal);
        assert_eq!((&kinds[2]["failed"], &kinds[2]["oldest_age_seconds"]), (&json!(2), &Value::Null));
        let failed = seen["failed"].as_array().unwrap();
        assert_eq!(failed.len(), 3);
        assert_eq!(failed[0]["kind"], "icon");
        assert_eq!((&failed[0]["key"], &failed[0]["attempts"], &failed[0]["error"]), (&json!(3), &json!(1), &json!("database")));
        let status = ada.json("/api/status").await;
        assert_eq!(status["jobs"], seen["kinds"]);
        assert_eq!(status["queue_size"], 1);

        let first = failed[2]["id"].clone();
        let retry = "/api/admin/jobs/retry";
        let one = json!({"kind": "import", "id": first});
        let done = ada.post(retry, one.clone()).await.expect(200).json();
        assert_eq!(done, json!({"ok": true, "jobs": 1}));
        ada.post(retry, one).await.expect(404);
        let drop = "/api/admin/jobs/drop";
        for (kind, jobs) in [("import", 1), ("import", 0), ("icon", 1)] {
            let done = ada.post(drop, json!({"kind": kind})).await.expect(200);
            assert_eq!(done.json()["jobs"], jobs, "{kind}");
        }
        let refused = ada.post(drop, json!({"kind": "summary"})).await.expect(400);
        assert!(refused.json()["fields"]["kind"].is_string());
        let left = "SELECT kind || key FROM job WHERE failed_at IS NULL ORDER BY id";
        assert_eq!(rows(lede.place(), left), ["import1", "removal9"]);

        let noted = "SELECT event_type || ' ' || metadata FROM event WHERE event_type LIKE 'jobs%' ORDER BY id";
        assert_eq!(
            rows(lede.place(), noted),
            [
                "jobs_retried {\"kind\": \"import\", \"jobs\": 1}",
                "jobs_dropped {\"kind\": \"import\", \"jobs\": 1}",
                "jobs_dropped {\"kind\": \"icon\", \"jobs\": 1}",
            ]
        );
        let ben = lede.person("ben@example.org", Role::Member).await;
        ben.get("/api/admin/jobs").await.expect(403);
        ben.post(retry, json!({"kind": "icon"})).await.expect(403);
        assert_eq!(ben.json("/api/status").await["jobs"][4]["waiting"], 1);
    })
    .await;
}

#[tokio::test]
async fn the_status_page_lists_jobs_and_its_buttons_retry_and_drop() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let page = browser.get("/admin/status").await.expect(200).text;
        assert!(page.contains("Background jobs") && page.contains("No job has failed."));
        fail_some(&lede).await;
        let page = browser.get("/admin/status").await.expect(200).text;
        for said in [
            "Retry all 2",
            "Drop all 2",
            "no. 3",
            "one attempt",
            "The database didn’t respond",
        ] {
            assert!(page.contains(said), "{said}: {page}");
        }
        let here = "/admin/status";
        let retried = browser
            .fill(here, "/admin/jobs/retry", &[("kind", "import")])
            .await
            .expect(303);
        assert_eq!(retried.header("location"), "/admin/status?retried=2#jobs");
        let page = browser
            .get("/admin/status?retried=2")
            .await
            .expect(200)
            .text;
        assert!(page.contains("2 jobs will run again now."));
        let id = rows(
            lede.place(),
            "SELECT id FROM job WHERE failed_at IS NOT NULL",
        )
        .remove(0);
        let fields = [("kind", "icon"), ("id", id.as_str())];
        let dropped = browser
            .fill(here, "/admin/jobs/drop", &fields)
            .await
            .expect(303);
        assert_eq!(dropped.header("location"), "/admin/status?dropped=1#jobs");
        let page = browser
            .get("/admin/status?dropped=1")
            .await
            .expect(200)
            .text;
        assert!(page.contains("Job dropped.") && page.contains("No job has failed."));
        // Refused without the CSRF token of the page.
        browser
            .form("/admin/jobs/retry", &[("kind", "icon")])
            .await
            .expect(403);
        let page = browser.get("/admin").await.expect(200).text;
        assert!(page.contains("retried failed background jobs"), "{page}");
    })
    .await;
}

#[tokio::test]
async fn the_reason_of_a_failed_job_is_translated() {
    on_each_engine(async |lede: TestLede| {
        fail_some(&lede).await;
        let ada = lede.admin().await;
        for code in JobError::ALL {
            rows(
                lede.place(),
                &format!(
                    "UPDATE job SET last_error = '{}' RETURNING id",
                    code.as_str()
                ),
            );
            let mut told = std::collections::BTreeSet::new();
            for language in ["en", "ja", "pt"] {
                ada.patch("/api/users/me/preferences", json!({"language": language}))
                    .await
                    .expect(200);
                let page = ada.get("/admin/status").await.expect(200).text;
                let reason = page.split("<div class=\"help bad\">").nth(1).unwrap();
                let reason = reason.split('<').next().unwrap().to_owned();
                assert!(
                    !reason.contains(code.as_str()) || language == "en",
                    "{reason}"
                );
                assert!(reason.len() > 10, "{language}: {reason}");
                told.insert(reason);
            }
            assert_eq!(told.len(), 3, "{code:?}");
        }
    })
    .await;
}
