//! Reads and writes: acknowledged changes are durable, and failed ones leave no trace.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};

use lede_model::ids::UserId;
use lede_model::schedule::FailurePolicy;
use lede_model::secret::Secret;
use lede_model::user::Role;
use lede_store::{
    DatabaseLocation, Engine, Store, StoreError, all_statements, feeds, ingest, items, settings,
    users,
};
use lede_testkit::{PASSWORD, Reply, Site, TestStore, on_each_store};
use serde_json::json;

use super::{
    CLEANING, NOON, follow, item, minutes_after_noon, new_feed, number, open, person, rows,
};
use crate::program::Program;

async fn is_kept(store: &Store, key: &'static str) -> bool {
    let found = store.read(move |db| settings::find(db, key)).await;
    found.unwrap().is_some()
}

#[tokio::test]
async fn both_engines_understand_every_statement() {
    on_each_store(async |kept: TestStore| {
        let engine = kept.store.engine().as_str();
        for (name, sql) in all_statements(kept.store.engine()) {
            let prepared = kept.store.read(move |db| db.prepares(&sql)).await;
            prepared.unwrap_or_else(|error| panic!("{name} on {engine}: {error}"));
        }
    })
    .await;
}

/// SQLite numbers parameters in the order of their first appearance, regardless of their names.
#[test]
fn every_statement_names_its_parameters_in_their_order() {
    let is_in_order = |sql: &str| {
        let numbers = sql.split('$').skip(1).map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_digit());
            rest[..end.unwrap_or(rest.len())].parse().unwrap_or(0)
        });
        let mut highest = 0;
        numbers.into_iter().all(|number: usize| {
            let is_next = number <= highest + 1;
            highest = highest.max(number);
            is_next
        })
    };
    let statements = all_statements(Engine::Sqlite).into_iter();
    let wrong: Vec<_> = statements.filter(|(_, sql)| !is_in_order(sql)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn a_change_that_fails_or_panics_leaves_nothing_and_takes_no_other_with_it() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let put = |key: &'static str, outcome: fn() -> Result<(), StoreError>| {
            store.write(move |db| {
                settings::put_if_absent(db, key, "x")?;
                outcome()
            })
        };
        // While the first write blocks, the others queue up and share one commit.
        let (release, wait) = mpsc::channel();
        let blocked = store.write(move |_| {
            let _ = wait.recv();
            Ok(())
        });
        let (_, before, failed, panicked, after, ()) = tokio::join!(
            biased;
            blocked,
            put("before", || Ok(())),
            put("failed", || Err(StoreError::Missing)),
            put("panicked", || panic!("on purpose")),
            put("after", || Ok(())),
            async { release.send(()).unwrap() },
        );
        assert!(before.is_ok() && after.is_ok());
        assert!(matches!(failed, Err(StoreError::Missing)), "{failed:?}");
        let words = panicked.unwrap_err().to_string();
        assert_eq!(words, "the work on the store panicked: on purpose");
        for (key, expected) in [
            ("before", true),
            ("failed", false),
            ("panicked", false),
            ("after", true),
        ] {
            assert_eq!(is_kept(store, key).await, expected, "{key}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_question_that_panics_is_an_error_and_others_are_answered() {
    on_each_store(async |kept: TestStore| {
        // More often than there are reader threads, so that each of them survives a panic.
        for _ in 0..16 {
            let panicked = kept
                .store
                .read::<(), _>(|db| {
                    users::count(db)?;
                    panic!("on purpose")
                })
                .await;
            assert!(matches!(panicked, Err(StoreError::Panicked(_))));
        }
        assert_eq!(kept.store.read(users::count).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_question_changes_nothing() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let written = store.read(|db| settings::put_if_absent(db, "key", "x"));
        let words = written.await.unwrap_err().to_string();
        assert!(words.contains("read"), "{words}");
        assert!(!is_kept(store, "key").await);
    })
    .await;
}

#[tokio::test]
async fn a_change_is_never_acknowledged_and_lost() {
    on_each_store(async |kept: TestStore| {
        // PostgreSQL treats the COMMIT of a transaction with a failed statement as a ROLLBACK,
        // without an error; a closure that ignores the failure must not hide that.
        let written = kept.store.write(|db| {
            settings::put_if_absent(db, "key", "x")?;
            let _ = db.prepares("nonsense");
            Ok(())
        });
        let is_acknowledged = written.await.is_ok();
        assert_eq!(is_kept(&kept.store, "key").await, is_acknowledged);
        assert_eq!(is_acknowledged, kept.store.engine() == Engine::Sqlite);
        let next = kept
            .store
            .write(|db| settings::put_if_absent(db, "next", "x"));
        assert!(next.await.unwrap(), "the connection lives on");
    })
    .await;
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_reopening() {
    on_each_store(async |kept: TestStore| {
        let TestStore { store, place, .. } = kept;
        let user = person(&store, "ada@example.org").await;
        store.close();
        let store = open(&place).unwrap();
        let found = store.read(move |db| users::find(db, user)).await.unwrap();
        assert_eq!(found.unwrap().email, "ada@example.org");
        store.close();
    })
    .await;
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_killed_process() {
    let site = Site::start().await;
    let url = site.put("/feed.xml", Reply::rss("Daily", &[("One", "<p>x</p>")]));
    let program = Program::new()
        .with("APP_PASSWORD", PASSWORD)
        .with("FETCH_ALLOW", site.address().to_string());
    let mut running = program.start(&[]).await;
    let owner = running.signed_in("", PASSWORD).await.expect("a token");
    let feed = owner.post("/api/feeds", json!({"url": url})).await;
    let feed = feed.expect(201).json()["id"].clone();
    let page = owner.json(&format!("/api/feeds/{feed}/items")).await;
    let item = format!("/api/items/{}", page["items"][0]["id"]);
    let marks = json!({"is_read": true, "is_starred": true});
    owner.put(&format!("{item}/state"), marks).await.expect(200);
    running.signal("KILL").await;
    assert_eq!(running.ended().await.code(), None, "it had no last words");

    let running = program.start(&[]).await;
    let owner = running.signed_in("", PASSWORD).await.expect("a token");
    let found = owner.json(&item).await;
    assert_eq!(found["is_read"], true);
    assert_eq!(found["is_starred"], true);
    assert!(running.stop().await.success());
}

#[tokio::test]
async fn writers_at_the_same_time_lose_nothing_and_repeat_nothing() {
    const PEOPLE: usize = 25;
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let mut people = Vec::new();
        for number in 0..PEOPLE {
            let email = format!("{number}@example.org");
            let added = store.write(move |db| users::add(db, &email, None, Role::Member, NOON));
            people.push(added.await.unwrap().unwrap().id);
        }
        // Each user subscribes to the same new feed while fetches of it ingest shared items and one
        // new item each. In any order, every user ends up with every item unread, once.
        let mut tasks = tokio::task::JoinSet::new();
        for (number, user) in people.into_iter().enumerate() {
            let follower = store.clone();
            tasks.spawn(async move {
                let followed = follower.write(move |db| {
                    let feed = feeds::add(db, &new_feed("busy"), FailurePolicy::Patient, NOON)?.id;
                    follow(db, user, feed)?;
                    items::fan_out_on_follow(db, user, feed)
                });
                followed.await
            });
            let crawler = store.clone();
            tasks.spawn(async move {
                let fetched = [
                    item(&format!("own {number}"), "x"),
                    item("shared", "x"),
                    item("also shared", "x"),
                ];
                let taken = crawler.write(move |db| {
                    let feed = feeds::add(db, &new_feed("busy"), FailurePolicy::Patient, NOON)?.id;
                    ingest::ingest(db, feed, &fetched, CLEANING, NOON).map(drop)
                });
                taken.await
            });
        }
        for outcome in tasks.join_all().await {
            outcome.unwrap();
        }
        let everything = PEOPLE as i64 + 2;
        for (sql, expected) in [
            ("SELECT COUNT(*) FROM feed", 1),
            ("SELECT COUNT(*) FROM item", everything),
            ("SELECT COUNT(*) FROM item_body", everything),
            ("SELECT COUNT(*) FROM subscription", PEOPLE as i64),
            ("SELECT COUNT(*) FROM unread", everything * PEOPLE as i64),
        ] {
            assert_eq!(number(&kept.place, sql), expected, "{sql}");
        }
    })
    .await;
}

#[tokio::test]
async fn leaving_while_items_come_in_fails_neither() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let feed = super::feed(store, "feed").await;
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..20_u64 {
            let email = format!("{number}@example.org");
            let added = store.write(move |db| {
                let user = users::add(db, &email, None, Role::Member, NOON)?.unwrap();
                follow(db, user.id, feed)?;
                Ok(user.id)
            });
            let user = added.await.unwrap();
            let (leaver, crawler) = (store.clone(), store.clone());
            tasks.spawn(async move { leaver.write(move |db| users::delete(db, user)).await });
            tasks.spawn(async move {
                let fetched = [item(&number.to_string(), "x")];
                let now = minutes_after_noon(number);
                let taken =
                    crawler.write(move |db| ingest::ingest(db, feed, &fetched, CLEANING, now));
                taken.await.map(drop)
            });
        }
        for outcome in tasks.join_all().await {
            outcome.unwrap();
        }
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM item"), 20);
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM unread"), 0);
    })
    .await;
}

