//! Resuming reading in a real Chromium: from the last position, with one key, and undoing bulk marks.

use lede_core::worker;
use lede_testkit::browser::{Browser, Page};
use lede_testkit::{Reply, TestLede};
use serde_json::{Value, json};

use crate::browser::{DESKTOP, PHONE, all_sent, appears, is_shown, is_sound, lede, sign_in};
use crate::reading_browser::{counts, many, opens, press_all, reader, shown, write};

/// Slightly narrower than the width at which the tree becomes a column.
const TABLET: (u32, u32, bool) = (768, 1024, true);

async fn resize(page: &Page, (width, height, is_phone): (u32, u32, bool)) {
    page.set_viewport(width, height, is_phone).await.unwrap();
}

async fn says(page: &Page, text: &str) {
    let text = Value::from(text);
    page.wait_for(&format!(
        "document.querySelector('.toasts').textContent.startsWith({text})"
    ))
    .await
    .unwrap();
}

/// The id of the item with this title.
async fn number_of(lede: &TestLede, title: &str) -> Value {
    let admin = lede.admin().await;
    let page = admin.json("/api/posts?limit=200").await;
    let mut posts = page["posts"].as_array().unwrap().iter();
    posts.find(|post| post["title"] == title).unwrap()["id"].clone()
}

/// Waits until the row with this title is selected and visible in the list.
async fn is_chosen(page: &Page, title: &str) {
    is_in_view(page, ".item.chosen", title).await;
}

/// Waits until a row that matches `kind` and has this title is visible in the list.
async fn is_in_view(page: &Page, kind: &str, title: &str) {
    let title = Value::from(title);
    page.wait_for(&format!(
        "(() => {{ const row = [...document.querySelectorAll('{kind}')].find((row) => row.querySelector('.title').textContent === {title});
            if (!row) return false;
            const [box, list] = [row, document.getElementById('main')].map((one) => one.getBoundingClientRect());
            return box.top >= list.top && box.bottom <= list.bottom; }})()"
    ))
    .await
    .unwrap();
}

#[tokio::test]
async fn the_address_of_an_item_far_down_opens_the_list_where_the_item_is() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(130)).await;
    let eighty = number_of(&lede, "Item 80").await;
    page.goto(&lede.url(&format!("/?show=all&item={eighty}")))
        .await
        .unwrap();
    opens(&page, "Item 80").await;
    is_chosen(&page, "Item 80").await;
    is_sound(&page, "a list from its middle on").await;
    assert_eq!(page.barriers("").await.unwrap(), [""; 0]);
    press_all(&page, &["j"]).await;
    opens(&page, "Item 81").await;
    // Rows before the first loaded one are fetched on demand.
    press_all(&page, &["k"]).await;
    opens(&page, "Item 80").await;
    press_all(&page, &["k"]).await;
    opens(&page, "Item 79").await;
    is_chosen(&page, "Item 79").await;
    press_all(&page, &["Escape"]).await;
    page.wait_for("!document.querySelector('article')")
        .await
        .unwrap();
    is_chosen(&page, "Item 79").await;
    // The button loads the rest up to the beginning without moving the view.
    is_in_view(&page, ".item", "Item 79").await;
    page.click(".newer a").await.unwrap();
    page.wait_for("!document.querySelector('.newer')")
        .await
        .unwrap();
    is_in_view(&page, ".item", "Item 30").await;
    let first = "document.querySelector('.item .title').textContent";
    assert_eq!(page.eval(first).await.unwrap(), "Item 1");
    all_sent(&page).await;

    // The unread list shows this item too although it is read; the next key goes to its next unread item.
    page.goto(&lede.url(&format!("/?item={eighty}")))
        .await
        .unwrap();
    is_chosen(&page, "Item 80").await;
    press_all(&page, &["j"]).await;
    opens(&page, "Item 82").await;
    // The same near the top of the list.
    let second = number_of(&lede, "Item 2").await;
    page.goto(&lede.url(&format!("/?item={second}")))
        .await
        .unwrap();
    opens(&page, "Item 2").await;
    all_sent(&page).await;
    page.goto(&lede.url(&format!("/?item={second}")))
        .await
        .unwrap();
    is_chosen(&page, "Item 2").await;
    assert!(is_shown(&page, ".item.chosen.read").await);
    press_all(&page, &["k"]).await;
    opens(&page, "Item 1").await;

    // On a phone the item fills the screen; behind it the list is at the right position.
    resize(&page, PHONE).await;
    page.goto(&lede.url(&format!("/?show=all&item={eighty}")))
        .await
        .unwrap();
    page.click(".close-article").await.unwrap();
    page.wait_for("!document.querySelector('article')")
        .await
        .unwrap();
    is_chosen(&page, "Item 80").await;
}

