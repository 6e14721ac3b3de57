//! Feed discovery: from an entered address to a feed, which is the address itself, a feed that the
//! page there links to, or a guess.
//!
//! A user waits for the result, and the server is untrusted. One search therefore makes at most
//! [`MOST_REQUESTS`] requests, one after the other, starts none after [`PATIENCE`], and stops at
//! the first feed. Feeds that are stored already cost no request.

use std::collections::HashSet;
use std::time::Duration;

use lede_feed::discover as pages;
use lede_model::address::WebUrl;
use lede_model::credentials::OriginCredentials;
use lede_model::feed::Feed;
use lede_model::ids::UserId;
use lede_model::time::Timestamp;
use lede_model::user::User;
use lede_store::{StoreResult, feeds, items};
use tokio::time::Instant;

pub use lede_feed::discover::{Candidate, FeedKind};

use crate::Lede;
use crate::access::FeedInput;
use crate::crawl::{CandidatePage, CrawlError, FetchedDocument, ReadFeed, read};
use crate::subscribe::SubscribeError;

/// Requests per search, including the first one.
const MOST_REQUESTS: usize = 9;
/// Time during which a search may start requests.
const PATIENCE: Duration = Duration::from_secs(20);
/// Feeds of a page that are tried before guessing: the best one nearly always works.
const MAX_TRIED: usize = 3;
/// Alternatives that are offered; a longer list would not help the user to choose.
const MAX_OFFERED: usize = 8;

/// Items shown in the preview of a feed.
const SHOWN_ITEMS: usize = 3;

/// The feeds behind an address.
#[derive(Debug)]
pub struct Discovery {
    /// The feed to follow. It was fetched successfully or is stored already.
    pub best: Candidate,
    /// Other feeds that the page links to; not fetched.
    pub others: Vec<Candidate>,
}

/// Finds the feeds behind the address in `typed` without following any of them.
pub async fn discover(
    lede: &Lede,
    user: &User,
    typed: &FeedInput,
) -> Result<Discovery, SubscribeError> {
    let found = found(lede, user, typed, &|_| {}).await?;
    Ok(Discovery {
        best: found.best.candidate(),
        others: found.others,
    })
}

async fn found(
    lede: &Lede,
    user: &User,
    typed: &FeedInput,
    on_request: &(dyn Fn(&WebUrl) + Send + Sync),
) -> Result<Discovered, SubscribeError> {
    match known(lede, &typed.url).await? {
        Some(feed) if feed.is_private_to_other(user.id) => Err(SubscribeError::PrivateToOther),
        Some(feed) => Ok(Discovered::alone(Best::Known(Box::new(feed)))),
        None if !user.role.may_add_new_feeds() => Err(SubscribeError::NotAllowed),
        None => {
            let mut search = Search::begin(lede, Some(user.id), typed.pass(), on_request);
            search.run(&typed.url).await
        }
    }
}

/// The feeds behind an address, with a preview of the best one.
#[derive(Debug)]
pub struct FeedPreview {
    /// The feed to follow. It was fetched successfully or is stored already.
    pub best: Candidate,
    /// The site that the feed belongs to.
    pub site_url: Option<WebUrl>,
    /// The newest items of the feed.
    pub newest: Vec<Headline>,
    /// Other feeds that the page links to; not fetched.
    pub others: Vec<Candidate>,
}

/// An item in the preview of a feed.
#[derive(Debug)]
pub struct Headline {
    pub title: String,
    /// Date of publication; `None` if the feed does not give one.
    pub at: Option<Timestamp>,
}

