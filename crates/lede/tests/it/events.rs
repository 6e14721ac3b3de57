//! The event log: which user actions are recorded. No API exposes it.

use lede_core::Registration;
use lede_testkit::{
    ADMIN, Options, PASSWORD, Reply, TestLede, on_each_engine, on_each_engine_with,
};
use serde_json::json;

use crate::opml;
use crate::store::rows;

fn noted(lede: &TestLede, email: &str) -> Vec<String> {
    rows(
        lede.lede.store.place(),
        &format!(
            "SELECT e.event_type, e.metadata FROM event e JOIN account a ON a.id = e.user_id
             WHERE a.email = '{email}' ORDER BY e.id"
        ),
    )
}

#[tokio::test]
async fn registering_and_every_way_of_signing_in_are_noted_and_failures_are_not() {
    let options = Options {
        registration: Registration::Open,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let email = "ben@example.org";
        let visitor = lede.visitor();
        let fields = [
            ("email", email),
            ("password", PASSWORD),
            ("password_confirm", PASSWORD),
            ("privacy", "on"),
        ];
        visitor
            .fill("/auth/register", "/auth/register", &fields)
            .await
            .expect(303);
        assert_eq!(noted(&lede, email), ["user_registered|", "user_login|"]);
        let credentials = json!({"email": email, "password": PASSWORD});
        for path in ["/auth/token", "/api/auth/login"] {
            lede.visitor()
                .post(path, credentials.clone())
                .await
                .expect(200);
        }
        let wrong = json!({"email": email, "password": "not the password"});
        lede.visitor().post("/auth/token", wrong).await.expect(401);
        assert_eq!(noted(&lede, email).len(), 4);
        assert_eq!(
            noted(&lede, ADMIN),
            Vec::<String>::new(),
            "made at the start, not registered"
        );
        lede.browser().await;
        assert_eq!(noted(&lede, ADMIN), ["user_login|"]);
    })
    .await;
}

#[tokio::test]
async fn a_feed_that_is_added_is_noted_once_with_its_number_and_goes_with_the_account() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let url = lede
            .site
            .put("/feed.xml", Reply::rss("Feed", &[("One", "text")]));
        let added = ada
            .post("/api/feeds", json!({"url": url}))
            .await
            .expect(201);
        let feed = added.json()["id"].to_string();
        ada.post("/api/feeds", json!({"url": url}))
            .await
            .expect(409);
        let expected = format!("feed_added|{{\"feed_id\": {feed}}}");
        assert_eq!(noted(&lede, ADMIN), ["user_login|", &expected]);
        // Another user who subscribes to an existing feed has an event too.
        let ben = lede
            .person("ben@example.org", lede_model::user::Role::Member)
            .await;
        ben.post("/api/feeds", json!({"url": url}))
            .await
            .expect(201);
        assert_eq!(noted(&lede, "ben@example.org")[1], expected);
        ben.delete("/api/users/me").await.expect(204);
        assert_eq!(
            rows(lede.lede.store.place(), "SELECT id FROM event").len(),
            2
        );
    })
    .await;
}

#[tokio::test]
async fn feeds_that_come_with_a_list_or_a_take_out_are_noted_once_each() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let outlines: String = (0..120)
            .map(|number| {
                format!(
                    "<outline xmlUrl='https://site.example.org/{}'/>",
                    number % 110
                )
            })
            .collect();
        let taken = opml::import(&ada, &outlines).await;
        assert_eq!(taken["imported"], 110, "{taken}");
        opml::import(&ada, &outlines).await;
        let urls = ["https://site.example.org/0", "https://site.example.org/new"];
        let document = json!({
            "format": "lede-export", "version": 1,
            "subscriptions": urls.map(|url| json!({"feed_url": url})),
        });
        for _ in 0..2 {
            ada.post("/api/users/me/import", document.clone())
                .await
                .expect(200);
        }
        let feeds = rows(lede.place(), "SELECT id FROM feed ORDER BY id");
        let mut expected: Vec<String> = feeds
            .iter()
            .map(|feed| format!("feed_added|{{\"feed_id\": {feed}}}"))
            .collect();
        let mut found = noted(&lede, ADMIN);
        found.retain(|event| event.starts_with("feed_added"));
        found.sort();
        expected.sort();
        assert_eq!(found.len(), 111);
        assert_eq!(found, expected);
    })
    .await;
}
