//! The job queue on its own: claims, leases, priorities, settlements and signals.

use std::time::Duration;

use lede_model::job::{JobError, JobKind, Priority};
use lede_model::time::Timestamp;
use lede_store::jobs::{self, Claimed, Job, NewJob, Settlement};
use lede_store::signals::Signal;
use lede_store::{DatabaseLocation, Engine, Store, StoreError, StoreResult, all_statements};
use lede_testkit::{TestStore, on_each_store};

use super::{NOON, apart, minutes_after_noon, number, rows, sqlite_rows};

/// Longer than any wake-up takes, and shorter than the timeout of a test.
const SOON: Duration = Duration::from_secs(10);

async fn enqueue(store: &Store, job: NewJob<'static>) {
    store
        .write(move |db| jobs::enqueue(db, &job, NOON))
        .await
        .unwrap();
}

fn icon(key: i64) -> NewJob<'static> {
    NewJob::new(JobKind::Icon, key, NOON)
}

/// Claims up to ten icon jobs for ten minutes.
async fn claim(store: &Store, minute: u64) -> Claimed {
    let (now, until) = (minutes_after_noon(minute), minutes_after_noon(minute + 10));
    store
        .write(move |db| jobs::claim(db, JobKind::Icon, now, until, 10))
        .await
        .unwrap()
}

async fn claim_one(store: &Store, minute: u64) -> Job {
    let mut jobs = claim(store, minute).await.jobs;
    assert_eq!(jobs.len(), 1);
    jobs.remove(0)
}

async fn settle(store: &Store, job: &Job, settlement: Settlement, minute: u64) -> bool {
    let (job, now) = (job.clone(), minutes_after_noon(minute));
    store
        .write(move |db| jobs::settle(db, &job, settlement, now))
        .await
        .unwrap()
}

fn keys(claimed: &Claimed) -> Vec<i64> {
    claimed.jobs.iter().map(|job| job.key).collect()
}

#[tokio::test]
async fn there_is_one_job_per_kind_and_subject_and_one_worker_has_it() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        for _ in 0..2 {
            enqueue(store, icon(7)).await;
        }
        enqueue(store, NewJob::new(JobKind::Icon, 8, minutes_after_noon(60))).await;
        enqueue(store, NewJob::new(JobKind::Article, 7, NOON)).await;
        let first = claim(store, 0).await;
        assert_eq!(keys(&first), [7]);
        assert_eq!(first.next_at, Some(minutes_after_noon(60)));
        assert_eq!(keys(&claim(store, 5).await), [0; 0], "it is leased");

        let second = claim_one(store, 10).await;
        assert_eq!(second.attempts, 2, "the first worker is taken for dead");
        let late = &first.jobs[0];
        for settlement in [
            Settlement::Finish,
            Settlement::Fail(JobError::Database),
            Settlement::Retry(NOON, JobError::Database),
            Settlement::RunAgain(NOON),
            Settlement::Release,
        ] {
            assert!(!settle(store, late, settlement, 11).await, "{settlement:?}");
        }
        let renewal = late.clone();
        let renewed = store.write(move |db| jobs::renew(db, &renewal, minutes_after_noon(90)));
        assert!(!renewed.await.unwrap());

        let again = Settlement::RunAgain(minutes_after_noon(30));
        assert!(settle(store, &second, again, 12).await);
        assert!(
            !settle(store, &second, Settlement::Finish, 12).await,
            "once"
        );
        assert_eq!(keys(&claim(store, 20).await), [0; 0]);
        let third = claim(store, 60).await;
        assert_eq!(keys(&third), [7, 8]);
        assert_eq!(third.jobs[0].attempts, 1, "a success counts anew");
        for job in &third.jobs {
            assert!(settle(store, job, Settlement::Finish, 61).await);
        }
        let left = "SELECT kind FROM job";
        assert_eq!(rows(&kept.place, left), ["article"]);
    })
    .await;
}

