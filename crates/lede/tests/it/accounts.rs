//! Accounts: set-up, registration, signing in and out with a browser, and deletion.

mod leaving;

use std::time::Duration;

use lede_core::{Registration, accounts as use_cases};
use lede_model::secret::Secret;
use lede_model::user::Role;
use lede_store::{settings, users};
use lede_testkit::http::{Answer, Http};
use lede_testkit::{
    ADMIN, Options, PASSWORD, Reply, TestLede, on_each_engine, on_each_engine_with,
};
use serde_json::json;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
use crate::program::Program;

const MINUTES: Duration = Duration::from_secs(120);
const DAY: Duration = Duration::from_secs(24 * 3600);

fn empty() -> Options {
    Options {
        is_empty: true,
        ..Options::default()
    }
}

fn with(registration: Registration) -> Options {
    Options {
        registration,
        ..Options::default()
    }
}

/// Fields of the set-up and registration forms.
fn typed<'a>(email: &'a str, password: &'a str, again: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("email", email),
        ("password", password),
        ("password_confirm", again),
    ]
}

async fn log_in(browser: &Http, email: &str, password: &str) -> Answer {
    let fields = [("email", email), ("password", password)];
    browser.fill("/auth/login", "/auth/login", &fields).await
}

/// True if the browser has a session, judged by a page that requires one.
async fn is_signed_in(browser: &Http) -> bool {
    let answer = browser.get("/settings").await;
    if answer.status.as_u16() == 200 {
        return true;
    }
    assert_eq!(answer.status.as_u16(), 303, "{}", answer.text);
    assert_eq!(answer.header("location"), "/auth/login?next=%2Fsettings");
    false
}

async fn count(lede: &TestLede) -> i64 {
    lede.lede.store.read(users::count).await.unwrap()
}

#[tokio::test]
async fn the_first_visitor_at_home_sets_lede_up_and_becomes_its_administrator() {
    on_each_engine_with(empty(), async |lede: TestLede| {
        let browser = lede.visitor();
        let page = browser.get("/").await.expect(200);
        assert!(page.text.contains("action=\"/setup\""), "{}", page.text);
        assert!(!page.text.contains("name=\"code\""), "no code at home");
        for path in ["/auth/login", "/auth/register"] {
            let answer = browser.get(path).await.expect(303);
            assert_eq!(answer.header("location"), "/");
        }
        let done = browser
            .fill(
                "/",
                "/setup",
                &typed(" Grace@Example.org ", PASSWORD, PASSWORD),
            )
            .await
            .expect(303);
        assert_eq!(done.header("location"), "/");
        let me = browser.json("/api/auth/me").await;
        assert_eq!(me["email"], "grace@example.org");
        assert_eq!(me["role"], "admin");
        assert_eq!(me["authenticated"], true);

        let visitor = lede.visitor();
        let answer = visitor.get("/").await.expect(303);
        assert!(answer.header("location").starts_with("/auth/login"));
        // There is no second set-up, for any visitor.
        let late = visitor
            .fill(
                "/auth/login",
                "/setup",
                &typed("eve@example.org", PASSWORD, PASSWORD),
            )
            .await
            .expect(303);
        assert_eq!(late.header("location"), "/auth/login");
        assert_eq!(count(&lede).await, 1);
    })
    .await;
}

#[tokio::test]
async fn from_elsewhere_the_set_up_code_is_asked() {
    on_each_engine_with(empty(), async |lede: TestLede| {
        let elsewhere = [
            lede.visitor().with_header("x-forwarded-for", "203.0.113.7"),
            lede.visitor().with_header("x-real-ip", "203.0.113.7"),
            lede.visitor().with_header("via", "1.1 proxy"),
            lede.visitor().with_header("host", "rebound.example"),
            lede.visitor()
                .with_header("host", "localhost.evil.example:80"),
        ];
        for browser in &elsewhere {
            lede.clock.advance(MINUTES);
            let page = browser.get("/").await.expect(200);
            assert!(page.text.contains("name=\"code\""));
            let mut fields = typed("eve@example.org", PASSWORD, PASSWORD);
            for code in ["", "guess"] {
                fields.push(("code", code));
                let refused = browser.fill("/", "/setup", &fields).await.expect(403);
                assert!(refused.text.contains("isn’t the set-up code"));
                fields.pop();
            }
        }
        assert_eq!(count(&lede).await, 0);
        lede.clock.advance(MINUTES);
        let code = lede.set_up_code.reveal().to_owned();
        let mut fields = typed("ada@example.org", PASSWORD, PASSWORD);
        fields.push(("code", &code));
        elsewhere[0].fill("/", "/setup", &fields).await.expect(303);
        assert_eq!(count(&lede).await, 1);
    })
    .await;
}

