//! Managing feeds on the pages, without script: adding, ordering, a feed's health, OPML lists,
//! rules, searches.

use std::time::Duration;

use http::Method;
use lede_core::worker;
use lede_model::user::Role;
use lede_testkit::http::{Answer, Http};
use lede_testkit::{Options, Reply, TestLede, on_each_engine, on_each_engine_with};
use serde_json::{Value, json};

const TWO: &str = r#"<!doctype html><title>A site</title>
    <link rel="alternate" type="application/atom+xml" title="Notes" href="/notes.xml">
    <link rel="alternate" type="application/rss+xml" title="Comments" href="/comments.xml">"#;

fn news(title: &str) -> Reply {
    let items = ["First", "Second", "Third", "Fourth"].map(|title| (title, "<p>text</p>"));
    Reply::rss(title, &items)
}

/// Publishes a site with two feeds and returns its address.
fn site(lede: &TestLede) -> String {
    lede.site.put("/notes.xml", news("Notes of a site"));
    lede.site.put("/comments.xml", news("What others say"));
    lede.site.put("/", Reply::body("text/html", TWO))
}

/// Subscribes to a feed of this name and returns its id.
async fn follow(lede: &TestLede, reader: &Http, name: &str) -> String {
    let url = lede.site.put(&format!("/{name}.xml"), news(name));
    let added = reader.post("/api/feeds", json!({ "url": url })).await;
    added.expect(201).json()["id"].to_string()
}

async fn category(reader: &Http, name: &str) -> String {
    let made = reader
        .post("/api/categories", json!({ "name": name }))
        .await;
    made.expect(201).json()["id"].to_string()
}

/// The names of the feeds in order, each with its category.
async fn order(reader: &Http) -> Vec<(String, Option<i64>)> {
    let feeds = reader.json("/api/feeds").await;
    let row = |feed: &Value| {
        let title = feed["title"].as_str().unwrap().to_owned();
        (title, feed["category_id"].as_i64())
    };
    feeds.as_array().unwrap().iter().map(row).collect()
}

#[track_caller]
fn says(page: &Answer, words: &[&str]) {
    for words in words {
        assert!(page.text.contains(words), "{words:?} in {}", page.text);
    }
}

async fn arrange(reader: &Http, fields: &[(&str, &str)]) -> Answer {
    reader.form("/subscriptions/arrange", fields).await
}

#[tokio::test]
async fn a_site_is_looked_at_before_one_of_its_feeds_is_followed() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let reader = lede.admin().await;
        let science = category(&reader, "Science").await;
        let address = site(&lede);
        let empty = browser.get("/add?url=%22%3Ehere").await.expect(200);
        says(&empty, &["&#34;&#62;here", "data-now"]);
        let shared = browser.get("/add?text=A%20site%3A%20https%3A%2F%2Fa.example%2F%20!");
        says(&shared.await.expect(200), &["value=\"https://a.example/\""]);
        assert_eq!(lede.site.request_count(), 0, "a look changes nothing");

        let found = browser.fill("/add", "/add", &[("url", &address)]).await;
        let found = found.expect(200);
        let comments = lede.site.url("/comments.xml");
        says(
            &found,
            &[
                "Notes of a site",
                "First",
                "Third",
                "Comments",
                &comments,
                "Science",
            ],
        );
        assert!(!found.text.contains("Fourth"), "three are enough");
        assert_eq!(reader.json("/api/feeds").await, json!([]), "only looked");
        let other = browser
            .fill("/add", "/add/preview", &[("url", &comments)])
            .await;
        says(&other.expect(200), &["What others say", "Newest items"]);

        let wanted = [("url", comments.as_str()), ("category", &science)];
        let followed = browser
            .fill("/add", "/add/follow", &wanted)
            .await
            .expect(303);
        assert!(followed.header("location").starts_with("/?feed="));
        let expected = [("What others say".to_owned(), science.parse().ok())];
        assert_eq!(order(&reader).await, expected);

        let again = browser.fill("/add", "/add", &[("url", &comments)]).await;
        says(&again.expect(200), &["You’re already following this feed"]);
        let again = browser
            .fill("/add", "/add/follow", &wanted)
            .await
            .expect(409);
        says(
            &again,
            &["You have already added this feed", "in your list"],
        );
    })
    .await;
}