/// Finds the feeds behind the address in `typed` and the newest items of the best one. Calls
/// `on_request` with every address before it is requested.
pub async fn preview(
    lede: &Lede,
    user: &User,
    typed: &FeedInput,
    on_request: &(dyn Fn(&WebUrl) + Send + Sync),
) -> Result<FeedPreview, SubscribeError> {
    let found = found(lede, user, typed, on_request).await?;
    let (site_url, newest) = match &found.best {
        Best::Known(feed) => (feed.site_url.clone(), headlines_of(lede, feed).await?),
        Best::Read(read) => {
            let mut items: Vec<_> = read.items.iter().map(|new| &new.item).collect();
            // Feeds without dates list the newest first.
            items.sort_by_key(|item| std::cmp::Reverse(item.published_at));
            let newest = items.into_iter().take(SHOWN_ITEMS).map(|item| Headline {
                title: item.title.clone(),
                at: item.published_at,
            });
            (read.feed.site_url.clone(), newest.collect())
        }
    };
    Ok(FeedPreview {
        best: found.best.candidate(),
        site_url,
        newest,
        others: found.others,
    })
}

async fn headlines_of(lede: &Lede, feed: &Feed) -> StoreResult<Vec<Headline>> {
    let id = feed.id;
    let newest = lede
        .store
        .read(move |db| items::headlines(db, id, SHOWN_ITEMS as i64));
    let newest = newest.await?.into_iter();
    Ok(newest
        .map(|(title, at)| Headline {
            title,
            at: Some(at),
        })
        .collect())
}

/// A feed that is known to work.
pub(crate) enum Best {
    /// A feed that is stored already.
    Known(Box<Feed>),
    /// Just fetched, not stored.
    Read(Box<ReadFeed>),
}

impl Best {
    fn url(&self) -> &WebUrl {
        match self {
            Self::Known(feed) => &feed.url,
            Self::Read(read) => &read.feed.url,
        }
    }

    fn candidate(self) -> Candidate {
        let (url, title, kind) = match self {
            Self::Known(feed) => (feed.url, feed.title, FeedKind::Unknown),
            Self::Read(read) => (read.feed.url, read.feed.title, read.kind),
        };
        Candidate {
            url,
            title: Some(title),
            kind,
        }
    }
}

/// Result of a search.
pub(crate) struct Discovered {
    pub(crate) best: Best,
    pub(crate) others: Vec<Candidate>,
}

impl Discovered {
    fn alone(best: Best) -> Self {
        Self {
            best,
            others: Vec::new(),
        }
    }
}

async fn known(lede: &Lede, url: &WebUrl) -> StoreResult<Option<Feed>> {
    let url = url.clone();
    lede.store
        .read(move |db| feeds::find_by_url(db, &url))
        .await
}

/// Searches for the feed behind `typed`, which is not stored, for `user`.
pub(crate) async fn search(
    lede: &Lede,
    user: UserId,
    typed: &FeedInput,
) -> Result<Discovered, SubscribeError> {
    let mut search = Search::begin(lede, Some(user), typed.pass(), &|_| {});
    search.run(&typed.url).await
}

/// Searches like [`search`], without a user. Also returns every requested address.
pub(crate) async fn search_aloud(
    lede: &Lede,
    url: &WebUrl,
) -> (Vec<Step>, Result<Discovered, SubscribeError>) {
    let mut search = Search::begin(lede, None, None, &|_| {});
    let found = search.run(url).await;
    (search.steps, found)
}

/// An address that was requested during a search.
#[derive(Debug)]
pub struct Step {
    pub url: WebUrl,
    /// The result, as text.
    pub words: String,
    /// Time for fetching and reading it.
    pub took: Duration,
}

/// A search in progress.
struct Search<'a> {
    lede: &'a Lede,
    /// The user who searches, if any.
    user: Option<UserId>,
    /// Credentials for the entered address.
    pass: Option<OriginCredentials>,
    /// Called with every address before it is requested.
    on_request: &'a (dyn Fn(&WebUrl) + Send + Sync),
    requests_left: usize,
    until: Instant,
    /// Addresses that need not be tried again.
    tried: HashSet<WebUrl>,
    /// The error of the best candidate that did not work.
    first_error: Option<CrawlError>,
    /// True if a candidate is the private feed of another user.
    met_kept: bool,
    steps: Vec<Step>,
}

