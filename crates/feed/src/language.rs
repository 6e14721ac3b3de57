//! Language detection, as a primary tag of BCP 47 (`en`, `ja`).
//!
//! The language that a feed declares is often the default of its software, so callers check the
//! text first and the declaration only if the text is inconclusive. Statistics decide between
//! languages that share an alphabet. Chinese, Japanese and Korean are distinguished by their
//! characters: most of a Japanese headline may be Chinese characters, and a few kana decide.

use std::sync::LazyLock;

use whatlang::{Detector, Lang};

/// Number of characters that are examined: more changes no result and takes longer.
const MAX_CHARS: usize = 1000;

/// Number of alphabetic letters with the weight of one character that is a word or a syllable.
const LETTERS_PER_SIGN: usize = 3;

/// Minimum percentage of kana in Japanese; Chinese contains almost none.
const MIN_KANA_PERCENT: usize = 5;

/// Languages that hardly any feed is written in; they only lower the detector's confidence in
/// others.
const UNLIKELY: [Lang; 5] = [Lang::Aka, Lang::Jav, Lang::Sna, Lang::Tuk, Lang::Zul];

static DETECTOR: LazyLock<Detector> = LazyLock::new(|| Detector::with_denylist(UNLIKELY.to_vec()));

/// Detects the language of `text`, which is not HTML. Returns `None` if the text is inconclusive.
pub fn language(text: &str) -> Option<&'static str> {
    let end = text.char_indices().nth(MAX_CHARS).map(|(at, _)| at);
    let text = &text[..end.unwrap_or(text.len())];
    if let Some(tag) = language_by_signs(text) {
        return Some(tag);
    }
    let found = DETECTOR.detect(text)?;
    // Texts in these three would have been recognised by [`language_by_signs`]; here they are
    // quotations.
    let is_quoted = matches!(found.lang(), Lang::Cmn | Lang::Jpn | Lang::Kor);
    (found.is_reliable() && !is_quoted).then(|| tag(found.lang()))
}

/// Normalises the language that a feed or an entry declares (`xml:lang`, `<language>`) to a primary
/// tag: `en` for `en-US`, `EN_us` and `eng`.
pub fn declared_language(declared: &str) -> Option<String> {
    let first = declared
        .trim()
        .split(['-', '_'])
        .next()?
        .to_ascii_lowercase();
    if !first.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    match first.as_str() {
        // Withdrawn codes that feeds still use.
        "iw" => Some("he".to_owned()),
        "in" => Some("id".to_owned()),
        "ji" => Some("yi".to_owned()),
        _ if first.len() == 2 => Some(first),
        _ => Lang::from_code(first).map(|lang| tag(lang).to_owned()),
    }
}

/// Recognises Chinese, Japanese and Korean by their characters alone.
pub fn language_by_signs(text: &str) -> Option<&'static str> {
    let (mut kana, mut han, mut hangul, mut others) = (0_usize, 0_usize, 0_usize, 0_usize);
    for c in text.chars() {
        match c {
            '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => {
                kana += 1
            }
            '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => han += 1,
            '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7a3}' => {
                hangul += 1;
            }
            c if c.is_alphabetic() => others += 1,
            _ => {}
        }
    }
    let signs = kana + han + hangul;
    if signs == 0 || signs * LETTERS_PER_SIGN < others {
        return None;
    }
    if hangul > kana + han {
        Some("ko")
    } else if kana * 100 > (kana + han) * MIN_KANA_PERCENT {
        Some("ja")
    } else {
        Some("zh")
    }
}

