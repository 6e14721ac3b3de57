//! Export of all data of an account, and its import into another instance.

mod checks;
mod pending_marks;

use std::time::Duration;

use http::Method;
use lede_model::user::Role;
use lede_store::Engine;
use lede_testkit::http::{Answer, Http};
use lede_testkit::{ADMIN, Options, Reply, TestLede, on_each_engine, on_each_engine_with};
use serde_json::{Value, json};

use crate::routes::item_routes;
use crate::store::{number, rows};

const IMPORT: &str = "/api/users/me/import";
const EXPORT: &str = "/api/users/me/export";

/// The number that a query returns, bypassing the API.
fn count(lede: &TestLede, sql: &str) -> i64 {
    number(lede.lede.store.place(), sql)
}

fn run(lede: &TestLede, sql: &str) {
    rows(lede.lede.store.place(), sql);
}

async fn follow(reader: &Http, url: &str) -> String {
    let added = reader.post("/api/feeds", json!({"url": url})).await;
    added.expect(201).json()["id"].to_string()
}

async fn items_of(reader: &Http, feed: &str, filter: &str) -> Vec<Value> {
    let page = reader
        .json(&format!("/api/feeds/{feed}/items?filter={filter}"))
        .await;
    page["items"].as_array().unwrap().clone()
}

async fn mark(reader: &Http, item: &Value, state: Value) {
    let path = format!("/api/items/{}/state", item["id"]);
    reader.put(&path, state).await.expect(200);
}

async fn import(reader: &Http, document: &Value) -> Answer {
    reader.post(IMPORT, document.clone()).await
}

/// Imports a document without errors and returns the report.
async fn imported(reader: &Http, document: &Value) -> Value {
    let done = import(reader, document).await.expect(200).json();
    assert_eq!(done["errors"], json!([]));
    done
}

/// The document without fields that differ between exports.
fn comparable(mut document: Value) -> Value {
    document["exported_at"] = Value::Null;
    document["account"] = Value::Null;
    document["app_passwords"] = Value::Null;
    for subscription in document["subscriptions"].as_array_mut().unwrap() {
        subscription["created_at"] = Value::Null;
    }
    // Items labelled at the same time are listed in order of arrival.
    let labelled = document["labelled"].as_array_mut().unwrap();
    labelled.sort_by_key(|item| item["key"].to_string());
    document
}

async fn choose(reader: &Http, preferences: Value) {
    let json = [("content-type", "application/json")];
    let body = preferences.to_string().into_bytes();
    let path = "/api/users/me/preferences";
    let chosen = reader.send(Method::PATCH, path, &json, body).await;
    chosen.expect(200);
}

