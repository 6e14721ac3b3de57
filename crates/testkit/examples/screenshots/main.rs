//! Screenshots of every page: light and dark, desktop and phone. Run by `scripts/screenshots`.
//!
//! The screenshots in README go to docs/screenshots/, the others to target/screenshots/ for
//! inspection. They show the program's own demo (`lede demo`); states that the demo does not have
//! (no account yet, feeds that are hard to lay out) come from temporary instances.

mod palette;

use std::error::Error;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use lede_core::maintenance::{health, retention};
use lede_core::worker;
use lede_store::Engine;
use lede_testkit::browser::{Browser, Page};
use lede_testkit::{ADMIN, Options, PASSWORD, Reply, TestLede};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use palette::with_palette;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Name, width, height, and `true` for a phone.
const WINDOWS: [(&str, u32, u32, bool); 2] =
    [("desktop", 1440, 900, false), ("phone", 360, 740, true)];

/// The screenshots in README.
const SHOWN: [&str; 4] = [
    "item-light-desktop",
    "item-dark-desktop",
    "list-light-phone",
    "list-dark-phone",
];

/// A running demo and its credentials.
struct Demo {
    url: String,
    email: String,
    password: String,
    // Dropping it terminates the process.
    _program: Child,
}

impl Demo {
    async fn start(program: &Path) -> Outcome<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut program = Command::new(program)
            .arg("demo")
            .env("SERVER_PORT", port.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let stdout = program.stdout.take().ok_or("stdout was asked for")?;
        let mut lines = BufReader::new(stdout).lines();
        let mut said = [String::new(), String::new()];
        while said[1].is_empty() {
            let line = lines.next_line().await?.ok_or("the demonstration ended")?;
            for (place, name) in said.iter_mut().zip(["e-mail ", "password "]) {
                if let Some((_, value)) = line.split_once(name) {
                    value.trim().clone_into(place);
                }
            }
        }
        // Drain the pipe: a program that prints to a closed pipe fails.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let [email, password] = said;
        let url = format!("http://localhost:{port}");
        Ok(Self {
            url,
            email,
            password,
            _program: program,
        })
    }
}

/// Takes the screenshots of one theme in one window size.
struct Camera {
    page: Page,
    ending: String,
    docs: PathBuf,
    target: PathBuf,
}

impl Camera {
    async fn shoot(&self, name: &str) -> Outcome {
        let at_rest = "document.getAnimations().every((one) => one.playState === 'finished')";
        self.page.wait_for(at_rest).await?;
        let name = format!("{name}-{}", self.ending);
        let is_shown = SHOWN.contains(&name.as_str());
        let folder = if is_shown { &self.docs } else { &self.target };
        let file = folder.join(format!("{name}.png"));
        self.page.screenshot(&file).await?;
        if is_shown {
            let small = with_palette(&std::fs::read(&file)?).ok_or("an unusual PNG")?;
            std::fs::write(&file, small)?;
        }
        match self.page.complaints().await.first() {
            Some(complaint) => Err(format!("{name}: {complaint}").into()),
            None => Ok(()),
        }
    }

    async fn shoot_at(&self, url: &str, name: &str) -> Outcome {
        self.page.goto(url).await?;
        self.shoot(name).await
    }

    async fn sign_in(&self, base: &str, email: &str, password: &str) -> Outcome {
        self.page.goto(&format!("{base}/auth/login")).await?;
        self.page.fill("#email", email).await?;
        self.page.fill("#password", password).await?;
        self.page.press("Enter").await?;
        Ok(self
            .page
            .wait_for("document.querySelector('.list-head')")
            .await?)
    }
}

