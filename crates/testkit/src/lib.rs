//! What tests stand on, used as a dev-dependency only.
//!
//! Servers and programs around Lede (PostgreSQL, a browser, an OpenID provider) are started or named
//! by `scripts/test` and found through `TEST_*` variables.

pub mod browser;
pub mod oidc;
pub mod postgres;
