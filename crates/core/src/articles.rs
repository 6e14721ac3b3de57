//! Full articles, fetched from their pages where the feed has only an excerpt.
//!
//! The crawl enqueues a job for each item with too little text, in the transaction that stores the
//! item. A user who opens an item with next to no text does not wait for the queue. Either way an
//! article is fetched at most once a day, the longer text wins, and an error here affects neither
//! the feed nor the text that the feed delivered.

use std::time::Duration;

use http::StatusCode;
use lede_ai::builtin::{self, Limits};
use lede_feed::{clean, extract};
use lede_model::address::WebUrl;
use lede_model::content::{EXCERPT_CHARS, excerpt};
use lede_model::credentials::OriginCredentials;
use lede_model::ids::{ItemId, UserId};
use lede_model::item::Item;
use lede_model::job::{JobError, JobKind};
use lede_model::schedule::ARTICLE_PAUSE;
use lede_model::time::Timestamp;
use lede_net::{Conditions, FetchError, Purpose};
use lede_store::articles::{self, Article, ArticleSource};
use lede_store::ingest::NewItem;
use lede_store::jobs::Job;
use lede_store::{StoreResult, items};

use crate::cpu_pool::bounded;
use crate::jobs::{self, Exhausted, JobDefinition, JobOutcome};
use crate::metrics::Metrics;
use crate::{Lede, access};

/// Fetches the article of an item. A page that cannot be fetched is tried again on the following
/// days; after that the item stays as its feed delivered it, which is nothing an administrator
/// needs to see.
pub(crate) const JOB: JobDefinition = JobDefinition {
    kind: JobKind::Article,
    concurrency: |settings| settings.articles.parallelism,
    lease: jobs::STANDARD_LEASE,
    retries: &[ARTICLE_PAUSE; 2],
    exhausted: Exhausted::Drop,
    is_paused: jobs::disk_is_low,
    handler: |lede, job| Box::pin(async move { run_job(&lede, &job).await }),
};

/// Delay of a job whose site has too many requests waiting.
const BUSY_PAUSE: Duration = Duration::from_secs(60);

/// An item with fewer characters of text than this is fetched when it is opened.
const OPENED_BELOW: usize = 200;
/// An excerpt with fewer characters than this is replaced by the beginning of the article.
const SHORT_EXCERPT: usize = 200;

/// Settings of the operator.
#[derive(Debug, Clone, Copy)]
pub struct ArticleSettings {
    /// False if no articles are fetched at all.
    pub enabled: bool,
    /// Items whose feed has fewer characters of text are fetched at crawl time.
    pub threshold: usize,
    /// Articles fetched at a time.
    pub parallelism: usize,
}

impl ArticleSettings {
    /// Returns `true` if the feed has so little text for an item that its article should be
    /// fetched.
    pub(crate) fn are_wanted_for(&self, new: &NewItem) -> bool {
        self.enabled && new.item.url.is_some() && new.item.html.text_chars() < self.threshold
    }
}

/// Returns the time before which the last attempt must lie for an article to be tried again.
pub(crate) fn tried_before(now: Timestamp) -> Timestamp {
    now - ARTICLE_PAUSE
}

/// Returns `true` if the article of `item` may be fetched now, on request or automatically.
pub fn may_fetch(lede: &Lede, item: &Item) -> bool {
    lede.settings.articles.enabled && item.may_fetch_article && item.full_html.is_none()
}

/// Returns `true` if `item` has so little text that its article is fetched when the item is opened.
pub fn wants_article(lede: &Lede, item: &Item) -> bool {
    may_fetch(lede, item) && item.html.text_chars() < OPENED_BELOW
}

/// Fetches the article of an item that `user` has opened, unless it was tried within a day, and
/// returns the updated item. Returns `None` if the item is in no feed that `user` follows.
pub async fn fetch_for_reader(
    lede: &Lede,
    user: UserId,
    item: ItemId,
) -> StoreResult<Option<Item>> {
    let find = || {
        let before = tried_before(lede.clock.now());
        lede.store
            .read(move |db| items::find(db, user, item, before))
    };
    let Some(found) = find().await? else {
        return Ok(None);
    };
    if !may_fetch(lede, &found) {
        return Ok(Some(found));
    }
    // A page that cannot be fetched leaves the item unchanged.
    let _ = fetch(lede, item, tried_before(lede.clock.now())).await?;
    find().await
}

