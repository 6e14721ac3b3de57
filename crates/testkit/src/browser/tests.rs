//! Tests of the driver against small pages served on loopback.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::{Browser, BrowserError, Page};

const FORM: &str = r#"<!doctype html><title>Form</title>
<form onsubmit="event.preventDefault(); said.textContent = word.value + ' ' + day.value">
<input id="word" value="old"><input id="day" type="date"><button>Say</button></form><p id="said"></p>
<div style="height: 3000px"></div><a id="far" href="/other">far away</a>
<script>addEventListener('keydown', (e) => document.body.dataset.key = `${e.ctrlKey}${e.key}`)</script>"#;

const DESK: &str = r#"<!doctype html><title>Desk</title><p>stone</p><ul><li draggable="true">leaf</li></ul><ol>box</ol>
<script>const box = document.querySelector('ol');
addEventListener('dragstart', (e) => e.dataTransfer.setData('text/plain', e.target.textContent));
box.addEventListener('dragover', (e) => e.preventDefault());
box.addEventListener('drop', (e) => box.textContent += ' with ' + e.dataTransfer.getData('text/plain'));
addEventListener('dragend', () => document.title = 'Let go')</script>"#;

const STRICT: &str = "Content-Security-Policy: script-src 'none'\r\n";

const WORKER: &str = "addEventListener('fetch', (e) => e.respondWith(fetch(e.request).catch(() => new Response('kept'))))";

/// Returns status, headers and body for each path; `None` closes the connection without a response.
fn site(path: &str) -> Option<(&'static str, &'static str, &'static str)> {
    let html = "Content-Type: text/html\r\n";
    let script = "Content-Type: text/javascript\r\n";
    Some(match path {
        "/desk" => ("200 OK", html, DESK),
        "/form" => ("200 OK", html, FORM),
        "/other" => ("200 OK", html, "<h1>Other</h1>"),
        "/strict" => ("200 OK", STRICT, "<!doctype html><script>alert(1)</script>"),
        "/worker.js" => ("200 OK", script, WORKER),
        "/broken" => return None,
        "/busy" => ("503 Service Unavailable", html, "busy"),
        _ => ("404 Not Found", html, "nothing here"),
    })
}

/// Serves [`site`] until the test's runtime ends. Returns its address.
async fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = vec![0; 8192];
                let read = stream.read(&mut request).await.unwrap_or(0);
                let request = String::from_utf8_lossy(&request[..read]).into_owned();
                let path = request.split(' ').nth(1).unwrap_or_default();
                if let Some((status, head, body)) = site(path) {
                    let length = body.len();
                    let head = format!("{head}Content-Length: {length}\r\nConnection: close");
                    let answer = format!("HTTP/1.1 {status}\r\n{head}\r\n\r\n{body}");
                    let _ = stream.write_all(answer.as_bytes()).await;
                }
            });
        }
    });
    format!("http://{address}")
}

async fn at(browser: &Browser, url: &str) -> Page {
    let page = browser.page().await.unwrap();
    page.goto(url).await.unwrap();
    page
}