#[tokio::test]
async fn a_priority_is_raised_and_never_lowered() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let at = |key, priority, minute| NewJob {
            priority,
            run_after: minutes_after_noon(minute),
            ..icon(key)
        };
        for job in [
            at(1, Priority::Low, 0),
            at(2, Priority::Normal, 2),
            at(3, Priority::Normal, 1),
            at(4, Priority::High, 3),
            at(5, Priority::Normal, 50),
            // The same keys again, with lower, equal and higher priority.
            at(4, Priority::Low, 0),
            at(2, Priority::Normal, 0),
            at(5, Priority::High, 4),
        ] {
            enqueue(store, job).await;
        }
        let claimed = claim(store, 5).await;
        assert_eq!(keys(&claimed), [4, 5, 3, 2, 1]);
        assert_eq!(claimed.next_at, None);

        for key in 10..14 {
            enqueue(store, icon(key)).await;
        }
        enqueue(store, at(13, Priority::High, 0)).await;
        let two = store.write(move |db| {
            let (now, until) = (minutes_after_noon(5), minutes_after_noon(15));
            jobs::claim(db, JobKind::Icon, now, until, 2)
        });
        assert_eq!(keys(&two.await.unwrap()), [13, 10], "the urgent one first");
    })
    .await;
}

#[tokio::test]
async fn a_payload_comes_along_and_the_newest_counts() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        for payload in [Some("{\"n\":1}"), None, Some("{\"n\":2}")] {
            let job = NewJob { payload, ..icon(7) };
            enqueue(store, job).await;
        }
        let job = claim_one(store, 0).await;
        assert_eq!(job.payload.as_deref(), Some("{\"n\":2}"));
    })
    .await;
}

#[tokio::test]
async fn what_is_enqueued_while_a_worker_has_it_runs_once_more() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        enqueue(store, icon(7)).await;
        for (minute, settlement) in [
            (0, Settlement::Finish),
            (20, Settlement::Fail(JobError::Unreachable)),
            (40, Settlement::RunAgain(minutes_after_noon(500))),
        ] {
            let job = claim_one(store, minute).await;
            assert_eq!(job.attempts, 1);
            enqueue(store, icon(7)).await;
            assert!(settle(store, &job, settlement, minute + 1).await);
        }
        let job = claim_one(store, 60).await;
        assert!(!job.is_repeated());
        assert!(settle(store, &job, Settlement::Finish, 61).await);
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM job"), 0);
    })
    .await;
}

#[tokio::test]
async fn a_failed_attempt_counts_and_one_that_was_postponed_or_released_does_not() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        enqueue(store, icon(7)).await;
        let job = claim_one(store, 0).await;
        let retry = Settlement::Retry(minutes_after_noon(20), JobError::Unreachable);
        assert!(settle(store, &job, retry, 1).await);
        let waiting = claim(store, 19).await;
        assert_eq!(
            (keys(&waiting).len(), waiting.next_at),
            (0, Some(minutes_after_noon(20)))
        );

        let job = claim_one(store, 20).await;
        assert_eq!(job.attempts, 2);
        assert_eq!(job.last_error.as_deref(), Some("unreachable"));
        let limited = Settlement::Postpone(minutes_after_noon(30), JobError::RateLimited);
        assert!(settle(store, &job, limited, 21).await);
        let job = claim_one(store, 30).await;
        assert_eq!(job.attempts, 2);
        assert!(settle(store, &job, Settlement::Release, 31).await);
        assert_eq!(claim_one(store, 31).await.attempts, 2);
    })
    .await;
}

