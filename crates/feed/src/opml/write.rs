//! Writing OPML 2.0 from a [`List`].

use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use lede_model::time::Timestamp;

use super::read::line;
use super::{
    FULL_TEXT, Feed, INTERVAL, List, NAMESPACE, NOTIFY, Outline, PAUSED, PUBLISHERS, TITLE,
    is_unwritable,
};

/// Writes `list`, with `now` as creation date, so that [`read`](super::read) restores it. Names are
/// written as they are read, on one line: reading and writing again gives the same bytes.
pub fn write(list: &List, now: Timestamp) -> String {
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <opml version=\"2.0\" xmlns:lede=\"{NAMESPACE}\">\n  <head>\n"
    );
    if let Some(title) = &list.title {
        out.push_str("    <title>");
        push_escaped(&mut out, title);
        out.push_str("</title>\n");
    }
    // Years that the format cannot express do not occur, and would cost only this line.
    if let Ok(date) = rfc2822::to_string(&now.to_jiff().to_zoned(TimeZone::UTC)) {
        out.push_str(&format!("    <dateCreated>{date}</dateCreated>\n"));
    }
    out.push_str("  </head>\n  <body>\n");
    push_outlines(&mut out, &list.outlines, 2);
    out.push_str("  </body>\n</opml>\n");
    out
}

fn push_outlines(out: &mut String, outlines: &[Outline], depth: usize) {
    for outline in outlines {
        out.push_str(&"  ".repeat(depth));
        out.push_str("<outline");
        match outline {
            Outline::Feed(feed) => {
                push_feed(out, feed);
                out.push_str("/>\n");
            }
            Outline::Folder(folder) => {
                let name = line(&folder.name).unwrap_or_default();
                push_attribute(out, "text", &name);
                push_attribute(out, "title", &name);
                out.push_str(">\n");
                push_outlines(out, &folder.outlines, depth + 1);
                out.push_str(&"  ".repeat(depth));
                out.push_str("</outline>\n");
            }
        }
    }
}

fn push_feed(out: &mut String, feed: &Feed) {
    // Every outline must have a text; the address stands in for a missing name, and is ignored when
    // read.
    let title = feed.title.as_deref().and_then(line);
    let name = title.as_deref().unwrap_or(&feed.url);
    push_attribute(out, "type", "rss");
    push_attribute(out, "text", name);
    push_attribute(out, "title", name);
    push_attribute(out, "xmlUrl", &feed.url);
    if let Some(site) = &feed.site_url {
        push_attribute(out, "htmlUrl", site);
    }
    let settings = &feed.settings;
    if settings.is_publishers_title {
        push_attribute(out, TITLE, PUBLISHERS);
    }
    if let Some(minutes) = settings.interval_minutes {
        push_attribute(out, INTERVAL, &minutes.to_string());
    }
    for (name, value) in [
        (FULL_TEXT, settings.full_text),
        (NOTIFY, settings.notify),
        (PAUSED, settings.paused),
    ] {
        if let Some(value) = value {
            push_attribute(out, name, if value { "true" } else { "false" });
        }
    }
}

fn push_attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    push_escaped(out, value);
    out.push('"');
}

fn push_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            _ if is_unwritable(c) => {}
            _ => out.push(c),
        }
    }
}
