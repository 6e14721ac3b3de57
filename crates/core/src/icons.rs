//! Icons of sites: discovery, fetching and validation.
//!
//! Icons are fetched by jobs, never while a user waits, and again from time to time because sites
//! change theirs. A site without an icon is not an error of its feed.

use std::time::Duration;

use lede_feed::discover;
use lede_model::address::WebUrl;
use lede_model::credentials::OriginCredentials;
use lede_model::ids::{FeedId, UserId};
use lede_model::job::JobKind;
use lede_net::{Conditions, Purpose};
use lede_store::StoreResult;
use lede_store::icons::{self, Icon};

use crate::cpu_pool::bounded;
use crate::jobs::{self, Exhausted, JobDefinition, JobOutcome};
use crate::{Lede, access, images};

/// Time for which an icon, or the absence of one, is considered current.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(30 * 24 * 3600);
/// Icons fetched at a time; no user waits for them.
const CONCURRENCY: usize = 2;
/// Candidate images tried per site.
const MAX_TRIED: usize = 3;

/// Fetches the icon of a feed's site, and again after a month. A site that does not answer has no
/// icon.
pub(crate) const JOB: JobDefinition = JobDefinition {
    kind: JobKind::Icon,
    concurrency: |_| CONCURRENCY,
    lease: jobs::STANDARD_LEASE,
    retries: &jobs::STANDARD_RETRIES,
    exhausted: Exhausted::Keep,
    is_paused: jobs::disk_is_low,
    handler: |lede, job| Box::pin(async move { run_job(&lede, FeedId::from(job.key)).await }),
};

async fn run_job(lede: &Lede, feed: FeedId) -> StoreResult<JobOutcome> {
    let is_there = fetch_and_store(lede, feed).await?;
    Ok(match is_there {
        true => JobOutcome::Again(lede.clock.now() + LOOK_AGAIN_AFTER),
        false => JobOutcome::Done,
    })
}

/// Returns the icon of a feed that `user` follows.
pub async fn find(lede: &Lede, user: UserId, feed: FeedId) -> StoreResult<Option<Icon>> {
    lede.store.read(move |db| icons::find(db, user, feed)).await
}

/// Fetches and stores the icon of `feed`. Returns `false` if the feed is gone.
async fn fetch_and_store(lede: &Lede, feed: FeedId) -> StoreResult<bool> {
    let Some((kept, site)) = lede.store.read(move |db| icons::site(db, feed)).await? else {
        return Ok(false);
    };
    // Stored addresses parse; a row that was edited by hand may not, and has no icon then.
    let page = site
        .and_then(|site| WebUrl::parse(&site).ok())
        .or_else(|| kept.url.join("/").ok());
    // Credentials that cannot be decrypted are reported by the feed itself.
    let pass = access::pass(lede, feed, &kept).ok().flatten();
    if let Some(page) = page
        && let Some(icon) = of_site(lede, &page, pass.as_ref()).await
    {
        lede.store
            .write(move |db| icons::set(db, feed, &icon))
            .await?;
    }
    Ok(true)
}

/// Returns the first displayable image among the candidates of the site at `page`.
async fn of_site(lede: &Lede, page: &WebUrl, pass: Option<&OriginCredentials>) -> Option<Icon> {
    let none = Conditions::default();
    for url in candidates(lede, page, pass).await.iter().take(MAX_TRIED) {
        let fetched = lede.net.fetch_with(url, Purpose::Icon, &none, pass).await;
        let Ok(fetched) = fetched else {
            continue;
        };
        let bytes = fetched.body().map(|body| body.to_vec()).unwrap_or_default();
        if let Some(content_type) = images::type_of(&bytes) {
            return Some(Icon {
                content_type: content_type.to_owned(),
                bytes,
            });
        }
    }
    None
}

/// Returns the possible addresses of the icon: those that the page declares, and `/favicon.ico`.
async fn candidates(lede: &Lede, page: &WebUrl, pass: Option<&OriginCredentials>) -> Vec<WebUrl> {
    let fetched = lede
        .net
        .fetch_with(page, Purpose::Page, &Conditions::default(), pass)
        .await;
    let Ok(fetched) = fetched else {
        return discover::icons("", page);
    };
    let at = fetched.url.clone();
    let found = bounded(move || {
        let body = fetched.body().map(|body| body.as_ref()).unwrap_or_default();
        let html = lede_feed::page_text(body, fetched.content_type.as_deref());
        discover::icons(&html, &fetched.url)
    });
    found.await.unwrap_or_else(|_| discover::icons("", &at))
}
