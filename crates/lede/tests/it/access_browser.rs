//! A feed behind a password in a real Chromium: from the refused address to the first item read.

use lede_store::Engine;
use lede_testkit::browser::Browser;
use lede_testkit::{ADMIN, Options, PASSWORD, Reply, TestLede};
use serde_json::json;

use crate::browser::appears;

const NONE: Vec<String> = Vec::new();

#[tokio::test]
async fn a_site_that_wants_a_password_is_followed_and_read() {
    let lede = TestLede::start(Engine::Sqlite, Options::default()).await;
    let news = Reply::rss(
        "Members' news",
        &[("For members only", "<p>hidden gold</p>")],
    );
    let url = lede
        .site
        .put("/feed.xml", news.clone().behind("ada", "s3cret"));
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    page.goto(&lede.url("/auth/login")).await.unwrap();
    page.fill("#email", ADMIN).await.unwrap();
    page.fill("#password", PASSWORD).await.unwrap();
    page.press("Enter").await.unwrap();
    page.wait_for("location.pathname === '/'").await.unwrap();

    // A password in the address stays out of the browser history.
    page.goto(&lede.url("/add")).await.unwrap();
    let wrong = url.replace("http://", "http://ada:wrong-one@");
    page.fill("#url", &wrong).await.unwrap();
    page.press("Enter").await.unwrap();
    appears(&page, "#result .error").await;
    appears(&page, "#access-password").await;
    page.wait_for("document.activeElement?.id === 'access-username'")
        .await
        .unwrap();
    let typed = page.eval("document.querySelector('#url').value").await;
    assert_eq!(typed.unwrap(), json!(url));
    assert!(!page.url().await.unwrap().contains("wrong-one"));
    assert_eq!(page.barriers("").await.unwrap(), NONE);

    page.fill("#access-username", "ada").await.unwrap();
    page.fill("#access-password", "s3cret").await.unwrap();
    page.press("Enter").await.unwrap();
    appears(&page, "#preview h2").await;
    assert_eq!(page.text("#preview h2").await.unwrap(), "Members' news");
    assert_eq!(page.barriers("").await.unwrap(), NONE);
    page.click(".found button").await.unwrap();
    page.wait_for("location.search.startsWith('?feed=')")
        .await
        .unwrap();
    appears(&page, "[data-item] a, .row a").await;
    page.click("[data-item] a, .row a").await.unwrap();
    page.wait_for("document.body.innerText.includes('hidden gold')")
        .await
        .unwrap();

    // The feed's page: first another password, then none.
    let reader = lede.admin().await;
    let id = reader.json("/api/feeds").await[0]["id"].clone();
    lede.site.put("/feed.xml", news.behind("ada", "changed"));
    reader
        .post(&format!("/api/feeds/{id}/refresh"), json!({}))
        .await
        .expect(200);
    page.goto(&lede.url(&format!("/feeds/{id}"))).await.unwrap();
    assert_eq!(page.barriers("").await.unwrap(), NONE);
    page.click("a[href='#access']").await.unwrap();
    page.fill("#access-password", "changed").await.unwrap();
    page.press("Enter").await.unwrap();
    page.wait_for("location.search === '?done=access'")
        .await
        .unwrap();
    appears(&page, ".confirmation").await;
    assert_eq!(page.barriers("").await.unwrap(), NONE);
    page.click("form[action$='/access/forget'] button")
        .await
        .unwrap();
    page.wait_for("location.search === '?done=access-forgotten'")
        .await
        .unwrap();
}
