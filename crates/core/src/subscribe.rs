//! Subscribing to feeds, unsubscribing, and fetching them on request.

mod deferred;

use std::slice;
use std::sync::Arc;
use std::time::Duration;

use lede_model::address::{AddressError, WebUrl};
use lede_model::credentials::{Access, CredentialsError, OriginCredentials, Part};
use lede_model::feed::{Feed, FeedStatus, NewFeed, Subscription, Validators};
use lede_model::feed_error::FeedError;
use lede_model::ids::{CategoryId, FeedId, SubscriptionId, UserId};
use lede_model::schedule;
use lede_model::time::Timestamp;
use lede_model::user::User;
use lede_net::{FetchError, Net};
use lede_store::follow::{
    self, EncryptFor, FollowOutcome, FollowRequest, Follower, SubscriptionSettings,
};
use lede_store::subscriptions::{self, Change};
use lede_store::{Db, StoreError, StoreResult, access, categories, feeds, ingest, leases};

pub use self::deferred::{change_later, follow_later};
pub(crate) use self::deferred::{follow_listed, follower_later};
use crate::access::{FeedInput, Purpose};
pub use crate::crawl::CrawlError;
use crate::crawl::visit::VisitOutcome;
use crate::crawl::{CLEANING, ReadFeed, visit};
use crate::discover::{self, Best, Candidate};
use crate::worker::heartbeat::LEASE;
use crate::{Lede, reading};

