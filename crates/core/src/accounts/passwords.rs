//! Password hashing: argon2id, a few at a time, never on the async threads.
//!
//! Each hash fills 19 MiB. If that memory is allocated anew for every sign-in, it ends up in the
//! arenas of as many threads as ever hashed: 600 wrong passwords grew the process to 1 GB for
//! good. So there are as many buffers as concurrent hashes; they are reused, and freed after a
//! while without hashing.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use argon2::password_hash::phc::{Output, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use lede_model::secret::Secret;
use tokio::sync::Semaphore;

/// Concurrent hashes. Each takes [`MEMORY_KIB`], so this bounds the memory of many sign-ins at
/// once.
const AT_ONCE: usize = 4;
/// The minimum that OWASP recommends: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Time after the last hash until the buffers are freed.
const KEPT_FOR: Duration = Duration::from_secs(2);

/// Hashes and verifies passwords, at most [`AT_ONCE`] at a time.
#[derive(Clone)]
pub(crate) struct PasswordHasher {
    turns: Arc<Semaphore>,
    buffers: Arc<Buffers>,
}

/// Result of verifying a password.
pub(crate) struct Verified {
    pub(crate) is_right: bool,
    /// True if the hash was made with weaker parameters than the current ones.
    pub(crate) wants_rehash: bool,
}

/// Hash to verify against if there is no such account, so that the answer takes the same time.
static NOBODY: OnceLock<String> = OnceLock::new();

impl PasswordHasher {
    pub(crate) fn new() -> Self {
        Self {
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            buffers: Arc::default(),
        }
    }

    /// Returns a new hash of `password` in PHC format.
    pub(crate) async fn hash(&self, password: &Secret) -> String {
        let password = password.clone();
        self.on_a_thread(move |memory| hash_in(memory, password.reveal()))
            .await
    }

    /// Verifies `password` against `hash`. Without a hash the result is negative, after the same
    /// work.
    pub(crate) async fn verify(&self, hash: Option<String>, password: &Secret) -> Verified {
        let password = password.clone();
        self.on_a_thread(move |memory| {
            let is_known = hash.is_some();
            let text = hash.unwrap_or_else(|| {
                let nobody = NOBODY.get_or_init(|| hash_in(memory, "a password that nobody has"));
                nobody.clone()
            });
            let parsed = PasswordHash::new(&text).ok();
            let made_with = parsed.as_ref().and_then(|parsed| {
                is_made_from(memory, parsed, password.reveal()).filter(|_| is_known)
            });
            Verified {
                is_right: made_with.is_some(),
                wants_rehash: made_with.is_some_and(|params| is_weaker(&params)),
            }
        })
        .await
    }

    async fn on_a_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Memory) -> T + Send + 'static,
    ) -> T {
        // The semaphore is never closed and the work does not panic; either would be a bug here.
        let turn = Arc::clone(&self.turns)
            .acquire_owned()
            .await
            .expect("the semaphore stays open");
        let buffers = Arc::clone(&self.buffers);
        let done = tokio::task::spawn_blocking(move || {
            let mut memory = buffers.take();
            let result = work(&mut memory);
            buffers.put_back(memory);
            drop(turn);
            result
        });
        let result = done.await.expect("hashing does not panic");
        self.buffers.free_when_unused();
        result
    }
}

/// Working memory of one hash.
type Memory = Vec<Block>;

/// Unused buffers, never more than [`AT_ONCE`].
#[derive(Default)]
struct Buffers {
    unused: Mutex<Vec<Memory>>,
    uses: AtomicU64,
    is_watched: AtomicBool,
}

impl Buffers {
    fn take(&self) -> Memory {
        self.uses.fetch_add(1, Ordering::Relaxed);
        self.unused().pop().unwrap_or_default()
    }

    fn put_back(&self, memory: Memory) {
        // A hash made by another program may have needed more memory.
        if memory.len() <= MEMORY_KIB as usize {
            self.unused().push(memory);
        }
    }

    /// Frees the buffers after a while without hashing.
    fn free_when_unused(self: &Arc<Self>) {
        if self.is_watched.swap(true, Ordering::AcqRel) {
            return;
        }
        let buffers = Arc::clone(self);
        tokio::spawn(async move {
            loop {
                let before = buffers.uses.load(Ordering::Relaxed);
                tokio::time::sleep(KEPT_FOR).await;
                if buffers.uses.load(Ordering::Relaxed) == before {
                    break;
                }
            }
            // In this order: a hash that ends in between starts a new watch.
            buffers.is_watched.store(false, Ordering::Release);
            buffers.unused().clear();
        });
    }

