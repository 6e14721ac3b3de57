//! Bounded sets of resources that clients hold open: connections, unfinished request bodies.
//!
//! Holding something open costs a client nothing, so a plain limit would be exhausted as easily as
//! the resource it protects, and would then refuse everyone else. Here a newcomer replaces the
//! member that has waited longest: one of the same address if that address has reached its limit,
//! otherwise one of the address that holds most. A member that is being served cannot be replaced.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::future::poll_fn;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_util::task::AtomicWaker;
use tokio::sync::Notify;

/// A bounded set of members with a limit per address.
pub(crate) struct Slots {
    most: usize,
    most_per_address: usize,
    members: Mutex<Members>,
    freed: Notify,
}

#[derive(Default)]
struct Members {
    by_id: HashMap<u64, Member>,
    per_address: HashMap<IpAddr, usize>,
    /// Source of both the ids of members and the order in which they began to wait.
    last_number: u64,
}

struct Member {
    /// `None` for a member that counts against no address.
    address: Option<IpAddr>,
    /// Position in the order of waiting; `None` while it is being served.
    waiting_since: Option<u64>,
    eviction: Arc<Eviction>,
}

/// Notifies a member that its slot was given to another one.
#[derive(Default)]
struct Eviction {
    is_due: AtomicBool,
    waker: AtomicWaker,
}

/// Error of [`Slots::enter`]: every slot belongs to a member that is being served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// The address has reached its limit, and all its members are being served.
    Address,
    /// The set is full, and all its members are being served.
    Total,
}

