//! The sentence splitter: texts whose sentences are all found exactly.

use std::collections::BTreeMap;

use lede_ai::builtin;
use serde::Deserialize;

use crate::percent;

#[derive(Deserialize)]
pub(crate) struct Record {
    id: String,
    lang: String,
    text: String,
    sentences: Vec<String>,
}

pub(crate) fn score(records: &[Record], lists_misses: bool) {
    let mut by_language: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut right = 0;
    for record in records {
        let found: Vec<&str> = builtin::sentences(&record.text, Some(&record.lang))
            .into_iter()
            .map(|range| &record.text[range])
            .collect();
        let is_right = found
            .iter()
            .map(|sentence| folded(sentence))
            .eq(record.sentences.iter().map(|sentence| folded(sentence)));
        let (right_here, all_here) = by_language.entry(&record.lang).or_default();
        *all_here += 1;
        *right_here += usize::from(is_right);
        right += usize::from(is_right);
        if !is_right && lists_misses {
            println!(
                "{}: found    {found:?}\n{}  expected {:?}",
                record.id,
                " ".repeat(record.id.len()),
                record.sentences
            );
        }
    }
    println!(
        "sentences: {} of {} texts exactly right ({})",
        right,
        records.len(),
        percent(right, records.len())
    );
    for (language, (right, all)) in by_language {
        println!("  {language}: {right} of {all} ({})", percent(right, all));
    }
}

/// Removes white space: the data fold it, while the splitter returns slices of the text.
fn folded(sentence: &str) -> String {
    sentence.split_whitespace().collect()
}
