//! Custom shortcuts and sending an item by keyboard, in a real Chromium.

use lede_testkit::browser::{Browser, Page};
use lede_testkit::{Reply, TestLede};
use serde_json::{Value, json};

use crate::browser::{PHONE, all_sent, appears, follow, is_shown, is_sound, lede, sign_in};

const NONE: Vec<String> = Vec::new();

fn three() -> Reply {
    let items = [1, 2, 3].map(|number| {
        format!("<item><title>Item {number} &amp;amp; more</title><link>https://site.example/{number}</link></item>")
    });
    let feed = format!(
        "<rss version='2.0'><channel><title>Daily</title>{}</channel></rss>",
        items.concat()
    );
    Reply::body("application/rss+xml", feed)
}

async fn reader(lede: &TestLede) -> (Browser, Page) {
    follow(lede, three()).await;
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, lede).await;
    (browser, page)
}

async fn press_all(page: &Page, keys: &[&str]) {
    for key in keys {
        page.press(key).await.unwrap();
    }
}

async fn opens(page: &Page, number: u8) {
    let js = format!(
        "document.querySelector('article[data-marked=read] .article-title')?.textContent.trim().startsWith('Item {number} ')"
    );
    page.wait_for(&js).await.unwrap();
}

async fn focused(page: &Page, js: &str) -> Value {
    page.eval(&format!("document.activeElement.{js}"))
        .await
        .unwrap()
}

#[tokio::test]
async fn a_key_that_is_changed_is_the_key_from_then_on() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede).await;
    page.goto(&lede.url("/settings")).await.unwrap();
    appears(&page, ".settings-search").await;
    // A typed key replaces the current one.
    page.click("#key-next").await.unwrap();
    press_all(&page, &["End", "x"]).await;
    assert_eq!(focused(&page, "value").await, "x");
    page.click("#key-star").await.unwrap();
    press_all(&page, &["x", "Enter"]).await;
    appears(&page, "#keyboard [role=alert]").await;
    let said = page.text("#keyboard [role=alert]").await.unwrap();
    assert_eq!(
        said,
        "The key x is used for both “next item” and “star or unstar”: choose another for one of them. Nothing changed."
    );
    assert_eq!(page.barriers("").await.unwrap(), NONE, "refused");
    page.click("#key-star").await.unwrap();
    press_all(&page, &["é", "Enter"]).await;
    appears(&page, "#keyboard [role=status]").await;

    page.goto(&lede.url("/")).await.unwrap();
    assert_eq!(
        page.text(".pane-empty").await.unwrap(),
        "Choose an item, or press x."
    );
    press_all(&page, &["j", "s", "x"]).await;
    opens(&page, 1).await;
    assert!(!is_shown(&page, ".mark-star[aria-pressed=true]").await);
    press_all(&page, &["é"]).await;
    appears(&page, ".mark-star[aria-pressed=true]").await;
    press_all(&page, &["?"]).await;
    appears(&page, "dialog.keys").await;
    let help = page.text("dialog.keys dl").await.unwrap();
    assert!(help.starts_with('x') && !help.contains('j'), "{help}");
    is_sound(&page, "the help").await;
    press_all(&page, &["?"]).await;
    page.wait_for("!document.querySelector('dialog[open]')")
        .await
        .unwrap();

    // One button resets all of them.
    page.goto(&lede.url("/settings")).await.unwrap();
    page.click("[name=defaults]").await.unwrap();
    page.wait_for("document.querySelector('#key-next')?.value === 'j'")
        .await
        .unwrap();
    assert_eq!(page.complaints().await, NONE);
}

