//! Imports of subscription lists in the store: concurrent workers, interruptions, and removal of old imports.

use lede_model::ids::{CategoryId, ImportId, UserId};
use lede_model::import::{ImportDetails, ImportEntry};
use lede_model::schedule::FailurePolicy;
use lede_store::follow::Follower;
use lede_store::{Store, imports, subscriptions};
use lede_testkit::{TestStore, on_each_store};

use super::{NOON, new_feed, number, person, rows};

fn entry(name: &str, category: Option<i64>) -> ImportEntry {
    ImportEntry {
        url: new_feed(name).url.into_string(),
        title: None,
        details: ImportDetails {
            category: category.map(CategoryId::from),
            ..ImportDetails::default()
        },
        settled: None,
    }
}

async fn begin(store: &Store, user: UserId, entries: Vec<ImportEntry>) -> ImportId {
    let begun = store.write(move |db| {
        let import = imports::begin(db, user, NOON)?;
        imports::add_entries(db, import, &entries, 0)?;
        imports::open(db, import, NOON)?;
        Ok(import)
    });
    begun.await.unwrap()
}

async fn process(store: &Store, user: UserId, import: ImportId) {
    let mut next = Some(0);
    while let Some(place) = next {
        let worked = store.write(move |db| {
            let follower = Follower {
                user,
                may_add_feeds: true,
                max_subscriptions: 1000,
                policy: FailurePolicy::Patient,
                icons_after: imports::ICONS_AFTER,
            };
            imports::process_next(db, follower, import, place, NOON)
        });
        next = worked.await.unwrap();
    }
}

#[tokio::test]
async fn two_who_work_on_a_list_at_once_do_it_once() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let ada = person(store, "ada@example.org").await;
        let ben = person(store, "ben@example.org").await;
        let entries = |order: &mut dyn Iterator<Item = i32>| -> Vec<ImportEntry> {
            order.map(|n| entry(&n.to_string(), None)).collect()
        };
        let hers = begin(store, ada, entries(&mut (0..350))).await;
        let his = begin(store, ben, entries(&mut (0..350).rev())).await;
        tokio::join!(
            process(store, ada, hers),
            process(store, ada, hers),
            process(store, ben, his),
        );
        for (user, import) in [(ada, hers), (ben, his)] {
            let progress = store.read(move |db| imports::progress(db, user, import));
            let progress = progress.await.unwrap().expect("it is theirs");
            assert!(progress.is_finished);
            assert_eq!((progress.total, progress.added), (350, 350));
            let count = store.read(move |db| subscriptions::count(db, user));
            assert_eq!(count.await.unwrap(), 350);
        }
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM feed"), 350);
        let jobs = "SELECT kind, COUNT(*) FROM job GROUP BY kind";
        assert_eq!(rows(&kept.place, jobs), ["icon|350"]);
    })
    .await;
}

#[tokio::test]
async fn a_category_that_is_gone_meanwhile_costs_no_feed() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let ada = person(store, "ada@example.org").await;
        let import = begin(store, ada, vec![entry("a", Some(1_000_000))]).await;
        process(store, ada, import).await;
        let found = store.read(move |db| subscriptions::of_user(db, ada));
        let found = found.await.unwrap();
        assert_eq!((found.len(), found[0].category), (1, None));
    })
    .await;
}

#[tokio::test]
async fn the_last_few_lists_are_remembered_and_those_under_way() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let ada = person(store, "ada@example.org").await;
        let under_way = begin(store, ada, vec![entry("waits", None)]).await;
        for number in 0..8 {
            let import = begin(store, ada, vec![entry(&number.to_string(), None)]).await;
            process(store, ada, import).await;
            let long_ago = "UPDATE import SET finished_at = 0 WHERE finished_at > 0 RETURNING id";
            assert_eq!(rows(&kept.place, long_ago).len(), 1);
        }
        // The latest import, the five before it, and the unfinished one.
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM import"), 7);
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM import_entry"), 7);
        let waits = store.read(move |db| imports::owner(db, under_way));
        assert_eq!(waits.await.unwrap(), Some(ada));
    })
    .await;
}
