//! Merging two feeds: no user loses an item, a mark or a setting.

use std::collections::BTreeSet;

use lede_model::address::WebUrl;
use lede_model::feed_error::FeedError;
use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::item::{ItemFilter, Scope};
use lede_model::mark::MarkChange;
use lede_model::schedule::ScheduleReason;
use lede_model::time::Timestamp;
use lede_store::ingest::NewItem;
use lede_store::takeout::ItemMarks;
use lede_store::{
    Store, access, feeds, ingest, leases, marks, merge, pending_marks, subscriptions,
};
use lede_testkit::{TestStore, on_each_store};

use super::{
    CLEANING, NOON, feed, follow, item, list, list_of, minutes_after_noon, new_feed, number,
    person, rows,
};

const READ: MarkChange = MarkChange {
    read: Some(true),
    starred: None,
};
const STARRED: MarkChange = MarkChange {
    read: None,
    starred: Some(true),
};

/// An item with its own link.
fn at_path(guid: &str, path: &str) -> NewItem {
    let mut new = item(guid, guid);
    new.item.url = WebUrl::parse(&format!("https://site.example/{path}")).ok();
    new
}

async fn ingest_items(store: &Store, feed: FeedId, fetched: Vec<NewItem>, now: Timestamp) {
    let taken = store.write(move |db| ingest::ingest(db, feed, &fetched, CLEANING, now));
    taken.await.unwrap();
}

/// Subscribes all these users to `feed`.
async fn follow_all(store: &Store, feed: FeedId, people: &[UserId]) {
    let people = people.to_vec();
    let followed =
        store.write(move |db| people.iter().try_for_each(|user| follow(db, *user, feed)));
    followed.await.unwrap();
}

/// The item of `feed` with this title, as `user` sees it.
async fn item_of(store: &Store, user: UserId, feed: FeedId, title: &'static str) -> ItemId {
    let page = list_of(store, user, Scope::Feed(feed), ItemFilter::All).await;
    let title = format!("Title of {title}");
    page.iter().find(|item| item.title == title).unwrap().id
}

async fn mark(store: &Store, user: UserId, feed: FeedId, title: &'static str, change: MarkChange) {
    let item = item_of(store, user, feed, title).await;
    let set = store.write(move |db| marks::set(db, user, item, change, NOON));
    set.await.unwrap().expect("it is theirs");
}

/// The titles that `user` has under `filter`, without their common prefix.
async fn seen(store: &Store, user: UserId, filter: ItemFilter) -> BTreeSet<String> {
    let page = list(store, user, filter).await;
    let titles: BTreeSet<String> = page
        .iter()
        .map(|item| item.title.replace("Title of ", ""))
        .collect();
    assert_eq!(titles.len(), page.len(), "no item is listed twice");
    titles
}

fn set(titles: &[&str]) -> BTreeSet<String> {
    titles.iter().map(|title| (*title).to_owned()).collect()
}

async fn merged(store: &Store, gone: FeedId, name: &'static str) -> bool {
    let merged = store.write(move |db| {
        let kept = feeds::find_by_url(db, &new_feed(name).url)?.expect("the feed is there");
        merge::merge(db, gone, &kept, NOON)
    });
    merged.await.unwrap()
}

