//! Every route as every kind of client. A route that is missing from the tables fails here.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::Method;
use lede_core::accounts as use_cases;
use lede_core::worker;
use lede_model::user::Role;
use lede_server::policy::{Access, Csrf, DeclaredRoute, ErrorFormat, FullDisk, RateLimit, Scheme};
use lede_store::DatabaseLocation;
use lede_testkit::http::{Answer, Http};
use lede_testkit::{
    ADMIN, Options, PASSWORD, Reply, TestLede, on_each_engine, on_each_engine_with,
};
use serde_json::{Value, json};

use crate::open_api::operations;
use crate::store::rows;

/// Clients that may use a route.
#[derive(Clone, Copy, PartialEq, Debug)]
enum For {
    /// Every client: the route reveals nothing private and changes no user's data.
    Anybody,
    /// Signed-in users of any role.
    Readers,
    /// Signed-in users that own the resource: others get 404.
    Owner,
    /// Admins: others get 403.
    Admins,
}

/// Every JSON route, with a valid body, in an order that works: a feed is added before it is read,
/// and deleting the account comes last.
fn json_routes() -> Vec<(&'static str, &'static str, For, Value)> {
    use For::{Admins, Anybody, Owner, Readers};
    vec![
        ("GET", "/health", Anybody, Value::Null),
        ("GET", "/api/health", Anybody, Value::Null),
        ("GET", "/api/status", Readers, Value::Null),
        ("POST", "/api/admin/vacuum", Admins, Value::Null),
        (
            "POST",
            "/api/admin/reprocess-summary",
            Admins,
            json!({"content_hash": "{content_hash}"}),
        ),
        ("GET", "/api/admin/jobs", Admins, Value::Null),
        (
            "POST",
            "/api/admin/jobs/retry",
            Admins,
            json!({"kind": "icon"}),
        ),
        (
            "POST",
            "/api/admin/jobs/drop",
            Admins,
            json!({"kind": "icon"}),
        ),
        ("GET", "/metrics", Anybody, Value::Null),
        ("POST", "/auth/token", Anybody, json!({"password": ""})),
        ("POST", "/api/auth/login", Anybody, json!({"password": ""})),
        ("GET", "/api/auth/me", Readers, Value::Null),
        ("GET", "/api/feeds", Readers, Value::Null),
        ("POST", "/api/feeds", Readers, json!({"url": "{feed_url}"})),
        (
            "POST",
            "/api/feeds/discover",
            Readers,
            json!({"url": "{feed_url}"}),
        ),
        (
            "POST",
            "/api/categories",
            Readers,
            json!({"name": "Technology"}),
        ),
        ("GET", "/api/categories", Readers, Value::Null),
        (
            "PUT",
            "/api/categories/{id}",
            Owner,
            json!({"name": "Science"}),
        ),
        (
            "PATCH",
            "/api/categories/reorder",
            Owner,
            json!([{"id": "{category}", "position": 0}]),
        ),
        ("GET", "/api/feeds/{id}", Owner, Value::Null),
        (
            "PUT",
            "/api/feeds/{id}",
            Owner,
            json!({"title": "Mine", "category_id": "{category}"}),
        ),
        (
            "PATCH",
            "/api/feeds/{id}",
            Owner,
            json!({"feed_url": "{feed_url}"}),
        ),
        ("GET", "/api/feeds/{id}/items", Owner, Value::Null),
        ("GET", "/api/posts", Readers, Value::Null),
        ("GET", "/api/posts/{id}", Owner, Value::Null),
        (
            "PATCH",
            "/api/posts/{id}/read",
            Owner,
            json!({"is_read": true}),
        ),
        (
            "POST",
            "/api/posts/mark-read",
            Readers,
            json!({"all": true}),
        ),
        ("POST", "/api/posts/mark-read/{id}/undo", Owner, Value::Null),
        ("POST", "/api/feeds/{id}/refresh", Owner, Value::Null),
        ("POST", "/api/feeds/refresh", Readers, json!({})),
        ("GET", "/api/feeds/{id}/favicon", Owner, Value::Null),
        ("GET", "/api/feeds/export-opml", Readers, Value::Null),
        ("POST", "/api/feeds/import-opml", Readers, Value::Null),
        ("GET", "/api/imports/{id}", Owner, Value::Null),
        ("GET", "/api/imports/{id}/results", Owner, Value::Null),
        ("GET", "/api/subscriptions", Readers, Value::Null),
        (
            "PUT",
            "/api/subscriptions/{id}/settings",
            Owner,
            json!({"full_text": true}),
        ),
        ("POST", "/api/subscriptions/{id}/resume", Owner, Value::Null),
        ("POST", "/api/feeds/{id}/enable", Owner, Value::Null),
        ("GET", "/api/items/{id}", Owner, Value::Null),
        ("POST", "/api/items/{id}/article", Owner, Value::Null),
        ("GET", "/api/proxy", Owner, Value::Null),
        (
            "PUT",
            "/api/items/{id}/state",
            Owner,
            json!({"is_read": true}),
        ),
        ("GET", "/api/searches", Readers, Value::Null),
        ("POST", "/api/searches", Readers, search_body()),
        ("PUT", "/api/searches/{id}", Owner, json!({"name": "Other"})),
        ("DELETE", "/api/searches/{id}", Owner, Value::Null),
        ("GET", "/api/rules", Readers, Value::Null),
        ("POST", "/api/rules", Readers, rule_body()),
        ("POST", "/api/rules/preview", Readers, rule_body()),
        ("GET", "/api/rules/{id}", Owner, Value::Null),
        ("PUT", "/api/rules/{id}", Owner, rule_body()),
        ("DELETE", "/api/rules/{id}", Owner, Value::Null),
        ("GET", "/api/notifications", Readers, Value::Null),
        ("POST", "/api/notifications/read", Readers, Value::Null),
        ("POST", "/api/notifications/{id}/read", Owner, Value::Null),
        ("GET", "/api/events", Readers, Value::Null),
        ("GET", "/api/users/me/preferences", Readers, Value::Null),
        (
            "PATCH",
            "/api/users/me/preferences",
            Readers,
            json!({"theme": "dark"}),
        ),
        ("GET", "/api/app-passwords", Readers, Value::Null),
        (
            "POST",
            "/api/app-passwords",
            Readers,
            json!({"name": "Phone"}),
        ),
        ("DELETE", "/api/app-passwords/{id}", Owner, Value::Null),
        ("GET", "/api/users/me/export", Readers, Value::Null),
        (
            "POST",
            "/api/users/me/import",
            Readers,
            json!({"format": "lede-export", "version": 1}),
        ),
        (
            "PUT",
            "/api/items/{id}/labels",
            Owner,
            json!({"labels": ["Later"]}),
        ),
        ("GET", "/api/labels", Readers, Value::Null),
        ("POST", "/api/labels", Readers, json!({"name": "Long"})),
        ("PUT", "/api/labels/{id}", Owner, json!({"name": "Short"})),
        ("DELETE", "/api/labels/{id}", Owner, Value::Null),
        ("DELETE", "/api/categories/{id}", Owner, Value::Null),
        ("DELETE", "/api/subscriptions/{id}", Owner, Value::Null),
        ("DELETE", "/api/feeds/{id}", Owner, Value::Null),
        ("POST", "/api/auth/logout", Readers, Value::Null),
        ("DELETE", "/api/users/me", Readers, Value::Null),
    ]
}

