//! Following feeds: the only place where a user becomes a subscriber.
//!
//! The API, the add page, the dashboard, OPML, imports of exports and the command line all call
//! [`follow`], so that its rules hold for every one of them:
//!
//! - a user follows at most as many feeds as allowed, also with concurrent requests;
//! - a viewer follows only feeds that exist here;
//! - a private feed is followed by its owner alone;
//! - each new subscription has an entry in the audit log;
//! - a stopped feed is tried once more for a member, and not changed for a viewer.
//!
//! It works on sets: an OPML list follows a hundred feeds with a dozen statements.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use lede_model::address::WebUrl;
use lede_model::feed::{Feed, FeedStatus, NewFeed};
use lede_model::ids::{CategoryId, FeedId, UserId};
use lede_model::job::{JobKind, Priority};
use lede_model::schedule::FailurePolicy;
use lede_model::time::Timestamp;

use crate::batch::{groups, list};
use crate::engine::Value;
use crate::jobs;
use crate::{
    Db, StoreError, StoreResult, access, audit_log, categories, feeds, items, params,
    subscriptions, unread,
};

/// Rows per INSERT statement.
const BATCH: usize = 50;

/// The user who follows, and the limits that apply.
#[derive(Debug, Clone, Copy)]
pub struct Follower {
    pub user: UserId,
    /// False for viewers.
    pub may_add_feeds: bool,
    pub max_subscriptions: i64,
    /// Failure policy of feeds that are new here.
    pub policy: FailurePolicy,
    /// Delay of the icon job of a feed that is new here. Feeds that are not fetched at once get
    /// their icons later, because their site is known only after the fetch.
    pub icons_after: Duration,
}

/// Encrypts credentials for a feed.
pub type EncryptFor = Box<dyn Fn(&Feed) -> Vec<u8> + Send>;

/// A feed to follow.
pub struct FollowRequest {
    /// Added if it does not exist here.
    pub feed: NewFeed,
    pub settings: SubscriptionSettings,
    /// The subscription of this feed is replaced, with its settings; `settings` are not used then.
    pub replaces: Option<FeedId>,
    /// Encrypts the credentials for the feed, which then becomes private.
    pub credentials: Option<EncryptFor>,
}

/// Settings of a new subscription.
#[derive(Debug, Clone)]
pub struct SubscriptionSettings {
    /// The user's title. Not stored if it equals the publisher's, so that later changes of that are
    /// shown.
    pub title: Option<String>,
    pub category: Option<CategoryId>,
    /// Position in the category; `None` is the end.
    pub position: Option<i64>,
    /// Minutes between fetches; 0 lets Lede decide, `None` is the default.
    pub interval_minutes: Option<i64>,
    /// True to fetch articles from their pages.
    pub full_text: bool,
    pub notify: bool,
    pub paused_at: Option<Timestamp>,
}

impl Default for SubscriptionSettings {
    fn default() -> Self {
        Self {
            title: None,
            category: None,
            position: None,
            interval_minutes: None,
            full_text: true,
            notify: false,
            paused_at: None,
        }
    }
}

/// Result of a [`FollowRequest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FollowOutcome {
    /// The user follows the feed from now on. Its status is the one before the request.
    Followed(Box<Feed>),
    AlreadyFollowing(FeedId),
    /// The user follows as many feeds as allowed.
    LimitReached,
    /// The feed does not exist here, or would become private, and the user may not add feeds.
    NotAllowed,
    /// The feed is private to another user.
    PrivateToOther,
    /// The feed cannot become private, because others follow it.
    FollowedByOthers,
}

