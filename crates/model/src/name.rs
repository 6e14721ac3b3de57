//! Normalisation of names that users type.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

/// Normalises `text` to composed form (NFC), in which every name is stored: an é may be typed as
/// one character or as two, and names that look the same must be equal. Subscription lists are
/// normalised too.
pub fn composed(text: &str) -> Cow<'_, str> {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        IsNormalized::No | IsNormalized::Maybe => Cow::Owned(text.nfc().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_the_same_is_the_same_name() {
        for (typed, kept) in [
            ("Caf\u{e9}", "Café"),
            ("Cafe\u{301}", "Caf\u{e9}"),
            ("", ""),
        ] {
            assert_eq!(composed(typed), kept);
        }
    }
}
