//! Lists written by programs, and by attackers.

use lede_model::address::AddressError;
use lede_model::import::OpmlError;
use lede_model::time::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::xml::Tokenizer;

const NOW: Timestamp = Timestamp::from_seconds(1_773_489_600);

fn list(document: &str) -> List {
    read(document.as_bytes(), None).expect("a list").list
}

/// Formats the feeds of a list in a short notation: `folder/folder/title=address`.
fn shown(list: &List) -> Vec<String> {
    let line = |placed: &Placed<'_>| {
        let mut line: String = placed.folders.iter().map(|f| format!("{f}/")).collect();
        line.push_str(placed.feed.title.as_deref().unwrap_or("-"));
        format!("{line}={}", placed.feed.url)
    };
    list.feeds().iter().map(line).collect()
}

fn feed(title: Option<&str>, url: &str) -> Outline {
    Outline::Feed(Feed {
        title: title.map(str::to_owned),
        url: url.to_owned(),
        ..Feed::default()
    })
}

fn folder(name: &str, outlines: Vec<Outline>) -> Outline {
    Outline::Folder(Folder {
        name: name.to_owned(),
        outlines,
    })
}

#[test]
fn a_list_is_read_as_it_was_meant() {
    let read = list(
        "<?xml version='1.0' encoding='UTF-8'?><opml version='1.1'><head><title>Mine &amp; yours</title>\
         <dateCreated>x</dateCreated></head><body>\
         <outline text='News' title='News'><outline type='rss' text='A' title='Original' \
         xmlUrl='https://a.org/feed' htmlUrl='https://a.org/'/>\
         <outline text='Local'><outline xmlUrl='https://b.org/' title='B'/></outline></outline>\
         <outline text='C' type='atom' xmlUrl='https://c.org/'></outline>\
         <outline text='Empty'/></body></opml>",
    );
    assert_eq!(read.title.as_deref(), Some("Mine & yours"));
    assert_eq!(
        shown(&read),
        [
            "News/A=https://a.org/feed",
            "News/Local/B=https://b.org/",
            "C=https://c.org/",
        ]
    );
    assert_eq!(read.outlines[2], folder("Empty", vec![]));
    let feeds = read.feeds();
    assert_eq!(feeds[0].feed.site_url.as_deref(), Some("https://a.org/"));
    let (address, _) = feeds[2].feed.address().unwrap();
    assert_eq!(address.as_str(), "https://c.org/");
}

#[test]
fn a_file_that_ends_in_the_middle_is_known_for_one() {
    let feed = "<outline text='A' xmlUrl='a'/>";
    for (document, is_cut) in [
        (format!("<opml><body>{feed}</body></opml>"), false),
        (format!("<opml><body>{feed}</opml>"), false),
        (format!("<OPML>{feed}</OPML >"), false),
        (format!("<opml><body>{feed}</body></op"), true),
        (format!("<opml><body>{feed}<outline text='B' xml"), true),
        (format!("<opml><body><outline text='F'>{feed}"), true),
        // Without an `opml` element the end is unknown.
        (feed.to_owned(), false),
    ] {
        let reading = read(document.as_bytes(), None).unwrap();
        assert_eq!(reading.is_cut, is_cut, "{document}");
        assert_eq!(reading.list.feeds().len(), 1, "{document}");
    }
}

