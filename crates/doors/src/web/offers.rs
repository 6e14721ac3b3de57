//! Other feeds of a site whose best one somebody has just added.
//!
//! Kept in this process and not for long: they matter once, on the page that follows. Whoever is
//! served by another process after that misses a convenience.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lede_core::discover::Candidate;
use lede_model::ids::{FeedId, UserId};
use lede_model::time::Timestamp;

/// Long enough to look at the new feed first.
const LIFE: Duration = Duration::from_secs(15 * 60);
/// People whose offers are kept; beyond them all are forgotten at once.
const MOST_PEOPLE: usize = 1000;

/// The last offer of each person.
#[derive(Default)]
pub(crate) struct Offers {
    by_user: Mutex<HashMap<UserId, Offered>>,
}

struct Offered {
    beside: FeedId,
    candidates: Vec<Candidate>,
    until: Timestamp,
}

impl Offers {
    /// Remembers what else there was when `user` added `beside`; nothing leaves the offer before as
    /// it is, so that one can be followed after the other.
    pub(super) fn make(
        &self,
        user: UserId,
        beside: FeedId,
        candidates: Vec<Candidate>,
        now: Timestamp,
    ) {
        if candidates.is_empty() {
            return;
        }
        let mut by_user = self.lock();
        if by_user.len() >= MOST_PEOPLE {
            by_user.clear();
        }
        let offered = Offered {
            beside,
            candidates,
            until: now + LIFE,
        };
        by_user.insert(user, offered);
    }

    /// What `user` may follow besides `feed`.
    pub(super) fn of(&self, user: UserId, feed: FeedId, now: Timestamp) -> Vec<Candidate> {
        self.lock()
            .get(&user)
            .filter(|offered| offered.beside == feed && now < offered.until)
            .map(|offered| offered.candidates.clone())
            .unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<UserId, Offered>> {
        self.by_user.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
