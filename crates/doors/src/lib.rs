//! The doors: HTTP in, use cases called, JSON or HTML out.
//!
//! Doors translate and decide nothing. Every request passes [`guard`], which knows who is
//! asking, how often they may, and whether the browser really meant it; then a handler unpacks,
//! calls `core` and packs. [`router`] lists every route on one page.

mod error;
mod guard;
mod listen;
mod reader;
mod router;
mod system;
mod web;

use std::sync::Arc;

use ipnet::IpNet;
use lede_core::Lede;
use lede_model::secret::Secret;

pub use guard::SetUpCode;
pub use listen::serve;
pub use router::{open_api, router};

/// What the operator chose about the doors.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Networks whose `X-Forwarded-*` headers are believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Other origins whose scripts may call the API.
    pub cors_origins: Vec<String>,
    /// Whether limits apply beyond sign-in's, which always do.
    pub rate_limit_enabled: bool,
    /// Who may read `/metrics` beside loopback.
    pub metrics_allowed: Vec<IpNet>,
    /// Opens `/metrics` from anywhere, as a bearer token.
    pub metrics_token: Option<Secret>,
    /// Every setting of the instance, for administrators to see.
    pub in_force: Vec<InForce>,
}

/// A setting as it is in force.
#[derive(Debug, Clone)]
pub struct InForce {
    /// What the operator calls it.
    pub name: String,
    /// The value, or `***` for a secret.
    pub shown: String,
    /// Where it was set.
    pub origin: &'static str,
}

/// What every handler can reach.
#[derive(Clone)]
pub(crate) struct Doors {
    pub(crate) lede: Lede,
    pub(crate) settings: Arc<Settings>,
    pub(crate) limits: Arc<guard::limits::Limits>,
    pub(crate) set_up_code: SetUpCode,
    pub(crate) open_api: Arc<str>,
}
