//! Subscription lists (OPML): lenient import, and an export that loses nothing.

use std::time::Duration;

use http::Method;
use lede_core::{opml, worker};
use lede_model::user::Role;
use lede_store::users;
use lede_testkit::http::{Answer, Http};
use lede_testkit::{ADMIN, Options, Reply, TestLede, on_each_engine, on_each_engine_with};
use serde_json::{Value, json};

use crate::program::Program;

const IMPORT: &str = "/api/feeds/import-opml";
const EXPORT: &str = "/api/feeds/export-opml";

/// Sends a file as a browser's form does.
pub(crate) async fn upload(who: &Http, field: &str, file: &[u8]) -> Answer {
    let mut body = format!(
        "--edge\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n--edge\r\n\
         Content-Disposition: form-data; name=\"{field}\"; filename=\"feeds.opml\"\r\n\
         Content-Type: text/x-opml\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(file);
    body.extend_from_slice(b"\r\n--edge--\r\n");
    let form = [("content-type", "multipart/form-data; boundary=edge")];
    who.send(Method::POST, IMPORT, &form, body).await
}

/// Imports a list with these outlines.
pub(crate) async fn import(who: &Http, body: &str) -> Value {
    let document = format!("<opml version='2.0'><body>{body}</body></opml>");
    let answer = upload(who, "file", document.as_bytes()).await;
    answer.expect(200).json()
}

/// The user's subscriptions in a short notation: `folder/folder/title=address`.
async fn followed(who: &Http) -> Vec<String> {
    let categories = who.json("/api/categories").await;
    let path = |mut id: Value| {
        let mut path = String::new();
        while let Some(category) = categories
            .as_array()
            .unwrap()
            .iter()
            .find(|c| c["id"] == id)
        {
            path = format!("{}/{path}", category["name"].as_str().unwrap());
            id = category["parent_id"].clone();
        }
        path
    };
    let feeds = who.json("/api/feeds").await;
    let line = |feed: &Value| {
        let title = feed["title"].as_str().unwrap();
        let url = feed["url"].as_str().unwrap();
        format!("{}{title}={url}", path(feed["category_id"].clone()))
    };
    feeds.as_array().unwrap().iter().map(line).collect()
}

async fn results(who: &Http, import: &Value) -> Vec<String> {
    let page = who
        .json(&format!("/api/imports/{}/results", import["id"]))
        .await;
    let line = |result: &Value| {
        let reason = result["reason"].as_str().unwrap_or("-");
        format!(
            "{} {}: {reason}",
            result["outcome"].as_str().unwrap(),
            result["url"].as_str().unwrap()
        )
    };
    page.as_array().unwrap().iter().map(line).collect()
}

/// The exported list without its creation date.
async fn exported(who: &Http) -> String {
    let list = who.get(EXPORT).await.expect(200).text;
    let lines = list.lines().filter(|line| !line.contains("dateCreated"));
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn what_is_exported_is_imported_elsewhere_to_the_same_bytes() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let category = async |name: &str, parent: &Value| {
            let body = json!({"name": name, "parent_id": parent});
            let made = ada.post("/api/categories", body).await.expect(201).json();
            made["id"].clone()
        };
        let tech = category("Tech & \"more\"", &Value::Null).await;
        let rust = category("Rust", &tech).await;
        category("Nothing in it", &tech).await;
        let news = category("News", &Value::Null).await;
        let order = json!([{"id": tech, "position": 0}, {"id": news, "position": 1}]);
        let path = "/api/categories/reorder";
        ada.patch(path, order).await.expect(200);
        for (name, category, settings) in [
            (
                "a",
                &rust,
                json!({"title": "<Mine> & yours", "fetch_interval_minutes": 90}),
            ),
            ("b", &rust, json!({"notify": true, "paused": true})),
            (
                "c",
                &news,
                json!({"full_text": false, "fetch_interval_minutes": "auto", "position": 5}),
            ),
            ("d", &news, json!({"position": 2})),
            ("e", &Value::Null, json!({})),
            ("f", &Value::Null, json!({"title": "e"})),
        ] {
            let url = lede
                .site
                .put(&format!("/{name}.xml?x=1&y=2"), Reply::status(404));
            lede.site.put(
                &format!("/{name}.xml"),
                Reply::rss(&format!("Feed  {name}"), &[("i", "text")]),
            );
            let body = json!({"url": url, "category_id": category});
            let added = ada.post("/api/feeds", body).await.expect(201).json();
            let path = format!("/api/subscriptions/{}/settings", added["subscription_id"]);
            ada.put(&path, settings).await.expect(200);
        }
        let answer = ada.get(EXPORT).await.expect(200);
        assert_eq!(
            answer.header("content-type"),
            "application/xml; charset=utf-8"
        );
        let disposition = answer.header("content-disposition");
        assert!(
            disposition.starts_with("attachment; filename=\"lede-20"),
            "{disposition}"
        );
        assert!(disposition.ends_with(".opml\""), "{disposition}");

        let before = exported(&ada).await;
        for expected in [
            "<opml version=\"2.0\" xmlns:lede=\"",
            "text=\"Tech &amp; &quot;more&quot;\"",
            "text=\"&lt;Mine&gt; &amp; yours\"",
            "lede:interval=\"90\"",
            "lede:paused=\"true\"",
        ] {
            assert!(before.contains(expected), "{expected}: {before}");
        }
        let options = Options {
            other_sites: vec![lede.site.clone()],
            ..Options::default()
        };
        let elsewhere = TestLede::start(lede.lede.store.engine(), options).await;
        for empty in [
            lede.person("ben@example.org", Role::Member).await,
            elsewhere.admin().await,
        ] {
            let taken = upload(&empty, "file", answer.text.as_bytes())
                .await
                .expect(200)
                .json();
            assert_eq!(
                taken,
                json!({"id": taken["id"], "status": "finished", "total": 6, "imported": 6,
                       "existing": 0, "failed": 0, "errors": [], "error_codes": []})
            );
            assert_eq!(exported(&empty).await, before);
            // Importing the same list again changes nothing.
            let again = upload(&empty, "file", answer.text.as_bytes())
                .await
                .expect(200)
                .json();
            assert_eq!(
                (&again["imported"], &again["existing"]),
                (&json!(0), &json!(6))
            );
            assert_eq!(exported(&empty).await, before);
        }
    })
    .await;
}

