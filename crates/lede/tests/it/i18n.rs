//! Localisation: pages show messages in the user's language, while API clients with a token get English.

use std::time::Duration;

use lede_core::Registration;
use lede_core::backups::{self, BackupSettings};
use lede_core::maintenance::{health, retention};
use lede_model::daily_window::Nightly;
use lede_model::retention::CleanupReport;
use lede_model::warning::{CleanupNote, MaintenanceError, Warning};
use lede_store::{Engine, cleanup, settings};
use lede_testkit::http::{Answer, Http};
use lede_testkit::oidc::OidcProvider;
use lede_testkit::{
    ADMIN, Options, PASSWORD, Reply, TestLede, on_each_engine, on_each_engine_with,
};
use serde_json::{Value, json};

use crate::routes::{House, pages};
use crate::{oidc, uploads};

const HOUR: Duration = Duration::from_secs(3600);
const MIB: u64 = 1024 * 1024;

/// Sets the language of `ada`; her browser still asks for English.
async fn speaks(ada: &Http, language: &str) -> Http {
    let chosen = json!({ "language": language });
    let path = "/api/users/me/preferences";
    ada.patch(path, chosen).await.expect(200);
    ada.with_header("accept-language", "en")
}

async fn follow(lede: &TestLede, ada: &Http) -> Value {
    let news = Reply::rss("Daily", &[("One", "Words.")]);
    let url = lede.site.put("/feed.xml", news);
    let added = ada.post("/api/feeds", json!({ "url": url })).await;
    added.expect(201).json()["id"].clone()
}

fn says(page: &Answer, words: &[&str]) {
    for words in words {
        assert!(page.text.contains(words), "{words}: {}", page.text);
    }
}

#[tokio::test]
async fn a_feed_that_fails_says_why_in_its_readers_language() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let feed = follow(&lede, &ada).await;
        lede.site.put("/feed.xml", Reply::status(503));
        lede.clock.advance(2 * HOUR);
        lede.work().await;
        for (language, cause, plan) in [
            (
                "ja",
                "サーバーの応答は「503 Service Unavailable」でした。",
                "1回失敗しました。",
            ),
            (
                "pt",
                "servidor respondeu 503 Service Unavailable",
                "falhou uma vez; a espera cresce",
            ),
        ] {
            let ada = speaks(&ada, language).await;
            let page = ada.get(&format!("/feeds/{feed}")).await.expect(200);
            says(&page, &[cause, plan]);
            let page = ada.get("/admin/feeds?show=trouble").await.expect(200);
            says(&page, &[cause, plan]);
            for path in ["/", "/feeds", "/admin"] {
                let page = ada.get(path).await.expect(200);
                says(&page, &[cause]);
                assert!(!page.text.contains("the server answered"), "{path}");
            }
            let shown = ada.json(&format!("/api/feeds/{feed}")).await;
            let kept = "the server answered 503 Service Unavailable";
            assert_eq!(shown["last_error"], kept);
            assert_eq!(shown["last_error_code"], "answered");
            assert_eq!(shown["next_fetch_why"], "failure 1 in a row");
            assert_eq!(shown["next_fetch_why_code"], "failure");
        }
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_followed_says_why_in_the_readers_language() {
    let options = Options {
        max_subscriptions: 1,
        ..Options::default()
    };
    on_each_engine_with(options, async |lede: TestLede| {
        let ada = lede.admin().await;
        follow(&lede, &ada).await;
        let broken = lede.site.put("/broken", Reply::status(500));
        let list = lede.site.url("/other.xml");
        let list = format!(
            r#"<opml version="2.0"><body><outline xmlUrl="{list}"/><outline xmlUrl="ftp://x.org/"/></body></opml>"#
        );
        for (language, failure, full, scheme) in [
            (
                "ja",
                "サーバーの応答は「500 Internal Server Error」でした。",
                "上限の1件に達しています",
                "（「ftp:」は開けません）",
            ),
            (
                "pt",
                "O servidor respondeu 500 Internal Server Error.",
                "você segue um feed, que é o limite aqui",
                "só endereços http e https podem ser seguidos, não ftp:",
            ),
        ] {
            let ada = speaks(&ada, language).await;
            let page = ada.form("/add", &[("url", &broken)]).await.expect(422);
            says(&page, &[failure]);
            let xml = [("content-type", "application/xml")];
            let body = list.clone().into_bytes();
            let sent = ada.send(http::Method::POST, "/api/feeds/import-opml", &xml, body);
            let import = sent.await.expect(200).json()["id"].clone();
            let page = ada.get(&format!("/imports/{import}")).await.expect(200);
            says(&page, &[full, scheme]);
        }
    })
    .await;
}

