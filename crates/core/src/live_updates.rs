//! Live updates for open pages: new items, notifications and the progress of imports.
//!
//! Code that stores new items or delivers notifications reports them here after the commit. For
//! users with an open page, the unread counts are queried once and sent to each of their pages, at
//! most once a second regardless of how much arrives. A page that connects may have missed some and
//! asks for the counts. On PostgreSQL other processes report their news through the store.
//!
//! Nothing here waits for a client: one that does not keep up loses its stream and reconnects.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lede_model::ids::{FeedId, NotificationId, UserId};
use lede_model::import::ImportProgress;
use lede_store::notifications::{self, Notification};
use lede_store::pg_notify::{self, Announcement, Announcements, News};
use lede_store::{Db, StoreResult};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use crate::{Lede, accounts};

/// Minimum time between two rounds of updates.
const PAUSE: Duration = Duration::from_secs(1);
/// Maximum number of open pages of one user that receive updates.
const MOST_PER_PERSON: usize = 8;
/// Maximum number of open pages of all users that receive updates; each holds a connection.
const MOST_IN_ALL: usize = 2000;
/// Maximum number of updates buffered for one page; a page that exceeds it is disconnected.
const BACKLOG: usize = 64;
/// Maximum number of notifications that an update contains, the newest; the list has the others.
const MOST_NOTIFICATIONS: usize = 20;

/// New items in a feed, for one user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrived {
    pub feed: FeedId,
    /// Number of new items.
    pub new: i64,
    /// Unread items of the user in this feed.
    pub unread: i64,
    /// Unread items of the user in all feeds.
    pub unread_total: i64,
}

/// Notifications for one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNotifications {
    /// All unread notifications of the user, at most [`notifications::COUNTED`].
    pub unread: i64,
    /// Delivered since the last update, newest first.
    pub new: Vec<Notification>,
}

/// An update that is sent to a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveUpdate {
    /// New items arrived in a feed.
    Arrived(Arrived),
    /// Notifications of the user were delivered.
    Notifications(NewNotifications),
    /// Progress of an OPML import of the user.
    Importing(ImportProgress),
    /// The user marked items, on this page or elsewhere, so counts changed.
    Counts,
}

/// Reason why a page cannot receive updates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ListenError {
    /// The user, or the process, has the maximum number of pages open.
    #[error("too many of your pages listen already")]
    TooMany,
    /// The process is shutting down.
    #[error("Lede is stopping")]
    Stopping,
}

/// Connects the code that stores items with the open pages. Clones share the same state.
#[derive(Clone)]
pub struct LiveUpdates {
    shared: Arc<Shared>,
}

struct Shared {
    /// Identifies this process, so that it ignores its own announcements.
    process: String,
    state: Mutex<State>,
    news: Notify,
}

#[derive(Default)]
struct State {
    pages: HashMap<UserId, Vec<OpenPage>>,
    next_page: u64,
    /// Numbers of new items by feed that have not been sent yet.
    news: HashMap<FeedId, i64>,
    /// Delivered notifications of users with an open page that have not been sent yet.
    notified: HashMap<UserId, Vec<NotificationId>>,
    /// Users with an open page whose changed marks have not been sent yet.
    marked: HashSet<UserId>,
    is_stopping: bool,
}

struct OpenPage {
    number: u64,
    sender: mpsc::Sender<LiveUpdate>,
}