#[tokio::test]
async fn everybody_has_afterwards_what_they_had_before_and_nothing_twice() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (old, new) = (feed(store, "old").await, feed(store, "new").await);
        let ada = person(store, "ada@example.org").await;
        let ben = person(store, "ben@example.org").await;
        let eve = person(store, "eve@example.org").await;
        // Ada follows the old feed, Ben the new one, Eve both.
        follow_all(store, old, &[ada, eve]).await;
        follow_all(store, new, &[ben, eve]).await;
        let only_old = [at_path("o1", "o1"), at_path("o2", "o2"), at_path("o3", "o3")];
        let by_key = [at_path("k1", "k1"), at_path("k2", "k2"), at_path("k3", "k3")];
        let mut fetched = only_old.to_vec();
        fetched.extend(by_key.clone());
        fetched.extend([at_path("url before 1", "u1"), at_path("url before 2", "u2")]);
        ingest_items(store, old, fetched, NOON).await;
        let mut fetched = by_key.to_vec();
        fetched.extend([at_path("url after 1", "u1"), at_path("url after 2", "u2")]);
        fetched.push(at_path("n1", "n1"));
        ingest_items(store, new, fetched, minutes_after_noon(5)).await;
        // The remaining feed was fetched after the items of the old one were stored.
        store
            .write(move |db| {
                let lease = leases::force_lease(db, new, NOON, NOON)?.expect("it is there");
                let receipt = feeds::Failure {
                    status: lede_model::feed::FeedStatus::Active,
                    fetch_status: "success",
                    error: FeedError::Broken,
                    next_fetch_at: None,
                    why: ScheduleReason::Failed,
                };
                feeds::record_failure(db, new, lease.token, &receipt, minutes_after_noon(5))
            })
            .await
            .unwrap();

        mark(store, ada, old, "o1", READ).await;
        mark(store, ada, old, "o2", STARRED).await;
        mark(store, ada, old, "k1", READ).await;
        mark(store, ada, old, "k2", STARRED).await;
        mark(store, ada, old, "url before 1", READ).await;
        mark(store, ada, old, "url before 2", STARRED).await;
        mark(store, ben, new, "k1", READ).await;
        mark(store, ben, new, "n1", STARRED).await;
        mark(store, eve, old, "k1", READ).await;
        mark(store, eve, new, "k2", READ).await;
        mark(store, eve, old, "k3", STARRED).await;
        mark(store, eve, new, "k3", STARRED).await;
        mark(store, eve, old, "url before 2", READ).await;

        assert!(merged(store, old, "new").await);

        let all = set(&[
            "o1",
            "o2",
            "o3",
            "k1",
            "k2",
            "k3",
            "url after 1",
            "url after 2",
            "n1",
        ]);
        for (who, user, unread, starred) in [
            (
                "Ada",
                ada,
                &["o2", "o3", "k2", "k3", "url after 2"][..],
                &["o2", "k2", "url after 2"][..],
            ),
            (
                "Ben",
                ben,
                &["k2", "k3", "url after 1", "url after 2", "n1"],
                &["n1"],
            ),
            (
                "Eve",
                eve,
                &["o1", "o2", "o3", "k3", "url after 1", "n1"],
                &["k3"],
            ),
        ] {
            assert_eq!(seen(store, user, ItemFilter::All).await, all, "{who}");
            let found = seen(store, user, ItemFilter::Unread).await;
            assert_eq!(found, set(unread), "{who}: unread");
            let found = seen(store, user, ItemFilter::Starred).await;
            assert_eq!(found, set(starred), "{who}: starred");
            let followed = store.read(move |db| subscriptions::of_user(db, user));
            let followed = followed.await.unwrap();
            assert_eq!(followed.len(), 1, "{who}");
            assert_eq!(followed[0].feed.id, new);
            assert_eq!(followed[0].unread, unread.len() as i64, "{who}: counted");
        }
        for (table, count) in [
            ("feed", 1),
            ("item", 9),
            ("item_body", 9),
            ("subscription", 3),
        ] {
            let sql = format!("SELECT COUNT(*) FROM {table}");
            assert_eq!(number(&kept.place, &sql), count, "{table}");
        }
        let loose = "SELECT COUNT(*) FROM unread u WHERE NOT EXISTS (SELECT 1 FROM item i
                         WHERE i.id = u.item_id AND i.feed_id = u.feed_id AND i.sort_at = u.sort_at)";
        assert_eq!(number(&kept.place, loose), 0);
        let loose = "SELECT COUNT(*) FROM mark m WHERE NOT EXISTS (SELECT 1 FROM item i
                         WHERE i.id = m.item_id AND i.sort_at = m.sort_at)";
        assert_eq!(number(&kept.place, loose), 0);
        assert_eq!(
            rows(&kept.place, "SELECT previous_url FROM feed"),
            ["https://site.example/old"]
        );
    })
    .await;
}

#[tokio::test]
async fn items_that_share_an_address_with_several_stay_apart() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (old, new) = (feed(store, "old").await, feed(store, "new").await);
        let ada = person(store, "ada@example.org").await;
        follow_all(store, old, &[ada]).await;
        // A live blog: one link, and an id per entry.
        let live = |guid: &str| at_path(guid, "live");
        ingest_items(store, old, vec![live("3"), live("2"), live("1")], NOON).await;
        ingest_items(store, new, vec![live("4"), live("2")], NOON).await;
        // An item with the same link but the id of another item.
        ingest_items(store, old, vec![at_path("a", "x")], NOON).await;
        ingest_items(store, new, vec![at_path("b", "x"), at_path("a", "y")], NOON).await;
        assert!(merged(store, old, "new").await);
        assert_eq!(
            seen(store, ada, ItemFilter::All).await,
            set(&["1", "2", "3", "4", "a", "b"])
        );
        assert_eq!(
            seen(store, ada, ItemFilter::Unread).await,
            set(&["1", "2", "3", "a"])
        );
    })
    .await;
}

