//! Managing feeds in a real Chromium: script behaviour and accessibility of the pages.

use lede_core::worker;
use lede_store::Engine;
use lede_testkit::browser::{Browser, Page};
use lede_testkit::http::Http;
use lede_testkit::{ADMIN, Options, PASSWORD, Reply, TestLede};
use serde_json::{Value, json};

use crate::browser::appears;

const NONE: Vec<String> = Vec::new();

/// An account with three feeds, a category, a rule and a saved search.
struct Desk {
    lede: TestLede,
    reader: Http,
    feeds: Vec<Value>,
    category: Value,
    rule: Value,
}

fn news(title: &str) -> Reply {
    Reply::rss(
        title,
        &[
            ("First", "<p>one</p>"),
            ("Second", "<p>two</p>"),
            ("Third", "<p>three</p>"),
        ],
    )
}

impl Desk {
    async fn set() -> Self {
        let lede = TestLede::start(Engine::Sqlite, Options::default()).await;
        let reader = lede.admin().await;
        let mut feeds = Vec::new();
        for name in ["ada", "ben", "cid"] {
            let url = lede.site.put(&format!("/{name}.xml"), news(name));
            let added = reader.post("/api/feeds", json!({ "url": url })).await;
            feeds.push(added.expect(201).json()["id"].clone());
        }
        let made = reader
            .post("/api/categories", json!({"name": "Science"}))
            .await;
        let category = made.expect(201).json()["id"].clone();
        let body = json!({"name": "Firsts", "query": "first", "actions": {"star": true}});
        let rule = reader
            .post("/api/rules", body.clone())
            .await
            .expect(201)
            .json()["id"]
            .clone();
        reader.post("/api/searches", body).await.expect(201);
        worker::run_queues(&lede.lede).await.unwrap();
        Self {
            lede,
            reader,
            feeds,
            category,
            rule,
        }
    }

    async fn sign_in(&self, page: &Page) {
        page.goto(&self.lede.url("/auth/login")).await.unwrap();
        page.fill("#email", ADMIN).await.unwrap();
        page.fill("#password", PASSWORD).await.unwrap();
        page.press("Enter").await.unwrap();
        page.wait_for("location.pathname === '/'").await.unwrap();
    }

    /// The names of the feeds, in order.
    async fn order(&self) -> Vec<String> {
        let feeds = self.reader.json("/api/feeds").await;
        let name = |feed: &Value| feed["title"].as_str().unwrap().to_owned();
        feeds.as_array().unwrap().iter().map(name).collect()
    }
}

#[tokio::test]
async fn a_feed_is_found_looked_at_and_followed() {
    let (desk, browser) = (Desk::set().await, Browser::start().await.unwrap());
    let page = browser.page().await.unwrap();
    desk.sign_in(&page).await;
    let site = &desk.lede.site;
    site.put("/posts.xml", news("Posts"));
    site.put("/talk.xml", news("Talk about posts"));
    let links = r#"<!doctype html><title>A site</title>
        <link rel="alternate" type="application/rss+xml" title="Posts" href="/posts.xml">
        <link rel="alternate" type="application/rss+xml" title="Talk" href="/talk.xml">"#;
    let address = site.put("/", Reply::body("text/html", links));
    let held = site.hold().await;
    let query: String = url::form_urlencoded::byte_serialize(address.as_bytes()).collect();
    page.goto(&desk.lede.url(&format!("/add?url={query}")))
        .await
        .unwrap();
    appears(&page, "#trying:not(:empty)").await;
    let said = page.text("#trying").await.unwrap();
    assert_eq!(said, format!("Checking {address}…"));
    drop(held);
    appears(&page, "#preview h2").await;
    assert_eq!(page.text("#preview h2").await.unwrap(), "Posts");
    page.click("input[value$='talk.xml']").await.unwrap();
    page.wait_for("document.querySelector('#preview h2').innerText === 'Talk about posts'")
        .await
        .unwrap();
    assert_eq!(page.barriers("").await.unwrap(), NONE);
    page.click(".found button").await.unwrap();
    page.wait_for("location.search.startsWith('?feed=')")
        .await
        .unwrap();
    assert_eq!(page.text("h1").await.unwrap(), "Talk about posts");

    page.goto(&desk.lede.url("/add")).await.unwrap();
    page.fill("#url", "two words").await.unwrap();
    page.press("Enter").await.unwrap();
    appears(&page, "#result .error").await;
    page.offline(true).await.unwrap();
    page.press("Enter").await.unwrap();
    page.wait_for("document.querySelector('#result').innerText.includes('Can’t reach Lede')")
        .await
        .unwrap();
}

