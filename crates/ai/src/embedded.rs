//! The built-in way: no model, no network, deterministic.

use lede_model::content::excerpt;
use unicode_segmentation::UnicodeSegmentation;

/// Longest one-line lede, in characters: about what one line of a wide list holds.
const LEDE_CHARS: usize = 180;
/// A first sentence shorter than this is a dateline, a byline or an exclamation: take the next too.
const TOO_SHORT: usize = 40;

/// What a text says in one line: its first sentence, or its first two when the first says little.
/// A text that merely repeats its title gives the sentence after that.
pub fn lede(title: &str, text: &str) -> String {
    let title = title.trim().trim_end_matches(['.', '!', '?', '…']);
    let text = text.trim_start();
    let text = match text.strip_prefix(title) {
        Some(rest) if !title.is_empty() => rest.trim_start_matches(|c: char| !c.is_alphanumeric()),
        _ => text,
    };
    let mut line = String::new();
    for sentence in text.unicode_sentences() {
        line.push_str(sentence);
        if line.trim().chars().count() >= TOO_SHORT {
            break;
        }
    }
    excerpt(&line, LEDE_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_that_says_something_is_the_lede() {
        for (title, text, line) in [
            (
                "Storm",
                "A storm has closed the harbour until Monday. Ferries wait.",
                "A storm has closed the harbour until Monday.",
            ),
            (
                "Storm",
                "Breaking! A storm has closed the harbour until Monday. Ferries wait.",
                "Breaking! A storm has closed the harbour until Monday.",
            ),
            (
                "Storm closes harbour",
                "Storm closes harbour. Ferries wait in the bay until the wind turns.",
                "Ferries wait in the bay until the wind turns.",
            ),
            (
                "嵐",
                "港は月曜日まで閉鎖されます。フェリーは湾で待機しています。今後の発表を待ってください。",
                "港は月曜日まで閉鎖されます。フェリーは湾で待機しています。今後の発表を待ってください。",
            ),
            ("Nothing", "", ""),
        ] {
            assert_eq!(lede(title, text), line);
        }
    }

    #[test]
    fn a_text_without_sentences_is_cut_to_one_line() {
        let line = lede("", &"word ".repeat(500));
        assert!(line.chars().count() <= LEDE_CHARS && line.ends_with('…'));
    }
}