#[tokio::test]
async fn a_list_of_another_program_is_taken_in_whatever_it_looks_like() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        ada.post("/api/categories", json!({"name": "news"})).await.expect(201);
        let taken = import(
            &ada,
            "<outline text='News'><outline title='A&nbsp;B' XMLURL='https://a.example.org/feed'/>\
             <outline text='Local'><outline type=atom text='L' xmlUrl='feed://l.example.org/'/></outline></outline>\
             <outline text='NEWS'><outline xmlUrl='n.example.org'/></outline>\
             <outline text='C' type='link' xmlUrl='https://c.example.org/' category='/x/y,z'/>\
             <outline text='again' xmlUrl='https://a.example.org/feed'/>\
             <outline text='bad' type='rss' xmlUrl='file:///etc/passwd'/>\
             <outline text='none' type='rss'/>\
             <outline text='last' xmlUrl='https://z.example.org/'>",
        )
        .await;
        assert_eq!(
            (&taken["total"], &taken["imported"], &taken["existing"], &taken["failed"]),
            (&json!(8), &json!(5), &json!(1), &json!(2))
        );
        assert_eq!(
            taken["errors"],
            json!([
                "file:///etc/passwd: only http and https addresses can be followed, not file:",
                "none: the address is empty",
            ])
        );
        assert_eq!(taken["error_codes"], json!(["bad_address", "bad_address"]));
        assert_eq!(
            followed(&ada).await,
            [
                "news/A B=https://a.example.org/feed",
                "news/n.example.org=https://n.example.org/",
                "news/Local/L=http://l.example.org/",
                "x/y/C=https://c.example.org/",
                "last=https://z.example.org/",
            ]
        );
        assert_eq!(
            results(&ada, &taken).await,
            [
                "added https://a.example.org/feed: -",
                "added http://l.example.org/: -",
                "added https://n.example.org/: -",
                "existing https://a.example.org/feed: it is in the list more than once",
                "failed file:///etc/passwd: only http and https addresses can be followed, not file:",
                "failed : the address is empty",
                "added https://z.example.org/: -",
                "added https://c.example.org/: -",
            ]
        );
        let path = format!("/api/imports/{}/results?offset=4&limit=2", taken["id"]);
        let page = ada.json(&path).await;
        assert_eq!(page[1], json!({"url": "", "title": "none", "outcome": "failed", "reason": "the address is empty", "code": "bad_address"}));
        assert_eq!(page.as_array().unwrap().len(), 2);
        for bad in ["limit=201", "limit=0", "offset=-1", "limit=x"] {
            ada.get(&format!("/api/imports/{}/results?{bad}", taken["id"])).await.expect(400);
        }
        // As a raw body, in a legacy encoding.
        let latin = b"<?xml version='1.0' encoding='iso-8859-1'?><opml><body>\
                      <outline text='Caf\xe9' xmlUrl='https://cafe.example.org/'/></body></opml>";
        let xml = [("content-type", "text/xml")];
        ada.send(Method::POST, IMPORT, &xml, latin.to_vec()).await.expect(200);
        assert!(followed(&ada).await.contains(&"Café=https://cafe.example.org/".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn folders_too_deep_and_too_many_keep_their_feeds() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let deep: String = (1..=14)
            .map(|n| format!("<outline text='{n}'><outline text='f{n}' xmlUrl='https://x.example.org/{n}'/>"))
            .collect();
        assert_eq!(import(&ada, &deep).await["imported"], 14);
        let categories = ada.json("/api/categories").await;
        assert_eq!(categories.as_array().unwrap().len(), 10);
        let deepest = categories[9]["id"].clone();
        let inside = ada.json(&format!("/api/feeds?category_id={deepest}")).await;
        assert_eq!(inside.as_array().unwrap().len(), 5);

        let many: String = (0..1100)
            .map(|n| format!("<outline text='folder {n}'/>"))
            .chain(["<outline text='one more'><outline text='f' xmlUrl='https://y.example.org/'/></outline>".to_owned()])
            .collect();
        assert_eq!(import(&ada, &many).await["imported"], 1);
        let categories = ada.json("/api/categories").await;
        assert_eq!(categories.as_array().unwrap().len(), 1000);
        assert!(followed(&ada).await.contains(&"f=https://y.example.org/".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn nothing_of_a_list_is_passed_over_in_silence() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let taken = import(
            &ada,
            "<outline text='empty' xmlUrl=''/><outline type='link' text='L' url='https://l.example.org/feed'/>\
             <outline text='P' xmlUrl='http://10.1.1.1/feed'/><outline text='6' xmlUrl='http://[fd00::1]/feed'/>\
             <outline text='W' xmlUrl='notaurl'/><outline text='H' xmlUrl='http://localhost/feed'/>\
             <outline text='I' xmlUrl='http://intranet/feed'/><outline text='B' xmlUrl='http://printer.local/feed'/>",
        )
        .await;
        let private = ada.post("/api/feeds", json!({"url": "http://10.1.1.1/feed"})).await;
        let private = private.expect(400).json()["error"].as_str().unwrap().to_owned();
        let name = ada.post("/api/feeds", json!({"url": "http://intranet/feed"})).await;
        let name = name.expect(400).json()["error"].as_str().unwrap().to_owned();
        assert_eq!(
            results(&ada, &taken).await,
            [
                "failed : the address is empty".to_owned(),
                "added https://l.example.org/feed: -".to_owned(),
                format!("failed http://10.1.1.1/feed: {private}"),
                format!("failed http://[fd00::1]/feed: {private}"),
                format!("failed https://notaurl/: {name}"),
                format!("failed http://localhost/feed: {name}"),
                format!("failed http://intranet/feed: {name}"),
                format!("failed http://printer.local/feed: {name}"),
            ]
        );
        assert_eq!(ada.json("/api/categories").await, json!([]));

        let cut = "<opml><body><outline text='One' xmlUrl='https://one.example.org/'/><outline text='Two' xmlU";
        let taken = upload(&ada, "file", cut.as_bytes()).await.expect(200).json();
        assert_eq!((&taken["imported"], &taken["failed"]), (&json!(1), &json!(1)));
        assert_eq!(
            taken["errors"],
            json!(["the file ends in the middle; what comes after is missing"])
        );
    })
    .await;
}

#[tokio::test]
async fn what_is_no_list_is_refused_with_a_reason() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
        let many = "<outline text='f' xmlUrl='x'/>".repeat(10_001);
        let noise: Vec<u8> = (0..5000_u32).map(|n| (n * n / 7) as u8).collect();
        for (file, words) in [
            (&b""[..], "empty"),
            (png, "not text"),
            (&noise, "not text"),
            (b"PK\x03\x04\x14\0\x08\0<abc>", "not text"),
            (b"<!doctype html><p>hello", "a web page"),
            (b"{}", "not a subscription list"),
            (many.as_bytes(), "split it"),
        ] {
            let error = upload(&ada, "file", file).await.expect(400).json();
            let message = error["fields"]["file"].as_str().unwrap();
            assert!(message.contains(words), "{message}");
        }
        let error = upload(&ada, "other", b"<opml/>").await.expect(400).json();
        assert!(error["fields"]["file"].is_string());
        let damaged = [("content-type", "multipart/form-data; boundary=edge")];
        ada.send(Method::POST, IMPORT, &damaged, b"nonsense".to_vec()).await.expect(400);
        let unbounded = [("content-type", "multipart/form-data")];
        ada.send(Method::POST, IMPORT, &unbounded, b"x".to_vec()).await.expect(400);
        let error = ada.post(IMPORT, json!({"file": "<opml/>"})).await.expect(400).json();
        assert!(error["fields"]["url"].is_string(), "{error}");
        let unread = [("content-type", "image/png")];
        ada.send(Method::POST, IMPORT, &unread, b"x".to_vec()).await.expect(415);

        let mut bomb = String::from("<!DOCTYPE opml [<!ENTITY a \"lollollollol\">");
        for (outer, inner) in ('b'..='z').zip('a'..) {
            bomb.push_str(&format!("<!ENTITY {outer} \"{}\">", format!("&{inner};").repeat(10)));
        }
        bomb.push_str("<!ENTITY file SYSTEM \"file:///etc/passwd\">]><opml><body><outline text='&z;&file;' xmlUrl='https://b.example.org/'/></body></opml>");
        let file = "<!DOCTYPE opml [<!ENTITY file SYSTEM \"file:///etc/passwd\">]><opml/>";
        for hostile in [bomb.as_str(), file] {
            let error = upload(&ada, "file", hostile.as_bytes()).await.expect(400).json();
            let message = error["fields"]["file"].as_str().unwrap();
            assert!(message.contains("entities"), "{message}");
        }
        assert!(followed(&ada).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_list_is_fetched_from_its_address() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let list = "<opml><body><outline text='Tech'><outline text='One' xmlUrl='https://one.example.org/feed'/></outline>\
            <outline text='Bad' xmlUrl='ftp://two.example.org/'/></body></opml>";
        let xml = |text: String| Reply::body("text/x-opml", text);
        let url = lede.site.put("/list.opml", xml(list.to_owned()).behind("ada", "secret"));
        let error = ada.post(IMPORT, json!({"url": url})).await.expect(422).json();
        assert_eq!(error["code"], "fetch_failed");
        assert_eq!(error["error"], "the server answered 401 Unauthorized");
        let with_password = url.replace("://", "://ada:secret@");
        let import = ada.post(IMPORT, json!({"url": with_password})).await.expect(200).json();
        assert_eq!((&import["imported"], &import["failed"]), (&json!(1), &json!(1)));
        assert_eq!(results(&ada, &import).await.len(), 2);
        assert_eq!(followed(&ada).await, ["Tech/One=https://one.example.org/feed"]);
        let again = lede.site.requests("/list.opml");
        assert!(again.iter().all(|asked| asked["accept"].to_str().unwrap().starts_with("text/x-opml")));

        let page = lede.site.put("/page", Reply::body("text/html", "<!doctype html><p>hello"));
        let long = format!("{}{list}", " ".repeat(11 * 1024 * 1024));
        let long = lede.site.put("/long.opml", xml(long));
        let missing = lede.site.url("/missing.opml");
        for (url, status, code, words) in [
            (page.as_str(), 400, "invalid_field", "a web page, not a subscription list"),
            (&long, 422, "too_large", "larger than 10 MB"),
            (&missing, 422, "fetch_failed", "404"),
            ("http://10.0.0.1/list.opml", 400, "refused_address", "public"),
            ("http://localhost/list.opml", 400, "refused_address", ""),
            ("file:///etc/passwd", 400, "invalid_field", "http"),
            ("", 400, "invalid_field", ""),
        ] {
            let error = ada.post(IMPORT, json!({"url": url})).await.expect(status).json();
            assert_eq!(error["code"], code, "{url}: {error}");
            let said = error["fields"]["url"].as_str().or(error["error"].as_str());
            assert!(said.unwrap().contains(words), "{url}: {error}");
            assert!(!error["action"].as_str().unwrap().is_empty(), "{url}: {error}");
        }
        // A viewer may subscribe to existing feeds but not make Lede fetch anything.
        let vic = lede.person("vic@example.org", Role::Viewer).await;
        let before = lede.site.request_count();
        vic.post(IMPORT, json!({"url": page})).await.expect(403);
        assert_eq!(lede.site.request_count(), before);
    })
    .await;
}

