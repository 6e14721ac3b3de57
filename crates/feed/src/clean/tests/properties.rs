//! Properties of the cleaner for arbitrary input.

use proptest::prelude::*;

use super::audit;
use super::*;

/// Generates sequences of tokens that are significant to parsers.
fn soup() -> impl Strategy<Value = String> {
    const NAMES: [&str; 77] = [
        "a",
        "a href=/x",
        "a href=javascript:x",
        "abbr",
        "audio",
        "b",
        "blockquote",
        "br",
        "button",
        "caption",
        "center",
        "code",
        "code class=language-x",
        "col",
        "colgroup",
        "dd",
        "desc",
        "details",
        "div",
        "dl",
        "dt",
        "font",
        "foreignObject",
        "form",
        "frameset",
        "h1",
        "h2",
        "hr",
        "html",
        "i",
        "iframe",
        "img src=/a.png",
        "img srcset='/a 1x, /b 2x'",
        "input",
        "li",
        "marquee",
        "math",
        "mi",
        "nobr",
        "noscript",
        "object",
        "ol start=2",
        "optgroup",
        "option",
        "p",
        "picture",
        "plaintext",
        "pre",
        "rp",
        "rt",
        "ruby",
        "script",
        "section",
        "select",
        "source src=/x",
        "span",
        "strike",
        "style",
        "summary",
        "svg",
        "table",
        "tbody",
        "td colspan=2",
        "template",
        "tr",
        "video src=/v",
        "amp-img src=/x",
        "blockquote class=twitter-tweet",
        "embed src=/e",
        "figure class=lede-embed",
        "iframe src=//youtu.be/abc title=x",
        "iframe src=/f /",
        "img src=/blank.gif",
        "noembed",
        "object data=/o",
        "param name=movie value=/m",
        "script src=x /",
    ];
    let piece = prop_oneof![
        8 => (0..NAMES.len()).prop_map(|at| format!("<{}>", NAMES[at])),
        5 => (0..NAMES.len()).prop_map(|at| {
            format!("</{}>", NAMES[at].split(' ').next().unwrap_or_default())
        }),
        3 => prop_oneof![
            Just("x".to_owned()), Just(" ".to_owned()), Just("\n".to_owned()), Just("&lt;".to_owned()),
            Just("&amp".to_owned()), Just("<".to_owned()), Just("<!--".to_owned()), Just("-->".to_owned()),
            Just("\"".to_owned()), Just("'>".to_owned()), Just("]]>".to_owned()), Just("&#13;".to_owned()),
            Just("\u{301}".to_owned()), Just("e".to_owned()), Just("\r".to_owned()), Just("</".to_owned()),
            Just("<thead>".to_owned()), Just("</th><th>".to_owned()), Just("<title>".to_owned()), Just("</textarea>".to_owned()),
        ],
        1 => "\\PC{0,6}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Generates tags whose attributes are quoted, repeated, half-closed or of a false type.
fn attribute_soup() -> impl Strategy<Value = String> {
    const TAGS: [&str; 22] = [
        "a",
        "img",
        "source",
        "video",
        "audio",
        "td",
        "ol",
        "code",
        "time",
        "p",
        "picture",
        "svg",
        "input",
        "IMAGE",
        "iframe",
        "object",
        "embed",
        "figure",
        "blockquote",
        "amp-img",
        "noscript",
        "lite-youtube",
    ];
    const NAMES: [&str; 26] = [
        "href",
        "src",
        "srcset",
        "data-src",
        "data-srcset",
        "alt",
        "title",
        "width",
        "height",
        "style",
        "onerror",
        "class",
        "start",
        "colspan",
        "rowspan",
        "datetime",
        "type",
        "poster",
        "rel",
        "target",
        "xlink:href",
        "HREF",
        "loading",
        "formaction",
        "autoplay",
        "id",
    ];
    const VALUES: [&str; 40] = [
        "/x",
        "x.png",
        "https://a.org/b?c=d&e=f",
        "http://a.org/",
        "http://a.org:8080/x",
        "javascript:alert(1)",
        " java\tscript:x",
        "&#106;avascript:x",
        "data:text/html,x",
        "data:image/png;base64,AAAA",
        "data:image/svg+xml;base64,AA==",
        "mailto:a@b.c",
        "mailto:a b",
        "MAILTO:%41",
        "//a.org",
        "#x",
        "?y",
        "",
        " ",
        "a.png 1x, b.png 2x",
        "a.png,b.png",
        ",a.png 1x,",
        "a.png 1x 2x",
        "1",
        "0",
        "100%",
        "99999999999",
        "-1",
        "language-x y",
        "language-",
        "width:1px;height:1px",
        "x\"y",
        "x'y",
        "<b>",
        "&quot;",
        "&amp;lt;",
        "\u{a0}é\u{301}",
        "a\0b",
        "https://user@a.org/",
        "https://a.org/\\x",
    ];
    let quote = prop_oneof![Just("\""), Just("'"), Just("")];
    let attribute = (0..NAMES.len(), 0..VALUES.len(), quote, any::<bool>()).prop_map(
        |(name, value, quote, is_spaced)| {
            let gap = if is_spaced { " " } else { "" };
            format!("{gap}{}={quote}{}{quote}", NAMES[name], VALUES[value])
        },
    );
    let tag = (0..TAGS.len(), prop::collection::vec(attribute, 0..6))
        .prop_map(|(name, attributes)| format!("<{} {}>t", TAGS[name], attributes.concat()));
    prop::collection::vec(tag, 1..6).prop_map(|tags| tags.concat())
}

/// Generates words between tags of elements that stay or are unwrapped, opened and closed in any
/// order.
fn words() -> impl Strategy<Value = (String, usize)> {
    const NAMES: [&str; 40] = [
        "b",
        "i",
        "a",
        "a href=/x",
        "p",
        "div",
        "span",
        "h1",
        "h2",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "td",
        "th",
        "pre",
        "blockquote",
        "figure",
        "details",
        "summary",
        "ruby",
        "rt",
        "rp",
        "code",
        "section",
        "font",
        "center",
        "br",
        "hr",
        "img src=/a",
        "q",
        "custom-x",
        "del",
    ];
    let piece = (0..NAMES.len(), any::<bool>());
    prop::collection::vec(piece, 0..60).prop_map(|pieces| {
        let mut html = String::new();
        for (at, (name, is_end)) in pieces.iter().enumerate() {
            let name = NAMES[*name];
            if *is_end {
                html.push_str(&format!(
                    "</{}>",
                    name.split(' ').next().unwrap_or_default()
                ));
            } else {
                html.push_str(&format!("<{name}>"));
            }
            html.push_str(&format!("w{at}w"));
        }
        (html, pieces.len())
    })
}

fn holds(raw: &str) -> Result<(), TestCaseError> {
    let base = base();
    for base in [Some(&base), None] {
        let ours = tree::rewritten(raw, base, MAX_HTML_BYTES);
        prop_assert_eq!(&second_sanitiser::passed(&ours), &ours);
        prop_assert!(second_sanitiser::agrees_with(&ours));
        let once = html(raw, base);
        prop_assert_eq!(&html(once.as_str(), None), &once);
        prop_assert_eq!(audit::violations(once.as_str()), Vec::<String>::new());
    }
    Ok(())
}

proptest! {
    #[test]
    fn cleaning_twice_is_cleaning_once_and_nothing_is_off_the_lists(raw in soup()) {
        holds(&raw)?;
    }

    #[test]
    fn the_same_holds_for_attributes(raw in attribute_soup()) {
        holds(&raw)?;
    }

    #[test]
    fn no_word_is_lost_or_doubled((raw, count) in words()) {
        let out = text(&html(&raw, Some(&base())));
        for at in 0..count {
            let word = format!("w{at}w");
            prop_assert_eq!(out.matches(&word).count(), 1, "{} in {}", word, out);
        }
    }

    #[test]
    fn any_text_can_be_cleaned(raw in "\\PC*") {
        holds(&raw)?;
        plain(&raw);
    }

    #[test]
    fn any_text_becomes_clean_html(raw in "[\\PC\n\r\t]*") {
        let once = from_text(&raw);
        prop_assert_eq!(&html(once.as_str(), None), &once);
    }

    #[test]
    fn a_title_is_one_line_and_stays_as_it_is_shown(raw in "\\PC*") {
        let once = plain(&raw);
        prop_assert!(!once.contains(['\n', '\r', '\t']));
        prop_assert_eq!(once.trim(), &once);
    }
}
