//! From an address to clean items: fetches, then parses and cleans off the async threads.

use std::fmt;

use lede_feed::discover::{Candidate, FeedKind};
use lede_feed::parsed::FetchHints;
use lede_feed::{ParseError, ParsedFeed, clean, discover};
use lede_model::address::WebUrl;
use lede_model::credentials::OriginCredentials;
use lede_model::feed::{NewFeed, Validators};
use lede_model::feed_error::FeedError;
use lede_model::ids::FeedId;
use lede_model::schedule::{PublisherHints, RequestedDelays};
use lede_model::time::Timestamp;
use lede_net::{Conditions, FetchError, Fetched, MemoryPermit, Purpose};
use lede_store::ingest::{self, NewItem};
use sha2::{Digest, Sha256};

use super::entry::{self, as_markup};
use super::languages;
use super::newest::{self, NewEnd};
use crate::Lede;
use crate::articles::ArticleSettings;
use crate::cpu_pool::{BUDGET, Unfinished, bounded};
use crate::metrics::Metrics;

/// Articles fetched from their pages per crawl. An older one is fetched when a user opens it.
const MAX_ARTICLES: usize = 50;

/// Feeds named in the error if a page took the place of a feed.
const MAX_SHOWN: usize = 3;
/// Longest address that is shown in an error; a longer one is not readable.
const LONGEST_SHOWN: usize = 300;

/// The document at an address.
pub(crate) enum FetchedDocument {
    /// A feed, ready to be stored.
    Feed(Box<ReadFeed>),
    /// An HTML page instead of a feed.
    CandidatePage(CandidatePage),
}

/// A page at an address where a feed was possible.
pub(crate) struct CandidatePage {
    /// Address after redirects.
    pub(crate) url: WebUrl,
    /// The feeds it links to, best first.
    pub(crate) feeds: Vec<Candidate>,
}

/// A feed that was fetched, parsed and cleaned.
pub(crate) struct ReadFeed {
    pub(crate) feed: NewFeed,
    pub(crate) kind: FeedKind,
    pub(crate) items: Vec<NewItem>,
    /// Minimum intervals requested by the server and by the feed.
    pub(crate) asked: RequestedDelays,
    /// WebSub hub that announces new items.
    pub(crate) hub_url: Option<WebUrl>,
    /// See [`body_hash`].
    pub(crate) body_hash: Vec<u8>,
    /// Held until the feed is written, because the parsed feed is as large as its body.
    _memory_permit: Option<MemoryPermit>,
}

/// Reasons why an address yields nothing to store. The texts are in `model::feed_error`.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    Fetch(#[from] FetchError),
    /// The response is not a feed.
    Parse(#[from] ParseError),
    /// There is a page in place of the feed, which links to these feeds.
    PageNow(Vec<WebUrl>),
    /// The stored credentials cannot be decrypted.
    AccessUnreadable,
    /// Parsing exceeded its time budget.
    TooComplicated,
    /// Parsing panicked, which is a bug of ours.
    Broken,
}

impl From<&CrawlError> for FeedError {
    fn from(error: &CrawlError) -> Self {
        match error {
            CrawlError::Fetch(error) => error.into(),
            CrawlError::Parse(error) => error.into(),
            CrawlError::PageNow(feeds) => page_now(feeds),
            CrawlError::AccessUnreadable => Self::AccessUnreadable,
            CrawlError::TooComplicated => Self::TooComplicated {
                seconds: BUDGET.as_secs(),
            },
            CrawlError::Broken => Self::Broken,
        }
    }
}

impl fmt::Display for CrawlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        FeedError::from(self).fmt(f)
    }
}

/// The error for a page in place of a feed; names the feeds it links to.
fn page_now(feeds: &[WebUrl]) -> FeedError {
    let shown: Vec<&str> = feeds
        .iter()
        .map(WebUrl::as_str)
        .filter(|url| url.len() <= LONGEST_SHOWN)
        .take(MAX_SHOWN)
        .collect();
    match shown.as_slice() {
        [] => FeedError::PageNow,
        [one] => FeedError::PageWithFeed {
            feed: (*one).to_owned(),
        },
        several => FeedError::PageWithFeeds {
            feeds: several.join(" , "),
        },
    }
}

