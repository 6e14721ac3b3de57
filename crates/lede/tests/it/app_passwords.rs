//! App passwords: shown once, stored as a hash, and valid for apps only.

use std::time::Duration;

use lede_core::Registration;
use lede_core::accounts::app_passwords::{check, check_fever_key};
use lede_model::app_password::Scope;
use lede_model::secret::Secret;
use lede_model::user::Role;
use lede_testkit::http::Http;
use lede_testkit::{ADMIN, Options, TestLede, on_each_engine, on_each_engine_with};
use serde_json::{Value, json};

use crate::store::{number, rows};

const PATH: &str = "/api/app-passwords";

async fn add(reader: &Http, body: Value) -> Value {
    reader.post(PATH, body).await.expect(201).json()
}

/// Returns the owner of the password and its scope.
async fn checked(lede: &TestLede, email: &str, password: &str) -> Option<(String, Scope)> {
    let found = check(&lede.lede, email, &Secret::new(password)).await;
    found.unwrap().map(|(user, scope)| (user.email, scope))
}

#[tokio::test]
async fn a_password_is_shown_once_and_opens_what_it_was_made_for() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let phone = add(&ada, json!({"name": " Phone "})).await;
        let tablet = add(&ada, json!({"name": "Tablet", "scope": "read"})).await;
        assert_eq!(
            (&phone["name"], &phone["scope"]),
            (&json!("Phone"), &json!("write"))
        );
        let password = phone["password"].as_str().unwrap();
        assert_eq!(password.len(), 34);
        let listed = ada.get(PATH).await.expect(200);
        assert!(!listed.text.contains(password));
        assert_eq!(listed.json()[0], {
            let mut kept = phone.clone();
            kept.as_object_mut().unwrap().remove("password");
            kept
        });
        let stored = rows(lede.lede.store.place(), "SELECT * FROM app_password");
        assert!(
            !stored.join("\n").contains(password),
            "only hashes are kept"
        );

        let write = Some((ADMIN.to_owned(), Scope::Write));
        assert_eq!(checked(&lede, ADMIN, password).await, write);
        let typed = password.to_uppercase().replace('-', " ");
        assert_eq!(checked(&lede, " ADA@example.org ", &typed).await, write);
        let other = tablet["password"].as_str().unwrap();
        assert_eq!(
            checked(&lede, ADMIN, other).await,
            Some((ADMIN.to_owned(), Scope::Read))
        );
        for (email, wrong) in [
            (ADMIN, ""),
            (ADMIN, "abcd-efgh-jkmn-pqrs-tuvw-xyz2-3456"),
            ("ben@example.org", password),
            ("", password),
        ] {
            assert_eq!(checked(&lede, email, wrong).await, None, "{email} {wrong}");
        }

        let path = format!("{PATH}/{}", phone["id"]);
        ada.delete(&path).await.expect(204);
        ada.delete(&path).await.expect(404);
        assert_eq!(checked(&lede, ADMIN, password).await, None);
    })
    .await;
}

#[tokio::test]
async fn fever_clients_prove_it_with_their_key() {
    on_each_engine(async |lede: TestLede| {
        let made = add(&lede.admin().await, json!({"name": "Reeder"})).await;
        let pair = format!("{ADMIN}:{}", made["password"].as_str().unwrap());
        let key = md5_hex(&pair);
        for key in [key.clone(), format!(" {} ", key.to_uppercase())] {
            let (user, scope) = check_fever_key(&lede.lede, &key).await.unwrap().unwrap();
            assert_eq!((user.email.as_str(), scope), (ADMIN, Scope::Write));
        }
        let wrong = key.replace(['a', 'b', 'c', '1', '2'], "0");
        assert!(check_fever_key(&lede.lede, &wrong).await.unwrap().is_none());
        assert!(check_fever_key(&lede.lede, "").await.unwrap().is_none());
    })
    .await;
}

/// Computes the MD5 digest that a client would send. PostgreSQL has the function, and a server runs anyway.
fn md5_hex(text: &str) -> String {
    let schema = lede_testkit::postgres::fresh_schema_url();
    let place = lede_store::DatabaseLocation::Server(Secret::new(schema.url.clone()));
    rows(&place, &format!("SELECT md5('{text}')"))[0].clone()
}

