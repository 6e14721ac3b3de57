//! Metrics, under the names that dashboards rely on.
//!
//! No label has unbounded values: no user, address, URL or feed.

use std::time::Duration;

use lede_model::job::JobKind;
use lede_model::time::Timestamp;
use lede_store::PoolLoad;
use lede_store::ingest::Ingested;
use lede_store::jobs::KindStatus;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Metric, Registry};

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

/// Labels of a served request: the pattern of its route, never its path.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct RequestLabels {
    /// `GET`, `POST` …; anything unusual is `other`.
    pub method: &'static str,
    /// A pattern such as `/api/items/{id}`.
    pub route: String,
    pub status: u16,
}

/// Labels of a route, for its latency.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct RouteLabels {
    pub method: &'static str,
    pub route: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct KindLabels {
    kind: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct JobLabels {
    kind: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct UseLabels {
    /// `read` or `write`.
    r#use: &'static str,
}

/// An outcome, as one word of a closed list.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct Outcome {
    /// `success`, or the kind of the error.
    pub outcome: &'static str,
}

/// All metrics of the process.
pub struct Metrics {
    registry: Registry,
    pub http: HttpMetrics,
    pub(crate) fetches: FetchMetrics,
    pub(crate) articles: ArticleMetrics,
    pub(crate) cleanups: CleanupMetrics,
    pub(crate) database: DatabaseMetrics,
    pub(crate) jobs: JobMetrics,
}

/// Metrics of served requests.
pub struct HttpMetrics {
    /// By route and status.
    pub requests: Family<RequestLabels, Counter>,
    /// Time to answer a request, by route.
    pub duration: Family<RouteLabels, Histogram, fn() -> Histogram>,
    pub sign_ins: Family<Outcome, Counter>,
    /// Requests refused by a rate limit, by limit.
    pub rate_limited: Family<Outcome, Counter>,
}

impl HttpMetrics {
    fn new(registry: &mut Registry) -> Self {
        Self {
            requests: registered(
                registry,
                "http_requests",
                "Requests served, by route and status",
                Family::default(),
            ),
            duration: registered(
                registry,
                "http_request_duration_seconds",
                "Time to answer a request, by route",
                Family::new_with_constructor(latency),
            ),
            sign_ins: registered(
                registry,
                "sign_ins",
                "Sign-ins, by outcome",
                Family::default(),
            ),
            rate_limited: registered(
                registry,
                "rate_limit_exceeded",
                "Requests refused by a rate limit, by limit",
                Family::default(),
            ),
        }
    }
}

/// Metrics of fetches of feeds and of the pages that are searched for feeds.
pub(crate) struct FetchMetrics {
    pub(crate) outcomes: Family<Outcome, Counter>,
    pub(crate) latency: Histogram,
    /// Ingested items, new and changed.
    items_upserted: Counter,
}

impl FetchMetrics {
    fn new(registry: &mut Registry) -> Self {
        Self {
            outcomes: registered(
                registry,
                "fetches",
                "Fetches of feeds and pages, by outcome",
                Family::default(),
            ),
            latency: registered(
                registry,
                "fetch_latency_seconds",
                "Time to fetch a feed or page",
                latency(),
            ),
            items_upserted: registered(
                registry,
                "items_upserted",
                "Items stored, new and changed",
                Counter::default(),
            ),
        }
    }
}

/// Metrics of articles fetched from their pages.
pub(crate) struct ArticleMetrics {
    pub(crate) outcomes: Family<Outcome, Counter>,
    /// Items with enough text in the feed, so that no article was fetched.
    skipped: Counter,
    pub(crate) duration: Histogram,
    pub(crate) bytes: Histogram,
}

impl ArticleMetrics {
    fn new(registry: &mut Registry) -> Self {
        Self {
            outcomes: registered(
                registry,
                "content_fetch_attempts",
                "Articles fetched from their pages, by outcome",
                Family::default(),
            ),
            skipped: registered(
                registry,
                "content_fetch_skipped",
                "Items whose feed has enough text",
                Counter::default(),
            ),
            duration: registered(
                registry,
                "content_fetch_duration_seconds",
                "Time to fetch an article's page",
                latency(),
            ),
            bytes: registered(
                registry,
                "content_fetch_size_bytes",
                "Size of an article's page",
                Histogram::new(SIZE_BUCKETS),
            ),
        }
    }
}

/// Metrics of the daily clean-up.
pub(crate) struct CleanupMetrics {
    pub(crate) outcomes: Family<Outcome, Counter>,
    /// By reason.
    items_removed: Family<Outcome, Counter>,
    pub(crate) articles_cleared: Counter,
}

impl CleanupMetrics {
    fn new(registry: &mut Registry) -> Self {
        Self {
            outcomes: registered(
                registry,
                "cleanups",
                "Clean-ups, by outcome",
                Family::default(),
            ),
            items_removed: registered(
                registry,
                "items_removed",
                "Items that clean-ups removed, by age, number, unread (too old) or room",
                Family::default(),
            ),
            articles_cleared: registered(
                registry,
                "full_content_cleared",
                "Articles that clean-ups cleared",
                Counter::default(),
            ),
        }
    }
}

/// Metrics of the store.
pub(crate) struct DatabaseMetrics {
    /// Size on disk.
    pub(crate) bytes: Gauge,
    /// Time for which writes held the database's writer.
    pub(crate) writer_hold: Histogram,
    connections: Family<UseLabels, Gauge>,
    /// Requests without a connection.
    waiting: Family<UseLabels, Gauge>,
}

impl DatabaseMetrics {
    fn new(registry: &mut Registry) -> Self {
        Self {
            bytes: registered(
                registry,
                "database_bytes",
                "Size of the database on its disk",
                Gauge::default(),
            ),
            writer_hold: registered(
                registry,
                "store_writer_hold_seconds",
                "Time that a write, or a few together, held the database's writer",
                latency(),
            ),
            connections: registered(
                registry,
                "database_connections",
                "Connections to the database, by use",
                Family::default(),
            ),
            waiting: registered(
                registry,
                "database_requests_waiting",
                "Requests that wait for a connection to the database, by use",
                Family::default(),
            ),
        }
    }
}

/// Metrics of jobs, by kind, and of the search index, which has a queue of its own.
pub(crate) struct JobMetrics {
    waiting: Family<KindLabels, Gauge>,
    failed: Family<KindLabels, Gauge>,
    oldest_age: Family<KindLabels, Gauge>,
    runs: Family<JobLabels, Counter>,
    duration: Family<KindLabels, Histogram, fn() -> Histogram>,
    /// Items that the search index lacks.
    pub(crate) search_waiting: Gauge,
}

impl JobMetrics {
    fn new(registry: &mut Registry) -> Self {
        Self {
            waiting: registered(
                registry,
                "jobs_waiting",
                "Jobs that are due, by kind",
                Family::default(),
            ),
            failed: registered(
                registry,
                "jobs_failed",
                "Jobs that were given up, by kind",
                Family::default(),
            ),
            oldest_age: registered(
                registry,
                "jobs_oldest_age_seconds",
                "Time since the oldest waiting job became due, by kind",
                Family::default(),
            ),
            runs: registered(
                registry,
                "job_runs",
                "Attempts at jobs, by kind and outcome",
                Family::default(),
            ),
            duration: registered(
                registry,
                "job_duration_seconds",
                "Time that attempts at jobs took, by kind",
                Family::new_with_constructor(latency),
            ),
            search_waiting: registered(
                registry,
                "search_index_waiting",
                "Items that the search index lacks",
                Gauge::default(),
            ),
        }
    }
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("lede");
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "Version of this build", version);
        Self {
            http: HttpMetrics::new(&mut registry),
            fetches: FetchMetrics::new(&mut registry),
            articles: ArticleMetrics::new(&mut registry),
            cleanups: CleanupMetrics::new(&mut registry),
            database: DatabaseMetrics::new(&mut registry),
            jobs: JobMetrics::new(&mut registry),
            registry,
        }
    }

    /// Sets the gauges that are read from the store. Called when metrics are requested, so that
    /// they cost nothing otherwise. `kinds` has every kind, so that one without jobs reports 0 and
    /// does not vanish.
    pub(crate) fn set_jobs(&self, kinds: &[KindStatus], now: Timestamp) {
        for status in kinds {
            let labels = KindLabels {
                kind: status.kind.as_str(),
            };
            let age = status.oldest_at.map_or(0, |at| now.since(at).as_secs());
            let age = i64::try_from(age).unwrap_or(i64::MAX);
            self.jobs.waiting.get_or_create(&labels).set(status.waiting);
            self.jobs.failed.get_or_create(&labels).set(status.failed);
            self.jobs.oldest_age.get_or_create(&labels).set(age);
        }
    }

    /// Counts an attempt at a job.
    pub(crate) fn job_ended(&self, kind: JobKind, outcome: &'static str) {
        let kind = kind.as_str();
        let labels = JobLabels { kind, outcome };
        self.jobs.runs.get_or_create(&labels).inc();
    }

    /// Records how long the handler of a job ran.
    pub(crate) fn job_took(&self, kind: JobKind, took: Duration) {
        let labels = KindLabels {
            kind: kind.as_str(),
        };
        let family = &self.jobs.duration;
        family.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// Sets the gauges of the connections to the database.
    pub(crate) fn set_pool(&self, pool: PoolLoad) {
        let uses = [("read", pool.reads), ("write", pool.writes)];
        for (name, load) in uses {
            let labels = UseLabels { r#use: name };
            let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
            self.database
                .connections
                .get_or_create(&labels)
                .set(count(load.connections));
            self.database
                .waiting
                .get_or_create(&labels)
                .set(count(load.waiting));
        }
    }

    /// Increments the counter of `outcome`.
    pub fn count(family: &Family<Outcome, Counter>, outcome: &'static str) {
        family.get_or_create(&Outcome { outcome }).inc();
    }

    /// Counts items that a clean-up removed.
    pub(crate) fn removed(&self, why: &'static str, items: u64) {
        let family = &self.cleanups.items_removed;
        family
            .get_or_create(&Outcome { outcome: why })
            .inc_by(items);
    }

    /// Counts the items of a fetch.
    pub(crate) fn count_ingested(&self, taken: &Ingested) {
        self.fetches
            .items_upserted
            .inc_by((taken.new + taken.updated) as u64);
        self.articles
            .skipped
            .inc_by(taken.articles_not_needed as u64);
    }

    /// Renders all metrics as OpenMetrics 1.0 text.
    pub fn open_metrics(&self) -> String {
        let mut text = String::new();
        // Writing into a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }

    /// Renders all metrics as Prometheus text 0.0.4, which every scraper reads.
    pub fn prometheus_text(&self) -> String {
        prometheus_text(&self.open_metrics())
    }
}

fn latency() -> Histogram {
    Histogram::new(LATENCY_BUCKETS)
}

fn registered<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}

/// Converts OpenMetrics to Prometheus text 0.0.4. The samples are the same; in 0.0.4 the metadata
/// of a counter has the name of its samples (`…_total`), an info metric is a gauge (`…_info`), and
/// units and the end are not marked.
fn prometheus_text(open_metrics: &str) -> String {
    let mut text = String::with_capacity(open_metrics.len());
    let mut help = "";
    for line in open_metrics.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            // Written together with the type, which comes next and decides the name.
            help = rest;
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap_or((rest, "untyped"));
            let (suffix, kind) = match kind {
                "counter" => ("_total", "counter"),
                "info" => ("_info", "gauge"),
                "unknown" => ("", "untyped"),
                other => ("", other),
            };
            let words = help.split_once(' ').map_or("", |(_, words)| words);
            let words = words.strip_suffix('.').unwrap_or(words);
            text.push_str(&format!(
                "# HELP {name}{suffix} {words}\n# TYPE {name}{suffix} {kind}\n"
            ));
        } else if !line.starts_with('#') {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_texts_name_counters_and_info_as_their_format_wants() {
        let metrics = Metrics::new();
        Metrics::count(&metrics.http.sign_ins, "success");
        let open = metrics.open_metrics();
        assert!(open.contains("# TYPE lede_sign_ins counter\n"));
        assert!(open.contains("# TYPE lede_build info\n"));
        assert!(open.ends_with("# EOF\n"));
        let plain = metrics.prometheus_text();
        assert!(plain.contains(
            "# HELP lede_sign_ins_total Sign-ins, by outcome\n# TYPE lede_sign_ins_total counter\n"
        ));
        assert!(plain.contains("lede_sign_ins_total{outcome=\"success\"} 1\n"));
        assert!(plain.contains("# TYPE lede_build_info gauge\nlede_build_info{version="));
        assert!(!plain.contains("# EOF"));
    }
}