/// A PostgreSQL store whose connections have an additional option.
fn postgres_with(option: &str) -> (TestStore, Store) {
    let kept = TestStore::open(Engine::Postgres);
    let DatabaseLocation::Server(url) = &kept.place else {
        unreachable!("a server was asked for")
    };
    let place = DatabaseLocation::Server(Secret::new(format!("{}{option}", url.reveal())));
    let store = open(&place).unwrap();
    (kept, store)
}

#[tokio::test]
async fn writers_that_stand_in_each_others_way_on_postgresql_both_get_through() {
    // Appended to the option for the search path; makes the server detect deadlocks early.
    let (_kept, store) = postgres_with("%20-c%20deadlock_timeout%3D10ms");
    let ada = person(&store, "ada@example.org").await;
    let ben = person(&store, "ben@example.org").await;
    let (barrier, tries) = (Arc::new(Barrier::new(2)), Arc::new(AtomicUsize::new(0)));
    let crossing = |first: UserId, second: UserId, hash: &'static str| {
        let (barrier, tries) = (Arc::clone(&barrier), Arc::clone(&tries));
        let mut has_met = false;
        store.write(move |db| {
            tries.fetch_add(1, Ordering::SeqCst);
            users::rehash(db, first, hash)?;
            if !std::mem::replace(&mut has_met, true) {
                barrier.wait();
            }
            users::rehash(db, second, hash)
        })
    };
    let (one, other) = tokio::join!(crossing(ada, ben, "one"), crossing(ben, ada, "other"));
    one.unwrap();
    other.unwrap();
    // On a busy machine the server may abort both.
    assert!(tries.load(Ordering::SeqCst) > 2, "one of them ran again");
    let hash = |user| store.read(move |db| users::password_hash(db, user));
    assert_eq!(hash(ada).await.unwrap(), hash(ben).await.unwrap());
    store.close();
}

