//! Texts with their sentences, by language and by kind of mark.

use proptest::prelude::*;

use super::*;

fn split<'a>(text: &'a str, hint: &str) -> Vec<&'a str> {
    sentences(text, Language::detect(text, Some(hint)))
        .into_iter()
        .map(|range| &text[range])
        .collect()
}

/// Checks texts in which `|` marks the boundaries.
fn check(language: &str, cases: &[&str]) {
    for case in cases {
        let expected: Vec<&str> = case.split('|').map(str::trim).collect();
        assert_eq!(split(&case.replace('|', ""), language), expected);
    }
}

#[test]
fn a_period_may_belong_to_an_abbreviation() {
    check(
        "en",
        &[
            "Dr. Ames met Mrs. Bell at St. Mary's.| They spoke.",
            "The shop Ames & Co. was sold.| It had no debt.",
            "She sued Ames Inc.| The court agreed.",
            "He visited the U.S. Embassy.| Nothing happened in the U.S.| The pilot left.",
            "He arrived at 7 p.m. Friday.| We left at 9 p.m.| They stayed.",
            "At 7 a.m. Dr. Ames left.| The clinic had closed at 9 p.m.| Dr. Ames was late.",
            "See No. 12 and p. 30.| He said no.| They left.",
            "J. R. Ames wrote it with Carl B. Bell.| It sold well.",
            "It was Ames and I.| Did they see Carl I. Bell?",
            "It weighs 5 kg.| Few can lift it.",
            "The BBC reported it.| So did the NHS.| Nurses agreed.",
            "That is Carl Ames Jr.'s boat.",
        ],
    );
    check(
        "de",
        &[
            "Am 3. Oktober kam Dr. Ames mit der 2. Mannschaft.| Die Liga freut sich.",
            "Im 19. Jahrhundert war das z. B. Hrn. Bell bekannt.| Er schwieg.",
            "Es geschah 1999.| Danach war Ruhe.",
            "Er wurde 12.| Danach zog er um.",
        ],
    );
    check("fr", &["M. Ames et Mme Bell sont là.| Il part."]);
    check(
        "es",
        &["El Sr. Ames llegó a la Avda. Bell.| ¿Quién es?| Es él."],
    );
    check("pt", &["O Sr. Ames mora na Av. Bell.| Ele saiu."]);
    check("it", &["Il Dott. Ames ha visto l'Ing. Bell.| È partito."]);
    check("nl", &["Dhr. Ames woont bijv. Bell.| Hij is weg."]);
    check("da", &["Hr. Ames bor i 5. sal.| Det er højt."]);
    check("sv", &["Han kom t.ex. hit.| Det var bra.| Kl. 5 gick han."]);
    check("pl", &["Prof. Ames mieszka na ul. Bell.| To daleko."]);
    check(
        "ru",
        &["Проф. Эймс живет на ул. Белл.| Он ушел в 2010 г.| Это далеко."],
    );
    check("xx", &["Zrzt. Ames rulo.| Vilo tam."]);
}

#[test]
fn quotations_and_parentheses_are_not_divided() {
    check(
        "en",
        &[
            "He said: \"We won. It was hard.\"| Then he left.",
            "“We won. It was hard,” said Ames.| He left.",
            "\"Is it over?\" she asked.| It was.",
            "'Is it over?' she asked.| It was.",
            "The ferry (It is new. It is fast.) waits.| All is well.",
            "It is late.| (The ferry waits.)| All is well.",
            "\"Boats [...] sank [...]\" (Ames 12).",
            "An unclosed \"quotation ends.| The text goes on.",
            "A closed) parenthesis ends.| The text goes on.",
        ],
    );
    check("fr", &["« Bonjour. Ça va ? » dit-il.| Il part."]);
    check("de", &["„Ja. Nein.“| Das sagte er.| Dann ging er."]);
    check(
        "ja",
        &["「行く。帰る。」と彼は言った。|『終わり。次』（注。例）です！|次？|はい。"],
    );
    check("zh", &["他说：“我来了。你好吗？”然后走了。|真的！"]);
}

#[test]
fn a_quotation_that_is_too_long_is_divided() {
    let long = format!("“{} End.” Next.", "We won it all. ".repeat(40));
    assert_eq!(split(&long, "en").len(), 42);
}

#[test]
fn marks_inside_words_and_numbers_do_not_end_a_sentence() {
    check(
        "en",
        &[
            "Version 2.5 costs $10.50.| It is at www.example.org/a.html today.",
            "Write to Jane.Doe@example.org.| She answers.",
            "It ended.|The next one began.| We use Node.js and ASP.NET daily.",
            "Yahoo! is a name.| Wait... no.| It rained....| The end.",
            "I was . . . not sure.| He left. . . .",
            "Really?!| Yes!!| Good.",
        ],
    );
    check("ja", &["３．５％増えた。|次は2.5倍です。"]);
}

#[test]
fn lists_in_one_line_are_divided() {
    check(
        "en",
        &[
            "1. First boat |2. Second boat |3. Third boat",
            "1) First boat. |2) Second boat.",
            "• First boat |• Second boat",
            "a. First boat |b. Second boat",
            "Bring 1) boats 2) oars.",
        ],
    );
}

#[test]
fn each_script_has_its_own_marks() {
    check("ar", &["هل وصلت السفينة؟ |نعم. |غادرت."]);
    check("ur", &["جہاز آیا۔ |وہ گیا۔"]);
    check("hi", &["जहाज आया। |वह गया।"]);
    check("hy", &["Նավը եկավ։ |Նա գնաց։"]);
    check("am", &["መርከቡ መጣ። |ሄደ።"]);
    check("my", &["သင်္ဘော ရောက်သည်။ |ထွက်သည်။"]);
    check("el", &["Ήρθε το πλοίο; |Ναι. |Έφυγε."]);
    check("ko", &["배가 왔습니다. |떠났습니다!"]);
    check("he", &["האונייה הגיעה. |היא עזבה?"]);
}

#[test]
fn a_line_break_ends_a_sentence() {
    assert_eq!(
        split(
            "Harbour\nThe ferry waits\r\n\r\n  It is late.\u{2028}End",
            "en"
        ),
        ["Harbour", "The ferry waits", "It is late.", "End"]
    );
}

#[test]
fn empty_text_has_no_sentence() {
    for text in ["", " ", "\n\n\t"] {
        assert!(split(text, "en").is_empty());
    }
}

proptest! {
    #[test]
    fn sentences_cover_the_text_in_order(
        text in "([A-Za-z。！?.!… \"“”()「」1-9\n٠-٩é́ü]|Mr\\.|U\\.S\\.){0,200}",
    ) {
        let ranges = sentences(&text, Language::detect(&text, None));
        let mut end = 0;
        let mut rest = String::new();
        for range in ranges {
            prop_assert!(range.start >= end && range.end > range.start);
            prop_assert_eq!(text[range.clone()].trim(), &text[range.clone()]);
            rest.push_str(&text[end..range.start]);
            end = range.end;
        }
        rest.push_str(&text[end..]);
        prop_assert!(rest.trim().is_empty(), "lost {rest:?}");
    }
}