#[test]
fn every_fault_that_programs_make_is_forgiven() {
    for (fault, body, expected) in [
        (
            "case",
            "<OUTLINE TEXT='A' XMLURL='x.org'/>",
            &["A=x.org"][..],
        ),
        ("case", "<Outline text='A' xmlurl='x.org'/>", &["A=x.org"]),
        (
            "only a title",
            "<outline title='A' xmlUrl='x.org'/>",
            &["A=x.org"],
        ),
        ("no name", "<outline xmlUrl='x.org'/>", &["-=x.org"]),
        (
            "the address as name",
            "<outline text='x.org' xmlUrl='x.org'/>",
            &["-=x.org"],
        ),
        (
            "any type",
            "<outline type='pie' text='A' xmlUrl='x.org'/>",
            &["A=x.org"],
        ),
        (
            "url",
            "<outline type='rss' text='A' url='x.org'/>",
            &["A=x.org"],
        ),
        (
            "a link",
            "<outline type='link' text='A' url='x.org'/>",
            &["A=x.org"],
        ),
        ("no address", "<outline text='A' xmlUrl=''/>", &["A="]),
        (
            "a folder with an empty address",
            "<outline text='F' xmlUrl=''><outline text='A' xmlUrl='a'/></outline>",
            &["F/A=a"],
        ),
        ("no address", "<outline type='rss' text='A'/>", &["A="]),
        (
            "feed scheme",
            "<outline text='A' xmlUrl='feed://x.org/a'/>",
            &["A=http://x.org/a"],
        ),
        (
            "feed scheme",
            "<outline text='A' xmlUrl='feed:https://x.org/a'/>",
            &["A=https://x.org/a"],
        ),
        (
            "feed scheme",
            "<outline text='A' xmlUrl=' FEED:feed:x.org'/>",
            &["A=x.org"],
        ),
        (
            "a bare ampersand",
            "<outline text='A & B' xmlUrl='x.org?a=1&b=2'/>",
            &["A & B=x.org?a=1&b=2"],
        ),
        (
            "HTML's entities",
            "<outline text='A&nbsp;&eacute;' xmlUrl='x.org'/>",
            &["A é=x.org"],
        ),
        (
            "markup",
            "<outline text='A <b>' xmlUrl='x.org'/>",
            &["A <b>=x.org"],
        ),
        (
            "lines",
            "<outline text=' A\n\t B ' xmlUrl='\nx.org\n'/>",
            &["A B=x.org"],
        ),
        (
            "no quotes",
            "<outline text=A xmlUrl=x.org></outline>",
            &["A=x.org"],
        ),
        (
            "no ends",
            "<outline text='F'><outline text='A' xmlUrl='a'><outline text='B' xmlUrl='b'>",
            &["F/A=a", "F/B=b"],
        ),
        (
            "broken off",
            "<outline text='F'><outline text='A' xmlUrl='a'/><outline text='B' xml",
            &["F/A=a"],
        ),
        (
            "too many ends",
            "</outline></outline><outline text='A' xmlUrl='a'/>",
            &["A=a"],
        ),
        (
            "a folder without name",
            "<outline><outline text='A' xmlUrl='a'/></outline>",
            &["A=a"],
        ),
        (
            "a feed with children",
            "<outline text='A' xmlUrl='a'><outline text='B' xmlUrl='b'/></outline>",
            &["A=a", "B=b"],
        ),
        (
            "twice",
            "<outline text='A' xmlUrl='a'/><outline text='A' xmlUrl='a'/>",
            &["A=a", "A=a"],
        ),
        (
            "twice in a tag",
            "<outline text='' text='A' xmlUrl='a' xmlUrl='b'/>",
            &["A=a"],
        ),
        ("a prefix", "<o:outline text='A' xmlUrl='a'/>", &["A=a"]),
        (
            "category",
            "<outline text='A' xmlUrl='a' category='/x/y,z'/><outline text='B' xmlUrl='b' category='x'/>",
            &["x/B=b", "x/y/A=a"],
        ),
        (
            "category and folder",
            "<outline text='F'><outline text='A' xmlUrl='a' category='x'/></outline>",
            &["F/A=a"],
        ),
        (
            "category of a folder",
            "<outline text='B' xmlUrl='b' category='F'/><outline text='F'><outline text='A' xmlUrl='a'/></outline>",
            &["F/B=b", "F/A=a"],
        ),
        (
            "empty category",
            "<outline text='A' xmlUrl='a' category=' , / '/>",
            &["A=a"],
        ),
    ] {
        let document = format!("<opml version='2.0'><body>{body}</body></opml>");
        assert_eq!(shown(&list(&document)), expected, "{fault}");
    }
}

#[test]
fn the_charset_may_be_any_and_the_claim_false() {
    let document = "<opml><body><outline text='Café' xmlUrl='x.org'/></body></opml>";
    let utf16: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(document.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let latin: Vec<u8> = format!("<?xml version='1.0' encoding='iso-8859-1'?>{document}")
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    let lying = [&b"<?xml version='1.0' encoding='utf-8'?>"[..], &latin[43..]].concat();
    let marked = format!("\u{feff}\n{document}").into_bytes();
    for bytes in [utf16, latin, lying, marked] {
        assert_eq!(shown(&read(&bytes, None).unwrap().list), ["Café=x.org"]);
    }
}

#[test]
fn what_is_no_list_is_named() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
    let zip = b"PK\x03\x04\x14\0\0\0\x08\0";
    for (bytes, error) in [
        (&b""[..], OpmlError::Empty),
        (b"\xef\xbb\xbf \n", OpmlError::Empty),
        (png, OpmlError::Binary),
        (zip, OpmlError::Binary),
        (b"hello", OpmlError::Other),
        (b"\xff\xfeh\0i\0", OpmlError::Other),
        (b"<!doctype html><p>x", OpmlError::Page),
        (b"{\"a\": 1}", OpmlError::Json),
        (b"<rss version='2.0'><channel/></rss>", OpmlError::Feed),
        (
            &vec![b' '; MAX_BYTES + 1],
            OpmlError::TooLarge { megabytes: 10 },
        ),
    ] {
        assert_eq!(read(bytes, None), Err(error));
    }
    assert_eq!(
        OpmlError::Page.to_string(),
        "the file is a web page, not a subscription list (OPML)"
    );
    // An empty list is valid.
    assert_eq!(list("<opml/>"), List::default());
}

