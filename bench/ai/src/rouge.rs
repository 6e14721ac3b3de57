//! ROUGE-1 and ROUGE-2 (Lin 2004): common words and word pairs of a summary and a reference.
//!
//! Words are lower-case runs of ASCII letters and digits, stemmed if longer than three characters,
//! as in the usual implementation, `rouge-score`. That one uses the first Porter stemmer; this one
//! uses its revision by the same author, because it is the one that `rust-stemmers` provides. Both
//! candidates of a comparison are measured alike.

use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};

/// Words up to this length are not stemmed.
const MAX_UNSTEMMED: usize = 3;

pub(crate) struct Rouge(Stemmer);

impl Rouge {
    pub(crate) fn new() -> Self {
        Self(Stemmer::create(Algorithm::English))
    }

    /// Returns the F1 scores of ROUGE-1 and ROUGE-2, from 0 to 1.
    pub(crate) fn f1(&self, summary: &str, reference: &str) -> [f64; 2] {
        let (summary, reference) = (self.words(summary), self.words(reference));
        [1, 2].map(|n| f1(&summary, &reference, n))
    }

    fn words(&self, text: &str) -> Vec<String> {
        text.to_lowercase()
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| match word.len() > MAX_UNSTEMMED {
                true => self.0.stem(word).into_owned(),
                false => word.to_owned(),
            })
            .collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn f1(summary: &[String], reference: &[String], n: usize) -> f64 {
    let (found, expected) = (counts(summary, n), counts(reference, n));
    let common: usize = expected
        .iter()
        .map(|(gram, count)| (*count).min(found.get(gram).copied().unwrap_or_default()))
        .sum();
    if common == 0 {
        return 0.0;
    }
    let precision = common as f64 / found.values().sum::<usize>() as f64;
    let recall = common as f64 / expected.values().sum::<usize>() as f64;
    2.0 * precision * recall / (precision + recall)
}

fn counts(words: &[String], n: usize) -> HashMap<&[String], usize> {
    let mut counts = HashMap::new();
    for gram in words.windows(n) {
        *counts.entry(gram).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_and_pairs_are_counted_once() {
        let rouge = Rouge::new();
        // Three of three words in a reference of four: precision 1, recall 3/4. One pair of two in
        // a reference of three: precision 1/2, recall 1/3.
        let [one, two] = rouge.f1("the ferries waited", "the ferry is waiting");
        assert!((one - 6.0 / 7.0).abs() < 1e-9, "{one}");
        assert!((two - 0.4).abs() < 1e-9, "{two}");
        assert_eq!(rouge.f1("the the the", "the")[0], 0.5);
        assert_eq!(rouge.f1("", "the"), [0.0, 0.0]);
    }
}
