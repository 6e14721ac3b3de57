//! Test infrastructure, used as a dev-dependency only.
//!
//! [`on_each_engine`] runs a test against a complete Lede on SQLite and again on PostgreSQL, over
//! real HTTP on loopback, with a clock and a site under the test's control. External servers and
//! programs (PostgreSQL, a browser, an OpenID provider) are started or located by `scripts/test`
//! and found through `TEST_*` variables.

pub mod browser;
pub mod http;
mod lede;
pub mod oidc;
pub mod postgres;
mod site;

pub use lede::{
    ADMIN, ClosedStore, Options, PASSWORD, TestClock, TestDisk, TestLede, TestStore,
    keep_signed_in, on_each_engine, on_each_engine_with, on_each_store,
};
pub use site::{Reply, Site};
