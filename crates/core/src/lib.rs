//! Use cases of Lede, independent of any API and without SQL.
//!
//! The other crates meet only here: `net` fetches, `feed` parses, `store` persists, `ai`
//! summarises. A use case reads like the sentence it carries out. Authorisation and formats of
//! requests and responses belong to `server`.

pub mod access;
pub mod accounts;
pub mod admin;
pub mod articles;
pub mod backups;
mod batched_writes;
pub mod categories;
pub mod clock;
mod cpu_pool;
mod crawl;
pub mod discover;
pub mod icons;
pub mod images;
pub mod jobs;
pub mod labels;
pub mod live_updates;
pub mod maintenance;
pub mod metrics;
pub mod notifications;
pub mod opml;
pub mod preferences;
pub mod probe;
pub mod proxy;
pub mod reading;
pub mod rules;
pub mod search;
pub mod subscribe;
pub mod suggested_feeds;
pub mod takeout;
pub mod worker;

use std::sync::Arc;

use lede_net::Net;
use lede_store::Store;

use crate::accounts::{PasswordHasher, TokenKeys, oidc};
use crate::clock::Clock;
use crate::live_updates::LiveUpdates;
use crate::maintenance::disk::Disk;
use crate::metrics::Metrics;

/// Everything that use cases need; cheap to clone.
#[derive(Clone)]
pub struct Lede {
    pub store: Store,
    /// Sends every outgoing request.
    pub net: Net,
    pub clock: Clock,
    pub disk: Disk,
    pub settings: Arc<Settings>,
    pub metrics: Arc<Metrics>,
    /// Notifies open pages of new items.
    pub live_updates: LiveUpdates,
    pub(crate) passwords: PasswordHasher,
    pub(crate) token_keys: Arc<TokenKeys>,
    pub(crate) providers: Arc<[oidc::Provider]>,
}

/// Settings of the operator that use cases depend on.
#[derive(Debug, Clone)]
pub struct Settings {
    pub registration: Registration,
    /// Time without use after which a session ends.
    pub session_idle: std::time::Duration,
    /// Lifetime of a token from `/api/auth/login`.
    pub login_token_life: std::time::Duration,
    /// Feeds that one user may follow.
    pub max_subscriptions: i64,
    /// Public address of this instance; links for use outside of it start with this.
    pub base_url: lede_model::address::WebUrl,
    /// OpenID providers for sign-in.
    pub providers: Vec<oidc::ProviderSettings>,
    /// Decides how soon a new feed that fails is given up.
    pub failure_policy: lede_model::schedule::FailurePolicy,
    /// Time that a permanent redirect must last before it becomes the feed's address.
    pub redirect_adopt_after: std::time::Duration,
    /// Interval at which the worker looks for due feeds.
    pub fetch_interval: std::time::Duration,
    /// Conditions for fetching articles from their pages.
    pub articles: articles::ArticleSettings,
    /// Schedule for all feeds, which replaces the intervals that users chose.
    pub timetable: Option<lede_model::timetable::Timetable>,
    /// Schedule and location of automatic backups; `None` disables them.
    pub backups: Option<backups::BackupSettings>,
    /// Retention periods, and the hour of the clean-up.
    pub retention: lede_model::retention::Retention,
    /// Images served through the proxy, so that publishers do not see users.
    pub image_proxy: images::ImageProxy,
    /// Signs tokens. If `None`, a secret is generated and stored.
    pub jwt_secret: Option<lede_model::secret::Secret>,
}

/// Policy for the creation of accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registration {
    /// Anyone who reaches the registration page.
    Open,
    /// Only the first user, who becomes administrator; administrators add others.
    Closed,
    /// No one: there is a single owner, who signs in with a password only.
    SingleUser,
}

impl Lede {
    /// Assembles the parts and loads the token keys from the store.
    pub async fn new(
        store: Store,
        net: Net,
        clock: Clock,
        disk: Disk,
        settings: Settings,
    ) -> lede_store::StoreResult<Self> {
        let token_keys = Arc::new(TokenKeys::load(&store, settings.jwt_secret.as_ref()).await?);
        let providers = settings
            .providers
            .iter()
            .cloned()
            .map(oidc::Provider::new)
            .collect();
        let metrics = Arc::new(Metrics::new());
        let holds = metrics.database.writer_hold.clone();
        store.watch_writes(move |held| holds.observe(held.as_secs_f64()));
        Ok(Self {
            store,
            net,
            clock,
            disk,
            settings: Arc::new(settings),
            metrics,
            live_updates: LiveUpdates::new(),
            passwords: PasswordHasher::new(),
            token_keys,
            providers,
        })
    }
}
