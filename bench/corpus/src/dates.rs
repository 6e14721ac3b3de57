//! Date strings with the expected instants.
//!
//! Rows of feedparser without an instant must be refused; those of miniflux must only be parsed, to
//! any instant.

use std::error::Error;
use std::path::Path;

use lede_feed::date;
use serde_json::Value;

pub(crate) fn score(file: &Path, misses: bool) -> Result<(), Box<dyn Error>> {
    let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(file)?)?;
    let (mut right, mut right_of) = (0, 0);
    let (mut accepted, mut refusable) = (0, 0);
    let (mut parsed, mut parsed_of) = (0, 0);
    let mut missed = Vec::new();
    for row in &rows {
        let input = row["input"].as_str().unwrap_or_default();
        let expected = row["expected_unix"].as_i64();
        let found = date::parse(input).map(|at| at.as_seconds());
        let from_feedparser = row["origin"]
            .as_str()
            .is_some_and(|origin| origin.starts_with("feedparser"));
        let good = match (expected, from_feedparser) {
            (Some(_), _) => {
                right_of += 1;
                right += usize::from(found == expected);
                found == expected
            }
            (None, true) => {
                refusable += 1;
                accepted += usize::from(found.is_some());
                found.is_none()
            }
            (None, false) => {
                parsed_of += 1;
                parsed += usize::from(found.is_some());
                found.is_some()
            }
        };
        if !good {
            missed.push(format!("{input:?}: expected {expected:?}, found {found:?}"));
        }
    }
    println!("dates                      right   of");
    println!("  instant right           {right:>6} {right_of:>4}");
    println!("  wrongly accepted        {accepted:>6} {refusable:>4}");
    println!("  understood at all       {parsed:>6} {parsed_of:>4}");
    if misses {
        missed.iter().for_each(|miss| println!("  {miss}"));
    }
    Ok(())
}
