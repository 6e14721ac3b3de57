//! Tokeniser: the words of a text as the search index stores them.
//!
//! Both engines get the same words from here, so that they find the same items. Scripts with spaces
//! yield words, in lower case and without accents. Chinese, Japanese and Korean yield overlapping
//! pairs of characters, and the last character of a run by itself: any two neighbours are found as
//! a word, and a single character as the prefix of one. Numbers are words too.

use std::ops::Range;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Maximum number of words of one text that are indexed; a longer text is data and not prose.
const MAX_WORDS: usize = 16_000;
/// Maximum length of an indexed word, in characters; the rest of the word is ignored.
const MAX_WORD_CHARS: usize = 64;
/// Maximum size of all words of one text. PostgreSQL can index a mebibyte per item; the difference
/// leaves space for the title and for the positions of the words.
const MAX_BYTES: usize = 640 * 1024;

/// Returns the words of `text` in their order, separated by spaces.
pub fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    each_word(text, |found| {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(found.word);
    });
    out
}

/// A word and its position in the text.
pub(super) struct WordPosition<'w> {
    pub(super) word: &'w str,
    pub(super) kind: Kind,
    /// Byte range of the text that the word comes from.
    pub(super) at: Range<usize>,
    /// End of the word's first character in the text.
    pub(super) head_end: usize,
}

/// Kinds of words, by script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word of a script with spaces.
    Word,
    /// Two neighbouring characters of an unspaced script.
    Pair,
    /// The last character of a run of such pairs.
    Last,
    /// A single character of such a script.
    Alone,
}

/// Calls `take` with each word of `text`, in their order.
pub(super) fn each_word(text: &str, take: impl FnMut(WordPosition<'_>)) {
    let mut words = Words::new(take);
    let mut start = 0;
    while let Some(byte) = text.as_bytes().get(start)
        && !words.is_full()
    {
        if byte.is_ascii_alphanumeric() {
            // Most of a text is ASCII: process a whole run at a time.
            let run = AsciiRun::at(text, start);
            words.take_ascii(&run, start);
            start += run.letters.len();
        } else if byte.is_ascii() {
            words.end_run();
            words.end_word();
            start += 1;
        } else if let Some(c) = text[start..].chars().next() {
            words.take_char(c, start..start + c.len_utf8());
            start += c.len_utf8();
        }
    }
    words.end_run();
    words.end_word();
}

/// Decomposes `c` into lower-case letters, accents and other characters: half- and full-width
/// forms, ligatures and precomposed accents are split. Characters of unspaced scripts are only
/// brought into compatibility form (NFKC), because the pairs are made of them.
fn take_apart(c: char, mut take: impl FnMut(char)) {
    for part in std::iter::once(c).nfkc() {
        match is_unspaced(part) {
            true => take(part),
            false => std::iter::once(part)
                .nfd()
                .flat_map(char::to_lowercase)
                .for_each(&mut take),
        }
    }
}

/// Decompositions of the characters of most alphabets and of typographic punctuation. A lookup
/// takes a fraction of the time, and every other text contains some of them.
static COMMON: LazyLock<Common> = LazyLock::new(Common::new);

struct Common {
    parts: String,
    /// End of each character's decomposition in `parts`; it starts at the end of the previous one.
    ends: Vec<u16>,
}

impl Common {
    const FIRST: u32 = 0x80;
    /// Up to the end of general punctuation: quotes, dashes, “…”.
    const LAST: u32 = 0x206f;

    fn new() -> Self {
        let (mut parts, mut ends) = (String::new(), Vec::new());
        for c in (Self::FIRST..=Self::LAST).filter_map(char::from_u32) {
            // Never looked up: unspaced characters form pairs and are not decomposed.
            if !is_unspaced(c) {
                take_apart(c, |part| parts.push(part));
            }
            ends.push(u16::try_from(parts.len()).unwrap_or(u16::MAX));
        }
        Self { parts, ends }
    }

    fn parts(&self, c: char) -> Option<&str> {
        let place = usize::try_from(u32::from(c).checked_sub(Self::FIRST)?).ok()?;
        let end = usize::from(*self.ends.get(place)?);
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.parts[usize::from(start)..end])
    }
}

