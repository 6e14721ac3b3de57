//! The lists: every way to page returns the same items in the same order.

use lede_model::ids::{CategoryId, FeedId, ItemId, UserId};
use lede_model::item::{ItemFilter, List, Order, Position, Scope, Start};
use lede_model::label::LabelName;
use lede_model::mark::MarkChange;
use lede_model::schedule::FailurePolicy;
use lede_store::{Store, feeds, ingest, labels, lists, marks, users};
use lede_testkit::{TestStore, on_each_store};

use super::{
    CLEANING, NOON, follow, followed, item, list, minutes_after_noon, new_feed, person, rows,
};

const FILTERS: [ItemFilter; 4] = [
    ItemFilter::All,
    ItemFilter::Unread,
    ItemFilter::Starred,
    ItemFilter::UnreadStarred,
];

/// Subscribes `user` to `count` feeds of twelve items each, some with equal times; some are read, some starred.
async fn fill(store: &Store, user: UserId, prefix: &'static str, count: u64) -> Vec<FeedId> {
    let filled = store.write(move |db| {
        let mut added = Vec::new();
        for number in 0..count {
            let named = new_feed(&format!("{prefix}{number}"));
            let feed = feeds::add(db, &named, FailurePolicy::Patient, NOON)?.id;
            follow(db, user, feed)?;
            for moment in 0..3 {
                let fetched: Vec<_> = (0..4)
                    .map(|n| item(&format!("{moment}-{n}"), "x"))
                    .collect();
                let now = minutes_after_noon(moment * 7 + number % 3);
                ingest::ingest(db, feed, &fetched, CLEANING, now)?;
            }
            added.push(feed);
        }
        let all = lists::page(db, user, List::default(), Start::FIRST, 10_000)?;
        for item in &all {
            let number = item.id.as_i64();
            let change = MarkChange {
                read: (number % 2 == 0).then_some(true),
                starred: (number % 5 == 0).then_some(true),
            };
            marks::set(db, user, item.id, change, NOON)?;
        }
        Ok(added)
    });
    filled.await.unwrap()
}

/// Every item of a list, page by page.
async fn walked(store: &Store, user: UserId, list: List, by_cursor: bool) -> Vec<ItemId> {
    let (mut found, mut start) = (Vec::new(), Start::FIRST);
    loop {
        let page = store.read(move |db| lists::page(db, user, list, start, 23));
        let page = page.await.unwrap();
        let Some(last) = page.last() else {
            return found;
        };
        found.extend(page.iter().map(|item| item.id));
        start = if by_cursor {
            Start::After(Position {
                sort_at: last.sort_at,
                id: last.id,
            })
        } else {
            Start::Skip(found.len() as i64)
        };
    }
}

#[tokio::test]
async fn every_list_has_its_items_in_order_without_gap_or_overlap() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let ada = person(store, "ada@example.org").await;
        let ben = person(store, "ben@example.org").await;
        // Ada has few feeds, whose lists are merged; Ben has many, and the walk skips items of other feeds.
        let few = fill(store, ada, "few", 5).await;
        let many = fill(store, ben, "many", 70).await;
        for (user, feeds, categorised) in [(ada, few, 3), (ben, many, 67)] {
            let sql = format!(
                "INSERT INTO category (user_id, name, position, created_at) VALUES ({user}, 'c', 0, 0);"
            );
            rows(&kept.place, &sql);
            let parent = category_of(&kept, user, "c");
            rows(
                &kept.place,
                &format!(
                    "INSERT INTO category (user_id, name, parent_id, position, created_at)
                     VALUES ({user}, 'below', {parent}, 0, 0)"
                ),
            );
            let below = category_of(&kept, user, "below");
            // One feed directly in the category, the others below it.
            for (number, feed) in feeds.iter().take(categorised).enumerate() {
                let category = if number == 0 { parent } else { below };
                let sql = format!(
                    "UPDATE subscription SET category_id = {category} WHERE user_id = {user} AND feed_id = {feed}"
                );
                rows(&kept.place, &sql);
            }
            let hidden = rows(
                &kept.place,
                &format!(
                    "SELECT id FROM item WHERE feed_id = {} ORDER BY id LIMIT 1",
                    feeds[0]
                ),
            );
            let hidden = hidden[0].clone();
            rows(
                &kept.place,
                &format!("DELETE FROM unread WHERE user_id = {user} AND item_id = {hidden}"),
            );
            let counted = store.write(move |db| lede_store::unread::recount_of_user(db, user));
            counted.await.unwrap();
            rows(
                &kept.place,
                &format!(
                    "INSERT INTO mark (user_id, kind, sort_at, item_id, at)
                     SELECT {user}, 3, sort_at, id, 0 FROM item WHERE id = {hidden}"
                ),
            );
            let later = store.write(move |db| {
                let all = lists::page(db, user, List::default(), Start::FIRST, 10_000)?;
                let all = all.iter().map(|item| item.id);
                let third: Vec<ItemId> = all.filter(|item| item.as_i64() % 3 == 0).collect();
                let label = labels::add(db, user, &LabelName::parse("later").unwrap(), NOON)?;
                labels::put_on(db, user, label.id, &third, NOON)?;
                Ok(label.id)
            });
            let later = later.await.unwrap();
            let scopes = [
                (Scope::Label(later), feeds.clone()),
                (Scope::Everything, feeds.clone()),
                (Scope::Feed(feeds[1]), vec![feeds[1]]),
                (
                    Scope::Category(CategoryId::from(parent)),
                    feeds[..categorised].to_vec(),
                ),
            ];
            for (scope, of) in scopes {
                for filter in FILTERS {
                    let expected = expected(&kept, user, scope, &of, filter);
                    assert!(!expected.is_empty());
                    for order in [Order::Newest, Order::Oldest] {
                        let list = List {
                            scope,
                            filter,
                            order,
                        };
                        let mut expected = expected.clone();
                        if order == Order::Newest {
                            expected.reverse();
                        }
                        for by_cursor in [true, false] {
                            let found = walked(store, user, list, by_cursor).await;
                            assert_eq!(found, expected, "{list:?} by cursor: {by_cursor}");
                        }
                    }
                    let counted = store.read(move |db| lists::count(db, user, scope, filter));
                    let counted = counted.await.unwrap();
                    assert_eq!(counted, expected.len() as i64, "{scope:?} {filter:?}");
                }
            }
        }
    })
    .await;
}

