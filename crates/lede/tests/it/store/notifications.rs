//! The outbox: one notification per user and item, its delivery, its state in the bell, and its end.

use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::mark::MarkChange;
use lede_model::notification::Channel;
use lede_model::rule::RuleActions;
use lede_store::notifications::{self, Notification, NotificationFilter};
use lede_store::{Store, feeds, items, marks, merge, subscriptions};
use lede_testkit::{TestStore, on_each_store};

use super::rules::{HIDE, NOTIFY, add, for_query};
use super::{
    NOON, feed, follow, followed, ingest_items, item, minutes_after_noon, new_feed, number, person,
    rows,
};

/// Returns the notifications of `user`, newest first.
async fn bell(store: &Store, user: UserId, filter: NotificationFilter) -> Vec<Notification> {
    let page = store.read(move |db| notifications::page(db, user, filter, None, 1000));
    page.await.unwrap()
}

async fn titles(store: &Store, user: UserId, filter: NotificationFilter) -> Vec<String> {
    let listed = bell(store, user, filter).await.into_iter();
    listed
        .map(|notification| notification.title.replace("Title of ", ""))
        .collect()
}

async fn unread(store: &Store, user: UserId) -> i64 {
    let count = store.read(move |db| notifications::count_unread(db, user));
    count.await.unwrap()
}

async fn deliver(store: &Store, user: UserId, limit: i64) -> usize {
    let now = minutes_after_noon(1);
    let delivered =
        store.write(move |db| notifications::deliver(db, user, Channel::Web, limit, now));
    delivered.await.unwrap().len()
}

/// Adds a user who follows `feed` and wants to hear of all its items.
async fn listener(kept: &TestStore, feed: FeedId) -> UserId {
    let user = person(&kept.store, "ben@example.org").await;
    let followed = kept.store.write(move |db| follow(db, user, feed));
    followed.await.unwrap();
    notify_all(kept, user);
    user
}

fn notify_all(kept: &TestStore, user: UserId) {
    let sql = format!("UPDATE subscription SET notify = TRUE WHERE user_id = {user}");
    rows(&kept.place, &sql);
}

#[tokio::test]
async fn each_user_is_notified_once_and_by_the_rule_that_asked() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        notify_all(&kept, ada);
        let ben = person(store, "ben@example.org").await;
        store.write(move |db| follow(db, ben, feed)).await.unwrap();
        add(store, ada, for_query("word", NOTIFY)).await;
        add(store, ada, for_query("boring", HIDE)).await;
        add(store, ben, for_query("word", NOTIFY)).await;
        add(store, ben, for_query("word", NOTIFY)).await;
        let news = || vec![item("plain", "x"), item("w", "word"), item("b", "boring")];
        ingest_items(store, feed, news(), NOON).await;
        let all = NotificationFilter::All;
        assert_eq!(titles(store, ada, all).await, ["plain", "w"]);
        assert_eq!(titles(store, ben, all).await, ["w"]);
        let caused = format!(
            "SELECT COALESCE((SELECT r.query FROM rule r WHERE r.id = n.rule_id), '-')
             FROM notification n WHERE n.user_id = {ada} ORDER BY n.id"
        );
        assert_eq!(rows(&kept.place, &caused), ["word", "-"]);
        // One job per user, however many items there are.
        let jobs = "SELECT key FROM job WHERE kind = 'notification' ORDER BY key";
        let keys = [ada, ben].map(|user| Channel::Web.job_key(user).to_string());
        assert_eq!(rows(&kept.place, jobs), keys);

        // Delivered in steps, and not again.
        assert_eq!(deliver(store, ada, 1).await, 1);
        assert_eq!(deliver(store, ada, 10).await, 1);
        assert_eq!(deliver(store, ada, 10).await, 0);
        assert_eq!(deliver(store, ben, 10).await, 1);

        // The same fetch again, and one in which the items come back as new rows.
        rows(&kept.place, "DELETE FROM job");
        ingest_items(store, feed, news(), minutes_after_noon(2)).await;
        let changed = vec![item("w", "another word"), item("plain", "y")];
        ingest_items(store, feed, changed, minutes_after_noon(3)).await;
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM notification"), 3);
        assert_eq!(deliver(store, ada, 10).await, 0);
        assert_eq!(
            rows(&kept.place, jobs).len(),
            0,
            "nothing is left to deliver"
        );

        let pause = format!("UPDATE subscription SET paused_at = 1 WHERE user_id = {ben}");
        rows(&kept.place, &pause);
        let later = vec![item("later", "word")];
        ingest_items(store, feed, later, minutes_after_noon(9)).await;
        assert_eq!(titles(store, ben, all).await.len(), 1, "the feed is paused");
        assert_eq!(titles(store, ada, all).await.len(), 3);
    })
    .await;
}

#[tokio::test]
async fn a_transaction_that_is_rolled_back_notifies_no_user() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        notify_all(&kept, ada);
        let failed = store.write(move |db| {
            super::ingest::ingest(db, feed, &[item("a", "x")], super::CLEANING, NOON)?;
            Err::<(), _>(lede_store::StoreError::Missing)
        });
        assert!(failed.await.is_err());
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM notification"), 0);
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM job"), 0);
        ingest_items(store, feed, vec![item("a", "x")], NOON).await;
        assert_eq!(deliver(store, ada, 10).await, 1);
    })
    .await;
}

