//! The look of the reading view in a real Chromium: columns, rows, articles and themes.

use lede_testkit::browser::{Browser, Page};
use lede_testkit::{Reply, TestLede};
use serde_json::{Value, json};

use crate::browser::{
    DESKTOP, PHONE, all_sent, appears, follow, is_shown, is_sound, lede, sign_in,
};
use crate::reading_browser::{many, opens, press_all, reader};

/// The narrowest window with three columns.
const THREE_COLUMNS: (u32, u32, bool) = (1100, 900, false);
/// Windows in which an item opens inside the list.
const TWO_COLUMNS: (u32, u32, bool) = (1024, 900, false);
const DRAWER: (u32, u32, bool) = (768, 700, false);

async fn resize(page: &Page, (width, height, is_phone): (u32, u32, bool)) {
    page.set_viewport(width, height, is_phone).await.unwrap();
}

/// Width of the first element that matches.
async fn width(page: &Page, selector: &str) -> f64 {
    let selector = Value::from(selector);
    let js = format!("document.querySelector({selector}).getBoundingClientRect().width");
    page.eval(&js).await.unwrap().as_f64().unwrap()
}

/// Creates categories, which make the tree longer than the window.
async fn fill_tree(lede: &TestLede) {
    let admin = lede.admin().await;
    for number in 0..60 {
        let category = json!({"name": format!("Category {number}")});
        admin.post("/api/categories", category).await.expect(201);
    }
}

#[tokio::test]
async fn the_page_itself_never_scrolls() {
    let lede = lede(false).await;
    fill_tree(&lede).await;
    let (_browser, page) = reader(&lede, many(40)).await;
    for size in [DESKTOP, THREE_COLUMNS, TWO_COLUMNS, DRAWER, PHONE] {
        resize(&page, size).await;
        page.goto(&lede.url("/?show=all")).await.unwrap();
        let moved = "(() => { const { scrollHeight, scrollTop } = document.documentElement;
            document.documentElement.scrollTop = 500; document.body.scrollTop = 500;
            return [scrollHeight > innerHeight, scrollTop, document.documentElement.scrollTop, document.body.scrollTop].join(); })()";
        assert_eq!(page.eval(moved).await.unwrap(), "false,0,0,0", "{size:?}");
        press_all(&page, &["PageDown"]).await;
        page.wait_for("document.getElementById('main').scrollTop > 100")
            .await
            .unwrap();
        press_all(&page, &["End", "j"]).await;
        opens(&page, "Item 1").await;
        assert_eq!(
            page.eval(moved).await.unwrap(),
            "false,0,0,0",
            "{size:?}, with an item"
        );
        press_all(&page, &["Escape"]).await;
    }
}

#[tokio::test]
async fn the_selected_row_stays_a_third_down_below_the_head() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(40)).await;
    resize(&page, DESKTOP).await;
    for number in 1..=20 {
        press_all(&page, &["j"]).await;
        opens(&page, &format!("Item {number}")).await;
    }
    let js = "(() => { const [row, list] = ['.chosen', '#main'].map((one) => document.querySelector(one).getBoundingClientRect());
        return (row.top - list.top) / list.height; })()";
    let part = page.eval(js).await.unwrap().as_f64().unwrap();
    assert!((0.2..0.5).contains(&part), "{part}");
    let head = "document.querySelector('.list-head').getBoundingClientRect().top - document.getElementById('main').getBoundingClientRect().top";
    assert_eq!(page.eval(head).await.unwrap(), 0.0, "the head stays");
    assert!(is_shown(&page, ".mark-all").await);
    let rows = "(() => { const { top, bottom } = document.getElementById('main').getBoundingClientRect(), head = document.querySelector('.list-head').clientHeight;
        return [...document.querySelectorAll('.item')].filter((row) => { const box = row.getBoundingClientRect(); return box.top >= top + head && box.bottom <= bottom; }).length; })()";
    assert!(page.eval(rows).await.unwrap().as_i64() >= Some(8));
}

#[tokio::test]
async fn a_title_has_three_quarters_of_its_row_when_only_titles_are_shown() {
    let lede = lede(false).await;
    let long = "A title of many words that does not fit into one line of the list ".repeat(2);
    let (_browser, page) = reader(
        &lede,
        Reply::rss(&"A feed with a long name ".repeat(3), &[(&long, "")]),
    )
    .await;
    press_all(&page, &["3"]).await;
    for size in [DESKTOP, THREE_COLUMNS, TWO_COLUMNS, PHONE] {
        resize(&page, size).await;
        let part = width(&page, ".item .title").await / width(&page, ".item .row").await;
        assert!(part >= 0.75, "{size:?}: {part}");
    }
}

