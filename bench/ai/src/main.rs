//! Scores the built-in engines of `lede-ai` against labelled data.
//!
//! `cargo run --release -p lede-bench-ai -- <folder> [--misses]`. Each engine has a module and a
//! section of the output, which is skipped if the folder does not contain its data. No other part
//! of the project needs the data; this program only reads the path that it is given.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing is what this program is for"
)]

mod rouge;
mod sentences;
mod speed;
mod summaries;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::de::DeserializeOwned;

const USAGE: &str = "usage: lede-bench-ai <folder> [--misses]";

struct Options {
    folder: PathBuf,
    misses: bool,
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        folder: PathBuf::new(),
        misses: false,
    };
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--misses" => options.misses = true,
            other if other.starts_with("--") => {
                return Err(format!("unknown option {other}").into());
            }
            folder => options.folder = folder.into(),
        }
    }
    if options.folder.as_os_str().is_empty() {
        return Err(USAGE.into());
    }
    Ok(options)
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let sentences: Vec<sentences::Record> = records(&options.folder, "sentences")?;
    if !sentences.is_empty() {
        sentences::score(&sentences, options.misses);
    }
    let articles: Vec<summaries::Record> = records(&options.folder, "summaries-cnndm")?;
    if !articles.is_empty() {
        summaries::score(&articles, options.misses);
        speed::measure(&articles);
    }
    if sentences.is_empty() && articles.is_empty() {
        return Err(format!("no data in {}", options.folder.display()).into());
    }
    Ok(())
}

/// Reads the records of all parts of a set: `<name>.jsonl`, `<name>.dev.jsonl` and so on.
fn records<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Vec<T>, Box<dyn Error>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|file| {
        let file = file.file_name().unwrap_or_default().to_string_lossy();
        file.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('.') && rest.ends_with(".jsonl"))
    });
    files.sort();
    let mut records = Vec::new();
    for file in files {
        for line in std::fs::read_to_string(file)?.lines() {
            records.push(serde_json::from_str(line)?);
        }
    }
    Ok(records)
}

fn percent(right: usize, of: usize) -> String {
    if of == 0 {
        return "–".to_owned();
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let share = 100.0 * right as f64 / of as f64;
    format!("{share:.1} %")
}
