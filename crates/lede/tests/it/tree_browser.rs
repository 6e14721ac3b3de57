//! The menu of the tree and marking parts of a list, in a real Chromium.

use lede_testkit::TestLede;
use lede_testkit::browser::{Browser, Page};
use lede_testkit::http::Http;
use serde_json::{Value, json};

use crate::browser::{all_sent, appears, is_shown, is_sound, lede, sign_in};
use crate::navigation_browser::two_feeds;
use crate::reading_browser::{counts, many, press_all, reader, shown};

/// Opens the menu of an entry by right click.
async fn right_click(page: &Page, selector: &str) {
    let selector = Value::from(selector);
    page.eval(&format!(
        "(() => {{ const entry = document.querySelector({selector});
            const {{ x, y }} = entry.getBoundingClientRect();
            entry.dispatchEvent(new MouseEvent('contextmenu',
                {{ bubbles: true, cancelable: true, button: 2, clientX: x + 20, clientY: y + 5 }})); }})()"
    ))
    .await
    .unwrap();
    appears(page, "#tree-menu").await;
}

/// A touch that begins, moves by `by` and ends, or does not.
async fn touch(page: &Page, selector: &str, by: i32, ends: bool) {
    let selector = Value::from(selector);
    page.eval(&format!(
        "(() => {{ const target = document.querySelector({selector});
            const {{ x, y, height }} = target.getBoundingClientRect();
            const at = (by) => [new Touch({{ identifier: 1, target, clientX: x + 150 + by, clientY: y + height / 2 }})];
            const send = (type, touches, changedTouches) => target.dispatchEvent(
                new TouchEvent(type, {{ bubbles: true, cancelable: true, touches, changedTouches }}));
            send('touchstart', at(0), at(0));
            if ({by}) send('touchmove', at({by}), at({by}));
            if ({ends}) send('touchend', [], at({by})); }})()"
    ))
    .await
    .unwrap();
}

async fn subscription(admin: &Http, feed: &str) -> Option<Value> {
    let feed: i64 = feed.parse().unwrap();
    let all = admin.json("/api/subscriptions").await;
    let mut all = all.as_array().unwrap().iter();
    all.find(|one| one["feed_id"] == feed).cloned()
}

async fn toasted(page: &Page, text: &str) {
    let text = Value::from(text);
    page.wait_for(&format!(
        "document.querySelector('.toasts').innerText.includes({text})"
    ))
    .await
    .unwrap();
}

#[tokio::test]
async fn entries_of_the_tree_have_a_menu_by_mouse_touch_and_key() {
    let lede = lede(false).await;
    let admin = lede.admin().await;
    let (daily, other) = two_feeds(&lede).await;
    let made = admin
        .post("/api/categories", json!({"name": "Science"}))
        .await;
    let category = made.expect(201).json()["id"].to_string();
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    let row = |feed: &str| format!(".feed[data-feed='{feed}'] a");

    right_click(&page, &row(&daily)).await;
    is_sound(&page, "the menu of a feed").await;
    press_all(&page, &["ArrowDown", "Escape"]).await;
    assert!(!is_shown(&page, "#tree-menu").await);
    let focused = "document.activeElement.closest('.feed')?.dataset.feed";
    assert_eq!(page.eval(focused).await.unwrap(), daily.as_str());
    press_all(&page, &["Shift+F10", "Enter"]).await;
    toasted(&page, "3 items marked read").await;
    counts(&page, 1).await;

    right_click(&page, &row(&other)).await;
    page.click("[data-do=pause]").await.unwrap();
    toasted(&page, "“Other” is paused").await;
    assert_eq!(subscription(&admin, &other).await.unwrap()["paused"], true);
    right_click(&page, &row(&other)).await;
    assert!(!is_shown(&page, "[data-do=pause]").await);
    page.click("[data-do=resume]").await.unwrap();
    toasted(&page, "“Other” is fetched again").await;
    assert_eq!(subscription(&admin, &other).await.unwrap()["paused"], false);

    touch(&page, &row(&other), 0, false).await;
    appears(&page, "#tree-menu").await;
    page.click("[data-do=move]").await.unwrap();
    page.click("[data-step=move] button").await.unwrap();
    toasted(&page, "Moved").await;
    assert_eq!(
        subscription(&admin, &other).await.unwrap()["category_id"].to_string(),
        category
    );
    page.wait_for(&format!(
        "!!document.querySelector('.branch[data-category=\"{category}\"] .feed[data-feed=\"{other}\"]')"
    ))
    .await
    .unwrap();

    right_click(
        &page,
        &format!(".branch[data-category='{category}'] .branch-row a"),
    )
    .await;
    assert!(!is_shown(&page, "#tree-menu [data-do=ask]").await);
    let settings = page.eval("document.querySelector('#tree-menu a').pathname");
    assert_eq!(
        settings.await.unwrap(),
        format!("/categories/{category}").as_str()
    );
    page.click("[data-do=refresh]").await.unwrap();

    right_click(&page, &row(&other)).await;
    page.click("[data-do=ask]").await.unwrap();
    page.click("[data-do=unsubscribe]").await.unwrap();
    toasted(&page, "Unsubscribed from “Other”").await;
    assert!(!is_shown(&page, &row(&other)).await);
    assert!(subscription(&admin, &other).await.is_none());
    is_sound(&page, "after the menu").await;
}

