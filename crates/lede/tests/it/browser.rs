//! The pages in a real Chromium. One engine is enough: differences between the two are tested over HTTP.

use std::time::Duration;

use crate::images::PIXEL;
use lede_core::Registration;
use lede_core::maintenance::health;
use lede_store::Engine;
use lede_testkit::browser::{Browser, Page};
use lede_testkit::{ADMIN, Options, PASSWORD, Reply, TestLede};
use serde_json::{Value, json};

const NONE: Vec<String> = Vec::new();

pub(crate) const DESKTOP: (u32, u32, bool) = (1440, 900, false);
pub(crate) const PHONE: (u32, u32, bool) = (360, 740, true);
/// Size in CSS pixels of a desktop window at 200 %.
pub(crate) const ENLARGED: (u32, u32, bool) = (720, 450, false);

pub(crate) fn news() -> Reply {
    Reply::rss(
        "Daily",
        &[
            (
                "Newest",
                "<p>The <b>newest</b> thing that happened.</p><script>localStorage.x = 1</script>",
            ),
            ("Older", "<p>An older thing.</p>"),
        ],
    )
}

pub(crate) async fn lede(is_empty: bool) -> TestLede {
    let options = Options {
        is_empty,
        ..Options::default()
    };
    TestLede::start(Engine::Sqlite, options).await
}

/// Publishes a page whose feed is [`news`] and returns its address.
pub(crate) fn site(lede: &TestLede) -> String {
    lede.site.put("/feed.xml", news());
    let link = r#"<link rel="alternate" type="application/rss+xml" href="/feed.xml">"#;
    let page = format!("<!doctype html><title>A site</title>{link}<p>Welcome");
    lede.site.put("/", Reply::body("text/html", page))
}

/// Subscribes to `reply` and returns the addresses of its items, newest first.
pub(crate) async fn follow(lede: &TestLede, reply: Reply) -> Vec<String> {
    let url = lede.site.put("/followed.xml", reply);
    let admin = lede.admin().await;
    let added = admin.post("/api/feeds", json!({ "url": url })).await;
    let feed = added.expect(201).json()["id"].clone();
    let page = admin.json(&format!("/api/feeds/{feed}/items")).await;
    let items = page["items"].as_array().unwrap();
    let address = |item: &Value| lede.url(&format!("/items/{}", item["id"]));
    items.iter().map(address).collect()
}

pub(crate) async fn sign_in(page: &Page, lede: &TestLede) {
    page.goto(&lede.url("/auth/login")).await.unwrap();
    page.fill("#email", ADMIN).await.unwrap();
    page.fill("#password", PASSWORD).await.unwrap();
    page.press("Enter").await.unwrap();
    appears(page, ".list-head").await;
}

/// Waits until the page and its scripts have loaded and `selector` matches a visible element.
pub(crate) async fn appears(page: &Page, selector: &str) {
    let selector = Value::from(selector);
    page.wait_for(&format!(
        "!!document.querySelector({selector})?.checkVisibility()"
    ))
    .await
    .unwrap();
}

pub(crate) async fn is_shown(page: &Page, selector: &str) -> bool {
    let selector = Value::from(selector);
    let js = format!("!!document.querySelector({selector})?.checkVisibility()");
    page.eval(&js).await.unwrap() == true
}

/// Waits until every mark has been sent to the server.
pub(crate) async fn all_sent(page: &Page) {
    let js = "new Promise((resolve) => { const opening = indexedDB.open('lede', 1);
        opening.onsuccess = () => { const all = opening.result.transaction('marks').objectStore('marks').count();
            all.onsuccess = () => { opening.result.close(); resolve(all.result === 0); }; }; })";
    page.wait_for(js).await.unwrap();
}

