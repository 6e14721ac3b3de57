//! Reading OPML: from bytes to a [`List`].
//!
//! Outlines are stored flat while reading, each with the index of its folder, and are assembled
//! once at the end. So nothing depends on the depth of the document, and a feed can still be moved
//! to the folder that its category names.

use std::borrow::Cow;
use std::collections::HashMap;

use lede_model::address::MAX_URL_BYTES;
use lede_model::import::OpmlError;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::{
    FULL_TEXT, Feed, Folder, INTERVAL, List, MAX_BYTES, MAX_DEPTH, MAX_OUTLINES, NOTIFY, Outline,
    PAUSED, PUBLISHERS, ParsedList, Settings, TITLE,
};
use crate::decode::{self, Decoded};
use crate::sniff::{self, Document};
use crate::xml::{Attributes, Token, Tokenizer};

/// Maximum length of the name of a feed or folder.
const MAX_NAME_BYTES: usize = 1024;
/// Maximum length of an address. An address that is too long must still be too long after
/// truncation, or half of it would be fetched.
const MAX_ADDRESS_BYTES: usize = 2 * MAX_URL_BYTES;
/// Maximum number of folders around a feed, which is itself the last level.
const MAX_FOLDERS: usize = MAX_DEPTH - 1;

/// Reads a list, even if it is malformed. `content_type` is the header of the response, if there
/// was one; only its charset is used.
pub fn read(bytes: &[u8], content_type: Option<&str>) -> Result<ParsedList, OpmlError> {
    if bytes.len() > MAX_BYTES {
        return Err(OpmlError::TooLarge {
            megabytes: MAX_BYTES / (1024 * 1024),
        });
    }
    let decoded = decode::decode(bytes, content_type.and_then(decode::charset_of));
    if decoded.text.trim().is_empty() {
        return Err(OpmlError::Empty);
    }
    let mut tree = Tree::default();
    let mut tokens = Tokenizer::new(&decoded.text);
    // Stack of open outlines; the last one is the folder that contains what follows.
    let mut open: Vec<OutlinePosition> = Vec::new();
    let mut title: Option<String> = None;
    let mut in_title = false;
    let mut is_list = false;
    let mut is_open = false;
    let mut outlines = 0;
    let mut is_truncated = false;
    while let Some(token) = tokens.next() {
        match token {
            Token::Start {
                name,
                attributes,
                empty,
            } => {
                let local = local_name(name);
                in_title = local.eq_ignore_ascii_case("title") && outlines == 0 && !empty;
                if local.eq_ignore_ascii_case("opml") {
                    (is_list, is_open) = (true, !empty);
                }
                if !local.eq_ignore_ascii_case("outline") {
                    continue;
                }
                is_list = true;
                if outlines == MAX_OUTLINES {
                    is_truncated = true;
                    break;
                }
                outlines += 1;
                let around = open.last().copied().unwrap_or_default();
                let inside = tree.add(Written::of(attributes), around, empty);
                if !empty {
                    open.push(inside);
                }
            }
            Token::End { name } => {
                in_title = false;
                let local = local_name(name);
                if local.eq_ignore_ascii_case("outline") {
                    open.pop();
                }
                is_open &= !local.eq_ignore_ascii_case("opml");
            }
            Token::Text(text) if in_title => title = title.or_else(|| line(&text)),
            Token::CData(text) if in_title => title = title.or_else(|| line(text)),
            Token::Text(_) | Token::CData(_) => {}
        }
    }
    if !is_list {
        return Err(what_else(bytes, &decoded));
    }
    if tokens.has_nested_entities {
        return Err(OpmlError::Entities);
    }
    Ok(ParsedList {
        list: List {
            title,
            outlines: tree.outlines(),
        },
        is_truncated,
        is_cut: is_open && !is_truncated,
    })
}

