//! Cleaning: from a stranger's HTML to what may be shown.
//!
//! [`html`] cuts, rewrites (`tree`), and checks the result with a second sanitiser (`wall`). Both
//! work from one list of elements and one list of attributes. Cleaning is idempotent, so that what
//! is stored can be cleaned again whenever [`POLICY_VERSION`] rises. [`text`] and [`plain`] give
//! words without markup, and [`item`] puts a whole entry together.
//!
//! Where pictures come from is settled here only as far as the scheme goes (see `address`); that
//! readers fetch them through a proxy is decided when they are served.

mod address;
mod attribute;
mod element;
mod embed;
pub(crate) mod entity;
mod image;
mod item;
mod served;
mod text;
pub(crate) mod token;
mod tree;
mod wall;

use lede_model::address::WebUrl;
use lede_model::content::CleanHtml;

pub use embed::is_player;
pub(crate) use image::names_a_picture;
pub use item::{Media, RawItem, item};
pub use served::with_pictures;
pub(crate) use text::head;
pub use text::{plain, text};

/// Rises with every change of the rules, so that stored HTML is cleaned again (hardening 4.1).
pub const POLICY_VERSION: i64 = 3;

/// Longest HTML of one item, before cleaning and after (hardening 3.2).
pub const MAX_HTML_BYTES: usize = 2 * 1024 * 1024;

/// How often the two sanitisers may disagree before only the words are kept. They have not been
/// seen to disagree at all.
const MAX_ROUNDS: usize = 3;

/// Cleans `raw`, with its relative addresses resolved against `base`; without one they go.
pub fn html(raw: &str, base: Option<&WebUrl>) -> CleanHtml {
    let mut ours = tree::rewritten(token::cut(raw, MAX_HTML_BYTES), base, MAX_HTML_BYTES);
    for _ in 0..MAX_ROUNDS {
        if wall::agrees_with(&ours) {
            return vouched(ours);
        }
        let theirs = wall::passed(&ours);
        ours = tree::rewritten(token::cut(&theirs, MAX_HTML_BYTES), None, MAX_HTML_BYTES);
    }
    from_text(&text::of(&ours))
}

/// Cleaned HTML from text: blank lines separate paragraphs, and line breaks stay.
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
    // The same bounds and the same form as for everything else.
    vouched(tree::rewritten(
        token::cut(&markup, MAX_HTML_BYTES),
        None,
        MAX_HTML_BYTES,
    ))
}

/// The web address that `written`, an absolute address in a feed, means to a browser.
pub fn web_address(written: &str) -> Option<WebUrl> {
    address::absolute(&address::repaired(written), None)
}

/// The web address that `written`, found in a page, means at `base`.
pub(crate) fn address_in(written: &str, base: &WebUrl) -> Option<WebUrl> {
    address::absolute(&address::repaired(written), Some(base))
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the cleaner: its callers hand over only what `tree` wrote"
)]
fn vouched(html: String) -> CleanHtml {
    CleanHtml::assume_clean(html)
}

#[cfg(test)]
mod tests;
