//! Sentences of a text, as ranges of it.
//!
//! Rules instead of a library, because none of the candidates does all of this: the sentence
//! boundaries of Unicode (UAX #29, `unicode-segmentation`) know no abbreviations and split "Dr.
//! Smith"; `sentencex`, which does, splits 「…。」と and "19. Jahrhundert", takes 180 ms for 2 KB of
//! Danish because it compiles an expression at every period, and seconds for 100 KB of opening
//! quotation marks. Everything here is linear in the length of the text.
//!
//! A line break ends a sentence: it separates paragraphs, headings and list entries. Line breaks of
//! an HTML source mean nothing, and callers pass a text in which they are spaces.

mod lists;
mod marks;
mod quotations;
#[cfg(test)]
mod tests;

use std::ops::Range;

use lists::list_entries;
use marks::{is_bullet, is_closer, is_opener, is_strong_terminator, is_weak_terminator};
use quotations::quotations;

use super::language::{Abbreviation, Language, is_cjk};

/// Maximum length in characters of a word with its periods that is looked up.
const MAX_WORD_CHARS: usize = 40;
/// Maximum length in characters of an abbreviation that is recognised by its lack of vowels.
const MAX_CONSONANTS: usize = 4;
/// Minimum number of words in a sentence before a time ("at 6 p.m. Mr. Smith") may end it; "At 6
/// p.m. Mr. Smith left" has fewer.
const MIN_WORDS_BEFORE_TIME: usize = 5;

/// Returns the sentences of `text` in order, without surrounding white space.
pub(super) fn sentences(text: &str, language: Language) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        if is_line_break(c) {
            Line::new(text, start..at, language).split(&mut found);
            start = at + c.len_utf8();
        }
    }
    Line::new(text, start..text.len(), language).split(&mut found);
    found
}

fn is_line_break(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// One line of the text. Positions are indexes into `chars`.
struct Line<'a> {
    text: &'a str,
    range: Range<usize>,
    chars: Vec<(usize, char)>,
    language: Language,
    is_greek: bool,
    /// Quotations and parentheses, first to last character, sorted and not overlapping.
    quotations: Vec<(usize, usize)>,
}

impl<'a> Line<'a> {
    fn new(text: &'a str, range: Range<usize>, language: Language) -> Self {
        let line = &text[range.clone()];
        let chars: Vec<(usize, char)> = line
            .char_indices()
            .map(|(at, c)| (range.start + at, c))
            .collect();
        let quotations = quotations(&chars);
        Self {
            text,
            range,
            chars,
            language,
            is_greek: language.tag() == Some("el"),
            quotations,
        }
    }

    fn split(&self, found: &mut Vec<Range<usize>>) {
        let mut entries = list_entries(&self.chars).into_iter().peekable();
        let mut quotations = self.quotations.iter().peekable();
        let mut start = 0;
        let mut at = 0;
        while at < self.chars.len() {
            if entries.next_if(|entry| *entry <= at).is_some() && at > start {
                self.push(start..at, found);
                start = at;
            }
            let end = if let Some((open, close)) = quotations.next_if(|(open, _)| *open <= at) {
                at = close + 1;
                self.end_after_quotation(start, *open, *close)
            } else if self.is_terminator(at) {
                let end = self.end_after_terminator(start, at);
                at = end.unwrap_or_else(|| self.end_of_run(at));
                end
            } else {
                at += 1;
                None
            };
            if let Some(end) = end {
                self.push(start..end, found);
                (start, at) = (end, end);
            }
        }
        self.push(start..self.chars.len(), found);
    }

    fn push(&self, chars: Range<usize>, found: &mut Vec<Range<usize>>) {
        let start = self.byte(chars.start);
        let sentence = &self.text[start..self.byte(chars.end)];
        let trimmed = sentence.trim();
        if !trimmed.is_empty() {
            let start = start + (sentence.len() - sentence.trim_start().len());
            found.push(start..start + trimmed.len());
        }
    }

    fn byte(&self, at: usize) -> usize {
        self.chars.get(at).map_or(self.range.end, |(byte, _)| *byte)
    }