#[test]
fn an_address_that_cannot_be_followed_stays_and_says_why() {
    for (url, error) in [
        ("", AddressError::Empty),
        (
            "file:///etc/passwd",
            AddressError::Scheme {
                scheme: "file".into(),
            },
        ),
        ("http://0x7f.1/", AddressError::ObscureHost),
    ] {
        let read = list(&format!("<outline type='rss' text='A' xmlUrl='{url}'/>"));
        assert_eq!(read.feeds()[0].feed.url, url);
        assert_eq!(read.feeds()[0].feed.address(), Err(error.into()));
    }
    let read = list("<outline xmlUrl='https://me:secret@x.org/'/>");
    let (address, access) = read.feeds()[0].feed.address().unwrap();
    assert_eq!(address.as_str(), "https://x.org/");
    assert!(!access.is_empty());
    let long = format!("https://x.org/{}", "ä".repeat(MAX_BYTES / 4));
    let read = list(&format!("<outline xmlUrl='{long}'/>"));
    let too_long = AddressError::TooLong.into();
    assert_eq!(read.feeds()[0].feed.address(), Err(too_long));
    assert!(read.feeds()[0].feed.url.len() <= 4096);
}

#[test]
fn deep_folders_are_flattened_and_too_many_feeds_are_reported() {
    let nested = 1000;
    let deep: String = (0..nested)
        .map(|n| format!("<outline text='{n}'><outline text='f' xmlUrl='x{n}'/>"))
        .collect();
    let read_deep = read(deep.as_bytes(), None).unwrap();
    let feeds = read_deep.list.feeds();
    assert_eq!(feeds.len(), nested, "no feed is dropped");
    let deepest = feeds.iter().map(|f| f.folders.len() + 1).max();
    assert_eq!(deepest, Some(MAX_DEPTH));
    assert!(!read_deep.is_truncated);

    for (outlines, is_truncated) in [(MAX_OUTLINES, false), (MAX_OUTLINES + 1, true)] {
        let many = "<outline text='f' xmlUrl='x'/>".repeat(outlines);
        let read = read(many.as_bytes(), None).unwrap();
        assert_eq!(read.list.feeds().len(), MAX_OUTLINES);
        assert_eq!(read.is_truncated, is_truncated, "{outlines}");
    }
    let categories: String = (0..MAX_OUTLINES)
        .map(|n| format!("<outline text='f' xmlUrl='x' category='a{n}/b'/>"))
        .collect();
    let categories = read(categories.as_bytes(), None).unwrap().list;
    assert_eq!(categories.feeds().len(), MAX_OUTLINES);
    assert_eq!(list(&write(&categories, NOW)), categories);
}

#[test]
fn a_setting_that_is_not_understood_says_nothing() {
    let read = list(
        "<outline xmlUrl='a' lede:interval='soon' lede:paused='perhaps' lede:title='mine' \
         lede:notify='true' lede:colour='red' other:paused='true'/>",
    );
    let expected = Settings {
        notify: Some(true),
        ..Settings::default()
    };
    assert_eq!(read.feeds()[0].feed.settings, expected);
}

#[test]
fn names_are_written_as_they_are_read() {
    let wild = List {
        title: None,
        outlines: vec![folder(
            " a \u{7} b ",
            vec![feed(Some("e\u{301}  x\n"), "https://x.org/")],
        )],
    };
    let written = write(&wild, NOW);
    assert_eq!(write(&list(&written), NOW), written);
}

#[test]
fn an_entity_bomb_is_refused() {
    let mut subset = String::from("<!ENTITY a \"lollollollol\">");
    for (outer, inner) in ('b'..='z').zip('a'..) {
        let references = format!("&{inner};").repeat(10);
        subset.push_str(&format!("<!ENTITY {outer} \"{references}\">"));
    }
    let file = "<!ENTITY file SYSTEM \"file:///etc/passwd\">";
    let parameter = "<!ENTITY % more \"x\">";
    for subset in [subset.as_str(), file, parameter] {
        let document = format!(
            "<!DOCTYPE opml [{subset}]><opml><body><outline text='&z;&file;' xmlUrl='x.org'/></body></opml>"
        );
        assert_eq!(
            read(document.as_bytes(), None),
            Err(OpmlError::Entities),
            "{subset}"
        );
    }
    let harmless = "<!DOCTYPE opml [<!ENTITY site \"Tom &amp; Jerry &eacute;\">]><opml/>";
    assert_eq!(list(harmless), List::default());
}

