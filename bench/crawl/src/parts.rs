//! The cost of each part of a crawl alone: the same feeds and functions, without the rest of the program.

use std::error::Error;
use std::time::Duration;

use lede_ai::embedded;
use lede_feed::{ParsedEntry, ParsedFeed, TextKind, clean};
use lede_model::address::WebUrl;
use lede_model::item::{CleanItem, ItemDetails};
use lede_model::time::Timestamp;
use lede_net::{Conditions, Fetched, Net};
use lede_store::ingest::{self, Cleaning, NewItem};
use lede_store::search::{self, Ready};
use lede_store::{Store, StoreError, subscriptions};
use tokio::task::JoinSet;

use crate::program::{Library, now};
use lede_bench_kit::usage::{cpu_of, own_cpu};

/// Concurrent fetches, active or queued, as in the worker.
const IN_FLIGHT: usize = 80;
/// Feeds per transaction: as many as the store's writer combines when its queue is long.
const FEEDS_PER_COMMIT: usize = 20;

/// The sanitiser of the items.
const CLEANING: Cleaning = Cleaning {
    policy_version: clean::POLICY_VERSION,
    text_of: clean::text,
};

/// Items per batch of the search index, as in the worker.
const INDEXED_AT_ONCE: i64 = 300;

/// CPU time of each part.
pub(crate) struct Parts {
    pub(crate) fetch: Duration,
    pub(crate) parse: Duration,
    pub(crate) sanitise: Duration,
    pub(crate) store: Duration,
    pub(crate) index: Duration,
    /// The one-line summary of each item: part of every crawl, but not of the parts above.
    pub(crate) one_line: Duration,
    /// Fetching all feeds again when nothing has changed.
    pub(crate) fetch_unchanged: Duration,
}

impl Parts {
    /// Returns the sum of the parts that a cold crawl is compared with.
    pub(crate) fn sum(&self) -> Duration {
        self.fetch + self.parse + self.sanitise + self.store + self.index
    }
}

pub(crate) async fn measure(urls: &[WebUrl]) -> Result<Parts, Box<dyn Error>> {
    let net = Net::new(lede_net::Settings {
        allow: "127.0.0.0/8".parse()?,
        host_interval: Duration::ZERO,
        ..lede_net::Settings::default()
    })?;
    let nothing_known = vec![Conditions::default(); urls.len()];
    let before = own_cpu();
    let fetched = fetch_all(&net, urls, nothing_known).await?;
    let fetch = own_cpu() - before;

    let conditions = fetched.iter().map(|fetched| Conditions {
        etag: fetched.etag.clone(),
        last_modified: fetched.last_modified.clone(),
    });
    let conditions = conditions.collect();
    let before = own_cpu();
    let again = fetch_all(&net, urls, conditions).await?;
    let fetch_unchanged = own_cpu() - before;
    if again.iter().any(|fetched| fetched.body().is_some()) {
        return Err("a feed that had not changed was sent again".into());
    }

    let (parsed, parse) = cpu_of(|| parse_all(&fetched));
    let parsed = parsed?;
    let now = now();
    let (cleaned, sanitise) = cpu_of(|| {
        let each = parsed.iter().zip(&fetched);
        each.map(|(feed, fetched)| clean_all(feed, &fetched.url, now))
            .collect::<Vec<_>>()
    });
    let (ready, one_line) = cpu_of(|| cleaned.into_iter().map(with_lines).collect::<Vec<_>>());
    let (store, index) = store_all(urls, ready, now).await?;
    Ok(Parts {
        fetch,
        parse,
        sanitise,
        store,
        index,
        one_line,
        fetch_unchanged,
    })
}

async fn fetch_all(
    net: &Net,
    urls: &[WebUrl],
    conditions: Vec<Conditions>,
) -> Result<Vec<Fetched>, Box<dyn Error>> {
    let mut running = JoinSet::new();
    let mut done = Vec::with_capacity(urls.len());
    for (position, conditions) in conditions.into_iter().enumerate() {
        if running.len() == IN_FLIGHT {
            done.extend(running.join_next().await.transpose()?);
        }
        let (net, url) = (net.clone(), urls[position].clone());
        running.spawn(async move {
            let fetched = net.fetch_feed(&url, &conditions, 1, None).await;
            // All bodies are held here, so free their slots: `net` limits the bodies in progress.
            let fetched = fetched.map(|fetched| Fetched {
                memory_permit: None,
                ..fetched
            });
            (position, fetched)
        });
    }
    while let Some(next) = running.join_next().await {
        done.push(next?);
    }
    done.sort_by_key(|(position, _)| *position);
    done.into_iter()
        .map(|(_, fetched)| fetched.map_err(Into::into))
        .collect()
}

