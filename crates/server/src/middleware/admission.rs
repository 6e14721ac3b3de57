//! Admission: limits the number of requests that are handled at the same time.
//!
//! Each class of requests has its own permits, so that a flood of one class leaves the others their
//! capacity: sign-in and reading go on while writes pile up. One address may hold half of a class.
//! A request that finds no permit waits for a while before it is refused.
//!
//! A permit is for work. A request that waits for its client's bytes holds none; see
//! [`super::body`].

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Limits on concurrent requests, by class. Beyond a few per core, requests only wait for each
/// other; these numbers leave room for those that wait for another server.
const SIGN_IN: usize = 64;
const READING: usize = 256;
const WRITING: usize = 128;
/// The smallest limit: clients that are not signed in have very little to send.
const ANONYMOUS: usize = 32;

/// Limit on requests of a class that wait for a permit. Each of them holds memory.
const MAX_WAITING: usize = 2048;
const PATIENCE: Duration = Duration::from_secs(5);

/// Class of requests that share permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Sign-in, sign-out, registration and set-up.
    SignIn,
    /// Every request that changes nothing.
    Reading,
    /// A change by a signed-in user, or by a client that may turn out to be one.
    Writing,
    /// A change by a client that is not signed in.
    Anonymous,
}

/// All permits of this process.
pub(crate) struct Admission {
    sign_in: Permits,
    reading: Permits,
    writing: Permits,
    anonymous: Permits,
}

/// Permits of one class.
struct Permits {
    all: Arc<Semaphore>,
    per_address: usize,
    addresses: Arc<Mutex<Addresses>>,
    waiting: Semaphore,
}

type Addresses = HashMap<IpAddr, Arc<Semaphore>>;

/// Permission to handle a request, released on drop.
pub(crate) struct Permit {
    _one_of_all: OwnedSemaphorePermit,
    _one_of_address: AddressPermit,
}

/// No permit became free in time.
#[derive(Debug)]
pub(crate) struct Overloaded;

impl Admission {
    pub(crate) fn new() -> Self {
        Self {
            sign_in: Permits::new(SIGN_IN),
            reading: Permits::new(READING),
            writing: Permits::new(WRITING),
            anonymous: Permits::new(ANONYMOUS),
        }
    }

    /// Waits for a permit to work on a request of `class` from `address`.
    pub(crate) async fn admit(&self, class: Class, address: IpAddr) -> Result<Permit, Overloaded> {
        let permits = match class {
            Class::SignIn => &self.sign_in,
            Class::Reading => &self.reading,
            Class::Writing => &self.writing,
            Class::Anonymous => &self.anonymous,
        };
        permits.acquire(address).await
    }
}

impl Permits {
    fn new(count: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(count)),
            per_address: count / 2,
            addresses: Arc::default(),
            waiting: Semaphore::new(MAX_WAITING),
        }
    }

    async fn acquire(&self, address: IpAddr) -> Result<Permit, Overloaded> {
        let _waiting = self.waiting.try_acquire().map_err(|_| Overloaded)?;
        let both = async {
            // Permit of the address first: an address with many requests then waits for its own.
            let one_of_address = self.acquire_for_address(address).await?;
            let one_of_all = Arc::clone(&self.all).acquire_owned().await.ok()?;
            Some(Permit {
                _one_of_all: one_of_all,
                _one_of_address: one_of_address,
            })
        };
        let permit = tokio::time::timeout(PATIENCE, both).await;
        permit.ok().flatten().ok_or(Overloaded)
    }

    async fn acquire_for_address(&self, address: IpAddr) -> Option<AddressPermit> {
        let share = Arc::clone(
            locked(&self.addresses)
                .entry(address)
                .or_insert_with(|| Arc::new(Semaphore::new(self.per_address))),
        );
        // Created before the wait, so that its `Drop` also runs for a request that gives up.
        let mut permit = AddressPermit {
            addresses: Arc::clone(&self.addresses),
            address,
            permit: None,
        };
        permit.permit = Some(share.acquire_owned().await.ok()?);
        Some(permit)
    }
}

/// A permit counted against one address.
struct AddressPermit {
    addresses: Arc<Mutex<Addresses>>,
    address: IpAddr,
    permit: Option<OwnedSemaphorePermit>,
}

impl Drop for AddressPermit {
    fn drop(&mut self) {
        let mut addresses = locked(&self.addresses);
        self.permit = None;
        // Only the table refers to the semaphore: no permit is in use and no request waits for one.
        if let Some(share) = addresses.get(&self.address)
            && Arc::strong_count(share) == 1
        {
            addresses.remove(&self.address);
        }
    }
}

fn locked(addresses: &Mutex<Addresses>) -> MutexGuard<'_, Addresses> {
    addresses.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    async fn take(admission: &Admission, class: Class, from: u8, count: usize) -> Vec<Permit> {
        let mut permits = Vec::new();
        for _ in 0..count {
            permits.push(admission.admit(class, address(from)).await.unwrap());
        }
        permits
    }

    #[tokio::test(start_paused = true)]
    async fn one_address_has_half_of_a_class_and_no_class_takes_from_another() {
        let admission = Admission::new();
        let first = take(&admission, Class::Writing, 1, WRITING / 2).await;
        let refused = admission.admit(Class::Writing, address(1)).await;
        assert!(refused.is_err());
        let _second = take(&admission, Class::Writing, 2, WRITING / 2).await;
        assert!(admission.admit(Class::Writing, address(3)).await.is_err());
        for class in [Class::SignIn, Class::Reading, Class::Anonymous] {
            assert!(
                admission.admit(class, address(1)).await.is_ok(),
                "{class:?}"
            );
        }
        drop(first);
        assert!(admission.admit(Class::Writing, address(3)).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_waits_its_turn_for_a_while() {
        let admission = Admission::new();
        let mut held = take(&admission, Class::SignIn, 1, SIGN_IN / 2).await;
        let (admitted, ()) = tokio::join!(admission.admit(Class::SignIn, address(1)), async {
            tokio::time::sleep(PATIENCE / 2).await;
            held.pop();
        });
        assert!(admitted.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn addresses_are_forgotten_with_their_last_request() {
        let admission = Admission::new();
        let held = take(&admission, Class::Anonymous, 1, ANONYMOUS / 2).await;
        assert!(admission.admit(Class::Anonymous, address(1)).await.is_err());
        assert_eq!(locked(&admission.anonymous.addresses).len(), 1);
        drop(held);
        assert!(locked(&admission.anonymous.addresses).is_empty());
    }
}
