//! Reading in a real Chromium: the keyboard, long lists, search, and marks that are undone, made in
//! two tabs or made without a network.

mod labels;
mod sound;
mod texts;
mod tree;

use std::time::Duration;

use http::Method;
use lede_core::worker;
use lede_testkit::browser::{Browser, Page};
use lede_testkit::{Reply, TestLede};
use serde_json::{Value, json};

use crate::browser::{PHONE, all_sent, appears, follow, is_shown, is_sound, lede, news, sign_in};

/// A feed with `count` items, newest first.
pub(crate) fn many(count: usize) -> Reply {
    let titles: Vec<String> = (1..=count).map(|number| format!("Item {number}")).collect();
    let items: Vec<(&str, &str)> = titles
        .iter()
        .map(|title| (title.as_str(), "<p>Its text.</p>"))
        .collect();
    Reply::rss("Daily", &items)
}

pub(crate) async fn reader(lede: &TestLede, reply: Reply) -> (Browser, Page) {
    follow(lede, reply).await;
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, lede).await;
    (browser, page)
}

pub(crate) async fn press_all(page: &Page, keys: &[&str]) {
    for key in keys {
        page.press(key).await.unwrap();
    }
}

/// Waits until an item with this title is open and marked read.
pub(crate) async fn opens(page: &Page, title: &str) {
    let title = Value::from(title);
    page.wait_for(&format!(
        "document.querySelector('article[data-marked=read] .article-title')?.textContent.trim() === {title}"
    ))
    .await
    .unwrap();
}

pub(crate) async fn counts(page: &Page, unread: usize) {
    page.wait_for(&format!(
        "document.querySelector('[data-unread-in=all]').firstElementChild.textContent === '{unread}'"
    ))
    .await
    .unwrap();
}

#[tokio::test]
async fn a_long_list_goes_on_as_it_is_scrolled() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(230)).await;
    page.goto(&lede.url("/?show=all")).await.unwrap();
    let rows = "document.querySelectorAll('.item').length";
    assert_eq!(page.eval(rows).await.unwrap(), 50);
    for shown in [100, 150, 200, 230] {
        page.eval("document.getElementById('main').scrollTo(0, 1e9)")
            .await
            .unwrap();
        page.wait_for(&format!("{rows} >= {shown}")).await.unwrap();
    }
    page.wait_for(&format!(
        "{rows} === 230 && !document.querySelector('.more')"
    ))
    .await
    .unwrap();
    let distinct =
        "new Set([...document.querySelectorAll('.item')].map((row) => row.dataset.item)).size";
    assert_eq!(page.eval(distinct).await.unwrap(), 230);
    is_sound(&page, "the whole list").await;
}

#[tokio::test]
async fn the_reader_can_be_used_with_a_keyboard_alone() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(3)).await;
    press_all(&page, &["j"]).await;
    opens(&page, "Item 1").await;
    press_all(&page, &["j"]).await;
    opens(&page, "Item 2").await;
    press_all(&page, &["s"]).await;
    appears(&page, ".mark-star[aria-pressed=true]").await;
    press_all(&page, &["m"]).await;
    appears(&page, "article[data-marked=unread]").await;
    counts(&page, 2).await;
    press_all(&page, &["k"]).await;
    opens(&page, "Item 1").await;
    press_all(&page, &["n"]).await;
    opens(&page, "Item 2").await;
    assert!(page.url().await.unwrap().contains("item="));
    press_all(&page, &["Escape"]).await;
    page.wait_for("!document.querySelector('article')")
        .await
        .unwrap();
    assert_eq!(page.url().await.unwrap(), lede.url("/"));
    press_all(&page, &["o"]).await;
    opens(&page, "Item 2").await;
    press_all(&page, &["?"]).await;
    appears(&page, "dialog.keys").await;
    is_sound(&page, "the help").await;
    press_all(&page, &["Escape"]).await;
    page.wait_for("!document.querySelector('dialog.keys').open")
        .await
        .unwrap();
    press_all(&page, &["3"]).await;
    page.wait_for("document.documentElement.dataset.density === 'titles'")
        .await
        .unwrap();
    press_all(&page, &["["]).await;
    assert!(!is_shown(&page, "#tree").await);
    press_all(&page, &["]"]).await;
    assert!(is_shown(&page, "#tree").await);
    press_all(&page, &["/"]).await;
    page.wait_for("document.activeElement.id === 'search'")
        .await
        .unwrap();
    press_all(&page, &["j"]).await;
    let typed = page.eval("document.getElementById('search').value").await;
    assert_eq!(typed.unwrap(), "j", "keys are letters while somebody types");
    press_all(&page, &["Escape"]).await;
    all_sent(&page).await;
    press_all(&page, &["g", "s"]).await;
    page.wait_for("location.search === '?show=starred'")
        .await
        .unwrap();
    assert_eq!(page.text(".item .title").await.unwrap(), "Item 2");
    is_sound(&page, "the stars").await;
}