/// Fetches and reads `url`, which has no subscribers yet, while a user waits for the result.
pub(crate) async fn read(
    lede: &Lede,
    url: &WebUrl,
    pass: Option<&OriginCredentials>,
) -> Result<FetchedDocument, CrawlError> {
    let fetched = lede
        .net
        .fetch_with(url, Purpose::Discovery, &Conditions::default(), pass)
        .await;
    document(lede, url, counted(lede, fetched)?, None).await
}

/// Fetches a feed that has `followers` subscribers.
pub(crate) async fn fetch(
    lede: &Lede,
    url: &WebUrl,
    conditions: &Conditions,
    followers: i64,
    pass: Option<&OriginCredentials>,
) -> Result<Fetched, FetchError> {
    let fetched = lede
        .net
        .fetch_feed(url, conditions, followers.unsigned_abs(), pass)
        .await;
    counted(lede, fetched)
}

/// Records the outcome of a fetch in the metrics.
pub(crate) fn counted(
    lede: &Lede,
    fetched: Result<Fetched, FetchError>,
) -> Result<Fetched, FetchError> {
    let outcome = fetched
        .as_ref()
        .map_or_else(FetchError::kind, |_| "success");
    Metrics::count(&lede.metrics.fetches.outcomes, outcome);
    if let Ok(fetched) = &fetched {
        lede.metrics
            .fetches
            .latency
            .observe(fetched.elapsed.as_secs_f64());
    }
    fetched
}

/// Reads a fetched document; `feed` is set if it belongs to a stored feed.
pub(crate) async fn document(
    lede: &Lede,
    asked: &WebUrl,
    fetched: Fetched,
    feed: Option<FeedId>,
) -> Result<FetchedDocument, CrawlError> {
    let reading = Reading {
        asked: asked.clone(),
        fetched,
        articles: lede.settings.articles,
        now: lede.clock.now(),
    };
    let undecided = match finished(bounded(move || reading.begin(feed.is_some())).await)? {
        Step::Done(found) => return found,
        Step::Undecided(undecided) => *undecided,
    };
    let end = match feed {
        Some(feed) => new_end(lede, feed, undecided.ends.clone()).await,
        None => NewEnd::First,
    };
    finished(bounded(move || undecided.finish(end)).await)
}

fn finished<T>(outcome: Result<T, Unfinished>) -> Result<T, CrawlError> {
    outcome.map_err(|unfinished| match unfinished {
        Unfinished::TooLong => CrawlError::TooComplicated,
        Unfinished::Panicked => CrawlError::Broken,
    })
}

/// Returns the end at which a document of `feed` without dates has changed.
async fn new_end(lede: &Lede, feed: FeedId, ends: Vec<NewItem>) -> NewEnd {
    let known = lede
        .store
        .read(move |db| ingest::are_known(db, feed, &ends))
        .await;
    match known.as_deref() {
        Ok([first, last]) => NewEnd::from_known(*first, *last),
        // Writing the items meets the same error and reports it.
        _ => NewEnd::First,
    }
}

/// A fetched document with everything that is needed to read it.
struct Reading {
    asked: WebUrl,
    fetched: Fetched,
    articles: ArticleSettings,
    now: Timestamp,
}

/// The outcome of reading a document without the store.
enum Step {
    Done(Result<FetchedDocument, CrawlError>),
    Undecided(Box<Undecided>),
}

/// A feed with too many entries and no dates: the store has to decide which are new.
struct Undecided {
    reading: Reading,
    parsed: ParsedFeed,
    /// The first and the last entry.
    ends: Vec<NewItem>,
}

impl Undecided {
    fn finish(self, end: NewEnd) -> FetchedDocument {
        FetchedDocument::Feed(Box::new(self.reading.feed(&self.parsed, end)))
    }
}

