//! Sentences of one text with their scores, from which summaries are chosen.
//!
//! A score adds several weak signals of a key sentence: it contains the recurring words of the
//! text, it is similar to other sentences (TextRank, Mihalcea and Tarau 2004), it comes early, it
//! resembles the title, and it contains a figure.
//!
//! Results are the same on every machine: only operations that IEEE 754 rounds correctly are used,
//! which excludes logarithms and powers, and ties are decided by position.

use std::ops::Range;

use super::boilerplate::is_boilerplate;
use super::language::{Language, is_cjk};
use super::sentences::sentences;
use super::terms::{Interner, TermVector};

/// Maximum size of the text that is read, and maximum number of its sentences. What an article is
/// about is said by then, and the similarity of all pairs of sentences has to be computed.
const MAX_TEXT_BYTES: usize = 100 * 1024;
const MAX_SENTENCES: usize = 200;

/// Weights of the signals. `bench/ai` measures their effect.
const CENTROID: f64 = 0.8;
const TEXT_RANK: f64 = 0.4;
const POSITION: f64 = 1.0;
const TITLE: f64 = 0.8;
const DIGIT: f64 = 0.1;
/// Factor of the weight of the position from one sentence to the next: e^(-1/4).
const POSITION_DECAY: f64 = 0.778_800_783_071_404_9;
/// Length in characters of a sentence that is too short to say much, and the factor of its score.
const SHORT: usize = 25;
const SHORT_CJK: usize = 10;
const SHORT_FACTOR: f64 = 0.3;
/// Factor of the score of a sentence that its publisher cut off.
const CUT_FACTOR: f64 = 0.3;
/// A word is a topic of the text if it occurs this often.
const MIN_TOPIC_COUNT: u32 = 2;
/// Damping and number of iterations of TextRank. The order of sentences is stable by then.
const DAMPING: f64 = 0.85;
const ITERATIONS: usize = 20;

/// A text that is divided into sentences, which have scores.
pub(super) struct Analysis<'a> {
    pub(super) text: &'a str,
    pub(super) language: Language,
    pub(super) is_cjk: bool,
    pub(super) sentences: Vec<Sentence>,
}

/// A sentence of the text.
pub(super) struct Sentence {
    pub(super) range: Range<usize>,
    pub(super) chars: usize,
    pub(super) terms: TermVector,
    pub(super) score: f64,
    /// Part of the article, and not an addition of the site.
    pub(super) is_article: bool,
    pub(super) is_short: bool,
    pub(super) repeats_title: bool,
}

impl<'a> Analysis<'a> {
    pub(super) fn new(title: &str, text: &'a str, language_hint: Option<&str>) -> Self {
        let read = beginning(text, MAX_TEXT_BYTES);
        let language = Language::detect(read, language_hint);
        let skipped = repeated_title_bytes(title, read);
        let mut ranges = sentences(read, language);
        if read.len() < text.len() && ranges.len() > 1 {
            // Cut off by the limit.
            ranges.pop();
        }
        ranges.truncate(MAX_SENTENCES);
        let mut interner = Interner::new(language);
        let title_terms = interner.vector(title);
        let mut lower = String::new();
        let mut sentences: Vec<Sentence> = ranges
            .into_iter()
            .map(|range| {
                let is_heading = range.end <= skipped;
                let range = match is_heading {
                    true => range,
                    false => range.start.max(skipped)..range.end,
                };
                let sentence = &read[range.clone()];
                let chars = sentence.chars().count();
                let terms = interner.vector(sentence);
                let limit = match sentence.chars().any(is_cjk) {
                    true => SHORT_CJK,
                    false => SHORT,
                };
                Sentence {
                    range,
                    chars,
                    score: 0.0,
                    is_article: !is_boilerplate(sentence, &mut lower),
                    is_short: chars < limit,
                    repeats_title: is_heading
                        || terms.is_within(&title_terms)
                        || letters(sentence).eq(letters(title)),
                    terms,
                }
            })
            .collect();
        if !sentences.iter().any(|sentence| sentence.is_article) {
            // Nothing else is left to show.
            for sentence in &mut sentences {
                sentence.is_article = true;
            }
        }
        let mut analysis = Self {
            text,
            language,
            is_cjk: matches!(language.tag(), Some("ja" | "zh")),
            sentences,
        };
        analysis.score(&title_terms, interner.len());
        analysis
    }