/// Types into the focused element.
pub(crate) async fn write(page: &Page, text: &str) {
    for letter in text.chars() {
        page.press(&letter.to_string()).await.unwrap();
    }
}

/// The options of the jump dialog; the one that Enter would choose has an arrow.
async fn offered(page: &Page) -> Vec<String> {
    let js = "[...document.querySelectorAll('.jump [role=option]')].map((option) =>
        (option.id === document.activeElement.getAttribute('aria-activedescendant') ? '→ ' : '') + option.innerText.replace('\\n', ' in '))";
    let offered = page.eval(js).await.unwrap();
    serde_json::from_value(offered).unwrap()
}

#[tokio::test]
async fn a_feed_a_category_a_search_or_a_label_is_gone_to_by_name() {
    let lede = lede(false).await;
    let admin = lede.admin().await;
    let papers = json!({"name": "Papers"});
    let papers = admin.post("/api/categories", papers).await.expect(201);
    let papers = papers.json()["id"].clone();
    let mut feeds = Vec::new();
    for (path, title, category) in [
        ("/1.xml", "Élan vital", None),
        ("/2.xml", "The elk", Some(&papers)),
        ("/3.xml", "日本の新聞", None),
        ("/4.xml", "A camel", None),
    ] {
        let url = lede.site.put(path, Reply::rss(title, &[("One", "")]));
        let feed = json!({ "url": url, "category_id": category });
        let added = admin.post("/api/feeds", feed).await.expect(201);
        feeds.push(added.json()["id"].clone());
    }
    let kept = json!({"name": "Elections", "query": "vote"});
    admin.post("/api/searches", kept).await.expect(201);
    let later = json!({"name": "Later"});
    let later = admin.post("/api/labels", later).await.expect(201);
    let later = later.json()["id"].clone();
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;

    press_all(&page, &[";"]).await;
    appears(&page, ".jump [role=option]").await;
    let all = offered(&page).await;
    assert_eq!(all[0], "→ All items");
    assert_eq!(all.len(), 11, "{all:?}");
    for scheme in ["light", "dark"] {
        page.set_scheme(scheme).await.unwrap();
        is_sound(&page, scheme).await;
        assert_eq!(page.barriers("").await.unwrap(), [""; 0], "{scheme}");
    }
    // Names with this prefix come first, then those with a word of this prefix; case and accents do not matter.
    write(&page, "EL").await;
    let found = ["→ Elections", "Élan vital", "The elk in Papers", "A camel"];
    assert_eq!(offered(&page).await, found);
    press_all(&page, &["ArrowUp"]).await;
    let found = ["Elections", "Élan vital", "The elk in Papers", "→ A camel"];
    assert_eq!(offered(&page).await, found);
    write(&page, "se").await;
    appears(&page, ".jump [role=status]:not(:empty)").await;
    let nothing = page.text(".jump [role=status]").await.unwrap();
    assert_eq!(nothing, "Nothing matches “ELse”.");
    assert_eq!(page.barriers("").await.unwrap(), [""; 0], "nothing");
    // There is nowhere to go, and shortcuts of the page behind the dialog are inactive.
    press_all(&page, &["Enter", "ArrowDown", "Tab", "j", "Escape"]).await;
    page.wait_for("!document.querySelector('.jump').open")
        .await
        .unwrap();
    assert_eq!(page.url().await.unwrap(), lede.url("/"));
    assert!(!is_shown(&page, "article").await);
    // Once the dialog is closed, letters are shortcuts again.
    press_all(&page, &[";"]).await;
    appears(&page, ".jump").await;
    press_all(&page, &["x", "Escape", "?"]).await;
    appears(&page, "dialog.keys").await;
    press_all(&page, &["?"]).await;
    page.wait_for("!document.querySelector('dialog[open]')")
        .await
        .unwrap();

    for (name, place) in [
        ("vit el", format!("?feed={}", feeds[0])),
        ("本の", format!("?feed={}", feeds[2])),
        ("ｐａｐ", format!("?category={papers}")),
        ("elec", "?q=vote".to_owned()),
        ("late", format!("?label={later}")),
    ] {
        press_all(&page, &[";"]).await;
        appears(&page, ".jump").await;
        write(&page, name).await;
        press_all(&page, &["Enter"]).await;
        let there = format!("location.search === '{place}'");
        page.wait_for(&there).await.unwrap();
        appears(&page, ".list-head").await;
    }

    let (width, height, is_phone) = PHONE;
    page.set_viewport(width, height, is_phone).await.unwrap();
    page.click(".menu").await.unwrap();
    page.click(".jump-to").await.unwrap();
    appears(&page, ".jump").await;
    assert!(!is_shown(&page, "#tree").await, "the drawer makes room");
    is_sound(&page, "the dialog on a phone").await;
    page.click(".jump .close-dialog").await.unwrap();
    page.wait_for("document.activeElement.matches('.menu')")
        .await
        .unwrap();
    page.click(".menu").await.unwrap();
    page.click(".jump-to").await.unwrap();
    page.click(".jump li:nth-child(2)").await.unwrap();
    page.wait_for("location.search === '?show=starred'")
        .await
        .unwrap();
}

