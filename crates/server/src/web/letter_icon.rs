//! Placeholder icon of a feed that has none: its first letter on a muted colour.
//!
//! A column of identical grey squares would not help to tell feeds apart. The colour is derived
//! from the title, so that it stays the same; the colours are in the style sheet, because pages
//! have no inline styles.

/// Number of tints in the style sheet.
const TINTS: u32 = 6;

/// Returns the first letter or digit of a title in upper case, or a dot if there is none.
pub(crate) fn initial(title: &str) -> String {
    let first = title.chars().find(|c| c.is_alphanumeric());
    match first.map(|c| c.to_uppercase()) {
        // "ß" becomes two capital letters, for which there is no space.
        Some(mut large) => large.next().unwrap_or('·').to_string(),
        None => "·".to_owned(),
    }
}

/// Returns the index of the tint for a feed called `title`.
pub(crate) fn tint(title: &str) -> u32 {
    // FNV-1a spreads short titles that differ little.
    let hash = title.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    (hash >> 8) % TINTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_gives_one_letter_and_a_tint_that_the_style_sheet_has() {
        let sheet = include_str!("../../assets/lede.css");
        for (title, letter) in [
            ("the Verge", "T"),
            ("“Quoted”", "Q"),
            ("日本", "日"),
            ("ßtraße", "S"),
            ("99 things", "9"),
            ("…", "·"),
            ("", "·"),
        ] {
            assert_eq!(initial(title), letter);
            assert!(tint(title) < TINTS);
        }
        for tint in 1..TINTS {
            assert!(sheet.contains(&format!(".tint-{tint} ")), "{tint}");
        }
    }
}