#[tokio::test]
async fn a_file_that_is_too_large_is_refused_and_not_stored() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let list = |bytes: usize| {
            let mut list =
                b"<opml><body><outline text='a' xmlUrl='https://a.example.org/'/><!--".to_vec();
            list.resize(bytes - 3, b' ');
            list.extend_from_slice(b"-->");
            list
        };
        let most = 10 * 1024 * 1024;
        for bytes in [most + 1, 50 * 1024 * 1024] {
            let error = upload(&ada, "file", &list(bytes)).await.expect(413).json();
            assert_eq!(error["code"], "too_large");
            assert_eq!(error["error"], "the file is larger than 10 MB");
            let xml = [("content-type", "application/xml")];
            ada.send(Method::POST, IMPORT, &xml, list(bytes))
                .await
                .expect(413);
        }
        assert!(followed(&ada).await.is_empty());
        upload(&ada, "file", &list(most)).await.expect(200);
        assert_eq!(followed(&ada).await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn nothing_is_fetched_before_the_worker_comes_to_it() {
    on_each_engine(async |lede: TestLede| {
        let (ada, ben) = (
            lede.admin().await,
            lede.person("ben@example.org", Role::Member).await,
        );
        let known = lede.site.put(
            "/known.xml",
            Reply::rss("Known", &[("one", "text"), ("two", "text")]),
        );
        let new = lede
            .site
            .put("/new.xml", Reply::rss("New", &[("three", "text")]));
        let paused = lede
            .site
            .put("/paused.xml", Reply::rss("Paused", &[("four", "text")]));
        ben.post("/api/feeds", json!({"url": known}))
            .await
            .expect(201);
        let before = lede.site.request_count();
        let list = format!(
            "<outline text='Known' xmlUrl='{known}'/><outline text='My name' xmlUrl='{new}'/>\
             <outline text='P' xmlUrl='{paused}' lede:paused='true'/>"
        );
        assert_eq!(import(&ada, &list).await["imported"], 3);
        assert_eq!(lede.site.request_count(), before);
        let unread = async || -> Vec<Value> {
            let feeds = ada.json("/api/feeds").await;
            feeds
                .as_array()
                .unwrap()
                .iter()
                .map(|feed| feed["unread_count"].clone())
                .collect()
        };
        assert_eq!(unread().await, [2, 0, 0]);
        lede.work().await;
        assert_eq!(
            lede.site.request_count(),
            before + 1,
            "only what is new and wanted"
        );
        assert_eq!(unread().await, [2, 1, 0]);
        let names: Vec<String> = followed(&ada).await;
        assert!(
            names[1].starts_with("My name="),
            "a name that somebody gave it stays: {names:?}"
        );
    })
    .await;
}

/// A list of `feeds` feeds that are not stored yet.
fn long(feeds: usize) -> String {
    let outlines: String = (0..feeds)
        .map(|n| format!("<outline text='Feed {n}' xmlUrl='https://site{n}.example.org/feed'/>"))
        .collect();
    format!("<opml version='2.0'><body><outline text='All'>{outlines}</outline></body></opml>")
}

#[tokio::test]
async fn a_long_list_goes_on_after_the_answer() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let list = long(450);
        let begun = upload(&ada, "file", list.as_bytes())
            .await
            .expect(202)
            .json();
        assert_eq!(
            (&begun["status"], &begun["total"]),
            (&json!("running"), &json!(450))
        );
        let path = format!("/api/imports/{}", begun["id"]);
        let finished = tokio::time::timeout(Duration::from_secs(60), async {
            loop {
                let progress = ada.json(&path).await;
                if progress["status"] == "finished" {
                    break progress;
                }
            }
        });
        let finished = finished.await.expect("it ends");
        assert_eq!(
            (&finished["imported"], &finished["failed"]),
            (&json!(450), &json!(0))
        );
        let names = followed(&ada).await;
        assert_eq!(names.len(), 450);
        assert_eq!(
            names[449], "All/Feed 449=https://site449.example.org/feed",
            "in the order of the list"
        );

        let ben = lede.person("ben@example.org", Role::Member).await;
        ben.get(&path).await.expect(404);
        ben.get(&format!("{path}/results")).await.expect(404);
    })
    .await;
}