    fn char(&self, at: usize) -> Option<char> {
        self.chars.get(at).map(|(_, c)| *c)
    }

    fn str(&self, chars: Range<usize>) -> &'a str {
        &self.text[self.byte(chars.start)..self.byte(chars.end)]
    }

    fn is_terminator(&self, at: usize) -> bool {
        self.char(at).is_some_and(|c| {
            is_weak_terminator(c) || is_strong_terminator(c) || (c == ';' && self.is_greek)
        })
    }

    /// Returns the position after a run of terminators that begins at `at`, including the dots of
    /// a spaced ellipsis (". . .").
    fn end_of_run(&self, at: usize) -> usize {
        let mut end = at;
        while self.is_terminator(end) {
            end += 1;
        }
        while self.char(end) == Some(' ') && self.char(end + 1) == Some('.') {
            end += 2;
            while self.char(end) == Some('.') {
                end += 1;
            }
        }
        end
    }

    fn after_closers(&self, mut at: usize) -> usize {
        let opens = |at: usize| {
            let quotation = self.quotations.binary_search_by_key(&at, |(open, _)| *open);
            quotation.is_ok()
        };
        while self.char(at).is_some_and(is_closer) && !opens(at) {
            at += 1;
        }
        at
    }

    /// Returns the end of the sentence that began at `start` if the terminator at `at` ends it.
    fn end_after_terminator(&self, start: usize, at: usize) -> Option<usize> {
        let end = self.end_of_run(at);
        let closed = self.after_closers(end);
        let c = self.char(at)?;
        if is_strong_terminator(c) {
            let is_decimal = c == '．' && end == at + 1 && self.is_between_digits(at);
            return (!is_decimal).then_some(closed);
        }
        let run = self.str(at..end);
        let dots = run.chars().filter(|c| *c == '.').count();
        let is_ellipsis = c == '…' || (dots > 1 && c == '.');
        let is_spaced = run.contains(' ');
        if is_ellipsis && is_spaced {
            // Three dots omit words inside a sentence. With a fourth the sentence has ended, before
            // the ellipsis if that dot is attached to a word.
            let is_attached = at > 0 && !self.chars[at - 1].1.is_whitespace();
            let ends = dots > 3 && self.can_begin_sentence(closed);
            let is_last = self.str(closed..self.chars.len()).trim().is_empty();
            return match is_attached && !is_last {
                true if ends => Some(at + 1),
                _ => ends.then_some(closed),
            };
        }
        if closed == self.chars.len() {
            return Some(closed);
        }
        let next = self.char(closed)?;
        if !next.is_whitespace() {
            return self.is_glued(start, at, end, closed).then_some(end);
        }
        if !self.can_begin_sentence(closed) {
            return None;
        }
        let ends = match c {
            '.' if end == at + 1 => self.ends_at_period(start, at, closed),
            _ if is_ellipsis => dots > 3 || self.next_word(closed) != "I",
            _ => true,
        };
        ends.then_some(closed)
    }

    /// Returns the end of the sentence that began at `start` if the quotation or parenthesis with
    /// these first and last characters ends it: by a terminator just before the closing mark.
    fn end_after_quotation(&self, start: usize, open: usize, close: usize) -> Option<usize> {
        // Not "[...]", which omits words.
        let last = (open..close)
            .rev()
            .map(|at| self.chars[at].1)
            .find(|c| !c.is_whitespace() && (!is_closer(*c) || *c == ']'))?;
        let is_bracket = matches!(self.chars[open].1, '(' | '[' | '{' | '（' | '【');
        let begins_sentence = self.str(start..open).trim().is_empty();
        let closed = self.after_closers(close + 1);
        let is_end = (is_weak_terminator(last) || is_strong_terminator(last))
            && (!is_bracket || begins_sentence)
            && self.char(closed).is_none_or(char::is_whitespace)
            && self.can_begin_sentence(closed);
        is_end.then_some(closed)
    }

    /// Returns `true` if a sentence can begin at the first character that is not white space after
    /// `at`: no lower-case letter and no mark that continues one.
    fn can_begin_sentence(&self, at: usize) -> bool {
        let first = self.chars[at.min(self.chars.len())..]
            .iter()
            .map(|(_, c)| *c)
            .find(|c| !c.is_whitespace() && !is_opener(*c));
        first.is_none_or(|c| {
            !c.is_lowercase()
                && !matches!(
                    c,
                    ',' | ';' | ':' | ')' | ']' | '}' | '%' | '/' | '&' | '=' | '、' | '，' | '،'
                )
        })
    }

    /// Returns `true` if the blank after the terminators from `at` to `end` is missing: "ended.The
    /// next". Names such as "Node.js", "ASP.NET" and addresses do not count.
    fn is_glued(&self, start: usize, at: usize, end: usize, closed: usize) -> bool {
        let (Some(before), Some(next)) = (
            at.checked_sub(1).and_then(|at| self.char(at)),
            self.char(end),
        ) else {
            return false;
        };
        if is_cjk(next) {
            return is_cjk(before);
        }
        let word = self.word_before(start, at);
        let has_capital = next.is_uppercase() && self.char(end + 1).is_some_and(char::is_lowercase);
        let is_word = word.chars().count() > 1
            && word.chars().all(char::is_alphabetic)
            && before.is_lowercase();
        closed == end
            && has_capital
            && is_word
            && !self.is_address(end)
            && self.language.abbreviation(word).is_none()
    }

    /// Returns `true` if the word at `at` is part of an address: "Doe@example.org", "Example.org/a".
    fn is_address(&self, at: usize) -> bool {
        let rest = &self.chars[at..self.chars.len().min(at + MAX_WORD_CHARS)];
        let blank = rest.iter().position(|(_, c)| c.is_whitespace());
        let word = &rest[..blank.unwrap_or(rest.len())];
        word.iter().any(|(_, c)| matches!(c, '@' | '/'))
            || word
                .windows(2)
                .any(|pair| pair[0].1 == '.' && pair[1].1.is_lowercase())
    }

    fn is_between_digits(&self, at: usize) -> bool {
        let is_digit = |at: Option<usize>| {
            at.and_then(|at| self.char(at))
                .is_some_and(char::is_numeric)
        };
        is_digit(at.checked_sub(1)) && is_digit(Some(at + 1))
    }

    /// Returns the characters without white space, brackets and quotation marks before `at`, in a
    /// sentence that begins at `start`.
    fn word_before(&self, start: usize, at: usize) -> &'a str {
        let first = start.max(at.saturating_sub(MAX_WORD_CHARS));
        let mark = self.chars[first..at]
            .iter()
            .rposition(|(_, c)| c.is_whitespace() || is_opener(*c) && *c != '-');
        self.str(mark.map_or(first, |place| first + place + 1)..at)
    }

    /// Returns the letters of the next word after `at`, without openers.
    fn next_word(&self, at: usize) -> &'a str {
        let first = self.next_letter(at);
        let last = (first..self.chars.len())
            .take(MAX_WORD_CHARS)
            .find(|at| !self.chars[*at].1.is_alphanumeric())
            .unwrap_or((first + MAX_WORD_CHARS).min(self.chars.len()));
        self.str(first..last)
    }

    /// Returns the position of the next letter or digit after `at`, near which it has to be.
    fn next_letter(&self, at: usize) -> usize {
        (at..self.chars.len())
            .take(MAX_WORD_CHARS)
            .find(|at| self.chars[*at].1.is_alphanumeric())
            .unwrap_or(self.chars.len())
    }

    /// Decides about a single period at `at` with white space after `closed` and then no lower-case
    /// letter: the word before it may be abbreviated.
    fn ends_at_period(&self, start: usize, at: usize, closed: usize) -> bool {
        let token = self.word_before(start, at);
        let word = token
            .rsplit(['.', '-', '/', '\'', '’', '–'])
            .next()
            .unwrap_or_default();
        let Some(first) = word.chars().next() else {
            return true;
        };
        if token.contains(['/', '@']) {
            return true;
        }
        let next = self.next_word(closed);
        let before_number = next.starts_with(char::is_numeric);
        let is_alone = token.len() == word.len();
        let sentence_before = self.str(start..at);
        let follows_number = sentence_before[..sentence_before.len() - token.len()]
            .trim_end()
            .ends_with(char::is_numeric);
        let starter = || self.is_starter(next, closed);

        if word.chars().all(char::is_numeric) {
            return self.ends_at_number(token, sentence_before, starter);
        }
        if is_time(token) && self.language.abbreviation(next) == Some(Abbreviation::Title) {
            return sentence_before.split_whitespace().count() >= MIN_WORDS_BEFORE_TIME;
        }
        let known = match self.language.abbreviation(token) {
            Some(Abbreviation::BeforeNumber) | None if !is_alone => {
                self.language.abbreviation(word)
            }
            known => known,
        };
        match known {
            Some(Abbreviation::Title) => return false,
            Some(Abbreviation::Other) => return !before_number && starter(),
            Some(Abbreviation::BeforeNumber) if before_number => return false,
            _ => {}
        }
        let is_initials = !is_alone && is_acronym(token);
        let is_letter = word.chars().count() == 1 && first.is_alphabetic() && is_alone;
        let is_unit = follows_number && !is_initials;
        if is_initials || ((is_letter || is_consonants(word)) && !is_unit) {
            return !before_number && starter();
        }
        if self.language.has_ordinal_period && is_roman(word) {
            return starter();
        }
        true
    }

    /// Decides about a period after the number `token`: it may be a list number or an ordinal.
    fn ends_at_number(&self, token: &str, before: &str, starter: impl Fn() -> bool) -> bool {
        const MAX_ORDINAL_DIGITS: usize = 3;
        let is_short =
            token.len() <= MAX_ORDINAL_DIGITS && token.bytes().all(|b| b.is_ascii_digit());
        let is_list_number = before
            .trim_start_matches(|c: char| c.is_whitespace() || is_bullet(c))
            .len()
            == token.len();
        if is_short && is_list_number {
            return false;
        }
        !(is_short && self.language.has_ordinal_period) || starter()
    }

    /// Returns `true` if `word`, the first after `at`, is a function word in the form that begins a
    /// sentence. A letter with a period is an initial: "A. Smith".
    fn is_starter(&self, word: &str, at: usize) -> bool {
        let mut chars = word.chars();
        let is_capitalised =
            chars.next().is_some_and(|c| !c.is_lowercase()) && chars.all(|c| !c.is_uppercase());
        let is_initial =
            word.chars().count() == 1 && self.char(self.next_letter(at) + 1) == Some('.');
        is_capitalised && !is_initial && self.language.is_sentence_starter(word)
    }
}