#[tokio::test]
async fn the_original_and_the_comments_open_in_other_tabs_by_keyboard() {
    let lede = lede(false).await;
    let [first, talk, second] = ["/first", "/talk", "/second"]
        .map(|path| lede.site.put(path, Reply::body("text/plain", path)));
    let feed = format!(
        "<rss version='2.0'><channel><title>Talk</title>
        <item><title>One</title><link>{first}</link><comments>{talk}</comments></item>
        <item><title>Two</title><link>{second}</link></item></channel></rss>"
    );
    let (_browser, page) = reader(&lede, Reply::body("application/rss+xml", feed)).await;
    press_all(&page, &["j"]).await;
    opens(&page, "One").await;
    press_all(&page, &["c"]).await;
    assert_eq!(page.opened().await.unwrap(), [talk.as_str()]);
    page.look_at().await.unwrap();
    press_all(&page, &["v"]).await;
    assert_eq!(page.opened().await.unwrap(), [first]);
    page.look_at().await.unwrap();
    // In the list the key applies to the selected row.
    press_all(&page, &["Escape"]).await;
    page.wait_for("!document.querySelector('article')")
        .await
        .unwrap();
    press_all(&page, &["c"]).await;
    assert_eq!(page.opened().await.unwrap(), [talk]);
    page.look_at().await.unwrap();
    press_all(&page, &["j"]).await;
    opens(&page, "Two").await;
    // The item has no comments: the first page that opens is the original.
    press_all(&page, &["c", "v"]).await;
    assert_eq!(page.opened().await.unwrap(), [second]);
    is_sound(&page, "the page that stayed").await;
}