fn category_of(kept: &TestStore, user: UserId, name: &str) -> i64 {
    let sql = format!("SELECT id FROM category WHERE user_id = {user} AND name = '{name}'");
    rows(&kept.place, &sql)[0].parse().unwrap()
}

/// The expected list, oldest first, computed the slow way.
fn expected(
    kept: &TestStore,
    user: UserId,
    scope: Scope,
    feeds: &[FeedId],
    filter: ItemFilter,
) -> Vec<ItemId> {
    let feeds: Vec<String> = feeds.iter().map(ToString::to_string).collect();
    let marked = |kind: i64| {
        format!(
            "EXISTS (SELECT 1 FROM mark m WHERE m.user_id = {user} AND m.kind = {kind} AND m.item_id = item.id)"
        )
    };
    let unread =
        format!("EXISTS (SELECT 1 FROM unread u WHERE u.user_id = {user} AND u.item_id = item.id)");
    let condition = match filter {
        ItemFilter::All => format!("NOT {}", marked(3)),
        ItemFilter::Unread => unread,
        ItemFilter::Starred => marked(1),
        ItemFilter::UnreadStarred => format!("{unread} AND {}", marked(1)),
        ItemFilter::Read => unreachable!("the history is not in the order of dates"),
    };
    let labelled = match scope {
        Scope::Label(label) => {
            format!("id IN (SELECT item_id FROM item_label WHERE label_id = {label})")
        }
        _ => "TRUE".to_owned(),
    };
    let sql = format!(
        "SELECT id FROM item WHERE feed_id IN ({}) AND {condition} AND {labelled} ORDER BY sort_at, id",
        feeds.join(", ")
    );
    rows(&kept.place, &sql)
        .iter()
        .map(|id| ItemId::from(id.parse::<i64>().unwrap()))
        .collect()
}

#[tokio::test]
async fn a_count_is_right_after_every_change() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        let count = async || {
            let counted =
                store.read(move |db| lists::count(db, user, Scope::Everything, ItemFilter::Unread));
            counted.await.unwrap()
        };
        assert_eq!(count().await, 0);
        let fetched: Vec<_> = (0..3).map(|n| item(&n.to_string(), "x")).collect();
        super::ingest_items(store, feed, fetched, NOON).await;
        // Each reader thread has its own cache, so this asks often enough to reach all of them.
        for _ in 0..8 {
            assert_eq!(count().await, 3);
        }
        for (left, item) in [2, 1, 0]
            .into_iter()
            .zip(list(store, user, ItemFilter::All).await)
        {
            let read = MarkChange {
                read: Some(true),
                starred: None,
            };
            let set = store.write(move |db| marks::set(db, user, item.id, read, NOON));
            set.await.unwrap();
            for _ in 0..8 {
                assert_eq!(count().await, left);
            }
        }
        // Another user's items are not counted.
        let other = store.write(move |db| {
            let other = users::add(
                db,
                "eve@example.org",
                None,
                lede_model::user::Role::Member,
                NOON,
            )?;
            let other = other.unwrap().id;
            follow(db, other, feed)?;
            lede_store::items::fan_out_on_follow(db, other, feed)?;
            Ok(other)
        });
        let other = other.await.unwrap();
        assert_eq!(count().await, 0);
        let theirs =
            store.read(move |db| lists::count(db, other, Scope::Everything, ItemFilter::Unread));
        assert_eq!(theirs.await.unwrap(), 3);
    })
    .await;
}
