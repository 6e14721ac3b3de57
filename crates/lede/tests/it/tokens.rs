//! Bearer tokens: lifetime, validation and revocation.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::Method;
use lede_core::accounts as use_cases;
use lede_model::secret::Secret;
use lede_model::user::Role;
use lede_store::settings;
use lede_testkit::{ADMIN, PASSWORD, TestLede, on_each_engine};
use ring::hmac;
use serde_json::{Value, json};

const HOUR: Duration = Duration::from_secs(3600);
const LEEWAY: Duration = Duration::from_secs(30);

fn credentials() -> Value {
    json!({"email": ADMIN, "password": PASSWORD})
}

fn part(token: &str, index: usize) -> Value {
    let part = token.split('.').nth(index).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

/// A token with any header, signed with `key` by `algorithm`.
fn signed(header: &Value, claims: &Value, algorithm: hmac::Algorithm, key: &[u8]) -> String {
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", encode(header), encode(claims));
    let tag = hmac::sign(&hmac::Key::new(algorithm, key), message.as_bytes());
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(tag))
}

/// A token with these claims, signed as Lede does.
fn ours(claims: &Value, key: &[u8]) -> String {
    let header = json!({"typ": "JWT", "alg": "HS256"});
    signed(&header, claims, hmac::HMAC_SHA256, key)
}

async fn key_of(lede: &TestLede) -> Vec<u8> {
    let secret = lede.lede.store.read(|db| settings::find(db, "jwt_secret"));
    secret.await.unwrap().unwrap().into_bytes()
}

async fn token_of(lede: &TestLede, path: &str) -> String {
    let answer = lede.visitor().post(path, credentials()).await.expect(200);
    answer.json()["token"].as_str().unwrap().to_owned()
}

async fn status_of(lede: &TestLede, token: &str) -> u16 {
    let answer = lede.visitor().with_token(token).get("/api/auth/me").await;
    if answer.status.as_u16() == 401 {
        assert_eq!(answer.json()["code"], "unauthorized");
        assert_eq!(answer.header("www-authenticate"), "Bearer");
    }
    answer.status.as_u16()
}

#[tokio::test]
async fn a_token_lives_an_hour_or_a_day_and_says_so() {
    on_each_engine(async |lede: TestLede| {
        let now = lede.clock.now();
        let short = token_of(&lede, "/auth/token").await;
        let answer = lede
            .visitor()
            .post("/api/auth/login", credentials())
            .await
            .expect(200)
            .json();
        let long = answer["token"].as_str().unwrap().to_owned();
        assert_eq!(answer["expires_at"], "2026-03-15T12:00:00Z");

        let (header, claims) = (part(&short, 0), part(&short, 1));
        assert_eq!(header["alg"], "HS256");
        assert_eq!(claims["role"], "admin");
        assert_eq!(claims["iat"], now.as_seconds());
        assert_eq!(claims["exp"], now.as_seconds() + 3600);
        assert!(
            claims["sub"].as_str().unwrap().parse::<i64>().is_ok(),
            "{claims}"
        );
        assert_ne!(claims["jti"], part(&long, 1)["jti"]);
        assert!(
            !claims.to_string().contains("ada"),
            "nothing about the person"
        );

        // Clocks may differ by the leeway, and no more.
        let second = Duration::from_secs(1);
        for (token, wait) in [(&short, HOUR + LEEWAY), (&long, 23 * HOUR - second)] {
            lede.clock.advance(wait);
            assert_eq!(status_of(&lede, token).await, 200);
            lede.clock.advance(second);
            assert_eq!(status_of(&lede, token).await, 401);
        }
    })
    .await;
}