fn search_body() -> Value {
    json!({"name": "Mine", "query": "one"})
}

fn rule_body() -> Value {
    json!({"name": "Mine", "query": "title:xyz", "actions": {"star": true}})
}

/// Routes without sign-in that are not in the description of the API, with the answer to a visitor who sends nothing.
const OPEN_PAGES: [(&str, &str, u16); 19] = [
    ("GET", "/", 303),
    ("GET", "/assets/{version}/{*path}", 200),
    ("GET", "/auth/google/callback", 400),
    ("GET", "/auth/google/login", 404),
    ("GET", "/auth/login", 200),
    ("POST", "/auth/login", 400),
    ("POST", "/auth/logout", 303),
    ("GET", "/auth/oidc/{provider}/callback", 400),
    ("GET", "/auth/oidc/{provider}/login", 404),
    ("GET", "/auth/register", 403),
    ("POST", "/auth/register", 400),
    ("GET", "/favicon.ico", 200),
    ("GET", "/manifest.webmanifest", 200),
    ("GET", "/openapi.json", 200),
    ("GET", "/openapi.yaml", 200),
    ("POST", "/setup", 400),
    ("GET", "/sw.js", 200),
    ("GET", "/swagger", 308),
    ("GET", "/swagger/", 200),
];

/// Every route that is not in the description of the API.
pub(crate) fn pages() -> Vec<DeclaredRoute> {
    let described = lede_server::open_api().paths.paths;
    let mut routes = lede_server::route_table().routes();
    routes.retain(|route| !described.contains_key(&route.path));
    routes
}

fn is_write(method: &Method) -> bool {
    !method.is_safe()
}

/// Takes in a list of nothing; its number.
async fn import(who: &Http) -> String {
    let xml = [("content-type", "application/xml")];
    let path = "/api/feeds/import-opml";
    let taken = who.send(Method::POST, path, &xml, b"<opml/>".to_vec());
    taken.await.expect(200).json()["id"].to_string()
}

/// Existing resources: an id for each word that precedes one in a path.
#[derive(Clone)]
pub(crate) struct House {
    ids: BTreeMap<&'static str, String>,
    feed_url: String,
    item_url: String,
    content_hash: String,
    place: DatabaseLocation,
}

/// The content hash of the first item, in hexadecimal.
pub(crate) fn content_hash(place: &DatabaseLocation) -> String {
    let digits = match place {
        DatabaseLocation::File(_) => "hex(content_hash)",
        DatabaseLocation::Server(_) => "encode(content_hash, 'hex')",
    };
    rows(place, &format!("SELECT {digits} FROM item ORDER BY id")).remove(0)
}

/// Creates an app password and returns its id.
async fn app_password_of(owner: &Http) -> String {
    let body = json!({"name": "Tablet"});
    let made = owner.post("/api/app-passwords", body).await;
    made.expect(201).json()["id"].to_string()
}

