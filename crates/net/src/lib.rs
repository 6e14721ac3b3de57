//! Every outgoing request of Lede.
//!
//! Exactly one crate opens connections, so exactly one place decides where they may go and how
//! long and large they may get (hardening 1.1). `guard` holds the rules, `connect` applies them to
//! the address that is really connected to, `fetch` does the conditional GET of feeds, pages and
//! pictures, `pace` keeps it polite, and `peer` talks to what the operator configured.
//!
//! It is built on hyper's client with our own connector rather than on a ready-made HTTP client.
//! Those skip their resolver hook for literal addresses, have one time limit where we want one per
//! phase, hide how many bytes came over the wire before unpacking, and do not bound headers.
//!
//! There are no cookies, no proxies taken from the environment and no clock here: dates in headers
//! are compared with the server's own.

mod body;
mod connect;
mod error;
mod exchange;
mod fetch;
mod guard;
mod hints;
mod pace;
mod peer;
mod resolve;
mod settings;

use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use lede_model::address::WebUrl;
pub use rustls_pki_types::CertificateDer;

pub use crate::error::{BotWall, FetchError, Oversize, Phase, TlsProblem};
pub use crate::fetch::{Fetched, Outcome, Room};
pub use crate::guard::{AllowList, AllowListError, Refusal, verdict};
pub use crate::hints::{CacheHints, Conditions};
pub use crate::peer::{Peer, PeerLimits, Trust};
pub use crate::resolve::{Resolve, SystemResolver};
pub use crate::settings::{Limits, Purpose, Settings, SettingsError};

use crate::exchange::{Exchange, tls_config};
use crate::guard::Ports;
use crate::pace::{Pace, PaceLimits};

/// Requests to one site at a time (hardening 2.7).
const PER_SITE: usize = 2;
/// Requests that may wait for an answer at a time, for each body that may be received and at most:
/// enough that a library with many dead sites is not held up by them, and fewer than the files
/// that a process may have open.
const WAITING_PER_FETCH: usize = 16;
const MOST_WAITING: usize = 500;
/// A worker that would wait longer than this for its turn has better things to do.
const CRAWL_PATIENCE: Duration = Duration::from_secs(60);
/// Pictures are fetched while somebody looks at the page, as a browser would: several at once and
/// without a pause, but bounded.
const PICTURES: PaceLimits = PaceLimits {
    interval: Duration::ZERO,
    per_lane: 6,
    overall: 24,
    receiving: 24,
    patience: Duration::from_secs(10),
};

/// Looking for a site's feed takes a handful of requests while somebody waits: at the crawl's pace of
/// one in three seconds they would wait for half a minute. How many requests one search may make is
/// bounded by whoever searches, and how many searches by the limit on adding feeds.
const DISCOVERIES: PaceLimits = PaceLimits {
    interval: Duration::from_millis(250),
    per_lane: 2,
    overall: 8,
    receiving: 8,
    patience: Duration::from_secs(10),
};

/// The way out. Cheap to clone; all clones share connections and pace.
#[derive(Clone)]
pub struct Net {
    shared: Arc<Shared>,
}

struct Shared {
    settings: Settings,
    feed: Exchange,
    web: Exchange,
    peer: Peer,
    crawl: Pace,
    pictures: Pace,
    discoveries: Pace,
}

impl Net {
    /// Sets out with the system's resolver.
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        Self::with_resolver(settings, Arc::new(SystemResolver))
    }

    /// Sets out with another resolver; every address it gives is checked all the same.
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
            peer: Peer {
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

    /// What this was made with; the admin status shows the allow-list from here.
    pub fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// Refuses what is forbidden by its written form; what it leads to is judged when it is fetched.
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

    fn peer_ref(&self) -> &Peer {
        &self.shared.peer
    }
}
