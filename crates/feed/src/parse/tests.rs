//! Whole documents through [`parse`]: the result for each format, and the effect of each error.

use super::*;
use crate::parsed::{FeedKind, ParsedEntry, TextKind};

fn read(document: &str) -> ParsedFeed {
    let url = WebUrl::parse("https://example.org/blog/feed.xml").expect("a good address");
    parse(document.as_bytes(), None, &url).expect("a feed")
}

fn entry(document: &str) -> ParsedEntry {
    read(document).entries.into_iter().next().expect("an entry")
}

fn error(document: &str) -> ParseError {
    let url = WebUrl::parse("https://example.org/").expect("a good address");
    parse(document.as_bytes(), None, &url).expect_err("no feed")
}

#[test]
fn an_rss_item_gives_all_it_has() {
    let feed = read(
        "<rss version='2.0'><channel><title>T</title><link>/</link><description>D</description>
         <language>de-at</language><ttl>60</ttl><skipHours><hour>24</hour><hour>3</hour></skipHours>
         <skipDays><day>Sunday</day></skipDays>
         <image><url>i.png</url><title>not the title</title><link>not the link</link></image>
         <atom:link rel='self' href='https://example.org/feed' /><atom:link rel='hub' href='https://hub.example/' />
         <item><title>A &amp; B</title><link>a?b=1&amp;c=2</link><guid isPermaLink='false'>42</guid>
         <description>short</description><content:encoded><![CDATA[<p>long <a href=\"x\">y</a></p>]]></content:encoded>
         <author>jo@example.org (Jo)</author><category>c1</category><category>c2</category><category>c1</category>
         <pubDate>Sat, 06 Mar 2021 09:05:03 GMT</pubDate><comments>/c</comments>
         <enclosure url='/a.mp3' length='7' type='audio/mpeg'/></item></channel></rss>",
    );
    assert_eq!(feed.kind, FeedKind::Rss20);
    assert!(!feed.recovered);
    assert_eq!(feed.title.expect("title").value, "T");
    assert_eq!(feed.subtitle.expect("subtitle").value, "D");
    assert_eq!(feed.site_url.as_deref(), Some("https://example.org/"));
    assert_eq!(feed.self_url.as_deref(), Some("https://example.org/feed"));
    assert_eq!(feed.hub_urls, ["https://hub.example/"]);
    assert_eq!(feed.language.as_deref(), Some("de-at"));
    assert_eq!(
        feed.image.as_deref(),
        Some("https://example.org/blog/i.png")
    );
    assert_eq!(feed.hints.ttl_minutes, Some(60));
    assert_eq!(feed.hints.skip_hours, [0, 3]);
    assert_eq!(feed.hints.skip_days, [6]);
    let entry = &feed.entries[0];
    assert_eq!(entry.title.as_ref().expect("title").value, "A & B");
    assert_eq!(
        entry.link.as_deref(),
        Some("https://example.org/blog/a?b=1&c=2")
    );
    assert_eq!(entry.id.as_deref(), Some("42"));
    assert!(!entry.id_is_permalink);
    assert_eq!(entry.summary.as_ref().expect("summary").value, "short");
    assert_eq!(entry.content[0].kind, TextKind::Html);
    assert_eq!(
        entry.content[0].resolved(),
        "<p>long <a href=\"https://example.org/blog/x\">y</a></p>"
    );
    assert_eq!(entry.authors[0].name.as_deref(), Some("Jo"));
    assert_eq!(entry.authors[0].email.as_deref(), Some("jo@example.org"));
    let terms: Vec<_> = entry.categories.iter().map(|c| c.term.as_str()).collect();
    assert_eq!(terms, ["c1", "c2"]);
    assert_eq!(
        entry.published_at.expect("date").as_seconds(),
        1_615_021_503
    );
    assert_eq!(entry.comments_url.as_deref(), Some("https://example.org/c"));
    assert_eq!(entry.enclosures[0].url, "https://example.org/a.mp3");
    assert_eq!(entry.enclosures[0].length, Some(7));
}

#[test]
fn an_atom_entry_gives_all_it_has() {
    let feed = read(
        "<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='en' xml:base='https://other.example/x/'>
         <title type='html'>&lt;b>T&lt;/b></title><link rel='alternate' href='y'/>
         <link rel='self' href='/feed'/><icon>/i.ico</icon><id>urn:f</id><updated>2021-03-06T09:05:03Z</updated>
         <entry><title>E</title><id>urn:e</id><link href='e'/><link rel='enclosure' href='e.mp3' type='audio/mpeg' length='9'/>
         <author><name>Jo</name><email>jo@example.org</email><uri>/jo</uri></author>
         <category term='t' label='T'/><published>2021-03-05T09:05:03Z</published><updated>2021-03-06T09:05:03Z</updated>
         <content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>a <b>c</b> &amp; d<br/></div></content>
         <source><title>S</title><link href='https://s.example/'/></source></entry></feed>",
    );
    assert_eq!(feed.kind, FeedKind::Atom10);
    assert_eq!(feed.title.expect("title").kind, TextKind::Html);
    assert_eq!(feed.site_url.as_deref(), Some("https://other.example/x/y"));
    assert_eq!(feed.self_url.as_deref(), Some("https://other.example/feed"));
    assert_eq!(feed.icon.as_deref(), Some("https://other.example/i.ico"));
    let entry = &feed.entries[0];
    assert_eq!(entry.id.as_deref(), Some("urn:e"));
    assert_eq!(entry.link.as_deref(), Some("https://other.example/x/e"));
    assert_eq!(entry.content[0].value, "a <b>c</b> &amp; d<br />");
    assert_eq!(entry.content[0].language.as_deref(), Some("en"));
    assert_eq!(
        entry.authors[0].url.as_deref(),
        Some("https://other.example/jo")
    );
    assert_eq!(entry.categories[0].label.as_deref(), Some("T"));
    assert_eq!(entry.enclosures[0].mime.as_deref(), Some("audio/mpeg"));
    let source = entry.source.as_ref().expect("source");
    assert_eq!(source.title.as_ref().expect("title").value, "S");
    assert_eq!(source.link.as_deref(), Some("https://s.example/"));
    assert_eq!(entry.title.as_ref().expect("title").value, "E");
}

#[test]
fn every_format_is_recognised() {
    let atom = "xmlns='http://www.w3.org/2005/Atom'";
    let rdf = "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'";
    let cases = [
        (
            "<rss version='0.91'><channel><item/></channel></rss>".to_owned(),
            FeedKind::Rss091,
        ),
        (
            "<rss><channel><item/></channel></rss>".to_owned(),
            FeedKind::Rss,
        ),
        (
            format!(
                "<rdf:RDF {rdf} xmlns='http://purl.org/rss/1.0/'><channel/><item rdf:about='x'/></rdf:RDF>"
            ),
            FeedKind::Rss10,
        ),
        (
            format!(
                "<rdf:RDF {rdf} xmlns='http://my.netscape.com/rdf/simple/0.9/'><channel/><item/></rdf:RDF>"
            ),
            FeedKind::Rss090,
        ),
        (
            "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry/></feed>".to_owned(),
            FeedKind::Atom03,
        ),
        (format!("<feed {atom}><entry/></feed>"), FeedKind::Atom10),
        (
            format!("<entry {atom}><title>x</title></entry>"),
            FeedKind::Atom10,
        ),
        (
            "<CHANNEL HREF='http://x/'><ITEM HREF='http://x/1'/></CHANNEL>".to_owned(),
            FeedKind::Cdf,
        ),
        (
            "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"id\":1}]}".to_owned(),
            FeedKind::Json,
        ),
    ];
    for (document, kind) in cases {
        let feed = read(&document);
        assert_eq!((feed.kind, feed.entries.len()), (kind, 1), "{document}");
    }
}

#[test]
fn a_text_is_read_as_its_type_says() {
    let atom10 = "http://www.w3.org/2005/Atom";
    let atom03 = "http://purl.org/atom/ns#' version='0.3";
    let xhtml = "xmlns='http://www.w3.org/1999/xhtml'";
    let cases = [
        (
            atom10,
            "type='text'>a &lt;b> &amp;amp;".to_owned(),
            TextKind::Plain,
            "a <b> &amp;",
        ),
        (atom10, ">a &lt;b>".to_owned(), TextKind::Plain, "a <b>"),
        (
            atom10,
            "type='html'>&lt;p>a&amp;amp;b&lt;/p>".to_owned(),
            TextKind::Html,
            "<p>a&amp;b</p>",
        ),
        (
            atom10,
            "type='html'><![CDATA[<p>a&amp;b</p>]]>".to_owned(),
            TextKind::Html,
            "<p>a&amp;b</p>",
        ),
        (
            atom10,
            "type='html'><div>&lt;i>a&lt;/i></div>".to_owned(),
            TextKind::Html,
            "<i>a</i>",
        ),
        (
            atom10,
            "type='html'>a <i>b</i>".to_owned(),
            TextKind::Xhtml,
            "a <i>b</i>",
        ),
        (
            atom10,
            format!("type='xhtml'>\n <div {xhtml}><p>a &amp; b</p></div>\n"),
            TextKind::Xhtml,
            "<p>a &amp; b</p>",
        ),
        (
            atom10,
            format!("type='xhtml'><div {xhtml}>a</div><div>b</div>"),
            TextKind::Xhtml,
            "<div>a</div><div>b</div>",
        ),
        (
            atom10,
            "type='xhtml'><h:div xmlns:h='http://www.w3.org/1999/xhtml'><h:img src='a'/></h:div>"
                .to_owned(),
            TextKind::Xhtml,
            "<img src=\"a\" />",
        ),
        (
            atom10,
            "type='application/octet-stream'> YSA8Yj4= ".to_owned(),
            TextKind::Html,
            "a <b>",
        ),
        (
            atom03,
            "mode='base64' type='text/plain'>YSA8Yj4=".to_owned(),
            TextKind::Plain,
            "a <b>",
        ),
        (
            atom03,
            "mode='escaped' type='text/html'>&lt;b>a".to_owned(),
            TextKind::Html,
            "<b>a",
        ),
        (
            atom03,
            format!("mode='xml' type='application/xhtml+xml'><div {xhtml}>a</div>"),
            TextKind::Xhtml,
            "<div>a</div>",
        ),
    ];
    for (namespace, content, kind, value) in cases {
        let entry = entry(&format!(
            "<feed xmlns='{namespace}'><entry><content {content}</content></entry></feed>"
        ));
        let text = &entry.content[0];
        assert_eq!((text.kind, text.value.as_str()), (kind, value), "{content}");
    }
}

#[test]
fn a_title_without_type_is_html_only_if_it_looks_so() {
    let cases = [
        ("Tom &amp; Jerry", TextKind::Plain, "Tom & Jerry"),
        ("Tom &amp;amp; Jerry", TextKind::Html, "Tom &amp; Jerry"),
        (
            "<![CDATA[Tom &amp; Jerry]]>",
            TextKind::Html,
            "Tom &amp; Jerry",
        ),
        ("1 &lt; 2", TextKind::Plain, "1 < 2"),
        ("caf&eacute; &#8217;", TextKind::Plain, "café ’"),
        ("itâ€™s", TextKind::Plain, "it’s"),
    ];
    for (written, kind, value) in cases {
        let document =
            format!("<rss><channel><item><title>{written}</title></item></channel></rss>");
        let title = entry(&document).title.expect("title");
        assert_eq!(
            (title.kind, title.value.as_str()),
            (kind, value),
            "{written}"
        );
    }
}

#[test]
fn references_are_relative_to_the_nearest_base() {
    let entry = entry(
        "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='/a/'><title xml:base='x/'>t</title>
         <entry xml:base='b/'><link href='c'/><id>/d</id><content type='html' xml:base='e/'>&lt;a href='f'></content>
         <summary type='html' xml:base='javascript:'>&lt;a href='g'></summary></entry></feed>",
    );
    assert_eq!(entry.link.as_deref(), Some("https://example.org/a/b/c"));
    assert_eq!(entry.id.as_deref(), Some("https://example.org/d"));
    assert_eq!(
        entry.content[0].resolved(),
        "<a href='https://example.org/a/b/e/f'>"
    );
    let summary = entry.summary.expect("summary");
    assert_eq!(summary.resolved(), "<a href='https://example.org/a/b/g'>");
}

#[test]
fn a_json_feed_may_be_careless() {
    let feed = read(
        r#"{"version":"1.1","title":"T","home_page_url":"/","items":[
            {"id":7,"url":"a","content_html":"<p>x</p>","tags":"one, two","author":{"name":"Jo"},
             "date_published":"2021-03-06T09:05:03Z","attachments":[{"url":"a.mp3","size_in_bytes":5}]},
            "not an item",
            {"title":5,"external_url":"https://other.example/"}]}"#,
    );
    assert_eq!(feed.site_url.as_deref(), Some("https://example.org/"));
    assert_eq!(feed.entries.len(), 2);
    let entry = &feed.entries[0];
    assert_eq!(entry.id.as_deref(), Some("7"));
    assert_eq!(entry.link.as_deref(), Some("https://example.org/blog/a"));
    assert_eq!(entry.categories.len(), 2);
    assert_eq!(entry.authors[0].name.as_deref(), Some("Jo"));
    assert_eq!(entry.enclosures[0].length, Some(5));
    assert_eq!(
        feed.entries[1].link.as_deref(),
        Some("https://other.example/")
    );
}

