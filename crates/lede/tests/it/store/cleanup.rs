//! Clean-up: which items may be removed, that the condition is checked again at the removal, and
//! that removed items do not return.

use std::time::Duration;

use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::item::{ItemFilter, Position};
use lede_model::mark::MarkChange;
use lede_model::retention::CleanupReport;
use lede_model::time::Timestamp;
use lede_model::warning::CleanupNote;
use lede_store::cleanup::{self, ExpiringRows, Rule, WHENEVER};
use lede_store::ingest::NewItem;
use lede_store::{Engine, Store, maintenance, marks, search, settings};
use lede_testkit::{TestStore, on_each_store};

use super::{NOON, feed, follow, followed, ingest_items, item, list, noise, number, person, rows};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Items with distinct guids and no link.
fn items(guids: &[&str]) -> Vec<NewItem> {
    guids
        .iter()
        .map(|guid| {
            let mut new = item(guid, &format!("what {guid} says"));
            new.item.url = None;
            new
        })
        .collect()
}

/// The ids of the items with these guids.
async fn ids(store: &Store, user: UserId, guids: &[&str]) -> Vec<ItemId> {
    let all = list(store, user, ItemFilter::All).await;
    let of = |guid: &&str| {
        let title = format!("Title of {guid}");
        all.iter().find(|item| item.title == title).unwrap().id
    };
    guids.iter().map(of).collect()
}

async fn mark(store: &Store, user: UserId, item: ItemId, change: MarkChange, at: Timestamp) {
    let marked = store.write(move |db| marks::set(db, user, item, change, at));
    assert!(marked.await.unwrap().is_some());
}

const READ: MarkChange = MarkChange {
    read: Some(true),
    starred: None,
};
const STARRED: MarkChange = MarkChange {
    read: None,
    starred: Some(true),
};

/// Every item that may be removed, read in slices of two.
async fn walked(store: &Store, rule: Rule, before: Timestamp) -> Vec<ItemId> {
    let mut all = Vec::new();
    let mut after: Option<Position> = None;
    loop {
        let slice = store.read(move |db| cleanup::walk(db, rule, before, after, 2));
        let slice = slice.await.unwrap();
        all.extend(slice.found);
        if slice.next.is_none() {
            all.sort();
            return all;
        }
        after = slice.next;
    }
}

async fn titles(store: &Store, user: UserId) -> Vec<String> {
    let mut titles: Vec<String> = list(store, user, ItemFilter::All)
        .await
        .into_iter()
        .map(|item| item.title)
        .collect();
    titles.sort();
    titles
}

#[tokio::test]
async fn an_item_expires_when_all_read_it_long_ago_and_none_starred_it() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        let ben = person(store, "ben@example.org").await;
        store.write(move |db| follow(db, ben, feed)).await.unwrap();
        let guids = ["both", "one", "late", "star", "none", "young"];
        for guid in &guids[..5] {
            ingest_items(store, feed, items(&[guid]), NOON).await;
        }
        ingest_items(store, feed, items(&guids[5..]), NOON + 20 * DAY).await;
        let of = ids(store, ada, &guids).await;
        let [both, one, late, star, none, young] = of[..] else {
            unreachable!("six items")
        };
        let soon = NOON + DAY;
        for user in [ada, ben] {
            for item in [both, star, young] {
                mark(store, user, item, READ, soon.max(NOON + 20 * DAY)).await;
            }
        }
        mark(store, ada, one, READ, soon).await;
        mark(store, ada, late, READ, soon).await;
        mark(store, ben, late, READ, NOON + 30 * DAY).await;
        mark(store, ben, star, STARRED, soon).await;

        let read = |before| walked(store, Rule::Read, before);
        assert_eq!(read(NOON + 20 * DAY).await, [], "the day itself is kept");
        let after = NOON + 20 * DAY + Duration::from_millis(1);
        assert_eq!(read(after).await, [both, young]);
        assert_eq!(read(NOON + 31 * DAY).await, [both, late, young]);

        let unread = |before| walked(store, Rule::Unread, before);
        assert_eq!(unread(NOON).await, []);
        assert_eq!(unread(NOON + DAY).await, [one, none]);
        mark(store, ada, none, STARRED, soon).await;
        assert_eq!(unread(NOON + DAY).await, [one]);
    })
    .await;
}

