//! The middleware in front of every route: cookies, CSRF, rate limits, headers, CORS; and the
//! endpoints for operators.

mod metrics;
mod rate_limits;

use std::time::Duration;

use http::Method;
use lede_model::user::Role;
use lede_testkit::http::{Answer, Http};
use lede_testkit::{
    ADMIN, Options, PASSWORD, Reply, TestLede, on_each_engine, on_each_engine_with,
};
use serde_json::json;

const PROXY: &str = "x-forwarded-for";

fn limited() -> Options {
    Options {
        rate_limit_enabled: true,
        ..Options::default()
    }
}

fn behind_a_proxy() -> Options {
    Options {
        trusted_proxies: vec!["127.0.0.0/8".to_owned()],
        ..limited()
    }
}

/// One failing sign-in with JSON.
async fn guess(client: &Http, email: &str) -> Answer {
    let body = json!({"email": email, "password": "wrong horse battery"});
    client.post("/auth/token", body).await
}

#[track_caller]
fn is_csrf(answer: Answer) {
    let error = answer.expect(403).json();
    assert_eq!(error["code"], "csrf", "{error}");
    assert_eq!(error["category"], "auth");
}

#[tokio::test]
async fn on_https_cookies_are_secure_and_hsts_is_sent() {
    let by_base_url = Options {
        base_url: "https://news.example".to_owned(),
        ..Options::default()
    };
    for (options, proto) in [(by_base_url, None), (behind_a_proxy(), Some("https"))] {
        on_each_engine_with(options, async |lede: TestLede| {
            let browser = match proto {
                Some(proto) => lede.visitor().with_header("x-forwarded-proto", proto),
                None => lede.visitor(),
            };
            let fields = [("email", ADMIN), ("password", PASSWORD)];
            let answer = browser
                .fill("/auth/login", "/auth/login", &fields)
                .await
                .expect(303);
            let cookie = answer.header("set-cookie");
            assert!(cookie.starts_with("__Host-lede_session="), "{cookie}");
            assert!(cookie.contains("; Secure") && cookie.contains("; HttpOnly"));
            assert!(cookie.contains("; Path=/;") && !cookie.contains("Domain"));
            let page = browser.get("/settings").await.expect(200);
            assert_eq!(page.header("strict-transport-security"), "max-age=63072000");
            assert!(browser.cookie("lede_session").is_none());
        })
        .await;
    }
}

#[tokio::test]
async fn only_a_trusted_proxy_can_declare_https() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.visitor().with_header("x-forwarded-proto", "https");
        let page = browser.get("/auth/login").await.expect(200);
        assert!(page.header("set-cookie").starts_with("lede_browser="));
        assert_eq!(page.header("strict-transport-security"), "");
    })
    .await;
}

#[tokio::test]
async fn a_write_by_cookie_must_come_from_a_page_of_the_same_session() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let token = browser.get("/settings").await.csrf_token();
        let other = lede.browser().await.get("/settings").await.csrf_token();
        assert_ne!(token, other);
        let host = lede.url("");
        let url = lede.site.put("/feed.xml", Reply::rss("Daily", &[]));
        let body = json!({"url": url});

        is_csrf(browser.post("/api/feeds", body.clone()).await);
        is_csrf(browser.delete("/api/users/me").await);
        is_csrf(browser.form("/add/follow", &[("url", &url)]).await);
        is_csrf(browser.form("/add/follow", &[("csrf_token", &other)]).await);
        is_csrf(browser.form("/add/follow", &[("csrf_token", "")]).await);
        let shown = browser.with_header("x-csrf-token", &token);
        for (name, value) in [("x-csrf-token", other.as_str()), ("x-csrf-token", "")] {
            is_csrf(
                browser
                    .with_header(name, value)
                    .post("/api/feeds", body.clone())
                    .await,
            );
        }
        for (name, value) in [
            ("origin", "https://evil.example"),
            ("origin", "null"),
            ("origin", "http://localhost:1"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ] {
            is_csrf(
                shown
                    .with_header(name, value)
                    .post("/api/feeds", body.clone())
                    .await,
            );
            let fields = [("csrf_token", token.as_str()), ("url", url.as_str())];
            is_csrf(
                browser
                    .with_header(name, value)
                    .form("/add/follow", &fields)
                    .await,
            );
        }
        assert!(
            lede.site.requests("/feed.xml").is_empty(),
            "nothing was done"
        );

        shown
            .with_header("origin", &host)
            .post("/api/feeds", body.clone())
            .await
            .expect(201);
        shown
            .with_header("sec-fetch-site", "same-origin")
            .post("/api/feeds", body.clone())
            .await
            .expect(409);
        let fields = [("csrf_token", token.as_str()), ("url", url.as_str())];
        browser.form("/add/follow", &fields).await.expect(409);
        // A browser never sends a bearer token on its own.
        let bearer = lede
            .admin()
            .await
            .with_header("origin", "https://evil.example");
        bearer.post("/api/feeds", body).await.expect(409);
    })
    .await;
}