/// Returns `true` for letters with periods, in groups of one or two: "U.S", "z.B", "т.е".
fn is_acronym(token: &str) -> bool {
    token.split('.').all(|part| {
        let letters = part.chars().count();
        (1..=2).contains(&letters) && part.chars().all(char::is_alphabetic)
    })
}

fn is_time(token: &str) -> bool {
    let letters = token.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
    letters.eq_ignore_ascii_case("a.m") || letters.eq_ignore_ascii_case("p.m")
}

/// Returns `true` for two or more consonants that are not all capital letters: "Skt", "vnw", "кв".
/// Words have vowels, and names such as "BBC" are written in capitals.
fn is_consonants(word: &str) -> bool {
    let letters = word.chars().count();
    let is_vowel = |c: char| {
        c.to_lowercase()
            .any(|c| "aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýÿąęěůűőıаеёиоуыэюяіїє".contains(c))
    };
    let is_latin_or_cyrillic = |c: char| {
        c.is_ascii_alphabetic() || matches!(c, '\u{c0}'..='\u{24f}' | '\u{400}'..='\u{52f}')
    };
    (2..=MAX_CONSONANTS).contains(&letters)
        && word
            .chars()
            .all(|c| is_latin_or_cyrillic(c) && !is_vowel(c))
        && word.chars().any(char::is_lowercase)
}

fn is_roman(word: &str) -> bool {
    word.chars().all(|c| matches!(c, 'I' | 'V' | 'X'))
}