/// Subscribes the follower to the feeds of `requests` and returns the outcome of each, in their
/// order. No feed is added for a refused request.
pub fn follow(
    db: &mut Db<'_>,
    follower: Follower,
    requests: &[FollowRequest],
    now: Timestamp,
) -> StoreResult<Vec<FollowOutcome>> {
    let mut batch = Batch {
        follower,
        requests,
        outcomes: vec![None; requests.len()],
        now,
    };
    let before = batch.known(db)?;
    batch.refuse_unknown(&before);
    batch.refuse_over_limit(db)?;
    let new = batch.add_feeds(db, &before)?;
    let feeds = batch.lock(db)?;
    batch.check_privacy(db, &feeds)?;
    batch.refuse_over_limit(db)?;
    let followed = batch.subscribe(db, &feeds)?;
    audit_log::add_feeds(db, follower.user, &followed, now)?;
    items::fan_out_on_follow_all(db, follower.user, &followed)?;
    batch.schedule(db, &feeds, &followed)?;
    let icons = new.into_iter().map(FeedId::as_i64);
    let run_after = now + follower.icons_after;
    jobs::enqueue_all(db, JobKind::Icon, icons, Priority::Low, run_after, now)?;
    Ok(batch.outcomes.into_iter().flatten().collect())
}

/// A feed of a request.
#[derive(Clone)]
struct KnownFeed {
    feed: Feed,
    is_followed: bool,
}

type KnownFeeds = HashMap<String, KnownFeed>;

struct Batch<'r> {
    follower: Follower,
    requests: &'r [FollowRequest],
    /// `None` while undecided.
    outcomes: Vec<Option<FollowOutcome>>,
    now: Timestamp,
}

impl<'r> Batch<'r> {
    /// Returns the undecided requests with their indices.
    fn undecided(&self) -> Vec<(usize, &'r FollowRequest)> {
        let requests = self.requests.iter().enumerate();
        requests
            .filter(|(index, _)| self.outcomes[*index].is_none())
            .collect()
    }

    /// Returns the feeds that exist here, by address.
    fn known(&self, db: &mut Db<'_>) -> StoreResult<KnownFeeds> {
        let mut known = KnownFeeds::with_capacity(self.requests.len());
        for batch in self.requests.chunks(BATCH) {
            let urls = batch.iter().map(|request| request.feed.url.as_str());
            let mut values: Vec<Value<'_>> = vec![self.follower.user.into()];
            values.extend(urls.map(Value::from));
            known.extend(db.query_rows(&known_sql(batch.len()), &values, |row| {
                let feed = feeds::from_row(row, 0)?;
                let is_followed = row.get(6)?;
                Ok((
                    feed.url.as_str().to_owned(),
                    KnownFeed { feed, is_followed },
                ))
            })?);
        }
        Ok(known)
    }

    /// Decides what needs no lock: feeds that the user follows already or may not follow.
    fn refuse_unknown(&mut self, known: &KnownFeeds) {
        for (index, request) in self.undecided() {
            let may_add = self.follower.may_add_feeds;
            let outcome = match known.get(request.feed.url.as_str()) {
                Some(known) if known.is_followed => {
                    Some(FollowOutcome::AlreadyFollowing(known.feed.id))
                }
                Some(known) if known.feed.is_private_to_other(self.follower.user) => {
                    Some(FollowOutcome::PrivateToOther)
                }
                Some(_) if request.credentials.is_some() && !may_add => {
                    Some(FollowOutcome::NotAllowed)
                }
                None if !may_add => Some(FollowOutcome::NotAllowed),
                _ => None,
            };
            self.outcomes[index] = outcome;
        }
    }

    /// Refuses the requests beyond the limit. A replacement needs no room.
    fn refuse_over_limit(&mut self, db: &mut Db<'_>) -> StoreResult<()> {
        let count = subscriptions::count(db, self.follower.user)?;
        let room = self.follower.max_subscriptions.saturating_sub(count);
        let additional = self.undecided().into_iter();
        let additional = additional.filter(|(_, request)| request.replaces.is_none());
        for (index, _) in additional.skip(usize::try_from(room).unwrap_or_default()) {
            self.outcomes[index] = Some(FollowOutcome::LimitReached);
        }
        Ok(())
    }

