//! Deleting one's own account.

use super::*;

#[tokio::test]
async fn who_leaves_takes_everything_of_their_own_and_nothing_of_others() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let ben = lede.person("ben@example.org", Role::Member).await;
        let url = lede
            .site
            .put("/feed.xml", Reply::rss("Daily", &[("One", "<p>text</p>")]));
        let feed = ada
            .post("/api/feeds", json!({"url": url}))
            .await
            .expect(201)
            .json()["id"]
            .clone();
        ben.post("/api/feeds", json!({"url": url}))
            .await
            .expect(201);
        let item = ben.json(&format!("/api/feeds/{feed}/items")).await["items"][0]["id"].clone();
        ben.put(
            &format!("/api/items/{item}/state"),
            json!({"is_starred": true, "is_read": true}),
        )
        .await
        .expect(200);

        let refused = ada.delete("/api/users/me").await.expect(409).json();
        assert_eq!(refused["code"], "cannot_leave");
        let gone = ben.delete("/api/users/me").await.expect(204);
        assert!(gone.text.is_empty());
        ben.get("/api/auth/me").await.expect(401);
        ben.delete("/api/users/me").await.expect(401);
        let listed = ada.json(&format!("/api/feeds/{feed}")).await;
        assert_eq!(listed["unread_count"], 1);

        // A new account with the same address inherits nothing.
        let ben = lede.person("ben@example.org", Role::Member).await;
        assert_eq!(ben.json("/api/feeds").await, json!([]));
        ben.post("/api/feeds", json!({"url": url}))
            .await
            .expect(201);
        let state = ben.json(&format!("/api/items/{item}")).await;
        assert_eq!(
            (&state["is_read"], &state["is_starred"]),
            (&json!(false), &json!(false))
        );
    })
    .await;
}

#[tokio::test]
async fn two_administrators_who_leave_at_once_do_not_leave_others_alone() {
    on_each_engine(async |lede: TestLede| {
        let _ = lede.person("ben@example.org", Role::Member).await;
        for _ in 0..4 {
            let (one, two) = (
                lede.person("one@example.org", Role::Admin).await,
                lede.person("two@example.org", Role::Admin).await,
            );
            // Only these two are admins: the admin that every test has is demoted for now.
            let _ = lede.person(ADMIN, Role::Member).await;
            let (first, second) =
                tokio::join!(one.delete("/api/users/me"), two.delete("/api/users/me"));
            let mut statuses = [first.status.as_u16(), second.status.as_u16()];
            statuses.sort_unstable();
            assert_eq!(statuses, [204, 409]);
        }
    })
    .await;
}

#[tokio::test]
async fn when_the_last_account_goes_the_set_up_page_comes_back() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let answer = browser
            .fill("/settings", "/account/delete", &[("email", ADMIN)])
            .await
            .expect(303);
        assert_eq!(answer.header("location"), "/");
        assert!(browser.cookie("lede_session").is_none());
        let page = browser.get("/").await.expect(200);
        assert!(page.text.contains("action=\"/setup\""));
        browser
            .fill(
                "/",
                "/setup",
                &typed("grace@example.org", PASSWORD, PASSWORD),
            )
            .await
            .expect(303);
        assert_eq!(browser.json("/api/auth/me").await["role"], "admin");
    })
    .await;
}

#[tokio::test]
async fn the_only_administrator_among_others_cannot_leave_by_the_page_either() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let _ = lede.person("ben@example.org", Role::Member).await;
        let answer = browser
            .fill("/settings", "/account/delete", &[("email", ADMIN)])
            .await
            .expect(409);
        assert!(answer.text.contains("only administrator"));
        assert!(is_signed_in(&browser).await);
    })
    .await;
}