/// Fills an account: two feeds, categories, marks, labels, searches and rules. Returns its export.
async fn household(lede: &TestLede, reader: &Http) -> Value {
    let news = lede.site.put(
        "/news.xml",
        Reply::rss(
            "News & <views>",
            &[
                ("One < two", "<p>first <b>text</b></p>"),
                ("Two", "second"),
                ("Three", "third"),
            ],
        ),
    );
    let blog = lede
        .site
        .put("/blog.xml", Reply::rss("Blog", &[("Post", "words")]));
    let feed = follow(reader, &news).await;
    follow(reader, &blog).await;
    let items = items_of(reader, &feed, "all").await;
    let titled = |title: &str| items.iter().find(|item| item["title"] == title).unwrap();
    mark(
        reader,
        titled("One < two"),
        json!({"is_read": true, "is_starred": true}),
    )
    .await;
    mark(reader, titled("Two"), json!({"is_read": true})).await;
    for sql in [
        "INSERT INTO category (user_id, name, parent_id, position, created_at)
         SELECT id, 'Outer', NULL, 2, 5 FROM account WHERE email = 'ada@example.org'",
        "INSERT INTO category (user_id, name, parent_id, position, created_at)
         SELECT user_id, 'Inner', id, 1, 5 FROM category",
        "UPDATE subscription SET category_id = (SELECT id FROM category WHERE name = 'Inner'), position = 4,
             title = 'My news', interval_minutes = 90, full_text = FALSE, notify = TRUE, paused_at = 1700000000000
         WHERE feed_id = (SELECT id FROM feed WHERE url LIKE '%news.xml')",
        "INSERT INTO saved_search (user_id, name, query, position, created_at)
         SELECT id, 'Giraffes', 'giraffe -zoo', 1, 5 FROM account WHERE email = 'ada@example.org'",
        "INSERT INTO rule (user_id, name, enabled, query, feed_id, category_id, mark_read, star, hide, notify, created_at)
         SELECT s.user_id, 'Quiet', TRUE, 'ads', s.feed_id, s.category_id, TRUE, FALSE, TRUE, FALSE, 5
         FROM subscription s WHERE s.title = 'My news'",
        "INSERT INTO app_password (user_id, name, scope, password_hash, fever_key_hash, created_at)
         SELECT id, 'Phone', 'read', CAST('hunter2' AS BYTES), CAST('hunter3' AS BYTES), 5
         FROM account WHERE email = 'ada@example.org'",
        "UPDATE item_body SET full_html = '<p>the whole article</p>'
         WHERE item_id = (SELECT id FROM item WHERE title = 'One < two')",
    ] {
        let bytes = match lede.lede.store.engine() {
            Engine::Sqlite => "BLOB",
            Engine::Postgres => "BYTEA",
        };
        run(lede, &sql.replace("BYTES", bytes));
    }
    for (title, labels) in [
        ("One < two", json!(["Später", "Zoo"])),
        ("Two", json!(["später"])),
        ("Three", json!(["Zoo", "Später"])),
    ] {
        let path = format!("/api/items/{}/labels", titled(title)["id"]);
        reader
            .put(&path, json!({"labels": labels}))
            .await
            .expect(200);
    }
    let rule = json!({"name": "Zoo", "query": "giraffe", "actions": {"label": "zoo"}});
    reader.post("/api/rules", rule).await.expect(201);
    reader
        .post("/api/labels", json!({"name": "Empty"}))
        .await
        .expect(201);
    let service = json!({"name": "Keep", "address": "https://keep.example/?u={url}"});
    let keys = json!({"star": "f", "undo": null});
    let chosen = json!({"theme": "dark", "text_size": 20, "shortcuts": false, "keys": keys, "send_to": [service]});
    choose(reader, chosen).await;
    reader.json(EXPORT).await
}