#[tokio::test]
async fn while_lede_looks_it_says_which_address_it_asks() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let address = site(&lede);
        let body = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("url", &address)
            .finish();
        let headers = [
            ("accept", "application/x-ndjson"),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        let answer = reader.send(Method::POST, "/add", &headers, body.into_bytes());
        let text = answer.await.expect(200).text;
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let said: Vec<&str> = lines
            .iter()
            .filter_map(|line| line["progress"].as_str())
            .collect();
        let notes = lede.site.url("/notes.xml");
        assert_eq!(
            said,
            [format!("Checking {address}…"), format!("Checking {notes}…")]
        );
        let html = lines.last().unwrap()["html"].as_str().unwrap();
        assert!(html.contains("Notes of a site"), "{html}");
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_added_is_explained_with_a_remedy() {
    let options = Options {
        max_subscriptions: 1,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let reader = lede.admin().await;
        let viewer = lede.person("vi@example.org", Role::Viewer).await;
        let nothing = lede.site.put("/none", Reply::body("text/html", "<p>none"));
        let unknown = lede.site.url("/unknown.xml");
        let japanese = reader.with_header("accept-language", "ja");
        for (who, url, status, words) in [
            (&reader, "two words", 400, "for example news.example.org"),
            (&reader, "http://10.0.0.1/", 400, "Use a public web address"),
            (&reader, &nothing, 422, "Look for a link called RSS"),
            (&japanese, &nothing, 422, "このアドレスにフィードはなく"),
            (&japanese, "two words", 400, "ウェブアドレスではありません"),
            (&viewer, &unknown, 403, "Ask an administrator"),
        ] {
            let answer = who.form("/add", &[("url", url)]).await.expect(status);
            says(&answer, &[words, "role=\"alert\""]);
        }
        follow(&lede, &reader, "one").await;
        let url = lede.site.put("/two.xml", news("two"));
        let full = reader.form("/add/follow", &[("url", &url)]).await;
        says(
            &full.expect(409),
            &["which is the limit here", "Unsubscribe from a feed"],
        );
    })
    .await;
}

#[tokio::test]
async fn feeds_are_put_in_order_moved_and_left_by_one_form() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let mut feeds = Vec::new();
        for name in ["ada", "ben", "cid", "dan"] {
            feeds.push(follow(&lede, &reader, name).await);
        }
        let science = category(&reader, "Science").await;
        let number: Option<i64> = science.parse().ok();
        let names = async || -> Vec<String> {
            let all = order(&reader).await;
            all.into_iter().map(|(name, _)| name).collect()
        };
        let page = reader.get("/subscriptions").await.expect(200);
        // The test sends the values that the page gives its buttons.
        let up = format!("value=\"feed:{}::1\"", feeds[2]);
        says(&page, &[&up, "Science", "Nothing here yet"]);
        let moved = arrange(&reader, &[("do", &format!("feed:{}::1", feeds[2]))]).await;
        assert_eq!(
            moved.expect(303).header("location"),
            "/subscriptions?done=moved"
        );
        assert_eq!(names().await, ["ada", "cid", "ben", "dan"]);
        let last = format!("feed:{}::99", feeds[0]);
        arrange(&reader, &[("do", &last)]).await.expect(303);
        assert_eq!(names().await, ["cid", "ben", "dan", "ada"]);
        let into = format!("feed:{}:{science}:0", feeds[3]);
        arrange(&reader, &[("do", &into)]).await.expect(303);
        let fields = [
            ("do", "move"),
            ("category", science.as_str()),
            ("feed", feeds[0].as_str()),
            ("feed", feeds[1].as_str()),
            ("feed", "999999"),
        ];
        arrange(&reader, &fields).await.expect(303);
        let row = |name: &str, category| (name.to_owned(), category);
        assert_eq!(
            order(&reader).await,
            [
                row("ada", number),
                row("ben", number),
                row("dan", number),
                row("cid", None)
            ]
        );
        let fields = [
            ("do", "unsubscribe"),
            ("feed", feeds[0].as_str()),
            ("feed", feeds[3].as_str()),
        ];
        arrange(&reader, &fields).await.expect(303);
        assert_eq!(names().await, ["ben", "cid"]);

        for wrong in [
            "",
            "dance",
            "feed",
            "feed:1",
            "feed:x::0",
            "feed:1::-1",
            "feed:::0",
        ] {
            arrange(&reader, &[("do", wrong)]).await.expect(400);
        }
        let lost = format!("feed:{}:999999:0", feeds[1]);
        arrange(&reader, &[("do", &lost)]).await.expect(404);
        let found = reader.get("/subscriptions?q=BEN").await.expect(200);
        says(&found, &["One feed found", ">ben<"]);
        assert!(!found.text.contains(">cid<"));
    })
    .await;
}

