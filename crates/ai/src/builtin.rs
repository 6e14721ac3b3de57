//! The built-in engine: key sentences of a text, without a model or a network.
//!
//! Summaries are extracts: sentences of the text, unchanged and in its order. The same input gives
//! the same bytes on every machine. One item of 2 KB takes well below a millisecond (`bench/ai`),
//! and long or hostile texts are bounded, so that the crawl can afford it for every item.
//!
//! [`summarize`] makes everything from one analysis of the text: `language` and `lexicon` identify
//! the language, `sentences` divides the text, `boilerplate` discards what the site added, `terms`
//! and `analysis` score the sentences, and `summary` and `one_line` choose among them.

mod analysis;
mod boilerplate;
mod cut;
mod language;
mod lexicon;
mod one_line;
mod sentences;
mod summary;
mod terms;
#[cfg(test)]
mod tests;

use std::ops::Range;

use analysis::Analysis;
use language::Language;

/// Maximum lengths in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub summary_chars: usize,
    /// Chinese and Japanese lines have half of it.
    pub one_line_chars: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            summary_chars: 900,
            one_line_chars: 100,
        }
    }
}

/// Key sentences of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BuiltinSummary {
    /// Sentences of the text. Empty only if the text has none.
    pub summary: String,
    /// One sentence or its beginning, which does not repeat the title. Empty if the text does.
    pub one_line: String,
    /// Indexes of the sentences of the summary among the sentences of the text.
    pub sentences: Vec<u32>,
    /// Primary tag of BCP 47, if the language was recognised.
    pub language: Option<&'static str>,
}

/// Summarises `text`, which is not HTML and in which line breaks separate paragraphs: those of an
/// HTML source have to be spaces, as in an excerpt.
/// `language_hint` is a tag of BCP 47 that decides if the text does not.
pub fn summarize(
    title: &str,
    text: &str,
    language_hint: Option<&str>,
    limits: Limits,
) -> BuiltinSummary {
    let analysis = Analysis::new(title, text, language_hint);
    let (summary, indexes) = summary::summary(&analysis, limits.summary_chars);
    BuiltinSummary {
        summary,
        one_line: one_line::one_line(&analysis, title, limits.one_line_chars),
        sentences: indexes.into_iter().map(|index| index as u32).collect(),
        language: analysis.language.tag(),
    }
}

/// Returns the sentences of `text` as ranges of it, in order and without surrounding white space.
pub fn sentences(text: &str, language_hint: Option<&str>) -> Vec<Range<usize>> {
    sentences::sentences(text, Language::detect(text, language_hint))
}
