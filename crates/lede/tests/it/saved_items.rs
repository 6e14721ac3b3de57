//! Starred and labelled items outlive the subscription to their feed.

use lede_core::worker;
use lede_model::user::Role;
use lede_testkit::http::Http;
use lede_testkit::{TestLede, on_each_engine};
use serde_json::{Value, json};

use crate::lists::{follow, titles};

const EXPORT: &str = "/api/users/me/export";
const IMPORT: &str = "/api/users/me/import";

async fn starred(reader: &Http) -> Vec<String> {
    let page = reader.json("/api/posts?starred_only=true").await;
    titles(&page).into_iter().map(str::to_owned).collect()
}

/// Follows a feed of three items, stars the first, labels the second, and unsubscribes. Returns both
/// items.
async fn save_and_leave(lede: &TestLede, ada: &Http) -> (Value, Value) {
    follow(ada, lede, "Daily", 3).await;
    worker::run_queues(&lede.lede).await.unwrap();
    let page = ada.json("/api/posts").await;
    let (first, second) = (page["posts"][0].clone(), page["posts"][1].clone());
    let state = format!("/api/items/{}/state", first["id"]);
    ada.put(&state, json!({"is_starred": true}))
        .await
        .expect(200);
    let labels = format!("/api/items/{}/labels", second["id"]);
    ada.put(&labels, json!({"labels": ["Later"]}))
        .await
        .expect(200);
    let feed = format!("/api/feeds/{}", first["feed_id"]);
    let left = ada.delete(&feed).await;
    assert!(left.status.is_success(), "{}", left.status);
    (first, second)
}

#[tokio::test]
async fn starred_and_labelled_items_stay_after_unsubscribing() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let (first, second) = save_and_leave(&lede, &ada).await;
        let (title, labelled) = (
            first["title"].as_str().unwrap(),
            second["title"].as_str().unwrap(),
        );
        assert_eq!(titles(&ada.json("/api/posts").await), Vec::<&str>::new());
        assert_eq!(starred(&ada).await, [title]);
        let label = ada.json("/api/labels").await[0]["id"].clone();
        let of_label = ada.json(&format!("/api/posts?label_id={label}")).await;
        assert_eq!(titles(&of_label), [labelled]);
        assert_eq!(of_label["posts"][0]["feed_title"], first["feed_title"]);
        // Searching finds the saved items of the feed, and no others.
        let found = ada.json("/api/posts?search=daily").await;
        assert_eq!(found["posts"].as_array().unwrap().len(), 2, "{found}");
        let open = ada
            .get(&format!("/items/{}", first["id"]))
            .await
            .expect(200);
        assert!(open.text.contains(title));
        assert!(!open.text.contains(&format!("?feed={}", first["feed_id"])));
        // Another user does not see them.
        let ben = lede.person("ben@example.org", Role::Member).await;
        ben.get(&format!("/api/items/{}", first["id"]))
            .await
            .expect(404);
        // Without its star it is gone.
        let state = format!("/api/items/{}/state", first["id"]);
        let marks = ada
            .put(&state, json!({"is_read": false, "is_starred": false}))
            .await;
        assert_eq!(marks.expect(200).json()["is_read"], true);
        ada.get(&format!("/api/items/{}", first["id"]))
            .await
            .expect(404);
        assert_eq!(starred(&ada).await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test]
async fn saved_items_of_other_feeds_are_in_the_take_out() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let (first, second) = save_and_leave(&lede, &ada).await;
        let document = ada.json(EXPORT).await;
        assert_eq!(document["subscriptions"], json!([]));
        let ben = lede.person("ben@example.org", Role::Member).await;
        let done = ben.post(IMPORT, document).await.expect(200).json();
        assert_eq!(done["errors"], json!([]));
        assert_eq!(starred(&ben).await, [first["title"].as_str().unwrap()]);
        let label = ben.json("/api/labels").await[0]["id"].clone();
        let of_label = ben.json(&format!("/api/posts?label_id={label}")).await;
        assert_eq!(titles(&of_label), [second["title"].as_str().unwrap()]);
        assert_eq!(ben.json("/api/feeds").await.as_array().unwrap().len(), 0);
    })
    .await;
}