async fn run_job(lede: &Lede, job: &Job) -> StoreResult<JobOutcome> {
    // Disabled after the job was enqueued.
    if !lede.settings.articles.enabled {
        return Ok(JobOutcome::Done);
    }
    let now = lede.clock.now();
    // An attempt that was interrupted has recorded its time but stored nothing.
    let before = match job.is_repeated() {
        true => now,
        false => tried_before(now),
    };
    let fetched = fetch(lede, ItemId::from(job.key), before).await?;
    Ok(match fetched {
        Ok(()) => JobOutcome::Done,
        Err(FetchError::Busy) => JobOutcome::RateLimited(BUSY_PAUSE),
        Err(error) if may_pass(&error) => JobOutcome::Temporary(JobError::Unreachable),
        // The page is gone, or access to it is denied.
        Err(_) => JobOutcome::Done,
    })
}

/// Returns `true` if a page that could not be fetched now may be available on another day.
fn may_pass(error: &FetchError) -> bool {
    match error {
        FetchError::Dns
        | FetchError::Connect
        | FetchError::Timeout { .. }
        | FetchError::TooSlow
        | FetchError::Truncated => true,
        FetchError::Status { status, .. } => {
            status.is_server_error()
                || matches!(
                    *status,
                    StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT
                )
        }
        _ => false,
    }
}

/// Fetches the article of `item`, unless it was tried since `tried_before`, and stores it if it is
/// longer than the text of the feed.
async fn fetch(
    lede: &Lede,
    item: ItemId,
    tried_before: Timestamp,
) -> StoreResult<Result<(), FetchError>> {
    let now = lede.clock.now();
    let wanted = lede
        .store
        .write(move |db| articles::begin(db, item, now, tried_before))
        .await?;
    let Some(wanted) = wanted else {
        return Ok(Ok(()));
    };
    // Credentials that cannot be decrypted are reported by the feed itself; the page may be
    // accessible without them.
    let pass = access::pass(lede, wanted.feed, &wanted.kept).ok().flatten();
    match article(lede, wanted, pass.as_ref()).await {
        Ok(Some(article)) => {
            Metrics::count(&lede.metrics.articles.outcomes, "success");
            lede.store
                .write(move |db| articles::set(db, item, &article))
                .await?;
            Ok(Ok(()))
        }
        Ok(None) => {
            Metrics::count(&lede.metrics.articles.outcomes, "no_article");
            Ok(Ok(()))
        }
        Err(error) => {
            Metrics::count(&lede.metrics.articles.outcomes, "failure");
            tracing::debug!(item.id = item.as_i64(), %error, "an article could not be fetched");
            Ok(Err(error))
        }
    }
}

/// Returns the article on the item's page, if there is one that is longer than the text of the
/// feed.
async fn article(
    lede: &Lede,
    wanted: ArticleSource,
    pass: Option<&OriginCredentials>,
) -> Result<Option<Article>, FetchError> {
    let fetched = lede
        .net
        .fetch_with(&wanted.url, Purpose::Page, &Conditions::default(), pass)
        .await?;
    let body = fetched.body().cloned().unwrap_or_default();
    lede.metrics
        .articles
        .duration
        .observe(fetched.elapsed.as_secs_f64());
    lede.metrics.articles.bytes.observe(body.len() as f64);
    let content_type = fetched.content_type;
    let page = fetched.url;
    let found = bounded(move || longer(&wanted, &body, content_type.as_deref(), &page)).await;
    Ok(found.ok().flatten())
}

/// Returns the article in `body` if it is longer than the text of the feed.
fn longer(
    wanted: &ArticleSource,
    body: &[u8],
    content_type: Option<&str>,
    page: &WebUrl,
) -> Option<Article> {
    let found = extract::article(&lede_feed::page_text(body, content_type), page)?;
    let said_chars = wanted.html.text_chars();
    if found.text_len <= said_chars {
        return None;
    }
    let beginning =
        (said_chars < SHORT_EXCERPT).then(|| excerpt(&clean::text(&found.html), EXCERPT_CHARS));
    Some(Article {
        lede: beginning.as_ref().map(|beginning| {
            builtin::summarize(&wanted.title, beginning, None, Limits::default()).one_line
        }),
        excerpt: beginning,
        reading_minutes: found.html.reading_minutes(),
        html: found.html,
    })
}
