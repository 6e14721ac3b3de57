//! Walks the tokens of an XML feed and knows where in the feed it is.
//!
//! It keeps the open elements itself, because only here it is known what a missing end tag means:
//! an item ends where the next begins, a value where another value begins, and an end tag closes
//! whatever was left open inside. What a finished value is good for is decided in `store`.

use std::borrow::Cow;
use std::sync::Arc;

use crate::links;
use crate::parse::element::Element as E;
use crate::parse::store::{IdKind, Store};
use crate::parse::text::{self, Mime};
use crate::parsed::{FeedKind, Link, ParsedFeed, Text};
use crate::xml::namespace::{Namespace, Scope, normalized};
use crate::xml::{Attributes, Token, Tokenizer};

/// Open elements that are kept track of (hardening 3.1); deeper ones lose their structure.
const MAX_DEPTH: usize = 64;

/// Elements of HTML that never have an end, so that a forgotten one changes nothing.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// Reads an XML feed that was found at `url`.
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

/// An open element.
struct Frame<'a> {
    name: &'a str,
    element: E,
    /// What was in force outside, where this element changed it.
    outer_base: Option<Arc<str>>,
    outer_language: Option<Option<Arc<str>>>,
    markup: Markup,
}

/// How an element inside a text is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Markup {
    /// Not inside a text.
    No,
    /// Written into the text.
    Written,
    /// A wrapper that is left out.
    Silent,
}

/// A value that is being read.
struct Capture {
    element: E,
    /// Index of its element in the stack.
    frame: usize,
    value: String,
    mime: Mime,
    base64: bool,
    /// A link whose address stands in its text, or the attributes of a category.
    link: Option<Link>,
    category: (Option<String>, Option<String>, Option<String>),
    /// Whether an identifier says to be an address too.
    is_address: bool,
    /// What stands directly inside: number of elements, whether the first is a `div`, and whether
    /// there is text beside it. XHTML in Atom has a `div` that is not part of the text.
    roots: usize,
    root_is_div: bool,
    text_beside: bool,
    base: Arc<str>,
}

