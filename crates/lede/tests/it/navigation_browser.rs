//! Going from list to list in a real Chromium, and keys on the pages around the reader.

use http::Method;
use lede_testkit::browser::{Browser, Page};
use lede_testkit::{Reply, TestLede};
use serde_json::{Value, json};

use crate::browser::{PHONE, appears, follow, is_shown, is_sound, lede, sign_in};
use crate::reading_browser::{many, opens, press_all, reader, shown};

/// Holds responses for URLs that contain `part` until `release()` is called in the page.
async fn hold(page: &Page, part: &str) {
    let part = Value::from(part);
    let js = format!(
        "(() => {{ const real = window.realFetch ??= window.fetch, held = [];
            window.fetch = (url, options) => String(url).includes({part})
                ? new Promise((resolve) => held.push(() => resolve(real(url, options)))) : real(url, options);
            window.release = () => {{ window.fetch = real; for (const go of held) go(); }};
            window.held = held; }})()"
    );
    page.eval(&js).await.unwrap();
}

async fn is_at(page: &Page, query: &str, heading: &str) {
    let (query, heading) = (Value::from(query), Value::from(heading));
    page.wait_for(&format!(
        "location.search === {query} && document.querySelector('.list-head h1').textContent === {heading}"
    ))
    .await
    .unwrap();
}

/// Subscribes to a second feed and returns the ids of both.
pub(crate) async fn two_feeds(lede: &TestLede) -> (String, String) {
    follow(lede, many(3)).await;
    let admin = lede.admin().await;
    let other = Reply::rss("Other", &[("Another", "<p>Text.</p>")]);
    let url = lede.site.put("/other.xml", other);
    let added = admin.post("/api/feeds", json!({ "url": url })).await;
    let other = added.expect(201).json()["id"].to_string();
    let feeds = admin.json("/api/feeds").await;
    let mut feeds = feeds.as_array().unwrap().iter();
    let daily = feeds.find(|feed| feed["title"] == "Daily").unwrap();
    (daily["id"].to_string(), other)
}

#[tokio::test]
async fn a_list_is_changed_without_loading_the_page() {
    let lede = lede(false).await;
    let (daily, other) = two_feeds(&lede).await;
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    page.eval("window.isSamePage = true").await.unwrap();
    let link = |feed: &str| format!(".feed[data-feed='{feed}'] a");
    page.click(&link(&other)).await.unwrap();
    is_at(&page, &format!("?feed={other}"), "Other").await;
    assert_eq!(shown(&page).await, json!(["Another"]));
    let current = "document.querySelector('#tree [aria-current]').closest('.feed').dataset.feed";
    assert_eq!(page.eval(current).await.unwrap(), other.as_str());
    let focused = "document.activeElement.closest('.feed')?.dataset.feed";
    assert_eq!(page.eval(focused).await.unwrap(), other.as_str());
    let hint = "document.getElementById('search').placeholder";
    assert_eq!(page.eval(hint).await.unwrap(), "Search in Other");
    assert!(
        page.eval("document.title")
            .await
            .unwrap()
            .as_str()
            .unwrap()
            .ends_with("Other · Lede")
    );
    is_sound(&page, "another list").await;

    press_all(&page, &["j"]).await;
    opens(&page, "Another").await;
    page.click(&link(&daily)).await.unwrap();
    is_at(&page, &format!("?feed={daily}"), "Daily").await;
    assert!(
        !is_shown(&page, "article").await,
        "the item is of another list"
    );
    page.click(".tabs a:nth-child(2)").await.unwrap();
    is_at(&page, &format!("?feed={daily}&show=all"), "Daily").await;
    press_all(&page, &["g", "s"]).await;
    is_at(&page, "?show=starred", "Starred").await;
    assert!(!is_shown(&page, "#pane").await, "there is nothing to open");

    // Back and forward through all of it, also to an item.
    for (query, heading) in [
        (format!("?feed={daily}&show=all"), "Daily"),
        (format!("?feed={daily}"), "Daily"),
    ] {
        page.eval("history.back()").await.unwrap();
        is_at(&page, &query, heading).await;
    }
    page.eval("history.back()").await.unwrap();
    opens(&page, "Another").await;
    page.eval("history.back()").await.unwrap();
    is_at(&page, &format!("?feed={other}"), "Other").await;
    page.eval("history.go(2)").await.unwrap();
    is_at(&page, &format!("?feed={daily}"), "Daily").await;
    press_all(&page, &["j"]).await;
    opens(&page, "Item 1").await;
    assert_eq!(page.eval("window.isSamePage").await.unwrap(), true);
    is_sound(&page, "the end").await;
}

#[tokio::test]
async fn the_old_list_stays_until_the_new_one_is_there() {
    let lede = lede(false).await;
    let (daily, other) = two_feeds(&lede).await;
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    page.goto(&lede.url(&format!("/?feed={daily}")))
        .await
        .unwrap();
    let before = shown(&page).await;
    hold(&page, "/list/page").await;
    page.click(&format!(".feed[data-feed='{other}'] a"))
        .await
        .unwrap();
    appears(&page, "#main[aria-busy=true] .item").await;
    page.wait_for("getComputedStyle(document.querySelector('ol.items')).opacity === '0.5'")
        .await
        .unwrap();
    assert_eq!(shown(&page).await, before);
    // Of two requests, the second wins, whichever response comes last.
    page.click(".places a[href='/?show=starred']")
        .await
        .unwrap();
    page.wait_for("window.held.length === 2").await.unwrap();
    page.eval("release()").await.unwrap();
    is_at(&page, "?show=starred", "Starred").await;
    assert!(!is_shown(&page, "#main[aria-busy]").await);
    is_sound(&page, "the second list").await;
}