fn tag(lang: Lang) -> &'static str {
    match lang {
        Lang::Afr => "af",
        Lang::Aka => "ak",
        Lang::Amh => "am",
        Lang::Ara => "ar",
        Lang::Aze => "az",
        Lang::Bel => "be",
        Lang::Ben => "bn",
        Lang::Bul => "bg",
        Lang::Cat => "ca",
        Lang::Ces => "cs",
        Lang::Cmn => "zh",
        Lang::Cym => "cy",
        Lang::Dan => "da",
        Lang::Deu => "de",
        Lang::Ell => "el",
        Lang::Eng => "en",
        Lang::Epo => "eo",
        Lang::Est => "et",
        Lang::Fin => "fi",
        Lang::Fra => "fr",
        Lang::Guj => "gu",
        Lang::Heb => "he",
        Lang::Hin => "hi",
        Lang::Hrv => "hr",
        Lang::Hun => "hu",
        Lang::Hye => "hy",
        Lang::Ind => "id",
        Lang::Ita => "it",
        Lang::Jav => "jv",
        Lang::Jpn => "ja",
        Lang::Kan => "kn",
        Lang::Kat => "ka",
        Lang::Khm => "km",
        Lang::Kor => "ko",
        Lang::Lat => "la",
        Lang::Lav => "lv",
        Lang::Lit => "lt",
        Lang::Mal => "ml",
        Lang::Mar => "mr",
        Lang::Mkd => "mk",
        Lang::Mya => "my",
        Lang::Nep => "ne",
        Lang::Nld => "nl",
        Lang::Nob => "nb",
        Lang::Ori => "or",
        Lang::Pan => "pa",
        Lang::Pes => "fa",
        Lang::Pol => "pl",
        Lang::Por => "pt",
        Lang::Ron => "ro",
        Lang::Rus => "ru",
        Lang::Sin => "si",
        Lang::Slk => "sk",
        Lang::Slv => "sl",
        Lang::Sna => "sn",
        Lang::Spa => "es",
        Lang::Srp => "sr",
        Lang::Swe => "sv",
        Lang::Tam => "ta",
        Lang::Tel => "te",
        Lang::Tgl => "tl",
        Lang::Tha => "th",
        Lang::Tuk => "tk",
        Lang::Tur => "tr",
        Lang::Ukr => "uk",
        Lang::Urd => "ur",
        Lang::Uzb => "uz",
        Lang::Vie => "vi",
        Lang::Yid => "yi",
        Lang::Zul => "zu",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_sentences_are_enough() {
        for (text, expected) in [
            (
                "The city council voted on Tuesday to close two of its libraries, although \
                 thousands of people had signed a petition to keep them open.",
                "en",
            ),
            (
                "Der Stadtrat hat am Dienstag beschlossen, zwei Büchereien zu schließen, obwohl \
                 tausende Menschen für deren Erhalt unterschrieben hatten.",
                "de",
            ),
            (
                "Le conseil municipal a décidé mardi de fermer deux bibliothèques, alors que des \
                 milliers de personnes avaient signé une pétition pour les garder ouvertes.",
                "fr",
            ),
            (
                "El ayuntamiento decidió el martes cerrar dos bibliotecas, aunque miles de \
                 personas habían firmado una petición para mantenerlas abiertas.",
                "es",
            ),
            (
                "Городской совет во вторник решил закрыть две библиотеки, хотя тысячи людей \
                 подписали обращение за их сохранение.",
                "ru",
            ),
            ("Η πόλη κλείνει δύο βιβλιοθήκες", "el"),
            ("市議会は火曜日、図書館二館の閉鎖を決定した。", "ja"),
            ("東京都議会議員選挙の投票率は過去最低", "ja"),
            ("GitHub Copilotの新機能を試してみた", "ja"),
            (
                "市议会周二投票决定关闭两家图书馆，尽管数千人签名请愿。",
                "zh",
            ),
            ("시의회는 화요일 도서관 두 곳을 닫기로 했다.", "ko"),
        ] {
            assert_eq!(language(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn no_language_is_given_for_ambiguous_text() {
        for text in ["", "42", "https://", "OK", "Foo 2.0.1", "\u{1f600}"] {
            assert_eq!(language(text), None, "{text}");
        }
    }

    #[test]
    fn a_quoted_word_does_not_change_the_language() {
        let text = "The word 図書館 means library, and every student of the language meets it in \
                    one of the first lessons of the course.";
        assert_eq!(language(text), Some("en"));
    }

    #[test]
    fn a_declaration_is_cut_to_its_first_tag_or_is_none() {
        for (declared, expected) in [
            ("de-DE", Some("de")),
            (" EN_us ", Some("en")),
            ("eng", Some("en")),
            ("eu", Some("eu")),
            ("iw", Some("he")),
            ("und", None),
            ("English", None),
            ("x-klingon", None),
            ("日本", None),
            ("", None),
        ] {
            assert_eq!(
                declared_language(declared).as_deref(),
                expected,
                "{declared}"
            );
        }
    }
}