#[tokio::test]
async fn categories_are_made_renamed_moved_and_removed_and_their_feeds_stay() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let feed = follow(&lede, &reader, "ada").await;
        for name in ["Arts", "Science", "Sport"] {
            let made = reader.form("/categories", &[("name", name)]).await;
            made.expect(303);
        }
        let names = async || -> Vec<(String, Value)> {
            let all = reader.json("/api/categories").await;
            let row = |category: &Value| {
                let name = category["name"].as_str().unwrap().to_owned();
                (name, category["parent_id"].clone())
            };
            all.as_array().unwrap().iter().map(row).collect()
        };
        let all = reader.json("/api/categories").await;
        let ids: Vec<String> = (0..3).map(|at| all[at]["id"].to_string()).collect();
        let taken = reader.form("/categories", &[("name", "arts")]).await;
        says(&taken.expect(409), &["of that name", "Choose another name"]);
        let blank = reader.form("/categories", &[("name", " ")]).await;
        says(&blank.expect(400), &["1 to 100 characters"]);

        let first = format!("category:{}::0", ids[2]);
        arrange(&reader, &[("do", &first)]).await.expect(303);
        let null = || Value::Null;
        let row = |name: &str, parent| (name.to_owned(), parent);
        assert_eq!(
            names().await,
            [
                row("Sport", null()),
                row("Arts", null()),
                row("Science", null())
            ]
        );
        let page = format!("/categories/{}", ids[1]);
        let cycle = reader
            .form(&page, &[("name", "Science"), ("parent", &ids[1])])
            .await;
        says(&cycle.expect(400), &["can’t be inside itself"]);
        let changed = [("name", "Sciences"), ("parent", ids[0].as_str())];
        reader.form(&page, &changed).await.expect(303);
        let arts = all[0]["id"].clone();
        assert_eq!(
            names().await,
            [
                row("Sport", null()),
                row("Arts", null()),
                row("Sciences", arts)
            ]
        );

        let into = format!("feed:{feed}:{}:0", ids[0]);
        arrange(&reader, &[("do", &into)]).await.expect(303);
        let arts = format!("/categories/{}", ids[0]);
        let told = reader.get(&arts).await.expect(200);
        says(
            &told,
            &[
                "Its one feed moves up a level",
                "So does the category inside it",
            ],
        );
        reader
            .form(&format!("{arts}/delete"), &[])
            .await
            .expect(303);
        assert_eq!(
            names().await,
            [row("Sport", null()), row("Sciences", null())]
        );
        assert_eq!(order(&reader).await, [("ada".to_owned(), None)]);
    })
    .await;
}

