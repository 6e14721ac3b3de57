//! How fast real feeds are parsed: bytes per second of one core.
//!
//! Each document counts with the best of several rounds, which is what the work costs; the rest is
//! the noise of a machine that others use too.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use lede_model::address::WebUrl;

use crate::files_below;

const ROUNDS: usize = 40;

pub(crate) fn score(folder: &Path) -> Result<(), Box<dyn Error>> {
    let url = WebUrl::parse("http://localhost/feed")?;
    let mut documents = Vec::new();
    for file in files_below(folder)? {
        let bytes = std::fs::read(&file)?;
        if lede_feed::parse(&bytes, None, &url).is_ok() {
            documents.push(bytes);
        }
    }
    let bytes: usize = documents.iter().map(Vec::len).sum();
    let mut best = Duration::ZERO;
    let mut entries = 0;
    for document in &documents {
        let mut shortest = Duration::MAX;
        let mut found = 0;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            let feed = lede_feed::parse(document, None, &url);
            shortest = shortest.min(start.elapsed());
            found = feed.map_or(0, |feed| feed.entries.len());
        }
        best += shortest;
        entries += found;
    }
    #[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]
    let rate = bytes as f64 / best.as_secs_f64() / 1e6;
    println!(
        "speed: {} feeds, {bytes} bytes, {entries} entries, {rate:.0} MB/s",
        documents.len()
    );
    Ok(())
}