#[tokio::test]
async fn behind_a_proxy_with_another_host_name_pages_still_write() {
    let options = Options {
        base_url: "https://news.example".to_owned(),
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let fields = [("email", ADMIN), ("password", PASSWORD)];
        let proxied = lede.visitor().with_header("host", "10.0.0.7:8080");
        let at = |origin| proxied.with_header("origin", origin);
        is_csrf(
            at("http://news.example")
                .fill("/auth/login", "/auth/login", &fields)
                .await,
        );
        at("https://news.example")
            .fill("/auth/login", "/auth/login", &fields)
            .await
            .expect(303);
    })
    .await;
}

#[tokio::test]
async fn a_cross_site_page_cannot_sign_users_in_or_out() {
    on_each_engine(async |lede: TestLede| {
        let fields = [("email", ADMIN), ("password", PASSWORD)];
        is_csrf(lede.visitor().form("/auth/login", &fields).await);
        is_csrf(lede.visitor().form("/setup", &fields).await);
        is_csrf(lede.visitor().form("/auth/register", &fields).await);
        let browser = lede.visitor();
        browser.get("/auth/login").await.expect(200);
        is_csrf(browser.form("/auth/login", &fields).await);
        let other = lede.visitor().get("/auth/login").await.csrf_token();
        let mut planted = vec![("csrf_token", other.as_str())];
        planted.extend(fields);
        is_csrf(browser.form("/auth/login", &planted).await);

        // SameSite keeps the session cookie out of a form sent by another site; the answer must not
        // delete the cookie either.
        let elsewhere = lede.visitor().with_header("origin", "https://evil.example");
        for kind in [
            "text/plain",
            "multipart/form-data; boundary=x",
            "application/x-www-form-urlencoded",
        ] {
            let kind = [("content-type", kind)];
            let answer = elsewhere
                .send(Method::POST, "/auth/logout", &kind, Vec::new())
                .await;
            assert_eq!(answer.header("set-cookie"), "");
            is_csrf(answer);
        }
        let answer = elsewhere
            .send(Method::POST, "/auth/logout", &[], Vec::new())
            .await;
        assert_eq!(answer.header("set-cookie"), "");
        is_csrf(answer);
    })
    .await;
}