#[test]
fn what_is_written_is_sound_xml_and_reads_the_same_elsewhere() {
    let list = List {
        title: Some("A <list> & 'more'".to_owned()),
        outlines: vec![
            folder(
                "Tom & \"Jerry\"",
                vec![feed(Some("1 < 2\u{7}"), "https://x.org/?a=1&b='2'")],
            ),
            feed(None, "https://y.org/"),
        ],
    };
    assert_eq!(
        write(&list, NOW),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <opml version=\"2.0\" xmlns:lede=\"https://github.com/lede-reader/lede/ns/opml\">\n  <head>\n    <title>A &lt;list&gt; &amp; &apos;more&apos;</title>\n    \
         <dateCreated>Sat, 14 Mar 2026 12:00:00 +0000</dateCreated>\n  </head>\n  <body>\n    \
         <outline text=\"Tom &amp; &quot;Jerry&quot;\" title=\"Tom &amp; &quot;Jerry&quot;\">\n      \
         <outline type=\"rss\" text=\"1 &lt; 2\" title=\"1 &lt; 2\" xmlUrl=\"https://x.org/?a=1&amp;b=&apos;2&apos;\"/>\n    \
         </outline>\n    \
         <outline type=\"rss\" text=\"https://y.org/\" title=\"https://y.org/\" xmlUrl=\"https://y.org/\"/>\n  \
         </body>\n</opml>\n"
    );
}

/// Generates a name as the reader normalises it: composed, one line, not empty.
fn name() -> impl Strategy<Value = String> {
    "[a-zé<>&\"';#/,:= 世🦀-]{0,12}[a-zé<>&\"';#/,:=世🦀-]"
        .prop_map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn any_feed() -> impl Strategy<Value = Outline> {
    let url = prop_oneof![
        "https?://[a-z]{1,5}\\.org/[a-z?&=<>\"'%]{0,8}",
        "[a-z<>&\"'%.]{0,9}",
    ];
    let site = proptest::option::of("https://[a-z]{1,5}\\.org/");
    let settings = any::<(Option<i64>, Option<bool>, Option<bool>, Option<bool>, bool)>();
    let settings = settings.prop_map(|settings| Settings {
        interval_minutes: settings.0,
        full_text: settings.1,
        notify: settings.2,
        paused: settings.3,
        is_publishers_title: settings.4,
    });
    let parts = (proptest::option::of(name()), url, site, settings);
    parts.prop_map(|(title, url, site_url, settings)| {
        Outline::Feed(Feed {
            // A name that only repeats the address counts as none.
            title: title.filter(|title| *title != url),
            url,
            site_url,
            settings,
        })
    })
}

fn any_list() -> impl Strategy<Value = List> {
    let outline = any_feed().prop_recursive(4, 40, 6, |inner| {
        (name(), prop::collection::vec(inner, 0..6))
            .prop_map(|(name, outlines)| Outline::Folder(Folder { name, outlines }))
    });
    let outlines = prop::collection::vec(outline, 0..8);
    (proptest::option::of(name()), outlines).prop_map(|(title, outlines)| List { title, outlines })
}

/// Generates tokens that are significant to the reader, to be combined in any order.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("<opml version='2.0'><head><title>".to_owned()),
        Just("</title></head><body>".to_owned()),
        Just("<outline ".to_owned()),
        Just("<OUTLINE text='F'>".to_owned()),
        Just("<outline text=\"A\" type=rss xmlUrl='feed:".to_owned()),
        Just("xmlurl=\"feed://x.org\"".to_owned()),
        Just(" category='/a/b,c' ".to_owned()),
        Just(" htmlUrl=".to_owned()),
        Just("</outline>".to_owned()),
        Just("/>".to_owned()),
        Just("'>".to_owned()),
        Just("&nbsp;&#150;&#x0B;&eacute;&".to_owned()),
        Just("<!DOCTYPE a [<!ENTITY x 'y'>]>".to_owned()),
        Just("<![CDATA[".to_owned()),
        Just("e\u{301}\u{fffe}\u{85}".to_owned()),
        "\\PC{0,8}",
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read_the_same(list in any_list()) {
        let document = write(&list, NOW);
        let mut tokens = Tokenizer::new(&document);
        while tokens.next().is_some() {}
        prop_assert!(!tokens.damaged);
        let read = read(document.as_bytes(), None).unwrap();
        prop_assert_eq!(read, ParsedList { list, is_truncated: false, is_cut: false });
    }

    #[test]
    fn what_was_read_of_anything_is_written_and_read_the_same(
        pieces in prop::collection::vec(piece(), 0..40),
        byte in any::<(prop::sample::Index, u8)>(),
    ) {
        let mut document = pieces.concat().into_bytes();
        if !document.is_empty() {
            let at = byte.0.index(document.len());
            document[at] = byte.1;
        }
        if let Ok(first) = read(&document, None) {
            let again = read(write(&first.list, NOW).as_bytes(), None).unwrap();
            prop_assert_eq!(again.list, first.list);
        }
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes, None);
    }
}
