//! Parsing arbitrary bytes ends soon, uses little memory and does not panic.

use std::time::{Duration, Instant};

use lede_feed::{date, links, parse};
use lede_model::address::WebUrl;
use proptest::prelude::*;

/// Generous for a debug build on a busy machine, and far below the time of a quadratic algorithm.
const SOON: Duration = Duration::from_secs(10);
/// Size of the hostile documents: large enough that a quadratic parser would take minutes.
const LARGE: usize = 500_000;

fn url() -> WebUrl {
    WebUrl::parse("https://example.org/feed").expect("a good address")
}

/// Generates tokens that are significant to a feed parser, to be combined in any order.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("<rss><channel>".to_owned()),
        Just("<item>".to_owned()),
        Just("</item>".to_owned()),
        Just("<feed xmlns='http://www.w3.org/2005/Atom' xml:base='../x'><entry>".to_owned()),
        Just("<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>".to_owned()),
        Just("</content>".to_owned()),
        Just("<description>".to_owned()),
        Just("</description>".to_owned()),
        Just("<title type='application/octet-stream'>".to_owned()),
        Just("</TITLE>".to_owned()),
        Just("<link>".to_owned()),
        Just("<author><name>".to_owned()),
        Just("<![CDATA[".to_owned()),
        Just("]]>".to_owned()),
        Just("<!--".to_owned()),
        Just("-->".to_owned()),
        Just("<!DOCTYPE a [<!ENTITY x 'y'>".to_owned()),
        Just("]>".to_owned()),
        Just("&x;&#150;&#xD800;&eacute;&".to_owned()),
        Just("<pubDate>Sat, 06 Mar 2021 09:05:03 GMT".to_owned()),
        Just("<guid isPermaLink=\"".to_owned()),
        Just("<media:group><media:thumbnail url=".to_owned()),
        Just("<source url='x'>".to_owned()),
        Just("<br><p a='b>".to_owned()),
        Just("{\"items\":[{\"id\":".to_owned()),
        Just("}]}".to_owned()),
        "\\PC{0,12}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse(&bytes, None, &url());
    }

    #[test]
    fn any_mixture_of_feed_parts_is_read_without_a_panic(
        pieces in proptest::collection::vec(piece(), 0..60),
        bytes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        charset in prop_oneof![Just(""), Just("utf-16"), Just("shift_jis"), Just("utf-7")],
    ) {
        let mut document = pieces.concat().into_bytes();
        for (at, byte) in bytes {
            if !document.is_empty() {
                let at = at.index(document.len());
                document[at] = byte;
            }
        }
        let content_type = format!("text/xml; charset={charset}");
        if let Ok(feed) = parse(&document, Some(&content_type), &url()) {
            for entry in &feed.entries {
                for text in entry.content.iter().chain(&entry.summary).chain(&entry.title) {
                    let _ = text.resolved();
                }
            }
        }
    }

    #[test]
    fn any_text_is_a_date_or_none(text in "\\PC{0,40}") {
        let _ = date::parse(&text);
    }

    #[test]
    fn any_mixture_of_date_parts_is_a_date_or_none(
        parts in proptest::collection::vec(
            prop_oneof![
                "[0-9]{1,14}", "[a-z]{1,4}", "[-+/:., ]", Just("Mar".to_owned()), Just("T".to_owned()),
                Just("pm".to_owned()), Just("GMT+".to_owned()), Just("년".to_owned()), Just("(".to_owned()),
            ],
            0..12,
        ),
    ) {
        let _ = date::parse(&parts.concat());
    }

    #[test]
    fn a_resolved_reference_resolves_to_itself(base in "https?://[a-z]{1,5}(/[a-z.]{0,4}){0,4}", reference in "[a-z./?#:]{0,20}") {
        let once = links::resolve(&base, &reference).into_owned();
        prop_assert_eq!(links::resolve(&base, &once).into_owned(), once);
    }

    #[test]
    fn links_made_absolute_stay_as_they_are(html in "(<a href=['\"]?[a-z/.&;]{0,8}['\"]?>|<img src=[a-z]{0,3} srcset='[a-z ,/]{0,9}'>|[a-z<> ]{0,6}){0,6}") {
        let once = links::resolve_html("https://example.org/x/", &html).into_owned();
        prop_assert_eq!(links::resolve_html("https://example.org/x/", &once).into_owned(), once);
    }
}