/// Terminates every connection with this application name and returns their number.
fn cut_off(place: &DatabaseLocation, name: &str) -> usize {
    rows(
        place,
        &format!(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
             WHERE application_name = '{name}' AND pid <> pg_backend_pid()"
        ),
    )
    .len()
}

#[tokio::test]
async fn a_lost_connection_is_replaced_without_an_error() {
    let (kept, store) = postgres_with("&application_name=cut_off_idle");
    // Concurrent, so that every thread has its connection.
    let everywhere = async |round: &str| {
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..12 {
            let (reader, writer) = (store.clone(), store.clone());
            let key = format!("{round} {number}");
            tasks.spawn(async move { reader.read(users::count).await.map(drop) });
            tasks.spawn(async move {
                let put = writer.write(move |db| settings::put_if_absent(db, &key, "x"));
                put.await.map(drop)
            });
        }
        for outcome in tasks.join_all().await {
            outcome.unwrap();
        }
    };
    everywhere("before").await;
    assert!(cut_off(&kept.place, "cut_off_idle") > 1);
    everywhere("after").await;
    assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM setting"), 24);

    // In the middle of a transaction, whose first half must not be applied twice.
    let place = kept.place.clone();
    let mut tries = 0;
    let changed = store.write(move |db| {
        tries += 1;
        assert!(settings::put_if_absent(db, "first half", "x")?);
        if tries == 1 {
            cut_off(&place, "cut_off_idle");
        }
        assert!(settings::put_if_absent(db, "second half", "x")?);
        Ok(tries)
    });
    assert_eq!(changed.await.unwrap(), 2);
    store.close();
}
