//! Built-in summaries: no model, no network, deterministic.

use lede_model::content::excerpt;
use unicode_segmentation::UnicodeSegmentation;

/// Maximum length of a one-line lede, in characters: about one line of a wide list.
const LEDE_CHARS: usize = 180;
/// Minimum length of a lede, in characters. A shorter first sentence is usually a dateline, a
/// byline or an exclamation, so the next sentence is added.
const TOO_SHORT: usize = 40;

/// Returns a one-line lede for `text`: its first sentence, and more if the first is very short. If
/// the text starts by repeating the title, the repetition is skipped.
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
