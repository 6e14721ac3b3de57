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
    if terms.is_empty() || has_none(text, &terms) {
        return Vec::new();
    }
    let words = Words::of(text);
    let mut found: Vec<Range<usize>> = Vec::new();
    for term in terms {
        let last = term.words.len() - 1;
        for place in (0..words.spots.len()).filter(|place| words.has(term, *place)) {
            let start = words.spots[place].at.start;
            let end = &words.spots[place + last];
            // Of a pair that one character is the beginning of, only that one was looked for.
            let is_half = end.kind == Kind::Pair && term.words[last].chars().count() == 1;
            found.push(start..if is_half { end.head_end } else { end.at.end });
        }
    }
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

/// Whether a look at the letters shows that a text has none of `terms`, without taking it apart: most titles
/// and many excerpts have none. Plain letters only, of which words are made as they are, in lower case.
fn has_none(text: &str, terms: &[&Term]) -> bool {
    if !text.is_ascii() {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    terms
        .iter()
        .all(|term| term.words.iter().any(|word| !lower.contains(word.as_str())))
}

/// The words of a text in their order, and where each is written. Texts here are short: looking at
/// every word takes less time than sorting them.
struct Words {
    text: String,
    spots: Vec<Spot>,
}

struct Spot {
    /// Where the word is in `Words::text`.
    word: Range<usize>,
    /// Where it is written.
    at: Range<usize>,
    head_end: usize,
    kind: Kind,
}

impl Words {
    fn of(written: &str) -> Self {
        let mut text = String::with_capacity(written.len());
        let mut spots = Vec::with_capacity(written.len() / 4);
        each_word(written, |found| {
            let Found {
                word,
                at,
                head_end,
                kind,
            } = found;
            let start = text.len();
            text.push_str(word);
            spots.push(Spot {
                word: start..text.len(),
                at,
                head_end,
                kind,
            });
        });
        Self { text, spots }
    }

    /// Whether the words of `term` begin at `place`.
    fn has(&self, term: &Term, place: usize) -> bool {
        let last = term.words.len() - 1;
        term.words.iter().enumerate().all(|(index, wanted)| {
            let Some(spot) = self.spots.get(place + index) else {
                return false;
            };
            let word = &self.text[spot.word.clone()];
            match term.is_prefix && index == last {
                true => word.starts_with(wanted.as_str()),
                false => word == wanted,
            }
        })
    }
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
