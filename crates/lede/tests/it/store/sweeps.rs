//! Sweeps: more than one step of them, what came since, and putting it all back.

use std::collections::BTreeSet;

use lede_model::ids::{FeedId, ItemId, SweepId, UserId};
use lede_model::item::{ItemFilter, List, Scope, Start};
use lede_model::mark::MarkChange;
use lede_model::time::Timestamp;
use lede_store::sweeps::{self, Bound};
use lede_store::{Store, lists, marks, subscriptions};
use lede_testkit::{TestStore, on_each_store};

use super::{
    NOON, feed, follow, followed, item, list, minutes_after_noon, number, person, rows, take_in,
};

/// All that there is.
fn everything() -> Bound {
    Bound {
        newest: ItemId::from(i64::MAX),
        before: Timestamp::from_ms(i64::MAX),
    }
}

/// Sweeps everything; its number and how many items it removed in how many steps.
async fn sweep(store: &Store, user: UserId, bound: Bound) -> (SweepId, usize, usize) {
    sweep_of(store, user, Scope::Everything, bound).await
}

async fn sweep_of(
    store: &Store,
    user: UserId,
    scope: Scope,
    bound: Bound,
) -> (SweepId, usize, usize) {
    let begun = store.write(move |db| sweeps::begin(db, user, scope, NOON, NOON));
    let (id, progress) = begun.await.unwrap();
    let (mut removed, mut steps, mut left) = (0, 0, Some(progress));
    while let Some(progress) = left {
        let step = store.write(move |db| sweeps::step(db, user, id, bound, &progress, 5_000));
        let (some, rest) = step.await.unwrap();
        removed += some;
        steps += 1;
        left = rest;
    }
    (id, removed, steps)
}

async fn put_back(store: &Store, user: UserId, sweep: SweepId) -> usize {
    put_back_in_steps(store, user, sweep, 2_000).await.0
}

/// The same in steps of so many items; how many steps. After each, what is counted is what is listed.
async fn put_back_in_steps(
    store: &Store,
    user: UserId,
    sweep: SweepId,
    most: usize,
) -> (usize, usize) {
    let (mut restored, mut steps, mut has_more) = (0, 0, true);
    while has_more {
        let step = store.write(move |db| sweeps::step_back(db, user, sweep, NOON, most));
        let some;
        (some, has_more) = step.await.unwrap();
        restored += some;
        steps += 1;
        check_count(store, user).await;
    }
    (restored, steps)
}

async fn check_count(store: &Store, user: UserId) {
    let unread = ItemFilter::Unread;
    let counted = store.read(move |db| {
        let list = List {
            filter: unread,
            ..List::default()
        };
        let listed = lists::page(db, user, list, Start::FIRST, 20_000)?.len();
        Ok((
            listed as i64,
            lists::count(db, user, Scope::Everything, unread)?,
        ))
    });
    let (listed, counted) = counted.await.unwrap();
    assert_eq!(listed, counted);
}

async fn unread(store: &Store, user: UserId) -> BTreeSet<ItemId> {
    let page = list(store, user, ItemFilter::Unread).await;
    page.iter().map(|item| item.id).collect()
}

#[tokio::test]
async fn a_sweep_of_many_items_is_put_back_whole() {
    on_each_store(async |kept: TestStore| {
        swept_and_put_back(&kept, |_| Scope::Everything, 1).await
    })
    .await;
}

#[tokio::test]
async fn a_sweep_of_a_large_feed_goes_in_steps_and_is_put_back_whole() {
    on_each_store(async |kept: TestStore| swept_and_put_back(&kept, Scope::Feed, 3).await).await;
}

