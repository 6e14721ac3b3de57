//! Text without markup: of cleaned HTML, for search and excerpts; of titles and names, which may or
//! may not be HTML.

use lede_model::content::CleanHtml;

use super::element::{Element, Kind, Name, named};
use super::embed::CARD_CLASS;
use super::entity::{ReferenceContext, decoded, tidied};
use super::token::{Token, tokens};

/// Upper bound of the size of a card, in bytes: two addresses and a title.
const MAX_CARD: usize = 16 * 1024;

/// Returns the text of `html`; blocks, cells and line breaks separate words.
pub fn text(html: &CleanHtml) -> String {
    of(html.as_str())
}

pub(crate) fn of(html: &str) -> String {
    let mut out = String::with_capacity(html.len() / 2);
    for token in tokens(html) {
        push(&mut out, token);
    }
    out.truncate(out.trim_end().len());
    out
}

/// Returns the text of `html` up to the tag before which it has `enough` characters, not counting
/// white space. Excerpts need no more, and most items are longer. Cards are omitted, and only
/// blocks and line breaks start a new line: line breaks of the source are insignificant.
pub(crate) fn beginning(html: &str, enough: usize) -> String {
    let mut out = String::with_capacity(enough.min(html.len()));
    let mut words = 0;
    let mut input = tokens(html);
    while let Some(token) = input.next() {
        let before = out.len();
        match token {
            Token::Start(tag) if tag.name == "figure" && tag.mentions(CARD_CLASS) => {
                if let Some((_, end)) = input.content_of("figure", MAX_CARD, true) {
                    input.skip_to(end);
                }
            }
            Token::Text(raw) => {
                let text = decoded(raw, ReferenceContext::Text);
                match text.contains('\n') {
                    true => out.push_str(&text.replace('\n', " ")),
                    false => out.push_str(&text),
                }
            }
            token => push(&mut out, token),
        }
        words += out
            .get(before..)
            .unwrap_or_default()
            .split_whitespace()
            .map(|word| word.chars().count())
            .sum::<usize>();
        if words >= enough {
            break;
        }
    }
    out.truncate(out.trim_end().len());
    out
}

fn push(out: &mut String, token: Token<'_>) {
    let name = match token {
        Token::Text(raw) => {
            out.push_str(&decoded(raw, ReferenceContext::Text));
            return;
        }
        Token::Start(tag) => tag.name,
        Token::End(name) => name,
    };
    match separator(name) {
        Some('\n') if !out.ends_with('\n') => {
            out.truncate(out.trim_end_matches(' ').len());
            if !out.is_empty() {
                out.push('\n');
            }
        }
        Some(separator) if !out.is_empty() && !out.ends_with(['\n', ' ']) => out.push(separator),
        _ => {}
    }
}

fn separator(name: &str) -> Option<char> {
    match named(name) {
        Name::Known(element) => match element.kind() {
            Kind::Block | Kind::ListItem => Some('\n'),
            Kind::TablePart if element.is_cell() => Some(' '),
            Kind::TablePart => Some('\n'),
            Kind::Void if element != Element::IMG && element != Element::SOURCE => Some('\n'),
            _ => None,
        },
        Name::UnwrappedBlock => Some('\n'),
        Name::Unwrapped => None,
    }
}

/// Tags that occur in titles and names and are in no other list here.
const OTHER_TAGS: [&str; 17] = [
    "acronym", "base", "bdi", "bdo", "big", "button", "canvas", "embed", "font", "input", "label",
    "link", "meta", "nobr", "param", "tt", "wbr",
];