#[tokio::test]
async fn what_was_starred_or_unread_again_meanwhile_stays() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        let guids = ["a", "b", "c", "d"];
        ingest_items(store, feed, items(&guids), NOON).await;
        let of = ids(store, ada, &guids).await;
        for item in &of {
            mark(store, ada, *item, READ, NOON).await;
        }
        let before = NOON + DAY;
        let found = walked(store, Rule::Read, before).await;
        assert_eq!(found.len(), 4);
        mark(store, ada, of[1], STARRED, NOON).await;
        let unread = MarkChange {
            read: Some(false),
            starred: None,
        };
        mark(store, ada, of[2], unread, NOON).await;

        let gone = store.write(move |db| cleanup::remove(db, Rule::Read, before, &found, before));
        assert_eq!(gone.await.unwrap(), 2);
        assert_eq!(titles(store, ada).await, ["Title of b", "Title of c"]);
        assert_eq!(
            rows(&kept.place, "SELECT identity_key FROM tombstone ORDER BY 1"),
            ["g:a", "g:d"]
        );
        for table in ["item_body", "mark WHERE kind = 2"] {
            let left = number(&kept.place, &format!("SELECT COUNT(*) FROM {table}"));
            assert!(left <= 2, "{table}: {left}");
        }
        let again = ingest_items(store, feed, items(&guids), before + DAY).await;
        assert_eq!(again.new, 0, "they do not come back");
    })
    .await;
}

#[tokio::test]
async fn the_oldest_of_a_feed_may_go_beyond_a_number() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, long) = followed(store).await;
        let short = feed(store, "short").await;
        store.write(move |db| follow(db, ada, short)).await.unwrap();
        let guids = ["1", "2", "3", "4", "5", "6"];
        for (days, guid) in (0..).zip(guids) {
            ingest_items(store, long, items(&[guid]), NOON + days * DAY).await;
        }
        ingest_items(store, short, items(&["x", "y"]), NOON).await;
        let of = ids(store, ada, &guids).await;
        for item in [of[0], of[1], of[3], of[5]] {
            mark(store, ada, item, READ, NOON + 6 * DAY).await;
        }
        mark(store, ada, of[1], STARRED, NOON).await;

        let mut overfull = Vec::new();
        let mut after: Option<FeedId> = None;
        loop {
            let found = store.read(move |db| cleanup::overfull_feeds(db, 2, after, 1));
            let (some, next) = found.await.unwrap();
            overfull.extend(some);
            if next.is_none() {
                break;
            }
            after = next;
        }
        assert_eq!(overfull.len(), 1);
        assert_eq!((overfull[0].feed, overfull[0].beyond.id), (long, of[3]));
        let one = overfull[0];
        let slice = store.read(move |db| cleanup::walk_feed(db, one, None, 3));
        let slice = slice.await.unwrap();
        assert_eq!(
            slice.found,
            [of[0]],
            "the second is starred, the third unread"
        );
        let next = slice.next;
        let slice = store.read(move |db| cleanup::walk_feed(db, one, next, 3));
        let slice = slice.await.unwrap();
        assert_eq!(slice.found, [of[3]]);
        assert!(slice.next.is_none());
        let found = vec![of[0], of[1], of[2], of[3]];
        let gone = store.write(move |db| cleanup::remove(db, Rule::Read, WHENEVER, &found, NOON));
        assert_eq!(gone.await.unwrap(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_stone_lies_as_long_as_its_feed_may_list_what_is_under_it() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        let guids = ["listed", "dropped"];
        ingest_items(store, feed, items(&guids), NOON).await;
        let of = ids(store, ada, &guids).await;
        let gone = store.write(move |db| cleanup::remove(db, Rule::Unread, WHENEVER, &of, NOON));
        assert_eq!(gone.await.unwrap(), 2);
        let stones = || rows(&kept.place, "SELECT identity_key FROM tombstone ORDER BY 1");
        let year = NOON + 365 * DAY;
        let clean_up = || async {
            let nothing = (FeedId::from(i64::MIN), String::new());
            let from = nothing.clone();
            let walk = store.read(move |db| cleanup::walk_tombstones(db, year, &from, 10));
            if let Some((last, _)) = walk.await.unwrap() {
                store
                    .write(move |db| cleanup::remove_tombstones(db, &nothing, &last, year))
                    .await
                    .unwrap();
            }
        };
        clean_up().await;
        assert_eq!(
            stones(),
            ["g:dropped", "g:listed"],
            "nothing new has come since, so the feed may list both"
        );
        ingest_items(store, feed, items(&["new", "listed"]), NOON + 366 * DAY).await;
        clean_up().await;
        assert_eq!(stones(), ["g:listed"]);
        let again = ingest_items(store, feed, items(&["listed"]), NOON + 367 * DAY).await;
        assert_eq!(again.new, 0);
    })
    .await;
}

#[tokio::test]
async fn one_of_many_claims_a_day() {
    on_each_store(async |kept: TestStore| {
        let claim = |day: &'static str| {
            let store = kept.store.clone();
            tokio::spawn(async move {
                let claimed = store.write(move |db| cleanup::claim_day(db, day));
                claimed.await.unwrap()
            })
        };
        for day in ["2026-03-14", "2026-03-15"] {
            let mut claims = 0;
            for asked in (0..8).map(|_| claim(day)).collect::<Vec<_>>() {
                claims += usize::from(asked.await.unwrap());
            }
            assert_eq!(claims, 1, "{day}");
        }
        assert!(
            !claim("2026-03-14").await.unwrap(),
            "an earlier day is over"
        );
    })
    .await;
}