/// Checks the accessibility basics of a page, and that the browser logged no complaint.
pub(crate) async fn is_sound(page: &Page, name: &str) {
    let problems = page
        .eval(
            r"(() => {
                const problems = [];
                const count = (selector) => document.querySelectorAll(selector).length;
                if (count('h1') !== 1) problems.push(count('h1') + ' h1');
                if (count('main') !== 1) problems.push(count('main') + ' main');
                if (!document.documentElement.lang) problems.push('no language');
                if (!document.title) problems.push('no title');
                for (const field of document.querySelectorAll('input:not([type=hidden])'))
                    if (!field.labels.length) problems.push('no label: ' + field.outerHTML);
                for (const control of document.querySelectorAll('a, button'))
                    if (!control.textContent.trim()) problems.push('no name: ' + control.outerHTML);
                if (count('[style], style, [onclick]')) problems.push('inline style or script');
                const { scrollWidth } = document.documentElement;
                if (scrollWidth > innerWidth) problems.push(`${scrollWidth} wide in a window of ${innerWidth}`);
                return problems;
            })()",
        )
        .await
        .unwrap();
    assert_eq!(problems, json!([]), "{name}");
    assert_eq!(page.complaints().await, NONE, "{name}");
}

#[tokio::test]
async fn from_set_up_to_the_first_item_read() {
    let (lede, browser) = (lede(true).await, Browser::start().await.unwrap());
    let address = site(&lede);
    let page = browser.page().await.unwrap();
    page.goto(&lede.url("/")).await.unwrap();
    page.fill("#email", ADMIN).await.unwrap();
    page.press("Tab").await.unwrap();
    page.fill("#password", PASSWORD).await.unwrap();
    page.fill("#password_confirm", PASSWORD).await.unwrap();
    page.press("Enter").await.unwrap();
    appears(&page, ".empty").await;
    is_sound(&page, "the empty list").await;

    page.fill("#add-url", &address).await.unwrap();
    page.press("Enter").await.unwrap();
    appears(&page, "form.found button").await;
    is_sound(&page, "what was found").await;
    page.click("form.found button").await.unwrap();
    page.wait_for("location.search.startsWith('?feed=')")
        .await
        .unwrap();
    appears(&page, ".item").await;
    assert_eq!(page.text("h1").await.unwrap(), "Daily");
    is_sound(&page, "the list of a feed").await;

    page.click(".item:first-child a").await.unwrap();
    appears(&page, "article[data-marked=read]").await;
    assert_eq!(page.text("article h2").await.unwrap(), "Newest");
    let text = page
        .eval("document.querySelector('.text').innerHTML.trim()")
        .await
        .unwrap();
    assert_eq!(text, "<p>The <b>newest</b> thing that happened.</p>");
    let unread =
        "document.querySelector('[data-unread-in=all]').firstElementChild.textContent === ";
    page.wait_for(&format!("{unread}'1'")).await.unwrap();
    is_sound(&page, "an item").await;

    page.click(".mark-star").await.unwrap();
    appears(&page, ".mark-star[aria-pressed=true]").await;
    page.click(".mark-unread").await.unwrap();
    appears(&page, "article[data-marked=unread]").await;
    page.wait_for(&format!("{unread}'2'")).await.unwrap();
    assert_eq!(page.text(".mark-unread").await.unwrap(), "Mark read");
    page.click(".mark-unread").await.unwrap();
    appears(&page, "article[data-marked=read]").await;
    all_sent(&page).await;

    page.goto(&lede.url("/")).await.unwrap();
    page.wait_for("document.querySelectorAll('.item').length === 1")
        .await
        .unwrap();
    assert_eq!(page.text(".item .title").await.unwrap(), "Older");
    page.click(".tabs a:nth-child(2)").await.unwrap();
    appears(&page, ".item.read").await;
    assert_eq!(page.text(".item.read .title").await.unwrap(), "Newest");
    page.click(".tabs a:nth-child(3)").await.unwrap();
    page.wait_for("location.search.includes('show=starred')")
        .await
        .unwrap();
    appears(&page, ".item[data-starred] .title").await;
    assert_eq!(page.text(".item .title").await.unwrap(), "Newest");
    is_sound(&page, "the starred items").await;
}

