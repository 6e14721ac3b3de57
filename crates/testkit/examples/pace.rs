//! Measures the reading view in a real Chromium: the size of the first page, the time until the
//! next item is painted, and the longest time for which a list of 2,000 rows blocks the page.
//!
//! `cargo run --release -p lede-testkit --example pace`

#![expect(clippy::print_stdout, reason = "its figures are what it is for")]

use std::error::Error;

use lede_store::Engine;
use lede_testkit::browser::{Browser, Page};
use lede_testkit::{ADMIN, Options, PASSWORD, Reply, TestLede};
use serde_json::{Value, json};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Number of feeds, and of items in each.
const FEEDS: usize = 12;
const ITEMS: usize = 190;
/// Number of repetitions of each measurement.
const TIMES: usize = 30;

/// JavaScript for the milliseconds from an action until another item has been painted.
fn until_painted(what: &str) -> String {
    format!(
        "new Promise((done) => {{
            const before = document.querySelector('article')?.dataset.item;
            const start = performance.now();
            {what};
            const look = () => {{
                const now = document.querySelector('article')?.dataset.item;
                if (!now || now === before) return setTimeout(look);
                requestAnimationFrame(() => {{
                    const painted = new MessageChannel();
                    painted.port1.onmessage = () => done(performance.now() - start);
                    painted.port2.postMessage(0);
                }});
            }};
            look();
        }})"
    )
}

fn summary(name: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at = |part: usize| times[(times.len() - 1) * part / 100];
    println!(
        "{name}: median {:.0} ms, nine of ten {:.0} ms, slowest {:.0} ms ({} times)",
        at(50),
        at(90),
        at(100),
        times.len()
    );
}

async fn sign_in(page: &Page, lede: &TestLede) -> Outcome {
    page.goto(&lede.url("/auth/login")).await?;
    page.fill("#email", ADMIN).await?;
    page.fill("#password", PASSWORD).await?;
    page.press("Enter").await?;
    Ok(page
        .wait_for("document.querySelector('.list-head')")
        .await?)
}

async fn weigh(browser: &Browser, lede: &TestLede) -> Outcome {
    // Resources that the sign-in page already loaded are counted with their full size.
    let page = browser.page().await?;
    page.goto(&lede.url("/auth/login")).await?;
    page.eval(&format!(
        "(async () => {{ const form = new URLSearchParams(new FormData(document.querySelector('form')));
            form.set('email', {}); form.set('password', {});
            await fetch('/auth/login', {{ method: 'POST', body: form, redirect: 'manual' }}); }})()",
        json!(ADMIN),
        json!(PASSWORD)
    ))
    .await?;
    page.goto(&lede.url("/")).await?;
    page.wait_for("document.querySelector('.news[data-listens]')")
        .await?;
    let parts = page
        .eval(
            "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
                .filter((one) => !one.name.includes('/api/events'))
                .map((one) => [new URL(one.name).pathname.replace(/^\\/assets\\/\\w+/, ''), one.transferSize || one.encodedBodySize])",
        )
        .await?;
    let parts = parts.as_array().ok_or("no entries")?;
    let sum = |is_wanted: &dyn Fn(&str) -> bool| -> i64 {
        parts
            .iter()
            .filter(|part| part[0].as_str().is_some_and(is_wanted))
            .filter_map(|part| part[1].as_i64())
            .sum()
    };
    let size = |name: &str| sum(&|path| path == name);
    println!(
        "first page: {} KB in all; the page {} KB, own script {} KB, style {} KB, htmx {} KB; {} requests",
        sum(&|_| true) / 1000,
        size("/") / 1000,
        sum(&|path| path.starts_with("/js/") || path == "/theme.js") / 1000,
        sum(&|path| path.ends_with(".css")) / 1000,
        size("/vendor/htmx.min.js") / 1000,
        parts.len()
    );
    Ok(())
}

/// Waits for the shortest time that a user looks at an item: the next one is prefetched while the
/// present one is shown.
async fn rest(page: &Page) -> Outcome {
    Ok(page
        .wait_for("new Promise((done) => setTimeout(() => done(true), 150))")
        .await?)
}

async fn measure(page: &Page, js: &str) -> Outcome<f64> {
    page.eval(&until_painted(js))
        .await?
        .as_f64()
        .ok_or_else(|| "no time".into())
}

#[tokio::main]
async fn main() -> Outcome {
    let lede = TestLede::start(Engine::Sqlite, Options::default()).await;
    let admin = lede.admin().await;
    let text = format!(
        "<p>{}</p>",
        "Some words that say what happened. ".repeat(60)
    );
    for feed in 0..FEEDS {
        let titles: Vec<String> = (0..ITEMS)
            .map(|item| format!("Item {item} of feed {feed}"))
            .collect();
        let items: Vec<(&str, &str)> = titles
            .iter()
            .map(|title| (title.as_str(), text.as_str()))
            .collect();
        let url = lede.site.put(
            &format!("/{feed}.xml"),
            Reply::rss(&format!("Feed {feed}"), &items),
        );
        lede.clock.advance(std::time::Duration::from_secs(60));
        admin
            .post("/api/feeds", json!({ "url": url }))
            .await
            .expect(201);
    }
    let browser = Browser::start().await?;
    weigh(&browser, &lede).await?;

    let page = browser.page().await?;
    page.goto(&lede.url("/auth/login")).await?;
    page.eval("void (document.body.innerHTML = '<article data-item=\"0\"></article>')")
        .await?;
    let mut times = Vec::new();
    for _ in 0..TIMES {
        rest(&page).await?;
        let change =
            "const one = document.querySelector('article'); one.textContent = ++one.dataset.item";
        times.push(measure(&page, change).await?);
    }
    summary("a digit on an empty page to painted", times);

    sign_in(&page, &lede).await?;
    page.goto(&lede.url("/?show=all")).await?;
    page.press("j").await?;
    page.wait_for("document.querySelector('article[data-marked=read]')")
        .await?;
    let mut times = Vec::new();
    for _ in 0..TIMES {
        rest(&page).await?;
        let press = "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))";
        times.push(measure(&page, press).await?);
    }
    summary("`j` to painted, fetched before", times);

    page.goto(&lede.url("/?show=all")).await?;
    let mut times = Vec::new();
    for place in 0..TIMES.min(24) {
        // Far from the other items, so that it has not been prefetched.
        let click = format!(
            "document.querySelectorAll('.item .row')[{}].click()",
            49 - place * 2
        );
        times.push(measure(&page, &click).await?);
    }
    summary("an item to painted, not fetched before", times);

    page.goto(&lede.url("/?show=all")).await?;
    page.eval(
        "(() => { window.longest = 0; new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longest = Math.max(longest, duration); })
            .observe({ type: 'longtask', buffered: false }); })()",
    )
    .await?;
    loop {
        page.eval("document.getElementById('main').scrollTo(0, 1e9)")
            .await?;
        let rows = page
            .eval("new Promise((done) => setTimeout(() => done(document.querySelectorAll('.item').length), 50))")
            .await?;
        if rows.as_u64() >= Some(2000) {
            break;
        }
    }
    let longest: Value = page.eval("longest").await?;
    println!(
        "scrolled to 2,000 rows: longest task {} ms (0: none over 50)",
        longest
    );
    Ok(())
}
