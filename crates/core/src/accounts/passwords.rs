//! Password hashing: argon2id, a few at a time, never on the async threads.

use std::sync::{Arc, LazyLock};

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use lede_model::secret::Secret;
use tokio::sync::Semaphore;

/// Hashes at once: each takes [`MEMORY_KIB`], so this bounds what a storm of sign-ins can use.
const AT_ONCE: usize = 4;
/// The floor of hardening 6.1 (and of OWASP): 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Hashes and checks passwords.
#[derive(Clone)]
pub(crate) struct PasswordHasher {
    turns: Arc<Semaphore>,
}

/// What checking a password came to.
pub(crate) struct Verified {
    pub(crate) is_right: bool,
    /// The hash was made with weaker parameters than today's.
    pub(crate) wants_rehash: bool,
}

/// The hash that an unknown account's password is checked against, so that it takes the same time.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash_now("a password that nobody has"));

impl PasswordHasher {
    pub(crate) fn new() -> Self {
        Self {
            turns: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// A fresh hash of `password` in PHC form.
    pub(crate) async fn hash(&self, password: &Secret) -> String {
        let password = password.clone();
        self.on_a_thread(move || hash_now(password.reveal())).await
    }

    /// Checks `password` against `hash`; without one the answer is no, after the same work.
    pub(crate) async fn verify(&self, hash: Option<String>, password: &Secret) -> Verified {
        let password = password.clone();
        self.on_a_thread(move || {
            let is_known = hash.is_some();
            let text = hash.unwrap_or_else(|| NOBODY.clone());
            let Ok(parsed) = PasswordHash::new(&text) else {
                return Verified {
                    is_right: false,
                    wants_rehash: false,
                };
            };
            let is_right = hasher()
                .verify_password(password.reveal().as_bytes(), &parsed)
                .is_ok()
                && is_known;
            let wants_rehash =
                is_right && Params::try_from(&parsed).is_ok_and(|made_with| is_weaker(&made_with));
            Verified {
                is_right,
                wants_rehash,
            }
        })
        .await
    }

    async fn on_a_thread<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        // The semaphore is never closed and the work does not panic; both would be bugs here.
        let turn = Arc::clone(&self.turns)
            .acquire_owned()
            .await
            .expect("the semaphore stays open");
        let done = tokio::task::spawn_blocking(move || {
            let result = work();
            drop(turn);
            result
        });
        done.await.expect("hashing does not panic")
    }
}

fn is_weaker(made_with: &Params) -> bool {
    made_with.m_cost() < MEMORY_KIB || made_with.t_cost() < PASSES
}

fn hasher() -> Argon2<'static> {
    let params =
        Params::new(MEMORY_KIB, PASSES, LANES, None).expect("the constants are valid parameters");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

fn hash_now(password: &str) -> String {
    // Fails only for passwords of 4 GiB and without randomness, when nothing safe could follow.
    hasher()
        .hash_password(password.as_bytes())
        .expect("a password can be hashed")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_right_password_is_told_from_a_wrong_one_and_from_nobody() {
        let passwords = PasswordHasher::new();
        let right = Secret::new("correct horse battery");
        let hash = passwords.hash(&right).await;
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
        assert!(passwords.verify(Some(hash.clone()), &right).await.is_right);
        assert!(
            !passwords
                .verify(Some(hash), &Secret::new("wrong horse battery"))
                .await
                .is_right
        );
        assert!(
            !passwords
                .verify(None, &Secret::new("a password that nobody has"))
                .await
                .is_right
        );
        assert!(
            !passwords
                .verify(Some("not a hash".into()), &right)
                .await
                .is_right
        );
    }

    #[tokio::test]
    async fn a_hash_from_weaker_days_wants_to_be_made_anew() {
        let weak = Argon2::new(
            Algorithm::Argon2id,
            Version::V0x13,
            Params::new(8 * 1024, 1, 1, None).unwrap(),
        );
        let hash = weak
            .hash_password(b"correct horse battery")
            .unwrap()
            .to_string();
        let verified = PasswordHasher::new()
            .verify(Some(hash), &Secret::new("correct horse battery"))
            .await;
        assert!(verified.is_right && verified.wants_rehash);
    }
}
