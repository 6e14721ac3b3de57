//! Telling open pages that something new has come, and how far a list is that is being taken in.
//!
//! Whoever stored new items says so here after the commit. If anybody has a page open, their unread
//! counts are asked for once and sent to each page of theirs; at most once a second, however much
//! arrives. With them goes what people asked to be told of ([`Notice`]), which waits in the store
//! for whoever has no page open. On PostgreSQL other processes say so through the store.
//!
//! Nothing here waits for a reader: one that does not keep up loses its stream and asks again.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lede_model::ids::{FeedId, UserId};
use lede_model::import::ImportProgress;
pub use lede_store::notices::Notice;
use lede_store::pg_notify::{self, Announcement, Announcements};
use lede_store::{Db, StoreResult, notices};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use crate::{Lede, accounts};

/// Between two times of telling.
const PAUSE: Duration = Duration::from_secs(1);
/// Pages of one person that are told.
const MOST_PER_PERSON: usize = 8;
/// Pages that are told at all: each holds a connection.
const MOST_IN_ALL: usize = 2000;
/// Events that may wait for one page to take them.
const BACKLOG: usize = 64;

/// Something new in a feed, for one person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrived {
    /// The feed.
    pub feed: FeedId,
    /// How many items.
    pub new: i64,
    /// Items of that feed that the person has not read.
    pub unread: i64,
    /// Items of all feeds that the person has not read.
    pub unread_total: i64,
}

/// What a page is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveUpdate {
    /// Something new came.
    Arrived(Arrived),
    /// An item that the person asked to be told of.
    Notice(Notice),
    /// A subscription list of the person is being taken in.
    Importing(ImportProgress),
    /// The person marked something, here or elsewhere: counts are others now.
    Counts,
}

/// ScheduleReason a page is not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ListenError {
    /// Enough pages are open.
    #[error("too many of your pages listen already")]
    TooMany,
    /// The process is about to end.
    #[error("Lede is stopping")]
    Stopping,
}

/// The place where what arrives meets those who wait for it. Clones are the same place.
#[derive(Clone)]
pub struct LiveUpdates {
    shared: Arc<Shared>,
}

struct Shared {
    /// Names this process, so that it does not hear itself.
    process: String,
    state: Mutex<State>,
    news: Notify,
}

#[derive(Default)]
struct State {
    pages: HashMap<UserId, Vec<OpenPage>>,
    next_page: u64,
    /// New items by feed that nobody was told about yet.
    news: HashMap<FeedId, i64>,
    /// People with a page that was opened since: something may wait for them.
    newcomers: HashSet<UserId>,
    /// People with a page who marked something that nobody was told about yet.
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

    /// Inside the transaction that stores `new` items of `feed`: other processes hear of them when
    /// it is committed.
    pub(crate) fn announce(&self, db: &mut Db<'_>, feed: FeedId, new: usize) -> StoreResult<()> {
        if new == 0 {
            return Ok(());
        }
        let announcement = Announcement {
            from: self.shared.process.clone(),
            feed,
            new: i64::try_from(new).unwrap_or(i64::MAX),
        };
        pg_notify::announce(db, &announcement)
    }

    /// After that transaction: the pages that this process serves hear of them.
    pub(crate) fn arrived(&self, feed: FeedId, new: usize) {
        if new > 0 {
            self.note(feed, i64::try_from(new).unwrap_or(i64::MAX));
        }
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

    /// Tells the pages of `user` that this process serves that counts are others now.
    pub(crate) fn marked(&self, user: UserId) {
        let mut state = self.lock();
        if !state.pages.contains_key(&user) {
            return;
        }
        state.marked.insert(user);
        drop(state);
        self.shared.news.notify_one();
    }

    /// What arrives for `user` from now on.
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
        state.newcomers.insert(user);
        drop(state);
        self.shared.news.notify_one();
        Ok(Listener {
            receiver,
            user,
            number,
            wake: self.clone(),
        })
    }

    /// Ends every stream and begins none any more.
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

    /// Tells the pages of `user` that this process serves how far their list is.
    pub(crate) fn importing(&self, user: UserId, progress: ImportProgress) {
        self.send(user, &LiveUpdate::Importing(progress));
    }

    /// Whether a page of theirs took it.
    fn send(&self, user: UserId, told: &LiveUpdate) -> bool {
        let mut state = self.lock();
        let Some(pages) = state.pages.get_mut(&user) else {
            return false;
        };
        // A page that does not keep up is let go; it asks again when it can.
        pages.retain(|page| page.sender.try_send(told.clone()).is_ok());
        let is_taken = !pages.is_empty();
        if !is_taken {
            state.pages.remove(&user);
        }
        is_taken
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// One page that is told. Dropping it makes room for another.
pub struct Listener {
    receiver: mpsc::Receiver<LiveUpdate>,
    user: UserId,
    number: u64,
    wake: LiveUpdates,
}

impl Listener {
    /// The next event; `None` when there will be none.
    pub async fn next(&mut self) -> Option<LiveUpdate> {
        self.receiver.recv().await
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.wake.leave(self.user, self.number);
    }
}

/// Tells the pages that this process serves until `stop` is ready, then ends their streams.
pub async fn run(lede: Lede, stop: impl Future<Output = ()>) {
    let mut elsewhere = Announcements::of(&lede.store);
    let mut stop = std::pin::pin!(stop);
    let mut tells_at = Instant::now();
    loop {
        let has_news = {
            let state = lede.live_updates.lock();
            !state.news.is_empty() || !state.newcomers.is_empty() || !state.marked.is_empty()
        };
        tokio::select! {
            () = &mut stop => break,
            () = lede.live_updates.shared.news.notified() => {}
            heard = elsewhere.next() => {
                if heard.from != lede.live_updates.shared.process {
                    lede.live_updates.note(heard.feed, heard.new);
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
    let (news, people, mut concerned, marked) = {
        let mut state = lede.live_updates.lock();
        let people: Vec<UserId> = state.pages.keys().copied().collect();
        let newcomers = std::mem::take(&mut state.newcomers);
        let marked = std::mem::take(&mut state.marked);
        (std::mem::take(&mut state.news), people, newcomers, marked)
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
            concerned.insert(unread.user);
            lede.live_updates
                .send(unread.user, &LiveUpdate::Arrived(arrived));
        }
    }
    tell_notices(lede, concerned.into_iter().collect()).await
}

/// Tells these people what they asked to be told of, if a page of theirs is open; what was told is
/// forgotten.
async fn tell_notices(lede: &Lede, people: Vec<UserId>) -> StoreResult<()> {
    let waiting = lede
        .store
        .read(move |db| notices::waiting(db, &people))
        .await?;
    let mut told: HashMap<UserId, i64> = HashMap::new();
    for (user, waiting) in waiting {
        for notice in waiting {
            let id = notice.id;
            if !lede.live_updates.send(user, &LiveUpdate::Notice(notice)) {
                break;
            }
            told.insert(user, id);
        }
    }
    if told.is_empty() {
        return Ok(());
    }
    lede.store
        .write(move |db| {
            told.iter()
                .try_for_each(|(user, up_to)| notices::told(db, *user, *up_to))
        })
        .await
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
            assert!(wake.send(ADA, &arrived));
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
