//! Following the feed at an address without waiting for its server.
//!
//! A feed that is new here becomes a row that is due: the worker fetches it soon, and the list of
//! feeds shows the result. No feed is discovered behind a page, because nothing is fetched.

use std::slice;

use lede_model::address::WebUrl;
use lede_model::feed::Subscription;
use lede_model::ids::{FeedId, UserId};
use lede_model::import::{ImportEntry, Settled};
use lede_model::time::Timestamp;
use lede_model::user::User;
use lede_store::follow::{self, Follower};
use lede_store::imports::{self, ICONS_AFTER};
use lede_store::subscriptions::{self, Change};
use lede_store::{Db, StoreError, StoreResult};

use super::{
    Entry, SubscribeError, check_registrable, credentials, follow_one, follower, request, unfetched,
};
use crate::Lede;
use crate::access::FeedInput;

/// Returns `user` as the follower of feeds that are fetched later.
pub(crate) fn follower_later(lede: &Lede, user: &User) -> Follower {
    follower(lede, user, ICONS_AFTER)
}

/// Follows the feed at `url` under the title that `user` chose.
pub async fn follow_later(
    lede: &Lede,
    user: &User,
    url: WebUrl,
    title: String,
) -> Result<(), SubscribeError> {
    check_registrable(&lede.net, &url)?;
    let (follower, now) = (follower_later(lede, user), lede.clock.now());
    let mut request = request(lede, unfetched(&url), None, Entry::New(None));
    request.settings.title = Some(title);
    let followed = lede
        .store
        .write(move |db| follow_one(db, follower, &request, now))
        .await?;
    followed.map(drop)
}

/// Changes the title of `feed` in the list of `user` and, if `url` is not its address, replaces the
/// subscription by one to the feed at `url`, as [`super::move_to`] does. Returns `false` if they do not
/// follow `feed`.
pub async fn change_later(
    lede: &Lede,
    user: &User,
    feed: FeedId,
    url: WebUrl,
    title: String,
) -> Result<bool, SubscribeError> {
    let (follower, now) = (follower_later(lede, user), lede.clock.now());
    let net = lede.net.clone();
    let request = request(lede, unfetched(&url), None, Entry::InsteadOf(feed));
    lede.store
        .write(move |db| {
            let Some(before) = subscriptions::find(db, follower.user, feed)? else {
                return Ok(Ok(false));
            };
            if before.feed.url == url {
                rename(db, follower.user, &before, &title, now)?;
                return Ok(Ok(true));
            }
            if let Err(refused) = check_registrable(&net, &url) {
                return Ok(Err(refused));
            }
            let followed = match follow_one(db, follower, &request, now)? {
                Ok(followed) => followed,
                Err(refused) => return Ok(Err(refused)),
            };
            if let Some(subscription) = subscriptions::find(db, follower.user, followed.id)? {
                rename(db, follower.user, &subscription, &title, now)?;
            }
            Ok(Ok(true))
        })
        .await?
}

/// Follows a feed of a list that has a user name and a password in its address. It is followed at
/// once, because the pending entries of a list are not encrypted.
pub(crate) async fn follow_listed(
    lede: &Lede,
    user: &User,
    listed: &ImportEntry,
    typed: &FeedInput,
) -> StoreResult<Settled> {
    let (follower, now) = (follower_later(lede, user), lede.clock.now());
    let (url, title) = (typed.url.clone(), listed.title.clone());
    let mut request = imports::follow_request(url, title, &listed.details, now);
    request.credentials = credentials(lede, typed.pass().as_ref(), &typed.url);
    let outcomes = lede
        .store
        .write(move |db| follow::follow(db, follower, slice::from_ref(&request), now));
    let outcome = outcomes.await?.pop().ok_or(StoreError::Missing)?;
    Ok(imports::settled_by(&outcome, follower))
}

/// Sets the user's title. The publisher's title is not stored as the user's, which would hide a change
/// of it.
fn rename(
    db: &mut Db<'_>,
    user: UserId,
    subscription: &Subscription,
    title: &str,
    now: Timestamp,
) -> StoreResult<()> {
    let own = (title != subscription.feed.title).then(|| title.to_owned());
    let change = Change {
        title: Some(own),
        ..Change::default()
    };
    subscriptions::set(db, user, subscription.id, &change, now).map(drop)
}
