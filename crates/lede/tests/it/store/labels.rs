//! Labels: their items, retention of labelled items, and removal with items, feeds and accounts.

use lede_model::ids::{FeedId, ItemId, LabelId, UserId};
use lede_model::item::{ItemFilter, List, Scope, Start};
use lede_model::label::{LabelName, MAX_ON_ITEM};
use lede_model::mark::MarkChange;
use lede_model::rule::{RuleActions, RuleTerms};
use lede_model::time::Timestamp;
use lede_store::bulk_marks::{self, Bound};
use lede_store::cleanup::{self, Rule};
use lede_store::{Store, feeds, items, labels, lists, marks, merge, rules, subscriptions, users};
use lede_testkit::{TestStore, on_each_store};

use super::{
    NOON, feed, follow, followed, ingest_items, item, list_of, minutes_after_noon, new_feed,
    number, person,
};

async fn label(store: &Store, user: UserId, name: &'static str) -> LabelId {
    let name = LabelName::parse(name).unwrap();
    let added = store.write(move |db| labels::add(db, user, &name, NOON));
    added.await.unwrap().id
}

async fn put_on(store: &Store, user: UserId, label: LabelId, items: &[ItemId]) {
    let items = items.to_vec();
    let put = store.write(move |db| labels::put_on(db, user, label, &items, NOON));
    put.await.unwrap();
}

/// The ids of a feed's items, oldest first.
async fn items_of(store: &Store, user: UserId, feed: FeedId) -> Vec<ItemId> {
    let mut all = list_of(store, user, Scope::Feed(feed), ItemFilter::All).await;
    all.sort_by_key(|item| item.id);
    all.iter().map(|item| item.id).collect()
}

/// The titles of the items with the label, without their common prefix.
async fn titles(store: &Store, user: UserId, label: LabelId, filter: ItemFilter) -> Vec<String> {
    let found = list_of(store, user, Scope::Label(label), filter).await;
    let mut titles: Vec<String> = found
        .iter()
        .map(|item| item.title.replace("Title of ", ""))
        .collect();
    titles.sort();
    titles
}

fn news(count: usize) -> Vec<lede_store::ingest::NewItem> {
    (0..count)
        .map(|n| {
            let mut new = item(&format!("n{n:03}"), "x");
            new.item.url = None;
            new
        })
        .collect()
}

#[tokio::test]
async fn an_item_shows_the_labels_of_the_current_user() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        let ben = person(store, "ben@example.org").await;
        store.write(move |db| follow(db, ben, feed)).await.unwrap();
        ingest_items(store, feed, news(3), NOON).await;
        let all = items_of(store, ada, feed).await;
        let (zoo, apple) = (
            label(store, ada, "Zoo").await,
            label(store, ada, "äpfel").await,
        );
        let of_ben = label(store, ben, "Ben's own").await;
        put_on(store, ada, zoo, &all[..2]).await;
        put_on(store, ada, apple, &all[..1]).await;
        put_on(store, ben, of_ben, &all[..1]).await;
        // Adding a label twice has no effect, and neither has adding another user's label.
        put_on(store, ada, zoo, &all[..1]).await;
        put_on(store, ada, of_ben, &all).await;
        put_on(store, ben, zoo, &all).await;
        let shown = async |user: UserId| {
            let mut page = list_of(store, user, Scope::Everything, ItemFilter::All).await;
            page.sort_by_key(|item| item.id);
            let names = page.into_iter().map(|item| {
                let names: Vec<String> = item.labels.into_iter().map(|own| own.name).collect();
                names.join(", ")
            });
            names.collect::<Vec<_>>()
        };
        assert_eq!(shown(ada).await, ["Zoo, äpfel", "Zoo", ""]);
        assert_eq!(shown(ben).await, ["Ben's own", "", ""]);
        let first = all[0];
        let found = store.read(move |db| items::find(db, ada, first, NOON));
        let found = found.await.unwrap().unwrap().summary.labels;
        assert_eq!(
            found.iter().map(|own| own.id).collect::<Vec<_>>(),
            [zoo, apple]
        );
        let counts = store.read(move |db| labels::unread(db, ada)).await.unwrap();
        assert_eq!((counts[&zoo], counts[&apple]), (2, 1));
        let read = MarkChange {
            read: Some(true),
            starred: None,
        };
        let marked = store.write(move |db| marks::set(db, ada, first, read, NOON));
        marked.await.unwrap();
        let counts = store.read(move |db| labels::unread(db, ada)).await.unwrap();
        assert_eq!((counts.get(&zoo), counts.get(&apple)), (Some(&1), None));
        assert_eq!(titles(store, ada, zoo, ItemFilter::Unread).await, ["n001"]);
        let taken = store.write(move |db| {
            labels::take_off(db, ada, of_ben, &[first])?;
            labels::take_off(db, ada, zoo, &[first])
        });
        taken.await.unwrap();
        assert_eq!(shown(ada).await, ["äpfel", "Zoo", ""]);
        assert_eq!(shown(ben).await, ["Ben's own", "", ""]);
    })
    .await;
}

