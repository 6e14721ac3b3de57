//! Highlighting of matches in a text.

use std::ops::Range;

use super::query::{Part, Query, Term};
use super::words::{Kind, WordPosition, each_word};

/// Returns the byte ranges of `text` that match terms of `query`. `part` is the part of the item
/// that the text is ([`Part::Any`] for its body). The ranges are sorted, do not overlap and lie on
/// character boundaries.
pub fn highlight(text: &str, part: Part, query: &Query) -> Vec<Range<usize>> {
    let terms: Vec<&Term> = query
        .groups
        .iter()
        .flatten()
        .filter(|term| term.part == Part::Any || term.part == part)
        .collect();
    if terms.is_empty() {
        return Vec::new();
    }
    let beginnings = Beginnings::of(&terms);
    let mut matcher = Matcher {
        terms,
        begun: Vec::new(),
        found: Vec::new(),
    };
    let mut start = 0;
    while let Some(piece) = beginnings.next_piece(text, start) {
        start = piece.end;
        matcher.take(text, piece);
        // A phrase continues in the next piece, even if that would be skipped.
        while !matcher.begun.is_empty() && start < text.len() {
            let end = end_of_piece(text, start + 1);
            matcher.take(text, start..end);
            start = end;
        }
    }
    merged(matcher.found)
}

/// Byte table that finds the positions at which a match may begin. Most of a text is skipped
/// without tokenising it, which would take several times as long.
struct Beginnings([u8; 256]);

impl Beginnings {
    /// The byte is part of an ASCII word.
    const PLAIN: u8 = 1;
    /// A term begins with this ASCII byte.
    const FIRST: u8 = 2;
    /// Not ASCII: only the tokeniser can tell.
    const OTHER: u8 = 4;

    /// Kinds of the bytes before the terms are added.
    const KINDS: [u8; 256] = {
        let mut kinds = [Self::OTHER; 256];
        let mut byte = 0_u8;
        while byte.is_ascii() {
            let is_plain = byte.is_ascii_alphanumeric();
            kinds[byte as usize] = if is_plain { Self::PLAIN } else { 0 };
            byte += 1;
        }
        kinds
    };

    fn of(terms: &[&Term]) -> Self {
        let mut kinds = Self::KINDS;
        for term in terms {
            let first = term.words.first().and_then(|word| word.bytes().next());
            if let Some(first) = first.filter(u8::is_ascii) {
                kinds[usize::from(first)] |= Self::FIRST;
                kinds[usize::from(first.to_ascii_uppercase())] |= Self::FIRST;
            }
        }
        Self(kinds)
    }

    /// Returns the next piece of `text` from `start` on, delimited by white space, that may contain a match.
    fn next_piece(&self, text: &str, start: usize) -> Option<Range<usize>> {
        let mut is_in_word = false;
        let at = text.as_bytes()[start..].iter().position(|byte| {
            let kind = self.0[usize::from(*byte)];
            let may_begin = kind & Self::FIRST != 0 && !is_in_word;
            is_in_word = kind & Self::PLAIN != 0;
            may_begin || kind & Self::OTHER != 0
        })?;
        let at = start + at;
        let blank = text[start..at].rfind(is_blank);
        Some(blank.map_or(start, |blank| start + blank)..end_of_piece(text, at))
    }
}

/// No word extends across white space.
fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace()
}

/// Returns the end of the piece of `text` that contains `at`.
fn end_of_piece(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at..];
    let blank = rest.iter().position(u8::is_ascii_whitespace);
    blank.map_or(text.len(), |blank| at + blank)
}

/// State of the matching: terms, partial matches and matches.
struct Matcher<'t> {
    terms: Vec<&'t Term>,
    begun: Vec<Begun<'t>>,
    found: Vec<Range<usize>>,
}

impl Matcher<'_> {
    /// Processes the words of a piece of `text`.
    fn take(&mut self, text: &str, piece: Range<usize>) {
        let (terms, begun) = (&self.terms, &mut self.begun);
        let offset = piece.start;
        each_word(&text[piece], |word| {
            let is_first = |term: &&&Term| is_wanted(&word, term, 0);
            if begun.is_empty() && !terms.iter().any(|term| is_first(&term)) {
                return;
            }
            // A partial match must continue with this word, or it is dropped.
            begun.retain(|begun| is_wanted(&word, begun.term, begun.met));
            begun.extend(terms.iter().filter(is_first).map(|term| Begun {
                term,
                met: 0,
                start: offset + word.at.start,
            }));
            begun.retain_mut(|begun| {
                begun.met += 1;
                let is_whole = begun.met == begun.term.words.len();
                if is_whole {
                    let end = offset + end_of(&word, begun.term);
                    self.found.push(begun.start..end);
                }
                !is_whole
            });
        });
    }
}