#[tokio::test]
async fn a_hidden_tree_comes_back_with_the_menu_button() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(2)).await;
    press_all(&page, &["["]).await;
    assert!(!is_shown(&page, "#tree").await);
    page.goto(&lede.url("/")).await.unwrap();
    assert!(!is_shown(&page, "#tree").await, "it is remembered");
    appears(&page, ".menu[aria-expanded=false]").await;
    page.click(".menu").await.unwrap();
    appears(&page, "#tree").await;
    appears(&page, ".menu[aria-expanded=true]").await;
    is_sound(&page, "the tree").await;
}

#[tokio::test]
async fn columns_leave_room_for_the_article_and_are_resized_by_keyboard() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(2)).await;
    resize(&page, THREE_COLUMNS).await;
    assert!(width(&page, "#pane").await >= 560.0);
    assert!(width(&page, "#main").await >= 320.0);
    resize(&page, DESKTOP).await;
    for (column, part) in [("tree", "#tree"), ("list", "#main")] {
        let before = width(&page, part).await;
        page.eval(&format!(
            "document.querySelector('.divider[data-column={column}]').focus()"
        ))
        .await
        .unwrap();
        press_all(&page, &["ArrowLeft", "ArrowLeft"]).await;
        assert_eq!(width(&page, part).await, before - 32.0, "{column}");
        page.goto(&lede.url("/")).await.unwrap();
        assert_eq!(
            width(&page, part).await,
            before - 32.0,
            "{column} after loading again"
        );
        page.eval(&format!(
            "document.querySelector('.divider[data-column={column}]').focus()"
        ))
        .await
        .unwrap();
        press_all(&page, &["End"]).await;
        assert!(width(&page, "#pane").await >= 560.0, "{column}");
        press_all(&page, &["Home"]).await;
    }
    assert_eq!(page.barriers("").await.unwrap(), [""; 0]);
    is_sound(&page, "narrow columns").await;
}

#[tokio::test]
async fn blocks_of_an_article_have_space_however_deep_they_are() {
    let lede = lede(false).await;
    let html = "<div><div><section><p>One</p><p>Two</p><ul><li>a</li><li>b</li></ul><h2>Heading</h2><p>Three</p><blockquote><p>Q</p></blockquote>
        <figure><figcaption>F</figcaption></figure><pre>code</pre><table><tr><td>cell</td></tr></table><div>A paragraph</div><div>Another</div></section></div></div>";
    let items = follow(&lede, Reply::rss("News", &[("One", html)])).await;
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    sign_in(&page, &lede).await;
    page.goto(&items[0]).await.unwrap();
    let js = "(() => { const boxes = [...document.querySelectorAll('.text :is(p, ul, h2, blockquote, figure, pre, table, div)')]
            .filter((one) => !one.querySelector('p, div') || one.matches('blockquote')).filter((one) => !one.parentElement.closest('blockquote'))
            .map((one) => [one.localName, one.getBoundingClientRect()]);
        return boxes.slice(1).map(([name, box], at) => [name, box.top - boxes[at][1].bottom]).filter(([, gap]) => gap < 12); })()";
    assert_eq!(page.eval(js).await.unwrap(), json!([]));
}

#[tokio::test]
async fn a_star_says_that_it_is_set_and_space_goes_on_reading() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(2)).await;
    press_all(&page, &["j"]).await;
    opens(&page, "Item 1").await;
    let star = "#pane .mark-star";
    assert_eq!(page.text(star).await.unwrap(), "Star");
    page.click(star).await.unwrap();
    appears(&page, ".mark-star[aria-pressed=true]").await;
    assert_eq!(page.text(star).await.unwrap(), "Starred");
    page.wait_for("document.activeElement.id === 'pane'")
        .await
        .unwrap();
    // At the end of the text, Space opens the next item.
    press_all(&page, &[" "]).await;
    opens(&page, "Item 2").await;
    assert!(is_shown(&page, ".item[data-starred] .starred").await);
    all_sent(&page).await;
    page.goto(&lede.url("/?show=starred")).await.unwrap();
    press_all(&page, &["j"]).await;
    opens(&page, "Item 1").await;
    assert_eq!(page.text(star).await.unwrap(), "Starred");
}