#[tokio::test]
async fn a_thousand_items_are_labelled_at_once_and_none_beyond_its_limit() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        ingest_items(store, feed, news(1_000), NOON).await;
        let all = items_of(store, ada, feed).await;
        let foreign = super::feed(store, "foreign").await;
        ingest_items(store, foreign, news(1), NOON).await;
        let theirs = ItemId::from(number(&kept.place, "SELECT MAX(id) FROM item"));
        assert!(!all.contains(&theirs));
        let full = all[0];
        for number in 0..MAX_ON_ITEM {
            let name = LabelName::parse(&number.to_string()).unwrap();
            let put = store.write(move |db| {
                let label = labels::add(db, ada, &name, NOON)?.id;
                labels::put_on(db, ada, label, &[full], NOON)
            });
            put.await.unwrap();
        }
        let later = label(store, ada, "later").await;
        let with_foreign: Vec<ItemId> = all.iter().copied().chain([theirs]).collect();
        put_on(store, ada, later, &with_foreign).await;
        let count = format!("SELECT COUNT(*) FROM item_label WHERE label_id = {later}");
        assert_eq!(
            number(&kept.place, &count),
            999,
            "all but the full one and the foreign one"
        );
        let all_but_one = all[..999].to_vec();
        let taken = store.write(move |db| labels::take_off(db, ada, later, &all_but_one));
        taken.await.unwrap();
        assert_eq!(number(&kept.place, &count), 1);
    })
    .await;
}

#[tokio::test]
async fn what_is_labelled_is_not_cleaned_up() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        ingest_items(store, feed, news(4), NOON).await;
        let all = items_of(store, ada, feed).await;
        let read = MarkChange {
            read: Some(true),
            starred: None,
        };
        for item in all[..2].iter().copied() {
            let marked = store.write(move |db| marks::set(db, ada, item, read, NOON));
            marked.await.unwrap();
        }
        let later = label(store, ada, "later").await;
        put_on(store, ada, later, &[all[0], all[2]]).await;
        let before = minutes_after_noon(60);
        for (rule, may_go) in [(Rule::Read, all[1]), (Rule::Unread, all[3])] {
            let slice = store.read(move |db| cleanup::walk(db, rule, before, None, 10));
            assert_eq!(slice.await.unwrap().found, [may_go]);
            // A user adds a label between the walk and the removal.
            let late = all.clone();
            put_on(store, ada, later, &[may_go]).await;
            let removed = store.write(move |db| cleanup::remove(db, rule, before, &late, before));
            assert_eq!(removed.await.unwrap(), 0);
            let taken = store.write(move |db| labels::take_off(db, ada, later, &[may_go]));
            taken.await.unwrap();
            let late = all.clone();
            let removed = store.write(move |db| cleanup::remove(db, rule, before, &late, before));
            assert_eq!(removed.await.unwrap(), 1);
        }
        assert_eq!(items_of(store, ada, feed).await, [all[0], all[2]]);
        // Removing an item removes its labels.
        let all = items_of(store, ada, feed).await;
        let removed = store.write(move |db| items::remove(db, &all, NOON));
        removed.await.unwrap();
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM item_label"), 0);
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM label"), 1);
    })
    .await;
}