#[tokio::test]
async fn a_bookmark_takes_the_page_that_is_looked_at_to_lede() {
    let (desk, browser) = (Desk::set().await, Browser::start().await.unwrap());
    let page = browser.page().await.unwrap();
    desk.sign_in(&page).await;
    page.goto(&desk.lede.url("/add")).await.unwrap();
    appears(&page, "#bookmark").await;
    let bookmark = page.eval("decodeURIComponent(document.querySelector('#bookmark').href)");
    let bookmark = bookmark.await.unwrap();
    let script = bookmark.as_str().unwrap().strip_prefix("javascript:");
    let script = script.unwrap().to_owned();
    let site = desk
        .lede
        .site
        .put("/a%26b", Reply::body("text/html", "<p>A site"));
    page.goto(&site).await.unwrap();
    let opened =
        format!("(() => {{ let to; const open = (url) => (to = url); {script}; return to; }})()");
    let opened = page.eval(&opened).await.unwrap();
    page.goto(opened.as_str().unwrap()).await.unwrap();
    let field = page.eval("document.querySelector('#url').value");
    assert_eq!(field.await.unwrap(), json!(site));
}

#[tokio::test]
async fn feeds_are_arranged_by_keyboard_and_by_hand() {
    let (desk, browser) = (Desk::set().await, Browser::start().await.unwrap());
    let page = browser.page().await.unwrap();
    desk.sign_in(&page).await;
    page.goto(&desk.lede.url("/subscriptions")).await.unwrap();
    appears(&page, "[draggable]").await;
    let last = &desk.feeds[2];
    let first_is = |name: &str| {
        format!(
            "document.querySelector('.shelf:last-of-type .feed-rows .name').innerText === '{name}'"
        )
    };
    page.eval(&format!("document.querySelector('#up-{last}').focus()"))
        .await
        .unwrap();
    page.press("Enter").await.unwrap();
    appears(&page, "#confirmation .confirmation").await;
    page.wait_for(&format!(
        "!!document.querySelector('[draggable]') && document.activeElement.id === 'up-{last}'"
    ))
    .await
    .unwrap();
    page.press("Enter").await.unwrap();
    page.wait_for(&first_is("cid")).await.unwrap();
    page.wait_for(&format!("document.activeElement.id === 'down-{last}'"))
        .await
        .unwrap();
    assert_eq!(desk.order().await, ["cid", "ada", "ben"]);

    let row = format!("[data-feed='{last}']");
    let shelf = format!("[data-category='{}'] .shelf-head", desk.category);
    page.drag(&row, &shelf, 0.5).await.unwrap();
    page.wait_for(&format!(
        "!!document.querySelector('[data-category=\"{}\"] [data-feed=\"{last}\"][draggable]')",
        desk.category
    ))
    .await
    .unwrap();

    page.fill("#q", "BEN").await.unwrap();
    page.wait_for("document.querySelectorAll('[data-feed]').length === 1")
        .await
        .unwrap();
    page.click(".tick input").await.unwrap();
    appears(&page, ".selection").await;
    page.click(".selection summary").await.unwrap();
    page.click(".selection .bad").await.unwrap();
    page.wait_for("document.querySelector('#confirmation').innerText.includes('Unsubscribed')")
        .await
        .unwrap();
    assert_eq!(desk.order().await, ["cid", "ada"]);
    assert_eq!(page.complaints().await, NONE);
}

#[tokio::test]
async fn feeds_are_selected_at_once_and_their_actions_stay_in_sight() {
    let (desk, browser) = (Desk::set().await, Browser::start().await.unwrap());
    let page = browser.page().await.unwrap();
    desk.sign_in(&page).await;
    let selected = "[...document.querySelectorAll('#arrange [name=feed]:checked')].map((box) => box.value).join()";
    let all = format!("{},{},{}", desk.feeds[0], desk.feeds[1], desk.feeds[2]);
    for (width, height, is_phone) in [(1024, 360, false), (390, 420, true)] {
        page.set_viewport(width, height, is_phone).await.unwrap();
        page.goto(&desk.lede.url("/subscriptions")).await.unwrap();
        appears(&page, "[draggable]").await;
        page.click("[data-select-all]").await.unwrap();
        assert_eq!(page.eval(selected).await.unwrap(), all.as_str());
        assert_eq!(page.text("#selection output").await.unwrap(), "3");
        // The list is longer than the window, and the bar below it is in sight nevertheless.
        let bar = "(() => { scrollTo(0, 0);
            const { bottom, height } = document.querySelector('.selection').getBoundingClientRect();
            const rows = [...document.querySelectorAll('#arrange [data-feed]')].at(-1).getBoundingClientRect();
            return height > 0 && Math.round(bottom) <= innerHeight && rows.bottom > innerHeight; })()";
        assert_eq!(page.eval(bar).await.unwrap(), true, "{width}");
        page.click("[data-select-all]").await.unwrap();
        assert_eq!(page.eval(selected).await.unwrap(), "");
    }

    page.click(&format!("[name=feed][value='{}']", desk.feeds[0]))
        .await
        .unwrap();
    let is_partial = "document.querySelector('[data-select-all]').indeterminate";
    assert_eq!(page.eval(is_partial).await.unwrap(), true);
    page.eval(&format!(
        "document.querySelector('[name=feed][value=\"{}\"]').dispatchEvent(
            new MouseEvent('click', {{ bubbles: true, cancelable: true, shiftKey: true }}))",
        desk.feeds[2]
    ))
    .await
    .unwrap();
    assert_eq!(page.eval(selected).await.unwrap(), all.as_str());
    assert_eq!(page.complaints().await, NONE);
}