#[tokio::test]
async fn text_and_theme_are_chosen_beside_the_article() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(2)).await;
    press_all(&page, &["j"]).await;
    opens(&page, "Item 1").await;
    page.click("#pane .actions [popovertarget=look]")
        .await
        .unwrap();
    appears(&page, "#look").await;
    is_sound(&page, "the menu").await;
    for (name, value, attribute) in [
        ("font", "sans", "font"),
        ("text_size", "22", "size"),
        ("measure", "80", "measure"),
        ("theme", "sepia", "theme"),
    ] {
        page.click(&format!("#look [name={name}][value='{value}']"))
            .await
            .unwrap();
        page.wait_for(&format!(
            "document.documentElement.dataset.{attribute} === '{value}' && document.documentElement.dataset.saved === '{name}'"
        ))
        .await
        .unwrap();
    }
    let size = "getComputedStyle(document.querySelector('#pane .text')).fontSize";
    assert_eq!(page.eval(size).await.unwrap(), "22px");
    assert!(is_shown(&page, "#look").await && is_shown(&page, "#pane article").await);
    for theme in ["sepia", "black", "dark", "light"] {
        page.click(&format!("#look [name=theme][value={theme}]"))
            .await
            .unwrap();
        page.wait_for(&format!(
            "document.documentElement.dataset.theme === '{theme}'"
        ))
        .await
        .unwrap();
        assert_eq!(page.barriers("").await.unwrap(), [""; 0], "{theme}");
    }
    press_all(&page, &["Escape"]).await;
    page.wait_for("!document.querySelector('#look:popover-open')")
        .await
        .unwrap();
    assert!(
        is_shown(&page, "#pane article").await,
        "Escape closes the menu first"
    );
    page.goto(&lede.url("/")).await.unwrap();
    let kept =
        "['font', 'size', 'measure'].map((name) => document.documentElement.dataset[name]).join()";
    assert_eq!(page.eval(kept).await.unwrap(), "sans,22,80");
}

#[tokio::test]
async fn sort_and_layout_are_menus_that_show_their_state() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(2)).await;
    page.click(".order summary").await.unwrap();
    appears(&page, ".order a[aria-current]").await;
    assert_eq!(
        page.text(".order a[aria-current]").await.unwrap(),
        "Newest first"
    );
    assert_eq!(page.barriers("").await.unwrap(), [""; 0]);
    page.click(".order li:last-child a").await.unwrap();
    page.wait_for("location.search === '?order=oldest'")
        .await
        .unwrap();
    assert_eq!(page.text(".item .title").await.unwrap(), "Item 2");
    page.click(".layout summary").await.unwrap();
    page.click(".layout [data-density=cards]").await.unwrap();
    page.wait_for("document.documentElement.dataset.density === 'cards' && !document.querySelector('.layout[open]')").await.unwrap();
    appears(&page, ".item .excerpt").await;
    assert!(
        is_shown(&page, ".layout .as-cards").await && !is_shown(&page, ".layout .as-list").await
    );
    page.click(".layout summary").await.unwrap();
    let pressed = "document.querySelector('.layout [aria-pressed=true]').dataset.density";
    assert_eq!(page.eval(pressed).await.unwrap(), "cards");
    press_all(&page, &["Escape"]).await;
    is_sound(&page, "cards").await;
}

#[tokio::test]
async fn every_row_of_tabs_has_its_selected_tab_in_one_line() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(2)).await;
    for size in [DESKTOP, THREE_COLUMNS, PHONE] {
        resize(&page, size).await;
        for query in [
            "",
            "?show=all",
            "?show=starred",
            "?show=read",
            "?feed=1",
            "?feed=1&show=all",
            "?q=item",
        ] {
            page.goto(&lede.url(&format!("/{query}"))).await.unwrap();
            let tabs = "document.querySelectorAll('.tabs [aria-current]').length";
            assert_eq!(page.eval(tabs).await.unwrap(), 1, "{query}");
            let height = "document.querySelector('.list-tools').clientHeight";
            assert!(
                page.eval(height).await.unwrap().as_f64() <= Some(44.0),
                "{query}, {size:?}"
            );
            let inside = "(() => { const [tools, list] = ['.list-tools', '#main'].map((one) => document.querySelector(one));
                return tools.getBoundingClientRect().right <= list.getBoundingClientRect().right && tools.scrollWidth <= tools.clientWidth; })()";
            assert_eq!(page.eval(inside).await.unwrap(), true, "{query}, {size:?}");
        }
    }
}