/// A partial match of a term of several words.
struct Begun<'t> {
    term: &'t Term,
    /// Number of words matched so far.
    met: usize,
    /// Start of the first word in the text.
    start: usize,
}

/// Returns `true` if a word matches the word of `term` at `index`.
fn is_wanted(found: &WordPosition<'_>, term: &Term, index: usize) -> bool {
    let wanted = term.words[index].as_str();
    match term.is_prefix && index == term.words.len() - 1 {
        true => found.word.starts_with(wanted),
        false => found.word == wanted,
    }
}

/// Returns the end of a match of `term`, of which `found` is the last word.
fn end_of(found: &WordPosition<'_>, term: &Term) -> usize {
    let wanted = term.words.last().map_or("", String::as_str);
    // If the term is a single character and matches the first half of a pair, highlight that half only.
    let is_half = found.kind == Kind::Pair && wanted.chars().count() == 1;
    if is_half {
        found.head_end
    } else {
        found.at.end
    }
}

/// Sorts the ranges and merges those that touch or overlap.
fn merged(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in found {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts brackets around the highlighted parts of `text`.
    fn shown(text: &str, part: Part, query: &str) -> String {
        let query = Query::parse(query).unwrap();
        let mut out = text.to_owned();
        for range in highlight(text, part, &query).into_iter().rev() {
            out.insert(range.end, ']');
            out.insert(range.start, '[');
        }
        out
    }

    #[test]
    fn what_matched_is_shown_as_it_is_written() {
        for (text, query, expected) in [
            (
                "A Café, a CAFE\u{301}!",
                "cafe",
                "A [Café], a [CAFE\u{301}]!",
            ),
            (
                "The quick brown fox",
                "\"quick brown\" fox",
                "The [quick brown] [fox]",
            ),
            ("brown, quick", "\"quick brown\"", "brown, quick"),
            ("football foot", "foot*", "[football] [foot]"),
            ("football foot", "foot", "football [foot]"),
            ("東京都と京都", "京都", "東[京都]と[京都]"),
            ("東京都庁", "東京都", "[東京都]庁"),
            ("東京都", "京", "東[京]都"),
            ("東京都", "都", "東京[都]"),
            ("ﾃｽﾄのテスト", "テスト", "[ﾃｽﾄ]の[テスト]"),
            ("東京、大阪だ", "\"東京 大阪\"", "[東京、大阪]だ"),
            ("Ｒust言語", "rust言語", "[Ｒust言語]"),
            ("a b c", "\"a b\" \"b c\"", "[a b c]"),
            ("a b", "x -a", "a b"),
            ("a b", "a OR b", "[a] [b]"),
            ("a b", "is:unread", "a b"),
            ("ever so ever", "\"so ever\"", "ever [so ever]"),
            ("so so\never", "\"so ever\"", "so [so\never]"),
            ("so — ever", "\"so ever\"", "[so — ever]"),
            ("(so)ever-so", "so", "([so])ever-[so]"),
            ("Ｆoot ﬁne", "foot fine", "[Ｆoot] [ﬁne]"),
            (
                "Foot, (FOOTBALL) 3.5",
                "foot* 5",
                "[Foot], ([FOOTBALL]) 3.[5]",
            ),
        ] {
            assert_eq!(shown(text, Part::Any, query), expected, "{query}");
        }
    }

    /// Highlights without skipping any part of the text.
    fn highlight_slowly(text: &str, query: &Query) -> Vec<Range<usize>> {
        let mut matcher = Matcher {
            terms: query.groups.iter().flatten().collect(),
            begun: Vec::new(),
            found: Vec::new(),
        };
        matcher.take(text, 0..text.len());
        merged(matcher.found)
    }

    proptest::proptest! {
        /// Texts over a small alphabet, so that most queries match.
        #[test]
        fn what_is_passed_by_is_nothing_that_was_looked_for(
            text in "[abAéﬁ京都 \\n.,-]{0,40}",
            query in "\"?[abé京都][abé京都 ]{0,4}\"?[*]?",
        ) {
            if let Ok(query) = Query::parse(&query) {
                proptest::prop_assert_eq!(
                    highlight(&text, Part::Any, &query),
                    highlight_slowly(&text, &query)
                );
            }
        }
    }

    #[test]
    fn what_is_asked_of_one_part_is_shown_there() {
        assert_eq!(shown("a b", Part::Title, "title:a b"), "[a] [b]");
        assert_eq!(shown("a b", Part::Any, "title:a b"), "a [b]");
        assert_eq!(shown("a b", Part::Author, "title:a author:b"), "a [b]");
    }
}
