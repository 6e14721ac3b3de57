//! Random secrets and their hashes.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Returns 256 random bits as 43 characters that are safe in cookies, headers and URLs.
///
/// # Panics
/// If the operating system provides no randomness: nothing secure could follow.
pub fn token() -> String {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the hash under which a token is stored, so that a copy of the store grants no access. A
/// plain hash is enough, because 256 random bits cannot be guessed.
pub(super) fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
