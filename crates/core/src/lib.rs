//! What Lede does: the use cases, in no door's words and with no SQL.
//!
//! The parts meet here and only here: `net` fetches, `feed` reads, `store` keeps, `ai` tells
//! what it says. A use case reads like the sentence it carries out; who may ask for it and in
//! which format is the business of `doors`.

pub mod access;
pub mod accounts;
pub mod administering;
pub mod articles;
pub mod backups;
mod bounded;
pub mod clock;
mod crawl;
pub mod discover;
pub mod housekeeping;
pub mod icons;
pub mod images;
pub mod jobs;
pub mod labels;
pub mod metrics;
pub mod organising;
pub mod preferences;
pub mod proxy;
pub mod reading;
pub mod rules;
pub mod searching;
pub mod starters;
mod steps;
pub mod subscribe;
pub mod takeout;
pub mod transfer;
pub mod trial;
pub mod wake;
pub mod worker;

use std::sync::Arc;

use lede_net::Net;
use lede_store::Store;

use crate::accounts::{PasswordHasher, TokenKeys, oidc};
use crate::clock::Clock;
use crate::housekeeping::disk::Disk;
use crate::metrics::Metrics;
use crate::wake::Wake;

/// The running product: what every use case needs, cheap to clone.
#[derive(Clone)]
pub struct Lede {
    /// Where everything is kept.
    pub store: Store,
    /// Every outgoing request.
    pub net: Net,
    /// The time of day.
    pub clock: Clock,
    /// The disk of the database.
    pub disk: Disk,
    /// What the operator chose.
    pub settings: Arc<Settings>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Tells open pages what is new.
    pub wake: Wake,
    pub(crate) passwords: PasswordHasher,
    pub(crate) token_keys: Arc<TokenKeys>,
    pub(crate) providers: Arc<[oidc::Provider]>,
}

/// What the operator chose, as far as use cases care.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Who may make an account.
    pub registration: Registration,
    /// How long a session lives unused.
    pub session_idle: std::time::Duration,
    /// How long a token from `/api/auth/login` lives.
    pub login_token_life: std::time::Duration,
    /// Feeds that one person may follow.
    pub max_subscriptions: i64,
    /// Where people reach this instance; links that leave the house are built on it.
    pub base_url: lede_model::address::WebUrl,
    /// OpenID providers that people may sign in through.
    pub providers: Vec<oidc::ProviderSettings>,
    /// How soon a new feed that fails is given up.
    pub failure_policy: lede_model::schedule::FailurePolicy,
    /// How long a permanent redirect must hold before it becomes the feed's address.
    pub redirect_adopt_after: std::time::Duration,
    /// How often the worker looks for feeds that are due.
    pub fetch_interval: std::time::Duration,
    /// When articles are fetched from their pages.
    pub articles: articles::ArticleSettings,
    /// When all feeds are fetched, instead of at the intervals that people chose.
    pub timetable: Option<lede_model::timetable::Timetable>,
    /// When and where backups are made by themselves; `None`: not at all.
    pub backups: Option<backups::BackupSettings>,
    /// How long things are kept, and when the house is cleaned.
    pub retention: lede_model::retention::Retention,
    /// Whether pictures are shown through this Lede, so that publishers do not see its readers.
    pub image_proxy: images::ImageProxy,
    /// Signs tokens; when there is none, one is made and kept in the store.
    pub jwt_secret: Option<lede_model::secret::Secret>,
}

/// Who may make an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registration {
    /// Anybody who reaches the page.
    Open,
    /// Nobody after the first, who becomes administrator.
    Closed,
    /// Nobody at all: there is one owner, who is asked for a password only.
    SingleUser,
}

impl Lede {
    /// Puts the parts together.
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
        let holds = metrics.writer_hold.clone();
        store.watch_writes(move |held| holds.observe(held.as_secs_f64()));
        Ok(Self {
            store,
            net,
            clock,
            disk,
            settings: Arc::new(settings),
            metrics,
            wake: Wake::new(),
            passwords: PasswordHasher::new(),
            token_keys,
            providers,
        })
    }
}