#[tokio::test]
async fn the_theme_follows_the_system_until_the_user_chooses() {
    let (lede, browser) = (lede(false).await, Browser::start().await.unwrap());
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    let is_dark = async || {
        let js = "(() => { const canvas = document.createElement('canvas').getContext('2d');
            canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
            canvas.fillRect(0, 0, 1, 1);
            return canvas.getImageData(0, 0, 1, 1).data[0] < 128; })()";
        page.eval(js).await.unwrap() == true
    };
    let theme = "document.querySelector('[name=theme]:checked').value";
    assert!(!is_dark().await);
    page.set_scheme("dark").await.unwrap();
    assert!(is_dark().await);
    assert_eq!(page.eval(theme).await.unwrap(), "system");
    for (next, dark) in [
        ("light", false),
        ("dark", true),
        ("black", true),
        ("sepia", false),
        ("system", true),
    ] {
        page.eval("delete document.documentElement.dataset.saved")
            .await
            .unwrap();
        page.press("t").await.unwrap();
        let after = (page.eval(theme).await.unwrap(), is_dark().await);
        assert_eq!(after, (next.into(), dark));
        page.wait_for("document.documentElement.dataset.saved === 'theme'")
            .await
            .unwrap();
        page.goto(&lede.url("/?show=all")).await.unwrap();
        let after = (page.eval(theme).await.unwrap(), is_dark().await);
        assert_eq!(after, (next.into(), dark), "it is remembered");
    }
    page.eval("fetch('/api/auth/me').then(() => 0)")
        .await
        .unwrap();
    is_sound(&page, "the list").await;
}

#[tokio::test]
async fn on_a_phone_the_feeds_are_in_a_drawer() {
    let (lede, browser) = (lede(false).await, Browser::start().await.unwrap());
    follow(&lede, news()).await;
    let page = browser.page().await.unwrap();
    let (width, height, is_phone) = PHONE;
    page.set_viewport(width, height, is_phone).await.unwrap();
    sign_in(&page, &lede).await;
    assert!(!is_shown(&page, "#tree").await);
    page.click(".menu").await.unwrap();
    appears(&page, "#tree").await;
    page.press("Tab").await.unwrap();
    let focus = page.eval("document.activeElement.textContent.trim()").await;
    assert_eq!(focus.unwrap(), "Add", "the focus goes into what was opened");
    page.press("Escape").await.unwrap();
    page.wait_for("!document.querySelector('#tree').checkVisibility()")
        .await
        .unwrap();
    let focus = page.eval("document.activeElement.className").await.unwrap();
    assert_eq!(focus, "icon menu", "and comes back");
    page.click(".menu").await.unwrap();
    appears(&page, "#tree").await;
    is_sound(&page, "the drawer").await;
    page.click(".menu").await.unwrap();
    page.wait_for("!document.querySelector('#tree').checkVisibility()")
        .await
        .unwrap();
    page.click(".menu").await.unwrap();
    page.click(".feed a").await.unwrap();
    page.wait_for("location.search.startsWith('?feed=')")
        .await
        .unwrap();
    assert!(!is_shown(&page, "#tree").await);
}

/// Payloads of a hostile feed. Each would leave a trace that outlives the page.
const PAYLOADS: [&str; 14] = [
    "<script>localStorage.x = 1</script>",
    "<img src=x onerror='localStorage.x = 1'>",
    "<svg onload='localStorage.x = 1'></svg>",
    "<svg><script>localStorage.x = 1</script></svg>",
    "\"><script>localStorage.x = 1</script>",
    "' autofocus onfocus='localStorage.x = 1' x='",
    "\" onmouseover=\"localStorage.x = 1\" style=\"position:fixed;inset:0\" \"",
    "</title></head><script>localStorage.x = 1</script>",
    "<iframe srcdoc=\"<script>parent.localStorage.x = 1</script>\"></iframe>",
    "<a href=\"javascript:localStorage.x=1\" id=\"trap\">press</a>",
    "<details open ontoggle='localStorage.x = 1'>x</details>",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=localStorage.x=1&gt;\">",
    "<form action=/auth/logout method=post><button autofocus>press</button></form><meta http-equiv=refresh content=\"0;url=/swagger/\">",
    "<p hx-get=\"/auth/logout\" hx-trigger=\"load\" hx-on:load=\"localStorage.x=1\" data-hx-post=\"/auth/logout\">{{ 7 * 7 }} {% raw %}</p>",
];

fn hostile_feed() -> Reply {
    let items: String = PAYLOADS
        .iter()
        .enumerate()
        .map(|(number, payload)| {
            let safe = payload.replace("]]>", "");
            format!(
                "<item><title><![CDATA[{number} {safe}]]></title><dc:creator><![CDATA[{safe}]]></dc:creator>\
                 <link>javascript:localStorage.x=1</link><guid>{number}</guid>\
                 <description><![CDATA[<p>Text {number}</p>{safe}]]></description></item>"
            )
        })
        .collect();
    let title = PAYLOADS[..7].concat();
    Reply::body(
        "application/rss+xml",
        format!(
            "<rss version='2.0' xmlns:dc='http://purl.org/dc/elements/1.1/'><channel><title><![CDATA[{title}]]></title>{items}</channel></rss>"
        ),
    )
}