#[tokio::test]
async fn what_is_taken_out_of_one_engine_is_whole_in_the_other() {
    for (from, to) in [
        (Engine::Sqlite, Engine::Postgres),
        (Engine::Postgres, Engine::Sqlite),
    ] {
        let old = TestLede::start(from, Options::default()).await;
        let ada = old.admin().await;
        let document = household(&old, &ada).await;
        assert_eq!(document["format"], "lede-export");
        assert_eq!(document["version"], 1);
        assert_eq!(document["account"]["email"], ADMIN);
        assert_eq!(document["preferences"]["theme"], "dark");
        let own = json!({"star": "f", "undo": null});
        assert_eq!(document["preferences"]["keys"], own);
        assert_eq!(document["preferences"]["send_to"][0]["name"], "Keep");
        assert_eq!(
            document["app_passwords"],
            json!([{"name": "Phone", "scope": "read"}])
        );
        assert!(!document.to_string().contains("hunter"), "no secret leaves");
        assert_eq!(
            document["subscriptions"][0]["category"],
            json!(["Outer", "Inner"])
        );
        assert_eq!(document["starred"][0]["html"], "<p>first <b>text</b></p>");
        assert_eq!(document["starred"][0]["labels"], json!(["Später", "Zoo"]));
        let labelled = document["labelled"].as_array().unwrap();
        assert_eq!(
            labelled.len(),
            2,
            "each once, and what is starred is there already"
        );
        assert_eq!(
            document["labels"],
            json!([{"name": "Empty"}, {"name": "Später"}, {"name": "Zoo"}])
        );
        assert_eq!(document["rules"][1]["label"], "Zoo");

        let options = Options {
            other_sites: vec![old.site.clone()],
            ..Options::default()
        };
        let new = TestLede::start(to, options).await;
        let ben = new.person("ben@example.org", Role::Member).await;
        let done = imported(&ben, &document).await;
        for (field, number) in [
            ("categories_added", 2),
            ("subscriptions_added", 2),
            ("saved_searches_added", 1),
            ("labels_added", 3),
            ("rules_added", 2),
            ("starred", 1),
            ("labelled", 2),
            ("items_added", 3),
            ("marked", 3),
            // The marks of the other feed, and those of items imported here, wait for the first fetch.
            ("pending", 4),
        ] {
            assert_eq!(done[field], number, "{field}: {done}");
        }
        let fetched = old.site.request_count();
        let again = ben.json(EXPORT).await;
        let mut expected = comparable(document.clone());
        // Marks of the items stored so far: the starred one, which is read, and the labelled ones.
        expected["marks"] = json!([{
            "feed_url": document["subscriptions"][0]["feed_url"],
            "items": again["marks"][0]["items"].clone(),
        }]);
        assert_eq!(again["marks"][0]["items"].as_array().unwrap().len(), 3);
        assert_eq!(comparable(again.clone()), expected);
        let marks = again["marks"][0]["items"].as_array().unwrap();
        let read = marks.iter().filter(|marks| marks["read"] == true).count();
        assert_eq!(read, 2, "one starred, one labelled");
        assert_eq!(
            old.site.request_count(),
            fetched,
            "nothing is fetched at once"
        );
        assert_eq!(
            count(
                &new,
                "SELECT COUNT(*) FROM feed WHERE next_fetch_at IS NOT NULL"
            ),
            1,
            "the other one is paused"
        );

        // The items can be read at once, a second import changes nothing, and Ada on the same
        // instance has none of it.
        let feeds = ben.json("/api/feeds").await;
        let news = feeds
            .as_array()
            .unwrap()
            .iter()
            .find(|feed| feed["title"] == "My news");
        let news = news.unwrap()["id"].to_string();
        let starred = items_of(&ben, &news, "starred").await;
        assert_eq!(starred[0]["title"], "One < two");
        let item = ben.json(&format!("/api/items/{}", starred[0]["id"])).await;
        assert_eq!(item["full_content"], "<p>the whole article</p>");
        let twice = imported(&ben, &document).await;
        for field in [
            "categories_added",
            "subscriptions_added",
            "labels_added",
            "saved_searches_added",
            "rules_added",
            "items_added",
        ] {
            assert_eq!(twice[field], 0, "{field}");
        }
        assert_eq!(comparable(ben.json(EXPORT).await), expected);
        assert_eq!(new.admin().await.json("/api/feeds").await, json!([]));
    }
}

#[tokio::test]
async fn the_download_has_a_name_and_is_no_page() {
    on_each_engine(async |lede: TestLede| {
        let answer = lede.admin().await.get(EXPORT).await.expect(200);
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(
            answer.header("content-disposition"),
            "attachment; filename=\"lede-export-2026-03-14.json\""
        );
    })
    .await;
}

#[tokio::test]
async fn many_items_come_in_many_pieces_and_all_of_them() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let titles: Vec<String> = (0..30).map(|number| format!("n{number}")).collect();
        let items: Vec<(&str, &str)> = titles.iter().map(|title| (title.as_str(), "x")).collect();
        let url = lede.site.put("/feed.xml", Reply::rss("Feed", &items));
        let feed = follow(&ada, &url).await;
        for item in items_of(&ada, &feed, "all").await {
            mark(&ada, &item, json!({"is_starred": true})).await;
        }
        let document = ada.json(EXPORT).await;
        assert_eq!(document["starred"].as_array().unwrap().len(), 30);
        assert_eq!(document["marks"][0]["items"].as_array().unwrap().len(), 30);
        // All items exist here, so the import applies their marks again.
        ada.post("/api/feeds", json!({"url": url}))
            .await
            .expect(409);
        for item in items_of(&ada, &feed, "all").await {
            mark(&ada, &item, json!({"is_read": true, "is_starred": false})).await;
        }
        let done = imported(&ada, &document).await;
        assert_eq!(
            (&done["marked"], &done["starred"], &done["items_added"]),
            (&json!(30), &json!(30), &json!(0))
        );
        assert_eq!(items_of(&ada, &feed, "unread").await.len(), 30);
        assert_eq!(items_of(&ada, &feed, "starred").await.len(), 30);
    })
    .await;
}

