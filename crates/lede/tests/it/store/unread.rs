//! Counters of items and unread items: after any change they equal the number of rows.

use lede_model::ids::{BulkMarkId, FeedId, ItemId, UserId};
use lede_model::item::{ItemFilter, List, Scope, Start};
use lede_model::mark::MarkChange;
use lede_model::rule::{RuleActions, RuleTerms};
use lede_model::schedule::FailurePolicy;
use lede_model::time::Timestamp;
use lede_store::bulk_marks::{self, Bound};
use lede_store::subscriptions::Change;
use lede_store::takeout::{self, ItemMarks};
use lede_store::{
    DatabaseLocation, Db, Store, StoreResult, categories, cleanup, feeds, ingest, item_counts,
    items, lists, marks, merge, pg_notify, rules, subscriptions, unread,
};
use lede_testkit::{TestStore, on_each_store};

use super::{CLEANING, NOON, follow, item, minutes_after_noon, new_feed, number, person, rows};

const FEEDS: [&str; 4] = ["a", "b", "c", "d"];
/// Actions per sequence, and number of sequences.
const DEEDS: u64 = 120;
const LIVES: u64 = 4;

/// Deterministic random numbers.
#[derive(Clone)]
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn one_of<T: Copy>(&mut self, some: &[T]) -> Option<T> {
        (!some.is_empty()).then(|| some[self.below(some.len())])
    }
}

/// The id of the feed with this name; creates it again if a merge has removed it.
fn known(db: &mut Db<'_>, name: &str) -> StoreResult<FeedId> {
    Ok(feeds::add(db, &new_feed(name), FailurePolicy::Patient, NOON)?.id)
}

fn all_of(db: &mut Db<'_>, user: UserId, filter: ItemFilter) -> StoreResult<Vec<ItemId>> {
    let list = List {
        filter,
        ..List::default()
    };
    let page = lists::page(db, user, list, Start::FIRST, 10_000)?;
    Ok(page.into_iter().map(|item| item.id).collect())
}

fn mark_all(db: &mut Db<'_>, user: UserId, scope: Scope, bound: Bound) -> StoreResult<BulkMarkId> {
    let (id, progress) = bulk_marks::begin(db, user, scope, NOON, NOON)?;
    let mut left = Some(progress);
    while let Some(progress) = left {
        (_, left) = bulk_marks::step(db, user, id, bound, &progress, 3)?;
    }
    Ok(id)
}

/// Kinds of actions. The last one removes a feed; a lease prevents that while the feed is being fetched.
const KINDS: usize = 17;

/// Performs one random action, of the first `kinds`, that changes items or unread state.
fn act(
    db: &mut Db<'_>,
    kinds: usize,
    people: &[UserId],
    bulk_marks_made: &mut Vec<(UserId, BulkMarkId)>,
    turn: u64,
    dice: &mut Dice,
) -> StoreResult<()> {
    let now = minutes_after_noon(turn);
    let user = people[dice.below(people.len())];
    let name = FEEDS[dice.below(FEEDS.len())];
    let feed = known(db, name)?;
    match dice.below(kinds) {
        0..4 => {
            // Some keys repeat, also across feeds; some texts match a rule.
            let new: Vec<_> = (0..dice.below(5))
                .map(|_| {
                    let text = ["plain", "seen", "plain too"][dice.below(3)];
                    item(&dice.below(60).to_string(), text)
                })
                .collect();
            ingest::ingest(db, feed, &new, CLEANING, now)?;
        }
        4..6 => {
            let theirs = all_of(db, user, ItemFilter::All)?;
            if let Some(item) = dice.one_of(&theirs) {
                let change = MarkChange {
                    read: Some(dice.below(2) == 0),
                    starred: None,
                };
                marks::set(db, user, item, change, now)?;
            }
        }
        6 => {
            let newest = all_of(db, user, ItemFilter::Unread)?;
            let newest = dice.one_of(&newest).unwrap_or(ItemId::from(i64::MAX));
            let before = Timestamp::from_ms(i64::MAX);
            let bound = Bound { newest, before };
            bulk_marks_made.push((user, mark_all(db, user, Scope::Everything, bound)?));
        }
        7 => {
            let bound = Bound {
                newest: ItemId::from(i64::MAX),
                before: now,
            };
            bulk_marks_made.push((user, mark_all(db, user, Scope::Feed(feed), bound)?));
        }
        8 => {
            let mut some = all_of(db, user, ItemFilter::All)?;
            some.truncate(dice.below(5));
            let (id, _) = bulk_marks::begin(db, user, Scope::Everything, NOON, NOON)?;
            bulk_marks::mark_read(db, user, id, &some, now)?;
            bulk_marks_made.push((user, id));
        }
        9 => {
            if let Some((user, bulk_mark)) = bulk_marks_made.pop() {
                while bulk_marks::step_back(db, user, bulk_mark, NOON, 3)?.1 {}
            }
        }
        10 => {
            if !subscriptions::remove(db, user, feed, NOON)? {
                follow(db, user, feed)?;
                items::fan_out_on_follow(db, user, feed)?;
            }
        }
        11 => {
            let to = known(db, FEEDS[dice.below(FEEDS.len())])?;
            if subscriptions::move_to(db, user, feed, to, NOON)? {
                items::fan_out_on_follow(db, user, to)?;
            }
        }
        12 => {
            let mut some = all_of(db, user, ItemFilter::All)?;
            some.truncate(dice.below(4) + 1);
            let rule = [cleanup::Rule::Read, cleanup::Rule::Unread][dice.below(2)];
            if !some.is_empty() {
                cleanup::remove(db, rule, minutes_after_noon(1000), &some, now)?;
            }
        }
        13 => {
            let marked = (0..dice.below(20)).map(|key| ItemMarks {
                key: format!("g:{key}"),
                is_read: key % 2 == 0,
                read_at: (key % 3 == 0).then_some(now),
                is_hidden: false,
            });
            let marked: Vec<_> = marked.collect();
            if subscriptions::find(db, user, feed)?.is_some() {
                takeout::set_marks(db, user, feed, &marked, now)?;
            }
        }
        14 => {
            let paused = Some(dice.below(2) == 0);
            let change = Change {
                paused,
                ..Change::default()
            };
            if let Some(own) = subscriptions::find(db, user, feed)? {
                subscriptions::set(db, user, own.id, &change, now)?;
            }
            unread::remove_left_over(db, user, 3)?;
        }
        15 => {
            let key = dice.below(60).to_string();
            ingest::import_item(
                db,
                user,
                feed,
                &format!("g:{key}"),
                &item(&key, "imported"),
                now,
                1,
            )?;
        }
        _ => {
            let into = FEEDS[dice.below(FEEDS.len())];
            known(db, into)?;
            let into = feeds::find_by_url(db, &new_feed(into).url)?.expect("it is there");
            merge::merge(db, feed, &into, now)?;
        }
    }
    Ok(())
}

