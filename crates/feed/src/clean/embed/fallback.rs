//! The content of an embed, meant for readers that cannot show it: as this one.

use lede_model::address::WebUrl;

use super::web_address;
use crate::clean::text;
use crate::clean::token::{Token, tokens};

/// Longer text is worth keeping whatever it speaks of, in bytes.
const MAX_NOTICE: usize = 400;

/// Words of a notice that something cannot be shown, in most languages.
const NOTICE_WORDS: [&str; 8] = [
    "browser",
    "iframe",
    "inline frame",
    "javascript",
    "flash",
    "html5",
    "plugin",
    "plug-in",
];

/// The use of an embed's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::clean) enum Fallback {
    /// Nothing, or a notice that the browser is too old.
    Nothing,
    /// A link to the page of what is embedded, with its title, and nothing else.
    Link { page: String, text: String },
    /// Something to be shown.
    Content,
}

/// Judges `inner`, the markup inside an embed.
pub(super) fn judged(inner: &str, base: Option<&WebUrl>) -> Fallback {
    let (mut links, mut linked, mut pictures) = (0, None, 0);
    for token in tokens(inner) {
        let Token::Start(tag) = token else {
            continue;
        };
        if tag.name.eq_ignore_ascii_case("a") {
            links += 1;
            linked = tag
                .attribute("href")
                .and_then(|href| web_address(&href, base));
        } else if ["img", "video", "audio", "table"]
            .iter()
            .any(|name| tag.name.eq_ignore_ascii_case(name))
        {
            pictures += 1;
        }
    }
    let words = text::one_line(&text::of(inner));
    match linked {
        Some(page) if links == 1 && pictures == 0 && is_all_linked(inner) && !words.is_empty() => {
            return Fallback::Link {
                page: page.into_string(),
                text: words,
            };
        }
        _ => {}
    }
    let is_notice = || {
        let lower = words.to_lowercase();
        words.len() <= MAX_NOTICE && NOTICE_WORDS.iter().any(|word| lower.contains(word))
    };
    if links == 0 && pictures == 0 && (words.is_empty() || is_notice()) {
        Fallback::Nothing
    } else {
        Fallback::Content
    }
}

/// Returns true if there are no words outside of links.
fn is_all_linked(inner: &str) -> bool {
    let mut is_in_link = false;
    tokens(inner).all(|token| {
        match token {
            Token::Start(tag) if tag.name.eq_ignore_ascii_case("a") => is_in_link = true,
            Token::End(name) if name.eq_ignore_ascii_case("a") => is_in_link = false,
            Token::Text(text) => return is_in_link || text.trim().is_empty(),
            _ => {}
        }
        true
    })
}