    /// Adds the feeds that do not exist here and returns their ids.
    fn add_feeds(&self, db: &mut Db<'_>, known: &KnownFeeds) -> StoreResult<Vec<FeedId>> {
        let requests = self.undecided().into_iter().map(|(_, request)| request);
        let mut new: Vec<&FollowRequest> = requests
            .filter(|request| !known.contains_key(request.feed.url.as_str()))
            .collect();
        // Always in the same order, so that two lists with the same feeds do not deadlock.
        new.sort_by_key(|request| request.feed.url.as_str());
        let mut ids = Vec::with_capacity(new.len());
        for batch in new.chunks(BATCH) {
            let mut values: Vec<Value<'_>> = Vec::with_capacity(batch.len() * FEED_COLUMNS);
            for FollowRequest { feed, .. } in batch {
                values.extend_from_slice(params![
                    feed.url.as_str(),
                    feed.site_url.as_ref().map(WebUrl::as_str),
                    &feed.title,
                    feed.url.root_domain(),
                    FeedStatus::Active.as_str(),
                    self.follower.policy.as_str(),
                    self.now,
                ]);
            }
            let added: Vec<FeedId> =
                db.query_rows(&feeds_sql(batch.len()), &values, |row| row.get(0))?;
            ids.extend(added);
        }
        Ok(ids)
    }

    /// Locks the feeds and the user's subscriptions, in the order of all transactions, and returns
    /// the feeds as they are now: until here, another request may have changed them.
    fn lock(&mut self, db: &mut Db<'_>) -> StoreResult<KnownFeeds> {
        let known = self.known(db)?;
        let requests = self.undecided();
        let ids = requests.iter().flat_map(|(_, request)| {
            let feed = known.get(request.feed.url.as_str());
            feed.map(|known| known.feed.id)
                .into_iter()
                .chain(request.replaces)
        });
        feeds::lock_all(db, &ids.collect::<Vec<_>>())?;
        unread::lock_round(db, self.follower.user)?;
        let known = self.known(db)?;
        self.refuse_unknown(&known);
        Ok(known)
    }

    /// Makes feeds private that have credentials.
    fn check_privacy(&mut self, db: &mut Db<'_>, feeds: &KnownFeeds) -> StoreResult<()> {
        for (index, request) in self.undecided() {
            let Some(encrypt) = &request.credentials else {
                continue;
            };
            let feed = &find(feeds, request)?.feed;
            if !access::set_credentials(db, self.follower.user, feed.id, Some(&encrypt(feed)))? {
                self.outcomes[index] = Some(FollowOutcome::FollowedByOthers);
            }
        }
        Ok(())
    }

    /// Adds the subscriptions and returns their feeds.
    fn subscribe(&mut self, db: &mut Db<'_>, feeds: &KnownFeeds) -> StoreResult<Vec<FeedId>> {
        let user = self.follower.user;
        let (replacing, additional): (Vec<_>, Vec<_>) = self
            .undecided()
            .into_iter()
            .partition(|(_, request)| request.replaces.is_some());
        let mut added = Vec::new();
        for (_, request) in replacing {
            let feed = find(feeds, request)?.feed.id;
            if let Some(old) = request.replaces
                && subscriptions::move_to(db, user, old, feed, self.now)?
            {
                added.push(feed);
            }
        }
        for batch in additional.chunks(BATCH) {
            added.extend(self.insert(db, batch, feeds)?);
        }
        // A list may name a feed twice.
        let mut new: HashSet<FeedId> = added.iter().copied().collect();
        for (index, request) in self.undecided() {
            let feed = &find(feeds, request)?.feed;
            self.outcomes[index] = Some(match new.remove(&feed.id) {
                true => FollowOutcome::Followed(Box::new(feed.clone())),
                false => FollowOutcome::AlreadyFollowing(feed.id),
            });
        }
        Ok(added)
    }