async fn titles_of_unread(lede: &TestLede) -> Vec<String> {
    let admin = lede.admin().await;
    let page = admin.json("/api/posts?unread_only=true").await;
    let posts = page["posts"].as_array().unwrap().iter();
    let titles = posts.map(|post| post["title"].as_str().unwrap().to_owned());
    titles.collect()
}

#[tokio::test]
async fn items_above_and_below_one_and_old_ones_are_marked_read() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(6)).await;
    let row = "ol.items > .item:nth-child(3)";
    let hover = |row: &str| {
        format!(
            "document.querySelector('{row} .row').dispatchEvent(new PointerEvent('pointerover', {{ bubbles: true }}))"
        )
    };
    page.eval(&hover(row)).await.unwrap();
    page.eval(&format!(
        "document.querySelector('{row} .row-actions .mark-above').click()"
    ))
    .await
    .unwrap();
    toasted(&page, "2 items marked read").await;
    counts(&page, 4).await;
    assert_eq!(
        titles_of_unread(&lede).await,
        ["Item 3", "Item 4", "Item 5", "Item 6"]
    );
    press_all(&page, &["z"]).await;
    counts(&page, 6).await;

    page.eval(&hover(row)).await.unwrap();
    page.eval(&format!(
        "document.querySelector('{row} .row-actions .mark-below').click()"
    ))
    .await
    .unwrap();
    counts(&page, 3).await;
    assert_eq!(
        titles_of_unread(&lede).await,
        ["Item 1", "Item 2", "Item 3"]
    );
    press_all(&page, &["z"]).await;
    counts(&page, 6).await;
    page.wait_for("document.querySelectorAll('.item:not(.read)').length === 6")
        .await
        .unwrap();

    page.eval(&hover(row)).await.unwrap();
    page.eval(&format!(
        "document.querySelector('{row} .row-actions .toggle-star').click()"
    ))
    .await
    .unwrap();
    page.eval(&format!(
        "document.querySelector('{row} .row-actions .toggle-read').click()"
    ))
    .await
    .unwrap();
    counts(&page, 5).await;
    all_sent(&page).await;

    page.click(".mark-more summary").await.unwrap();
    is_sound(&page, "ways to mark read").await;
    page.click(".mark-older[data-days='7']").await.unwrap();
    toasted(&page, "marked read").await;
    counts(&page, 0).await;
}

#[tokio::test]
async fn unread_stars_are_counted_and_a_row_is_swiped() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(3)).await;
    page.set_viewport(390, 740, true).await.unwrap();
    touch(&page, "ol.items > .item:nth-child(1) .row", 120, true).await;
    appears(&page, ".item:nth-child(1)[data-starred] .starred").await;
    touch(&page, "ol.items > .item:nth-child(2) .row", -120, true).await;
    counts(&page, 2).await;
    all_sent(&page).await;
    page.goto(&lede.url("/")).await.unwrap();
    page.wait_for(
        "document.querySelector('[data-unread-in=starred]').firstElementChild.textContent === '1'",
    )
    .await
    .unwrap();
}

#[tokio::test]
async fn the_next_feed_opens_after_all_is_marked_for_who_wants_that() {
    let lede = lede(false).await;
    let admin = lede.admin().await;
    let (daily, other) = two_feeds(&lede).await;
    let wish = json!({"next_after_mark_all": true});
    admin
        .patch("/api/users/me/preferences", wish)
        .await
        .expect(200);
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    page.click(&format!(".feed[data-feed='{daily}'] a"))
        .await
        .unwrap();
    page.wait_for("document.querySelector('.list-head h1').textContent === 'Daily'")
        .await
        .unwrap();
    press_all(&page, &["A"]).await;
    page.wait_for(&format!("location.search === '?feed={other}'"))
        .await
        .unwrap();
    page.wait_for("document.querySelector('.list-head h1').textContent === 'Other'")
        .await
        .unwrap();
    assert_eq!(shown(&page).await, json!(["Another"]));
}
