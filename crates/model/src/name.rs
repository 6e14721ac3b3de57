//! Names that people give to things.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

/// `text` in composed form (NFC), in which every name is kept: an é may be typed as one character or as two, and
/// what looks the same is the same name. Subscription lists are read so too.
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
