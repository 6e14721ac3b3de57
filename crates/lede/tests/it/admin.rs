//! The admin pages.

use std::time::Duration;

use lede_core::accounts;
use lede_core::maintenance::{health, retention};
use lede_model::secret::Secret;
use lede_model::user::Role;
use lede_testkit::http::Http;
use lede_testkit::{ADMIN, PASSWORD, Reply, TestLede, on_each_engine};
use serde_json::json;

/// Creates an account with `role` and signs it in with a browser.
async fn browser_of(lede: &TestLede, email: &str, role: Role) -> Http {
    let _ = lede.person(email, role).await;
    let visitor = lede.visitor();
    let fields = [("email", email), ("password", PASSWORD)];
    let entered = visitor.fill("/auth/login", "/auth/login", &fields).await;
    entered.expect(303);
    visitor
}

async fn number_of(lede: &TestLede, email: &str) -> i64 {
    let user = accounts::sign_in(&lede.lede, email, &Secret::new(PASSWORD)).await;
    user.unwrap().id.as_i64()
}

#[tokio::test]
async fn only_administrators_see_and_use_the_pages() {
    on_each_engine(async |lede: TestLede| {
        let ada = number_of(&lede, ADMIN).await;
        for (email, role) in [
            ("ben@example.org", Role::Member),
            ("vera@example.org", Role::Viewer),
        ] {
            let browser = browser_of(&lede, email, role).await;
            let person = browser.with_header("accept", "text/html");
            for path in ["/admin", "/admin/users", "/admin/feeds", "/admin/status"] {
                let page = person.get(path).await.expect(403);
                assert!(page.header("content-type").starts_with("text/html"));
                assert!(page.text.contains("Only administrators"), "{path}");
                assert!(!page.text.contains(ADMIN), "{path}");
            }
            let own = number_of(&lede, email).await;
            for path in [
                "/admin/users".to_owned(),
                format!("/admin/users/{own}/role"),
                format!("/admin/users/{ada}/password"),
                format!("/admin/users/{ada}/delete"),
                "/admin/feeds/1/disable".to_owned(),
                "/admin/feeds/1/retry".to_owned(),
                "/admin/vacuum".to_owned(),
            ] {
                let fields = [("role", "admin"), ("password", "seven quiet harbours")];
                browser.fill("/settings", &path, &fields).await.expect(403);
            }
            assert!(
                !browser
                    .get("/settings")
                    .await
                    .text
                    .contains("href=\"/admin\"")
            );
            lede.clock.advance(Duration::from_secs(60));
        }
        let admin = lede.browser().await;
        assert!(
            admin
                .get("/settings")
                .await
                .text
                .contains("href=\"/admin\"")
        );
    })
    .await;
}