/// Sweeps 12,000 rows and one, which takes so many steps, while somebody else has some too.
async fn swept_and_put_back(kept: &TestStore, scope: impl Fn(FeedId) -> Scope, in_steps: usize) {
    let store = &kept.store;
    let (user, feed) = followed(store).await;
    let other = person(store, "eve@example.org").await;
    take_in(store, feed, vec![item("0", "x")], NOON).await;
    // Far more than one step, made by the database itself.
    let sql = format!(
        "INSERT INTO item (feed_id, identity_key, title, excerpt, lede, first_seen_at, sort_at, content_hash)
         SELECT {feed}, 'k' || n, 't', '', '', 0, n % 1000, ''
         FROM (WITH RECURSIVE up (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 12000) SELECT n FROM up) numbers"
    );
    rows(&kept.place, &sql);
    let sql = format!(
        "INSERT INTO unread (user_id, feed_id, sort_at, item_id)
         SELECT {user}, feed_id, sort_at, id FROM item WHERE title = 't'"
    );
    rows(&kept.place, &sql);
    let sql = format!(
        "INSERT INTO unread (user_id, feed_id, sort_at, item_id)
         SELECT {other}, feed_id, sort_at, id FROM item WHERE title = 't' ORDER BY id LIMIT 3000"
    );
    rows(&kept.place, &sql);
    let sql = "UPDATE subscription SET unread = (SELECT COUNT(*) FROM unread u
               WHERE u.user_id = subscription.user_id AND u.feed_id = subscription.feed_id)";
    rows(&kept.place, sql);
    let count = |whose| {
        let sql = format!(
            "SELECT COUNT(*) FROM unread u JOIN account a ON a.id = u.user_id AND a.round = u.round
             WHERE a.id = {whose}"
        );
        number(&kept.place, &sql)
    };
    let left = || count(user);
    assert_eq!(left(), 12_001);
    let (id, removed, steps) = sweep_of(store, user, scope(feed), everything()).await;
    assert_eq!((removed, left()), (12_001, 0));
    assert_eq!(steps, in_steps);
    assert_eq!(count(other), 3000);
    // In the time to come back, one is read by itself and one is removed.
    let one = list(store, user, ItemFilter::All).await[0].id;
    let read = MarkChange {
        read: Some(true),
        starred: None,
    };
    let set = store.write(move |db| marks::set(db, user, one, read, minutes_after_noon(1)));
    set.await.unwrap();
    rows(&kept.place, "DELETE FROM item WHERE identity_key = 'k7'");
    assert_eq!(put_back(store, user, id).await, 11_999);
    assert_eq!(left(), 11_999);
    // It is forgotten with the last of it.
    let again = store.read(move |db| sweeps::swept_at(db, user, id));
    assert_eq!(again.await.unwrap(), None);
    assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM sweep_part"), 0);
}

#[tokio::test]
async fn what_the_person_had_not_seen_stays_unread() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        for (guid, minutes) in [("1", 0), ("2", 5), ("3", 10)] {
            take_in(
                store,
                feed,
                vec![item(guid, "x")],
                minutes_after_noon(minutes),
            )
            .await;
        }
        let all = list(store, user, ItemFilter::Unread).await;
        let (newest, older) = (all[0].id, all[1].id);
        let bound = Bound {
            newest: older,
            ..everything()
        };
        assert_eq!(sweep(store, user, bound).await.1, 2);
        assert_eq!(unread(store, user).await, BTreeSet::from([newest]));
        let bound = Bound {
            before: minutes_after_noon(9),
            ..everything()
        };
        assert_eq!(sweep(store, user, bound).await.1, 0);
        assert_eq!(sweep(store, user, everything()).await.1, 1);
    })
    .await;
}

#[tokio::test]
async fn a_sweep_is_of_nobody_else() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        let eve = person(store, "eve@example.org").await;
        let followed = store.write(move |db| super::follow(db, eve, feed));
        followed.await.unwrap();
        take_in(store, feed, vec![item("1", "x"), item("2", "x")], NOON).await;
        let (id, removed, _) = sweep(store, ada, everything()).await;
        assert_eq!(removed, 2);
        assert_eq!(unread(store, eve).await.len(), 2);
        // Nor is it undone by anybody else.
        let seen = store.read(move |db| sweeps::swept_at(db, eve, id));
        assert_eq!(seen.await.unwrap(), None);
        assert_eq!(put_back(store, eve, id).await, 0);
        assert_eq!(put_back(store, ada, id).await, 2);
    })
    .await;
}

/// The items with these titles that `user` has, in any order.
async fn named(store: &Store, user: UserId, guids: &[&str]) -> BTreeSet<ItemId> {
    let all = list(store, user, ItemFilter::All).await;
    let is_named = |title: &str| guids.iter().any(|guid| title == format!("Title of {guid}"));
    let named = all.iter().filter(|item| is_named(&item.title));
    named.map(|item| item.id).collect()
}

async fn set_read(store: &Store, user: UserId, guid: &str, is_read: bool) {
    for item in named(store, user, &[guid]).await {
        let change = MarkChange {
            read: Some(is_read),
            starred: None,
        };
        let set = store.write(move |db| marks::set(db, user, item, change, NOON));
        set.await.unwrap();
    }
}