#[tokio::test]
async fn a_failed_job_stays_visible_and_is_retried_or_dropped_or_enqueued_anew() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let fail = async |key: i64, minute: u64| {
            enqueue(store, icon(key)).await;
            let job = claim_one(store, minute).await;
            let failed = Settlement::Fail(JobError::Panicked);
            assert!(settle(store, &job, failed, minute).await);
        };
        for key in 1..=4 {
            fail(key, 10).await;
        }
        assert_eq!(keys(&claim(store, 6000).await), [0; 0], "none is claimed");
        let failed = store.read(|db| jobs::failed(db, 10)).await.unwrap();
        assert_eq!(
            failed.iter().map(|job| job.key).collect::<Vec<_>>(),
            [4, 3, 2, 1]
        );
        let newest = &failed[0];
        assert_eq!((newest.kind, newest.attempts), (JobKind::Icon, 1));
        assert_eq!(newest.error.as_deref(), Some("panicked"));
        assert_eq!(
            (newest.created_at, newest.failed_at),
            (NOON, minutes_after_noon(10))
        );
        let now = minutes_after_noon(60);
        let status = store.read(move |db| Ok((jobs::status(db, now)?, jobs::due(db, now)?)));
        let (status, due) = status.await.unwrap();
        let icons = status
            .iter()
            .find(|status| status.kind == JobKind::Icon)
            .unwrap();
        assert_eq!((icons.failed, icons.waiting, icons.scheduled), (4, 0, 0));
        assert_eq!(due, 0);

        let (first, second) = (failed[3].id, failed[2].id);
        let retry = store.write(move |db| jobs::retry_failed(db, JobKind::Icon, Some(first), now));
        assert_eq!(retry.await.unwrap(), 1);
        let other = store.write(move |db| jobs::retry_failed(db, JobKind::Import, None, now));
        assert_eq!(other.await.unwrap(), 0, "none of that kind");
        let job = claim_one(store, 60).await;
        assert_eq!((job.key, job.attempts, job.is_repeated()), (1, 1, false));
        let drop_one = store.write(move |db| jobs::drop_failed(db, JobKind::Icon, Some(second)));
        assert_eq!(drop_one.await.unwrap(), 1);
        // A pending or leased job is not a failed one.
        let drop_held = store.write(move |db| jobs::drop_failed(db, JobKind::Icon, Some(first)));
        assert_eq!(drop_held.await.unwrap(), 0);

        enqueue(store, icon(3)).await;
        assert_eq!(claim_one(store, 60).await.key, 3, "a new need begins anew");
        let drop_all = store.write(move |db| jobs::drop_failed(db, JobKind::Icon, None));
        assert_eq!(drop_all.await.unwrap(), 1);
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM job"), 2);
    })
    .await;
}

#[tokio::test]
async fn a_job_is_rolled_back_with_its_transaction_and_wakes_no_worker() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let undone = store.write(|db| {
            jobs::enqueue(db, &icon(7), NOON)?;
            StoreResult::<()>::Err(StoreError::Missing)
        });
        undone.await.unwrap_err();
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM job"), 0);
        // The first signal comes from a later transaction.
        enqueue(store, NewJob::new(JobKind::Article, 1, NOON)).await;
        signalled(store, Signal::Jobs(JobKind::Article)).await;
        let woken = store.signalled(Signal::Jobs(JobKind::Icon));
        assert!(is_pending(woken), "nothing was enqueued");
    })
    .await;
}

/// Returns `true` if a future is not ready.
fn is_pending(future: impl Future<Output = ()>) -> bool {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    future.as_mut().poll(&mut context).is_pending()
}

async fn signalled(store: &Store, signal: Signal) {
    tokio::time::timeout(SOON, store.signalled(signal))
        .await
        .expect("the signal comes");
}

#[tokio::test]
async fn a_commit_wakes_the_worker_of_its_process_and_what_changes_nothing_does_not() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let icons = Signal::Jobs(JobKind::Icon);
        let waiting = signalled(store, icons);
        let (_, ()) = tokio::join!(waiting, enqueue(store, icon(7)));
        enqueue(store, icon(7)).await;
        assert!(is_pending(store.signalled(icons)), "it waits already");
        enqueue(store, icon(8)).await;
        signalled(store, icons).await;
    })
    .await;
}

#[tokio::test]
async fn a_commit_wakes_the_workers_of_other_processes_on_postgresql() {
    let kept = TestStore::open(Engine::Postgres);
    let place = kept.place.clone();
    let other = std::thread::spawn(move || Store::open(&place).unwrap())
        .join()
        .unwrap();
    let (ours, theirs) = (kept.store.clone(), other.clone());
    let relay = tokio::spawn(async move { theirs.relay_signals().await });
    let own_relay = tokio::spawn(async move { ours.relay_signals().await });
    let icons = Signal::Jobs(JobKind::Icon);
    // Both listen: a new connection may have missed signals and fires all of them.
    let imports = Signal::Jobs(JobKind::Import);
    for store in [&other, &kept.store] {
        signalled(store, icons).await;
        signalled(store, imports).await;
    }
    enqueue(&kept.store, icon(7)).await;
    signalled(&other, icons).await;
    signalled(&kept.store, icons).await;
    // A signal that arrives after its own notification shows that it ignored the latter.
    enqueue(&other, NewJob::new(JobKind::Import, 1, NOON)).await;
    signalled(&kept.store, imports).await;
    assert!(is_pending(kept.store.signalled(icons)), "it hears itself");
    relay.abort();
    own_relay.abort();
}

