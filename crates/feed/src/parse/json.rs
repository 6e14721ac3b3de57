//! JSON Feed 1.0 and 1.1, parsed leniently.
//!
//! Nothing is required but a list of items. Identifiers may be numbers, tags a single text, authors
//! in the old or the new place, and a field of the wrong type counts as missing.

mod value;

use std::sync::Arc;

use crate::date;
use crate::entities;
use crate::links;
use crate::parse::builder::identifier;
use crate::parse::looks::{self, Looks};
use crate::parse::{
    MAX_AUTHORS, MAX_CATEGORIES, MAX_CATEGORY_BYTES, MAX_ENCLOSURES, MAX_ENTRIES, MAX_LINK_BYTES,
    MAX_NAME_BYTES, MAX_TITLE_BYTES, ParseError, text,
};
use crate::parsed::{
    Category, Enclosure, FeedKind, Link, ParsedEntry, ParsedFeed, Person, Text, TextKind,
};
use crate::sniff::Document;
use value::{Object, Value};

/// Maximum nesting depth; a feed needs four levels.
const MAX_DEPTH: usize = 64;

/// Parses a JSON Feed that was fetched from `url`.
pub(super) fn read(source: &str, url: &str) -> Result<ParsedFeed, ParseError> {
    let source = source.trim_start_matches('\u{feff}').trim();
    if depth(source) > MAX_DEPTH {
        return Err(ParseError::BadJson("it is nested too deeply".to_owned()));
    }
    let mut recovered = false;
    let value = value::read(source).or_else(|error| {
        recovered = true;
        whole_items(source, &error)
            .and_then(|cut| value::read(&cut).ok())
            .ok_or_else(|| ParseError::BadJson(error.to_string()))
    })?;
    let Value::Object(root) = value else {
        return Err(ParseError::NotAFeed(Document::Json));
    };
    let says_so = string(&root, "version").is_some_and(|v| v.contains("jsonfeed.org"));
    let items = match root.get("items") {
        Some(Value::List(items)) => Some(items),
        _ => None,
    };
    if items.is_none() && !says_so {
        return Err(ParseError::NotAFeed(Document::Json));
    }
    let reader = Reader {
        base: Arc::from(url),
    };
    let mut feed = ParsedFeed::empty(FeedKind::Json);
    feed.recovered = recovered;
    feed.title = reader.title(&root);
    feed.subtitle = reader.text(&root, "description", TextKind::Plain);
    feed.site_url = reader.address(&root, "home_page_url");
    feed.self_url = reader.address(&root, "feed_url");
    feed.image = reader.address(&root, "icon");
    feed.icon = reader.address(&root, "favicon");
    feed.language = short(&root, "language");
    feed.authors = reader.authors(&root);
    feed.hub_urls = list(&root, "hubs")
        .filter_map(|hub| reader.address(hub.as_object()?, "url"))
        .take(MAX_ENCLOSURES)
        .collect();
    let links = [("alternate", &feed.site_url), ("self", &feed.self_url)];
    feed.links = links
        .into_iter()
        .filter_map(|(rel, href)| Some(link(rel, href.clone()?)))
        .collect();
    feed.entries = items
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .take(MAX_ENTRIES)
        .map(|item| reader.entry(item))
        .collect();
    Ok(feed)
}

/// Iterates over the brackets of a JSON text that are not inside strings, with their positions.
fn brackets(source: &str) -> impl Iterator<Item = (usize, u8)> {
    let (mut in_string, mut escaped) = (false, false);
    source.bytes().enumerate().filter(move |(_, byte)| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' | b'}' | b']' => return !in_string,
            _ => {}
        }
        false
    })
}

/// Returns the maximum nesting depth of brackets.
fn depth(source: &str) -> usize {
    let (mut deepest, mut depth) = (0usize, 0usize);
    for (_, bracket) in brackets(source) {
        if matches!(bracket, b'{' | b'[') {
            depth += 1;
            deepest = deepest.max(depth);
        } else {
            depth = depth.saturating_sub(1);
        }
    }
    deepest
}

/// Returns the document up to the last complete item, with its brackets closed. If the document is
/// truncated or malformed after that, the items before are still valid.
fn whole_items(source: &str, error: &serde_json::Error) -> Option<String> {
    let line_start = match error.line() {
        0 | 1 => 0,
        line => source.match_indices('\n').nth(line - 2)?.0 + 1,
    };
    let broken_at = (line_start + error.column()).min(source.len());
    let mut depth = 0usize;
    let mut last_whole = None;
    for (at, bracket) in brackets(source).take_while(|(at, _)| *at < broken_at) {
        match bracket {
            b'{' | b'[' => depth += 1,
            _ => depth = depth.saturating_sub(1),
        }
        // An object directly in a list directly in the root is an item.
        if bracket == b'}' && depth == 2 {
            last_whole = Some(at + 1);
        }
    }
    last_whole.map(|end| format!("{}]}}", &source[..end]))
}

struct Reader {
    base: Arc<str>,
}

