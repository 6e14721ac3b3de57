//! Sweeps: more than one step of them, what came since, and putting it all back.

use std::collections::BTreeSet;

use lede_model::ids::{FeedId, ItemId, SweepId, UserId};
use lede_model::item::{ItemFilter, Scope};
use lede_model::mark::MarkChange;
use lede_model::time::Timestamp;
use lede_store::sweeps::{self, Bound};
use lede_store::{Store, marks};
use lede_testkit::{TestStore, on_each_store};

use super::{NOON, followed, item, list, minutes_after_noon, number, person, rows, take_in};

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
        let step = store.write(move |db| sweeps::step(db, user, id, bound, &progress));
        let (some, rest) = step.await.unwrap();
        removed += some;
        steps += 1;
        left = rest;
    }
    (id, removed, steps)
}

async fn put_back(store: &Store, user: UserId, sweep: SweepId) -> usize {
    let (mut restored, mut has_more) = (0, true);
    while has_more {
        let step = store.write(move |db| sweeps::step_back(db, user, sweep, NOON));
        let some;
        (some, has_more) = step.await.unwrap();
        restored += some;
    }
    restored
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