#[test]
fn a_fault_costs_at_most_the_value_it_is_in() {
    // Each has two items; both must be found, and the second must be intact.
    let second =
        "<item><title>two</title><link>https://example.org/2</link></item></channel></rss>";
    let cases = [
        "<rss><channel><item><title>one</title></item>",
        "<rss><channel><item><title>one</title>",
        "<rss><channel><item><title>one</item>",
        "<rss><channel><item><title>one & more <br> < x</title></item>",
        "<rss><channel><item><title>one</TITLE></Item>",
        "<rss><channel><item><description><p>one<b>x</p></description></item>",
        "<rss><channel><item><description><![CDATA[one</description></item>",
        "<rss><channel><item><title>one</b></title></i></item>",
        "<rss><channel><item><title>one<guid>1</guid></item>",
        "<rss><channel><item><link href='x>one</link></item>",
        "<rss><channel><item><description><p>one</p> two <pubDate>2021-03-06</pubDate></item>",
        "<rss><channel><item><description type='xhtml'><p>one</p>",
        "<rss><channel><item><body><p>one</p>",
        "<rss><channel><image><url>x</url><item><title>one</title></item>",
        "<b>Warning</b>: mysql<br />\n<?xml version='1.0'?><rss version='2.0'><channel><item/>",
        "<rss><channel><!-- no end <item><title>one</title></item>",
        "<rss><channel><item><pubDate>never</pubDate><itunes:x y='z' y='z'/></item>",
    ];
    for first in cases {
        let feed = read(&format!("{first}{second}"));
        assert_eq!(feed.entries.len(), 2, "{first}");
        let entry = &feed.entries[1];
        assert_eq!(entry.title.as_ref().expect("title").value, "two", "{first}");
        assert_eq!(
            entry.link.as_deref(),
            Some("https://example.org/2"),
            "{first}"
        );
    }
}

