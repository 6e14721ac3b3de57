//! Key sentences of a text within a length.

use super::analysis::Analysis;
use super::cut::cut_at_word;

/// Weight of the similarity to a sentence that is already chosen, and the similarity from which a
/// sentence repeats it.
const REPETITION: f64 = 0.3;
const MAX_SIMILARITY: f64 = 0.8;

/// Returns a summary of at most `max_chars` characters and the indexes of its sentences. If no
/// sentence fits, the best one is cut.
pub(super) fn summary(analysis: &Analysis<'_>, max_chars: usize) -> (String, Vec<usize>) {
    let chosen = chosen_sentences(analysis, max_chars);
    if !chosen.is_empty() {
        let texts: Vec<&str> = chosen
            .iter()
            .map(|index| analysis.sentence(*index))
            .collect();
        return (texts.join(separator(analysis)), chosen);
    }
    match analysis.ranking().first() {
        Some(best) => (
            cut_at_word(analysis.sentence(*best), max_chars),
            vec![*best],
        ),
        None => (String::new(), Vec::new()),
    }
}

/// Chooses sentences greedily by their score, less their similarity to those already chosen
/// (maximal marginal relevance, Carbonell and Goldstein 1998). Returns them in the order of the text.
fn chosen_sentences(analysis: &Analysis<'_>, max_chars: usize) -> Vec<usize> {
    let between = separator(analysis).len();
    let mut candidates = candidates(analysis);
    let mut chosen = Vec::new();
    let mut left = max_chars;
    loop {
        let needed = if chosen.is_empty() { 0 } else { between };
        candidates.retain(|(index, similarity)| {
            analysis.sentences[*index].chars + needed <= left && *similarity <= MAX_SIMILARITY
        });
        let score = |(index, similarity): &(usize, f64)| {
            analysis.sentences[*index].score - REPETITION * similarity
        };
        // `max_by` returns the last of equal candidates, so that the comparison by index is
        // reversed: the earlier sentence wins.
        let best = candidates
            .iter()
            .copied()
            .max_by(|a, b| score(a).total_cmp(&score(b)).then(b.0.cmp(&a.0)));
        let Some((best, _)) = best else {
            break;
        };
        left -= analysis.sentences[best].chars + needed;
        chosen.push(best);
        candidates.retain(|(index, _)| *index != best);
        let terms = &analysis.sentences[best].terms;
        for (index, similarity) in &mut candidates {
            *similarity = similarity.max(analysis.sentences[*index].terms.cosine(terms));
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Returns the sentences to choose from, each with its similarity to those chosen, which is 0. Short
/// sentences and repetitions of the title are included only if there is nothing else.
fn candidates(analysis: &Analysis<'_>) -> Vec<(usize, f64)> {
    let ranking = analysis.ranking();
    let says_more = |index: &usize| {
        let sentence = &analysis.sentences[*index];
        !sentence.repeats_title && !sentence.is_short
    };
    let has_better = ranking.iter().any(says_more);
    ranking
        .into_iter()
        .filter(|index| !has_better || says_more(index))
        .map(|index| (index, 0.0))
        .collect()
}

/// Chinese and Japanese sentences follow each other without a space.
fn separator(analysis: &Analysis<'_>) -> &'static str {
    if analysis.is_cjk { "" } else { " " }
}
