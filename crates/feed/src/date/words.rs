//! Words that occur in dates.

use unicode_normalization::char::{canonical_combining_class, decompose_canonical};

use super::names::NAMES;

/// Meaning of a word in a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Half(Half),
    /// Suffix of a number: `th` in `16th`.
    Ordinal,
    /// Word without a meaning of its own: `at`, `de`, `um`.
    Filler,
    /// Filler that also shows that the date is Korean.
    Korean,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Am,
    Pm,
}

/// Returns the meaning of `word`, folded, unless it is the name of a month or a day.
pub(super) fn meaning(word: &str) -> Option<Word> {
    Some(match word {
        "am" | "오전" | "上午" | "午前" | "πμ" => Word::Half(Half::Am),
        "pm" | "오후" | "下午" | "午後" | "μμ" => Word::Half(Half::Pm),
        "st" | "nd" | "rd" | "th" | "er" | "º" | "ª" | "o" => Word::Ordinal,
        "년" | "월" | "일" => Word::Korean,
        "t" | "at" | "on" | "of" | "the" | "de" | "del" | "do" | "da" | "le" | "um" | "uhr"
        | "den" | "der" | "as" | "a" | "alle" | "ore" | "las" | "los" | "г" | "года" | "год"
        | "р" | "року" | "в" | "kl" | "klo" | "om" | "年" | "月" | "日" | "ngay" | "thang"
        | "nam" | "pukul" | "saat" | "ora" => Word::Filler,
        _ => return None,
    })
}

/// Possible meanings of a name in CLDR's lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    /// Months, the likeliest first; zero means none.
    pub(super) months: [u8; 2],
    /// Days of the week as a bit set; Monday is the lowest bit.
    pub(super) days: u8,
}

impl Name {
    pub(super) fn is_month(self) -> bool {
        self.months[0] != 0
    }

    pub(super) fn is_day(self) -> bool {
        self.days != 0
    }
}

/// Looks up `word`, folded, among the names of months and days.
pub(super) fn name(word: &str) -> Option<Name> {
    let at = NAMES
        .binary_search_by_key(&word, |(name, _, _)| name)
        .ok()?;
    let (_, months, days) = NAMES[at];
    Some(Name {
        months: [months & 0xf, months >> 4],
        days,
    })
}

/// Folds `text` for comparison: lower case, without diacritics and without apostrophes inside
/// words. Hangul stays composed.
pub(super) fn folded(text: &str) -> String {
    let lower = text.to_lowercase();
    if lower.is_ascii() && !lower.contains('\'') {
        return lower;
    }
    let mut out = String::with_capacity(lower.len());
    let mut chars = lower.chars().peekable();
    while let Some(c) = chars.next() {
        let is_in_word = || out.ends_with(char::is_alphabetic);
        match c {
            '\'' | '’' | 'ʼ' if is_in_word() && chars.peek().is_some_and(|c| c.is_alphabetic()) =>
                {}
            'ı' => out.push('i'),
            '\u{ac00}'..='\u{d7a3}' => out.push(c),
            c => decompose_canonical(c, |part| {
                if canonical_combining_class(part) == 0 {
                    out.push(part);
                }
            }),
        }
    }
    out
}

/// Returns the UTC offset in minutes of a zone name in lower case. American names without `s` or
/// `d` mean standard time, as in feedparser.
pub(super) fn zone_minutes(name: &str) -> Option<i32> {
    let hours = |hours: i32| Some(hours * 60);
    match name {
        "z" | "ut" | "utc" | "gmt" | "wet" => hours(0),
        "bst" | "cet" | "met" | "mez" | "west" | "n" => hours(1),
        "cest" | "mest" | "mesz" | "eet" | "sast" | "cat" => hours(2),
        "eest" | "msk" | "trt" | "eat" => hours(3),
        "irst" => Some(3 * 60 + 30),
        "msd" | "gst" => hours(4),
        "pkt" => hours(5),
        "ist" => Some(5 * 60 + 30),
        "wib" | "ict" => hours(7),
        "hkt" | "sgt" | "awst" | "wita" => hours(8),
        "jst" | "kst" | "wit" => hours(9),
        "acst" => Some(9 * 60 + 30),
        "aest" => hours(10),
        "acdt" => Some(10 * 60 + 30),
        "aedt" => hours(11),
        "nzst" | "y" => hours(12),
        "nzdt" => hours(13),
        "ndt" => Some(-(2 * 60 + 30)),
        "brt" | "art" | "adt" => hours(-3),
        "nst" => Some(-(3 * 60 + 30)),
        "ast" | "at" | "edt" | "clt" => hours(-4),
        "est" | "et" | "cdt" => hours(-5),
        "cst" | "ct" | "mdt" => hours(-6),
        "mst" | "mt" | "pdt" => hours(-7),
        "pst" | "pt" | "akdt" => hours(-8),
        "akst" => hours(-9),
        "hst" => hours(-10),
        "a" => hours(-1),
        "m" => hours(-12),
        _ => None,
    }
}

/// Returns `true` if a word is written in Hangul.
pub(super) fn is_korean(name: &str) -> bool {
    name.starts_with(|c: char| ('\u{ac00}'..='\u{d7a3}').contains(&c))
}

/// Returns `true` if a word after the time may be an unknown zone name; such a time is read as UTC.
pub(super) fn is_unknown_zone(name: &str) -> bool {
    (3..=5).contains(&name.len())
        && name.ends_with('t')
        && name.bytes().all(|b| b.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_folded() {
        assert!(NAMES.is_sorted_by_key(|(name, _, _)| *name));
        for (name, months, days) in NAMES.iter().copied() {
            assert_eq!(folded(name), name);
            assert!(
                (months != 0 || days != 0) && days < 0x80 && months & 0xf <= 12,
                "{name}"
            );
        }
    }

    #[test]
    fn words_are_folded_to_what_the_names_are() {
        for (written, expected) in [
            ("FÉVRIER", "fevrier"),
            ("Aralık", "aralik"),
            ("п'ятниця", "пятниця"),
            ("П’ЯТНИЦЯ", "пятниця"),
            ("ΜΆΡΤΙΟΣ", "μαρτιος"),
            ("e\u{301}", "e"),
            ("월요일", "월요일"),
            ("'21", "'21"),
        ] {
            assert_eq!(folded(written), expected, "{written}");
        }
    }
}
