//! Activity on a connection, and the deadline for more.
//!
//! HTTP libraries limit the time for a request head and little else: a connection that sends
//! nothing, half of the HTTP/2 preface, or no further request would stay open for ever. The
//! deadlines here cover the whole life of a connection and both protocols. None of them runs while
//! a request is in progress: its body has its own (see `middleware::body`), and the time that we
//! need to respond is not the client's fault.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::Version;
use tokio::time::Instant;

use crate::slots::Slot;

/// Time limits of a client.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadlines {
    /// From accepting the connection to its first byte, and from the first byte of a request to the
    /// end of its head.
    pub(super) head: Duration,
    /// Between two requests, and while the client reads nothing of a response.
    pub(super) idle: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expired {
    /// No request arrived, or only part of its head.
    Head,
    /// No further request arrived, or the client did not read the response.
    Idle,
}

/// State of one connection.
pub(super) struct Activity {
    deadlines: Deadlines,
    slot: Slot,
    state: Mutex<State>,
}

struct State {
    /// When the connection was opened, a request ended, or a response last made progress.
    moved_at: Instant,
    /// When the first byte of a head arrived that is still incomplete.
    head_began_at: Option<Instant>,
    has_served: bool,
    is_http2: bool,
    /// Requests whose response has not been sent completely.
    under_way: usize,
    /// Those among them whose client reads no more of the response.
    stalled: usize,
}

impl Activity {
    pub(super) fn new(deadlines: Deadlines, slot: Slot) -> Arc<Self> {
        Arc::new(Self {
            deadlines,
            slot,
            state: Mutex::new(State {
                moved_at: Instant::now(),
                head_began_at: None,
                has_served: false,
                is_http2: false,
                under_way: 0,
                stalled: 0,
            }),
        })
    }

    pub(super) fn slot(&self) -> &Slot {
        &self.slot
    }

    /// Records that bytes were received.
    pub(super) fn received(&self) {
        let mut state = self.state();
        if state.under_way == 0 && state.head_began_at.is_none() {
            state.head_began_at = Some(Instant::now());
        }
    }

    /// Records that bytes were sent. Ignored on HTTP/2, where a client can provoke them at will.
    pub(super) fn sent(&self) {
        let mut state = self.state();
        if !state.is_http2 {
            state.moved_at = Instant::now();
        }
    }

    /// Records that the head of a request is complete.
    pub(super) fn begin_request(self: &Arc<Self>, version: Version) -> UnderWay {
        let mut state = self.state();
        state.has_served = true;
        state.is_http2 = version == Version::HTTP_2;
        state.head_began_at = None;
        state.under_way += 1;
        let is_first = state.under_way == 1;
        drop(state);
        if is_first {
            self.slot.begin_serving();
        }
        UnderWay {
            activity: Arc::clone(self),
            is_stalled: false,
        }
    }

    /// Resolves when the client has missed a deadline.
    pub(super) async fn expired(&self) -> Expired {
        // No deadline is shorter than this, so none that starts during a nap ends before it.
        let nap = self.deadlines.head.min(self.deadlines.idle);
        loop {
            let now = Instant::now();
            let until = match self.state().expires_at(self.deadlines) {
                Some((at, what)) if at <= now => return what,
                Some((at, _)) => at.min(now + nap),
                None => now + nap,
            };
            tokio::time::sleep_until(until).await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn expires_at(&self, deadlines: Deadlines) -> Option<(Instant, Expired)> {
        if self.under_way > self.stalled {
            return None;
        }
        // HTTP/2 frames also arrive between requests; only before the first request do they begin a
        // head.
        let is_in_head = !self.has_served || (!self.is_http2 && self.under_way == 0);
        match self.head_began_at {
            Some(began_at) if is_in_head => Some((began_at + deadlines.head, Expired::Head)),
            None if !self.has_served => Some((self.moved_at + deadlines.head, Expired::Head)),
            _ => Some((self.moved_at + deadlines.idle, Expired::Idle)),
        }
    }
}

/// A request in progress. Dropping it ends the request.
pub(super) struct UnderWay {
    activity: Arc<Activity>,
    is_stalled: bool,
}

impl UnderWay {
    /// Records if the response is waiting for its client to read more of it.
    pub(super) fn set_stalled(&mut self, is_stalled: bool) {
        if self.is_stalled == is_stalled {
            return;
        }
        self.is_stalled = is_stalled;
        let mut state = self.activity.state();
        state.moved_at = Instant::now();
        if is_stalled {
            state.stalled += 1;
        } else {
            state.stalled -= 1;
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.set_stalled(false);
        let mut state = self.activity.state();
        state.under_way -= 1;
        state.moved_at = Instant::now();
        state.head_began_at = None;
        let is_last = state.under_way == 0;
        drop(state);
        if is_last {
            self.activity.slot.begin_waiting();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::Slots;

    const DEADLINES: Deadlines = Deadlines {
        head: Duration::from_secs(10),
        idle: Duration::from_secs(100),
    };

    fn connection() -> Arc<Activity> {
        let slot = Slots::new(1, 1).enter(None).ok().unwrap();
        Activity::new(DEADLINES, slot)
    }

    async fn seconds_left(connection: &Activity) -> u64 {
        let began = Instant::now();
        connection.expired().await;
        began.elapsed().as_secs()
    }

    async fn pass(seconds: u64) {
        tokio::time::advance(Duration::from_secs(seconds)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_byte_and_the_rest_of_the_head_have_a_deadline_each() {
        assert_eq!(seconds_left(&connection()).await, 10);
        let connection = connection();
        pass(9).await;
        connection.received();
        pass(4).await;
        // Further bytes do not extend the deadline.
        connection.received();
        assert_eq!(seconds_left(&connection).await, 6);
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_expires_while_a_request_is_under_way() {
        let connection = connection();
        connection.received();
        let request = connection.begin_request(Version::HTTP_11);
        let expired = tokio::time::timeout(Duration::from_secs(3600), connection.expired());
        assert!(expired.await.is_err());
        drop(request);
        assert_eq!(seconds_left(&connection).await, 100);
    }

    #[tokio::test(start_paused = true)]
    async fn between_requests_http2_is_idle_whatever_frames_come() {
        for (version, left) in [(Version::HTTP_11, 10), (Version::HTTP_2, 50)] {
            let connection = connection();
            drop(connection.begin_request(version));
            pass(50).await;
            connection.received();
            assert_eq!(seconds_left(&connection).await, left, "{version:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_its_client_does_not_take_is_given_up() {
        let connection = connection();
        let mut slow = connection.begin_request(Version::HTTP_2);
        let quick = connection.begin_request(Version::HTTP_2);
        slow.set_stalled(true);
        pass(500).await;
        // The connection is not idle while the other request is served.
        drop(quick);
        assert_eq!(seconds_left(&connection).await, 100);
    }
}
