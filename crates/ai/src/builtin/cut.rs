//! Cutting a sentence to a length, with an ellipsis.

use unicode_segmentation::UnicodeSegmentation;

const ELLIPSIS: char = '…';
/// Minimum part of the length, as a fraction, that is left by a cut between words. A longer "word"
/// is an address or a script without spaces and is cut between characters.
const MIN_WORD_CUT: (usize, usize) = (1, 2);
/// The same for a cut between clauses; a shorter one says too little.
const MIN_CLAUSE_CUT: (usize, usize) = (2, 5);

/// Returns `text`, cut between words to at most `max_chars` characters with an ellipsis.
pub(super) fn cut_at_word(text: &str, max_chars: usize) -> String {
    cut(text, max_chars, |head| last_blank(head, max_chars))
}

/// Returns `text`, cut between clauses if there is a mark, or else between words, to at most
/// `max_chars` characters with an ellipsis.
pub(super) fn cut_at_clause(text: &str, max_chars: usize) -> String {
    cut(text, max_chars, |head| {
        last_clause_mark(head, max_chars).or_else(|| last_blank(head, max_chars))
    })
}

fn last_blank(head: &str, max_chars: usize) -> Option<usize> {
    let blank = head.char_indices().rev().find(|(_, c)| c.is_whitespace());
    blank
        .map(|(at, _)| at)
        .filter(|at| is_enough(&head[..*at], max_chars, MIN_WORD_CUT))
}

fn last_clause_mark(head: &str, max_chars: usize) -> Option<usize> {
    let mut chars = head.char_indices().rev();
    let mark = chars.find(|(at, c)| is_clause_mark(*c, head[at + c.len_utf8()..].chars().next()));
    mark.map(|(at, _)| at)
        .filter(|at| is_enough(&head[..*at], max_chars, MIN_CLAUSE_CUT))
}

/// Cuts `text` at the position that `find_end` returns, or else between characters. `find_end` gets
/// one character more than fits beside the ellipsis, so that it sees a word that ends exactly there.
fn cut(text: &str, max_chars: usize, find_end: impl Fn(&str) -> Option<usize>) -> String {
    if text.chars().nth(max_chars).is_none() {
        return text.to_owned();
    }
    let head_end = text
        .char_indices()
        .nth(max_chars)
        .map_or(text.len(), |(at, _)| at);
    let head = &text[..head_end];
    let end = find_end(head).unwrap_or_else(|| whole_characters(text, max_chars.saturating_sub(1)));
    let kept = text[..end].trim_end_matches(|c: char| {
        c.is_whitespace() || is_clause_mark(c, None) || matches!(c, '-' | '(' | '“' | '"' | '「')
    });
    if max_chars == 0 {
        return String::new();
    }
    format!("{kept}{ELLIPSIS}")
}

/// Returns the end of the last user-perceived character within `max_chars`, so that a letter keeps
/// its combining marks.
fn whole_characters(text: &str, max_chars: usize) -> usize {
    let mut chars = 0;
    let mut end = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        chars += grapheme.chars().count();
        if chars > max_chars {
            break;
        }
        end = at + grapheme.len();
    }
    end
}

fn is_enough(head: &str, max_chars: usize, (part, of): (usize, usize)) -> bool {
    head.chars().count() * of >= max_chars * part
}

/// Returns `true` for a mark between clauses. Between digits it is part of a number, and a hyphen
/// is not a dash.
fn is_clause_mark(c: char, next: Option<char>) -> bool {
    match c {
        ',' | ';' | ':' => next.is_none_or(char::is_whitespace),
        '、' | '，' | '；' | '：' | '،' | '؛' | '–' | '—' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_cut_between_clauses_or_words() {
        for (text, max, clause, word) in [
            ("Short.", 10, "Short.", "Short."),
            (
                "The harbour is closed, and all ferries wait.",
                30,
                "The harbour is closed…",
                "The harbour is closed, and…",
            ),
            ("One two three four", 9, "One two…", "One two…"),
            (
                "No, the harbour is closed today.",
                20,
                "No, the harbour is…",
                "No, the harbour is…",
            ),
            ("It cost 1,000,000 and more.", 13, "It cost…", "It cost…"),
            (
                "港は閉鎖され、船は待っています。",
                10,
                "港は閉鎖され…",
                "港は閉鎖され、船は…",
            ),
            ("Donaudampfschifffahrt", 8, "Donauda…", "Donauda…"),
            (
                "e\u{301}e\u{301}e\u{301}e\u{301}",
                4,
                "e\u{301}…",
                "e\u{301}…",
            ),
            ("a", 0, "", ""),
        ] {
            assert_eq!(cut_at_clause(text, max), clause);
            assert_eq!(cut_at_word(text, max), word);
            assert!(clause.chars().count() <= max && word.chars().count() <= max);
        }
    }
}
