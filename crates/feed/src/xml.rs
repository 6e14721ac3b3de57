//! A pull tokenizer for malformed XML.
//!
//! It never fails: anything that is not markup is text. A `<` that starts no name, a tag that meets
//! another `<` before its end, an ampersand without a reference, a CDATA section or a comment
//! without end: each has one simple interpretation, and tokenizing continues. Nesting is not
//! checked here; matching end tags is the task of the mapper. External entities are not supported,
//! and internal ones only as short text.
//!
//! Every search either moves forward or is recorded as failed, so the time stays linear.

mod attributes;
pub(crate) mod namespace;

use std::borrow::Cow;

use memchr::{memchr, memmem};

use crate::entities;
pub(crate) use crate::xml::attributes::Attributes;

/// Maximum length of a name; a longer run of name characters after `<` is text.
const MAX_NAME_BYTES: usize = 256;
/// Maximum number of internal entities and length of each: enough for `&site;`, too little for a
/// bomb.
const MAX_ENTITIES: usize = 64;
const MAX_ENTITY_BYTES: usize = 256;
/// Maximum number of bytes that the expansion of internal entities may add to a document.
const MAX_EXPANSION_BYTES: usize = 1024 * 1024;

/// Token of the document.
#[derive(Debug, PartialEq)]
pub(crate) enum Token<'a> {
    /// `<name attributes>`, with `empty` for `<name/>`.
    Start {
        name: &'a str,
        attributes: Attributes<'a>,
        empty: bool,
    },
    /// `</name>`; it need not match a start tag.
    End { name: &'a str },
    /// Text between tags, with references expanded.
    Text(Cow<'a, str>),
    /// Content of a CDATA section, without any expansion.
    CData(&'a str),
}

/// Tokenizer over a decoded document.
pub(crate) struct Tokenizer<'a> {
    source: &'a str,
    at: usize,
    /// Name of the element whose end tag closes an unterminated CDATA section.
    last_start: &'a str,
    entities: Vec<(&'a str, Cow<'a, str>)>,
    expanded: usize,
    /// Bytes scanned for tags that turned out to be none. Once this exceeds the length of the
    /// document, quotes no longer hide a `<`, which keeps the search for the end of a tag linear
    /// for any input.
    wasted: usize,
    no_comment_end: bool,
    /// Position of the next `]]>`, so that sections that end early do not search again.
    cdata_end: Option<usize>,
    no_cdata_end: bool,
    /// True if the document is not well-formed.
    pub(crate) damaged: bool,
    /// Public identifier of the document type; it distinguishes Netscape's RSS 0.91 from
    /// Userland's.
    pub(crate) doctype: Option<&'a str>,
    /// True if entities were declared that refer to others or to files, as bombs do.
    pub(crate) has_nested_entities: bool,
}

impl<'a> Tokenizer<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        Self {
            source,
            at: 0,
            last_start: "",
            entities: Vec::new(),
            expanded: 0,
            wasted: 0,
            no_comment_end: false,
            cdata_end: None,
            no_cdata_end: false,
            damaged: false,
            doctype: None,
            has_nested_entities: false,
        }
    }

    /// Returns the text from the current position to `end` as a token, or `None` if it is empty.
    fn text_until(&mut self, end: usize) -> Option<Token<'a>> {
        let raw = &self.source[self.at..end];
        self.at = end;
        if raw.is_empty() {
            return None;
        }
        let (own, expanded) = (&self.entities, &mut self.expanded);
        Some(Token::Text(entities::expand(raw, |name, out| {
            let Some((_, value)) = own.iter().find(|(known, _)| *known == name) else {
                return false;
            };
            *expanded += value.len();
            if *expanded > MAX_EXPANSION_BYTES {
                return false;
            }
            out.push_str(value);
            true
        })))
    }

    /// Returns the next token, or `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        let bytes = self.source.as_bytes();
        let mut search = self.at;
        while let Some(found) = memchr(b'<', &bytes[search..]) {
            let open = search + found;
            match bytes.get(open + 1).copied() {
                Some(b'/') => {
                    if let Some((name, after)) = self.end_tag(open) {
                        if let Some(text) = self.text_until(open) {
                            return Some(text);
                        }
                        self.at = after;
                        return Some(Token::End { name });
                    }
                }
                Some(b'!' | b'?') => {
                    if let Some(text) = self.text_until(open) {
                        return Some(text);
                    }
                    if let Some(data) = self.declaration(open) {
                        return Some(Token::CData(data));
                    }
                    search = self.at;
                    continue;
                }
                Some(first) if is_name_start(first) => {
                    if let Some((name, attributes, after)) = self.start_tag(open) {
                        if let Some(text) = self.text_until(open) {
                            return Some(text);
                        }
                        self.at = after;
                        let (attributes, empty) = match attributes.strip_suffix('/') {
                            Some(attributes) => (attributes, true),
                            None => (attributes, false),
                        };
                        if !empty {
                            self.last_start = name;
                        }
                        return Some(Token::Start {
                            name,
                            attributes: Attributes::of(attributes),
                            empty,
                        });
                    }
                }
                _ => {}
            }
            // Not markup: the `<` belongs to the text.
            self.damaged = true;
            search = open + 1;
        }
        self.text_until(self.source.len())
    }

    /// Parses `</name>` and returns the name and the end position. Anything between the name and
    /// `>` is skipped.
    fn end_tag(&self, open: usize) -> Option<(&'a str, usize)> {
        let inside = &self.source[open + 2..];
        let name = name_at(inside.trim_start())?;
        let start = name.as_ptr() as usize - inside.as_ptr() as usize;
        let rest = &inside.as_bytes()[start + name.len()..];
        let close = rest.iter().position(|b| matches!(b, b'>' | b'<'))?;
        // `</title` directly before the next tag still ends the title.
        let skip = usize::from(rest[close] == b'>');
        Some((name, open + 2 + start + name.len() + close + skip))
    }

    /// Parses `<name …>` and returns the name, the text between the name and `>`, and the end
    /// position.
    fn start_tag(&mut self, open: usize) -> Option<(&'a str, &'a str, usize)> {
        let name = name_at(&self.source[open + 1..])?;
        let from = open + 1 + name.len();
        let end = self.tag_end(from)?;
        Some((name, &self.source[from..end], end + 1))
    }

    /// Returns the position of the `>` of a start tag whose attributes begin at `from`.
    fn tag_end(&mut self, from: usize) -> Option<usize> {
        let bytes = self.source.as_bytes();
        let trust_quotes = self.wasted <= bytes.len();
        let mut at = from;
        let mut after_equals = false;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'>' => return Some(at),
                b'<' => break,
                b'=' => after_equals = true,
                b' ' | b'\t' | b'\n' | b'\r' => {}
                b'"' | b'\'' if after_equals => {
                    after_equals = false;
                    if let Some(length) = memchr(byte, &bytes[at + 1..]) {
                        let value = &bytes[at + 1..at + 1 + length];
                        match memchr(b'<', value) {
                            None => at += length + 1,
                            // With a whole tag inside, the quote was more likely never closed.
                            Some(tag) => {
                                self.damaged = true;
                                if trust_quotes && memchr(b'>', &value[..tag]).is_none() {
                                    at += length + 1;
                                }
                            }
                        }
                    }
                }
                _ => after_equals = false,
            }
            at += 1;
        }
        self.wasted += at - from;
        None
    }

    /// Skips a comment, processing instruction or document type; returns the content of a CDATA
    /// section.
    fn declaration(&mut self, open: usize) -> Option<&'a str> {
        let rest = &self.source[open..];
        self.at = if rest.starts_with("<!--") {
            open + self.comment_length(rest)
        } else if rest.starts_with("<![CDATA[") {
            return self.cdata(open + "<![CDATA[".len());
        } else if rest.as_bytes()[1] == b'?' {
            open + instruction_length(rest)
        } else if rest
            .get(..9)
            .is_some_and(|s| s.eq_ignore_ascii_case("<!DOCTYPE"))
        {
            open + self.doctype_length(rest)
        } else {
            open + length_to_gt(rest)
        };
        None
    }

    fn comment_length(&mut self, rest: &str) -> usize {
        if !self.no_comment_end {
            // `<!-->` is a complete comment in HTML; XML writers never generate it.
            if let Some(end) = memmem::find(&rest.as_bytes()[4..], b"-->") {
                return 4 + end + 3;
            }
            self.no_comment_end = true;
        }
        // An unterminated comment hides nothing: its extent is unknown, and losing an item is worse
        // than showing one too many.
        self.damaged = true;
        "<!--".len()
    }

    /// Returns the CDATA section that starts at `from`. A section without end, or one that runs
    /// over the end of its element into the next section, ends where its element ends.
    fn cdata(&mut self, from: usize) -> Option<&'a str> {
        let rest = &self.source[from..];
        let end = match self.cdata_end {
            _ if self.no_cdata_end => None,
            Some(end) if end >= from => Some(end - from),
            _ => memmem::find(rest.as_bytes(), b"]]>"),
        };
        self.cdata_end = end.map(|end| from + end);
        let Some(end) = end else {
            self.no_cdata_end = true;
            self.damaged = true;
            return Some(self.cdata_until_element_end(rest, from));
        };
        let inside = &rest[..end];
        if let Some(second) = memmem::find(inside.as_bytes(), b"<![CDATA[")
            && self.element_end(&inside[..second]).is_some()
        {
            self.damaged = true;
            return Some(self.cdata_until_element_end(inside, from));
        }
        self.at = from + end + 3;
        Some(inside)
    }

    fn cdata_until_element_end(&mut self, text: &'a str, from: usize) -> &'a str {
        let end = self.element_end(text).unwrap_or(text.len());
        self.at = from + end;
        &text[..end]
    }

    /// Returns the position in `text` of the end tag of the most recently opened element.
    fn element_end(&self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        memmem::find_iter(bytes, b"</").find(|&at| {
            let name = &bytes[at + 2..];
            name.get(..self.last_start.len())
                .is_some_and(|n| n.eq_ignore_ascii_case(self.last_start.as_bytes()))
                && matches!(name.get(self.last_start.len()), Some(b'>' | b' '))
        })
    }

    fn doctype_length(&mut self, rest: &'a str) -> usize {
        let bytes = rest.as_bytes();
        let gt = length_to_gt(rest);
        let Some(bracket) = memchr(b'[', &bytes[..gt]) else {
            self.doctype = Some(&rest[..gt]);
            return gt;
        };
        let Some(close) = memchr(b']', &bytes[bracket..]) else {
            self.damaged = true;
            return gt;
        };
        self.doctype = Some(&rest[..bracket]);
        self.declare_entities(&rest[bracket..bracket + close]);
        bracket + close + length_to_gt(&rest[bracket + close..])
    }

    /// Stores the internal entities that are plain text. Those that refer to others, to files or to
    /// markup are ignored, so no expansion can be recursive.
    fn declare_entities(&mut self, subset: &'a str) {
        for declaration in subset.split("<!ENTITY").skip(1).take(MAX_ENTITIES) {
            let Some((name, rest)) = declaration.trim_start().split_once(char::is_whitespace)
            else {
                continue;
            };
            let rest = rest.trim_start();
            let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
                // A reference to a file, or a parameter entity.
                self.has_nested_entities = true;
                continue;
            };
            let Some((value, _)) = rest[1..].split_once(quote) else {
                continue;
            };
            let value = entities::expand(value, |name, _| {
                self.has_nested_entities |= !entities::is_known(name);
                false
            });
            if value.len() <= MAX_ENTITY_BYTES && !value.contains(['<', '&']) {
                self.entities.push((name, value));
            }
        }
    }
}

