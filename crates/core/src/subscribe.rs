//! Following a feed, and no longer following it.

use lede_model::address::{AddressError, WebUrl};
use lede_model::feed::{FeedStatus, Subscription};
use lede_model::ids::{FeedId, UserId};
use lede_model::schedule;
use lede_model::user::User;
use lede_net::FetchError;
use lede_store::{Db, StoreError, StoreResult, feeds, intake, items, leases, subscriptions};

pub use crate::crawl::CrawlError;
use crate::crawl::{CLEANING, ReadFeed, visit};
use crate::discover::{self, Best, Candidate};
use crate::{Lede, icons, reading};

/// Why somebody does not follow a feed now.
#[derive(Debug, thiserror::Error)]
pub enum SubscribeError {
    /// What was typed is no address.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The address may not be reached from here.
    #[error(transparent)]
    Refused(FetchError),
    /// The request failed.
    #[error(transparent)]
    Fetch(FetchError),
    /// There is a page, and it points to no feed.
    #[error("there is no feed at that address, and the page there points to none")]
    NoFeedFound,
    /// There is something that is neither feed nor page.
    #[error(transparent)]
    Unreadable(CrawlError),
    /// It is in the list already.
    #[error("You have already added this feed")]
    AlreadyFollowing,
    /// The list is full.
    #[error("you follow {0} feeds, which is the limit here")]
    LimitReached(i64),
    /// A viewer may only follow what is there.
    #[error("your account may follow feeds that are known here, but not add new ones")]
    NotAllowed,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
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

/// A feed that somebody follows from now on.
#[derive(Debug)]
pub struct Followed {
    /// The following of it.
    pub subscription: Subscription,
    /// Other feeds that the page at the address points to.
    pub alternatives: Vec<Candidate>,
}

/// Follows what is at `typed`, looking for the feed behind a page where needed.
pub async fn subscribe(lede: &Lede, user: &User, typed: &str) -> Result<Followed, SubscribeError> {
    let url = WebUrl::from_typed(typed)?;
    let (id, limit) = (user.id, lede.settings.max_subscriptions);
    if lede
        .store
        .read(move |db| subscriptions::count(db, id))
        .await?
        >= limit
    {
        return Err(SubscribeError::LimitReached(limit));
    }
    if let Some(subscription) = follow_known(lede, user.id, &url).await? {
        return Ok(Followed {
            subscription,
            alternatives: Vec::new(),
        });
    }
    if !user.role.may_add_new_feeds() {
        return Err(SubscribeError::NotAllowed);
    }
    let found = discover::search(lede, &url).await?;
    let subscription = match found.best {
        Best::Read(feed) => keep(lede, user.id, *feed).await?,
        Best::Known(feed) => follow_known(lede, user.id, &feed.url)
            .await?
            // It was removed a moment ago, and the search would find it anew.
            .ok_or(SubscribeError::NoFeedFound)?,
    };
    Ok(Followed {
        subscription,
        alternatives: found.others,
    })
}

/// Follows a feed that is in the house already, without a fetch unless it was stopped; `None` when
/// it is not there.
async fn follow_known(
    lede: &Lede,
    user: UserId,
    url: &WebUrl,
) -> Result<Option<Subscription>, SubscribeError> {
    let (url, now) = (url.clone(), lede.clock.now());
    let followed = lede
        .store
        .write(move |db| {
            let Some(feed) = feeds::find_by_url(db, &url)? else {
                return Ok(Follow::Unknown);
            };
            if subscriptions::add(db, user, feed.id, now)?.is_none() {
                return Ok(Follow::Already);
            }
            items::fan_out_on_follow(db, user, feed.id)?;
            feeds::wake(db, feed.id, now)?;
            Ok(subscriptions::find(db, user, feed.id)?
                .map_or(Follow::Unknown, |new| Follow::New(Box::new(new))))
        })
        .await?;
    match followed {
        Follow::New(subscription) if subscription.feed.status == FeedStatus::Stopped => {
            // Whoever adds it believes that it lives: that is worth a try.
            let visit = visit::visit_now(lede, subscription.feed.id).await?;
            let feed = visit.map_or(subscription.feed.id, |visit| visit.feed);
            Ok(reading::find_subscription(lede, user, feed).await?)
        }
        Follow::New(subscription) => Ok(Some(*subscription)),
        Follow::Already => Err(SubscribeError::AlreadyFollowing),
        Follow::Unknown => Ok(None),
    }
}

enum Follow {
    New(Box<Subscription>),
    Already,
    Unknown,
}

/// Keeps a feed with its items and lets `user` follow it, all or nothing.
async fn keep(lede: &Lede, user: UserId, read: ReadFeed) -> Result<Subscription, SubscribeError> {
    let now = lede.clock.now();
    let until = now + visit::LEASE;
    let success = visit::success(lede, &read, schedule::DEFAULT_INTERVAL_MINUTES, true);
    let policy = lede.settings.failure_policy;
    let wake = lede.wake.clone();
    let kept = lede
        .store
        .write(move |db: &mut Db<'_>| -> StoreResult<_> {
            let feed = feeds::add(db, &read.feed, policy, now)?;
            if subscriptions::add(db, user, feed.id, now)?.is_none() {
                return Ok(None);
            }
            // Somebody may have brought it in meanwhile: then these items are known and cost nothing.
            items::fan_out_on_follow(db, user, feed.id)?;
            let lease = leases::seize(db, feed.id, now, until)?.ok_or(StoreError::Missing)?;
            let taken = intake::take_in(db, feed.id, &read.items, CLEANING, now)?;
            feeds::record_success(db, feed.id, lease.token, &success, now)?;
            icons::enqueue(db, feed.id, now)?;
            wake.announce(db, feed.id, taken.new)?;
            Ok(subscriptions::find(db, user, feed.id)?.map(|subscription| (subscription, taken)))
        })
        .await?;
    let (subscription, taken) = kept.ok_or(SubscribeError::AlreadyFollowing)?;
    // Others may have followed it meanwhile, and the person may have other pages open.
    lede.wake.arrived(subscription.feed.id, taken.new);
    lede.metrics.took_in(&taken);
    tracing::info!(
        feed.id = subscription.feed.id.as_i64(),
        items = taken.new,
        "a feed was added"
    );
    Ok(subscription)
}

