//! Politeness: the number of concurrent requests and the pause between them.
//!
//! Each registrable domain has a lane with a few slots and a pause between two starts. A request
//! first waits in its lane and only then for one of the shared slots, so a slow host fills its own
//! lane and nothing else. Both queues are first in, first out. A request that would wait too long
//! fails with [`FetchError::Busy`] instead of blocking a worker.
//!
//! Waiting for a response costs a socket; receiving one costs bandwidth and memory. So many
//! requests may wait at a time and few may receive. A tarpit occupies none of the few slots: it
//! gets none before it responds, and loses it if its response arrives too slowly.
//!
//! The pause uses the monotonic clock. The fetch interval of a feed is decided in
//! `model::schedule`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lede_model::address::WebUrl;
use tokio::sync::{Mutex as AsyncMutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::error::FetchError;

/// Number of lanes from which on unused lanes are removed.
const SWEEP_AT: usize = 1024;

/// Limits of one pace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PaceLimits {
    /// Pause between two starts in one lane.
    pub(crate) interval: Duration,
    /// Concurrent requests in one lane.
    pub(crate) per_lane: usize,
    /// Concurrent requests in all lanes, most of them waiting for a response.
    pub(crate) overall: usize,
    /// Bodies that are received at a time.
    pub(crate) receiving: usize,
    /// Maximum wait for a turn, and for a receiving slot.
    pub(crate) patience: Duration,
}

/// Scheduler that decides when a request may start.
pub(crate) struct Pace {
    limits: PaceLimits,
    overall: Arc<Semaphore>,
    receiving: Arc<Semaphore>,
    lanes: Mutex<Lanes>,
}

struct Lanes {
    by_key: HashMap<String, Arc<Lane>>,
    sweep_at: usize,
}

struct Lane {
    slots: Arc<Semaphore>,
    /// Earliest start of the next request. The holder of the lock is the next in the queue.
    next_start: AsyncMutex<Option<Instant>>,
}

/// Permission to have a request running; dropping it lets the next one start.
pub(crate) struct Turn {
    key: String,
    lane: OwnedSemaphorePermit,
    _overall: OwnedSemaphorePermit,
}

/// Permission to receive a body and to hold it in memory; dropping it admits the next one.
#[derive(Debug)]
pub(crate) struct Receiving {
    _slot: OwnedSemaphorePermit,
}

impl Turn {
    /// Returns `true` if this turn also covers `url`: a redirect within one site needs no new turn.
    pub(crate) fn covers(&self, url: &WebUrl) -> bool {
        self.key == lane_key(url)
    }

    /// Returns `true` if no other request runs in this lane or waits for it.
    pub(crate) fn is_alone(&self) -> bool {
        // One reference is the lane's own and one is ours; every waiting request holds another.
        Arc::strong_count(self.lane.semaphore()) <= 2
    }
}

impl Pace {
    pub(crate) fn new(limits: PaceLimits) -> Self {
        Self {
            limits,
            overall: Arc::new(Semaphore::new(limits.overall)),
            receiving: Arc::new(Semaphore::new(limits.receiving)),
            lanes: Mutex::new(Lanes {
                by_key: HashMap::new(),
                sweep_at: SWEEP_AT,
            }),
        }
    }

    /// Waits until one more body may be received.
    pub(crate) async fn receiving(&self) -> Result<Receiving, FetchError> {
        let slot = self.receiving.clone().acquire_owned();
        match tokio::time::timeout(self.limits.patience, slot).await {
            Ok(Ok(slot)) => Ok(Receiving { _slot: slot }),
            _ => Err(FetchError::Busy),
        }
    }

    /// Waits for the turn of a request to `url`.
    pub(crate) async fn turn(&self, url: &WebUrl) -> Result<Turn, FetchError> {
        tokio::time::timeout(self.limits.patience, self.wait(lane_key(url)))
            .await
            .map_err(|_| FetchError::Busy)?
    }

    async fn wait(&self, key: String) -> Result<Turn, FetchError> {
        let lane = self.lane(&key);
        // The semaphores are never closed, so the error can only occur during shutdown.
        let slot = lane.slots.clone().acquire_owned().await;
        let slot = slot.map_err(|_| FetchError::Busy)?;
        let mut next_start = lane.next_start.lock().await;
        if let Some(at) = *next_start {
            tokio::time::sleep_until(at).await;
        }
        let overall = self.overall.clone().acquire_owned().await;
        let overall = overall.map_err(|_| FetchError::Busy)?;
        *next_start = Instant::now().checked_add(self.limits.interval);
        Ok(Turn {
            key,
            lane: slot,
            _overall: overall,
        })
    }

    fn lane(&self, key: &str) -> Arc<Lane> {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = lanes.by_key.get(key) {
            return lane.clone();
        }
        if lanes.by_key.len() >= lanes.sweep_at {
            let now = Instant::now();
            let slots = self.limits.per_lane;
            lanes.by_key.retain(|_, lane| !lane.is_idle(now, slots));
            // If all lanes are in use, scanning them for every new one would cost more than it
            // frees.
            lanes.sweep_at = SWEEP_AT.max(lanes.by_key.len() * 2);
        }
        let lane = Arc::new(Lane {
            slots: Arc::new(Semaphore::new(self.limits.per_lane)),
            next_start: AsyncMutex::new(None),
        });
        lanes.by_key.insert(key.to_owned(), lane.clone());
        lane
    }
}