fn parse_all(fetched: &[Fetched]) -> Result<Vec<ParsedFeed>, Box<dyn Error>> {
    fetched
        .iter()
        .map(|fetched| {
            let body = fetched.body().ok_or("a first fetch without a body")?;
            let content_type = fetched.content_type.as_deref();
            Ok(lede_feed::parse(body, content_type, &fetched.url)?)
        })
        .collect()
}

fn clean_all(feed: &ParsedFeed, url: &WebUrl, now: Timestamp) -> Vec<CleanItem> {
    let entries = feed.entries.iter();
    entries.map(|entry| clean_entry(entry, url, now)).collect()
}

/// Cleans an entry as the crawl does for entries like these.
fn clean_entry(entry: &ParsedEntry, feed_url: &WebUrl, now: Timestamp) -> CleanItem {
    let text = entry.content.first().or(entry.summary.as_ref());
    let page = entry
        .link
        .as_deref()
        .and_then(|link| WebUrl::parse(link).ok());
    let author = entry.authors.first();
    let raw = clean::RawItem {
        guid: entry.id.as_deref(),
        url: entry.link.as_deref(),
        title: entry
            .title
            .as_ref()
            .map(|title| title.value.as_str())
            .unwrap_or_default(),
        author: author
            .and_then(|person| person.name.as_deref())
            .unwrap_or_default(),
        html: text.map(|text| text.value.as_str()).unwrap_or_default(),
        is_html: text.is_some_and(|text| text.kind != TextKind::Plain),
        base: page.as_ref(),
        published_at: entry.published_at.or(entry.updated_at),
        media: &[],
    };
    clean::item(raw, feed_url, now)
}

fn with_lines(items: Vec<CleanItem>) -> Vec<NewItem> {
    items
        .into_iter()
        .map(|item| {
            let lede = embedded::lede(&item.title, &item.excerpt);
            NewItem {
                reading_minutes: item.html.reading_minutes(),
                item,
                lede,
                language: None,
                image_url: None,
                details: ItemDetails::default(),
                wants_article: false,
            }
        })
        .collect()
}

/// Ingests all items, several feeds per commit, and fills the search index. Returns the CPU time of both.
async fn store_all(
    urls: &[WebUrl],
    ready: Vec<Vec<NewItem>>,
    now: Timestamp,
) -> Result<(Duration, Duration), Box<dyn Error>> {
    let items: usize = ready.iter().map(Vec::len).sum();
    let library = Library::with_feeds(urls.to_vec()).await?;
    let reader = library.reader;
    let store = Store::open(&library.place)?;
    let followed = store
        .read(move |db| subscriptions::of_user(db, reader))
        .await?;
    let mut feeds: Vec<_> = followed.into_iter().map(|each| each.feed.id).collect();
    feeds.sort();
    let mut work: Vec<_> = feeds.into_iter().zip(ready).collect();

    let before = own_cpu();
    let mut taken = 0;
    while !work.is_empty() {
        let batch = work.split_off(work.len().saturating_sub(FEEDS_PER_COMMIT));
        taken += store
            .write(move |db| {
                let mut new = 0;
                for (feed, items) in &batch {
                    new += ingest::ingest(db, *feed, items, CLEANING, now)?.new;
                }
                Ok(new)
            })
            .await?;
    }
    let stored = own_cpu() - before;
    let before = own_cpu();
    while index_some(&store).await? {}
    let indexed = own_cpu() - before;
    store.close();
    if taken == items {
        Ok((stored, indexed))
    } else {
        Err(format!("{taken} of {items} items were new").into())
    }
}

/// Adds a batch of pending items to the search index. Returns `false` if none was pending.
async fn index_some(store: &Store) -> Result<bool, StoreError> {
    let waiting = store
        .read(|db| search::waiting(db, INDEXED_AT_ONCE))
        .await?;
    let ready: Vec<Ready> = waiting
        .into_iter()
        .map(|waiting| waiting.in_words(clean::text))
        .collect();
    let found_some = !ready.is_empty();
    store.write(move |db| search::index(db, &ready)).await?;
    Ok(found_some)
}
