//! Trying an address out: what Lede would make of it, kept nowhere.
//!
//! For operators who wonder and for reports of feeds that are read wrongly.

use std::time::Duration;

use lede_model::address::{AddressError, WebUrl};
use lede_model::item::CleanItem;
use lede_model::schedule;
use lede_model::time::Timestamp;

use crate::Lede;
use crate::crawl::{CrawlError, Found, read, visit};

/// What was found at an address.
#[derive(Debug)]
pub struct Trial {
    /// Every address that was asked, with what it led to, in words.
    pub steps: Vec<(WebUrl, String)>,
    /// The feed, if there is one.
    pub feed: Option<TrialFeed>,
}

/// A feed as it would be kept.
#[derive(Debug)]
pub struct TrialFeed {
    /// The address it would be fetched from.
    pub url: WebUrl,
    /// What its publisher calls it.
    pub title: String,
    /// The site it belongs to.
    pub site_url: Option<WebUrl>,
    /// Its items, cleaned, with the line that says what each says.
    pub items: Vec<(CleanItem, String)>,
    /// When it would be fetched next.
    pub next_fetch_at: Option<Timestamp>,
    /// Why then.
    pub why: String,
    /// How long fetching, parsing and cleaning took.
    pub took: Duration,
}

/// Feeds of a page that are tried.
const MAX_CANDIDATES: usize = 3;

/// Fetches what is at `typed` and reads it as a subscription would.
pub async fn trial(lede: &Lede, typed: &str) -> Result<Trial, AddressError> {
    let mut waiting = vec![WebUrl::from_typed(typed)?];
    let mut trial = Trial {
        steps: Vec::new(),
        feed: None,
    };
    while let Some(url) = waiting.pop() {
        let began = std::time::Instant::now();
        let (words, feed) = match read::read(lede, &url).await {
            Ok(Found::Feed(feed)) => (
                format!("a feed with {} items", feed.items.len()),
                Some(feed),
            ),
            // Only the first address may be a page: feeds of feeds' pages are not followed.
            Ok(Found::Page(page)) if trial.steps.is_empty() => {
                let words = format!("a page that points to {} feeds", page.feeds.len());
                let feeds = page.feeds.into_iter().map(|found| found.url);
                waiting.extend(feeds.take(MAX_CANDIDATES).rev());
                (words, None)
            }
            Ok(Found::Page(_)) => ("a page, not a feed".to_owned(), None),
            Err(error) => (failure(&error), None),
        };
        trial.steps.push((url, words));
        if let Some(read) = feed {
            let receipt = visit::success(lede, &read, schedule::DEFAULT_INTERVAL_MINUTES, true);
            trial.feed = Some(TrialFeed {
                url: read.feed.url,
                title: read.feed.title,
                site_url: read.feed.site_url,
                items: read
                    .items
                    .into_iter()
                    .map(|new| (new.item, new.lede))
                    .collect(),
                next_fetch_at: receipt.next_fetch_at,
                why: receipt.why,
                took: began.elapsed(),
            });
            break;
        }
    }
    Ok(trial)
}

fn failure(error: &CrawlError) -> String {
    format!("nothing: {error}")
}