/// Notifies the user of an item and returns the id of the notification.
async fn notification_of(reader: &Http, place: &DatabaseLocation, item: &str) -> String {
    let user = &reader.json("/api/auth/me").await["id"];
    let sql = format!(
        "INSERT INTO notification (user_id, channel, item_id, item_was_unread, state, created_at)
         VALUES ({user}, 1, {item}, TRUE, 0, 0) RETURNING id"
    );
    rows(place, &sql).remove(0)
}

impl House {
    pub(crate) async fn of(owner: &Http, lede: &TestLede) -> Self {
        let item_url = lede.site.put("/one", Reply::body("text/html", "<p>one"));
        let feed = format!(
            "<rss version='2.0'><channel><title>Daily</title><item><title>One</title><link>{item_url}</link>
            <guid>1</guid><description>text</description></item></channel></rss>"
        );
        let feed_url = lede
            .site
            .put("/feed.xml", Reply::body("application/rss+xml", feed));
        let added = owner.post("/api/feeds", json!({"url": feed_url})).await;
        added.expect(201);
        lede.site.put("/favicon.ico", Reply::picture());
        worker::work_off_queues(&lede.lede).await.unwrap();
        let content_hash = content_hash(lede.place());
        Self {
            ids: Self::ids(owner, lede.place()).await,
            feed_url,
            item_url,
            content_hash,
            place: lede.place().clone(),
        }
    }

    /// The ids of a user who follows the feed.
    async fn ids(reader: &Http, place: &DatabaseLocation) -> BTreeMap<&'static str, String> {
        let feed = &reader.json("/api/feeds").await[0];
        let posts = reader.json("/api/posts").await;
        let item = posts["posts"][0]["id"].to_string();
        let swept = reader
            .post("/api/posts/mark-read", json!({"all": true}))
            .await
            .expect(200);
        let unread = json!({"is_read": false});
        let read = format!("/api/posts/{item}/read");
        let json = [("content-type", "application/json")];
        let body = unread.to_string().into_bytes();
        let answer = reader.send(Method::PATCH, &read, &json, body).await;
        answer.expect(200);
        let category = reader.post("/api/categories", json!({"name": "Mine"}));
        let category = category.await.expect(201).json()["id"].to_string();
        let label = reader.post("/api/labels", json!({"name": "Mine"})).await;
        let search = reader.post("/api/searches", search_body()).await;
        let rule = reader.post("/api/rules", rule_body()).await;
        BTreeMap::from([
            ("app-passwords", app_password_of(reader).await),
            ("sessions", "0".repeat(64)),
            ("users", "1".to_owned()),
            ("searches", search.expect(201).json()["id"].to_string()),
            ("rules", rule.expect(201).json()["id"].to_string()),
            ("categories", category),
            ("labels", label.expect(201).json()["id"].to_string()),
            ("imports", import(reader).await),
            ("feeds", feed["id"].to_string()),
            ("subscriptions", feed["subscription_id"].to_string()),
            ("notifications", notification_of(reader, place, &item).await),
            ("items", item.clone()),
            ("posts", item),
            ("mark-read", swept.json()["undo_id"].to_string()),
        ])
    }

    /// The same resources for another user who follows the feed.
    async fn seen_by(&self, reader: &Http) -> Self {
        Self {
            ids: Self::ids(reader, &self.place).await,
            ..self.clone()
        }
    }

    /// Ids of resources that do not exist.
    fn absent(&self) -> Self {
        let nothing = |word: &&'static str| (*word, "1000000".to_owned());
        Self {
            ids: self.ids.keys().map(nothing).collect(),
            feed_url: String::new(),
            item_url: "https://elsewhere.example/one".to_owned(),
            content_hash: "0".repeat(64),
            place: self.place.clone(),
        }
    }

    /// Replaces the id for `word`.
    pub(crate) fn set(&mut self, word: &'static str, id: String) {
        self.ids.insert(word, id);
    }

    pub(crate) fn path(&self, pattern: &str) -> String {
        let query = match pattern {
            "/api/proxy" => format!("?url={}", self.item_url),
            _ => String::new(),
        };
        let pattern = pattern
            .replace("{provider}", "company")
            .replace("{version}/{*path}", "0/lede.css");
        match pattern.split_once("/{id}") {
            None => pattern + &query,
            Some((before, _)) => {
                let word = before.rsplit('/').next().unwrap();
                let id = self
                    .ids
                    .get(word)
                    .unwrap_or_else(|| panic!("no id for {word}"));
                pattern.replace("{id}", id)
            }
        }
    }

    /// A body with what it names filled in.
    fn filled(&self, body: &Value) -> String {
        let body = body.to_string().replace("{feed_url}", &self.feed_url);
        let body = body.replace("\"{category}\"", &self.ids["categories"]);
        body.replace("{content_hash}", &self.content_hash)
    }

    async fn ask(&self, who: &Http, method: &str, pattern: &str, body: &Value) -> u16 {
        if pattern == "/api/events" {
            // An event stream does not end.
            return who.listen(pattern).await.status.as_u16();
        }
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let (headers, body) = if body.is_null() {
            (vec![], String::new())
        } else {
            (
                vec![("content-type", "application/json")],
                self.filled(body),
            )
        };
        let answer = who
            .send(method, &self.path(pattern), &headers, body.into_bytes())
            .await;
        let status = answer.status.as_u16();
        if status >= 400 && pattern.starts_with("/api/") {
            let error = answer.json();
            assert_eq!(error["error"], error["message"], "{pattern}");
            assert!(!error["action"].as_str().unwrap().is_empty(), "{pattern}");
        }
        status
    }
}