impl Lane {
    /// Returns `true` if no request waits or runs and the pause is over, so that the lane can be
    /// removed without effect.
    fn is_idle(self: &Arc<Self>, now: Instant, slots: usize) -> bool {
        Arc::strong_count(self) == 1
            && self.slots.available_permits() == slots
            && self
                .next_start
                .try_lock()
                .is_ok_and(|next| next.is_none_or(|at| at <= now))
    }
}

/// Returns the key of the lane: the registrable domain, because one machine serves the many names
/// of a site. IP addresses and non-standard ports have a lane of their own: on a home server these
/// are different programs.
fn lane_key(url: &WebUrl) -> String {
    match url.as_url().port() {
        Some(port) => format!("{}:{port}", url.host()),
        None => url.root_domain().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: PaceLimits = PaceLimits {
        interval: Duration::from_secs(3),
        per_lane: 2,
        overall: 4,
        receiving: 1,
        patience: Duration::from_secs(60),
    };

    fn url(host: &str) -> WebUrl {
        WebUrl::parse(&format!("https://{host}/feed")).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn two_requests_to_one_site_start_three_seconds_apart() {
        let pace = Pace::new(LIMITS);
        let began = Instant::now();
        drop(pace.turn(&url("a.example.org")).await.unwrap());
        drop(pace.turn(&url("other.net")).await.unwrap());
        assert_eq!(began.elapsed(), Duration::ZERO);
        drop(pace.turn(&url("b.example.org")).await.unwrap());
        assert_eq!(began.elapsed(), Duration::from_secs(3));
        tokio::time::advance(Duration::from_secs(10)).await;
        drop(pace.turn(&url("example.org")).await.unwrap());
        assert_eq!(began.elapsed(), Duration::from_secs(13));
    }

    #[tokio::test(start_paused = true)]
    async fn a_zero_interval_switches_the_pause_off() {
        let interval = Duration::ZERO;
        let pace = Pace::new(PaceLimits { interval, ..LIMITS });
        let began = Instant::now();
        for _ in 0..5 {
            drop(pace.turn(&url("example.org")).await.unwrap());
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_tarpit_fills_its_own_lane_and_no_other() {
        let pace = Pace::new(LIMITS);
        let tarpit = url("tarpit.org");
        let held = [
            pace.turn(&tarpit).await.unwrap(),
            pace.turn(&tarpit).await.unwrap(),
        ];
        let third = pace.turn(&tarpit);
        let other = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            pace.turn(&url("quick.net")).await
        };
        let (third, other) = tokio::join!(third, other);
        assert!(matches!(third, Err(FetchError::Busy)));
        assert!(other.is_ok());
        drop(held);
        assert!(pace.turn(&tarpit).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn all_lanes_together_stay_below_the_cap() {
        let pace = Pace::new(LIMITS);
        let mut held = Vec::new();
        for host in ["a.org", "b.org", "c.org", "d.org"] {
            held.push(pace.turn(&url(host)).await.unwrap());
        }
        assert!(matches!(
            pace.turn(&url("e.org")).await,
            Err(FetchError::Busy)
        ));
        held.pop();
        assert!(pace.turn(&url("e.org")).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_wait_are_served_in_order_and_giving_up_frees_the_place() {
        let pace = Arc::new(Pace::new(LIMITS));
        let (sender, mut order) = tokio::sync::mpsc::unbounded_channel();
        for name in 0..4 {
            let (pace, sender) = (pace.clone(), sender.clone());
            let waiting = tokio::spawn(async move {
                let turn = pace.turn(&url("example.org")).await;
                sender.send(name).unwrap();
                drop(turn);
            });
            tokio::task::yield_now().await;
            if name == 1 {
                waiting.abort();
            }
        }
        drop(sender);
        let mut seen = Vec::new();
        while let Some(name) = order.recv().await {
            seen.push(name);
        }
        assert_eq!(seen, [0, 2, 3]);
    }

    #[tokio::test(start_paused = true)]
    async fn unused_lanes_are_removed() {
        let pace = Pace::new(LIMITS);
        let held = pace.turn(&url("held.org")).await.unwrap();
        for number in 0..SWEEP_AT {
            drop(pace.turn(&url(&format!("site{number}.org"))).await.unwrap());
        }
        tokio::time::advance(Duration::from_secs(4)).await;
        for number in 0..SWEEP_AT {
            drop(pace.turn(&url(&format!("more{number}.org"))).await.unwrap());
        }
        let lanes = pace.lanes.lock().unwrap();
        assert!(lanes.by_key.len() < SWEEP_AT + 2, "{}", lanes.by_key.len());
        assert!(lanes.by_key.contains_key("held.org"));
        drop(held);
    }

    #[test]
    fn lanes_follow_the_registrable_domain() {
        for (address, key) in [
            ("https://blog.example.co.uk/x", "example.co.uk"),
            ("https://somebody.tumblr.com/", "tumblr.com"),
            ("http://example.org:8080/", "example.org:8080"),
            ("http://10.0.0.1/", "10.0.0.1"),
            ("http://127.0.0.1:9000/", "127.0.0.1:9000"),
            ("http://[::1]:9000/", "[::1]:9000"),
        ] {
            assert_eq!(lane_key(&WebUrl::parse(address).unwrap()), key);
        }
    }
}
