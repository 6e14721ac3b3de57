//! Every route behaves as the policy says that it was registered with.

use super::*;

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
