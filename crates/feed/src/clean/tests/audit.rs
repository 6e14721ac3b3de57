//! Searches cleaned HTML for anything that is not allowed, with separate copies of the lists and a
//! parser other than the cleaner's: an error in the cleaner's tables must not hide itself.

use dom_query::{Document, NodeRef};

/// Allowed elements. `html`, `head` and `body` come from parsing a whole document; `h1` belongs to
/// the surrounding page.
const ELEMENTS: &str = "html head body p br hr div span h2 h3 h4 h5 h6 strong b em i u s del \
    ins sub sup small mark abbr cite q kbd samp var code pre blockquote ul ol li dl dt dd table \
    caption thead tbody tfoot tr th td figure figcaption img picture source audio video a time \
    ruby rt rp details summary";

/// Allowed attributes, by element.
const ATTRIBUTES: [(&str, &str); 11] = [
    ("a", "href title rel target"),
    (
        "img",
        "src srcset alt title width height loading referrerpolicy",
    ),
    ("source", "src srcset type"),
    ("audio", "src controls poster"),
    ("video", "src controls poster"),
    ("th", "colspan rowspan"),
    ("td", "colspan rowspan"),
    ("time", "datetime"),
    ("ol", "start"),
    ("code", "class"),
    ("figure", "class"),
];

/// Returns the violations in `html`, parsed in three ways: as a fragment, as a fragment again after
/// serialisation, and as a whole document.
pub(crate) fn violations(html: &str) -> Vec<String> {
    let fragment = Document::fragment(html);
    let again = Document::fragment(fragment.inner_html());
    let whole = Document::from(html);
    let mut found = Vec::new();
    for (how, document) in [("fragment", fragment), ("again", again), ("whole", whole)] {
        for node in document.root().descendants_it() {
            inspect(&node, &mut |what| found.push(format!("{how}: {what}")));
        }
    }
    found
}

fn inspect(node: &NodeRef<'_>, report: &mut impl FnMut(String)) {
    if node.is_comment() {
        report("a comment".to_owned());
    }
    let Some(name) = node.qual_name_ref() else {
        return;
    };
    if &*name.ns != "http://www.w3.org/1999/xhtml" {
        report(format!("<{}> of {}", name.local, name.ns));
    }
    let element = name.local.to_string();
    if !ELEMENTS.split_whitespace().any(|listed| listed == element) {
        report(format!("<{element}>"));
    }
    let listed = ATTRIBUTES
        .iter()
        .find(|(name, _)| *name == element)
        .map_or("", |(_, attributes)| attributes);
    let attributes = node.attrs();
    for attribute in &attributes {
        let (name, value) = (attribute.name.local.as_ref(), attribute.value.as_ref());
        if !listed.split_whitespace().any(|listed| listed == name) {
            report(format!("<{element} {name}>"));
        } else if !is_proper(&element, name, value) {
            report(format!("<{element} {name}={value:?}>"));
        }
    }
    let has = |name: &str| attributes.iter().any(|a| &*a.name.local == name);
    match element.as_str() {
        "a" if has("href") != has("rel") || has("href") != has("target") => {
            report("<a> with half of href, rel, target".to_owned());
        }
        "img" if !(has("src") && has("loading") && has("referrerpolicy")) => {
            report("<img> without src, loading or referrerpolicy".to_owned());
        }
        _ => {}
    }
}

fn is_on_web(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

fn is_proper(element: &str, name: &str, value: &str) -> bool {
    match name {
        "href" => ["http://", "https://", "mailto:"]
            .iter()
            .any(|start| value.starts_with(start)),
        "src" if element != "img" => value.starts_with("https://"),
        "src" | "poster" => is_on_web(value) || is_small_picture(value),
        "srcset" => value.split(", ").all(|candidate| {
            let mut words = candidate.split(' ');
            words.next().is_some_and(is_on_web) && words.count() <= 1
        }),
        "rel" => {
            let words: Vec<&str> = value.split(' ').collect();
            ["noopener", "noreferrer", "nofollow"]
                .iter()
                .all(|word| words.contains(word))
        }
        "target" => value == "_blank",
        "loading" => value == "lazy",
        "referrerpolicy" => value == "no-referrer",
        "controls" => value.is_empty(),
        "colspan" | "rowspan" => value
            .parse()
            .is_ok_and(|span: u32| (1..=100).contains(&span)),
        "width" | "height" => value.parse::<u32>().is_ok(),
        "start" => value.parse::<i32>().is_ok(),
        "class" if element == "figure" => value == "lede-embed",
        "class" => value
            .strip_prefix("language-")
            .is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace)),
        "datetime" | "type" => !value.contains(['<', '>', '"', '\'', '&']),
        _ => true,
    }
}

fn is_small_picture(value: &str) -> bool {
    value.len() <= 32 * 1024
        && ["png", "jpeg", "gif", "webp"]
            .iter()
            .any(|kind| value.starts_with(&format!("data:image/{kind};base64,")))
}
