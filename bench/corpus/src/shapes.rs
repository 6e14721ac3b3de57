//! Times the cleaner, feed discovery and article extraction on adversarial input.

use std::error::Error;
use std::time::{Duration, Instant};

use lede_feed::{clean, discover, extract};
use lede_model::address::WebUrl;

/// Size of each document. A quadratic algorithm takes seconds at this size.
const BYTES: usize = 500_000;

const ROUNDS: usize = 3;

/// Returns named documents of about `bytes` bytes each.
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
        ("angle quotes and breaks", many("»<br>")),
        ("angle quotes and leaves", many("»<b>x</b>")),
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

/// Prints the slowest document for each function, or with `all` every document.
pub(crate) fn score(all: bool) -> Result<(), Box<dyn Error>> {
    let page = WebUrl::parse("https://example.org/posts/1")?;
    println!("hostile shapes of {} KB, best of {ROUNDS}", BYTES / 1000);
    let mut worst = [(Duration::ZERO, ""); 3];
    for (name, shape) in shapes(BYTES) {
        let took = [
            shortest(|| {
                clean::html(&shape, Some(&page));
            }),
            shortest(|| {
                discover::feeds(&shape, &page);
            }),
            shortest(|| {
                extract::article(&shape, &page);
            }),
        ];
        for (worst, took) in worst.iter_mut().zip(took) {
            *worst = (*worst).max((took, name));
        }
        if all {
            let [clean, discover, extract] = took;
            println!(
                "  {name:<25} clean {clean:.1?}, discover {discover:.1?}, extract {extract:.1?}"
            );
        }
    }
    for (what, (took, name)) in ["clean", "discover", "extract"].iter().zip(worst) {
        println!("  slowest to {what:<10} {took:>9.1?}  {name}");
    }
    Ok(())
}

fn shortest(work: impl Fn()) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
    }
    best
}
