//! Showing what matched.

use std::ops::Range;

use super::query::{Part, Query, Term};
use super::words::{Found, Kind, each_word};

/// The bytes of `text`, which is `part` of an item ([`Part::Any`] for its text), that `query` looks
/// for. In order, apart from each other, and never within a character.
pub fn highlight(text: &str, part: Part, query: &Query) -> Vec<Range<usize>> {
    let terms: Vec<&Term> = query
        .groups
        .iter()
        .flatten()
        .filter(|term| term.part == Part::Any || term.part == part)
        .collect();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut begun: Vec<Begun<'_>> = Vec::new();
    if !terms.is_empty() {
        each_word(text, |word| {
            let is_first = |term: &&&Term| is_wanted(&word, term, 0);
            if begun.is_empty() && !terms.iter().any(|term| is_first(&term)) {
                return;
            }
            // What began before goes on with this word, or it was nothing.
            begun.retain(|begun| is_wanted(&word, begun.term, begun.met));
            begun.extend(terms.iter().filter(is_first).map(|term| Begun {
                term,
                met: 0,
                start: word.at.start,
            }));
            begun.retain_mut(|begun| {
                begun.met += 1;
                let is_whole = begun.met == begun.term.words.len();
                if is_whole {
                    found.push(begun.start..end_of(&word, begun.term));
                }
                !is_whole
            });
        });
    }
    merged(found)
}

/// Words of a term that stand one after the other.
struct Begun<'t> {
    term: &'t Term,
    /// How many of its words were met.
    met: usize,
    /// Where the first is written.
    start: usize,
}

/// Whether a word is the one of `term` at `index`.
fn is_wanted(found: &Found<'_>, term: &Term, index: usize) -> bool {
    let wanted = term.words[index].as_str();
    match term.is_prefix && index == term.words.len() - 1 {
        true => found.word.starts_with(wanted),
        false => found.word == wanted,
    }
}

/// Where `term` ends, of which `found` is the last word.
fn end_of(found: &Found<'_>, term: &Term) -> usize {
    let wanted = term.words.last().map_or("", String::as_str);
    // Of a pair that one character is the beginning of, only that one was looked for.
    let is_half = found.kind == Kind::Pair && wanted.chars().count() == 1;
    if is_half {
        found.head_end
    } else {
        found.at.end
    }
}

/// The ranges in order and apart from each other.
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

    /// `text` with brackets around what is highlighted.
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
            (
                "Foot, (FOOTBALL) 3.5",
                "foot* 5",
                "[Foot], ([FOOTBALL]) 3.[5]",
            ),
        ] {
            assert_eq!(shown(text, Part::Any, query), expected, "{query}");
        }
    }

    #[test]
    fn what_is_asked_of_one_part_is_shown_there() {
        assert_eq!(shown("a b", Part::Title, "title:a b"), "[a] [b]");
        assert_eq!(shown("a b", Part::Any, "title:a b"), "a [b]");
        assert_eq!(shown("a b", Part::Author, "title:a author:b"), "a [b]");
    }
}