/// A document with one feed that has one starred item.
fn document(feed_url: &str, key: &str, html: &str) -> Value {
    json!({
        "format": "lede-export", "version": 1,
        "subscriptions": [{"feed_url": feed_url}],
        "starred": [{
            "feed_url": feed_url, "key": key, "url": "https://site.example/0",
            "title": "Forged", "html": html, "full_html": "<p>forged whole</p>",
            "published_at": "2001-01-01T00:00:00Z",
        }],
    })
}

#[tokio::test]
async fn an_imported_item_is_its_importers_alone_on_every_route() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let url = lede
            .site
            .put("/feed.xml", Reply::rss("Feed", &[("One", "true")]));
        let feed = follow(&ada, &url).await;
        let mallory = lede.person("mallory@example.org", Role::Member).await;
        let mut forged = document(&url, "g:Two", "forged");
        forged["starred"][0]["url"] = json!("https://site.example/elsewhere");
        forged["starred"][0]["published_at"] = json!("2026-03-14T11:00:00Z");
        imported(&mallory, &forged).await;
        let own = items_of(&mallory, &feed, "starred").await;
        let id = own[0]["id"].to_string();
        assert_eq!(
            mallory.json(&format!("/api/items/{id}")).await["title"],
            "Forged"
        );
        // A user who follows the feed later does not see it either.
        let ben = lede.person("ben@example.org", Role::Member).await;
        follow(&ben, &url).await;

        let routes = item_routes();
        assert!(routes.len() > 8, "{routes:?}");
        for other in [&ada, &ben] {
            for (method, path, body) in &routes {
                let path = path.replace("{id}", &id);
                let method = Method::from_bytes(method.as_bytes()).unwrap();
                let json = [("content-type", "application/json")];
                let body = match body {
                    Value::Null => Vec::new(),
                    body => body.to_string().into_bytes(),
                };
                let answer = other.send(method.clone(), &path, &json, body).await;
                let status = answer.status.as_u16();
                assert!(matches!(status, 404 | 415), "{method} {path}: {status}");
                assert!(!answer.text.contains("orged"), "{method} {path}");
            }
            let mark = json!({"post_ids": [own[0]["id"]]});
            other.post("/api/posts/mark-read", mark).await.expect(404);
            for path in [
                "/api/posts?limit=50".to_owned(),
                "/api/posts?search=forged".to_owned(),
                format!("/api/feeds/{feed}/items"),
                EXPORT.to_owned(),
                "/".to_owned(),
                "/offline".to_owned(),
            ] {
                let seen = other.get(&path).await.expect(200).text;
                assert!(!seen.contains("orged") && !seen.contains("g:Two"), "{path}");
            }
            let address = "/api/proxy?url=https%3A%2F%2Fsite.example%2Felsewhere";
            assert_ne!(other.get(address).await.status.as_u16(), 200);
        }
        // Nor is it among the headlines in the preview of the feed.
        let eve = lede.person("eve@example.org", Role::Member).await;
        let form = [("content-type", "application/x-www-form-urlencoded")];
        let body = format!("url={}", url.replace(':', "%3A").replace('/', "%2F"));
        let offered = eve
            .send(Method::POST, "/add", &form, body.into_bytes())
            .await;
        let offered = offered.expect(200).text;
        assert!(
            offered.contains("One") && !offered.contains("orged"),
            "{offered}"
        );

        // A second user who imports the same item sees the content of their own document, each time.
        let mut second = forged.clone();
        second["starred"][0]["title"] = json!("Mine");
        for _ in 0..2 {
            imported(&ben, &second).await;
            let starred = items_of(&ben, &feed, "starred").await;
            assert_eq!(starred.len(), 1);
            assert_eq!(starred[0]["title"], "Mine");
        }

        // Once the feed lists the item, the feed's content replaces it.
        lede.site.put(
            "/feed.xml",
            Reply::rss("Feed", &[("Two", "true"), ("One", "true")]),
        );
        lede.clock.advance(Duration::from_secs(7200));
        lede.work().await;
        let listed = ada.json(&format!("/api/items/{id}")).await;
        assert_eq!(listed["title"], "Two");
    })
    .await;
}

