//! The settings page: preferences, style sheet, password, sessions, app passwords and deletion of the account.

use std::time::Duration;

use lede_core::Registration;
use lede_model::user::Role;
use lede_testkit::http::{Answer, Http};
use lede_testkit::{ADMIN, Options, PASSWORD, TestLede, on_each_engine, on_each_engine_with};
use serde_json::json;

const NEW_PASSWORD: &str = "seven quiet harbours";

async fn is_signed_in(browser: &Http) -> bool {
    browser.get("/api/auth/me").await.status == 200
}

/// The text between `before` and `after`.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let rest = text
        .split(before)
        .nth(1)
        .unwrap_or_else(|| panic!("{before} in {text}"));
    rest.split(after).next().unwrap()
}

/// The selected option of the list `name`.
fn chosen<'a>(page: &'a Answer, name: &str) -> &'a str {
    let list = between(&page.text, &format!("<select id=\"{name}\""), "</select>");
    let option = list
        .split("<option value=\"")
        .find(|option| option.contains(" selected"));
    option.unwrap().split('"').next().unwrap()
}

#[tokio::test]
async fn preferences_chosen_without_script_are_stored_and_shown() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let page = browser.get("/settings").await.expect(200);
        assert_eq!(chosen(&page, "theme"), "system");
        assert_eq!(chosen(&page, "text_size"), "17");
        let fields = [
            ("group", "articles"),
            ("font", "sans"),
            ("text_size", "20"),
            ("measure", "55"),
            ("wrap_code", "false"),
            ("wrap_code", "true"),
        ];
        let saved = browser.fill("/settings", "/settings", &fields).await;
        let back = saved.expect(303).header("location").to_owned();
        assert_eq!(back, "/settings?done=articles#articles");
        let page = browser.get(&back).await.expect(200);
        assert!(
            page.text
                .contains("<p class=\"confirmation\" role=\"status\">Saved</p>")
        );
        assert_eq!(chosen(&page, "text_size"), "20");
        for attribute in ["data-size=\"20\"", "data-font=\"sans\"", "data-wrap-code"] {
            assert!(between(&page.text, "<html", ">").contains(attribute));
        }
        // An unticked box sends only the hidden field before it.
        let fields = [("group", "articles"), ("wrap_code", "false")];
        browser
            .fill("/settings", "/settings", &fields)
            .await
            .expect(303);
        let kept = browser.json("/api/users/me/preferences").await;
        assert_eq!(
            (&kept["wrap_code"], &kept["text_size"]),
            (&false.into(), &20.into())
        );

        let fields = [("group", "looks"), ("language", "ja"), ("theme", "dark")];
        browser
            .fill("/settings", "/settings", &fields)
            .await
            .expect(303);
        let page = browser.get("/settings").await.expect(200);
        assert!(
            page.text
                .contains("<html lang=\"ja\" data-account data-theme=\"dark\"")
        );
        assert!(page.text.contains("<h1>設定</h1>"));
        let fields = [("group", "looks"), ("language", "")];
        browser
            .fill("/settings", "/settings", &fields)
            .await
            .expect(303);
        let page = browser.get("/settings").await.expect(200);
        assert!(page.text.contains("<html lang=\"en\""));

        for (name, value) in [("text_size", "19"), ("theme", "pink"), ("colour", "red")] {
            let refused = browser
                .fill("/settings", "/settings", &[(name, value)])
                .await;
            assert!(
                refused.expect(400).text.contains("role=\"alert\""),
                "{name}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_style_sheet_of_ones_own_is_in_ones_own_pages_and_never_in_the_settings() {
    on_each_engine(async |lede: TestLede| {
        const PREFERENCES: &str = "/api/users/me/preferences";
        let browser = lede.browser().await;
        browser.get("/my.css").await.expect(404);
        let save = async |text: &str| {
            let fields = [("style_sheet", text)];
            browser.fill("/settings", "/settings/style", &fields).await
        };
        let saved = save("h1 > a { color: red }\r\n/* </textarea> */").await;
        let place = "/settings?done=style#looks";
        assert_eq!(saved.expect(303).header("location"), place);
        let text = "h1 > a { color: red }\n/* </textarea> */";
        assert_eq!(browser.json(PREFERENCES).await["style_sheet"], text);

        let page = browser.get("/").await.expect(200);
        let address = between(&page.text, "<link rel=\"stylesheet\" href=\"/my.css", "\"");
        let address = format!("/my.css{address}");
        let own = page.text.find("/my.css").unwrap();
        assert!(own > page.text.find("/lede.css").unwrap(), "it comes last");
        let sheet = browser.get(&address).await.expect(200);
        assert_eq!(sheet.text, text);
        for (name, value) in [
            ("content-type", "text/css; charset=utf-8"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "private, max-age=31536000, immutable"),
        ] {
            assert_eq!(sheet.header(name), value);
        }
        for path in ["/subscriptions", "/add", "/dashboard", "/?show=all"] {
            assert!(browser.get(path).await.text.contains(&address), "{path}");
        }
        for path in ["/settings", "/admin", "/auth/login"] {
            assert!(!browser.get(path).await.text.contains("my.css"), "{path}");
        }
        let settings = browser.get("/settings").await.text;
        assert!(settings.contains("never uses it") && !settings.contains("* </textarea>"));

        // Only the owner can load the address; after a change it serves the new text, uncached.
        let theirs = lede.person("ben@example.org", Role::Member).await;
        theirs.get(&address).await.expect(404);
        assert!(!theirs.get("/").await.text.contains("my.css"));
        let admin = lede.admin().await;
        let change = async |text: &str| {
            let body = json!({ "style_sheet": text });
            admin.patch(PREFERENCES, body).await
        };
        change("b {}").await.expect(200);
        let old = browser.get(&address).await.expect(200);
        assert_eq!(
            (old.text.as_str(), old.header("cache-control")),
            ("b {}", "no-store")
        );
        assert!(!browser.get("/").await.text.contains(&address));

        for (wrong, why, told) in [
            (
                "a\0b".to_owned(),
                "has characters that no style sheet has",
                "contains characters that don’t belong in a style sheet",
            ),
            (
                "x".repeat(32 * 1024 + 1),
                "can be 32 KiB at most",
                "can be 32 KiB at most",
            ),
        ] {
            let refused = change(&wrong).await.expect(400).json();
            assert_eq!(refused["fields"], json!({ "style_sheet": why }));
            let refused = save(&wrong).await.expect(400);
            assert!(refused.text.contains(&format!("The style sheet {told}.")));
            assert!(refused.text.contains("aria-invalid"));
        }
        assert_eq!(browser.json(PREFERENCES).await["style_sheet"], "b {}");
        save(" ").await.expect(303);
        browser.get("/my.css").await.expect(404);
        assert!(!browser.get("/").await.text.contains("my.css"));
    })
    .await;
}

#[tokio::test]
async fn a_new_password_signs_everybody_else_out() {
    on_each_engine(async |lede: TestLede| {
        let (browser, other) = (lede.browser().await, lede.browser().await);
        let form = |current, new, again| {
            [
                ("current", current),
                ("password", new),
                ("password_confirm", again),
            ]
        };
        let path = "/settings/password";
        for (fields, status, said) in [
            (
                form("wrong", NEW_PASSWORD, NEW_PASSWORD),
                403,
                "current password is wrong",
            ),
            (
                form(PASSWORD, "short", "short"),
                400,
                "at least 12 characters",
            ),
            (
                form(PASSWORD, NEW_PASSWORD, "another one"),
                400,
                "two passwords differ",
            ),
        ] {
            let refused = browser
                .fill("/settings", path, &fields)
                .await
                .expect(status);
            assert!(refused.text.contains(said), "{said}");
            assert!(!refused.text.contains(NEW_PASSWORD), "{said}");
            // Attempts are limited like sign-ins.
            lede.clock.advance(Duration::from_secs(60));
        }
        assert!(is_signed_in(&other).await);
        let changed = browser
            .fill(
                "/settings",
                path,
                &form(PASSWORD, NEW_PASSWORD, NEW_PASSWORD),
            )
            .await
            .expect(303);
        assert_eq!(
            changed.header("location"),
            "/settings?done=password#account"
        );
        assert!(is_signed_in(&browser).await);
        assert!(!is_signed_in(&other).await);
        let visitor = lede.visitor();
        for (password, status) in [(PASSWORD, 401), (NEW_PASSWORD, 303)] {
            let fields = [("email", ADMIN), ("password", password)];
            let answer = visitor.fill("/auth/login", "/auth/login", &fields).await;
            answer.expect(status);
        }
        // A stranger at a signed-in browser cannot guess without limit.
        let mut last = 0;
        for _ in 0..6 {
            let wrong = form("wrong", NEW_PASSWORD, NEW_PASSWORD);
            let answer = browser.fill("/settings", path, &wrong).await;
            last = answer.status.as_u16();
        }
        assert_eq!(last, 429);
    })
    .await;
}

#[tokio::test]
async fn sessions_are_seen_and_ended_one_by_one_or_all_others() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        lede.clock.advance(Duration::from_secs(60));
        let (second, third) = (lede.browser().await, lede.browser().await);
        let page = browser.get("/settings").await.expect(200);
        assert_eq!(
            page.text.matches("<strong>This browser</strong>").count(),
            1
        );
        assert_eq!(
            page.text
                .matches("<strong>Another browser</strong>")
                .count(),
            2
        );
        let end = between(&page.text, "action=\"/settings/sessions/", "#").to_owned();
        let path = format!("/settings/sessions/{end}");
        let ended = browser.fill("/settings", &path, &[]).await.expect(303);
        assert_eq!(ended.header("location"), "/settings?done=session#sessions");
        let left = [is_signed_in(&second).await, is_signed_in(&third).await];
        assert!(left[0] != left[1], "one of them is out: {left:?}");
        browser.fill("/settings", &path, &[]).await.expect(404);
        browser
            .fill("/settings", "/settings/sessions/words/end", &[])
            .await
            .expect(404);

        // A user cannot end a session of another user.
        let _ = lede.person("ben@example.org", Role::Member).await;
        let ben = lede.visitor();
        let fields = [("email", "ben@example.org"), ("password", PASSWORD)];
        ben.fill("/auth/login", "/auth/login", &fields)
            .await
            .expect(303);
        let page = browser.get("/settings").await.expect(200);
        let own = between(&page.text, "action=\"/settings/sessions/", "#").to_owned();
        let path = format!("/settings/sessions/{own}");
        ben.fill("/settings", &path, &[]).await.expect(404);

        browser
            .fill("/settings", "/settings/sessions/end-others", &[])
            .await
            .expect(303);
        assert!(!is_signed_in(&second).await && !is_signed_in(&third).await);
        assert!(is_signed_in(&browser).await && is_signed_in(&ben).await);
        let page = browser.get("/settings").await.expect(200);
        assert!(!page.text.contains("Another browser"));
    })
    .await;
}