impl Slots {
    pub(crate) fn new(most: usize, most_per_address: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            most_per_address,
            members: Mutex::default(),
            freed: Notify::new(),
        })
    }

    /// Takes a slot for a member that waits for its client, evicting another member if necessary.
    pub(crate) fn enter(self: &Arc<Self>, address: Option<IpAddr>) -> Result<Slot, Full> {
        let mut members = self.members();
        if let Some(address) = address
            && members.held_by(Some(address)) >= self.most_per_address
        {
            let longest = members.longest_waiting(|member| member.address == Some(address));
            members.evict(longest.ok_or(Full::Address)?);
        }
        if members.by_id.len() >= self.most {
            let longest = members.longest_waiting(|_| true);
            members.evict(longest.ok_or(Full::Total)?);
        }
        let (id, eviction) = members.add(address);
        Ok(Slot {
            slots: Arc::clone(self),
            id,
            eviction,
        })
    }

    /// Evicts the member that has waited longest, if any is waiting.
    pub(crate) fn evict_one(&self) {
        let mut members = self.members();
        if let Some(longest) = members.longest_waiting(|_| true) {
            members.evict(longest);
        }
    }

    /// Resolves when a slot may be free, counting from the call.
    pub(crate) fn freed(&self) -> impl Future<Output = ()> {
        self.freed.notified()
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Members {
    fn held_by(&self, address: Option<IpAddr>) -> usize {
        let held = address.and_then(|address| self.per_address.get(&address));
        held.copied().unwrap_or(0)
    }

    /// Returns, among the chosen members that wait, one of the address that holds most slots; of
    /// several, the one that has waited longest.
    fn longest_waiting(&self, is_chosen: impl Fn(&Member) -> bool) -> Option<u64> {
        self.by_id
            .iter()
            .filter(|(_, member)| is_chosen(member))
            .filter_map(|(id, member)| Some((id, member.address, member.waiting_since?)))
            .max_by_key(|(_, address, since)| (self.held_by(*address), Reverse(*since)))
            .map(|(id, ..)| *id)
    }

    fn add(&mut self, address: Option<IpAddr>) -> (u64, Arc<Eviction>) {
        self.last_number += 1;
        let id = self.last_number;
        let eviction = Arc::<Eviction>::default();
        self.by_id.insert(
            id,
            Member {
                address,
                waiting_since: Some(id),
                eviction: Arc::clone(&eviction),
            },
        );
        if let Some(address) = address {
            *self.per_address.entry(address).or_default() += 1;
        }
        (id, eviction)
    }

    fn evict(&mut self, id: u64) {
        if let Some(eviction) = self.remove(id) {
            eviction.is_due.store(true, Ordering::Release);
            eviction.waker.wake();
        }
    }

    fn remove(&mut self, id: u64) -> Option<Arc<Eviction>> {
        let member = self.by_id.remove(&id)?;
        if let Some(address) = member.address
            && let Some(held) = self.per_address.get_mut(&address)
        {
            *held -= 1;
            if *held == 0 {
                self.per_address.remove(&address);
            }
        }
        Some(member.eviction)
    }
}

/// A member's slot, released on drop.
pub(crate) struct Slot {
    slots: Arc<Slots>,
    id: u64,
    eviction: Arc<Eviction>,
}

impl Slot {
    /// Protects the slot from eviction while the server works on a request.
    pub(crate) fn begin_serving(&self) {
        let mut members = self.slots.members();
        if let Some(member) = members.by_id.get_mut(&self.id) {
            member.waiting_since = None;
        }
    }

    /// Marks the member as waiting for its client, so that it may be evicted again.
    pub(crate) fn begin_waiting(&self) {
        let mut members = self.slots.members();
        members.last_number += 1;
        let now = members.last_number;
        if let Some(member) = members.by_id.get_mut(&self.id) {
            member.waiting_since = Some(now);
        }
        drop(members);
        // A newcomer may be waiting because every member was being served.
        self.slots.freed.notify_one();
    }

    /// Ready once the slot was given to another member.
    pub(crate) fn poll_evicted(&self, cx: &Context<'_>) -> Poll<()> {
        self.eviction.waker.register(cx.waker());
        if self.eviction.is_due.load(Ordering::Acquire) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }

    /// Async form of [`Slot::poll_evicted`].
    pub(crate) async fn evicted(&self) {
        poll_fn(|cx| self.poll_evicted(cx)).await;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.members().remove(self.id);
        self.slots.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn address(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([192, 0, 2, last]))
    }

    fn is_evicted(slot: &Slot) -> bool {
        slot.evicted().now_or_never().is_some()
    }

    #[test]
    fn an_address_with_its_share_makes_room_from_its_own() {
        let slots = Slots::new(10, 2);
        let other = slots.enter(address(2)).ok().unwrap();
        let first = slots.enter(address(1)).ok().unwrap();
        let second = slots.enter(address(1)).ok().unwrap();
        let third = slots.enter(address(1)).ok().unwrap();
        assert!(is_evicted(&first));
        assert!(!is_evicted(&second) && !is_evicted(&third) && !is_evicted(&other));
    }

    #[test]
    fn a_full_set_makes_room_from_the_address_that_holds_most() {
        let slots = Slots::new(4, 3);
        let lone = slots.enter(address(1)).ok().unwrap();
        let exempt = slots.enter(None).ok().unwrap();
        let first = slots.enter(address(2)).ok().unwrap();
        let second = slots.enter(address(2)).ok().unwrap();
        // The first began to wait again after a request, so the second has waited longer.
        first.begin_serving();
        first.begin_waiting();
        let _newcomer = slots.enter(address(3)).ok().unwrap();
        assert!(is_evicted(&second));
        assert!(!is_evicted(&first) && !is_evicted(&lone) && !is_evicted(&exempt));
    }

    #[test]
    fn a_member_that_is_served_keeps_its_place() {
        let slots = Slots::new(2, 1);
        let served = slots.enter(address(1)).ok().unwrap();
        served.begin_serving();
        assert_eq!(slots.enter(address(1)).err(), Some(Full::Address));
        let exempt = slots.enter(None).ok().unwrap();
        exempt.begin_serving();
        assert_eq!(slots.enter(address(2)).err(), Some(Full::Total));
        slots.evict_one();
        assert!(!is_evicted(&served) && !is_evicted(&exempt));
        drop(served);
        assert!(slots.enter(address(1)).is_ok());
    }
}