#[tokio::test]
async fn an_import_does_not_change_items_for_other_users() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let url = lede.site.put("/feed.xml", Reply::rss("Feed", &[("One", "true")]));
        let feed = follow(&ada, &url).await;
        let mallory = lede.person("mallory@example.org", Role::Member).await;
        imported(&mallory, &document(&url, "g:One", "forged")).await;
        let one = items_of(&ada, &feed, "all").await[0].clone();
        assert_eq!(one["title"], "One");
        let whole = ada.json(&format!("/api/items/{}", one["id"])).await;
        assert!(!whole.to_string().contains("orged"), "{whole}");

        // An item that is not stored yet: other users see it neither as unread nor at all.
        let mut forged = document(&url, "g:Two", "forged");
        forged["starred"][0]["url"] = json!("https://site.example/elsewhere");
        let done = imported(&mallory, &forged).await;
        assert_eq!(done["items_added"], 1);
        assert_eq!(items_of(&mallory, &feed, "starred").await.len(), 2);
        assert_eq!(items_of(&ada, &feed, "unread").await.len(), 1);
        let hidden = "SELECT COUNT(*) FROM mark m JOIN item i ON i.id = m.item_id
                      WHERE m.kind = 3 AND i.title = 'Forged' AND m.user_id = (SELECT id FROM account WHERE email = 'ada@example.org')";
        assert_eq!(count(&lede, hidden), 1);

        // Once the publisher lists it, only the publisher's content counts, and the item is new to all.
        lede.site.put("/feed.xml", Reply::rss("Feed", &[("Two", "real"), ("One", "true")]));
        ada.post(&format!("/api/feeds/{feed}/refresh"), json!({})).await.expect(200);
        let unread = items_of(&ada, &feed, "unread").await;
        let two = unread.iter().find(|item| item["title"] == "Two").expect("it is unread");
        let whole = ada.json(&format!("/api/items/{}", two["id"])).await;
        assert!(!whole.to_string().contains("orged"), "{whole}");
        assert!(two["published_at"].as_str().unwrap().starts_with("2026"), "{two}");
        assert_eq!(count(&lede, hidden), 0);
        let starred = items_of(&mallory, &feed, "starred").await;
        assert!(starred.iter().any(|item| item["title"] == "Two"), "the star stays");
        assert_eq!(count(&lede, "SELECT COUNT(*) FROM feed WHERE guids_unreliable"), 0);
    })
    .await;
}

#[tokio::test]
async fn imported_items_do_not_make_the_first_fetch_a_flood() {
    on_each_engine(async |lede: TestLede| {
        let titles: Vec<String> = (0..40).map(|number| format!("n{number}")).collect();
        let items: String = titles
            .iter()
            .map(|title| format!("<item><title>{title}</title><guid>{title}</guid><pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate></item>"))
            .collect();
        let text = format!("<rss version='2.0'><channel><title>F</title>{items}</channel></rss>");
        let url = lede.site.put("/feed.xml", Reply::body("application/rss+xml", text));
        let ada = lede.admin().await;
        imported(&ada, &document(&url, "g:old", "kept")).await;
        lede.work().await;
        let feeds = ada.json("/api/feeds").await;
        assert_eq!(feeds[0]["unread_count"], 40);
        assert_eq!(feeds[0]["title"], "F");
    })
    .await;
}

