//! Item identity in the store, tested with random documents and sequences of fetches.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use lede_model::address::WebUrl;
use lede_model::content::ContentHash;
use lede_model::ids::{FeedId, ItemId, UserId};
use lede_model::item::{Enclosure, ItemFilter, ItemSummary, Scope};
use lede_model::mark::MarkChange;
use lede_model::schedule::FailurePolicy;
use lede_model::time::Timestamp;
use lede_store::ingest::NewItem;
use lede_store::{Engine, Store, feeds, marks};
use lede_testkit::{TestStore, on_each_store};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestRunner};

use super::{
    NOON, follow, followed, ingest_items, item, list_of, minutes_after_noon, new_feed, person,
};

/// Sequences of fetches tried on each engine.
const HISTORIES: u32 = 48;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Guids {
    None,
    Own,
    One,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Links {
    None,
    Own,
    One,
    Fragments,
    OneFragment,
}

/// Properties that the entries of a feed have and differ in.
#[derive(Debug, Clone, Copy)]
struct Shape {
    guids: Guids,
    links: Links,
    is_dated: bool,
    /// Titles repeat, with other dates.
    has_few_titles: bool,
    /// Entries of one title differ only in their enclosures.
    has_files: bool,
}

impl Shape {
    /// True if an entry is still recognised after its text changed.
    fn allows_edits(self) -> bool {
        self.guids == Guids::Own || matches!(self.links, Links::Own | Links::Fragments)
    }

    fn entry(self, number: usize, edition: usize, dating: u64) -> NewItem {
        let text = match (self.has_files, edition) {
            (true, _) => "Listen!".to_owned(),
            (false, 0) => format!("Text of {number}"),
            (false, edition) => format!("Text of {number}, edition {edition}"),
        };
        let mut new = item("", &text);
        new.item.guid = match self.guids {
            Guids::None => None,
            Guids::Own => Some(format!("guid-{number}")),
            Guids::One => Some("guid".to_owned()),
        };
        let url = match self.links {
            Links::None => None,
            Links::Own => Some(format!("https://site.example/{number}")),
            Links::One => Some("https://site.example/page".to_owned()),
            Links::Fragments => Some(format!("https://site.example/page#{number}")),
            Links::OneFragment => Some("https://site.example/page#all".to_owned()),
        };
        new.item.url = url.as_deref().map(|url| WebUrl::parse(url).unwrap());
        new.item.title = match self.has_few_titles {
            true => format!("Title {}", number % 2),
            false => format!("Title {number}"),
        };
        new.item.published_at = self
            .is_dated
            .then(|| minutes_after_noon(number as u64 * 1000 + dating));
        if self.has_files {
            new.details.enclosures = vec![Enclosure {
                url: WebUrl::parse(&format!("https://site.example/{number}.mp3")).unwrap(),
                mime_type: None,
                bytes: None,
                caption: None,
            }];
        }
        new.item.hash = ContentHash::of([
            new.item.title.as_str(),
            url.as_deref().unwrap_or_default(),
            text.as_str(),
        ]);
        // Identifies the entry of a row for the test; it is not part of the comparison.
        new.item.author = Some(number.to_string());
        new
    }
}

fn shapes() -> impl Strategy<Value = Shape> {
    let guids = select(vec![Guids::None, Guids::Own, Guids::One]);
    let links = select(vec![
        Links::None,
        Links::Own,
        Links::One,
        Links::Fragments,
        Links::OneFragment,
    ]);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let shapes = (guids, links, flags);
    shapes.prop_map(
        |(guids, links, (is_dated, is_repetitive, has_files))| Shape {
            guids,
            links,
            is_dated,
            // Without a date, a repeated title is the same item with another text.
            has_few_titles: is_dated && is_repetitive,
            has_files,
        },
    )
}

/// A document: its entries in order, and changes to their dates and texts.
#[derive(Debug, Clone)]
struct Document {
    entries: Vec<usize>,
    is_dated_anew: bool,
    is_edited: bool,
}

/// Documents of a feed with at most twelve entries: they grow, shrink, rotate and lose all earlier entries.
fn documents() -> impl Strategy<Value = Vec<Document>> {
    let document = (
        prop::collection::btree_set(0_usize..12, 1..10),
        any::<Index>(),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    );
    let document = document.prop_map(|(entries, turn, reversed, is_dated_anew, is_edited)| {
        let mut entries: Vec<usize> = entries.into_iter().collect();
        let turn = turn.index(entries.len());
        entries.rotate_left(turn);
        if reversed {
            entries.reverse();
        }
        Document {
            entries,
            is_dated_anew,
            is_edited,
        }
    });
    // Starts with two entries: with a single one, nothing shows yet that another entry with the
    // same id and link is a different item.
    let first = Just(Document {
        entries: vec![0, 1],
        is_dated_anew: false,
        is_edited: false,
    });
    let later = prop::collection::vec(document, 1..6);
    (first, later).prop_map(|(first, later)| [vec![first], later].concat())
}

/// Ingests one document after another into a new feed, and marks everything read in between.
async fn check(
    store: &Store,
    user: UserId,
    feed: FeedId,
    shape: Shape,
    history: &[Document],
) -> Result<(), TestCaseError> {
    let mut known: BTreeMap<ItemId, usize> = BTreeMap::new();
    for (place, document) in history.iter().enumerate() {
        let edition = match document.is_edited && shape.allows_edits() {
            true => place,
            false => 0,
        };
        let dating = if document.is_dated_anew { place } else { 0 };
        let entry = |number: &usize| shape.entry(*number, edition, dating as u64);
        let fetched: Vec<NewItem> = document.entries.iter().map(entry).collect();
        let seen: BTreeSet<usize> = known.values().copied().collect();
        let new: BTreeSet<usize> = document.entries.iter().copied().collect();
        let new: BTreeSet<usize> = new.difference(&seen).copied().collect();

        let now = NOON + Duration::from_secs(3600 * place as u64);
        let taken = ingest_items(store, feed, fetched.clone(), now).await;
        prop_assert_eq!(taken.new, new.len(), "new in fetch {}", place);
        let all = list_of(store, user, Scope::Feed(feed), ItemFilter::All).await;
        prop_assert_eq!(
            all.len(),
            seen.len() + new.len(),
            "kept after fetch {}",
            place
        );
        for item in &all {
            let entry: usize = item.author.as_deref().unwrap_or_default().parse().unwrap();
            let before = *known.entry(item.id).or_insert(entry);
            prop_assert_eq!(before, entry, "an item became another in fetch {}", place);
            prop_assert_eq!(item.is_read, !new.contains(&entry), "entry {}", entry);
        }
        let again = ingest_items(store, feed, fetched, now).await;
        prop_assert_eq!((again.new, again.updated), (0, 0), "fetch {} again", place);
        read_all(store, user, &all, now).await;
    }
    Ok(())
}

async fn read_all(store: &Store, user: UserId, items: &[ItemSummary], now: Timestamp) {
    let unread = items.iter().filter(|item| !item.is_read);
    let unread: Vec<ItemId> = unread.map(|item| item.id).collect();
    let marked = store.write(move |db| {
        for item in &unread {
            let change = MarkChange {
                read: Some(true),
                starred: None,
            };
            marks::set(db, user, *item, change, now)?;
        }
        Ok(())
    });
    marked.await.unwrap();
}

#[tokio::test]
async fn a_flood_leaves_items_alone_that_it_lists_itself() {
    on_each_store(async |kept: TestStore| {
        let store = &kept.store;
        let (user, feed) = followed(store).await;
        let dated = |guid: &str, title: &str| {
            let mut new = item(guid, &format!("Text of {guid}"));
            new.item.title = title.to_owned();
            new.item.published_at = Some(NOON - Duration::from_secs(86_400));
            new
        };
        ingest_items(store, feed, vec![dated("known", "Same")], NOON).await;
        let before = list_of(store, user, Scope::Feed(feed), ItemFilter::All).await;
        let many = (0..30).map(|n| dated(&n.to_string(), &format!("Title {n}")));
        let flood = [dated("known", "Same"), dated("other", "Same")];
        let flood: Vec<NewItem> = flood.into_iter().chain(many).collect();
        let taken = ingest_items(store, feed, flood, minutes_after_noon(60)).await;
        assert_eq!((taken.new, taken.updated), (31, 0));
        let after = list_of(store, user, Scope::Feed(feed), ItemFilter::All).await;
        assert!(after.contains(&before[0]), "it shows what it showed");
    })
    .await;
}

#[test]
fn entries_are_kept_apart_and_recognised_whatever_their_document_does() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let kept = TestStore::open(engine);
        let store = &kept.store;
        let user = runtime.block_on(person(store, "ada@example.org"));
        let mut runner = TestRunner::new(Config {
            cases: HISTORIES,
            failure_persistence: None,
            ..Config::default()
        });
        let count = std::cell::Cell::new(0);
        let outcome = runner.run(&(shapes(), documents()), |(shape, history)| {
            runtime.block_on(async {
                count.set(count.get() + 1);
                let new = new_feed(&format!("feed-{}", count.get()));
                let added = store.write(move |db| {
                    let feed = feeds::add(db, &new, FailurePolicy::Patient, NOON)?.id;
                    follow(db, user, feed)?;
                    Ok(feed)
                });
                let feed = added.await.unwrap();
                check(store, user, feed, shape, &history).await
            })
        });
        if let Err(error) = outcome {
            panic!("{engine:?}: {error}");
        }
    }
}