#[tokio::test]
async fn what_happened_since_everything_was_marked_read_is_not_undone_with_it() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed_id) = followed(store).await;
        let other = feed(store, "other").await;
        store
            .write(move |db| follow(db, user, other))
            .await
            .unwrap();
        let new = ["a", "b", "c", "d"].map(|guid| item(guid, "x"));
        take_in(store, feed_id, new.to_vec(), NOON).await;
        take_in(store, other, vec![item("left", "x")], NOON).await;
        set_read(store, user, "a", true).await;
        let (id, removed, steps) = sweep(store, user, everything()).await;
        assert_eq!((removed, steps), (4, 1));
        assert_eq!(unread(store, user).await, BTreeSet::new());

        // One is read by itself, one is read and then not, one comes, and a feed is left.
        set_read(store, user, "b", true).await;
        set_read(store, user, "c", true).await;
        set_read(store, user, "c", false).await;
        take_in(store, feed_id, vec![item("e", "x")], NOON).await;
        let left = store.write(move |db| subscriptions::remove(db, user, other, NOON));
        assert!(left.await.unwrap());
        assert_eq!(put_back_in_steps(store, user, id, 1).await, (1, 1));
        let expected = named(store, user, &["c", "d", "e"]).await;
        assert_eq!((expected.len(), unread(store, user).await), (3, expected));
        assert_eq!(put_back(store, user, id).await, 0, "once is enough");
        check_count(store, user).await;
    })
    .await;
}

#[tokio::test]
async fn sweeps_of_everything_are_undone_in_any_order() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        for first_is_first in [true, false] {
            let mut swept = Vec::new();
            for guids in [["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i"]] {
                let names = guids.map(|guid| format!("{guid} {first_is_first}"));
                let new = names.iter().map(|guid| item(guid, "x")).collect();
                take_in(store, feed, new, NOON).await;
                let (id, removed, _) = sweep(store, user, everything()).await;
                assert!(removed >= 3);
                swept.push((id, removed));
            }
            // The last one goes back at a stroke, one with others after it in steps.
            let ways = match first_is_first {
                true => [(0, 2), (2, 1), (1, 1)],
                false => [(2, 1), (1, 1), (0, 1)],
            };
            let mut all = 0;
            for (place, in_steps) in ways {
                let (id, removed) = swept[place];
                let (restored, steps) = put_back_in_steps(store, user, id, 2).await;
                assert_eq!((restored, steps.min(2)), (removed, in_steps), "{place}");
                all += removed;
                assert_eq!(unread(store, user).await.len(), all);
            }
        }
        assert_eq!(unread(store, user).await.len(), 18);
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM unread"), 18);
    })
    .await;
}

#[tokio::test]
async fn what_a_later_sweep_marked_read_is_not_undone_with_an_earlier_one() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        let guids = ["a", "b", "c", "d", "e"];
        let new = guids.map(|guid| item(guid, "x"));
        take_in(store, feed, new.to_vec(), NOON).await;
        let (all, of_feed) = (Scope::Everything, Scope::Feed(feed));
        for (first, second) in [
            (all, all),
            (all, of_feed),
            (of_feed, all),
            (of_feed, of_feed),
        ] {
            for first_is_first in [true, false] {
                let (earlier, removed, _) = sweep_of(store, user, first, everything()).await;
                assert_eq!(removed, 5, "{first:?} {second:?}");
                set_read(store, user, "b", false).await;
                set_read(store, user, "d", false).await;
                let (later, removed, _) = sweep_of(store, user, second, everything()).await;
                assert_eq!(removed, 2);
                if first_is_first {
                    assert_eq!(put_back_in_steps(store, user, earlier, 2).await.0, 3);
                    let expected = named(store, user, &["a", "c", "e"]).await;
                    assert_eq!(unread(store, user).await, expected, "{first:?} {second:?}");
                    assert_eq!(put_back(store, user, later).await, 2);
                } else {
                    assert_eq!(put_back(store, user, later).await, 2);
                    let expected = named(store, user, &["b", "d"]).await;
                    assert_eq!(unread(store, user).await, expected, "{first:?} {second:?}");
                    assert_eq!(put_back(store, user, earlier).await, 3);
                }
                assert_eq!(unread(store, user).await.len(), 5);
            }
        }
    })
    .await;
}
