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
    /// Requests by route and status.
    pub http_requests: Family<RequestLabels, Counter>,
    /// Time to answer a request, by route.
    pub http_duration: Family<RouteLabels, Histogram, fn() -> Histogram>,
    /// Fetches of feeds and pages by outcome.
    pub fetches: Family<Outcome, Counter>,
    /// Duration of these fetches.
    pub fetch_latency: Histogram,
    /// Ingested items, new and changed.
    pub items_upserted: Counter,
    /// Articles fetched from their pages, by outcome.
    pub article_fetches: Family<Outcome, Counter>,
    /// Items with enough text in the feed, so that no article was fetched.
    pub articles_skipped: Counter,
    /// Duration of article fetches.
    pub article_duration: Histogram,
    /// Size of fetched article pages.
    pub article_bytes: Histogram,
    /// Items that clean-ups removed, by reason.
    pub items_removed: Family<Outcome, Counter>,
    /// Articles that clean-ups cleared.
    pub articles_cleared: Counter,
    /// Clean-ups, by outcome.
    pub cleanups: Family<Outcome, Counter>,
    /// Size of the database on its disk.
    pub database_bytes: Gauge,
    /// Time for which writes held the database's writer.
    pub writer_hold: Histogram,
    /// Sign-ins by outcome.
    pub sign_ins: Family<Outcome, Counter>,
    /// Requests refused by a rate limit, by limit.
    pub rate_limit_exceeded: Family<Outcome, Counter>,
    /// Items that the search index lacks.
    pub(crate) search_waiting: Gauge,
    jobs_waiting: Family<KindLabels, Gauge>,
    jobs_failed: Family<KindLabels, Gauge>,
    oldest_job_age: Family<KindLabels, Gauge>,
    job_runs: Family<JobLabels, Counter>,
    job_duration: Family<KindLabels, Histogram, fn() -> Histogram>,
    database_connections: Family<UseLabels, Gauge>,
    database_waiting: Family<UseLabels, Gauge>,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("lede");
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "Version of this build", version);
        let add = &mut registry;
        let by_outcome = Family::<Outcome, Counter>::default;
        Self {
            http_requests: registered(
                add,
                "http_requests",
                "Requests served, by route and status",
                Family::default(),
            ),
            http_duration: registered(
                add,
                "http_request_duration_seconds",
                "Time to answer a request, by route",
                Family::new_with_constructor(latency),
            ),
            writer_hold: registered(
                add,
                "store_writer_hold_seconds",
                "Time that a write, or a few together, held the database's writer",
                latency(),
            ),
            fetches: registered(
                add,
                "fetches",
                "Fetches of feeds and pages, by outcome",
                by_outcome(),
            ),
            fetch_latency: registered(
                add,
                "fetch_latency_seconds",
                "Time to fetch a feed or page",
                latency(),
            ),
            items_upserted: registered(
                add,
                "items_upserted",
                "Items stored, new and changed",
                Counter::default(),
            ),
            article_fetches: registered(
                add,
                "content_fetch_attempts",
                "Articles fetched from their pages, by outcome",
                by_outcome(),
            ),
            articles_skipped: registered(
                add,
                "content_fetch_skipped",
                "Items whose feed has enough text",
                Counter::default(),
            ),
            article_duration: registered(
                add,
                "content_fetch_duration_seconds",
                "Time to fetch an article's page",
                latency(),
            ),
            article_bytes: registered(
                add,
                "content_fetch_size_bytes",
                "Size of an article's page",
                Histogram::new(SIZE_BUCKETS),
            ),
            items_removed: registered(
                add,
                "items_removed",
                "Items that clean-ups removed, by age, number, unread (too old) or room",
                by_outcome(),
            ),
            articles_cleared: registered(
                add,
                "full_content_cleared",
                "Articles that clean-ups cleared",
                Counter::default(),
            ),
            cleanups: registered(add, "cleanups", "Clean-ups, by outcome", by_outcome()),
            database_bytes: registered(
                add,
                "database_bytes",
                "Size of the database on its disk",
                Gauge::default(),
            ),
            sign_ins: registered(add, "sign_ins", "Sign-ins, by outcome", by_outcome()),
            rate_limit_exceeded: registered(
                add,
                "rate_limit_exceeded",
                "Requests refused by a rate limit, by limit",
                by_outcome(),
            ),
            jobs_waiting: registered(
                add,
                "jobs_waiting",
                "Jobs that are due, by kind",
                Family::default(),
            ),
            jobs_failed: registered(
                add,
                "jobs_failed",
                "Jobs that were given up, by kind",
                Family::default(),
            ),
            job_runs: registered(
                add,
                "job_runs",
                "Attempts at jobs, by kind and outcome",
                Family::default(),
            ),
            job_duration: registered(
                add,
                "job_duration_seconds",
                "Time that attempts at jobs took, by kind",
                Family::new_with_constructor(latency),
            ),
            search_waiting: registered(
                add,
                "search_index_waiting",
                "Items that the search index lacks",
                Gauge::default(),
            ),
            oldest_job_age: registered(
                add,
                "jobs_oldest_age_seconds",
                "Time since the oldest waiting job became due, by kind",
                Family::default(),
            ),
            database_connections: registered(
                add,
                "database_connections",
                "Connections to the database, by use",
                Family::default(),
            ),
            database_waiting: registered(
                add,
                "database_requests_waiting",
                "Requests that wait for a connection to the database, by use",
                Family::default(),
            ),
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
            self.jobs_waiting.get_or_create(&labels).set(status.waiting);
            self.jobs_failed.get_or_create(&labels).set(status.failed);
            self.oldest_job_age.get_or_create(&labels).set(age);
        }
    }

    /// Counts an attempt at a job.
    pub(crate) fn job_ended(&self, kind: JobKind, outcome: &'static str) {
        let kind = kind.as_str();
        let labels = JobLabels { kind, outcome };
        self.job_runs.get_or_create(&labels).inc();
    }

    /// Records how long the handler of a job ran.
    pub(crate) fn job_took(&self, kind: JobKind, took: Duration) {
        let labels = KindLabels {
            kind: kind.as_str(),
        };
        let family = &self.job_duration;
        family.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// Sets the gauges of the connections to the database.
    pub(crate) fn set_pool(&self, pool: PoolLoad) {
        let uses = [("read", pool.reads), ("write", pool.writes)];
        for (name, load) in uses {
            let labels = UseLabels { r#use: name };
            let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
            self.database_connections
                .get_or_create(&labels)
                .set(count(load.connections));
            self.database_waiting
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
        let family = &self.items_removed;
        family
            .get_or_create(&Outcome { outcome: why })
            .inc_by(items);
    }

    /// Counts the items of a fetch.
    pub(crate) fn count_ingested(&self, taken: &Ingested) {
        self.items_upserted
            .inc_by((taken.new + taken.updated) as u64);
        self.articles_skipped
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
        Metrics::count(&metrics.sign_ins, "success");
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