fn local_name(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// Returns the error for a file that is not a list. Control characters that no encoding explains
/// are the sign of a binary file.
fn what_else(bytes: &[u8], decoded: &Decoded<'_>) -> OpmlError {
    let is_odd = |b: &u8| *b < b' ' && !matches!(*b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    match sniff::sniff(&decoded.text) {
        Document::Other | Document::OtherXml if decoded.damaged && bytes.iter().any(is_odd) => {
            OpmlError::Binary
        }
        Document::XmlFeed => OpmlError::Feed,
        Document::Json => OpmlError::Json,
        Document::Html => OpmlError::Page,
        Document::OtherXml => OpmlError::OtherXml,
        Document::Opml | Document::Other => OpmlError::Other,
    }
}

/// Attributes of an `outline` tag; names are case-insensitive.
#[derive(Default)]
struct Written<'a> {
    text: Option<Cow<'a, str>>,
    title: Option<Cow<'a, str>>,
    xml_url: Option<Cow<'a, str>>,
    html_url: Option<Cow<'a, str>>,
    url: Option<Cow<'a, str>>,
    kind: Option<Cow<'a, str>>,
    category: Option<Cow<'a, str>>,
    settings: Settings,
}

impl<'a> Written<'a> {
    fn of(attributes: Attributes<'a>) -> Self {
        let mut written = Self::default();
        for (name, value) in attributes.iter() {
            let place = match name.to_ascii_lowercase().as_str() {
                "text" => &mut written.text,
                "title" => &mut written.title,
                "xmlurl" => &mut written.xml_url,
                "htmlurl" => &mut written.html_url,
                "url" => &mut written.url,
                "type" => &mut written.kind,
                "category" => &mut written.category,
                _ => {
                    read_setting(&mut written.settings, name, &value);
                    continue;
                }
            };
            // The first of several wins, unless it is empty.
            if place.as_ref().is_none_or(|known| known.trim().is_empty()) {
                *place = Some(value);
            }
        }
        written
    }

    fn name(&self) -> Option<String> {
        let text = self.text.as_deref().and_then(line);
        text.or_else(|| self.title.as_deref().and_then(line))
    }

    /// Returns the feed if this outline is one. An empty outline that declares itself a feed is one
    /// without an address, so that the user is informed of it. A link may be a feed; that is only
    /// known once it is fetched.
    fn feed(&self, empty: bool) -> Option<Feed> {
        const FEED_KINDS: [&str; 6] = ["rss", "atom", "rdf", "pie", "feed", "link"];
        let says_feed = self.kind.as_deref().is_some_and(|kind| {
            let kind = kind.trim();
            FEED_KINDS
                .iter()
                .any(|known| known.eq_ignore_ascii_case(kind))
        });
        let says_feed = says_feed || self.xml_url.is_some();
        let xml_url = self.xml_url.as_deref().map(address).unwrap_or_default();
        let url = match &self.url {
            Some(url) if xml_url.is_empty() && says_feed => address(url),
            _ => xml_url,
        };
        if url.is_empty() && !(says_feed && empty) {
            return None;
        }
        // Exporters use the address as text if there is no name.
        let title = self.name().filter(|name| line(&url).as_ref() != Some(name));
        let site_url = self.html_url.as_deref().map(address);
        Some(Feed {
            title,
            url,
            site_url: site_url.filter(|site| !site.is_empty()),
            settings: self.settings,
        })
    }

    /// Returns the folders of the first category: `/a/b,c` means `b` in `a`, and a tag `c`.
    fn category(&self) -> Vec<String> {
        let first = self
            .category
            .as_deref()
            .and_then(|all| all.split(',').find(|one| !one.trim().is_empty()));
        let names = first.unwrap_or_default().split('/').filter_map(line);
        names.take(MAX_FOLDERS).collect()
    }
}

/// Reads an attribute of Lede's own namespace; invalid values are ignored.
fn read_setting(settings: &mut Settings, name: &str, value: &str) {
    let flag = || value.parse().ok();
    match name {
        INTERVAL => settings.interval_minutes = value.parse().ok(),
        FULL_TEXT => settings.full_text = flag(),
        NOTIFY => settings.notify = flag(),
        PAUSED => settings.paused = flag(),
        TITLE => settings.is_publishers_title = value == PUBLISHERS,
        _ => {}
    }
}

/// Position of an outline: its folder and its depth.
#[derive(Clone, Copy, Default)]
struct OutlinePosition {
    folder: Option<usize>,
    depth: usize,
}

struct Node {
    folder: Option<usize>,
    outline: Outline,
}

/// Outlines read so far.
#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
    /// Feeds outside any folder that name a category.
    to_place: Vec<(usize, Vec<String>)>,
}

impl Tree {
    /// Adds an outline and returns the position of its children. For a feed, a folder without a
    /// name and a folder that is too deep, that is the position of the outline itself.
    fn add(
        &mut self,
        written: Written<'_>,
        around: OutlinePosition,
        empty: bool,
    ) -> OutlinePosition {
        let outline = if let Some(feed) = written.feed(empty) {
            if around.folder.is_none() {
                let category = written.category();
                if !category.is_empty() {
                    self.to_place.push((self.nodes.len(), category));
                }
            }
            Outline::Feed(feed)
        } else {
            match written.name() {
                Some(name) if around.depth < MAX_FOLDERS => Outline::Folder(Folder {
                    name,
                    outlines: Vec::new(),
                }),
                _ => return around,
            }
        };
        let is_folder = matches!(outline, Outline::Folder(_));
        self.nodes.push(Node {
            folder: around.folder,
            outline,
        });
        if is_folder {
            OutlinePosition {
                folder: Some(self.nodes.len() - 1),
                depth: around.depth + 1,
            }
        } else {
            around
        }
    }

