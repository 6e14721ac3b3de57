//! `lede demo`: the whole product without network access or API key.

use crate::program::{Program, names_in};

#[tokio::test]
async fn the_demonstration_serves_its_feeds_and_removes_its_files() {
    // The demonstration must neither use nor change what these settings name.
    let program = Program::new()
        .with("DATABASE_PATH", "mine/lede.db")
        .with("APP_PASSWORD", "correct horse battery");
    let mut running = program.start(&["demo"]).await;
    let home = running.prints("http://localhost:").await;
    assert!(
        home.ends_with(&format!(":{}", running.address.port())),
        "{home}"
    );
    let email = running.prints("e-mail").await;
    let password = running.prints("password").await;
    let last_word = |line: &str| line.split_whitespace().last().unwrap().to_owned();

    let person = running
        .signed_in(&last_word(&email), &last_word(&password))
        .await
        .expect("the printed password opens");
    let feeds = person.json("/api/feeds").await;
    let feeds = feeds.as_array().unwrap();
    assert_eq!(feeds.len(), 3);
    for feed in feeds {
        assert!(feed["unread_count"].as_i64() > Some(0), "{feed}");
        let items = person
            .json(&format!("/api/feeds/{}/items", feed["id"]))
            .await;
        let item = person
            .json(&format!("/api/items/{}", items["items"][0]["id"]))
            .await;
        assert!(!item["content"].as_str().unwrap().is_empty(), "{item}");
    }
    assert_eq!(names_in(&program.path("tmp")).len(), 1, "its store");
    assert_eq!(running.stop().await.code(), Some(0));
    assert!(names_in(&program.path("tmp")).is_empty());
    assert!(!program.path("mine").exists() && !program.path("data").exists());
}