async fn demonstration(camera: &Camera, program: &Path) -> Outcome {
    let demo = Demo::start(program).await?;
    let (page, base) = (&camera.page, demo.url.as_str());
    camera
        .shoot_at(&format!("{base}/auth/login"), "sign-in")
        .await?;
    camera.sign_in(base, &demo.email, &demo.password).await?;
    camera.shoot("list").await?;
    page.press("j").await?;
    page.wait_for("document.querySelector('article[data-marked=read]')")
        .await?;
    camera.shoot("item").await?;
    page.press("?").await?;
    camera.shoot("keys").await?;
    page.goto(&format!("{base}/add?url=http%3A%2F%2F10.0.0.1%2F"))
        .await?;
    page.wait_for("document.querySelector('#result .error')")
        .await?;
    camera.shoot("add-error").await?;
    for (path, name) in [
        ("/?show=all", "list-all"),
        ("/?show=starred", "list-starred"),
        ("/?show=read", "list-history"),
        ("/dashboard", "dashboard"),
        ("/subscriptions", "subscriptions"),
        ("/feeds/1", "feed"),
        ("/rules", "rules"),
        ("/settings", "settings"),
        ("/admin", "admin"),
        ("/admin/users", "admin-users"),
        ("/admin/feeds", "admin-feeds"),
        ("/admin/status", "admin-status"),
    ] {
        camera.shoot_at(&format!("{base}{path}"), name).await?;
    }
    camera
        .shoot_at(&format!("{base}/nowhere"), "message")
        .await?;
    page.goto(&format!("{base}/swagger/")).await?;
    page.wait_for("document.querySelector('.opblock') !== null")
        .await?;
    camera.shoot("swagger").await
}

async fn first_steps(camera: &Camera) -> Outcome {
    let options = Options {
        is_empty: true,
        ..Options::default()
    };
    let lede = TestLede::start(Engine::Sqlite, options).await;
    camera.shoot_at(&lede.url("/"), "set-up").await?;
    let page = &camera.page;
    page.fill("#email", ADMIN).await?;
    page.fill("#password", PASSWORD).await?;
    page.fill("#password_confirm", PASSWORD).await?;
    page.press("Enter").await?;
    page.wait_for("document.querySelector('.empty')").await?;
    camera.shoot("empty").await
}

/// Content that is hard to lay out: long words, wide tables, code, other scripts, a feed without a title.
async fn oddities(camera: &Camera) -> Outcome {
    let lede = TestLede::start(Engine::Sqlite, Options::default()).await;
    let admin = lede.admin().await;
    let long = "A title that goes on and on, ".repeat(11);
    let cells: String = (0..60).map(|n| format!("<td>column{n}</td>")).collect();
    let everything = format!(
        "<h1>A heading as large as it can be</h1><p>Text with <code>inline_code()</code>, <kbd>Ctrl</kbd>, a \
         <a href='https://site.example/'>link</a>, <mark>marked</mark> and {}.</p><ul><li>one<ul><li>nested</li></ul></li><li>two</li></ul>\
         <pre><code>fn main() {{ println!(\"{}\"); }}</code></pre><table><tr>{cells}</tr></table>\
         <blockquote><p>A quotation.</p><p>In two paragraphs.</p></blockquote><h3>Smaller</h3><dl><dt>Term</dt><dd>Its meaning</dd></dl>\
         <figure><img src='data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==' width='2000' height='300' alt='A red bar'><figcaption>A picture wider than the page</figcaption></figure><hr><p>The end.</p>",
        "unbreakable".repeat(20),
        "long ".repeat(60)
    );
    let arabic = "<p>هذا نص باللغة العربية لاختبار اتجاه الكتابة من اليمين إلى اليسار.</p><ul><li>واحد</li></ul><blockquote>اقتباس</blockquote>";
    let japanese = "<p>市立図書館は来月から平日の開館時間を午後九時まで延長します。</p>";
    let items = [
        ("Everything at once", everything.as_str()),
        (long.as_str(), "<p>Short.</p>"),
        ("خبر باللغة العربية", arabic),
        ("図書館が夜九時まで開くことになりました", japanese),
        (
            "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenhersteller",
            "",
        ),
    ];
    for (path, title) in [
        (
            "/odd.xml",
            "Oddities of an unusually long name that does not fit",
        ),
        ("/untitled.xml", ""),
    ] {
        let url = lede.site.put(path, Reply::rss(title, &items));
        admin
            .post("/api/feeds", json!({ "url": url }))
            .await
            .expect(201);
    }
    let list = admin.json("/api/feeds").await;
    let mut ids = Vec::new();
    for feed in list.as_array().ok_or("a list")? {
        let items = admin
            .json(&format!("/api/feeds/{}/items", feed["id"]))
            .await;
        ids.push(items["items"].clone());
    }
    camera.sign_in(&lede.url(""), ADMIN, PASSWORD).await?;
    camera.shoot("odd-list").await?;
    for (name, index) in [
        ("everything", 0),
        ("long", 1),
        ("arabic", 2),
        ("japanese", 3),
        ("no-text", 4),
    ] {
        camera
            .shoot_at(
                &lede.url(&format!("/items/{}", ids[0][index]["id"])),
                &format!("odd-{name}"),
            )
            .await?;
    }
    Ok(())
}

