//! Feeds from the web, with the results of Python's feedparser.

use std::error::Error;
use std::path::Path;

use lede_feed::links;
use lede_model::address::WebUrl;
use serde_json::{Map, Value};

use crate::percent;

pub(crate) fn score(folder: &Path, misses: bool) -> Result<(), Box<dyn Error>> {
    let expected: Map<String, Value> =
        serde_json::from_slice(&std::fs::read(folder.join("expected-counts.json"))?)?;
    let url = WebUrl::parse("http://localhost/feed")?;
    let (mut files, mut entries, mut titles, mut linked) = (0, 0, 0, 0);
    let mut missed = Vec::new();
    for (file, row) in &expected {
        let bytes = std::fs::read(folder.join(file))?;
        let feed = match lede_feed::parse(&bytes, None, &url) {
            Ok(feed) => feed,
            Err(error) => {
                let is_none = row["version"].as_str().is_none_or(str::is_empty);
                files += 1;
                for counter in [&mut entries, &mut titles, &mut linked] {
                    *counter += usize::from(is_none);
                }
                if !is_none {
                    missed.push(format!("{file}: {error}"));
                }
                continue;
            }
        };
        files += 1;
        let count = feed.entries.len();
        let title = feed
            .title
            .as_ref()
            .map(|title| title.resolved().into_owned());
        let link = feed.entries.first().and_then(|entry| entry.link.clone());
        let checks = [
            (&mut entries, "entries", Value::from(count), &row["entries"]),
            (&mut titles, "title", Value::from(title), &row["feed_title"]),
            (
                &mut linked,
                "first link",
                Value::from(link),
                &row["first_link"],
            ),
        ];
        for (counter, what, found, expected) in checks {
            // feedparser distinguishes an empty value from a missing one, and had no base address
            // to resolve relative links.
            let right = found == *expected
                || (found.is_null() && expected.as_str() == Some(""))
                || match (what, expected.as_str()) {
                    ("first link", Some(expected)) => {
                        found.as_str() == Some(&links::resolve(url.as_str(), expected))
                    }
                    _ => false,
                };
            *counter += usize::from(right);
            if !right {
                missed.push(format!("{file}: {what} expected {expected} found {found}"));
            }
        }
    }
    println!("real feeds ({files})");
    println!(
        "  same number of entries    {entries:>5} {:>8}",
        percent(entries, files)
    );
    println!(
        "  same title                {titles:>5} {:>8}",
        percent(titles, files)
    );
    println!(
        "  same first link           {linked:>5} {:>8}",
        percent(linked, files)
    );
    if misses {
        missed.iter().for_each(|miss| println!("  {miss}"));
    }
    Ok(())
}