#[tokio::test]
async fn every_json_route_is_in_the_table() {
    on_each_engine(async |lede: TestLede| {
        let api = lede.visitor().json("/openapi.json").await;
        let mut described: Vec<String> = operations(&api)
            .iter()
            .map(|(method, path, _)| format!("{method} {path}"))
            .collect();
        let mut listed: Vec<String> = json_routes()
            .iter()
            .map(|(method, path, ..)| format!("{method} {path}"))
            .collect();
        described.sort();
        listed.sort();
        assert_eq!(
            described, listed,
            "decide who may use a new route, and list it here"
        );
    })
    .await;
}

/// Every route that takes the id of an item, with the body that its owner would send.
pub(crate) fn item_routes() -> Vec<(String, String, Value)> {
    let json = json_routes().into_iter();
    let json = json.map(|(method, path, _, body)| (method, path, body));
    let json = json.map(|(method, path, body)| (method.to_owned(), path.to_owned(), body));
    let pages = pages()
        .into_iter()
        .map(|route| (route.method.to_string(), route.path, Value::Null));
    let takes_item = |path: &str| path.contains("/items/{id}") || path.contains("/posts/{id}");
    json.chain(pages)
        .filter(|(_, path, _)| takes_item(path))
        .collect()
}

/// A client with a token issued by the API. It is not renewed.
async fn with_issued_token(lede: &TestLede, email: &str) -> Http {
    lede.person(email, Role::Admin).await;
    let credentials = json!({"email": email, "password": PASSWORD});
    let issued = lede.visitor().post("/auth/token", credentials).await;
    let issued = issued.expect(200).json();
    lede.visitor().with_token(issued["token"].as_str().unwrap())
}

#[tokio::test]
async fn nobody_and_whoever_lost_their_token_gets_nothing_private() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let house = House::of(&ada, &lede).await;
        let revoked = with_issued_token(&lede, "ben@example.org").await;
        let expired = with_issued_token(&lede, "ben@example.org").await;
        let deleted = with_issued_token(&lede, "eve@example.org").await;
        revoked
            .post("/api/auth/logout", json!({}))
            .await
            .expect(200);
        deleted.delete("/api/users/me").await.expect(204);
        let signed_out = lede.browser().await;
        let kept = signed_out.copied();
        signed_out
            .fill("/settings", "/auth/logout", &[])
            .await
            .expect(303);
        lede.clock
            .advance(std::time::Duration::from_secs(366 * 24 * 3600));

        let strangers = [
            ("nobody", lede.visitor()),
            ("an expired token", expired),
            ("a revoked token", revoked),
            ("a deleted account", deleted),
            ("words", lede.visitor().with_token("words")),
            ("an ended session", kept),
        ];
        for (who, client) in &strangers {
            for (method, path, access, body) in json_routes() {
                if access == For::Anybody {
                    continue;
                }
                let status = house.ask(client, method, path, &body).await;
                assert_eq!(status, 401, "{who}: {method} {path}");
            }
            for path in ["/", "/settings", "/admin", "/items/{id}"] {
                let status = house.ask(client, "GET", path, &Value::Null).await;
                assert_eq!(status, 303, "{who}: {path}");
            }
        }
        let ada = lede.admin().await;
        let feeds = ada.json("/api/feeds").await;
        assert_eq!(feeds[0]["unread_count"], 1, "nothing was changed");
    })
    .await;
}

#[tokio::test]
async fn others_do_not_learn_whether_somebody_elses_things_exist() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let house = House::of(&ada, &lede).await;
        let absent = house.absent();
        for (email, role) in [
            ("ben@example.org", Role::Member),
            ("vera@example.org", Role::Viewer),
            ("grace@example.org", Role::Admin),
        ] {
            let other = lede.person(email, role).await;
            for (method, path, access, body) in json_routes() {
                if access != For::Owner {
                    continue;
                }
                for house in [&house, &absent] {
                    let status = house.ask(&other, method, path, &body).await;
                    assert_eq!(status, 404, "{email}: {method} {path}");
                }
            }
            assert_eq!(
                house.ask(&other, "GET", "/items/{id}", &Value::Null).await,
                404
            );
        }
        assert_eq!(ada.json("/api/feeds").await[0]["unread_count"], 1);
    })
    .await;
}