/// Parses `document` and returns the number of entries; fails if that takes longer than [`SOON`].
fn soon(name: &str, document: &[u8]) -> usize {
    let start = Instant::now();
    let entries = parse(document, None, &url()).map_or(0, |feed| {
        for text in feed
            .entries
            .iter()
            .flat_map(|e| e.content.iter().chain(&e.summary))
        {
            let _ = text.resolved();
        }
        feed.entries.len()
    });
    assert!(start.elapsed() < SOON, "{name} took {:?}", start.elapsed());
    entries
}

#[test]
fn hostile_shapes_end_soon() {
    let filled = |part: &str| part.repeat(LARGE / part.len());
    let item =
        |inside: String| format!("<rss><channel><item>{inside}</item><item/></channel></rss>");
    let cases = [
        ("nested elements", item(filled("<a>"))),
        (
            "nested markup",
            item(format!("<description>{}", filled("<p>"))),
        ),
        ("nested items", filled("<rss><item>")),
        ("open brackets", item(filled("<"))),
        ("open tags", item(filled("<a "))),
        ("quotes that hide tags", item(filled("<a c=\" d=\""))),
        ("quotes of both kinds", item(filled("<a b=\"<a b='"))),
        ("attributes", item(format!("<a {}>", filled("b='c' ")))),
        ("namespaces", item(filled("<a xmlns:b='c'>"))),
        ("unterminated comments", item(filled("<!-- "))),
        ("unterminated sections", item(filled("<t><![CDATA[x</t>"))),
        (
            "sections given up",
            item(format!("{}]]>", filled("<t><![CDATA[x</t>"))),
        ),
        ("end tags", item(filled("</b>"))),
        (
            "ampersands",
            item(format!("<title>{}</title>", filled("&"))),
        ),
        (
            "references",
            item(format!("<title>{}</title>", filled("&a"))),
        ),
        ("instructions", item(filled("<?"))),
        ("declarations", item(filled("<!"))),
        ("types", filled("<!DOCTYPE a [")),
        ("categories", item(filled("<category>a</category>"))),
        ("links", item(filled("<link href='a'/>"))),
        ("authors", item(filled("<author>a@b.c</author>"))),
        (
            "mail signs",
            item(format!("<author>{}</author>", filled("a@"))),
        ),
        (
            "open anchors",
            item(format!(
                "<description><![CDATA[{}]]></description>",
                filled("<a href=\"")
            )),
        ),
        ("json arrays", filled("[")),
        ("json objects", filled("{\"items\":")),
    ];
    for (name, document) in cases {
        soon(name, document.as_bytes());
    }
}

#[test]
fn long_bases_do_not_make_a_document_grow_without_bound() {
    let base = format!("https://example.org/{}/", "x".repeat(1900));
    let item = format!(
        "<item><description>{}</description>{}</item>",
        "&lt;a href=y>".repeat(100),
        "<enclosure url='y'/><atom:link rel='z' href='y'/>".repeat(10),
    );
    let document = format!(
        "<rss xml:base='{base}'><channel>{}</channel></rss>",
        item.repeat(1500)
    );
    let feed = parse(document.as_bytes(), None, &url()).expect("a feed");
    let kept: usize = feed
        .entries
        .iter()
        .flat_map(|entry| {
            entry
                .links
                .iter()
                .map(|l| l.href.len())
                .chain(entry.enclosures.iter().map(|e| e.url.len()))
        })
        .sum();
    assert!(kept < 20_000_000, "{kept}");
    let text = "<a href=y>".repeat(20_000);
    assert!(links::resolve_html(&base, &text).len() < 10_000_000);
}

#[test]
fn an_entity_bomb_stays_small() {
    let mut subset = String::from("<!ENTITY a \"lollollollol\">");
    for (outer, inner) in ('b'..='z').zip('a'..) {
        let references = format!("&{inner};").repeat(10);
        subset.push_str(&format!("<!ENTITY {outer} \"{references}\">"));
    }
    let bomb = format!(
        "<!DOCTYPE rss [{subset}]><rss><channel><item><title>x</title><description>{}</description></item></channel></rss>",
        "&z;&a;".repeat(1000)
    );
    let feed = parse(bomb.as_bytes(), None, &url()).expect("a feed");
    let summary = feed.entries[0].summary.as_ref().expect("summary");
    assert!(summary.value.len() < 100_000);
}