#[tokio::test]
async fn what_a_hostile_feed_carries_stays_text() {
    let (lede, browser) = (lede(false).await, Browser::start().await.unwrap());
    // The image of one payload, which is shown through the proxy.
    lede.site.put("/x", Reply::body("image/png", PIXEL));
    let items = follow(&lede, hostile_feed()).await;
    assert_eq!(items.len(), PAYLOADS.len());
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    for item in &items {
        page.goto(item).await.unwrap();
        appears(&page, "article[data-marked=read]").await;
        page.eval("document.querySelector('.text #trap, .text a')?.click()")
            .await
            .unwrap();
        is_sound(&page, item).await;
        let left = "document.querySelectorAll('.article :is(script, iframe, form, style), .text [hx-get], [href^=\"javascript\"], \
            [onerror], [onload], [onfocus], [onmouseover], [ontoggle]').length";
        assert_eq!(page.eval(left).await.unwrap(), 0, "{item}");
        assert_eq!(page.url().await.unwrap(), *item);
    }
    page.goto(&lede.url("/?show=all")).await.unwrap();
    let rows = page.eval("document.querySelectorAll('.item').length").await;
    assert_eq!(rows.unwrap(), PAYLOADS.len());
    is_sound(&page, "the list").await;
    page.fill("#search", "\"><script>localStorage.x = 1</script>")
        .await
        .unwrap();
    page.press("Enter").await.unwrap();
    page.wait_for("location.search.startsWith('?q=')")
        .await
        .unwrap();
    is_sound(&page, "the search").await;
    page.goto(&lede.url("/?show=all")).await.unwrap();
    for _ in &items {
        page.press("j").await.unwrap();
        appears(&page, "#pane article[data-marked=read]").await;
    }
    is_sound(&page, "the items beside the list").await;
    assert_eq!(page.eval("localStorage.x").await.unwrap(), json!(null));
}

#[tokio::test]
async fn a_session_that_ends_while_reading_is_reported_and_renewed() {
    let (lede, browser) = (lede(false).await, Browser::start().await.unwrap());
    let items = follow(&lede, news()).await;
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    page.goto(&items[0]).await.unwrap();
    appears(&page, "article[data-marked=read]").await;
    lede.clock.advance(Duration::from_secs(15 * 24 * 3600));
    page.click(".mark-star").await.unwrap();
    appears(&page, ".toast a").await;
    assert_eq!(
        page.text(".toast p").await.unwrap(),
        "You’ve been signed out."
    );
    appears(&page, ".waiting").await;
    let waiting = page.text(".waiting").await.unwrap();
    assert_eq!(waiting, "1 change will be saved when you sign in again");
    is_sound(&page, "the item with an error").await;

    page.click(".toast a").await.unwrap();
    page.fill("#email", ADMIN).await.unwrap();
    page.fill("#password", PASSWORD).await.unwrap();
    page.press("Enter").await.unwrap();
    appears(&page, ".mark-star").await;
    assert_eq!(page.url().await.unwrap(), items[0]);
    // Marks made in the meantime were not lost.
    appears(&page, ".mark-star[aria-pressed=true]").await;
    all_sent(&page).await;
    let admin = lede.admin().await;
    let starred = admin.json("/api/posts?starred_only=true").await;
    assert_eq!(
        starred["posts"].as_array().map(Vec::len),
        Some(1),
        "{starred}"
    );
}

#[tokio::test]
async fn the_api_can_be_read_and_tried_under_the_strict_policy() {
    let (lede, browser) = (lede(false).await, Browser::start().await.unwrap());
    let page = browser.page().await.unwrap();
    page.goto(&lede.url("/swagger/")).await.unwrap();
    page.click("[data-path='/health'] a, [data-path='/health']")
        .await
        .unwrap();
    page.click(".opblock.is-open .try-out__btn").await.unwrap();
    page.click(".opblock.is-open .execute").await.unwrap();
    page.wait_for("document.querySelector('.live-responses-table .response .response-col_status')?.innerText.startsWith('200')")
        .await
        .unwrap();
    assert_eq!(page.complaints().await, NONE);
    page.set_scheme("dark").await.unwrap();
    page.wait_for("document.documentElement.classList.contains('dark-mode')")
        .await
        .unwrap();
}