impl Reader {
    fn entry(&self, item: &Object) -> ParsedEntry {
        let url = self.address(item, "url");
        let external = self.address(item, "external_url");
        let mut content = Vec::new();
        content.extend(
            self.text(item, "content_html", TextKind::Html)
                .map(unescaped),
        );
        if content.is_empty() {
            content.extend(self.text(item, "content_text", TextKind::Plain).map(judged));
        }
        let image = self.address(item, "image");
        let banner = self.address(item, "banner_image");
        let mut links = Vec::new();
        links.extend(url.clone().map(|href| link("alternate", href)));
        links.extend(external.clone().map(|href| link("related", href)));
        ParsedEntry {
            id: scalar(item, "id").map(|id| identifier(&id)),
            id_is_permalink: false,
            link: url.or(external),
            links,
            title: self.title(item),
            summary: self.text(item, "summary", TextKind::Plain).map(judged),
            content,
            authors: self.authors(item),
            categories: categories(item),
            published_at: string(item, "date_published").and_then(date::parse),
            published_raw: short(item, "date_published"),
            updated_at: string(item, "date_modified").and_then(date::parse),
            updated_raw: short(item, "date_modified"),
            enclosures: self.enclosures(item),
            thumbnails: image.iter().chain(&banner).cloned().collect(),
            image,
            language: short(item, "language"),
            base: Some(Arc::clone(&self.base)),
            ..ParsedEntry::default()
        }
    }

    fn title(&self, object: &Object) -> Option<Text> {
        let title = self.text(object, "title", TextKind::Plain)?;
        let mut title = judged(title);
        text::cut(&mut title.value, MAX_TITLE_BYTES);
        Some(title)
    }

    fn text(&self, object: &Object, key: &str, kind: TextKind) -> Option<Text> {
        let value = string(object, key)?.trim();
        let value: String = value
            .chars()
            .filter(|c| *c >= ' ' || matches!(c, '\n' | '\t'))
            .collect();
        (!value.is_empty()).then(|| Text {
            value,
            kind,
            base: Arc::clone(&self.base),
            language: None,
        })
    }

    fn address(&self, object: &Object, key: &str) -> Option<String> {
        let value = string(object, key)?.trim();
        let url = links::resolve(&self.base, value);
        (!value.is_empty() && url.len() <= MAX_LINK_BYTES).then(|| url.into_owned())
    }

    /// Reads `authors` of version 1.1, else `author` of version 1; either may be an object or a
    /// name.
    fn authors(&self, object: &Object) -> Vec<Person> {
        let old = || object.get("author").into_iter();
        let mut authors: Vec<_> = list(object, "authors")
            .filter_map(|a| self.person(a))
            .collect();
        if authors.is_empty() {
            authors = old().filter_map(|a| self.person(a)).collect();
        }
        authors.truncate(MAX_AUTHORS);
        authors
    }

    fn person(&self, value: &Value) -> Option<Person> {
        let person = match value {
            Value::Text(name) => Person {
                name: Some(cut(name.trim(), MAX_NAME_BYTES)),
                ..Person::default()
            },
            Value::Object(object) => Person {
                name: short(object, "name"),
                email: None,
                url: self.address(object, "url"),
            },
            _ => return None,
        };
        (person != Person::default()).then_some(person)
    }

    fn enclosures(&self, item: &Object) -> Vec<Enclosure> {
        list(item, "attachments")
            .filter_map(Value::as_object)
            .filter_map(|attachment| {
                Some(Enclosure {
                    url: self.address(attachment, "url")?,
                    mime: short(attachment, "mime_type"),
                    length: scalar(attachment, "size_in_bytes").and_then(|n| n.parse().ok()),
                    caption: self.text(attachment, "title", TextKind::Plain),
                })
            })
            .take(MAX_ENCLOSURES)
            .collect()
    }
}

/// Classifies a text that is plain by the standard but HTML in some feeds.
fn judged(text: Text) -> Text {
    match looks::of_declared(&text.value) {
        Looks::Text => text,
        Looks::Markup => Text {
            kind: TextKind::Html,
            ..text
        },
        Looks::References => Text {
            value: entities::expand(&text.value, |_, _| false).into_owned(),
            ..text
        },
    }
}

/// Unescapes HTML that was escaped as a whole.
fn unescaped(text: Text) -> Text {
    match looks::unescaped(&text.value) {
        Some(value) => Text { value, ..text },
        None => text,
    }
}

fn link(rel: &str, href: String) -> Link {
    Link {
        rel: rel.to_owned(),
        ..Link::alternate(href)
    }
}

fn string<'v>(object: &'v Object, key: &str) -> Option<&'v str> {
    object.get(key).and_then(Value::as_text)
}

/// Returns a text, or a number that should have been quoted.
fn scalar(object: &Object, key: &str) -> Option<String> {
    match object.get(key)? {
        Value::Text(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.clone()),
        _ => None,
    }
}

fn short(object: &Object, key: &str) -> Option<String> {
    let value = string(object, key)?.trim();
    (!value.is_empty()).then(|| cut(value, MAX_NAME_BYTES))
}

fn cut(value: &str, max: usize) -> String {
    let mut value = value.to_owned();
    text::cut(&mut value, max);
    value
}

/// Iterates over the elements of a list; any other value counts as a list of one.
fn list<'v>(object: &'v Object, key: &str) -> impl Iterator<Item = &'v Value> {
    match object.get(key) {
        Some(Value::List(values)) => values.iter(),
        Some(value) => std::slice::from_ref(value).iter(),
        None => [].iter(),
    }
}

fn categories(item: &Object) -> Vec<Category> {
    let mut categories: Vec<Category> = Vec::new();
    let terms = list(item, "tags")
        .filter_map(Value::as_text)
        .flat_map(|tags| tags.split(','))
        .map(str::trim)
        .filter(|term| !term.is_empty());
    for term in terms {
        let term = cut(term, MAX_CATEGORY_BYTES);
        if categories.len() < MAX_CATEGORIES && !categories.iter().any(|c| c.term == term) {
            categories.push(Category {
                term,
                scheme: None,
                label: None,
            });
        }
    }
    categories
}
