//! Terms of sentences: numbers that stand for words.
//!
//! Scores compare terms many times, so that each word is looked up once and is an integer from
//! then on. Chinese, Japanese and other scripts without spaces contribute pairs of characters
//! instead of words; pairs of hiragana are mostly grammar and left out.

use std::collections::HashMap;

use super::language::{Language, is_unspaced, lower_case_into};

/// Maximum length in bytes of a word; longer ones are addresses or damaged text.
const MAX_WORD_BYTES: usize = 60;

/// Numbers the terms of one text in the order of their first occurrence.
pub(super) struct Interner {
    language: Language,
    ids: HashMap<Box<str>, u32>,
    lower: String,
}

/// Terms of a sentence with their counts, sorted by term.
#[derive(Debug, Clone, Default)]
pub(super) struct TermVector {
    pub(super) counts: Vec<(u32, f64)>,
    norm: f64,
}

impl Interner {
    pub(super) fn new(language: Language) -> Self {
        Self {
            language,
            ids: HashMap::new(),
            lower: String::new(),
        }
    }

    /// Returns the number of different terms so far.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns the terms of `text` that are not function words.
    pub(super) fn vector(&mut self, text: &str) -> TermVector {
        let mut ids = Vec::new();
        let mut word_start = None;
        let mut pair: Option<(usize, char)> = None;
        for (at, c) in text.char_indices() {
            let is_sign = is_unspaced(c);
            if is_sign || !(c.is_alphanumeric() || is_mark(c)) {
                if let Some(start) = word_start.take() {
                    self.push_word(&text[start..at], &mut ids);
                }
            } else if word_start.is_none() && c.is_alphanumeric() {
                word_start = Some(at);
            }
            if is_sign {
                if let Some((first, before)) = pair
                    && !(is_hiragana(before) && is_hiragana(c))
                {
                    ids.push(self.id(&text[first..at + c.len_utf8()]));
                }
                pair = Some((at, c));
            } else {
                pair = None;
            }
        }
        if let Some(start) = word_start {
            self.push_word(&text[start..], &mut ids);
        }
        TermVector::new(ids)
    }

    fn push_word(&mut self, word: &str, ids: &mut Vec<u32>) {
        if word.len() <= MAX_WORD_BYTES && !self.language.is_function_word(word, &mut self.lower) {
            lower_case_into(word, &mut self.lower);
            let lower = std::mem::take(&mut self.lower);
            ids.push(self.id(singular(&lower)));
            self.lower = lower;
        }
    }

    fn id(&mut self, term: &str) -> u32 {
        if let Some(id) = self.ids.get(term) {
            return *id;
        }
        let id = self.ids.len() as u32;
        self.ids.insert(term.into(), id);
        id
    }
}

impl TermVector {
    fn new(mut ids: Vec<u32>) -> Self {
        ids.sort_unstable();
        let mut counts: Vec<(u32, f64)> = Vec::with_capacity(ids.len());
        for id in ids {
            match counts.last_mut() {
                Some((last, count)) if *last == id => *count += 1.0,
                _ => counts.push((id, 1.0)),
            }
        }
        let squares: f64 = counts.iter().map(|(_, count)| count * count).sum();
        Self {
            counts,
            norm: squares.sqrt(),
        }
    }

    /// Returns the cosine of the angle between both vectors: 0 without common terms, 1 if equal.
    pub(super) fn cosine(&self, other: &Self) -> f64 {
        let (mut a, mut b) = (self.counts.iter(), other.counts.iter());
        let (mut left, mut right) = (a.next(), b.next());
        let mut dot = 0.0;
        while let (Some((x, m)), Some((y, n))) = (left, right) {
            if x == y {
                dot += m * n;
            }
            (left, right) = match x.cmp(y) {
                std::cmp::Ordering::Less => (a.next(), right),
                std::cmp::Ordering::Equal => (a.next(), b.next()),
                std::cmp::Ordering::Greater => (left, b.next()),
            };
        }
        if dot == 0.0 {
            0.0
        } else {
            dot / (self.norm * other.norm)
        }
    }

    /// Returns `true` if all terms occur in `other`, and there is one.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        !self.counts.is_empty()
            && self.counts.iter().all(|(term, _)| {
                other
                    .counts
                    .binary_search_by_key(term, |(term, _)| *term)
                    .is_ok()
            })
    }
}

/// Removes the plural ending that most European languages share, so that "ferries" stays but
/// "ferrys" and "ports" count as their singular.
fn singular(word: &str) -> &str {
    const MIN_STEM: usize = 3;
    match word.strip_suffix('s') {
        Some(stem) if stem.len() >= MIN_STEM && !stem.ends_with(['s', 'u', 'i']) => stem,
        _ => word,
    }
}

fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}')
}

/// Combining marks belong to the word, unlike other characters that are not alphanumeric.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{65f}' | '\u{93c}'..='\u{94d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(texts: [&str; 2]) -> [TermVector; 2] {
        let mut interner = Interner::new(Language::detect(texts[0], None));
        texts.map(|text| interner.vector(text))
    }

    #[test]
    fn sentences_are_similar_if_they_share_words() {
        for (texts, is_similar) in [
            (
                [
                    "The ferry is in the port.",
                    "Ports close, and the FERRY waits.",
                ],
                true,
            ),
            (["The ferry is in the port.", "It is in the town."], false),
            (["港は閉鎖されます。", "閉鎖は月曜日まで続きます。"], true),
            (["ありがとうございます。", "そうでございます。"], false),
            (["", "ferry"], false),
        ] {
            let [a, b] = vectors(texts);
            assert_eq!(a.cosine(&b) > 0.0, is_similar, "{texts:?}");
        }
        let [a, b] = vectors(["port ferry", "ferry port"]);
        assert!((a.cosine(&b) - 1.0).abs() < 1e-9);
    }
}
