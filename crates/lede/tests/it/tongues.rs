//! What is kept in English is told to people in the language that they chose, and to programs as it is.

use std::time::Duration;

use lede_core::housekeeping::health;
use lede_testkit::http::{Answer, Http};
use lede_testkit::{Options, Reply, TestLede, on_each_engine, on_each_engine_with};
use serde_json::{Value, json};

const HOUR: Duration = Duration::from_secs(3600);
const MIB: u64 = 1024 * 1024;

/// `ada`, who reads Japanese or Portuguese whatever her browser says.
async fn speaks(ada: &Http, language: &str) -> Http {
    let chosen = json!({ "language": language });
    let path = "/api/users/me/preferences";
    ada.patch(path, chosen).await.expect(200);
    ada.with_header("accept-language", "en")
}

async fn follow(lede: &TestLede, ada: &Http) -> Value {
    let news = Reply::rss("Daily", &[("One", "Words.")]);
    let url = lede.site.put("/feed.xml", news);
    let added = ada.post("/api/feeds", json!({ "url": url })).await;
    added.expect(201).json()["id"].clone()
}

fn says(page: &Answer, words: &[&str]) {
    for words in words {
        assert!(page.text.contains(words), "{words}: {}", page.text);
    }
}

#[tokio::test]
async fn a_feed_that_fails_says_why_in_its_readers_language() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = follow(&lede, &ada).await;
        lede.site.put("/feed.xml", Reply::status(503));
        lede.clock.advance(2 * HOUR);
        lede.work().await;
        for (language, cause, plan) in [
            (
                "ja",
                "サーバーの応答は「503 Service Unavailable」でした。",
                "1回失敗しました。",
            ),
            (
                "pt",
                "servidor respondeu 503 Service Unavailable",
                "falhou uma vez; a espera cresce",
            ),
        ] {
            let ada = speaks(&ada, language).await;
            let page = ada.get(&format!("/feeds/{feed}")).await.expect(200);
            says(&page, &[cause, plan]);
            let page = ada.get("/admin/feeds?show=trouble").await.expect(200);
            says(&page, &[cause, plan]);
            for path in ["/", "/feeds", "/admin"] {
                let page = ada.get(path).await.expect(200);
                says(&page, &[cause]);
                assert!(!page.text.contains("the server answered"), "{path}");
            }
            let shown = ada.json(&format!("/api/feeds/{feed}")).await;
            let kept = "the server answered 503 Service Unavailable";
            assert_eq!(shown["last_error"], kept);
            assert_eq!(shown["next_fetch_why"], "failure 1 in a row");
        }
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_followed_says_why_in_the_readers_language() {
    let options = Options {
        max_subscriptions: 1,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let ada = lede.admin().await;
        follow(&lede, &ada).await;
        let broken = lede.site.put("/broken", Reply::status(500));
        let list = lede.site.url("/other.xml");
        let list = format!(
            r#"<opml version="2.0"><body><outline xmlUrl="{list}"/><outline xmlUrl="ftp://x.org/"/></body></opml>"#
        );
        for (language, failure, full, scheme) in [
            (
                "ja",
                "サーバーの応答は「500 Internal Server Error」でした。",
                "上限の1件に達しています",
                "（「ftp:」は開けません）",
            ),
            (
                "pt",
                "O servidor respondeu 500 Internal Server Error.",
                "você segue um feed, que é o limite aqui",
                "só endereços http e https podem ser seguidos, não ftp:",
            ),
        ] {
            let ada = speaks(&ada, language).await;
            let page = ada.form("/add", &[("url", &broken)]).await.expect(422);
            says(&page, &[failure]);
            let xml = [("content-type", "application/xml")];
            let body = list.clone().into_bytes();
            let sent = ada.send(http::Method::POST, "/api/feeds/import-opml", &xml, body);
            let import = sent.await.expect(200).json()["id"].clone();
            let page = ada.get(&format!("/imports/{import}")).await.expect(200);
            says(&page, &[full, scheme]);
        }
    })
    .await;
}

#[tokio::test]
async fn a_health_warning_is_told_in_the_readers_language() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        lede.disk.leave(60 * MIB);
        health::check(&lede.lede, lede.clock.now()).await;
        for (language, warning) in [
            ("ja", "ディスクの空きが少ないため（残り60 MB）"),
            ("pt", "O disco está quase cheio (60 MB livres)"),
        ] {
            let ada = speaks(&ada, language).await;
            for path in ["/", "/admin/status"] {
                let page = ada.get(path).await.expect(200);
                says(&page, &[warning]);
                assert!(!page.text.contains("nearly full"), "{path}");
            }
            let status = ada.json("/api/status").await;
            let kept = status["health_warning"].as_str().unwrap();
            assert!(kept.starts_with("The disk is nearly full (60 MB are free)"));
        }
    })
    .await;
}

#[tokio::test]
async fn what_a_pages_script_is_refused_is_told_in_the_pages_language() {
    on_each_engine(async |lede: TestLede| {
        let program = lede.admin().await;
        let browser = lede.browser().await;
        let token = browser.get("/settings").await.csrf_token();
        let script = browser.with_header("x-csrf-token", &token);
        let broken = lede.site.put("/broken", Reply::status(500));
        for (language, absent, action, failure) in [
            (
                "ja",
                "見つかりませんでした。",
                "削除された可能性があります。一覧に戻ってください。",
                "サーバーの応答は「500 Internal Server Error」でした。",
            ),
            (
                "pt",
                "O que você pediu não foi encontrado.",
                "Pode ter sido removido; volte à lista.",
                "O servidor respondeu 500 Internal Server Error.",
            ),
        ] {
            speaks(&program, language).await;
            let ada = script.with_header("accept-language", "en");
            let refused = ada.delete("/api/feeds/999").await.expect(404).json();
            assert_eq!(refused["code"], "not_found");
            assert_eq!(refused["error"], absent);
            assert_eq!(refused["message"], absent);
            assert_eq!(refused["action"], action);
            let refused = ada.post("/api/feeds", json!({ "url": broken })).await;
            let refused = refused.expect(422);
            assert_eq!(refused.json()["message"], failure);
            assert!(refused.header("content-type").contains("json"));

            // The same for whoever sends a form.
            let person = ada.with_header("accept", "text/html");
            let page = person.form("/feeds/x/refresh", &[]).await.expect(400);
            assert!(
                page.text.contains(&format!("lang=\"{language}")),
                "{}",
                page.text
            );
        }

        // A token is a program's; and whoever chose nothing is asked by the browser.
        let japanese = program.with_header("accept-language", "ja");
        for program in [&program, &japanese] {
            let refused = program.delete("/api/feeds/999").await.expect(404).json();
            assert_eq!(refused["message"], "The feed was not found.");
        }
        let path = "/api/users/me/preferences";
        let nothing = json!({ "language": null });
        program.patch(path, nothing).await.expect(200);
        for (accepted, message) in [
            ("ja", "見つかりませんでした。"),
            ("en", "The feed was not found."),
        ] {
            let ada = script.with_header("accept-language", accepted);
            let refused = ada.delete("/api/feeds/999").await.expect(404).json();
            assert_eq!(refused["message"], message);
        }
    })
    .await;
}
