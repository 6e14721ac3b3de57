//! Attack strings, in files that are JSON arrays: checks the result of cleaning each.

use std::error::Error;
use std::path::{Path, PathBuf};

use lede_feed::clean;
use lede_model::address::WebUrl;

/// The auditor of the cleaner's own tests. It has a second, independent copy of the allow-lists and
/// uses another parser.
#[path = "../../../crates/feed/src/clean/tests/audit.rs"]
mod audit;

/// Results of the payloads of one file.
#[derive(Default)]
struct Score {
    /// Payloads that leave something that is not on the allow-lists.
    unclean: usize,
    /// Payloads whose cleaned form changes when it is cleaned again, with a base or without.
    unsettled: usize,
    panics: usize,
    misses: Vec<String>,
}

pub(crate) fn is_corpus(folder: &Path) -> Result<bool, std::io::Error> {
    Ok(!payloads_in(folder)?.is_empty())
}

/// Returns the files of payloads in `folder`, with their payloads.
fn payloads_in(folder: &Path) -> Result<Vec<(PathBuf, Vec<String>)>, std::io::Error> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|kind| kind == "json")
            && let Ok(payloads) = serde_json::from_slice(&std::fs::read(&path)?)
        {
            found.push((path, payloads));
        }
    }
    found.sort();
    Ok(found)
}

/// Cleans every payload. Fails if the result of one is not clean or not stable, or if cleaning panicked.
pub(crate) fn score(folder: &Path, misses: bool) -> Result<(), Box<dyn Error>> {
    let base = WebUrl::parse("https://example.org/posts/1")?;
    println!("xss                       payloads  off the lists  unsettled  panics");
    let mut bad = 0;
    for (file, payloads) in payloads_in(folder)? {
        let score = audited(&payloads, &base);
        println!(
            "  {:<25} {:>6} {:>14} {:>10} {:>7}",
            file.file_name().unwrap_or_default().to_string_lossy(),
            payloads.len(),
            score.unclean,
            score.unsettled,
            score.panics
        );
        if misses {
            score.misses.iter().for_each(|miss| println!("  {miss}"));
        }
        bad += score.unclean + score.unsettled + score.panics;
    }
    if bad > 0 {
        return Err(format!("{bad} payloads were not cleaned for good").into());
    }
    Ok(())
}

fn audited(payloads: &[String], base: &WebUrl) -> Score {
    let mut score = Score::default();
    for payload in payloads {
        for base in [Some(base), None] {
            let Ok(once) = std::panic::catch_unwind(|| clean::html(payload, base)) else {
                score.panics += 1;
                score.misses.push(format!("panic: {payload:?}"));
                continue;
            };
            let found = audit::violations(once.as_str());
            if !found.is_empty() {
                score.unclean += 1;
                let miss = format!("off the lists: {payload:?} became {once}: {found:?}");
                score.misses.push(miss);
            }
            for again in [None, base] {
                let twice = clean::html(once.as_str(), again);
                if twice != once {
                    score.unsettled += 1;
                    let miss = format!("unsettled: {payload:?} became {once}, then {twice}");
                    score.misses.push(miss);
                }
            }
        }
    }
    score
}
