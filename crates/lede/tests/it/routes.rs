//! Every route as every kind of client. A route that is missing from the tables fails here.

mod policies;

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
        worker::run_queues(&lede.lede).await.unwrap();
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
        let marked = reader
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
            ("mark-read", marked.json()["undo_id"].to_string()),
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
async fn requests_without_a_valid_token_get_nothing_private() {
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
async fn a_missing_row_and_another_users_row_get_the_same_answer() {
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
                    ("POST", "/api/admin/reprocess-summary") => 409,
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