#[tokio::test]
async fn the_page_of_a_feed_shows_its_state_and_actions() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let feed = follow(&lede, &reader, "daily").await;
        let path = format!("/feeds/{feed}");
        let well = reader.get(&path).await.expect(200);
        says(
            &well,
            &[
                "Everything is fine.",
                "4 unread",
                "4 items",
                "it’s fetched every hour",
                "<dd>OK<br>",
            ],
        );
        assert!(!well.text.contains("/resume"), "nothing to resume");

        lede.site.put("/daily.xml", Reply::status(503));
        lede.clock.advance(Duration::from_secs(7200));
        let failed = reader
            .form(&format!("{path}/refresh"), &[])
            .await
            .expect(303);
        let told = reader.get(failed.header("location")).await.expect(200);
        says(
            &told,
            &[
                "isn’t working right now",
                "503",
                "Failing since",
                "Next fetch",
                "usually passes",
                "the reason is below",
            ],
        );
        lede.site.put("/daily.xml", Reply::status(410));
        reader
            .form(&format!("{path}/refresh"), &[])
            .await
            .expect(303);
        let told = reader.get(&path).await.expect(200);
        says(
            &told,
            &[
                "has stopped trying",
                "410",
                "Not planned",
                "gone for good",
                "change the address",
                "/resume",
            ],
        );
        let pt = reader.with_header("accept-language", "pt");
        says(
            &pt.get(&path).await,
            &["O Lede parou de tentar", "acabou de vez"],
        );

        lede.site.put("/daily.xml", news("daily"));
        let resumed = reader
            .form(&format!("{path}/resume"), &[])
            .await
            .expect(303);
        let told = reader.get(resumed.header("location")).await.expect(200);
        says(&told, &["Resumed.", "Everything is fine."]);
        let fresh = Reply::rss("daily", &[("Fifth", "text")]);
        lede.site.put("/daily.xml", fresh);
        let fetched = reader
            .form(&format!("{path}/refresh"), &[])
            .await
            .expect(303);
        let told = reader.get(fetched.header("location")).await.expect(200);
        says(&told, &["Fetched: one new item."]);

        let wrong = reader
            .form(&format!("{path}/address"), &[("url", "no way")])
            .await;
        says(&wrong.expect(400), &["isn’t a web address", "no way"]);
        let new = lede.site.put("/new.xml", news("moved"));
        let moved = reader
            .form(&format!("{path}/address"), &[("url", &new)])
            .await;
        let moved = reader.get(moved.expect(303).header("location")).await;
        says(&moved.expect(200), &["at its new address", &new]);
        reader.get(&path).await.expect(404);
    })
    .await;
}

#[tokio::test]
async fn how_a_feed_is_followed_is_set_on_its_page() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let feed = follow(&lede, &reader, "daily").await;
        let science = category(&reader, "Science").await;
        let path = format!("/feeds/{feed}");
        let settings = format!("{path}/settings");
        let fields = [
            ("title", " My  <b>name "),
            ("category", science.as_str()),
            ("interval", "90"),
            ("notify", "yes"),
            ("paused", "yes"),
        ];
        reader.form(&settings, &fields).await.expect(303);
        let now = reader.json(&format!("/api/feeds/{feed}")).await;
        assert_eq!(now["title"], "My <b>name");
        assert_eq!(now["category_id"].to_string(), science);
        assert_eq!(now["fetch_interval_minutes"], 90);
        assert_eq!(
            [&now["notify"], &now["paused"], &now["full_text"]],
            [&json!(true), &json!(true), &json!(false)]
        );
        let shown = reader.get(&path).await.expect(200);
        says(
            &shown,
            &[
                "You paused this feed",
                "My &#60;b&#62;name",
                "<option value=\"90\" selected>",
            ],
        );
        let usual = [("interval", ""), ("full_text", "yes")];
        reader.form(&settings, &usual).await.expect(303);
        let now = reader.json(&format!("/api/feeds/{feed}")).await;
        assert_eq!(now["title"], "daily");
        assert_eq!(now["fetch_interval_minutes"], Value::Null);
        assert_eq!(now["paused"], false);
        for wrong in [
            [("interval", "7")],
            [("interval", "x")],
            [("category", "999999")],
        ] {
            let answer = reader.form(&settings, &wrong).await;
            assert!(answer.status.is_client_error(), "{wrong:?}");
            says(&answer, &["role=\"alert\""]);
        }
        reader
            .form(&format!("{path}/unsubscribe"), &[])
            .await
            .expect(303);
        reader.get(&path).await.expect(404);
    })
    .await;
}