#[tokio::test]
async fn with_keys_switched_off_no_letter_does_anything_and_the_help_says_so() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede).await;
    page.goto(&lede.url("/settings")).await.unwrap();
    appears(&page, ".settings-search").await;
    page.click("#shortcuts").await.unwrap();
    page.wait_for("document.querySelector('.settings-saved').textContent === 'Saved'")
        .await
        .unwrap();
    page.goto(&lede.url("/")).await.unwrap();
    assert_eq!(page.text(".pane-empty").await.unwrap(), "Choose an item.");
    // Enter is not a single-key shortcut: once its effect shows, all keys before it were processed.
    press_all(&page, &["j", "o", "?", "3", "g", "s", "m", "Enter"]).await;
    opens(&page, 1).await;
    assert_eq!(
        page.eval("document.documentElement.dataset.density")
            .await
            .unwrap(),
        "list"
    );
    assert!(!is_shown(&page, "dialog").await);
    assert!(!page.url().await.unwrap().contains("starred"));
    all_sent(&page).await;
    let admin = lede.admin().await;
    assert_eq!(admin.json("/api/posts?unread_only=true").await["total"], 2);
    press_all(&page, &["Escape"]).await;
    page.wait_for("!document.querySelector('article')")
        .await
        .unwrap();
    page.click("button.help").await.unwrap();
    appears(&page, "dialog.keys").await;
    assert!(
        page.text("dialog.keys")
            .await
            .unwrap()
            .contains("Single-key shortcuts are turned off.")
    );
    is_sound(&page, "the help without keys").await;
}

#[tokio::test]
async fn an_item_is_sent_by_keyboard() {
    let lede = lede(false).await;
    let services = json!([
        {"name": "Keep", "address": "https://keep.example/?u={url}&t={title}"},
        {"name": "Mail", "address": "mailto:?subject={title}&body={url}"},
        {"name": "A service with a very long name indeed", "address": "https://long.example/?u={url}"},
    ]);
    let admin = lede.admin().await;
    admin
        .patch("/api/users/me/preferences", json!({ "send_to": services }))
        .await
        .expect(200);
    let (_browser, page) = reader(&lede).await;
    // No item is open yet, so there is nothing to send.
    press_all(&page, &["e", "j"]).await;
    opens(&page, 1).await;
    assert!(!is_shown(&page, ".send ul").await);
    press_all(&page, &["e"]).await;
    appears(&page, ".send ul").await;
    assert_eq!(
        focused(&page, "href").await,
        "https://keep.example/?u=https%3A%2F%2Fsite.example%2F1&t=Item%201%20%26%20more"
    );
    is_sound(&page, "the menu").await;
    for (key, href) in [
        (
            "ArrowDown",
            "mailto:?subject=Item%201%20%26%20more&body=https%3A%2F%2Fsite.example%2F1",
        ),
        (
            "ArrowDown",
            "https://long.example/?u=https%3A%2F%2Fsite.example%2F1",
        ),
        (
            "ArrowDown",
            "https://keep.example/?u=https%3A%2F%2Fsite.example%2F1&t=Item%201%20%26%20more",
        ),
        (
            "ArrowUp",
            "https://long.example/?u=https%3A%2F%2Fsite.example%2F1",
        ),
        (
            "Shift+Tab",
            "mailto:?subject=Item%201%20%26%20more&body=https%3A%2F%2Fsite.example%2F1",
        ),
    ] {
        press_all(&page, &[key]).await;
        assert_eq!(focused(&page, "href").await, href, "{key}");
    }
    // Escape closes the menu first, then the item.
    press_all(&page, &["Escape"]).await;
    assert!(!is_shown(&page, ".send ul").await && is_shown(&page, "article").await);
    assert_eq!(focused(&page, "tagName").await, "SUMMARY");
    // The button opens the menu too.
    press_all(&page, &["Enter", "ArrowUp"]).await;
    assert_eq!(focused(&page, "host").await, "long.example");
    press_all(&page, &["Enter"]).await;
    let opened = page.opened().await.unwrap();
    assert_eq!(
        opened,
        ["https://long.example/?u=https%3A%2F%2Fsite.example%2F1"]
    );
    assert!(!is_shown(&page, ".send ul").await, "it is done");

    // On a phone by touch; a tap beside the menu closes it.
    let (width, height, is_phone) = PHONE;
    page.set_viewport(width, height, is_phone).await.unwrap();
    for scheme in ["light", "dark"] {
        page.set_scheme(scheme).await.unwrap();
        page.click(".send summary").await.unwrap();
        appears(&page, ".send ul").await;
        is_sound(&page, scheme).await;
        assert_eq!(page.barriers("").await.unwrap(), NONE, "{scheme}");
        page.click(".article-title + *").await.unwrap();
        assert!(!is_shown(&page, ".send ul").await);
    }
    press_all(&page, &["Escape"]).await;
    page.wait_for("!document.querySelector('article')")
        .await
        .unwrap();
}