#[tokio::test]
async fn imported_content_is_invisible_to_other_users() {
    on_each_engine(async |lede: TestLede| {
        let text = "<rss version='2.0'><channel><title>F</title>
            <item><title>Real</title><guid>1</guid></item></channel></rss>";
        let url = lede
            .site
            .put("/feed.xml", Reply::body("application/rss+xml", text));
        let ada = lede.admin().await;
        imported(&ada, &document(&url, "g:old", "kept")).await;
        lede.work().await;
        let feed = ada.json("/api/feeds").await[0]["id"].to_string();
        assert_eq!(items_of(&ada, &feed, "all").await.len(), 2);
        let eve = lede.person("eve@example.org", Role::Member).await;
        eve.post("/api/feeds", json!({"url": url}))
            .await
            .expect(201);
        for filter in ["all", "unread"] {
            let seen = items_of(&eve, &feed, filter).await;
            assert_eq!(seen.len(), 1, "{filter}");
            assert_eq!(seen[0]["title"], "Real");
        }
    })
    .await;
}

#[tokio::test]
async fn a_feed_that_comes_in_paused_brings_nothing_unread() {
    on_each_engine(async |lede: TestLede| {
        let (ada, ben) = (
            lede.admin().await,
            lede.person("ben@example.org", Role::Member).await,
        );
        let url = lede
            .site
            .put("/feed.xml", Reply::rss("Feed", &[("One", "x")]));
        follow(&ada, &url).await;
        let document = json!({
            "format": "lede-export", "version": 1,
            "subscriptions": [{"feed_url": url, "paused_at": "2026-01-01T00:00:00Z"}],
        });
        imported(&ben, &document).await;
        let feeds = ben.json("/api/feeds").await;
        assert_eq!(
            (&feeds[0]["paused"], &feeds[0]["unread_count"]),
            (&json!(true), &json!(0))
        );
    })
    .await;
}

#[tokio::test]
async fn how_the_reader_looks_comes_along_as_far_as_the_document_says() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let chosen = async || ada.json("/api/users/me/preferences").await;
        let document = |preferences: Value| json!({"format": "lede-export", "version": 1, "preferences": preferences});
        choose(&ada, json!({"theme": "dark", "measure": 72})).await;
        let done = imported(&ada, &document(json!({"text_size": 22, "language": "pt", "of_tomorrow": 1}))).await;
        assert_eq!(done["preferences_set"], true);
        let before = chosen().await;
        for (name, value) in [("theme", json!("dark")), ("measure", json!(72)), ("text_size", json!(22)), ("language", json!("pt"))] {
            assert_eq!(before[name], value, "{name}");
        }
        let send_to = |address: &str| json!({"send_to": [{"name": "Keep", "address": address}]});
        let crowd = vec![send_to("https://keep.example/?u={url}")["send_to"][0].clone(); 13];
        for wrong in [json!({"text_size": 19}), json!({"theme": "pink"}), json!([]), json!(7), send_to("javascript:alert({url})"), json!({ "send_to": crowd }), json!({"style_sheet": "\0"}), json!({"style_sheet": 7})] {
            let done = import(&ada, &document(wrong.clone())).await.expect(200).json();
            assert_eq!(done["errors"][0]["list"], "preferences", "{wrong}");
            assert_eq!(done["preferences_set"], false, "{wrong}");
        }
        imported(&ada, &document(json!({"style_sheet": "a {}"}))).await;
        assert_eq!(ada.json("/api/users/me/export").await["preferences"]["style_sheet"], "a {}");
        imported(&ada, &document(json!({"style_sheet": ""}))).await;
        // An unknown action in the shortcuts does not prevent the import of the rest.
        let keys = json!({"keys": {"of_tomorrow": "y", "star": "f"}});
        assert_eq!(imported(&ada, &document(keys)).await["preferences_set"], true);
        assert_eq!(chosen().await["keys"]["star"], "f");
        imported(&ada, &document(json!({"keys": {}}))).await;
        let older = json!({"format": "lede-export", "version": 1});
        assert_eq!(imported(&ada, &older).await["preferences_set"], false);
        assert_eq!(chosen().await, before);
    })
    .await;
}