#[tokio::test]
async fn the_set_up_code_cannot_be_guessed_quickly() {
    on_each_engine_with(empty(), async |lede: TestLede| {
        let browser = lede.visitor().with_header("x-forwarded-for", "203.0.113.7");
        let mut fields = typed("eve@example.org", PASSWORD, PASSWORD);
        fields.push(("code", "guess"));
        for _ in 0..5 {
            browser.fill("/", "/setup", &fields).await.expect(403);
        }
        browser.fill("/", "/setup", &fields).await.expect(429);
    })
    .await;
}

#[tokio::test]
async fn two_set_ups_at_once_make_one_administrator() {
    on_each_engine_with(empty(), async |lede: TestLede| {
        let (one, two) = (lede.visitor(), lede.visitor());
        let (first, second) = (
            typed("one@example.org", PASSWORD, PASSWORD),
            typed("two@example.org", PASSWORD, PASSWORD),
        );
        let (first, second) = tokio::join!(
            one.fill("/", "/setup", &first),
            two.fill("/", "/setup", &second)
        );
        let mut went_to =
            [first, second].map(|answer| answer.expect(303).header("location").to_owned());
        went_to.sort();
        assert_eq!(went_to, ["/", "/auth/login"]);
        assert_eq!(count(&lede).await, 1);
        assert_eq!(lede.lede.store.read(users::count_admins).await.unwrap(), 1);
    })
    .await;
}

/// Invalid input: email, password, its repetition, and the expected message.
const BAD_ACCOUNTS: [(&str, &str, &str, &str); 7] = [
    (
        "ada@example.org",
        "short",
        "short",
        "at least 12 characters",
    ),
    (
        "ada@example.org",
        "correct horse battery",
        "correct horse batterx",
        "don’t match",
    ),
    (
        "ada@example.org",
        "password1234",
        "password1234",
        "common word",
    ),
    (
        "ada@example.org",
        "123456789012",
        "123456789012",
        "repeated or counted",
    ),
    (
        "lovelace@example.org",
        "lovelace1843",
        "lovelace1843",
        "e-mail address",
    ),
    (
        "not an address",
        "correct horse battery",
        "correct horse battery",
        "isn’t an e-mail address",
    ),
    (
        "",
        "correct horse battery",
        "correct horse battery",
        "isn’t an e-mail address",
    ),
];

