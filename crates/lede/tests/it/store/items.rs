//! Items: ingestion, fan-out to subscribers, and order.

use std::time::Duration;

use lede_model::address::WebUrl;
use lede_model::ids::{ItemId, UserId};
use lede_model::item::{ItemFilter, ItemSummary};
use lede_model::mark::{MarkChange, Marks};
use lede_store::ingest::{Ingested, NewItem};
use lede_store::{DatabaseLocation, Store, ingest, items, marks, subscriptions};
use lede_testkit::{TestStore, on_each_store};

use super::{
    NOON, feed, follow, followed, ingest_items, ingested, item, list, minutes_after_noon, number,
    person, rows,
};

async fn titles(store: &Store, user: UserId, filter: ItemFilter) -> Vec<String> {
    let page = list(store, user, filter).await;
    page.into_iter().map(|item| item.title).collect()
}

async fn mark(store: &Store, user: UserId, item: ItemId, change: MarkChange) -> Option<Marks> {
    let set = store.write(move |db| marks::set(db, user, item, change, NOON));
    set.await.unwrap()
}

const READ: MarkChange = MarkChange {
    read: Some(true),
    starred: None,
};
const STARRED: MarkChange = MarkChange {
    read: None,
    starred: Some(true),
};

#[tokio::test]
async fn a_fetch_brings_new_items_changes_known_ones_and_leaves_the_rest() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        let first = ingest_items(store, feed, vec![item("a", "x"), item("b", "x")], NOON).await;
        assert_eq!(first, ingested(2, 0));
        let before = list(store, user, ItemFilter::All).await;
        mark(store, user, before[0].id, READ).await.unwrap();
        mark(store, user, before[0].id, STARRED).await.unwrap();

        let later = minutes_after_noon(30);
        let mut changed = item("a", "changed");
        changed.item.published_at = Some(later);
        let fetched = vec![item("c", "x"), changed, item("b", "x")];
        let second = ingest_items(store, feed, fetched, later).await;
        assert_eq!(second, ingested(1, 1));
        assert_eq!(
            titles(store, user, ItemFilter::All).await,
            ["Title of c", "Title of a", "Title of b"]
        );
        let after = list(store, user, ItemFilter::All).await;
        let expected = ItemSummary {
            excerpt: "changed".to_owned(),
            lede: "changed".to_owned(),
            is_read: true,
            is_starred: true,
            labels: Vec::new(),
            ..before[0].clone()
        };
        assert_eq!(after[1], expected, "marks, place and first sight stay");
        let id = before[0].id;
        let found = store.read(move |db| items::find(db, user, id, NOON)).await;
        assert_eq!(found.unwrap().unwrap().html.as_str(), "<p>changed</p>");

        let third = ingest_items(store, feed, Vec::new(), later).await;
        assert_eq!(third, Ingested::default());
        assert_eq!(after.len(), 3, "a shrunken feed deletes nothing");
    })
    .await;
}

/// Detects any write to these tables, even of equal values: triggers refuse it on SQLite, and row
/// versions reveal it on PostgreSQL.
fn watched(place: &DatabaseLocation) -> Vec<String> {
    let tables = ["item", "item_body", "unread"];
    match place {
        DatabaseLocation::File(path) => {
            let file = rusqlite::Connection::open(path).unwrap();
            for (table, what) in tables
                .into_iter()
                .flat_map(|table| ["INSERT", "UPDATE", "DELETE"].map(|what| (table, what)))
            {
                let trigger = format!(
                    "CREATE TRIGGER IF NOT EXISTS {what}_{table} AFTER {what} ON {table}
                     BEGIN SELECT RAISE(ABORT, 'written'); END"
                );
                file.execute_batch(&trigger).unwrap();
            }
            Vec::new()
        }
        DatabaseLocation::Server(_) => {
            let versions = tables.map(|table| format!("SELECT xmin, ctid FROM {table}"));
            rows(place, &versions.join(" UNION ALL "))
        }
    }
}

#[tokio::test]
async fn a_fetch_that_brings_nothing_new_writes_no_row() {
    on_each_store(async |kept: TestStore| {
        let (_, feed) = followed(&kept.store).await;
        let fetched: Vec<NewItem> = (0..70).map(|n| item(&n.to_string(), "x")).collect();
        ingest_items(&kept.store, feed, fetched.clone(), NOON).await;
        let before = watched(&kept.place);
        let again = ingest_items(&kept.store, feed, fetched, minutes_after_noon(60)).await;
        assert_eq!(again, Ingested::default());
        assert_eq!(watched(&kept.place), before);
    })
    .await;
}

#[tokio::test]
async fn an_item_that_changes_within_its_first_moment_is_not_new_twice() {
    on_each_store(async |kept: TestStore| {
        let (user, feed) = followed(&kept.store).await;
        ingest_items(&kept.store, feed, vec![item("a", "x")], NOON).await;
        let id = list(&kept.store, user, ItemFilter::All).await[0].id;
        mark(&kept.store, user, id, READ).await.unwrap();
        let taken = ingest_items(&kept.store, feed, vec![item("a", "changed")], NOON).await;
        assert_eq!(taken, ingested(0, 1));
        assert!(list(&kept.store, user, ItemFilter::All).await[0].is_read);
    })
    .await;
}