struct Mapper<'a> {
    store: Store,
    frames: Vec<Frame<'a>>,
    /// Elements open beyond [`MAX_DEPTH`].
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
            store: Store::new(),
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
            // Nothing was opened that would take the declarations back when it closes.
            self.scope.leave(depth);
        }
    }

    /// Takes note of the namespaces that an element declares; gives its depth.
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
        let element = E::of(namespace, lower);

        if let Some(capture) = self.captures.last() {
            if capture.element.is_text() {
                if capture.mime.is_inline() || !element.ends_text() {
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
            // Closing the others took the declarations with it.
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

    /// Closes what must have ended before `element` can begin.
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
                E::Rss | E::Rdf | E::Feed | E::Channel | E::Unknown => break,
                _ => self.close_last(),
            }
        }
    }

    /// Opens an element outside of texts.
    fn open(&mut self, name: &'a str, element: E, attributes: Attributes<'a>) {
        let mut frame = Frame {
            name,
            element,
            outer_base: None,
            outer_language: None,
            markup: Markup::No,
        };
        if !attributes.is_empty() {
            self.note_base_and_language(&mut frame, attributes);
        }
        let index = self.frames.len();
        self.frames.push(frame);
        let depth = self.frames.len();
        match element {
            E::Rss | E::Feed | E::Rdf | E::Channel => self.open_root(element, attributes),
            E::Entry => {
                if self.store.feed.kind == FeedKind::Rss && depth == 1 {
                    self.open_root(E::Feed, attributes);
                }
                self.store.begin_entry(depth, &self.base);
                if let Some(about) = attributes.find("rdf:about") {
                    self.store.rdf_about(about.trim());
                }
                self.cdf_attributes(attributes);
            }
            E::Link => self.open_link(index, attributes),
            E::Enclosure | E::MediaContent => self.store.enclosure(
                &self.base,
                attributes.find("url").or_else(|| attributes.find("href")),
                attributes
                    .find("type")
                    .or_else(|| attributes.find("medium")),
                attributes
                    .find("length")
                    .or_else(|| attributes.find("fileSize")),
            ),
            E::ItunesImage => {
                let image = attributes.find("href").or_else(|| attributes.find("url"));
                self.store.image(&self.base, image.as_deref());
            }
            E::MediaThumbnail => match attributes.find("url") {
                Some(url) => self.store.thumbnail(&self.base, &url),
                None => self.capture(index, element),
            },
            E::Category | E::MediaCategory | E::ItunesCategory => {
                let term = match element {
                    E::ItunesCategory => attributes.find("text"),
                    _ => attributes.find("term"),
                };
                let scheme = attributes
                    .find("scheme")
                    .or_else(|| attributes.find("domain"))
                    .or(match element {
                        E::ItunesCategory => Some(Cow::Borrowed("http://www.itunes.com/")),
                        E::MediaCategory => Some(Cow::Borrowed(
                            "http://search.yahoo.com/mrss/category_schema",
                        )),
                        _ => None,
                    });
                let label = attributes.find("label");
                let owned = |value: Option<Cow<'_, str>>| value.map(Cow::into_owned);
                if element == E::ItunesCategory {
                    // Subcategories stand inside: the value is whole already.
                    self.store
                        .category(owned(term), owned(scheme), owned(label));
                } else {
                    self.capture(index, element);
                    if let Some(capture) = self.captures.last_mut() {
                        capture.category = (owned(term), owned(scheme), owned(label));
                    }
                }
            }
            E::Guid => {
                self.capture(index, element);
                let permalink = attributes.find("ispermalink");
                if let Some(capture) = self.captures.last_mut() {
                    capture.is_address =
                        permalink.is_none_or(|value| value.trim().eq_ignore_ascii_case("true"));
                }
            }
            E::Source => {
                self.store
                    .begin_source(&self.base, attributes.find("url").as_deref());
                self.capture(index, element);
            }
            E::Author | E::Contributor | E::Publisher | E::Owner => {
                self.store.begin_person();
                self.capture(index, element);
            }
            E::Image | E::TextInput => self.store.begin_aside(element == E::Image),
            E::SkipHours | E::SkipDays | E::Group | E::Unknown => {}
            _ => {
                self.capture(index, element);
                if element.is_text() {
                    self.note_type(element, attributes);
                }
            }
        }
    }

    fn capture(&mut self, frame: usize, element: E) {
        self.captures.push(Capture {
            element,
            frame,
            value: String::new(),
            mime: Mime::Plain,
            base64: false,
            link: None,
            category: (None, None, None),
            is_address: false,
            roots: 0,
            root_is_div: false,
            text_beside: false,
            base: Arc::clone(&self.base),
        });
    }

    /// Reads `type` and `mode` of a text.
    fn note_type(&mut self, element: E, attributes: Attributes<'_>) {
        let Some(capture) = self.captures.last_mut() else {
            return;
        };
        capture.mime = match element {
            E::Description | E::Encoded => Mime::Html,
            E::Body => Mime::Xhtml,
            _ => Mime::Plain,
        };
        if attributes.is_empty() {
            return;
        }
        if let Some(written) = attributes.find("type") {
            capture.mime = Mime::of(&written);
        }
        let mode = attributes.find("mode").unwrap_or_default();
        capture.base64 = mode.eq_ignore_ascii_case("base64") || capture.mime == Mime::Binary;
        if element == E::Content
            && let Some(src) = attributes.find("src")
        {
            let written = attributes.find("type");
            self.store.link(
                &self.base,
                Link {
                    href: src.into_owned(),
                    rel: "content".to_owned(),
                    mime: written.map(Cow::into_owned),
                    title: None,
                    hreflang: None,
                    length: None,
                },
                self.frames.len(),
            );
        }
    }

    fn note_base_and_language(&mut self, frame: &mut Frame<'a>, attributes: Attributes<'_>) {
        let cdf_base = || match frame.element {
            E::Channel | E::Entry => attributes.find("base"),
            _ => None,
        };
        if let Some(base) = attributes.find("xml:base").or_else(cdf_base) {
            let resolved = links::resolve(&self.base, &base);
            let safe = links::scheme(&resolved)
                .is_some_and(|s| !matches!(s.to_ascii_lowercase().as_str(), "javascript" | "data"));
            if safe && resolved.len() <= super::MAX_LINK_BYTES {
                let resolved = Arc::from(&*resolved);
                frame.outer_base = Some(std::mem::replace(&mut self.base, resolved));
            }
        }
        if let Some(language) = attributes
            .find("xml:lang")
            .or_else(|| attributes.find("lang"))
        {
            let language = language.trim().replace('_', "-");
            let language =
                (!language.is_empty() && language.len() <= 64).then(|| Arc::from(language));
            if matches!(frame.element, E::Feed | E::Rss | E::Rdf)
                && let Some(language) = &language
            {
                self.store.language(language);
            }
            frame.outer_language = Some(std::mem::replace(&mut self.language, language));
        }
    }

    /// The root tells the format.
    fn open_root(&mut self, element: E, attributes: Attributes<'_>) {
        let version = attributes.find("version").unwrap_or_default();
        let declares = |address: &str| {
            attributes
                .iter()
                .any(|(name, value)| name.starts_with("xmlns") && normalized(&value) == address)
        };
        let is_first = self
            .frames
            .iter()
            .all(|f| f.element == E::Unknown || f.element == element);
        let kind = match element {
            E::Rss => Some(match version.trim() {
                "0.91" if self.doctype.is_some_and(|d| d.contains("etscape")) => {
                    FeedKind::Rss091Netscape
                }
                "0.91" => FeedKind::Rss091,
                "0.92" => FeedKind::Rss092,
                "0.93" => FeedKind::Rss093,
                "0.94" => FeedKind::Rss094,
                v if v.starts_with('2') => FeedKind::Rss20,
                _ => FeedKind::Rss,
            }),
            E::Rdf if declares("my.netscape.com/rdf/simple/0.9") => Some(FeedKind::Rss090),
            E::Rdf => Some(FeedKind::Rss10),
            E::Feed => Some(match version.trim() {
                "0.1" => FeedKind::Atom01,
                "0.2" => FeedKind::Atom02,
                "0.3" => FeedKind::Atom03,
                _ if declares("www.w3.org/2005/atom") => FeedKind::Atom10,
                _ => FeedKind::Atom,
            }),
            E::Channel if is_first => Some(FeedKind::Cdf),
            _ => None,
        };
        if let Some(kind) = kind.filter(|_| self.store.is_fresh()) {
            self.store.feed.kind = kind;
        }
        if element == E::Channel {
            self.cdf_attributes(attributes);
        }
    }

    /// CDF puts the address and the date of a channel or an item into attributes.
    fn cdf_attributes(&mut self, attributes: Attributes<'_>) {
        if attributes.is_empty() {
            return;
        }
        let depth = self.frames.len();
        if let Some(at) = attributes.find("lastmod") {
            self.store.value(E::Updated, &at, depth);
        }
        if let Some(href) = attributes.find("href") {
            self.store
                .link(&self.base, Link::alternate(href.into_owned()), depth);
        }
    }

    fn open_link(&mut self, index: usize, attributes: Attributes<'_>) {
        let owned = |name| attributes.find(name).map(Cow::into_owned);
        let mut link = Link::alternate(String::new());
        if !attributes.is_empty() {
            if let Some(rel) = owned("rel").filter(|rel| !rel.trim().is_empty()) {
                link.rel = rel.trim().to_ascii_lowercase();
            }
            link.mime = owned("type");
            link.title = owned("title");
            link.hreflang = owned("hreflang");
            link.length = owned("length");
            let href = owned("href")
                .or_else(|| owned("url"))
                .or_else(|| owned("uri"));
            if let Some(href) = href {
                link.href = links::resolve(&self.base, &href).into_owned();
                // In RSS the link with its address as text is the format's own; Atom's beside it
                // often leads to the feed itself.
                let rank = self.frames.len() + usize::from(!self.store.feed.kind.is_atom());
                self.store.link(&self.base, link, rank);
                return;
            }
        }
        self.capture(index, E::Link);
        if let Some(capture) = self.captures.last_mut() {
            capture.link = Some(link);
        }
    }

    /// An element inside a text: it becomes part of the value.
    fn start_markup(
        &mut self,
        name: &'a str,
        namespace: Namespace,
        local: &str,
        lower: &str,
        attributes: Attributes<'a>,
        empty: bool,
    ) {
        let Some(capture) = self.captures.last_mut() else {
            return;
        };
        let mut markup = Markup::Written;
        if !capture.mime.is_inline() {
            if lower == "div" {
                // Some software wraps escaped HTML into a `div` of its own.
                markup = Markup::Silent;
            } else {
                // It was declared to be escaped and is not.
                capture.mime = Mime::Xhtml;
            }
        }
        if markup == Markup::Written {
            if self.frames.len() == capture.frame + 1 {
                capture.roots += 1;
                if capture.roots == 1 && lower == "div" {
                    capture.root_is_div = true;
                    if let Some(base) = attributes.find("xml:base") {
                        capture.base = Arc::from(&*links::resolve(&capture.base, &base));
                    }
                }
            }
            write_tag(&mut capture.value, namespace, local, attributes);
        }
        let is_void = VOID.contains(&lower);
        if is_void && markup == Markup::Written {
            capture.value.push_str(" />");
            return;
        }
        if markup == Markup::Written {
            capture.value.push('>');
            if empty {
                capture.value.push_str("</");
                capture.value.push_str(local);
                capture.value.push('>');
            }
        }
        if empty {
            return;
        }
        if self.frames.len() >= MAX_DEPTH {
            self.overflow += 1;
            return;
        }
        self.frames.push(Frame {
            name,
            element: E::Unknown,
            outer_base: None,
            outer_language: None,
            markup,
        });
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
                // `</link>` of another format, `</br>`: an end without a beginning ends nothing.
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
            // The text of an element inside, which is not the author's name.
            return;
        }
        capture.value.push_str(text);
    }

    /// Hands a finished value to the store.
    fn finish(&mut self, mut capture: Capture, depth: usize) {
        let value = std::mem::take(&mut capture.value);
        match capture.element {
            E::Link => {
                if let Some(mut link) = capture.link.take() {
                    link.href = text::trimmed(value);
                    if !link.href.is_empty() {
                        self.store.link(&self.base, link, depth);
                    }
                }
            }
            E::Category | E::MediaCategory => {
                let (term, scheme, label) = capture.category;
                let value = text::repaired(text::trimmed(value));
                let term = term.filter(|t| !t.is_empty()).or(Some(value));
                self.store.category(term, scheme, label);
            }
            E::Id => self
                .store
                .id(&self.base, value.trim(), IdKind::Plain, depth),
            E::Guid if capture.is_address => {
                self.store
                    .id(&self.base, value.trim(), IdKind::Address, depth);
            }
            E::Guid => self
                .store
                .id(&self.base, value.trim(), IdKind::Opaque, depth),
            E::Author | E::Contributor | E::Publisher | E::Owner => {
                self.store
                    .end_person(capture.element, &text::repaired(value), depth);
            }
            E::Url => self.store.url(&self.base, value.trim()),
            E::Comments | E::CommentRss | E::Icon | E::Logo | E::NewFeedUrl | E::MediaThumbnail => {
                self.store
                    .address(capture.element, &self.base, value.trim());
            }
            E::Source => self.store.source_text(text::trimmed(value), &self.base),
            element if element.is_text() => {
                if let Some(text) = self.finished_text(capture, value) {
                    self.store.text(element, text, depth);
                }
            }
            element => self
                .store
                .value(element, &text::repaired(text::trimmed(value)), depth),
        }
    }

    fn finished_text(&mut self, capture: Capture, value: String) -> Option<Text> {
        let mut value = text::trimmed(value);
        if value.is_empty() {
            return None;
        }
        let mut mime = capture.mime;
        if mime.is_inline()
            && self.store.feed.kind == FeedKind::Atom10
            && capture.roots == 1
            && capture.root_is_div
            && !capture.text_beside
            && let Some(open) = value.find('>')
            && value.ends_with("</div>")
            && open + 1 + "</div>".len() <= value.len()
        {
            value.truncate(value.len() - "</div>".len());
            value.drain(..=open);
            value = text::trimmed(value);
        }
        if capture.base64
            && let Some(decoded) = text::from_base64(&value)
        {
            value = text::trimmed(decoded);
        }
        if mime == Mime::Plain && !self.store.feed.kind.is_atom() && text::looks_like_html(&value) {
            mime = Mime::Html;
        }
        Some(Text {
            value: text::repaired(value),
            kind: mime.kind(),
            base: capture.base,
            language: self.language.clone(),
        })
    }
}