#[tokio::test]
async fn a_crashed_process_loses_no_job() {
    let kept = TestStore::open(Engine::Sqlite);
    enqueue(&kept.store, icon(7)).await;
    claim_one(&kept.store, 0).await;
    // Left behind by a crash: leased by a process that is gone.
    let closed = kept.closed();
    let place = closed.place.clone();
    let again = std::thread::spawn(move || Store::open(&place).unwrap())
        .join()
        .unwrap();
    assert_eq!(keys(&claim(&again, 1).await), [0; 0]);
    let released = again.write(jobs::release_all).await.unwrap();
    assert_eq!(released, 1);
    let job = claim_one(&again, 1).await;
    assert_eq!(
        job.attempts, 2,
        "the attempt counts: it may be what crashed"
    );
    assert!(job.is_repeated());
    again.close();
}

/// Fills the queue so that a full scan would show: icon jobs that are due in a month, and failed
/// ones.
fn fill(place: &DatabaseLocation) {
    rows(
        place,
        "INSERT INTO job (kind, key, priority, run_after, failed_at)
         SELECT 'icon', n, n % 3, n * 1000, CASE WHEN n % 10 = 0 THEN 5 END
         FROM (WITH RECURSIVE up (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 20000) SELECT n FROM up) numbers",
    );
}

fn queue_statements(engine: Engine) -> impl Iterator<Item = (&'static str, String)> {
    let named = ["claim_jobs", "NEXT", "FAILED"];
    all_statements(engine)
        .into_iter()
        .filter(move |(name, sql)| named.contains(name) && sql.contains("FROM job"))
}

#[tokio::test]
async fn looking_for_due_jobs_reads_no_job_that_is_not_due() {
    let kept = TestStore::open(Engine::Sqlite);
    fill(&kept.place);
    let closed = kept.closed();
    let DatabaseLocation::File(path) = &closed.place else {
        unreachable!("SQLite is a file")
    };
    let file = rusqlite::Connection::open(path).unwrap();
    for statistics in ["ANALYZE", "DELETE FROM sqlite_stat1; ANALYZE sqlite_schema"] {
        file.execute_batch(statistics).unwrap();
        let mut seen = 0;
        for (name, sql) in queue_statements(Engine::Sqlite) {
            seen += 1;
            let plan = sqlite_rows(&file, &format!("EXPLAIN QUERY PLAN {sql}")).join("\n");
            assert!(!plan.contains("TEMP B-TREE"), "sorted: {name} {plan}");
            let index = if name == "FAILED" {
                "job_failed"
            } else {
                "job_due"
            };
            assert!(plan.contains(index), "{name}: {plan}");
            if name != "FAILED" {
                assert!(
                    plan.contains("(kind=? AND priority=? AND run_after"),
                    "{name}: {plan}"
                );
            }
        }
        assert_eq!(seen, 3);
    }

    let kept = TestStore::open(Engine::Postgres);
    fill(&kept.place);
    let DatabaseLocation::Server(url) = &kept.place else {
        unreachable!("PostgreSQL is a server")
    };
    apart(|| {
        let mut client = postgres::Client::connect(url.reveal(), postgres::NoTls).unwrap();
        client.batch_execute("ANALYZE").unwrap();
        let mut explained = |sql: &str, values: &str| -> String {
            client
                .batch_execute(&format!("PREPARE asked AS {sql}"))
                .unwrap();
            let plan = client
                .simple_query(&format!("EXPLAIN EXECUTE asked ({values})"))
                .unwrap();
            client.batch_execute("DEALLOCATE asked").unwrap();
            let lines = plan.iter().filter_map(|message| match message {
                postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            });
            lines.collect::<Vec<_>>().join("\n")
        };
        for (name, sql) in queue_statements(Engine::Postgres) {
            let values = match name {
                "claim_jobs" => "9, 'icon', 1, 5000, 2",
                "NEXT" => "'icon', 5000",
                _ => "50",
            };
            let plan = explained(&sql, values);
            let index = if name == "FAILED" {
                "job_failed"
            } else {
                "job_due"
            };
            assert!(plan.contains(index), "{name}: {plan}");
            assert!(!plan.contains("Seq Scan"), "{name}: {plan}");
        }
    });
    let due = |time: Timestamp| kept.store.read(move |db| jobs::due(db, time));
    assert_eq!(due(Timestamp::from_ms(30_000)).await.unwrap(), 27);
}