#[tokio::test]
async fn no_page_changes_anything_by_being_looked_at() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        for path in [
            "/auth/logout",
            "/account/delete",
            "/setup",
            "/add/follow",
            "/api/auth/logout",
        ] {
            let answer = browser.get(path).await.expect(405);
            assert_eq!(answer.header("allow"), "POST");
        }
        browser.get("/api/users/me").await.expect(405);
        browser.get("/settings").await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn every_response_has_security_headers() {
    on_each_engine(async |lede: TestLede| {
        let (visitor, browser) = (lede.visitor(), lede.browser().await);
        let style = visitor.get("/auth/login").await.expect(200).text;
        let style = style
            .split("href=\"")
            .find(|part| {
                part.split('"')
                    .next()
                    .is_some_and(|path| path.ends_with("/lede.css"))
            })
            .unwrap();
        let style = style.split('"').next().unwrap().to_owned();
        let large = "x".repeat(2 * 1024 * 1024);
        let answers = [
            (visitor.get("/auth/login").await, 200),
            (visitor.get("/").await, 303),
            (browser.get("/").await, 200),
            (browser.get("/items/1000000").await, 404),
            (browser.get("/settings").await, 200),
            (browser.get("/api/feeds").await, 200),
            (visitor.get("/api/feeds").await, 401),
            (visitor.get("/no/such/page").await, 404),
            (
                visitor
                    .with_header("accept", "text/html")
                    .get("/no/such/page")
                    .await,
                404,
            ),
            (visitor.delete("/health").await, 405),
            (visitor.get("/health").await, 200),
            (visitor.get("/metrics").await, 200),
            (visitor.get("/openapi.json").await, 200),
            (visitor.get("/swagger/").await, 200),
            (visitor.get("/assets/0/no.css").await, 404),
            (visitor.get("/auth/oidc/nobody/login").await, 404),
            (browser.form("/auth/logout", &[]).await, 403),
            (
                visitor
                    .post("/auth/token", json!({"password": large}))
                    .await,
                413,
            ),
            (visitor.get(&style).await, 200),
            (visitor.get("/assets/0/lede.css").await, 200),
        ];
        let mut ids = std::collections::BTreeSet::new();
        for (answer, status) in answers {
            assert_eq!(answer.status.as_u16(), status, "{}", answer.text);
            let policy = answer.header("content-security-policy");
            for part in [
                "default-src 'none'",
                "script-src 'self'",
                "style-src 'self'",
                "img-src 'self' data:",
                "media-src 'self' https:",
                "connect-src 'self'",
                "font-src 'self'",
                "form-action 'self'",
                "base-uri 'none'",
                "object-src 'none'",
                "frame-ancestors 'none'",
            ] {
                assert!(
                    policy.split("; ").any(|found| found == part),
                    "{part} in {policy}"
                );
            }
            assert!(
                !policy.contains("unsafe") && !policy.contains('*'),
                "{policy}"
            );
            for (name, value) in [
                ("x-content-type-options", "nosniff"),
                ("referrer-policy", "no-referrer"),
                ("cross-origin-opener-policy", "same-origin"),
                ("cross-origin-resource-policy", "same-origin"),
            ] {
                assert_eq!(answer.header(name), value);
            }
            assert!(answer.header("permissions-policy").contains("camera=()"));
            assert!(
                ids.insert(answer.header("x-request-id").to_owned()),
                "an id of its own"
            );
            assert_eq!(answer.header("access-control-allow-origin"), "");
            let cache = answer.header("cache-control");
            let is_asset = !answer.header("etag").is_empty();
            assert!(is_asset || cache == "no-store", "{cache}");
        }
        let kept = visitor.get(&style).await;
        assert_eq!(
            kept.header("cache-control"),
            "public, max-age=31536000, immutable"
        );
        let asked = visitor.get("/assets/0/lede.css").await;
        assert_eq!(asked.header("cache-control"), "public, no-cache");
    })
    .await;
}