#[tokio::test]
async fn an_account_that_is_not_good_enough_brings_the_form_back_with_the_reason() {
    on_each_engine_with(empty(), async |lede: TestLede| {
        for (email, password, again, reason) in BAD_ACCOUNTS {
            let answer = lede
                .visitor()
                .fill("/", "/setup", &typed(email, password, again))
                .await
                .expect(400);
            assert!(answer.text.contains(reason), "{password}: {}", answer.text);
            assert!(answer.text.contains("action=\"/setup\""));
            assert!(
                !answer.text.contains(&format!("value=\"{password}\"")),
                "a password is never sent back"
            );
        }
        let long = "ab1 ".repeat(65);
        let answer = lede
            .visitor()
            .fill("/", "/setup", &typed("ada@example.org", &long, &long))
            .await
            .expect(400);
        assert!(answer.text.contains("at most 256 characters"));
        assert_eq!(count(&lede).await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_form_without_its_fields_is_refused_in_the_one_shape_and_to_people_as_a_page() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.visitor();
        let answer = browser
            .fill("/auth/login", "/auth/login", &[("email", ADMIN)])
            .await
            .expect(400);
        assert_eq!(answer.json()["code"], "invalid_field");
        assert_eq!(answer.json()["fields"]["password"], "is missing");
        let person = browser.with_header("accept", "text/html,*/*;q=0.8");
        let answer = person
            .fill("/auth/login", "/auth/login", &[("email", ADMIN)])
            .await
            .expect(400);
        assert!(answer.header("content-type").starts_with("text/html"));
        assert!(answer.text.contains("<h1>"));
    })
    .await;
}

#[tokio::test]
async fn registration_is_closed_unless_the_operator_opened_it() {
    for registration in [Registration::Closed, Registration::SingleUser] {
        on_each_engine_with(with(registration), async |lede: TestLede| {
            let browser = lede.visitor();
            let page = browser.get("/auth/register").await.expect(403);
            assert!(page.text.contains("doesn’t accept new accounts"));
            let login = browser.get("/auth/login").await.expect(200);
            assert!(!login.text.contains("/auth/register"));
            // The answer does not mention mistakes in the form either.
            for again in [PASSWORD, "another password here"] {
                let mut fields = typed("eve@example.org", PASSWORD, again);
                fields.push(("privacy", "yes"));
                let answer = browser.fill("/auth/login", "/auth/register", &fields).await;
                assert!(
                    answer
                        .expect(403)
                        .text
                        .contains("doesn’t accept new accounts")
                );
            }
            assert_eq!(count(&lede).await, 1);
        })
        .await;
    }
}

#[tokio::test]
async fn where_registration_is_open_anybody_becomes_a_member() {
    on_each_engine_with(with(Registration::Open), async |lede: TestLede| {
        let browser = lede.visitor();
        let register = |email: &'static str, privacy: bool| {
            let browser = lede.visitor();
            async move {
                let mut fields = typed(email, PASSWORD, PASSWORD);
                if privacy {
                    fields.push(("privacy", "yes"));
                }
                browser
                    .fill("/auth/register", "/auth/register", &fields)
                    .await
            }
        };
        let login = browser.get("/auth/login").await.expect(200);
        assert!(login.text.contains("/auth/register"));
        let refused = register("ben@example.org", false).await.expect(400);
        assert!(refused.text.contains("Please agree"));
        for (email, password, again, reason) in BAD_ACCOUNTS {
            lede.clock.advance(MINUTES);
            let mut fields = typed(email, password, again);
            fields.push(("privacy", "yes"));
            let answer = browser
                .fill("/auth/register", "/auth/register", &fields)
                .await
                .expect(400);
            assert!(answer.text.contains(reason), "{}", answer.text);
        }
        lede.clock.advance(MINUTES);
        let mut fields = typed("Ben@example.org", PASSWORD, PASSWORD);
        fields.push(("privacy", "yes"));
        let done = browser
            .fill("/auth/register", "/auth/register", &fields)
            .await
            .expect(303);
        assert_eq!(done.header("location"), "/");
        let me = browser.json("/api/auth/me").await;
        assert_eq!(
            (&me["email"], &me["role"]),
            (&json!("ben@example.org"), &json!("member"))
        );
        for taken in ["ben@example.org", "BEN@EXAMPLE.ORG", ADMIN] {
            let answer = register(taken, true).await.expect(409);
            assert!(answer.text.contains("already"));
        }
    })
    .await;
}

#[tokio::test]
async fn an_open_registration_does_not_make_the_first_account() {
    let options = Options {
        is_empty: true,
        ..with(Registration::Open)
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let browser = lede.visitor().with_header("x-forwarded-for", "203.0.113.7");
        let mut fields = typed("eve@example.org", PASSWORD, PASSWORD);
        fields.push(("privacy", "yes"));
        browser
            .fill("/", "/auth/register", &fields)
            .await
            .expect(403);
        assert_eq!(count(&lede).await, 0);
    })
    .await;
}