#[tokio::test]
async fn a_merged_item_that_the_other_feed_would_have_delivered_is_new_to_its_subscribers() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (old, new) = (feed(store, "old").await, feed(store, "new").await);
        let ada = person(store, "ada@example.org").await;
        let ben = person(store, "ben@example.org").await;
        follow_all(store, old, &[ada]).await;
        follow_all(store, new, &[ben]).await;
        ingest_items(store, old, vec![at_path("a", "a")], NOON).await;
        assert!(merged(store, old, "new").await);
        for user in [ada, ben] {
            assert_eq!(seen(store, user, ItemFilter::Unread).await, set(&["a"]));
        }
    })
    .await;
}

#[tokio::test]
async fn what_people_chose_and_what_was_removed_moves_along() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (old, new) = (feed(store, "old").await, feed(store, "new").await);
        let ada = person(store, "ada@example.org").await;
        follow_all(store, old, &[ada]).await;
        follow_all(store, new, &[ada]).await;
        ingest_items(store, old, vec![at_path("kept", "kept")], NOON).await;
        for sql in [
            "UPDATE subscription SET title = 'Mine', interval_minutes = 30 WHERE feed_id = (SELECT MIN(id) FROM feed)",
            "UPDATE feed SET status = 'stopped', failures_in_a_row = 9, next_fetch_at = NULL",
            "INSERT INTO rule (user_id, name, enabled, feed_id, mark_read, star, hide, notify, created_at)
             SELECT user_id, 'about the old one', TRUE, feed_id, TRUE, FALSE, FALSE, FALSE, 1
             FROM subscription WHERE feed_id = (SELECT MIN(id) FROM feed)",
            "INSERT INTO tombstone (feed_id, identity_key, removed_at) SELECT MIN(id), 'g:removed', 1 FROM feed",
            "INSERT INTO tombstone (feed_id, identity_key, removed_at) SELECT MAX(id), 'g:kept', 1 FROM feed",
        ] {
            rows(&kept.place, sql);
        }
        assert!(merged(store, old, "new").await);
        let choices = "SELECT title, interval_minutes FROM subscription";
        assert_eq!(rows(&kept.place, choices), ["Mine|30"]);
        assert_eq!(
            rows(&kept.place, "SELECT r.name FROM rule r JOIN subscription s ON s.feed_id = r.feed_id"),
            ["about the old one"]
        );
        let removed = "SELECT identity_key FROM tombstone";
        assert_eq!(rows(&kept.place, removed), ["g:removed"]);
        let plan = format!(
            "SELECT status, failures_in_a_row FROM feed WHERE next_fetch_at = {}",
            NOON.as_ms()
        );
        assert_eq!(rows(&kept.place, &plan), ["active|0"]);
    })
    .await;
}

#[tokio::test]
async fn a_subscriber_of_both_merged_feeds_keeps_one_position_and_its_settings() {
    // Category, position, notifications and pause of the vanishing feed, of the remaining one, and afterwards.
    for (gone, kept_one, after) in [
        ("1, 7, TRUE, NULL", "NULL, 3, FALSE, NULL", "1|7|1|"),
        ("1, 7, FALSE, 5", "2, 3, TRUE, 6", "2|3|1|6"),
        ("NULL, 7, FALSE, NULL", "2, 3, FALSE, 6", "2|3|0|"),
        ("NULL, 7, FALSE, 5", "NULL, 3, FALSE, NULL", "|3|0|"),
    ] {
        on_each_store(async |kept: TestStore| {
            let store = &kept.store;
            let (old, new) = (feed(store, "old").await, feed(store, "new").await);
            let ada = person(store, "ada@example.org").await;
            follow_all(store, old, &[ada]).await;
            follow_all(store, new, &[ada]).await;
            for name in ["1", "2"] {
                rows(
                    &kept.place,
                    &format!(
                        "INSERT INTO category (user_id, name, position, created_at)
                         SELECT id, '{name}', 0, 1 FROM account"
                    ),
                );
            }
            for (feed, values) in [(old, gone), (new, kept_one)] {
                rows(
                    &kept.place,
                    &format!(
                        "UPDATE subscription SET (category_id, position, notify, paused_at) = ({values})
                         WHERE feed_id = {feed}"
                    ),
                );
            }
            assert!(merged(store, old, "new").await);
            let choices = "SELECT category_id, position, CASE WHEN notify THEN 1 ELSE 0 END, paused_at
                           FROM subscription";
            assert_eq!(rows(&kept.place, choices), [after], "{gone} {kept_one}");
        })
        .await;
    }
}

