//! Punctuation marks by their role at the boundary of a sentence.

/// Terminators that also occur inside sentences.
pub(super) fn is_weak_terminator(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '‼' | '⁇' | '⁈' | '⁉' | '‽')
}

/// Terminators of scripts without capital letters (Sentence_Break=STerm in UAX #29), and their
/// full-width forms.
pub(super) fn is_strong_terminator(c: char) -> bool {
    matches!(
        c,
        '。' | '｡'
            | '．'
            | '！'
            | '？'
            | '؟'
            | '۔'
            | '।'
            | '॥'
            | '։'
            | '።'
            | '፧'
            | '፨'
            | '၊'
            | '။'
            | '។'
            | '៕'
    )
}

pub(super) fn is_closer(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '”'
            | '’'
            | '»'
            | '›'
            | ')'
            | ']'
            | '}'
            | '」'
            | '』'
            | '）'
            | '】'
            | '》'
            | '〉'
            | '〕'
    )
}

/// Marks that can precede the first word of a sentence.
pub(super) fn is_opener(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '“'
            | '„'
            | '‘'
            | '‚'
            | '«'
            | '»'
            | '‹'
            | '('
            | '['
            | '{'
            | '「'
            | '『'
            | '（'
            | '【'
            | '《'
            | '¿'
            | '¡'
            | '–'
            | '—'
            | '-'
            | '*'
            | '#'
    ) || is_bullet(c)
}

pub(super) fn is_bullet(c: char) -> bool {
    matches!(c, '•' | '⁃' | '·' | '▪' | '‣' | '◦' | '●' | '■')
}
