//! A parsed instant can be formatted and parsed again.

use lede_feed::date;
use proptest::prelude::*;

/// Generates parts of dates in plausible orders.
fn date_text() -> impl Strategy<Value = String> {
    let piece = |words: &'static [&'static str]| prop::sample::select(words);
    let day = prop_oneof![
        "[0-3]?[0-9] (Jan|Feb|März|Aug|Dez|mayo) (19|20)?[0-9]{2}",
        "(19|20)?[0-9]{2}[-/.][0-1]?[0-9][-/.][0-3]?[0-9]",
        "[0-3]?[0-9][-/.][0-1]?[0-9][-/.](19|20)?[0-9]{2}",
        "[0-9]{1,14}",
        "[0-9]{4}-?W[0-9]{1,2}-?[0-9]?",
        "[0-9]{2,4}년 [0-9]{1,2}월 [0-9]{1,2}일",
    ];
    let time = prop_oneof![
        Just(String::new()),
        "[T ][0-2]?[0-9]:[0-6][0-9](:[0-6][0-9](\\.[0-9]{1,9})?)?",
        " [0-1]?[0-9]:[0-5][0-9] ?(am|pm|a\\.m\\.|Uhr)",
        " 24:00",
    ];
    let zone = prop_oneof![
        piece(&[
            "",
            "Z",
            " GMT",
            " EST",
            " MEST",
            " Europe/Berlin",
            " Etc/GMT+5",
            " (CET)"
        ])
        .prop_map(str::to_owned),
        " ?[+-][0-9]{1,4}",
        " ?(GMT|UTC)?[+-][0-9]{2}:[0-9]{2}",
    ];
    (piece(&["", "Sat, ", "Samstag, "]), day, time, zone)
        .prop_map(|(weekday, day, time, zone)| format!("{weekday}{day}{time}{zone}"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2048) })]

    #[test]
    fn an_instant_is_read_back_as_itself(text in date_text()) {
        if let Some(at) = date::parse(&text) {
            prop_assert_eq!(date::parse(&at.to_string()), Some(at), "{} is {}", text, at);
        }
    }
}