    fn insert(
        &self,
        db: &mut Db<'_>,
        batch: &[(usize, &FollowRequest)],
        feeds: &KnownFeeds,
    ) -> StoreResult<Vec<FeedId>> {
        let user = self.follower.user;
        let categories = categories::of_user(db, user)?;
        let mut values: Vec<Value<'_>> = Vec::with_capacity(batch.len() * SUBSCRIPTION_COLUMNS);
        for (_, request) in batch {
            let feed = &find(feeds, request)?.feed;
            let settings = &request.settings;
            let title = settings.title.as_deref();
            // The category may have been removed since it was chosen; subscribe all the same.
            let category = settings.category;
            let category = category.filter(|category| categories.find(*category).is_some());
            let position = match settings.position {
                Some(position) => position,
                None => subscriptions::next_position(db, user, category)?,
            };
            values.extend_from_slice(params![
                user,
                feed.id,
                title.filter(|title| *title != feed.title),
                category,
                position,
                settings.interval_minutes,
                settings.full_text,
                settings.notify,
                settings.paused_at,
                self.now,
            ]);
        }
        db.query_rows(&subscriptions_sql(batch.len()), &values, |row| row.get(0))
    }

    /// Schedules the feeds that have a subscriber now: those that had none, and those that are
    /// tried once more.
    fn schedule(
        &self,
        db: &mut Db<'_>,
        feeds: &KnownFeeds,
        followed: &[FeedId],
    ) -> StoreResult<()> {
        feeds::wake_all(db, followed, self.now)?;
        for request in self.requests {
            let feed = match feeds.get(request.feed.url.as_str()) {
                Some(known) if followed.contains(&known.feed.id) => &known.feed,
                _ => continue,
            };
            if request.credentials.is_some() {
                access::fetch_now(db, feed.id, self.now)?;
            } else if feed.status == FeedStatus::Stopped && self.follower.may_add_feeds {
                feeds::try_once(db, feed.id, self.now)?;
            }
        }
        Ok(())
    }
}

/// Returns the feed of a request. Feeds are not deleted while they are locked.
fn find<'k>(feeds: &'k KnownFeeds, request: &FollowRequest) -> StoreResult<&'k KnownFeed> {
    let found = feeds.get(request.feed.url.as_str());
    found.ok_or(StoreError::Missing)
}

fn known_sql(urls: usize) -> String {
    format!(
        "SELECT f.id, f.url, f.site_url, f.title, f.status, f.owner_id,
                EXISTS (SELECT 1 FROM subscription s WHERE s.user_id = $1 AND s.feed_id = f.id)
         FROM feed f WHERE f.url IN ({})",
        list(2, urls)
    )
}

const FEED_COLUMNS: usize = 7;

fn feeds_sql(rows: usize) -> String {
    format!(
        "INSERT INTO feed (url, site_url, title, root_domain, status, failure_policy, created_at)
         VALUES {} ON CONFLICT (url) DO NOTHING RETURNING id",
        groups(rows, FEED_COLUMNS)
    )
}

const SUBSCRIPTION_COLUMNS: usize = 10;

fn subscriptions_sql(rows: usize) -> String {
    format!(
        "INSERT INTO subscription (user_id, feed_id, title, category_id, position, interval_minutes,
                                   full_text, notify, paused_at, created_at)
         VALUES {} ON CONFLICT (user_id, feed_id) DO NOTHING RETURNING feed_id",
        groups(rows, SUBSCRIPTION_COLUMNS)
    )
}

/// Statements whose text depends on the number of rows, for the test of all statements.
pub(crate) fn batch_statements() -> [(&'static str, String); 3] {
    [
        ("follow_known", known_sql(2)),
        ("follow_feeds", feeds_sql(2)),
        ("follow_subscriptions", subscriptions_sql(2)),
    ]
}