/// Reason why a user cannot follow or fetch a feed.
#[derive(Debug, thiserror::Error)]
pub enum SubscribeError {
    #[error(transparent)]
    Address(#[from] AddressError),
    /// A part of the credentials cannot be sent in a request.
    #[error("{}: {_1}", _0.as_str())]
    Access(Part, CredentialsError),
    /// The policy for outgoing requests forbids the address.
    #[error(transparent)]
    Refused(FetchError),
    #[error(transparent)]
    Fetch(FetchError),
    /// The page at the address has no feed.
    #[error("{}", FeedError::NoFeedFound)]
    NoFeedFound,
    /// The response is neither a feed nor a page.
    #[error(transparent)]
    Unreadable(CrawlError),
    #[error("You have already added this feed")]
    AlreadyFollowing,
    /// The user follows as many feeds as allowed.
    #[error("{}", FeedError::ListFull { most: *.0 })]
    LimitReached(i64),
    /// A viewer may only follow feeds that exist here.
    #[error("{}", FeedError::NotAllowed)]
    NotAllowed,
    /// A viewer may not restart a stopped feed: that would affect all of its subscribers.
    #[error("the feed was stopped, and your account may not restart it")]
    MayNotRestart,
    /// Another request is fetching the feed, and its result counts.
    #[error("the feed is being fetched already")]
    FetchedElsewhere,
    /// The feed is private to another user.
    #[error("{}", FeedError::PrivateToOther)]
    PrivateToOther,
    /// The feed cannot become private, because other users follow it.
    #[error("{}", FeedError::FollowedByOthers)]
    FollowedByOthers,
    /// The user has no such category.
    #[error("there is no such category")]
    NoSuchCategory,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SubscribeError {
    /// Returns the message about the feed, if the error is about the feed, its address or the
    /// limits of the account.
    pub fn feed_error(&self) -> Option<FeedError> {
        Some(match self {
            Self::Address(problem) => FeedError::BadAddress {
                problem: problem.clone(),
            },
            Self::Access(_, problem) => FeedError::BadCredentials {
                problem: problem.clone(),
            },
            Self::Refused(error) | Self::Fetch(error) => error.into(),
            Self::NoFeedFound => FeedError::NoFeedFound,
            Self::Unreadable(error) => error.into(),
            Self::LimitReached(most) => FeedError::ListFull { most: *most },
            Self::NotAllowed => FeedError::NotAllowed,
            Self::PrivateToOther => FeedError::PrivateToOther,
            Self::FollowedByOthers => FeedError::FollowedByOthers,
            Self::AlreadyFollowing
            | Self::MayNotRestart
            | Self::FetchedElsewhere
            | Self::NoSuchCategory
            | Self::Store(_) => return None,
        })
    }

    /// Returns `true` if the server may require a user name and a password.
    pub fn wants_access(&self) -> bool {
        let Self::Fetch(FetchError::Status { status, .. }) = self else {
            return false;
        };
        matches!(status.as_u16(), 401 | 403)
    }
}

impl From<CrawlError> for SubscribeError {
    fn from(error: CrawlError) -> Self {
        match error {
            CrawlError::Fetch(error) if error.is_policy() => Self::Refused(error),
            CrawlError::Fetch(error) => Self::Fetch(error),
            other => Self::Unreadable(other),
        }
    }
}

/// Result of a successful subscription.
#[derive(Debug)]
pub struct Followed {
    pub subscription: Subscription,
    /// Other feeds that the page at the address links to.
    pub alternatives: Vec<Candidate>,
}

/// Placement of a new subscription.
#[derive(Clone, Copy)]
enum Entry {
    /// An additional one, in a category or in none.
    New(Option<CategoryId>),
    /// Replaces another subscription and takes over its settings.
    InsteadOf(FeedId),
}

/// Returns `user` with the limits that apply to their subscriptions. The icons of new feeds are
/// fetched after `icons_after`.
fn follower(lede: &Lede, user: &User, icons_after: Duration) -> Follower {
    Follower {
        user: user.id,
        may_add_feeds: user.role.may_add_new_feeds(),
        max_subscriptions: lede.settings.max_subscriptions,
        policy: lede.settings.failure_policy,
        icons_after,
    }
}

/// Makes a request to follow `feed`, with the credentials that `pass` has for its address.
fn request(
    lede: &Lede,
    feed: NewFeed,
    pass: Option<&OriginCredentials>,
    entry: Entry,
) -> FollowRequest {
    let (category, replaces) = match entry {
        Entry::New(category) => (category, None),
        Entry::InsteadOf(old) => (None, Some(old)),
    };
    FollowRequest {
        credentials: credentials(lede, pass, &feed.url),
        feed,
        settings: SubscriptionSettings {
            category,
            ..SubscriptionSettings::default()
        },
        replaces,
    }
}

/// Returns a function that encrypts the credentials that `pass` has for `url`, if it has any.
fn credentials(lede: &Lede, pass: Option<&OriginCredentials>, url: &WebUrl) -> Option<EncryptFor> {
    let access = pass?.at(url)?.clone();
    let keys = Arc::clone(&lede.token_keys);
    Some(Box::new(move |feed: &Feed| {
        keys.seal.seal(&access, Purpose::Feed(feed.id, &feed.url))
    }))
}

/// Returns the feed that is followed from now on, or the reason why none is.
fn followed(outcome: FollowOutcome, most: i64) -> Result<Feed, SubscribeError> {
    match outcome {
        FollowOutcome::Followed(feed) => Ok(*feed),
        FollowOutcome::AlreadyFollowing(_) => Err(SubscribeError::AlreadyFollowing),
        FollowOutcome::LimitReached => Err(SubscribeError::LimitReached(most)),
        FollowOutcome::NotAllowed => Err(SubscribeError::NotAllowed),
        FollowOutcome::PrivateToOther => Err(SubscribeError::PrivateToOther),
        FollowOutcome::FollowedByOthers => Err(SubscribeError::FollowedByOthers),
    }
}

/// Follows one feed; see [`follow::follow`].
fn follow_one(
    db: &mut Db<'_>,
    follower: Follower,
    request: &FollowRequest,
    now: Timestamp,
) -> StoreResult<Result<Feed, SubscribeError>> {
    let mut outcomes = follow::follow(db, follower, slice::from_ref(request), now)?;
    let outcome = outcomes.pop().ok_or(StoreError::Missing)?;
    Ok(followed(outcome, follower.max_subscriptions))
}

/// Subscribes `user` to the feed at `typed`, discovering the feed behind a page where needed.
pub async fn subscribe(
    lede: &Lede,
    user: &User,
    typed: &FeedInput,
    category: Option<CategoryId>,
) -> Result<Followed, SubscribeError> {
    let (id, limit) = (user.id, lede.settings.max_subscriptions);
    let (count, has_category) = lede
        .store
        .read(move |db| {
            let has_category = match category {
                Some(category) => categories::exists(db, id, category)?,
                None => true,
            };
            Ok((subscriptions::count(db, id)?, has_category))
        })
        .await?;
    if !has_category {
        return Err(SubscribeError::NoSuchCategory);
    }
    if count >= limit {
        return Err(SubscribeError::LimitReached(limit));
    }
    follow(lede, user, typed, Entry::New(category)).await
}

/// Replaces the subscription of `user` to `feed` by one to the feed at `typed`, with the same
/// title, category and settings. Returns `None` if they do not follow `feed`. Its credentials are
/// carried over within their origin.
pub async fn move_to(
    lede: &Lede,
    user: &User,
    feed: FeedId,
    typed: &str,
) -> Result<Option<Followed>, SubscribeError> {
    if reading::find_subscription(lede, user.id, feed)
        .await?
        .is_none()
    {
        return Ok(None);
    }
    let mut typed = FeedInput::read(typed, &Access::default())?;
    let id = user.id;
    let kept = lede.store.read(move |db| access::find(db, id, feed));
    if let Some(kept) = kept.await?
        && let Ok(Some(pass)) = crate::access::pass(lede, feed, &kept)
        && let Some(shown) = pass.at(&typed.url)
    {
        typed.access = shown.clone().with(&typed.access);
    }
    let followed = follow(lede, user, &typed, Entry::InsteadOf(feed)).await?;
    Ok(Some(followed))
}

async fn follow(
    lede: &Lede,
    user: &User,
    typed: &FeedInput,
    entry: Entry,
) -> Result<Followed, SubscribeError> {
    let pass = typed.pass();
    if pass.is_some() && !user.role.may_add_new_feeds() {
        // The feed would become private.
        return Err(SubscribeError::NotAllowed);
    }
    let pass = pass.as_ref();
    if let Some(subscription) = follow_known(lede, user, &typed.url, pass, entry).await? {
        return Ok(Followed {
            subscription,
            alternatives: Vec::new(),
        });
    }
    if !user.role.may_add_new_feeds() {
        return Err(SubscribeError::NotAllowed);
    }
    let found = discover::search(lede, user.id, typed).await?;
    let subscription = match found.best {
        Best::Read(feed) => add(lede, user, *feed, pass, entry).await?,
        Best::Known(feed) => follow_known(lede, user, &feed.url, pass, entry)
            .await?
            // The feed was removed a moment ago; a new attempt would discover it again.
            .ok_or(SubscribeError::NoFeedFound)?,
    };
    Ok(Followed {
        subscription,
        alternatives: found.others,
    })
}

/// Follows a feed that exists here. Returns `None` if it does not. It is fetched only if its
/// credentials are new, or if it was stopped and `user` may restart it.
async fn follow_known(
    lede: &Lede,
    user: &User,
    url: &WebUrl,
    pass: Option<&OriginCredentials>,
    entry: Entry,
) -> Result<Option<Subscription>, SubscribeError> {
    let now = lede.clock.now();
    let follower = follower(lede, user, Duration::ZERO);
    let request = request(lede, unfetched(url), pass, entry);
    let has_credentials = request.credentials.is_some();
    let outcome = lede
        .store
        .write(move |db| match feeds::find_by_url(db, &request.feed.url)? {
            Some(_) => follow_one(db, follower, &request, now).map(Some),
            None => Ok(None),
        })
        .await?;
    let Some(feed) = outcome.transpose()? else {
        return Ok(None);
    };
    let is_retried = feed.status == FeedStatus::Stopped && follower.may_add_feeds;
    let followed = match has_credentials || is_retried {
        true => {
            let visit = visit::visit_once(lede, feed.id).await?;
            visit.map_or(feed.id, |visit| visit.feed)
        }
        false => feed.id,
    };
    Ok(reading::find_subscription(lede, user.id, followed).await?)
}

/// Returns a feed as it is stored before its first fetch.
pub(crate) fn unfetched(url: &WebUrl) -> NewFeed {
    NewFeed {
        url: url.clone(),
        site_url: None,
        title: url.host().to_owned(),
        validators: Validators::default(),
    }
}

/// Refuses an address that is never fetched because of its written form: a private address, a name
/// of a private network, a closed port. Every way to register a feed checks this first; otherwise
/// the feed would be stored, fail and be retried.
pub(crate) fn check_registrable(net: &Net, url: &WebUrl) -> Result<(), SubscribeError> {
    net.screen(url, lede_net::Purpose::Feed)
        .map_err(SubscribeError::Refused)
}

/// Stores a fetched feed with its items and subscribes `user` to it, in one transaction.
async fn add(
    lede: &Lede,
    user: &User,
    read: ReadFeed,
    pass: Option<&OriginCredentials>,
    entry: Entry,
) -> Result<Subscription, SubscribeError> {
    let now = lede.clock.now();
    let until = now + LEASE;
    let success = visit::success(lede, &read, schedule::DEFAULT_INTERVAL_MINUTES, true);
    let follower = follower(lede, user, Duration::ZERO);
    let request = request(lede, read.feed.clone(), pass, entry);
    let wake = lede.live_updates.clone();
    let stored = lede
        .store
        .write(move |db: &mut Db<'_>| -> StoreResult<_> {
            let feed = match follow_one(db, follower, &request, now)? {
                Ok(feed) => feed.id,
                Err(refused) => return Ok(Err(refused)),
            };
            // Another user may have added the feed in the meantime; then these items are known.
            let lease = leases::force_lease(db, feed, now, until)?.ok_or(StoreError::Missing)?;
            let taken = ingest::ingest(db, feed, &read.items, CLEANING, now)?;
            feeds::record_success(db, feed, lease.token, &success, now)?;
            wake.announce(db, feed, taken.new)?;
            let subscription = subscriptions::find(db, follower.user, feed)?;
            Ok(Ok((subscription.ok_or(StoreError::Missing)?, taken)))
        })
        .await?;
    let (subscription, taken) = stored?;
    // Other users may have followed it in the meantime, and this one may have other pages open.
    lede.live_updates.arrived(subscription.feed.id, taken.new);
    lede.metrics.count_ingested(&taken);
    tracing::info!(
        feed.id = subscription.feed.id.as_i64(),
        items = taken.new,
        "a feed was added"
    );
    Ok(subscription)
}

/// Unsubscribes `user` from `feed`. Returns `false` if they did not follow it.
pub async fn unsubscribe(lede: &Lede, user: UserId, feed: FeedId) -> StoreResult<bool> {
    let now = lede.clock.now();
    lede.store
        .write(move |db| subscriptions::remove(db, user, feed, now))
        .await
}

/// Same as [`unsubscribe`], by the id of the subscription.
pub async fn remove_subscription(
    lede: &Lede,
    user: UserId,
    subscription: SubscriptionId,
) -> StoreResult<bool> {
    let now = lede.clock.now();
    lede.store
        .write(
            move |db| match subscriptions::find_by_id(db, user, subscription)? {
                Some(found) => subscriptions::remove(db, user, found.feed.id, now),
                None => Ok(false),
            },
        )
        .await
}

/// Result of a fetch on request.
#[derive(Debug)]
pub struct Refreshed {
    /// Items that were not stored before.
    pub new_items: usize,
    /// Error message for the user, if the fetch failed.
    pub error: Option<String>,
}

/// Immediately fetches a feed that `user` follows, regardless of its schedule, and resets its
/// failures. Returns `None` if `user` does not follow it.
pub async fn refresh(
    lede: &Lede,
    user: &User,
    feed: FeedId,
) -> Result<Option<Refreshed>, SubscribeError> {
    let Some(subscription) = reading::find_subscription(lede, user.id, feed).await? else {
        return Ok(None);
    };
    if !may_fetch(user, &subscription) {
        return Err(SubscribeError::MayNotRestart);
    }
    fetch_now(lede, feed).await
}

/// Immediately fetches a feed, regardless of its schedule. Returns `None` if it does not exist.
pub(crate) async fn fetch_now(
    lede: &Lede,
    feed: FeedId,
) -> Result<Option<Refreshed>, SubscribeError> {
    let Some(visit) = visit::visit_now(lede, feed).await? else {
        return Ok(None);
    };
    let error = match visit.outcome {
        VisitOutcome::Stored => None,
        VisitOutcome::Failed(error) => Some(error),
        VisitOutcome::Postponed => Some(FetchError::Busy.to_string()),
        VisitOutcome::Superseded => return Err(SubscribeError::FetchedElsewhere),
    };
    Ok(Some(Refreshed {
        new_items: visit.taken.new,
        error,
    }))
}

/// Schedules all feeds that `user` follows, or those in a category, to be fetched soon. Returns the
/// number of scheduled feeds, or `None` if the category is not theirs. The request does not wait
/// for the fetches: open pages receive new items as live updates.
pub async fn refresh_all(
    lede: &Lede,
    user: UserId,
    category: Option<CategoryId>,
) -> StoreResult<Option<usize>> {
    let now = lede.clock.now();
    lede.store
        .write(move |db| match category {
            Some(category) if !categories::exists(db, user, category)? => Ok(None),
            _ => feeds::schedule_now(db, user, category, now).map(Some),
        })
        .await
}

/// Returns `true` if `user` may have the feed fetched: that restarts a stopped feed for all
/// subscribers.
fn may_fetch(user: &User, subscription: &Subscription) -> bool {
    subscription.feed.status != FeedStatus::Stopped || user.role.may_add_new_feeds()
}

/// Immediately fetches a feed that `user` follows, as if it had never failed or been paused, and
/// returns the updated subscription. Returns `None` if `user` does not follow it. The pause is a
/// setting of the user and ends in any case.
pub async fn resume(
    lede: &Lede,
    user: &User,
    feed: FeedId,
) -> Result<Option<Subscription>, SubscribeError> {
    let Some(subscription) = reading::find_subscription(lede, user.id, feed).await? else {
        return Ok(None);
    };
    end_pause(lede, user.id, &subscription).await?;
    if !may_fetch(user, &subscription) {
        return match subscription.paused_at {
            Some(_) => Ok(reading::find_subscription(lede, user.id, feed).await?),
            None => Err(SubscribeError::MayNotRestart),
        };
    }
    let visit = visit::visit_now(lede, feed).await?;
    // The feed may have moved to the address of another feed, which the user follows now instead.
    let feed = visit.map_or(feed, |visit| visit.feed);
    Ok(reading::find_subscription(lede, user.id, feed).await?)
}

async fn end_pause(lede: &Lede, user: UserId, subscription: &Subscription) -> StoreResult<()> {
    if subscription.paused_at.is_none() {
        return Ok(());
    }
    let (id, now) = (subscription.id, lede.clock.now());
    let change = Change {
        paused: Some(false),
        ..Change::default()
    };
    lede.store
        .write(move |db| subscriptions::set(db, user, id, &change, now))
        .await
        .map(drop)
}

/// Result of resuming a subscription.
#[derive(Debug)]
pub enum Resumed {
    Now(Box<Subscription>),
    /// The subscription was neither paused nor stopped.
    NotNeeded,
    NoSuchSubscription,
}

/// Resumes a subscription of `user` that was paused, or whose feed was stopped. A paused feed is
/// fetched by the worker soon; a stopped one is fetched at once, so that the user sees the result.
pub async fn resume_subscription(
    lede: &Lede,
    user: &User,
    id: SubscriptionId,
) -> Result<Resumed, SubscribeError> {
    let owner = user.id;
    let found = lede
        .store
        .read(move |db| subscriptions::find_by_id(db, owner, id));
    let Some(subscription) = found.await? else {
        return Ok(Resumed::NoSuchSubscription);
    };
    if !subscription.is_disabled() {
        return Ok(Resumed::NotNeeded);
    }
    let feed = subscription.feed.id;
    let resumed = if subscription.feed.status == FeedStatus::Stopped {
        resume(lede, user, feed).await?
    } else {
        end_pause(lede, owner, &subscription).await?;
        reading::find_subscription(lede, owner, feed).await?
    };
    Ok(resumed.map_or(Resumed::NoSuchSubscription, |found| {
        Resumed::Now(Box::new(found))
    }))
}
