//! Rules in cases that the API does not reach: feeds that are merged, stopped or followed by thousands.

use lede_model::ids::{CategoryId, FeedId, UserId};
use lede_model::item::ItemFilter;
use lede_model::rule::{RuleActions, RuleTerms};
use lede_store::{Store, feeds, merge, rules};
use lede_testkit::{TestStore, on_each_store};

use super::search::{category, put_into};
use super::{
    NOON, feed, follow, followed, ingest_items, item, list, minutes_after_noon, new_feed, number,
    person,
};

pub(super) const HIDE: RuleActions = RuleActions {
    mark_read: false,
    star: false,
    hide: true,
    notify: false,
};
const STAR: RuleActions = RuleActions {
    star: true,
    hide: false,
    ..HIDE
};
pub(super) const NOTIFY: RuleActions = RuleActions {
    notify: true,
    hide: false,
    ..HIDE
};

pub(super) async fn add(store: &Store, user: UserId, terms: RuleTerms) {
    let terms = RuleTerms {
        enabled: true,
        ..terms
    };
    let added = store.write(move |db| rules::add(db, user, &terms, None, NOON));
    added.await.unwrap();
}

pub(super) fn for_query(query: &str, actions: RuleActions) -> RuleTerms {
    RuleTerms {
        query: Some(query.to_owned()),
        actions,
        ..RuleTerms::default()
    }
}

async fn titles(store: &Store, user: UserId, filter: ItemFilter) -> Vec<String> {
    let page = list(store, user, filter).await;
    let mut titles: Vec<String> = page
        .iter()
        .map(|item| item.title.replace("Title of ", ""))
        .collect();
    titles.sort();
    titles
}

#[tokio::test]
async fn a_rule_follows_its_feed_into_another() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, old) = followed(store).await;
        let new = feed(store, "new").await;
        let by_feed = RuleTerms {
            feed: Some(old),
            actions: STAR,
            ..RuleTerms::default()
        };
        add(store, user, by_feed).await;
        add(store, user, for_query("twice", HIDE)).await;
        // The item is in both feeds, and hidden where Ada has it.
        ingest_items(store, old, vec![item("both", "twice")], NOON).await;
        ingest_items(store, new, vec![item("both", "twice")], NOON).await;
        store.write(move |db| follow(db, user, new)).await.unwrap();
        let merged = store.write(move |db| {
            let kept = feeds::find_by_url(db, &new_feed("new").url)?.expect("it is there");
            merge::merge(db, old, &kept, NOON)
        });
        assert!(merged.await.unwrap());
        let left = store
            .read(move |db| rules::of_user(db, user))
            .await
            .unwrap();
        assert_eq!(left[0].terms.feed, Some(new));
        let none: [&str; 0] = [];
        assert_eq!(titles(store, user, ItemFilter::All).await, none);
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM unread"), 0);
        ingest_items(store, new, vec![item("later", "x")], minutes_after_noon(5)).await;
        assert_eq!(titles(store, user, ItemFilter::Starred).await, ["later"]);
    })
    .await;
}

#[tokio::test]
async fn a_query_that_is_no_longer_understood_disables_only_itself() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        add(store, user, for_query("is:nonsense", HIDE)).await;
        add(store, user, for_query("word", STAR)).await;
        ingest_items(store, feed, vec![item("a", "word")], NOON).await;
        assert_eq!(titles(store, user, ItemFilter::Unread).await, ["a"]);
        assert_eq!(titles(store, user, ItemFilter::Starred).await, ["a"]);
    })
    .await;
}

#[tokio::test]
async fn a_category_means_the_feeds_in_it_and_in_those_inside() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, inside) = followed(store).await;
        let outside = feed(store, "outside").await;
        store
            .write(move |db| follow(db, user, outside))
            .await
            .unwrap();
        let news = category(&kept.place, user, "News", None);
        let world = category(&kept.place, user, "World", Some(news));
        put_into(&kept.place, user, inside, world);
        let of_category = RuleTerms {
            category: Some(CategoryId::from(news)),
            actions: STAR,
            ..RuleTerms::default()
        };
        add(store, user, of_category).await;
        add(store, user, for_query("category:news hidden", HIDE)).await;
        for (feed, name) in [(inside, "in"), (outside, "out")] {
            let news = vec![item(name, "x"), item(&format!("{name} 2"), "hidden")];
            ingest_items(store, feed, news, NOON).await;
        }
        assert_eq!(
            titles(store, user, ItemFilter::All).await,
            ["in", "out", "out 2"]
        );
        assert_eq!(titles(store, user, ItemFilter::Starred).await, ["in"]);
    })
    .await;
}

#[tokio::test]
async fn many_people_and_items_are_dealt_with_at_once() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed): (UserId, FeedId) = followed(store).await;
        let all = RuleActions {
            mark_read: true,
            star: true,
            hide: false,
            notify: true,
        };
        let ben = person(store, "ben@example.org").await;
        store.write(move |db| follow(db, ben, feed)).await.unwrap();
        for user in [ada, ben] {
            add(store, user, for_query("word", all)).await;
        }
        let news = (0..170).map(|n| item(&n.to_string(), if n % 2 == 0 { "word" } else { "x" }));
        ingest_items(store, feed, news.collect(), NOON).await;
        for user in [ada, ben] {
            assert_eq!(list(store, user, ItemFilter::Unread).await.len(), 85);
            assert_eq!(list(store, user, ItemFilter::Starred).await.len(), 85);
        }
        let marks = number(&kept.place, "SELECT COUNT(*) FROM mark WHERE kind = 2");
        assert_eq!(marks, 0, "nobody read them, and nothing says when");
        assert_eq!(
            number(&kept.place, "SELECT COUNT(*) FROM notification"),
            170
        );
    })
    .await;
}