#[tokio::test]
async fn reading_an_item_reads_its_notification_and_not_the_reverse() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        notify_all(&kept, ada);
        let quiet = RuleActions {
            mark_read: true,
            ..NOTIFY
        };
        add(store, ada, for_query("quiet", quiet)).await;
        let news = vec![item("c", "quiet"), item("b", "x"), item("a", "x")];
        ingest_items(store, feed, news, NOON).await;
        assert_eq!(unread(store, ada).await, 3, "also what a rule marked read");
        let [c, b, a] = &bell(store, ada, NotificationFilter::All).await[..] else {
            panic!("three of them")
        };
        let mark = async |item: ItemId, read: bool| {
            let change = MarkChange {
                read: Some(read),
                starred: None,
            };
            let marked = store.write(move |db| marks::set(db, ada, item, change, NOON));
            marked.await.unwrap();
        };
        mark(a.item, true).await;
        let waits = NotificationFilter::Unread;
        assert_eq!(titles(store, ada, waits).await, ["c", "b"]);
        mark(a.item, false).await;
        assert_eq!(unread(store, ada).await, 3);
        mark(c.item, false).await;
        mark(c.item, true).await;
        assert_eq!(titles(store, ada, waits).await, ["b", "a"]);

        let id = b.id;
        let read = store.write(move |db| notifications::mark_read(db, ada, id, NOON));
        assert!(read.await.unwrap());
        assert_eq!(titles(store, ada, waits).await, ["a"]);
        let items = number(&kept.place, "SELECT COUNT(*) FROM unread");
        assert_eq!(items, 2, "the item itself is still unread");
        store
            .write(move |db| notifications::mark_all_read(db, ada, NOON))
            .await
            .unwrap();
        assert_eq!(unread(store, ada).await, 0);
        assert_eq!(bell(store, ada, NotificationFilter::All).await.len(), 3);
    })
    .await;
}

#[tokio::test]
async fn notifications_go_with_their_item_their_subscription_and_not_with_their_rule() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        let ben = listener(&kept, feed).await;
        add(store, ada, for_query("x", NOTIFY)).await;
        let news = vec![item("b", "x"), item("a", "x")];
        ingest_items(store, feed, news, NOON).await;
        rows(&kept.place, "DELETE FROM rule");
        assert_eq!(unread(store, ada).await, 2);

        let gone = bell(store, ada, NotificationFilter::All).await[0].item;
        store
            .write(move |db| items::remove(db, &[gone], NOON))
            .await
            .unwrap();
        assert_eq!(titles(store, ada, NotificationFilter::All).await, ["a"]);
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM notification"), 2);

        let left = store.write(move |db| subscriptions::remove(db, ada, feed, NOON));
        assert!(left.await.unwrap());
        let own = format!("SELECT COUNT(*) FROM notification WHERE user_id = {ada}");
        assert_eq!(number(&kept.place, &own), 0);
        assert_eq!(unread(store, ben).await, 1, "Ben still follows the feed");

        // An item that another user imported is not visible.
        rows(&kept.place, &format!("UPDATE item SET owner_id = {ada}"));
        assert_eq!(unread(store, ben).await, 0);
        assert_eq!(bell(store, ben, NotificationFilter::All).await.len(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_feed_that_is_merged_keeps_its_notifications_and_delivers_none_again() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, old) = followed(store).await;
        notify_all(&kept, ada);
        let new = feed(store, "new").await;
        ingest_items(store, old, vec![item("both", "x")], NOON).await;
        ingest_items(store, new, vec![item("both", "x")], NOON).await;
        assert_eq!(deliver(store, ada, 10).await, 1);
        let merged = store.write(move |db| {
            let kept = feeds::find_by_url(db, &new_feed("new").url)?.expect("it is there");
            merge::merge(db, old, &kept, NOON)
        });
        assert!(merged.await.unwrap());
        let listed = bell(store, ada, NotificationFilter::Unread).await;
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].feed, new);
        assert_eq!(deliver(store, ada, 10).await, 0);
    })
    .await;
}

#[tokio::test]
async fn only_the_newest_are_kept_and_pages_continue_where_the_last_one_ended() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        notify_all(&kept, ada);
        let ben = listener(&kept, feed).await;
        let news = (0..130).map(|n| item(&n.to_string(), "x"));
        ingest_items(store, feed, news.collect(), NOON).await;
        assert_eq!(unread(store, ada).await, notifications::COUNTED);
        let mut seen: Vec<String> = Vec::new();
        let mut before = None;
        loop {
            let all = NotificationFilter::All;
            let page = store.read(move |db| notifications::page(db, ada, all, before, 50));
            let page = page.await.unwrap();
            before = page.last().map(|last| last.id);
            if page.is_empty() {
                break;
            }
            seen.extend(page.into_iter().map(|notification| notification.title));
        }
        assert_eq!(seen.len(), 130);
        assert_eq!(seen[0], "Title of 0", "the publisher's first is the newest");

        let overfull = async |after| {
            let found = store.read(move |db| notifications::find_overfull(db, 40, after));
            found.await.unwrap()
        };
        assert_eq!(overfull(None).await, Some(ada));
        assert_eq!(overfull(Some(ada)).await, Some(ben));
        assert_eq!(overfull(Some(ben)).await, None);
        for expected in [80, 10, 0] {
            let removed = store.write(move |db| notifications::remove_oldest(db, ada, 40, 80));
            assert_eq!(removed.await.unwrap(), expected);
        }
        let left = titles(store, ada, NotificationFilter::All).await;
        assert_eq!(
            (left.len(), left[0].as_str(), left[39].as_str()),
            (40, "0", "39")
        );
        assert_eq!(bell(store, ben, NotificationFilter::All).await.len(), 130);
    })
    .await;
}