#[tokio::test]
async fn what_was_opened_is_in_the_history_the_last_first() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(4)).await;
    press_all(&page, &["g", "h"]).await;
    page.wait_for("location.search === '?show=read'")
        .await
        .unwrap();
    appears(&page, ".empty").await;
    is_sound(&page, "an empty history").await;
    page.goto(&lede.url("/")).await.unwrap();
    for (key, title) in [("j", "Item 1"), ("j", "Item 2"), ("j", "Item 3")] {
        // About the time that reading an item takes.
        lede.clock.advance(Duration::from_secs(60));
        press_all(&page, &[key]).await;
        opens(&page, title).await;
        all_sent(&page).await;
    }
    lede.clock.advance(Duration::from_secs(60));
    press_all(&page, &["k"]).await;
    opens(&page, "Item 2").await;

    press_all(&page, &["g", "h"]).await;
    page.wait_for("location.search === '?show=read'")
        .await
        .unwrap();
    let read = json!(["Item 3", "Item 2", "Item 1"]);
    assert_eq!(shown(&page).await, read, "as each was first read");
    is_sound(&page, "the history").await;
    // Reading from the history does not reorder it, and there is nothing to mark.
    press_all(&page, &["j", "j"]).await;
    opens(&page, "Item 2").await;
    press_all(&page, &["A"]).await;
    page.goto(&lede.url("/?show=read")).await.unwrap();
    assert_eq!(shown(&page).await, read);
    assert!(!is_shown(&page, ".mark-all").await);
    counts(&page, 1).await;
}

/// The titles of the rows that are shown.
pub(crate) async fn shown(page: &Page) -> Value {
    let rows = "[...document.querySelectorAll('.item .title')].map((row) => row.textContent)";
    page.eval(rows).await.unwrap()
}

#[tokio::test]
async fn what_was_marked_with_all_is_in_the_history_once_it_is_opened() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(4)).await;
    press_all(&page, &["A"]).await;
    appears(&page, ".toast button").await;
    page.goto(&lede.url("/?show=read")).await.unwrap();
    assert_eq!(shown(&page).await, json!([]), "nobody looked at any");

    // In a list, and one on its own page; reading again does not count as the first reading.
    page.goto(&lede.url("/?show=all")).await.unwrap();
    // Pending marks may not be stored locally yet, so this asks the server.
    let noted = async |items: usize| {
        let js = format!(
            "fetch('/api/posts?history=true').then((page) => page.json()).then(({{ total }}) => total === {items})"
        );
        page.wait_for(&js).await.unwrap();
    };
    for (key, title, items) in [("j", "Item 1", 1), ("j", "Item 2", 2), ("k", "Item 1", 2)] {
        lede.clock.advance(Duration::from_secs(60));
        press_all(&page, &[key]).await;
        opens(&page, title).await;
        noted(items).await;
    }
    let rows = "[...document.querySelectorAll('.item .row')].map((row) => row.href)";
    let rows = page.eval(rows).await.unwrap();
    lede.clock.advance(Duration::from_secs(60));
    page.goto(rows[3].as_str().unwrap()).await.unwrap();
    noted(3).await;
    page.goto(&lede.url("/?show=read")).await.unwrap();
    let read = json!(["Item 4", "Item 2", "Item 1"]);
    assert_eq!(shown(&page).await, read);
}

#[tokio::test]
async fn everything_is_marked_read_at_once_and_back() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(60)).await;
    counts(&page, 60).await;
    press_all(&page, &["A"]).await;
    appears(&page, ".toast button").await;
    assert_eq!(page.text(".toast p").await.unwrap(), "60 items marked read");
    page.wait_for("!document.querySelector('.item:not(.read)')")
        .await
        .unwrap();
    page.wait_for("document.querySelector('[data-unread-in=all]').hidden")
        .await
        .unwrap();
    is_sound(&page, "all read").await;
    page.click(".toast button").await.unwrap();
    page.wait_for("document.querySelectorAll('.item:not(.read)').length === 50")
        .await
        .unwrap();
    counts(&page, 60).await;
}

