//! Throughput of parsing real feeds and cleaning their entries, in bytes per second of one core.
//!
//! Each document counts with the best of several rounds, which is the cost of the work; the rest is
//! noise of a shared machine. Candidates that are compared with each other take turns on the same document.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use lede_feed::clean::{self, RawItem};
use lede_feed::{ParsedFeed, TextKind};
use lede_model::address::WebUrl;
use lede_model::time::Timestamp;

use crate::files_below;

const PARSE_ROUNDS: usize = 40;
const CLEAN_ROUNDS: usize = 10;

pub(crate) fn score(folder: &Path) -> Result<(), Box<dyn Error>> {
    let url = WebUrl::parse("http://localhost/feed")?;
    let mut documents = Vec::new();
    for file in files_below(folder)? {
        let bytes = std::fs::read(&file)?;
        if let Ok(feed) = lede_feed::parse(&bytes, None, &url) {
            documents.push((bytes, feed));
        }
    }
    parsing(&documents, &url);
    cleaning(&documents, &url);
    Ok(())
}

fn parsing(documents: &[(Vec<u8>, ParsedFeed)], url: &WebUrl) {
    let bytes: usize = documents.iter().map(|(bytes, _)| bytes.len()).sum();
    let entries: usize = documents.iter().map(|(_, feed)| feed.entries.len()).sum();
    let mut best = Duration::ZERO;
    for (document, _) in documents {
        let mut shortest = Duration::MAX;
        for _ in 0..PARSE_ROUNDS {
            let start = Instant::now();
            black_box(lede_feed::parse(black_box(document), None, url)).ok();
            shortest = shortest.min(start.elapsed());
        }
        best += shortest;
    }
    println!(
        "parsing: {} feeds, {bytes} bytes, {entries} entries, {:.0} MB/s",
        documents.len(),
        rate(bytes, best)
    );
}

/// Times three functions on the same bodies: the cleaner, ammonia, which does less (it has its own
/// lists and leaves relative addresses alone), and the whole processing of an entry.
fn cleaning(documents: &[(Vec<u8>, ParsedFeed)], url: &WebUrl) {
    let (mut bodies, mut bytes) = (0, 0);
    let mut best = [Duration::ZERO; 3];
    for entry in documents.iter().flat_map(|(_, feed)| &feed.entries) {
        let mut texts = entry.content.iter().chain(&entry.summary);
        let Some(text) = texts.find(|text| text.kind != TextKind::Plain) else {
            continue;
        };
        let raw = RawItem {
            guid: entry.id.as_deref(),
            url: entry.link.as_deref(),
            title: entry.title.as_ref().map_or("", |title| &title.value),
            html: &text.value,
            is_html: true,
            ..RawItem::default()
        };
        let page = entry.link.as_deref().and_then(|at| WebUrl::parse(at).ok());
        let base = page.as_ref().unwrap_or(url);
        let mut shortest = [Duration::MAX; 3];
        for _ in 0..CLEAN_ROUNDS {
            let took = [
                time(|| clean::html(black_box(raw.html), Some(base))),
                time(|| ammonia::clean(black_box(raw.html))),
                time(|| clean::item(black_box(raw), url, Timestamp::from_seconds(0))),
            ];
            for (shortest, took) in shortest.iter_mut().zip(took) {
                *shortest = (*shortest).min(took);
            }
        }
        for (best, shortest) in best.iter_mut().zip(shortest) {
            *best += shortest;
        }
        bodies += 1;
        bytes += raw.html.len();
    }
    let [ours, theirs, whole] = best.map(|best| rate(bytes, best));
    println!(
        "cleaning: {bodies} bodies, {bytes} bytes, clean {ours:.1} MB/s, ammonia {theirs:.1} MB/s, \
         ratio {:.2}",
        ours / theirs
    );
    println!("  whole items (text, excerpt, hash): {whole:.1} MB/s");
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn rate(bytes: usize, took: Duration) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]
    let bytes = bytes as f64;
    bytes / took.as_secs_f64() / 1e6
}