#[tokio::test]
async fn a_health_warning_is_in_the_users_language() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        lede.disk.leave(60 * MIB);
        health::check(&lede.lede, lede.clock.now()).await;
        for (language, warning) in [
            ("ja", "ディスクの空きが少ないため（残り60 MB）"),
            ("pt", "O disco está quase cheio (60 MB livres)"),
        ] {
            let ada = speaks(&ada, language).await;
            for path in ["/", "/admin/status"] {
                let page = ada.get(path).await.expect(200);
                says(&page, &[warning]);
                assert!(!page.text.contains("nearly full"), "{path}");
            }
            let status = ada.json("/api/status").await;
            let kept = status["health_warning"].as_str().unwrap();
            assert!(kept.starts_with("The disk is nearly full (60 MB are free)"));
            assert_eq!(status["health_warning_codes"], json!(["disk_low"]));
        }
    })
    .await;
}

#[tokio::test]
async fn errors_for_a_pages_script_are_in_the_pages_language() {
    on_each_engine(async |lede: TestLede| {
        let program = lede.admin().await;
        let browser = lede.browser().await;
        let token = browser.get("/settings").await.csrf_token();
        let script = browser.with_header("x-csrf-token", &token);
        let broken = lede.site.put("/broken", Reply::status(500));
        for (language, absent, action, failure) in [
            (
                "ja",
                "見つかりませんでした。",
                "削除された可能性があります。一覧に戻ってください。",
                "サーバーの応答は「500 Internal Server Error」でした。",
            ),
            (
                "pt",
                "O que você pediu não foi encontrado.",
                "Pode ter sido removido; volte à lista.",
                "O servidor respondeu 500 Internal Server Error.",
            ),
        ] {
            speaks(&program, language).await;
            let ada = script.with_header("accept-language", "en");
            let refused = ada.delete("/api/feeds/999").await.expect(404).json();
            assert_eq!(refused["code"], "not_found");
            assert_eq!(refused["error"], absent);
            assert_eq!(refused["message"], absent);
            assert_eq!(refused["action"], action);
            let refused = ada.post("/api/feeds", json!({ "url": broken })).await;
            let refused = refused.expect(422);
            assert_eq!(refused.json()["message"], failure);
            assert!(refused.header("content-type").contains("json"));

            // The same for a form.
            let person = ada.with_header("accept", "text/html");
            let page = person.form("/feeds/x/refresh", &[]).await.expect(400);
            assert!(
                page.text.contains(&format!("lang=\"{language}")),
                "{}",
                page.text
            );
        }

        // A client with a token always gets English; without a chosen language, `Accept-Language` decides.
        let japanese = program.with_header("accept-language", "ja");
        for program in [&program, &japanese] {
            let refused = program.delete("/api/feeds/999").await.expect(404).json();
            assert_eq!(refused["message"], "The feed was not found.");
        }
        let path = "/api/users/me/preferences";
        let nothing = json!({ "language": null });
        program.patch(path, nothing).await.expect(200);
        for (accepted, message) in [
            ("ja", "見つかりませんでした。"),
            ("en", "The feed was not found."),
        ] {
            let ada = script.with_header("accept-language", accepted);
            let refused = ada.delete("/api/feeds/999").await.expect(404).json();
            assert_eq!(refused["message"], message);
        }
    })
    .await;
}

