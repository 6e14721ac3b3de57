//! Data of the admin pages: feeds, counts, sessions and accounts.

use std::time::Duration;

use lede_model::feed::NewFeed;
use lede_model::feed_error::FeedError;
use lede_model::job::JobKind;
use lede_model::schedule::{FailurePolicy, ScheduleReason};
use lede_model::user::Role;
use lede_store::admin_queries::{self, FeedFilter};
use lede_store::jobs::{self, NewJob};
use lede_store::{feeds, sessions, subscriptions, users};
use lede_testkit::{TestStore, on_each_store};

use super::{NOON, follow, ingest_items, item, minutes_after_noon, new_feed, person, rows};

const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test]
async fn a_feed_is_listed_though_another_version_wrote_its_error() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let ada = person(store, "ada@example.org").await;
        for (name, error) in [
            ("slow.xml", r#"{"code":"slow_body"}"#),
            ("later.xml", r#"{"code":"from_a_later_version","x":[1]}"#),
            ("earlier.xml", "the server sends too slowly"),
        ] {
            let new = new_feed(name);
            let added = store.write(move |db| {
                let feed = feeds::add(db, &new, FailurePolicy::Patient, NOON)?;
                follow(db, ada, feed.id)?;
                Ok(feed.id)
            });
            let id = added.await.unwrap();
            let set = format!("last_error = '{error}', next_fetch_why = '{error}'");
            rows(
                &kept.place,
                &format!("UPDATE feed SET {set} WHERE id = {id}"),
            );
        }
        let listed = store.read(|db| admin_queries::feeds(db, FeedFilter::All, "", None, 10));
        let listed = listed.await.unwrap().into_iter();
        let listed: Vec<_> = listed
            .map(|feed| (feed.last_error, feed.next_fetch_why))
            .collect();
        let unknown = (Some(FeedError::Unknown), Some(ScheduleReason::Unknown));
        let slow = (Some(FeedError::SlowBody), Some(ScheduleReason::Unknown));
        assert_eq!(listed, [unknown.clone(), unknown, slow]);
        let followed = store.read(move |db| subscriptions::of_user(db, ada));
        assert_eq!(followed.await.unwrap().len(), 3);
    })
    .await;
}

#[tokio::test]
async fn feeds_are_found_by_title_address_and_state_and_come_in_pages() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let ada = person(store, "ada@example.org").await;
        let names = ["Daily_News", "Émile 100%", "weekly", "gone"];
        let mut ids = Vec::new();
        for (place, title) in names.into_iter().enumerate() {
            let new = NewFeed {
                title: title.to_owned(),
                ..new_feed(&format!("feed-{place}.xml"))
            };
            let added = store.write(move |db| feeds::add(db, &new, FailurePolicy::Patient, NOON));
            ids.push(added.await.unwrap().id);
        }
        let (first, gone) = (ids[0], ids[3]);
        store
            .write(move |db| {
                follow(db, ada, first)?;
                admin_queries::set_enabled(db, first, false)
            })
            .await
            .unwrap();
        rows(
            &kept.place,
            &format!("UPDATE feed SET status = 'stopped' WHERE id = {gone}"),
        );
        let titles = async |filter: FeedFilter, words: &'static str| {
            let found = store.read(move |db| admin_queries::feeds(db, filter, words, None, 10));
            let found = found.await.unwrap();
            found
                .into_iter()
                .map(|listed| listed.feed.title)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            titles(FeedFilter::All, "").await,
            ["gone", "weekly", "Émile 100%", "Daily_News"]
        );
        for (words, expected) in [
            ("daily", "Daily_News"),
            ("Y_N", "Daily_News"),
            ("Émile", "Émile 100%"),
            ("0%", "Émile 100%"),
            ("EXAMPLE/feed-2", "weekly"),
        ] {
            assert_eq!(titles(FeedFilter::All, words).await, [expected], "{words}");
        }
        assert!(titles(FeedFilter::All, "nothing\\").await.is_empty());
        assert_eq!(titles(FeedFilter::Disabled, "").await, ["Daily_News"]);
        assert_eq!(titles(FeedFilter::Stopped, "").await, ["gone"]);
        assert_eq!(titles(FeedFilter::FeedError, "").await, ["gone"]);
        assert_eq!(
            titles(FeedFilter::Active, "").await,
            ["weekly", "Émile 100%"]
        );

        let page = store
            .read(move |db| admin_queries::feeds(db, FeedFilter::All, "", Some(ids[2]), 1))
            .await
            .unwrap();
        assert_eq!(page[0].feed.title, "Émile 100%");
        let followed = store.read(move |db| admin_queries::feed(db, first)).await;
        let followed = followed.unwrap().unwrap();
        assert_eq!((followed.followers, followed.enabled), (1, false));
        let absent = store.write(move |db| admin_queries::set_enabled(db, 1_000_000.into(), true));
        assert!(!absent.await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn everything_is_counted_and_each_day_has_its_items() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (_, daily) = super::followed(store).await;
        ingest_items(store, daily, vec![item("a", "x"), item("b", "x")], NOON).await;
        ingest_items(store, daily, vec![item("c", "x")], NOON - DAY).await;
        ingest_items(store, daily, vec![item("old", "x")], NOON - DAY * 3).await;
        store
            .write(move |db| {
                let icon = NewJob::new(JobKind::Icon, daily.as_i64(), NOON);
                jobs::enqueue(db, &icon, NOON)?;
                let other = NewJob::new(JobKind::Icon, 99, minutes_after_noon(5));
                jobs::enqueue(db, &other, NOON)?;
                let later = NewJob::new(JobKind::Import, 1, minutes_after_noon(60));
                jobs::enqueue(db, &later, NOON)
            })
            .await
            .unwrap();
        let (counts, waiting, days) = store
            .read(move |db| {
                let now = minutes_after_noon(10);
                Ok((
                    admin_queries::counts(db, now)?,
                    jobs::status(db, now)?,
                    admin_queries::items_by_day(db, now, 3)?,
                ))
            })
            .await
            .unwrap();
        assert_eq!(
            (counts.accounts, counts.feeds, counts.subscriptions),
            (1, 1, 1)
        );
        assert_eq!((counts.failing, counts.stopped, counts.disabled), (0, 0, 0));
        let of = |kind| waiting.iter().find(|status| status.kind == kind).unwrap();
        let icons = of(JobKind::Icon);
        assert_eq!((icons.waiting, icons.oldest_at), (2, Some(NOON)));
        let imports = of(JobKind::Import);
        assert_eq!((imports.waiting, imports.scheduled), (0, 1));
        assert_eq!((imports.oldest_at, imports.failed), (None, 0));
        let items: Vec<i64> = days.iter().map(|(_, items)| *items).collect();
        assert_eq!(items, [0, 1, 2], "the day before yesterday has none");
        assert!(days[2].0 < NOON && NOON - DAY < days[2].0);
    })
    .await;
}

