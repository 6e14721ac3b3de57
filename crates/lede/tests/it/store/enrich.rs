//! Floods, tombstones and the search index.

use std::time::Duration;

use lede_model::content::ContentHash;
use lede_model::ids::ItemId;
use lede_model::item::ItemFilter;
use lede_model::mark::MarkChange;
use lede_store::ingest::{Ingested, NewItem};
use lede_store::search::{self, Ready};
use lede_store::{DatabaseLocation, Store, items, marks, subscriptions};
use lede_testkit::{TestStore, on_each_store};

use super::{
    NOON, feed, follow, followed, ingest_items, item, list, minutes_after_noon, number, rows,
};

/// Items whose ids are `prefix` and a number, one hour apart, before noon.
fn dated(prefix: &str, titles: std::ops::Range<u64>) -> Vec<NewItem> {
    titles
        .map(|n| {
            let mut new = item(&format!("{prefix}-{n}"), &format!("text {n}"));
            new.item.title = format!("Title {n}");
            new.item.url = None;
            new.item.published_at = Some(NOON - Duration::from_secs(n * 3600));
            new
        })
        .collect()
}

#[tokio::test]
async fn a_publisher_who_changes_every_id_makes_nothing_unread_and_loses_no_mark() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        ingest_items(store, feed, dated("old", 1..41), NOON).await;
        let all = list(store, user, ItemFilter::Unread).await;
        let (starred, read) = (all[3].id, all[5].id);
        let change = |read, starred| MarkChange { read, starred };
        store
            .write(move |db| {
                marks::set(db, user, starred, change(None, Some(true)), NOON)?;
                marks::set(db, user, read, change(Some(true), None), NOON)
            })
            .await
            .unwrap();

        // The same forty and ten older ones, all with new ids, and one that is really new.
        let mut flood = dated("new", 1..51);
        let mut fresh = item("new-0", "fresh");
        fresh.item.title = "Fresh".to_owned();
        fresh.item.url = None;
        fresh.item.published_at = Some(minutes_after_noon(20));
        flood.insert(0, fresh);
        let taken = ingest_items(store, feed, flood, minutes_after_noon(60)).await;
        assert_eq!(taken.new, 11, "ten old ones and the fresh one");
        let unread = list(store, user, ItemFilter::Unread).await;
        assert_eq!(unread.len(), 40, "thirty-nine of before and the fresh one");
        assert_eq!(unread[0].title, "Fresh");
        let after = list(store, user, ItemFilter::All).await;
        assert_eq!(after.len(), 51);
        let of = |id: ItemId| after.iter().find(|item| item.id == id).unwrap();
        assert!(of(starred).is_starred);
        assert!(of(read).is_read);

        let again = ingest_items(store, feed, dated("new", 1..51), minutes_after_noon(90)).await;
        assert_eq!(again, Ingested::default(), "known under the new ids");
    })
    .await;
}

#[tokio::test]
async fn a_burst_of_news_and_a_first_fetch_are_no_flood() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        ingest_items(store, feed, dated("a", 1..41), NOON).await;
        assert_eq!(list(store, user, ItemFilter::Unread).await.len(), 40);
        let burst: Vec<_> = (0..40)
            .map(|n| {
                let mut new = item(&format!("b-{n}"), "news");
                new.item.url = None;
                new.item.published_at = Some(minutes_after_noon(n + 1));
                new
            })
            .collect();
        ingest_items(store, feed, burst, minutes_after_noon(120)).await;
        assert_eq!(list(store, user, ItemFilter::Unread).await.len(), 80);
    })
    .await;
}

