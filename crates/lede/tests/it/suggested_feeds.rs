//! Starter feeds, offered to a user without subscriptions.

use lede_model::user::Role;
use lede_testkit::{TestLede, on_each_engine};
use serde_json::json;

#[tokio::test]
async fn an_empty_account_starts_with_suggested_feeds() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let offered = ada.get("/").await.expect(200).text;
        assert_eq!(offered.matches("name=\"url\" value=").count(), 5);
        let nasa = "https://www.nasa.gov/feed/";
        let quanta = "https://www.quantamagazine.org/feed/";
        assert!(offered.contains(nasa) && offered.contains(quanta));
        let japanese = ada.with_header("accept-language", "ja");
        assert!(japanese.get("/").await.text.contains("GIGAZINE"));

        let none = ada.form("/add/starters", &[]).await.expect(303);
        assert_eq!(none.header("location"), "/");
        assert_eq!(ada.json("/api/feeds").await, json!([]));
        let ticked = [
            ("url", nasa),
            ("url", quanta),
            ("url", "https://evil.example/feed"),
        ];
        let followed = ada.form("/add/starters", &ticked).await.expect(303);
        assert_eq!(followed.header("location"), "/");
        let feeds = ada.json("/api/feeds").await;
        let named = |at: usize| (feeds[at]["title"].as_str(), feeds[at]["url"].as_str());
        assert_eq!(named(0), (Some("Quanta Magazine"), Some(quanta)));
        assert_eq!(named(1), (Some("NASA"), Some(nasa)));
        assert_eq!(
            feeds.as_array().unwrap().len(),
            2,
            "nothing but what is offered"
        );
        let waiting = ada.get("/").await.expect(200).text;
        assert!(waiting.contains("Fetching your feeds"));
        assert!(!waiting.contains("/add/starters"));

        let ben = lede.person("ben@example.org", Role::Viewer).await;
        let offered = ben.get("/").await.expect(200).text;
        assert!(!offered.contains("/add/starters"), "viewers add nothing");
        // Feeds that are already stored can be followed by a viewer.
        let ticked = [
            ("url", nasa),
            ("url", "https://feeds.bbci.co.uk/news/world/rss.xml"),
        ];
        let followed = ben.form("/add/starters", &ticked).await.expect(303);
        let told = ben.get(followed.header("location")).await.expect(200).text;
        assert!(told.contains("BBC News"), "{told}");
        assert_eq!(ben.json("/api/feeds").await[0]["title"], "NASA");
    })
    .await;
}
