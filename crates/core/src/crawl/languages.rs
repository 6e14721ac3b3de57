//! Language detection for the items of a fetch.
//!
//! Detecting the language of a text takes longer than cleaning it, and nearly every feed has one
//! language. So three samples of a fetch are examined; if all that give a result agree, every item
//! gets that language unless its script contradicts it. If they disagree, each item is examined.

use lede_store::ingest::NewItem;

/// Text of one sample, in bytes: enough for detection; more would only take longer.
const SAMPLE_BYTES: usize = 500;

/// Up to this number, items are always examined one by one.
const FEW: usize = 5;

/// Sets the language of each item: detected in its text, else declared by the entry or the feed.
pub(super) fn assign(items: &mut [NewItem], declared: Option<&str>) {
    let declared = declared.and_then(lede_feed::declared_language);
    let samples = samples(items);
    let common = samples.first().copied();
    let is_mixed = items.len() <= FEW || samples.iter().any(|sample| Some(*sample) != common);
    for new in items {
        let mut text = String::new();
        add(&mut text, new);
        let by_words = match is_mixed {
            false => lede_feed::language_by_signs(&text).or(common),
            true => lede_feed::language(&text),
        };
        // The language that the entry declares; set when it was read.
        let own = new.language.take();
        new.language = by_words
            .map(str::to_owned)
            .or_else(|| own.as_deref().and_then(lede_feed::declared_language))
            .or_else(|| declared.clone());
    }
}

/// Detects the languages of the beginning, the middle and the end. A sample joins several short
/// items; if it gives no result, none of its items would.
fn samples(items: &[NewItem]) -> Vec<&'static str> {
    let third = items.len().div_ceil(3).max(1);
    items
        .chunks(third)
        .filter_map(|items| {
            let mut text = String::with_capacity(2 * SAMPLE_BYTES);
            for new in items {
                add(&mut text, new);
                if text.len() >= SAMPLE_BYTES {
                    break;
                }
            }
            lede_feed::language(&text)
        })
        .collect()
}

fn add(text: &mut String, new: &NewItem) {
    text.push_str(&new.item.title);
    text.push(' ');
    text.push_str(&new.item.excerpt);
    text.push(' ');
}

#[cfg(test)]
mod tests {
    use lede_model::content::{CleanHtml, ContentHash};
    use lede_model::item::{CleanItem, ItemDetails};

    use super::*;

    const ENGLISH: &str = "The city council voted on Tuesday to close two of its libraries, although \
        thousands of people had signed a petition to keep them open.";
    const FRENCH: &str = "Le conseil municipal a décidé mardi de fermer deux bibliothèques, alors que \
        des milliers de personnes avaient signé une pétition pour les garder ouvertes.";
    const JAPANESE: &str = "市議会は火曜日、図書館二館の閉鎖を決定した。";

    fn assigned(texts: &[&str], declared: Option<&str>) -> Vec<Option<String>> {
        let mut items: Vec<NewItem> = texts.iter().map(|text| item(text)).collect();
        assign(&mut items, declared);
        items.into_iter().map(|new| new.language).collect()
    }

    fn item(text: &str) -> NewItem {
        NewItem {
            item: CleanItem {
                guid: None,
                url: None,
                title: String::new(),
                author: None,
                html: CleanHtml::default(),
                excerpt: text.to_owned(),
                published_at: None,
                hash: ContentHash::of([text]),
            },
            lede: String::new(),
            reading_minutes: None,
            language: None,
            image_url: None,
            details: ItemDetails::default(),
            wants_article: false,
        }
    }

    #[test]
    fn a_feed_of_one_language_gives_it_to_short_items_but_not_to_another_script() {
        let texts = [ENGLISH, "Fog", ENGLISH, JAPANESE, ENGLISH, ENGLISH];
        assert_eq!(
            assigned(&texts, Some("de"))
                .iter()
                .flatten()
                .collect::<Vec<_>>(),
            ["en", "en", "en", "ja", "en", "en"]
        );
    }

    #[test]
    fn where_items_differ_each_is_asked_and_the_declaration_fills_the_gaps() {
        let texts = [ENGLISH, FRENCH, "Fog", FRENCH];
        assert_eq!(
            assigned(&texts, Some("fr-CA"))
                .iter()
                .flatten()
                .collect::<Vec<_>>(),
            ["en", "fr", "fr", "fr"]
        );
        assert_eq!(assigned(&["Fog"], None), [None]);
        assert_eq!(assigned(&[], None), Vec::<Option<String>>::new());
    }
}
