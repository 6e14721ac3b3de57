//! Signals: waking workers when a committed transaction has made work due.
//!
//! A store function that adds work marks its transaction ([`Db::signal`](crate::Db::signal)). After
//! the commit the engine fires the marked signals in this process; on PostgreSQL the commit also
//! sends one NOTIFY to the other processes, in the same round trip. A transaction that is rolled
//! back wakes no worker. Signals are hints: those missed while the LISTEN connection is down are
//! compensated when it is back, and by the workers' slow poll.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

use lede_model::job::JobKind;
use tokio::sync::Notify;

use crate::Store;

/// Work that a transaction made due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Jobs of this kind.
    Jobs(JobKind),
    /// Items that are not in the search index yet.
    SearchIndex,
    /// Feeds to fetch sooner than scheduled.
    Feeds,
}

const COUNT: usize = JobKind::ALL.len() + 2;

impl Signal {
    fn all() -> impl Iterator<Item = Self> {
        let jobs = JobKind::ALL.into_iter().map(Self::Jobs);
        jobs.chain([Self::SearchIndex, Self::Feeds])
    }

    const fn index(self) -> usize {
        match self {
            Self::Jobs(kind) => kind as usize,
            Self::SearchIndex => JobKind::ALL.len(),
            Self::Feeds => JobKind::ALL.len() + 1,
        }
    }

    /// Returns the name used between processes, which may run different versions.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Jobs(kind) => kind.as_str(),
            Self::SearchIndex => "search_index",
            Self::Feeds => "feeds",
        }
    }
}

/// Signals of one transaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SignalSet(u32);

impl SignalSet {
    pub(crate) fn insert(&mut self, signal: Signal) {
        self.0 |= 1 << signal.index();
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.0 |= other.0;
    }

    fn contains(self, signal: Signal) -> bool {
        self.0 & (1 << signal.index()) != 0
    }
}

/// Channel of this instance's schema: one database may hold several instances.
macro_rules! channel {
    () => {
        "'lede_work_' || md5(current_schema())"
    };
}
/// Returns the name of the channel.
pub(crate) const CHANNEL: &str = concat!("SELECT ", channel!());

/// The waiting workers of one process.
pub(crate) struct Signals {
    waiting: [Notify; COUNT],
    /// Identifies this process, so that it ignores its own notifications.
    origin: String,
}

impl Default for Signals {
    fn default() -> Self {
        // Random without a dependency: the standard library seeds its hash maps.
        let origin = RandomState::new().build_hasher().finish();
        Self {
            waiting: std::array::from_fn(|_| Notify::new()),
            origin: format!("{origin:x}"),
        }
    }
}

impl Signals {
    /// Wakes the worker of each signal. A busy worker is woken at its next wait.
    pub(crate) fn fire(&self, set: SignalSet) {
        for signal in Signal::all().filter(|signal| set.contains(*signal)) {
            self.waiting[signal.index()].notify_one();
        }
    }

    /// Returns the statement that notifies other processes when the transaction commits. Names and
    /// hexadecimal digits need no quoting.
    pub(crate) fn notify_sql(&self, set: SignalSet) -> String {
        let payload = self.payload(set);
        format!(concat!("SELECT pg_notify(", channel!(), ", '{}')"), payload)
    }

    fn payload(&self, set: SignalSet) -> String {
        let names = Signal::all().filter(|signal| set.contains(*signal));
        let names: Vec<&str> = names.map(Signal::as_str).collect();
        format!("{} {}", self.origin, names.join(" "))
    }

    /// Parses the signals in a payload, without those of this process. An empty payload stands for
    /// a new connection, which may have missed any.
    fn received(&self, payload: &str) -> SignalSet {
        let mut set = SignalSet::default();
        let mut words = payload.split(' ');
        match words.next() {
            Some("") | None => Signal::all().for_each(|signal| set.insert(signal)),
            Some(origin) if origin == self.origin => {}
            Some(_) => {
                let named: Vec<&str> = words.collect();
                Signal::all()
                    .filter(|signal| named.contains(&signal.as_str()))
                    .for_each(|signal| set.insert(signal));
            }
        }
        set
    }
}

impl Store {
    /// Waits until a transaction of this process, or of another one while [`Store::relay_signals`]
    /// runs, has fired `signal`. Returns at once if that happened since the last wait.
    pub async fn signalled(&self, signal: Signal) {
        self.signals().waiting[signal.index()].notified().await;
    }

    /// Fires the signals of other processes here until it is dropped. SQLite has no other
    /// processes.
    pub async fn relay_signals(&self) {
        if let Some(mut receiver) = self.listen(CHANNEL) {
            while let Some(payload) = receiver.recv().await {
                let received = self.signals().received(&payload);
                self.signals().fire(received);
            }
        }
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_read_by_every_process_but_its_own() {
        let (ours, theirs) = (Signals::default(), Signals::default());
        let mut set = SignalSet::default();
        set.insert(Signal::Jobs(JobKind::Icon));
        set.insert(Signal::SearchIndex);
        let payload = ours.payload(set);
        assert_eq!(theirs.received(&payload), set);
        assert_eq!(ours.received(&payload), SignalSet::default());
        assert_eq!(
            theirs.received("x kind_of_a_newer_lede"),
            SignalSet::default()
        );
        let all = theirs.received("");
        assert!(Signal::all().all(|signal| all.contains(signal)));
    }
}
