//! Full articles, fetched from their pages where the feed has only an excerpt.
//!
//! The crawl enqueues a job for each item with too little text, in the transaction that stores the
//! item. A user who opens an item with next to no text does not wait for the queue. Either way an
//! article is fetched at most once a day, and an error here affects neither the feed nor the text
//! that the feed delivered. Both texts are stored. The article is shown by itself only if it is the
//! feed's text and more of it; the user can switch between the two, for all items of a feed.

use std::collections::HashSet;
use std::time::Duration;

use http::StatusCode;
use lede_ai::embedded;
use lede_feed::{clean, extract};
use lede_model::address::WebUrl;
use lede_model::content::{CleanHtml, EXCERPT_CHARS, excerpt};
use lede_model::credentials::OriginCredentials;
use lede_model::ids::{ItemId, UserId};
use lede_model::item::{Item, ItemDetails, TextChoice};
use lede_model::job::{JobError, JobKind};
use lede_model::schedule::ARTICLE_PAUSE;
use lede_model::search::words;
use lede_model::time::Timestamp;
use lede_net::{Conditions, FetchError, Purpose};
use lede_store::articles::{self, Article, ArticleSource};
use lede_store::ingest::NewItem;
use lede_store::jobs::Job;
use lede_store::{StoreResult, items, subscriptions};

use crate::cpu_pool::bounded;
use crate::jobs::{self, Exhausted, JobDefinition, JobOutcome};
use crate::metrics::Metrics;
use crate::{Lede, access, reading};

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
/// An image with less text than this is the item's content.
const PICTURE_BELOW: usize = 300;
/// Length of the word sequences by which two texts are compared: shorter ones occur by chance.
const RUN_WORDS: usize = 4;
/// Share of the feed's word sequences that occur in an article of the same text.
const RUNS_PERCENT: usize = 60;
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
        self.enabled
            && new.item.url.is_some()
            && new.item.html.text_chars() < self.threshold
            && !is_more_than_text(&new.item.html, &new.details)
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

/// Returns `true` if the article of `item` is fetched when the item is opened: the user reads the
/// articles of its feed, or it has hardly any text.
pub fn wants_article(lede: &Lede, item: &Item) -> bool {
    let is_wanted = match item.chosen_text {
        Some(choice) => choice == TextChoice::Full,
        None => {
            item.html.text_chars() < OPENED_BELOW && !is_more_than_text(&item.html, &item.details)
        }
    };
    is_wanted && may_fetch(lede, item)
}

/// Shows `user` the given text of `item`, and from then on of all items of its feed. The article is
/// fetched if needed; if there is none, the feed's text stays. Returns `None` if the user cannot see
/// the item.
pub async fn choose_text(
    lede: &Lede,
    user: UserId,
    item: ItemId,
    choice: TextChoice,
) -> StoreResult<Option<Item>> {
    let found = match choice {
        TextChoice::Full => fetch_for_reader(lede, user, item).await?,
        TextChoice::Feed => reading::find_item(lede, user, item).await?,
    };
    let Some(mut found) = found else {
        return Ok(None);
    };
    if found.full_html.is_some() {
        lede.store
            .write(move |db| subscriptions::choose_text(db, user, item, choice))
            .await?;
        // Not stored for an item of a feed that the user no longer follows, but shown.
        found.chosen_text = Some(choice);
    }
    Ok(Some(found))
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
    let feed_chars = wanted.html.text_chars();
    if found.text_len <= feed_chars {
        return None;
    }
    let beginning =
        (feed_chars < SHORT_EXCERPT).then(|| excerpt(&clean::text(&found.html), EXCERPT_CHARS));
    let feed_urls = [Some(&wanted.kept.url), wanted.site_url.as_ref()];
    let is_link_post = feed_urls
        .into_iter()
        .flatten()
        .all(|url| url.root_domain() != wanted.url.root_domain());
    Some(Article {
        is_default: !is_link_post && replaces(&found.html, &wanted.html, &wanted.details),
        lede: beginning
            .as_ref()
            .map(|beginning| embedded::lede(&wanted.title, beginning)),
        excerpt: beginning,
        reading_minutes: found.html.reading_minutes(),
        html: found.html,
    })
}

/// Returns `true` if an item is more than its text: a podcast with its notes, a comic, a photo. The
/// page of such an item has other things to say.
fn is_more_than_text(html: &CleanHtml, details: &ItemDetails) -> bool {
    let is_picture = html.as_str().contains("<img") && html.text_chars() < PICTURE_BELOW;
    !details.enclosures.is_empty() || is_picture
}

/// Returns `true` if nothing of the feed's text is lost when the article is shown instead.
pub(crate) fn replaces(article: &CleanHtml, feed: &CleanHtml, details: &ItemDetails) -> bool {
    let has = |html: &CleanHtml, element: &str| html.as_str().contains(element);
    let loses = |element| has(feed, element) && !has(article, element);
    !is_more_than_text(feed, details)
        && !loses("<img")
        && !loses("lede-embed")
        && continues(&clean::text(feed), &clean::text(article))
}

/// Returns `true` if most of the text `beginning` occurs in `whole`, by runs of [`RUN_WORDS`] words.
/// Not all of it: feeds cut words in half and append “Continue reading”.
fn continues(beginning: &str, whole: &str) -> bool {
    let (beginning, whole) = (words(beginning), words(whole));
    let split = |text: &'_ str| text.split_ascii_whitespace().map(str::to_owned).collect();
    let (beginning, whole): (Vec<String>, Vec<String>) = (split(&beginning), split(&whole));
    let known: HashSet<&[String]> = whole.windows(RUN_WORDS).collect();
    let runs = beginning.windows(RUN_WORDS);
    let (all, found) = (runs.len(), runs.filter(|run| known.contains(run)).count());
    found * 100 >= all * RUNS_PERCENT
}

#[cfg(test)]
mod tests {
    use lede_model::item::Enclosure;

    use super::*;

    #[expect(
        clippy::disallowed_methods,
        reason = "what is taken for text here never reaches a page"
    )]
    fn clean_html(html: &str) -> CleanHtml {
        CleanHtml::assume_clean(html.to_owned())
    }

    #[test]
    fn an_article_replaces_only_the_text_that_it_contains() {
        const ARTICLE: &str = "<p>The lighthouse was built in 1820 and has guided ships since. \
            Its keeper lives on the island. She rows to the mainland twice a week.</p>";
        let podcast = ItemDetails {
            enclosures: vec![Enclosure {
                url: WebUrl::parse("https://site.example.org/1.mp3").unwrap(),
                mime_type: None,
                bytes: None,
                caption: None,
            }],
            ..ItemDetails::default()
        };
        let none = ItemDetails::default();
        for (feed, details, expected) in [
            ("", &none, true),
            ("<p>Read more</p>", &none, true),
            (
                "<p>The lighthouse was built in 1820 and has guided shi…</p>",
                &none,
                true,
            ),
            (
                "<p>The lighthouse was built in 1820 and has guided ships since. Continue reading</p>",
                &none,
                true,
            ),
            (
                "<p>I do not agree with a word of this, and here is why.</p>",
                &none,
                false,
            ),
            ("<p>The lighthouse was built in 1820</p>", &podcast, false),
            (
                "<img src=\"https://site.example.org/1.png\"><p>Ships</p>",
                &none,
                false,
            ),
        ] {
            let replaced = replaces(&clean_html(ARTICLE), &clean_html(feed), details);
            assert_eq!(replaced, expected, "{feed}");
        }
    }
}
