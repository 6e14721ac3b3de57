//! Following the feed at an address without waiting for its server.
//!
//! What is new here becomes a row that is due: the worker comes to it soon, and the list of feeds says
//! how that went. Nothing is looked for behind a page, because nothing is fetched.

use lede_model::address::WebUrl;
use lede_model::feed::{FeedStatus, NewFeed, Subscription, Validators};
use lede_model::ids::{FeedId, UserId};
use lede_model::import::{ImportEntry, Outcome, Settled};
use lede_model::schedule::FailurePolicy;
use lede_model::time::Timestamp;
use lede_model::user::User;
use lede_store::events::{self, Event};
use lede_store::imports::ICONS_AFTER;
use lede_store::subscriptions::{self, Change};
use lede_store::{Db, StoreResult, access, feeds, items};

use super::{Claim, Entry, SubscribeError, check_registrable};
use crate::access::Typed;
use crate::{Lede, icons};

/// Follows the feed at `url` under the name that `user` gives it.
pub async fn follow_later(
    lede: &Lede,
    user: &User,
    url: WebUrl,
    name: String,
) -> Result<(), SubscribeError> {
    check_registrable(&lede.net, &url)?;
    let later = Later::of(lede, user);
    lede.store
        .write(move |db| {
            if subscriptions::count(db, later.user)? >= later.most {
                return Ok(Err(SubscribeError::LimitReached(later.most)));
            }
            later.follow(db, &url, &name, Entry::New(None))
        })
        .await?
}

/// Gives `feed` another name in the list of `user` and, where `url` is another address than its own,
/// lets them follow what is there instead, as [`super::move_to`] does. `false` when they do not follow
/// `feed`.
pub async fn change_later(
    lede: &Lede,
    user: &User,
    feed: FeedId,
    url: WebUrl,
    name: String,
) -> Result<bool, SubscribeError> {
    let later = Later::of(lede, user);
    let net = lede.net.clone();
    lede.store
        .write(move |db| {
            let Some(before) = subscriptions::find(db, later.user, feed)? else {
                return Ok(Ok(false));
            };
            if before.feed.url == url {
                later.rename(db, &before, &name)?;
                return Ok(Ok(true));
            }
            if let Err(refused) = check_registrable(&net, &url) {
                return Ok(Err(refused));
            }
            let moved = later.follow(db, &url, &name, Entry::InsteadOf(feed))?;
            Ok(moved.map(|()| true))
        })
        .await?
}

/// Follows a feed of a list that has a user name and a password in its address, as the list says. It does
/// not wait its turn with the others, because nothing that waits is sealed.
pub(crate) async fn follow_listed(
    lede: &Lede,
    user: &User,
    listed: &ImportEntry,
    typed: &Typed,
) -> StoreResult<Settled> {
    let later = Later::of(lede, user);
    let claim = Claim::of(lede, typed.pass().as_ref(), &typed.url);
    let (listed, url) = (listed.clone(), typed.url.clone());
    let followed = lede.store.write(move |db| {
        if subscriptions::count(db, later.user)? >= later.most {
            return Ok(Err(SubscribeError::LimitReached(later.most)));
        }
        later.follow_listed(db, &url, &listed, claim.as_ref())
    });
    Ok(match followed.await? {
        Ok(()) => Settled {
            outcome: Outcome::Added,
            reason: None,
        },
        Err(SubscribeError::AlreadyFollowing) => Settled {
            outcome: Outcome::Existing,
            reason: None,
        },
        Err(SubscribeError::Store(error)) => return Err(error),
        Err(error) => Settled {
            outcome: Outcome::Failed,
            reason: Some(error.to_string()),
        },
    })
}

/// Who follows, and under which terms.
#[derive(Clone, Copy)]
struct Later {
    user: UserId,
    may_add_new_feeds: bool,
    /// Feeds that they may follow.
    most: i64,
    policy: FailurePolicy,
    now: Timestamp,
}

impl Later {
    fn of(lede: &Lede, user: &User) -> Self {
        Self {
            user: user.id,
            may_add_new_feeds: user.role.may_add_new_feeds(),
            most: lede.settings.max_subscriptions,
            policy: lede.settings.failure_policy,
            now: lede.clock.now(),
        }
    }

