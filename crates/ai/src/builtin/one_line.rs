//! The one line that lists show below a title.

use super::analysis::Analysis;
use super::cut::cut_at_clause;

/// Minimum score of a sentence that fits, relative to the best sentence. Below it the beginning of
/// the best sentence says more.
const MIN_RELATIVE_SCORE: f64 = 0.5;
/// A character of Chinese and Japanese is as wide as two letters.
const CJK_WIDTH: usize = 2;

/// Returns the best sentence that fits into `max_chars` characters, half of it in Chinese and
/// Japanese, or the beginning of the best sentence. Empty if the text only repeats the title.
pub(super) fn one_line(analysis: &Analysis<'_>, title: &str, max_chars: usize) -> String {
    let max_chars = match analysis.is_cjk {
        true => max_chars / CJK_WIDTH,
        false => max_chars,
    };
    let ranking: Vec<usize> = analysis
        .ranking()
        .into_iter()
        .filter(|index| !analysis.sentences[*index].repeats_title)
        .collect();
    let Some(best) = ranking.first() else {
        return String::new();
    };
    let min_score = analysis.sentences[*best].score * MIN_RELATIVE_SCORE;
    let fitting = ranking.iter().find(|index| {
        let sentence = &analysis.sentences[**index];
        sentence.chars <= max_chars && sentence.score >= min_score
    });
    let line = match fitting {
        Some(index) => analysis.sentence(*index).to_owned(),
        None => cut_at_clause(analysis.sentence(*best), max_chars),
    };
    // A cut may leave only what the title says.
    if line.trim_end_matches('…') == title.trim() {
        return String::new();
    }
    line
}