impl<'a> Search<'a> {
    fn begin(
        lede: &'a Lede,
        user: Option<UserId>,
        pass: Option<OriginCredentials>,
        on_request: &'a (dyn Fn(&WebUrl) + Send + Sync),
    ) -> Self {
        Self {
            lede,
            user,
            pass,
            on_request,
            requests_left: MOST_REQUESTS,
            until: Instant::now() + PATIENCE,
            tried: HashSet::new(),
            first_error: None,
            met_kept: false,
            steps: Vec::new(),
        }
    }

    async fn run(&mut self, url: &WebUrl) -> Result<Discovered, SubscribeError> {
        let sure = pages::sure_sites(url);
        if let Some(best) = self.first_of(sure.iter().map(|found| &found.url)).await? {
            return Ok(self.with_others(best, sure));
        }
        // Errors of the entered address are reported to the user; errors of derived addresses are
        // not.
        self.first_error = None;
        match self.request(url).await? {
            FetchedDocument::Feed(feed) => Ok(Discovered::alone(Best::Read(feed))),
            FetchedDocument::CandidatePage(page) => self.behind(page).await,
        }
    }

    async fn request(&mut self, url: &WebUrl) -> Result<FetchedDocument, CrawlError> {
        self.requests_left = self.requests_left.saturating_sub(1);
        self.tried.insert(url.clone());
        (self.on_request)(url);
        let began = Instant::now();
        let found = read::read(self.lede, url, self.pass.as_ref()).await;
        self.steps.push(Step {
            url: url.clone(),
            words: match &found {
                Ok(FetchedDocument::Feed(feed)) => {
                    format!("a feed with {} items", feed.items.len())
                }
                Ok(FetchedDocument::CandidatePage(page)) => {
                    format!("a page that points to {} feeds", page.feeds.len())
                }
                Err(error) => format!("nothing: {error}"),
            },
            took: began.elapsed(),
        });
        found
    }

    /// Returns the first of these addresses that is a feed.
    async fn first_of(
        &mut self,
        urls: impl Iterator<Item = &WebUrl>,
    ) -> Result<Option<Best>, SubscribeError> {
        for url in urls {
            if self.tried.contains(url) {
                continue;
            }
            match known(self.lede, url).await? {
                Some(feed) if feed.owner.is_some() && feed.owner != self.user => {
                    self.met_kept = true;
                    continue;
                }
                Some(feed) => return Ok(Some(Best::Known(Box::new(feed)))),
                None => {}
            }
            if self.requests_left == 0 || Instant::now() >= self.until {
                break;
            }
            match self.request(url).await {
                Ok(FetchedDocument::Feed(feed)) => return Ok(Some(Best::Read(feed))),
                Ok(FetchedDocument::CandidatePage(_)) => {}
                Err(error) => self.first_error = self.first_error.take().or(Some(error)),
            }
        }
        Ok(None)
    }

    /// Finds the feed behind a page: one that it links to, or one at a usual address.
    async fn behind(&mut self, page: CandidatePage) -> Result<Discovered, SubscribeError> {
        self.tried.insert(page.url.clone());
        let declared = page.feeds.iter().map(|found| &found.url).take(MAX_TRIED);
        if let Some(best) = self.first_of(declared).await? {
            return Ok(self.with_others(best, page.feeds));
        }
        let error = self.first_error.take();
        let guesses = pages::well_known(&page.url);
        if let Some(best) = self.first_of(guesses.iter()).await? {
            return Ok(self.with_others(best, page.feeds));
        }
        // The error of the declared feed is more useful than the report that there is no feed.
        Err(match error {
            None if self.met_kept => SubscribeError::PrivateToOther,
            None | Some(CrawlError::Parse(lede_feed::ParseError::NotAFeed(_))) => {
                SubscribeError::NoFeedFound
            }
            Some(error) => error.into(),
        })
    }

    /// Adds the alternatives: candidates other than `best` that were not tried.
    fn with_others(&self, best: Best, found: Vec<Candidate>) -> Discovered {
        let others = found
            .into_iter()
            .filter(|other| other.url != *best.url() && !self.tried.contains(&other.url))
            .take(MAX_OFFERED)
            .collect();
        Discovered { best, others }
    }
}