#[tokio::test]
async fn pages_carry_no_script_or_style_of_their_own() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        for path in ["/", "/account", "/swagger/", "/no/such/page"] {
            let page = browser
                .with_header("accept", "text/html")
                .get(path)
                .await
                .text;
            for script in page.split("<script").skip(1) {
                assert!(script.starts_with(" src=\"/assets/"), "{path}: {script}");
            }
            let lower = page.to_lowercase();
            for inline in [
                "<style",
                " style=\"",
                " onclick=",
                " onload=",
                "javascript:",
            ] {
                assert!(!lower.contains(inline), "{path} has {inline}");
            }
            for address in page
                .split("src=\"")
                .skip(1)
                .chain(page.split("<link").skip(1))
            {
                assert!(!address.starts_with("http"), "{path}: {address}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn scripts_of_listed_origins_may_call_and_others_may_not() {
    let options = Options {
        cors_origins: vec!["https://app.example".to_owned()],
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let client = lede.admin().await;
        let listed = client.with_header("origin", "https://app.example");
        for (answer, status) in [
            (listed.get("/api/feeds").await, 200),
            (listed.get("/api/feeds/1000000").await, 404),
            (
                lede.visitor()
                    .with_header("origin", "https://app.example")
                    .get("/api/feeds")
                    .await,
                401,
            ),
        ] {
            let answer = answer.expect(status);
            assert_eq!(
                answer.header("access-control-allow-origin"),
                "https://app.example"
            );
            assert_eq!(answer.header("access-control-allow-credentials"), "true");
            assert_eq!(answer.header("vary"), "Origin");
        }
        let credentials = json!({"email": ADMIN, "password": PASSWORD});
        lede.visitor()
            .with_header("origin", "https://app.example")
            .post("/auth/token", credentials)
            .await
            .expect(200);
        let ask = [
            ("access-control-request-method", "PUT"),
            ("access-control-request-headers", "authorization"),
        ];
        let answer = listed
            .send(Method::OPTIONS, "/api/feeds", &ask, Vec::new())
            .await
            .expect(204);
        assert_eq!(
            answer.header("access-control-allow-origin"),
            "https://app.example"
        );
        assert!(
            answer
                .header("access-control-allow-methods")
                .contains("PUT")
        );
        assert!(
            answer
                .header("access-control-allow-headers")
                .contains("Authorization")
        );
        for origin in [
            "https://evil.example",
            "https://app.example.evil.example",
            "http://app.example",
            "https://app.example:444",
            "null",
        ] {
            let other = client.with_header("origin", origin);
            let answers = [
                other.get("/api/feeds").await.expect(200),
                other
                    .send(Method::OPTIONS, "/api/feeds", &ask, Vec::new())
                    .await
                    .expect(204),
            ];
            for answer in answers {
                let given = answer
                    .headers
                    .keys()
                    .find(|name| name.as_str().starts_with("access-control"));
                assert_eq!(given, None, "{origin}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn people_are_shown_pages_and_programs_the_one_shape() {
    on_each_engine_with(limited(), async |lede: TestLede| {
        let browser = lede.browser().await;
        let person = browser.with_header("accept", "text/html,application/xhtml+xml");
        for answer in [
            person.form("/auth/logout", &[]).await.expect(403),
            person.get("/auth/logout").await.expect(405),
            person.get("/no/such/page").await.expect(404),
        ] {
            assert!(answer.header("content-type").starts_with("text/html"));
            assert!(answer.text.contains("<h1>"), "{}", answer.text);
            assert!(!answer.text.contains("\"code\""));
        }
        assert_eq!(person.get("/auth/logout").await.header("allow"), "POST");
        let answer = person.get("/api/no/such/thing").await.expect(404);
        assert_eq!(answer.json()["code"], "not_found");
        let visitor = lede.visitor().with_header("accept", "text/html");
        for _ in 0..100 {
            visitor.get("/no/such/page").await;
        }
        let page = visitor.get("/auth/login").await.expect(429);
        assert!(page.text.contains("<h1>Too many requests"), "{}", page.text);
        assert!(!page.header("retry-after").is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_form_without_a_session_redirects_to_the_sign_in_page() {
    on_each_engine(async |lede: TestLede| {
        let visitor = lede.visitor();
        let answer = visitor
            .fill(
                "/auth/login",
                "/add/follow",
                &[("url", "https://example.org")],
            )
            .await
            .expect(303);
        assert_eq!(
            answer.header("location"),
            "/auth/login?next=%2F",
            "nothing is at the form's own address"
        );
        let script = visitor
            .with_header("hx-request", "true")
            .get("/settings")
            .await
            .expect(401);
        assert_eq!(script.header("hx-redirect"), "/auth/login?next=%2Fsettings");
    })
    .await;
}

#[tokio::test]
async fn unreadable_bodies_get_errors_per_field_without_internals() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let large = json!({"name": "n".repeat(2 << 20)});
        let answers = [
            (ada.get("/api/feeds/abc").await.expect(400), "id"),
            (
                ada.get("/api/feeds/9223372036854775808").await.expect(400),
                "id",
            ),
            (ada.get("/api/proxy").await.expect(400), "url"),
            (
                ada.get("/api/posts?limit=1&limit=2").await.expect(400),
                "limit",
            ),
            (
                ada.get("/api/posts?unread_only=1").await.expect(400),
                "unread_only",
            ),
            (
                ada.post("/api/categories", json!({})).await.expect(400),
                "name",
            ),
            (
                ada.post("/api/categories", json!({"name": 7}))
                    .await
                    .expect(400),
                "name",
            ),
            (
                ada.post("/api/categories", json!({"name": "x", "parent_id": "y"}))
                    .await
                    .expect(400),
                "parent_id",
            ),
            (
                ada.post("/api/rules", json!({"name": "x", "actions": {"hide": 1}}))
                    .await
                    .expect(400),
                "actions.hide",
            ),
            (
                ada.post("/api/categories", json!("x")).await.expect(400),
                "an object",
            ),
            (
                ada.post("/api/categories", json!(["x", null]))
                    .await
                    .expect(400),
                "an object",
            ),
            (
                ada.post(
                    "/api/rules",
                    json!({"name": "x", "query": "x", "actions": [true]}),
                )
                .await
                .expect(400),
                "actions",
            ),
            (
                ada.post("/api/categories", large).await.expect(413),
                "1 MiB",
            ),
        ];
        for (answer, named) in answers {
            let error = answer.json();
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(named), "{named}: {message}");
            for word in ["deserialize", "struct", "i64", "buffer", "digit"] {
                assert!(!message.contains(word), "{message}");
            }
        }
    })
    .await;
}
