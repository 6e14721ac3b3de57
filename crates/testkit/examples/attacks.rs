//! Loads public collections of XSS strings into a real Chromium and fails if one of them has an effect.
//!
//! `cargo run -p lede-testkit --example attacks -- FOLDER`, where FOLDER contains JSON files, each
//! an array of strings. Every string becomes the title, the author and the content of an item; each
//! item is opened in the reading view.

#![expect(clippy::print_stdout, reason = "its figures are what it is for")]

use std::error::Error;
use std::path::PathBuf;

use lede_store::Engine;
use lede_testkit::browser::{Browser, Page};
use lede_testkit::{ADMIN, Options, PASSWORD, Reply, TestLede};
use serde_json::{Value, json};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Number of items per feed.
const TOGETHER: usize = 50;

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // Other control characters are not allowed in XML.
            '\t' | '\n' | ' '.. => escaped.push(c),
            _ => {}
        }
    }
    escaped
}

fn feed(attacks: &[String], first: usize) -> Reply {
    let items: String = attacks
        .iter()
        .enumerate()
        .map(|(place, attack)| {
            let (number, attack) = (first + place, escaped(attack));
            format!(
                "<item><title>{number} {attack}</title><dc:creator>{attack}</dc:creator><guid>{number}</guid>\
                 <link>https://site.example/{number}</link><description>{number} {attack}</description></item>"
            )
        })
        .collect();
    let name = attacks
        .first()
        .map(|attack| escaped(attack))
        .unwrap_or_default();
    Reply::body(
        "application/rss+xml",
        format!(
            "<rss version='2.0' xmlns:dc='http://purl.org/dc/elements/1.1/'><channel><title>{first} {name}</title>{items}</channel></rss>"
        ),
    )
}

/// Replaces the functions that an attack would call, and records the calls.
const TRAPS: &str = "(() => { for (const name of ['alert', 'confirm', 'prompt', 'print', 'open'])
    window[name] = () => { window.ran = name; }; })()";

async fn has_done_nothing(page: &Page, what: &str) -> Outcome {
    let ran = page.eval("window.ran ?? null").await?;
    let complaints = page.complaints().await;
    // A missing image or video is not a successful attack.
    let complaint = complaints.iter().find(|said| !said.starts_with("network:"));
    match (ran, complaint) {
        (Value::Null, None) => Ok(()),
        (ran, complaint) => Err(format!("{what}: {ran} {complaint:?}").into()),
    }
}

async fn read_all(page: &Page, lede: &TestLede, feed: &Value, count: usize) -> Outcome {
    page.goto(&lede.url(&format!("/?feed={feed}&show=all")))
        .await?;
    page.eval(TRAPS).await?;
    for place in 0..count {
        page.press("j").await?;
        page.wait_for(&format!(
            "document.querySelectorAll('.item')[{place}].classList.contains('chosen') \
             && document.querySelector('#pane article')?.dataset.item === document.querySelectorAll('.item')[{place}].dataset.item"
        ))
        .await?;
        let item = page
            .eval("document.querySelector('#pane article').dataset.item")
            .await?;
        // Hover over and focus every element.
        page.eval(
            "for (const one of document.querySelectorAll('#pane .text *')) { one.dispatchEvent(new MouseEvent('mouseover', { bubbles: true })); one.focus?.(); }",
        )
        .await?;
        has_done_nothing(page, &format!("item {item} of feed {feed}")).await?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Outcome {
    let folder = PathBuf::from(
        std::env::args()
            .nth(1)
            .ok_or("say which folder has the attack strings")?,
    );
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|found| found == "json"))
        .collect();
    files.sort();
    let lede = TestLede::start(Engine::Sqlite, Options::default()).await;
    let admin = lede.admin().await;
    let browser = Browser::start().await?;
    let page = browser.page().await?;
    page.goto(&lede.url("/auth/login")).await?;
    page.fill("#email", ADMIN).await?;
    page.fill("#password", PASSWORD).await?;
    page.press("Enter").await?;
    page.wait_for("document.querySelector('.list-head')")
        .await?;
    let mut shown = 0;
    for file in files {
        let attacks: Vec<String> = serde_json::from_slice(&std::fs::read(&file)?)?;
        for (number, together) in attacks.chunks(TOGETHER).enumerate() {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let path = format!("/{name}-{number}.xml");
            let url = lede.site.put(&path, feed(together, number * TOGETHER));
            let added = admin.post("/api/feeds", json!({ "url": url })).await;
            let feed = added.expect(201).json()["id"].clone();
            lede.clock.advance(std::time::Duration::from_secs(60));
            read_all(&page, &lede, &feed, together.len()).await?;
        }
        shown += attacks.len();
        println!(
            "{}: {} strings, none did anything",
            file.display(),
            attacks.len()
        );
    }
    println!("{shown} strings in all");
    Ok(())
}
