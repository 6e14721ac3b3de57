//! Language of a text, and the words that depend on it.
//!
//! The script decides first, then function words, then the hint of the caller: the language that a
//! feed declares is often the default of its software. Statistics over letters would recognise more
//! languages, but only those with a lexicon are treated differently here.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::lexicon::{LATIN_ABBREVIATIONS, LATIN_BEFORE_NUMBER, LATIN_TITLES, LEXICONS};

/// Number of characters that are examined.
const SAMPLE_CHARS: usize = 1500;
/// Number of additional function words by which another language has to win against the hint.
const MIN_LEAD_OVER_HINT: usize = 3;
/// Minimum number of function words, and one in how many words they have to be.
const MIN_FUNCTION_WORDS: usize = 2;
const WORDS_PER_FUNCTION_WORD: usize = 12;
/// Minimum share of kana in Japanese, in percent. Chinese contains almost none.
const MIN_KANA_PERCENT: usize = 5;

/// A language with rules of its own, or one without (`default`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Language {
    tag: Option<&'static str>,
    /// Bit of the lexicon; 0 without one.
    lexicon: u32,
    pub(super) has_ordinal_period: bool,
}

/// Bit of English, whose words occur in texts of all languages.
const ENGLISH: u32 = 1;

/// Languages that are recognised by their script. The first of a script is the default.
const BY_SCRIPT: [(Script, &str); 19] = [
    (Script::Kana, "ja"),
    (Script::Han, "zh"),
    (Script::Han, "ja"),
    (Script::Hangul, "ko"),
    (Script::Arabic, "ar"),
    (Script::Arabic, "fa"),
    (Script::Arabic, "ur"),
    (Script::Devanagari, "hi"),
    (Script::Devanagari, "mr"),
    (Script::Devanagari, "ne"),
    (Script::Hebrew, "he"),
    (Script::Greek, "el"),
    (Script::Armenian, "hy"),
    (Script::Ethiopic, "am"),
    (Script::Burmese, "my"),
    (Script::Thai, "th"),
    (Script::Cyrillic, "bg"),
    (Script::Cyrillic, "sr"),
    (Script::Cyrillic, "mk"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Script {
    Latin,
    Cyrillic,
    Greek,
    Armenian,
    Hebrew,
    Arabic,
    Devanagari,
    Thai,
    Burmese,
    Ethiopic,
    Hangul,
    Kana,
    Han,
    Other,
}

const SCRIPTS: usize = Script::Other as usize + 1;

impl Language {
    /// Detects the language of `text`. `hint` is a tag of BCP 47.
    pub(super) fn detect(text: &str, hint: Option<&str>) -> Self {
        let end = text.char_indices().nth(SAMPLE_CHARS).map(|(at, _)| at);
        let sample = &text[..end.unwrap_or(text.len())];
        let hint = hint.map(primary_tag).unwrap_or_default();
        let script = dominant_script(sample);
        let by_script = BY_SCRIPT.iter().filter(|(of, _)| *of == script);
        let hinted = by_script.clone().find(|(_, tag)| *tag == hint);
        match script {
            Script::Latin => Self::by_function_words(sample, &hint),
            Script::Cyrillic if hinted.is_none() => Self::by_function_words(sample, &hint),
            _ => Self {
                tag: hinted.or(by_script.clone().next()).map(|(_, tag)| *tag),
                ..Self::default()
            },
        }
    }

    /// Returns the primary tag of BCP 47, if the language was recognised.
    pub(super) fn tag(self) -> Option<&'static str> {
        self.tag
    }

    fn by_function_words(sample: &str, hint: &str) -> Self {
        let mut hits = [0_usize; LEXICONS.len()];
        let mut words = 0;
        let mut lower = String::new();
        for word in sample.split(|c: char| !c.is_alphanumeric()) {
            if word.is_empty() {
                continue;
            }
            words += 1;
            let mut languages = word_uses(word, &mut lower).function_word;
            while languages != 0 {
                hits[languages.trailing_zeros() as usize] += 1;
                languages &= languages - 1;
            }
        }
        let hinted = LEXICONS.iter().position(|lexicon| lexicon.tag == hint);
        let mut best = 0;
        for (language, count) in hits.iter().enumerate() {
            if *count > hits[best] {
                best = language;
            }
        }
        let is_clear =
            hits[best] >= MIN_FUNCTION_WORDS && hits[best] * WORDS_PER_FUNCTION_WORD >= words;
        match hinted {
            Some(hinted) if !is_clear || hits[best] < hits[hinted] + MIN_LEAD_OVER_HINT => {
                Self::of_lexicon(hinted)
            }
            _ if is_clear => Self::of_lexicon(best),
            _ => Self::default(),
        }
    }

    fn of_lexicon(index: usize) -> Self {
        Self {
            tag: Some(LEXICONS[index].tag),
            lexicon: 1 << index,
            has_ordinal_period: LEXICONS[index].has_ordinal_period,
        }
    }

    /// Returns `true` if `word` is so frequent that it says nothing about the topic of a text.
    pub(super) fn is_function_word(self, word: &str, lower: &mut String) -> bool {
        word_uses(word, lower).function_word & self.lexicon != 0
    }

    /// Returns `true` if `word` often begins a sentence. English words count in every language:
    /// texts quote it.
    pub(super) fn is_sentence_starter(self, word: &str) -> bool {
        word_uses(word, &mut String::new()).function_word & (self.lexicon | ENGLISH) != 0
    }

    /// Returns the kind of abbreviation that `word`, without its final period, is.
    pub(super) fn abbreviation(self, word: &str) -> Option<Abbreviation> {
        let uses = word_uses(word, &mut String::new());
        let lexicon = self.lexicon | SHARED;
        if uses.title & lexicon != 0 {
            Some(Abbreviation::Title)
        } else if uses.abbreviation & lexicon != 0 {
            Some(Abbreviation::Other)
        } else if uses.before_number & lexicon != 0 {
            Some(Abbreviation::BeforeNumber)
        } else {
            None
        }
    }
}

/// A word whose period may not end a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Abbreviation {
    /// Precedes a name: "Dr.".
    Title,
    /// Is an abbreviation only if a number follows: "No. 5".
    BeforeNumber,
    /// Ends a sentence if a typical beginning of one follows: "Inc."
    Other,
}

