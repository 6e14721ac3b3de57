//! File uploads with forms, as browsers without script send them.

use http::Method;
use lede_testkit::http::{Answer, Http};
use lede_testkit::{TestLede, on_each_engine};
use serde_json::json;

const LIST: &str =
    "<opml><body><outline text=\"One\" xmlUrl=\"https://one.example.org/feed\"/></body></opml>";
const OPML: &str = "/subscriptions/import";
pub(crate) const TAKEOUT: &str = "/settings/import";

fn field(name: &str, value: &str) -> String {
    format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
}

pub(crate) fn file(content: &str) -> String {
    format!(
        "--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n{content}\r\n"
    )
}

pub(crate) async fn send(browser: &Http, path: &str, fields: &[String]) -> Answer {
    let form = [("content-type", "multipart/form-data; boundary=edge")];
    let body = format!("{}--edge--\r\n", fields.concat());
    browser
        .send(Method::POST, path, &form, body.into_bytes())
        .await
}

/// The form field with the CSRF token of a page.
pub(crate) async fn token(browser: &Http, page: &str) -> String {
    field("csrf_token", &browser.get(page).await.csrf_token())
}

#[tokio::test]
async fn a_subscription_list_is_taken_in_from_a_form() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let page = browser.get("/subscriptions").await.expect(200).text;
        let form = page
            .find("<form class=\"form\" id=\"import-form\"")
            .unwrap();
        let form = &page[form..];
        assert!(form.contains("enctype=\"multipart/form-data\""));
        let place = |words: &str| form.find(words).unwrap();
        assert!(place("name=\"csrf_token\"") < place("name=\"file\""));

        let token = token(&browser, "/subscriptions").await;
        let sent = send(&browser, OPML, &[token.clone(), file(LIST)]).await;
        assert!(sent.expect(303).header("location").starts_with("/imports/"));
        let feeds = lede.admin().await.json("/api/feeds").await;
        assert_eq!(feeds[0]["url"], "https://one.example.org/feed");

        // A large file arrives in many chunks, and one that is too large is refused.
        let long = LIST.replace("<body>", &format!("<body>{}", " ".repeat(3_000_000)));
        let sent = send(&browser, OPML, &[token.clone(), file(&long)]).await;
        sent.expect(303);
        let too_long = "x".repeat(11 * 1024 * 1024);
        let sent = send(&browser, OPML, &[token, file(&too_long)]).await;
        sent.expect(413);
    })
    .await;
}

#[tokio::test]
async fn a_form_with_a_file_needs_its_token_before_the_file() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let right = token(&browser, "/subscriptions").await;
        let other = lede.visitor().get("/auth/login").await.csrf_token();
        for (path, content) in [(OPML, LIST), (TAKEOUT, "{}")] {
            for fields in [
                vec![file(content)],
                vec![file(content), right.clone()],
                vec![field("other", "x"), right.clone(), file(content)],
                vec![field("csrf_token", ""), file(content)],
                vec![field("csrf_token", &other), file(content)],
                vec![field("csrf_token", &"x".repeat(100_000)), file(content)],
                vec![format!("{}{right}", " ".repeat(5000)), file(content)],
            ] {
                let refused = send(&browser, path, &fields).await;
                assert_eq!(refused.status.as_u16(), 403, "{path} {:.200}", fields[0]);
            }
            let elsewhere = browser
                .copied()
                .with_header("origin", "https://evil.example");
            let fields = [right.clone(), file(content)];
            send(&elsewhere, path, &fields).await.expect(403);
            let stranger = lede.visitor();
            let refused = send(&stranger, path, &fields).await;
            assert_eq!(
                refused.expect(303).header("location").split('?').next(),
                Some("/auth/login")
            );
        }
        assert_eq!(lede.admin().await.json("/api/feeds").await, json!([]));
    })
    .await;
}

#[tokio::test]
async fn a_take_out_is_imported_from_a_form() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let made = ada.post("/api/categories", json!({"name": "Papers"})).await;
        let category = made.expect(201).json()["id"].clone();
        let whole = ada.get("/api/users/me/export").await.expect(200).text;
        let gone = format!("/api/categories/{category}");
        ada.delete(&gone).await.expect(204);

        let browser = lede.browser().await;
        let token = token(&browser, "/settings").await;
        let sent = send(&browser, TAKEOUT, &[token.clone(), file(&whole)]).await;
        assert_eq!(
            sent.expect(303).header("location"),
            "/settings?done=import#data"
        );
        let said = browser.get("/settings?done=import").await.expect(200).text;
        assert!(said.contains("Everything was imported."));
        assert_eq!(ada.json("/api/categories").await[0]["name"], "Papers");

        for wrong in ["", "none", "{}"] {
            let refused = send(&browser, TAKEOUT, &[token.clone(), file(wrong)]).await;
            let refused = refused.expect(400).text;
            assert!(refused.contains("role=\"alert\""), "{wrong}");
        }
        send(&browser, TAKEOUT, &[token]).await.expect(400);
    })
    .await;
}