#[tokio::test]
async fn every_page_is_sound_and_without_barriers_in_both_themes_and_sizes() {
    let open = Options {
        registration: Registration::Open,
        ..Options::default()
    };
    let (empty, lede) = (
        lede(true).await,
        TestLede::start(Engine::Sqlite, open).await,
    );
    let browser = Browser::start().await.unwrap();
    let wide: String = (0..60).map(|n| format!("<td>column{n}</td>")).collect();
    let odd = format!(
        "<h2>Heading</h2><p>{}</p><table><tr>{wide}</tr></table><pre>{}</pre><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' width=4000 height=9 alt=x><ul><li>one</ul>",
        "unbreakable".repeat(40),
        "code ".repeat(99)
    );
    let long = "A title that goes on and on, ".repeat(11);
    let items = follow(
        &lede,
        Reply::rss(
            &"Feedname".repeat(20),
            &[
                ("Odd", &odd),
                (&long, ""),
                ("خبر باللغة العربية", "<p>نص</p>"),
            ],
        ),
    )
    .await;
    let admin = lede.admin().await;
    let labels = format!("/api/{}/labels", &items[0][lede.url("/").len()..]);
    let names = json!({"labels": ["Later", "nachtragsvorhaben".repeat(5), "خبر"]});
    admin.put(&labels, names).await.expect(200);
    let label = admin.json("/api/labels").await[1]["id"].to_string();
    for (scheme, (width, height, is_phone)) in
        [("light", DESKTOP), ("dark", PHONE), ("light", ENLARGED)]
    {
        let page = browser.page().await.unwrap();
        let is_enlarged = (width, height, is_phone) == ENLARGED;
        page.set_scheme(scheme).await.unwrap();
        page.set_viewport(width, height, is_phone).await.unwrap();
        let visit = async |address: String| {
            page.goto(&address).await.unwrap();
            let name = format!("{address}, {scheme}, {width} wide");
            is_sound(&page, &name).await;
            // At 200 % a page has the same elements and colours as before.
            if !is_enlarged {
                let barriers = page.barriers("").await.unwrap();
                assert_eq!(barriers, NONE, "{name}");
            }
        };
        visit(empty.url("/")).await;
        visit(lede.url("/auth/login")).await;
        visit(lede.url("/auth/register")).await;
        sign_in(&page, &lede).await;
        for path in ["/", "/?show=starred", "/?show=read", "/account", "/nowhere"] {
            visit(lede.url(path)).await;
        }
        for path in [format!("/?label={label}"), format!("/labels/{label}")] {
            visit(lede.url(&path)).await;
        }
        visit(format!("{}/labels", items[0])).await;
        for item in &items {
            visit(item.clone()).await;
        }
        // Marks made by the item pages are sent while there is still room on the disk.
        visit(lede.url("/")).await;
        all_sent(&page).await;
        lede.disk.leave(1 << 20);
        health::check(&lede.lede, lede.clock.now()).await;
        visit(lede.url("/")).await;
        assert!(is_shown(&page, ".warning").await, "{scheme}, {width} wide");
        lede.disk.leave(1 << 40);
        health::check(&lede.lede, lede.clock.now()).await;
    }
}

/// Presses Tab `steps` times and returns the focused elements, noting those that were not visible.
async fn tab_through(page: &Page, steps: usize) -> Vec<String> {
    let mut stops = Vec::new();
    for _ in 0..steps {
        page.press("Tab").await.unwrap();
        let stop = page
            .eval(
                "(() => { const here = document.activeElement, style = getComputedStyle(here);
                    const seen = style.outlineStyle !== 'none' && here.checkVisibility() && here.getBoundingClientRect().top >= 0;
                    return (here.id || here.ariaLabel || here.innerText.split('\\n')[0].trim() || here.textContent.trim()) + (seen ? '' : ' (not seen)'); })()",
            )
            .await
            .unwrap();
        stops.push(stop.as_str().unwrap_or_default().to_owned());
    }
    stops
}