#[tokio::test]
async fn the_article_is_never_another_one_than_that_of_the_selected_row() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(9)).await;
    press_all(&page, &["j"]).await;
    opens(&page, "Item 1").await;
    hold(&page, "/view").await;
    for _ in 0..6 {
        press_all(&page, &["j"]).await;
        let js = "['.pane .article-title', '.chosen .title'].map((part) => document.querySelector(part)?.textContent.trim())";
        let titles = page.eval(js).await.unwrap();
        assert_eq!(titles[0], titles[1]);
    }
    page.eval("release()").await.unwrap();
    opens(&page, "Item 7").await;
    is_sound(&page, "after the wait").await;
}

/// Adds `count` feeds that are never fetched.
async fn fill_tree(lede: &TestLede, count: usize) {
    let outlines: String = (0..count)
        .map(|number| {
            format!(
                "<outline text=\"Feed {number:03}\" xmlUrl=\"{}\"/>",
                lede.site.url(&format!("/{number}.xml"))
            )
        })
        .collect();
    let list = format!("<opml><body>{outlines}</body></opml>");
    let xml = [("content-type", "application/xml")];
    let admin = lede.admin().await;
    let path = "/api/feeds/import-opml";
    let sent = admin.send(Method::POST, path, &xml, list.into()).await;
    sent.expect(200);
}

#[tokio::test]
async fn the_current_feed_stays_in_sight_in_a_long_tree() {
    let lede = lede(false).await;
    fill_tree(&lede, 80).await;
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    let in_sight = "(() => { const [link, tree] = ['#tree [aria-current]', '#tree'].map((one) => document.querySelector(one).getBoundingClientRect());
        return link.top >= tree.top && link.bottom <= tree.bottom; })()";
    let place = "document.getElementById('tree').scrollTop";
    page.click(".branches > .feed:nth-child(70) a")
        .await
        .unwrap();
    page.wait_for("document.querySelector('.list-head[data-feed]')")
        .await
        .unwrap();
    let before = page.eval(place).await.unwrap();
    assert!(before.as_f64() > Some(100.0));
    // Without scrolling to the link first.
    page.eval("document.querySelector('.branches > .feed:nth-child(68) a').click()")
        .await
        .unwrap();
    page.wait_for("document.querySelector('.list-head h1').textContent === 'Feed 067'")
        .await
        .unwrap();
    assert_eq!(page.eval(place).await.unwrap(), before);
    // After the page is loaded again as well.
    let here = page.url().await.unwrap();
    page.goto(&here).await.unwrap();
    assert_eq!(page.eval(in_sight).await.unwrap(), true);
}

#[tokio::test]
async fn fetching_a_feed_keeps_the_article_open_and_says_if_it_fails() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(3)).await;
    page.goto(&lede.url("/?feed=1")).await.unwrap();
    press_all(&page, &["j"]).await;
    opens(&page, "Item 1").await;
    lede.site.put("/followed.xml", many(5));
    press_all(&page, &["R"]).await;
    page.wait_for("document.querySelectorAll('.item').length === 5")
        .await
        .unwrap();
    assert!(is_shown(&page, "#pane article").await);
    assert_eq!(page.text(".chosen .title").await.unwrap(), "Item 1");
    lede.site.put("/followed.xml", Reply::status(500));
    press_all(&page, &["R"]).await;
    page.wait_for(
        "document.querySelector('.toasts').textContent.startsWith('Couldn’t fetch the feed')",
    )
    .await
    .unwrap();
    appears(&page, "#main > .caution").await;
    assert!(is_shown(&page, "#pane article").await);
}

#[tokio::test]
async fn keys_lead_from_every_page_to_the_others() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(2)).await;
    for path in [
        "/settings",
        "/subscriptions",
        "/rules",
        "/admin",
        "/dashboard",
        "/add",
    ] {
        page.goto(&lede.url(path)).await.unwrap();
        page.eval("document.activeElement.blur()").await.unwrap();
        press_all(&page, &["?"]).await;
        appears(&page, "dialog.keys").await;
        is_sound(&page, path).await;
        press_all(&page, &["?"]).await;
        page.wait_for("!document.querySelector('dialog[open]')")
            .await
            .unwrap();
        press_all(&page, &["g", "s"]).await;
        page.wait_for("location.search === '?show=starred'")
            .await
            .unwrap();
    }
    page.goto(&lede.url("/rules")).await.unwrap();
    press_all(&page, &["/"]).await;
    page.wait_for("location.pathname === '/' && document.activeElement.id === 'search'")
        .await
        .unwrap();
    page.goto(&lede.url("/settings")).await.unwrap();
    appears(&page, "#settings-search").await;
    press_all(&page, &["/"]).await;
    page.wait_for("document.activeElement.id === 'settings-search'")
        .await
        .unwrap();
}

#[tokio::test]
async fn on_a_phone_the_way_back_to_the_reader_is_always_in_sight() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(2)).await;
    let (width, height, is_phone) = PHONE;
    page.set_viewport(width, height, is_phone).await.unwrap();
    for path in ["/settings", "/admin", "/dashboard"] {
        page.goto(&lede.url(path)).await.unwrap();
        page.eval("scrollTo(0, document.body.scrollHeight)")
            .await
            .unwrap();
        let js = "(() => { const { left, right, top, bottom } = document.querySelector('.sections a[href=\"/\"]').getBoundingClientRect();
            return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight; })()";
        page.wait_for(js).await.unwrap();
    }
}
