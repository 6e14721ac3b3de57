//! From what somebody typed to a feed: the address itself, the feeds of the page there, or a guess.
//!
//! Somebody waits, and a stranger's server answers: one search makes at most [`MOST_REQUESTS`] requests
//! one after the other, ends after [`PATIENCE`], and stops at the first feed. Feeds that are in the
//! house already cost no request.

use std::collections::HashSet;
use std::time::Duration;

use lede_feed::discover as pages;
use lede_model::access::Pass;
use lede_model::address::WebUrl;
use lede_model::feed::Feed;
use lede_model::ids::UserId;
use lede_model::time::Timestamp;
use lede_model::user::User;
use lede_store::{StoreResult, feeds, items};
use tokio::time::Instant;

pub use lede_feed::discover::{Candidate, FeedKind};

use crate::Lede;
use crate::access::Typed;
use crate::crawl::{CrawlError, Found, Page, ReadFeed, read};
use crate::subscribe::SubscribeError;

/// Requests that one search makes at most, the first one included.
const MOST_REQUESTS: usize = 9;
/// How long a search goes on beginning requests.
const PATIENCE: Duration = Duration::from_secs(20);
/// Feeds of a page that are tried before guessing: the best one nearly always works.
const MAX_TRIED: usize = 3;
/// Other feeds that are offered: beyond them nobody would choose.
const MAX_OFFERED: usize = 8;

/// Items that show what a feed is like.
const SHOWN_ITEMS: usize = 3;

/// The feeds behind an address.
#[derive(Debug)]
pub struct Discovery {
    /// The one to follow; it works.
    pub best: Candidate,
    /// What else the page points to; not tried.
    pub others: Vec<Candidate>,
}

/// The feeds behind what `user` typed; follows none of them.
pub async fn discover(
    lede: &Lede,
    user: &User,
    typed: &Typed,
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
    typed: &Typed,
    tell: &(dyn Fn(&WebUrl) + Send + Sync),
) -> Result<Discovered, SubscribeError> {
    match known(lede, &typed.url).await? {
        Some(feed) if feed.is_kept_from(user.id) => Err(SubscribeError::KeptByOther),
        Some(feed) => Ok(Discovered::alone(Best::Known(Box::new(feed)))),
        None if !user.role.may_add_new_feeds() => Err(SubscribeError::NotAllowed),
        None => {
            let mut search = Search::begin(lede, Some(user.id), typed.pass(), tell);
            search.run(&typed.url).await
        }
    }
}

/// The feeds behind an address, as they are shown to whoever chooses among them.
#[derive(Debug)]
pub struct Looked {
    /// The one to follow; it works.
    pub best: Candidate,
    /// The site that it belongs to.
    pub site_url: Option<WebUrl>,
    /// What is new in it.
    pub newest: Vec<Headline>,
    /// What else the page points to; not tried.
    pub others: Vec<Candidate>,
}

/// An item of a feed that somebody may follow.
#[derive(Debug)]
pub struct Headline {
    /// Plain text.
    pub title: String,
    /// When it appeared; nothing where the feed does not say.
    pub at: Option<Timestamp>,
}

