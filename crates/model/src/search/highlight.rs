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
        // A phrase goes on in the next piece, whatever it begins with.
        while !matcher.begun.is_empty() && start < text.len() {
            let end = end_of_piece(text, start + 1);
            matcher.take(text, start..end);
            start = end;
        }
    }
    merged(matcher.found)
}

/// What tells the few places of a text where something wanted may begin: most of it is passed by without
/// taking its words apart, which takes several times as long.
struct Beginnings([u8; 256]);

impl Beginnings {
    /// Part of a plain word.
    const PLAIN: u8 = 1;
    /// A plain word may be wanted that begins with it.
    const FIRST: u8 = 2;
    /// Not plain: what it comes apart into has to be seen.
    const OTHER: u8 = 4;

    /// What there is to say of each byte whatever is wanted.
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

    /// The next piece of `text` from `start` on, between two blanks, that may have something in it.
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

/// No word reaches over a blank.
fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace()
}

/// Where the piece of `text` that reaches to `at` ends.
fn end_of_piece(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at..];
    let blank = rest.iter().position(u8::is_ascii_whitespace);
    blank.map_or(text.len(), |blank| at + blank)
}

/// What was met so far.
struct Matcher<'t> {
    terms: Vec<&'t Term>,
    begun: Vec<Begun<'t>>,
    found: Vec<Range<usize>>,
}

impl Matcher<'_> {
    /// Goes on with the words of a piece of `text`.
    fn take(&mut self, text: &str, piece: Range<usize>) {
        let (terms, begun) = (&self.terms, &mut self.begun);
        let offset = piece.start;
        each_word(&text[piece], |word| {
            let is_first = |term: &&&Term| is_wanted(&word, term, 0);
            if begun.is_empty() && !terms.iter().any(|term| is_first(&term)) {
                return;
            }
            // What began before goes on with this word, or it was nothing.
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

    /// The same without passing anything by.
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
        /// Texts of few letters, so that something is found in most.
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
