//! A parsed feed in the data model of Python's feedparser, so that its expected values can be looked up.
//!
//! This module only translates: names, alternative names, and the fallbacks of feedparser's
//! dictionaries (`updated` for a missing `published`, the content for a missing summary).

use lede_feed::parsed::{
    Category, Enclosure, FeedKind, Link, ParsedEntry, ParsedFeed, Person, Source, Text, TextKind,
};
use lede_model::time::Timestamp;
use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

pub(crate) fn feed(feed: &ParsedFeed) -> Value {
    let mut channel = Object::new();
    text(&mut channel, &["title"], feed.title.as_ref());
    text(
        &mut channel,
        &["subtitle", "tagline", "description"],
        feed.subtitle.as_ref(),
    );
    text(&mut channel, &["rights", "copyright"], feed.rights.as_ref());
    links(&mut channel, feed.site_url.as_deref(), &feed.links);
    optional(&mut channel, &["id", "guid"], feed.id.as_deref());
    optional(&mut channel, &["language"], feed.language.as_deref());
    optional(&mut channel, &["icon"], feed.icon.as_deref());
    optional(&mut channel, &["newlocation"], feed.new_url.as_deref());
    people(&mut channel, "author", &feed.authors);
    people(&mut channel, "contributor", &feed.contributors);
    people(&mut channel, "publisher", feed.publisher.as_slice());
    tags(&mut channel, &feed.categories);
    date(
        &mut channel,
        &["updated_parsed", "modified_parsed"],
        feed.updated_at.or(feed.published_at),
    );
    date(&mut channel, &["published_parsed"], feed.published_at);
    if let Some(url) = &feed.image {
        channel.insert("image".into(), json!({"href": url, "url": url}));
        channel.insert("logo".into(), json!(url));
    }
    if let Some(minutes) = feed.hints.ttl_minutes {
        channel.insert("ttl".into(), json!(minutes.to_string()));
    }
    json!({
        "encoding": feed.encoding,
        "version": version(feed.kind),
        "feed": channel,
        "entries": feed.entries.iter().map(entry).collect::<Vec<_>>(),
    })
}

fn version(kind: FeedKind) -> &'static str {
    match kind {
        FeedKind::Rss => "rss",
        FeedKind::Rss090 => "rss090",
        FeedKind::Rss091Netscape => "rss091n",
        FeedKind::Rss091 => "rss091u",
        FeedKind::Rss092 => "rss092",
        FeedKind::Rss093 => "rss093",
        FeedKind::Rss094 => "rss094",
        FeedKind::Rss20 => "rss20",
        FeedKind::Rss10 => "rss10",
        FeedKind::Atom => "atom",
        FeedKind::Atom01 => "atom01",
        FeedKind::Atom02 => "atom02",
        FeedKind::Atom03 => "atom03",
        FeedKind::Atom10 => "atom10",
        FeedKind::Cdf => "cdf",
        FeedKind::Json => "json",
    }
}

fn entry(entry: &ParsedEntry) -> Value {
    let mut object = Object::new();
    text(&mut object, &["title"], entry.title.as_ref());
    let summary = entry.summary.as_ref().or(entry.content.first());
    text(&mut object, &["summary", "description"], summary);
    text(&mut object, &["rights", "copyright"], entry.rights.as_ref());
    object.insert(
        "content".into(),
        entry.content.iter().map(detail).collect::<Vec<_>>().into(),
    );
    links(&mut object, entry.link.as_deref(), &entry.links);
    optional(&mut object, &["id", "guid"], entry.id.as_deref());
    optional(&mut object, &["language"], entry.language.as_deref());
    optional(&mut object, &["comments"], entry.comments_url.as_deref());
    optional(
        &mut object,
        &["wfw_commentrss"],
        entry.comments_feed_url.as_deref(),
    );
    people(&mut object, "author", &entry.authors);
    people(&mut object, "contributor", &entry.contributors);
    tags(&mut object, &entry.categories);
    date(
        &mut object,
        &["updated_parsed", "modified_parsed"],
        entry.updated_at.or(entry.published_at),
    );
    let published = entry.published_at;
    date(
        &mut object,
        &["published_parsed", "issued_parsed"],
        published,
    );
    date(&mut object, &["created_parsed"], entry.created_at);
    let updated_raw = entry
        .updated_raw
        .as_deref()
        .or(entry.published_raw.as_deref());
    optional(&mut object, &["updated", "modified"], updated_raw);
    optional(
        &mut object,
        &["published", "issued"],
        entry.published_raw.as_deref(),
    );
    object.insert(
        "enclosures".into(),
        entry
            .enclosures
            .iter()
            .map(enclosure)
            .collect::<Vec<_>>()
            .into(),
    );
    object.insert(
        "media_thumbnail".into(),
        entry
            .thumbnails
            .iter()
            .map(|url| json!({"url": url}))
            .collect::<Vec<_>>()
            .into(),
    );
    if let Some(url) = &entry.image {
        object.insert("image".into(), json!({"href": url}));
    }
    if let Some(from) = &entry.source {
        object.insert("source".into(), source(from));
    }
    object.into()
}