    fn follow(
        self,
        db: &mut Db<'_>,
        url: &WebUrl,
        name: &str,
        entry: Entry,
    ) -> StoreResult<Result<(), SubscribeError>> {
        let Self {
            user, most, now, ..
        } = self;
        let feed = match feeds::find_by_url(db, url)? {
            Some(known) if known.is_kept_from(user) => return Ok(Err(SubscribeError::KeptByOther)),
            Some(known) => known,
            None if !self.may_add_new_feeds => return Ok(Err(SubscribeError::NotAllowed)),
            None => {
                let added = feeds::add(db, &unvisited(url), self.policy, now)?;
                icons::enqueue(db, added.id, now + ICONS_AFTER, now)?;
                added
            }
        };
        if let Err(refused) = entry.put(db, user, feed.id, most, now)? {
            return Ok(Err(refused));
        }
        if let Some(subscription) = subscriptions::find(db, user, feed.id)? {
            self.rename(db, &subscription, name)?;
        }
        events::add(db, user, Event::FeedAdded(feed.id), now)?;
        items::fan_out_on_follow(db, user, feed.id)?;
        if feed.status == FeedStatus::Stopped {
            // Whoever adds it believes that it lives: that is worth a try.
            feeds::reset_failures(db, feed.id)?;
        }
        feeds::wake(db, feed.id, now)?;
        Ok(Ok(()))
    }

    fn follow_listed(
        self,
        db: &mut Db<'_>,
        url: &WebUrl,
        listed: &ImportEntry,
        claim: Option<&Claim>,
    ) -> StoreResult<Result<(), SubscribeError>> {
        let Self {
            user, most, now, ..
        } = self;
        if !self.may_add_new_feeds {
            return Ok(Err(SubscribeError::NotAllowed));
        }
        let details = &listed.details;
        let publishers = listed.title.clone().filter(|_| details.is_publishers_title);
        let new = NewFeed {
            site_url: details.site_url.clone(),
            title: publishers.unwrap_or_else(|| url.host().to_owned()),
            ..unvisited(url)
        };
        let feed = feeds::add(db, &new, self.policy, now)?;
        if subscriptions::find(db, user, feed.id)?.is_some() {
            return Ok(Err(SubscribeError::AlreadyFollowing));
        }
        if let Err(refused) = Claim::check(claim, db, user, &feed)? {
            return Ok(Err(refused));
        }
        if subscriptions::is_full(db, user, feed.id, most)? {
            return Ok(Err(SubscribeError::LimitReached(most)));
        }
        let Some(id) = subscriptions::add_to(db, user, feed.id, details.category, now)? else {
            return Ok(Err(SubscribeError::AlreadyFollowing));
        };
        let change = Change {
            title: Some(listed.title.clone().filter(|title| *title != feed.title)),
            interval_minutes: Some(details.interval_minutes),
            full_text: details.full_text,
            notify: Some(details.notify),
            paused: Some(details.paused),
            ..Change::default()
        };
        subscriptions::set(db, user, id, &change, now)?;
        items::fan_out_on_follow(db, user, feed.id)?;
        access::fetch_anew(db, feed.id, now)?;
        icons::enqueue(db, feed.id, now + ICONS_AFTER, now)?;
        Ok(Ok(()))
    }

    /// The publisher's name is not made the person's own: it would stay when the publisher changes it.
    fn rename(self, db: &mut Db<'_>, subscription: &Subscription, name: &str) -> StoreResult<()> {
        let own = (name != subscription.feed.title).then(|| name.to_owned());
        let change = Change {
            title: Some(own),
            ..Change::default()
        };
        subscriptions::set(db, self.user, subscription.id, &change, self.now).map(drop)
    }
}

/// What is known of a feed before its first fetch.
fn unvisited(url: &WebUrl) -> NewFeed {
    NewFeed {
        url: url.clone(),
        site_url: None,
        title: url.host().to_owned(),
        validators: Validators::default(),
    }
}