#[tokio::test]
async fn searches_are_put_in_order_by_keyboard_and_by_hand() {
    let (desk, browser) = (Desk::set().await, Browser::start().await.unwrap());
    let page = browser.page().await.unwrap();
    for name in ["Seconds", "Thirds"] {
        let body = json!({ "name": name, "query": "second" });
        desk.reader.post("/api/searches", body).await.expect(201);
    }
    let kept = desk.reader.json("/api/searches").await;
    let row = |at: usize| format!("[data-move='search:{}']", kept[at]["id"]);
    let names =
        "[...document.querySelectorAll('#arrange .name a')].map((name) => name.innerText).join()";
    desk.sign_in(&page).await;
    page.goto(&desk.lede.url("/rules")).await.unwrap();
    appears(&page, "[draggable]").await;
    page.drag(&row(2), &row(0), 0.2).await.unwrap();
    page.wait_for(&format!("{names} === 'Thirds,Firsts,Seconds'"))
        .await
        .unwrap();
    page.wait_for("document.querySelector('#confirmation').innerText === 'Moved.'")
        .await
        .unwrap();
    page.eval(&format!(
        "document.querySelector('#up-{}').focus()",
        kept[1]["id"]
    ))
    .await
    .unwrap();
    page.press("Enter").await.unwrap();
    page.wait_for(&format!("{names} === 'Thirds,Seconds,Firsts'"))
        .await
        .unwrap();
    let order = |kept: Value| {
        let names = kept.as_array().unwrap().iter();
        names
            .map(|kept| kept["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let kept = desk.reader.json("/api/searches").await;
    assert_eq!(order(kept), ["Thirds", "Seconds", "Firsts"]);

    // The tree of the reading view behaves the same.
    page.goto(&desk.lede.url("/")).await.unwrap();
    page.drag(".kept-search:last-child", ".kept-search:first-child", 0.2)
        .await
        .unwrap();
    page.wait_for("document.querySelector('.toast')?.textContent === 'Moved'")
        .await
        .unwrap();
    let kept = desk.reader.json("/api/searches").await;
    assert_eq!(order(kept), ["Firsts", "Thirds", "Seconds"]);
    page.goto(&desk.lede.url("/")).await.unwrap();
    page.eval("document.querySelector('.kept-search a').focus()")
        .await
        .unwrap();
    page.press("Alt+ArrowRight").await.unwrap();
    page.press("Alt+ArrowDown").await.unwrap();
    page.wait_for("document.querySelector('.toast')?.textContent === 'Moved'")
        .await
        .unwrap();
    let kept = desk.reader.json("/api/searches").await;
    assert_eq!(order(kept), ["Thirds", "Firsts", "Seconds"]);
    assert_eq!(page.complaints().await, NONE);
}

#[tokio::test]
async fn a_dropped_list_is_taken_in() {
    let (desk, browser) = (Desk::set().await, Browser::start().await.unwrap());
    let page = browser.page().await.unwrap();
    desk.sign_in(&page).await;
    page.goto(&desk.lede.url("/subscriptions")).await.unwrap();
    appears(&page, "[draggable]").await;
    let drop = |text: &str| {
        let text = Value::from(text);
        format!(
            "(() => {{
                const carried = new DataTransfer();
                carried.items.add(new File([{text}], 'list.opml', {{ type: 'text/x-opml' }}));
                for (const type of ['dragover', 'drop'])
                    document.querySelector('h1').dispatchEvent(new DragEvent(type, {{ bubbles: true, cancelable: true, dataTransfer: carried }}));
            }})()"
        )
    };
    page.eval(&drop("no list")).await.unwrap();
    appears(&page, "#import-result .error").await;
    let feeds: String = (0..250)
        .map(|n| format!("<outline text='Feed {n}' xmlUrl='https://{n}.example.org/feed'/>"))
        .collect();
    let list =
        format!("<opml><body>{feeds}<outline text='Bad' xmlUrl='ftp://x.example/'/></body></opml>");
    page.eval(&drop(&list)).await.unwrap();
    page.wait_for("location.pathname.startsWith('/imports/')")
        .await
        .unwrap();
    appears(&page, "#import .button.primary").await;
    let told = page.text("#import").await.unwrap();
    assert!(told.contains("250") && told.contains("Bad"), "{told}");
    assert_eq!(page.barriers("").await.unwrap(), NONE);

    // The same list by URL.
    page.goto(&desk.lede.url("/subscriptions")).await.unwrap();
    let url = desk.lede.site.put("/list.opml", Reply::status(404));
    page.fill("#list-url", &url).await.unwrap();
    page.press("Enter").await.unwrap();
    appears(&page, "#import-result .error").await;
    let told = page.text("#import-result").await.unwrap();
    assert!(told.contains("404"), "{told}");
    desk.lede
        .site
        .put("/list.opml", Reply::body("text/x-opml", list));
    page.click("#import-address button").await.unwrap();
    page.wait_for("location.pathname.startsWith('/imports/')")
        .await
        .unwrap();
}

