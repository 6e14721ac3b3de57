//! Times the cleaner, the finder and the extractor on input that is made to be slow.
//!
//! `cargo run --release -p lede-feed --example hostile_shapes -- [KILOBYTES]`

#![expect(clippy::print_stdout, reason = "a program that reports")]

use std::time::Instant;

use lede_feed::{clean, discover, extract};
use lede_model::address::WebUrl;

/// Shapes of about `bytes` bytes each, with a name.
fn shapes(bytes: usize) -> Vec<(&'static str, String)> {
    let many = |piece: &str| piece.repeat(bytes / piece.len());
    let numbered =
        |count: usize, make: &dyn Fn(usize) -> String| -> String { (0..count).map(make).collect() };
    vec![
        ("nested div", many("<div>")),
        ("nested and closed div", many("<div>") + &many("</div>")),
        ("nested tables", many("<table><tr><td>")),
        ("table in table", many("<table>")),
        ("text in tables", many("<table>x")),
        ("nested lists", many("<ul><li>")),
        ("nested b", many("<b>")),
        ("b and p crossed", many("<b><p>")),
        ("links in links", many("<a href=/x>")),
        ("end tags", many("</b></div>")),
        (
            "open i, closed b",
            format!("<b>{}{}", "<i>".repeat(255), many("</b>x")),
        ),
        (
            "formatting to reopen",
            format!(
                "<p>{}{}",
                numbered(255, &|n| format!("<code class=language-{n}>")),
                many("<p>x")
            ),
        ),
        (
            "attributes",
            format!("<p {}>", numbered(bytes / 8, &|n| format!("a{n}=b "))),
        ),
        ("one attribute", format!("<p title=\"{}\">x", many("x"))),
        ("unclosed quote", format!("<p title=\"{}", many("x <b> "))),
        ("unclosed tag", many("<a ")),
        ("brackets", many("<")),
        ("comments", many("<!--x")),
        ("closed comments", many("<!---->")),
        ("dashes", format!("<!--{}", many("-- "))),
        ("scripts", many("<script>x</scrip>")),
        ("closed scripts", many("<script></script>")),
        ("svg", many("<svg><math><p>")),
        ("forms", many("<form><div></form>")),
        ("b ends before div", many("<b><div></b>")),
        ("list in list item", many("<li><blockquote>")),
        ("div ends in cell", many("<div><table><tr><td></div>")),
        ("ruby", many("<ruby><rt><rp>")),
        ("entities", many("&amp;")),
        ("long entity", format!("&{}", many("a"))),
        ("ampersands", many("&")),
        ("angle quotes", many("»")),
        ("digits", format!("&#{};", many("9"))),
        ("srcset", format!("<img srcset=\"{}\">", many("/a 1x, "))),
        ("commas", format!("<img srcset=\"{}\">", many(","))),
        ("combining marks", format!("a{}", many("\u{301}\u{316}"))),
        ("headings", many("<h1><h2>")),
        ("select", many("<select><option>")),
        ("images", many("<img src=/a.png>")),
        (
            "feed links",
            numbered(bytes / 24, &|n| format!("<a href=/{n}.rss>x</a>")),
        ),
    ]
}

fn milliseconds(work: impl Fn()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64() * 1000.0);
    }
    best
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kilobytes: usize = std::env::args()
        .nth(1)
        .map_or(Ok(100), |text| text.parse())?;
    let page = WebUrl::parse("https://example.org/posts/1")?;
    println!("ms, best of 3: clean, discover, extract (shape, bytes)");
    for (name, shape) in shapes(kilobytes * 1000) {
        let cleaning = milliseconds(|| {
            clean::html(&shape, Some(&page));
        });
        let finding = milliseconds(|| {
            discover::feeds(&shape, &page);
        });
        let extracting = milliseconds(|| {
            extract::article(&shape, &page);
        });
        println!(
            "{cleaning:8.2} {finding:8.2} {extracting:8.2}  {name} ({})",
            shape.len()
        );
    }
    Ok(())
}
