//! Cleaning: from untrusted HTML to HTML that may be shown.
//!
//! [`html`] truncates, rewrites (`tree`), and checks the result with a second sanitiser (`second_sanitiser`).
//! Both use the same list of elements and the same list of attributes. Cleaning is idempotent, so
//! that stored HTML can be cleaned again whenever [`POLICY_VERSION`] rises. [`text`] and [`plain`]
//! return text without markup, and [`item`] cleans a whole entry.
//!
//! For image addresses, only the scheme is checked here (see `address`); the proxy through which
//! users load them is applied when HTML is served.

mod address;
mod attribute;
mod element;
mod embed;
pub(crate) mod entity;
mod image;
mod item;
mod second_sanitiser;
mod served;
mod text;
pub(crate) mod token;
mod tree;

use lede_model::address::WebUrl;
use lede_model::content::CleanHtml;

pub use embed::is_player;
pub(crate) use image::names_a_picture;
pub use item::{Media, RawItem, item};
pub use served::with_pictures;
pub(crate) use text::head;
pub use text::{plain, text};

/// Version of the cleaning rules. It rises with every change, so that stored HTML is cleaned again.
pub const POLICY_VERSION: i64 = 3;

/// Maximum size of the HTML of one item, before and after cleaning.
pub const MAX_HTML_BYTES: usize = 2 * 1024 * 1024;

/// Number of times that the two sanitisers may disagree before the markup is dropped and only the
/// text remains. No disagreement has been observed so far.
const MAX_ROUNDS: usize = 3;

/// Cleans `raw` and resolves its relative addresses against `base`; without a base they are
/// removed.
pub fn html(raw: &str, base: Option<&WebUrl>) -> CleanHtml {
    let mut ours = tree::rewritten(token::cut(raw, MAX_HTML_BYTES), base, MAX_HTML_BYTES);
    for _ in 0..MAX_ROUNDS {
        if second_sanitiser::agrees_with(&ours) {
            return verified_html(ours);
        }
        let theirs = second_sanitiser::passed(&ours);
        ours = tree::rewritten(token::cut(&theirs, MAX_HTML_BYTES), None, MAX_HTML_BYTES);
    }
    from_text(&text::of(&ours))
}

/// Converts plain text to cleaned HTML: blank lines separate paragraphs, and line breaks stay.
pub fn from_text(text: &str) -> CleanHtml {
    let text = entity::tidied(text);
    let mut markup = String::with_capacity(text.len() + 16);
    let mut is_open = false;
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() {
            if is_open {
                markup.push_str("</p>\n");
                is_open = false;
            }
            continue;
        }
        markup.push_str(if is_open { "<br>" } else { "<p>" });
        is_open = true;
        entity::push_text(&mut markup, line);
    }
    // Applies the same size limit and serialisation as for other HTML.
    verified_html(tree::rewritten(
        token::cut(&markup, MAX_HTML_BYTES),
        None,
        MAX_HTML_BYTES,
    ))
}

/// Parses `written`, an absolute address in a feed, as a browser would.
pub fn web_address(written: &str) -> Option<WebUrl> {
    address::absolute(&address::fix_spaces(written), None)
}

/// Parses `written`, an address in a page, relative to `base`.
pub(crate) fn address_in(written: &str, base: &WebUrl) -> Option<WebUrl> {
    address::absolute(&address::fix_spaces(written), Some(base))
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the cleaner: its callers hand over only what `tree` wrote"
)]
fn verified_html(html: String) -> CleanHtml {
    CleanHtml::assume_clean(html)
}

#[cfg(test)]
mod tests;
