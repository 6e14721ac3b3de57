//! The doors: HTTP in, use cases called, JSON or HTML out.
//!
//! Doors translate and decide nothing. Every request passes [`guard`], which knows who is
//! asking, how often they may, and whether the browser really meant it; then a handler unpacks,
//! calls `core` and packs. [`router`] lists every route on one page.

mod accounts;
mod error;
mod guard;
mod highlight;
mod input;
mod listen;
pub mod policy;
mod reader;
mod router;
mod slots;
mod system;
mod web;

use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use lede_core::Lede;
use lede_model::secret::Secret;

pub use guard::SetUpCode;
pub use listen::serve;
pub use router::{open_api, route_table, router};

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
    /// Time limits of clients, and limits on what they hold open.
    pub transport: Transport,
    /// Every setting of the instance, for administrators to see.
    pub in_force: Vec<InForce>,
}

/// Time limits of clients that send requests, and limits on their connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transport {
    /// From a connection to its first byte, and from the first byte of a request to the end of its head.
    pub head_timeout: Duration,
    /// For a body, beyond the time that it would take at a low rate.
    pub body_timeout: Duration,
    /// From one piece of a body to the next.
    pub body_progress_timeout: Duration,
    /// For a connection on which no request is under way.
    pub keep_alive_timeout: Duration,
    /// Connections at once.
    pub max_connections: usize,
    /// Connections of one address at once. Trusted proxies may have more.
    pub max_connections_per_address: usize,
}

impl Default for Transport {
    fn default() -> Self {
        Self {
            head_timeout: Duration::from_secs(15),
            body_timeout: Duration::from_secs(30),
            body_progress_timeout: Duration::from_secs(10),
            // Longer than proxies keep theirs (nginx 60 s, Traefik 90 s, Caddy 120 s): the side that sends
            // the next request should be the one that closes.
            keep_alive_timeout: Duration::from_secs(180),
            max_connections: 4096,
            max_connections_per_address: 1024,
        }
    }
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
    pub(crate) admission: Arc<guard::admission::Admission>,
    pub(crate) bodies: Arc<guard::body::BodyRules>,
    pub(crate) routes: Arc<policy::RouteTable>,
    pub(crate) set_up_code: SetUpCode,
    pub(crate) open_api: Arc<str>,
}
