//! Implicit opening and closing of elements: HTML's tree construction (13.2.6), as far as it
//! follows from the open elements.

use super::Tree;
use crate::clean::element::{Element, Kind};
use crate::clean::token::Tag;

/// Start tags that end SVG or MathML, as in a browser.
const LEAVES_FOREIGN: [&str; 44] = [
    "b",
    "big",
    "blockquote",
    "body",
    "br",
    "center",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "i",
    "img",
    "li",
    "listing",
    "menu",
    "meta",
    "nobr",
    "ol",
    "p",
    "pre",
    "ruby",
    "s",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "table",
    "tt",
    "u",
    "ul",
    "var",
];

/// Elements of SVG and MathML that may contain HTML, so that those tags do not end them.
const HOLDS_HTML: [&str; 9] = [
    "annotation-xml",
    "desc",
    "foreignobject",
    "mi",
    "mn",
    "mo",
    "ms",
    "mtext",
    "title",
];

impl Tree<'_> {
    /// Closes the elements that cannot contain a new `element`.
    pub(super) fn make_way(&mut self, element: Element) {
        match element.kind() {
            Kind::Block => {
                self.close_paragraph();
                if element.is_heading() && self.top().is_some_and(Element::is_heading) {
                    self.close_to(self.open.len() - 1);
                }
            }
            Kind::ListItem => {
                let is_same = |other: Element| match element {
                    Element::LI => other == Element::LI,
                    _ => matches!(other, Element::DT | Element::DD),
                };
                for at in (0..self.open.len()).rev() {
                    let other = self.open[at].element;
                    if is_same(other) {
                        self.close_to(at);
                        break;
                    }
                    if other.holds_list_items() {
                        break;
                    }
                }
                self.close_paragraph();
            }
            Kind::Void if element.name() == "hr" => self.close_paragraph(),
            Kind::Phrase if element == Element::A => {
                if let Some(at) = self.find(
                    |other| other == Element::A,
                    |o| o.is_cell() || o == Element::CAPTION,
                ) {
                    self.close_to(at);
                }
            }
            Kind::Plain
                if matches!(element, Element::RT | Element::RP)
                    && self
                        .find(|other| other == Element::RUBY, Element::is_scope)
                        .is_some() =>
            {
                while self.top().is_some_and(|top| {
                    top.kind() == Kind::ListItem
                        || matches!(top, Element::P | Element::RT | Element::RP)
                }) {
                    self.close_to(self.open.len() - 1);
                }
            }
            _ => {}
        }
    }

    /// Opens the elements that a table part needs around it. Returns `false` if there is no table.
    pub(super) fn make_way_in_table(&mut self, element: Element) -> bool {
        let Some(table) = self.find(|other| other == Element::TABLE, |_| false) else {
            return false;
        };
        let inside = &self.open[table + 1..];
        // Section, row, cell: always the first elements below the table, in this order.
        let has_section = inside.first().is_some_and(|o| o.element.is_table_section());
        let has_row = has_section && inside.get(1).is_some_and(|o| o.element == Element::TR);
        if element == Element::CAPTION || element.is_table_section() {
            self.close_to(table + 1);
        } else if element == Element::TR {
            self.close_to(table + 1 + usize::from(has_section));
            if !has_section {
                self.open_implied(Element::TBODY);
            }
        } else {
            self.close_to(table + 1 + usize::from(has_section) + usize::from(has_row));
            if !has_section {
                self.open_implied(Element::TBODY);
            }
            if !has_row {
                self.open_implied(Element::TR);
            }
        }
        true
    }

    /// Opens the cell for text that is directly in a table, section or row.
    pub(super) fn open_cell(&mut self) {
        if self.make_way_in_table(Element::TD) {
            self.open_implied(Element::TD);
        }
    }

    fn open_implied(&mut self, element: Element) {
        let tag = match element {
            Element::TBODY => "<tbody>",
            Element::TR => "<tr>",
            _ => "<td>",
        };
        if self.write(tag) {
            self.push(element, true);
        }
    }

    pub(super) fn close_paragraph(&mut self) {
        if self.counts[Element::P.index()] == 0 {
            return;
        }
        if let Some(at) = self.find(|other| other == Element::P, Element::is_scope) {
            self.close_to(at);
        }
    }

    /// Returns `true` if the content being dropped is SVG or MathML.
    pub(super) fn is_in_foreign(&self) -> bool {
        self.dropping.is_some_and(|depth| {
            matches!(self.open[depth - 1].element, Element::SVG | Element::MATH)
        })
    }

    /// Processes a start tag in SVG or MathML. Returns `true` if it ends them, or is nested in them
    /// and must be counted.
    pub(super) fn leaves_foreign(&mut self, tag: &Tag<'_>) -> bool {
        if holds_html(tag.name) && !tag.closes_itself() {
            self.html_in_foreign = self.html_in_foreign.saturating_add(1);
            return false;
        }
        let is_leaving = self.html_in_foreign == 0
            && LEAVES_FOREIGN
                .iter()
                .any(|name| name.eq_ignore_ascii_case(tag.name));
        if is_leaving {
            if let Some(depth) = self.dropping {
                self.close_to(depth - 1);
            }
            return true;
        }
        let is_nested = ["svg", "math", "script"]
            .iter()
            .any(|name| name.eq_ignore_ascii_case(tag.name));
        is_nested && !tag.closes_itself()
    }
}

pub(super) fn holds_html(name: &str) -> bool {
    HOLDS_HTML
        .iter()
        .any(|holder| holder.eq_ignore_ascii_case(name))
}