/// `local` in lower case if it fits; no word of any format is longer than the buffer.
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

/// Writes `<local attributes` without its end. The attributes are put in order, so that a publisher
/// whose software shuffles them does not seem to change the text.
fn write_tag(out: &mut String, namespace: Namespace, local: &str, attributes: Attributes<'_>) {
    out.push('<');
    out.push_str(local);
    let address = match (namespace, local) {
        (Namespace::Svg, "svg") => Some("http://www.w3.org/2000/svg"),
        (Namespace::MathMl, "math") => Some("http://www.w3.org/1998/Math/MathML"),
        _ => None,
    };
    if attributes.is_empty() && address.is_none() {
        return;
    }
    let mut written: Vec<(&str, Cow<'_, str>)> = attributes
        .iter()
        .filter(|(name, _)| *name != "xmlns" && !name.starts_with("xmlns:"))
        .collect();
    written.extend(address.map(|address| ("xmlns", Cow::Borrowed(address))));
    written.sort_by_key(|(name, _)| *name);
    for (name, value) in written {
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        links::push_attribute(out, &value);
        out.push('"');
    }
}

fn close_tag(out: &mut String, name: &str) {
    out.push_str("</");
    out.push_str(name.rsplit(':').next().unwrap_or(name));
    out.push('>');
}
