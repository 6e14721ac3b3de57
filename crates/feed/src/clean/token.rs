//! A linear scan of HTML into tags and text.
//!
//! It follows the tokenizer of the HTML standard where that matters (quotes, comments, raw text),
//! does not allocate, examines each byte at most a constant number of times, and cannot fail. It
//! precedes every tree builder in this crate: those are quadratic in depth and in attributes, and
//! this is where both are limited.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memmem};

use super::entity::{ReferenceContext, decoded};
use super::text::head;

/// Maximum number of attributes of one tag; the rest is ignored.
pub(crate) const MAX_ATTRIBUTES: usize = 64;

/// Token of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Token<'a> {
    /// Text as written: references are not decoded.
    Text(&'a str),
    /// Start tag: `<name …>`.
    Start(Tag<'a>),
    /// End tag, with the name as written.
    End(&'a str),
}

/// Start tag with its attributes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tag<'a> {
    /// Name as written, in any case.
    pub(crate) name: &'a str,
    /// Text between the name and the closing bracket.
    inside: &'a str,
}

impl<'a> Tag<'a> {
    /// Iterates over the attributes, with names as written and values not decoded, at most
    /// [`MAX_ATTRIBUTES`].
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        Attributes { rest: self.inside }.take(MAX_ATTRIBUTES)
    }

    /// Returns the decoded value of the first attribute called `name` (lower case).
    pub(crate) fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        self.attributes()
            .find(|(written, _)| written.eq_ignore_ascii_case(name))
            .map(|(_, value)| decoded(value, ReferenceContext::Attribute))
    }

    /// Returns the decoded values of the attributes called `names` (lower case), the first of each,
    /// in one pass over the tag.
    pub(crate) fn values<const N: usize>(&self, names: [&str; N]) -> [Option<Cow<'a, str>>; N] {
        let mut found = [None; N];
        for (written, value) in self.attributes() {
            if let Some(at) = names
                .iter()
                .position(|name| written.eq_ignore_ascii_case(name))
            {
                found[at].get_or_insert(value);
            }
        }
        found.map(|value| value.map(|value| decoded(value, ReferenceContext::Attribute)))
    }

    /// Appends the tag as it was written.
    pub(crate) fn push_to(&self, out: &mut String) {
        out.push('<');
        out.push_str(self.name);
        out.push_str(self.inside);
        out.push('>');
    }

    /// Returns `true` if `needle` occurs after the name: a cheap check before parsing the
    /// attributes.
    pub(crate) fn mentions(&self, needle: &str) -> bool {
        memmem::find(self.inside.as_bytes(), needle.as_bytes()).is_some()
    }

    /// Returns `true` if the tag ends in `/>`, which is significant in SVG and MathML only.
    pub(crate) fn closes_itself(&self) -> bool {
        self.inside.ends_with('/')
    }

    /// Like [`Self::closes_itself`], but not if the slash is the end of an unquoted address.
    pub(crate) fn is_meant_to_be_empty(&self) -> bool {
        let Some(before) = self.inside.strip_suffix('/') else {
            return false;
        };
        let last = before
            .rsplit(char::is_whitespace)
            .next()
            .unwrap_or_default();
        last.is_empty() || last.ends_with(['"', '\'']) || !last.contains('=')
    }
}

/// Returns an iterator over the tokens of `html`.
pub(crate) fn tokens(html: &str) -> Tokens<'_> {
    Tokens { html, at: 0 }
}