    /// Returns the text of the sentence with this index.
    pub(super) fn sentence(&self, index: usize) -> &'a str {
        &self.text[self.sentences[index].range.clone()]
    }

    /// Returns the indexes of the sentences of the article, best first.
    pub(super) fn ranking(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.sentences.len())
            .filter(|index| self.sentences[*index].is_article)
            .collect();
        order.sort_by(|a, b| {
            let scores = self.sentences[*b]
                .score
                .total_cmp(&self.sentences[*a].score);
            scores.then(a.cmp(b))
        });
        order
    }

    fn score(&mut self, title: &TermVector, terms: usize) {
        let article: Vec<usize> = (0..self.sentences.len())
            .filter(|index| self.sentences[*index].is_article)
            .collect();
        let vectors: Vec<&TermVector> = article
            .iter()
            .map(|index| &self.sentences[*index].terms)
            .collect();
        let centroids = relative_to_best(centroids(&vectors, terms));
        let ranks = relative_to_best(text_ranks(&vectors));
        let mut position = POSITION;
        let scores: Vec<f64> = article
            .iter()
            .enumerate()
            .map(|(place, index)| {
                let sentence = &self.sentences[*index];
                let text = self.sentence(*index);
                let has_digit = text.contains(|c: char| c.is_ascii_digit());
                let mut score = CENTROID * centroids[place]
                    + TEXT_RANK * ranks[place]
                    + position
                    + TITLE * sentence.terms.cosine(title)
                    + if has_digit { DIGIT } else { 0.0 };
                position *= POSITION_DECAY;
                if sentence.is_short {
                    score *= SHORT_FACTOR;
                }
                if place + 1 == article.len() && text.ends_with(['…', ']']) {
                    score *= CUT_FACTOR;
                }
                score
            })
            .collect();
        for (index, score) in article.into_iter().zip(scores) {
            self.sentences[index].score = score;
        }
    }
}

/// Returns the beginning of `text` of at most `max` bytes.
fn beginning(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// Returns the length of a repetition of the title at the beginning of the text: a heading, which
/// has become part of the first sentence if the text was folded to one line.
fn repeated_title_bytes(title: &str, text: &str) -> usize {
    let title = title.trim().trim_end_matches(['.', '!', '?', '…', '。']);
    let start = text.len() - text.trim_start().len();
    match text[start..].strip_prefix(title) {
        // "Port" is not repeated by "Portugal", and the subject of a sentence is no heading.
        Some(rest) if !title.is_empty() && begins_anew(rest) => {
            let body = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
            let kept = rest.len() - body.len();
            // Opening quotation marks and brackets belong to the sentence.
            let marks =
                rest[..kept].trim_end_matches(['"', '“', '„', '«', '(', '[', '「', '¿', '¡']);
            start + title.len() + marks.len()
        }
        _ => 0,
    }
}

/// Returns `true` if a sentence can begin with `rest`: nothing, or no lower-case letter after
/// marks and spaces.
fn begins_anew(rest: &str) -> bool {
    match rest.chars().next() {
        None => true,
        Some(c) if c.is_alphanumeric() => false,
        Some(_) => rest
            .chars()
            .find(|c| c.is_alphanumeric())
            .is_none_or(|c| !c.is_lowercase()),
    }
}

/// Returns the letters and digits of `text` in lower case.
fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
}

/// Returns the sum of the weights of the topics in each sentence, divided by the sentence's number
/// of terms to the power of 0.375: longer sentences have an advantage, but not in proportion.
fn centroids(vectors: &[&TermVector], terms: usize) -> Vec<f64> {
    let mut counts = vec![0_u32; terms];
    for vector in vectors {
        for (term, count) in &vector.counts {
            counts[*term as usize] += *count as u32;
        }
    }
    vectors
        .iter()
        .map(|vector| {
            let sum: f64 = vector
                .counts
                .iter()
                .map(|(term, _)| counts[*term as usize])
                .filter(|count| *count >= MIN_TOPIC_COUNT)
                .map(harmonic)
                .sum();
            let length: f64 = vector.counts.iter().map(|(_, count)| count).sum();
            let fourth_root = length.max(1.0).sqrt().sqrt();
            sum / (fourth_root * fourth_root.sqrt())
        })
        .collect()
}

/// Returns 1 + 1/2 + … + 1/`count`, which grows like the logarithm.
fn harmonic(count: u32) -> f64 {
    const MAX: u32 = 64;
    (1..=count.min(MAX)).map(|n| 1.0 / f64::from(n)).sum()
}

/// Returns the TextRank of each sentence: the stationary distribution of a walk between similar
/// sentences.
fn text_ranks(vectors: &[&TermVector]) -> Vec<f64> {
    let n = vectors.len();
    let mut similarity = vec![0.0; n * n];
    for a in 0..n {
        for b in a + 1..n {
            let cosine = vectors[a].cosine(vectors[b]);
            similarity[a * n + b] = cosine;
            similarity[b * n + a] = cosine;
        }
    }
    let sums: Vec<f64> = similarity
        .chunks(n.max(1))
        .map(|row| row.iter().sum())
        .collect();
    let mut ranks = vec![1.0; n];
    for _ in 0..ITERATIONS {
        ranks = (0..n)
            .map(|a| {
                let received: f64 = (0..n)
                    .filter(|b| sums[*b] > 0.0)
                    .map(|b| similarity[a * n + b] / sums[b] * ranks[b])
                    .sum();
                1.0 - DAMPING + DAMPING * received
            })
            .collect();
    }
    ranks
}

fn relative_to_best(mut values: Vec<f64>) -> Vec<f64> {
    let best = values.iter().copied().fold(0.0, f64::max);
    if best > 0.0 {
        for value in &mut values {
            *value /= best;
        }
    }
    values
}