#[tokio::test]
async fn the_space_bar_reads_on_and_back() {
    let lede = lede(false).await;
    let long = "<p>A line of it.</p>".repeat(120);
    let feed = Reply::rss(
        "Daily",
        &[("One", &long), ("Two", "<p>Short.</p>"), ("Three", &long)],
    );
    let (_browser, page) = reader(&lede, feed).await;
    // In the list the space bar scrolls, as the browser does by default.
    press_all(&page, &["Space"]).await;
    assert!(!is_shown(&page, "article").await);
    press_all(&page, &["j"]).await;
    opens(&page, "One").await;
    press_all(&page, &["Space"]).await;
    page.wait_for("document.getElementById('pane').scrollTop > 300")
        .await
        .unwrap();
    press_all(&page, &["Shift+Space"]).await;
    page.wait_for("document.getElementById('pane').scrollTop === 0")
        .await
        .unwrap();
    page.eval("document.getElementById('pane').scrollTo(0, 1e9)")
        .await
        .unwrap();
    press_all(&page, &["Space"]).await;
    opens(&page, "Two").await;
    press_all(&page, &["Space"]).await;
    opens(&page, "Three").await;
    press_all(&page, &["Shift+Space"]).await;
    opens(&page, "Two").await;
    // A focused button keeps its own meaning of the space bar.
    page.eval("document.querySelector('article .mark-star').focus()")
        .await
        .unwrap();
    press_all(&page, &["Space"]).await;
    appears(&page, ".mark-star[aria-pressed=true]").await;
    press_all(&page, &["/", "Space"]).await;
    let typed = page.eval("document.getElementById('search').value").await;
    assert_eq!(typed.unwrap(), " ");
    press_all(&page, &["Escape", "?"]).await;
    appears(&page, "dialog.keys").await;
    let help = page.text("dialog.keys").await.unwrap();
    assert!(help.contains("next unread item"), "{help}");
    press_all(&page, &["Escape"]).await;
    all_sent(&page).await;

    // The same key works in the list.
    let two = number_of(&lede, "Two").await;
    let admin = lede.admin().await;
    let unread = json!({"is_read": false});
    let state = format!("/api/items/{two}/state");
    admin.put(&state, unread).await.expect(200);
    resize(&page, TABLET).await;
    let to_the_end = async || {
        page.eval("document.getElementById('main').scrollTo(0, 1e9)")
            .await
            .unwrap();
        press_all(&page, &["Space"]).await;
    };
    page.goto(&lede.url("/?show=all")).await.unwrap();
    press_all(&page, &["j"]).await;
    opens(&page, "One").await;
    let before = page.eval("document.getElementById('main').scrollTop").await;
    press_all(&page, &["Space"]).await;
    let after = page.eval("document.getElementById('main').scrollTop").await;
    assert!(after.unwrap().as_f64() > before.unwrap().as_f64());
    to_the_end().await;
    opens(&page, "Two").await;
    all_sent(&page).await;

    // It does nothing when single-key shortcuts are switched off.
    admin
        .put(&state, json!({"is_read": false}))
        .await
        .expect(200);
    let off = json!({"shortcuts": false});
    let path = "/api/users/me/preferences";
    admin.patch(path, off).await.expect(200);
    page.goto(&lede.url("/?show=all")).await.unwrap();
    page.click(".item a").await.unwrap();
    opens(&page, "One").await;
    to_the_end().await;
    to_the_end().await;
    assert_eq!(page.text(".article-title").await.unwrap(), "One");
}