impl LiveUpdates {
    pub(crate) fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                process: accounts::random_token(),
                state: Mutex::default(),
                news: Notify::new(),
            }),
        }
    }

    /// Announces `new` items of `feed` to other processes, inside the transaction that stores them:
    /// they are notified when it is committed.
    pub(crate) fn announce(&self, db: &mut Db<'_>, feed: FeedId, new: usize) -> StoreResult<()> {
        if new == 0 {
            return Ok(());
        }
        let new = i64::try_from(new).unwrap_or(i64::MAX);
        self.announce_news(db, News::Items { feed, new })
    }

    /// Announces delivered notifications to other processes, inside the transaction that marks them.
    pub(crate) fn announce_notifications(
        &self,
        db: &mut Db<'_>,
        user: UserId,
        delivered: &[NotificationId],
    ) -> StoreResult<()> {
        if delivered.is_empty() {
            return Ok(());
        }
        let ids = newest(delivered).to_vec();
        self.announce_news(db, News::Notifications { user, ids })
    }

    fn announce_news(&self, db: &mut Db<'_>, news: News) -> StoreResult<()> {
        let from = self.shared.process.clone();
        pg_notify::announce(db, &Announcement { from, news })
    }

    /// Reports new items to the pages that this process serves. Called after that transaction.
    pub(crate) fn arrived(&self, feed: FeedId, new: usize) {
        if new > 0 {
            self.note(feed, i64::try_from(new).unwrap_or(i64::MAX));
        }
    }

    /// Reports delivered notifications, oldest first, to the pages that this process serves. Called
    /// after that transaction.
    pub(crate) fn notified(&self, user: UserId, delivered: &[NotificationId]) {
        let mut state = self.lock();
        if !state.pages.contains_key(&user) {
            return;
        }
        let pending = state.notified.entry(user).or_default();
        pending.extend(newest(delivered));
        drop(state);
        self.shared.news.notify_one();
    }

    fn note(&self, feed: FeedId, new: i64) {
        let mut state = self.lock();
        if state.pages.is_empty() {
            return;
        }
        let news = state.news.entry(feed).or_default();
        *news = news.saturating_add(new);
        drop(state);
        self.shared.news.notify_one();
    }

    /// Notifies the pages of `user` that this process serves that counts changed.
    pub(crate) fn marked(&self, user: UserId) {
        let mut state = self.lock();
        if !state.pages.contains_key(&user) {
            return;
        }
        state.marked.insert(user);
        drop(state);
        self.shared.news.notify_one();
    }

    /// Registers a page of `user`, which receives all updates from now on.
    pub fn listen(&self, user: UserId) -> Result<Listener, ListenError> {
        let mut state = self.lock();
        if state.is_stopping {
            return Err(ListenError::Stopping);
        }
        let in_all: usize = state.pages.values().map(Vec::len).sum();
        let own = state.pages.get(&user).map_or(0, Vec::len);
        if own >= MOST_PER_PERSON || in_all >= MOST_IN_ALL {
            return Err(ListenError::TooMany);
        }
        let (sender, receiver) = mpsc::channel(BACKLOG);
        let number = state.next_page;
        state.next_page += 1;
        let pages = state.pages.entry(user).or_default();
        pages.push(OpenPage { number, sender });
        drop(state);
        Ok(Listener {
            receiver,
            user,
            number,
            wake: self.clone(),
        })
    }

    /// Ends all streams and refuses new ones.
    fn stop(&self) {
        let mut state = self.lock();
        state.is_stopping = true;
        state.pages.clear();
    }

    fn leave(&self, user: UserId, number: u64) {
        let mut state = self.lock();
        if let Some(pages) = state.pages.get_mut(&user) {
            pages.retain(|page| page.number != number);
            if pages.is_empty() {
                state.pages.remove(&user);
            }
        }
    }

    /// Sends the progress of an import to the pages of `user` that this process serves.
    pub(crate) fn importing(&self, user: UserId, progress: ImportProgress) {
        self.send(user, &LiveUpdate::Importing(progress));
    }

    fn send(&self, user: UserId, update: &LiveUpdate) {
        let mut state = self.lock();
        let Some(pages) = state.pages.get_mut(&user) else {
            return;
        };
        // A page that does not keep up is disconnected; it reconnects when it can.
        pages.retain(|page| page.sender.try_send(update.clone()).is_ok());
        if pages.is_empty() {
            state.pages.remove(&user);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the end of a list that is sorted from old to new, as long as an update may be.
fn newest(ids: &[NotificationId]) -> &[NotificationId] {
    &ids[ids.len().saturating_sub(MOST_NOTIFICATIONS)..]
}

/// The subscription of one page. Dropping it makes room for another.
pub struct Listener {
    receiver: mpsc::Receiver<LiveUpdate>,
    user: UserId,
    number: u64,
    wake: LiveUpdates,
}

impl Listener {
    /// Returns the next update, or `None` when the stream has ended.
    pub async fn next(&mut self) -> Option<LiveUpdate> {
        self.receiver.recv().await
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.wake.leave(self.user, self.number);
    }
}

/// Sends updates to the pages that this process serves until `stop` is ready, then ends their
/// streams.
pub async fn run(lede: Lede, stop: impl Future<Output = ()>) {
    let mut elsewhere = Announcements::of(&lede.store);
    let mut stop = std::pin::pin!(stop);
    let mut tells_at = Instant::now();
    loop {
        let has_news = {
            let state = lede.live_updates.lock();
            !state.news.is_empty() || !state.notified.is_empty() || !state.marked.is_empty()
        };
        tokio::select! {
            () = &mut stop => break,
            () = lede.live_updates.shared.news.notified() => {}
            heard = elsewhere.next() => {
                if heard.from != lede.live_updates.shared.process {
                    match heard.news {
                        News::Items { feed, new } => lede.live_updates.note(feed, new),
                        News::Notifications { user, ids } => lede.live_updates.notified(user, &ids),
                    }
                }
            }
            () = tokio::time::sleep_until(tells_at), if has_news => {
                if let Err(error) = tell(&lede).await {
                    tracing::error!(%error, "open pages could not be told what is new");
                }
                tells_at = Instant::now() + PAUSE;
            }
        }
    }
    lede.live_updates.stop();
}

async fn tell(lede: &Lede) -> StoreResult<()> {
    let (news, people, notified, marked) = {
        let mut state = lede.live_updates.lock();
        let people: Vec<UserId> = state.pages.keys().copied().collect();
        let notified = std::mem::take(&mut state.notified);
        let marked = std::mem::take(&mut state.marked);
        (std::mem::take(&mut state.news), people, notified, marked)
    };
    for user in marked {
        lede.live_updates.send(user, &LiveUpdate::Counts);
    }
    if people.is_empty() {
        return Ok(());
    }
    for (feed, new) in news {
        let people = people.clone();
        let counted = lede
            .store
            .read(move |db| pg_notify::unread_of_followers(db, feed, &people))
            .await?;
        for unread in counted {
            let arrived = Arrived {
                feed,
                new,
                unread: unread.in_feed,
                unread_total: unread.total,
            };
            lede.live_updates
                .send(unread.user, &LiveUpdate::Arrived(arrived));
        }
    }
    for (user, delivered) in notified {
        let update = lede.store.read(move |db| {
            Ok(NewNotifications {
                unread: notifications::count_unread(db, user)?,
                new: notifications::find_all(db, user, newest(&delivered))?,
            })
        });
        let update = LiveUpdate::Notifications(update.await?);
        lede.live_updates.send(user, &update);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(
        clippy::disallowed_methods,
        reason = "nobody is signed in: this id names a test's person"
    )]
    const ADA: UserId = UserId::from_row(1);

    #[test]
    fn a_person_has_a_few_pages_and_closing_one_makes_room() {
        let wake = LiveUpdates::new();
        let mut ears: Vec<Listener> = (0..MOST_PER_PERSON)
            .map(|_| wake.listen(ADA).expect("there is room"))
            .collect();
        assert_eq!(wake.listen(ADA).err(), Some(ListenError::TooMany));
        ears.pop();
        assert!(wake.listen(ADA).is_ok());
    }

    #[tokio::test]
    async fn a_page_that_does_not_keep_up_is_let_go_and_holds_up_nobody() {
        let wake = LiveUpdates::new();
        let arrived = LiveUpdate::Arrived(Arrived {
            feed: FeedId::from(1),
            new: 1,
            unread: 1,
            unread_total: 1,
        });
        let mut slow = wake.listen(ADA).expect("there is room");
        let mut quick = wake.listen(ADA).expect("there is room");
        for _ in 0..=BACKLOG {
            wake.send(ADA, &arrived);
            assert_eq!(quick.next().await, Some(arrived.clone()));
        }
        for _ in 0..BACKLOG {
            assert_eq!(slow.next().await, Some(arrived.clone()));
        }
        assert_eq!(slow.next().await, None);
        wake.send(ADA, &arrived);
        assert_eq!(quick.next().await, Some(arrived));
    }

    #[tokio::test]
    async fn stopping_ends_every_stream_and_begins_none() {
        let wake = LiveUpdates::new();
        let mut listener = wake.listen(ADA).expect("there is room");
        wake.stop();
        assert_eq!(listener.next().await, None);
        assert_eq!(wake.listen(ADA).err(), Some(ListenError::Stopping));
    }

    #[test]
    fn nothing_is_remembered_while_nobody_listens() {
        let wake = LiveUpdates::new();
        wake.arrived(FeedId::from(1), 5);
        assert!(wake.lock().news.is_empty());
    }
}