#[tokio::test]
async fn credentials_are_taken_as_json_only() {
    on_each_engine(async |lede: TestLede| {
        let visitor = lede.visitor();
        let json_type = ("content-type", "application/json");
        let form_type = ("content-type", "application/x-www-form-urlencoded");
        for path in ["/auth/token", "/api/auth/login"] {
            lede.clock.advance(Duration::from_secs(120));
            for (body, code, reason) in [
                ("", "bad_request", "no body"),
                ("{", "bad_request", "broken"),
                ("[]", "bad_request", "not an object"),
                (
                    "{\"email\": \"ada@example.org\"}",
                    "invalid_field",
                    "no password",
                ),
                (
                    "{\"email\": 7, \"password\": true}",
                    "invalid_field",
                    "wrong types",
                ),
            ] {
                let answer = visitor
                    .send(Method::POST, path, &[json_type], body.into())
                    .await
                    .expect(400);
                assert_eq!(answer.json()["code"], code, "{reason}");
                assert_eq!(answer.json()["category"], "validation", "{reason}");
            }
            let form = format!("email={ADMIN}&password=correct+horse+battery");
            for content_type in [form_type, ("content-type", "text/plain")] {
                let answer = visitor
                    .send(Method::POST, path, &[content_type], form.clone().into())
                    .await
                    .expect(415);
                assert_eq!(answer.json()["code"], "unsupported_media_type");
            }
            let huge = format!("{{\"password\": \"{}\"}}", "x".repeat(2 * 1024 * 1024));
            let answer = visitor
                .send(Method::POST, path, &[json_type], huge.into())
                .await
                .expect(413);
            assert_eq!(answer.json()["code"], "too_large");
            let answer = visitor.get(path).await.expect(405);
            assert_eq!(answer.header("allow"), "POST");
            assert_eq!(answer.json()["code"], "method_not_allowed");
        }
    })
    .await;
}

