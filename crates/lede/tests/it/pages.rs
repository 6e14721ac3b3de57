//! The pages over plain HTTP, without script: access, content, and that a GET changes nothing.

use std::time::Duration;

use http::Method;
use lede_model::user::Role;
use lede_testkit::http::{Answer, Http};
use lede_testkit::{
    ADMIN, Options, PASSWORD, Reply, TestLede, on_each_engine, on_each_engine_with,
};
use serde_json::{Value, json};

fn news() -> Reply {
    Reply::rss(
        "Daily",
        &[("Newest", "<p>New & bold</p>"), ("Older", "<p>Old</p>")],
    )
}

/// Subscribes to `reply`. Returns the feed's id and its items.
async fn follow(lede: &TestLede, reader: &Http, reply: Reply) -> (Value, Vec<Value>) {
    let url = lede.site.put("/feed.xml", reply);
    let added = reader.post("/api/feeds", json!({ "url": url })).await;
    let feed = added.expect(201).json()["id"].clone();
    let page = reader.json(&format!("/api/feeds/{feed}/items")).await;
    (feed, page["items"].as_array().unwrap().clone())
}

/// The titles of a list page, in order.
pub(crate) fn titles(page: &Answer) -> Vec<String> {
    let rows = page
        .text
        .split("<span class=\"title\" dir=\"auto\">")
        .skip(1);
    rows.map(|row| row.split('<').next().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn items_of_other_users_are_not_found() {
    on_each_engine(async |lede: TestLede| {
        let (feed, items) = follow(&lede, &lede.admin().await, news()).await;
        let item = format!("/items/{}", items[0]["id"]);
        let list = format!("/?feed={feed}");
        let ben = lede.person("ben@example.org", Role::Member).await;
        for path in [&item, &list, "/items/999999", "/?feed=999999"] {
            let page = ben.get(path).await.expect(404);
            assert!(
                page.header("content-type").starts_with("text/html"),
                "{path}"
            );
            assert!(page.text.contains("not found"), "{path}");
            assert!(!page.text.contains("Newest"), "{path}");
        }
        let admin = lede.browser().await;
        for path in [&item, &list] {
            let page = admin.get(path).await.expect(200);
            assert!(page.text.contains("Newest"), "{path}");
            assert_eq!(page.header("cache-control"), "no-store");
        }
    })
    .await;
}

#[tokio::test]
async fn reading_pages_changes_nothing() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let (feed, items) = follow(&lede, &reader, news()).await;
        let browser = lede.browser().await;
        for item in &items {
            let page = browser.get(&format!("/items/{}", item["id"])).await;
            assert!(page.expect(200).text.contains("data-unread"));
        }
        let feed = reader.json(&format!("/api/feeds/{feed}")).await;
        assert_eq!(feed["unread_count"], 2);
    })
    .await;
}