/// Looks what is behind what `user` typed, with the newest of its items; `tell` hears of every address
/// that is asked on the way.
pub async fn look(
    lede: &Lede,
    user: &User,
    typed: &Typed,
    tell: &(dyn Fn(&WebUrl) + Send + Sync),
) -> Result<Looked, SubscribeError> {
    let found = found(lede, user, typed, tell).await?;
    let (site_url, newest) = match &found.best {
        Best::Known(feed) => (feed.site_url.clone(), headlines_of(lede, feed).await?),
        Best::Read(read) => {
            let mut items: Vec<_> = read.items.iter().map(|new| &new.item).collect();
            // Feeds that give no dates have the newest first.
            items.sort_by_key(|item| std::cmp::Reverse(item.published_at));
            let newest = items.into_iter().take(SHOWN_ITEMS).map(|item| Headline {
                title: item.title.clone(),
                at: item.published_at,
            });
            (read.feed.site_url.clone(), newest.collect())
        }
    };
    Ok(Looked {
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

/// A feed that works.
pub(crate) enum Best {
    /// In the house already.
    Known(Box<Feed>),
    /// Just fetched, and kept nowhere yet.
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

/// What a search came to.
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

/// Looks for the feed behind `typed`, which is not in the house, for `user`.
pub(crate) async fn search(
    lede: &Lede,
    user: UserId,
    typed: &Typed,
) -> Result<Discovered, SubscribeError> {
    let mut search = Search::begin(lede, Some(user), typed.pass(), &|_| {});
    search.run(&typed.url).await
}

/// The same for nobody in particular, with every address that was asked.
pub(crate) async fn search_aloud(
    lede: &Lede,
    url: &WebUrl,
) -> (Vec<Step>, Result<Discovered, SubscribeError>) {
    let mut search = Search::begin(lede, None, None, &|_| {});
    let found = search.run(url).await;
    (search.steps, found)
}

/// An address that was asked.
#[derive(Debug)]
pub struct Step {
    /// Which.
    pub url: WebUrl,
    /// What it led to, in words.
    pub words: String,
    /// How long fetching and reading it took.
    pub took: Duration,
}

/// A search that is under way.
struct Search<'a> {
    lede: &'a Lede,
    /// Who looks.
    user: Option<UserId>,
    /// What is shown where they typed.
    pass: Option<Pass>,
    /// Hears of every address before it is asked.
    tell: &'a (dyn Fn(&WebUrl) + Send + Sync),
    requests_left: usize,
    until: Instant,
    /// Addresses that need not be tried again.
    tried: HashSet<WebUrl>,
    /// What went wrong with the best one that did not work.
    first_error: Option<CrawlError>,
    /// Whether one of them is somebody else's alone.
    met_kept: bool,
    steps: Vec<Step>,
}

impl<'a> Search<'a> {
    fn begin(
        lede: &'a Lede,
        user: Option<UserId>,
        pass: Option<Pass>,
        tell: &'a (dyn Fn(&WebUrl) + Send + Sync),
    ) -> Self {
        Self {
            lede,
            user,
            pass,
            tell,
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
        // What somebody typed may fail in ways that they should hear of; what we made of it may not.
        self.first_error = None;
        match self.ask(url).await? {
            Found::Feed(feed) => Ok(Discovered::alone(Best::Read(feed))),
            Found::Page(page) => self.behind(page).await,
        }
    }

    async fn ask(&mut self, url: &WebUrl) -> Result<Found, CrawlError> {
        self.requests_left = self.requests_left.saturating_sub(1);
        self.tried.insert(url.clone());
        (self.tell)(url);
        let began = Instant::now();
        let found = read::read(self.lede, url, self.pass.as_ref()).await;
        self.steps.push(Step {
            url: url.clone(),
            words: match &found {
                Ok(Found::Feed(feed)) => format!("a feed with {} items", feed.items.len()),
                Ok(Found::Page(page)) => {
                    format!("a page that points to {} feeds", page.feeds.len())
                }
                Err(error) => format!("nothing: {error}"),
            },
            took: began.elapsed(),
        });
        found
    }

    /// The first of these that is a feed.
    async fn first_of(
        &mut self,
        urls: impl Iterator<Item = &WebUrl>,
    ) -> Result<Option<Best>, SubscribeError> {
        for url in urls {
            if self.tried.contains(url) {
                continue;
            }
            match known(self.lede, url).await? {
                Some(feed) if feed.keeper.is_some() && feed.keeper != self.user => {
                    self.met_kept = true;
                    continue;
                }
                Some(feed) => return Ok(Some(Best::Known(Box::new(feed)))),
                None => {}
            }
            if self.requests_left == 0 || Instant::now() >= self.until {
                break;
            }
            match self.ask(url).await {
                Ok(Found::Feed(feed)) => return Ok(Some(Best::Read(feed))),
                Ok(Found::Page(_)) => {}
                Err(error) => self.first_error = self.first_error.take().or(Some(error)),
            }
        }
        Ok(None)
    }

    /// The feed behind a page: one that it points to, or else one where sites usually have it.
    async fn behind(&mut self, page: Page) -> Result<Discovered, SubscribeError> {
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
        // What went wrong with the feed that the page declares is more use than that there is none.
        Err(match error {
            None if self.met_kept => SubscribeError::KeptByOther,
            None | Some(CrawlError::Parse(lede_feed::ParseError::NotAFeed(_))) => {
                SubscribeError::NoFeedFound
            }
            Some(error) => error.into(),
        })
    }

    /// What was found, with what else there is and was not found dead.
    fn with_others(&self, best: Best, found: Vec<Candidate>) -> Discovered {
        let others = found
            .into_iter()
            .filter(|other| other.url != *best.url() && !self.tried.contains(&other.url))
            .take(MAX_OFFERED)
            .collect();
        Discovered { best, others }
    }
}