#[test]
fn a_json_feed_that_was_cut_off_keeps_its_whole_items() {
    let start = "{\"title\":\"T\",\"items\":[{\"id\":\"1\",\"tags\":[\"{\"]},\n{\"id\":\"2\"},";
    for rest in ["{\"id\":\"3", "{\"id\":,}]}", ""] {
        let feed = read(&format!("{start}{rest}"));
        assert_eq!(feed.entries.len(), 2, "{rest}");
        assert!(feed.recovered);
    }
}

#[test]
fn values_of_an_object_inside_an_entry_do_not_replace_its_own() {
    let nested = "<activity:object><id>o</id><title>O</title><link href='http://o/'/>
        <published>2001-01-01</published><content>O</content><author><name>O</name></author></activity:object>";
    let own = "<id>e</id><title>E</title><link href='http://e/'/><published>2021-03-06</published>
        <content>E</content><author><name>E</name></author>";
    for (first, second) in [(nested, own), (own, nested)] {
        let entry = entry(&format!(
            "<feed xmlns='http://www.w3.org/2005/Atom'><entry>{first}{second}</entry></feed>"
        ));
        assert_eq!(entry.id.as_deref(), Some("e"));
        assert_eq!(entry.title.expect("title").value, "E");
        assert_eq!(entry.link.as_deref(), Some("http://e/"));
        assert_eq!(entry.published_raw.as_deref(), Some("2021-03-06"));
        assert_eq!(entry.content.len(), 1);
        assert_eq!(entry.content[0].value, "E");
        assert_eq!(entry.authors.len(), 1);
        assert_eq!(entry.authors[0].name.as_deref(), Some("E"));
    }
}

