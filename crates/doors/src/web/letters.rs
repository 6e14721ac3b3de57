//! The sign of a feed that has no icon: its first letter on a quiet tint.
//!
//! A row of equal grey squares tells nobody which feed is which. The tint comes from the title, so that
//! a feed keeps it; its colours are in the style sheet, because pages have no inline styles.

/// How many tints the style sheet has.
const TINTS: u32 = 6;

/// The first letter or digit of a title, large; a dot where there is none.
pub(crate) fn initial(title: &str) -> String {
    let first = title.chars().find(|c| c.is_alphanumeric());
    match first.map(|c| c.to_uppercase()) {
        // "ß" has two capital letters, for which there is no room.
        Some(mut large) => large.next().unwrap_or('·').to_string(),
        None => "·".to_owned(),
    }
}

/// The number of the tint of a feed that is called `title`.
pub(crate) fn tint(title: &str) -> u32 {
    // FNV-1a: short titles that differ little fall far apart.
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
