//! From an address to clean items: fetch, then parse and clean off the async threads.

use std::fmt;

use lede_feed::discover::{Candidate, FeedKind};
use lede_feed::parsed::FetchHints;
use lede_feed::{ParseError, ParsedFeed, clean, discover};
use lede_model::access::Pass;
use lede_model::address::WebUrl;
use lede_model::feed::{NewFeed, Validators};
use lede_model::ids::FeedId;
use lede_model::schedule::{Asked, Wishes};
use lede_model::time::Timestamp;
use lede_model::trouble::Trouble;
use lede_net::{Conditions, FetchError, Fetched, Purpose, Room};
use lede_store::intake::{self, NewItem};
use sha2::{Digest, Sha256};

use super::entry::{self, as_markup};
use super::languages;
use super::newest::{self, NewEnd};
use crate::Lede;
use crate::articles::ArticleSettings;
use crate::bounded::{BUDGET, Unfinished, bounded};
use crate::metrics::Metrics;

/// Articles of one fetch that are fetched from their pages; whoever opens an older one gets it then.
const MAX_ARTICLES: usize = 50;

/// Feeds of a page that are named where the page took a feed's place.
const MAX_SHOWN: usize = 3;
/// The longest address that is shown to people: nobody reads more.
const LONGEST_SHOWN: usize = 300;

/// What was found at an address.
pub(crate) enum Found {
    /// A feed, ready to be kept.
    Feed(Box<ReadFeed>),
    /// A page instead of one.
    Page(Page),
}

/// A page that was met where a feed could have been.
pub(crate) struct Page {
    /// Where it is, after redirects.
    pub(crate) url: WebUrl,
    /// The feeds it points to, best first.
    pub(crate) feeds: Vec<Candidate>,
}

/// A feed that was fetched, parsed and cleaned.
pub(crate) struct ReadFeed {
    pub(crate) feed: NewFeed,
    pub(crate) kind: FeedKind,
    pub(crate) items: Vec<NewItem>,
    /// How long server and feed ask to be left alone.
    pub(crate) asked: Asked,
    /// Where it announces what is new.
    pub(crate) hub_url: Option<WebUrl>,
    /// See [`body_hash`].
    pub(crate) body_hash: Vec<u8>,
    /// Held until the feed is written: what was made of its body is as large as the body.
    _room: Option<Room>,
}

/// Why an address brought nothing that could be kept; the texts are `model::trouble`'s.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The request failed.
    Fetch(#[from] FetchError),
    /// The answer is not a feed.
    Parse(#[from] ParseError),
    /// There is a page where the feed was, with these feeds.
    PageNow(Vec<WebUrl>),
    /// What its server is to be shown cannot be opened.
    AccessUnreadable,
    /// The answer is so strange that reading it was given up.
    TooComplicated,
    /// Reading it failed in a way that is our own fault.
    Broken,
}

impl From<&CrawlError> for Trouble {
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
        Trouble::from(self).fmt(f)
    }
}

/// A page took the place of a feed, and offers these.
fn page_now(feeds: &[WebUrl]) -> Trouble {
    let shown: Vec<&str> = feeds
        .iter()
        .map(WebUrl::as_str)
        .filter(|url| url.len() <= LONGEST_SHOWN)
        .take(MAX_SHOWN)
        .collect();
    match shown.as_slice() {
        [] => Trouble::PageNow,
        [one] => Trouble::PageWithFeed {
            feed: (*one).to_owned(),
        },
        several => Trouble::PageWithFeeds {
            feeds: several.join(" , "),
        },
    }
}

/// Fetches `url`, which nobody follows yet, while somebody waits, and reads what is there.
pub(crate) async fn read(
    lede: &Lede,
    url: &WebUrl,
    pass: Option<&Pass>,
) -> Result<Found, CrawlError> {
    let fetched = lede
        .net
        .fetch_with(url, Purpose::Discovery, &Conditions::default(), pass)
        .await;
    document(lede, url, counted(lede, fetched)?, None).await
}

/// Fetches a feed that `followers` follow.
pub(crate) async fn fetch(
    lede: &Lede,
    url: &WebUrl,
    conditions: &Conditions,
    followers: i64,
    pass: Option<&Pass>,
) -> Result<Fetched, FetchError> {
    let fetched = lede
        .net
        .fetch_feed(url, conditions, followers.unsigned_abs(), pass)
        .await;
    counted(lede, fetched)
}

