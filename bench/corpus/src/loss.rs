//! Losses through cleaning: words, images, links and embeds of each entry before and after.
//!
//! "Before" is the content of an entry as parsed by an HTML parser other than the cleaner's, with
//! `noscript` parsed as markup because no script runs. Content that a feed reader must not show is
//! not counted: scripts, styles, forms, SVG and MathML, fallback text of frames, and images and
//! frames of at most one pixel. "After" is the cleaned text, parsed by the same parser; an embed is
//! preserved if there is a card for it.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use dom_query::{Document, NodeRef};
use lede_feed::{ParsedEntry, TextKind, clean};
use lede_model::address::WebUrl;

use crate::{files_below, percent};

/// An entry that keeps a smaller share of anything is listed.
const MIN_KEPT_PERCENT: usize = 90;

/// Elements whose content is not part of the text.
const REMOVED: [&str; 14] = [
    "script", "style", "template", "title", "textarea", "form", "select", "svg", "math", "head",
    "iframe", "noframes", "noembed", "xmp",
];
/// Inline elements, which do not separate words.
const INLINE: [&str; 26] = [
    "a", "abbr", "b", "big", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "label",
    "mark", "nobr", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u",
];
/// Attributes besides `src` in which lazy-loading scripts store the address of an image.
const LATE: [&str; 4] = [
    "data-src",
    "data-lazy-src",
    "data-original",
    "data-orig-file",
];

/// Words, images, links and embeds of one text.
#[derive(Debug, Default)]
struct Content {
    text: String,
    /// The alternative addresses of each image.
    pictures: Vec<Vec<String>>,
    links: Vec<String>,
    embeds: usize,
}

/// Number of elements before cleaning, and of those that are left.
#[derive(Debug, Clone, Copy, Default)]
struct Kept {
    kept: usize,
    of: usize,
}

impl Kept {
    fn add(&mut self, other: Self) {
        self.kept += other.kept;
        self.of += other.of;
    }

    fn is_little(self) -> bool {
        self.kept * 100 < self.of * MIN_KEPT_PERCENT
    }
}

const KINDS: [&str; 4] = ["words", "pictures", "links", "embeds"];

/// Compares every entry of the feeds below `folder`.
pub(crate) fn score(folder: &Path) -> Result<(), Box<dyn Error>> {
    let url = WebUrl::parse("http://localhost/feed")?;
    let mut totals = [Kept::default(); KINDS.len()];
    let mut entries = 0;
    let mut listed = Vec::new();
    for file in files_below(folder)? {
        let Ok(feed) = lede_feed::parse(&std::fs::read(&file)?, None, &url) else {
            continue;
        };
        for (place, entry) in feed.entries.iter().enumerate() {
            let Some(kept) = kept(entry, &url) else {
                continue;
            };
            entries += 1;
            let lost: Vec<String> = KINDS
                .iter()
                .zip(kept)
                .filter(|(_, kept)| kept.is_little())
                .map(|(kind, kept)| format!("{kind} {}/{}", kept.kept, kept.of))
                .collect();
            if !lost.is_empty() {
                let name = file.strip_prefix(folder).unwrap_or(&file).display();
                listed.push(format!("{name} entry {place}: {}", lost.join(", ")));
            }
            for (total, kept) in totals.iter_mut().zip(kept) {
                total.add(kept);
            }
        }
    }
    println!(
        "kept by cleaning ({entries} entries with HTML in {})",
        folder.display()
    );
    for (kind, total) in KINDS.iter().zip(totals) {
        println!(
            "  {kind:<25} {:>7}/{:<7} {:>8}",
            total.kept,
            total.of,
            percent(total.kept, total.of)
        );
    }
    println!(
        "  entries that lost more than {} % of something: {}",
        100 - MIN_KEPT_PERCENT,
        listed.len()
    );
    listed.iter().for_each(|entry| println!("    {entry}"));
    Ok(())
}

fn kept(entry: &ParsedEntry, feed_url: &WebUrl) -> Option<[Kept; KINDS.len()]> {
    let mut texts = entry.content.iter().chain(&entry.summary);
    let text = texts.find(|text| !text.value.trim().is_empty())?;
    if text.kind == TextKind::Plain {
        return None;
    }
    let base = WebUrl::parse(&text.base)
        .ok()
        .filter(|base| base != feed_url);
    let page = entry
        .link
        .as_deref()
        .and_then(|link| WebUrl::parse(link).ok());
    let base = base.or(page).unwrap_or_else(|| feed_url.clone());
    let mut before = Content::default();
    gather(
        &Document::fragment(text.value.as_str()).root(),
        &base,
        &mut before,
    );
    let cleaned = clean::html(&text.value, Some(&base));
    let mut after = Content::default();
    gather(
        &Document::fragment(cleaned.as_str()).root(),
        &base,
        &mut after,
    );
    Some(before.kept_in(&after))
}