/// Bit for abbreviations that all languages in Latin letters share.
const SHARED: u32 = 1 << 31;

/// Languages in which a word is used in each role, as bits.
#[derive(Debug, Clone, Copy, Default)]
struct WordUses {
    function_word: u32,
    title: u32,
    before_number: u32,
    abbreviation: u32,
}

/// All words of the lexicons. With a binary search a summary of 2 KB took 0.3 ms instead of 0.2 ms.
static WORDS: LazyLock<HashMap<&'static str, WordUses>> = LazyLock::new(|| {
    let mut words = HashMap::<&str, WordUses>::new();
    for word in LATIN_TITLES.split_whitespace() {
        words.entry(word).or_default().title |= SHARED;
    }
    for word in LATIN_BEFORE_NUMBER.split_whitespace() {
        words.entry(word).or_default().before_number |= SHARED;
    }
    for word in LATIN_ABBREVIATIONS.split_whitespace() {
        words.entry(word).or_default().abbreviation |= SHARED;
    }
    for (index, lexicon) in LEXICONS.iter().enumerate() {
        let bit = 1 << index;
        for word in lexicon.function_words.split_whitespace() {
            words.entry(word).or_default().function_word |= bit;
        }
        for word in lexicon.titles.split_whitespace() {
            words.entry(word).or_default().title |= bit;
        }
        for word in lexicon.before_number.split_whitespace() {
            words.entry(word).or_default().before_number |= bit;
        }
        for word in lexicon.abbreviations.split_whitespace() {
            words.entry(word).or_default().abbreviation |= bit;
        }
    }
    words
});

/// Looks `word` up in lower case. `lower` is a buffer that callers reuse.
fn word_uses(word: &str, lower: &mut String) -> WordUses {
    /// Longer words are in no list.
    const MAX_BYTES: usize = 24;
    if word.len() > MAX_BYTES {
        return WordUses::default();
    }
    lower_case_into(word, lower);
    WORDS.get(lower.as_str()).copied().unwrap_or_default()
}

/// Replaces the content of `lower` by `text` in lower case.
pub(super) fn lower_case_into(text: &str, lower: &mut String) {
    lower.clear();
    if text.is_ascii() {
        lower.push_str(text);
        lower.make_ascii_lowercase();
    } else {
        lower.extend(text.chars().flat_map(char::to_lowercase));
    }
}

fn primary_tag(tag: &str) -> String {
    let primary = tag.split(['-', '_']).next().unwrap_or_default();
    match primary.trim().to_ascii_lowercase().as_str() {
        "no" | "nn" => "nb".to_owned(),
        tag => tag.to_owned(),
    }
}