#[tokio::test]
async fn a_token_that_differs_in_any_way_is_refused() {
    on_each_engine(async |lede: TestLede| {
        let key = key_of(&lede).await;
        let good = token_of(&lede, "/auth/token").await;
        let claims = part(&good, 1);
        assert_eq!(status_of(&lede, &good).await, 200);
        assert_eq!(
            status_of(&lede, &ours(&claims, &key)).await,
            200,
            "the forger's tools work"
        );

        let changed = |name: &str, value: Value| {
            let mut claims = claims.clone();
            claims[name] = value;
            claims
        };
        let (head, rest) = good.split_once('.').unwrap();
        let (body, signature) = rest.split_once('.').unwrap();
        let promoted = URL_SAFE_NO_PAD.encode(changed("sub", json!("1000000")).to_string());
        let mut bad = vec![
            ("another body", format!("{head}.{promoted}.{signature}")),
            ("no signature", format!("{head}.{body}.")),
            ("two parts", format!("{head}.{body}")),
            (
                "another key",
                ours(&claims, b"another key of thirty-two characters"),
            ),
            ("an empty key", ours(&claims, b"")),
            ("words", "not a token".to_owned()),
            ("nothing", String::new()),
        ];
        for algorithm in [
            "none", "None", "HS384", "HS512", "RS256", "ES256", "EdDSA", "",
        ] {
            let header = json!({"typ": "JWT", "alg": algorithm});
            bad.push((
                "HS256 under another name",
                signed(&header, &claims, hmac::HMAC_SHA256, &key),
            ));
        }
        let none = json!({"typ": "JWT", "alg": "none"});
        let unsigned = signed(&none, &claims, hmac::HMAC_SHA256, &key);
        let (message, _) = unsigned.rsplit_once('.').unwrap();
        bad.push(("unsigned", format!("{message}.")));
        let hs512 = json!({"typ": "JWT", "alg": "HS512"});
        bad.push(("HS512", signed(&hs512, &claims, hmac::HMAC_SHA512, &key)));
        let header = json!({"typ": "JWT", "alg": "HS256"});
        bad.push((
            "HS512 as HS256",
            signed(&header, &claims, hmac::HMAC_SHA512, &key),
        ));
        for name in ["sub", "role", "iat", "exp", "jti", "iss", "aud"] {
            let mut claims = claims.clone();
            claims.as_object_mut().unwrap().remove(name);
            bad.push((name, ours(&claims, &key)));
        }
        let now = lede.clock.now().as_seconds();
        for (name, value) in [
            ("iss", json!("elsewhere")),
            ("aud", json!("elsewhere")),
            ("aud", json!(["elsewhere"])),
            ("sub", json!("ada@example.org")),
            ("sub", json!("1000000")),
            ("sub", json!(1)),
            ("exp", json!(now - 31)),
            ("exp", json!("tomorrow")),
            ("exp", json!(now + 24 * 3600 + 1)),
            ("exp", json!(-1)),
            ("iat", json!(now + 31)),
            ("iat", json!(0)),
            ("jti", json!(7)),
        ] {
            bad.push((name, ours(&changed(name, value), &key)));
        }
        for (what, token) in bad {
            assert_eq!(status_of(&lede, &token).await, 401, "{what}: {token}");
        }
        for scheme in ["Basic", "Token"] {
            let line = format!("{scheme} {good}");
            lede.visitor()
                .with_header("authorization", &line)
                .get("/api/auth/me")
                .await
                .expect(401);
        }
        let line = format!("bearer {good}");
        lede.visitor()
            .with_header("authorization", &line)
            .get("/api/auth/me")
            .await
            .expect(200);
        // Numbers at the limits of their type are rejected without a panic.
        for exp in [i64::MAX, i64::MAX / 1000, i64::MIN] {
            let answer = status_of(&lede, &ours(&changed("exp", json!(exp)), &key)).await;
            assert_eq!(answer, 401, "{exp}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_bad_token_is_not_made_good_by_a_cookie() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        browser.get("/api/auth/me").await.expect(200);
        browser
            .with_token("not a token")
            .get("/api/auth/me")
            .await
            .expect(401);
    })
    .await;
}

#[tokio::test]
async fn signing_out_revokes_the_token_and_no_other() {
    on_each_engine(async |lede: TestLede| {
        let (one, two) = (
            token_of(&lede, "/auth/token").await,
            token_of(&lede, "/api/auth/login").await,
        );
        let client = lede.visitor().with_token(&one);
        assert_eq!(
            client
                .post("/api/auth/logout", json!({}))
                .await
                .expect(200)
                .json(),
            json!({"ok": true})
        );
        client.post("/api/auth/logout", json!({})).await.expect(401);
        assert_eq!(status_of(&lede, &one).await, 401);
        assert_eq!(status_of(&lede, &two).await, 200);
        // Deleting expired revocations keeps one that is still needed.
        lede.clock.advance(HOUR + LEEWAY - Duration::from_secs(1));
        use_cases::remove_expired(&lede.lede).await.unwrap();
        assert_eq!(status_of(&lede, &one).await, 401);
    })
    .await;
}

#[tokio::test]
async fn the_store_decides_about_the_role_not_the_token() {
    on_each_engine(async |lede: TestLede| {
        let key = key_of(&lede).await;
        let viewer = lede.person("vera@example.org", Role::Viewer).await;
        let id = viewer.json("/api/auth/me").await["id"].clone();
        let now = lede.clock.now().as_seconds();
        let claims = json!({
            "sub": id.to_string(), "role": "admin", "iat": now, "exp": now + 60,
            "jti": "1", "iss": "lede", "aud": "lede",
        });
        let forged = lede.visitor().with_token(&ours(&claims, &key));
        assert_eq!(forged.json("/api/auth/me").await["role"], "viewer");
        let url = lede.site.url("/feed.xml");
        forged
            .post("/api/feeds", json!({"url": url}))
            .await
            .expect(403);
    })
    .await;
}

#[tokio::test]
async fn a_changed_password_or_role_ends_older_tokens_to_the_second() {
    on_each_engine(async |lede: TestLede| {
        let change = async |password: &str, role: Role| {
            let password = Secret::new(password);
            use_cases::ensure_account(&lede.lede, "ben@example.org", &password, role)
                .await
                .unwrap();
        };
        let token = async |password: &str| {
            let body = json!({"email": "ben@example.org", "password": password});
            let answer = lede.visitor().post("/auth/token", body).await.expect(200);
            answer.json()["token"].as_str().unwrap().to_owned()
        };
        let passwords = [PASSWORD, "another horse battery"];
        change(passwords[0], Role::Member).await;
        let mut current = token(passwords[0]).await;
        // The clock does not advance between some of these: same second, same millisecond.
        for (step, pause) in [0, 0, 300, 300, 300, 1000].into_iter().enumerate() {
            lede.clock.advance(Duration::from_millis(pause));
            let password = passwords[(step + 1) % 2];
            change(password, Role::Member).await;
            assert_eq!(
                status_of(&lede, &current).await,
                401,
                "step {step}: the older one"
            );
            if step == 3 {
                lede.clock.advance(Duration::from_secs(180));
            }
            current = token(password).await;
            assert_eq!(
                status_of(&lede, &current).await,
                200,
                "step {step}: the newer one"
            );
            change(password, Role::Member).await;
            assert_eq!(
                status_of(&lede, &current).await,
                200,
                "step {step}: nothing changed"
            );
        }
        lede.clock.advance(Duration::from_secs(180));
        let current = token(passwords[0]).await;
        change(passwords[0], Role::Viewer).await;
        assert_eq!(status_of(&lede, &current).await, 401);
    })
    .await;
}