#[tokio::test]
async fn a_search_finds_items_and_can_be_saved() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, news()).await;
    worker::run_queues(&lede.lede).await.unwrap();
    page.fill("#search", "newest").await.unwrap();
    page.press("Enter").await.unwrap();
    appears(&page, ".item mark").await;
    assert_eq!(page.text(".item .title").await.unwrap(), "Newest");
    is_sound(&page, "what was found").await;
    page.goto(&lede.url("/?q=nowhere")).await.unwrap();
    assert_eq!(page.text(".empty h2").await.unwrap(), "Nothing found");
    page.goto(&lede.url("/?q=before:never")).await.unwrap();
    appears(&page, "#main > .error").await;

    let admin = lede.admin().await;
    let kept = json!({"name": "The newest", "query": "newest"});
    admin.post("/api/searches", kept).await.expect(201);
    page.goto(&lede.url("/")).await.unwrap();
    page.click(".tree a[href='/?q=newest']").await.unwrap();
    appears(&page, ".item mark").await;
    assert_eq!(page.text("h1").await.unwrap(), "The newest");
}

#[tokio::test]
async fn two_tabs_agree_on_what_is_read() {
    let lede = lede(false).await;
    let (browser, page) = reader(&lede, many(5)).await;
    let other = browser.page_beside(&page).await.unwrap();
    other.goto(&lede.url("/")).await.unwrap();
    counts(&other, 5).await;
    page.look_at().await.unwrap();
    press_all(&page, &["j"]).await;
    opens(&page, "Item 1").await;
    counts(&other, 4).await;
    assert!(is_shown(&other, ".item.read").await);
    press_all(&page, &["s"]).await;
    appears(&other, ".item[data-starred] .starred").await;
    press_all(&page, &["A"]).await;
    other
        .wait_for("!document.querySelector('.item:not(.read)')")
        .await
        .unwrap();
    other
        .wait_for("document.querySelector('[data-unread-in=all]').hidden")
        .await
        .unwrap();
}

#[tokio::test]
async fn the_first_items_appear_on_a_waiting_page() {
    let lede = lede(false).await;
    let admin = lede.admin().await;
    let url = lede.site.put("/daily.xml", many(3));
    let list = format!("<opml><body><outline text=\"Daily\" xmlUrl=\"{url}\"/></body></opml>");
    let xml = [("content-type", "application/xml")];
    let path = "/api/feeds/import-opml";
    let taken = admin.send(Method::POST, path, &xml, list.into()).await;
    taken.expect(200);
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    appears(&page, "[data-on-the-way] h2").await;
    is_sound(&page, "feeds on their way").await;
    lede.work().await;
    appears(&page, ".item").await;
}

#[tokio::test]
async fn all_feeds_are_fetched_by_a_key_or_a_button() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(3)).await;
    let says = async |text: &str| {
        let text = Value::from(text);
        let js = format!("document.querySelector('.toasts').textContent.startsWith({text})");
        page.wait_for(&js).await.unwrap();
    };
    press_all(&page, &["R"]).await;
    says("Nothing to fetch").await;
    lede.clock.advance(Duration::from_secs(600));
    lede.site.put("/followed.xml", many(5));
    page.click("button.refresh").await.unwrap();
    says("Fetching 1 feed").await;
    is_sound(&page, "a list with its button to fetch").await;
    lede.work().await;
    appears(&page, ".news button, .news a").await;
    // In a feed's own list it fetches that feed and shows the new items; in a label's list it does nothing.
    lede.site.put("/followed.xml", many(7));
    page.goto(&lede.url("/?feed=1")).await.unwrap();
    press_all(&page, &["R"]).await;
    page.wait_for("document.querySelectorAll('.item').length === 7")
        .await
        .unwrap();
    page.goto(&lede.url("/?show=read")).await.unwrap();
    assert!(!is_shown(&page, "button.refresh").await);
}

