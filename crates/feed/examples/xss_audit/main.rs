//! Cleans every payload in a folder of JSON arrays and reports what should not have stayed.
//!
//! `cargo run --release -p lede-feed --example xss_audit -- FOLDER`
//!
//! Exits with 1 unless nothing is off the lists, nothing changes when it is cleaned again, and
//! nothing panics.

#![expect(clippy::print_stdout, reason = "a program that reports")]

mod audit;

use std::path::PathBuf;
use std::process::ExitCode;

use lede_feed::clean;
use lede_model::address::WebUrl;

/// What became of the payloads of one file.
#[derive(Debug, Default)]
struct Score {
    payloads: usize,
    /// Payloads of which something is left that is not on the lists.
    unclean: usize,
    /// Payloads whose cleaned form changes when it is cleaned again, with a base or without.
    unsettled: usize,
    panics: usize,
}

fn score(payloads: &[String], base: &WebUrl) -> Score {
    let mut score = Score {
        payloads: payloads.len(),
        ..Score::default()
    };
    for payload in payloads {
        for base in [Some(base), None] {
            let Ok(once) = std::panic::catch_unwind(|| clean::html(payload, base)) else {
                score.panics += 1;
                println!("panic: {payload:?}");
                continue;
            };
            let found = audit::violations(once.as_str());
            if !found.is_empty() {
                score.unclean += 1;
                println!("unclean: {payload:?}\n  -> {once}\n  {found:?}");
            }
            for again in [None, base] {
                let twice = clean::html(once.as_str(), again);
                if twice != once {
                    score.unsettled += 1;
                    println!("unsettled: {payload:?}\n  -> {once}\n  -> {twice}");
                }
            }
        }
    }
    score
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or("give the folder of payloads")?;
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    files.sort();
    let base = WebUrl::parse("https://example.org/posts/1")?;
    let mut bad = 0;
    for file in files {
        let payloads: Vec<String> = serde_json::from_slice(&std::fs::read(&file)?)?;
        let score = score(&payloads, &base);
        println!(
            "{}: {} payloads, {} unclean, {} unsettled, {} panics",
            file.file_name().unwrap_or_default().to_string_lossy(),
            score.payloads,
            score.unclean,
            score.unsettled,
            score.panics
        );
        bad += score.unclean + score.unsettled + score.panics;
    }
    Ok(if bad == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
