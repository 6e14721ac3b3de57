//! Search hits as HTML, for the API and the reading view.

use lede_model::item::ItemSummary;
use lede_model::search::{Part, Query, highlight};
use serde::Serialize;
use utoipa::ToSchema;

/// Title and excerpt of a search hit as HTML: matches are in `<mark>`, all other text is escaped.
/// Null if the text has no match.
#[derive(Serialize, ToSchema)]
pub(crate) struct Highlight {
    title: Option<String>,
    excerpt: Option<String>,
}

impl Highlight {
    /// Marks the matches in an item; `snippet` replaces an excerpt without one.
    pub(crate) fn new(item: &ItemSummary, query: &Query, snippet: Option<&String>) -> Self {
        let marked = |text: &str, part| {
            let found = highlight(text, part, query);
            if found.is_empty() {
                return None;
            }
            let (mut html, mut last) = (String::with_capacity(text.len() + 64), 0);
            for found in found {
                escape(&text[last..found.start], &mut html);
                html.push_str("<mark>");
                escape(&text[found.clone()], &mut html);
                html.push_str("</mark>");
                last = found.end;
            }
            escape(&text[last..], &mut html);
            Some(html)
        };
        Self {
            title: marked(&item.title, Part::Title),
            excerpt: marked(snippet.unwrap_or(&item.excerpt), Part::Any),
        }
    }

    /// Returns the title and the excerpt.
    pub(crate) fn into_parts(self) -> (Option<String>, Option<String>) {
        (self.title, self.excerpt)
    }
}

fn escape(text: &str, html: &mut String) {
    let mut rest = text;
    let is_special = |byte: u8| matches!(byte, b'<' | b'>' | b'&' | b'"' | b'\'');
    while let Some(at) = rest.bytes().position(is_special) {
        html.push_str(&rest[..at]);
        html.push_str(match rest.as_bytes()[at] {
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'&' => "&amp;",
            b'"' => "&quot;",
            _ => "&#39;",
        });
        rest = &rest[at + 1..];
    }
    html.push_str(rest);
}