#[tokio::test]
async fn the_log_gives_back_what_was_noted_and_forgets_it_in_time() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let report = |days: u32| CleanupReport {
            executed_at: NOON + DAY * days,
            posts_removed: i64::from(days),
            full_content_cleared: 2,
            unread_removed: 4,
            bytes_freed: 5,
            duration: Duration::from_millis(1234),
            notes: vec![CleanupNote::KeptByPostgres],
        };
        for days in 0..4 {
            let entry = report(days);
            let added = store.write(move |db| cleanup::add_to_log(db, &entry));
            added.await.unwrap();
        }
        let log = store.read(|db| cleanup::log(db, 2)).await.unwrap();
        assert_eq!(log, [report(3), report(2)]);
        let before = NOON + 2 * DAY;
        let forget = |limit| {
            store.write(move |db| cleanup::delete_expired(db, ExpiringRows::Log, before, limit))
        };
        assert_eq!(forget(1).await.unwrap(), 1);
        assert_eq!(forget(5).await.unwrap(), 1);
        assert_eq!(forget(5).await.unwrap(), 0);
        let log = store.read(|db| cleanup::log(db, 9)).await.unwrap();
        assert_eq!(log, [report(3), report(2)]);
    })
    .await;
}

#[tokio::test]
async fn a_setting_is_replaced_and_says_whether_it_was_another() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let put = |value: &'static str| store.write(move |db| settings::put(db, "key", value));
        assert!(put("a").await.unwrap());
        assert!(!put("a").await.unwrap());
        assert!(put("b").await.unwrap());
        let found = store.read(|db| settings::find(db, "key")).await.unwrap();
        assert_eq!(found.as_deref(), Some("b"));
    })
    .await;
}

#[tokio::test]
async fn vacuum_runs_beside_reads_and_writes_and_gives_room_back() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        let large: Vec<NewItem> = (0..200)
            .map(|n| item(&n.to_string(), &noise(n)))
            .map(|mut new| {
                new.item.url = None;
                new
            })
            .collect();
        ingest_items(store, feed, large, NOON).await;
        let full = store.read(maintenance::size).await.unwrap();
        assert!(full.total >= full.used);
        let found = walked(store, Rule::Unread, WHENEVER).await;
        let gone = store.write(move |db| cleanup::remove(db, Rule::Unread, WHENEVER, &found, NOON));
        assert_eq!(gone.await.unwrap(), 200);
        let (vacuumed, added, listed) = tokio::join!(
            maintenance::vacuum(store),
            store.write(|db| settings::put(db, "during", "it")),
            list(store, ada, ItemFilter::All),
        );
        vacuumed.unwrap();
        assert!(added.unwrap());
        assert!(listed.is_empty());
        maintenance::optimise(store).await.unwrap();
        let empty = store.read(maintenance::size).await.unwrap();
        // On PostgreSQL the size depends on other activity of the server.
        assert!(
            empty.total * 2 < full.total || store.engine() == Engine::Postgres,
            "{} of {}",
            empty.total,
            full.total
        );
    })
    .await;
}

#[tokio::test]
async fn the_search_index_forgets_removed_items_in_steps_that_end() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (_, feed) = followed(store).await;
        for round in 0..5_u64 {
            let texts = (0..40).map(|n| {
                let mut new = item(&format!("{round}-{n}"), &noise(round * 40 + n));
                new.item.url = None;
                new
            });
            ingest_items(store, feed, texts.collect(), NOON).await;
            let index = store.write(|db| {
                let waiting = search::waiting(db, 100)?;
                let in_words =
                    |text: search::Waiting| text.in_words(|html| html.as_str().to_owned());
                let ready: Vec<_> = waiting.into_iter().map(in_words).collect();
                search::index(db, &ready)
            });
            index.await.unwrap();
        }
        let before = store.read(maintenance::size).await.unwrap().used;
        let found = walked(store, Rule::Unread, WHENEVER).await;
        let gone = store
            .write(move |db| cleanup::remove(db, Rule::Unread, WHENEVER, &found[..150], NOON))
            .await;
        assert_eq!(gone.unwrap(), 150);
        let mut steps = 0;
        while store
            .write(|db| search::merge_segments(db, 10, 16))
            .await
            .unwrap()
        {
            steps += 1;
            assert!(steps < 1000, "it has no end");
        }
        if store.engine() == Engine::Sqlite {
            assert!(steps > 0);
            let after = store.read(maintenance::size).await.unwrap().used;
            assert!(after * 2 < before, "{after} of {before}");
        }
    })
    .await;
}
