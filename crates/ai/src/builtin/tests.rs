//! Summaries and lines of whole texts.

use proptest::prelude::*;

use super::*;

const ARTICLE: &str = "By Jane Doe\n\
    The harbour of Exmouth was closed on Monday because a storm damaged three ferries. \
    The port authority expects the harbour to open again on Thursday. \
    Ferries to the islands wait in the bay, and about 400 passengers are staying in hotels. \
    A ferry can be repaired in two days, said the harbour master.\n\
    Sign up for our newsletter!\n\
    He likes music. \
    The storm was the strongest in the region since 1987, and the authority had warned of it on Sunday.\n\
    Read more about ferries";

fn line(title: &str, text: &str) -> String {
    summarize(title, text, None, Limits::default()).one_line
}

fn summary(text: &str, chars: usize) -> BuiltinSummary {
    let limits = Limits {
        summary_chars: chars,
        ..Limits::default()
    };
    summarize("", text, None, limits)
}

#[test]
fn a_summary_consists_of_key_sentences_in_the_order_of_the_text() {
    let found = summary(ARTICLE, 200);
    assert_eq!(
        found.summary,
        "The harbour of Exmouth was closed on Monday because a storm damaged three ferries. \
         The port authority expects the harbour to open again on Thursday."
    );
    assert_eq!(found.sentences, [1, 2]);
    assert_eq!(found.language, Some("en"));
}

#[test]
fn additions_of_the_site_are_not_in_a_summary() {
    let found = summary(ARTICLE, 2000).summary;
    for addition in ["Jane Doe", "newsletter", "Read more"] {
        assert!(!found.contains(addition), "{addition}");
    }
    assert!(found.contains("1987"));
    // Nothing else is left to show.
    assert_eq!(summary("Read more", 100).summary, "Read more");
}

#[test]
fn sentences_are_whole_unless_none_fits() {
    for chars in 0..400 {
        let found = summary(ARTICLE, chars);
        assert!(found.summary.chars().count() <= chars);
        assert_eq!(found.summary.is_empty(), chars == 0);
        assert_eq!(
            found.summary.ends_with('…'),
            (1..61).contains(&chars),
            "{chars}"
        );
    }
}

#[test]
fn a_repetition_is_not_chosen() {
    let text = "The harbour was closed on Monday by the storm. \
                The harbour was closed by the storm on Monday. \
                Ferries to the islands wait in the bay.";
    assert_eq!(summary(text, 900).sentences, [0, 2]);
}

#[test]
fn japanese_and_chinese_are_summarised_without_spaces() {
    let text =
        "港は月曜日まで閉鎖されます。フェリーは湾で待機しています。今後の発表を待ってください。";
    let found = summary(text, 900);
    assert_eq!(found.summary, text);
    assert_eq!(found.language, Some("ja"));
    let long = "港は台風の影響で月曜日まで閉鎖されることになりましたが、フェリーは湾の中で待機していて、乗客は近くのホテルに滞在しています。";
    assert_eq!(
        line("", long),
        "港は台風の影響で月曜日まで閉鎖されることになりましたが、フェリーは湾の中で待機していて…"
    );
    assert!(line("", &"港".repeat(200)).chars().count() <= 50);
}

#[test]
fn one_line_is_the_best_sentence_that_fits() {
    for (title, text, expected) in [
        (
            "Storm",
            "A storm has closed the harbour until Monday. Ferries wait.",
            "A storm has closed the harbour until Monday.",
        ),
        (
            "Storm",
            "Breaking! A storm has closed the harbour until Monday. Ferries wait.",
            "A storm has closed the harbour until Monday.",
        ),
        (
            "",
            "A storm that came from the north has closed the harbour until Monday, while all of the ferries wait in the bay.",
            "A storm that came from the north has closed the harbour until Monday…",
        ),
        ("Nothing", "", ""),
    ] {
        assert_eq!(line(title, text), expected);
    }
}