    /// Assembles the nested outlines from the flat list.
    fn outlines(mut self) -> Vec<Outline> {
        self.place_by_category();
        let mut inside: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut outside = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            match node.folder {
                Some(folder) => inside[folder].push(index),
                None => outside.push(index),
            }
        }
        let nodes = self.nodes.into_iter();
        let mut outlines: Vec<_> = nodes.map(|node| Some(node.outline)).collect();
        assembled(&outside, &mut outlines, &inside)
    }

    /// Moves feeds outside any folder that name a category to the folder of that name, which is
    /// created if it does not exist.
    fn place_by_category(&mut self) {
        let to_place = std::mem::take(&mut self.to_place);
        if to_place.is_empty() {
            return;
        }
        let mut known: HashMap<(Option<usize>, String), usize> = HashMap::new();
        for (index, node) in self.nodes.iter().enumerate() {
            if let Outline::Folder(folder) = &node.outline {
                known
                    .entry((node.folder, folder.name.clone()))
                    .or_insert(index);
            }
        }
        for (feed, category) in to_place {
            let mut around = None;
            for name in category {
                let key = (around, name);
                around = match known.get(&key) {
                    Some(folder) => Some(*folder),
                    // The result must not exceed the number of outlines that can be read back.
                    None if self.nodes.len() >= MAX_OUTLINES => break,
                    None => {
                        let folder = Folder {
                            name: key.1.clone(),
                            outlines: Vec::new(),
                        };
                        self.nodes.push(Node {
                            folder: around,
                            outline: Outline::Folder(folder),
                        });
                        known.insert(key, self.nodes.len() - 1);
                        Some(self.nodes.len() - 1)
                    }
                };
            }
            self.nodes[feed].folder = around;
        }
    }
}

/// Assembles the outlines with these indexes, each with its children in `inside`; at most
/// [`MAX_DEPTH`] levels.
fn assembled(
    numbers: &[usize],
    outlines: &mut [Option<Outline>],
    inside: &[Vec<usize>],
) -> Vec<Outline> {
    let mut found = Vec::with_capacity(numbers.len());
    for &number in numbers {
        let Some(mut outline) = outlines[number].take() else {
            continue;
        };
        if let Outline::Folder(folder) = &mut outline {
            folder.outlines = assembled(&inside[number], outlines, inside);
        }
        found.push(outline);
    }
    found
}

/// Normalises `text` as a name: one line in NFC, without unprintable characters. Returns `None` if
/// nothing is left.
pub(super) fn line(text: &str) -> Option<String> {
    let shown: String = text
        .chars()
        .filter(|c| c.is_whitespace() || !super::is_unwritable(*c))
        .collect();
    let composed = match is_nfc_quick(shown.chars()) {
        IsNormalized::Yes => shown,
        _ => shown.nfc().collect(),
    };
    let mut line = String::with_capacity(composed.len().min(MAX_NAME_BYTES));
    for word in composed.split_whitespace() {
        if line.len() > MAX_NAME_BYTES {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line.truncate(line.floor_char_boundary(MAX_NAME_BYTES));
    line.truncate(line.trim_end().len());
    (!line.is_empty()).then_some(line)
}

/// Normalises `text` as an address: without control characters, surrounding white space and the
/// prefix `feed:`, which does not affect the location (`feed://host/x`, `feed:https://host/x`).
fn address(text: &str) -> String {
    let text: String = text.chars().filter(|c| !super::is_unwritable(*c)).collect();
    let mut rest = text.trim();
    let mut had_scheme = false;
    while let Some((scheme, after)) = rest.split_once(':')
        && scheme.eq_ignore_ascii_case("feed")
    {
        rest = after.trim_start();
        had_scheme = true;
    }
    let mut address = if had_scheme && rest.starts_with("//") {
        format!("http:{rest}")
    } else {
        rest.to_owned()
    };
    address.truncate(address.floor_char_boundary(MAX_ADDRESS_BYTES));
    address.truncate(address.trim_end().len());
    address
}
