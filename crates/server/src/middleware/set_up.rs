//! The one-time code for setting Lede up from another machine: it proves access to the log.

use std::sync::Arc;

use subtle::ConstantTimeEq as _;

use super::Client;

/// Generated at each start and shown only in the log of this process.
#[derive(Clone)]
pub struct SetUpCode(Arc<str>);

impl SetUpCode {
    /// Generates a random code.
    pub fn new() -> Self {
        let mut code = lede_core::accounts::random_token();
        code.truncate(16);
        Self(code.into())
    }

    /// Returns the code, for the log.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns `true` if `client` has to enter the code: every client except one on the machine
    /// itself.
    pub(crate) fn is_asked_of(client: &Client) -> bool {
        !client.is_at_home
    }

    /// Compares `typed` with the code in constant time.
    pub(crate) fn is(&self, typed: &str) -> bool {
        typed.trim().as_bytes().ct_eq(self.0.as_bytes()).into()
    }
}

impl Default for SetUpCode {
    fn default() -> Self {
        Self::new()
    }
}
