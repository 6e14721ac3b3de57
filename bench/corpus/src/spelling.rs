//! Equivalence of HTML texts.
//!
//! feedparser serialises the HTML of an entry anew, while Lede leaves the publisher's text
//! unchanged until it is cleaned. So values are also compared as parsed by an HTML parser: the
//! order of attributes, quotes, `<br/>` or `<br />`, the case of names, characters or references to
//! them and namespace declarations make no difference; words, white space, elements and attribute values do.

use dom_query::{Document, NodeRef};

/// The namespace of namespace declarations.
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// Returns `true` if `found` and `expected` are equivalent HTML.
pub(crate) fn is_same(found: &str, expected: &str) -> bool {
    let is_markup = |text: &str| text.contains(['<', '&']);
    (is_markup(found) || is_markup(expected)) && canonical(found) == canonical(expected)
}

/// Returns `html` in a canonical form.
fn canonical(html: &str) -> String {
    let document = Document::fragment(html);
    let mut out = String::new();
    for child in document.root().children() {
        push(&mut out, &child);
    }
    out
}

fn push(out: &mut String, node: &NodeRef<'_>) {
    if node.is_text() {
        out.push_str(&node.text());
        return;
    }
    let Some(name) = node.node_name() else {
        return;
    };
    let attributes = node.attrs();
    let mut attributes: Vec<(&str, &str)> = attributes
        .iter()
        .filter(|attribute| &*attribute.name.ns != XMLNS && &*attribute.name.local != "xmlns")
        .map(|attribute| (&*attribute.name.local, &*attribute.value))
        .collect();
    attributes.sort();
    out.push_str(&format!("<{name} {attributes:?}>"));
    for child in node.children() {
        push(out, &child);
    }
    out.push_str(&format!("</{name}>"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_makes_no_difference_and_meaning_does() {
        for (found, expected, same) in [
            ("a<br/>b", "a<br />b", true),
            (
                "<a href='x' title=\"y\">z</a>",
                "<a title=\"y\" href=\"x\">z</a>",
                true,
            ),
            ("caf&eacute; &#X61;", "café a", true),
            ("<P>x</P>", "<p>x</p>", true),
            ("<p>x</p>", "<p>x", true),
            (
                "<math><mi xlink:href='y'>x</mi></math>",
                "<math xmlns='m'><mi xmlns:xlink='l' xlink:href='y'>x</mi></math>",
                true,
            ),
            ("<a href=\"x\">z</a>", "<a href=\"y\">z</a>", false),
            ("a <b>b</b>", "a b", false),
            ("a &amp; b", "a b", false),
            ("plain", "other", false),
        ] {
            assert_eq!(is_same(found, expected), same, "{found} | {expected}");
        }
    }
}