#[tokio::test]
async fn a_list_is_imported_and_failures_are_listed() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let list = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.opml\"\r\n\r\n\
            <opml><body><outline text=\"Tech\"><outline text=\"One\" xmlUrl=\"https://one.example/feed\"/></outline>\
            <outline text=\"Bad &lt;b&gt;\" xmlUrl=\"ftp://two.example/\"/></body></opml>\r\n--x--\r\n";
        let form = [("content-type", "multipart/form-data; boundary=x")];
        let path = "/subscriptions/import";
        let sent = reader.send(Method::POST, path, &form, list.into()).await;
        let page = reader.get(sent.expect(303).header("location")).await;
        says(
            &page.expect(200),
            &["Import finished.", "value=\"2\"", "Bad &#60;b&#62;", "only http and https"],
        );
        let scripted = reader.with_header("hx-request", "true");
        let sent = scripted.send(Method::POST, path, &form, list.into()).await;
        assert!(sent.expect(204).header("hx-redirect").starts_with("/imports/"));
        let other = list.split("<opml>").next().unwrap().to_owned() + "none\r\n--x--\r\n";
        let other = other.into_bytes();
        let refused = scripted.send(Method::POST, path, &form, other).await;
        says(&refused.expect(400), &["isn’t a subscription list", "Export an OPML file"]);

        let path = "/subscriptions/import-address";
        let url = lede.site.put("/list.opml", Reply::body("text/xml", "<opml><body/></opml>"));
        let sent = reader.form(path, &[("url", &url)]).await.expect(303);
        assert!(sent.header("location").starts_with("/imports/"));
        let sent = scripted.form(path, &[("url", &url)]).await.expect(204);
        assert!(sent.header("hx-redirect").starts_with("/imports/"));
        lede.site.put("/list.opml", Reply::body("text/html", "<!doctype html><p>x"));
        let refused = scripted.form(path, &[("url", &url)]).await.expect(400);
        says(&refused, &["no subscription list at this address", "OPML file itself"]);
        let refused = scripted.form(path, &[("url", "http://10.0.0.1/")]).await.expect(400);
        says(&refused, &["FETCH_ALLOW"]);
    })
    .await;
}

#[tokio::test]
async fn rules_are_made_tried_changed_and_removed() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let feed = follow(&lede, &reader, "daily").await;
        worker::run_queues(&lede.lede).await.unwrap();
        let fields = [
            ("name", "No thirds"),
            ("query", "title:third"),
            ("feed", feed.as_str()),
            ("hide", "yes"),
            ("enabled", "yes"),
        ];
        let preview = reader.form("/rules/preview", &fields).await.expect(200);
        says(&preview, &["matched one item", "Third"]);
        let none = reader.form("/rules/preview", &[("query", "")]).await;
        says(&none.expect(200), &["which items the rule applies to"]);
        reader.form("/rules", &fields).await.expect(303);
        let rules = reader.json("/api/rules").await;
        assert_eq!(rules[0]["query"], "title:third");
        assert_eq!(rules[0]["actions"]["hide"], true);
        let list = reader.get("/rules").await.expect(200);
        says(&list, &["No thirds", "in daily", "hides"]);

        let rule = format!("/rules/{}", rules[0]["id"]);
        reader
            .form(&format!("{rule}/toggle"), &[])
            .await
            .expect(303);
        assert_eq!(reader.json("/api/rules").await[0]["enabled"], false);
        says(&reader.get("/rules").await, &["Turn on"]);
        says(
            &reader.get(&rule).await.expect(200),
            &["title:third", "selected"],
        );
        for (wrong, words) in [
            (vec![("name", "x"), ("query", "y")], "Tick at least one"),
            (vec![("name", "x"), ("star", "yes")], "Fill in search words"),
            (
                vec![("name", " "), ("query", "y"), ("star", "yes")],
                "1 to 100",
            ),
            (
                vec![("name", "x"), ("query", "-y"), ("star", "yes")],
                "can’t be understood",
            ),
        ] {
            for path in ["/rules", &rule] {
                let answer = reader.form(path, &wrong).await.expect(400);
                says(&answer, &[words, "role=\"alert\""]);
            }
        }
        let other = [("name", "Stars"), ("query", "second"), ("star", "yes")];
        reader.form(&rule, &other).await.expect(303);
        assert_eq!(reader.json("/api/rules").await[0]["name"], "Stars");
        reader
            .form(&format!("{rule}/delete"), &[])
            .await
            .expect(303);
        assert_eq!(reader.json("/api/rules").await, json!([]));

        let kept = [("name", "Firsts"), ("query", "first")];
        reader.form("/rules/searches", &kept).await.expect(303);
        says(&reader.get("/rules").await, &["Firsts"]);
        let search = reader.json("/api/searches").await[0]["id"].to_string();
        for name in ["Seconds", "Thirds"] {
            let kept = [("name", name), ("query", "x")];
            reader.form("/rules/searches", &kept).await.expect(303);
        }
        for (at, expected) in [
            (2, ["Seconds", "Thirds", "Firsts"]),
            (1, ["Seconds", "Firsts", "Thirds"]),
            (0, ["Firsts", "Seconds", "Thirds"]),
        ] {
            let placed = arrange(&reader, &[("do", &format!("search:{search}::{at}"))]).await;
            assert_eq!(
                placed.expect(303).header("location"),
                "/rules?done=moved#searches"
            );
            let kept = reader.json("/api/searches").await;
            let names = kept
                .as_array()
                .unwrap()
                .iter()
                .map(|kept| kept["name"].as_str().unwrap());
            assert!(names.eq(expected), "{kept}");
        }
        says(&reader.get("/rules?done=moved").await, &["Moved."]);
        for other in reader.json("/api/searches").await.as_array().unwrap() {
            if other["name"] != "Firsts" {
                let path = format!("/api/searches/{}", other["id"]);
                reader.delete(&path).await.expect(204);
            }
        }
        let search = format!("/rules/searches/{search}");
        says(
            &reader.get(&search).await.expect(200),
            &["value=\"Firsts\"", "value=\"first\""],
        );
        let refused = reader
            .form(&search, &[("name", "x"), ("query", "-x")])
            .await;
        says(
            &refused.expect(400),
            &["can’t be understood", "value=\"-x\""],
        );
        reader
            .form(&search, &[("name", "Ones"), ("query", "one")])
            .await
            .expect(303);
        assert_eq!(reader.json("/api/searches").await[0]["query"], "one");
        reader
            .form(&format!("{search}/delete"), &[])
            .await
            .expect(303);
        assert_eq!(reader.json("/api/searches").await, json!([]));
    })
    .await;
}

