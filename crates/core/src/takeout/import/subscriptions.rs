//! Import of subscriptions with their settings.

use std::collections::HashMap;

use lede_feed::clean;
use lede_model::address::WebUrl;
use lede_model::feed::{NewFeed, Validators, own_title};
use lede_model::feed_error::{EntryError, FeedError};
use lede_model::ids::CategoryId;
use lede_model::import::Outcome;
use lede_model::schedule::{LONGEST_INTERVAL_MINUTES, SHORTEST_INTERVAL_MINUTES};
use lede_model::time::Timestamp;
use lede_model::user::User;
use lede_net::Net;
use lede_store::follow::{self, FollowOutcome, FollowRequest, Follower, SubscriptionSettings};
use lede_store::{Db, StoreResult, imports, pending_marks, takeout};

use super::categories::{Key, Path};
use super::checks::{line, place};
use super::outcome::{ImportError, Imported};
use crate::Lede;
use crate::crawl::entry::escaped;
use crate::subscribe::{self, check_registrable};
use crate::takeout::format::Subscription;
use crate::takeout::read::Raw;

/// Feeds followed per transaction; small, so that the writer is free again soon.
const AT_ONCE: usize = 50;

/// Context shared by all feeds of a document.
#[derive(Clone, Copy)]
pub(super) struct Following<'a> {
    pub(super) categories: &'a HashMap<Key, CategoryId>,
    /// Time of the export.
    pub(super) exported_at: Timestamp,
}

fn request(
    entry: Subscription,
    categories: &HashMap<Key, CategoryId>,
    net: &Net,
) -> Result<FollowRequest, EntryError> {
    let url =
        WebUrl::parse(&entry.feed_url).map_err(|problem| EntryError::BadAddress { problem })?;
    check_registrable(net, &url).map_err(|refused| EntryError::BadFeed {
        error: refused.feed_error().unwrap_or(FeedError::Unknown),
    })?;
    let title = clean::plain(&escaped(&entry.feed_title));
    let title = title[..title.floor_char_boundary(1024)].trim_end();
    let category = entry.category.as_deref().map(Path::read).transpose()?;
    let is_interval = |minutes: &i64| {
        *minutes == 0
            || ((SHORTEST_INTERVAL_MINUTES..=LONGEST_INTERVAL_MINUTES).contains(minutes)
                && minutes % SHORTEST_INTERVAL_MINUTES == 0)
    };
    Ok(FollowRequest {
        settings: SubscriptionSettings {
            title: match entry.title {
                Some(title) => own_title(&line(&title)).map_err(|_| EntryError::BadTitle)?,
                None => None,
            },
            category: category.and_then(|path| categories.get(&path.key()).copied()),
            position: Some(place(entry.position)),
            interval_minutes: entry.interval_minutes.filter(is_interval),
            full_text: entry.full_text,
            notify: entry.notify,
            paused_at: entry.paused_at,
        },
        feed: NewFeed {
            title: if title.is_empty() {
                url.host().to_owned()
            } else {
                title.to_owned()
            },
            site_url: entry.site_url.and_then(|site| WebUrl::parse(&site).ok()),
            url,
            validators: Validators::default(),
        },
        replaces: None,
        credentials: None,
    })
}

/// Follows the feeds that are not followed yet and applies the settings of the document to all.
pub(super) async fn import(
    lede: &Lede,
    user: &User,
    raw: &[Raw],
    following: Following<'_>,
    done: &mut Imported,
) -> Result<(), ImportError> {
    let mut requests = done.read("subscriptions", raw, |entry| {
        request(entry, following.categories, &lede.net)
    });
    let exported_at = following.exported_at;
    let follower = subscribe::follower_later(lede, user);
    while !requests.is_empty() {
        let rest = requests.split_off(requests.len().min(AT_ONCE));
        let batch = std::mem::replace(&mut requests, rest);
        let (places, batch): (Vec<usize>, Vec<FollowRequest>) = batch.into_iter().unzip();
        let now = lede.clock.now();
        let outcomes = lede
            .store
            .write(move |db| follow_batch(db, follower, &batch, exported_at, now))
            .await?;
        for (place, outcome) in places.into_iter().zip(outcomes) {
            let settled = imports::settled_by(&outcome, follower);
            match (settled.outcome, settled.reason) {
                (Outcome::Added, _) => done.subscriptions_added += 1,
                (Outcome::Existing, _) => done.subscriptions_existing += 1,
                (Outcome::Failed, reason) => {
                    let error = reason.unwrap_or(FeedError::Unknown);
                    done.refuse("subscriptions", place, EntryError::BadFeed { error });
                }
            }
        }
    }
    Ok(())
}

/// Follows feeds without fetching them. Marks of a feed that is followed from now on are pending until
/// it delivers its items.
fn follow_batch(
    db: &mut Db<'_>,
    follower: Follower,
    requests: &[FollowRequest],
    exported_at: Timestamp,
    now: Timestamp,
) -> StoreResult<Vec<FollowOutcome>> {
    let outcomes = follow::follow(db, follower, requests, now)?;
    for (request, outcome) in requests.iter().zip(&outcomes) {
        match outcome {
            FollowOutcome::Followed(feed) => {
                pending_marks::begin(db, follower.user, feed.id, exported_at, now)?;
            }
            FollowOutcome::AlreadyFollowing(feed) => {
                takeout::choose(db, follower.user, *feed, &request.settings)?;
            }
            _ => {}
        }
    }
    Ok(outcomes)
}
