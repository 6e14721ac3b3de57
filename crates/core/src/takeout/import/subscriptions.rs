//! The feeds that are followed, with what was chosen about them.

use std::collections::HashMap;

use lede_feed::clean;
use lede_model::address::WebUrl;
use lede_model::feed::{NewFeed, Validators, own_title};
use lede_model::ids::{CategoryId, FeedId};
use lede_model::schedule::{LONGEST_INTERVAL_MINUTES, SHORTEST_INTERVAL_MINUTES};
use lede_model::time::Timestamp;
use lede_model::trouble::{EntryTrouble, Trouble};
use lede_model::user::User;
use lede_net::Net;
use lede_store::takeout::{self, Choices};
use lede_store::{Db, StoreResult, awaited, events, feeds, items, subscriptions};

use super::categories::{Key, Path};
use super::checks::{line, place};
use super::outcome::{ImportError, Imported};
use crate::crawl::entry::escaped;
use crate::subscribe::check_registrable;
use crate::takeout::format::Subscription;
use crate::takeout::read::Raw;
use crate::{Lede, icons};

/// Feeds that are followed in one transaction: the writer must be free again soon.
const AT_ONCE: usize = 50;

/// What all feeds of a document have in common.
#[derive(Clone, Copy)]
pub(super) struct Following<'a> {
    pub(super) categories: &'a HashMap<Key, CategoryId>,
    /// When the document was written.
    pub(super) exported_at: Timestamp,
}

/// A feed to follow, checked.
struct Wish {
    feed: NewFeed,
    choices: Choices,
}

fn wish(
    entry: Subscription,
    categories: &HashMap<Key, CategoryId>,
    net: &Net,
) -> Result<Wish, String> {
    let url = WebUrl::parse(&entry.feed_url).map_err(|error| error.to_string())?;
    check_registrable(net, &url).map_err(|error| error.to_string())?;
    let title = clean::plain(&escaped(&entry.feed_title));
    let title = title[..title.floor_char_boundary(1024)].trim_end();
    let category = entry.category.as_deref().map(Path::read).transpose()?;
    let is_interval = |minutes: &i64| {
        *minutes == 0
            || ((SHORTEST_INTERVAL_MINUTES..=LONGEST_INTERVAL_MINUTES).contains(minutes)
                && minutes % SHORTEST_INTERVAL_MINUTES == 0)
    };
    Ok(Wish {
        choices: Choices {
            title: match entry.title {
                Some(title) => own_title(&line(&title)).map_err(|error| {
                    let problem = error.to_string();
                    EntryTrouble::BadTitle { problem }.to_string()
                })?,
                None => None,
            },
            category: category.and_then(|path| categories.get(&path.key()).copied()),
            position: place(entry.position),
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
    })
}

enum Followed {
    Added(FeedId),
    Existing,
    Refused(String),
}

/// Follows what is not followed yet, and sets what was chosen about all of them.
pub(super) async fn bring(
    lede: &Lede,
    user: &User,
    raw: &[Raw],
    following: Following<'_>,
    done: &mut Imported,
) -> Result<(), ImportError> {
    let mut wishes = done.read("subscriptions", raw, |entry| {
        wish(entry, following.categories, &lede.net)
    });
    let exported_at = following.exported_at;
    while !wishes.is_empty() {
        let rest = wishes.split_off(wishes.len().min(AT_ONCE));
        let batch = std::mem::replace(&mut wishes, rest);
        let (lede_, user) = (lede.clone(), user.clone());
        let outcomes = lede
            .store
            .write(move |db| {
                let outcomes = batch.iter().map(|(place, wish)| {
                    Ok((*place, follow(db, &lede_, &user, wish, exported_at)?))
                });
                let outcomes = outcomes.collect::<StoreResult<Vec<_>>>()?;
                let added = outcomes.iter().filter_map(|(_, outcome)| match outcome {
                    Followed::Added(feed) => Some(*feed),
                    Followed::Existing | Followed::Refused(_) => None,
                });
                let added: Vec<FeedId> = added.collect();
                events::add_feeds(db, user.id, &added, lede_.clock.now())?;
                Ok(outcomes)
            })
            .await?;
        for (place, outcome) in outcomes {
            match outcome {
                Followed::Added(_) => done.subscriptions_added += 1,
                Followed::Existing => done.subscriptions_existing += 1,
                Followed::Refused(reason) => done.refuse("subscriptions", place, reason),
            }
        }
    }
    Ok(())
}

/// Follows a feed without fetching it: that is planned, because nobody waits for it here.
fn follow(
    db: &mut Db<'_>,
    lede: &Lede,
    user: &User,
    wish: &Wish,
    exported_at: Timestamp,
) -> StoreResult<Followed> {
    let now = lede.clock.now();
    let known = feeds::find_by_url(db, &wish.feed.url)?;
    if known
        .as_ref()
        .is_some_and(|feed| feed.is_kept_from(user.id))
    {
        return Ok(Followed::Refused(Trouble::KeptByOther.to_string()));
    }
    if let Some(feed) = &known
        && takeout::choose(db, user.id, feed.id, &wish.choices)?.is_some()
    {
        return Ok(Followed::Existing);
    }
    let limit = lede.settings.max_subscriptions;
    if subscriptions::count(db, user.id)? >= limit {
        let reason = Trouble::ListFull { most: limit };
        return Ok(Followed::Refused(reason.to_string()));
    }
    let feed = match known {
        Some(feed) => feed,
        None if !user.role.may_add_new_feeds() => {
            return Ok(Followed::Refused(Trouble::NotAllowed.to_string()));
        }
        None => {
            let feed = feeds::add(db, &wish.feed, lede.settings.failure_policy, now)?;
            icons::enqueue(db, feed.id, now, now)?;
            feed
        }
    };
    subscriptions::add(db, user.id, feed.id, now)?;
    // Before anything becomes unread, because nothing does in a feed that is paused.
    takeout::choose(db, user.id, feed.id, &wish.choices)?;
    items::fan_out_on_follow(db, user.id, feed.id)?;
    awaited::begin(db, user.id, feed.id, exported_at, now)?;
    feeds::wake(db, feed.id, now)?;
    Ok(Followed::Added(feed.id))
}
