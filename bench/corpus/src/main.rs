//! Scores the parsers of `lede-feed` against public collections of documents.
//!
//! `cargo run --release -p lede-bench-corpus -- <folder> [--misses] [--damage] [--speed] [--loss]`,
//! where the folder is a corpus (`feeds`, `dates`, `readability`, `xss`), recognised by its files,
//! or contains several. With `--ingest` or `--loss` it is any folder of feeds. No other part of the
//! project needs the corpora; this program only reads the path that it is given.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing is what this program is for"
)]

mod damage;
mod dates;
mod feedparser;
mod ingest;
mod loss;
mod readability;
mod realworld;
mod shapes;
mod speed;
mod spelling;
mod view;
mod xss;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: lede-bench-corpus <folder> [--misses] [--damage] [--speed], or <folder> --ingest [--misses], or <folder> --loss";

struct Options {
    folder: PathBuf,
    misses: bool,
    damage: bool,
    speed: bool,
    ingest: bool,
    loss: bool,
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
        damage: false,
        speed: false,
        ingest: false,
        loss: false,
    };
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--misses" => options.misses = true,
            "--damage" => options.damage = true,
            "--speed" => options.speed = true,
            "--ingest" => options.ingest = true,
            "--loss" => options.loss = true,
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
    if options.ingest {
        return ingest::score(&options.folder, options.misses);
    }
    if options.loss {
        return loss::score(&options.folder);
    }
    if scored(&options.folder, options)? {
        return Ok(());
    }
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&options.folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    folders.retain(|path| path.is_dir());
    folders.sort();
    let mut is_known = false;
    for folder in folders {
        is_known |= scored(&folder, options)?;
    }
    if is_known {
        Ok(())
    } else {
        let folder = options.folder.display();
        Err(format!("{folder} is no corpus that this program knows, and holds none").into())
    }
}

/// Scores `folder`. Returns `false` if it is not a known corpus.
fn scored(folder: &Path, options: &Options) -> Result<bool, Box<dyn Error>> {
    let mut is_known = false;
    if folder.join("dates.json").is_file() {
        is_known = true;
        dates::score(&folder.join("dates.json"), options.misses)?;
    }
    if folder.join("feedparser/expected.json").is_file() {
        is_known = true;
        feedparser::score(&folder.join("feedparser"), options.misses)?;
    }
    if folder.join("realworld").is_dir() {
        is_known = true;
        let realworld = folder.join("realworld");
        realworld::score(&realworld, options.misses)?;
        loss::score(folder)?;
        if options.damage {
            damage::score(&realworld)?;
        }
        if options.speed {
            speed::score(&realworld)?;
        }
    }
    if readability::is_corpus(folder)? {
        is_known = true;
        readability::score(folder, options.misses, options.speed)?;
    }
    if xss::is_corpus(folder)? {
        is_known = true;
        xss::score(folder, options.misses)?;
        if options.speed {
            shapes::score(options.misses)?;
        }
    }
    Ok(is_known)
}

/// Returns every file below `folder`, sorted.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, std::io::Error> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Formats `right` of `of` as a percentage.
fn percent(right: usize, of: usize) -> String {
    if of == 0 {
        return "–".to_owned();
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let share = 100.0 * right as f64 / of as f64;
    format!("{share:.1} %")
}