#[tokio::test]
async fn a_refused_registration_is_explained_in_the_browsers_language() {
    let empty = Options {
        is_empty: true,
        ..Options::default()
    };
    on_each_engine_with(empty, async |lede: TestLede| {
        for (language, email, password, words) in [
            ("ja", "ada", PASSWORD, "メールアドレスではありません"),
            ("ja", ADMIN, "short", "12文字以上にしてください"),
            ("ja", ADMIN, "111111111111", "繰り返しや連番"),
            ("pt", "ada", PASSWORD, "não é um endereço de e-mail"),
            ("pt", ADMIN, "password1234", "é uma palavra comum"),
            ("en", ADMIN, "short", "needs at least 12 characters."),
        ] {
            let visitor = lede.visitor().with_header("accept-language", language);
            let fields = [
                ("email", email),
                ("password", password),
                ("password_confirm", password),
            ];
            let page = visitor.fill("/", "/setup", &fields).await.expect(400);
            says(&page, &[words]);
        }
    })
    .await;
    let open = Options {
        registration: Registration::Open,
        ..Options::default()
    };
    on_each_engine_with(open, async |lede: TestLede| {
        let long = "seven quiet harbours ".repeat(20);
        for (language, email, password, status, words) in [
            ("ja", ADMIN, PASSWORD, 409, "アカウントはすでにあります"),
            ("ja", "ben@example.org", &long, 400, "256文字以内"),
            ("pt", ADMIN, PASSWORD, 409, "Já existe uma conta"),
            (
                "pt",
                "benjamin@example.org",
                "benjamin1984",
                400,
                "feita do endereço de e-mail",
            ),
        ] {
            let visitor = lede.visitor().with_header("accept-language", language);
            let fields = [
                ("email", email),
                ("password", password),
                ("password_confirm", password),
                ("privacy", "on"),
            ];
            let page = "/auth/register";
            let refused = visitor.fill(page, page, &fields).await.expect(status);
            says(&refused, &[words]);
        }
    })
    .await;
}

#[tokio::test]
async fn a_provider_that_opens_no_account_says_so_in_the_language_of_the_browser() {
    let provider = OidcProvider::start(oidc::BACK);
    let options = oidc::options(Registration::Closed, oidc::settings_of(&provider));
    on_each_engine_with(options, async |lede: TestLede| {
        lede.clock.catch_up();
        for (language, unlinked, cancelled) in [
            (
                "ja",
                "この Company アカウントは、ここのアカウントと連携していません。",
                "サインインは取り消されました。",
            ),
            (
                "pt",
                "Esta conta Company não está vinculada a nenhuma conta daqui.",
                "O acesso foi cancelado.",
            ),
        ] {
            let visitor = lede.visitor().with_header("accept-language", language);
            let refused = oidc::goes(&visitor, oidc::LOGIN, "ada").await;
            says(&refused.expect(403), &[unlinked]);
            let refused = oidc::goes(&visitor, oidc::LOGIN, "deny").await;
            says(&refused.expect(400), &[cancelled]);
        }
    })
    .await;
}

/// Adds a clean-up with these notes to the log.
async fn note(lede: &TestLede, notes: &[CleanupNote]) {
    let report = CleanupReport {
        executed_at: lede.clock.now(),
        posts_removed: 0,
        full_content_cleared: 0,
        unread_removed: 12,
        bytes_freed: 0,
        duration: Duration::ZERO,
        notes: notes.to_vec(),
    };
    let add = move |db: &mut lede_store::Db<'_>| cleanup::add_to_log(db, &report);
    lede.lede.store.write(add).await.unwrap();
}

fn not_smaller() -> CleanupNote {
    let (needed, free) = (1300, 70);
    let error = MaintenanceError::NoRoomToVacuum { needed, free };
    CleanupNote::NotSmaller { error }
}