#[tokio::test]
async fn an_open_page_receives_the_progress_of_an_import() {
    on_each_engine(async |lede: TestLede| {
        let (ada, ben) = (
            lede.admin().await,
            lede.person("ben@example.org", Role::Member).await,
        );
        let mut events = ada.listen("/api/events").await;
        let mut his = ben.listen("/api/events").await;
        // The first event only confirms that the stream is open.
        events.next().await;
        let begun = upload(&ada, "file", long(450).as_bytes()).await.expect(202);
        let begun = begun.json();
        loop {
            let told = events.json("import").await;
            assert_eq!((&told["id"], &told["total"]), (&begun["id"], &json!(450)));
            if told["done"] == told["total"] {
                break;
            }
        }
        upload(&ben, "file", b"<opml/>").await.expect(200);
        assert_eq!(his.json("import").await["total"], 0, "of his own alone");
    })
    .await;
}

#[tokio::test]
async fn a_list_that_was_left_in_the_middle_is_finished_by_the_worker() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let user = lede.lede.store.read(|db| users::find_by_email(db, ADMIN));
        let (user, _) = user.await.unwrap().unwrap();
        let list = long(250).into_bytes();
        let (import, feeds) = opml::begin(&lede.lede, &user, list, None).await.unwrap();
        assert_eq!(feeds, 250);
        let path = format!("/api/imports/{import}");
        assert_eq!(ada.json(&path).await["status"], "running");
        worker::run_queues(&lede.lede).await.unwrap();
        assert_eq!(
            ada.json(&path).await["imported"],
            0,
            "whoever began it has its time"
        );
        lede.clock.advance(Duration::from_secs(61));
        worker::run_queues(&lede.lede).await.unwrap();
        let done = ada.json(&path).await;
        assert_eq!(
            (&done["status"], &done["imported"]),
            (&json!("finished"), &json!(250))
        );
        opml::process(&lede.lede, import).await.unwrap();
        assert_eq!(ada.json(&path).await, done, "twice is as good as once");
    })
    .await;
}

