//! Import and export of subscription lists as OPML.
//!
//! An import fetches nothing: new feeds become rows that are due, and the worker fetches them at
//! its own pace. The list is stored first; then its feeds are followed in short writes, so that
//! thousands of them do not block other users.

mod category_plan;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use lede_feed::opml::{self, Feed, Folder, List, Outline, Settings};
use lede_model::address::WebUrl;
use lede_model::category::Category;
use lede_model::credentials::{self, Access};
use lede_model::feed::Subscription;
use lede_model::feed_error::FeedError;
use lede_model::ids::{CategoryId, ImportId, UserId};
use lede_model::import::{
    ImportDetails, ImportEntry, ImportFetches, ImportProgress, ImportResult, OpmlError, Outcome,
    Settled, UnfetchedFeed,
};
use lede_model::job::JobKind;
use lede_model::schedule::is_interval;
use lede_model::user::User;
use lede_net::{Conditions, FetchError, Net, Purpose};
use lede_store::imports::{self, ENTRIES_AT_ONCE};
use lede_store::{Db, StoreError, StoreResult, categories, subscriptions, users};
use tokio::time::Instant;

use self::category_plan::CategoryPlan;
use crate::Lede;
use crate::access::FeedInput;
use crate::cpu_pool::bounded;
use crate::crawl::read::counted;
use crate::jobs::{self, Exhausted, JobDefinition, JobOutcome};
use crate::subscribe::{self, SubscribeError, check_registrable};

/// Size limit of an imported file.
pub const MAX_BYTES: usize = opml::MAX_BYTES;
/// Limit of outlines in an imported file.
pub const MAX_LINES: usize = opml::MAX_OUTLINES;
/// Failures that are shown with the progress of an import; its results have all of them.
pub const SHOWN_FAILURES: i64 = 100;
/// Lists of up to this many feeds are imported before the request is answered.
const WHILE_WAITING: usize = 200;
/// Minimum time between two progress updates to open pages.
const PROGRESS_EVERY: Duration = Duration::from_millis(250);
/// Title of exported lists.
const TITLE: &str = "Subscriptions in Lede";

/// Reason why a list is not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file is larger than [`MAX_BYTES`].
    #[error("the file is larger than {} MB", MAX_BYTES / (1024 * 1024))]
    TooLarge,
    /// The address is invalid, or the user may not have it fetched.
    #[error(transparent)]
    FeedInput(SubscribeError),
    #[error("{}", FeedError::from(.0))]
    Fetch(FetchError),
    /// The file is not an OPML list.
    #[error(transparent)]
    NotAList(OpmlError),
    /// The list has more outlines than are read.
    #[error("{}", OpmlError::TooManyLines { most: opml::MAX_OUTLINES })]
    TooManyLines,
    /// The file would take too long to parse.
    #[error("{}", OpmlError::TooSlow)]
    Unreadable,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Progress of an import, with its first failures.
#[derive(Debug)]
pub struct Import {
    pub progress: ImportProgress,
    /// At most as many as the caller requested.
    pub failures: Vec<ImportResult>,
    /// First fetches of the new feeds.
    pub fetches: ImportFetches,
    /// New feeds that could not be fetched, as many as of the failures.
    pub unfetched: Vec<UnfetchedFeed>,
}

/// Returns the subscriptions of `user` as an OPML document.
pub async fn export(lede: &Lede, user: UserId) -> StoreResult<String> {
    let (tree, subscriptions) = lede
        .store
        .read(move |db| {
            let tree = categories::of_user(db, user)?;
            Ok((tree, subscriptions::of_user(db, user)?))
        })
        .await?;
    let mut contents = Contents::default();
    for category in tree.in_order() {
        let folders = contents.folders.entry(category.parent);
        folders.or_default().push(category);
    }
    for subscription in &subscriptions {
        let feeds = contents.feeds.entry(subscription.category);
        feeds.or_default().push(subscription);
    }
    let list = List {
        title: Some(TITLE.to_owned()),
        outlines: contents.outlines(None),
    };
    Ok(opml::write(&list, lede.clock.now()))
}

/// Contents of each category, in display order.
#[derive(Default)]
struct Contents<'a> {
    folders: HashMap<Option<CategoryId>, Vec<&'a Category>>,
    feeds: HashMap<Option<CategoryId>, Vec<&'a Subscription>>,
}

impl Contents<'_> {
    /// Returns the outlines in `parent`: sub-categories first, then feeds.
    fn outlines(&self, parent: Option<CategoryId>) -> Vec<Outline> {
        let folder = |category: &&Category| {
            Outline::Folder(Folder {
                name: category.name.clone(),
                outlines: self.outlines(Some(category.id)),
            })
        };
        let folders = self.folders.get(&parent).into_iter().flatten().map(folder);
        let feeds = self.feeds.get(&parent).into_iter().flatten();
        let feeds = feeds.map(|subscription| Outline::Feed(feed(subscription)));
        folders.chain(feeds).collect()
    }
}