#[tokio::test]
async fn accounts_are_made_changed_and_removed() {
    on_each_engine(async |lede: TestLede| {
        let admin = lede.browser().await;
        let new = |email, password| [("email", email), ("password", password), ("role", "member")];
        let list = "/admin/users";
        let made = admin
            .fill(list, list, &new("ben@example.org", PASSWORD))
            .await;
        assert_eq!(
            made.expect(303).header("location"),
            "/admin/users?done=added"
        );
        let page = admin.get("/admin/users?done=added").await.expect(200);
        assert!(page.text.contains("Account created."));
        assert!(page.text.contains("ben@example.org"));
        for (email, password, status, said) in [
            ("Ben@example.org", PASSWORD, 409, "already"),
            ("nobody", PASSWORD, 400, "not an e-mail address"),
            ("eve@example.org", "short", 400, "at least 12 characters"),
        ] {
            let refused = admin.fill(list, list, &new(email, password)).await;
            let refused = refused.expect(status);
            assert!(refused.text.contains(said), "{said}");
            assert!(
                refused.text.contains(&format!("value=\"{email}\"")),
                "{said}"
            );
        }

        let ben = browser_of(&lede, "ben@example.org", Role::Member).await;
        let number = number_of(&lede, "ben@example.org").await;
        let path = format!("/admin/users/{number}/role");
        admin
            .fill(list, &path, &[("role", "admin")])
            .await
            .expect(303);
        ben.get("/api/auth/me").await.expect(401);
        lede.clock.advance(Duration::from_secs(60));
        let ben = browser_of(&lede, "ben@example.org", Role::Admin).await;
        let me = ben.json("/api/auth/me").await;
        assert_eq!(me["role"], "admin");
        let path = format!("/admin/users/{number}/password");
        let fields = [("password", "seven quiet harbours")];
        admin.fill(list, &path, &fields).await.expect(303);
        ben.get("/api/auth/me").await.expect(401);

        let path = format!("/admin/users/{number}/delete");
        admin.fill(list, &path, &[]).await.expect(303);
        let page = admin.get(list).await.expect(200);
        assert!(!page.text.contains("ben@example.org"));
        admin.fill(list, &path, &[]).await.expect(404);

        // Admins cannot change their own account here, so that one admin always remains.
        let own = number_of(&lede, ADMIN).await;
        for (what, fields) in [
            ("role", vec![("role", "viewer")]),
            ("password", vec![("password", "seven quiet harbours")]),
            ("delete", vec![]),
        ] {
            let path = format!("/admin/users/{own}/{what}");
            let refused = admin.fill(list, &path, &fields).await.expect(409);
            assert!(refused.text.contains("your own account"), "{what}");
        }
        admin.get("/admin").await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn two_administrators_cannot_take_the_office_from_each_other() {
    on_each_engine(async |lede: TestLede| {
        let (ada, ben) = (
            lede.browser().await,
            browser_of(&lede, "ben@example.org", Role::Admin).await,
        );
        let numbers = [
            number_of(&lede, ADMIN).await,
            number_of(&lede, "ben@example.org").await,
        ];
        let role = [("role", "member")];
        let [of_ada, of_ben] = numbers.map(|number| format!("/admin/users/{number}/role"));
        let (one, other) = tokio::join!(
            ada.fill("/settings", &of_ben, &role),
            ben.fill("/settings", &of_ada, &role)
        );
        let done = [one.status.as_u16(), other.status.as_u16()];
        assert!(done.contains(&303), "{done:?}");
        let admins = lede.lede.store.read(lede_store::users::count_admins).await;
        assert_eq!(admins.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn every_feed_can_be_found_switched_off_and_tried_again() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.person("ben@example.org", Role::Member).await;
        let url = lede
            .site
            .put("/daily.xml", Reply::rss("Daily", &[("One", "x")]));
        let other = lede.site.put("/weekly.xml", Reply::rss("Weekly", &[]));
        for url in [&url, &other] {
            reader
                .post("/api/feeds", json!({ "url": url }))
                .await
                .expect(201);
        }
        let feed = reader.json("/api/feeds").await[0]["id"].to_string();
        let admin = lede.browser().await;
        let page = admin.get("/admin/feeds").await.expect(200);
        assert!(page.text.contains("Daily") && page.text.contains("Weekly"));
        assert!(page.text.contains("1 follower<") || page.text.contains("1 follower "));
        let page = admin.get("/admin/feeds?q=DAILY").await.expect(200);
        assert!(page.text.contains("Daily") && !page.text.contains("Weekly"));
        let page = admin.get("/admin/feeds?show=disabled").await.expect(200);
        assert!(page.text.contains("No matching feeds."));

        let back = [("back", "/admin/feeds?q=daily")];
        let path = format!("/admin/feeds/{feed}/disable");
        let switched = admin.fill("/admin/feeds", &path, &back).await.expect(303);
        assert_eq!(switched.header("location"), "/admin/feeds?q=daily");
        let page = admin.get("/admin/feeds?show=disabled").await.expect(200);
        assert!(page.text.contains("Daily") && !page.text.contains("Weekly"));
        let before = lede.site.requests("/daily.xml").len();
        lede.clock.advance(Duration::from_secs(7200));
        lede.work().await;
        assert_eq!(lede.site.requests("/daily.xml").len(), before);

        let path = format!("/admin/feeds/{feed}/enable");
        let elsewhere = [("back", "https://evil.example/")];
        let switched = admin
            .fill("/admin/feeds", &path, &elsewhere)
            .await
            .expect(303);
        assert_eq!(switched.header("location"), "/");
        lede.work().await;
        assert_eq!(lede.site.requests("/daily.xml").len(), before + 1);

        // With script the answer is only the changed row, including the result.
        lede.site.put("/daily.xml", Reply::status(410));
        let token = admin.get("/admin/feeds").await.csrf_token();
        let script = admin.with_header("hx-request", "true");
        let path = format!("/admin/feeds/{feed}/retry");
        let row = script
            .form(&path, &[("csrf_token", &token)])
            .await
            .expect(200);
        assert!(row.text.trim_start().starts_with("<li"), "{}", row.text);
        assert!(row.text.contains("Fetching failed.") && row.text.contains("410"));
        let page = admin.get("/admin/feeds?show=trouble").await.expect(200);
        assert!(page.text.contains("Daily"));
        lede.site.put(
            "/daily.xml",
            Reply::rss("Daily", &[("One", "x"), ("Two", "y")]),
        );
        let row = script
            .form(&path, &[("csrf_token", &token)])
            .await
            .expect(200);
        assert!(row.text.contains("1 new item."), "{}", row.text);
        let absent = [("csrf_token", token.as_str())];
        script
            .form("/admin/feeds/999999/retry", &absent)
            .await
            .expect(404);
    })
    .await;
}

#[tokio::test]
async fn the_overview_and_the_status_say_how_the_instance_is_doing() {
    on_each_engine(async |lede: TestLede| {
        let reader = lede.admin().await;
        let url = lede
            .site
            .put("/daily.xml", Reply::rss("Daily", &[("One", "x")]));
        reader
            .post("/api/feeds", json!({ "url": url }))
            .await
            .expect(201);
        let admin = lede.browser().await;
        let page = admin.get("/admin").await.expect(200);
        for said in [
            "All feeds are working.",
            "started following a feed",
            "signed in",
            "<svg",
            "1 item in the last two weeks",
        ] {
            assert!(page.text.contains(said), "{said}");
        }
        let page = admin.get("/admin/status").await.expect(200);
        for said in [
            "Everything is fine",
            env!("CARGO_PKG_VERSION"),
            "REGISTRATION",
            "None yet; there is one every day.",
        ] {
            assert!(page.text.contains(said), "{said}");
        }
        retention::clean_up(&lede.lede).await.unwrap();
        let page = admin.get("/admin/status").await.expect(200);
        assert!(page.text.contains("Unread items removed"));
        let done = admin
            .fill("/admin/status", "/admin/vacuum", &[])
            .await
            .expect(303);
        assert!(done.header("location").starts_with("/admin/status?freed="));
        let page = admin.get("/admin/status?freed=2048").await.expect(200);
        assert!(page.text.contains("the database is now 2 MB smaller"));

        lede.disk.leave(1 << 10);
        health::check(&lede.lede, lede.clock.now()).await;
        let page = admin.get("/admin/status").await.expect(200);
        assert!(page.text.contains("The disk is nearly full"));
        // Compaction stays allowed on a full disk, but here there is no room for the copy it writes.
        if lede.lede.store.engine() == lede_store::Engine::Sqlite {
            let refused = admin.fill("/admin/status", "/admin/vacuum", &[]).await;
            assert!(refused.expect(507).text.contains("not enough room"));
        }
    })
    .await;
}