#[tokio::test]
async fn a_feed_that_brings_nothing_says_why() {
    let lede = lede(false).await;
    let admin = lede.admin().await;
    let quiet = lede.site.put("/quiet.xml", Reply::rss("Quiet", &[]));
    let quiet = admin.follow(&quiet).await["id"].clone();
    let daily = lede.site.put("/daily.xml", many(2));
    let daily = admin.follow(&daily).await["id"].clone();
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    page.goto(&lede.url(&format!("/?feed={quiet}")))
        .await
        .unwrap();
    let said = page.text(".empty").await.unwrap();
    assert!(said.contains("Nothing has been published here"), "{said}");
    is_sound(&page, "a feed without items").await;

    for path in ["/quiet.xml", "/daily.xml"] {
        lede.site.put(path, Reply::status(503));
    }
    lede.clock.advance(std::time::Duration::from_secs(86_400));
    lede.work().await;
    page.goto(&lede.url(&format!("/?feed={quiet}")))
        .await
        .unwrap();
    let said = page.text(".empty").await.unwrap();
    assert!(said.contains("503"), "{said}");
    assert!(said.contains("Next fetch: in"), "{said}");
    assert!(!is_shown(&page, ".caution").await, "it is said once");
    is_sound(&page, "a feed in trouble without items").await;
    page.click(".empty a").await.unwrap();
    page.wait_for("location.pathname.startsWith('/feeds/')")
        .await
        .unwrap();

    page.goto(&lede.url(&format!("/?feed={daily}")))
        .await
        .unwrap();
    let said = page.text(".caution").await.unwrap();
    assert!(said.contains("503"), "{said}");
    assert_eq!(shown(&page).await, json!(["Item 1", "Item 2"]));
    for scheme in ["light", "dark"] {
        page.set_scheme(scheme).await.unwrap();
        is_sound(&page, scheme).await;
        assert_eq!(page.barriers("").await.unwrap(), [""; 0], "{scheme}");
    }
}

#[tokio::test]
async fn what_marked_many_is_taken_back_in_place() {
    let lede = lede(false).await;
    let admin = lede.admin().await;
    let wish = json!({"mark_read_on_scroll": true});
    let path = "/api/users/me/preferences";
    admin.patch(path, wish).await.expect(200);
    let (browser, page) = reader(&lede, many(40)).await;
    page.eval("window.isSame = true; document.querySelectorAll('.item')[10].scrollIntoView()")
        .await
        .unwrap();
    counts(&page, 30).await;
    says(&page, "10 items marked read").await;
    press_all(&page, &["z"]).await;
    counts(&page, 40).await;
    // Restored items stay unread, regardless of later scrolling.
    page.eval("document.querySelectorAll('.item')[13].scrollIntoView()")
        .await
        .unwrap();
    says(&page, "3 items marked read").await;
    counts(&page, 37).await;
    all_sent(&page).await;

    let other = browser.page_beside(&page).await.unwrap();
    other.goto(&lede.url("/")).await.unwrap();
    page.look_at().await.unwrap();
    press_all(&page, &["A"]).await;
    says(&page, "37 items marked read").await;
    other
        .wait_for("!document.querySelector('.item:not(.read)')")
        .await
        .unwrap();
    page.click(".toast button").await.unwrap();
    for tab in [&page, &other] {
        tab.wait_for("document.querySelectorAll('.item:not(.read)').length === 37")
            .await
            .unwrap();
        counts(tab, 37).await;
    }
    assert_eq!(page.eval("window.isSame").await.unwrap(), true);
    assert_eq!(admin.json("/api/posts?unread_only=true").await["total"], 37);
}