#[test]
fn one_line_does_not_repeat_the_title() {
    let rest = "Ferries wait in the bay until the wind turns.";
    for (title, beginning) in [
        ("Storm closes harbour", "Storm closes harbour. "),
        ("Storm closes harbour!", "Storm closes harbour "),
        ("Storm closes harbour", "STORM CLOSES HARBOUR\n"),
        ("Storm closes the harbour", "The storm closes a harbour. "),
        ("嵐で港が閉鎖", "嵐で港が閉鎖。"),
    ] {
        assert_eq!(
            line(title, &format!("{beginning}{rest}")),
            rest,
            "{beginning}"
        );
    }
    assert_eq!(line("Storm closes harbour", "Storm closes harbour."), "");
    // The title is the subject of the sentence.
    let sentence = "Storm Ada has closed the harbour until Monday.";
    assert_eq!(line("Storm Ada", sentence), sentence);
}

#[test]
fn a_sentence_that_the_publisher_cut_off_is_no_key_sentence() {
    let text = "Ferries wait in the bay until the wind turns. The harbour master of the storm harbour said that the harbour…";
    assert_eq!(
        line("Harbour storm", text),
        "Ferries wait in the bay until the wind turns."
    );
}

#[test]
fn the_same_text_gives_the_same_summary() {
    let first = summary(ARTICLE, 300);
    for _ in 0..20 {
        assert_eq!(summary(ARTICLE, 300), first);
    }
}

#[test]
fn the_summary_of_a_summary_is_itself() {
    for chars in [200, 300, 900] {
        let first = summary(ARTICLE, chars).summary;
        assert_eq!(summary(&first, chars).summary, first);
    }
}

#[test]
fn hostile_text_is_bounded() {
    let texts = [
        "word ".repeat(200_000),
        "x".repeat(1_000_000),
        ".".repeat(100_000),
        ". ".repeat(50_000),
        "“a. ".repeat(50_000),
        "(".repeat(100_000),
        "\"a. \"".repeat(30_000),
        "…! ".repeat(50_000),
        "ab.Cd".repeat(50_000),
        "1. a ".repeat(50_000),
        "• ".repeat(50_000),
        format!("a{}", "\u{301}".repeat(200_000)),
        "\u{202e}abc\u{202c} אבג. ".repeat(20_000),
        "A. ".repeat(50_000),
        "港。".repeat(50_000),
        "\n".repeat(200_000),
    ];
    for text in texts {
        let found = summarize("Title", &text, Some("en"), Limits::default());
        assert!(found.summary.chars().count() <= 900);
        assert!(found.one_line.chars().count() <= 100);
        assert!(!found.one_line.contains('\n'));
    }
}

proptest! {
    #[test]
    fn summaries_obey_their_limits(
        title in "[A-Za-z ]{0,30}",
        text in "([A-Za-zé́港は。.!?, 0-9\n“”\"]|The |harbour |ferry |Mr\\. ){0,300}",
        chars in 1_usize..500,
    ) {
        let limits = Limits { summary_chars: chars, one_line_chars: chars };
        let found = summarize(&title, &text, None, limits);
        prop_assert!(found.summary.chars().count() <= chars);
        prop_assert!(found.one_line.chars().count() <= chars);
        prop_assert!(!found.one_line.contains(['\n', '\r']));
        prop_assert!(found.one_line.is_empty() || found.one_line != title.trim());
        prop_assert_eq!(found.summary.is_empty(), text.trim().is_empty());
        prop_assert!(found.sentences.is_sorted());
        prop_assert_eq!(&found, &summarize(&title, &text, None, limits));
    }

    #[test]
    fn summaries_are_sentences_of_the_text(
        text in "([A-Za-zé́港は。.!?, 0-9\n“”\"]|The |harbour |ferry |Mr\\. ){0,300}",
        chars in 1_usize..500,
    ) {
        let found = summary(&text, chars);
        let ranges = sentences(&text, None);
        let chosen: Vec<&str> = found
            .sentences
            .iter()
            .map(|index| &text[ranges[*index as usize].clone()])
            .collect();
        match chosen.as_slice() {
            [sentence] if sentence.chars().count() > chars => {
                let kept = found.summary.strip_suffix('…');
                prop_assert!(kept.is_some_and(|kept| sentence.starts_with(kept)));
            }
            _ => prop_assert!([chosen.concat(), chosen.join(" ")].contains(&found.summary)),
        }
    }
}
