//! Embeds, `noscript`, and images that are duplicated or hidden in attributes.

use super::{check, clean};

fn link(href: &str, text: &str) -> String {
    let href = href.replace('&', "&amp;");
    format!("<a href=\"{href}\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">{text}</a>")
}

fn card(page: &str, title: &str, site: &str) -> String {
    let link = link(page, title);
    format!("<figure class=\"lede-embed\">{link}<figcaption>{site}</figcaption></figure>")
}

fn image(src: &str) -> String {
    format!("<img src=\"{src}\" loading=\"lazy\" referrerpolicy=\"no-referrer\">")
}

const VIDEO: &str = "https://www.youtube.com/watch?v=abc";

#[test]
fn an_embed_becomes_a_card() {
    let video = card(VIDEO, "A talk", "YouTube");
    let plain = card(VIDEO, "youtube.com/watch?v=abc", "YouTube");
    check(&[
        (
            "<iframe src='https://www.youtube.com/embed/abc' title='A talk'></iframe>",
            &video,
        ),
        (
            "<p>a <iframe src=//www.youtube.com/embed/abc title='A talk'></iframe> b</p>",
            &format!("<p>a </p>{video} b"),
        ),
        (
            "<iframe data-src='https://www.youtube.com/embed/abc' src=about:blank></iframe>",
            &plain,
        ),
        (
            "<iframe data-consent-url='https://www.youtube.com/embed/abc'></iframe>",
            &plain,
        ),
        (
            "<iframe title='YouTube video player' src='https://www.youtube.com/embed/abc'></iframe>",
            &card(VIDEO, "YouTube video player", "YouTube"),
        ),
        (
            "<object width=1 height=2><param name=movie value='http://www.youtube.com/v/abc&hl=en'><embed src='http://www.youtube.com/v/abc&hl=en'></object>z",
            &format!("{plain}z"),
        ),
        (
            "<object data='/a.pdf' type=application/pdf><a href='/a.pdf'>The paper</a></object>",
            &link_card(),
        ),
        (
            "<embed src=/x.swf>a",
            &format!(
                "{}a",
                card(
                    "https://example.org/x.swf",
                    "example.org/x.swf",
                    "example.org"
                )
            ),
        ),
        (
            "<iframe src=/w/ />after<p>more</p>",
            &format!(
                "{}after<p>more</p>",
                card("https://example.org/w/", "example.org/w", "example.org")
            ),
        ),
        (
            "<lite-youtube videoid=abc title='A talk'></lite-youtube>",
            &video,
        ),
        ("<amp-youtube data-videoid=abc></amp-youtube>", &plain),
        (
            "<figure class=media><oembed url='https://youtu.be/abc'></oembed></figure>",
            &format!("<figure>{plain}</figure>"),
        ),
        (
            "<div class='rll-youtube-player' data-id=abc><p>x</p></div>",
            &format!("{plain}<div><p>x</p></div>"),
        ),
        (
            "<script src='https://gist.github.com/u/1.js'></script>",
            &card(
                "https://gist.github.com/u/1",
                "gist.github.com/u/1",
                "GitHub Gist",
            ),
        ),
        (
            "<table><tr><iframe src='https://youtu.be/abc'></iframe></table>",
            &format!("<table><tbody><tr><td>{plain}</td></tr></tbody></table>"),
        ),
        (
            "<a href=/x><iframe src='https://youtu.be/abc'></iframe></a>",
            &format!("{}{plain}", link("https://example.org/x", "")),
        ),
    ]);
}

fn link_card() -> String {
    // The fallback names the file itself, so page and player are the same.
    card("https://example.org/a.pdf", "The paper", "example.org")
}

#[test]
fn the_content_of_an_embed_is_kept_where_it_says_something() {
    let player = "https://bandcamp.com/EmbeddedPlayer/album=1/";
    let page = link("https://x.bandcamp.com/album/y", "Y by X");
    let bandcamp = format!(
        "<figure class=\"lede-embed\">{page}<figcaption>{}</figcaption></figure>",
        link(player, "Bandcamp")
    );
    let widget = card("https://w.example/", "w.example", "w.example")
        .replace("<figcaption>w.example</figcaption>", "");
    check(&[
        (
            &format!(
                "<iframe src='{player}' seamless><a href='https://x.bandcamp.com/album/y'>Y by X</a></iframe>"
            ),
            &bandcamp,
        ),
        (
            "<iframe src=https://w.example/><p>Your browser does not support iframes.</p></iframe>b",
            &format!("{widget}b"),
        ),
        (
            "<iframe src=https://w.example/><p>A table of results</p></iframe>b",
            &format!("{widget}<p>A table of results</p>b"),
        ),
        ("<iframe><p>words</p></iframe>", "<p>words</p>"),
        ("<object><p>words</p></object>", "<p>words</p>"),
        (
            "<object data=https://w.example/><object data=https://v.example/><p>words</p></object></object>b",
            &format!("{widget}<p>words</p>b"),
        ),
        ("<video><p>words</p></video>a", "<p>words</p>a"),
        (
            "<video src=/v.mp4>words",
            "<video src=\"https://example.org/v.mp4\" controls=\"\">words</video>",
        ),
    ]);
}

#[test]
fn the_post_of_another_site_keeps_its_words_and_gets_a_card() {
    check(&[
        (
            "<blockquote class=twitter-tweet><p>Hi <a href='https://t.co/x'>t</a></p>— A <a href='https://twitter.com/a/status/20?ref_src=twsrc'>May 1</a></blockquote> <script async src=https://platform.twitter.com/widgets.js></script>",
            &format!(
                "{}<blockquote><p>Hi {}</p>— A {}</blockquote>",
                card(
                    "https://twitter.com/a/status/20",
                    "twitter.com/a/status/20",
                    "X"
                ),
                link("https://t.co/x", "t"),
                link("https://twitter.com/a/status/20?ref_src=twsrc", "May 1"),
            ),
        ),
        (
            "<blockquote class=instagram-media data-instgrm-permalink='https://www.instagram.com/p/A/?utm_source=ig_embed'><svg><g/></svg><p>Caption</p></blockquote>",
            &format!(
                "{}<blockquote><p>Caption</p></blockquote>",
                card(
                    "https://www.instagram.com/p/A/",
                    "instagram.com/p/A",
                    "Instagram"
                )
            ),
        ),
        (
            "<blockquote class=tiktok-embed cite='https://www.tiktok.com/@a/video/1'><section>words</section></blockquote>",
            &format!(
                "{}<blockquote>words\n</blockquote>",
                card(
                    "https://www.tiktok.com/@a/video/1",
                    "tiktok.com/@a/video/1",
                    "TikTok"
                )
            ),
        ),
        (
            "<blockquote class=mastodon-embed data-embed-url='https://m.example/@a/1/embed'>words</blockquote>",
            &format!(
                "{}<blockquote>words</blockquote>",
                card("https://m.example/@a/1", "m.example/@a/1", "m.example")
            ),
        ),
        (
            "<blockquote class=pull>words</blockquote>",
            "<blockquote>words</blockquote>",
        ),
    ]);
}

#[test]
fn frames_that_count_or_sell_are_no_embeds() {
    check(&[
        (
            "a<iframe src=https://t.example/p width=1 height=1></iframe>b",
            "ab",
        ),
        (
            "a<iframe src=https://t.example/p width=0 height=0>x</iframe>b",
            "axb",
        ),
        (
            "a<iframe src='https://www.googletagmanager.com/ns.html?id=1'></iframe>b",
            "ab",
        ),
        ("a<iframe src='javascript:alert(1)'></iframe>b", "ab"),
        ("a<iframe src='data:text/html,x'></iframe>b", "ab"),
        ("a<iframe src=''></iframe>b", "ab"),
    ]);
}

#[test]
fn a_card_stays_a_card() {
    let once = clean("<iframe src=https://youtu.be/abc title='&lt;b&gt; &amp; “x”'></iframe>");
    assert_eq!(clean(&once), once);
    check(&[
        (
            "<figure class='lede-embed extra'>x</figure>",
            "<figure>x</figure>",
        ),
        ("<div class=lede-embed>x</div>", "<div>x</div>"),
    ]);
}

#[test]
fn noscript_is_shown_and_raw_text_that_ends_itself_hides_nothing() {
    check(&[
        ("a<noscript><p>x</p></noscript>b", "a<p>x</p>b"),
        ("a <noscript> b <p>c</p>", "a  b <p>c</p>"),
        ("a<noembed>b</noembed><noframes>c</noframes>", "abc"),
        ("a<script src='x'/>b<p>c</p>", "ab<p>c</p>"),
        ("a<script src='x' />b<script>var c</script>d", "abd"),
        ("a<script src='x' />var b</script>c", "ac"),
        ("a<script src=//x/y/>var b</script>c", "ac"),
        ("a<script async/>b<p>c", "ab<p>c</p>"),
        ("a<style/>b<p>c", "ab<p>c</p>"),
        ("a<title/>b<p>c</p>", "ab<p>c</p>"),
        ("a<script>var b", "a"),
    ]);
}

#[test]
fn a_picture_that_is_loaded_late_is_found_once() {
    let real = image("https://example.org/r.jpg");
    let sized = "https://example.org/r-300x200.jpg";
    check(&[
        (
            "<img class=lazy src=/blank.gif data-src=/r.jpg><noscript><img src=/r.jpg></noscript>",
            &real,
        ),
        (
            "<noscript><img src=/r.jpg></noscript><img class=lazy data-src=/r.jpg>",
            &real,
        ),
        (
            "<img src='data:image/png;base64,iVBORw0KGgo='><noscript><img src=/r.jpg></noscript>",
            &real,
        ),
        (
            "<noscript><img src=/r.jpg></noscript><img src=/img/placeholder.png>",
            &real,
        ),
        (
            "<img data-src=/r-300x200.jpg><noscript><img src=/r.jpg?w=9></noscript>",
            &image(sized),
        ),
        ("<img src=/spacer.gif data-whatever=/r.jpg>", &real),
        (
            "<img data-whatever='/r.jpg?x=1'>",
            &image("https://example.org/r.jpg?x=1"),
        ),
        (
            "<img src=/r.jpg data-src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>",
            &real,
        ),
        ("<img src=/r.jpg data-url=/gallery/1>", &real),
        (
            "<amp-img src=/r.jpg layout=fill><noscript><img src=/r.jpg></noscript></amp-img>",
            &real,
        ),
        (
            "<img src=/loading-dock.jpg>",
            &image("https://example.org/loading-dock.jpg"),
        ),
        (
            "<noscript><img src=/r.jpg></noscript><p>x</p><img src=/blank.png>",
            &format!("{real}<p>x</p>{}", image("https://example.org/blank.png")),
        ),
        ("<img src=/r.jpg><img src=/r.jpg>", &format!("{real}{real}")),
        (
            "<picture><source srcset='/a.jpg 1x, /r.jpg 2x'><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='></picture>",
            &format!(
                "<picture><source srcset=\"https://example.org/a.jpg 1x, https://example.org/r.jpg 2x\">{real}</picture>"
            ),
        ),
        (
            "<iframe data-src=https://youtu.be/abc></iframe><noscript><iframe src=https://youtu.be/abc></iframe></noscript>",
            &card(VIDEO, "youtube.com/watch?v=abc", "YouTube"),
        ),
    ]);
}

#[test]
fn many_embeds_cost_little() {
    for shape in [
        "<iframe>".repeat(20_000),
        "<object>".repeat(20_000) + "</object>",
        "<form>".repeat(20_000) + "</form>",
        "<script/>".repeat(20_000),
        "<video src=/a>".repeat(10_000),
        "<blockquote class=twitter-tweet>".repeat(5_000),
        "<noscript><img src=/a.png>".repeat(5_000),
    ] {
        let out = clean(&shape);
        assert!(out.len() <= 10 * shape.len());
    }
}
