//! Processes the tokens of an XML feed and tracks the position in the document.
//!
//! It maintains the stack of open elements itself, because only here the meaning of a missing end
//! tag is known: an item ends where the next begins, a value where another value begins, and an end
//! tag closes everything left open inside. `store` decides on the use of a finished value.

mod finish;
mod markup;
mod open;

use std::sync::Arc;

use crate::html::VOID;
use crate::parse::builder::FeedBuilder;
use crate::parse::element::Element as E;
use crate::parse::mapper::markup::close_tag;
use crate::parse::text::{self, Mime};
use crate::parsed::{Link, ParsedFeed};
use crate::xml::namespace::Scope;
use crate::xml::{Attributes, Token, Tokenizer};

/// Maximum number of open elements that are tracked; deeper ones lose their structure.
const MAX_DEPTH: usize = 64;

/// Parses an XML feed that was fetched from `url`.
pub(super) fn read(source: &str, url: &str) -> ParsedFeed {
    let mut tokenizer = Tokenizer::new(source);
    let mut mapper = Mapper::new(url);
    while !mapper.store.is_full() {
        match tokenizer.next() {
            Some(Token::Start {
                name,
                attributes,
                empty,
            }) => {
                mapper.doctype = tokenizer.doctype;
                mapper.start(name, attributes, empty);
            }
            Some(Token::End { name }) => mapper.end(name),
            Some(Token::Text(text)) => mapper.text(&text),
            Some(Token::CData(text)) => mapper.text(text),
            None => break,
        }
    }
    let truncated = mapper
        .frames
        .iter()
        .any(|frame| frame.element != E::Unknown);
    while !mapper.frames.is_empty() {
        mapper.close_last();
    }
    let mut feed = mapper.store.finish();
    feed.recovered = mapper.damaged || tokenizer.damaged || truncated;
    feed
}

/// Open element on the stack.
struct Frame<'a> {
    name: &'a str,
    element: E,
    /// Outer values, if this element changed them.
    outer_base: Option<Arc<str>>,
    outer_language: Option<Option<Arc<str>>>,
    markup: Markup,
}

/// Treatment of an element inside a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Markup {
    /// Not inside a text.
    No,
    /// Written into the text.
    Written,
    /// Wrapper that is omitted.
    Silent,
}

/// Value that is being read.
struct Capture {
    element: E,
    /// Index of its element in the stack.
    frame: usize,
    value: String,
    /// Declared type of the text, and its actual type.
    declared: Mime,
    mime: Mime,
    /// True if the type was declared and not assumed.
    says_type: bool,
    base64: bool,
    /// Link whose address is its text, or the attributes of a category.
    link: Option<Link>,
    category: (Option<String>, Option<String>, Option<String>),
    /// True if an identifier is declared to be an address too.
    is_address: bool,
    /// Direct children: number of elements, true if the first is a `div`, and true if there is text
    /// beside it. XHTML in Atom has a `div` that is not part of the text.
    roots: usize,
    root_is_div: bool,
    text_beside: bool,
    base: Arc<str>,
}

impl Capture {
    /// Returns `true` if `element` inside this text means that the end tag of the text is missing.
    fn is_ended_by(&self, element: E) -> bool {
        match self.declared {
            Mime::Xml => false,
            // A text that is declared to contain elements may contain any but the next entry.
            Mime::Xhtml => element == E::Entry,
            _ => element.ends_text(),
        }
    }
}

struct Mapper<'a> {
    store: FeedBuilder,
    frames: Vec<Frame<'a>>,
    /// Number of open elements beyond [`MAX_DEPTH`].
    overflow: usize,
    captures: Vec<Capture>,
    scope: Scope<'a>,
    base: Arc<str>,
    language: Option<Arc<str>>,
    doctype: Option<&'a str>,
    damaged: bool,
}

impl<'a> Mapper<'a> {
    fn new(url: &str) -> Self {
        Self {
            store: FeedBuilder::new(),
            frames: Vec::with_capacity(16),
            overflow: 0,
            captures: Vec::new(),
            scope: Scope::default(),
            base: Arc::from(url),
            language: None,
            doctype: None,
            damaged: false,
        }
    }

    fn start(&mut self, name: &'a str, attributes: Attributes<'a>, empty: bool) {
        let depth = self.declare(attributes);
        self.start_declared(name, attributes, empty);
        if self.frames.len() < depth {
            // No element was opened that would remove the declarations when it closes.
            self.scope.leave(depth);
        }
    }

    /// Records the namespaces that an element declares; returns its depth.
    fn declare(&mut self, attributes: Attributes<'a>) -> usize {
        let depth = self.frames.len() + 1;
        if !attributes.is_empty() {
            for (name, value) in attributes.iter() {
                if name == "xmlns" {
                    self.scope.declare(depth, "", &value);
                } else if let Some(prefix) = name.strip_prefix("xmlns:") {
                    self.scope.declare(depth, prefix, &value);
                }
            }
        }
        depth
    }