/// Number of feeds and subscriptions with a wrong counter, and of unread rows without a subscription.
const WRONG: &str = "SELECT
    (SELECT COUNT(*) FROM feed f WHERE f.items <> (SELECT COUNT(*) FROM item i WHERE i.feed_id = f.id))
  + (SELECT COUNT(*) FROM subscription s WHERE s.unread <>
        (SELECT COUNT(*) FROM unread u JOIN account a ON a.id = u.user_id AND a.round = u.round
         WHERE u.user_id = s.user_id AND u.feed_id = s.feed_id))
  + (SELECT COUNT(*) FROM unread u JOIN account a ON a.id = u.user_id AND a.round = u.round
     WHERE NOT EXISTS (SELECT 1 FROM subscription s WHERE s.user_id = u.user_id AND s.feed_id = u.feed_id))";

/// Two users who follow all feeds, one of them with a rule.
async fn two_people(store: &Store) -> Vec<UserId> {
    let people = vec![
        person(store, "ada@example.org").await,
        person(store, "ben@example.org").await,
    ];
    let everybody = people.clone();
    let begun = store.write(move |db| {
        for user in &everybody {
            for name in FEEDS {
                let feed = known(db, name)?;
                follow(db, *user, feed)?;
            }
        }
        let seen = RuleTerms {
            enabled: true,
            query: Some("seen".to_owned()),
            actions: RuleActions {
                mark_read: true,
                ..RuleActions::default()
            },
            ..RuleTerms::default()
        };
        rules::add(db, everybody[0], &seen, None, NOON).map(drop)
    });
    begun.await.unwrap();
    people
}

/// Asserts that every way to count agrees with the list.
async fn check_answers(store: &Store, place: &DatabaseLocation, user: UserId) {
    let asked = store.read(move |db| {
        let listed = all_of(db, user, ItemFilter::Unread)?.len() as i64;
        let everything = lists::count(db, user, Scope::Everything, ItemFilter::Unread)?;
        let followed = subscriptions::of_user(db, user)?;
        let all = all_of(db, user, ItemFilter::All)?.len() as i64;
        let counted = lists::count(db, user, Scope::Everything, ItemFilter::All)?;
        assert_eq!(counted, all);
        let mut by_feed = 0;
        for own in &followed {
            let scope = Scope::Feed(own.feed.id);
            by_feed += lists::count(db, user, scope, ItemFilter::All)?;
            let in_feed = lists::count(db, user, scope, ItemFilter::Unread)?;
            assert_eq!(in_feed, own.unread);
            for told in pg_notify::unread_of_followers(db, own.feed.id, &[user])? {
                assert_eq!((told.in_feed, told.total), (own.unread, listed));
            }
        }
        assert_eq!(by_feed, all);
        let by_feed: i64 = followed.iter().map(|own| own.unread).sum();
        let by_category: i64 = categories::unread(db, user)?.values().sum();
        Ok((listed, everything, by_feed, by_category))
    });
    let (listed, everything, by_feed, by_category) = asked.await.unwrap();
    assert_eq!((everything, by_feed, by_category), (listed, listed, 0));
    let rows = format!(
        "SELECT COUNT(*) FROM unread u JOIN account a ON a.id = u.user_id AND a.round = u.round
         WHERE a.id = {user}"
    );
    assert_eq!(number(place, &rows), listed);
}