impl Content {
    /// Returns each word with its number of occurrences.
    fn words(&self) -> BTreeMap<String, usize> {
        let text = self.text.to_lowercase();
        let mut words = BTreeMap::new();
        for word in text.split(|c: char| !c.is_alphanumeric()) {
            if !word.is_empty() {
                *words.entry(word.to_owned()).or_default() += 1;
            }
        }
        words
    }

    fn kept_in(&self, after: &Self) -> [Kept; KINDS.len()] {
        let shown = after.words();
        let before = self.words();
        let words = before.iter().map(|(word, count)| Kept {
            kept: *shown.get(word).unwrap_or(&0).min(count),
            of: *count,
        });
        let mut all = Kept::default();
        words.for_each(|word| all.add(word));
        let is_shown = |picture: &&Vec<String>| {
            after
                .pictures
                .iter()
                .any(|shown| shown.iter().any(|src| picture.contains(src)))
        };
        let pictures = self.pictures.iter().filter(is_shown).count();
        let links = self.links.iter().filter(|link| after.links.contains(link));
        [
            all,
            Kept {
                kept: pictures,
                of: self.pictures.len(),
            },
            Kept {
                kept: links.count(),
                of: self.links.len(),
            },
            Kept {
                kept: after.embeds.min(self.embeds),
                of: self.embeds,
            },
        ]
    }
}

fn gather(node: &NodeRef<'_>, base: &WebUrl, content: &mut Content) {
    if node.is_text() {
        content.text.push_str(&node.text());
        return;
    }
    let name = node.node_name().unwrap_or_default().to_string();
    let attribute = |name: &str| node.attr(name).map(|value| value.to_string());
    let is_dot = || {
        let side = |name| attribute(name).and_then(|size| size.trim().parse::<f32>().ok());
        matches!((side("width"), side("height")), (Some(w), Some(h)) if w <= 1.0 && h <= 1.0)
    };
    match name.as_str() {
        // A parser with scripting enabled parses its content as text.
        "noscript" if node.element_children().is_empty() => {
            let inner = Document::fragment(node.text());
            return gather(&inner.root(), base, content);
        }
        "iframe" | "object" | "embed" if !is_dot() => {
            let values = ["src", "data-src", "data"]
                .into_iter()
                .filter_map(attribute);
            let has_address = values
                .into_iter()
                .any(|value| address(&value, base).is_some());
            // The content of an object is its fallback for other browsers.
            content.embeds += usize::from(has_address);
            if has_address {
                return;
            }
        }
        "figure" if attribute("class").as_deref() == Some("lede-embed") => {
            content.embeds += 1;
        }
        "img" | "amp-img" if !is_dot() => {
            let listed = ["src"].into_iter().chain(LATE).filter_map(attribute);
            let set = ["srcset", "data-srcset"].into_iter().filter_map(attribute);
            let set = set.flat_map(|set| {
                let urls = set
                    .split(',')
                    .filter_map(|candidate| candidate.split_whitespace().next().map(str::to_owned));
                urls.collect::<Vec<_>>()
            });
            let mut sources = listed.chain(set).peekable();
            if sources.peek().is_some() {
                let found: Vec<String> = sources.filter_map(|src| address(&src, base)).collect();
                if !found.is_empty() {
                    content.pictures.push(found);
                }
            }
        }
        "a" => content
            .links
            .extend(attribute("href").and_then(|href| address(&href, base))),
        _ => {}
    }
    if REMOVED.contains(&name.as_str()) {
        return;
    }
    // Inline elements do not end a word, and some of them are unwrapped by the cleaner.
    let is_inline = INLINE.contains(&name.as_str());
    if !is_inline {
        content.text.push(' ');
    }
    for child in node.children() {
        gather(&child, base, content);
    }
    if !is_inline {
        content.text.push(' ');
    }
}

/// Normalises an address for comparison: without scheme, query and fragment.
fn address(written: &str, base: &WebUrl) -> Option<String> {
    let written = written.trim();
    if written.is_empty() {
        return None;
    }
    let url = base.as_url().join(written).ok()?;
    let host = url.host_str()?;
    matches!(url.scheme(), "http" | "https").then(|| format!("{host}{}", url.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_counted_and_boilerplate_is_not() {
        let base = WebUrl::parse("https://example.org/").unwrap();
        let content = |html: &str| {
            let mut content = Content::default();
            gather(&Document::fragment(html).root(), &base, &mut content);
            content
        };
        let before = content(
            "<p>One two <a href=/x>three</a></p><script>four</script><noscript>five \
             <img src=/n.png></noscript><img src=/b.gif data-src=/p.png><iframe src=/v>six</iframe>",
        );
        let after = content(
            "<p>One <a href=/x>three</a></p><img src=/p.png>\
             <figure class=\"lede-embed\"><a href=/v>v</a></figure>",
        );
        let counts = before.kept_in(&after).map(|kept| (kept.kept, kept.of));
        assert_eq!(counts, [(2, 4), (1, 2), (1, 1), (1, 1)]);
    }
}