#[tokio::test]
async fn a_missing_page_is_explained_to_browsers_and_to_api_clients() {
    on_each_engine(async |lede: TestLede| {
        let visitor = lede.visitor();
        let person = visitor.with_header("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
        let page = person.get("/nowhere").await.expect(404);
        assert!(page.header("content-type").starts_with("text/html"));
        assert!(page.text.contains("Page not found"));
        for (client, path) in [(&visitor, "/nowhere"), (&person, "/api/nowhere")] {
            assert_eq!(
                client.get(path).await.expect(404).json()["code"],
                "not_found"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn assets_are_cached_for_ever_and_compressed() {
    on_each_engine(async |lede: TestLede| {
        let visitor = lede.visitor();
        let page = visitor.get("/auth/login").await.expect(200);
        let address = page
            .text
            .split("<link rel=\"stylesheet\" href=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .unwrap();
        let version = address
            .strip_prefix("/assets/")
            .and_then(|rest| rest.strip_suffix("/lede.css"))
            .unwrap();
        assert_eq!(version.len(), 12, "{address}");
        let plain = visitor.get(address).await.expect(200);
        assert_eq!(plain.header("content-type"), "text/css; charset=utf-8");
        assert_eq!(plain.header("content-encoding"), "");
        assert!(plain.header("cache-control").contains("immutable"));
        assert_eq!(plain.header("vary"), "Accept-Encoding");
        visitor.get("/assets/lede.css").await.expect(404);
        let stale = visitor.get("/assets/000000000000/lede.css").await;
        assert_eq!(
            stale.expect(200).header("cache-control"),
            "public, no-cache"
        );

        let headers = [("accept-encoding", "br, gzip")];
        let packed = visitor
            .send(Method::GET, address, &headers, Vec::new())
            .await;
        assert_eq!(packed.expect(200).header("content-encoding"), "gzip");
        let known = [("if-none-match", plain.header("etag"))];
        let again = visitor.send(Method::GET, address, &known, Vec::new()).await;
        assert_eq!(again.expect(304).text, "");
        visitor.get("/assets/../Cargo.toml").await.expect(404);
        visitor.get("/assets/nothing.css").await.expect(404);
        let icon = visitor.get("/favicon.ico").await.expect(200);
        assert_eq!(icon.header("content-type"), "image/svg+xml");
    })
    .await;
}

#[tokio::test]
async fn after_sign_in_one_is_where_one_wanted_to_be() {
    on_each_engine(async |lede: TestLede| {
        let visitor = lede.visitor();
        let sent = visitor.get("/items/7?a=b&c").await.expect(303);
        let login = sent.header("location");
        assert_eq!(login, "/auth/login?next=%2Fitems%2F7%3Fa%3Db%26c");
        let page = visitor.get(login).await.expect(200);
        assert!(
            page.text
                .contains(r#"name="next" value="/items/7?a=b&#38;c""#)
        );
        for (next, goes) in [
            ("/items/7?a=b&c", "/items/7?a=b&c"),
            ("", "/"),
            ("//evil.example/", "/"),
            ("/\\evil.example", "/"),
            ("https://evil.example/", "/"),
            ("javascript:alert(1)", "/"),
        ] {
            let visitor = lede.visitor();
            let fields = [("email", ADMIN), ("password", PASSWORD), ("next", next)];
            let entered = visitor.fill("/auth/login", "/auth/login", &fields).await;
            assert_eq!(entered.expect(303).header("location"), goes, "{next}");
            // Sign-ins are limited per minute.
            lede.clock.advance(Duration::from_secs(60));
        }
    })
    .await;
}

#[tokio::test]
async fn older_items_are_a_page_further() {
    on_each_engine(async |lede: TestLede| {
        let names: Vec<String> = (0..70).map(|number| format!("Item {number:03}")).collect();
        let items: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        let reader = lede.admin().await;
        follow(&lede, &reader, Reply::rss("Long", &items)).await;
        let browser = lede.browser().await;
        let older_than = |page: &Answer| {
            let after = page.text.split("<li class=\"more\"").nth(1).unwrap();
            let after = after.split("href=\"").nth(1);
            let address = after.and_then(|rest| rest.split('"').next());
            address.unwrap().replace("&#38;", "&")
        };
        let first = browser.get("/?show=all").await.expect(200);
        let older = older_than(&first);
        assert!(older.starts_with("/?show=all&after="), "{older}");
        let second = browser.get(&older).await.expect(200);
        assert!(!second.text.contains("class=\"more\""));
        assert_eq!([titles(&first), titles(&second)].concat(), names);

        // The same position in a list that is now empty has a helpful answer too.
        let older = older_than(&browser.get("/").await);
        let all = json!({"all": true});
        reader.post("/api/posts/mark-read", all).await.expect(200);
        let page = browser.get(&older).await.expect(200);
        assert!(page.text.contains("That’s everything"));
        assert!(page.text.contains("href=\"/\">Back"));
    })
    .await;
}

#[tokio::test]
async fn a_search_that_cannot_be_understood_says_so_to_people() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let page = browser.get("/?q=title:").await;
        let said = "Type what to look for right after “title:”, without a space.";
        assert!(page.text.contains(said), "{}", page.text);
        for words_for_programs in ["q: ", "Correct the request"] {
            assert!(!page.text.contains(words_for_programs));
        }
    })
    .await;
}

#[tokio::test]
async fn an_empty_list_says_why_and_what_next() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let page = browser.get("/").await.expect(200);
        assert!(page.text.contains("What do you like to read?"));
        assert!(page.text.contains("action=\"/add\""));

        let reader = lede.admin().await;
        let (_, items) = follow(&lede, &reader, news()).await;
        let page = browser.get("/?show=starred").await.expect(200);
        assert!(page.text.contains("No stars yet"));
        for item in &items {
            let state = format!("/api/items/{}/state", item["id"]);
            reader
                .put(&state, json!({ "is_read": true }))
                .await
                .expect(200);
        }
        assert!(browser.get("/").await.text.contains("You’re all caught up"));
        assert_eq!(
            titles(&browser.get("/?show=all").await),
            ["Newest", "Older"]
        );

        let url = lede.site.put("/empty.xml", Reply::rss("Quiet", &[]));
        let added = reader.post("/api/feeds", json!({ "url": url })).await;
        let quiet = added.expect(201).json()["id"].clone();
        let page = browser.get(&format!("/?feed={quiet}&show=all")).await;
        assert!(page.text.contains("Nothing here yet"));
    })
    .await;
}

#[tokio::test]
async fn the_first_visit_shows_the_set_up_page() {
    let options = Options {
        is_empty: true,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let visitor = lede.visitor();
        let page = visitor.get("/").await.expect(200);
        assert!(page.text.contains("Welcome to Lede"));
        for path in ["/auth/login", "/auth/register"] {
            assert_eq!(visitor.get(path).await.expect(303).header("location"), "/");
        }
        let fields = [
            ("email", ADMIN),
            ("password", PASSWORD),
            ("password_confirm", "something else"),
        ];
        let again = visitor.fill("/", "/setup", &fields).await.expect(400);
        assert!(again.text.contains("The two passwords don’t match."));
        assert!(again.text.contains(&format!("value=\"{ADMIN}\"")));
    })
    .await;
}

#[tokio::test]
async fn a_list_with_an_open_item_begins_where_the_item_is() {
    on_each_engine(async |lede: TestLede| {
        let names: Vec<String> = (1..=130).map(|number| format!("Item {number}")).collect();
        let items: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        let admin = lede.admin().await;
        let outer = admin
            .post("/api/categories", json!({"name": "Outer"}))
            .await;
        let outer = outer.expect(201).json()["id"].clone();
        let inner = json!({"name": "Inner", "parent_id": outer});
        let inner = admin.post("/api/categories", inner).await.expect(201);
        let url = lede.site.put("/feed.xml", Reply::rss("Daily", &items));
        let feed = json!({"url": url, "category_id": inner.json()["id"]});
        let feed = admin.post("/api/feeds", feed).await.expect(201).json()["id"].clone();
        let all = admin.json("/api/posts?limit=200").await;
        let number = |name: &str| {
            let mut all = all["posts"].as_array().unwrap().iter();
            all.find(|item| item["title"] == name).unwrap()["id"].clone()
        };
        let item = number("Item 70");
        let reader = lede.browser().await;
        for (order, before, after) in [
            ("newest", "Item 69", "Item 71"),
            ("oldest", "Item 71", "Item 69"),
        ] {
            for part in [
                String::new(),
                format!("feed={feed}&"),
                format!("category={outer}&"),
            ] {
                let path = format!("/?{part}show=all&order={order}&item={item}");
                let page = reader.get(&path).await.expect(200);
                let rows = titles(&page);
                assert_eq!(rows[..2], ["Item 70", after], "{path}");
                assert_eq!(rows.len(), 50, "{path}");
                // The page before it, in the same order.
                let newer = page.text.split("data-newer=\"").nth(1).unwrap();
                let newer = newer.split('"').next().unwrap().replace("&#38;", "&");
                let rows = titles(&reader.get(&newer).await.expect(200));
                assert_eq!(rows.len(), 50, "{newer}");
                assert_eq!(rows[49], before, "{newer}");
            }
        }
        // The unread list shows the item although it is read; a list that does not contain it does not.
        let state = format!("/api/items/{item}/state");
        admin
            .put(&state, json!({"is_read": true}))
            .await
            .expect(200);
        let page = reader.get(&format!("/?item={item}")).await.expect(200);
        assert_eq!(titles(&page)[..2], ["Item 70", "Item 71"]);
        let other = admin.post("/api/labels", json!({"name": "Later"})).await;
        let other = other.expect(201).json()["id"].clone();
        let page = reader.get(&format!("/?label={other}&item={item}")).await;
        assert_eq!(titles(&page.expect(200)), [""; 0]);
    })
    .await;
}
