//! Rewrites untrusted HTML as a well-nested document of known elements, in one pass.
//!
//! No markup is copied from the input: every tag in the output is written here, every attribute by
//! `attribute`, every character of text is escaped. Elements that are still open when another one
//! must close them are closed explicitly, by the rules of HTML's tree construction. So the parser
//! of the second sanitiser has nothing to repair: no formatting to reopen in each paragraph (which
//! lets 4 bytes become 4 KB), no text to move out of tables, no depth. Its output is our output,
//! byte for byte, and cleaning is idempotent.
//!
//! Time is linear: the stack of open elements has at most [`MAX_DEPTH`] entries, and every step
//! examines the stack at most once per token.

mod embeds;
mod pictures;
mod rules;

use lede_model::address::WebUrl;

use super::attribute;
use super::element::{COUNT, Element, Kind, Name, named};
use super::entity::{ReferenceContext, decoded, push_text, tidied};
use super::token::{Tag, Token, Tokens, tokens};
use embeds::Embeds;
use pictures::Pictures;
use rules::holds_html;

/// Maximum nesting depth; deeper elements lose their tags, and their text stays.
pub(crate) const MAX_DEPTH: usize = 256;

/// Levels that a table needs: itself, section, row and cell.
const TABLE_ROOM: usize = 4;

/// Space for the end tags of all elements that may be open when the output is full.
const CLOSING_ROOM: usize = MAX_DEPTH * "</blockquote>".len();

/// Rewrites `html`, to at most `limit` bytes.
pub(crate) fn rewritten(html: &str, base: Option<&WebUrl>, limit: usize) -> String {
    let mut tree = Tree {
        out: String::with_capacity(html.len().min(limit)),
        text: String::new(),
        base,
        room: limit.saturating_sub(CLOSING_ROOM),
        open: Vec::with_capacity(32),
        counts: [0; COUNT],
        flattened: [0; COUNT],
        dropping: None,
        html_in_foreign: 0,
        is_full: false,
        tag: String::new(),
        embeds: Embeds::default(),
        pictures: Pictures::default(),
        ends: [0; COUNT],
    };
    let mut input = tokens(html);
    while let Some(token) = input.next() {
        match token {
            Token::Text(raw) => tree.text(raw),
            Token::Start(tag) => tree.start(&tag, &mut input),
            Token::End(name) => tree.end(name),
        }
        if tree.is_full {
            break;
        }
    }
    tree.close_to(0);
    tree.flush();
    let end = tree.out.trim_ascii_end().len();
    tree.out.truncate(end);
    tree.out
}

/// Open element on the stack.
#[derive(Debug, Clone, Copy)]
struct Open {
    element: Element,
    /// True if its start tag was written; false inside dropped content.
    is_shown: bool,
    /// True if its end tag came while a block inside it was open: it closes with that block.
    has_ended: bool,
}

struct Tree<'a> {
    out: String,
    /// Decoded text since the last tag, not yet written.
    text: String,
    base: Option<&'a WebUrl>,
    /// Maximum length of `out` before everything is closed.
    room: usize,
    open: Vec<Open>,
    /// Number of open elements, by element.
    counts: [u16; COUNT],
    /// Number of elements that were too deep, by element: their end tags are ignored.
    flattened: [u32; COUNT],
    /// Depth of the element whose content is being dropped.
    dropping: Option<usize>,
    /// Number of open SVG or MathML elements that contain HTML.
    html_in_foreign: u32,
    is_full: bool,
    /// Buffer for the tag being written, reused to avoid allocations.
    tag: String,
    embeds: Embeds,
    pictures: Pictures,
    /// Position of the next end tag of each dropped element; `usize::MAX` if there is none. The
    /// search is repeated only after that position, so that it stays linear.
    ends: [usize; COUNT],
}