    fn start_declared(&mut self, name: &'a str, attributes: Attributes<'a>, empty: bool) {
        let depth = self.frames.len() + 1;
        let (namespace, local) = self.scope.resolve(name);
        let mut buffer = [0; 24];
        let lower = lower_case(local, &mut buffer);
        let mut element = E::of(namespace, lower);
        if element == E::Body && !self.store.has_entry() {
            // The page around a feed that was wrapped into one.
            element = E::Unknown;
        }

        if let Some(capture) = self.captures.last() {
            if capture.element.is_text() {
                if !capture.is_ended_by(element) {
                    self.start_markup(name, namespace, local, lower, attributes, empty);
                    return;
                }
                self.damaged = true;
                self.close_down_to(capture.frame);
            } else if !capture.element.is_place() && element != E::Unknown {
                self.damaged = true;
                self.close_down_to(capture.frame);
            }
        }
        self.close_forgotten(element);
        if self.frames.len() + 1 != depth {
            // Closing the other elements removed the declarations as well.
            self.declare(attributes);
        }
        if self.frames.len() >= MAX_DEPTH {
            self.damaged = true;
            self.overflow += usize::from(!empty);
            return;
        }
        self.open(name, element, attributes);
        if empty {
            self.close_last();
        }
    }

    /// Closes elements that must have ended before `element` can begin.
    fn close_forgotten(&mut self, element: E) {
        if element == E::Entry {
            if let Some(open) = self.frames.iter().rposition(|f| f.element == E::Entry) {
                self.damaged = true;
                self.close_down_to(open);
            }
        } else if let Some(image) = self
            .frames
            .iter()
            .rposition(|f| matches!(f.element, E::Image | E::TextInput))
            && !matches!(
                element,
                E::Title | E::Link | E::Description | E::Url | E::Name | E::Unknown
            )
        {
            self.damaged = true;
            self.close_down_to(image);
            return;
        } else {
            return;
        }
        while let Some(frame) = self.frames.last() {
            match frame.element {
                E::Rss | E::Rdf | E::Feed | E::Channel => break,
                // Entries have few wrappers; many are tags that were never closed.
                E::Unknown if self.frames.len() < MAX_DEPTH / 2 => break,
                _ => self.close_last(),
            }
        }
    }

    fn end(&mut self, name: &str) {
        let found = self
            .frames
            .iter()
            .rposition(|frame| frame.name.eq_ignore_ascii_case(name));
        if self.overflow > 0 {
            let structural = found.is_some_and(|at| self.frames[at].markup == Markup::No);
            if !structural {
                self.overflow -= 1;
                if let Some(capture) = self.captures.last_mut().filter(|c| c.element.is_text()) {
                    close_tag(&mut capture.value, name);
                }
                return;
            }
            self.overflow = 0;
        }
        match found {
            Some(at) => {
                self.damaged |= at + 1 != self.frames.len();
                self.close_down_to(at);
            }
            None => {
                // `</link>` of another format, `</br>`: an end tag without a start tag ends
                // nothing.
                let local = name.rsplit(':').next().unwrap_or(name).to_ascii_lowercase();
                self.damaged |= !VOID.contains(&local.as_str());
            }
        }
    }

    fn close_down_to(&mut self, index: usize) {
        while self.frames.len() > index {
            self.close_last();
        }
    }

    fn close_last(&mut self) {
        let depth = self.frames.len();
        let Some(frame) = self.frames.pop() else {
            return;
        };
        // The elements that were too deep to be tracked were inside this one.
        self.overflow = 0;
        if frame.markup == Markup::Written
            && let Some(capture) = self.captures.last_mut()
        {
            close_tag(&mut capture.value, frame.name);
        }
        if frame.markup == Markup::No {
            if self.captures.last().is_some_and(|c| c.frame + 1 == depth)
                && let Some(capture) = self.captures.pop()
            {
                self.finish(capture, depth);
            }
            self.store.leave(frame.element, depth);
        }
        if let Some(base) = frame.outer_base {
            self.base = base;
        }
        if let Some(language) = frame.outer_language {
            self.language = language;
        }
        self.scope.leave(depth);
    }

    fn text(&mut self, text: &str) {
        let open = self.frames.len();
        let Some(capture) = self.captures.last_mut() else {
            return;
        };
        if capture.element.is_text() {
            if open == capture.frame + 1 && !capture.text_beside {
                capture.text_beside = !text.trim().is_empty();
            }
            if capture.mime.is_inline() {
                text::push_escaped(&mut capture.value, text);
                return;
            }
        } else if capture.element.is_place() && open != capture.frame + 1 {
            // Text of a nested element, which is not the author's name.
            return;
        }
        capture.value.push_str(text);
    }
}

/// Converts `local` to lower case if it fits into the buffer; no element name of any format is
/// longer.
fn lower_case<'b>(local: &'b str, buffer: &'b mut [u8; 24]) -> &'b str {
    if !local.bytes().any(|b| b.is_ascii_uppercase()) {
        return local;
    }
    let Some(target) = buffer.get_mut(..local.len()) else {
        return "";
    };
    target.copy_from_slice(local.as_bytes());
    target.make_ascii_lowercase();
    std::str::from_utf8(target).unwrap_or_default()
}