#[tokio::test]
async fn notes_of_a_clean_up_are_in_the_users_language() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        let (items, days) = (2000, 60);
        let notes = [CleanupNote::RemovedForRoom { items, days }, not_smaller()];
        note(&lede, &notes).await;
        for (language, removed, room) in [
            (
                "ja",
                "読んでから60日以上たった記事を2,000件削除しました。",
                "データベースを小さくできませんでした：ディスクの空きが足りません（必要1,300 MB、残り70 MB）。",
            ),
            (
                "pt",
                "foram removidos 2.000 itens lidos há mais de 60 dias.",
                "não há espaço suficiente no disco: são necessários 1.300 MB e há 70 MB livres.",
            ),
        ] {
            let ada = speaks(&ada, language).await;
            says(
                &ada.get("/admin/status").await.expect(200),
                &[removed, room],
            );
            let status = ada.json("/api/status").await;
            assert_eq!(
                status["last_cleanup"]["notes"],
                "2000 items that were read more than 60 days ago were removed for their room. The database was \
                 not made smaller: there is not enough room on the disk: 1300 MB are needed and 70 MB are free."
            );
        }
    })
    .await;
}

/// Makes the nightly backup fail: a file is in the place of its folder.
async fn fail_to_back_up(lede: &TestLede) {
    let file = tempfile::NamedTempFile::new().unwrap();
    let settings = BackupSettings {
        folder: file.path().to_owned(),
        nightly: Nightly::new(4, jiff::tz::TimeZone::UTC).unwrap(),
        keep: 1,
    };
    let made = backups::make_if_due(&lede.lede, &settings).await;
    made.unwrap_err();
}

#[tokio::test]
async fn the_reason_for_a_missing_backup_is_in_the_users_language() {
    on_each_engine(async |lede: TestLede| {
        let ada = lede.admin().await;
        fail_to_back_up(&lede).await;
        for (language, day, obstacle) in [
            (
                "ja",
                "2026-03-14のバックアップを作れませんでした：",
                "フォルダーとディスクの空きを確かめてください。",
            ),
            (
                "pt",
                "Nenhum backup foi feito em 2026-03-14: não é possível gravar ",
                "verifique a pasta e o espaço no disco dela.",
            ),
        ] {
            let ada = speaks(&ada, language).await;
            let page = ada.get("/admin/status").await.expect(200);
            says(&page, &[day, obstacle]);
        }
    })
    .await;
}

#[tokio::test]
async fn field_errors_are_in_the_pages_language() {
    on_each_engine(async |lede: TestLede| {
        let program = lede.admin().await;
        let browser = lede.browser().await;
        let token = browser.get("/settings").await.csrf_token();
        let script = browser.with_header("x-csrf-token", &token);
        let search = json!({ "name": "New", "query": "is:new" });
        let nameless = json!({ "name": "", "query": "new" });
        let address = json!({ "url": "ftp://x.org/" });
        for (language, state, scheme, [field, sentence]) in [
            (
                "ja",
                "「is:」の後に続けられるのは unread、read、starred のどれかです。",
                "開けるのは http と https のアドレスだけです（「ftp:」は開けません）。",
                ["空にはできません。", "空にはできません。"],
            ),
            (
                "pt",
                "depois de is: deve vir unread, read ou starred",
                "só endereços http e https podem ser seguidos, não ftp:",
                ["não pode ficar vazio", "Não pode ficar vazio."],
            ),
        ] {
            speaks(&program, language).await;
            let said = |body: &Value| script.post("/api/searches", body.clone());
            let refused = said(&search).await.expect(400).json();
            assert_eq!(refused["fields"]["query"], state);
            let refused = said(&nameless).await.expect(400).json();
            assert_eq!(refused["fields"]["name"], field);
            assert_eq!(refused["message"], sentence);
            assert_eq!(refused["field_codes"]["name"], "empty");
            let refused = script.post("/api/feeds", address.clone()).await;
            assert_eq!(refused.expect(400).json()["fields"]["url"], scheme);

            let page = browser.get("/?q=is:new").await.expect(400);
            says(&page, &[state.split_once("is:").unwrap().1]);
        }
        let refused = program.post("/api/searches", search).await.expect(400);
        let kept = "is: must be followed by unread, read or starred";
        assert_eq!(refused.json()["fields"]["query"], kept);
    })
    .await;
}

