//! Extraction of the article from a page.
//!
//! The decision is made by `dom_smoothie`, a port of Mozilla's Readability. Around it: `bounds`, so
//! that a hostile page cannot keep it busy; [`tidied`], which removes advertisements and converts
//! formulas to text; and the cleaner, because the result is still untrusted HTML. The callers in
//! `core` set a deadline, catch panics and run it off the async threads.
//!
//! The steps are public one by one, so that each can be measured: text lost by one of our rules
//! must not be mistaken for an error of Readability.

mod bounds;

use dom_query::{Document, NodeRef};
use dom_smoothie::{Config, Readability};
use lede_model::address::WebUrl;
use lede_model::content::CleanHtml;

use crate::clean;

/// Minimum length of an article's text, in characters. Less is a menu or a cookie notice.
const MIN_TEXT: usize = 200;

/// Maximum depth of the parsed tree; a deeper page is an attack. `bounds` lets through at most 256
/// by its own count.
const MAX_DEPTH: usize = 512;

/// An element with more than this share of an article's text is not an advertisement, regardless of
/// its name: some sites call the body of a text `promo`.
const MAX_AD_SHARE: f64 = 0.25;

/// Removal of likely advertisements has gone too far if less text than this is left (bytes, without
/// white space).
const MIN_TEXT_AFTER_ADS: usize = 400;

/// Elements that are never part of an article.
const SAFE_ADS: &str = ".ad, .ads, .advertisement, .advertising, .sponsored, .promo, .promotion, \
    .social-share, .share-buttons, .newsletter-signup, .subscribe-box";

/// Elements that are usually not part of an article: names that start with `ad-`. A search anywhere
/// in a name would match `lead-`, `head-`, `thread-` and `read-more`.
const LIKELY_ADS: &str = "[class^=\"ad-\"], [class*=\" ad-\"], [class^=\"ads-\"], \
    [class*=\" ads-\"], [id^=\"ad-\"], [id^=\"ads-\"], .related-posts, .recommended";

/// Article extracted from a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Article {
    pub html: CleanHtml,
    /// Title as plain text; `None` if the page has none.
    pub title: Option<String>,
    /// Length of the text in characters: a longer text replaces the one from the feed.
    pub text_len: usize,
}

/// Result of Readability before our own rules: untrusted HTML that still has the class names and
/// ids of the page.
#[derive(Debug, Clone)]
pub struct RawArticle {
    /// Untrusted markup, not to be shown.
    pub html: String,
    /// Title of the page, not cleaned.
    pub title: String,
}

/// Extracts the article from `html`, the page at `page`. Returns `None` if there is none of
/// sufficient length.
pub fn article(html: &str, page: &WebUrl) -> Option<Article> {
    let found = found(html, page)?;
    let html = clean::html(&tidied(&found.html), Some(page));
    let text_len = clean::text(&html).chars().count();
    let title = clean::plain(&found.title);
    (text_len >= MIN_TEXT).then(|| Article {
        html,
        title: (!title.is_empty()).then_some(title),
        text_len,
    })
}

/// Finds the part of `html`, the page at `page`, that is its article. Returns `None` if the page
/// exceeds the limits or has no article.
pub fn found(html: &str, page: &WebUrl) -> Option<RawArticle> {
    let bounded = bounds::page(html)?;
    let document = Document::from(bounded);
    if depth(&document) > MAX_DEPTH {
        return None;
    }
    let config = Config {
        // `tidied` needs the class names; the cleaner removes them.
        keep_classes: true,
        max_elements_to_parse: 2 * bounds::MAX_ELEMENTS,
        ..Config::default()
    };
    let found = Readability::with_document(document, Some(page.as_str()), Some(config))
        .and_then(|mut readability| readability.parse())
        .ok()?;
    Some(RawArticle {
        html: found.content.to_string(),
        title: found.title,
    })
}

/// Returns the nesting depth of the tree. `bounds` counts by rules of its own; this measures the
/// tree itself, before any quadratic algorithm runs over it.
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

/// Removes the advertisements from an article and converts its formulas to text.
pub fn tidied(article: &str) -> String {
    let document = Document::fragment(article);
    remove_ads(&document);
    spell_out_formulas(&document);
    document.inner_html().to_string()
}

/// Removes advertisements by class name and id.
///
/// Readability turns a `div` that contains only text into a paragraph without a class, so some
/// advertisements are no longer recognisable. Searching before Readability would be worse: there,
/// the same names occur on the surroundings of the article itself.
fn remove_ads(document: &Document) {
    let all = text_len(&document.root());
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a length, and only roughly"
    )]
    let largest = (all as f64 * MAX_AD_SHARE) as usize;
    let ads = |selector: &str| -> Vec<_> {
        let found = document.select(selector);
        let sized = found.nodes().iter().map(|node| (*node, text_len(node)));
        sized.filter(|(_, len)| *len <= largest).collect()
    };
    for (node, _) in ads(SAFE_ADS) {
        node.remove_from_parent();
    }
    let likely = ads(LIKELY_ADS);
    let lost: usize = likely.iter().map(|(_, len)| len).sum();
    if text_len(&document.root()).saturating_sub(lost) >= MIN_TEXT_AFTER_ADS {
        for (node, _) in likely {
            node.remove_from_parent();
        }
    }
}

/// Returns the amount of text in an element, in bytes without white space.
fn text_len(node: &NodeRef<'_>) -> usize {
    node.descendants_it()
        .filter(NodeRef::is_text)
        .map(|text| {
            let text = text.text();
            text.split_whitespace().map(str::len).sum::<usize>()
        })
        .sum()
}

/// Converts MathML to text. MathML does not pass the cleaner, and a sentence without its formula
/// has another meaning. The symbols stay as text, superscripts and subscripts as such.
fn spell_out_formulas(document: &Document) {
    // The same formula again in another notation.
    document
        .select("math annotation, math annotation-xml")
        .remove();
    for (part, name) in [
        ("math msup > :nth-child(2)", "sup"),
        ("math msub > :nth-child(2)", "sub"),
    ] {
        document.select(part).rename(name);
    }
    for numerator in document.select("math mfrac > :nth-child(1)").nodes() {
        numerator.after_html(" / ");
    }
    document.select("math").rename("span");
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
    fn what_holds_much_of_the_text_is_no_advertisement() {
        let long = "word ".repeat(200);
        let article = format!(
            "<p>{long}</p><div class='story promo'><p>{long}</p></div><p class=promo>Buy!</p>
             <div class='x ad-box'>Buy more!</div>"
        );
        let left = tidied(&article);
        assert_eq!(left.matches("word").count(), 400, "{left}");
        assert!(!left.contains("Buy"), "{left}");
    }

    #[test]
    fn formulas_are_written_as_text() {
        let left = tidied(
            "so <math><mi>x</mi><mo>=</mo><msup><mi>y</mi><mn>2</mn></msup>
             <mfrac><mn>1</mn><mi>z</mi></mfrac><annotation>x=y^2</annotation></math>.",
        );
        let shown = clean::html(&left, None);
        assert!(shown.as_str().contains("x=y<sup>2</sup>"), "{shown}");
        assert!(shown.as_str().contains("1 / z"), "{shown}");
        assert!(!shown.as_str().contains('^'), "{shown}");
    }

    #[test]
    fn too_little_text_is_no_article() {
        assert_eq!(article("", &page()), None);
        assert_eq!(article(&a_page("<p>Short.</p>"), &page()), None);
        assert_eq!(article(&"<br>".repeat(100_000), &page()), None);
    }
}