fn source(source: &Source) -> Value {
    let mut object = Object::new();
    text(&mut object, &["title"], source.title.as_ref());
    text(
        &mut object,
        &["subtitle", "tagline", "description"],
        source.subtitle.as_ref(),
    );
    text(
        &mut object,
        &["rights", "copyright"],
        source.rights.as_ref(),
    );
    links(&mut object, source.link.as_deref(), &source.links);
    optional(&mut object, &["id"], source.id.as_deref());
    people(&mut object, "author", &source.authors);
    tags(&mut object, &source.categories);
    date(&mut object, &["updated_parsed"], source.updated_at);
    object.into()
}

fn optional(object: &mut Object, names: &[&str], value: Option<&str>) {
    if let Some(value) = value {
        for name in names {
            object.insert((*name).into(), value.into());
        }
    }
}

fn detail(text: &Text) -> Value {
    json!({
        "value": text.resolved(),
        "type": match text.kind {
            TextKind::Plain => "text/plain",
            TextKind::Html => "text/html",
            TextKind::Xhtml => "application/xhtml+xml",
        },
        "base": text.base.as_ref(),
        "language": text.language.as_deref(),
    })
}

fn text(object: &mut Object, names: &[&str], text: Option<&Text>) {
    if let Some(text) = text {
        for name in names {
            object.insert((*name).into(), text.resolved().into());
            object.insert(format!("{name}_detail"), detail(text));
        }
    }
}

fn links(object: &mut Object, page: Option<&str>, links: &[Link]) {
    optional(object, &["link"], page);
    let links = links.iter().map(|link| {
        let mut view = Object::new();
        optional(&mut view, &["href"], Some(&link.href));
        optional(&mut view, &["rel"], Some(&link.rel));
        let assumed = if link.rel == "self" {
            "application/atom+xml"
        } else {
            "text/html"
        };
        optional(&mut view, &["type"], link.mime.as_deref().or(Some(assumed)));
        optional(&mut view, &["title"], link.title.as_deref());
        optional(&mut view, &["hreflang"], link.hreflang.as_deref());
        optional(&mut view, &["length"], link.length.as_deref());
        Value::from(view)
    });
    object.insert("links".into(), links.collect::<Vec<_>>().into());
}

fn people(object: &mut Object, role: &str, people: &[Person]) {
    let view = |person: &Person| {
        let mut view = Object::new();
        optional(&mut view, &["name"], person.name.as_deref());
        optional(&mut view, &["email"], person.email.as_deref());
        optional(&mut view, &["url", "href"], person.url.as_deref());
        Value::from(view)
    };
    let Some(last) = people.last() else {
        return;
    };
    let shown = match (&last.name, &last.email) {
        (Some(name), Some(email)) => format!("{name} ({email})"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => String::new(),
    };
    object.insert(role.into(), shown.into());
    object.insert(format!("{role}_detail"), view(last));
    object.insert(
        format!("{role}s"),
        people.iter().map(view).collect::<Vec<_>>().into(),
    );
}

fn tags(object: &mut Object, categories: &[Category]) {
    optional(
        object,
        &["category"],
        categories.first().map(|c| c.term.as_str()),
    );
    let tags = categories
        .iter()
        .map(|c| json!({"term": c.term, "scheme": c.scheme, "label": c.label}));
    object.insert("tags".into(), tags.collect::<Vec<_>>().into());
}

fn enclosure(enclosure: &Enclosure) -> Value {
    json!({
        "href": enclosure.url,
        "type": enclosure.mime,
        "length": enclosure.length.map(|length| length.to_string()),
    })
}

/// Inserts year to second in UTC, the relevant part of Python's `struct_time`.
fn date(object: &mut Object, names: &[&str], at: Option<Timestamp>) {
    let Some(at) = at else {
        return;
    };
    // RFC 3339 contains the six numbers in this order.
    let shown = at.to_string();
    let numbers: Vec<i64> = shown
        .split(|c: char| !c.is_ascii_digit())
        .take(6)
        .filter_map(|digits| digits.parse().ok())
        .collect();
    for name in names {
        object.insert((*name).into(), json!(numbers));
    }
}
