//! Finding the article in a page.
//!
//! The judgement is `dom_smoothie`'s, a port of Mozilla's readability. Around it: `bounds`, so that
//! a hostile page cannot keep it busy; the removal of advertisements inside what it found; and the
//! cleaner, because what it returns is still a stranger's HTML. It runs where a deadline and a
//! caught panic are arranged for (`core`), not on an async thread.

mod bounds;

use dom_query::Document;
use dom_smoothie::{Config, Readability};
use lede_model::address::WebUrl;
use lede_model::content::CleanHtml;

use crate::clean;

/// Less text than this is a menu or a notice about cookies, not an article (characters).
const MIN_TEXT: usize = 200;

/// Deeper than this the page is an attack: `bounds` lets through at most 256 by its own count.
const MAX_DEPTH: usize = 512;

/// Removing everything that may be an advertisement has gone too far when less text than this is
/// left (characters).
const MIN_TEXT_AFTER_ADS: usize = 400;

/// What is never part of an article.
const SAFE_ADS: &str = ".ad, .ads, .advertisement, .advertising, .sponsored, .promo, .promotion, \
    .social-share, .share-buttons, .newsletter-signup, .subscribe-box";

/// What is mostly not: names that begin with `ad-`. Looking for it anywhere in a name would find
/// `lead-`, `head-`, `thread-` and `read-more`.
const LIKELY_ADS: &str = "[class^=\"ad-\"], [class*=\" ad-\"], [class^=\"ads-\"], \
    [class*=\" ads-\"], [id^=\"ad-\"], [id^=\"ads-\"], .related-posts, .recommended";

/// An article found in a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Article {
    /// Its text, cleaned.
    pub html: CleanHtml,
    /// Its title as plain text, when the page has one.
    pub title: Option<String>,
    /// How much text there is, in characters: longer text wins over what the feed had.
    pub text_len: usize,
}

/// The article in `html`, the page at `page`; `None` when there is none worth showing.
pub fn article(html: &str, page: &WebUrl) -> Option<Article> {
    let bounded = bounds::page(html)?;
    let document = Document::from(bounded);
    if depth(&document) > MAX_DEPTH {
        return None;
    }
    let config = Config {
        // The names are needed below, and gone after cleaning.
        keep_classes: true,
        max_elements_to_parse: 2 * bounds::MAX_ELEMENTS,
        ..Config::default()
    };
    let found = Readability::with_document(document, Some(page.as_str()), Some(config))
        .and_then(|mut readability| readability.parse())
        .ok()?;
    let all = without(&found.content, &[SAFE_ADS, LIKELY_ADS], page);
    let best = if all.text_len < MIN_TEXT_AFTER_ADS {
        let safe = without(&found.content, &[SAFE_ADS], page);
        if safe.text_len > all.text_len {
            safe
        } else {
            all
        }
    } else {
        all
    };
    let title = clean::plain(&found.title);
    (best.text_len >= MIN_TEXT).then(|| Article {
        html: best.html,
        title: (!title.is_empty()).then_some(title),
        text_len: best.text_len,
    })
}

/// How deep elements stand in elements. `bounds` has counted them by rules of its own; this asks
/// the tree itself, before anything quadratic does.
fn depth(document: &Document) -> usize {
    let mut deepest = 0;
    let mut level = 0_usize;
    let mut next = Some(document.root());
    while let Some(node) = next {
        deepest = deepest.max(level);
        if let Some(child) = node.first_child() {
            level += 1;
            next = Some(child);
            continue;
        }
        let mut here = Some(node);
        next = loop {
            let Some(node) = here else {
                break None;
            };
            if let Some(sibling) = node.next_sibling() {
                break Some(sibling);
            }
            level = level.saturating_sub(1);
            here = node.parent();
        };
    }
    deepest
}

/// What is left of an article.
///
/// Readability turns a division that holds only words into a paragraph without a name, so some
/// advertisements cannot be known any more. Looking for them before would be worse: there, the
/// same names are on the article's own surroundings.
struct Left {
    html: CleanHtml,
    text_len: usize,
}

fn without(content: &str, selectors: &[&str], page: &WebUrl) -> Left {
    let document = Document::fragment(content);
    for selector in selectors {
        document.select(selector).remove();
    }
    let html = clean::html(&document.inner_html(), Some(page));
    let text_len = clean::text(&html).chars().count();
    Left { html, text_len }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> WebUrl {
        WebUrl::parse("https://example.org/news/1").unwrap()
    }

    fn sentence(n: usize) -> String {
        format!("Sentence number {n} of this article, with a comma and quite enough words. ")
    }

    fn a_page(body: &str) -> String {
        format!(
            "<!doctype html><title>The title | Site</title><nav><a href=/>Home</a></nav>
             <article><h1>The title</h1>{body}</article><footer>Legal</footer>"
        )
    }

    #[test]
    fn the_article_is_found_cleaned_and_without_its_surroundings() {
        let body: String = (0..20)
            .map(|n| format!("<p onclick=x>{}</p>", sentence(n).repeat(2)))
            .collect();
        let html = a_page(&format!(
            "{body}<p><a href=/more?utm_source=x>{}</a> {}</p><div class='x ad-slot'><p>Buy this now, {}</p><p>And this.</p></div>
             <div class=thread-body>{}</div>",
            "more",
            sentence(90),
            sentence(91),
            sentence(92)
        ));
        let found = article(&html, &page()).unwrap();
        let text = clean::text(&found.html);
        assert!(text.contains("Sentence number 19"));
        assert!(text.contains("Sentence number 92"), "{text}");
        assert!(!text.contains("Buy this"));
        assert!(!text.contains("Legal"));
        assert!(!found.html.as_str().contains("onclick"));
        assert!(
            found
                .html
                .as_str()
                .contains("href=\"https://example.org/more\"")
        );
        assert!(found.title.unwrap().starts_with("The title"));
        assert_eq!(found.text_len, text.chars().count());
        assert_eq!(clean::html(found.html.as_str(), None), found.html);
    }

    #[test]
    fn an_article_that_is_all_advertisement_is_left_whole() {
        let html = a_page(&format!(
            "<div class=ad-free-content>{}</div>",
            (0..20)
                .map(|n| format!("<p>{}</p>", sentence(n)))
                .collect::<String>()
        ));
        let text = clean::text(&article(&html, &page()).unwrap().html);
        assert!(text.contains("Sentence number 7"));
    }

    #[test]
    fn too_little_text_is_no_article() {
        assert_eq!(article("", &page()), None);
        assert_eq!(article(&a_page("<p>Short.</p>"), &page()), None);
        assert_eq!(article(&"<br>".repeat(100_000), &page()), None);
    }
}