#[tokio::test]
async fn they_open_neither_the_sign_in_page_nor_a_token() {
    on_each_engine(async |lede: TestLede| {
        let made = add(&lede.admin().await, json!({"name": "Phone"})).await;
        let password = made["password"].as_str().unwrap();
        let credentials = json!({"email": ADMIN, "password": password});
        for path in ["/auth/token", "/api/auth/login"] {
            let visitor = lede.visitor();
            visitor.post(path, credentials.clone()).await.expect(401);
        }
        let fields = [("email", ADMIN), ("password", password)];
        let visitor = lede.visitor();
        visitor
            .fill("/auth/login", "/auth/login", &fields)
            .await
            .expect(401);
        let bearer = lede.visitor().with_token(password);
        bearer.get("/api/feeds").await.expect(401);
    })
    .await;
}

#[tokio::test]
async fn they_are_their_owners_and_go_with_the_account() {
    on_each_engine(async |lede: TestLede| {
        let ben = lede.person("ben@example.org", Role::Viewer).await;
        let made = add(&ben, json!({"name": "Phone"})).await;
        let ada = lede.admin().await;
        assert_eq!(ada.json(PATH).await, json!([]));
        ada.delete(&format!("{PATH}/{}", made["id"]))
            .await
            .expect(404);
        let password = made["password"].as_str().unwrap();
        assert!(checked(&lede, "ben@example.org", password).await.is_some());
        ben.delete("/api/users/me").await.expect(204);
        assert!(checked(&lede, "ben@example.org", password).await.is_none());
        assert_eq!(
            number(lede.lede.store.place(), "SELECT COUNT(*) FROM app_password"),
            0
        );
    })
    .await;
}

#[tokio::test]
async fn use_is_noted_once_an_hour() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let made = add(&ada, json!({"name": "Phone"})).await;
        assert_eq!(made["used_at"], Value::Null);
        let password = made["password"].as_str().unwrap();
        let mut seen = Vec::new();
        for minutes in [0, 30, 31] {
            lede.clock.advance(Duration::from_secs(minutes * 60));
            checked(&lede, ADMIN, password).await.unwrap();
            seen.push(ada.json(PATH).await[0]["used_at"].clone());
        }
        assert_eq!(
            seen,
            [
                "2026-03-14T12:00:00Z",
                "2026-03-14T12:00:00Z",
                "2026-03-14T13:01:00Z"
            ]
        );
    })
    .await;
}

#[tokio::test]
async fn names_are_short_scopes_are_known_and_there_are_fifty_at_most() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        for body in [
            json!({"name": "  "}),
            json!({"name": "bell\u{7}"}),
            json!({"name": "x".repeat(101)}),
            json!({"name": "x", "scope": "admin"}),
            json!({"scope": "read"}),
        ] {
            ada.post(PATH, body).await.expect(400);
        }
        for number in 0..50 {
            add(&ada, json!({"name": number.to_string()})).await;
        }
        let refused = ada
            .post(PATH, json!({"name": "one more"}))
            .await
            .expect(409);
        assert_eq!(refused.json()["code"], "limit_reached");
        let ben = lede.person("ben@example.org", Role::Member).await;
        add(&ben, json!({"name": "mine"})).await;
    })
    .await;
}

#[tokio::test]
async fn the_owner_of_a_single_user_lede_needs_no_name() {
    let options = Options {
        registration: Registration::SingleUser,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let login = json!({"password": lede_testkit::PASSWORD});
        let token = lede
            .visitor()
            .post("/api/auth/login", login)
            .await
            .expect(200);
        let token = token.json()["token"].as_str().unwrap().to_owned();
        let made = add(&lede.visitor().with_token(&token), json!({"name": "Phone"})).await;
        let password = made["password"].as_str().unwrap();
        for name in ["owner", "", "somebody"] {
            let owner = Some(("owner".to_owned(), Scope::Write));
            assert_eq!(checked(&lede, name, password).await, owner);
        }
        let key = md5_hex(&format!("owner:{password}"));
        assert!(check_fever_key(&lede.lede, &key).await.unwrap().is_some());
    })
    .await;
}