#[test]
fn unclosed_elements_do_not_swallow_the_entries_after_them() {
    let document = format!("<rss><channel>{}<item/><item/>", "<a>".repeat(1000));
    assert_eq!(read(&document).entries.len(), 2);
    let document = format!("<rss><channel><item>{}</item><item/>", "<a>".repeat(1000));
    assert_eq!(read(&document).entries.len(), 2);
}

#[test]
fn what_is_no_feed_is_named() {
    assert_eq!(error(" \n "), ParseError::Empty);
    assert_eq!(
        error("<!DOCTYPE html><html><body>hi").to_string(),
        "the address leads to a web page, not to a feed"
    );
    assert_eq!(error("{}"), ParseError::NotAFeed(Document::Json));
    assert_eq!(error("[1]"), ParseError::NotAFeed(Document::Json));
    assert!(matches!(error("{\"items\":["), ParseError::BadJson(_)));
    assert!(matches!(
        error(&"[".repeat(100_000)),
        ParseError::BadJson(_)
    ));
}

#[test]
fn second_best_values_are_used_when_the_best_is_missing() {
    let podcast = entry(
        "<rss><channel><item><itunes:subtitle>sub</itunes:subtitle><itunes:summary>sum</itunes:summary>
         <itunes:image href='i.png'/><itunes:duration>12:30</itunes:duration></item></channel></rss>",
    );
    assert_eq!(podcast.summary.expect("summary").value, "sum");
    assert_eq!(
        podcast.image.as_deref(),
        Some("https://example.org/blog/i.png")
    );
    assert_eq!(podcast.duration.as_deref(), Some("12:30"));
    let video = entry(
        "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:media='http://search.yahoo.com/mrss/'><entry>
         <media:group><media:title>MT</media:title><media:description>MD</media:description>
         <media:thumbnail url='t.jpg'/><media:content url='v.mp4' type='video/mp4'/></media:group></entry></feed>",
    );
    assert_eq!(video.title.expect("title").value, "MT");
    assert_eq!(video.summary.expect("summary").value, "MD");
    assert_eq!(video.thumbnails, ["https://example.org/blog/t.jpg"]);
    assert_eq!(video.enclosures[0].url, "https://example.org/blog/v.mp4");
    let guid =
        entry("<rss><channel><item><guid>https://example.org/g</guid></item></channel></rss>");
    assert_eq!(guid.link.as_deref(), Some("https://example.org/g"));
    let beside = entry(
        "<rss><channel><item><link>https://example.org/l</link><atom:link href='https://example.org/feed'/>
         <guid>https://example.org/g</guid></item></channel></rss>",
    );
    assert_eq!(beside.link.as_deref(), Some("https://example.org/l"));
    assert!(beside.id_is_permalink);
    let number = entry("<rss><channel><item><guid>17</guid></item></channel></rss>");
    assert_eq!((number.id.as_deref(), number.link), (Some("17"), None));
}

