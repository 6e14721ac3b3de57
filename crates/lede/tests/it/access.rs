//! Feeds behind a password: fetched with one user's credentials and invisible to all other users.

mod encryption;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lede_core::{Lede, Settings, access, worker};
use lede_model::credentials::{AccessChange, Part};
use lede_model::ids::FeedId;
use lede_model::secret::Secret;
use lede_model::user::{Role, User};
use lede_store::{Engine, users};
use lede_testkit::http::Http;
use lede_testkit::{
    ADMIN, Options, PASSWORD, Reply, Site, TestLede, on_each_engine, on_each_engine_with,
};
use serde_json::{Value, json};

use crate::store::rows;

const DAY: Duration = Duration::from_secs(24 * 3600);
/// Password that must appear nowhere except in requests to the one site.
const WORD: &str = "s3cret-wörd";

fn news() -> Reply {
    Reply::rss(
        "Members' news",
        &[("For members only", "<p>hidden gold</p>")],
    )
}

/// Serves [`news`] only to requests with the right user name and password.
fn guarded() -> Reply {
    news().behind("ada", WORD)
}

fn basic(word: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("ada:{word}")))
}

/// Adds user name and password to `url`, before the host.
fn with_userinfo(url: &str) -> String {
    url.replace("http://", "http://ada:s3cret-w%C3%B6rd@")
}

/// Subscribes the admin to a feed behind a password. Returns her client and the feed.
async fn kept(lede: &TestLede) -> (Http, Value) {
    let url = lede.site.put("/feed.xml", guarded());
    let ada = lede.admin().await;
    let body = json!({"url": url, "username": "ada", "password": WORD});
    let feed = ada.post("/api/feeds", body).await.expect(201).json();
    (ada, feed)
}

async fn account(lede: &TestLede, email: &'static str) -> User {
    let found = lede.lede.store.read(|db| users::find_by_email(db, email));
    found.await.unwrap().unwrap().0
}

/// The `Authorization` header of the last request for `path`.
fn last_shown(site: &Site, path: &str) -> Option<String> {
    let last = site.requests(path).pop().expect("it was asked for");
    let shown = last.get("authorization")?;
    Some(shown.to_str().unwrap().to_owned())
}

/// All rows of all tables, as text.
fn everything(lede: &TestLede) -> String {
    let tables = match lede.lede.store.engine() {
        Engine::Sqlite => "SELECT name FROM sqlite_schema WHERE type = 'table'",
        Engine::Postgres => {
            "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
        }
    };
    let tables = rows(lede.place(), tables);
    let tables = tables.iter().filter(|table| !table.contains("search"));
    let all = tables.flat_map(|table| rows(lede.place(), &format!("SELECT * FROM \"{table}\"")));
    all.collect::<Vec<_>>().join("\n")
}