/// The bell without a notification and with several.
async fn bell(camera: &Camera) -> Outcome {
    let lede = TestLede::start(Engine::Sqlite, Options::default()).await;
    let admin = lede.admin().await;
    let url = lede
        .site
        .put("/news.xml", Reply::rss("The Daily News", &[]));
    let added = admin.post("/api/feeds", json!({ "url": url })).await;
    let feed = added.expect(201).json()["id"].clone();
    let rule = json!({"name": "All", "feed_id": feed, "actions": {"notify": true}});
    admin.post("/api/rules", rule).await.expect(201);
    camera.sign_in(&lede.url(""), ADMIN, PASSWORD).await?;
    camera.page.click(".bell > button").await?;
    camera
        .page
        .wait_for("!!document.querySelector('.bell-empty')")
        .await?;
    camera.shoot("bell-empty").await?;

    let long = "A headline that goes on and on, ".repeat(5);
    let items = [
        ("The library stays open until nine", "<p>Text.</p>"),
        ("خبر باللغة العربية", "<p>نص</p>"),
        (long.as_str(), "<p>Text.</p>"),
    ];
    lede.site
        .put("/news.xml", Reply::rss("The Daily News", &items));
    let refresh = format!("/api/feeds/{feed}/refresh");
    admin.post(&refresh, json!({})).await.expect(200);
    worker::run_queues(&lede.lede).await?;
    let newest = admin.json("/api/notifications?limit=1").await;
    let read = format!(
        "/api/notifications/{}/read",
        newest["notifications"][0]["id"]
    );
    admin.post(&read, json!({})).await.expect(204);
    for (path, name) in [("/", "bell"), ("/settings", "bell-settings")] {
        camera.page.goto(&lede.url(path)).await?;
        camera.page.click(".bell > button").await?;
        camera
            .page
            .wait_for("!!document.querySelector('.bell-items li')")
            .await?;
        camera
            .page
            .wait_for("!document.querySelector('.bell-count').hidden")
            .await?;
        camera.shoot(name).await?;
    }
    Ok(())
}

/// Warnings on a full disk, and the notice after unread items were removed.
async fn trouble(camera: &Camera) -> Outcome {
    let lede = TestLede::start(Engine::Sqlite, Options::default()).await;
    let admin = lede.admin().await;
    let items = [(
        "The harbour light is lit again",
        "<p>After thirty years.</p>",
    )];
    for (path, days) in [("/old.xml", 91), ("/new.xml", 0)] {
        let url = lede.site.put(path, Reply::rss("Coast News", &items));
        admin
            .post("/api/feeds", json!({ "url": url }))
            .await
            .expect(201);
        lede.clock.advance(Duration::from_secs(days * 24 * 3600));
        if days > 0 {
            retention::clean_up(&lede.lede).await?;
        }
    }
    lede.disk.leave(63 << 20);
    health::check(&lede.lede, lede.clock.now()).await;
    camera.sign_in(&lede.url(""), ADMIN, PASSWORD).await?;
    camera.shoot("trouble-list").await?;
    let page = &camera.page;
    let first = page.eval("document.querySelector('.item a').href").await?;
    camera
        .shoot_at(first.as_str().unwrap_or_default(), "trouble-item")
        .await
}

#[tokio::main]
async fn main() -> Outcome {
    let mut arguments = std::env::args_os().skip(1);
    let program = PathBuf::from(arguments.next().ok_or("say where the program is")?);
    let docs = PathBuf::from("docs/screenshots");
    let target = PathBuf::from("target/screenshots");
    for folder in [&docs, &target] {
        std::fs::create_dir_all(folder)?;
    }
    let browser = Browser::start().await?;
    for theme in ["light", "dark"] {
        for (window, width, height, is_phone) in WINDOWS {
            let camera = Camera {
                page: browser.page().await?,
                ending: format!("{theme}-{window}"),
                docs: docs.clone(),
                target: target.clone(),
            };
            camera.page.set_scheme(theme).await?;
            camera.page.set_viewport(width, height, is_phone).await?;
            demonstration(&camera, &program).await?;
            first_steps(&camera).await?;
            oddities(&camera).await?;
            bell(&camera).await?;
            trouble(&camera).await?;
        }
    }
    Ok(())
}