#[tokio::test]
async fn everything_is_reached_by_keyboard_in_reading_order() {
    let (lede, browser) = (lede(false).await, Browser::start().await.unwrap());
    follow(&lede, news()).await;
    let page = browser.page().await.unwrap();
    page.goto(&lede.url("/auth/login")).await.unwrap();
    page.wait_for("document.activeElement.id === 'email'")
        .await
        .unwrap();
    assert_eq!(tab_through(&page, 2).await, ["password", "Sign in"]);
    sign_in(&page, &lede).await;
    let stops = tab_through(&page, 28).await;
    assert_eq!(
        stops,
        [
            "Skip to content",
            "Feeds",
            "Lede",
            "search",
            "Notifications",
            "Text and theme",
            "Keyboard shortcuts",
            "Settings and account: ada@example.org",
            "Add",
            "Go to a feed",
            "Manage feeds",
            "All items",
            "Starred",
            "History",
            "Dashboard",
            "Hide feeds with nothing unread",
            "Daily",
            "Width of the feed list",
            "Width of the item list",
            "Fetch these feeds now",
            "Unread",
            "All",
            "Starred",
            "Order: Newest first",
            "Layout",
            "Mark all read",
            "More ways to mark read",
            "Unread:",
        ]
    );
}

#[tokio::test]
async fn every_pair_of_colours_has_enough_contrast() {
    let (lede, browser) = (lede(true).await, Browser::start().await.unwrap());
    let page = browser.page().await.unwrap();
    page.goto(&lede.url("/")).await.unwrap();
    let js = r"(() => {
        const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        const probe = document.body.appendChild(document.createElement('p'));
        const luminance = (name) => {
            probe.className = name;
            probe.style.color = `var(--${name})`;
            canvas.fillStyle = getComputedStyle(probe).color;
            canvas.fillRect(0, 0, 1, 1);
            const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) =>
                value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const papers = ['paper', 'paper-2', 'raised'];
        const pairs = [
            ...['ink', 'ink-2', 'ink-3', 'bad'].flatMap((ink) => papers.map((paper) => [ink, paper, 4.5])),
            ...['ink', 'ink-2', 'ink-3', 'accent'].map((ink) => [ink, 'pressed', 4.5]),
            ...['paper', 'paper-2', 'pressed'].map((paper) => ['accent', paper, 4.5]),
            ['paper', 'ink', 4.5], ['bad', 'bad-paper', 4.5],
            ...papers.map((paper) => ['edge', paper, 3]),
        ];
        return pairs.map(([ink, paper, least]) => {
            const [dark, light] = [luminance(ink), luminance(paper)].sort((a, b) => a - b);
            return { pair: `${ink} on ${paper}`, ratio: Math.round((light + 0.05) / (dark + 0.05) * 100) / 100, least };
        });
    })()";
    for theme in ["light", "dark", "black", "sepia"] {
        page.eval(&format!(
            "document.documentElement.dataset.theme = '{theme}'"
        ))
        .await
        .unwrap();
        let pairs = page.eval(js).await.unwrap();
        for pair in pairs.as_array().unwrap() {
            let (ratio, least) = (pair["ratio"].as_f64(), pair["least"].as_f64());
            assert!(ratio >= least, "{theme}: {pair}");
        }
        assert_eq!(pairs.as_array().unwrap().len(), 24);
    }
}

#[tokio::test]
async fn a_picture_that_cannot_be_loaded_takes_no_room() {
    let (lede, browser) = (lede(false).await, Browser::start().await.unwrap());
    lede.site.put("/there.png", Reply::body("image/png", PIXEL));
    let html = format!(
        "<figure><img src='{}' alt='' width='600' height='400'><figcaption>Its caption</figcaption></figure>\
         <p><img src='{}' alt='' width='40' height='40'></p>",
        lede.site.url("/missing.png"),
        lede.site.url("/there.png"),
    );
    let items = follow(&lede, Reply::rss("News", &[("One", &html)])).await;
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    page.goto(&items[0]).await.unwrap();
    let shown = "[...document.querySelectorAll('.text img')].map((one) => one.hidden).join()";
    page.wait_for(&format!("{shown} === 'true,false'"))
        .await
        .unwrap();
    let caption = page.text(".text figcaption").await.unwrap();
    assert_eq!(caption, "Its caption");
}