#[tokio::test]
async fn errors_of_a_take_out_import_are_in_the_users_language() {
    on_each_engine(async |lede: TestLede| {
        let browser = lede.browser().await;
        let document = json!({
            "format": "lede-export",
            "version": 1,
            "subscriptions": [{ "feed_url": "ftp://x.org/" }, {}],
            "saved_searches": [{ "name": "New", "query": "is:new" }],
            "rules": [{ "name": "Idle", "query": "one" }],
        });
        for (language, lines) in [
            (
                "ja",
                [
                    "subscriptions 1: 開けるのは http と https のアドレスだけです",
                    "subscriptions 2: 読み取れません（missing field",
                    "saved_searches 1: 検索の言葉が正しくありません。「is:」の後に",
                    "rules 1: 何もしないルールです。",
                ],
            ),
            (
                "pt",
                [
                    "subscriptions 1: só endereços http e https podem ser seguidos",
                    "subscriptions 2: não é possível ler (missing field",
                    "saved_searches 1: a busca não serve: depois de is: deve vir",
                    "rules 1: não faz nada",
                ],
            ),
        ] {
            speaks(&lede.admin().await, language).await;
            let token = uploads::token(&browser, "/settings").await;
            let fields = [token, uploads::file(&document.to_string())];
            let page = uploads::send(&browser, uploads::TAKEOUT, &fields).await;
            says(&page.expect(200), &lines);
        }
    })
    .await;
}

/// Elements whose text is not shown, or is not prose: values for settings and keys.
const NOT_READ: [&str; 4] = ["script", "style", "code", "kbd"];
/// Elements without an end tag.
const VOID: [&str; 6] = ["br", "hr", "img", "input", "link", "meta"];

/// The texts that a page shows, including those of images, fields and buttons. Third-party content
/// is left out: it is inside elements with a `dir` attribute.
fn shown(page: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut open: Vec<(&str, bool)> = Vec::new();
    for piece in page.split('<').skip(1) {
        // No attribute contains a `>`: it is written as an entity.
        let (tag, text) = piece.split_once('>').expect("a whole tag");
        let (name, attributes) = tag.split_once([' ', '\n']).unwrap_or((tag, ""));
        if let Some(name) = name.strip_prefix('/') {
            while open.pop().is_some_and(|(opened, _)| opened != name) {}
        } else if !name.starts_with('!') && !VOID.contains(&name) && !tag.ends_with('/') {
            let is_strangers = ["dir=\"auto\"", "dir=\"ltr\""]
                .iter()
                .any(|direction| attributes.contains(direction));
            open.push((
                name,
                is_strangers || name == "bdi" || NOT_READ.contains(&name),
            ));
        }
        let mut parts = attributes.split('"');
        while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            let name = name.trim().trim_end_matches('=');
            let name = name.rsplit([' ', '\n']).next().unwrap_or_default();
            if ["title", "placeholder", "alt", "aria-label"].contains(&name)
                || name.starts_with("data-")
            {
                texts.push(value.to_owned());
            }
        }
        if !open.iter().any(|(_, is_left_out)| *is_left_out) {
            texts.push(text.to_owned());
        }
    }
    texts
}

/// Finds three or more English words in a row.
fn english(text: &str) -> Option<String> {
    let text = text.replace("&#39;", "'").replace("&#34;", "\"");
    let is_word = |word: &&str| {
        let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic() || c == '\'')
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut runs = words.split(|word| !is_word(word));
    let run = runs.find(|run| run.len() >= 3)?;
    Some(run.join(" "))
}