#[tokio::test]
async fn a_list_beyond_the_subscription_limit_is_imported_up_to_it() {
    let options = Options {
        max_subscriptions: 3,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let ada = lede.admin().await;
        let list = long(5);
        let taken = upload(&ada, "file", list.as_bytes()).await.expect(200).json();
        assert_eq!((&taken["imported"], &taken["failed"]), (&json!(3), &json!(2)));
        assert_eq!(
            taken["errors"][0],
            "https://site3.example.org/feed: you follow 3 feeds, which is the limit here"
        );
        let again = upload(&ada, "file", list.as_bytes()).await.expect(200).json();
        assert_eq!((&again["existing"], &again["failed"]), (&json!(3), &json!(2)));

        let vera = lede.person("vera@example.org", Role::Viewer).await;
        let taken = upload(&vera, "file", long(4).as_bytes()).await.expect(200).json();
        assert_eq!((&taken["imported"], &taken["failed"]), (&json!(3), &json!(1)));
        let other = import(&lede.person("vic@example.org", Role::Viewer).await, "<outline text='N' xmlUrl='https://new.example.org/'/>").await;
        assert_eq!(
            other["errors"],
            json!(["https://new.example.org/: your account may follow feeds that are known here, but not add new ones"])
        );
    })
    .await;
}

