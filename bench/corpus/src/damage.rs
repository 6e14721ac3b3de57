//! Entries lost to a single fault in the middle of a real feed.

use std::error::Error;
use std::path::Path;

use lede_model::address::WebUrl;

use crate::{files_below, percent};

/// A fault: its name and a function that applies it to a document. `None` if it is not applicable.
type Fault = (&'static str, fn(&str) -> Option<Vec<u8>>);

const FAULTS: [Fault; 19] = [
    ("no fault", |d| Some(d.into())),
    ("truncated at 70%", |d| {
        Some(d.as_bytes()[..d.len() * 7 / 10].to_vec())
    }),
    ("bare & in text", |d| in_text(d, b" AT&T & more ")),
    ("invalid UTF-8 byte", |d| in_text(d, b"\xff\xc3")),
    ("declared utf-8, bytes cp1252", |d| {
        in_text(d, b"caf\xe9 \x93quoted\x94")
    }),
    ("UTF-16LE + BOM", |d| {
        let units = std::iter::once(0xfeff).chain(d.encode_utf16());
        Some(units.flat_map(u16::to_le_bytes).collect())
    }),
    ("unclosed <br> / <p> in text", |d| in_text(d, b"<br><p>")),
    ("bare < in text", |d| in_text(d, b" 1 < 2 <3 a<b ")),
    ("rss version missing", |d| {
        let changed = d.replacen(" version=\"2.0\"", "", 1);
        (d.contains("<rss") && changed != d).then(|| changed.into())
    }),
    ("PHP warning before <?xml", |d| {
        let warning = "<br />\n<b>Warning</b>:  include(): Failed opening 'x' in <b>/a/b.php</b> on line <b>3</b><br />\n";
        Some(format!("{warning}{d}").into())
    }),
    ("mismatched end tag case", |d| {
        let at = middle(d, "</title>")?;
        Some([&d[..at], "</TITLE>", &d[at + 8..]].concat().into())
    }),
    ("HTML entity undeclared", |d| in_text(d, b"&nbsp;&eacute;")),
    ("control chars 0x0B,0x00,0x1F", |d| {
        in_text(d, b"\x0b\x00\x1f")
    }),
    ("numeric ref &#x0B; / &#150;", |d| {
        in_text(d, b"&#x0B;&#150;")
    }),
    ("undeclared ns prefixes", |d| {
        let changed = d
            .replace(" xmlns:dc=", " data-dc=")
            .replace(" xmlns:content=", " data-content=")
            .replace(" xmlns:media=", " data-media=");
        Some(changed.into())
    }),
    ("BOM + blank lines before <?xml", |d| {
        Some(format!("\u{feff}\n\n{d}").into())
    }),
    ("junk after the end", |d| {
        Some(format!("{d}<script>x</script> junk & < ").into())
    }),
    ("duplicate attribute", |d| {
        let at = d.find("<item").or_else(|| d.find("<entry"))?;
        let name = d[at + 1..].find(|c: char| !c.is_ascii_alphabetic())? + at + 1;
        Some([&d[..name], " a=\"1\" a=\"2\"", &d[name..]].concat().into())
    }),
    ("end tag missing", |d| {
        let at = middle(d, "</title>")?;
        Some([&d[..at], &d[at + 8..]].concat().into())
    }),
];

/// Returns the position of the first `needle` after the middle.
fn middle(document: &str, needle: &str) -> Option<usize> {
    let half = (document.len() / 2..document.len()).find(|at| document.is_char_boundary(*at))?;
    document[half..].find(needle).map(|at| half + at)
}

/// Inserts `junk` at the end of the text of a title in the middle of the document; inside CDATA, if
/// the title has it.
fn in_text(document: &str, junk: &[u8]) -> Option<Vec<u8>> {
    let at = middle(document, "</title>")?;
    let at = if document[..at].ends_with("]]>") {
        at - 3
    } else {
        at
    };
    let (before, after) = document.as_bytes().split_at(at);
    Some([before, junk, after].concat())
}

pub(crate) fn score(folder: &Path) -> Result<(), Box<dyn Error>> {
    let url = WebUrl::parse("http://localhost/feed")?;
    let mut documents = Vec::new();
    for file in files_below(folder)? {
        let Ok(document) = String::from_utf8(std::fs::read(&file)?) else {
            continue;
        };
        let document = document.trim_start_matches('\u{feff}').to_owned();
        let is_xml = document.trim_start().starts_with('<');
        if let Ok(feed) = lede_feed::parse(document.as_bytes(), None, &url)
            && is_xml
            && feed.entries.len() >= 3
        {
            documents.push((document, feed));
        }
    }
    println!(
        "damage: {} real feeds with three entries or more, entries kept, and as they were",
        documents.len()
    );
    for (name, damage) in FAULTS {
        let (mut kept, mut same, mut of) = (0, 0, 0);
        for (document, clean) in &documents {
            let Some(damaged) = damage(document) else {
                continue;
            };
            of += clean.entries.len();
            if let Ok(found) = lede_feed::parse(&damaged, None, &url) {
                kept += found.entries.len().min(clean.entries.len());
                let pairs = found.entries.iter().zip(&clean.entries);
                same += pairs.filter(|(found, clean)| found == clean).count();
            }
        }
        println!(
            "  {name:<32} {kept:>6}/{of:<6} {:>8} {same:>6} {:>8}",
            percent(kept, of),
            percent(same, of)
        );
    }
    Ok(())
}