#[test]
fn values_and_lists_have_their_limits() {
    let item = format!(
        "<item><title>{0}</title><guid>{0}</guid><author>{0}</author><link>http://x/{0}</link>{1}{2}</item>",
        "ä".repeat(2000),
        (0..100)
            .map(|n| format!("<category>{n}</category>"))
            .collect::<String>(),
        (0..100)
            .map(|n| format!("<enclosure url='{n}'/>"))
            .collect::<String>(),
    );
    let entry = entry(&format!("<rss><channel>{item}</channel></rss>"));
    assert_eq!(entry.title.expect("title").value.len(), MAX_TITLE_BYTES);
    assert!(entry.id.expect("id").starts_with("sha256:"));
    assert_eq!(
        entry.authors[0].name.as_ref().expect("name").len(),
        MAX_NAME_BYTES
    );
    assert_eq!(entry.link, None);
    assert_eq!(entry.categories.len(), MAX_CATEGORIES);
    assert_eq!(entry.enclosures.len(), MAX_ENCLOSURES);
    let many = format!(
        "<rss><channel>{}</channel></rss>",
        "<item/>".repeat(MAX_ENTRIES + 10)
    );
    assert_eq!(read(&many).entries.len(), MAX_ENTRIES);
}

#[test]
fn the_caption_of_a_picture_is_not_the_text_of_the_entry() {
    let caption = "A caption that is much longer than the description of the entry is";
    let item = |inside: &str| {
        let feed = read(&format!(
            "<rss version='2.0' xmlns:media='http://search.yahoo.com/mrss/' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><item>{inside}</item></channel></rss>"
        ));
        feed.entries[0].clone()
    };
    let described = format!("<media:description>{caption}</media:description>");
    let picture = format!("<media:content url='p.jpg' medium='image'>{described}</media:content>");
    let text = |entry: &ParsedEntry| {
        assert!(entry.content.is_empty());
        entry.summary.as_ref().map(|text| text.value.clone())
    };
    let caption_of = |entry: &ParsedEntry| {
        let caption = entry.enclosures[0].caption.as_ref();
        caption.map(|text| text.value.clone())
    };
    // In the image, in a group with it, and beside it, before and after the description.
    for inside in [
        format!("<description>Short</description>{picture}"),
        format!("{picture}<description>Short</description>"),
        format!("<description>Short</description><media:group>{picture}</media:group>"),
        format!(
            "<description>Short</description><media:content url='p.jpg' type='image/jpeg'/>{described}"
        ),
        format!("{described}<media:content url='p.jpg'/><description>Short</description>"),
    ] {
        let entry = item(&inside);
        assert_eq!(text(&entry).as_deref(), Some("Short"), "{inside}");
        assert_eq!(caption_of(&entry).as_deref(), Some(caption), "{inside}");
    }
    let subtitled = item(&format!(
        "<description>Short</description><itunes:subtitle>{caption}</itunes:subtitle>"
    ));
    assert_eq!(text(&subtitled).as_deref(), Some("Short"));
    // A video is the subject of its entry; a caption alone stays with its image.
    let film = item(&format!(
        "<media:content url='v.mp4' type='video/mp4'>{described}</media:content>"
    ));
    assert_eq!(text(&film).as_deref(), Some(caption));
    assert_eq!(text(&item(&picture)), None);
    let player = item("<media:player url='https://v.example/1'/>");
    assert_eq!(player.players, ["https://v.example/1"]);
}