/// Encodes `text` in hexadecimal, as PostgreSQL prints bytes.
fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn assert_sealed(lede: &TestLede) {
    let everything = everything(lede);
    assert!(everything.contains("feed.xml"), "it is looked through");
    let basic = STANDARD.encode(format!("ada:{WORD}"));
    for secret in [WORD, "s3cret", &hex("s3cret"), &basic, "s3cret-w%C3%B6rd"] {
        assert!(!everything.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn a_feed_behind_a_password_is_read_with_what_its_address_says() {
    on_each_engine(async |lede: TestLede| {
        let url = lede.site.put("/feed.xml", guarded());
        let ada = lede.admin().await;
        let refused = ada.post("/api/feeds", json!({"url": url})).await.expect(422);
        assert_eq!(refused.json()["code"], "access_needed");
        assert_eq!(
            refused.json()["error"],
            "the server answered 401 Unauthorized"
        );

        let typed = with_userinfo(&url);
        let found = ada.post("/api/feeds/discover", json!({"url": typed})).await;
        assert_eq!(found.expect(200).json()["best"], url);
        let added = ada.post("/api/feeds", json!({"url": typed})).await;
        let added = added.expect(201).json();
        assert_eq!((&added["url"], &added["has_access"]), (&json!(url), &json!(true)));
        let path = format!("/api/feeds/{}", added["id"]);
        let items = ada.json(&format!("{path}/items")).await;
        assert_eq!(items["items"][0]["title"], "For members only");
        let shown = ada.json(&path).await;
        assert_eq!(
            shown["access"],
            json!({"username": true, "password": true, "user_agent": false, "cookie": false, "readable": true})
        );

        // The worker's scheduled fetches send the credentials too.
        lede.clock.advance(DAY);
        lede.work().await;
        assert_eq!(last_shown(&lede.site, "/feed.xml"), Some(basic(WORD)));
        assert_eq!(ada.json(&path).await["last_fetch_status"], "success");

        assert_sealed(&lede);
        for path in [
            path.as_str(),
            "/api/feeds",
            "/api/subscriptions",
            "/api/feeds/export-opml",
            "/api/users/me/export",
        ] {
            let told = ada.get(path).await.expect(200).text;
            assert!(!told.contains("s3cret") && !told.contains("ada:"), "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn user_agent_and_cookie_are_sent_and_what_cannot_be_sent_is_refused_by_name() {
    on_each_engine(async |lede: TestLede| {
        let url = lede.site.put("/feed.xml", news());
        let ada = lede.admin().await;
        for (field, value, why) in [
            ("username", "a:b".to_owned(), "must not contain a colon"),
            (
                "password",
                "p".repeat(257),
                "must be at most 256 characters long",
            ),
            (
                "user_agent",
                "a\r\nHost: evil".to_owned(),
                "must not contain line breaks or control characters",
            ),
            (
                "cookie",
                "c".repeat(4097),
                "must be at most 4096 characters long",
            ),
        ] {
            let body = json!({"url": url, field: value});
            for path in ["/api/feeds", "/api/feeds/discover"] {
                let refused = ada.post(path, body.clone()).await.expect(400).json();
                assert_eq!(refused["fields"][field], why);
            }
        }
        let odd = url.replace("http://", "http://ada:a%0Ab@");
        let refused = ada
            .post("/api/feeds", json!({"url": odd}))
            .await
            .expect(400);
        assert!(refused.text.contains("line breaks") && !refused.text.contains("a%0Ab"));
        assert_eq!(lede.site.request_count(), 0);

        let body = json!({"url": url, "user_agent": "Mine/1", "cookie": "a=b; c=ü"});
        let feed = ada.post("/api/feeds", body).await.expect(201).json();
        let seen = lede.site.requests("/feed.xml").pop().unwrap();
        assert_eq!(seen["user-agent"], "Mine/1");
        assert_eq!(seen["cookie"].as_bytes(), "a=b; c=ü".as_bytes());
        assert!(!seen.contains_key("authorization"));

        // A field that is null or empty is cleared, an absent one stays, and the feed is fetched soon.
        let path = format!("/api/subscriptions/{}/settings", feed["subscription_id"]);
        let body = json!({"cookie": null, "username": "ada", "password": WORD, "title": "Mine"});
        let changed = ada.put(&path, body).await.expect(200).json();
        assert_eq!(
            (&changed["has_access"], &changed["feed_title"]),
            (&json!(true), &json!("Mine"))
        );
        lede.work().await;
        let seen = lede.site.requests("/feed.xml").pop().unwrap();
        assert_eq!(seen["user-agent"], "Mine/1");
        assert_eq!(seen["authorization"], basic(WORD).as_str());
        assert!(!seen.contains_key("cookie"));

        let body = json!({"user_agent": "", "username": "", "password": null});
        let changed = ada.put(&path, body).await.expect(200).json();
        assert_eq!(changed["has_access"], false);
        lede.work().await;
        let seen = lede.site.requests("/feed.xml").pop().unwrap();
        assert!(!seen.contains_key("authorization"));
        assert!(seen["user-agent"].to_str().unwrap().starts_with("Lede"));
        ada.put("/api/subscriptions/999/settings", json!({"password": "x"}))
            .await
            .expect(404);
    })
    .await;
}

#[tokio::test]
async fn other_users_cannot_follow_or_see_a_private_feed() {
    on_each_engine(async |lede: TestLede| {
        let (ada, feed) = kept(&lede).await;
        let url = feed["url"].as_str().unwrap();
        lede.site.put("/favicon.ico", Reply::picture());
        let icon = Reply::body("text/html", "<!doctype html><link rel=icon href=/favicon.ico>");
        lede.site.put("/", icon);
        let item = ada.json(&format!("/api/feeds/{}/items", feed["id"])).await;
        let item = item["items"][0]["id"].clone();
        let eve = lede.person("eve@example.org", Role::Member).await;
        let open = lede.site.put("/open.xml", Reply::rss("Open", &[("Seen", "x")]));
        let own = eve.post("/api/feeds", json!({"url": open})).await.expect(201).json();

        // Every way to subscribe.
        let typed = with_userinfo(url);
        let page = format!("<!doctype html><title>A site</title><link rel=alternate type=application/rss+xml href='{url}'>");
        let page = lede.site.put("/page", Reply::body("text/html", page));
        let asked = lede.site.requests("/feed.xml").len();
        for address in [url, &typed, &page] {
            for path in ["/api/feeds", "/api/feeds/discover"] {
                let refused = eve.post(path, json!({"url": address})).await.expect(409);
                assert_eq!(refused.json()["code"], "feed_is_private", "{path} {address}");
                assert!(!refused.text.contains("Members"));
            }
        }
        let path = format!("/api/feeds/{}", own["id"]);
        let refused = eve.patch(&path, json!({"feed_url": url})).await.expect(409);
        assert_eq!(refused.json()["code"], "feed_is_private");
        let list = format!("<opml><body><outline xmlUrl='{url}'/><outline xmlUrl='{typed}'/></body></opml>");
        let document = [("content-type", "text/x-opml")];
        let taken = eve
            .send(
                http::Method::POST,
                "/api/feeds/import-opml",
                &document,
                list.into_bytes(),
            )
            .await;
        let taken = taken.expect(200).json();
        assert_eq!((&taken["imported"], &taken["failed"]), (&json!(0), &json!(1)));
        assert!(taken["errors"].to_string().contains("read with somebody's password"));
        let document = json!({"format": "lede-export", "version": 1, "subscriptions": [
            {"feed_url": url, "feed_title": "x", "position": 0, "full_text": true, "notify": false}]});
        let taken = eve.post("/api/users/me/import", document).await.expect(200);
        assert!(taken.text.contains("read with somebody's password"), "{}", taken.text);
        let refused = eve.form("/feeds", &[("name", "Mine"), ("url", url)]).await;
        assert!(refused.status.is_client_error(), "{}", refused.status);
        for path in ["/add", "/add/preview", "/add/follow"] {
            let shown = eve.form(path, &[("url", url)]).await;
            assert!(shown.status.is_client_error(), "{path}: {}", shown.status);
            assert!(shown.text.contains("with their own password"), "{path}: {}", shown.text);
            assert!(!shown.text.contains("members") && !shown.text.contains("Members"));
        }
        assert_eq!(
            lede.site.requests("/feed.xml").len(),
            asked,
            "nothing is asked of the site in Ada's name"
        );

        // Every endpoint that addresses the feed by its id.
        let (id, subscription) = (&feed["id"], &feed["subscription_id"]);
        for path in [
            format!("/api/feeds/{id}"),
            format!("/api/feeds/{id}/items"),
            format!("/api/feeds/{id}/favicon"),
            format!("/api/items/{item}"),
            format!("/api/posts/{item}"),
            format!("/items/{item}"),
            format!("/feeds/{id}"),
        ] {
            eve.get(&path).await.expect(404);
        }
        for path in [
            format!("/api/feeds/{id}/refresh"),
            format!("/api/feeds/{id}/enable"),
            format!("/api/items/{item}/article"),
            format!("/api/subscriptions/{subscription}/resume"),
        ] {
            eve.post(&path, json!({})).await.expect(404);
        }
        for path in [
            format!("/feeds/{id}/access"),
            format!("/feeds/{id}/access/forget"),
        ] {
            eve.form(&path, &[("password", "mine")]).await.expect(404);
        }
        let settings = format!("/api/subscriptions/{subscription}/settings");
        eve.put(&settings, json!({"password": null})).await.expect(404);
        let rule = json!({"name": "Mine", "feed_id": id, "actions": {"star": true}});
        assert!(eve.post("/api/rules", rule).await.status.is_client_error());
        for path in ["/api/feeds", "/api/posts", "/", "/?q=gold", "/feeds", "/subscriptions"] {
            let seen = eve.get(path).await.expect(200).text;
            for private in ["feed.xml", "Members", "members only", "hidden gold"] {
                assert!(!seen.contains(private), "{path}: {private}");
            }
        }

        // An admin sees the row, but not the secret.
        let root = lede.person("root@example.org", Role::Admin).await;
        let seen = root.get("/admin/feeds").await.expect(200).text;
        assert!(seen.contains("feed.xml") && !seen.contains("s3cret"));

        assert!(ada.json(&format!("/api/feeds/{id}")).await["has_access"] == true);
        assert_eq!(rows(lede.place(), "SELECT COUNT(*) FROM subscription"), ["2"]);
    })
    .await;
}

#[tokio::test]
async fn what_others_follow_cannot_be_given_a_password() {
    on_each_engine(async |lede: TestLede| {
        let url = lede.site.put("/feed.xml", news());
        let ada = lede.admin().await;
        let eve = lede.person("eve@example.org", Role::Member).await;
        let feed = ada
            .post("/api/feeds", json!({"url": url}))
            .await
            .expect(201)
            .json();
        let hers = eve
            .post("/api/feeds", json!({"url": url}))
            .await
            .expect(201)
            .json();
        assert_eq!(feed["id"], hers["id"]);
        let settings = format!("/api/subscriptions/{}/settings", feed["subscription_id"]);
        let refused = ada
            .put(&settings, json!({"password": WORD}))
            .await
            .expect(409);
        assert_eq!(refused.json()["code"], "feed_is_shared");
        let cid = lede.person("cid@example.org", Role::Member).await;
        let typed = with_userinfo(&url);
        let refused = cid
            .post("/api/feeds", json!({"url": typed}))
            .await
            .expect(409);
        assert_eq!(refused.json()["code"], "feed_is_shared");
        let refused = ada
            .post("/api/feeds", json!({"url": typed}))
            .await
            .expect(409);
        assert_eq!(refused.json()["code"], "already_subscribed");

        // As the only subscriber she can set a password, and then others cannot subscribe.
        eve.delete(&format!("/api/feeds/{}", feed["id"]))
            .await
            .expect(204);
        ada.put(&settings, json!({"password": WORD}))
            .await
            .expect(200);
        eve.post("/api/feeds", json!({"url": url}))
            .await
            .expect(409);
        assert_eq!(rows(lede.place(), "SELECT COUNT(*) FROM feed"), ["1"]);

        // A viewer may only subscribe to existing feeds, and so cannot set credentials.
        let vera = lede.person("vera@example.org", Role::Viewer).await;
        let open = lede.site.put("/open.xml", news());
        ada.post("/api/feeds", json!({"url": open}))
            .await
            .expect(201);
        let theirs = vera
            .post("/api/feeds", json!({"url": open}))
            .await
            .expect(201)
            .json();
        let settings = format!("/api/subscriptions/{}/settings", theirs["subscription_id"]);
        vera.put(&settings, json!({"password": WORD}))
            .await
            .expect(403);
        let typed = with_userinfo(&open);
        vera.delete(&format!("/api/feeds/{}", theirs["id"]))
            .await
            .expect(204);
        vera.post("/api/feeds", json!({"url": typed}))
            .await
            .expect(403);
    })
    .await;
}

#[tokio::test]
async fn a_private_feed_stays_private_until_it_is_removed_with_its_items() {
    on_each_engine(async |lede: TestLede| {
        let (ada, feed) = kept(&lede).await;
        let url = feed["url"].as_str().unwrap();
        let eve = lede.person("eve@example.org", Role::Member).await;
        let settings = format!("/api/subscriptions/{}/settings", feed["subscription_id"]);
        let nothing = json!({"username": null, "password": null});
        ada.put(&settings, nothing).await.expect(200);
        assert_eq!(
            rows(
                lede.place(),
                "SELECT COUNT(*) FROM feed WHERE access IS NULL"
            ),
            ["1"]
        );
        lede.site
            .put("/feed.xml", Reply::rss("Open", &[("Open now", "x")]));
        // The items from before are still stored, and only she has seen them.
        eve.post("/api/feeds", json!({"url": url}))
            .await
            .expect(409);

        ada.put(&settings, json!({"password": WORD}))
            .await
            .expect(200);
        ada.delete(&format!("/api/feeds/{}", feed["id"]))
            .await
            .expect(204);
        assert_eq!(
            rows(
                lede.place(),
                "SELECT COUNT(*) FROM feed WHERE access IS NULL"
            ),
            ["1"],
            "the password goes at once"
        );
        worker::run_queues(&lede.lede).await.unwrap();
        for table in ["feed", "item", "item_body", "tombstone", "subscription"] {
            let left = rows(lede.place(), &format!("SELECT COUNT(*) FROM {table}"));
            assert_eq!(left, ["0"], "{table}");
        }
        let hers = eve
            .post("/api/feeds", json!({"url": url}))
            .await
            .expect(201)
            .json();
        let items = eve.json(&format!("/api/feeds/{}/items", hers["id"])).await;
        assert_eq!(items["items"][0]["title"], "Open now");
        assert_eq!(items["items"].as_array().unwrap().len(), 1);

        // An owner who subscribes again before the clean-up still has the feed.
        lede.site.put("/feed.xml", guarded());
        let other = lede.site.put("/other.xml", guarded());
        let body = json!({"url": other, "username": "ada", "password": WORD});
        let feed = ada
            .post("/api/feeds", body.clone())
            .await
            .expect(201)
            .json();
        ada.delete(&format!("/api/feeds/{}", feed["id"]))
            .await
            .expect(204);
        let again = ada.post("/api/feeds", body).await.expect(201).json();
        assert_eq!(again["id"], feed["id"]);
        assert_eq!(again["last_error"], Value::Null);
        worker::run_queues(&lede.lede).await.unwrap();
        ada.get(&format!("/api/feeds/{}/items", feed["id"]))
            .await
            .expect(200);

        // Deleting the account deletes the feed too.
        let ben = lede.person("ben@example.org", Role::Member).await;
        let his = lede.site.put("/his.xml", guarded());
        let body = json!({"url": his, "username": "ada", "password": WORD});
        ben.post("/api/feeds", body).await.expect(201);
        ben.send(
            http::Method::DELETE,
            "/api/users/me",
            &[("content-type", "application/json")],
            json!({"password": PASSWORD}).to_string().into_bytes(),
        )
        .await
        .expect(204);
        let left = rows(
            lede.place(),
            "SELECT COUNT(*) FROM feed WHERE url LIKE '%his.xml'",
        );
        assert_eq!(left, ["0"]);
    })
    .await;
}

#[tokio::test]
async fn a_feed_that_moves_to_another_site_does_not_take_its_password_there() {
    let elsewhere = Site::start().await;
    let options = Options {
        other_sites: vec![elsewhere.clone()],
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let (ada, feed) = kept(&lede).await;
        let path = format!("/api/feeds/{}", feed["id"]);
        let there = elsewhere.put("/feed.xml", Reply::rss("Elsewhere", &[("New", "x")]));
        // Another user already follows the target: the two feeds are not merged.
        let eve = lede.person("eve@example.org", Role::Member).await;
        eve.post("/api/feeds", json!({"url": there}))
            .await
            .expect(201);
        let moved = Reply::status(301)
            .with("location", &there)
            .behind("ada", WORD);
        lede.site.put("/feed.xml", moved);
        for _ in 0..10 {
            lede.clock.advance(DAY);
            lede.work().await;
        }
        assert!(elsewhere.requests("/feed.xml").len() > 9);
        for seen in elsewhere.requests("/feed.xml") {
            assert!(!seen.contains_key("authorization"));
        }
        let shown = ada.json(&path).await;
        assert_eq!(
            (&shown["url"], &shown["has_access"]),
            (&feed["url"], &json!(true))
        );
        assert_eq!(rows(lede.place(), "SELECT COUNT(*) FROM feed"), ["2"]);
        let page = ada
            .get(&format!("/feeds/{}", feed["id"]))
            .await
            .expect(200)
            .text;
        assert!(
            page.contains(&format!("The feed has moved to {there}")),
            "{page}"
        );

        // A move within its own site is followed, and the credentials stay.
        let near = lede.site.put("/near.xml", guarded());
        let moved = Reply::status(301)
            .with("location", "/near.xml")
            .behind("ada", WORD);
        lede.site.put("/feed.xml", moved);
        for _ in 0..10 {
            lede.clock.advance(DAY);
            lede.work().await;
        }
        let shown = ada.json(&path).await;
        assert_eq!(
            (&shown["url"], &shown["last_fetch_status"]),
            (&json!(near), &json!("success"))
        );

        // She may change the address herself: within the site the credentials stay, elsewhere they go.
        let third = lede.site.put("/third.xml", guarded());
        let changed = ada
            .patch(&path, json!({"feed_url": third}))
            .await
            .expect(200)
            .json();
        assert_eq!(
            (&changed["url"], &changed["has_access"]),
            (&json!(third), &json!(true))
        );
        let path = format!("/api/feeds/{}", changed["id"]);
        let changed = ada
            .patch(&path, json!({"feed_url": there}))
            .await
            .expect(200)
            .json();
        assert_eq!(
            (&changed["url"], &changed["has_access"]),
            (&json!(there), &json!(false))
        );
    })
    .await;
}

#[tokio::test]
async fn articles_of_the_same_site_are_fetched_with_it_and_of_others_without() {
    let elsewhere = Site::start().await;
    let options = Options {
        other_sites: vec![elsewhere.clone()],
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let text = "<p>A long article, word after word, for those who may read it.</p>".repeat(60);
        let article = Reply::body("text/html", format!("<article><h1>One</h1>{text}</article>"));
        let here = lede.site.put("/story", article.clone().behind("ada", WORD));
        let there = elsewhere.put("/story", article);
        let item = |n: u8, link: &str| {
            format!("<item><guid>{n}</guid><title>{n}</title><link>{link}</link><description>s</description></item>")
        };
        let items = item(1, &here) + &item(2, &there);
        let rss = format!("<rss version='2.0'><channel><title>N</title>{items}</channel></rss>");
        let url = lede.site.put("/feed.xml", Reply::body("application/rss+xml", rss).behind("ada", WORD));
        let ada = lede.admin().await;
        let body = json!({"url": url, "username": "ada", "password": WORD});
        let feed = ada.post("/api/feeds", body).await.expect(201).json();
        worker::run_queues(&lede.lede).await.unwrap();
        assert_eq!(last_shown(&lede.site, "/story"), Some(basic(WORD)));
        assert_eq!(last_shown(&elsewhere, "/story"), None);
        let items = ada.json(&format!("/api/feeds/{}/items", feed["id"])).await;
        for item in items["items"].as_array().unwrap() {
            let shown = ada.json(&format!("/api/items/{}", item["id"])).await;
            assert!(shown.to_string().contains("word after word"), "{shown}");
        }
        assert_eq!(last_shown(&lede.site, "/favicon.ico"), Some(basic(WORD)));
    })
    .await;
}

#[tokio::test]
async fn pages_accept_credentials_and_never_show_them_again() {
    on_each_engine(async |lede: TestLede| {
        let url = lede.site.put("/feed.xml", guarded());
        let ada = lede.browser().await;
        let asks = ada.fill("/add", "/add", &[("url", &url)]).await.expect(422);
        assert!(asks.text.contains("data-wants-access"));
        assert!(asks.text.contains("<details id=\"access\" open>"));
        let wrong = [
            ("url", url.as_str()),
            ("username", "ada"),
            ("password", "wrong-one"),
        ];
        let asks = ada.fill("/add", "/add", &wrong).await.expect(422);
        assert!(!asks.text.contains("wrong-one"));
        let odd = [("url", url.as_str()), ("username", "a:b")];
        let odd = ada.fill("/add", "/add", &odd).await.expect(400);
        assert!(odd.text.contains("can’t contain a colon"));

        // Credentials inside the address; the page shows the address without them.
        let found = ada
            .fill("/add", "/add", &[("url", &with_userinfo(&url))])
            .await;
        let found = found.expect(200).text;
        assert!(found.contains("For members only"));
        assert!(!found.contains("s3cret"), "{found}");
        let sealed = found.split("name=\"access\" value=\"").nth(1).unwrap();
        let sealed = sealed.split('"').next().unwrap();

        // The sealed credentials in the form are valid for this user and this site only.
        let eve = lede.person("eve@example.org", Role::Member).await;
        let stolen = eve
            .form("/add/follow", &[("url", &url), ("access", sealed)])
            .await;
        stolen.expect(422);
        let evil = lede.site.url("/").replace("127.0.0.1", "127.0.0.2");
        ada.fill("/add", "/add/follow", &[("url", &evil), ("access", sealed)])
            .await;
        let fields = [("url", url.as_str()), ("access", sealed)];
        let followed = ada.fill("/add", "/add/follow", &fields).await.expect(303);
        let id = followed
            .header("location")
            .rsplit('=')
            .next()
            .unwrap()
            .to_owned();
        assert_sealed(&lede);

        let page = format!("/feeds/{id}");
        let shown = ada.get(&page).await.expect(200).text;
        assert!(shown.contains("Saved. Leave empty to keep it."));
        assert!(shown.contains("starts with http, not https"));
        assert!(!shown.contains("s3cret"));

        // A new password is tried at once, and a field left empty keeps its value.
        lede.site.put("/feed.xml", news().behind("ada", "changed"));
        let failed = ada.fill(&page, &format!("{page}/refresh"), &[]).await;
        assert!(failed.header("location").ends_with("done=failed"));
        let shown = ada.get(&page).await.expect(200).text;
        assert!(shown.contains("The site asks for a user name and password."));
        assert!(shown.contains("href=\"#access\""));
        let set = ada
            .fill(
                &page,
                &format!("{page}/access"),
                &[("username", ""), ("password", "changed")],
            )
            .await
            .expect(303);
        assert!(set.header("location").ends_with("done=access"), "{set:?}");
        assert_eq!(last_shown(&lede.site, "/feed.xml"), Some(basic("changed")));
        let forgotten = ada.fill(&page, &format!("{page}/access/forget"), &[]).await;
        assert!(
            forgotten
                .expect(303)
                .header("location")
                .ends_with("access-forgotten")
        );
        let shown = ada.get(&page).await.expect(200).text;
        assert!(!shown.contains("There is one."));
        assert!(shown.contains("Only you can follow this feed here"));
    })
    .await;
}

#[tokio::test]
async fn a_part_that_is_no_text_is_named() {
    on_each_engine(async |lede: TestLede| {
        let (ada, feed) = kept(&lede).await;
        let settings = format!("/api/subscriptions/{}/settings", feed["subscription_id"]);
        for field in ["username", "password", "user_agent", "cookie"] {
            let added = json!({"url": "https://x.example.org/", field: 5});
            for answer in [
                ada.post("/api/feeds", added.clone()).await,
                ada.post("/api/feeds/discover", added).await,
                ada.put(&settings, json!({field: ["x"]})).await,
            ] {
                let error = answer.expect(400).json();
                assert!(error["fields"][field].is_string(), "{error}");
            }
        }
    })
    .await;
}
