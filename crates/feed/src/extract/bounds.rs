//! Limits a page for tree builders that are quadratic in depth, attributes and length.
//!
//! Unlike the cleaner, which rewrites everything, this copies the page as it is and only omits what
//! exceeds the limits: Readability judges a page by its classes, ids and structure, and needs them.
//! Scripts and styles are omitted too, except for JSON-LD, which contains title and author; they
//! are the largest part of most pages and no later step reads them.

use crate::clean::head;
use crate::clean::token::{MAX_ATTRIBUTES, Tag, Token, tokens};
use crate::html::{RAW_TEXT, VOID};

/// Maximum nesting depth; deeper tags are omitted and their text stays.
const MAX_DEPTH: usize = 256;
/// Maximum size of a page before and after: the largest that is fetched, and the most that is
/// analysed once scripts are removed.
const MAX_INPUT: usize = 8 * 1024 * 1024;
const MAX_OUTPUT: usize = 2 * 1024 * 1024;
/// Maximum number of tags in a page. Real pages of 2 MB have some 20,000.
pub(super) const MAX_ELEMENTS: usize = 60_000;
/// Maximum length of text without a tag: serialisation is quadratic in it.
const MAX_TEXT: usize = 64 * 1024;

/// Elements that a parser reopens in the next block unless they are closed: a few hundred left open
/// add a few hundred elements to each paragraph.
const FORMATTING: [&str; 14] = [
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// Start tags that end an open paragraph.
const ENDS_PARAGRAPH: [&str; 34] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "ul",
];

const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];

/// Elements that limit the reach of an end tag.
const SCOPES: [&str; 18] = [
    "annotation-xml",
    "applet",
    "caption",
    "desc",
    "foreignobject",
    "html",
    "marquee",
    "mi",
    "mn",
    "mo",
    "ms",
    "mtext",
    "object",
    "select",
    "table",
    "td",
    "template",
    "th",
];

/// Block elements that are in none of the lists above; together they are the elements that HTML
/// calls special.
const OTHER_BLOCKS: [&str; 15] = [
    "body", "button", "colgroup", "frameset", "head", "hgroup", "listing", "menu", "noscript",
    "search", "summary", "tbody", "tfoot", "thead", "tr",
];

/// For a start tag of a table part: the elements that it ends, and those that limit the search.
const TABLE_PARTS: [(&str, &[&str], &[&str]); 7] = [
    ("td", &["td", "th"], &["tr", "table"]),
    ("th", &["td", "th"], &["tr", "table"]),
    ("tr", &["tr"], &["tbody", "thead", "tfoot", "table"]),
    ("tbody", &["tbody", "thead", "tfoot"], &["table"]),
    ("thead", &["tbody", "thead", "tfoot"], &["table"]),
    ("tfoot", &["tbody", "thead", "tfoot"], &["table"]),
    ("caption", &["caption"], &["table"]),
];

/// Returns `html` within the limits, or `None` if it has too many elements to be an article.
pub(super) fn page(html: &str) -> Option<String> {
    let html = head(html, MAX_INPUT);
    let mut page = OpenElements {
        out: String::with_capacity(html.len().min(MAX_OUTPUT)),
        open: Vec::with_capacity(64),
        flattened: 0,
    };
    let mut elements = 0;
    let mut text_left = MAX_TEXT;
    let mut input = tokens(html);
    while let Some(token) = input.next() {
        match token {
            Token::Text(text) => {
                let kept = head(text, text_left);
                text_left -= kept.len();
                page.out.push_str(kept);
                continue;
            }
            Token::Start(tag) if is_one_of(tag.name, &RAW_TEXT) => {
                let content = input.skip_raw_text(tag.name);
                if (is_metadata(&tag) || is_one_of(tag.name, &["title"]))
                    && content.len() <= MAX_TEXT
                {
                    tag.push_to(&mut page.out);
                    page.out.push_str(content);
                    page.push_end(tag.name);
                }
            }
            Token::Start(tag) => {
                elements += 1;
                page.start(&tag);
            }
            Token::End(name) => page.end(name),
        }
        text_left = MAX_TEXT;
        if elements > MAX_ELEMENTS {
            return None;
        }
        if page.out.len() > MAX_OUTPUT {
            break;
        }
    }
    Some(page.out)
}