#[tokio::test]
async fn a_form_is_filled_and_sent_and_links_are_followed() {
    let (browser, site) = (Browser::start().await.unwrap(), serve().await);
    let page = at(&browser, &format!("{site}/form")).await;
    page.fill("#word", "naïve 日本 \"'").await.unwrap();
    page.fill("#day", "2026-11-15").await.unwrap();
    page.click("button").await.unwrap();
    let said = page.text("#said").await.unwrap();
    assert_eq!(said, "naïve 日本 \"' 2026-11-15");
    page.fill("#word", "").await.unwrap();
    page.press("x").await.unwrap();
    page.press("Enter").await.unwrap();
    page.wait_for("said.textContent === 'x 2026-11-15'")
        .await
        .unwrap();
    page.press("Control+k").await.unwrap();
    page.wait_for("document.body.dataset.key === 'truek'")
        .await
        .unwrap();
    page.click("#far").await.unwrap();
    page.wait_for("location.pathname === '/other'")
        .await
        .unwrap();
    assert_eq!(page.text("h1").await.unwrap(), "Other");
    assert_eq!(page.url().await.unwrap(), format!("{site}/other"));
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn tabs_that_a_page_opens_are_listed() {
    let (browser, site) = (Browser::start().await.unwrap(), serve().await);
    let mut page = at(&browser, &format!("{site}/form")).await;
    let open = "Object.assign(document.createElement('a'), { href: '/other', target: '_blank', rel: 'noopener' }).click()";
    page.eval(open).await.unwrap();
    let other = format!("{site}/other");
    assert_eq!(page.opened().await.unwrap(), [other]);
    page.set_patience(Duration::from_millis(100));
    let in_vain = page.opened().await.unwrap_err().to_string();
    assert!(in_vain.contains("another tab is opened"), "{in_vain}");
}

#[tokio::test]
async fn scripts_return_values_await_promises_and_report_errors() {
    let browser = Browser::start().await.unwrap();
    let page = at(&browser, "data:text/html,<p>here</p>").await;
    assert_eq!(
        page.eval("({ a: [1, 'x', null] })").await.unwrap(),
        json!({ "a": [1, "x", null] })
    );
    assert_eq!(page.eval("Promise.resolve(2)").await.unwrap(), 2);
    assert_eq!(page.eval("undefined").await.unwrap(), json!(null));
    let thrown = page
        .eval("(() => { throw new TypeError('no such thing') })()")
        .await
        .unwrap_err();
    assert!(
        thrown.to_string().contains("TypeError: no such thing"),
        "{thrown}"
    );
    let thrown = page.eval("Promise.reject('plain')").await.unwrap_err();
    assert!(thrown.to_string().contains("plain"), "{thrown}");
    let thrown = page.wait_for("not javascript").await.unwrap_err();
    assert!(matches!(thrown, BrowserError::Threw(_)), "{thrown}");
    page.eval("setTimeout(() => document.body.id = 'late', 100)")
        .await
        .unwrap();
    page.wait_for("document.body.id === 'late'").await.unwrap();
}

#[tokio::test]
async fn what_moves_under_the_mouse_is_clicked_where_it_is_then() {
    let browser = Browser::start().await.unwrap();
    let page = at(
        &browser,
        "data:text/html,<button id=wrong>Wrong</button><button id=right>Right</button>",
    )
    .await;
    page.eval(
        "clicked = [];
        document.body.onclick = (event) => clicked.push(event.target.id);
        right.addEventListener('pointermove', () => right.after(wrong), { once: true })",
    )
    .await
    .unwrap();
    page.click("#right").await.unwrap();
    assert_eq!(page.eval("clicked").await.unwrap(), json!(["right"]));
    page.click("#wrong").await.unwrap();
    assert_eq!(
        page.eval("clicked").await.unwrap(),
        json!(["right", "wrong"])
    );
}

#[tokio::test]
async fn what_can_be_dragged_is_carried_by_the_mouse() {
    let (browser, site) = (Browser::start().await.unwrap(), serve().await);
    let mut page = at(&browser, &format!("{site}/desk")).await;
    page.drag("li", "ol", 0.5).await.unwrap();
    assert_eq!(page.text("ol").await.unwrap(), "box with leaf");
    page.wait_for("document.title === 'Let go'").await.unwrap();
    page.set_patience(Duration::from_secs(1));
    let refused = page.drag("p", "ol", 0.5).await.unwrap_err();
    assert_eq!(refused.to_string(), "p cannot be dragged");
}

#[tokio::test]
async fn waiting_in_vain_names_what_was_waited_for() {
    let browser = Browser::start().await.unwrap();
    let mut page = at(
        &browser,
        "data:text/html,<button>a</button><div style='position:fixed;inset:0' id=cover>",
    )
    .await;
    page.set_patience(Duration::from_secs(1));
    let (condition, covered) = tokio::join!(page.wait_for("1 > 2"), page.click("button"));
    let said = condition.unwrap_err().to_string();
    assert!(
        said.contains("waited 1 s in vain for: 1 > 2 (last: false)"),
        "{said}"
    );
    let said = covered.unwrap_err().to_string();
    assert!(
        said.contains("button can be clicked (last: it is covered by <div"),
        "{said}"
    );
}

#[tokio::test]
async fn complaints_are_collected_once() {
    let (browser, site) = (Browser::start().await.unwrap(), serve().await);
    let page = at(&browser, &format!("{site}/other")).await;
    page.eval("console.error('oh', 7, { a: 1 }); console.log('fine')")
        .await
        .unwrap();
    page.eval("setTimeout(() => { throw new Error('thrown late') })")
        .await
        .unwrap();
    page.eval(
        "Promise.all(['/busy', '/broken', '/missing'].map((path) => fetch(path).catch(() => 0)))",
    )
    .await
    .unwrap();
    let mut complaints = page.complaints().await;
    complaints.sort();
    let expected = [
        "console: oh 7 Object".to_owned(),
        format!("network: GET {site}/broken failed: net::ERR_EMPTY_RESPONSE"),
        format!("network: GET {site}/busy answered 503"),
    ];
    assert_eq!(complaints[..3], expected);
    assert!(
        complaints[3].starts_with("uncaught: Error: thrown late"),
        "{complaints:?}"
    );
    assert_eq!(complaints.len(), 4, "{complaints:?}");
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_violation_of_the_policy_is_a_complaint() {
    let (browser, site) = (Browser::start().await.unwrap(), serve().await);
    let page = at(&browser, &format!("{site}/strict")).await;
    let complaints = page.complaints().await;
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    assert!(
        complaints[0].starts_with("csp: script-src"),
        "{complaints:?}"
    );
}

#[tokio::test]
async fn the_window_has_the_size_and_the_scheme_that_were_asked_for() {
    let browser = Browser::start().await.unwrap();
    let page = at(
        &browser,
        "data:text/html,<meta name=viewport content='width=device-width'><p>x",
    )
    .await;
    assert_eq!(
        page.eval("matchMedia('(prefers-color-scheme: dark)').matches")
            .await
            .unwrap(),
        false
    );
    page.set_scheme("dark").await.unwrap();
    assert_eq!(
        page.eval("matchMedia('(prefers-color-scheme: dark)').matches")
            .await
            .unwrap(),
        true
    );
    page.set_viewport(390, 844, true).await.unwrap();
    assert_eq!(
        page.eval("[innerWidth, innerHeight]").await.unwrap(),
        json!([390, 844])
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shot.png");
    page.screenshot(&file).await.unwrap();
    let png = std::fs::read(&file).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    assert_eq!(u32::from_be_bytes(png[16..20].try_into().unwrap()), 780);
}

#[tokio::test]
async fn offline_reaches_the_service_worker_too() {
    let (browser, site) = (Browser::start().await.unwrap(), serve().await);
    let page = at(&browser, &format!("{site}/other")).await;
    page.eval("navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => 1)")
        .await
        .unwrap();
    page.goto(&format!("{site}/form")).await.unwrap();
    page.wait_for("navigator.serviceWorker.controller")
        .await
        .unwrap();
    let text = "fetch('/other').then((answer) => answer.text())";
    assert_eq!(page.eval(text).await.unwrap(), "<h1>Other</h1>");
    page.offline(true).await.unwrap();
    assert_eq!(page.eval(text).await.unwrap(), "kept");
    page.offline(false).await.unwrap();
    assert_eq!(page.eval(text).await.unwrap(), "<h1>Other</h1>");
}

#[tokio::test]
async fn pages_share_no_cookies_and_nothing_stays_behind() {
    let (browser, site) = (Browser::start().await.unwrap(), serve().await);
    let profile = browser.profile.path().to_owned();
    let one = at(&browser, &format!("{site}/other")).await;
    let two = at(&browser, &format!("{site}/other")).await;
    one.eval("document.cookie = 'who=one'").await.unwrap();
    assert_eq!(one.eval("document.cookie").await.unwrap(), "who=one");
    assert_eq!(two.eval("document.cookie").await.unwrap(), "");
    let refused = two.goto("http://127.0.0.1:1/").await.unwrap_err();
    assert!(
        matches!(refused, BrowserError::NotLoaded { .. }),
        "{refused}"
    );
    drop(browser);
    assert!(!profile.exists());
    assert!(matches!(one.url().await, Err(BrowserError::Gone)));
}