#[tokio::test]
async fn a_rule_shows_what_it_would_be_about_while_it_is_typed() {
    let (desk, browser) = (Desk::set().await, Browser::start().await.unwrap());
    let page = browser.page().await.unwrap();
    desk.sign_in(&page).await;
    page.goto(&desk.lede.url("/rules")).await.unwrap();
    page.fill("#query", "title:second").await.unwrap();
    page.wait_for("document.querySelectorAll('#rule-preview li').length === 3")
        .await
        .unwrap();
    page.goto(&desk.lede.url(&format!("/rules/{}", desk.rule)))
        .await
        .unwrap();
    page.wait_for("document.querySelector('#rule-preview').innerText.includes('3 items')")
        .await
        .unwrap();
    assert_eq!(page.complaints().await, NONE);
}

#[tokio::test]
async fn every_page_is_sound_and_without_barriers_in_both_themes_and_sizes() {
    let (desk, browser) = (Desk::set().await, Browser::start().await.unwrap());
    let long = "A name that goes on and on ".repeat(12);
    let url = desk.lede.site.put("/long.xml", news(&long));
    desk.reader
        .post("/api/feeds", json!({ "url": url }))
        .await
        .expect(201);
    desk.lede.site.put("/ben.xml", Reply::status(410));
    let ben = &desk.feeds[1];
    desk.reader
        .post(&format!("/api/feeds/{ben}/refresh"), json!({}))
        .await
        .expect(200);
    for (scheme, width, height, is_phone, language) in [
        ("light", 1440, 900, false, "en"),
        ("dark", 360, 740, true, "en"),
        ("dark", 1440, 900, false, "pt"),
        ("light", 360, 740, true, "ja"),
    ] {
        let body = json!({ "language": language }).to_string().into_bytes();
        let json = [("content-type", "application/json")];
        let chosen = desk.reader.send(
            http::Method::PATCH,
            "/api/users/me/preferences",
            &json,
            body,
        );
        chosen.await.expect(200);
        let page = browser.page().await.unwrap();
        page.set_scheme(scheme).await.unwrap();
        page.set_viewport(width, height, is_phone).await.unwrap();
        desk.sign_in(&page).await;
        for path in [
            "/add".to_owned(),
            "/subscriptions".to_owned(),
            "/subscriptions?q=nothing".to_owned(),
            format!("/feeds/{}", desk.feeds[0]),
            format!("/feeds/{ben}"),
            format!("/categories/{}", desk.category),
            "/rules".to_owned(),
            format!("/rules/{}", desk.rule),
        ] {
            page.goto(&desk.lede.url(&path)).await.unwrap();
            let said = format!("{path}, {scheme}, {width} wide, {language}");
            page.eval("document.querySelector('.tick input')?.click()")
                .await
                .unwrap();
            let wide = page
                .eval("document.documentElement.scrollWidth > innerWidth")
                .await;
            assert_eq!(wide.unwrap(), false, "{said}");
            let headings = page.eval("document.querySelectorAll('h1').length").await;
            assert_eq!(headings.unwrap(), 1, "{said}");
            assert_eq!(page.complaints().await, NONE, "{said}");
            assert_eq!(page.barriers("").await.unwrap(), NONE, "{said}");
        }
    }
}