#[tokio::test]
async fn feeds_of_other_users_cannot_be_seen_or_changed() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = follow(&lede, &ada, "daily").await;
        let science = category(&ada, "Science").await;
        let body = json!({"name": "Mine", "query": "first", "actions": {"star": true}});
        let rule = ada
            .post("/api/rules", body.clone())
            .await
            .expect(201)
            .json()["id"]
            .to_string();
        let search = ada.post("/api/searches", body).await.expect(201).json()["id"].to_string();
        let xml = [("content-type", "application/xml")];
        let import = ada
            .send(
                Method::POST,
                "/api/feeds/import-opml",
                &xml,
                b"<opml/>".to_vec(),
            )
            .await;
        let import = import.expect(200).json()["id"].to_string();
        let ben = lede.person("ben@example.org", Role::Member).await;
        for path in [
            format!("/feeds/{feed}"),
            format!("/categories/{science}"),
            format!("/rules/{rule}"),
            format!("/rules/searches/{search}"),
            format!("/imports/{import}"),
        ] {
            ada.get(&path).await.expect(200);
            ben.get(&path).await.expect(404);
        }
        let fields = [
            ("name", "Stolen"),
            ("title", "Stolen"),
            ("url", "https://site.example/"),
            ("query", "x"),
            ("star", "yes"),
        ];
        for path in [
            format!("/feeds/{feed}/settings"),
            format!("/feeds/{feed}/refresh"),
            format!("/feeds/{feed}/resume"),
            format!("/feeds/{feed}/address"),
            format!("/feeds/{feed}/unsubscribe"),
            format!("/categories/{science}"),
            format!("/categories/{science}/delete"),
            format!("/rules/{rule}"),
            format!("/rules/{rule}/toggle"),
            format!("/rules/{rule}/delete"),
            format!("/rules/searches/{search}"),
            format!("/rules/searches/{search}/delete"),
        ] {
            let answer = ben.form(&path, &fields).await;
            assert_eq!(answer.status.as_u16(), 404, "{path}");
        }
        for button in [
            format!("feed:{feed}::0"),
            format!("category:{science}::0"),
            format!("search:{search}::0"),
        ] {
            arrange(&ben, &[("do", &button)]).await.expect(404);
        }
        arrange(&ben, &[("do", "unsubscribe"), ("feed", &feed)])
            .await
            .expect(303);
        arrange(&ben, &[("do", "move"), ("feed", &feed)])
            .await
            .expect(303);
        assert_eq!(order(&ada).await, [("daily".to_owned(), None)]);
        assert_eq!(ada.json("/api/rules").await[0]["name"], "Mine");
        assert_eq!(ada.json("/api/searches").await[0]["name"], "Mine");
        assert_eq!(ada.json("/api/categories").await[0]["name"], "Science");
    })
    .await;
}