impl Tree<'_> {
    fn text(&mut self, raw: &str) {
        if self.dropping.is_some() {
            return;
        }
        let text = decoded(raw, ReferenceContext::Text);
        if self.is_in_table_context() && !text.trim_ascii().is_empty() {
            self.open_cell();
        }
        self.text.push_str(&text);
        // Escaping makes text longer, so this is only a first check; `flush` enforces the exact
        // limit.
        if self.out.len() + self.text.len() > self.room {
            self.flush();
        }
    }

    /// Writes the buffered text.
    fn flush(&mut self) {
        if self.text.is_empty() {
            return;
        }
        let mut text = std::mem::take(&mut self.text);
        {
            let tidy = tidied(&text);
            let mut rest: &str = &tidy;
            if self.out.is_empty() {
                rest = rest.trim_ascii_start();
            }
            if self.out.ends_with("<pre>") {
                // A parser drops the first newline there, so the next one would be dropped the next
                // time.
                rest = rest.trim_start_matches('\n');
            }
            let before = self.out.len();
            push_text(&mut self.out, rest);
            if self.out.len() > self.room {
                self.out.truncate(before);
                self.is_full = true;
                for c in rest.chars() {
                    let before = self.out.len();
                    push_text(&mut self.out, c.encode_utf8(&mut [0; 4]));
                    if self.out.len() > self.room {
                        self.out.truncate(before);
                        break;
                    }
                }
            }
        }
        text.clear();
        self.text = text;
    }

    fn start(&mut self, tag: &Tag<'_>, input: &mut Tokens<'_>) {
        if self.is_in_foreign() && !self.leaves_foreign(tag) {
            return;
        }
        let element = match named(tag.name) {
            Name::Known(element) => element,
            Name::UnwrappedBlock => return self.separate(),
            Name::Unwrapped => return self.start_unknown(tag),
        };
        if element.kind() == Kind::DroppedRaw {
            if element == Element::SCRIPT {
                self.start_script(tag);
            }
            input.skip_raw_text_of(tag, element.name());
            return;
        }
        if element.kind() == Kind::Replaced {
            self.replace(element, tag, input);
            return;
        }
        if self.dropping.is_some() {
            if element.kind() != Kind::Void {
                self.push(element, false);
            }
            return;
        }
        if element.kind() == Kind::Dropped {
            let is_foreign = element == Element::SVG || element == Element::MATH;
            if is_foreign && tag.closes_itself() {
                return;
            }
            if !is_foreign && self.is_unclosed(element, input) {
                return self.separate();
            }
            if self.push(element, false) {
                self.dropping = Some(self.open.len());
            }
            return;
        }
        if element.kind() == Kind::TablePart && !self.make_way_in_table(element) {
            return;
        }
        if matches!(element, Element::BLOCKQUOTE | Element::DIV) {
            self.start_post(element, tag, input);
        }
        if matches!(element, Element::AUDIO | Element::VIDEO)
            && !self.start_media(element, tag, input)
        {
            return;
        }
        self.make_way(element);
        let mut written = std::mem::take(&mut self.tag);
        written.clear();
        written.push('<');
        written.push_str(element.name());
        let mut is_shown = attribute::written(&mut written, element, tag, self.base);
        if element == Element::IMG {
            is_shown = self.judge_picture(&mut written, is_shown, tag);
        }
        written.push('>');
        if element.kind() == Kind::Void {
            if is_shown {
                if self.is_in_table_context() {
                    self.open_cell();
                }
                if self.write(&written) && element == Element::IMG {
                    self.note_picture(written.len());
                }
            }
        } else if self.has_room_for(element) {
            if element.kind() != Kind::TablePart && self.is_in_table_context() {
                self.open_cell();
            }
            // An element that is not written is not open: its end tag is ignored.
            if is_shown && self.write(&written) {
                self.push(element, true);
            }
        } else {
            self.flattened[element.index()] += 1;
        }
        self.tag = written;
    }

    /// Writes a tag after the buffered text. Returns `false` if there was no space.
    fn write(&mut self, tag: &str) -> bool {
        self.flush();
        if self.is_full || self.out.len() + tag.len() > self.room {
            self.is_full = true;
            return false;
        }
        self.out.push_str(tag);
        true
    }

    fn has_room_for(&self, element: Element) -> bool {
        let needed = if element == Element::TABLE {
            TABLE_ROOM
        } else if self.is_in_table_context() && element.kind() != Kind::TablePart {
            // It needs a cell around it.
            TABLE_ROOM
        } else {
            1
        };
        element.kind() == Kind::TablePart || self.open.len() + needed <= MAX_DEPTH
    }

    fn push(&mut self, element: Element, is_shown: bool) -> bool {
        if self.open.len() >= MAX_DEPTH {
            self.flattened[element.index()] += 1;
            return false;
        }
        self.open.push(Open {
            element,
            is_shown,
            has_ended: false,
        });
        self.counts[element.index()] += 1;
        true
    }

    fn end(&mut self, name: &str) {
        if self.is_in_foreign() && holds_html(name) {
            self.html_in_foreign = self.html_in_foreign.saturating_sub(1);
        }
        let element = match named(name) {
            Name::Known(element) => element,
            Name::UnwrappedBlock => return self.separate(),
            Name::Unwrapped => return,
        };
        if element == Element::NOSCRIPT {
            self.pictures.is_in_noscript = false;
        }
        if element == Element::BR && self.dropping.is_none() {
            // `</br>` is a line break in every browser.
            if self.is_in_table_context() {
                self.open_cell();
            }
            self.write("<br>");
            return;
        }
        let flattened = &mut self.flattened[element.index()];
        if *flattened > 0 {
            *flattened -= 1;
            return;
        }
        if self.counts[element.index()] == 0 && !element.is_heading() {
            return;
        }
        let found = self.find(
            |other| other == element || (element.is_heading() && other.is_heading()),
            |other| match element.kind() {
                Kind::TablePart => other == Element::TABLE,
                _ if element == Element::TABLE => false,
                _ => other != element && other.is_scope(),
            },
        );
        let Some(at) = found else {
            return;
        };
        let is_straddled = element.kind() == Kind::Phrase
            && self.dropping.is_none()
            && self.open[at + 1..].iter().any(|open| {
                matches!(
                    open.element.kind(),
                    Kind::Block | Kind::ListItem | Kind::TablePart
                )
            });
        if is_straddled {
            self.open[at].has_ended = true;
        } else {
            self.close_to(at);
        }
    }

    /// Finds the innermost open element that is wanted, unless a boundary comes first.
    fn find(
        &self,
        wanted: impl Fn(Element) -> bool,
        is_boundary: impl Fn(Element) -> bool,
    ) -> Option<usize> {
        for (at, open) in self.open.iter().enumerate().rev() {
            if wanted(open.element) {
                return Some(at);
            }
            if is_boundary(open.element) {
                return None;
            }
        }
        None
    }

    /// Closes all elements from depth `depth` inwards, and those around them that have already
    /// ended.
    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth || self.open.last().is_some_and(|open| open.has_ended) {
            let Some(open) = self.open.pop() else {
                return;
            };
            self.counts[open.element.index()] -= 1;
            if self.dropping.is_some_and(|depth| self.open.len() < depth) {
                self.dropping = None;
                self.html_in_foreign = 0;
            }
            if open.is_shown {
                self.flush();
                self.out.push_str("</");
                self.out.push_str(open.element.name());
                self.out.push('>');
            }
        }
    }

    /// Separates words at the position of an unwrapped block.
    fn separate(&mut self) {
        if self.dropping.is_some() || self.is_in_table_context() {
            return;
        }
        self.close_paragraph();
        let is_apart = if self.text.is_empty() {
            self.out.is_empty() || self.out.ends_with(['\n', ' ', '>'])
        } else {
            self.text.ends_with(['\n', ' '])
        };
        if !is_apart {
            self.text.push('\n');
        }
    }

    fn top(&self) -> Option<Element> {
        self.open.last().map(|open| open.element)
    }

    fn is_in_table_context(&self) -> bool {
        self.dropping.is_none() && self.top().is_some_and(Element::is_table_context)
    }
}
