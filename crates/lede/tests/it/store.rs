//! The store on its own, on both engines: every acknowledged write is durable, and no other write is visible.

mod accounts;
mod admin_queries;
mod bulk_marks;
mod changes;
mod cleanup;
mod enrich;
mod history;
mod identity;
mod imports;
mod items;
mod jobs;
mod labels;
mod lists;
mod merge;
mod notifications;
mod openings;
mod plans;
mod rules;
mod search;
mod unread;

use std::time::Duration;

use lede_model::address::WebUrl;
use lede_model::content::{CleanHtml, ContentHash};
use lede_model::feed::{NewFeed, Validators};
use lede_model::ids::{FeedId, UserId};
use lede_model::item::{CleanItem, ItemDetails, ItemFilter, ItemSummary, List, Scope, Start};
use lede_model::schedule::FailurePolicy;
use lede_model::time::Timestamp;
use lede_model::user::Role;
use lede_store::ingest::{self, Cleaning, Ingested, NewItem};
use lede_store::{
    DatabaseLocation, Db, OpenError, Store, StoreResult, feeds, subscriptions, users,
};
use rusqlite::types::ValueRef;

/// Noon of 14 March 2026 (UTC).
pub(crate) const NOON: Timestamp = Timestamp::from_seconds(1_773_489_600);

/// The texts of these tests have no markup but a paragraph.
const CLEANING: Cleaning = Cleaning {
    policy_version: 1,
    text_of: |html| html.as_str().replace("<p>", "").replace("</p>", ""),
};

fn minutes_after_noon(minutes: u64) -> Timestamp {
    NOON + Duration::from_secs(minutes * 60)
}

/// An item as the `feed` crate would produce it.
pub(crate) fn item(guid: &str, text: &str) -> NewItem {
    #[expect(
        clippy::disallowed_methods,
        reason = "this test stands where the sanitiser does"
    )]
    let html = CleanHtml::assume_clean(format!("<p>{text}</p>"));
    NewItem {
        reading_minutes: html.reading_minutes(),
        item: CleanItem {
            guid: Some(guid.to_owned()),
            url: WebUrl::parse("https://site.example/item").ok(),
            title: format!("Title of {guid}"),
            author: None,
            html,
            excerpt: text.to_owned(),
            published_at: None,
            hash: ContentHash::of([text]),
        },
        lede: text.to_owned(),
        language: None,
        image_url: None,
        details: ItemDetails::default(),
        wants_article: false,
    }
}

/// The expected result of ingesting this many new and updated items.
fn ingested(new: usize, updated: usize) -> Ingested {
    Ingested {
        new,
        updated,
        articles_not_needed: new + updated,
    }
}

fn new_feed(name: &str) -> NewFeed {
    NewFeed {
        url: WebUrl::parse(&format!("https://site.example/{name}")).unwrap(),
        site_url: None,
        title: name.to_owned(),
        validators: Validators::default(),
    }
}

async fn feed(store: &Store, name: &'static str) -> FeedId {
    let added =
        store.write(move |db| feeds::add(db, &new_feed(name), FailurePolicy::Patient, NOON));
    added.await.unwrap().id
}

async fn person(store: &Store, email: &'static str) -> UserId {
    let added = store.write(move |db| users::add(db, email, Some("hash"), Role::Member, NOON));
    added.await.unwrap().expect("a new address").id
}

fn follow(db: &mut Db<'_>, user: UserId, feed: FeedId) -> StoreResult<()> {
    subscriptions::add(db, user, feed, NOON).map(drop)
}

/// Creates a feed with one subscriber.
pub(crate) async fn followed(store: &Store) -> (UserId, FeedId) {
    let (user, feed) = (
        person(store, "ada@example.org").await,
        feed(store, "feed").await,
    );
    store.write(move |db| follow(db, user, feed)).await.unwrap();
    (user, feed)
}

pub(crate) async fn ingest_items(
    store: &Store,
    feed: FeedId,
    fetched: Vec<NewItem>,
    now: Timestamp,
) -> Ingested {
    let taken = store.write(move |db| ingest::ingest(db, feed, &fetched, CLEANING, now));
    taken.await.unwrap()
}

async fn list(store: &Store, user: UserId, filter: ItemFilter) -> Vec<ItemSummary> {
    list_of(store, user, Scope::Everything, filter).await
}

async fn list_of(
    store: &Store,
    user: UserId,
    scope: Scope,
    filter: ItemFilter,
) -> Vec<ItemSummary> {
    let list = List {
        scope,
        filter,
        ..List::default()
    };
    let page = store.read(move |db| lede_store::lists::page(db, user, list, Start::FIRST, 1000));
    page.await.unwrap()
}

/// Runs `work` on its own thread: the synchronous PostgreSQL driver starts its own runtime, which
/// must not run inside another.
pub(crate) fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join().expect("no panic"))
}

pub(crate) fn open(place: &DatabaseLocation) -> Result<Store, OpenError> {
    apart(|| Store::open(place))
}

/// The result of a query that bypasses the store: one text per row, with `|` between the columns.
pub(crate) fn rows(place: &DatabaseLocation, sql: &str) -> Vec<String> {
    match place {
        DatabaseLocation::File(path) => {
            let file = rusqlite::Connection::open(path).unwrap();
            sqlite_rows(&file, sql)
        }
        DatabaseLocation::Server(url) => apart(|| {
            let mut client = postgres::Client::connect(url.reveal(), postgres::NoTls).unwrap();
            let messages = client.simple_query(sql).unwrap();
            let rows = messages.iter().filter_map(|message| match message {
                postgres::SimpleQueryMessage::Row(row) => Some(row),
                _ => None,
            });
            let text = |row: &postgres::SimpleQueryRow| {
                let columns = (0..row.len()).map(|column| row.get(column).unwrap_or_default());
                columns.collect::<Vec<_>>().join("|")
            };
            rows.map(text).collect()
        }),
    }
}

fn sqlite_rows(file: &rusqlite::Connection, sql: &str) -> Vec<String> {
    let mut statement = file.prepare(sql).unwrap();
    let columns = statement.column_count();
    let text = |row: &rusqlite::Row<'_>| {
        let columns = (0..columns).map(|column| match row.get_ref(column).unwrap() {
            ValueRef::Null => String::new(),
            ValueRef::Integer(number) => number.to_string(),
            ValueRef::Real(number) => number.to_string(),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                String::from_utf8_lossy(bytes).into_owned()
            }
        });
        columns.collect::<Vec<_>>().join("|")
    };
    // Raw, so that a statement can be explained without its parameters.
    let mut rows = statement.raw_query();
    let mut found = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        found.push(text(row));
    }
    found
}

/// About twenty thousand characters that no engine can compress.
pub(crate) fn noise(seed: u64) -> String {
    let mut state = seed;
    let next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        Some(format!("{state:016x} "))
    };
    std::iter::from_fn(next).take(1200).collect()
}

/// The single number that a query returns.
pub(crate) fn number(place: &DatabaseLocation, sql: &str) -> i64 {
    rows(place, sql)[0].parse().unwrap()
}
