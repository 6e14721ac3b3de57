//! Pages with the article that Mozilla's Readability extracts from them: `source.html`,
//! `expected.html` and `expected-metadata.json` in a folder each.
//!
//! The metric is the F1 score of the words, counted with repetitions, between the texts of two
//! documents, taken by the same parser. It is computed after each step from the page to the shown
//! article, so that a deliberate rule of Lede is not mistaken for an extraction error, or the other
//! way round.

use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dom_query::Document;
use lede_feed::{clean, extract};
use lede_model::address::WebUrl;
use serde_json::Value;

/// Base address of the pages.
const PAGE: &str = "http://fakehost/test/page.html";

/// Maximum extraction time of one document.
const DEADLINE: Duration = Duration::from_secs(5);

/// A page with a lower score is listed among the misses.
const GOOD: f64 = 0.999;

const ROUNDS: usize = 5;

/// The steps from a page to the shown article, in order.
const STEPS: [&str; 4] = [
    "what readability found",
    "no advertisements, formulas as text",
    "cleaned",
    "long enough to be shown",
];

/// Result of one page.
struct Page {
    name: String,
    /// F1 score after each of [`STEPS`].
    steps: [f64; 4],
    is_shown: bool,
    title_is_same: bool,
    took: Duration,
}

pub(crate) fn is_corpus(folder: &Path) -> Result<bool, std::io::Error> {
    Ok(!pages_in(folder)?.is_empty())
}

fn pages_in(folder: &Path) -> Result<Vec<PathBuf>, std::io::Error> {
    let mut pages = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    pages.retain(|page| page.join("source.html").is_file());
    pages.sort();
    Ok(pages)
}

pub(crate) fn score(folder: &Path, misses: bool, speed: bool) -> Result<(), Box<dyn Error>> {
    let url = WebUrl::parse(PAGE)?;
    let rounds = if speed { ROUNDS } else { 1 };
    let pages = pages_in(folder)?
        .iter()
        .map(|folder| page(folder, &url, rounds))
        .collect::<Result<Vec<_>, _>>()?;
    let titles = pages.iter().filter(|page| page.title_is_same).count();
    println!("readability: {} pages, {titles} titles exact", pages.len());
    println!("  mean F1 of words, and its 5th percentile     pages  >= .95   < .5");
    for (step, name) in STEPS.iter().enumerate() {
        print_scores(name, pages.iter().map(|page| page.steps[step]).collect());
    }
    let shown = pages.iter().filter(|page| page.is_shown);
    print_scores(
        "of those that are",
        shown.map(|page| page.steps[3]).collect(),
    );
    let took: Vec<f64> = pages.iter().map(|page| page.took.as_secs_f64()).collect();
    if let Some(slowest) = pages.iter().max_by_key(|page| page.took) {
        println!(
            "  mean {:.1} ms, slowest {:.1} ms ({}), {} over the deadline of {} s",
            1000.0 * mean(&took),
            1000.0 * slowest.took.as_secs_f64(),
            slowest.name,
            pages.iter().filter(|page| page.took > DEADLINE).count(),
            DEADLINE.as_secs()
        );
    }
    if misses {
        for page in &pages {
            if page.steps.iter().any(|f1| *f1 < GOOD) || !page.title_is_same {
                let steps = page.steps.map(|f1| format!("{f1:.4}")).join(" ");
                let title = if page.title_is_same {
                    ""
                } else {
                    "title differs"
                };
                println!("  {steps}  {} {title}", page.name);
            }
        }
    }
    Ok(())
}

fn print_scores(name: &str, mut scores: Vec<f64>) {
    scores.sort_by(f64::total_cmp);
    println!(
        "  {name:<36} {:>6.4} {:>6.4} {:>6} {:>7} {:>6}",
        mean(&scores),
        scores.get(scores.len() / 20).copied().unwrap_or_default(),
        scores.len(),
        scores.iter().filter(|f1| **f1 >= 0.95).count(),
        scores.iter().filter(|f1| **f1 < 0.5).count(),
    );
}

fn page(folder: &Path, url: &WebUrl, rounds: usize) -> Result<Page, Box<dyn Error>> {
    let source = std::fs::read_to_string(folder.join("source.html"))?;
    let expected = words(&std::fs::read_to_string(folder.join("expected.html"))?);
    let metadata: Value =
        serde_json::from_slice(&std::fs::read(folder.join("expected-metadata.json"))?)?;
    let mut took = Duration::MAX;
    let mut article = None;
    for _ in 0..rounds {
        let start = Instant::now();
        article = extract::article(&source, url);
        took = took.min(start.elapsed());
    }
    let found = extract::found(&source, url);
    let title = found.as_ref().map_or("", |found| &found.title);
    let found_html = found.as_ref().map_or("", |found| &found.html);
    let tidied = extract::tidied(found_html);
    let cleaned = clean::html(&tidied, Some(url));
    let shown = article.as_ref().map_or("", |article| article.html.as_str());
    let steps = [found_html, &tidied, cleaned.as_str(), shown];
    Ok(Page {
        name: folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        steps: steps.map(|html| token_f1(&words(html), &expected)),
        is_shown: article.is_some(),
        title_is_same: folded(title) == folded(metadata["title"].as_str().unwrap_or_default()),
        took,
    })
}

/// Returns the text of a document, with blocks separated.
fn words(html: &str) -> String {
    Document::from(html).formatted_text().to_string()
}

/// Returns the harmonic mean of precision and recall over the words of both texts, counted with repetitions.
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
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "no page has 2^52 words")]
    let all = all as f64;
    2.0 * f64::from(shared) / all
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn mean(values: &[f64]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let count = values.len().max(1) as f64;
    values.iter().sum::<f64>() / count
}
