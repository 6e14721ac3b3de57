//! Following a feed, and no longer following it.

mod later;

use std::sync::Arc;

use lede_model::access::{Access, AccessError, Part, Pass};
use lede_model::address::{AddressError, WebUrl};
use lede_model::feed::{Feed, FeedStatus, Subscription};
use lede_model::ids::{CategoryId, FeedId, SubscriptionId, UserId};
use lede_model::schedule;
use lede_model::time::Timestamp;
use lede_model::trouble::Trouble;
use lede_model::user::User;
use lede_net::{FetchError, Net};
use lede_store::events::{self, Event};
use lede_store::subscriptions::{self, Change};
use lede_store::{Db, StoreError, StoreResult, access, categories, feeds, intake, items, leases};

pub(crate) use self::later::follow_listed;
pub use self::later::{change_later, follow_later};
use crate::access::{Purpose, Typed};
use crate::accounts::TokenKeys;
pub use crate::crawl::CrawlError;
use crate::crawl::visit::VisitOutcome;
use crate::crawl::{CLEANING, ReadFeed, visit};
use crate::discover::{self, Best, Candidate};
use crate::worker::heartbeat::LEASE;
use crate::{Lede, icons, reading};

/// Why somebody does not follow a feed now.
#[derive(Debug, thiserror::Error)]
pub enum SubscribeError {
    /// What was typed is no address.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// What is to be shown there cannot be sent.
    #[error("{}: {_1}", _0.as_str())]
    Access(Part, AccessError),
    /// The address may not be reached from here.
    #[error(transparent)]
    Refused(FetchError),
    /// The request failed.
    #[error(transparent)]
    Fetch(FetchError),
    /// There is a page, and it points to no feed.
    #[error("{}", Trouble::NoFeedFound)]
    NoFeedFound,
    /// There is something that is neither feed nor page.
    #[error(transparent)]
    Unreadable(CrawlError),
    /// It is in the list already.
    #[error("You have already added this feed")]
    AlreadyFollowing,
    /// The list is full.
    #[error("{}", Trouble::ListFull { most: *.0 })]
    LimitReached(i64),
    /// A viewer may only follow what is there.
    #[error("{}", Trouble::NotAllowed)]
    NotAllowed,
    /// A viewer may not have a feed fetched again that was given up: that is for all who follow it.
    #[error("the feed was stopped, and your account may not restart it")]
    MayNotRestart,
    /// Another request fetches the feed, and its result counts.
    #[error("the feed is being fetched already")]
    FetchedElsewhere,
    /// It is somebody else's alone.
    #[error("{}", Trouble::KeptByOther)]
    KeptByOther,
    /// It cannot be made one person's alone.
    #[error("{}", Trouble::FollowedByOthers)]
    FollowedByOthers,
    /// The person has no such category to put it in.
    #[error("there is no such category")]
    NoSuchCategory,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SubscribeError {
    /// Whether the server may want a user name and a password.
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

/// A feed that somebody follows from now on.
#[derive(Debug)]
pub struct Followed {
    /// The following of it.
    pub subscription: Subscription,
    /// Other feeds that the page at the address points to.
    pub alternatives: Vec<Candidate>,
}

/// How a feed comes into somebody's list.
#[derive(Clone, Copy)]
enum Entry {
    /// As one more, in a category or in none.
    New(Option<CategoryId>),
    /// In the place of another, with all that was chosen for that one.
    InsteadOf(FeedId),
}

impl Entry {
    /// Puts `feed` into the list of `user`, unless it is there already or the list has `most` by now. What comes
    /// instead of another needs no place of its own.
    fn put(
        self,
        db: &mut Db<'_>,
        user: UserId,
        feed: FeedId,
        most: i64,
        now: Timestamp,
    ) -> StoreResult<Result<(), SubscribeError>> {
        let is_put = match self {
            Self::New(_) if subscriptions::is_full(db, user, feed, most)? => {
                return Ok(Err(SubscribeError::LimitReached(most)));
            }
            Self::New(category) => {
                let added = subscriptions::add_to(db, user, feed, category, now)?;
                added.is_some()
            }
            Self::InsteadOf(old) => subscriptions::move_to(db, user, old, feed, now)?,
        };
        Ok(match is_put {
            true => Ok(()),
            false => Err(SubscribeError::AlreadyFollowing),
        })
    }
}

/// Follows what is at `typed`, looking for the feed behind a page where needed.
pub async fn subscribe(
    lede: &Lede,
    user: &User,
    typed: &Typed,
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

/// Lets `user` follow what is at `typed` instead of `feed`, with the same name, category and settings;
/// `None` when they do not follow `feed`. What its server is shown comes along within its origin.
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
    let mut typed = Typed::read(typed, &Access::default())?;
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
    typed: &Typed,
    entry: Entry,
) -> Result<Followed, SubscribeError> {
    let pass = typed.pass();
    if pass.is_some() && !user.role.may_add_new_feeds() {
        // It would be kept from others.
        return Err(SubscribeError::NotAllowed);
    }
    let pass = pass.as_ref();
    if let Some(subscription) = follow_known(lede, user.id, &typed.url, pass, entry).await? {
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
        Best::Read(feed) => keep(lede, user.id, *feed, pass, entry).await?,
        Best::Known(feed) => follow_known(lede, user.id, &feed.url, pass, entry)
            .await?
            // It was removed a moment ago, and the search would find it anew.
            .ok_or(SubscribeError::NoFeedFound)?,
    };
    Ok(Followed {
        subscription,
        alternatives: found.others,
    })
}

/// Follows a feed that is in the house already, without a fetch unless it was stopped or has a password
/// from now on; `None` when it is not there.
async fn follow_known(
    lede: &Lede,
    user: UserId,
    url: &WebUrl,
    pass: Option<&Pass>,
    entry: Entry,
) -> Result<Option<Subscription>, SubscribeError> {
    let (url, now) = (url.clone(), lede.clock.now());
    let claim = Claim::of(lede, pass, &url);
    let (is_new_here, most) = (claim.is_some(), lede.settings.max_subscriptions);
    let followed = lede
        .store
        .write(move |db| {
            let Some(feed) = feeds::find_by_url(db, &url)? else {
                return Ok(Follow::Unknown);
            };
            if subscriptions::find(db, user, feed.id)?.is_some() {
                return Ok(Follow::Already);
            }
            if let Err(refused) = Claim::check(claim.as_ref(), db, user, &feed)? {
                return Ok(Follow::Refused(refused));
            }
            if let Err(refused) = entry.put(db, user, feed.id, most, now)? {
                return Ok(Follow::Refused(refused));
            }
            events::add(db, user, Event::FeedAdded(feed.id), now)?;
            items::fan_out_on_follow(db, user, feed.id)?;
            feeds::wake(db, feed.id, now)?;
            Ok(subscriptions::find(db, user, feed.id)?
                .map_or(Follow::Unknown, |new| Follow::New(Box::new(new))))
        })
        .await?;
    match followed {
        Follow::New(subscription)
            if is_new_here || subscription.feed.status == FeedStatus::Stopped =>
        {
            // Whoever adds it believes that it lives: that is worth a try.
            let visit = visit::visit_now(lede, subscription.feed.id).await?;
            let feed = visit.map_or(subscription.feed.id, |visit| visit.feed);
            Ok(reading::find_subscription(lede, user, feed).await?)
        }
        Follow::New(subscription) => Ok(Some(*subscription)),
        Follow::Already => Err(SubscribeError::AlreadyFollowing),
        Follow::Refused(refused) => Err(refused),
        Follow::Unknown => Ok(None),
    }
}

enum Follow {
    New(Box<Subscription>),
    Already,
    Refused(SubscribeError),
    Unknown,
}

/// What makes a feed one person's alone.
pub(crate) struct Claim {
    keys: Arc<TokenKeys>,
    access: Access,
}

impl Claim {
    /// Of what `pass` shows at the feed's address; nothing when it shows nothing there.
    fn of(lede: &Lede, pass: Option<&Pass>, url: &WebUrl) -> Option<Self> {
        Some(Self {
            keys: Arc::clone(&lede.token_keys),
            access: pass?.at(url)?.clone(),
        })
    }

    /// Whether `user` may follow `feed`, which is theirs alone afterwards if there is a claim.
    fn check(
        claim: Option<&Self>,
        db: &mut Db<'_>,
        user: UserId,
        feed: &Feed,
    ) -> StoreResult<Result<(), SubscribeError>> {
        if feed.is_kept_from(user) {
            return Ok(Err(SubscribeError::KeptByOther));
        }
        let Some(Self { keys, access }) = claim else {
            return Ok(Ok(()));
        };
        let purpose = Purpose::Feed(feed.id, &feed.url);
        let sealed = keys.seal.seal(access, purpose);
        match access::keep(db, user, feed.id, Some(&sealed))? {
            true => Ok(Ok(())),
            false => Ok(Err(SubscribeError::FollowedByOthers)),
        }
    }
}

/// Refuses an address whose written form is never fetched: a private address, a name of a private network, a closed
/// port. Every way to register a feed asks this first; otherwise the feed is stored, fails and is retried.
pub(crate) fn check_registrable(net: &Net, url: &WebUrl) -> Result<(), SubscribeError> {
    net.screen(url, lede_net::Purpose::Feed)
        .map_err(SubscribeError::Refused)
}

/// Keeps a feed with its items and lets `user` follow it, all or nothing.
async fn keep(
    lede: &Lede,
    user: UserId,
    read: ReadFeed,
    pass: Option<&Pass>,
    entry: Entry,
) -> Result<Subscription, SubscribeError> {
    let now = lede.clock.now();
    let claim = Claim::of(lede, pass, &read.feed.url);
    let until = now + LEASE;
    let success = visit::success(lede, &read, schedule::DEFAULT_INTERVAL_MINUTES, true);
    let policy = lede.settings.failure_policy;
    let most = lede.settings.max_subscriptions;
    let wake = lede.wake.clone();
    let kept = lede
        .store
        .write(move |db: &mut Db<'_>| -> StoreResult<_> {
            // Others may have come into the list while this one was fetched. Asked here already, so that nothing is kept
            // of what is not followed.
            if matches!(entry, Entry::New(_)) && subscriptions::count(db, user)? >= most {
                return Ok(Err(SubscribeError::LimitReached(most)));
            }
            let feed = feeds::add(db, &read.feed, policy, now)?;
            if subscriptions::find(db, user, feed.id)?.is_some() {
                return Ok(Err(SubscribeError::AlreadyFollowing));
            }
            if let Err(refused) = Claim::check(claim.as_ref(), db, user, &feed)? {
                return Ok(Err(refused));
            }
            if let Err(refused) = entry.put(db, user, feed.id, most, now)? {
                return Ok(Err(refused));
            }
            events::add(db, user, Event::FeedAdded(feed.id), now)?;
            // Somebody may have brought it in meanwhile: then these items are known and cost nothing.
            items::fan_out_on_follow(db, user, feed.id)?;
            let lease = leases::seize(db, feed.id, now, until)?.ok_or(StoreError::Missing)?;
            let taken = intake::take_in(db, feed.id, &read.items, CLEANING, now)?;
            feeds::record_success(db, feed.id, lease.token, &success, now)?;
            icons::enqueue(db, feed.id, now, now)?;
            wake.announce(db, feed.id, taken.new)?;
            let kept = subscriptions::find(db, user, feed.id)?;
            Ok(kept
                .map(|subscription| (subscription, taken))
                .ok_or(SubscribeError::AlreadyFollowing))
        })
        .await?;
    let (subscription, taken) = kept?;
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
    let now = lede.clock.now();
    lede.store
        .write(move |db| subscriptions::remove(db, user, feed, now))
        .await
}

/// The same, named by the subscription.
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

/// Fetches a feed now, whatever was planned; `None` when it does not exist.
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

/// Has everything that `user` follows fetched soon, or what is in a category; gives how many feeds are on
/// their way, `None` when the category is not theirs. Nobody waits for their servers: pages hear what came
/// as they always do.
pub async fn refresh_all(
    lede: &Lede,
    user: UserId,
    category: Option<CategoryId>,
) -> StoreResult<Option<usize>> {
    let now = lede.clock.now();
    lede.store
        .write(move |db| match category {
            Some(category) if !categories::exists(db, user, category)? => Ok(None),
            _ => feeds::hurry(db, user, category, now).map(Some),
        })
        .await
}

/// Whether `user` may have the feed fetched: one that was given up goes on for everybody then.
fn may_fetch(user: &User, subscription: &Subscription) -> bool {
    subscription.feed.status != FeedStatus::Stopped || user.role.may_add_new_feeds()
}

/// Tries a feed that `user` follows at once, as if it had never failed nor been paused, and gives it
/// as it is then; `None` when `user` does not follow it. The pause is the person's own and ends in any case.
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
    // It may have moved to the address of another feed, and then that one is followed now.
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

/// What asking for a subscription to go on came to.
#[derive(Debug)]
pub enum Resumed {
    /// It goes on.
    Now(Box<Subscription>),
    /// It was neither paused nor stopped.
    NotNeeded,
    /// It is not theirs.
    NoSuchSubscription,
}

/// Lets a subscription of `user` go on that was paused, or whose feed was given up. A paused feed is
/// fetched by the worker soon; one that was given up is tried at once, so that the person sees how it
/// went.
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