impl Reading {
    fn begin(self, is_stored: bool) -> Step {
        let fetched = &self.fetched;
        let body = fetched.body().map(|body| body.as_ref()).unwrap_or_default();
        let content_type = fetched.content_type.as_deref();
        let parsed = match lede_feed::parse(body, content_type, &fetched.url) {
            Ok(parsed) => parsed,
            Err(ParseError::NotAFeed(lede_feed::Document::Html)) => {
                let html = lede_feed::page_text(body, content_type);
                return Step::Done(Ok(FetchedDocument::CandidatePage(page(
                    &html,
                    &fetched.url,
                ))));
            }
            Err(error) => return Step::Done(Err(error.into())),
        };
        let ends = newest::undated_ends(&parsed.entries, self.now).filter(|_| is_stored);
        let Some(ends) = ends else {
            let feed = self.feed(&parsed, NewEnd::First);
            return Step::Done(Ok(FetchedDocument::Feed(Box::new(feed))));
        };
        let ends = ends.map(|entry| entry::read(entry, &fetched.url, self.now));
        Step::Undecided(Box::new(Undecided {
            ends: ends.into(),
            reading: self,
            parsed,
        }))
    }
}

/// Collects the feeds that a page links to.
fn page(html: &str, url: &WebUrl) -> CandidatePage {
    let mut feeds = discover::known_sites(url);
    for declared in discover::feeds(html, url) {
        let parts = discover::youtube_parts(&declared.url);
        for found in [declared].into_iter().chain(parts) {
            if feeds.iter().all(|known| known.url != found.url) {
                feeds.push(found);
            }
        }
    }
    CandidatePage {
        url: url.clone(),
        feeds,
    }
}

impl Reading {
    fn feed(&self, parsed: &ParsedFeed, end: NewEnd) -> ReadFeed {
        let Self { asked, fetched, .. } = self;
        let url = fetched
            .moved_permanently_to
            .as_ref()
            .unwrap_or(asked)
            .clone();
        let title = parsed
            .title
            .as_ref()
            .map(|title| clean::plain(&as_markup(title)))
            .unwrap_or_default();
        let site_url = parsed
            .site_url
            .as_deref()
            .and_then(|site| fetched.url.join(site).ok());
        let items = self.items(parsed, end);
        let feed = NewFeed {
            title: if title.is_empty() {
                url.host().to_owned()
            } else {
                title
            },
            url,
            site_url,
            validators: Validators {
                etag: fetched.etag.clone(),
                last_modified: fetched.last_modified.clone(),
            },
        };
        let body = fetched.body().map(|body| body.as_ref()).unwrap_or_default();
        ReadFeed {
            feed,
            kind: parsed.kind.into(),
            items,
            asked: RequestedDelays {
                by_server: fetched.cache.longest(),
                by_feed: publisher_hints(&parsed.hints),
            },
            hub_url: parsed
                .hub_urls
                .iter()
                .find_map(|hub| WebUrl::parse(hub).ok()),
            body_hash: body_hash(body),
            _memory_permit: fetched.memory_permit.clone(),
        }
    }

    fn items(&self, parsed: &ParsedFeed, end: NewEnd) -> Vec<NewItem> {
        let entries = newest::newest(&parsed.entries, end, self.now);
        let items = entries.into_iter().enumerate().map(|(place, entry)| {
            let mut new = entry::read(entry, &self.fetched.url, self.now);
            new.wants_article = place < MAX_ARTICLES && self.articles.are_wanted_for(&new);
            new
        });
        let mut items: Vec<NewItem> = items.collect();
        languages::assign(&mut items, parsed.language.as_deref());
        items
    }
}

/// Identifies a body: the version of the cleaning rules and its SHA-256. A body that was cleaned by
/// other rules counts as a different one.
pub(crate) fn body_hash(body: &[u8]) -> Vec<u8> {
    let mut hash = clean::POLICY_VERSION.to_be_bytes().to_vec();
    hash.extend_from_slice(&Sha256::digest(body));
    hash
}

/// Returns `true` if the body behind `hash` was cleaned by the current rules. The source of a feed
/// is not stored, so items can be cleaned again only while the feed still lists them.
pub(crate) fn is_cleaned_as_now(hash: &[u8]) -> bool {
    hash.starts_with(&clean::POLICY_VERSION.to_be_bytes())
}

/// Publisher hints in the feed; of `<ttl>` and `sy:` the longer interval counts.
fn publisher_hints(hints: &FetchHints) -> PublisherHints {
    let minutes = hints.ttl_minutes.max(hints.period_minutes).map(i64::from);
    PublisherHints::new(minutes, &hints.skip_hours, &hints.skip_days)
}
