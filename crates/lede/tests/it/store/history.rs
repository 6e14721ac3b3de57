//! The reading history, ordered by the time of reading.

use lede_model::ids::{ItemId, UserId};
use lede_model::item::{ItemFilter, ItemSummary, List, Order, Scope, Start};
use lede_model::mark::MarkChange;
use lede_model::rule::{RuleActions, RuleTerms};
use lede_store::bulk_marks::{self, Bound};
use lede_store::{Store, lists, marks, rules, subscriptions};
use lede_testkit::{TestStore, on_each_store};

use super::{NOON, follow, followed, ingest_items, item, list, minutes_after_noon, person, rows};

const HISTORY: List = List {
    scope: Scope::Everything,
    filter: ItemFilter::Read,
    order: Order::Newest,
};

/// Marks items read or unread, `minute` minutes after noon.
async fn mark(store: &Store, user: UserId, items: &[ItemId], read: bool, minute: u64) {
    let items = items.to_vec();
    let change = MarkChange {
        read: Some(read),
        starred: None,
    };
    let marked = store.write(move |db| {
        for item in &items {
            marks::set(db, user, *item, change, minutes_after_noon(minute))?;
        }
        Ok(())
    });
    marked.await.unwrap();
}

async fn page(store: &Store, user: UserId, start: Start, limit: i64) -> Vec<ItemSummary> {
    let page = store.read(move |db| lists::page(db, user, HISTORY, start, limit));
    page.await.unwrap()
}

/// All items in the history of `user`; the count must agree with the list.
async fn history(store: &Store, user: UserId) -> Vec<ItemId> {
    let found = ids(&list(store, user, ItemFilter::Read).await);
    let counted = store.read(move |db| lists::count(db, user, HISTORY.scope, HISTORY.filter));
    assert_eq!(counted.await.unwrap(), found.len() as i64);
    found
}

fn ids(items: &[ItemSummary]) -> Vec<ItemId> {
    items.iter().map(|item| item.id).collect()
}

#[tokio::test]
async fn the_last_read_is_first_and_no_page_moves_while_marks_change() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        let news = (0..12).map(|n| item(&n.to_string(), "x")).collect();
        ingest_items(store, feed, news, NOON).await;
        let all = ids(&list(store, ada, ItemFilter::All).await);
        // Not sorted by date in either direction, and with two at the same time.
        let mut read: Vec<ItemId> = [3, 0, 7, 5, 1, 6, 2].map(|place| all[place]).to_vec();
        for (minute, some) in (1..).zip(read.chunks(2)) {
            mark(store, ada, some, true, minute).await;
        }
        for some in read.chunks_mut(2) {
            some.sort();
        }
        read.reverse();
        let (first, rest) = read.split_at(3);

        let begun = page(store, ada, Start::FIRST, 3).await;
        assert_eq!(ids(&begun), first);
        let times: Vec<_> = begun.iter().map(|item| item.read_at.unwrap()).collect();
        assert_eq!(times, [4, 3, 3].map(minutes_after_noon));
        assert!(begun.iter().all(|item| item.is_read));

        // A newly read item comes first and the last item of the first page is gone: the next page is unaffected.
        mark(store, ada, &[all[9]], true, 9).await;
        mark(store, ada, &[first[2]], false, 9).await;
        // Reading again does not change the time of the first reading.
        mark(store, ada, &[rest[1]], true, 9).await;
        let after = Start::After(begun[2].position());
        assert_eq!(ids(&page(store, ada, after, 50).await), rest);

        let mut now = vec![all[9], first[0], first[1]];
        now.extend(rest);
        assert_eq!(history(store, ada).await, now);
        assert_eq!(ids(&page(store, ada, Start::Skip(2), 50).await), now[2..]);
    })
    .await;
}

#[tokio::test]
async fn only_what_the_person_read_is_in_it() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        let ben = person(store, "ben@example.org").await;
        store.write(move |db| follow(db, ben, feed)).await.unwrap();
        let boring = RuleTerms {
            query: Some("boring".to_owned()),
            enabled: true,
            actions: RuleActions {
                mark_read: true,
                ..RuleActions::default()
            },
            ..RuleTerms::default()
        };
        let added = store.write(move |db| rules::add(db, ada, &boring, None, NOON));
        added.await.unwrap();
        let news = vec![
            item("a", "x"),
            item("b", "boring"),
            item("c", "x"),
            item("d", "x"),
        ];
        ingest_items(store, feed, news, NOON).await;
        let all = ids(&list(store, ada, ItemFilter::All).await);
        let [a, b, c, d] = all[..] else {
            panic!("four items: {all:?}")
        };
        let unread = ids(&list(store, ada, ItemFilter::Unread).await);
        assert_eq!(unread, [a, c, d], "the rule marked one read");
        assert_eq!(history(store, ada).await, []);

        mark(store, ada, &[a], true, 1).await;
        mark(store, ben, &[c], true, 2).await;
        assert_eq!(history(store, ada).await, [a]);
        let marked = store.write(move |db| {
            let now = minutes_after_noon(3);
            let (bulk_mark, progress) = bulk_marks::begin(db, ada, Scope::Everything, now, NOON)?;
            let bound = Bound {
                newest: bulk_marks::newest_item(db)?,
                before: now,
            };
            bulk_marks::step(db, ada, bulk_mark, bound, &progress, 100)
        });
        assert_eq!(marked.await.unwrap().0, 2);
        assert_eq!(
            history(store, ada).await,
            [a],
            "nobody looked at the others"
        );

        // Opening an item that a rule or a bulk mark marked as read counts as reading it then.
        mark(store, ada, &[b], true, 4).await;
        mark(store, ada, &[d], true, 5).await;
        assert_eq!(history(store, ada).await, [d, b, a]);

        rows(
            &kept.place,
            &format!(
                "INSERT INTO mark (user_id, kind, sort_at, item_id, at)
                 SELECT {ada}, 3, sort_at, id, 0 FROM item WHERE id = {b}"
            ),
        );
        assert_eq!(
            history(store, ada).await,
            [d, a],
            "what is hidden is in no list"
        );
        let left = store.write(move |db| subscriptions::remove(db, ada, feed, NOON));
        left.await.unwrap();
        assert_eq!(history(store, ada).await, []);
        assert_eq!(history(store, ben).await, [c]);
    })
    .await;
}