#[test]
fn markup_is_distinguished_from_text_by_its_content() {
    use TextKind::{Html, Plain};
    let atom = |inside: &str| {
        read(&format!(
            "<feed xmlns='http://www.w3.org/2005/Atom'><entry>{inside}</entry></feed>"
        ))
    };
    let rss = |inside: &str| {
        read(&format!(
            "<rss version='2.0'><channel><item>{inside}</item></channel></rss>"
        ))
    };
    let json = |inside: &str| read(&format!("{{\"items\": [{{\"id\": 1, {inside}}}]}}"));
    let cases = [
        // Short feeds of Blogger.
        (
            atom("<summary type='text'>It&amp;#39;s&amp;nbsp;so</summary>"),
            "It's\u{a0}so",
            Plain,
        ),
        (
            atom("<summary type='text'>use &lt;div&gt; here</summary>"),
            "use <div> here",
            Plain,
        ),
        (
            atom("<summary type='text'>a &lt;b&gt;b&lt;/b&gt; tag</summary>"),
            "a <b>b</b> tag",
            Plain,
        ),
        (
            atom("<summary type='text'>&lt;p&gt;x&lt;/p&gt;</summary>"),
            "<p>x</p>",
            Html,
        ),
        (
            atom("<summary type='text'>&amp;lt;p&amp;gt;x&amp;lt;/p&amp;gt;</summary>"),
            "<p>x</p>",
            Html,
        ),
        (
            atom("<content><![CDATA[a <b>b</b> c]]></content>"),
            "a <b>b</b> c",
            Html,
        ),
        (
            atom("<content><![CDATA[<p>a</p>]]></content>"),
            "<p>a</p>",
            Html,
        ),
        (atom("<content>a &lt;T&gt; b</content>"), "a <T> b", Plain),
        (
            atom("<title>The &lt;b&gt; element</title>"),
            "The <b> element",
            Plain,
        ),
        (
            atom("<title>Tom &amp;amp; Jerry</title>"),
            "Tom & Jerry",
            Plain,
        ),
        (rss("<title>It&amp;amp;#8217;s</title>"), "It&#8217;s", Html),
        (
            rss("<title>Using &amp;lt;div&amp;gt;</title>"),
            "Using &lt;div&gt;",
            Html,
        ),
        (
            rss("<title>Using &lt;div&gt;</title>"),
            "Using <div>",
            Plain,
        ),
        (
            rss("<description>&amp;lt;p&amp;gt;x&amp;lt;/p&amp;gt;</description>"),
            "<p>x</p>",
            Html,
        ),
        (
            rss("<description>Write &amp;lt;p&amp;gt; first</description>"),
            "Write &lt;p&gt; first",
            Html,
        ),
        (
            json("\"title\": \"Tom &amp; Jerry&#8217;s\""),
            "Tom & Jerry’s",
            Plain,
        ),
        (
            json("\"title\": \"Using <div> today\""),
            "Using <div> today",
            Plain,
        ),
        (json("\"title\": \"AT&T\""), "AT&T", Plain),
        (
            json("\"content_html\": \"&lt;p&gt;a &amp;amp; b&lt;/p&gt;\""),
            "<p>a &amp; b</p>",
            Html,
        ),
        (
            json("\"content_html\": \"say &lt;p&gt;\""),
            "say &lt;p&gt;",
            Html,
        ),
        (json("\"content_text\": \"a <b> b\""), "a <b> b", Plain),
        (json("\"content_text\": \"<p>a</p>\""), "<p>a</p>", Html),
    ];
    for (feed, value, kind) in cases {
        let entry = &feed.entries[0];
        let mut texts = entry
            .title
            .iter()
            .chain(&entry.summary)
            .chain(&entry.content);
        let text = texts.next().unwrap();
        assert_eq!((text.value.as_str(), text.kind), (value, kind));
    }
}