#[tokio::test]
async fn readers_of_every_role_use_what_is_theirs() {
    on_each_engine(async |lede: TestLede| {
        let house = House::of(&lede.admin().await, &lede).await;
        for (email, role) in [
            ("grace@example.org", Role::Admin),
            ("ben@example.org", Role::Member),
            ("vera@example.org", Role::Viewer),
        ] {
            let reader = lede.person(email, role).await;
            let mut house = house.clone();
            for (method, path, access, body) in json_routes() {
                let expected = match (method, path) {
                    ("POST", "/auth/token" | "/api/auth/login") => continue,
                    _ if access == For::Admins && role != Role::Admin => 403,
                    (
                        "POST",
                        "/api/feeds" | "/api/app-passwords" | "/api/categories" | "/api/searches"
                        | "/api/rules" | "/api/labels",
                    ) => 201,
                    (
                        "DELETE",
                        "/api/app-passwords/{id}"
                        | "/api/searches/{id}"
                        | "/api/rules/{id}"
                        | "/api/labels/{id}",
                    ) => 204,
                    ("POST", "/api/notifications/read" | "/api/notifications/{id}/read") => 204,
                    // This version writes no summaries.
                    ("POST", "/api/admin/reprocess-summary") => 501,
                    // Accepted: the feeds are fetched later.
                    ("POST", "/api/feeds/refresh") => 202,
                    // An empty body is not a list.
                    ("POST", "/api/feeds/import-opml") => 400,
                    // The feed already has this address, and this subscription is neither paused nor stopped.
                    ("PATCH", "/api/feeds/{id}") => 409,
                    ("POST", "/api/subscriptions/{id}/resume") => 409,
                    // Removed by the previous route.
                    ("DELETE", "/api/feeds/{id}") => 404,
                    ("DELETE", "/api/subscriptions/{id}" | "/api/categories/{id}") => 204,
                    // Signed out by the previous route.
                    ("DELETE", "/api/users/me") => 401,
                    _ => 200,
                };
                let status = house.ask(&reader, method, path, &body).await;
                assert_eq!(status, expected, "{role:?}: {method} {path}");
                if (method, path) == ("POST", "/api/feeds") {
                    house = house.seen_by(&reader).await;
                }
            }
            let reader = lede.person(email, role).await;
            assert_eq!(
                house
                    .ask(&reader, "DELETE", "/api/users/me", &Value::Null)
                    .await,
                204
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_viewer_changes_nothing_that_others_share() {
    on_each_engine(async |lede: TestLede| {
        let viewer = lede.person("vera@example.org", Role::Viewer).await;
        let url = lede.site.put("/new.xml", Reply::rss("New", &[]));
        viewer
            .post("/api/feeds", json!({"url": url}))
            .await
            .expect(403);
        let user = use_cases::sign_in(
            &lede.lede,
            "vera@example.org",
            &lede_model::secret::Secret::new(lede_testkit::PASSWORD),
        )
        .await
        .unwrap();
        let session = use_cases::begin_session(&lede.lede, user.id).await.unwrap();
        let cookie = format!("lede_session={}", session.id);
        let browser = lede.visitor().with_header("cookie", &cookie);
        let fields = [
            ("csrf_token", session.csrf_token.as_str()),
            ("url", url.as_str()),
        ];
        browser.form("/add/follow", &fields).await.expect(403);
        assert!(lede.site.requests("/new.xml").is_empty());
    })
    .await;
}

#[tokio::test]
async fn pages_give_visitors_only_what_their_policy_says() {
    on_each_engine(async |lede: TestLede| {
        let house = House::of(&lede.admin().await, &lede).await;
        for route in pages() {
            let DeclaredRoute {
                method,
                path: pattern,
                policy,
            } = route;
            lede.clock.advance(Duration::from_secs(120));
            let visitor = lede.visitor();
            let path = house.path(&pattern);
            let answer = if is_write(&method) {
                let token = visitor.get("/auth/login").await.csrf_token();
                let fields = [("csrf_token", token.as_str())];
                visitor.send_form(method.clone(), &path, &fields).await
            } else {
                visitor.get(&path).await
            };
            let mut open = OPEN_PAGES.iter();
            let open = open.find(|(open, at, _)| *open == method.as_str() && *at == pattern);
            let expected = match (policy.access, policy.errors) {
                (Access::Anonymous, _) => open.map(|(.., status)| *status),
                (_, ErrorFormat::Page | ErrorFormat::Partial) => Some(303),
                _ => Some(401),
            };
            let route = format!("{method} {pattern}");
            let expected = expected.unwrap_or_else(|| panic!("{route} is not in OPEN_PAGES"));
            assert_eq!(answer.status.as_u16(), expected, "{route}: {}", answer.text);
            assert!(!answer.text.contains(ADMIN), "{route}");
            assert!(!answer.text.contains("Daily"), "{route}");
            if expected == 303 {
                let location = answer.header("location");
                assert!(location.starts_with("/auth/login"), "{route}");
            }
        }
    })
    .await;
}

/// The page with the table of routes, as it should be.
fn routes_page() -> String {
    format!(
        "# Routes\n\n\
        Every route with its policy, as `crates/server/src/router.rs` declares it; the columns are explained in\n\
        `crates/server/src/policy.rs`. A test compares this page with the program and says how to update it.\n\n{}",
        lede_server::route_table()
    )
}

#[test]
fn the_page_of_routes_shows_the_policy_of_each() {
    let expected = routes_page();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ROUTES.md");
    let found = std::fs::read_to_string(kept).unwrap_or_default();
    if found != expected {
        let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ROUTES.md");
        std::fs::write(&new, &expected).unwrap();
        panic!(
            "routes or policies changed:\n{expected}\nIf that is meant: cp {} docs/ROUTES.md",
            new.display()
        );
    }
}

#[test]
fn every_route_has_a_policy_and_policies_are_sound() {
    let routes = lede_server::route_table().routes();
    assert!(routes.len() > 150, "{}", routes.len());
    for (path, item) in lede_server::open_api().paths.paths {
        let declared = routes.iter().filter(|route| route.path == path).count();
        let operations = [&item.get, &item.post, &item.put, &item.patch, &item.delete];
        let described = operations.iter().filter(|each| each.is_some()).count();
        assert_eq!(declared, described, "{path}");
    }
    for (method, path, access, _) in json_routes() {
        let declared = routes
            .iter()
            .find(|route| route.method.as_str() == method && route.path == path);
        let expected = match access {
            For::Anybody => Access::Anonymous,
            For::Readers | For::Owner => Access::User,
            For::Admins => Access::Admin,
        };
        let declared = declared.unwrap_or_else(|| panic!("{method} {path} has no policy"));
        assert_eq!(declared.policy.access, expected, "{method} {path}");
    }
    for route in routes {
        let DeclaredRoute {
            method,
            path,
            policy,
        } = &route;
        let reads = |wanted: fn(&Scheme) -> bool| policy.schemes.iter().any(wanted);
        let by_cookie = reads(|scheme| matches!(scheme, Scheme::Session));
        let by_app = reads(|scheme| matches!(scheme, Scheme::App(_)));
        let is_exempt = policy.csrf == Csrf::Exempt;
        assert!(!(by_cookie && is_exempt), "{method} {path}: CSRF");
        let is_for_apps = matches!(policy.access, Access::App(_));
        assert!(by_app || !is_for_apps, "{method} {path}: app passwords");
        let is_closed = policy.access != Access::Anonymous;
        assert!(!is_closed || !policy.schemes.is_empty(), "{method} {path}");
    }
}

/// Only the builder with policies registers routes, nothing else decides by a path, and pages do not depend on the API.
#[test]
fn no_route_is_registered_and_no_path_compared_beside_the_table() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../server/src");
    let table = source.join("policy/table.rs");
    let web = source.join("web");
    for path in crate::tidy::files(&source) {
        let text = std::fs::read_to_string(&path).unwrap();
        let place = path.display();
        let imports_api = path.starts_with(&web) && text.contains("crate::reader::");
        assert!(!imports_api, "{place} imports from the JSON API");
        if path != table {
            for call in [".route(", ".nest(", ".route_service(", ".nest_service("] {
                assert!(!text.contains(call), "{place} has {call}");
            }
        }
        for call in [
            "starts_with(\"/",
            "ends_with(\"/",
            "strip_prefix(\"/",
            "== \"/",
        ] {
            let mut after = text.split(call).skip(1);
            let names_a_path = after.any(|rest| rest.starts_with(|c: char| c.is_alphabetic()));
            assert!(!names_a_path, "{place} compares a path: {call}");
        }
    }
}

/// The ways to call every route in turn.
struct Walk<'a> {
    house: &'a House,
    routes: Vec<DeclaredRoute>,
}

impl Walk<'_> {
    /// Calls a route with nothing but its address.
    async fn call(&self, who: &Http, route: &DeclaredRoute) -> Answer {
        let path = self.house.path(&route.path);
        who.send(route.method.clone(), &path, &[], Vec::new()).await
    }
}

/// Routes that end the caller's account or token.
const ENDING: [&str; 2] = ["/api/auth/logout", "/api/users/me"];

#[track_caller]
fn is_refused(route: &DeclaredRoute, who: &str, answer: &Answer, status: u16) {
    let what = format!("{who}: {} {}: {}", route.method, route.path, answer.text);
    let shows_pages = matches!(
        route.policy.errors,
        ErrorFormat::Page | ErrorFormat::Partial
    );
    if status == 401 && shows_pages {
        assert_eq!(answer.status.as_u16(), 303, "{what}");
        let location = answer.header("location");
        assert!(location.starts_with("/auth/login?next="), "{what}");
        return;
    }
    assert_eq!(answer.status.as_u16(), status, "{what}");
    let error = answer.json();
    let code = if status == 401 {
        "unauthorized"
    } else {
        "forbidden"
    };
    assert_eq!(error["code"], code, "{what}");
    assert_eq!(answer.header("www-authenticate") == "Bearer", status == 401);
}

#[tokio::test]
async fn every_route_lets_in_whom_its_policy_names_and_no_others() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let house = House::of(&ada, &lede).await.absent();
        let password = ada
            .post("/api/app-passwords", json!({"name": "Phone"}))
            .await;
        let password = password.expect(201).json()["password"]
            .as_str()
            .unwrap()
            .to_owned();
        let basic = BASE64.encode(format!("{ADMIN}:{password}"));
        let basic = lede
            .visitor()
            .with_header("authorization", &format!("Basic {basic}"));
        let google = format!("GoogleLogin auth={ADMIN}/{password}");
        let google = lede.visitor().with_header("authorization", &google);
        let callers = [
            ("nobody", lede.visitor(), None),
            ("an app by Basic", basic, None),
            ("an app by GoogleLogin", google, None),
            (
                "an app by Bearer",
                lede.visitor().with_token(&password),
                None,
            ),
            (
                "a viewer",
                lede.person("vera@example.org", Role::Viewer).await,
                Some(Role::Viewer),
            ),
            (
                "a member",
                lede.person("ben@example.org", Role::Member).await,
                Some(Role::Member),
            ),
            ("an administrator", ada, Some(Role::Admin)),
        ];
        let mut walk = Walk {
            house: &house,
            routes: lede_server::route_table().routes(),
        };
        // Its answer has no end; other tests have it.
        walk.routes.retain(|route| route.path != "/api/events");
        for (who, client, role) in &callers {
            for route in &walk.routes {
                let is_in = match (route.policy.access, role) {
                    (Access::Anonymous, _) => continue,
                    (Access::User | Access::App(_), role) => role.is_some(),
                    (Access::Admin, role) => *role == Some(Role::Admin),
                };
                if is_in && ENDING.contains(&route.path.as_str()) {
                    continue;
                }
                let answer = walk.call(client, route).await;
                if !is_in {
                    is_refused(route, who, &answer, if role.is_some() { 403 } else { 401 });
                    continue;
                }
                let what = format!("{who}: {} {}: {}", route.method, route.path, answer.text);
                assert_ne!(answer.status.as_u16(), 401, "{what}");
                assert!(
                    !answer.header("location").starts_with("/auth/login"),
                    "{what}"
                );
                assert!(!answer.text.contains("Only administrators"), "{what}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn refusals_have_the_shape_that_the_route_declares() {
    on_each_engine(async |lede: TestLede| {
        let house = House::of(&lede.admin().await, &lede).await.absent();
        let routes = lede_server::route_table().routes();
        let walk = Walk {
            house: &house,
            routes,
        };
        let member = lede.person("ben@example.org", Role::Member).await;
        let browser = member.with_header("accept", "text/html");
        let htmx = member.with_header("hx-request", "true");
        for route in &walk.routes {
            let what = format!("{} {}", route.method, route.path);
            if route.policy.access == Access::Admin {
                let page = walk.call(&browser, route).await.expect(403);
                let is_page = page.header("content-type").starts_with("text/html");
                assert_eq!(
                    is_page,
                    !matches!(route.policy.errors, ErrorFormat::Json),
                    "{what}"
                );
            }
            // A method that no route has: the answer is the same to everyone.
            let trace = lede.visitor().with_header("accept", "text/html");
            let path = house.path(&route.path);
            let answer = trace.send(Method::TRACE, &path, &[], Vec::new()).await;
            let answer = answer.expect(405);
            let is_page = answer.header("content-type").starts_with("text/html");
            assert_eq!(
                is_page,
                !matches!(route.policy.errors, ErrorFormat::Json),
                "{what}"
            );
            let is_partial = matches!(route.policy.errors, ErrorFormat::Partial);
            if is_partial {
                let answer = htmx.send(Method::TRACE, &path, &[], Vec::new()).await;
                let answer = answer.expect(405);
                assert!(
                    answer.text.starts_with("<p class=\"error\""),
                    "{what}: {}",
                    answer.text
                );
            }
        }
    })
    .await;
}

#[tokio::test]
async fn every_write_is_protected_as_its_policy_says() {
    on_each_engine(async |lede: TestLede| {
        let house = House::of(&lede.admin().await, &lede).await.absent();
        let browser = lede.browser().await;
        let visitor = lede.visitor();
        let is_csrf =
            |answer: &Answer| answer.status.as_u16() == 403 && answer.text.contains("\"csrf\"");
        for route in lede_server::route_table().routes() {
            if !is_write(&route.method) {
                continue;
            }
            let what = format!("{} {}", route.method, route.path);
            let path = house.path(&route.path);
            let form = [("content-type", "application/x-www-form-urlencoded")];
            let send = async |who: &Http| {
                let body = b"name=x".to_vec();
                who.send(route.method.clone(), &path, &form, body).await
            };
            assert!(is_csrf(&send(&browser).await), "{what} by session");
            let is_for_forms = route.policy.csrf == Csrf::Forms;
            assert_eq!(
                is_csrf(&send(&visitor).await),
                is_for_forms,
                "{what} without"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn on_a_full_disk_only_the_writes_work_whose_policy_says_so() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let house = House::of(&ada, &lede).await.absent();
        let routes = lede_server::route_table().routes();
        let walk = Walk {
            house: &house,
            routes,
        };
        lede.disk.leave(0);
        for route in &walk.routes {
            if !is_write(&route.method) || ENDING.contains(&route.path.as_str()) {
                continue;
            }
            let answer = walk.call(&ada, route).await;
            // Making space may itself need some, and says so in other words.
            let is_refused = answer.text.contains("\"no_room\"");
            let expected = route.policy.full_disk == FullDisk::RefuseWrites;
            let what = format!("{} {}: {}", route.method, route.path, answer.text);
            assert_eq!(is_refused, expected, "{what}");
        }
    })
    .await;
}

/// Uses up one of the budgets of a new administrator, and calls routes until the general one is nearly used up too:
/// those that draw on that budget are refused, by its limit, and no others.
async fn draws_on(
    lede: &TestLede,
    house: &House,
    name: &str,
    class: RateLimit,
    routes: &[DeclaredRoute],
) {
    let (limit, spend) = match class {
        RateLimit::FeedWork => (10, "/api/feeds"),
        _ => (100, "/api/searches"),
    };
    let ada = lede.person(name, Role::Admin).await;
    // Follows the feed first, and has one of everything.
    let subscribed = ada.post("/api/feeds", json!({"url": house.feed_url})).await;
    subscribed.expect(201);
    let house = house.seen_by(&ada).await;
    lede.clock.advance(Duration::from_secs(120));
    for _ in 0..limit {
        match class {
            RateLimit::FeedWork => ada.post(spend, json!({"url": "words"})).await.expect(400),
            _ => ada.get(spend).await.expect(200),
        };
    }
    let bodies = json_routes();
    for route in routes {
        let path = house.path(&route.path);
        let method = route.method.clone();
        let json = bodies
            .iter()
            .find(|(listed, at, ..)| *listed == method.as_str() && *at == route.path);
        let answer = match json {
            Some((.., body)) if !body.is_null() => {
                let json = [("content-type", "application/json")];
                let body = house.filled(body).into_bytes();
                ada.send(method, &path, &json, body).await
            }
            _ if is_write(&method) => {
                let fields = [
                    ("name", "Mine"),
                    ("url", "https://example.org/other.xml"),
                    ("query", "one"),
                    ("back", "/admin/feeds"),
                ];
                ada.send_form(method, &path, &fields).await
            }
            _ => {
                let words = if path.contains('?') {
                    ""
                } else {
                    "?q=one&search=one"
                };
                ada.get(&format!("{path}{words}")).await
            }
        };
        // A page that shows the refusal in its form has the headers of the general budget, with some left, and the
        // reading view shows it like any other problem of a search.
        let is_general = answer.header("x-ratelimit-limit") == "200"
            && answer.header("x-ratelimit-remaining") == "0";
        let is_refused = answer.text.contains("Too many requests") && !is_general;
        let what = format!("{} {}: {}", route.method, route.path, answer.text);
        assert_eq!(is_refused, route.policy.rate_limit == class, "{what}");
        assert!(
            is_refused || answer.status.as_u16() != 429,
            "general: {what}"
        );
    }
}

#[tokio::test]
async fn every_route_draws_on_the_budget_that_its_policy_names() {
    let options = Options {
        rate_limit_enabled: true,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let house = House::of(&lede.admin().await, &lede).await;
        let mut routes = lede_server::route_table().routes();
        let is_walked =
            |route: &DeclaredRoute| route.policy.access != Access::Anonymous || route.path == "/";
        routes.retain(|route| is_walked(route) && route.path != "/api/events");
        routes.retain(|route| !ENDING.contains(&route.path.as_str()));
        for class in [RateLimit::FeedWork, RateLimit::Search] {
            // Those first, while everything is there; then in an order that removes things last.
            routes.sort_by_key(|route| {
                let removes = route.method == Method::DELETE
                    || ["/delete", "/unsubscribe", "/remove"]
                        .iter()
                        .any(|end| route.path.ends_with(end));
                (route.policy.rate_limit != class, removes)
            });
            // Not those with another budget of their own, which would run out on the way.
            let draws = [
                class,
                RateLimit::General,
                RateLimit::Pictures,
                RateLimit::SignIn,
            ];
            let mut routes = routes.clone();
            routes.retain(|route| draws.contains(&route.policy.rate_limit));
            for (number, routes) in routes.chunks(60).enumerate() {
                let name = format!("{class:?}-{number}@example.org").to_lowercase();
                draws_on(&lede, &house, &name, class, routes).await;
            }
        }
        // Passwords are counted by address, before and after sign-in.
        let mut visitor = lede.visitor();
        for _ in 0..5 {
            let body = json!({"email": "x@example.org", "password": "wrong horse battery"});
            visitor.post("/auth/token", body).await.expect(401);
        }
        for route in lede_server::route_table().routes() {
            // Set-up codes are guessed only while there is no account.
            if route.policy.rate_limit != RateLimit::SignIn || route.path == "/setup" {
                continue;
            }
            let fields = [
                ("email", "new@example.org"),
                ("password", PASSWORD),
                ("password_confirm", PASSWORD),
                ("current", PASSWORD),
            ];
            let body = json!({"email": "y@example.org", "password": PASSWORD});
            let answer = match route.policy.errors {
                ErrorFormat::Json => visitor.post(&route.path, body).await,
                _ if route.policy.access == Access::User => {
                    let grace = lede.person("grace@example.org", Role::Member).await;
                    grace.form(&route.path, &fields).await
                }
                _ => visitor.fill("/auth/login", &route.path, &fields).await,
            };
            let what = format!("{}: {}", route.path, answer.text);
            assert_eq!(answer.status.as_u16(), 429, "{what}");
            let is_general = answer.header("x-ratelimit-limit") != "5"
                && answer.header("x-ratelimit-remaining") == "0";
            assert!(!is_general, "{what}");
            visitor = lede.visitor();
        }
    })
    .await;
}
