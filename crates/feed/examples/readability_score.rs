//! Extracts the article of every page in a folder and compares it with the one expected.
//!
//! `cargo run --release -p lede-feed --example readability_score -- FOLDER`
//!
//! Each page is a folder with `source.html`, `expected.html` and `expected-metadata.json`.

#![expect(clippy::print_stdout, reason = "a program that reports")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dom_query::Document;
use lede_feed::{clean, extract};
use lede_model::address::WebUrl;

/// Articles of fewer characters count as failures by rule.
const SHORT: usize = 200;

/// How one page went.
#[derive(Debug)]
struct Page {
    name: String,
    f1: f64,
    /// Shorter than what counts as an article: nothing is the right answer there.
    is_short: bool,
    has_title: bool,
    took: Duration,
}

/// The harmonic mean of precision and recall over the words of both texts, counted with repeats.
fn token_f1(found: &str, expected: &str) -> f64 {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in expected.split_whitespace() {
        *left.entry(word).or_default() += 1;
    }
    let mut shared = 0;
    for word in found.split_whitespace() {
        if let Some(count) = left.get_mut(word).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    let all = found.split_whitespace().count() + expected.split_whitespace().count();
    if all == 0 {
        1.0
    } else {
        2.0 * f64::from(shared) / all as f64
    }
}

/// The words of an HTML file, blocks apart, as another parser sees them.
fn expected_text(html: &str) -> String {
    Document::from(html).formatted_text().to_string()
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn score(folder: &Path, base: &WebUrl) -> Result<Page, Box<dyn std::error::Error>> {
    let source = std::fs::read_to_string(folder.join("source.html"))?;
    let expected = std::fs::read_to_string(folder.join("expected.html"))?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("expected-metadata.json"))?)?;
    let start = Instant::now();
    let article = extract::article(&source, base);
    let took = start.elapsed();
    let text = article
        .as_ref()
        .map(|article| clean::text(&article.html))
        .unwrap_or_default();
    let title = article.and_then(|article| article.title);
    let expected = expected_text(&expected);
    Ok(Page {
        name: folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        f1: token_f1(&text, &expected),
        is_short: folded(&expected).chars().count() < SHORT,
        has_title: folded(&title.unwrap_or_default())
            == folded(metadata["title"].as_str().unwrap_or_default()),
        took,
    })
}

fn report(which: &str, pages: &[&Page]) {
    println!(
        "{which}: {} pages, mean F1 {:.4}, {} at .95 or more, {} below .5, {} titles exact",
        pages.len(),
        pages.iter().map(|page| page.f1).sum::<f64>() / pages.len().max(1) as f64,
        pages.iter().filter(|page| page.f1 >= 0.95).count(),
        pages.iter().filter(|page| page.f1 < 0.5).count(),
        pages.iter().filter(|page| page.has_title).count()
    );
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or("give the folder of pages")?;
    let mut folders: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    folders.retain(|path| path.is_dir());
    folders.sort();
    let base = WebUrl::parse("http://fakehost/test/page.html")?;
    let pages = folders
        .iter()
        .map(|folder| score(folder, &base))
        .collect::<Result<Vec<_>, _>>()?;
    for page in pages
        .iter()
        .filter(|page| page.f1 < 0.98 || !page.has_title)
    {
        println!(
            "{:.4} title {} {}",
            page.f1,
            if page.has_title { "same" } else { "differs" },
            page.name
        );
    }
    report("all", &pages.iter().collect::<Vec<_>>());
    report(
        "long enough to count",
        &pages
            .iter()
            .filter(|page| !page.is_short)
            .collect::<Vec<_>>(),
    );
    let total: Duration = pages.iter().map(|page| page.took).sum();
    if let Some(slowest) = pages.iter().max_by_key(|page| page.took) {
        println!(
            "mean {:.1} ms, slowest {:.1} ms ({})",
            total.as_secs_f64() * 1000.0 / pages.len().max(1) as f64,
            slowest.took.as_secs_f64() * 1000.0,
            slowest.name
        );
    }
    Ok(())
}