#[tokio::test]
async fn an_item_that_a_feed_lists_twice_is_one_and_two_that_differ_are_two() {
    on_each_store(async |kept: TestStore| {
        let (user, feed) = followed(&kept.store).await;
        let fetched = vec![
            item("a", "first"),
            item("b", "x"),
            item("a", "second"),
            item("a", "first"),
        ];
        let taken = ingest_items(&kept.store, feed, fetched.clone(), NOON).await;
        assert_eq!(taken, ingested(3, 0));
        let page = list(&kept.store, user, ItemFilter::All).await;
        let excerpts: Vec<&str> = page.iter().map(|item| item.excerpt.as_str()).collect();
        assert_eq!(excerpts, ["first", "x", "second"]);
        let again = ingest_items(&kept.store, feed, fetched, minutes_after_noon(1)).await;
        assert_eq!(again, Ingested::default());
    })
    .await;
}

#[tokio::test]
async fn a_long_fetch_keeps_its_order() {
    on_each_store(async |kept: TestStore| {
        let (user, feed) = followed(&kept.store).await;
        let mut known: Vec<String> = Vec::new();
        for most in [49, 50, 51, 151] {
            let fetched: Vec<_> = (0..most)
                .map(|number| item(&format!("{number} of {most}"), "x"))
                .collect();
            let new = fetched.iter().map(|new| new.item.title.clone());
            known = new.chain(known).collect();
            ingest_items(&kept.store, feed, fetched, minutes_after_noon(most)).await;
            let found = titles(&kept.store, user, ItemFilter::Unread).await;
            assert_eq!(found, known, "the feed's first is the newest");
        }
    })
    .await;
}

#[tokio::test]
async fn any_text_of_a_feed_is_stored_unchanged() {
    // Incompressible, so that an index would have to hold all of it.
    let mut state = 1_u32;
    let noise: String = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'!' + (state >> 24) as u8 % 90)
    })
    .take(2048)
    .collect();
    let long_path: String = noise.chars().filter(char::is_ascii_alphanumeric).collect();
    let long_url = format!("https://site.example/{long_path}");
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        for (guid, text) in [
            ("nul \0 in \0 it", "one\0two"),
            ("nul  in \0 it", "the same but for the NULs"),
            ("'; DROP TABLE item; --", "$1 ?1 :name {id} %s \\ \" '"),
            (
                "日本語の記事",
                "👩‍👩‍👧‍👦 e\u{301} \u{202e}abc\u{202c} \u{feff}\u{fffd}\u{10ffff}",
            ),
            ("", "nothing in the guid"),
            (&noise, "a guid as long as is kept"),
            ("long", &"word ".repeat(400_000)),
        ] {
            let taken = ingest_items(store, feed, vec![item(guid, text)], NOON).await;
            if guid == "nul  in \0 it" {
                let known = ingested(0, 1);
                assert_eq!(taken, known, "NUL tells nothing apart");
                continue;
            }
            assert_eq!(taken, ingested(1, 0), "{guid}");
            let kept_text = text.replace('\0', "");
            let id = list(store, user, ItemFilter::All).await[0].id;
            let found = store.read(move |db| items::find(db, user, id, NOON)).await;
            let found = found.unwrap().unwrap();
            assert_eq!(
                found.summary.title,
                format!("Title of {guid}").replace('\0', "")
            );
            assert!(
                found.html.as_str() == format!("<p>{kept_text}</p>"),
                "{guid}"
            );
        }
        let mut by_url = item("", "long address");
        by_url.item.guid = None;
        by_url.item.url = Some(WebUrl::parse(&long_url).unwrap());
        for new in [1, 0] {
            let taken = ingest_items(store, feed, vec![by_url.clone()], NOON).await;
            assert_eq!(taken, ingested(new, 0));
        }
    })
    .await;
}

#[tokio::test]
async fn a_date_in_the_future_is_shown_and_does_not_keep_an_item_on_top() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        let dated = |guid, published_at| {
            let mut new = item(guid, "x");
            new.item.published_at = Some(published_at);
            new
        };
        let next_year = NOON + Duration::from_secs(365 * 86_400);
        let yesterday = NOON - Duration::from_secs(86_400);
        let fetched = vec![dated("future", next_year), dated("past", yesterday)];
        ingest_items(store, feed, fetched, NOON).await;
        ingest_items(store, feed, vec![item("later", "x")], minutes_after_noon(1)).await;
        let page = list(store, user, ItemFilter::All).await;
        let seen: Vec<_> = page
            .iter()
            .map(|item| (item.title.as_str(), item.sort_at, item.published_at))
            .collect();
        assert_eq!(
            seen,
            [
                (
                    "Title of later",
                    minutes_after_noon(1),
                    minutes_after_noon(1)
                ),
                ("Title of future", NOON, next_year),
                ("Title of past", yesterday, yesterday),
            ]
        );
        assert!(page[0].is_date_estimated && !page[1].is_date_estimated);
    })
    .await;
}