/// Open elements as the HTML parser will see them. In cases for which its rules are too long to
/// repeat, elements are assumed to stay open that it would close: the depth is overestimated, never
/// underestimated.
struct OpenElements<'a> {
    out: String,
    open: Vec<&'a str>,
    /// Number of start tags that were too deep; the same number of end tags is omitted.
    flattened: usize,
}

impl<'a> OpenElements<'a> {
    fn start(&mut self, tag: &Tag<'a>) {
        self.make_way(tag.name);
        let is_void = is_one_of(tag.name, &VOID)
            || (tag.closes_itself() && self.open.iter().any(|n| is_one_of(n, &["svg", "math"])));
        if !is_void {
            if self.open.len() >= MAX_DEPTH {
                self.flattened += 1;
                return;
            }
            self.open.push(tag.name);
        }
        if tag.attributes().count() < MAX_ATTRIBUTES {
            tag.push_to(&mut self.out);
        } else {
            self.rewrite(tag);
        }
    }

    /// Writes a tag with at most the allowed number of attributes.
    fn rewrite(&mut self, tag: &Tag<'a>) {
        self.out.push('<');
        self.out.push_str(tag.name);
        for (name, value) in tag.attributes() {
            self.out.push(' ');
            self.out.push_str(name);
            self.out.push_str("=\"");
            // Values stay as written, including references; only the quote must be escaped.
            self.out.push_str(&value.replace('"', "&quot;"));
            self.out.push('"');
        }
        self.out.push('>');
    }

    /// Closes the elements that a new element ends implicitly.
    fn make_way(&mut self, name: &str) {
        if is_one_of(name, &["li", "dt", "dd"]) {
            let ends: &[&str] = if name.eq_ignore_ascii_case("li") {
                &["li"]
            } else {
                &["dt", "dd"]
            };
            let is_end =
                |open: &str| is_special(open) && !is_one_of(open, &["address", "div", "p"]);
            if let Some(at) = self.find(|open| is_one_of(open, ends), is_end) {
                self.close_to(at);
            }
        } else if let Some((_, ends, beyond)) = TABLE_PARTS
            .iter()
            .find(|(part, _, _)| name.eq_ignore_ascii_case(part))
        {
            if let Some(at) = self.find(|o| is_one_of(o, ends), |o| is_one_of(o, beyond)) {
                self.close_to(at);
            }
        } else if name.eq_ignore_ascii_case("a") {
            if let Some(at) = self.find(|o| o.eq_ignore_ascii_case("a"), |o| is_one_of(o, &SCOPES))
            {
                self.open.remove(at);
            }
        } else if let Some(top) = self.open.last()
            && (is_one_of(name, &["option"]) && is_one_of(top, &["option"])
                || is_one_of(name, &HEADINGS) && is_one_of(top, &HEADINGS))
        {
            self.open.pop();
        }
        if is_one_of(name, &ENDS_PARAGRAPH)
            && let Some(at) = self.find(
                |open| open.eq_ignore_ascii_case("p"),
                |open| is_one_of(open, &SCOPES) || open.eq_ignore_ascii_case("button"),
            )
        {
            self.close_to(at);
        }
    }

    fn end(&mut self, name: &str) {
        if self.flattened > 0 {
            self.flattened -= 1;
            return;
        }
        let is_same = |open: &str| {
            open.eq_ignore_ascii_case(name)
                || is_one_of(name, &HEADINGS) && is_one_of(open, &HEADINGS)
        };
        let found = if is_one_of(name, &["table"]) {
            self.find(is_same, |_| false)
        } else if TABLE_PARTS
            .iter()
            .any(|(part, _, _)| is_one_of(name, &[part]))
        {
            self.find(is_same, |open| is_one_of(open, &["table"]))
        } else if is_special(name) || is_one_of(name, &FORMATTING) {
            self.find(is_same, |open| is_one_of(open, &SCOPES))
        } else {
            self.find(is_same, is_special)
        };
        if let Some(at) = found {
            let holds_block = self.open[at + 1..].iter().any(|open| is_special(open));
            if holds_block && is_one_of(name, &["form"]) {
                // The parser closes the form, but in the tree it stays around the elements open
                // inside it.
            } else if holds_block && is_one_of(name, &FORMATTING) {
                // Only this element ends; the block is moved out of it and stays open.
                self.open.remove(at);
            } else {
                self.close_to(at + 1);
                self.open.pop();
            }
        }
        self.push_end(name);
    }