fn feed(subscription: &Subscription) -> Feed {
    let publishers = &subscription.feed.title;
    let own = subscription.title_override.as_ref();
    Feed {
        title: Some(subscription.title().to_owned()),
        url: subscription.feed.url.as_str().to_owned(),
        site_url: subscription
            .feed
            .site_url
            .as_ref()
            .map(|site| site.as_str().to_owned()),
        settings: Settings {
            interval_minutes: subscription.interval_minutes,
            // Only settings that differ from the default.
            full_text: (!subscription.full_text).then_some(false),
            notify: subscription.notify.then_some(true),
            paused: subscription.paused_at.map(|_| true),
            is_publishers_title: own.is_none_or(|own| own == publishers),
        },
    }
}

/// Imports a list for `user`: a short one before this returns, a longer one in the background.
pub async fn import(
    lede: &Lede,
    user: &User,
    bytes: Vec<u8>,
    content_type: Option<String>,
) -> Result<Import, ImportError> {
    let (import, feeds) = begin(lede, user, bytes, content_type).await?;
    if feeds <= WHILE_WAITING {
        process(lede, import).await?;
    } else {
        let lede = lede.clone();
        tokio::spawn(async move {
            if let Err(error) = process(&lede, import).await {
                tracing::error!(import.id = import.as_i64(), %error, "an OPML import was interrupted; the worker continues it");
            }
        });
    }
    let found = find(lede, user.id, import, SHOWN_FAILURES).await?;
    found.ok_or(ImportError::Store(StoreError::Missing))
}

/// Imports the list at an address that `user` entered. Viewers are refused: they may follow
/// existing feeds, but not make the server send requests.
pub async fn import_from(lede: &Lede, user: &User, typed: &str) -> Result<Import, ImportError> {
    if !user.role.may_add_new_feeds() {
        return Err(ImportError::FeedInput(SubscribeError::NotAllowed));
    }
    let typed = FeedInput::read(typed, &Access::default()).map_err(ImportError::FeedInput)?;
    let pass = typed.pass();
    let none = Conditions::default();
    let fetched = lede
        .net
        .fetch_with(&typed.url, Purpose::List, &none, pass.as_ref());
    let fetched = counted(lede, fetched.await).map_err(|error| match error {
        FetchError::TooLarge(_) => ImportError::TooLarge,
        error if error.is_policy() => ImportError::FeedInput(SubscribeError::Refused(error)),
        error => ImportError::Fetch(error),
    })?;
    let body = fetched.body().map(|body| body.to_vec()).unwrap_or_default();
    import(lede, user, body, fetched.content_type).await
}

/// Stores a list that `user` imports and returns the number of its feeds. No feed is followed
/// before [`process`], except those with a password, which is stored only with its feed.
pub async fn begin(
    lede: &Lede,
    user: &User,
    bytes: Vec<u8>,
    content_type: Option<String>,
) -> Result<(ImportId, usize), ImportError> {
    let read = bounded(move || opml::read(&bytes, content_type.as_deref())).await;
    let read = match read.map_err(|_| ImportError::Unreadable)? {
        Ok(read) if read.is_truncated => return Err(ImportError::TooManyLines),
        Ok(read) => read,
        Err(OpmlError::TooLarge { .. }) => return Err(ImportError::TooLarge),
        Err(error) => return Err(ImportError::NotAList(error)),
    };
    let (id, now, net) = (user.id, lede.clock.now(), lede.net.clone());
    let is_cut = read.is_cut;
    let begun = lede.store.write(move |db| {
        let tree = categories::of_user_to_change(db, id)?;
        let mut plan = CategoryPlan::new(&tree);
        let placed = plan.take(&read.list.outlines);
        let ids = plan.build(db, id, now)?;
        let mut seen = HashSet::new();
        let listed: Vec<Listed> = placed
            .into_iter()
            .map(|(feed, category)| {
                entry(feed, category.and_then(|index| ids[index]), &net, &mut seen)
            })
            .collect();
        Ok((imports::begin(db, id, now)?, listed))
    });
    let (import, listed) = begun.await?;
    let mut entries = Vec::with_capacity(listed.len());
    for (mut entry, with_password) in listed {
        if let Some(typed) = with_password {
            let settled = subscribe::follow_listed(lede, user, &entry, &typed).await?;
            entry.settled = Some(settled);
        }
        entries.push(entry);
    }
    if is_cut {
        entries.push(the_rest());
    }
    let count = entries.len();
    let mut place = 0;
    while !entries.is_empty() {
        let rest = entries.split_off(entries.len().min(ENTRIES_AT_ONCE));
        let some = std::mem::replace(&mut entries, rest);
        let next = place + some.len() as i64;
        let kept = move |db: &mut Db<'_>| imports::add_entries(db, import, &some, place);
        lede.store.write(kept).await?;
        place = next;
    }
    lede.store
        .write(move |db| imports::open(db, import, now))
        .await?;
    Ok((import, count))
}

/// An entry of a list, with its credentials if the address contains a password.
type Listed = (ImportEntry, Option<FeedInput>);

