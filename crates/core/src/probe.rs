//! Probe of an address: the result of following it, without storing anything.
//!
//! For operators, and for reports of feeds that are parsed wrongly.

use std::time::Duration;

use lede_model::address::{AddressError, WebUrl};
use lede_model::item::CleanItem;
use lede_model::schedule::{self, ScheduleReason};
use lede_model::time::Timestamp;

use crate::Lede;
use crate::crawl::visit;
use crate::discover::{self, Best, Discovered, Step};

/// Result of a trial.
#[derive(Debug)]
pub struct Probe {
    /// Every requested address with its result.
    pub steps: Vec<Step>,
    /// The feed, if one was found.
    pub feed: Option<ProbedFeed>,
}

/// A feed as it would be stored.
#[derive(Debug)]
pub struct ProbedFeed {
    /// The address it would be fetched from.
    pub url: WebUrl,
    /// The publisher's title of the feed.
    pub title: String,
    /// The site that the feed belongs to.
    pub site_url: Option<WebUrl>,
    /// The items, cleaned, each with its one-line summary.
    pub items: Vec<(CleanItem, String)>,
    /// Time of the next fetch, if it were followed.
    pub next_fetch_at: Option<Timestamp>,
    /// The reason for that time.
    pub why: ScheduleReason,
    /// Time for fetching, parsing and cleaning.
    pub took: Duration,
}

/// Fetches and reads the address in `typed` as a subscription would.
pub async fn probe(lede: &Lede, typed: &str) -> Result<Probe, AddressError> {
    let (steps, found) = discover::search_aloud(lede, &WebUrl::from_typed(typed)?).await;
    let took = steps.last().map(|step| step.took).unwrap_or_default();
    let feed = match found {
        Ok(Discovered {
            best: Best::Read(read),
            ..
        }) => {
            let receipt = visit::success(lede, &read, schedule::DEFAULT_INTERVAL_MINUTES, true);
            Some(ProbedFeed {
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
                took,
            })
        }
        // The store of a trial is empty, so a known feed is impossible; the steps contain any
        // error.
        Ok(_) | Err(_) => None,
    };
    Ok(Probe { steps, feed })
}