    fn unused(&self) -> MutexGuard<'_, Vec<Memory>> {
        self.unused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_weaker(made_with: &Params) -> bool {
    made_with.m_cost() < MEMORY_KIB || made_with.t_cost() < PASSES
}

fn hash_in(memory: &mut Memory, password: &str) -> String {
    let params =
        Params::new(MEMORY_KIB, PASSES, LANES, None).expect("the constants are valid parameters");
    let salt = Salt::generate();
    // Fails only for passwords of 4 GiB.
    let output = output_in(
        memory,
        (Algorithm::Argon2id, Version::V0x13),
        &params,
        password,
        &salt,
        Params::DEFAULT_OUTPUT_LEN,
    );
    let hash = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: (&params)
            .try_into()
            .expect("parameters have a written form"),
        salt: Some(salt),
        hash: Some(output.expect("a password can be hashed")),
    };
    hash.to_string()
}

/// Returns the parameters of `hash` if it was made from `password`.
fn is_made_from(memory: &mut Memory, hash: &PasswordHash, password: &str) -> Option<Params> {
    let algorithm = Algorithm::try_from(hash.algorithm.as_str()).ok()?;
    let version = Version::try_from(hash.version?).ok()?;
    let params = Params::try_from(hash).ok()?;
    let (salt, expected) = (hash.salt.as_ref()?, hash.hash.as_ref()?);
    let output = output_in(
        memory,
        (algorithm, version),
        &params,
        password,
        salt,
        expected.len(),
    );
    // `Output` compares in constant time.
    (output.as_ref() == Some(expected)).then_some(params)
}

fn output_in(
    memory: &mut Memory,
    (algorithm, version): (Algorithm, Version),
    params: &Params,
    password: &str,
    salt: &[u8],
    length: usize,
) -> Option<Output> {
    if memory.len() < params.block_count() {
        memory.resize(params.block_count(), Block::new());
    }
    let argon2 = Argon2::new(algorithm, version, params.clone());
    let mut buffer = [0; Output::MAX_LENGTH];
    let out = buffer.get_mut(..length)?;
    let blocks = memory.get_mut(..params.block_count())?;
    argon2
        .hash_password_into_with_memory(password.as_bytes(), salt, out, blocks)
        .ok()?;
    Output::new(out).ok()
}

#[cfg(test)]
mod tests {
    use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};

    use super::*;

    #[tokio::test]
    async fn a_wrong_password_and_an_unknown_user_are_refused() {
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

    #[tokio::test]
    async fn hashes_are_those_of_everybody_else() {
        let passwords = PasswordHasher::new();
        let hash = passwords.hash(&Secret::new("correct horse battery")).await;
        let parsed = PasswordHash::new(&hash).unwrap();
        let usual = Argon2::default();
        let verify = |password: &[u8]| usual.verify_password(password, &parsed);
        assert!(verify(b"correct horse battery").is_ok());
        assert!(verify(b"wrong horse battery").is_err());
        let other = usual.hash_password(b"correct horse battery").unwrap();
        let secret = Secret::new("correct horse battery");
        let verified = passwords.verify(Some(other.to_string()), &secret).await;
        assert!(verified.is_right && !verified.wants_rehash);
    }

    #[tokio::test(start_paused = true)]
    async fn many_guesses_share_a_few_buffers_which_are_then_freed() {
        let passwords = PasswordHasher::new();
        let guesses = (0..3 * AT_ONCE).map(|number| {
            let passwords = passwords.clone();
            tokio::spawn(async move {
                let guess = Secret::new(format!("guess number {number}"));
                passwords.verify(None, &guess).await.is_right
            })
        });
        for guess in guesses.collect::<Vec<_>>() {
            assert!(!guess.await.unwrap());
        }
        assert!((1..=AT_ONCE).contains(&passwords.buffers.unused().len()));
        while passwords.buffers.is_watched.load(Ordering::Acquire) {
            tokio::time::sleep(KEPT_FOR).await;
        }
        assert!(passwords.buffers.unused().is_empty());
    }
}