/// Iterator returned by [`tokens`].
#[derive(Debug, Clone)]
pub(crate) struct Tokens<'a> {
    html: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    /// Returns the position of the next token, in bytes.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Skips raw text up to and including the end tag of `name`, as after `<script>`, and returns
    /// it. Without an end tag it extends to the end, as in a browser.
    pub(crate) fn skip_raw_text(&mut self, name: &str) -> &'a str {
        let start = self.at;
        let bytes = self.html.as_bytes();
        for found in memmem::find_iter(&bytes[start..], b"</") {
            let name_at = start + found + 2;
            let name_end = name_at + name.len();
            let is_end = bytes
                .get(name_at..name_end)
                .is_some_and(|written| written.eq_ignore_ascii_case(name.as_bytes()))
                && matches!(
                    bytes.get(name_end),
                    Some(b' ' | b'\t' | b'\n' | b'\x0c' | b'\r' | b'/' | b'>')
                );
            if is_end {
                self.at = tag_end(bytes, name_end).map_or(bytes.len(), |end| end + 1);
                return &self.html[start..start + found];
            }
        }
        self.at = bytes.len();
        &self.html[start..]
    }

    /// Skips the raw text that `tag`, just read, opens. In XML `<script src="x"/>` is complete; in
    /// HTML it is not, and a browser hides everything that follows. Preserving text is more
    /// important here: such a tag hides only text that its own end tag closes and that contains no
    /// tags.
    pub(crate) fn skip_raw_text_of(&mut self, tag: &Tag<'_>, name: &str) {
        let mut skipped = self.clone();
        let raw = skipped.skip_raw_text(name);
        if !tag.is_meant_to_be_empty() {
            *self = skipped;
            return;
        }
        let is_closed = self.at + raw.len() < skipped.at;
        let has_tags = raw
            .as_bytes()
            .windows(2)
            .any(|pair| pair[0] == b'<' && pair[1].is_ascii_alphabetic());
        if is_closed && !has_tags {
            *self = skipped;
        }
    }

    /// Returns the markup up to the end tag of the element `name` that was just opened, and the
    /// position after that tag. Returns `None` if it is not closed within `limit` bytes, or if
    /// another element of the name opens in it, unless `nested` is true.
    pub(crate) fn content_of(
        &self,
        name: &str,
        limit: usize,
        nested: bool,
    ) -> Option<(&'a str, usize)> {
        let mut ahead = self.clone();
        let mut depth = 0;
        loop {
            let end = ahead.at;
            if end - self.at > limit {
                return None;
            }
            match ahead.next()? {
                Token::Start(tag) if tag.name.eq_ignore_ascii_case(name) => {
                    if !nested {
                        return None;
                    }
                    depth += 1;
                }
                Token::End(written) if written.eq_ignore_ascii_case(name) => {
                    if depth == 0 {
                        return Some((&self.html[self.at..end], ahead.at));
                    }
                    depth -= 1;
                }
                _ => {}
            }
        }
    }

    /// Continues at `position`, which was returned by [`Self::content_of`].
    pub(crate) fn skip_to(&mut self, position: usize) {
        self.at = position;
    }

    /// Returns the position after the next end tag of `name`, if there is one.
    pub(crate) fn end_of_next(&self, name: &str) -> Option<usize> {
        let mut ahead = self.clone();
        let is_end =
            |token| matches!(token, Token::End(end) if str::eq_ignore_ascii_case(end, name));
        while let Some(token) = ahead.next() {
            if is_end(token) {
                return Some(ahead.at);
            }
        }
        None
    }

    fn markup(&mut self) -> Option<Token<'a>> {
        let bytes = self.html.as_bytes();
        let at = self.at;
        match bytes[at + 1] {
            b'!' if bytes[at..].starts_with(b"<!--") => {
                self.at = comment_end(bytes, at + 4);
                None
            }
            b'/' if bytes.get(at + 2).is_some_and(u8::is_ascii_alphabetic) => {
                let name_end = name_end(bytes, at + 2);
                let end = tag_end(bytes, name_end);
                self.at = end.map_or(bytes.len(), |end| end + 1);
                end.map(|_| Token::End(&self.html[at + 2..name_end]))
            }
            b'!' | b'?' | b'/' => {
                // A doctype, or a bogus comment in the terms of the standard.
                let end = memchr(b'>', &bytes[at..]);
                self.at = end.map_or(bytes.len(), |end| at + end + 1);
                None
            }
            _ => {
                let name_end = name_end(bytes, at + 1);
                // An unterminated tag at the end of the document is not a tag.
                let Some(end) = tag_end(bytes, name_end) else {
                    self.at = bytes.len();
                    return None;
                };
                self.at = end + 1;
                Some(Token::Start(Tag {
                    name: &self.html[at + 1..name_end],
                    inside: &self.html[name_end..end],
                }))
            }
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let bytes = self.html.as_bytes();
        while self.at < bytes.len() {
            let start = self.at;
            let mut look = start;
            let markup = loop {
                let Some(found) = memchr(b'<', &bytes[look..]) else {
                    break bytes.len();
                };
                let found = look + found;
                match bytes.get(found + 1) {
                    Some(b'/') if found + 2 >= bytes.len() => look = found + 1,
                    Some(b'!' | b'?' | b'/') => break found,
                    Some(byte) if byte.is_ascii_alphabetic() => break found,
                    _ => look = found + 1,
                }
            };
            if markup > start {
                self.at = markup;
                return Some(Token::Text(&self.html[start..markup]));
            }
            if let Some(token) = self.markup() {
                return Some(token);
            }
        }
        None
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r')
}

fn name_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..]
        .iter()
        .position(|b| is_blank(*b) || matches!(b, b'/' | b'>'))
        .map_or(bytes.len(), |length| from + length)
}

/// Returns the position of the `>` that ends a tag whose name ended at `from`; quoted values may
/// contain one.
fn tag_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut attributes = Walk { bytes, at: from };
    while attributes.step().is_some() {}
    (bytes.get(attributes.at) == Some(&b'>')).then_some(attributes.at)
}

fn comment_end(bytes: &[u8], from: usize) -> usize {
    if bytes[from..].starts_with(b">") {
        return from + 1;
    }
    if bytes[from..].starts_with(b"->") {
        return from + 2;
    }
    let mut at = from;
    while let Some(dashes) = memmem::find(&bytes[at..], b"--") {
        let after = at + dashes + 2;
        match bytes.get(after) {
            Some(b'>') => return after + 1,
            Some(b'!') if bytes.get(after + 1) == Some(&b'>') => return after + 2,
            _ => at = after - 1,
        }
    }
    bytes.len()
}

/// Attribute states of the standard over bytes: stops at the `>` of the tag or at the end.
struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Positions of the name and the value of an attribute.
struct Span {
    name: (usize, usize),
    value: (usize, usize),
}

