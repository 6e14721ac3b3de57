//! Generated feeds: the same text on every run, in the structure of typical blog feeds.
//!
//! Words follow Zipf's law over a vocabulary of realistic size, because the cost of a search index
//! depends on its distinct words. Items have about 2 KB of HTML with links, an image and a list,
//! because the cost of cleaning depends on the tags.

use std::fmt::Write as _;

use lede_bench_kit::words::Chance;

/// 2026-01-01T00:00:00Z: the date of the first item of every feed. Later ones are an hour apart.
const FIRST_HOUR: i64 = 1_767_225_600 / 3600;

/// Returns feed `number` with its newest `items` items, after `changes` more were published. Half
/// are RSS (with the HTML in CDATA or escaped, as both are common) and half are Atom.
pub(crate) fn feed(number: usize, items: usize, changes: usize) -> String {
    let newest_first = (changes..changes + items).rev();
    if number.is_multiple_of(2) {
        rss(number, newest_first)
    } else {
        atom(number, newest_first)
    }
}

/// Returns the media type of feed `number`.
pub(crate) fn media_type(number: usize) -> &'static str {
    if number.is_multiple_of(2) {
        "application/rss+xml; charset=utf-8"
    } else {
        "application/atom+xml; charset=utf-8"
    }
}

struct Item {
    title: String,
    html: String,
    author: String,
}

fn item(feed: usize, position: usize) -> Item {
    let mut chance = Chance(((feed as u64) << 32) | position as u64);
    let mut item = Item {
        title: String::new(),
        html: String::with_capacity(2200),
        author: String::new(),
    };
    chance.words(7, &mut item.title);
    chance.words(2, &mut item.author);
    let html = &mut item.html;
    html.push_str("<p>");
    chance.sentences(3, html);
    let _ = write!(
        html,
        "<a href=\"https://site{feed}.example.org/about/{position}?utm_source=feed\" class=\"more\">"
    );
    chance.words(4, html);
    html.push_str("</a> ");
    chance.sentences(2, html);
    let _ = write!(
        html,
        "</p>\n<figure><img src=\"/pictures/{position}.jpg\" alt=\"{position}\" width=\"800\" height=\"450\" \
         style=\"border:0\"></figure>\n<ul>"
    );
    for _ in 0..3 {
        html.push_str("<li><strong>");
        chance.words(2, html);
        html.push_str("</strong> ");
        chance.sentences(1, html);
        html.push_str("</li>");
    }
    html.push_str("</ul>\n");
    for _ in 0..2 {
        html.push_str("<p>");
        chance.sentences(3, html);
        html.push_str("<em>");
        chance.words(3, html);
        html.push_str("</em> &amp; ");
        chance.sentences(1, html);
        let _ = write!(html, "<a href=\"/tags/{}\">", chance.below(100));
        chance.words(1, html);
        html.push_str("</a></p>\n");
    }
    item
}

fn rss(number: usize, positions: impl Iterator<Item = usize>) -> String {
    let site = format!("https://site{number}.example.org");
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" \
         xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n<channel><title>Feed {number}</title>\
         <link>{site}/</link><description>A feed</description>\n"
    );
    for position in positions {
        let Item {
            title,
            html,
            author,
        } = item(number, position);
        let _ = write!(
            text,
            "<item><title>{title}</title><link>{site}/{position}</link>\
             <guid isPermaLink=\"false\">{number}-{position}</guid><dc:creator>{author}</dc:creator>\
             <pubDate>{}</pubDate>",
            http_date(FIRST_HOUR + position as i64)
        );
        if number.is_multiple_of(4) {
            let _ = write!(
                text,
                "<content:encoded><![CDATA[{html}]]></content:encoded>"
            );
        } else {
            let _ = write!(text, "<description>{}</description>", escaped(&html));
        }
        text.push_str("</item>\n");
    }
    text.push_str("</channel></rss>\n");
    text
}

fn atom(number: usize, positions: impl Iterator<Item = usize>) -> String {
    let site = format!("https://site{number}.example.org");
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\
         <title>Feed {number}</title><link href=\"{site}/\"/><id>{site}/</id>\n"
    );
    for position in positions {
        let Item {
            title,
            html,
            author,
        } = item(number, position);
        let at = lede_model::time::Timestamp::from_seconds((FIRST_HOUR + position as i64) * 3600);
        let _ = writeln!(
            text,
            "<entry><title>{title}</title><link href=\"{site}/{position}\"/>\
             <id>tag:site{number}.example.org,2026:{position}</id><author><name>{author}</name></author>\
             <updated>{at}</updated><content type=\"html\">{}</content></entry>",
            escaped(&html)
        );
    }
    text.push_str("</feed>\n");
    text
}

fn escaped(html: &str) -> String {
    html.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Formats an hour since 1970, within January or February 2026, as in HTTP and RSS.
fn http_date(hour: i64) -> String {
    let (days, hour) = ((hour - FIRST_HOUR) / 24, hour % 24);
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][days as usize % 7];
    let (month, day) = if days < 31 {
        ("Jan", days + 1)
    } else {
        ("Feb", days - 30)
    };
    format!("{weekday}, {day:02} {month} 2026 {hour:02}:00:00 GMT")
}

/// Returns the validators of a feed after `changes` changes: `ETag` and `Last-Modified`.
pub(crate) fn validators(number: usize, changes: usize) -> (String, String) {
    (
        format!("\"{number}-{changes}\""),
        http_date(FIRST_HOUR + changes as i64),
    )
}