/// Counts how a fetch went.
pub(crate) fn counted(
    lede: &Lede,
    fetched: Result<Fetched, FetchError>,
) -> Result<Fetched, FetchError> {
    let outcome = fetched
        .as_ref()
        .map_or_else(FetchError::kind, |_| "success");
    Metrics::count(&lede.metrics.fetches, outcome);
    if let Ok(fetched) = &fetched {
        lede.metrics
            .fetch_latency
            .observe(fetched.elapsed.as_secs_f64());
    }
    fetched
}

/// Reads what was fetched, of a feed that is stored or of something new.
pub(crate) async fn document(
    lede: &Lede,
    asked: &WebUrl,
    fetched: Fetched,
    feed: Option<FeedId>,
) -> Result<Found, CrawlError> {
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

/// The end at which a document of `feed` without dates has changed.
async fn new_end(lede: &Lede, feed: FeedId, ends: Vec<NewItem>) -> NewEnd {
    let known = lede
        .store
        .read(move |db| intake::are_known(db, feed, &ends))
        .await;
    match known.as_deref() {
        Ok([first, last]) => NewEnd::from_known(*first, *last),
        // Writing the items meets the same error and reports it.
        _ => NewEnd::First,
    }
}

/// A document and all that is needed to read it.
struct Reading {
    asked: WebUrl,
    fetched: Fetched,
    articles: ArticleSettings,
    now: Timestamp,
}

/// The outcome of reading a document without the store.
enum Step {
    Done(Result<Found, CrawlError>),
    Undecided(Box<Undecided>),
}

/// A feed with too many entries, of which the store has to tell which are new.
struct Undecided {
    reading: Reading,
    parsed: ParsedFeed,
    /// The first and the last entry.
    ends: Vec<NewItem>,
}

impl Undecided {
    fn finish(self, end: NewEnd) -> Found {
        Found::Feed(Box::new(self.reading.feed(&self.parsed, end)))
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
                return Step::Done(Ok(Found::Page(page(&html, &fetched.url))));
            }
            Err(error) => return Step::Done(Err(error.into())),
        };
        let ends = newest::undated_ends(&parsed.entries, self.now).filter(|_| is_stored);
        let Some(ends) = ends else {
            let feed = self.feed(&parsed, NewEnd::First);
            return Step::Done(Ok(Found::Feed(Box::new(feed))));
        };
        let ends = ends.map(|entry| entry::read(entry, &fetched.url, self.now));
        Step::Undecided(Box::new(Undecided {
            ends: ends.into(),
            reading: self,
            parsed,
        }))
    }
}

/// The feeds that a page points to.
fn page(html: &str, url: &WebUrl) -> Page {
    let mut feeds = discover::known_sites(url);
    for declared in discover::feeds(html, url) {
        let parts = discover::youtube_parts(&declared.url);
        for found in [declared].into_iter().chain(parts) {
            if feeds.iter().all(|known| known.url != found.url) {
                feeds.push(found);
            }
        }
    }
    Page {
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
            asked: Asked {
                by_server: fetched.cache.longest(),
                by_feed: wishes(&parsed.hints),
            },
            hub_url: parsed
                .hub_urls
                .iter()
                .find_map(|hub| WebUrl::parse(hub).ok()),
            body_hash: body_hash(body),
            _room: fetched.room.clone(),
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
        languages::tell(&mut items, parsed.language.as_deref());
        items
    }
}

/// Identifies a body: the version of the cleaning rules and its SHA-256. A body that
/// was cleaned by other rules is as good as new.
pub(crate) fn body_hash(body: &[u8]) -> Vec<u8> {
    let mut hash = clean::POLICY_VERSION.to_be_bytes().to_vec();
    hash.extend_from_slice(&Sha256::digest(body));
    hash
}

/// Returns true if the body behind `hash` was cleaned by the current rules. The source of a feed is
/// not kept, so items can be cleaned anew only while the feed still lists them.
pub(crate) fn is_cleaned_as_now(hash: &[u8]) -> bool {
    hash.starts_with(&clean::POLICY_VERSION.to_be_bytes())
}

/// What the feed asks for: of `<ttl>` and `sy:` the longer one counts.
fn wishes(hints: &FetchHints) -> Wishes {
    let minutes = hints.ttl_minutes.max(hints.period_minutes).map(i64::from);
    Wishes::new(minutes, &hints.skip_hours, &hints.skip_days)
}