/// Returns the entry that stands for the missing rest of a truncated file.
fn the_rest() -> ImportEntry {
    ImportEntry {
        url: String::new(),
        title: None,
        details: ImportDetails::default(),
        settled: Some(Settled {
            outcome: Outcome::Failed,
            reason: Some(FeedError::ListCut),
        }),
    }
}

/// Converts an outline of the list to an entry. `seen` has the addresses that came before it.
fn entry(
    feed: &Feed,
    category: Option<CategoryId>,
    net: &Net,
    seen: &mut HashSet<WebUrl>,
) -> Listed {
    let settings = &feed.settings;
    let details = ImportDetails {
        category,
        site_url: feed
            .site_url
            .as_deref()
            .and_then(|site| WebUrl::parse(site).ok()),
        is_publishers_title: settings.is_publishers_title,
        interval_minutes: settings
            .interval_minutes
            .filter(|minutes| is_interval(*minutes)),
        full_text: settings.full_text,
        notify: settings.notify.unwrap_or(false),
        paused: settings.paused.unwrap_or(false),
    };
    let settled = |outcome, reason| Some(Settled { outcome, reason });
    let mut with_password = None;
    let (url, settled) = match feed.address() {
        Err(error) => (
            credentials::without_userinfo(&feed.url),
            settled(Outcome::Failed, Some(error.into())),
        ),
        Ok((url, _)) if seen.contains(&url) => (
            url.into_string(),
            settled(Outcome::Existing, Some(FeedError::ListedTwice)),
        ),
        Ok((url, _)) if let Err(refused) = check_registrable(net, &url) => (
            url.into_string(),
            settled(Outcome::Failed, refused.feed_error()),
        ),
        Ok((url, access)) => {
            let text = url.as_str().to_owned();
            seen.insert(url.clone());
            with_password = (!access.is_empty()).then_some(FeedInput { url, access });
            (text, None)
        }
    };
    let entry = ImportEntry {
        url,
        title: feed.title.clone(),
        details,
        settled,
    };
    (entry, with_password)
}

/// Continues an import that was interrupted. One at a time: imports share one writer.
pub(crate) const JOB: JobDefinition = JobDefinition {
    kind: JobKind::Import,
    concurrency: |_| 1,
    lease: jobs::STANDARD_LEASE,
    retries: &jobs::STANDARD_RETRIES,
    exhausted: Exhausted::Keep,
    is_paused: jobs::disk_is_low,
    handler: |lede, job| {
        Box::pin(async move {
            // Deletes its job with the last entry, unless the import was deleted with its owner.
            process(&lede, ImportId::from(job.key)).await?;
            Ok(JobOutcome::Done)
        })
    },
};

/// Follows the remaining feeds of an import. Concurrent calls are safe.
pub async fn process(lede: &Lede, import: ImportId) -> StoreResult<()> {
    let owner = lede
        .store
        .read(move |db| match imports::owner(db, import)? {
            Some(user) => users::find(db, user),
            None => Ok(None),
        });
    let Some(user) = owner.await? else {
        // Finished, or deleted with its owner.
        return Ok(());
    };
    let follower = subscribe::follower_later(lede, &user);
    let mut next = Some(0);
    let mut publish_at = Instant::now();
    while let Some(place) = next {
        let now = lede.clock.now();
        next = lede
            .store
            .write(move |db| imports::process_next(db, follower, import, place, now))
            .await?;
        if next.is_none() || Instant::now() >= publish_at {
            publish_progress(lede, user.id, import).await?;
            publish_at = Instant::now() + PROGRESS_EVERY;
        }
    }
    tracing::info!(import.id = import.as_i64(), "an OPML import was processed");
    Ok(())
}

async fn publish_progress(lede: &Lede, user: UserId, import: ImportId) -> StoreResult<()> {
    let progress = lede
        .store
        .read(move |db| imports::progress(db, user, import))
        .await?;
    if let Some(progress) = progress {
        lede.live_updates.importing(user, progress);
    }
    Ok(())
}

/// Returns the progress of an import of `user`, with up to `failures` of its failures.
pub async fn find(
    lede: &Lede,
    user: UserId,
    import: ImportId,
    failures: i64,
) -> StoreResult<Option<Import>> {
    lede.store
        .read(move |db| {
            let Some(progress) = imports::progress(db, user, import)? else {
                return Ok(None);
            };
            Ok(Some(Import {
                progress,
                fetches: imports::fetches(db, user, import)?,
                unfetched: imports::unfetched(db, user, import, failures)?,
                failures: imports::failed(db, user, import, failures)?,
            }))
        })
        .await
}

/// Returns the results of an import of `user`, beginning with the feed at `offset`. Returns `None`
/// if `user` has no such import.
pub async fn results(
    lede: &Lede,
    user: UserId,
    import: ImportId,
    offset: i64,
    limit: i64,
) -> StoreResult<Option<Vec<ImportResult>>> {
    lede.store
        .read(move |db| {
            if imports::progress(db, user, import)?.is_none() {
                return Ok(None);
            }
            imports::results(db, user, import, offset, limit).map(Some)
        })
        .await
}
