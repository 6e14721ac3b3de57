//! The one-time code that proves that whoever sets Lede up from elsewhere can read its log.

use std::sync::Arc;

use subtle::ConstantTimeEq as _;

use super::Client;

/// Made at each start; only the log of this process shows it.
#[derive(Clone)]
pub struct SetUpCode(Arc<str>);

impl SetUpCode {
    /// A new code.
    pub fn new() -> Self {
        let mut code = lede_core::accounts::random_token();
        code.truncate(16);
        Self(code.into())
    }

    /// The code, for the log.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether this visitor has to type it: everybody but somebody on the machine itself.
    pub(crate) fn is_asked_of(client: &Client) -> bool {
        !client.is_at_home
    }

    /// Whether `typed` is the code.
    pub(crate) fn is(&self, typed: &str) -> bool {
        typed.trim().as_bytes().ct_eq(self.0.as_bytes()).into()
    }
}

impl Default for SetUpCode {
    fn default() -> Self {
        Self::new()
    }
}