#[tokio::test]
async fn feeds_with_nothing_unread_are_hidden_for_who_wants_that() {
    let lede = lede(false).await;
    let admin = lede.admin().await;
    let papers = json!({"name": "Papers"});
    let papers = admin.post("/api/categories", papers).await.expect(201);
    let papers = papers.json()["id"].clone();
    let empty = lede.site.put("/empty.xml", Reply::rss("Quiet", &[]));
    let empty = json!({"url": empty, "category_id": papers});
    let empty = admin.post("/api/feeds", empty).await.expect(201);
    let empty = empty.json()["id"].clone();
    let (_browser, page) = reader(&lede, many(2)).await;
    let quiet = format!(".feed[data-feed='{empty}']");
    assert!(is_shown(&page, &quiet).await);
    page.click(".hide-read").await.unwrap();
    page.wait_for("document.documentElement.dataset.saved === 'hide_read_feeds'")
        .await
        .unwrap();
    assert!(!is_shown(&page, &quiet).await);
    assert!(!is_shown(&page, ".branch").await);
    for scheme in ["light", "dark"] {
        page.set_scheme(scheme).await.unwrap();
        is_sound(&page, scheme).await;
        assert_eq!(page.barriers("").await.unwrap(), [""; 0], "{scheme}");
    }
    // The feed being shown stays in the tree, with its category.
    page.goto(&lede.url(&format!("/?feed={empty}")))
        .await
        .unwrap();
    assert!(is_shown(&page, &quiet).await, "it is the current one");
    page.goto(&lede.url("/")).await.unwrap();
    assert!(!is_shown(&page, &quiet).await, "it is remembered");
    let chosen = admin.json("/api/users/me/preferences").await;
    assert_eq!(chosen["hide_read_feeds"], true);
    page.click(".hide-read").await.unwrap();
    appears(&page, &quiet).await;
}

#[tokio::test]
async fn the_window_and_the_pane_are_called_by_the_open_item() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(3)).await;
    let title = async |wanted: &str| {
        let wanted = Value::from(wanted);
        let js = format!("document.title === {wanted}");
        page.wait_for(&js).await.unwrap();
    };
    title("(3) All items · Lede").await;
    press_all(&page, &["j"]).await;
    opens(&page, "Item 1").await;
    title("(2) Item 1 · Lede").await;
    let name = "document.getElementById(document.activeElement.getAttribute('aria-labelledby')).textContent.trim()";
    assert_eq!(page.eval(name).await.unwrap(), "Item 1");
    let here = page.url().await.unwrap();
    press_all(&page, &["Escape"]).await;
    title("(2) All items · Lede").await;
    all_sent(&page).await;
    page.goto(&here).await.unwrap();
    title("(2) Item 1 · Lede").await;
    press_all(&page, &["Escape"]).await;
    title("(2) All items · Lede").await;
}

#[tokio::test]
async fn a_search_within_a_feed_shows_its_count_and_can_be_saved() {
    let lede = lede(false).await;
    let admin = lede.admin().await;
    let other = lede.site.put(
        "/other.xml",
        Reply::rss("Other", &[("Item elsewhere", "<p>There.</p>")]),
    );
    let other = admin.follow(&other).await["id"].clone();
    let (_browser, page) = reader(&lede, many(3)).await;
    worker::run_queues(&lede.lede).await.unwrap();
    page.goto(&lede.url(&format!("/?feed={other}")))
        .await
        .unwrap();
    press_all(&page, &["/"]).await;
    write(&page, "item").await;
    press_all(&page, &["Enter"]).await;
    appears(&page, ".within").await;
    assert_eq!(page.text(".found").await.unwrap(), "1 found");
    assert_eq!(page.text(".within > span").await.unwrap(), "in Other");
    assert!(!is_shown(&page, ".keep-search").await);
    is_sound(&page, "a search in a feed").await;
    assert_eq!(page.barriers("").await.unwrap(), [""; 0]);
    page.click(".within a").await.unwrap();
    page.wait_for("document.querySelector('.found')?.textContent === '4 found'")
        .await
        .unwrap();
    assert!(!is_shown(&page, ".within").await);

    // Marks all search results as read, then undoes it.
    press_all(&page, &["A"]).await;
    says(&page, "4 items marked read").await;
    counts(&page, 0).await;
    press_all(&page, &["z"]).await;
    counts(&page, 4).await;

    page.click(".keep-search").await.unwrap();
    appears(&page, "dialog.keep input").await;
    is_sound(&page, "the dialog").await;
    assert_eq!(page.barriers("").await.unwrap(), [""; 0], "the dialog");
    write(&page, "Things").await;
    press_all(&page, &["Enter"]).await;
    says(&page, "Saved. “Things”").await;
    assert_eq!(page.text(".kept-search .name").await.unwrap(), "Things");
    assert_eq!(admin.json("/api/searches").await[0]["query"], "item");
}

