//! The settings and admin pages in a real Chromium. One engine is enough: differences between the
//! two are tested over HTTP.

use http::Method;
use lede_store::Engine;
use lede_testkit::browser::{Browser, Page};
use lede_testkit::{ADMIN, Options, PASSWORD, Reply, TestLede};
use serde_json::{Value, json};

const NONE: Vec<String> = Vec::new();

async fn start() -> (TestLede, Browser, Page) {
    let lede = TestLede::start(Engine::Sqlite, Options::default()).await;
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    page.goto(&lede.url("/auth/login?next=/settings"))
        .await
        .unwrap();
    page.fill("#email", ADMIN).await.unwrap();
    page.fill("#password", PASSWORD).await.unwrap();
    page.press("Enter").await.unwrap();
    until(
        &page,
        "document.querySelector('.settings-search:not([hidden])')",
    )
    .await;
    (lede, browser, page)
}

async fn until(page: &Page, js: &str) {
    let js = format!("!!({js})");
    page.wait_for(&js).await.unwrap();
}

/// Selects a value and dispatches the event that a user's choice causes.
async fn choose(page: &Page, name: &str, value: &str) {
    let js = format!(
        "(() => {{ const list = document.getElementById({}); list.value = {};
         list.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()",
        Value::from(name),
        Value::from(value)
    );
    page.eval(&js).await.unwrap();
}

#[tokio::test]
async fn what_is_changed_is_saved_and_seen_at_once() {
    let (lede, _browser, page) = start().await;
    choose(&page, "theme", "dark").await;
    until(
        &page,
        "document.querySelector('.settings-saved').textContent === 'Saved'",
    )
    .await;
    choose(&page, "text_size", "22").await;
    until(
        &page,
        "getComputedStyle(document.querySelector('.preview')).fontSize === '22px'",
    )
    .await;
    page.click("#wrap_code").await.unwrap();
    until(
        &page,
        "document.documentElement.hasAttribute('data-wrap-code')",
    )
    .await;
    let admin = lede.admin().await;
    until(
        &page,
        "document.querySelector('.settings-saved').textContent === 'Saved'",
    )
    .await;
    let kept = admin.json("/api/users/me/preferences").await;
    assert_eq!(kept["theme"], "dark");
    assert_eq!(kept["text_size"], 22);

    // A value that cannot be saved is reverted, and the page says so.
    page.offline(true).await.unwrap();
    choose(&page, "font", "sans").await;
    until(&page, "document.querySelector('.settings-saved.failed')").await;
    let shown = page
        .eval("[document.getElementById('font').value, document.documentElement.dataset.font]")
        .await
        .unwrap();
    assert_eq!(shown, json!(["serif", "serif"]));
    page.offline(false).await.unwrap();

    choose(&page, "language", "ja").await;
    until(&page, "document.documentElement.lang === 'ja'").await;
    assert_eq!(page.text("h1").await.unwrap(), "設定");
}

#[tokio::test]
async fn exact_times_are_the_readers_own() {
    let (_lede, _browser, page) = start().await;
    let js = "[...document.querySelectorAll('time[data-exact]')].length > 0 && \
              [...document.querySelectorAll('time[data-exact]')].every((time) => !time.textContent.includes('UTC'))";
    until(&page, js).await;
}

#[tokio::test]
async fn a_setting_is_found_by_typing() {
    let (_lede, _browser, page) = start().await;
    let seen = "[...document.querySelectorAll('.part')].filter((part) => part.checkVisibility()).map((part) => part.id)";
    page.fill("#settings-search", "line LENGTH").await.unwrap();
    assert_eq!(page.eval(seen).await.unwrap(), json!(["articles"]));
    page.fill("#settings-search", "opml").await.unwrap();
    assert_eq!(page.eval(seen).await.unwrap(), json!(["data"]));
    page.fill("#settings-search", "submarine").await.unwrap();
    assert_eq!(page.eval(seen).await.unwrap(), json!([]));
    assert!(
        page.text("#settings-none")
            .await
            .unwrap()
            .contains("Try another word")
    );
    page.fill("#settings-search", "").await.unwrap();
    let parts = page.eval(seen).await.unwrap();
    assert_eq!(parts.as_array().unwrap().len(), 11);
    assert_eq!(page.complaints().await, NONE);
}