/// Returns the script of most letters. A sign of Chinese or Japanese has the weight of several
/// letters, as it stands for a syllable or a word.
fn dominant_script(sample: &str) -> Script {
    const LETTERS_PER_SIGN: usize = 3;
    let mut counts = [0_usize; SCRIPTS];
    for c in sample.chars() {
        if let Some(script) = script_of(c) {
            counts[script as usize] += 1;
        }
    }
    let (kana, han) = (counts[Script::Kana as usize], counts[Script::Han as usize]);
    let is_japanese = kana * 100 > (kana + han) * MIN_KANA_PERCENT;
    let signs = (kana + han) * LETTERS_PER_SIGN;
    counts[Script::Kana as usize] = if is_japanese { signs } else { 0 };
    counts[Script::Han as usize] = if is_japanese { 0 } else { signs };
    counts[Script::Hangul as usize] *= LETTERS_PER_SIGN;
    let most = counts.iter().copied().max().unwrap_or_default();
    const ALL: [Script; SCRIPTS] = [
        Script::Latin,
        Script::Cyrillic,
        Script::Greek,
        Script::Armenian,
        Script::Hebrew,
        Script::Arabic,
        Script::Devanagari,
        Script::Thai,
        Script::Burmese,
        Script::Ethiopic,
        Script::Hangul,
        Script::Kana,
        Script::Han,
        Script::Other,
    ];
    ALL.into_iter()
        .find(|script| counts[*script as usize] == most)
        .unwrap_or(Script::Other)
}

fn script_of(c: char) -> Option<Script> {
    if c.is_ascii() {
        return c.is_ascii_alphabetic().then_some(Script::Latin);
    }
    if !c.is_alphabetic() {
        return None;
    }
    Some(match c {
        '\u{80}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Script::Latin,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Script::Greek,
        '\u{400}'..='\u{52f}' => Script::Cyrillic,
        '\u{530}'..='\u{58f}' => Script::Armenian,
        '\u{590}'..='\u{5ff}' => Script::Hebrew,
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{fb50}'..='\u{fefc}' => Script::Arabic,
        '\u{900}'..='\u{97f}' => Script::Devanagari,
        '\u{e00}'..='\u{e7f}' => Script::Thai,
        '\u{1000}'..='\u{109f}' => Script::Burmese,
        '\u{1200}'..='\u{139f}' => Script::Ethiopic,
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7a3}' => {
            Script::Hangul
        }
        '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => Script::Kana,
        '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => Script::Han,
        _ => Script::Other,
    })
}

/// Returns `true` for characters of Chinese and Japanese.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(script_of(c), Some(Script::Han | Script::Kana))
}

/// Returns `true` for characters of scripts that do not separate words by spaces.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(
        script_of(c),
        Some(Script::Han | Script::Kana | Script::Thai | Script::Burmese)
    ) || matches!(c, '\u{e80}'..='\u{eff}' | '\u{1780}'..='\u{17ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_and_function_words_identify_a_language() {
        for (text, tag) in [
            ("The ferry has left the harbour and it is late.", Some("en")),
            (
                "Die Fähre hat den Hafen verlassen und ist spät.",
                Some("de"),
            ),
            ("Le bateau est dans le port avec les autres.", Some("fr")),
            ("El barco está en el puerto con los demás.", Some("es")),
            (
                "O navio está no porto e não vai sair, mas ele fica.",
                Some("pt"),
            ),
            ("La nave è nel porto e non parte più.", Some("it")),
            (
                "Het schip ligt in de haven en het vertrekt niet.",
                Some("nl"),
            ),
            (
                "Skibet er ikke i havnen, og det er også for sent.",
                Some("da"),
            ),
            ("Båten är inte i hamnen och det är för sent.", Some("sv")),
            (
                "Statek nie jest w porcie, ale już płynie do nas.",
                Some("pl"),
            ),
            ("Корабль уже в порту, и он не уйдет.", Some("ru")),
            ("Корабель вже у порту, але він не піде.", Some("uk")),
            ("船は港にあります。", Some("ja")),
            ("船在港口。", Some("zh")),
            ("배가 항구에 있습니다.", Some("ko")),
            ("السفينة في الميناء", Some("ar")),
            ("जहाज बंदरगाह में है", Some("hi")),
            ("Το πλοίο είναι στο λιμάνι", Some("el")),
            ("Harbour", None),
            ("12345", None),
            ("", None),
        ] {
            assert_eq!(Language::detect(text, None).tag(), tag, "{text}");
        }
    }

    #[test]
    fn a_hint_decides_only_if_the_text_does_not() {
        for (text, hint, tag) in [
            ("Harbour", "de-AT", Some("de")),
            ("船舶", "ja", Some("ja")),
            ("船は港にあります。", "en-US", Some("ja")),
            ("The ferry has left and it is late now.", "de", Some("en")),
            ("Havnen", "no", Some("nb")),
            ("Harbour", "xx", None),
        ] {
            assert_eq!(Language::detect(text, Some(hint)).tag(), tag, "{text}");
        }
    }

    #[test]
    fn lexicons_are_in_lower_case() {
        for word in WORDS.keys() {
            assert_eq!(word.to_lowercase(), *word);
        }
    }
}
