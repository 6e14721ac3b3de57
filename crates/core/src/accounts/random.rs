//! Unguessable text.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// 256 random bits from the system, as 43 characters that fit a cookie, a header and an address.
///
/// # Panics
/// When the system has no randomness to give: nothing safe could follow.
pub fn token() -> String {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    URL_SAFE_NO_PAD.encode(bytes)
}

/// What is stored of a token, so that a copy of the store opens nothing. A plain hash is enough:
/// nobody guesses 256 random bits.
pub(super) fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