#[tokio::test]
async fn new_items_are_unread_for_subscribers_only() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        let ben = person(store, "ben@example.org").await;
        let eve = person(store, "eve@example.org").await;
        store.write(move |db| follow(db, ben, feed)).await.unwrap();
        let fetched: Vec<_> = (0..60).map(|n| item(&n.to_string(), "x")).collect();
        ingest_items(store, feed, fetched, NOON).await;
        for (user, expected) in [(ada, 60), (ben, 60), (eve, 0)] {
            let unread = list(store, user, ItemFilter::Unread).await;
            assert_eq!(unread.len(), expected);
        }
        let one = list(store, ada, ItemFilter::Unread).await[0].id;
        assert_eq!(mark(store, eve, one, READ).await, None, "it is not hers");
        assert!(mark(store, ada, one, READ).await.unwrap().read);
        let count = |user| store.read(move |db| subscriptions::find(db, user, feed));
        assert_eq!(count(ada).await.unwrap().unwrap().unread, 59);
        assert_eq!(count(ben).await.unwrap().unwrap().unread, 60);

        let late = store.write(move |db| {
            follow(db, eve, feed)?;
            items::fan_out_on_follow(db, eve, feed)
        });
        late.await.unwrap();
        let unread = titles(store, eve, ItemFilter::Unread).await;
        assert_eq!(unread.len(), 50, "the newest ones of a feed that is known");
        assert_eq!(unread[0], "Title of 0");
        assert_eq!(list(store, eve, ItemFilter::All).await.len(), 60);
    })
    .await;
}

#[tokio::test]
async fn marks_are_the_same_however_often_they_are_set() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        ingest_items(store, feed, vec![item("a", "x")], NOON).await;
        let id = list(store, user, ItemFilter::All).await[0].id;
        let mut expected = Marks {
            read: false,
            starred: false,
        };
        for (read, starred) in [
            (Some(true), None),
            (None, Some(true)),
            (None, None),
            (Some(false), Some(true)),
            (Some(true), Some(false)),
            (Some(false), Some(false)),
        ] {
            let change = MarkChange { read, starred };
            expected.read = read.unwrap_or(expected.read);
            expected.starred = starred.unwrap_or(expected.starred);
            for _ in 0..2 {
                assert_eq!(mark(store, user, id, change).await, Some(expected));
            }
            let shown = &list(store, user, ItemFilter::All).await[0];
            assert_eq!(
                (shown.is_read, shown.is_starred),
                (expected.read, expected.starred)
            );
            let unread = number(&kept.place, "SELECT COUNT(*) FROM unread");
            assert_eq!(unread, i64::from(!expected.read));
            let kinds = rows(&kept.place, "SELECT kind FROM mark ORDER BY kind");
            let mut marks = vec!["1", "2"];
            marks.retain(|kind| match *kind {
                "1" => expected.starred,
                _ => expected.read,
            });
            assert_eq!(kinds, marks);
        }
    })
    .await;
}

#[tokio::test]
async fn feeds_stand_in_the_same_order_on_both_engines() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let user = person(store, "ada@example.org").await;
        for name in [
            "zebra",
            "Äpfel",
            "apple",
            "änderung",
            "Banana",
            "Ö",
            "_",
            "日本",
        ] {
            let feed = feed(store, name).await;
            store.write(move |db| follow(db, user, feed)).await.unwrap();
        }
        let found = store.read(move |db| subscriptions::of_user(db, user)).await;
        let names: Vec<_> = found
            .unwrap()
            .into_iter()
            .map(|one| one.feed.title)
            .collect();
        let expected = [
            "_",
            "apple",
            "Banana",
            "zebra",
            "änderung",
            "Äpfel",
            "Ö",
            "日本",
        ];
        assert_eq!(names, expected);
    })
    .await;
}

#[tokio::test]
async fn an_imported_item_that_its_feed_lists_with_the_same_text_is_new_for_other_subscribers() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        let ben = person(store, "ben@example.org").await;
        store.write(move |db| follow(db, ben, feed)).await.unwrap();
        let imported = store.write(move |db| {
            let new = item("a", "x");
            ingest::import_item(db, ada, feed, "g:a", &new, NOON, 1)
        });
        imported.await.unwrap();
        let origin = "SELECT origin FROM item";
        assert_eq!(rows(&kept.place, origin), ["import"]);
        assert!(titles(store, ben, ItemFilter::All).await.is_empty());
        ingest_items(store, feed, vec![item("a", "x")], NOON).await;
        assert_eq!(rows(&kept.place, origin), ["feed"]);
        for user in [ada, ben] {
            let unread = titles(store, user, ItemFilter::Unread).await;
            assert_eq!(unread, ["Title of a"]);
        }
    })
    .await;
}