/// Converts a title or a name to one line of text: tags are removed and references decoded if it is
/// HTML, in NFC, white space folded, and without characters that could reorder adjacent text.
///
/// `Vec<T>` is not HTML: only names of elements count as tags.
pub fn plain(raw_title_or_author: &str) -> String {
    let mut out = String::with_capacity(raw_title_or_author.len());
    let mut input = tokens(raw_title_or_author);
    let mut start = 0;
    while let Some(token) = input.next() {
        let end = input.position();
        let name = match token {
            Token::Text(raw) => {
                out.push_str(&decoded(raw, ReferenceContext::Text));
                start = end;
                continue;
            }
            Token::Start(tag) => tag.name,
            Token::End(name) => name,
        };
        match named(name) {
            Name::Known(Element::SCRIPT) if matches!(token, Token::Start(_)) => {
                input.skip_raw_text("script");
            }
            Name::Known(element)
                if element.name() == "style" && matches!(token, Token::Start(_)) =>
            {
                input.skip_raw_text("style");
            }
            Name::Unwrapped if !is_other_tag(name) => {
                out.push_str(&decoded(
                    &raw_title_or_author[start..end],
                    ReferenceContext::Text,
                ));
            }
            _ if separator(name).is_some() => out.push(' '),
            _ => {}
        }
        start = input.position();
    }
    one_line(&out)
}

fn is_other_tag(name: &str) -> bool {
    OTHER_TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name))
}

/// Returns the start of `text`, at most `max` bytes, on a character boundary.
pub(crate) fn head(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Normalises text to one line: NFC, white space folded, without control characters and without
/// characters that reorder text.
pub(crate) fn one_line(text: &str) -> String {
    let tidy = tidied(text);
    let mut out = String::with_capacity(tidy.len());
    for word in tidy.split_whitespace() {
        let before = out.len();
        if before > 0 {
            out.push(' ');
        }
        let start = out.len();
        out.extend(word.chars().filter(|c| !is_reordering(*c)));
        if out.len() == start {
            out.truncate(before);
        }
    }
    out
}

/// Returns `true` for embeddings, overrides and isolates, which affect text beyond the one that
/// contains them. The plain marks U+200E and U+200F stay: right-to-left titles need them, and their
/// effect is as weak as that of a letter.
fn is_reordering(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_cells_separate_words() {
        for (html, expected) in [
            ("<p>one</p><p>two</p>", "one\ntwo"),
            ("a<br>b<hr>c", "a\nb\nc"),
            (
                "<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>",
                "a b",
            ),
            ("<ul><li>a</li><li>b <b>c</b>d</li></ul>", "a\nb cd"),
            ("x &lt;b&gt; &amp;", "x <b> &"),
        ] {
            assert_eq!(of(html), expected, "{html}");
        }
    }

    #[test]
    fn a_beginning_ends_between_tags_and_does_not_count_blanks() {
        let html = "<p>&nbsp; one &nbsp;</p><p>two</p><p>three</p>";
        assert_eq!(beginning(html, 3), "\u{a0} one");
        assert_eq!(beginning(html, 4), "\u{a0} one \u{a0}\ntwo");
        assert_eq!(beginning(html, 100), of(html));
        let card = "<figure class=\"lede-embed\"><a>A talk</a></figure><p>one\ntwo</p>";
        assert_eq!(beginning(card, 100), "one two");
    }

    #[test]
    fn titles_are_one_line_of_text() {
        for (raw, expected) in [
            ("  Plain\n title ", "Plain title"),
            ("<b>Bold</b> &amp; <i>brave</i>", "Bold & brave"),
            ("Tom &amp; Jerry", "Tom & Jerry"),
            ("AT&T, R&D", "AT&T, R&D"),
            ("Vec<T> and 1 < 2", "Vec<T> and 1 < 2"),
            ("line<br/>break", "line break"),
            ("x<script>alert(1)</script>y", "xy"),
            ("&lt;script&gt; explained", "<script> explained"),
            ("a\u{202e}gpj.exe\u{202c}", "agpj.exe"),
            ("\u{2067}\u{2069} x", "x"),
            ("e\u{301}\0", "é"),
            ("<!-- c -->t<font color=red>u</font>", "tu"),
            ("", ""),
        ] {
            assert_eq!(plain(raw), expected, "{raw:?}");
        }
    }
}