/// A run of ASCII letters and digits.
struct AsciiRun<'t> {
    letters: &'t str,
    /// True if the run is a word as it is: in lower case, and not followed by a non-ASCII letter or
    /// an accent.
    is_word: bool,
}

impl<'t> AsciiRun<'t> {
    fn at(text: &'t str, start: usize) -> Self {
        let bytes = text.as_bytes();
        let mut has_capitals = false;
        let mut end = start;
        while let Some(byte) = bytes.get(end)
            && byte.is_ascii_alphanumeric()
        {
            has_capitals |= byte.is_ascii_uppercase();
            end += 1;
        }
        let is_whole = bytes.get(end).is_none_or(u8::is_ascii);
        Self {
            letters: &text[start..end],
            is_word: is_whole && !has_capitals && end - start <= MAX_WORD_CHARS,
        }
    }
}

/// Returns `true` if `c` belongs to a script that is written without spaces, or in which parts of
/// words are searched for.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' // Hangul Jamo
        | '\u{3005}'..='\u{3007}' // 々 〆 〇
        | '\u{3041}'..='\u{30ff}' // Hiragana, Katakana
        | '\u{3105}'..='\u{31ff}' // Bopomofo, Hangul letters, Katakana extensions
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' // Hangul
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
        && c.is_alphanumeric()
}

/// State of the tokeniser.
struct Words<F> {
    take: F,
    /// The current word and its number of characters, which may exceed those stored.
    word: String,
    chars: usize,
    at: Range<usize>,
    head_end: usize,
    /// The last character of an unspaced run, whose pair is not known yet.
    left: Option<(char, Range<usize>)>,
    /// True if that character forms a pair with the one before it.
    is_paired: bool,
    count: usize,
    bytes: usize,
}