#[tokio::test]
async fn a_row_tells_source_age_and_length_apart() {
    let lede = lede(false).await;
    let (_browser, page) = reader(&lede, many(2)).await;
    assert!(is_shown(&page, ".item .from .site").await);
    assert_eq!(page.text(".item .source").await.unwrap(), "Daily");
    // The feed gives no dates.
    assert_eq!(
        page.text(".item .when").await.unwrap().lines().next(),
        Some("seen just now")
    );
    let style = "['.title', '.lede', '.meta'].map((part) => { const { fontSize, color } = getComputedStyle(document.querySelector('.item ' + part)); return fontSize + color; })";
    press_all(&page, &["j"]).await;
    opens(&page, "Item 1").await;
    let styles = page.eval(style).await.unwrap();
    let [title, lede_line, meta] = [0, 1, 2].map(|at| &styles[at]);
    assert!(
        title != lede_line && lede_line != meta && title != meta,
        "{styles}"
    );
    page.goto(&lede.url("/?feed=1")).await.unwrap();
    assert!(
        !is_shown(&page, ".item .source").await,
        "the heading names it"
    );
}

#[tokio::test]
async fn on_a_phone_the_actions_of_an_article_stay_at_the_bottom() {
    let lede = lede(false).await;
    let long = "<p>Text.</p>".repeat(200);
    follow(&lede, Reply::rss("News", &[("One", &long)])).await;
    let browser = Browser::start().await.unwrap();
    let page = browser.page().await.unwrap();
    resize(&page, PHONE).await;
    sign_in(&page, &lede).await;
    page.click(".item a").await.unwrap();
    opens(&page, "One").await;
    page.eval("document.getElementById('pane').scrollTo(0, 1500)")
        .await
        .unwrap();
    let js = "(() => { const { top, bottom } = document.querySelector('.actions').getBoundingClientRect(); return Math.round(bottom) === innerHeight && top > innerHeight - 80; })()";
    page.wait_for(js).await.unwrap();
    page.click("#pane .mark-star").await.unwrap();
    appears(&page, ".mark-star[aria-pressed=true]").await;
    assert_eq!(page.barriers("").await.unwrap(), [""; 0]);
    page.click("#pane .set-labels").await.unwrap();
    appears(&page, "dialog.labels").await;
}

#[tokio::test]
async fn thumbnails_are_shown_on_request_and_failed_pictures_take_no_room() {
    let lede = lede(false).await;
    lede.site.put("/there.gif", Reply::picture());
    let item = |title: &str, path: &str| {
        let url = lede.site.url(path);
        format!(
            "<item><title>{title}</title><guid>{title}</guid><description>Text.</description><enclosure url='{url}' type='image/gif'/></item>"
        )
    };
    let items = item("There", "/there.gif") + &item("Missing", "/missing.gif");
    let feed = format!("<rss version='2.0'><channel><title>News</title>{items}</channel></rss>");
    let (_browser, page) = reader(&lede, Reply::body("application/rss+xml", feed)).await;
    assert!(!is_shown(&page, ".item .picture").await);
    let admin = lede.admin().await;
    let path = "/api/users/me/preferences";
    for wish in [json!({"thumbnails": true}), json!({"density": "cards"})] {
        admin.patch(path, wish.clone()).await.expect(200);
        page.goto(&lede.url("/")).await.unwrap();
        page.wait_for("[...document.querySelectorAll('.item .picture')].map((one) => one.checkVisibility()).join() === 'true,false'")
            .await
            .unwrap();
        let dot = "getComputedStyle(document.querySelectorAll('.item .row')[1], '::before').insetInlineStart";
        assert_eq!(
            page.eval(dot).await.unwrap(),
            "6px",
            "{wish}: beside the title"
        );
    }
    page.complaints().await;
}

#[tokio::test]
async fn nothing_moves_after_the_first_paint() {
    let lede = lede(false).await;
    fill_tree(&lede).await;
    let (_browser, page) = reader(&lede, many(60)).await;
    press_all(&page, &["["]).await;
    let items = page
        .eval("[...document.querySelectorAll('.row')].map((row) => row.href)")
        .await
        .unwrap();
    resize(&page, DESKTOP).await;
    for url in [
        lede.url("/?show=all"),
        items[0].as_str().unwrap().to_owned(),
    ] {
        page.goto(&url).await.unwrap();
        page.wait_for("!!document.querySelector('.news[data-listens]')")
            .await
            .unwrap();
        let js = "new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type: 'layout-shift', buffered: true }) ?? setTimeout(() => resolve([]), 300))
            .then((shifts) => shifts.reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0))";
        let moved = page.eval(js).await.unwrap().as_f64().unwrap();
        assert!(moved <= 0.02, "{url}: {moved}");
    }
}