#[tokio::test]
async fn every_page_is_sound_in_both_themes_at_every_width() {
    let (lede, _browser, page) = start().await;
    let admin = lede.admin().await;
    let _ = lede
        .person("ben@example.org", lede_model::user::Role::Member)
        .await;
    let url = lede
        .site
        .put("/daily.xml", Reply::rss("Daily", &[("One", "x")]));
    admin
        .post("/api/feeds", json!({ "url": url }))
        .await
        .expect(201);
    admin
        .post("/api/app-passwords", json!({"name": "Phone"}))
        .await
        .expect(201);
    let service = json!({"name": "Keep", "address": "https://keep.example/?u={url}"});
    let preferences = json!({"send_to": [service], "keys": {"undo": null}});
    let path = "/api/users/me/preferences";
    admin.patch(path, preferences).await.expect(200);
    let _ = lede.browser().await;
    lede_core::maintenance::retention::clean_up(&lede.lede)
        .await
        .unwrap();
    for (scheme, language, (width, height, is_phone)) in [
        ("light", "en", (1440, 900, false)),
        ("dark", "ja", (1440, 900, false)),
        ("dark", "pt", (360, 740, true)),
        ("light", "ja", (360, 740, true)),
        // Size in CSS pixels of a desktop window at 200 %.
        ("light", "en", (720, 450, false)),
    ] {
        page.set_scheme(scheme).await.unwrap();
        page.set_viewport(width, height, is_phone).await.unwrap();
        let chosen = json!({ "language": language }).to_string().into_bytes();
        let json = [("content-type", "application/json")];
        admin
            .send(Method::PATCH, "/api/users/me/preferences", &json, chosen)
            .await
            .expect(200);
        for path in [
            "/settings",
            "/admin",
            "/admin/users",
            "/admin/feeds",
            "/admin/status",
        ] {
            let name = format!("{path}, {scheme}, {language}, {width} wide");
            page.goto(&lede.url(path)).await.unwrap();
            page.eval("for (const one of document.querySelectorAll('details')) one.open = true")
                .await
                .unwrap();
            let is_wide = "document.documentElement.scrollWidth > innerWidth";
            assert_eq!(page.eval(is_wide).await.unwrap(), false, "{name}");
            assert_eq!(page.barriers("").await.unwrap(), NONE, "{name}");
            assert_eq!(page.complaints().await, NONE, "{name}");
        }
    }
}

#[tokio::test]
async fn a_feed_is_switched_off_where_it_stands() {
    let (lede, _browser, page) = start().await;
    let admin = lede.admin().await;
    let url = lede
        .site
        .put("/daily.xml", Reply::rss("Daily", &[("One", "x")]));
    admin
        .post("/api/feeds", json!({ "url": url }))
        .await
        .expect(201);
    page.goto(&lede.url("/admin/feeds")).await.unwrap();
    page.click("form[action$='/disable'] button").await.unwrap();
    until(&page, "document.querySelector(\"form[action$='/enable']\")").await;
    assert_eq!(
        page.text("li.feed [role=status]").await.unwrap(),
        "Disabled."
    );
    page.click("form[action$='/enable'] button").await.unwrap();
    until(&page, "document.querySelector(\"form[action$='/retry']\")").await;
    page.click("form[action$='/retry'] button").await.unwrap();
    until(
        &page,
        "document.querySelector('li.feed [role=status]').textContent.startsWith('Fetched')",
    )
    .await;
    assert_eq!(page.complaints().await, NONE);
}

#[tokio::test]
async fn a_style_sheet_of_ones_own_changes_the_reading_view_and_can_be_taken_back() {
    let (lede, _browser, page) = start().await;
    let colour = "getComputedStyle(document.querySelector('h1')).color";
    let save = async |text: &str| {
        page.goto(&lede.url("/settings")).await.unwrap();
        page.eval("document.querySelector('.own-style').open = true")
            .await
            .unwrap();
        page.fill("#style_sheet", text).await.unwrap();
        page.click(".own-style button").await.unwrap();
        until(&page, "location.search === '?done=style'").await;
        until(&page, "document.querySelector('#looks .confirmation')").await;
    };
    save("h1 { color: rgb(1, 2, 3) } body { background: url(https://evil.example/x) }").await;
    assert_ne!(page.eval(colour).await.unwrap(), "rgb(1, 2, 3)");
    assert_eq!(page.barriers("").await.unwrap(), NONE);
    assert_eq!(page.complaints().await, NONE);
    page.goto(&lede.url("/")).await.unwrap();
    assert_eq!(page.eval(colour).await.unwrap(), "rgb(1, 2, 3)");
    let complaints = page.complaints().await.join(" ");
    assert!(complaints.contains("evil.example"), "refused: {complaints}");
    save("h1 { color: rgb(4, 5, 6) }").await;
    page.goto(&lede.url("/dashboard")).await.unwrap();
    assert_eq!(page.eval(colour).await.unwrap(), "rgb(4, 5, 6)");
    save("").await;
    page.goto(&lede.url("/")).await.unwrap();
    assert_ne!(page.eval(colour).await.unwrap(), "rgb(4, 5, 6)");
}
