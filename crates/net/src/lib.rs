//! All outgoing requests of Lede.
//!
//! Exactly one crate opens connections, so exactly one place decides where they may go and how long
//! and large they may get. `guard` holds the rules, `connect` applies them to the address that is
//! really connected to, `fetch` does the conditional GET of feeds, pages and images, `pace` limits
//! the request rate, and `peer` calls services that the operator configured.
//!
//! It is built on hyper's client with our own connector instead of a ready-made HTTP client. Those
//! skip their resolver hook for literal addresses, have one time limit where we want one per phase,
//! hide the number of bytes received before decompression, and do not limit headers.
//!
//! There are no cookies, no proxies from the environment and no clock here: dates in headers are
//! compared with the server's own `Date`.

mod body;
mod cache_headers;
mod connect;
mod error;
mod fetch;
mod guard;
mod http_exchange;
mod pace;
mod resolve;
mod service_client;
mod settings;

use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use lede_model::address::WebUrl;
pub use rustls_pki_types::CertificateDer;

pub use crate::cache_headers::{CacheHints, Conditions};
pub use crate::error::{BotWall, FetchError, Oversize, Phase, TlsProblem};
pub use crate::fetch::{Fetched, MemoryPermit, Outcome};
pub use crate::guard::{AllowList, AllowListError, Refusal, verdict};
pub use crate::resolve::{Resolve, SystemResolver};
pub use crate::service_client::{ServiceClient, ServiceLimits, ServiceTrust};
pub use crate::settings::{Limits, Purpose, Settings, SettingsError};

use crate::guard::Ports;
use crate::http_exchange::{Exchange, tls_config};
use crate::pace::{Pace, PaceLimits};

/// Maximum number of concurrent requests to one site.
const PER_SITE: usize = 2;
/// Requests that may wait for a response at a time, for each body that may be received and in
/// total. This is enough that many dead sites do not delay the others, and fewer than the files
/// that a process may have open.
const WAITING_PER_FETCH: usize = 16;
const MOST_WAITING: usize = 500;
/// Maximum wait of a crawl request for its turn; the worker has other feeds to fetch meanwhile.
const CRAWL_PATIENCE: Duration = Duration::from_secs(60);
/// Images are fetched while a user looks at the page, as a browser would do it: several at once and
/// without a pause, but bounded.
const PICTURES: PaceLimits = PaceLimits {
    interval: Duration::ZERO,
    per_lane: 6,
    overall: 24,
    receiving: 24,
    patience: Duration::from_secs(10),
};

/// Discovering the feed of a site takes a handful of requests while a user waits: at the crawl's
/// pace of one request in three seconds that would be half a minute. The number of requests per
/// search is bounded by the caller, the number of searches by the rate limit on adding feeds.
const DISCOVERIES: PaceLimits = PaceLimits {
    interval: Duration::from_millis(250),
    per_lane: 2,
    overall: 8,
    receiving: 8,
    patience: Duration::from_secs(10),
};

/// Client for outgoing requests. Cheap to clone; all clones share connections and pace.
#[derive(Clone)]
pub struct Net {
    shared: Arc<Shared>,
}

struct Shared {
    settings: Settings,
    feed: Exchange,
    web: Exchange,
    peer: ServiceClient,
    crawl: Pace,
    pictures: Pace,
    discoveries: Pace,
}

impl Net {
    /// Creates a client that uses the system's resolver.
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        Self::with_resolver(settings, Arc::new(SystemResolver))
    }

    /// Creates a client with another resolver. Every address that it returns is checked all the
    /// same.
    pub fn with_resolver(
        settings: Settings,
        resolver: Arc<dyn Resolve>,
    ) -> Result<Self, SettingsError> {
        settings.check()?;
        let tls = Arc::new(tls_config(&settings.extra_roots)?);
        let exchange = |ports, allow| Exchange::new(ports, allow, resolver.clone(), tls.clone());
        let everywhere = &settings.allow;
        let webhooks = everywhere.clone().and(settings.webhook_allow.clone());
        let user_agent =
            HeaderValue::from_str(&settings.user_agent).map_err(|_| SettingsError::UserAgent)?;
        let shared = Shared {
            feed: exchange(Ports::Feed, everywhere.clone()),
            web: exchange(Ports::Web, everywhere.clone()),
            peer: ServiceClient {
                operator: exchange(Ports::Any, everywhere.clone()),
                webhook: exchange(Ports::Web, webhooks),
                user_agent,
            },
            crawl: Pace::new(PaceLimits {
                interval: settings.host_interval,
                per_lane: PER_SITE,
                overall: (settings.max_concurrent * WAITING_PER_FETCH).min(MOST_WAITING),
                receiving: settings.max_concurrent,
                patience: CRAWL_PATIENCE,
            }),
            pictures: Pace::new(PICTURES),
            discoveries: Pace::new(PaceLimits {
                interval: DISCOVERIES.interval.min(settings.host_interval),
                ..DISCOVERIES
            }),
            settings,
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// Returns the settings of this client; the admin status shows the allow-list from here.
    pub fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// Refuses a URL that is forbidden by its host name, literal address or port. Resolved
    /// addresses and redirects are checked when it is fetched.
    pub fn screen(&self, url: &WebUrl, purpose: Purpose) -> Result<(), FetchError> {
        Ok(self.exchange(purpose).screen(url)?)
    }

    fn exchange(&self, purpose: Purpose) -> &Exchange {
        match purpose.ports() {
            Ports::Feed => &self.shared.feed,
            Ports::Web | Ports::Any => &self.shared.web,
        }
    }

    fn pace(&self, purpose: Purpose) -> &Pace {
        match purpose {
            Purpose::Image => &self.shared.pictures,
            Purpose::Discovery | Purpose::Proxy | Purpose::List => &self.shared.discoveries,
            Purpose::Feed | Purpose::Page | Purpose::Icon => &self.shared.crawl,
        }
    }

    fn peer_ref(&self) -> &ServiceClient {
        &self.shared.peer
    }
}
