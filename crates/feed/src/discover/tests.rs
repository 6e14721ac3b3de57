//! Feed declarations of pages, and the candidates derived from them.

use super::*;

fn page() -> WebUrl {
    WebUrl::parse("https://example.org/blog/post").unwrap()
}

fn urls(html: &str) -> Vec<String> {
    feeds(html, &page())
        .iter()
        .map(|candidate| candidate.url.as_str().to_owned())
        .collect()
}

#[test]
fn feeds_are_declared_in_many_ways() {
    for (html, expected) in [
        (
            "<link rel=alternate type=application/rss+xml href=/rss>",
            "https://example.org/rss",
        ),
        (
            "<LINK REL='Alternate' TYPE='Application/RSS+XML' HREF='/rss'>",
            "https://example.org/rss",
        ),
        (
            "<link rel='home alternate' type='application/atom+xml; charset=utf-8' href=a>",
            "https://example.org/blog/a",
        ),
        (
            "<link rel=alternate type=application/feed+json href=/f.json>",
            "https://example.org/f.json",
        ),
        (
            "<link rel=feed href=/anything>",
            "https://example.org/anything",
        ),
        (
            "<link rel=alternate href=/feed.xml>",
            "https://example.org/feed.xml",
        ),
        (
            "<base href=https://cdn.example/x/><link rel=alternate type=text/xml href=f>",
            "https://cdn.example/x/f",
        ),
        (
            "<base href=/x/><link rel=alternate type=application/rss+xml href=f>",
            "https://example.org/x/f",
        ),
        (
            "<link rel=alternate type=application/rss+xml href='?a=1&amp;b=2'>",
            "https://example.org/blog/post?a=1&b=2",
        ),
        ("<a href=/feed/>Subscribe</a>", "https://example.org/feed/"),
        (
            "<a href=feed://example.org/rss>x</a>",
            "https://example.org/rss",
        ),
        (
            "<a href=feed:http://example.org/rss>x</a>",
            "http://example.org/rss",
        ),
        (
            "<a href=/?feed=rss2>x</a>",
            "https://example.org/?feed=rss2",
        ),
        (
            "<a type=application/rss+xml href=/odd>x</a>",
            "https://example.org/odd",
        ),
    ] {
        assert_eq!(urls(html), [expected], "{html}");
    }
}

#[test]
fn what_only_looks_declared_is_left_out() {
    for html in [
        "<link rel=alternate hreflang=de href=/de/>",
        "<link rel=alternate type=text/html href=/feed>",
        "<link rel='alternate stylesheet' href=/feed.xml>",
        "<link rel=alternate type=application/json href=https://example.org/wp-json/wp/v2/posts/1>",
        "<link rel=alternate type=application/json+oembed href=/oembed?url=x>",
        "<link rel=alternate type=application/rss+xml href=javascript:alert(1)>",
        "<link rel=alternate type=application/rss+xml>",
        "<script>'<link rel=alternate type=application/rss+xml href=/x>'</script>",
        "<!-- <link rel=alternate type=application/rss+xml href=/x> -->",
        "<a href=/feedback>x</a><a href=/rss-explained.html>y</a>",
        "",
    ] {
        assert_eq!(urls(html), Vec::<String>::new(), "{html}");
    }
}

#[test]
fn the_best_comes_first() {
    assert_eq!(
        urls(
            "<a href=/feed>f</a>
             <link rel=alternate type=application/rss+xml href=https://other.example/rss>
             <link rel=alternate type=application/rss+xml title='x » Comments Feed' href=/comments/feed/>
             <link rel=alternate type=application/feed+json href=/feed.json>
             <link rel=alternate type=application/rss+xml href=/rss>
             <link rel=alternate type=application/atom+xml href=/atom>
             <link rel=alternate type=application/atom+xml href=/atom>"
        ),
        [
            "https://example.org/atom",
            "https://example.org/rss",
            "https://example.org/feed.json",
            "https://other.example/rss",
            "https://example.org/comments/feed/",
            "https://example.org/feed",
        ]
    );
}

#[test]
fn candidates_carry_the_pages_words_as_text() {
    let found = feeds(
        "<link rel=alternate type=application/rss+xml title='A &amp; <b>B</b>' href=/1>
         <a href=/2.rss>All <b>news</b></a> later",
        &page(),
    );
    assert_eq!(found[0].title.as_deref(), Some("A & B"));
    assert_eq!(found[0].kind, FeedKind::Rss);
    assert_eq!(found[1].title.as_deref(), Some("All news"));
    assert_eq!(found[1].kind, FeedKind::Unknown);
}

#[test]
fn usual_places_are_tried_beside_the_page_and_at_the_root() {
    let found: Vec<String> = well_known(&WebUrl::parse("https://example.org/blog?x=1").unwrap())
        .iter()
        .map(|url| url.as_str().to_owned())
        .collect();
    assert_eq!(found[0], "https://example.org/blog/feed");
    for expected in [
        "https://example.org/feed",
        "https://example.org/atom.xml",
        "https://example.org/?feed=rss2",
    ] {
        assert!(found.iter().any(|url| url == expected), "{expected}");
    }
    let at_root = well_known(&WebUrl::parse("https://example.org/").unwrap());
    assert_eq!(at_root[0].as_str(), "https://example.org/feed");
    assert!(at_root.len() <= 12);
}

#[test]
fn icons_end_with_the_one_every_browser_asks_for() {
    let found: Vec<String> = icons(
        "<link rel='apple-touch-icon' href=/touch.png>
         <link rel='icon' type=image/svg+xml href=/i.svg>
         <link rel='SHORTCUT ICON' href='/i.ico'><link rel=icon href=data:image/png;base64,AA==>
         <link rel=mask-icon href=/m.svg>",
        &page(),
    )
    .iter()
    .map(|url| url.as_str().to_owned())
    .collect();
    assert_eq!(
        found,
        [
            "https://example.org/i.ico",
            "https://example.org/touch.png",
            "https://example.org/i.svg",
            "https://example.org/favicon.ico",
        ]
    );
    assert_eq!(icons("", &page()).len(), 1);
}