/// No longer follows `feed`; `false` when `user` did not.
pub async fn unsubscribe(lede: &Lede, user: UserId, feed: FeedId) -> StoreResult<bool> {
    lede.store
        .write(move |db| subscriptions::remove(db, user, feed))
        .await
}

/// What asking for a feed anew came to.
#[derive(Debug)]
pub struct Refreshed {
    /// Items that were not known.
    pub new_items: usize,
    /// What went wrong, for people.
    pub error: Option<String>,
}

/// Fetches a feed that `user` follows now, whatever was planned, and forgets its failures; `None`
/// when `user` does not follow it.
pub async fn refresh(lede: &Lede, user: UserId, feed: FeedId) -> StoreResult<Option<Refreshed>> {
    if lede
        .store
        .read(move |db| subscriptions::find(db, user, feed))
        .await?
        .is_none()
    {
        return Ok(None);
    }
    let visit = visit::visit_now(lede, feed).await?;
    Ok(visit.map(|visit| Refreshed {
        new_items: visit.taken.new,
        error: visit.error,
    }))
}

/// Tries a feed that `user` follows at once, as if it had never failed, and gives it as it is then;
/// `None` when `user` does not follow it.
pub async fn resume(lede: &Lede, user: UserId, feed: FeedId) -> StoreResult<Option<Subscription>> {
    if reading::find_subscription(lede, user, feed)
        .await?
        .is_none()
    {
        return Ok(None);
    }
    let visit = visit::visit_now(lede, feed).await?;
    // It may have moved to the address of another feed, and then that one is followed now.
    let feed = visit.map_or(feed, |visit| visit.feed);
    reading::find_subscription(lede, user, feed).await
}
