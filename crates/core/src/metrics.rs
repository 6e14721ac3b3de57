//! What is counted, under the names that dashboards rely on.
//!
//! No label has unbounded values: no user, address, URL or feed (hardening 7.6).

use lede_store::intake::TakenIn;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

/// Bounds of latencies in seconds, from a cached read to a slow feed.
const LATENCY_BUCKETS: [f64; 11] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 20.0,
];

/// Bounds of page sizes in bytes.
const SIZE_BUCKETS: [f64; 6] = [
    4096.0,
    16384.0,
    65536.0,
    262_144.0,
    1_048_576.0,
    10_485_760.0,
];

/// A served request: its route's pattern, never its path.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct RequestLabels {
    /// `GET`, `POST` …; anything unusual is `other`.
    pub method: &'static str,
    /// `/api/items/{id}`.
    pub route: String,
    /// The status.
    pub status: u16,
}

/// How something went, in one word of a closed list.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct Outcome {
    /// `success`, or the kind of the error.
    pub outcome: &'static str,
}

/// Every metric of the house.
pub struct Metrics {
    registry: Registry,
    /// Requests by route and status.
    pub http_requests: Family<RequestLabels, Counter>,
    /// How long they took.
    pub http_duration: Histogram,
    /// Fetches of feeds and pages by outcome.
    pub fetches: Family<Outcome, Counter>,
    /// How long they took.
    pub fetch_latency: Histogram,
    /// Items taken in, new and changed.
    pub items_upserted: Counter,
    /// Articles fetched from their pages, by outcome.
    pub article_fetches: Family<Outcome, Counter>,
    /// Items whose feed said enough, so that no article was fetched.
    pub articles_skipped: Counter,
    /// How long articles' pages took.
    pub article_duration: Histogram,
    /// How large they were.
    pub article_bytes: Histogram,
    /// Items that clean-ups removed, by why.
    pub items_removed: Family<Outcome, Counter>,
    /// Articles that clean-ups cleared.
    pub articles_cleared: Counter,
    /// Clean-ups, by outcome.
    pub cleanups: Family<Outcome, Counter>,
    /// Size of the database on its disk.
    pub database_bytes: Gauge,
    /// How long writes held the database's writer.
    pub writer_hold: Histogram,
    /// Sign-ins by outcome.
    pub sign_ins: Family<Outcome, Counter>,
    /// Requests refused by a rate limit, by which limit.
    pub rate_limit_exceeded: Family<Outcome, Counter>,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("lede");
        registry.register(
            "build",
            "Version of this Lede",
            Info::new([("version", env!("CARGO_PKG_VERSION"))]),
        );
        let latency = || Histogram::new(LATENCY_BUCKETS);
        let metrics = Self {
            http_requests: Family::default(),
            http_duration: latency(),
            fetches: Family::default(),
            fetch_latency: latency(),
            items_upserted: Counter::default(),
            article_fetches: Family::default(),
            articles_skipped: Counter::default(),
            article_duration: latency(),
            article_bytes: Histogram::new(SIZE_BUCKETS),
            items_removed: Family::default(),
            articles_cleared: Counter::default(),
            cleanups: Family::default(),
            database_bytes: Gauge::default(),
            writer_hold: latency(),
            sign_ins: Family::default(),
            rate_limit_exceeded: Family::default(),
            registry: Registry::default(),
        };
        registry.register(
            "http_requests",
            "Requests served, by route and status",
            metrics.http_requests.clone(),
        );
        registry.register(
            "http_request_duration_seconds",
            "Time to answer a request",
            metrics.http_duration.clone(),
        );
        registry.register(
            "store_writer_hold_seconds",
            "Time that a write, or a few together, held the database's writer",
            metrics.writer_hold.clone(),
        );
        registry.register(
            "fetches",
            "Fetches of feeds and pages, by outcome",
            metrics.fetches.clone(),
        );
        registry.register(
            "fetch_latency_seconds",
            "Time to fetch a feed or page",
            metrics.fetch_latency.clone(),
        );
        registry.register(
            "items_upserted",
            "Items taken in, new and changed",
            metrics.items_upserted.clone(),
        );
        registry.register(
            "content_fetch_attempts",
            "Articles fetched from their pages, by outcome",
            metrics.article_fetches.clone(),
        );
        registry.register(
            "content_fetch_skipped",
            "Items whose feed said enough",
            metrics.articles_skipped.clone(),
        );
        registry.register(
            "content_fetch_duration_seconds",
            "Time to fetch an article's page",
            metrics.article_duration.clone(),
        );
        registry.register(
            "content_fetch_size_bytes",
            "Size of an article's page",
            metrics.article_bytes.clone(),
        );
        registry.register(
            "items_removed",
            "Items that clean-ups removed, by age, number, unread (too old) or room",
            metrics.items_removed.clone(),
        );
        registry.register(
            "full_content_cleared",
            "Articles that clean-ups cleared",
            metrics.articles_cleared.clone(),
        );
        registry.register(
            "cleanups",
            "Clean-ups, by outcome",
            metrics.cleanups.clone(),
        );
        registry.register(
            "database_bytes",
            "Size of the database on its disk",
            metrics.database_bytes.clone(),
        );
        registry.register("sign_ins", "Sign-ins, by outcome", metrics.sign_ins.clone());
        registry.register(
            "rate_limit_exceeded",
            "Requests refused by a rate limit, by limit",
            metrics.rate_limit_exceeded.clone(),
        );
        Self {
            registry,
            ..metrics
        }
    }

    /// Counts one thing that went as `outcome` says.
    pub fn count(family: &Family<Outcome, Counter>, outcome: &'static str) {
        family.get_or_create(&Outcome { outcome }).inc();
    }

    /// Counts items that a clean-up removed.
    pub(crate) fn removed(&self, why: &'static str, items: u64) {
        let family = &self.items_removed;
        family
            .get_or_create(&Outcome { outcome: why })
            .inc_by(items);
    }

    /// Counts what a fetch brought.
    pub(crate) fn took_in(&self, taken: &TakenIn) {
        self.items_upserted
            .inc_by((taken.new + taken.updated) as u64);
        self.articles_skipped.inc_by(taken.said_enough as u64);
    }

    /// Everything as OpenMetrics text.
    pub fn render(&self) -> String {
        let mut text = String::new();
        // Writing into a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
