//! Properties that hold for every text and every query.

use proptest::prelude::*;

use super::{FeedFacts, ItemFacts, ItemText, Part, Query, highlight};
use crate::ids::FeedId;
use crate::time::Timestamp;

/// Texts made of query syntax and of characters that are hard to tokenise.
fn odd_text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a",
        "bc",
        "Foo",
        " ",
        "\"",
        "“",
        "*",
        "-",
        "OR",
        ":",
        "title:",
        "author:x",
        "is:unread",
        "feed:3",
        "日",
        "本",
        "語",
        "ﾃｽﾄ",
        "が",
        "한국",
        "é",
        "e\u{301}",
        "\u{301}",
        "ﬁ",
        "㍿",
        "İ",
        "😀",
        "\0",
        "हि",
        "2026",
        "after:2026",
        "(",
        "\u{3000}",
    ]);
    prop_oneof![
        prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat()),
        any::<String>(),
    ]
}

proptest! {
    #[test]
    fn a_query_is_words_and_nothing_else(text in odd_text()) {
        if let Ok(query) = Query::parse(&text) {
            for term in query.groups().iter().flatten().chain(query.excluded()) {
                prop_assert!(!term.words().is_empty());
                for word in term.words() {
                    prop_assert!(!word.is_empty());
                    let is_sign = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric();
                    prop_assert!(!word.contains(|c| is_sign(c) || c.is_whitespace()), "{word:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_shown_lies_between_characters_and_is_there_when_the_text_matches(
        text in odd_text(),
        query in odd_text(),
    ) {
        let Ok(query) = Query::parse(&query) else {
            return Ok(());
        };
        let shown = highlight(&text, Part::Any, &query);
        let mut last = None;
        for range in &shown {
            prop_assert!(range.start < range.end);
            prop_assert!(last.is_none_or(|last| last < range.start));
            prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
            last = Some(range.end);
        }
        let feed = FeedFacts {
            id: FeedId::from(3),
            title: String::new(),
            host: String::new(),
            categories: Vec::new(),
        };
        let facts = ItemFacts {
            feed: &feed,
            sort_at: Timestamp::from_seconds(1_773_489_600),
            is_unread: true,
            is_starred: false,
            labels: &[],
        };
        let item = ItemText::new("", "", || text.clone());
        let is_match = query.matches(&item, &facts);
        prop_assert!(!is_match || query.groups().is_empty() || !shown.is_empty());
    }

    #[test]
    fn a_text_is_found_by_any_part_of_it(text in odd_text(), from in 0_usize..40, length in 1_usize..20) {
        // Inside quotation marks only the marks themselves have a meaning.
        let text = text.replace(['"', '“', '”', '„', '＂'], " ");
        let part: String = text.chars().skip(from).take(length).collect();
        let begins_a_word = from == 0 || text.chars().nth(from - 1) == Some(' ');
        let ends_a_word = matches!(text.chars().nth(from + length), None | Some(' '));
        let Ok(query) = Query::parse(&format!("\"{part}\"")) else {
            return Ok(());
        };
        if begins_a_word && ends_a_word {
            prop_assert!(!highlight(&text, Part::Any, &query).is_empty(), "{part:?} in {text:?}");
        }
    }
}
