//! Rewriting of image addresses in clean HTML when it is served.

use lede_model::address::WebUrl;
use lede_model::content::CleanHtml;

use super::entity::push_value;
use super::token::{Token, tokens};
use super::verified_html;

/// Returns `html` with each image address replaced by the result of `through`; if that is `None`,
/// the address stays.
///
/// A replaced image loses its `srcset`, and only the plain address remains: a proxy that fetched
/// every width would cost the publisher more than it saves the user.
pub fn with_pictures(html: &CleanHtml, through: impl Fn(&WebUrl) -> Option<String>) -> CleanHtml {
    let markup = html.as_str();
    if !["<img", "<source", "<video"]
        .iter()
        .any(|tag| markup.contains(tag))
    {
        return html.clone();
    }
    let mut out = String::with_capacity(markup.len() + 256);
    for token in tokens(markup) {
        match token {
            Token::Text(text) => out.push_str(text),
            Token::End(name) => {
                out.push_str("</");
                out.push_str(name);
                out.push('>');
            }
            Token::Start(tag) if matches!(tag.name, "img" | "source" | "video") => {
                out.push('<');
                out.push_str(tag.name);
                for (name, _) in tag.attributes() {
                    let is_picture = (tag.name == "img" && name == "src") || name == "poster";
                    let value = tag.attribute(name).unwrap_or_default();
                    let ours = |address: &str| through(&WebUrl::parse(address).ok()?);
                    // Candidates of other sizes are only useful if they are loaded from the
                    // publisher.
                    if name == "srcset" && candidates(&value).any(|one| ours(one).is_some()) {
                        continue;
                    }
                    let value = match ours(&value) {
                        Some(ours) if is_picture => ours.into(),
                        _ => value,
                    };
                    out.push(' ');
                    out.push_str(name);
                    out.push_str("=\"");
                    push_value(&mut out, &value);
                    out.push('"');
                }
                out.push('>');
            }
            Token::Start(tag) => tag.push_to(&mut out),
        }
    }
    verified_html(out)
}

/// Iterates over the addresses in a `srcset` in the form that the sanitiser writes.
fn candidates(srcset: &str) -> impl Iterator<Item = &str> {
    let all = srcset.split(", ");
    all.map(|one| one.split_once(' ').map_or(one, |(address, _)| address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clean;

    fn served(raw: &str) -> String {
        let html = clean::html(raw, None);
        with_pictures(&html, |url| Some(format!("/img/{}?a&b", url.host())))
            .as_str()
            .to_owned()
    }

    #[test]
    fn only_what_is_asked_for_comes_through_the_proxy() {
        let raw = r#"<img src="https://p.example/1.png" srcset="https://p.example/2.png 2x" alt="">
            <img src="http://q.example/1.png" srcset="https://q.example/2.png 2x, http://q.example/3.png 3x" alt="">"#;
        let html = clean::html(raw, None);
        let out = with_pictures(&html, |url| {
            (!url.is_https()).then(|| "/img/ours".to_owned())
        });
        let out = out.as_str();
        assert!(out.contains(r#"src="https://p.example/1.png""#), "{out}");
        assert!(out.contains("https://p.example/2.png 2x"), "{out}");
        assert!(out.contains(r#"src="/img/ours""#), "{out}");
        assert!(!out.contains("q.example"), "{out}");
    }

    #[test]
    fn pictures_come_through_the_proxy_and_nothing_else_changes() {
        let raw = r#"<p>a &amp; b <a href="https://x.example/i.png">i</a>
            <img src="https://p.example/1.png?x=1&amp;y=2" alt="&quot;1&quot;" srcset="https://p.example/2.png 2x"></p>"#;
        let out = served(raw);
        assert!(out.contains(r#"src="/img/p.example?a&amp;b""#), "{out}");
        assert!(out.contains(r#"alt="&quot;1&quot;""#), "{out}");
        assert!(
            out.contains(r#"<p>a &amp; b <a href="https://x.example/i.png""#),
            "{out}"
        );
        assert!(!out.contains("srcset"), "{out}");
    }

    #[test]
    fn a_picture_inside_the_text_stays_inside() {
        let out = served(r#"<img src="data:image/png;base64,iVBORw0KGgo=" alt="x">"#);
        assert!(out.contains("data:image/png"), "{out}");
        assert_eq!(served("<p>words</p>"), "<p>words</p>");
    }
}
