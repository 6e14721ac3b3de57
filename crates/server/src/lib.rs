//! HTTP server of Lede: JSON API, web pages and the routes for operators.
//!
//! Handlers contain no decisions. Every request passes `middleware`, which identifies the caller,
//! applies rate limits and checks for cross-site forgery. A handler then unpacks the request, calls
//! `core` and packs the result. [`router()`] lists every route.

mod accounts;
mod api;
mod error;
mod highlight;
mod input;
mod listen;
mod middleware;
pub mod policy;
mod router;
mod slots;
mod system;
mod web;

use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use lede_core::Lede;
use lede_model::secret::Secret;

pub use listen::serve;
pub use middleware::SetUpCode;
pub use router::{open_api, route_table, router};

/// Settings of the server that the operator can choose.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Networks whose `X-Forwarded-*` headers are trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Origins other than our own whose scripts may call the API.
    pub cors_origins: Vec<String>,
    /// False switches off all rate limits except those of sign-in.
    pub rate_limit_enabled: bool,
    /// Networks that may read `/metrics`, in addition to loopback.
    pub metrics_allowed: Vec<IpNet>,
    /// Bearer token that allows reading `/metrics` from any address.
    pub metrics_token: Option<Secret>,
    /// Timeouts of client connections and limits on their number.
    pub transport: Transport,
    /// Every setting of the instance with its current value, for the admin pages.
    pub in_force: Vec<SettingInForce>,
}

/// Timeouts for requests that arrive, and limits on the connections that carry them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transport {
    /// From accepting a connection to its first byte, and from the first byte of a request to the
    /// end of its head.
    pub head_timeout: Duration,
    /// For a whole request body, in addition to the time that it needs at a low rate.
    pub body_timeout: Duration,
    /// Between two pieces of a request body.
    pub body_progress_timeout: Duration,
    /// For a connection on which no request is in progress.
    pub keep_alive_timeout: Duration,
    /// Limit on simultaneous connections.
    pub max_connections: usize,
    /// Limit on simultaneous connections from one address. Trusted proxies are exempt.
    pub max_connections_per_address: usize,
}

impl Default for Transport {
    fn default() -> Self {
        Self {
            head_timeout: Duration::from_secs(15),
            body_timeout: Duration::from_secs(30),
            body_progress_timeout: Duration::from_secs(10),
            // Longer than the keep-alive of common proxies (nginx 60 s, Traefik 90 s, Caddy 120 s):
            // the side that sends the next request should be the one that closes.
            keep_alive_timeout: Duration::from_secs(180),
            max_connections: 4096,
            max_connections_per_address: 1024,
        }
    }
}

/// A setting and its current value.
#[derive(Debug, Clone)]
pub struct SettingInForce {
    /// Name as the operator writes it.
    pub name: String,
    /// The value, or `***` for a secret.
    pub shown: String,
    /// Source of the value.
    pub origin: &'static str,
}

/// Shared state of all handlers.
#[derive(Clone)]
pub(crate) struct AppState {
    pub(crate) lede: Lede,
    pub(crate) settings: Arc<Settings>,
    pub(crate) limits: Arc<middleware::limits::Limits>,
    pub(crate) admission: Arc<middleware::admission::Admission>,
    pub(crate) bodies: Arc<middleware::body::BodyRules>,
    pub(crate) routes: Arc<policy::RouteTable>,
    pub(crate) set_up_code: SetUpCode,
    pub(crate) open_api: Arc<str>,
}
