//! Fallback content of embeds, meant for clients that cannot show the embed itself.

use lede_model::address::WebUrl;

use super::web_address;
use crate::clean::text;
use crate::clean::token::{Token, tokens};

/// Maximum length of a notice in bytes; a longer text is content regardless of its words.
const MAX_NOTICE: usize = 400;

/// Words that occur, in most languages, in a notice that something cannot be shown.
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

/// Use of the content of an embed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::clean) enum Fallback {
    /// Empty, or a notice that the browser is too old.
    Nothing,
    /// Only a link to the page of the embed, with its title.
    Link { page: String, text: String },
    /// Content that should be shown.
    Content,
}

/// Classifies `inner`, the markup inside an embed.
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

/// Returns `true` if there is no text outside of links.
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