#[tokio::test]
async fn an_app_password_is_shown_once_and_can_be_taken_back() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let path = "/settings/app-passwords";
        let fields = [("name", "Phone <b>"), ("scope", "read")];
        let made = browser.fill("/settings", path, &fields).await.expect(201);
        let password =
            between(&made.text, "<code id=\"app-password\" dir=\"ltr\">", "<").to_owned();
        assert_eq!(password.len(), 34);
        assert!(made.text.contains("Phone &#60;b&#62;"));
        assert!(made.text.contains("http://localhost:8080"));
        let page = browser.get("/settings").await.expect(200);
        assert!(!page.text.contains(&password));
        assert!(page.text.contains("Read only · Never used"));
        let id = browser.json("/api/app-passwords").await[0]["id"].to_string();

        let refused = browser
            .fill("/settings", path, &[("name", " "), ("scope", "read")])
            .await;
        assert!(refused.expect(400).text.contains("1 to 100 characters"));

        let _ = lede.person("ben@example.org", Role::Member).await;
        let ben = lede.visitor();
        let fields = [("email", "ben@example.org"), ("password", PASSWORD)];
        ben.fill("/auth/login", "/auth/login", &fields)
            .await
            .expect(303);
        let delete = format!("{path}/{id}/delete");
        ben.fill("/settings", &delete, &[]).await.expect(404);
        browser.fill("/settings", &delete, &[]).await.expect(303);
        assert!(browser.get("/settings").await.text.contains("None yet."));
    })
    .await;
}