#[tokio::test]
async fn the_unread_count_is_shown_without_the_tree() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(3)).await;
    press_all(&page, &["3"]).await;
    page.wait_for("document.documentElement.dataset.density === 'titles'")
        .await
        .unwrap();
    resize(&page, DESKTOP).await;
    assert!(!is_shown(&page, ".list-title .count").await);
    for size in [PHONE, TABLET] {
        resize(&page, size).await;
        appears(&page, ".list-title .count").await;
        assert_eq!(page.text(".list-title .count").await.unwrap(), "3\nunread");
        assert_eq!(is_shown(&page, ".item .source").await, size == TABLET);
        is_sound(&page, "a list with its count").await;
    }
    page.click(".item a").await.unwrap();
    opens(&page, "Item 1").await;
    assert_eq!(page.text(".list-title .count").await.unwrap(), "2\nunread");
    all_sent(&page).await;
    page.goto(&lede.url("/?feed=1")).await.unwrap();
    assert!(!is_shown(&page, ".item .source").await, "the name says it");

    // On a phone the actions of an item fit in one line and have accessible names.
    resize(&page, PHONE).await;
    page.click(".item a").await.unwrap();
    opens(&page, "Item 2").await;
    let tops =
        "new Set([...document.querySelectorAll('article .actions :is(button, a)')].filter((one) =>
        one.checkVisibility()).map((one) => Math.round(one.getBoundingClientRect().top))).size";
    assert_eq!(page.eval(tops).await.unwrap(), 1);
    for scheme in ["light", "dark"] {
        page.set_scheme(scheme).await.unwrap();
        is_sound(&page, scheme).await;
        assert_eq!(page.barriers("").await.unwrap(), [""; 0], "{scheme}");
    }
}

#[tokio::test]
async fn without_a_network_counts_are_right_and_other_lists_are_not_pretended() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(20)).await;
    page.wait_for(
        "caches.open('pages').then((cache) => cache.keys()).then((kept) => kept.length > 0)",
    )
    .await
    .unwrap();
    page.offline(true).await.unwrap();
    page.goto(&lede.url("/")).await.unwrap();
    appears(&page, ".item").await;
    for number in 1..=3 {
        press_all(&page, &["j"]).await;
        opens(&page, &format!("Item {number}")).await;
    }
    counts(&page, 17).await;
    page.wait_for(
        "document.querySelector('.waiting').textContent.includes('3 changes are waiting')",
    )
    .await
    .unwrap();
    // An address that includes the item shows the same list.
    page.goto(&page.url().await.unwrap()).await.unwrap();
    appears(&page, ".item.read").await;
    counts(&page, 17).await;
    page.goto(&lede.url("/")).await.unwrap();
    counts(&page, 17).await;
    for other in ["/?feed=1", "/?q=item", "/?label=1", "/?show=starred"] {
        page.goto(&lede.url(other)).await.unwrap();
        let heading = page.text("h1").await.unwrap();
        assert_eq!(heading, "Can’t reach Lede", "{other}");
    }
}