impl<F: FnMut(WordPosition<'_>)> Words<F> {
    fn new(take: F) -> Self {
        Self {
            take,
            word: String::new(),
            chars: 0,
            at: 0..0,
            head_end: 0,
            left: None,
            is_paired: false,
            count: 0,
            bytes: 0,
        }
    }

    fn take_ascii(&mut self, run: &AsciiRun<'_>, start: usize) {
        self.end_run();
        let letters = run.letters;
        if self.chars == 0 && run.is_word {
            let at = start..start + letters.len();
            return self.give(letters, Kind::Word, at, start + 1);
        }
        if self.chars == 0 {
            self.word.clear();
            self.at.start = start;
            self.head_end = start + 1;
        }
        let room = MAX_WORD_CHARS.saturating_sub(self.chars);
        let old = self.word.len();
        self.word.push_str(&letters[..letters.len().min(room)]);
        self.word[old..].make_ascii_lowercase();
        self.chars += letters.len();
        self.at.end = start + letters.len();
    }

    /// Processes a non-ASCII character at the byte range `at`.
    fn take_char(&mut self, c: char, at: Range<usize>) {
        if is_unspaced(c) {
            self.take_unspaced(c, at);
        } else if let Some(parts) = COMMON.parts(c) {
            parts
                .chars()
                .for_each(|part| self.take_other(part, at.clone()));
        } else {
            take_apart(c, |part| match is_unspaced(part) {
                true => self.take_unspaced(part, at.clone()),
                false => self.take_other(part, at.clone()),
            });
        }
    }

    fn take_other(&mut self, c: char, at: Range<usize>) {
        if ('\u{300}'..='\u{36f}').contains(&c) {
            // An accent is not indexed, but highlighted with its letter: "é" is found as "e".
            if self.chars > 0 {
                self.at.end = at.end;
            }
        } else if c.is_alphanumeric() || (is_combining_mark(c) && self.chars > 0) {
            // Combining marks of other scripts are part of the word.
            self.end_run();
            self.add(c, at);
        } else {
            self.end_run();
            self.end_word();
        }
    }

    fn take_unspaced(&mut self, c: char, at: Range<usize>) {
        self.end_word();
        match self.left.replace((c, at.clone())) {
            None => self.is_paired = false,
            Some((left, left_at)) => {
                self.add(left, left_at);
                self.add(c, at);
                self.end_as(Kind::Pair);
                self.is_paired = true;
            }
        }
    }

    /// Emits the last character of a run as a word, so that every character is the beginning of a word.
    #[inline]
    fn end_run(&mut self) {
        // Called at every word, and usually there is none.
        if self.left.is_some() {
            self.give_last();
        }
    }

    fn give_last(&mut self) {
        if let Some((left, at)) = self.left.take() {
            self.add(left, at);
            self.end_as(match self.is_paired {
                true => Kind::Last,
                false => Kind::Alone,
            });
        }
    }

    fn add(&mut self, c: char, at: Range<usize>) {
        if self.chars == 0 {
            self.word.clear();
            self.at.start = at.start;
            self.head_end = at.end;
        }
        if self.chars < MAX_WORD_CHARS {
            self.word.push(c);
        }
        self.chars += 1;
        self.at.end = at.end;
    }

    #[inline]
    fn end_word(&mut self) {
        if self.chars > 0 {
            self.end_as(Kind::Word);
        }
    }

    fn end_as(&mut self, kind: Kind) {
        self.chars = 0;
        let word = std::mem::take(&mut self.word);
        self.give(&word, kind, self.at.clone(), self.head_end);
        self.word = word;
    }

    fn give(&mut self, word: &str, kind: Kind, at: Range<usize>, head_end: usize) {
        self.count += 1;
        self.bytes += word.len() + 1;
        (self.take)(WordPosition {
            word,
            kind,
            at,
            head_end,
        });
    }

    fn is_full(&self) -> bool {
        self.count >= MAX_WORDS || self.bytes >= MAX_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_and_without_accents() {
        for (text, expected) in [
            ("The Quick, brown—fox!", "the quick brown fox"),
            ("Crème brûlée à la CAFÉ", "creme brulee a la cafe"),
            ("e\u{301}tude", "etude"),
            ("İstanbul Ærø Ñandú", "istanbul ærø nandu"),
            ("Ελλάδα Ёлка", "ελλαδα елка"),
            ("version 3.54.1 of SQLite", "version 3 54 1 of sqlite"),
            ("don't", "don t"),
            ("ﬁne ｗｉｄｅ Ⅳ", "fine wide iv"),
            ("हिन्दी में", "हिन्दी में"),
            ("", ""),
            (" \u{301} … ", ""),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn scripts_without_blanks_give_pairs_and_the_last_character() {
        for (text, expected) in [
            ("日本語", "日本 本語 語"),
            ("日", "日"),
            ("がぎ", "がぎ ぎ"),
            ("ﾃｽﾄ", "テス スト ト"),
            ("한국어 뉴스", "한국 국어 어 뉴스 스"),
            ("東京2026年", "東京 京 2026 年"),
            ("Rust言語とC", "rust 言語 語と と c"),
            ("中文，新聞", "中文 文 新聞 聞"),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_looked_up_is_what_each_character_comes_apart_into() {
        for c in (Common::FIRST..=Common::LAST).filter_map(char::from_u32) {
            let mut parts = String::new();
            take_apart(c, |part| parts.push(part));
            if !is_unspaced(c) {
                assert_eq!(COMMON.parts(c), Some(parts.as_str()), "{c}");
            }
        }
        assert_eq!(COMMON.parts('\u{2070}'), None);
        assert_eq!(COMMON.parts('a'), None);
    }

    #[test]
    fn every_word_knows_where_it_stands() {
        let text = "Ｆoo é́t 日本語, x";
        let mut found = Vec::new();
        each_word(text, |word| {
            found.push((text[word.at].to_owned(), text[..word.head_end].len()));
        });
        let places: Vec<&str> = found.iter().map(|(at, _)| at.as_str()).collect();
        assert_eq!(places, ["Ｆoo", "é́t", "日本", "本語", "語", "x"]);
        assert!(found.iter().all(|(_, end)| text.is_char_boundary(*end)));
    }

    #[test]
    fn neither_a_word_nor_a_text_is_endless() {
        let long = words(&"x".repeat(10_000));
        assert_eq!(long.chars().count(), MAX_WORD_CHARS);
        let many = words(&"word ".repeat(100_000));
        assert_eq!(many.split(' ').count(), MAX_WORDS);
        assert!(words(&"語".repeat(100_000)).split(' ').count() <= MAX_WORDS + 1);
        let wide = words(&format!("{} ", "ж".repeat(60)).repeat(20_000));
        assert!(wide.len() <= MAX_BYTES + 2 * MAX_WORD_CHARS * 4);
    }
}
