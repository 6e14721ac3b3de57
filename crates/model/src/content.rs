//! Text and HTML of items: the type of sanitised HTML, content hashes, excerpts and reading time.

use std::fmt;

use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

/// Maximum length of the excerpt in lists, in characters.
pub const EXCERPT_CHARS: usize = 500;

/// HTML that has passed the sanitiser. Templates print nothing else unescaped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CleanHtml(String);

impl CleanHtml {
    /// Wraps `html` without a check. Only `feed::clean`, which produces it, and the row readers of
    /// `store`, which read it back, may call this (see `clippy.toml`).
    pub fn assume_clean(html: String) -> Self {
        Self(html)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the reading time in minutes, at 230 words a minute, or 500 characters a minute for
    /// scripts without spaces between words. At least 1; `None` if there is no text.
    pub fn reading_minutes(&self) -> Option<i64> {
        let (mut words, mut characters) = (0_usize, 0_usize);
        let (mut in_tag, mut in_word) = (false, false);
        for c in self.0.chars() {
            match c {
                '<' => (in_tag, in_word) = (true, false),
                '>' if in_tag => in_tag = false,
                _ if in_tag => {}
                _ if is_written_without_blanks(c) => {
                    (characters, in_word) = (characters + 1, false)
                }
                _ if !c.is_alphanumeric() => in_word &= matches!(c, '\'' | '’' | '-'),
                _ => {
                    words += usize::from(!in_word);
                    in_word = true;
                }
            }
        }
        if words + characters == 0 {
            return None;
        }
        let minutes = (words * 500 + characters * 230).div_ceil(230 * 500);
        i64::try_from(minutes).ok()
    }

    /// Returns the approximate number of characters of text: without markup; a character reference
    /// counts with its source length.
    pub fn text_chars(&self) -> usize {
        let mut chars = 0;
        let mut quote = None;
        let mut in_tag = false;
        for byte in self.0.bytes() {
            match (in_tag, byte) {
                (false, b'<') => in_tag = true,
                // Count only the bytes that start a UTF-8 character.
                (false, _) => chars += usize::from(byte & 0xc0 != 0x80),
                (true, b'"' | b'\'') => match quote {
                    None => quote = Some(byte),
                    Some(open) if open == byte => quote = None,
                    Some(_) => {}
                },
                (true, b'>') if quote.is_none() => in_tag = false,
                (true, _) => {}
            }
        }
        chars
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for CleanHtml {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for CleanHtml {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// SHA-256 of an item's content. If the hash is unchanged, nothing has to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Hashes `parts` with their lengths, so that moving a character from one part to the next
    /// changes the hash.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Self(hasher.finalize().into())
    }

    /// Returns the hash of `self` combined with `parts`.
    pub fn with<'a>(self, parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(self.0);
        hasher.update(Self::of(parts).0);
        Self(hasher.finalize().into())
    }

    /// Parses 64 hexadecimal digits.
    pub fn from_hex(digits: &str) -> Option<Self> {
        if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut bytes = [0; 32];
        for (place, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// Restores a hash from its stored bytes; `None` if there are not 32.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().map(Self).ok()
    }

    /// Returns 64 hexadecimal digits, as parsed by [`Self::from_hex`].
    pub fn to_hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the bytes in the form in which they are stored.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Returns the beginning of `text`: at most `max` characters, with white space folded, cut between
/// words and with an ellipsis. Text without spaces (Japanese, Chinese) is cut between characters.
pub fn excerpt(text: &str, max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(max * 4));
    // End of the last whole word, in bytes and in characters.
    let mut word_end = (0, 0);
    let folded = text
        .split_whitespace()
        .flat_map(|word| std::iter::once(' ').chain(word.chars()))
        .skip(1);
    for (chars, c) in folded.enumerate() {
        if chars == max {
            // Cut at the word boundary if at most a fifth of the text is lost; a longer "word" is a
            // script without spaces or a URL.
            if word_end.1 * 5 >= max * 4 {
                out.truncate(word_end.0);
            } else {
                out.pop();
            }
            out.push('…');
            return out;
        }
        if c == ' ' {
            word_end = (out.len(), chars);
        }
        out.push(c);
    }
    out
}

/// Returns `true` for Chinese, Japanese, Thai, Lao, Khmer and Burmese characters.
fn is_written_without_blanks(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_counted_without_its_markup() {
        for (html, chars) in [
            ("", 0),
            ("<p>four</p>", 4),
            (r#"<p>日本<a title="a > b">語</a></p>"#, 3),
            ("<br><br>", 0),
        ] {
            assert_eq!(CleanHtml(html.to_owned()).text_chars(), chars, "{html}");
        }
    }

    #[test]
    fn an_excerpt_folds_blanks_and_ends_between_words() {
        assert_eq!(excerpt("  one\n two\u{a0}three ", 50), "one two three");
        assert_eq!(excerpt("one two three four", 15), "one two three…");
        assert_eq!(excerpt("exactly", 7), "exactly");
        assert_eq!(excerpt("", 5), "");
    }

    #[test]
    fn an_excerpt_never_exceeds_its_limit_nor_splits_a_character() {
        let japanese = "日本語の長い文章には空白がありません".repeat(40);
        let cut = excerpt(&japanese, 50);
        assert_eq!(cut.chars().count(), 50);
        assert!(cut.ends_with('…'));
        for max in 1..40 {
            assert!(
                excerpt("the quick brown fox jumps over it", max)
                    .chars()
                    .count()
                    <= max
            );
        }
    }

    #[test]
    fn a_hash_sees_where_one_part_ends() {
        assert_ne!(ContentHash::of(["ab", "c"]), ContentHash::of(["a", "bc"]));
        assert_eq!(ContentHash::of(["ab", "c"]), ContentHash::of(["ab", "c"]));
    }

    #[test]
    fn a_hash_is_read_as_it_is_written() {
        let hash = ContentHash::of(["x"]);
        assert_eq!(ContentHash::from_hex(&hash.to_hex()), Some(hash));
        assert_eq!(ContentHash::from_bytes(hash.as_bytes()), Some(hash));
        assert_eq!(ContentHash::from_bytes(b"x"), None);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the text is the test's own")]
    fn reading_takes_as_many_minutes_as_there_are_words_or_characters_for() {
        for (html, minutes) in [
            (String::new(), None),
            ("<p><img src=\"a b c\"></p>".to_owned(), None),
            ("<p>One word.</p>".to_owned(), Some(1)),
            ("<b>it’s</b> ".repeat(230), Some(1)),
            ("word ".repeat(231), Some(2)),
            ("漢字".repeat(500), Some(2)),
            (
                format!("{}{}", "word ".repeat(115), "かな".repeat(125)),
                Some(1),
            ),
        ] {
            let said = CleanHtml::assume_clean(html.clone()).reading_minutes();
            assert_eq!(said, minutes, "{html:.40}");
        }
    }
}
