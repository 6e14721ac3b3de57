//! Parsing an arbitrary upload as a subscription list ends soon.

use std::time::{Duration, Instant};

use lede_feed::opml::{MAX_OUTLINES, read};

/// Generous for a debug build on a busy machine, and far below the time of a quadratic algorithm.
const SOON: Duration = Duration::from_secs(10);
/// Size of the hostile lists: large enough that a quadratic parser would take minutes.
const LARGE: usize = 500_000;

#[test]
fn hostile_shapes_end_soon() {
    let filled = |part: &str| part.repeat(LARGE / part.len());
    for (name, document) in [
        ("nested folders", filled("<outline text='a'>")),
        ("nested feeds", filled("<outline xmlUrl='a'>")),
        ("nameless", filled("<outline>")),
        ("open tags", filled("<outline ")),
        ("open quotes", filled("<outline text=\"")),
        ("quotes of both kinds", filled("<outline a=\"<outline b='")),
        ("end tags", format!("<opml>{}", filled("</outline>"))),
        ("attributes", format!("<outline {}>", filled("text='c' "))),
        (
            "names",
            format!("<outline text='{}'>", filled("\u{e9}e\u{301} ")),
        ),
        ("schemes", format!("<outline xmlUrl='{}'>", filled("feed:"))),
        ("ampersands", format!("<outline text='{}'>", filled("&"))),
        (
            "categories",
            format!("<outline xmlUrl='a' category='{}'>", filled("a/")),
        ),
        ("sections", filled("<![CDATA[")),
        ("types", filled("<!DOCTYPE a [")),
    ] {
        let start = Instant::now();
        if let Ok(reading) = read(document.as_bytes(), None) {
            assert!(reading.list.feeds().len() <= MAX_OUTLINES);
        }
        assert!(start.elapsed() < SOON, "{name} took {:?}", start.elapsed());
    }
    let own_folders: String = (0..MAX_OUTLINES)
        .map(|n| format!("<outline xmlUrl='a' category='{n}/{n}/{n}'/>"))
        .collect();
    let start = Instant::now();
    assert!(read(own_folders.as_bytes(), None).is_ok());
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}
