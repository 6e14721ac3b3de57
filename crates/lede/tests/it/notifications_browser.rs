//! The bell in a real Chromium. One engine is enough: differences between the two are tested over HTTP.

use lede_core::worker;
use lede_testkit::TestLede;
use lede_testkit::browser::{Browser, Page};
use lede_testkit::http::Http;
use serde_json::{Value, json};

use crate::browser::{DESKTOP, PHONE, all_sent, appears, is_shown, is_sound, lede, sign_in};
use crate::rules::{publish, rule};
use crate::searches::follow;

const NONE: Vec<String> = Vec::new();
const BELL: &str = ".bell > button";
const COUNT: &str =
    "document.querySelector('.bell-count:not([hidden])')?.firstElementChild.textContent";

/// Starts a server whose admin follows a feed and is notified of everything new in it.
async fn notified() -> (TestLede, Http, Value) {
    let lede = lede(false).await;
    let ada = lede.admin().await;
    let feed = follow(&lede, &ada, &[("Old", "x")]).await;
    let all = json!({"name": "All", "feed_id": feed, "actions": {"notify": true}});
    rule(&ada, all).await;
    (lede, ada, feed)
}

/// Publishes these items and delivers the notifications.
async fn deliver(lede: &TestLede, ada: &Http, feed: &Value, titles: &[&str]) {
    let items: Vec<(&str, &str)> = titles.iter().map(|title| (*title, "text")).collect();
    publish(lede, ada, feed, &items).await;
    worker::run_queues(&lede.lede).await.unwrap();
}

/// Waits until the bell shows this number, and the connection that keeps it current is open.
async fn counts(page: &Page, count: &str) {
    page.wait_for(&format!("{COUNT} === '{count}'"))
        .await
        .unwrap();
}

#[tokio::test]
async fn the_bell_counts_live_opens_an_item_and_marks_all_as_read() {
    let (lede, ada, feed) = notified().await;
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    page.wait_for("!!document.querySelector('.news[data-listens]')")
        .await
        .unwrap();
    assert!(!is_shown(&page, ".bell-count").await);
    page.click(BELL).await.unwrap();
    appears(&page, ".bell-empty").await;
    is_sound(&page, "no notification").await;
    assert_eq!(page.barriers("").await.unwrap(), NONE, "no notification");
    page.press("Escape").await.unwrap();
    page.wait_for("!document.querySelector('.bell-list').checkVisibility()")
        .await
        .unwrap();

    deliver(&lede, &ada, &feed, &["Two", "One"]).await;
    counts(&page, "2").await;
    appears(&page, ".toast a").await;
    // The focus is on the bell; the list follows it in the order of the keyboard.
    page.press("Enter").await.unwrap();
    appears(&page, ".bell-items li").await;
    let titles = "JSON.stringify([...document.querySelectorAll('.bell-items .title')].map((title) => title.textContent))";
    assert_eq!(page.eval(titles).await.unwrap(), r#"["Two","One"]"#);
    assert!(
        page.text(".bell-items .meta")
            .await
            .unwrap()
            .contains("News")
    );
    is_sound(&page, "two notifications").await;
    assert_eq!(page.barriers("").await.unwrap(), NONE, "two notifications");

    // The open list follows what happens.
    deliver(&lede, &ada, &feed, &["Three"]).await;
    page.wait_for("document.querySelectorAll('.bell-items li').length === 3")
        .await
        .unwrap();
    counts(&page, "3").await;
    page.press("Tab").await.unwrap();
    assert_eq!(
        page.eval("document.activeElement.className").await.unwrap(),
        "read-all"
    );
    page.press("Tab").await.unwrap();
    page.press("Enter").await.unwrap();
    page.wait_for("/^\\/items\\/\\d+$/.test(location.pathname)")
        .await
        .unwrap();
    appears(&page, "article").await;
    assert_eq!(page.text("h1").await.unwrap().trim(), "Three");
    counts(&page, "2").await;
    all_sent(&page).await;

    // Every page has the bell.
    page.goto(&lede.url("/settings")).await.unwrap();
    counts(&page, "2").await;
    for size in [DESKTOP, PHONE] {
        page.set_viewport(size.0, size.1, size.2).await.unwrap();
        page.click(BELL).await.unwrap();
        appears(&page, ".bell-items li").await;
        is_sound(&page, "the settings").await;
        page.press("Escape").await.unwrap();
    }
    deliver(&lede, &ada, &feed, &["Four"]).await;
    counts(&page, "3").await;
    page.click(BELL).await.unwrap();
    page.click(".bell-list .read-all").await.unwrap();
    page.wait_for("document.querySelector('.bell-count').hidden")
        .await
        .unwrap();
    page.wait_for("!document.querySelector('.bell-items [data-unread]')")
        .await
        .unwrap();
    assert_eq!(ada.json("/api/notifications").await["unread_count"], 0);
    assert_eq!(
        ada.json("/api/feeds").await[0]["unread_count"],
        4,
        "the items stay unread"
    );
}

#[tokio::test]
async fn the_browser_shows_notifications_only_after_the_user_allowed_them() {
    let (lede, ada, feed) = notified().await;
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    page.set_notifications(false).await.unwrap();
    sign_in(&page, &lede).await;
    page.click(BELL).await.unwrap();
    appears(&page, ".bell-list [data-permission=denied]").await;
    assert!(!is_shown(&page, ".bell-list .allow-notifications").await);

    page.set_notifications(true).await.unwrap();
    page.goto(&lede.url("/settings")).await.unwrap();
    appears(&page, "#notify [data-permission=granted]").await;
    page.goto(&lede.url("/")).await.unwrap();
    page.wait_for("!!document.querySelector('.news[data-listens]')")
        .await
        .unwrap();
    let other = browser.page_beside(&page).await.unwrap();
    other.goto(&lede.url("/")).await.unwrap();
    other
        .wait_for("!!document.querySelector('.news[data-listens]')")
        .await
        .unwrap();
    deliver(&lede, &ada, &feed, &["Two", "One"]).await;
    counts(&other, "2").await;
    let shown =
        "navigator.serviceWorker.ready.then((worker) => worker.getNotifications()).then((all) =>
        all.map(({ title, body }) => `${title} of ${body}`).sort().join())";
    let both = "One of News,Two of News";
    other
        .wait_for(&format!("await ({shown}) === '{both}'"))
        .await
        .unwrap();
    assert!(!is_shown(&other, ".toast").await);
}