#[tokio::test]
async fn the_numbers_are_right_whatever_happens() {
    for life in 0..LIVES {
        on_each_store(async |kept: TestStore| {
            let store = &kept.store;
            let people = two_people(store).await;
            let (mut dice, mut marked) = (Dice(life + 1), Vec::new());
            for turn in 0..DEEDS {
                let everybody = people.clone();
                let (before, known) = (dice.clone(), marked.clone());
                // PostgreSQL may run the closure twice: both times with the same random numbers.
                let acted = store.write(move |db| {
                    let (mut dice, mut marked) = (before.clone(), known.clone());
                    act(db, KINDS, &everybody, &mut marked, turn, &mut dice)?;
                    Ok((dice, marked))
                });
                (dice, marked) = acted.await.unwrap();
                assert_eq!(number(&kept.place, WRONG), 0, "life {life}, turn {turn}");
            }
            for user in people {
                check_answers(store, &kept.place, user).await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn the_numbers_are_right_after_many_things_at_once() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let people = two_people(store).await;
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..24 {
            let (store, people) = (store.clone(), people.clone());
            tasks.spawn(async move {
                for turn in 0..6 {
                    let people = people.clone();
                    let acted = store.write(move |db| {
                        let mut dice = Dice(number * 1000 + turn);
                        act(db, KINDS - 1, &people, &mut Vec::new(), turn, &mut dice)
                    });
                    acted.await.unwrap();
                }
            });
        }
        tasks.join_all().await;
        assert_eq!(number(&kept.place, WRONG), 0);
        for user in people {
            check_answers(store, &kept.place, user).await;
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_left_over_goes_in_steps_and_wrong_numbers_are_put_right() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let people = two_people(store).await;
        let user = people[0];
        let begun = store.write(move |db| {
            let feed = known(db, "a")?;
            let new: Vec<_> = (0..10).map(|key| item(&key.to_string(), "x")).collect();
            ingest::ingest(db, feed, &new, CLEANING, NOON)?;
            let bound = Bound {
                newest: ItemId::from(i64::MAX),
                before: Timestamp::from_ms(i64::MAX),
            };
            let id = mark_all(db, user, Scope::Everything, bound)?;
            ingest::ingest(db, feed, &[item("later", "x")], CLEANING, NOON)?;
            Ok(id)
        });
        let marked = begun.await.unwrap();
        let all = "SELECT COUNT(*) FROM unread";
        assert_eq!(number(&kept.place, all), 10 + 1 + 11);
        // As long as the bulk mark can be undone, there are no leftover rows.
        let removed = store.write(move |db| unread::remove_left_over(db, user, 6));
        assert_eq!(removed.await.unwrap(), 0);
        let forgotten = store.write(move |db| bulk_marks::remove(db, user, marked));
        forgotten.await.unwrap();
        for gone in [6, 4, 0] {
            let removed = store.write(move |db| unread::remove_left_over(db, user, 6));
            assert_eq!(removed.await.unwrap(), gone);
        }
        assert_eq!(number(&kept.place, all), 1 + 11);
        check_answers(store, &kept.place, user).await;

        rows(&kept.place, "UPDATE subscription SET unread = unread + 7");
        for wrong in [FEEDS.len() as u64, 0] {
            let counted = store.write(move |db| unread::recount_of_user(db, user));
            assert_eq!(counted.await.unwrap(), wrong);
        }
        rows(
            &kept.place,
            "UPDATE feed SET items = items + 7 WHERE title <> 'b'",
        );
        for wrong in [FEEDS.len() - 1, 0] {
            let counted = store.write(move |db| {
                let mut looked = item_counts::check_next(db, FeedId::from(0), 2)?;
                looked.extend(item_counts::check_next(db, looked[1].0, 100)?);
                assert_eq!(looked.len(), FEEDS.len());
                looked.retain(|(_, is_wrong)| *is_wrong);
                for (feed, _) in &looked {
                    item_counts::recount(db, *feed)?;
                }
                Ok(looked.len())
            });
            assert_eq!(counted.await.unwrap(), wrong);
        }
        check_answers(store, &kept.place, user).await;
    })
    .await;
}