impl Walk<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// Returns the next attribute; `None` at the end of the tag, or at the end of the input inside
    /// a quoted value.
    fn step(&mut self) -> Option<Span> {
        while self.peek().is_some_and(|b| is_blank(b) || b == b'/') {
            self.at += 1;
        }
        if matches!(self.peek(), None | Some(b'>')) {
            return None;
        }
        let name_start = self.at;
        // A leading equals sign belongs to the name.
        self.at += 1;
        while self
            .peek()
            .is_some_and(|b| !is_blank(b) && !matches!(b, b'/' | b'>' | b'='))
        {
            self.at += 1;
        }
        let name = (name_start, self.at);
        let empty = Span {
            name,
            value: (self.at, self.at),
        };
        self.skip_blanks();
        if self.peek() != Some(b'=') {
            return Some(empty);
        }
        self.at += 1;
        self.skip_blanks();
        match self.peek() {
            None | Some(b'>') => Some(empty),
            Some(quote @ (b'"' | b'\'')) => {
                let start = self.at + 1;
                match memchr(quote, &self.bytes[start..]) {
                    Some(length) => {
                        self.at = start + length + 1;
                        Some(Span {
                            name,
                            value: (start, start + length),
                        })
                    }
                    None => {
                        self.at = self.bytes.len();
                        None
                    }
                }
            }
            Some(_) => {
                let start = self.at;
                while self.peek().is_some_and(|b| !is_blank(b) && b != b'>') {
                    self.at += 1;
                }
                Some(Span {
                    name,
                    value: (start, self.at),
                })
            }
        }
    }
}

struct Attributes<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let mut walk = Walk {
            bytes: self.rest.as_bytes(),
            at: 0,
        };
        let span = walk.step()?;
        let found = (
            &self.rest[span.name.0..span.name.1],
            &self.rest[span.value.0..span.value.1],
        );
        self.rest = &self.rest[walk.at..];
        Some(found)
    }
}

/// Truncates `html` to at most `limit` bytes, between two tags instead of inside one.
pub(crate) fn cut(html: &str, limit: usize) -> &str {
    if html.len() <= limit {
        return html;
    }
    let kept = head(html, limit);
    match kept.rfind('<') {
        Some(open) if memchr2(b'>', b'<', &kept.as_bytes()[open + 1..]).is_none() => &kept[..open],
        _ => kept,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(html: &str) -> String {
        let mut out = String::new();
        for token in tokens(html) {
            match token {
                Token::Text(text) => out.push_str(&format!("[{text}]")),
                Token::End(name) => out.push_str(&format!("</{name}>")),
                Token::Start(tag) => {
                    out.push_str(&format!("<{}", tag.name));
                    for (name, value) in tag.attributes() {
                        out.push_str(&format!("|{name}={value}"));
                    }
                    out.push('>');
                }
            }
        }
        out
    }

    #[test]
    fn tags_are_seen_where_a_browser_sees_them() {
        for (html, expected) in [
            ("a<b>c</b>d", "[a]<b>[c]</b>[d]"),
            ("1 < 2 <3 </ <", "[1 < 2 <3 ]"),
            ("x</", "[x</]"),
            ("<a href=x/y>", "<a|href=x/y>"),
            ("<a href='>' b=\"'>\" c>", "<a|href=>|b='>|c=>"),
            ("<img/src=x/onerror=y>", "<img|src=x/onerror=y>"),
            ("<a =b=c>", "<a|=b=c>"),
            ("<a b = 'c'd>", "<a|b=c|d=>"),
            ("<a b=>x", "<a|b=>[x]"),
            ("<a b=\"unclosed>x", ""),
            ("x<a unclosed", "[x]"),
            ("<!-->a<!--->b<!-- <b> -->c<!-- x --!>d", "[a][b][c][d]"),
            ("<!-- never closed <b>", ""),
            ("<!doctype html><?xml ?></?>a<![CDATA[x]]>", "[a]"),
            ("<a\u{a0}b>", "<a\u{a0}b>"),
        ] {
            assert_eq!(seen(html), expected, "{html}");
        }
    }

    #[test]
    fn raw_text_ends_at_its_own_end_tag_only() {
        let mut all = tokens("<script>a</b></scripty></SCRIPT >b");
        all.next();
        assert_eq!(all.skip_raw_text("script"), "a</b></scripty>");
        assert!(matches!(all.next(), Some(Token::Text("b"))));
    }

    #[test]
    fn attributes_beyond_the_limit_are_passed_over() {
        let html = format!("<a {}>", "x=1 ".repeat(50_000));
        let Some(Token::Start(tag)) = tokens(&html).next() else {
            panic!("a tag");
        };
        assert_eq!(tag.attributes().count(), MAX_ATTRIBUTES);
    }

    #[test]
    fn a_long_document_is_cut_between_tags_and_characters() {
        assert_eq!(cut("<p>日本</p>", 8), "<p>日");
        assert_eq!(cut("<p>a</p><a href=x>", 12), "<p>a</p>");
        assert_eq!(cut("short", 10), "short");
    }
}