#[tokio::test]
async fn the_login_form_begins_a_session_in_a_guarded_cookie() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.visitor();
        let answer = log_in(&browser, " ADA@example.org", PASSWORD)
            .await
            .expect(303);
        assert_eq!(answer.header("location"), "/");
        let cookie = answer.header("set-cookie");
        assert!(cookie.starts_with("lede_session="), "{cookie}");
        for flag in ["; HttpOnly", "; SameSite=Lax", "; Path=/"] {
            assert!(cookie.contains(flag), "{cookie}");
        }
        assert!(
            !cookie.contains("Secure") && !cookie.contains("Domain"),
            "{cookie}"
        );
        assert_eq!(answer.header("strict-transport-security"), "");
        let first = browser.cookie("lede_session").unwrap();
        assert_eq!(first.len(), 43, "256 bits");

        // Signing in again creates a new session id and invalidates the previous one.
        let before = browser.copied();
        assert!(is_signed_in(&before).await);
        let token = browser.get("/settings").await.csrf_token();
        let fields = [
            ("csrf_token", token.as_str()),
            ("email", ADMIN),
            ("password", PASSWORD),
        ];
        browser.form("/auth/login", &fields).await.expect(303);
        assert_ne!(browser.cookie("lede_session").unwrap(), first);
        assert!(is_signed_in(&browser).await);
        assert!(!is_signed_in(&before).await);

        // A signed-in user is redirected away from the sign-in page.
        let answer = browser.get("/auth/login?next=/account").await.expect(303);
        assert_eq!(answer.header("location"), "/account");
    })
    .await;
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_address_get_the_same_answer() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.visitor();
        let wrong = log_in(&browser, ADMIN, "wrong horse battery")
            .await
            .expect(401);
        let unknown = log_in(&browser, "eve@example.org", "wrong horse battery")
            .await
            .expect(401);
        // The form's CSRF token differs each time.
        let without_address = |answer: &Answer, email: &str| {
            let text = answer.text.replace(&answer.csrf_token(), "");
            text.replace(email, "")
        };
        assert!(wrong.text.contains("Invalid email or password"));
        assert_eq!(
            without_address(&wrong, ADMIN),
            without_address(&unknown, "eve@example.org")
        );
        assert!(browser.cookie("lede_session").is_none());
        let json = |email: &str| {
            let (visitor, email) = (lede.visitor(), email.to_owned());
            async move {
                let body = json!({"email": email, "password": "wrong horse battery"});
                visitor.post("/auth/token", body).await.expect(401).json()
            }
        };
        let (wrong, unknown) = (json(ADMIN).await, json("eve@example.org").await);
        assert_eq!(wrong["message"], "Invalid email or password");
        assert_eq!(wrong["code"], "wrong_credentials");
        assert_eq!(wrong["category"], "auth");
        assert_eq!(wrong, unknown);
    })
    .await;
}

#[tokio::test]
async fn after_sign_in_the_way_leads_only_to_pages_of_this_lede() {
    on_each_engine(async |lede: TestLede| {
        for (next, place) in [
            ("/items/7?show=all", "/items/7?show=all"),
            ("//evil.example/", "/"),
            ("/\\evil.example/", "/"),
            ("https://evil.example/", "/"),
            ("javascript:alert(1)", "/"),
            ("", "/"),
        ] {
            lede.clock.advance(MINUTES);
            let browser = lede.visitor();
            let fields = [("email", ADMIN), ("password", PASSWORD), ("next", next)];
            let answer = browser
                .fill("/auth/login", "/auth/login", &fields)
                .await
                .expect(303);
            assert_eq!(answer.header("location"), place);
        }
        let page = lede
            .visitor()
            .get("/auth/login?next=//evil.example")
            .await
            .expect(200);
        assert!(!page.text.contains("evil.example"));
    })
    .await;
}

#[tokio::test]
async fn a_single_user_is_asked_for_the_password_only() {
    on_each_engine_with(with(Registration::SingleUser), async |lede: TestLede| {
        let browser = lede.visitor();
        let page = browser.get("/auth/login").await.expect(200);
        assert!(!page.text.contains("name=\"email\""));
        let fill = |password: &'static str| {
            let browser = browser.clone();
            async move {
                let fields = [("password", password)];
                browser.fill("/auth/login", "/auth/login", &fields).await
            }
        };
        fill("wrong horse battery").await.expect(401);
        fill(PASSWORD).await.expect(303);
        let me = browser.json("/api/auth/me").await;
        assert_eq!(
            (&me["email"], &me["role"]),
            (&json!("owner"), &json!("admin"))
        );
        let visitor = lede.visitor();
        visitor
            .post(
                "/api/auth/login",
                json!({"password": "wrong horse battery"}),
            )
            .await
            .expect(401);
        let token = visitor
            .post("/api/auth/login", json!({"password": PASSWORD}))
            .await
            .expect(200)
            .json()["token"]
            .as_str()
            .unwrap()
            .to_owned();
        let owner = visitor.with_token(&token);
        let refused = owner.delete("/api/users/me").await.expect(409).json();
        assert_eq!(refused["code"], "cannot_leave");
        owner.get("/api/auth/me").await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn a_session_ends_unused_after_two_weeks_and_in_any_case_after_ninety_days() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        lede.clock.advance(14 * DAY - Duration::from_secs(1));
        assert!(is_signed_in(&browser).await);
        lede.clock.advance(14 * DAY);
        assert!(!is_signed_in(&browser).await, "unused for two weeks");

        let browser = lede.browser().await;
        for _ in 0..8 {
            lede.clock.advance(11 * DAY);
            assert!(is_signed_in(&browser).await);
        }
        lede.clock.advance(2 * DAY);
        assert!(!is_signed_in(&browser).await, "ninety days old");
        browser.get("/api/feeds").await.expect(401);
        use_cases::remove_expired(&lede.lede).await.unwrap();
        assert!(!is_signed_in(&browser).await);
    })
    .await;
}