#[test]
fn a_feed_that_is_wrapped_into_a_page_is_still_a_feed() {
    let rss = "<rss version='2.0'><channel><title>F</title><link>https://a.org/</link><item><title>I</title><description>d &lt;b&gt;e&lt;/b&gt;</description></item></channel></rss>";
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><title>F</title><link href='https://a.org/'/><entry><title>I</title><content type='xhtml'><body xmlns='http://www.w3.org/1999/xhtml'><p>d</p></body></content></entry></feed>";
    let escape = |feed: &str| feed.replace('&', "&amp;").replace('<', "&lt;");
    for feed in [rss, atom] {
        let direct = read(feed);
        for wrapped in [
            format!("<html><body>{feed}</body></html>"),
            format!(
                "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Page</title><link rel=stylesheet href=x.css></head><body><pre>{feed}</pre></body></html>"
            ),
            format!(
                "<html><head></head><body><pre style='x'>{}</pre></body></html>",
                escape(feed)
            ),
        ] {
            let read = read(&wrapped);
            assert_eq!(read.entries.len(), 1, "{wrapped}");
            let values = |feed: &ParsedFeed| {
                let entry = &feed.entries[0];
                let texts = entry
                    .content
                    .iter()
                    .chain(&entry.summary)
                    .chain(&entry.title);
                let texts = texts.chain(&feed.title).map(|text| text.value.clone());
                (feed.kind, feed.site_url.clone(), texts.collect::<Vec<_>>())
            };
            assert_eq!(values(&read), values(&direct), "{wrapped}");
        }
    }
    let page = "<html><body><p>An example:</p><pre>&lt;rss version='2.0'&gt;&lt;/rss&gt;</pre>";
    assert!(
        parse(
            page.as_bytes(),
            None,
            &WebUrl::parse("https://a.org/").unwrap()
        )
        .is_err()
    );
}