#[tokio::test]
async fn labels_go_with_the_account_and_stay_without_the_subscription_and_when_feeds_become_one() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, old) = followed(store).await;
        let new = feed(store, "new").await;
        let third = feed(store, "third").await;
        store
            .write(move |db| {
                follow(db, ada, new)?;
                follow(db, ada, third)
            })
            .await
            .unwrap();
        let later = label(store, ada, "later").await;
        for feed in [old, new, third] {
            let mut fetched = news(1);
            let mut own = item(&format!("only {feed}"), "x");
            own.item.url = None;
            fetched.push(own);
            ingest_items(store, feed, fetched, NOON).await;
        }
        let both = items_of(store, ada, old).await;
        put_on(store, ada, later, &both).await;
        let others = items_of(store, ada, third).await;
        put_on(store, ada, later, &others).await;
        let merged = store.write(move |db| {
            let kept = feeds::find_by_url(db, &new_feed("new").url)?.expect("it is there");
            merge::merge(db, old, &kept, NOON)
        });
        assert!(merged.await.unwrap());
        let (only_old, only_third) = (format!("only {old}"), format!("only {third}"));
        assert_eq!(
            titles(store, ada, later, ItemFilter::All).await,
            ["n000", "n000", &only_old, &only_third]
        );
        let left = store.write(move |db| subscriptions::remove(db, ada, third, NOON));
        assert!(left.await.unwrap());
        assert_eq!(
            titles(store, ada, later, ItemFilter::All).await,
            ["n000", "n000", &only_old, &only_third]
        );
        let counted =
            store.read(move |db| lists::count(db, ada, Scope::Label(later), ItemFilter::All));
        assert_eq!(
            counted.await.unwrap(),
            4,
            "a label outlives the subscription"
        );
        store.write(move |db| users::delete(db, ada)).await.unwrap();
        for table in ["label", "item_label"] {
            assert_eq!(
                number(&kept.place, &format!("SELECT COUNT(*) FROM {table}")),
                0
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_label_is_marked_read_in_steps_up_to_what_was_seen_and_put_back() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        ingest_items(store, feed, news(30), NOON).await;
        let all = items_of(store, ada, feed).await;
        let later = label(store, ada, "later").await;
        put_on(store, ada, later, &all[..20]).await;
        let bound = Bound {
            newest: all[14],
            before: Timestamp::from_ms(i64::MAX),
        };
        let begun =
            store.write(move |db| bulk_marks::begin(db, ada, Scope::Label(later), NOON, NOON));
        let (bulk_mark, progress) = begun.await.unwrap();
        let (mut left, mut removed, mut steps) = (Some(progress), 0, 0);
        while let Some(progress) = left {
            let step =
                store.write(move |db| bulk_marks::step(db, ada, bulk_mark, bound, &progress, 7));
            let (some, rest) = step.await.unwrap();
            (left, removed, steps) = (rest, removed + some, steps + 1);
        }
        assert_eq!((removed, steps), (15, 3));
        let unread = async |scope| list_of(store, ada, scope, ItemFilter::Unread).await.len();
        assert_eq!(unread(Scope::Label(later)).await, 5);
        assert_eq!(
            unread(Scope::Everything).await,
            15,
            "what has no label stays unread"
        );
        let counted = store
            .read(move |db| lists::count(db, ada, Scope::Everything, ItemFilter::Unread))
            .await
            .unwrap();
        assert_eq!(counted, 15);
        let mut has_more = true;
        while has_more {
            let back = store.write(move |db| bulk_marks::step_back(db, ada, bulk_mark, NOON, 4));
            has_more = back.await.unwrap().1;
        }
        assert_eq!(unread(Scope::Everything).await, 30);
    })
    .await;
}

#[tokio::test]
async fn rules_label_what_is_new_and_one_that_only_did_that_goes_with_the_label() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (ada, feed) = followed(store).await;
        let (one, other) = (
            label(store, ada, "one").await,
            label(store, ada, "other").await,
        );
        let added = store.write(move |db| {
            let terms = |query: &str, star: bool| RuleTerms {
                enabled: true,
                query: Some(query.to_owned()),
                actions: RuleActions {
                    star,
                    ..RuleActions::default()
                },
                ..RuleTerms::default()
            };
            rules::add(db, ada, &terms("x", false), Some(one), NOON)?;
            rules::add(db, ada, &terms("title:n001", true), Some(other), NOON)?;
            // A new item has no labels yet, so this rule never matches.
            rules::add(db, ada, &terms("label:one", true), None, NOON)?;
            rules::of_user(db, ada)
        });
        let names: Vec<_> = added
            .await
            .unwrap()
            .into_iter()
            .map(|rule| rule.terms.label)
            .collect();
        assert_eq!(
            names,
            [Some("one".to_owned()), Some("other".to_owned()), None]
        );
        ingest_items(store, feed, news(3), NOON).await;
        assert_eq!(
            titles(store, ada, one, ItemFilter::Unread).await,
            ["n000", "n001", "n002"]
        );
        assert_eq!(
            titles(store, ada, other, ItemFilter::Starred).await,
            ["n001"]
        );
        let starred = list_of(store, ada, Scope::Everything, ItemFilter::Starred).await;
        assert_eq!(starred.len(), 1);
        let left = store.write(move |db| {
            assert!(labels::remove(db, ada, one)?);
            assert!(labels::remove(db, ada, other)?);
            assert!(!labels::remove(db, ada, other)?);
            rules::of_user(db, ada)
        });
        let left = left.await.unwrap();
        let queries: Vec<_> = left
            .iter()
            .map(|rule| rule.terms.query.as_deref())
            .collect();
        assert_eq!(queries, [Some("title:n001"), Some("label:one")]);
        assert_eq!(left[0].terms.label, None);
        let mut later = item("later", "x");
        later.item.url = None;
        ingest_items(store, feed, vec![later], minutes_after_noon(1)).await;
        assert_eq!(number(&kept.place, "SELECT COUNT(*) FROM item_label"), 0);
        let page = store.read(move |db| lists::page(db, ada, List::default(), Start::FIRST, 10));
        assert!(
            page.await
                .unwrap()
                .iter()
                .all(|item| item.labels.is_empty())
        );
    })
    .await;
}