#[tokio::test]
async fn on_a_phone_an_item_has_the_screen_and_the_list_keeps_its_place() {
    let lede = lede(false).await;
    follow(&lede, many(60)).await;
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    let (width, height, is_phone) = PHONE;
    page.set_viewport(width, height, is_phone).await.unwrap();
    sign_in(&page, &lede).await;
    page.click(".item:nth-child(22) a").await.unwrap();
    opens(&page, "Item 22").await;
    is_sound(&page, "an item on a phone").await;
    let place = page.eval("document.getElementById('main').scrollTop").await;
    let place = place.unwrap();
    assert!(place.as_f64() > Some(0.0));
    page.click(".close-article").await.unwrap();
    page.wait_for("!document.querySelector('article')")
        .await
        .unwrap();
    let after = page.eval("document.getElementById('main').scrollTop").await;
    assert_eq!(after.unwrap(), place);
    page.click(".item:nth-child(22) a").await.unwrap();
    opens(&page, "Item 22").await;
    page.click(".steps .next").await.unwrap();
    opens(&page, "Item 23").await;
}

#[tokio::test]
async fn without_a_network_the_newest_is_read_and_no_mark_is_lost() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(20)).await;
    // The service worker has cached the page and the newest items.
    page.wait_for(
        "caches.open('pages').then((cache) => cache.keys()).then((kept) => kept.length > 0)",
    )
    .await
    .unwrap();
    page.offline(true).await.unwrap();
    page.goto(&lede.url("/")).await.unwrap();
    appears(&page, ".item").await;
    appears(&page, ".waiting").await;
    for number in 1..=20 {
        press_all(&page, &["j"]).await;
        opens(&page, &format!("Item {number}")).await;
    }
    page.wait_for(
        "document.querySelector('.waiting').textContent.includes('20 changes are waiting')",
    )
    .await
    .unwrap();
    let admin = lede.admin().await;
    assert_eq!(admin.json("/api/posts?unread_only=true").await["total"], 20);

    page.offline(false).await.unwrap();
    all_sent(&page).await;
    page.wait_for("document.querySelector('.waiting').hidden")
        .await
        .unwrap();
    assert_eq!(admin.json("/api/posts?unread_only=true").await["total"], 0);
}

#[tokio::test]
async fn what_was_scrolled_past_is_read_for_who_wants_that() {
    let lede = lede(false).await;
    let admin = lede.admin().await;
    let wish = json!({"mark_read_on_scroll": true});
    let path = "/api/users/me/preferences";
    admin.patch(path, wish).await.expect(200);
    let (_browser, page) = reader(&lede, many(40)).await;
    // The tenth row disappears behind the head of the list. Positions are fractional and scrolling
    // is not: scrolls a little further.
    page.eval(
        "(() => { const bottom = (selector) => document.querySelector(selector).getBoundingClientRect().bottom;
            document.querySelector('#main').scrollBy(0, bottom('.item:nth-child(10)') - bottom('.list-head') + 2); })()",
    )
        .await
        .unwrap();
    page.wait_for("document.querySelectorAll('.item.read').length === 10")
        .await
        .unwrap();
    all_sent(&page).await;
    assert_eq!(admin.json("/api/posts?unread_only=true").await["total"], 30);
}

#[tokio::test]
async fn an_item_is_shared_by_its_address_where_there_is_no_share_sheet() {
    let lede = lede(false).await;
    let feed = "<rss version='2.0'><channel><title>Talk</title>
        <item><title>One</title><link>https://site.example/1</link></item>
        <item><title>Two</title><link>https://site.example/2</link></item></channel></rss>";
    let items = follow(&lede, Reply::body("application/rss+xml", feed)).await;
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    for (item, is_by_key, copied) in [
        (&items[0], false, "https://site.example/1"),
        (&items[1], true, "https://site.example/2"),
    ] {
        page.goto(item).await.unwrap();
        assert_eq!(page.eval("'share' in navigator").await.unwrap(), false);
        if is_by_key {
            page.press("S").await.unwrap();
        } else {
            page.click(".share").await.unwrap();
        }
        appears(&page, ".toast").await;
        assert_eq!(page.text(".toast p").await.unwrap(), "Link copied");
        // Pastes to see what was copied.
        page.click("#search, [type=search]").await.unwrap();
        page.press("Control+v").await.unwrap();
        let pasted = format!("document.activeElement.value === '{copied}'");
        page.wait_for(&pasted).await.unwrap();
    }
}
