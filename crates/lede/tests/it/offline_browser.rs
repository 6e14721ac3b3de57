//! The pages besides the reading view without a network, in a real Chromium.

use lede_testkit::browser::Browser;
use serde_json::json;

use crate::browser::{PHONE, appears, follow, is_shown, lede, news, sign_in};

const NONE: Vec<String> = Vec::new();

#[tokio::test]
async fn a_page_that_is_not_cached_offline_explains_it_and_links_back() {
    let lede = lede(false).await;
    follow(&lede, news()).await;
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    page.wait_for("caches.match('/offline').then((kept) => !!kept)")
        .await
        .unwrap();
    page.wait_for(
        "caches.open('pages').then((cache) => cache.keys()).then((kept) => kept.length > 0)",
    )
    .await
    .unwrap();
    page.offline(true).await.unwrap();
    for path in [
        "/subscriptions",
        "/rules",
        "/settings",
        "/dashboard",
        "/admin",
        "/add",
    ] {
        page.goto(&lede.url(path)).await.unwrap();
        let heading = page.text("h1").await.unwrap();
        assert_eq!(heading, "Can’t reach Lede", "{path}");
    }
    for (scheme, (width, height, is_phone)) in [("light", (1440, 900, false)), ("dark", PHONE)] {
        page.set_scheme(scheme).await.unwrap();
        page.set_viewport(width, height, is_phone).await.unwrap();
        assert_eq!(page.barriers("").await.unwrap(), NONE, "{scheme}");
    }
    page.click(".actions a[href='/']").await.unwrap();
    appears(&page, ".item").await;

    page.goto(&lede.url("/rules")).await.unwrap();
    page.offline(false).await.unwrap();
    page.click(".actions a[href='']").await.unwrap();
    page.wait_for("document.querySelector('h1')?.innerText === 'Rules'")
        .await
        .unwrap();
}

#[tokio::test]
async fn what_cannot_be_sent_stays_where_it_was_typed() {
    let lede = lede(false).await;
    follow(&lede, news()).await;
    let admin = lede.admin().await;
    for name in ["Arts", "Science"] {
        let made = admin.post("/api/categories", json!({ "name": name })).await;
        made.expect(201);
    }
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    for (path, field, button) in [
        (
            "/rules",
            "#search-name",
            "form[action='/rules/searches'] button",
        ),
        (
            "/subscriptions",
            "#category-name",
            "form[action='/categories'] button",
        ),
        (
            "/settings",
            "#app-name",
            "form[action^='/settings/app-passwords'] button.primary",
        ),
    ] {
        page.goto(&lede.url(path)).await.unwrap();
        page.fill(field, "Typed").await.unwrap();
        if path == "/rules" {
            page.fill("#search-query", "newest").await.unwrap();
        }
        page.offline(true).await.unwrap();
        page.click(button).await.unwrap();
        appears(&page, ".unreachable").await;
        let said = page.text(".unreachable").await.unwrap();
        assert!(said.contains("still here"), "{said}");
        let typed = format!("document.querySelector('{field}').value");
        assert_eq!(page.eval(&typed).await.unwrap(), "Typed", "{path}");
        page.offline(false).await.unwrap();
        page.wait_for("!document.querySelector('.unreachable').textContent")
            .await
            .unwrap();
        page.click(button).await.unwrap();
        page.wait_for("!!document.querySelector('.confirmation, .secret')")
            .await
            .unwrap();
    }
    assert_eq!(admin.json("/api/searches").await[0]["name"], "Typed");
    assert_eq!(admin.json("/api/app-passwords").await[0]["name"], "Typed");

    // A request sent by htmx.
    page.goto(&lede.url("/subscriptions")).await.unwrap();
    page.offline(true).await.unwrap();
    page.click("[id^=down-c]").await.unwrap();
    appears(&page, ".unreachable").await;
    assert_eq!(page.text(".shelf h2").await.unwrap(), "Arts");
    page.offline(false).await.unwrap();
    page.click("[id^=down-c]").await.unwrap();
    page.wait_for("document.querySelector('.shelf h2').innerText === 'Science'")
        .await
        .unwrap();
    assert!(!is_shown(&page, ".unreachable:not(:empty)").await);
}
