//! The words of a text as the search index has them.
//!
//! Both engines get the same words from here, so that they find the same items. Scripts that put
//! blanks between words give words: in lower case and without accents. Chinese, Japanese and Korean
//! give overlapping pairs of characters, and the last one by itself: any two neighbours are found as
//! a word, and one alone as the beginning of one. Numbers are words too.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Words of one text that are indexed: beyond, a text is data, not prose.
const MAX_WORDS: usize = 16_000;
/// Characters of one word that are indexed.
const MAX_WORD_CHARS: usize = 64;

/// The words of `text` in their order, with a blank between them.
pub fn words(text: &str) -> String {
    let mut words = Words::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            words.take_ascii(c);
        } else if is_unspaced(c) {
            words.take_unspaced(c);
        } else {
            // What is written half or full width, as a ligature or in one piece with its accent
            // comes apart here. Pairs are made of what comes out.
            for part in std::iter::once(c).nfkc() {
                if part.is_ascii() {
                    words.take_ascii(part);
                } else if is_unspaced(part) {
                    words.take_unspaced(part);
                } else {
                    std::iter::once(part)
                        .nfd()
                        .flat_map(char::to_lowercase)
                        .for_each(|part| words.take_other(part));
                }
            }
        }
        if words.is_full() {
            break;
        }
    }
    words.finish()
}

/// Whether `c` belongs to a script that is written without blanks, or with so few that parts of
/// words are looked for.
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

/// Words as they are found.
struct Words {
    text: String,
    count: usize,
    /// Characters of the word that is being written.
    chars: usize,
    /// The last character of a run without blanks, whose pair is not known yet.
    left: Option<char>,
}

impl Words {
    fn with_capacity(bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            count: 0,
            chars: 0,
            left: None,
        }
    }

    fn take_ascii(&mut self, c: char) {
        if c.is_ascii_alphanumeric() {
            self.end_run();
            self.add(c.to_ascii_lowercase());
        } else {
            self.end_run();
            self.end_word();
        }
    }

    fn take_other(&mut self, c: char) {
        if ('\u{300}'..='\u{36f}').contains(&c) {
            // An accent: "é" is found as "e".
        } else if c.is_alphanumeric() || (is_combining_mark(c) && self.chars > 0) {
            // Signs of other scripts are as much a part of the word as its letters.
            self.end_run();
            self.add(c);
        } else {
            self.end_run();
            self.end_word();
        }
    }

    fn take_unspaced(&mut self, c: char) {
        if let Some(left) = self.left.replace(c) {
            self.add(left);
            self.add(c);
        }
        self.end_word();
    }

    /// The last character of a run is a word as well: so one character is always the beginning of
    /// a word.
    fn end_run(&mut self) {
        if let Some(left) = self.left.take() {
            self.add(left);
            self.end_word();
        }
    }

    fn add(&mut self, c: char) {
        if self.chars == 0 && !self.text.is_empty() {
            self.text.push(' ');
        }
        if self.chars < MAX_WORD_CHARS {
            self.text.push(c);
        }
        self.chars += 1;
    }

    fn end_word(&mut self) {
        if self.chars > 0 {
            self.chars = 0;
            self.count += 1;
        }
    }

    fn is_full(&self) -> bool {
        self.count >= MAX_WORDS
    }

    fn finish(mut self) -> String {
        self.end_run();
        self.text
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
    fn neither_a_word_nor_a_text_is_endless() {
        let long = words(&"x".repeat(10_000));
        assert_eq!(long.chars().count(), MAX_WORD_CHARS);
        let many = words(&"word ".repeat(100_000));
        assert_eq!(many.split(' ').count(), MAX_WORDS);
        assert!(words(&"語".repeat(100_000)).split(' ').count() <= MAX_WORDS + 1);
    }
}