#[tokio::test]
async fn the_command_works_beside_a_running_server() {
    let program = Program::new()
        .with("ADMIN_EMAIL", "ada@example.org")
        .with("ADMIN_PASSWORD", "a long enough password 1")
        .with_file("feeds.opml", &long(210))
        .with_file(
            "broken.opml",
            "<opml><body><outline type='rss' text='bad' xmlUrl='ftp://x.example.org/'/></body></opml>",
        )
        .with_file("no.opml", "hello");
    let server = program.start(&["serve"]).await;
    let import = program
        .run(&["opml", "import", "feeds.opml", "--user", "Ada@example.org"])
        .await;
    assert_eq!(import.code, Some(0), "{}", import.stderr);
    assert_eq!(
        import.stdout,
        "210 feeds: 210 added, 0 already followed, 0 failed\n"
    );
    let broken = program
        .run_reading(
            &["opml", "import", "-", "--user", "ada@example.org"],
            "broken.opml",
        )
        .await;
    assert_eq!(broken.code, Some(0), "{}", broken.stderr);
    assert_eq!(
        broken.stdout,
        "1 feeds: 0 added, 0 already followed, 1 failed\n\
         ftp://x.example.org/: only http and https addresses can be followed, not ftp:\n"
    );
    let export = program
        .run(&["opml", "export", "--user", "ada@example.org"])
        .await;
    assert_eq!(export.code, Some(0), "{}", export.stderr);
    assert_eq!(export.stdout.matches("xmlUrl=").count(), 210);
    let ada = server
        .signed_in("ada@example.org", "a long enough password 1")
        .await
        .unwrap();
    assert_eq!(ada.json("/api/feeds").await.as_array().unwrap().len(), 210);
    for (arguments, words) in [
        (
            &["opml", "import", "no.opml", "--user", "ada@example.org"][..],
            "not a subscription list",
        ),
        (
            &["opml", "import", "absent.opml", "--user", "ada@example.org"],
            "absent.opml cannot be read",
        ),
        (
            &["opml", "export", "--user", "eve@example.org"],
            "there is no account eve@example.org",
        ),
    ] {
        let ended = program.run(arguments).await;
        assert_eq!(ended.code, Some(1), "{arguments:?}");
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
    assert!(server.stop().await.success());
}

#[tokio::test]
async fn a_list_that_was_just_taken_in_is_remembered_however_many_come() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = "<outline text='a' xmlUrl='https://a.example.org/'/>";
        let first = import(&ada, feed).await;
        let path = format!("/api/imports/{}", first["id"]);
        for _ in 0..10 {
            import(&ada, feed).await;
        }
        assert_eq!(ada.json(&path).await, first);
        lede.clock.advance(Duration::from_secs(120));
        import(&ada, feed).await;
        ada.get(&path).await.expect(404);
    })
    .await;
}