#[tokio::test]
async fn sessions_of_one_user_are_listed_and_ended() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let ada = person(store, "ada@example.org").await;
        let ben = person(store, "ben@example.org").await;
        store
            .write(move |db| {
                sessions::add(db, &[1; 32], ada, "csrf", NOON - DAY)?;
                sessions::add(db, &[2; 32], ada, "csrf", NOON)?;
                sessions::add(db, &[3; 32], ada, "csrf", NOON - DAY * 30)?;
                sessions::add(db, &[4; 32], ben, "csrf", NOON)
            })
            .await
            .unwrap();
        let listed = async |user| {
            let (used_after, begun_after) = (NOON - DAY * 14, NOON - DAY * 90);
            let found = store
                .read(move |db| sessions::of_user(db, user, used_after, begun_after))
                .await
                .unwrap();
            found
                .iter()
                .map(|session| session.id_hash[0])
                .collect::<Vec<_>>()
        };
        assert_eq!(listed(ada).await, [2, 1], "one has ended by itself");
        let foreign = store.write(move |db| sessions::delete_of(db, ada, &[4; 32]));
        assert!(!foreign.await.unwrap());
        let others = store.write(move |db| sessions::delete_others_of(db, ada, &[1; 32]));
        assert_eq!(others.await.unwrap(), 2);
        assert_eq!(listed(ada).await, [1]);
        let own = store.write(move |db| sessions::delete_of(db, ada, &[1; 32]));
        assert!(own.await.unwrap());
        assert_eq!(listed(ben).await, [4]);
    })
    .await;
}

#[tokio::test]
async fn accounts_come_in_pages_with_what_they_have() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, _) = super::followed(store).await;
        store
            .write(move |db| {
                users::add(db, "ben@example.org", None, Role::Viewer, NOON)?;
                sessions::add(db, &[1; 32], ada, "csrf", minutes_after_noon(3))
            })
            .await
            .unwrap();
        let first = store.read(|db| users::page(db, 0, 1)).await.unwrap();
        assert_eq!(first.len(), 1);
        assert_eq!((first[0].feeds, first[0].has_password), (1, true));
        assert_eq!(first[0].seen_at, Some(minutes_after_noon(3)));
        let after = first[0].user.id.as_i64();
        let rest = store.read(move |db| users::page(db, after, 10)).await;
        let rest = rest.unwrap();
        assert_eq!(rest[0].user.email, "ben@example.org");
        assert_eq!((rest[0].has_password, rest[0].seen_at), (false, None));
        let number = rest[0].user.id.as_i64();
        let found = store.read(move |db| users::find_numbered(db, number)).await;
        assert_eq!(found.unwrap().unwrap().role, Role::Viewer);
    })
    .await;
}