fn length_to_gt(rest: &str) -> usize {
    memchr(b'>', rest.as_bytes()).map_or(rest.len(), |at| at + 1)
}

/// Returns the length of `<?target …?>`. A `>` inside belongs to it only if `?>` is near.
fn instruction_length(rest: &str) -> usize {
    let gt = length_to_gt(rest);
    if rest[..gt].ends_with("?>") {
        return gt;
    }
    let near = &rest.as_bytes()[..rest.len().min(4096)];
    memmem::find(near, b"?>").map_or(gt, |at| at + 2)
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b':' || byte >= 0x80
}

fn is_name_byte(byte: u8) -> bool {
    is_name_start(byte) || byte.is_ascii_digit() || byte == b'-' || byte == b'.'
}

/// Returns the name at the start of `text`, or `None` if there is none or it is too long.
fn name_at(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    if !is_name_start(*bytes.first()?) {
        return None;
    }
    let length = bytes
        .iter()
        .take(MAX_NAME_BYTES + 1)
        .position(|&b| !is_name_byte(b))
        .unwrap_or(bytes.len().min(MAX_NAME_BYTES + 1));
    (length <= MAX_NAME_BYTES).then(|| &text[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats the tokens of `source` in a short notation: `<a>`, `</a>`, `<a/>`, `"text"`,
    /// `[cdata]`.
    fn tokens(source: &str) -> String {
        let mut tokenizer = Tokenizer::new(source);
        let mut out = String::new();
        while let Some(token) = tokenizer.next() {
            match token {
                Token::Start {
                    name,
                    attributes,
                    empty,
                } => {
                    out.push_str(&format!("<{name}"));
                    for (name, value) in attributes.iter() {
                        out.push_str(&format!(" {name}={value}"));
                    }
                    out.push_str(if empty { "/>" } else { ">" });
                }
                Token::End { name } => out.push_str(&format!("</{name}>")),
                Token::Text(text) => out.push_str(&format!("\"{text}\"")),
                Token::CData(text) => out.push_str(&format!("[{text}]")),
            }
        }
        out
    }

    #[test]
    fn damaged_markup_has_one_plain_reading() {
        let cases = [
            ("<a>x</a>", "<a>\"x\"</a>"),
            ("<a b='1' c=\"2\"/>", "<a b=1 c=2/>"),
            ("<a b=1 c d = '2'>", "<a b=1 c= d=2>"),
            ("a < b", "\"a < b\""),
            ("a <b and</t>", "\"a <b and\"</t>"),
            ("1 <2 & 3", "\"1 <2 & 3\""),
            ("<a t='x > y'>z", "<a t=x > y>\"z\""),
            ("<a b=\"c>text<d e=\"f\">", "<a b=c>\"text\"<d e=f>"),
            ("<!-- <a> --><b>", "<b>"),
            ("<!-- <a> no end <b>", "\" \"<a>\" no end \"<b>"),
            ("<?xml version='1.0'?><a>", "<a>"),
            ("<![CDATA[a<b>&amp;]]>c", "[a<b>&amp;]\"c\""),
            ("<t><![CDATA[a</t><u>", "<t>[a]</t><u>"),
            (
                "<t><![CDATA[a</t><u><![CDATA[b]]></u>",
                "<t>[a]</t><u>[b]</u>",
            ),
            ("<!DOCTYPE a [<!ENTITY x \"y\">]>&x;&z;", "\"y&z;\""),
            ("<!DOCTYPE a [<!ENTITY x '&x;&x;'>]>&x;", "\"&x;\""),
            ("<!DOCTYPE a [<!ENTITY x SYSTEM 'f'>]>&x;", "\"&x;\""),
            ("</ a ><b></c", "</a><b>\"</c\""),
            ("</a<b>", "</a><b>"),
            ("<", "\"<\""),
            ("<a", "\"<a\""),
            ("", ""),
        ];
        for (source, expected) in cases {
            assert_eq!(tokens(source), expected, "{source}");
        }
    }

    #[test]
    fn a_tag_has_at_most_its_share_of_attributes_and_a_name_its_share_of_bytes() {
        let many = format!("<a {}>", "b='c' ".repeat(500));
        let Some(Token::Start { attributes, .. }) = Tokenizer::new(&many).next() else {
            panic!("no tag");
        };
        assert_eq!(attributes.iter().count(), 128);
        let long = format!("<{}>", "a".repeat(1000));
        assert!(matches!(Tokenizer::new(&long).next(), Some(Token::Text(_))));
    }

    #[test]
    fn entities_cannot_make_a_document_grow_without_bound() {
        let source = format!(
            "<!DOCTYPE a [<!ENTITY x \"{}\">]>{}",
            "y".repeat(MAX_ENTITY_BYTES),
            "&x;".repeat(100_000)
        );
        let Some(Token::Text(text)) = Tokenizer::new(&source).next() else {
            panic!("no text");
        };
        assert!(text.len() < MAX_EXPANSION_BYTES + source.len());
    }
}