#[tokio::test]
async fn an_account_is_deleted_only_when_its_address_is_typed() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        for typed in ["", "ben@example.org"] {
            let refused = browser
                .fill("/settings", "/account/delete", &[("email", typed)])
                .await
                .expect(400);
            assert!(refused.text.contains("nothing was deleted"));
        }
        assert!(is_signed_in(&browser).await);
        let short = browser.get("/account").await.expect(303);
        assert_eq!(short.header("location"), "/settings#account");
        browser
            .fill(
                "/settings",
                "/account/delete",
                &[("email", " ADA@example.org ")],
            )
            .await
            .expect(303);
        assert!(!is_signed_in(&browser).await);
    })
    .await;
}

#[tokio::test]
async fn the_owner_of_a_single_user_lede_has_no_password_to_change_and_stays() {
    let options = Options {
        registration: Registration::SingleUser,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let owner = lede.visitor();
        let password = [("password", PASSWORD)];
        owner
            .fill("/auth/login", "/auth/login", &password)
            .await
            .expect(303);
        let page = owner.get("/settings").await.expect(200);
        assert!(page.text.contains("APP_PASSWORD"));
        assert!(!page.text.contains("action=\"/account/delete"));
        let form = [
            ("current", PASSWORD),
            ("password", NEW_PASSWORD),
            ("password_confirm", NEW_PASSWORD),
        ];
        owner
            .fill("/settings", "/settings/password", &form)
            .await
            .expect(409);
        owner
            .fill("/settings", "/account/delete", &[("email", "owner")])
            .await
            .expect(409);
        let page = owner.get("/admin/users").await.expect(200);
        assert!(page.text.contains("There is only one account"));
    })
    .await;
}