#[tokio::test]
async fn signing_out_ends_the_session_on_the_server() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let kept = browser.copied();
        let answer = browser
            .fill("/settings", "/auth/logout", &[])
            .await
            .expect(303);
        assert_eq!(answer.header("location"), "/auth/login");
        assert!(answer.header("set-cookie").contains("Max-Age=0"));
        assert!(!is_signed_in(&kept).await);
        kept.get("/api/auth/me").await.expect(401);

        let browser = lede.browser().await;
        let kept = browser.copied();
        let token = browser.get("/settings").await.csrf_token();
        let by_script = browser.with_header("x-csrf-token", &token);
        let done = by_script
            .post("/api/auth/logout", json!({}))
            .await
            .expect(200);
        assert_eq!(done.json(), json!({"ok": true}));
        kept.get("/api/auth/me").await.expect(401);
    })
    .await;
}

#[tokio::test]
async fn a_changed_password_or_role_ends_every_session() {
    on_each_engine(async |lede: TestLede| {
        for (password, role, is_ended) in [
            (PASSWORD, Role::Admin, false),
            ("another horse battery", Role::Admin, true),
            (PASSWORD, Role::Viewer, true),
        ] {
            use_cases::ensure_account(&lede.lede, ADMIN, &Secret::new(PASSWORD), Role::Admin)
                .await
                .unwrap();
            let browser = lede.browser().await;
            use_cases::ensure_account(&lede.lede, ADMIN, &Secret::new(password), role)
                .await
                .unwrap();
            assert_eq!(is_signed_in(&browser).await, !is_ended, "{role:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn only_hashes_of_sessions_and_passwords_are_stored() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let id = browser.cookie("lede_session").unwrap();
        // The stored hash does not authenticate: sent as a cookie, it finds no session.
        let found = use_cases::session(&lede.lede, &id).await.unwrap().unwrap();
        let use_cases::Proof::Session { id_hash, .. } = found.proof else {
            panic!("a session");
        };
        assert_ne!(id.as_bytes(), id_hash);
        let hex: String = id_hash.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(
            use_cases::session(&lede.lede, &hex)
                .await
                .unwrap()
                .is_none()
        );
        let (_, hash) = lede
            .lede
            .store
            .read(|db| users::find_by_email(db, ADMIN))
            .await
            .unwrap()
            .unwrap();
        assert!(hash.unwrap().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        let secret = lede
            .lede
            .store
            .read(|db| settings::find(db, "jwt_secret"))
            .await
            .unwrap();
        assert_eq!(secret.unwrap().len(), 43, "made at first start: 256 bits");
    })
    .await;
}

/// Linux with glibc only: its allocator is configured to return memory, and the figures come from /proc.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[tokio::test]
async fn wrong_passwords_keep_no_memory() {
    const MEGABYTE: u64 = 1 << 20;
    let program = Program::new()
        .with("ADMIN_EMAIL", ADMIN)
        .with("ADMIN_PASSWORD", PASSWORD)
        .with("TRUSTED_PROXY_CIDRS", "127.0.0.0/8");
    let running = program.start(&["serve", "--no-worker"]).await;
    running.visitor().get("/health").await.expect(200);
    let idle = running.anonymous_memory();

    let guesses = (0..64).map(|number| {
        let client = running
            .visitor()
            .with_header("x-forwarded-for", &format!("198.51.100.{number}"));
        tokio::spawn(async move {
            let guess = json!({"email": format!("{number}@example.org"), "password": "wrong"});
            client.post("/api/auth/login", guess).await.expect(401);
        })
    });
    for guess in guesses.collect::<Vec<_>>() {
        guess.await.unwrap();
    }
    let given_back = async {
        while running.anonymous_memory() > idle + 30 * MEGABYTE {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(30), given_back).await;
    let now = running.anonymous_memory();
    assert!(
        in_time.is_ok(),
        "{idle} bytes idle, {now} after the guesses"
    );
}
