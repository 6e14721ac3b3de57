//! Showing what matched.

use std::ops::Range;

use super::query::{Part, Query, Term};
use super::words::{Found, Kind, MAX_WORD_CHARS, each_word};

/// The bytes of `text`, which is `part` of an item ([`Part::Any`] for its text), that `query` looks
/// for. In order, apart from each other, and never within a character.
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
    let mut found: Vec<Range<usize>> = Vec::new();
    if text.is_ascii() {
        let lower = text.to_ascii_lowercase();
        for term in terms {
            find_plain(&lower, term, &mut found);
        }
        return merged(found);
    }
    let words = Words::of(text);
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
    merged(found)
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

/// Where `term` stands in a text of plain letters in lower case. Words are made of these as they are, so
/// that looking for the first letters does, and the text need not be taken apart.
fn find_plain(text: &str, term: &Term, found: &mut Vec<Range<usize>>) {
    let Some(first) = term.words.first() else {
        return;
    };
    for (start, _) in text.match_indices(first.as_str()) {
        let before = start.checked_sub(1).map(|before| text.as_bytes()[before]);
        if before.is_some_and(|before| before.is_ascii_alphanumeric()) {
            continue;
        }
        if let Some(end) = end_of_plain(text, start, term) {
            found.push(start..end);
        }
    }
}

/// Where `term` ends if its words stand one after the other from `start` on, which begins a word.
fn end_of_plain(text: &str, start: usize, term: &Term) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_inside = |at: &usize| bytes[*at].is_ascii_alphanumeric();
    let last = term.words.len() - 1;
    let mut at = start;
    for (index, wanted) in term.words.iter().enumerate() {
        let end = (at..bytes.len())
            .find(|at| !is_inside(at))
            .unwrap_or(bytes.len());
        let word = &text[at..end.min(at + MAX_WORD_CHARS)];
        let is_it = match term.is_prefix && index == last {
            true => word.starts_with(wanted.as_str()),
            false => word == wanted,
        };
        if !is_it {
            return None;
        }
        if index == last {
            return Some(end);
        }
        at = (end..bytes.len()).find(is_inside)?;
    }
    None
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
    fn plain_letters_are_found_as_those_of_any_text_are() {
        let long = "x".repeat(70);
        for text in [
            "gen nal, gen. GEN nalgen",
            "a-b a.b a b ab",
            "",
            "3.54 of 3 54",
            &format!("{long} {}", "x".repeat(64)),
        ] {
            for query in [
                "gen",
                "\"gen nal\"",
                "nal*",
                "\"a b\"",
                "a b",
                "\"3 54\"",
                &long,
                "of OR gen",
            ] {
                let query = Query::parse(query).unwrap();
                // A letter that is not plain makes the same text go the other way.
                let other = format!("{text} é");
                let plain = highlight(text, Part::Any, &query);
                assert_eq!(plain, highlight(&other, Part::Any, &query), "{text}");
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