#[tokio::test]
async fn a_removed_item_does_not_come_back_while_its_feed_lists_it() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        ingest_items(store, feed, dated("a", 1..4), NOON).await;
        let gone = list(store, user, ItemFilter::All).await[1].id;
        store
            .write(move |db| items::remove(db, &[gone], NOON))
            .await
            .unwrap();
        assert_eq!(list(store, user, ItemFilter::Unread).await.len(), 2);
        let taken = ingest_items(store, feed, dated("a", 1..4), minutes_after_noon(60)).await;
        assert_eq!(taken, Ingested::default());
        let mut changed = dated("a", 1..4);
        changed[1].item.hash = ContentHash::of(["changed"]);
        let taken = ingest_items(store, feed, changed, minutes_after_noon(90)).await;
        assert_eq!(taken, Ingested::default(), "not even changed");
        assert_eq!(list(store, user, ItemFilter::All).await.len(), 2);
    })
    .await;
}

/// The ids that the search index has for a word, in a query that bypasses the store.
fn found(kept: &TestStore, word: &str) -> Vec<String> {
    let sql = match &kept.place {
        DatabaseLocation::File(_) => {
            format!("SELECT rowid FROM item_search WHERE item_search MATCH '{word}'")
        }
        DatabaseLocation::Server(_) => {
            format!("SELECT item_id FROM item_search WHERE words @@ CAST('{word}' AS tsquery)")
        }
    };
    rows(&kept.place, &sql)
}

/// Fills the search index as the worker does. Returns the number of texts that were waiting.
pub(crate) async fn fill(store: &Store) -> usize {
    let waiting = store.read(|db| search::waiting(db, 1000)).await.unwrap();
    let ready: Vec<Ready> = waiting
        .into_iter()
        .map(|waiting| waiting.in_words(|html| html.as_str().to_owned()))
        .collect();
    let count = ready.len();
    // Twice, as if another worker had read the same texts: the second write changes nothing.
    for ready in [ready.clone(), ready] {
        let indexed = store.write(move |db| search::index(db, &ready));
        indexed.await.unwrap();
    }
    count
}

#[tokio::test]
async fn what_is_stored_changed_and_removed_is_so_in_the_index() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        let news = vec![item("a", "Crème in 東京都"), item("b", "plain words")];
        ingest_items(store, feed, news, NOON).await;
        assert_eq!(fill(store).await, 2);
        assert_eq!(fill(store).await, 0);
        assert_eq!(found(&kept, "creme").len(), 1);
        assert_eq!(found(&kept, "東京").len(), 1);
        assert_eq!(found(&kept, "title").len(), 2);

        let changed = vec![item("b", "other words")];
        ingest_items(store, feed, changed, minutes_after_noon(5)).await;
        assert_eq!(fill(store).await, 1);
        assert_eq!(found(&kept, "plain").len(), 0);
        assert_eq!(found(&kept, "other").len(), 1);

        let all = list(store, user, ItemFilter::All).await;
        let gone = all.iter().find(|item| item.title == "Title of b");
        let gone = gone.unwrap().id;
        store
            .write(move |db| items::remove(db, &[gone], NOON))
            .await
            .unwrap();
        assert_eq!(found(&kept, "other").len(), 0);
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM search_queue"), 0);
    })
    .await;
}

#[tokio::test]
async fn only_short_items_of_feeds_with_full_text_are_queued() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, wanted) = followed(store).await;
        let unwanted = feed(store, "other").await;
        store
            .write(move |db| {
                follow(db, user, unwanted)?;
                let subscription = subscriptions::find(db, user, unwanted)?.unwrap().id;
                let change = subscriptions::Change {
                    full_text: Some(false),
                    ..subscriptions::Change::default()
                };
                let changed = subscriptions::set(db, user, subscription, &change, NOON)?;
                assert_eq!(changed.unwrap().feed.id, unwanted);
                Ok(())
            })
            .await
            .unwrap();
        let mut short = item("a", "short");
        short.wants_article = true;
        for feed in [wanted, unwanted] {
            ingest_items(store, feed, vec![short.clone(), item("b", "long")], NOON).await;
        }
        let keys = rows(&kept.place, "SELECT key FROM job WHERE kind = 'article'");
        assert_eq!(keys.len(), 1);
    })
    .await;
}