#[tokio::test]
async fn the_page_of_an_import_says_which_feeds_could_not_be_fetched() {
    on_each_engine(async |lede: TestLede| {
        let good = lede
            .site
            .put("/good.xml", Reply::rss("Good", &[("One", "Text.")]));
        let bad = lede.site.put("/bad.xml", Reply::status(404));
        let list = format!(
            "<outline type='rss' text='Good' xmlUrl='{good}'/><outline type='rss' text='Bad' xmlUrl='{bad}'/>"
        );
        let ada = lede.admin().await;
        let taken = import(&ada, &list).await;
        let page = format!("/imports/{}", taken["id"]);
        let waiting = ada.get(&page).await.expect(200).text;
        assert!(waiting.contains("<dt>Waiting</dt><dd>2</dd>"), "{waiting}");
        assert!(waiting.contains("hx-get"), "it is updated");
        lede.work().await;
        let fetched = ada.get(&page).await.expect(200).text;
        for expected in [
            "<dt>Fetched</dt><dd>1</dd>",
            "<dt>Couldn’t be fetched</dt><dd>1</dd>",
            "<dt>Waiting</dt><dd>0</dd>",
            "<bdi>Bad</bdi>",
        ] {
            assert!(fetched.contains(expected), "{expected}: {fetched}");
        }
        assert!(!fetched.contains("hx-get"), "nothing is left to come");
    })
    .await;
}