#[tokio::test]
async fn nothing_is_merged_into_a_disabled_feed() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (old, new) = (feed(store, "old").await, feed(store, "new").await);
        rows(
            &kept.place,
            "UPDATE feed SET enabled = FALSE WHERE id = (SELECT MAX(id) FROM feed)",
        );
        assert!(!merged(store, old, "new").await);
        assert!(!merged(store, new, "new").await, "nor itself");
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM feed"), 2);
    })
    .await;
}

/// A failed fetch result.
fn failure() -> feeds::Failure {
    feeds::Failure {
        status: lede_model::feed::FeedStatus::Error,
        fetch_status: "temporary_error",
        error: FeedError::SlowBody,
        next_fetch_at: None,
        why: ScheduleReason::Failed,
    }
}

#[tokio::test]
async fn a_private_feed_is_never_merged_and_has_one_subscriber() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (old, new) = (feed(store, "old").await, feed(store, "new").await);
        let ada = person(store, "ada@example.org").await;
        let eve = person(store, "eve@example.org").await;
        follow_all(store, old, &[ada]).await;
        let leased = store.write(move |db| leases::force_lease(db, old, NOON, minutes_after_noon(10)));
        let lease = leased.await.unwrap().expect("it is there");
        let keep = |user, feed| store.write(move |db| access::set_credentials(db, user, feed, Some(b"sealed")));
        assert!(!keep(eve, old).await.unwrap(), "Ada follows it");
        assert!(keep(ada, old).await.unwrap());
        assert!(!keep(eve, old).await.unwrap(), "Ada keeps it");
        assert!(!merged(store, old, "new").await);
        assert!(!merged(store, new, "old").await);
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM feed"), 2);

        // The same for a subscription that was decided on before the feed became private.
        follow_all(store, new, &[eve]).await;
        follow_all(store, old, &[eve]).await;
        let moved = store.write(move |db| subscriptions::move_to(db, eve, new, old, NOON));
        assert!(!moved.await.unwrap());
        let followers = "SELECT COUNT(*) FROM subscription s JOIN feed f ON f.id = s.feed_id WHERE f.url LIKE '%/old'";
        assert_eq!(number(&kept.place, followers), 1);
        // A fetch that began before is void too.
        let receipt = failure();
        let late =
            store.write(move |db| feeds::record_failure(db, old, lease.token, &receipt, NOON));
        assert!(!late.await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn a_lease_on_the_vanished_feed_is_void() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (old, _new) = (feed(store, "old").await, feed(store, "new").await);
        let leased =
            store.write(move |db| leases::force_lease(db, old, NOON, minutes_after_noon(10)));
        let lease = leased.await.unwrap().expect("it is there");
        assert!(merged(store, old, "new").await);
        let receipt = failure();
        let late =
            store.write(move |db| feeds::record_failure(db, old, lease.token, &receipt, NOON));
        assert!(!late.await.unwrap());
        let again = store.write(move |db| leases::force_lease(db, old, NOON, NOON));
        assert!(again.await.unwrap().is_none());
    })
    .await;
}

#[tokio::test]
async fn what_a_take_out_said_of_the_vanishing_feed_waits_for_the_items_of_the_other() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (old, new) = (feed(store, "old").await, feed(store, "new").await);
        let ada = person(store, "ada@example.org").await;
        let eve = person(store, "eve@example.org").await;
        follow_all(store, old, &[ada, eve]).await;
        follow_all(store, new, &[eve]).await;
        let waited = store.write(move |db| {
            let read = ItemMarks {
                key: "g:a".to_owned(),
                is_read: true,
                read_at: None,
                is_hidden: false,
            };
            for user in [ada, eve] {
                pending_marks::begin(db, user, old, NOON, NOON)?;
                pending_marks::add(db, user, old, std::slice::from_ref(&read))?;
            }
            Ok(())
        });
        waited.await.unwrap();
        assert!(merged(store, old, "new").await);
        ingest_items(store, new, vec![item("a", "x"), item("b", "x")], NOON).await;
        for user in [ada, eve] {
            assert_eq!(seen(store, user, ItemFilter::Unread).await, set(&["b"]));
        }
    })
    .await;
}