#[test]
fn english_is_found_where_people_read_it_and_nowhere_else() {
    let page = r#"<!doctype html><html lang="ja"><p>ここに some English words があります<br>MAX_DB_SIZE_MB を
        確認 <code>not this one here</code><b dir="auto">nor what somebody wrote</b></p>
        <img alt="what a picture shows" src="not the address either"></html>"#;
    let found: Vec<String> = shown(page)
        .iter()
        .filter_map(|text| english(text))
        .collect();
    assert_eq!(found, ["some English words", "what a picture shows"]);
}

/// An instance with many errors and warnings to show.
async fn troubled_house(lede: &TestLede, ada: &Http) -> House {
    let mut house = House::of(ada, lede).await;
    let failing = lede.site.put("/failing.xml", Reply::rss("Failing", &[]));
    let followed = ada.post("/api/feeds", json!({ "url": failing })).await;
    followed.expect(201);
    lede.site.put("/failing.xml", Reply::status(503));
    lede.clock.advance(2 * HOUR);
    lede.work().await;
    let list = format!(
        r#"<opml version="2.0"><body><outline xmlUrl="{}"/><outline xmlUrl="ftp://x.org/"/></body></opml>"#,
        lede.site.url("/absent.xml")
    );
    let xml = [("content-type", "application/xml")];
    let sent = ada.send(
        http::Method::POST,
        "/api/feeds/import-opml",
        &xml,
        list.into_bytes(),
    );
    house.set("imports", sent.await.expect(200).json()["id"].to_string());
    lede.work().await;
    retention::clean_up(&lede.lede).await.unwrap();
    let error = MaintenanceError::InUse;
    let notes = [
        not_smaller(),
        CleanupNote::KeptByPostgres,
        CleanupNote::NotSmaller { error },
        CleanupNote::StillTooLarge,
    ];
    note(lede, &notes).await;
    let (needed, free) = (3000, 70);
    let warning = Warning::NoBackup {
        day: "2026-03-14".to_owned(),
        error: MaintenanceError::NoRoomToCopy { needed, free },
    };
    let keep = move |db: &mut lede_store::Db<'_>| {
        settings::put_messages(db, backups::WARNING, std::slice::from_ref(&warning))
    };
    lede.lede.store.write(keep).await.unwrap();
    lede.disk.leave(60 * MIB);
    health::check(&lede.lede, lede.clock.now()).await;
    house
}

/// Pages with a query or with an unknown id.
const MORE_PAGES: [&str; 12] = [
    "/?q=is:new",
    "/?q=nothing-of-it",
    "/?filter=starred",
    "/?feed=999",
    "/items/999",
    "/feeds/999",
    "/feeds/x",
    "/nowhere",
    "/add?url=nowhere",
    "/settings?done=password",
    "/admin/feeds?show=trouble",
    "/admin/status?freed=2000",
];

#[tokio::test]
async fn no_page_has_english_for_those_who_read_japanese() {
    let lede = TestLede::start(Engine::Sqlite, Options::default()).await;
    let house = troubled_house(&lede, &lede.admin().await).await;
    speaks(&lede.admin().await, "ja").await;
    let person = lede.browser().await.with_header("accept-language", "en");
    let stranger = lede.visitor().with_header("accept-language", "ja");
    let listed = pages().into_iter().filter(|route| route.method == "GET");
    // The description of the API is English, as the API is.
    let listed = listed.filter(|route| route.path != "/swagger/");
    let mut paths: Vec<String> = listed.map(|route| house.path(&route.path)).collect();
    paths.extend(MORE_PAGES.map(str::to_owned));
    let (mut walked, mut found) = (0, Vec::new());
    for (who, client) in [("somebody", person), ("a stranger", stranger)] {
        let client = client.with_header("accept", "text/html");
        for path in &paths {
            let page = client.get(path).await;
            if !page.header("content-type").starts_with("text/html") {
                continue;
            }
            walked += 1;
            let left = shown(&page.text);
            let left = left.iter().filter_map(|text| english(text));
            found.extend(left.map(|words| format!("{who} at {path}: {words}")));
        }
    }
    assert!(walked > 40, "only {walked} pages were walked");
    assert!(found.is_empty(), "{found:#?}");
}