    fn push_end(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }

    /// Finds the innermost open element that is wanted, unless a boundary comes first.
    fn find(
        &self,
        is_wanted: impl Fn(&str) -> bool,
        is_boundary: impl Fn(&str) -> bool,
    ) -> Option<usize> {
        for (at, open) in self.open.iter().enumerate().rev() {
            if is_wanted(open) {
                return Some(at);
            }
            if is_boundary(open) {
                return None;
            }
        }
        None
    }

    /// Removes the open elements from `depth` inwards, and closes those that would be reopened.
    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            let Some(name) = self.open.pop() else {
                return;
            };
            if is_one_of(name, &FORMATTING) {
                self.push_end(name);
            }
        }
    }
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|other| name.eq_ignore_ascii_case(other))
}

fn is_special(name: &str) -> bool {
    is_one_of(name, &ENDS_PARAGRAPH) || is_one_of(name, &SCOPES) || is_one_of(name, &OTHER_BLOCKS)
}

fn is_metadata(tag: &Tag<'_>) -> bool {
    tag.attribute("type")
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/ld+json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_page_stays_as_it_is() {
        for html in [
            "<!doctype html><p class=x>a<p>b<ul><li>c<li>d</ul><br/><img src='x>y'>",
            "<table><tr><td>a<td>b<tr><td>c</table>",
            "<svg><path d=x/><path/></svg><noscript><img src=x></noscript>",
            "<title>a < b</title>",
        ] {
            let kept = page(html).unwrap();
            assert_eq!(kept, html.trim_start_matches("<!doctype html>"));
        }
    }

    #[test]
    fn scripts_go_and_metadata_stays() {
        assert_eq!(
            page("<script>x</script><style>y</style>a<script type='application/ld+json'>{}</script><!-- c -->")
                .unwrap(),
            "a<script type='application/ld+json'>{}</script>"
        );
    }

    #[test]
    fn depth_attributes_text_and_open_formatting_are_bounded() {
        let deep = page(&format!(
            "{}x{}y",
            "<div>".repeat(1000),
            "</div>".repeat(1000)
        ))
        .unwrap();
        assert_eq!(deep.matches("<div>").count(), MAX_DEPTH);
        assert_eq!(deep.matches("</div>").count(), MAX_DEPTH);
        let many = page(&format!("<p {}>", "a='\"' ".repeat(1000))).unwrap();
        assert_eq!(many.matches("a=\"&quot;\"").count(), MAX_ATTRIBUTES);
        assert_eq!(page(&"x".repeat(MAX_TEXT * 2)).unwrap().len(), MAX_TEXT);
        assert_eq!(page("<p><b><p>x").unwrap(), "<p><b></b><p>x");
        assert_eq!(page(&"<br>".repeat(MAX_ELEMENTS + 1)), None);
    }

    /// Returns the depth of the tree that the HTML parser builds.
    fn depth(html: &str) -> usize {
        super::super::depth(&dom_query::Document::from(page(html).unwrap()))
    }

    #[test]
    fn no_trick_with_end_tags_gets_deeper() {
        for piece in [
            "<form><div></form>",
            "<b><div></b>",
            "<span><div></span>",
            "<div><table><tr><td></div>",
            "<li><blockquote>",
            "<dd><section>",
            "<p><button>",
            "<a><div></a>",
            "<div><object></div>",
            "<svg><desc><p></svg>",
            "<ul><li><ol></ul>",
            "<i><table></i><td>",
            "<select><div></select>",
            "<template><p></template>",
            "<h1><b><h2>",
            "<ruby><rt><p>",
            "<custom-x><p></custom-x>",
            "<math><mi><b></math>",
            "<table><caption><tr>",
            "<b><b><b><p></b>",
        ] {
            let found = depth(&piece.repeat(2000));
            // Rows and sections that the parser adds are not counted by the limit.
            assert!(found <= 2 * MAX_DEPTH, "{found} for {piece}");
        }
    }

    #[test]
    fn unclosed_items_are_not_depth() {
        let list = format!("<ul>{}</ul>", "<li><p>x".repeat(5000));
        assert_eq!(page(&list).unwrap(), list);
    }
}
