//! Trying an address out: what Lede would make of it, kept nowhere.
//!
//! For operators who wonder and for reports of feeds that are read wrongly.

use std::time::Duration;

use lede_model::address::{AddressError, WebUrl};
use lede_model::item::CleanItem;
use lede_model::schedule::{self, Why};
use lede_model::time::Timestamp;

use crate::Lede;
use crate::crawl::visit;
use crate::discover::{self, Best, Discovered, Step};

/// What was found at an address.
#[derive(Debug)]
pub struct Trial {
    /// Every address that was asked, with what it led to.
    pub steps: Vec<Step>,
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
    pub why: Why,
    /// How long fetching, parsing and cleaning took.
    pub took: Duration,
}

/// Fetches what is at `typed` and reads it as a subscription would.
pub async fn trial(lede: &Lede, typed: &str) -> Result<Trial, AddressError> {
    let (steps, found) = discover::search_aloud(lede, &WebUrl::from_typed(typed)?).await;
    let took = steps.last().map(|step| step.took).unwrap_or_default();
    let feed = match found {
        Ok(Discovered {
            best: Best::Read(read),
            ..
        }) => {
            let receipt = visit::success(lede, &read, schedule::DEFAULT_INTERVAL_MINUTES, true);
            Some(TrialFeed {
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
        // Nothing is in the house that it is tried in, and the steps say what went wrong.
        Ok(_) | Err(_) => None,
    };
    Ok(Trial { steps, feed })
}
